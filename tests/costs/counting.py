"""Counts what a run costs, without a clock: the same run has the same figures on every machine.

Counted is the project's own code. The standard library and other packages count where the project calls them, and not
for what they do inside: their next patch release changes no figure.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

PACKAGES: Final = frozenset({"hal", "drivers", "controller", "feed", "audit", "scoreboard", "fleet", "simulators"})
SCAFFOLD: Final = "hal.loop"
"""The virtual loop runs in tests and simulations alone."""


class Cost(NamedTuple):
    """What one run costs."""

    instructions: int
    """Instructions of the interpreter, in the project's own functions."""
    calls: int
    """Calls of the project's functions, and its calls of others, in Python and in C."""
    peak_bytes: int
    """The most memory that Python allocated at one time, beyond what it had before."""
    kept_blocks: int
    """Blocks of memory that are still allocated afterwards: what a run adds to the process."""


def cost_of(ready: Callable[[], Callable[[], int]], expected: int) -> Cost:
    """Runs it five times, each on a fresh `ready()`: once to fill caches, and once for each figure.

    Raises:
        ValueError: a run did other work than `expected`.
    """
    _run(ready, expected, _nothing, _nothing)
    instructions, calls = instructions_of(ready, expected), calls_of(ready, expected)
    return Cost(instructions, calls, _peak(ready, expected), _kept(ready, expected))


def instructions_of(ready: Callable[[], Callable[[], int]], expected: int) -> int:
    """How many instructions a run executes; caches are as an earlier run left them.

    Raises:
        ValueError: the run did other work than `expected`.
    """
    instructions = _Instructions()
    if sys.version_info < (3, 12):
        _run(ready, expected, lambda: sys.settrace(instructions.enter), lambda: sys.settrace(None))
    else:
        _run(ready, expected, lambda: _monitor(instructions), _monitor_no_more)
    return instructions.count


def calls_of(ready: Callable[[], Callable[[], int]], expected: int) -> int:
    """How many calls a run makes, as `instructions_of`.

    Raises:
        ValueError: the run did other work than `expected`.
    """
    calls = _Calls()
    _run(ready, expected, lambda: sys.setprofile(calls.note), lambda: sys.setprofile(None))
    return calls.count


if sys.version_info >= (3, 12):
    # From 3.12 on, a second run under settrace reports each instruction twice.
    _TOOL: Final = 3

    def _monitor(instructions: _Instructions) -> None:
        sys.monitoring.use_tool_id(_TOOL, "costs")
        sys.monitoring.register_callback(_TOOL, sys.monitoring.events.INSTRUCTION, instructions.instruction)
        sys.monitoring.restart_events()
        sys.monitoring.set_events(_TOOL, sys.monitoring.events.INSTRUCTION)

    def _monitor_no_more() -> None:
        sys.monitoring.set_events(_TOOL, sys.monitoring.events.NO_EVENTS)
        sys.monitoring.free_tool_id(_TOOL)


class _Instructions:
    def __init__(self) -> None:
        self.count = 0

    def enter(self, frame: FrameType, _event: str, _arg: Any) -> Callable[[FrameType, str, Any], Any] | None:
        if not _is_ours(frame):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return self.step

    def step(self, _frame: FrameType, event: str, _arg: Any) -> Callable[[FrameType, str, Any], Any]:
        if event == "opcode":
            self.count += 1
        return self.step

    def instruction(self, _code: CodeType, _offset: int) -> object:
        """What `sys.monitoring` calls (from 3.12 on); an instruction of others is not asked for again."""
        if _is_ours(sys._getframe(1)):
            self.count += 1
        elif sys.version_info >= (3, 12):
            return sys.monitoring.DISABLE
        return None


class _Calls:
    def __init__(self) -> None:
        self.count = 0

    def note(self, frame: FrameType, event: str, _arg: Any) -> None:
        if event == "c_call":
            self.count += _is_ours(frame)
        elif event == "call":
            self.count += _is_ours(frame) or (frame.f_back is not None and _is_ours(frame.f_back))


def _peak(ready: Callable[[], Callable[[], int]], expected: int) -> int:
    peaks: list[int] = []

    def stop() -> None:
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()

    _run(ready, expected, tracemalloc.start, stop)
    return peaks[0]


def _kept(ready: Callable[[], Callable[[], int]], expected: int) -> int:
    blocks: list[int] = []

    def look() -> None:
        gc.collect()
        blocks.append(sys.getallocatedblocks())

    _run(ready, expected, look, look)
    return blocks[1] - blocks[0]


def _run(
    ready: Callable[[], Callable[[], int]], expected: int, begin: Callable[[], None], end: Callable[[], None]
) -> None:
    run = ready()
    gc.collect()
    # A collection in between would count finalizers, at a moment that depends on what else is loaded.
    gc.disable()
    try:
        begin()
        try:
            shown = run()
        finally:
            end()
    finally:
        gc.enable()
    if shown != expected:
        raise ValueError(f"expected {expected} as the sign of the work, saw {shown}: its cost means nothing")


def _is_ours(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] in PACKAGES and name != SCAFFOLD


def _nothing() -> None:
    """Where nothing is counted."""
