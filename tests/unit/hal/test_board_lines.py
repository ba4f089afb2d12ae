"""The lines of a board: when they are there, up to when they are known, and what is told of what is lost."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_mock import MockerFixture

from controller.table.decoding import Decoding
from drivers.base.driver import Observation
from drivers.dealer.buttons import ButtonPressed, Buttons
from hal.backends.board import SILENT_NS, BoardLines
from hal.backends.board_wiring import OPENING_NS, AnalogueSpec, CountedQuadrature
from hal.board import frames
from hal.board.clock import ClockMap
from hal.board.messages import (
    CountCommand,
    CountReport,
    EdgesReport,
    RefusalCode,
    Reset,
    SampleCommand,
    SampleReport,
    StateReport,
    WatchCommand,
)
from hal.clock import NS_PER_S
from hal.lines import LineError, LineSource, LineSpec
from hal.merge import Merge
from hal.values import Command, Edge, EdgesLost, Loss
from tests.fakes.board_bench import MS, BoardBench, RecordingSink, RecordingWatcher, play

TOLERANCE_NS = 20_000
"""What is promised of the times of a board's edges."""


def spec(name: str, number: int, **other: object) -> LineSpec:
    return LineSpec(name, number, board="one", **other)  # type: ignore[arg-type]


A, B, C = spec("a", 1), spec("b", 2), spec("c", 3)


class Scene:
    """Lines on the bench's board, and who hears of them."""

    def __init__(self, bench: BoardBench, *inputs: LineSpec, **other: object) -> None:
        self.bench = bench
        self.heard = RecordingSink()
        self.lines = BoardLines(inputs or (A, B, C), bench.link, bench.clock, **other)  # type: ignore[arg-type]

    async def open(self) -> None:
        """Opens the lines, and waits until they are there."""
        self.lines.open(self.heard)
        await self.are_there()
        self.heard.forget()

    async def are_there(self) -> None:
        """Waits until there are levels; the source is asked as a table does."""
        await self.bench.until(lambda: self.ask() and self.heard.edges)

    def ask(self) -> int:
        """Asks how far the lines are known."""
        return self.lines.delivered_until(self.bench.now_ns)

    async def passes(self, seconds: float) -> None:
        """Time passes, and the source is asked as a table does: every 20 ms."""
        for _ in range(round(seconds * 50)):
            await self.bench.passes(0.02)
            self.ask()

    def turn(self, count: int, gap_ns: int = 2 * MS, lines: int = 3) -> list[tuple[int, int, int]]:
        """From the next millisecond on the inputs change one after the other; returns (line, level, when)."""
        levels = [self.bench.board.levels >> line & 1 for line in range(lines)]
        changes = []
        for number in range(count):
            line = number % lines
            levels[line] ^= 1
            changes.append((line, levels[line], self.bench.now_ns + MS + number * gap_ns))
            self.bench.port.drive(*changes[-1])
        return changes

    def is_as(self, changes: list[tuple[int, int, int]]) -> None:
        """What was heard is what happened, to within the tolerance."""
        names = "abc"
        assert [(edge.line, edge.level) for edge in self.heard.edges] == [
            (names[at], level) for at, level, _ in changes
        ]
        for edge, (_, _, t_ns) in zip(self.heard.edges, changes, strict=True):
            assert abs(edge.t_ns - t_ns) <= TOLERANCE_NS


# --- the opening ----------------------------------------------------------------------------------------------------


def test_time_is_held_until_the_levels_are_known_and_then_follows_the_board() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.board.edge(1, 1, bench.now_ns)
        table = Scene(bench)
        source: LineSource = table.lines
        assert source.failed is None
        opened_ns = bench.now_ns
        table.lines.open(table.heard)
        while not bench.link.status.up:
            assert table.ask() == opened_ns - 1
            assert table.lines.trouble is None
            await bench.passes(0.001)
        while not table.heard.values:
            said_ns = table.ask()
            await bench.passes(0.001)
        assert said_ns < table.heard.edges[0].t_ns
        assert [edge[:2] for edge in table.heard.edges] == [("a", 0), ("b", 1), ("c", 0)]
        assert len({edge.t_ns for edge in table.heard.edges}) == 1
        assert opened_ns < table.heard.edges[0].t_ns <= bench.now_ns
        await table.passes(1)
        for _ in range(200):
            await bench.passes(0.003)
            assert bench.now_ns - 50 * MS < table.ask() < bench.now_ns
        assert table.heard.losses == []

    play(scene)


