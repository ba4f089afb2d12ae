"""What surrounds a carrier board: supply, sensors, loads. Two sources each, or the figures that a buyer compares.

A machine's own parts (hopper, acceptor, motors, lamps) are bought by figures: what each must be, and why; with products
that are known, and how much of them was read. None of them was connected to a board.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from firmware.hardware.circuit import OrderNumber
from firmware.hardware.parts import CODE, FOUND, NPN, PTC_MOTOR, R10K, SHEET

RUNNING_AMP: Final = 0.55
"""What a motor behind its own resettable fuse may draw for hours: less than that holds at 50 °C, by 15 % (ours)."""


class Need(NamedTuple):
    """A figure that a buyer compares: what it is of, what it must be, and what of the board asks for it."""

    what: str
    must: str
    why: str


class Known(NamedTuple):
    """A product, and what is known of how it fits."""

    source: OrderNumber
    fits: str
    blocked_amp: float = 0.0
    """Of a motor, at 12 V."""


@dataclass(frozen=True)
class FieldItem:
    """Something to order that is not part of a board: by two order numbers, or by figures, with known products."""

    name: str
    count: str
    where: str
    sources: tuple[OrderNumber, ...] = ()
    needs: tuple[Need, ...] = ()
    known: tuple[Known, ...] = ()


_MAINS: Final = "earth of the mains (PE) at its earth terminal; a switch for 115 or 230 V, where it has one, set first"
_SUPPLY: Final = FieldItem(
    "power supply 12 V, 6 A, set to 12.0 V",
    "1",
    f"J1; {_MAINS}",
    (OrderNumber("Mean Well", "LRS-75-12", FOUND), OrderNumber("XP Power", "LCS75US12", FOUND)),
)
_MONEY_SUPPLY: Final = FieldItem(
    "power supply 12 V, 12.5 A, set to 12.0 V at its own terminals",
    "1",
    f"J1, by 1 m of cable at the most, two wires of 1.5 mm²; {_MAINS}",
    (OrderNumber("Mean Well", "LRS-150F-12", FOUND), OrderNumber("XP Power", "LCS150US12", FOUND)),
)
_FORK: Final = (OrderNumber("Omron", "EE-SX670", FOUND), OrderNumber("Panasonic", "PM-L25", FOUND))
_SLOT: Final = (OrderNumber("Vishay", "TCST2103", FOUND), OrderNumber("Everlight", "ITR9608-F", FOUND))
_END: Final = (OrderNumber("Vishay", "MRS25000C4700FCT00", CODE), OrderNumber("Yageo", "MFR-25FBF52-470R", CODE))
_OPENER: Final = (OrderNumber("Schneider Electric", "XB4BA42", FOUND), OrderNumber("IDEC", "YW1B-M1E01R", FOUND))

_NANO_SOCKETS: Final = FieldItem(
    "socket, one row of 15 contacts, 2.54 mm, for square pins",
    "2",
    "under the Nano",
    (OrderNumber("Sullins", "PPTC151LFBN-RC", FOUND), OrderNumber("Samtec", "SSW-115-01-T-S", FOUND)),
)
_PICO_SOCKETS: Final = FieldItem(
    "socket, one row of 20 contacts, 2.54 mm, for square pins",
    "2",
    "under the Pico; a Pico without pins gets two rows of 20 soldered in",
    (OrderNumber("Sullins", "PPTC201LFBN-RC", FOUND), OrderNumber("Samtec", "SSW-120-01-T-S", FOUND)),
)
SERIAL: Final = FieldItem(
    "USB-serial adapter of 3.3 V, or three wires to a UART of a Raspberry Pi",
    "1",
    "the terminals of the serial line, by 1 m of cable at the most",
    needs=(
        Need("its level out", "0 to 3.3 V; 5 V do no harm here", "two inverters that bear 5 V are behind 2.2 kΩ"),
        Need("its level in", "takes 3.3 V for high: V_IH 2.0 V or less", "that is what the board gives"),
        Need("its input", "100 pF with its cable, and no resistor below 47 kΩ", "2.5 kΩ are in series"),
        Need("rate", "1,000,000 baud, 8N1", "the firmware's"),
        Need("isolation", "none is needed", "0 V of the computer and of the board are joined there"),
    ),
    known=(
        Known(
            OrderNumber("FTDI", "TTL-232R-3V3-WE", FOUND),
            "bare ends: orange is its data out, yellow its data in, black its 0 V; the others stay open",
        ),
    ),
)
_DRIVER_SOCKETS: Final = FieldItem(
    "socket, one row of 8 contacts, 2.54 mm, for square pins",
    "6",
    "under the three driver carriers",
    (OrderNumber("Sullins", "PPTC081LFBN-RC", FOUND), OrderNumber("Samtec", "SSW-108-01-T-S", FOUND)),
)
_FRAM_SOCKET: Final = FieldItem(
    "socket DIP-8",
    "1",
    "under the FRAM on its adapter",
    (OrderNumber("TE Connectivity", "1-2199298-2", FOUND), OrderNumber("On Shore Technology", "ED08DT", FOUND)),
)
_FRAM_ADAPTER: Final = FieldItem(
    "adapter from SO-8 to DIP-8",
    "1",
    "the FRAM is soldered onto it",
    needs=(
        Need("chip", "SO-8, body 3.9 mm wide, leads 1.27 mm apart", "both FRAMs of the list"),
        Need("rows", "7.62 mm apart, pins 2.54 mm apart", "a place of DIP-8"),
        Need("pins", "pin 1 of the chip at pin 1 of the adapter, and so on", "the joints are those of the chip"),
        Need("their size", "0.5 mm, round or square", "a socket for chips"),
    ),
    known=(Known(OrderNumber("Aries", "LCQT-SOIC8-8", FOUND), "SO-8 to DIP-8, 7.62 mm"),),
)
_INVERTER: Final = (
    FieldItem(
        "BC337-40, where the acceptor's output conducts for a token alone",
        "1, if so",
        "inverter in the acceptor's plug",
        NPN.sources,
    ),
    FieldItem(
        "resistor 10 kΩ 1 %, where the acceptor's output conducts for a token alone",
        "1, if so",
        "inverter in the acceptor's plug",
        R10K.sources,
    ),
)

_TEMPERATURE: Final = Need("temperature", "0 to 50 °C in the cabinet", "what the boards were simulated for")


def _cable(metres: int) -> FieldItem:
    return FieldItem(
        "cable, four wires of 0.25 mm², screened; the screen at the board's end to 0 V",
        f"{metres} m",
        "to the sensors",
        needs=(
            Need("wires", "4 × 0.25 mm², stranded, of four colours", "screw terminals of 0.2 mm² and more"),
            Need("screen", "braid of tinned copper", "joined to 0 V at the board alone"),
            Need("resistance", "80 Ω/km a wire or less", "0.1 A of sensors: 80 mV on 10 m"),
            Need("voltage", "50 V or more", "24 V may come onto a wire"),
        ),
        known=(
            Known(
                OrderNumber("any maker of the type", "LiYCY 4x0,25", FOUND),
                "a type of DIN VDE 0812, which makers have under numbers of their own; its wires have the colours of "
                "DIN 47100: brown and white as on this page, green for black (signal), yellow for blue (0 V)",
            ),
        ),
    )


_HOLDS: Final = f"its resettable fuse holds {PTC_MOTOR.limits['hold_50']:g} A at 50 °C"


def ends_blocked(amp: float, *, own_fuse: bool) -> str:
    """What ends the current of a motor that draws so much at 12 V when it is blocked: its own fuse too, or not."""
    if own_fuse and fuse_opens(amp):
        return "blocked, it is stopped by the firmware, and its own fuse opens where both its switches have failed"
    fuse = "its own fuse does not open for certain" if own_fuse else "the 4 A fuse does not open"
    failed = "Where both its switches have failed it heats until the emergency stop"
    return f"blocked, the firmware alone stops it: {fuse}. {failed}"


def fuse_opens(amp: float) -> bool:
    """Whether a motor's own resettable fuse opens for certain: blocked, with the fuse in series, at 11.4 V."""
    return 11.4 / (12 / amp + PTC_MOTOR.number) >= PTC_MOTOR.limits["trip"]


