"""The figures of the circuits with a Pico next to what they must be: simulated, and printed on docs/boards-pico.md.

What a Pico's board shares with a Nano's, part by part and at the same voltages, is on docs/boards-carrier.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from firmware.hardware import parts as p
from firmware.hardware import simulations as sim
from firmware.hardware import terminals
from firmware.hardware.boards import PICO_BOARDS
from firmware.hardware.controllers import PICO
from firmware.hardware.figures import (
    ANY,
    Figure,
    Inductive,
    LeastMargins,
    SwitchedCorner,
    contacts_of,
    discharges_of,
    flyback_at,
    levels_of,
    overvoltage_of,
)
from firmware.hardware.spice import TTL_DOWN_LEAST, TTL_UP_MOST, Corner

LINE: Final = sim.Input("wheel-pico", "in_1")
PIN_MOST: Final = PICO.volt + p.PICO.limits["over_volt"]
"""V at a pin at the most; its absolute maximum is 0.2 V above."""
HIGH, LOW = 2.62, 0.5
"""V_OH and V_OL of the RP2040, at 4 mA and 3.3 V."""
MARGINS: Final = LeastMargins(low=0.3, noise=0.5, cut=0.3, pin=0.3)
HYSTERESIS: Final = 0.3 / 3.0
"""Of the 74AHC14, at the least, as a part of its supply."""
THRESHOLDS: Final = tuple((up, up - HYSTERESIS) for up in (PICO.up[0], 0.55, PICO.up[1]))
LEAST_GATE: Final = 4.0
"""V between gate and source at which an IRLZ44N's resistance is guaranteed."""
DIVIDER: Final = 10 / 22.2
"""What a Pico's pin has of the voltage at a terminal of an analogue channel."""


def figures() -> Iterator[Figure]:
    """The figures, in the order of the page; some seconds of ngspice."""
    yield from levels_of(LINE, "input", MARGINS)
    yield from overvoltage_of(LINE, "in_2", module_amp=0.0)
    yield from discharges_of(LINE)
    yield from contacts_of(LINE, THRESHOLDS)
    yield from _terminals()
    yield from _gates()
    yield from flyback_at(
        Inductive("wheel-pico", "lamp_1", "lamp or solenoid 12 Ω, 50 mH", 50e-3, 12.0, "+12V_LOAD"),
        corner=SwitchedCorner(gate=HIGH),
    )
    yield from _analogue()
    yield from _link()
    yield from _memory()


def quick() -> Iterator[Figure]:
    """What every run of the tests simulates."""
    yield from levels_of(LINE, "input", MARGINS)
    yield from overvoltage_of(LINE, "in_2", module_amp=0.0)
    yield from _gates()
    yield from _analogue()
    yield from _memory()


def _terminals() -> Iterator[Figure]:
    for name in PICO_BOARDS:
        found = terminals.overloaded(name)
        yield Figure(
            f"{name}, terminals of sensors, analogue channels and serial line",
            f"open, or joined to 0, 12 or 24 V: parts that bear too much, and pins above {PIN_MOST:g} V", "0",
            len(found), "", 0, 0,
        )  # fmt: skip


def _gates() -> Iterator[Figure]:
    at = "MOSFET of a lamp"
    yield Figure(
        at, "V_OH of the RP2040 above the greatest V_T+ of the 74AHCT14 by", "0.3 V or more", HIGH - TTL_UP_MOST, "V",
        0.3, ANY,
    )  # fmt: skip
    for what, must, pin, five, least, most in (
        (f"gate, the pin at {HIGH:g} V", f"{LEAST_GATE:g} V or more", HIGH, 4.75, LEAST_GATE, 5.5),
        ("gate, the Pico in reset (1 µA)", "0.5 V or less", None, 5.0, -0.1, 0.5),
        ("gate, the 5 V missing, the pin high", "0.5 V or less", 3.3, 0.0, -0.1, 0.5),
    ):
        value = sim.gate_volt("wheel-pico", "lamp_1", pin=pin, five=five)
        yield Figure(at, what, must, value, "V", least, most)
    yield Figure(
        at, "the pin's low (no load) below the least V_T− of the 74AHCT14 by", "0.3 V or more",
        TTL_DOWN_LEAST - sim.level("wheel-pico", ["lamp_1"], "lamp_1", drives={"lamp_1": "Vc c 0 0\nRc c {n} 120"}),
        "V", 0.3, ANY,
    )  # fmt: skip


