"""A simulated skill-stop video: the screen's own program on a display in virtual time, and a player who watches it.

    token ──► the controller has the reels turn ──► frames at 60 Hz ──► the player waits for his image, and presses

The program is that of the real screen (`screen.program`); simulated are its display, which lags, its touch panel, the
link, and the player. He plans which image he wants at each reel, and by how much he misses it, which is his skill: he
presses when that image is lit. Within the image he presses away from its ends, so that what he stopped is beyond doubt,
but for the fault `press_between`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from drivers.screen.screen_wire import LINK, Stop, line_of
from hal.clock import NS_PER_S
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Output, Rare, SendFrame
from screen.program import ScreenProgram
from simulators.base.faults import SimulatedFault, fault_named
from simulators.base.geometry import Geometry, GeometryError
from simulators.base.spun_reels import Parks, parked_at_home, stopped_by_player, truth_of_stops, wanted_stops
from simulators.base.truth import SimRound
from simulators.coins.equipment import CoinEquipment, CoinGeometry
from simulators.coins.patron import DOOR, INNER_OPTO, OUTER_OPTO, PASS_S, cleared, ns, ordered, token_edges

GAMES: Final = ("skill_stop_video",)
NEVER_NS: Final = 1 << 62
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
BETWEEN_S: Final = (1.0, 2.5)
IN_S: Final = 0.2
NOTICED_S: Final = 0.6
"""A token in an acceptor is known so soon: two polls of 0.2 s, and their answers."""
LOOKS_S: Final = 0.6
"""The player looks for so long, beside the time in which nothing stops a reel (ours)."""
READY_S: Final = 0.15
"""He cannot press sooner after he has seen what he waits for."""
PRESS_S: Final = 0.09
AGAIN_S: Final = 0.7
"""A reel that turns on so long after its press is pressed for again (ours)."""
FOR_FAULT_S: Final = 4.0
"""What goes wrong in a play is found, mended and cleared within so long (ours)."""
AWAY_S: Final = 0.03
"""How far from the ends of its time the player presses an image at least: what is in doubt, and a frame."""
KEPT: Final = 1024
"""Frames of which the light is kept."""


def _needs(what: str, has: Callable[[ScreenGeometry], bool]) -> Callable[[Geometry], str | None]:
    return lambda geometry: None if isinstance(geometry, ScreenGeometry) and has(geometry) else what


_CHUTE: Final = _needs("a chute", lambda geometry: geometry.coins is None)
_BUTTONS: Final = _needs("stop buttons", lambda geometry: geometry.stops != "touch")
_TOUCH: Final = _needs("a touch panel", lambda geometry: geometry.stops != "buttons")
_LIGHT: Final = _needs("a light sensor", lambda geometry: geometry.light)


def _fault(
    name: str,
    physical: bool,
    explanation: str,
    expected: str,
    lacking: Callable[[Geometry], str | None] = lambda geometry: None,
) -> SimulatedFault:
    return SimulatedFault(name, GAMES, physical, explanation, expected, lacking)


FAULTS: Final = (
    _fault("none", True, "Nothing goes wrong.", "The outcome."),
    _fault(
        "player_walks_away",
        True,
        "The player stops no reel.",
        "The outcome of reels that the house has stopped; no award.",
    ),
    _fault(
        "player_leaves_one",
        True,
        "The player does not stop reel 2.",
        "The outcome; the house stops reel 2, and no line awards.",
    ),
    _fault(
        "press_too_early",
        True,
        "Every reel is pressed as it begins to turn, too.",
        "The outcome: such a press stops nothing.",
        _CHUTE,
    ),
    _fault(
        "press_between",
        True,
        "The player presses as one image takes the place of another.",
        "The outcome: the earlier image counts, and the evidence has both.",
    ),
    _fault(
        "button_held",
        True,
        "Button 1 is held for long before the play.",
        "A fault: sensor_stuck; then the outcome.",
        _BUTTONS,
    ),
    _fault(
        "touch_stuck",
        True,
        "Something lies on the touch panel before the play.",
        "A fault: touch_stuck; then the outcome.",
        _TOUCH,
    ),
    _fault(
        "token_while_spinning",
        True,
        "A second token is put in while the reels turn.",
        "Paid by hand; the outcome of the first.",
    ),
    _fault("token_in_test", True, "The attendant tests with a token.", "Nothing counts; then the outcome."),
    _fault(
        "screen_hung",
        False,
        "The screen's program hangs for two seconds in the play.",
        "A fault: screen_silent; the outcome after it is cleared.",
    ),
    _fault(
        "screen_dead",
        False,
        "The screen's program ends in the play, and is started anew.",
        "A fault: screen_lost; the outcome after it is cleared.",
    ),
    _fault(
        "display_unplugged",
        False,
        "The display is disconnected in the play, and connected again.",
        "A fault: display_failed; the outcome after it is cleared.",
    ),
    _fault(
        "frames_late",
        False,
        "The display holds a frame for a fifth of a second in the play.",
        "A fault: screen_late; the outcome after it is cleared.",
    ),
    _fault(
        "frames_missing",
        False,
        "Two frames are not reported in the play.",
        "A fault: flips_missing; the outcome after it is cleared.",
    ),
    _fault(
        "line_garbled",
        False,
        "A line of the screen is broken on its way.",
        "A fault: screen_unreadable; the outcome after it is cleared.",
    ),
    _fault(
        "latency_drifts",
        False,
        "The display lags more before the play, and as before again.",
        "A fault: display_latency; then the outcome.",
        _LIGHT,
    ),
    _fault(
        "display_dark",
        False,
        "The display's light is off before the play, and on again.",
        "A fault: display_dark; then the outcome.",
        _LIGHT,
    ),
    _fault("door_opened", True, "The door is opened and closed in the play.", "The outcome, after the door is closed."),
)
"""What can go wrong at the machine: its player, its screen, its display."""
IN_PLAY: Final = frozenset(
    {"screen_hung", "screen_dead", "display_unplugged", "frames_late", "frames_missing", "line_garbled"}
)
"""Those that stop a play that has begun: the player begins once that is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenGeometry:
    """A skill-stop video, and the skill of its player."""

    game: str
    no_more_bets_button: bool = False
    settled_button: bool = False
    reels: int = 3
    symbols: int = 20
    symbol_s: float = 0.1
    """How long each image is lit."""
    spin_s: float = 0.5
    """Nothing stops a reel before."""
    longest_s: float = 20.0
    """The player's time."""
    aims: tuple[tuple[tuple[int, ...], ...], ...] = ()
    """What the player may want: combinations, each as the images that suit at each reel; without one, image 0."""
    stops: str = "both"
    """What he stops a reel with: `both`, `buttons` or `touch`."""
    light: bool = False
    """Whether a light sensor looks at the patch."""
    latency_s: float = 0.025
    """From a flip to its light."""
    touch_latency_s: float = 0.012
    """From a finger to the kernel's event."""
    parks: Parks = parked_at_home
    """Where the house parks the reels that the player leaves."""
    coins: CoinGeometry | None = None
    """Acceptor and hopper, in place of the chute; None where tokens go into a chute, and awards are paid by hand."""
    skill_s: float = 0.05
    """The player's timing error: the standard deviation of a press, in seconds (ours)."""

    def __post_init__(self) -> None:
        if not 3 <= self.reels <= 5:
            raise GeometryError(f"reels is 3 to 5, not {self.reels}")
        if self.symbol_s < 3 * AWAY_S / 1.5:
            raise GeometryError(f"symbol_s is {2 * AWAY_S} or more, not {self.symbol_s}")

    @property
    def turn_s(self) -> float:
        """A turn."""
        return self.symbols * self.symbol_s

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


