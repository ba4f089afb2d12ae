"""Copies of a capture, as a decoder is given it: under another name, at other times, asked at more times, and cut.

One that holds the right answers in a table does not find them by the capture's name or its times, nor by the
times at which it is asked. In a copy that is cut, the values end within a round, before what decides it: every line is
unplugged there, and time goes on. Whoever then has an outcome for that round or a later one has it from elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final, NamedTuple

from controller.conformance.captures import Capture
from controller.conformance.line_text import BEGIN, EDGE, time_of
from hal.clock import NS_PER_S
from hal.values import Loss

MOST_SHIFT_S: Final = 100_000
"""Times are later by up to this much (ours): more than a day."""
GOES_ON_NS: Final = 60 * NS_PER_S
"""In a copy that is cut, time goes on for at least this long (ours)."""


class Cut(NamedTuple):
    """Where the values of a copy end."""

    t_ns: int
    """The time of the last values."""
    round: int
    """The round in which that is: it has no outcome, nor has a later one."""

    def __str__(self) -> str:
        return f"cut in round {self.round} at {self.t_ns / NS_PER_S:.3f} s"


class Copy(NamedTuple):
    """How a capture is given to a decoder; as it is, where nothing is stated."""

    name: str = ""
    """What the header calls it."""
    shift_ns: int = 0
    """How much later than in the capture every time is."""
    asked_ns: frozenset[int] = frozenset()
    """Times of the capture at which the decoder is asked, beside those that its rounds need."""
    cut: Cut | None = None

    def header(self, lines: Sequence[str]) -> list[str]:
        """The lines of a header, as a decoder is given them."""
        return [f"capture {self.name}" if self.name and line.startswith("capture ") else line for line in lines]

    def value(self, line: str) -> str:
        """The line of a value, as a decoder is given it."""
        kind, t_ns, rest = line.split(" ", 2)
        return f"{kind} {int(t_ns) + self.shift_ns} {rest}"


AS_IT_IS: Final = Copy()


def copies(capture: Capture, lines: Sequence[str], seed: int) -> Iterator[Copy]:
    """A whole copy of a capture, and one that is cut, if it has a round with an outcome. Equal seeds give equal copies.

    Raises:
        LineTextError: the capture is not of the format.
    """
    rng = Random(f"{seed}/{capture.name}")
    times_ns = [time_of(line) for line in lines[lines.index(BEGIN) + 1 : -1]]
    yield _copy(capture, times_ns, rng)
    places = list(_places(capture, times_ns[:-1]))
    if places:
        yield _copy(capture, times_ns, rng)._replace(cut=rng.choice(rng.choice(places)))


def _copy(capture: Capture, times_ns: Sequence[int], rng: Random) -> Copy:
    shift_s = 0 if capture.keeps_times else rng.randrange(1, MOST_SHIFT_S)
    moments, others = ([rng.randrange(times_ns[0], times_ns[-1]) for _ in capture.rounds] for _ in range(2))
    # Each of the first is asked about twice, 1 ns apart, as are the times from which a verdict may be given.
    asked = frozenset((*moments, *(moment + 1 for moment in moments), *others))
    return Copy(f"copy_{rng.getrandbits(32):08x}", shift_s * NS_PER_S, asked)


def _places(capture: Capture, times_ns: Sequence[int]) -> Iterator[list[Cut]]:
    """Where each round with an outcome may be cut: the round before is over, and nobody can know the outcome."""
    over_ns = 0
    for one in capture.rounds:
        if any(verdict.verdict == "outcome" for verdict in one.accepted):
            places = [Cut(t_ns, one.round) for t_ns in times_ns if over_ns < t_ns <= one.after_ns]
            if places:
                yield places
        over_ns = one.by_ns


def unplugged(lines: Sequence[str], t_ns: int) -> list[str]:
    """Every digital line of these values is unplugged at a time."""
    digital = dict.fromkeys(line.split(" ")[2] for line in lines if line.startswith(f"{EDGE} "))
    return [f"lost {t_ns} {line} {Loss.UNPLUGGED}" for line in digital]
