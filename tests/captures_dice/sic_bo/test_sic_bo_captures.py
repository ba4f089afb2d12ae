"""Every capture of sic bo gives the verdicts that are written beside it."""

from __future__ import annotations

import msgspec
import pytest

from controller.bench.simulation import simulate
from tests.captures_dice.sic_bo.make import EXPECTED, FOLDER, SIMULATED, TABLES, verdicts_of
from tests.tables.bench import VERDICTS, configured
from tests.tables.bench import Said as Events

EXPECTED_OF = msgspec.json.decode(EXPECTED.read_bytes(), type=dict[str, list[str]])


@pytest.mark.parametrize("name", EXPECTED_OF)
def test_a_capture_of_a_refusal_gives_the_verdicts_that_are_expected(name: str) -> None:
    assert verdicts_of(FOLDER / f"{name}.vcd") == EXPECTED_OF[name]


def test_there_is_a_capture_of_every_refusal_that_is_named() -> None:
    assert set(EXPECTED_OF) == {f"{table}_{fault}" for table, faults in SIMULATED.items() for fault in faults}


@pytest.mark.parametrize("table", SIMULATED)
def test_the_table_that_was_captured_said_the_same(table: str) -> None:
    config = configured(TABLES[table])
    for fault in SIMULATED[table][:3]:
        said = Events(event for played in simulate(config, 2, 1, {2: fault}) for event in played.said)
        kinds = [word for word in EXPECTED_OF[f"{table}_{fault}"] if word[0].isdigit() or word.startswith(("v", "u"))]
        assert said.verdicts() == kinds
        assert len([event for event in said if isinstance(event.data, VERDICTS)]) == len(kinds)
