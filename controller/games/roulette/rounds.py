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

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from controller.games.base.wheels import direction_name
from controller.games.roulette.results import ZERO_UNUSED, RouletteOptions, RouletteResults
from controller.games.roulette.rules import RouletteRules
from controller.table.faults import Fault
from controller.table.phase import OPEN, RUNNING, RUNNING_OUT, SETTLING, SHUT
from controller.table.rounds import RoundLifecycle
from drivers.base.driver import Observation
from drivers.roulette.device import (
    BallLeftTrack,
    BallPassed,
    BallSeen,
    BeamLost,
    BeamsDisagree,
    ForeignObject,
    LevelAgain,
    NotLevel,
    PocketLost,
    PocketRead,
    RotorDoubt,
    TrackClear,
    TrackCovered,
    TrackLost,
    TrackQuiet,
)
from drivers.roulette.rotor import RotorReversed, RotorStopped, RotorTurning
from feed import events
from feed.events import Evidence

# --- the spin that a round judges, and its evidence ---

WHOLE: Final = 1e-6
"""Tolerance of revolutions, which are sums of angles: this much less than four is still four."""


@dataclass(slots=True)
class RoundSpin:
    """One round's spin, from the first pass of the ball to the last reading of the pocket."""

    joined: bool = False
    """The ball ran before the track was first quiet."""
    passed: BallPassed | None = None
    """Its last pass at a track sensor."""
    rotor_at_launch: int = 0
    laps_reported: int = 0
    left: BallLeftTrack | None = None
    object: ForeignObject | None = None
    """Detected after the first reading of the pocket: held until the second."""
    reads: PocketRead | None = None
    """The last reading of the pocket."""
    slip: RotorDoubt | None = None
    lost: str = ""
    """What losses may have hidden: a second ball, or a foreign object."""
    seen_ns: int = 0
    """When a ball was first seen."""
    call_judged: bool = False
    single_pass: bool = False
    """The track became quiet after one pass."""

    def call(self, called_ns: int | None) -> str:
        """Whether "No more bets", called at `called_ns`, was in time for the ball: `in_time`, `late`, or `never`."""
        if called_ns is None:
            return "never"
        return "late" if self.left is not None and called_ns > self.left.t_ns else "in_time"

    def evidence(self, rotor: int, minimum_revolutions: int, call: str, detail: str) -> Evidence:
        """The measurements; `rotor` is the rotor's current direction, 0 where it has none."""
        last, reads, left = self.passed, self.reads, self.left
        return Evidence(
            revolutions=None if last is None else round(last.travel, 4),
            revolutions_low=None if last is None else round(last.travel, 4),
            revolutions_high=None if last is None else round(last.travel_high, 4),
            minimum_revolutions=minimum_revolutions,
            direction=None if last is None else around_the_bowl(last.direction),
            rotor_direction=around_the_bowl(rotor or self.rotor_at_launch or None),
            rotor_rpm=None if last is None else round(last.rotor_rpm, 2),
            passes=None if last is None else last.passes,
            missed_passes=None if last is None else last.missed,
            last_lap_s=None if last is None else last.lap_s,
            left_track_ns=None if left is None else left.t_ns,
            left_track_deg=None if left is None else left.at_deg,
            left_track_doubt_deg=None if left is None or left.at_deg is None else left.doubt_deg,
            rotor_turns=None if reads is None else reads.turns,
            off_center=None if reads is None else reads.off_pockets,
            no_more_bets=call,
            detail=detail,
        )


def around_the_bowl(direction: int | None) -> str | None:
    """A direction around the bowl, seen from above: angles grow clockwise."""
    return None if direction is None else direction_name(direction > 0)


# --- the round ---

AT_REST_RPM: Final = 0.1
"""A rotor that is slower is at rest (ours): 20.32(j)1 has no speed, and wants only that it rotates."""
UNSEEN_SPINS: Final = 3
"""Balls that came to rest without one pass at a track sensor, after which these are taken for dead (ours)."""
MISSED_PART: Final = 2
"""More than one missed sensor to two passes is not an occasional miss (ours)."""