HOPPER: Final = FieldItem(
    "token hopper, 12 V",
    "1",
    "hopper",
    needs=(
        Need("motor", "12 V DC, its two wires brought out", "the board switches − and reverses both by a relay"),
        Need(
            "current at start and blocked",
            "2.2 A or less at 12.6 V (6 Ω or more when it is cold)",
            "the budget of the supply; its shunt reads 0.1 V for each A; a limit above the running current is set as "
            "`hopper_most_a`",
        ),
        Need("current while it pays", f"{RUNNING_AMP:g} A or less", _HOLDS),
        Need(
            "coin sensor",
            "a slotted opto, lit at rest, dark for 5 to 150 ms by each token; or an open collector that conducts at "
            "rest, behind 470 Ω",
            "`hopper_coin`: shorter is noise, longer is a sensor that is blocked or cut. A hopper whose sensor "
            "conducts for a token alone gets a slotted opto of its own at its exit, as those of the chute",
        ),
        Need(
            "supply of its coin sensor",
            "works from 3.5 V on, 50 mA or less",
            "a diode, a switch and two fuses leave it 3.6 V at its + terminal at the least, and 10 m of cable take "
            "0.1 V; all sensors of the board draw 0.1 A together at the most",
        ),
        Need("pace", "1 to 25 tokens a second, set as `token_ms` (143 without it)", "four times that is a jam"),
        Need(
            "after its motor is off",
            "one token at the most, within 500 ms",
            "a second one is a hopper that runs away",
        ),
        Need("backwards", "bears 300 ms, twice in a payout", "`turns_back`; false for a hopper that does not"),
        Need(
            "error line",
            "none; or pulses low of 10 ms, 10 ms apart, open collector",
            "with `hopper_errors = true` a burst is a jam",
        ),
        Need("tokens", "diameter and thickness of yours are in its range", "worn ones too"),
        Need("life", "1 million tokens or more (ours)", "its maker's figure"),
        Need("plug", "its counterpart is delivered with it", "bare ends go to the board's terminals"),
        _TEMPERATURE,
    ),
    known=(
        Known(
            OrderNumber("National Rejectors (NRI)", "Currenza H2", SHEET),
            "pages of its manual read: the error line as the board reads it; its coin line is low for 30 ms at each "
            "token, so it needs an opto at its exit; it has a driver of its own with a control line that is pulled "
            "low. Supply and current were not read",
        ),
        Known(
            OrderNumber("Suzo-Happ", "Flow hopper (18-ccTalk)", SHEET),
            "a page of its manual read: up to 7 A while it is blocked. Too much for this board's motor terminals and "
            "its supply",
        ),
        Known(
            OrderNumber("Alberici", "HopperOne S11", SHEET),
            "a page of its manual read: 24 V, 1.2 A paying, 1.5 A stuck: not from these 12 V",
        ),
    ),
)
ACCEPTOR: Final = FieldItem(
    "token acceptor, 12 V",
    "1",
    "token",
    needs=(
        Need("supply", "12 V ± 10 %, 0.5 A or less while it takes a token", "the 2 A fuse, with alarm or lamps"),
        Need(
            "token output",
            "open collector (NPN) or contact that conducts at rest and opens for each token (“normally closed”, NC); "
            "bears 12 V and 12 mA",
            "a wire that is cut must not look like rest; the self-test sends 10 mA through it for 2 ms",
        ),
        Need(
            "pulse",
            "20 to 250 ms; or, with `pulse_ms`, 25 to 500 ms and within 20 % of it",
            "shorter is noise, longer is an acceptor that is blocked",
        ),
        Need(
            "where its output conducts for a token alone (NO)",
            "an inverter in its plug: BC337-40 with 10 kΩ from base to the acceptor's +12 V, the output at the base, "
            "the collector through the 470 Ω to the token terminal, the emitter to 0 V",
            "without its supply it is open, as a cut wire; the wire between output and base is not tested: keep it in "
            "the plug",
        ),
        Need("pulses of a token", "one; or trains, 20 to 1,000 ms apart", "a train's number is the token's value"),
        Need(
            "inhibit",
            "open or high: takes nothing; below 0.4 V: accepts. Its own pull-up gives 12 mA or less",
            "the board pulls it low while it may accept; with no board it must refuse",
        ),
        Need("tokens", "diameter, thickness and metal of yours can be taught or chosen", "and others are refused"),
        Need("life", "1 million tokens or more (ours)", "its maker's figure"),
        Need("plug", "its counterpart is delivered with it", "470 Ω of the token line go into it"),
        _TEMPERATURE,
    ),
    known=(
        Known(
            OrderNumber("Waferstar", "EU1, EU2, SK", SHEET),
            "the maker's page read: open collector, and a choice of NO and NC; NC is low at rest and high for a token, "
            "as the board wants it. Current and inhibit were not read",
        ),
        Known(
            OrderNumber("SparkFun", "COM-11636 (DG600F)", SHEET),
            "a page of its manual read: inhibit as the board wants it with switch 4 on (open or above 3 V refuses, "
            "below 1 V accepts); pulses of 25, 45, 65 or 100 ms ± 20 %. Its transistor conducts for a token alone: it "
            "needs the inverter",
        ),
    ),
)


