"""The outputs of a live table: carried out at once, at its beginning, and as it closes."""

from __future__ import annotations

import pytest

from controller.games.sic_bo.rounds import SicBoGame
from controller.live.live_table import LiveTable
from controller.live.output_dispatcher import OutputDispatcher
from controller.live.output_faults import OUTPUT_REFUSED, OutputFaults
from controller.live.wiring import Wiring
from feed import events
from hal.backends.sim import SimLines
from hal.board.errors import BoardError
from hal.clock import VirtualClock
from hal.lines import LineError
from hal.link_status import LinkError
from hal.values import Edge, Loss, Output, RunMotor, SendFrame, SetLine
from tests.fakes.board_site import PlayedTable
from tests.tables.bench import EventList, configured
from tests.tables.sic_bo_table import LINES, sic_bo_toml
from tests.tables.tumbled_lines import TumbledLines, tumbled_toml
from tests.tables.tumbler_lines import MS, S, found, in_order
from tests.unit.controller.test_live import GPIOD, PINS

EPOCH = "00ff00ff00ff00ff"
CLOSED = "the wires are closed"
STOP = SendFrame("shaker_serial", b"stop", 0)


class Recorded(Wiring):
    """Wires that note what is done, and that they are closed."""

    def __init__(self, lines: SimLines) -> None:
        super().__init__(sources=[lines])
        self.done: list[Output | str] = []
        self.link_is_up = True

    def show(self, command: Output) -> None:
        if isinstance(command, SendFrame) and not self.link_is_up:
            raise LinkError("serial link 'shaker_serial': it is down")
        self.done.append(command)

    def close(self) -> None:
        self.done.append(CLOSED)

    @property
    def motor(self) -> list[float | str]:
        """What the motor was told, and the end."""
        return [one.speed if isinstance(one, RunMotor) else CLOSED for one in self.done]


def test_a_tick_sets_the_lamp_of_the_call_again_before_it_goes_dark() -> None:
    clock, wires = VirtualClock(), Recorded(SimLines(PINS))
    table = LiveTable(configured(GPIOD), wires, clock, epoch=EPOCH)
    table.open_wires()
    table.open()
    table.show([PlayedTable("wheel-9", "money_wheel").call()])
    wires.done.clear()
    clock.advance_to(299 * S)
    table.tick()
    assert wires.done == []
    clock.advance_to(301 * S)
    table.tick()
    assert wires.done == [SetLine("no_more_bets_lamp", level, 301 * S) for level in (False, True)]


class Untellable:
    """A chain of lamps whose board refuses commands."""

    def light(self, lit: frozenset[int]) -> None:
        raise BoardError("board 'table': this kind of board has no such command")


class GoneLines(SimLines):
    """Lines whose chip can go."""

    gone = False

    @property
    def failed(self) -> LineError | None:
        return LineError("chip gpiochip0 has gone") if self.gone else None


class Turning:
    """A live cage whose motor turns, 0.6 s after the call."""

    def __init__(self) -> None:
        script = TumbledLines().call().wait(0.1)
        edges = in_order(script.edges(), found("motor_home", "motor_shaft"))
        levels = {edge.line: edge.level for edge in reversed(edges)}
        self.clock = VirtualClock()
        self.lines = GoneLines(levels, levels=levels)
        self.wires = Recorded(self.lines)
        text = tumbled_toml("chuck_a_luck", device="[device.motor]\nstart_s = 10\n")
        self.table = LiveTable(configured(text), self.wires, self.clock, epoch=EPOCH)
        self.table.open_wires()
        self.said = EventList(self.table.open())
        waiting = [edge for edge in edges if edge.t_ns]
        while self.clock.now_ns() < script.now_ns:
            waiting = self.look(waiting)
        assert self.wires.motor == [0.0, 1.0]

    def look(self, waiting: list[Edge] | None = None) -> list[Edge]:
        """A tenth of a second passes."""
        now_ns = self.clock.now_ns() + 100 * MS
        self.clock.advance_to(now_ns)
        due = [edge for edge in waiting or [] if edge.t_ns <= now_ns]
        self.lines.play(due, (), now_ns)
        self.said += self.table.tick().events
        return (waiting or [])[len(due) :]


def test_a_fault_that_the_service_finds_stops_the_motor_at_once() -> None:
    turning = Turning()
    turning.table.raise_fault("disk", "nearly_full", "no room")
    assert turning.wires.motor == [0.0, 1.0, 0.0]


