"""The board's end of a dice reader's wire, in its three formats: dice move, lie still, and are reported.

A board of lines sends twice a second and at every change. A board of `7A` frames sends nothing unasked: it answers how
the dice are that it sees. The studio's shaker sends its words, and answers with one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from drivers.dice.frame_wire import SUCCESS, FrameCommand, ShakerFrame, ShakerFramer, encode_frame
from drivers.dice.reader_wire import (
    MAX_LENGTH,
    PERIOD_S,
    THROWS,
    BoardLine,
    BoardState,
    Die,
    StateWord,
    encode_line,
    encode_word,
)
from hal.clock import NS_PER_S
from hal.framing import Framer, LineFramer, received
from hal.values import EdgesLost, Frame
from simulators.base.device_faults import NamedFault, by_name, device_fault
from simulators.base.sensors import in_ns

BYTE_NS: Final = round(10 / 9600 * NS_PER_S)
"""One byte on the wire: ten bits at 9600 baud."""
FORMATS: Final = ("lines", "frames_7a", "state_words")

READER_FAULTS: Final = by_name(
    (
        NamedFault("reader_disagrees", True, "The board misreads a die.", "The wrong value: the keypad must agree."),
        NamedFault("not_recognised", True, "The board cannot read a die.", "Not agreed: not_recognised."),
        NamedFault("changes_its_mind", True, "The board reads one value, then another.", "Not agreed: value_changed."),
        NamedFault("board_fault", True, "The board reports that it is at fault.", "ReaderFault; no value."),
        NamedFault("reader_garbage", False, "Noise on the wire while the dice move.", "The values, or a doubt."),
        NamedFault("bad_sum", False, "One line or frame has a wrong checksum.", "The values, or a doubt."),
        NamedFault("motion_lost", False, "The board is not heard while the dice move.", "Not agreed, or no value."),
        NamedFault("reader_silent", False, "Nothing comes any more for a while.", "sensor_missing, or no value."),
    )
)
"""Every fault, in the order in which they are listed."""


@dataclass(frozen=True, slots=True)
class BoardChunk:
    """Bytes that a reader gets at once, at the time at which the last of them has arrived."""

    t_ns: int
    data: bytes


@dataclass(frozen=True, slots=True)
class BoardReading:
    """One throw as the board reported it, and the truth."""

    chunks: tuple[BoardChunk, ...]
    dice: tuple[Die, ...]
    """How the dice came to rest."""
    provable: bool
    """Whether the wire proves it; where it does not, nobody may take it for agreed."""
    true: bool
    """Whether what the wire proves is how the dice came to rest: a board that misreads is not seen from its wire."""
    moved_ns: int
    rest_ns: int
    until_ns: int
    fault: str | None


class Answers:
    """What a board answers to the questions about one throw; nothing to a question where the bytes are empty."""

    def __init__(self, then: bytes, first: bytes | None = None) -> None:
        """`first` is the answer to the first question, where it is another."""
        self._then, self._first = then, first

    def next(self) -> bytes:
        """The answer to the next question."""
        answer, self._first = self._then if self._first is None else self._first, None
        return answer


class DiceReaderSimulator:
    """A reading board whose clock and count of throws go on from throw to throw. Equal seeds give equal bytes."""

    def __init__(self, seed: int, format_: str = "lines") -> None:
        """`format_` is one of `FORMATS`."""
        self._seed = seed
        self._format = format_
        self._number = 0
        self._now_s = 0.0
        self._throw = Random(f"{seed}/throw").randrange(THROWS)
        self._resting: tuple[Die, ...] = ()
        self.answers = Answers(b"")
        """What it answers of the last throw, once its dice are at rest."""
        self._begun = False
        """Whether a throw has begun whose end is not known yet."""
        self._wire: list[tuple[float, bytes]] = []
        self._free_ns = 0
        """When the last byte on the wire has arrived: two frames are never on one wire at once."""
        self._busy: list[tuple[int, int]] = []
        """From when to when frames of this throw, and of what came since, are on the wire."""

    @property
    def now_s(self) -> float:
        """Until when it has been played."""
        return self._now_s

    def idle(self, duration_s: float, *, unasked: bool = False) -> BoardReading:
        """Lets time pass: what is there stays, or nothing does; `unasked`, a board that only answers sends nothing."""
        self._wire = []
        from_s = self._now_s
        if unasked and self._format != "lines":
            self._now_s += duration_s
        else:
            self._stay(duration_s, BoardState.RESTING if self._resting else BoardState.EMPTY, self._resting)
        ns = in_ns(from_s)
        chunks = self._sent(self._wire, Random(0))
        return BoardReading(chunks, self._resting, False, True, ns, ns, in_ns(self._now_s), None)

    def move(self, duration_s: float) -> BoardReading:
        """The dice move for a time, and go on moving: `throw` ends it."""
        self._wire = []
        from_ns = in_ns(self._now_s)
        first = self._begin()
        if first or self._format == "lines":
            self._stay(duration_s, BoardState.MOVING)
        else:
            self._now_s += duration_s
        chunks = self._sent(self._wire, Random(0))
        return BoardReading(chunks, (), False, True, from_ns, in_ns(self._now_s), in_ns(self._now_s), None)

    def throw(
        self, dice: Sequence[Die], fault: str | None = None, moving_s: float = 3.0, resting_s: float = 3.0
    ) -> BoardReading:
        """The board watches a throw that ends with these dice, with a named fault or without.

        Raises:
            FaultError: a reader has no fault of this name.
        """
        named = device_fault(fault, READER_FAULTS, "dice reader")
        self._begin()
        self._begun = False
        rng = Random(f"{self._seed}/{self._number}")
        self._wire = []
        from_s = self._now_s
        self._stay(moving_s, BoardState.MOVING)
        rest_s = self._now_s
        reported = _reported(named.name, tuple(dice), rng)
        if self._format == "state_words":
            self.answers = Answers(_word(BoardState.RESTING))
        elif self._format == "frames_7a":
            self.answers = _answers(named.name, reported, rng)
        if named.name == "board_fault":
            self._stay(resting_s, BoardState.FAULT)
            self._resting = ()
        elif named.name == "changes_its_mind":
            self._stay(resting_s / 2, BoardState.RESTING, _reported("reader_disagrees", tuple(dice), rng))
            self._stay(resting_s / 2, BoardState.RESTING, reported)
            self._resting = reported
        else:
            self._stay(resting_s, BoardState.RESTING, reported)
            self._resting = reported
        wire = self._spoil(named.name, rest_s, rng)
        values = self._format == "lines" or (
            self._format == "frames_7a" and all(die.lying in ("flat", "unread") for die in dice)
        )
        loss = named.name in ("not_recognised", "changes_its_mind", "board_fault") or (
            self._format == "frames_7a" and named.name in ("reader_garbage", "bad_sum", "reader_silent")
        )
        return BoardReading(
            self._sent(wire, rng),
            tuple(dice),
            provable=values and not loss and all(die.lying == "flat" for die in reported),
            true=reported == tuple(dice),
            moved_ns=in_ns(from_s),
            rest_ns=in_ns(rest_s),
            until_ns=in_ns(self._now_s),
            fault=fault,
        )

    def answer(self, answers: Answers, t_ns: int) -> BoardChunk:
        """The answer to a question about such dice, on the wire from `t_ns` on, or as soon as it is free for it."""
        data = answers.next()
        end_ns = t_ns + len(data) * BYTE_NS
        for from_ns, until_ns in sorted(self._busy):
            if from_ns < end_ns and until_ns > end_ns - len(data) * BYTE_NS:
                end_ns = until_ns + len(data) * BYTE_NS
        self._busy.append((end_ns - len(data) * BYTE_NS, end_ns))
        self._free_ns = max(self._free_ns, end_ns)
        return BoardChunk(end_ns, data)

    def framer(self) -> Framer:
        """What cuts this format's stream."""
        return ShakerFramer() if self._format == "frames_7a" else LineFramer(MAX_LENGTH)

    def _begin(self) -> bool:
        """A throw begins, unless one has begun; returns whether it does."""
        if self._begun:
            return False
        self._begun = True
        self._number += 1
        self._busy = [one for one in self._busy if one[1] > in_ns(self._now_s)]
        self._throw = (self._throw + 1) % THROWS
        return True

    def _stay(self, duration_s: float, state: BoardState, dice: tuple[Die, ...] = ()) -> None:
        """Reports one state for a time, once at least."""
        end_s = self._now_s + duration_s
        if self._format == "lines":
            line = encode_line(BoardLine(self._throw, state, dice))
            t_s = self._now_s
            while t_s < end_s:
                self._wire.append((t_s, line))
                t_s += PERIOD_S
        elif self._format == "state_words":
            self._wire.append((self._now_s, _word(state)))
        self._now_s = end_s

    def _sent(self, wire: Sequence[tuple[float, bytes]], rng: Random) -> tuple[BoardChunk, ...]:
        """The bytes as a reader gets them: at 9600 baud, one frame after the other, cut anywhere."""
        chunks: list[BoardChunk] = []
        for t_s, data in wire:
            from_ns = t_ns = max(in_ns(t_s), self._free_ns)
            start = 0
            while start < len(data):
                end = min(len(data), start + rng.randint(1, 16))
                t_ns += (end - start) * BYTE_NS
                chunks.append(BoardChunk(t_ns, data[start:end]))
                start = end
            self._free_ns = t_ns
            self._busy.append((from_ns, t_ns))
        return tuple(chunks)

    def _spoil(self, name: str, rest_s: float, rng: Random) -> list[tuple[float, bytes]]:
        """Does to the bytes what a fault of the wire does."""
        wire = self._wire
        if not wire:
            return []
        if name == "motion_lost":
            return [(t_s, data) for t_s, data in wire if t_s >= rest_s]
        if name == "reader_silent":
            return [(t_s, data) for t_s, data in wire if t_s < wire[0][0] + 0.2]
        place = rng.randrange(len(wire))
        t_s, data = wire[place]
        if name == "reader_garbage":
            data = _noise(rng) + data
        elif name == "bad_sum":
            data = _bad_sum(data, 3)
        return [*wire[:place], (t_s, data), *wire[place + 1 :]]


