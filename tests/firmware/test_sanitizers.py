"""The core with AddressSanitizer and UBSan: the tests of the core once more, in a Python that has the sanitizer loaded.

A wrong address, or anything that C leaves undefined, ends that Python at once, and its last words say where.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from hal.board.messages import KINDS
from tests.firmware.conftest import FIRMWARE, make_firmware

ROOT = FIRMWARE.parent
BUILD = "build/sanitized"
PARTS = {
    "lines": ("edges", "quadrature", "outputs", "samples"),
    "the link": ("frames", "session"),
}
"""The tests of the core, by what they are about; in the soak a process each."""
ONE_IN = 40
"""The tests of the core without sanitizers try all of their random examples; with them the soak does."""
HOST = Path(__file__).with_name("test_host_process.py")


@cache
def sanitizer() -> str:
    """The library that must be there before all others."""
    command = ["cc", "-print-file-name=libasan.so"]
    library = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    assert Path(library).is_file(), f"cc has no AddressSanitizer: expected a path, saw {library}; install gcc's own"
    return library


def python(*arguments: str, one_in: int = ONE_IN) -> subprocess.CompletedProcess[str]:
    """A Python that loads the core of `BUILD`, and knows what the core does wrong."""
    for kind in KINDS:
        make_firmware(f"{BUILD}/libcore_{kind}.so")
    environment = {
        **os.environ,
        "LD_PRELOAD": sanitizer(),
        "PYTHONMALLOC": "malloc",  # so that what Python lends a board has its bounds watched too
        "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0",  # Python keeps what it has; boards are copies
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "FELTWIRE_FIRMWARE_BUILD": BUILD,
        "FELTWIRE_CORE_ONE_IN": str(one_in),
    }
    environment.pop("PYTEST_XDIST_WORKER", None)
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def run_tests(*files: Path, only: str = "not soak", one_in: int = ONE_IN) -> None:
    """Those tests pass there."""
    options = ("-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-m", only, "--timeout", "1800")
    ran = python("-m", "pytest", *options, *map(str, files), one_in=one_in)
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]


def of_the_core(name: str) -> Path:
    """Its tests."""
    return Path(__file__).with_name(f"test_core_{name}.py")


def test_all_tests_of_the_core_are_in_one_of_the_parts() -> None:
    parted = sorted(of_the_core(name) for names in PARTS.values() for name in names)
    assert parted == sorted(Path(__file__).parent.glob("test_core_*.py"))


def test_nothing_is_wrong_while_the_core_is_tested() -> None:
    run_tests(*(of_the_core(name) for names in PARTS.values() for name in names))


@pytest.mark.soak
def test_nothing_is_wrong_while_the_process_of_a_board_is_tested() -> None:
    make_firmware(f"{BUILD}/host/wheel")
    run_tests(HOST)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", PARTS)
def test_nothing_is_wrong_while_the_core_is_tested_for_long(part: str) -> None:
    run_tests(*map(of_the_core, PARTS[part]), only="soak or not soak", one_in=1)


WRONG = {
    "512-byte region": "core.core_eeprom(ctypes.create_string_buffer(512), 0)",
    "misaligned address": "core.core_take_sent(ctypes.byref(ctypes.create_string_buffer(64), 1), ctypes.c_size_t(1))",
}
"""What somebody does to a board, by words that the sanitizer has for it."""


@pytest.mark.parametrize("seen", WRONG)
def test_what_is_wrong_ends_it_and_is_named(seen: str) -> None:
    library = make_firmware(f"{BUILD}/libcore_wheel.so")
    program = f"""
import ctypes
core = ctypes.CDLL({str(library)!r})
core.core_begin(ctypes.c_uint64(0), None, 1)
core.core_run(ctypes.c_uint64(100_000))
{WRONG[seen]}
"""
    ran = python("-c", program)
    assert ran.returncode != 0
    assert seen in ran.stderr


def test_nothing_wrong_is_nothing_said() -> None:
    library = make_firmware(f"{BUILD}/libcore_wheel.so")
    ran = python("-c", f"import ctypes; ctypes.CDLL({str(library)!r}).core_begin(ctypes.c_uint64(0), None, 1)")
    assert (ran.returncode, ran.stderr) == (0, "")
