"""What a board of roulette counts beside hot and cold: colors, halves, dozens, columns, sectors, neighbors and runs.

    results     32 red, 15 black, 0, 7 red, 9 red        (oldest first)
    run         red 2; no run of red or black reaches over the zero
    neighbors   of 9, on a single-zero wheel: 14 31 9 22 18

Everything is counted over the outcomes of the table's window, and says nothing about the next spin. Nothing here does
I/O; the page draws what it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Final

import msgspec

from feed.state import TableState

HALVES: Final = 2
PARTS: Final = 3
"""Dozens, and columns."""
CUSTOMARY_NUMBERS: Final = 36
MOST_DIGITS: Final = 4
"""Of a number that is read as one."""
EACH_SIDE: Final = 2
"""Neighbors that are shown on each side of a pocket."""


def _pockets(text: str) -> frozenset[str]:
    return frozenset(text.split())


SECTORS: Final = {
    "voisins": _pockets("22 18 29 7 28 12 35 3 26 0 32 15 19 4 21 2 25"),
    "orphelins": _pockets("1 20 14 31 9 17 34 6"),
    "tiers": _pockets("27 13 36 11 30 8 23 10 5 24 16 33"),
}
"""The sectors of the single-zero wheel, which are the names of bets at a French table. A double-zero wheel has none by
custom."""


class Sector(msgspec.Struct, frozen=True):
    """One sector of the wheel."""

    name: str
    pockets: int
    """How many pockets it has."""
    count: int
    """In how many outcomes the ball came to rest there."""


class OutcomeRun(msgspec.Struct, frozen=True):
    """Equal outcomes, one after another. Where the last outcome is a zero, none is current."""

    kind: str
    """`color`, `parity` or `half`."""
    current: tuple[str, int] | None
    """What came last, and how often in a row."""
    longest: list[tuple[str, int]]
    """The longest runs of the window, those of equal length each: what came, and how often; each value once."""


class Spin(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the ball and the rotor ran, as the evidence of a round has it."""

    round: int
    ball: str = ""
    rotor: str = ""
    """Directions seen from above."""
    rotor_rpm: float | None = None


class RouletteFigures(msgspec.Struct, frozen=True, omit_defaults=True):
    """The counts of one table."""

    counted: int
    """Over how many outcomes."""
    colors: dict[str, int]
    """Of `red`, `black` and `green`."""
    parity: dict[str, int]
    """Of `even` and `odd` numbers; a zero is neither."""
    halves: list[int] = []
    """Of the lower and the upper half of the numbers; empty where they cannot be halved."""
    dozens: list[int] = []
    """Of the three thirds of the numbers; empty where there are none."""
    columns: list[int] = []
    """Of the three columns of the layout; empty where there are none."""
    sectors: list[Sector] = []
    """Of a single-zero wheel."""
    neighbors: list[tuple[str, int]] = []
    """The last outcome in the middle of those beside it on the wheel, clockwise, and how often each came; empty where
    the order of the pockets is not known."""
    runs: list[OutcomeRun] = []
    spin: Spin | None = None
    """Of the last round that has a verdict."""


def figures_of(state: TableState) -> RouletteFigures:
    """The figures of a table of roulette."""
    key = next((key for key in state.history.keys if key.field == "pocket"), None)
    order = [] if key is None else [str(value) for value in key.wheel_order]
    counted = state.history.counted
    results = [(str(one.result.get("pocket", "")), str(one.result.get("color", ""))) for one in counted]
    return count(results, numbers_of(state) or CUSTOMARY_NUMBERS, order, spin=_spin(state))


def numbers_of(state: TableState) -> int:
    """How many pockets of the table's wheel are no zeros; 0 where it has not published them."""
    return sum(not is_zero(str(value)) for key in state.history.keys if key.field == "pocket" for value in key.values)


