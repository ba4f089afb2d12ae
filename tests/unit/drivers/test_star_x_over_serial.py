"""The whole path of a `*X` wheel: simulated wheel, pty, serial link, merge, driver; in virtual time."""

import asyncio
import os
import pty
from collections.abc import Iterator, Sequence

from drivers.base.driver import Observation
from drivers.roulette.star_x import AutoLink, AutoNumber, StarXConfig, StarXWheel
from hal.clock import VirtualClock
from hal.framing import LineFramer
from hal.loop import VirtualLoop, run_virtual, sleep_ns
from hal.merge import Merge
from hal.serial_link import SerialLink
from hal.values import Edge, EdgesLost, Frame, Rare
from simulators.roulette.star_x import StarXSimulator, StarXSpin

LINK = "wheel_serial"


class Table:
    """A table's use of a link: merges it, advances time, and calls the driver."""

    def __init__(self, port: str, clock: VirtualClock) -> None:
        self.clock = clock
        self.driver = StarXWheel(StarXConfig(link=LINK), "wheel")
        self.link = SerialLink(LINK, port, clock, LineFramer(max_length=32))
        self.merge = Merge()
        self.merge.add(LINK, self.link.max_lateness_ns, self.link.lines)
        self.came = asyncio.Event()
        self.seen: list[Observation] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        self.merge.deliver(source, edges, rare)
        self.came.set()

    async def hear(self, loop: VirtualLoop) -> None:
        """Waits for the kernel to carry a line over, decides it, and lets 1 ns pass."""
        with loop.hold_time():
            await self.came.wait()
        self.came.clear()
        await sleep_ns(1)
        self.merge.until(LINK, self.link.delivered_until(self.clock.now_ns()))
        batch = self.merge.take()
        assert batch is not None
        for value in batch.rare:
            if isinstance(value, Frame):
                self.seen += self.driver.frame(value)
            elif isinstance(value, EdgesLost):
                self.seen += self.driver.lost(value)
        self.seen += self.driver.due(batch.until_ns)


def whole_lines(spins: list[StarXSpin]) -> Iterator[tuple[int, bytes]]:
    line = b""
    for spin in spins:
        for chunk in spin.chunks:
            line += chunk.data
            if line.endswith(b"\n"):
                yield chunk.t_ns, line
                line = b""


def test_spins_over_a_serial_line_give_the_numbers_of_the_wheel() -> None:
    clock = VirtualClock()
    spins = list(StarXSimulator(11).spins(3, {2: "bare_mismatch"}))

    async def main() -> list[Observation]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        wheel, table_end = pty.openpty()
        table = Table(os.ttyname(table_end), clock)
        table.link.open(table)
        while not table.link.status.up:
            await sleep_ns(1)
        os.close(table_end)
        for t_ns, line in whole_lines(spins):
            await sleep_ns(max(0, t_ns - clock.now_ns()))
            os.write(wheel, line)
            await table.hear(loop)
        os.close(wheel)
        await table.hear(loop)
        table.link.close()
        await table.link.wait_closed()
        return table.seen

    seen = run_virtual(main(), clock)
    assert [(n.pocket, n.agreed) for n in seen if isinstance(n, AutoNumber)] == [
        (spin.truth.pocket, spin.truth.provable) for spin in spins
    ]
    assert [link.up for link in seen if isinstance(link, AutoLink)] == [True, False]
