"""When "No more bets" was called and bets were settled, beside what happened in the round, by its events.

    call ──── margin ────► fall of the ball, or start of wheel, dice, deal ──── settling ────► settled
                           call ─┐
                    ◄─ margin ───┘   a call that came late: a bet could be made on a known result

Only what a person presses is timed: a call or a settlement that the controller makes tells nothing of a dealer. The
ball's fall is when it was known to have left the track, and the start of play is when it was detected, or that by which
the round itself judged a late call.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from .data import Data, Evidence, NoMoreBets, Outcome, ProcedureViolation, RoundStarted, Settled, Unresolved, Void

CALLED_AFTER_VOID: Final = "called_after_void"
"""What a call is that comes when the round is void for want of it."""
LATE_WAGER: Final = "wager_after_no_more_bets"
"""What a sensor of wagers reports of one after the call."""
NOTHING: Final = Evidence()


def is_measured(evidence: Evidence) -> bool:
    """Whether evidence has anything measured, and not words and a capture alone."""
    return replace(evidence, detail="", capture=None) != NOTHING


class CallTimes(NamedTuple):
    """The times of one round; None where no person pressed, or there is nothing to time it by."""

    margin_s: float | None = None
    """From the call to the fall of the ball, or the start of play: negative where the call was late."""
    settling_s: float | None = None
    """From there until a person settled the bets."""
    late: bool = False
    """Whether the call was late, or never came, as the round judged it where it did."""
    late_wagers: int = 0
    """Wagers that a sensor detected after the call."""


@dataclass(slots=True)
class _Marks:
    called_ns: int | None = None
    began_ns: int | None = None
    started_ns: int | None = None
    """Since when play was on that began before the call, as the round judged it."""
    fell_ns: int | None = None
    settled_ns: int | None = None
    over: bool = False
    """Whether its bets are settled, by a person or by the controller."""
    shown: bool = True
    """Whether its evidence has anything measured: of a round that the service or a fault ended it may have nothing."""
    judged: str | None = None
    """What the round's evidence states of the call."""
    late_wagers: int = 0

    def times(self, *, ball: bool) -> CallTimes:
        began_ns = None if ball or not self.shown else self.began_ns
        judged_ns = self.fell_ns if self.started_ns is None else self.started_ns
        closes_ns = began_ns if judged_ns is None else judged_ns
        margin_s = _s(self.called_ns, closes_ns)
        if self.judged is None:
            late = margin_s is not None and margin_s < 0
        else:
            # Of a spin that ended before its ball fell "never" judges nothing.
            late = self.judged == "late" or (self.judged == "never" and judged_ns is not None)
        return CallTimes(margin_s, _s(closes_ns, self.settled_ns), late, self.late_wagers)


def _s(from_ns: int | None, to_ns: int | None) -> float | None:
    return None if from_ns is None or to_ns is None else (to_ns - from_ns) / 1e9


class Calls:
    """Follows the rounds of a table."""

    def __init__(self) -> None:
        self._rounds: dict[int, _Marks] = {}
        self._ball = False
        """Whether the table has a ball, by the evidence of any round: its bets close while that runs, and not before
        (13:47-20.32). The start of a spin times nothing, nor does it in a spin that shows no ball."""

    def see(self, data: Data) -> None:
        """Takes an event. Rounds are of one start of the service: their clock is."""
        number = getattr(data, "round", None)
        if number is None:
            return
        marks = self._rounds.setdefault(number, _Marks())
        match data:
            case NoMoreBets(by="dealer") if marks.called_ns is None:
                marks.called_ns = data.mono_ns
            case RoundStarted() if marks.began_ns is None:
                marks.began_ns = data.mono_ns
            case Outcome() | Void() | Unresolved():
                evidence = data.evidence
                marks.fell_ns, marks.judged = evidence.left_track_ns, evidence.no_more_bets
                marks.started_ns = evidence.began_ns
                self._ball |= evidence.passes is not None or evidence.measured_by is not None
                marks.shown = isinstance(data, Outcome) or is_measured(evidence)
            case Settled(by=by):
                marks.over = True
                if by != "auto":
                    marks.settled_ns = data.mono_ns
            case ProcedureViolation(reason=reason) if reason == CALLED_AFTER_VOID:
                marks.called_ns = data.mono_ns
            case ProcedureViolation(reason=reason) if reason == LATE_WAGER:
                marks.late_wagers += 1

    def restarted(self) -> None:
        """The service was started again, and with it the clock: a round that was on has no times."""
        if self._rounds:
            number = max(self._rounds)
            if not self._rounds[number].over:
                self._rounds[number] = _Marks(late_wagers=self._rounds[number].late_wagers)

    def of(self, number: int) -> CallTimes:
        """The times of a round."""
        marks = self._rounds.get(number)
        return CallTimes() if marks is None else marks.times(ball=self._ball)


class CallLine(msgspec.Struct, frozen=True):
    """The times of many rounds."""

    called: int
    """Rounds with a margin."""
    margin_s: float | None
    """The median."""
    least_s: float | None
    late: int
    """Rounds in which the call was late."""
    settling_s: float | None
    """The median."""
    longest_s: float | None
    late_wagers: int


def call_line(rounds: Iterable[CallTimes]) -> CallLine | None:
    """What the times of these rounds come to; None where nothing was timed."""
    of = list(rounds)
    margins = [one.margin_s for one in of if one.margin_s is not None]
    settling = [one.settling_s for one in of if one.settling_s is not None]
    wagers = sum(one.late_wagers for one in of)
    if not margins and not settling and not wagers:
        return None
    return CallLine(
        len(margins),
        median(margins) if margins else None,
        min(margins, default=None),
        sum(one.late for one in of),
        median(settling) if settling else None,
        max(settling, default=None),
        wagers,
    )
