"""What stands at a table, as values that JSON carries: its state, its faults, its last rounds."""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from feed.events import Evidence, Verdict, WinningBet

CLOSED: Final = "closed"
OPEN: Final = "open"
SHUT: Final = "shut"

NO_ROUND: Final = ""
BETS_OPEN: Final = "open"
BETS_CLOSED: Final = "no_more_bets"
RUNNING: Final = "running"
SETTLING: Final = "settling"
UNRESOLVED: Final = "unresolved"
VOID: Final = "void"
SETTLED: Final = "settled"


class StandingFault(msgspec.Struct, frozen=True, kw_only=True):
    """A fault that nobody has cleared yet."""

    device: str
    fault: str
    detail: str
    blocks_play: bool
    since: str
    """The time of the event that told it first."""


class Correction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A person's word on a round after its verdict. The verdict itself stays as it was said."""

    sequence: int
    by: str
    to: Verdict
    why: str = ""
    confirmed: bool = False
    """The round was unresolved, and a person named the result."""
    winning: list[WinningBet] = []


class RoundRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A round that has its verdict."""

    round: int
    verdict: Literal["outcome", "void", "unresolved"]
    sequence: int
    """Of the event that says the verdict."""
    time: str
    rule: str = ""
    result: dict[str, Any] | None = None
    winning: list[WinningBet] = []
    reason: str = ""
    call: str = ""
    candidates: list[dict[str, Any]] = []
    evidence: Evidence | None = None
    course: dict[str, Any] | None = None
    """Where the game stood before the round's run, where it hangs on earlier rounds."""
    corrections: list[Correction] = []
    """In the order in which they were made: the last one stands."""

    @property
    def corrected(self) -> bool:
        """Whether a person changed the verdict."""
        return bool(self.corrections)

    @property
    def stands(self) -> Verdict:
        """What counts now: the last correction, or else the verdict."""
        if self.corrections:
            return self.corrections[-1].to
        return Verdict(verdict=self.verdict, result=self.result, reason=self.reason or None)


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table's state after the event `last`, as JSON carries it."""

    table: str
    epoch: str
    last: int
    time: str = ""
    """Of the last event."""
    game: str = ""
    rules: str = ""
    simulated: bool = False
    state: str = CLOSED
    round: int = 0
    phase: str = NO_ROUND
    bets_closed: bool = False
    unfinished_round: int | None = None
    faults: list[StandingFault] = []
    inspections: dict[str, bool] = {}
    course: dict[str, Any] | None = None
    """Where the game stands, as it was said last and if no verdict came since."""
    rounds: list[RoundRecord] = []
    """The last ones with a verdict, oldest first."""
