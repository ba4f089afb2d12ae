"""What surrounds a board can be bought, by two sources or by figures; and what is done to bought modules is told."""

from __future__ import annotations

import math
import re
from pathlib import Path

import msgspec
import pytest

from drivers.reels.reels import ReelsConfig
from drivers.reels.reels_wire import RAMP_BY
from firmware.hardware import field, manifest_pins, sheets, steppers
from firmware.hardware import parts as p
from firmware.hardware.blocks import CarrierBoard
from firmware.hardware.boards import BOARDS, PICO_BOARDS, circuit
from firmware.hardware.circuit import OrderNumber
from firmware.hardware.field import FieldItem, Known, Need
from firmware.hardware.firmware_times import motor_times

DOCS = Path(__file__).resolve().parents[3] / "docs"
ITEMS = [(kind, item) for kind, items in field.DEVICES.items() for item in items]
CHECKS = {p.SHEET, p.FOUND, p.CODE}


def faults(item: FieldItem) -> list[str]:
    """Why a buyer could not buy it."""
    makers = {source.maker for source in item.sources}
    found = [] if len(makers) >= 2 or item.needs else ["neither two makers nor figures"]
    if item.needs and len(item.needs) < 4:
        found.append("fewer than four figures")
    if item.needs and not item.known:
        found.append("no known product")
    numbers = (*item.sources, *(known.source for known in item.known))
    found += [f"{each.number}: checked by nothing" for each in numbers if each.checked not in CHECKS]
    found += [f"{need.what}: empty" for need in item.needs if not (need.must and need.why)]
    return found


@pytest.mark.parametrize(("kind", "item"), ITEMS, ids=lambda each: each if isinstance(each, str) else each.name[:20])
def test_everything_around_a_board_can_be_bought(kind: str, item: FieldItem) -> None:
    assert faults(item) == []
    page = (DOCS / "hardware" / f"{kind}.md").read_text(encoding="utf-8")
    for need in item.needs:
        assert f"| {need.what} | {need.must} | {need.why} |" in page


def test_what_cannot_be_bought_is_found() -> None:
    one = OrderNumber("A", "1", p.FOUND)
    needs = (Need("a", "b", "c"),) * 4
    assert faults(FieldItem("x", "1", "y", (one, OrderNumber("A", "2", p.FOUND))))
    assert faults(FieldItem("x", "1", "y", needs=needs[:3], known=(Known(one, "z"),)))
    assert faults(FieldItem("x", "1", "y", needs=needs))
    assert faults(FieldItem("x", "1", "y", needs=(*needs, Need("d", "", "e")), known=(Known(one, "z"),)))
    assert faults(FieldItem("x", "1", "y", needs=needs, known=(Known(OrderNumber("A", "1", "?"), "z"),)))


@pytest.mark.parametrize("name", PICO_BOARDS)
def test_the_wires_of_the_serial_line_have_the_colours_of_the_known_adapter(name: str) -> None:
    (known,) = field.SERIAL.known
    ends = {use: colour for colour, use in re.findall(r"(\w+) (?:is )?its (data out|data in|0 V)", known.fits)}
    board = circuit(name)
    wires = next(part for part in board.tagged("link in") if "computer or adapter" in str(part.wires)).wires
    assert {use: colour for colour, to in wires.values() for use in ends if use in to} == ends
    assert wires["1"][0] == ends["data out"], "the first is the board's data in"


def test_the_links_to_figures_lead_to_their_headings() -> None:
    for kind in field.DEVICES:
        page = (DOCS / "hardware" / f"{kind}.md").read_text(encoding="utf-8")
        headings = {
            re.sub(r"[^a-z0-9-]", "", line.lstrip("# ").lower().replace(" ", "-"))
            for line in page.splitlines()
            if line.startswith(("## ", "### "))
        }
        links = set(re.findall(r"\(#([^)]+)\)", page))
        assert links <= headings
        figures = {link for link in links if link.startswith("figures-of")}
        assert bool(figures) == any(item.needs for item in field.DEVICES[kind])


def test_the_buyers_figures_are_the_firmwares() -> None:
    times = motor_times()
    hopper = {need.what: need.must for need in field.HOPPER.needs}
    assert f"bears {times.hopper_back} ms, twice" in hopper["backwards"]
    motor = next(item for item in field.DEVICES["pusher"] if item.name.startswith("gear motor"))
    assert f"every {times.shelf_stall} ms" in {need.what: need.must for need in motor.needs}["speed"]


