"""Roulette rounds on a wheel with sensors, 13:47-20.32.

(j)1 the ball opposite to the rotor, at least four revolutions around the track; (j)2 "No more bets" while the ball is
still in the track; (m) "No spin", before the ball comes to rest, for a wrong direction, too few revolutions, or a
foreign object.

    open ─BallPassed─► running ──direction proven──► in the track ──BallLeftTrack──► reading ──3 turns──► outcome
                          │ same as the rotor             │ object, reversal            │ under 4 revolutions
                          ▼                               ▼                             ▼
                      ball_direction                 foreign_object, …             ball_revolutions
"""

from __future__ import annotations

from typing import Final

from controller.rounds.game import NEVER_NS, OPEN, RUNNING, RUNNING_OUT, SETTLING, CauseGone, Fault, Game, Seat
from controller.rounds.roulette_result import RouletteOptions, RouletteResults
from controller.rules.roulette import RouletteRules
from drivers.driver import Observation
from drivers.rotor import RotorReversed, RotorStopped, RotorTurning
from drivers.roulette_observations import (
    BallLeftTrack,
    BallPassed,
    BallSeen,
    ForeignObject,
    LevelAgain,
    NotLevel,
    PocketRead,
    RotorDoubt,
    TrackQuiet,
)
from drivers.roulette_wheel_config import RouletteWheelConfig
from feed import events
from feed.events import SpinEvidence

MISSED_PART: Final = 2
"""More than one sensor missed to two passes is not a ball that misses one now and then (ours)."""

WHOLE: Final = 1e-6
"""Revolutions are sums of angles: so much less than four is still four."""


