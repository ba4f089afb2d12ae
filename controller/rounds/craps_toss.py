"""The throw of a craps table with an automated shaker, as sic bo has it (13:69F-9): a house option, for the craps of
13:69F-1A is known by its titles alone.

    open ──call──► called ──the controller starts it──► it tosses ──they lie──► values ──► decide, or doubt
                                 └── it does not, stops at once, goes on, says that it failed ──► void: shaker_failed

While the shaker stands on the table, nothing else sets the dice going; while it is taken away, the shooter throws.
"""

from __future__ import annotations

from controller.games.craps.rules import CrapsRules
from controller.games.dice.values import DiceValues, Doubted, Read, words
from controller.rounds.craps_options import CrapsOptions
from controller.rounds.craps_throw import CrapsThrow
from controller.rounds.game import NEVER_NS
from controller.rounds.tossed_game import TossedGame
from controller.rounds.tossing import Tossing
from controller.rounds.voice import Seat
from controller.table.phase import OPEN, RUNNING
from drivers.base.driver import Observation
from drivers.dice.observations import DiceMoving, DiceRead
from drivers.dice.reader import DiceReader
from feed import events


class CrapsToss(CrapsThrow, TossedGame):
    """Rounds of which each is one throw, by hand or by an automated shaker."""

    def __init__(
        self,
        seat: Seat,
        rules: CrapsRules,
        options: CrapsOptions,
        values: DiceValues,
        reader: DiceReader | None,
        tossing: Tossing | None,
    ) -> None:
        """`tossing` is the automated shaker; None where the table has none."""
        super().__init__(seat, rules, options, values, reader)
        self.tossing = tossing
        self._before: int | None = None
        """The board's own number of the throw that it had read last when the shaker began to toss."""

    @property
    def needs_shaker(self) -> bool:
        """Whether the shaker stands on the table, and so throws the dice of this round."""
        return self.tossing is not None and self.tossing.present

    def quiet(self) -> bool:
        """A toss that goes on is waited for; dice that a shooter threw are not."""
        return super().quiet() and (self.tossing is None or self.tossing.quiet)

    def own_due_ns(self) -> int:
        """When the shaker is to be started, or something has to have come of it."""
        return NEVER_NS if self.tossing is None else self.tossing.next_due_ns

    def own_due(self, t_ns: int) -> None:
        """That time has come."""
        if self.tossing is not None:
            self.tossing.due(self, t_ns)

    def open(self, t_ns: int) -> None:
        """Opens the next round."""
        super().open(t_ns)
        self._await(t_ns)

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The call: the shaker is started in a moment. A shooter's throw closes the bets, called or not."""
        if self.tossing is not None and self.needs_shaker:
            self.tossing.called(self, t_ns)

    def see(self, seen: Observation) -> None:
        """Takes an observation of the shaker, the keypad or the board."""
        if self.tossing is not None and self.tossing.hears(seen):
            self.tossing.see(self, seen)
        elif not self.needs_shaker or not isinstance(seen, DiceMoving | DiceRead):
            super().see(seen)
        else:
            if self.phase is RUNNING:
                self._in_shaker(seen)
            if isinstance(seen, DiceRead):
                self._last_throw = seen.throw

    def _in_shaker(self, seen: DiceMoving | DiceRead) -> None:
        """What a board sees of the dice in a shaker: that they move is no throw unless the shaker was started."""
        if isinstance(seen, DiceRead):
            if seen.throw is None or seen.throw != self._before:
                self.values.told(seen)
                self._judge(seen.t_ns)
        elif self.values.lie:
            self.disturbed(seen.t_ns, "the dice were moved")
        else:
            self.values.unread()

    # --- what the shaker does ------------------------------------------------------------------------------------

    def start(self, t_ns: int) -> None:
        """It tosses: nothing that was said of the dice before stands."""
        self.values.begin()
        self._before = self._last_throw
        self.phase = RUNNING
        self.say(events.RoundStarted, t_ns, tossed_by="shaker")

    def reveal(self, t_ns: int, at_ns: int) -> None:
        """The dice lie, and everybody sees them."""
        self.revealed_ns = at_ns
        self.values.rested(at_ns)
        self._judge(t_ns)

    def too_soon(self, t_ns: int) -> None:
        """It tossed and nobody had called: nobody but the controller starts it, so it has failed."""
        failure = "" if self.tossing is None else self.tossing.watch.failure
        self.void(t_ns, "shaker_failed", self.evidence(failure))

    def shaker_stands(self, t_ns: int, *, present: bool, by: str = "") -> None:
        """It was put on the table, or taken away: the next throw of an open round is another's."""
        if self.phase is OPEN:
            self.values.begin()
            self._await(t_ns)

    def _await(self, t_ns: int) -> None:
        """Where nobody can say when the dice of a throw lie, whoever enters their values says it."""
        if self.phase is OPEN and not self.read_by_board and not self.needs_shaker:
            self.values.rested(t_ns)

    # --- verdicts ------------------------------------------------------------------------------------------------

    def verdict(self, t_ns: int) -> Read | Doubted | None:
        """What keypad and board come to, and the shaker, where it says how its dice lie."""
        found = super().verdict(t_ns)
        if not isinstance(found, Read) or self.tossing is None or not self.needs_shaker:
            return found
        if not self.tossing.tells_otherwise(found.dice):
            return found
        said = self.tossing.watch.values
        detail = f"{words(found.dice)} was entered or read, and the shaker says that its dice lie as {words(said)}"
        return Doubted("values_disagree", detail, (found.dice, said))

    def give_up(self, t_ns: int) -> None:
        """Nothing of the round goes on: the shaker stops, where it can be told to."""
        if self.tossing is not None:
            self.tossing.give_up(self, t_ns)
        super().give_up(t_ns)
