"""A simulated device on a serial port of its own: its frames leave in time, and its cable comes out and goes in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hal.values import Batch, EdgesLost, Frame, Loss, Rare
from simulators.board.played_link import LinkOnPty, share_of

MS = 1_000_000


class Planned:
    """A table that does what was planned."""

    def __init__(self, *values: Rare) -> None:
        self.left = list(values)
        self.asked: list[str] = []

    def take(self, board: str, until_ns: int) -> Batch:
        self.asked.append(board)
        due = [value for value in self.left if value.t_ns <= until_ns]
        self.left = [value for value in self.left if value.t_ns > until_ns]
        return Batch([], due, until_ns)


def received(path: Path) -> bytes:
    port = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        return os.read(port, 1000)
    except BlockingIOError:
        return b""
    finally:
        os.close(port)


def test_frames_of_its_link_leave_when_their_time_has_come(tmp_path: Path) -> None:
    table = Planned(Frame("shoe", b"C;1", 5 * MS), Frame("shuffler", b"H;1", 5 * MS), Frame("shoe", b"C;2", 9 * MS))
    link = LinkOnPty(table, "shoe", tmp_path / "link-shoe")
    link.plug_in()
    port = os.open(tmp_path / "link-shoe", os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
    try:
        link.step(4 * MS)
        with pytest.raises(BlockingIOError):
            os.read(port, 100)
        link.step(5 * MS)
        assert os.read(port, 100) == b"C;1\r\n"
        link.step(9 * MS)
        assert os.read(port, 100) == b"C;2\r\n"
    finally:
        os.close(port)
        link.pull()
    assert link.sent == 2
    assert set(table.asked) == {share_of("shoe")}
    assert not (tmp_path / "link-shoe").exists()


def test_a_cable_that_is_pulled_out_takes_the_port_away_until_the_next_frame(tmp_path: Path) -> None:
    path = tmp_path / "link-shoe"
    lost = EdgesLost("shoe", Loss.UNPLUGGED, 2 * MS)
    others = EdgesLost("shoe_card_1", Loss.UNPLUGGED, MS)
    link = LinkOnPty(Planned(others, lost, Frame("shoe", b"S", 8 * MS)), "shoe", path)
    link.plug_in()
    link.step(MS)
    assert path.exists()
    link.step(2 * MS)
    assert not path.exists()
    link.step(8 * MS)
    assert path.exists()
    link.pull()
