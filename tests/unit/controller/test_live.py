"""Live tables on a virtual loop: real wiring code, lines in memory or on a fake kernel, and no real waiting."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from controller.bench.replay import replay
from controller.live.live_table import KnownTable, LiveTable
from controller.live.wire_watch import WIRES_FAILED
from controller.live.wiring import Wiring, wire
from controller.table.orders.order import CommandResult
from controller.table.salts import KeyedSalts
from feed import events
from feed.events import Event, encode
from feed.state import TableState
from hal.backend_spec import OpenPins, Pins
from hal.backends.gpiod import GpiodLines
from hal.backends.reopening import ReopeningLines
from hal.backends.sim import SimLines
from hal.capture.vcd_writer import writing_capture
from hal.clock import Clock, VirtualClock
from hal.lines import LineError, Sink
from hal.loop import VirtualLoop, run_virtual
from hal.outputs import Outputs
from hal.outputs_gpiod import GpiodOutputs
from hal.values import Edge, Loss, SetLine
from tests.fakes.fake_gpiod import FakeKernel
from tests.fakes.virtual_service import VirtualService
from tests.oracle.motion import ns
from tests.tables.bench import EventList, configured
from tests.tables.card_shoe import card_toml
from tests.tables.money_lines import TURN, MoneyLines, S, money_toml
from tests.tables.roulette_lines import roulette_toml, spin

GPIOD = (
    '[table]\nid = "wheel-9"\ngame = "money_wheel"\nno_more_bets = "button"\nopens = "at_start"\n'
    '[lines]\nbackend = "gpiod"\n'
    '[device.lamp]\ndriver = "lamp"\n[pins]\nwheel_a = { gpio = 17 }\nwheel_b = { gpio = 27 }\n'
    "wheel_index = { gpio = 22 }\ndealer_no_more_bets = { gpio = 23 }\nno_more_bets_lamp = { gpio = 26 }\n"
)
PINS = {"wheel_a": 17, "wheel_b": 27, "wheel_index": 22, "dealer_no_more_bets": 23}
LAMP = 26


EPOCH = "00ff00ff00ff00ff"


class InMemory:
    """A live table on lines in memory."""

    def __init__(self, text: str, found: Sequence[Edge], *, start_ns: int = 0) -> None:
        """`found` begins with the level of each line."""
        levels = {edge.line: edge.level for edge in reversed(found)}
        self.clock = VirtualClock(start_ns)
        self.lines = SimLines(levels, levels=levels, start_ns=start_ns)
        self.said = EventList()
        self.answers: list[CommandResult] = []
        self.table = LiveTable(configured(text), Wiring(sources=[self.lines]), self.clock, epoch=EPOCH)

    def open(self) -> None:
        self.table.open_wires()
        self.said += self.table.open()

    def tick(self) -> None:
        said = self.table.tick()
        self.said += said.events
        self.answers += said.results

    def play(self, edges: Sequence[Edge], until_ns: int, step_ns: int = S // 5) -> EventList:
        """The edges happen, and the table looks every so often."""
        waiting = [edge for edge in edges if edge.t_ns]
        while self.clock.now_ns() < until_ns:
            now_ns = min(until_ns, self.clock.now_ns() + step_ns)
            due = [edge for edge in waiting if edge.t_ns <= now_ns]
            waiting = waiting[len(due) :]
            self.clock.advance_to(now_ns)
            self.lines.play(due, (), now_ns)
            self.tick()
        return self.said


def money_lines() -> list[Edge]:
    return [Edge(line, 0, 0) for line in PINS]


def test_a_live_table_gives_the_verdicts_of_its_lines() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(8)
    bench = InMemory(money_toml(), lines.edges())
    bench.open()
    said = bench.play(lines.edges(), lines.now_ns)
    assert said.verdicts() == ["0"]
    assert said.story()[:2] == ["table.opened", "round.opened"]


def test_a_table_keeps_the_key_of_the_last_stack_whose_loading_is_durable() -> None:
    kept: list[int] = []
    salts = KeyedSalts(keep=lambda key: kept.append(key.stack))
    table = LiveTable(
        configured(card_toml()), Wiring(sources=[]), VirtualClock(0), epoch=EPOCH, known=KnownTable(salts=salts)
    )
    data = events.StackLoaded(table="b-1", game="baccarat", simulated=True, mono_ns=0, device="shoe")
    loaded = [Event(id=f"b-1.{EPOCH}.{seq}", source="", type=data.kind, time="", data=data) for seq in (1, 2, 3)]
    for _ in loaded:
        salts.stack_loaded()
    table.show(loaded[:1])
    table.show(loaded[1:])
    assert kept == [1, 3]


def test_time_passes_for_a_table_without_inputs() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN)
    bench = InMemory(money_toml(), lines.edges())
    bench.open()
    assert bench.play(lines.edges(), lines.now_ns + S // 5).verdicts() == []
    assert bench.play([], lines.now_ns + 3 * S).verdicts() == ["0"]


def test_a_table_on_the_backend_sim_marks_its_events() -> None:
    bench = InMemory(money_toml(), money_lines())
    bench.open()
    assert all(event.topic.startswith("sim/v1/wheel-1/") for event in bench.said)


def test_the_time_of_an_event_is_that_of_its_edges_by_the_calendar() -> None:
    start_ns = 86_400 * S
    bench = InMemory(money_toml(), money_lines(), start_ns=start_ns)
    bench.open()
    opened = json.loads(encode(bench.said[0]))
    assert opened["time"] == "1970-01-02T00:00:00.000000Z"
    assert opened["data"]["mono_ns"] == start_ns


def test_a_cut_of_the_ring_replays_to_the_events_of_the_live_table(tmp_path: Path) -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(8)
    bench = InMemory(money_toml(), lines.edges())
    bench.open()
    said = bench.play(lines.edges(), lines.now_ns)
    path = tmp_path / "cut.vcd"
    cut = bench.table.memory.cut(0, lines.now_ns)
    assert cut is not None
    with writing_capture(path, bench.table.memory.capture_lines("wheel-1.e.1")) as writer:
        cut.write(writer)
    (again,) = replay(configured(money_toml()), [path])
    assert EventList(again).story() == said.story()
    assert EventList(again).one(events.Outcome).evidence == said.one(events.Outcome).evidence


def test_a_closed_table_publishes_it_and_reads_no_more() -> None:
    bench = InMemory(money_toml(), money_lines())
    bench.open()
    bench.said += bench.table.close("the service stops")
    assert bench.said.story()[-1] == "table.closed the service stops"
    assert bench.lines.delivered_until(5 * S) == 5 * S


class FailingLines(SimLines):
    """Lines whose chip can go."""

    gone = False

    @property
    def failed(self) -> LineError | None:
        return LineError("chip gpiochip0 has gone") if self.gone else None


def test_a_chip_that_goes_is_a_fault_and_the_table_goes_on_in_time(caplog: pytest.LogCaptureFixture) -> None:
    clock = VirtualClock()
    lines = FailingLines(PINS)
    table = LiveTable(configured(money_toml()), Wiring(sources=[lines]), clock, epoch=EPOCH)
    table.open_wires()
    said = EventList(table.open())
    clock.advance_to(S)
    lines.play([], (), S)
    said += table.tick().events
    for line in PINS:
        lines.lose(line, Loss.UNPLUGGED, 2 * S)
    lines.gone = True
    for now_s in (2, 3, 4):
        clock.advance_to(now_s * S)
        said += table.tick().events
    assert "has gone" in caplog.text
    assert said.of(events.DeviceFault)[0].fault == "sensor_missing"
    assert said.verdicts() == ["void sensor_missing"]
    wires = said.of(events.DeviceFault)[-1]
    assert (wires.device, wires.fault, wires.blocks_play) == ("wires", WIRES_FAILED, False)
    assert "start the service again once this is fixed" in wires.detail
    table.command("clear", {"device": "wires", "by": "ann"}, "1")
    clock.advance_to(5 * S)
    (answer,) = table.tick().results
    assert not answer.accepted, "what failed stays as it was until the service starts again"


def test_the_supervisor_of_the_bench_clears_only_what_is_mended() -> None:
    bench = InMemory(money_toml(), money_lines())
    bench.open()
    bench.play([], S)
    bench.lines.lose("wheel_a", Loss.UNPLUGGED, 2 * S)
    bench.clock.advance_to(2 * S)
    bench.lines.passed(2 * S)
    bench.tick()
    bench.table.supervise()
    assert bench.said.of(events.DeviceCleared) == []
    bench.lines.drive("wheel_a", 1, 3 * S)
    bench.clock.advance_to(4 * S)
    bench.lines.passed(4 * S)
    bench.tick()
    bench.table.supervise()
    bench.table.supervise()
    bench.clock.advance_to(4 * S + 2)
    bench.lines.passed(4 * S + 1)
    bench.tick()
    assert bench.said.one(events.DeviceCleared).by == "simulated-supervisor"


# --- on a kernel ---------------------------------------------------------------------------------------------------


class Wired:
    """A live table on a kernel in memory; its coroutine is `main`."""

    def __init__(self, kernel: FakeKernel, text: str = GPIOD) -> None:
        self.kernel = kernel
        self.chip = kernel.add_chip()
        self.clock = VirtualClock()
        self.said = EventList()
        self.config = configured(text)
        self.answers: dict[str, list[CommandResult]] = {}
        """Answers to commands, by the beginning of their ids."""
        self.levels: dict[int, int] = dict.fromkeys(PINS.values(), 0)

    def wiring(self) -> Wiring:
        """As `controller.live.wiring.wire` makes it, on the fake kernel's devices."""
        inputs = [pin.spec() for line, pin in self.config.pins.items() if line in PINS]
        outputs = [pin.output_spec("lamp") for line, pin in self.config.pins.items() if line not in PINS]
        devices = self.kernel.devices
        lines = ReopeningLines(GpiodLines(inputs, self.clock, devices=devices), self.clock)
        made = Outputs(outputs, GpiodOutputs(outputs, devices=devices), self.clock)
        return Wiring([lines], [lines], outputs=made)

    def drive(self, gpio: int, level: int, t_ns: int) -> None:
        """A wire takes a level, whether a chip is there or not."""
        self.levels[gpio] = level
        self.chip.drive(gpio, level, t_ns)

    def run(
        self,
        edges: Sequence[Edge],
        until_ns: int,
        at_lamp: Callable[[int], None],
        scene: Callable[[LiveTable], None] = lambda table: None,
    ) -> EventList:
        """Drives the wires at their times, on the loop; tells of the lamp every tick."""

        async def main() -> None:
            table = LiveTable(self.config, self.wiring(), self.clock, epoch=EPOCH)
            loop = _running()
            for edge in edges:
                if edge.t_ns:
                    gpio, level, t_ns = PINS[edge.line], edge.level, edge.t_ns
                    loop.call_at(t_ns / 1e9, lambda g=gpio, v=level, t=t_ns: self.drive(g, v, t))  # type: ignore[misc]
                else:
                    self.drive(PINS[edge.line], edge.level, 0)
            table.open_wires()
            self.said += table.open()
            try:
                while self.clock.now_ns() < until_ns:
                    await _tick()
                    scene(table)
                    result = table.tick()
                    said = result.events
                    self.said += said
                    for answer in result.results:
                        self.answers.setdefault(answer.id.split("-")[0], []).append(answer)
                    table.show(said)
                    at_lamp(self.chip.lines[LAMP].level)
            finally:
                self.said += table.close("the test is over")

        run_virtual(main(), self.clock)
        return self.said


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
    assert said.verdicts() == ["0", "void service_stopped"]
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


