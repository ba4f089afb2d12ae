"""Puts a table together from its configuration: the devices, and the game by its rules."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

from controller.configuration.sections import LimitKeys, day_of
from controller.configuration.values import TableConfig
from controller.games.base.spec import TableDevices, spec_of
from controller.games.catalogue import GAMES_OF_ORDER
from controller.rules.profile import Inspected, is_house, profile
from controller.table.bias import BiasWatch
from controller.table.context import GameContext
from controller.table.event_sequencer import Identity
from controller.table.inspection import InspectionPlan, no_inspection
from controller.table.orders.book import VERBS
from controller.table.repeats import RepeatWatch
from controller.table.round_watch import KeepsCounts, KeptCounts, RoundWatch
from controller.table.salts import RepeatableSalts, Salts
from controller.table.table import Table
from controller.table.wear_watch import WearWatch
from drivers.base.driver import Driver
from drivers.base.observed import Listener, ObservedDriver
from drivers.dealer.buttons import BUTTONS, CALL_BUTTON, SETTLE_BUTTON, Buttons, ButtonsConfig
from feed.events import StakeLimit, TableLabel, TableNotice
from hal.capture.secret import PublicPart
from hal.framing import Framer
from hal.version import SOFTWARE

if TYPE_CHECKING:
    from simulators.base.geometry import Geometry

EPOCH_1970 = datetime(1970, 1, 1, tzinfo=UTC)


def own_time(t_ns: int) -> str:
    """The time of a replay or a simulation: its own, from 1970-01-01T00:00:00Z on."""
    minute, us = divmod(t_ns // 1000, 60_000_000)
    return f"{_minute(minute)}:{us // 1_000_000:02}.{us % 1_000_000:06}Z"


@lru_cache
def _minute(number: int) -> str:
    """Date, hour and minute this many minutes after 1970 began: the same for most of a round."""
    return (EPOCH_1970 + timedelta(minutes=number)).strftime("%Y-%m-%dT%H:%M")


def table_for(
    config: TableConfig,
    *,
    epoch: str,
    simulated: bool,
    time_of: Callable[[int], str] = own_time,
    calendar_is_set: Callable[[], bool] = lambda: True,
    salts: Salts | None = None,
    wires: Collection[str] | None = None,
    opens: bool | None = None,
    sequence: int = 0,
    ephemeral: int = 0,
    rounds: int = 0,
    listener: Listener | None = None,
) -> Table:
    """The table that a checked configuration describes.

    `wires` are the lines that a capture declares: they decide which buttons there are. None leaves that to the
    configuration, and so does None for `opens`: whether it opens at its start, or by an order. `salts` gives the
    salts of commitments; without one they are repeatable, for a replay or a simulation. `sequence`, `ephemeral` and
    `rounds` are where the table continues from another. `listener` is shown what the drivers report.
    """
    buttons = config.buttons if wires is None else tuple(button for button in BUTTONS if button in wires)
    spec = spec_of(config)
    context = GameContext(
        table=config.id,
        game=config.game,
        simulated=simulated,
        call_by="button" if CALL_BUTTON in buttons else "auto",
        settle_by_button=SETTLE_BUTTON in buttons,
        time_of=time_of,
        result_words=spec.words.result,
        calendar_is_set=calendar_is_set,
        salts=RepeatableSalts() if salts is None else salts,
    )
    devices = TableDevices(config)
    game = spec.build(config, context, devices)
    dealer = config.devices["dealer"].keys(ButtonsConfig) if "dealer" in config.devices else ButtonsConfig()
    identity = Identity(
        table=config.id,
        game=config.game,
        rules=config.rules,
        simulated=simulated,
        house_rules=is_house(config.rules),
        epoch=epoch,
        software=SOFTWARE,
        devices=tuple({"device": device.name, "driver": device.driver} for device in config.devices.values()),
        packages=config.packages,
        labels=tuple(
            TableLabel(language=one.language, name=one.name, short=one.short or "") for one in config.table.labels
        ),
        limits=tuple(_limit(one) for one in config.table.limits),
        limits_unit=config.table.limits_unit or "",
        notices=tuple(TableNotice(words=one.value, rule=one.cite) for one in spec.notices(config)),
        history=config.feed.history,
        statistics=tuple(spec.statistics(config)),
        view=spec.board_view,
    )
    game.rounds.report.round = rounds
    drivers: list[Driver] = [*devices.drivers, Buttons(buttons, dealer.debounce_ms)]
    bias, watch = _bias(config), _watch(config)
    return Table(
        identity,
        game,
        drivers if listener is None else [ObservedDriver(driver, listener) for driver in drivers],
        time_of,
        actuators=devices.actuators,
        verbs=VERBS | {verb.name: verb for verb in spec.orders},
        games_of_order=GAMES_OF_ORDER,
        opens=config.opens == "at_start" if opens is None else opens,
        inspection=_inspection(config, game.device),
        bias=bias,
        repeats=_repeats(config),
        watch=watch,
        wear=_wear(config),
        kept=_kept(config, bias, watch),
        sequence=sequence,
        ephemeral=ephemeral,
    )


def secret_links(config: TableConfig) -> dict[str, PublicPart]:
    """The links of a table whose frames can show what is not exposed yet, and what of a frame is public."""
    found: dict[str, PublicPart] = {}
    for device in config.devices.values():
        found.update(device.spec.secrets(device.config))
    return found


def geometry_of(config: TableConfig) -> Geometry:
    """The simulated table of a configuration.

    Raises:
        NoSimulatorError: no simulator plays it.
    """
    return spec_of(config).geometry(config)


def _bias(config: TableConfig) -> BiasWatch | None:
    """The watch on its dice or its wheel, unless the house wants none."""
    plan = spec_of(config).bias(config) if config.table.bias_watch else None
    return None if plan is None else BiasWatch(plan)


def _repeats(config: TableConfig) -> RepeatWatch | None:
    """The watch for a stuck reader, unless the house wants none."""
    plan = None if config.table.repeats == "off" else spec_of(config).repeats(config)
    return None if plan is None else RepeatWatch(plan, shuts=config.table.repeats == "shut")


def _watch(config: TableConfig) -> RoundWatch | None:
    """What watches its rounds, where its game has such a watch."""
    watch = spec_of(config).watch
    return None if watch is None else watch.make(config)


def _kept(config: TableConfig, bias: BiasWatch | None, watch: RoundWatch | None) -> KeptCounts | None:
    """What its watches count from start to start; None where they begin again with each."""
    since = getattr(config.watch, "wear_since", None)
    kept: list[KeepsCounts] = [] if bias is None or not bias.of_wheel else [bias]
    if isinstance(watch, KeepsCounts):
        kept.append(watch)
    return KeptCounts(kept, None if since is None else day_of(since)) if kept else None


def _wear(config: TableConfig) -> WearWatch | None:
    """What watches the wear of its wheel, where its game has such a watch and the house wants it."""
    watch = spec_of(config).watch
    return None if watch is None or watch.wear is None else watch.wear(config)


def _limit(keys: LimitKeys) -> StakeLimit:
    maximum = None if keys.maximum is None else _amount(keys.maximum)
    return StakeLimit(minimum=_amount(keys.minimum), maximum=maximum, bet=keys.bet or "")


def _amount(value: float) -> int | float:
    """A whole number stays whole, as a person wrote it."""
    return int(value) if value.is_integer() else value


def _inspection(config: TableConfig, device: str) -> InspectionPlan:
    """What is looked at before the table opens, by the rules or by the house's wish."""
    if not profile(config.rules).plays(config.game):
        return no_inspection(device)
    inspection = config.text(Inspected).inspection
    asked = inspection.opening.value or config.table.inspection == "opening"
    return InspectionPlan(asked, device, inspection.with_devices(config.devices).checks)


def framed_by_device(link: str, config: TableConfig) -> Framer | None:
    """What cuts the stream of a link, where its device has it otherwise than in lines of text."""
    for device in config.devices.values():
        spec = device.spec
        if spec.framing is not None and link in spec.lines(device.config):
            return spec.framing(device.config)
    return None
