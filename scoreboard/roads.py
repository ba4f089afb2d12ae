"""The roads of baccarat: bead plate, big road, and the three roads derived from it.

    shoe    B B P P P B P B B        runs  B2 P3 B1 P1 B2

    bead plate      every hand, ties too: down six rows, then to the right
    big road        a column for each run of one side; a tie is a mark on the hand before it
    derived roads   compare each hand of the big road with the column 1, 2 or 3 before its own: red where the shoe is
                    regular, blue where it is not. Red and blue are not the banker and the player

The derived roads work on the lengths of the runs, never on drawn cells: a drawn column may be bent.

    hand m of run n, k columns back     m = 1:  red if L(n-1) = L(n-1-k)
                                        m > 1:  blue if m = L(n-k) + 1, otherwise red

A run that reaches the sixth row, or a cell that is taken, turns to the right. The next run begins beside the run's own
first column, in the next column whose first row is free.

Where both cells that a hand is compared with are empty it is red (ours; houses differ): only so does the other side
always have the other color. A correction is another shoe: everything is computed from the hands again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

Winner: TypeAlias = Literal["banker", "player", "tie"]

ROWS: Final = 6
DERIVED: Final = (1, 2, 3)
"""Columns back: big eye boy, small road, cockroach pig."""


class Cell(msgspec.Struct, frozen=True, array_like=True):
    """A mark at a place of a road."""

    column: int
    """From 0, at the left."""
    row: int
    """From 0, at the top."""
    mark: str
    """`banker` or `player`, of the bead plate also `tie`; of a derived road `red` or `blue`."""
    ties: int = 0
    """Of the big road: ties since this hand."""


class Roads(msgspec.Struct, frozen=True):
    """All roads of one shoe."""

    bead: list[Cell]
    big: list[Cell]
    derived: list[list[Cell]]
    """Big eye boy, small road, cockroach pig."""
    leading_ties: int
    """Ties before the first hand that a side won: the big road has no cell for them yet."""
    next_banker: list[str]
    """What the banker's winning the next hand adds to each derived road; empty where it adds nothing. It describes the
    roads, and forecasts nothing."""
    next_player: list[str]
    """The same for the player."""


class _Hand(NamedTuple):
    side: str
    ties: int


def roads_of(hands: Sequence[str]) -> Roads:
    """The roads of a shoe's hands, `banker`, `player` or `tie`, oldest first."""
    sides, leading = _without_ties(hands)
    runs = [len(list(run)) for _, run in groupby(hand.side for hand in sides)]
    return Roads(
        bead=[Cell(at // ROWS, at % ROWS, winner) for at, winner in enumerate(hands)],
        big=[
            Cell(column, row, hand.side, hand.ties)
            for (column, row), hand in zip(_laid_out(hand.side for hand in sides), sides, strict=True)
        ],
        derived=[_derived_cells(runs, back) for back in DERIVED],
        leading_ties=leading if not sides else 0,
        next_banker=_next(sides, "banker"),
        next_player=_next(sides, "player"),
    )


def derived_marks(runs: Sequence[int], back: int) -> list[str]:
    """The marks of a derived road, by the lengths of the runs of the big road."""
    marks = []
    for n, length in enumerate(runs):
        for m in range(1, length + 1):
            if m == 1:
                if n - 1 - back >= 0:
                    marks.append("red" if runs[n - 1] == runs[n - 1 - back] else "blue")
            elif n - back >= 0:
                marks.append("blue" if m == runs[n - back] + 1 else "red")
    return marks


def _without_ties(hands: Iterable[str]) -> tuple[list[_Hand], int]:
    """The hands that a side won, each with the ties that follow it; those before the first one go to it."""
    sides: list[_Hand] = []
    leading = 0
    for winner in hands:
        if winner != "tie":
            sides.append(_Hand(winner, leading if not sides else 0))
        elif sides:
            sides[-1] = sides[-1]._replace(ties=sides[-1].ties + 1)
        else:
            leading += 1
    return sides, leading


def _laid_out(marks: Iterable[str]) -> Iterator[tuple[int, int]]:
    """The place of each mark: runs of equal ones in columns of six rows, with tails."""
    taken: set[tuple[int, int]] = set()
    last, start, column, row, bent = "", -1, 0, 0, False
    for mark in marks:
        if mark != last:
            start += 1
            while (start, 0) in taken:
                start += 1
            column, row, bent = start, 0, False
        elif not bent and row + 1 < ROWS and (column, row + 1) not in taken:
            row += 1
        else:
            bent = True
            column += 1
        last = mark
        taken.add((column, row))
        yield column, row


def _derived_cells(runs: Sequence[int], back: int) -> list[Cell]:
    marks = derived_marks(runs, back)
    return [Cell(column, row, mark) for (column, row), mark in zip(_laid_out(marks), marks, strict=True)]


def _next(sides: Sequence[_Hand], side: str) -> list[str]:
    """The mark that one more hand of a side adds to each derived road."""
    runs = [len(list(run)) for _, run in groupby([*(hand.side for hand in sides), side])]
    found = []
    for back in DERIVED:
        marks = derived_marks(runs, back)
        before = len(derived_marks([*runs[:-1], runs[-1] - 1], back))
        found.append(marks[-1] if len(marks) > before else "")
    return found
