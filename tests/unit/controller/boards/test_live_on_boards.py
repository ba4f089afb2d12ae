"""A live table on a board: the wiring that a service makes, a model of the board on a port, and virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from controller.live.board_watch import BOARD_LOST
from controller.live.live_table import LiveTable
from controller.live.output_faults import OUTPUT_REFUSED
from controller.live.wiring import wire
from feed import events
from hal.board.firmware import VERSION
from hal.board.messages import KINDS, MotorLimitCommand, RefusalCode, Reset, SampleCommand, SetCommand, WatchCommand
from hal.loop import VirtualLoop, run_virtual, sleep_ns
from hal.values import Edge
from tests.fakes.board_port import BoardPort
from tests.fakes.firmware_build import BUILD
from tests.fakes.model_board import ModelBoard
from tests.tables.bench import EventList, configured
from tests.tables.board_tables import MONEY_ON_A_BOARD
from tests.tables.money_lines import TURN, MoneyLines, S

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
EPOCH = "00ff00ff00ff00ff"
START_NS = 5 * S
"""The wheel's own story begins here: the board is up by then."""

ROULETTE = """\
[table]
id = "roulette-2"
game = "roulette"
no_more_bets = "auto"
opens = "at_start"
[lines]
backend = "board"
[board.wheel]
kind = "wheel"
port = "wire://wheel"
supply_v = 5.0
[device.wheel]
ball_sensors_deg = [0, 80, 200]
[pins]
rotor_a = { input = 1 }
rotor_b = { input = 2 }
rotor_index = { input = 3 }
ball_1 = { input = 4 }
ball_2 = { input = 5 }
ball_3 = { input = 6 }
pocket = { input = 7 }
level_x = { analogue = 1, zero_v = 2.5, per_v = 5.0 }
"""


