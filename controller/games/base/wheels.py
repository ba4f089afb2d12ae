"""What the games of wheels share: what the bias watch counts, and what has begun, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from controller.table.bias import Sample, Test
from feed.events import RoundStarted


class WheelPlan(NamedTuple):
    """What the bias watch counts of a wheel with places that are equally probable."""

    tests: Sequence[Test]
    key: str
    """What names a place in a result: `space` or `pocket`."""
    device: str = "wheel"

    def samples(self, result: Mapping[str, Any]) -> list[Sample]:
        """The place."""
        return [{self.key: result[self.key]}]


def wheel_plan(key: str, places: Sequence[int | str]) -> WheelPlan:
    """What is counted of a wheel: its places, in wheel order."""
    return WheelPlan([Test(key, {place: 1 / len(places) for place in places})], key)


def place_of(key: str) -> Callable[[Mapping[str, Any]], int | None]:
    """Where a result says that the wheel rests: its place in wheel order, which the result has under this key."""

    def place(result: Mapping[str, Any]) -> int | None:
        found = result.get(key)
        return found if isinstance(found, int) else None

    return place


def spun_words(data: RoundStarted) -> str:
    """That the spin has begun, and which way."""
    return "the spin has begun" + ("" if data.direction is None else f", {data.direction}")
