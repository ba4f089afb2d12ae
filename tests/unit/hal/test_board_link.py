"""The link to a board, in virtual time, on a port that pyserial opens: what happens to it, and what is told of it."""

from __future__ import annotations

import asyncio

import pytest
from pytest_mock import MockerFixture

from hal.board.errors import BoardError, CommandRefusedError, SessionEndedError
from hal.board.identity import ExpectedBoard
from hal.board.link import LINGER_NS, BoardLink
from hal.board.message import BoardAnswer, BoardReport, MessageError
from hal.board.messages import (
    KINDS,
    PROTOCOL,
    AliveCommand,
    AllSafeCommand,
    CountsAnswer,
    CountsCommand,
    HopperReport,
    IdentityAnswer,
    MotorCommand,
    NameBoardCommand,
    OkAnswer,
    RefusalCode,
    Reset,
    SensorsReport,
    SetCommand,
    StateReport,
)
from hal.clock import NS_PER_S, VirtualClock
from hal.lines import LineError
from hal.link_status import LinkError
from hal.loop import run_virtual, sleep_ns
from hal.serial_link import SerialLink
from tests.fakes.board_bench import BUILD, MS, BoardBench, RecordingWatcher, play

RUBBISH = b"\x80\xf8ready?\r\n\xff\xff\x00\x01garbage\x00" * 40


# --- up -------------------------------------------------------------------------------------------------------------


def test_a_board_that_is_plugged_in_comes_up_and_identifies_itself() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        assert not bench.link.status.up
        assert "being opened" in bench.link.status.reason
        took_ns = await bench.until(lambda: watching.ups)
        assert took_ns < NS_PER_S
        status = bench.link.status
        assert (status.up, status.since_ns, status.reason) == (True, watching.ups[0], "")
        assert status.identity is not None
        assert (status.identity.kind, status.identity.build) == (KINDS["wheel"].id, BUILD)
        await bench.passes(10)
        assert len(watching.ups) == 1
        assert watching.downs == []
        assert bench.link.clock.ready

    play(scene)


def test_what_the_board_reports_is_handed_on() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        await bench.passes(1)
        assert len([report for report in watching.reports if isinstance(report, StateReport)]) == pytest.approx(
            10, abs=1
        )

    play(scene)


@pytest.mark.parametrize("chatter", [b"", RUBBISH], ids=["silent", "rubbish"])
def test_a_board_that_is_reset_by_the_opening_of_its_port_comes_up_after_its_boot_loader(chatter: bytes) -> None:
    async def scene(bench: BoardBench) -> None:
        bench.port.resets_on_open, bench.port.chatter = 2 * NS_PER_S, chatter
        watching = RecordingWatcher()
        bench.link.open(watching)
        took_ns = await bench.until(lambda: watching.ups)
        assert 2 * NS_PER_S < took_ns < 3 * NS_PER_S
        assert watching.downs == []
        assert bench.board.identity.cause == Reset.EXTERNAL
        await bench.passes(5)
        assert watching.downs == []

    play(scene)


def test_an_idle_board_is_kept_alive() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.link.open(RecordingWatcher())
        await bench.is_up()
        longest_ns = 0
        heard_ns = bench.now_ns
        for _ in range(100):
            bench.overheard.clear()
            await bench.passes(0.1)
            sent = [t_ns for way, _, t_ns in bench.overheard if way == "to"]
            longest_ns = max(longest_ns, max(sent, default=bench.now_ns) - heard_ns)
            heard_ns = max(sent, default=heard_ns)
            assert not bench.board.deadman
        assert longest_ns <= 210 * MS

    play(scene)


# --- not the right one ----------------------------------------------------------------------------------------------

WHEEL, PUSHER = KINDS["wheel"], KINDS["pusher"]


@pytest.mark.parametrize(
    ("field", "value", "expected", "found", "fix"),
    [
        ("protocol", 0, f"expected protocol 1 to {PROTOCOL}", "found protocol 0", "feltwire boards flash wheel"),
        ("kind", PUSHER.id, "expected a board of kind 'wheel'", "found kind 'pusher'", "plug in the right board"),
        ("minor", 9, "expected firmware 1.0.0", "found firmware 1.9.0", "feltwire boards flash wheel"),
        ("build", 0x99, f"expected build {BUILD:08X}", "found build 00000099", "feltwire boards flash wheel"),
    ],
)
def test_a_wrong_board_is_refused_with_both_values_and_the_fix_until_it_is_right(
    field: str, value: int, expected: str, found: str, fix: str
) -> None:
    async def scene(bench: BoardBench) -> None:
        right = bench.board.identity
        values = {name: getattr(right, name) for name in right.__struct_fields__}
        bench.board.identity = type(right)(**(values | {field: value}))
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.passes(20)
        assert watching.ups == []
        [(_, reason)] = watching.downs
        for words in ("board 'one'", expected, found, fix):
            assert words in reason
        assert bench.link.status.reason == reason
        assert bench.link.status.identity is not None
        bench.board.identity = right  # somebody flashed it
        await bench.is_up()
        assert bench.link.status.reason == ""

    play(scene)


