"""The money wheel as a device: its lines by how it is sensed, and what makes it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from drivers.base.device_spec import Device, DeviceSpec, LineUse, WiredFinding
from drivers.base.movement import LineBounds
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.money_wheel.encoder_wheel import MoneyWheel
from drivers.money_wheel.movements import movements, with_measured
from drivers.money_wheel.peg_wheel import PegWheel
from drivers.wheel.encoder_lines import encoder_bounds, encoder_lines, index_findings, index_line


def money_wheel_lines(config: MoneyWheelConfig) -> dict[str, LineUse]:
    """The lines of a money wheel."""
    if config.sensing == "pegs":
        return {
            "wheel_peg": LineUse(
                "one pulse a peg", "a peg is in front of the sensor", "output of the peg sensor", rests_low=False
            ),
            "wheel_index": index_line("wheel"),
        }
    return encoder_lines("wheel")


def money_wheel_on_wires(config: MoneyWheelConfig, given: Collection[str]) -> list[WiredFinding]:
    """The index of a real encoder should end where it shows an exchange of the channels."""
    if config.sensing == "pegs":
        return []
    return index_findings("wheel", config.index_width_deg, config.encoder_slots)


def _make(keys: MoneyWheelConfig, name: str, parts: Sequence[str]) -> Device:
    return Device(MoneyWheel(keys) if keys.sensing == "quadrature" else PegWheel(keys))


MOST_RPM = 120.0
"""A money wheel turns no faster (ours): twice what hands and motors give it."""


def money_wheel_bounds(config: MoneyWheelConfig) -> dict[str, LineBounds]:
    """How fast the lines of a money wheel change."""
    if config.sensing == "quadrature":
        return encoder_bounds("wheel", config.encoder_slots, config.index_width_deg, MOST_RPM)
    turn_us = 60e6 / MOST_RPM
    spaces = len(config.faces)
    why = f"{spaces} pegs at {MOST_RPM:g} rpm"
    return {"wheel_peg": LineBounds(2 * spaces * 1e6 / turn_us, turn_us / spaces / 20, why)}


OF_THE_ENCODER = ("encoder_slots", "index_width_deg", "rollback_spaces", "peg_margin_spaces", "flapper_zone_deg")
OF_THE_PEGS = ("accept_pegs", "peg_direction")


def _idle(config: MoneyWheelConfig) -> dict[str, str]:
    """The keys of the other way of sensing."""
    idle = OF_THE_ENCODER if config.sensing == "pegs" else OF_THE_PEGS
    return dict.fromkeys(idle, f'with sensing = "{config.sensing}"')


MONEY_WHEEL = DeviceSpec(
    name="money_wheel",
    keys=MoneyWheelConfig,
    lines=money_wheel_lines,
    make=_make,
    on_wires=money_wheel_on_wires,
    idle=_idle,
    movements=lambda keys, wired: movements(keys),
    measured=with_measured,
    bounds=money_wheel_bounds,
)
# Of it the rules have the title alone (`controller.rules.titles`): sensed as a money wheel is, with faces of cards.
POKETTE_WHEEL = replace(MONEY_WHEEL, name="pokette_wheel")
