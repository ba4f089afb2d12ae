"""Lines on gpiozero's pins: what the contract suite cannot ask of every backend."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator, Sequence

import pytest
from gpiozero import Button
from gpiozero.pins.mock import MockFactory, MockPin
from gpiozero.pins.pi import PiFactory, PiPin

from hal.backends.gpiozero import ANCHOR_EVERY_NS, MAX_LATENESS_NS, GpiozeroLines, OpaqueTicks, SecondsTicks
from hal.backends.gpiozero_factory import load_factory
from hal.clock import VirtualClock
from hal.lines import LineError, LineSource, LineSpec
from hal.loop import sleep_ns
from hal.values import Edge, EdgesLost, Loss, Rare
from tests.fakes.mock_pins import TimedFactory
from tests.fakes.pin_libraries import Board, Pi, library

A = LineSpec("a", 17)


class Heard:
    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.rare: list[Rare] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        self.edges += edges
        self.rare += rare


class Bench:
    """Mock pins, a clock, a loop and a sink."""

    def __init__(self) -> None:
        self.factory = TimedFactory()
        self.clock = VirtualClock(1_000)
        self.loop = asyncio.new_event_loop()
        self.heard = Heard()

    def lines(self, *specs: LineSpec) -> GpiozeroLines:
        return GpiozeroLines(specs, self.clock, self.factory, loop=self.loop)

    def open(self, *specs: LineSpec) -> GpiozeroLines:
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
    yield bench
    bench.factory.close()
    bench.loop.close()


def test_it_is_a_line_source_that_does_not_detect_loss(bench: Bench) -> None:
    source: LineSource = bench.lines(A)
    assert (source.detects_loss, source.kernel_time, source.max_lateness_ns) == (False, False, MAX_LATENESS_NS)


@pytest.mark.parametrize(
    ("module", "kernel"), [("lgpio", True), ("pigpio", True), ("rpigpio", False), ("native", False)]
)
def test_only_lgpio_and_pigpio_have_times_of_the_kernel_or_the_hardware(
    bench: Bench, module: str, kernel: bool
) -> None:
    theirs = type("TheirFactory", (TimedFactory,), {"__module__": f"gpiozero.pins.{module}"})
    extended = type("Extended", (theirs,), {})
    assert GpiozeroLines([A], bench.clock, extended()).kernel_time is kernel


def test_edges_from_another_thread_are_delivered_on_the_loops_own(bench: Bench) -> None:
    threads: list[str] = []

    class Watching(Heard):
        def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
            super().deliver(source, edges, rare)
            threads.append(threading.current_thread().name)

    heard = Watching()
    lines = bench.lines(A)
    lines.open(heard)

    def drive() -> None:
        for n in range(1, 1_001):
            bench.factory.drive(17, n % 2, 2_000 + n)

    thread = threading.Thread(target=drive, name="factory")
    thread.start()
    thread.join()
    assert len(heard.edges) == 1
    bench.turn()
    assert heard.edges[1:] == [Edge("a", n % 2, 2_000 + n) for n in range(1, 1_001)]
    assert set(threads) == {threading.current_thread().name}
    lines.close()


def test_edges_while_the_loop_runs_wake_it(bench: Bench) -> None:
    def drive() -> None:
        for n in range(1, 51):
            bench.factory.drive(17, n % 2, 2_000 + n)

    async def run() -> None:
        lines = GpiozeroLines([A], bench.clock, bench.factory)
        lines.open(bench.heard)
        await asyncio.to_thread(drive)
        while len(bench.heard.edges) < 51:
            await sleep_ns(0)
        lines.close()

    asyncio.run(run())
    assert bench.heard.edges[-1] == Edge("a", 0, 2_050)


@pytest.mark.long
def test_callbacks_outlive_a_garbage_collection(bench: Bench) -> None:
    lines = bench.open(A)
    gc.collect()
    bench.factory.drive(17, 1, 2_000)
    bench.turn()
    assert bench.heard.edges == [Edge("a", 1, 2_000)]
    lines.close()


def test_a_closed_loop_raises_nothing_in_the_factorys_thread(bench: Bench) -> None:
    lines = bench.open(A)
    bench.loop.close()
    bench.factory.drive(17, 1, 2_000)
    bench.factory.drive(17, 0, 3_000)
    lines.close()
    assert bench.heard.edges == []


def test_a_timeout_reported_as_level_two_is_no_edge(bench: Bench) -> None:
    lines = bench.open(A)
    bench.factory.pin(17).when_changed(0.000_002, 2)
    bench.turn()
    assert (bench.heard.edges, bench.heard.rare) == ([], [])
    lines.close()


def test_a_change_within_the_opening_is_delivered_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    pin = bench.factory.pin(17)
    real_state = type(pin)._get_state

    def change_then_read(pin: MockPin) -> bool:
        monkeypatch.setattr(type(pin), "_get_state", real_state)
        bench.clock.advance_to(1_050)
        bench.factory.drive(17, 1, 1_040)
        return bool(real_state(pin))

    monkeypatch.setattr(type(pin), "_get_state", change_then_read)
    lines = bench.lines(A)
    lines.open(bench.heard)
    bench.turn()
    assert bench.heard.edges == [Edge("a", 1, 1_000)]
    assert bench.heard.rare == []
    lines.close()


def test_pulls_are_set_on_the_pins(bench: Bench) -> None:
    lines = bench.lines(LineSpec("up", 17, pull="up"), LineSpec("down", 27, pull="down"), LineSpec("none", 22))
    lines.open(bench.heard)
    assert [bench.factory.pin(gpio).pull for gpio in (17, 27, 22)] == ["up", "down", "floating"]
    assert {edge.line: edge.level for edge in bench.heard.edges} == {"up": 1, "down": 0, "none": 0}
    lines.close()


def test_lines_can_be_named_as_the_kernel_names_them(bench: Bench) -> None:
    lines = bench.open(LineSpec("a", "GPIO17"))
    bench.factory.drive(17, 1, 2_000)
    bench.turn()
    assert bench.heard.edges == [Edge("a", 1, 2_000)]
    lines.close()


def test_a_pin_with_a_pull_of_its_own_is_refused_with_its_cause(bench: Bench) -> None:
    with pytest.raises(LineError, match=r"'sda'.*GPIO2.*PinFixedPull"):
        bench.lines(A, LineSpec("sda", 2, pull="down")).open(bench.heard)
    assert bench.heard.edges == []
    bench.open(A).close()  # The other pin was given back.


def test_one_wire_under_two_names_is_refused(bench: Bench) -> None:
    with pytest.raises(LineError, match=r"'b': GPIO17 is the wire of line 'a'"):
        bench.lines(A, LineSpec("b", "GPIO17")).open(bench.heard)
    bench.open(A).close()


def test_a_pin_that_a_device_has_is_refused(bench: Bench) -> None:
    button = Button(17, pin_factory=bench.factory)
    with pytest.raises(LineError, match=r"'a'.*GPIOPinInUse"):
        bench.lines(A).open(bench.heard)
    button.close()
    bench.open(A).close()


def test_the_factory_stays_open_for_others(bench: Bench) -> None:
    lines, others = bench.open(A), bench.open(LineSpec("b", 27))
    lines.close()
    bench.factory.drive(27, 1, 2_000)
    bench.turn()
    assert bench.heard.edges == [Edge("b", 1, 2_000)]
    others.close()


def test_seconds_are_exact_to_the_nanosecond() -> None:
    assert SecondsTicks.fits(MockFactory())
    for t_ns in (0, 1, 1_234_567_890_123_456, 26 * 86_400 * 10**9 + 7):
        assert SecondsTicks().to_ns(t_ns / 1e9) == t_ns


class MicrosecondPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
    """A pin that hands over its factory's ticks."""

    def _call_when_changed(self) -> None:
        PiPin._call_when_changed(self, self.factory.ticks(), self._state)


