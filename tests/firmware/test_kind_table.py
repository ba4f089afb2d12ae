"""The table board, its own binary on the emulated chip: the motor both ways, the keypad, the chain of lamps."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest

from hal.board.messages import (
    KINDS,
    AllSafeCommand,
    EdgesReport,
    Flag,
    LampsCommand,
    LampsReport,
    MotorCommand,
    MotorLimitCommand,
    MotorReport,
    RefusalCode,
    SetCommand,
    StateReport,
    WatchCommand,
)
from tests.firmware.kind_bench import KindBench
from tests.firmware.worlds import MOST_PIN_MA, ChainWatch, KeyMatrix, Shaft

TABLE = KINDS["table"]
MOTOR, BACK = 1, 2
TOLD, LONGEST, HOME, STALL, DEADMAN, INTERLOCK, OVERLOAD = range(7)
KEYS = {name: key for key, name in enumerate(TABLE.keys)}


@pytest.fixture
def table() -> Iterator[KindBench]:
    with KindBench("table") as bench:
        bench.run(20)
        bench.reported.clear()
        yield bench


# --- the motor --------------------------------------------------------------------------------------------------------


def test_the_motor_turns_both_ways_and_stands_between(table: KindBench) -> None:
    table.worlds.append(Shaft("motor", "shaft", period_ms=50))
    table.ask(MotorCommand(100, 0, 0))
    table.run(300)
    assert (table.output("motor") > 0, table.output("motor_back")) == (True, 0)
    assert table.refused(MotorCommand(-100, 0, 0)) == RefusalCode.BUSY
    table.ask(MotorCommand(0, 0, 0))
    assert table.refused(MotorCommand(-100, 0, 0)) == RefusalCode.BUSY, "it must rest first"
    table.run(210)
    table.ask(MotorCommand(-100, 0, 0))
    assert (table.output("motor") > 0, table.output("motor_back")) == (True, 1)
    table.run(300)
    assert table.last(MotorReport).speed == -100
    table.ask(MotorCommand(0, 0, 0))
    assert (table.output("motor"), table.output("motor_back")) == (0, 0)


def test_the_same_way_round_it_may_go_faster_at_any_time(table: KindBench) -> None:
    table.worlds.append(Shaft("motor", "shaft", period_ms=50))
    table.ask(MotorCommand(-50, 0, 0))
    slow = table.output("motor")
    table.ask(MotorCommand(-100, 0, 0))
    assert table.output("motor") > slow


def test_the_motor_stops_at_home_and_says_so(table: KindBench) -> None:
    table.worlds.append(Shaft("motor", "shaft", period_ms=40, home="home", pulses_a_turn=8))
    table.ask(MotorCommand(-60, 0, 1))
    table.output_changes("motor")
    table.run(1_000)
    report = table.last(MotorReport)
    assert (report.speed, report.why, report.turns, report.pulses) == (0, HOME, 1, 8)
    assert (table.output("motor"), table.output("motor_back")) == (0, 0)


def test_home_is_counted_and_passed_when_nobody_asked_to_stop(table: KindBench) -> None:
    table.worlds.append(Shaft("motor", "shaft", period_ms=40, home="home", pulses_a_turn=8))
    table.ask(MotorCommand(60, 0, 0))
    table.run(1_400)
    report = table.last(MotorReport)
    assert (report.speed, report.turns) == (60, 4)


def test_a_stalled_motor_is_stopped_both_ways_round(table: KindBench) -> None:
    table.ask(MotorCommand(-60, 0, 0))
    table.run(500)
    assert (table.output("motor"), table.output("motor_back")) == (0, 0)
    assert table.last(MotorReport).why == STALL
    table.run(100)
    assert table.last(StateReport).flags & Flag.FAULT
    assert table.refused(MotorCommand(-60, 0, 0)) == RefusalCode.HELD_SAFE
    assert table.output("motor_back") == 0
    table.ask(MotorCommand(0, 0, 0))
    table.ask(MotorCommand(-60, 0, 0))


@pytest.mark.parametrize("speed", [127, -127])
def test_a_motor_that_draws_too_much_is_stopped_both_ways_round(table: KindBench, speed: int) -> None:
    table.worlds.append(Shaft("motor", "shaft", period_ms=50))
    table.ask(MotorLimitCommand(72))
    table.ask(MotorCommand(speed, 0, 0))
    table.run(500)
    assert table.output("motor") == 1
    table.output_changes("motor")
    table.board.supply(TABLE.motor_current_pin, 0.1)
    began_ns = table.now_ns
    table.run(300)
    stopped = [change for change in table.output_changes("motor") if change.level == 0]
    assert 198 <= (stopped[0].t_ns - began_ns) / 1e6 <= 210
    assert table.output("motor_back") == 0
    assert table.last(MotorReport).why == OVERLOAD
    assert table.refused(MotorCommand(speed, 0, 0)) == RefusalCode.HELD_SAFE
    table.ask(MotorCommand(0, 0, 0))
    table.run(210)
    table.ask(MotorCommand(speed, 0, 0))


def test_the_motor_turns_no_longer_than_the_board_allows(table: KindBench) -> None:
    shaft = Shaft("motor", "shaft", period_ms=290)
    shaft.every_ns = 100_000_000
    table.worlds.append(shaft)
    table.ask(MotorCommand(-127, 0, 0))
    table.run(59_900)
    assert table.output("motor") > 0
    table.run(200)
    assert (table.output("motor"), table.output("motor_back")) == (0, 0)
    assert table.last(MotorReport).why == LONGEST
    assert table.refused(MotorCommand(-127, 0, 0)) == RefusalCode.HELD_SAFE


def test_the_way_round_is_the_commands_alone(table: KindBench) -> None:
    assert table.refused(SetCommand(BACK, 255, 0)) == RefusalCode.WRONG_VALUE
    table.ask(SetCommand(BACK, 0, 0))


def test_a_motor_that_was_set_can_be_set_to_0(table: KindBench) -> None:
    table.worlds.append(Shaft("motor", "shaft", period_ms=50))
    table.ask(SetCommand(MOTOR, 200, 0))
    table.run(100)
    assert table.last(MotorReport).speed == 100
    table.ask(SetCommand(MOTOR, 0, 0))
    table.run(20)
    report = table.last(MotorReport)
    assert (report.speed, report.why) == (0, TOLD)


def test_the_dead_man_stops_the_motor(table: KindBench) -> None:
    table.worlds.append(Shaft("motor", "shaft", period_ms=50))
    table.ask(MotorCommand(-60, 0, 0))
    table.talks = False
    table.run(505)
    assert (table.output("motor"), table.output("motor_back")) == (0, 0)
    assert table.last(MotorReport).why == DEADMAN


def test_bounces_of_home_are_one_turn(table: KindBench) -> None:
    table.worlds.append(Shaft("motor", "shaft", period_ms=50))
    table.ask(MotorCommand(60, 0, 0))
    for at_ms in (100, 104, 109):
        table.pulse("home", 2, at_ms)
    table.run(300)
    assert table.last(MotorReport).turns == 1


# --- the keypad -------------------------------------------------------------------------------------------------------


def keypad(bench: KindBench) -> KeyMatrix:
    world = KeyMatrix(TABLE.key_columns, TABLE.key_rows)
    bench.worlds.append(world)
    bench.ask(WatchCommand(0b11, 0b11))
    bench.run(50)
    bench.reports(EdgesReport)
    return world


def key_edges(bench: KindBench) -> list[tuple[str, int]]:
    """The edges of keys that came since the last look: which, and 1 for pressed. Both forms, see docs/wire.md."""
    found = []
    for report in bench.reports(EdgesReport):
        packed = report.packed
        for _ in range(report.count):
            level, line = packed[0] >> 7, packed[0] >> 4 & 7
            if (packed[0] & 15) << 8 | packed[1] == 4095:
                line = packed[2]
                packed = packed[7:]
            else:
                packed = packed[2:]
            if line >= TABLE.first_key_line - 1:
                found.append((TABLE.keys[line - TABLE.first_key_line + 1], level))
    return found


@pytest.mark.parametrize("name", TABLE.keys)
def test_each_key_is_its_own_line(table: KindBench, name: str) -> None:
    keys = keypad(table)
    keys.pressed = {KEYS[name]}
    table.run(60)
    assert key_edges(table) == [(name, 1)]
    keys.pressed = set()
    table.run(60)
    assert key_edges(table) == [(name, 0)]


def test_the_state_tells_which_keys_are_pressed_watched_or_not(table: KindBench) -> None:
    world = KeyMatrix(TABLE.key_columns, TABLE.key_rows)
    table.worlds.append(world)
    world.pressed = {KEYS["2"], KEYS["spare"]}
    table.run(200)
    assert table.last(StateReport).keys == 0b100000010
    table.ask(WatchCommand(1, 1))
    table.run(60)
    assert key_edges(table) == [], "they were pressed before anybody watched"
    assert table.last(StateReport).keys == 0b100000010
    world.pressed = {KEYS["spare"]}
    table.run(100)
    assert key_edges(table) == [("2", 0)]
    assert table.last(StateReport).keys == 0b100000000
    world.pressed = set()
    table.run(100)
    assert table.last(StateReport).keys == 0


def test_a_key_that_bounces_is_pressed_once(table: KindBench) -> None:
    keys = keypad(table)
    for pressed in ({4}, set(), {4}, set(), {4}):
        keys.pressed = set(pressed)
        table.run(7)
    table.run(60)
    assert key_edges(table) == [("5", 1)]


def test_a_touch_of_ten_milliseconds_is_no_key(table: KindBench) -> None:
    keys = keypad(table)
    keys.pressed = {4}
    table.run(10)
    keys.pressed = set()
    table.run(60)
    assert key_edges(table) == []


def test_two_keys_are_told_apart(table: KindBench) -> None:
    keys = keypad(table)
    keys.pressed = {KEYS["1"]}
    table.run(60)
    keys.pressed = {KEYS["1"], KEYS["6"]}
    table.run(60)
    assert key_edges(table) == [("1", 1), ("6", 1)]


@pytest.mark.parametrize(
    ("first", "second", "third"), [("1", "2", "4"), ("1", "3", "6"), ("5", "6", "spare"), ("enter", "spare", "1")]
)
def test_three_keys_of_a_rectangle_are_refused_until_they_can_be_told_apart(
    table: KindBench, first: str, second: str, third: str
) -> None:
    keys = keypad(table)
    keys.pressed = {KEYS[first], KEYS[second]}
    table.run(60)
    assert sorted(key_edges(table)) == sorted([(first, 1), (second, 1)])
    keys.pressed |= {KEYS[third]}
    table.run(200)
    assert key_edges(table) == [], "no key, and no ghost"
    keys.pressed = {KEYS[third]}
    table.run(60)
    assert sorted(key_edges(table)) == sorted([(first, 0), (second, 0), (third, 1)])


def test_three_keys_in_a_row_are_no_rectangle(table: KindBench) -> None:
    keys = keypad(table)
    keys.pressed = {KEYS["4"], KEYS["5"], KEYS["6"]}
    table.run(60)
    assert sorted(key_edges(table)) == [("4", 1), ("5", 1), ("6", 1)]


def ghosts(pressed: frozenset[int], diodes: str) -> frozenset[int]:
    """The keys that seem pressed: with diodes only in the columns, rows that keys join through a column are one."""
    width = len(TABLE.key_columns)
    if diodes == "key":
        return pressed
    seems = set(pressed)
    while True:
        more = {
            row * width + column
            for row in range(len(TABLE.key_rows))
            for column in range(width)
            if any(
                {row * width + other, beside * width + other, beside * width + column} <= seems
                for other in range(width)
                for beside in range(len(TABLE.key_rows))
            )
        }
        if more <= seems:
            return frozenset(seems)
        seems |= more


def rectangle(keys: frozenset[int]) -> bool:
    """Whether two rows have two columns in common."""
    width = len(TABLE.key_columns)
    rows = [{key % width for key in keys if key // width == row} for row in range(len(TABLE.key_rows))]
    return any(len(one & other) > 1 for at, one in enumerate(rows) for other in rows[:at])


SETS = range(512)
SOME_SETS = range(0, 512, 7)
"""Any two keys are together in some of them, and the others up."""


def test_any_two_keys_are_pressed_together_and_apart_in_the_sets_that_are_tried() -> None:
    for one, other in combinations(range(9), 2):
        seen = {((number ^ number >> 1) >> one & 1, (number ^ number >> 1) >> other & 1) for number in SOME_SETS}
        assert len(seen) == 4


@pytest.mark.parametrize(
    ("diodes", "sets"),
    [
        ("column", SOME_SETS),
        *(pytest.param(diodes, SETS, marks=pytest.mark.soak) for diodes in ("column", "key")),
    ],
)
def test_any_set_of_pressed_keys_shorts_no_output_and_moves_no_lamp_and_is_never_taken_for_others(
    table: KindBench, diodes: str, sets: range
) -> None:
    """Sets one after the other, each while lamps are lit again, as a circuit."""
    watch = ChainWatch(dict(TABLE.lamp_pins))
    table.hang(watch)
    keys = KeyMatrix(TABLE.key_columns, TABLE.key_rows, diodes)
    table.worlds.append(keys)
    table.ask(WatchCommand(1, 1))
    shown = 0
    for number in sets:
        pressed = frozenset(key for key in range(9) if (number ^ number >> 1) >> key & 1)
        keys.pressed = set(pressed)
        told = lit(*(lamp for lamp in range(1, 57) if (lamp * 7 + number) % 5 == 0))
        table.ask(LampsCommand(told))
        table.run(70)
        assert lit(*table.board.burning) == told, sorted(pressed)
        assert table.last(LampsReport) == LampsReport(told, lit(), lit()), sorted(pressed)
        state = table.last(StateReport)
        ambiguous = rectangle(ghosts(pressed, diodes))
        assert bool(state.flags & Flag.KEYS_AMBIGUOUS) == ambiguous, sorted(pressed)
        if not ambiguous:
            shown = sum(1 << key for key in pressed)
        assert state.keys == shown, sorted(pressed)
    assert keys.most_ma <= MOST_PIN_MA
    assert keys.undefined == 0, "no row is between low and high"
    assert watch.violations == []


def test_forgotten_diodes_harm_no_output_and_no_lamp(table: KindBench) -> None:
    keys = KeyMatrix(TABLE.key_columns, TABLE.key_rows, diodes="")
    table.worlds.append(keys)
    for pressed in ({0, 1}, {0, 1, 2}, {0, 1, 3, 4}, set(range(9))):
        keys.pressed = set(pressed)
        table.ask(LampsCommand(lit(3, 30, 56)))
        table.run(70)
        assert table.board.burning == {3, 30, 56}
    assert 0 < keys.most_ma <= MOST_PIN_MA


def test_no_column_floats_so_neither_do_the_clock_and_the_data_of_the_lamps(table: KindBench) -> None:
    keypad(table)
    table.changes.clear()
    table.run(50)
    columns = [change for change in table.changes if change.pin in TABLE.key_columns]
    assert len(columns) > 30
    assert all(change.level is not None for change in columns)


# --- lamps ------------------------------------------------------------------------------------------------------------


def lit(*numbers: int) -> bytes:
    return sum(1 << (number - 1) for number in numbers).to_bytes(8, "little")


@pytest.mark.parametrize("numbers", [(), (1,), (56,), (1, 2, 8, 9, 16, 17, 40, 55, 56), tuple(range(1, 57))])
def test_lamps_are_lit_and_read_back(table: KindBench, numbers: tuple[int, ...]) -> None:
    table.ask(LampsCommand(lit(*numbers)))
    table.run(30)
    assert table.board.burning == {*numbers}
    assert table.last(LampsReport) == LampsReport(lit(*numbers), lit(), lit())


def test_dead_and_stuck_lamps_are_told(table: KindBench) -> None:
    table.board.chain_faults(dead={3, 56}, stuck={1, 20})
    table.ask(LampsCommand(lit(1, 3, 10, 56)))
    table.run(30)
    assert table.last(LampsReport) == LampsReport(lit(1, 10, 20), dead=lit(3, 56), stuck=lit(20))


def test_scanning_keys_never_reaches_the_lamps(table: KindBench) -> None:
    watch = ChainWatch(dict(TABLE.lamp_pins))
    table.hang(watch)
    keys = keypad(table)
    table.ask(LampsCommand(lit(7, 30)))
    table.run(30)
    latches = watch.latches
    assert latches > 0
    for pressed in ({0, 4}, {1}, {1, 2, 5}, set()):
        keys.pressed = set(pressed)
        table.run(60)
    assert table.board.burning == {7, 30}
    assert watch.latches == latches
    assert watch.violations == []
    table.ask(LampsCommand(lit(8)))
    table.run(30)
    assert table.board.burning == {8}
    assert len(key_edges(table)) >= 4


def test_a_lamp_that_the_chain_has_not_is_refused(table: KindBench) -> None:
    assert table.refused(LampsCommand(lit(1, 57))) == RefusalCode.WRONG_VALUE
    table.run(30)
    assert table.board.burning == set()


def test_lamps_go_dark_with_everything_else(table: KindBench) -> None:
    table.ask(LampsCommand(lit(1, 2, 3)))
    table.run(30)
    table.ask(AllSafeCommand())
    table.run(30)
    assert table.board.burning == set()
    table.ask(LampsCommand(lit(5)))
    table.run(30)
    assert table.board.burning == {5}
    table.talks = False
    table.run(550)
    assert table.board.burning == set()


def test_at_the_start_all_lamps_are_put_out(table: KindBench) -> None:
    table.ask(LampsCommand(lit(*range(1, TABLE.lamps + 1))))
    table.run(30)
    table.talks = False
    table.reset()
    assert len(table.board.burning) == TABLE.lamps, "a reset of the chip is none of the chain"
    table.run(60)
    assert table.board.burning == set()
