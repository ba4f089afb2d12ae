"""The screen of a machine, as its program and its buttons report it.

    stop_1        ____________|‾‾|________________    PressSeen, when it has held for 1 ms; the kernel dates its edge
    screen        h f f f f f f T f f f f f f f f     FlipSeen, PressSeen: of a touch, dated by the kernel too
    screen_light  ____|‾‾‾‾‾‾‾‾‾|_________|‾‾‾‾‾‾‾    LightMeasured: when the patch in the picture's corner was lit

The screen's program (`feltwire screen`) is a process of its own, so that the table waits for no drawing. It reports
each frame that it has given to the display; what was lit when follows from that, see `drivers.screen.flips`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from statistics import median
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.held_lines import HeldLines
from drivers.base.key_problems import KeyProblem
from drivers.base.sensed_device import DebouncedLevel
from drivers.base.spun_reels import ReelsTrouble
from drivers.base.view import dead_lines
from drivers.screen.flips import Flip, ScreenClock
from drivers.screen.screen_wire import (
    LINK,
    MOST_REELS,
    FlipMade,
    ScreenHello,
    ScreenLanguage,
    ScreenTrouble,
    ScreenWireError,
    Touched,
    from_screen,
)
from drivers.screen.view import ScreenView
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

LIGHT: Final = "screen_light"
DARKNESS: Final = "darkness"
"""The cause of `display_dark`: that the light sensor sees nothing. What ends it ends no other fault of the display."""
PRESS_NS: Final = 1_000_000
"""A button counts when it has held for this long (ours)."""
STUCK_NS: Final = 5_000_000_000
"""A button or a finger that stays for this long is stuck (ours)."""
IDLE_NS: Final = 3_000_000_000
"""A screen without a turning reel reports at least this often (ours): its program does so twice a second."""
DATED_MS: Final = 1.0
"""How far an edge of a button may be off on the screen's clock (ours): see `drivers.screen.flips.ScreenClock`."""
MEASURED: Final = 5
"""Changes of the light that make one measurement (ours)."""
DARK: Final = 4
"""Changes of the patch without light, after which the display is dark (ours)."""


class ScreenConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the screen under `[device.screen]`."""

    driver: Literal["video_screen"] = "video_screen"
    reels: Annotated[int, Meta(ge=3, le=MOST_REELS, description="how many reels it shows")] = 3
    stops: Annotated[
        Literal["both", "buttons", "touch"],
        Meta(description="what the player stops a reel with: the buttons `stop_1` …, those on the screen, or both"),
    ] = "both"
    light: Annotated[
        bool, Meta(description="whether a light sensor `screen_light` looks at the patch in the picture's corner")
    ] = False
    latency_ms: Annotated[
        float,
        Meta(ge=0, le=200, description="from a frame that is given to the display to its light: measure it (ours)"),
    ] = 25.0
    latency_error_ms: Annotated[
        float, Meta(ge=0, le=50, description="how far the latency may be off, both ways (ours)")
    ] = 3.0
    touch_latency_ms: Annotated[
        float, Meta(ge=0, le=100, description="from a finger on the panel to the kernel's event: measure it (ours)")
    ] = 12.0
    touch_error_ms: Annotated[
        float, Meta(ge=0, le=50, description="how far that may be off, both ways: half the panel's scan (ours)")
    ] = 5.0
    window_touch: Annotated[
        bool, Meta(description="whether touches count that no kernel has dated: a mouse on a bench, never a live table")
    ] = False
    synchronised: Annotated[
        bool,
        Meta(description="whether the display must synchronise its frames; false for a window on a bench only"),
    ] = True
    spin_ms: Annotated[
        int, Meta(ge=0, le=10_000, description="nothing stops a reel before it has turned for this long (ours)")
    ] = 500
    silent_ms: Annotated[
        int,
        Meta(ge=50, le=10_000, description="while a reel turns, a screen without a frame for this long hangs (ours)"),
    ] = 250
    late_ms: Annotated[
        int,
        Meta(ge=20, le=5000, description="while a reel turns, a frame that stays for this long was late (ours)"),
    ] = 120
    answer_ms: Annotated[
        int,
        Meta(
            ge=200,
            le=10_000,
            description="a screen that does not show for this long what it is commanded has failed (ours)",
        ),
    ] = 1000
    language: Annotated[ScreenLanguage, Meta(description="the language of its words")] = "en"

    @property
    def buttons(self) -> bool:
        """Whether there are stop buttons."""
        return self.stops != "touch"

    @property
    def touch(self) -> bool:
        """Whether there are stop buttons on the screen."""
        return self.stops != "buttons"

    @property
    def doubt_ms(self) -> float:
        """Within how long of a change of image two images are possible, before and after it together, at most."""
        press_ms = max(self.touch_error_ms if self.touch else 0.0, DATED_MS if self.buttons else 0.0)
        return 2 * (self.latency_error_ms + press_ms)

    def problems(self) -> list[KeyProblem]:
        """What is wrong between keys: (key, what, fix)."""
        if self.window_touch and not self.touch:
            return [("window_touch", "is given, and no reel is stopped by touch", "leave it out, or write stops")]
        if self.late_ms >= self.silent_ms:
            return [("late_ms", "is not less than silent_ms", f"make it less than {self.silent_ms}")]
        return []


def stop_line(reel: int) -> str:
    """The line of a reel's stop button."""
    return f"stop_{reel}"


