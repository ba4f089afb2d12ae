"""The dice of one sic bo round: set going, seen, their values given, and the areas that win lit for them.

set going ──► they lie, and everybody sees them ──► valid values ──► areas lit and read back ──► outcome
                     └─ moved again ──► unresolved ◄── values in doubt       └─ the lamps fail ──► outcome
"""

from __future__ import annotations

from typing import Final

from controller.games.dice.rules import Dice
from controller.games.dice.tossed_dice import RoundView, TossedDice
from controller.games.dice.value_devices import ValueDevices
from controller.games.dice.values import LYING, DiceValues, Doubted, Read, result_of
from controller.games.sic_bo.lit_areas import LAMPS_FAILED, LitAreas
from controller.games.sic_bo.shaking import Shaking
from controller.table.phase import OPEN, RUNNING
from controller.table.rounds import RoundLifecycle
from drivers.dice.observations import DiceEntered, DiceMoving, DiceRead
from feed import events
from feed.data import Tumbling
from feed.events import Evidence

NOT_FLAT: Final = "dice_not_flat"
TOO_SOON: Final = "shaken_before_no_more_bets"


class DiceInPlay:
    """The dice of one round after another, whoever sets them going."""

    def __init__(
        self,
        rounds: RoundLifecycle,
        values: DiceValues,
        areas: LitAreas,
        shaking: Shaking,
        tossed: TossedDice | None,
        uncover_s: float,
    ) -> None:
        """Knocks within `uncover_s` after the cover came off are those of the cover."""
        self.rounds = rounds
        self.values = values
        self.devices = ValueDevices(values, rounds.report)
        self.areas = areas
        self.shaking = shaking
        self.tossed = tossed
        self.uncover_ns = round(uncover_s * 1e9)
        self._last_throw: int | None = None
        """The board's own number of the throw that it read last."""
        self._throw_before: int | None = None
        """The number that it had read last when the round began."""
        self.begin()

    def begin(self) -> None:
        """A new round begins."""
        self.revealed_ns: int | None = None
        """When the dice were seen."""
        self.areas.begin()
        self.shaking.begin()
        self.values.begin()

    @property
    def by_hand(self) -> bool:
        """Whether the dice of this round were shaken by hand."""
        return self.shaking.shaken_ns is not None

    @property
    def view(self) -> RoundView:
        """Where the round is, for a toss."""
        return RoundView(self.rounds.phase, self.rounds.called_ns is not None, self.revealed_ns is not None)

    # --- what happens to them ------------------------------------------------------------------------------------

    def start(self, t_ns: int) -> None:
        """They are shaken, or tossed: no value that was given before is valid."""
        self.values.begin()
        self._throw_before = self._last_throw
        self.rounds.begin_run()
        self.rounds.report.event(events.RoundStarted, t_ns, tossed_by=None if self.by_hand else "shaker")

    def too_soon(self, t_ns: int, detail: str = "", *, ours: bool = False) -> None:
        """They were tossed before the call."""
        self.rounds.void(t_ns, TOO_SOON, self.evidence(detail, no_more_bets="never"), ours=ours)

    def opened_while_shaken(self, t_ns: int) -> None:
        """A round opened while it was shaken: that shaking began before the bets were settled, and is not its own."""
        if self.rounds.phase is OPEN and self.shaking.moving:
            self.rounds.begin_run()
            self.void(t_ns, TOO_SOON, "it was shaken before the last was settled")

    def reveal(self, t_ns: int, at_ns: int) -> None:
        """They lie, and everybody sees them."""
        self.revealed_ns = at_ns
        self.values.rested(t_ns, at_ns)
        self.judge(t_ns)

    def disturbed(self, t_ns: int, what: str) -> None:
        """They moved after they were seen, and before their areas were lit."""
        if self.rounds.phase is RUNNING:
            known = () if self.areas.dice is None else (self.areas.dice,)
            self.unresolved(
                t_ns,
                "dice_disturbed",
                f"{what} after the dice were seen, and before their areas were lit",
                known,
            )

    def void(self, t_ns: int, reason: str, detail: str, *, ours: bool = False) -> None:
        """The round is void."""
        self.rounds.void(t_ns, reason, self.evidence(detail), ours=ours)

    def unresolved(self, t_ns: int, reason: str, detail: str, dice: tuple[Dice, ...] = ()) -> None:
        """Nobody knows what wins: nothing stays lit until the round is called."""
        self.rounds.unresolved(t_ns, reason, self.evidence(detail), [result_of(one) for one in dice])
        self.areas.darken(t_ns)

    # --- their values --------------------------------------------------------------------------------------------

    def keyed(self, seen: DiceEntered) -> None:
        """A person entered values."""
        if not self.rounds.undecided or self.areas.dice is not None:
            return
        if self.values.take_entry(seen):
            self.judge(seen.t_ns)
        else:
            self.devices.too_early(seen)

    def read(self, seen: DiceRead) -> None:
        """A board read dice: those of this round, unless its own number is that of the throw before."""
        before, self._last_throw = self._last_throw, seen.throw
        if self.rounds.phase is not RUNNING or (seen.throw is not None and seen.throw == self._throw_before):
            return
        lit = self.areas.dice
        if lit is not None and (seen.throw != before or sorted(seen.dice, key=str) != sorted(lit)):
            self.disturbed(seen.t_ns, "the board read them otherwise")
            return
        self.values.take_reading(seen)
        self.judge(seen.t_ns)

    def moved(self, seen: DiceMoving) -> None:
        """A board sees dice move: what it read of them before is over. A cover that comes off looks to it like that."""
        if self.rounds.phase is not RUNNING:
            return
        covered_ns = self.uncover_ns if self.by_hand else 0
        lit = self.areas.dice is not None
        if self.revealed_ns is not None and (seen.t_ns > self.revealed_ns + covered_ns or lit):
            self.disturbed(seen.t_ns, "the board saw them move")
        else:
            self.values.unread()

    def judge(self, t_ns: int) -> None:
        """Judges the values that were entered and read so far, or waits for more."""
        if self.rounds.phase is not RUNNING or self.areas.dice is not None:
            return
        found = self._found(t_ns)
        if isinstance(found, Read):
            self._light(t_ns, found.dice)
        elif isinstance(found, Doubted) and found.reason in LYING:
            self.void(t_ns, NOT_FLAT, found.detail)
        elif isinstance(found, Doubted):
            self.unresolved(t_ns, found.reason, found.detail, found.candidates)
        else:
            # Dice that do not lie yet are awaited by their shaker, not by the sources of their values.
            self.rounds.set_run_due(self.values.next_due_ns)

    def _found(self, t_ns: int) -> Read | Doubted | None:
        """What the sources of values come to, the automated shaker among them; None while one is awaited."""
        read = self.values.read
        if self.values.lie and read is not None and "cocked" in read.lying:
            return Doubted(NOT_FLAT, f"as the board reads them: {', '.join(read.lying)}")
        found = self.values.verdict(t_ns)
        if isinstance(found, Read) and self.tossed is not None and not self.by_hand:
            if not self.tossed.contradicts(found.dice):
                return found
            detail = "what was entered is not what the shaker reports of its dice"
            return Doubted("values_disagree", detail, (found.dice, self.tossed.values))
        if isinstance(found, Doubted):
            rules = self.areas.layout.rules
            return found._replace(candidates=tuple(dice for dice in found.candidates if rules.complete(dice)))
        return found

    # --- their areas ---------------------------------------------------------------------------------------------

    def _light(self, t_ns: int, dice: Dice) -> None:
        """Lights exactly the areas that win; the round has its outcome when they are read back."""
        self.rounds.drop_run_due()
        self.areas.light(dice, t_ns)
        if self.areas.failure is not None:
            self.decide(t_ns)

    def decide(self, t_ns: int) -> None:
        """The areas are lit, or cannot be: a round whose values are valid has its outcome."""
        dice, failure = self.areas.dice, self.areas.failure
        if self.rounds.phase is not RUNNING or dice is None:
            return
        winning, notices = self.areas.layout.pays(dice)
        # It is settled by areas that are lit, 9.3(c); where they cannot be, by 9.6(b).
        rule = "" if failure is None else self.rounds.reasons[LAMPS_FAILED].rule
        if failure is not None:
            notices = [*notices, f"lamps_failed: {failure}; settle in the supervisor's presence ({rule})"]
        self.rounds.outcome(t_ns, result_of(dice), winning, self.evidence(), notices, rule=rule)

    def evidence(self, detail: str = "", *, no_more_bets: str | None = None) -> Evidence:
        """What was measured of the round."""
        rested = self.shaking.rested if self.by_hand else None
        tossed_s = None if self.by_hand or self.tossed is None else self.tossed.tossed_s
        tumbling = Tumbling(
            shakes=self.shaking.shakes if self.by_hand else None,
            minimum_shakes=self.shaking.minimum if self.by_hand else None,
            moved_s=tossed_s if rested is None else rested.moved_s,
            pulses=None if rested is None else rested.pulses,
            unevenness=None if rested is None else rested.unevenness,
            rest_ns=self.revealed_ns,
            keyed=self.values.keyed,
            read=self.values.seen,
        )
        return Evidence(tumbles=[tumbling], detail=detail, no_more_bets=no_more_bets)
