"""Which code runs, on what machine."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from pathlib import Path

from benchmarks.report import processor
from tests.soak.records import Machine, SoakError

ROOT = Path(__file__).resolve().parents[2]
PROSE = (":(exclude)docs", ":(exclude)README.md")
"""No soak's result depends on these."""
UNKNOWN = "unknown"
CHANGED = ", changed"


def machine() -> Machine:
    """This machine, without its name."""
    return Machine(os.cpu_count() or 1, processor(), platform.python_version())


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
    changed = _git("status", "--porcelain", "--", ".", *PROSE).stdout.strip()
    return head.stdout.strip() + (CHANGED if changed else "")


def is_committed(commit: str) -> bool:
    """Whether a commit, as `commit` names it, is all of the code that runs."""
    return CHANGED not in commit and commit != UNKNOWN


def archive(commit: str) -> bytes:
    """The files of a commit, as a zip file.

    Raises:
        SoakError: git has no such commit.
    """
    made = subprocess.run(["git", "-C", str(ROOT), "archive", "--format=zip", commit], capture_output=True, check=False)
    if made.returncode:
        raise SoakError(f"git archive: {made.stderr.decode(errors='replace').strip()}")
    return made.stdout


@cache
def same_code(one: str, other: str) -> bool:
    """Whether two commits differ in prose at most; code that was changed and not committed equals nothing."""
    if not (is_committed(one) and is_committed(other)):
        return False
    return one == other or _git("diff", "--quiet", one, other, "--", ".", *PROSE).returncode == 0
