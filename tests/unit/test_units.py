"""The exposure of the units, as systemd measures it from their files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST_EXPOSED = 1.0
UNITS = (
    *("feltwire", "feltwire-scoreboard", "feltwire-relay", "feltwire-mqtt", "feltwire-webhooks", "feltwire-verify"),
    *("feltwire-publish", "feltwire-witness"),
)


@pytest.mark.parametrize("unit", UNITS)
def test_no_service_is_more_exposed_than_promised(unit: str) -> None:
    words = ["systemd-analyze", "security", "--offline=yes", "--no-pager", str(ROOT / "systemd" / f"{unit}.service")]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", shown)
    assert found is not None, shown
    assert float(found[1]) <= (MOST_EXPOSED if unit == "feltwire" else 2.0), shown
