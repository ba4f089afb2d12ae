"""A simulated skill-stop reel: a player who puts a token in and stops the reels, and what goes wrong.

    token ──► the controller spins the reels ──► the player waits for his symbol, and presses ──► they stand

What the reels do follows from the controller's commands, so they are answers (see `simulators.base.answering`). The
player plans where each reel is to stand: the symbol he wants, and by how much he misses it, which is his skill. He
presses each button when its reel is where that stop follows, and again where a press had no effect. On an emulated
board, whose own program steps the motors, he watches those steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from drivers.reels.reels_wire import TOKEN_LINE, home_line, links_of, place_of, reel_at, stop_line, stopping_steps
from hal.clock import NS_PER_S
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Output, Rare, RunMotor, SendFrame
from simulators.base.faults import SimulatedFault, fault_named
from simulators.base.geometry import Geometry, GeometryError
from simulators.base.spun_reels import Parks, parked_at_home, stopped_by_player, truth_of_stops, wanted_stops
from simulators.base.truth import SimRound
from simulators.coins.equipment import CoinEquipment, CoinGeometry
from simulators.coins.patron import DOOR, INNER_OPTO, OUTER_OPTO, PASS_S, cleared, ns, ordered, token_edges
from simulators.reels.board import NEVER_NS, TOKEN_NS, ReelBoard
from simulators.reels.body import ReelBody

GAMES: Final = ("skill_stop_reel",)
QUIET_AT_START_S: Final = 8.0
"""Before the first token: the reels are brought back first (ours)."""
REPORTED_NS: Final = 50_000_000
"""When the boards report for the first time (ours)."""
BETWEEN_S: Final = (1.0, 2.5)
IN_S: Final = 0.2
"""A token that is put in is past both optos by then."""
NOTICED_S: Final = 0.6
"""A token in an acceptor is known so soon: two polls of 0.2 s, and their answers."""
AGAIN_IN_S: Final = 0.5
"""A token that came back is put in again so much later (ours)."""
PRESS_S: Final = 0.12
LOOKS_S: Final = 0.3
"""The player looks for a turn, and so long, before he presses (ours): by then the button works."""
AGAIN_S: Final = 0.7
"""A reel that turns on so long after its press is pressed for again (ours)."""
ALIGN_S: Final = 0.4
"""At most so long after one press the next one may come, beside the turn that it waits for (ours)."""
TICK_NS: Final = 20_000_000
"""How far the turning is told at a time (ours)."""
FOR_FAULT_S: Final = 7.0
"""What goes wrong in a play is found, mended and cleared within so long (ours)."""
MOVED: Final = 37
"""Steps by which a hand turns a reel."""
SLIPPED: Final = 8
SLIPPED_LITTLE: Final = 3


def _needs_chute(geometry: Geometry) -> str | None:
    """When an acceptor reports its token is not known to the player, nor when the reels begin."""
    return "a chute" if isinstance(geometry, ReelsGeometry) and geometry.coins is not None else None


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
        "Every button is pressed as the reels begin, too.",
        "The outcome: such a press stops nothing.",
        _needs_chute,
    ),
    _fault(
        "button_held", True, "Button 1 is held for long before the play.", "A fault: sensor_stuck; then the outcome."
    ),
    _fault(
        "token_while_spinning",
        True,
        "A second token is put in while the reels spin.",
        "Paid by hand; the outcome of the first.",
    ),
    _fault("token_in_test", True, "The attendant tests with a token.", "Nothing counts; then the outcome."),
    _fault(
        "reel_jammed",
        True,
        "Reel 2 sticks while it turns, and is freed.",
        "A fault: reel_jammed; the outcome after it is cleared.",
    ),
    _fault(
        "reel_slips",
        True,
        "Reel 1 slips by more than half a symbol.",
        "A fault: reel_slipped; the outcome after it is cleared.",
    ),
    _fault("reel_slips_little", True, "Reel 1 slips by less than half a symbol, before it is stopped.", "The outcome."),
    _fault(
        "reel_moved",
        True,
        "A hand turns reel 3 while it stands.",
        "A fault: reel_moved; the outcome after it is cleared.",
    ),
    _fault(
        "reel_heavy",
        True,
        "Reel 1 has twice its mass, and loses steps as it begins.",
        "A fault: reel_moved or reel_slipped; the outcome after it is mended.",
    ),
    _fault(
        "home_blind",
        False,
        "The home sensor of reel 3 sees nothing.",
        "A fault: reel_jammed; the outcome after it is mended.",
    ),
    _fault(
        "home_blocked",
        False,
        "Something lies in the home sensor of reel 1.",
        "A fault: reel_slipped or reel_home_blocked; the outcome after it is removed.",
    ),
    _fault(
        "home_unplugged",
        False,
        "The cable of a home sensor comes out for a moment.",
        "A fault: sensor_missing; the outcome.",
    ),
    _fault(
        "board_lost",
        False,
        "The board of the reels is gone for two seconds.",
        "A fault: reel_not_answering; the outcome after it is cleared.",
    ),
    _fault("door_opened", True, "The door is opened and closed in the play.", "The outcome, after the door is closed."),
)
"""What can go wrong at the machine: its player, its reels, its cables."""
IN_PLAY: Final = frozenset(
    {"reel_jammed", "reel_slips", "reel_heavy", "home_blind", "home_blocked", "home_unplugged", "board_lost"}
)
"""Those that stop a play that has begun: the player begins once that is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReelsGeometry:
    """A skill-stop reel, and the skill of its player."""

    game: str
    no_more_bets_button: bool = False
    settled_button: bool = False
    reels: int = 3
    symbols: int = 20
    steps: int = 200
    steps_per_s: int = 200
    spin_s: float = 0.5
    """A button stops nothing before."""
    longest_s: float = 20.0
    """The player's time."""
    aims: tuple[tuple[tuple[int, ...], ...], ...] = ()
    """What the player may want: combinations, each as the stops that suit at each reel; without one, home."""
    parks: Parks = parked_at_home
    """Where the house parks the reels that the player leaves."""
    coins: CoinGeometry | None = None
    """Acceptor and hopper, in place of the chute; None where tokens go into a chute, and awards are paid by hand."""
    acceptor: bool = False
    """Whether tokens come in by an acceptor on the first board."""
    skill_s: float = 0.03
    """The player's timing error: the standard deviation of a press, in seconds (ours)."""

    def __post_init__(self) -> None:
        if not 3 <= self.reels <= 5:
            raise GeometryError(f"reels is 3 to 5, not {self.reels}")
        if not 0 < 2 * self.symbols <= self.steps:
            raise GeometryError(f"symbols is 1 to half of {self.steps} steps, not {self.symbols}")

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
    """-1 while it stands."""
    stepped_ns: int = -NS_PER_S
    pressed_ns: int = -10 * NS_PER_S


