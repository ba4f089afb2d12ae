"""Which code runs, on what machine."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import cache
from pathlib import Path

from benchmarks.report import processor
from controller.packages.compiled import PLAIN
from tests.soak.records import Machine

ROOT = Path(__file__).resolve().parents[2]
PROSE = (":(exclude)docs", ":(exclude)README.md", ":(exclude)benchmarks/history.jsonl")
"""No result depends on these."""
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
    changed = _git("status", "--porcelain", "--", ".", *PROSE).stdout.strip()
    return head.stdout.strip() + (CHANGED if changed else "")


@cache
def same_code(one: str, other: str, reads: tuple[str, ...] = ()) -> bool:
    """Whether two commits differ in prose at most; code that was changed and not committed equals nothing.

    Args:
        reads: the files and folders that are compared; all where it is empty.
    """
    if UNKNOWN in (one, other) or CHANGED in one + other:
        return False
    return one == other or _git("diff", "--quiet", one, other, "--", *(reads or (".",)), *PROSE).returncode == 0
