"""Rounds of cage and chute: beat the dealer, chuck-a-luck, under/over (13:47-20.21, 20.24, 20.33).

    bets open ── "No more bets" ──► tumble ──► dice lie ──► values ──► outcome
                                      ▲                       │
                                      └── the player's, at ───┘
                                          beat the dealer

Each tumble is judged when its dice lie: too few inversions or a baffle missed void the round, and what is not proven is
left to the dealer. Values count only of dice that are known to lie and were not moved since. The text has no number of
inversions, no rule for a die that does not lie flat and none for a jam: what is done then is ours.

Where a motor turns the cage, it does from the call until the least inversions are proven; whatever ends a round stops
it first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

from controller.games.dice.game import DiceGame
from controller.games.dice.rules import Dice
from controller.games.dice.values import LYING, DiceValues, Doubted, Read
from controller.games.tumbled.bets import TumbledBets
from controller.table.faults import CauseGone, Fault
from controller.table.game import GameContext
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING
from controller.table.wording import times
from drivers.base.driver import NEVER_NS, Observation
from drivers.dice.cage_motor import (
    MOTOR,
    SLIPS,
    TURNS_STILL,
    CageMotorActuator,
    MotorFailed,
    MotorReady,
    MotorStands,
)
from drivers.dice.observations import (
    CageInverted,
    CageRested,
    ChuteCleared,
    ChuteJammed,
    ChutePassed,
    ChuteRested,
    DiceEntered,
    DiceMoving,
    DiceRead,
    DiceRestless,
    DiceStirred,
    TumbleStarted,
)
from feed import events
from feed.data import Tumbling
from feed.events import Evidence, WinningBet


class TumbledOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of rounds of cage and chute under `[game]`."""

    settle_after_s: Annotated[
        float,
        Meta(
            ge=0,
            le=600,
            description="without a settle button, a round settles so long after its outcome (ours); an unresolved one "
            "waits for a person",
        ),
    ] = 3.0
    values_wait_s: Annotated[
        float,
        Meta(
            ge=1,
            le=600,
            description="with keypad and reading board, so long the one is awaited once the other has reported (ours)",
        ),
    ] = 20.0


# --- whether a run was a tumble ---------------------------------------------------------------------------------------

RunOver: TypeAlias = CageRested | ChuteRested

MISSED: Final = "baffles_missed"
"""The one doubt of a chute that is a refusal: a die is known not to have passed a baffle."""


class Refusal(NamedTuple):
    """Why a run gives no result."""

    reason: str
    detail: str
    void: bool
    """Whether it is known that it was no tumble; else it is only not proven that it was one."""


def refusal_of(run: RunOver) -> Refusal | None:
    """Why a run that is over gives no result; None where it was a tumble beyond doubt."""
    if run.tumbled:
        return None
    if run.joined:
        return Refusal("joined_mid_tumble", "the tumbler was moving when the table opened", void=False)
    if run.doubt is not None:
        return Refusal(run.doubt, run.detail, void=run.doubt == MISSED)
    if isinstance(run, ChuteRested):
        return Refusal(MISSED, "no die passed a baffle", void=True)
    detail = f"inverted {times(run.inversions)}, at least {run.required} are needed"
    return Refusal("too_few_inversions", detail, void=True)


def jam_of(seen: ChuteJammed | ChuteCleared) -> Fault | CauseGone:
    """A beam that stays broken shuts the table, and nothing that fell is a result; it is cleared once it is free."""
    beam = f"chute_{seen.baffle}"
    if isinstance(seen, ChuteCleared):
        return CauseGone(seen.t_ns, beam)
    detail = f"{beam} has been broken for {(seen.t_ns - seen.since_ns) / 1e9:g} s: a die is stuck, or the beam is"
    return Fault(seen.t_ns, "die_jammed", detail, cause=beam)


