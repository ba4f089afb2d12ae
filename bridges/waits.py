"""How long a bridge waits before it tries again."""

from __future__ import annotations

from random import Random
from typing import Final

from hal.clock import NS_PER_S

FIRST_WAIT_NS: Final = NS_PER_S // 2
"""After the first failure (ours); each further one doubles it."""


def wait_ns(failures: int, longest_ns: int, random: Random) -> int:
    """How long to wait after this many failures in a row, at most `longest_ns`."""
    return spread_ns(min(FIRST_WAIT_NS << min(max(failures - 1, 0), 32), longest_ns), random)


def spread_ns(span_ns: int, random: Random) -> int:
    """A time from the upper half of a span: bridges that lost the same server do not all come back at the same
    moment."""
    return span_ns // 2 + random.randrange(span_ns // 2 + 1)
