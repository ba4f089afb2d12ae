"""Readers of cards, held against each other: which table has more rounds that failed because a card was not read.

What is expected is the share that the readers of all tables of that game have together. How probable as many are at one
of them is exact (hypergeometric: all choices of as many rounds among those of all tables), and adjusted after Holm for
all tables. A reader that is the only one of its game is held against nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, lgamma

import msgspec

from feed.fairness import holm
from fleet.statistics.bias import FALSE_ALARM


class CardReaderLine(msgspec.Struct, frozen=True):
    """The reader of one table."""

    venue: str
    table: str
    game: str
    rounds: int
    """With a verdict."""
    misreads: int
    """Of them, unresolved because a card was not read."""
    expected: float | None
    """By the share of all tables of that game; null where it is the only one, or no round failed so."""
    p: float | None
    adjusted_p: float | None
    suspected: bool


class Counts(msgspec.Struct, frozen=True):
    """What is counted of one table."""

    venue: str
    table: str
    game: str
    rounds: int
    misreads: int


def judge_readers(counted: Iterable[Counts]) -> list[CardReaderLine]:
    """The tables of every game in which a card was not read, anywhere."""
    every = list(counted)
    games = {one.game for one in every if one.misreads}
    tables = [one for one in every if one.game in games]
    of_game = {game: [one for one in tables if one.game == game] for game in games}
    found: list[tuple[float, float] | None] = []
    for one in tables:
        of = of_game[one.game]
        rounds, misreads = sum(each.rounds for each in of), sum(each.misreads for each in of)
        expected = misreads * one.rounds / rounds
        found.append((expected, tail(one.misreads, misreads, one.rounds, rounds)) if len(of) > 1 else None)
    adjusted = holm([None if one is None else one[1] for one in found])
    return [
        CardReaderLine(
            one.venue,
            one.table,
            one.game,
            one.rounds,
            one.misreads,
            None if judged is None else judged[0],
            None if judged is None else judged[1],
            p,
            p is not None and p < FALSE_ALARM,
        )
        for one, judged, p in zip(tables, found, adjusted, strict=True)
    ]


def tail(hits: int, marked: int, drawn: int, total: int) -> float:
    """The chance that of `drawn` out of `total`, in which `marked` are marked, this many are or more."""
    if hits <= max(0, drawn - (total - marked)):
        return 1.0
    whole = _log_ways(total, drawn)
    ways = (
        exp(_log_ways(marked, one) + _log_ways(total - marked, drawn - one) - whole)
        for one in range(hits, min(marked, drawn) + 1)
    )
    return min(1.0, sum(ways))


def _log_ways(of: int, chosen: int) -> float:
    return lgamma(of + 1) - lgamma(chosen + 1) - lgamma(of - chosen + 1)
