"""The log and the events for programs: JSON lines, and entries of journald with fields."""

from __future__ import annotations

import json
import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.service.console import Console, LineWriter
from controller.service.journald_entries import JournaldEntries
from controller.service.json_log import JsonLines
from controller.service.logs import LogRateLimit
from feed.events import DeviceFault, Event, Evidence, Void
from hal.clock import NS_PER_S, VirtualClock
from tests.fakes.time_limits import HANG_S

COMMON: dict[str, Any] = {"table": "wheel-1", "game": "money_wheel", "simulated": False, "mono_ns": 1}
VOID = Void(
    **COMMON, round=7, call="No spin", reason="wheel_revolutions", rule="ours", evidence=Evidence(), remove_ball=False
)


def event(data: Void | DeviceFault) -> Event:
    kind = f"feltwire.{type(data).kind}.v1"
    return Event(id="wheel-1.e.1", source="/tables/wheel-1", type=kind, time="2026-01-01T00:00:00Z", data=data)


def test_a_record_is_one_line_of_json_with_its_table() -> None:
    record = logging.LogRecord("feltwire.x", logging.ERROR, "", 0, "table %s: %s", ("wheel-1", "no\nwire"), None)
    line = JsonLines().format(record)
    assert "\n" not in line
    found = json.loads(line)
    assert (found["level"], found["table"], found["message"]) == ("error", "wheel-1", "table wheel-1: no\nwire")
    assert "table" not in json.loads(JsonLines().format(logging.LogRecord("x", 20, "", 0, "started", (), None)))


def test_a_record_after_others_that_were_left_out_has_its_table_too() -> None:
    clock = VirtualClock()
    limit = LogRateLimit(clock, burst=1, news=0)

    def record() -> logging.LogRecord:
        return logging.LogRecord("x", logging.WARNING, "", 0, "table %s: late, 100%%", ("wheel-1",), None)

    assert [limit.filter(record()) for _ in range(3)] == [True, False, False]
    clock.advance_to(3600 * NS_PER_S)
    after = record()
    assert limit.filter(after)
    found = json.loads(JsonLines().format(after))
    assert (found["table"], found["message"]) == ("wheel-1", "table wheel-1: late, 100% (and 2 more like this before)")


@pytest.fixture
def journald(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "journal"))
        listening.settimeout(HANG_S)
        yield listening


def test_an_event_is_an_entry_with_its_fields(tmp_path: Path, journald: socket.socket) -> None:
    entries = JournaldEntries(str(tmp_path / "journal"))
    assert entries.send("a line\nforged", VOID)
    assert journald.recv(4096).decode().splitlines() == [
        r"MESSAGE=a line\x0aforged",
        "PRIORITY=6",
        "SYSLOG_IDENTIFIER=feltwire",
        "FELTWIRE_TABLE=wheel-1",
        "FELTWIRE_EVENT=round.void",
        "FELTWIRE_ROUND=7",
        "FELTWIRE_REASON=wheel_revolutions",
    ]
    fault = DeviceFault(**COMMON, device="wheel", fault="encoder_slip", detail="", blocks_play=True)
    assert entries.send("fault", fault)
    assert {"PRIORITY=4", "FELTWIRE_DEVICE=wheel", "FELTWIRE_FAULT=encoder_slip"} <= set(
        journald.recv(4096).decode().splitlines()
    )
    entries.close()


def test_where_journald_takes_no_entry_the_stream_takes_the_line(tmp_path: Path, journald: socket.socket) -> None:
    read, write = os.pipe()
    writer = LineWriter(write)
    entries = JournaldEntries(str(tmp_path / "journal"))
    console = Console(writer, as_json=False, color=False, journald=entries)
    console(event(VOID), b"{}")
    assert b"FELTWIRE_ROUND=7" in journald.recv(4096)
    journald.close()
    console(event(VOID), b"{}")
    writer.close()
    entries.close()
    assert b'VOID "No spin"' in os.read(read, 4096)
    os.close(read)
    os.close(write)


def test_entries_go_on_after_journald_was_started_again(tmp_path: Path, journald: socket.socket) -> None:
    entries = JournaldEntries(str(tmp_path / "journal"))
    journald.close()
    assert not entries.send("lost to the stream", VOID)
    (tmp_path / "journal").unlink()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as again:
        again.bind(str(tmp_path / "journal"))
        again.settimeout(HANG_S)
        assert entries.send("back", VOID)
        assert again.recv(4096).startswith(b"MESSAGE=back\n")
    entries.close()


def test_a_socket_that_is_not_there_is_an_error_and_no_silence(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        JournaldEntries(str(tmp_path / "none"))
