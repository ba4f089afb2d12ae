"""The circuits of the carrier boards in ngspice: every figure of the page holds, and a forgotten part is noticed."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from firmware.hardware import budget, erc, field, load_terminals, pico_figures, sheets, terminals
from firmware.hardware import figures as f
from firmware.hardware import parts as p
from firmware.hardware import simulations as sim
from firmware.hardware.blocks import SENSE, CarrierBoard
from firmware.hardware.boards import BOARDS, CARRIERS, NAMES, carrier, circuit
from firmware.hardware.circuit import Circuit
from firmware.hardware.controllers import NANO, PICO
from firmware.hardware.firmware_times import hold_up_ms, motor_times
from firmware.hardware.manifest_pins import kind
from firmware.hardware.spice import (
    DOWN_LEAST,
    UP_MOST,
    V_IH_LEAST,
    V_IL_MOST,
    Corner,
    SimulationError,
    deck,
    run,
)
from tests.shares import first_of, one_in

PAGE = Path(__file__).resolve().parents[2] / "docs" / "boards-carrier.md"
ROWS = re.compile(r"<!-- figures: circuits -->\n(?P<table>.*?)<!-- end -->", re.DOTALL)
FIELD = [sim.Input(board, entry[0]) for board in BOARDS for entry in kind(board)["inputs"] if entry[0] != "power_fail"]


QUICK = ("inputs", "drivers", "supply", "budget", "keys and lamps")
"""Groups of figures that every run simulates; surges, contacts and lines take four times as long: the soak has them."""


@cache
def quick_figures() -> tuple[f.Figure, ...]:
    """Five seconds of a processor: the tests that need them are beside each other, so that one worker has both."""
    return tuple(f.figures(*QUICK))


def test_figures_are_within_their_limits_and_the_page_shows_them_as_simulated() -> None:
    rows = page_rows()
    check(
        quick_figures(), [row for row in rows if any(row[:2] == [each.circuit, each.what] for each in quick_figures())]
    )


def released_reel() -> f.Figure:
    """What a contact carries when the emergency stop of a reel board is released."""
    return next(each for each in quick_figures() if each.circuit == "reel, emergency stop released")


def test_the_hold_up_is_longer_than_the_firmware_needs() -> None:
    need = hold_up_ms()
    assert need >= 100
    for board in ("reel", "pusher"):
        times = [each for each in quick_figures() if each.circuit == f"{board}, hold-up"]
        found = [each for each in times if "4.75 V" in each.what or "the same" in each.what]
        assert len(found) == 3
        assert min(each.value for each in found) > need


def test_the_page_has_what_a_bank_does_not_prevent() -> None:
    text, found = PAGE.read_text(encoding="utf-8"), [each for each in quick_figures() if "for comparison" in each.what]
    reel, pusher = ([f.shown(each).split()[0] for each in found if each.circuit == f"{name}, supply that fails twice"]
                    for name in ("reel", "pusher"))  # fmt: skip
    assert f"leaves a reel board {reel[0]} ms (with the bank aged besides and 11.4 V, {reel[2]} ms)" in text
    assert f"a pusher board {pusher[0]} ({pusher[2]})" in text
    watt, amp = sim.shorted_bank("reel", 12.0)
    assert f"puts {watt:.0f} W into the 4.7 Ω (3 W), and {amp:.1f} A through F1 (2 A slow)" in text


@pytest.mark.parametrize("board", ["reel", "pusher"])
def test_the_test_sheet_passes_a_board_that_is_within_its_tolerances(board: str) -> None:
    steps = {step.id: step for step in sheets.steps(carrier(board))}
    found = {each.what: each.value for each in quick_figures() if each.circuit == f"{board}, hold-up"}
    trips = [value for what, value in found.items() if "warning of the supply" in what]
    assert len(trips) == 2
    assert steps["warning"].least <= min(trips)
    assert max(trips) <= steps["warning"].most
    new = found["the same, bank −20 %, load +10 %, latest warning"] / 1000
    assert hold_up_ms() / 1000 < steps["hold_up"].least < new


@pytest.mark.soak
def test_every_figure_is_within_its_limits_and_the_page_shows_it_as_simulated() -> None:
    check(tuple(f.figures()), page_rows())


@pytest.mark.parametrize(("board", "use"), [("reel", "home_1"), ("pusher", "hopper_coin"), ("reel-pico", "home_1")])
def test_the_test_sheet_passes_a_board_whose_sensors_draw_what_they_may_or_nothing(board: str, use: str) -> None:
    step = next(each for each in sheets.steps(carrier(board)) if each.id == "sense")
    assert step.least < sim.fed_sensors(board, use, use_amp=f.HOPPER_COIN_AMP).sense
    assert (
        sim.level(board, ["field", "sense", "sense_limit"], SENSE, drives={"sense": "Vs {n} 0 5"}, vcc=5.1) < step.most
    )


def test_the_list_asks_of_a_coin_sensor_what_its_terminal_gives_it() -> None:
    need = next(each for each in field.HOPPER.needs if each.what == "supply of its coin sensor")
    amp, wires = f.HOPPER_COIN_AMP, 2 * 10 * 0.08
    assert need.must == f"works from {f.SENSOR_LEAST - wires * amp:.1f} V on, {amp * 1000:g} mA or less"
    assert sim.fed_sensors("pusher", "hopper_coin", use_amp=amp).plus > f.SENSOR_LEAST
    assert "must work from 3.5 V on" in PAGE.read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("board", sim.LOADS)
def test_the_test_sheet_knows_how_long_the_bank_takes(board: str) -> None:
    steps = {step.id: step for step in sheets.steps(carrier(board))}
    ohms = steps["short_12"]
    assert sim.meter_ohm(board, 1) < ohms.least < sim.meter_ohm(board, 60)
    assert sim.meter_ohm(board, 60, shorted=True) < ohms.least
    assert (ohms.action.split(";")[1], ohms.expected) == (
        " it charges the bank, so wait for up to a minute.", "above 500 Ω within a minute"
    )  # fmt: skip
    # Without its module: what the circuits draw besides (ours); with it: all but the sensors.
    assert sim.emptied_s(board, 0.006) < 80
    assert "; up to 80 s)" in steps["identify"].action
    assert sim.emptied_s(board, sum(sim.LOADS[board].values()) - sim.SENSE_AMP) < 20
    again = [step for step in steps.values() if "boards trace" in step.action and "upply off" in step.action]
    assert len(again) > 10
    assert all(sheets.OFF_AND_ON in step.action for step in again)
    for name in ("identify", *(["supervisor"] if board.endswith("-pico") else [])):
        assert "until the 5 V are below 1 V" in steps[name].action


def page_rows() -> list[list[str]]:
    """The cells of the page's table of figures."""
    found = ROWS.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found["table"].splitlines()[2:]]


