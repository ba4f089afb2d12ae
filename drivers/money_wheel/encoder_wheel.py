"""The money wheel (big six): spun by hand, stopped by its pegs, read by an encoder on the axle.

The rule (13:47-20.29(b)3-4) wants the revolutions of the spin and the space under the indicator at rest; both come from
the count, which each index crossing proves, and which is in doubt where edges may have been lost since. The
observations of a spin are drawn in `drivers.money_wheel.device`. The states:

    at rest ──over a space──► moving ──half a turn one way──► spun ──within a count for 1.5 s──► at rest
                              │    ▲                           │
                              └────┘ back: the turn begins     └─ back by more than the roll-back: turned back,
                                     at the extreme               until it is at rest
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.view import dead_lines, turn_words
from drivers.money_wheel.device import (
    HALF_TURN,
    MoneyWheelConfig,
    Rest,
    WheelMoved,
    WheelRested,
    WheelSpun,
    WheelTurned,
    WheelTurnedBack,
)
from drivers.money_wheel.view import MoneyWheelView, Motion
from drivers.wheel.condition import CountTimes, MeasuredSpins, WheelMeasured, turn_slowing, unevenness
from drivers.wheel.encoder import Encoder
from drivers.wheel.lost_pulses import noise_counted
from drivers.wheel.quadrature import ANY_COUNT, BACK, COUNTS_PER_SLOT, DUE, LIMIT
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

MOST_PULSE_SPACES = 0.25
"""A pulse of more of a space than this: too many sound wheels rest so near to a peg, and the times alone decide (ours).
Four slots a space are enough."""

ROCKED_COUNTS = 2
"""A wheel that turned back by this many counts of itself does not go on by as many beyond where it turned (ours): each
swing of a wheel that rocks is shorter than the one before. Noise and jitter move the count by one."""


class MoneyWheel:
    """A money wheel on an encoder, sans-I/O."""

    def __init__(self, config: MoneyWheelConfig, name: str = "wheel") -> None:
        self.name = name
        self.config = config
        self.lines = frozenset(("wheel_a", "wheel_b", "wheel_index"))
        self._encoder = Encoder("wheel_a", "wheel_b", "wheel_index", config.encoder_slots, config.index_width_deg)
        counts = self._encoder.counts_per_turn
        self._space = counts / len(config.faces)
        self._half_turn = round(counts * HALF_TURN)
        self._rollback = int(config.rollback_spaces * self._space)
        self._rest_ns = round(config.rest_s * 1e9)
        self._moving = False
        self._at = 0
        self._start = self._furthest = 0
        self._touched = 0
        """The furthest count at which an edge came and went back at once: noise, or a wheel that turned just there."""
        self._reached_ns = -1
        """When a turn was completed last: the time of the edge that reached the furthest count."""
        self._start_unproven = 0
        """Counts, 0 or 1, by which the turn may have begun further back, for the same reason."""
        self._extremes = (0, 0)
        self._direction = 1
        self._spun = self._turned_back = False
        self._fell_back = 0
        """Counts by which the spun wheel came back from its furthest before it turned forward again."""
        self._went_on = 0
        """Counts by which it then went beyond its furthest, where no wheel does so by itself."""
        self._wind_up_unproven = False
        """Whether edges were lost in the wind-up, and it may have been half a turn or more."""
        self._turns = 0
        self._joined: bool | None = None
        """Whether the wheel may not have been at rest since the first edge; None before that edge."""
        self._health = SensorHealth()
        self._rest_doubt: tuple[str | None, str] = (None, "")
        """What was doubted when it last came to rest."""
        self._stuck: str | None = None
        """The line of the encoder that was last reported stuck."""
        self._due_ns = NEVER_NS
        self._left_ns = 0
        """When the wheel left its rest; it is not at rest again before that."""
        self._spins = MeasuredSpins()
        self._seen: list[CountTimes] = []
        """The last counts at each half turn or turn of the spin."""
        self._rocks_ns: int | None = None
        """When the spun wheel last turned back from its furthest: from there on it rocks."""
        self._bounces = 0
        """Of the encoder, at the last rest."""

    # --- time and values -----------------------------------------------------------------------------------------

    @property
    def next_due_ns(self) -> int | None:
        """When the wheel, if no count follows, is at rest."""
        return self._due_ns if self._due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Decodes the wheel's edges; those of other lines are ignored."""
        found: list[Observation] = []
        encoder = self._encoder
        edges: Iterator[Edge] = iter(batch)
        if self._health.dead:
            self._health.lines_active(batch, found)
        if self._joined is None and batch:
            self._joined = True
            self._due_ns = batch[0].t_ns + self._rest_ns
        encoder.recent.add(batch)
        while True:
            low, high = self._window()
            stop, edge = encoder.run(edges, low, high, self._due_ns, self._rest_ns)
            if edge is None:
                break
            if stop is DUE:
                self._pass_time(edge.t_ns - 1, found)
            elif stop is LIMIT:
                self._reach(edge.t_ns, found)
            elif stop is BACK:
                self._note_turn()
                if encoder.stuck != self._stuck:
                    self._report_stuck(batch, edge.t_ns, found)
        if self._health.dead:
            self._health.lines_active(batch, found)
        found.sort(key=lambda observation: observation.t_ns)
        return found

    def _report_stuck(self, batch: Sequence[Edge], t_ns: int, found: list[Observation]) -> None:
        """Reports a line of the encoder stuck, once; a line that failed before and has edges since recovered first."""
        self._stuck = self._encoder.stuck
        if self._stuck is not None:
            self._health.lines_active(batch, found, t_ns)
            detail = f"{self._stuck} did not change while the other line of the encoder did"
            self._health.line_failed(self._stuck, "sensor_stuck", detail, t_ns, found)

    def reading(self, reading: Reading) -> list[Observation]:
        """A money wheel has no analogue lines."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """A money wheel has no link."""
        return []

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Handles a loss: counts are unproven until the next index; an unplugged line is a fault."""
        found: list[Observation] = []
        self._pass_time(loss.t_ns - 1, found)
        if loss.line not in self.lines:
            return found
        if loss.cause is not Loss.UNPLUGGED:
            self._encoder.lost(loss.line, loss.missing)
            return found
        self._encoder.unplugged()
        self._health.line_unplugged(loss.line, loss.t_ns, found)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time: a wheel without counts comes to rest."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    def view(self, t_ns: int) -> MoneyWheelView:
        """The wheel at `t_ns`: what it would be taken for if it was there."""
        encoder = self._encoder
        angle_deg = encoder.angle_deg(t_ns)
        motion: Motion = "spun" if self._spun else "moving"
        space: int | None = None
        if not self._moving:
            motion = "at rest"
            space = self._rest(0, 0, rocked=False).space
        rpm = encoder.rpm(t_ns) if self._moving else 0.0
        turns = (self._furthest - self._start) * self._direction / encoder.counts_per_turn
        doubt, detail = self._doubt_so_far() if self._moving else self._rest_doubt
        facts = (
            ("angle", "no index yet" if angle_deg is None else f"{angle_deg % 360:.1f}°"),
            ("speed", f"{rpm:.1f} rpm"),
            ("motion", motion),
            ("turns", f"{turns:.2f}"),
            ("direction", turn_words(self._direction)),
            ("space", "-" if space is None else f"{space}: {self.config.faces[space]}"),
            ("count", f"{encoder.count} of {encoder.counts_per_turn} a turn"),
            ("bounces", str(encoder.bounces)),
        )
        return MoneyWheelView(
            facts=facts,
            doubts=(*(() if doubt is None else (f"{doubt}: {detail}",)), *dead_lines(self._health)),
            faces=self.config.faces,
            indicator_deg=self.config.indicator_deg,
            clockwise=self.config.clockwise,
            angle_deg=angle_deg,
            rpm=rpm,
            direction=self._direction,
            motion=motion,
            turns=turns,
            space=space,
        )

    def measure_wear(self, to_learn: int | None) -> None:
        """How many spins are measured from now on."""
        self._spins.to_learn = to_learn

    # --- rest and motion -----------------------------------------------------------------------------------------

    def _window(self) -> tuple[int, int]:
        """The greatest range of counts in which no observation is due."""
        if not self._moving:
            return int(self._at - self._space), int(self._at + self._space)
        if self._turned_back:
            return -ANY_COUNT, ANY_COUNT
        turn = self._encoder.counts_per_turn
        ahead = self._start + self._direction * ((self._turns + 1) * turn if self._spun else self._half_turn)
        back = self._furthest - self._direction * self._rollback
        return (back, ahead - 1) if self._direction > 0 else (ahead + 1, back)

    def _reach(self, t_ns: int, found: list[Observation]) -> None:
        """The count has left the window."""
        count = self._encoder.count
        if not self._moving:
            self._leave_rest(count, t_ns, found)
            return
        ahead = (count - self._furthest) * self._direction
        if ahead < 0:
            if not self._spun:
                # The wind-up's extreme: the turn in the other direction begins there.
                self._wind_up_unproven = self._wind_up_unproven or self._may_be_half_a_turn()
                self._start, self._start_unproven = self._furthest, self._unproven()
                self._direction = -self._direction
                self._furthest = self._touched = count
                return
            self._turned_back = True
            encoder = self._encoder
            proven = not (encoder.doubtful or encoder.losses or encoder.index.slip or encoder.stuck)
            found.append(WheelTurnedBack(t_ns=t_ns, direction=self._direction, proven=proven))
            return
        self._note_extreme(count)
        self._reached_ns = t_ns
        quadrature = self._encoder.quadrature
        self._seen.append((*quadrature.times_ns, quadrature.count))
        if not self._spun:
            self._spun = True
            self._turns = 0
            found.append(WheelSpun(t_ns=t_ns, direction=self._direction))
            return
        self._turns += 1
        tau_ns = max(1, (quadrature.t1_ns - quadrature.t4_ns) // 3)
        rpm = round(60e9 / (tau_ns * self._encoder.counts_per_turn), 1)
        found.append(WheelTurned(t_ns=t_ns, turns=self._turns, rpm=rpm))

    def _may_be_half_a_turn(self, more: int = 0) -> bool:
        """Whether a movement under half a turn may have been more: by what losses hide, and by `more` counts."""
        hidden = self._encoder.hidden_counts + self._encoder.started_counts
        return abs(self._furthest - self._start) + hidden + more >= self._half_turn

    def _leave_rest(self, count: int, t_ns: int, found: list[Observation]) -> None:
        self._moving = True
        self._spun = self._turned_back = self._wind_up_unproven = False
        self._fell_back = self._went_on = 0
        self._seen, self._rocks_ns = [], None
        self._direction = 1 if count > self._at else -1
        self._start = self._extremes[0] if self._direction > 0 else self._extremes[1]
        if abs(self._start - self._at) == 1:
            # One count is as much as a pulse of noise on one line makes.
            self._start, self._start_unproven = self._at, 1
        self._furthest = self._touched = count
        self._left_ns = t_ns
        self._due_ns = t_ns + self._rest_ns
        found.append(WheelMoved(t_ns=t_ns, direction=self._direction))

    def _note_turn(self) -> None:
        """Records where the disc turned back. Of an edge that came back at once only its near side is proven."""
        encoder = self._encoder
        turned_at, back_at = encoder.count - encoder.quadrature.direction, encoder.count
        if self._spun and encoder.quadrature.direction == self._direction:
            # From the edge that it touched, where it came back at once: two counts from there are no noise.
            self._fell_back = max(self._fell_back, (self._furthest - turned_at) * self._direction + self._unproven())
        if not encoder.turned_too_quickly():
            self._note_extreme(turned_at)
        elif self._moving:
            near, beyond = sorted((turned_at, back_at), key=lambda count: count * self._direction)
            if beyond == self._furthest and self._reached_ns == encoder.quadrature.t2_ns:
                # The edge that came back at once had completed a turn.
                self._furthest = near
            self._note_extreme(near)
            if near == self._furthest:
                self._touched = beyond
        else:
            self._note_extreme(min(turned_at, back_at, key=lambda count: abs(count - self._at)))
            self._start_unproven = 1

    def _unproven(self) -> int:
        """Counts by which the wheel may have gone beyond the furthest one that is proven: 0 or 1."""
        return max(0, (self._touched - self._furthest) * self._direction)

    def _note_extreme(self, count: int) -> None:
        """Records a count at which the disc turned back, or seemed to."""
        if not self._moving:
            low, high = self._extremes
            self._extremes = (min(low, count), max(high, count))
            self._due_ns = self._encoder.quadrature.t1_ns + self._rest_ns
            return
        ahead = (count - self._furthest) * self._direction
        if ahead > 0:
            if min(ahead, self._fell_back) >= ROCKED_COUNTS:
                self._went_on = max(self._went_on, ahead)
            self._furthest = count
            self._rocks_ns = self._encoder.quadrature.t2_ns

    def _pass_time(self, t_ns: int, found: list[Observation]) -> None:
        if t_ns < self._due_ns:
            return
        at_rest_ns = max(self._encoder.quiet_since_ns(), self._left_ns) + self._rest_ns
        if t_ns < at_rest_ns:
            self._due_ns = at_rest_ns
            return
        if self._moving:
            self._come_to_rest(at_rest_ns, found)
        elif self._joined is False:
            # It was at rest again for as long as a rest takes: where it was before is not where its turn begins.
            self._extremes, self._start_unproven = (self._encoder.count,) * 2, 0
            self._encoder.stand()
            self._due_ns = NEVER_NS
            return
        self._be_at_rest()

    def _be_at_rest(self) -> None:
        # Edges that end at speed were lost: what comes next may be the same run.
        self._joined = self._moving and self._encoder.stopped_too_quickly()
        self._moving = False
        self._at = self._encoder.count
        self._start_unproven = 0
        self._extremes = (self._at, self._at)
        self._due_ns = NEVER_NS
        self._encoder.begin_run()

    def _come_to_rest(self, t_ns: int, found: list[Observation]) -> None:
        encoder = self._encoder
        self._note_extreme(encoder.count)
        counts = encoder.counts_per_turn
        travel = (self._furthest - self._start) * self._direction
        low, high = encoder.doubt_at_rest()
        ahead, behind = (high, -low) if self._direction > 0 else (-low, high)
        doubt, detail = self._rest_doubt = self._doubt(t_ns)
        if self._spun and self._spins.begin() and not self._turned_back:
            found.append(WheelMeasured(t_ns=t_ns, values=self._values(doubted=doubt is not None)))
        self._bounces = encoder.bounces
        found.append(
            WheelRested(
                t_ns=t_ns,
                moved_ns=encoder.quadrature.t1_ns,
                spun=self._spun,
                direction=self._direction,
                turned_back=self._turned_back,
                turns=travel / counts,
                turns_low=max(0, travel - behind) / counts,
                turns_high=(travel + ahead + self._start_unproven + self._unproven()) / counts,
                rest=self._rest(low, high, encoder.rocked_at_end),
                doubt=doubt,
                detail=detail,
                joined=bool(self._joined),
                index_moved=encoder.index_moved,
            )
        )

    def _values(self, *, doubted: bool) -> dict[str, float]:
        """The wear values of the spin, which is over; where its count is doubted, only how often a contact bounced."""
        encoder, rocks_ns = self._encoder, self._rocks_ns
        values = {"bounces": float(encoder.bounces - self._bounces)}
        if doubted:
            return values
        others = (
            # The first entry is that of half a turn.
            ("wheel_slowing", turn_slowing([times[0] for times in self._seen[1:]])),
            ("unevenness", unevenness(self._seen)),
            ("rocking", None if rocks_ns is None else max(0, encoder.quadrature.t1_ns - rocks_ns) / 1e9),
        )
        values.update((name, value) for name, value in others if value is not None)
        return values

    def _doubt_so_far(self) -> tuple[str | None, str]:
        """What makes the count doubtful however the spin ends."""
        encoder = self._encoder
        if encoder.index.slip is not None:
            explained = encoder.losses and not encoder.index_moved
            return ("edges_lost" if explained else "encoder_slip"), encoder.index.slip.detail
        if encoder.stuck is not None:
            return "sensor_stuck", f"{encoder.stuck} did not change while the other line of the encoder did"
        if self._went_on:
            return "edges_lost", (
                f"the wheel came back by {self._fell_back} counts and then went on by {self._went_on}: edges were "
                "lost, or a hand turned it on"
            )
        if encoder.lost_counts > self._rollback:
            return "edges_lost", f"edges were lost that may hide {encoder.lost_counts} counts"
        return None, ""

    def _doubt(self, now_ns: int) -> tuple[str | None, str]:
        encoder = self._encoder
        doubt, detail = self._doubt_so_far()
        if doubt is not None:
            return doubt, detail
        ended = self._half_turn if encoder.stopped_too_quickly() else 0
        if self._wind_up_unproven or (not self._spun and self._may_be_half_a_turn(ended)):
            return "edges_lost", "edges were lost before the spin: the wheel may have made half a turn or more"
        if self._spun and encoder.stopped_at_speed(now_ns):
            return "edges_lost", "the edges ended at a speed at which no wheel stops"
        if self._spun and self._noise_counted(now_ns):
            return "edges_lost", "edges came too quickly for a wheel: noise"
        if encoder.index.missing:
            return "sensor_missing", "more than 1.1 turns without an index"
        if encoder.index.zero is None:
            return "sensor_missing", "no index since the table opened or the cable was plugged in"
        return None, ""

    def _noise_counted(self, now_ns: int) -> bool:
        quadrature = self._encoder.quadrature
        lines = (quadrature.a, quadrature.b)
        recent, proven_ns = self._encoder.recent, self._encoder.proven_ns
        return noise_counted(recent.times_ns(lines, proven_ns, quadrature.t1_ns, now_ns))

    def _rest(self, low: int, high: int, rocked: bool) -> Rest:
        """The space under the indicator for the decoded count, and the spaces for the offsets in doubt.

        The edges of a wheel that `rocked` between two pegs may be those of one that lost a pulse, and the flapper
        brings it to rest between them: where the count with that pulse is nearer to the middle of another space than
        the decoded one is to that of its own, either may be true (`MOST_PULSE_SPACES`).
        """
        counts = self._encoder.angle_counts()
        if counts is None:
            return Rest(space=None)
        spaces = len(self.config.faces)
        head = self.config.indicator_deg * spaces / 360

        def under(count: float) -> float:
            # A count is the quarter of a slot that begins at its edge: the wheel is half a count further.
            return head - (count + 0.5) * spaces / self._encoder.counts_per_turn

        here = under(counts)
        space = round(here)
        to_peg = 0.5 - abs(here - space)
        margin = self.config.peg_margin_spaces + self.config.flapper_zone_deg * spaces / 360
        clear = to_peg > margin + 0.5 * spaces / self._encoder.counts_per_turn
        offsets = list(range(low, high + 1))
        if rocked and clear and COUNTS_PER_SLOT * spaces <= MOST_PULSE_SPACES * self._encoder.counts_per_turn:
            middle = abs(here - space)
            offsets += [by for by in (-COUNTS_PER_SLOT, COUNTS_PER_SLOT) if _off_middle(under(counts + by)) < middle]
        others = sorted({round(under(counts + offset)) % spaces for offset in offsets} - {space % spaces})
        return Rest(
            space=space % spaces,
            others=tuple(others),
            next_space=(space + (1 if here > space else -1)) % spaces,
            to_peg_spaces=round(to_peg, 4),
            clear=clear,
        )


def _off_middle(place: float) -> float:
    """How far a place is from the middle of its space, in spaces."""
    return abs(place - round(place))
