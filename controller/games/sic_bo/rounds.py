"""Sic bo rounds, 19:47-9 and 13:69F-9: bets closed, shaken or tossed, seen, entered, lit, settled, and then dark.

opened ──call──► shaken by hand ──uncovered──┐            ┌─ exactly the winning areas read back ─► outcome
            └──► tossed by the shaker ──lies─┴► entered ──┤                                    settle ─► dark
                                                          └─ the lamps fail: a supervisor settles, play ceases

The game passes on what the devices report and what is asked of it. What that means is in its parts, which are read and
tested alone: what sets the dice going (`shakers`), the dice of a round (`dice_in_play`), when it may be settled
(`settling`), and what is done beside the rounds (`upkeep`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from controller.games.base.options import RoundOptions
from controller.games.dice.tossed_dice import DEVICE as SHAKER
from controller.games.dice.tossed_dice import REPORTS, TossedDice
from controller.games.dice.values import DiceValues, name_of_rest, result_of, words
from controller.games.sic_bo.areas import SicBoLayout
from controller.games.sic_bo.dice_age import DiceAge
from controller.games.sic_bo.dice_in_play import DiceInPlay
from controller.games.sic_bo.inspection import SicBoInspection
from controller.games.sic_bo.lit_areas import LAMP_BOARD, LAMPS_FAILED, THE_LAMPS, LitAreas
from controller.games.sic_bo.rules import SicBoRules
from controller.games.sic_bo.settling import SicBoSettling
from controller.games.sic_bo.shakers import ShakenByHand, TossedByShaker
from controller.games.sic_bo.shaking import SHAKEN, Shaking
from controller.games.sic_bo.upkeep import SicBoUpkeep
from controller.table.faults import Fault
from controller.table.phase import SETTLING, SHUT
from controller.table.recent import Ruling
from controller.table.rounds import RoundLifecycle
from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.dice.automated_shaker import ShakerActuator
from drivers.dice.observations import DiceEntered, DiceMoving, DiceRead
from drivers.lamps.lamp_board import LampActuator, LampsDark, LampsFailed, LampsMended, LampsShown
from feed.events import WinningBet
from feed.state import StandingFault, TableState


class SicBoOptions(RoundOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of sic bo under `[game]`."""

    two_of_a_kind_on_triple: Annotated[
        bool | None,
        Meta(description="whether two of a kind wins on a triple too; without it, as the profile has it (ours)"),
    ] = None
    uncover_s: Annotated[
        float,
        Meta(ge=0, le=10, description="knocks this soon after the cover came off are those of the cover (ours)"),
    ] = 1.0
    activate_after_s: Annotated[
        float,
        Meta(ge=0, le=30, description='an automated shaker is started this long after "No more bets" (ours)'),
    ] = 1.5


