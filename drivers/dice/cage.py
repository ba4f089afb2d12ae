"""The dice cage: how often it was inverted, and when its dice are at rest (13:47-20.21, 20.24, 20.33).

    rest ──knock──► stirred ──inversion──► tumbling ──knocks far apart──► rocking ──quiet for `rest_s`──► rest
      ▲                └───────quiet────────────────────────────────────────────────────────────────────────┘

A tumble is what happens between two rests: inversions with a rest between them are two tumbles. The rules ask that the
result is taken when the dice have come to rest, so a rest is reported only where a working sensor proves it.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, NamedTuple, Protocol

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.key_problems import not_shorter
from drivers.base.sensed_device import DebouncedLevel, SensedDevice
from drivers.base.view import dead_lines
from drivers.dice.observations import (
    CageInverted,
    CageRested,
    DiceRestless,
    DiceRocking,
    DiceStirred,
    TumbleStarted,
)
from drivers.dice.shake_line import ShakeLine, unevenness
from drivers.dice.view import CageView
from drivers.wheel.quadrature import BACK, COUNTS_PER_SLOT, LIMIT, REPEATED, QuadratureDecoder, Stop
from hal.values import Edge, EdgesLost, Loss

# The keys of a dice cage in the configuration.


class CageConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a dice cage under `[device.cage]`, turned by hand or by a motor."""

    driver: Literal["cage"] = "cage"
    sensing: Annotated[
        Literal["level", "pulse", "encoder"],
        Meta(
            description="level: a tilt switch, one level each way up; pulse: one pulse an inversion; "
            "encoder: A and B on the axle"
        ),
    ] = "level"
    minimum_inversions: Annotated[
        int, Meta(ge=1, le=20, description="inversions that a tumble must have; the rules give no number (ours)")
    ] = 3
    hold_ms: Annotated[
        float,
        Meta(
            ge=20,
            le=1000,
            description="level: the cage is inverted once it has stayed so for this long; pulse: the least time "
            "between two inversions (ours)",
        ),
    ] = 100.0
    pulse_ms: Annotated[
        float, Meta(ge=0.1, le=50, description="pulse: one shorter than this is noise, or a knock (ours)")
    ] = 5.0
    encoder_slots: Annotated[
        int, Meta(ge=24, le=5000, description="encoder: high periods of A in one turn of the cage; four counts each")
    ] = 100
    inversion_tolerance_deg: Annotated[
        float,
        Meta(ge=1, le=60, description="encoder: the cage is inverted when this near to the other way up (ours)"),
    ] = 20.0
    rest_s: Annotated[
        float,
        Meta(
            ge=0.5,
            le=20,
            description="the dice rest when neither they nor the cage moved for this long (ours; a 2.5 inch die that "
            "rocks to within 1/10,000 of its balance knocks again within 1.6 s)",
        ),
    ] = 2.0
    pause_s: Annotated[
        float, Meta(ge=1, le=60, description="inversions with a longer pause between them do not add up (ours)")
    ] = 4.0
    rocking_gap_ms: Annotated[
        float, Meta(ge=20, le=1000, description="knocks further apart than this are of a die that rocks (ours)")
    ] = 150.0
    restless_s: Annotated[
        float, Meta(ge=5, le=120, description="dice that knock for longer without being tumbled are reported (ours)")
    ] = 15.0

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        return not_shorter("rocking_gap_ms", self.rocking_gap_ms, "rest_s", self.rest_s, "rest")


# How often a cage was inverted: by a tilt switch, by a pulse each time, or by an encoder on its axle.
#
#     angle      0°        90°       180°       270°      360°
#     level      ___________|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_____________     a change that holds is an inversion
#     pulse      ________________|‾‾|________________|‾‾|_______     a pulse, one in each half turn
#     encoder    0 ........ 160° an inversion ...... 340° ......     half a turn from the last one, less the tolerance
#
# Lost edges can only hide inversions, and a contact that chatters makes none: what is counted here is proven.

TURN: Final = "cage_turn"
ENCODER: Final = ("cage_a", "cage_b")

STILL_DEG: Final = 3.0
"""A cage that stays within this much does not move: a disc may tremble on the edge of a slot (ours)."""

ASKEW_DEG: Final = 30.0
"""A cage that rests further than this from either way up has dice on its side (ours)."""


STUCK_EDGES: Final = 24
"""Edges of one line in a row, with none of the other, after which the other is stuck: more than bounce (ours)."""

