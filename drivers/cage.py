"""The dice cage: how often it was inverted, and when its dice lie (13:47-20.21, 20.24, 20.33).

    rest ──knock──► stirred ──inversion──► tumbling ──knocks far apart──► rocking ──quiet for `rest_s`──► rest
      ▲                └───────quiet────────────────────────────────────────────────────────────────────────┘

A tumble is what lies between two rests: inversions with a rest between them are two tumbles. The rules ask that the
result is taken when the dice have come to rest, so a rest is told only where a working sensor proves it.
"""

from __future__ import annotations

from typing import Final

from drivers.cage_config import CageConfig
from drivers.cage_turning import TURN, Turn, turning_of
from drivers.driver import NEVER_NS, Observation
from drivers.sensed_device import SensedDevice
from drivers.shake_line import ShakeLine
from drivers.tumbling_observations import (
    CageInverted,
    CageRested,
    DiceRestless,
    DiceRocking,
    DiceStirred,
    TumbleStarted,
)
from hal.values import Edge, EdgesLost, Loss

SHAKE: Final = "cage_shake"

KNOCK_BEFORE_NS: Final = 500_000_000
"""Dice fall as the cage goes over: they knock at most so long before it counts as inverted, or later (ours)."""

UNTURNED_NS: Final = 2_000_000_000
UNTURNED_PULSES: Final = 20
UNTURNED_RUNS: Final = 2
"""Dice that tumble for two seconds and twenty knocks, twice in a row, in a cage that does not seem to turn: its sensor
is dead (ours).
"""


class Cage(SensedDevice):
    """The driver of one cage; see `drivers.driver.Driver`."""

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
        self._fault: dict[str, tuple[str, str]] = {}
        """Why each line that ever died did so."""
        self._unturned = 0
        """Runs in a row in which dice tumbled in a cage that did not seem to turn."""
        self._moved_ns = 0
        self._clear_run()

    def _clear_run(self) -> None:
        self._began_ns: int | None = None
        self._inversions = 0
        self._started_ns: int | None = None
        self._inverted_ns = 0
        self._unfelt = False
        """Whether the cage was inverted and no die knocked until it was inverted again."""
        self._rocking = self._restless = False
        self._shake.begin()

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Changes were lost: inversions that nobody counted, or knocks that nobody heard."""
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
            detail = f"{loss.line} is not driven: its cable, its supply or its board is off"
            self._die(loss.line, "sensor_missing", detail, loss.t_ns, found)
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
                self._die(SHAKE, "sensor_stuck", detail, t_ns, found)
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
                self._die(stuck, "sensor_stuck", detail, edge.t_ns, found)
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

    def _turn(self, turn: Turn, t_ns: int, found: list[Observation]) -> None:
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
        self._inverted_ns = turn.inverted_ns
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
                    inversions=self._inversions,
                    required=self.config.minimum_inversions,
                    started_ns=self._started_ns,
                )
            )
        self._joined = False
        self._turning.rested()
        self._clear_run()

    def _notice_dead(self, t_ns: int, found: list[Observation]) -> None:
        """Dice knock when a cage is inverted, and a cage whose dice tumble turns: else a sensor is dead."""
        shake = self._shake
        if self._inversions:
            self._unturned = 0
            if self._unfelt or (not shake.high and shake.last_ns <= self._inverted_ns - KNOCK_BEFORE_NS):
                detail = f"{SHAKE} felt nothing when the cage was inverted"
                self._die(SHAKE, "sensor_stuck", detail, t_ns, found)
        elif shake.pulses >= UNTURNED_PULSES and shake.last_ns - shake.first_ns >= UNTURNED_NS:
            self._unturned += 1
            if self._unturned >= UNTURNED_RUNS and TURN in self.lines:
                detail = f"{TURN} did not change while dice tumbled, {self._unturned} times in a row"
                self._die(TURN, "sensor_stuck", detail, t_ns, found)

    def _doubt(self) -> tuple[str | None, str]:
        """Why the run is not proven, if anything speaks against it."""
        dead = min(self._health.dead, default=None)
        if dead is not None:
            return self._fault[dead]
        if self._shake.high:
            return "sensor_stuck", f"{SHAKE} stays high, though nothing moves"
        return self._turning.wrong or (None, "")

    def _die(self, line: str, fault: str, detail: str, t_ns: int, found: list[Observation]) -> None:
        if line not in self._health.dead:
            self._fault[line] = (fault, detail)
        self._health.die(line, fault, detail, t_ns, found)
