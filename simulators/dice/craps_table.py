"""A simulated craps table: the shooter throws two dice, the stickperson keys them, or a board reads them.

    call ──── throw ──────────── rest ──── keyed, entered ──── settled
                └ the board: M M M M R R R R R R R R R R R R

The dice are bodies (`simulators.dice.bodies`): how long they roll, and what they show, comes of their knocks. How one
is on chips, on the other die or off the table is given by a named fault.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final, Literal, TypeAlias

from drivers.dice.reader_wire import VALUED, Die, Lying
from hal.clock import NS_PER_S
from hal.values import Batch, Command, Edge, Rare
from simulators.base.faults import SimulatedFault, fault_named
from simulators.base.geometry import CALL, SETTLED
from simulators.base.sensors import in_ns, press, settle_order
from simulators.base.truth import SimRound, Truth, doubted
from simulators.dice.automated_shaker import OF_LINES, OF_SERIAL, TOSS_FAULTS
from simulators.dice.bodies import INCH_M, Body, fall, new_dice
from simulators.dice.geometry import DiceGeometry
from simulators.dice.values import (
    VALUE_REASONS,
    AskedReader,
    GivenValues,
    ValueGivers,
    own_value_faults,
    prefixed,
    value_faults,
)

# What can go wrong at a simulated craps table, by name: the dice, the people, the keypad and the reading board.


Wants: TypeAlias = Literal["", "keypad", "reader", "both"]

LYING_BY: Final[dict[str, Lying]] = {
    "die_off_table": "off_table",
    "die_on_die": "stacked",
    "die_on_two_sides": "two_sides",
    "die_cocked": "cocked",
}
"""The faults that are ways in which one die comes to rest."""

_BY_HAND: Final = ("die_off_table", "no_roll_called", "thrown_before_settled")
"""What a shooter's throw can come to, and dice in a shaker cannot."""
_UNASKED: Final = "Void: shaker_failed; a fault."
"""No text of craps has words for a toss before the call: the shaker has malfunctioned."""
_NONE: Final = SimulatedFault("none", True, "Nothing goes wrong.", "The outcome.")
_TABLE: Final[tuple[tuple[SimulatedFault, Wants], ...]] = (
    (SimulatedFault("die_off_table", True, "A die leaves the table.", "Void: die_off_table."), ""),
    (SimulatedFault("die_on_die", True, "One die rests on top of the other.", "Void: die_on_die."), ""),
    (
        SimulatedFault("die_on_two_sides", True, "A die leans on chips with two sides.", "Void: die_on_two_sides."),
        "",
    ),
    (
        SimulatedFault("die_cocked", True, "A die leans on chips with one side.", "The outcome: the opposite side."),
        "",
    ),
    (
        SimulatedFault(
            "no_roll_called",
            True,
            "One die leaves the hand late.",
            "Void: dice_not_together, called.",
        ),
        "",
    ),
    (
        SimulatedFault("seven", True, "The dice show seven.", "The outcome: natural, or seven out."),
        "",
    ),
    (
        SimulatedFault(
            "keyed_too_early",
            True,
            "The dealer keys while the dice still run.",
            "A warning: keyed_too_early; the values once they are keyed again.",
        ),
        "both",
    ),
    (
        SimulatedFault(
            "thrown_before_settled",
            True,
            "The dice are thrown once more before the bets are settled.",
            "The outcome of the first throw; a warning: thrown_before_open.",
        ),
        "reader",
    ),
)


def shaker_faults(automated: Literal["lines", "serial"], *, called: bool) -> tuple[SimulatedFault, ...]:
    """Those of an automated shaker; `called` is whether the dealer has a button for the call."""
    own = [TOSS_FAULTS[name] for name in (OF_SERIAL if automated == "serial" else OF_LINES)]
    return tuple(
        SimulatedFault(
            prefixed("automated_shaker", fault.name),
            fault.physical,
            fault.explanation,
            _UNASKED if fault.name == "unasked" else fault.expected,
        )
        for fault in own
        if called or fault.name != "unasked"
    )


def craps_faults(
    *, keypad: bool, reader: bool, automated: Literal["lines", "serial"] | None = None, called: bool = True
) -> tuple[SimulatedFault, ...]:
    """Every fault that a table with these devices can have, `none` first."""
    there = {"", *(("keypad",) if keypad else ()), *(("reader",) if reader else ())}
    there |= {"both"} if keypad and reader else set()
    own = tuple(
        fault for fault, wants in _TABLE if wants in there and (automated is None or fault.name not in _BY_HAND)
    )
    if automated is not None:
        own = (*own, *shaker_faults(automated, called=called))
    of_values = value_faults(keypad=keypad, reader=reader)
    if not keypad:
        # A board that misreads is believed where nobody else looks: no controller can know.
        of_values = tuple(fault for fault in of_values if fault.name != "reader_disagrees")
    return (_NONE, *own, *of_values)


