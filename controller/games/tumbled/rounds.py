"""Rounds of cage and chute: beat the dealer, chuck-a-luck, under/over (13:47-20.21, 20.24, 20.33).

    bets open ── "No more bets" ──► tumble ──► dice are at rest ──► values ──► outcome
                                      ▲                       │
                                      └── the player's, at ───┘
                                          beat the dealer

The text has no number of inversions, no rule for a die that is not flat and none for a jam: what is done then is
ours. Where a motor turns the cage, it does from the call until the least inversions are proven; whatever ends a round
stops it first. What the dice of a round come to is judged by its parts (`tumbled_dice`, `runs`, `record`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta

from controller.games.base.options import RoundOptions
from controller.games.dice.values import DiceValues, name_of_rest
from controller.games.tumbled.bets import TumbledBets
from controller.games.tumbled.runs import report_jam
from controller.games.tumbled.tumbled_dice import TumbledDice, TumbleStage
from controller.games.tumbled.turned_cage import TurnedCage
from controller.table.phase import SETTLING
from controller.table.rounds import RoundLifecycle
from drivers.base.driver import Observation
from drivers.dice.cage_motor import SLIPS, MotorFailed
from drivers.dice.observations import (
    CageRested,
    ChuteCleared,
    ChuteJammed,
    ChuteRested,
    DiceRestless,
    DiceStirred,
    ShakerRested,
    TumbleStarted,
)
from feed.events import WinningBet


class TumbledOptions(RoundOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of rounds of cage and chute under `[game]`."""

    values_wait_s: Annotated[
        float,
        Meta(
            ge=1,
            le=600,
            description="with keypad and reading board, the one is awaited this long once the other has reported "
            "(ours)",
        ),
    ] = 20.0


class TumbledGame:
    """The rounds of a table with a cage or a chute."""

    names_result_by = "dice"

    def __init__(
        self,
        rounds: RoundLifecycle,
        bets: TumbledBets,
        values: DiceValues,
        device: str,
        motor: TurnedCage | None = None,
    ) -> None:
        """`device` is the tumbler, `cage` or `chute`; `motor` turns the cage, None where a person does."""
        self.rounds = rounds
        self.device = device
        self.dice = TumbledDice(rounds, bets, values, device, motor)
        self._bets = bets
        self._motor = motor
        self._moving = False

    # --- the round -----------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new round begins."""
        self.dice.begin()

    def quiet(self) -> bool:
        """Whether the dice rest."""
        return not self._moving

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """A motor turns the cage from the call on."""
        self.dice.called()
        self._turn_cage(t_ns)

    def run_due(self, t_ns: int) -> None:
        """A source of values was waited for in vain."""
        self.dice.weigh(t_ns)

    def opened_after_settling(self, t_ns: int) -> None:
        """The dice were set going before the last round was settled: that tumble is this round's."""
        for seen in self.dice.kept.take():
            if self.rounds.undecided:
                self.dice.judge(seen, max(t_ns, seen.t_ns))

    def give_up(self, t_ns: int) -> None:
        """The round is over without a result: the motor is stopped."""
        self.dice.stop_motor(t_ns)

    # --- observations --------------------------------------------------------------------------------------------

    def handle(self, seen: Observation) -> None:
        """Takes an observation of the tumbler and its motor, the keypad or the reading board."""
        if self._motor is None or not self._motor.take(seen):
            self._handle_dice(seen)
        elif isinstance(seen, MotorFailed) and seen.fault == SLIPS:
            self._moving = False
        self._turn_cage(seen.t_ns)

    def _handle_dice(self, seen: Observation) -> None:
        rounds = self.rounds
        if rounds.phase is not SETTLING:
            self.dice.kept.forget()
        if isinstance(seen, DiceStirred | TumbleStarted):
            self._moving = True
        elif isinstance(seen, CageRested | ChuteRested | ShakerRested):
            self._moving = False
        elif isinstance(seen, DiceRestless):
            detail = f"the dice have knocked for {(seen.t_ns - seen.since_ns) / 1e9:.0f} s, and do not come to rest"
            rounds.report.warn(seen.t_ns, self.device, "dice_restless", detail)
        elif isinstance(seen, ChuteJammed | ChuteCleared):
            report_jam(seen, rounds.report)
        elif self.dice.devices.take(seen, undecided=rounds.undecided):
            return
        if rounds.undecided:
            self.dice.judge(seen, seen.t_ns)
        elif rounds.phase is SETTLING:
            self.dice.kept.keep(seen)
        else:
            rounds.over_if_quiet(seen.t_ns)

    def _turn_cage(self, t_ns: int) -> None:
        """Turns the cage where a tumble is awaited, its dice are at rest, and it was not turned for it before."""
        awaited = self.rounds.undecided and self.rounds.called_ns is not None and self.dice.stage is TumbleStage.AWAITED
        if self._motor is not None and awaited and self.quiet():
            self._motor.turn(t_ns)

    # --- results -------------------------------------------------------------------------------------------------

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result of dice named `4-4-1`, or `3-4/6-2` where the dealer tumbles too; `ValueError` for others."""
        return self._bets.result(self._bets.named(name))

    def name_of(self, result: Mapping[str, Any]) -> str:
        """What `result_in` reads."""
        return self._bets.name_of(result)

    def name_of_rest(self, rest: object) -> str | None:
        """The dice as they came to rest, those of each tumble apart."""
        return name_of_rest(rest, self._bets.rules.dice_count.value)

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The bets that win; no notice goes with them."""
        return self._bets.winning(result), []