def frames(chunks: Sequence[BoardChunk], framer: Framer, link: str = "dice_serial") -> list[Frame | EdgesLost]:
    """What a link makes of these bytes; give the same framer again to go on where it stopped."""
    return [value for chunk in chunks for value in received(link, framer, chunk.data, chunk.t_ns)]


def _reported(name: str, dice: tuple[Die, ...], rng: Random) -> tuple[Die, ...]:
    """What the board makes of the dice."""
    at = rng.randrange(len(dice))
    if name == "reader_disagrees":
        wrong = rng.choice([value for value in range(1, 7) if value != dice[at].value])
        return (*dice[:at], Die("flat", wrong), *dice[at + 1 :])
    if name == "not_recognised":
        return (*dice[:at], Die("unread", None), *dice[at + 1 :])
    return dice


def _noise(rng: Random) -> bytes:
    return bytes(rng.randrange(0x80, 0x100) for _ in range(rng.randint(1, 20)))


def _bad_sum(data: bytes, before_end: int) -> bytes:
    """A line or frame whose checksum is wrong: a byte of it is this far before the end."""
    at = len(data) - before_end
    return data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]


def _answers(fault: str, reported: tuple[Die, ...], rng: Random) -> Answers:
    """What a board of `7A` frames answers of these dice."""
    answer = _answer(reported)
    match fault:
        case "board_fault":
            return Answers(encode_frame(ShakerFrame(FrameCommand.QUERY, 0)))
        case "reader_silent":
            return Answers(b"")
        case "changes_its_mind":
            return Answers(answer, _answer(_reported("reader_disagrees", reported, rng)))
        case "reader_garbage":
            return Answers(answer, _noise(rng) + answer)
        case "bad_sum":
            return Answers(answer, _bad_sum(answer, 2))
    return Answers(answer)


def _answer(dice: tuple[Die, ...]) -> bytes:
    values = bytes(die.value for die in dice if die.value is not None)
    if len(values) < len(dice):
        return encode_frame(ShakerFrame(FrameCommand.QUERY, 0))
    return encode_frame(ShakerFrame(FrameCommand.QUERY, SUCCESS, values))


def _word(state: BoardState) -> bytes:
    """What a studio's shaker sends for a state."""
    if state is BoardState.FAULT:
        return encode_word(StateWord("errors"))
    return encode_word(StateWord("shaking" if state is BoardState.MOVING else "idle"))