def test_a_boot_loader_of_two_seconds_is_waited_for() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.port.resets_on_open = 2 * NS_PER_S
        table = Scene(bench)
        table.lines.open(table.heard)
        await table.passes(4)
        assert len(table.heard.edges) == 3
        assert table.heard.losses == []

    play(scene)


def test_a_board_that_comes_during_the_opening_was_never_unplugged() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.port.pull()
        table = Scene(bench)
        table.lines.open(table.heard)
        await table.passes(2)
        bench.port.plug_in()
        await table.passes(3)
        assert len(table.heard.edges) == 3
        assert table.heard.losses == []

    play(scene)


def test_a_board_that_is_not_there_is_reported_as_unplugged_once_and_time_goes_on() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.port.pull()
        table = Scene(bench)
        opened_ns = bench.now_ns
        table.lines.open(table.heard)
        while (until_ns := table.ask()) < opened_ns:
            assert bench.now_ns < opened_ns + OPENING_NS
            await bench.passes(0.02)
        assert until_ns == bench.now_ns
        assert sorted(table.heard.unplugged) == ["a", "b", "c"]
        assert table.lines.trouble is not None
        assert "No such file" in table.lines.trouble
        await table.passes(20)
        assert table.ask() == bench.now_ns
        assert len(table.heard.values) == 3
        plugged_ns = bench.now_ns
        bench.port.plug_in()
        await table.are_there()
        assert table.lines.trouble is None
        assert all(edge.t_ns > plugged_ns for edge in table.heard.edges)
        assert table.lines.failed is None

    play(scene)


def test_a_wrong_board_is_reported_as_unplugged_with_what_is_wrong_and_is_watched_when_it_was_flashed() -> None:
    async def scene(bench: BoardBench) -> None:
        right = bench.board.identity
        values = {name: getattr(right, name) for name in right.__struct_fields__}
        bench.board.identity = type(right)(**(values | {"build": 0x99}))
        table = Scene(bench)
        table.lines.open(table.heard)
        await table.passes(10)
        assert len(table.heard.unplugged) == 3
        trouble = table.lines.trouble or ""
        assert "expected build 1A2B3C4D, found build 00000099" in trouble
        bench.board.identity = right
        await table.are_there()

    play(scene)


def test_the_inputs_and_their_resistors_are_requested() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, spec("a", 1, pull="up"), spec("b", 3), spec("c", 8, pull="up"))
        await table.open()
        assert bench.carried(WatchCommand) == [WatchCommand(0b1000_0101, 0b1000_0001)]

    play(scene)


def test_an_inverted_line_has_the_other_level() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, spec("a", 1, inverted=True), B)
        table.lines.open(table.heard)
        await table.are_there()
        bench.port.drive(0, 1, bench.now_ns + MS)
        await table.passes(0.1)
        assert [edge[:2] for edge in table.heard.edges] == [("a", 1), ("b", 0), ("a", 0)]
        assert table.heard.losses == []

    play(scene)


# --- edges ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ppm", [-400.0, 0.0, 60.0])
def test_edges_have_the_time_at_which_they_happened_whatever_the_boards_clock_does(ppm: float) -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()
        bench.board.drift(ppm + 15)  # it warms up
        changes = table.turn(1_500, 3_333_333)
        await table.passes(6)
        table.is_as(changes)

    play(scene, ppm=ppm)


def test_a_burst_that_fits_the_boards_store_arrives_whole() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()
        changes = table.turn(60, 20_000)
        await table.passes(0.2)
        table.is_as(changes)
        assert table.heard.losses == []

    play(scene)


