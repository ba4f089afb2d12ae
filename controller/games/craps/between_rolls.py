"""Between two rolls of craps: where the game is, which puck and markers show, people change, and a restart keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from controller.games.craps.history import SHAKER_REMOVED, CrapsHistory, as_event
from controller.games.craps.rules import CrapsPeople
from controller.games.dice.tossed_dice import TossedDice
from controller.table.phase import OPEN, SETTLING
from controller.table.rounds import RoundLifecycle
from drivers.lamps.puck import PuckActuator
from feed import events
from feed.events import Verdict
from feed.state import TableState

Act: TypeAlias = Literal["pass_dice", "change_dice", "roll_for_come", "line_wager"]
"""What a person may do between two rolls."""


class BetweenRolls:
    """The state that one roll hands on to the next."""

    def __init__(
        self,
        rounds: RoundLifecycle,
        history: CrapsHistory,
        people: CrapsPeople,
        puck: PuckActuator | None,
        tossed: TossedDice | None,
    ) -> None:
        self.history = history
        self._rounds = rounds
        self._people = people
        self._puck = puck
        self._tossed = tossed

    def decided(self, t_ns: int, verdict: Verdict) -> None:
        """A roll has its verdict."""
        self.history.decided(self._rounds.number, verdict)
        self.mark(t_ns)

    def mark(self, t_ns: int) -> None:
        """Puts puck and markers where the game is."""
        if self._puck is not None:
            now = self.history.now
            fire = next((one.points for one in now.fire if one.shooter == now.shooter), ())
            self._puck.show(now.puck.on, now.point, t_ns, fire)

    # --- what people do ------------------------------------------------------------------------------------------

    def act_refused(self, act: Act, position: str, *, ordered: bool = False) -> str | None:
        """Why an act cannot be now, or not by a person in this position; None where it can."""
        rounds = self._rounds
        if rounds.phase not in (OPEN, SETTLING) or rounds.uncalled is not None:
            return f"round {rounds.number} must be over, or wait for its throw" if rounds.number else "no round is open"
        if act == "pass_dice" and ordered:
            able = self._people.orders_pass
            return not_one_of(position, able.value, "a shooter is ordered to pass by", able.cite)
        return None

    def act(self, t_ns: int, act: Act, by: str, *, ordered: bool = False) -> None:
        """A person does something between two rolls that changes where the game is.

        Raises:
            ValueError: the rules do not let it be done now; the message has the reason.
        """
        craps, now = self.history.craps, self.history.now
        match act:
            case "pass_dice":
                self.history.now = craps.pass_dice(now, ordered=ordered)
            case "change_dice":
                self.history.now = craps.ask_for_dice(now)
            case "roll_for_come":
                self.history.now = craps.roll_for_come(now)
            case "line_wager":
                self.history.now = craps.line_wager_made(now)
        self.report_carried(t_ns, act, by, {})

    # --- what is carried -----------------------------------------------------------------------------------------

    @property
    def carried_state(self) -> dict[str, Any]:
        """Come-out or point, the shooter, and the rest of what the next roll depends on; and a shaker taken away."""
        away = self._tossed is not None and self._tossed.removed_by_order
        return as_event(self.history.now) | ({SHAKER_REMOVED: True} if away else {})

    def report_carried(self, t_ns: int, act: str, by: str, before: Mapping[int, dict[str, Any]]) -> None:
        """Reports that it has changed; `before` is where the game was before later rolls, where that changed too."""
        carried = self.carried_state
        self._rounds.report.event(events.CarriedStateChanged, t_ns, act=act, by=by, course=carried, before=before)
        self.mark(t_ns)

    def restore(self, state: TableState) -> None:
        """Continues from where the journal holds the game."""
        self.history.restore(state.rounds, state.course)
        last = state.course or (state.rounds[-1].course if state.rounds else None)
        if self._tossed is not None and last is not None:
            self._tossed.restore(removed=last.get(SHAKER_REMOVED, False))
        self.mark(0)


def not_one_of(position: str, able: Sequence[str], who: str, cite: str) -> str | None:
    """That a person in this position is none of those who are able to do it; None where the person is."""
    if position in able:
        return None
    return f"{who} the {' or the '.join(able)} ({cite}): add as={able[0]} where that person calls it, not {position!r}"