MOST_DEG_PER_S2: Final = 5_000.0
"""No hand turns a cage round with more than this (ours)."""

BOUNCE_SHARE: Final = 0.5
"""An edge back sooner than this part of a count is a bounce (ours)."""


class CageTurn(NamedTuple):
    """What an edge, or time, showed of the cage."""

    inverted_ns: int | None = None
    """When it was inverted; None where it only moved."""


class Turning(Protocol):
    """One way of sensing the cage."""

    lines: frozenset[str]

    @property
    def wrong(self) -> tuple[str, str] | None:
        """The reason and detail why the count of this run is not proven."""

    @property
    def stuck(self) -> str | None:
        """A line that does not change while it must."""

    @property
    def due_ns(self) -> int:
        """When time alone makes an inversion known."""

    def edge(self, edge: Edge) -> CageTurn | None:
        """Takes an edge of its lines; None where the cage did not move."""

    def due(self, t_ns: int) -> CageTurn | None:
        """Lets time pass."""

    def lost(self, loss: EdgesLost) -> None:
        """Changes of one of its lines were lost."""

    def rested(self) -> None:
        """The run is over: what was wrong in it no longer counts."""


def turning_of(config: CageConfig) -> Turning:
    """The sensing that the configuration names."""
    if config.sensing == "encoder":
        return EncoderTurning(config.encoder_slots, config.inversion_tolerance_deg)
    hold_ns = round(config.hold_ms * 1e6)
    if config.sensing == "level":
        return LevelTurning(hold_ns)
    return PulseTurning(round(config.pulse_ms * 1e6), hold_ns)


class LevelTurning:
    """A tilt switch: each level that holds is one way up."""

    lines = frozenset((TURN,))
    stuck: str | None = None

    def __init__(self, hold_ns: int) -> None:
        self._held = DebouncedLevel(hold_ns)
        self.wrong: tuple[str, str] | None = None

    @property
    def due_ns(self) -> int:
        """When a level has held."""
        return self._held.due_ns

    def edge(self, edge: Edge) -> CageTurn | None:
        """Any change is a movement; the level found at first is none."""
        return None if self._held.edge(edge.level, edge.t_ns) else CageTurn()

    def due(self, t_ns: int) -> CageTurn | None:
        """A level that has held is an inversion."""
        held = self._held.due(t_ns)
        return None if held is None else CageTurn(held.since_ns)

    def lost(self, loss: EdgesLost) -> None:
        """What was about to hold is not proven."""
        self._held.forget()
        self.wrong = _why(loss)

    def rested(self) -> None:
        """The run is over."""
        self.wrong = None


class PulseTurning:
    """One pulse an inversion: pulses too short are noise, pulses too near are the bounce of the last."""

    lines = frozenset((TURN,))
    stuck: str | None = None

    def __init__(self, pulse_ns: int, apart_ns: int) -> None:
        self._held = DebouncedLevel(pulse_ns)
        self._apart_ns = apart_ns
        self._last_ns: int | None = None
        self.wrong: tuple[str, str] | None = None

    @property
    def due_ns(self) -> int:
        """When a level has held."""
        return self._held.due_ns

    def edge(self, edge: Edge) -> CageTurn | None:
        """Any change is a movement; the level found at first is none."""
        return None if self._held.edge(edge.level, edge.t_ns) else CageTurn()

    def due(self, t_ns: int) -> CageTurn | None:
        """A pulse that has held is an inversion."""
        held = self._held.due(t_ns)
        if held is None:
            return None
        last_ns, self._last_ns = self._last_ns, held.since_ns
        bounce = last_ns is not None and held.since_ns - last_ns < self._apart_ns
        return CageTurn() if bounce or not held.level else CageTurn(held.since_ns)

    def lost(self, loss: EdgesLost) -> None:
        """What was about to hold is not proven."""
        self._held.forget()
        self.wrong = _why(loss)

    def rested(self) -> None:
        """The run is over."""
        self.wrong = None


