"""The wear of a wheel against its own history: what has changed since it was learnt, and when it reaches its limit.

    measured spins   ......│......│......│......│  ···  │......│......│......│
    blocks of 6          25 blocks: the baseline              the last 8 are compared with it
    history          every block: its median (of shares and counts its mean), its day; older ones merged by twos

A value is worn where the last blocks lie beyond the baseline's so clearly that chance has it less often than stated
(the exact test of Mann, Whitney and Wilcoxon, over all values and all looks of a window), and where it has gone a tenth
of its way to the limit. The two blocks of the baseline that are furthest in that direction are left out, and the chance
is that of a baseline without them: a plug that was loose for an evening does not hide what comes later. No distribution
is taken for granted, and nothing is assumed of how a value scatters. The rate is the median of all slopes between
blocks (Theil and Sen), its doubt the interval of their ranks: they give the day on which the limit is reached. All of
it is ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache, lru_cache
from itertools import combinations
from math import ceil, comb, sqrt
from statistics import fmean, median
from typing import Final, NamedTuple

from .data import WearHistory

BLOCK: Final = 6
"""Measured spins in a block (ours)."""
BASELINE: Final = 25
"""Blocks from which the baseline is learnt (ours): where one spin in four is measured meanwhile, of 600 spins."""
LEAST_BASELINE: Final = 0.8
"""Part of the baseline's blocks in which a value must have been measured (ours)."""
ODD: Final = 2
"""Blocks of the baseline that may be odd (ours); fewer where it is too short for the stated chance without them."""
CLOCK_DAYS: Final = 1.0
"""A block that is dated later than now by more is not believed (ours)."""
WINDOW: Final = 8
"""The last blocks, which are compared with it (ours): the first ones of 192 spins, later ones of 1,152."""
MOST_BLOCKS: Final = 63
"""Blocks that a history keeps (ours); then the older half of those after the baseline is merged by twos."""
RATE_BLOCKS: Final = 32
"""The last blocks of a history, merged ones too, that give the rate (ours)."""
NOTABLE: Final = 0.1
"""Part of the way from the baseline to the limit below which nothing is worn (ours)."""
FURTHEST_DAYS: Final = 3650.0
"""A day that is further off is not stated (ours)."""
_NORMAL_95: Final = 1.96
_OF_MEDIAN: Final = 1.4826 * 1.2533
"""The deviation of a median of normal values, times the root of their number, over the median deviation of each."""
_FIRST_DAY: Final = date(1970, 1, 1).toordinal()


class WearPart(NamedTuple):
    """A value, the part that it belongs to, and where its limit is."""

    part: str
    value: str
    unit: str
    factors: tuple[float, ...] = ()
    """Limits, as multiples of the baseline."""
    rise: float | None = None
    """A limit so much above the baseline."""
    limit: float | None = None
    """A limit that the baseline does not move, where the table's file has none."""
    mean: bool = False
    """Whether blocks have means: of shares and counts that are mostly 0."""


_PARTS: Final[Mapping[str, WearPart]] = {
    "ball_slowing": WearPart("ball track", "slowing of the ball", "rad/s²", factors=(2.0,)),
    "rotor_slowing": WearPart("bearing of the rotor", "slowing of the rotor", "rpm/s", factors=(2.0,)),
    "wheel_slowing": WearPart("bearing of the wheel", "slowing of the wheel", "°/s²", factors=(2.0,)),
    "rocking": WearPart("flapper, or bearing", "rocking before the rest", "s", factors=(0.4, 2.0)),
    "unevenness": WearPart("encoder", "unevenness of its counts", "", rise=0.15),
    "bounces": WearPart("encoder", "contact bounces in a spin", "", rise=100.0, mean=True),
    "level": WearPart("level of the wheel", "inclination", "°", limit=0.15),
    "ball_run": WearPart("launcher or ball track", "time until no more bets", "s", factors=(0.6, 1.6)),
    "rotor_spread": WearPart("drive of the rotor", "spread of its speed in a spin", "", rise=0.2),
}
_WIDTH: Final = WearPart("track sensor", "width of its pulses, of the others'", "", factors=(1 / 1.8, 1.8))
_MISSED: Final = WearPart("track sensor", "share of passes that it missed", "", rise=0.2, mean=True)