@dataclass
class _Act:
    """Something that happens to the reels at a time."""

    t_ns: int
    what: str
    reel: int
    amount: int = 0
    done: bool = field(default=False)


class ReelsSimulator:
    """One machine in virtual time; see `simulators.base.truth` and `simulators.base.answering`."""

    def __init__(self, geometry: Geometry, seed: int) -> None:
        if not isinstance(geometry, ReelsGeometry):
            raise GeometryError(f"a skill-stop reel cannot use a {type(geometry).__name__}")
        self.geometry: ReelsGeometry = geometry
        self.tokens_ns: list[int] = []
        """When each token that a player put in is in: the truth."""
        rng = Random(f"{seed}/reels")
        numbers = range(1, geometry.reels + 1)
        self.bodies = {number: ReelBody(geometry.steps, rng.randrange(geometry.steps)) for number in numbers}
        self.coins = None if geometry.coins is None else CoinEquipment(geometry.coins, seed)
        """Acceptor and hopper, if it has them."""
        self.returned = 0
        """Tokens that the board's acceptor gave back."""
        self._accepts = False
        """Whether an emulated board lets its acceptor take tokens."""
        self._in_s = IN_S if self.coins is None else NOTICED_S
        self._seed = seed
        self._number = 0
        self._now_s = 0.0
        self.told_ns = 0
        """Up to when the reels have turned."""
        self.boards = {link: self._board(link) for link in links_of(geometry.reels)}
        self._on_boards = False
        """Whether emulated boards step the motors."""
        self._watched = {number: _Watched() for number in numbers}
        self._home = dict.fromkeys(numbers, -1)
        self._acts: list[_Act] = []
        self._edges: list[Edge] = []
        self._rare: list[Rare] = []
        self._planned: list[Edge] = []
        """Edges of the buttons that are still to come."""
        self._player_ns = NEVER_NS
        """From then on the player stops reels."""
        self._last_press_ns = 0

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
        chute = (OUTER_OPTO, INNER_OPTO) if self.coins is None else self.coins.links
        tokens = (TOKEN_LINE,) if self.geometry.acceptor else chute
        return (*own, *self.boards, *tokens, DOOR)

    def start(self) -> Batch:
        """Every line at time 0, and some quiet."""
        self._now_s = QUIET_AT_START_S
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
        name = fault_named(fault or "none", self.geometry).name
        self._number += 1
        rng = Random(f"{self._seed}/play/{self._number}")
        edges: list[Edge] = []
        rare: list[Rare] = []
        at_s = self._before(name, self._now_s + rng.uniform(*BETWEEN_S), edges, rare, rng)
        edges += self._paid_in(at_s, rng)
        plans = self._plans(name, rng)
        player_s = self._in_play(name, at_s + self._in_s, edges, rare, rng)
        self._player_ns = ns(player_s)
        for number, plan in enumerate(plans, 1):
            self._watched[number] = _Watched(plan, self._watched[number].turning_since_ns)
        stops = tuple(self.geometry.parks(plans))
        forced = None in plans
        turns_s = (LOOKS_S + 2 * self.geometry.turn_s + ALIGN_S + AGAIN_S) * self.geometry.reels
        end_s = player_s + turns_s + (self.geometry.longest_s + 5.0 if forced else 2.0)
        self._now_s = end_s
        edges.sort(key=lambda edge: edge.t_ns)
        rare.sort(key=lambda value: value.t_ns)
        return SimRound(Batch(edges, rare, ns(end_s)), truth_of_stops(stops, name), self._number, fault)

    def _plans(self, name: str, rng: Random) -> list[int | None]:
        """Where the player brings each reel: what he wants, and by how much he misses it."""
        geometry = self.geometry
        stops = wanted_stops(
            geometry.aims,
            geometry.reels,
            geometry.symbols,
            geometry.skill_s,
            lambda seconds: seconds * geometry.steps_per_s * geometry.symbols / geometry.steps,
            rng,
        )
        return stopped_by_player(name, list(stops))

    # --- what goes wrong -------------------------------------------------------------------------------------------

    def _before(self, name: str, at_s: float, edges: list[Edge], rare: list[Rare], rng: Random) -> float:
        """What happens before the token of the play; returns when that comes."""
        if name == "button_held":
            self._planned += [Edge(stop_line(1), 1, ns(at_s)), Edge(stop_line(1), 0, ns(at_s + 6.0))]
            return self._clear(REELS, at_s + 6.5, rare) + 4.0
        if name == "token_in_test":
            self._order("test_begin", at_s, rare)
            edges += self._token(at_s + 0.5, rng.uniform(*PASS_S))
            self._order("test_end", at_s + 2.0, rare)
            return at_s + 3.0 + 4.0
        if name == "reel_moved":
            self._acts.append(_Act(ns(at_s), "slip", 3, MOVED if rng.random() < 0.5 else -MOVED))
            return self._clear(REELS, at_s + 1.0, rare) + 4.0
        return at_s

    def _in_play(self, name: str, at_s: float, edges: list[Edge], rare: list[Rare], rng: Random) -> float:
        """What happens in the play; returns when the player begins to stop reels."""
        begun_s = at_s + LOOKS_S + rng.uniform(0.0, 0.5)
        wrong_s = at_s + self.geometry.turn_s + 0.4
        if name == "press_too_early":
            for number in self.bodies:
                self._planned += self._press(number, ns(at_s + 0.15 + 0.02 * number), rng)
        if name == "token_while_spinning":
            edges += self._paid_in(at_s + 0.6, rng)
            if self.coins is None:
                self._order("hand_pay", at_s + 2.0, rare)
        if name in ("reel_slips", "reel_slips_little"):
            amount = SLIPPED_LITTLE if name == "reel_slips_little" else rng.choice((-SLIPPED, SLIPPED))
            self._acts.append(_Act(ns(wrong_s), "slip", 1, amount))
        if name in ("reel_jammed", "home_blind", "home_blocked", "reel_heavy"):
            what = {"reel_jammed": "stuck", "home_blind": "blind", "home_blocked": "covered", "reel_heavy": "heavy"}[
                name
            ]
            reel = {"reel_jammed": 2, "home_blind": 3}.get(name, 1)
            begins_s = at_s - self._in_s + 0.01 if name == "reel_heavy" else wrong_s
            self._acts.append(_Act(ns(begins_s), what, reel, 1))
            self._acts.append(_Act(ns(wrong_s + FOR_FAULT_S - 2.0), what, reel, 0))
        if name == "home_unplugged":
            rare.append(EdgesLost(home_line(1), Loss.UNPLUGGED, ns(wrong_s)))
            self._acts.append(_Act(ns(wrong_s + 1.0), "plugged", 1))
        if name == "board_lost":
            self._acts.append(_Act(ns(wrong_s), "lose", 1))
            self._acts.append(_Act(ns(wrong_s + 2.0), "back", 1))
        if name == "door_opened":
            edges += [Edge(DOOR, 1, ns(wrong_s)), Edge(DOOR, 0, ns(wrong_s + rng.uniform(1.0, 3.0)))]
        if name == "door_opened":
            return wrong_s + FOR_FAULT_S
        if name in IN_PLAY or name == "reel_moved":
            self._clear(REELS, wrong_s + FOR_FAULT_S - 1.5, rare)
            return wrong_s + FOR_FAULT_S + 2.0 * self.geometry.turn_s + 1.0
        if name == "reel_slips_little":
            return wrong_s + 2.0 * self.geometry.turn_s
        return begun_s

    def _act(self, act: _Act) -> None:
        body, board = self.bodies[act.reel], next(iter(self.boards.values()))
        if act.what == "slip":
            body.slip(act.amount)
        elif act.what == "stuck":
            body.stuck = bool(act.amount)
        elif act.what == "blind":
            body.blind = bool(act.amount)
        elif act.what == "covered":
            body.covered = bool(act.amount)
        elif act.what == "heavy":
            body.heavy = 2.0 if act.amount else 1.0
        elif act.what == "plugged":
            self._home[act.reel] = -1
        elif act.what == "token":
            self._insert(act)
            return
        elif act.what == "lose":
            board.lose()
            self._rare.append(EdgesLost(board.link, Loss.UNPLUGGED, act.t_ns))
        else:
            board.begin(act.t_ns)
        self.look(act.reel, act.t_ns)

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
        times = [value.t_ns for queue in (self._edges, self._rare, self._planned) for value in queue]
        times += [act.t_ns for act in self._acts if not act.done]
        coins_ns = None if self.coins is None else self.coins.next_answer_ns
        times += [] if coins_ns is None else [coins_ns]
        if not self._on_boards:
            times += [board.next_ns for board in self.boards.values() if not board.turning]
            if any(board.turning for board in self.boards.values()):
                times.append(self.told_ns + TICK_NS)
        first_ns = min(times, default=NEVER_NS)
        return None if first_ns >= NEVER_NS else max(first_ns, self.told_ns)

    def answers(self, until_ns: int) -> Batch:
        """What the reels, the player and the coin equipment do up to then; each of it once."""
        done = self._run(until_ns)
        if self.coins is None:
            return done
        rare = sorted([*done.rare, *self.coins.answers(until_ns)], key=lambda value: value.t_ns)
        return Batch(done.edges, rare, until_ns)

    def _run(self, until_ns: int) -> Batch:
        while True:
            acts = [act for act in self._acts if not act.done]
            act = min(acts, key=lambda one: one.t_ns, default=None)
            press = min(self._planned, key=lambda edge: edge.t_ns, default=None)
            board = min(self.boards.values(), key=lambda one: one.next_ns)
            times = (
                act.t_ns if act is not None else NEVER_NS,
                press.t_ns if press is not None else NEVER_NS,
                board.next_ns if not self._on_boards else NEVER_NS,
            )
            t_ns = min(times)
            if t_ns > until_ns:
                break
            if act is not None and t_ns == times[0]:
                act.done = True
                self._act(act)
            elif press is not None and t_ns == times[1]:
                self._planned.remove(press)
                self._button(press)
            else:
                board.run_next()
                self._take_frames()
        self._acts = [act for act in self._acts if not act.done]
        self.told_ns = max(self.told_ns, until_ns)
        edges = sorted((edge for edge in self._edges if edge.t_ns <= until_ns), key=lambda edge: edge.t_ns)
        self._edges = [edge for edge in self._edges if edge.t_ns > until_ns]
        rare = sorted((value for value in self._rare if value.t_ns <= until_ns), key=lambda value: value.t_ns)
        self._rare = [value for value in self._rare if value.t_ns > until_ns]
        return Batch(edges, rare, until_ns)

    def _take_frames(self) -> None:
        for board in self.boards.values():
            taken: list[Frame] = board.frames
            self._rare += taken
            board.frames = []

    def _button(self, edge: Edge) -> None:
        self._edges.append(edge)
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
            self._edges.append(Edge(home_line(number), level, t_ns))

    def press(self, number: int, t_ns: int, for_ns: int) -> None:
        """Somebody presses a button, beside the player."""
        self._planned += [Edge(stop_line(number), 1, t_ns), Edge(stop_line(number), 0, t_ns + for_ns)]

    def insert(self, t_ns: int) -> None:
        """Somebody puts a token into the board's acceptor, beside the player."""
        self._acts.append(_Act(t_ns, "token", 1))

    def turns(self, number: int) -> bool:
        """Whether a reel turns at speed, and nothing stops it yet."""
        link, local = place_of(number)
        return self.boards[link].turns(local)

    def pass_to(self, t_ns: int) -> None:
        """The next play begins no sooner."""
        self._now_s = max(self._now_s, t_ns / NS_PER_S)

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
        target = watched.plan * geometry.steps // geometry.symbols
        least = stopping_steps(geometry.steps_per_s)
        half = geometry.steps // geometry.symbols // 2
        if self.bodies[number].place != (target - least - half) % geometry.steps:
            return
        watched.pressed_ns = self._last_press_ns = t_ns
        self._planned += self._press(number, t_ns + 100_000, None)

    def _turns_before(self, number: int) -> bool:
        """Whether he has not stopped the reel before this one: he stops them one after the other."""
        before = self._watched.get(number - 1)
        return before is not None and before.plan is not None and before.pressed_ns < 0

    def _press(self, number: int, t_ns: int, rng: Random | None) -> list[Edge]:
        held_ns = ns(PRESS_S if rng is None else rng.uniform(0.05, 0.1))
        return [Edge(stop_line(number), 1, t_ns), Edge(stop_line(number), 0, t_ns + held_ns)]

    # --- wires -------------------------------------------------------------------------------------------------------

    def _paid_in(self, at_s: float, rng: Random) -> list[Edge]:
        """A player puts a token in."""
        if self.geometry.acceptor:
            self._acts.append(_Act(ns(at_s), "token", 1, amount=1))
            return []
        edges = self._token(at_s, rng.uniform(*PASS_S))
        self.tokens_ns.append(edges[-1].t_ns if edges else ns(at_s))
        return edges

    def _insert(self, act: _Act) -> None:
        """A token goes into the board's acceptor, or comes back; a player puts it in again (`amount`)."""
        board = self.boards[place_of(1)[0]]
        if self._accepts if self._on_boards else board.insert(act.t_ns):
            self.tokens_ns.append(act.t_ns)
            self._edges += [Edge(TOKEN_LINE, 1, act.t_ns), Edge(TOKEN_LINE, 0, act.t_ns + TOKEN_NS)]
            return
        self.returned += 1
        if act.amount:
            self._acts.append(_Act(act.t_ns + ns(AGAIN_IN_S), "token", 1, amount=1))

    def _token(self, at_s: float, step_s: float) -> list[Edge]:
        """A token goes in: the edges of the chute, where it has one."""
        if self.coins is not None:
            self.coins.insert(ns(at_s))
            return []
        if self.geometry.acceptor:
            self._acts.append(_Act(ns(at_s), "token", 1))
            return []
        return token_edges(at_s, step_s)

    def _clear(self, device: str, at_s: float, rare: list[Rare]) -> float:
        """The attendant clears a device's faults; returns when play can go on."""
        rare.append(cleared(device, at_s + 0.5))
        return at_s + 1.0

    def _order(self, verb: str, at_s: float, rare: list[Rare], *given: tuple[str, str]) -> None:
        rare.append(ordered(verb, at_s, *given))


REELS: Final = "reels"
"""The device whose faults the attendant clears."""
