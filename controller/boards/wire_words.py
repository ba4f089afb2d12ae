"""The frames of a board in words: a line for each frame, and for each damaged one."""

from __future__ import annotations

from enum import IntFlag
from typing import Final

import msgspec

from controller.boards.identity import words
from hal.board import frames
from hal.board.edge_stream import unpack
from hal.board.frames import BoardFrame, FrameError
from hal.board.message import BoardMessage, MessageError
from hal.board.messages import (
    ANSWERS,
    COMMANDS,
    REPORTS,
    TICK_HZ,
    BootReport,
    EdgesReport,
    Flag,
    IdentityAnswer,
    RefusalCode,
    RefusedAnswer,
    Reset,
    SampleReport,
    StateReport,
)
from hal.wording import times

TO_BOARD: Final = "→"
FROM_BOARD: Final = "←"
_SHOWN_BYTES: Final = 16
"""The bytes of a damaged frame that are shown."""
_MESSAGES: Final[dict[int, type[BoardMessage]]] = {**COMMANDS, **ANSWERS, **REPORTS}
_US_A_TICK: Final = 1_000_000 / TICK_HZ


def pieces_of(written: bytes) -> list[bytes]:
    """Splits what was written to a port at its zeros."""
    return [piece for piece in written.split(frames.END) if piece]


def piece_words(piece: bytes) -> str:
    """The bytes between two zeros in words: number, name and fields of the frame, or what is wrong with it."""
    try:
        frame = frames.decode(piece)
    except FrameError as error:
        return f"  ? BROKEN {_hex(piece)}: {error}"
    try:
        return f"{frame.number:3} {_message_words(frame)}"
    except MessageError as error:
        return f"{frame.number:3} BROKEN {_hex(piece)}: {error}"


def is_report(piece: bytes, kind: type[BoardMessage]) -> bool:
    """Whether the bytes between two zeros are a whole frame of this report."""
    try:
        return frames.decode(piece).id == kind.id
    except FrameError:
        return False


def name_of(kind: type[BoardMessage]) -> str:
    """The name of a message in the board protocol: `edges_from`."""
    words = kind.__name__
    for family in ("Command", "Answer", "Report"):
        words = words.removesuffix(family)
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in words).lstrip("_")


def _message_words(frame: BoardFrame) -> str:
    kind = _MESSAGES.get(frame.id)
    if kind is None:
        return f"message {frame.id}, which this software does not know: {_hex(frame.fields)}"
    message = kind.unpack(frame.fields)
    return f"{name_of(kind):<10} {_fields(message)}".rstrip()


def _fields(message: BoardMessage) -> str:
    match message:
        case EdgesReport():
            return _edges(message)
        case StateReport():
            flags = _bits(Flag, message.flags)
            return (
                f"next edge {message.next}, high {_numbers(message.levels)}, lost {message.lost}, "
                f"outputs on {_numbers(message.outputs)}, bad frames {message.bad_frames}, "
                f"{f'keys {_numbers(message.keys)}, ' if message.keys else ''}"
                f"{f'masked {_numbers(message.masked)}, ' if message.masked else ''}{flags or 'no flags'}"
            )
        case RefusedAnswer():
            name = name_of(COMMANDS[message.command]) if message.command in COMMANDS else f"command {message.command}"
            why = RefusalCode(message.why).name.lower() if message.why in set(RefusalCode) else f"code {message.why}"
            return f"{name}: {why}"
        case IdentityAnswer():
            return f"{words(message)}, protocol {message.protocol}, dictionary {message.dictionary:08X}"
        case BootReport():
            cause = _bits(Reset, message.cause) or "no cause"
            return f"{cause}, begun {times(message.boots)}, kind {message.kind}"
        case SampleReport():
            samples = [int.from_bytes(message.values[at : at + 2], "little") for at in range(0, len(message.values), 2)]
            return f"channels {_numbers(message.channels)}: {', '.join(map(str, samples))} of 1023"
        case _:
            values = zip(message.__struct_fields__, msgspec.structs.astuple(message), strict=True)
            return ", ".join(f"{name.replace('_', ' ')} {_value(value)}" for name, value in values)


def _edges(report: EdgesReport) -> str:
    """`first 12: input 1 up at 0, input 2 up +250.5 µs`: each edge with the time since the one before."""
    edges: list[str] = []
    before = 0
    for edge in unpack(report):
        after = f"+{(edge.after - before) * _US_A_TICK:g} µs" if edges else f"at {report.time * _US_A_TICK / 1e6:.6f} s"
        edges.append(f"input {edge.line + 1} {'up' if edge.level else 'down'} {after}")
        before = edge.after
    return f"first {report.first}: {', '.join(edges) or 'none'}"


def _bits(names: type[IntFlag], value: int) -> str:
    return ", ".join(str(bit.name).lower().replace("_", " ") for bit in names if bit & value)


def _numbers(bits: int) -> str:
    """The numbers of the bits that are set, from 1: inputs, outputs or channels."""
    return " ".join(str(bit + 1) for bit in range(bits.bit_length()) if bits >> bit & 1) or "none"


def _value(value: object) -> str:
    return _hex(value) if isinstance(value, bytes) else str(value)


def _hex(data: bytes) -> str:
    shown = data[:_SHOWN_BYTES].hex(" ")
    return shown if len(data) <= _SHOWN_BYTES else f"{shown} … ({len(data)} bytes)"
