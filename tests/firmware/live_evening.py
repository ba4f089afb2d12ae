"""An evening at a live table: what its lines do, how it is looked at, and what it said."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.boards.emulation import emulated_copy
from controller.configuration.document import read_document
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from controller.live.live_table import LiveTable
from controller.live.wiring import Wiring
from feed.events import Event
from hal.clock import VirtualClock
from hal.loop import run_virtual, sleep_ns
from hal.values import Batch
from simulators.base.truth import Truth
from simulators.board.played_link import LinkOnPty
from tests.firmware.emulated import MS, S
from tests.tables.bench import VERDICTS, EventList, configured

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
EPOCH = "00ff00ff00ff00ff"
LINK_NS = 5 * MS
"""How often a device on a link of its own sends what is due."""
LOOK_NS = 100 * MS
"""How often the table is looked at: as the service does it while all is still. It changes no verdict."""
CLOSED = "the test is over"


def example(name: str) -> dict[str, Any]:
    """The values of a file of the examples."""
    return dict(read_document(EXAMPLES / f"{name}.toml").values)


@dataclass
class TableEvening:
    """What the lines of a table do, from time 0 on, and what is true of the rounds."""

    batches: list[Batch]
    truths: list[Truth] = field(default_factory=list)

    @property
    def until_ns(self) -> int:
        return self.batches[-1].until_ns


def simulated(values: Mapping[str, Any], faults: Sequence[str | None], seed: int) -> TableEvening:
    """Rounds of the simulator of a table on boards, one for each fault."""
    config = configured(emulated_copy(values, Path("/nowhere")))
    simulator = geometry_of(config).simulator(seed)
    batches = [simulator.start()]
    rounds = [simulator.round(fault) for fault in faults]
    return TableEvening(batches + [one.batch for one in rounds], [one.truth for one in rounds])


class PlayedBatches:
    """What a planned table sends, for its links (see `simulators.board.played_link.Playing`)."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self._left = sorted((value for batch in batches for value in batch.rare), key=lambda value: value.t_ns)

    def take(self, board: str, until_ns: int) -> Batch:
        due = bisect_right(self._left, until_ns, key=lambda value: value.t_ns)
        taken, self._left = self._left[:due], self._left[due:]
        return Batch([], taken, until_ns)


class LiveEvening(ABC):
    """A live table on a virtual loop, made from its file; whoever knows its wires says how they are made."""

    def __init__(self, config: TableConfig, evening: TableEvening, *, supervised: bool) -> None:
        """`supervised`: somebody clears what shuts the table as soon as its cause is gone."""
        self.config = config
        self.evening = evening
        self.clock = VirtualClock()
        self.said = EventList()
        """What the table said, up to its closing."""
        self.closing = EventList()
        self._supervised = supervised

    def run(self, until_ns: int | None = None, script: Callable[[], object] = lambda: None) -> EventList:
        """Lives through the evening; `script` is called when the wires are open."""
        run_virtual(self._live(self.evening.until_ns if until_ns is None else until_ns, script), self.clock)
        return self.said

    def at(self, t_ns: int, happen: Callable[[], object]) -> None:
        """Has something happen at a time; to be called from the loop, as by the script."""
        asyncio.get_running_loop().call_at(t_ns / S, happen)

    def clear(self, *devices: str) -> None:
        """A supervisor clears these devices."""
        for device in devices:
            refused = self.table.command("clear", {"device": device, "by": "ann"})
            assert refused is None

    def _play_links(self, opened: ExitStack, devices: Sequence[LinkOnPty]) -> None:
        """Runs devices that speak over links of their own, from time 0 to the end."""
        loop = asyncio.get_running_loop()

        def step() -> None:
            for device in devices:
                device.step(self.clock.now_ns())
            loop.call_later(LINK_NS / S, step)

        for device in devices:
            device.plug_in()
            opened.callback(device.pull)
        if devices:
            step()

    @abstractmethod
    def _wire(self, opened: ExitStack) -> Wiring:
        """Makes the wires; called on the loop, at time 0."""

    async def _ended(self) -> None:  # noqa: B027
        """The table is closed: a table that has more to see to does it here."""

    def _passes(self, t_ns: int) -> None:  # noqa: B027
        """The table is about to be looked at: one that has more to note does it here."""

    async def _live(self, until_ns: int, script: Callable[[], object]) -> None:
        with ExitStack() as opened:
            self.table = LiveTable(self.config, self._wire(opened), self.clock, epoch=EPOCH)
            self.table.open_wires()
            self.said += self.table.open()
            script()
            try:
                while self.clock.now_ns() < until_ns:
                    await sleep_ns(LOOK_NS)
                    self._passes(self.clock.now_ns())
                    self._look()
            finally:
                self.closing = EventList(self.table.close(CLOSED))
                await self._ended()

    def _look(self) -> None:
        said = self.table.tick().events
        self.said += said
        self.table.show(said)
        if self._supervised:
            self.table.supervise()


def verdicts(said: Sequence[Event]) -> list[tuple[str, float | None]]:
    """Each verdict in order, with the revolutions that its evidence has."""
    told = [event.data for event in said if isinstance(event.data, VERDICTS)]
    return [(word, data.evidence.revolutions) for word, data in zip(EventList(said).verdicts(), told, strict=True)]