def test_edges_on_inputs_that_no_line_has_are_not_reported() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, A)
        await table.open()
        bench.port.drive(4, 1, bench.now_ns + MS)
        await table.passes(0.1)
        assert table.heard.values == []

    play(scene)


@pytest.mark.parametrize("stopped_s", [0.5, 1.0, 3.0, 5.0])
def test_a_host_that_was_suspended_still_receives_every_edge_with_its_time(stopped_s: float) -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()
        await table.passes(1)
        changes = table.turn(60, 40 * MS)  # it goes on while the host is stopped
        bench.port.stall(round(stopped_s * NS_PER_S))
        await table.passes(3)
        table.is_as(changes)
        assert table.heard.losses == []
        assert bench.board.deadman

    play(scene)


def test_frames_that_the_wire_breaks_are_requested_again() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()
        count = 0

        def lose_every_thirtieth(data: bytes) -> bytes:
            nonlocal count
            count += 1
            return b"" if count % 30 == 0 else data

        bench.port.to_host = lose_every_thirtieth
        changes = table.turn(900, 5 * MS)
        await table.passes(6)
        table.is_as(changes)
        assert table.heard.losses == []

    play(scene)


# --- losses ---------------------------------------------------------------------------------------------------------


def test_a_number_that_no_edge_has_is_reported_for_every_line_before_the_next_edge() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()
        start_ns = bench.now_ns
        bench.port.at(start_ns + MS, lambda t_ns: bench.board.miss(0, 2, t_ns))
        bench.port.drive(1, 1, start_ns + 2 * MS)
        await table.passes(0.3)
        # And then the levels of those of which nothing was told since.
        assert [edge[:2] for edge in table.heard.edges] == [("b", 1), ("a", 0), ("c", 0)]
        assert sorted((loss.line, loss.cause, loss.missing) for loss in table.heard.losses) == [
            (line, Loss.OVERFLOW, None) for line in "abc"
        ]
        assert all(loss.t_ns < table.heard.edges[0].t_ns for loss in table.heard.losses)

    play(scene)


def plan_noise(bench: BoardBench, name: str, at_ns: int) -> None:
    """Plans what makes the board lose changes of its first input."""
    port, board = bench.port, bench.board
    if name == "masked":
        port.at(at_ns, lambda t_ns: board.mask(0, t_ns))
        port.at(at_ns + 150 * MS, lambda t_ns: board.unmask(0, t_ns))
    elif name == "missing":
        port.at(at_ns, lambda t_ns: board.miss(0, 200, t_ns))
    elif name == "silent":
        port.at(at_ns + 7 * MS, lambda t_ns: setattr(board, "frozen", True))


@pytest.mark.parametrize(("name", "presses"), [("none", 1), ("masked", 0), ("missing", 0), ("silent", 0)])
def test_the_time_in_which_changes_are_lost_is_not_time_in_which_a_button_was_held(name: str, presses: int) -> None:
    async def scene(bench: BoardBench) -> None:
        table, merge = Scene(bench), Merge()
        decoder = Decoding([Buttons(("a",), debounce_ms=10)])
        seen: list[Observation | Command] = []
        merge.add(table.lines.name, table.lines.max_lateness_ns)
        table.lines.open(merge)

        async def passes(seconds: float) -> None:
            for _ in range(round(seconds * 200)):
                await bench.passes(0.005)
                merge.until(table.lines.name, table.ask())
                if batch := merge.take():
                    seen.extend(decoder.decode(batch))

        await passes(4)
        bench.port.drive(0, 1, bench.now_ns + MS)
        plan_noise(bench, name, bench.now_ns + 2 * MS)
        await passes(2)
        assert sum(isinstance(each, ButtonPressed) for each in seen) == presses

    play(scene)


