"""What stands around a carrier board: supply, sensors, loads; each with two sources, as the parts on the board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from firmware.hardware.circuit import Source
from firmware.hardware.parts import DATA_SHEET, KNOWN


class Device(NamedTuple):
    """Something to order that is no part of a board."""

    name: str
    count: int
    where: str
    sources: tuple[Source, ...]
    note: str = ""


_SUPPLY: Final = Device(
    "power supply 12 V, 4 A or more, set to 12.0 V",
    1,
    "J1",
    (Source("Mean Well", "LRS-75-12", DATA_SHEET), Source("TDK-Lambda", "LS75-12", DATA_SHEET)),
)
_FORK: Final = (Source("Omron", "EE-SX670", DATA_SHEET), Source("Panasonic", "PM-L25", KNOWN))
_SLOT: Final = (Source("Vishay", "TCST2103", DATA_SHEET), Source("TT Electronics", "OPB990T51Z", KNOWN))
_CABLE: Final = (Source("Lapp", "0034304 (UNITRONIC LiYCY 4 × 0.25 mm²)", KNOWN), Source("Helukabel", "16004", KNOWN))

DEVICES: Final[Mapping[str, tuple[Device, ...]]] = {
    "wheel": (
        _SUPPLY,
        Device(
            "slotted sensor, 5 to 24 V, NPN open collector",
            3,
            "money wheel: channel A, channel B, index (a roulette wheel: rotor A, B, index, and one for each further sensor)",
            _FORK,
            "fed from the board's +5 V; 35 mA each at most",
        ),
        Device(
            "push button, one contact, normally open",
            1,
            "dealer: no more bets",
            (Source("Schneider Electric", "XB4BA21", DATA_SHEET), Source("Eaton", "M22-D-S + M22-K10", KNOWN)),
        ),
        Device(
            "key switch, one contact, spring return",
            1,
            "supervisor",
            (Source("Schneider Electric", "XB4BG61", DATA_SHEET), Source("Eaton", "M22-WS + M22-K10", KNOWN)),
        ),
        Device(
            "LED indicator 12 V",
            1,
            "no more bets lamp",
            (Source("Dialight", "507-4761-3731-500", KNOWN), Source("Signal-Construct", "SKIU10014", KNOWN)),
            "any 12 V lamp up to 1 A",
        ),
        Device("cable, four wires 0.25 mm², screened", 6, "m, to the sensors", _CABLE),
    ),
    "pusher": (
        _SUPPLY,
        Device(
            "slotted opto, 3 mm, transistor output",
            4,
            "chute, upper and lower beam; shelf shaft; shelf home",
            _SLOT,
            "for a wider chute: emitter and receiver apart, 20 mA emitter, NPN output",
        ),
        Device(
            "token hopper 12 V with a coin opto, bare motor",
            1,
            "hopper",
            (Source("Azkoyen", "Hopper U-II 12 V", KNOWN), Source("Suzo-Happ", "Cube Hopper MK II", KNOWN)),
            "the coin sensor is joined as the slotted optos are",
        ),
        Device(
            "token acceptor 12 V, pulse output, set to normally closed",
            1,
            "acceptor",
            (Source("NRI (Crane)", "G-13.mft", KNOWN), Source("Alberici", "AL66", KNOWN)),
        ),
        Device(
            "gear motor 12 V, 2 A or less when blocked at the shelf's load",
            1,
            "shelf",
            (Source("Dunkermotoren", "GR 42X25 with SG 62", KNOWN), Source("Crouzet", "82810017", KNOWN)),
        ),
        Device(
            "tilt switch, normally closed",
            1,
            "cabinet",
            (Source("Suzo-Happ", "plumb-bob tilt 95-0815-00", KNOWN), Source("Zippy", "VA-10-1A5N2-A0 with a pendulum", KNOWN)),
        ),
        Device(
            "alarm lamp or horn 12 V, 1 A or less",
            1,
            "alarm",
            (Source("Werma", "12 V DC, series 816", KNOWN), Source("Patlite", "LP6-012", KNOWN)),
        ),
        Device("cable, four wires 0.25 mm², screened", 12, "m, to the sensors", _CABLE),
    ),
    "table": (_SUPPLY,),
    "reel": (_SUPPLY,),
}
"""For each kind of board; a table's or a reel's sensors and motors are those of its own equipment."""
