"""What the rounds of a game say: their events, and how a verdict is said with the rule and the dealer's words.

Each verdict that is said stands among the last rounds, where a person can call or correct it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from controller.rules.cited import Reason
from controller.table.faults import CauseGone, Fault
from controller.table.recent import RecentRounds, Ruling
from feed import events
from feed.events import Data, Evidence, Verdict


class Seat(NamedTuple):
    """What a game knows of its table."""

    table: str
    game: str
    simulated: bool
    call_by: str
    """`button` or `auto`."""
    settle_by_button: bool
    time_of: Callable[[int], str]
    """The calendar at an instant: RFC 3339, as events have it."""


class Voice:
    """What one game says, in order, until it is taken."""

    our_call: str = "No spin"
    """What the dealer calls where the rules have no words for a void round."""

    def __init__(self, seat: Seat, reasons: Mapping[str, Reason]) -> None:
        self.seat = seat
        self.round = 0
        self.recent = RecentRounds()
        self.said: list[Data | Fault | CauseGone] = []
        self._reasons = reasons

    @property
    def void_reasons(self) -> list[str]:
        """The reasons for which a person may call a round void: those that they can know, with words to say."""
        return [reason for reason, known in self._reasons.items() if known.call is not None and not known.found_only]

    def say(self, kind: type[Data], t_ns: int, **fields: Any) -> None:
        """Says an event of this round."""
        self.said.append(
            kind(
                **{
                    "table": self.seat.table,
                    "game": self.seat.game,
                    "simulated": self.seat.simulated,
                    "mono_ns": t_ns,
                    "round": self.round,
                    **fields,
                }
            )
        )

    def violation(self, t_ns: int, reason: str, rule: str, detail: str = "") -> None:
        """A person did something against the procedure."""
        self.say(events.ProcedureViolation, t_ns, reason=reason, rule=rule, detail=detail)

    def _say_void(self, t_ns: int, reason: str, evidence: Evidence) -> None:
        self.recent.stands(Ruling(self.round, Verdict(verdict="void", reason=reason)))
        known = self._reasons.get(reason)
        call = self.our_call if known is None or known.call is None else known.call.value
        rule = "ours" if known is None else known.rule
        remove_ball = known is not None and known.remove_ball
        self.say(events.Void, t_ns, call=call, reason=reason, rule=rule, evidence=evidence, remove_ball=remove_ball)

    def _say_unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        self.recent.stands(Ruling(self.round, Verdict(verdict="unresolved", reason=reason), tuple(candidates)))
        known = self._reasons.get(reason)
        rule = "ours" if known is None else known.rule
        self.say(events.Unresolved, t_ns, reason=reason, rule=rule, evidence=evidence, candidates=candidates)
