"""The last rolls of a game of craps: where it was before each of them, and where it is now.

    before 7 ──roll 7──► before 8 ──roll 8──► before 9 ──roll 9──► now
                  └ corrected: all that comes after is reckoned again

What people do between two rolls (the shooter passes the dice, a player asks for other ones) is the difference between
where a roll left the game and where it was before the next one, and is done again when the game is reckoned again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from controller.games.craps.decision import Craps, CrapsState, Rolled
from controller.table.recent import RECENT
from feed.events import Verdict
from feed.state import RoundRecord

NO_THROW: Final = frozenset({"dealer_call", "power_loss", "service_stopped", "shaker_failed"})
"""What makes a round void whatever the throw was: it is not an invalid roll of the shooter's."""


PHASE: Final = "phase"
"""A key that each state of the game has, and no other game's."""
SHAKER_REMOVED: Final = "shaker_removed"
"""Carried beside the state of the game: a person ordered that the automated shaker is off the table."""


class Roll(NamedTuple):
    """A round that has its verdict."""

    round: int
    before: CrapsState
    stands: Verdict


class CrapsHistory:
    """Where a game of craps is, by the rolls that were made."""

    def __init__(self, craps: Craps, reasons: Collection[str]) -> None:
        """`reasons` are those of the rules for which a roll is invalid."""
        self.craps = craps
        self.now = CrapsState()
        """Before the next roll."""
        self.unread: dict[str, Any] | None = None
        """What the journal holds of where the game is, where this version does not read it; None otherwise."""
        self._invalid = frozenset(reasons) - NO_THROW
        self._rolls: dict[int, Roll] = {}

    def before(self, number: int, current: int) -> CrapsState:
        """Where the game was before a round's roll; `current` is the round that has no verdict yet.

        Raises:
            ValueError: the round was too long ago.
        """
        roll = self._rolls.get(number)
        if roll is not None:
            return roll.before
        if number == current and self.unread is None:
            return self.now
        raise ValueError(f"the state of the game before round {number} is not known any more")

    def rolled(self, state: CrapsState, dice: Sequence[int]) -> Rolled:
        """What a valid roll decides. Raises `ValueError` where these are not two dice."""
        return self.craps.roll(state, dice)

    def decided(self, number: int, verdict: Verdict) -> None:
        """A round has its verdict."""
        if self.unread is not None:
            return
        self._rolls[number] = Roll(number, self.now, verdict)
        self.now = self._after(self.now, verdict)
        while len(self._rolls) > RECENT:
            del self._rolls[next(iter(self._rolls))]

    def corrected(self, number: int, verdict: Verdict) -> dict[int, CrapsState]:
        """A person put another verdict in place: reckons all that comes after again.

        Returns:
            Where the game was before each later round, where that is not what was published.
        """
        changed: dict[int, CrapsState] = {}
        was = state = None
        for roll in [*self._rolls.values()]:
            if roll.round == number:
                was = self._after(roll.before, roll.stands)
                self._rolls[number] = roll._replace(stands=verdict)
                state = self._after(roll.before, verdict)
            elif was is not None and state is not None:
                before = self._between(was, roll.before, state)
                if before != roll.before:
                    changed[roll.round] = before
                was, state = self._after(roll.before, roll.stands), self._after(before, roll.stands)
                self._rolls[roll.round] = roll._replace(before=before)
        if was is not None and state is not None:
            self.now = self._between(was, self.now, state)
        return changed

    def restate(self, number: int, verdict: Verdict) -> None:
        """What follows from a correction is put in place: the same roll with what it decides now."""
        self._rolls[number] = self._rolls[number]._replace(stands=verdict)

    def later(self, number: int) -> list[Roll]:
        """The rounds after this one, oldest first."""
        return [roll for roll in self._rolls.values() if roll.round > number]

    def restore(self, records: Sequence[RoundRecord], now: Mapping[str, Any] | None) -> None:
        """Continues from what the journal holds: the last rounds, and the state published since."""
        for record in records:
            before = _state(record.course)
            if before is not None:
                self.now = before
                self.decided(record.round, record.stands)
        last = now if now is not None else records[-1].course if records else None
        if last is not None and PHASE in last and _state(last) is None:
            self.now, self.unread = CrapsState(), {**last}
            self._rolls.clear()
        self.now = _state(now) or self.now

    def begin_again(self) -> None:
        """Nobody reads where the game was: a person has settled it, and it begins with the come out roll."""
        self.unread = None

    def forget(self, number: int) -> None:
        """A round that was another game's."""
        self._rolls.pop(number, None)

    def _after(self, state: CrapsState, verdict: Verdict) -> CrapsState:
        """Where a verdict leaves the game. What nobody has called, and what was not a throw, leaves it as it was."""
        if verdict.result is not None:
            return self.craps.roll(state, verdict.result["dice"]).state
        return self.craps.no_roll(state) if verdict.reason in self._invalid and verdict.verdict == "void" else state

    def _between(self, was: CrapsState, then: CrapsState, state: CrapsState) -> CrapsState:
        """What people did from `was` to `then`, done from another state; what cannot be done there is passed over."""
        craps = self.craps
        passed = then.shooter - was.shooter
        for _ in range(passed):
            # A shooter who has lost the dice by the corrected roll did not pass them too.
            state = state if state.dice_offered else craps.pass_dice(state, ordered=True)
        if then.phase == "come_only" and was.phase == "come_out":
            if craps.rules.come_only.value and state.phase == "come_out" and state.come_points:
                state = craps.roll_for_come(state)
        elif then.phase == "come_out" and was.phase == "come_only":
            state = craps.line_wager_made(state)
        if then.dice_change_asked and (passed or not was.dice_change_asked):
            state = craps.ask_for_dice(state)
        return state


def as_event(state: CrapsState) -> dict[str, Any]:
    """The state as an event carries it."""
    values: dict[str, Any] = msgspec.to_builtins(state)
    return values


def _state(values: Mapping[str, Any] | None) -> CrapsState | None:
    """The state that an event carried; None where it carried none, or one that is not a state of this version."""
    if values is None or PHASE not in values:
        return None
    try:
        return msgspec.convert({key: one for key, one in values.items() if key != SHAKER_REMOVED}, CrapsState)
    except msgspec.ValidationError:
        return None
