"""The state of a table, as a fold of its durable events in order, and its snapshot as JSON carries it.

The journal folds its events at the start, the history server sends the state as a snapshot, and a subscriber continues
from there. An event of an unknown type is counted and changes nothing else. Events before the first one applied may be
missing: their effect is then unknown, not wrong.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from . import events
from .codes import Code, Phase, State
from .events import (
    Event,
    Evidence,
    StakeLimit,
    StatisticsKey,
    TableLabel,
    TableNotice,
    Verdict,
    WearHistory,
    WinningBet,
)
from .game_view import GameView
from .results import Result
from .statistics import DEFAULT_HISTORY, OutcomeHistory, PastOutcome, Statistics, statistics_of
from .wire import MAX_ANSWER_FRAME

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

RECENT_ROUNDS: Final = 10
"""How many rounds with a verdict the state keeps."""

MOST_SEALED: Final = 1000
"""How many sealed cards the state keeps, the last ones (ours): a stack has at most twelve decks."""

RESHUFFLE: Final = "reshuffle_due"
"""The fault that is cleared when shuffled cards are in the shoe."""

_PHASE_AFTER: Final = {"outcome": SETTLING, "void": VOID, "unresolved": UNRESOLVED}


class StandingFault(msgspec.Struct, frozen=True, kw_only=True):
    """A fault that is not cleared yet."""

    device: str
    """The device's name in the table's file."""
    fault: Code
    """What is wrong."""
    detail: str
    """In words, what was seen."""
    blocks_play: bool
    """Whether the table is shut until it is cleared."""
    since: str
    """The time of the event that reported it first."""


class Correction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A person's correction of a verdict. The verdict itself is kept."""

    sequence: int
    """Of the event with the correction."""
    epoch: str = ""
    """Of that event; empty where an older version kept the state."""
    by: str
    """The person who corrected it."""
    to: Verdict
    """The verdict that counts from then on."""
    why: str = ""
    """What the person stated."""
    confirmed: bool = False
    """The round was unresolved, and a person named its result."""
    winning: list[WinningBet] = []
    """The bets that win with the corrected result."""


class RoundRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A round with its verdict."""

    round: int
    """The number of the round."""
    verdict: Literal["outcome", "void", "unresolved"]
    """The first verdict; a correction may follow."""
    sequence: int
    """Of the event with the verdict."""
    epoch: str = ""
    """Of that event; empty where an older version kept the state."""
    time: str
    """Of that event."""
    rule: str = ""
    """The rule that it rests on, or `ours`."""
    result: Result | None = None
    """Of an outcome."""
    winning: list[WinningBet] = []
    """The bets that win."""
    reason: Code = ""
    """Why a round is void or unresolved."""
    call: str = ""
    """What the dealer calls in a void round."""
    candidates: list[Result] = []
    """The possible results of an unresolved round."""
    evidence: Evidence | None = None
    """What was measured."""
    course: dict[str, Any] | None = None
    """The state carried into the round, in games whose rounds depend on each other."""
    corrections: list[Correction] = []
    """Oldest first: the last one counts."""

    @property
    def corrected(self) -> bool:
        """Whether a person changed the verdict."""
        return bool(self.corrections)

    @property
    def stands(self) -> Verdict:
        """The verdict that counts: the last correction, or else the first verdict."""
        if self.corrections:
            return self.corrections[-1].to
        return Verdict(verdict=self.verdict, result=self.result, reason=self.reason or None)

    @property
    def outcome(self) -> PastOutcome | None:
        """The outcome that counts; None where the round has none."""
        stands = self.stands
        if stands.verdict != "outcome" or stands.result is None:
            return None
        corrected = any(not correction.confirmed for correction in self.corrections)
        return PastOutcome(round=self.round, time=self.time, result=stands.result, corrected=corrected)


class MachineState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of a machine, after its last significant event."""

    meters: events.Meters
    """Its meters."""
    credits: int
    """Tokens that belong to the player and are neither staked nor given out."""
    carried: dict[str, Any]
    """What the machine needs to go on after a power cut, in its own keys."""
    door_open: bool = False
    """Whether its door is open: play is held."""
    testing: bool = False
    """Whether it is in test mode: no play counts."""
    hand_pay: bool = False
    """Whether an attendant has to pay what belongs to the player: nothing else does."""
    debt: int = 0
    """Tokens that players owe: a correction took them back, and they had left the machine."""

    def after(self, event: events.MachineEvent) -> MachineState:
        """The machine after its next significant event."""
        door_open, testing = self.door_open, self.testing
        hand_pay = (self.hand_pay or event.act == "hand_pay_due") and event.credits > 0
        match event.act:
            case "power_on":
                # A door that is open is reported again, and test mode ends with the power.
                door_open = testing = False
            case "door_opened" | "door_closed":
                door_open = event.act == "door_opened"
            case "test_begun" | "test_ended":
                testing = event.act == "test_begun"
        return MachineState(
            meters=event.meters,
            credits=event.credits,
            carried=event.carried,
            door_open=door_open,
            testing=testing,
            hand_pay=hand_pay,
            debt=event.debt,
        )


