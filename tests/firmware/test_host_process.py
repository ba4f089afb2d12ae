"""The firmware as a process of this computer: a port on a pty, pins on stdin, outputs on stdout."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import termios
import tty
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

from hal.board import frames
from hal.board.message import BoardAnswer, BoardCommand, BoardReport
from hal.board.messages import (
    ANSWERS,
    REPORTS,
    BootReport,
    EdgesReport,
    IdentifyCommand,
    IdentityAnswer,
    NameBoardCommand,
    OkAnswer,
    OpenCommand,
    SampleCommand,
    SampleReport,
    SetCommand,
    WatchCommand,
)
from tests.fakes.time_limits import HANG_S
from tests.firmware.conftest import BUILD, make_firmware
from tests.firmware.core_board import MS, SeenEdge, edges_of

MOST_STEPS = 100_000
"""Milliseconds of the board: what is written to a pty is at its other end after a while of the computer's."""


class HostProcess:
    """A board in a process. Use it as a context."""

    def __init__(self, *arguments: str, kind: str = "wheel", port: int | None = None) -> None:
        """`port` is its other end, where it is given a tty and opens no pty."""
        program = make_firmware(f"{BUILD}/host/{kind}")
        self.process = subprocess.Popen(
            [str(program), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        word, self.path = self.process.stdout.readline().split()
        assert word == "port"
        self.port = os.open(self.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK) if port is None else port
        tty.setraw(self.port, termios.TCSANOW)  # what the board has sent already must not be flushed
        os.set_blocking(self.port, False)
        self.said: list[tuple[int, BoardAnswer | BoardReport]] = []
        self.changes: list[tuple[int, str, int]] = []
        self.ticks = 0
        self._begun = b""
        self._number = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.communicate()
        os.close(self.port)

    def line(self, text: str) -> None:
        """Writes a line, and reads all that it made happen."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        while True:
            words = self.process.stdout.readline().split()
            if words[0] == "at":
                self.ticks = int(words[1])
                break
            self.changes.append((int(words[0]), words[1], int(words[2])))
        self.hear()

    def hear(self) -> None:
        """Takes what is there to be read at the port."""
        try:
            data = os.read(self.port, 4096)
        except BlockingIOError:
            return
        *pieces, self._begun = (self._begun + data).split(b"\0")
        for piece in filter(None, pieces):  # a board sends a lone zero before its first frame
            frame = frames.decode(piece)
            known: type[BoardAnswer | BoardReport] = ANSWERS[frame.id] if frame.id in ANSWERS else REPORTS[frame.id]
            self.said.append((frame.number, known.unpack(frame.fields)))

    def send(self, command: BoardCommand) -> None:
        """Writes a command with the number that is due."""
        first = isinstance(command, IdentifyCommand | OpenCommand)
        number = 0 if first else self._number % 255 + 1
        self._number = 0 if isinstance(command, OpenCommand) else number or self._number
        os.write(self.port, frames.encode(number, command))

    def tell(self, command: BoardCommand) -> BoardAnswer:
        """Writes a command, and lets the board's time pass until it is answered."""
        before = len(self.said)
        self.send(command)
        for _ in range(MOST_STEPS):
            self.line(str(self.ticks + MS))
            for _, message in self.said[before:]:
                if isinstance(message, BoardAnswer):
                    return message
        raise AssertionError(f"no answer to {command}")

    def until(self, kind: type[BoardReport], count: int = 1) -> list[BoardReport]:
        """Lets the board's time pass until this many reports of a kind are there."""
        for _ in range(MOST_STEPS):
            found = [message for _, message in self.said if isinstance(message, kind)]
            if len(found) >= count:
                return found
            self.line(str(self.ticks + MS))
        raise AssertionError(f"no {kind.__name__}")


def test_its_pins_are_driven_at_their_ticks_and_its_outputs_told() -> None:
    with HostProcess() as board:
        assert board.tell(OpenCommand(5)) == OkAnswer()
        assert board.tell(WatchCommand(0b11, 0)) == OkAnswer()
        begin = board.ticks + 5 * MS
        for at, (pin, level) in enumerate([("D2", 1), ("D3", 1), ("D2", 0)]):
            board.line(f"{begin + at * 777} {pin} {level}")
        edges: list[SeenEdge] = []
        while len(edges) < 5:
            board.line(str(board.ticks + MS))
            reports = [message for _, message in board.said if isinstance(message, EdgesReport)]
            edges = [edge for report in reports for edge in edges_of(report)]
        assert [(edge.line, edge.level, edge.ticks - begin) for edge in edges[2:]] == [
            (0, 1, 0),
            (1, 1, 777),
            (0, 0, 1554),
        ]
        assert board.tell(SetCommand(2, 255, 30)) == OkAnswer()
        board.line(str(board.ticks + 40 * MS))
        (on, *switched_on), (off, *switched_off) = board.changes
        assert (switched_on, switched_off) == (["B1", 255], ["B1", 0])
        assert abs(off - on - 30 * MS) < MS


def test_an_analogue_channel_takes_a_share_of_the_supply() -> None:
    with HostProcess() as board:
        board.line("100 C2 0.25")
        assert board.tell(OpenCommand(5)) == OkAnswer()
        assert board.tell(SampleCommand(1, 10)) == OkAnswer()
        [report, *_] = board.until(SampleReport)
        assert isinstance(report, SampleReport)
        assert int.from_bytes(report.values, "little") == 256


def test_a_link_leads_to_its_port_and_its_memory_is_a_file(tmp_path: Path) -> None:
    link, memory = tmp_path / "board", tmp_path / "eeprom"
    for boots, serial in ((1, 0), (2, 99)):
        with HostProcess("--link", str(link), "--eeprom", str(memory)) as board:
            assert link.readlink() == Path(board.path)
            identity = board.tell(IdentifyCommand())
            assert isinstance(identity, IdentityAnswer)
            assert (identity.boots, identity.serial) == (boots, serial)
            assert board.tell(OpenCommand(5)) == OkAnswer()
            assert board.tell(NameBoardCommand(99)) == OkAnswer()


def test_it_takes_a_port_that_is_there(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    with HostProcess(os.ttyname(theirs), port=ours) as board:
        os.close(theirs)
        assert isinstance(board.tell(IdentifyCommand()), IdentityAnswer)


def test_it_ends_with_its_stdin() -> None:
    with HostProcess() as board:
        board.process.communicate(timeout=HANG_S)
        assert board.process.returncode == 0


@pytest.mark.parametrize("line", ["12 X9 1", "12 D2 7", "12 D2 high", "soon D2 1"])
def test_a_line_that_says_nothing_ends_it_with_why(line: str) -> None:
    with HostProcess() as board:
        _, why = board.process.communicate(line + "\n", timeout=HANG_S)
        assert board.process.returncode == 2
        assert "expected" in why


@pytest.mark.parametrize("arguments", [["--fast"], ["--eeprom"], ["/dev/null", "/dev/null"]])
def test_arguments_that_it_does_not_know_are_refused(arguments: list[str]) -> None:
    program = make_firmware(f"{BUILD}/host/wheel")
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "usage" in done.stderr


def test_in_real_time_it_lives_by_itself(tmp_path: Path) -> None:
    with HostProcess("--real") as board:
        while not any(isinstance(message, IdentityAnswer) for _, message in board.said):
            board.send(IdentifyCommand())
            ready, _, _ = select.select([board.port], [], [], HANG_S)
            assert ready
            board.hear()
        assert any(isinstance(message, BootReport) for _, message in board.said)
        board.line("D2 1")
        board.process.send_signal(signal.SIGTERM)
        assert board.process.wait(HANG_S) == -signal.SIGTERM
