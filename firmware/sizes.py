"""Measures flash, RAM and stack of the boards, and checks them against their limits.

    python firmware/sizes.py build/wheel.elf ...

The stack is bounded from the code itself: the deepest chain of calls from `main`, and on top of it the deepest
interrupt (interrupts do not nest). Code of unknown depth is refused: recursion, calls through pointers, an
interrupt that enables others. Needs avr-objdump, avr-size and only Python 3.11.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MOST_FLASH = 30_720
"""Bytes of the ATmega328P that the largest bootloader of an Arduino (2 KB) leaves."""
RAM = 2048
RESERVE = 48
"""Bytes of RAM that stay free (ours)."""
RETURN_ADDRESS = 2

_FUNCTION = re.compile(r"^[0-9a-f]+ <([^>]+)>:$")
_INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\t(?:[0-9a-f]{2} )+\s*\t(\S+)\s*([^;]*)(?:;(.*))?$")
_TARGET = re.compile(r"0x[0-9a-f]+ <([^>+]+)(\+0x[0-9a-f]+)?>")
_INSIDE = ("__tablejump", "__bad_interrupt", "__do_", "__ctors", "__dtors")


class Sizes(NamedTuple):
    """What a board needs, in bytes."""

    flash: int
    ram: int
    """Variables."""
    stack: int
    """At most."""


class _Function:
    def __init__(self) -> None:
        self.own = 0
        self.calls: set[str] = set()
        self.jumps: set[str] = set()
        self.problem = ""


class SizeError(Exception):
    """A board exceeds its limits, or its stack depth is unknown; says which and why."""


def sizes(elf: Path, tools: str = "avr-") -> Sizes:
    """Measures one board.

    Raises:
        SizeError: its stack has no bound that can be known.
    """
    sections = dict(_sections(elf, tools))
    ram = sum(sections.get(name, 0) for name in (".data", ".bss", ".noinit"))
    return Sizes(sections.get(".text", 0) + sections.get(".data", 0), ram, _stack(elf, tools))


def check(elf: Path, found: Sizes) -> None:
    """Refuses a board that is too large.

    Raises:
        SizeError: says by how much.
    """
    if found.flash > MOST_FLASH:
        raise SizeError(f"{elf.name}: {found.flash} bytes of flash; at most {MOST_FLASH}")
    if found.ram + found.stack > RAM - RESERVE:
        raise SizeError(
            f"{elf.name}: {found.ram} bytes of variables and up to {found.stack} of stack; "
            f"at most {RAM - RESERVE} together"
        )


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _sections(elf: Path, tools: str) -> Iterator[tuple[str, int]]:
    for line in _run(f"{tools}size", "-A", str(elf)).splitlines():
        words = line.split()
        if len(words) == 3 and words[0].startswith("."):
            yield words[0], int(words[1])


def _functions(elf: Path, tools: str) -> dict[str, _Function]:
    functions: dict[str, _Function] = {}
    function = _Function()
    frame_low = 0
    name = ""
    for line in _run(f"{tools}objdump", "-d", str(elf)).splitlines():
        if begins := _FUNCTION.match(line):
            name = begins[1]
            function = functions.setdefault(name, _Function())
            continue
        found = _INSTRUCTION.match(line)
        if not found:
            continue
        operation, operands, comment = found[1], found[2].strip(), found[3] or ""
        aimed = _TARGET.search(comment)
        target = aimed[1] if aimed else ""
        if operation == "push" or (operation == "rcall" and operands == ".+0"):
            function.own += 1 if operation == "push" else RETURN_ADDRESS
        elif operation == "sbiw" and operands.startswith("r28,"):
            function.own += int(operands.split(",")[1], 16)
        elif operation == "subi" and operands.startswith("r28,"):
            frame_low = int(operands.split(",")[1], 16)
        elif operation == "sbci" and operands.startswith("r29,"):
            # The frame is subtracted at the start and added back at the end, which shows as a large number.
            frame = frame_low | int(operands.split(",")[1], 16) << 8
            function.own += frame if frame < RAM else 0
        elif operation in ("call", "rcall") and target:
            function.calls.add(target)
        elif operation in ("jmp", "rjmp") and target and target != name and aimed and not aimed[2]:
            function.jumps.add(target)
        elif operation in ("icall", "eicall"):
            function.problem = "calls through a pointer"
        elif operation == "sei" and name.startswith("__vector_"):
            function.problem = "lets other interrupts in"
    return functions


def _stack(elf: Path, tools: str) -> int:
    functions = _functions(elf, tools)
    depths: dict[str, int] = {}
    on_the_way: list[str] = []

    def depth(name: str) -> int:
        if name in depths:
            return depths[name]
        if name in on_the_way:
            raise SizeError(f"{elf.name}: the stack has no bound: {' → '.join([*on_the_way, name])}")
        function = functions.get(name)
        if function is None or name.startswith(_INSIDE):
            return 0
        if function.problem:
            raise SizeError(f"{elf.name}: the stack has no bound that is known: {name} {function.problem}")
        on_the_way.append(name)
        below = [RETURN_ADDRESS + depth(called) for called in function.calls]
        beside = [depth(jumped) for jumped in function.jumps]
        on_the_way.pop()
        depths[name] = function.own + max([0, *below, *beside])
        return depths[name]

    interrupts = [name for name in functions if name.startswith("__vector_") and name != "__vector_default"]
    return RETURN_ADDRESS + depth("main") + max(RETURN_ADDRESS + depth(name) for name in interrupts)


def main() -> int:
    """Prints a line for each board; returns 1 if one exceeds its limits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("elf", nargs="+", type=Path)
    parser.add_argument("--tools", default="avr-", help="what the names of the tools begin with")
    parser.add_argument("--quiet", action="store_true", help="says only what is wrong")
    given = parser.parse_args()
    try:
        for elf in given.elf:
            found = sizes(elf, given.tools)
            if not given.quiet:
                free = RAM - found.ram - found.stack
                print(
                    f"{elf.stem:8} flash {found.flash:6,} of {MOST_FLASH:,}   variables {found.ram:5,}   "
                    f"stack at most {found.stack:3}   free {free:4} of {RAM:,}"
                )
            check(elf, found)
    except SizeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
