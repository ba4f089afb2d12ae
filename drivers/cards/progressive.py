"""The acceptors of progressive wagers: a sensor, a lamp at each position, and the lock-out of all of them.

    acceptor_1       ___┌────────────────────────     a wager is in the acceptor of position 1
    acceptor_lamp_1  ______┌─────────────────────     it is accepted
    acceptor_lock    ┐________________┌──────────     low: wagers are taken; high from "No more bets" on

The driver reports wagers; the actuator lights and locks, and nothing is read back.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import Observation
from drivers.base.lasting_lines import LastingLines
from drivers.base.sensed_device import DebouncedLevel, SensedDevice
from drivers.base.view import Fact
from drivers.cards.observations import AcceptorFailed, WagerSeen
from hal.values import Edge, EdgesLost, Output, SetLine

LOCK: Final = "acceptor_lock"
HOLD_NS: Final = 50_000_000
"""A wager is in its acceptor when it was seen for this long (ours)."""


class ProgressiveConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the acceptors of progressive wagers."""

    driver: Literal["progressive"] = "progressive"
    positions: Annotated[int, Meta(ge=1, le=14, description="positions with an acceptor")] = 7


def acceptor(position: int) -> str:
    """The line of a position's sensor."""
    return f"acceptor_{position}"


def lamp(position: int) -> str:
    """The line of a position's lamp."""
    return f"acceptor_lamp_{position}"


class Acceptors(SensedDevice):
    """The driver of all acceptors of a table (see `drivers.base.driver.Driver`)."""

    def __init__(self, config: ProgressiveConfig, name: str = "progressive") -> None:
        super().__init__(name)
        self._positions = {acceptor(position): position for position in range(1, config.positions + 1)}
        self.lines = frozenset(self._positions)
        self._held = {line: DebouncedLevel(HOLD_NS) for line in self._positions}

    def _facts(self) -> tuple[Fact, ...]:
        inside = ", ".join(str(self._positions[line]) for line, held in self._held.items() if held.level)
        return (("wagers in the acceptors of positions", inside or "none"),)

    def _lose(self, loss: EdgesLost, found: list[Observation]) -> None:
        """Whether a wager is in the acceptor is not known."""
        self._held[loss.line].forget()
        found.append(AcceptorFailed(t_ns=loss.t_ns, position=self._positions[loss.line]))

    def _due_ns(self) -> int:
        return min(held.due_ns for held in self._held.values())

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while (due_ns := self._due_ns()) <= until_ns:
            for line, held in self._held.items():
                change = held.due(due_ns) if held.due_ns == due_ns else None
                if change is not None:
                    position = self._positions[line]
                    seen = WagerSeen(t_ns=due_ns, position=position, lies=bool(change.level), since_ns=change.since_ns)
                    found.append(seen)

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        if self._held[edge.line].edge(edge.level, edge.t_ns) and edge.level:
            position = self._positions[edge.line]
            found.append(WagerSeen(t_ns=edge.t_ns, position=position, lies=True, since_ns=edge.t_ns))


class AcceptorActuator:
    """The lamps and the lock of a table's acceptors; see `drivers.base.actuator.Actuator`."""

    observes: frozenset[type[Observation]] = frozenset()

    def __init__(self, config: ProgressiveConfig, name: str = "progressive") -> None:
        self.name = name
        self.outputs: list[Output] = []
        self.positions = range(1, config.positions + 1)
        """Those with an acceptor."""
        self.lit: frozenset[int] = frozenset()
        """The positions whose lamp is commanded on."""
        self._locked: bool | None = None
        """None before the first command: a table begins locked, by `rest`, and may begin closed."""
        self._lasting = LastingLines()
        self._keep(0)

    @property
    def next_due_ns(self) -> int:
        """When lock and lamps that are on are set again: an output goes safe before a table may want that."""
        return self._lasting.due_ns

    def light(self, positions: Collection[int], t_ns: int) -> None:
        """Lights the lamps of these positions, and no other."""
        lit = frozenset(positions) & frozenset(self.positions)
        self.outputs += [
            SetLine(lamp(position), False, t_ns) for position in self.positions if position in self.lit - lit
        ]
        self.outputs += [
            SetLine(lamp(position), True, t_ns) for position in self.positions if position in lit - self.lit
        ]
        self.lit = lit
        self._keep(t_ns)

    def lock(self, locked: bool, t_ns: int) -> None:
        """Takes no wager any more, or takes wagers again."""
        if locked is not self._locked:
            self._locked = locked
            self.outputs.append(SetLine(LOCK, locked, t_ns))
            self._keep(t_ns)

    def _keep(self, t_ns: int) -> None:
        lamps = [lamp(position) for position in self.positions if position in self.lit]
        self._lasting.keep([*([] if self._locked is False else [LOCK]), *lamps], t_ns)

    def observe(self, seen: Observation) -> list[Observation]:
        return []

    def due(self, t_ns: int) -> list[Observation]:
        """Sets again what has been on for some minutes."""
        self.outputs += self._lasting.due(t_ns)
        return []

    def rest(self, t_ns: int) -> list[Output]:
        """Locked, and every lamp dark."""
        return [SetLine(LOCK, True, t_ns), *(SetLine(lamp(position), False, t_ns) for position in self.positions)]
