"""The value that the reason of a void round needs: before it nobody can know the verdict.

Our table reads the end of a pulse, or several pulses of a kind, where another decoder may know from the beginning, or
from fewer of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from controller.conformance.copies import GOES_ON_NS
from controller.conformance.line_text import BEGIN, EDGE, END, UNTIL, time_of
from controller.conformance.ours import answers
from feed import events
from feed.events import decode

LAST_PASS: Final = "ball_revolutions"
"""The reason that one more pass of the ball might end: it needs the last."""
BALL: Final = "ball_"
REPEATED: Final = (BALL, "pocket")
"""How the lines begin of which our table asks several pulses, where fewer may do."""
COUNTED: Final = ("_a", "_b")
"""How the lines of encoders end. They have no pulses: each edge is a count."""


def needed_ns(lines: Sequence[str], number: int, reason: str, ours_ns: int, opened_ns: int, early_ns: int) -> int:
    """The time from which on a table may give this void.

    That is the first value from which on ours gives it, also where the lines end at any later one; where that value
    ends a pulse, the beginning of it. Of a pulse of which fewer may do, it may be earlier.

    Args:
        lines: the capture.
        number: the round.
        reason: why it is void.
        ours_ns: the time of our verdict.
        opened_ns: the time at which the round was opened.
        early_ns: how much before ours an outcome may be given, which may rest on fewer pulses too.
    """
    begin = lines.index(BEGIN) + 1
    values = [_value(line) for line in lines[begin:-2] if time_of(line) <= ours_ns]
    # The second shows a direction or a second ball; the first shows neither.
    passes = [since for since, one in _since(values) if one.line.startswith(BALL) and opened_ns < since < one.t_ns]
    if reason == LAST_PASS:
        return passes[-1]
    needed = ours_ns
    for end_ns in sorted({one.t_ns for one in values}, reverse=True):
        given = [one.text for one in values if one.t_ns <= end_ns]
        if void_of([*lines[:begin], *given, f"{UNTIL} {end_ns + GOES_ON_NS}", END], number) != reason:
            break
        needed = end_ns
    decisive = [(since, one) for since, one in _since(values) if one.t_ns == needed]
    if any(one.line.startswith(REPEATED) for _, one in decisive):
        return max(ours_ns - early_ns, passes[1])
    return max((since for since, _ in decisive), default=needed)


class _Value(NamedTuple):
    t_ns: int
    line: str
    level: str
    """Empty where it is no edge."""
    text: str


def _value(text: str) -> _Value:
    kind, t_ns, line, *rest = text.split(" ", 3)
    return _Value(int(t_ns), line, rest[0] if kind == EDGE else "", text)


def _since(values: Iterable[_Value]) -> Iterator[tuple[int, _Value]]:
    """Each value with its time, or with the beginning of the pulse that it ends."""
    found: dict[str, str] = {}
    begun: dict[str, int] = {}
    for one in values:
        since = one.t_ns
        if one.level and not one.line.endswith(COUNTED):
            if one.level == found.setdefault(one.line, one.level):
                since = begun.pop(one.line, since)
            else:
                begun.setdefault(one.line, since)
        yield since, one


def void_of(lines: Sequence[str], number: int) -> str | None:
    """The reason for which our table has a round void, if it has; of lines that may end at any value."""
    for data in _verdicts(lines):
        if data.round == number:
            return data.reason if isinstance(data, events.Void) else None
    return None


def _verdicts(lines: Sequence[str]) -> Iterator[events.Outcome | events.Void | events.Unresolved]:
    for line in answers(lines):
        if b'"until"' not in line[:9]:
            data = decode(line).data
            if isinstance(data, events.Outcome | events.Void | events.Unresolved):
                yield data
