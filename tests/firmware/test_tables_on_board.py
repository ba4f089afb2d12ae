"""Tables on boards by their files alone: the verdicts of GPIO lines, and the times of the edges themselves."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from controller.boards.emulation import emulated_copy
from controller.games.assembly import geometry_of
from controller.games.baccarat.rounds import cards_in_order
from feed import events
from feed.events import Event
from simulators.base.faults import faults_for
from simulators.board.adapter import Adapter
from tests.fakes.adapters import CH340, FTDI, QUICK_FTDI
from tests.firmware.emulated import MS
from tests.firmware.live_evening import LOOK_NS, LiveEvening, TableEvening, example, simulated, verdicts
from tests.firmware.table_on_boards import Conditions, TableOnBoards, errors_ns
from tests.firmware.table_on_pins import TableOnPins
from tests.tables.bench import configured

MONEY, ROULETTE, CARDS = "money_wheel_board", "roulette_board", "baccarat_board"
EXACT_WITHIN_NS = 20_000
REVOLUTIONS_WITHIN = 0.05
TOO_SHORT = {"bounce", "noise_burst"}
"""Faults whose pulses are shorter than an interrupt of a board: it tells of a loss where the fake kernel sees edges."""


class Both(NamedTuple):
    """One evening, at a table on boards and at its twin on the pins of a computer."""

    boards: TableOnBoards
    pins: TableOnPins


def play_both(name: str, folder: Path, faults: list[str | None], seed: int) -> Both:
    values = example(name)
    evening = simulated(values, faults, seed)
    both = Both(TableOnBoards(values, folder, evening), TableOnPins(values, evening, folder))
    for table in both:
        table.run()
    return both


def check_same_verdicts(both: Both) -> None:
    ours, theirs = verdicts(both.boards.said), verdicts(both.pins.said)
    assert [word for word, _ in ours] == [word for word, _ in theirs]
    for (_, turns), (_, expected) in zip(ours, theirs, strict=True):
        if turns is None or expected is None:
            assert turns is expected
        else:
            assert abs(turns - expected) <= REVOLUTIONS_WITHIN


def wrong_outcomes(table: LiveEvening) -> list[str]:
    """Outcomes that the truth of the round in which they were given does not support."""
    wrong = []
    given: set[int] = set()
    for event in table.said:
        if not isinstance(event.data, events.Outcome):
            continue
        number = _round_of(event, table.evening)
        truth = table.evening.truths[number]
        result = event.data.result.get("space", event.data.result.get("index"))
        if number in given or not truth.valid or result != truth.result:
            wrong.append(f"{event.data.result} in round {number + 1}: {truth.detail}")
        given.add(number)
    return wrong


def _round_of(event: Event, evening: TableEvening) -> int:
    """Which of the simulated rounds an event fell into, from 0."""
    ends = [batch.until_ns for batch in evening.batches[1:]]
    return next(number for number, end_ns in enumerate(ends) if event.data.mono_ns <= end_ns)


def lamp_of(table: TableOnBoards, board: str) -> list[tuple[float | None, int]]:
    """What the lamp "No more bets" did, which is on the first output, after the start."""
    return [(change.level, change.t_ns) for change in table.changes[board] if change.pin == "B0" and change.t_ns > MS]


# --- verdicts -------------------------------------------------------------------------------------------------------


def test_a_money_wheel_on_a_board_gives_the_verdicts_times_and_lamp_of_one_on_pins(tmp_path: Path) -> None:
    both = play_both(MONEY, tmp_path, [None, "short_spin", "wind_up"], 1)
    check_same_verdicts(both)
    assert len(verdicts(both.boards.said)) == 3
    assert both.boards.said.story() == both.pins.said.story()
    assert wrong_outcomes(both.boards) == []
    errors = errors_ns(both.boards)
    assert len(errors) > 4_000
    assert max(map(abs, errors)) < EXACT_WITHIN_NS
    called, settled = (both.boards.said.of(kind) for kind in (events.NoMoreBets, events.RoundOpened))
    lamp = lamp_of(both.boards, "wheel")
    assert [level for level, _ in lamp] == [1.0, 0.0] * 3
    for (_, lit_ns), call in zip(lamp[::2], called, strict=True):
        assert 0 < lit_ns - call.mono_ns < 2 * LOOK_NS
    for (_, dark_ns), opened in zip(lamp[1::2], settled[1:], strict=True):
        assert 0 < dark_ns - opened.mono_ns < 2 * LOOK_NS


def test_a_roulette_wheel_on_two_boards_gives_the_verdicts_of_one_on_pins(tmp_path: Path) -> None:
    both = play_both(ROULETTE, tmp_path, ["tilt"], 1)
    check_same_verdicts(both)
    assert verdicts(both.boards.said)[0][0] == "void not_level"
    assert both.boards.said.story() == both.pins.said.story()
    assert max(map(abs, errors_ns(both.boards))) < EXACT_WITHIN_NS


@pytest.mark.soak
def test_a_baccarat_table_on_a_board_gives_the_verdicts_of_one_on_pins(tmp_path: Path) -> None:
    both = play_both(CARDS, tmp_path, [None, "misread", "jam"], 1)
    check_same_verdicts(both)
    assert both.boards.said.story() == both.pins.said.story()
    given = [word.partition("-")[0] if "-" in word else word for word, _ in verdicts(both.boards.said)]
    assert given[1:3] == ["unresolved card_unread", "void shoe_jam"]
    outcomes = [cards_in_order(one.result) for one in both.boards.said.of(events.Outcome)]
    assert outcomes == [truth.result for truth in (both.boards.evening.truths[n] for n in (0,))]


def test_the_boards_are_in_the_opening_of_the_table(tmp_path: Path) -> None:
    values = example(ROULETTE)
    table = TableOnBoards(values, tmp_path, simulated(values, [], 1))
    said = table.run()
    opened = said.one(events.TableOpened)
    boards = {device["device"]: device for device in opened.devices if device["driver"] == "board"}
    assert set(boards) == {"board.wheel", "board.desk"}
    assert all(device["kind"] == "wheel" and len(device["hash"]) == 64 for device in boards.values())
    assert all(event.data.simulated for event in said), "an emulated board is not a real wire"


# --- every named fault ----------------------------------------------------------------------------------------------


def every_fault() -> list[tuple[str, str]]:
    found = []
    for name in (MONEY, ROULETTE):
        geometry = geometry_of(configured(emulated_copy(example(name), Path("/nowhere"))))
        found += [(name, fault.name) for fault in faults_for(geometry)]
    return found


@pytest.mark.soak
@pytest.mark.timeout(1_200)
@pytest.mark.parametrize(("name", "fault"), every_fault())
def test_every_named_fault_has_the_verdicts_of_pins_and_the_table_goes_on(
    tmp_path: Path, name: str, fault: str
) -> None:
    both = play_both(name, tmp_path, [fault, None], 1)
    assert wrong_outcomes(both.boards) == []
    if fault not in TOO_SHORT:
        check_same_verdicts(both)
        return
    for (ours, _), (theirs, _) in zip(verdicts(both.boards.said), verdicts(both.pins.said), strict=True):
        assert ours in (theirs, "unresolved edges_lost")


# --- times behind the chips of real boards --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("adapter", "offset_ns"),
    [
        pytest.param(CH340, 400_000, id="ch340", marks=pytest.mark.soak),
        pytest.param(QUICK_FTDI, 700_000, id="ftdi, 1 ms", marks=pytest.mark.soak),
        pytest.param(FTDI, 9_000_000, id="ftdi, 16 ms"),
    ],
)
def test_behind_a_usb_chip_intervals_are_exact_and_the_offset_is_within_its_bound(
    tmp_path: Path, adapter: Adapter, offset_ns: int
) -> None:
    """What the chip adds one way and not the other nobody can know; but it is the same for all edges of a board."""
    values = example(MONEY)
    evening = simulated(values, [None], 3)
    table = TableOnBoards(values, tmp_path, evening, Conditions(adapter, seed=5, clock_hz=16_002_000))
    table.run()
    assert wrong_outcomes(table) == []
    assert len(table.said.of(events.Outcome)) == 1
    errors = errors_ns(table)
    assert max(map(abs, errors)) <= max(table.lines["wheel"].errors_ns) < offset_ns
    spin = errors[:600]
    assert max(abs(after - before) for before, after in pairwise(spin)) < EXACT_WITHIN_NS
