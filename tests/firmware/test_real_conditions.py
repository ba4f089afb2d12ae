"""The tests of the real programs once more: built by each compiler that people have, and behind a real bootloader."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.firmware.toolchains import COMPILERS

ROOT = Path(__file__).resolve().parents[2]
FILES = ("test_avr_port", "test_rates", "test_emulated_wheel", "test_board_commands", "test_storms")
"""Those of the port, of rates, of a session and of commands."""


@pytest.mark.parametrize(
    "environment",
    [*({"FELTWIRE_COMPILER": compiler} for compiler in COMPILERS), {"FELTWIRE_BOOTLOADER": "optiboot"}],
    ids=[*COMPILERS, "optiboot"],
)
def test_the_programs_do_the_same(environment: dict[str, str]) -> None:
    options = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-m", "not soak", "--timeout", "1800")
    files = [str(Path(__file__).with_name(f"{name}.py")) for name in FILES]
    here = {name: value for name, value in os.environ.items() if name != "PYTEST_XDIST_WORKER"}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *files],
        cwd=ROOT,
        env=here | environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]
