"""The rotor of a roulette wheel: its angle at any time, its speed and its direction.

Direction matters as much as speed: the rule wants the ball opposite to the rotor (13:47-20.32(j)1), so a rotor
without a direction leaves no valid spin.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.roulette.device import RotorDoubt
from drivers.wheel.encoder import SPEED_COUNTS, Encoder
from drivers.wheel.quadrature import ANY_COUNT, COUNTS_PER_SLOT, DUE, LIMIT, OTHER
from hal.values import Edge

INERTIA_NS: Final = 100_000_000
"""No hand reverses a running rotor in less time (ours)."""


class RotorTurning(Observation, frozen=True, kw_only=True):
    """The rotor turns fast enough to have a direction."""

    direction: int
    """+1 or -1: the positive direction is that of growing angles."""
    rpm: float


class RotorStopped(Observation, frozen=True, kw_only=True):
    """The rotor is at rest, or is slower than the least speed."""


class RotorReversed(Observation, frozen=True, kw_only=True):
    """The rotor went against its direction by more than half a pocket."""

    direction: int
    """The new one."""


class Rotor:
    """Follows the rotor by its encoder."""

    def __init__(
        self, slots: int, index_width_deg: float, pockets: int, least_rpm: float, passed: Collection[str] = ()
    ) -> None:
        """`passed` are lines whose rises `run` does not return, but keeps in `passed` of its decoder."""
        self.encoder = Encoder("rotor_a", "rotor_b", "rotor_index", slots, index_width_deg, passed)
        counts = self.encoder.counts_per_turn
        self.half_pocket = max(COUNTS_PER_SLOT // 2, counts // pockets // 2)
        self._slowest_ns = round(60e9 / (least_rpm * counts)) * SPEED_COUNTS
        self.direction = 0
        """+1 or -1 while the rotor turns, 0 while it does not."""
        self._furthest = 0
        self._furthest_ns = 0
        self._slack = 0
        self._low = self._high = 0
        self._since = (0, 0)
        """A count and its time, from which a rotor whose sensors bounce is measured, not by its last counts."""
        self._watch()
        self.due_ns = NEVER_NS
        """When the rotor has stopped if no count follows, or earlier: counts postpone it."""

    def rpm(self, t_ns: int) -> float:
        """Speed in revolutions a minute, always positive: from the last counts, or less if none has followed."""
        return self.encoder.rpm(t_ns)

    def angle_deg(self, t_ns: int) -> float | None:
        """The angle since the index, interpolated between counts by the last speed; None before an index."""
        return self.encoder.angle_deg(t_ns)

    def run(self, edges: Iterator[Edge], found: list[Observation]) -> Edge | None:
        """Decodes the rotor's edges up to the next edge of another line, which it returns."""
        encoder = self.encoder
        while True:
            stop, edge = encoder.run(edges, self._low, self._high, self.due_ns, self._slowest_ns)
            if edge is None or stop is OTHER:
                return edge
            if stop is DUE:
                self.pass_time(edge.t_ns - 1, found)
            elif stop is LIMIT:
                self._reach(edge.t_ns, found)
                self._watch()
            else:
                self._note(encoder.count - encoder.quadrature.direction, encoder.quadrature.t2_ns)
                if self.direction:
                    self._measure(edge.t_ns, found)

    def pass_time(self, t_ns: int, found: list[Observation]) -> None:
        """Advances time: a rotor without counts has stopped."""
        if t_ns < self.due_ns:
            return
        stopped_ns = self.encoder.quadrature.t3_ns + self._slowest_ns
        if t_ns < stopped_ns:
            self.due_ns = stopped_ns
            return
        self._stop(stopped_ns, found)

    def unplugged(self, t_ns: int, found: list[Observation]) -> None:
        """Handles a pulled cable: the direction is unknown."""
        self.encoder.unplugged()
        if self.direction:
            self._stop(t_ns, found)

    def report_doubts(self, health: SensorHealth, found: list[Observation]) -> None:
        """Reports the doubts that the encoder recorded, each once."""
        for t_ns, reason, detail, explained, dead_line in self.encoder.doubts:
            found.append(RotorDoubt(t_ns=t_ns, reason=reason, detail=detail, explained=explained))
            if dead_line:
                health.line_failed(dead_line, reason, detail, t_ns, found)
        self.encoder.forget_doubts()

    def _stop(self, t_ns: int, found: list[Observation]) -> None:
        self.direction = 0
        self.due_ns = NEVER_NS
        self._furthest = self.encoder.count
        self._watch()
        found.append(RotorStopped(t_ns=t_ns))

    def _watch(self) -> None:
        """Sets the range of counts in which no observation is due."""
        if not self.direction:
            # The speed is checked every few counts.
            self._low, self._high = self._furthest - SPEED_COUNTS, self._furthest + SPEED_COUNTS
            return
        back = self._furthest - self.direction * (self.half_pocket + self._slack)
        self._low, self._high = (back, ANY_COUNT) if self.direction > 0 else (-ANY_COUNT, back)

    def _note(self, count: int, t_ns: int) -> None:
        """Records a count at which the disc turned back, or seemed to."""
        if self.direction and (count - self._furthest) * self.direction > 0:
            self._furthest = count
            self._furthest_ns = t_ns
            self._slack = 0
            self._watch()

    def _measure(self, t_ns: int, found: list[Observation]) -> None:
        """Finds a rotor that bounces slow: bounces postpone the deadline of its counts."""
        count, since_ns = self._since
        if t_ns - since_ns > self._slowest_ns:
            self._since = (self._furthest, t_ns)
            if abs(self._furthest - count) < SPEED_COUNTS:
                self._stop(t_ns, found)

    def _reach(self, t_ns: int, found: list[Observation]) -> None:
        encoder = self.encoder
        quadrature = encoder.quadrature
        heading = quadrature.direction
        if self.direction and t_ns - self._furthest_ns < INERTIA_NS:
            # Too soon for a rotor's inertia: noise or lost pulses. The window widens until the time has passed.
            self._slack += 1
            return
        self._slack = 0
        if self.direction:
            self.direction = heading
            self._furthest = encoder.count
            self._furthest_ns = t_ns
            found.append(RotorReversed(t_ns=t_ns, direction=heading))
            return
        slow = (t_ns - self._furthest_ns) * SPEED_COUNTS > self._slowest_ns * abs(encoder.count - self._furthest)
        self._furthest = encoder.count
        self._furthest_ns = t_ns
        if 0 < t_ns - quadrature.t4_ns <= self._slowest_ns and not slow:
            self.direction = heading
            self._since = (encoder.count, t_ns)
            self.due_ns = quadrature.t3_ns + self._slowest_ns
            found.append(RotorTurning(t_ns=t_ns, direction=heading, rpm=round(self.rpm(t_ns), 2)))
