"""A simulated skill-stop video: the screen's own program on a display in virtual time, and a player who watches it.

    token ──► the controller has the reels turn ──► frames at 60 Hz ──► the player waits for his image, and presses

The program is that of the real screen (`screen.program`); simulated are its display, which lags, its touch panel, the
link, and the player. He plans which image he wants at each reel, and by how much he misses it, which is his skill: he
presses when that image is lit. Within the image he presses away from its ends, so that what he stopped is beyond doubt,
except for the fault `press_between`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple

from drivers.screen.screen_wire import LINK, StopReel, line_of
from hal.clock import NS_PER_S
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Output, Rare, SendFrame
from screen.program import ScreenProgram
from simulators.base.faults import SimulatedFault
from simulators.base.geometry import Geometry, GeometryError
from simulators.base.truth import SimRound
from simulators.coins.equipment import CoinEquipment
from simulators.coins.patron import DOOR, PASS_S, ns
from simulators.stops.faults import HELD_S, fault, shared_faults, signal
from simulators.stops.player import StopPlay, stopped_by_player
from simulators.stops.plays import (
    IN_S,
    NEVER_NS,
    NOTICED_S,
    ChuteOrCoins,
    Happenings,
    PlayScript,
    PlayScripts,
    Upcoming,
)

LIGHT: Final = "screen_light"
SCREEN: Final = "screen"
"""The device whose faults the attendant clears."""
FRAME_NS: Final = 16_666_667
"""From one frame of the display to the next."""
UP_NS: Final = 400_000_000
"""When the screen's program reports for the first time (ours)."""
FLIP_NS: Final = (300_000, 1_800_000)
"""How long a flip takes (ours)."""
LIGHT_OFF_NS: Final = 700_000
"""How far the latency of a frame is off, both ways at most (ours)."""
SENT_NS: Final = (80_000, 400_000)
"""How long a line is under way (ours)."""
QUIET_AT_START_S: Final = 2.0
LOOKS_S: Final = 0.6
"""The player looks for this long, beside the time in which nothing stops a reel (ours)."""
READY_S: Final = 0.15
"""He cannot press sooner after he has seen what he waits for."""
PRESS_S: Final = 0.09
AGAIN_S: Final = 0.7
"""A reel that turns on this long after its press is pressed for again (ours)."""
FOR_FAULT_S: Final = 4.0
"""What goes wrong in a play is found, fixed and cleared within this long (ours)."""
AWAY_S: Final = 0.03
"""How far from the ends of its time the player presses an image at least: what is in doubt, and a frame."""
BESIDE: Final = 5
"""A place on the touch panel, both ways, where no button is."""
LAGS_NS: Final = 20_000_000
"""How much more a display lags that drifts (ours)."""
KEPT: Final = 1024
"""Frames of which the light is kept."""


def _needs(what: str, has: Callable[[ScreenGeometry], bool]) -> Callable[[Geometry], str | None]:
    return lambda geometry: None if isinstance(geometry, ScreenGeometry) and has(geometry) else what


_CHUTE: Final = _needs("a chute", lambda geometry: geometry.play.coins is None)
_BUTTONS: Final = _needs("stop buttons", lambda geometry: geometry.stops != "touch")
_TOUCH: Final = _needs("a touch panel", lambda geometry: geometry.stops != "buttons")
_LIGHT: Final = _needs("a light sensor", lambda geometry: geometry.light)

FAULTS: Final = (
    *shared_faults(_CHUTE, _BUTTONS),
    fault(
        "press_between",
        "The player presses as one image takes the place of another.",
        "The outcome: the earlier image counts, and the evidence has both.",
    ),
    fault(
        "touch_stuck",
        "Something is on the touch panel before the play.",
        "A fault: touch_stuck; then the outcome.",
        _TOUCH,
    ),
    signal(
        "screen_hung",
        "The screen's program hangs for two seconds in the play.",
        "A fault: screen_silent; the outcome after it is cleared.",
    ),
    signal(
        "screen_dead",
        "The screen's program ends in the play, and is restarted.",
        "A fault: screen_lost; the outcome after it is cleared.",
    ),
    signal(
        "display_unplugged",
        "The display is disconnected in the play, and connected again.",
        "A fault: display_failed; the outcome after it is cleared.",
    ),
    signal(
        "frames_late",
        "The display holds a frame for a fifth of a second in the play.",
        "A fault: screen_late; the outcome after it is cleared.",
    ),
    signal(
        "frames_missing",
        "Two frames are not reported in the play.",
        "A fault: flips_missing; the outcome after it is cleared.",
    ),
    signal(
        "line_garbled",
        "A line of the screen is broken on its way.",
        "A fault: screen_unreadable; the outcome after it is cleared.",
    ),
    signal(
        "latency_drifts",
        "The display lags more before the play, and as before again.",
        "A fault: display_latency; then the outcome.",
        _LIGHT,
    ),
    signal(
        "display_dark",
        "The display's light is off before the play, and on again.",
        "A fault: display_dark; then the outcome.",
        _LIGHT,
    ),
)
"""What can go wrong at the machine: its player, its screen, its display."""