def started(run: RunOver) -> bool:
    """Whether more happened than a knock: the cage was inverted, or a die passed a beam."""
    return any(run.passes) if isinstance(run, ChuteRested) else run.started_ns is not None


def measured(run: RunOver, by: str) -> Tumbling:
    """The evidence of a run."""
    doubts = [] if run.doubt is None else [run.doubt]
    if isinstance(run, ChuteRested):
        return Tumbling(by=by, baffle_passes=list(run.passes), rest_ns=run.t_ns, doubts=doubts)
    return Tumbling(by=by, inversions=run.inversions, minimum_inversions=run.required, rest_ns=run.t_ns, doubts=doubts)


# --- one round --------------------------------------------------------------------------------------------------------


class Stage(Enum):
    """Where a tumble of the round stands."""

    AWAITED = "it has not begun"
    TUMBLING = "the dice move"
    LYING = "the dice lie, and their values are awaited"


class RoundRecord:
    """The tumbles of one round, in order."""

    def __init__(self, bets: TumbledBets) -> None:
        self._bets = bets
        self._tumbles: list[Tumbling] = []
        self._dice: list[Dice] = []

    @property
    def side(self) -> str | None:
        """Whose tumble it is; None where a round has but one."""
        return self._bets.sides[min(len(self._dice), len(self._bets.sides) - 1)] or None

    @property
    def whole(self) -> bool:
        """Whether the values of every tumble stand."""
        return len(self._dice) == len(self._bets.sides)

    @property
    def result(self) -> dict[str, Any]:
        """The result of a round that is whole."""
        return self._bets.result(self._dice)

    def note_run(self, run: RunOver) -> None:
        """Notes a tumble that is over, and its dice lie."""
        self._tumbles.append(measured(run, self.side or ""))

    def note_values(self, values: DiceValues) -> None:
        """Notes what keypad and reading board reported of the last tumble."""
        entered, read = values.entered, values.read
        last = self._tumbles[-1]
        self._tumbles[-1] = msgspec.structs.replace(
            last,
            keyed=None if entered is None else list(entered.dice),
            read=None if read is None else list(read.dice),
            doubts=[*last.doubts, *(() if read is None else read.doubts)],
        )

    def note_dice(self, dice: Dice) -> None:
        """Notes the values of the last tumble: they stand."""
        self._dice.append(dice)

    def evidence(self, detail: str = "") -> Evidence:
        """What a verdict rests on."""
        return Evidence(tumbles=list(self._tumbles) or None, detail=detail)

    def candidates(self, values: Sequence[Dice]) -> list[dict[str, Any]]:
        """The results with these values of the last tumble; none where another tumble of the round is still to come."""
        if len(self._dice) < len(self._bets.sides) - 1:
            return []
        return [self._bets.result([*self._dice, dice]) for dice in values]


class TurnedCage:
    """The motor of a cage, as one round after another uses it: each tumble is turned once."""

    def __init__(self, actuator: CageMotorActuator, least_inversions: int) -> None:
        """`least_inversions` is how often the cage is inverted before it goes home."""
        self.actuator = actuator
        self._least = least_inversions
        self._used = False

    def await_tumble(self) -> None:
        """The next tumble is awaited."""
        self._used = False

    def turn(self, t_ns: int) -> None:
        """Turns the cage for this tumble, unless it was or the motor has not come to stand."""
        if not self._used and self.actuator.ready:
            self._used = True
            self.actuator.turn(t_ns, self._least)


