"""The value that the reason of a void round needs: before it nobody can know the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from controller.conformance.candidate import answers
from controller.conformance.copies import GOES_ON_NS
from controller.conformance.line_text import BEGIN, END, UNTIL, time_of
from feed import events
from feed.events import decode


def needed_ns(lines: Sequence[str], number: int, reason: str, ours_ns: int) -> int:
    """The time of the first value from which on our table gives this void, also where the lines end at any later one.

    Args:
        lines: the capture.
        number: the round.
        reason: why it is void.
        ours_ns: the time of our verdict.
    """
    begin = lines.index(BEGIN) + 1
    times = [time_of(line) for line in lines[begin:-2]]
    ends = sorted({time for time in times if time <= ours_ns}, reverse=True)
    needed = ours_ns
    for end_ns in ends:
        count = sum(time <= end_ns for time in times)
        if void_of([*lines[: begin + count], f"{UNTIL} {end_ns + GOES_ON_NS}", END], number) != reason:
            return needed
        needed = end_ns
    return needed


def is_given_at_a_value(lines: Sequence[str], t_ns: int) -> bool:
    """Whether a value came at this time; where none did, time alone decided what was given then."""
    return any(time_of(line) == t_ns for line in lines[lines.index(BEGIN) + 1 : -2])


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
