"""Live tables on a virtual loop: real wiring code, lines in memory or on a fake kernel, and no real waiting."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from controller.configuration.values import TableConfig
from controller.live import LiveTable, run_tables
from controller.replay import replay
from controller.wiring import Wiring, wire
from feed import events
from feed.events import Event, encode
from hal.backends.gpiod import GpiodLines
from hal.backends.sim import SimLines
from hal.capture.vcd_writer import CaptureLines, writing_capture
from hal.clock import VirtualClock
from hal.lines import LineError, LineSource
from hal.loop import VirtualLoop, run_virtual
from hal.outputs import Outputs
from hal.outputs_gpiod import GpiodOutputs
from hal.values import Command, Edge, Loss
from tests.fakes.fake_gpiod import FakeKernel
from tests.oracle.motion import ns
from tests.tables.bench import Said, configured
from tests.tables.money_lines import TURN, MoneyLines, S, money_toml
from tests.tables.roulette_lines import roulette_toml, spin

GPIOD = (
    '[table]\nid = "wheel-9"\ngame = "money_wheel"\nno_more_bets = "button"\n[lines]\nbackend = "gpiod"\n'
    '[device.lamp]\ndriver = "lamp"\n[pins]\nwheel_a = { gpio = 17 }\nwheel_b = { gpio = 27 }\n'
    "wheel_index = { gpio = 22 }\ndealer_no_more_bets = { gpio = 23 }\nno_more_bets_lamp = { gpio = 26 }\n"
)
PINS = {"wheel_a": 17, "wheel_b": 27, "wheel_index": 22, "dealer_no_more_bets": 23}
LAMP = 26


@dataclass
class Heard:
    """What a listener was told."""

    said: Said = field(default_factory=Said)
    calls: int = 0

    def __call__(self, said: Sequence[Event]) -> None:
        self.calls += 1
        self.said += said


class InMemory:
    """A live table on lines in memory."""

    def __init__(self, text: str, found: Sequence[Edge], *, start_ns: int = 0) -> None:
        """`found` begins with the level of each line."""
        levels = {edge.line: edge.level for edge in reversed(found)}
        self.clock = VirtualClock(start_ns)
        self.lines = SimLines(levels, levels=levels, start_ns=start_ns)
        self.heard = Heard()
        self.table = LiveTable(configured(text), Wiring(sources=[self.lines]), self.clock, self.heard)

    def play(self, edges: Sequence[Edge], until_ns: int, step_ns: int = S // 5) -> Said:
        """The edges happen, and the table looks every so often."""
        waiting = [edge for edge in edges if edge.t_ns]
        while self.clock.now_ns() < until_ns:
            now_ns = min(until_ns, self.clock.now_ns() + step_ns)
            due = [edge for edge in waiting if edge.t_ns <= now_ns]
            waiting = waiting[len(due) :]
            self.clock.advance_to(now_ns)
            self.lines.play(due, (), now_ns)
            self.table.tick()
        return self.heard.said


def money_lines() -> list[Edge]:
    return [Edge(line, 0, 0) for line in PINS]


def test_a_live_table_says_what_its_lines_tell() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(8)
    bench = InMemory(money_toml(), lines.edges())
    bench.table.open()
    said = bench.play(lines.edges(), lines.now_ns)
    assert said.verdicts() == ["0"]
    assert said.story()[:2] == ["table.opened", "round.opened"]


def test_a_table_looks_at_time_even_when_nothing_comes() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN)
    bench = InMemory(money_toml(), lines.edges())
    bench.table.open()
    assert bench.play(lines.edges(), lines.now_ns + S // 5).verdicts() == []
    assert bench.play([], lines.now_ns + 3 * S).verdicts() == ["0"]


def test_each_start_has_an_epoch_of_its_own() -> None:
    ids = set()
    for _ in range(2):
        bench = InMemory(money_toml(), money_lines())
        bench.table.open()
        ids.add(bench.heard.said[0].id)
    assert len(ids) == 2
    assert all(one.startswith("wheel-1.") and one.endswith(".1") for one in ids)
    assert not any(".sim." in one or ".replay." in one for one in ids)


def test_a_table_on_the_backend_sim_marks_its_events() -> None:
    bench = InMemory(money_toml(), money_lines())
    bench.table.open()
    assert all(event.topic.startswith("sim/v1/wheel-1/") for event in bench.heard.said)


def test_the_time_of_an_event_is_that_of_its_edges_by_the_calendar() -> None:
    start_ns = 86_400 * S
    bench = InMemory(money_toml(), money_lines(), start_ns=start_ns)
    bench.table.open()
    opened = json.loads(encode(bench.heard.said[0]))
    assert opened["time"] == "1970-01-02T00:00:00.000000Z"
    assert opened["data"]["mono_ns"] == start_ns


def test_a_cut_of_the_ring_replays_to_what_the_live_table_said(tmp_path: Path) -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(8)
    bench = InMemory(money_toml(), lines.edges())
    bench.table.open()
    said = bench.play(lines.edges(), lines.now_ns)
    path = tmp_path / "cut.vcd"
    assert bench.table.ring is not None
    with writing_capture(path, CaptureLines(tuple(PINS))) as writer:
        bench.table.ring.cut(0, lines.now_ns).write(writer)
    (again,) = replay(configured(money_toml()), [path])
    assert Said(again).story() == said.story()
    assert Said(again).one(events.Outcome).evidence == said.one(events.Outcome).evidence


def test_a_closed_table_says_so_and_hears_no_more() -> None:
    bench = InMemory(money_toml(), money_lines())
    bench.table.open()
    bench.table.close("the service stops")
    assert bench.heard.said.story()[-1] == "table.closed the service stops"
    assert bench.lines.delivered_until(5 * S) == 5 * S


class FailingLines(SimLines):
    """Lines whose chip can go."""

    gone = False

    @property
    def failed(self) -> LineError | None:
        return LineError("chip gpiochip0 has gone") if self.gone else None


def test_a_chip_that_goes_is_a_fault_and_the_table_goes_on_in_time(caplog: pytest.LogCaptureFixture) -> None:
    clock, heard = VirtualClock(), Heard()
    lines = FailingLines(PINS)
    table = LiveTable(configured(money_toml()), Wiring(sources=[lines]), clock, heard)
    table.open()
    clock.advance_to(S)
    lines.play([], (), S)
    table.tick()
    for line in PINS:
        lines.lose(line, Loss.UNPLUGGED, 2 * S)
    lines.gone = True
    for now_s in (2, 3, 4):
        clock.advance_to(now_s * S)
        table.tick()
    assert "has gone" in caplog.text
    assert heard.said.of(events.DeviceFault)[0].fault == "sensor_missing"
    assert heard.said.verdicts() == ["void sensor_missing"]


def test_the_supervisor_of_the_bench_clears_only_what_is_mended() -> None:
    bench = InMemory(money_toml(), money_lines())
    bench.table.open()
    bench.play([], S)
    bench.lines.lose("wheel_a", Loss.UNPLUGGED, 2 * S)
    bench.clock.advance_to(2 * S)
    bench.lines.passed(2 * S)
    bench.table.tick()
    bench.table.supervise("simulated-supervisor")
    assert bench.heard.said.of(events.DeviceCleared) == []
    bench.lines.drive("wheel_a", 1, 3 * S)
    bench.clock.advance_to(4 * S)
    bench.lines.passed(4 * S)
    bench.table.tick()
    bench.table.supervise("simulated-supervisor")
    assert bench.heard.said.one(events.DeviceCleared).by == "simulated-supervisor"


# --- on a kernel ---------------------------------------------------------------------------------------------------


class Wired:
    """A live table on a kernel in memory; its coroutine is `main`."""

    def __init__(self, kernel: FakeKernel, text: str = GPIOD) -> None:
        self.kernel = kernel
        self.chip = kernel.add_chip()
        self.clock = VirtualClock()
        self.heard = Heard()
        self.config = configured(text)

    def wiring(self) -> Wiring:
        """As `controller.wiring.wire` makes it, on the fake kernel's devices."""
        inputs = [pin.spec() for line, pin in self.config.pins.items() if line in PINS]
        outputs = [pin.output_spec() for line, pin in self.config.pins.items() if line not in PINS]
        devices = self.kernel.devices
        sources: list[LineSource] = [GpiodLines(inputs, self.clock, devices=devices)]
        return Wiring(sources, {}, Outputs(outputs, GpiodOutputs(outputs, devices=devices), self.clock))

    def run(self, edges: Sequence[Edge], until_ns: int, at_lamp: Callable[[int], None]) -> Said:
        """Drives the wires at their times, on the loop; tells of the lamp every tick."""

        async def main() -> None:
            table = LiveTable(self.config, self.wiring(), self.clock, self.heard)
            loop = _running()
            for edge in edges:
                if edge.t_ns:
                    gpio, level, t_ns = PINS[edge.line], edge.level, edge.t_ns
                    loop.call_at(t_ns / 1e9, lambda g=gpio, v=level, t=t_ns: self.chip.drive(g, v, t))  # type: ignore[misc]
                else:
                    self.chip.drive(PINS[edge.line], edge.level, 0)
            table.open()
            try:
                while self.clock.now_ns() < until_ns:
                    await _tick()
                    table.tick()
                    at_lamp(self.chip.lines[LAMP].level)
            finally:
                table.close("the test is over")

        run_virtual(main(), self.clock)
        return self.heard.said


