"""Beat the dealer, chuck-a-luck and under/over, as the catalogue lists them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SLOTS_OF_ALL, SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, GameWords, TableDevices
from controller.games.base.texts import texts_of
from controller.games.dice.setup import (
    SHAKE_WATCH,
    SLOTS_OF_VALUES,
    dice_parts,
    dice_rounds,
    dice_statistics,
    make_values,
    published_dice,
)
from controller.games.dice.values import words
from controller.games.dice.words import begun_words, dice_of, thrown_words
from controller.games.tumbled.bets import BeatTheDealerBets, ChuckALuckBets, TumbledBets, UnderOverBets
from controller.games.tumbled.house import BeatTheDealerHouse, ChuckALuckHouse, UnderOverHouse
from controller.games.tumbled.rounds import TumbledGame, TumbledOptions
from controller.games.tumbled.rules import BeatTheDealerRules, ChuckALuckRules, TumbledRules, UnderOverRules
from controller.games.tumbled.turned_cage import TurnedCage
from controller.rules.house import HouseKeys
from controller.table.context import GameContext
from controller.table.rounds import Game
from drivers.dice.cage import CageConfig
from drivers.dice.cage_motor import CageMotorActuator
from drivers.dice.chute import ChuteConfig
from drivers.dice.reader import DiceReaderConfig
from drivers.dice.shaker import ShakerConfig
from feed.events import StatisticsKey
from feed.results.tumbled import RESULTS

if TYPE_CHECKING:
    from simulators.dice.tumbled_geometry import TumbledGeometry

TITLED_SHAKERS: Final = ("pai_gow_shaker", "pai_gow_poker_shaker", "mini_dice_shaker")
_SLOTS: Final[Mapping[str, Slot]] = {
    "cage": Slot(("cage",), unless="chute", or_unless="shaker"),
    "chute": Slot(("chute",), always=False, excludes="cage"),
    "shaker": Slot(TITLED_SHAKERS, always=False, excludes="cage"),
    "motor": Slot(("cage_motor",), always=False, excludes="chute"),
    **SLOTS_OF_VALUES,
    **SLOTS_OF_ALL,
}
"""The table has a cage unless the file names a chute, 13:47-20.21(a)1, 20.24(a)1, 20.33(a)1; or, by house rules, one of
the shakers of which the State's rules have the title alone."""

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM)


_BETS: Final[Mapping[str, Callable[[TableConfig], TumbledBets]]] = {
    "beat_the_dealer": lambda config: BeatTheDealerBets(config.text(BeatTheDealerRules)),
    "chuck_a_luck": lambda config: ChuckALuckBets(config.text(ChuckALuckRules)),
    "under_over": lambda config: UnderOverBets(config.text(UnderOverRules)),
}
"""What the dice of each game come to, by the text that a table plays by."""


def _check(setup: SetUp) -> list[ConfigFinding]:
    """A shaker is the house's own, and takes the place of cage, chute and motor."""
    if "shaker" not in setup.devices:
        return []
    found = []
    place = ("device", "shaker")
    if not setup.of_the_house:
        wrong = f"is given, and {setup.profile} has the dice tumbled in a cage or a chute"
        found.append(ConfigFinding(place, wrong, 'write rules = "house" under [table], or remove the section'))
    for other in ("chute", "motor"):
        if other in setup.devices:
            found.append(ConfigFinding(place, f"is given beside device.{other}", "remove one of the two"))
    return found


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    bets = _BETS[config.game](config)
    dice = bets.rules.dice_count.value
    options = config.game_options(TumbledOptions)
    tumbler = next(name for name in ("chute", "shaker", "cage") if name in config.devices)
    devices.make(tumbler, dice_parts(dice))
    actuator = devices.commanded("motor", CageMotorActuator)
    rounds = dice_rounds(context, bets.rules, bets.rule, options.settle_after_s)
    motor = None
    if actuator is not None:
        least = config.devices["cage"].keys(CageConfig).minimum_inversions
        motor = TurnedCage(actuator, least, rounds.report)
    values = make_values(config, devices, dice, options.values_wait_s)
    return TumbledGame(rounds, bets, values, tumbler, motor)


def _statistics(config: TableConfig) -> list[StatisticsKey]:
    """Dice and totals are the player's; at beat the dealer the winner comes first."""
    bets = _BETS[config.game](config)
    winner = [StatisticsKey(field="winner", values=["dealer", "player"])] if len(bets.sides) > 1 else []
    return [*winner, *dice_statistics(bets.rules.dice_count.value)]


def _geometry(config: TableConfig) -> TumbledGeometry:
    from simulators.dice.cage import CageGeometry
    from simulators.dice.chute import ChuteGeometry
    from simulators.dice.shaker import ShakerGeometry
    from simulators.dice.tumbled_geometry import TumbledGeometry

    bets = _BETS[config.game](config)
    dice = bets.rules.dice_count.value
    options = config.game_options(TumbledOptions)
    devices = config.devices
    tumbler: CageGeometry | ChuteGeometry | ShakerGeometry
    if "shaker" in devices:
        tumbler, rest_s = ShakerGeometry(dice), devices["shaker"].keys(ShakerConfig).rest_s
    elif "chute" in devices:
        chute = devices["chute"].keys(ChuteConfig)
        tumbler, rest_s = ChuteGeometry(dice, chute.baffles), chute.rest_s
    else:
        cage = devices["cage"].keys(CageConfig)
        tumbler, rest_s = CageGeometry(dice, cage.sensing, cage.encoder_slots), cage.rest_s
    reader = devices["reader"].keys(DiceReaderConfig) if "reader" in devices else None
    return TumbledGeometry(
        no_more_bets_button=config.called_by_button,
        settled_button=config.settled_by_button,
        tumbler=tumbler,
        tumbles=len(bets.sides),
        keypad="keypad" in devices,
        reader=None if reader is None else reader.format,
        reader_link="dice_serial" if reader is None else reader.link,
        motor="motor" in devices,
        rest_s=rest_s,
        values_wait_s=options.values_wait_s,
        settle_after_s=options.settle_after_s,
    )


def _against_dealer(result: Mapping[str, Any]) -> str:
    dealer = f"dealer {words(result['dealer_dice'])}, total {result['dealer_total']}"
    return f"{dealer}; player {thrown_words(result)}: the {result['winner']} wins"


def _spec(
    name: str,
    rules: type[TumbledRules],
    house: type[HouseKeys],
    result: Callable[[Mapping[str, Any]], str] = thrown_words,
) -> GameSpec:
    return GameSpec(
        name=name,
        result=RESULTS[name],
        texts=TEXTS,
        page="dice",
        rules=rules,
        options=TumbledOptions,
        house=house,
        devices=_SLOTS,
        build=_build,
        geometry=_geometry,
        check=_check,
        rests=dice_of,
        words=GameWords(result, begun_words("the dice are tumbled")),
        statistics=_statistics,
        published_bias=published_dice,
        watch=SHAKE_WATCH,
        falls_in=("chute", "shaker", "cage"),
    )


BEAT_THE_DEALER = _spec("beat_the_dealer", BeatTheDealerRules, BeatTheDealerHouse, _against_dealer)
CHUCK_A_LUCK = _spec("chuck_a_luck", ChuckALuckRules, ChuckALuckHouse)
UNDER_OVER = _spec("under_over", UnderOverRules, UnderOverHouse)
