"""A machine whose acceptor and hopper are on a serial port: a real pty, in virtual time, as `feltwire run` has it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from controller.live.live_table import LiveTable
from controller.live.wiring import Wiring
from feed import events
from feed.events import MachineEvent
from hal.backends.sim import SimLines
from hal.clock import VirtualClock
from hal.framing import ChunkFramer
from hal.loop import run_virtual, sleep_ns
from hal.serial_link import SerialLink
from hal.values import SendFrame
from simulators.coins.equipment import CoinEquipment, CoinGeometry
from tests.tables.bench import EventList, configured
from tests.tables.coin_machine import LINES, coin_toml
from tests.unit.controller.test_live import EPOCH
from tests.unit.hal.test_serial_link import Plug, running_loop

TICK_NS = 20_000_000
LINK = "cctalk"


class MachineOnPort:
    """A live machine, and its coin equipment at the other end of the port."""

    def __init__(self, path: Path) -> None:
        self.clock = VirtualClock()
        self.plug = Plug(path)
        self.link = SerialLink(LINK, str(path), self.clock, ChunkFramer())
        self.lines = SimLines(LINES, levels=dict.fromkeys(LINES, 0))
        wiring = Wiring(sources=[self.link, self.lines], links={LINK: self.link})
        self.table = LiveTable(configured(coin_toml()), wiring, self.clock, epoch=EPOCH)
        self.coins = CoinEquipment(CoinGeometry(), 1)
        self.said = EventList()
        self.ordered = 0

    async def tick(self) -> None:
        await sleep_ns(TICK_NS)
        now_ns = self.clock.now_ns()
        if self.plug.device >= 0:
            with contextlib.suppress(BlockingIOError, OSError):
                while data := os.read(self.plug.device, 4096):
                    self.coins.command(SendFrame(LINK, data, now_ns))
            for heard in self.coins.answers(now_ns):
                os.write(self.plug.device, getattr(heard, "data", b""))
            with running_loop().hold_time():
                await sleep_ns(0)
        if now_ns // TICK_NS % 12 == 0:
            self.lines.drive("shelf_shaft", now_ns // TICK_NS // 12 % 2, now_ns)
        self.lines.passed(now_ns)
        result = self.table.tick()
        self.said += result.events
        self.table.show(result.events)  # they are durable at once

    async def plug_in(self) -> None:
        self.plug.plug_in()
        os.set_blocking(self.plug.device, False)
        await self.until(lambda: self.link.status.up)
        self.plug.release_link_end()

    async def run(self, seconds: float) -> None:
        until_ns = self.clock.now_ns() + round(seconds * 1e9)
        while self.clock.now_ns() < until_ns:
            await self.tick()

    async def until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            await self.tick()

    async def order(self, verb: str, **given: str) -> None:
        self.ordered += 1
        self.table.command(verb, {**given, "by": "ann"}, str(self.ordered))
        await self.run(0.1)


def test_a_machine_on_a_port_takes_tokens_gives_them_back_and_goes_on_after_the_cable_was_out(tmp_path: Path) -> None:
    machine = MachineOnPort(tmp_path / "by-id-cctalk")

    async def main() -> None:
        machine.table.open_wires()
        machine.said.extend(machine.table.open())
        await machine.plug_in()
        await machine.until(lambda: machine.coins.acceptor.takes)
        assert machine.coins.acceptor.insert(1, machine.clock.now_ns())
        await machine.run(2)
        assert machine.said.of(MachineEvent)[-1].meters.plays == 1
        await machine.order("void", why="broken")
        await machine.run(3)
        assert machine.coins.hopper.paid == 1
        # The cable is pulled and comes back.
        machine.plug.pull()
        machine.plug.device = -1
        await machine.until(lambda: machine.table.state == "shut")
        assert {fault.fault for fault in machine.table.faults} == {"sensor_missing"}
        await machine.plug_in()
        await machine.run(4)
        await machine.order("clear", device="coins")
        await machine.until(lambda: machine.coins.acceptor.takes)
        assert machine.coins.acceptor.insert(1, machine.clock.now_ns())
        await machine.run(2)
        machine.table.safe()
        await machine.link.wait_closed()
        os.close(machine.plug.device)

    run_virtual(main(), machine.clock)
    last = machine.said.of(MachineEvent)[-1]
    assert (last.meters.tokens_in, last.meters.plays, last.meters.tokens_refunded) == (2, 2, 1)
    assert (last.meters.tokens_paid, last.credits) == (1, 0)
    assert len(machine.said.of(events.Void)) == 1
