"""The automated shaker in a round: the controller starts it, after the call and not before (13:69F-9).

It is started here, and not only enabled, because then nothing but our own command can have set it going: whatever
tosses unasked is a malfunction, and that it fails to operate shows by a time that runs from a moment we know.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controller.rounds.toss_watch import NEVER_NS, TossNews, TossWatch
from controller.rounds.tossed_game import TossedGame
from controller.table.faults import Fault
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING
from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.dice.automated_shaker import ShakerPresent, ShakerTrouble, TossAnswered, TossDoubt, TossMoving

DEVICE: Final = "automated_shaker"
ITS_WORD: Final = "what it says of itself"
"""The cause of its fault while its fault line is high."""
_HEARD: Final = (ShakerPresent, ShakerTrouble, TossAnswered, TossDoubt, TossMoving)


class Tossing:
    """The automated shaker of one table."""

    def __init__(self, watch: TossWatch, activate_after_s: float, *, present_sensor: bool) -> None:
        self.watch = watch
        self.present_sensor = present_sensor
        self.present = True
        """Whether it stands on the table: by its sensor, or by a supervisor's word."""
        self._after_ns = round(activate_after_s * 1e9)
        self._start_ns = NEVER_NS
        self._dead: dict[str, SensorDead] = {}
        """Its lines that are dead, whether it stands on the table or not."""

    @property
    def next_due_ns(self) -> int:
        """When it is to be started, or something has to have come."""
        return min(self._start_ns, self.watch.next_due_ns)

    def tells_otherwise(self, dice: Sequence[int]) -> bool:
        """Whether the shaker itself says of each of its dice how it lies, and otherwise than these."""
        said = self.watch.values
        whole = len(said) == len(dice) and all(1 <= value <= 6 for value in said)
        return whole and sorted(said) != sorted(dice)

    @property
    def quiet(self) -> bool:
        """Whether it does not stand on the table, or nothing tosses and nothing was asked to."""
        return not self.present or self.watch.quiet

    def hears(self, seen: Observation) -> bool:
        """Whether an observation is the automated shaker's."""
        return isinstance(seen, _HEARD)

    def called(self, game: TossedGame, t_ns: int) -> None:
        """ "No more bets": it is started in a moment, where it stands on the table."""
        if self.present:
            self._start_ns = t_ns + self._after_ns
        elif game.needs_shaker:
            detail = "no shaker stands on the table: void the round, then shaker_placed"
            game.warn(t_ns, DEVICE, "no_shaker", detail)

    def give_up(self, game: TossedGame, t_ns: int) -> None:
        """Nothing of the round goes on."""
        self._start_ns = NEVER_NS
        self.watch.give_up(t_ns)
        self._do(game)

    def start(self, game: TossedGame, t_ns: int) -> None:
        """Starts a toss now."""
        self._start_ns = NEVER_NS
        self.watch.start(t_ns)
        self._do(game)

    def due(self, game: TossedGame, t_ns: int) -> None:
        """A deadline has come."""
        if self._start_ns <= t_ns:
            self.start(game, self._start_ns)
            return
        news = self.watch.due(t_ns)
        self._do(game)
        if self.present:
            self._heed(game, news, t_ns)
        if game.phase is RUNNING_OUT:
            game.over_if_quiet(t_ns)

    def keeps(self, seen: SensorDead | SensorAlive) -> bool:
        """Whether a line of a shaker that does not stand on the table died or lives: it is told when it does again."""
        if seen.line not in self.watch.lines:
            return False
        if isinstance(seen, SensorDead):
            self._dead[seen.line] = seen
        else:
            self._dead.pop(seen.line, None)
        return not self.present

    def see(self, game: TossedGame, seen: Observation) -> None:
        """Takes what the shaker says."""
        if isinstance(seen, ShakerPresent):
            self.stands(game, seen.t_ns, present=seen.present)
            return
        news = self.watch.see(seen)
        self._do(game)
        if isinstance(seen, ShakerTrouble) and not seen.active and self.present:
            game.cause_gone(seen.t_ns, ITS_WORD, DEVICE)
        if self.present:
            self._heed(game, news, seen.t_ns)
        if game.phase is RUNNING_OUT:
            game.over_if_quiet(seen.t_ns)

    def stands(self, game: TossedGame, t_ns: int, *, present: bool, by: str = "") -> None:
        """It was put on the table, or taken away; `by` is who says so, where no sensor does."""
        changes, self.present = present is not self.present, present
        if changes and not present:
            self._start_ns = NEVER_NS
            if not self.watch.quiet:
                self.watch.give_up(t_ns)
                self.watch.failure = "it was taken from the table while it tossed"
                self._do(game)
                self._heed(game, "failed", t_ns)
            # It is no longer asked: what it says of itself, or no longer says, keeps nothing shut.
            for cause in (ITS_WORD, *self._dead):
                game.cause_gone(t_ns, cause, DEVICE)
        elif changes:
            self._stands_again(game, t_ns)
        game.shaker_stands(t_ns, present=present, by=by)
        if game.phase is RUNNING_OUT:
            game.over_if_quiet(t_ns)

    def _stands_again(self, game: TossedGame, t_ns: int) -> None:
        """What it said while it did not stand on the table counts from now on."""
        for dead in self._dead.values():
            game.stop_bets(Fault(t_ns, dead.fault, dead.detail, cause=dead.line, device=DEVICE))
        if self.watch.trouble or self.watch.moving:
            trouble = self.watch.trouble
            self.watch.failure = "it says that it has failed" if trouble else "it tosses as it is put on the table"
            game.stop_bets(self._failed(t_ns))

    def _heed(self, game: TossedGame, news: TossNews | None, t_ns: int) -> None:
        if news is None or game.operated(news, self.watch.failure, t_ns):
            return
        if news == "began":
            if game.phase is OPEN:
                game.start(t_ns)
        elif news == "lies":
            if game.phase is RUNNING:
                game.reveal(t_ns, t_ns)
        elif news == "unasked" and game.undecided and game.called_ns is None:
            self._fault(game, t_ns)
            game.start(t_ns)
            game.too_soon(t_ns)
        elif game.phase is RUNNING and game.revealed_ns is not None:
            if news == "unasked":
                game.disturbed(t_ns, "the shaker tossed")
            self._fault(game, t_ns)
        elif game.undecided:
            self._fault(game, t_ns)
            game.void(t_ns, "shaker_failed", game.evidence(self.watch.failure))
        else:
            if game.phase is SETTLING and news == "unasked":
                game.warn(t_ns, DEVICE, "tossed_at_rest", self.watch.failure)
            self._fault(game, t_ns)

    def _fault(self, game: TossedGame, t_ns: int) -> None:
        game.stop(self._failed(t_ns))

    def _failed(self, t_ns: int) -> Fault:
        cause = ITS_WORD if self.watch.trouble else ""
        return Fault(t_ns, "shaker_failed", self.watch.failure, cause=cause, device=DEVICE)

    def _do(self, game: TossedGame) -> None:
        game.shown += self.watch.shown
        self.watch.shown = []
