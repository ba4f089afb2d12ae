"""The value that the reason of a void round needs: before it nobody can know the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from controller.conformance.copies import GOES_ON_NS
from controller.conformance.line_text import BEGIN, END, UNTIL, time_of
from controller.conformance.ours import answers
from feed import events
from feed.events import decode

PASSES: Final = {"ball_revolutions": "ball_"}
"""Of a reason that one more pass might end, how the lines begin that have the passes: it needs the last of them."""


def needed_ns(lines: Sequence[str], number: int, reason: str, ours_ns: int) -> int:
    """The time of the first value from which on our table gives this void, also where the lines end at any later one.

    Args:
        lines: the capture.
        number: the round.
        reason: why it is void.
        ours_ns: the time of our verdict.
    """
    begin = lines.index(BEGIN) + 1
    values = [(time_of(line), line) for line in lines[begin:-2] if time_of(line) <= ours_ns]
    if reason in PASSES:
        return max(t_ns for t_ns, line in values if line.split(" ", 3)[2].startswith(PASSES[reason]))
    needed = ours_ns
    for end_ns in sorted({t_ns for t_ns, _ in values}, reverse=True):
        given = [line for t_ns, line in values if t_ns <= end_ns]
        if void_of([*lines[:begin], *given, f"{UNTIL} {end_ns + GOES_ON_NS}", END], number) != reason:
            break
        needed = end_ns
    return needed


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
