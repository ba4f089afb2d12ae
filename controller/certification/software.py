"""The software that is installed: the SHA-256 of every file of its packages, and the versions of Python and libraries.

The libraries' own files are the package manager's: `debsums`, or the hash of the image.
"""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

PACKAGES: Final = ("hal", "drivers", "controller", "feed", "scoreboard", "simulators")
ROOT: Final = Path(__file__).resolve().parents[2]
"""The folder that holds the packages."""
UNREADABLE: Final = "unreadable"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


def installed_files(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Each file of the packages, by its path below their folder, with its SHA-256: one after the other, in order.

    A file that cannot be read is `unreadable`: it then differs from what was certified.
    """
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(root).as_posix(), _hash(path)


def _hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
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