def _motor(where: str, reverses: bool) -> FieldItem:
    return FieldItem(
        "gear motor, 12 V DC with brushes",
        "1",
        where,
        needs=(
            Need(
                "current at start and blocked",
                "3.3 A or less at 12.6 V (4 Ω or more when it is cold)",
                "driver, fuse and supply; a limit above the running current is set as `motor_most_a`",
            ),
            Need(
                "current while it runs",
                "2 A or less" if reverses else f"{RUNNING_AMP:g} A or less",
                "the 4 A fuse" if reverses else _HOLDS,
            ),
            Need("speed", "one pulse of its shaft every 400 ms or faster, at the least power", "longer is a stall"),
            Need("pulse-width modulation", "bears 3.9 kHz: no capacitor above 10 nF across it", "the MOSFET"),
            Need("direction", "both" if reverses else "one", "a relay reverses it" if reverses else "no relay"),
            Need("torque", "a quarter of the blocked torque moves the machine", "then it runs at a quarter"),
            Need("life", "1,000 h or more (ours)", "its maker's figure for this load"),
            _TEMPERATURE,
        ),
        known=(
            Known(
                OrderNumber("Pololu", "4886 (25D, LP 12 V, 75:1)", SHEET),
                "maker's page read: 60 mA without load, 0.9 A blocked, 75 turns a minute; "
                + ends_blocked(0.9, own_fuse=not reverses),
                0.9,
            ),
            Known(
                OrderNumber("Pololu", "25D, MP 12 V", SHEET),
                "maker's data sheet read: 1.8 A blocked; "
                + ends_blocked(1.8, own_fuse=not reverses)
                + ". The HP motor, 5 A, is too much",
                1.8,
            ),
        ),
    )


