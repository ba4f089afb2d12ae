"""Rounds of cage and chute: beat the dealer, chuck-a-luck, under/over (13:47-20.21, 20.24, 20.33).

    bets open ── "No more bets" ──► tumble ──► dice lie ──► values ──► outcome
                                      ▲                       │
                                      └── the player's, at ───┘
                                          beat the dealer

Each tumble is judged when its dice lie: too few inversions or a baffle missed void the round, and what is not proven is
left to the dealer. Values count only of dice that are known to lie and were not moved since. The text has no number of
inversions, no word for a die that does not lie flat and no jam: what is done then is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controller.games.dice.rules import Dice
from controller.games.dice.values import LYING, DiceValues, Doubted, Read
from controller.games.tumbled.bets import TumbledBets
from controller.rounds.dice_game import DiceGame
from controller.rounds.game import NEVER_NS
from controller.rounds.tumbled_options import TumbledOptions
from controller.rounds.tumbled_record import RoundRecord, Stage
from controller.rounds.tumbled_run import Refused, RunOver, jam_of, refused, started
from controller.rounds.voice import Seat
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING
from drivers.base.driver import Observation
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
from drivers.dice.reader import DiceReader
from feed import events
from feed.events import Evidence, WinningBet


class TumbledGame(DiceGame):
    """The rounds of a table with a cage or a chute."""

    def __init__(
        self,
        seat: Seat,
        bets: TumbledBets,
        options: TumbledOptions,
        values: DiceValues,
        reader: DiceReader | None,
        device: str,
    ) -> None:
        """`device` is the tumbler, `cage` or `chute`."""
        super().__init__(seat, bets.rules, bets.rule, options.settle_after_s, values, reader)
        self.device = device
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
        self._stirred_only: RunOver | None = None
        """A run since then in which the dice were moved, and not tumbled."""
        self._disturbed = ""
        """What moved the dice after they lay, and before their values were known."""
        self.values.begin()

    def quiet(self) -> bool:
        """Whether the dice rest."""
        return not self._moving

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """What was moved before the call was no tumble."""
        self._stirred_only = None

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

    def see(self, seen: Observation) -> None:
        """Takes an observation of the tumbler, the keypad or the reading board."""
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
            self.said.append(jam_of(seen))
        elif self.heed_values(seen):
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
            self.values.told(seen)
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
        if first and self.seat.call_by == "auto":
            self.close_bets(t_ns, seen.began_ns, "auto")
        self.say(events.RoundStarted, t_ns, tumble=self._record.side)
        if first and (self.called_ns is None or self.called_ns > seen.began_ns):
            late = "never" if self.called_ns is None else "late"
            self.void(t_ns, "tumbled_before_no_more_bets", Evidence(no_more_bets=late))

    def _goes_on(self, seen: CageInverted | ChutePassed, t_ns: int) -> None:
        """The dice are tumbled on: a board that has read them already read dice that went on."""
        if self.stage is Stage.TUMBLING:
            self.values.unread()
            if isinstance(seen, CageInverted):
                self.say(events.RoundProgress, t_ns, tumble=self._record.side, inversions=seen.inversions)

    def _rest(self, run: RunOver, t_ns: int) -> None:
        """The dice lie: does their run prove a tumble?"""
        if self.stage is Stage.AWAITED:
            self._stirred_only = run
            if not self._untumbled(t_ns, self.values.read):
                self._warn(t_ns, "moved_at_rest", "the dice were moved, and not tumbled")
        elif self.stage is Stage.TUMBLING:
            self._record.over(run)
            wrong = refused(run)
            if wrong is not None:
                self._refuse(t_ns, wrong)
                return
            self.stage = Stage.LYING
            self.values.rested(t_ns)
            if "keypad" in self.values.sources:
                self.say(events.RoundProgress, t_ns, tumble=self._record.side, keyed=[])
            self._weigh(t_ns)

    def _refuse(self, t_ns: int, wrong: Refused) -> None:
        if wrong.void:
            self.void(t_ns, wrong.reason, self._record.evidence(wrong.detail))
        else:
            self._unresolved(t_ns, wrong.reason, wrong.detail)

    def _untumbled(self, t_ns: int, said: DiceEntered | DiceRead | None) -> bool:
        """Values of dice that were moved and not tumbled, after the call: whoever gave them took that for a tumble."""
        run = self._stirred_only
        wrong = None if run is None else refused(run)
        called = self.called_ns is not None or self.seat.call_by == "auto"
        if said is None or run is None or wrong is None or not called:
            return False
        self._record.over(run)
        self._record.told(self.values)
        self._refuse(t_ns, wrong)
        return True

    # --- values --------------------------------------------------------------------------------------------------

    def _keyed(self, seen: DiceEntered) -> None:
        if self.values.keyed(seen):
            self._weigh(seen.t_ns)
            return
        stirred = self._stirred_only
        if stirred is None or seen.first_ns < stirred.t_ns or not self._untumbled(seen.t_ns, seen):
            self.too_early(seen)

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
            self._record.told(self.values)
            self.void(t_ns, "dice_not_flat", self._record.evidence("the board says that a die is cocked"))
            return
        found = self.values.verdict(t_ns)
        if found is None:
            self.run_due_ns = self._values_due_ns
            return
        self.run_due_ns = NEVER_NS
        self._record.told(self.values)
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
        self._record.stands(found.dice)
        if not self._record.whole:
            self.say(events.RoundProgress, t_ns, tumble=side, dice=list(found.dice))
            self._await_tumble()
            return
        result = self._record.result
        self.outcome(t_ns, result, self._bets.winning(result), self._record.evidence(), [])

    # --- what is said --------------------------------------------------------------------------------------------

    def _unresolved(self, t_ns: int, reason: str, detail: str, values: tuple[Dice, ...] = ()) -> None:
        """Left to the dealer."""
        self.unresolved(t_ns, reason, self._record.evidence(detail), self._record.candidates(values))

    def _warn(self, t_ns: int, warning: str, detail: str) -> None:
        self.say(events.DeviceWarning, t_ns, device=self.device, warning=warning, detail=detail)
