"""What a table is called in a report of what it did."""

from __future__ import annotations


def table_label(table: str, game: str, *, changed: bool) -> str:
    """The table, and its game where it had another one too in the same time."""
    return f"{table} ({game.replace('_', ' ')})" if changed else table