def test_a_level_that_comes_twice_because_of_a_loss_is_that_loss_and_no_other() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()
        start_ns = bench.now_ns
        bench.port.at(start_ns + MS, lambda t_ns: bench.board.miss(0, 1, t_ns))
        bench.port.drive(0, 0, start_ns + 2 * MS)
        await table.passes(0.3)
        assert [edge[:2] for edge in table.heard.edges] == [("a", 0), ("b", 0), ("c", 0)]
        assert [loss.cause for loss in table.heard.losses] == [Loss.OVERFLOW] * 3

    play(scene)


def test_where_only_one_line_is_watched_it_is_known_how_many_changes_are_missing() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, A)
        await table.open()
        bench.port.at(bench.now_ns + MS, lambda t_ns: bench.board.miss(0, 4, t_ns))
        await table.passes(0.3)
        assert [(loss.line, loss.missing) for loss in table.heard.losses] == [("a", 4)]

    play(scene)


def test_a_level_that_was_lost_on_the_way_is_found_again() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()
        bench.port.at(bench.now_ns + MS, lambda t_ns: bench.board.miss(0, 3, t_ns))
        await table.passes(0.3)
        assert [edge[:2] for edge in table.heard.edges] == [("a", 1), ("b", 0), ("c", 0)]
        assert all(loss.t_ns < table.heard.edges[0].t_ns for loss in table.heard.losses)
        table.heard.forget()
        bench.port.drive(0, 0, bench.now_ns + MS)
        await table.passes(0.3)
        assert [value[:2] for value in table.heard.values] == [("a", 0)]

    play(scene)


def test_more_edges_than_the_wire_carries_are_reported_as_lost_and_counted() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, A)
        await table.open()
        table.turn(3_000, 25_000, lines=1)  # 40,000 a second
        await table.passes(2)
        missing = sum(loss.missing or 0 for loss in table.heard.losses)
        assert missing > 0
        # After each loss the level may be told once more.
        assert 0 <= len(table.heard.edges) + missing - 3_000 <= len(table.heard.losses)

    play(scene)


# --- gone, and back -------------------------------------------------------------------------------------------------


def test_a_board_that_is_unplugged_in_mid_spin_is_reported_at_once_and_its_lines_come_back() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()
        table.turn(2_000, MS)
        for _ in range(3):
            await table.passes(0.1)
            pulled_ns = bench.now_ns
            bench.port.pull()
            await bench.passes(0.001)
            assert sorted(table.heard.unplugged) == ["a", "b", "c"]
            assert all(pulled_ns - 25 * MS < loss.t_ns < pulled_ns for loss in table.heard.losses)
            assert table.ask() == bench.now_ns
            await table.passes(1)
            assert table.ask() == bench.now_ns
            gone_ns = bench.now_ns
            table.heard.forget()
            bench.port.plug_in()
            await table.are_there()
            assert [edge.line for edge in table.heard.edges[:3]] == ["a", "b", "c"]
            assert all(edge.t_ns > gone_ns for edge in table.heard.edges)
            assert table.heard.losses == []
            assert table.ask() < bench.now_ns

    play(scene)


def test_a_clock_that_is_thought_wrong_makes_nothing_older_than_the_time_that_is_over(mocker: MockerFixture) -> None:
    async def scene(bench: BoardBench) -> None:
        level_x = AnalogueSpec("level_x", 1, zero=0.5, span=25.0)
        table = Scene(bench, A, B, analogues=[level_x])
        await table.open()
        bench.port.pull()
        await table.passes(1)
        promised_ns = table.ask()
        table.heard.forget()
        right = ClockMap.host_ns
        mocker.patch.object(ClockMap, "host_ns", lambda clock, ticks: right(clock, ticks) - 5 * NS_PER_S)
        bench.port.plug_in()
        await bench.until(lambda: table.ask() and len(table.heard.readings) > 3)
        bench.port.at(bench.now_ns, lambda t_ns: bench.board.miss(0, 2, t_ns))
        bench.port.drive(0, 1, bench.now_ns + MS)
        await bench.until(lambda: table.heard.losses)
        assert all(value.t_ns > promised_ns for value in table.heard.values)

    play(scene)