_LAMP: Final = FieldItem(
    "lamp 12 V",
    "1",
    "no more bets",
    needs=(
        Need("voltage", "12 V DC, − switched", "a MOSFET to 0 V"),
        Need("current", "1 A or less; cold ten times that for 20 ms at the most", "the fuse of 2 A"),
        Need("polarity", "+ to the red terminal", "LED lamps"),
        Need("mounting", "22 mm hole, or as the cabinet has it", "–"),
    ),
    known=(Known(OrderNumber("Chint", "ND16-22DS/2, 12 V", FOUND), "LED, 22 mm; order the version for 12 V"),),
)


def _chain_lamps(count: int) -> FieldItem:
    return FieldItem(
        "LED lamp 12 V, 20 mA",
        str(count),
        "the lamp tiles",
        needs=(
            Need(
                "current",
                "15 to 25 mA at 12 V, with its own resistor; 6 mA or more at 11.4 V behind 136 Ω",
                "the tile reads it back through 2 × 68 Ω: of 15 mA at 12 V 6.0 remain where its LEDs drop 9.6 V, and "
                "where they drop more it can read as dark",
            ),
            Need("dark current", "1 mA or less", "a lamp that glows reads as lit"),
            Need("polarity", "+ to the red terminal", "it is switched at −"),
            Need("mounting", "as the cabinet has it", "–"),
        ),
        known=(Known(OrderNumber("Chint", "ND16-22DS/2, 12 V", FOUND), "LED, 22 mm; measure both currents"),),
    )


