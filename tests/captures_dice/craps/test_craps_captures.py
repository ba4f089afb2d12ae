"""Every capture of craps gives the verdicts that are written beside it."""

from __future__ import annotations

import msgspec
import pytest

from tests.captures_dice.craps.make import CALLED, EXPECTED, FOLDER, SIMULATED, TOSSED, verdicts_of

VERDICTS = msgspec.json.decode(EXPECTED.read_bytes(), type=dict[str, list[str]])


@pytest.mark.parametrize("name", VERDICTS)
def test_a_capture_of_a_refusal_gives_the_verdicts_that_are_expected(name: str) -> None:
    assert verdicts_of(FOLDER / f"{name}.vcd") == VERDICTS[name]


def test_there_is_a_capture_of_every_refusal() -> None:
    called = {f"called_{reason}" for reason in CALLED}
    tossed = {f"{table}_{fault}" for table, faults in TOSSED.items() for fault in faults}
    assert set(VERDICTS) == {*SIMULATED, *called, *tossed}
