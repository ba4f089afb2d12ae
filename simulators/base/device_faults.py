"""What can go wrong with one simulated device, by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from simulators.base.faults import FaultError


@dataclass(frozen=True, slots=True)
class NamedFault:
    """A named fault of one device.

    `physical` faults change what happens, and so the truth; the others only what the wires show of it.
    """

    name: str
    physical: bool
    explanation: str
    """What happens."""
    expected: str
    """What a correct controller may make of it."""


CABLE_PULLED: Final = NamedFault(
    "cable_pulled", False, "The cable comes out and is put back.", "Unresolved, and a fault."
)


def by_name(faults: Iterable[NamedFault]) -> dict[str, NamedFault]:
    """The faults of a device by their names, `none` first."""
    none = NamedFault("none", True, "Nothing goes wrong.", "The tumble, or the values, as they are.")
    return {fault.name: fault for fault in (none, *faults)}


def device_fault(name: str | None, faults: dict[str, NamedFault], device: str) -> NamedFault:
    """The fault of this name; None is the name of none.

    Raises:
        FaultError: the device has no such fault; the message has the nearest.
    """
    fault = faults.get(name or "none")
    if fault is None:
        near = difflib.get_close_matches(str(name), faults, n=3, cutoff=0.5)
        hint = f"; nearest: {', '.join(near)}" if near else f"; there are: {', '.join(faults)}"
        raise FaultError(f'no fault of a {device} is named "{name}"{hint}')
    return fault
