"""What a check has found, and how to fix it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

import msgspec

Status: TypeAlias = Literal["ok", "warning", "failed", "skipped"]
WORST_FIRST: Final[tuple[Status, ...]] = ("failed", "warning", "skipped", "ok")


class Finding(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """One fact that a check has judged."""

    check: str
    """The check's name: `noise`."""
    status: Status
    found: str
    fix: str = ""
    """What to do; empty where there is nothing to do."""
    subject: str = ""
    """The line, board or file that it is about; empty where it is about the whole table or computer."""


def ok(check: str, found: str, subject: str = "") -> Finding:
    """Nothing is wrong."""
    return Finding(check=check, status="ok", found=found, subject=subject)


def warning(check: str, found: str, fix: str, subject: str = "") -> Finding:
    """The table plays, but somebody should look."""
    return Finding(check=check, status="warning", found=found, fix=fix, subject=subject)


def failed(check: str, found: str, fix: str, subject: str = "") -> Finding:
    """The table must not play before it is fixed."""
    return Finding(check=check, status="failed", found=found, fix=fix, subject=subject)


def skipped(check: str, why: str, fix: str = "", subject: str = "") -> Finding:
    """It was not looked at, and why."""
    return Finding(check=check, status="skipped", found=why, fix=fix, subject=subject)


def worst(findings: Iterable[Finding]) -> Status:
    """The worst status; `ok` where there is none."""
    seen = {finding.status for finding in findings}
    return next((status for status in WORST_FIRST if status in seen), "ok")


class DoctorReport(msgspec.Struct, frozen=True, kw_only=True):
    """All findings of one table: what `feltwire doctor --json` prints. Keys are added, never renamed."""

    format: int = 1
    table: str
    file: str
    software: str
    time: str
    """Wall time, UTC."""
    computer: dict[str, str]
    """Model, kernel and Python, where they are known."""
    status: Status
    """The worst of the findings."""
    findings: list[Finding]
