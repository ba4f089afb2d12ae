"""The money wheel, as the catalogue lists it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controller.configuration.device import DeviceConfig
from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SLOTS_OF_ALL, SetUp, Slot
from controller.configuration.sections import WearSection
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, GameWords, TableDevices, WatchSpec
from controller.games.base.texts import texts_of
from controller.games.base.wheels import place_of, published_places, spun_words, wear_watch
from controller.games.money_wheel.house import MoneyWheelHouse
from controller.games.money_wheel.rounds import MoneyWheelGame, MoneyWheelOptions
from controller.games.money_wheel.rules import MoneyWheelRules
from controller.table.context import GameContext
from controller.table.pace_watch import paced
from controller.table.round_watch import RoundWatch
from controller.table.rounds import Game, RoundLifecycle
from controller.table.terms import Terms
from controller.table.wear_watch import WearWatch
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.wheel.faces import DEFAULT_FACES
from feed.events import RoundStarted, StatisticsKey
from feed.results.money_wheel import RESULTS

if TYPE_CHECKING:
    from simulators.money_wheel.geometry import MoneyWheelGeometry
    from simulators.numbers.geometry import GeneratorGeometry

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM)
GENERATOR: Final = "number_generator"
_OF_THE_HOUSE: Final = {"pokette_wheel": "a wheel", GENERATOR: "a generator"}
"""Of these the State's rules have the title alone."""


def _faces(wheel: DeviceConfig) -> tuple[str, ...]:
    """What can be bet on, by the number of the space."""
    if wheel.driver == GENERATOR:
        # Loaded where one is: a table with a wheel has no memory to spare for it.
        from drivers.numbers.generator import NumberGeneratorConfig

        return wheel.keys(NumberGeneratorConfig).faces
    return wheel.keys(MoneyWheelConfig).faces


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    rules = config.text(MoneyWheelRules)
    devices.make("wheel")
    options = config.game_options(MoneyWheelOptions)
    terms = Terms(rules.no_more_bets, rules.reasons, rules.minimum_revolutions.cite, options.settle_after_s)
    if config.devices["wheel"].driver == GENERATOR:
        from controller.games.money_wheel.drawn import DrawnNumberGame

        return DrawnNumberGame(RoundLifecycle(context, terms), rules, _faces(config.devices["wheel"]))
    keys = config.devices["wheel"].keys(MoneyWheelConfig)
    return MoneyWheelGame(RoundLifecycle(context, terms), rules, options, keys)


def _check(setup: SetUp) -> list[ConfigFinding]:
    """The faces that are configured must be those of the rules: of the text, or of the house."""
    if "wheel" not in setup.devices:
        return []
    wheel = setup.devices["wheel"]
    faces = _faces(wheel)
    if wheel.driver in _OF_THE_HOUSE and not setup.of_the_house:
        wrong = f"is {_OF_THE_HOUSE[wheel.driver]} of which {setup.profile} says nothing: a money wheel has other faces"
        return [ConfigFinding(("device", "wheel", "driver"), wrong, 'write rules = "house" under [table]')]
    rules = setup.text(MoneyWheelRules)
    if wheel.driver == GENERATOR:
        fix = f'give each of "1" to "{len(faces)}" one space in faces of [house], or correct numbers'
        return [ConfigFinding(("device", "wheel", "numbers"), one, fix) for one in rules.order_problems(faces)]
    place = ("device", "wheel", "faces")
    # The very default, not its like: the file does not list the order, and to count our wheel's faces helps nobody.
    if faces is DEFAULT_FACES and isinstance(setup.house, MoneyWheelHouse) and setup.house.faces:
        spaces = sum(one.count for one in setup.house.faces)
        wrong = f"is missing, and the {spaces} spaces of [house] have no order without it"
        names = ", ".join(f'"{face}"' for face in rules.face_names())
        fix = f"add faces = [...] under [device.wheel]: the face of each space ({names}), in the order of the wheel"
        return [ConfigFinding(place, wrong, fix)] if rules.order_problems(faces) else []
    if setup.of_the_house:
        fix = "list each space in the order of the wheel, and correct it or faces under [house]"
    else:
        fix = (
            "list the faces of all spaces with the right counts, or remove the key for our default; for a wheel of "
            'another kind write rules = "house" under [table]'
        )
    return [ConfigFinding(place, wrong, fix) for wrong in rules.order_problems(faces)]


def _statistics(config: TableConfig) -> list[StatisticsKey]:
    faces = _faces(config.devices["wheel"])
    return [
        StatisticsKey(field="face", values=[face for face, _ in Counter(faces).most_common()]),
        StatisticsKey(field="space", values=list(range(len(faces)))),
    ]


def _watch(config: TableConfig) -> RoundWatch | None:
    keys = config.watch_keys(WearSection)
    return paced(keys.least_games_an_hour, keys.most_games_an_hour, keys.idle_s)


def _wear(config: TableConfig) -> WearWatch | None:
    keys = config.watch_keys(WearSection)
    return wear_watch(wear=keys.wear, since=keys.wear_since)


def _geometry(config: TableConfig) -> MoneyWheelGeometry | GeneratorGeometry:
    from simulators.money_wheel.geometry import MoneyWheelGeometry
    from simulators.numbers.geometry import GeneratorGeometry

    if config.devices["wheel"].driver == GENERATOR:
        from drivers.numbers.generator import NumberGeneratorConfig

        generator = config.devices["wheel"].keys(NumberGeneratorConfig)
        return GeneratorGeometry(generator.numbers, generator.link, config.called_by_button, config.settled_by_button)
    wheel = config.devices["wheel"].keys(MoneyWheelConfig)
    return MoneyWheelGeometry(
        spaces=len(wheel.faces),
        sensing=wheel.sensing,
        encoder_slots=wheel.encoder_slots,
        index_width_deg=wheel.index_width_deg,
        indicator_deg=wheel.indicator_deg,
        minimum_revolutions=config.text(MoneyWheelRules).minimum_revolutions.value,
        no_more_bets_button=config.called_by_button,
        settled_button=config.settled_by_button,
    )


def _result_words(result: Mapping[str, Any]) -> str:
    return f"{result['face']} (space {result['space']})"


def _begun_words(data: RoundStarted) -> str:
    """A wheel has a direction; what draws a number has none."""
    return "the draw has begun" if data.direction is None else spun_words(data)


MONEY_WHEEL = GameSpec(
    name="money_wheel",
    result=RESULTS["money_wheel"],
    texts=TEXTS,
    page="money_wheel",
    rules=MoneyWheelRules,
    options=MoneyWheelOptions,
    house=MoneyWheelHouse,
    devices={"wheel": Slot(("money_wheel", *_OF_THE_HOUSE)), **SLOTS_OF_ALL},
    build=_build,
    geometry=_geometry,
    rests=place_of("space"),
    words=GameWords(_result_words, _begun_words, lists_bets=False),
    statistics=_statistics,
    check=_check,
    published_bias=published_places("space"),
    falls_in=("wheel",),
    watch=WatchSpec(WearSection, _watch, _wear),
)
