"""The last rounds of each table with their times, for a page that is printed: what a state has, oldest first.

A state keeps the outcomes that its table counts (`history`), and those of ten rounds more, which may still be
corrected. Of rounds without an outcome it keeps those ten.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from feed.state import TableState
from scoreboard.board import BoardView


class EveningRound(msgspec.Struct, frozen=True, omit_defaults=True):
    """A round with its verdict, as it is now."""

    round: int
    time: str
    """Of the event with the verdict."""
    verdict: Literal["outcome", "void", "unresolved"]
    result: dict[str, Any] | None = None
    reason: str = ""
    call: str = ""
    corrected: bool = False


class EveningTable(msgspec.Struct, frozen=True, omit_defaults=True):
    """One table."""

    key: str
    board: BoardView
    silent: int | None
    """For how long nothing came of it, in milliseconds; null if nothing ever did."""
    rounds: list[EveningRound]
    whole_from: int = 0
    """From this round on, rounds without an outcome are there as well; 0 where no round is known."""


class PrintedTables(msgspec.Struct, frozen=True, omit_defaults=True):
    """The tables of an evening as they were at one moment."""

    made: str | None
    """When, by the calendar of the board's server (RFC 3339, UTC); null where that is not known to be set."""
    tables: list[EveningTable]
    proofs: str = ""
    """The address of the page with proofs of results; empty where there is none."""


def evening_of(key: str, state: TableState, board: BoardView, silent_ms: int | None) -> EveningTable:
    """What of a table is printed."""
    rounds = {
        one.round: EveningRound(one.round, one.time, "outcome", one.result, corrected=one.corrected)
        for one in state.history.outcomes
    }
    for record in state.rounds:
        if record.outcome is None:
            stands = record.stands
            rounds[record.round] = EveningRound(
                record.round,
                record.time,
                stands.verdict,
                reason=stands.reason or "",
                call=record.call,
                corrected=record.corrected,
            )
    first = state.rounds[0].round if state.rounds else 0
    return EveningTable(key, board, silent_ms, [one for _, one in sorted(rounds.items())], first)
