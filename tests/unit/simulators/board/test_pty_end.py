"""The board's end of a pty: written bytes arrive at once, and the path stays the same."""

from __future__ import annotations

import os
import select
from pathlib import Path

import pytest
import serial

from simulators.board.pty_end import PtyEnd


def opened(end: PtyEnd, baud: int = 250_000) -> serial.Serial:
    port = serial.Serial(str(end.path), baud, timeout=0)
    end.read()
    return port


def test_what_either_end_writes_is_at_the_other_at_once(tmp_path: Path) -> None:
    # A kernel thread carries it; polling and reading make the kernel finish first.
    end = PtyEnd(tmp_path / "board")
    end.plug_in()
    with opened(end) as port:
        poll = select.poll()
        poll.register(port.fileno(), select.POLLIN)
        for number in range(5_000):
            data = b"%d" % number
            port.write(data)
            assert end.read() == data
            assert end.write(data) == len(data)
            assert poll.poll(0)
            assert port.read(100) == data
    end.pull()


def test_every_byte_value_passes_unchanged(tmp_path: Path) -> None:
    end = PtyEnd(tmp_path / "board")
    end.plug_in()
    with opened(end) as port:
        port.write(bytes(range(256)))
        assert end.read() == bytes(range(256))
        end.write(bytes(range(256)))
        assert port.read(300) == bytes(range(256))
    end.pull()


def test_it_knows_whether_the_port_is_open_and_at_which_baud(tmp_path: Path) -> None:
    end = PtyEnd(tmp_path / "board")
    assert (end.opened, end.baud) == (False, 0)
    assert not os.path.lexists(end.path)
    end.plug_in()
    assert (end.read(), end.opened) == (b"", False)
    for baud in (250_000, 115_200):
        with opened(end, baud) as port:
            assert (end.opened, end.baud) == (True, baud)
            port.write(b"last words")
        assert end.read() == b"last words"
        end.read()
        assert not end.opened
    end.pull()


def test_a_pulled_port_is_an_error_for_who_has_it_and_gone_for_all_others(tmp_path: Path) -> None:
    end = PtyEnd(tmp_path / "board")
    end.plug_in()
    with opened(end) as port:
        end.pull()
        end.pull()
        with pytest.raises(serial.SerialException):
            port.read(1)
    assert not os.path.lexists(end.path)
    assert (end.read(), end.write(b"x")) == (b"", 0)


def test_it_comes_back_at_its_path(tmp_path: Path) -> None:
    end = PtyEnd(tmp_path / "board")
    for _ in range(3):
        end.plug_in()
        end.plug_in()
        with opened(end) as port:
            port.write(b"hello")
            assert end.read() == b"hello"
        end.pull()


def test_a_link_that_a_former_run_left_is_replaced_and_a_file_is_not(tmp_path: Path) -> None:
    (tmp_path / "board").symlink_to("/nowhere")
    end = PtyEnd(tmp_path / "board")
    end.plug_in()
    assert end.path.exists()
    end.pull()
    (tmp_path / "board").write_text("somebody's")
    with pytest.raises(FileExistsError):
        end.plug_in()
    assert (tmp_path / "board").read_text() == "somebody's"


def test_a_reader_that_does_not_read_leaves_no_room_in_the_end(tmp_path: Path) -> None:
    end = PtyEnd(tmp_path / "board")
    end.plug_in()
    with opened(end):
        wrote = [end.write(b"x" * 4_096) for _ in range(100)]
        assert wrote[0] == 4_096
        assert sum(wrote) < 100 * 4_096
        assert wrote[-1] == 0
    end.pull()
