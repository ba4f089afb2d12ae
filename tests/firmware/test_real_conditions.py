"""The tests of the real programs once more: built by each compiler that people have, and behind a real bootloader."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hal.board.messages import KINDS
from tests.firmware.emulated import built
from tests.firmware.toolchains import COMPILERS

ROOT = Path(__file__).resolve().parents[2]
TESTS = (
    "test_avr_port.py",
    "test_board_commands.py",
    "test_rates.py::test_bursts_of_60_edges_at_50_khz_come_without_loss",
    "test_rates.py::test_of_more_than_the_wire_carries_every_edge_came_or_is_told_as_lost[20000-8_0]",
    "test_storms.py::test_edges_of_the_other_inputs_are_told_during_a_storm[1250]",
    "test_storms.py::test_tokens_are_counted_during_a_storm_elsewhere[1]",
    "test_storms.py::test_a_burst_that_the_ring_holds_is_no_storm",
)
"""Those of the port and of commands; of rates and of storms those that leave a program the least time."""
OF_A_BOOTLOADER = TESTS[:2]
"""It is the same program, begun in another way."""
WHOLE = ("test_avr_port.py", "test_board_commands.py", "test_rates.py", "test_emulated_wheel.py", "test_storms.py")
"""What the soak has of them."""
CONDITIONS = pytest.mark.parametrize(
    "environment",
    [*({"FELTWIRE_COMPILER": compiler} for compiler in COMPILERS), {"FELTWIRE_BOOTLOADER": "optiboot"}],
    ids=[*COMPILERS, "optiboot"],
)


@CONDITIONS
def test_the_programs_do_the_same(environment: dict[str, str]) -> None:
    compiler = environment.get("FELTWIRE_COMPILER")
    # This computer's own compiler is one of them: equal bytes are tested by the tests themselves.
    if compiler is None:
        run(environment, *OF_A_BOOTLOADER)
    elif not is_built_already(compiler):
        run(environment, *TESTS)


def is_built_already(compiler: str) -> bool:
    """Whether the programs of this computer's compiler are those of another one, byte by byte."""
    return all(built(f"{kind}.hex").read_bytes() == built(f"{kind}.hex", compiler).read_bytes() for kind in KINDS)


@pytest.mark.soak
@CONDITIONS
def test_the_programs_do_the_same_in_every_test(environment: dict[str, str]) -> None:
    run(environment, *WHOLE, which="soak or not soak")


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
