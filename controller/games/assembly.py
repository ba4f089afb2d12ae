"""Puts a table together from its configuration: the drivers of its devices, and the game by its rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from importlib.metadata import version
from typing import Final, TypeAlias

from controller.assemble_craps import craps
from controller.assemble_sic_bo import sic_bo
from controller.assemble_tumbled import beat_the_dealer, chuck_a_luck, under_over
from controller.assemble_wheels import money_wheel, roulette
from controller.bias.plans import plan_for
from controller.configuration.values import TableConfig
from controller.rounds.game import Game
from controller.rounds.voice import Seat
from controller.rules.profile import NoText, profile
from controller.table.bias import BiasWatch
from controller.table.event_sequencer import Identity
from controller.table.inspection import InspectionPlan, no_inspection
from controller.table.table import Table
from drivers.base.driver import Driver
from drivers.dealer.buttons import BUTTONS, Buttons, ButtonsConfig

Builder: TypeAlias = Callable[[TableConfig, Seat], tuple[Game, Sequence[Driver]]]
"""Makes a game's rounds and the drivers of its devices."""

BUILDERS: Final[Mapping[str, Builder]] = {
    "money_wheel": money_wheel,
    "roulette": roulette,
    "sic_bo": sic_bo,
    "craps": craps,
    "mini_craps": craps,
    "beat_the_dealer": beat_the_dealer,
    "chuck_a_luck": chuck_a_luck,
    "under_over": under_over,
}

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
        time_of=time_of,
    )
    dealer = config.devices["dealer"].keys(ButtonsConfig) if "dealer" in config.devices else ButtonsConfig()
    game, devices = BUILDERS[config.game](config, seat)
    drivers: list[Driver] = [*devices, Buttons(buttons, dealer.debounce_ms)]
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
        inspection=_inspection(config, game.device),
        bias=_bias(config),
        sequence=sequence,
        ephemeral=ephemeral,
    )


def _bias(config: TableConfig) -> BiasWatch | None:
    """The watch on its dice or its wheel, unless the house wants none."""
    plan = plan_for(config) if config.bias_watch else None
    return None if plan is None else BiasWatch(plan)


def _inspection(config: TableConfig, device: str) -> InspectionPlan:
    """What is looked at before the table opens, by the rules or by the house's wish."""
    text = profile(config.rules).rules_of(config.game)
    if isinstance(text, NoText):
        return no_inspection(device)
    asked = text.inspection.opening.value or config.inspection == "opening"
    return InspectionPlan(asked, device, text.inspection.with_devices(config.devices).checks)
