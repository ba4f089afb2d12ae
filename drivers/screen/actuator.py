"""Spins and stops the reels that a screen shows, and decides which image was lit when the player stopped one.

    spin ────► a frame shows it turning ──press──► frames show what was lit then ──stop──► stopped: by the player
                                     └──stop_at──► stopped at that image: by the house
    place ───► the next frame shows the image: stopped, by the house

Each reel shows one whole image after another, never one between two. Nothing stops a reel before it has turned for
`spin_ms`. What the press stops is the image of `drivers.screen.flips`; the reel is at it then, and is stopped only once
a frame has shown it there. A screen that shows another image than the one at which a reel is stopped has failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.spun_reels import Aim, ImageProof, ReelFailed, ReelHalted, ReelStands, ReelsTrouble
from drivers.screen.flips import DisplayLag, Flips, Lit, UnknownImage
from drivers.screen.screen import (
    DATED_MS,
    FlipSeen,
    LightMeasured,
    PressSeen,
    ScreenConfig,
    ScreenGone,
    ScreenUp,
)
from drivers.screen.screen_wire import (
    ALIVE_NS,
    LINK,
    Alive,
    Scene,
    SetUpScreen,
    Show,
    SpinReel,
    StopReel,
    ToScreen,
    line_of,
)
from drivers.screen.view import ScreenView
from hal.values import Output, SendFrame

LATENCY: Final = "latency"
"""The cause of `display_latency`: only a measurement ends it, and no light that returns."""
UP_NS: Final = 15_000_000_000
"""A screen that is not up yet must be by then: its program is started with the service (ours)."""
READ_NS: Final = 20_000_000
"""This long after the kernel's event a touch may be reported: the screen reads its panel once a frame (ours)."""
DISARMED_NS: Final = 250_000_000
"""This long after the player's time a press that was in time may still be reported (ours)."""


@dataclass(frozen=True)
class ScreenModel:
    """What a screen is to show: the machine's model."""

    title: str
    reels: tuple[tuple[str, ...], ...]
    lines: tuple[tuple[int, ...], ...]
    awards: tuple[tuple[tuple[str, ...], int], ...]
    symbol_ns: int
    """How long each image is lit."""


@dataclass
class _Reel:
    """What is known of one reel."""

    stop: int | None = None
    """Where it is; None while it turns, or is not known."""
    aim: Aim | None = None
    """Who is to stop it; None while it is commanded nothing."""
    target: int | None = None
    """The image at which it is to stop."""
    sent: bool = True
    """Whether the command was sent: it waits until the screen is up."""
    turned_ns: int | None = None
    """When a frame showed it turning first, on the screen's clock."""
    press: PressSeen | None = None
    """The press that stops it."""
    lit: Lit | None = None
    """What was lit then, once it is decided."""
    disarmed_ns: int | None = None
    """When the house took it from the player."""
    commanded_ns: int = 0
    """When it was commanded: a frame of before shows nothing of that."""
    answer_ns: int = NEVER_NS
    """When a frame must have shown what it was commanded."""


