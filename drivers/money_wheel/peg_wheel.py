"""The money wheel read by its pegs: one pulse a peg, one pulse a turn, and no direction.

    peg     _|‾|_____|‾|_____|‾|_____|‾|________      a peg is half a space from the middle of the spaces beside it
    index   _______________|‾‾|_________________      angle 0: the middle of space 0 is under the indicator

Pegs do not distinguish a wheel that turns back from one that turns on. The count of pegs is an upper bound of the
travel, and its direction is unproven.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.view import dead_lines
from drivers.money_wheel.device import (
    HALF_TURN,
    MoneyWheelConfig,
    Rest,
    WheelMoved,
    WheelRested,
    WheelSpun,
    WheelTurned,
)
from drivers.money_wheel.speed import PEGS_KEPT, STILL, Speed, mean_rpm, speed_by_pegs
from drivers.money_wheel.view import MoneyWheelView, Motion
from drivers.wheel.condition import MeasuredSpins, WheelMeasured, turn_slowing
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

BOUNCE_NS: Final = 3_000_000
"""Two edges of one peg closer than this are its bounce: at 1.3 turns a second pegs are 14 ms apart (ours)."""


class PegWheel:
    """A money wheel without an encoder, sans-I/O: the observations of `MoneyWheel`, with `direction_proven` false."""

    def __init__(self, config: MoneyWheelConfig, name: str = "wheel") -> None:
        self.name = name
        self.config = config
        self.lines = frozenset(("wheel_peg", "wheel_index"))
        self._spaces = len(config.faces)
        self._rest_ns = round(config.rest_s * 1e9)
        self._levels: dict[str, int] = {}
        self._health = SensorHealth()
        self._last_ns = 0
        self._started = False
        self._joined = True
        self._due_ns = NEVER_NS
        self._since_index: int | None = None
        self._slip = ""
        self._lost = False
        self._spins = MeasuredSpins()
        self._clear_run()

    def _clear_run(self) -> None:
        self._pegs = 0
        self._passed_ns: tuple[int, ...] = ()
        """Times of the last pegs of this run."""
        self._moved = self._spun = False
        self._slip = ""
        self._lost = False
        self._missing = False
        self._turned_ns: list[int] = []
        """When whole turns of this run were complete."""

    @property
    def next_due_ns(self) -> int | None:
        """When the wheel, if no peg follows, is at rest."""
        return self._due_ns if self._due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Counts pegs; edges of other lines are ignored."""
        found: list[Observation] = []
        for edge in batch:
            if edge.line in self.lines:
                self._pass_time(edge.t_ns - 1, found)
                self._handle_edge(edge, found)
        return found

    def reading(self, reading: Reading) -> list[Observation]:
        """A money wheel has no analogue lines."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """A money wheel has no link."""
        return []

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Handles a loss: the count is no longer proven; an unplugged line is a fault."""
        found: list[Observation] = []
        if loss.line not in self.lines:
            return found
        self._pass_time(loss.t_ns - 1, found)
        self._lost = True
        self._since_index = None
        if loss.cause is Loss.UNPLUGGED:
            self._levels.pop(loss.line, None)
            self._health.line_unplugged(loss.line, loss.t_ns, found)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time: a wheel without pegs comes to rest."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    def view(self, t_ns: int) -> MoneyWheelView:
        """The wheel at `t_ns`, by the pegs that have passed."""
        config = self.config
        rest = self._rest()
        way = 1 if config.peg_direction == "positive" else -1
        angle_deg = None if self._since_index is None else way * self._since_index * 360 / self._spaces
        motion: Motion = "spun" if self._spun else "moving" if self._moved else "at rest"
        turns = self._pegs / self._spaces
        doubt, detail = self._doubt() if self._started else (None, "")
        speed = self._speed(t_ns) if self._moved else STILL
        space = rest.space if motion == "at rest" else None
        facts = (
            ("angle", "no index yet" if angle_deg is None else f"{angle_deg % 360:.1f}°"),
            ("motion", motion),
            ("speed", speed.words),
            ("turns", f"{turns:.2f}"),
            ("direction", "not sensed by pegs"),
            ("space", "-" if space is None else f"{space}: {config.faces[space]}"),
        )
        return MoneyWheelView(
            facts=facts,
            doubts=(*(() if doubt is None else (f"{doubt}: {detail}",)), *dead_lines(self._health)),
            faces=config.faces,
            indicator_deg=config.indicator_deg,
            clockwise=config.clockwise,
            angle_deg=angle_deg,
            rpm=speed.rpm,
            rpm_doubt=speed.doubt,
            direction=0,
            motion=motion,
            turns=turns,
            space=space,
        )

    def measure_wear(self, to_learn: int | None) -> None:
        """How many spins are measured from now on."""
        self._spins.to_learn = to_learn

    def _handle_edge(self, edge: Edge, found: list[Observation]) -> None:
        line, level, t_ns = edge
        self._health.line_active(line, t_ns, found)
        if not self._started:
            self._started = True
            self._due_ns = t_ns + self._rest_ns
        known = self._levels.get(line)
        self._levels[line] = level
        if known is None or known == level or not level:
            return
        if line == "wheel_index":
            self._cross()
        elif t_ns - self._last_ns > BOUNCE_NS:
            self._peg(t_ns, found)

    def _cross(self) -> None:
        if self._since_index is not None and abs(self._since_index - self._spaces) > 1 and self._pegs > self._spaces:
            self._slip = f"{self._since_index} pegs between two crossings of the index, not {self._spaces}"
        self._since_index = 0

    def _peg(self, t_ns: int, found: list[Observation]) -> None:
        self._last_ns = t_ns
        self._passed_ns = (*self._passed_ns[1 - PEGS_KEPT :], t_ns)
        self._pegs += 1
        self._due_ns = t_ns + self._rest_ns
        if self._since_index is not None:
            self._since_index += 1
            self._missing = self._missing or self._since_index > 1.1 * self._spaces
        if self._pegs > 1 and not self._moved:
            self._moved = True
            found.append(WheelMoved(t_ns=t_ns, direction=0))
        if self._pegs >= HALF_TURN * self._spaces and not self._spun:
            self._spun = True
            found.append(WheelSpun(t_ns=t_ns, direction=1))
        elif self._spun and self._pegs % self._spaces == 0:
            rpm = round(mean_rpm(t_ns - self._passed_ns[-2], self._spaces), 1)
            self._turned_ns.append(t_ns)
            found.append(WheelTurned(t_ns=t_ns, turns=self._pegs // self._spaces, rpm=rpm))

    def _speed(self, t_ns: int) -> Speed:
        return speed_by_pegs(self._passed_ns, t_ns, self._spaces)

    def _pass_time(self, t_ns: int, found: list[Observation]) -> None:
        if t_ns < self._due_ns:
            return
        at_ns, self._due_ns = self._due_ns, NEVER_NS
        if self._moved:
            slowing = turn_slowing(self._turned_ns)
            if self._spun and self._spins.begin() and slowing is not None and self._doubt()[0] is None:
                found.append(WheelMeasured(t_ns=at_ns, values={"wheel_slowing": slowing}))
            found.append(self._rested(at_ns))
        self._joined = False
        self._clear_run()

    def _rested(self, t_ns: int) -> WheelRested:
        turns = self._pegs / self._spaces
        doubt, detail = self._doubt()
        return WheelRested(
            t_ns=t_ns,
            moved_ns=self._last_ns,
            spun=self._spun,
            direction=1 if self.config.peg_direction == "positive" else -1,
            turned_back=False,
            # Rocking about a peg counts it again, so the last space is never proven.
            turns=turns,
            turns_low=max(0.0, turns - 2 / self._spaces),
            turns_high=turns,
            rest=self._rest(),
            doubt=doubt,
            detail=detail,
            direction_proven=False,
            joined=self._joined,
        )

    def _doubt(self) -> tuple[str | None, str]:
        if self._lost:
            return "edges_lost", "pegs were lost"
        if self._slip:
            return "encoder_slip", self._slip
        if self._missing or self._since_index is None:
            return "sensor_missing", "more than 1.1 turns without an index, or none yet"
        return None, ""

    def _rest(self) -> Rest:
        if self._since_index is None:
            return Rest(space=None)
        direction = 1 if self.config.peg_direction == "positive" else -1
        head = self.config.indicator_deg * self._spaces / 360
        space = round(head - direction * self._since_index) % self._spaces
        on_peg = bool(self._levels.get("wheel_peg"))
        return Rest(
            space=space,
            next_space=(space - direction) % self._spaces,
            to_peg_spaces=0.0 if on_peg else 0.5,
            clear=not on_peg,
        )
