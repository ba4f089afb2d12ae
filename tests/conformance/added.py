"""The captures that the conformance suite has had since version 1.1, and how each was made.

    .venv/bin/python -m tests.conformance.added

adds those that the suite lacks. A capture that it has stays as it is, with its verdicts.

Of a wheel that a hand turns it is known what is right: the hand turns it by whole counts of its encoder, from the
middle of one to the middle of another. Each round has its right verdict here, and ours must be the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from controller.conformance.captures import Capture, RightVerdict
from hal.values import Batch, Command, Edge, EdgesLost, Loss, Rare
from simulators.base.motion import Path
from simulators.base.sensors import MarkRing, RingMark, by_time, in_ns, press, quadrature_marks
from tests.captures_cards import cases as cards
from tests.captures_dice import cases as dice
from tests.conformance import made
from tests.conformance.told import ROUNDS as TOLD
from tests.conformance.told import SHOWS, Told

VERSION: Final = "1.1"
HAND: Final = "a hand turns the wheel by whole counts of its encoder: what is right is known"
SLOTS: Final = 50
COUNT_DEG: Final = 90 / SLOTS
TURN: Final = 4 * SLOTS
SPACE: Final = TURN // 50
INDEX_DEG: Final = 2.7
"""The recommended width of an index on 50 slots."""
WHEEL: Final = (
    made.wheel()
    .replace("encoder_slots = 100", f"encoder_slots = {SLOTS}")
    .replace("index_width_deg = 3.0", f"index_width_deg = {INDEX_DEG}")
)
CALL: Final = "dealer_no_more_bets"
GRID_NS: Final = 100_000
BOUNCE_NS: Final = 200_000
"""From edge to edge of a contact that bounces: a count takes 5 ms and more."""
SEEN_COUNTS: Final = 10
"""Counts after the last index that are seen before some are not."""


# --- a hand at a money wheel ---


class HandTurned:
    """A money wheel with an encoder that a hand turns. It begins at rest, in the middle of a count."""

    def __init__(self, at: int) -> None:
        self._at = at
        self._begin_deg = (at + 0.5) * COUNT_DEG
        self._path = Path(0.0, self._begin_deg)
        self._presses: list[Edge] = []
        self._rare: list[Rare] = []
        self._unseen: list[Callable[[Edge], bool]] = []
        self._slip: tuple[int, int] | None = None
        self.right: dict[int, RightVerdict] = {}
        """The right verdict of each round."""
        self.told: list[Told] = []
        """What else is known of each."""
        self.wait(2.0)

    @property
    def now_ns(self) -> int:
        """The time up to which it has been turned."""
        return in_ns(self._path.now_s)

    # --- what the hand does ---

    def wait(self, seconds: float) -> None:
        """The wheel is at rest."""
        self._path.push(0.0, seconds)

    def turn(self, counts: int, seconds: float) -> None:
        """Turns it by this many counts, half of the time faster and half of it slower."""
        self._at += counts
        self._path.swing((self._at + 0.5) * COUNT_DEG - self._path.angle_deg, seconds)

    def call(self, after_s: float = 0.0, held_s: float = 0.2) -> None:
        """Presses the button of the call this much later."""
        self._presses += press(CALL, self._path.now_s + after_s, held_s)

    def spin(self, counts: int, seconds: float = 6.0) -> None:
        """Calls, spins the wheel, and leaves it at rest."""
        self.call()
        self.wait(1.0)
        self.turn(counts, seconds)
        self.wait(6.0)

    def spin_crossing(self, counts: int) -> list[int]:
        """As `spin`; the times at which the index began to cross."""
        begin_ns = self.now_ns
        self.spin(counts)
        return [edge.t_ns for edge in self.changes("wheel_index") if edge.t_ns > begin_ns and edge.level]

    def clear(self) -> None:
        """A supervisor clears the wheel."""
        self._rare.append(Command("clear", (("device", "wheel"), ("by", "supervisor")), self.now_ns))
        self.wait(1.0)

    # --- what becomes of its lines ---

    def lose(self, line: str, cause: Loss, after_s: float = 0.0) -> None:
        """Changes of a line are reported lost; nobody knows how many."""
        self._rare.append(EdgesLost(line, cause, in_ns(self._path.now_s + after_s)))

    def unseen(self, line: str, from_ns: int, until_ns: int, level: int | None = None) -> None:
        """The line's changes between two times are missing: all of them, or those to one level."""
        self._unseen.append(
            lambda edge: edge.line == line and from_ns <= edge.t_ns <= until_ns and level in (None, edge.level)
        )

    def bounce(self, line: str, from_ns: int, times: int = 1) -> None:
        """Each change of a line from a time on has come back at once, and again, this many times."""
        for edge in self.changes(line):
            if edge.t_ns >= from_ns:
                self._presses += (
                    Edge(line, edge.level ^ (number & 1), edge.t_ns + number * BOUNCE_NS)
                    for number in range(1, 2 * times + 1)
                )

    def unseen_slots(self, from_ns: int, slots: int) -> None:
        """This many slots pass both lines unseen, some counts after a time: as if the disc slipped on its axle."""
        counts = sorted((edge for line in ("wheel_a", "wheel_b") for edge in self.changes(line)), key=by_time)
        gone = [edge for edge in counts if edge.t_ns > from_ns][SEEN_COUNTS : SEEN_COUNTS + 4 * slots]
        for line in ("wheel_a", "wheel_b"):
            self.unseen(line, gone[0].t_ns, gone[-1].t_ns)

    def slip_index(self, counts: int) -> None:
        """The mark of the index is this many counts further from now on."""
        self._slip = (self.now_ns, counts)

    def changes(self, line: str) -> list[Edge]:
        """What a line has done so far."""
        return [edge for edge in self._moved() if edge.line == line]

    def wires(self) -> Batch:
        """What was on the wires."""
        found = [Edge(line, level, 0) for ring in self._rings() for line, level in ring.levels().items()]
        edges = sorted((*found, Edge(CALL, 0, 0), *self._moved(), *self._presses), key=by_time)
        rare = sorted(self._rare, key=lambda value: value.t_ns)
        return Batch(
            [edge._replace(t_ns=_written(edge.t_ns)) for edge in edges],
            [value._replace(t_ns=_written(value.t_ns)) for value in rare],
            _written(self.now_ns),
        )

    def _rings(self, slip: int = 0) -> tuple[MarkRing, MarkRing]:
        period_deg, marks = quadrature_marks(SLOTS, "wheel_a", "wheel_b")
        begin_deg = slip * COUNT_DEG
        index = [RingMark(begin_deg, "wheel_index", 1), RingMark(begin_deg + INDEX_DEG, "wheel_index", 0)]
        return MarkRing(marks, self._begin_deg, period_deg), MarkRing(index, self._begin_deg)

    def _moved(self) -> list[Edge]:
        encoder, index = (ring.edges(self._path.segments) for ring in self._rings())
        if self._slip is not None:
            from_ns, counts = self._slip
            slipped = self._rings(counts)[1].edges(self._path.segments)
            index = [
                *(edge for edge in index if edge.t_ns < from_ns),
                *(edge for edge in slipped if edge.t_ns >= from_ns),
            ]
        edges = sorted((*encoder, *index), key=by_time)
        return [edge for edge in edges if not any(unseen(edge) for unseen in self._unseen)]

    # --- what is right ---

    def outcome(self, space: int, counts: int, text: str) -> None:
        """The round has an outcome: the space, after this many counts."""
        turns = abs(counts) / TURN
        self._is(RightVerdict(verdict="outcome", result={"space": space}, revolutions=turns), Told(text))

    def void(self, reason: str, text: str) -> None:
        """The round is void."""
        self._is(RightVerdict(verdict="void", reason=reason), Told(text))

    def unresolved(self, text: str, reason: str, also: str = "", why: str = "") -> None:
        """The round is unresolved for this reason, and as well for another where something leaves it open."""
        others = [RightVerdict(verdict="unresolved", reason=also)] if also else []
        self._is(RightVerdict(verdict="unresolved", reason=reason), Told(text, others, why))

    def _is(self, right: RightVerdict, told: Told) -> None:
        self.told.append(told)
        self.right[len(self.told)] = right

    @property
    def from_index(self) -> int:
        """Counts from the index to where it is, in the positive direction."""
        return self._at % TURN

    @property
    def space(self) -> int:
        """The space under the indicator, if it is not at a peg: the wheel turns, so spaces count the other way."""
        return -round((self._at + 0.5) / SPACE) % 50


