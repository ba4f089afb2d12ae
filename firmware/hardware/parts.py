"""The parts of the carrier boards: pins, limits, SPICE lines, and two manufacturers' order numbers each.

No shop was asked, so there are no distributors' numbers here. How each manufacturer's number was checked is part of it:

- `SHEET`: it is in the manufacturer's data sheet, manual or page, in a public copy that was read;
- `FOUND`: this very number was found in public documents of others, such as bills of materials of published boards;
- `CODE`: it was formed by the ordering code that the manufacturer publishes for the series.

The SPICE lines are generic elements with parameters of data sheets; no manufacturer's model is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from firmware.hardware.circuit import OrderNumber, PartType, PinType

SHEET: Final = "maker's document read"
FOUND: Final = "found in public documents"
CODE: Final = "by the maker's ordering code"


def _two(first: tuple[str, str, str], second: tuple[str, str, str]) -> tuple[OrderNumber, OrderNumber]:
    return OrderNumber(*first), OrderNumber(*second)


def _passive(*pins: str) -> dict[str, PinType]:
    return dict.fromkeys(pins, "passive")


# Resistors: metal film, 1 %


def _ohms(value: float) -> str:
    return f"{value / 1000:g} kΩ" if value >= 1000 else f"{value:g} Ω"


def _vishay_code(value: float) -> str:
    """Three figures and the power of ten, as Vishay BCcomponents writes a value: 9 is a tenth."""
    digits, power = value, 0
    while digits < 100:
        digits, power = digits * 10, power - 1
    while digits >= 1000:
        digits, power = digits / 10, power + 1
    return f"{round(digits)}{ {-1: 9, -2: 8}.get(power, power) }"


def _yageo_code(value: float) -> str:
    """The value with its unit in the place of the point: 2K2, 330R, 73K2."""
    unit, scaled = ("K", value / 1000) if value >= 1000 else ("R", value)
    whole, _, part = f"{scaled:g}".partition(".")
    return f"{whole}{unit}{part}"


def resistor(value: float) -> PartType:
    """A resistor of 1 %, 0.25 W in its smallest package of two sources (Vishay's bears 0.6 W)."""
    return PartType(
        f"resistor {_ohms(value)} 1 %",
        "R",
        "resistor",
        _ohms(value),
        _passive("1", "2"),
        _two(
            ("Vishay", f"MRS25000C{_vishay_code(value)}FCT00", CODE),
            ("Yageo", f"MFR-25FBF52-{_yageo_code(value)}", CODE),
        ),
        spice="R{ref} {1} {2} {value}",
        number=value,
        tolerance=0.01,
        limits={"watt": 0.25, "volt": 250.0},
        package="axial 0207",
    )


R100: Final = resistor(100)
R3R3: Final = resistor(3.3)
R220: Final = resistor(220)
R330: Final = resistor(330)
R470: Final = resistor(470)
R680: Final = resistor(680)
R1K: Final = resistor(1000)
R2K2: Final = resistor(2200)
R_OPTO_24: Final = resistor(4700)
R4K7: Final = R_OPTO_24
R10K: Final = resistor(10_000)
R15K: Final = resistor(15_000)
R22K: Final = resistor(22_000)
R73K2: Final = resistor(73_200)
R100K: Final = resistor(100_000)

R_LAMP: Final = PartType(
    "metal oxide resistor 68 Ω 5 %, 2 W",
    "R",
    "resistor",
    "68 Ω",
    _passive("1", "2"),
    _two(("Vishay", "PR02000206809JR500", CODE), ("Yageo", "RSF200JB-73-68R", CODE)),
    spice="R{ref} {1} {2} {value}",
    number=68.0,
    tolerance=0.05,
    limits={"watt": 2.0},
    package="axial",
)
R_SHUNT: Final = PartType(
    "shunt 0.1 Ω 1 %, 1 W or more",
    "R",
    "resistor",
    "0.1 Ω",
    _passive("1", "2"),
    _two(("Vishay", "LVR03R1000FE70", FOUND), ("Bourns", "PWR4412-2SBR100F", CODE)),
    spice="R{ref} {1} {2} {value}",
    number=0.1,
    tolerance=0.01,
    limits={"watt": 1.0},
    package="axial, radial formed",
)
R_CHARGE: Final = PartType(
    "wire-wound resistor 4.7 Ω 5 %, 3 W or more",
    "R",
    "resistor",
    "4.7 Ω",
    _passive("1", "2"),
    _two(("Vishay", "AC03000004708JAC00", CODE), ("TE Connectivity", "SBCHE44R7J", CODE)),
    spice="R{ref} {1} {2} {value}",
    number=4.7,
    tolerance=0.05,
    limits={"watt": 3.0, "joule": 20.0},
    package="axial",
    note="wire-wound: it takes the pulse of charging the bank",
)
R_DAMP: Final = PartType(
    "wire-wound resistor 0.47 Ω 5 %, 3 W or more",
    "R",
    "resistor",
    "0.47 Ω",
    _passive("1", "2"),
    _two(("Vishay", "AC03000004707JAC00", CODE), ("TE Connectivity", "SBCHE4R47J", CODE)),
    spice="R{ref} {1} {2} {value}",
    number=0.47,
    tolerance=0.05,
    limits={"watt": 3.0},
    package="axial",
    note="limits what charges a capacitor behind the emergency stop's contacts",
)


# Capacitors


def _ceramic(value: float, text: str, first: tuple[str, str, str], second: tuple[str, str, str]) -> PartType:
    return PartType(
        f"ceramic capacitor {text}, 50 V",
        "C",
        "capacitor",
        text,
        _passive("1", "2"),
        _two(first, second),
        spice="C{ref} {1} {2} {value}",
        number=value,
        tolerance=0.1,
        limits={"volt": 50.0},
        package="radial 2.5 or 5 mm",
    )


def _electrolytic(
    value: float, text: str, volts: float, first: tuple[str, str, str], second: tuple[str, str, str], esr: float
) -> PartType:
    return PartType(
        f"electrolytic capacitor {text}, {volts:g} V",
        "C",
        "electrolytic",
        text,
        _passive("+", "-"),
        _two(first, second),
        spice=f"C{{ref}} {{+}} {{ref}}_esr {{value}}\nR{{ref}}_esr {{ref}}_esr {{-}} {esr}",
        number=value,
        tolerance=0.2,
        limits={"volt": volts},
        package="radial",
    )


C1N: Final = _ceramic(1e-9, "1 nF", ("Vishay", "K102K10X7RF5UH5", FOUND), ("Kemet", "C315C102K5R5TA", CODE))
C10N: Final = _ceramic(10e-9, "10 nF", ("Kemet", "C315C103K5R5TA", FOUND), ("Vishay", "K103K10X7RF5UL2", FOUND))
C100N: Final = _ceramic(100e-9, "100 nF", ("Kemet", "C320C104K5R5TA", FOUND), ("Vishay", "K104K10X7RF5UL2", FOUND))
C4U7: Final = _electrolytic(
    4.7e-6, "4.7 µF", 50, ("Nichicon", "UVR1H4R7MDD", FOUND), ("Panasonic", "ECA-1HM4R7", FOUND), 3.0
)
C10U: Final = _electrolytic(
    10e-6, "10 µF", 50, ("Nichicon", "UVR1H100MDD", FOUND), ("Panasonic", "ECA-1HM100", FOUND), 2.0
)
C100U: Final = _electrolytic(
    100e-6, "100 µF", 35, ("Nichicon", "UVR1V101MED", FOUND), ("Panasonic", "ECA-1VM101", FOUND), 0.5
)
C_BANK: Final = _electrolytic(
    4.7e-3, "4,700 µF", 25, ("Panasonic", "ECA-1EM472", FOUND), ("Nichicon", "UVR1E472MHD", CODE), 0.08
)


# Diodes and fuses


def _diode(
    name: str,
    symbol: str,
    model: str,
    first: tuple[str, str, str],
    second: tuple[str, str, str],
    limits: Mapping[str, float],
    package: str,
) -> PartType:
    return PartType(
        name,
        "D",
        symbol,
        name.split(",")[0],
        _passive("A", "K"),
        _two(first, second),
        spice=f"D{{ref}} {{A}} {{K}} {model}",
        limits=limits,
        package=package,
    )


D4148: Final = _diode(
    "1N4148, signal diode", "diode", "D1N4148",
    ("Vishay", "1N4148-TAP", FOUND), ("onsemi", "1N4148", FOUND), {"volt": 75, "amp": 0.3}, "DO-35",
)  # fmt: skip
D4007: Final = _diode(
    "1N4007, rectifier", "diode", "D1N4007",
    ("Vishay", "1N4007-E3/54", FOUND), ("onsemi", "1N4007G", FOUND), {"volt": 1000, "amp": 1.0, "surge": 30.0},
    "DO-41",
)  # fmt: skip
D5819: Final = _diode(
    "1N5819, Schottky 1 A", "schottky", "D1N5819",
    ("STMicroelectronics", "1N5819", FOUND), ("onsemi", "1N5819G", FOUND),
    {"volt": 40, "amp": 1.0, "surge": 25.0}, "DO-41",
)  # fmt: skip
D5822: Final = _diode(
    "1N5822, Schottky 3 A", "schottky", "D1N5822",
    ("STMicroelectronics", "1N5822", FOUND), ("Vishay", "1N5822-E3/54", FOUND),
    {"volt": 40, "amp": 3.0, "surge": 80.0}, "DO-201AD",
)  # fmt: skip
BAT85: Final = _diode(
    "BAT85, Schottky 0.2 A", "schottky", "DBAT85",
    ("Vishay", "BAT85S-TAP", FOUND), ("Nexperia", "BAT85,133", FOUND), {"volt": 30, "amp": 0.2}, "DO-35",
)  # fmt: skip
ZENER: Final = _diode(
    "BZX55C6V2, Zener 6.2 V 0.5 W", "zener", "DZ6V2",
    ("Vishay", "BZX55C6V2", FOUND), ("onsemi", "BZX79C6V2", FOUND), {"watt": 0.5}, "DO-35",
)  # fmt: skip
ZENER_GATE: Final = _diode(
    "BZX55C15, Zener 15 V 0.5 W", "zener", "DZ15",
    ("Vishay", "BZX55C15-TAP", FOUND), ("onsemi", "BZX79C15", FOUND), {"watt": 0.5}, "DO-35",
)  # fmt: skip
TVS_FIELD: Final = PartType(
    "P6KE30CA, TVS 30 V both ways, 600 W",
    "D",
    "tvs",
    "P6KE30CA",
    _passive("1", "2"),
    _two(("Littelfuse", "P6KE30CA", FOUND), ("STMicroelectronics", "P6KE30CA", FOUND)),
    spice="D{ref}a {ref}_mid {1} DTVS30\nD{ref}b {ref}_mid {ref}_lead DTVS30\nL{ref} {ref}_lead {2} 5n",
    limits={"watt_1ms": 600.0, "amp": 14.5, "standoff": 25.6},
    package="DO-15",
)
TVS_RAIL: Final = _diode(
    "P6KE18A, TVS 18 V, 600 W", "tvs", "DTVS18",
    ("Littelfuse", "P6KE18A", FOUND), ("STMicroelectronics", "P6KE18A", FOUND),
    {"watt_1ms": 600.0, "amp": 24.0, "standoff": 15.3}, "DO-15",
)  # fmt: skip

TVS_SENSE: Final = _diode(
    "P6KE6.8A, TVS 6.8 V, 600 W", "tvs", "DTVS6",
    ("Littelfuse", "P6KE6.8A", FOUND), ("STMicroelectronics", "P6KE6V8A", CODE),
    {"watt_1ms": 600.0, "watt": 1.5, "standoff": 5.8}, "DO-15",
)  # fmt: skip


FUSE_OHM: Final = 0.05
"""Of a fuse of 2 or 4 A, cold."""


def _fuse(text: str, amp: float, first: str, second: tuple[str, str, str]) -> PartType:
    return PartType(
        f"fuse {text}, 5 × 20 mm, in a holder",
        "F",
        "fuse",
        text,
        _passive("1", "2"),
        _two(("Littelfuse", first, FOUND), second),
        spice=f"R{{ref}} {{1}} {{2}} {FUSE_OHM}",
        limits={"amp": amp},
        package="5 × 20 mm; holder Schurter 0031.8201 (found in public documents)",
    )


PTC: Final = PartType(
    "resettable fuse 0.5 A, 60 V",
    "F",
    "fuse",
    "PTC 0.5 A",
    _passive("1", "2"),
    _two(("Bourns", "MF-R050", FOUND), ("Littelfuse", "RXEF050", FOUND)),
    spice="R{ref} {1} {2} {value}",
    number=0.5,
    limits={"amp": 0.5, "volt": 60.0},
    package="radial 5.1 mm",
)
PTC_SENSOR: Final = PartType(
    "resettable fuse 0.1 A, 60 V",
    "F",
    "fuse",
    "PTC 0.1 A",
    _passive("1", "2"),
    _two(("Bourns", "MF-R010", FOUND), ("Littelfuse", "RXEF010", FOUND)),
    spice="R{ref} {1} {2} {value}",
    number=2.5,
    limits={"amp": 0.1, "volt": 60.0, "trip": 0.2, "tripped_watt": 0.38},
    package="radial 5.1 mm",
    note="2.5 Ω at the least; opens from 0.2 A, and takes 0.38 W then",
)
PTC_MOTOR: Final = PartType(
    "resettable fuse 0.9 A, 60 V",
    "F",
    "fuse",
    "PTC 0.9 A",
    _passive("1", "2"),
    _two(("Bourns", "MF-R090", FOUND), ("Littelfuse", "RXEF090", FOUND)),
    spice="R{ref} {1} {2} {value}",
    number=0.2,
    limits={"amp": 0.9, "volt": 60.0, "trip": 1.8, "hold_50": 0.65, "ohm_least": 0.14, "ohm_most": 0.47},
    package="radial 5.1 mm",
    note="0.14 to 0.47 Ω; opens from 1.8 A, in many seconds; holds 0.65 A at 50 °C",
)
F2A: Final = _fuse("2 A slow", 2.0, "0218002.MXP", ("Schurter", "0034.3120", FOUND))
F4A: Final = _fuse("4 A slow", 4.0, "0218004.MXP", ("Eaton (Bussmann)", "S506-4-R", FOUND))


# Transistors

NFET: Final = PartType(
    "IRLZ44N, N-channel MOSFET, logic level, 55 V",
    "Q",
    "nfet",
    "IRLZ44N",
    {"G": "in", "D": "open", "S": "passive"},
    _two(("Infineon", "IRLZ44NPBF", FOUND), ("STMicroelectronics", "STP55NF06L", FOUND)),
    spice="M{ref} {D} {G} {S} {S} MNFET",
    limits={"volt": 55.0, "amp": 33.0, "gate": 16.0, "peak": 110.0, "kelvin_watt": 1.6},
    package="TO-220, pins G D S",
    note="the limits are those of the weaker one: 55 V, 33 A at 100 °C, gate 16 V, 1.6 K/W to its case",
)
PFET: Final = PartType(
    "IRF4905, P-channel MOSFET, 55 V",
    "Q",
    "pfet",
    "IRF4905",
    {"G": "in", "D": "open", "S": "passive"},
    _two(("Infineon", "IRF4905PBF", SHEET), ("Vishay", "SUP53P06-20-E3", SHEET)),
    spice="M{ref} {D} {G} {S} {S} MPFET",
    limits={"volt": 55.0, "amp": 46.0, "gate": 20.0, "peak": 150.0, "kelvin_watt": 1.2},
    package="TO-220, pins G D S",
    note="the limits are the lower ones of both: 55 V, 46 A at 70 °C, gate 20 V, 1.2 K/W to its case, 150 °C; "
    "it conducts from 1 to 4 V on",
)
NPN: Final = PartType(
    "BC337-40, NPN, 45 V 0.8 A",
    "Q",
    "npn",
    "BC337-40",
    {"B": "passive", "C": "open", "E": "passive"},
    _two(("onsemi", "BC33740BU", FOUND), ("Diotec", "BC337-40", FOUND)),
    spice="Q{ref} {C} {B} {E} QNPN",
    limits={"volt": 45.0, "amp": 0.8, "watt": 0.625},
    package="TO-92, pins C B E",
)
PNP_PASS: Final = PartType(
    "BD140-16, PNP, 80 V 1.5 A",
    "Q",
    "pnp",
    "BD140-16",
    {"B": "passive", "C": "open", "E": "passive"},
    _two(("STMicroelectronics", "BD140-16", FOUND), ("onsemi", "BD14016STU", FOUND)),
    spice="Q{ref} {C} {B} {E} QPASS",
    limits={"volt": 80.0, "amp": 1.5, "watt": 1.0},
    package="TO-126, pins E C B, no heat sink",
    note="1.25 W in free air at 25 °C: 1.0 W at 50 °C",
)
PNP: Final = PartType(
    "BC327-40, PNP, 45 V 0.8 A",
    "Q",
    "pnp",
    "BC327-40",
    {"B": "passive", "C": "open", "E": "passive"},
    _two(("onsemi", "BC327-40", FOUND), ("MCC", "BC327-40-BP", CODE)),
    spice="Q{ref} {C} {B} {E} QPNP",
    limits={"volt": 45.0, "amp": 0.8, "watt": 0.625},
    package="TO-92, pins C B E",
)


# Integrated circuits and modules

HC14_PAIRS: Final = (("1A", "1Y"), ("2A", "2Y"), ("3A", "3Y"), ("4A", "4Y"), ("5A", "5Y"), ("6A", "6Y"))

HC14: Final = PartType(
    "74HC14, six Schmitt-trigger inverters",
    "U",
    "inverter",
    "74HC14",
    {**{a: "in" for a, _ in HC14_PAIRS}, **{y: "out" for _, y in HC14_PAIRS}, "VCC": "supply", "GND": "supply"},
    _two(("Texas Instruments", "SN74HC14N", FOUND), ("onsemi", "MM74HC14N", FOUND)),
    spice="X{ref}_{gate} {A} {Y} {VCC} {GND} HC14",
    limits={"clamp_amp": 0.02, "over_volt": 0.5, "supply": 6.0},
    package="DIP-14",
)
AHC14: Final = PartType(
    "74AHC14, six Schmitt-trigger inverters for 3.3 V, whose inputs bear 5 V",
    "U",
    "inverter",
    "74AHC14",
    HC14.pins,
    _two(("Texas Instruments", "SN74AHC14N", FOUND), ("Nexperia", "74AHC14D,118", FOUND)),
    spice="X{ref}_{gate} {A} {Y} {VCC} {GND} AHC14",
    limits={"clamp_amp": 0.02, "input_volt": 7.0, "supply": 5.5},
    package="DIP-14 (Nexperia: SO-14 on an adapter)",
    note="no 74HC14: no clamp leads from its inputs to its supply",
)
AHCT14: Final = PartType(
    "74AHCT14, six Schmitt-trigger inverters for 5 V, with thresholds that 3.3 V pass",
    "U",
    "inverter",
    "74AHCT14",
    HC14.pins,
    _two(("Texas Instruments", "SN74AHCT14N", FOUND), ("Nexperia", "74AHCT14D,118", CODE)),
    spice="X{ref}_{gate} {A} {Y} {VCC} {GND} AHCT14",
    limits={"clamp_amp": 0.02, "input_volt": 7.0, "supply": 5.5},
    package="DIP-14 (Nexperia: SO-14 on an adapter)",
    note="no 74HCT14: no clamp leads from its inputs to its supply",
)
DRAINS: Final = tuple(f"DRAIN{n}" for n in range(8))
TPIC: Final = PartType(
    "TPIC6C595, shift register with eight 100 mA open drains",
    "U",
    "box",
    "TPIC6C595",
    {
        "VCC": "supply", "GND": "supply", "SER IN": "in", "SRCK": "in", "RCK": "in", "CLR": "in", "G": "in",
        "SER OUT": "out", **dict.fromkeys(DRAINS, "open"),
    },
    _two(("Texas Instruments", "TPIC6C595N", FOUND), ("STMicroelectronics", "STPIC6C595TTR", FOUND)),
    # V_IL and V_IH as parts of its supply; the least that a level of RCK or SRCK lasts.
    limits={
        "volt": 33.0, "amp": 0.1, "amp_limit": 0.25, "clock_hz": 10e6, "supply": 5.5, "low": 0.15, "high": 0.85,
        "pulse_ns": 40.0,
    },
    package="DIP-16 (ST: TSSOP-16 on an adapter)",
)  # fmt: skip
HC165: Final = PartType(
    "74HC165, parallel-in shift register",
    "U",
    "box",
    "74HC165",
    {
        "VCC": "supply", "GND": "supply", "PL": "in", "CP": "in", "CE": "in", "DS": "in",
        **{f"D{n}": "in" for n in range(8)}, "Q7": "out", "nQ7": "out",
    },
    _two(("Texas Instruments", "SN74HC165N", FOUND), ("onsemi", "MM74HC165N", FOUND)),
    limits={"clock_hz": 21e6, "supply": 6.0},
    package="DIP-16",
)  # fmt: skip
HC595_OUTPUTS: Final = ("QA", "QB", "QC", "QD", "QE", "QF", "QG", "QH")
"""In the order in which a bit is shifted through them."""
HC595: Final = PartType(
    "74HC595, shift register with latch",
    "U",
    "box",
    "74HC595",
    {
        "VCC": "supply", "GND": "supply", "SER": "in", "SRCLK": "in", "RCLK": "in", "SRCLR": "in", "OE": "in",
        **dict.fromkeys(HC595_OUTPUTS, "out"), "QH'": "out",
    },
    _two(("Texas Instruments", "SN74HC595N", FOUND), ("onsemi", "MC74HC595ANG", FOUND)),
    limits={"supply": 6.0},
    package="DIP-16",
)  # fmt: skip
SUPERVISOR: Final = PartType(
    "MAX705, supervisor 4.65 V with power-fail comparator",
    "U",
    "box",
    "MAX705",
    {
        "MR": "unused", "VCC": "supply", "GND": "supply", "PFI": "in", "PFO": "out", "WDI": "unused",
        "RESET": "out", "WDO": "unused",
    },
    _two(("Analog Devices (Maxim)", "MAX705CPA+", SHEET), ("MaxLinear", "SP705CP-L", CODE)),
    spice="X{ref} {PFI} {PFO} {VCC} {GND} PFC",
    limits={"pfi_low": 1.20, "pfi_high": 1.30, "reset_low": 4.50, "reset_high": 4.75, "supply": 5.5},
    package="DIP-8",
    note="MR has its own pull-up, WDI open disables the watchdog",
)  # fmt: skip
FRAM: Final = PartType(
    "FRAM 256 kbit, I²C, 5 V",
    "U",
    "box",
    "FM24W256",
    {
        "A0": "in", "A1": "in", "A2": "in", "VSS": "supply", "SDA": "open", "SCL": "in", "WP": "in", "VDD": "supply",
    },
    _two(("Infineon (Cypress)", "FM24W256-G", FOUND), ("Fujitsu", "MB85RC256VPNF-G-JNE1", FOUND)),
    limits={"supply": 5.5},
    package="SO-8 on an adapter to DIP-8",
)  # fmt: skip
FRAM_3V3: Final = PartType(
    "FRAM 64 or 256 kbit, I²C, 3.3 V",
    "U",
    "box",
    "FM24CL64B",
    FRAM.pins,
    _two(("Infineon (Cypress)", "FM24CL64B-G", FOUND), ("Fujitsu", "MB85RC256VPNF-G-JNE1", FOUND)),
    limits={"supply": 3.65},
    package="SO-8 on an adapter to DIP-8",
    note="two bytes of address: an FM24CL16B or smaller has one",
)
BUCK: Final = PartType(
    "5 V switching regulator in the case of a 7805",
    "U",
    "box",
    "TSR 1-2450",
    {"VIN": "supply", "GND": "supply", "VOUT": "source"},
    _two(("Traco Power", "TSR 1-2450", SHEET), ("Murata", "OKI-78SR-5/1.5-W36-C", SHEET)),
    spice="X{ref} {VIN} {GND} {VOUT} BUCK5",
    limits={"volt": 36.0, "vin_least": 7.0, "amp": 1.0, "efficiency": 0.84, "accuracy": 0.02},
    package="SIP-3",
    note="the limits are the worse ones of both: 7 V at the input, 84 %",
)
OPTO: Final = PartType(
    "LTV-817, optocoupler, CTR 50 % or more",
    "U",
    "opto",
    "LTV-817",
    {"A": "passive", "K": "passive", "C": "open", "E": "passive"},
    _two(("Lite-On", "LTV-817", FOUND), ("Sharp", "PC817X1NSZ9F", FOUND)),
    spice="X{ref} {A} {K} {C} {E} OPTO",
    limits={"amp": 0.05, "reverse": 5.0, "ctr": 0.5},
    package="DIP-4",
)
NANO_PINS: Final = {
    "D2": "D2", "D3": "D3", "D4": "D4", "D5": "D5", "D6": "D6", "D7": "D7",
    "B0": "D8", "B1": "D9", "B2": "D10", "B3": "D11", "B4": "D12", "B5": "D13",
    "C0": "A0", "C1": "A1", "C2": "A2", "C3": "A3", "C4": "A4", "C5": "A5", "A6": "A6", "A7": "A7",
}  # fmt: skip
"""The pins of the ATmega328P and what a Nano prints beside them."""
NANO: Final = PartType(
    "Arduino Nano, in a socket",
    "U",
    "box",
    "Nano",
    {
        "TX1": "unused", "RX0": "unused", "RST": "both", "GND": "supply",
        **{f"D{n}": "both" for n in range(2, 14)},
        "3V3": "unused", "REF": "unused", **{f"A{n}": "both" for n in range(8)},
        "5V": "supply", "RST2": "unused", "GND2": "supply", "VIN": "unused",
    },
    _two(("Arduino", "A000005", FOUND), ("Gravitech", "ARD-NANO30NP", FOUND)),
    package="two rows of 15, 2.54 mm",
    note="the two sockets: 15 contacts each, 2.54 mm",
)  # fmt: skip
PICO_ROWS: Final = (
    "GP0", "GP1", "GND", "GP2", "GP3", "GP4", "GP5", "GND2", "GP6", "GP7",
    "GP8", "GP9", "GND3", "GP10", "GP11", "GP12", "GP13", "GND4", "GP14", "GP15",
    "GP16", "GP17", "GND5", "GP18", "GP19", "GP20", "GP21", "GND6", "GP22", "RUN",
    "GP26", "GP27", "AGND", "GP28", "VREF", "3V3", "3V3_EN", "GND7", "VSYS", "VBUS",
)  # fmt: skip
"""The pins 1 to 40 of a Raspberry Pi Pico."""
PICO: Final = PartType(
    "Raspberry Pi Pico (RP2040), in a socket",
    "U",
    "box",
    "Pico",
    {
        pin: "supply" if "GND" in pin or pin == "VSYS"
        else "source" if pin == "3V3"
        else "unused" if pin in ("VREF", "3V3_EN", "VBUS")
        else "both"
        for pin in PICO_ROWS
    },
    _two(("Raspberry Pi", "SC0915", FOUND), ("Raspberry Pi", "SC0917 (Pico H)", CODE)),
    limits={"over_volt": 0.3},
    package="two rows of 20, 2.54 mm",
    note="not a Pico 2. The two sockets: 20 contacts each, 2.54 mm",
)  # fmt: skip
STEPPER_DRIVER: Final = PartType(
    "stepper driver carrier A4988 or DRV8825, in a socket",
    "A",
    "box",
    "A4988 carrier",
    {
        "ENABLE": "in", "MS1": "in", "MS2": "in", "MS3": "in", "RESET": "in", "SLEEP": "in", "STEP": "in", "DIR": "in",
        "VMOT": "supply", "GND": "supply", "2B": "out", "2A": "out", "1A": "out", "1B": "out", "VDD": "supply",
        "GND2": "supply",
    },
    _two(("Pololu", "1182 (A4988)", FOUND), ("Pololu", "2133 (DRV8825)", FOUND)),
    package="two rows of 8, 2.54 mm",
    note="the place called VDD is FAULT on a DRV8825 carrier, which bears 5 V there; MS1 to MS3 are MODE0 to MODE2",
)  # fmt: skip
COIL_OHM: Final = 0.9 * 288.0
"""Of a relay's coil at 20 °C, the worse of both makers: Finder's sensitive one, 500 mW ± 10 % (TE: 360 Ω, 400 mW).

Its `operate` is the greater of both, too: 0.8 of 12 V (TE: 8.4 V).
"""
POWER_RELAY: Final = PartType(
    "power relay 12 V, one contact 16 A of AgSnO2, for inrush",
    "K",
    "relay",
    "RT33L012",
    _passive("A1", "A2", "11", "14", "12"),
    _two(("TE Connectivity (Schrack)", "RT33L012", CODE), ("Finder", "40.61.7.012.4000", CODE)),
    spice="R{ref}_coil {A1} {ref}_l {value}\nL{ref}_coil {ref}_l {A2} 0.4\nR{ref}_c {11} {14} {closed}",
    number=COIL_OHM,
    limits={"amp": 16.0, "peak": 80.0, "operate": 9.6},
    package="RT 1 / 40 series, 5 mm",
    note="makes 80 A for 20 ms (TE; Finder 120 A for 5 ms); one of AgNi, which makes 30 A, would weld. RT33L has no "
    "contact 12",
)
REVERSING_RELAY: Final = PartType(
    "relay 12 V, two changeover contacts 8 A",
    "K",
    "relay",
    "RT424012",
    _passive("A1", "A2", "11", "14", "12", "21", "24", "22"),
    _two(("TE Connectivity (Schrack)", "RT424012", FOUND), ("Finder", "40.52.7.012.0000", FOUND)),
    spice="R{ref}_coil {A1} {ref}_l {value}\nL{ref}_coil {ref}_l {A2} 0.4\n"
    "R{ref}_c1 {11} {12} {rest}\nR{ref}_c2 {11} {14} {closed}\n"
    "R{ref}_c3 {21} {22} {rest}\nR{ref}_c4 {21} {24} {closed}",
    number=COIL_OHM,
    limits={"amp": 8.0, "operate": 9.6},
    package="RT 2 / 40 series, 5 mm",
)
JUMPER: Final = PartType(
    "pin header of two with a jumper",
    "W",
    "jumper",
    "jumper",
    _passive("1", "2"),
    _two(("Harwin", "M20-9990246", FOUND), ("Würth Elektronik", "61300211121", FOUND)),
    spice="R{ref} {1} {2} {closed}",
    package="2.54 mm; jumper 2.54 mm",
)
KEY: Final = PartType(
    "push button, one contact",
    "S",
    "button",
    "key",
    _passive("1", "2"),
    _two(("TE Connectivity", "FSM4JH (1825910-6)", FOUND), ("Omron", "B3F-1000", FOUND)),
    spice="R{ref} {1} {2} {closed}",
    package="6 × 6 mm",
)


# Connectors


def terminal(ways: int) -> PartType:
    """A row of screw terminals, 5.08 mm; the limits are the lowest of all makers, 10 A (UL) and 1.5 mm²."""
    numbers = {
        2: ("282837-2", ("Phoenix Contact", "1715721", FOUND)),
        3: ("282837-3", ("Phoenix Contact", "1715734", FOUND)),
        4: ("282837-4", ("On Shore Technology", "OSTTC042162", FOUND)),
    }
    first, second = numbers[ways]
    return PartType(
        f"screw terminals, {ways} ways, 5.08 mm",
        "J",
        "box",
        f"{ways} ways",
        _passive(*(str(n) for n in range(1, ways + 1))),
        _two(("TE Connectivity", first, FOUND), second),
        limits={"amp": 10.0, "mm2": 1.5},
        package="5.08 mm",
    )


RIBBON: Final = PartType(
    "box header 2 × 5, 2.54 mm",
    "J",
    "box",
    "2 × 5",
    _passive(*(str(n) for n in range(1, 11))),
    _two(("Würth Elektronik", "61201021621", FOUND), ("3M", "30310-6002HB", FOUND)),
    package="2.54 mm; ribbon cable of ten wires, 1.27 mm, with IDC sockets Würth 61201023021",
)
EMERGENCY_STOP: Final = PartType(
    "emergency stop, two normally-closed contacts that are forced open, turn to release",
    "S",
    "box",
    "emergency stop",
    _passive("11", "12", "21", "22"),
    _two(("Schneider Electric", "XB4BS84441", SHEET), ("IDEC", "XA1E-BV3U02R", FOUND)),
    package="in the panel, 22 mm (IDEC: 16 mm)",
    note="Schneider's has a third, normally-open contact that is not used",
)


# Pin numbers of what has names and numbers


def _numbered(*names: str) -> dict[str, str]:
    return {name: str(number) for number, name in enumerate(names, 1)}


PIN_NUMBERS: Final[Mapping[str, Mapping[str, str]]] = {
    **dict.fromkeys(
        (HC14.value, AHC14.value, AHCT14.value),
        _numbered("1A", "1Y", "2A", "2Y", "3A", "3Y", "GND", "4Y", "4A", "5Y", "5A", "6Y", "6A", "VCC"),
    ),
    TPIC.value: _numbered(
        "VCC", "SER IN", "DRAIN0", "DRAIN1", "DRAIN2", "DRAIN3", "CLR", "G",
        "SER OUT", "RCK", "DRAIN4", "DRAIN5", "DRAIN6", "DRAIN7", "SRCK", "GND",
    ),
    HC165.value: _numbered(
        "PL", "CP", "D4", "D5", "D6", "D7", "nQ7", "GND", "Q7", "DS", "D0", "D1", "D2", "D3", "CE", "VCC"
    ),
    HC595.value: _numbered(
        "QB", "QC", "QD", "QE", "QF", "QG", "QH", "GND", "QH'", "SRCLR", "SRCLK", "RCLK", "OE", "SER", "QA", "VCC"
    ),
    SUPERVISOR.value: _numbered("MR", "VCC", "GND", "PFI", "PFO", "WDI", "RESET", "WDO"),
    FRAM.value: _numbered("A0", "A1", "A2", "VSS", "SDA", "SCL", "WP", "VDD"),
    FRAM_3V3.value: _numbered("A0", "A1", "A2", "VSS", "SDA", "SCL", "WP", "VDD"),
    PICO.value: _numbered(*PICO_ROWS),
    OPTO.value: _numbered("A", "K", "E", "C"),
    NFET.value: _numbered("G", "D", "S"),
    PFET.value: _numbered("G", "D", "S"),
    NPN.value: _numbered("C", "B", "E"),
    PNP_PASS.value: _numbered("E", "C", "B"),
    BUCK.value: _numbered("VIN", "GND", "VOUT"),
    NANO.value: _numbered(
        "TX1", "RX0", "RST", "GND", *(f"D{n}" for n in range(2, 13)),
        "D13", "3V3", "REF", *(f"A{n}" for n in range(8)), "5V", "RST2", "GND2", "VIN",
    ),
}  # fmt: skip
"""By the value of the part type; where a type is not here, its pins are printed as they are named."""


def pin_number(type_: PartType, pin: str) -> str:
    """The number of a pin on the package, or its name where that is what is printed."""
    key = NPN.value if type_ is PNP else type_.value
    return PIN_NUMBERS.get(key, {}).get(pin, pin)
