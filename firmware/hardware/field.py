"""What surrounds a carrier board: supply, sensors, loads.

A number that was found in public documents is given here; a machine's own parts (hopper, acceptor, motors) are
described by what they must be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from firmware.hardware.circuit import Source
from firmware.hardware.parts import CODE, FOUND, LOOK_UP


@dataclass(frozen=True)
class Device:
    """Something to order that is not part of a board; without sources, anything that is as described."""

    name: str
    count: str
    where: str
    sources: tuple[Source, ...] = ()


_SUPPLY: Final = Device(
    "power supply 12 V, 4 A or more, set to 12.0 V",
    "1",
    "J1",
    (Source("Mean Well", "LRS-75-12", FOUND), Source("TDK-Lambda", "LS75-12", LOOK_UP)),
)
_FORK: Final = (Source("Omron", "EE-SX670", FOUND), Source("Panasonic", "PM-L25", FOUND))
_SLOT: Final = (Source("Vishay", "TCST2103", FOUND), Source("Everlight", "ITR9608-F", FOUND))
_END: Final = (Source("Vishay", "MRS25000C4700FCT00", CODE), Source("Yageo", "MFR-25FBF52-470R", CODE))
_CABLE: Final = "cable, four wires of 0.25 mm², screened; the screen at the board's end to 0 V"

DEVICES: Final[Mapping[str, tuple[Device, ...]]] = {
    "wheel": (
        _SUPPLY,
        Device(
            "slotted sensor, 5 to 24 V, NPN open collector, 35 mA or less",
            "3",
            "money wheel: channel A, channel B, index (a roulette wheel: one for each line of its table's file)",
            _FORK,
        ),
        Device(
            "push button, one normally-open contact",
            "1",
            "dealer: no more bets",
            (Source("Schneider Electric", "XB4BA21", FOUND),),
        ),
        Device(
            "key switch, one normally-open contact, spring return",
            "1",
            "supervisor",
            (Source("Schneider Electric", "XB4BG61", FOUND),),
        ),
        Device("lamp 12 V, 1 A or less", "1", "no more bets"),
        Device(_CABLE, "6 m", "to the sensors"),
    ),
    "pusher": (
        _SUPPLY,
        Device(
            "slotted opto, bare: emitter 11 mA, phototransistor",
            "4",
            "chute, upper and lower beam; shelf shaft; shelf home (a wider chute: emitter and receiver apart)",
            _SLOT,
        ),
        Device("token hopper, 12 V motor of 2 A or less, with a coin opto (as a slotted opto)", "1", "hopper"),
        Device(
            "token acceptor 12 V, 0.5 A or less, pulse output (open collector at rest on), inhibit that low lifts",
            "1",
            "token",
        ),
        Device("gear motor 12 V, 3 A or less when blocked", "1", "shelf"),
        Device("tilt switch, normally closed", "1", "tilt"),
        Device("resistor 470 Ω 1 %, 0.25 W", "2", "in the signal wire at the acceptor, and at the tilt switch", _END),
        Device("lamp or horn 12 V, 0.5 A or less", "1", "alarm"),
        Device(_CABLE, "12 m", "to the sensors"),
    ),
    "table": (_SUPPLY, Device("sensors, motor and keys of the table's equipment", "–", "as its file says")),
    "reel": (
        _SUPPLY,
        Device("three bipolar steppers, 1 A or less a coil; home optos; stop buttons, normally closed", "–", ""),
        Device("resistor 470 Ω 1 %, 0.25 W", "4", "in the signal wire at the acceptor, and at each stop button", _END),
    ),
}
"""For each kind of board."""
