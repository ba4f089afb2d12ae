"""Puts a table together from its configuration: the drivers of its devices, and the game by its rules."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.metadata import version

from controller.configuration.values import TableConfig
from controller.identity import Identity
from controller.inspection import NO_INSPECTION, InspectionPlan
from controller.rounds.automatic_roulette import AutomaticRouletteGame
from controller.rounds.game import Game, Seat
from controller.rounds.money_wheel import MoneyWheelGame, MoneyWheelOptions
from controller.rounds.roulette import RouletteGame
from controller.rounds.roulette_result import RouletteOptions
from controller.rules.profile import NoText, profile
from controller.table import GAME_DEVICE, Table
from drivers.buttons import BUTTONS, Buttons, ButtonsConfig
from drivers.driver import Driver
from drivers.money_wheel import MoneyWheel
from drivers.money_wheel_config import MoneyWheelConfig
from drivers.peg_wheel import PegWheel
from drivers.roulette_wheel import RouletteWheel
from drivers.roulette_wheel_config import RouletteWheelConfig
from drivers.star_x import StarXConfig, StarXWheel

EPOCH_1970 = datetime(1970, 1, 1, tzinfo=UTC)
CALL_BUTTON = "dealer_no_more_bets"
SETTLE_BUTTON = "dealer_settled"


def own_time(t_ns: int) -> str:
    """The time of a replay or a simulation: its own, from 1970-01-01T00:00:00Z on."""
    minute, us = divmod(t_ns // 1000, 60_000_000)
    return f"{_minute(minute)}:{us // 1_000_000:02}.{us % 1_000_000:06}Z"


@lru_cache
def _minute(number: int) -> str:
    """Date, hour and minute so many minutes after 1970 began: the same for most of a round."""
    return (EPOCH_1970 + timedelta(minutes=number)).strftime("%Y-%m-%dT%H:%M")


def table_for(
    config: TableConfig,
    *,
    epoch: str,
    simulated: bool,
    time_of: Callable[[int], str] = own_time,
    wires: Collection[str] | None = None,
    opens: bool | None = None,
    sequence: int = 0,
    ephemeral: int = 0,
    rounds: int = 0,
) -> Table:
    """The table that a checked configuration describes.

    `wires` are the lines that a capture declares: they decide which buttons there are. None takes the
    configuration's word, and so does None for `opens`: whether it opens at its start, or by an order. `sequence`,
    `ephemeral` and `rounds` are where the table goes on from another.
    """
    buttons = config.buttons if wires is None else tuple(button for button in BUTTONS if button in wires)
    seat = Seat(
        table=config.id,
        game=config.game,
        simulated=simulated,
        call_by="button" if CALL_BUTTON in buttons else "auto",
        settle_by_button=SETTLE_BUTTON in buttons,
    )
    dealer = config.devices["dealer"].keys(ButtonsConfig) if "dealer" in config.devices else ButtonsConfig()
    game, wheel = _game(config, seat)
    drivers: list[Driver] = [wheel, Buttons(buttons, dealer.debounce_ms)]
    identity = Identity(
        table=config.id,
        game=config.game,
        rules=config.rules,
        simulated=simulated,
        epoch=epoch,
        software=f"feltwire {version('feltwire')}",
        devices=tuple({"device": device.name, "driver": device.driver} for device in config.devices.values()),
    )
    game.round = rounds
    return Table(
        identity,
        game,
        drivers,
        time_of,
        opens=config.opens == "at_start" if opens is None else opens,
        inspection=_inspection(config),
        sequence=sequence,
        ephemeral=ephemeral,
    )


def _inspection(config: TableConfig) -> InspectionPlan:
    """What is looked at before the table opens, by the rules or by the house's wish."""
    text = profile(config.rules).rules_of(config.game)
    if isinstance(text, NoText):
        return NO_INSPECTION
    asked = text.inspection.opening.value or config.inspection == "opening"
    return InspectionPlan(asked, GAME_DEVICE, text.inspection.checks)


def _game(config: TableConfig, seat: Seat) -> tuple[Game, Driver]:
    rules = profile(config.rules)
    device = config.devices["wheel"]
    if isinstance(device.config, MoneyWheelConfig):
        wheel = MoneyWheel(device.config) if device.config.sensing == "quadrature" else PegWheel(device.config)
        options = config.game_options(MoneyWheelOptions)
        return MoneyWheelGame(seat, rules.money_wheel_rules(), options, device.config), wheel
    roulette = config.game_options(RouletteOptions)
    if isinstance(device.config, StarXConfig):
        automatic = AutomaticRouletteGame(seat, rules.roulette_rules(), roulette, device.config)
        return automatic, StarXWheel(device.name, device.config)
    wheel_config = device.keys(RouletteWheelConfig)
    return RouletteGame(seat, rules.roulette_rules(), roulette, wheel_config), RouletteWheel(wheel_config)
