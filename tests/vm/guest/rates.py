"""Edges through the product's own sources of lines, as fast as the player writes them: how many came, in which order.

Real time. What is lost has to be reported, to the edge; how fast a busy computer is, is no matter of right or wrong.
"""

import asyncio
import json
import struct
import time
from pathlib import Path

from hal.backends.gpiod import GpiodLines
from hal.backends.gpiozero import GpiozeroLines
from hal.backends.gpiozero_factory import load_factory
from hal.clock import SystemClock
from hal.lines import LineSpec
from hal.merge import Merge
from hal.values import Edge, EdgesLost
from tests.vm.guest.gpio_sim import SimulatedChip
from tests.vm.guest.product import PLAYER, option, report, write_schedule

FIRST_LINE = 4
LOOK_S = 0.02
"""As often as a running table looks for edges."""
LEFT = 20
"""Looks after the last write."""
WRITTEN = struct.Struct("<QQII")


async def case(backend: str, lines: int, rate: int, edges: int, hold_s: float) -> None:
    """Plays edges round-robin over some lines, and compares what came with what was written."""
    chip = SimulatedChip("rates")
    clock = SystemClock()
    offsets = range(FIRST_LINE, FIRST_LINE + lines)
    changes = [
        (number * 1_000_000_000 // rate, offsets[number % lines], 1 - number // lines % 2) for number in range(edges)
    ]
    write_schedule(Path("/run/rates"), changes)
    specs = [LineSpec(f"line_{offset}", offset, pull="none") for offset in offsets]
    factory = load_factory("lgpio") if backend == "gpiozero" else None
    source = GpiodLines(specs, clock) if factory is None else GpiozeroLines(specs, clock, factory)
    merge = Merge()
    merge.add(source.name, source.max_lateness_ns, source.lines)
    source.open(merge)
    got: list[Edge] = []
    told: list[EdgesLost] = []

    def look() -> None:
        merge.until(source.name, source.delivered_until(clock.now_ns()))
        batch = merge.take()
        if batch is not None:
            got.extend(batch.edges)
            told.extend(one for one in batch.rare if isinstance(one, EdgesLost))

    look()
    log = Path("/run/rates.log")
    player = await asyncio.create_subprocess_exec(str(PLAYER), "/run/rates", str(chip.lines), str(log), stdout=-1)
    ended = asyncio.create_task(player.communicate())
    begun = time.monotonic()
    held = False
    while not ended.done():
        look()
        await asyncio.sleep(LOOK_S)
        if hold_s and not held and time.monotonic() - begun > 1:
            held = True
            # The loop itself: nothing reads the kernel's buffer meanwhile.
            time.sleep(hold_s)
    for _ in range(LEFT):
        look()
        await asyncio.sleep(LOOK_S)
    source.close()
    if factory is not None:
        factory.close()
    chip.remove()
    written = list(WRITTEN.iter_unpack(log.read_bytes()))
    came = [edge for edge in got if edge.t_ns >= written[0][0]]
    same = len(came) == len(written) and all(
        (edge.line, edge.level) == (f"line_{offset}", level)
        for edge, (_, _, offset, level) in zip(came, written, strict=True)
    )
    outside = (
        sum(not before <= edge.t_ns <= after for edge, (before, after, _, _) in zip(came, written, strict=True))
        if same
        else None
    )
    report(
        "rate",
        backend=backend,
        lines=lines,
        asked_per_s=rate,
        sent=len(written),
        lost=len(written) - len(came),
        told=sum(one.missing or 0 for one in told),
        reports=len(told),
        same_order=same,
        stamps_outside_their_write=outside,
        held_s=hold_s,
        player=json.loads((await ended)[0]),
    )


for word in option("cases").split(","):
    backend, lines, rate, edges, hold_s = word.split(":")
    asyncio.run(case(backend, int(lines), int(rate), int(edges), float(hold_s)))
