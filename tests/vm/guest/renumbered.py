"""Chips in the order in which kernels number them: each backend reads and drives the wires of the header's chip.

Every other chip moves the other way, so a source that opened one would see it.
"""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from hal.backends.gpiod import GpiodLines
from hal.backends.gpiozero import GpiozeroLines
from hal.backends.gpiozero_factory import load_factory
from hal.clock import SystemClock
from hal.lines import LineSource, LineSpec
from hal.merge import Merge
from hal.outputs import OutputSpec, OutputWriter
from hal.outputs_gpiod import GpiodOutputs
from hal.outputs_gpiozero import GpiozeroOutputs
from tests.fakes.pi_layouts import LAYOUTS, Layout
from tests.vm.guest.gpio_sim import SimulatedChip, drive, level
from tests.vm.guest.product import option, report

READ_LINE, DRIVEN_LINE = 5, 6
READ = LineSpec("sensor", READ_LINE, pull="none")
DRIVEN = OutputSpec("lamp", DRIVEN_LINE)
LEVELS = (1, 0, 1, 1, 0)
LINES = 28
"""Those of the header: a kernel has room for 512 in all."""
SETTLE_S = 0.2


@contextmanager
def chips_of(layout: Layout) -> Iterator[dict[int, SimulatedChip]]:
    """The chips of a layout, with its numbers: the kernel gives the lowest that is free, so gaps are filled first."""
    made = {
        number: SimulatedChip(f"chip{number}", layout.labels.get(number, "filler"), LINES)
        for number in range(max(layout.labels) + 1)
    }
    wrong = [str(chip.path) for number, chip in made.items() if chip.path.name != f"gpiochip{number}"]
    if wrong:
        raise RuntimeError(f"the kernel numbers chips otherwise: {wrong}")
    for number in made.keys() - layout.labels.keys():
        made.pop(number).remove()
    link = Path(f"/dev/gpiochip{layout.link}")
    if layout.link is not None:
        link.symlink_to(f"gpiochip{layout.header}")
    try:
        yield made
    finally:
        if layout.link is not None:
            link.unlink()
        for chip in made.values():
            chip.remove()


@contextmanager
def opened(backend: str) -> Iterator[tuple[LineSource, OutputWriter]]:
    """The product's own input and output of a backend."""
    clock = SystemClock()
    with ExitStack() as stack:
        if backend == "gpiod":
            yield GpiodLines([READ], clock), GpiodOutputs([DRIVEN])
        else:
            factory = stack.enter_context(closing(load_factory("lgpio")))
            yield GpiozeroLines([READ], clock, factory), GpiozeroOutputs([DRIVEN], factory)


async def seen(backend: str, layout: Layout, chips: dict[int, SimulatedChip]) -> dict[str, list[int]]:
    """What was read of the header's moving line, and on which chips the output was high when it was on."""
    clock = SystemClock()
    header = chips[layout.header]
    others = [chip for chip in chips.values() if chip is not header]
    drive(header.lines, READ_LINE, 0)
    for chip in others:
        drive(chip.lines, READ_LINE, 1)
    with opened(backend) as (source, outputs):
        merge = Merge()
        merge.add(source.name, source.max_lateness_ns, source.lines)
        source.open(merge)
        outputs.open({DRIVEN.name: 1.0})
        read: list[int] = []
        for wanted in LEVELS:
            drive(header.lines, READ_LINE, wanted)
            for chip in others:
                drive(chip.lines, READ_LINE, 1 - wanted)
            await asyncio.sleep(SETTLE_S)
            merge.until(source.name, source.delivered_until(clock.now_ns()))
            batch = merge.take()
            read += [edge.level for edge in batch.edges] if batch is not None else []
        on = [number for number, chip in chips.items() if level(chip.lines, DRIVEN_LINE)]
        outputs.close()
        source.close()
    return {"edges": read, "driven": on}


for name, layout in LAYOUTS.items():
    for backend in option("backends").split(","):
        with chips_of(layout) as chips:
            found = asyncio.run(seen(backend, layout, chips))
        right = {"edges": [0, 1, 0, 1, 0], "driven": [layout.header]}
        report("check", name=f"{backend}: {name}", passed=found == right, seen=found)
