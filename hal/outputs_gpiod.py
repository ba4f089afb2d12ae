"""Output lines on a Linux GPIO chip, through libgpiod 2. On and off only: the kernel's GPIO has no PWM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from hal.backends.gpiod_chip import (
    CONSUMER,
    ChipIdentity,
    Devices,
    gpio_devices,
    identity_of,
    line_offset,
    open_chip,
    request_refused,
    require_gpiod,
)
from hal.lines import LineError
from hal.outputs import OutputSpec, check_place

if TYPE_CHECKING:
    import gpiod


class GpiodOutputs:
    """Writes the outputs of one chip."""

    def __init__(self, specs: Iterable[OutputSpec], *, devices: Devices = gpio_devices) -> None:
        """Opens nothing yet.

        Raises:
            LineError: there are none, they are on several chips or a board, or one wants PWM.
        """
        self._specs = list(specs)
        if not self._specs:
            raise LineError("outputs: expected at least one, got none; name them in the configuration")
        for spec in self._specs:
            check_place(spec)
            if spec.pwm_hz is not None:
                raise LineError(
                    f"output {spec.name!r}: gpiod has no PWM, and pwm_hz = {spec.pwm_hz:g} was asked for; "
                    'use backend = "gpiozero" for it, or leave pwm_hz out'
                )
            if spec.chip != self._specs[0].chip:
                raise LineError(
                    f"output {spec.name!r}: it is on chip {spec.chip!r}, and {self._specs[0].name!r} on "
                    f"{self._specs[0].chip!r}; make one writer for each chip"
                )
        self._devices = devices
        self._request: gpiod.LineRequest | None = None
        self._offsets: dict[str, int] = {}
        self._identity: ChipIdentity | None = None
        """The chip of the first opening: no other one is opened later."""

    def open(self, wires: Mapping[str, float]) -> None:
        """Claims the lines as outputs; each has its value from the first moment.

        Raises:
            LineError: the package, the chip or a line is not available, or the chip is not the one of the first time.
        """
        require_gpiod()
        import gpiod
        from gpiod.line import Direction

        try:
            known = self._identity
            label = self._specs[0].chip if known is None else known.label
            with open_chip(label, self._devices, again=known is not None) as chip:
                offsets = [line_offset(chip, spec) for spec in self._specs]
                identity = identity_of(chip, offsets)
                if known is not None:
                    known.check_same(identity)
                for place, offset in enumerate(offsets):
                    if offset in offsets[:place]:
                        raise LineError(
                            f"output {self._specs[place].name!r}: GPIO{offset} is the wire of another output already; "
                            "give each output a wire of its own"
                        )
                settings: dict[Iterable[int | str] | int | str, gpiod.LineSettings | None] = {
                    offset: gpiod.LineSettings(direction=Direction.OUTPUT, output_value=_value(wires[spec.name]))
                    for offset, spec in zip(offsets, self._specs, strict=True)
                }
                try:
                    self._request = chip.request_lines(settings, consumer=CONSUMER)
                except OSError as error:
                    raise request_refused(chip, list(zip(self._specs, offsets, strict=True)), error) from error
        except OSError as error:
            raise LineError(
                f"outputs: their chip disappeared while it was being opened ({error.strerror}); check its cable"
            ) from error
        self._identity = identity
        self._offsets = {spec.name: offset for offset, spec in zip(offsets, self._specs, strict=True)}

    def write(self, name: str, wire: float) -> None:
        """Sets one wire high or low.

        Raises:
            OSError: the chip was removed, or the lines are not open.
        """
        if self._request is None:
            raise OSError(f"output {name!r}: its lines are not open")
        self._request.set_value(self._offsets[name], _value(wire))

    def close(self) -> None:
        """Releases the lines; the Pi's chips keep their levels."""
        if self._request is not None:
            self._request.release()
            self._request = None


def _value(wire: float) -> gpiod.line.Value:
    from gpiod.line import Value

    return Value.ACTIVE if wire else Value.INACTIVE
