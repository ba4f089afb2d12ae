"""The ball in the track: its direction, its travel, and when it left.

Sensors are at fixed angles of the bowl. All expectations are in angle, never in "the next sensor": after a pass at
one sensor a ball of known speed and direction has one time at which it can be at each other sensor. So unequal angles,
a missed sensor and a slowing ball need no rules of their own:

    sensor     0°        120°        240°        0°         120°                    0°
    line    ___|‾|________|‾|________|‾|_________|‾|_________|‾|__ (240° missed) ___|‾|___
    travel     0°        120°        240°        360°        480°                   720°
    time       t0        t1          t2    ->  direction: three passes agree

Both directions are followed until one cannot explain a pass, or explains the passes only by more misses. Travel counts
from the first pass to the last (13:47-20.32(j)1, (m)2: around the track, never relative to the rotor).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from math import inf, log
from statistics import fmean
from typing import Final

from drivers.base.driver import NEVER_NS, Observation
from drivers.roulette.ball_hypothesis import (
    FASTEST_LAP_S,
    LIKE_WIDTH_CHANGE,
    PICKED_UP_LAP_S,
    QUICKENING,
    SLOWEST_LAP_S,
    SLOWING,
    BallHypothesis,
    Pass,
    legs_by_sensor,
    sensors_between,
)
from drivers.roulette.device import BallLeftTrack, BallPassed, BallSeen, ForeignObject, TrackQuiet
from drivers.roulette.pocket_head import PocketHead
from drivers.roulette.rotor import Rotor
from drivers.roulette.view import NO_BALL, BallView
from drivers.wheel.condition import (
    SEEN_PASSES,
    CountTimes,
    MeasuredSpins,
    WheelMeasured,
    ball_values,
    disc_slowing,
    unevenness,
)
from hal.values import Edge

# --- runs of the ball, one after another, each with its own `BallTrack` ---
#
# BallSeen    first pass on a quiet track
#    │ BallPassed ...             each pass that a ball running on explains
#    ▼
# BallLeftTrack                   the ball is overdue at every sensor
#    │
#    ▼
# WheelMeasured                   of one run in some: its wear values
# TrackQuiet  no edge of a track sensor for the quiet time: the next pass begins a new run


class BallRuns:
    """Follows the ball by the edges of `ball_1` to `ball_n`."""

    __slots__ = (
        "_foreign_reported",
        "_head",
        "_joined",
        "_known_lines",
        "_last_run",
        "_left",
        "_measured",
        "_overdue_ns",
        "_pocket_ns",
        "_quiet_due_ns",
        "_quiet_ns",
        "_rotor",
        "_rotor_rpm",
        "_rotor_seen",
        "_sensors",
        "_sensors_deg",
        "_tilt_deg",
        "_track",
        "began_ns",
        "due_ns",
        "lines",
        "second_ball",
        "spins",
    )

    def __init__(
        self,
        sensors_deg: Sequence[float],
        quiet_ns: int,
        rotor: Rotor,
        head: PocketHead,
        tilt_deg: Callable[[int], float | None],
    ) -> None:
        """Each run resets the doubts of `rotor` and the readings of `head`; `tilt_deg` is the bowl's at a time."""
        self._sensors_deg = sensors_deg
        self._tilt_deg = tilt_deg
        self.spins = MeasuredSpins()
        """Which runs are measured."""
        self._measured = False
        """Whether the wear of this run is measured."""
        self._rotor_seen: list[CountTimes] = []
        """Of a measured run: the rotor's last counts at some passes."""
        self._quiet_ns = quiet_ns
        self._rotor = rotor
        self._head = head
        self._sensors = TrackSensors(len(sensors_deg))
        self.lines = self._sensors.lines
        self._known_lines: set[str] = set()
        """The lines whose level is known: their next edge is a change."""
        self._track: BallTrack | None = None
        self._last_run = NO_BALL
        """The last run, once the track is quiet."""
        self._left = self._foreign_reported = False
        self._rotor_rpm = 0.0
        self._joined = True
        self._overdue_ns = NEVER_NS
        """When the ball has left the track."""
        self._quiet_due_ns = NEVER_NS
        """When the track is quiet, if nothing is in front of a sensor."""
        self.due_ns = NEVER_NS
        """The next deadline, or earlier."""
        self.began_ns = -NEVER_NS
        """When the last ball of known direction passed first."""
        self.second_ball = False
        """Whether a ball was read in a pocket while one of known direction ran."""
        self._pocket_ns = -NEVER_NS
        """When a ball was last read in a pocket while one ran whose direction was not known yet."""

    @property
    def running(self) -> bool:
        """Whether a ball of known direction is in the track."""
        return self._track is not None and not self._left and self._track.direction is not None

    def see_pocket(self, t_ns: int) -> None:
        """Records a ball in a pocket; with one in the track, it is a second ball.

        What passed a sensor once may have been a hand: the first passes are a ball's once they prove its direction.
        """
        if self.running:
            self.second_ball = True
        elif self._track is not None and not self._left:
            self._pocket_ns = t_ns

    def view(self, t_ns: int) -> BallView:
        """The ball at `t_ns`."""
        track = self._track
        best = None if track is None else track.hypothesis
        if track is None or best is None:
            return self._last_run
        at_deg: float | None = None
        if not self._left:
            since_s = (min(t_ns, best.overdue_ns) - best.last.t_ns) / 1e9
            at_deg = (self._sensors_deg[best.last.sensor] + best.direction * (best.deg_per_s or 0.0) * since_s) % 360
        return BallView(
            state="left the track" if self._left else "in the track",
            direction=track.direction or 0,
            laps=best.travel_deg / 360,
            laps_high=best.travel_high_deg / 360,
            lap_s=best.lap_s,
            missed=best.missed,
            at_deg=at_deg,
            last_sensor=best.last.sensor,
        )

    def handle_edge(self, edge: Edge, found: list[Observation]) -> None:
        """Handles an edge of a track sensor."""
        line, level, t_ns = edge
        if t_ns > self.due_ns:
            self.pass_time(t_ns - 1, found)
        if self._joined or line in self._known_lines:
            self._quiet_due_ns = t_ns + self._quiet_ns
        self._known_lines.add(line)
        new = self._sensors.handle_edge(edge)
        if new is not None:
            self._pass(new, t_ns, found)
        if not level:
            # While something is in front of a sensor the track is not quiet.
            overdue_ns, quiet_due_ns = self._overdue_ns, self._quiet_due_ns
            self.due_ns = overdue_ns if overdue_ns < quiet_due_ns else quiet_due_ns

    def forget(self, line: str) -> None:
        """Drops a pulse that has begun: changes of its line were lost."""
        self._known_lines.discard(line)
        self._sensors.forget(line)
        self.due_ns = min(self._overdue_ns, self._quiet_due_ns)

    # --- one pass ------------------------------------------------------------------------------------------------

    def _pass(self, new: Pass, t_ns: int, found: list[Observation]) -> None:
        """Handles a pulse of a track sensor that may be a ball."""
        track = self._track
        if track is None:
            self._begin(new, t_ns, found)
            return
        known = track.direction
        hypothesis = track.handle_pass(new)
        if hypothesis is not None and self._left:
            self._left = False
            self._head.forget()
        self._overdue_ns = NEVER_NS if self._left else track.overdue_ns
        if hypothesis is None or hypothesis.lap_s is None:
            if track.has_foreign_object:
                self._report_foreign(t_ns, "passes of the track sensors that one ball cannot make", found)
            return
        self._rotor_rpm = rotor_rpm = self._rotor.rpm(t_ns)
        if self._measured and not hypothesis.passes % SEEN_PASSES:
            last = self._rotor.encoder.quadrature
            self._rotor_seen.append((last.t1_ns, last.t2_ns, last.t3_ns, last.t4_ns, last.count))
        direction = track.direction
        proves = known is None and direction is not None
        if proves:
            self.began_ns = track.began_ns
            if self._pocket_ns >= track.began_ns:
                self.second_ball = True
        if self.second_ball:
            self._report_foreign(t_ns, "a ball in a pocket while another is in the track", found)
        found.append(
            BallPassed(
                t_ns=t_ns,
                passes=hypothesis.passes,
                direction=direction,
                travel=hypothesis.travel_deg / 360,
                travel_high=hypothesis.travel_high_deg / 360,
                doubted=hypothesis.doubted_deg / 360,
                lap_s=round(hypothesis.lap_s, 4),
                missed=hypothesis.missed,
                proves=proves,
                rotor_rpm=rotor_rpm,
            )
        )

    def _begin(self, first: Pass, t_ns: int, found: list[Observation]) -> None:
        """Begins a run: a first pass on a quiet track."""
        self._track = BallTrack(self._sensors_deg)
        self._track.handle_pass(first)
        self._left = self._foreign_reported = self.second_ball = False
        self._measured = self.spins.begin()
        self._rotor_seen = []
        self._head.forget()
        self._rotor.encoder.begin_run()
        found.append(BallSeen(t_ns=t_ns, joined=self._joined))

    def _report_foreign(self, t_ns: int, detail: str, found: list[Observation]) -> None:
        """Reports a second ball or a foreign object, once a run."""
        if not self._foreign_reported:
            self._foreign_reported = True
            found.append(ForeignObject(t_ns=t_ns, detail=detail))

    # --- time ----------------------------------------------------------------------------------------------------

    def pass_time(self, t_ns: int, found: list[Observation]) -> None:
        """Advances time: the ball may have left the track, or the track may be quiet."""
        if t_ns < self.due_ns:
            return
        # The track does not become quiet while a sensor is covered, or where only noise followed the last run.
        no_run = self._track is None and not self._joined
        quiet_ns = NEVER_NS if no_run or self._sensors.blocked else self._quiet_due_ns
        if self._overdue_ns <= min(t_ns, quiet_ns):
            self._leave(self._overdue_ns, found)
        if quiet_ns <= t_ns:
            self._be_quiet(quiet_ns, found)
            quiet_ns = NEVER_NS
        self.due_ns = min(self._overdue_ns, quiet_ns)

    def _leave(self, t_ns: int, found: list[Observation]) -> None:
        self._left = True
        self._overdue_ns = NEVER_NS
        self._head.forget()
        track = self._track
        hypothesis = None if track is None else track.hypothesis
        if track is None or hypothesis is None:
            return
        lap_s = hypothesis.sure_lap_s
        at_deg, doubt_deg = None, 180.0
        if track.direction is not None:
            at_deg, doubt_deg = arc_after(self._sensors_deg, hypothesis.last.sensor, track.direction)
        found.append(
            BallLeftTrack(
                t_ns=t_ns,
                last_ns=hypothesis.last.t_ns,
                lap_s=None if lap_s is None else round(lap_s, 4),
                picked_up=lap_s is not None and lap_s < PICKED_UP_LAP_S,
                rotor_rpm=round(self._rotor_rpm, 2),
                swapped=track.swapped(),
                at_deg=at_deg,
                doubt_deg=doubt_deg,
            )
        )

    def _be_quiet(self, t_ns: int, found: list[Observation]) -> None:
        if self._overdue_ns < NEVER_NS:
            self._leave(t_ns, found)
        self._quiet_due_ns = NEVER_NS
        self._joined = False
        self._last_run = self.view(t_ns)._replace(state="none", at_deg=None)
        track, self._track = self._track, None
        if track is not None:
            hypothesis = track.hypothesis
            self._left = False
            if self._measured and not self._foreign_reported:
                found.append(WheelMeasured(t_ns=t_ns, values=self._values_of(track)))
            found.append(TrackQuiet(t_ns=t_ns, passes=0 if hypothesis is None else hypothesis.passes))

    def _values_of(self, track: BallTrack) -> dict[str, float]:
        """The wear values of a run that is over."""
        values, seen = track.values(), self._rotor_seen
        slowing = disc_slowing(seen, self._rotor.encoder.counts_per_turn)
        uneven = unevenness(seen)
        tilt_deg = self._tilt_deg(seen[-1][0]) if seen else None
        if slowing is not None:
            values["rotor_slowing"] = slowing
        if uneven is not None:
            values["unevenness"] = uneven
        if tilt_deg is not None:
            values["level"] = tilt_deg
        return values


