"""What the games of wheels share: the beginning of a spin, what the bias watch counts, and what has begun, in words."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from controller.configuration.sections import day_of
from controller.table.rounds import RoundLifecycle
from controller.table.wear_watch import WearLimits, WearWatch
from feed.events import Evidence, RoundStarted, StatisticsKey
from feed.fairness import Sample, Test


def direction_name(clockwise: bool) -> str:
    """A direction of turning, as events have it."""
    return "clockwise" if clockwise else "counter-clockwise"


def begin_spin(rounds: RoundLifecycle, t_ns: int, began_ns: int, direction: str | None) -> None:
    """The wheel spins, and did not rest from `began_ns` on: a spin that began before the call is void.

    At a table where nobody calls, the spin is the call. What draws a number has no direction.
    """
    rounds.begin_run()
    if rounds.context.call_by == "auto":
        rounds.close_bets(t_ns, began_ns, "auto")
    rounds.report.event(RoundStarted, t_ns, direction=direction)
    rounds.begun_before_call(t_ns, began_ns, "spun_before_no_more_bets", Evidence(direction=direction))


class WheelPlan(NamedTuple):
    """What the bias watch counts of a wheel with places that are equally probable."""

    tests: Sequence[Test]
    key: str
    """What names a place in a result: `space` or `pocket`."""
    device: str = "wheel"

    @property
    def places(self) -> Mapping[Hashable, float]:
        """The places, as the watch for a stuck reader counts them."""
        return {place: chance for test in self.tests for place, chance in test.probabilities.items()}

    def samples(self, result: Mapping[str, Any]) -> list[Sample]:
        """The place."""
        return [{self.key: result[self.key]}]

    def falls(self, result: Mapping[str, Any]) -> list[Hashable]:
        """The place; none in a result that was another game's."""
        return [result[self.key]] if self.key in result else []


def wheel_plan(key: str, places: Sequence[int | str]) -> WheelPlan:
    """What is counted of a wheel: its places, in wheel order."""
    return WheelPlan([Test(key, {place: 1 / len(places) for place in places})], key)


MOST_PLACES: Final = 1000
"""Places of a wheel whose table published them (ours): what more would be is not a wheel."""


def published_places(key: str) -> Callable[[Sequence[StatisticsKey]], WheelPlan | None]:
    """The plan of a table that published its statistics keys: the places that this field of a result can have."""

    def plan(keys: Sequence[StatisticsKey]) -> WheelPlan | None:
        places = next((list(dict.fromkeys(one.values)) for one in keys if one.field == key), [])
        return wheel_plan(key, places) if 1 < len(places) <= MOST_PLACES else None

    return plan


def place_of(key: str) -> Callable[[Mapping[str, Any]], int | None]:
    """Where a result says that the wheel rests: its place in wheel order, which the result has under this key."""

    def place(result: Mapping[str, Any]) -> int | None:
        found = result.get(key)
        return found if isinstance(found, int) else None

    return place


def spun_words(data: RoundStarted) -> str:
    """That the spin has begun, and which way."""
    return "the spin has begun" + ("" if data.direction is None else f", {data.direction}")


def wear_watch(*, wear: bool, since: str | None, limits: Mapping[str, float] | None = None) -> WearWatch | None:
    """The watch over a wheel's wear, by its keys of `[watch]`; None where the house wants none."""
    if not wear:
        return None
    return WearWatch(WearLimits(None if since is None else day_of(since), limits or {}))
