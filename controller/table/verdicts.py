"""The verdicts of one table's rounds: how each is reported, and the last ones, which people can call or correct."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from controller.rules.cited import OURS
from controller.table.recent import RecentRounds, Ruling
from controller.table.report import Report
from controller.table.terms import DEALER_CALL, SERVICE_STOPPED, Terms
from feed import events
from feed.events import Evidence, Verdict, WinningBet


class Verdicts:
    """Reports verdicts, each with the rule that it applies and what is called for it, and remembers the last ones."""

    def __init__(self, report: Report, terms: Terms, result_words: Callable[[Mapping[str, Any]], str]) -> None:
        """`result_words` gives a result of the game in a few words."""
        self.recent = RecentRounds()
        self._report = report
        self._reasons = terms.reasons
        self._rule = terms.rule
        by_hand = terms.reasons.get(DEALER_CALL)
        self._void_call = terms.void_call or (by_hand.call.value if by_hand is not None and by_hand.call else "No spin")
        self._result_words = result_words

    @property
    def void_reasons(self) -> list[str]:
        """The reasons for which a person may call a round void: those that a person can know, with words to call."""
        return [reason for reason, known in self._reasons.items() if known.call is not None and not known.found_only]

    @property
    def is_unresolved(self) -> bool:
        """Whether the round has its verdict, and that is unresolved."""
        last = self.recent.last
        return last is not None and last.round == self._report.round and last.stands.verdict == "unresolved"

    def words(self, verdict: Verdict) -> str:
        """A verdict in a few words: the result, or what it is and why."""
        return f"{verdict.verdict} {verdict.reason}" if verdict.result is None else self._result_words(verdict.result)

    def outcome(
        self,
        t_ns: int,
        result: dict[str, Any],
        winning: list[WinningBet],
        evidence: Evidence,
        notices: list[str],
        rule: str = "",
    ) -> Verdict:
        """The run is proven and its result is read. `rule` is what it cites instead of the rule of the terms."""
        self._report.event(
            events.Outcome,
            t_ns,
            result=result,
            winning=winning,
            evidence=evidence,
            rule=rule or self._rule,
            notices=notices,
        )
        return self._reached(Verdict(verdict="outcome", result=result))

    def void(self, t_ns: int, reason: str, evidence: Evidence, *, ours: bool = False) -> Verdict:
        """The round has no result. `ours` is whether the house refuses more than the rule of this reason does."""
        # The rules have no words for the end of the service: the call is that for any round without a result.
        known = self._reasons.get(DEALER_CALL if reason == SERVICE_STOPPED else reason)
        call = self._void_call if known is None or known.call is None else known.call.value
        rule = OURS if ours or known is None else known.rule
        remove_ball = known is not None and known.remove_ball
        self._report.event(
            events.Void, t_ns, call=call, reason=reason, rule=rule, evidence=evidence, remove_ball=remove_ball
        )
        return self._reached(Verdict(verdict="void", reason=reason))

    def unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> Verdict:
        """There may have been a result, one of the candidates, but it is not proven: the dealer calls it."""
        known = self._reasons.get(reason)
        # No text leaves a round to the dealer. What it says of a run that is proven is only what could not be proven.
        unproven = "" if known is None or known.rule == OURS else known.rule
        self._report.event(
            events.Unresolved,
            t_ns,
            reason=reason,
            rule=OURS,
            unproven_rule=unproven,
            evidence=evidence,
            candidates=candidates,
        )
        return self._reached(Verdict(verdict="unresolved", reason=reason), tuple(candidates))

    def _reached(self, verdict: Verdict, candidates: tuple[dict[str, Any], ...] = ()) -> Verdict:
        self.recent.stands(Ruling(self._report.round, verdict, candidates))
        return verdict
