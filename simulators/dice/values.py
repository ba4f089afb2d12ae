"""Who gives the values at a simulated dice table: a dealer at a keypad, a reading board, or both, on one clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from drivers.dice.reader_wire import VALUED, Die
from hal.clock import NS_PER_S
from hal.values import Batch, Edge, Output, Rare, SendFrame
from simulators.base.faults import SimulatedFault
from simulators.dice.keypad import KEYPAD_FAULTS, KeypadSimulator
from simulators.dice.reader import READER_FAULTS, Answers, BoardReading, DiceReaderSimulator, frames

LINK: Final = "dice_serial"
VALUE_REASONS: Final = (
    "value_missing",
    "values_disagree",
    "reader_doubt",
    "reader_fault",
    "sensor_missing",
    "sensor_stuck",
    "dice_disturbed",
)
"""What may fairly be reported where keypad or board was at fault."""
REPORTED: Final = ("device.fault", "device.warning")
"""The events that may come of it."""
ANSWER_NS: Final = 100_000_000
"""How long a board takes to answer (ours)."""


class GivenValues(NamedTuple):
    """What was reported of the dice of one throw."""

    edges: list[Edge]
    rare: list[Rare]
    proven: bool
    """Whether what was reported proves the values: where it does not, a correct controller leaves them to a person."""
    wrong: bool
    """Whether what was reported proves values that the dice do not have: nobody can see that from the wires."""
    until_s: float
    entered: tuple[int, ...] | None = None
    """The values that the keypad's contacts prove were entered; None where they prove none, or there is no keypad."""


class ValueGivers:
    """The keypad and the reading board of one table. Equal seeds give equal words."""

    def __init__(self, seed: int, *, keypad: bool, reader: str | None, link: str = LINK) -> None:
        """`reader` is the board's format, one of `simulators.dice.reader.FORMATS`; None where there is no board."""
        self._keypad = KeypadSimulator(seed) if keypad else None
        self._reader = DiceReaderSimulator(seed, reader) if reader is not None else None
        self._framer = self._reader.framer() if self._reader is not None else None
        self._link = link
        self._terse = reader not in (None, "lines")
        self._lay: list[tuple[float, Answers]] = []
        """Since when dice are at rest, and what the board answers of them."""
        self._answers: list[Rare] = []

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines and links that it may name."""
        return (*(self._keypad.lines if self._keypad else ()), *((self._link,) if self._reader else ()))

    @property
    def links(self) -> tuple[str, ...]:
        """The links among them."""
        return (self._link,) if self._reader else ()

    def start(self, until_s: float) -> Batch:
        """Every key up at time 0, and what the board sends until then."""
        edges = self._keypad.start().edges if self._keypad else []
        return Batch(list(edges), self.wait(until_s), int(until_s * NS_PER_S))

    def wait(self, until_s: float, *, unasked: bool = False) -> list[Rare]:
        """What the board sends of dice at rest, or of no dice, until then; see `DiceReaderSimulator.idle`."""
        if self._reader is None or until_s <= self._reader.now_s:
            return []
        return self._heard(self._reader.idle(until_s - self._reader.now_s, unasked=unasked))

    def give(
        self,
        dice: Sequence[Die],
        moved_s: float,
        rest_s: float,
        key_s: float,
        *,
        keyed: Sequence[int] | None = None,
        keypad_fault: str | None = None,
        reader_fault: str | None = None,
        least_s: float = 3.0,
        again: bool = False,
    ) -> GivenValues:
        """A throw that moved from `moved_s` to `rest_s`, keyed from `key_s` on.

        `keyed` are the values that the dealer reads off the dice, without it those that they have; `least_s` is how
        long the board is heard after the rest at least. With `again` the dealer keys the dice once more where the first
        entry may not have counted.
        """
        edges, rare = list[Edge](), list[Rare]()
        values = tuple(die.value for die in dice if die.value is not None and die.lying in VALUED)
        said = tuple(values if keyed is None else keyed)
        entered: tuple[int, ...] | None = None
        proven, wrong, until_s = True, said != values and self._keypad is not None, rest_s + least_s
        if self._keypad is not None and said:
            entry = self._keypad.enter(said, keypad_fault, max(key_s, rest_s))
            edges += entry.batch.edges
            rare += entry.batch.rare
            until_s = max(until_s, self._keypad.now_s)
            proven, entered = entry.enters is not None and entry.may_enter, entry.enters
            if again and not proven:
                entry = self._keypad.enter(said)
                edges += entry.batch.edges
                until_s, proven, entered = max(until_s, self._keypad.now_s), True, entry.enters
            wrong = wrong or (entered is not None and entered != values)
        elif self._keypad is not None:
            proven = False
        if self._reader is not None:
            rare += self.wait(moved_s)
            reading = self._reader.throw(dice, reader_fault, rest_s - self._reader.now_s, until_s - rest_s)
            rare += self._heard(reading)
            proven = proven and reading.provable
            self._lay.append((rest_s, self._reader.answers))
            wrong = wrong or not reading.true
        rare.sort(key=lambda value: value.t_ns)
        return GivenValues(edges, rare, proven, wrong, until_s, entered)

    def asked(self, t_ns: int) -> list[Rare]:
        """How a board that only answers replies to a question."""
        lay = [answers for rest_s, answers in self._lay if rest_s * NS_PER_S <= t_ns]
        if self._reader is None or not self._terse or not lay:
            return []
        answer = self._reader.answer(lay[-1], t_ns + ANSWER_NS)
        return [*frames((answer,), self._reader.framer(), self._link)] if answer.data else []

    @property
    def polled(self) -> bool:
        """Whether there is a board that only answers what it is asked."""
        return self._reader is not None and self._terse

    @property
    def next_answer_ns(self) -> int | None:
        """When the board's next answer comes."""
        return min((value.t_ns for value in self._answers), default=None)

    def command(self, output: Output) -> None:
        """The board is asked how the dice came to rest."""
        if isinstance(output, SendFrame) and output.link == self._link:
            self._answers += self.asked(output.t_ns)

    def answers(self, until_ns: int) -> list[Rare]:
        """What the board answers up to then; each answer once."""
        due = [value for value in self._answers if value.t_ns <= until_ns]
        self._answers = [value for value in self._answers if value.t_ns > until_ns]
        return due

    def move(self, until_s: float) -> list[Rare]:
        """What the board sends of dice that move until then, and go on moving."""
        if self._reader is None or until_s <= self._reader.now_s:
            return []
        return self._heard(self._reader.move(until_s - self._reader.now_s))

    def read(self, dice: Sequence[Die], rest_s: float, fault: str | None, resting_s: float = 3.0) -> list[Rare]:
        """What the board sends of a throw from now on, which comes to rest then; see `move`."""
        if self._reader is None:
            return []
        reading = self._reader.throw(dice, fault, max(0.0, rest_s - self._reader.now_s), resting_s)
        self._lay.append((rest_s, self._reader.answers))
        return self._heard(reading)

    def keyed(self, dice: Sequence[int], fault: str | None, key_s: float) -> list[tuple[list[Edge], list[Rare]]]:
        """The dealer keys these dice, with a fault of the keypad or without, and once more where it may not count."""
        if self._keypad is None:
            return []
        entry = self._keypad.enter(dice, fault, key_s)
        found = [(list(entry.batch.edges), list(entry.batch.rare))]
        if entry.enters is None or not entry.may_enter:
            again = self._keypad.enter(dice)
            found.append((list(again.batch.edges), list(again.batch.rare)))
        return found

    def key(self, values: Sequence[int], key_s: float) -> Batch:
        """Somebody keys values that no throw has; nothing where there is no keypad."""
        if self._keypad is None:
            return Batch([], [], int(key_s * NS_PER_S))
        return self._keypad.enter(values, None, key_s).batch

    def _heard(self, reading: BoardReading) -> list[Rare]:
        return [*frames(reading.chunks, self._framer, self._link)] if self._framer is not None else []


