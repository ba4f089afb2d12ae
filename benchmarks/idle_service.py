"""A service whose tables' wires do nothing: `feltwire run` on lines in memory, to measure what it costs by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from controller.cli import imported
from hal.backends.sim import SimLines
from hal.clock import Clock

if TYPE_CHECKING:
    from controller.configuration.values import TableConfig
    from controller.live.wiring import Wiring


class StillLines(SimLines):
    """Lines at rest: everything up to now has been delivered, and it is nothing."""

    def delivered_until(self, now_ns: int) -> int:
        self.passed(now_ns)
        return super().delivered_until(now_ns)


def still(config: TableConfig, clock: Clock, faults: Mapping[int | None, str], seed: int) -> Wiring:
    """Every input of the table, at rest."""
    from controller.live.wiring import Wiring

    lines = [line for line, use in config.uses.items() if use.kind == "input"]
    return Wiring(sources=[StillLines(lines, name=f"{config.id}:still", start_ns=clock.now_ns())])


if __name__ == "__main__":
    # As `feltwire` imports its command: first, and so that nothing is loaded which the command does without.
    command = imported("controller.cli.run").command
    from controller.service import table_supervisor as plan

    if not hasattr(plan, "wire"):
        raise SystemExit("the service takes its wires elsewhere now: nothing would be measured at rest")
    plan.wire = still
    command()
