"""Sic bo rounds, 19:47-9 and 13:69F-9: bets closed, shaken or tossed, seen, entered, lit, settled, and then dark.

opened ──call──► shaken by hand ──uncovered──┐            ┌─ exactly the winning areas read back ─► outcome
            └──► tossed by the shaker ──lies─┴► entered ──┤                                    settle ─► dark
                                                          └─ the lamps fail: a supervisor settles, play ceases

A round is made of parts that are read and tested alone: the shaking by hand (`shaking`), the automated shaker
(`controller.games.dice.tossed_dice`), the values (`controller.games.dice.values`), the lit areas (`lit_areas`), the
inspection (`inspection`) and the age of the dice (`dice_age`). The parts judge; the game acts on what they judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from controller.games.dice.game import DiceGame
from controller.games.dice.rules import Dice
from controller.games.dice.tossed_dice import DEVICE as SHAKER
from controller.games.dice.tossed_dice import REPORTS, SHAKER_FAILED, RoundView, Toss, TossedDice
from controller.games.dice.values import LYING, DiceValues, Doubted, Read
from controller.games.sic_bo.areas import SicBoLayout
from controller.games.sic_bo.dice_age import DiceAge
from controller.games.sic_bo.inspection import (
    SicBoInspection,
)
from controller.games.sic_bo.lit_areas import LAMP_BOARD, LAMPS_FAILED, THE_LAMPS, LitAreas
from controller.games.sic_bo.rules import SicBoRules
from controller.games.sic_bo.shaking import SHAKEN, JudgedShaking, Shaking
from controller.games.sic_bo.upkeep import SicBoUpkeep
from controller.rules.cited import HOUSE_RULE
from controller.table.faults import Fault
from controller.table.game import GameContext
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING, SHUT
from controller.table.recent import Ruling
from drivers.base.driver import NEVER_NS, Observation, SensorAlive, SensorDead
from drivers.dealer.buttons import ButtonPressed
from drivers.dice.automated_shaker import ShakerActuator, ShakerPresent, TossBegan, TossFailed, TossLies
from drivers.dice.observations import (
    DiceEntered,
    DiceMoving,
    DiceRead,
    DiceStirred,
    ShakerCovered,
    ShakerRested,
    ShakerShaken,
    ShakerUncovered,
)
from drivers.lamps.lamp_board import LampActuator, LampsDark, LampsFailed, LampsMended, LampsShown
from feed import events
from feed import state as feed_phase
from feed.data import Tumbling
from feed.events import Evidence, WinningBet
from feed.state import StandingFault, TableState


class SicBoOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of sic bo under `[game]`."""

    settle_after_s: Annotated[
        float,
        Meta(ge=0, le=600, description="without a settle button, a round settles so long after its verdict (ours)"),
    ] = 3.0
    two_of_a_kind_on_triple: Annotated[
        bool | None,
        Meta(description="whether two of a kind wins on a triple too; without it, as the profile has it (ours)"),
    ] = None
    uncover_s: Annotated[
        float,
        Meta(ge=0, le=10, description="knocks so soon after the cover came off are those of the cover (ours)"),
    ] = 1.0
    activate_after_s: Annotated[
        float,
        Meta(ge=0, le=30, description='an automated shaker is started so long after "No more bets" (ours)'),
    ] = 1.5


