"""What a board shows of one table: a pure function of the table's state, which folds its events.

    events ──► TableState (feed) ──► BoardView ──► page

The view has what spectators may read and nothing else, so that a page only draws it. It is made again for each event: a
correction changes the history, the statistics and the roads because they are computed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

from feed.events import Event, RoundOpened, RoundProgress, RoundStarted
from feed.game_view import GameView
from feed.state import BETS_CLOSED, BETS_OPEN, CLOSED, RUNNING, SHUT, UNRESOLVED, VOID, RoundRecord, TableState
from feed.statistics import PastOutcome
from scoreboard.game_details import details_of

LAST: Final = 20
"""How many of its last outcomes a board shows."""

HOUSE: Final = "ours"
"""The rule of a notice by which the house states what is its own."""

Status: TypeAlias = Literal[
    "waiting",
    "closed",
    "halted",
    "fault",
    "test",
    "door",
    "place_bets",
    "no_more_bets",
    "result",
    "void",
    "unresolved",
    "corrected",
]


class FaultOnBoard(msgspec.Struct, frozen=True):
    """A fault that keeps the table shut."""

    device: str
    fault: str


class ShownVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """A verdict as a board shows it."""

    verdict: str
    result: dict[str, Any] | None = None
    reason: str = ""


class CorrectionShown(msgspec.Struct, frozen=True):
    """A verdict that a person changed after it was published."""

    round: int
    before: ShownVerdict
    after: ShownVerdict


class LastOutcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """One outcome, as it is now."""

    round: int
    result: dict[str, Any]
    corrected: bool = False


class Motion(msgspec.Struct, frozen=True, omit_defaults=True):
    """What moves now: live measurements of the round that runs."""

    round: int
    direction: str = ""
    revolutions: float | None = None
    rpm: float | None = None
    lap_s: float | None = None
    tumble: str = ""
    inversions: int | None = None
    shakes: int | None = None
    keyed: list[int] | None = None
    dice: list[int] | None = None
    player_cards: list[str] | None = None
    banker_cards: list[str] | None = None
    next_card: str = ""
    cards: list[str] | None = None
    spread: int | None = None
    announce: str = ""
    dealer_cards: list[str] | None = None
    cards_dealt: int | None = None


class BoardView(msgspec.Struct, frozen=True, omit_defaults=True):
    """One table as a board shows it."""

    table: str
    game: str
    simulated: bool
    status: Status
    house_rules: bool = False
    """Played by the house's own rules."""
    venue: str = ""
    """Where the hall shows those of several venues."""
    service: str = ""
    """The service that has this table, where another one has a table of the same id."""
    epoch: str = ""
    sequence: int = 0
    """Of the last event in it."""
    round: int = 0
    moving: bool = False
    """The wheel turns, the dice are tumbled or thrown, the cards are dealt."""
    labels: dict[str, str] = {}
    """The table's name by language, the table's own first."""
    limits: list[dict[str, Any]] = []
    limits_unit: str = ""
    house: list[str] = []
    """What of its play the table states to be the house's own: no text of the State gives it."""
    call: str = ""
    """What the dealer calls in a void round, as the feed has it."""
    reason: str = ""
    """Why a round is void or unresolved, or the table closed: a code."""
    candidates: list[dict[str, Any]] = []
    """The results that are possible where the dealer is to call."""
    faults: list[FaultOnBoard] = []
    """Those that keep the table shut."""
    correction: CorrectionShown | None = None
    """The last correction, until another round has a verdict."""
    current: LastOutcome | None = None
    """The outcome of this round: the only number that is new."""
    winning: list[list[str]] = []
    """The bets that win in this round, and their odds."""
    outcomes: list[LastOutcome] = []
    """The last twenty, newest first."""
    counted: int = 0
    """Over how many outcomes `statistics` counts."""
    statistics: dict[str, list[tuple[int | str, int]]] = {}
    """How often each value of a field came."""
    direction: str = ""
    """Of the last spin that has a verdict."""
    minimum: float | None = None
    """Complete revolutions, inversions or shakes that a valid run needs, as the last verdict had it."""
    view: GameView | None = None
    """How a game is shown that the page does not know."""
    details: dict[str, Any] = {}
    """What this game shows beside: see `scoreboard.game_details`."""
    motion: Motion | None = None


class Live:
    """What a board knows of a table beside its durable events: the measurements of the round that runs."""

    def __init__(self) -> None:
        self.motion: Motion | None = None
        self.halted = False
        """The service runs, and its journal failed."""

    def event(self, event: Event) -> None:
        """Takes one event, durable or not."""
        match event.data:
            case RoundOpened():
                self.motion = None
            case RoundStarted(round=number, direction=direction, tumble=tumble):
                self.motion = Motion(round=number, direction=direction or "", tumble=tumble or "")
            case RoundProgress() as data:
                before = self.motion if self.motion is not None and self.motion.round == data.round else None
                self.motion = Motion(
                    round=data.round,
                    direction="" if before is None else before.direction,
                    revolutions=data.revolutions,
                    rpm=data.rpm,
                    lap_s=data.lap_s,
                    tumble=data.tumble or ("" if before is None else before.tumble),
                    inversions=data.inversions,
                    shakes=data.shakes,
                    keyed=data.keyed,
                    dice=data.dice or (None if before is None else before.dice),
                    player_cards=data.player_cards,
                    banker_cards=data.banker_cards,
                    next_card=data.next_card or "",
                    cards=data.cards,
                    spread=data.spread,
                    announce=data.announce or "",
                    dealer_cards=data.dealer_cards,
                    cards_dealt=data.cards_dealt,
                )


