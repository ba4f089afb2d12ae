"""A simulated automated sic bo shaker: started by a pulse or by a frame, it tosses, and fails in its ways."""

from __future__ import annotations

from random import Random
from typing import Final

from drivers.dice.frame_wire import SUCCESS, FrameCommand, ShakerFrame, encode_frame, parse_frame
from drivers.dice.reader_wire import MalformedReading
from hal.clock import NS_PER_S
from hal.values import Edge, Frame, Output, Rare, SendFrame, SetLine
from simulators.base.device_faults import NamedFault, by_name, device_fault

START: Final = "shaker_start"
BUSY: Final = "shaker_busy"
FAULT: Final = "shaker_fault"
PRESENT: Final = "automated_shaker_present"
REFUSED: Final = 0x00
"""The status of an answer that is not a success (ours)."""
LONGEST_S: Final = 8.0
BEGINS_S: Final = 0.15
ANSWERS_S: Final = 0.05

TOSS_FAULTS: Final = by_name(
    (
        NamedFault("no_start", True, "It does not toss when it is commanded to.", "Void: shaker_failed; a fault."),
        NamedFault("stops_early", True, "It stops at once.", "Void: shaker_failed; a fault."),
        NamedFault("never_stops", True, "It goes on tossing.", "Void: shaker_failed; a fault."),
        NamedFault("fails", True, "It reports a failure while it tosses.", "Void: shaker_failed; a fault."),
        NamedFault("unasked", True, "It tosses before the call.", "Void: shaken_before_no_more_bets; a fault."),
        NamedFault("garbled", False, "Its answer is garbled.", "Void: shaker_failed; a fault."),
        NamedFault("misreads", False, "It reports other values than its dice have.", "Unresolved: values_disagree."),
    )
)
"""Every fault, in the order in which they are listed."""
OF_LINES: Final = ("no_start", "stops_early", "never_stops", "fails", "unasked")
OF_SERIAL: Final = ("no_start", "fails", "garbled", "misreads")


class AutomatedShakerSimulator:
    """One shaker. Its answers are in the order of time."""

    def __init__(self, seed: int, *, serial: bool, link: str = "shaker_serial") -> None:
        self._rng = Random(f"{seed}/automated")
        self._serial = serial
        self._link = link
        self._fault = "none"
        self._edges: list[Edge] = []
        self._frames: list[Rare] = []
        self.dice: tuple[int, ...] = (1, 1, 1)
        """How its dice came to rest after the next toss."""
        self._length_s = LONGEST_S
        self.tossing = False
        """Whether a serial shaker tosses: it does so until it is stopped."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that it drives."""
        return () if self._serial else (BUSY, FAULT)

    @property
    def links(self) -> tuple[str, ...]:
        """The links on which it answers."""
        return (self._link,) if self._serial else ()

    def start(self) -> list[Edge]:
        """The levels at time 0."""
        return [Edge(line, 0, 0) for line in self.lines]

    def plan(self, fault: str | None, dice: tuple[int, ...], length_s: float, t_s: float) -> None:
        """What the next toss comes to and how long it takes, and what goes wrong from `t_s` on.

        Raises:
            FaultError: an automated shaker has no such fault.
        """
        self._fault = device_fault(fault, TOSS_FAULTS, "automated shaker").name
        self.dice, self._length_s = dice, length_s
        if self._fault == "unasked":
            self._busy(t_s, t_s + self._rng.uniform(3.0, 5.0))

    @property
    def next_answer_ns(self) -> int | None:
        """When it next does or sends something."""
        firsts = [values[0].t_ns for values in (self._edges, self._frames) if values]
        return min(firsts, default=None)

    def command(self, output: Output) -> None:
        """Something is done at its input, or sent to it."""
        t_s = output.t_ns / NS_PER_S
        if isinstance(output, SetLine) and output.line == START and output.on and not self._serial:
            self._pulse(t_s)
        elif isinstance(output, SendFrame) and output.link == self._link and self._serial:
            said = parse_frame(output.data)
            if not isinstance(said, MalformedReading):
                self._answer(said.command, t_s + ANSWERS_S)

    def answers(self, until_ns: int) -> tuple[list[Edge], list[Rare]]:
        """What it does up to then; each of it once."""
        edges = [edge for edge in self._edges if edge.t_ns <= until_ns]
        frames = [frame for frame in self._frames if frame.t_ns <= until_ns]
        self._edges, self._frames = self._edges[len(edges) :], self._frames[len(frames) :]
        return edges, frames

    def _pulse(self, t_s: float) -> None:
        begin_s, length_s = t_s + BEGINS_S, self._length_s
        fault, self._fault = self._fault, "none"
        if fault == "no_start":
            return
        if fault == "stops_early":
            length_s = 0.4
        elif fault == "never_stops":
            length_s = 25.0
        elif fault == "fails":
            for level, at_s in ((1, begin_s + 1.0), (0, begin_s + 6.0)):
                self._edges.append(Edge(FAULT, level, int(at_s * NS_PER_S)))
            length_s = 1.5
        self._busy(begin_s, begin_s + length_s)

    def _busy(self, from_s: float, until_s: float) -> None:
        self._edges += [Edge(BUSY, 1, int(from_s * NS_PER_S)), Edge(BUSY, 0, int(until_s * NS_PER_S))]
        self._edges.sort(key=lambda edge: edge.t_ns)

    def _answer(self, command: FrameCommand, t_s: float) -> None:
        if self._fault == "no_start":
            self._fault = "none"
            return
        status, values = SUCCESS, b""
        if command is FrameCommand.QUERY:
            dice = self.dice
            if self._fault == "misreads":
                dice = (dice[0] % 6 + 1, *dice[1:])
            values = bytes(dice)
        if self._fault == "fails" and command is FrameCommand.STOP:
            status, self._fault = REFUSED, "none"
        elif command in (FrameCommand.START, FrameCommand.STOP):
            self.tossing = command is FrameCommand.START
        data = encode_frame(ShakerFrame(command, status, values))
        if self._fault == "garbled":
            data, self._fault = data[:-2] + bytes((data[-2] ^ 1, data[-1])), "none"
        self._frames.append(Frame(self._link, data, int(t_s * NS_PER_S)))
