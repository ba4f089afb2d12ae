"""What a game's room exports: rules, keys, devices, set-up, simulation, orders and words, as one `GameSpec`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import structs

from controller.configuration.problems import ConfigFinding
from controller.configuration.registry import SetUp, Slot
from controller.configuration.values import TableConfig
from controller.games.base.options import RoundOptions
from controller.games.base.texts import Texts, named_texts
from controller.rules.cited import Cited
from controller.rules.house import HouseKeys
from controller.table.authority import Authority
from controller.table.context import GameContext
from controller.table.orders.book import VERBS
from controller.table.orders.order import Verb
from controller.table.repeats import RepeatPlan
from controller.table.round_watch import RoundWatch
from controller.table.rounds import Game
from controller.table.wear_watch import WearWatch
from drivers.base.actuator import Actuator
from drivers.base.driver import Driver
from feed.events import InspectionFailed, InspectionPassed, RoundStarted, StatisticsKey
from feed.fairness import Plan
from feed.game_view import GameView

if TYPE_CHECKING:
    from simulators.base.geometry import Geometry

A = TypeVar("A", bound=Actuator)

Result: TypeAlias = Mapping[str, Any]


class TableDevices:
    """The devices of one table, made of its configuration as the game asks for them."""

    def __init__(self, config: TableConfig) -> None:
        self.drivers: list[Driver] = []
        self.actuators: list[Actuator] = []
        self._config = config

    def make(self, name: str, parts: Sequence[str] = ()) -> Actuator | None:
        """Makes a device, if the table has it; returns its actuator, if it has one. `parts` are what it counts."""
        section = self._config.devices.get(name)
        if section is None:
            return None
        device = section.spec.make(section.config, name, parts)
        if device.driver is not None:
            self.drivers.append(device.driver)
        if device.actuator is not None:
            self.actuators.append(device.actuator)
        return device.actuator

    def commanded(self, name: str, kind: type[A], parts: Sequence[str] = ()) -> A | None:
        """As `make`, for a game that gives its actuator commands.

        Raises:
            TypeError: the driver of the device has another actuator.
        """
        actuator = self.make(name, parts)
        if actuator is not None and not isinstance(actuator, kind):
            raise TypeError(f"device.{name} is commanded by a {type(actuator).__name__}, not by a {kind.__name__}")
        return actuator


Build: TypeAlias = Callable[[TableConfig, GameContext, TableDevices], Game]
"""Makes the devices of a table and its game."""


def _nothing_wrong(setup: SetUp) -> list[ConfigFinding]:
    return []


def _nothing_published(keys: Sequence[StatisticsKey]) -> CountedPlaces | None:
    return None


def _no_notice(config: TableConfig) -> Sequence[Cited[str]]:
    return ()


def _plain_result(result: Result) -> str:
    return ", ".join(f"{name} {value}" for name, value in result.items())


def _begun(data: RoundStarted) -> str:
    return "the round has begun" + ("" if data.direction is None else f", {data.direction}")


def _as_every_game(data: InspectionPassed | InspectionFailed) -> str | None:
    return None


class CountedPlaces(Plan, RepeatPlan, Protocol):
    """The places of a device, for both watches."""


class WatchSpec(NamedTuple):
    """What watches the rounds of a game."""

    keys: type[msgspec.Struct]
    """The keys of `[watch]`."""
    make: Callable[[TableConfig], RoundWatch | None]
    """None where the house wants none of it."""
    wear: Callable[[TableConfig], WearWatch | None] | None = None
    """The watch over the wear of its wheel, unless the house wants none."""


class GameWords(NamedTuple):
    """How the events of a game read for people."""

    result: Callable[[Result], str] = _plain_result
    """A result in a few words: `30 red`."""
    started: Callable[[RoundStarted], str] = _begun
    """What has begun: `the spin has begun, clockwise`."""
    carried: Callable[[str, Mapping[str, Any]], str] = lambda act, state: act
    """What changed between rounds, by the act and the carried state."""
    inspected: Callable[[InspectionPassed | InspectionFailed], str | None] = _as_every_game
    """What was tried at a device of this game alone; None for an inspection that every game has."""
    displayed: Callable[[Result], str | None] = lambda result: None
    """What a display of the winning number shows; None where it shows nothing of this game."""
    lists_bets: bool = True
    """Whether an outcome is read with the bets that win; not where the result names its one bet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSpec:
    """One game, as the catalogue lists it."""

    name: str
    """What `[table] game` names."""
    rules: type[msgspec.Struct]
    """The struct that its section of a rules profile is read into."""
    devices: Mapping[str, Slot]
    build: Build
    geometry: Callable[[TableConfig], Geometry]
    """The simulated table: it loads the simulators only when it is called, and raises `NoSimulatorError`."""
    rests: Callable[[Result], int | tuple[int, ...] | tuple[str, ...] | None]
    """Where a result says that the equipment rests, as the simulator's truth gives it: to judge simulated rounds."""
    statistics: Callable[[TableConfig], Sequence[StatisticsKey]]
    """What its statistics count, for hot and cold numbers: fields of its results, with every value that can come."""
    result: type[msgspec.Struct]
    """What its results hold, for those who read the feed."""
    options: type[msgspec.Struct] = RoundOptions
    """The keys of `[game]`."""
    words: GameWords = field(default_factory=GameWords)
    reasons: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Codes of reasons, faults and warnings that docs/reasons.md does not have: what each means, and what to do."""
    texts: Texts = field(default_factory=dict)
    """Its words on boards in every language, from the file of its room."""
    page: str = "other"
    """The module of the board's page that draws it; `other` shows its results as the feed has them."""
    view: GameView | None = None
    """How a board shows it that has no module for it: of a game that comes from another package. Without words."""
    house: type[HouseKeys] | None = None
    """The keys of `[house]`; None for a game that the house profile does not have."""
    check: Callable[[SetUp], list[ConfigFinding]] = _nothing_wrong
    """What is wrong between the parts of its table."""
    published_bias: Callable[[Sequence[StatisticsKey]], CountedPlaces | None] = _nothing_published
    """The places whose bias is counted and whose repetition is compared, by the statistics keys of a table."""
    watched: Callable[[TableConfig], Plan | None] | None = None
    """What the bias watch of a table counts, where it is not what its statistics keys say."""
    compared: Callable[[TableConfig], RepeatPlan | None] | None = None
    """What the watch for a stuck reader compares, where it is not that."""
    falls_in: tuple[str, ...] = ()
    """The devices in which it turns or falls: the first one that a table has is what a bias is compared by."""
    watch: WatchSpec | None = None
    """What is watched beside its results, by `[watch]`; None where its tables have no such section."""
    notices: Callable[[TableConfig], Sequence[Cited[str]]] = _no_notice
    """The notices that its rules have posted at the table."""
    model: Callable[[TableConfig], Mapping[str, Any]] | None = None
    """Of a machine, which must be identical to a certified model: what of its configuration touches play."""
    orders: tuple[Verb, ...] = field(default=())
    """The orders that only this family takes."""

    def bias(self, config: TableConfig) -> Plan | None:
        """What the bias watch counts at a table; None where nothing is counted."""
        return self._places(config) if self.watched is None else self.watched(config)

    def repeats(self, config: TableConfig) -> RepeatPlan | None:
        """What the watch for a stuck reader compares at a table; None where nothing is compared."""
        return self._places(config) if self.compared is None else self.compared(config)

    def _places(self, config: TableConfig) -> CountedPlaces | None:
        return self.published_bias(self.statistics(config))

    @property
    def board_view(self) -> GameView | None:
        """Its view with its words, as it travels to boards; None for a game that the board's page knows."""
        return None if self.view is None else structs.replace(self.view, words=named_texts(self.texts, self.name))

    @property
    def watch_keys(self) -> type[msgspec.Struct] | None:
        """The keys of `[watch]`; None where its tables have no such section."""
        return None if self.watch is None else self.watch.keys

    @property
    def machine(self) -> bool:
        """Whether players play it alone, with tokens: nobody calls "No more bets" there."""
        return self.model is not None

    @property
    def order_authorities(self) -> dict[str, Authority]:
        """Who may send the orders that come with it from another package."""
        return {verb.name: verb.authority for verb in self.orders if verb.authority is not None}

    @property
    def order_names(self) -> list[str]:
        """The names of the orders that a table of this game takes."""
        return [*VERBS, *(verb.name for verb in self.orders)]


def spec_of(config: TableConfig) -> GameSpec:
    """The game of a table.

    Raises:
        TypeError: the table was checked against a list of other games than the catalogue's.
    """
    if not isinstance(config.entry, GameSpec):
        raise TypeError(f"table {config.id} plays {config.game}, which is not a GameSpec of the catalogue")
    return config.entry


class NoSimulatorError(Exception):
    """No simulator plays what the configuration describes."""
