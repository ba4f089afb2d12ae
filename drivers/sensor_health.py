"""What every driver says of its sensors."""

from __future__ import annotations

from drivers.driver import Observation


class SensorDead(Observation, frozen=True, kw_only=True):
    """A line does not do what its device does: unplugged, stuck, or never there."""

    line: str
    fault: str
    """`sensor_missing` or `sensor_stuck`."""
    detail: str


class SensorAlive(Observation, frozen=True, kw_only=True):
    """A line that was dead works again."""

    line: str