class StandingSeal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A card of the stack in the shoe that left it unexposed, and was not opened since."""

    commitment: str
    """As `card.sealed` has it."""
    nonce: str = ""
    """As `card.sealed` has it."""
    place: int | None = None
    """As `card.sealed` has it."""


class StackState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The stack of cards in the shoe, and the orders that a reading shuffler has sealed."""

    batch: int | None = None
    """Which batch of a shuffler was loaded last; null where it was shuffled by hand, or none was loaded."""
    sealed: list[StandingSeal] = []
    """In the order in which they left."""
    orders: dict[str, str] = {}
    """The root of each sealed order that was not opened, by its batch."""
    dealt: str = ""
    """The root of the order that the stack in the shoe had as it was loaded; empty where none was sealed."""


class ProgressivePayment(msgspec.Struct, frozen=True, kw_only=True):
    """The last payment of a progressive wager."""

    hand: str
    """What was paid: `royal_flush`."""
    round: int
    """The round of the hand."""
    paid: dict[str, int]
    """Hundredths of a unit of money, by position, in the order in which they were paid."""


class ProgressiveState(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The progressive wager of a table, as the state that it carries from round to round has it."""

    meter_cents: Annotated[int, Meta(ge=0)]
    """What the meter shows, in hundredths of a unit of money."""
    payment: ProgressivePayment | None = None
    """The last payment; left out where none was recorded."""


def progressive_of(carried: object) -> ProgressiveState | None:
    """The progressive wager in the state that a table carries; None where it has none that this version reads."""
    if not isinstance(carried, Mapping) or "meter_cents" not in carried:
        return None
    try:
        return msgspec.convert(carried, ProgressiveState)
    except msgspec.ValidationError:
        return None


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A table's state after the event `last`."""

    table: str
    """The table's id."""
    epoch: str
    """The epoch of the last event."""
    last: int
    """The number of the last event."""
    time: str = ""
    """Of the last event."""
    game: str = ""
    """What is played."""
    rules: str = ""
    """The rules profile that is played by."""
    simulated: bool = False
    """A bench table. Never to be shown as a real one."""
    house_rules: bool = False
    """Played by the house's own rules: a board shows HOUSE RULES."""
    state: State = CLOSED
    """Whether the table is open; `shut`: opened, and a fault blocks play."""
    round: int = 0
    """The last round opened; 0 before the first."""
    phase: Phase = NO_ROUND
    """Of that round; empty before the first."""
    phase_since: str = ""
    """The time of the event with which that phase began; empty where an older version kept the state."""
    bets_closed: bool = False
    """Whether "No more bets" was called in it."""
    unfinished_round: int | None = None
    """The round that was opened and has no verdict."""
    faults: list[StandingFault] = []
    """Those that are not cleared yet, oldest first."""
    inspections: dict[str, bool] = {}
    """The last inspection of each device: whether it passed."""
    shuffled_after: int | None = None
    """The last round before the cards were shuffled: a shoe's rounds are those after it. Null where none is known."""
    course: dict[str, Any] | None = None
    """The state carried into the next round, as published last; null after a verdict."""
    machine: MachineState | None = None
    """The state of a machine; left out for other tables."""
    stack: StackState | None = None
    """The stack in the shoe; left out for tables that have sealed and loaded no cards."""
    progressive: ProgressiveState | None = None
    """The meter of a progressive wager; left out for tables that have none, and where an older version kept the
    state."""
    wear: WearHistory | None = None
    """The wear of the wheel, as published last; left out for tables without one."""
    wear_game: str = ""
    """The game of that wheel; left out for tables without one, and where an older version kept the state."""
    wear_before: dict[str, WearHistory] = {}
    """By their games, the wear of other wheels that the table had, as published last."""
    rounds: list[RoundRecord] = []
    """The last ones with a verdict, oldest first."""
    labels: list[TableLabel] = []
    """The table's name in each language, the first one the table's own."""
    limits: list[StakeLimit] = []
    """The stakes that the table takes, as posted."""
    limits_unit: str = ""
    """What the limits count: `USD`, `chips`."""
    notices: list[TableNotice] = []
    """Those that must be posted at the table."""
    history: Annotated[int, Meta(ge=1)] | None = None
    """How many outcomes the statistics count, at most; left out where an older version kept the state."""
    outcomes: list[PastOutcome] = []
    """The last outcomes, oldest first, each with the result in force: the last `history` of the table, where it had
    this many, and at most ten older ones, so that a correction leaves no hole."""
    statistics_keys: list[StatisticsKey] = []
    """What the statistics count."""
    statistics: Statistics | None = None
    """How often each value came in the last `history` of `outcomes`."""
    view: GameView | None = None
    """How a board shows a game that it does not know; left out for a game that every board knows."""


def encode_snapshot(snapshot: Snapshot, most_bytes: int = MAX_ANSWER_FRAME) -> bytes:
    """A snapshot as JSON, in one frame of an answer. Of one that is longer the older outcomes are left out, and its
    statistics count those that remain."""
    body = msgspec.json.encode(snapshot)
    while len(body) > most_bytes and snapshot.outcomes:
        kept = snapshot.outcomes[(len(snapshot.outcomes) + 1) // 2 :]
        counted = kept[-(snapshot.history or DEFAULT_HISTORY) :]
        statistics = statistics_of(snapshot.statistics_keys, counted)
        snapshot = msgspec.structs.replace(snapshot, outcomes=kept, statistics=statistics)
        body = msgspec.json.encode(snapshot)
    return body


def decode_snapshot(body: bytes) -> Snapshot:
    """The snapshot of a body.

    Raises:
        ValueError: it is not a snapshot.
    """
    try:
        return msgspec.json.decode(body, type=Snapshot)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"no snapshot: {error}") from error


class TableState:
    """The fold. `apply` takes events in order and ignores those applied already."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.epoch = ""
        self.last = 0
        """The number of the last event applied; 0 before the first."""
        self.time = ""
        self.game = ""
        self.rules = ""
        self.simulated = False
        self.house_rules = False
        self.round = 0
        """The last round opened."""
        self.phase = NO_ROUND
        """Of that round: `open`, `no_more_bets`, `running`, then `settling`, `unresolved` or `void`, then `settled`."""
        self.phase_since = ""
        """The time of the event with which the phase began."""
        self.bets_closed = False
        self.labels: list[TableLabel] = []
        self.limits: list[StakeLimit] = []
        self.limits_unit = ""
        self.notices: list[TableNotice] = []
        self.view: GameView | None = None
        """How a board shows a game that it does not know."""
        self.unfinished_round: int | None = None
        """The round that was opened and has no verdict."""
        self.inspections: dict[str, bool] = {}
        """The last inspection of each device: whether it passed."""
        self.shuffled_after: int | None = None
        """The last round before the cards were shuffled; None where none is known."""
        self.course: dict[str, Any] | None = None
        """The state carried into the next round, as published last; None after a verdict."""
        self.machine: MachineState | None = None
        """The state of a machine; None for other tables."""
        self.stack: StackState | None = None
        """The stack in the shoe; None for tables that have sealed and loaded no cards."""
        self.wear_of: dict[str, WearHistory] = {}
        """By game, the wear of its wheel, as published last; the game of the last one is at the end."""
        self.history = OutcomeHistory()
        """The last outcomes, and how often each value came in them."""
        self._opened = False
        self._faults: dict[tuple[str, str], StandingFault] = {}
        self._rounds: OrderedDict[int, RoundRecord] = OrderedDict()

    @property
    def state(self) -> str:
        """`closed`, `open`, or `shut`: opened, and a fault blocks play."""
        if not self._opened:
            return CLOSED
        return SHUT if any(fault.blocks_play for fault in self.faults) else OPEN

    @property
    def faults(self) -> tuple[StandingFault, ...]:
        """The faults not cleared yet, oldest first."""
        return tuple(self._faults.values())

    @property
    def rounds(self) -> tuple[RoundRecord, ...]:
        """The last rounds with a verdict, oldest first."""
        return tuple(self._rounds.values())

    @property
    def carried(self) -> dict[str, Any] | None:
        """The state carried from round to round, as it is now: after a verdict it is that of the round; None where
        none is known."""
        if self.course is not None:
            return self.course
        record = self._rounds.get(self.round)
        return None if record is None else record.course

    @property
    def progressive(self) -> ProgressiveState | None:
        """The meter of a progressive wager; None for tables that have none."""
        return progressive_of(self.carried)

    def record(self, number: int) -> RoundRecord | None:
        """A round's record; None if the round is too old, or has no verdict."""
        return self._rounds.get(number)

    def apply(self, event: Event) -> None:
        """Applies the next event. Events without a number, and those applied already, change nothing.

        Raises:
            ValueError: the event is another table's.
        """
        if event.data.table != self.table:
            raise ValueError(f"the state of {self.table} was given {event.id}, an event of {event.data.table}")
        if event.seq is None or event.seq <= self.last:
            return
        self.last = event.seq
        self.epoch = event.epoch
        self.time = event.time
        if event.data.game != self.game:
            self.history.clear()
        self.game = event.data.game
        self.simulated = event.data.simulated
        self.house_rules = event.data.house_rules
        before = (self.round, self.phase)
        self._fold(event)
        if (self.round, self.phase) != before:
            self.phase_since = event.time

    def _fold(self, event: Event) -> None:
        data = event.data
        match data:
            case events.TableOpened():
                self._opened = True
                self.rules = data.rules
                self._post(data)
            case events.TableClosed():
                self._opened = False
                posts = data.labels or data.limits or data.notices or data.history is not None
                if data.previous_epoch is not None or posts:
                    self._post(data)
            case events.RoundOpened():
                self.round = self.unfinished_round = data.round
                self.phase, self.bets_closed = BETS_OPEN, False
                self.course = data.course
            case events.CarriedStateChanged():
                self._course(data)
            case events.MachineEvent():
                before = self.machine or MachineState(meters=data.meters, credits=data.credits, carried=data.carried)
                self.machine = before.after(data)
            case events.NoMoreBets():
                self._at(data.round)
                self.bets_closed = True
                if self.phase != RUNNING:
                    self.phase = BETS_CLOSED
            case events.RoundStarted():
                self._at(data.round)
                self.phase = RUNNING
            case events.Outcome() | events.Void() | events.Unresolved():
                self._verdict(event, data)
            case events.Settled():
                if data.round == self.round:
                    self.phase = SETTLED
            case events.RoundCorrected():
                self._correct(event, data)
            case events.DeviceFault():
                self._fault(event, data)
            case events.DeviceCleared():
                self._faults.pop((data.device, data.fault), None)
                if data.fault == RESHUFFLE:
                    self.shuffled_after = self.round if self.unfinished_round is None else self.unfinished_round - 1
            case events.DeviceCondition():
                self.put_wear(data)
            case events.StackLoaded():
                stack = self._stack()
                dealt = stack.orders.get(str(data.batch), "")
                self.stack = StackState(batch=data.batch, orders=stack.orders, dealt=dealt)
            case events.StackSealed():
                self._orders(data.batch, data.root)
            case events.StackOpened():
                self._orders(data.batch, "")
            case events.CardSealed():
                seal = StandingSeal(commitment=data.commitment, nonce=data.nonce, place=data.place)
                self._seals([*self._stack().sealed, seal])
            case events.CardOpened():
                self._seals([one for one in self._stack().sealed if one.commitment != data.commitment])
            case events.InspectionPassed():
                self.inspections[data.device] = True
            case events.InspectionFailed():
                self.inspections[data.device] = False

    def put_wear(self, data: events.DeviceCondition) -> None:
        """The wear of a game's wheel is this."""
        self.wear_of.pop(data.game, None)
        self.wear_of[data.game] = data.history

    def _post(self, data: events.TableOpened | events.TableClosed) -> None:
        self.labels, self.limits, self.limits_unit = data.labels, data.limits, data.limits_unit
        self.notices, self.view = data.notices, data.view
        if data.history is not None:
            self.history.configure(data.history, data.statistics)

    def _at(self, number: int) -> None:
        """A round is running: its opening was applied, or came before the first event applied."""
        if number != self.round:
            self.round, self.bets_closed = number, False
        self.unfinished_round = number

    def _verdict(self, event: Event, data: events.Outcome | events.Void | events.Unresolved) -> None:
        if data.round > self.round:
            self.round, self.bets_closed = data.round, False
        if self.unfinished_round == data.round:
            self.unfinished_round = None
        verdict: dict[str, Any]
        match data:
            case events.Outcome():
                verdict = {"verdict": "outcome", "result": data.result, "winning": data.winning}
            case events.Void():
                verdict = {"verdict": "void", "reason": data.reason, "call": data.call}
            case events.Unresolved():
                verdict = {"verdict": "unresolved", "reason": data.reason, "candidates": data.candidates}
        record = RoundRecord(
            round=data.round,
            sequence=self.last,
            epoch=self.epoch,
            time=event.time,
            rule=data.rule,
            evidence=data.evidence,
            course=self.course,
            **verdict,
        )
        self.course = None
        self._rounds[data.round] = record
        if data.round == self.round:
            self.phase = _PHASE_AFTER[record.verdict]
        while len(self._rounds) > RECENT_ROUNDS:
            self._rounds.popitem(last=False)
        self._count(record)
        self.history.settle(next(iter(self._rounds)))

    def _correct(self, event: Event, data: events.RoundCorrected) -> None:
        record = self._rounds.get(data.round)
        if data.round == self.round and self._is_being_paid(record):
            self.phase = _PHASE_AFTER[data.to.verdict]
        if record is None:
            return
        correction = Correction(
            sequence=self.last,
            epoch=self.epoch,
            by=data.by,
            to=data.to,
            why=data.why,
            confirmed=data.confirmed,
            winning=data.winning,
        )
        corrected = msgspec.structs.replace(record, corrections=[*record.corrections, correction])
        self._rounds[data.round] = corrected
        self._count(corrected)

    def _count(self, record: RoundRecord) -> None:
        """The verdict of a round counts, or what a person put in its place."""
        outcome = record.outcome
        if outcome is None:
            self.history.remove(record.round)
        else:
            self.history.put(outcome)

    def _course(self, data: events.CarriedStateChanged) -> None:
        self.course = data.course
        for number, course in data.before.items():
            record = self._rounds.get(number)
            if record is not None:
                self._rounds[number] = msgspec.structs.replace(record, course=course)

    def _stack(self) -> StackState:
        return StackState() if self.stack is None else self.stack

    def _seals(self, sealed: list[StandingSeal]) -> None:
        self.stack = msgspec.structs.replace(self._stack(), sealed=sealed[-MOST_SEALED:])

    def _orders(self, batch: int, root: str) -> None:
        """A batch has a sealed order with this root, or none any more."""
        others = {key: value for key, value in self._stack().orders.items() if key != str(batch)}
        self.stack = msgspec.structs.replace(self._stack(), orders={**others, str(batch): root} if root else others)

    def _is_being_paid(self, record: RoundRecord | None) -> bool:
        """Whether the last round is not settled yet: its first verdict was not void, whatever it is now."""
        if self.phase == VOID:
            return record is not None and record.verdict != "void"
        return self.phase in (SETTLING, UNRESOLVED)

    def _fault(self, event: Event, data: events.DeviceFault) -> None:
        key = (data.device, data.fault)
        before = self._faults.get(key)
        self._faults[key] = StandingFault(
            device=data.device,
            fault=data.fault,
            detail=data.detail,
            blocks_play=data.blocks_play,
            since=event.time if before is None else before.since,
        )

    # --- as JSON -------------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The state as a value."""
        wear_before = dict(self.wear_of)
        wear_game, wear = wear_before.popitem() if wear_before else ("", None)
        return Snapshot(
            table=self.table,
            epoch=self.epoch,
            last=self.last,
            time=self.time,
            game=self.game,
            rules=self.rules,
            simulated=self.simulated,
            house_rules=self.house_rules,
            state=self.state,
            round=self.round,
            phase=self.phase,
            phase_since=self.phase_since,
            bets_closed=self.bets_closed,
            unfinished_round=self.unfinished_round,
            faults=list(self.faults),
            inspections=dict(self.inspections),
            shuffled_after=self.shuffled_after,
            course=self.course,
            machine=self.machine,
            stack=self.stack,
            wear=wear,
            wear_game=wear_game,
            wear_before=wear_before,
            progressive=self.progressive,
            rounds=list(self.rounds),
            labels=self.labels,
            limits=self.limits,
            limits_unit=self.limits_unit,
            notices=self.notices,
            view=self.view,
            history=self.history.limit,
            outcomes=list(self.history.outcomes),
            statistics_keys=list(self.history.keys),
            statistics=self.history.statistics,
        )

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> TableState:
        """The state of a snapshot, to which events after its `last` can be applied."""
        state = cls(snapshot.table)
        state.epoch = snapshot.epoch
        state.last = snapshot.last
        state.time = snapshot.time
        state.game = snapshot.game
        state.rules = snapshot.rules
        state.simulated = snapshot.simulated
        state.house_rules = snapshot.house_rules
        state.round = snapshot.round
        state.phase = snapshot.phase
        state.phase_since = snapshot.phase_since
        state.labels, state.limits, state.limits_unit = snapshot.labels, snapshot.limits, snapshot.limits_unit
        state.notices, state.view = snapshot.notices, snapshot.view
        state.bets_closed = snapshot.bets_closed
        state.unfinished_round = snapshot.unfinished_round
        state.inspections = dict(snapshot.inspections)
        state.shuffled_after = snapshot.shuffled_after
        state.course = snapshot.course
        state.machine = snapshot.machine
        state.stack = snapshot.stack
        state.wear_of = dict(snapshot.wear_before)
        if snapshot.wear is not None:
            state.wear_of[snapshot.wear_game or snapshot.game] = snapshot.wear
        state.history.configure(snapshot.history or DEFAULT_HISTORY, snapshot.statistics_keys)
        state.history.restore(snapshot.outcomes)
        state._opened = snapshot.state != CLOSED
        state._faults = {(fault.device, fault.fault): fault for fault in snapshot.faults}
        state._rounds = OrderedDict((record.round, record) for record in snapshot.rounds)
        return state