def test_any_kind_of_board_will_do_where_none_is_named() -> None:
    async def scene(bench: BoardBench) -> None:
        link = BoardLink("any", bench.port.url, ExpectedBoard(None, None, None), bench.clock)
        assert link.kind is None
        watching = RecordingWatcher()
        link.open(watching)
        await bench.until(lambda: watching.ups)
        link.close(watching)
        await link.wait_closed()

    play(scene)


# --- down, and back -------------------------------------------------------------------------------------------------


def test_a_board_that_is_not_plugged_in_is_reported_with_its_port_and_comes_up_when_it_is() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.port.pull()
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.passes(1)
        [(_, reason)] = watching.downs
        assert "wire://wheel: No such file" in reason
        assert "[board.one]" in reason
        assert bench.link.status.reason == reason
        bench.port.plug_in()
        await bench.is_up()

    play(scene)


def test_a_board_that_is_unplugged_is_reported_and_comes_back_without_a_restart() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        for times in range(1, 4):
            pulled_ns = bench.now_ns
            bench.port.pull()
            await bench.until(lambda: not bench.link.status.up)
            assert len(watching.downs) == times
            assert watching.downs[-1][0] - pulled_ns <= MS
            assert "its port is down" in watching.downs[-1][1]
            await bench.passes(2)
            assert "No such file" in bench.link.status.reason  # why it cannot be opened now
            bench.port.plug_in()
            await bench.is_up()
            assert len(watching.ups) == times + 1

    play(scene)


@pytest.mark.parametrize(
    ("cause", "words"),
    [(Reset.WATCHDOG, "watchdog"), (Reset.BROWN_OUT, "power sagged"), (Reset.POWER_ON, "power came on")],
)
def test_a_reset_is_reported_with_its_cause_and_a_new_session_begins(cause: Reset, words: str) -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        reset_ns = bench.now_ns
        bench.port.at(reset_ns, lambda t_ns: bench.board.reset(t_ns, cause))
        await bench.until(lambda: watching.downs)
        [(t_ns, reason)] = watching.downs
        assert t_ns - reset_ns < 100 * MS
        assert words in reason
        await bench.is_up()
        assert bench.board.life == 1

    play(scene)


def test_a_reset_whose_report_is_lost_is_noticed_all_the_same() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        bench.port.to_host = lambda data: b""
        bench.port.at(bench.now_ns, lambda t_ns: bench.board.reset(t_ns, Reset.WATCHDOG))
        await bench.passes(0.02)
        bench.port.to_host = lambda data: data
        await bench.until(lambda: watching.downs)
        assert "was reset" in watching.downs[0][1]
        await bench.is_up()

    play(scene)


def test_a_board_that_hangs_is_reported_within_two_seconds_and_comes_back_after_its_watchdog() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        bench.board.frozen = True
        took_ns = await bench.until(lambda: watching.downs)
        assert took_ns < 2 * NS_PER_S
        assert "no answer" in watching.downs[0][1]
        await bench.passes(1)
        bench.board.reset(bench.now_ns)
        bench.port.look()
        await bench.is_up()

    play(scene)


def test_a_wire_that_is_cut_is_reported_and_heals() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        bench.port.cut = True
        await bench.until(lambda: watching.downs)
        await bench.passes(60)
        assert not bench.link.status.up
        bench.port.cut = False
        await bench.is_up()

    play(scene)


@pytest.mark.parametrize("stopped_ms", [100, 500, 900, 1100, 3000, 5000, 30_000])
def test_a_host_that_was_stopped_finds_its_board_still_up(stopped_ms: int) -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        for offset_ms in (0, 13, 40, 97):  # before, in and after an exchange
            await bench.passes(1 + offset_ms / 1000)
            bench.port.stall(stopped_ms * MS)
            await bench.passes(2)
            assert isinstance(await bench.link.command(CountsCommand()), CountsAnswer)
        assert watching.downs == []
        assert len(watching.ups) == 1

    play(scene)


