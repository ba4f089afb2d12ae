"""A simulated table as a source of lines, for a live service without hardware."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter

from hal.lines import NOT_YET_NS, LineError, Sink
from hal.values import Batch, Edge, Output, Rare
from simulators.base.answering import Answering
from simulators.base.truth import TableSimulator

_T_NS = attrgetter("t_ns")


class SimulatedSource:
    """Plays a simulator's rounds, one after another, on the caller's clock (see `hal.lines.LineSource`).

    The simulator's time 0 is `start_ns` of that clock. `faults` are the named faults of rounds by their number; the
    key `None` is that of every other round.
    """

    detects_loss = True
    kernel_time = True
    max_lateness_ns = 0

    def __init__(
        self, simulator: TableSimulator, start_ns: int, faults: dict[int | None, str], *, name: str = "sim"
    ) -> None:
        self.name = name
        self.lines = frozenset(simulator.lines)
        self._simulator = simulator
        self._start_ns = start_ns
        self._faults = faults
        self._rounds = 0
        self._sink: Sink | None = None
        self._held = Batch([], [], NOT_YET_NS)
        self._delivered_ns = NOT_YET_NS

    @property
    def failed(self) -> LineError | None:
        """None: a simulator does not fail."""
        return None

    @property
    def answers(self) -> bool:
        """Whether its devices answer to outputs."""
        return isinstance(self._simulator, Answering)

    @property
    def next_value_ns(self) -> int:
        """When its next value comes, or its next round begins, if nothing is commanded before."""
        answer_ns = self._simulator.next_answer_ns if isinstance(self._simulator, Answering) else None
        times = [values[0].t_ns for values in (self._held.edges, self._held.rare) if values]
        if answer_ns is not None:
            times.append(answer_ns + self._start_ns)
        return min(times, default=self._held.until_ns)

    def open(self, sink: Sink) -> None:
        """Opens the source; begins with the levels at the simulator's time 0."""
        self._sink = sink
        self._held = self._shifted(self._simulator.start())

    def command(self, output: Output) -> None:
        """Passes an output to simulated devices that answer."""
        if isinstance(self._simulator, Answering):
            self._simulator.command(output._replace(t_ns=output.t_ns - self._start_ns))

    def close(self) -> None:
        """Stops playing."""
        self._sink = None

    def delivered_until(self, now_ns: int) -> int:
        """Plays up to `now_ns`, with as many rounds as that takes."""
        sink = self._sink
        if sink is not None and isinstance(self._simulator, Answering):
            answered = self._shifted(self._simulator.answers(now_ns - self._start_ns))
            # An answer is dated after what was already delivered.
            late_ns = self._delivered_ns + 1
            edges = [edge if edge.t_ns >= late_ns else edge._replace(t_ns=late_ns) for edge in answered.edges]
            rare = [one if one.t_ns >= late_ns else one._replace(t_ns=late_ns) for one in answered.rare]
            sink.deliver(self.name, edges, rare)
        self._delivered_ns = now_ns
        while sink is not None:
            edges, rare, until_ns = self._held
            edge, other = bisect_right(edges, now_ns, key=_T_NS), bisect_right(rare, now_ns, key=_T_NS)
            if edge or other:
                self._held = Batch(edges[edge:], rare[other:], until_ns)
                sink.deliver(self.name, edges[:edge], rare[:other])
            if until_ns > now_ns:
                break
            self._rounds += 1
            fault = self._faults.get(self._rounds, self._faults.get(None))
            self._held = self._shifted(self._simulator.round(fault).batch)
        return now_ns

    def _shifted(self, batch: Batch) -> Batch:
        start_ns = self._start_ns
        edges = [Edge(line, level, t_ns + start_ns) for line, level, t_ns in batch.edges]
        rare: list[Rare] = [value._replace(t_ns=value.t_ns + start_ns) for value in batch.rare]
        return Batch(edges, rare, batch.until_ns + start_ns)
