"""One command at a time: sent again until it is answered, and no other answer is taken for its own."""

from __future__ import annotations

from hal.board import frames
from hal.board.command_channel import Courier, Settled
from hal.board.messages import (
    AliveCommand,
    EdgesFromCommand,
    HeldAnswer,
    IdentifyCommand,
    NameBoardCommand,
    OkAnswer,
    OpenCommand,
    Refusal,
    RefusedAnswer,
)

MS = 1_000_000


def test_numbers_begin_at_1_after_open_and_never_come_to_0() -> None:
    courier = Courier()
    assert frames.decode(courier.send_unnumbered(OpenCommand(7), 0)[:-1]).number == 0
    assert courier.answered(0, OkAnswer(), 7, 5 * MS) is not None
    numbers = []
    for _ in range(257):
        numbers.append(frames.decode(courier.send(AliveCommand(), 0)[:-1]).number)
        assert courier.answered(numbers[-1], OkAnswer(), 7, 5 * MS) is not None
    assert numbers == [*range(1, 256), 1, 2]


def test_only_its_own_answer_is_taken() -> None:
    courier = Courier()
    courier.send_unnumbered(OpenCommand(7), 0)
    courier.answered(0, OkAnswer(), 7, 5 * MS)
    courier.send(EdgesFromCommand(3), 0)
    assert courier.answered(2, HeldAnswer(3), 11, 5 * MS) is None
    assert courier.answered(0, HeldAnswer(3), 11, 5 * MS) is None
    assert courier.answered(1, OkAnswer(), 7, 5 * MS) is None
    assert courier.answered(1, RefusedAnswer(NameBoardCommand.id, Refusal.WRONG_VALUE), 9, 5 * MS) is None
    assert courier.command == EdgesFromCommand(3)
    carried = courier.answered(1, RefusedAnswer(EdgesFromCommand.id, Refusal.WRONG_VALUE), 9, 5 * MS)
    assert carried is not None and carried.command == EdgesFromCommand(3)
    assert courier.command is None
    assert courier.answered(1, HeldAnswer(3), 11, 5 * MS) is None


def test_a_try_that_was_answered_late_was_not_lost() -> None:
    courier = Courier()
    courier.send(AliveCommand(), 0)
    for t_ns in (30 * MS, 80 * MS):
        assert courier.again(t_ns)[:1] == b"\0"
    first = courier.answered(1, OkAnswer(), 7, 5 * MS)
    assert first is not None and (first.tries, first.before) == (3, None)
    courier.send(AliveCommand(), 90 * MS)
    assert courier.answered(1, OkAnswer(), 7, 5 * MS) is None
    second = courier.answered(2, OkAnswer(), 7, 5 * MS)
    assert second is not None and second.before == Settled(14, 1)


def test_nothing_is_sent_again_before_it_is_due_or_when_it_was_abandoned() -> None:
    courier = Courier()
    assert (courier.again(5), courier.due_ns, courier.tries, courier.lost(5)) == (b"", None, 0, False)
    courier.send(AliveCommand(), 0)
    due_ns = courier.due_ns
    assert due_ns is not None
    assert courier.again(due_ns - 1) == b""
    courier.abandon()
    assert courier.again(due_ns) == b""


def test_a_host_that_was_stopped_tries_more_often_before_it_thinks_the_board_lost() -> None:
    courier = Courier()
    courier.send(AliveCommand(), 0)
    assert not courier.lost(5000 * MS)
    for t_ns in (5000, 5100, 5300, 5500):
        assert courier.again(t_ns * MS)
    assert courier.tries == 5
    assert courier.lost(5500 * MS)


def test_identify_may_stay_unanswered_for_ever() -> None:
    courier = Courier()
    courier.send_unnumbered(IdentifyCommand(), 0)
    for t_ns in range(0, 20_000, 200):
        courier.again(t_ns * MS)
        assert not courier.lost(t_ns * MS)


def wait_ms(courier: Courier, answered_ms: int, tries: int = 1) -> int:
    """Sends a command and answers it; after how long, but for its time on the wire, it would have been sent again."""
    number = frames.decode(courier.send(AliveCommand(), 0)[:-1]).number
    due_ns = courier.due_ns
    assert due_ns is not None
    for _ in range(1, tries):
        courier.again(courier.due_ns or 0)
    courier.answered(number, OkAnswer(), 7, answered_ms * MS)
    return due_ns // MS - 2


def test_the_wait_for_an_answer_is_twice_the_longest_of_the_last_round_trips() -> None:
    courier = Courier()
    assert wait_ms(courier, 2) == 20
    for _ in range(6):
        assert wait_ms(courier, 2) == 20
    assert wait_ms(courier, 2) == 20
    assert wait_ms(courier, 33) == 6
    assert [wait_ms(courier, 2) for _ in range(9)] == [66] * 8 + [6]
    assert wait_ms(courier, 70) == 6
    assert wait_ms(courier, 2) == 80


def test_after_an_answer_to_one_of_several_tries_the_next_is_given_more_time() -> None:
    courier = Courier()
    assert wait_ms(courier, 30, tries=2) == 20
    assert wait_ms(courier, 90, tries=3) == 40
    assert wait_ms(courier, 90, tries=3) == 80
    assert wait_ms(courier, 35) == 80
    assert wait_ms(courier, 35) == 70
