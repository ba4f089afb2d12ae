"""Who gives the values at a dice table, from its configuration: a keypad, a reading board, or both."""

from __future__ import annotations

from typing import NamedTuple

from controller.configuration.values import TableConfig
from controller.games.dice.values import DiceValues, Source
from drivers.base.driver import Driver
from drivers.dice.keypad import DiceKeypad, DiceKeypadConfig
from drivers.dice.reader import DiceReader, DiceReaderConfig


class ValueDevices(NamedTuple):
    """The keypad and the reading board that a table has."""

    values: DiceValues
    keypad: DiceKeypad | None
    reader: DiceReader | None

    @property
    def drivers(self) -> list[Driver]:
        """Those that there are."""
        return [device for device in (self.keypad, self.reader) if device is not None]


def value_devices(config: TableConfig, dice: int, wait_s: float = 20.0) -> ValueDevices:
    """The devices that give the values of so many dice. `wait_s` is how long one is waited for after the other."""
    devices = config.devices
    keypad = DiceKeypad(devices["keypad"].keys(DiceKeypadConfig), dice) if "keypad" in devices else None
    reader = DiceReader(devices["reader"].keys(DiceReaderConfig), dice) if "reader" in devices else None
    both: tuple[Source, ...] = ("keypad", "reader")
    sources = [source for source in both if source in devices]
    if keypad is not None and reader is not None and devices["reader"].keys(DiceReaderConfig).format == "state_words":
        # It tells that dice are shaken, and no values.
        sources = ["keypad"]
    return ValueDevices(DiceValues(sources, wait_s), keypad, reader)