class EncoderTurning:
    """Half turns of the axle, from one way up to the other.

    Without an index no angle is proven, only ways. A pulse that is lost at speed looks like a disc that turns round
    twice where its inertia forbids it; it is charged against the way, so that a half turn counts only where nothing
    that may have been lost could have made it.

        at speed   A- B- . B+ . B- A+        the pulse of A between the edges of B is lost: charged
        a bounce   A- B-B+B- A+              much sooner than a count: nothing is lost
    """

    lines = frozenset(ENCODER)
    due_ns = NEVER_NS

    def __init__(self, slots: int, tolerance_deg: float) -> None:
        self._quadrature = QuadratureDecoder(*ENCODER)
        counts = COUNTS_PER_SLOT * slots
        self._half = counts // 2
        self._near = round(counts * tolerance_deg / 360)
        self._still = max(2, round(counts * STILL_DEG / 360))
        self._askew = round(counts * ASKEW_DEG / 360)
        # The last count before a turn is quickest where the disc turns just short of the next one.
        self._least_turn_ns = round((2 - 2**0.5) * (360 / counts / MOST_DEG_PER_S2) ** 0.5 * 1e9)
        self._up = 0
        """The count at which the cage was the way up that it has now."""
        self._mark = 0
        """The count at which it was last seen to move."""
        self._tau_ns = NEVER_NS
        """How long the last count took that was a step on."""
        self._edge_ns = 0
        self._alone = 0
        """Edges in a row of one line, without any of the other."""
        self._line = ""
        self._charged = 0
        self._rests_askew = False
        self._lost: tuple[str, str] | None = None
        self.stuck: str | None = None

    @property
    def wrong(self) -> tuple[str, str] | None:
        """The reason and detail why the count of this run is not proven."""
        if self._lost is not None:
            return self._lost
        if self.stuck is not None:
            return "sensor_stuck", f"{self.stuck} did not change while the other line of the encoder did"
        if self._charged > self._near:
            return "edges_lost", f"up to {self._charged} counts of the encoder were lost, or were noise"
        off = self._off()
        if abs(off) > self._askew + self._charged:
            return "cage_askew", f"the cage rests {off * 180 / self._half:.0f} degrees off either way up"
        return None

    def _off(self) -> int:
        """How far the cage is from the nearer way up, in counts."""
        way = self._quadrature.count - self._up
        return way - self._half * round(way / self._half)

    def edge(self, edge: Edge) -> CageTurn | None:
        """Counts; the cage moved when it left the place where it was last seen to move."""
        quadrature = self._quadrature
        at = quadrature.count
        stop, _ = quadrature.run(iter((edge,)), at, at, NEVER_NS)
        self._charge(stop, edge)
        if abs(quadrature.count - self._mark) < self._still:
            return None
        self._mark = quadrature.count
        way = quadrature.count - self._up
        if abs(way) < self._half - self._near + self._charged:
            return CageTurn()
        self._up += self._half if way > 0 else -self._half
        return CageTurn(edge.t_ns)

    def _charge(self, stop: Stop, edge: Edge) -> None:
        """What the edge shows of pulses that were lost before it, and of a line that is stuck."""
        lasted_ns, self._edge_ns = edge.t_ns - self._edge_ns, edge.t_ns
        self._alone = self._alone + 1 if edge.line == self._line else 0
        self._line = edge.line
        if self._alone >= STUCK_EDGES:
            self.stuck = min(self.lines - {edge.line})
        if stop is LIMIT:
            self._tau_ns = lasted_ns
        elif stop is REPEATED or (
            stop is BACK and self._tau_ns < self._least_turn_ns and lasted_ns >= BOUNCE_SHARE * self._tau_ns
        ):
            self._charged += COUNTS_PER_SLOT

    def due(self, t_ns: int) -> CageTurn | None:
        """An encoder shows all that it shows by its edges."""
        return None

    def lost(self, loss: EdgesLost) -> None:
        """No half turn is proven any more until the cage has rested."""
        if loss.cause is Loss.UNPLUGGED:
            self._quadrature.forget()
        self._charged += 2 * self._half
        self._lost = _why(loss)

    def rested(self) -> None:
        """The cage rests one way up: from there the next half turn counts.

        One that rests on its side is expected back; if it does not come back, that was its way up.
        """
        off = self._off()
        self._rests_askew = not self._rests_askew and abs(off) > self._askew + self._charged and self._lost is None
        self._mark = self._quadrature.count
        self._up = self._mark - off if self._rests_askew else self._mark
        self._tau_ns = NEVER_NS
        self._charged = 0
        self._lost = None
        self.stuck = None


def _why(loss: EdgesLost) -> tuple[str, str]:
    if loss.cause is Loss.UNPLUGGED:
        return "sensor_missing", f"{loss.line} was not driven"
    return "edges_lost", f"{loss.line}: {loss.cause}"


SHAKE: Final = "cage_shake"

