"""What a screen shows from moment to moment, and what it reports, without a display and without a clock.

    line of the table ──take──► ScreenProgram ──picture(t)──► whoever draws it, or simulates that
    frame was given to the display ──flipped──► line to the table

A reel that turns shows one whole image after another, each for `symbol_ns` from its first frame on: what is lit is
always one image, and the player stops what he saw. Nothing here decides anything: where a reel is stopped is commanded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from drivers.screen.screen_wire import (
    Alive,
    FlipMade,
    Scene,
    ScreenHello,
    ScreenTrouble,
    ScreenWireError,
    SetUpScreen,
    Show,
    SpinReel,
    StopReel,
    Touched,
    View,
    line_of,
    to_screen,
)

PROGRAM: Final = "feltwire-screen 1"
REST_NS: Final = 500_000_000
"""While nothing turns, a frame is reported this often."""
AWARD_NS: Final = 12_000_000_000
"""An award is shown for this long (ours)."""
PATCH_NS: Final = 250_000_000
"""The patch for the light sensor is lit and dark for this long at least."""


@dataclass
class _Reel:
    image: int = 0
    """What it shows, or showed as it began to turn."""
    since_ns: int | None = None
    """When it began to turn; None while it is stopped."""
    spin: bool = False
    """Whether it begins to turn with the next frame."""


@dataclass(frozen=True)
class Picture:
    """What one frame shows."""

    images: tuple[int, ...]
    turning: tuple[int, ...]
    view: View
    scene: Scene
    age_ns: int
    """Since when the view is shown."""
    patch: bool
    """Whether the patch for the light sensor is lit."""
    lost: SetUpScreen | None = None
    """What the table had set up that is silent now; None while it is not."""


class ScreenProgram:
    """One start of the program. Times are nanoseconds of the screen's clock, and never go back."""

    def __init__(
        self,
        session: str,
        *,
        display: str,
        width: int,
        height: int,
        refresh_mhz: int = 0,
        synchronised: bool = True,
        touch: str = "",
    ) -> None:
        """`session` is another one at every start. The rest is what the table receives about the display."""
        self._hello = ScreenHello(
            session=session,
            at=0,
            program=PROGRAM,
            display=display,
            width=width,
            height=height,
            refresh_mhz=refresh_mhz,
            synchronised=synchronised,
            touch=touch,
        )
        self.model: SetUpScreen | None = None
        """What the table has set up; None before."""
        self._lost: SetUpScreen | None = None
        """What a table had set up that is gone, until one sets it up again."""
        self._reels: list[_Reel] = []
        self._scene = Scene(view="closed")
        self._shown_ns = 0
        """Since when the scene is shown."""
        self._number = 0
        self._reported_ns = -REST_NS
        self._reported: Picture | None = None
        self._patch = False
        self._patched_ns = 0

    # --- the table ---------------------------------------------------------------------------------------------------

    def hello(self, t_ns: int) -> bytes:
        """The first line of a connection; what the one before had set up is gone."""
        self.lose_table()
        return line_of(msgspec.structs.replace(self._hello, at=t_ns))

    def lose_table(self) -> None:
        """The table is gone, or silent: nothing that it had shown holds any more, and no reel turns."""
        self._lost = self.model or self._lost
        self.model, self._reels, self._reported = None, [], None
        self._scene = Scene(view="closed", simulated=self._scene.simulated)

    def lose_touch(self) -> None:
        """The touch panel is gone, for as long as this program runs."""
        self._hello = msgspec.structs.replace(self._hello, touch="")

    def take(self, line: bytes, t_ns: int) -> None:
        """A line of the table.

        Raises:
            ScreenWireError: it is not a message, and changes nothing.
        """
        message = to_screen(line)
        if isinstance(message, SetUpScreen):
            if len(message.images) != len(message.reels):
                raise ScreenWireError(f"{len(message.images)} images are set up for {len(message.reels)} reels")
            if any(len(line) != len(message.reels) for line in message.lines):
                raise ScreenWireError(f"a win line has another number of places than there are reels: {message.lines}")
            for number, image in enumerate(message.images, 1):
                _is_of(message, number, image)
            self.model, self._lost = message, None
            self._reels = [_Reel(image) for image in message.images]
            self._reported = None
        elif isinstance(message, Show):
            if message.scene.view != self._scene.view or message.scene.play != self._scene.play:
                self._shown_ns = t_ns
            self._scene = message.scene
        elif isinstance(message, Alive):
            pass  # that it came is all that it means
        elif self.model is not None and message.reel <= len(self._reels):
            if isinstance(message, StopReel) and message.image is not None:
                _is_of(self.model, message.reel, message.image)
            reel = self._reels[message.reel - 1]
            if isinstance(message, SpinReel):
                reel.spin = reel.since_ns is None
            else:
                reel.image = self._image(message.reel, t_ns) if message.image is None else message.image
                reel.since_ns, reel.spin = None, False

    def touched(self, t_ns: int, x: int, y: int, reel: int, by_kernel: bool) -> bytes:
        """A finger came down; `reel` is that of the stop button under it, or 0."""
        return line_of(Touched(at=t_ns, down=True, x=x, y=y, reel=reel, by="kernel" if by_kernel else "window"))

    def lifted(self, t_ns: int, x: int, y: int, by_kernel: bool) -> bytes:
        """The finger was lifted."""
        return line_of(Touched(at=t_ns, down=False, x=x, y=y, reel=0, by="kernel" if by_kernel else "window"))

    def trouble(self, t_ns: int, what: Literal["display", "touch"], detail: str, *, fails: bool) -> bytes:
        """The display or the touch panel fails, or works again."""
        return line_of(ScreenTrouble(at=t_ns, what=what, fails=fails, detail=detail[:500]))

    # --- frames ------------------------------------------------------------------------------------------------------

    @property
    def turns(self) -> bool:
        """Whether a reel turns, or is to turn: then every frame counts."""
        return any(reel.spin or reel.since_ns is not None for reel in self._reels)

    def turns_now(self, number: int) -> bool:
        """Whether a reel turns."""
        return number <= len(self._reels) and self._reels[number - 1].since_ns is not None

    def picture(self, t_ns: int) -> Picture:
        """What the frame shows that is made now. A reel that is to turn begins with it."""
        for reel in self._reels:
            if reel.spin:
                reel.spin, reel.since_ns = False, t_ns
        if self.model is not None and self.model.light and t_ns - self._patched_ns >= PATCH_NS:
            self._patch, self._patched_ns = not self._patch, t_ns
        turning = tuple(number for number, reel in enumerate(self._reels, 1) if reel.since_ns is not None)
        images = tuple(self._image(number, t_ns) for number in range(1, len(self._reels) + 1))
        age_ns = t_ns - self._shown_ns
        return Picture(images, turning, self._view(age_ns), self._scene, age_ns, self._patch, self._lost)

    def flipped(self, picture: Picture, asked_ns: int, made_ns: int) -> bytes | None:
        """The frame was given to the display. Returns the report of it, where it is reported."""
        before = self._reported
        alike = before is not None and (before.images, before.turning, before.patch) == (
            picture.images,
            picture.turning,
            picture.patch,
        )
        if alike and not picture.turning and made_ns - self._reported_ns < REST_NS:
            return None
        self._reported, self._reported_ns = picture, made_ns
        self._number += 1
        return line_of(
            FlipMade(
                number=self._number,
                begun=asked_ns,
                made=made_ns,
                images=list(picture.images),
                turning=list(picture.turning),
                patch=picture.patch,
            )
        )

    def next_change_ns(self, t_ns: int) -> int:
        """When a frame is due next while nothing turns: for a report, or for the patch."""
        due_ns = self._reported_ns + REST_NS
        if self.model is not None and self.model.light:
            due_ns = min(due_ns, self._patched_ns + PATCH_NS)
        return max(t_ns, due_ns)

    def begins_ns(self, number: int, image: int, turn: int = 0) -> int:
        """When a reel that turns comes to an image, in its first turn or a later one: the next frame shows it."""
        reel = self._reels[number - 1]
        if reel.since_ns is None or self.model is None:
            raise ValueError(f"reel {number} does not turn")
        symbols = len(self.model.reels[number - 1])
        return reel.since_ns + ((image - reel.image) % symbols + turn * symbols) * self.model.symbol_ns

    def _image(self, number: int, t_ns: int) -> int:
        reel = self._reels[number - 1]
        if reel.since_ns is None or self.model is None:
            return reel.image
        passed = (t_ns - reel.since_ns) // self.model.symbol_ns
        return (reel.image + passed) % len(self.model.reels[number - 1])

    def _view(self, age_ns: int) -> View:
        """An award is shown for a while; then that tokens are owed, or that the next play is open."""
        scene = self._scene
        if scene.view == "award" and age_ns >= AWARD_NS:
            return "hand_pay" if scene.credits and scene.by_hand else "attract"
        return scene.view


def _is_of(model: SetUpScreen, number: int, image: int) -> None:
    """Raises `ScreenWireError` where a reel has no such image."""
    symbols = len(model.reels[number - 1])
    if image >= symbols:
        raise ScreenWireError(f"reel {number} has {symbols} images, from 0: there is no image {image}")
