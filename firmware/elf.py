"""What the scripts here read out of a linked program: sections, symbols, and the bytes that go into the flash.

ELF for 32 bits, little-endian, as the linkers for AVR and ARM write it. Needs only Python 3.11.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

RAM_BASE = 0x800000
"""Where the addresses of data begin in an AVR's ELF file; those of flash begin at 0."""
ARM, _ARM_FLASH, _ARM_FLASH_END = 40, 0x10000000, 0x20000000
"""The machine's number in the file of a Pico; and where its flash is in its memory."""

_ELF = b"\x7fELF\x01\x01"
_HEADER = struct.Struct("<16xHHIIIIIHHHHHH")
_SECTION = struct.Struct("<IIIIIIIIII")
_SEGMENT = struct.Struct("<IIIIIIII")
_SYMBOL = struct.Struct("<IIIBBH")
_SYMBOL_TABLE, _NOBITS, _LOAD = 2, 8, 1
_NOTYPE, _FUNCTION = 0, 2


class ElfError(Exception):
    """A file is not a program for a board."""


class ElfSection(NamedTuple):
    """A part of the program."""

    name: str
    type: int
    address: int
    offset: int
    """In the file."""
    size: int
    link: int


class Symbol(NamedTuple):
    """A name of an address."""

    name: str
    address: int
    size: int
    """0 for a label."""
    function: bool
    """Whether the linker knows it as a function; a label of code written in assembly is none."""
    label: bool
    """Whether it is a name without a type: code written in assembly has such."""
    everywhere: bool
    """Whether other files may name it."""


class Program:
    """A linked program."""

    def __init__(self, path: Path) -> None:
        """Reads it.

        Raises:
            ElfError: it is none for a board, or it is cut off.
        """
        self.content = path.read_bytes()
        if not self.content.startswith(_ELF):
            raise ElfError(f"{path}: it is not an ELF file of 32 bits")
        try:
            self._read()
        except (struct.error, IndexError, ValueError) as error:
            raise ElfError(f"{path}: it is cut off or damaged ({error})") from error

    def _read(self) -> None:
        header = _HEADER.unpack_from(self.content)
        self.machine = header[1]
        self._flash_at, self._flash_end = (_ARM_FLASH, _ARM_FLASH_END) if self.machine == ARM else (0, RAM_BASE)
        segments_at, sections_at, segment_count, section_count, names_in = (
            header[4], header[5], header[9], header[11], header[12],
        )  # fmt: skip
        raw = [_SECTION.unpack_from(self.content, sections_at + _SECTION.size * i) for i in range(section_count)]
        names_at = raw[names_in][4]
        self.sections = [
            ElfSection(self._text(names_at + each[0]), each[1], each[3], each[4], each[5], each[6]) for each in raw
        ]
        self.symbols = [
            symbol for each in self.sections if each.type == _SYMBOL_TABLE for symbol in self._symbols(each)
        ]
        self._segments = [
            _SEGMENT.unpack_from(self.content, segments_at + _SEGMENT.size * i) for i in range(segment_count)
        ]

    def _text(self, at: int) -> str:
        return self.content[at : self.content.index(b"\0", at)].decode("ascii", "replace")

    def _symbols(self, table: ElfSection) -> list[Symbol]:
        names_at = self.sections[table.link].offset
        found = []
        for at in range(table.offset, table.offset + table.size, _SYMBOL.size):
            name, address, size, info, _, section = _SYMBOL.unpack_from(self.content, at)
            if name and 0 < section < 0xFF00:
                kind = info & 0xF
                found.append(
                    Symbol(
                        self._text(names_at + name), address, size, kind == _FUNCTION, kind == _NOTYPE, info >> 4 != 0
                    )
                )
        return found

    def section_size(self, name: str) -> int:
        """Bytes of a section; 0 where there is none."""
        return sum(section.size for section in self.sections if section.name == name)

    def flash(self) -> bytes:
        """The image: all that is loaded, from the beginning of the flash on, with 0xFF in gaps."""
        image = bytearray()
        for kind, offset, _, load_at, size, *_ in self._segments:
            if kind == _LOAD and size and self._flash_at <= load_at < self._flash_end:
                begin = load_at - self._flash_at
                image += b"\xff" * (begin + size - len(image))
                image[begin : begin + size] = self.content[offset : offset + size]
        return bytes(image)

    def file_offset(self, address: int) -> int:
        """Where the byte of an address of the flash, from its beginning, is in the file.

        Raises:
            ElfError: nothing is loaded there.
        """
        for kind, offset, _, load_at, size, *_ in self._segments:
            begin = load_at - self._flash_at
            if kind == _LOAD and begin <= address < begin + size and load_at < self._flash_end:
                return int(offset + address - begin)
        raise ElfError(f"nothing is loaded to address {address:#x}")