Happening = Callable[["ScreenSimulator", int], None]
"""Something that happens to the machine at a time."""


class Before(NamedTuple):
    """Something that happens before a play, and ends."""

    begins: Happening
    ends: Happening
    for_s: float
    cleared_s: float
    """From its beginning to the attendant, who clears the screen's faults."""


BEFORE: Final[Mapping[str, Before]] = {
    "touch_stuck": Before(
        lambda one, t_ns: one.touch(t_ns, at=BESIDE), lambda one, t_ns: one.lift(t_ns, at=BESIDE), HELD_S, HELD_S + 0.5
    ),
    "latency_drifts": Before(lambda one, t_ns: one.lag(LAGS_NS), lambda one, t_ns: one.lag(0), 4.0, 8.0),
    "display_dark": Before(lambda one, t_ns: one.darken(True), lambda one, t_ns: one.darken(False), 3.0, 5.0),
}
IN_PLAY: Final[Mapping[str, tuple[tuple[float, Happening], ...]]] = {
    "screen_hung": ((0.0, lambda one, t_ns: one.hang(t_ns, 2.0)),),
    "screen_dead": (
        (0.0, lambda one, t_ns: one.end_program(t_ns)),
        (1.5, lambda one, t_ns: one.start_program(t_ns)),
    ),
    "display_unplugged": (
        (0.0, lambda one, t_ns: one.plug_display(t_ns, plugged=False)),
        (1.5, lambda one, t_ns: one.plug_display(t_ns, plugged=True)),
    ),
    "frames_late": ((0.0, lambda one, t_ns: one.hang(t_ns, 0.2)),),
    "frames_missing": ((0.0, lambda one, t_ns: one.swallow_flips()),),
    "line_garbled": ((0.0, lambda one, t_ns: one.garble_line()),),
}
"""What stops a play that has begun, and what happens then: this long after the reels turn. The player begins once that
is over.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenGeometry:
    """A skill-stop video, and the skill of its player."""

    no_more_bets_button: bool = False
    settled_button: bool = False
    play: StopPlay = field(default_factory=StopPlay)
    symbol_s: float = 0.1
    """How long each image is lit."""
    stops: str = "both"
    """What he stops a reel with: `both`, `buttons` or `touch`."""
    light: bool = False
    """Whether a light sensor looks at the patch."""
    latency_s: float = 0.025
    """From a flip to its light."""
    touch_latency_s: float = 0.012
    """From a finger to the kernel's event."""
    skill_s: float = 0.05
    """The player's timing error: the standard deviation of a press, in seconds (ours)."""

    def __post_init__(self) -> None:
        if self.symbol_s < 3 * AWAY_S / 1.5:
            raise GeometryError(f"symbol_s is {2 * AWAY_S} or more, not {self.symbol_s}")

    @property
    def turn_s(self) -> float:
        """A turn."""
        return self.play.symbols * self.symbol_s

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault, `none` first."""
        return FAULTS

    def simulator(self, seed: int) -> ScreenSimulator:
        """A machine that plays it. Equal seeds and equal commands give equal plays."""
        return ScreenSimulator(self, seed)


@dataclass
class _Plan:
    """What the player does with a reel."""

    image: int
    """The image that he stops."""
    within_s: float
    """When in the time of that image, from its middle."""
    between: bool = False
    """Whether he presses as the next image takes its place."""
    pressed_ns: int = -NS_PER_S


class ScreenSimulator:
    """One machine in virtual time; see `simulators.base.truth` and `simulators.base.answering`."""

    def __init__(self, geometry: Geometry, seed: int) -> None:
        if not isinstance(geometry, ScreenGeometry):
            raise GeometryError(f"a skill-stop video cannot use a {type(geometry).__name__}")
        self.geometry: ScreenGeometry = geometry
        self._tokens = ChuteOrCoins(geometry.play.coins, seed)
        self._scripts = PlayScripts(geometry.play, self._tokens, seed, QUIET_AT_START_S)
        self.light: deque[tuple[int, tuple[int, ...]]] = deque(maxlen=KEPT)
        """When the light of each frame began, and its images: the truth."""
        self.told_ns = 0
        """Up to when the screen has run."""
        self._in_s = IN_S if self.coins is None else NOTICED_S
        self._rng = Random(f"{seed}/screen")
        self._sessions = 0
        self.program = self._program()
        """The screen's program as it runs now."""
        self._connected = False
        self._frame_ns = 0
        """When the next frame can be made."""
        self._lines_in: list[tuple[int, bytes]] = []
        self._happenings = Happenings[ScreenSimulator]()
        self._hung_until_ns = 0
        self._swallow = 0
        self._garble = False
        self._latency_more_ns = 0
        self._dark = False
        self._patch = False
        self._plans: list[_Plan | None] = []
        self._player_ns = NEVER_NS
        """From then on the player stops reels."""
        self._upcoming = Upcoming()
        self._told_to: int = 0

    @property
    def coins(self) -> CoinEquipment | None:
        """Acceptor and hopper on a bus, if it has them."""
        return self._tokens.equipment

    @property
    def tokens_ns(self) -> list[int]:
        """When each token that a player put in is in: the truth."""
        return self._tokens.tokens_ns

    def _program(self) -> ScreenProgram:
        self._sessions += 1
        touch = "" if self.geometry.stops == "buttons" else "simulated panel"
        return ScreenProgram(
            f"simulated-{self._sessions}",
            display="simulated",
            width=1920,
            height=1080,
            refresh_mhz=60_000,
            touch=touch,
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name."""
        buttons = () if self.geometry.stops == "touch" else tuple(f"stop_{n}" for n in self.geometry.play.numbers)
        light = (LIGHT,) if self.geometry.light else ()
        return (LINK, *buttons, *light, *self._tokens.lines, DOOR)

    def start(self) -> Batch:
        """Every line at time 0, and some quiet."""
        self.plan(UP_NS, ScreenSimulator.start_program)
        self.told_ns = UP_NS // 2
        return Batch([Edge(line, 0, 0) for line in self.lines if line not in (LINK, "cctalk")], [], self.told_ns)

    def round(self, fault: str | None = None) -> SimRound:
        """The next play, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        script, at_s = self._scripts.begin(fault, self.geometry)
        at_s = self._before(script, at_s)
        script.pay_in(at_s)
        self._plans = self._plan(script)
        player_s = self._in_play(script, at_s + self._in_s)
        self._player_ns = ns(player_s)
        play = self.geometry.play
        turns_s = (self.geometry.turn_s + READY_S + AGAIN_S) * play.reels
        end_s = player_s + turns_s + (play.longest_s + 2.0 if None in self._plans else 1.0)
        return self._scripts.played(script, [None if plan is None else plan.image for plan in self._plans], end_s)

    def _plan(self, script: PlayScript) -> list[_Plan | None]:
        """Which image the player stops at each reel: the one he wants, and by how much he misses it."""
        geometry, rng = self.geometry, script.rng
        free_s = max(0.0, geometry.symbol_s / 2 - AWAY_S)
        between = script.name == "press_between"
        images = geometry.play.wanted(geometry.skill_s / geometry.symbol_s, rng)
        return stopped_by_player(script.name, [_Plan(image, rng.uniform(-free_s, free_s), between) for image in images])

    # --- what goes wrong -------------------------------------------------------------------------------------------

    def _before(self, script: PlayScript, at_s: float) -> float:
        """What happens before the token of the play; returns when that comes."""
        if script.name == "button_held":
            script.edges += [Edge("stop_1", 1, ns(at_s)), Edge("stop_1", 0, ns(at_s + HELD_S))]
            return script.clear(SCREEN, at_s + HELD_S + 0.5) + 1.0
        if script.name == "token_in_test":
            return script.test_token(at_s, PASS_S[0]) + 2.0
        before = BEFORE.get(script.name)
        if before is None:
            return at_s
        self.plan(ns(at_s), before.begins)
        self.plan(ns(at_s + before.for_s), before.ends)
        return script.clear(SCREEN, at_s + before.cleared_s) + 1.0

    def _in_play(self, script: PlayScript, at_s: float) -> float:
        """What happens in the play; returns when the player begins to stop reels."""
        name, spun_s = script.name, at_s + self.geometry.play.spin_s
        begun_s = spun_s + LOOKS_S + script.rng.uniform(0.0, 0.5)
        wrong_s = spun_s + 0.4
        for after_s, happening in IN_PLAY.get(name, ()):
            self.plan(ns(wrong_s + after_s), happening)
        if name == "press_too_early":
            for number in self.geometry.play.numbers:
                self._press(number, ns(at_s + 0.1 + 0.02 * number))
        if name == "token_while_spinning":
            script.pay_in(at_s + 0.5)
            if self.coins is None:
                script.order("hand_pay", at_s + 1.0)
        if name == "door_opened":
            script.open_door(wrong_s, 2.5)
            return wrong_s + FOR_FAULT_S
        if name in IN_PLAY:
            script.clear(SCREEN, wrong_s + FOR_FAULT_S - 1.5)
            return wrong_s + FOR_FAULT_S + self.geometry.play.spin_s + LOOKS_S
        return begun_s

    def start_program(self, t_ns: int) -> None:
        """The screen's program starts, and reports."""
        self.program = self._program()
        self._connected, self._lines_in = True, []
        self._send(self.program.hello(t_ns), t_ns)
        self._frame_ns = t_ns + FRAME_NS

    def lose_link(self) -> None:
        """Nothing comes any more, and nobody reports that."""
        self._connected = False

    def end_program(self, t_ns: int) -> None:
        """The program ends: its link is down."""
        self._connected = False
        self._upcoming.rare.append(EdgesLost(LINK, Loss.UNPLUGGED, t_ns))

    def hang(self, t_ns: int, for_s: float) -> None:
        """The program makes no frame for this long."""
        self._hung_until_ns = t_ns + ns(for_s)

    def swallow_flips(self) -> None:
        """Two frames are not reported."""
        self._swallow = 2

    def garble_line(self) -> None:
        """The next report of a frame is broken on its way."""
        self._garble = True

    def plug_display(self, t_ns: int, *, plugged: bool) -> None:
        """The display is connected, or disconnected."""
        self._send(self.program.trouble(t_ns, "display", "HDMI-A-1", fails=not plugged), t_ns)

    def touch(self, t_ns: int, reel: int = 0, *, at: int = 0, by_kernel: bool = True) -> None:
        """A finger comes down at the stop button of a reel; 0 is beside all of them. `at` is its place, both ways."""
        self._send(self.program.touched(t_ns, at, at, reel, by_kernel), t_ns)

    def lift(self, t_ns: int, *, at: int = 0) -> None:
        """The finger is lifted."""
        self._send(self.program.lifted(t_ns, at, at, True), t_ns)

    def jump(self, t_ns: int, reel: int, image: int) -> None:
        """A reel jumps to an image that nobody stopped."""
        self.program.take(line_of(StopReel(reel=reel, image=image)), t_ns)

    def lag(self, more_ns: int) -> None:
        """The display lags so much more than is stated."""
        self._latency_more_ns = more_ns

    def darken(self, dark: bool) -> None:
        """The light of the display is off, or on again."""
        self._dark = dark

    # --- the link and the frames -----------------------------------------------------------------------------------

    def command(self, output: Output) -> None:
        """The table sends the screen something, which arrives a little later."""
        if self.coins is not None:
            self.coins.command(output)
        if isinstance(output, SendFrame) and output.link == LINK and self._connected:
            at_ns = max(output.t_ns, self.told_ns) + self._rng.randint(*SENT_NS)
            last_ns = self._lines_in[-1][0] if self._lines_in else 0
            self._lines_in.append((max(at_ns, last_ns), output.data.strip()))

    def _send(self, line: bytes, t_ns: int) -> None:
        if not self._connected:
            return
        if self._garble and b'"flip"' in line[:16]:
            self._garble, line = False, line[: len(line) // 2]
        self._told_to = max(t_ns + self._rng.randint(*SENT_NS), self._told_to + 1)
        self._upcoming.rare.append(Frame(LINK, line, self._told_to))

    def _next_frame_ns(self) -> int:
        """When the next frame is made that matters."""
        if not self._connected:
            return NEVER_NS
        at_ns = max(self._frame_ns, self._hung_until_ns)
        if self.program.turns:
            return at_ns
        due_ns = self.program.next_change_ns(at_ns)
        if self._lines_in:
            due_ns = min(due_ns, max(at_ns, self._lines_in[0][0]))
        return max(at_ns, due_ns)

    def _make_frame(self, t_ns: int) -> None:
        while self._lines_in and self._lines_in[0][0] <= t_ns:
            self.program.take(self._lines_in.pop(0)[1], t_ns)
        picture = self.program.picture(t_ns)
        made_ns = t_ns + self._rng.randint(*FLIP_NS)
        self._frame_ns = t_ns + FRAME_NS
        line = self.program.flipped(picture, t_ns, made_ns)
        off_ns = self._rng.randint(-LIGHT_OFF_NS, LIGHT_OFF_NS)
        lit_ns = made_ns + ns(self.geometry.latency_s) + self._latency_more_ns + off_ns
        self.light.append((lit_ns, picture.images))
        if self.geometry.light and picture.patch != self._patch:
            self._patch = picture.patch
            if not self._dark:
                self._upcoming.edges.append(Edge(LIGHT, int(picture.patch), lit_ns))
        if line is not None and self._swallow and picture.turning:
            self._swallow -= 1
        elif line is not None:
            self._send(line, made_ns)
        self._play(t_ns, picture.turning)

    def lit_at(self, reel: int, t_ns: int) -> int | None:
        """The image of a reel that was lit at a time: the truth; None where it is too long ago."""
        times = [lit_ns for lit_ns, _ in self.light]
        place = bisect_right(times, t_ns) - 1
        return self.light[place][1][reel - 1] if place >= 0 and self.light[place][1] else None

    @property
    def next_answer_ns(self) -> int | None:
        """The next thing that happens."""
        times = [self._upcoming.next_ns, self._happenings.next_ns]
        coins_ns = None if self.coins is None else self.coins.next_answer_ns
        times += [] if coins_ns is None else [coins_ns]
        first_ns = min(*times, self._next_frame_ns())
        return None if first_ns >= NEVER_NS else max(first_ns, self.told_ns)

    def answers(self, until_ns: int) -> Batch:
        """What the screen, the player and the coin equipment do up to then; each of it once."""
        while True:
            frame_ns, happens_ns = self._next_frame_ns(), self._happenings.next_ns
            if min(happens_ns, frame_ns) > until_ns:
                break
            if happens_ns <= frame_ns:
                self._happenings.happen(self)
            else:
                self._make_frame(frame_ns)
        self.told_ns = max(self.told_ns, until_ns)
        return self._upcoming.take(until_ns, self.coins)

    def plan(self, t_ns: int, happening: Happening) -> None:
        """Something happens at a time."""
        self._happenings.plan(t_ns, happening)

    def plan_edges(self, *edges: Edge) -> None:
        """Somebody presses buttons, beside the player."""
        self._upcoming.edges += edges

    def plan_rare(self, *values: Rare) -> None:
        """Something happens to the link, beside the plays."""
        self._upcoming.rare += values

    def pass_to(self, t_ns: int) -> None:
        """The next play begins no sooner."""
        self._scripts.pass_to(t_ns)

    # --- the player --------------------------------------------------------------------------------------------------

    def _play(self, t_ns: int, turning: tuple[int, ...]) -> None:
        """Presses for the first reel that he has not stopped, when its planned image is lit."""
        if t_ns < self._player_ns:
            return
        for number, plan in enumerate(self._plans, 1):
            if plan is None or number not in turning:
                continue
            if t_ns >= plan.pressed_ns + ns(AGAIN_S):
                at_ns = self._lights(number, plan, t_ns + ns(READY_S))
                plan.pressed_ns = at_ns
                self._press(number, at_ns)
            return

    def _lights(self, number: int, plan: _Plan, from_ns: int) -> int:
        """When the player presses: the planned image is lit then, in this much of its time."""
        symbol_ns, turn = ns(self.geometry.symbol_s), 0
        while True:
            begins_ns = self.program.begins_ns(number, plan.image, turn)
            ends_ns = self._lit_about_ns(begins_ns + symbol_ns)
            middle_ns = (self._lit_about_ns(begins_ns) + ends_ns) // 2
            at_ns = ends_ns if plan.between else middle_ns + ns(plan.within_s)
            if at_ns >= from_ns:
                return at_ns
            turn += 1

    def _lit_about_ns(self, t_ns: int) -> int:
        """When the light begins, within a flip, of the first frame that is made at a time or after it."""
        frames = -(-max(0, t_ns - self._frame_ns) // FRAME_NS)
        return self._frame_ns + frames * FRAME_NS + sum(FLIP_NS) // 2 + ns(self.geometry.latency_s)

    def _press(self, number: int, t_ns: int) -> None:
        """He presses a stop button, or the one on the screen."""
        stops = self.geometry.stops
        by_touch = stops == "touch" or (stops == "both" and (self._scripts.number + number) % 2 == 0)
        until_ns = t_ns + ns(PRESS_S)
        if by_touch:
            lag_ns = ns(self.geometry.touch_latency_s)
            self.plan(t_ns + lag_ns, lambda one, at_ns: one.touch(at_ns, number))
            self.plan(until_ns + lag_ns, ScreenSimulator.lift)
        else:
            self._upcoming.edges += [Edge(f"stop_{number}", 1, t_ns), Edge(f"stop_{number}", 0, until_ns)]
