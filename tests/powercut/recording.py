"""Runs a program whose writes are recorded, or whose disk fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.fakes.time_limits import HANG_S

SOURCE = Path(__file__).with_name("record_writes.c")
ROOT = Path(__file__).resolve().parents[2]


def build(folder: Path) -> Path:
    """Compiles the recorder; the tests that need it fail where there is no C compiler, and are never left out."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    assert compiler, "no C compiler: the proof against power cuts needs one; install it with: sudo apt install gcc"
    library = folder / "record_writes.so"
    subprocess.run(
        [compiler, "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"], check=True
    )
    return library


def fast_folder() -> str | None:
    """Where files are made that need not last: memory, where the system offers it."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def play(
    library: Path, folder: Path, submitted: Path, run: Sequence[object], environment: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """One run of `tests.powercut.load` with the recorder in it: its seed, how many submissions, and its end."""
    return subprocess.run(
        [sys.executable, "-m", "tests.powercut.load", "record", folder, submitted, *map(str, run)],
        cwd=ROOT,
        env={**os.environ, **environment, "LD_PRELOAD": str(library), "RECORD_FOLDER": str(folder)},
        capture_output=True,
        text=True,
        timeout=HANG_S,
    )


def failing(call: str, after: int, error: int, *, once: bool = False) -> dict[str, str]:
    """A disk on which `after` calls succeed, and the next, or every later one, fails: `call` is write, sync or any."""
    disk = {"FAIL_CALL": call, "FAIL_AFTER": str(after), "FAIL_ERRNO": str(error)}
    return {**disk, "FAIL_FOR": "1"} if once else disk
