"""Money wheel rounds, 13:47-20.29.

(b)2 "No more bets" before the spin; (b)3 either direction, at least three complete revolutions; (b)4 the space on which
the indicator rests. A spin that is early, too short or turned back is void; where the count is in doubt, the round is
unresolved and the dealer calls it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from controller.games.base.options import RoundOptions
from controller.games.base.wheels import begin_spin, direction_name
from controller.games.money_wheel.rules import MoneyWheelRules
from controller.table.faults import Fault
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING
from controller.table.rounds import RoundLifecycle
from drivers.base.driver import Observation
from drivers.money_wheel.device import (
    MoneyWheelConfig,
    WheelMoved,
    WheelRested,
    WheelSpun,
    WheelTurned,
    WheelTurnedBack,
)
from feed import events
from feed.events import Evidence, WinningBet

TRAVEL_DOUBTS: Final = frozenset({"encoder_slip", "edges_lost", "sensor_stuck"})
"""Doubts that leave the revolutions unproven too; a missing index leaves only the space unknown."""


PUSH_NS: Final = 500_000_000
"""A push moves the wheel by a space, and so is detected, within this time (ours)."""


class MoneyWheelOptions(RoundOptions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a money wheel's rounds under `[game]`."""

    wind_up_pause_s: Annotated[
        float, Meta(ge=0, le=30, description="a wind-up may pause for this long before the push (ours)")
    ] = 5.0
    between_spaces: Annotated[
        Literal["void", "dealer"],
        Meta(description="an indicator between two spaces: void, or the dealer's call (the text is silent)"),
    ] = "void"


