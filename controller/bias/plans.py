"""What the bias watch counts at each game: the faces of all dice and their total, or the places of a wheel.

Dice have no order. Whoever keys them begins where they like, often with the lowest, and a board tells them as it sees
them: the first of a result is not one die, and fair dice keyed in ascending order show nearly no six there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple, TypeAlias

from controller.configuration.values import TableConfig
from controller.games.dice.rules import FACES, DiceRules
from controller.rules.profile import profile
from controller.table.bias import Sample, Test
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.roulette.device import RouletteWheelConfig

Fair: TypeAlias = Mapping[int | str, float]
"""How probable each category is where nothing is wrong."""

SETS = ("dealer_dice", "dice")
"""Where a result has dice: at beat the dealer both sets fall in the same cage."""


class DicePlan(NamedTuple):
    """So many dice that fall together."""

    tests: Sequence[Test]
    device: str = "dice"

    def samples(self, result: Mapping[str, Any]) -> list[Sample]:
        """Each die's face, whichever die it is, and the total."""
        found: list[Sample] = []
        for name in SETS:
            dice = result.get(name)
            if dice:
                found += [{"total": sum(dice)}, *({"face": value} for value in dice)]
        return found


class WheelPlan(NamedTuple):
    """A wheel with places that are equally probable."""

    tests: Sequence[Test]
    key: str
    """What names a place in a result: `space` or `pocket`."""
    device: str = "wheel"

    def samples(self, result: Mapping[str, Any]) -> list[Sample]:
        """The place."""
        return [{self.key: result[self.key]}]


def dice_plan(dice: int) -> DicePlan:
    """What is watched of so many dice: the faces that they show together, and their sum."""
    faces: Fair = {face: 1 / len(FACES) for face in FACES}
    sums = Counter(sum(values) for values in product(FACES, repeat=dice))
    total: Fair = {value: count / len(FACES) ** dice for value, count in sorted(sums.items())}
    return DicePlan([Test("face", faces), Test("total", total)])


def wheel_plan(key: str, places: Sequence[int | str]) -> WheelPlan:
    """What is watched of a wheel: its places, in wheel order."""
    return WheelPlan([Test(key, {place: 1 / len(places) for place in places})], key)


def plan_for(config: TableConfig) -> DicePlan | WheelPlan | None:
    """What is watched at a table; None where its configuration does not say which places there are."""
    rules = profile(config.rules).rules_of(config.game)
    if isinstance(rules, DiceRules):
        return dice_plan(rules.dice_count.value)
    wheel = config.devices["wheel"].config if "wheel" in config.devices else None
    if isinstance(wheel, MoneyWheelConfig):
        return wheel_plan("space", range(len(wheel.faces)))
    if isinstance(wheel, RouletteWheelConfig):
        # Where a double-zero wheel is used as a single-zero one, 00 is never an outcome: 13:47-20.32(i)2.
        voids = ("00",) if wheel.pockets == "american_as_single_zero" else ()
        return wheel_plan("pocket", [pocket for pocket in wheel.wheel_order if pocket not in voids])
    return None
