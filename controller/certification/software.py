"""The software that is installed: the SHA-256 of every file of its packages, and the versions of Python and libraries.

The libraries' own files are the package manager's: `debsums`, or the hash of the image.
"""

from __future__ import annotations

import compileall
import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

PACKAGES: Final = (
    *("hal", "drivers", "controller", "feed", "audit", "scoreboard", "fleet", "command_line", "screen", "simulators"),
)
ROOT: Final = Path(__file__).resolve().parents[2]
"""The folder that holds the packages."""
UNREADABLE: Final = "unreadable"
COMPILED: Final = "__pycache__"
READ_COMPILED: Final = tuple(f"{sys.implementation.cache_tag}{level}.pyc" for level in ("", ".opt-1", ".opt-2"))
"""How the names of compiled files end that this interpreter reads."""
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


def installed_files(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Each file of the packages, by its path below their folder, with its SHA-256: one after the other, in order.

    Compiled files are among them: Python runs those that this interpreter made in place of their source. A file that
    cannot be read is `unreadable`, and a link is named with its target.
    """
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*")):
            if path.is_symlink():
                yield path.relative_to(root).as_posix(), f"link to {path.readlink()}, {_hash(path)}"
            elif path.is_file() and _is_run(path):
                yield path.relative_to(root).as_posix(), _hash(path)


def compile_all(root: Path = ROOT) -> None:
    """Compiles what is not compiled yet, where this user may: Python would do so later, and files would be added."""
    for package in PACKAGES:
        if os.access(root / package, os.W_OK):
            compileall.compile_dir(root / package, quiet=2)


def _is_run(path: Path) -> bool:
    """Whether this interpreter reads a file: not what another version of Python compiled, or a tool of its own."""
    if path.parent.name != COMPILED:
        return True
    module, _, rest = path.name.partition(".")
    return bool(module) and rest in READ_COMPILED


def _hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
    except OSError:
        return UNREADABLE


@cache
def libraries() -> dict[str, str]:
    """Python and the libraries that the software asks for, with their versions."""
    found = {"python": platform.python_version()}
    for requirement in requires("feltwire") or []:
        name = _NAME.match(requirement)
        if name is None or "extra ==" in requirement:
            continue
        try:
            found[name[0].lower()] = version(name[0])
        except PackageNotFoundError:
            found[name[0].lower()] = "not installed"
    return dict(sorted(found.items()))
