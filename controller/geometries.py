"""What the simulators need to know of a table's configuration: its geometry, by the game that it plays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from controller.configuration.values import TableConfig
from controller.geometries_craps import craps_geometry
from controller.geometries_sic_bo import sic_bo
from controller.geometries_tumbled import tumbled
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.roulette.device import RouletteWheelConfig
from simulators.base.geometry import Geometry, MoneyWheelGeometry, RouletteGeometry


class NoSimulatorError(Exception):
    """No simulator plays what the configuration describes."""


def geometry_of(config: TableConfig) -> Geometry:
    """The geometry of the simulated table.

    Raises:
        NoSimulatorError: a device has no simulator of lines.
    """
    return _GEOMETRIES[config.game](config)


def _money_wheel(config: TableConfig) -> Geometry:
    wheel = config.devices["wheel"].keys(MoneyWheelConfig)
    return MoneyWheelGeometry(
        spaces=len(wheel.faces),
        sensing=wheel.sensing,
        encoder_slots=wheel.encoder_slots,
        index_width_deg=wheel.index_width_deg,
        indicator_deg=wheel.indicator_deg,
        no_more_bets_button="dealer_no_more_bets" in config.buttons,
        settled_button="dealer_settled" in config.buttons,
    )


def _roulette(config: TableConfig) -> Geometry:
    wheel = config.devices["wheel"].config
    if not isinstance(wheel, RouletteWheelConfig):
        raise NoSimulatorError(f"no simulator plays device.wheel with the driver {config.devices['wheel'].driver}")
    return RouletteGeometry(
        pockets=wheel.wheel_order,
        single_zero=wheel.pockets == "american_as_single_zero",
        encoder_slots=wheel.slots,
        index_width_deg=wheel.index_width_deg,
        ball_sensors_deg=wheel.ball_sensors_deg,
        pocket_head_deg=wheel.pocket_head_deg,
        object_beam=True,
        level_hz=2.0,
        no_more_bets_button="dealer_no_more_bets" in config.buttons,
        settled_button="dealer_settled" in config.buttons,
    )


_GEOMETRIES: Final[Mapping[str, Callable[[TableConfig], Geometry]]] = {
    "money_wheel": _money_wheel,
    "roulette": _roulette,
    "craps": craps_geometry,
    "mini_craps": craps_geometry,
    "sic_bo": sic_bo,
    "beat_the_dealer": tumbled,
    "chuck_a_luck": tumbled,
    "under_over": tumbled,
}