def test_a_reset_in_mid_spin_unplugs_the_lines_with_its_cause() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()
        table.turn(1_000, MS)
        await table.passes(0.1)
        bench.port.at(bench.now_ns, lambda t_ns: bench.board.reset(t_ns, Reset.WATCHDOG))
        await bench.until(lambda: table.heard.unplugged)
        assert "watchdog" in (table.lines.trouble or "")
        table.heard.forget()
        await table.are_there()
        assert table.lines.trouble is None
        assert len(bench.carried(WatchCommand)) == 2

    play(scene)


def test_a_board_that_falls_silent_holds_the_tables_time_for_no_longer_than_its_time_out() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        merge = Merge()
        merge.add(table.lines.name, table.lines.max_lateness_ns, table.lines.lines)
        merge.add("other")
        await table.open()
        await table.passes(0.5)
        bench.board.frozen = True
        longest_ns = 0
        for _ in range(400):
            await bench.passes(0.01)
            merge.until("other", bench.now_ns)
            merge.until(table.lines.name, table.ask())
            merge.take()
            longest_ns = max(longest_ns, bench.now_ns - merge.watermark_ns)
        assert longest_ns < SILENT_NS
        assert sorted(table.heard.unplugged) == ["a", "b", "c"]

    play(scene)


def test_a_board_that_answers_and_reports_nothing_is_not_believed_for_long() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()
        reports = (StateReport.id, EdgesReport.id)
        bench.port.to_host = lambda data: b"" if _message_id(data) in reports else data
        silent_ns = bench.now_ns
        while not table.heard.unplugged:
            await table.passes(0.02)
        assert bench.now_ns - silent_ns < SILENT_NS + 100 * MS
        assert "has reported no edges" in (table.lines.trouble or "")
        bench.port.to_host = lambda data: data
        await table.are_there()

    play(scene)


def test_a_report_that_cannot_be_read_ends_the_session() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()
        for nonsense in (EdgesReport(3, 0, 2, b"\x01"), SampleReport(0, 0, 3, b"\x01")):
            table.heard.forget()
            bench.port.at(bench.now_ns, lambda t_ns, said=nonsense: bench.board.say(said, t_ns))  # type: ignore[misc]
            await bench.until(lambda: table.heard.unplugged)
            assert "cannot be decoded" in (table.lines.trouble or "")
            await table.are_there()

    play(scene)


def test_a_board_that_refuses_to_watch_is_reported() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.board.refuse[WatchCommand] = RefusalCode.WRONG_VALUE
        table = Scene(bench)
        table.lines.open(table.heard)
        await table.passes(OPENING_NS / NS_PER_S + 0.1)
        assert len(table.heard.unplugged) == 3
        assert "refuses watch: wrong_value" in (table.lines.trouble or "")
        del bench.board.refuse[WatchCommand]
        await table.are_there()

    play(scene)


def test_a_report_from_a_time_to_come_unplugs_the_lines_at_once_and_holds_nothing_back() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, A)
        await table.open()
        now_ns, in_a_minute = bench.now_ns, bench.board.ticks_at(bench.now_ns) + 120_000_000
        table.lines.reported(StateReport(in_a_minute & 0xFFFFFFFF, 1, 0, 0, 0, 0, 0, 0), now_ns)
        assert [(loss.line, loss.cause) for loss in table.heard.losses] == [("a", Loss.UNPLUGGED)]
        assert table.heard.losses[0].t_ns <= bench.now_ns
        assert "a time in the future" in (table.lines.trouble or "")
        await table.are_there()
        table.heard.forget()
        changes = table.turn(4, lines=1)
        await table.passes(0.5)
        table.is_as(changes)

    play(scene)


# --- analogue channels, keys, counting --------------------------------------------------------------------------------