KNOCK_BEFORE_NS: Final = 500_000_000
"""Dice fall as the cage goes over: they knock at most this long before it counts as inverted, or later (ours)."""

UNTURNED_NS: Final = 2_000_000_000
UNTURNED_PULSES: Final = 20
UNTURNED_RUNS: Final = 2
"""Dice that tumble for two seconds and twenty knocks, twice in a row, in a cage that does not seem to turn: its sensor
is dead (ours).
"""


class Cage(SensedDevice):
    """The driver of one cage; see `drivers.base.driver.Driver`."""

    def __init__(self, config: CageConfig, name: str = "cage") -> None:
        super().__init__(name)
        self.config = config
        self._turning = turning_of(config)
        self.lines = self._turning.lines | {SHAKE}
        self._shake = ShakeLine(SHAKE)
        self._rest_ns = round(config.rest_s * 1e9)
        self._pause_ns = round(config.pause_s * 1e9)
        self._gap_ns = round(config.rocking_gap_ms * 1e6)
        self._restless_ns = round(config.restless_s * 1e9)
        self._joined = True
        """Whether the cage has not rested once since the table opened: how its run began is not known."""
        self._heard = False
        self._unturned = 0
        """Runs in a row in which dice tumbled in a cage that did not seem to turn."""
        self._moved_ns = 0
        self._clear_run()

    def _clear_run(self) -> None:
        self._began_ns: int | None = None
        self._inversions = 0
        self._started_ns: int | None = None
        self._inverted_ns = 0
        self._times_ns: list[int] = []
        """When it was inverted, since the last pause."""
        self._unfelt = False
        """Whether the cage was inverted and no die knocked until it was inverted again."""
        self._rocking = self._restless = False
        self._shake.begin()

    def view(self, t_ns: int) -> CageView:
        """The cage at `t_ns`."""
        required = self.config.minimum_inversions
        moving = self._began_ns is not None
        facts = (
            ("inversions", f"{self._inversions} of {required}"),
            ("dice", "rocking" if self._rocking else "moving" if moving else "at rest"),
            ("last movement", f"{(t_ns - self._moved_ns) / 1e9:.1f} s ago" if self._moved_ns else "-"),
        )
        wrong = self._turning.wrong
        return CageView(
            facts=facts,
            doubts=(*(() if wrong is None else (f"{wrong[0]}: {wrong[1]}",)), *dead_lines(self._health)),
            inversions=self._inversions,
            required=required,
            moving=moving,
            rocking=self._rocking,
        )

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Changes were lost: inversions that nobody counted, or knocks that were not sensed."""
        found: list[Observation] = []
        if loss.line not in self.lines:
            return found
        self._pass_time(loss.t_ns - 1, found)
        self._move(loss.t_ns, found)
        if loss.line == SHAKE:
            self._shake.lost(loss.t_ns)
        else:
            self._turning.lost(loss)
        if loss.cause is Loss.UNPLUGGED:
            if loss.line == SHAKE:
                self._shake.forget()
            self._health.line_unplugged(loss.line, loss.t_ns, found)
        return found

    # --- time ----------------------------------------------------------------------------------------------------

    def _quiet_ns(self) -> int:
        """When everything has been quiet for long enough, if it stays so."""
        if not self._heard or (self._began_ns is None and not self._joined):
            return NEVER_NS
        # A sensor that died proves nothing of the time before.
        return max(self._moved_ns, self._shake.since_ns, self._health.dead.get(SHAKE, 0)) + self._rest_ns

    def _restless_due_ns(self) -> int:
        if self._began_ns is None or self._restless:
            return NEVER_NS
        return max(self._began_ns, self._inverted_ns) + self._restless_ns

    def _stuck_ns(self) -> int:
        return NEVER_NS if SHAKE in self._health.dead else self._shake.stuck_ns

    def _due_ns(self) -> int:
        return min(self._turning.due_ns, self._quiet_ns(), self._restless_due_ns(), self._stuck_ns())

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while (t_ns := self._due_ns()) <= until_ns:
            if t_ns == self._turning.due_ns:
                turn = self._turning.due(t_ns)
                if turn is not None:
                    self._turn(turn, t_ns, found)
            elif t_ns == self._stuck_ns():
                detail = f"{SHAKE} has been high for {(t_ns - self._shake.since_ns) / 1e9:g} s without a change"
                self._health.line_failed(SHAKE, "sensor_stuck", detail, t_ns, found)
            elif t_ns == self._restless_due_ns():
                self._restless = True
                since_ns = max(self._began_ns or 0, self._inverted_ns)
                found.append(DiceRestless(t_ns=t_ns, since_ns=since_ns))
            else:
                self._rest(t_ns, found)

    # --- movement ------------------------------------------------------------------------------------------------

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        if not self._heard:
            self._heard = True
            self._moved_ns = edge.t_ns
        if edge.line != SHAKE:
            turn = self._turning.edge(edge)
            if turn is not None:
                self._turn(turn, edge.t_ns, found)
            stuck = self._turning.stuck
            if stuck is not None:
                detail = f"{stuck} does not change while the other line of the encoder does"
                self._health.line_failed(stuck, "sensor_stuck", detail, edge.t_ns, found)
        elif self._shake.edge(edge):
            self._move(edge.t_ns, found)
            if self._shake.pulses > 1 and self._shake.gap_ns > self._gap_ns and not self._rocking:
                self._rocking = True
                found.append(DiceRocking(t_ns=edge.t_ns))

    def _move(self, t_ns: int, found: list[Observation]) -> None:
        """Something moves, or may have."""
        self._moved_ns = t_ns
        if self._began_ns is None:
            self._began_ns = t_ns
            if not self._joined:
                found.append(DiceStirred(t_ns=t_ns))

    def _turn(self, turn: CageTurn, t_ns: int, found: list[Observation]) -> None:
        """The cage moved, and was perhaps inverted."""
        self._move(t_ns, found)
        if turn.inverted_ns is None:
            return
        self._rocking = self._restless = False
        self._inversions += 1
        if self._inversions > 1:
            if not self._shake.high and self._shake.last_ns <= self._inverted_ns:
                self._unfelt = True
            if turn.inverted_ns - self._inverted_ns > self._pause_ns:
                self._inversions = 1
                self._times_ns = []
        self._inverted_ns = turn.inverted_ns
        self._times_ns.append(turn.inverted_ns)
        if self._started_ns is None:
            self._started_ns = turn.inverted_ns
            found.append(TumbleStarted(t_ns=t_ns, began_ns=self._began_ns or t_ns, joined=self._joined))
        found.append(CageInverted(t_ns=t_ns, inversions=self._inversions, inverted_ns=turn.inverted_ns))

    # --- rest ----------------------------------------------------------------------------------------------------

    def _rest(self, t_ns: int, found: list[Observation]) -> None:
        """Nothing has moved for long enough."""
        if self._began_ns is not None:
            self._notice_dead(t_ns, found)
            doubt, detail = self._doubt()
            found.append(
                CageRested(
                    t_ns=t_ns,
                    began_ns=self._began_ns,
                    moved_ns=max(self._moved_ns, self._shake.since_ns),
                    doubt=doubt,
                    detail=detail,
                    joined=self._joined,
                    pulses=self._shake.pulses,
                    unevenness=unevenness(self._times_ns),
                    inversions=self._inversions,
                    required=self.config.minimum_inversions,
                    started_ns=self._started_ns,
                )
            )
        self._joined = False
        self._turning.rested()
        self._clear_run()

    def _notice_dead(self, t_ns: int, found: list[Observation]) -> None:
        """Dice knock when a cage is inverted, and a cage whose dice tumble turns: otherwise a sensor is dead."""
        shake = self._shake
        if self._inversions:
            self._unturned = 0
            if self._unfelt or (not shake.high and shake.last_ns <= self._inverted_ns - KNOCK_BEFORE_NS):
                detail = f"{SHAKE} felt nothing when the cage was inverted"
                self._health.line_failed(SHAKE, "sensor_stuck", detail, t_ns, found)
        elif shake.pulses >= UNTURNED_PULSES and shake.last_ns - shake.first_ns >= UNTURNED_NS:
            self._unturned += 1
            if self._unturned >= UNTURNED_RUNS and TURN in self.lines:
                detail = f"{TURN} did not change while dice tumbled, {self._unturned} times in a row"
                self._health.line_failed(TURN, "sensor_stuck", detail, t_ns, found)

    def _doubt(self) -> tuple[str | None, str]:
        """Why the run is not proven, if there is a doubt."""
        if self._health.doubt is not None:
            return self._health.doubt
        if self._shake.high:
            return "sensor_stuck", f"{SHAKE} stays high, though nothing moves"
        return self._turning.wrong or (None, "")
