"""A display whose port is missing: play continues, and an event, the log and the status say so at once."""

from __future__ import annotations

import asyncio
import os
import pty
import tty
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from controller.live.live_table import LiveTable
from controller.live.wire_watch import DISPLAY, PORT_DOWN
from controller.live.wiring import Wiring
from drivers.dealer.indicators import NumberDisplay
from feed import events
from hal import serial_link
from hal.clock import SystemClock
from hal.framing import LineFramer
from hal.loop import sleep_ns
from hal.serial_link import SerialLink
from tests.fakes.board_site import PlayedTable, roulette
from tests.fakes.time_limits import HANG_S
from tests.tables.bench import EventList, configured
from tests.tables.roulette_lines import roulette_toml
from tests.unit.controller.test_live import EPOCH, GPIOD


def test_a_display_is_sent_what_it_is_to_show_whenever_its_port_was_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serial_link, "RETRY_FIRST_S", 0.01)
    port = tmp_path / "display"
    played = PlayedTable("r1", "roulette")

    def plugged() -> tuple[int, int]:
        outer, inner = pty.openpty()
        tty.setraw(inner)
        port.unlink(missing_ok=True)
        port.symlink_to(os.ttyname(inner))
        os.set_blocking(outer, False)
        return outer, inner

    async def main() -> None:
        clock, said, (outer, inner) = SystemClock(), EventList(), plugged()
        link = SerialLink(NumberDisplay.link, str(port), clock, LineFramer())
        config = configured(roulette_toml())
        table = LiveTable(config, Wiring(links={NumberDisplay.link: link}), clock, epoch=EPOCH)
        table.open_wires()
        table.open()

        async def received() -> bytes:
            data = b""
            while not data.endswith(b"\n"):
                said.extend(table.tick().events)
                await sleep_ns(0)
                with suppress(BlockingIOError):
                    data += os.read(outer, 99)
            return data

        assert await received() == b"  \r\n", "it may show what was there before"
        os.close(inner)
        os.close(outer)
        await ticks(table, said, lambda: bool(table.missing))
        table.show([played.open(), *played.played([roulette(7)]), played.bets()])
        outer, inner = plugged()
        assert await received() == b" 7\r\n"
        table.safe()
        await link.wait_closed()
        os.close(inner)
        os.close(outer)

    asyncio.run(asyncio.wait_for(main(), HANG_S))


async def ticks(table: LiveTable, said: EventList, condition: Callable[[], bool]) -> None:
    """Ticks until the condition holds: the port is a real one, and is opened in a thread."""
    while not condition():
        said += table.tick().events
        await sleep_ns(0)


def test_a_missing_display_is_an_event_at_once_and_a_status_until_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    port = tmp_path / "display"
    said = EventList()

    async def main() -> None:
        clock = SystemClock()
        link = SerialLink(NumberDisplay.link, str(port), clock, LineFramer())
        table = LiveTable(configured(GPIOD), Wiring(links={NumberDisplay.link: link}), clock, epoch=EPOCH)
        table.open_wires()
        said.extend(table.open())
        assert table.missing == [], "it is not known before the port was tried"
        await ticks(table, said, lambda: bool(table.missing))
        assert "No such file" in table.missing[0]
        fault = said.of(events.DeviceFault)[-1]
        times_ns = [event.data.mono_ns for event in said]
        assert times_ns == sorted(times_ns), "no event is dated before the opening of the table"
        assert (fault.device, fault.fault, fault.blocks_play) == (DISPLAY, PORT_DOWN, False)
        assert "No such file" in fault.detail
        table.command("clear", {"device": DISPLAY, "by": "ann"}, "1")
        (answer,) = table.tick().results
        assert not answer.accepted, "it is still missing"

        outer, inner = pty.openpty()
        port.symlink_to(os.ttyname(inner))
        await ticks(table, said, lambda: not table.missing)
        table.command("clear", {"device": DISPLAY, "by": "ann"}, "2")
        (answer,) = table.tick().results
        assert answer.accepted
        os.close(inner)
        os.close(outer)
        port.unlink()
        await ticks(table, said, lambda: bool(table.missing))
        assert len([one for one in said.of(events.DeviceFault) if one.device == DISPLAY]) == 2
        table.safe()
        await link.wait_closed()

    asyncio.run(main())
    logged = [message for message in caplog.messages if "display's port" in message]
    assert "is down, and the display may show an old number: " in logged[0]
    assert logged[1].endswith("is up again")