def check(figures: tuple[f.Figure, ...], rows: list[list[str]]) -> None:
    """They are within their limits, and as these rows have them."""
    assert [
        f"{each.circuit}: {each.what}: {f.shown(each)}, must be {each.must}" for each in figures if not each.holds
    ] == []
    fix = "run: python -m firmware.hardware --figures"
    assert [row[:3] for row in rows] == [[each.circuit, each.what, each.must] for each in figures], fix
    for row, each in zip(rows, figures, strict=True):
        value = float(row[3].split()[0].replace("−", "-"))
        # Versions of ngspice differ in the last digit.
        assert value == pytest.approx(each.value, rel=0.05, abs=0.06), (row, fix)


class _DeckTakenError(Exception):
    pass


def decks_of(monkeypatch: pytest.MonkeyPatch, simulations: Iterable[Callable[[], object]]) -> set[str]:
    """What each simulation gives to ngspice, which is not run; nodes and parts have numbers in place of names."""
    decks: set[str] = set()

    def taken(title: str, lines: Sequence[str], analysis: str, measures: dict[str, str]) -> dict[str, float]:
        numbers: dict[str, str] = {}
        text = "\n".join((*lines, analysis, *measures.values()))
        decks.add(NAMES_OF_A_CIRCUIT.sub(lambda name: numbers.setdefault(name[0].lower(), f"#{len(numbers)}"), text))
        raise _DeckTakenError

    with monkeypatch.context() as patched:
        patched.setattr(sim, "run", taken)
        for simulate in simulations:
            with pytest.raises(_DeckTakenError):
                simulate()
    return decks