def after_a_spin(lines: MoneyLines) -> MoneyLines:
    return lines.rest(3).call().spin(3 * TURN).rest(8)


def test_a_chip_that_comes_back_recovers_without_a_restart_and_a_supervisor_opens_the_table() -> None:
    """The round is void, the levels are found again, and nothing plays before somebody has cleared what stands."""
    lines = MoneyLines().rest(3).call().spin(4 * TURN)
    gone_ns = lines.now_ns - S
    lines.rest(12)
    back_ns, cleared_ns = lines.now_ns, lines.now_ns + 8 * S
    again = after_a_spin(lines.rest(12))
    kernel = FakeKernel()
    with kernel.installed():
        wired = Wired(kernel)
        states: list[str] = []

        def scene(table: LiveTable) -> None:
            now_ns = wired.clock.now_ns()
            if now_ns >= gone_ns and not wired.chip.gone and now_ns < back_ns:
                wired.chip.unplug()
            elif now_ns >= back_ns and wired.chip.gone:
                levels = {gpio: wired.levels[gpio] for gpio in PINS.values()}
                wired.chip = kernel.plug_in_again(wired.chip)
                for gpio, level in levels.items():
                    wired.chip.lines[gpio].level = level
            if back_ns - S <= now_ns < back_ns - S + S // 10:
                table.command("clear", {"device": "wires", "by": "ann"}, "gone-wires")
                table.command("clear", {"device": "wheel", "by": "ann"}, "gone-wheel")
            if cleared_ns <= now_ns < cleared_ns + S // 10:
                states.append(table.state)
                for device in ("wires", "wheel", "dealer", "lamp"):
                    table.command("clear", {"device": device, "by": "ann"}, f"back-{device}")
            if cleared_ns + S <= now_ns < cleared_ns + S + S // 10:
                states.append(table.state)

        said = wired.run(lines.edges(), again.now_ns, lambda level: None, scene)
    assert [answer.accepted for answer in wired.answers["gone"]] == [False, False], "it is still gone"
    assert all(answer.accepted for answer in wired.answers["back"])
    assert states == ["shut", "open"], "shut until a supervisor cleared it"
    faults = [(fault.device, fault.fault) for fault in said.of(events.DeviceFault)]
    assert ("wires", WIRES_FAILED) in faults
    assert ("wheel", "sensor_missing") in faults
    assert said.verdicts()[0] == "unresolved sensor_missing"
    assert said.verdicts()[-2:] == ["0", "void service_stopped"], "the next sound spin has its number"
    assert wired.chip.lines[LAMP].level == 0