# --- observations -----------------------------------------------------------------------------------------------------


class ScreenUp(Observation, frozen=True, kw_only=True):
    """The screen's program runs, and can be sent what to show."""

    hello: ScreenHello
    again: bool
    """Whether it is the same start of the program as before: the connection came again."""


class ScreenGone(Observation, frozen=True, kw_only=True):
    """Nothing that the screen shows is known any more."""

    detail: str
    fault: str
    """The code of the fault that follows; empty where `ReelsTrouble` has reported it."""
    lost: bool = False
    """Whether its program cannot be sent anything until it is up again."""


class FlipSeen(Observation, frozen=True, kw_only=True):
    """A frame was given to the display."""

    flip: Flip
    turning: frozenset[int]
    offset_ns: int
    """What is added to the screen's time to have the table's."""
    missing: int = 0
    """Flips that are missing before it."""


class PressSeen(Observation, frozen=True, kw_only=True):
    """A stop button is pressed, or a finger is on one of the screen's."""

    reel: int
    pressed_ns: int
    """On the table's clock."""
    screen_ns: int | None
    """The same on the screen's clock, where that dated it."""
    by: Literal["button", "touch"]


class LightMeasured(Observation, frozen=True, kw_only=True):
    """The light sensor has measured the display's latency."""

    latency_ns: int


# --- the driver -------------------------------------------------------------------------------------------------------


