"""A kind of board on the emulated chip, with a host of few words at its wire and a world at its pins.

The host opens a session, keeps the board awake, sends a command at a time, and collects what the board reports. The
world drives inputs by their names. A sensor that is active high pulls its line low at rest, while the board feeds it;
the other inputs are pulled up.
"""

from __future__ import annotations

from types import TracebackType
from typing import Literal, NamedTuple, Protocol, Self, TypeVar

from hal.board.frames import BoardFramer, decode, encode
from hal.board.message import BoardAnswer, BoardCommand, BoardReport
from hal.board.messages import (
    ANSWERS,
    KINDS,
    REPORTS,
    AliveCommand,
    IdentifyCommand,
    IdentityAnswer,
    OpenCommand,
    RefusalCode,
    RefusedAnswer,
)
from simulators.board.emulated import PinChange
from simulators.board.machines import Looking
from simulators.board.wiring import LINES
from tests.firmware.emulated import MS, board

R = TypeVar("R", bound=BoardReport)

ALIVE_NS = 100 * MS
ANSWER_NS = 50 * MS
STEP_NS = MS // 2
LAST_NUMBER = 255


class World(Protocol):
    """What hangs on a board's pins and answers to its outputs."""

    @property
    def every_ns(self) -> int:
        """How soon it wants to look again."""

    @property
    def answers_only(self) -> bool:
        """Whether it does nothing of its own accord: it need not look again before an output has changed."""

    def look(self, bench: KindBench, changes: list[PinChange]) -> None:
        """Sees what the outputs did since the last look, and drives inputs."""


class Reported(NamedTuple):
    """A report, and when its last byte had left the board."""

    report: BoardReport
    t_ns: int


class _OnPins:
    """A machine that knows pins alone, as a world."""

    def __init__(self, machine: Looking) -> None:
        self._machine = machine

    @property
    def every_ns(self) -> int:
        return self._machine.every_ns

    @property
    def answers_only(self) -> bool:
        return False

    def look(self, bench: KindBench, changes: list[PinChange]) -> None:
        self._machine.look(bench.board, changes)


