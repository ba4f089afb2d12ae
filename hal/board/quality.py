"""The quality of a link: whether this many of its bytes are corrupted or lost that it must not be played on.

Only numbered messages are counted, so that no loss is counted twice: a report whose number is missing, and a command
that was sent again. Each is weighed by its length with the odds between two links (Wald's sequential test): one that
corrupts 1 byte in 100 is refused, one that corrupts 1 in 1000 is accepted.

    odds (natural logarithm)
     +25 ┤ refused ──────────────  a good link gets here once in e^25 lost frames
       0 ┤ a good link stays at 0, or soon returns to it
      -6 ┤ proven ───────────────  a bad link gets here once in e^6 (400) openings
     -25 ┤ good again ───────────  a refused link must get here before it is used again
"""

from __future__ import annotations

from collections import deque
from math import expm1, log, log1p
from typing import Final, NamedTuple

GOOD: Final = 1 / 1000
"""Share of corrupted bytes of a link that is accepted."""
BAD: Final = 1 / 100
"""Share of corrupted bytes of a link that is refused."""
REFUSED: Final = 25.0
PROVEN: Final = -6.0
GOOD_AGAIN: Final = -25.0
"""Odds at which a link is refused, proven, or accepted again (ours)."""
MOST_AT_ONCE: Final = 3
"""Consecutive lost reports that are counted (ours): a noisy link loses few in a row, a host that was suspended for a
moment loses many."""
RECENT: Final = 512
"""Frames that the figures for people cover (ours)."""

_LOG_GOOD: Final = log1p(-GOOD)
_LOG_BAD: Final = log1p(-BAD)


def odds_came(length: int) -> float:
    """The change of the odds when this many bytes arrive intact."""
    return length * (_LOG_BAD - _LOG_GOOD)


def odds_lost(length: int) -> float:
    """The change of the odds when a frame of this many bytes is lost."""
    return log(expm1(length * _LOG_BAD) / expm1(length * _LOG_GOOD))


class Figures(NamedTuple):
    """The recent losses of a link, for people."""

    frames: int
    """Frames covered: reports, and commands with their answers."""
    lost: int
    """How many of them were corrupted or lost."""
    bytes_a_loss: float | None
    """About one byte in this many is corrupted; None if nothing was lost."""

    def __str__(self) -> str:
        if self.bytes_a_loss is None:
            return f"none of the last {self.frames} frames was lost"
        share = 100 * self.lost / self.frames
        return (
            f"{self.lost} of the last {self.frames} frames ({share:.1f} %) arrived broken or not at all, "
            f"about 1 byte in {self.bytes_a_loss:.0f}"
        )


class Quality:
    """The odds that a link is bad, from the frames received and lost."""

    def __init__(self) -> None:
        self._recent: deque[tuple[int, bool]] = deque(maxlen=RECENT)
        self._refused = False
        self._doubted = 0
        """How many of the last frames count towards a refusal."""
        self._mean_report = 32.0
        self._odds = 0.0
        self._may_sink_to = PROVEN

    @property
    def refused(self) -> bool:
        """Whether the link lost too much, and has not been good again since."""
        return self._refused

    @property
    def proven(self) -> bool:
        """Whether enough arrived intact since the last `prove`."""
        return not self._refused and self._may_sink_to == 0

    @property
    def figures(self) -> Figures:
        """The recent losses."""
        lost = sum(1 for _, came in self._recent if not came)
        of = sum(length for length, _ in self._recent)
        return Figures(len(self._recent), lost, of / lost if lost else None)

    def prove(self) -> None:
        """A session begins: the link must be proven again, for longer if it was refused."""
        self._odds = 0.0
        self._doubted = 0
        self._may_sink_to = GOOD_AGAIN if self._refused else PROVEN

    def report_came(self, length: int, lost_before: int) -> None:
        """A report of `length` bytes arrived, and `lost_before` reports before it did not."""
        for _ in range(min(lost_before, MOST_AT_ONCE)):
            self._weigh(max(round(self._mean_report), 1), False)
        self._mean_report += (length - self._mean_report) / 16
        self._weigh(length, True)

    def exchanged(self, length: int, lost: int) -> None:
        """A command and its answer, of `length` bytes together, arrived after `lost` losses."""
        for _ in range(lost):
            self._weigh(length, False)
        self._weigh(length, True)

    def _weigh(self, length: int, came: bool) -> None:
        self._recent.append((length, came))
        self._doubted += 1
        self._odds += odds_came(length) if came else odds_lost(length)
        if self._odds <= self._may_sink_to:
            # Proven: the odds restart at 0, so a long good time before does not outweigh later losses.
            self._may_sink_to = self._odds = 0.0
            self._refused = False
            self._doubted = 0
        elif self._odds >= REFUSED:
            self._refused = True
            self._odds = 0.0
            self._may_sink_to = GOOD_AGAIN
            # The figures then cover only the frames that led to the refusal.
            while len(self._recent) > self._doubted:
                self._recent.popleft()
