"""A simulated token pusher: players who put tokens in, a bed that lets some fall, and what goes wrong.

    token ──► chute ──► bed ──► falls within some seconds ──► the play ends by its time

A round is one play. What the attendant does after a fault is part of the round: the orders that a person would send.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from hal.clock import NS_PER_S
from hal.values import Batch, Command, Edge, EdgesLost, Loss, Rare
from simulators.base.faults import SimulatedFault, fault_named
from simulators.base.geometry import Geometry, GeometryError
from simulators.base.sensors import press, settle_order
from simulators.base.truth import SimRound, Truth
from simulators.coins.equipment import CoinGeometry
from simulators.pusher.bed import Bed

OUTER_OPTO: Final = "token_in_1"
INNER_OPTO: Final = "token_in_2"
SHAFT: Final = "shelf_shaft"
FALL: Final = {"player": "fall_player", "house": "fall_house"}
TILT: Final = "tilt"
DOOR: Final = "door"
BED_LINES: Final = (SHAFT, *FALL.values(), TILT, DOOR)
LINES: Final = (OUTER_OPTO, INNER_OPTO, *BED_LINES)
ATTENDANT: Final = "simulated-attendant"
SHAFT_S: Final = 0.25
"""From one pulse of the shaft to the next (ours)."""
PASS_S: Final = (0.015, 0.05)
"""From one opto of the chute to the other (ours)."""
FALL_S: Final = (0.008, 0.03)
"""How long a token covers a fall sensor (ours)."""
FALLS_WITHIN_S: Final = 4.0
"""After its token, what falls falls this soon (ours)."""
APART_S: Final = 0.3
"""So far a tilt is from a fall (ours): the bob counts when it has touched for a while."""
BETWEEN_S: Final = (0.6, 2.5)
"""From the end of a play to the next token (ours)."""


def named(name: str, physical: bool, explanation: str, expected: str) -> SimulatedFault:
    """A named fault of token pushers."""
    return SimulatedFault(name, physical, explanation, expected)


NOTHING: Final = named("none", True, "Nothing goes wrong.", "The outcome.")
CHUTE_FAULTS: Final = (
    named("token_on_string", True, "A token on a string is drawn back and forth.", "A fault: token_stringed."),
    named("token_pulled_back", True, "A token is pulled out of the chute again.", "A fault: token_backwards."),
    named("token_jam", True, "A token sticks in the chute, and is taken out.", "A fault: token_jam."),
    named("coin_at_mouth", True, "A token is held to the mouth, and taken away.", "Nothing; then the outcome."),
    named("opto_blind", False, "The outer opto of the chute does not see a token.", "A fault: token_in_doubt."),
    named("chute_unplugged", False, "The cable of the chute comes out for a moment.", "A fault: sensor_missing."),
    named("token_in_test", True, "The attendant tests with a token.", "Nothing counts; then the outcome."),
    named("token_while_shut", True, "A token is put in while the machine is shut.", "Paid by hand; then the outcome."),
)
"""What can go wrong where the tokens go through a chute with optos."""
BED_FAULTS: Final = (
    named("shelf_stalled", True, "Something blocks the shelf for a while.", "A fault: shelf_stalled; the outcome."),
    named("tilted", True, "The player pushes the machine.", "The outcome at the tilt; a fault: tilt."),
    named("door_opened", True, "The door is opened and closed in the play.", "The outcome, after the door is closed."),
    named("fall_stuck", False, "A token is in a fall sensor.", "A fault: sensor_stuck; the outcome."),
    named("fall_noise", False, "Spikes on the line of a fall sensor.", "The outcome."),
)
"""What can go wrong at the bed, at the door and with its players."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PusherGeometry:
    """A token pusher."""

    no_more_bets_button: bool = False
    settled_button: bool = False
    play_s: float = 8.0
    """After this long without another token a play ends."""
    stall_s: float = 1.5
    """The controller reports a shelf without a pulse for this long."""
    stuck_s: float = 1.0
    """… and a fall sensor that is covered for this long."""
    jam_s: float = 1.0
    """… and an opto of the chute."""
    coins: CoinGeometry | None = None
    """The acceptor and hopper in place of the chute; None where it has a chute."""
    board: str | None = None
    """The name of the messages of its own board; None where its sensors are lines."""

    def __post_init__(self) -> None:
        if self.play_s < 2.0:
            raise GeometryError(f"play_s is at least 2, not {self.play_s}")

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault, `none` first."""
        if self.board is not None:
            from simulators.pusher.board_table import BOARD_FAULTS

            return (NOTHING, *BOARD_FAULTS)
        if self.coins is None:
            return (NOTHING, *BED_FAULTS, *CHUTE_FAULTS)
        from simulators.pusher.coin_table import COIN_FAULTS

        return (NOTHING, *BED_FAULTS, *COIN_FAULTS)

    def simulator(self, seed: int) -> PusherSimulator:
        """A machine that plays it. Equal seeds give equal plays."""
        if self.board is not None:
            from simulators.pusher.board_table import BoardPusherSimulator

            return BoardPusherSimulator(self, seed)
        if self.coins is None:
            return PusherSimulator(self, seed)
        from simulators.pusher.coin_table import CoinPusherSimulator

        return CoinPusherSimulator(self, seed)


class GoOn(NamedTuple):
    """A play that goes on."""

    from_s: float
    left_s: float
    """How much of its time is left then, or a little more."""


class PusherSimulator:
    """One machine in virtual time; see `simulators.base.truth.TableSimulator`."""

    noticed_s: float = 0.0
    """How long after a token is in the machine may learn of it."""
    voided: frozenset[str] = frozenset()
    """The faults whose play a person makes void."""
    quiet_at_start_s: float = 1.0

    def __init__(self, geometry: Geometry, seed: int) -> None:
        if not isinstance(geometry, PusherGeometry):
            raise GeometryError(f"a token pusher cannot use a {type(geometry).__name__}")
        self.geometry: PusherGeometry = geometry
        self.bed = Bed(Random(f"{seed}/bed"))
        self.tokens_in = 0
        """Tokens in the machine that players put in: the truth."""
        self.to_player = 0
        self.to_house = 0
        self._seed = seed
        self._number = 0
        self._now_s = 0.0
        self._shaft_s = 0.05
        self._edges: list[Edge] = []
        self._rare: list[Rare] = []

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name."""
        return self._levels_at_rest

    @property
    def _levels_at_rest(self) -> tuple[str, ...]:
        return LINES

    def start(self) -> Batch:
        """Every line at rest at time 0, and a moving shelf."""
        self._edges += [Edge(line, 0, 0) for line in self._levels_at_rest]
        self._now_s = self.quiet_at_start_s
        return self._take(0.0)

    def round(self, fault: str | None = None) -> SimRound:
        """The next play, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        name = fault_named(fault or "none", self.geometry).name
        self._number += 1
        rng = Random(f"{self._seed}/pusher/{self._number}")
        from_s = self._now_s
        at_s = self._before(name, from_s + rng.uniform(*BETWEEN_S), rng)
        won, end_s = self._play(name, at_s, rng)
        end_s = self._after(name, at_s, end_s)
        self._now_s = end_s + 0.5
        batch = self._take(from_s)
        detail = f"a token was put in, and {won} fell to the player" + (f"; {name}" if name != "none" else "")
        notices = ("device.fault", "device.warning", "machine.event")
        valid = name not in self.voided
        reasons = () if valid else ("dealer_call",)
        truth = Truth(valid, (1, won), 0.0, 0.0, reasons, detail, notices, None)
        return SimRound(batch, truth, self._number, fault)

    # --- what happens before the token of the play ------------------------------------------------------------------

    def _before(self, name: str, at_s: float, rng: Random) -> float:
        """What goes wrong before the token of the play is in; returns when that comes."""
        step = rng.uniform(*PASS_S)
        if name == "token_on_string":
            end_s = self._levels(at_s, step, "1+ 2+ 1- 1+ 2- 1-")
            return self._clear("chute", end_s)
        if name == "token_pulled_back":
            # It is in first, and so it is staked by nobody: the play that it began is the one of this round.
            end_s = self._levels(at_s, step, "2+ 1+ 2- 1-")
            return self._clear("chute", end_s)
        if name == "token_jam":
            self._levels(at_s, 0.0, "1+")
            end_s = at_s + self.geometry.jam_s + 2.0
            self._levels(end_s, 0.0, "1-")
            return self._clear("chute", end_s)
        if name == "coin_at_mouth":
            self._levels(at_s, 0.2, "1+ 1-")
            return at_s + 1.0
        if name == "opto_blind":
            end_s = self._levels(at_s, step, "2+ 2-")
            self.tokens_in += 1
            self.bed.lanes[0] += 1  # it is behind the shelf: the attendant finds it
            self._order("reconcile", end_s + 1.0, ("tokens", "1"))
            self._order("hand_pay", end_s + 1.5)
            return self._clear("machine", end_s + 2.0)
        if name == "chute_unplugged":
            for line in (OUTER_OPTO, INNER_OPTO):
                self._rare.append(EdgesLost(line, Loss.UNPLUGGED, _ns(at_s)))
                self._edges.append(Edge(line, 0, _ns(at_s + 1.0)))
            for number in range(2):
                self._order("reconcile", at_s + 1.5 + 0.1 * number, ("tokens", "0"))
            return self._clear("machine", self._clear("chute", at_s + 2.0))
        if name == "token_in_test":
            self._order("test_begin", at_s)
            self._token(at_s + 0.5, step)
            self._fall("player", at_s + 1.5, rng)
            self._order("test_end", at_s + 3.0)
            return at_s + 4.0
        if name == "token_while_shut":
            self._edges += [Edge(TILT, 1, _ns(at_s)), Edge(TILT, 0, _ns(at_s + 0.5))]
            self._token(at_s + 1.0, step)
            self.tokens_in += 1
            self.bed.lanes[0] += 1
            self._order("hand_pay", at_s + 2.0)
            return self._clear("machine", at_s + 2.5)
        return at_s

    # --- the play ---------------------------------------------------------------------------------------------------

    def _after(self, name: str, at_s: float, end_s: float) -> float:
        """What goes wrong besides; returns when the play and all that is over."""
        return end_s

    def _play(self, name: str, at_s: float, rng: Random) -> tuple[int, float]:
        """A token is put in, and what falls falls; returns what was won, and when the play is over."""
        in_s = self._token(at_s, rng.uniform(*PASS_S))
        self.tokens_in += 1
        fallen = self.bed.drop()
        go_on = self._disturbed(name, in_s, rng)
        within_s = min(FALLS_WITHIN_S, go_on.left_s - 0.6 - self.noticed_s)
        count = fallen.player + fallen.house
        falls_s = sorted(go_on.from_s + rng.uniform(0.1, within_s) for _ in range(count))
        sides = ["player"] * fallen.player + ["house"] * fallen.house
        rng.shuffle(sides)
        tilt_s = self._tilt_between(falls_s, go_on.from_s + within_s / 2) if name == "tilted" else None
        won, last_s = 0, go_on.from_s
        for planned_s, side in zip(falls_s, sides, strict=True):
            last_s = self._fall(side, max(planned_s, last_s + 0.005), rng)
            self.to_player += side == "player"
            self.to_house += side == "house"
            won += side == "player" and (tilt_s is None or last_s < tilt_s)
        if tilt_s is not None:
            return won, self._tilt(tilt_s, last_s)
        return won, max(go_on.from_s + go_on.left_s, last_s) + 0.5

    def _tilt_between(self, falls_s: list[float], at_s: float) -> float:
        """A moment for a tilt, far from any fall: which of two that come together is first, no truth can say."""
        while any(abs(fell_s - at_s) < APART_S for fell_s in falls_s):
            at_s += APART_S
        return at_s

    def _disturbed(self, name: str, in_s: float, rng: Random) -> GoOn:
        """What stops a play that has begun; then it continues with the time that it had left."""
        at_s, play_s = in_s + 0.1, self.geometry.play_s
        if name == "door_opened":
            for_s = rng.uniform(1.0, 4.0)
            self._edges += [Edge(DOOR, 1, _ns(at_s)), Edge(DOOR, 0, _ns(at_s + for_s))]
            return GoOn(at_s + for_s + 0.3, play_s - 0.2)
        if name == "shelf_stalled":
            self._pulse_until(at_s)
            self._shaft_s = at_s + self.geometry.stall_s + 2.0
            return GoOn(self._clear("bed", self._shaft_s + 1.0), play_s - 0.1 - self.geometry.stall_s)
        if name == "fall_stuck":
            out_s = at_s + self.geometry.stuck_s + 1.0
            self._edges += [Edge(FALL["house"], 1, _ns(at_s)), Edge(FALL["house"], 0, _ns(out_s))]
            return GoOn(self._clear("bed", out_s), play_s - 0.1 - self.geometry.stuck_s)
        if name == "fall_noise":
            for number in range(5):
                spike_s = at_s + number * 0.01
                self._edges += press(FALL["player"], spike_s, 0.0002)
        return GoOn(in_s + 0.2, play_s - 0.2)

    def _tilt(self, at_s: float, last_s: float) -> float:
        """The machine is pushed; the attendant clears it once all lies still."""
        self._edges += [Edge(TILT, 1, _ns(at_s)), Edge(TILT, 0, _ns(at_s + 0.4))]
        return self._clear("machine", max(at_s, last_s) + 1.5)

    # --- wires ------------------------------------------------------------------------------------------------------

    def _token(self, at_s: float, step_s: float) -> float:
        """A token goes in; returns when it is in."""
        return self._levels(at_s, step_s, "1+ 2+ 1- 2-")

    def _levels(self, at_s: float, step_s: float, story: str) -> float:
        """Both optos of the chute: `1+` covers the outer one; returns when the last change is."""
        for number, word in enumerate(story.split()):
            line = OUTER_OPTO if word[0] == "1" else INNER_OPTO
            self._edges.append(Edge(line, int(word[1] == "+"), _ns(at_s + number * step_s)))
        return at_s + (len(story.split()) - 1) * step_s

    def _fall(self, side: str, at_s: float, rng: Random) -> float:
        """A token falls past a sensor; returns when it has."""
        for_s = rng.uniform(*FALL_S)
        self._edges += press(FALL[side], at_s, for_s)
        return at_s + for_s

    def _clear(self, device: str, at_s: float) -> float:
        """The attendant clears a device's faults; returns when play can go on."""
        self._order("clear", at_s + 0.5, ("device", device))
        return at_s + 1.0

    def _order(self, verb: str, at_s: float, *given: tuple[str, str]) -> None:
        self._rare.append(Command(verb, (*given, ("by", ATTENDANT)), _ns(at_s)))

    def _pulse_until(self, until_s: float) -> None:
        """The shaft's pulses up to then."""
        while self._shaft_s + SHAFT_S / 2 < until_s:
            self._edges += press(SHAFT, self._shaft_s, SHAFT_S / 2)
            self._shaft_s += SHAFT_S

    def _take(self, from_s: float) -> Batch:
        self._pulse_until(self._now_s)
        edges, self._edges = self._edges, []
        rare, self._rare = self._rare, []
        if from_s:
            settle_order(edges, _ns(from_s), _ns(self._now_s))
        else:
            edges.sort(key=lambda edge: edge.t_ns)
        rare.sort(key=lambda value: value.t_ns)
        return Batch(edges, rare, _ns(self._now_s))


def _ns(t_s: float) -> int:
    return int(t_s * NS_PER_S)