BEFORE_RUN_NS: Final = 5_000_000_000
"""Losses that are older at the first pass are not of its ball (ours): the slowest lap takes less."""


class RouletteGame:
    """The rounds of a roulette table."""

    device = "wheel"
    names_result_by = "pocket"

    def __init__(
        self, rounds: RoundLifecycle, rules: RouletteRules, options: RouletteOptions, results: RouletteResults
    ) -> None:
        self.rounds = rounds
        self.report = rounds.report
        self._rules = rules
        self._options = options
        self._results = results
        self._rotor = 0
        self._busy = False
        """Whether the track is not quiet."""
        self._track_lost: TrackLost | None = None
        """The last loss at a track sensor: a ball may have made more passes than were seen."""
        self._unseen: list[int] = []
        """The pockets in which the ball came to rest, one after another, since a track sensor last saw it."""
        self._early: list[Observation] = []
        """Observations of a ball before the last round was settled: they belong to the next round."""
        self.reset()

    # --- the round -----------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """A new round begins."""
        self._stale = self._busy
        """Whether the ball in the track is not this round's: it is ignored until the track is quiet."""
        self._spin = RoundSpin()

    def quiet(self) -> bool:
        """Whether nothing runs in the track."""
        return not self._busy

    def opened_after_settling(self, t_ns: int) -> None:
        """Judges a ball that was launched before the last round was settled: it belongs to this round."""
        early, self._early = self._early, []
        self._stale = self._busy and not early
        for seen in early:
            if self.rounds.undecided:
                self._judge(seen, max(t_ns, seen.t_ns))

    def run_due(self, t_ns: int) -> None:
        """Gives up: no pocket was read on enough rotor turns in time."""
        spin = self._spin
        if spin.object is not None:
            self._refuse(t_ns, "foreign_object", spin.object.detail)
        elif spin.slip is not None:
            self.rounds.unresolved(t_ns, spin.slip.reason, self._evidence(spin.slip.detail), [])
        else:
            reads, results = spin.reads, self._results
            candidates = [] if reads is None else [results.result(results.pocket(reads.pocket))]
            detail = f"no pocket was named on {self._options.read_turns} rotor turns in a row"
            self.rounds.unresolved(t_ns, "no_number_read", self._evidence(detail), candidates)

    def handle(self, seen: Observation) -> None:
        """Handles an observation of the wheel."""
        if type(seen) is BallPassed and self.rounds.phase is RUNNING and not self._stale:
            # The most frequent observation.
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
                self._unseen = []
            case PocketRead(turns=2) if self.rounds.phase is OPEN and not self._busy:
                self._rests_unseen(seen)
            case TrackQuiet():
                self._busy = False
            case NotLevel():
                detail = f"inclined by {seen.tilt_deg:g} degrees"
                self.report.fault(Fault(seen.t_ns, "not_level", detail, "level"))
                return
            case LevelAgain():
                self.report.cause_gone(seen.t_ns, "level")
            case TrackCovered():
                self._covered(seen)
                return
            case TrackClear():
                self.report.cause_gone(seen.t_ns, seen.line)
                return
            case RotorDoubt(explained=False):
                # In every phase: an index that moved gives wrong pockets from then on.
                self.report.fault(Fault(seen.t_ns, seen.reason, seen.detail))
            case TrackLost():
                self._track_lost = seen
                return
            case BeamsDisagree():
                self.report.event(
                    events.DeviceWarning, seen.t_ns, device="wheel", warning="object_beams_disagree", detail=seen.detail
                )
                return
            case _:
                pass
        if self._stale:
            self._stale = self._busy
        elif self.rounds.phase in (OPEN, RUNNING):
            self._judge(seen, seen.t_ns)
        elif self.rounds.phase is RUNNING_OUT:
            self.rounds.over_if_quiet(seen.t_ns)
        elif self.rounds.phase is SETTLING:
            self._keep(seen)

    def _rests_unseen(self, seen: PocketRead) -> None:
        """A ball at rest in one pocket after another was spun in between; sensors that see none of it are off."""
        if seen.pocket not in self._unseen[-1:]:
            self._unseen.append(seen.pocket)
        if len(self._unseen) >= UNSEEN_SPINS:
            pockets = ", ".join(self._results.pocket(pocket) for pocket in self._unseen)
            self._unseen = []
            detail = f"the ball came to rest in {pockets} one after the other, and no track sensor saw it run"
            self.report.fault(Fault(seen.t_ns, "sensor_missing", detail))

    def _covered(self, seen: TrackCovered) -> None:
        """A dust cover on a closed wheel is not a fault: the driver reports again once the table is open."""
        if self.rounds.phase is not SHUT:
            detail = f"{seen.line} is 1 for {seen.for_s:g} s: something covers it, or it is inverted in the file"
            self.report.fault(Fault(seen.t_ns, "sensor_stuck", detail, seen.line))

    def _keep(self, seen: Observation) -> None:
        """After the verdict: keeps a ball for the next round, unless its run ends before the settling."""
        if isinstance(seen, BallSeen):
            self._early = [seen]
        elif isinstance(seen, TrackQuiet):
            if self._early and seen.passes > 1:
                detail = "a ball was thrown and came off before the last round was settled: it does not count"
                self.report.event(
                    events.DeviceWarning, seen.t_ns, device="wheel", warning="ball_before_settled", detail=detail
                )
            self._early = []
        elif self._early and isinstance(
            seen, BallPassed | BallLeftTrack | ForeignObject | BeamLost | PocketLost | RotorReversed | RotorStopped
        ):
            self._early.append(seen)

    def _judge(self, seen: Observation, t_ns: int) -> None:
        match seen:
            case BallSeen():
                self._spin.joined, self._spin.seen_ns = seen.joined, seen.t_ns
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
                if self.rounds.phase is RUNNING and not self._spin.joined:
                    # The text has the ball spun against the rotation of the wheel, and nothing of the wheel later.
                    self._refuse(t_ns, "rotor_not_turning", "the rotor stopped before the ball was at rest", ours=True)
            case RotorReversed():
                if self.rounds.phase is RUNNING and not self._spin.joined:
                    self._refuse(t_ns, "rotor_reversed", "the rotor turned back by more than half a pocket")
            case RotorDoubt():
                self._doubt(seen)
            case PocketLost():
                left = self._spin.left
                if self._busy and (left is None or seen.since_ns < left.last_ns):
                    self._lost(f"a second ball may have lain in a pocket unseen while the ball ran ({seen.detail})")
            case BeamLost():
                # A backend may learn of a loss at the line's next change: it may be older than the readings.
                if self._busy or self.rounds.phase is RUNNING:
                    self._lost(f"an object may have crossed a beam unseen before the ball was at rest ({seen.detail})")
            case _:
                pass

    # --- the ball in the track -----------------------------------------------------------------------------------

    def _run(self, seen: BallPassed, t_ns: int) -> None:
        spin, rounds = self._spin, self.rounds
        first = spin.passed is None
        spin.passed = seen
        if spin.joined:
            rounds.begin_run()
            return
        if first:
            rounds.begin_run()
            spin.rotor_at_launch = self._rotor
        if spin.left is not None:
            # It had only missed a sensor and is still in the track.
            spin.left = None
            rounds.drop_run_due()
            spin.reads = None
        if seen.proves:
            self._direction_proven(seen, t_ns)
        if rounds.phase is not RUNNING:
            return
        if seen.lap_s >= self._options.call_lap_s and rounds.context.call_by == "auto":
            rounds.close_bets(t_ns, t_ns, "auto")
        laps = seen.travel + WHOLE
        if laps >= spin.laps_reported + 1 and seen.direction is not None:
            spin.laps_reported = int(laps)
            self.report.event(events.RoundProgress, t_ns, revolutions=round(seen.travel, 3), lap_s=seen.lap_s)

    def _direction_proven(self, seen: BallPassed, t_ns: int) -> None:
        self.report.event(events.RoundStarted, t_ns, direction=around_the_bowl(seen.direction))
        if not self._rotor:
            slow = seen.rotor_rpm >= AT_REST_RPM
            detail = (
                "the rotor has no direction: it is too slow" if slow else "the rotor has no direction: it is at rest"
            )
            self._refuse(t_ns, "rotor_not_turning", detail, ours=slow)
        elif seen.direction == self._rotor:
            self._refuse(t_ns, "ball_direction", "the ball runs with the rotor")

    def _leave(self, seen: BallLeftTrack, t_ns: int) -> None:
        self._spin.left = seen
        last = self._spin.passed
        if self._spin.joined:
            self.rounds.begin_run()
            self.rounds.unresolved(
                t_ns, "joined_mid_spin", self._evidence("the ball ran before the track was once quiet"), []
            )
            return
        if last is None:
            return
        if self.rounds.context.call_by == "auto":
            self.rounds.close_bets(t_ns, min(t_ns, seen.last_ns), "auto")
        least = self._rules.minimum_revolutions.value
        unseen = last.missed * MISSED_PART > last.passes
        if last.direction is None:
            self._too_few(t_ns, "the ball left the track before its direction was proven")
        elif last.travel + WHOLE < least <= last.travel + last.doubted + WHOLE:
            detail = f"{last.travel:.2f} revolutions are proven, {last.doubted:.2f} may be noise or another ball's"
            self.rounds.unresolved(t_ns, "ball_revolutions", self._evidence(detail), [])
        elif last.travel + WHOLE < least and not (unseen and last.travel_high + WHOLE >= least):
            self._too_few(t_ns, f"{last.travel:.2f} revolutions around the track are proven")
        elif seen.swapped is not None:
            self.report.fault(Fault(t_ns, "sensors_swapped", seen.swapped))
        elif unseen:
            detail = f"{last.missed} sensors were passed unseen in {last.passes} passes"
            self.rounds.unresolved(t_ns, "sensor_missing", self._evidence(detail), [])
        elif seen.picked_up:
            # It completed the four revolutions that (m)2 wants.
            self._too_few(t_ns, f"the ball vanished at a lap time of {seen.lap_s} s: it did not drop", ours=True)
        else:
            turns_ns = 0 if seen.rotor_rpm <= 0 else round(self._options.give_up_turns * 60e9 / seen.rotor_rpm)
            self.rounds.set_run_due(t_ns + max(round(self._options.give_up_s * 1e9), turns_ns))

    def _track_quiet(self, seen: TrackQuiet) -> None:
        if self.rounds.phase is OPEN:
            self._spin.single_pass = seen.passes == 1 and not self._spin.joined
            self._spin.joined = False
            self._spin.lost = ""

    def _lost(self, what: str) -> None:
        self._spin.lost = self._spin.lost or what

    # --- the ball in the rotor -----------------------------------------------------------------------------------

    def _read(self, seen: PocketRead, t_ns: int) -> None:
        if self.rounds.phase is OPEN and self._spin.single_pass and seen.turns == 2:
            # One pass and then a ball at rest: it was thrown in, and no travel is proven.
            self._spin.single_pass = False
            self.rounds.begin_run()
            self._too_few(t_ns, "the ball made one pass at the track sensors")
            return
        if self._spin.left is None or self.rounds.phase is not RUNNING:
            return
        held = self._spin.object
        if held is not None:
            if seen.turns < 2:
                self._refuse(t_ns, "foreign_object", held.detail)
                return
            # The reading before the object and this one agree: the ball was already at rest.
            self._spin.object = None
        self._spin.reads = seen
        if seen.turns >= self._options.read_turns:
            self._decide(seen, t_ns)

    def _decide(self, seen: PocketRead, t_ns: int) -> None:
        self.rounds.drop_run_due()
        pocket = self._results.pocket(seen.pocket)
        result = self._results.result(pocket)
        last = self._spin.passed
        if self._spin.slip is not None:
            self.rounds.unresolved(t_ns, self._spin.slip.reason, self._evidence(self._spin.slip.detail), [result])
            return
        if self._spin.lost:
            self.rounds.unresolved(t_ns, "edges_lost", self._evidence(self._spin.lost), [result])
            return
        if last is None or last.direction != -self._rotor:
            detail = "ball and rotor are not proven to go opposite ways"
            self.rounds.unresolved(t_ns, "ball_direction", self._evidence(detail), [result])
            return
        self._judge_call(t_ns)
        if self._results.is_no_spin(pocket):
            self._refuse(t_ns, ZERO_UNUSED, "the ball rests in 00")
            return
        notices = self._results.notices(pocket)
        self.rounds.outcome(t_ns, result, self._results.winning(pocket), self._evidence(), notices)

    def _foreign(self, seen: ForeignObject, t_ns: int) -> None:
        if self.rounds.phase is OPEN:
            if not self._busy or self._spin.joined:
                self.report.event(
                    events.DeviceWarning, t_ns, device="wheel", warning="object_in_wheel", detail=seen.detail
                )
                return
            self.rounds.begin_run()
        if self._spin.left is not None and self._spin.reads is not None:
            self._spin.object = self._spin.object or seen
        else:
            self._refuse(t_ns, "foreign_object", seen.detail)

    def _doubt(self, seen: RotorDoubt) -> None:
        """Drops the readings so far; after an index that moved, no angle is proven."""
        self._spin.reads = None
        if not seen.explained:
            self._spin.slip = seen

    # --- the call ------------------------------------------------------------------------------------------------

    def bets_closed(self, t_ns: int, called_ns: int) -> None:
        """Judges the call: (j)2, while the ball is still in the track."""
        if self._spin.left is not None:
            self._judge_call(t_ns)

    def _judge_call(self, t_ns: int) -> None:
        if self._spin.call_judged:
            return
        self._spin.call_judged = True
        timing = self._spin.call(self.rounds.called_ns)
        if timing != "in_time":
            rule = self.rounds.reasons["no_more_bets_after_drop"].rule
            self.report.violation(t_ns, "no_more_bets_after_drop", rule, f'"No more bets" was called {timing}')

    def result_in(self, number: int, name: str) -> dict[str, Any]:
        """The result of a pocket."""
        return self._results.named(name)

    def name_of(self, result: Mapping[str, Any]) -> str:
        """The pocket."""
        return str(result.get("pocket"))

    def pays_in(self, number: int, result: dict[str, Any]) -> tuple[list[events.WinningBet], list[str]]:
        """By the layout, 13:47-20.32(f)."""
        return self._results.pays(result)

    # --- evidence ------------------------------------------------------------------------------------------------

    def _too_few(self, t_ns: int, detail: str, *, ours: bool = False) -> None:
        """Refuses a ball whose passes prove too little, unless more of them may have been lost."""
        lost = self._track_lost
        if lost is not None and lost.t_ns >= self._spin.seen_ns - BEFORE_RUN_NS:
            evidence = self._evidence(f"{detail}, and passes may have been lost ({lost.detail})")
            self.rounds.unresolved(t_ns, "edges_lost", evidence, [])
        else:
            self._refuse(t_ns, "ball_revolutions", detail, ours=ours)

    def _refuse(self, t_ns: int, reason: str, detail: str, *, ours: bool = False) -> None:
        self.rounds.drop_run_due()
        self.rounds.void(t_ns, reason, self._evidence(detail), ours=ours)

    def _evidence(self, detail: str = "") -> Evidence:
        least = self._rules.minimum_revolutions.value
        return self._spin.evidence(self._rotor, least, self._spin.call(self.rounds.called_ns), detail)
