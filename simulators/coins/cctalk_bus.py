"""A simulated ccTalk bus: one wire with a host and its devices, on which bytes may be harmed in both directions."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from random import Random

from hal.values import Frame, SendFrame
from simulators.coins.cctalk_device import CctalkDevice
from simulators.coins.noisy_line import NoisyLine


class CctalkBusSimulator:
    """The bus. What the host hears is collected in the order of time."""

    def __init__(
        self, link: str, devices: Sequence[CctalkDevice], rng: Random, *, echo: bool = True, harmed: float = 0.0
    ) -> None:
        """`harmed` is the share of bytes to which each kind of harm is done, in each direction."""
        self.link = link
        self.devices = tuple(devices)
        self.to_devices = NoisyLine(rng, harmed)
        self.to_host = NoisyLine(rng, harmed)
        self.plugged = True
        self._echo = echo
        self._events: list[tuple[int, int, bool, bytes]] = []
        """Time, order, whether it is for the host, and the bytes."""
        self._count = 0

    @property
    def next_ns(self) -> int | None:
        """When something arrives next."""
        return self._events[0][0] if self._events else None

    def send(self, output: SendFrame) -> None:
        """The host sends; every device on the wire hears it, and the host itself."""
        if not self.plugged:
            return
        for chunk in self.to_devices.carry(output.data, output.t_ns):
            self._push(chunk.t_ns, False, chunk.data)
        if self._echo:
            self._to_host(output.data, output.t_ns)

    def unplug(self) -> None:
        """The cable is out: what is on its way is lost."""
        self.plugged = False
        self._events.clear()

    def plug(self) -> None:
        """The cable is in again."""
        self.plugged = True

    def receive(self, until_ns: int) -> list[Frame]:
        """What the host hears up to then."""
        heard: list[Frame] = []
        while self._events and self._events[0][0] <= until_ns:
            t_ns, _, for_host, data = heappop(self._events)
            if for_host:
                heard.append(Frame(self.link, data, t_ns))
                continue
            for device in self.devices:
                answer = device.receive(data, t_ns)
                if answer is not None:
                    self._to_host(*answer)
        return heard

    def _to_host(self, data: bytes, t_ns: int) -> None:
        for chunk in self.to_host.carry(data, t_ns):
            self._push(chunk.t_ns, True, chunk.data)

    def _push(self, t_ns: int, for_host: bool, data: bytes) -> None:
        self._count += 1
        heappush(self._events, (t_ns, self._count, for_host, data))
