"""The software that is installed: the SHA-256 of every file of its packages, and the versions of Python and libraries.

The libraries' own files are the package manager's: `debsums`, or the hash of the image.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from controller.packages.files import PACKAGES, ROOT, files_below, hash_of, library_files

_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")


def installed_files(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Each file of the packages, as `files_below` has it, and the library of compiled modules."""
    for path in library_files(root):
        yield path.name, hash_of(path)
    for package in PACKAGES:
        yield from files_below(root / package, root)


def compile_all(root: Path = ROOT) -> None:
    """Compiles what is not compiled yet, where this user may: Python would do so later, and files would be added."""
    import compileall

    for package in PACKAGES:
        if os.access(root / package, os.W_OK):
            compileall.compile_dir(root / package, quiet=2)


@cache
def libraries() -> dict[str, str]:
    """Python and the libraries that the software asks for, with their versions."""
    from importlib.metadata import PackageNotFoundError, requires, version

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