class KindBench:
    """One life of a board. Use it as a context."""

    def __init__(
        self, kind: str, *, eeprom: bytes | None = None, fram: bytes | None = None, session: int | None = 1
    ) -> None:
        """Begins the board, and a session; unless `session` is None: then not an instruction has run yet."""
        self.kind = KINDS[kind]
        self.board = board(kind, eeprom=eeprom, fram=fram)
        self.reported: list[Reported] = []
        self.changes: list[PinChange] = []
        self.worlds: list[World] = []
        self.talks = True
        """False: the host is silent, and sends nothing of its own accord."""
        self._inputs = dict(self.kind.inputs)
        self._outputs = dict(zip((name for name, _ in self.kind.outputs), self.kind.output_pins, strict=True))
        self._fed: set[str] = set()
        for name in self.kind.active_high:
            self.wire(name, "rest")
        self._framer = BoardFramer()
        self._answers: list[tuple[int, BoardAnswer]] = []
        self._number = 0
        self._spoke_ns = 0
        self._open = False
        if session is not None:
            self.run(5)
            self.open(session)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.board.close()

    @property
    def now_ns(self) -> int:
        return self.board.now_ns

    # --- time ---

    def run(self, ms: float) -> None:
        """Lets time pass."""
        self.run_until(self.now_ns + round(ms * MS))

    def run_until(self, t_ns: int) -> None:
        while self.now_ns < t_ns:
            talks = self._open and self.talks
            if talks and self.now_ns - self._spoke_ns >= ALIVE_NS:
                self.ask(AliveCommand())
            self._pass(min(t_ns, max(self.now_ns + 1, self._spoke_ns + ALIVE_NS)) if talks else t_ns)

    def _pass(self, t_ns: int) -> None:
        soon_ns = min((world.every_ns for world in self.worlds), default=t_ns)
        answer_only = all(world.answers_only for world in self.worlds)
        seen = False
        while self.now_ns < t_ns:
            if answer_only and seen:
                self.board.run_to_change(t_ns, soon_ns)
            else:  # at first they see what the test has done to them
                self.board.run_until(min(t_ns, self.now_ns + soon_ns))
            seen = True
            changes = self.board.take_changes()
            self.changes += changes
            for world in self.worlds:
                world.look(self, changes)
        for end_ns, byte in self.board.take_sent():
            self._take(byte, end_ns)

    def _take(self, byte: int, end_ns: int) -> None:
        for piece in self._framer.feed(bytes((byte,))).frames:
            frame = decode(piece)
            if frame.id in REPORTS:
                self.reported.append(Reported(REPORTS[frame.id].unpack(frame.fields), end_ns))
            else:
                self._answers.append((frame.number, ANSWERS[frame.id].unpack(frame.fields)))

    # --- the host ---

    def open(self, session: int) -> None:
        """Opens a session."""
        self._number = 0
        self._exchange(0, OpenCommand(session))
        self._open = True

    def reset(self) -> None:
        """Pulls the board's reset line; a frame that it was sending is cut off, and its session is over."""
        self.board.take_sent()
        self._framer.reset()
        self.board.reset()
        self._open = False

    def say(self, command: BoardCommand) -> BoardAnswer:
        """One command, and whatever the board answers."""
        self._number = 1 if self._number == LAST_NUMBER else self._number + 1
        return self._exchange(self._number, command)

    def ask(self, command: BoardCommand) -> BoardAnswer:
        """One command that the board does."""
        answer = self.say(command)
        assert type(answer) is command.answer, f"{command}: {answer}"
        return answer

    def refused(self, command: BoardCommand) -> RefusalCode:
        """One command that the board refuses: why."""
        answer = self.say(command)
        assert isinstance(answer, RefusedAnswer), f"{command}: {answer}"
        assert answer.command == command.id
        return RefusalCode(answer.why)

    def identity(self) -> IdentityAnswer:
        answer = self._exchange(0, IdentifyCommand())
        assert isinstance(answer, IdentityAnswer)
        return answer

    def _exchange(self, number: int, command: BoardCommand) -> BoardAnswer:
        self._answers.clear()
        self._spoke_ns = self.now_ns
        self.board.receive(encode(number, command))
        until_ns = self.now_ns + ANSWER_NS
        while self.now_ns < until_ns:
            self._pass(self.now_ns + STEP_NS)
            for answered, answer in self._answers:
                if answered == number:
                    return answer
        raise AssertionError(f"no answer to {command}")

    def reports(self, kind: type[R]) -> list[R]:
        """What the board reported of this since the last look at it."""
        return [report for report, _ in self.reports_at(kind)]

    def reports_at(self, kind: type[R]) -> list[tuple[R, int]]:
        """The same, with when each had come."""
        found = [(each.report, each.t_ns) for each in self.reported if isinstance(each.report, kind)]
        self.reported = [each for each in self.reported if not isinstance(each.report, kind)]
        return found

    def last(self, kind: type[R]) -> R:
        """The last of them."""
        return self.reports(kind)[-1]

    # --- the world ---

    def put(self, line: str, level: int, in_ms: float = 0) -> None:
        """An input takes a level, this many milliseconds from now."""
        self.board.drive(self._inputs[line], level, self.now_ns + round(in_ms * MS))

    def put_pin(self, pin: str, level: int) -> None:
        """A pin that is not a numbered input takes a level now."""
        self.board.drive(pin, level)

    def hang(self, machine: Looking) -> None:
        """Hangs a machine on the board's pins that knows no names of lines."""
        self.worlds.append(_OnPins(machine))

    def pulse(self, line: str, width_ms: float, in_ms: float = 0) -> None:
        """An input is active for a while."""
        active = 1 if line in self.kind.active_high else 0
        self.put(line, active, in_ms)
        self.put(line, 1 - active, in_ms + width_ms)

    def wire(self, line: str, state: Literal["rest", "open", "shorted"]) -> None:
        """What is at the terminals of an input, and so what the carrier board makes of it, by its netlist."""
        made = LINES[self.kind.name][line]
        levels: tuple[int, int] = getattr(made, state)
        (self._fed.add if levels == (0, 1) else self._fed.discard)(made.pin)
        if self.kind.sense_pin or "sense" in self.kind.control:
            self.board.feed(self._fed, self.kind.sense_pin or None)
        self.board.drive(made.pin, levels[0])

    def cut(self, line: str) -> None:
        """The wire of a sensor is cut: nothing pulls its line any more."""
        self.wire(line, "open")

    def short(self, line: str) -> None:
        """The line of a sensor is joined to ground, whatever the sensor does."""
        self.wire(line, "shorted")

    def mend(self, line: str) -> None:
        """The sensor is whole again, and at rest."""
        self.wire(line, "rest")

    def pin_of(self, output: str) -> str:
        return self._outputs[output]

    def output(self, name: str) -> float:
        """What the board puts on an output: 0 to 1, and 0 where it drives it not (in a reset)."""
        return self.board.output(self._outputs[name]) or 0.0

    def control(self, name: str) -> int:
        """What a control output behind the lamps is on."""
        return self.board.chain_out >> (self.kind.lamps + self.kind.control.index(name)) & 1

    def output_changes(self, name: str) -> list[PinChange]:
        """What an output did since the last look at it."""
        return self.output_changes_of(self._outputs[name])

    def output_changes_of(self, pin: str) -> list[PinChange]:
        """The same of a pin that is not a numbered output."""
        found = [change for change in self.changes if change.pin == pin]
        self.changes = [change for change in self.changes if change.pin != pin]
        return found