@lru_cache
def part_of(name: str) -> WearPart | None:
    """What a value is; None for one that this version does not know."""
    kind, _, what = name.rpartition("_")
    if what in ("width", "missed") and kind.startswith("ball_"):
        part = _WIDTH if what == "width" else _MISSED
        return part._replace(part=f"{part.part} {kind}")
    return _PARTS.get(name)


class Forecast(NamedTuple):
    """The days, since 1970, on which a limit is reached; None for one that is more than ten years off."""

    earliest: float
    about: float | None
    latest: float | None

    @property
    def words(self) -> str:
        """It in words."""
        if self.about is None:
            return f"its limit is not reached before {_day(self.earliest)}"
        until = "later than in ten years" if self.latest is None else _day(self.latest)
        return f"limit reached about {_day(self.about)} (95 %: {_day(self.earliest)} to {until})"


class Worn(NamedTuple):
    """A value that has changed since the wheel was learnt."""

    name: str
    part: WearPart
    baseline: float
    now: float
    limit: float
    spins: int
    """Measured spins of the history."""
    forecast: Forecast | None

    @property
    def progress(self) -> float:
        """The part of the way from the baseline to the limit."""
        return (self.now - self.baseline) / (self.limit - self.baseline)

    @property
    def words(self) -> str:
        """It in words."""
        unit = f" {self.part.unit}" if self.part.unit not in ("", "°") else self.part.unit
        seen = f"{self.part.value} {self.now:.3g}{unit}, {self.baseline:.3g}{unit} when it was learnt"
        if self.progress >= 1:
            return f"{self.part.part}: {seen}; its limit {self.limit:.3g}{unit} is reached"
        when = "; the blocks give no rate" if self.forecast is None else f"; {self.forecast.words}"
        return f"{self.part.part}: {seen}, limit {self.limit:.3g}{unit}{when}"


def worn(history: WearHistory, false_alarm: float) -> list[Worn]:
    """What of a wheel is worn, by the last blocks of its history; empty while it is not learnt."""
    if len(history.days) < history.learnt + WINDOW:
        return []
    learnt = [
        (name, part, _learnt(part, tuple(history.values[name][: history.learnt]), history.limits.get(name)))
        for name in sorted(history.values)
        if (part := part_of(name)) is not None
    ]
    tests = WINDOW * sum(len(one.limits) for _, _, one in learnt)
    found = []
    for name, part, one in learnt:
        last = [value for value in history.values[name][-WINDOW:] if value is not None]
        if not one.limits or len(last) < WINDOW:
            continue
        now = median(last)
        for limit in one.limits:
            way = 1 if limit > one.baseline else -1
            if (now - one.baseline) * way < NOTABLE * abs(limit - one.baseline):
                continue
            if _is_beyond(last, one.before, way, false_alarm / tests):
                forecast = _forecast(history.days, history.values[name], limit, now, way)
                found.append(Worn(name, part, one.baseline, now, limit, sum(history.spins), forecast))
    return found


class _Learnt(NamedTuple):
    """What the baseline of a value shows."""

    before: Sequence[float] = ()
    """Its blocks that have the value, the least first."""
    baseline: float = 0.0
    limits: Sequence[float] = ()
    """None where the blocks are too few, or the baseline is beyond them."""


