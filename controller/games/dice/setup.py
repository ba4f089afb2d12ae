"""The set-up that dice tables share: who gives the values, the automated shaker, and what the bias watch counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from controller.configuration.registry import Slot
from controller.configuration.sections import ShakeWatchSection
from controller.configuration.values import TableConfig
from controller.games.base.spec import TableDevices, WatchSpec
from controller.games.dice.rules import FACES, DiceRules
from controller.games.dice.values import DiceValues, ValueSource
from controller.table.context import GameContext
from controller.table.pace_watch import paced
from controller.table.round_watch import RoundWatch
from controller.table.rounds import RoundLifecycle
from controller.table.shake_watch import ShakeLimits, ShakeWatch
from controller.table.terms import UNCALLED_WARNING, Terms, Uncalled
from drivers.dice.reader import DiceReaderConfig, ReaderActuator
from feed.events import StatisticsKey
from feed.fairness import Sample, Test

SLOTS_OF_VALUES: Final[Mapping[str, Slot]] = {
    "keypad": Slot(("dice_keypad",), unless="reader"),
    "reader": Slot(("dice_reader",), always=False),
}
"""Who gives the values of dice: the keypad, or a reading board in its place, or both where the file names both."""


def _watch(config: TableConfig) -> RoundWatch | None:
    keys = config.watch_keys(ShakeWatchSection)
    shakes = ShakeWatch(ShakeLimits(keys.least_moved_s, keys.least_pulses))
    return paced(keys.least_games_an_hour, keys.most_games_an_hour, keys.idle_s, shakes)


SHAKE_WATCH: Final = WatchSpec(ShakeWatchSection, _watch)
"""The pace, and how its dice are shaken, thrown or tossed."""
SETS: Final = ("dealer_dice", "dice")
"""Where a result has dice: at beat the dealer both sets fall in the same cage."""


def dice_parts(count: int) -> tuple[str, ...]:
    """The dice that a device counts, by name."""
    return tuple(f"die {number}" for number in range(1, count + 1))


def make_values(config: TableConfig, devices: TableDevices, dice: int, wait_s: float = 20.0) -> DiceValues:
    """Makes the keypad and the reading board; `wait_s` is how long one is awaited after the other has reported."""
    devices.make("keypad", dice_parts(dice))
    reader = devices.commanded("reader", ReaderActuator, dice_parts(dice))
    both: tuple[ValueSource, ...] = ("keypad", "reader")
    sources = [source for source in both if source in config.devices]
    if len(sources) == len(both) and config.devices["reader"].keys(DiceReaderConfig).format == "state_words":
        # It reports that dice are shaken, and no values.
        sources = ["keypad"]
    return DiceValues(sources, wait_s) if reader is None else DiceValues(sources, wait_s, reader.dice_rest)


def dice_rounds(
    context: GameContext,
    rules: DiceRules,
    rule: str,
    settle_after_s: float,
    *,
    uncalled_warning: tuple[str, str] = UNCALLED_WARNING,
    settled_by_call: bool = True,
) -> RoundLifecycle:
    """The rounds of a dice table. An outcome cites `rule`; the rest is as in `Terms`.

    An unresolved round holds the table until a person calls it, over a fault, a closed table and a restart too: until
    then nobody knows what to pay, and `round.settled` states that the bets are paid.
    """
    terms = Terms(
        rules.no_more_bets,
        rules.reasons,
        rule,
        settle_after_s,
        rules.no_roll.value,
        Uncalled.PLAY,
        uncalled_warning,
        settled_by_call,
    )
    return RoundLifecycle(context, terms)


def dice_statistics(dice: int) -> list[StatisticsKey]:
    """What the statistics of this number of dice count: their sum, and the face of each."""
    totals = range(dice * FACES[0], dice * FACES[-1] + 1)
    return [StatisticsKey(field="total", values=[*totals]), StatisticsKey(field="dice", values=[*FACES])]


class DicePlan(NamedTuple):
    """What the bias watch counts of dice that fall together: the faces that they show, and their sum.

    Dice have no order. Whoever keys them begins where they like, often with the lowest, and a board lists them as it
    sees them: the first of a result is not one die, and fair dice keyed in ascending order show nearly no six there.
    """

    tests: Sequence[Test]
    dice: int
    device: str = "dice"

    @property
    def places(self) -> Mapping[Hashable, float]:
        """The faces of all dice together, in ascending order, as the watch for a stuck reader counts them."""
        thrown = Counter(tuple(sorted(faces)) for faces in product(FACES, repeat=self.dice))
        return {faces: count / len(FACES) ** self.dice for faces, count in thrown.items()}

    def falls(self, result: Mapping[str, Any]) -> list[Hashable]:
        """The faces of each set that fell."""
        return [tuple(sorted(result[name])) for name in SETS if result.get(name)]

    def samples(self, result: Mapping[str, Any]) -> list[Sample]:
        """Each die's face, whichever die it is, and the total."""
        found: list[Sample] = []
        for name in SETS:
            dice = result.get(name)
            if dice:
                found += [{"total": sum(dice)}, *({"face": value} for value in dice)]
        return found


def dice_plan(dice: int) -> DicePlan:
    """What is counted of this number of dice."""
    faces: Mapping[int | str, float] = {face: 1 / len(FACES) for face in FACES}
    sums = Counter(sum(values) for values in product(FACES, repeat=dice))
    total: Mapping[int | str, float] = {value: count / len(FACES) ** dice for value, count in sorted(sums.items())}
    return DicePlan([Test("face", faces), Test("total", total)], dice)


MOST_DICE: Final = 6
"""Dice that fall together at a table which published its sums (ours): the distribution is counted out."""


def published_dice(keys: Sequence[StatisticsKey]) -> DicePlan | None:
    """The plan of a table that published its statistics keys: its least sum is the number of its dice."""
    least = next((min(one.values, default=0) for one in keys if one.field == "total" and _whole(one.values)), 0)
    return dice_plan(int(least)) if 1 <= int(least) <= MOST_DICE else None


def _whole(values: Sequence[int | str]) -> bool:
    return all(isinstance(value, int) for value in values)
