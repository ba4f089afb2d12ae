"""The tests of the real programs once more: built by each compiler that people have, and behind a real bootloader."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.firmware.toolchains import COMPILERS

ROOT = Path(__file__).resolve().parents[2]
FILES = ("test_avr_port", "test_rates", "test_emulated_wheel", "test_board_commands")
"""Those of the port, of rates, of a session and of commands."""
STORMS = (
    "test_a_storm_on_all_inputs_at_once_resets_nothing[wheel-1250]",
    "test_edges_of_the_other_inputs_are_told_during_a_storm[1250]",
    "test_tokens_are_counted_during_a_storm_elsewhere[1]",
    "test_a_burst_that_the_ring_holds_is_no_storm",
)
"""Of the tests of storms those that leave a program the least time; `make soak` has all of them."""
CONDITIONS = pytest.mark.parametrize(
    "environment",
    [*({"FELTWIRE_COMPILER": compiler} for compiler in COMPILERS), {"FELTWIRE_BOOTLOADER": "optiboot"}],
    ids=[*COMPILERS, "optiboot"],
)


@CONDITIONS
def test_the_programs_do_the_same(environment: dict[str, str]) -> None:
    run(environment, *(f"{name}.py" for name in FILES), *(f"test_storms.py::{name}" for name in STORMS))


@pytest.mark.soak
@CONDITIONS
def test_the_programs_bear_the_same_storms(environment: dict[str, str]) -> None:
    run(environment, "test_storms.py", which="soak or not soak")


def run(environment: dict[str, str], *tests: str, which: str = "not soak") -> None:
    """Those tests pass in this environment."""
    options = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-m", which, "--timeout", "1800")
    here = {name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(str(Path(__file__).with_name(each)) for each in tests)],
        cwd=ROOT,
        env=here | environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]
