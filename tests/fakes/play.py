"""Playing edges through the real backends: the same lines, by way of gpiozero's pins or of the kernel's events.

Both helpers take what a capture holds (`edges`, where the first of each line is its level at the start; `rare`, which
no pin can carry) and give what the merge makes of it: batches to feed to a table. `rare` comes from a second source.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import count

from hal.backends.gpiod import GpiodLines
from hal.backends.gpiozero import GpiozeroLines
from hal.backends.sim import SimLines
from hal.clock import VirtualClock
from hal.lines import LineSource, LineSpec
from hal.merge import Merge
from hal.values import Batch, Edge, Rare
from tests.fakes.fake_gpiod import FakeKernel
from tests.fakes.mock_pins import TimedFactory

CHUNK = 500
"""Edges between two looks at the source: fewer than the kernel buffers."""

FIRST_PIN = 4
"""The first GPIO without a pull-up of its own on the board."""


def play_through_mock_pins(
    edges: Sequence[Edge], rare: Sequence[Rare] = (), until_ns: int | None = None
) -> list[Batch]:
    """The batches that come out when the lines are gpiozero's mock pins."""
    factory, clock, loop = TimedFactory(), VirtualClock(_start_ns(edges)), asyncio.new_event_loop()
    specs = _specs(edges)
    gpios = {spec.name: int(str(spec.gpio)) for spec in specs}
    source = GpiozeroLines(specs, clock, factory, loop=loop)

    def drive(edge: Edge) -> None:
        gpio = gpios[edge.line]
        if int(factory.pin(gpio).state) == edge.level:
            factory.glitch(gpio, edge.t_ns)
        else:
            factory.drive(gpio, edge.level, edge.t_ns)

    try:
        for line, level in _found(edges).items():
            factory.drive(gpios[line], level, clock.now_ns())
        return list(_play(source, clock, drive, edges, rare, until_ns))
    finally:
        source.close()
        factory.close()
        loop.close()


def play_through_fake_gpiod(
    edges: Sequence[Edge], rare: Sequence[Rare] = (), until_ns: int | None = None
) -> list[Batch]:
    """The batches that come out when the lines are a kernel's GPIO lines."""
    kernel, clock, loop = FakeKernel(), VirtualClock(_start_ns(edges)), asyncio.new_event_loop()
    chip = kernel.add_chip()
    specs = _specs(edges)
    gpios = {spec.name: int(str(spec.gpio)) for spec in specs}
    source = GpiodLines(specs, clock, loop=loop, devices=kernel.devices)

    def drive(edge: Edge) -> None:
        gpio = gpios[edge.line]
        if chip.lines[gpio].level == edge.level:
            chip.glitch(gpio, edge.t_ns)
        else:
            chip.drive(gpio, edge.level, edge.t_ns)

    with kernel.installed():
        try:
            for line, level in _found(edges).items():
                chip.drive(gpios[line], level, clock.now_ns())
            return list(_play(source, clock, drive, edges, rare, until_ns))
        finally:
            source.close()
            loop.close()


def _play(
    source: LineSource,
    clock: VirtualClock,
    drive: Callable[[Edge], None],
    edges: Sequence[Edge],
    rare: Sequence[Rare],
    until_ns: int | None,
) -> Iterator[Batch]:
    others = SimLines((), name="others", start_ns=clock.now_ns())
    merge = Merge()
    for each in (source, others):
        merge.add(each.name, each.max_lateness_ns, each.lines)
        each.open(merge)
    found = set(_found(edges))
    changes: list[Edge] = []
    for edge in edges:
        if edge.line in found:
            found.remove(edge.line)  # Its first: the level at the opening, not a change.
        else:
            changes.append(edge)
    ends_ns = [clock.now_ns(), *(edge.t_ns for edge in edges[-1:]), *(value.t_ns for value in rare[-1:])]
    end_ns = max(ends_ns) if until_ns is None else until_ns
    told = list(rare)
    for start in range(0, len(changes), CHUNK):
        for edge in changes[start : start + CHUNK]:
            clock.advance_to(edge.t_ns)
            drive(edge)
        # What happens at the very time of this chunk's last edge may be in the next one.
        before_ns = clock.now_ns() - 1
        due = [value for value in told if value.t_ns <= before_ns]
        del told[: len(due)]
        others.play([], due, before_ns)
        yield from _taken(merge, source, others, clock.now_ns())
    others.play([], told, end_ns)
    # By then nothing of before the end can be late any more.
    clock.advance_to(max(clock.now_ns(), end_ns + source.max_lateness_ns + 1))
    yield from _taken(merge, source, others, clock.now_ns())


def _taken(merge: Merge, source: LineSource, others: LineSource, now_ns: int) -> Iterator[Batch]:
    for each in (source, others):
        merge.until(each.name, each.delivered_until(now_ns))
    batch = merge.take()
    if batch is not None:
        yield batch


def _start_ns(edges: Sequence[Edge]) -> int:
    return min((edge.t_ns for edge in edges), default=0)


def _found(edges: Sequence[Edge]) -> dict[str, int]:
    """The level that each line has first."""
    found: dict[str, int] = {}
    for edge in edges:
        found.setdefault(edge.line, edge.level)
    return found


def _specs(edges: Sequence[Edge]) -> list[LineSpec]:
    numbers = count(FIRST_PIN)
    return [LineSpec(line, next(numbers)) for line in sorted(_found(edges))]
