"""What the tests of the firmware share: the core, built for this computer. They need make and a C compiler."""

from __future__ import annotations

import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import settings

from tests.firmware.core_board import CoreBoard

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
BUILD = os.environ.get("FELTWIRE_FIRMWARE_BUILD", "build")
"""Where the core's libraries and programs are made; test_sanitizers.py has others than those of everyday."""

ONE_IN = int(os.environ.get("FELTWIRE_CORE_ONE_IN", "1"))
"""Of the random examples of the core's tests, one in this many is tried: all of them except in test_sanitizers.py."""
LEAST_EXAMPLES = 20


def examples(count: int) -> settings:
    """This many random examples, or the share of them that is tried here."""
    return settings(max_examples=max(LEAST_EXAMPLES, count // ONE_IN))


class NewBoard(Protocol):
    """Makes boards."""

    def __call__(
        self, kind: str = "wheel", *, ticks: int = 0, eeprom: bytes | None = None, cause: int = 1
    ) -> CoreBoard:
        """A board of this kind, powered on at a time."""
        ...


@contextmanager
def nothing_made() -> Iterator[None]:
    """Keeps other processes of tests from making anything of the firmware's until the end of the block."""
    FIRMWARE.joinpath("build").mkdir(exist_ok=True)
    with FIRMWARE.joinpath("build", ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@cache
def make_firmware(target: str) -> Path:
    """A file of the firmware's, made again where its sources are newer. Several processes of tests may ask at once."""
    with nothing_made():
        command = ["make", "-s", "-C", str(FIRMWARE), target]
        # Where a sanitizer is loaded (test_sanitizers.py) it is not the compiler that is to be looked at.
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        made = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert made.returncode == 0, f"{' '.join(command)} failed:\n{made.stdout}{made.stderr}"
    return FIRMWARE / target


@pytest.fixture(scope="session")
def new_board(tmp_path_factory: pytest.TempPathFactory) -> NewBoard:
    """Makes boards of the firmware as it is in this tree: `with new_board("wheel") as board:`."""
    folder = tmp_path_factory.mktemp("core")
    numbers = count()

    def make(kind: str = "wheel", *, ticks: int = 0, eeprom: bytes | None = None, cause: int = 1) -> CoreBoard:
        library = make_firmware(f"{BUILD}/libcore_{kind}.so")
        return CoreBoard(library, folder / f"{next(numbers)}.so", ticks=ticks, eeprom=eeprom, cause=cause)

    return make
