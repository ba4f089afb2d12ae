"""Output without a reader, rate-limited logs without secrets, and notifications to systemd."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from controller.service.console import LineHandler, LineWriter
from controller.service.logs import LogRateLimit, log_to, reads_journald, without_keys
from controller.service.systemd import Systemd
from hal.clock import NS_PER_S, VirtualClock
from tests.fakes.time_limits import HANG_S

PUBLIC = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
PIPE_BYTES = 64 * 1024


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read, write = os.pipe()
    yield read, write
    for end in (read, write):
        try:
            os.close(end)
        except OSError:
            continue


def test_lines_come_out_in_order(pipe: tuple[int, int]) -> None:
    read, write = pipe
    writer = LineWriter(write)
    for number in range(100):
        writer.put(f"line {number}")
    writer.close()
    assert os.read(read, PIPE_BYTES).decode().splitlines() == [f"line {number}" for number in range(100)]
    assert writer.dropped == 0


def test_a_slow_reader_does_not_block_and_dropped_lines_are_reported(pipe: tuple[int, int]) -> None:
    read, write = pipe
    writer = LineWriter(write, bound=10)
    line = "x" * 1000
    # Far more than a pipe and ten lines hold: were it to block, this would never end.
    for _ in range(1000):
        writer.put(line)
    assert writer.dropped > 0
    seen = b""
    writer_closed = Event()
    os.set_blocking(read, True)
    while b"were dropped here" not in seen:
        seen += os.read(read, PIPE_BYTES)
        writer.put("more")
    writer.close()
    writer_closed.set()
    assert b"lines were dropped here: they were not read fast enough" in seen


def test_a_reader_that_has_gone_ends_it_without_an_error(pipe: tuple[int, int]) -> None:
    read, write = pipe
    os.close(read)
    writer = LineWriter(write)
    for _ in range(100):
        writer.put("line")
    writer.close()
    writer.put("later")
    assert writer.dropped >= 1


def test_closing_does_not_wait_for_a_reader_that_never_reads(pipe: tuple[int, int]) -> None:
    _, write = pipe
    writer = LineWriter(write, bound=1000)
    for _ in range(1000):
        writer.put("x" * 1000)
    writer.close(patience_s=0.01)


def test_a_non_blocking_descriptor_loses_nothing(pipe: tuple[int, int]) -> None:
    read, write = pipe
    os.set_blocking(write, False)
    writer = LineWriter(write)
    for _ in range(200):
        writer.put("x" * 1000)
    seen = b""
    while seen.count(b"\n") < 200:
        seen += os.read(read, PIPE_BYTES)
    writer.close()


class Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def logger() -> Iterator[tuple[logging.Logger, Lines, VirtualClock]]:
    clock, handler = VirtualClock(), Lines()
    handler.addFilter(LogRateLimit(clock, burst=3, refill_ns=10 * NS_PER_S, news=4))
    log = logging.getLogger("test.service.output")
    log.propagate = False
    log.addHandler(handler)
    yield log, handler, clock
    log.removeHandler(handler)
    log.propagate = True


def test_a_repeated_message_is_logged_a_few_times_and_then_counted(
    logger: tuple[logging.Logger, Lines, VirtualClock],
) -> None:
    log, handler, clock = logger
    for _ in range(100):
        log.warning("wire %d chatters", 1)
    assert handler.lines == ["wire 1 chatters"] * 3
    clock.advance_to(10 * NS_PER_S)
    log.warning("wire %d chatters", 1)
    assert handler.lines[-1] == "wire 1 chatters (and 97 more like this before)"


def test_the_first_message_of_one_wire_is_logged_beside_those_of_others_within_a_limit(
    logger: tuple[logging.Logger, Lines, VirtualClock],
) -> None:
    log, handler, clock = logger
    for _ in range(50):
        log.warning("wire %d chatters", 1)
    log.warning("wire %d chatters", 2)
    assert handler.lines[-1] == "wire 2 chatters (and 47 more like this before)"
    for number in range(3, 100):
        log.warning("wire %d chatters", number)
    assert handler.lines[4:] == [f"wire {number} chatters" for number in (3, 4, 5)]
    clock.advance_to(10 * NS_PER_S)
    log.warning("wire %d chatters", 2)
    assert handler.lines[-1] == "wire 2 chatters (and 94 more like this before)"


def test_critical_messages_are_never_left_out(logger: tuple[logging.Logger, Lines, VirtualClock]) -> None:
    log, handler, _ = logger
    for _ in range(20):
        log.critical("HALTED")
    assert handler.lines == ["HALTED"] * 20


def test_one_kind_of_message_does_not_silence_another(logger: tuple[logging.Logger, Lines, VirtualClock]) -> None:
    log, handler, _ = logger
    for _ in range(100):
        log.warning("noise")
    log.warning("news")
    log.error("noise")
    assert handler.lines == ["noise"] * 3 + ["news", "noise"]


def test_keys_are_shortened_and_other_words_are_not() -> None:
    assert without_keys(f"unknown key {PUBLIC}: allow it") == "unknown key Yne@$w-v…: allow it"
    assert without_keys("seed " + "0123456789abcdef" * 4) == "seed 01234567…"
    path = "/home/pi/.local/state/feltwire/journal.sqlite was opened, and roulette-1.5c0ffee5c0ffee5c.118 follows"
    assert without_keys(path) == path


def test_journald_reads_priorities_and_people_read_words(pipe: tuple[int, int]) -> None:
    read, write = pipe
    found = os.fstat(write)
    assert reads_journald(write, {"JOURNAL_STREAM": f"{found.st_dev}:{found.st_ino}"})
    assert not reads_journald(write, {"JOURNAL_STREAM": "1:2"})
    assert not reads_journald(write, {})
    assert not reads_journald(-1, {"JOURNAL_STREAM": "1:2"})
    for journald in (True, False):
        writer = LineWriter(write)
        handler = log_to(writer, VirtualClock(), journald=journald)
        logging.getLogger("test.service.journald").error("the disk is full\nfree space")
        logging.getLogger().removeHandler(handler)
        writer.close()
    assert os.read(read, PIPE_BYTES).decode() == (
        "<3>the disk is full\\x0afree space\nerror: the disk is full\\x0afree space\n"
    )


def test_a_handler_gives_each_line_apart(pipe: tuple[int, int]) -> None:
    read, write = pipe
    writer = LineWriter(write)
    LineHandler(writer).emit(logging.LogRecord("x", logging.INFO, "", 0, "one\ntwo", (), None))
    writer.close()
    assert os.read(read, PIPE_BYTES) == b"one\ntwo\n"


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """systemd's end of the notification socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        path = tmp_path / "notify"
        listening.bind(str(path))
        listening.settimeout(HANG_S)
        monkeypatch.setenv("NOTIFY_SOCKET", str(path))
        yield listening


