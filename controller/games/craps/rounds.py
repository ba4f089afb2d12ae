"""Rounds of craps and mini-craps, 13:47-20.25 and 19:47-1: a round is one roll.

    open ──dice move, or values are entered──► running ──they lie, with values──► outcome ──settled──► open
      │                                           │  ├── no values that stand ──► unresolved, until it is called
      └──── "No Roll", by its reason ─────────────┴──┘

Where there is a reading board, it reports when dice move and lie (`throw`). Where only a keypad is, nobody does: the
entry itself stands for that they lie, and values keyed before the round opened are of another throw. With an
automated shaker, a house option as sic bo has it (13:69F-9), nothing else sets the dice going while it stands on the
table (`controller.games.dice.tossed_dice`). What a roll decides depends on the rolls before it (`history`), so an
unresolved roll holds the table until a person calls it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from controller.games.craps.decision import Craps, CrapsState, Rolled
from controller.games.craps.history import CrapsHistory, as_event
from controller.games.craps.layout import CrapsLayout
from controller.games.craps.rules import CrapsRules
from controller.games.craps.throw import Throw
from controller.games.craps.wagers import FireTable
from controller.games.dice.game import DiceGame
from controller.games.dice.tossed_dice import REPORTS, SHAKER_FAILED, RoundView, Toss, TossedDice
from controller.games.dice.values import LYING, DiceValues, Doubted, Read, words
from controller.rules.cited import OURS
from controller.table.game import GameContext
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING
from controller.table.recent import Ruling
from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.dice.automated_shaker import ShakerActuator, ShakerPresent
from drivers.dice.observations import DiceEntered, DiceMoving, DiceRead
from drivers.lamps.puck import PuckActuator
from feed import events
from feed.data import Tumbling
from feed.events import Evidence, Verdict, WinningBet
from feed.state import TableState

Act: TypeAlias = Literal["pass_dice", "change_dice", "roll_for_come", "line_wager"]
"""What a person may do between two rolls."""

SHAKER_REMOVED: Final = "shaker_removed"
"""In the carried state: a person ordered that the automated shaker is off the table."""


class CrapsOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of craps and mini-craps under `[game]`."""

    settle_after_s: Annotated[
        float,
        Meta(ge=0, le=600, description="without a settle button, a round settles so long after its verdict (ours)"),
    ] = 3.0
    call_time_s: Annotated[
        float,
        Meta(
            ge=0,
            le=60,
            description='with a reading board, "No Roll" can be called for so long after the dice lie, before the roll '
            "decides anything (ours); until it is settled it can be called all the same",
        ),
    ] = 2.0
    values_wait_s: Annotated[
        float,
        Meta(
            ge=1, le=300, description="with keypad and reading board, the second of them is waited for so long (ours)"
        ),
    ] = 20.0
    activate_after_s: Annotated[
        float,
        Meta(ge=0, le=30, description='an automated shaker is started so long after "No more bets" (ours)'),
    ] = 1.5
    dice_set: Annotated[
        int,
        Meta(
            ge=5,
            le=50,
            description="the dice of the set: five or more, 13:47-20.25(b)2, 19:47-1.7(a); two are in play, the others "
            "in the dice cup",
        ),
    ] = 5
    optional: Annotated[
        tuple[Literal["buy", "lay", "6-7-8"], ...],
        Meta(description="the wagers that the house elects to offer, where the text leaves them to it"),
    ] = ()
    fire_bet: Annotated[
        FireTable | None,
        Meta(description="the pay table of the fire bet, A or B of 19:47-1.4(e); without it, none is offered"),
    ] = None

    def against(self, rules: CrapsRules) -> list[tuple[str, str, str]]:
        """What the rules of a profile do not allow of them: key, what is wrong, and the fix."""
        wrong: list[tuple[str, str, str]] = []
        for key, optional, fire in (("optional", self.optional, None), ("fire_bet", (), self.fire_bet)):
            try:
                CrapsLayout(rules, optional=optional, fire_table=fire)
            except ValueError as error:
                wrong.append((key, str(error), "remove it, or name another rules profile under [table]"))
        return wrong


