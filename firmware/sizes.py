"""Measures flash, RAM and stack of the boards, and checks them against their limits.

    python firmware/sizes.py build/wheel.elf ...

The stack is bounded from the code itself: the deepest chain of calls from `main`, and on top of it the deepest
interrupt (interrupts do not nest). Where a function begins and ends is what the symbol table says, never the labels
that a disassembler shows. What is not understood is refused: recursion, calls through pointers whose targets are not
declared here, an interrupt that enables others, a stack pointer that is set in another way, a call to nowhere, a main
loop or an interrupt that nothing leads to. Needs avr-objdump and only Python 3.11.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from elf import ElfError, Program

MOST_FLASH = 30_720
"""Bytes of the ATmega328P that the largest bootloader of an Arduino (2 KB) leaves."""
RAM = 2048
RESERVE = 48
"""Bytes of RAM that stay free (ours)."""
RETURN_ADDRESS = 2

INDIRECT_CALLS: Final[Mapping[str, tuple[str, ...]]] = {}
"""Functions that call through a pointer, and all that each may call. There are none."""
MUST_REACH: Final = ("board_begin", "board_poll", "port_idle")
"""What the main program calls: where it does not, its calls were not understood."""
SWITCH: Final = "__tablejump2__"
"""The library's jump of a `switch`: through a pointer, to a place in the function that it was jumped to from."""
VECTORS: Final = 26
"""Interrupt vectors of an ATmega328P, the reset's included; 4 bytes each, from address 0."""
NO_INTERRUPT: Final = "__bad_interrupt"

_INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t(?:[0-9a-f]{2} )+\s*\t(\S+)\s*([^;]*)(?:;(.*))?$")
_ADDRESS = re.compile(r"0x([0-9a-f]+)")
_STACK_POINTER = ("0x3d", "0x3e")
_ENDS = ("ret", "reti", "jmp", "rjmp", "ijmp", "eijmp")


class Sizes(NamedTuple):
    """What a board needs, in bytes."""

    flash: int
    ram: int
    """Variables."""
    stack: int
    """At most."""


class _Instruction(NamedTuple):
    at: int
    operation: str
    operands: str
    target: int | None


class _Function:
    """What one function does to the stack, and where it goes."""

    def __init__(self, name: str) -> None:
        self.name = name
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
    try:
        program = Program(elf)
    except ElfError as error:
        raise SizeError(str(error)) from error
    ram = sum(program.section_size(name) for name in (".data", ".bss", ".noinit"))
    flash = program.section_size(".text") + program.section_size(".data")
    return Sizes(flash, ram, _Code(elf, program, tools).stack())


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


