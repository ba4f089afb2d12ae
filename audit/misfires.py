"""The misfire table: rounds that were refused, by cause and hour, with their trend and what the next round made good.

    rounds of a table   ●  ●  ○  ●  ●  ○  ○  ●        ○ refused: void, or unresolved
                              └─►●     └─►○           the next one has a result: made good, or not

The trend asks whether refusals of a cause come later or earlier in the evening than chance has them: the mean place of
the refused rounds among all of the table, against what any order of them would give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from math import erfc, sqrt
from operator import attrgetter
from typing import Final, NamedTuple

from feed.calls import CallTimes
from feed.shakes import Shake

CLEAR: Final = 0.01
"""A trend is named where chance gives it more seldom (ours)."""


class PlayedRound(NamedTuple):
    """A round with the verdict that it reached, whatever a person made of it later."""

    table: str
    number: int
    time_ns: int
    refused: str = ""
    """Verdict and reason, `void: ball_direction`; empty for an outcome."""
    call: CallTimes = CallTimes()
    """When it was called and settled."""
    shakes: tuple[Shake, ...] = ()
    """How its dice were shaken, where it has a proven result."""


class Misfire(NamedTuple):
    """The refusals of one cause at one table."""

    table: str
    cause: str
    times: int
    rounds: int
    """All of the table that have a verdict."""
    followed: int
    """Refused rounds after which another one was played."""
    made_good: int
    """... and had a result."""
    hours: dict[str, int]
    """Refusals in each hour that has any, in order."""
    trend: int
    """+1 where they come more often from hour to hour, -1 where less often, 0 where chance may have it so."""


def misfires(rounds: Sequence[PlayedRound], hour_of: Callable[[int], str]) -> list[Misfire]:
    """The table: of each table its causes, the most frequent first. `hour_of` names the hour of a time."""
    found: list[Misfire] = []
    for table, of in groupby(sorted(rounds), attrgetter("table")):
        played = list(of)
        for cause, times in Counter(one.refused for one in played if one.refused).most_common():
            places = [place for place, one in enumerate(played) if one.refused == cause]
            after = [played[place + 1] for place in places if place + 1 < len(played)]
            hours = Counter(hour_of(played[place].time_ns) for place in places)
            made_good = sum(not one.refused for one in after)
            found.append(
                Misfire(table, cause, times, len(played), len(after), made_good, hours, trend(places, len(played)))
            )
    return found


def trend(places: Sequence[int], rounds: int) -> int:
    """Whether these places among rounds in order are late (+1) or early (-1) as a whole; 0 where that may be chance.

    The sum of the places, against its mean and deviation over all choices of as many rounds (Wilcoxon).
    """
    times = len(places)
    deviation = sqrt(times * (rounds - times) * (rounds + 1) / 12)
    off = sum(places) - times * (rounds - 1) / 2
    if deviation == 0 or erfc(max(0.0, abs(off) - 0.5) / deviation / sqrt(2)) >= CLEAR:
        return 0
    return 1 if off > 0 else -1