class SicBoGame:
    """The rounds of a sic bo table."""

    names_result_by = "dice"

    def __init__(
        self,
        rounds: RoundLifecycle,
        rules: SicBoRules,
        options: SicBoOptions,
        values: DiceValues,
        lamps: LampActuator,
        shaker: ShakerActuator | None,
        minimum_shakes: int | None = None,
        device: str = "shaker",
    ) -> None:
        """`shaker` is the automated one, None where the table has none; `minimum_shakes` is how often a manual one
        is shaken, None for as often as the text has it. `device` is the shaker that the table has, or the manual one.
        """
        self.rounds = rounds
        self.rules = rules
        self.device = device
        self.areas = LitAreas(lamps, SicBoLayout(rules, two_of_a_kind_on_triple=options.two_of_a_kind_on_triple))
        self.tossed = None if shaker is None else TossedDice(shaker, options.activate_after_s, rounds.report)
        by_rule = rules.manual_shaker.minimum_shakes.value
        shaking = Shaking(by_rule, by_rule if minimum_shakes is None else minimum_shakes)
        hours = None if rules.dice_hours is None else rules.dice_hours.value
        self.upkeep = SicBoUpkeep(
            SicBoInspection(rules, automated=shaker is not None),
            DiceAge(hours, rounds.context.time_of, rounds.context.calendar_is_set),
            self.areas,
            self.tossed,
            rounds.report,
        )
        self.dice = DiceInPlay(rounds, values, self.areas, shaking, self.tossed, options.uncover_s)
        self._by_hand = ShakenByHand(self.dice)
        self.shaker = None if self.tossed is None else TossedByShaker(self.tossed, self.dice, self.upkeep)
        """The automated shaker; None where the table has none."""
        self._settling = SicBoSettling(self.dice, self.upkeep)
        self._stood: tuple[StandingFault, ...] = ()
        """The faults that were latched before a restart."""

    # --- the round -----------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new round begins."""
        self.dice.begin()

    def quiet(self) -> bool:
        """Whether nothing is shaken, and no fault is about to stop the play."""
        tossing = self.tossed is not None and not self.tossed.quiet
        return not (self.rounds.stopping or self.dice.shaking.moving or tossing)

    def may_open(self, t_ns: int) -> bool:
        """Not while a round that was left is to be settled, or a fault forbids it after a restart."""
        if self._settling.resume(t_ns):
            return False
        if self.upkeep.may_open(t_ns):
            return True
        self.rounds.wait(SHUT)
        return False

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """The dark lamps are read back, and the automated shaker is started in a moment."""
        self.areas.read_back_dark(t_ns)
        if self.shaker is not None:
            self.shaker.called(t_ns, alone=self.device == SHAKER)

    def opened_after_settling(self, t_ns: int) -> None:
        """A shaking that began before the bets were settled cannot be this round's."""
        self.dice.opened_while_shaken(t_ns)

    def handle(self, seen: Observation) -> None:
        """Takes an observation of the shakers, the lamps, or a source of values."""
        if isinstance(seen, LampsShown | LampsFailed | LampsMended | LampsDark):
            self._settling.take(seen)
        elif isinstance(seen, SHAKEN):
            self._by_hand.take(seen)
        elif isinstance(seen, DiceEntered):
            self.dice.keyed(seen)
        elif isinstance(seen, DiceRead):
            self.dice.read(seen)
        elif isinstance(seen, DiceMoving):
            self.dice.moved(seen)
        elif self.shaker is not None and isinstance(seen, REPORTS):
            self.shaker.take(seen)
        else:
            self.dice.devices.take(seen, undecided=self.rounds.undecided)

    def run_due(self, t_ns: int) -> None:
        """A source of values was awaited long enough."""
        self.dice.judge(t_ns)

    def give_up(self, t_ns: int) -> None:
        """Nothing of the round continues: the shaker stops, the lamps are dark."""
        if self.tossed is not None:
            self.tossed.give_up(t_ns)
        self.upkeep.give_up(t_ns)
        self.areas.lamps.darken(t_ns)

    # --- settling ------------------------------------------------------------------------------------------------

    def settling(self, t_ns: int) -> None:
        """The bets are to be paid."""
        self._settling.begins()

    def settled(self, t_ns: int) -> None:
        """The bets are paid: only now the lamps may go dark."""
        self.areas.lamps.darken(t_ns)

    @property
    def settle_refused(self) -> str | None:
        """Why the round may not be settled now, or only by a supervisor."""
        return self._settling.refused

    def settle_attended(self, t_ns: int, key: str) -> bool:
        """A supervisor is present: settles a round whose lamps failed."""
        return self._settling.attended(t_ns, key)

    def ruling(self, t_ns: int, ruling: Ruling) -> None:
        """A person called or corrected a round: its areas are lit before it is settled."""
        self._settling.called(t_ns, ruling)

    def leave(self, t_ns: int) -> None:
        """The table is closed by force while the round may not be settled."""
        self._settling.leave()
        self.give_up(t_ns)

    # --- results -------------------------------------------------------------------------------------------------

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result of dice named `4-4-1`; raises `ValueError` for others."""
        return result_of(self.rules.named(name))

    def name_of(self, result: Mapping[str, Any]) -> str:
        """Their values with hyphens."""
        return words(result["dice"])

    def name_of_rest(self, rest: object) -> str | None:
        """The dice as they came to rest."""
        return name_of_rest(rest, self.rules.dice_count.value)

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """What the areas pay; with a notice where the round is not being settled any more, and so has none lit."""
        winning, notices = self.areas.layout.pays(result["dice"])
        if number != self.rounds.number or self.rounds.phase is not SETTLING:
            rule = self.rules.electrical_device.settled_when.cite
            notices = [*notices, f"areas_not_lit: round {number} is over, and its areas are not lit for it ({rule})"]
        return winning, notices

    # --- restart, inspection, shift and the age of the dice ------------------------------------------------------

    @property
    def carried_state(self) -> dict[str, Any] | None:
        """What a restart must not lose; None where the rules and the devices leave nothing to lose."""
        return self.upkeep.carried_state

    def restore(self, state: TableState) -> None:
        """Continues from where the journal holds the table."""
        self._settling.restore(state)
        self._stood = state.faults
        self.upkeep.restore(state)

    def begin(self, t_ns: int) -> None:
        """Faults from before keep what must be gone before they can be cleared; they are not reported again."""
        self.upkeep.age.begin(t_ns)
        for fault in self._stood:
            cause = self.upkeep.cause_of(fault, t_ns)
            if (fault.device, fault.fault) == (LAMP_BOARD, LAMPS_FAILED):
                self.areas.doubt(fault.detail, t_ns)
                cause = THE_LAMPS
            if cause:
                self.rounds.report.fault(Fault(t_ns, fault.fault, fault.detail, cause=cause, device=fault.device))

    def begin_shut(self, t_ns: int) -> None:
        """A fault from before shuts the table: a round that was being settled is settled first."""
        self.rounds.shut_when_settled = self._settling.resume(t_ns)

    @property
    def busy(self) -> str | None:
        """Lamps that are lit for an inspection, or the shaker that is operated."""
        return self.upkeep.inspection.busy

    def inspection_begins(self) -> None:
        """What was lit and operated before is not of this inspection."""
        self.upkeep.inspection.begin()

    @property
    def inspection_lacks(self) -> str | None:
        """Values to be lit, operations of the shaker."""
        return self.upkeep.inspection.lacks

    @property
    def next_due_ns(self) -> int:
        """When the dice are nearly too old, or are."""
        return self.upkeep.age.next_due_ns

    def due(self, t_ns: int) -> None:
        """The dice are nearly too old, or are."""
        self.upkeep.age_due(t_ns)

    def ignores(self, seen: SensorDead | SensorAlive) -> bool:
        """Whether a line of a shaker failed or recovered that is not on the table."""
        return self.tossed is not None and self.tossed.ignores(seen)

    def recovery(self) -> list[tuple[str, dict[str, str]]]:
        """Settles what waits for a supervisor, changes dice that are too old, operates the shaker for a shift."""
        orders = self.rounds.recovery()
        if self._settling.attended_awaited:
            orders.append(("settle_attended", {}))
        return orders + self.upkeep.recovery(shut=self.rounds.phase is SHUT)