class CrapsGame(DiceGame):
    """The rounds of craps or mini-craps."""

    device = "dice"
    uncalled_warning = ("dice", "roll_not_called")

    def __init__(
        self,
        context: GameContext,
        rules: CrapsRules,
        options: CrapsOptions,
        values: DiceValues,
        puck: PuckActuator | None = None,
        shaker: ShakerActuator | None = None,
    ) -> None:
        """Raises `ValueError` where the rules do not know what the house offers (`CrapsOptions.against`)."""
        super().__init__(context, rules, rules.result_read.cite, options.settle_after_s, values)
        self.craps_rules = rules
        self.dice_set = options.dice_set
        """The dice of the table's set."""
        self.history = CrapsHistory(Craps(rules, fire=options.fire_bet is not None), rules.reasons)
        self.throw = Throw()
        self.tossed = None if shaker is None else TossedDice(shaker, options.activate_after_s, self.out)
        """The automated shaker; None where the table has none."""
        self._layout = CrapsLayout(rules, optional=options.optional, fire_table=options.fire_bet)
        self._puck = puck
        self._by_board = "reader" in values.sources
        self._call_ns = round(options.call_time_s * 1e9)

    # --- the round -----------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new round begins."""
        self.values.begin()
        self.throw.begin()

    def quiet(self) -> bool:
        """Whether no toss goes on: dice of a void throw by hand that still move count for nothing."""
        return not self.stopping and (self.tossed is None or self.tossed.quiet)

    def open(self, t_ns: int) -> None:
        """Opens the next round; while the last roll is not called, that one is awaited."""
        super().open(t_ns)
        if self.phase is OPEN:
            self._await_entry(t_ns)
            self._mark(t_ns)

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The call: the shaker is started in a moment. A shooter's throw closes the bets, called or not."""
        if self.tossed is not None and self._shaker_throws:
            self.tossed.called(t_ns)

    def run_due(self, t_ns: int) -> None:
        """The keypad, or the board, was awaited long enough."""
        self._judge(t_ns)

    def give_up(self, t_ns: int) -> None:
        """Nothing of the round goes on: the shaker stops, where it can be stopped."""
        if self.tossed is not None:
            self.tossed.give_up(t_ns)

    def _begin_throw(self, t_ns: int) -> None:
        """The dice are thrown, which closes the bets."""
        self.close_bets(t_ns, t_ns, "auto")
        self.phase = RUNNING
        self.report(events.RoundStarted, t_ns)

    def _await_entry(self, t_ns: int) -> None:
        """Where nothing reports when the dice of a throw lie, the entry of their values does."""
        if self.phase is OPEN and not self._by_board and not self._shaker_throws:
            self.values.rested(t_ns)

    # --- observations --------------------------------------------------------------------------------------------

    def handle(self, seen: Observation) -> None:
        """Takes an observation of the shaker, the keypad or the board."""
        if self.tossed is not None and isinstance(seen, REPORTS):
            self._handle_shaker(self.tossed, seen)
        elif self.devices.take(seen, undecided=self.undecided):
            return
        elif isinstance(seen, DiceEntered):
            self._entered(seen)
        elif isinstance(seen, DiceMoving | DiceRead) and self._shaker_throws:
            self._in_shaker(seen)
        elif isinstance(seen, DiceMoving):
            self._moved(seen)
        elif isinstance(seen, DiceRead):
            self._read(seen)

    def _moved(self, seen: DiceMoving) -> None:
        if not self._by_board:
            return
        means = self.throw.moved(self.phase, lie=self.values.lie)
        if means == "begins":
            self.values.begin()
            self._begin_throw(seen.t_ns)
        elif means == "disturbed":
            self._dice_disturbed(seen.t_ns, "the dice were moved")

    def _read(self, seen: DiceRead) -> None:
        if self.throw.read(seen.throw, self.phase) and self._by_board:
            self.values.begin()
            self._begin_throw(seen.t_ns)
        if self.phase is RUNNING and self._by_board:
            if not self.values.lie:
                self.values.rested(seen.t_ns)
                self.throw.revealed_ns = seen.t_ns
            self.values.take_reading(seen)
            self._judge(seen.t_ns)
        elif self.throw.strays_lie():
            detail = f"dice that moved before the round opened lie as {words(_values(seen))}: they count for nothing"
            self.warn(seen.t_ns, "reader", "thrown_before_open", detail)

    def _in_shaker(self, seen: DiceMoving | DiceRead) -> None:
        """A board sees the dice in a shaker: that they move is no throw unless the shaker was started."""
        if self.phase is RUNNING:
            if isinstance(seen, DiceRead):
                if seen.throw is None or seen.throw != self.throw.before:
                    self.values.take_reading(seen)
                    self._judge(seen.t_ns)
            elif self.values.lie:
                self._dice_disturbed(seen.t_ns, "the dice were moved")
            else:
                self.values.unread()
        if isinstance(seen, DiceRead):
            self.throw.last = seen.throw

    def _entered(self, seen: DiceEntered) -> None:
        if not self.undecided:
            detail = f"{words(seen.dice)} was entered while no roll was waited for; {self._advice(seen.dice)}"
            self.warn(seen.t_ns, "keypad", "keyed_out_of_round", detail)
        elif not self.values.take_entry(seen):
            self.devices.too_early(seen)
        else:
            if self.phase is OPEN:
                self._begin_throw(seen.t_ns)
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

    # --- the automated shaker ------------------------------------------------------------------------------------

    @property
    def _shaker_throws(self) -> bool:
        """Whether the shaker stands on the table, and so throws the dice of this round."""
        return self.tossed is not None and self.tossed.present

    def ignores(self, seen: SensorDead | SensorAlive) -> bool:
        """Whether a line of a shaker failed or recovered that does not stand on the table."""
        return self.tossed is not None and self.tossed.ignores(seen)

    def _handle_shaker(self, tossed: TossedDice, seen: Observation) -> None:
        if isinstance(seen, ShakerPresent):
            self.place_shaker(seen.t_ns, present=seen.present)
            return
        self._toss(seen.t_ns, tossed.take(seen, self._view()))
        if self.phase is RUNNING_OUT:
            self.over_if_quiet(seen.t_ns)

    def place_shaker(self, t_ns: int, *, present: bool, by: str = "") -> None:
        """The shaker was put on the table, or taken away: the next throw of an open round is another's."""
        if self.tossed is None:
            return
        self._toss(t_ns, self.tossed.place(t_ns, self._view(), present=present))
        if self.phase is OPEN:
            self.values.begin()
            self._await_entry(t_ns)
        if by:
            self._report_carried(t_ns, "shaker_placed" if present else "shaker_removed", by, {})
        if self.phase is RUNNING_OUT:
            self.over_if_quiet(t_ns)

    def _view(self) -> RoundView:
        return RoundView(self.phase, self.called_ns is not None, self.throw.revealed_ns is not None)

    def _toss(self, t_ns: int, tosses: Sequence[Toss]) -> None:
        """What the automated shaker did to the round."""
        for toss in tosses:
            match toss.does:
                case "begins":
                    self._toss_begins(t_ns)
                case "lies":
                    self.throw.revealed_ns = t_ns
                    self.values.rested(t_ns)
                    self._judge(t_ns)
                case "disturbs":
                    self._dice_disturbed(t_ns, toss.detail)
                case "too_soon":
                    # Nobody but the controller starts it: before the call, too, it has failed.
                    self.void(t_ns, SHAKER_FAILED, self._evidence(toss.detail), ours=True)
                case "fails":
                    self.void(t_ns, SHAKER_FAILED, self._evidence(toss.detail), ours=toss.ours)

    def _toss_begins(self, t_ns: int) -> None:
        """Readings of the throw before are not of this round."""
        self.values.begin()
        self.throw.tossed()
        self.phase = RUNNING
        self.report(events.RoundStarted, t_ns, tossed_by="shaker")

    # --- verdicts ------------------------------------------------------------------------------------------------

    def _judge(self, t_ns: int) -> None:
        """Judges the values that were given so far, or waits for more."""
        verdict = self._verdict(t_ns)
        revealed_ns = self.throw.revealed_ns
        if isinstance(verdict, Read) and revealed_ns is not None and t_ns < revealed_ns + self._call_ns:
            # Time to see that a die lies on the bank, and for the board to look again.
            self.run_due_ns = revealed_ns + self._call_ns
        elif isinstance(verdict, Read):
            result = self._result(self.history.now, verdict.dice)
            winning, notices = self._pays(self.history.now, verdict.dice)
            self.outcome(t_ns, result, winning, self._evidence(), notices)
        elif isinstance(verdict, Doubted):
            self._doubt(t_ns, verdict)
        else:
            self.run_due_ns = max(t_ns + 1, self.values.next_due_ns)

    def _verdict(self, t_ns: int) -> Read | Doubted | None:
        """What the sources of values come to, the shaker among them where it reports how its dice lie."""
        found = self.values.verdict(t_ns)
        if not isinstance(found, Read) or self.tossed is None or not self._shaker_throws:
            return found
        if not self.tossed.contradicts(found.dice):
            return found
        values = self.tossed.values
        detail = f"{words(found.dice)} was entered or read, and the shaker reports its dice as {words(values)}"
        return Doubted("values_disagree", detail, (found.dice, values))

    def _dice_disturbed(self, t_ns: int, what: str) -> None:
        """Dice that lay moved again, and nobody had decided what they came to."""
        if self.phase is RUNNING:
            candidates = () if self.values.read is None else _dice(self.values.read)
            self._doubt(t_ns, Doubted("dice_disturbed", f"{what} before all their values were given", candidates))

    def _doubt(self, t_ns: int, doubted: Doubted) -> None:
        """The dice lie so that they are no roll, or nobody knows their values."""
        if doubted.reason in LYING and doubted.reason in self._reasons:
            self.void(t_ns, doubted.reason, self._evidence(doubted.detail))
            return
        now = self.history.now
        candidates = [self._result(now, dice) for dice in dict.fromkeys(doubted.candidates)]
        self.unresolved(t_ns, doubted.reason, self._evidence(doubted.detail), candidates)

    def outcome(
        self, t_ns: int, result: dict[str, Any], winning: list[WinningBet], evidence: Evidence, notices: list[str]
    ) -> None:
        """The roll is read."""
        super().outcome(t_ns, result, winning, evidence, notices)
        self._decided(t_ns, Verdict(verdict="outcome", result=result))

    def void(self, t_ns: int, reason: str, evidence: Evidence, *, ours: bool = False) -> None:
        """The roll is invalid. Its dice may move still."""
        if self.phase is RUNNING and self._by_board and not self.values.lie:
            self.throw.voided()
        super().void(t_ns, reason, evidence, ours=ours)

    def void_by_hand(self, t_ns: int, why: str = "", reason: str = "dealer_call") -> bool:
        """A person calls "No Roll". Where it should come before the dice lie, its evidence has how late it was."""
        known = self._reasons.get(reason)
        revealed_ns = self.throw.revealed_ns
        if known is not None and known.before_rest and self.undecided and revealed_ns is not None:
            after_s = (t_ns - revealed_ns) / 1e9
            late = f"called {after_s:.1f} s after the dice lay; whenever possible it comes before"
            why = f"{why}; {late}" if why else late
        return super().void_by_hand(t_ns, why, reason)

    def lost_power(self, t_ns: int, *, recalled: bool = True) -> None:
        """The roll that was open when the power failed decides nothing."""
        super().lost_power(t_ns, recalled=recalled)
        if not recalled:
            self.history.forget(self.round)

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a roll: what it decides for the rolls after it is computed anew."""
        super().ruled(t_ns, ruling)
        before = self.history.corrected(ruling.round, ruling.stands)
        for roll in self.history.later(ruling.round):
            if roll.stands.result is None:
                continue
            dice = self.dice_of(roll.stands.result)
            to = Verdict(verdict="outcome", result=self._result(roll.before, dice))
            if to == roll.stands:
                continue
            winning, notices = self._pays(roll.before, dice)
            self.report(
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
            self.history.restate(roll.round, to)
            self.recent.stands(Ruling(roll.round, to))
        self._report_carried(t_ns, "corrected", "", {number: as_event(state) for number, state in before.items()})

    def _report_void(self, t_ns: int, reason: str, evidence: Evidence, *, ours: bool = False) -> None:
        super()._report_void(t_ns, reason, evidence, ours=ours)
        self._decided(t_ns, Verdict(verdict="void", reason=reason))

    def _report_unresolved(self, t_ns: int, reason: str, evidence: Evidence, candidates: list[dict[str, Any]]) -> None:
        super()._report_unresolved(t_ns, reason, evidence, candidates)
        self._decided(t_ns, Verdict(verdict="unresolved", reason=reason))

    def _decided(self, t_ns: int, verdict: Verdict) -> None:
        self.history.decided(self.round, verdict)
        self._mark(t_ns)

    # --- what people order ---------------------------------------------------------------------------------------

    def still_voids(self, reason: str) -> bool:
        """A roll may be called invalid until its bets are settled, for a reason that the text itself names.

        What only the house has a rule for, a supervisor corrects: nobody else takes back a roll that is proven.
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
        self._report_carried(t_ns, act, by, {})

    # --- restart -------------------------------------------------------------------------------------------------

    @property
    def carried_state(self) -> dict[str, Any]:
        """Come-out or point, the shooter, and the rest of what the next roll depends on; and a shaker taken away."""
        away = self.tossed is not None and self.tossed.removed_by_order
        return as_event(self.history.now) | ({SHAKER_REMOVED: True} if away else {})

    def restore(self, state: TableState) -> None:
        """Goes on from where the journal holds the game."""
        super().restore(state)
        self.history.restore(state.rounds, state.course)
        last = state.course or (state.rounds[-1].course if state.rounds else None)
        if self.tossed is not None and last is not None and not self.tossed.present_sensor:
            self.tossed.present = not last.get(SHAKER_REMOVED, False)
        self._mark(0)

    def _report_carried(self, t_ns: int, act: str, by: str, before: dict[int, dict[str, Any]]) -> None:
        self.report(events.CourseChanged, t_ns, act=act, by=by, course=self.carried_state, before=before)
        self._mark(t_ns)

    def _mark(self, t_ns: int) -> None:
        """Puts puck and markers where the game stands."""
        if self._puck is not None:
            now = self.history.now
            fire = next((one.points for one in now.fire if one.shooter == now.shooter), ())
            self._puck.show(now.puck.on, now.point, t_ns, fire)

    # --- results -------------------------------------------------------------------------------------------------

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """What these dice came to in that round. Raises as `result_named`."""
        return self._result(self.history.before(number, self.round), self.dice_rules.named(name))

    def result_of(self, dice: Sequence[int]) -> dict[str, Any]:
        """What these dice would come to now."""
        return self._result(self.history.now, dice)

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win with these dice in that round."""
        return self._pays(self.history.before(number, self.round), self.dice_of(result))

    def pays(self, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win with these dice now."""
        return self._pays(self.history.now, self.dice_of(result))

    def _result(self, before: CrapsState, dice: Sequence[int]) -> dict[str, Any]:
        return result_of_roll(before, self.history.rolled(before, dice))

    def _pays(self, before: CrapsState, dice: Sequence[int]) -> tuple[list[WinningBet], list[str]]:
        winning = [WinningBet(bet.bet, bet.odds) for bet in self._layout.winning(before, dice)]
        return winning, notices_of(self.history.rolled(before, dice), self._layout.returned(before, dice))

    def _evidence(self, detail: str = "") -> Evidence:
        """Who gave the values of this throw, and the doubts about them."""
        entered, read = self.values.entered, self.values.read
        tumbling = Tumbling(
            rest_ns=self.throw.revealed_ns,
            keyed=None if entered is None else list(entered.dice),
            read=None if read is None else list(read.dice),
            doubts=[] if read is None else list(read.doubts),
        )
        return Evidence(tumbles=[tumbling], detail=detail)


