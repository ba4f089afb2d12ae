"""How good a link is: whether so many of its bytes are broken or lost that it must not be played on.

Only what each side numbers is counted, so that no loss is counted twice: a report whose number was left out, and a
command that had to be sent again. Each is weighed by its length with the odds between two links (Wald's sequential
test): one that breaks 1 byte in 100 is to be refused, one that breaks 1 in 1000 is to be kept.

    odds (natural logarithm)
     +25 ┤ refused ──────────────  a good link gets here once in e^25 times that a frame is lost
       0 ┤ a good link stays at 0, or soon comes back to it
      -6 ┤ proven ───────────────  a bad link gets here once in e^6 (400) openings
     -25 ┤ good again ───────────  a link that was refused must get here before it is used again
"""

from __future__ import annotations

from collections import deque
from math import expm1, log, log1p
from typing import Final, NamedTuple

GOOD: Final = 1 / 1000
"""Share of bytes that a link may break: it is played on."""
BAD: Final = 1 / 100
"""Share of bytes with which it is not."""
REFUSED: Final = 25.0
PROVEN: Final = -6.0
GOOD_AGAIN: Final = -25.0
"""Odds at which a link is decided on (ours)."""
MOST_AT_ONCE: Final = 3
"""Reports lost in a row that are counted (ours): a link that breaks them one by one loses few in a row, and a host that
was stopped for a moment loses many."""
RECENT: Final = 512
"""Frames that the figures for people look back on (ours)."""

_LOG_GOOD: Final = log1p(-GOOD)
_LOG_BAD: Final = log1p(-BAD)


def odds_came(length: int) -> float:
    """How much less likely a bad link is, now that so many bytes came whole."""
    return length * (_LOG_BAD - _LOG_GOOD)


def odds_lost(length: int) -> float:
    """How much more likely a bad link is, now that a frame of so many bytes did not."""
    return log(expm1(length * _LOG_BAD) / expm1(length * _LOG_GOOD))


class Figures(NamedTuple):
    """How a link did of late, for people."""

    frames: int
    """Frames that are looked back on: reports, and commands with their answers."""
    lost: int
    """How many of them came broken, or not at all."""
    bytes_a_loss: float | None
    """About one byte in so many is broken; None where nothing was lost."""

    def __str__(self) -> str:
        if self.bytes_a_loss is None:
            return f"none of the last {self.frames} frames was lost"
        share = 100 * self.lost / self.frames
        return (
            f"{self.lost} of the last {self.frames} frames ({share:.1f} %) came broken or not at all, "
            f"about 1 byte in {self.bytes_a_loss:.0f}"
        )


class Quality:
    """The odds that a link is bad, from what came and what did not."""

    def __init__(self) -> None:
        self._recent: deque[tuple[int, bool]] = deque(maxlen=RECENT)
        self._refused = False
        self._doubted = 0
        """So many of the last frames are those for which the link may be refused."""
        self._mean_report = 32.0
        self._odds = 0.0
        self._may_sink_to = PROVEN

    @property
    def refused(self) -> bool:
        """Whether the link broke too much, and was not good again since."""
        return self._refused

    @property
    def proven(self) -> bool:
        """Whether enough came whole since the last `prove`."""
        return not self._refused and self._may_sink_to == 0

    @property
    def figures(self) -> Figures:
        """How it did of late."""
        lost = sum(1 for _, came in self._recent if not came)
        of = sum(length for length, _ in self._recent)
        return Figures(len(self._recent), lost, of / lost if lost else None)

    def prove(self) -> None:
        """A session begins: the link has to prove itself anew, the longer if it was refused."""
        self._odds = 0.0
        self._doubted = 0
        self._may_sink_to = GOOD_AGAIN if self._refused else PROVEN

    def report_came(self, length: int, lost_before: int) -> None:
        """A report of `length` bytes came, and the numbers of `lost_before` ones before it did not."""
        for _ in range(min(lost_before, MOST_AT_ONCE)):
            self._weigh(max(round(self._mean_report), 1), False)
        self._mean_report += (length - self._mean_report) / 16
        self._weigh(length, True)

    def exchanged(self, length: int, lost: int) -> None:
        """A command and its answer, of `length` bytes together, came through when it was lost `lost` times."""
        for _ in range(lost):
            self._weigh(length, False)
        self._weigh(length, True)

    def _weigh(self, length: int, came: bool) -> None:
        self._recent.append((length, came))
        self._doubted += 1
        self._odds += odds_came(length) if came else odds_lost(length)
        if self._odds <= self._may_sink_to:
            # Proven: from now on what was good long ago does not excuse what is bad now.
            self._may_sink_to = self._odds = 0.0
            self._refused = False
            self._doubted = 0
        elif self._odds >= REFUSED:
            self._refused = True
            self._odds = 0.0
            self._may_sink_to = GOOD_AGAIN
            # What came before it went bad is not why it is refused, and would make the figures look good.
            while len(self._recent) > self._doubted:
                self._recent.popleft()