def count(
    results: Sequence[tuple[str, str]], numbers: int, order: Sequence[str] = (), *, spin: Spin | None = None
) -> RouletteFigures:
    """The figures of results, oldest first, each a pocket and its color.

    `numbers` is the highest number of the wheel, `order` are its pockets clockwise; empty where that is not known.
    """
    pockets = [pocket for pocket, _ in results]
    values = [number_of(pocket) for pocket in pockets]
    found = [value for value in values if value]
    halved, parted = numbers % HALVES == 0, numbers % PARTS == 0
    middle = numbers // HALVES
    parities = [("odd" if value % 2 else "even") if value else "" for value in values]
    lengths = [("low" if value <= middle else "high") if value else "" for value in values]
    # A zero has a color of its own, on which nobody stakes as on red and black.
    colors = [color if color in ("red", "black") else "" for _, color in results]
    runs = [_run("color", colors), _run("parity", parities)]
    return RouletteFigures(
        counted=len(results),
        colors={name: sum(1 for _, color in results if color == name) for name in ("red", "black", "green")},
        parity={name: parities.count(name) for name in ("even", "odd")},
        halves=[lengths.count(name) for name in ("low", "high")] if halved else [],
        dozens=_parts(found, lambda number: (number - 1) // (numbers // PARTS)) if parted else [],
        columns=_parts(found, lambda number: (number - 1) % PARTS) if parted else [],
        sectors=_sectors(pockets, order),
        neighbors=[(pocket, pockets.count(pocket)) for pocket in neighbors(pockets[-1], order)] if pockets else [],
        runs=[*runs, _run("half", lengths)] if halved else runs,
        spin=spin,
    )


def neighbors(pocket: str, order: Sequence[str]) -> list[str]:
    """A pocket in the middle of those beside it, clockwise; none where the order does not have it once."""
    if list(order).count(pocket) != 1:
        return []
    at = order.index(pocket)
    sides = min(EACH_SIDE, (len(order) - 1) // 2)
    return [order[(at + step) % len(order)] for step in range(-sides, sides + 1)]


def is_zero(pocket: str) -> bool:
    """Whether it is 0, 00 or 000."""
    return bool(pocket) and not pocket.strip("0")


@lru_cache(maxsize=256)
def number_of(pocket: str) -> int:
    """The number of a pocket that has a half and a parity; 0 of a zero, and of what is no number."""
    return int(pocket) if len(pocket) <= MOST_DIGITS and pocket.isascii() and pocket.isdecimal() else 0


def _parts(numbers: Sequence[int], part: Callable[[int], int]) -> list[int]:
    return [sum(1 for number in numbers if part(number) == index) for index in range(PARTS)]


def _sectors(pockets: Sequence[str], order: Sequence[str]) -> list[Sector]:
    """Of a wheel on which voisins and tiers are arcs; orphelins are what is between them."""
    if len(order) != len(set(order)) or set(order) != frozenset().union(*SECTORS.values()):
        return []
    if not (_is_arc(SECTORS["voisins"], order) and _is_arc(SECTORS["tiers"], order)):
        return []
    return [
        Sector(name, len(members), sum(1 for pocket in pockets if pocket in members))
        for name, members in SECTORS.items()
    ]


def _is_arc(members: frozenset[str], order: Sequence[str]) -> bool:
    """Whether these pockets are side by side: going round, one only follows a pocket that is not among them."""
    return sum(1 for at, pocket in enumerate(order) if pocket in members and order[at - 1] not in members) == 1


def _run(kind: str, values: Sequence[str]) -> OutcomeRun:
    """The runs of one kind; an empty value ends a run and begins none."""
    runs = [(value, len([*equal])) for value, equal in groupby(values) if value]
    most = max((length for _, length in runs), default=0)
    longest = [*dict.fromkeys(run for run in runs if run[1] == most)]
    return OutcomeRun(kind, runs[-1] if runs and values[-1] else None, longest)


def _spin(state: TableState) -> Spin | None:
    record = state.rounds[-1] if state.rounds else None
    evidence = None if record is None else record.evidence
    if record is None or evidence is None:
        return None
    spin = Spin(record.round, evidence.direction or "", evidence.rotor_direction or "", evidence.rotor_rpm)
    return spin if spin.ball or spin.rotor or spin.rotor_rpm is not None else None