NAMES_OF_A_CIRCUIT = re.compile(r"\b(?:n_\w+|nc_\w+|[A-Z]+\d+\w*)\b|(?<=i\()v\w+")


def test_what_is_simulated_stands_for_inputs_and_sensors_of_the_same_circuit(monkeypatch: pytest.MonkeyPatch) -> None:
    def inputs(lines: Iterable[sim.Input]) -> set[str]:
        return decks_of(
            monkeypatch, [partial(sim.levels, line, state, Corner()) for line in lines for state in sim.WIRES]
        )

    def sensors(lines: Iterable[tuple[str, str]]) -> set[str]:
        return decks_of(monkeypatch, [partial(sim.sense_times, *line) for line in lines])

    assert inputs(FIELD) == inputs(FIELD[::EACH_CIRCUIT])
    assert inputs(FIELD) != inputs(FIELD[:1])
    assert sensors(MONEY) == sensors(MONEY[:1])


EACH_CIRCUIT = 16
"""The first input is like all of wheel and table, and the seventeenth like all of reel and pusher."""


@pytest.mark.parametrize(
    "line", one_in(EACH_CIRCUIT, (pytest.param(line, id=f"{line.board}-{line.use}") for line in FIELD))
)
def test_an_input_reads_its_wire_and_a_cut_wire_is_not_at_rest(line: sim.Input) -> None:
    for vcc in f.SUPPLIES:
        corner = Corner(vcc=vcc)
        low = sim.levels(line, "sensor conducts (0.4 V)", corner)
        cut = sim.levels(line, "sensor open, or wire cut", corner)
        assert low.gate < DOWN_LEAST * vcc
        assert low.chip < V_IL_MOST * vcc
        assert cut.gate > UP_MOST * vcc
        assert cut.chip > V_IH_LEAST * vcc
    volts = sim.levels(line, "wire shorted to 24 V", Corner())
    assert volts.chip > V_IH_LEAST * 5
    assert volts.wire_amp < 0.05


LIKE = (
    (r"\d", "0"),
    (r"^(level_0|spare_0|level_[xy])$", "analogue"),
    (r"^(fram data|fram clock)$", "fram"),
)
"""Rows that differ in a number are one circuit, and so are these."""
NO_CIRCUIT = re.compile(
    r".*_(feed|emitter)|.*_slow|.*_minus|.*_relay(_0)?|reel_0_motor|reel_0_0[AB]|decoupling.*|.*_decoupling|ground|acceptor_feed|"
    r"(load|lamp|analogue)_supply|end_(data|read)|read|control_(read|spare)|chain_(first|data_back)|"
    r"(?!token)\w+_test"
)
"""Wires, fuses, capacitors and jumpers between what is simulated; a resistor to ground at what is not used."""


def _like(row: str) -> str:
    for pattern, name in LIKE:
        row = re.sub(pattern, name, row)
    return row


