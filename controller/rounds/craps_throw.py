"""The throw of a round of craps: when it begins, when its dice lie, and who gives their values.

    open ──dice move, or values are entered──► running ──they lie, with values──► decide, or doubt

Where there is a reading board, it says when dice move and lie. Where only a keypad is, nobody does: the entry itself is
the word that they lie, and values keyed before the round opened are of another throw.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Literal

from controller.games.craps.rules import CrapsRules
from controller.games.dice.values import DiceValues, Doubted, Read, words
from controller.rounds.craps_options import CrapsOptions
from controller.rounds.craps_result import evidence_of
from controller.rounds.equipped_game import EquippedGame
from controller.rounds.voice import Seat
from controller.table.phase import OPEN, RUNNING
from drivers.base.driver import Observation
from drivers.dice.observations import DiceEntered, DiceMoving, DiceRead
from drivers.dice.reader import DiceReader
from feed import events
from feed.events import Evidence


class CrapsThrow(EquippedGame):
    """Rounds of which each is one throw. What it decides is for the game."""

    def __init__(
        self, seat: Seat, rules: CrapsRules, options: CrapsOptions, values: DiceValues, reader: DiceReader | None
    ) -> None:
        super().__init__(seat, rules, rules.result_read.cite, options.settle_after_s, values, reader)
        self._call_ns = round(options.call_time_s * 1e9)
        self.read_by_board = "reader" in values.sources
        self._last_throw: int | None = None
        """The board's own number of the throw that it read last."""
        self.revealed_ns: int | None = None
        """When the dice of this round were known to lie, where a board or a shaker says so."""
        self._strays: Literal["void", "early"] | None = None
        """Dice that move and belong to no open round: of a throw that was called void, or thrown before the round."""

    @abstractmethod
    def decide(self, t_ns: int, read: Read) -> None:
        """The dice lie, and their values stand."""

    @abstractmethod
    def doubt(self, t_ns: int, doubted: Doubted) -> None:
        """The dice lie so that they are no roll, or nobody knows their values."""

    def reset(self) -> None:
        """A new round begins."""
        self.values.begin()
        self.revealed_ns = None

    def quiet(self) -> bool:
        """The next round opens at once: dice of a void throw that move still count for nothing."""
        return not self.stopping

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The texts have no call: the throw closes the bets, called or not."""

    def opened_after_settling(self, t_ns: int) -> None:
        """Dice that moved before the round opened were thrown too early, or are being collected."""

    # --- what keypad and board say -------------------------------------------------------------------------------

    def see(self, seen: Observation) -> None:
        """Takes an observation of keypad or board."""
        if self.heed_values(seen):
            return
        if isinstance(seen, DiceMoving):
            self._moved(seen)
        elif isinstance(seen, DiceRead):
            self._read(seen)
        elif isinstance(seen, DiceEntered):
            self._entered(seen)

    def disturbed(self, t_ns: int, what: str) -> None:
        """Dice that lay moved again, and nobody had decided what they came to."""
        if self.phase is RUNNING:
            candidates = () if self.values.read is None else _dice(self.values.read)
            self.doubt(t_ns, Doubted("dice_disturbed", f"{what} before all their values were given", candidates))

    def run_due(self, t_ns: int) -> None:
        """The keypad, or the board, was waited for long enough."""
        self._judge(t_ns)

    def _moved(self, seen: DiceMoving) -> None:
        if not self.read_by_board:
            return
        if self.phase is OPEN:
            self._strays = None
            self.values.begin()
            self._begin(seen.t_ns)
        elif self.phase is not RUNNING:
            self._strays = "early"
        elif self.values.lie:
            self.disturbed(seen.t_ns, "the dice were moved")

    def _read(self, seen: DiceRead) -> None:
        before, self._last_throw = self._last_throw, seen.throw
        unheard = before is not None and seen.throw is not None and seen.throw != before
        if self.phase is OPEN and self._strays is None and self.read_by_board and unheard:
            # A throw of which the movement was not heard: it may have been a roll, and is not passed over.
            self.values.begin()
            self._begin(seen.t_ns)
        if self.phase is RUNNING and self.read_by_board:
            if not self.values.lie:
                self.values.rested(seen.t_ns)
                self.revealed_ns = seen.t_ns
            self.values.told(seen)
            self._judge(seen.t_ns)
            return
        if self._strays == "early":
            detail = f"dice that moved before the round opened lie as {words(_shown(seen))}: they count for nothing"
            self.say(events.DeviceWarning, seen.t_ns, device="reader", warning="thrown_before_open", detail=detail)
        self._strays = None

    def _entered(self, seen: DiceEntered) -> None:
        if not self.undecided:
            detail = f"{words(seen.dice)} was entered while no roll was waited for; {self._advice(seen.dice)}"
            self.say(events.DeviceWarning, seen.t_ns, device="keypad", warning="keyed_out_of_round", detail=detail)
        elif not self.values.keyed(seen):
            self.too_early(seen)
        else:
            if self.phase is OPEN:
                self._begin(seen.t_ns)
            self._judge(seen.t_ns)

    def _advice(self, dice: Sequence[int]) -> str:
        """What makes a result of dice that were entered when the last roll had its verdict."""
        last = self.recent.last
        if last is None or last.stands.verdict != "unresolved":
            return "a supervisor corrects a result"
        names = [words(one["dice"]) for one in last.candidates if sorted(one["dice"]) == sorted(dice)]
        if not names:
            return f"round {last.round} is unresolved: void it, or a supervisor corrects it"
        return f"round {last.round} is unresolved: confirm dice={names[0]} calls it"

    def _begin(self, t_ns: int) -> None:
        """The dice are thrown, which closes the bets."""
        self.close_bets(t_ns, t_ns, "auto")
        self.phase = RUNNING
        self.say(events.RoundStarted, t_ns)

    def _judge(self, t_ns: int) -> None:
        verdict = self.verdict(t_ns)
        if isinstance(verdict, Read) and self.revealed_ns is not None and t_ns < self.revealed_ns + self._call_ns:
            # Time to see that a die lies on the bank, and for the board to look again.
            self.run_due_ns = self.revealed_ns + self._call_ns
            return
        if isinstance(verdict, Read):
            self.decide(t_ns, verdict)
        elif isinstance(verdict, Doubted):
            self.doubt(t_ns, verdict)
        else:
            self.run_due_ns = max(t_ns + 1, self.values.next_due_ns)

    def verdict(self, t_ns: int) -> Read | Doubted | None:
        """What those who give the values come to; None while one of them is waited for."""
        return self.values.verdict(t_ns)

    # --- refusals ------------------------------------------------------------------------------------------------

    def void(self, t_ns: int, reason: str, evidence: Evidence) -> None:
        """The roll is invalid. Its dice may move still."""
        if self.phase is RUNNING and self.read_by_board and not self.values.lie:
            self._strays = "void"
        super().void(t_ns, reason, evidence)

    def void_by_hand(self, t_ns: int, why: str = "", reason: str = "dealer_call") -> bool:
        """A person calls "No Roll". Where it should come before the dice lie, its evidence says how late it was."""
        known = self._reasons.get(reason)
        if known is not None and known.before_rest and self.undecided and self.revealed_ns is not None:
            after_s = (t_ns - self.revealed_ns) / 1e9
            late = f"called {after_s:.1f} s after the dice lay; whenever possible it comes before"
            why = f"{why}; {late}" if why else late
        return super().void_by_hand(t_ns, why, reason)

    def evidence(self, detail: str = "") -> Evidence:
        """Who gave the values of this throw."""
        return evidence_of(self.values, self.revealed_ns, detail)


def _shown(seen: DiceRead) -> list[int]:
    return [value for value in seen.dice if value is not None]


def _dice(seen: DiceRead) -> tuple[tuple[int, ...], ...]:
    values = tuple(_shown(seen))
    return (values,) if values and len(values) == len(seen.dice) else ()