class Screen:
    """The driver of one screen; see `drivers.base.driver.Driver`."""

    def __init__(self, config: ScreenConfig, name: str = "screen") -> None:
        self.name = name
        self._config = config
        stops = range(1, config.reels + 1) if config.buttons else ()
        self._of_stop = {stop_line(reel): reel for reel in stops}
        self.lines = frozenset((LINK, *self._of_stop, *((LIGHT,) if config.light else ())))
        self._held = {line: DebouncedLevel(PRESS_NS) for line in self._of_stop}
        self._pressed = HeldLines(STUCK_NS)
        """The buttons that are pressed."""
        self._health = SensorHealth()
        self._clock = ScreenClock()
        self._session: str | None = None
        self._number: int | None = None
        """Of the last flip."""
        self._turning: frozenset[int] = frozenset()
        self._images: tuple[int, ...] = ()
        self._received_ns = NEVER_NS
        """When the screen reported last; NEVER_NS while it is known to be silent."""
        self._finger_ns = NEVER_NS
        """Since when a finger is on the panel."""
        self._patch: bool | None = None
        self._patches: deque[tuple[int, bool]] = deque(maxlen=8)
        """When the patch changed, on the screen's clock, and to what."""
        self._unlit = 0
        """Changes of the patch without one of the light."""
        self._latencies: list[int] = []
        self._troubles: set[str] = set()

    @property
    def next_due_ns(self) -> int | None:
        """When a button has held, or something is stuck or silent."""
        due_ns = self._due_ns()
        return due_ns if due_ns < NEVER_NS else None

    def view(self, t_ns: int) -> ScreenView:
        """The screen at `t_ns`."""
        turning = tuple(sorted(self._turning))
        steps = self._images or (None,) * self._config.reels
        facts = tuple(
            (f"reel {reel}", "turns" if reel in turning else "not known" if image is None else f"shows image {image}")
            for reel, image in enumerate(steps, 1)
        )
        return ScreenView(facts=facts, doubts=dead_lines(self._health), turning=turning, steps=steps)

    # --- values --------------------------------------------------------------------------------------------------

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Buttons, and the light sensor."""
        found: list[Observation] = []
        for line, level, t_ns in batch:
            if line not in self.lines:
                continue
            self._pass_time(t_ns - 1, found)
            self._health.line_active(line, t_ns, found)
            if line == LIGHT:
                self._light(level, t_ns, found)
                continue
            self._held[line].edge(level, t_ns)
            if not level:
                self._pressed.end(line)
        return found

    def reading(self, reading: Reading) -> list[Observation]:
        """A screen has no analogue lines."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Takes what the screen's program sent."""
        found: list[Observation] = []
        link, data, t_ns = frame
        if link != LINK:
            return found
        self._pass_time(t_ns - 1, found)
        try:
            message = from_screen(data)
        except ScreenWireError as error:
            detail = f"a message of the screen cannot be read: {error}"
            return [*found, ScreenGone(t_ns=t_ns, fault="screen_unreadable", detail=detail)]
        if isinstance(message, ScreenHello):
            again = message.session == self._session
            self._forget()
            self._session, self._received_ns = message.session, t_ns
            self._clock.read(message.at, t_ns)
            self._well(t_ns, LINK, found)
            if self._config.synchronised and not message.synchronised:
                detail = (
                    f"the display ({message.display}) does not synchronise its frames: when they are lit is not known"
                )
                self._ill(t_ns, "display_failed", "synchronised", detail, found)
            else:
                self._well(t_ns, "synchronised", found)
            self._hello_of_parts(message, t_ns, found)
            found.append(ScreenUp(t_ns=t_ns, hello=message, again=again))
        elif self._session is None:
            pass  # the rest of what was sent before the screen was lost; its next connection begins with a hello
        elif isinstance(message, FlipMade):
            self._received_ns = t_ns
            self._flip(message, t_ns, found)
        elif isinstance(message, Touched):
            self._received_ns = t_ns
            self._touch(message, t_ns, found)
        elif isinstance(message, ScreenTrouble):
            self._received_ns = t_ns
            self._trouble(message, t_ns, found)
        return found

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """The screen's program is gone, or changes of a line were lost."""
        found: list[Observation] = []
        line, t_ns = loss.line, loss.t_ns
        if line not in self.lines:
            return found
        self._pass_time(t_ns - 1, found)
        if line == LINK and loss.cause is not Loss.UNPLUGGED:
            return found  # the number of the next frame shows what is missing
        if line == LINK:
            known = self._session is not None
            self._forget()
            if known:
                detail = "the screen's program cannot be reached, or what it sent was lost; is feltwire screen running?"
                self._ill(t_ns, "screen_lost", LINK, detail, found)
                found.append(ScreenGone(t_ns=t_ns, fault="", detail=detail, lost=True))
            return found
        if loss.cause is Loss.UNPLUGGED:
            self._health.line_unplugged(line, t_ns, found)
        if line in self._held:
            self._held[line].forget()
            self._pressed.end(line)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time to `t_ns`."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    # --- what the screen reports ---------------------------------------------------------------------------------

    def _forget(self) -> None:
        """Nothing of its session is known any more."""
        self._session = self._number = self._patch = None
        self._turning, self._images = frozenset(), ()
        self._received_ns = self._finger_ns = NEVER_NS
        self._patches.clear()
        self._latencies.clear()
        self._clock.clear()

    def _hello_of_parts(self, seen: ScreenHello, t_ns: int, found: list[Observation]) -> None:
        """A connection begins: what failed before is over, unless it is reported again."""
        self._well(t_ns, "finger", found)
        self._well(t_ns, "display", found)
        if not self._config.touch or self._config.window_touch or seen.touch:
            self._well(t_ns, "touch", found)
            return
        detail = (
            "feltwire screen has no touch panel, and reels are stopped by touch: look at its cable, name it with "
            '--touch, restart feltwire screen; or write stops = "buttons"'
        )
        self._ill(t_ns, "touch_failed", "touch", detail, found)

    def _flip(self, seen: FlipMade, t_ns: int, found: list[Observation]) -> None:
        if len(seen.images) != self._config.reels or any(reel > self._config.reels for reel in seen.turning):
            return  # a frame of before it was set up
        self._clock.read(seen.made, t_ns)
        missing = 0 if self._number is None else seen.number - self._number - 1
        self._number = seen.number
        self._turning, self._images = frozenset(seen.turning), tuple(seen.images)
        self._well(t_ns, LINK, found)
        if self._config.light:
            self._patch_shown(seen, t_ns, found)
        flip = Flip(seen.number, seen.begun, seen.made, self._images)
        found.append(FlipSeen(t_ns=t_ns, flip=flip, turning=self._turning, offset_ns=self._offset_ns, missing=missing))

    @property
    def _offset_ns(self) -> int:
        return self._clock.offset_ns or 0

    def _touch(self, seen: Touched, t_ns: int, found: list[Observation]) -> None:
        if not seen.down:
            self._finger_ns = NEVER_NS
            self._well(t_ns, "finger", found)
            return
        self._finger_ns = t_ns
        if not self._config.touch or not 1 <= seen.reel <= self._config.reels:
            return
        if seen.by == "window" and not self._config.window_touch:
            return
        pressed_ns = seen.at - round(self._config.touch_latency_ms * 1e6)
        table_ns = pressed_ns + self._offset_ns
        found.append(PressSeen(t_ns=t_ns, reel=seen.reel, pressed_ns=table_ns, screen_ns=pressed_ns, by="touch"))

    def _trouble(self, seen: ScreenTrouble, t_ns: int, found: list[Observation]) -> None:
        if seen.what == "touch" and not self._config.touch:
            return  # nothing is stopped by touch
        if seen.fails:
            self._ill(t_ns, f"{seen.what}_failed", seen.what, seen.detail, found)
        else:
            self._well(t_ns, seen.what, found)

    def _ill(self, t_ns: int, fault: str, cause: str, detail: str, found: list[Observation]) -> None:
        if cause not in self._troubles:
            self._troubles.add(cause)
            found.append(ReelsTrouble(t_ns=t_ns, fails=True, fault=fault, cause=cause, detail=detail))

    def _well(self, t_ns: int, cause: str, found: list[Observation]) -> None:
        if cause in self._troubles:
            self._troubles.discard(cause)
            found.append(ReelsTrouble(t_ns=t_ns, fails=False, fault="", cause=cause))

    # --- the light -----------------------------------------------------------------------------------------------

    def _patch_shown(self, seen: FlipMade, t_ns: int, found: list[Observation]) -> None:
        if self._patch is not None and seen.patch != self._patch:
            self._patches.append((seen.made, seen.patch))
            self._unlit += 1
            if self._unlit > DARK:
                detail = f"the light sensor saw nothing of {DARK} changes of its patch: the display is dark, or it is"
                self._ill(t_ns, "display_dark", DARKNESS, detail, found)
        self._patch = seen.patch

    def _light(self, level: int, t_ns: int, found: list[Observation]) -> None:
        """The patch was lit or dark: the last change to that before it is the one that is seen now."""
        at_ns = t_ns - self._offset_ns
        made = [made_ns for made_ns, lit in self._patches if lit == bool(level) and made_ns <= at_ns]
        if not made or self._session is None:
            return
        self._unlit = 0
        self._well(t_ns, DARKNESS, found)
        self._latencies.append(at_ns - made[-1])
        if len(self._latencies) == MEASURED:
            found.append(LightMeasured(t_ns=t_ns, latency_ns=round(median(self._latencies))))
            self._latencies.clear()

    # --- time ----------------------------------------------------------------------------------------------------

    def _silent_due_ns(self) -> int:
        if self._received_ns >= NEVER_NS:
            return NEVER_NS
        return self._received_ns + (self._config.silent_ms * 1_000_000 if self._turning else IDLE_NS)

    def _due_ns(self) -> int:
        held_ns = min((level.due_ns for level in self._held.values()), default=NEVER_NS)
        finger_ns = self._finger_ns + STUCK_NS if self._finger_ns < NEVER_NS else NEVER_NS
        return min(held_ns, finger_ns, self._pressed.due_ns, self._silent_due_ns())

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while (t_ns := self._due_ns()) <= until_ns:
            self._hold(t_ns, found)
            for _, line in self._pressed.stuck(t_ns):
                detail = f"{line} was held for {STUCK_NS / 1e9:g} s: it is stuck, or its wire is cut"
                self._health.line_failed(line, "sensor_stuck", detail, t_ns, found)
            if self._finger_ns < NEVER_NS and self._finger_ns + STUCK_NS == t_ns:
                self._finger_ns = NEVER_NS
                detail = f"a finger was on the panel for {STUCK_NS / 1e9:g} s: something is on it, or it fails"
                self._ill(t_ns, "touch_stuck", "finger", detail, found)
            if self._silent_due_ns() == t_ns:
                turned = "while a reel turned" if self._turning else "at rest"
                detail = f"no frame arrived for {(t_ns - self._received_ns) / 1e9:g} s {turned}: its program hangs"
                self._received_ns, self._turning = NEVER_NS, frozenset()
                self._ill(t_ns, "screen_silent", LINK, detail, found)
                found.append(ScreenGone(t_ns=t_ns, fault="", detail=detail))

    def _hold(self, t_ns: int, found: list[Observation]) -> None:
        """The buttons that have held by then."""
        for line, level in self._held.items():
            change = level.due(t_ns)
            if change is not None and change.level:
                self._pressed.begin(line, change.since_ns)
                reel = self._of_stop[line]
                found.append(PressSeen(t_ns=t_ns, reel=reel, pressed_ns=change.since_ns, screen_ns=None, by="button"))
