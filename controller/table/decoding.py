"""From the values of the wires to what the drivers of a table observe, in the order of time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter, itemgetter
from typing import Final

from drivers.base.driver import NEVER_NS, CalmReadings, Driver, Observation
from hal.values import Batch, Command, Edge, EdgesLost, Frame, Rare, Reading

_time: Final = itemgetter(2)
_moment: Final = attrgetter("t_ns")


class UnknownLine(Observation, frozen=True, kw_only=True):
    """A value came of a line that no device of the table has."""

    line: str


class Decoding:
    """The drivers of one table. At one instant the observations of the driver that comes first are first."""

    def __init__(self, drivers: Sequence[Driver]) -> None:
        self.drivers = tuple(drivers)
        self._owner = {line: driver.name for driver in drivers for line in driver.lines}
        self._takers = {
            line: tuple(place for place, driver in enumerate(self.drivers) if line in driver.lines)
            for line in self._owner
        }
        """The places of the drivers that decode a line."""
        self._calm = {
            line: driver.calm
            for driver in self.drivers
            if isinstance(driver, CalmReadings)
            for line in driver.lines
            if len(self._takers[line]) == 1
        }
        """What takes a reading of a line that decides nothing, where a driver knows."""

    @property
    def next_due_ns(self) -> int:
        """When a driver next wants to know that time has passed; `NEVER_NS` where none does."""
        dues = [driver.next_due_ns for driver in self.drivers]
        return min((due for due in dues if due is not None), default=NEVER_NS)

    def owner_of(self, line: str) -> str:
        """The device of a line; `table` for a line of none."""
        return self._owner.get(line, "table")

    def begin(self, t_ns: int) -> None:
        """From now on silence counts, however late the first batch comes."""
        for driver in self.drivers:
            driver.due(t_ns)

    def decode(self, batch: Batch) -> list[Observation | Command]:
        """What the drivers observe in a batch, and the orders in it, in the order of time."""
        edges, rare, until_ns = batch
        seen: list[Observation | Command] = []
        if rare:
            found, others = self._values(edges, rare)
            for driver, observations in zip(self.drivers, found, strict=True):
                seen += observations
                seen += driver.due(until_ns)
            seen += others
        elif edges:
            for driver, observations in [(driver, driver.edges(edges)) for driver in self.drivers]:
                seen += observations
                seen += driver.due(until_ns)
        else:
            for driver in self.drivers:
                seen += driver.due(until_ns)
        seen.sort(key=_moment)
        return seen

    def _values(
        self, edges: list[Edge], rares: list[Rare]
    ) -> tuple[list[list[Observation]], list[UnknownLine | Command]]:
        """Gives edges and rare values to the drivers in the order of time, edges first where times are equal.

        Returns each driver's observations, and what is not a driver's.
        """
        drivers = self.drivers
        found: list[list[Observation]] = [[] for _ in drivers]
        others: list[UnknownLine | Command] = []
        start, count = 0, len(edges)
        calm = self._calm
        for rare in rares:
            if type(rare) is Reading and rare.line in calm and calm[rare.line](rare):
                continue
            if start < count and edges[start].t_ns <= rare.t_ns:
                end = bisect_right(edges, rare.t_ns, lo=start, key=_time)
                for driver, observations in zip(drivers, found, strict=True):
                    observations += driver.edges(edges[start:end])
                start = end
            if isinstance(rare, Command):
                others.append(rare)
            elif not self._rare(rare, found):
                line = rare.link if isinstance(rare, Frame) else rare.line
                others.append(UnknownLine(t_ns=rare.t_ns, line=line))
        if start < count:
            for driver, observations in zip(drivers, found, strict=True):
                observations += driver.edges(edges[start:])
        return found, others

    def _rare(self, rare: Reading | Frame | EdgesLost, found: list[list[Observation]]) -> bool:
        """Gives a value to the drivers of its line; returns whether there is one."""
        takers = self._takers.get(rare.link if isinstance(rare, Frame) else rare.line, ())
        for place in takers:
            driver = self.drivers[place]
            if isinstance(rare, Reading):
                found[place] += driver.reading(rare)
            elif isinstance(rare, Frame):
                found[place] += driver.frame(rare)
            else:
                found[place] += driver.lost(rare)
        return bool(takers)