def test_a_link_that_breaks_one_byte_in_a_hundred_is_refused_with_its_figures_and_used_again_when_good() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        broken = 0

        def spoil(data: bytes) -> bytes:
            nonlocal broken
            broken += len(data)
            if broken < 100:
                return data
            broken -= 100
            return data[:3] + bytes((data[3] ^ 0x10 or 1,)) + data[4:]

        bench.port.to_host = spoil
        await bench.until(lambda: watching.downs, within_s=60)
        reason = watching.downs[0][1]
        assert "too bad to play on" in reason
        assert "%" in reason
        await bench.passes(30)
        assert not bench.link.status.up
        assert len(watching.ups) == 1
        bench.port.to_host = lambda data: data
        await bench.until(lambda: bench.link.status.up, within_s=120)

    play(scene)


def test_a_session_that_an_owner_ends_is_reported_with_its_reason_and_another_begins() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        bench.link.restart("it says nonsense")
        assert [reason for _, reason in watching.downs] == ["board 'one': it says nonsense"]
        await bench.is_up()
        assert len({done.session for done in bench.board.carried}) == 2

    play(scene)


def test_a_port_that_takes_no_bytes_is_opened_again(mocker: MockerFixture) -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        full = mocker.patch("hal.serial_link.SerialLink.write", side_effect=LinkError("4096 bytes still wait"))
        await bench.until(lambda: watching.downs)
        assert "4096 bytes still wait" in watching.downs[0][1]
        mocker.stop(full)
        await bench.is_up()
        assert bench.port.openings == 2

    play(scene)


# --- commands -------------------------------------------------------------------------------------------------------


def test_a_command_is_answered() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.board.counters = [1, 2, 3, 4]
        bench.link.open(RecordingWatcher())
        await bench.is_up()
        assert await bench.link.command(CountsCommand()) == CountsAnswer(1, 2, 3, 4)
        assert await bench.link.command(NameBoardCommand(17)) == OkAnswer()
        assert bench.carried(NameBoardCommand) == [NameBoardCommand(17)]

    play(scene)


def test_a_command_that_the_board_refuses_is_an_error_with_its_reason() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.board.refuse[SetCommand] = RefusalCode.NOT_SAFE
        bench.link.open(RecordingWatcher())
        await bench.is_up()
        with pytest.raises(CommandRefusedError, match=r"board 'one': refuses set: not_safe; an interlock"):
            await bench.link.command(SetCommand(1, 255, 0))
        told: list[BoardAnswer | BoardError] = []
        bench.link.submit(SetCommand(1, 255, 0), told.append)
        await bench.passes(0.1)
        assert isinstance(told[0], CommandRefusedError)

    play(scene)


def test_a_command_that_cannot_be_is_refused_before_it_is_sent() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.link.open(RecordingWatcher())
        await bench.is_up()
        with pytest.raises(BoardError, match="motor is not a command for a board of kind 'wheel'"):
            await bench.link.command(MotorCommand(1, 0, 0))
        with pytest.raises(MessageError, match="SetCommand"):
            await bench.link.command(SetCommand(1, 256, 0))
        await bench.link.command(AliveCommand())

    play(scene)


def test_a_command_to_a_board_that_is_not_up_is_not_kept_for_later() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        with pytest.raises(SessionEndedError, match="set was not sent") as raised:
            await bench.link.command(SetCommand(1, 255, 0))
        assert not raised.value.may_be_done
        await bench.is_up()
        await bench.passes(1)
        assert bench.carried(SetCommand) == []

    play(scene)


def test_a_command_under_way_when_the_board_is_lost_may_have_been_executed() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.link.open(RecordingWatcher())
        await bench.is_up()
        bench.port.to_host = lambda data: b""
        asked = asyncio.ensure_future(bench.link.command(SetCommand(1, 255, 0)))
        await bench.passes(0.3)
        bench.port.pull()
        with pytest.raises(SessionEndedError, match="may have been carried out") as raised:
            await asked
        assert raised.value.may_be_done
        assert bench.carried(SetCommand) == [SetCommand(1, 255, 0)]

    play(scene)


def test_whoever_no_longer_waits_for_an_answer_does_no_harm() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.link.open(RecordingWatcher())
        await bench.is_up()
        asked = asyncio.ensure_future(bench.link.command(SetCommand(1, 255, 0)))
        await sleep_ns(0)
        asked.cancel()
        await bench.passes(0.1)
        assert bench.carried(SetCommand) == [SetCommand(1, 255, 0)]

    play(scene)