def value_faults(*, keypad: bool, reader: bool) -> tuple[SimulatedFault, ...]:
    """The faults of whoever gives the values, as a table lists them: `keypad_` and `reader_` before their own names."""
    found: list[SimulatedFault] = []
    for there, prefix, faults in ((keypad, "keypad", KEYPAD_FAULTS), (reader, "reader", READER_FAULTS)):
        if there:
            found += [
                SimulatedFault(prefixed(prefix, fault.name), fault.physical, fault.explanation, fault.expected)
                for fault in faults.values()
                if fault.name != "none"
            ]
    return tuple(found)


def prefixed(device: str, fault: str) -> str:
    """A device's fault as a table lists it: the device first, unless the name says it already."""
    return fault if fault.startswith(f"{device}_") else f"{device}_{fault}"


def own_value_faults(fault: str) -> tuple[str | None, str | None]:
    """The fault of the keypad and that of the board by their own names, from the table's name for it."""
    keypad = {prefixed("keypad", name): name for name in KEYPAD_FAULTS if name != "none"}
    reader = {prefixed("reader", name): name for name in READER_FAULTS if name != "none"}
    return keypad.get(fault), reader.get(fault)


class AskedReader:
    """The part of a table whose reading board only answers what it is asked (see `simulators.base.answering`)."""

    givers: ValueGivers

    @property
    def next_answer_ns(self) -> int | None:
        """When the board's next answer comes."""
        return self.givers.next_answer_ns

    def command(self, output: Output) -> None:
        """The reading board is asked how the dice came to rest."""
        self.givers.command(output)

    def answers(self, until_ns: int) -> Batch:
        """What the board answers up to then; each answer once."""
        return Batch([], self.givers.answers(until_ns), until_ns)