@lru_cache
def _learnt(part: WearPart, blocks: tuple[float | None, ...], limit: float | None) -> _Learnt:
    """What the blocks of a baseline show; cached, since it is the same at each look. `limit` is of the table's file."""
    before = sorted(value for value in blocks if value is not None)
    if len(before) < LEAST_BASELINE * len(blocks):
        return _Learnt()
    baseline = median(before)
    limits = [baseline * factor for factor in part.factors if baseline > 0]
    if part.rise is not None:
        limits.append(baseline + part.rise)
    own = part.limit if limit is None else limit
    return _Learnt(before, baseline, [*limits, own] if own is not None and baseline < own else limits)


def _is_beyond(last: Sequence[float], before: Sequence[float], way: int, chance: float) -> bool:
    """Whether the last blocks are so clearly above those before, or with -1 below, that chance has it this seldom."""
    odd, least = _rank_test(len(last), len(before), chance)
    kept = before[: len(before) - odd] if way > 0 else before[odd:]
    beyond = sum((one > other) - (one < other) for one in last for other in kept) * way
    # Of all pairs, twice those that are beyond: ties count half, and make it less.
    return beyond + len(last) * len(kept) >= 2 * least


@cache
def _rank_test(last: int, before: int, chance: float) -> tuple[int, int]:
    """How many blocks of those before are left out, and the fewest pairs that are beyond by chance so seldom."""
    for odd in range(ODD, 0, -1):
        least = least_beyond(last, before, odd, chance)
        if least <= last * (before - odd):
            return odd, least
    return 0, least_beyond(last, before, 0, chance)


def least_beyond(last: int, before: int, odd: int, chance: float) -> int:
    """The fewest pairs, a last block and one of before, with the last one beyond, that chance has so seldom or less;
    of those before as many as are odd, the furthest, are in no pair.

    One more than all pairs where even all of them are not seldom enough.
    """
    # Ways to have each number of pairs: a block more of the last ones is beyond 0 to all of those before.
    kept = before - odd
    ways = {(0, rest): [1] for rest in range(before + 1)}
    for number in range(1, last + 1):
        for rest in range(before + 1):
            found = [0] * (number * min(rest, kept) + 1)
            for pairs, count in enumerate(ways[number - 1, rest]):
                found[pairs + min(rest, kept)] += count
            if rest:
                for pairs, count in enumerate(ways[number, rest - 1]):
                    found[pairs] += count
            ways[number, rest] = found
    left = chance * comb(last + before, last)
    counts, pairs = ways[last, before], last * kept
    while pairs >= 0 and counts[pairs] <= left:
        left -= counts[pairs]
        pairs -= 1
    return pairs + 1


def _forecast(
    days: Sequence[float], values: Sequence[float | None], limit: float, now: float, way: int
) -> Forecast | None:
    """When a value reaches its limit, by the slopes between the last blocks; None where they give no rate."""
    points = [
        (day, value * way)
        for day, value in zip(days[-RATE_BLOCKS:], values[-RATE_BLOCKS:], strict=True)
        if value is not None
    ]
    slopes = sorted((b - a) / (after - before) for (before, a), (after, b) in combinations(points, 2) if after > before)
    if not slopes:
        return None
    number = len(points)
    off = _NORMAL_95 * sqrt(number * (number - 1) * (2 * number + 5) / 18)
    low = slopes[max(0, int((len(slopes) - off) / 2))]
    high = slopes[min(len(slopes) - 1, ceil((len(slopes) + off) / 2))]
    # The median of the last blocks is that of their middle.
    left, today = (limit - now) * way, median(days[-WINDOW:])

    slope = median(slopes)
    starts = [value - slope * day for day, value in points]
    start = median(starts)
    doubt = _NORMAL_95 * _OF_MEDIAN * median(abs(one - start) for one in starts) / sqrt(WINDOW)

    def on(way_left: float, slope: float) -> float | None:
        return today + max(0.0, way_left) / slope if slope * FURTHEST_DAYS >= way_left and slope > 0 else None

    earliest = on(left - doubt, high)
    return None if earliest is None else Forecast(earliest, on(left, slope), on(left + doubt, low))


def _day(day: float) -> str:
    return date.fromordinal(_FIRST_DAY + int(day)).isoformat()