def test_systemd_is_notified_of_ready_alive_status_and_stopping(
    manager: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WATCHDOG_USEC", "10000000")
    systemd = Systemd()
    assert systemd.asked
    assert systemd.watchdog_ns == 10 * NS_PER_S
    systemd.starting("reading the journal: 5000 of 10000 records")
    assert [manager.recv(1000) for _ in range(2)] == [
        b"EXTEND_TIMEOUT_USEC=60000000",
        b"STATUS=reading the journal: 5000 of 10000 records",
    ]
    systemd.ready()
    systemd.alive()
    systemd.status("roulette-1 open; 2 subscribers × 1\nnow")
    systemd.status("roulette-1 open; 2 subscribers × 1\nnow")
    systemd.stopping()
    assert [manager.recv(1000) for _ in range(4)] == [
        b"READY=1",
        b"WATCHDOG=1",
        b"STATUS=roulette-1 open; 2 subscribers ? 1 now",
        b"STOPPING=1",
    ]
    systemd.close()
    systemd.ready()


def test_without_a_manager_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    systemd = Systemd()
    assert not systemd.asked
    systemd.ready()
    systemd.alive()
    systemd.status("open")


@pytest.mark.parametrize(
    ("environ", "watchdog_ns"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_USEC": "5000000"}, 5 * NS_PER_S),
        ({"WATCHDOG_USEC": "5000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "5000000", "WATCHDOG_PID": str(os.getpid())}, 5 * NS_PER_S),
    ],
)
def test_the_watchdog_is_meant_for_one_process(environ: dict[str, str], watchdog_ns: int | None) -> None:
    assert Systemd(environ).watchdog_ns == watchdog_ns