def test_samples_become_readings_in_the_unit_of_their_line() -> None:
    async def scene(bench: BoardBench) -> None:
        level_x = AnalogueSpec("level_x", 1, zero=0.5, span=25.0)
        level_y = AnalogueSpec("level_y", 3, zero=2.5 / 5, span=-5.0 * 5)
        table = Scene(bench, A, analogues=[level_x, level_y], sample_ms=40)
        assert table.lines.lines == {"a", "level_x", "level_y"}
        bench.board.analogue = [512, 0, 1023, 0]
        await table.open()
        began_ns = bench.now_ns
        await table.passes(1)
        assert bench.carried(SampleCommand) == [SampleCommand(0b101, 40)]
        assert len(table.heard.readings) in range(48, 53)
        x, y = table.heard.readings[-2:]
        assert (x.line, y.line, x.t_ns) == ("level_x", "level_y", y.t_ns)
        assert (x.value, y.value) == pytest.approx((25 * (512 / 1023 - 0.5), -12.5))
        assert all(began_ns - 50 * MS < reading.t_ns <= bench.now_ns for reading in table.heard.readings)
        bench.port.pull()
        await table.passes(0.1)
        assert sorted(table.heard.unplugged) == ["a", "level_x", "level_y"]

    play(scene)


def test_a_board_may_have_analogue_lines_only() -> None:
    async def scene(bench: BoardBench) -> None:
        lines = BoardLines([], bench.link, bench.clock, analogues=[AnalogueSpec("level_x", 1, 0.5, 25.0)])
        heard = RecordingSink()
        lines.open(heard)
        await bench.until(lambda: heard.readings)
        for _ in range(100):
            await bench.passes(0.02)
            assert bench.now_ns - lines.delivered_until(bench.now_ns) < OPENING_NS
        assert bench.now_ns - lines.delivered_until(bench.now_ns) < 150 * MS
        assert heard.losses == []

    play(scene)


def test_keys_are_up_until_the_board_reports_them() -> None:
    async def scene(bench: BoardBench) -> None:
        lines = BoardLines([spec("key_1", 9), spec("key_enter", 15)], bench.link, bench.clock)
        heard = RecordingSink()
        lines.open(heard)
        await bench.until(lambda: heard.edges)
        bench.port.drive(14, 1, bench.now_ns + MS)
        bench.port.drive(14, 0, bench.now_ns + 80 * MS)
        await bench.passes(0.2)
        assert [edge[:2] for edge in heard.edges] == [
            ("key_1", 0),
            ("key_enter", 0),
            ("key_enter", 1),
            ("key_enter", 0),
        ]
        assert heard.losses == []

    play(scene, kind="table")


def test_a_key_that_is_pressed_already_is_found_so() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.board.edge(14, 1, bench.now_ns)
        table = Scene(bench, spec("shaft", 1), spec("key_1", 9), spec("key_enter", 15))
        table.lines.open(table.heard)
        await bench.until(lambda: table.ask() and len(table.heard.edges) == 3)
        assert [edge[:2] for edge in table.heard.edges] == [("shaft", 0), ("key_1", 0), ("key_enter", 1)]
        assert table.heard.losses == []

    play(scene, kind="table")


def test_a_key_whose_release_the_board_has_lost_is_up_again_with_the_next_state() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, spec("shaft", 1), spec("key_enter", 15))
        table.lines.open(table.heard)
        await bench.until(lambda: table.ask() and len(table.heard.edges) == 2)
        bench.port.drive(14, 1, bench.now_ns + MS)
        await table.passes(0.1)
        table.heard.forget()

        def release(t_ns: int) -> None:
            assert bench.board.edges is not None
            bench.board.keys = 0
            bench.board.edges.lose(1)

        bench.port.at(bench.now_ns + MS, release)
        await table.passes(0.2)
        assert [(loss.line, loss.cause) for loss in table.heard.losses] == [
            ("shaft", Loss.OVERFLOW),
            ("key_enter", Loss.OVERFLOW),
        ]
        assert ("key_enter", 0) in [edge[:2] for edge in table.heard.edges]

    play(scene, kind="table")


