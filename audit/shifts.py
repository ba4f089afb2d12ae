"""Who dealt at a table and when: a file that the house keeps for its reports, and that no event, topic or board has.

    [[shift]]
    dealer = "d17"                            # an id, which only the house can read
    table = "roulette-1"                      # without it: every table
    since = 2026-07-04T19:00:00-04:00
    until = 2026-07-04T21:00:00-04:00

The file must be its owner's alone (mode 0600): it is the key without which a report names no dealer.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import combinations
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from audit.misfires import PlayedRound


class ShiftsError(Exception):
    """The file cannot be used; the message has file, entry, key and fix."""


class Shift(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A dealer at a table."""

    dealer: Annotated[str, Meta(pattern=r"\A[A-Za-z0-9._-]{1,32}\Z")]
    """An id: no name of a person is wanted."""
    since: datetime
    until: datetime
    table: str = ""


class DealerLine(NamedTuple):
    """The rounds of one dealer."""

    dealer: str
    played: list[PlayedRound]
    refused: int
    causes: dict[str, int]


def read_shifts(path: Path, tables: Collection[str]) -> list[Shift]:
    """The shifts of a file, at these tables.

    Raises:
        ShiftsError: others may read it, or it is wrong.
    """
    try:
        mode = path.stat().st_mode
        if mode & 0o077:
            raise ShiftsError(f"{path}: mode {mode & 0o777:04o} lets others read who dealt; run chmod 600 {path}")
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ShiftsError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise ShiftsError(f"{path}: is not TOML ({error}); write [[shift]] with dealer, since and until") from error
    unknown = [key for key in document if key != "shift"]
    entries = document.get("shift", [])
    if unknown or not isinstance(entries, list) or not entries:
        wrong = f"unknown key {unknown[0]}" if unknown else "it has no shift"
        raise ShiftsError(f"{path}: {wrong}; write [[shift]] with dealer, since and until")
    shifts = [_shift(path, number, entry) for number, entry in enumerate(entries, 1)]
    for number, one in enumerate(shifts, 1):
        if one.table and one.table not in tables:
            there = ", ".join(sorted(tables)) or "none"
            raise ShiftsError(f"{path}: shift {number}: the journal has no table {one.table}; write one of: {there}")
    for (first, one), (second, other) in combinations(enumerate(shifts, 1), 2):
        at_one_table = one.table == other.table or not one.table or not other.table
        if at_one_table and one.since < other.until and other.since < one.until:
            shared = f"shift {second}: from {max(one.since, other.since).isoformat()} shift {first} has the table too"
            raise ShiftsError(f"{path}: {shared}; end the one when the other begins, or name the table of each")
    return shifts


def _shift(path: Path, number: int, entry: object) -> Shift:
    try:
        shift = msgspec.convert(entry, Shift)
    except msgspec.ValidationError as error:
        fix = 'write dealer = "d17", since and until, and perhaps table'
        raise ShiftsError(f"{path}: shift {number}: {error}; {fix}") from error
    for key, time in (("since", shift.since), ("until", shift.until)):
        if time.tzinfo is None:
            fix = f"write {time.isoformat()}-04:00, with the zone"
            raise ShiftsError(f"{path}: shift {number}: {key} has no zone; {fix}")
    if shift.since >= shift.until:
        raise ShiftsError(f"{path}: shift {number}: until is not after since; exchange them")
    return shift


def by_dealer(rounds: Sequence[PlayedRound], shifts: Sequence[Shift]) -> list[DealerLine]:
    """The rounds of each dealer, by id. A round belongs to the shift that has its time and table."""
    spans = [(one, round(one.since.timestamp() * 1e9), round(one.until.timestamp() * 1e9)) for one in shifts]
    dealt: dict[str, list[PlayedRound]] = {one.dealer: [] for one in shifts}
    for played in rounds:
        for shift, since_ns, until_ns in spans:
            if since_ns <= played.time_ns < until_ns and shift.table in ("", played.table):
                dealt[shift.dealer].append(played)
                break
    found = []
    for dealer, of in sorted(dealt.items()):
        refused = [one.refused for one in of if one.refused]
        counted = {cause: refused.count(cause) for cause in sorted(set(refused))}
        found.append(DealerLine(dealer, of, len(refused), counted))
    return found
