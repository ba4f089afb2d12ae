"""What can go wrong with one device of a dice table, by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Final

from hal.clock import NS_PER_S
from hal.values import Edge
from simulators.base.faults import FaultError
from simulators.base.sensors import any_of

# What a shake sensor makes of knocks: short pulses, those that run together being one.

PULSE_S: Final = (0.0008, 0.0035)
"""How long a knock is felt (ours)."""
MISSED: Final = 0.02
"""The share of knocks that are too soft to be felt (ours)."""


def felt(line: str, knocks_s: Iterable[float], rng: Random, missed: float = MISSED) -> list[Edge]:
    """The pulses of a shake sensor that feels these knocks."""
    edges: list[Edge] = []
    for t_s in sorted(knocks_s):
        if rng.random() < missed:
            continue
        edges.append(Edge(line, 1, int(t_s * NS_PER_S)))
        edges.append(Edge(line, 0, int((t_s + rng.uniform(*PULSE_S)) * NS_PER_S)))
    return any_of(edges, {})


@dataclass(frozen=True, slots=True)
class DeviceFault:
    """A named fault of one device.

    `physical` faults change what happens, and so the truth; the others only what the wires say of it.
    """

    name: str
    physical: bool
    explanation: str
    """What happens."""
    expected: str
    """What a correct controller may say of it."""


def by_name(faults: Iterable[DeviceFault]) -> dict[str, DeviceFault]:
    """The faults of a device by their names, `none` first."""
    none = DeviceFault("none", True, "Nothing goes wrong.", "The tumble, or the values, as they are.")
    return {fault.name: fault for fault in (none, *faults)}


def device_fault(name: str | None, faults: dict[str, DeviceFault], device: str) -> DeviceFault:
    """The fault of this name; None is the name of none.

    Raises:
        FaultError: the device has no such fault; says the nearest.
    """
    fault = faults.get(name or "none")
    if fault is None:
        near = difflib.get_close_matches(str(name), faults, n=3, cutoff=0.5)
        hint = f"; nearest: {', '.join(near)}" if near else f"; there are: {', '.join(faults)}"
        raise FaultError(f'no fault of a {device} is named "{name}"{hint}')
    return fault
