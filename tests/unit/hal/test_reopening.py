"""Lines that are opened again once their chip is back: what is delivered, when it is tried, and what is refused."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from gpiozero.pins import Factory

from hal.backends import gpiozero_factory
from hal.backends.gpiod import GpiodLines
from hal.backends.gpiozero import PROBE_NS, GpiozeroLines
from hal.backends.gpiozero_factory import SharedFactory, close_broken, load_factory
from hal.backends.reopening import RETRY_FIRST_NS, RETRY_LONGEST_NS, ReopeningLines
from hal.clock import NS_PER_S, VirtualClock
from hal.lines import LineError, LineSource, LineSpec
from hal.merge import Merge
from hal.outputs import Outputs, OutputSpec
from hal.outputs_gpiod import GpiodOutputs
from hal.outputs_gpiozero import GpiozeroOutputs
from hal.values import Batch, Edge, EdgesLost, Loss, Rare
from tests.fakes.fake_gpiod import FakeKernel
from tests.fakes.mock_pins import TimedFactory
from tests.fakes.pin_libraries import Board, library

A, B = LineSpec("a", 17), LineSpec("b", 18)
START_NS = 10 * NS_PER_S
TICK_NS = NS_PER_S // 50


class Tries:
    """Counts when a source was opened."""

    def __init__(self, source: LineSource, clock: VirtualClock) -> None:
        self.at_ns: list[int] = []
        opens = source.open

        def counted(sink: object) -> None:
            self.at_ns.append(clock.now_ns())
            opens(sink)  # type: ignore[arg-type]

        source.open = counted  # type: ignore[method-assign]


class Bench:
    """A kernel, a clock, a loop, and lines that are merged as a table does."""

    def __init__(self) -> None:
        self.kernel = FakeKernel()
        self.clock = VirtualClock(START_NS)
        self.loop = asyncio.new_event_loop()
        self.merge = Merge()
        self.batches: list[Batch] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        self.merge.deliver(source, edges, rare)

    def open(self, source: LineSource) -> ReopeningLines:
        lines = ReopeningLines(source, self.clock)
        self.merge.add(lines.name, lines.max_lateness_ns, lines.lines)
        lines.open(self)
        return lines

    def run(self, lines: ReopeningLines, for_ns: int, each: Callable[[], None] = lambda: None) -> None:
        """Ticks, as a table does; no batch may be late or out of order."""
        end_ns = self.clock.now_ns() + for_ns
        while self.clock.now_ns() < end_ns:
            self.clock.advance_to(self.clock.now_ns() + TICK_NS)
            self.loop.call_soon(self.loop.stop)
            self.loop.run_forever()
            each()
            self.merge.until(lines.name, lines.delivered_until(self.clock.now_ns()))
            batch = self.merge.take()
            if batch is not None:
                self.batches.append(batch)

    @property
    def edges(self) -> list[Edge]:
        return [edge for batch in self.batches for edge in batch.edges]

    @property
    def rare(self) -> list[Rare]:
        return [value for batch in self.batches for value in batch.rare]


@pytest.fixture
def bench() -> Iterator[Bench]:
    bench = Bench()
    with bench.kernel.installed():
        yield bench
    bench.loop.close()


def gpiod(bench: Bench, *specs: LineSpec) -> GpiodLines:
    return GpiodLines(specs, bench.clock, loop=bench.loop, devices=bench.kernel.devices)


def test_a_chip_that_comes_back_is_opened_again_and_its_levels_are_read_anew(bench: Bench) -> None:
    chip = bench.kernel.add_chip()
    lines = bench.open(gpiod(bench, A, B))
    bench.run(lines, NS_PER_S)
    gone_ns = bench.clock.now_ns()
    chip.unplug()
    bench.run(lines, 3 * NS_PER_S)
    assert (lines.failed, lines.down is None) == (None, False)
    again = bench.kernel.plug_in_again(chip)
    again.drive(17, 1, bench.clock.now_ns())
    back_ns = bench.clock.now_ns()
    bench.run(lines, RETRY_LONGEST_NS)
    assert lines.down is None
    again.drive(18, 1, bench.clock.now_ns() + 1)
    driven_ns = bench.clock.now_ns() + 1
    bench.run(lines, NS_PER_S)

    lost = [value for value in bench.rare if isinstance(value, EdgesLost)]
    assert [(one.line, one.cause) for one in lost] == [("a", Loss.UNPLUGGED), ("b", Loss.UNPLUGGED)], "once each"
    assert all(gone_ns - lines.max_lateness_ns - TICK_NS <= one.t_ns <= gone_ns for one in lost)
    later = [edge for edge in bench.edges if edge.t_ns > gone_ns]
    assert [(edge.line, edge.level) for edge in later] == [("a", 1), ("b", 0), ("b", 1)]
    assert later[0].t_ns == later[1].t_ns > back_ns, "found when it was opened, not when it changed unseen"
    assert later[2].t_ns == driven_ns


def test_time_goes_on_while_a_chip_is_gone(bench: Bench) -> None:
    chip = bench.kernel.add_chip()
    lines = bench.open(gpiod(bench, A))
    chip.unplug()
    bench.run(lines, 20 * NS_PER_S)
    assert bench.batches[-1].until_ns >= bench.clock.now_ns() - TICK_NS


def test_tries_are_further_and_further_apart(bench: Bench) -> None:
    chip = bench.kernel.add_chip()
    source = gpiod(bench, A)
    tries = Tries(source, bench.clock)
    lines = bench.open(source)
    bench.run(lines, NS_PER_S)
    chip.unplug()
    bench.run(lines, 60 * NS_PER_S)
    gaps = [after - before for before, after in zip(tries.at_ns[1:], tries.at_ns[2:], strict=False)]
    assert gaps[0] >= 2 * RETRY_FIRST_NS
    assert gaps == sorted(gaps)
    assert all(gap <= RETRY_LONGEST_NS + TICK_NS for gap in gaps)
    assert len(tries.at_ns) < 20, "a minute without a chip is a handful of tries"


def test_a_chip_that_goes_again_is_tried_soon(bench: Bench) -> None:
    chip = bench.kernel.add_chip()
    source = gpiod(bench, A)
    lines = bench.open(source)
    chip.unplug()
    bench.run(lines, 20 * NS_PER_S)
    chip = bench.kernel.plug_in_again(chip)
    bench.run(lines, 6 * NS_PER_S)
    assert lines.down is None
    chip.unplug()
    bench.run(lines, TICK_NS)
    bench.kernel.plug_in_again(chip)
    bench.run(lines, RETRY_FIRST_NS + 2 * TICK_NS)
    assert lines.down is None


@pytest.mark.parametrize(
    ("label", "names", "expected"),
    [
        ("pinctrl-rp1", None, "not found; plug it in again (the chips here are: "),
        (None, [f"GPIO{offset}" for offset in range(40)], "40 lines"),
        (None, [f"LINE{offset}" for offset in range(58)], "17 'LINE17'"),
    ],
    ids=["label", "number of lines", "names"],
)
def test_another_chip_in_its_place_is_not_opened(
    bench: Bench, label: str | None, names: list[str | None] | None, expected: str
) -> None:
    chip = bench.kernel.add_chip()
    lines = bench.open(gpiod(bench, A))
    chip.unplug()
    bench.run(lines, NS_PER_S)
    other = bench.kernel.plug_in_again(chip, label, names)
    bench.run(lines, 20 * NS_PER_S)
    assert lines.down is not None
    assert expected in lines.down
    assert not other.lines[17].used
    bench.kernel.plug_in_again(chip)
    bench.run(lines, 6 * NS_PER_S)
    assert lines.down is None, "the right one is taken whenever it comes"


def test_a_closed_source_is_not_opened_again(bench: Bench) -> None:
    chip = bench.kernel.add_chip()
    lines = bench.open(gpiod(bench, A))
    chip.unplug()
    bench.run(lines, NS_PER_S)
    lines.close()
    again = bench.kernel.plug_in_again(chip)
    bench.run(lines, 20 * NS_PER_S)
    assert not again.lines[17].used


# --- gpiozero ---------------------------------------------------------------------------------------------------


class Pins(TimedFactory):
    """Mock pins whose chip can go: reading, writing and claiming then fail, as with lgpio."""

    def __init__(self) -> None:
        super().__init__()
        self.gone = False
        outer = self

        class Pin(self.pin_class):  # type: ignore[misc, name-defined]
            def _get_state(self) -> int:
                outer.check()
                return int(super()._get_state())

            def _set_state(self, value: float) -> None:
                outer.check()
                super()._set_state(value)

        self.pin_class = Pin

    def check(self) -> None:
        if self.gone:
            raise OSError("No such device")


class Loader:
    """Loads factories; while there is no chip it refuses."""

    def __init__(self) -> None:
        self.made: list[Pins] = []
        self.there = True

    def __call__(self, name: str) -> Factory:
        if not self.there:
            raise LineError("no chip")
        self.made.append(Pins())
        return self.made[-1]


def test_a_factory_whose_chip_goes_is_found_out_and_replaced_for_all_its_users(bench: Bench) -> None:
    loader = Loader()
    shared = SharedFactory("lgpio", loader)
    factory = shared.current()
    one = bench.open(GpiozeroLines([A], bench.clock, factory, name="one", loop=bench.loop, shared=shared))
    two_source = GpiozeroLines([B], bench.clock, factory, name="two", loop=bench.loop, shared=shared)
    two = bench.open(two_source)

    def tick_two() -> None:
        bench.merge.until("two", two.delivered_until(bench.clock.now_ns()))

    bench.run(one, NS_PER_S, tick_two)
    loader.made[0].gone = True
    loader.there = False
    gone_ns = bench.clock.now_ns()
    bench.run(one, PROBE_NS + NS_PER_S, tick_two)
    lost = {value.line: value.t_ns for value in bench.rare if isinstance(value, EdgesLost)}
    assert set(lost) == {"a", "b"}
    assert all(t_ns <= gone_ns + PROBE_NS + 2 * TICK_NS for t_ns in lost.values())
    loader.there = True
    bench.run(one, 6 * NS_PER_S, tick_two)
    assert (one.down, two.down, len(loader.made)) == (None, None, 2)
    bench.clock.advance_to(bench.clock.now_ns() + 1)
    loader.made[1].drive(18, 1, bench.clock.now_ns())
    bench.run(one, NS_PER_S, tick_two)
    assert bench.edges[-1][:2] == ("b", 1)


def test_a_table_whose_pin_is_in_use_does_not_take_the_factory_from_the_others(bench: Bench) -> None:
    loader = Loader()
    shared = SharedFactory("lgpio", loader)
    factory = shared.current()
    one = bench.open(GpiozeroLines([A], bench.clock, factory, name="one", loop=bench.loop, shared=shared))
    two_source = GpiozeroLines([B], bench.clock, factory, name="two", loop=bench.loop, shared=shared)
    two = bench.open(two_source)

    def tick_two() -> None:
        bench.merge.until("two", two.delivered_until(bench.clock.now_ns()))

    bench.run(one, NS_PER_S, tick_two)
    loader.made[0].gone = True
    loader.there = False
    bench.run(one, PROBE_NS + NS_PER_S, tick_two)
    loader.there = True
    somebody = GpiozeroLines([A], bench.clock, shared.current(), name="somebody", loop=bench.loop)
    shared.current().reserve_pins(somebody, 17)
    bench.run(one, 30 * NS_PER_S, tick_two)
    assert one.down is not None
    assert "in use" in one.down
    assert (two.down, len(loader.made)) == (None, 2), "tried often, and replaced once"
    shared.current().release_all(somebody)
    bench.run(one, 30 * NS_PER_S, tick_two)
    assert one.down is None
    assert (two.down, len(loader.made)) == (None, 2)


# --- outputs ----------------------------------------------------------------------------------------------------

LAMP = OutputSpec("lamp", 22)
DARK = OutputSpec("dark", 23)
START = OutputSpec("start", 24, "signal")


def outputs_on(bench: Bench) -> Outputs:
    specs = [LAMP, DARK, START]
    outputs = Outputs(specs, GpiodOutputs(specs, devices=bench.kernel.devices), bench.clock, loop=bench.loop)
    outputs.open()
    return outputs


def test_outputs_are_claimed_again_and_safe_when_their_chip_is_back_and_a_lamp_is_lit_again(bench: Bench) -> None:
    chip = bench.kernel.add_chip()
    outputs = outputs_on(bench)
    outputs.show("lamp", 1)
    outputs.show("start", 1)
    chip.unplug()
    again = bench.kernel.plug_in_again(chip)
    for gpio in (22, 23, 24):
        again.lines[gpio].level = 1
    outputs.reclaim()
    assert [again.lines[gpio].level for gpio in (22, 23, 24)] == [1, 0, 0], "what a signal starts is not started again"
    assert (again.lines[22].used, outputs.refusals) == (True, {})
    outputs.show("start", 1)
    assert again.lines[24].level == 1
    outputs.close()


def test_outputs_stay_lit_when_another_chip_is_back(bench: Bench) -> None:
    chip = bench.kernel.add_chip()
    other = bench.kernel.add_chip(label="expander", lines=8)
    outputs = outputs_on(bench)
    outputs.show("lamp", 1)
    other.unplug()
    bench.kernel.plug_in_again(other)
    outputs.reclaim()
    assert (chip.lines[22].level, outputs.faults) == (1, {})
    outputs.close()


def test_an_output_that_could_not_be_written_stays_refused_until_it_is_cleared_on_a_chip_that_is_back(
    bench: Bench,
) -> None:
    chip = bench.kernel.add_chip()
    outputs = outputs_on(bench)
    chip.unplug()
    with pytest.raises(LineError, match="cannot be written"):
        outputs.show("lamp", 1)
    outputs.clear()
    assert "not found" in outputs.refusals["lamp"], "the chip is still gone"
    again = bench.kernel.plug_in_again(chip)
    with pytest.raises(LineError, match="held safe"):
        outputs.show("lamp", 1)
    outputs.clear()
    outputs.show("lamp", 1)
    assert (again.lines[22].level, outputs.refusals) == (1, {})
    outputs.close()


def test_outputs_of_another_chip_in_its_place_are_not_claimed(bench: Bench) -> None:
    chip = bench.kernel.add_chip()
    outputs = outputs_on(bench)
    chip.unplug()
    other = bench.kernel.plug_in_again(chip, names=["x"] * 58)
    outputs.reclaim()
    assert "another one was plugged in" in outputs.refusals["lamp"]
    assert not other.lines[22].used
    outputs.close()


def test_outputs_of_a_factory_that_was_replaced_are_claimed_on_the_new_one(bench: Bench) -> None:
    loader = Loader()
    shared = SharedFactory("lgpio", loader)
    factory = shared.current()
    outputs = Outputs([LAMP], GpiozeroOutputs([LAMP], factory, shared=shared), bench.clock, loop=bench.loop)
    outputs.open()
    shared.replace(factory)
    with pytest.raises(LineError, match="removed"):
        outputs.show("lamp", 1)
    outputs.clear()
    outputs.show("lamp", 1)
    assert loader.made[1].pin(22).state == 1
    outputs.close()


# --- lgpio's chip under another number --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "taken"),
    [
        ({1: "pinctrl-bcm2711", 2: "other"}, 1),
        ({1: "other"}, None),
    ],
    ids=["the header's", "another"],
)
def test_lgpio_finds_the_chip_that_came_back_under_another_number(
    monkeypatch: pytest.MonkeyPatch, labels: dict[int, str], taken: int | None
) -> None:
    """gpiozero opens number 0, which the kernel does not give again while somebody holds the chip that has gone."""
    monkeypatch.setattr(gpiozero_factory, "gpio_devices", lambda: [f"/dev/gpiochip{number}" for number in labels])
    with library("lgpio", Board()):
        lgpio: Any = sys.modules["lgpio"]
        opened: list[int] = []

        def gpiochip_open(number: int) -> int:
            if number not in labels:
                raise lgpio.error("can not open gpiochip")
            opened.append(number)
            return number

        lgpio.gpiochip_open = gpiochip_open
        lgpio.gpio_get_chip_info = lambda handle: (0, 58, f"gpiochip{handle}", labels[handle])
        if taken is None:
            with pytest.raises(LineError, match="cannot reach the pins"):
                load_factory("lgpio")
        else:
            factory: Any = load_factory("lgpio")
            assert factory.chip == taken
            assert opened[-1] == taken


def test_a_factory_is_closed_though_its_pins_cannot_be_reset() -> None:
    """Otherwise lgpio keeps the chip that has gone, and its thread reads it for ever."""
    with library("lgpio", Board()):
        lgpio: Any = sys.modules["lgpio"]
        factory: Any = load_factory("lgpio")
        factory.pin(17)
        closed: list[int] = []

        def gone(*_: object) -> int:
            raise lgpio.error("unexpected error")

        lgpio.gpio_claim_input = gone
        lgpio.gpiochip_close = closed.append
        with pytest.raises(lgpio.error):
            factory.close()
        assert closed == []
        close_broken(factory)
    assert len(closed) == 1
