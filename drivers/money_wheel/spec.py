"""The money wheel as a device: its lines by how it is sensed, and what makes it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from drivers.base.device_spec import Device, DeviceSpec, LineUse, WiredFinding
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.money_wheel.encoder_wheel import MoneyWheel
from drivers.money_wheel.peg_wheel import PegWheel
from drivers.wheel.encoder_lines import encoder_lines, index_findings, index_line


def money_wheel_lines(config: MoneyWheelConfig) -> dict[str, LineUse]:
    """The lines of a money wheel."""
    if config.sensing == "pegs":
        return {
            "wheel_peg": LineUse("one pulse a peg", "a peg is in front of the sensor", "output of the peg sensor"),
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


MONEY_WHEEL = DeviceSpec(
    name="money_wheel", keys=MoneyWheelConfig, lines=money_wheel_lines, make=_make, on_wires=money_wheel_on_wires
)