def view_of(state: TableState, live: Live) -> BoardView:
    """The board of a table."""
    status = _status(state, live)
    record = state.record(state.round)
    # Where the table is shut or closed no number is new.
    standing = record is not None and status in ("result", "corrected")
    current = _shown(record.outcome) if record is not None and standing and record.outcome is not None else None
    outcomes = state.history.outcomes[-LAST:]
    doubtful = status in ("void", "unresolved", "corrected") and record is not None
    latest = state.rounds[-1] if state.rounds else None
    return BoardView(
        table=state.table,
        game=state.game,
        simulated=state.simulated,
        house_rules=state.house_rules,
        status=status,
        epoch=state.epoch,
        sequence=state.last,
        round=state.round,
        moving=state.phase == RUNNING and status in ("place_bets", "no_more_bets"),
        labels={label.language: label.name for label in state.labels},
        limits=[msgspec.to_builtins(limit) for limit in state.limits],
        limits_unit=state.limits_unit,
        house=[notice.words for notice in state.notices if notice.rule == HOUSE],
        call=record.call if record is not None and status == "void" else "",
        reason=(record.stands.reason or "") if record is not None and doubtful else "",
        candidates=list(record.candidates) if record is not None and status == "unresolved" else [],
        faults=[FaultOnBoard(fault.device, fault.fault) for fault in state.faults if fault.blocks_play],
        correction=_correction(state),
        current=current,
        winning=[] if record is None or current is None else _winning(record),
        outcomes=[_shown(outcome) for outcome in reversed(outcomes)],
        counted=state.history.statistics.outcomes,
        statistics={
            field.field: [(count.value, count.count) for count in field.counts]
            for field in state.history.statistics.fields
        },
        direction=_direction(latest),
        minimum=_minimum(state.rounds),
        view=state.view,
        details=details_of(state),
        motion=live.motion if live.motion is not None and live.motion.round == state.round else None,
    )


def _status(state: TableState, live: Live) -> Status:
    """The one thing that a spectator has to know now; the first that applies."""
    if live.halted:
        return "halted"
    if state.state == CLOSED:
        return "closed"
    if state.state == SHUT:
        return "fault"
    if state.machine is not None and state.machine.testing:
        return "test"
    if state.machine is not None and state.machine.door_open:
        return "door"
    record = state.record(state.round)
    if record is not None and any(not correction.confirmed for correction in record.corrections):
        return "corrected"
    match state.phase:
        case phase if phase == BETS_OPEN:
            return "place_bets"
        case phase if phase == RUNNING:
            return "no_more_bets" if state.bets_closed else "place_bets"
        case phase if phase == BETS_CLOSED:
            return "no_more_bets"
        case phase if phase == VOID:
            return "void"
        case phase if phase == UNRESOLVED:
            return "unresolved"
        case "":
            return "waiting"
    if record is None:
        return "waiting"
    # Settled or being settled: by the verdict in force, which a dealer may have called.
    return {"outcome": "result", "void": "void", "unresolved": "unresolved"}[record.stands.verdict]  # type: ignore[return-value]


def _correction(state: TableState) -> CorrectionShown | None:
    """The last correction, as long as no later round has a verdict."""
    found: CorrectionShown | None = None
    newest = 0
    for record in state.rounds:
        for at, correction in enumerate(record.corrections):
            if correction.confirmed or correction.sequence < newest:
                continue
            newest = correction.sequence
            before = record.corrections[at - 1].to if at else None
            found = CorrectionShown(
                round=record.round,
                before=_verdict(record.verdict, record.result, record.reason)
                if before is None
                else _verdict(before.verdict, before.result, before.reason),
                after=_verdict(correction.to.verdict, correction.to.result, correction.to.reason),
            )
    return found if not state.rounds or newest > state.rounds[-1].sequence else None


def _verdict(verdict: str, result: Mapping[str, Any] | None, reason: str | None) -> ShownVerdict:
    return ShownVerdict(verdict, None if result is None else dict(result), reason or "")


def _shown(outcome: PastOutcome) -> LastOutcome:
    return LastOutcome(round=outcome.round, result=outcome.result, corrected=outcome.corrected)


def _winning(record: RoundRecord) -> list[list[str]]:
    bets = record.corrections[-1].winning if record.corrections else record.winning
    return [[bet.bet, bet.odds] for bet in bets]


def _direction(record: RoundRecord | None) -> str:
    evidence = None if record is None else record.evidence
    return "" if evidence is None else evidence.direction or ""


def _minimum(records: Sequence[RoundRecord]) -> float | None:
    for record in reversed(records):
        evidence = record.evidence
        if evidence is None:
            continue
        if evidence.minimum_revolutions is not None:
            return evidence.minimum_revolutions
        for tumble in evidence.tumbles or ():
            least = tumble.minimum_inversions if tumble.minimum_inversions is not None else tumble.minimum_shakes
            if least is not None:
                return least
    return None
