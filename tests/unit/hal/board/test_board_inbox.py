"""What a board says: counted, numbered, and told once."""

from __future__ import annotations

import pytest

from hal.board import frames
from hal.board.inbox import Inbox, ReceivedMessage
from hal.board.message import BoardReport
from hal.board.messages import AliveCommand, BootReport, CountsReport, OkAnswer

COUNTS = CountsReport(1, 2, 3, 4)
BOOT = BootReport(8, 3, 1)


def heard(inbox: Inbox, number: int, report: BoardReport = COUNTS) -> ReceivedMessage | None:
    return inbox.take(frames.encode(number, report)[:-1])


def test_reports_that_did_not_come_are_counted_by_their_numbers() -> None:
    inbox = Inbox()
    numbers = [7, 8, 11, 255, 0, 3]
    assert [one.lost_before for n in numbers if (one := heard(inbox, n))] == [0, 0, 2, 243, 0, 2]


def test_a_repeated_report_is_delivered_once() -> None:
    inbox = Inbox()
    assert heard(inbox, 7) is not None
    assert heard(inbox, 7) is None
    assert inbox.broken == 0


def test_the_first_report_of_a_session_has_lost_none_before_it() -> None:
    inbox = Inbox()
    heard(inbox, 200)
    inbox.begin()
    first = heard(inbox, 0)
    assert first is not None and first.lost_before == 0


def test_a_boot_report_is_delivered_whatever_its_number() -> None:
    inbox = Inbox()
    heard(inbox, 0)
    assert heard(inbox, 0, BOOT) == ReceivedMessage(0, BOOT, 11)


def test_an_answer_has_no_part_in_the_numbers_of_reports() -> None:
    inbox = Inbox()
    heard(inbox, 5)
    assert inbox.take(frames.encode(5, OkAnswer())[:-1]) == ReceivedMessage(5, OkAnswer(), 7)
    following = heard(inbox, 6)
    assert following is not None and following.lost_before == 0


@pytest.mark.parametrize("piece", [b"", b"\x05\x01", frames.encode(1, AliveCommand())[:-1]])
def test_frames_that_are_no_message_are_counted(piece: bytes) -> None:
    inbox = Inbox()
    assert inbox.take(piece) is None
    assert inbox.broken == 1