# --- in a service --------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_simulated_tables_run_beside_each_other_and_close_when_stopped() -> None:
    hall = VirtualService([configured(roulette_toml()), configured(money_toml())])
    assert hall.open() == {}
    hall.run(100)
    hall.supervisor.close("the service stops")
    for table in ("roulette-1", "wheel-1"):
        story = hall.of(table).story()
        assert story[0] == "table.opened"
        assert story[-1] == "table.closed the service stops"
        assert hall.of(table).verdicts()


@pytest.mark.long
def test_a_simulated_fault_comes_in_its_round_of_its_table() -> None:
    hall = VirtualService([configured(roulette_toml()), configured(money_toml())], faults=[{1: "same_direction"}, {}])
    hall.open()
    hall.run(120)
    assert hall.of("roulette-1").verdicts()[0] == "void ball_direction"
    assert hall.of("wheel-1").of(events.Outcome)


def test_a_simulated_fault_that_shuts_a_table_is_cleared_and_play_goes_on() -> None:
    hall = VirtualService([configured(roulette_toml())], faults=[{1: "tilt"}])
    hall.open()
    said = hall.run(200)
    assert said.one(events.DeviceFault).fault == "not_level"
    assert said.one(events.DeviceCleared).by == "simulated-supervisor"
    assert said.of(events.Outcome)


