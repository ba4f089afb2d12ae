"""Compares the answers of a decoder to one capture with the verdicts that are right. It reads no clock.

The decoder is given the values up to a time, and answers everything that is due by then before it is given more:
so what it answers cannot rest on what it has not seen, and an answer that is late is late in the capture's own time.
It may be given a copy of the capture, at other times; what is wrong is reported with the capture's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Final, NamedTuple

import msgspec

from controller.conformance.captures import SAME_REVOLUTIONS, Capture, RightVerdict, Round
from controller.conformance.copies import AS_IT_IS, GOES_ON_NS, Copy, Cut, unplugged
from controller.conformance.line_text import BEGIN, END, UNTIL, LineTextError, time_of
from hal.clock import NS_PER_S
from hal.plain_text import plain

TYPES: Final = {f"feltwire.round.{kind}.v1": kind for kind in ("outcome", "void", "unresolved")}
"""The events that are compared. Others are read and not compared."""
SHOWN: Final = 160
"""Characters of an answer that a report shows."""


class Kind(StrEnum):
    """What is wrong with an answer."""

    CRASH = "crash"
    HANG = "hang"
    GARBAGE = "garbage"
    FLOOD = "too much output"
    WRONG_VERDICT = "wrong verdict"
    WRONG_REASON = "wrong reason"
    WRONG_RESULT = "wrong result"
    WRONG_MEASURE = "wrong revolutions"
    EARLY = "too early"
    LATE = "too late"
    MISSING = "missing event"
    ADDITIONAL = "additional event"
    UNPROVEN = "unproven outcome"


class Deviation(NamedTuple):
    """One thing that is wrong."""

    kind: Kind
    round: int | None
    """None where it belongs to no round."""
    t_ns: int
    """The time in the capture up to which the decoder was given values."""
    expected: str
    got: str
    cut: Cut | None = None
    """Of a copy that is cut: where."""

    def __str__(self) -> str:
        where = "" if self.round is None else f"round {self.round}, "
        where += "" if self.cut is None else f"in the copy that is {self.cut}, "
        return f"{self.kind}: {where}at {_seconds(self.t_ns)} s: expected {self.expected}, got {self.got}"


def _seconds(t_ns: int) -> str:
    """A time to the nanosecond: what is too early may be so by one."""
    whole, rest = divmod(t_ns, NS_PER_S)
    return f"{whole}.{f'{rest:09}'.rstrip('0'):0<3}"


class GarbageError(Exception):
    """An answer is not of the format, so nothing that follows can be read."""


class _VerdictData(msgspec.Struct):
    """What is compared of the data of a verdict."""

    round: int | float
    reason: str = ""
    result: dict[str, Any] = {}
    evidence: dict[str, Any] = {}


class _Answer(msgspec.Struct):
    """A line of a decoder: an event, or that everything is answered up to a time."""

    type: str | msgspec.UnsetType = msgspec.UNSET
    data: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    until: int | str | float | msgspec.UnsetType | None = msgspec.UNSET


class CapturePiece(NamedTuple):
    """What a decoder is given at once."""

    lines: list[str]
    until_ns: int


class Judge:
    """Judges one capture."""

    def __init__(self, capture: Capture, copy: Copy = AS_IT_IS) -> None:
        self.capture = capture
        self.differences: list[Deviation] = []
        self._copy = copy
        self._due = {one.round: one for one in capture.rounds if copy.cut is None or one.round < copy.cut.round}
        self._answered: set[int] = set()
        self._until_ns = 0
        """The time up to which the decoder has values."""
        self._ended = False

    def steps(self, lines: Sequence[str]) -> Iterator[CapturePiece]:
        """The capture in pieces, with `until` at the end of each; the header is in the first.

        Raises:
            LineTextError: the capture is not of the format.
        """
        begin = next((place for place, line in enumerate(lines) if line == BEGIN), None)
        if begin is None or lines[-1] != END or not lines[-2].startswith(f"{UNTIL} "):
            raise LineTextError(f"{self.capture.name}: a capture has `{BEGIN}`, and ends with `{UNTIL}` and `{END}`")
        last_ns, values, copy = time_of(lines[-2]), lines[begin + 1 : -2], self._copy
        if copy.cut is not None:
            cut_ns = copy.cut.t_ns
            values = [line for line in values if time_of(line) <= cut_ns]
            values += unplugged(values, cut_ns)
            last_ns = max(last_ns, cut_ns + GOES_ON_NS)
        times = {time for one in self.capture.rounds for time in (one.after_ns, one.by_ns)} | copy.asked_ns
        # What is written behind the answer to `after_ns` comes with the next answer: that has to be one before which
        # nothing more was given.
        times |= {one.after_ns + 1 for one in self.capture.rounds if one.after_ns}
        times = {time for time in times if 0 < time < last_ns}
        place, given = 0, copy.header(lines[: begin + 1])
        for until_ns in sorted({*times, last_ns}):
            while place < len(values) and time_of(values[place]) <= until_ns:
                given.append(copy.value(values[place]))
                place += 1
            self._until_ns = until_ns
            yield CapturePiece([*given, f"{UNTIL} {self._asked_ns}"], until_ns)
            given = []

    def answer(self, line: bytes) -> bool:
        """Takes a line of the decoder; whether it is the answer to `until`.

        Raises:
            GarbageError: it is neither an event nor that answer.
        """
        try:
            answer = msgspec.json.decode(line, type=_Answer)
            if answer.until is not msgspec.UNSET:
                if type(answer.until) is not int or answer.until != self._asked_ns:
                    raise self._garbage(line, f'{{"until": {self._asked_ns}}}')
                return True
            if answer.type is msgspec.UNSET or answer.data is msgspec.UNSET:
                raise self._garbage(line, "an object with type and data, or with until")
            verdict = TYPES.get(answer.type)
            if verdict is not None:
                self._verdict(verdict, msgspec.json.decode(answer.data, type=_VerdictData))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._garbage(line, f"an event of the feed ({error})") from error
        return False

    def fail(self, kind: Kind, expected: str, got: str) -> None:
        """Notes what ended the capture, in words of a bounded length."""
        self._note(kind, None, expected, got)

    def end(self) -> None:
        """The decoder was given all of the capture, and has ended in order: every round is due."""
        self._ended = True

    def finish(self) -> list[Deviation]:
        """Everything that is wrong, in order of time; of a capture that did not end, what was due before."""
        for one in self._due.values():
            if one.round not in self._answered and (self._ended or one.by_ns < self._until_ns):
                due_ns = min(one.by_ns, self._until_ns)
                missing = Deviation(Kind.MISSING, one.round, due_ns, str(one.accepted[0]), "nothing", self._copy.cut)
                self.differences.append(missing)
        return sorted(self.differences, key=lambda one: one.t_ns)

    @property
    def _asked_ns(self) -> int:
        """The time up to which the decoder has values, as it was given them."""
        return self._until_ns + self._copy.shift_ns

    def _garbage(self, line: bytes, expected: str) -> GarbageError:
        self._note(Kind.GARBAGE, None, expected, repr(line[:SHOWN])[1:])
        return GarbageError()

    def _note(self, kind: Kind, number: int | None, expected: str, got: str) -> None:
        cut = self._copy.cut
        self.differences.append(Deviation(kind, number, self._until_ns, plain(expected), plain(got), cut))

    def _verdict(self, verdict: str, data: _VerdictData) -> None:
        got = _words(verdict, data)[:SHOWN]
        number, cut = _whole(data.round), self._copy.cut
        due = self._due.get(number)
        if cut is not None and number >= cut.round:
            if verdict == "outcome":
                self._note(Kind.UNPROVEN, number, "no outcome: the values end before what decides it", got)
        elif due is None:
            self._note(Kind.ADDITIONAL, number, "no verdict of a round of this number", got)
        elif number in self._answered:
            self._note(Kind.ADDITIONAL, number, "one verdict a round", got)
        else:
            self._answered.add(number)
            wrong = _wrong(due, verdict, data)
            if wrong is not None:
                self._note(wrong, number, " or ".join(map(str, due.accepted)), got)
            elif self._until_ns <= due.after_ns + 1:
                self._note(Kind.EARLY, number, f"{got} at {_seconds(due.after_ns + 2)} s or later", "it before")
            elif self._until_ns > due.by_ns:
                self._note(Kind.LATE, number, f"{got} by {_seconds(due.by_ns)} s", "it later")


def _words(verdict: str, data: _VerdictData) -> str:
    turns = _turns(data)
    given = RightVerdict(verdict=verdict, reason=data.reason, result=data.result, revolutions=turns)  # type: ignore[arg-type]
    return str(given)


def _turns(data: _VerdictData) -> float | None:
    """The revolutions of a verdict, where it has a number there."""
    try:
        return msgspec.convert(data.evidence.get("revolutions"), float | None)
    except (msgspec.ValidationError, OverflowError):
        return None


def _wrong(due: Round, verdict: str, data: _VerdictData) -> Kind | None:
    """What of a verdict is not as any that is accepted; None where one is."""
    alike = [one for one in due.accepted if one.verdict == verdict]
    if not alike:
        return Kind.WRONG_VERDICT
    if verdict != "outcome":
        return None if any(one.reason == data.reason for one in alike) else Kind.WRONG_REASON
    alike = [
        one
        for one in alike
        if all(key in data.result and _identical(data.result[key], value) for key, value in one.result.items())
        and not any(key in data.result for key in one.absent)
    ]
    if not alike:
        return Kind.WRONG_RESULT
    turns = _turns(data)
    return None if any(_same(one.revolutions, turns) for one in alike) else Kind.WRONG_MEASURE


def _identical(got: Any, expected: Any) -> bool:
    """Whether two values are the same JSON: 45 is 45.0, as JSON Schema has it, and true is not 1, as Python has it."""
    got, expected = _whole(got), _whole(expected)
    if type(got) is not type(expected):
        return False
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(_identical(got[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(got) == len(expected) and all(map(_identical, got, expected))
    return bool(got == expected)


def _whole(value: Any) -> Any:
    """A number that has nothing behind its point, without one; anything else as it is."""
    return int(value) if type(value) is float and value.is_integer() else value


def _same(expected: float | None, got: float | None) -> bool:
    return expected is None or (got is not None and abs(got - expected) <= SAME_REVOLUTIONS)