def result_of_roll(before: CrapsState, rolled: Rolled) -> dict[str, Any]:
    """The result of a roll: the dice, and what they decided.

    `point` is the one that stood, or was set; it is left out where there is none. `fire_points` are those made for the
    shooter's own fire bets so far.
    """
    result: dict[str, Any] = {
        "dice": list(rolled.dice),
        "total": rolled.total,
        "decision": rolled.decision,
        "shooter": before.shooter,
    }
    point = before.point if before.point is not None else rolled.state.point
    if point is not None:
        result["point"] = point
    fire = next((one.points for one in rolled.state.fire if one.shooter == before.shooter), ())
    if fire:
        result["fire_points"] = list(fire)
    return result


def notices_of(rolled: Rolled, returned: Sequence[str]) -> list[str]:
    """What people do now, because of the roll."""
    notices = [f"{bet} is void: neither won nor lost" for bet in returned]
    if rolled.notify_surveillance:
        notices.append("notify surveillance: a fire bet has its fourth different point")
    if rolled.shooter_passes:
        notices.append("the shooter passes the dice")
    if rolled.change_dice:
        notices.append("change the dice now, as a player asked")
    return notices


def _not_one_of(position: str, able: Sequence[str], who: str, cite: str) -> str | None:
    if position in able:
        return None
    return f"{who} the {' or the '.join(able)} ({cite}): add as={able[0]} where that person calls it, not {position!r}"


def _values(seen: DiceRead) -> list[int]:
    return [value for value in seen.dice if value is not None]


def _dice(seen: DiceRead) -> tuple[tuple[int, ...], ...]:
    values = tuple(_values(seen))
    return (values,) if values and len(values) == len(seen.dice) else ()
