"""A display whose port is missing: play goes on, and the log and the status say so at once."""

from __future__ import annotations

import asyncio
import os
import pty
from pathlib import Path

import pytest

from controller.live.live_table import LiveTable
from controller.live.wiring import Wiring
from drivers.dealer.indicators import NumberDisplay
from hal.clock import SystemClock
from hal.framing import LineFramer
from hal.loop import sleep_ns
from hal.serial_link import SerialLink
from tests.tables.bench import configured
from tests.unit.controller.test_live import EPOCH, GPIOD


def test_a_missing_display_is_reported_at_once_and_until_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    port = tmp_path / "display"

    async def main() -> None:
        clock = SystemClock()
        link = SerialLink(NumberDisplay.link, str(port), clock, LineFramer())
        table = LiveTable(configured(GPIOD), Wiring([], {NumberDisplay.link: link}), clock, epoch=EPOCH)
        table.open_wires()
        table.open()
        assert table.missing == [], "it is not known before the port was tried"
        while not table.missing:
            table.tick()
            await sleep_ns(0)
        assert "No such file" in table.missing[0]
        outer, inner = pty.openpty()
        port.symlink_to(os.ttyname(inner))
        while table.missing:
            table.tick()
            await sleep_ns(0)
        table.safe()
        await link.wait_closed()
        os.close(outer)
        os.close(inner)

    asyncio.run(main())
    said = [message for message in caplog.messages if "display's port" in message]
    assert len(said) == 2
    assert "is down, and shows nothing: " in said[0]
    assert said[1].endswith("is up again")
