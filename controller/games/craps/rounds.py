"""Rounds of craps and mini-craps, 13:47-20.25 and 19:47-1: a round is one roll.

    open ──dice move, or values are entered──► running ──they lie, with values──► outcome ──settled──► open
      │                                           │  ├── no valid values ──► unresolved, until it is called
      └──── "No Roll", by its reason ─────────────┴──┘

The game passes on what the devices report and what is asked of it; what that means is in its parts: the dice of a roll
(`dice_on_table`), what it decides and pays (`rolls`), and where the game is between two rolls (`between_rolls`).
What a roll decides depends on the rolls before it (`history`), so an unresolved roll holds the table until a person
calls it. An automated shaker is a house option as sic bo has it (13:69F-9).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta

from controller.games.base.options import RoundOptions
from controller.games.craps.between_rolls import BetweenRolls, not_one_of
from controller.games.craps.decision import Craps
from controller.games.craps.dice_on_table import DiceOnTable, TossedOnTable
from controller.games.craps.history import CrapsHistory, as_event
from controller.games.craps.layout import CrapsLayout
from controller.games.craps.rolls import CrapsRolls
from controller.games.craps.rules import CrapsRules
from controller.games.craps.wagers import FireTable
from controller.games.dice.tossed_dice import REPORTS, TossedDice
from controller.games.dice.values import DiceValues, name_of_rest, words
from controller.rules.cited import OURS
from controller.table.recent import Ruling
from controller.table.rounds import RoundLifecycle
from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.dice.automated_shaker import ShakerActuator
from drivers.dice.observations import DiceEntered, DiceMoving, DiceRead
from drivers.lamps.puck import PuckActuator
from feed import events
from feed.events import Verdict, WinningBet
from feed.state import TableState


class CrapsOptions(RoundOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of craps and mini-craps under `[game]`."""

    call_time_s: Annotated[
        float,
        Meta(
            ge=0,
            le=60,
            description='with a reading board, "No Roll" can be called for this long after the dice come to rest, '
            "before the roll decides anything (ours); until it is settled it can be called all the same",
        ),
    ] = 2.0
    values_wait_s: Annotated[
        float,
        Meta(
            ge=1, le=300, description="with keypad and reading board, the second of them is waited for this long (ours)"
        ),
    ] = 20.0
    activate_after_s: Annotated[
        float,
        Meta(ge=0, le=30, description='an automated shaker is started this long after "No more bets" (ours)'),
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


class CrapsGame:
    """The rounds of craps or mini-craps."""

    device = "dice"
    names_result_by = "dice"

    def __init__(
        self,
        rounds: RoundLifecycle,
        rules: CrapsRules,
        options: CrapsOptions,
        values: DiceValues,
        puck: PuckActuator | None = None,
        shaker: ShakerActuator | None = None,
    ) -> None:
        """Raises `ValueError` where the rules do not know what the house offers (`CrapsOptions.against`)."""
        self.rounds = rounds
        self.rules = rules
        self.dice_set = options.dice_set
        """The dice of the table's set."""
        self.history = CrapsHistory(Craps(rules, fire=options.fire_bet is not None), rules.reasons)
        self.tossed = None if shaker is None else TossedDice(shaker, options.activate_after_s, rounds.report)
        self.between = BetweenRolls(rounds, self.history, rules.people, puck, self.tossed)
        layout = CrapsLayout(rules, optional=options.optional, fire_table=options.fire_bet)
        self._rolls = CrapsRolls(self.history, layout)
        self._dice = DiceOnTable(rounds, values, self._rolls, self.tossed, options.call_time_s)
        self.shaker = None if self.tossed is None else TossedOnTable(self.tossed, self._dice, self.between)
        """The automated shaker; None where the table has none."""

    # --- the round -----------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new round begins."""
        self._dice.begin()

    def quiet(self) -> bool:
        """Whether no toss goes on: dice of a void throw by hand that still move do not count."""
        return not self.rounds.stopping and (self.tossed is None or self.tossed.quiet)

    def may_open(self, t_ns: int) -> bool:
        """Not while nobody knows where the game is."""
        return self.between.may_open(t_ns)

    def opened(self, t_ns: int) -> None:
        """The next roll is awaited."""
        self._dice.await_entry(t_ns)
        self.between.mark(t_ns)

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The call: the shaker is started in a moment. A shooter's throw closes the bets, called or not."""
        if self.tossed is not None:
            self.tossed.called(t_ns)

    def run_due(self, t_ns: int) -> None:
        """The keypad, or the board, was awaited long enough."""
        self._dice.judge(t_ns)

    def give_up(self, t_ns: int) -> None:
        """Nothing of the round continues."""
        self._dice.give_up(t_ns)

    def handle(self, seen: Observation) -> None:
        """Takes an observation of the shaker, the keypad or the board."""
        if self.shaker is not None and isinstance(seen, REPORTS):
            self.shaker.take(seen)
        elif isinstance(seen, DiceEntered):
            self._dice.entered(seen)
        elif isinstance(seen, DiceMoving):
            self._dice.moved(seen)
        elif isinstance(seen, DiceRead):
            self._dice.read(seen)
        else:
            self._dice.devices.take(seen, undecided=self.rounds.undecided)

    def ignores(self, seen: SensorDead | SensorAlive) -> bool:
        """Whether a line of a shaker failed or recovered that is not on the table."""
        return self.tossed is not None and self.tossed.ignores(seen)

    # --- verdicts ------------------------------------------------------------------------------------------------

    def decided(self, t_ns: int, verdict: Verdict) -> None:
        """What the roll came to is counted on."""
        self.between.decided(t_ns, verdict)

    def forgotten(self, number: int) -> None:
        """A round that was another game's."""
        self.history.forget(number)

    def called_void(self, t_ns: int, why: str, reason: str) -> str:
        """A person calls "No Roll". Where it should come before the dice are at rest, its evidence has how late it
        was."""
        revealed_ns = self._dice.throw.revealed_ns
        if not self.rounds.reasons[reason].before_rest or revealed_ns is None:
            return why
        late = (
            f"called {(t_ns - revealed_ns) / 1e9:.1f} s after the dice came to rest; it comes before whenever possible"
        )
        return f"{why}; {late}" if why else late

    def still_voids(self, reason: str) -> bool:
        """A roll may be called invalid until its bets are settled, for a reason that the text itself names.

        What only the house has a rule for, a supervisor corrects: nobody else takes back a roll that is proven.
        """
        known = self.rounds.reasons.get(reason)
        return known is not None and known.rule != OURS

    def call_refused(self, reason: str, position: str) -> str | None:
        """Some reasons need the call of a person whom the text names: 19:47-1.9(e), 1.10(a)2."""
        known = self.rounds.reasons.get(reason)
        if known is None or not known.by_call:
            return None
        people = self.rules.people
        able = people.decides_face if reason == "face_disputed" else people.calls_no_roll
        return not_one_of(position, able.value, f"{reason} is called by", able.cite)

    def ruled(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a roll: what it decides for the rolls after it is computed again."""
        before = self.history.corrected(ruling.round, ruling.stands)
        for again in self._rolls.restated(ruling.round):
            self.rounds.report.event(
                events.RoundCorrected,
                t_ns,
                round=again.round,
                by="controller",
                from_=again.was,
                to=again.to,
                why=f"follows from round {ruling.round}",
                winning=again.winning,
                notices=again.notices,
            )
            self.rounds.recent.stands(Ruling(again.round, again.to))
        changed = {number: as_event(state) for number, state in before.items()}
        self.between.report_carried(t_ns, "corrected", "", changed)

    # --- results and restart -------------------------------------------------------------------------------------

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """What dice named `4-3` came to in that round; raises `ValueError` for others, or where it is too long ago."""
        return self._rolls.result(self.history.before(number, self.rounds.number), self.rules.named(name))

    def name_of(self, result: Mapping[str, Any]) -> str:
        """Their values with a hyphen."""
        return words(result["dice"])

    def name_of_rest(self, rest: object) -> str | None:
        """The dice as they came to rest."""
        return name_of_rest(rest, self.rules.dice_count.value)

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win with these dice in that round."""
        return self._rolls.pays(self.history.before(number, self.rounds.number), result["dice"])

    @property
    def carried_state(self) -> dict[str, Any]:
        """What the next roll depends on."""
        return self.between.carried_state

    def restore(self, state: TableState) -> None:
        """Continues from where the journal holds the game."""
        self.between.restore(state)