class OnAPort:
    """One live table, made as the service makes it, whose board a test scripts."""

    def __init__(self, text: str, kind: str = "wheel", build: int = BUILD) -> None:
        self.config = configured(text)
        self.said = EventList()
        self.board = ModelBoard(KINDS[kind], version=VERSION, build=build, ppm=30)
        for terminal in self.config.terminals.values():
            if terminal.side == "input" and terminal.inverted:
                self.board.levels |= 1 << terminal.number - 1

    def play(self, edges: Sequence[Edge]) -> None:
        """What the lines do, from `START_NS` on."""
        for line, level, t_ns in edges:
            terminal = self.config.terminals[line]
            self.port.drive(terminal.number - 1, level ^ terminal.inverted, START_NS + t_ns if t_ns else 0)

    def run(self, until_ns: int, script: Callable[[], object] = lambda: None) -> EventList:
        """Runs the table until then; `script` is called once its wires are open."""

        async def main() -> None:
            loop = asyncio.get_running_loop()
            assert isinstance(loop, VirtualLoop)
            self.clock = loop.clock
            self.port = BoardPort(loop, self.board, "wheel")
            self.port.plug_in()
            self.wiring = wire(self.config, loop.clock, {}, 1)
            self.table = LiveTable(self.config, self.wiring, loop.clock, epoch=EPOCH)
            self.table.open_wires()
            self.said += self.table.open()
            script()
            try:
                while loop.clock.now_ns() < until_ns:
                    await sleep_ns(S // 50)
                    said = self.table.tick().events
                    self.said += said
                    self.table.show(said)
            finally:
                self.said += self.table.close("the test is over")
                await self._closed()
                self.port.close()

        run_virtual(main())
        return self.said

    async def _closed(self) -> None:
        waits: list[Awaitable[None]] = [link.wait_closed() for link in self.wiring.boards.values()]  # type: ignore[attr-defined]
        for wait in waits:
            await wait

    def carried(self, kind: type) -> list[object]:
        return [one.command for one in self.board.carried if type(one.command) is kind]


def test_a_table_limits_the_current_of_its_motor() -> None:
    text = (EXAMPLES / "beat_the_dealer_board.toml").read_text(encoding="utf-8")
    there = '"/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0"'
    assert there in text
    bench = OnAPort(text.replace(there, '"wire://wheel"\nmotor_most_a = 3.5'), kind="table")
    bench.run(START_NS)
    assert bench.carried(MotorLimitCommand) == [MotorLimitCommand(71)]


def test_a_table_on_a_board_gives_its_verdict_and_lights_its_lamp() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(8)
    bench = OnAPort(MONEY_ON_A_BOARD)
    said = bench.run(START_NS + lines.now_ns, lambda: bench.play(lines.edges()))
    assert said.verdicts() == ["0", "void service_stopped"]
    assert not any(event.data.simulated for event in said)
    assert said.one(events.TableOpened).devices[-1] == {
        "device": "board.wheel",
        "driver": "board",
        "kind": "wheel",
        "identity": "wheel board",
        "firmware": ".".join(map(str, VERSION)),
        "hash": f"{BUILD:08X}{bytes(28).hex()}",
    }
    assert bench.carried(WatchCommand)[0] == WatchCommand(0b1111, 0b1111)
    lamp = [(one.output, one.value) for one in bench.carried(SetCommand) if isinstance(one, SetCommand)]
    assert [value for k, value in enumerate(lamp) if k == 0 or lamp[k - 1] != value][:3] == [(2, 0), (2, 255), (2, 0)]
    assert bench.board.outputs == {}, "all is safe when the table has closed"


def test_a_table_that_begins_after_its_wires_were_closed_publishes_its_beginning() -> None:
    bench = OnAPort(MONEY_ON_A_BOARD)
    said = bench.run(60 * S, lambda: bench.table.safe())
    assert len(said.of(events.TableOpened)) == 1
    seqs = [event.seq for event in said if event.seq is not None]
    assert seqs == list(range(seqs[0], seqs[0] + len(said)))


def test_the_times_of_the_evidence_are_those_of_the_board() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(8)
    bench = OnAPort(MONEY_ON_A_BOARD)
    said = bench.run(START_NS + lines.now_ns, lambda: bench.play(lines.edges()))
    called = next(edge.t_ns for edge in lines.edges() if edge.line == "dealer_no_more_bets" and edge.level)
    told = said.of(events.NoMoreBets)[0].mono_ns
    debounced_ns = 10_000_000
    assert abs(told - (START_NS + called + debounced_ns)) < 20_000


@pytest.mark.long
def test_a_board_that_its_watchdog_resets_leaves_the_round_to_the_dealer_and_comes_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    lines = MoneyLines().rest(3).call().spin(5 * TURN).rest(8)
    bench = OnAPort(MONEY_ON_A_BOARD)
    hung_ns = START_NS + lines.now_ns - 14 * S

    def clear(t_ns: int) -> None:
        for device in ("board.wheel", "wheel", "dealer"):
            bench.table.command("clear", {"device": device, "by": "ann"})

    def script() -> None:
        bench.play(lines.edges())
        bench.port.at(hung_ns, lambda t_ns: bench.board.reset(t_ns, Reset.WATCHDOG))
        bench.port.at(START_NS + lines.now_ns, clear)

    said = bench.run(START_NS + lines.now_ns + 5 * S, script)
    assert said.verdicts()[0] == "unresolved sensor_missing"
    lost = said.of(events.DeviceFault)[0]
    assert (lost.device, lost.fault) == ("board.wheel", BOARD_LOST)
    assert "it was reset: its watchdog: its program hung" in lost.detail
    assert "board.wheel is up: wheel board" in caplog.text
    cleared = {data.device for data in said.of(events.DeviceCleared)}
    assert cleared == {"board.wheel", "wheel", "dealer"}
    assert len(bench.carried(WatchCommand)) >= 2, "it watches again without a restart"


def test_a_board_that_is_unplugged_and_plugged_in_again_is_used_again() -> None:
    bench = OnAPort(MONEY_ON_A_BOARD)

    def script() -> None:
        bench.port.at(8 * S, lambda t_ns: bench.port.pull())
        bench.port.at(10 * S, lambda t_ns: bench.port.plug_in())

    said = bench.run(20 * S, script)
    lost = said.of(events.DeviceFault)[0]
    assert (lost.device, lost.fault) == ("board.wheel", BOARD_LOST)
    assert "its port is down" in lost.detail
    assert bench.port.openings == 2
    assert len(bench.carried(WatchCommand)) >= 2


CERTIFIED = MONEY_ON_A_BOARD.replace('kind = "wheel"\n', f'kind = "wheel"\nrequire_build = "{BUILD:08x}"\n')
"""A table that was approved with one image."""


def test_any_build_plays_where_none_is_required_and_the_table_says_which_it_is() -> None:
    bench = OnAPort(MONEY_ON_A_BOARD, "wheel", BUILD ^ 1)
    said = bench.run(9 * S)
    assert said.of(events.DeviceFault) == []
    opened = said.of(events.TableOpened)[0]
    assert (
        next(device for device in opened.devices if device["device"] == "board.wheel")["hash"][:8] == f"{BUILD ^ 1:08X}"
    )


@pytest.mark.parametrize(
    ("kind", "build", "words"),
    [
        ("pusher", BUILD, ["expected a board of kind 'wheel'", "found kind 'pusher'"]),
        ("wheel", BUILD ^ 1, [f"expected build {BUILD:08X}", f"found build {BUILD ^ 1:08X}"]),
    ],
)
def test_a_board_that_is_not_the_one_that_is_wanted_is_refused_with_both_names(
    kind: str, build: int, words: list[str]
) -> None:
    bench = OnAPort(CERTIFIED, kind, build)
    said = bench.run(9 * S)
    fault = said.of(events.DeviceFault)[0]
    assert (fault.device, fault.fault) == ("board.wheel", BOARD_LOST)
    for word in words:
        assert word in fault.detail
    assert bench.carried(WatchCommand) == []
    assert said.verdicts()[0] == "void sensor_missing"


@pytest.mark.long
def test_an_output_that_its_board_refuses_is_a_fault_of_its_device_until_a_supervisor_clears_it() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(8)
    first_ns = START_NS + lines.now_ns
    lines = lines.call().spin(3 * TURN).rest(8)
    bench = OnAPort(MONEY_ON_A_BOARD)
    held: list[dict[str, str]] = []

    def refuse(t_ns: int) -> None:
        bench.board.refuse[SetCommand] = RefusalCode.HELD_SAFE

    def clear(t_ns: int) -> None:
        held.append(bench.wiring.board_outputs["wheel"].refusals)
        bench.board.refuse.clear()
        bench.board.hold(2)
        bench.table.command("clear", {"device": "lamp", "by": "ann"})

    def script() -> None:
        bench.play(lines.edges())
        bench.port.at(START_NS - S, refuse)
        bench.port.at(first_ns - S, clear)

    said = bench.run(START_NS + lines.now_ns, script)
    [fault] = said.of(events.DeviceFault)
    assert (fault.device, fault.fault, fault.blocks_play) == ("lamp", OUTPUT_REFUSED, False)
    assert fault.detail == (
        "output no_more_bets_lamp (board wheel, output 2): board 'wheel': refuses set: held_safe; the output was on "
        "for its longest time, or has a fault; set it to 0 once; put that right, then clear lamp"
    )
    assert list(held[0]) == ["no_more_bets_lamp"]
    assert [(data.device, data.by) for data in said.of(events.DeviceCleared)] == [("lamp", "ann")]
    assert said.verdicts()[:2] == ["0", "0"], "the game goes on without its lamp"
    done = [one for one in bench.board.carried if one.command == SetCommand(2, 255, 0)]
    assert done, "the supervisor's clear has freed it"
    assert all(one.t_ns > first_ns for one in done)


@pytest.mark.long
def test_a_lamp_that_went_out_with_the_dead_man_is_lit_again_at_once() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN)
    stalled_ns = START_NS + lines.now_ns - S
    lines = lines.rest(8)
    bench = OnAPort(MONEY_ON_A_BOARD)
    lit: list[tuple[int, ...]] = []

    def script() -> None:
        bench.play(lines.edges())
        # As after a stopped host, whose edges are all still there.
        bench.port.at(stalled_ns, lambda t_ns: bench.board.silence())
        for after_ns in (0, S // 10):
            bench.port.at(stalled_ns + after_ns, lambda t_ns: lit.append(tuple(bench.board.outputs)))

    said = bench.run(START_NS + lines.now_ns, script)
    assert said.of(events.DeviceFault) == []
    assert lit == [(), (2,)]


def test_an_inclinometer_on_a_board_is_read_in_degrees() -> None:
    bench = OnAPort(ROULETTE)
    bench.board.analogue[0] = round(2.5 / 5 * 1023)

    def tilt(t_ns: int) -> None:
        bench.board.analogue[0] = round((2.5 + 0.3 / 5) / 5 * 1023)

    said = bench.run(14 * S, lambda: bench.port.at(8 * S, tilt))
    assert bench.carried(SampleCommand)[0] == SampleCommand(1, 50)
    fault = next(data for data in said.of(events.DeviceFault) if data.fault == "not_level")
    assert "0.3" in fault.detail
