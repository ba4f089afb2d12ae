"""gpiozero's mock pins with a clock of their own, so that an edge has exactly the time that a test gives it."""

from __future__ import annotations

from typing import cast

from gpiozero.pins.mock import MockFactory, MockPin
from gpiozero.pins.pi import PiPin


class TimedPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
    """A mock pin that passes its factory's ticks, as a real factory's pin does."""

    def _call_when_changed(self) -> None:
        PiPin._call_when_changed(self, self.factory.ticks(), self._state)


class TimedFactory(MockFactory):  # type: ignore[misc]  # gpiozero has no types
    """Mock pins whose ticks are seconds of `now_ns`, which a test sets."""

    def __init__(self) -> None:
        super().__init__(pin_class=TimedPin)
        self.now_ns = 0

    def ticks(self) -> float:
        return self.now_ns / 1e9

    def drive(self, gpio: int, level: int, t_ns: int) -> None:
        """Puts a pin to a level at a time; a change when it had the other one."""
        self.now_ns = t_ns
        pin = self.pin(gpio)
        if level:
            pin.drive_high()
        else:
            pin.drive_low()

    def glitch(self, gpio: int, t_ns: int) -> None:
        """Two edges so close that the factory calls once, with the level that the pin had before."""
        self.now_ns = t_ns
        pin = cast("TimedPin", self.pin(gpio))
        if pin.when_changed is not None:
            pin._call_when_changed()
