"""Heads that leave the machine: where they go, when, and that a target that fails stops nothing."""

from __future__ import annotations

import asyncio
import http.server
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from audit.records import Head
from audit.seals import SEALS
from audit.verify import KnownHead
from controller.service import head_sender
from controller.service.head_sender import EVERY_NS, HeadSender, HeadTargetError, check_target, send
from hal.clock import VirtualClock
from hal.loop import sleep_ns

HEADS = {"wheel-1": Head(118, "e1", "ab" * 32), SEALS: Head(7, "", "cd" * 32), "wheel-2": Head(0, "", "00" * 32)}


@pytest.fixture
def server() -> Iterator[http.server.HTTPServer]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response({"/heads": 204, "/moved": 301, "/elsewhere": 404}[self.path])
            if self.path == "/moved":
                self.send_header("Location", "/heads\x1b[2J")
                self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            received.append("a GET")
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    received: list[str] = []
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.received = received  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_heads_go_to_a_file_as_verify_takes_them_when_anything_is_new(tmp_path: Path) -> None:
    out, clock = tmp_path / "heads.txt", VirtualClock(1_783_191_600 * 10**9)
    sender = HeadSender([str(out)], clock)

    async def evening() -> None:
        for heads in (HEADS, HEADS, HEADS | {"wheel-1": Head(119, "e1", "ef" * 32)}):
            sender.check(heads)
            sender.check(heads)
            await sender.end(heads)
            clock.advance_to(clock.now_ns() + EVERY_NS)

    asyncio.run(evening())
    lines = out.read_text().splitlines()
    assert lines[:2] == [
        f"2026-07-04T19:00:00.000000Z @seals:7:{'cd' * 32}",
        f"2026-07-04T19:00:00.000000Z wheel-1:118:{'ab' * 32}",
    ]
    assert [KnownHead.parse(line.split()[1]).seq for line in lines] == [7, 118, 7, 119]


def test_heads_go_to_a_web_server(server: http.server.HTTPServer) -> None:
    send(f"http://127.0.0.1:{server.server_port}/heads", "heads\n")
    assert server.received == ["heads\n"]  # type: ignore[attr-defined]


def test_heads_that_a_web_server_redirects_are_not_sent(server: http.server.HTTPServer) -> None:
    """Followed, the POST would be a GET without them, answered with 200."""
    with pytest.raises(OSError, match=r"^it answers 301 and points to /heads\\x1b\[2J; .*write the new address into"):
        send(f"http://127.0.0.1:{server.server_port}/moved", "heads\n")
    assert server.received == ["heads\n"]  # type: ignore[attr-defined]


def test_heads_go_to_no_proxy_of_the_environment(
    server: http.server.HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # urllib keeps what it has read of the environment.
    monkeypatch.setattr("urllib.request._opener", None)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    send(f"http://127.0.0.1:{server.server_port}/heads", "heads\n")
    assert server.received == ["heads\n"]  # type: ignore[attr-defined]


def test_heads_go_to_a_print_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lp = tmp_path / "lp"
    lp.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/asked\nwhile read line; do echo "$line"; done > {tmp_path}/paper\n'
    )
    lp.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    send("printer:office", "heads\n")
    assert (tmp_path / "asked").read_text() == "-s -d office\n"
    assert (tmp_path / "paper").read_text() == "heads\n"


def test_a_target_that_fails_is_logged_and_the_others_get_theirs(
    tmp_path: Path,
    server: http.server.HTTPServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    wrong = [
        str(tmp_path / "gone" / "heads.txt"),
        f"http://127.0.0.1:{server.server_port}/elsewhere",
        "printer:office",
    ]
    out = tmp_path / "heads.txt"
    sender = HeadSender([*wrong, str(out)], VirtualClock())
    asyncio.run(sender.end(HEADS))
    for target in wrong:
        assert f"the heads of the journal could not be sent to {target}" in caplog.text
    assert len(out.read_text().splitlines()) == 2


def test_a_sending_that_failed_is_repeated_to_that_target_alone(tmp_path: Path) -> None:
    share, stick = tmp_path / "share" / "heads.txt", tmp_path / "stick.txt"
    clock = VirtualClock()
    sender = HeadSender([str(share), str(stick)], clock)
    asyncio.run(sender.end(HEADS))
    assert not share.exists()
    share.parent.mkdir()
    asyncio.run(sender.end(HEADS))
    assert share.read_text() == stick.read_text()
    assert len(stick.read_text().splitlines()) == 2


@pytest.mark.parametrize("target", ["http://127.0.0.1:1/\u00fc", "http://h:port/"])
def test_an_address_that_cannot_be_asked_is_logged_as_one_that_fails(
    target: str, caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.run(HeadSender([target], VirtualClock()).end(HEADS))
    assert "could not be sent to" in caplog.text


@pytest.mark.parametrize("target", ["", "ftp://host/x", "printer:"])
def test_what_is_no_target_is_refused(target: str) -> None:
    with pytest.raises(HeadTargetError):
        check_target(target)


@pytest.mark.parametrize("target", ["heads.txt", "/dev/usb/lp0", "https://host/x", "printer:office"])
def test_paths_urls_and_printers_are_targets(target: str) -> None:
    assert check_target(target) == target


def test_a_fifo_that_nobody_reads_is_logged_and_holds_up_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fifo, out = tmp_path / "fifo", tmp_path / "heads.txt"
    os.mkfifo(fifo)
    sender = HeadSender([str(fifo), str(out)], VirtualClock())
    asyncio.run(sender.end(HEADS))
    assert f"could not be sent to {fifo}: " in caplog.text
    assert "no program reads it" in caplog.text
    assert len(out.read_text().splitlines()) == 2


def test_a_fifo_that_is_read_gets_the_heads(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    send(str(fifo), "heads\n")
    assert os.read(reader, 100) == b"heads\n"
    os.close(reader)


async def until(condition: Callable[[], bool]) -> None:
    """Waits for a thread of the sender; the test's own limit ends a hang."""
    while not condition():
        await sleep_ns(0)


def test_a_target_that_hangs_does_not_hold_up_the_end_nor_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A share whose server is gone: opening it never returns."""
    share, out, clock = tmp_path / "share", tmp_path / "heads.txt", VirtualClock()
    never = threading.Event()
    really = head_sender.send

    def hangs(target: str, text: str) -> None:
        if target == str(share):
            never.wait()
        else:
            really(target, text)

    monkeypatch.setattr(head_sender, "send", hangs)
    sender = HeadSender([str(share), str(out)], clock, longest_end_s=0.05)

    async def evening() -> None:
        sender.check(HEADS)
        await until(lambda: out.exists() and "wheel-1:118:" in out.read_text())
        clock.advance_to(EVERY_NS)
        sender.check(HEADS)
        newer = HEADS | {"wheel-1": Head(119, "e1", "ef" * 32)}
        await sender.end(newer)
        await until(lambda: "wheel-1:119:" in out.read_text())

    asyncio.run(evening())
    threads = [thread for thread in threading.enumerate() if thread.name == f"heads to {share}"]
    assert [thread.daemon for thread in threads] == [True], "one, and the process need not wait for it"
    never.set()
    assert f"not sent to {share}" in caplog.text
    assert "the service ends" in caplog.text