class NoLines(SimLines):
    """Lines whose chip is not there."""

    def open(self, sink: Sink) -> None:
        raise LineError("chip gpiochip0: there is none; plug it in")


def test_a_table_whose_wires_cannot_be_opened_is_shut_by_a_fault_and_the_others_play(
    caplog: pytest.LogCaptureFixture,
) -> None:
    shut, plays = configured(money_toml().replace("wheel-1", "wheel-9")), configured(money_toml())
    hall = VirtualService([shut, plays], wirings=[Wiring([NoLines(PINS)]), wire(plays, VirtualClock(), {}, 1)])
    failures = hall.open()
    hall.run(60)
    assert len(failures) == 1
    assert hall.of("wheel-9").story() == ["table.opened", f"device.fault {WIRES_FAILED}"]
    assert "plug it in" in hall.of("wheel-9").one(events.DeviceFault).detail
    assert hall.tables["wheel-9"].state == "shut"
    assert hall.of("wheel-1").of(events.Outcome)
    assert "wheel-9 stays shut" in caplog.text
    hall.send("clear", table="wheel-9", device="wires")
    assert "wires are not open" in hall.answers[0].reason


class LateLines(SimLines):
    """Lines whose chip comes later; counts how often they are tried."""

    there = False
    tries = 0

    def open(self, sink: Sink) -> None:
        self.tries += 1
        if not self.there:
            raise LineError("chip gpiochip0: there is none; plug it in")
        super().open(sink)


