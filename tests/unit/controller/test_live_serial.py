"""A table whose device is on a serial port that is pulled and comes back: a real pty, in virtual time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.live.live_table import LiveTable
from controller.live.wiring import Wiring
from controller.table.orders.order import CommandResult
from feed import events
from hal.clock import VirtualClock
from hal.framing import LineFramer
from hal.loop import run_virtual, sleep_ns
from hal.serial_link import SerialLink
from tests.tables.bench import EventList, configured
from tests.unit.controller.test_automatic_roulette import LINK, TRUSTED, Wheel, toml
from tests.unit.controller.test_live import EPOCH
from tests.unit.hal.test_serial_link import Plug, running_loop

TICK_NS = 20_000_000


class TableOnPort:
    """A live table with an automatic wheel on a pty."""

    def __init__(self, path: Path) -> None:
        self.clock = VirtualClock()
        self.plug = Plug(path)
        self.link = SerialLink(LINK, str(path), self.clock, LineFramer())
        wiring = Wiring(sources=[self.link], links={LINK: self.link})
        self.table = LiveTable(configured(toml(TRUSTED)), wiring, self.clock, epoch=EPOCH)
        self.said = EventList()
        self.answers: list[CommandResult] = []

    async def tick(self) -> None:
        await sleep_ns(TICK_NS)
        result = self.table.tick()
        self.said += result.events
        self.answers += result.results

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            await self.tick()

    async def plug_in(self) -> None:
        self.plug.plug_in()
        await self.until(lambda: self.link.status.up)
        self.plug.release_link_end()

    async def send(self, wheel: Wheel) -> None:
        """The wheel sends its lines, each at its time from now."""
        begins_ns = self.clock.now_ns()
        for frame in wheel.sent:
            while self.clock.now_ns() < begins_ns + frame.t_ns:
                await self.tick()
            os.write(self.plug.device, frame.data + b"\r\n")
            with running_loop().hold_time():
                await sleep_ns(0)

    async def clear(self) -> CommandResult:
        count = len(self.answers)
        self.table.command("clear", {"device": "wheel", "by": "ann"}, str(count))
        await self.until(lambda: len(self.answers) > count)
        return self.answers[-1]


def test_a_port_that_comes_back_recovers_without_a_restart_and_a_supervisor_opens_the_table(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    bench = TableOnPort(tmp_path / "by-id-wheel")

    async def main() -> None:
        bench.table.open_wires()
        bench.said.extend(bench.table.open())
        await bench.plug_in()
        # The cable is pulled while the ball is in the rim.
        await bench.send(Wheel().status(1, times=3).status(2, times=3).status(3, times=3))
        bench.plug.pull()
        await bench.until(lambda: bench.table.state == "shut")
        assert bench.said.verdicts() == ["unresolved sensor_missing"]
        assert "the port of wheel_serial" in bench.table.missing[0]
        assert not (await bench.clear()).accepted, "the port is still gone"
        await bench.plug_in()
        await bench.send(Wheel().status(1, times=3))
        assert bench.table.missing == []
        assert bench.table.state == "shut", "until a supervisor has looked"
        assert (await bench.clear()).accepted
        assert bench.table.state == "open"
        await bench.send(Wheel().spin())
        bench.table.safe()
        await bench.link.wait_closed()
        os.close(bench.plug.device)

    run_virtual(main(), bench.clock)
    assert bench.said.verdicts()[-1] == "22"
    fault = bench.said.of(events.DeviceFault)[0]
    assert (fault.device, fault.fault, fault.blocks_play) == ("wheel", "sensor_missing", True)
    logged = [message for message in caplog.messages if "the port of wheel_serial" in message]
    assert "is down" in logged[0]
    assert logged[-1].endswith("is up again")
