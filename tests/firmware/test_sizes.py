"""The bound of the stack (firmware/sizes.py): what it is on the boards with both compilers, and what it refuses."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from hal.board.messages import KINDS
from tests.firmware.emulated import built
from tests.firmware.toolchains import COMPILERS, FIRMWARE, debian

LINE = re.compile(r"(\w+) +flash +([\d,]+) of .*variables +([\d,]+) +stack at most +(\d+)")
PROGRAM = """
#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>
#define KEPT __attribute__((noinline, used))
volatile uint8_t seen;
KEPT void other(void) { seen++; }
static void (*volatile chosen)(void) = other;
KEPT void board_begin(void) { seen = 1; }
KEPT void port_idle(uint16_t ticks) { seen = (uint8_t)ticks; }
ISR(PCINT1_vect) { seen++; }
"""
POLL = "KEPT uint16_t board_poll(void) { seen++; return seen; }\n"
MAIN = "int main(void) { board_begin(); for (;;) port_idle(board_poll()); }\n"


def bound(tools: str, *elves: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FIRMWARE / "sizes.py"), "--tools", tools, *map(str, elves)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def program(folder: Path, tools: str, source: str, *options: str) -> Path:
    (folder / "program.c").write_text(PROGRAM + source)
    made = folder / "program.elf"
    command = [f"{tools}gcc", "-mmcu=atmega328p", "-Os", "-g", "-ffunction-sections", *options]
    subprocess.run([*command, str(folder / "program.c"), "-o", str(made)], check=True)
    return made


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_stack_of_each_board_is_bounded_with_each_compiler(compiler: str) -> None:
    said = bound(debian(compiler), *(built(f"{kind}.elf", compiler) for kind in KINDS))
    assert said.returncode == 0, said.stderr
    stacks = {match[1]: int(match[4]) for match in LINE.finditer(said.stdout)}
    assert set(stacks) == set(KINDS)
    # 144 bytes were seen in use; a bound that lost sight of the main loop is below that. gcc 14 inlines more: 409.
    assert all(144 <= stack <= 450 for stack in stacks.values()), stacks


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_program_that_is_understood_is_bounded(tmp_path: Path, compiler: str) -> None:
    tools = debian(compiler)
    said = bound(tools, program(tmp_path, tools, POLL + MAIN))
    assert said.returncode == 0, said.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    ("source", "why"),
    [
        (
            "KEPT uint16_t board_poll(void) { chosen(); return seen; }\n" + MAIN,
            "board_poll calls through a pointer, and INDIRECT_CALLS does not say what",
        ),
        (
            "KEPT uint16_t board_poll(void) { return seen ? 1U + board_poll() * 3U : 0U; }\n" + MAIN,
            "the stack has no bound: main → board_poll → board_poll",
        ),
        (POLL + "int main(void) { board_begin(); for (;;) port_idle(1); }\n", "main does not lead to board_poll"),
        (
            POLL + MAIN + "void __vector_99(void) __attribute__((signal, used)); void __vector_99(void) { seen++; }\n",
            "its interrupts are not those that its vectors lead to: __vector_99",
        ),
        (
            POLL + MAIN + "ISR(PCINT2_vect) { seen++; sei(); other(); }\n",
            "__vector_5 lets other interrupts in",
        ),
        (
            "KEPT uint16_t board_poll(void) { SP = SP - 40; return seen; }\n" + MAIN,
            "board_poll sets the stack pointer in a way that is not understood",
        ),
    ],
    ids=["pointer", "recursion", "no main loop", "a stray interrupt", "nested interrupts", "stack pointer"],
)
def test_what_is_not_understood_is_refused(tmp_path: Path, compiler: str, source: str, why: str) -> None:
    tools = debian(compiler)
    said = bound(tools, program(tmp_path, tools, source, "-Wno-misspelled-isr", "-fno-optimize-sibling-calls"))
    assert said.returncode == 1, said.stdout
    assert why in said.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("room", [2, 30, 63, 64, 200, 255, 256, 300])
def test_frames_of_any_size_and_tail_calls_count(tmp_path: Path, compiler: str, room: int) -> None:
    tools = debian(compiler)
    deep = (
        "KEPT void use(volatile uint8_t *at) { at[0]++; }\n"
        f"KEPT void deep(void) {{ volatile uint8_t room[{room}]; room[seen] = 1; use(room); seen++; }}\n"
        "KEPT void last(void) { seen++; deep(); }\n"
        "KEPT uint16_t board_poll(void) { last(); return seen; }\n"
    )
    said = bound(tools, program(tmp_path, tools, deep + MAIN))
    assert said.returncode == 0, said.stderr
    match = LINE.search(said.stdout)
    assert match is not None
    assert room < int(match[4]) < room + 40
