"""How fast simulated time passes."""

from __future__ import annotations

import sys

import click

from hal.clock import SystemClock, wait_until_ns

FASTEST = 1000.0
"""Times real time that a service keeps up with."""


def parse_speed(text: str) -> float:
    """The number of `--speed`.

    Raises:
        click.BadParameter: it is no number above 0, or too great a one.
    """
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= FASTEST:
        fix = f"write a number above 0 and up to {FASTEST:g}, such as 10"
        raise click.BadParameter(f'"{text}" is no speed; {fix}', param_hint="--speed")
    return speed


class Pacer:
    """Waits so that simulated time passes at `speed` times real time; None does not wait."""

    def __init__(self, speed: float | None) -> None:
        self._speed = speed
        self._clock = SystemClock()
        self._start_ns = self._clock.now_ns()

    @classmethod
    def from_option(cls, text: str) -> Pacer:
        """The pacer of `--speed`: a number, or `max`."""
        return cls(None if text == "max" else parse_speed(text))

    def wait_until(self, t_ns: int) -> None:
        """Waits until the simulated time `t_ns` has come."""
        if self._speed is not None:
            sys.stdout.flush()
            wait_until_ns(self._clock, self._start_ns + round(t_ns / self._speed))
