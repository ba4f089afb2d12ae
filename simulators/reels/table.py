"""A simulated skill-stop reel: a player who puts a token in and stops the reels, and what goes wrong.

    token ──► the controller spins the reels ──► the player waits for his symbol, and presses ──► they stop

What the reels do follows from the controller's commands, so they are answers (see `simulators.base.answering`). The
player plans where each reel is to stop: the symbol he wants, and by how much he misses it, which is his skill. He
presses each button when its reel is where that stop follows, and again where a press had no effect. On an emulated
board, whose own program steps the motors, he watches those steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, NamedTuple

from drivers.reels.reels_wire import TOKEN_LINE, home_line, links_of, place_of, reel_at, stop_line, stopping_steps
from hal.clock import NS_PER_S
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Output, RunMotor, SendFrame
from simulators.base.faults import SimulatedFault
from simulators.base.geometry import Geometry, GeometryError
from simulators.base.truth import SimRound
from simulators.coins.equipment import CoinEquipment
from simulators.coins.patron import DOOR, INNER_OPTO, OUTER_OPTO, PASS_S, ns
from simulators.reels.board import NEVER_NS, TOKEN_NS, ReelBoard
from simulators.reels.body import ReelBody
from simulators.stops.faults import HELD_S, fault, shared_faults, signal
from simulators.stops.player import StopPlay, stopped_by_player
from simulators.stops.plays import IN_S, NOTICED_S, ChuteOrCoins, Happenings, PlayScript, PlayScripts, Upcoming, WayIn

QUIET_AT_START_S: Final = 8.0
"""Before the first token: the reels are brought back first (ours)."""
REPORTED_NS: Final = 50_000_000
"""When the boards report for the first time (ours)."""
AGAIN_IN_S: Final = 0.5
"""A token that came back is put in again this much later (ours)."""
PRESS_S: Final = 0.12
LOOKS_S: Final = 0.3
"""The player looks for a turn, and so long, before he presses (ours): by then the button works."""
AGAIN_S: Final = 0.7
"""A reel that turns on this long after its press is pressed for again (ours)."""
ALIGN_S: Final = 0.4
"""At most this long after one press the next one may come, beside the turn that it waits for (ours)."""
TICK_NS: Final = 20_000_000
"""How far the turning is reported at a time (ours)."""
FOR_FAULT_S: Final = 7.0
"""What goes wrong in a play is found, fixed and cleared within this long (ours)."""
MENDED_S: Final = FOR_FAULT_S - 2.0
MOVED: Final = 37
"""Steps by which a hand turns a reel."""
SLIPPED: Final = 8
SLIPPED_LITTLE: Final = 3
REELS: Final = "reels"
"""The device whose faults the attendant clears."""

Happening = Callable[["ReelsSimulator", int], None]
"""Something that happens to the machine at a time."""


def _body(
    reel: int, *, stuck: bool = False, blind: bool = False, covered: bool = False, heavy: float = 1.0
) -> Happening:
    """A reel is so from now on."""

    def happens(simulator: ReelsSimulator, t_ns: int) -> None:
        body = simulator.bodies[reel]
        body.stuck, body.blind, body.covered, body.heavy = stuck, blind, covered, heavy
        simulator.look(reel, t_ns)

    return happens


def _slips(reel: int, steps: int) -> Happening:
    def happens(simulator: ReelsSimulator, t_ns: int) -> None:
        simulator.bodies[reel].slip(steps)
        simulator.look(reel, t_ns)

    return happens


class Spun(NamedTuple):
    """A play whose token is in: when what happens, in seconds."""

    token_s: float
    """The token is put in."""
    from_s: float
    """It is known, and the reels begin to turn."""
    at_speed_s: float
    """They turn at speed: what stops the play happens now."""
    stops_s: float
    """The player begins to stop them, where nothing goes wrong."""


BeforePlay = Callable[["ReelsSimulator", PlayScript, float], float]
"""What goes wrong before the token of a play, from a time on; returns when the token comes."""
InPlay = Callable[["ReelsSimulator", PlayScript, Spun], float]
"""What goes wrong in a play; returns when the player begins to stop reels."""


def _button_held(simulator: ReelsSimulator, script: PlayScript, at_s: float) -> float:
    simulator.press(1, ns(at_s), ns(at_s + HELD_S) - ns(at_s))
    return script.clear(REELS, at_s + HELD_S + 0.5) + 4.0


def _token_in_test(simulator: ReelsSimulator, script: PlayScript, at_s: float) -> float:
    del simulator  # the token goes in by the script
    return script.test_token(at_s, script.rng.uniform(*PASS_S)) + 1.0 + 4.0


def _reel_moved(simulator: ReelsSimulator, script: PlayScript, at_s: float) -> float:
    simulator.plan(ns(at_s), _slips(3, MOVED if script.rng.random() < 0.5 else -MOVED))
    return script.clear(REELS, at_s + 1.0) + 4.0


def _cleared(simulator: ReelsSimulator, script: PlayScript, spun: Spun) -> float:
    """The play is stopped: it is found, fixed and cleared."""
    script.clear(REELS, spun.at_speed_s + FOR_FAULT_S - 1.5)
    return spun.at_speed_s + FOR_FAULT_S + 2.0 * simulator.geometry.turn_s + 1.0


def _stopped(begins: Happening, ends: Happening, s: float = MENDED_S) -> InPlay:
    """Something stops the play, and is over this much later."""

    def goes(simulator: ReelsSimulator, script: PlayScript, spun: Spun) -> float:
        simulator.plan(ns(spun.at_speed_s), begins)
        simulator.plan(ns(spun.at_speed_s + s), ends)
        return _cleared(simulator, script, spun)

    return goes


def _reel_heavy(simulator: ReelsSimulator, script: PlayScript, spun: Spun) -> float:
    simulator.plan(ns(spun.token_s + 0.01), _body(1, heavy=2.0))
    simulator.plan(ns(spun.at_speed_s + MENDED_S), _body(1))
    return _cleared(simulator, script, spun)


def _reel_slips(simulator: ReelsSimulator, script: PlayScript, spun: Spun) -> float:
    simulator.plan(ns(spun.at_speed_s), _slips(1, script.rng.choice((-SLIPPED, SLIPPED))))
    return _cleared(simulator, script, spun)


def _reel_slips_little(simulator: ReelsSimulator, script: PlayScript, spun: Spun) -> float:
    del script  # nothing is cleared
    simulator.plan(ns(spun.at_speed_s), _slips(1, SLIPPED_LITTLE))
    return spun.at_speed_s + 2.0 * simulator.geometry.turn_s


def _press_too_early(simulator: ReelsSimulator, script: PlayScript, spun: Spun) -> float:
    for number in simulator.bodies:
        simulator.press(number, ns(spun.from_s + 0.15 + 0.02 * number), ns(script.rng.uniform(0.05, 0.1)))
    return spun.stops_s


def _token_while_spinning(simulator: ReelsSimulator, script: PlayScript, spun: Spun) -> float:
    script.pay_in(spun.from_s + 0.6)
    if simulator.coins is None:
        script.order("hand_pay", spun.from_s + 2.0)
    return spun.stops_s


def _door_opened(simulator: ReelsSimulator, script: PlayScript, spun: Spun) -> float:
    del simulator  # its door is opened by the script
    script.open_door(spun.at_speed_s, 3.0)
    return spun.at_speed_s + FOR_FAULT_S


BEFORE_PLAY: Final[Mapping[str, BeforePlay]] = {
    "button_held": _button_held,
    "token_in_test": _token_in_test,
    "reel_moved": _reel_moved,
}
IN_PLAY: Final[Mapping[str, InPlay]] = {
    "press_too_early": _press_too_early,
    "token_while_spinning": _token_while_spinning,
    "door_opened": _door_opened,
    "reel_jammed": _stopped(_body(2, stuck=True), _body(2)),
    "reel_slips": _reel_slips,
    "reel_slips_little": _reel_slips_little,
    "reel_moved": _cleared,
    "reel_heavy": _reel_heavy,
    "home_blind": _stopped(_body(3, blind=True), _body(3)),
    "home_blocked": _stopped(_body(1, covered=True), _body(1)),
    "home_unplugged": _stopped(
        lambda one, t_ns: one.unplug_home(1, t_ns), lambda one, t_ns: one.plug_home(1, t_ns), 1.0
    ),
    "board_lost": _stopped(lambda one, t_ns: one.lose_board(t_ns), lambda one, t_ns: one.find_board(t_ns), 2.0),
}


def _no_chute(geometry: Geometry) -> str | None:
    return "a chute" if isinstance(geometry, ReelsGeometry) and geometry.play.coins is not None else None


FAULTS: Final = (
    *shared_faults(_no_chute),
    fault(
        "reel_jammed",
        "Reel 2 sticks while it turns, and is freed.",
        "A fault: reel_jammed, or reel_home_blocked where it sticks with its flag in the sensor; the outcome after it "
        "is cleared.",
    ),
    fault(
        "reel_slips",
        "Reel 1 slips by more than half a symbol.",
        "A fault: reel_slipped; the outcome after it is cleared.",
    ),
    fault("reel_slips_little", "Reel 1 slips by less than half a symbol, before it is stopped.", "The outcome."),
    fault(
        "reel_moved",
        "A hand turns reel 3 while it is stopped.",
        "A fault: reel_moved; the outcome after it is cleared.",
    ),
    fault(
        "reel_heavy",
        "Reel 1 has twice its mass, and loses steps as it begins.",
        "A fault: reel_moved or reel_slipped; the outcome follows once it is repaired.",
    ),
    signal(
        "home_blind",
        "The home sensor of reel 3 sees nothing.",
        "A fault: reel_jammed; the outcome follows once it is repaired.",
    ),
    signal(
        "home_blocked",
        "Something is in the home sensor of reel 1.",
        "A fault: reel_slipped or reel_home_blocked; the outcome after it is removed.",
    ),
    signal(
        "home_unplugged",
        "The cable of a home sensor comes out for a moment.",
        "A fault: sensor_missing; the outcome.",
    ),
    signal(
        "board_lost",
        "The board of the reels is gone for two seconds.",
        "A fault: reel_not_answering; the outcome after it is cleared.",
    ),
)
"""What can go wrong at the machine: its player, its reels, its cables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReelsGeometry:
    """A skill-stop reel, and the skill of its player."""

    no_more_bets_button: bool = False
    settled_button: bool = False
    play: StopPlay = field(default_factory=StopPlay)
    steps: int = 200
    steps_per_s: int = 200
    acceptor: bool = False
    """Whether tokens come in by an acceptor on the first board."""
    skill_s: float = 0.03
    """The player's timing error: the standard deviation of a press, in seconds (ours)."""

    def __post_init__(self) -> None:
        if not 0 < 2 * self.play.symbols <= self.steps:
            raise GeometryError(f"symbols is 1 to half of {self.steps} steps, not {self.play.symbols}")

    @property
    def turn_s(self) -> float:
        """A turn at speed."""
        return self.steps / self.steps_per_s

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault, `none` first."""
        return FAULTS

    def simulator(self, seed: int) -> ReelsSimulator:
        """A machine that plays it. Equal seeds and equal commands give equal plays."""
        return ReelsSimulator(self, seed)


@dataclass
class _Watched:
    """A reel as the player sees it."""

    plan: int | None = None
    """The stop that he brings it to; None where he does not want to stop it."""
    turning_since_ns: int = -1
    """-1 while it is stopped."""
    stepped_ns: int = -NS_PER_S
    pressed_ns: int = -10 * NS_PER_S


class BoardAcceptor:
    """The acceptor on a board of the reels, and who puts tokens into it."""

    def __init__(self, plan: Callable[[int, Happening], None]) -> None:
        """`plan(t_ns, happening)` has something happen at a time."""
        self.tokens_ns: list[int] = []
        """When each token that a player put in is in: the truth."""
        self._plan = plan

    def pay_in(self, at_s: float, rng: Random) -> Sequence[Edge]:
        """A player puts a token in, and again if it comes back."""
        del rng  # the pulse is the acceptor's
        self.insert(ns(at_s), again=True)
        return ()

    def put_in(self, at_s: float, step_s: float) -> Sequence[Edge]:
        """A token goes in, or comes back."""
        del step_s
        self.insert(ns(at_s))
        return ()

    def insert(self, t_ns: int, *, again: bool = False) -> None:
        """Somebody puts a token in, and `again` if it comes back."""

        def happens(simulator: ReelsSimulator, at_ns: int) -> None:
            if simulator.takes_token(at_ns):
                self.tokens_ns.append(at_ns)
            elif again:
                self.insert(at_ns + ns(AGAIN_IN_S), again=True)

        self._plan(t_ns, happens)


class ReelsSimulator:
    """One machine in virtual time; see `simulators.base.truth` and `simulators.base.answering`."""

    def __init__(self, geometry: Geometry, seed: int) -> None:
        if not isinstance(geometry, ReelsGeometry):
            raise GeometryError(f"a skill-stop reel cannot use a {type(geometry).__name__}")
        self.geometry: ReelsGeometry = geometry
        rng = Random(f"{seed}/reels")
        numbers = geometry.play.numbers
        self.bodies = {number: ReelBody(geometry.steps, rng.randrange(geometry.steps)) for number in numbers}
        self._tokens = ChuteOrCoins(geometry.play.coins, seed)
        self.acceptor = BoardAcceptor(self.plan) if geometry.acceptor else None
        """The acceptor on its first board, if it has one."""
        self._way_in: WayIn = self._tokens if self.acceptor is None else self.acceptor
        self._scripts = PlayScripts(geometry.play, self._way_in, seed, QUIET_AT_START_S)
        self._in_s = IN_S if self.coins is None else NOTICED_S
        self._accepts = False
        """Whether an emulated board lets its acceptor take tokens."""
        self.told_ns = 0
        """Up to when the reels have turned."""
        self.boards = {link: self._board(link) for link in links_of(geometry.play.reels)}
        self._on_boards = False
        """Whether emulated boards step the motors."""
        self._watched = {number: _Watched() for number in numbers}
        self._home = dict.fromkeys(numbers, -1)
        self._happenings = Happenings[ReelsSimulator]()
        self._upcoming = Upcoming()
        self._planned: list[Edge] = []
        """Edges of the buttons that are still to come."""
        self._player_ns = NEVER_NS
        """From then on the player stops reels."""
        self._last_press_ns = 0

    @property
    def coins(self) -> CoinEquipment | None:
        """Acceptor and hopper on a bus, if it has them."""
        return self._tokens.equipment

    @property
    def tokens_ns(self) -> list[int]:
        """When each token that a player put in is in: the truth."""
        return self._way_in.tokens_ns

    def _board(self, link: str) -> ReelBoard:
        def home(number: int) -> int:
            return self.bodies[reel_at(link, number)].home

        def stepped(number: int, t_ns: int) -> None:
            self._stepped(reel_at(link, number), t_ns)

        here = [number for number in self.bodies if place_of(number)[0] == link]
        return ReelBoard(link, home, stepped, len(here))

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name."""
        own = [line(number) for number in self.bodies for line in (home_line, stop_line)]
        tokens = (TOKEN_LINE,) if self.geometry.acceptor else self._tokens.lines
        return (*own, *self.boards, *tokens, DOOR)

    def start(self) -> Batch:
        """Every line at time 0, and some quiet."""
        edges = [Edge(line, 0, 0) for line in (OUTER_OPTO, INNER_OPTO, TOKEN_LINE, DOOR) if line in self.lines]
        for number, body in self.bodies.items():
            self._home[number] = body.home
            edges += [Edge(home_line(number), body.home, 0), Edge(stop_line(number), 0, 0)]
        for board in self.boards.values():
            board.begin(REPORTED_NS)
        self.told_ns = REPORTED_NS // 2
        return Batch(edges, [], self.told_ns)

    def round(self, fault: str | None = None) -> SimRound:
        """The next play, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        script, at_s = self._scripts.begin(fault, self.geometry)
        at_s = self._before(script, at_s)
        script.pay_in(at_s)
        plans = self._plans(script)
        player_s = self._in_play(script, at_s + self._in_s)
        self._player_ns = ns(player_s)
        for number, plan in enumerate(plans, 1):
            self._watched[number] = _Watched(plan, self._watched[number].turning_since_ns)
        play = self.geometry.play
        turns_s = (LOOKS_S + 2 * self.geometry.turn_s + ALIGN_S + AGAIN_S) * play.reels
        end_s = player_s + turns_s + (play.longest_s + 5.0 if None in plans else 2.0)
        return self._scripts.played(script, plans, end_s)

    def _plans(self, script: PlayScript) -> list[int | None]:
        """Where the player brings each reel: what he wants, and by how much he misses it."""
        geometry, play = self.geometry, self.geometry.play
        missed_symbols = geometry.skill_s * geometry.steps_per_s * play.symbols / geometry.steps
        stops = play.wanted(missed_symbols, script.rng)
        return stopped_by_player(script.name, list(stops))

    # --- what goes wrong -------------------------------------------------------------------------------------------

    def plan(self, t_ns: int, happening: Happening) -> None:
        """Something happens at a time."""
        self._happenings.plan(t_ns, happening)

    def _before(self, script: PlayScript, at_s: float) -> float:
        """What happens before the token of the play; returns when that comes."""
        wrong = BEFORE_PLAY.get(script.name)
        return at_s if wrong is None else wrong(self, script, at_s)

    def _in_play(self, script: PlayScript, at_s: float) -> float:
        """What happens in the play; returns when the player begins to stop reels."""
        stops_s = at_s + LOOKS_S + script.rng.uniform(0.0, 0.5)
        wrong = IN_PLAY.get(script.name)
        if wrong is None:
            return stops_s
        return wrong(self, script, Spun(at_s - self._in_s, at_s, at_s + self.geometry.turn_s + 0.4, stops_s))

    def unplug_home(self, reel: int, t_ns: int) -> None:
        """The cable of a home sensor comes out."""
        self._upcoming.rare.append(EdgesLost(home_line(reel), Loss.UNPLUGGED, t_ns))

    def plug_home(self, reel: int, t_ns: int) -> None:
        """The cable of a home sensor is put back."""
        self._home[reel] = -1
        self.look(reel, t_ns)

    def lose_board(self, t_ns: int) -> None:
        """The first board is gone."""
        board = next(iter(self.boards.values()))
        board.lose()
        self._upcoming.rare.append(EdgesLost(board.link, Loss.UNPLUGGED, t_ns))

    def find_board(self, t_ns: int) -> None:
        """The first board is there again."""
        next(iter(self.boards.values())).begin(t_ns)

    def takes_token(self, t_ns: int) -> bool:
        """A token is put into the acceptor on the first board; returns whether it is taken."""
        taken = self._accepts if self._on_boards else self.boards[place_of(1)[0]].insert(t_ns)
        if taken:
            self._upcoming.edges += [Edge(TOKEN_LINE, 1, t_ns), Edge(TOKEN_LINE, 0, t_ns + TOKEN_NS)]
        return taken

    # --- what the controller has the reels do ------------------------------------------------------------------------

    def command(self, output: Output) -> None:
        """The reels are commanded; or a motor of an emulated board makes a step."""
        if self.coins is not None:
            self.coins.command(output)
        if isinstance(output, SendFrame) and output.link in self.boards and not self._on_boards:
            self.boards[output.link].command(output.data, max(output.t_ns, self.told_ns))
            self._take_frames()
        elif isinstance(output, RunMotor):
            link, _, local = output.motor.partition(".")
            if local == "accept":
                self._accepts = output.speed != 0
            elif link in self.boards:
                self._on_boards = True
                if output.speed:
                    self._stepped(reel_at(link, int(local)), output.t_ns)

    @property
    def next_answer_ns(self) -> int | None:
        """The next thing that happens."""
        times = [self._upcoming.next_ns, self._happenings.next_ns, *(edge.t_ns for edge in self._planned)]
        coins_ns = None if self.coins is None else self.coins.next_answer_ns
        times += [] if coins_ns is None else [coins_ns]
        if not self._on_boards:
            times += [board.next_ns for board in self.boards.values() if not board.turning]
            if any(board.turning for board in self.boards.values()):
                times.append(self.told_ns + TICK_NS)
        first_ns = min(times)
        return None if first_ns >= NEVER_NS else max(first_ns, self.told_ns)

    def answers(self, until_ns: int) -> Batch:
        """What the reels, the player and the coin equipment do up to then; each of it once."""
        while True:
            press = min(self._planned, key=lambda edge: edge.t_ns, default=None)
            board = min(self.boards.values(), key=lambda one: one.next_ns)
            times = (
                self._happenings.next_ns,
                press.t_ns if press is not None else NEVER_NS,
                board.next_ns if not self._on_boards else NEVER_NS,
            )
            t_ns = min(times)
            if t_ns > until_ns:
                break
            if t_ns == times[0]:
                self._happenings.happen(self)
            elif press is not None and t_ns == times[1]:
                self._planned.remove(press)
                self._button(press)
            else:
                board.run_next()
                self._take_frames()
        self.told_ns = max(self.told_ns, until_ns)
        return self._upcoming.take(until_ns, self.coins)

    def _take_frames(self) -> None:
        for board in self.boards.values():
            taken: list[Frame] = board.frames
            self._upcoming.rare += taken
            board.frames = []

    def _button(self, edge: Edge) -> None:
        self._upcoming.edges.append(edge)
        number = int(edge.line.removeprefix("stop_"))
        link, local = place_of(number)
        if edge.level:
            self.boards[link].press(local, edge.t_ns)
        else:
            self.boards[link].let_go(local, edge.t_ns)

    def _stepped(self, number: int, t_ns: int) -> None:
        """A motor made a step: its reel follows, its home sensor sees it, and the player looks."""
        watched = self._watched[number]
        if t_ns - watched.stepped_ns > NS_PER_S // 10:
            watched.turning_since_ns = t_ns
        watched.stepped_ns = t_ns
        self.bodies[number].step(t_ns)
        self.look(number, t_ns)
        self._play(number, watched, t_ns)

    def look(self, number: int, t_ns: int) -> None:
        """The home sensor of a reel sees where it is."""
        level = self.bodies[number].home
        if level != self._home[number]:
            self._home[number] = level
            self._upcoming.edges.append(Edge(home_line(number), level, t_ns))

    def press(self, number: int, t_ns: int, for_ns: int) -> None:
        """Somebody presses a button."""
        self._planned += [Edge(stop_line(number), 1, t_ns), Edge(stop_line(number), 0, t_ns + for_ns)]

    def turns(self, number: int) -> bool:
        """Whether a reel turns at speed, and nothing stops it yet."""
        link, local = place_of(number)
        return self.boards[link].turns(local)

    def pass_to(self, t_ns: int) -> None:
        """The next play begins no sooner."""
        self._scripts.pass_to(t_ns)

    # --- the player --------------------------------------------------------------------------------------------------

    def _play(self, number: int, watched: _Watched, t_ns: int) -> None:
        """Presses a button when its reel is where the planned stop follows from it."""
        if watched.plan is None or t_ns < self._player_ns:
            return
        looked = t_ns >= watched.turning_since_ns + ns(LOOKS_S + self.geometry.turn_s)
        again = t_ns >= watched.pressed_ns + ns(AGAIN_S)
        if not looked or not again or self._turns_before(number):
            return
        geometry = self.geometry
        symbols = geometry.play.symbols
        target = watched.plan * geometry.steps // symbols
        least = stopping_steps(geometry.steps_per_s)
        half = geometry.steps // symbols // 2
        if self.bodies[number].place != (target - least - half) % geometry.steps:
            return
        watched.pressed_ns = self._last_press_ns = t_ns
        self.press(number, t_ns + 100_000, ns(PRESS_S))

    def _turns_before(self, number: int) -> bool:
        """Whether he has not stopped the reel before this one: he stops them one after the other."""
        before = self._watched.get(number - 1)
        return before is not None and before.plan is not None and before.pressed_ns < 0
