"""The firmware as built for the RP2350 of a Pico 2, which nothing here runs: what its boot ROM reads, its registers.

Addresses and numbers are those of the RP2350 Datasheet, written down here a second time.
"""

from __future__ import annotations

import re
import struct
import subprocess
from functools import cache
from pathlib import Path

from controller.boards.uf2 import read_uf2
from hal.board.chips import RP2350
from tests.firmware import emulated

FLASH, FLASH_END = 0x10000000, 0x10020000
RAM, RAM_END = 0x20000000, 0x20040000
PARTS = {
    "CLOCKS": 0x40010000,
    "POWER_ON_MACHINE": 0x40018000,
    "RESETS": 0x40020000,
    "IO_BANK0": 0x40028000,
    "PADS_BANK0": 0x40038000,
    "XOSC": 0x40048000,
    "PLL_SYS": 0x40050000,
    "PLL_USB": 0x40058000,
    "UART0": 0x40070000,
    "ADC": 0x400A0000,
    "PWM": 0x400A8000,
    "TIMER": 0x400B0000,
    "WATCHDOG": 0x400D8000,
    "POWMAN": 0x40100000,
    "TICKS": 0x40108000,
}
ALIASES = 0x4000
"""A part has its registers, and three aliases of them."""
REGISTERS = {
    "RESETS_CLEAR": PARTS["RESETS"] + 0x3000,
    "RESETS_DONE": PARTS["RESETS"] + 8,
    "CLOCK_REF_SELECTED": PARTS["CLOCKS"] + 0x38,
    "CLOCK_SYS_SELECTED": PARTS["CLOCKS"] + 0x44,
    "CLOCK_PERI_CONTROL": PARTS["CLOCKS"] + 0x48,
    "CLOCK_ADC_CONTROL": PARTS["CLOCKS"] + 0x6C,
    "XOSC_STARTUP": PARTS["XOSC"] + 0x0C,
    "CHIP_RESET": PARTS["POWMAN"] + 0x2C,
    "TICK_TIMER(0U)": PARTS["TICKS"] + 0x18,
    "TICK_TIMER(1U)": PARTS["TICKS"] + 0x1C,
    "TICK_WATCHDOG(0U)": PARTS["TICKS"] + 0x30,
    "TICK_WATCHDOG(1U)": PARTS["TICKS"] + 0x34,
    "TIMER_ALARM(3U)": PARTS["TIMER"] + 0x1C,
    "TIMER_NOW": PARTS["TIMER"] + 0x28,
    "TIMER_INTERRUPTS": PARTS["TIMER"] + 0x3C,
    "TIMER_ENABLE": PARTS["TIMER"] + 0x40,
    "WATCHDOG_SCRATCH(2U)": PARTS["WATCHDOG"] + 0x14,
    "INPUTS_RAW": PARTS["IO_BANK0"] + 0x234,
    "INPUTS_ENABLE": PARTS["IO_BANK0"] + 0x24C,
    "IO_CONTROL(15U)": PARTS["IO_BANK0"] + 0x7C,
    "PAD(0U)": PARTS["PADS_BANK0"] + 4,
    "PAD(28U)": PARTS["PADS_BANK0"] + 0x74,
    "SIO_IN": 0xD0000004,
    "SIO_HIGH": 0xD0000018,
    "SIO_LOW": 0xD0000020,
    "SIO_OUTPUT": 0xD0000038,
    "SIO_INPUT": 0xD0000040,
    "NVIC_ENABLE(1U)": 0xE000E104,
}
NUMBERS = {
    "RESET_ADC": 1 << 0,
    "RESET_IO_BANK0": 1 << 6,
    "RESET_PADS_BANK0": 1 << 9,
    "RESET_PLL_SYS": 1 << 14,
    "RESET_PLL_USB": 1 << 15,
    "RESET_PWM": 1 << 16,
    "RESET_TIMER": 1 << 23,
    "RESET_UART0": 1 << 26,
    "ALL_BUT_OSCILLATORS": 0x01FFFFFF & ~(1 << 2 | 1 << 3),
    "WAS_POWER_ON": 1 << 16 | 1 << 17,
    "WAS_RUN_PIN": 1 << 18,
    "WATCHDOG_STEPS_A_US": 1,
    "PAD_PLAIN": 0x52,
    "PAD_UNUSED": 0x16,
}
INTERRUPTS = {"on_idle": 0, "on_fast": 1, "on_hang": 2, "on_inputs": 21, "on_line": 33}
KIND = "pusher"


def run(*command: str | Path) -> str:
    """What a program prints."""
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


@cache
def built(suffix: str) -> Path:
    return emulated.made_for_pico(f"rp2350/{KIND}{suffix}")


@cache
def symbols() -> dict[str, int]:
    lines = run("arm-none-eabi-nm", built(".elf")).splitlines()
    return {name: int(at, 16) for at, _, name in (line.split() for line in lines)}