DIE_M: Final = 0.76 * INCH_M
"""A side, between 0.75 and 0.775 inches: 13:47-20.25(b)2i."""
THROW_ENERGY: Final = (20.0, 60.0)
"""Of a die that leaves the hand, in barriers (ours)."""
FLIGHT_S: Final = (0.3, 0.8)
SETTLES_S: Final = 5.0
"""From the values to the next round: longer than a table settles by itself."""
WAIT_S: Final = 21.0
"""Where a second source is waited for (20 s, ours), and does not come."""
UNSEEN: Final = ("spikes", "key_dead", "edges_lost")
"""Faults of the keypad after which nobody at the table knows whether the entry counted."""
STICK: Final = "stickperson"


@dataclass(frozen=True, slots=True, kw_only=True)
class CrapsGeometry(DiceGeometry):
    """A craps table's keypad and reading board."""

    keypad: bool = True
    reader: str | None = None
    """The board's format, one of `simulators.dice.reader.FORMATS`; None where there is no board."""
    link: str = "dice_serial"
    automated: Literal["lines", "serial"] | None = None
    """How an automated shaker is commanded to toss; None where the shooter throws."""
    present_sensor: bool = False
    shaker_link: str = "shaker_serial"
    activate_after_s: float = 1.5
    toss_s: float = 8.0
    """How long a serial shaker is let toss."""
    rest_s: float = 2.0
    """How long the controller waits before it believes that the dice in the shaker are at rest."""

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault that such a table can have, `none` first."""
        return craps_faults(
            keypad=self.keypad,
            reader=self.reader is not None,
            automated=self.automated,
            called=self.no_more_bets_button,
        )

    def simulator(self, seed: int) -> CrapsSimulator:
        """A table that plays it. Equal seeds give equal rounds."""
        if self.automated is not None:
            from simulators.dice.craps_shaker_table import CrapsShakerSimulator

            return CrapsShakerSimulator(self, seed)
        polled = self.reader not in (None, "lines")
        return AskedCrapsSimulator(self, seed) if polled else CrapsSimulator(self, seed)


class CrapsSimulator:
    """One table in virtual time; see `simulators.base.truth.TableSimulator`."""

    def __init__(self, geometry: CrapsGeometry, seed: int) -> None:
        self.geometry = geometry
        self._seed = seed
        self._number = 0
        self._now_s = 0.0
        self.givers = ValueGivers(seed, keypad=geometry.keypad, reader=geometry.reader, link=geometry.link)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines and links that its batches may name."""
        return (*self.geometry.buttons, *self.givers.lines)

    def start(self) -> Batch:
        """Every button and key up at time 0, and a second of quiet."""
        self._now_s = 1.0
        begin = self.givers.start(self._now_s)
        edges = [*(Edge(line, 0, 0) for line in self.geometry.buttons), *begin.edges]
        return Batch(edges, begin.rare, in_ns(self._now_s))

    def wait(self, seconds: float) -> Batch:
        """Nobody plays; a reading board reports the dice that are there."""
        self._now_s += seconds
        return Batch([], self.givers.wait(self._now_s), in_ns(self._now_s))

    def round(self, fault: str | None = None) -> SimRound:
        """The next roll, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        name = fault_named(fault or "none", self.geometry).name
        self._number += 1
        rng = Random(f"{self._seed}/craps/{self._number}")
        from_s = self._now_s
        edges, rare = list[Edge](), list[Rare]()
        called_s = from_s + rng.uniform(3.0, 6.0)
        if self.geometry.no_more_bets_button:
            edges += press(CALL, called_s, 0.2)
        thrown_s = called_s + rng.uniform(1.0, 3.0)
        dice, rest_s = self._throw(name, thrown_s, rng)
        truth = truth_of(name, dice, in_ns(rest_s))
        given = self._give(name, dice, truth, thrown_s, rest_s, rng)
        edges += given.edges
        rare += given.rare
        truth = as_reported(name, truth, given)
        self._now_s = given.until_s + SETTLES_S
        if self.geometry.reader is not None and (not given.proven or own_value_faults(name)[1]):
            self._now_s += WAIT_S
        if name == "no_roll_called":
            rare.append(_no_roll("dice_not_together", thrown_s + 0.5))
        elif not truth.valid and self.geometry.reader is None:
            rare.append(_no_roll(truth.reasons[0], rest_s + rng.uniform(0.5, 2.0)))
        if name == "thrown_before_settled":
            again, again_rest_s = self._throw("none", given.until_s + 0.5, rng)
            second = self.givers.give(again, given.until_s + 0.5, again_rest_s, again_rest_s, keyed=())
            rare += second.rare
            edges += second.edges
            self._now_s = second.until_s + SETTLES_S
        if self.geometry.settled_button:
            edges += press(SETTLED, self._now_s - 1.0, 0.2)
        rare += self.givers.wait(self._now_s)
        settle_order(edges, in_ns(from_s), in_ns(self._now_s))
        rare.sort(key=lambda value: value.t_ns)
        return SimRound(Batch(edges, rare, in_ns(self._now_s)), truth, self._number, fault)

    def _throw(self, name: str, at_s: float, rng: Random) -> tuple[tuple[Die, ...], float]:
        """Two dice are thrown; how they lie, and when both did."""
        bodies = new_dice(2, rng, DIE_M)
        if name == "seven":
            rest_s = max(self._fall(body, at_s, rng) for body in bodies)
            return (Die("flat", bodies[0].top), Die("flat", 7 - bodies[0].top)), rest_s
        rest_s = max(self._fall(body, at_s, rng) for body in bodies)
        dice = [Die("flat", body.top) for body in bodies]
        return self._lying(name, dice, rng), rest_s

    def _lying(self, name: str, dice: list[Die], rng: Random) -> tuple[Die, ...]:
        """The dice, one of them as the fault has it."""
        lying = LYING_BY.get(name)
        if lying is not None:
            at = rng.randrange(2)
            dice[at] = Die(lying, dice[at].value if lying in VALUED else None)
        return tuple(dice)

    def _fall(self, body: Body, at_s: float, rng: Random) -> float:
        return fall(body, at_s + rng.uniform(*FLIGHT_S), rng.uniform(*THROW_ENERGY), rng).rest_s

    def _give(
        self, name: str, dice: tuple[Die, ...], truth: Truth, thrown_s: float, rest_s: float, rng: Random
    ) -> GivenValues:
        """What keypad and board report of the throw. Nobody keys a throw that is not a roll."""
        keypad_fault, reader_fault = own_value_faults(name)
        keyed = tuple(die.value for die in dice if die.value is not None)
        key_s = rest_s + rng.uniform(1.5, 4.0)
        early = Batch([], [], 0)
        if name == "keyed_too_early":
            early = self.givers.key(keyed, thrown_s + 0.2)
            key_s = max(key_s, early.until_ns / NS_PER_S)
        given = self.givers.give(
            dice,
            thrown_s,
            rest_s,
            key_s,
            keyed=keyed if truth.valid else (),
            keypad_fault=keypad_fault,
            reader_fault=reader_fault,
            # A dealer who has keyed and sees nothing taken keys again; who cannot see that does not: it would be
            # another roll.
            again=keypad_fault not in UNSEEN,
        )
        return given._replace(edges=[*early.edges, *given.edges])


class AskedCrapsSimulator(AskedReader, CrapsSimulator):
    """The same table, whose reading board answers what it is asked."""


def truth_of(name: str, dice: tuple[Die, ...], rest_ns: int) -> Truth:
    """What the throw was, as one who sees everything would judge it."""
    lying = next((reason for reason, how in LYING_BY.items() if any(die.lying == how for die in dice)), None)
    invalid = lying if lying is not None and lying != "die_cocked" else None
    if name == "no_roll_called":
        invalid = "dice_not_together"
    values = tuple(die.value for die in dice if die.value is not None)
    detail = f"the dice came to rest as {' and '.join(f'{die.lying} {die.value or chr(45)}' for die in dice)}"
    result = values if len(values) == len(dice) else None
    return Truth(invalid is None, result, 0.0, 0.0, (invalid,) if invalid else (), detail, (), rest_ns)


def as_reported(name: str, truth: Truth, given: GivenValues) -> Truth:
    """The truth of a round whose values were spoilt, on the way to those who must believe them."""
    if not any(own_value_faults(name)) and given.proven:
        return truth
    told = doubted(truth, f"reported wrongly or in doubt: {name}", (*VALUE_REASONS, "dealer_call"))
    # What was keyed wrongly and entered is what everybody believes: a supervisor corrects it.
    return told._replace(result=given.entered or truth.result)


def _no_roll(reason: str, at_s: float) -> Command:
    """The stickperson calls "No Roll"."""
    return Command("void", (("reason", reason), ("as", STICK), ("by", STICK)), in_ns(at_s))
