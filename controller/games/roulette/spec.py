"""Roulette, as the catalogue lists it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from controller.configuration.device import DeviceConfig
from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SLOTS_OF_ALL, SetUp, Slot
from controller.configuration.sections import WatchSection
from controller.configuration.values import TableConfig
from controller.games.base.spec import GameSpec, GameWords, TableDevices, WatchSpec
from controller.games.base.texts import texts_of
from controller.games.base.wheels import WheelPlan, place_of, published_places, spun_words, wear_watch, wheel_plan
from controller.games.roulette.automatic import AutomaticRouletteGame
from controller.games.roulette.house import RouletteHouse
from controller.games.roulette.layout import RouletteLayout
from controller.games.roulette.results import RouletteOptions, RouletteResults
from controller.games.roulette.rounds import RouletteGame
from controller.games.roulette.rules import AMERICAN_AS_SINGLE_ZERO, HOUSE_WHEEL, RouletteRules
from controller.rules.cited import Cited
from controller.table.context import GameContext
from controller.table.rounds import Game, RoundLifecycle
from controller.table.terms import Terms
from controller.table.wear_watch import WearWatch
from controller.table.wheel_watch import WatchLimits, WheelWatch
from drivers.roulette.ball_track import arc_after
from drivers.roulette.device import RouletteWheelConfig
from drivers.roulette.star_x import StarXConfig
from drivers.wheel.faces import ORDERS
from feed.drop_zone import Arc
from feed.events import StatisticsKey
from feed.results.roulette import RESULTS

if TYPE_CHECKING:
    from simulators.roulette.geometry import RouletteGeometry
    from simulators.roulette.star_x_geometry import StarXGeometry

ROOM: Final = Path(__file__).parent
TEXTS: Final = texts_of(ROOM)


def _build(config: TableConfig, context: GameContext, devices: TableDevices) -> Game:
    """A wheel with track sensors, or an automatic one that reports its own state."""
    rules = config.text(RouletteRules)
    options = config.game_options(RouletteOptions)
    devices.make("wheel")
    keys = config.devices["wheel"].config
    if isinstance(keys, StarXConfig):
        results = RouletteResults(rules, options, keys.pockets, ORDERS[keys.pockets])
        return AutomaticRouletteGame(_rounds(context, rules, options, results), rules, options, results)
    wheel = config.devices["wheel"].keys(RouletteWheelConfig)
    results = RouletteResults(rules, options, wheel.pockets, wheel.wheel_order)
    return RouletteGame(_rounds(context, rules, options, results), rules, options, results)


def _rounds(
    context: GameContext, rules: RouletteRules, options: RouletteOptions, results: RouletteResults
) -> RoundLifecycle:
    rule = rules.minimum_revolutions.cite
    return RoundLifecycle(context, Terms(rules.no_more_bets, results.reasons, rule, options.settle_after_s))


def _check(setup: SetUp) -> list[ConfigFinding]:
    """A wheel with pockets of the house's own, and the bets on it, are those of the house's rules."""
    device = setup.devices.get("wheel")
    if device is None:
        return []
    own = isinstance(device.config, RouletteWheelConfig) and device.config.pockets == HOUSE_WHEEL
    pockets = ("device", "wheel", "pockets")
    if not setup.of_the_house:
        fix = 'write rules = "house" under [table], or the pockets of the text: "american" or "european"'
        return [ConfigFinding(pockets, f'is "{HOUSE_WHEEL}", which {setup.profile} does not know', fix)] if own else []
    house = setup.house if isinstance(setup.house, RouletteHouse) else RouletteHouse()
    order = device.config.wheel_order if isinstance(device.config, RouletteWheelConfig) else ORDERS[_pockets(device)]
    if own and not house.pockets:
        fix = "add zeros and numbers under [house]"
        return [ConfigFinding(pockets, f'is "{HOUSE_WHEEL}", and the house\'s rules name no pockets', fix)]
    if own and not order:
        return []  # The device's own keys report that; pockets and bets without an order are not mistakes of their own.
    if house.pockets and not own:
        fix = f'write pockets = "{HOUSE_WHEEL}" and order under [device.wheel], or remove numbers and zeros'
        wrong = f"gives pockets of the house's own, and the wheel is {_pockets(device)}"
        return [ConfigFinding(("house", "numbers"), wrong, fix)]
    found = []
    if own:
        place = ("device", "wheel", "order")
        missing = [one for one in house.pockets if one not in order]
        unknown = [one for one in order if one not in house.pockets]
        fix = "list each pocket once, in the order of the wheel; zeros and numbers are under [house]"
        if missing:
            found.append(ConfigFinding(place, f"{' '.join(missing)} of the house's rules missing", fix))
        if unknown:
            found.append(ConfigFinding(place, f"{' '.join(unknown)} not in the house's rules", fix))
    fix = f"name pockets of the wheel, each once: {' '.join(sorted(order, key=lambda one: (int(one), len(one))))}"
    found += [ConfigFinding(("house", "bets", bet, "pockets"), wrong, fix) for bet, wrong in house.against(order)]
    return found or [*_layout_findings(RouletteLayout(setup.text(RouletteRules), _pockets(device)), len(house.bets))]


def _layout_findings(layout: RouletteLayout, own: int) -> Iterator[ConfigFinding]:
    """Bets that nobody can tell apart, or win: the last `own` of the layout are the house's."""
    laid, added = layout.bets[: len(layout.bets) - own], layout.bets[len(layout.bets) - own :]
    names = {bet.name for bet in laid}
    for index, bet in enumerate(added):
        if bet.name in names:
            fix = "give it a name of its own, or leave that wager out of odds"
            yield ConfigFinding(("house", "bets", index, "bet"), f"{bet.name!r} is a bet of the layout already", fix)
    for bet in laid:
        if not bet.pockets:
            fix = "list the red numbers alone, or leave red and black out of odds"
            yield ConfigFinding(("house", "red_numbers"), f"{bet.name} is offered and wins on no number", fix)


