"""Generates seed scripts for the fuzzer: typical host sessions, for one kind of board.

    PYTHONPATH=. python firmware/fuzz/seeds.py pusher firmware/build/fuzz/seeds/pusher

They use the messages of hal/board, so they follow the wire's table. The script format is in script.c. Scripts that once
made a board fail are kept among them.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from enum import IntEnum, auto
from pathlib import Path

from hal.board import frames
from hal.board.message import BoardCommand, BoardKind
from hal.board.messages import (
    COMMANDS,
    KINDS,
    AcceptCommand,
    AllSafeCommand,
    ClockCommand,
    CountCommand,
    CountsCommand,
    EdgesFromCommand,
    HopperCommand,
    IdentifyCommand,
    LampsCommand,
    MotorCommand,
    NameBoardCommand,
    OpenCommand,
    PayCommand,
    Reset,
    SampleCommand,
    SetCommand,
    SpinCommand,
    StopCommand,
    TestCommand,
    WatchCommand,
)

WAIT_UNIT_TICKS = 16
STALL_UNIT_TICKS = 8
MS = 2000
"""Ticks."""
MS_EXPONENT = 11
"""2 to this power is about as many ticks."""


class What(IntEnum):
    """The step of a script, as numbered in script.c."""

    WAIT = 0
    WAIT_ALIVE = auto()
    OPEN = auto()
    COMMAND = auto()
    AGAIN = auto()
    FRAME = auto()
    BROKEN = auto()
    RAW = auto()
    EDGES = auto()
    PIN = auto()
    SUPPLY = auto()
    STALL = auto()
    POWER = auto()
    MEMORY = auto()
    SEAL = auto()
    WORLD = auto()


TURNS, HOMES, COINS = 1, 2, 4


def _u16(value: int) -> bytes:
    return value.to_bytes(2, "little")


def wait(ms: float) -> bytes:
    """Lets time pass, at most half a second."""
    return bytes((What.WAIT,)) + _u16(round(ms * MS / WAIT_UNIT_TICKS))


def alive(tenths: int) -> bytes:
    """Lets this many times 0.1 s pass, with a host that keeps the session alive."""
    return bytes((What.WAIT_ALIVE, tenths))


def begin(session: int = 1) -> bytes:
    """The host opens a session."""
    return bytes((What.OPEN, session))


def say(*commands: BoardCommand) -> bytes:
    """Commands, one after the other."""
    return b"".join(bytes((What.COMMAND, command.id)) + command.pack() for command in commands)


def broken(command: BoardCommand, place: int, change: int) -> bytes:
    """A command of which one byte is changed, or with a change of 0 lost."""
    return bytes((What.BROKEN, command.id)) + command.pack() + bytes((place, change))


def raw(data: bytes) -> bytes:
    """Bytes on the line."""
    return bytes((What.RAW, len(data))) + data


def edges(*changes: tuple[int, int, int]) -> bytes:
    """Inputs change: the number of the input, its level, and after 2 to which power ticks."""
    return bytes((What.EDGES, len(changes))) + bytes(
        (power << 4) | (level << 3) | (number - 1) for number, level, power in changes
    )


def stall(ms: float) -> bytes:
    """Stalls the main loop for a while."""
    return bytes((What.STALL,)) + _u16(round(ms * MS / STALL_UNIT_TICKS))


def power(cause: Reset = Reset.POWER_ON, seed: int = 0) -> bytes:
    """Resets the board."""
    return bytes((What.POWER, cause)) + _u16(seed)


def memory(at: int, data: bytes) -> bytes:
    """Overwrites part of the non-volatile memory."""
    return bytes((What.MEMORY,)) + _u16(at) + bytes((len(data),)) + data


def seal(bank: int) -> bytes:
    """Makes a bank of that memory valid."""
    return bytes((What.SEAL, bank))


def world(does: int) -> bytes:
    """Selects the devices simulated on the pins."""
    return bytes((What.WORLD, does))


def pulse(number: int, ms: int) -> bytes:
    """An input that is active high is so for about this long."""
    active = [(number, 1, MS_EXPONENT)] * max(0, ms - 2)
    return edges((number, 0, 4), (number, 1, 4), *active, (number, 0, MS_EXPONENT))


# --- sessions ---------------------------------------------------------------------------------------------------------


def _of_every_board(kind: BoardKind) -> Iterator[bytes]:
    burst = [(1 + at % 8, at // 8 % 2, 6) for at in range(120)]
    yield begin() + say(IdentifyCommand(), ClockCommand(), CountsCommand(), AllSafeCommand()) + wait(120)
    yield begin() + say(WatchCommand(0xFF, 0xFF)) + edges(*burst) + wait(60) + say(EdgesFromCommand(0)) + wait(100)
    yield (
        begin()
        + say(WatchCommand(0x0F, 0))
        + edges(*burst)
        + stall(30)
        + wait(60)
        + say(EdgesFromCommand(3))
        + wait(50)
    )
    # more than the port's interrupts find room for; and more than the store has
    yield begin() + say(WatchCommand(0xFF, 0xFF)) + edges(*burst) + stall(30) + wait(60)
    many = [(1 + at % 8, at // 8 % 2, 5) for at in range(240)]
    yield begin() + say(WatchCommand(0xFF, 0xFF)) + (edges(*many) + wait(4)) * 3 + wait(60) + say(EdgesFromCommand(9))
    yield begin() + say(WatchCommand(3, 3)) + edges((1, 1, 2), (1, 0, 2), (1, 1, 15), (2, 1, 0)) + wait(400) + wait(400)
    yield (
        begin() + say(WatchCommand(7, 0), CountCommand(1, 2, 3)) + edges(*burst) + alive(3) + say(CountCommand(0, 0, 0))
    )
    yield begin() + wait(490) + say(ClockCommand()) + wait(500) + wait(30) + say(AllSafeCommand()) + wait(100)
    yield begin(1) + say(ClockCommand()) + bytes((What.AGAIN,)) + begin(1) + begin(2) + bytes((What.AGAIN,)) + alive(2)
    yield b"".join(broken(ClockCommand(), place, 1 + place) for place in range(6)) + begin() + wait(110)
    yield raw(frames.encode(0, OpenCommand(7)) + frames.encode(1, ClockCommand())) + wait(5) + alive(1)
    yield raw(b"\0\0\0" + b"\xff" * 80 + b"\0" + frames.encode(0, IdentifyCommand())) + stall(20) + wait(10)
    yield (
        bytes((What.FRAME, 9, ClockCommand.id, 0)) + wait(2) + begin() + bytes((What.FRAME, 0, OpenCommand.id, 2, 1, 1))
    )
    yield (
        begin() + say(NameBoardCommand(4711)) + wait(400) + power(Reset.BROWN_OUT, 999) + begin() + wait(300) + power()
    )
    yield (
        memory(0, bytes(range(64)))
        + seal(0)
        + seal(1)
        + power(Reset.WATCHDOG)
        + begin()
        + say(CountsCommand())
        + wait(400)
    )
    for output in range(1, len(kind.outputs) + 1):
        yield begin() + say(SetCommand(output, 255, 0)) + alive(2) + say(SetCommand(output, 0, 0)) + wait(10)
        yield (
            begin()
            + say(SetCommand(output, 255, 0))
            + wait(495)
            + wait(20)
            + say(SetCommand(output, 255, 30))
            + wait(50)
        )
    for command in COMMANDS.values():
        if kind.name in command.kinds:
            yield begin() + bytes((What.COMMAND, command.id)) + bytes(command.layout.size) + wait(20)


def _of_wheel(kind: BoardKind) -> Iterator[bytes]:
    yield begin() + bytes((What.SUPPLY, 1)) + _u16(700) + say(SampleCommand(0x0F, 5)) + wait(60) + stall(30) + wait(20)
    yield begin() + say(SetCommand(4, 100, 0)) + alive(1) + say(SetCommand(4, 200, 700)) + alive(9)


def _of_table(kind: BoardKind) -> Iterator[bytes]:
    yield (
        begin()
        + world(TURNS)
        + say(MotorCommand(100, 0, 0))
        + alive(9)
        + say(MotorCommand(-100, 0, 0), MotorCommand(0, 0, 0))
    )
    yield begin() + world(TURNS) + say(MotorCommand(-50, 3000, 1)) + alive(9) + pulse(2, 5) + alive(3)
    yield begin() + world(TURNS) + say(MotorCommand(-50, 0, 0)) + alive(3) + say(SetCommand(2, 0, 0)) + alive(2)
    yield (
        begin() + say(MotorCommand(127, 0, 0)) + alive(6) + say(MotorCommand(0, 0, 0), SetCommand(1, 90, 0)) + alive(2)
    )
    yield begin() + say(LampsCommand(bytes((0xFF,) * 7 + (0,)))) + wait(40) + say(LampsCommand(bytes(8))) + wait(40)
    yield (
        begin()
        + say(WatchCommand(0xFC, 0))
        + bytes((What.PIN, 0xC2, 0))
        + alive(1)
        + bytes((What.PIN, 0xC3, 0))
        + alive(2)
    )


def _of_reel(kind: BoardKind) -> Iterator[bytes]:
    spins = [SpinCommand(reel, 200 + 50 * reel, 0) for reel in (1, 2, 3)]
    yield (
        begin()
        + world(HOMES)
        + say(*spins)
        + alive(30)
        + say(*(StopCommand(reel, 20 * reel) for reel in (1, 2, 3)))
        + alive(20)
    )
    yield (
        begin()
        + world(HOMES)
        + say(*spins)
        + alive(20)
        + pulse(4, 8)
        + pulse(5, 8)
        + alive(5)
        + say(AllSafeCommand())
        + alive(2)
    )
    yield begin() + say(*spins) + alive(40) + say(SetCommand(1, 0, 0), SpinCommand(1, 62, 900)) + alive(10)
    yield (
        begin()
        + say(*spins)
        + alive(1)
        + edges((8, 0, 2), (8, 1, 2))
        + alive(3)
        + edges((8, 0, 2))
        + alive(3)
        + say(*spins)
    )
    yield (
        wait(400)
        + begin()
        + say(AcceptCommand(1))
        + pulse(7, 40)
        + wait(200)
        + pulse(7, 60)
        + wait(300)
        + power(seed=3)
    )
    yield begin() + say(LampsCommand(b"\xff\xff" + bytes(6)), StopCommand(1, 0xFFFF)) + wait(40)


def _of_pusher(kind: BoardKind) -> Iterator[bytes]:
    paid = begin() + world(COINS) + say(PayCommand(30, 7)) + alive(12) + say(PayCommand(30, 7)) + alive(2)
    yield wait(400) + paid + power(seed=77) + wait(300) + begin() + say(PayCommand(30, 7), CountsCommand()) + wait(100)
    yield wait(400) + paid[:-8] + power(Reset.EXTERNAL, 1) + begin() + say(PayCommand(30, 7)) + alive(9)
    yield wait(400) + begin() + say(PayCommand(7, 3)) + wait(400) + wait(200) + say(AllSafeCommand()) + alive(1)
    yield wait(400) + begin() + say(PayCommand(7, 3)) + wait(100) + begin(2) + alive(1)
    yield (
        wait(400) + begin() + say(PayCommand(5, 3)) + alive(35) + say(SetCommand(2, 0, 0), PayCommand(5, 3)) + alive(3)
    )
    yield (
        wait(400)
        + begin()
        + say(AcceptCommand(1))
        + b"".join(pulse(1, 40) + wait(100) for _ in range(4))
        + power(seed=5)
    )
    yield wait(400) + begin() + edges((2, 1, 4), (3, 1, 14), (2, 0, 14), (3, 0, 14)) + wait(60) + alive(1)
    yield wait(400) + begin() + say(HopperCommand(100, 1, 300, 1), PayCommand(9, 4)) + alive(40) + say(TestCommand())
    yield wait(400) + begin() + say(PayCommand(9, 4)) + alive(3) + edges((6, 1, 4)) + alive(20)
    yield (
        begin()
        + world(TURNS)
        + say(MotorCommand(90, 0, 0))
        + alive(4)
        + pulse(5, 10)
        + alive(3)
        + say(MotorCommand(9, 0, 0))
    )
    yield (
        begin()
        + world(TURNS)
        + say(MotorCommand(90, 0, 0), SetCommand(4, 255, 0))
        + edges((8, 0, 2), (8, 1, 2))
        + alive(3)
    )
    yield pulse(6, 12) + wait(100) + begin() + wait(300) + say(PayCommand(2, 2), SetCommand(2, 0, 0)) + alive(1)


# --- scripts that once made a board fail ------------------------------------------------------------------------------


def _found(kind: BoardKind) -> Iterator[bytes]:
    if kind.name == "table":  # the relay of the way round fell off while the motor was driven backwards
        yield begin() + world(TURNS) + say(MotorCommand(-50, 0, 0)) + alive(1) + say(SetCommand(2, 0, 0)) + alive(1)
    if kind.name == "pusher":  # the alarm was put on while the supply failed
        yield begin() + edges((8, 0, 2), (8, 1, 2)) + wait(5) + say(SetCommand(4, 255, 0)) + alive(1)
    # the number that the board had was called kept while another, that was asked for before, was being written
    yield wait(400) + begin(1) + say(NameBoardCommand(7)) + begin(2) + say(NameBoardCommand(0)) + wait(300.6) + power()
    if kind.name == "pusher":  # counts that are more than half of all begin with what looks like a step back
        base = memory(1, bytes((0, 0, kind.id)) + bytes.fromhex("0000ffff") * len(kind.counters)) + seal(0)
        yield base + power() + begin() + say(AcceptCommand(1)) + pulse(1, 40) + wait(100) + alive(2)


_OF_A_KIND = {"wheel": _of_wheel, "table": _of_table, "reel": _of_reel, "pusher": _of_pusher}


def scripts(kind: BoardKind, draw: random.Random) -> Iterator[bytes]:
    """All scripts, and some concatenations of two."""
    plain = [*_of_every_board(kind), *_OF_A_KIND[kind.name](kind), *_found(kind)]
    yield from plain
    for _ in range(len(plain)):
        yield draw.choice(plain) + draw.choice(plain)


def write(kind: BoardKind, folder: Path) -> int:
    """Writes one file per script; returns their number."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    count = 0
    for count, script in enumerate(scripts(kind, random.Random(kind.id)), start=1):
        folder.joinpath(f"{count:03}").write_bytes(script)
    return count


if __name__ == "__main__":
    write(KINDS[sys.argv[1]], Path(sys.argv[2]))
