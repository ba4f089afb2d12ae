"""The firmware's core as a library of this computer (firmware/ports/host/library.c): one board, in virtual time.

Nothing happens but in `run`. Time is the board's ticks of 0.5 µs; the test knows all 64 bits of it, the board only 32.
"""

from __future__ import annotations

import _ctypes
import ctypes
import shutil
import struct
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypeVar

from hal.board import frames
from hal.board.edge_stream import unpack
from hal.board.message import BoardAnswer, BoardCommand, BoardReport
from hal.board.messages import ANSWERS, KINDS, REPORTS, EdgesReport, IdentifyCommand, OkAnswer, OpenCommand

MS = 2000
"""Ticks."""
BYTE = 80
"""Ticks of a byte on the line."""
SESSION = 0x5EED
EEPROM_SIZE = 1024
_MANY = 512

R = TypeVar("R", bound=BoardReport)


_SENT = struct.Struct("=QB7x")
"""A byte that was sent, as firmware/ports/host keeps it: when its stop bit ended, in ticks, and the byte."""
_SENT_BYTE = 8
"""Where the byte is in a record of `_SENT`."""


class _Change(ctypes.Structure):
    _fields_ = (("ticks", ctypes.c_uint64), ("pin", ctypes.c_uint8), ("value", ctypes.c_uint8))


class SentFrame(NamedTuple):
    """A frame that the board sent."""

    begins: int
    """When its first bit began, in ticks."""
    ends: int
    number: int
    message: BoardAnswer | BoardReport


class Change(NamedTuple):
    """An output took a value."""

    ticks: int
    pin: str
    value: int


class SeenEdge(NamedTuple):
    """An edge as a report told it."""

    number: int
    line: int
    level: int
    ticks: int
    """The low 32 bits."""


def pin_number(name: str) -> int:
    """As the firmware writes pins: 0xB3 is B3."""
    return int(name, 16)