def _pockets(device: DeviceConfig) -> str:
    wheel = device.config
    return wheel.pockets if isinstance(wheel, StarXConfig) else device.keys(RouletteWheelConfig).pockets


def _bias(config: TableConfig) -> WheelPlan | None:
    wheel = config.devices["wheel"].config
    return wheel_plan("pocket", _numbers(wheel)) if isinstance(wheel, RouletteWheelConfig) else None


def _repeats(config: TableConfig) -> WheelPlan:
    """Of an automatic wheel too, whose own display was stuck for seven spins in Rio in 2012."""
    wheel = config.devices["wheel"].config
    if not isinstance(wheel, StarXConfig):
        wheel = config.devices["wheel"].keys(RouletteWheelConfig)
    return wheel_plan("pocket", _numbers(wheel))


def _numbers(wheel: RouletteWheelConfig | StarXConfig) -> list[str]:
    """The pockets that can be an outcome, in wheel order."""
    # Where a double-zero wheel is used as a single-zero one, 00 is never an outcome: 13:47-20.32(i)2.
    voids = ("00",) if wheel.pockets == AMERICAN_AS_SINGLE_ZERO else ()
    return [pocket for pocket in _order(wheel) if pocket not in voids]


def _order(wheel: RouletteWheelConfig | StarXConfig) -> Sequence[str]:
    """All pockets, clockwise."""
    return ORDERS[wheel.pockets] if isinstance(wheel, StarXConfig) else wheel.wheel_order


def _statistics(config: TableConfig) -> list[StatisticsKey]:
    wheel = config.devices["wheel"].config
    if not isinstance(wheel, StarXConfig):
        wheel = config.devices["wheel"].keys(RouletteWheelConfig)
    pockets: list[int | str] = [*sorted(_numbers(wheel), key=lambda name: (int(name), name))]
    return [
        StatisticsKey(field="pocket", values=pockets, wheel_order=[*_order(wheel)]),
        StatisticsKey(field="color", values=["red", "black", "green"]),
    ]


