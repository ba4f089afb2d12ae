"""The dice of one roll of craps: thrown or tossed, seen to lie, and their values given, until the roll has its verdict.

Where there is a reading board, it reports when dice move and lie (`throw`). Where only a keypad is, nobody does: the
entry itself counts as their rest. With an automated shaker nothing else sets the dice going while it is on the
table (`controller.games.dice.tossed_dice`).
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.games.craps.between_rolls import BetweenRolls
from controller.games.craps.rolls import CrapsRolls
from controller.games.craps.throw import BoardThrow
from controller.games.dice.tossed_dice import SHAKER_FAILED, RoundView, Toss, TossedDice
from controller.games.dice.value_devices import ValueDevices
from controller.games.dice.values import LYING, DiceValues, Doubted, Read, words
from controller.table.phase import OPEN, RUNNING
from controller.table.rounds import RoundLifecycle
from drivers.base.driver import Observation
from drivers.dice.automated_shaker import ShakerPresent
from drivers.dice.observations import DiceEntered, DiceMoving, DiceRead
from feed import events
from feed.data import Tumbling
from feed.events import Evidence


class DiceOnTable:
    """The dice of one roll after another."""

    def __init__(
        self,
        rounds: RoundLifecycle,
        values: DiceValues,
        rolls: CrapsRolls,
        tossed: TossedDice | None,
        call_time_s: float,
    ) -> None:
        """A roll decides nothing for `call_time_s` after its dice came to rest: "No Roll" can be called first."""
        self.values = values
        self.devices = ValueDevices(values, rounds.report)
        self.throw = BoardThrow()
        self.tossed = tossed
        self.rounds = rounds
        self._rolls = rolls
        self._by_board = "reader" in values.sources
        self._call_ns = round(call_time_s * 1e9)

    def begin(self) -> None:
        """A new round begins."""
        self.values.begin()
        self.throw.begin()

    def await_entry(self, t_ns: int) -> None:
        """Where nothing reports when the dice of a throw are at rest, the entry of their values does."""
        if self.rounds.phase is OPEN and not self._by_board and not self.shaker_throws:
            self.values.rested(t_ns)

    def give_up(self, t_ns: int) -> None:
        """The roll is over: the shaker stops, where it can be stopped. Dice that were thrown may move still."""
        if self.rounds.phase is RUNNING and self._by_board and not self.values.lie:
            self.throw.voided()
        if self.tossed is not None:
            self.tossed.give_up(t_ns)

    @property
    def shaker_throws(self) -> bool:
        """Whether an automated shaker is on the table, and so throws the dice of this round."""
        return self.tossed is not None and self.tossed.present

    # --- thrown by hand ------------------------------------------------------------------------------------------

    def entered(self, seen: DiceEntered) -> None:
        """A person entered values."""
        if not self.rounds.undecided:
            detail = f"{words(seen.dice)} was entered while no roll was waited for; {self._advice(seen.dice)}"
            self.rounds.report.warn(seen.t_ns, "keypad", "keyed_out_of_round", detail)
        elif not self.values.take_entry(seen):
            self.devices.too_early(seen)
        else:
            if self.rounds.phase is OPEN:
                self._thrown(seen.t_ns)
            self.judge(seen.t_ns)

    def moved(self, seen: DiceMoving) -> None:
        """A board sees dice move: that is a throw, unless they are in a shaker."""
        if self.shaker_throws:
            self._moved_in_shaker(seen)
        elif self._by_board:
            means = self.throw.moved(seen.t_ns, self.rounds.phase, lie=self.values.lie)
            if means == "begins":
                self.values.begin()
                self._thrown(seen.t_ns)
            elif means == "disturbed":
                self._disturbed(seen.t_ns, "the dice were moved")

    def read(self, seen: DiceRead) -> None:
        """A board read dice."""
        if self.shaker_throws:
            self._read_in_shaker(seen)
            return
        rounds = self.rounds
        if self.throw.read(seen.throw, rounds.phase) and self._by_board:
            self.values.begin()
            self._thrown(seen.t_ns)
        if rounds.phase is RUNNING and self._by_board:
            if not self.values.lie:
                self.values.rested(seen.t_ns)
                self.throw.revealed_ns = seen.t_ns
            self.values.take_reading(seen)
            self.judge(seen.t_ns)
        elif self.throw.strays_lie():
            detail = f"dice that moved before the round opened lie as {words(_values(seen))}: they do not count"
            rounds.report.warn(seen.t_ns, "reader", "thrown_before_open", detail)

    def _thrown(self, t_ns: int) -> None:
        """The dice are thrown, which closes the bets."""
        self.rounds.close_bets(t_ns, t_ns, "auto")
        self.rounds.begin_run()
        self.rounds.report.event(events.RoundStarted, t_ns)

    def _advice(self, dice: Sequence[int]) -> str:
        """What makes a result of dice that were entered when the last roll had its verdict."""
        last = self.rounds.recent.last
        if last is None or last.stands.verdict != "unresolved":
            return "a supervisor corrects a result"
        names = [words(one["dice"]) for one in last.candidates if sorted(one["dice"]) == sorted(dice)]
        if not names:
            return f"round {last.round} is unresolved: void it, or a supervisor corrects it"
        return f"round {last.round} is unresolved: confirm dice={names[0]} calls it"

    # --- tossed by the automated shaker --------------------------------------------------------------------------

    @property
    def view(self) -> RoundView:
        """Where the round is, for a toss."""
        return RoundView(self.rounds.phase, self.rounds.called_ns is not None, self.throw.revealed_ns is not None)

    def toss(self, t_ns: int, tosses: Sequence[Toss]) -> None:
        """What the automated shaker did to the round."""
        self._do(t_ns, tosses)
        self.rounds.over_if_quiet(t_ns)

    def placed(self, t_ns: int, tosses: Sequence[Toss]) -> None:
        """The shaker was put on the table, or taken away: the next throw of an open round is another's."""
        self._do(t_ns, tosses)
        if self.rounds.phase is OPEN:
            self.values.begin()
            self.await_entry(t_ns)

    def _do(self, t_ns: int, tosses: Sequence[Toss]) -> None:
        for toss in tosses:
            match toss.does:
                case "begins":
                    self.values.begin()
                    self.throw.tossed()
                    self.rounds.begin_run()
                    self.rounds.report.event(events.RoundStarted, t_ns, tossed_by="shaker")
                case "lies":
                    self.throw.revealed_ns = t_ns
                    self.values.rested(t_ns)
                    self.judge(t_ns)
                case "disturbs":
                    self._disturbed(t_ns, toss.detail)
                case "too_soon" | "fails":
                    # Nobody but the controller starts it: before the call, too, it has failed.
                    ours = toss.ours or toss.does == "too_soon"
                    self.rounds.void(t_ns, SHAKER_FAILED, self._evidence(toss.detail), ours=ours)

    def _moved_in_shaker(self, seen: DiceMoving) -> None:
        """That dice move in a shaker is not a throw unless the shaker was started."""
        if self.rounds.phase is RUNNING and self.values.lie:
            self._disturbed(seen.t_ns, "the dice were moved")
        elif self.rounds.phase is RUNNING:
            self.values.unread()

    def _read_in_shaker(self, seen: DiceRead) -> None:
        """A reading of a shaker's dice counts for its toss, unless it is of the throw before."""
        if self.rounds.phase is RUNNING and (seen.throw is None or seen.throw != self.throw.before):
            self.values.take_reading(seen)
            self.judge(seen.t_ns)
        self.throw.last = seen.throw

    # --- the verdict ---------------------------------------------------------------------------------------------

    def judge(self, t_ns: int) -> None:
        """Judges the values that were given so far, or waits for more."""
        rounds, now = self.rounds, self._rolls.history.now
        found = self._found(t_ns)
        revealed_ns = self.throw.revealed_ns
        if isinstance(found, Read) and revealed_ns is not None and t_ns < revealed_ns + self._call_ns:
            # Time to see that a die is on the bank, and for the board to look again.
            rounds.set_run_due(revealed_ns + self._call_ns)
        elif isinstance(found, Read):
            winning, notices = self._rolls.pays(now, found.dice)
            rounds.outcome(t_ns, self._rolls.result(now, found.dice), winning, self._evidence(), notices)
        elif isinstance(found, Doubted):
            self._doubt(t_ns, found)
        else:
            rounds.set_run_due(self.values.next_due_ns)

    def _found(self, t_ns: int) -> Read | Doubted | None:
        """What the sources of values come to, the shaker among them where it reports how its dice came to rest."""
        found = self.values.verdict(t_ns)
        if not isinstance(found, Read) or self.tossed is None or not self.shaker_throws:
            return found
        if not self.tossed.contradicts(found.dice):
            return found
        values = self.tossed.values
        detail = f"{words(found.dice)} was entered or read, and the shaker reports its dice as {words(values)}"
        return Doubted("values_disagree", detail, (found.dice, values))

    def _disturbed(self, t_ns: int, what: str) -> None:
        """Dice that were at rest moved again, and nobody had decided what they came to."""
        if self.rounds.phase is RUNNING:
            candidates = () if self.values.read is None else _dice(self.values.read)
            self._doubt(t_ns, Doubted("dice_disturbed", f"{what} before all their values were given", candidates))

    def _doubt(self, t_ns: int, doubted: Doubted) -> None:
        """The dice came to rest so that they are not a roll, or nobody knows their values."""
        evidence = self._evidence(doubted.detail)
        if doubted.reason in LYING and doubted.reason in self.rounds.reasons:
            self.rounds.void(t_ns, doubted.reason, evidence)
            return
        now, rules = self._rolls.history.now, self._rolls.history.craps.rules
        possible = [dice for dice in dict.fromkeys(doubted.candidates) if rules.complete(dice)]
        candidates = [self._rolls.result(now, dice) for dice in possible]
        self.rounds.unresolved(t_ns, doubted.reason, evidence, candidates)

    def _evidence(self, detail: str = "") -> Evidence:
        """Who gave the values of this throw, and the doubts about them."""
        read = self.values.read
        tossed_s = self.tossed.tossed_s if self.tossed is not None and self.shaker_throws else None
        tumbling = Tumbling(
            moved_s=self.throw.moved_s if tossed_s is None else tossed_s,
            rest_ns=self.throw.revealed_ns,
            keyed=self.values.keyed,
            read=self.values.seen,
            doubts=[] if read is None else list(read.doubts),
        )
        return Evidence(tumbles=[tumbling], detail=detail)


class TossedOnTable:
    """The automated shaker of a craps table, which may be on the table, or not."""

    def __init__(self, tossed: TossedDice, dice: DiceOnTable, between: BetweenRolls) -> None:
        self.tossed = tossed
        self._dice = dice
        self._between = between

    def take(self, seen: Observation) -> None:
        """Takes what it or its actuator reports."""
        if isinstance(seen, ShakerPresent):
            self.place(seen.t_ns, present=seen.present)
        else:
            self._dice.toss(seen.t_ns, self.tossed.take(seen, self._dice.view))

    def place(self, t_ns: int, *, present: bool, by: str = "") -> None:
        """It was put on the table, or taken away; `by` ordered it, where no sensor reports it."""
        self._dice.placed(t_ns, self.tossed.place(t_ns, self._dice.view, present=present))
        if by:
            self._between.report_carried(t_ns, "shaker_placed" if present else "shaker_removed", by, {})
        self._dice.rounds.over_if_quiet(t_ns)


def _values(seen: DiceRead) -> list[int]:
    return [value for value in seen.dice if value is not None]


def _dice(seen: DiceRead) -> tuple[tuple[int, ...], ...]:
    values = tuple(_values(seen))
    return (values,) if values and len(values) == len(seen.dice) else ()
