"""The server of lines on the loopback, over real sockets."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from hal.displays import connected
from hal.line_server import MOST_UNSENT, LineServer
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


def test_it_listens_on_the_loopback_alone_and_names_a_port_that_is_taken(server: LineServer) -> None:
    with pytest.raises(LineError, match="no address of the loopback"):
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
