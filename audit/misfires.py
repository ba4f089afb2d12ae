"""The misfire table: rounds that were refused, by cause, device and hour, with their trend and what the next round made
good.

    rounds of a table   ●  ●  ○  ●  ●  ○  ○  ●        ○ refused: void, or unresolved
                              └─►●     └─►○           the next one has a result: made good, or not

The trend asks whether refusals of a cause come later or earlier in the evening than chance has them: the mean place of
the refused rounds among all of the table, against what any order of them would give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import erfc, sqrt
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from feed.calls import Calls, CallTimes
from feed.data import Data, DeviceFault, Outcome, Unresolved, Void
from feed.fairness import holm
from feed.pace import RoundSteps
from feed.shakes import Shake, shake_of

CLEAR: Final = 0.01
"""A trend of any row is named where chance gives one more seldom (ours)."""
STOPPED: Final = "service_stopped"
"""The reason of the round that was open when the service ended: nothing refused it."""


class PlayedRound(NamedTuple):
    """A round with the verdict that it reached, whatever a person made of it later."""

    table: str
    number: int
    time_ns: int
    refused: str = ""
    """Verdict and reason, `void: ball_direction`; empty for an outcome."""
    device: str = ""
    """The device whose fault refused it; empty where none did."""
    call: CallTimes = CallTimes()
    """When it was called and settled."""
    shakes: tuple[Shake, ...] = ()
    """How its dice were shaken, where it has a proven result."""


class PaceLine(msgspec.Struct, frozen=True):
    """The pace of one table."""

    table: str
    games: int
    """Rounds with a result in force."""
    cards: int
    played_ns: int
    """From the opening of each round until it was settled."""
    idle_ns: int
    medians_s: dict[str, float]
    """Of each step that any round had, in seconds."""


class PlayedRounds:
    """The rounds that a table played with one game, by its events."""

    def __init__(self) -> None:
        self._pace = RoundSteps()
        self._calls = Calls()
        self._rounds: dict[int, PlayedRound] = {}
        self._faults: dict[tuple[int | None, str], str] = {}
        """The device of a fault, by the round in which it came."""

    def restarted(self) -> None:
        """The service was started again, and with it the clock of `mono_ns`."""
        self._pace.restarted()
        self._calls.restarted()

    def take(self, data: Data, time_ns: int) -> None:
        """Takes the next event, of this time."""
        self._pace.see(data)
        self._calls.see(data)
        match data:
            case DeviceFault():
                self._faults[data.round, data.fault] = data.device
            case Outcome():
                shakes = tuple(shake_of(one) for one in data.evidence.tumbles or ())
                self._rounds[data.round] = PlayedRound("", data.round, time_ns, shakes=shakes)
            case Void(reason=reason) | Unresolved(reason=reason) if reason != STOPPED:
                device = self._faults.get((data.round, reason), "")
                verdict = "void" if isinstance(data, Void) else "unresolved"
                self._rounds[data.round] = PlayedRound("", data.round, time_ns, f"{verdict}: {reason}", device)

    def rounds(self, table: str) -> list[PlayedRound]:
        """Those that have a verdict, in order, as of the table of this name."""
        return [one._replace(table=table, call=self._calls.of(number)) for number, one in sorted(self._rounds.items())]

    def pace_line(self, table: str, games: int) -> PaceLine:
        """Their pace; `games` of them have a result in force."""
        steps = self._pace
        return PaceLine(table, games, steps.cards, steps.played_ns, steps.idle_ns, steps.medians_s)


class Misfire(msgspec.Struct, frozen=True):
    """The refusals of one cause, by one device, at one table."""

    table: str
    cause: str
    device: str
    """Empty where no fault of a device refused them."""
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


def misfires(tables: Iterable[Sequence[PlayedRound]], hour_of: Callable[[int], str]) -> list[Misfire]:
    """The table, of the rounds of each table in order: its causes, the most frequent first. `hour_of` names the hour of
    a time.

    A trend is named where chance is as seldom adjusted for all rows.
    """
    found: list[Misfire] = []
    chances: list[float | None] = []
    for played in tables:
        refused = Counter((one.refused, one.device) for one in played if one.refused)
        for (cause, device), times in refused.most_common():
            places = [at for at, one in enumerate(played) if (one.refused, one.device) == (cause, device)]
            after = [played[place + 1] for place in places if place + 1 < len(played)]
            hours = dict(sorted(Counter(hour_of(played[place].time_ns) for place in places).items()))
            made_good = sum(not one.refused for one in after)
            late, p = trend(places, len(played))
            table = played[0].table
            found.append(Misfire(table, cause, device, times, len(played), len(after), made_good, hours, late))
            chances.append(p)
    named = [p is not None and p < CLEAR for p in holm(chances)]
    return [one if clear else replace(one, trend=0) for one, clear in zip(found, named, strict=True)]


def trend(places: Sequence[int], rounds: int) -> tuple[int, float]:
    """Whether these places among rounds in order are late (+1) or early (-1) as a whole, and how often by chance.

    The sum of the places, against its mean and deviation over all choices of as many rounds (Wilcoxon).
    """
    times = len(places)
    deviation = sqrt(times * (rounds - times) * (rounds + 1) / 12)
    off = sum(places) - times * (rounds - 1) / 2
    if deviation == 0:
        return 0, 1.0
    return (1 if off > 0 else -1), erfc(max(0.0, abs(off) - 0.5) / deviation / sqrt(2))
