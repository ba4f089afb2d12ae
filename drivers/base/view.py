"""What a driver or an actuator makes of its device at one time, for people who look at it: the bench draws it.

A view is read-only and complete in itself: whoever draws it decodes nothing. It never holds what is secret.
"""

from __future__ import annotations

from typing import Protocol, TypeAlias, runtime_checkable

import msgspec

from drivers.base.driver import SensorHealth

Fact: TypeAlias = tuple[str, str]
"""A label and a value in words: `laps`, `3.33`."""


class DeviceView(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="facts"):
    """A device at one time. Each kind of device adds what its drawing needs; the tag names the drawing;
    `facts` is none but those."""

    facts: tuple[Fact, ...] = ()
    """The same in words, for people who read rather than look."""
    doubts: tuple[str, ...] = ()
    """What is not proven, and which lines are dead."""


@runtime_checkable
class Viewed(Protocol):
    """A driver or an actuator that gives a view of its device."""

    name: str

    def view(self, t_ns: int) -> DeviceView:
        """Its device at `t_ns`, up to which everything has been given to it. Changes nothing."""


def dead_lines(health: SensorHealth) -> tuple[str, ...]:
    """The lines that do not follow their device, in words."""
    return tuple(f"{line} is dead" for line in sorted(health.dead))


def turn_words(direction: int) -> str:
    """A direction in words; the positive one is that of growing angles."""
    return {1: "positive (A leads B)", -1: "negative"}.get(direction, "unknown")