def test_wires_that_are_not_there_at_the_start_are_opened_when_they_come() -> None:
    late = LateLines(PINS)
    config = configured(money_toml().replace("wheel-1", "wheel-9"))
    plays = configured(money_toml())
    hall = VirtualService([config, plays], wirings=[Wiring([late]), wire(plays, VirtualClock(), {}, 1)])
    hall.open()
    hall.run(60)
    assert 2 < late.tries < 20, "a minute without a chip is a handful of tries"
    late.there = True
    hall.run(6, each=lambda: late.passed(hall.clock.now_ns()))
    table = hall.tables["wheel-9"]
    assert table.state == "shut", "until a supervisor has looked"
    hall.send("clear", table="wheel-9", device="wires")
    hall.run(1, each=lambda: late.passed(hall.clock.now_ns()))
    assert hall.answers[-1].accepted
    assert table.state == "open"
    tries = late.tries
    hall.supervisor.safe()
    hall.run(20)
    assert late.tries == tries, "a service that has stopped opens nothing"


def test_wires_that_open_after_a_restart_leave_a_fault_that_a_person_clears() -> None:
    config = configured(money_toml())
    before = VirtualService([config], wirings=[Wiring([NoLines(PINS)])])
    before.open()
    again = VirtualService([config], wirings=[Wiring([NoLines(PINS)])], journal=before.journal, epoch="11")
    again.open()
    assert again.said.story() == ["table.opened", f"device.fault {WIRES_FAILED}"], "still without its wires"
    lines = SimLines(PINS)
    mended = VirtualService([config], wirings=[Wiring([lines])], journal=before.journal, epoch="22")
    mended.open()
    assert mended.tables["wheel-1"].state == "shut", "it stands until somebody has looked"
    mended.run(1, each=lambda: lines.passed(mended.clock.now_ns()))
    mended.send("clear", device="wires")
    mended.run(1, each=lambda: lines.passed(mended.clock.now_ns()))
    assert mended.answers[0].accepted
    assert mended.tables["wheel-1"].state == "open"


def test_a_simulator_is_wired_only_where_the_configuration_asks_for_it() -> None:
    simulated = wire(configured(money_toml()), VirtualClock(), {}, 1)
    assert type(simulated.sources[0]).__name__ == "SimulatedSource"
    real = wire(configured(GPIOD), VirtualClock(), {}, 1)
    assert real.sources == real.reopening
    assert [source.name for source in real.sources] == ["wheel-9:header"]
    assert real.outputs is not None