def test_each_command_is_carried_out_once_and_in_order_though_some_are_lost_on_the_way_and_some_answers() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.link.open(RecordingWatcher())
        await bench.is_up()
        frames = 0

        def lose(data: bytes) -> bytes:
            nonlocal frames
            frames += 1
            return b"" if frames % 20 == 0 else data

        bench.port.to_board = lose
        bench.port.to_host = lambda data: data if b"\x40" not in data else lose(data)
        for serial in range(1, 60):
            await bench.link.command(NameBoardCommand(serial))
        assert bench.carried(NameBoardCommand) == [NameBoardCommand(serial) for serial in range(1, 60)]

    play(scene)


# --- opened and closed ----------------------------------------------------------------------------------------------


def test_several_watchers_share_a_board_and_a_later_one_is_notified_at_once() -> None:
    async def scene(bench: BoardBench) -> None:
        first, second = RecordingWatcher(), RecordingWatcher()
        bench.link.open(first)
        await bench.is_up()
        bench.link.open(second)
        assert second.ups == [bench.now_ns]
        assert bench.link.watchers == (first, second)
        with pytest.raises(LineError, match="board 'one': it is open already"):
            bench.link.open(second)
        bench.link.close(first)
        bench.link.close(first)
        await bench.passes(1)
        assert bench.link.status.up
        assert len(first.reports) < len(second.reports)
        bench.link.close(second)
        await bench.link.wait_closed()
        assert not bench.link.status.up
        assert "closed" in bench.link.status.reason

    play(scene)


def test_the_last_command_is_still_executed_when_the_link_is_closed() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        for number in (1, 2, 3):
            await bench.link.command(SetCommand(number, 255, 0))
        bench.link.submit(SetCommand(1, 0, 0))
        bench.link.submit(AllSafeCommand())
        bench.link.close(watching)
        closed_ns = bench.now_ns
        await bench.link.wait_closed()
        assert bench.now_ns - closed_ns < 20 * MS
        assert bench.carried(AllSafeCommand)
        assert bench.board.outputs == {}

    play(scene)


def test_closing_does_not_wait_for_long_for_a_board_that_is_gone() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        await bench.link.command(SetCommand(1, 255, 0))
        bench.port.cut = True
        told: list[BoardAnswer | BoardError] = []
        bench.link.submit(AllSafeCommand(), told.append)
        bench.link.close(watching)
        closed_ns = bench.now_ns
        await bench.link.wait_closed()
        assert bench.now_ns - closed_ns == LINGER_NS
        assert isinstance(told[0], SessionEndedError)
        await bench.passes(0.5)
        assert bench.board.outputs == {}  # the dead-man

    play(scene)


def test_a_link_can_be_opened_again_at_once_and_later() -> None:
    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        bench.link.submit(AllSafeCommand())
        bench.link.close(watching)
        bench.link.open(watching)  # while it waits for its last answer
        assert len(watching.ups) == 2
        await bench.passes(1)
        assert bench.link.status.up
        assert bench.port.openings == 1
        bench.link.close(watching)
        bench.link.open(watching)  # while its port is being let go
        await bench.is_up()
        assert bench.port.openings == 2
        bench.link.close(watching)
        await bench.link.wait_closed()
        bench.link.open(watching)
        await bench.is_up()
        assert len(watching.ups) == 4

    play(scene)


def test_a_watcher_that_comes_later_gets_what_the_board_has_reported_of_its_devices() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.link.open(RecordingWatcher())
        await bench.is_up()
        bench.board.say(HopperReport(3, 5, 2, 2, 1, 0), bench.now_ns)
        await bench.passes(0.1)
        late = RecordingWatcher()
        bench.link.open(late)
        assert len(late.ups) == 1
        assert late.reports == [HopperReport(3, 5, 2, 2, 1, 0), SensorsReport(0x7F, 0, 0)]

    play(scene, "pusher")


def test_a_watcher_that_raises_does_not_affect_the_others(caplog: pytest.LogCaptureFixture) -> None:
    class Failing(RecordingWatcher):
        def reported(self, report: BoardReport, t_ns: int) -> None:
            super().reported(report, t_ns)
            if len(self.reports) == 1:
                bench_of[0].link.restart("the first of two pieces of news")
                raise RuntimeError("a defect")

    bench_of: list[BoardBench] = []

    async def scene(bench: BoardBench) -> None:
        bench_of.append(bench)
        failing = Failing()
        bench.link.open(failing)
        await bench.until(lambda: failing.reports)
        await bench.until(lambda: len(failing.ups) == 2)
        assert len(failing.downs) == 1

    play(scene)
    assert "a defect" in caplog.text