def test_a_chip_that_fails_stops_the_motor_in_the_same_tick() -> None:
    turning = Turning()
    for line in ("cage_turn", "cage_shake"):
        turning.lines.lose(line, Loss.UNPLUGGED, turning.clock.now_ns() + 1)
    turning.lines.gone = True
    turning.look()
    assert turning.wires.motor == [0.0, 1.0, 0.0]


def test_time_alone_stops_a_motor_that_does_not_turn() -> None:
    turning = Turning()
    for _ in range(110):
        turning.look()
    assert turning.said.one(events.DeviceFault).fault == "motor_stalled"
    assert turning.wires.motor == [0.0, 1.0, 0.0]


def test_a_table_that_closes_stops_its_motor_before_its_wires_close() -> None:
    turning = Turning()
    said = EventList(turning.table.close("the service ends"))
    assert said.verdicts() == ["void service_stopped"]
    assert turning.wires.motor[:3] == [0.0, 1.0, 0.0]
    assert turning.wires.motor[-1] == CLOSED


def test_wires_that_are_closed_because_the_journal_failed_stop_the_motor_first() -> None:
    turning = Turning()
    turning.table.safe()
    assert turning.wires.motor == [0.0, 1.0, 0.0, CLOSED]
    turning.table.close("the service ends")
    assert turning.wires.motor == [0.0, 1.0, 0.0, CLOSED, CLOSED], "nothing is done at wires that are closed"


def test_the_first_stop_commands_are_sent_once_as_soon_as_the_link_is_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock, lines = VirtualClock(), SimLines(["cage_turn"])
    wires = Recorded(lines)
    table = LiveTable(configured(tumbled_toml("chuck_a_luck")), wires, clock, epoch=EPOCH)
    monkeypatch.setattr(table._table, "rest", lambda t_ns: [STOP])
    wires.link_is_up = False
    table.open_wires()
    table.open()
    for up in (False, True, True):
        wires.link_is_up = up
        clock.advance_to(clock.now_ns() + S)
        lines.play([], (), clock.now_ns())
        table.tick()
    assert wires.done == [STOP]


def test_an_order_that_is_repeated_on_a_link_that_is_down_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    wires = Recorded(SimLines(["cage_turn"]))
    dispatcher = OutputDispatcher("t", wires, OutputFaults(configured(tumbled_toml("chuck_a_luck")), []))
    wires.link_is_up = False
    dispatcher.carry_out([STOP, STOP])
    dispatcher.carry_out([STOP])
    assert len(caplog.records) == 1


def test_a_table_without_its_wires_does_nothing_at_them() -> None:
    config = configured(tumbled_toml("chuck_a_luck", device="[device.motor]\n"))
    wires = Recorded(SimLines(["cage_turn"]))
    wires.failure = LineError("no such chip")
    table = LiveTable(config, wires, VirtualClock(), epoch=EPOCH)
    with pytest.raises(LineError):
        table.open_wires()
    table.open()
    table.raise_fault("disk", "nearly_full", "no room")
    assert wires.done == []


def test_lamps_that_cannot_be_commanded_are_a_fault_of_their_board_and_the_table_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock, lines = VirtualClock(), SimLines(LINES)
    wiring = Wiring(sources=[lines], chains={"lamps": Untellable()})  # type: ignore[dict-item]
    table = LiveTable(configured(sic_bo_toml()), wiring, clock, epoch=EPOCH)
    table.open_wires()
    said = EventList(table.open())

    def look() -> None:
        nonlocal said
        clock.advance_to(clock.now_ns() + S // 10)
        lines.play([], (), clock.now_ns())
        said += table.tick().events

    look()
    game = table._table.game
    assert isinstance(game, SicBoGame)
    game.areas.lamps.light({3}, clock.now_ns())
    look()
    look()
    fault = next(one for one in said.of(events.DeviceFault) if one.fault == OUTPUT_REFUSED)
    assert (fault.device, fault.blocks_play) == ("lamp_board", False)
    assert "lamps lamps: board 'table': this kind of board has no such command" in fault.detail
    assert "has no such command" in caplog.text
    table.command("clear", {"device": "lamp_board", "by": "floor"})
    look()
    look()
    assert OUTPUT_REFUSED in [cleared.fault for cleared in said.of(events.DeviceCleared)]
    faults = len([one for one in said.of(events.DeviceFault) if one.fault == OUTPUT_REFUSED])
    look()
    assert len([one for one in said.of(events.DeviceFault) if one.fault == OUTPUT_REFUSED]) == faults
