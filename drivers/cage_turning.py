"""How often a cage was inverted: by a tilt switch, by a pulse each time, or by an encoder on its axle.

    angle      0°        90°       180°       270°      360°
    level      ___________|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_____________     a change that holds is an inversion
    pulse      ________________|‾‾|________________|‾‾|_______     a pulse, one in each half turn
    encoder    0 ........ 160° an inversion ...... 340° ......     half a turn from the last one, less the tolerance

Lost edges can only hide inversions, and a contact that chatters makes none: what is counted here is proven.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

from drivers.cage_config import CageConfig
from drivers.driver import NEVER_NS
from drivers.held_level import HeldLevel
from drivers.quadrature import BACK, COUNTS_PER_SLOT, LIMIT, REPEATED, Quadrature, Stop
from hal.values import Edge, EdgesLost, Loss

TURN: Final = "cage_turn"
ENCODER: Final = ("cage_a", "cage_b")

STILL_DEG: Final = 3.0
"""A cage that stays within so much does not move: a disc may tremble on the edge of a slot (ours)."""

ASKEW_DEG: Final = 30.0
"""A cage that rests further than this from either way up has dice on its side (ours)."""


STUCK_EDGES: Final = 24
"""Edges of one line in a row, with none of the other, after which the other is stuck: more than bounce (ours)."""

MOST_DEG_PER_S2: Final = 5_000.0
"""No hand turns a cage round with more than this (ours)."""

BOUNCE_SHARE: Final = 0.5
"""An edge back sooner than this part of a count is a bounce (ours)."""


class Turn(NamedTuple):
    """What an edge, or time, told of the cage."""

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

    def edge(self, edge: Edge) -> Turn | None:
        """Takes an edge of its lines; None where the cage did not move."""

    def due(self, t_ns: int) -> Turn | None:
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
        self._held = HeldLevel(hold_ns)
        self.wrong: tuple[str, str] | None = None

    @property
    def due_ns(self) -> int:
        """When a level has held."""
        return self._held.due_ns

    def edge(self, edge: Edge) -> Turn | None:
        """Any change is a movement; the level found at first is none."""
        return None if self._held.edge(edge.level, edge.t_ns) else Turn()

    def due(self, t_ns: int) -> Turn | None:
        """A level that has held is an inversion."""
        held = self._held.due(t_ns)
        return None if held is None else Turn(held.since_ns)

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
        self._held = HeldLevel(pulse_ns)
        self._apart_ns = apart_ns
        self._last_ns: int | None = None
        self.wrong: tuple[str, str] | None = None

    @property
    def due_ns(self) -> int:
        """When a level has held."""
        return self._held.due_ns

    def edge(self, edge: Edge) -> Turn | None:
        """Any change is a movement; the level found at first is none."""
        return None if self._held.edge(edge.level, edge.t_ns) else Turn()

    def due(self, t_ns: int) -> Turn | None:
        """A pulse that has held is an inversion."""
        held = self._held.due(t_ns)
        if held is None:
            return None
        last_ns, self._last_ns = self._last_ns, held.since_ns
        bounce = last_ns is not None and held.since_ns - last_ns < self._apart_ns
        return Turn() if bounce or not held.level else Turn(held.since_ns)

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
        self._quadrature = Quadrature(*ENCODER)
        counts = COUNTS_PER_SLOT * slots
        self._half = counts // 2
        self._near = round(counts * tolerance_deg / 360)
        self._still = max(2, round(counts * STILL_DEG / 360))
        self._askew = round(counts * ASKEW_DEG / 360)
        # The last count before a turn is quickest where the disc turns just short of the next one.
        self._least_turn_ns = round((2 - 2**0.5) * (360 / counts / MOST_DEG_PER_S2) ** 0.5 * 1e9)
        self._up = 0
        """The count at which the cage stood the way up that it has now."""
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

    def edge(self, edge: Edge) -> Turn | None:
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
            return Turn()
        self._up += self._half if way > 0 else -self._half
        return Turn(edge.t_ns)

    def _charge(self, stop: Stop, edge: Edge) -> None:
        """What the edge says of pulses that were lost before it, and of a line that is stuck."""
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

    def due(self, t_ns: int) -> Turn | None:
        """An encoder tells all that it tells by its edges."""
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