# --- where the ball left the track ---


def arc_after(sensors_deg: Sequence[float], sensor: int, direction: int) -> tuple[float, float]:
    """The middle of the arc from a sensor to the next one in a direction, and half of its width, in degrees.

    An arc has the same numbers from either of its ends.
    """
    begin_deg = sensors_deg[sensor]
    width_deg, end_deg = min(((end_deg - begin_deg) * direction % 360 or 360.0, end_deg) for end_deg in sensors_deg)
    low_deg = begin_deg if direction > 0 else end_deg
    return round((low_deg + width_deg / 2) % 360, 2) % 360, round(width_deg / 2, 2)


# --- track sensors: which pulses may be a ball ---
#
# ball      ______|‾‾‾‾|_________      0.3 % to 3 % of a lap, so 1 ms to 130 ms over all speeds
# bounce    ______|‾|_|‾|________      gaps of less than 4 ms belong to one pulse
# noise     ______|______________      under 0.8 ms: not a ball
# hand      ______|‾‾‾‾‾‾‾‾‾‾‾‾‾‾      longer: a hand, or a stuck sensor; not a ball

NARROWEST_NS: Final = 800_000
"""0.3 % of the fastest lap is 1.05 ms; a quarter less for the sensor's hysteresis (ours)."""

WIDEST_NS: Final = 140_000_000
"""3 % of the slowest lap (ours)."""

