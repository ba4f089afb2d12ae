"""The state of a table and its round, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from controller.bench_page.rule_words import RuleWords, rule_words
from controller.bench_page.said import Said
from controller.games.outside import game_named
from controller.service.event_lines import words_of
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING, Phase
from controller.table.table import Table
from feed import events
from feed.events import Event
from feed.reasons import meaning_of
from hal.plain_text import plain

VERDICTS: Final = (events.Outcome, events.Void, events.Unresolved)
MOST_DETAIL: Final = 400
SOON_NS: Final = 120_000_000_000
"""A deadline that is further away is not shown (ours)."""

_PHASES: Final[dict[Phase, str]] = {
    OPEN: "open",
    RUNNING: "running",
    RUNNING_OUT: "running_out",
    SETTLING: "settling",
}
_HEADLINES: Final[dict[Phase, str]] = {RUNNING: "in_play", RUNNING_OUT: "running_out", SETTLING: "settling"}


class VerdictShown(msgspec.Struct, frozen=True):
    """The last verdict and its reason."""

    kind: str
    """`outcome`, `void` or `unresolved`."""
    round: int
    t_ns: int
    words: str
    reason: str
    """A code; empty of an outcome."""
    meaning: str
    to_do: str
    detail: str
    rule: str
    rule_words: tuple[RuleWords, ...]


class FaultShown(msgspec.Struct, frozen=True):
    """A fault that is latched."""

    device: str
    fault: str
    detail: str
    blocks_play: bool
    causes: tuple[str, ...]
    """What keeps it from being cleared."""
    meaning: str
    to_do: str


class Situation(msgspec.Struct, frozen=True):
    """The state of the table."""

    state: str
    phase: str
    round: int
    headline: str
    """In a word of the page: `place_bets`."""
    why: tuple[Said, ...]
    verdict: VerdictShown | None
    faults: tuple[FaultShown, ...]


class VerdictWatch:
    """Keeps the last verdict of the events that pass."""

    def __init__(self, game: str, origin_ns: int = 0) -> None:
        self._game = game
        self._origin_ns = origin_ns
        self.last: VerdictShown | None = None

    def take(self, published: Iterable[Event]) -> None:
        """Takes events in their order."""
        for event in published:
            if isinstance(event.data, VERDICTS):
                self.last = verdict_shown(event, self._game, self._origin_ns)


def verdict_shown(event: Event, game: str, origin_ns: int) -> VerdictShown:
    """A verdict in words; the event is an outcome, a void or an unresolved one."""
    data = event.data
    if not isinstance(data, VERDICTS):
        raise TypeError(f"{type(data).__name__} is not a verdict")
    kind = type(data).kind.removeprefix("round.")
    reason = "" if isinstance(data, events.Outcome) else data.reason
    rule = (data.unproven_rule or data.rule) if isinstance(data, events.Unresolved) else data.rule
    meaning, to_do = _meaning(reason, kind, game) if reason else ("", "")
    return VerdictShown(
        kind=kind,
        round=data.round,
        t_ns=data.mono_ns - origin_ns,
        words=words_of(event),
        reason=reason,
        meaning=meaning,
        to_do=to_do,
        detail=plain(data.evidence.detail or "")[:MOST_DETAIL],
        rule=rule,
        rule_words=rule_words(rule, game),
    )


def situation_of(table: Table, verdict: VerdictShown | None, t_ns: int) -> Situation:
    """The state of a table at `t_ns`."""
    rounds = table.rounds
    faults = tuple(_fault(table, fault.device, fault.fault, fault.detail, fault.blocks_play)
                   for fault in table.faults.standing)  # fmt: skip
    return Situation(
        state=str(table.state),
        phase=rounds.phase.value,
        round=rounds.number,
        headline=_headline(table),
        why=tuple(_why(table, verdict, t_ns)),
        verdict=verdict,
        faults=faults,
    )


def _meaning(code: str, event: str, game: str) -> tuple[str, str]:
    """What a code means, and what to do: in the words of the game, where it has words of its own for it."""
    spec = game_named(game)
    own = None if spec is None else spec.reasons.get(code)
    return meaning_of(code, event, game) if own is None else own


def is_machine(table: Table) -> bool:
    """Whether it is a machine, which has an attendant and no dealer."""
    spec = game_named(table.identity.game)
    return spec is not None and spec.machine


def _headline(table: Table) -> str:
    rounds = table.rounds
    if table.state != "open":
        return str(table.state)
    if rounds.phase is OPEN:
        return "insert_token" if is_machine(table) else "place_bets" if rounds.called_ns is None else "no_more_bets"
    return _HEADLINES.get(rounds.phase, "shut")


def _why(table: Table, verdict: VerdictShown | None, t_ns: int) -> Iterable[Said]:
    rounds = table.rounds
    if table.state == "shut":
        for fault in table.faults.blocking:
            yield Said("why.shut", {"device": fault.device, "fault": fault.fault})
        return
    if table.state != "open":
        yield Said("why.person_opens")
        return
    # A machine has no bets, and nobody calls: a token begins its play.
    machine = is_machine(table)
    kind = "play" if machine else "round"
    phase = _PHASES.get(rounds.phase)
    if phase is not None:
        yield Said(f"why.{kind}.{phase}", {"n": rounds.number})
    if rounds.phase in (OPEN, RUNNING) and not machine:
        by = "button" if rounds.context.call_by == "button" else "controller"
        yield Said(f"why.call_awaited.{by}" if rounds.called_ns is None else "why.called")
    if rounds.phase is SETTLING and not machine:
        yield Said("why.settled_by.button" if rounds.context.settle_by_button else "why.settled_by.itself")
    if rounds.uncalled is not None:
        yield Said(f"why.{kind}.uncalled", {"n": rounds.uncalled})
    if rounds.phase is RUNNING_OUT and verdict is not None:
        yield Said("why.opens_when_quiet")
    due_ns = rounds.next_due_ns
    if t_ns < due_ns < t_ns + SOON_NS:
        yield Said(f"why.{kind}.deadline", {"s": f"{(due_ns - t_ns) / 1e9:.0f}"})


def _fault(table: Table, device: str, fault: str, detail: str, blocks_play: bool) -> FaultShown:
    meaning, to_do = _meaning(fault, "fault", table.identity.game)
    return FaultShown(
        device=device,
        fault=fault,
        detail=plain(detail)[:MOST_DETAIL],
        blocks_play=blocks_play,
        causes=table.faults.causes(device, fault),
        meaning=meaning,
        to_do=to_do,
    )
