"""A span between two events of a table, such as the time in which it was open.

Its length is of the clock that times the edges, which nobody sets; the wall time only shows which part of the span is
in the time that is asked for. A service that simulates at a `--speed` has a clock of the edges that runs faster than
the wall clock: its lengths are of what was played.

A computer without a clock chip begins with the time at which it was switched off, and has the right one later: where
the wall time of a span is longer than the span was, its end is right and its start is not.
"""

from __future__ import annotations

from typing import NamedTuple


class WallSpan(NamedTuple):
    """A span of time."""

    start_ns: int
    """Wall time."""
    end_ns: int
    length_ns: int
    """By the clock that nobody sets."""
    game: str = ""
    """What the table had on, where several games are told apart."""

    def clipped(self, since_ns: int | None, until_ns: int | None) -> tuple[int, int]:
        """Its start and end by the wall clock in the time that is asked for; the end is first where it is not in it."""
        first = max(self.start_ns, self.end_ns - self.length_ns)
        start = first if since_ns is None else max(first, since_ns)
        return start, self.end_ns if until_ns is None else min(self.end_ns, until_ns)

    def within(self, since_ns: int | None, until_ns: int | None) -> int:
        """How much of it is in the time that is asked for."""
        start, end = self.clipped(since_ns, until_ns)
        if (start, end) == self.clipped(None, None):
            return self.length_ns
        return max(0, min(end - start, self.length_ns))
