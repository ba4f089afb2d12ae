"""The shared captures, played into the pins of emulated boards."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from controller.configuration.document import read_document
from hal.board.chips import ATMEGA328P, RP2040
from tests.firmware.capture_on_board import differences, play_capture, verdict_rows
from tests.vm.scenarios import TABLE_OF

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("FELTWIRE_SHARED", ROOT.parent / "shared")) / "captures"


@pytest.mark.soak
@pytest.mark.parametrize("chip", [ATMEGA328P.name, RP2040.name])
@pytest.mark.parametrize("name", TABLE_OF)
def test_a_shared_capture_has_the_verdicts_that_it_must_have(tmp_path: Path, name: str, chip: str) -> None:
    values = read_document(ROOT / "tests" / "vm" / "tables" / f"{TABLE_OF[name]}.toml").values
    played = play_capture(values, SHARED / f"{name}.vcd", tmp_path, chip=chip)
    expected = json.loads((SHARED / f"{name}.expected.json").read_text())
    assert differences(verdict_rows(played.said), expected) == []
