"""The dice of one round of cage or chute: tumbled after the call, seen to lie, and their values given.

Each tumble is judged when its dice are at rest: too few inversions or a baffle missed void the round, and what is not
proven is left to the dealer. Values count only of dice that are known to be at rest and were not moved since.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from controller.games.dice.rules import Dice
from controller.games.dice.value_devices import ValueDevices
from controller.games.dice.values import LYING, DiceValues, Doubted, Read
from controller.games.tumbled.bets import TumbledBets
from controller.games.tumbled.record import TumbleRecord
from controller.games.tumbled.runs import RunOver, RunRefusal, refusal_of, started
from controller.games.tumbled.turned_cage import TurnedCage
from controller.table.phase import OPEN
from controller.table.report import Report
from controller.table.rounds import RoundLifecycle
from drivers.base.driver import NEVER_NS, Observation
from drivers.dice.observations import (
    CageInverted,
    CageRested,
    ChutePassed,
    ChuteRested,
    DiceEntered,
    DiceMoving,
    DiceRead,
    DiceStirred,
    ShakerRested,
    ShakerShaken,
    ShakerUncovered,
    TumbleStarted,
)
from feed import events

UNCOVER_NS: Final = 1_000_000_000
"""Knocks this soon after the cover of a shaker came off are those of the cover (ours)."""


class TumbleStage(Enum):
    """How far a tumble of the round is."""

    AWAITED = "it has not begun"
    TUMBLING = "the dice move"
    COVERED = "the dice are at rest under the cover of their shaker"
    LYING = "the dice are at rest, and their values are awaited"


class KeptTumble:
    """What the tumbler did since the verdict and continues with: it belongs to the next round."""

    def __init__(self, device: str, report: Report) -> None:
        self._device = device
        self._report = report
        self._kept: list[Observation] = []

    def forget(self) -> None:
        """No round is being settled."""
        self._kept = []

    def begins(self, seen: TumbleStarted) -> None:
        """A tumble began that ended the round: it continues."""
        self._kept = [seen]

    def keep(self, seen: Observation) -> None:
        """After the verdict: a tumble that ends before the bets are settled does not count."""
        if isinstance(seen, DiceStirred):
            self._kept = [seen]
        elif isinstance(seen, CageRested | ChuteRested | ShakerRested):
            self._kept = []
            if started(seen):
                detail = "the dice were tumbled before the bets were settled"
                self._report.warn(seen.t_ns, self._device, "tumbled_after_verdict", detail)
        elif isinstance(seen, TumbleStarted):
            self._kept.append(seen)

    def take(self) -> list[Observation]:
        """What was kept, once."""
        kept, self._kept = self._kept, []
        return kept


class TumbledDice:
    """The dice of one round after another, in the tumbler of one table."""

    def __init__(
        self,
        rounds: RoundLifecycle,
        bets: TumbledBets,
        values: DiceValues,
        device: str,
        motor: TurnedCage | None,
    ) -> None:
        """`device` is the tumbler, `cage` or `chute`; `motor` turns the cage, None where a person does."""
        self.devices = ValueDevices(values, rounds.report)
        self.kept = KeptTumble(device, rounds.report)
        self.stage = TumbleStage.AWAITED
        self._rounds = rounds
        self._report = rounds.report
        self._bets = bets
        self._values = values
        self._device = device
        self._motor = motor
        self.begin()

    def begin(self) -> None:
        """A new round begins."""
        self._record = TumbleRecord(self._bets)
        self._await_tumble()

    def _await_tumble(self) -> None:
        """The next tumble of the round is awaited."""
        self.stage = TumbleStage.AWAITED
        if self._motor is not None:
            self._motor.await_tumble()
        self._stirred_only: RunOver | None = None
        """A run since then in which the dice were moved, and not tumbled."""
        self._disturbed = ""
        """What moved the dice after they came to rest, and before their values were known."""
        self._covered: ShakerRested | None = None
        """The last run of a shaker, until its cover comes off: shaken again, it is another."""
        self._uncovered_ns = NEVER_NS
        self._knocking = False
        """Whether a shaker is knocked at that is covered, or was a moment ago."""
        self._values.begin()

    def called(self) -> None:
        """ "No more bets": what was moved before was not a tumble."""
        self._stirred_only = None

    def judge(self, seen: Observation, t_ns: int) -> None:
        """Takes an observation of tumbler, keypad or reading board while the round has no verdict."""
        if isinstance(seen, DiceStirred):
            # Whoever takes the cover off knocks at the shaker: how long it goes on shows as it comes to rest.
            if self.stage is TumbleStage.COVERED or seen.t_ns <= self._uncovered_ns + UNCOVER_NS < NEVER_NS:
                self._knocking = True
            else:
                self._stir()
        elif isinstance(seen, TumbleStarted):
            self._begin(seen, t_ns)
        elif isinstance(seen, CageInverted | ChutePassed | ShakerShaken):
            self._goes_on(seen, t_ns)
        elif isinstance(seen, CageRested | ChuteRested | ShakerRested):
            self._rest(seen, t_ns)
        elif isinstance(seen, ShakerUncovered):
            self._uncover(seen)
        elif isinstance(seen, DiceEntered):
            self._keyed(seen)
        elif isinstance(seen, DiceMoving):
            self._board_moves()
        elif isinstance(seen, DiceRead):
            self._values.take_reading(seen)
            self.weigh(t_ns)

    # --- a tumble ------------------------------------------------------------------------------------------------

    def _stir(self) -> None:
        """The dice leave rest."""
        if self.stage is TumbleStage.LYING:
            self._disturbed = "the dice were moved after they came to rest, and before their values were given"
        elif self.stage is TumbleStage.AWAITED:
            self._values.unread()

    def _begin(self, seen: TumbleStarted, t_ns: int) -> None:
        """A tumble begins."""
        rounds = self._rounds
        if self.stage is TumbleStage.COVERED:
            self.stage, self._knocking = TumbleStage.TUMBLING, False
            return
        if self.stage is TumbleStage.LYING:
            self._unresolved(t_ns, "dice_disturbed", "the dice were tumbled again before their values were given")
            self.kept.begins(seen)
            return
        first = rounds.phase is OPEN
        rounds.begin_run()
        self.stage = TumbleStage.TUMBLING
        self._stirred_only = None
        self._values.begin()
        if first and rounds.context.call_by == "auto":
            rounds.close_bets(t_ns, seen.began_ns, "auto")
        self._report.event(events.RoundStarted, t_ns, tumble=self._record.side)
        if first:
            rounds.begun_before_call(t_ns, seen.began_ns, "tumbled_before_no_more_bets")

    def _goes_on(self, seen: CageInverted | ChutePassed | ShakerShaken, t_ns: int) -> None:
        """The dice are tumbled on: a board that has read them already read dice that went on."""
        if self.stage is TumbleStage.TUMBLING:
            self._values.unread()
            if isinstance(seen, CageInverted):
                inversions = seen.inversions
                self._report.event(events.RoundProgress, t_ns, tumble=self._record.side, inversions=inversions)
            elif isinstance(seen, ShakerShaken):
                self._report.event(events.RoundProgress, t_ns, tumble=self._record.side, shakes=seen.shakes)

    def _rest(self, run: RunOver, t_ns: int) -> None:
        """The dice are at rest: does their run prove a tumble?"""
        if self.stage is TumbleStage.AWAITED:
            self._stirred_only = run
            if not self._untumbled(t_ns, self._values.read) and not isinstance(run, ShakerRested):
                self._report.warn(t_ns, self._device, "moved_at_rest", "the dice were moved, and not tumbled")
        elif self.stage is TumbleStage.TUMBLING:
            if isinstance(run, ShakerRested) and run.doubt is None and not run.joined:
                self.stage, self._covered = TumbleStage.COVERED, run
            else:
                self._lie(t_ns, run)
        elif self.stage is TumbleStage.COVERED:
            self._knocking = False
            if run.doubt is not None or run.joined:
                self._lie(t_ns, run)  # what its sensors missed may have been a shake, or the cover
        elif self._knocking:
            self._knocking = False
            if run.moved_ns > self._uncovered_ns + UNCOVER_NS:
                self._stir()
            self.weigh(t_ns)

    def _uncover(self, seen: ShakerUncovered) -> None:
        """The cover came off: where the dice are at rest under it, everybody sees them."""
        if self.stage is TumbleStage.COVERED and self._covered is not None:
            self._uncovered_ns = seen.uncovered_ns
            self._lie(seen.t_ns, self._covered)

    def _lie(self, t_ns: int, run: RunOver) -> None:
        """The run is over: its dice lie as they may be read, or it was not a tumble."""
        self._record.note_run(run)
        wrong = refusal_of(run)
        if wrong is not None:
            self._refuse(t_ns, wrong)
            return
        self.stage = TumbleStage.LYING
        self._values.rested(t_ns)
        if "keypad" in self._values.sources:
            self._report.event(events.RoundProgress, t_ns, tumble=self._record.side, keyed=[])
        self.weigh(t_ns)

    def _refuse(self, t_ns: int, wrong: RunRefusal) -> None:
        if wrong.void:
            self._rounds.void(t_ns, wrong.reason, self._record.evidence(wrong.detail))
        else:
            self._unresolved(t_ns, wrong.reason, wrong.detail)

    def _untumbled(self, t_ns: int, given: DiceEntered | DiceRead | None) -> bool:
        """Values of dice that were moved and not tumbled, after the call: whoever gave them took that for a tumble."""
        run = self._stirred_only
        wrong = None if run is None else refusal_of(run)
        called = self._rounds.called_ns is not None or self._rounds.context.call_by == "auto"
        if given is None or run is None or wrong is None or not called:
            return False
        if isinstance(run, ShakerRested) and run.doubt is None and isinstance(given, DiceRead):
            return False  # its cover was put on: a board reads the dice under it at any time
        self._record.note_run(run)
        self._record.note_values(self._values)
        self._refuse(t_ns, wrong)
        return True

    # --- values --------------------------------------------------------------------------------------------------

    def _keyed(self, seen: DiceEntered) -> None:
        if self._values.take_entry(seen):
            self.weigh(seen.t_ns)
            return
        stirred = self._stirred_only
        if stirred is None or seen.first_ns < stirred.t_ns or not self._untumbled(seen.t_ns, seen):
            self.devices.too_early(seen)

    def _board_moves(self) -> None:
        """The reading board sees dice move: where they lay, somebody touched them."""
        if self.stage is TumbleStage.LYING:
            self._stir()
        else:
            self._values.unread()

    def weigh(self, t_ns: int) -> None:
        """What the sources of values have come to."""
        if self.stage is TumbleStage.AWAITED:
            self._untumbled(t_ns, self._values.read)
        if self.stage is not TumbleStage.LYING or self._knocking:
            return
        if self._values.cocked:
            self._record.note_values(self._values)
            self._rounds.void(t_ns, "dice_not_flat", self._record.evidence("the board reports a cocked die"))
            return
        found = self._values.verdict(t_ns)
        if found is None:
            self._rounds.set_run_due(self._values.next_due_ns)
            return
        self._rounds.drop_run_due()
        self._record.note_values(self._values)
        if isinstance(found, Doubted) and found.reason in LYING:
            self._rounds.void(t_ns, found.reason, self._record.evidence(found.detail))
        elif isinstance(found, Doubted):
            self._unresolved(t_ns, found.reason, found.detail, found.candidates)
        elif self._disturbed:
            self._unresolved(t_ns, "dice_disturbed", self._disturbed, (found.dice,))
        else:
            self._valid(t_ns, found)

    def _valid(self, t_ns: int, found: Read) -> None:
        """The values of this tumble are valid: the next tumble is awaited, or the round has its result."""
        side = self._record.side
        self._record.note_dice(found.dice)
        if not self._record.whole:
            self._report.event(events.RoundProgress, t_ns, tumble=side, dice=list(found.dice))
            self._await_tumble()
            return
        self.stop_motor(t_ns)
        result = self._record.result
        self._rounds.outcome(t_ns, result, self._bets.winning(result), self._record.evidence(), [])

    def _unresolved(self, t_ns: int, reason: str, detail: str, values: tuple[Dice, ...] = ()) -> None:
        """Left to the dealer."""
        self.stop_motor(t_ns)
        self._rounds.unresolved(t_ns, reason, self._record.evidence(detail), self._record.candidates(values))

    def stop_motor(self, t_ns: int) -> None:
        """The round has its verdict, or is over without one: the motor stops first."""
        if self._motor is not None:
            self._motor.stop(t_ns)