BOUNCE_NS: Final = 4_000_000
"""A pulse this soon after the last of the same sensor is part of it (ours)."""


def track_lines(number: int) -> tuple[str, ...]:
    """The lines of so many track sensors."""
    return tuple(f"ball_{i + 1}" for i in range(number))


class _Sensor:
    """One track sensor, and its pulse."""

    __slots__ = ("fall_ns", "high", "number", "passed", "rise_ns")

    def __init__(self, number: int) -> None:
        self.number = number
        self.forget()

    def forget(self) -> None:
        """Drops a pulse that has begun."""
        self.rise_ns: int | None = None
        self.fall_ns: int | None = None
        self.high = False
        self.passed = False
        """Whether the pulse was a pass."""


class TrackSensors:
    """Turns the edges of `ball_1` to `ball_n` into passes."""

    def __init__(self, number: int) -> None:
        self.lines = track_lines(number)
        self._sensors = {line: _Sensor(place) for place, line in enumerate(self.lines)}

    @property
    def blocked(self) -> bool:
        """Whether something is in front of a sensor."""
        return any(sensor.high for sensor in self._sensors.values())

    def forget(self, line: str) -> None:
        """Drops a pulse that has begun: changes of its line were lost."""
        self._sensors[line].forget()

    def handle_edge(self, edge: Edge) -> Pass | None:
        """Handles an edge; returns the pass that it completes."""
        line, level, t_ns = edge
        sensor = self._sensors[line]
        rise_ns = sensor.rise_ns
        if level:
            if sensor.high:
                return None
            sensor.high = True
            if sensor.fall_ns is None or t_ns - sensor.fall_ns > BOUNCE_NS or rise_ns is None:
                sensor.rise_ns = t_ns
                sensor.passed = False
            return None
        sensor.high = False
        sensor.fall_ns = t_ns
        if rise_ns is None or sensor.passed:
            return None
        width_ns = t_ns - rise_ns
        if not NARROWEST_NS <= width_ns <= WIDEST_NS:
            return None
        sensor.passed = True
        return Pass(sensor.number, rise_ns, width_ns)