class RouletteGame(Game):
    """The rounds of a roulette table."""

    def __init__(self, seat: Seat, rules: RouletteRules, options: RouletteOptions, wheel: RouletteWheelConfig) -> None:
        super().__init__(
            seat, rules.no_more_bets, rules.reasons, rules.minimum_revolutions.cite, options.settle_after_s
        )
        self._rules = rules
        self._options = options
        self._results = RouletteResults(rules, options, wheel.pockets, wheel.wheel_order)
        self._rotor = 0
        self._busy = False
        """Whether the track is not quiet."""
        self._early: list[Observation] = []
        """What the ball did before the last round was settled: it belongs to the next."""
        self.reset()

    # --- the round -----------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new round begins."""
        self._stale = self._busy
        """Whether what runs in the track is not this round's: it is let run out."""
        self._joined = False
        self._pass: BallPassed | None = None
        self._rotor_at_launch = 0
        self._laps_told = 0
        self._left: BallLeftTrack | None = None
        self._object: ForeignObject | None = None
        self._reads: PocketRead | None = None
        self._slip: RotorDoubt | None = None
        self._call_judged = False
        self._single_pass = False

    def quiet(self) -> bool:
        """Whether nothing runs in the track."""
        return not self._busy

    def opened_after_settling(self, t_ns: int) -> None:
        """A ball was launched before the last round was settled: it runs for this one."""
        early, self._early = self._early, []
        self._stale = self._busy and not early
        for seen in early:
            if self.undecided:
                self._judge(seen, max(t_ns, seen.t_ns))

    def run_due(self, t_ns: int) -> None:
        """No pocket was named often enough in time."""
        if self._object is not None:
            self._refuse(t_ns, "foreign_object", self._object.detail)
        elif self._slip is not None:
            self.unresolved(t_ns, self._slip.reason, self._evidence(self._slip.detail), [])
        else:
            candidates = [] if self._reads is None else [self._results.result(self._results.pocket(self._reads.pocket))]
            detail = f"no pocket was named on {self._options.read_turns} rotor turns in a row"
            self.unresolved(t_ns, "no_number_read", self._evidence(detail), candidates)

    def see(self, seen: Observation) -> None:
        """Takes an observation of the wheel."""
        if type(seen) is BallPassed and self.phase is RUNNING and not self._stale:
            # Most of what a wheel says.
            self._busy = True
            self._run(seen, seen.t_ns)
            return
        match seen:
            case RotorTurning():
                self._rotor = seen.direction
            case RotorStopped():
                self._rotor = 0
            case RotorReversed():
                self._rotor = seen.direction
            case BallSeen() | BallPassed():
                self._busy = True
            case TrackQuiet():
                self._busy = False
            case NotLevel():
                self.said.append(Fault(seen.t_ns, "not_level", f"inclined by {seen.tilt_deg:g} degrees", "level"))
                return
            case LevelAgain():
                self.said.append(CauseGone(seen.t_ns, "level"))
            case _:
                pass
        if self._stale:
            self._stale = self._busy
        elif self.phase in (OPEN, RUNNING):
            self._judge(seen, seen.t_ns)
        elif self.phase is RUNNING_OUT:
            self.over_if_quiet(seen.t_ns)
        elif self.phase is SETTLING:
            self._keep(seen)

    def _keep(self, seen: Observation) -> None:
        """After the verdict: a ball that still runs when the bets are settled is the next round's, none before."""
        if isinstance(seen, BallSeen):
            self._early = [seen]
        elif isinstance(seen, TrackQuiet):
            if self._early and seen.passes > 1:
                detail = "a ball was thrown and came off before the last round was settled: it counts for nothing"
                self.say(events.DeviceWarning, seen.t_ns, device="wheel", warning="ball_before_settled", detail=detail)
            self._early = []
        elif self._early and isinstance(
            seen, BallPassed | BallLeftTrack | ForeignObject | RotorReversed | RotorStopped
        ):
            self._early.append(seen)
        elif isinstance(seen, RotorDoubt) and not seen.explained:
            self.said.append(Fault(seen.t_ns, seen.reason, seen.detail))

    def _judge(self, seen: Observation, t_ns: int) -> None:
        match seen:
            case BallSeen():
                self._joined = seen.joined
            case BallPassed():
                self._run(seen, t_ns)
            case BallLeftTrack():
                self._leave(seen, t_ns)
            case TrackQuiet():
                self._track_quiet(seen)
            case PocketRead():
                self._read(seen, t_ns)
            case ForeignObject():
                self._foreign(seen, t_ns)
            case RotorStopped():
                if self.phase is RUNNING and not self._joined:
                    self._refuse(t_ns, "rotor_not_turning", "the rotor stopped before the ball was at rest")
            case RotorReversed():
                if self.phase is RUNNING and not self._joined:
                    self._refuse(t_ns, "rotor_reversed", "the rotor turned back by more than half a pocket")
            case RotorDoubt():
                self._doubt(seen, t_ns)
            case _:
                pass

    # --- the ball in the track -----------------------------------------------------------------------------------

    def _run(self, seen: BallPassed, t_ns: int) -> None:
        first = self._pass is None
        self._pass = seen
        if self._joined:
            self.phase = RUNNING
            return
        if first:
            self.phase = RUNNING
            self._rotor_at_launch = self._rotor
        if self._left is not None:
            # It had only missed a sensor: it is still in the track.
            self._left = None
            self.run_due_ns = NEVER_NS
            self._reads = None
        if seen.proves:
            self._direction_proven(seen, t_ns)
        if self.phase is not RUNNING:
            return
        if self.seat.call_by == "auto" and seen.lap_s >= self._options.call_lap_s:
            self.close_bets(t_ns, t_ns, "auto")
        if seen.direction is not None and int(seen.travel + WHOLE) > self._laps_told:
            self._laps_told = int(seen.travel + WHOLE)
            self.say(events.RoundProgress, t_ns, revolutions=round(seen.travel, 3), lap_s=seen.lap_s)

    def _direction_proven(self, seen: BallPassed, t_ns: int) -> None:
        self.say(events.RoundStarted, t_ns, direction=_said(seen.direction))
        if not self._rotor:
            self._refuse(t_ns, "rotor_not_turning", "the rotor has no direction: it stands or is too slow")
        elif seen.direction == self._rotor:
            self._refuse(t_ns, "ball_direction", "the ball runs with the rotor")

    def _leave(self, seen: BallLeftTrack, t_ns: int) -> None:
        self._left = seen
        last = self._pass
        if self._joined:
            self.phase = RUNNING
            self.unresolved(t_ns, "joined_mid_spin", self._evidence("the ball ran before the track was once quiet"), [])
            return
        if last is None:
            return
        if self.seat.call_by == "auto":
            self.close_bets(t_ns, min(t_ns, seen.last_ns), "auto")
        least = self._rules.minimum_revolutions.value
        if last.direction is None:
            self._refuse(t_ns, "ball_revolutions", "the ball left the track before its direction was proven")
        elif last.travel + WHOLE < least:
            self._refuse(t_ns, "ball_revolutions", f"{last.travel:.2f} revolutions around the track are proven")
        elif seen.swapped is not None:
            self.said.append(Fault(t_ns, "sensors_swapped", seen.swapped))
        elif last.missed * MISSED_PART > last.passes:
            detail = f"{last.missed} sensors were passed unseen in {last.passes} passes"
            self.unresolved(t_ns, "sensor_missing", self._evidence(detail), [])
        elif seen.picked_up:
            self._refuse(
                t_ns, "ball_revolutions", f"the ball vanished at a lap time of {seen.lap_s} s: it did not drop"
            )
        else:
            turns_ns = 0 if seen.rotor_rpm <= 0 else round(self._options.give_up_turns * 60e9 / seen.rotor_rpm)
            self.run_due_ns = t_ns + max(round(self._options.give_up_s * 1e9), turns_ns)

    def _track_quiet(self, seen: TrackQuiet) -> None:
        if self.phase is OPEN:
            self._single_pass = seen.passes == 1 and not self._joined
            self._joined = False

    # --- the ball in the rotor -----------------------------------------------------------------------------------

    def _read(self, seen: PocketRead, t_ns: int) -> None:
        if self.phase is OPEN and self._single_pass and seen.turns == 2:
            # One pass and then a ball at rest: it was thrown in, and nothing of its run is proven.
            self._single_pass = False
            self.phase = RUNNING
            self._refuse(t_ns, "ball_revolutions", "the ball made one pass at the track sensors")
            return
        if self._left is None or self.phase is not RUNNING:
            return
        held = self._object
        if held is not None:
            if seen.turns < 2:
                self._refuse(t_ns, "foreign_object", held.detail)
                return
            # The reading before the object and this one agree: the ball was at rest already.
            self._object = None
        self._reads = seen
        if seen.turns >= self._options.read_turns:
            self._decide(seen, t_ns)

    def _decide(self, seen: PocketRead, t_ns: int) -> None:
        self.run_due_ns = NEVER_NS
        pocket = self._results.pocket(seen.pocket)
        result = self._results.result(pocket)
        last = self._pass
        if self._slip is not None:
            self.unresolved(t_ns, self._slip.reason, self._evidence(self._slip.detail), [result])
            return
        if last is None or last.direction != -self._rotor:
            detail = "ball and rotor are not proven to go opposite ways"
            self.unresolved(t_ns, "ball_direction", self._evidence(detail), [result])
            return
        self._judge_call(t_ns)
        if self._results.is_no_spin(pocket):
            self._refuse(t_ns, "double_zero_as_single_zero", "the ball rests in 00")
            return
        notices = self._results.notices(pocket)
        self.outcome(t_ns, result, self._results.winning(pocket), self._evidence(), notices)

    def _foreign(self, seen: ForeignObject, t_ns: int) -> None:
        if self.phase is OPEN:
            if not self._busy or self._joined:
                self.say(events.DeviceWarning, t_ns, device="wheel", warning="object_in_wheel", detail=seen.detail)
                return
            self.phase = RUNNING
        if self._left is not None and self._reads is not None:
            self._object = self._object or seen
        else:
            self._refuse(t_ns, "foreign_object", seen.detail)

    def _doubt(self, seen: RotorDoubt, t_ns: int) -> None:
        """The readings so far are void; an index that moved leaves no angle to be trusted."""
        self._reads = None
        if not seen.explained:
            self._slip = seen
            self.said.append(Fault(t_ns, seen.reason, seen.detail))

    # --- the call ------------------------------------------------------------------------------------------------

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """(j)2: while the ball is still in the track."""
        if self._left is not None:
            self._judge_call(t_ns)

    def _judge_call(self, t_ns: int) -> None:
        if self._call_judged:
            return
        self._call_judged = True
        standing = self._call_standing()
        if standing != "in_time":
            rule = self._reasons["no_more_bets_after_drop"].rule
            self.violation(t_ns, "no_more_bets_after_drop", rule, f'"No more bets" was called {standing}')

    def _call_standing(self) -> str:
        if self.called_ns is None:
            return "never"
        return "late" if self._left is not None and self.called_ns > self._left.t_ns else "in_time"

    # --- words ---------------------------------------------------------------------------------------------------

    def _refuse(self, t_ns: int, reason: str, detail: str) -> None:
        self.run_due_ns = NEVER_NS
        self.void(t_ns, reason, self._evidence(detail))

    def _evidence(self, detail: str = "") -> SpinEvidence:
        last, reads = self._pass, self._reads
        return SpinEvidence(
            revolutions=None if last is None else round(last.travel, 4),
            revolutions_low=None if last is None else round(last.travel, 4),
            revolutions_high=None if last is None else round(last.travel_high, 4),
            minimum_revolutions=self._rules.minimum_revolutions.value,
            direction=None if last is None else _said(last.direction),
            rotor_direction=_said(self._rotor or self._rotor_at_launch or None),
            rotor_rpm=None if last is None else last.rotor_rpm,
            passes=None if last is None else last.passes,
            missed_passes=None if last is None else last.missed,
            last_lap_s=None if last is None else last.lap_s,
            rotor_turns=None if reads is None else reads.turns,
            off_center=None if reads is None else reads.off_pockets,
            no_more_bets=self._call_standing(),
            detail=detail,
        )


def _said(direction: int | None) -> str | None:
    """A direction around the bowl, seen from above: angles grow clockwise."""
    return None if direction is None else ("clockwise" if direction > 0 else "counter-clockwise")