def test_a_line_that_is_not_wired_beside_others_that_are_shows_nothing() -> None:
    kernel = FakeKernel()
    with kernel.installed():
        bench = Wired(kernel)

        async def main() -> None:
            wiring = bench.wiring()
            wiring.open_outputs()
            wiring.show(SetLine("acceptor_lock", True, 0))
            wiring.show(SetLine("no_more_bets_lamp", True, 0))
            assert bench.chip.lines[LAMP].level == 1
            wiring.close()

        run_virtual(main(), bench.clock)


def test_an_output_on_a_pin_is_of_the_kind_that_hangs_on_it() -> None:
    lines = "dealer_no_more_bets key_1 key_2 key_3 key_4 key_5 key_6 key_clear key_enter no_more_bets_lamp"
    names = f"{lines} shaker_busy shaker_fault shaker_start".split()
    config = configured(
        '[table]\nid = "c"\ngame = "craps"\nno_more_bets = "button"\n[lines]\nbackend = "gpiozero"\n'
        "[device.lamp]\n[device.automated_shaker]\n[pins]\n"
        + "".join(f"{name} = {{ gpio = {gpio} }}\n" for gpio, name in enumerate(names, 15))
    )
    opened: list[Pins] = []

    def open_pins(pins: Pins, clock: Clock) -> OpenPins:
        opened.append(pins)
        return OpenPins([], None)

    wire(config._replace(backend=replace(config.backend, open=open_pins)), VirtualClock(), {}, 1)
    kinds = {spec.name: spec.kind for spec in opened[0].outputs}
    assert kinds == {"no_more_bets_lamp": "lamp", "shaker_start": "signal"}


def test_a_live_roulette_table_gives_its_number() -> None:
    lines = spin()
    bench = InMemory(roulette_toml(), lines.edges())
    bench.open()
    said = bench.play(lines.edges(), ns(45.0))
    assert said.verdicts() == ["17"]


def test_a_command_reaches_the_table_as_one_of_its_sources_and_is_answered() -> None:
    bench = InMemory(money_toml(), money_lines())
    bench.open()
    bench.clock.advance_to(S)
    assert bench.table.command("void", {"reason": "dealer_call", "why": "spill"}, "7") is None
    bench.lines.play([], [], 2 * S)
    bench.clock.advance_to(2 * S)
    bench.tick()
    assert bench.said.verdicts() == ["void dealer_call"]
    (answer,) = bench.answers
    assert (answer.id, answer.accepted) == ("7", True)
    assert answer.event_ids == tuple(event.id for event in bench.said if event.seq is not None)[-2:]


def test_a_closed_table_takes_no_commands() -> None:
    bench = InMemory(money_toml(), money_lines())
    bench.open()
    bench.table.safe()
    why = bench.table.command("settle", {})
    assert why is not None
    assert "wires are not open" in why


def test_a_table_goes_on_from_where_the_journal_left_it() -> None:
    before = InMemory(money_toml(), money_lines())
    before.open()
    state = TableState("wheel-1")
    for event in before.said:
        state.apply(event)
    after = LiveTable(
        configured(money_toml()), Wiring(sources=[SimLines(PINS)]), VirtualClock(), epoch="11", known=KnownTable(state)
    )
    after.open_wires()
    said = EventList(after.open())
    assert said.story() == ["table.opened", "void power_loss", "round.opened"]
    opened = said.one(events.TableOpened)
    assert (opened.previous_epoch, opened.previous_sequence) == (EPOCH, 2)
    assert [event.seq for event in said] == [3, 4, 5]
    assert said.one(events.RoundOpened).round == 2


def test_time_alone_that_changes_nothing_is_not_fed_but_is_in_the_cut() -> None:
    bench = InMemory(money_toml(), money_lines())
    bench.open()
    bench.play([], 60 * S)
    cut = bench.table.memory.cut(0, 60 * S)
    assert cut is not None
    assert cut.complete
    assert cut.batch.until_ns == 60 * S
