"""A service whose table is spun: `feltwire run` on the edges of simulated rounds that were made before it opened.

What its process costs is what a real wheel at these edges costs: no simulator works while it runs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from operator import attrgetter

from benchmarks.verdicts import simulated_rounds
from controller.cli.run import command
from controller.configuration.values import TableConfig
from controller.live.wiring import Wiring
from controller.service import table_supervisor as plan
from hal.backends.sim import SimLines
from hal.clock import Clock
from hal.values import Batch

ROUNDS = 1
_T_NS = attrgetter("t_ns")


class SpunLines(SimLines):
    """Lines that change as these batches do, from `start_ns` on; then they are at rest."""

    def __init__(self, lines: Sequence[str], batches: Sequence[Batch], *, name: str, start_ns: int) -> None:
        super().__init__(lines, name=name, start_ns=start_ns)
        found, *played = batches
        for edge in found.edges:
            self.drive(edge.line, edge.level, start_ns)
        self._edges = [edge._replace(t_ns=edge.t_ns + start_ns) for batch in played for edge in batch.edges]
        self._next = 0

    def delivered_until(self, now_ns: int) -> int:
        """Plays what is due."""
        end = bisect_right(self._edges, now_ns, self._next, key=_T_NS)
        self.play(self._edges[self._next : end], [], now_ns)
        self._next = end
        return super().delivered_until(now_ns)


def spun(config: TableConfig, clock: Clock, faults: Mapping[int | None, str], seed: int) -> Wiring:
    """The table's inputs, in rounds of its simulator."""
    lines = [line for line, use in config.uses.items() if use.kind == "input"]
    batches = simulated_rounds(config, ROUNDS)
    return Wiring(sources=[SpunLines(lines, batches, name=f"{config.id}:spun", start_ns=clock.now_ns())])


def highest_rate(batches: Sequence[Batch]) -> int:
    """The most edges in any second."""
    times = [edge.t_ns for batch in batches[1:] for edge in batch.edges]
    return max(bisect_right(times, t_ns + 10**9 - 1) - number for number, t_ns in enumerate(times))


def seconds(batches: Sequence[Batch]) -> float:
    """How long they last."""
    return batches[-1].until_ns / 1e9


if __name__ == "__main__":
    if not hasattr(plan, "wire"):
        raise SystemExit("the service takes its wires elsewhere now: nothing would be spun")
    plan.wire = spun
    command()