def _running() -> VirtualLoop:
    import asyncio

    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop


async def _tick() -> None:
    from hal.loop import sleep_ns

    await sleep_ns(S // 10)


def test_a_table_on_the_kernels_lines_gives_the_verdict_and_lights_its_lamp() -> None:
    kernel = FakeKernel()
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(8)
    lamp: list[int] = []
    with kernel.installed():
        wired = Wired(kernel)
        said = wired.run(lines.edges(), lines.now_ns, lamp.append)
    assert said.verdicts() == ["0"]
    assert said.story()[-1] == "table.closed the test is over"
    # Dark, lit from the call to the settling, dark again; and safe when the table has closed.
    assert [level for k, level in enumerate(lamp) if k == 0 or lamp[k - 1] != level] == [0, 1, 0]
    assert wired.chip.lines[LAMP].level == 0
    assert not any(event.data.simulated for event in said)
    assert all(event.topic.startswith("v1/wheel-9/") for event in said)


def test_the_chip_going_in_a_spin_leaves_the_round_to_the_dealer() -> None:
    kernel = FakeKernel()
    lines = MoneyLines().rest(3).call().spin(4 * TURN).rest(6)
    gone_ns = lines.now_ns - 9 * S
    with kernel.installed():
        wired = Wired(kernel)
        edges = [edge for edge in lines.edges() if edge.t_ns < gone_ns]

        def unplug(_level: int) -> None:
            if wired.clock.now_ns() >= gone_ns and not wired.chip.gone:
                wired.chip.unplug()

        said = wired.run(edges, lines.now_ns, unplug)
    assert said.verdicts() == ["unresolved sensor_missing"]
    assert said.of(events.DeviceFault)[0].blocks_play


# --- run_tables ----------------------------------------------------------------------------------------------------


def run(configs: Sequence[TableConfig], until_ns: int, faults: Sequence[dict[int | None, str]], seed: int = 1) -> Said:
    clock, heard = VirtualClock(), Heard()
    run_virtual(
        run_tables(configs, clock, heard, stopped=lambda: clock.now_ns() >= until_ns, faults=faults, seed=seed),
        clock,
    )
    return heard.said


def of_table(said: Said, table: str) -> Said:
    return Said(event for event in said if event.data.table == table)


def test_simulated_tables_run_beside_each_other_and_close_when_stopped() -> None:
    configs = [configured(roulette_toml()), configured(money_toml())]
    said = run(configs, 100 * S, [{}, {}])
    for table in ("roulette-1", "wheel-1"):
        story = of_table(said, table).story()
        assert story[0] == "table.opened"
        assert story[-1] == "table.closed the service stops"
        assert of_table(said, table).verdicts()


def test_a_simulated_fault_comes_in_its_round_of_its_table() -> None:
    said = run([configured(roulette_toml()), configured(money_toml())], 120 * S, [{1: "same_direction"}, {}])
    assert of_table(said, "roulette-1").verdicts()[0] == "void ball_direction"
    assert of_table(said, "wheel-1").of(events.Outcome)


def test_a_simulated_fault_that_shuts_a_table_is_cleared_and_play_goes_on() -> None:
    said = run([configured(roulette_toml())], 200 * S, [{1: "tilt"}])
    assert said.one(events.DeviceFault).fault == "not_level"
    assert said.one(events.DeviceCleared).by == "simulated-supervisor"
    assert said.of(events.Outcome)


def test_a_table_that_cannot_be_opened_does_not_keep_the_others_shut(caplog: pytest.LogCaptureFixture) -> None:
    kernel = FakeKernel()
    with kernel.installed():
        said = run([configured(GPIOD), configured(money_toml())], 60 * S, [{}, {}])
    assert of_table(said, "wheel-9") == []
    assert of_table(said, "wheel-1").story()[0] == "table.opened"
    assert "wheel-9 stays shut" in caplog.text


def test_no_table_at_all_is_an_error_that_names_the_cause() -> None:
    kernel = FakeKernel()
    with kernel.installed(), pytest.raises(LineError, match="no table could be opened"):
        run([configured(GPIOD)], S, [{}])


def test_a_simulator_is_wired_only_where_the_configuration_asks_for_it() -> None:
    simulated = wire(configured(money_toml()), VirtualClock(), {}, 1)
    assert type(simulated.sources[0]).__name__ == "SimulatedSource"
    real = wire(configured(GPIOD), VirtualClock(), {}, 1)
    assert [type(source).__name__ for source in real.sources] == ["GpiodLines"]
    assert real.outputs is not None


def test_a_live_roulette_table_gives_its_number() -> None:
    lines = spin()
    bench = InMemory(roulette_toml(), lines.edges())
    bench.table.open()
    said = bench.play(lines.edges(), ns(45.0))
    assert said.verdicts() == ["17"]


def test_a_command_reaches_the_table_through_its_lines() -> None:
    bench = InMemory(money_toml(), money_lines())
    bench.table.open()
    bench.lines.play([], [Command("void why=spill", S)], 2 * S)
    bench.clock.advance_to(2 * S)
    bench.table.tick()
    assert bench.heard.said.verdicts() == ["void dealer_call"]