def _analogue() -> Iterator[Figure]:
    name = "analogue channel"
    for volt in (0.4, 4.6):
        found = sim.divided("wheel-pico", "level_x", volt)
        error = abs(found.pin_volt - DIVIDER * volt) * 1000
        yield Figure(name, f"{DIVIDER:.4f} of {volt:g} V: error", "3 mV or less (one step)", error, "mV", 0.0, 3.3)
    cut = sim.divided("wheel-pico", "level_x", None)
    yield Figure(name, "wire cut: at the chip's pin", "0.1 V or less", cut.pin_volt, "V", -0.1, 0.1)
    for rail in (PICO.least, 0.0):
        over = sim.divided("wheel-pico", "level_x", 24.0, rail=rail)
        at = f"24 V on {name}, the Pico at {rail:.2f} V"
        if rail:
            yield Figure(at, "at the chip's pin", f"{PIN_MOST:g} V or less", over.pin_volt, "V", 0.0, PIN_MOST)
        yield Figure(at, "current into the chip's clamp", "1 mA or less", over.clamp_amp * 1000, "mA", -0.1, 1.0)


def _link() -> Iterator[Figure]:
    name = "serial line"
    for volt in (PICO.least, PICO.most):
        corners = [Corner(logic=volt, up=up, down=up - HYSTERESIS) for up in PICO.up]
        edges = [sim.link_edges("wheel-pico", corner) for corner in corners]
        low, high, longest = (
            max(each.low for each in edges),
            min(each.high for each in edges),
            max(each.off_s for each in edges),
        )
        at = f"{name}, {volt:g} V"
        yield Figure(at, "low at the chip's pin, below its V_IL by", "0.3 V or more", PICO.low_most * volt - low, "V",
                     0.3, ANY)  # fmt: skip
        yield Figure(at, "high at the chip's pin, above its V_IH by", "0.3 V or more", high - PICO.high_least * volt,
                     "V", 0.3, ANY)  # fmt: skip
        yield Figure(at, "a bit of 1 µs is shorter or longer at the pin by", "0.25 µs or less", longest * 1e6, "µs",
                     0.0, 0.25)  # fmt: skip
    amp, rail, pin = sim.link_fault("wheel-pico", 24.0)
    at = f"24 V on {name}, data out"
    yield Figure(
        at, "current into the 74AHC14's output, and so into the 3.3 V", "10 mA or less (330 Ω take 10.9 mA at 3.6 V)",
        amp * 1000, "mA", 0.0, 10.0,
    )  # fmt: skip
    yield Figure(at, "the 3.3 V, no Pico in the socket", f"{PIN_MOST:g} V or less", rail, "V", 0.0, PIN_MOST)
    yield Figure(at, "at the chip's pin", f"{PIN_MOST:g} V or less", pin, "V", 0.0, PIN_MOST)


def _memory() -> Iterator[Figure]:
    rest = sim.level("wheel-pico", ["fram data"], "fram data")
    yield Figure("FRAM", "data line at rest", f"{PIN_MOST:g} V or less", rest, "V", PICO.least, PIN_MOST)
    opens = "Vg g 0 PULSE(5 0 1u 1n 1n 1 2)\nSg {n} 0 g 0 OPENS"
    rise = sim.rise_time("wheel-pico", "fram data", "fram data", opens, "fram data", 50e-12)
    yield Figure("FRAM, 50 pF", "rise of the data line, 30 to 70 %", "300 ns or less (400 kHz)", rise, "ns", 0.0, 300.0)