class ScreenActuator:
    """The commands of the screen; see `drivers.base.actuator.Actuator` and `drivers.base.spun_reels.SpunReels`."""

    observes: frozenset[type[Observation]] = frozenset({ScreenUp, ScreenGone, FlipSeen, PressSeen, LightMeasured})

    def __init__(self, config: ScreenConfig, name: str = "screen") -> None:
        self.name = name
        self.outputs: list[Output] = []
        self._config = config
        self._reels = {reel: _Reel() for reel in range(1, config.reels + 1)}
        self._model: ScreenModel | None = None
        self._flips = Flips()
        self._offset_ns = 0
        self._up = False
        self._up_by_ns = NEVER_NS
        """When it must be up, once something is to be shown."""
        self._alive_ns = NEVER_NS
        """When the screen is next notified that the table runs."""
        self._scene: Scene | None = None
        self._showing: Output | None = None
        """The output of the last scene: while it waits, another scene of its time takes its place."""
        self._turning: frozenset[int] = frozenset()
        self._images: tuple[int, ...] = ()
        self._measured_ns: int | None = None
        self._differs = False

    # --- what it is ----------------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int:
        """When something must have been shown, or the screen is notified that the table runs."""
        return min(self._up_by_ns, self._alive_ns, min(reel.answer_ns for reel in self._reels.values()))

    def stop_of(self, reel: int) -> int | None:
        """Where a reel is stopped; None while it turns, or is not known."""
        return self._reels[reel].stop

    def aim_of(self, reel: int) -> Aim | None:
        """Who is to stop a reel that turns."""
        return self._reels[reel].aim

    def view(self, t_ns: int) -> ScreenView:
        """What the reels are commanded."""
        words = {"player": "turns until it is stopped", "house": "is brought to an image", "halt": "is being stopped"}
        facts = tuple(
            (f"reel {number}", words[reel.aim] if reel.aim else "-" if reel.stop is None else f"image {reel.stop}")
            for number, reel in self._reels.items()
        )
        turning = tuple(number for number, reel in self._reels.items() if reel.aim)
        return ScreenView(facts=facts, turning=turning, steps=self._images or (None,) * self._config.reels)

    def set_up(self, model: ScreenModel) -> None:
        """The machine's model: what is shown, and how fast."""
        self._model = model

    # --- commands ------------------------------------------------------------------------------------------------

    def show(self, scene: Scene, t_ns: int) -> None:
        """Shows a scene beside the reels; of several at one time the last."""
        if scene == self._scene:
            return
        self._scene = scene
        if not self._up:
            return
        if self.outputs and self.outputs[-1] is self._showing and self._showing.t_ns == t_ns:
            self.outputs.pop()
        self._send_scene(scene, t_ns)

    def spin(self, number: int, t_ns: int) -> None:
        """Spins a reel until the player stops it."""
        self._begin(number, "player", None, t_ns)

    def place(self, number: int, stop: int, t_ns: int) -> None:
        """Shows a reel at an image."""
        self._begin(number, "house", stop, t_ns)

    def stop_at(self, number: int, stop: int, t_ns: int) -> None:
        """The player's time is over: a reel that nobody stopped in time is at this image."""
        reel = self._reels[number]
        if reel.aim == "player" and reel.press is None:
            reel.aim, reel.target, reel.disarmed_ns = "house", stop, t_ns
            reel.answer_ns = t_ns + DISARMED_NS + self._config.answer_ms * 1_000_000

    def halt(self, number: int, t_ns: int) -> None:
        """Stops a reel wherever that is."""
        reel = self._reels[number]
        if reel.aim is None or reel.aim == "halt":
            return
        if not reel.sent:
            self._forget(reel)
            return
        self._forget(reel)
        reel.aim = "halt"
        self._command(reel, StopReel(reel=number), t_ns)

    def rest(self, t_ns: int) -> list[Output]:
        """Every reel is stopped."""
        return [SendFrame(LINK, line_of(StopReel(reel=number)) + b"\n", t_ns) for number in self._reels]

    def _begin(self, number: int, aim: Aim, target: int | None, t_ns: int) -> None:
        reel = self._reels[number]
        self._forget(reel)
        reel.stop, reel.aim, reel.target, reel.sent = None, aim, target, False
        if self._up:
            self._turn(number, reel, t_ns)
        elif self._up_by_ns >= NEVER_NS:
            self._up_by_ns = t_ns + UP_NS

    def _turn(self, number: int, reel: _Reel, t_ns: int) -> None:
        reel.sent = True
        self._command(
            reel, SpinReel(reel=number) if reel.aim == "player" else StopReel(reel=number, image=reel.target), t_ns
        )

    def _command(self, reel: _Reel, message: ToScreen, t_ns: int) -> None:
        reel.commanded_ns, reel.answer_ns = t_ns, t_ns + self._config.answer_ms * 1_000_000
        self._send(message, t_ns)

    def _send(self, message: ToScreen, t_ns: int) -> None:
        self.outputs.append(SendFrame(LINK, line_of(message) + b"\n", t_ns))

    def _send_scene(self, scene: Scene, t_ns: int) -> None:
        self._send(Show(scene=scene), t_ns)
        self._showing = self.outputs[-1]

    # --- observations and time -----------------------------------------------------------------------------------

    def observe(self, seen: Observation) -> list[Observation]:
        """Takes what the screen reports."""
        found: list[Observation] = []
        if isinstance(seen, ScreenUp):
            self._begins(seen.t_ns, found)
        elif isinstance(seen, ScreenGone):
            self._gone(seen, found)
        elif isinstance(seen, FlipSeen):
            self._flipped(seen, found)
        elif isinstance(seen, PressSeen):
            self._pressed(seen, found)
            self._decide_all(seen.t_ns, found)
        elif isinstance(seen, LightMeasured):
            self._measured(seen, found)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Meets the deadlines up to `t_ns`."""
        found: list[Observation] = []
        if self._alive_ns <= t_ns:
            self._send(Alive(), self._alive_ns)
            self._alive_ns += ALIVE_NS
        if self._up_by_ns <= t_ns:
            due_ns, self._up_by_ns = self._up_by_ns, NEVER_NS
            detail = f"its program did not report within {UP_NS / 1e9:g} s; start feltwire screen, look at [links]"
            for number, reel in self._reels.items():
                if not reel.sent:
                    self._fail(number, "screen_lost", detail, due_ns, found)
        for number, reel in self._reels.items():
            if reel.answer_ns <= t_ns:
                detail = f"no frame showed within {self._config.answer_ms} ms what it was commanded"
                self._fail(number, "screen_not_answering", detail, reel.answer_ns, found)
        return found

    def _begins(self, t_ns: int, found: list[Observation]) -> None:
        """The screen's program begins again: its model is sent, and what each reel was to do."""
        model = self._model
        if model is None:
            return
        self._up, self._up_by_ns, self._alive_ns = True, NEVER_NS, t_ns + ALIVE_NS
        self._flips.clear()
        self._turning, self._images = frozenset(), ()
        stops = [reel.stop for reel in self._reels.values()]
        self._send(
            SetUpScreen(
                title=model.title,
                reels=[list(reel) for reel in model.reels],
                lines=[list(line) for line in model.lines],
                awards=[(list(symbols), tokens) for symbols, tokens in model.awards],
                symbol_ns=model.symbol_ns,
                images=[0 if stop is None else stop for stop in stops],
                touch=self._config.touch,
                light=self._config.light,
                language=self._config.language,
            ),
            t_ns,
        )
        if self._scene is not None:
            self._send_scene(self._scene, t_ns)
        for number, reel in self._reels.items():
            if not reel.sent:
                self._turn(number, reel, t_ns)
            elif reel.aim is not None:
                self._fail(number, "screen_lost", "the screen's program was restarted while it turned", t_ns, found)
            elif reel.stop is not None:
                reel.commanded_ns = t_ns

    def _gone(self, seen: ScreenGone, found: list[Observation]) -> None:
        """What it shows is not known any more."""
        self._flips.clear()
        self._turning, self._images = frozenset(), ()
        if seen.fault:
            found.append(ReelsTrouble(t_ns=seen.t_ns, fails=True, fault=seen.fault, cause="", detail=seen.detail))
        if seen.lost:
            self._up, self._alive_ns = False, NEVER_NS
        for reel in self._reels.values():
            self._forget(reel)
            reel.stop = None
            reel.sent = True

    def _flipped(self, seen: FlipSeen, found: list[Observation]) -> None:
        t_ns, flip, last = seen.t_ns, seen.flip, self._flips.last
        if not self._up:
            return
        if not self._is_of_model(flip.images):
            self._unreadable(seen, found)
            return
        self._offset_ns = seen.offset_ns
        missing = self._flips.add(flip)
        before = self._turning
        self._turning, self._images = seen.turning, flip.images
        late_ns = flip.made_ns - last.made_ns if last is not None and not missing else 0
        for number, reel in self._reels.items():
            if number in before and reel.aim == "player" and reel.lit is None:
                if missing:
                    self._fail(number, "flips_missing", f"{missing} frames are missing in the report", t_ns, found)
                elif late_ns > self._config.late_ms * 1_000_000:
                    detail = f"a frame stayed for {late_ns / 1e6:.0f} ms: the display was late"
                    self._fail(number, "screen_late", detail, t_ns, found)
            if flip.asked_ns + self._offset_ns > reel.commanded_ns:
                self._follow(number, reel, flip.images[number - 1], seen, found)
        self._decide_all(t_ns, found)

    def _is_of_model(self, images: tuple[int, ...]) -> bool:
        return self._model is not None and all(
            image < len(reel) for image, reel in zip(images, self._model.reels, strict=True)
        )

    def _unreadable(self, seen: FlipSeen, found: list[Observation]) -> None:
        """A frame with an image that its reel does not have: what the screen shows is not known any more."""
        if all(reel.aim is None and reel.stop is None for reel in self._reels.values()):
            self._flips.clear()
            return  # it was not known before, and nothing waits for it
        images = ", ".join(map(str, seen.flip.images))
        detail = f"a frame shows the images {images}, and the model does not have all of them"
        self._gone(ScreenGone(t_ns=seen.t_ns, fault="screen_unreadable", detail=detail), found)

    def _follow(self, number: int, reel: _Reel, image: int, seen: FlipSeen, found: list[Observation]) -> None:
        """A frame that was made after the reel was commanded something shows it."""
        turns, t_ns = number in seen.turning, seen.t_ns
        if reel.aim is None:
            if reel.stop is not None and (turns or image != reel.stop):
                detail = f"a frame showed {'it turning' if turns else f'image {image}'}, and it is at {reel.stop}"
                self._fail(number, "screen_differs", detail, t_ns, found)
        elif reel.aim == "halt" and not turns:
            self._forget(reel)
            found.append(ReelHalted(t_ns=t_ns, reel=number))
        elif reel.aim == "player" and reel.lit is None and turns:
            if reel.turned_ns is None:
                reel.turned_ns, reel.answer_ns = seen.flip.made_ns, NEVER_NS
        elif reel.aim == "house" and reel.disarmed_ns is not None:
            if seen.flip.made_ns + self._offset_ns >= reel.disarmed_ns + DISARMED_NS:
                reel.disarmed_ns = None
                self._command(reel, StopReel(reel=number, image=reel.target), t_ns)
        elif not turns and image == reel.target:
            self._stands(number, reel, image, t_ns, found)

    def _stands(self, number: int, reel: _Reel, image: int, t_ns: int, found: list[Observation]) -> None:
        press, lit = reel.press, reel.lit
        proof = None
        if press is not None and lit is not None:
            proof = ImageProof(
                image=image,
                lit_ns=lit.lit_ns + self._offset_ns,
                by=press.by,
                latency_ms=self._config.latency_ms,
                error_ms=self._error_ms(press),
                possible=lit.possible,
                measured_ms=None if self._measured_ns is None else round(self._measured_ns / 1e6, 2),
            )
        self._forget(reel)
        reel.stop = image
        found.append(
            ReelStands(
                t_ns=t_ns,
                reel=number,
                stop=image,
                step=image,
                by_player=proof is not None,
                pressed_ns=None if press is None or lit is None else press.pressed_ns,
                proof=proof,
            )
        )

    # --- what was lit --------------------------------------------------------------------------------------------

    def _pressed(self, seen: PressSeen, found: list[Observation]) -> None:
        """The first press that counts stops the reel: the one that was pressed first, whichever is reported first."""
        reel = self._reels[seen.reel]
        in_time = reel.aim == "player" or (
            reel.aim == "house" and reel.disarmed_ns is not None and seen.pressed_ns <= reel.disarmed_ns
        )
        if not in_time or reel.turned_ns is None:
            return
        pressed_ns = self._screen_ns(seen)
        if pressed_ns < reel.turned_ns + self._config.spin_ms * 1_000_000:
            return
        if reel.press is not None and pressed_ns >= self._screen_ns(reel.press):
            return
        if reel.lit is not None:
            detail = f"an earlier press, by {seen.by}, was reported after image {reel.lit.image} was decided"
            self._fail(seen.reel, "image_in_doubt", detail, seen.t_ns, found)
            return
        reel.aim, reel.target, reel.disarmed_ns = "player", None, None
        reel.press, reel.answer_ns = seen, seen.t_ns + self._config.answer_ms * 1_000_000

    def _screen_ns(self, press: PressSeen) -> int:
        return press.pressed_ns - self._offset_ns if press.screen_ns is None else press.screen_ns

    def _error_ms(self, press: PressSeen) -> float:
        return self._config.latency_error_ms + (self._config.touch_error_ms if press.by == "touch" else DATED_MS)

    def _decide_all(self, t_ns: int, found: list[Observation]) -> None:
        for number, reel in self._reels.items():
            if reel.press is not None and reel.lit is None:
                self._decide(number, reel, reel.press, t_ns, found)

    def _decide(self, number: int, reel: _Reel, press: PressSeen, t_ns: int, found: list[Observation]) -> None:
        """Decides which image a press stopped, once the flips show it, and no earlier press can come any more."""
        if press.by == "button" and self._config.touch:
            touched_ms = self._config.touch_latency_ms + self._config.touch_error_ms
            if t_ns < press.pressed_ns + round(touched_ms * 1e6) + READ_NS:
                return  # frames come all the time: it is decided with one of them
        error_ns = round(self._error_ms(press) * 1e6)
        display = DisplayLag(round(self._config.latency_ms * 1e6), error_ns)
        lit = self._flips.image_at(number, self._screen_ns(press), display)
        if isinstance(lit, UnknownImage):
            self._fail(number, "image_in_doubt", lit.why, t_ns, found)
        elif lit is not None:
            reel.lit, reel.target = lit, lit.image
            self._command(reel, StopReel(reel=number, image=lit.image), t_ns)

    def _measured(self, seen: LightMeasured, found: list[Observation]) -> None:
        """The display must lag as stated: a certified machine is as it was measured."""
        self._measured_ns = seen.latency_ns
        off_ms = seen.latency_ns / 1e6 - self._config.latency_ms
        differs = abs(off_ms) > self._config.latency_error_ms + DATED_MS
        if differs == self._differs:
            return
        self._differs = differs
        detail = (
            f"the light sensor measures {seen.latency_ns / 1e6:.1f} ms from a frame to its light; the file gives "
            f"{self._config.latency_ms:g} ms, give or take {self._config.latency_error_ms:g} ms"
        )
        found.append(ReelsTrouble(t_ns=seen.t_ns, fails=differs, fault="display_latency", cause=LATENCY, detail=detail))

    # --- failing -------------------------------------------------------------------------------------------------

    def _fail(self, number: int, fault: str, detail: str, t_ns: int, found: list[Observation]) -> None:
        """Nothing is known of the reel any more; it is halted."""
        reel = self._reels[number]
        self._forget(reel)
        reel.stop, reel.commanded_ns = None, t_ns
        if self._up:
            self._send(StopReel(reel=number), t_ns)
        found.append(ReelFailed(t_ns=t_ns, reel=number, fault=fault, detail=f"reel {number}: {detail}"))

    def _forget(self, reel: _Reel) -> None:
        reel.aim = reel.target = reel.press = reel.lit = reel.disarmed_ns = reel.turned_ns = None
        reel.answer_ns = NEVER_NS
        reel.sent = True
