"""A whole session of a table whose boards' links break bytes, round for round beside the same one on a sound link.

    python -m tests.firmware.noisy_session roulette_board 200 flipped [seed]

While it plays, somebody switches the spare lamps of each board three times a second: this many commands are under way
when bytes break.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from controller.live.wiring import Wiring
from feed import events
from feed.events import Event
from hal.board.errors import BoardError
from hal.board.message import BoardAnswer
from hal.board.messages import KINDS, SetCommand
from simulators.board.link_faults import NO_FAULTS, ByteFaults
from tests.firmware.command_log import FULLY_ON, Followed, LoggedLink, check_pins, failed, keep_log
from tests.firmware.emulated import S
from tests.firmware.live_evening import LOOK_NS, LiveEvening, TableEvening, example, simulated
from tests.firmware.table_on_boards import Conditions, TableOnBoards
from tests.firmware.table_on_pins import TableOnPins
from tests.tables.bench import EventList

ONE_IN_1000 = 1 / 1_000
SWITCHED_EVERY_NS = 3 * LOOK_NS
SPARE_LAMPS = (2, 3, 4)
"""Outputs of a wheel board that the tables of the examples do not use."""
FOUL = {
    "money_wheel_board": ("short_spin", "late_call", "wind_up", "reversed_spin", "spun_early"),
    "roulette_board": ("short_spin", "same_direction", "tilt", "late_call", "ball_picked_up"),
}
"""Faults of rounds of which pins and boards say the same."""
FOUL_EVERY = 5


def a_session(name: str, rounds: int, seed: int) -> TableEvening:
    """Rounds of an example's simulator, one in five of them foul."""
    foul = FOUL[name]
    named = [foul[number // FOUL_EVERY % len(foul)] if number % FOUL_EVERY == 3 else None for number in range(rounds)]
    return simulated(example(name), named, seed)


class Switching:
    """Somebody who switches the spare lamps of one board, one after the other."""

    def __init__(self, link: LoggedLink, seed: int) -> None:
        self._link = link
        self._rng = Random(seed)
        self._lit: set[int] = set()
        self.switched = 0

    def switch(self) -> None:
        """Switches one lamp."""
        lamp = self._rng.choice(SPARE_LAMPS)
        self._lit ^= {lamp}
        self._link.submit(SetCommand(lamp, FULLY_ON if lamp in self._lit else 0, 0), self._told)

    def _told(self, result: BoardAnswer | BoardError) -> None:
        if isinstance(result, BoardError):
            self._lit.clear()  # the session is over: all is safe
        else:
            self.switched += 1


class BusyTable(TableOnBoards):
    """A table on boards whose spare lamps are switched all the time, and whose commands are kept."""

    def __init__(
        self,
        values: Mapping[str, Any],
        folder: Path,
        evening: TableEvening,
        conditions: Conditions | None = None,
        *,
        supervised: bool = True,
    ) -> None:
        super().__init__(values, folder, evening, conditions, supervised=supervised)
        self.logs: dict[str, LoggedLink] = {}
        self.switching: list[Switching] = []
        self._looks = 0

    def _wire(self, opened: ExitStack) -> Wiring:
        wiring = super()._wire(opened)
        self.logs = {name: keep_log(link) for name, link in wiring.boards.items()}
        self.switching = [Switching(log, number) for number, log in enumerate(self.logs.values())]
        return wiring

    def _passes(self, t_ns: int) -> None:
        self._looks += 1
        if self._looks % (SWITCHED_EVERY_NS // LOOK_NS) == 0:
            for one in self.switching:
                one.switch()

    def check_commands(self) -> Followed:
        """Whether every board's pins did what the host was told."""
        followed = [
            check_pins(link.log, self.changes[name], KINDS[self.config.boards[name].kind])
            for name, link in self.logs.items()
        ]
        return Followed(*map(sum, zip(*followed, strict=True)))


class SessionFigures(NamedTuple):
    """What became of the rounds of a session, against the same ones on a sound link."""

    same: int
    void: int
    unresolved: int
    unplayed: int
    """No verdict, for the table was shut."""
    commands: int
    """Commands that changed a pin."""
    broken: int
    """Bytes that the links broke."""


def rounds_of(said: Sequence[Event], evening: TableEvening) -> list[tuple[str, ...]]:
    """The verdicts that were given while each of the simulated rounds went on."""
    spans = pairwise(batch.until_ns for batch in evening.batches)
    return [tuple(_within(said, from_ns, until_ns).verdicts()) for from_ns, until_ns in spans]


def compare(table: LiveEvening, clean: EventList) -> Counter[str]:
    """Each round as on a sound link, or honestly none: void or unresolved, or not played, and a fault that was told."""
    found: Counter[str] = Counter()
    spans = list(pairwise(batch.until_ns for batch in table.evening.batches))
    here, there = rounds_of(table.said, table.evening), rounds_of(clean, table.evening)
    for number, (ours, theirs) in enumerate(zip(here, there, strict=True)):
        if ours == theirs:
            found["same"] += 1
            continue
        foreign = [word for word in ours if not word.startswith(("void", "unresolved")) and word not in theirs]
        assert foreign == [], f"round {number + 1}: {ours}, on a sound link {theirs}"
        from_ns = spans[max(0, number - 1)][0]
        told = _within(table.said, from_ns, spans[number][1])
        faults = [event for event in told if isinstance(event.data, events.DeviceFault | events.DeviceWarning)]
        assert faults, f"round {number + 1}: {ours}, and no fault"
        found[ours[0].split()[0] if ours else "unplayed"] += 1
    return found


def play_noisy(name: str, rounds: int, faults: ByteFaults, seed: int, folder: Path) -> BusyTable:
    """Plays a session with broken bytes in both directions."""
    conditions = Conditions(to_board=faults, to_host=faults, seed=seed)
    table = BusyTable(example(name), folder, a_session(name, rounds, seed), conditions)
    table.run()
    return table


def play_on_pins(name: str, rounds: int, seed: int) -> EventList:
    """The same session, where no byte can break."""
    return TableOnPins(example(name), a_session(name, rounds, seed)).run()


def figures(table: BusyTable, clean: EventList) -> SessionFigures:
    """Checks a session and counts."""
    found = compare(table, clean)
    undone = [told for link in table.logs.values() for told in failed(link.log)]
    assert undone == [], f"{len(undone)} commands were not done, first {undone[0]}"
    followed = table.check_commands()
    assert followed.made_safe == 0
    broken = sum(sum(wire.did.values()) for step in table.steps.values() for wire in (step.to_board, step.to_host))
    return SessionFigures(
        found["same"], found["void"], found["unresolved"], found["unplayed"], followed.changed, broken
    )


def broken_bytes(kind: str, share: float = ONE_IN_1000) -> ByteFaults:
    """That share of all bytes `flipped`, `dropped`, or `mixed`: half of each."""
    if kind == "mixed":
        return ByteFaults(flipped=share / 2, dropped=share / 2)
    shares: dict[str, Any] = {kind: share}
    return replace(NO_FAULTS, **shares)


def _within(said: Sequence[Event], from_ns: int, until_ns: int) -> EventList:
    return EventList(event for event in said if from_ns < event.data.mono_ns <= until_ns)


def main(arguments: Sequence[str]) -> int:
    """Prints what became of a session."""
    name, rounds, kind, *rest = arguments
    seed = int(rest[0]) if rest else 1
    with tempfile.TemporaryDirectory() as folder:
        table = play_noisy(name, int(rounds), broken_bytes(kind), seed, Path(folder))
    print(f"{name}, {rounds} rounds, {kind}, seed {seed}: {table.clock.now_ns() / S:.0f} s of play")
    print(figures(table, play_on_pins(name, int(rounds), seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
