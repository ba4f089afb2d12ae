"""Which numbers of events are held: spans without a gap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable


class Spans:
    """A set of numbers, as spans: one that comes next makes its span longer, one that fills a gap joins two.

    Interrupted at any step (Ctrl-C), `add` has added the number or has not.
    """

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        """`spans` are first and last of each, in order, and do not touch."""
        self._sides: tuple[list[int], list[int]] = ([], [])
        """The first numbers, and the last ones."""
        for first, last in spans:
            self._sides[0].append(first)
            self._sides[1].append(last)

    def __contains__(self, number: int) -> bool:
        """Whether a number is there."""
        firsts, lasts = self._sides
        if not lasts or number > lasts[-1]:
            return False
        before = bisect_right(firsts, number) - 1
        return before >= 0 and number <= lasts[before]

    def add(self, number: int) -> bool:
        """Adds a number. Returns False where it was there."""
        firsts, lasts = self._sides
        if lasts and number == lasts[-1] + 1:
            lasts[-1] = number
            return True
        after = bisect_right(firsts, number)
        before = after - 1
        if before >= 0 and number <= lasts[before]:
            return False
        joins_before = before >= 0 and lasts[before] == number - 1
        joins_after = after < len(firsts) and firsts[after] == number + 1
        firsts, lasts = [*firsts], [*lasts]
        if joins_before and joins_after:
            lasts[before] = lasts[after]
            del firsts[after], lasts[after]
        elif joins_before:
            lasts[before] = number
        elif joins_after:
            firsts[after] = number
        else:
            firsts.insert(after, number)
            lasts.insert(after, number)
        self._sides = firsts, lasts
        return True

    def listed(self) -> list[tuple[int, int]]:
        """First and last of each span, in order."""
        return list(zip(*self._sides, strict=True))


def missing(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The gaps from number 1 on, up to the last number that is there."""
    found = []
    expected = 1
    for first, last in spans:
        if first > expected:
            found.append((expected, first - 1))
        expected = last + 1
    return found
