"""The real binary of a kind on an emulated chip, talked to frame by frame: no port, no session of the host's."""

from __future__ import annotations

import subprocess
from typing import NamedTuple, TypeVar

from hal.board import frames
from hal.board.chips import ATMEGA328P
from hal.board.edge_stream import unpack
from hal.board.message import BoardAnswer, BoardCommand, BoardReport
from hal.board.messages import (
    ANSWERS,
    BAUD,
    KINDS,
    REPORTS,
    AliveCommand,
    ClockAnswer,
    ClockCommand,
    EdgesReport,
    IdentifyCommand,
    OkAnswer,
    OpenCommand,
    StateReport,
    WatchCommand,
)
from tests.firmware.emulated import MS, board, built
from tests.firmware.inspected_board import InspectedBoard

TICK_NS = 500
RAM = 2048

R = TypeVar("R", bound=BoardReport)


class PinEdge(NamedTuple):
    """An edge on an input, as it happened or as it was told."""

    line: int
    level: int
    t_ns: float


class Stream(NamedTuple):
    """What a board told of its edges."""

    told: list[PinEdge]
    missing: int
    """Numbers that no edge had."""
    lost: int
    """What the board says of them."""


class AvrBoard:
    """A board that has begun. Use it as a context."""

    def __init__(
        self, kind: str = "wheel", *, eeprom: bytes | None = None, watch: int = 0, chip: InspectedBoard | None = None
    ) -> None:
        """With `watch` a session is open, all lines are low, these inputs are watched and the clock is known.

        `chip` is another board than that of the kind on an ATmega328P, and has not run yet.
        """
        self.kind = KINDS[kind]
        self.chip = board(kind, eeprom=eeprom) if chip is None else chip
        self._byte_ns = self.chip.chip.byte_ns
        self.said: list[tuple[int, int, BoardAnswer | BoardReport]] = []
        """When each frame began, its number and the message."""
        self._bytes: list[tuple[int, int]] = []
        self._number = 0
        self._alive_ns = 0
        self.zero_ns = 0.0
        """The time of the board's tick 0."""
        self.run((20 if self.chip.chip is ATMEGA328P else 60) * MS)
        if watch:
            self.tell(OpenCommand(1))
            for line in range(8):
                self.chip.drive(self.pin(line), 0)
            clock = self.tell(ClockCommand())
            assert isinstance(clock, ClockAnswer)
            self.zero_ns = self.said[-1][0] - TICK_NS * (clock.received + clock.kept)
            assert self.tell(WatchCommand(watch, 0)) == OkAnswer()
            self.run(25 * MS)

    def __enter__(self) -> AvrBoard:
        return self

    def __exit__(self, *_: object) -> None:
        self.chip.close()

    def pin(self, line: int) -> str:
        """The pin of an input (from 0)."""
        return self.kind.inputs[line][1]

    def run(self, duration_ns: int) -> None:
        """Lets time pass, and reads what the board says."""
        self.chip.run_until(self.chip.now_ns + duration_ns)
        for ends_ns, byte in self.chip.take_sent():
            if byte:
                self._bytes.append((ends_ns - self._byte_ns, byte))
                continue
            if not self._bytes:
                continue  # a lone zero before the board's first frame
            frame = frames.decode(bytes(each for _, each in self._bytes))
            known: type[BoardAnswer | BoardReport] = ANSWERS[frame.id] if frame.id in ANSWERS else REPORTS[frame.id]
            self.said.append((self._bytes[0][0], frame.number, known.unpack(frame.fields)))
            self._bytes.clear()

    def send(self, command: BoardCommand) -> None:
        """The host begins to send a command, with the number that is due."""
        first = isinstance(command, IdentifyCommand | OpenCommand)
        number = 0 if first else self._number % 255 + 1
        self._number = 0 if isinstance(command, OpenCommand) else number or self._number
        self.chip.receive(frames.encode(number, command))

    def tell(self, command: BoardCommand) -> BoardAnswer:
        """The host sends a command, and gets its answer."""
        before = len(self.said)
        self.send(command)
        for _ in range(3000):
            self.run(MS // 5)
            answers = [message for _, _, message in self.said[before:] if isinstance(message, BoardAnswer)]
            if answers:
                return answers[0]
        raise AssertionError(f"no answer to {command}")

    def live(self, duration_ns: int) -> None:
        """Lets time pass with a host that says so, and asks for the time now and then."""
        until = self.chip.now_ns + duration_ns
        while self.chip.now_ns < until:
            self.run(min(MS, until - self.chip.now_ns))
            if self.chip.now_ns - self._alive_ns > 100 * MS:
                self._alive_ns = self.chip.now_ns
                self.send(ClockCommand() if self._number % 3 == 0 else AliveCommand())

    def play(self, edges: list[PinEdge], settle_ns: int = 80 * MS) -> Stream:
        """Drives the inputs, and says what the board told of it, with host times."""
        self.chip.drive_many([(self.pin(edge.line), edge.level, round(edge.t_ns)) for edge in edges])
        first = self.state().next
        before = len(self.said)
        self.live(round(edges[-1].t_ns) - self.chip.now_ns + settle_ns)
        told = []
        numbers = []
        for report in self.reports(EdgesReport, before):
            for at, edge in enumerate(unpack(report)):
                numbers.append(report.first + at)
                t_ns = self.zero_ns + TICK_NS * (report.time + edge.after)
                told.append(PinEdge(edge.line, edge.level, t_ns))
        assert numbers == sorted(set(numbers))
        state = self.state()
        return Stream(told, state.next - first - len(told), state.lost)

    def state(self) -> StateReport:
        """The last `state`."""
        return self.reports(StateReport)[-1]

    def reports(self, kind: type[R], since: int = 0) -> list[R]:
        """The reports of one kind, from the frame `since` on."""
        return [message for _, _, message in self.said[since:] if isinstance(message, kind)]


def at_rate(board: AvrBoard, hz: float, count: int, lines: int = 1, after_ns: int = 5 * MS) -> list[PinEdge]:
    """Edges at a steady rate, on one line after the other; all are low at first."""
    levels = [0] * 8
    edges = []
    for at in range(count):
        line = at % lines
        levels[line] ^= 1
        edges.append(PinEdge(line, levels[line], board.chip.now_ns + after_ns + at * 1e9 / hz))
    return edges


def variables(kind: str) -> int:
    """Bytes of RAM that the variables of a kind take."""
    sizes = subprocess.run(["avr-size", "-A", str(built(f"{kind}.elf"))], capture_output=True, text=True, check=True)
    rows = [line.split() for line in sizes.stdout.splitlines()]
    return sum(int(row[1]) for row in rows if row and row[0] in (".data", ".bss", ".noinit"))


__all__ = ["BAUD", "RAM", "TICK_NS", "AvrBoard", "PinEdge", "Stream", "at_rate", "variables"]