@pytest.mark.parametrize("ahead_ms", [100, 60_000, 1_000_000])
def test_a_sample_of_a_time_that_is_yet_to_come_is_not_dated_so(ahead_ms: int) -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, A, analogues=[AnalogueSpec("level_x", 1, 0.5, 25.0)], sample_ms=1000)
        await table.open()
        await table.passes(0.3)
        table.heard.forget()
        ticks = bench.board.ticks_at(bench.now_ns + ahead_ms * MS)
        table.lines.reported(SampleReport(7, ticks & 0xFFFFFFFF, 1, b"\0\2"), bench.now_ns)
        assert all(reading.t_ns <= bench.now_ns for reading in table.heard.readings)
        assert len(table.heard.readings) == (ahead_ms == 100)
        assert ("a time in the future" in (table.lines.trouble or "")) == (ahead_ms > 100)

    play(scene)


def test_a_quadrature_is_counted_by_the_board() -> None:
    async def scene(bench: BoardBench) -> None:
        table = Scene(bench, A, B, C, quadrature=CountedQuadrature("a", "b", "c"))
        await table.open()
        assert table.lines.counted is None
        assert bench.carried(CountCommand) == [CountCommand(1, 2, 3)]
        counted = CountReport(0, 17, 16, 1, 0)
        bench.port.at(bench.now_ns, lambda t_ns: bench.board.say(counted, t_ns))
        await table.passes(0.1)
        assert table.lines.counted == counted

    play(scene)


# --- opened and closed ----------------------------------------------------------------------------------------------


def test_a_closed_source_lets_the_board_watch_nothing() -> None:
    async def scene(bench: BoardBench) -> None:
        other = RecordingWatcher()
        bench.link.open(other)
        table = Scene(bench, A, analogues=[AnalogueSpec("level_x", 1, 0.5, 25.0)])
        await table.open()
        table.lines.close()
        table.lines.close()
        await bench.passes(0.1)
        assert bench.board.watched == 0
        assert bench.carried(SampleCommand)[-1] == SampleCommand(0, 0)
        assert table.ask() == bench.now_ns
        await table.open()  # the link was up all the time
        assert bench.board.watched == 1
        changes = [(0, 1, bench.now_ns + MS)]
        bench.port.drive(*changes[0])
        await table.passes(0.1)
        assert [edge.level for edge in table.heard.edges] == [1]

    play(scene)


def test_a_board_is_read_by_one_source_only() -> None:
    async def scene(bench: BoardBench) -> None:
        table, other = Scene(bench), Scene(bench, spec("mine", 4))
        await table.open()
        with pytest.raises(LineError, match=r"'mine'.*is read by source 'board:one' already"):
            other.lines.open(other.heard)
        with pytest.raises(LineError, match="open already"):
            table.lines.open(table.heard)

    play(scene)


UP = AnalogueSpec("level_x", 1, 0.5, 25.0)


@pytest.mark.parametrize(
    ("inputs", "other", "said"),
    [
        ([spec("a", 9)], {}, "'a': board 'one' has no input 9; a board of kind 'wheel' has inputs 1 to 8"),
        ([spec("a", 0)], {}, "has no input 0"),
        ([LineSpec("a", "GPIO17", board="one")], {}, "has no input GPIO17"),
        ([LineSpec("a", 1)], {}, "'a': expected a terminal of board 'one', got a pin of this computer"),
        ([LineSpec("a", 1, board="two")], {}, "'a': expected a terminal of board 'one', got a terminal of board 'two'"),
        ([A, LineSpec("b", 2, board="two")], {}, "'b': expected a terminal of board 'one'"),
        ([A, spec("b", 1)], {}, "'b': input 1 is already the wire of line 'a'"),
        ([A, spec("a", 2)], {}, "'a': it is given twice"),
        ([spec("a", 1, pull="down")], {}, "'a': a board has no pull-down"),
        ([spec("a", 1, debounce_ns=5)], {}, "'a': a board debounces nothing"),
        ([], {}, "expected at least one line"),
        ([A], {"analogues": [UP._replace(channel=5)]}, "'level_x': a board of kind 'wheel' has no analogue channel 5"),
        ([A], {"analogues": [UP, UP._replace(name="y")]}, "'y': analogue channel 1 is already the wire of line"),
        ([A], {"analogues": [UP._replace(name="a")]}, "'a': it is given twice"),
        ([A, B], {"quadrature": CountedQuadrature("a", "far")}, "'far': it is to be counted"),
    ],
)
def test_lines_that_cannot_be_are_refused_by_name(inputs: list[LineSpec], other: dict[str, object], said: str) -> None:
    async def scene(bench: BoardBench) -> None:
        with pytest.raises(LineError) as raised:
            BoardLines(inputs, bench.link, bench.clock, **other)  # type: ignore[arg-type]
        assert said in str(raised.value)

    play(scene)


