"""Has the boards and devices of a closed machine report who they are: for its certificate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.certification.certificate import Facts
from controller.configuration.values import TableConfig
from controller.live.certificate_watch import reported_devices
from controller.live.live_table import LiveTable
from controller.live.wiring import wire
from hal.clock import NS_PER_S, Clock
from hal.lines import LineError
from hal.loop import sleep_ns

LONGEST_NS: Final = 20 * NS_PER_S
"""How long boards and devices may take to report (ours): boot loader, clock, power-up."""
TICK_NS: Final = NS_PER_S // 50
EPOCH: Final = "certify"


async def identify(config: TableConfig, clock: Clock, *, seed: int = 1) -> Facts:
    """What the boards and devices report. The machine stays closed: no token is taken, and nothing moves.

    Raises:
        LineError: its wires cannot be opened, or one of them does not report.
    """
    table = LiveTable(config, wire(config, clock, {}, seed), clock, epoch=EPOCH, opens=False)
    try:
        table.open_wires()
        table.open()
        until_ns = clock.now_ns() + LONGEST_NS
        while missing := _missing(config, table):
            if clock.now_ns() > until_ns:
                raise LineError(
                    f"{config.id}: {', '.join(missing)} did not report within {LONGEST_NS // NS_PER_S} s; look at "
                    "supply and plug"
                )
            await sleep_ns(TICK_NS)
            table.tick()
        return _sorted(reported_devices(table.table))
    finally:
        table.safe()


def _missing(config: TableConfig, table: LiveTable) -> list[str]:
    known = reported_devices(table.table)
    wanted = [*(f"board.{name}" for name in config.boards), *table.table.identified]
    return [name for name in wanted if name not in known]


def _sorted(facts: Facts) -> Mapping[str, Mapping[str, str]]:
    return {name: dict(facts[name]) for name in sorted(facts)}
