"""The place of each part on a printed board: a footprint of KiCad's own libraries, and which pad each pin is.

The pads are those of the libraries of KiCad 9 (Debian 13's kicad-footprints); `make systems SYSTEMS=kicad` compares
them with the libraries' files, and the numbers of pins with KiCad's own symbols.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from firmware.hardware import parts as p
from firmware.hardware.circuit import PartType
from firmware.hardware.parts import pin_number


class Footprint(NamedTuple):
    """A footprint: its library and name, its pads, and what a layouter has to know of it."""

    library: str
    name: str
    pads: Mapping[str, int]
    """How many holes have each number; those of one number are joined on the board."""
    note: str = ""

    @property
    def id(self) -> str:
        """As KiCad names it."""
        return f"{self.library}:{self.name}"


def _pads(count: int) -> dict[str, int]:
    return {str(number): 1 for number in range(1, count + 1)}


def _footprint(id_: str, pads: Mapping[str, int] | int = 2, note: str = "") -> Footprint:
    library, name = id_.split(":")
    return Footprint(library, name, _pads(pads) if isinstance(pads, int) else pads, note)


_AXIAL: Final = _footprint("Resistor_THT:R_Axial_DIN0207_L6.3mm_D2.5mm_P10.16mm_Horizontal")
_WIRE_WOUND: Final = _footprint("Resistor_THT:R_Axial_DIN0617_L17.0mm_D6.0mm_P25.40mm_Horizontal")
_CERAMIC: Final = _footprint(
    "Capacitor_THT:C_Disc_D5.0mm_W2.5mm_P5.00mm", note="leads of 2.5 mm are bent to 5 mm where the part has those"
)
_SMALL_CAN: Final = _footprint("Capacitor_THT:CP_Radial_D5.0mm_P2.00mm")
_DO_15: Final = _footprint("Diode_THT:D_DO-15_P12.70mm_Horizontal")
_DO_35: Final = _footprint("Diode_THT:D_DO-35_SOD27_P7.62mm_Horizontal")
_DO_41: Final = _footprint("Diode_THT:D_DO-41_SOD81_P10.16mm_Horizontal")
_FUSE: Final = _footprint("Fuse:Fuseholder_Cylinder-5x20mm_Schurter_0031_8201_Horizontal_Open", {"1": 1, "2": 1, "": 1})
_TO_92: Final = _footprint(
    "Package_TO_SOT_THT:TO-92_Inline_Wide", 3, "wide, so that 0.6 mm are between its pads: the leads are bent"
)
_DIP_8: Final = _footprint("Package_DIP:DIP-8_W7.62mm", 8)
_ON_ADAPTER: Final = "for the chip on its adapter; without one Package_SO:SOIC-8_3.9x4.9mm_P1.27mm"
_DIP_16: Final = _footprint("Package_DIP:DIP-16_W7.62mm", 16)
_CONTACTS: Final = {"11": 2, "12": 2, "14": 2, "A1": 1, "A2": 1}

TABLE: Final[Mapping[str, Footprint]] = {
    p.R_LAMP.name: _footprint("Resistor_THT:R_Axial_DIN0414_L11.9mm_D4.5mm_P20.32mm_Horizontal"),
    p.R_SHUNT.name: _footprint(
        "Resistor_THT:R_Axial_DIN0614_L14.3mm_D5.7mm_P20.32mm_Horizontal",
        note="for the LVR03; the PWR4412 has other leads: change the footprint for it. The track of the measured "
        "voltage leaves from the pads themselves",
    ),
    p.R_CHARGE.name: _WIRE_WOUND,
    p.R_DAMP.name: _WIRE_WOUND,
    p.C1N.name: _CERAMIC,
    p.C10N.name: _CERAMIC,
    p.C100N.name: _CERAMIC,
    p.C4U7.name: _SMALL_CAN,
    p.C10U.name: _SMALL_CAN,
    p.C100U.name: _footprint("Capacitor_THT:CP_Radial_D8.0mm_P3.50mm"),
    p.C_BANK.name: _footprint("Capacitor_THT:CP_Radial_D18.0mm_P7.50mm"),
    p.D4148.name: _DO_35,
    p.D4007.name: _DO_41,
    p.D5819.name: _DO_41,
    p.D5822.name: _footprint("Diode_THT:D_DO-201AD_P15.24mm_Horizontal"),
    p.BAT85.name: _DO_35,
    p.ZENER.name: _DO_35,
    p.ZENER_GATE.name: _DO_35,
    p.TVS_FIELD.name: _DO_15,
    p.TVS_RAIL.name: _DO_15,
    p.TVS_SENSE.name: _DO_15,
    p.PTC.name: _footprint("Fuse:Fuse_Bourns_MF-RHT050", note="drawn for the MF-RHT050: 5.1 mm, as the MF-R050"),
    p.PTC_SENSOR.name: _footprint(
        "Fuse:Fuse_BelFuse_0ZRE0012FF_L8.3mm_W3.8mm", note="drawn for another maker's: 5.1 mm, as the MF-R010"
    ),
    p.PTC_MOTOR.name: _footprint(
        "Fuse:Fuse_BelFuse_0ZRE0075FF_L11.5mm_W4.8mm", note="drawn for another maker's: 5.1 mm, as the MF-R090"
    ),
    p.F2A.name: _FUSE,
    p.F4A.name: _FUSE,
    p.NFET.name: _footprint("Package_TO_SOT_THT:TO-220-3_Vertical", 3),
    p.PFET.name: _footprint("Package_TO_SOT_THT:TO-220-3_Vertical", 3),
    p.NPN.name: _TO_92,
    p.PNP.name: _TO_92,
    p.PNP_PASS.name: _footprint("Package_TO_SOT_THT:TO-126-3_Vertical", 3),
    p.HC14.name: _footprint("Package_DIP:DIP-14_W7.62mm", 14),
    p.AHC14.name: _footprint("Package_DIP:DIP-14_W7.62mm", 14),
    p.AHCT14.name: _footprint("Package_DIP:DIP-14_W7.62mm", 14),
    p.TPIC.name: _DIP_16,
    p.HC165.name: _DIP_16,
    p.HC595.name: _DIP_16,
    p.SUPERVISOR.name: _DIP_8,
    p.FRAM.name: _DIP_8._replace(note=_ON_ADAPTER),
    p.FRAM_3V3.name: _DIP_8._replace(note=_ON_ADAPTER),
    p.BUCK.name: _footprint("Converter_DCDC:Converter_DCDC_TRACO_TSR-1_THT", 3),
    p.OPTO.name: _footprint("Package_DIP:DIP-4_W7.62mm", 4),
    p.NANO.name: _footprint("Module:Arduino_Nano", 30),
    p.PICO.name: _footprint("Module:RaspberryPi_Pico_Common_THT", 40),
    p.STEPPER_DRIVER.name: _footprint(
        "Module:Pololu_Breakout-16_15.2x20.3mm", 16, "holes of 0.8 mm: 1.0 mm for sockets with square contacts"
    ),
    p.POWER_RELAY.name: _footprint(
        "Relay_THT:Relay_SPDT_Schrack-RT1-16A-FormC_RM5mm",
        _CONTACTS,
        "the contacts have two pads each, both are used. Finder's pins are 0.3 mm nearer to the coil: holes of 1.5 mm",
    ),
    p.REVERSING_RELAY.name: _footprint(
        "Relay_THT:Relay_DPDT_Schrack-RT2-FormC_RM5mm",
        dict.fromkeys(("11", "12", "14", "21", "22", "24", "A1", "A2"), 1),
        "Finder's pins are 0.3 mm nearer to the coil: holes of 1.5 mm",
    ),
    p.JUMPER.name: _footprint("Connector_PinHeader_2.54mm:PinHeader_1x02_P2.54mm_Vertical"),
    p.KEY.name: _footprint("Button_Switch_THT:SW_PUSH_6mm", {"1": 2, "2": 2}),
    p.RIBBON.name: _footprint("Connector_IDC:IDC-Header_2x05_P2.54mm_Vertical", 10),
    **{
        p.terminal(ways).name: _footprint(
            f"TerminalBlock_Phoenix:TerminalBlock_Phoenix_MKDS-1,5-{ways}-5.08_1x0{ways}_P5.08mm_Horizontal", ways
        )
        for ways in (2, 3, 4)
    },
}
"""By the name of the part; a resistor of 0.25 W is not listed."""

IN_PANEL: Final = frozenset((p.EMERGENCY_STOP.name,))
"""Parts that are not on the board: they are wired to its terminals."""

_DRIVER: Final = (
    "GND2", "VDD", "1B", "1A", "2A", "2B", "GND", "VMOT",
    "ENABLE", "MS1", "MS2", "MS3", "RESET", "SLEEP", "STEP", "DIR",
)  # fmt: skip


def footprint(type_: PartType) -> Footprint | None:
    """The footprint of a part; none of one in the panel.

    Raises:
        KeyError: no footprint was chosen for it.
    """
    if type_.name in IN_PANEL:
        return None
    return _AXIAL if type_.package == "axial 0207" else TABLE[type_.name]


def pad(type_: PartType, pin: str) -> str:
    """The pad of a pin: KiCad numbers the cathode and the + of a capacitor 1."""
    if type_.letter == "D" and pin in ("A", "K"):
        return {"K": "1", "A": "2"}[pin]
    if type_.symbol == "electrolytic":
        return {"+": "1", "-": "2"}[pin]
    if type_.name == p.STEPPER_DRIVER.name:
        return str(_DRIVER.index(pin) + 1)
    return pin_number(type_, pin)
