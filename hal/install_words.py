"""How what is missing is installed: in words with a command that works where this program runs.

A checkout has the locked requirements beside the packages; the Debian package brings its libraries below
`/opt/feltwire/lib`, and a pip for what others made.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
"""The folder with the packages: that of the checkout, or of the libraries."""
BROUGHT: Final = frozenset({"fleet", "mqtt", "pi"})
"""What the Debian package brings."""
PACKAGED_PIP: Final = "sudo feltwire-pip"
"""The package's command for libraries and packages beside its own."""


def how_to_install(what: str, root: Path = ROOT) -> str:
    """How to install the libraries of `requirements/<what>.lock`: `install it with: …`."""
    lock = root / "requirements" / f"{what}.lock"
    if lock.is_file():
        return f"install it with: {_pip()} install --require-hashes -r {_short(lock)}"
    if what in BROUGHT:
        return "the Debian package brings it, so install that again: sudo apt install --reinstall ./feltwire_*.deb"
    return (
        "the Debian package does not bring it. In a checkout of this version, on any computer: make setup && "
        f".venv/bin/python -m pip install --require-hashes -r requirements/{what}.lock; .venv/bin/feltwire has it then"
    )


def how_to_pip(name: str, root: Path = ROOT) -> str:
    """How to install one library, or a package of others, that no lock names: `install it with: …`."""
    return f"install it with: {_pip() if (root / 'requirements').is_dir() else PACKAGED_PIP} install {name}"


def how_to_start(file: str, root: Path = ROOT) -> str:
    """How to start the service with a table: the command of a checkout, or the unit of the Debian package."""
    if not (root / "requirements").is_dir():
        return "sudo systemctl start feltwire"
    return f"{_short(Path(sys.executable).with_name('feltwire'))} run {shlex.quote(file)}"


def _pip() -> str:
    return f"{_short(Path(sys.executable))} -m pip"


def _short(path: Path) -> str:
    """A path from the current folder, where it is below that; as a shell takes it."""
    here = Path.cwd()
    return shlex.quote(os.path.relpath(path, here) if path.is_relative_to(here) else str(path))