class CoreBoard:
    """A board that was just powered on. Use it as a context."""

    def __init__(
        self,
        library: Path,
        copy: Path,
        *,
        ticks: int = 0,
        eeprom: bytes | None = None,
        fram: bytes | None = None,
        cause: int = 1,
    ) -> None:
        """Begins it. `fram` are the bytes of a FRAM as large as the EEPROM; without it there is none.

        `copy` is where the library is copied to: a copy loaded by itself has variables of its own.
        """
        shutil.copy(library, copy)
        self._copy = copy
        self._c = ctypes.CDLL(str(copy))
        self._c.core_ticks.restype = ctypes.c_uint64
        self._c.core_unpatted.restype = ctypes.c_uint64
        self._c.core_take_sent.restype = ctypes.c_size_t
        self._c.core_take_changes.restype = ctypes.c_size_t
        self._c.core_drive.restype = ctypes.c_bool
        self._c.core_receive.restype = ctypes.c_bool
        self._c.core_pin.restype = ctypes.c_uint8
        self.kind = KINDS[library.stem.removeprefix("libcore_")]
        self.said: list[SentFrame] = []
        """All frames sent so far."""
        self.sent = bytearray()
        """All bytes sent so far."""
        self.changes: list[Change] = []
        """All changes of outputs so far."""
        self.number = 0
        """Of the last command."""
        self._begun = b""
        """The bytes of a frame that has not ended yet."""
        self._begun_ticks = 0
        """When the first of them ended."""
        self._sent_room = (ctypes.c_char * (_MANY * _SENT.size))()
        self._changes_room = (_Change * _MANY)()
        self._c.core_fit_fram(fram)
        self._c.core_begin(ctypes.c_uint64(ticks), eeprom, ctypes.c_uint8(cause))
        self._fetch()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        _ctypes.dlclose(self._c._handle)
        self._copy.unlink()

    # --- time --------------------------------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        """Ticks."""
        return int(self._c.core_ticks())

    def run(self, ticks: int) -> None:
        """Lets time pass."""
        self.run_until(self.now + ticks)

    def run_until(self, ticks: int) -> None:
        """Lets time pass to then. No test lets the host be silent for so long that the watchdog would matter."""
        self._c.core_run(ctypes.c_uint64(ticks))
        assert self._c.core_unpatted() < 250 * MS, "the watchdog would have bitten"
        self._fetch()

    def stall(self, ticks: int) -> None:
        """Lets time pass in which interrupts run, and the main loop does not."""
        self._c.core_stall(ctypes.c_uint64(self.now + ticks))

    # --- the world ---------------------------------------------------------------------------------------------------

    def drive(self, input_number: int, level: int, ticks: int | None = None) -> None:
        """Puts a level on an input, now or at a time that is not before what was planned last."""
        pin = pin_number(self.kind.inputs[input_number - 1][1])
        assert self._c.core_drive(ctypes.c_uint64(self.now if ticks is None else ticks), pin, level)

    def supply(self, channel: int, value: int) -> None:
        """Puts an analogue channel on a value, 0 to 1023."""
        self._c.core_supply(pin_number(self.kind.analogues[channel - 1][1]), value)

    def pin(self, name: str) -> int:
        """What a pin is now, 0 to 255."""
        return int(self._c.core_pin(pin_number(name)))

    def eeprom(self, seed: int = 0) -> bytes:
        """The non-volatile memory as a power cut would leave it now."""
        image = (ctypes.c_uint8 * EEPROM_SIZE)()
        self._c.core_eeprom(image, seed)
        return bytes(image)

    @property
    def fram(self) -> bytes:
        """What its FRAM holds."""
        image = (ctypes.c_uint8 * EEPROM_SIZE)()
        self._c.core_fram(image)
        return bytes(image)

    # --- the host ----------------------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> None:
        """The host begins to send bytes, or goes on to."""
        assert self._c.core_receive(ctypes.c_uint64(self.now), data, ctypes.c_size_t(len(data)))

    def send(self, command: BoardCommand, number: int | None = None) -> None:
        """The host sends a command, with the number that is due."""
        if number is None:
            number = 0 if isinstance(command, IdentifyCommand | OpenCommand) else self.number % 255 + 1
            self.number = 0 if isinstance(command, OpenCommand) else number or self.number
        self.receive(frames.encode(number, command))

    def tell(self, command: BoardCommand) -> BoardAnswer:
        """The host sends a command and gets its answer."""
        before = len(self.said)
        self.send(command)
        for _ in range(500):
            self.run(MS)
            answers = [said.message for said in self.said[before:] if isinstance(said.message, BoardAnswer)]
            if answers:
                assert len(answers) == 1
                return answers[0]
        raise AssertionError(f"no answer to {command}")

    def open(self, session: int = SESSION) -> None:
        """Opens a session."""
        assert self.tell(OpenCommand(session)) == OkAnswer()

    def do(self, *commands: BoardCommand) -> None:
        """Tells commands that must be done."""
        for command in commands:
            assert self.tell(command) == OkAnswer(), command

    # --- what it said ------------------------------------------------------------------------------------------------

    def reports(self, kind: type[R], since: int = 0) -> list[R]:
        """The reports of one kind, from the frame `since` on."""
        return [said.message for said in self.said[since:] if isinstance(said.message, kind)]

    def answers(self, since: int = 0) -> list[tuple[int, BoardAnswer]]:
        """The answers with their numbers, from the frame `since` on."""
        return [(said.number, said.message) for said in self.said[since:] if isinstance(said.message, BoardAnswer)]

    def edges(self, since: int = 0) -> list[SeenEdge]:
        """All edges told, in the order of telling, from the frame `since` on."""
        return [edge for report in self.reports(EdgesReport, since) for edge in edges_of(report)]

    def _fetch(self) -> None:
        most = ctypes.c_size_t(_MANY)
        while count := self._c.core_take_sent(self._sent_room, most):
            self._take(ctypes.string_at(self._sent_room, count * _SENT.size))
        while count := self._c.core_take_changes(self._changes_room, most):
            self.changes += [Change(item.ticks, f"{item.pin:02X}", item.value) for item in self._changes_room[:count]]

    def _take(self, records: bytes) -> None:
        """Takes bytes that were sent, as records of `_SENT`: whole frames of them, not byte for byte."""
        data = records[_SENT_BYTE :: _SENT.size]
        self.sent += data
        from_byte = 0
        while (end := data.find(0, from_byte)) >= 0:
            begun = self._begun + data[from_byte:end]
            if begun:  # else a lone zero before the board's first frame
                first = self._begun_ticks if self._begun else _SENT.unpack_from(records, from_byte * _SENT.size)[0]
                frame = frames.decode(begun)
                known: type[BoardAnswer | BoardReport] = ANSWERS[frame.id] if frame.id in ANSWERS else REPORTS[frame.id]
                ends = _SENT.unpack_from(records, end * _SENT.size)[0]
                self.said.append(SentFrame(first - BYTE, ends, frame.number, known.unpack(frame.fields)))
            self._begun = b""
            from_byte = end + 1
        if from_byte < len(data):
            if not self._begun:
                self._begun_ticks = _SENT.unpack_from(records, from_byte * _SENT.size)[0]
            self._begun += data[from_byte:]


def edges_of(report: EdgesReport) -> list[SeenEdge]:
    """What a report of edges tells."""
    return [
        SeenEdge(report.first + at, edge.line, edge.level, (report.time + edge.after) & 0xFFFFFFFF)
        for at, edge in enumerate(unpack(report))
    ]


def levels_of(levels: Sequence[int]) -> int:
    """Levels as the bits of a byte, the first lowest."""
    return sum(level << line for line, level in enumerate(levels))