# --- the history ---


def since(history: WearHistory, day: float, now: float) -> WearHistory:
    """The blocks from a day on, as a part was exchanged then, and the wheel is learnt again. Each is judged by its own
    day, wherever it is: a clock may have been wrong. `now` is a day, too."""
    kept = [at for at, one in enumerate(history.days) if day <= one <= now + CLOCK_DAYS]
    return history if len(kept) == len(history.days) else _blocks_of(history, kept)


def _blocks_of(history: WearHistory, kept: Sequence[int]) -> WearHistory:
    """The history of these blocks alone, with the values that were measured in them."""
    left = {name: [own[at] for at in kept] for name, own in history.values.items()}
    return WearHistory(
        days=[history.days[at] for at in kept],
        spins=[history.spins[at] for at in kept],
        values={name: own for name, own in left.items() if own.count(None) < len(own)},
        limits=history.limits,
        learnt=_learnt_from(history, len(kept)),
    )


def to_learn(history: WearHistory) -> int:
    """Blocks until the wheel is learnt and a first window is full."""
    blocks = len(history.days)
    return max(0, _learnt_from(history, blocks) + WINDOW - blocks)


def _learnt_from(history: WearHistory, blocks: int) -> int:
    """From how many blocks the wheel is learnt: a history of an older version that was judged has fewer."""
    return history.learnt if blocks >= history.learnt + WINDOW else BASELINE


def with_block(
    history: WearHistory, day: float, block: Sequence[Mapping[str, float]], limits: Mapping[str, float]
) -> WearHistory:
    """The history with one more block, of the values of its spins; shortened where it has become long."""
    number = len(history.days)
    names = dict.fromkeys([*history.values, *(name for spin in block for name in spin)])
    values: dict[str, list[float | None]] = {}
    for name in names:
        own = [spin[name] for spin in block if name in spin]
        part = part_of(name)
        middle = None if not own else fmean(own) if part is not None and part.mean else median(own)
        before = history.values.get(name) or [None] * number
        values[name] = [*before, None if middle is None else float(f"{middle:.4g}")]
    made = WearHistory(
        days=[*history.days, round(day, 3)],
        spins=[*history.spins, len(block)],
        values=values,
        limits=dict(limits),
        learnt=_learnt_from(history, number),
    )
    made = _from_new_sensor(made)
    return made if len(made.days) < MOST_BLOCKS else _merged(made)


def _from_new_sensor(history: WearHistory) -> WearHistory:
    """The last blocks alone where each has a value that the baseline never had: the wheel is another one, or has a
    sensor more, and is learnt again."""
    blocks, learnt = len(history.days), history.learnt
    if blocks < learnt + WINDOW:
        return history
    for own in history.values.values():
        if own[0] is None and None not in own[-WINDOW:] and own[:learnt].count(None) == learnt:
            return _blocks_of(history, range(blocks - WINDOW, blocks))
    return history


def _merged(history: WearHistory) -> WearHistory:
    """The history with the older half after the baseline merged by twos; the last blocks stay as they are."""
    learnt = history.learnt
    pairs = (len(history.days) - learnt - WINDOW) // 4
    end = learnt + 2 * pairs

    def merged(own: list[float | None]) -> list[float | None]:
        middles = []
        for at in range(learnt, end, 2):
            both = [value for value in own[at : at + 2] if value is not None]
            middles.append(fmean(both) if both else None)
        return [*own[:learnt], *middles, *own[end:]]

    days, spins = history.days, history.spins
    return WearHistory(
        days=[*days[:learnt], *((days[at] + days[at + 1]) / 2 for at in range(learnt, end, 2)), *days[end:]],
        spins=[*spins[:learnt], *(spins[at] + spins[at + 1] for at in range(learnt, end, 2)), *spins[end:]],
        values={name: merged(own) for name, own in history.values.items()},
        limits=history.limits,
        learnt=learnt,
    )