def test_every_circuit_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which rows the simulations use is recorded; ngspice is not run."""
    used: set[str] = set()

    def recorded(board: Circuit, rows: Sequence[str], **options: Any) -> list[str]:
        used.update(_like(row) for row in rows)
        return deck(board, rows, **options)

    for module in (sim, budget):
        monkeypatch.setattr(module, "deck", recorded)
        monkeypatch.setattr(module, "run", lambda title, lines, analysis, measures: dict.fromkeys(measures, 1.5))
    monkeypatch.setattr(terminals, "overloaded", lambda name: ())
    monkeypatch.setattr(load_terminals, "found", lambda name: load_terminals.LoadFaults((), ()))
    list(f.figures())
    list(pico_figures.figures())
    used.update(_like(line.use) for line in FIELD)
    rows = {(name, _like(row.name)) for name in NAMES for sheet in circuit(name).sheets for row in sheet.rows}
    assert [each for each in sorted(rows) if each[1] not in used and not NO_CIRCUIT.fullmatch(each[1])] == []


MONEY = [("pusher", use) for use in ("win_a", "win_b", "shaft", "home", "hopper_coin")] + [
    ("reel", f"home_{number}") for number in (1, 2, 3)
]


@pytest.mark.parametrize(("board", "use"), first_of(1, MONEY))
def test_emitters_off_shows_a_sensor_whose_line_is_shorted(board: str, use: str) -> None:
    off, on, _ = sim.sense_times(board, use)
    assert 0 < off < 2.0
    assert 0 < on < 2.0
    shorted = sim.levels(sim.Input(board, use), "wire shorted to 0 V", Corner())
    assert shorted.chip < 1.5  # at rest with the emitters off, where a good line is active


# What each part is for: without it a limit is broken


def _ref(board: str, row: str, symbol: str) -> str:
    return next(part.ref for part in circuit(board).tagged(row) if part.type.symbol == symbol)


def test_without_its_tvs_an_input_does_not_survive_a_discharge() -> None:
    esd = sim.discharge(f.LINE, 8.0, without=[_ref("wheel", "in_1", "tvs")])
    assert abs(esd.resistor_volt) > p.R2K2.limits["volt"]


def _other_diode(board: Circuit, use: str, how: str) -> None:
    diode = next(part for part in board.tagged(use) if part.type.letter == "D")
    if how == "missing":
        diode.type = replace(diode.type, spice="R{ref} {A} {K} 1e9\nD{ref} {ref}_none 0 D1N5822")
    elif how == "reversed":
        diode.nets["A"], diode.nets["K"] = diode.nets["K"], diode.nets["A"]
    else:
        diode.type = p.D4007


WRONG_DIODES: dict[str, str] = {
    "missing": "highest at the drain",
    "reversed": "MOSFET: mean power",
    "a 1N4007": "flyback diode: current back",
}
"""And the figure that each breaks."""


CORNERS = [f.SwitchedCorner(*each) for each in product((0.5, 1.2), (0.9, 1.3), (11.4, 12.6))]


WITH_A_DIODE = [
    pytest.param(load, id=f"{load.board}-{load.use}-{load.back}") for load in (*f.INDUCTIVE, f.inductive_of(PICO)[0])
]


# In every run: a motor that is dimmed, and one that a relay reverses.
@pytest.mark.parametrize("how", WRONG_DIODES)
@pytest.mark.parametrize("load", one_in(4, WITH_A_DIODE))
def test_a_wrong_flyback_diode_is_found(load: f.Inductive, how: str) -> None:
    board = CARRIERS[load.board]()
    _other_diode(board, load.use, how)
    broken = [each.what for each in f.flyback_at(load, board, duties=(0.5,)) if not each.holds]
    if how == "a 1N4007" and not load.is_dimmed:
        # It has recovered long before the next pulse; the electrical rules find it.
        assert any("not a Schottky diode" in each for each in erc.findings(board))
    else:
        assert any(what.startswith(WRONG_DIODES[how]) for what in broken), broken


WRONG_SWITCHES: dict[str, tuple[str, str]] = {
    "22 kΩ": ("R{ref} {1} {2} 1e9", "its − wire at 0 V: current"),
    "100 nF": ("R{ref} {1} {2} 1e9", "at 1.2 % of its power"),
    "BZX55C15": ("R{ref} {A} {K} 1e9", "24 V at its feed"),
    "IRF4905": ("R{ref} {G} {S} 1e9\nR{ref}_b {D} {S} 0.02", "its − wire at 0 V: current"),
}
"""By what is missing or failed at the + wire of a motor: what is in its place, and the figure that it breaks."""


@pytest.mark.parametrize("part", WRONG_SWITCHES)
def test_a_forgotten_part_at_the_plus_wire_of_a_motor_is_found(part: str) -> None:
    board, (spice, what) = CARRIERS["pusher"](), WRONG_SWITCHES[part]
    wrong = next(each for each in board.tagged("motor_high") if each.type.value == part)
    wrong.type = replace(wrong.type, spice=spice)
    broken = [each.what for each in f.high_side_at(f.INDUCTIVE[0], board, heated=False) if not each.holds]
    assert any(each.startswith(what) for each in broken), broken


@pytest.mark.parametrize(("board", "use"), f.COILS)
@pytest.mark.parametrize("how", ["missing", "reversed"])
def test_a_wrong_diode_at_a_relays_coil_is_found(board: str, use: str, how: str) -> None:
    planted = BOARDS[board]()
    _other_diode(planted, use, how)
    assert [each for each in f.coil_at(board, use, planted) if not each.holds]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("board", "use"), [(kind + module.suffix, use) for module in (NANO, PICO) for kind, use in f.COILS]
)
@pytest.mark.parametrize("gain", [160.0, 630.0])
@pytest.mark.parametrize("volts", [11.4, 12.6])
def test_every_relays_coil_at_every_corner(board: str, use: str, gain: float, volts: float) -> None:
    assert [each for each in f.coil_at(board, use, volts=volts, gain=gain) if not each.holds] == []


@pytest.mark.soak
@pytest.mark.parametrize(
    "load", [*f.INDUCTIVE, *f.inductive_of(PICO)], ids=lambda load: f"{load.board}-{load.use}-{load.back}"
)
@pytest.mark.parametrize("corner", CORNERS)
@pytest.mark.parametrize("high", ["least", "most"])
def test_every_inductive_load_at_every_corner(load: f.Inductive, corner: f.SwitchedCorner, high: str) -> None:
    duties = (3 / 255, 0.1, 0.25, 0.5, 0.75, 0.9, 253 / 255)
    if high == "most":
        corner = corner._replace(gate=carrier(load.board).controller.volt)
    assert [each for each in f.flyback_at(load, None, corner, duties) if not each.holds] == []


@pytest.mark.parametrize(
    ("board", "use", "row"), [("pusher", "hopper", "hopper_relay"), ("table", "motor", "motor_relay")]
)
def test_without_its_suppressor_a_reversing_relay_breaks_an_inductive_current(board: str, use: str, row: str) -> None:
    without = [_ref(board, row, "tvs")]
    assert sim.reversal(board, use, henry=5e-3, ohm=4.0, without=without).contact_volt > 1000


# The budget of the 12 V


@cache
def every_combination(amp: float) -> budget.Rail:
    return budget.rail(carrier("pusher"), budget.combinations("pusher"), budget.SupplyUnit(amp))


def test_every_load_is_in_the_budget_in_all_that_the_firmware_can_make_of_it() -> None:
    for board, loads in budget.LOADS.items():
        rows = set(budget.ROWS[board])
        outputs = {entry[0] for entry in kind(board)["outputs"]}
        driven = rows | {f"reel_{n}" for n in (1, 2, 3) if f"reel_{n}_motor" in rows}
        assert outputs <= driven, board
        assert len(set(budget.combinations(board))) == math.prod(len(load.conditions) for load in loads.values())
        fed = {net for row in rows for part in circuit(board).tagged(row) for net in part.nets.values()}
        assert {net for net in circuit(board).nets() if net.startswith("+12V")} - {"+12V_TEST"} <= fed


def test_a_supply_of_six_ampere_warns_in_mid_payout() -> None:
    """That the chosen one does not is among the figures."""
    assert every_combination(6.0).warned


@pytest.mark.soak
def test_a_supply_of_eight_ampere_bears_all_but_a_cold_filament_lamp() -> None:
    assert not every_combination(8.5).warned
    assert budget.cold_lamp(carrier("pusher"), budget.SupplyUnit(8.5)).warned


def test_the_comparator_needs_its_capacitor_when_the_emergency_stop_is_released() -> None:
    board = BOARDS["reel"]()
    capacitor = next(part for part in board.tagged("power_fail") if part.type is p.C100N)
    capacitor.type = p.C1N
    assert budget.rail(board, [budget.most(board)] * 3, released=True).warned


def test_the_capacitors_behind_the_emergency_stop_need_their_resistors_and_a_contact_for_inrush() -> None:
    figure = released_reel()
    assert figure.holds
    assert figure.value > 30.0  # what a contact of AgNi makes
    board = BOARDS["reel"]()
    for part in board.parts.values():
        if part.type is p.R_DAMP:
            part.type = replace(p.R_DAMP, number=1e-3)
    assert not f.release_at(board).holds


def test_a_coil_that_does_not_pull_in_is_found() -> None:
    planted = BOARDS["pusher"]()
    row = planted.tagged("hopper back")
    base = next(part for part in row if part.type is p.R1K)
    base.type = p.R22K
    assert any(
        each.what.startswith("over the coil") and not each.holds for each in f.coil_at("pusher", "hopper back", planted)
    )


def test_a_latch_of_a_nano_needs_its_capacitor() -> None:
    board = BOARDS["reel"]()
    next(part for part in board.tagged("lamps latch") if part.type is p.C10N).type = replace(p.C10N, number=1e-15)
    assert [each.what.split(" to ")[0] for each in f.chain_at(board) if not each.holds] == ["latch is low"]


def test_more_fuses_than_the_terminal_of_the_supply_bears_are_found() -> None:
    board = BOARDS["pusher"]()
    assert isinstance(board, CarrierBoard)
    assert f.terminal_at(board).holds
    for part in board.parts.values():
        if part.type is p.F2A:
            part.type = p.F4A
    assert not f.terminal_at(board).holds


def test_a_thin_cable_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "CABLE_OHM", 0.20)  # 2.5 m of 0.5 mm²
    assert budget.rail(carrier("pusher"), [budget.most(carrier("pusher"))] * 3).warned


def test_the_page_has_the_firmwares_times_and_the_supply_that_is_simulated() -> None:
    part = PAGE.read_text(encoding="utf-8").split("## The supply\n")[1].split("\n## ")[0]
    times = motor_times()
    shelf = next(line for line in part.splitlines() if line.startswith("| shelf"))
    assert f"{times.shelf_stall} ms without a pulse" in shelf
    assert f"{times.over} ms above" in shelf
    hopper = next(line for line in part.splitlines() if line.startswith("| hopper"))
    assert f"{times.hopper_jam} ms without a token ({times.hopper_spin_up} ms more" in hopper
    assert f"{times.hopper_over} ms above" in hopper
    assert f"turned back {times.hopper_back} ms, twice" in hopper
    assert times.hopper_backs == 2
    assert max(times.shelf_stall, times.hopper_jam + times.hopper_spin_up) <= 1100
    assert f"**12 V, {budget.CHOSEN.amp:g} A**" in part


def test_the_fuse_of_the_motors_bears_both_blocked_and_their_own_open_where_a_driver_has_failed() -> None:
    shelf, hopper = (12.6 / (ohm + p.PTC_MOTOR.number) for ohm in (4.0, 6.0))
    assert shelf + hopper < 1.5 * p.F4A.limits["amp"]
    assert min(shelf, hopper) > p.PTC_MOTOR.limits["trip"]


def test_the_page_has_the_running_current_and_what_the_contact_carries() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"| shelf motor | {field.RUNNING_AMP:g} A running" in text
    assert f"| hopper motor | {field.RUNNING_AMP:g} A paying" in text
    assert f"charges them: {released_reel().value:.0f} A at the worst" in text


def test_half_the_bank_is_not_enough() -> None:
    bank = [part.ref for part in circuit("pusher").tagged("bank", "bank_more") if part.type is p.C_BANK]
    whole = sim.hold_up("pusher", Corner(pfi=1.20), capacity=0.8, load=1.1)
    half = sim.hold_up("pusher", Corner(pfi=1.20), capacity=0.8, load=1.1, without=bank[::2])
    assert half.reset_ms < 0.6 * whole.reset_ms
    assert half.reset_ms < 650


def test_the_hold_up_counts_what_the_page_allows_all_sensors_and_that_bears_all_emitters() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"**All sensors of a money board draw {sim.SENSE_AMP:g} A together at the most**" in text
    for board, loads in sim.LOADS.items():
        emitters = [
            part
            for part in circuit(board).parts.values()
            if part.type is p.R220 and any(tag.endswith("_emitter") for tag in part.tags)
        ]
        assert len(emitters) == (5 if board.startswith("pusher") else 3)
        _, _, amp = sim.sense_times(board, "home" if board.startswith("pusher") else "home_1")
        assert loads["sensors"] == sim.SENSE_AMP >= len(emitters) * amp


def test_the_discharge_is_that_of_the_standard_at_other_voltages() -> None:
    esd = sim.discharge(f.LINE, 2.0)
    assert esd.peak_amp == pytest.approx(7.5, rel=0.15)
    assert esd.at_30ns_amp == pytest.approx(4.0, rel=0.30)
    assert esd.at_60ns_amp == pytest.approx(2.0, rel=0.30)


def test_a_simulation_that_fails_is_an_error_with_its_deck() -> None:
    with pytest.raises(SimulationError, match=r"(?i)broken: ngspice.*(error|model)"):
        run("broken", ["V1 a 0 1", "D1 a 0 NO_SUCH_MODEL"], "tran 1u 1m", {"x": "max v(a)"})
    with pytest.raises(SimulationError, match=r"late: ngspice"):
        run("late", ["V1 a 0 1", "R1 a 0 1"], "tran 1u 1m", {"x": "when v(a)=2 rise=1"})


def test_a_missing_ngspice_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SimulationError, match="sudo apt install ngspice"):
        run("x", [], "tran 1u 1m", {})


# Tolerances


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(300))
def test_levels_within_the_tolerances_of_all_parts(seed: int) -> None:
    rng = random.Random(seed)
    line = rng.choice(FIELD)
    vcc = rng.uniform(4.5, 5.5)
    up = rng.uniform(0.45, UP_MOST)
    corner = Corner(
        vcc=vcc,
        up=up,
        down=rng.uniform(DOWN_LEAST, up - 0.0889),
        zener_volt=rng.uniform(5.8, 6.6),
        tvs_volt=rng.uniform(28.5, 31.5),
    )
    vary = sim.tolerance_factors(circuit(line.board), rng)
    assert sim.levels(line, "sensor conducts (0.4 V)", corner, vary=vary).chip < V_IL_MOST * vcc
    assert sim.levels(line, "sensor open, or wire cut", corner, vary=vary).chip > V_IH_LEAST * vcc


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(200))
def test_hold_up_within_the_tolerances(seed: int) -> None:
    rng = random.Random(seed)
    found = sim.hold_up(
        rng.choice(("reel", "pusher")),
        Corner(pfi=rng.uniform(1.20, 1.30), efficiency=rng.uniform(0.84, 0.92), vin_least=rng.uniform(6.5, 7.0)),
        capacity=rng.uniform(0.8, 1.2), load=rng.uniform(0.8, 1.1),
        upper=rng.uniform(0.99, 1.01), lower=rng.uniform(0.99, 1.01),
    )  # fmt: skip
    assert found.reset_ms > hold_up_ms()


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(200))
def test_one_edge_for_a_movement_of_a_bouncing_contact(seed: int) -> None:
    rng = random.Random(seed)
    up = rng.uniform(0.345, UP_MOST)
    falls, rises, _, _ = sim.edges_of_contact(
        f.LINE,
        sim.bounce_trace(seed, rng.uniform(1.0, 5.0)),
        Corner(up=up, down=up - 0.0889, vcc=rng.uniform(4.5, 5.5)),
    )
    assert (falls, rises) == (1, 1)