class SicBoGame(DiceGame):
    """The rounds of a sic bo table."""

    device = "shaker"

    def __init__(
        self,
        context: GameContext,
        rules: SicBoRules,
        options: SicBoOptions,
        values: DiceValues,
        lamps: LampActuator,
        shaker: ShakerActuator | None,
        minimum_shakes: int | None = None,
    ) -> None:
        """`shaker` is the automated one, None where the table has none; `minimum_shakes` is how often a manual one
        is shaken, None for as often as the text has it.
        """
        rule = rules.electrical_device.settled_when.cite
        super().__init__(context, rules, rule, options.settle_after_s, values)
        self.rules = rules
        self.areas = LitAreas(lamps, SicBoLayout(rules, two_of_a_kind_on_triple=options.two_of_a_kind_on_triple))
        by_rule = rules.manual_shaker.minimum_shakes.value
        self.shaking = Shaking(by_rule, by_rule if minimum_shakes is None else minimum_shakes)
        self.tossed = None if shaker is None else TossedDice(shaker, options.activate_after_s, self.out)
        hours = None if rules.dice_hours is None else rules.dice_hours.value
        self.upkeep = SicBoUpkeep(
            SicBoInspection(rules, automated=shaker is not None),
            DiceAge(hours, context.time_of, context.calendar_is_set),
            self.areas,
            self.tossed,
            self.out,
        )
        self._uncover_ns = round(options.uncover_s * 1e9)
        """Knocks so soon after the cover came off are those of the cover."""
        self._last_throw: int | None = None
        """The board's own number of the throw that it read last."""
        self._throw_before: int | None = None
        """The number that it had read last when the round began."""
        self._stood: tuple[StandingFault, ...] = ()
        """The faults that stood before a restart."""
        self._left = False
        """Whether the last round waits to be settled since the table was closed, or since before the service began."""
        self._left_supervised = False
        self.reset()

    # --- the round -----------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new round begins."""
        self.revealed_ns: int | None = None
        """When the dice were seen."""
        self._covered_again = False
        self.areas.begin()
        self.shaking.begin()
        self.values.begin()

    def quiet(self) -> bool:
        """Whether nothing is shaken, and no fault is about to stop the play."""
        tossing = self.tossed is not None and not self.tossed.quiet
        return not (self.stopping or self.shaking.moving or tossing)

    def open(self, t_ns: int) -> None:
        """Opens the next round, unless one was left to be settled, or a fault stands against it after a restart."""
        if self._resume(t_ns):
            return
        if self.upkeep.may_open(t_ns):
            super().open(t_ns)
        else:
            self.phase = SHUT
            self._settle_due_ns = self.run_due_ns = NEVER_NS

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The dark lamps are read back, and the automated shaker is started in a moment."""
        self.areas.read_back_dark(t_ns)
        if self.tossed is not None and not self.tossed.called(t_ns) and self._shaker_only:
            self.warn(t_ns, SHAKER, "no_shaker", "no shaker stands on the table: void the round, then shaker_placed")

    def opened_after_settling(self, t_ns: int) -> None:
        """A shaking that began before the bets were settled cannot be this round's."""
        if self.phase is OPEN and self.shaking.moving:
            self.phase = RUNNING
            self.void(t_ns, "shaken_before_no_more_bets", self._evidence("it was shaken before the last was settled"))

    def run_due(self, t_ns: int) -> None:
        """A source of values was awaited long enough."""
        self._judge_values(t_ns)

    def give_up(self, t_ns: int) -> None:
        """Nothing of the round goes on: the shaker stops, the lamps are dark."""
        if self.tossed is not None:
            self.tossed.give_up(t_ns)
        self.upkeep.give_up(t_ns)
        self.areas.lamps.darken(t_ns)

    @property
    def next_due_ns(self) -> int:
        """When the round, or the age of the dice, is due."""
        return min(super().next_due_ns, self.upkeep.age.next_due_ns)

    def due(self, t_ns: int) -> None:
        """Meets the deadlines of the round and of the age of the dice."""
        while (age_ns := self.upkeep.age.next_due_ns) <= t_ns:
            super().due(age_ns)
            if self.upkeep.age.next_due_ns == age_ns:
                self.upkeep.age_due(age_ns)
        super().due(t_ns)

    # --- observations --------------------------------------------------------------------------------------------

    def handle(self, seen: Observation) -> None:
        """Takes an observation of the shakers, the lamps, or a source of values."""
        if isinstance(seen, LampsShown | LampsFailed | LampsMended | LampsDark):
            self._handle_lamps(seen)
        elif isinstance(seen, SHAKEN):
            self.shaking.follow(seen)
            self._shaken_by_hand(seen)
            if self.phase is RUNNING_OUT:
                self.over_if_quiet(seen.t_ns)
        elif isinstance(seen, DiceEntered):
            self._keyed(seen)
        elif isinstance(seen, DiceRead):
            self._read(seen)
        elif isinstance(seen, DiceMoving):
            self._moved(seen)
        elif self.tossed is not None and isinstance(seen, REPORTS):
            self._handle_shaker(self.tossed, seen)
        else:
            self.devices.take(seen, undecided=self.undecided)

    # --- shaken by hand ------------------------------------------------------------------------------------------

    def _shaken_by_hand(self, seen: Observation) -> None:
        """What the manual shaker does to a round."""
        t_ns = seen.t_ns
        if isinstance(seen, ShakerShaken):
            self._shaken(seen)
        elif isinstance(seen, ShakerCovered):
            self._covered(seen)
        elif isinstance(seen, DiceStirred):
            if self.revealed_ns is not None and t_ns > self.revealed_ns + self._uncover_ns:
                self._dice_disturbed(t_ns, "something knocked at it")
        elif self.undecided and self.revealed_ns is None:
            judged = None
            if isinstance(seen, ShakerRested):
                judged = self.shaking.rests(seen)
            elif isinstance(seen, ShakerUncovered):
                judged = self.shaking.uncovers(self.called_ns)
            if judged is not None:
                at_ns = seen.uncovered_ns if isinstance(seen, ShakerUncovered) else t_ns
                self._judged(judged, t_ns, at_ns)

    def _judged(self, judged: JudgedShaking, t_ns: int, at_ns: int) -> None:
        if judged.verdict == "void":
            self.void(t_ns, judged.reason, self._evidence(judged.detail), ours=judged.ours)
        elif judged.verdict == "unresolved":
            self.unresolved(t_ns, judged.reason, self._evidence(judged.detail), [])
        else:
            self._reveal(t_ns, at_ns)

    def _covered(self, seen: ShakerCovered) -> None:
        if self.phase is OPEN and self.context.call_by == "auto":
            self.close_bets(seen.t_ns, seen.covered_ns, "auto")
        shown = self.revealed_ns is not None and self.phase in (RUNNING, SETTLING)
        if shown and self.shaking.shaken_ns is not None and not self._covered_again:
            self._covered_again = True
            rule = self._reasons["covered_before_paid"].rule
            self.violation(seen.t_ns, "covered_before_paid", rule, "the cover was put back before the bets were paid")

    def _shaken(self, seen: ShakerShaken) -> None:
        t_ns = seen.t_ns
        self.values.unread()
        if self.phase is RUNNING and self.revealed_ns is not None:
            self._dice_disturbed(t_ns, "it was shaken again")
        if not self.undecided:
            return
        if self.shaking.shaken(seen):
            self._begin_shaking(t_ns, seen.shaken_ns)
        if self.phase is RUNNING:
            self.report(events.RoundProgress, t_ns, shakes=seen.shakes)

    def _begin_shaking(self, t_ns: int, shaken_ns: int) -> None:
        """The first shake of the round."""
        self._start(t_ns)
        if self.context.call_by == "auto":
            self.close_bets(t_ns, shaken_ns, "auto")
        if self.called_ns is None or self.called_ns > shaken_ns:
            self._too_soon(t_ns)
        elif self.tossed is not None and self.tossed.present:
            detail = "the automated shaker stands on the table: it is removed before a manual one is used"
            self.void(t_ns, "shaker_not_removed", self._evidence(detail))
        elif self.shaking.covered_ns is not None and self.shaking.covered_ns < self.called_ns:
            rule = self._reasons["covered_before_no_more_bets"].rule
            self.violation(t_ns, "covered_before_no_more_bets", rule, "the cover was on before the call")

    # --- tossed by the automated shaker --------------------------------------------------------------------------

    @property
    def _shaker_only(self) -> bool:
        """Whether the table has no manual shaker."""
        return self.device == SHAKER

    def ignores(self, seen: SensorDead | SensorAlive) -> bool:
        """Whether a line of a shaker failed or recovered that does not stand on the table."""
        return self.tossed is not None and self.tossed.ignores(seen)

    def _handle_shaker(self, tossed: TossedDice, seen: Observation) -> None:
        if isinstance(seen, ShakerPresent):
            self.place_shaker(seen.t_ns, present=seen.present)
            return
        of_toss = isinstance(seen, TossBegan | TossLies | TossFailed)
        if not (of_toss and tossed.present and self.upkeep.inspection.operating and self.upkeep.operated(seen)):
            self._toss(seen.t_ns, tossed.take(seen, self._view()))
        if self.phase is RUNNING_OUT:
            self.over_if_quiet(seen.t_ns)

    def place_shaker(self, t_ns: int, *, present: bool, by: str = "") -> None:
        """The automated shaker was put on the table, or taken away; `by` ordered it, where no sensor reports it."""
        if self.tossed is None:
            return
        self._toss(t_ns, self.tossed.place(t_ns, self._view(), present=present))
        if not self.tossed.present_sensor:
            self.upkeep.report_carried(t_ns, "shaker_placed" if present else "shaker_removed", by)
        if self.phase is RUNNING_OUT:
            self.over_if_quiet(t_ns)

    def _view(self) -> RoundView:
        return RoundView(self.phase, self.called_ns is not None, self.revealed_ns is not None)

    def _toss(self, t_ns: int, tosses: Sequence[Toss]) -> None:
        """What the automated shaker did to the round; it has no cover, so its dice are seen when they lie."""
        for toss in tosses:
            match toss.does:
                case "begins":
                    self._start(t_ns)
                case "lies":
                    self._reveal(t_ns, t_ns)
                case "disturbs":
                    self._dice_disturbed(t_ns, toss.detail)
                case "too_soon":
                    # Nobody had activated it: no text covers that.
                    self._too_soon(t_ns, toss.detail, ours=True)
                case "fails":
                    self.void(t_ns, SHAKER_FAILED, self._evidence(toss.detail), ours=toss.ours)

    def _start(self, t_ns: int) -> None:
        """It is shaken, or it tosses: no value that was given before stands."""
        self.values.begin()
        self._throw_before = self._last_throw
        self.phase = RUNNING
        by_hand = self.shaking.shaken_ns is not None
        self.report(events.RoundStarted, t_ns, tossed_by=None if by_hand else "shaker")

    def _too_soon(self, t_ns: int, detail: str = "", *, ours: bool = False) -> None:
        """It was shaken, or it tossed, before the call."""
        late = "never" if self.called_ns is None else "late"
        self.void(t_ns, "shaken_before_no_more_bets", self._evidence(detail, no_more_bets=late), ours=ours)

    # --- values --------------------------------------------------------------------------------------------------

    def _reveal(self, t_ns: int, at_ns: int) -> None:
        """The dice lie, and everybody sees them."""
        self.revealed_ns = at_ns
        self.values.rested(at_ns)
        self._judge_values(t_ns)

    def _dice_disturbed(self, t_ns: int, what: str) -> None:
        """The dice moved after they were seen, and before their areas were lit."""
        if self.phase is RUNNING:
            known = [] if self.areas.dice is None else [self.result_of(self.areas.dice)]
            detail = f"{what} after the dice were seen, and before their areas were lit"
            self.unresolved(t_ns, "dice_disturbed", self._evidence(detail), known)

    def _keyed(self, seen: DiceEntered) -> None:
        if not self.undecided or self.areas.dice is not None:
            return
        if self.values.take_entry(seen):
            self._judge_values(seen.t_ns)
        else:
            self.devices.too_early(seen)

    def _read(self, seen: DiceRead) -> None:
        """A board read dice: those of this round, unless its own number is that of the throw before."""
        before, self._last_throw = self._last_throw, seen.throw
        if self.phase is not RUNNING or (seen.throw is not None and seen.throw == self._throw_before):
            return
        lit = self.areas.dice
        if lit is not None and (seen.throw != before or sorted(seen.dice, key=str) != sorted(lit)):
            self._dice_disturbed(seen.t_ns, "the board read them otherwise")
            return
        self.values.take_reading(seen)
        self._judge_values(seen.t_ns)

    def _moved(self, seen: DiceMoving) -> None:
        """A board sees dice move: what it read of them before is over. A cover that comes off looks to it like that."""
        if self.phase is not RUNNING:
            return
        covered_ns = self._uncover_ns if self.shaking.shaken_ns is not None else 0
        lit = self.areas.dice is not None
        if self.revealed_ns is not None and (seen.t_ns > self.revealed_ns + covered_ns or lit):
            self._dice_disturbed(seen.t_ns, "the board saw them move")
        else:
            self.values.unread()

    def _judge_values(self, t_ns: int) -> None:
        """Judges the values that were entered and read so far, or waits for more."""
        if self.phase is not RUNNING or self.areas.dice is not None:
            return
        read = self.values.read
        if self.values.lie and read is not None and "cocked" in read.lying:
            self.void(
                t_ns, "dice_not_flat", self._evidence(f"how they lie, as the board reads them: {', '.join(read.lying)}")
            )
            return
        verdict = self.values.verdict(t_ns)
        if isinstance(verdict, Read) and not self._contradicted(verdict.dice):
            self._light(t_ns, verdict.dice)
        elif isinstance(verdict, Read):
            both = [verdict.dice, self.tossed.values] if self.tossed is not None else [verdict.dice]
            detail = "what was entered is not what the shaker reports of its dice"
            self.unresolved(t_ns, "values_disagree", self._evidence(detail), [self.result_of(one) for one in both])
        elif isinstance(verdict, Doubted) and verdict.reason in LYING:
            self.void(t_ns, "dice_not_flat", self._evidence(verdict.detail))
        elif isinstance(verdict, Doubted):
            candidates = [self.result_of(dice) for dice in verdict.candidates if self._whole(dice)]
            self.unresolved(t_ns, verdict.reason, self._evidence(verdict.detail), candidates)
        else:
            # Dice that do not lie yet are awaited by their shaker, not by the sources of their values.
            self.run_due_ns = max(t_ns + 1, self.values.next_due_ns) if self.values.lie else NEVER_NS

    def _contradicted(self, dice: Dice) -> bool:
        """Whether the automated shaker itself reports other values."""
        return self.tossed is not None and self.shaking.shaken_ns is None and self.tossed.contradicts(dice)

    def _whole(self, dice: Dice) -> bool:
        return len(dice) == self.rules.dice_count.value and all(1 <= value <= 6 for value in dice)

    # --- lamps ---------------------------------------------------------------------------------------------------

    def _light(self, t_ns: int, dice: Dice) -> None:
        """Lights exactly the areas that win; the round has its outcome when they are read back."""
        self.run_due_ns = NEVER_NS
        self.areas.light(dice, t_ns)
        if self.areas.failure is not None:
            self._decide(t_ns)

    def _handle_lamps(self, seen: Observation) -> None:
        """The lamps show what was asked, or do not: in an inspection, or in a round."""
        t_ns = seen.t_ns
        if isinstance(seen, LampsShown | LampsFailed):
            self.upkeep.read_back(t_ns)
        if isinstance(seen, LampsFailed):
            self._lamps_failed(t_ns, seen.detail)
        elif isinstance(seen, LampsShown) and self.phase is RUNNING and self.areas.dice is not None:
            self._decide(t_ns)
        elif isinstance(seen, LampsShown) and self.phase is SETTLING and self.areas.relighting:
            self.areas.relighting = False
            self._begin_settling(t_ns)
        elif isinstance(seen, LampsMended):
            self.cause_gone(t_ns, THE_LAMPS, LAMP_BOARD)
            if self.phase is not SETTLING:
                self.areas.lamps.darken(t_ns)
        elif isinstance(seen, LampsDark) and self.phase is SETTLING:
            rule = self._reasons["lamps_cleared_before_paid"].rule
            self.violation(t_ns, "lamps_cleared_before_paid", rule, "the lamps went dark before the bets were settled")
            self.areas.light_again(t_ns)

    def _lamps_failed(self, t_ns: int, detail: str) -> None:
        self.stop(Fault(t_ns, LAMPS_FAILED, detail, cause=THE_LAMPS, device=LAMP_BOARD))
        if self.undecided and self.revealed_ns is None:
            self.void(t_ns, "lamps_failed_before_reveal", self._evidence(detail))
            return
        self.areas.supervised = self.phase in (RUNNING, SETTLING)
        if self.phase is RUNNING and self.areas.dice is not None:
            self._decide(t_ns)
        elif self.phase is SETTLING:
            self._settle_due_ns = NEVER_NS

    def _decide(self, t_ns: int) -> None:
        """The areas are lit, or cannot be: the round has its outcome."""
        result = self.result_of(self.areas.dice or ())
        winning, notices = self.pays(result)
        if self.areas.failure is not None:
            rule = self._reasons[LAMPS_FAILED].rule
            notices = [*notices, f"lamps_failed: {self.areas.failure}; settle in the supervisor's presence ({rule})"]
        self.outcome(t_ns, result, winning, self._evidence(), notices)

    def unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        """Nobody knows what wins: nothing stays lit until the round is called."""
        super().unresolved(t_ns, reason, evidence, candidates)
        self.areas.darken(t_ns)

    @property
    def outcome_rule(self) -> str:
        """The rule by which it is settled: by areas that are lit, 9.3(c); where they cannot be, 9.6(b)."""
        return super().outcome_rule if self.areas.failure is None else self._reasons[LAMPS_FAILED].rule

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The wagers of the areas that these dice light; of a triple with our reading of two of a kind."""
        dice, layout = self.dice_of(result), self.areas.layout
        winning = [WinningBet(bet.bet, bet.odds) for bet in layout.winning(dice)]
        reading = self.rules.wagers.two_of_a_kind_on_triple
        if len({*dice}) > 1 or not reading.ours:
            return winning, []
        wins = "wins" if layout.two_of_a_kind_on_triple else "does not win"
        return winning, [f"{HOUSE_RULE}: two of a kind {wins} on a triple: {reading.note}"]

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """As `pays`; with a notice where the round is no longer being settled, and so has no areas lit."""
        winning, notices = super().pays_in(number, result)
        if number != self.round or self.phase is not SETTLING:
            rule = self.rules.electrical_device.settled_when.cite
            notices = [*notices, f"areas_not_lit: round {number} is over, and its areas are not lit for it ({rule})"]
        return winning, notices

    # --- settling ------------------------------------------------------------------------------------------------

    def press(self, press: ButtonPressed) -> None:
        """Takes a button: it settles nothing that may not be settled."""
        against = self.settle_refused
        if self.phase is SETTLING and against is not None:
            self.warn(press.t_ns, "dealer", "not_settled", f"{press.button}: {against}")
        else:
            super().press(press)

    @property
    def settle_refused(self) -> str | None:
        """Why the round may not be settled now, or only by a supervisor."""
        if self.phase is not SETTLING:
            return None
        if self.uncalled is not None:
            return f"round {self.round} is unresolved: call it first, with confirm, void or correct"
        return self.areas.settle_refused(self.round, self._reasons[LAMPS_FAILED].rule)

    def settle_attended(self, t_ns: int, key: str) -> bool:
        """A supervisor is present: settles a round whose lamps failed."""
        if self.phase is not SETTLING or not self.areas.supervised or self.uncalled is not None:
            return False
        self.settle(t_ns, key)
        return True

    def recovery(self) -> list[tuple[str, dict[str, str]]]:
        """Settles what waits for a supervisor, changes dice that are too old, operates the shaker for a shift."""
        orders = super().recovery()
        if self.phase is SETTLING and self.areas.supervised and self.uncalled is None:
            orders.append(("settle_attended", {}))
        return orders + self.upkeep.recovery(shut=self.phase is SHUT)

    def settle(self, t_ns: int, by: str) -> None:
        """The bets are paid: only now the lamps may go dark."""
        super().settle(t_ns, by)
        self.areas.lamps.darken(t_ns)

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a round. If it is the last, its areas are lit before it is settled."""
        if ruling.round == self.round and self.phase is SETTLING:
            self._relight(t_ns, ruling)
        super().ruled(t_ns, ruling)

    def _settle_shut(self, t_ns: int) -> None:
        """A round with a result is lit before it is settled, which the table does when it is open again."""
        last = self.recent.last
        if last is None or last.stands.result is None:
            super()._settle_shut(t_ns)

    def _relight(self, t_ns: int, ruling: Ruling) -> None:
        result = ruling.stands.result
        self.areas.relight(None if result is None else self.dice_of(result), t_ns)

    def _begin_settling(self, t_ns: int) -> None:
        super()._begin_settling(t_ns)
        self.areas.settling_begins()
        if self.settle_refused is not None:
            self._settle_due_ns = NEVER_NS

    # --- restart, and a round that was left ----------------------------------------------------------------------

    @property
    def carried_state(self) -> dict[str, Any] | None:
        """What a restart must not lose; None where the rules and the devices leave nothing to lose."""
        return self.upkeep.carried_state

    def restore(self, state: TableState) -> None:
        """Goes on from where the journal holds the table."""
        super().restore(state)
        record = state.record(state.round)
        paid = state.phase == feed_phase.VOID and record is not None and record.verdict != "void"
        self._left = paid or state.phase in (feed_phase.SETTLING, feed_phase.UNRESOLVED)
        self._left_supervised = any((one.device, one.fault) == (LAMP_BOARD, LAMPS_FAILED) for one in state.faults)
        self._stood = state.faults
        self.upkeep.restore(state)

    def begin(self, t_ns: int) -> None:
        """The faults that stood keep what must be gone before they can be cleared; they are not reported again."""
        self.upkeep.age.begin(t_ns)
        for fault in self._stood:
            cause = self.upkeep.cause_of(fault, t_ns)
            if (fault.device, fault.fault) == (LAMP_BOARD, LAMPS_FAILED):
                self.areas.doubt(fault.detail, t_ns)
                cause = THE_LAMPS
            if cause:
                self.out.fault(Fault(t_ns, fault.fault, fault.detail, cause=cause, device=fault.device))

    def begin_shut(self, t_ns: int) -> None:
        """A fault from before shuts the table: a round that was being settled is settled first."""
        self._shut_when_settled = self._resume(t_ns)

    def leave(self, t_ns: int) -> None:
        """The table is closed by force while the round may not be settled: it waits until the table opens again."""
        self._left, self._left_supervised = True, self.areas.supervised
        self._shut_when_settled = False
        self._settle_due_ns = NEVER_NS
        self.phase = SHUT
        self.give_up(t_ns)

    def _resume(self, t_ns: int) -> bool:
        """Goes on settling a round that was left: its areas are lit again. Returns whether there was one."""
        left, self._left = self._left, False
        last = self.recent.last
        if not left or last is None or last.round != self.round:
            return False
        self.reset()
        self.phase, self.areas.supervised = SETTLING, self._left_supervised
        self._relight(t_ns, last)
        self._begin_settling(t_ns)
        detail = self.settle_refused or "its bets are still to be settled"
        self.warn(t_ns, "dealer", "not_settled", f"round {self.round} was left: {detail}")
        return True

    # --- inspection, shift and the age of the dice ---------------------------------------------------------------

    @property
    def busy(self) -> str | None:
        """Lamps that are lit for an inspection, or the shaker that is operated."""
        return self.upkeep.inspection.busy

    def inspection_begins(self) -> None:
        """What was lit and operated before is not of this inspection."""
        self.upkeep.inspection.begin()

    @property
    def inspection_lacks(self) -> str | None:
        """Values to be lit, operations of the shaker."""
        return self.upkeep.inspection.lacks

    # --- evidence ------------------------------------------------------------------------------------------------

    def _evidence(self, detail: str = "", *, no_more_bets: str | None = None) -> Evidence:
        """What was measured of the round."""
        by_hand = self.shaking.shaken_ns is not None
        values = self.values
        tumbling = Tumbling(
            shakes=self.shaking.shakes if by_hand else None,
            minimum_shakes=self.shaking.minimum if by_hand else None,
            rest_ns=self.revealed_ns,
            keyed=None if values.entered is None else list(values.entered.dice),
            read=None if values.read is None else list(values.read.dice),
        )
        return Evidence(tumbles=[tumbling], detail=detail, no_more_bets=no_more_bets)
