"""Hours of play at whole tables on emulated boards: the binaries that are flashed, their links, and the service's code.

A part is an hour of the table's own time, with rounds one after the other and no fault. Each round has the outcome that
is true of it, in order, and nothing else is settled.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from feed import events
from tests.firmware.emulated import S
from tests.firmware.live_evening import EXAMPLES, example
from tests.firmware.test_examples_on_boards import PlayedOnBoards, result_of, results_of

HOUR_NS = 3_600 * S
PICOS, NANOS = (
    sorted(
        path.stem
        for path in EXAMPLES.glob("*.toml")
        if "board" in example(path.stem) and path.stem.endswith("_pico") == pico
    )
    for pico in (True, False)
)
HOURS = {**dict.fromkeys(PICOS, 5), **dict.fromkeys(NANOS, 23)}


@pytest.mark.soak
@pytest.mark.timeout(7_200)
@pytest.mark.parametrize(("name", "hour"), [(name, hour) for name, hours in HOURS.items() for hour in range(hours)])
def test_each_round_of_an_hour_has_its_outcome(tmp_path: Path, name: str, hour: int) -> None:
    table = PlayedOnBoards(name, tmp_path, seed=1_000 + hour, least_ns=HOUR_NS)
    said = table.run()
    assert said.of(events.DeviceFault) == []
    assert [result_of(outcome) for outcome in said.of(events.Outcome)] == results_of(table.truths)


def test_ten_hours_of_a_pico_and_two_hundred_of_nanos_are_played() -> None:
    assert sum(HOURS[name] for name in PICOS) >= 10
    assert sum(HOURS[name] for name in NANOS) >= 200
