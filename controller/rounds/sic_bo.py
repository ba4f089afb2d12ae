"""Sic bo rounds, 19:47-9 and 13:69F-9: bets closed, shaken or tossed, seen, entered, lit, settled, and then dark.

opened ──call──► shaken by hand ──uncovered──┐            ┌─ exactly the winning areas read back ─► outcome
            └──► tossed by the shaker ──lies─┴► entered ──┤                                    settle ─► dark
                                                          └─ the lamps fail: a supervisor settles, play ceases
"""

from __future__ import annotations

from typing import Any

from controller.games.dice.rules import Dice
from controller.games.dice.values import LYING, DiceValues, Doubted, Read
from controller.games.sic_bo.areas import SicBoLayout
from controller.games.sic_bo.rules import SicBoRules
from controller.games.sic_bo.shaking import SHAKEN, Shaking
from controller.rounds.game import NEVER_NS
from controller.rounds.lamp_watch import LampWatch, News
from controller.rounds.sic_bo_course import causes_again, course_of, stand_again
from controller.rounds.sic_bo_opening import SicBoOpening
from controller.rounds.sic_bo_options import SicBoOptions
from controller.rounds.sic_bo_shaken import SicBoShaken
from controller.rounds.toss_watch import TossNews
from controller.rounds.tossing import DEVICE as SHAKER
from controller.rounds.tossing import Tossing
from controller.rounds.voice import Seat
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SHUT
from drivers.base.driver import Observation
from drivers.dice.observations import DiceEntered, DiceMoving, DiceRead
from drivers.dice.reader import DiceReader
from drivers.lamps.lamp_board import LampsLost, LampsRead
from feed import events
from feed.events import Evidence, Tumbling
from feed.state import StandingFault, TableState


