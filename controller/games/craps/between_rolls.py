"""Between two rolls of craps: where the game is, which puck and markers show, people change, and a restart keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from controller.games.craps.history import SHAKER_REMOVED, CrapsHistory, as_event
from controller.games.craps.rules import CrapsPeople
from controller.games.dice.tossed_dice import TossedDice
from controller.table.faults import Fault
from controller.table.phase import OPEN, SETTLING, SHUT
from controller.table.rounds import RoundLifecycle
from drivers.lamps.puck import PuckActuator
from feed import events
from feed.events import Verdict
from feed.state import TableState

Act: TypeAlias = Literal["pass_dice", "change_dice", "roll_for_come", "line_wager"]
"""What a person may do between two rolls."""

UNREAD: Final = "game_state_unread"


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
        self._unread_reported = False

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
        history = self.history
        carried = as_event(history.now) if history.unread is None else history.unread
        return {key: one for key, one in carried.items() if key != SHAKER_REMOVED} | (
            {SHAKER_REMOVED: True} if away else {}
        )

    def report_carried(self, t_ns: int, act: str, by: str, before: Mapping[int, dict[str, Any]]) -> None:
        """Reports that it has changed; `before` is where the game was before later rolls, where that changed too."""
        carried = self.carried_state
        self._rounds.report.event(events.CarriedStateChanged, t_ns, act=act, by=by, course=carried, before=before)
        self.mark(t_ns)

    def may_open(self, t_ns: int) -> bool:
        """Whether a roll may be opened: where nobody knows where the game is, only once a person has cleared that."""
        if self.history.unread is None:
            return True
        if self._unread_reported:
            self.history.begin_again()
            return True
        self._unread_reported = True
        detail = (
            "the journal holds a state of the game that this version does not read: settle the open wagers by hand, "
            "then clear dice, and the next roll is a come out roll; or start the version that wrote it"
        )
        self._rounds.report.fault(Fault(t_ns, UNREAD, detail))
        self._rounds.wait(SHUT)
        return False

    def restore(self, state: TableState) -> None:
        """Continues from where the journal holds the game."""
        self.history.restore(state.rounds, state.course)
        self._unread_reported = any(fault.fault == UNREAD for fault in state.faults)
        last = state.course or (state.rounds[-1].course if state.rounds else None)
        if self._tossed is not None and last is not None:
            self._tossed.restore(removed=last.get(SHAKER_REMOVED, False))
        self.mark(0)


def not_one_of(position: str, able: Sequence[str], who: str, cite: str) -> str | None:
    """That a person in this position is none of those who are able to do it; None where the person is."""
    if position in able:
        return None
    return f"{who} the {' or the '.join(able)} ({cite}): add as={able[0]} where that person calls it, not {position!r}"