@dataclass(order=True)
class ScreenAct:
    """Something that happens at the screen at a time."""

    t_ns: int
    what: str
    until_ns: int = 0
    done: bool = field(default=False, compare=False)


class ScreenSimulator:
    """One machine in virtual time; see `simulators.base.truth` and `simulators.base.answering`."""

    def __init__(self, geometry: Geometry, seed: int) -> None:
        if not isinstance(geometry, ScreenGeometry):
            raise GeometryError(f"a skill-stop video cannot use a {type(geometry).__name__}")
        self.geometry: ScreenGeometry = geometry
        self.tokens_ns: list[int] = []
        """When each token that a player put in is in: the truth."""
        self.coins = None if geometry.coins is None else CoinEquipment(geometry.coins, seed)
        """Acceptor and hopper, if it has them."""
        self.light: deque[tuple[int, tuple[int, ...]]] = deque(maxlen=KEPT)
        """When the light of each frame began, and its images: the truth."""
        self.told_ns = 0
        """Up to when the screen has run."""
        self._in_s = IN_S if self.coins is None else NOTICED_S
        self._seed = seed
        self._rng = Random(f"{seed}/screen")
        self._number = 0
        self._now_s = 0.0
        self._sessions = 0
        self.program = self._program()
        """The screen's program as it runs now."""
        self._connected = False
        self._frame_ns = 0
        """When the next frame can be made."""
        self._lines_in: list[tuple[int, bytes]] = []
        self._acts: list[ScreenAct] = []
        self._hung_until_ns = 0
        self._swallow = 0
        self._garble = False
        self._latency_more_ns = 0
        self._dark = False
        self._patch = False
        self._plans: list[_Plan | None] = []
        self._player_ns = NEVER_NS
        """From then on the player stops reels."""
        self._edges: list[Edge] = []
        self._rare: list[Rare] = []
        self._told_to: int = 0

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
        buttons = () if self.geometry.stops == "touch" else tuple(f"stop_{n}" for n in self._numbers)
        chute = (OUTER_OPTO, INNER_OPTO) if self.coins is None else self.coins.links
        light = (LIGHT,) if self.geometry.light else ()
        return (LINK, *buttons, *light, *chute, DOOR)

    @property
    def _numbers(self) -> range:
        return range(1, self.geometry.reels + 1)

    def start(self) -> Batch:
        """Every line at time 0, and some quiet."""
        self._now_s = QUIET_AT_START_S
        self._acts.append(ScreenAct(UP_NS, "up"))
        self.told_ns = UP_NS // 2
        return Batch([Edge(line, 0, 0) for line in self.lines if line not in (LINK, "cctalk")], [], self.told_ns)

    def round(self, fault: str | None = None) -> SimRound:
        """The next play, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        name = fault_named(fault or "none", self.geometry).name
        self._number += 1
        rng = Random(f"{self._seed}/play/{self._number}")
        edges: list[Edge] = []
        rare: list[Rare] = []
        at_s = self._before(name, self._now_s + rng.uniform(*BETWEEN_S), edges, rare)
        edges += self._paid_in(at_s, rng)
        self._plans = self._plan(name, rng)
        player_s = self._in_play(name, at_s + self._in_s, edges, rare, rng)
        self._player_ns = ns(player_s)
        forced = None in self._plans
        turns_s = (self.geometry.turn_s + READY_S + AGAIN_S) * self.geometry.reels
        end_s = player_s + turns_s + (self.geometry.longest_s + 2.0 if forced else 1.0)
        self._now_s = end_s
        edges.sort(key=lambda edge: edge.t_ns)
        rare.sort(key=lambda value: value.t_ns)
        stops = tuple(self.geometry.parks([None if plan is None else plan.image for plan in self._plans]))
        return SimRound(Batch(edges, rare, ns(end_s)), truth_of_stops(stops, name), self._number, fault)

    def _plan(self, name: str, rng: Random) -> list[_Plan | None]:
        """Which image the player stops at each reel: the one he wants, and by how much he misses it."""
        geometry = self.geometry
        free_s = max(0.0, geometry.symbol_s / 2 - AWAY_S)
        images = wanted_stops(
            geometry.aims,
            geometry.reels,
            geometry.symbols,
            geometry.skill_s,
            lambda seconds: seconds / geometry.symbol_s,
            rng,
        )
        plans = [_Plan(image, rng.uniform(-free_s, free_s), name == "press_between") for image in images]
        return stopped_by_player(name, plans)

    # --- what goes wrong -------------------------------------------------------------------------------------------

    def _before(self, name: str, at_s: float, edges: list[Edge], rare: list[Rare]) -> float:
        """What happens before the token of the play; returns when that comes."""
        if name == "button_held":
            edges += [Edge("stop_1", 1, ns(at_s)), Edge("stop_1", 0, ns(at_s + 6.0))]
            return self._clear(at_s + 6.5, rare) + 1.0
        if name == "touch_stuck":
            self._acts += [ScreenAct(ns(at_s), "finger"), ScreenAct(ns(at_s + 6.0), "lift")]
            return self._clear(at_s + 6.5, rare) + 1.0
        if name == "token_in_test":
            rare.append(ordered("test_begin", at_s))
            edges += token_edges(at_s + 0.5, PASS_S[0])
            rare.append(ordered("test_end", at_s + 2.0))
            return at_s + 4.0
        if name == "latency_drifts":
            self._acts += [ScreenAct(ns(at_s), "slow"), ScreenAct(ns(at_s + 4.0), "fast")]
            return self._clear(at_s + 8.0, rare) + 1.0
        if name == "display_dark":
            self._acts += [ScreenAct(ns(at_s), "dark"), ScreenAct(ns(at_s + 3.0), "bright")]
            return self._clear(at_s + 5.0, rare) + 1.0
        return at_s

    def _in_play(self, name: str, at_s: float, edges: list[Edge], rare: list[Rare], rng: Random) -> float:
        """What happens in the play; returns when the player begins to stop reels."""
        begun_s = at_s + self.geometry.spin_s + LOOKS_S + rng.uniform(0.0, 0.5)
        wrong_s = at_s + self.geometry.spin_s + 0.4
        if name == "press_too_early":
            for number in self._numbers:
                self._press(number, ns(at_s + 0.1 + 0.02 * number))
        if name == "token_while_spinning":
            edges += self._paid_in(at_s + 0.5, rng)
            if self.coins is None:
                rare.append(ordered("hand_pay", at_s + 1.0))
        if name == "screen_hung":
            self._acts.append(ScreenAct(ns(wrong_s), "hang", ns(wrong_s + 2.0)))
        if name == "screen_dead":
            self._acts += [ScreenAct(ns(wrong_s), "die"), ScreenAct(ns(wrong_s + 1.5), "up")]
        if name == "display_unplugged":
            self._acts += [ScreenAct(ns(wrong_s), "unplug"), ScreenAct(ns(wrong_s + 1.5), "plug")]
        if name == "frames_late":
            self._acts.append(ScreenAct(ns(wrong_s), "hang", ns(wrong_s + 0.2)))
        if name == "frames_missing":
            self._acts.append(ScreenAct(ns(wrong_s), "swallow"))
        if name == "line_garbled":
            self._acts.append(ScreenAct(ns(wrong_s), "garble"))
        if name == "door_opened":
            edges += [Edge(DOOR, 1, ns(wrong_s)), Edge(DOOR, 0, ns(wrong_s + rng.uniform(1.0, 2.5)))]
            return wrong_s + FOR_FAULT_S
        if name in IN_PLAY:
            self._clear(wrong_s + FOR_FAULT_S - 1.5, rare)
            return wrong_s + FOR_FAULT_S + self.geometry.spin_s + LOOKS_S
        return begun_s

    def _clear(self, at_s: float, rare: list[Rare]) -> float:
        """The attendant clears the screen's faults; returns when play can go on."""
        rare.append(cleared(SCREEN, at_s + 0.5))
        return at_s + 1.0

    def _act(self, act: ScreenAct) -> None:
        t_ns = act.t_ns
        if act.what == "up":
            self.program = self._program()
            self._connected, self._lines_in = True, []
            self._send(self.program.hello(t_ns), t_ns)
            self._frame_ns = t_ns + FRAME_NS
        elif act.what == "lose":
            self._connected = False
        elif act.what == "die":
            self._connected = False
            self._rare.append(EdgesLost(LINK, Loss.UNPLUGGED, t_ns))
        elif act.what == "hang":
            self._hung_until_ns = act.until_ns
        elif act.what in ("unplug", "plug"):
            self._send(self.program.trouble(t_ns, "display", "HDMI-A-1", fails=act.what == "unplug"), t_ns)
        elif act.what == "swallow":
            self._swallow = 2
        elif act.what == "garble":
            self._garble = True
        elif act.what in ("finger", "lift"):
            down = act.what == "finger"
            touched = self.program.touched if down else None
            line = touched(t_ns, 5, 5, 0, True) if touched else self.program.lifted(t_ns, 5, 5, True)
            self._send(line, t_ns)
        elif act.what in ("slow", "fast"):
            self._latency_more_ns = 20_000_000 if act.what == "slow" else 0
        elif act.what in ("dark", "bright"):
            self._dark = act.what == "dark"
        elif act.what.startswith("touch"):
            self._send(self.program.touched(t_ns, 0, 0, int(act.what.removeprefix("touch")), True), t_ns)
        elif act.what.startswith("window"):
            self._send(self.program.touched(t_ns, 0, 0, int(act.what.removeprefix("window")), False), t_ns)
        elif act.what.startswith("jump"):
            self.program.take(line_of(Stop(reel=int(act.what.removeprefix("jump")), image=7)), t_ns)
        elif act.what == "untouch":
            self._send(self.program.lifted(t_ns, 0, 0, True), t_ns)

    # --- the link and the frames -----------------------------------------------------------------------------------

    def command(self, output: Output) -> None:
        """The table tells the screen something; it has it a little later."""
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
        self._rare.append(Frame(LINK, line, self._told_to))

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
                self._edges.append(Edge(LIGHT, int(picture.patch), lit_ns))
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
        times = [value.t_ns for queue in (self._edges, self._rare) for value in queue]
        times += [act.t_ns for act in self._acts]
        coins_ns = None if self.coins is None else self.coins.next_answer_ns
        times += [] if coins_ns is None else [coins_ns]
        first_ns = min(min(times, default=NEVER_NS), self._next_frame_ns())
        return None if first_ns >= NEVER_NS else max(first_ns, self.told_ns)

    def answers(self, until_ns: int) -> Batch:
        """What the screen, the player and the coin equipment do up to then; each of it once."""
        while True:
            act = min(self._acts, default=None)
            frame_ns = self._next_frame_ns()
            act_ns = NEVER_NS if act is None else act.t_ns
            if min(act_ns, frame_ns) > until_ns:
                break
            if act is not None and act_ns <= frame_ns:
                self._acts.remove(act)
                self._act(act)
            else:
                self._make_frame(frame_ns)
        self.told_ns = max(self.told_ns, until_ns)
        edges = sorted((edge for edge in self._edges if edge.t_ns <= until_ns), key=lambda edge: edge.t_ns)
        self._edges = [edge for edge in self._edges if edge.t_ns > until_ns]
        rare = [value for value in self._rare if value.t_ns <= until_ns]
        self._rare = [value for value in self._rare if value.t_ns > until_ns]
        if self.coins is not None:
            rare += self.coins.answers(until_ns)
        return Batch(edges, sorted(rare, key=lambda value: value.t_ns), until_ns)

    def plan_act(self, act: ScreenAct) -> None:
        """Something happens at the screen, beside the plays."""
        self._acts.append(act)

    def plan_edges(self, *edges: Edge) -> None:
        """Somebody presses buttons, beside the player."""
        self._edges += edges

    def plan_rare(self, *values: Rare) -> None:
        """Something happens to the link, beside the plays."""
        self._rare += values

    def pass_to(self, t_ns: int) -> None:
        """The next play begins no sooner."""
        self._now_s = max(self._now_s, t_ns / NS_PER_S)

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
        """When the player presses: the planned image is lit then, in so much of its time."""
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
        by_touch = stops == "touch" or (stops == "both" and (self._number + number) % 2 == 0)
        until_ns = t_ns + ns(PRESS_S)
        if by_touch:
            lag_ns = ns(self.geometry.touch_latency_s)
            self._acts += [ScreenAct(t_ns + lag_ns, f"touch{number}"), ScreenAct(until_ns + lag_ns, "untouch")]
        else:
            self._edges += [Edge(f"stop_{number}", 1, t_ns), Edge(f"stop_{number}", 0, until_ns)]

    # --- wires -------------------------------------------------------------------------------------------------------

    def _paid_in(self, at_s: float, rng: Random) -> list[Edge]:
        """A player puts a token in."""
        if self.coins is not None:
            self.coins.insert(ns(at_s))
            self.tokens_ns.append(ns(at_s))
            return []
        edges = token_edges(at_s, rng.uniform(*PASS_S))
        self.tokens_ns.append(edges[-1].t_ns)
        return edges
