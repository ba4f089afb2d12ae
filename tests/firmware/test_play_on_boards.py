"""Hours of play at whole tables on emulated boards: the binaries that are flashed, their links, and the service's code.

A part is an hour of the table's own time: rounds without a fault, one after the other, and then a rest, in which the
boards sleep; a machine with tokens, which is simulated without rests, plays all the time. Each round has the outcome
that is true of it, in order, and no other; but for the sound spin of a money wheel here and there that is left to the
dealer with or without boards.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.bench.simulation import simulate
from controller.boards.emulation import emulated_copy
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from feed import events
from simulators.base.truth import WaitingSimulator
from tests.firmware.emulated import S
from tests.firmware.live_evening import EXAMPLES, example
from tests.firmware.test_examples_on_boards import PlayedOnBoards, result_of, results_of
from tests.tables.bench import EventList, configured

HOUR_NS = 3_600 * S
PLAYED = 0.4
"""Of an hour, where the table can rest: the last round is the first that ends after that."""
PICOS, NANOS = (
    sorted(
        path.stem
        for path in EXAMPLES.glob("*.toml")
        if "board" in example(path.stem) and path.stem.endswith("_pico") == pico
    )
    for pico in (True, False)
)
HOURS = {"money_wheel_pico": 8, "token_pusher_pico": 2, **dict.fromkeys(NANOS, 8), "money_wheel_board": 136}
"""Of each table; the most are those of the table whose hour takes the least processor time."""


def rests(name: str) -> bool:
    """Whether a simulated table can wait for its players."""
    config = configured(emulated_copy(example(name), Path("/nowhere")))
    return isinstance(geometry_of(config).simulator(0), WaitingSimulator)


class PlayedHour(PlayedOnBoards):
    """A table that plays, and then rests until the hour is over."""

    def __init__(self, name: str, folder: Path, seed: int, hour_ns: int) -> None:
        played_ns = round(PLAYED * hour_ns) if rests(name) else hour_ns
        super().__init__(name, folder, seed=seed, least_ns=played_ns)
        self._ends_ns = max(hour_ns, self.evening.until_ns)

    def live(self) -> EventList:
        """What the table said in the hour, and until its last round is over."""
        return self.run(self._ends_ns)

    def _passes(self, t_ns: int) -> None:
        super()._passes(t_ns)
        if t_ns >= self.evening.until_ns - S:
            self._table.hold()


def check(name: str, folder: Path, seed: int, hour_ns: int) -> None:
    table = PlayedHour(name, folder, seed, hour_ns)
    said = table.live()
    assert said.of(events.DeviceFault) == []
    outcomes = [(outcome.round, result_of(outcome)) for outcome in said.of(events.Outcome)]
    rounds = list(enumerate(results_of(table.truths), 1))
    left = [number for number, _ in rounds if number not in dict(outcomes)]
    assert outcomes == [one for one in rounds if one[0] not in left]
    assert outcomes
    assert [event for event in said.verdicts() if event.startswith("void")] == []
    if left:
        assert left == left_without_boards(table.config, seed, len(rounds))


def left_without_boards(config: TableConfig, seed: int, rounds: int) -> list[int]:
    """The rounds of the same table that have no outcome where its lines are not those of boards."""
    return [
        played.number
        for played in simulate(config, rounds, seed, {})
        if played.truth is not None and not EventList(played.events).of(events.Outcome)
    ]


@pytest.mark.soak
@pytest.mark.timeout(7_200)
@pytest.mark.parametrize(("name", "hour"), [(name, hour) for name, hours in HOURS.items() for hour in range(hours)])
def test_each_round_of_an_hour_has_its_outcome(tmp_path: Path, name: str, hour: int) -> None:
    check(name, tmp_path, 1_000 + hour, HOUR_NS)


def test_ten_hours_of_a_pico_and_two_hundred_of_nanos_are_played() -> None:
    assert sum(HOURS[name] for name in PICOS) >= 10
    assert sum(HOURS[name] for name in NANOS) >= 200
    assert min(HOURS[name] for name in NANOS) >= 8
