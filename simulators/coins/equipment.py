"""The coin equipment of a simulated machine: acceptor and hopper on one ccTalk bus, and what people do with them.

What is planned happens at its time, between the bytes of the bus; what the devices answer hangs on what they are asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush
from random import Random
from typing import Final

from drivers.coins.cctalk_wire import Checksum
from hal.values import EdgesLost, Loss, Output, Rare, SendFrame
from simulators.coins.acceptor import AcceptorSimulator
from simulators.coins.cctalk_bus import CctalkBusSimulator
from simulators.coins.hopper import HopperSimulator

TOKENS: Final = 500
"""In the hopper at the start."""
TRIES: Final = 5
"""How often a player puts in a token that comes back."""
AGAIN_NS: Final = 100_000_000
"""From a token that comes back to the next try."""

Mishap = Callable[["CoinEquipment", int], None]
"""Something that happens to the equipment at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CoinGeometry:
    """The devices on a bus."""

    link: str = "cctalk"
    acceptor: int = 2
    """Its address; 0 where there is none."""
    hopper: int = 3
    coin: int = 1
    """The number that a token has."""
    checksum: Checksum = "simple"
    echo: bool = True
    dispense_count: bool = True


class CoinEquipment:
    """A bus with its devices, and a plan of what happens to them."""

    def __init__(self, geometry: CoinGeometry, seed: int) -> None:
        rng = Random(f"{seed}/coins")
        self.geometry = geometry
        checksum = geometry.checksum
        self.acceptor = AcceptorSimulator(geometry.acceptor, checksum, Random(rng.random()))
        self.hopper = HopperSimulator(
            geometry.hopper, checksum, Random(rng.random()), tokens=TOKENS, dispense_count=geometry.dispense_count
        )
        devices = [device for device in (self.acceptor, self.hopper) if device.address]
        self.bus = CctalkBusSimulator(geometry.link, devices, Random(rng.random()), echo=geometry.echo)
        self._planned: list[tuple[int, int, Mishap]] = []
        self._count = 0
        self._rare: list[Rare] = []

    @property
    def links(self) -> tuple[str, ...]:
        """The links that it may name."""
        return (self.geometry.link,)

    def plan(self, t_ns: int, mishap: Mishap) -> None:
        """Something happens at a time."""
        self._count += 1
        heappush(self._planned, (t_ns, self._count, mishap))

    def insert(self, t_ns: int) -> None:
        """A player puts a token in then, and again if it comes back."""
        self._insert(t_ns, TRIES)

    def _insert(self, t_ns: int, tries: int) -> None:
        def put_in(equipment: CoinEquipment, at_ns: int) -> None:
            if not equipment.acceptor.insert(equipment.geometry.coin, at_ns) and tries > 1:
                equipment._insert(at_ns + AGAIN_NS, tries - 1)

        self.plan(t_ns, put_in)

    def unplug(self, t_ns: int) -> None:
        """The cable of the bus comes out: the adapter is gone."""
        self.bus.unplug()
        self._rare.append(EdgesLost(self.geometry.link, Loss.UNPLUGGED, t_ns))

    # --- what it answers -------------------------------------------------------------------------------------------

    @property
    def next_answer_ns(self) -> int | None:
        """When something comes next."""
        planned_ns = self._planned[0][0] if self._planned else None
        dues = (planned_ns, self.bus.next_ns, self.hopper.next_ns, *(one.t_ns for one in self._rare[:1]))
        return min((due for due in dues if due is not None), default=None)

    def command(self, output: Output) -> None:
        """The host sends."""
        if isinstance(output, SendFrame) and output.link == self.geometry.link:
            self.bus.send(output)

    def answers(self, until_ns: int) -> list[Rare]:
        """What comes on the bus up to then; each of it once."""
        found, self._rare = self._rare, []
        while self._planned and self._planned[0][0] <= until_ns:
            t_ns, _, mishap = heappop(self._planned)
            found += self.bus.receive(t_ns)
            self.hopper.advance(t_ns)
            mishap(self, t_ns)
            found += self._rare
            self._rare = []
        self.hopper.advance(until_ns)
        found += self.bus.receive(until_ns)
        return found
