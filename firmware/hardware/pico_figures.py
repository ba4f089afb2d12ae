"""The figures of the circuits with a Pico next to what they must be: simulated, and printed on docs/boards-pico.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from firmware.hardware import parts as p
from firmware.hardware import simulations as sim
from firmware.hardware import terminals
from firmware.hardware.boards import PICO_BOARDS
from firmware.hardware.circuit import Circuit
from firmware.hardware.controllers import PICO
from firmware.hardware.figures import (
    ANY,
    HOPPER_COIN_AMP,
    STEPPER_HIGH,
    STEPPER_LOW,
    Figure,
    LeastMargins,
    budget_of,
    chain_of,
    contacts_of,
    discharges_of,
    drivers_of,
    fed_sensors_of,
    levels_of,
    load_terminals_of,
    overvoltage_of,
)
from firmware.hardware.firmware_times import hold_up_ms
from firmware.hardware.spice import TTL_DOWN_LEAST, TTL_UP_MOST, Corner

LINE: Final = sim.Input("wheel-pico", "in_1")
OPTICAL: Final = sim.Input("pusher-pico", "win_a")
PIN_MOST: Final = PICO.volt + p.PICO.limits["over_volt"]
"""V at a pin at the most; its absolute maximum is 0.2 V above."""
HIGH: Final = sim.PICO_HIGH
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
    for group in (*_QUICK, *_SLOW):
        yield from group()


def quick() -> Iterator[Figure]:
    """What every run of the tests simulates."""
    for group in _QUICK:
        yield from group()


def _inputs() -> Iterator[Figure]:
    yield from levels_of(LINE, "input", MARGINS)
    yield from levels_of(OPTICAL, "optical input", MARGINS)
    yield from overvoltage_of(LINE, "in_2", module_amp=0.0)


def _surges() -> Iterator[Figure]:
    yield from discharges_of(LINE)
    yield from contacts_of(LINE, THRESHOLDS)


def _money_lines() -> Iterator[Figure]:
    """Optos, contacts and open collectors of the money boards, fed and, for a test, not."""
    for board, use in (("pusher-pico", "win_a"), ("reel-pico", "home_1")):
        off, on, amp = sim.sense_times(board, use)
        at = f"{board}, emitters"
        yield Figure(at, "a lit sensor's line is high after `sense` falls", "2 ms or less", off, "ms", 0.0, 2.0)
        yield Figure(at, "and low after it rises", "2 ms or less", on, "ms", 0.0, 2.0)
        yield Figure(at, "current of an emitter, 4.9 V", "8 to 20 mA", amp * 1000, "mA", 8.0, 20.0)
    yield from fed_sensors_of("pusher-pico", "hopper_coin", HOPPER_COIN_AMP)
    for volt in (PICO.least, PICO.most):
        at = f"tested line with its 470 Ω, {volt:g} V"
        low = sim.tested_line("pusher-pico", "token", "rest", fed=True, logic=volt)
        margin = PICO.down[0] * volt - low.gate
        yield Figure(
            at, "at rest (0.4 V), fed: below the least V_T− of the 74AHC14 by", "0.3 V or more", margin, "V", 0.3, ANY
        )
        high = sim.tested_line("pusher-pico", "token", "rest", fed=False, logic=volt, volts=11.4)
        margin = high.gate - PICO.up[1] * volt
        yield Figure(
            at, "at rest, not fed, supply 11.4 V: above the greatest V_T+ by", "0.3 V or more", margin, "V", 0.3, ANY
        )
        shorted = sim.tested_line("pusher-pico", "token", "shorted", fed=False, logic=volt, volts=12.6)
        margin = PICO.down[0] * volt - shorted.gate
        yield Figure(at, "shorted, not fed: below the least V_T− by", "0.3 V or more", margin, "V", 0.3, ANY)


def _drivers() -> Iterator[Figure]:
    yield from drivers_of(PICO)
    low = sim.collector_low("pusher-pico", "accept", volts=12.6, ohm=1000.0)
    yield Figure("acceptor's inhibit, 12 mA", "while the board lets it accept", "0.4 V or less", low, "V", 0.0, 0.4)
    at = "reel-pico, stepper driver"
    for what, must, drive, least, most in (
        ("STEP while the chip is in reset", f"{STEPPER_LOW:g} V or less", "Ileak 0 {n} 1u", -0.1, STEPPER_LOW),
        (
            f"STEP while the chip drives it high ({HIGH:g} V)", f"{STEPPER_HIGH:g} V or more",
            f"Vc c 0 {HIGH}\nRc c {{n}} 25", STEPPER_HIGH, 5.5,
        ),
    ):  # fmt: skip
        step = sim.level("reel-pico", ["reel_1"], "reel_1_step", drives={"reel_1": drive})
        yield Figure(at, what, must, step, "V", least, most)


def _motor_currents() -> Iterator[Figure]:
    for board in ("pusher-pico", "table-pico"):
        full = sim.motor_current(board, duty=1.0)
        at = f"{board}, motor current, blocked (4 Ω)"
        reading = full.pin_volt / full.motor_amp
        yield Figure(at, "reading at full power", "0.1 V for each A ± 5 %", reading, "V", 0.095, 0.105)
        yield motor_shunt_open(board)


def motor_shunt_open(board: str | Circuit) -> Figure:
    """What the pin has to bear while the shunt is open and the motor driven."""
    name = board if isinstance(board, str) else board.name
    broken = sim.motor_current(board, duty=1.0, open_shunt=True).pin_volt
    must = f"0.5 to {PIN_MOST:g} V"
    what = "reading: above every limit, so the motor is switched off"
    return Figure(f"{name}, motor current, shunt open", what, must, broken, "V", 0.5, PIN_MOST)


def _keys_and_lamps() -> Iterator[Figure]:
    for volt in (PICO.least, PICO.most):
        at = f"keypad, {volt:g} V"
        margin = PICO.low_most * volt - sim.key_levels(["1_1"], 1, volt, "table-pico")["row_1"]
        yield Figure(at, "row of a pressed key, below V_IL by", "0.3 V or more", margin, "V", 0.3, ANY)
        ghost = sim.key_levels(["1_1", "1_2", "2_1"], 2, volt, "table-pico")["row_2"]
        what = "three keys of a rectangle: the row of the fourth, above V_IH by"
        yield Figure(at, what, "0.3 V or more", ghost - PICO.high_least * volt, "V", 0.3, ANY)
    rows, pin = ["lamps read_back"], "lamps read_back"
    for text, wire, least, most in (
        ("a dark lamp, below V_IL by", "Vq {n} 0 0.33", PICO.low_most * PICO.volt, -1.0),
        ("a lit lamp (5 V), above V_IH by", "Vq {n} 0 5", -PICO.high_least * PICO.volt, 1.0),
        ("ribbon cut: all as lit, above V_IH by", "Ileak {n} 0 1u", -PICO.high_least * PICO.volt, 1.0),
    ):
        value = sim.level("table-pico", rows, pin, drives={"chain_read_back": wire})
        yield Figure("table-pico, read back of the lamps", text, "0.3 V or more", least + most * value, "V", 0.3, ANY)
    push = "Vg g 0 PULSE(0 3.3 1u 1n 1n 1 2)\nRg g {n} 60"
    edge = sim.rise_time("table-pico", "lamps clock", "column_2", push, "chain_clock", 500e-12, rail=5.0)
    at = "table-pico, chain of seven tiles, 500 pF"
    yield Figure(at, "rise of the clock, 30 to 70 % of 5 V", "125 ns or less", edge, "ns", 0.0, 125.0)
    yield from chain_of(PICO)


def _supply() -> Iterator[Figure]:
    need = hold_up_ms()
    for board in ("reel-pico", "pusher-pico"):
        worst, aged = sim.least_hold_up(board, 0.8), sim.least_hold_up(board, 0.8 * sim.AGED)
        at = f"{board}, hold-up"
        yield Figure(at, "warning of the supply, at the latest", "9.5 V or more", worst.trip_volt, "V", 9.5, 12.0)
        yield Figure(
            at, "from the warning until 4.75 V: bank −20 %, load +10 %, latest warning", f"{need} ms or more",
            worst.reset_ms, "ms", need, ANY,
        )  # fmt: skip
        yield Figure(at, "the same, and the bank aged by 20 %", f"{need} ms or more", aged.reset_ms, "ms", need, ANY)
    at = "supervisor of a Pico"
    low, high = sim.reset_levels(4.5, 50e3, "pusher-pico")
    yield Figure(at, "RUN while it resets, at 4.5 V", "0.5 V or less", low, "V", 0.0, 0.5)
    yield Figure(at, "RUN while it does not", "2.6 V or more", high, "V", 2.6, PIN_MOST)
    usb = sim.run_by_usb_alone("pusher-pico")
    yield Figure(at, "RUN while USB alone supplies the Pico", "0.5 V or less", usb, "V", 0.0, 0.5)
    spare = p.SUPERVISOR.limits["reset_low"] - SCHOTTKY - REGULATOR_LEAST
    what = "least reset threshold, less the Schottky diode, above what the Pico's regulator needs by"
    yield Figure(at, what, "1 V or more", spare, "V", 1.0, ANY)
    low_error, high_error = (
        sim.level("pusher-pico", ["pull", "hopper error"], "hopper error", drives={"hopper_error_wire": wire})
        for wire in ("Vw {n} 0 0.4", "Rw {n} 0 1e9")
    )
    at = "hopper's error line"
    margin = PICO.low_most * PICO.volt - low_error
    yield Figure(at, "low at the chip's pin, below its V_IL by", "0.3 V or more", margin, "V", 0.3, ANY)
    margin = high_error - PICO.high_least * PICO.volt
    yield Figure(at, "open at the chip's pin, above its V_IH by", "0.3 V or more", margin, "V", 0.3, ANY)


SCHOTTKY, REGULATOR_LEAST = 0.45, 1.8
"""V of a 1N5819 at the most, and at VSYS of a Pico at the least (Pico Datasheet, 4.5)."""


def _terminals() -> Iterator[Figure]:
    for name in PICO_BOARDS:
        found = terminals.overloaded(name)
        yield Figure(
            f"{name}, terminals of sensors and serial line",
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
        yield Figure(
            name,
            f"{DIVIDER:.4f} of {volt:g} V: error with resistors as marked",
            "3 mV or less (one step)",
            error,
            "mV",
            0.0,
            3.3,
        )
    leak = abs(sim.divided("wheel-pico", "level_x", 4.6, leak=sim.ZENER_LEAK).pin_volt - DIVIDER * 4.6) * 1000
    yield Figure(name, "the same, its Zener diode leaking 3 µA", "3 mV or less (one step)", leak, "mV", 0.0, 3.3)
    yield divider_off("wheel-pico")
    cut = sim.divided("wheel-pico", "level_x", None)
    yield Figure(name, "wire cut: at the chip's pin", "0.1 V or less", cut.pin_volt, "V", -0.1, 0.1)
    for rail in (PICO.least, 0.0):
        over = sim.divided("wheel-pico", "level_x", 24.0, rail=rail)
        at = f"24 V on {name}, the Pico at {rail:.2f} V"
        if rail:
            yield Figure(at, "at the chip's pin", f"{PIN_MOST:g} V or less", over.pin_volt, "V", 0.0, PIN_MOST)
        yield Figure(at, "current into the chip's clamp", "1 mA or less", over.clamp_amp * 1000, "mA", -0.1, 1.0)


def divider_off(board: str | Circuit) -> Figure:
    """By how much the resistors of a divider shift the zero of a sensor, which is measured for this."""
    error = (sim.divided(board, "level_x", 2.5, off=True).pin_volt - DIVIDER * 2.5) * 1000
    what = f"{DIVIDER:.4f} of 2.5 V: error with resistors that are 1 % off"
    return Figure("analogue channel", what, "13 mV or less (in `zero_v`, measured)", error, "mV", 0.0, 13.0)


ADAPTER: Final = (1.2, 2.0)
"""V between which the input of an adapter switches for its bits to be as long as they are sent (ours)."""


def link_corners(volt: float) -> list[Corner]:
    """Those of the inverters of a serial line, at this supply."""
    return [Corner(logic=volt, up=up, down=up - HYSTERESIS) for up in PICO.up]


def _link() -> Iterator[Figure]:
    name = "serial line"
    for volt in (PICO.least, PICO.most):
        corners = link_corners(volt)
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
        offs = [sim.link_out_off("wheel-pico", corner, volts) for corner in corners for volts in ADAPTER]
        least, most = ADAPTER
        yield Figure(
            f"{at}, data out, 110 pF",
            f"a bit of 1 µs is shorter or longer at an adapter of {least:g} to {most:g} V by", "0.25 µs or less",
            max(map(abs, offs)) * 1e6, "µs", 0.0, 0.25,
        )  # fmt: skip
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


_QUICK: Final[Sequence[Callable[[], Iterator[Figure]]]] = (_inputs, _gates, _analogue, _memory, _keys_and_lamps)
_SLOW: Final[Sequence[Callable[[], Iterator[Figure]]]] = (
    _surges, _money_lines, _terminals, _drivers, _motor_currents, _link, _supply, lambda: budget_of(PICO),
    lambda: load_terminals_of(PICO),
)  # fmt: skip