ALARM: Final = FieldItem(
    "alarm: LED lamp, buzzer or horn, 12 V",
    "1",
    "alarm",
    needs=(
        Need("voltage", "12 V DC, − switched", "a MOSFET to 0 V"),
        Need("current", "0.5 A or less", "the 2 A fuse, with the acceptor"),
        Need("at its start", "5 A for 20 ms or less", "the budget: a filament lamp of 0.5 A is at this limit"),
        Need("duty", "10 min without a break", "the longest time of the output"),
        _TEMPERATURE,
    ),
    known=(Known(OrderNumber("Mallory Sonalert", "SC616NDR", FOUND), "piezo buzzer for panels"),),
)
TILT: Final = FieldItem(
    "tilt contact, normally closed",
    "1",
    "tilt",
    needs=(
        Need("contact", "closed at rest, opens for 2 ms or longer when the machine is tilted", "shorter is a spike"),
        Need("least current", "0.4 mA at 5 V: gold, or made for low level", "what the pull-up gives"),
        Need("greatest current", "12 mA at 12 V", "the self-test, for 2 ms"),
        Need("adjustment", "of the angle or of the pendulum's ring", "a push, not a step on the floor"),
        Need("bounce", "ends within 3 s after a tilt", "then it is one tilt"),
    ),
    known=(
        Known(
            OrderNumber("Omron", "D2F-01", FOUND),
            "snap-action switch for low level with a changeover contact: its NC contact, under a pendulum. Its least "
            "current was not read; of another low-level series (D2FS) its maker states 1 mA at 5 V, more than the "
            "0.4 mA here: let its data sheet say that 0.4 mA is enough, or take a contact of gold",
        ),
        Known(
            OrderNumber("makers of pinball parts", "tilt bob", FOUND),
            "closes when it is tilted, so not as it is: the board wants a contact that opens",
        ),
    ),
)
STEPPERS: Final = FieldItem(
    "stepper, bipolar, 1.8°",
    "3",
    "reels",
    needs=(
        Need("current a coil", "1.0 A or less", "a carrier without a heat sink; the budget of the supply"),
        Need("resistance of a coil", "1 to 5 Ω", "12 V must drive its current up at 402 steps a second"),
        Need("inductance of a coil", "5 mH or less", "the same, and what comes back when it is switched off"),
        Need("wires", "four, or six and eight joined as two coils", "terminals A+ A− B+ B−"),
        Need(
            "torque",
            "up to the speed, in N·m: 126 times the moment of inertia of reel and rotor in kg·m²",
            "twice what the boards' ramp of 2,000 steps/s² asks for, which cannot be set; half steps (the driver's "
            "jumper, `steps = 400`) halve it, and the greatest speed",
        ),
        Need("mounting", "NEMA 17 or 14, shaft 5 mm", "the reel's hub"),
        _TEMPERATURE,
    ),
    known=(
        Known(
            OrderNumber("StepperOnline", "17HS08-1004S", FOUND),
            "1.0 A, 3.7 V (3.7 Ω), 0.16 N·m, NEMA 17; black and green, red and blue are its coils, as on the terminals",
        ),
        Known(
            OrderNumber("StepperOnline", "17HS13-0404S1", FOUND),
            "0.4 A and some 30 Ω: no use at 12 V, for its driver cannot chop",
        ),
    ),
)
_KEY_SWITCH: Final = FieldItem(
    "key switch, one normally-open contact, spring return",
    "1",
    "supervisor",
    needs=(
        Need("contact", "open at rest, closed while the key is turned", "an order of the supervisor"),
        Need("return", "by spring, key removable at rest alone", "it must not stay on"),
        Need("least current", "1 mA at 5 V", "the input's pull-up"),
        Need("mounting", "22 mm hole", "–"),
    ),
    known=(Known(OrderNumber("Schneider Electric", "XB4BG61", FOUND), "22 mm"),),
)

