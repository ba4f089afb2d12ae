"""Lines through libgpiod: what the contract suite cannot ask of every backend."""

from __future__ import annotations

import asyncio
import errno
import sys
from collections.abc import Iterator, Sequence
from datetime import timedelta
from types import ModuleType

import gpiod
import pytest
from gpiod.line import Bias, Clock, Direction
from gpiod.line import Edge as GpiodEdge

from hal.backends.gpiod import BUFFER_EVENTS, MAX_LATENESS_NS, GpiodLines
from hal.clock import VirtualClock
from hal.lines import LineError, LineSource, LineSpec
from hal.loop import sleep_ns
from hal.values import Edge, EdgesLost, Loss, Rare
from tests.fakes.fake_gpiod import FakeChip, FakeKernel

NOW_NS = 10_000_000_000


class Heard:
    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.rare: list[Rare] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        self.edges += edges
        self.rare += rare


class Bench:
    """A kernel, a clock, a loop and a sink."""

    def __init__(self) -> None:
        self.kernel = FakeKernel()
        self.clock = VirtualClock(NOW_NS)
        self.loop = asyncio.new_event_loop()
        self.heard = Heard()

    def lines(self, *specs: LineSpec) -> GpiodLines:
        return GpiodLines(specs, self.clock, loop=self.loop, devices=self.kernel.devices)

    def open(self, *specs: LineSpec) -> GpiodLines:
        lines = self.lines(*specs)
        lines.open(self.heard)
        self.heard.edges.clear()
        return lines

    def turn(self) -> None:
        self.loop.call_soon(self.loop.stop)
        self.loop.run_forever()


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    with bench.kernel.installed():
        yield bench
    bench.loop.close()


@pytest.fixture
def chip(bench: Bench) -> FakeChip:
    return bench.kernel.add_chip("pinctrl-rp1")


A = LineSpec("a", 17)


def test_it_is_a_line_source_that_detects_loss_with_kernel_time(bench: Bench) -> None:
    source: LineSource = bench.lines(A)
    assert (source.detects_loss, source.kernel_time, source.max_lateness_ns) == (True, True, MAX_LATENESS_NS)


def test_the_kernel_is_requested_both_edges_on_the_monotonic_clock_and_the_deepest_buffer(
    bench: Bench, chip: FakeChip
) -> None:
    lines = bench.open(LineSpec("a", 17, pull="up"), LineSpec("b", "GPIO27", pull="down", debounce_ns=2_000_000))
    a, b = chip.lines[17].settings, chip.lines[27].settings
    assert (a.direction, a.edge_detection, a.event_clock) == (Direction.INPUT, GpiodEdge.BOTH, Clock.MONOTONIC)
    assert (a.bias, b.bias) == (Bias.PULL_UP, Bias.PULL_DOWN)
    assert (a.debounce_period, b.debounce_period) == (timedelta(), timedelta(milliseconds=2))
    assert chip.lines[17].consumer == "feltwire"
    for n in range(1, BUFFER_EVENTS + 1):
        chip.drive(17, n % 2, NOW_NS + n)
    bench.turn()
    assert len(bench.heard.edges) == BUFFER_EVENTS
    assert bench.heard.rare == []
    lines.close()


def test_what_the_full_buffer_dropped_is_counted_and_reported_before_the_edge_that_shows_it(
    bench: Bench, chip: FakeChip
) -> None:
    lines = bench.open(A)
    for n in range(1, BUFFER_EVENTS + 8):
        chip.drive(17, n % 2, NOW_NS + 10 * n)
    bench.turn()
    assert bench.heard.edges[0] == Edge("a", 0, NOW_NS + 80)
    assert bench.heard.rare == [EdgesLost("a", Loss.OVERFLOW, NOW_NS + 1, 7)]
    lines.close()


def test_a_line_that_lost_nothing_is_not_blamed_for_its_neighbour(bench: Bench, chip: FakeChip) -> None:
    lines = bench.open(A, LineSpec("b", 27))
    for n in range(1, BUFFER_EVENTS + 3):
        chip.drive(17, n % 2, NOW_NS + 10 * n)
    chip.drive(27, 1, NOW_NS + 20_000)
    bench.turn()
    assert {(loss.line, loss.missing) for loss in bench.heard.rare if isinstance(loss, EdgesLost)} == {("a", 3)}
    lines.close()


def test_a_change_within_the_opening_is_delivered_once(bench: Bench, chip: FakeChip) -> None:
    def change() -> None:
        chip.on_read_values = lambda: None
        bench.clock.advance_to(NOW_NS + 50)
        chip.drive(17, 1, NOW_NS + 40)

    chip.on_read_values = change
    lines = bench.lines(A)
    lines.open(bench.heard)
    bench.turn()
    assert bench.heard.edges == [Edge("a", 1, NOW_NS)]
    assert bench.heard.rare == []
    chip.drive(17, 0, NOW_NS + 60)
    bench.turn()
    assert bench.heard.edges[1:] == [Edge("a", 0, NOW_NS + 60)]
    assert bench.heard.rare == []
    lines.close()


