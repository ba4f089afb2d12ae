"""A display whose port is missing: play continues, and an event, the log and the status say so at once."""

from __future__ import annotations

import asyncio
import os
import pty
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.live.live_table import LiveTable
from controller.live.wire_watch import DISPLAY, PORT_DOWN
from controller.live.wiring import Wiring
from drivers.dealer.indicators import NumberDisplay
from feed import events
from hal.clock import SystemClock
from hal.framing import LineFramer
from hal.loop import sleep_ns
from hal.serial_link import SerialLink
from tests.tables.bench import EventList, configured
from tests.unit.controller.test_live import EPOCH, GPIOD


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
    assert "is down, and shows nothing: " in logged[0]
    assert logged[1].endswith("is up again")
