"""Units of the firmware, compiled alone for this machine and called through ctypes: no board, no emulator, no time."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Sequence
from itertools import count
from pathlib import Path

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
UNITS = Path(__file__).resolve().parent / "units"
FLAGS = ("-std=gnu99", "-O1", "-g", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-fshort-enums")
CHECKED = ("-fsanitize=undefined,bounds-strict", "-fno-sanitize-recover=all")

_numbers = count()


def build(folder: Path, name: str, *sources: str, defines: Sequence[str] = ()) -> Path:
    """Compiles sources of the firmware, and of tests/firmware/units, to a library.

    What is undefined behaviour ends the test there.
    """
    library = folder / f"{name}.so"
    paths = [UNITS / source if (UNITS / source).exists() else FIRMWARE / source for source in sources]
    folders = [f"-I{path}" for path in (UNITS, FIRMWARE / "core", FIRMWARE / "kinds")]
    given = [f"-D{define}" for define in defines]
    subprocess.run(["cc", *FLAGS, *CHECKED, *folders, *given, *map(str, paths), "-o", str(library)], check=True)
    return library


def load(library: Path) -> ctypes.CDLL:
    """The library with memory of its own: loaded twice, the two know nothing of each other."""
    copy = library.with_name(f"{library.stem}-{next(_numbers)}.so")
    shutil.copy(library, copy)
    return ctypes.CDLL(str(copy))
