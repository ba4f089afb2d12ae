"""What surrounds a carrier board: supply, sensors, loads.

A number that was found in public documents is given here; a machine's own parts (hopper, acceptor, motors) are
described by what they must be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from firmware.hardware.circuit import OrderNumber
from firmware.hardware.parts import CODE, FOUND


@dataclass(frozen=True)
class FieldItem:
    """Something to order that is not part of a board; without sources, anything that is as described."""

    name: str
    count: str
    where: str
    sources: tuple[OrderNumber, ...] = ()


_SUPPLY: Final = FieldItem(
    "power supply 12 V, 6 A, set to 12.0 V",
    "1",
    "J1",
    (OrderNumber("Mean Well", "LRS-75-12", FOUND), OrderNumber("XP Power", "LCS75US12", FOUND)),
)
_MONEY_SUPPLY: Final = FieldItem(
    "power supply 12 V, 12.5 A, set to 12.0 V at its own terminals",
    "1",
    "J1, by 1 m of cable at the most, two wires of 1.5 mm²",
    (OrderNumber("Mean Well", "LRS-150-12", FOUND), OrderNumber("XP Power", "LCS150US12", FOUND)),
)
_FORK: Final = (OrderNumber("Omron", "EE-SX670", FOUND), OrderNumber("Panasonic", "PM-L25", FOUND))
_SLOT: Final = (OrderNumber("Vishay", "TCST2103", FOUND), OrderNumber("Everlight", "ITR9608-F", FOUND))
_END: Final = (OrderNumber("Vishay", "MRS25000C4700FCT00", CODE), OrderNumber("Yageo", "MFR-25FBF52-470R", CODE))
_CABLE: Final = "cable, four wires of 0.25 mm², screened; the screen at the board's end to 0 V"

DEVICES: Final[Mapping[str, tuple[FieldItem, ...]]] = {
    "wheel": (
        _SUPPLY,
        FieldItem(
            "slotted sensor, 5 to 24 V, NPN open collector, 35 mA or less",
            "3",
            "money wheel: channel A, channel B, index (a roulette wheel: one for each line of its table's file)",
            _FORK,
        ),
        FieldItem(
            "push button, one normally-open contact",
            "1",
            "dealer: no more bets",
            (OrderNumber("Schneider Electric", "XB4BA21", FOUND),),
        ),
        FieldItem(
            "key switch, one normally-open contact, spring return",
            "1",
            "supervisor",
            (OrderNumber("Schneider Electric", "XB4BG61", FOUND),),
        ),
        FieldItem("lamp 12 V, 1 A or less", "1", "no more bets"),
        FieldItem(_CABLE, "6 m", "to the sensors"),
    ),
    "pusher": (
        _MONEY_SUPPLY,
        FieldItem(
            "slotted opto, bare: emitter 11 mA, phototransistor",
            "4",
            "chute, upper and lower beam; shelf shaft; shelf home (a wider chute: emitter and receiver apart)",
            _SLOT,
        ),
        FieldItem("token hopper, 12 V motor of 2 A or less, with a coin opto (as a slotted opto)", "1", "hopper"),
        FieldItem(
            "token acceptor 12 V, 0.5 A or less, pulse output (open collector at rest on), inhibit that low lifts",
            "1",
            "token",
        ),
        FieldItem("gear motor 12 V, 3 A or less when blocked", "1", "shelf"),
        FieldItem("tilt switch, normally closed", "1", "tilt"),
        FieldItem(
            "resistor 470 Ω 1 %, 0.25 W", "2", "in the signal wire at the acceptor, and at the tilt switch", _END
        ),
        FieldItem("lamp or horn 12 V, 0.5 A or less", "1", "alarm"),
        FieldItem(_CABLE, "12 m", "to the sensors"),
    ),
    "table": (_SUPPLY, FieldItem("sensors, motor and keys of the table's equipment", "–", "as its file says")),
    "reel": (
        _MONEY_SUPPLY,
        FieldItem("three bipolar steppers, 1 A or less a coil; home optos; stop buttons, normally closed", "–", ""),
        FieldItem(
            "resistor 470 Ω 1 %, 0.25 W", "4", "in the signal wire at the acceptor, and at each stop button", _END
        ),
    ),
}
"""For each kind of board."""