# --- one run: direction and travel from its passes ---

AGREEING: Final = 3
"""Passes that must agree on the direction; two where the other direction would be impossibly fast."""

SWAP_PASSES: Final = 6
"""Passes from which an uneven speed shows that sensors are swapped (ours)."""

LEAST_UNEVEN: Final = 0.05
EVENER_SHARE: Final = 0.6
"""Sensors look swapped where the mean change of speed from pass to pass is over 5 %, and a swap would reduce it to
under this share (ours)."""

FOREIGN_PASSES: Final = 3
"""Passes that the ball cannot have made, after which a foreign object is in the track (ours)."""

OTHER_BALL_PASSES: Final = 2
"""Of those, passes as wide as the ball's, after which no travel since the first of them is proven: it may be another
ball's (ours).
"""

PAIR_WIDTH: Final = 1.3
"""Within a lap after one such pass, a pulse wider by this factor than the last of its sensor is another: two balls so
near to each other cover a sensor together (ours)."""

QUICKENED: Final = 1.1
"""Where the ball's last pass came faster by this factor than the one before, one such pass right after it is enough: a
ball slows, so the pass before was another's. So it is where the ball comes faster within a lap after one such pass
(ours; sensors that are 4° off their angles give 1.08)."""


class BallTrack:
    """Follows one run of the ball over its passes. A new run is a new `BallTrack`."""

    def __init__(self, sensors_deg: Sequence[float]) -> None:
        """`sensors_deg` are the angles of the sensors on the bowl."""
        self._deg = tuple(sensors_deg)
        self._legs = {direction: legs_by_sensor(self._deg, direction) for direction in (1, -1)}
        self.hypotheses: list[BallHypothesis] = []
        self.direction: int | None = None
        """+1 or -1 once it is proven."""
        self.unexplained: list[Pass] = []
        """Passes that the followed ball cannot have made."""
        self.false_starts = 0
        """First passes that were given up: no later pass fitted them."""
        self._given_up: list[Pass] = []
        """These, and the passes that fitted them."""
        self._accepted: list[Pass] = []
        """The passes of the followed ball."""
        self._unlike: list[tuple[Pass, float]] = []
        """The unexplained passes of another width, each with the proven travel, in degrees, at it."""
        self._alike: list[float] = []
        """The proven travel, in degrees, at each unexplained pass as wide as the ball's."""
        self._alike_passes = 0
        """The passes of the ball up to the last of them."""
        self._pulse_deg: dict[int, float] = {}
        """The angle that the ball covered last before each sensor."""
        self.began_ns = NEVER_NS
        """When the followed ball passed first, also where that pass was given up; once its direction is proven."""

    @property
    def hypothesis(self) -> BallHypothesis | None:
        """The best hypothesis: of the proven direction, otherwise the one with the fewest misses."""
        if not self.hypotheses:
            return None
        if len(self.hypotheses) == 1:
            return self.hypotheses[0]
        return min(self.hypotheses, key=lambda c: (c.missed, c.deg_per_s or 0.0))

    @property
    def overdue_ns(self) -> int:
        """When the ball has left the track, if no pass follows; `NEVER_NS` while its speed is unknown."""
        if len(self.hypotheses) == 1:
            return self.hypotheses[0].overdue_ns
        return max((hypothesis.overdue_ns for hypothesis in self.hypotheses), default=NEVER_NS)

    @property
    def has_foreign_object(self) -> bool:
        """Whether a second ball or a foreign object is in the track."""
        return len(self.unexplained) >= FOREIGN_PASSES or self.false_starts >= 2 * FOREIGN_PASSES

    def handle_pass(self, new: Pass) -> BallHypothesis | None:
        """Handles a pass; returns the best hypothesis if a ball that runs on explains the pass."""
        if not self.hypotheses:
            self._begin(new)
            return self.hypothesis
        if self.direction is not None:
            (hypothesis,) = self.hypotheses
            run = hypothesis.run_to(new)
            if run is not None:
                hypothesis.take(run)
                self._accepted.append(new)
                pulse_deg, self._pulse_deg[new.sensor] = self._pulse_deg.get(new.sensor), run.pulse_deg
                near = self._alike and len(self._accepted) - self._alike_passes <= len(self._deg)
                if near and (
                    run.quickening > QUICKENED or (pulse_deg is not None and run.pulse_deg > PAIR_WIDTH * pulse_deg)
                ):
                    self._note_alike(hypothesis.travel_deg)
                return hypothesis
            self._add_unexplained(new)
            return None
        runs = [(hypothesis, run) for hypothesis in self.hypotheses if (run := hypothesis.run_to(new)) is not None]
        if not runs:
            if all(hypothesis.passes < AGREEING for hypothesis in self.hypotheses):
                # Too few passes to keep: they may have been the hand that threw the ball.
                self.false_starts += 1
                self._given_up += self._accepted
                self._begin(new)
            else:
                self._add_unexplained(new)
            return None
        for hypothesis, run in runs:
            hypothesis.take(run)
        self.hypotheses = [hypothesis for hypothesis, _ in runs]
        self._accepted.append(new)
        self._decide()
        return self.hypothesis

    def _add_unexplained(self, new: Pass) -> None:
        """Records a pass that the followed ball cannot have made. Two that look like a ball's may be a second ball."""
        self.unexplained.append(new)
        hypothesis = self.hypothesis
        if hypothesis is not None and hypothesis.is_like(new):
            if hypothesis.first_wider:
                self._note_alike(0.0)
            if hypothesis.quickening > QUICKENED:
                self._note_alike(hypothesis.before_deg)
            self._note_alike(hypothesis.travel_deg)
        elif hypothesis is not None:
            # A ball that is slower or faster than the followed one makes wider or narrower pulses.
            self._unlike.append((new, hypothesis.travel_deg))
            for one, travel_deg in self._unlike[:-1]:
                if self._is_another_ball(one, new, hypothesis):
                    hypothesis.prove_no_more_than(travel_deg)

    def _note_alike(self, travel_deg: float) -> None:
        """Records that a pass after this much proven travel may be a second ball's."""
        self._alike.append(travel_deg)
        self._alike_passes = len(self._accepted)
        if len(self._alike) >= OTHER_BALL_PASSES:
            for followed in self.hypotheses:
                followed.prove_no_more_than(self._alike[0])

    def _begin(self, new: Pass) -> None:
        self.hypotheses = [BallHypothesis(direction, new, legs) for direction, legs in self._legs.items()]
        self._accepted = [new]

    def values(self) -> dict[str, float]:
        """The wear values of the run; empty while its direction is not proven."""
        if self.direction is None:
            return {}
        return ball_values(self._accepted, sensors_between(self._deg, self.direction))

    def swapped(self) -> str | None:
        """Two sensors whose swapped positions explain the run better, as a sentence; None if there are none.

        Sensors at unequal angles divide a lap into unequal parts, so the speed from pass to pass is even only where
        each is in its place. At equal angles no swap can be detected.
        """
        if len(self._accepted) < SWAP_PASSES:
            return None
        places = list(self._deg)
        own = self._unevenness(places, self.direction or 1)
        if own <= LEAST_UNEVEN:
            return None
        for one, other in combinations(range(len(places)), 2):
            places[one], places[other] = places[other], places[one]
            evener = min(self._unevenness(places, direction) for direction in (1, -1))
            places[one], places[other] = places[other], places[one]
            if evener < own * EVENER_SHARE:
                return f"ball_{one + 1} and ball_{other + 1} look swapped: the other way round the ball runs evenly"
        return None

    def _unevenness(self, places: Sequence[float], direction: int) -> float:
        """The mean change of the logarithm of the speed from pass to pass; infinite where no ball is so fast."""
        laps_s = [
            (then_ns - t_ns) / 1e9 * 360 / ((places[other] - places[one]) * direction % 360 or 360.0)
            for (one, t_ns, _), (other, then_ns, _) in pairwise(self._accepted)
        ]
        if min(laps_s) < FASTEST_LAP_S:
            return inf
        return fmean([abs(log(b / a)) for a, b in pairwise(laps_s)])

    def _decide(self) -> None:
        """Sets the direction once enough passes agree on it and the other direction explains them worse."""
        best, *others = sorted(self.hypotheses, key=lambda c: c.missed)
        if not others:
            proven = best.passes >= AGREEING or (best.passes == AGREEING - 1 and best.missed == 0)
        else:
            proven = best.passes >= AGREEING and others[0].missed >= best.missed + AGREEING - 1
        if proven:
            self.direction = best.direction
            self.hypotheses = [best]
            if any(self._is_another_ball(one, later, best) for later, one in combinations(self._follow_back(best), 2)):
                # It may run on, and have made the passes of this one in part.
                best.prove_no_more_than(0.0)

    def _follow_back(self, followed: BallHypothesis) -> list[Pass]:
        """Follows the ball back from its first pass; returns what was given up and it cannot have made, the last first.

        Where one of these passes was its own, the ball has run since then.
        """
        direction = followed.direction
        later, after = self._accepted[:2]
        lap_s = self._lap_s(later, after, direction)
        others: list[Pass] = []
        for one in reversed(self._given_up):
            before_s = self._lap_s(one, later, direction)
            as_wide_s = lap_s * one.width_ns / later.width_ns
            if not self._legs[direction][one.sensor].to[later.sensor].between and (
                before_s >= FASTEST_LAP_S
                and lap_s / SLOWING <= before_s <= lap_s / QUICKENING
                and before_s / LIKE_WIDTH_CHANGE < as_wide_s < before_s * LIKE_WIDTH_CHANGE
            ):
                later, lap_s = one, before_s
            else:
                others.append(one)
        self.began_ns = later.t_ns
        return others

    def _is_another_ball(self, one: Pass, later: Pass, followed: BallHypothesis) -> bool:
        """Whether one ball can have made these two passes: each is as wide as that of a ball as fast as the followed
        one, or as wide as that of a ball as fast as the two show. Two pulses of a hand come sooner after each other.
        """
        as_followed = followed.is_like(one) and followed.is_like(later)
        width_deg = followed.width_deg or 0.0
        for direction in self._legs:
            lap_s = self._lap_s(one, later, direction)
            if FASTEST_LAP_S <= lap_s <= SLOWEST_LAP_S:
                widths_deg = [pulse.width_ns / 1e9 * 360 / lap_s for pulse in (one, later)]
                if as_followed or all(
                    width_deg / LIKE_WIDTH_CHANGE < one_deg < width_deg * LIKE_WIDTH_CHANGE for one_deg in widths_deg
                ):
                    return True
        return False

    def _lap_s(self, one: Pass, other: Pass, direction: int) -> float:
        """The time of a lap of a ball that makes these passes one after the other."""
        return (other.t_ns - one.t_ns) / 1e9 * 360 / self._legs[direction][one.sensor].to[other.sensor].deg