def test_the_steppers_torque_is_that_of_the_ramp_and_a_heavy_reel_has_a_way_that_the_service_has() -> None:
    (torque,) = (need for need in field.STEPPERS.needs if need.what == "torque")
    assert f": {2 * RAMP_BY * 2 * math.pi / ReelsConfig().steps:.0f} times the moment of inertia" in torque.must
    assert f"ramp of {RAMP_BY:,} steps/s² asks for, which cannot be set" in torque.why
    keys = dict(re.findall(r"`(\w+) = (\d+)`", torque.why))
    half = msgspec.convert(keys, ReelsConfig, strict=False)
    assert (half.steps, half.problems()) == (2 * ReelsConfig().steps, [])


def test_a_motor_runs_for_hours_below_what_its_own_fuse_holds_at_50_degrees() -> None:
    assert 0.85 * p.PTC_MOTOR.limits["hold_50"] >= field.RUNNING_AMP
    shelf = next(item for item in field.DEVICES["pusher"] if item.name.startswith("gear motor"))
    for item in (shelf, field.HOPPER):
        assert any(need.must == f"{field.RUNNING_AMP:g} A or less" and "fuse holds" in need.why for need in item.needs)


@pytest.mark.parametrize("kind", ["pusher", "table"])
def test_of_each_known_motor_it_is_stated_whether_a_fuse_ends_its_blocked_current(kind: str) -> None:
    motor = next(item for item in field.DEVICES[kind] if item.name.startswith("gear motor"))
    for known in motor.known:
        assert f"{known.blocked_amp:g} A blocked" in known.fits
        opens = kind == "pusher" and known.blocked_amp > 1.1 * p.PTC_MOTOR.limits["trip"]
        assert ("own fuse opens" in known.fits) == opens
        assert ("the firmware alone stops it" in known.fits) == (not opens)


def test_the_example_of_a_motors_limit_is_between_running_and_blocked_of_a_known_motor() -> None:
    text = (DOCS / "boards-carrier.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"`motor_most_a = ([\d.]+)` \(for a motor of ([\d.]+) A blocked\)", text)
    limit, blocked = map(float, found)
    motor = next(item for item in field.DEVICES["pusher"] if item.name.startswith("gear motor"))
    assert blocked in {known.blocked_amp for known in motor.known}
    assert 1.25 * field.RUNNING_AMP < limit < 0.8 * blocked


def test_a_fuse_opens_for_certain_where_a_motor_draws_more_than_it_opens_at() -> None:
    assert [field.fuse_opens(amp) for amp in (0.9, 1.8, 2.2, 3.1)] == [False, False, True, True]


@pytest.mark.parametrize("kind", field.DEVICES)
def test_a_supply_is_set_to_the_mains_and_joined_to_earth_before_its_first_time(kind: str) -> None:
    supply = next(item for item in field.DEVICES[kind] if item.name.startswith("power supply"))
    assert "(PE)" in supply.where
    assert "115 or 230 V" in supply.where
    assert "LRS-150-12" not in {source.number for source in supply.sources}
    board = circuit(kind)
    assert isinstance(board, CarrierBoard)
    ids = [step.id for step in sheets.steps(board)]
    assert ids.index("mains") < ids.index("supply_12")


# The drivers of the steppers


def test_the_voltage_of_a_driver_follows_its_sense_resistors() -> None:
    a4988, *_, drv8825 = steppers.CARRIERS
    assert a4988.volts(1.0) == pytest.approx(0.544)
    assert drv8825.volts(1.0) == pytest.approx(0.5)
    page = (DOCS / "hardware" / "reel.md").read_text(encoding="utf-8")
    for each in steppers.CARRIERS:
        row = next(line for line in page.splitlines() if line.startswith(f"| {each.chip}: {each.text} "))
        assert f"{steppers.SET_AMP * each.factor * each.sense_ohm:.2f} V" in row
    assert steppers.MOTOR.split()[1] in {known.source.number for known in field.STEPPERS.known}
    assert steppers.SET_AMP <= 0.8 * steppers.RATED_AMP


# The programmer's wires


def test_the_page_names_what_is_at_the_programmers_wires_beside_the_command_for_the_fuses() -> None:
    text = (DOCS / "boards-carrier.md").read_text(encoding="utf-8")
    before = text.split("hfuse:w:0xD6")[0].split("**3. The fuses.**")[1]
    assert "Take the Nano out of its socket first" in before
    for kind in BOARDS:
        at = {p.NANO_PINS[pin]: use for use, pin in manifest_pins.pins_of(kind).items() if use != "keys columns 2"}
        row = next(line for line in before.splitlines() if line.startswith(f"| {kind} "))
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        expected = [f"`{at[pin]}`" if pin in at else "–" for pin in ("D11", "D12", "D13")]
        assert cells[1:4] == expected


def test_each_command_that_writes_by_a_programmer_tells_to_unplug_its_wires() -> None:
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        for found in re.finditer(r"avrdude -c usbasp", text):
            before = text[: found.start()]
            assert "out of its socket" in before[-2500:], path
            assert "D11" in before[-2500:], path