_NANO_DEVICES: Final[Mapping[str, tuple[FieldItem, ...]]] = {
    "wheel": (
        _SUPPLY,
        _NANO_SOCKETS,
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
            (OrderNumber("Schneider Electric", "XB4BA21", FOUND), OrderNumber("IDEC", "YW1B-M1E10B", CODE)),
        ),
        _KEY_SWITCH,
        _LAMP,
        _cable(6),
    ),
    "table": (
        _SUPPLY,
        _NANO_SOCKETS,
        FieldItem(
            "slotted sensor, 5 to 24 V, NPN open collector, 35 mA or less",
            "2",
            "motor: shaft, home; as many more as the table's file has beams",
            _FORK,
        ),
        _motor("motor of a shaker or cage", reverses=True),
        _chain_lamps(56),
        _cable(6),
    ),
    "reel": (
        _MONEY_SUPPLY,
        _NANO_SOCKETS,
        _DRIVER_SOCKETS,
        _FRAM_ADAPTER,
        _FRAM_SOCKET,
        STEPPERS,
        FieldItem("slotted opto, bare: emitter 11 mA, phototransistor", "3", "home of each reel", _SLOT),
        FieldItem("push button, one normally-closed contact", "3", "stop of each reel", _OPENER),
        ACCEPTOR,
        *_INVERTER,
        FieldItem(
            "resistor 470 Ω 1 %, 0.25 W", "4", "in the signal wire at the acceptor, and at each stop button", _END
        ),
        _chain_lamps(16),
        _cable(12),
    ),
    "pusher": (
        _MONEY_SUPPLY,
        _NANO_SOCKETS,
        _FRAM_ADAPTER,
        _FRAM_SOCKET,
        FieldItem(
            "slotted opto, bare: emitter 11 mA, phototransistor",
            "4",
            "chute, upper and lower beam; shelf shaft; shelf home (a wider chute: emitter and receiver apart)",
            _SLOT,
        ),
        HOPPER,
        FieldItem(
            "slotted opto, bare, where the hopper's coin sensor conducts for a token alone",
            "1, if so",
            "at the hopper's exit",
            _SLOT,
        ),
        ACCEPTOR,
        *_INVERTER,
        _motor("shelf", reverses=False),
        TILT,
        FieldItem(
            "resistor 470 Ω 1 %, 0.25 W", "2", "in the signal wire at the acceptor, and at the tilt switch", _END
        ),
        ALARM,
        _cable(12),
    ),
}


def with_pico(items: tuple[FieldItem, ...]) -> tuple[FieldItem, ...]:
    """What surrounds the same board with a Pico: its sockets, its serial line, and always a FRAM."""
    swapped = [_PICO_SOCKETS if item is _NANO_SOCKETS else item for item in items]
    return (*swapped, SERIAL, *(item for item in (_FRAM_ADAPTER, _FRAM_SOCKET) if item not in items))


DEVICES: Final[Mapping[str, tuple[FieldItem, ...]]] = {
    **_NANO_DEVICES,
    **{f"{kind}-pico": with_pico(items) for kind, items in _NANO_DEVICES.items()},
}
"""For each circuit with a module."""