class SicBoGame(SicBoShaken):
    """The rounds of a sic bo table."""

    device = "shaker"

    def __init__(
        self,
        seat: Seat,
        rules: SicBoRules,
        options: SicBoOptions,
        values: DiceValues,
        reader: DiceReader | None,
        lamps: LampWatch,
        tossing: Tossing | None,
    ) -> None:
        """`tossing` is the automated shaker; None where the table has none."""
        layout = SicBoLayout(rules, two_of_a_kind_on_triple=options.two_of_a_kind_on_triple)
        super().__init__(seat, rules, options.settle_after_s, values, reader, lamps, layout)
        self.shaking = Shaking(rules.manual_shaker.minimum_shakes.value)
        self.tossing = tossing
        self.opening = SicBoOpening(rules, seat.time_of, automated=tossing is not None)
        self.uncover_ns = round(options.uncover_s * 1e9)
        self._last_throw: int | None = None
        """The board's own number of the throw that it read last."""
        self._throw_before: int | None = None
        """The number that it had read last when the round began."""
        self._stood: tuple[StandingFault, ...] = ()
        """The faults that stood before a restart."""
        self.reset()

    # --- what a table calls --------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new round begins."""
        super().reset()
        self.values.begin()

    def quiet(self) -> bool:
        """Whether nothing is shaken, and nothing is about to stop the play."""
        tossing = self.tossing is not None and not self.tossing.quiet
        return not (self.stopping or self.shaking.moving or tossing)

    def own_due_ns(self) -> int:
        """The next deadline beside those of every game."""
        tossing_ns = NEVER_NS if self.tossing is None else self.tossing.next_due_ns
        return min(self.lamps.next_due_ns, tossing_ns, self.opening.next_due_ns)

    def own_due(self, t_ns: int) -> None:
        """Such a deadline has come."""
        if self.lamps.next_due_ns <= t_ns:
            self.lamps_due(t_ns)
        elif self.opening.next_due_ns <= t_ns:
            self.opening.due(self, t_ns)
        elif self.tossing is not None:
            self.tossing.due(self, t_ns)

    @property
    def course_told(self) -> dict[str, Any] | None:
        """What must be known after a restart; None where there is nothing to know."""
        course = course_of(self)
        return None if course is None else course.told

    def restore(self, state: TableState) -> None:
        """Goes on from where the journal says that the table stood."""
        super().restore(state)
        stand_again(self, state)
        self._stood = state.faults

    def begin(self, t_ns: int) -> None:
        """The faults that stood keep what must go before they can be cleared."""
        self.opening.age.begin(t_ns)
        self.said += causes_again(self, self._stood, t_ns)

    def open(self, t_ns: int) -> None:
        """Opens the next round; unless what nobody has said yet stands against it, as after a restart."""
        if self.resume(t_ns):
            return
        against = self.opening.against(self, t_ns)
        if against:
            self.phase = SHUT
            self._settle_due_ns = self.run_due_ns = NEVER_NS
            self.said += against
            return
        super().open(t_ns)

    def tell_course(self, t_ns: int, act: str, by: str = "") -> None:
        """Says what is to be known after a restart, because it has changed."""
        told = self.course_told
        if told is not None:
            self.say(events.CourseChanged, t_ns, act=act, by=by, course=told)

    def shaker_stands(self, t_ns: int, *, present: bool, by: str = "") -> None:
        """The automated shaker was put on the table, or taken away: what no sensor says is to be kept."""
        if self.tossing is not None and not self.tossing.present_sensor:
            self.tell_course(t_ns, "shaker_placed" if present else "shaker_removed", by)

    def inspection_begins(self) -> None:
        """What was lit and operated before is not of this inspection."""
        self.opening.begin()

    @property
    def busy(self) -> str | None:
        """Lamps that are lit for an inspection, or the shaker that is operated."""
        return self.opening.busy

    @property
    def inspection_lacks(self) -> str | None:
        """Values to be lit, operations of the shaker."""
        return self.opening.lacks

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The lamps are read back while they are dark: that they answer, and that none is stuck."""
        self.shown.append(self.lamps.light((), t_ns))
        if self.tossing is not None:
            self.tossing.called(self, t_ns)

    def opened_after_settling(self, t_ns: int) -> None:
        """A shaking that began before the bets were settled cannot be this round's."""
        if self.phase is OPEN and self.shaking.moving:
            self.phase = RUNNING
            self.void(t_ns, "shaken_before_no_more_bets", self.evidence("it was shaken before the last was settled"))

    def run_due(self, t_ns: int) -> None:
        """One who gives values was waited for long enough."""
        self.judge_values(t_ns)

    # --- what the devices say ------------------------------------------------------------------------------------

    def see(self, seen: Observation) -> None:
        """Takes an observation of the shakers, the lamps, or who gives the values."""
        if isinstance(seen, LampsRead | LampsLost):
            self.heed_lamps(seen)
        elif isinstance(seen, SHAKEN):
            self.shaking.follow(seen)
            self.by_hand(seen)
            if self.phase is RUNNING_OUT:
                self.over_if_quiet(seen.t_ns)
        elif isinstance(seen, DiceEntered):
            self._keyed(seen)
        elif isinstance(seen, DiceRead):
            self._read(seen)
        elif isinstance(seen, DiceMoving):
            self._moved(seen)
        elif self.tossing is not None and self.tossing.hears(seen):
            self.tossing.see(self, seen)
        else:
            self.heed_values(seen)

    # --- values and lamps ----------------------------------------------------------------------------------------

    def reveal(self, t_ns: int, at_ns: int) -> None:
        """The dice lie, and everybody sees them."""
        self.revealed_ns = at_ns
        self.values.rested(at_ns)
        self.judge_values(t_ns)

    def _keyed(self, seen: DiceEntered) -> None:
        if not self.undecided or self.lighting is not None:
            return
        if self.values.keyed(seen):
            self.judge_values(seen.t_ns)
        else:
            self.too_early(seen)

    def _read(self, seen: DiceRead) -> None:
        """A board read dice: those of this round, unless its own number says that it speaks of the throw before."""
        before, self._last_throw = self._last_throw, seen.throw
        if self.phase is not RUNNING or (seen.throw is not None and seen.throw == self._throw_before):
            return
        if self.lighting is not None and (seen.throw != before or sorted(seen.dice, key=str) != sorted(self.lighting)):
            self.disturbed(seen.t_ns, "the board read them otherwise")
            return
        self.values.told(seen)
        self.judge_values(seen.t_ns)

    def _moved(self, seen: DiceMoving) -> None:
        """A board sees dice move: what it read of them before is over. A cover that comes off looks to it like that."""
        if self.phase is not RUNNING:
            return
        covered_ns = self.uncover_ns if self.shaking.shaken_ns is not None else 0
        if self.revealed_ns is not None and (seen.t_ns > self.revealed_ns + covered_ns or self.lighting is not None):
            self.disturbed(seen.t_ns, "the board saw them move")
        else:
            self.values.unread()

    def start(self, t_ns: int) -> None:
        """It is shaken, or it tosses: nothing that was said of the dice before stands."""
        self.values.begin()
        self._throw_before = self._last_throw
        super().start(t_ns)

    def judge_values(self, t_ns: int) -> None:
        """What has been entered and read so far comes to something, or waits."""
        if self.phase is not RUNNING or self.lighting is not None:
            return
        read = self.values.read
        if self.values.lie and read is not None and "cocked" in read.lying:
            self.void(t_ns, "dice_not_flat", self.evidence(f"the board says how they lie: {', '.join(read.lying)}"))
            return
        verdict = self.values.verdict(t_ns)
        if isinstance(verdict, Read) and not self._told_otherwise(verdict.dice):
            self.light(t_ns, verdict.dice)
        elif isinstance(verdict, Read):
            both = [verdict.dice, self.tossing.watch.values] if self.tossing is not None else [verdict.dice]
            detail = "what was entered is not what the shaker says of its dice"
            self.unresolved(t_ns, "values_disagree", self.evidence(detail), [self.result_of(one) for one in both])
        elif isinstance(verdict, Doubted) and verdict.reason in LYING:
            self.void(t_ns, "dice_not_flat", self.evidence(verdict.detail))
        elif isinstance(verdict, Doubted):
            candidates = [self.result_of(dice) for dice in verdict.candidates if self._whole(dice)]
            self.unresolved(t_ns, verdict.reason, self.evidence(verdict.detail), candidates)
        else:
            # Dice that do not lie yet are waited for by their shaker, not by those who give their values.
            self.run_due_ns = max(t_ns + 1, self.values.next_due_ns) if self.values.lie else NEVER_NS

    def _told_otherwise(self, dice: Dice) -> bool:
        """Whether an automated shaker itself says that its dice lie otherwise."""
        return self.tossing is not None and self.shaking.shaken_ns is None and self.tossing.tells_otherwise(dice)

    def _whole(self, dice: Dice) -> bool:
        return len(dice) == self.rules.dice_count.value and all(1 <= value <= 6 for value in dice)

    @property
    def needs_shaker(self) -> bool:
        """Whether the table has no manual shaker."""
        return self.device == SHAKER

    def operated(self, news: TossNews, failure: str, t_ns: int) -> bool:
        """The automated shaker did something; returns whether it was operated for an inspection."""
        return self.opening.tossed(self, news, failure, t_ns)

    def lamp_news(self, news: News | None, t_ns: int) -> None:
        """The lamps show what was asked, or do not: in an inspection, or in a round."""
        self.opening.lamps(self, news, t_ns)
        super().lamp_news(news, t_ns)

    def give_up(self, t_ns: int) -> None:
        """Nothing of the round goes on: the shaker stops, the lamps are dark."""
        if self.tossing is not None:
            self.tossing.give_up(self, t_ns)
        self.opening.give_up(self, t_ns)
        super().give_up(t_ns)

    def evidence(self, detail: str = "", *, no_more_bets: str | None = None) -> Evidence:
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
