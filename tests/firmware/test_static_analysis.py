"""The analyzer of clang on paths eleven times as long as those of `make test`."""

from __future__ import annotations

import subprocess

import pytest

from tests.firmware.toolchains import FIRMWARE

CLANGS_OWN_LIMIT = 225_000


@pytest.mark.soak
@pytest.mark.parametrize("what", ["lint-host", "lint-avr", "lint-pico", "lint-emulator", "lint-fuzz"])
def test_the_analyzer_finds_nothing_on_long_paths(what: str) -> None:
    command = ["make", "-s", "-C", str(FIRMWARE), what, f"ANALYZER_NODES={CLANGS_OWN_LIMIT}"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-4000:]
