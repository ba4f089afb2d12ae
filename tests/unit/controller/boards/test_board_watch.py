"""A live table and its boards: it begins when they are up, tells when one is lost, and goes on when it is back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from controller.live.board_watch import BOARD_IDENTIFIED, BOARD_LOST
from controller.live.wiring import Wiring
from controller.service.state_paths import StatePathError, state_paths_for
from drivers.pusher.board import PLACES
from feed import events
from hal.backends.board_wiring import OPENING_NS
from hal.backends.sim import SimLines
from hal.board.messages import Flag, Reset, SensorsReport
from hal.values import Loss
from tests.fakes.boards import HandLink, identity
from tests.fakes.virtual_service import VirtualService
from tests.tables.bench import configured
from tests.tables.board_tables import MONEY_ON_A_BOARD

S = 1_000_000_000
LINES = ("wheel_a", "wheel_b", "wheel_index", "dealer_no_more_bets")
EMULATED = MONEY_ON_A_BOARD.replace('port = "wire://wheel"', 'port = "/tmp/wheel"\nemulated = true')
DEVICE = "board.wheel"
KNOWN = {
    "device": DEVICE,
    "driver": "board",
    "kind": "wheel",
    "identity": "wheel board, serial 7",
    "firmware": "1.0.0",
    "hash": "1A2B3C4D" + bytes(28).hex(),
}


class OnABoard:
    """A money wheel whose lines are in memory, and whose board a test moves by hand."""

    def __init__(
        self,
        text: str = MONEY_ON_A_BOARD,
        before: OnABoard | None = None,
        *,
        board: str = "wheel",
        lines: Sequence[str] = LINES,
    ) -> None:
        self.lines = SimLines(lines)
        self.link = HandLink()
        wiring = Wiring([self.lines], boards={board: self.link}, read_only=lines is not LINES)
        journal = None if before is None else before.hall.journal
        self.hall: VirtualService = VirtualService(
            [configured(text)], wirings=[wiring], journal=journal, epoch="11" if before else "00"
        )
        assert self.hall.open() == {}

    @property
    def table(self) -> str:
        return self.hall.tables["wheel-2"].state

    def run(self, seconds: float) -> list[str]:
        """Lets time pass; returns what the table said up to now."""
        self.hall.run(seconds, each=lambda: self.lines.passed(self.hall.clock.now_ns()))
        return self.hall.said.story()

    def unplug(self) -> None:
        for line in LINES:
            self.lines.lose(line, Loss.UNPLUGGED, self.hall.clock.now_ns() + 1)

    def plug_in(self) -> None:
        for line in LINES:
            self.lines.drive(line, 0, self.hall.clock.now_ns() + 1)

    def devices(self) -> Sequence[dict[str, str]]:
        return self.hall.said.of(events.TableOpened)[-1].devices


def test_bets_are_open_when_the_board_is_up_and_the_opening_tells_what_it_is() -> None:
    bench = OnABoard()
    assert bench.run(1) == []
    bench.link.up(identity())
    assert bench.run(0.1) == ["table.opened", "round.opened"]
    assert bench.devices() == [
        {"device": "wheel", "driver": "money_wheel"},
        {"device": "dealer", "driver": "buttons"},
        {"device": "lamp", "driver": "lamp"},
        KNOWN,
    ]


def test_a_table_that_is_opened_by_order_tells_what_its_board_is_with_that_order() -> None:
    bench = OnABoard(MONEY_ON_A_BOARD.replace('opens = "at_start"\n', ""))
    bench.link.up(identity())
    assert bench.run(0.1) == ["table.closed not opened yet"]
    bench.hall.send("open")
    assert bench.run(0.1)[1] == "table.opened ann"
    assert bench.devices()[-1] == KNOWN


def test_a_board_that_does_not_come_is_a_fault_and_the_table_begins_without_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = OnABoard()
    bench.link.down("board 'wheel': its port is down: there is no such port")
    assert bench.run(OPENING_NS / S - 0.1) == []
    bench.unplug()
    story = bench.run(0.3)
    assert story[0] == "table.opened"
    assert f"device.fault {BOARD_LOST}" in story
    assert story[-3:] == ["device.fault sensor_missing", "void sensor_missing", "device.fault sensor_missing"]
    assert bench.devices()[-1] == {"device": DEVICE, "driver": "board", "kind": "wheel"}
    assert "table wheel-2: board 'wheel': its port is down: there is no such port" in caplog.text


def test_a_board_that_comes_late_is_named_then() -> None:
    bench = OnABoard()
    bench.run(OPENING_NS / S + 0.1)
    bench.link.up(identity())
    assert bench.run(0.1)[-1] == f"device.warning {BOARD_IDENTIFIED}"
    said = bench.hall.said.one(events.DeviceWarning)
    assert said.device == DEVICE
    assert said.detail == (
        "wheel board, serial 7, firmware 1.0.0, build 1A2B3C4D, begun 3 times, the last time: its reset button, or the "
        "opening of its port"
    )


def test_a_lost_board_is_told_in_its_words_before_what_its_lines_cause() -> None:
    bench = OnABoard()
    bench.link.up(identity())
    bench.run(1)
    bench.link.down("board 'wheel': no answer to clock for 1000 ms (9 tries); is it powered, is its cable in?")
    bench.unplug()
    story = bench.run(0.1)
    assert story[2:5] == [f"device.fault {BOARD_LOST}", "device.fault sensor_missing", "void sensor_missing"]
    lost = bench.hall.said.of(events.DeviceFault)[0]
    assert (lost.device, lost.blocks_play) == (DEVICE, False)
    assert lost.detail.startswith("board 'wheel': no answer to clock for 1000 ms")
    assert bench.table == "shut"


def test_a_board_that_is_back_lets_a_supervisor_clear_its_fault_without_a_restart(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    bench = OnABoard()
    bench.link.up(identity())
    bench.run(1)
    bench.link.down("board 'wheel': it was reset: its watchdog: its program hung")
    bench.unplug()
    bench.run(0.1)
    bench.hall.send("clear", request_id="1", device=DEVICE)
    bench.run(0.1)
    assert "board_lost stays, because of the board wheel" in bench.hall.answers[-1].reason
    bench.link.up(identity(boots=4, cause=Reset.WATCHDOG))
    bench.plug_in()
    bench.run(0.1)
    assert "board.wheel is up: wheel board, serial 7, firmware 1.0.0, build 1A2B3C4D, begun 4 times" in caplog.text
    assert "the last time: its watchdog: its program hung" in caplog.text
    for number, device in enumerate((DEVICE, "wheel", "dealer"), 2):
        bench.hall.send("clear", request_id=str(number), device=device)
    story = bench.run(3)
    assert [answer.accepted for answer in bench.hall.answers[-3:]] == [True] * 3, bench.hall.answers
    assert bench.table == "open"
    assert story[-1] == "round.opened"
    assert f"device.warning {BOARD_IDENTIFIED}" not in story, "it is the same board"


def test_what_else_is_wrong_with_a_lost_board_is_told_as_a_warning() -> None:
    bench = OnABoard()
    bench.link.up(identity())
    bench.run(1)
    bench.link.down("board 'wheel': no answer")
    bench.run(0.1)
    bench.link.down("board 'wheel': no answer")
    assert bench.run(0.1)[-1] == f"device.fault {BOARD_LOST}"
    bench.link.down("board 'wheel': expected a board of kind 'wheel', found kind 'pusher'")
    assert bench.run(0.1)[-1] == f"device.warning {BOARD_LOST}"
    assert bench.hall.said.of(events.DeviceWarning)[-1].detail.endswith("found kind 'pusher'")


def test_another_board_in_its_place_is_named() -> None:
    bench = OnABoard()
    bench.link.up(identity(serial=7))
    bench.run(1)
    bench.link.down("board 'wheel': its port is down")
    bench.link.up(identity(serial=8))
    story = bench.run(0.1)
    assert story[-2:] == [f"device.fault {BOARD_LOST}", f"device.warning {BOARD_IDENTIFIED}"]
    assert "serial 8" in bench.hall.said.of(events.DeviceWarning)[-1].detail


def test_a_fault_of_a_board_shows_again_after_a_restart_and_can_be_cleared() -> None:
    before = OnABoard()
    before.link.up(identity())
    before.run(1)
    before.link.down("board 'wheel': no answer")
    before.run(0.1)
    after = OnABoard(before=before)
    after.link.up(identity())
    story = after.run(0.1)
    assert story[0] == "table.opened"
    assert f"device.fault {BOARD_LOST}" in story
    after.hall.send("clear", device=DEVICE)
    after.run(0.1)
    assert after.hall.answers[-1].accepted


def test_what_the_service_finds_while_the_table_waits_is_told_when_it_begins() -> None:
    bench = OnABoard()
    live = bench.hall.tables["wheel-2"]
    bench.hall.tables["wheel-2"].raise_fault("disk", "nearly_full", "no room", cause="no room")
    assert bench.run(0.5) == []
    live.cause_gone("disk", "no room")
    bench.link.up(identity())
    story = bench.run(0.1)
    assert story[:2] == ["table.opened", "device.fault nearly_full"]
    bench.hall.send("clear", device="disk")
    bench.run(0.1)
    assert bench.hall.answers[-1].accepted


def test_a_table_that_never_began_has_nothing_to_close() -> None:
    bench = OnABoard()
    bench.hall.supervisor.close("the service stops")
    assert bench.hall.said.story() == []
    assert bench.link.watchers == []


def test_a_closed_table_hears_no_more_of_its_boards() -> None:
    bench = OnABoard()
    bench.link.up(identity())
    bench.run(0.1)
    bench.hall.supervisor.close("the service stops")
    assert bench.link.watchers == []
    assert bench.hall.said.story()[-1] == "table.closed the service stops"


def test_a_table_on_an_emulated_board_says_that_everything_is_simulated() -> None:
    bench = OnABoard(EMULATED)
    bench.link.up(identity())
    bench.run(0.1)
    assert bench.hall.said.story()[0] == "table.opened"
    assert all(event.topic.startswith("sim/v1/wheel-2/") for event in bench.hall.said)


def test_emulated_boards_and_real_ones_do_not_meet_in_one_journal(tmp_path: Path) -> None:
    real = configured(MONEY_ON_A_BOARD)
    emulated = configured(
        MONEY_ON_A_BOARD.replace("wheel-2", "wheel-3").replace('wheel"\n[dev', 'x"\nemulated = true\n[dev')
    )
    assert state_paths_for(tmp_path, [real]).root == tmp_path
    assert state_paths_for(tmp_path, [emulated]).root == tmp_path / "sim"
    with pytest.raises(StatePathError, match="wheel-3 is simulated, and wheel-2 has real wires"):
        state_paths_for(tmp_path, [real, emulated])


@pytest.mark.parametrize(
    ("flag", "warning", "words"),
    [
        (Flag.KEYS_AMBIGUOUS, "keys_ambiguous", "keys are pressed that the board cannot distinguish from others"),
        (Flag.STORE_WORN, "store_worn", "80 % of the writes"),
        (Flag.STORM, "input_masked", "an input changes faster than the board can follow"),
    ],
)
def test_what_a_board_reports_of_itself_is_a_warning_each_time_that_it_begins(
    flag: Flag, warning: str, words: str
) -> None:
    bench = OnABoard()
    bench.link.up(identity())
    bench.run(0.1)
    open_now = Flag.SESSION_OPEN
    for flags in (open_now, open_now | flag, open_now | flag | Flag.WATCHING, open_now, open_now | flag):
        bench.link.state(flags)
        bench.run(0.1)
    warned = bench.hall.said.of(events.DeviceWarning)
    assert [(each.device, each.warning) for each in warned] == [(DEVICE, warning)] * 2
    assert words in warned[0].detail


def test_a_device_of_a_board_that_has_a_fault_for_five_seconds_is_a_warning_with_what_is_active() -> None:
    text = Path("examples/token_pusher_board.toml").read_text()
    bench = OnABoard(text, board="pusher", lines=[*PLACES, "door"])
    bench.link.up(identity("pusher"))
    for watcher in bench.link.watchers:
        watcher.reported(SensorsReport(0x7F, 0b0001_0000, 0b0000_0010), 5 * S)
    bench.run(0.1)
    fault = Flag.SESSION_OPEN | Flag.FAULT
    for flags, t_s in ((fault, 10), (fault, 14.9), (0, 15), (fault, 16), (fault, 20.9), (fault, 21), (fault, 30)):
        bench.link.state(flags, round(t_s * S), levels=0b1000_0010 if t_s < 30 else 0)
        bench.run(0.1)
        warned = bench.hall.said.of(events.DeviceWarning)
        assert [each.warning for each in warned] == ["board_fault"] * (t_s > 20.95), t_s
    detail = "board.pusher: a device of it has had a fault for 5 s; active inputs: win_a, power_fail"
    detail += "; shorted in its last test: tilt; dark in its last test: win_a"
    assert [(each.device, each.detail) for each in warned] == [("board.pusher", detail)]
    bench.link.down("board 'pusher': no answer")
    bench.link.up(identity("pusher"))
    bench.link.state(fault, 31 * S)
    bench.link.state(fault, 37 * S)
    bench.run(0.1)
    assert len(bench.hall.said.of(events.DeviceWarning)) == 2, "in a new session it may be another one"


def test_a_memory_that_keeps_nothing_is_a_fault_until_it_does_and_a_person_clears_it() -> None:
    bench = OnABoard()
    bench.link.up(identity())
    bench.link.state(Flag.STORE_FAILED)
    assert "device.fault store_failed" in bench.run(0.1)
    assert bench.table == "open"
    bench.hall.send("clear", request_id="1", device=DEVICE)
    bench.run(0.1)
    assert f"the memory of {DEVICE}" in bench.hall.answers[-1].reason
    bench.link.state(0)
    bench.run(0.1)
    bench.hall.send("clear", request_id="2", device=DEVICE)
    assert bench.run(0.1)[-1] == "device.cleared ann"