@cache
def image() -> bytes:
    path = built(".uf2")
    return read_uf2(path.read_bytes(), path.name, RP2350.name)


def words(content: bytes, at: int, count: int) -> tuple[int, ...]:
    return struct.unpack_from(f"<{count}I", content, at)


def named_parts(elf: Path) -> set[int]:
    """Every address of a part of the chip that a program has among its constants."""
    shown = run("arm-none-eabi-objdump", "-d", elf)
    assert "movt" not in shown, "halves of an address: read them too"
    constants = {int(found, 16) for found in re.findall(r"\.word\t0x([0-9a-f]{8})", shown)}
    return {constant for constant in constants if constant >> 24 in (0x40, 0x50)}


def strange(addresses: set[int]) -> set[int]:
    return {at for at in addresses if not any(part <= at < part + ALIASES for part in PARTS.values())}


def test_the_boot_rom_finds_what_it_looks_for() -> None:
    content = image()
    stack, begin = words(content, 0, 2)
    assert RAM < stack <= RAM_END
    assert stack % 8 == 0
    assert (begin & 1, begin & ~1) == (1, symbols()["reset"])
    assert FLASH <= begin < FLASH + len(content)
    assert "MSPLIM" in run("arm-none-eabi-objdump", "-d", "--disassemble=reset", built(".elf")), "the boot ROM sets it"
    at = content[:4096].index((0xFFFFDED3).to_bytes(4, "little"))
    assert at % 4 == 0
    kind, size, flags, last = struct.unpack_from("<BBHI", content, at + 4)
    assert (kind, size) == (0x42, 1), "an image's type, in one word"
    assert flags & 0xF == 1, "an executable"
    assert flags >> 4 & 3 == 2, "secure"
    assert flags >> 8 & 7 == 0, "for an Arm core"
    assert flags >> 12 & 7 == 1, "of an RP2350"
    assert flags >> 15 == 0, "to be kept without being bought"
    assert last == 0xFF | size << 8, "the last item, behind as many words"
    assert words(content, at + 12, 2) == (0, 0xAB123579), "a loop of one block, and its end"


def test_each_interrupt_has_its_place_in_the_table_that_is_used() -> None:
    content, named = image(), symbols()
    table = named["vectors"]
    assert table % 512 == 0, "68 vectors: a power of two of bytes"
    at = named["program_in_flash"] - FLASH + table - named["program_in_ram"]
    vectors = words(content, at, 16 + 52)
    handlers = {16 + number: named[name] | 1 for name, number in INTERRUPTS.items()}
    faults = dict.fromkeys((2, 3, 11, 14, 15), named["on_fault"] | 1)
    expected = {0: named["stack_top"], 1: named["reset"] | 1, **faults, **handlers}
    assert {number: vector for number, vector in enumerate(vectors) if vector} == expected


def test_every_block_is_of_the_family_of_its_arm_cores() -> None:
    content = built(".uf2").read_bytes()
    families = {struct.unpack_from("<I", content, at + 28)[0] for at in range(0, len(content), 512)}
    assert families == {0xE48BFF59}
    assert FLASH + len(image()) <= FLASH_END


def test_no_address_is_that_of_an_rp2040() -> None:
    found = named_parts(built(".elf"))
    assert len(found) > 15
    assert strange(found) == set()
    assert len(strange(named_parts(emulated.made_for_pico(f"rp2040/{KIND}.elf")))) > 5, "those of an RP2040 are seen"


def test_its_registers_are_where_the_data_sheet_has_them(tmp_path: Path) -> None:
    numbers = PARTS | REGISTERS | NUMBERS
    del numbers["POWMAN"], numbers["TICKS"]  # of these two the port names registers alone
    source, made, content = (tmp_path / name for name in ("registers.c", "registers.o", "registers.bin"))
    source.write_text(
        '#include "pico.h"\n#undef REG\n#define REG(address) (address)\n'
        f"const uint32_t numbers[] = {{{', '.join(numbers)}}};\n"
    )
    port = f"-I{emulated.FIRMWARE / 'ports/rp2040'}"
    run(
        "arm-none-eabi-gcc", "-mcpu=cortex-m33", "-mthumb", "-DRP2350", "-ffreestanding", port, "-c", source, "-o", made
    )
    run("arm-none-eabi-objcopy", "-O", "binary", "-j", ".rodata", made, content)
    assert dict(zip(numbers, words(content.read_bytes(), 0, len(numbers)), strict=True)) == numbers


def test_only_the_headers_of_the_chips_say_where_a_register_is() -> None:
    port = emulated.FIRMWARE / "ports" / "rp2040"
    shared = [path for path in port.glob("*.[ch]") if path.name not in ("rp2040.h", "rp2350.h")]
    assert len(shared) > 8
    for path in shared:
        named = re.findall(r"REG\((0x\w+)", path.read_text())
        assert all(address.startswith("0xE000E") for address in named), (path.name, named)
