"""What the set-up of every table of cards shares: its devices, and how many decks it may have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from controller.configuration.device import DeviceConfig
from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SLOTS_OF_ALL, Slot
from controller.configuration.sections import CardWatchSection
from controller.configuration.values import TableConfig
from controller.games.base.spec import TableDevices, WatchSpec
from controller.games.cards.game import CardEquipment
from controller.games.cards.rules import CardRules
from controller.table.card_watch import CardWatch, CardWatchLimits
from drivers.cards.card_reader import CardReaderConfig
from drivers.cards.progressive import ProgressiveConfig
from drivers.cards.shoe import ShoeConfig
from drivers.cards.shuffler import ShufflerConfig
from drivers.cards.shuffler_actuator import ShufflerActuator
from drivers.cards.shuffling_shoe import ShufflingShoeConfig
from hal.wording import counted

if TYPE_CHECKING:
    from simulators.cards.card_table import CardGeometry, Dealing

SLOTS_OF_CARDS: Final[Mapping[str, Slot]] = {
    "shoe": Slot(("shoe",)),
    "shuffler": Slot(("shuffler",), always=False),
    "discard_rack": Slot(("discard_rack",), always=False),
    **SLOTS_OF_ALL,
}
"""The devices of a table of cards."""


def _watch(config: TableConfig) -> CardWatch:
    keys = config.watch_keys(CardWatchSection)
    return CardWatch(
        CardWatchLimits(
            least_games_an_hour=keys.least_games_an_hour,
            most_games_an_hour=keys.most_games_an_hour,
            idle_ns=round(keys.idle_s * 1e9),
            stall_ns=round(keys.stall_s * 1e9),
            misreads_in_1000=keys.misreads_in_1000,
        )
    )


CARD_WATCH: Final = WatchSpec(CardWatchSection, _watch)
"""What watches every table of cards."""


def make_cards(config: TableConfig, devices: TableDevices) -> CardEquipment:
    """Makes the devices of a table of cards; returns what it has beside its shoe."""
    devices.make("shoe")
    asked = devices.commanded("shuffler", ShufflerActuator)
    devices.make("discard_rack")
    section = config.devices.get("shuffler")
    shuffler = None if section is None else section.keys(ShufflerConfig)
    return CardEquipment(shuffler, "discard_rack" in config.devices, asked)


def is_continuous(devices: Mapping[str, DeviceConfig]) -> bool:
    """Whether the shoe of a table shuffles all the time."""
    return "shoe" in devices and isinstance(devices["shoe"].config, ShufflingShoeConfig)


def stacks_of(devices: Mapping[str, DeviceConfig]) -> int:
    """How many cards a stack of the table's automated shoe has; 0 where a dealer draws card by card."""
    keys = devices["shoe"].config if "shoe" in devices else None
    return keys.stack_cards if isinstance(keys, ShoeConfig) else 0


def is_double(devices: Mapping[str, DeviceConfig]) -> bool:
    """Whether the shoe of a table has two compartments."""
    keys = devices["shoe"].config if "shoe" in devices else None
    return isinstance(keys, ShoeConfig) and keys.double


def no_stacks(devices: Mapping[str, DeviceConfig]) -> list[ConfigFinding]:
    """That an automated shoe deals stacks at a game whose hands grow card by card."""
    if not stacks_of(devices):
        return []
    wrong = "no stack of a fixed number of cards is dealt at this game"
    return [ConfigFinding(("device", "shoe", "stack_cards"), wrong, "leave the key out")]


def decks_wanted(rules: CardRules, decks: int, devices: Mapping[str, DeviceConfig]) -> list[ConfigFinding]:
    """That the decks are fewer, or more, than the text has, or fewer than a double shoe needs."""
    least, most = rules.decks, rules.most_decks
    if decks < least.value:
        wrong = f"{decks} is too few: at least {least.value} are used ({least.cite})"
        return [ConfigFinding(("game", "decks"), wrong, f"load {least.value} decks or more, such as {least.value + 2}")]
    if most is not None and decks > most.value:
        wrong = f"{decks} is too many: at most {most.value} are used ({most.cite})"
        return [ConfigFinding(("game", "decks"), wrong, f"load {most.value} decks or fewer")]
    sides = rules.procedure.double_shoe_decks
    if is_double(devices) and decks < sides.value:
        wrong = f"each side of a double shoe has decks of its own: at least {sides.value} in all ({sides.cite})"
        if most is not None and most.value < sides.value:
            fix = f"leave the key out: at most {counted(most.value, 'deck')} is used ({most.cite})"
            return [ConfigFinding(("device", "shoe", "double"), wrong, fix)]
        return [ConfigFinding(("game", "decks"), wrong, f"load {sides.value} decks or more")]
    return []


def card_geometry(
    config: TableConfig, dealing: Dealing, *, decks: int, settle_after_s: float, **more: Any
) -> CardGeometry:
    """The simulated table of a game whose rounds `dealing` deals; `more` is what else its geometry has."""
    from simulators.cards.card_table import CardGeometry
    from simulators.cards.shoe import TokenFormat

    own = config.devices["shoe"].config
    continuous = isinstance(own, ShufflingShoeConfig)
    shoe = ShoeConfig(body=own.body, jam_s=own.jam_s, link="") if isinstance(own, ShufflingShoeConfig) else own
    if not isinstance(shoe, ShoeConfig):
        raise TypeError(f"the shoe of {config.id} has the driver {config.devices['shoe'].driver}")
    section = config.devices.get("shuffler")
    progressive = config.devices.get("progressive")
    reader = config.devices.get("card_reader")
    shuffler = ShufflerConfig() if section is None else section.keys(ShufflerConfig)
    return CardGeometry(
        game=config.game,
        dealing=dealing,
        no_more_bets_button=config.called_by_button,
        settled_button=config.settled_by_button,
        decks=decks,
        barriers=shoe.barriers,
        body=shoe.body,
        link=shoe.link,
        continuous=continuous,
        tokens=TokenFormat(shoe.codes, shoe.checksum, shoe.repeats) if shoe.reading == "tokens" else None,
        stack_cards=shoe.stack_cards,
        stack_s=shoe.stack_s,
        double=shoe.double,
        idle_links=(reader.keys(CardReaderConfig).link,) if reader is not None else (),
        read_wait_s=shoe.read_wait_s,
        jam_s=shoe.jam_s,
        settle_after_s=settle_after_s,
        shuffler=section is not None,
        shuffler_link=shuffler.link if shuffler.control == "serial" else "",
        shuffler_counter=shuffler.counter or shuffler.control == "serial",
        shuffler_present=shuffler.present_sensor,
        discards="discard_rack" in config.devices,
        acceptors=progressive.keys(ProgressiveConfig).positions if progressive is not None else 0,
        **more,
    )