class MicrosecondFactory(PiFactory):  # type: ignore[misc]  # gpiozero has no types
    """Ticks as pigpio has them: whole microseconds of a clock of its own, in 32 bits."""

    def __init__(self, now_ns: Callable[[], int], offset_us: int) -> None:
        super().__init__()
        self.now_ns = now_ns
        self.offset_us = offset_us
        self.pin_class = MicrosecondPin

    def _get_revision(self) -> int:
        return 0xA02082

    def ticks(self) -> int:
        return (self.now_ns() // 1_000 + self.offset_us) % 2**32

    def ticks_diff(self, later: int, earlier: int) -> float:
        return ((later - earlier) % 2**32) / 1_000_000


@pytest.mark.parametrize("offset_us", [0, 2**32 - 5, 2**31, 123_456_789])
def test_ticks_that_start_again_become_times_that_do_not(bench: Bench, offset_us: int) -> None:
    bench.clock.advance_to(1_000_000)
    factory = MicrosecondFactory(bench.clock.now_ns, offset_us)
    lines = GpiozeroLines([A], bench.clock, factory, loop=bench.loop)
    lines.open(bench.heard)
    assert not lines.kernel_time
    expected = []
    for n in range(1, 1_200):  # Nearly three hours: the ticks start again twice.
        bench.clock.advance_to(n * 9_000_000_000)
        expected.append(Edge("a", n % 2, bench.clock.now_ns()))
        pin = factory.pin(17)
        pin.drive_high() if n % 2 else pin.drive_low()
        lines.delivered_until(bench.clock.now_ns())
    assert bench.heard.edges[1:] == expected
    lines.close()
    factory.close()


def test_a_tick_just_before_the_anchor_is_not_a_whole_period_late(bench: Bench) -> None:
    bench.clock.advance_to(5_000_000)
    ticks = OpaqueTicks(MicrosecondFactory(bench.clock.now_ns, 0), bench.clock)
    ticks.anchor()
    assert ticks.to_ns(4_990) == 4_990_000
    assert ticks.to_ns(5_010) == 5_010_000


def test_ticks_that_can_be_negative_apart_are_understood_too(bench: Bench) -> None:
    class SignedFactory(MicrosecondFactory):
        def ticks_diff(self, later: int, earlier: int) -> float:
            return (later - earlier) / 1_000_000

    bench.clock.advance_to(5_000_000)
    ticks = OpaqueTicks(SignedFactory(bench.clock.now_ns, 0), bench.clock)
    ticks.anchor()
    assert ticks.to_ns(4_990) == 4_990_000
    assert ticks.to_ns(5_010) == 5_010_000


def test_the_anchor_follows_a_clock_that_drifts(bench: Bench) -> None:
    drifting = MicrosecondFactory(lambda: bench.clock.now_ns() * 10_005 // 10_000, 0)
    ticks = OpaqueTicks(drifting, bench.clock)
    ticks.anchor()
    worst_ns = 0
    for now_ns in range(0, 20 * ANCHOR_EVERY_NS, ANCHOR_EVERY_NS // 10):
        bench.clock.advance_to(now_ns + 1_000)
        worst_ns = max(worst_ns, abs(ticks.to_ns(drifting.ticks()) - bench.clock.now_ns()))
        ticks.keep(bench.clock.now_ns())
    assert 4_000_000 < worst_ns <= 5_001_000  # 500 ppm of ten seconds.


def test_a_new_anchor_never_puts_a_later_edge_before_an_earlier_one(bench: Bench) -> None:
    fast = MicrosecondFactory(lambda: bench.clock.now_ns() * 10_005 // 10_000, 0)
    ticks = OpaqueTicks(fast, bench.clock)
    ticks.anchor()
    bench.clock.advance_to(ANCHOR_EVERY_NS + 1_000)
    before_ns = ticks.to_ns(fast.ticks())
    ticks.keep(bench.clock.now_ns())
    bench.clock.advance_to(ANCHOR_EVERY_NS + 2_000_000)
    assert ticks.to_ns(fast.ticks()) == before_ns
    bench.clock.advance_to(ANCHOR_EVERY_NS + 8_000_000)
    assert ticks.to_ns(fast.ticks()) > before_ns


def test_a_repeated_level_is_reported_though_loss_in_general_is_not(bench: Bench) -> None:
    lines = bench.open(A)
    bench.factory.glitch(17, 2_000)
    bench.turn()
    assert bench.heard.rare == [EdgesLost("a", Loss.REPEATED_LEVEL, 1_001)]
    lines.close()


# gpiozero's own factories, above libraries in memory.


@pytest.mark.parametrize(("name", "kernel"), [("lgpio", True), ("rpigpio", False)])
def test_each_library_hands_over_its_own_times(bench: Bench, name: str, kernel: bool) -> None:
    board = Board()
    with library(name, board):
        factory = load_factory(name, Pi())
        lines = GpiozeroLines([A], bench.clock, factory, loop=bench.loop)
        lines.open(bench.heard)
        assert lines.kernel_time is kernel
        board.drive(17, 1, 7_000_000_000_001)
        board.drive(17, 0, 7_000_000_123_002)
        bench.turn()
        assert bench.heard.edges[1:] == [Edge("a", 1, 7_000_000_000_001), Edge("a", 0, 7_000_000_123_002)]
        lines.close()
        factory.close()


def test_pigpio_stays_with_our_clock_over_its_wraps(bench: Bench) -> None:
    board = Board()
    with library("pigpio", board):
        factory = load_factory("pigpio", Pi())
        lines = GpiozeroLines([A], bench.clock, factory, loop=bench.loop)
        lines.open(bench.heard)
        assert lines.kernel_time
        for n in range(1, 1_500):
            bench.clock.advance_to(n * 6_000_000_000)
            board.drive(17, n % 2, bench.clock.now_ns())
            lines.delivered_until(bench.clock.now_ns())
        errors_ns = {edge.t_ns % 6_000_000_000 for edge in bench.heard.edges[2:]}
        assert errors_ns <= {0, 1_000}
        lines.close()
        factory.close()


def test_a_pin_that_lgpio_finds_busy_is_refused(bench: Bench) -> None:
    board = Board()
    with library("lgpio", board):
        factory = load_factory("lgpio", Pi())
        board.busy.add(17)
        with pytest.raises(LineError, match=r"'a'.*GPIO17.*GPIO busy"):
            GpiozeroLines([A], bench.clock, factory, loop=bench.loop).open(bench.heard)
        factory.close()


@pytest.mark.parametrize("name", ["lgpio", "pigpio", "rpigpio"])
def test_closing_takes_the_callbacks_off_the_pins(bench: Bench, name: str) -> None:
    board = Board()
    with library(name, board):
        factory = load_factory(name, Pi())
        lines = GpiozeroLines([A], bench.clock, factory, loop=bench.loop)
        lines.open(bench.heard)
        assert list(board.watchers) == [17]
        lines.close()
        assert board.watchers == {}
        factory.close()
