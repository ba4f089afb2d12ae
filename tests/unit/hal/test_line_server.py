"""The server of lines on the loopback, over real sockets."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from hal.displays import connected
from hal.line_server import MOST_READS, MOST_UNSENT, PIECE, LineServer
from hal.lines import LineError

S = 1_000_000_000


@pytest.fixture
def server() -> Iterator[LineServer]:
    one = LineServer(0, longest=100)
    yield one
    one.close()


def client(server: LineServer) -> socket.socket:
    one = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    server.wait(20 * S)
    assert server.accept()
    return one


def test_lines_go_both_ways(server: LineServer) -> None:
    with client(server) as one:
        one.sendall(b"first\nsecond\nth")
        server.wait(20 * S)
        assert server.lines() == [b"first", b"second"]
        one.sendall(b"ird\n")
        server.wait(20 * S)
        assert server.lines() == [b"third"]
        server.send(b"answer")
        assert one.recv(100) == b"answer\n"


def test_a_client_that_goes_is_forgotten_and_a_new_one_takes_its_place(server: LineServer) -> None:
    first = client(server)
    with client(server) as second:
        second.sendall(b"of the second\n")
        server.wait(20 * S)
        assert server.lines() == [b"of the second"]
        assert first.recv(100) == b"", "the one before was given up"
    first.close()
    server.wait(20 * S)
    assert server.lines() == []
    assert not server.connected
    server.send(b"to nobody")


def test_a_client_that_never_reads_is_given_up_and_nothing_waits_for_it(server: LineServer) -> None:
    with client(server):
        for _ in range(40 * MOST_UNSENT // 100_000):
            server.send(b"x" * 100_000)
        assert not server.connected


def test_a_client_that_never_pauses_takes_no_more_than_its_share_of_a_turn(server: LineServer) -> None:
    line = b"x" * 99 + b"\n"
    fed = Endless(line * (PIECE // len(line)))
    server._client = cast("socket.socket", fed)
    assert set(server.lines()) == {line[:-1]}
    assert fed.read == MOST_READS


class Endless:
    """A client from which something can always be read; it ends a test that would read for ever."""

    def __init__(self, piece: bytes) -> None:
        self._piece = piece
        self.read = 0

    def recv(self, most: int) -> bytes:
        self.read += 1
        assert self.read < 100, "it is read without an end"
        return self._piece[:most]

    def close(self) -> None:
        """Nothing to give back."""


@pytest.mark.parametrize("number", [errno.ECONNABORTED, errno.EMFILE, errno.ENFILE, errno.ENOBUFS])
def test_a_client_that_cannot_be_taken_is_none_and_the_one_that_is_served_stays(
    server: LineServer, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with client(server) as one:
        real = server._socket

        class Failing:
            def accept(self) -> tuple[socket.socket, object]:
                raise OSError(number, os.strerror(number))

        monkeypatch.setattr(server, "_socket", Failing())
        assert not server.accept()
        monkeypatch.setattr(server, "_socket", real)
        assert server.connected
        one.sendall(b"goes on\n")
        server.wait(20 * S)
        assert server.lines() == [b"goes on"]


def test_lines_that_are_too_long_are_counted(server: LineServer) -> None:
    with client(server) as one:
        one.sendall(b"x" * 101 + b"\ngood\n")
        server.wait(20 * S)
        assert server.lines() == [b"good"]
    assert server.refused == 1


def test_it_listens_on_the_loopback_alone_and_names_a_port_that_is_taken(server: LineServer) -> None:
    with pytest.raises(LineError, match="not an address of the loopback"):
        LineServer(0, longest=100, host="0.0.0.0")
    with pytest.raises(LineError, match=f"{server.port}: cannot listen there"):
        LineServer(server.port, longest=100)


def test_a_wait_ends_by_itself(server: LineServer) -> None:
    server.wait(0)
    assert not server.accept()
    assert server.lines() == []


def test_displays_are_what_the_kernel_says(tmp_path: Path) -> None:
    assert connected(tmp_path) is None
    for name, state in (("card1-HDMI-A-1", "connected"), ("card1-HDMI-A-2", "disconnected")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "status").write_text(f"{state}\n", encoding="ascii")
    assert connected(tmp_path) == ("card1-HDMI-A-1",)
    (tmp_path / "card1-HDMI-A-1" / "status").write_text("disconnected\n", encoding="ascii")
    assert connected(tmp_path) == ()
