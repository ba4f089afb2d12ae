"""What packages are built for: releases of Debian and kinds of processor."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]

MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}
"""The architectures, and what wheels call them."""


class BuildError(Exception):
    """The package cannot be built; the message states why, and what to do."""


class System(NamedTuple):
    """A release of Debian, or of a Raspberry Pi OS made from it."""

    words: str
    python: str
    """The version of its `python3`."""
    ending: str
    """Of the package's version: a package of a newer release is newer, so `apt` takes it as an upgrade."""

    @property
    def minor(self) -> str:
        """The version that wheels with C code are made for: `3.11`."""
        return ".".join(self.python.split(".")[:2])

    def markers(self, arch: str) -> dict[str, str]:
        """What the conditions of requirements are decided by there, whatever computer builds."""
        return {
            "implementation_name": "cpython",
            "os_name": "posix",
            "platform_machine": MACHINES[arch],
            "platform_python_implementation": "CPython",
            "platform_system": "Linux",
            "python_full_version": self.python,
            "python_version": self.minor,
            "sys_platform": "linux",
        }


SYSTEMS: Final = {
    "bookworm": System("Debian 12 (bookworm)", "3.11.2", "+deb12"),
    "trixie": System("Debian 13 (trixie)", "3.13.5", "+deb13"),
}
"""The systems that packages are built for, by the code name in their `/etc/os-release`."""


def run(command: list[str], *, stdin: str | None = None, **environ: str) -> str:
    """Runs a program to its end; returns what it printed.

    Raises:
        BuildError: it failed, or is missing.
    """
    try:
        done = subprocess.run(
            command, env={**os.environ, **environ}, input=stdin, capture_output=True, text=True, check=False
        )
    except FileNotFoundError as error:
        raise BuildError(
            f"{command[0]} is missing; install it with: sudo apt install {_package_of(command[0])}"
        ) from error
    if done.returncode:
        raise BuildError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def _package_of(program: str) -> str:
    return {"dpkg-deb": "dpkg", "gpg": "gnupg"}.get(program, program)