def _notices(config: TableConfig) -> Sequence[Cited[str]]:
    """What (g) or (i)1 has posted, by the wheel and the operator's choice."""
    pockets = _pockets(config.devices["wheel"])
    rules = config.text(RouletteRules)
    return rules.notices_to_post(pockets, config.game_options(RouletteOptions).zero_rule)


def _watch(config: TableConfig) -> WheelWatch:
    keys = config.watch_keys(WatchSection)
    return WheelWatch(
        WatchLimits(
            same_direction=keys.same_direction,
            least_rotor_rpm=keys.least_rotor_rpm,
            most_rotor_rpm=keys.most_rotor_rpm,
            least_games_an_hour=keys.least_games_an_hour,
            most_games_an_hour=keys.most_games_an_hour,
            idle_ns=round(keys.idle_s * 1e9),
            bowl=bowl_of(config) if keys.drop_zone else (),
        )
    )


def bowl_of(config: TableConfig) -> tuple[Arc, ...]:
    """The arcs of its bowl between two track sensors: in one of them a ball leaves the track.

    An automatic wheel has none: it never states where its ball was.
    """
    keys = config.devices["wheel"].config
    if not isinstance(keys, RouletteWheelConfig):
        return ()
    sensors_deg = keys.ball_sensors_deg
    return tuple(Arc(*arc_after(sensors_deg, sensor, 1)) for sensor in range(len(sensors_deg)))


def _wear(config: TableConfig) -> WearWatch | None:
    wheel = config.devices["wheel"].config
    limits = {"level": wheel.level_tolerance_deg} if isinstance(wheel, RouletteWheelConfig) else {}
    keys = config.watch_keys(WatchSection)
    return wear_watch(wear=keys.wear, since=keys.wear_since, limits=limits)


def _geometry(config: TableConfig) -> RouletteGeometry | StarXGeometry:
    from simulators.roulette.geometry import RouletteGeometry
    from simulators.roulette.star_x_geometry import StarXGeometry

    automatic = config.devices["wheel"].config
    if isinstance(automatic, StarXConfig):
        return StarXGeometry(
            pockets=ORDERS[automatic.pockets],
            link=automatic.link,
            single_zero=automatic.pockets == AMERICAN_AS_SINGLE_ZERO,
            trusted=config.game_options(RouletteOptions).trust_wheel,
            no_more_bets_button=config.called_by_button,
            settled_button=config.settled_by_button,
        )
    wheel = config.devices["wheel"].keys(RouletteWheelConfig)
    return RouletteGeometry(
        pockets=wheel.wheel_order,
        single_zero=wheel.pockets == AMERICAN_AS_SINGLE_ZERO,
        encoder_slots=wheel.slots,
        index_width_deg=wheel.index_width_deg,
        ball_sensors_deg=wheel.ball_sensors_deg,
        pocket_head_deg=wheel.pocket_head_deg,
        object_beams=wheel.object_beams,
        level_hz=2.0,
        minimum_revolutions=config.text(RouletteRules).minimum_revolutions.value,
        no_more_bets_button=config.called_by_button,
        settled_button=config.settled_by_button,
    )


def _result_words(result: Mapping[str, Any]) -> str:
    return f"{result['pocket']} {result['color']}"


def _displayed(result: Mapping[str, Any]) -> str:
    return str(result["pocket"])


ROULETTE = GameSpec(
    name="roulette",
    result=RESULTS["roulette"],
    texts=TEXTS,
    page="roulette",
    rules=RouletteRules,
    options=RouletteOptions,
    house=RouletteHouse,
    devices={
        "wheel": Slot(("roulette_wheel", "star_x")),
        **SLOTS_OF_ALL,
        "display": Slot(("number_display",), always=False),
    },
    build=_build,
    geometry=_geometry,
    rests=place_of("index"),
    words=GameWords(_result_words, spun_words, displayed=_displayed, lists_bets=False),
    statistics=_statistics,
    check=_check,
    published_bias=published_places("pocket"),
    watched=_bias,
    compared=_repeats,
    falls_in=("wheel",),
    watch=WatchSpec(WatchSection, _watch, _wear),
    notices=_notices,
)