class TumbledGame(DiceGame):
    """The rounds of a table with a cage or a chute."""

    def __init__(
        self,
        context: GameContext,
        bets: TumbledBets,
        options: TumbledOptions,
        values: DiceValues,
        device: str,
        motor: TurnedCage | None = None,
    ) -> None:
        """`device` is the tumbler, `cage` or `chute`; `motor` turns the cage, None where a person does."""
        super().__init__(context, bets.rules, bets.rule, options.settle_after_s, values)
        self.device = device
        self._motor = motor
        self._bets = bets
        self._moving = False
        self._after: list[Observation] = []
        """What the tumbler did since the verdict and goes on with: it belongs to the next round."""
        self.reset()

    # --- what every game has -------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new round begins."""
        self._record = RoundRecord(self._bets)
        self._await_tumble()

    def _await_tumble(self) -> None:
        """The next tumble of the round is awaited."""
        self.stage = Stage.AWAITED
        if self._motor is not None:
            self._motor.await_tumble()
        self._stirred_only: RunOver | None = None
        """A run since then in which the dice were moved, and not tumbled."""
        self._disturbed = ""
        """What moved the dice after they lay, and before their values were known."""
        self.values.begin()

    def quiet(self) -> bool:
        """Whether the dice rest."""
        return not self._moving

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """What was moved before the call was no tumble. A motor turns the cage from the call on."""
        self._stirred_only = None
        self._turn_cage(t_ns)

    def run_due(self, t_ns: int) -> None:
        """A source of values was waited for in vain."""
        self._weigh(t_ns)

    def opened_after_settling(self, t_ns: int) -> None:
        """The dice were set going before the last round was settled: that tumble is this round's."""
        after, self._after = self._after, []
        for seen in after:
            if self.undecided:
                self._judge(seen, max(t_ns, seen.t_ns))

    def result_named(self, name: str) -> dict[str, Any]:
        """The result of dice named `4-4-1`, or `3-4/6-2` where the dealer tumbles too."""
        return self._bets.result(self._bets.named(name))

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_named` reads."""
        return self._bets.name_of(result)

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win."""
        return self._bets.winning(result), []

    # --- observations --------------------------------------------------------------------------------------------

    def handle(self, seen: Observation) -> None:
        """Takes an observation of the tumbler and its motor, the keypad or the reading board."""
        if not self._handle_motor(seen):
            self._handle_dice(seen)
        self._turn_cage(seen.t_ns)

    def _handle_dice(self, seen: Observation) -> None:
        if self.phase is not SETTLING:
            self._after = []
        if isinstance(seen, DiceStirred | TumbleStarted):
            self._moving = True
        elif isinstance(seen, CageRested | ChuteRested):
            self._moving = False
        elif isinstance(seen, DiceRestless):
            detail = f"the dice have knocked for {(seen.t_ns - seen.since_ns) / 1e9:.0f} s, and do not come to rest"
            self._warn(seen.t_ns, "dice_restless", detail)
        elif isinstance(seen, ChuteJammed | ChuteCleared):
            self.events.append(jam_of(seen))
        elif self.devices.take(seen, undecided=self.undecided):
            return
        if self.undecided:
            self._judge(seen, seen.t_ns)
        elif self.phase is RUNNING_OUT:
            self.over_if_quiet(seen.t_ns)
        elif self.phase is SETTLING:
            self._keep(seen)

    def _judge(self, seen: Observation, t_ns: int) -> None:
        if isinstance(seen, DiceStirred):
            self._stir(t_ns)
        elif isinstance(seen, TumbleStarted):
            self._begin(seen, t_ns)
        elif isinstance(seen, CageInverted | ChutePassed):
            self._goes_on(seen, t_ns)
        elif isinstance(seen, CageRested | ChuteRested):
            self._rest(seen, t_ns)
        elif isinstance(seen, DiceEntered):
            self._keyed(seen)
        elif isinstance(seen, DiceMoving):
            self._board_moves(seen, t_ns)
        elif isinstance(seen, DiceRead):
            self.values.take_reading(seen)
            self._weigh(t_ns)

    def _keep(self, seen: Observation) -> None:
        """After the verdict: a tumble that ends before the bets are settled counts for nothing."""
        if isinstance(seen, DiceStirred):
            self._after = [seen]
        elif isinstance(seen, CageRested | ChuteRested):
            self._after = []
            if started(seen):
                self._warn(seen.t_ns, "tumbled_after_verdict", "the dice were tumbled before the bets were settled")
        elif isinstance(seen, TumbleStarted):
            self._after.append(seen)

    # --- a tumble ------------------------------------------------------------------------------------------------

    def _stir(self, t_ns: int) -> None:
        """The dice leave rest."""
        if self.stage is Stage.LYING:
            self._disturbed = "the dice were moved after they lay, and before their values were given"
        elif self.stage is Stage.AWAITED:
            self.values.unread()

    def _begin(self, seen: TumbleStarted, t_ns: int) -> None:
        """A tumble begins."""
        if self.stage is Stage.LYING:
            self._unresolved(t_ns, "dice_disturbed", "the dice were tumbled again before their values were given")
            self._after = [seen]
            return
        first = self.phase is OPEN
        self.phase = RUNNING
        self.stage = Stage.TUMBLING
        self._stirred_only = None
        self.values.begin()
        if first and self.context.call_by == "auto":
            self.close_bets(t_ns, seen.began_ns, "auto")
        self.report(events.RoundStarted, t_ns, tumble=self._record.side)
        if first and (self.called_ns is None or self.called_ns > seen.began_ns):
            late = "never" if self.called_ns is None else "late"
            self.void(t_ns, "tumbled_before_no_more_bets", Evidence(no_more_bets=late))

    def _goes_on(self, seen: CageInverted | ChutePassed, t_ns: int) -> None:
        """The dice are tumbled on: a board that has read them already read dice that went on."""
        if self.stage is Stage.TUMBLING:
            self.values.unread()
            if isinstance(seen, CageInverted):
                self.report(events.RoundProgress, t_ns, tumble=self._record.side, inversions=seen.inversions)

    def _rest(self, run: RunOver, t_ns: int) -> None:
        """The dice lie: does their run prove a tumble?"""
        if self.stage is Stage.AWAITED:
            self._stirred_only = run
            if not self._untumbled(t_ns, self.values.read):
                self._warn(t_ns, "moved_at_rest", "the dice were moved, and not tumbled")
        elif self.stage is Stage.TUMBLING:
            self._record.note_run(run)
            wrong = refusal_of(run)
            if wrong is not None:
                self._refuse(t_ns, wrong)
                return
            self.stage = Stage.LYING
            self.values.rested(t_ns)
            if "keypad" in self.values.sources:
                self.report(events.RoundProgress, t_ns, tumble=self._record.side, keyed=[])
            self._weigh(t_ns)

    def _refuse(self, t_ns: int, wrong: Refusal) -> None:
        if wrong.void:
            self.void(t_ns, wrong.reason, self._record.evidence(wrong.detail))
        else:
            self._unresolved(t_ns, wrong.reason, wrong.detail)

    def _untumbled(self, t_ns: int, given: DiceEntered | DiceRead | None) -> bool:
        """Values of dice that were moved and not tumbled, after the call: whoever gave them took that for a tumble."""
        run = self._stirred_only
        wrong = None if run is None else refusal_of(run)
        called = self.called_ns is not None or self.context.call_by == "auto"
        if given is None or run is None or wrong is None or not called:
            return False
        self._record.note_run(run)
        self._record.note_values(self.values)
        self._refuse(t_ns, wrong)
        return True

    # --- values --------------------------------------------------------------------------------------------------

    def _keyed(self, seen: DiceEntered) -> None:
        if self.values.take_entry(seen):
            self._weigh(seen.t_ns)
            return
        stirred = self._stirred_only
        if stirred is None or seen.first_ns < stirred.t_ns or not self._untumbled(seen.t_ns, seen):
            self.devices.too_early(seen)

    def _board_moves(self, seen: DiceMoving, t_ns: int) -> None:
        """The reading board sees dice move: where they lay, somebody touched them."""
        if self.stage is Stage.LYING:
            self._stir(t_ns)
        else:
            self.values.unread()

    def _weigh(self, t_ns: int) -> None:
        """What the sources of values have come to."""
        if self.stage is Stage.AWAITED:
            self._untumbled(t_ns, self.values.read)
        if self.stage is not Stage.LYING:
            return
        if self.values.cocked:
            self._record.note_values(self.values)
            self.void(t_ns, "dice_not_flat", self._record.evidence("the board reports a cocked die"))
            return
        found = self.values.verdict(t_ns)
        if found is None:
            self.run_due_ns = self._values_due_ns
            return
        self.run_due_ns = NEVER_NS
        self._record.note_values(self.values)
        if isinstance(found, Doubted) and found.reason in LYING:
            self.void(t_ns, found.reason, self._record.evidence(found.detail))
        elif isinstance(found, Doubted):
            self._unresolved(t_ns, found.reason, found.detail, found.candidates)
        elif self._disturbed:
            self._unresolved(t_ns, "dice_disturbed", self._disturbed, (found.dice,))
        else:
            self._stands(t_ns, found)

    @property
    def _values_due_ns(self) -> int:
        """When a source of values is waited for no more."""
        return self.values.next_due_ns if self.stage is Stage.LYING else NEVER_NS

    def _stands(self, t_ns: int, found: Read) -> None:
        """The values of this tumble stand: the next tumble is awaited, or the round has its result."""
        side = self._record.side
        self._record.note_dice(found.dice)
        if not self._record.whole:
            self.report(events.RoundProgress, t_ns, tumble=side, dice=list(found.dice))
            self._await_tumble()
            return
        result = self._record.result
        self.outcome(t_ns, result, self._bets.winning(result), self._record.evidence(), [])

    # --- the motor of the cage -----------------------------------------------------------------------------------

    def _handle_motor(self, seen: Observation) -> bool:
        """Takes a report of the motor; returns whether it was one."""
        if isinstance(seen, MotorFailed):
            if seen.fault == SLIPS:
                self._moving = False
            self.events.append(Fault(seen.t_ns, seen.fault, seen.detail, cause=seen.cause, device=MOTOR))
        elif isinstance(seen, MotorStands):
            self.events.append(CauseGone(seen.t_ns, TURNS_STILL, MOTOR))
        else:
            return isinstance(seen, MotorReady)
        return True

    def _turn_cage(self, t_ns: int) -> None:
        """Turns the cage where a tumble is awaited, its dice lie, and it was not turned for it before."""
        awaited = self.undecided and self.called_ns is not None and self.stage is Stage.AWAITED
        if self._motor is not None and awaited and self.quiet():
            self._motor.turn(t_ns)

    def outcome(
        self, t_ns: int, result: dict[str, Any], winning: list[WinningBet], evidence: Evidence, notices: list[str]
    ) -> None:
        """The result is read: whatever the cage's sensors missed, the motor is stopped first."""
        self._stop_motor(t_ns)
        super().outcome(t_ns, result, winning, evidence, notices)

    def unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        """The dealer calls it; the motor is stopped first."""
        self._stop_motor(t_ns)
        super().unresolved(t_ns, reason, evidence, candidates)

    def give_up(self, t_ns: int) -> None:
        """The round is over without a result: the motor is stopped."""
        self._stop_motor(t_ns)

    def _stop_motor(self, t_ns: int) -> None:
        if self._motor is not None:
            self._motor.actuator.stop(t_ns)

    # --- events --------------------------------------------------------------------------------------------------

    def _unresolved(self, t_ns: int, reason: str, detail: str, values: tuple[Dice, ...] = ()) -> None:
        """Left to the dealer."""
        self.unresolved(t_ns, reason, self._record.evidence(detail), self._record.candidates(values))

    def _warn(self, t_ns: int, warning: str, detail: str) -> None:
        self.warn(t_ns, self.device, warning, detail)
