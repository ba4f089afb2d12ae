"""Each wire of a load bears what its fuse lets through, and every load's terminal is listed."""

from __future__ import annotations

import re

import pytest

from firmware.hardware import cables, publish
from firmware.hardware import parts as p
from firmware.hardware.blocks import CarrierBoard
from firmware.hardware.boards import BOARDS

LOADS = re.compile(r"lamp|motor of|motor: |shelf motor|hopper motor|alarm|acceptor: \+12|emergency stop")
"""What a wire of a load goes to."""


@pytest.mark.parametrize("kind", BOARDS)
def test_every_terminal_of_a_load_has_its_cross_section_on_the_page(kind: str) -> None:
    board = BOARDS[kind]()
    listed = {where for size in cables.wire_sizes(board) for where in size.where.split(", ")}
    loads = [
        f"{part.ref}.{pin}"
        for part in board.parts.values()
        if part.type.name.startswith("screw terminals")
        for pin, (_, to) in part.wires.items()
        if LOADS.search(to)
    ]
    assert len(loads) >= 5
    assert set(loads) <= listed
    assert not any("sensor" in size.what or "tilt" in size.what for size in cables.wire_sizes(board))
    page = (publish.ROOT / publish.PAGES / f"{kind}.md").read_text(encoding="utf-8")
    for size in cables.wire_sizes(board):
        assert re.search(rf"^\| {re.escape(size.where)} \| .*\| {size.mm2:g} \|$", page, re.MULTILINE)


@pytest.mark.parametrize("kind", BOARDS)
def test_a_wire_bears_what_its_slow_fuse_bears_for_ever_and_fits_its_terminal(kind: str) -> None:
    board = BOARDS[kind]()
    bears = {mm2: amp for amp, mm2 in cables.SECTIONS}
    for size in cables.wire_sizes(board):
        assert bears[size.mm2] >= 1.5 * size.fuse_amp
        assert size.mm2 <= board.parts["J1"].type.limits["mm2"]


def test_each_kind_of_load_is_behind_its_own_fuse() -> None:
    found = {size.what: (size.fuse.split(", ")[1], size.mm2) for size in cables.wire_sizes(BOARDS["pusher"]())[2:]}
    assert found["shelf motor"] == found["hopper motor"] == ("4 A slow", 0.75)
    assert found["acceptor"] == found["alarm lamp or horn"] == found["emergency stop"] == ("2 A slow", 0.5)
    reel = [size for size in cables.wire_sizes(BOARDS["reel"]()) if size.what.startswith("motor of reel")]
    assert [size.mm2 for size in reel] == [0.75] * 3


def test_a_larger_fuse_wants_a_thicker_wire_and_one_that_no_wire_bears_is_refused() -> None:
    board: CarrierBoard = BOARDS["pusher"]()
    fuse = next(part for part in board.parts.values() if part.type is p.F4A)
    fuse.type = p._fuse("6.3 A slow", 6.3, "a", ("b", "c", "d"))
    assert {size.mm2 for size in cables.wire_sizes(board) if size.what.endswith(" motor")} == {1.0}
    with pytest.raises(ValueError, match="12 A: more than any wire"):
        cables.section(12.0)


def test_the_terminals_of_all_makers_have_the_pitch_that_is_listed() -> None:
    for ways in (2, 3, 4):
        for source in p.terminal(ways).sources:
            if source.maker.startswith("On Shore"):
                # Published footprints of OSTTCxx2162 have 5.08 mm; of OSTTCxx0162 none was found that has.
                assert re.fullmatch(rf"OSTTC{ways:02}2162", source.number)
