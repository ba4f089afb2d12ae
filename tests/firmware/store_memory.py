"""The store on a memory of which a test ends each write: whole, torn, or not kept at all."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import NamedTuple

from tests.firmware.c_units import build, load

SIZE = 1024
COUNTERS = 4
NOTE = 6


class StoredBytes(NamedTuple):
    """What the store says is kept."""

    counts: tuple[int, ...]
    note: bytes
    serial: int
    boots: int


class StoreOnMemory:
    """One life after the other of a board's store, on one memory."""

    def __init__(self, library: Path) -> None:
        self._c = load(library)
        self._memory = (ctypes.c_uint8 * SIZE).in_dll(self._c, "memory")
        self._writes = (ctypes.c_uint32 * SIZE).in_dll(self._c, "memory_writes")
        self._stuck = (ctypes.c_uint8 * SIZE).in_dll(self._c, "stuck_high")
        self._writing = ctypes.c_bool.in_dll(self._c, "writing_now")
        self._at = ctypes.c_uint16.in_dll(self._c, "writing_at")
        self._byte = ctypes.c_uint8.in_dll(self._c, "writing_byte")
        self._counts = (ctypes.c_uint32 * COUNTERS)()
        self._note = (ctypes.c_uint8 * NOTE)()
        for name in (
            "store_busy",
            "store_worn",
            "store_failed",
            "store_ready",
            "store_take_kept",
            "store_note",
            "store_note_kept",
        ):
            getattr(self._c, name).restype = ctypes.c_bool
        self._c.store_set_serial.restype = ctypes.c_bool
        self._c.store_serial_kept.restype = ctypes.c_bool
        self._c.store_serial.restype = ctypes.c_uint32
        self._c.store_boots.restype = ctypes.c_uint16
        self._c.store_count.restype = ctypes.c_uint32
        self.image = b"\xff" * SIZE

    @property
    def image(self) -> bytes:
        return bytes(self._memory)

    @image.setter
    def image(self, image: bytes) -> None:
        ctypes.memmove(self._memory, image, SIZE)

    def begin(self) -> None:
        """The board begins; whatever it was writing is as the memory has it."""
        self._writing.value = False
        self._c.store_begin()

    @property
    def write(self) -> tuple[int, int] | None:
        """The byte under way: where, and which."""
        return (self._at.value, self._byte.value) if self._writing.value else None

    @property
    def writes(self) -> list[int]:
        """How often each byte was written."""
        return list(self._writes)

    def torn(self, byte: int) -> bytes:
        """The memory if the power went now, and left this in the byte under way."""
        image = bytearray(self._memory)
        image[self._at.value] = byte
        return bytes(image)

    def break_cell(self, at: int, stuck_bits: int) -> None:
        """From now on these bits of a byte stay 1."""
        self._stuck[at] = stuck_bits

    def poll(self) -> None:
        """A turn of the main loop."""
        self._c.store_poll()

    def step(self) -> None:
        """A turn of the main loop after the byte under way is written."""
        if self._writing.value:
            self._c.end_write()
        self._c.store_poll()

    def settle(self) -> None:
        """Until nothing waits any more."""
        while self.busy:
            self.step()

    def add(self, counter: int) -> None:
        self._c.store_add(counter)

    def take_note(self, note: bytes) -> bool:
        assert len(note) == NOTE
        return bool(self._c.store_note(note))

    def name(self, serial: int) -> bool:
        return bool(self._c.store_set_serial(ctypes.c_uint32(serial)))

    def power_fail(self) -> None:
        self._c.store_power_fail()

    def power_back(self) -> None:
        self._c.store_power_back()

    @property
    def busy(self) -> bool:
        return bool(self._c.store_busy())

    @property
    def failed(self) -> bool:
        return bool(self._c.store_failed())

    @property
    def worn(self) -> bool:
        return bool(self._c.store_worn())

    @property
    def ready(self) -> bool:
        return bool(self._c.store_ready())

    @property
    def note_kept(self) -> bool:
        return bool(self._c.store_note_kept())

    @property
    def serial_kept(self) -> bool:
        return bool(self._c.store_serial_kept())

    def take_kept(self) -> bool:
        return bool(self._c.store_take_kept())

    def counted(self, counter: int) -> int:
        return int(self._c.store_count(counter))

    @property
    def kept(self) -> StoredBytes:
        self._c.store_counts(self._counts)
        self._c.store_read_note(self._note)
        return StoredBytes(
            tuple(self._counts), bytes(self._note), int(self._c.store_serial()), int(self._c.store_boots())
        )


def store_library(folder: Path, kind: str = "KIND_PUSHER") -> Path:
    """The store as a library, of a board of this kind."""
    sources = (
        "memory.c",
        "ports/no_fram.c",
        "core/cells.c",
        "core/store.c",
        "core/store_bank.c",
        "core/store_byte.c",
        "core/store_move.c",
        "core/store_note.c",
    )
    return build(folder, f"store-{kind}", *sources, defines=(f"UNIT_KIND={kind}",))
