"""The current limit of the steppers' driver carriers: the voltage at their potentiometer, for the listed motor."""

from __future__ import annotations

from typing import Final, NamedTuple

MOTOR: Final = "StepperOnline 17HS08-1004S"
RATED_AMP: Final = 1.0
SET_AMP: Final = 0.8
"""What the limit is set to: 80 % of the motor's rated current (ours); a carrier without a heat sink bears it."""
FULL_STEP: Final = 0.71
"""What a coil has of the limit at a full step: both coils are on."""


class Carrier(NamedTuple):
    """A driver carrier: its chip, its sense resistors in Ω, and the chip's factor between them and the voltage."""

    chip: str
    text: str
    sense_ohm: float
    factor: float

    def volts(self, ampere: float) -> float:
        """V at the potentiometer for this limit."""
        return self.factor * self.sense_ohm * ampere


CARRIERS: Final = (
    Carrier("A4988", "Pololu 1182, made since 2017 (resistors marked R068)", 0.068, 8.0),
    Carrier("A4988", "Pololu 1182, made before (R050)", 0.050, 8.0),
    Carrier("A4988", "carriers of others, often (R100)", 0.100, 8.0),
    Carrier("DRV8825", "Pololu 2133, and most others (R100)", 0.100, 5.0),
)


def page() -> list[str]:
    """The section of the reel board's page, as lines."""
    lines = [
        "## Current limit of the drivers",
        "",
        "Set it once for each driver, before its motor is connected. The voltage at the potentiometer is "
        "`Vref = 8 × R × I` on a carrier with an A4988 and `Vref = 5 × R × I` on one with a DRV8825, with R the sense "
        "resistors beside the chip, read from their marks, and I the limit of a coil. For another motor take 80 % of "
        "its rated current.",
        "",
        f"| carrier | R | Vref for {MOTOR}, limit {SET_AMP:g} A ({RATED_AMP:g} A rated) | for 1.0 A, the most |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {each.chip}: {each.text} | {each.sense_ohm:.3f} Ω | {each.volts(SET_AMP):.2f} V | {each.volts(1.0):.2f} V |"
        for each in CARRIERS
    ]
    return [
        *lines,
        "",
        "1. Supply off: carrier into its socket, nothing at the motor's four terminals. A motor that is plugged or "
        "unplugged while its driver has power destroys the driver.",
        "2. Supply on. A4988: press the emergency stop, for its reference comes from the 5 V. DRV8825: release it, for "
        "its reference comes from the motors' 12 V.",
        "3. Voltmeter between J1.2 (0 V) and the metal of the potentiometer; turn it with an insulated screwdriver "
        "until the table's value is there, 5 % at the most beside it.",
        "4. Supply off: connect the motor. To check it, an ammeter in one coil's wire while the reel is held: in full "
        f"steps {FULL_STEP * SET_AMP:.2f} A, which is 0.71 of the limit.",
        "",
    ]
