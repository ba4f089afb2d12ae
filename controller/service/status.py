"""How the service is, in plain values: for `feltwire send status`, and for whoever else asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from controller.service.counters import ServiceCounters
from controller.service.pipeline import Pipeline
from controller.service.sockets import Sockets
from controller.service.table_runner import HALTED, TableRunner


def status_of(
    runners: Sequence[TableRunner], pipeline: Pipeline | None, problem: str | None, counters: ServiceCounters
) -> dict[str, Any]:
    """The state of the service and of each table, and what was counted. `problem` is that of a socket."""
    failure = None if pipeline is None else pipeline.failure
    tables: dict[str, Any] = {}
    if pipeline is not None:
        for runner in runners:
            head = pipeline.head(runner.id)
            tables[runner.id] = {
                "state": HALTED if failure is not None else runner.table.state,
                "last": head.seq,
                "head": head.hash,
                "faults": [f"{fault.device}: {fault.fault}: {fault.detail}" for fault in runner.table.faults],
            }
    return {
        "state": HALTED if failure is not None else "running",
        "problem": str(failure) if failure is not None else problem or "",
        "tables": tables,
        "commits": counters.commits,
        "waiting": counters.waiting,
        "longest_commit_ms": round(counters.longest_commit_ns / 1e6, 1),
        "commands": dict(counters.commands),
        "captures": dict(counters.captures),
        "late_ticks": counters.late_ticks,
    }


def status_line(pipeline: Pipeline | None, sockets: Sockets, counters: ServiceCounters) -> str:
    """The same in one line, for systemd."""
    if pipeline is not None and pipeline.failure is not None:
        return f"HALTED: {pipeline.failure}"
    if sockets.problem:
        return f"PROBLEM: {sockets.problem}"
    states = ", ".join(f"{table} {state}" for table, state in counters.states.items())
    return f"{states}; {sockets.publisher.connections} subscribers"