def test_a_chip_that_is_removed_is_reported_for_each_line_and_the_source_has_failed(
    bench: Bench, chip: FakeChip
) -> None:
    lines = bench.open(A, LineSpec("b", 27))
    said_ns = lines.delivered_until(NOW_NS)
    chip.unplug()
    bench.clock.advance_to(NOW_NS + 500)
    bench.turn()
    assert bench.heard.rare == [
        EdgesLost("a", Loss.UNPLUGGED, NOW_NS + 1),
        EdgesLost("b", Loss.UNPLUGGED, NOW_NS + 1),
    ], "what the lines were when the chip was last read is not what they were since"
    assert said_ns < NOW_NS
    assert lines.failed is not None
    assert "No such device" in str(lines.failed)
    bench.turn()
    assert len(bench.heard.rare) == 2
    assert lines.delivered_until(NOW_NS + 600) == NOW_NS + 600
    lines.close()


def test_a_chip_that_is_removed_while_being_asked_raises_nothing(bench: Bench, chip: FakeChip) -> None:
    lines = bench.open(A)
    chip.unplug()
    assert lines.delivered_until(NOW_NS) == NOW_NS
    assert [type(value) for value in bench.heard.rare] == [EdgesLost]
    lines.close()


def test_a_line_that_oscillates_neither_stops_the_loop_nor_makes_the_source_lie(
    bench: Bench, chip: FakeChip, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = bench.open(A)
    real_read = gpiod.LineRequest.read_edge_events
    t_ns = NOW_NS

    def read_while_the_line_goes_on(request: gpiod.LineRequest, most: int | None = None) -> list[gpiod.EdgeEvent]:
        nonlocal t_ns
        events = real_read(request, most)
        t_ns += 1_000_000
        chip.drive(17, 1 - chip.lines[17].level, t_ns)
        return events

    monkeypatch.setattr(gpiod.LineRequest, "read_edge_events", read_while_the_line_goes_on)
    chip.drive(17, 1, t_ns)
    bench.clock.advance_to(NOW_NS + 3_600_000_000_000)
    said_ns = lines.delivered_until(bench.clock.now_ns())
    newest_ns = bench.heard.edges[-1].t_ns
    assert len(bench.heard.edges) == 16
    assert said_ns == newest_ns - MAX_LATENESS_NS - 1
    lines.close()


def test_a_sink_may_close_the_source_that_delivers_to_it(bench: Bench, chip: FakeChip) -> None:
    class Closing(Heard):
        def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
            super().deliver(source, edges, rare)
            if len(self.edges) > 1:
                lines.close()

    closing = Closing()
    lines = bench.lines(A)
    lines.open(closing)
    chip.drive(17, 1, NOW_NS + 1)
    bench.turn()
    assert len(closing.edges) == 2
    assert not chip.lines[17].used


def test_a_signal_in_the_middle_of_a_read_loses_nothing(
    bench: Bench, chip: FakeChip, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = bench.open(A)
    chip.drive(17, 1, NOW_NS + 1)
    real_read, interrupted = gpiod.LineRequest.read_edge_events, iter([True])

    def read_once_interrupted(request: gpiod.LineRequest, most: int | None = None) -> list[gpiod.EdgeEvent]:
        if next(interrupted, False):
            raise InterruptedError(errno.EINTR, "interrupted")
        return real_read(request, most)

    monkeypatch.setattr(gpiod.LineRequest, "read_edge_events", read_once_interrupted)
    bench.turn()
    assert bench.heard.edges == [Edge("a", 1, NOW_NS + 1)]
    lines.close()


def test_levels_that_cannot_be_read_give_the_lines_back(bench: Bench, chip: FakeChip) -> None:
    chip.on_read_values = chip.unplug

    def fail() -> None:
        raise OSError(errno.EIO, "Input/output error")

    chip.on_read_values = fail
    with pytest.raises(LineError, match="levels cannot be read: Input/output error"):
        bench.lines(A).open(bench.heard)
    assert not chip.lines[17].used


def test_the_running_loop_is_used_unless_one_is_given(bench: Bench, chip: FakeChip) -> None:
    async def run() -> None:
        lines = GpiodLines([A], bench.clock, devices=bench.kernel.devices)
        lines.open(bench.heard)
        chip.drive(17, 1, NOW_NS + 5)
        while len(bench.heard.edges) < 2:
            await sleep_ns(0)
        lines.close()

    asyncio.run(run())
    assert bench.heard.edges == [Edge("a", 0, NOW_NS), Edge("a", 1, NOW_NS + 5)]


def refused(bench: Bench, *specs: LineSpec) -> str:
    with pytest.raises(LineError) as error:
        bench.lines(*specs).open(bench.heard)
    assert bench.heard.edges == []
    return str(error.value)


def test_without_the_package_the_extra_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpiod", None)
    assert "-r requirements/pi.lock" in refused(bench, A)


def test_the_unrelated_package_of_the_same_name_is_recognised(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    other = ModuleType("gpiod")
    other.__dict__["__version__"] = "1.5.4"
    monkeypatch.setitem(sys.modules, "gpiod", other)
    assert "found version 1.5.4" in refused(bench, A)


def test_the_chip_of_the_header_is_found_wherever_its_number_is(bench: Bench) -> None:
    bench.kernel.add_chip("gpio-brcmstb@107d508500", 32)
    header = bench.kernel.add_chip("pinctrl-rp1")
    bench.open(A).close()
    lines = bench.lines(LineSpec("a", 17, "pinctrl-rp1"))
    lines.open(bench.heard)
    assert header.lines[17].used
    lines.close()


def test_a_chip_that_is_not_there_is_answered_with_those_that_are(bench: Bench, chip: FakeChip) -> None:
    message = refused(bench, LineSpec("a", 17, "pinctrl-bcm2711"))
    assert "'pinctrl-bcm2711'" in message
    assert '/dev/gpiochip0 "pinctrl-rp1" with 58 lines' in message


def test_a_computer_without_chips_is_named_as_such(bench: Bench) -> None:
    assert "the chips here are: none" in refused(bench, A)


def test_two_chips_of_one_label_are_refused_with_their_paths(bench: Bench, chip: FakeChip) -> None:
    bench.kernel.add_chip("pinctrl-rp1")
    assert "found 2 (/dev/gpiochip0, /dev/gpiochip1)" in refused(bench, LineSpec("a", 17, "pinctrl-rp1"))


def test_without_permission_the_group_is_named(bench: Bench, chip: FakeChip) -> None:
    chip.openable = False
    assert "add the user to the group gpio" in refused(bench, A)


def test_a_user_whom_the_groups_allow_is_told_of_the_units_device_filter(
    bench: Bench, chip: FakeChip, monkeypatch: pytest.MonkeyPatch
) -> None:
    chip.openable = False
    monkeypatch.setattr("hal.backends.gpiod_chip.os.access", lambda path, mode: True)
    said = refused(bench, A)
    assert "add DeviceAllow=char-gpiochip rw" in said
    assert "group gpio" not in said


def test_a_line_in_use_is_answered_with_who_holds_it(bench: Bench, chip: FakeChip) -> None:
    chip.hold(8, "spi0 CS0")
    assert "line 'b' (GPIO8) is held by 'spi0 CS0'" in refused(bench, A, LineSpec("b", 8))
    assert not chip.lines[17].used


def test_a_name_that_the_chip_does_not_know_is_answered_with_near_ones(bench: Bench, chip: FakeChip) -> None:
    assert "did you mean GPIO17" in refused(bench, LineSpec("a", "GPI017"))


def test_a_number_that_the_chip_does_not_have_is_answered_with_its_range(bench: Bench, chip: FakeChip) -> None:
    assert "has lines 0 to 57, and gpio = 58" in refused(bench, LineSpec("a", 58))


def test_one_wire_under_two_names_is_refused(bench: Bench, chip: FakeChip) -> None:
    assert "line 'b': GPIO17 is the wire of line 'a'" in refused(bench, A, LineSpec("b", "GPIO17"))


def test_another_refusal_of_the_kernel_is_quoted(bench: Bench, chip: FakeChip, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> gpiod.LineRequest:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr(gpiod.Chip, "request_lines", refuse)
    assert "refused the lines a: Operation not supported" in refused(bench, A)


def test_a_chip_that_is_removed_while_it_is_opened_is_named_in_the_error(
    bench: Bench, chip: FakeChip, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_offset = gpiod.Chip.line_offset_from_id

    def go(opened: gpiod.Chip, id: str | int) -> int:
        chip.unplug()
        return real_offset(opened, id)

    monkeypatch.setattr(gpiod.Chip, "line_offset_from_id", go)
    assert "disappeared while it was being opened (No such device)" in refused(bench, LineSpec("a", "GPIO17"))


def test_a_path_that_is_no_chip_is_listed_and_passed_over(bench: Bench, chip: FakeChip) -> None:
    with pytest.raises(LineError, match=r"/dev/nothing \(cannot be opened: No such file"):
        GpiodLines(
            [LineSpec("a", 17, "other")], bench.clock, loop=bench.loop, devices=lambda: ["/dev/nothing", chip.path]
        ).open(bench.heard)
