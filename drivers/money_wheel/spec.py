"""The money wheel as a device: its lines by how it is sensed, and what makes it."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.base.device_spec import Device, DeviceSpec, LineUse
from drivers.money_wheel.device import MoneyWheelConfig
from drivers.money_wheel.encoder_wheel import MoneyWheel
from drivers.money_wheel.peg_wheel import PegWheel
from drivers.wheel.encoder_lines import encoder_lines, index_line


def money_wheel_lines(config: MoneyWheelConfig) -> dict[str, LineUse]:
    """The lines of a money wheel."""
    if config.sensing == "pegs":
        return {
            "wheel_peg": LineUse("one pulse a peg", "a peg is in front of the sensor", "output of the peg sensor"),
            "wheel_index": index_line("wheel"),
        }
    return encoder_lines("wheel")


def _make(keys: MoneyWheelConfig, name: str, parts: Sequence[str]) -> Device:
    return Device(MoneyWheel(keys) if keys.sensing == "quadrature" else PegWheel(keys))


MONEY_WHEEL = DeviceSpec(name="money_wheel", keys=MoneyWheelConfig, lines=money_wheel_lines, make=_make)