def test_every_watcher_is_notified_even_if_one_raises_at_each_event_and_the_exceptions_surface(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Failing(RecordingWatcher):
        def up(self, identity: IdentityAnswer, t_ns: int) -> None:
            raise RuntimeError("a defect of its up")

        def down(self, t_ns: int, reason: str) -> None:
            raise RuntimeError("a defect of its down")

    async def scene(bench: BoardBench) -> None:
        before, after = RecordingWatcher(), RecordingWatcher()
        for watcher in (before, Failing(), after):
            bench.link.open(watcher)
        await bench.until(lambda: after.ups)
        await bench.until(lambda: len(after.reports) > 2)
        bench.port.pull()
        await bench.until(lambda: after.downs)
        assert (before.ups, before.downs) == (after.ups, after.downs)
        assert before.reports == after.reports
        await bench.passes(0.1)
        assert "a defect of its down" in str(bench.link.failed)

    play(scene)
    assert "a defect of its up" in caplog.text


def test_every_callback_gets_its_result_even_if_one_raises() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.link.open(RecordingWatcher())
        await bench.is_up()
        told: list[object] = []

        def fail(result: object) -> None:
            raise RuntimeError("a defect of who waits")

        bench.link.submit(SetCommand(1, 255, 0), fail)
        bench.link.submit(SetCommand(2, 255, 0), told.append)
        bench.link.submit(SetCommand(3, 255, 0), fail)
        bench.link.submit(SetCommand(4, 255, 0), told.append)
        bench.port.pull()
        await bench.until(lambda: len(told) == 2)
        await bench.passes(0.1)
        assert "a defect of who waits" in str(bench.link.failed)

    play(scene)


def test_a_port_that_is_slow_to_close_does_not_hide_why_the_board_was_lost(
    mocker: MockerFixture, caplog: pytest.LogCaptureFixture
) -> None:
    let_go = SerialLink._release_port

    async def slowly(link: SerialLink) -> None:
        await sleep_ns(4 * NS_PER_S)
        await let_go(link)

    async def scene(bench: BoardBench) -> None:
        watching = RecordingWatcher()
        bench.link.open(watching)
        await bench.is_up()
        mocker.patch.object(SerialLink, "_release_port", slowly)
        mocker.patch("tests.fakes.protocol_wire.Serial.close", side_effect=OSError("it cannot be closed"))
        pulled_ns = bench.now_ns
        bench.port.pull()
        await bench.passes(3)
        [(down_ns, reason)] = watching.downs
        assert "its port is down: device reports readiness to read but returned no data" in reason
        assert down_ns - pulled_ns < 10 * MS
        mocker.stopall()
        await bench.passes(3)
        bench.port.plug_in()
        await bench.is_up()
        assert [one for _, one in watching.downs] == [reason]

    play(scene)


def test_a_watcher_can_close_another_while_both_are_notified() -> None:
    async def scene(bench: BoardBench) -> None:
        second = RecordingWatcher()

        class First(RecordingWatcher):
            def down(self, t_ns: int, reason: str) -> None:
                super().down(t_ns, reason)
                bench.link.close(second)

        first = First()
        bench.link.open(first)
        bench.link.open(second)
        await bench.is_up()
        bench.port.pull()
        await bench.until(lambda: first.downs)
        assert second.downs == []

    play(scene)


def test_a_link_that_was_never_open_is_closed_at_once() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.link.close(RecordingWatcher())
        await bench.link.wait_closed()
        assert "not opened" in bench.link.status.reason

    play(scene)


def test_closing_after_the_loop_has_ended_does_nothing_that_fails() -> None:
    made: list[tuple[BoardBench, RecordingWatcher]] = []

    async def scene(bench: BoardBench) -> None:
        made.append((bench, RecordingWatcher()))

    play(scene)
    bench, watching = made[0]

    async def leave_open() -> None:
        bench.link.open(watching)
        await sleep_ns(NS_PER_S)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    run_virtual(leave_open(), VirtualClock())
    bench.link.submit(AllSafeCommand())
    bench.link.close(watching)
    assert bench.link.watchers == ()


def test_the_tap_gets_everything_on_the_wire() -> None:
    async def scene(bench: BoardBench) -> None:
        bench.link.open(RecordingWatcher())
        await bench.is_up()
        ways = {way for way, _, _ in bench.overheard}
        assert ways == {"to", "from"}
        assert all(b"\0" not in data for way, data, _ in bench.overheard if way == "from")

    play(scene)


def test_a_port_of_no_known_kind_is_refused_by_name() -> None:
    with pytest.raises(LineError, match=r"'one'.*carrier-pigeon"):
        BoardLink("one", "carrier-pigeon://loft", ExpectedBoard(None, None, None), VirtualClock())
