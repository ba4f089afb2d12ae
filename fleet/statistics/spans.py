"""Which numbers of events are held: spans without a gap."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable


class Spans:
    """A set of numbers, as spans: one that comes next makes its span longer, one that fills a gap joins two."""

    def __init__(self, spans: Iterable[tuple[int, int]] = ()) -> None:
        """`spans` are first and last of each, in order, and do not touch."""
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        for first, last in spans:
            self._firsts.append(first)
            self._lasts.append(last)

    def __contains__(self, number: int) -> bool:
        """Whether a number is there."""
        lasts = self._lasts
        if not lasts or number > lasts[-1]:
            return False
        before = bisect_right(self._firsts, number) - 1
        return before >= 0 and number <= lasts[before]

    def add(self, number: int) -> bool:
        """Adds a number. Returns False where it was there."""
        if self._lasts and number == self._lasts[-1] + 1:
            self._lasts[-1] = number
            return True
        after = bisect_right(self._firsts, number)
        before = after - 1
        if before >= 0 and number <= self._lasts[before]:
            return False
        joins_before = before >= 0 and self._lasts[before] == number - 1
        joins_after = after < len(self._firsts) and self._firsts[after] == number + 1
        if joins_before and joins_after:
            self._lasts[before] = self._lasts[after]
            del self._firsts[after], self._lasts[after]
        elif joins_before:
            self._lasts[before] = number
        elif joins_after:
            self._firsts[after] = number
        else:
            self._firsts.insert(after, number)
            self._lasts.insert(after, number)
        return True

    def listed(self) -> list[tuple[int, int]]:
        """First and last of each span, in order."""
        return list(zip(self._firsts, self._lasts, strict=True))


def missing(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The gaps from number 1 on, up to the last number that is there."""
    found = []
    expected = 1
    for first, last in spans:
        if first > expected:
            found.append((expected, first - 1))
        expected = last + 1
    return found