class MoneyWheelGame:
    """The rounds of a money wheel."""

    device = "wheel"
    names_result_by = "space"

    def __init__(
        self, rounds: RoundLifecycle, rules: MoneyWheelRules, options: MoneyWheelOptions, wheel: MoneyWheelConfig
    ) -> None:
        self.rounds = rounds
        self.report = rounds.report
        self._rules = rules
        self._options = options
        self._wheel = wheel
        self._pause_ns = round(options.wind_up_pause_s * 1e9)
        self._moving = False
        self._began_ns: int | None = None
        """When the wheel left rest for this round's spin, or what may become it."""
        self._nudge: WheelRested | None = None
        self._after: list[Observation] = []
        """Observations since the verdict: they belong to the next round."""

    def reset(self) -> None:
        """A new round begins."""
        self._began_ns = None
        self._nudge = None
        self._wind_up_doubt: str | None = None
        """Why it is not proven that what came before the spin was a wind-up."""
        self._carried = False
        """Whether the movement began before the last round was settled: it may be a nudge without effect."""

    def quiet(self) -> bool:
        """Whether the wheel rests."""
        return not self._moving

    def opened_after_settling(self, t_ns: int) -> None:
        """Judges a spin that began before the last round was settled: it belongs to this round."""
        after, self._after = self._after, []
        self._carried = bool(after)
        for seen in after:
            if self.rounds.undecided:
                self._judge(seen, max(t_ns, seen.t_ns))

    def run_due(self, t_ns: int) -> None:
        """Ends a nudge: the pause was too long for a wind-up."""
        self._end_nudge(t_ns)

    def handle(self, seen: Observation) -> None:
        """Handles an observation of the wheel."""
        if isinstance(seen, WheelMoved):
            self._moving = True
        elif isinstance(seen, WheelRested):
            self._moving = False
            if seen.index_moved:
                self.report.fault(Fault(seen.t_ns, "encoder_slip", seen.detail))
        if self.rounds.phase in (OPEN, RUNNING):
            self._judge(seen, seen.t_ns)
        elif self.rounds.phase is RUNNING_OUT:
            self.rounds.over_if_quiet(seen.t_ns)
        elif self.rounds.phase is SETTLING:
            self._keep(seen)

    def _keep(self, seen: Observation) -> None:
        """After the verdict: keeps a movement for the next round, unless it ends before the settling."""
        if isinstance(seen, WheelMoved):
            self._after = [seen]
        elif isinstance(seen, WheelRested):
            self._after = []
            detail = f"the wheel was moved by {seen.turns * 360:.1f} degrees after the verdict"
            self.report.event(events.DeviceWarning, seen.t_ns, device="wheel", warning="moved_at_rest", detail=detail)
        elif self._after:
            self._after.append(seen)

    def _judge(self, seen: Observation, t_ns: int) -> None:
        if isinstance(seen, WheelMoved):
            self._begin(seen, t_ns)
        elif isinstance(seen, WheelSpun):
            self._spin(seen, t_ns)
        elif isinstance(seen, WheelTurned):
            if self.rounds.phase is RUNNING:
                self.report.event(events.RoundProgress, t_ns, revolutions=seen.turns, rpm=seen.rpm)
        elif isinstance(seen, WheelTurnedBack):
            if self.rounds.phase is RUNNING and seen.proven:
                detail = f"turned back by more than {self._wheel.rollback_spaces:g} spaces"
                evidence = Evidence(direction=self._direction_name(seen.direction), detail=detail)
                self.rounds.void(t_ns, "wheel_reversed", evidence)
        elif isinstance(seen, WheelRested):
            if seen.spun:
                self._rest(seen, t_ns)
            else:
                self._nudge = seen
                self.rounds.set_run_due(max(t_ns, seen.moved_ns + self._pause_ns + PUSH_NS))

    def _begin(self, seen: WheelMoved, t_ns: int) -> None:
        nudge = self._nudge
        if nudge is not None and seen.direction == nudge.direction:
            # Pushed on in the same direction: the movement before was not a wind-up.
            self._end_nudge(t_ns)
            if self.rounds.phase is not OPEN:
                return
        if nudge is not None and nudge.doubt in TRAVEL_DOUBTS:
            self._wind_up_doubt = nudge.doubt
        self._nudge = None
        self.rounds.drop_run_due()
        if self._began_ns is None:
            self._began_ns = seen.t_ns
        if self.rounds.context.call_by == "auto" and not self._carried:
            self.rounds.close_bets(t_ns, seen.t_ns, "auto")

    def _end_nudge(self, t_ns: int) -> None:
        """Handles a movement of less than half a turn that came to rest: after the call, a spin that is too short."""
        nudge, self._nudge = self._nudge, None
        self.rounds.drop_run_due()
        began_ns, self._began_ns = self._began_ns, None
        self._carried = False
        if nudge is None:
            return
        if self.rounds.called_ns is not None and began_ns is not None and self.rounds.called_ns <= began_ns:
            if nudge.doubt in TRAVEL_DOUBTS:
                self.rounds.unresolved(t_ns, nudge.doubt or "encoder_slip", self._evidence(nudge), [])
            else:
                self.rounds.void(t_ns, "wheel_revolutions", self._evidence(nudge))
            return
        detail = f"the wheel was moved by {nudge.turns * 360:.1f} degrees before the call"
        self.report.event(events.DeviceWarning, t_ns, device="wheel", warning="moved_at_rest", detail=detail)

    def _spin(self, seen: WheelSpun, t_ns: int) -> None:
        began_ns = seen.t_ns if self._began_ns is None else self._began_ns
        begin_spin(self.rounds, t_ns, began_ns, self._direction_name(seen.direction))

    def _rest(self, rested: WheelRested, t_ns: int) -> None:
        """Decides the round when the wheel is at rest after a spin."""
        evidence = self._evidence(rested)
        least = self._rules.minimum_revolutions.value
        if rested.joined:
            self.rounds.unresolved(t_ns, "joined_mid_spin", evidence, [])
        elif rested.doubt in TRAVEL_DOUBTS:
            self.rounds.unresolved(t_ns, rested.doubt or "encoder_slip", evidence, self._candidates(rested))
        elif self._wind_up_doubt is not None:
            self.rounds.unresolved(t_ns, self._wind_up_doubt, evidence, self._candidates(rested))
        elif rested.turned_back:
            self.rounds.void(t_ns, "wheel_reversed", evidence)
        elif rested.turns_high < least:
            self.rounds.void(t_ns, "wheel_revolutions", evidence)
        elif rested.turns_low < least:
            self.rounds.unresolved(t_ns, "edges_lost", evidence, [])
        elif rested.doubt is not None or rested.rest.space is None:
            self.rounds.unresolved(t_ns, rested.doubt or "sensor_missing", evidence, [])
        elif rested.rest.others:
            self.rounds.unresolved(t_ns, "edges_lost", evidence, self._candidates(rested))
        elif not rested.rest.clear:
            self._between(t_ns, rested, evidence)
        elif not rested.direction_proven and not self._wheel.accept_pegs:
            self.rounds.unresolved(t_ns, "direction_unproven", evidence, self._candidates(rested))
        else:
            result = self._result(rested.rest.space)
            self.rounds.outcome(t_ns, result, self._winning(result), evidence, [])

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result of a space, by its index from the index mark."""
        spaces = len(self._wheel.faces)
        if not (name.isascii() and name.isdecimal() and len(name) <= len(str(spaces)) and int(name) < spaces):
            raise ValueError(f"space {name!r} is not on this wheel; its spaces are 0 to {spaces - 1}")
        return self._result(int(name))

    def name_of(self, result: Mapping[str, Any]) -> str:
        """The index of the space."""
        return str(result.get("space"))

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[WinningBet], list[str]]:
        """The face itself, 13:47-20.29(c); no notice goes with it."""
        return self._winning(result), []

    def _winning(self, result: Mapping[str, Any]) -> list[WinningBet]:
        return [WinningBet(bet.bet, bet.odds) for bet in self._rules.winning(result["face"])]

    def _between(self, t_ns: int, rested: WheelRested, evidence: Evidence) -> None:
        if self._options.between_spaces == "void":
            self.rounds.void(t_ns, "indicator_between_spaces", evidence)
        else:
            self.rounds.unresolved(t_ns, "indicator_between_spaces", evidence, self._candidates(rested))

    def _candidates(self, rested: WheelRested) -> list[dict[str, Any]]:
        rest = rested.rest
        if rest.space is None:
            return []
        spaces = [rest.space, *rest.others]
        if not rest.clear and rest.next_space is not None and rest.next_space not in spaces:
            spaces.append(rest.next_space)
        return [self._result(space) for space in spaces]

    def _result(self, space: int) -> dict[str, Any]:
        return {"space": space, "face": self._wheel.faces[space]}

    def _evidence(self, rested: WheelRested) -> Evidence:
        return Evidence(
            revolutions=round(rested.turns, 4),
            revolutions_low=round(rested.turns_low, 4),
            revolutions_high=round(rested.turns_high, 4),
            minimum_revolutions=self._rules.minimum_revolutions.value,
            direction=self._direction_name(rested.direction),
            off_center=None if rested.rest.space is None else round(0.5 - rested.rest.to_peg_spaces, 4),
            detail=rested.detail,
        )

    def _direction_name(self, direction: int) -> str:
        """A direction as the player sees it."""
        return direction_name((direction > 0) == self._wheel.clockwise)
