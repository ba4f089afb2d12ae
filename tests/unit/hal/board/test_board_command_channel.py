"""One command at a time: sent again until it is answered, and no other answer is taken for its own."""

from __future__ import annotations

from hal.board import frames
from hal.board.command_channel import CommandChannel, ExchangeLosses
from hal.board.messages import (
    AliveCommand,
    EdgesFromCommand,
    HeldAnswer,
    IdentifyCommand,
    NameBoardCommand,
    OkAnswer,
    OpenCommand,
    RefusalCode,
    RefusedAnswer,
)

MS = 1_000_000


def test_numbers_begin_at_1_after_open_and_never_come_to_0() -> None:
    channel = CommandChannel()
    assert frames.decode(channel.send_unnumbered(OpenCommand(7), 0)[:-1]).number == 0
    assert channel.answered(0, OkAnswer(), 7, 5 * MS) is not None
    numbers = []
    for _ in range(257):
        numbers.append(frames.decode(channel.send(AliveCommand(), 0)[:-1]).number)
        assert channel.answered(numbers[-1], OkAnswer(), 7, 5 * MS) is not None
    assert numbers == [*range(1, 256), 1, 2]


def test_only_its_own_answer_is_taken() -> None:
    channel = CommandChannel()
    channel.send_unnumbered(OpenCommand(7), 0)
    channel.answered(0, OkAnswer(), 7, 5 * MS)
    channel.send(EdgesFromCommand(3), 0)
    assert channel.answered(2, HeldAnswer(3), 11, 5 * MS) is None
    assert channel.answered(0, HeldAnswer(3), 11, 5 * MS) is None
    assert channel.answered(1, OkAnswer(), 7, 5 * MS) is None
    assert channel.answered(1, RefusedAnswer(NameBoardCommand.id, RefusalCode.WRONG_VALUE), 9, 5 * MS) is None
    assert channel.command == EdgesFromCommand(3)
    answered = channel.answered(1, RefusedAnswer(EdgesFromCommand.id, RefusalCode.WRONG_VALUE), 9, 5 * MS)
    assert answered is not None and answered.command == EdgesFromCommand(3)
    assert channel.command is None
    assert channel.answered(1, HeldAnswer(3), 11, 5 * MS) is None


def test_a_try_that_was_answered_late_was_not_lost() -> None:
    channel = CommandChannel()
    channel.send(AliveCommand(), 0)
    for t_ns in (30 * MS, 80 * MS):
        assert channel.resend(t_ns)[:1] == b"\0"
    first = channel.answered(1, OkAnswer(), 7, 5 * MS)
    assert first is not None and (first.tries, first.previous) == (3, None)
    channel.send(AliveCommand(), 90 * MS)
    assert channel.answered(1, OkAnswer(), 7, 5 * MS) is None
    second = channel.answered(2, OkAnswer(), 7, 5 * MS)
    assert second is not None and second.previous == ExchangeLosses(14, 1)


def test_nothing_is_sent_again_before_it_is_due_or_when_it_was_abandoned() -> None:
    channel = CommandChannel()
    assert (channel.resend(5), channel.due_ns, channel.tries, channel.timed_out(5)) == (b"", None, 0, False)
    channel.send(AliveCommand(), 0)
    due_ns = channel.due_ns
    assert due_ns is not None
    assert channel.resend(due_ns - 1) == b""
    channel.abandon()
    assert channel.resend(due_ns) == b""


def test_a_host_that_was_stopped_tries_more_often_before_it_thinks_the_board_lost() -> None:
    channel = CommandChannel()
    channel.send(AliveCommand(), 0)
    assert not channel.timed_out(5000 * MS)
    for t_ns in (5000, 5100, 5300, 5500):
        assert channel.resend(t_ns * MS)
    assert channel.tries == 5
    assert channel.timed_out(5500 * MS)


def test_identify_may_stay_unanswered_for_ever() -> None:
    channel = CommandChannel()
    channel.send_unnumbered(IdentifyCommand(), 0)
    for t_ns in range(0, 20_000, 200):
        channel.resend(t_ns * MS)
        assert not channel.timed_out(t_ns * MS)


def wait_ms(channel: CommandChannel, answered_ms: int, tries: int = 1) -> int:
    """Sends a command and answers it; after how long, except for its time on the wire, it would have been sent
    again."""
    number = frames.decode(channel.send(AliveCommand(), 0)[:-1]).number
    due_ns = channel.due_ns
    assert due_ns is not None
    for _ in range(1, tries):
        channel.resend(channel.due_ns or 0)
    channel.answered(number, OkAnswer(), 7, answered_ms * MS)
    return due_ns // MS - 2


def test_the_wait_for_an_answer_is_twice_the_longest_of_the_last_round_trips() -> None:
    channel = CommandChannel()
    assert wait_ms(channel, 2) == 20
    for _ in range(6):
        assert wait_ms(channel, 2) == 20
    assert wait_ms(channel, 2) == 20
    assert wait_ms(channel, 33) == 6
    assert [wait_ms(channel, 2) for _ in range(9)] == [66] * 8 + [6]
    assert wait_ms(channel, 70) == 6
    assert wait_ms(channel, 2) == 80


def test_after_an_answer_to_one_of_several_tries_the_next_is_given_more_time() -> None:
    channel = CommandChannel()
    assert wait_ms(channel, 30, tries=2) == 20
    assert wait_ms(channel, 90, tries=3) == 40
    assert wait_ms(channel, 90, tries=3) == 80
    assert wait_ms(channel, 35) == 80
    assert wait_ms(channel, 35) == 70
