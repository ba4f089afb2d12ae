"""A span between two events of a table, such as the time in which it was open.

Its length is of the clock that times the edges, which nobody sets; the wall time only shows which part of the span is
in the time that is asked for. A service that simulates at a `--speed` has a clock of the edges that runs faster than
the wall clock: its lengths are of what was played.
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

    def within(self, since_ns: int | None, until_ns: int | None) -> int:
        """How much of it is in the time that is asked for."""
        start = self.start_ns if since_ns is None else max(self.start_ns, since_ns)
        end = self.end_ns if until_ns is None else min(self.end_ns, until_ns)
        if (start, end) == (self.start_ns, self.end_ns):
            return self.length_ns
        return max(0, min(end - start, self.length_ns))