# --- whatever the wire does -------------------------------------------------------------------------------------------


def _message_id(data: bytes) -> int:
    return frames.decode(data[:-1]).id


def check_promises(seed: int, share_lost: float, count: int) -> None:
    """Random edges over a wire that loses frames both ways: nothing comes twice, late, untold or out of time."""
    rng = Random(seed)

    async def scene(bench: BoardBench) -> None:
        table = Scene(bench)
        await table.open()

        def lose(data: bytes) -> bytes:
            return b"" if rng.random() < share_lost else data

        bench.port.to_host = bench.port.to_board = lose
        t_ns, levels, truth = bench.now_ns, [0, 0, 0], []
        for _ in range(count):
            t_ns += rng.choice((20_000, 300_000, 5 * MS, 70 * MS))
            line = rng.randrange(3)
            levels[line] ^= 1
            truth.append(("abc"[line], levels[line], t_ns))
            bench.port.drive(line, levels[line], t_ns)
        said_ns, seen = table.ask(), 0
        while bench.now_ns < t_ns + NS_PER_S:
            if rng.random() < 0.01:
                bench.port.stall(rng.randrange(2 * NS_PER_S))
            await bench.passes(rng.random() / 20)
            before_ns, said_ns = said_ns, table.ask()
            fresh = table.heard.values[seen:]
            seen = len(table.heard.values)
            assert said_ns >= before_ns
            assert all(value.t_ns > before_ns for value in fresh)
        bench.port.to_host = bench.port.to_board = lambda data: data
        await table.passes(3)
        check_told(table.heard, truth)

    play(scene)


def check_told(heard: RecordingSink, truth: list[tuple[str, int, int]]) -> None:
    """Between losses, what was heard is what happened."""
    times = [value.t_ns for value in heard.edges]
    assert times == sorted(times)
    if not heard.losses:
        assert [(edge.line, edge.level) for edge in heard.edges] == [change[:2] for change in truth]
        assert all(abs(edge.t_ns - t_ns) <= TOLERANCE_NS for edge, (_, _, t_ns) in zip(heard.edges, truth, strict=True))
        return
    values: list[Edge | EdgesLost] = [*heard.edges, *heard.losses]
    for line in "abc":
        told = [value for value in values if value.line == line]
        told.sort(key=lambda value: (value.t_ns, isinstance(value, EdgesLost)))
        doubtful, level = False, 0
        for value in told:
            if isinstance(value, EdgesLost):
                doubtful = True
            else:
                assert doubtful or value.level != level
                doubtful, level = False, value.level
        assert told
        if isinstance(told[-1], Edge):
            assert told[-1].level == next((change[1] for change in reversed(truth) if change[0] == line), 0)


@given(seed=st.integers(0, 1 << 32))
@settings(max_examples=6)
def test_over_a_wire_that_loses_frames_every_edge_comes_once_or_is_reported_as_lost(seed: int) -> None:
    check_promises(seed, 0.01, 150)


@pytest.mark.soak
@given(seed=st.integers(0, 1 << 32), share_lost=st.sampled_from([0.0, 0.003, 0.01, 0.03, 0.1]))
@settings(max_examples=600)
def test_over_all_kinds_of_wires_every_edge_comes_once_or_is_reported_as_lost(seed: int, share_lost: float) -> None:
    check_promises(seed, share_lost, 400)
