"""Which code runs, on what machine."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

from benchmarks.report import processor
from controller.packages.compiled import PLAIN
from tests.soak.records import Machine

ROOT = Path(__file__).resolve().parents[2]
UNKNOWN = "unknown"
CHANGED = ", changed"


def machine(code: str = PLAIN) -> Machine:
    """This machine, without its name, and what runs on it: plain Python, or what compiled its hot modules."""
    python = platform.python_version() + ("" if code == PLAIN else f", hot modules {code}")
    return Machine(os.cpu_count() or 1, processor(), python)


def _git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)


def commit() -> str:
    """The commit that is checked out, with `, changed` where the code differs from it; `unknown` outside of git."""
    try:
        head = _git("rev-parse", "HEAD")
    except FileNotFoundError:
        return UNKNOWN
    if head.returncode:
        return UNKNOWN
    changed = _git("status", "--porcelain", "--", ".", ":(exclude)docs").stdout.strip()
    return head.stdout.strip() + (CHANGED if changed else "")


def same_code(one: str, other: str, loaded: Callable[[str], bool]) -> bool:
    """Whether two commits differ in no file that counts; code that was changed and not committed equals nothing.

    Args:
        loaded: whether a file counts, by its path in the project.
    """
    changed = _changed(one, other)
    return changed is not None and not any(map(loaded, changed))


@cache
def _changed(one: str, other: str) -> list[str] | None:
    """The files that two commits differ in; None where that is not known."""
    if UNKNOWN in (one, other) or CHANGED in one + other:
        return None
    if one == other:
        return []
    listed = _git("diff", "--name-only", "--no-renames", "-z", one, other)
    return None if listed.returncode else [file for file in listed.stdout.split("\0") if file]