def _written(t_ns: int) -> int:
    """A time as the capture has it: to a tenth of a millisecond, so that the file is small."""
    return t_ns // GRID_NS * GRID_NS


def calls() -> HandTurned:
    """When the call is made, and what is a spin."""
    hand = HandTurned(at=33)
    hand.spin(3 * TURN + 2)
    hand.unseen("wheel_index", 0, hand.now_ns)
    hand.unresolved(
        "The index sensor has not seen its mark since the table opened: no space is known.", "sensor_missing"
    )

    hand.call(after_s=1.45)
    hand.wait(1.0)
    hand.turn(3 * TURN + 4, 6.0)
    hand.wait(6.0)
    hand.void(
        "spun_before_no_more_bets",
        "The call is made when the wheel has left rest by a space, and has not made half a turn.",
    )

    hand.turn(-60, 1.0)
    hand.wait(1.7)
    hand.call()
    hand.wait(0.8)
    hand.turn(60 + 3 * TURN, 6.0)
    hand.wait(6.0)
    hand.void(
        "spun_before_no_more_bets",
        "The dealer winds the wheel up, calls in its pause, and spins it: the spin began with the wind-up.",
    )

    hand.turn(-60, 1.0)
    hand.wait(6.0)
    hand.call()
    hand.wait(1.0)
    hand.call(after_s=1.0)
    hand.turn(3 * TURN + 5, 6.0)
    hand.wait(6.0)
    hand.outcome(
        hand.space,
        3 * TURN + 5,
        "The wheel is moved by less than half a turn, and is at rest for longer than a wind-up pauses; then the call "
        "and a spin. A second call, as the spin begins, changes nothing.",
    )

    hand.call()
    hand.wait(1.0)
    hand.turn(70, 1.5)
    hand.wait(9.0)
    hand.void(
        "wheel_revolutions",
        "After the call the wheel is pushed by less than half a turn, and nothing follows: a spin that is too short.",
    )

    hand.call(held_s=2.5)
    hand.wait(1.0)
    hand.turn(-3 * TURN - 2, 6.0)
    hand.wait(6.0)
    hand.outcome(hand.space, 3 * TURN + 2, "The button of the call is pressed before the spin, and let go during it.")

    hand.turn(-(TURN // 2 - 1), 1.6)
    hand.wait(7.0)
    hand.turn(TURN // 2, 1.6)
    hand.wait(6.0)
    hand.void(
        "spun_before_no_more_bets",
        "Without a call the wheel is moved by a count less than half a turn, which is not a spin; later by half a "
        "turn, which is one.",
    )
    return hand


def bounds() -> HandTurned:
    """The bounds of the rule and of the house, a count at a time."""
    hand = HandTurned(at=196)
    hand.spin(3 * TURN)
    hand.outcome(hand.space, 3 * TURN, "Three revolutions to the count.")

    hand.spin(-3 * TURN + 1)
    hand.void("wheel_revolutions", "A count less than three revolutions, in the negative direction.")

    hand.call()
    hand.wait(1.0)
    hand.turn(3 * TURN + 4, 6.0)
    hand.turn(-SPACE * 3 // 2, 0.8)
    hand.wait(6.0)
    hand.outcome(
        hand.space,
        3 * TURN + 4,
        "The wheel comes back by one and a half spaces, which is no more than pegs throw it: revolutions are counted "
        "to its furthest point, and it has fewer than three at rest.",
    )

    hand.call()
    hand.wait(1.0)
    hand.turn(-3 * TURN - 3, 6.0)
    hand.turn(SPACE * 3 // 2 + 1, 0.8)
    hand.wait(6.0)
    hand.void("wheel_reversed", "The wheel comes back by a count more than one and a half spaces.")

    for counts, side in ((3 * TURN + 2, "before"), (-3 * TURN - 3, "after")):
        hand.spin(counts)
        hand.void("indicator_between_spaces", f"The indicator is half a count {side} a peg.")

    hand.call()
    hand.wait(1.0)
    hand.turn(TURN, 4.0)
    hand.wait(0.8)
    hand.turn(2 * TURN + 2, 5.0)
    hand.wait(6.0)
    hand.outcome(
        hand.space,
        3 * TURN + 2,
        "The wheel is held within a count for less than 1.5 s, and goes on: that is not its rest.",
    )

    hand.call()
    hand.wait(1.0)
    hand.turn(-TURN, 4.0)
    hand.wait(2.0)
    hand.void("wheel_revolutions", "The wheel is at rest for 2 s after one revolution: the spin is over.")
    hand.turn(-2 * TURN - 3, 5.0)
    hand.wait(6.0)
    hand.void(
        "spun_before_no_more_bets",
        "The wheel, at rest after one revolution, is pushed on: a spin of the next round, without a call.",
    )

    hand.call()
    hand.wait(1.0)
    hand.turn(3 * TURN + 6, 6.0)
    for number in range(7):
        hand.wait(0.75)
        hand.turn(-1 if number % 2 else 1, 0.2)
    hand.wait(6.0)
    hand.outcome(
        hand.space,
        3 * TURN + 7,
        "The wheel trembles about one count for 6 s: it is at rest from the beginning of that.",
    )

    hand.wait(2.0)
    hand.slip_index(-4)
    hand.spin(-3 * TURN - 2)
    hand.unresolved("The mark of the index has slipped by one slot, which is more than half a slot.", "encoder_slip")
    hand.clear()

    begin_ns = hand.now_ns
    hand.spin(3 * TURN + 60)
    crossed_ns = [edge.t_ns for edge in hand.changes("wheel_index") if edge.t_ns > begin_ns][-1]
    lost_ns = [edge.t_ns for edge in hand.changes("wheel_b") if edge.t_ns > crossed_ns][8]
    hand.unseen("wheel_b", lost_ns, lost_ns)
    hand.unresolved(
        "One edge of B is lost after the last index, and nothing reports it but the next edge of the line.",
        "edges_lost",
    )
    return hand


def lost_at_rest() -> HandTurned:
    """Edges are lost while the wheel is at rest, or while it turns; of each loss nobody knows how many."""
    hand = HandTurned(at=33)
    hand.spin(3 * TURN + 2)
    hand.outcome(hand.space, 3 * TURN + 2, "Nothing is lost.")

    hand.call()
    hand.wait(1.0)
    hand.lose("wheel_a", Loss.OVERFLOW)
    hand.wait(1.0)
    hand.turn(3 * TURN + 1, 6.0)
    hand.wait(6.0)
    hand.unresolved(
        "After the call and before the spin changes of A are lost: nobody knows how far the wheel was turned "
        "meanwhile.",
        "edges_lost",
    )

    hand.call()
    hand.wait(1.0)
    hand.lose("wheel_b", Loss.REPEATED_LEVEL)
    hand.wait(1.0)
    hand.turn(-3 * TURN - 4, 6.0)
    hand.wait(6.0)
    hand.unresolved(
        "After the call and before the spin changes of B are lost: nobody knows how far the wheel was turned "
        "meanwhile.",
        "edges_lost",
    )

    begin_ns = hand.now_ns
    hand.turn(-4, 0.8)
    hand.turn(4, 0.8)
    hand.unseen("wheel_a", begin_ns, hand.now_ns, level=0)
    hand.wait(3.0)
    hand.spin(3 * TURN + 1)
    hand.unresolved(
        "Before the call the wheel is moved by a slot and back, and A takes the level 1 twice, two times: edges "
        "between are lost, and nothing else reports it.",
        "edges_lost",
        "encoder_slip",
        "The line that takes a level twice shows the loss, and so does the index, which crosses at a wrong count.",
    )

    hand.call()
    hand.wait(1.0)
    hand.lose("wheel_a", Loss.LATE, after_s=2.5)
    hand.turn(-3 * TURN - 1, 6.0)
    hand.wait(6.0)
    hand.unresolved("During the spin changes of A come too late to be used.", "edges_lost")

    hand.spin(3 * TURN + 3)
    hand.outcome(hand.space, 3 * TURN + 3, "Nothing is lost.")

    hand.call()
    hand.wait(1.0)
    hand.turn(-3 * TURN - 3, 6.0)
    hand.lose("wheel_a", Loss.UNPLUGGED, after_s=-1.5)
    hand.unseen("wheel_a", hand.now_ns - 3 * made.S // 2, hand.now_ns + 9 * made.S)
    hand.wait(9.0)
    hand.unresolved(
        "The cable of A comes out while the wheel still turns.",
        "sensor_missing",
        "edges_lost",
        "The line is reported unplugged: that it is off, and that its changes are lost, are both true.",
    )
    return hand


def missed() -> HandTurned:
    """The index, and then B, do not see what passes them."""
    hand = HandTurned(at=33)
    hand.spin(3 * TURN + 2)
    hand.outcome(hand.space, 3 * TURN + 2, "Nothing is missed.")

    crossed_ns = hand.spin_crossing(4 * TURN + 1)
    hand.unseen("wheel_index", crossed_ns[1] - made.S // 10, crossed_ns[1] + made.S // 10)
    hand.unresolved(
        "The index misses its second crossing: for two turns there is none, and others follow.",
        "sensor_missing",
    )

    for counts, text in ((4 * TURN - 17, "no more than 1.1 turns from"), (-4 * TURN - 43, "more than 1.1 turns from")):
        crossed_ns = hand.spin_crossing(counts)
        hand.unseen("wheel_index", crossed_ns[-1] - made.S // 10, hand.now_ns)
        text = f"The index misses its last crossing, and the wheel stops {text} the one before."
        if counts > 0:
            hand.outcome(hand.space, counts, text)
        else:
            hand.unresolved(text, "sensor_missing")

    hand.spin(3 * TURN + 4)
    hand.outcome(hand.space, 3 * TURN + 4, "Nothing is missed.")

    hand.spin(3 * TURN + 4)
    hand.unseen("wheel_b", hand.now_ns - 8 * made.S, hand.now_ns)
    hand.unresolved("B keeps its level from the middle of the spin on.", "sensor_stuck")
    return hand


def bounced() -> HandTurned:
    """Contacts that bounce, which hide nothing; and a line that is stuck."""
    hand = HandTurned(at=133)
    for line, counts in (("wheel_a", 3 * TURN + 2), ("wheel_b", -3 * TURN - 3)):
        begin_ns = hand.now_ns
        hand.spin(counts)
        for one in (line, "wheel_index"):
            hand.bounce(one, begin_ns)
        hand.outcome(
            hand.space, counts, f"Each change of {line[-1].upper()} and of the index comes back at once, and again."
        )

    hand.spin(3 * TURN + 3)
    last = [edge for line in ("wheel_a", "wheel_b") for edge in hand.changes(line)[-1:]]
    edge = max(last, key=by_time)
    hand.bounce(edge.line, edge.t_ns, times=6)
    hand.outcome(
        hand.space,
        3 * TURN + 3,
        "The last change before the rest comes back six times within a part of a count: no line is stuck.",
    )

    hand.spin(3 * TURN + 4)
    hand.unseen("wheel_a", hand.now_ns - 8 * made.S, hand.now_ns)
    hand.unresolved("A keeps its level from the middle of the spin on.", "sensor_stuck")
    return hand


def slipped() -> HandTurned:
    """Slots that pass unseen after the last index."""
    hand = HandTurned(at=33)
    hand.spin(-3 * TURN - 2)
    hand.outcome(hand.space, 3 * TURN + 2, "Nothing is lost.")

    crossed_ns = hand.spin_crossing(3 * TURN + 60)
    hand.unseen_slots(crossed_ns[-1], 2)
    hand.unresolved("The disc slips on its axle by two slots after the last index, at speed.", "edges_lost")
    return hand


def ended() -> HandTurned:
    """Edges that end while the wheel turns."""
    hand = HandTurned(at=133)
    hand.spin(3 * TURN + 2)
    hand.outcome(hand.space, 3 * TURN + 2, "Nothing is lost.")

    crossed_ns = hand.spin_crossing(-4 * TURN + 5)
    hand.unseen_slots(crossed_ns[-1], 200)
    hand.unresolved("After the last index the disc turns no further: its edges end at speed.", "edges_lost")
    return hand


class Turned(NamedTuple):
    """A capture of a wheel that a hand turns."""

    shows: str
    turned: Callable[[], HandTurned]


TURNED: Final = {
    "money_wheel_calls": Turned(
        "Calls in time, in the pause of a wind-up, after the wheel has left rest, and twice; an index that is not "
        "seen.",
        calls,
    ),
    "money_wheel_bounds": Turned(
        "Spins at the bounds of revolutions, of rolling back, of the indicator, of rest and of a slip, a count at a "
        "time.",
        bounds,
    ),
    "money_wheel_lost_at_rest": Turned(
        "Changes that are lost while the wheel is at rest: reported, or shown by a line that takes its level twice; "
        "and others while it turns.",
        lost_at_rest,
    ),
    "money_wheel_missed": Turned(
        "An index that misses crossings in the middle of a spin and at its end, and a line that is stuck.", missed
    ),
    "money_wheel_bounced": Turned(
        "Contacts that bounce at each change, and one that bounces for long at the rest; and a line that is stuck.",
        bounced,
    ),
    "money_wheel_slipped": Turned(
        "The disc slips on its axle at speed after the last index, and nothing reports it but a gap in the counts.",
        slipped,
    ),
    "money_wheel_ended": Turned(
        "The edges end at speed after the last index, and nothing reports it but the times of the counts.", ended
    ),
}
ROUNDS: Final = {
    "cage_level": (
        3,
        ("none", "tumbled_before_no_more_bets", "cage_die_cocked", "cage_knocked_at_rest", "cage_cable_pulled", "none"),
    ),
    "cage_encoder": (4, ("none", "cage_lost_pulse", "cage_cable_pulled")),
    "cage_motor": (1, ("motor_runs_on", "keypad_edges_lost")),
    "chute": (
        3,
        (
            *("none", "chute_baffle_missed", "chute_dice_together", "chute_something_else", "chute_die_jammed"),
            *("chute_lost_pulse", "chute_cable_pulled", "none"),
        ),
    ),
    "reader_frames_7a": (1, ("none", "reader_bad_sum", "cage_knocked_at_rest", "cage_cable_pulled")),
    "baccarat": (
        1,
        (
            *("none", "misread", "two_cards_at_once", "dealt_before_no_more_bets", "cable_pulled", "jam", "line_lost"),
            "none",
        ),
    ),
    "blackjack": (1, ("none", "misread", "every_player_busts", "cable_pulled", "lid_opened")),
    "caribbean_stud": (1, ("none", "card_twice", "dealer_misdealt", "cable_pulled")),
    "let_it_ride": (1, ("none", "two_cards_at_once", "silent_link", "cable_pulled")),
    "joker_seven": (1, ("none", "dealt_before_no_more_bets", "shoe_restarted")),
    "multi_action": (1, ("none", "card_returned", "cable_pulled")),
    "roulette": (1, ("rotor_reversed", "cable_pulled")),
}
"""Tables that a simulator plays: the seed, and the fault of each round."""
SIMULATED: Final = {**dice.SIMULATED, **cards.SIMULATED}


# --- the files ---


def _source(name: str) -> tuple[made.Source, list[Told]]:
    """How a capture is made, and what is known of its rounds."""
    turned = TURNED.get(name)
    if turned is not None:
        hand = turned.turned()
        lines = ["wheel_a", "wheel_b", "wheel_index", CALL]
        wires = made.Wires(lines, hand.wires(), hand.right)
        return made.Source("money_wheel/quadrature", turned.shows, WHEEL, HAND, lambda: wires), hand.told
    table = name.removesuffix("_rounds")
    seed, faults = ROUNDS[table]
    text = made.roulette() if table == "roulette" else SIMULATED[table].text
    device = "roulette/quadrature" if table == "roulette" else made.DEVICES[table]
    shows, told = SHOWS[name], list(TOLD[name])
    return made.Source(device, shows, text, made.SIMULATOR, lambda: made.simulated(text, faults, seed)), told


def lines_of(name: str) -> list[str]:
    """The lines of a capture, made again."""
    source, _ = _source(name)
    return [f"suite {VERSION}", *made.stream(name, source, source.wires())[1:]]


def made_again(name: str) -> tuple[Capture, list[str]]:
    """A capture, made again.

    Raises:
        SystemExit: our verdicts are not those that are known to be right.
    """
    source, told = _source(name)
    lines = lines_of(name)
    rounds = made.rounds(name, source.device, source.wires().right, told, lines)
    return made.capture_of(name, source, lines, rounds), lines


NAMES: Final = (*TURNED, *(f"{table}_rounds" for table in ROUNDS))


if __name__ == "__main__":
    made.add(VERSION, map(made_again, NAMES))