class _Code:
    """The functions of a program, and what they do to the stack."""

    def __init__(self, elf: Path, program: Program, tools: str) -> None:
        self._name = elf.name
        self._begins, self._names = self._extents(program)
        listing = subprocess.run((f"{tools}objdump", "-d", str(elf)), check=True, capture_output=True, text=True).stdout
        bodies: dict[str, list[_Instruction]] = {}
        for line in listing.splitlines():
            found = _INSTRUCTION.match(line)
            if found:
                target = _ADDRESS.search(found[4] or found[3])
                at = int(found[1], 16)
                one = _Instruction(at, found[2], found[3].strip(), int(target[1], 16) if target else None)
                bodies.setdefault(self._function_at(at), []).append(one)
        if not bodies:
            raise SizeError(f"{elf.name}: {tools}objdump shows no code")
        self._functions = {name: self._read(name, body) for name, body in bodies.items() if name}
        self._vectors = self._handlers(bodies.get("", []))

    def _extents(self, program: Program) -> tuple[list[int], list[str]]:
        """Where each function begins, in order; the code before the first has the name ""."""
        text = next((each for each in program.sections if each.name == ".text"), None)
        if text is None:
            raise SizeError(f"{self._name}: it has no code")
        starts = {VECTORS * 4: ("__start", 0)}
        inside: list[tuple[int, int]] = []
        for symbol in sorted(program.symbols, key=lambda each: (each.address, not each.function)):
            if not text.address <= symbol.address < text.address + text.size or symbol.address < VECTORS * 4:
                continue
            if symbol.function or (symbol.label and symbol.size):
                starts[symbol.address] = (symbol.name, symbol.size)
                inside.append((symbol.address, symbol.address + symbol.size))
        # A label of the library's assembly is a function of its own, unless it is in one. Every vector without a
        # handler is another name of NO_INTERRUPT.
        for symbol in sorted(program.symbols, key=lambda each: each.name != NO_INTERRUPT):
            outside = not any(begin <= symbol.address < end for begin, end in inside)
            code = VECTORS * 4 <= symbol.address < text.size
            if symbol.label and symbol.everywhere and not symbol.size and code and outside:
                starts.setdefault(symbol.address, (symbol.name, 0))
        begins = sorted(starts)
        for begin, after in pairwise(begins):
            if begin + starts[begin][1] > after:
                raise SizeError(f"{self._name}: {starts[begin][0]} and {starts[after][0]} overlap")
        return begins, [starts[begin][0] for begin in begins]

    def _function_at(self, address: int) -> str:
        at = bisect_right(self._begins, address) - 1
        return "" if at < 0 else self._names[at]

    def _read(self, name: str, body: list[_Instruction]) -> _Function:
        function = _Function(name)
        frame_low = 0
        frame = 0  # bytes that are subtracted from r28 and r29: a frame, if these become the stack pointer
        frames = 0
        sets_stack = False
        for each in body:
            operation, operands = each.operation, each.operands
            target = None if each.target is None else self._function_at(each.target)
            if operation == "push" or (operation == "rcall" and operands == ".+0"):
                function.own += 1 if operation == "push" else RETURN_ADDRESS
                frames += operation == "rcall"
            elif operation == "sbiw" and operands.startswith("r28,"):
                frame += int(operands.split(",")[1], 16)
                frames += 1
            elif operation == "subi" and operands.startswith("r28,"):
                frame_low = int(operands.split(",")[1], 16)
            elif (operation == "sbci" and operands.startswith("r29,")) or (operation, operands) == ("sbc", "r29, r1"):
                # The frame is subtracted at the start (r1 is 0) and added back at the end: then it is a large number.
                high = int(operands.split(",")[1], 16) if operation == "sbci" else 0
                taken = frame_low | high << 8
                frame += taken if taken < RAM else 0
                frames += taken < RAM
            elif (operation, operands) == ("dec", "r29"):
                frame += 256
                frames += 1
            elif operation == "out" and operands.split(",")[0] in _STACK_POINTER:
                sets_stack = True
            elif operation in ("call", "rcall"):
                if not target:
                    function.problem = f"calls what is not a function, at {each.at:#x}"
                else:
                    function.calls.add(target)
            elif operation in ("jmp", "rjmp"):
                if not target:
                    function.problem = f"jumps to what is not a function, at {each.at:#x}"
                elif target != name:
                    function.jumps.add(target)
            elif operation in ("icall", "eicall"):
                if name not in INDIRECT_CALLS:
                    function.problem = "calls through a pointer, and INDIRECT_CALLS does not say what"
                function.calls.update(INDIRECT_CALLS.get(name, ()))
            elif operation in ("ijmp", "eijmp") and name != SWITCH:
                function.problem = "jumps through a pointer"
            elif operation == "sei" and name.startswith("__vector_"):
                function.problem = "lets other interrupts in"
        if sets_stack:
            function.own += frame
        if sets_stack and not frames and name != "__start":
            function.problem = "sets the stack pointer in a way that is not understood"
        if body[-1].operation not in _ENDS:
            after = self._function_at(body[-1].at + 4)
            if after not in ("", name):
                function.jumps.add(after)
        return function

    def _handlers(self, table: list[_Instruction]) -> list[str]:
        """The interrupts that have a function, as the table of vectors leads to them."""
        targets = [each.target for each in table if each.operation in ("jmp", "rjmp")]
        if len(targets) != VECTORS or None in targets:
            raise SizeError(f"{self._name}: its table of vectors has {len(targets)} entries; expected {VECTORS}")
        handlers = {self._function_at(target) for target in targets[1:] if target is not None} - {NO_INTERRUPT}
        written = {name for name in self._functions if name.startswith("__vector_")} - {"__vector_default"}
        if handlers != written or not handlers:
            stray = ", ".join(sorted(handlers ^ written)) or "all"
            raise SizeError(f"{self._name}: its interrupts are not those that its vectors lead to: {stray}")
        return sorted(handlers)

    def stack(self) -> int:
        """The deepest stack, in bytes.

        Raises:
            SizeError: it has no bound that is known.
        """
        depths: dict[str, int] = {}
        on_the_way: list[str] = []

        def depth(name: str) -> int:
            if name in depths:
                return depths[name]
            if name in on_the_way:
                raise SizeError(f"{self._name}: the stack has no bound: {' → '.join([*on_the_way, name])}")
            function = self._functions.get(name)
            if function is None:
                raise SizeError(f"{self._name}: the stack has no bound that is known: there is no function {name}")
            if function.problem:
                raise SizeError(f"{self._name}: the stack has no bound that is known: {name} {function.problem}")
            on_the_way.append(name)
            below = [RETURN_ADDRESS + depth(called) for called in sorted(function.calls)]
            beside = [depth(jumped) for jumped in sorted(function.jumps)]
            on_the_way.pop()
            depths[name] = function.own + max([0, *below, *beside])
            return depths[name]

        deepest = depth("main")
        for name in MUST_REACH:
            if name not in depths:
                raise SizeError(f"{self._name}: the stack has no bound that is known: main does not lead to {name}")
        return RETURN_ADDRESS + deepest + max(RETURN_ADDRESS + depth(name) for name in self._vectors)


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
