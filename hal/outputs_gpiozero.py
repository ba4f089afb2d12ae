"""Output lines on the pins of a gpiozero factory: on and off, and PWM if the factory has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from hal.backends.gpiozero_factory import SharedFactory, library_errors, pin_is_taken
from hal.lines import LineError
from hal.outputs import OutputSpec, check_place

if TYPE_CHECKING:
    from gpiozero.pins import Factory, Pin


class GpiozeroOutputs:
    """Writes outputs on the pins of one factory, which the caller creates (`load_factory`) and closes afterwards."""

    def __init__(
        self,
        specs: Iterable[OutputSpec],
        factory: Factory,
        *,
        shared: SharedFactory | None = None,
    ) -> None:
        """Opens nothing yet. `shared` replaces a factory whose chip has gone.

        Raises:
            LineError: one is on a board.
        """
        self._specs = list(specs)
        for spec in self._specs:
            check_place(spec)
        self._factory = factory
        self._shared = shared
        self._broken = False
        """Whether a pin could not be written since the factory was loaded."""
        self._pins: dict[str, Pin] = {}

    def open(self, wires: Mapping[str, float]) -> None:
        """Makes the pins outputs; each has its value from the first moment, as far as the factory allows.

        Raises:
            LineError: a pin does not exist, is in use, or has no PWM.
        """
        if self._shared is not None:
            self._factory = self._shared.replace(self._factory) if self._broken else self._shared.current()
            self._broken = False
        for spec in self._specs:
            try:
                self._factory.reserve_pins(self, spec.gpio)
                pin = self._factory.pin(spec.gpio)
                if pin in self._pins.values():
                    raise ValueError("it is the wire of another output already")
                self._pins[spec.name] = pin
                pin.output_with_state(wires[spec.name] > 0)
                if spec.pwm_hz is not None:
                    pin.frequency = spec.pwm_hz
                    pin.state = wires[spec.name]
            except library_errors() as error:
                self.close()
                self._broken = not pin_is_taken(error)
                raise LineError(
                    f"output {spec.name!r}: GPIO {spec.gpio} cannot be driven by {type(self._factory).__name__} "
                    f"({type(error).__name__}: {error}); give it another pin, or leave pwm_hz out"
                ) from error

    def write(self, name: str, wire: float) -> None:
        """Sets one pin to a value.

        Raises:
            OSError: the factory cannot write it, or its lines are not open.
        """
        if name not in self._pins:
            raise OSError(f"output {name!r}: its lines are not open")
        try:
            if self._shared is not None and not self._shared.is_current(self._factory):
                raise OSError("its chip was removed")
            self._pins[name].state = wire
        except library_errors() as error:
            self._broken = True
            raise OSError(f"{type(error).__name__}: {error}") from error

    def close(self) -> None:
        """Releases the pins without closing them: a closed pin becomes an input, and its wire would float."""
        self._factory.release_all(self)
        self._pins.clear()

    def _conflicts_with(self, other: object) -> bool:
        """gpiozero calls this on the owner of a reserved pin: these pins are not shared."""
        return other is not self
