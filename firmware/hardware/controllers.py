"""The modules that a carrier board is made for: where the firmware's pins are on each, and what those pins bear."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from firmware.hardware import parts as p
from firmware.hardware.circuit import PartType
from firmware.hardware.manifest_pins import analogues_of, pins_of

V5: Final = "+5V"
V33: Final = "+3V3"


class Controller(NamedTuple):
    """A module, and what a circuit around it follows from."""

    name: Literal["Nano", "Pico"]
    suffix: str
    """Of the names of its circuits, after the kind of board."""
    module: PartType
    pins: Mapping[str, str]
    """The pins of the dictionary and what the module calls them."""
    analogue_pins: Mapping[str, str]
    """Where they are as channels of the converter, where that is another pin; empty: at no pin."""
    own_pins: Mapping[str, str]
    """What the port of the firmware has at pins of its own, for every kind."""
    logic: str
    """The rail of its pins, of the gates at them and of its FRAM."""
    volt: float
    """Of that rail."""
    tolerance: float
    """Of that rail, as a part."""
    low_most: float
    """V_IL as a part of the rail, and V_IH."""
    high_least: float
    schmitt: PartType
    """Between a wire and an input."""
    up: tuple[float, float]
    """V_T+ of `schmitt`, as parts of the rail, at the least and the most; and V_T−."""
    down: tuple[float, float]
    fram: PartType
    supply: str
    """The pin that the carrier board supplies; and the one that resets it."""
    reset: str

    def at(self, kind: str, more: Mapping[str, str]) -> dict[str, str]:
        """The module's pin for each use that the firmware or `more` has of a pin; empty where it is at none."""
        analogue = analogues_of(kind)
        found = {}
        for use, pin in {**more, **pins_of(kind)}.items():
            found[use] = self.pins.get(pin, "")
            if use in analogue:
                found[use] = self.analogue_pins.get(pin, found[use])
        return found | dict(self.own_pins)

    @property
    def least(self) -> float:
        """V of its rail at the least."""
        return self.volt * (1 - self.tolerance)

    @property
    def most(self) -> float:
        """V of its rail at the most."""
        return self.volt * (1 + self.tolerance)


NANO: Final = Controller(
    "Nano", "", p.NANO, p.NANO_PINS, {}, {}, V5, 5.0, 0.1, 0.3, 0.6,
    # 74HC14 at 4.5 V.
    p.HC14, (0.345, 0.70), (0.20, 0.545),
    p.FRAM, "5V", "RST",
)  # fmt: skip
PICO: Final = Controller(
    "Pico", "-pico", p.PICO,
    {
        **{f"B{bit}": f"GP{2 + bit}" for bit in range(6)}, **{f"D{bit}": f"GP{6 + bit}" for bit in range(2, 8)},
        "C0": "GP14", "C1": "GP15", "C2": "GP26", "C3": "GP27", "C4": "GP22", "C5": "GP18",
    },
    {"C4": "GP28", "C5": "", "A6": "GP28"},
    {"link out": "GP0", "link in": "GP1", "fram data": "GP20", "fram clock": "GP21"},
    # RP2040 Datasheet, 5.5.3.4, at 3.3 V: V_IL 0.8 V, V_IH 2.0 V. 5 % are ours: its regulator has less.
    V33, 3.3, 0.05, 0.8 / 3.3, 2.0 / 3.3,
    # 74AHC14 at 3.0 V.
    p.AHC14, (1.2 / 3.0, 2.2 / 3.0), (0.9 / 3.0, 1.9 / 3.0),
    p.FRAM_3V3, "VSYS", "RUN",
)  # fmt: skip
