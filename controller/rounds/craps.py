"""Rounds of craps and mini-craps, 13:47-20.25 and 19:47-1: a round is one roll.

    open ──dice move, or values are entered──► running ──they lie, with values──► outcome ──settled──► open
      │                                           │  ├── no values that stand ──► unresolved, until it is called
      └──── "No Roll", by its reason ─────────────┴──┘

How the dice come to lie is told in `craps_throw` (by hand) and `craps_toss` (by an automated shaker). What a roll
decides hangs on the rolls before it (`craps_course`), so an unresolved roll holds the table until a person calls it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

from controller.games.craps.decision import Craps, CrapsState
from controller.games.craps.layout import CrapsLayout
from controller.games.craps.rules import CrapsRules
from controller.games.dice.values import LYING, DiceValues, Doubted, Read
from controller.rounds.craps_course import CrapsCourse, told
from controller.rounds.craps_options import CrapsOptions
from controller.rounds.craps_result import notices_of, result_of_roll
from controller.rounds.craps_toss import CrapsToss
from controller.rounds.game import NEVER_NS
from controller.rounds.tossing import Tossing
from controller.rounds.voice import Seat
from controller.rules.cited import OURS
from controller.table.phase import OPEN, SETTLING, SHUT
from controller.table.recent import Ruling
from drivers.dealer.buttons import ButtonPressed
from drivers.dice.reader import DiceReader
from drivers.lamps.puck import PuckMarkers
from feed import events
from feed.events import Evidence, Verdict, WinningBet
from feed.state import TableState

Act: TypeAlias = Literal["pass_dice", "change_dice", "roll_for_come", "line_wager"]
"""What a person may do between two rolls."""


SHAKER_REMOVED: Final = "shaker_removed"
"""In the course: a person said that the automated shaker was taken from the table."""


class CrapsGame(CrapsToss):
    """The rounds of craps or mini-craps."""

    device = "dice"

    def __init__(
        self,
        seat: Seat,
        rules: CrapsRules,
        options: CrapsOptions,
        values: DiceValues,
        reader: DiceReader | None,
        puck: PuckMarkers | None = None,
        tossing: Tossing | None = None,
    ) -> None:
        """Raises `ValueError` where the rules do not know what the house offers (`CrapsOptions.against`)."""
        super().__init__(seat, rules, options, values, reader, tossing)
        self.craps_rules = rules
        self.course = CrapsCourse(Craps(rules, fire=options.fire_bet is not None), rules.reasons)
        self._layout = CrapsLayout(rules, optional=options.optional, fire_table=options.fire_bet)
        self._puck = puck

    # --- the round -----------------------------------------------------------------------------------------------

    @property
    def course_told(self) -> dict[str, Any]:
        """Come-out or point, the shooter, and the rest of what the next roll hangs on; and a shaker taken away."""
        away = self.tossing is not None and not self.tossing.present and not self.tossing.present_sensor
        return told(self.course.now) | ({SHAKER_REMOVED: True} if away else {})

    @property
    def uncalled(self) -> int | None:
        """The last roll, where it is unresolved and nobody has called it."""
        return self.course.uncalled

    def open(self, t_ns: int) -> None:
        """Opens the next round; while the last roll is not called, that one is waited for."""
        if self.course.uncalled is not None:
            self.phase = SETTLING
            self._settle_due_ns = self.run_due_ns = NEVER_NS
            self._say_uncalled(t_ns)
            return
        super().open(t_ns)
        self._mark(t_ns)

    def restore(self, state: TableState) -> None:
        """Goes on from where the journal says that the game stood."""
        super().restore(state)
        self.course.restore(state.rounds, state.course)
        last = state.course or (state.rounds[-1].course if state.rounds else None)
        if self.tossing is not None and last is not None and not self.tossing.present_sensor:
            self.tossing.present = not last.get(SHAKER_REMOVED, False)
        self._mark(0)

    def press(self, press: ButtonPressed) -> None:
        """A button was pressed; none settles a roll that nobody has called."""
        if self.phase is SETTLING and self.course.uncalled is not None:
            self._say_uncalled(press.t_ns)
        else:
            super().press(press)

    def settle(self, t_ns: int, by: str) -> None:
        """The bets are settled; a table that closes leaves an uncalled roll to be called when it opens again."""
        if self.course.uncalled is None:
            super().settle(t_ns, by)
        elif self._shut_when_settled:
            self._shut_when_settled = False
            self.phase = SHUT

    # --- verdicts ------------------------------------------------------------------------------------------------

    def decide(self, t_ns: int, read: Read) -> None:
        """The dice lie, and their values stand."""
        result = self._result(self.course.now, read.dice)
        winning, notices = self._pays(self.course.now, read.dice)
        self.outcome(t_ns, result, winning, self.evidence(), notices)

    def doubt(self, t_ns: int, doubted: Doubted) -> None:
        """The dice lie so that they are no roll, or nobody knows their values."""
        if doubted.reason in LYING and doubted.reason in self._reasons:
            self.void(t_ns, doubted.reason, self.evidence(doubted.detail))
            return
        now = self.course.now
        candidates = [self._result(now, dice) for dice in dict.fromkeys(doubted.candidates)]
        self.unresolved(t_ns, doubted.reason, self.evidence(doubted.detail), candidates)

    def outcome(
        self, t_ns: int, result: dict[str, Any], winning: list[WinningBet], evidence: Evidence, notices: list[str]
    ) -> None:
        """The roll is read."""
        super().outcome(t_ns, result, winning, evidence, notices)
        self._stands(t_ns, Verdict(verdict="outcome", result=result))

    def lost_power(self, t_ns: int, *, recalled: bool = True) -> None:
        """The roll that was open when the power went decides nothing."""
        super().lost_power(t_ns, recalled=recalled)
        if not recalled:
            self.course.forget(self.round)

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a roll: what it decides for the rolls after it is reckoned anew."""
        super().ruled(t_ns, ruling)
        before = self.course.corrected(ruling.round, ruling.stands)
        for roll in self.course.later(ruling.round):
            if roll.stands.result is None:
                continue
            dice = self.dice_of(roll.stands.result)
            to = Verdict(verdict="outcome", result=self._result(roll.before, dice))
            if to == roll.stands:
                continue
            winning, notices = self._pays(roll.before, dice)
            self.say(
                events.RoundCorrected,
                t_ns,
                round=roll.round,
                by="controller",
                from_=roll.stands,
                to=to,
                why=f"follows from round {ruling.round}",
                winning=winning,
                notices=notices,
            )
            self.course.restate(roll.round, to)
            self.recent.stands(Ruling(roll.round, to))
        told_before = {number: told(state) for number, state in before.items()}
        self._say_course(t_ns, "corrected", "", told_before)

    def _say_void(self, t_ns: int, reason: str, evidence: Evidence) -> None:
        super()._say_void(t_ns, reason, evidence)
        self._stands(t_ns, Verdict(verdict="void", reason=reason))

    def _say_unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        super()._say_unresolved(t_ns, reason, evidence, candidates)
        self._stands(t_ns, Verdict(verdict="unresolved", reason=reason))

    def _begin_settling(self, t_ns: int) -> None:
        super()._begin_settling(t_ns)
        last = self.recent.last
        if last is not None and last.stands.verdict == "unresolved":
            # Until it is called nobody knows what to pay, nor how the game stands.
            self._settle_due_ns = NEVER_NS

    def _stands(self, t_ns: int, verdict: Verdict) -> None:
        self.course.stands(self.round, verdict)
        self._mark(t_ns)

    # --- what people may say -------------------------------------------------------------------------------------

    def still_voids(self, reason: str) -> bool:
        """A roll may be called invalid until its bets are settled, for a reason that the text itself names.

        What only we have a word for, a supervisor corrects: nobody else takes back a roll that is proven.
        """
        known = self._reasons.get(reason)
        return known is not None and known.rule != OURS

    def call_refused(self, reason: str, position: str) -> str | None:
        """Some reasons need the call of a person whom the text names: 19:47-1.9(e), 1.10(a)2."""
        known = self._reasons.get(reason)
        if known is None or not known.by_call:
            return None
        people = self.craps_rules.people
        able = people.decides_face if reason == "face_disputed" else people.calls_no_roll
        return _not_one_of(position, able.value, f"{reason} is called by", able.cite)

    def act_refused(self, act: Act, position: str, *, ordered: bool = False) -> str | None:
        """Why an act cannot be now, or not by a person in this position; None where it can."""
        if self.phase not in (OPEN, SETTLING) or self.uncalled is not None:
            return f"round {self.round} must be over, or wait for its throw" if self.round else "no round is open"
        if act == "pass_dice" and ordered:
            able = self.craps_rules.people.orders_pass
            return _not_one_of(position, able.value, "a shooter is ordered to pass by", able.cite)
        return None

    def act(self, t_ns: int, act: Act, by: str, *, ordered: bool = False) -> None:
        """A person does something between two rolls that changes how the game stands.

        Raises:
            ValueError: the rules do not let it be done now; the message says why.
        """
        craps, now = self.course.craps, self.course.now
        match act:
            case "pass_dice":
                self.course.now = craps.pass_dice(now, ordered=ordered)
            case "change_dice":
                self.course.now = craps.ask_for_dice(now)
            case "roll_for_come":
                self.course.now = craps.roll_for_come(now)
            case "line_wager":
                self.course.now = craps.line_wager_made(now)
        self._say_course(t_ns, act, by, {})

    def _say_course(self, t_ns: int, act: str, by: str, before: dict[int, dict[str, Any]]) -> None:
        self.say(events.CourseChanged, t_ns, act=act, by=by, course=self.course_told, before=before)
        self._mark(t_ns)

    def shaker_stands(self, t_ns: int, *, present: bool, by: str = "") -> None:
        """It was put on the table, or taken away, by its sensor or by a person's word."""
        super().shaker_stands(t_ns, present=present, by=by)
        if by:
            self._say_course(t_ns, "shaker_placed" if present else "shaker_removed", by, {})

    def _say_uncalled(self, t_ns: int) -> None:
        detail = f"round {self.course.uncalled} is unresolved: call it with confirm, void or correct"
        self.say(events.DeviceWarning, t_ns, device="dice", warning="roll_not_called", detail=detail)

    # --- results -------------------------------------------------------------------------------------------------

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """What these dice came to in that round. Raises as `result_named`."""
        return self._result(self.course.before(number, self.round), self.dice_rules.named(name))

    def result_of(self, dice: Sequence[int]) -> dict[str, Any]:
        """What these dice would come to now."""
        return self._result(self.course.now, dice)

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win with these dice in that round."""
        return self._pays(self.course.before(number, self.round), self.dice_of(result))

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win with these dice now."""
        return self._pays(self.course.now, self.dice_of(result))

    def _result(self, before: CrapsState, dice: Sequence[int]) -> dict[str, Any]:
        return result_of_roll(before, self.course.rolled(before, dice))

    def _pays(self, before: CrapsState, dice: Sequence[int]) -> tuple[list[WinningBet], list[str]]:
        winning = [WinningBet(bet.bet, bet.odds) for bet in self._layout.winning(before, dice)]
        return winning, notices_of(self.course.rolled(before, dice), self._layout.returned(before, dice))

    def _mark(self, t_ns: int) -> None:
        """Puts puck and markers where the game stands."""
        if self._puck is not None:
            now = self.course.now
            fire = next((one.points for one in now.fire if one.shooter == now.shooter), ())
            self.shown += self._puck.show(now.puck.on, now.point, t_ns, fire)


def _not_one_of(position: str, able: Sequence[str], who: str, cite: str) -> str | None:
    if position in able:
        return None
    return f"{who} the {' or the '.join(able)} ({cite}): add as={able[0]} where that person calls it, not {position!r}"
