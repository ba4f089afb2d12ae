"""One device of a table, as its file has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

import msgspec

from drivers.base.device_spec import DeviceSpec, LineUse

C = TypeVar("C", bound=msgspec.Struct)


class DeviceConfig(NamedTuple):
    """One device of a table: its name, its kind, and that kind's own keys."""

    name: str
    spec: DeviceSpec
    config: msgspec.Struct

    @property
    def driver(self) -> str:
        """The name of its kind, as the file has it."""
        return self.spec.name

    @property
    def lines(self) -> Mapping[str, LineUse]:
        """The lines that it wants with its keys."""
        return self.spec.lines(self.config)

    def keys(self, struct: type[C]) -> C:
        """The driver's keys as the struct that the driver declares.

        Raises:
            TypeError: the device has another driver.
        """
        if not isinstance(self.config, struct):
            raise TypeError(f"device.{self.name} has the driver {self.driver}, whose keys are not {struct.__name__}")
        return self.config
