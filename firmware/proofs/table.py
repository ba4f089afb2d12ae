"""The table of the proofs, `proofs.toml`, and of what may wrap, `meant.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
FIRMWARE = FOLDER.parent


@dataclass(frozen=True, slots=True)
class Change:
    """Text of a source that is replaced in a copy: `was` is there exactly once."""

    source: str
    was: str
    becomes: str
    claim: str = ""
    """Of a planted mistake: what it must refute."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A harness, and how it is run."""

    name: str
    shows: str
    bounds: str
    unwind: int
    quick: bool = False
    apart: bool = False
    alone: bool = False
    once: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    cuts: tuple[Change, ...] = ()
    mistakes: tuple[Change, ...] = ()
    known: dict[str, str] = field(default_factory=dict)
    """Claims that are refuted today, and why."""


def _changes(rows: list[dict[str, str]]) -> tuple[Change, ...]:
    return tuple(Change(row["in"], row["was"], row["is"], row.get("claim", "")) for row in rows)


def _proof(name: str, row: dict[str, Any]) -> Proof:
    return Proof(
        name=name,
        shows=row.pop("shows"),
        bounds=row.pop("bounds"),
        unwind=row.pop("unwind"),
        quick=row.pop("quick", False),
        apart=row.pop("apart", False),
        alone=row.pop("alone", False),
        once=tuple(row.pop("once", ())),
        options=tuple(row.pop("options", ())),
        cuts=_changes(row.pop("cut", [])),
        mistakes=_changes(row.pop("mistake", [])),
        known=row.pop("known", {}),
    )


def proofs() -> dict[str, Proof]:
    """All of them, by name; a key that nobody knows is an error."""
    rows = tomllib.loads((FOLDER / "proofs.toml").read_text())
    made = {name: _proof(name, row) for name, row in rows.items()}
    for name, row in rows.items():
        if row:
            raise ValueError(f"firmware/proofs/proofs.toml: {name}: unknown {', '.join(row)}")
    return made


def meant() -> dict[str, tuple[str, ...]]:
    """By source, the lines whose unsigned arithmetic or conversion is meant to wrap."""
    rows = tomllib.loads((FOLDER / "meant.toml").read_text())
    return {source: tuple(line for lines in by_reason.values() for line in lines) for source, by_reason in rows.items()}
