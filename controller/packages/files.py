"""Files of installed software, by their SHA-256, as this interpreter runs them."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
"""The folder that holds the packages."""
PACKAGES: Final = (
    "hal",
    "drivers",
    "controller",
    "feed",
    "audit",
    "scoreboard",
    "fleet",
    "bridges",
    "command_line",
    "screen",
    "simulators",
)
"""The import packages of this project."""
LIBRARY: Final = "feltwire__mypyc"
"""The library beside the packages that has the code of the modules that were compiled, where some were."""
UNREADABLE: Final = "unreadable"
COMPILED: Final = "__pycache__"
READ_COMPILED: Final = tuple(f"{sys.implementation.cache_tag}{level}.pyc" for level in ("", ".opt-1", ".opt-2"))
"""How the names of compiled files end that this interpreter reads."""


def library_files(root: Path) -> list[Path]:
    """The files beside the packages from which compiled modules take their code; none of plain Python."""
    return sorted(root.glob(f"{LIBRARY}.*"))


def files_below(folder: Path, root: Path) -> Iterator[tuple[str, str]]:
    """Each file of a folder by its path below `root`, with its SHA-256: one after the other, in order.

    Compiled files are among them: Python runs those that this interpreter made in place of their source. A file that
    cannot be read is `unreadable`, and a link is named with its target.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_symlink():
            yield path.relative_to(root).as_posix(), f"link to {path.readlink()}, {hash_of(path)}"
        elif path.is_file() and is_run(path):
            yield path.relative_to(root).as_posix(), hash_of(path)


def is_run(path: Path) -> bool:
    """Whether this interpreter reads a file: not what another version of Python compiled, or a tool of its own."""
    if path.parent.name != COMPILED:
        return True
    module, _, rest = path.name.partition(".")
    return bool(module) and rest in READ_COMPILED


def hash_of(path: Path) -> str:
    """The SHA-256 of a file; words where there is none, or it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
    except OSError:
        return UNREADABLE
