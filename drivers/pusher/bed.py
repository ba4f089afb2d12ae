"""The bed of a token pusher, as its sensors show it.

    shelf_shaft  _|‾|_|‾|_|‾|_|‾|__________________________     pulses of the motor's shaft while the shelf moves
                                 |<- `stall_ms` ->| ShelfStands
    fall_player  ____|‾|____________|‾|____________________     a token falls past it: TokenFell, at its first edge
    fall_house   __________|‾|_____________________________
    tilt         _______________|‾‾‾‾‾|____________________     Tilted, when it has held for `tilt_ms`

A fall sensor that stays covered is stuck, or a token is in it: nothing that falls then can be counted.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.held_lines import HeldLines
from drivers.base.key_problems import KeyProblem
from drivers.base.sensed_device import DebouncedLevel, SensedDevice
from drivers.base.view import dead_lines
from drivers.pusher.view import PusherBedView
from hal.values import Edge, EdgesLost

SHAFT: Final = "shelf_shaft"
FALL_PLAYER: Final = "fall_player"
FALL_HOUSE: Final = "fall_house"
TILT: Final = "tilt"
FALLS: Final[dict[str, Literal["player", "house"]]] = {FALL_PLAYER: "player", FALL_HOUSE: "house"}


class PusherBedConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a pusher's bed under `[device.bed]`."""

    driver: Literal["pusher_bed"] = "pusher_bed"
    stall_ms: Annotated[
        float, Meta(ge=100, le=10_000, description="the shelf is at rest when it gives no pulse for this long (ours)")
    ] = 1500.0
    shortest_fall_ms: Annotated[
        float, Meta(ge=0.1, le=20, description="a shorter pulse of a fall sensor is noise (ours)")
    ] = 1.0
    stuck_ms: Annotated[
        float, Meta(ge=100, le=10_000, description="a fall sensor covered for this long is stuck (ours)")
    ] = 1000.0
    tilt_ms: Annotated[
        float, Meta(ge=1, le=2000, description="the tilt bob counts when it has touched for this long (ours)")
    ] = 30.0

    def problems(self) -> list[KeyProblem]:
        """What is wrong between keys: (key, what, fix)."""
        if self.shortest_fall_ms * 10 <= self.stuck_ms:
            return []
        return [("stuck_ms", "is not much longer than shortest_fall_ms", "make it ten times shortest_fall_ms or more")]


class TokenFell(Observation, frozen=True, kw_only=True):
    """A token fell off the bed."""

    side: Literal["player", "house"]
    fell_ns: int


class FallsLost(Observation, frozen=True, kw_only=True):
    """Changes of a fall sensor were lost: tokens may have fallen that nobody counted."""

    side: Literal["player", "house"]
    detail: str


class ShelfMoves(Observation, frozen=True, kw_only=True):
    """The shelf moves."""


class ShelfStands(Observation, frozen=True, kw_only=True):
    """The shelf moves no more."""

    since_ns: int


class Tilted(Observation, frozen=True, kw_only=True):
    """The machine was tilted or pushed, or hangs straight again."""

    tilted: bool


class PusherBed(SensedDevice):
    """The driver of one bed; see `drivers.base.driver.Driver`."""

    def __init__(self, config: PusherBedConfig, name: str = "bed") -> None:
        super().__init__(name)
        self.lines = frozenset({SHAFT, *FALLS, TILT})
        self._stall_ns = round(config.stall_ms * 1e6)
        self._shortest_ns = round(config.shortest_fall_ms * 1e6)
        self._tilt = DebouncedLevel(round(config.tilt_ms * 1e6))
        self._tilted = False
        """What was reported last: a loss does not level the machine."""
        self._level: dict[str, int | None] = dict.fromkeys((SHAFT, *FALLS))
        self._covered = HeldLines(round(config.stuck_ms * 1e6))
        """The fall sensors that are covered."""
        self._found_covered: set[str] = set()
        """Those that were covered when they were first seen."""
        self._moved_ns: int | None = None
        """The last pulse of the shaft; None while the shelf is at rest, or nothing is known."""
        self._watched_ns: int | None = None
        """Since when pulses of the shaft are awaited, before the first one."""

    def view(self, t_ns: int) -> PusherBedView:
        """The bed at `t_ns`."""
        moves = self._moved_ns is not None
        covered = tuple(sorted(self._covered.lines))
        tilted = self._tilt.level == 1
        facts = (
            ("shelf", "moves" if moves else "at rest, or not known"),
            ("covered", ", ".join(covered) or "none"),
            ("tilt", "TILTED" if tilted else "level"),
        )
        return PusherBedView(facts=facts, doubts=dead_lines(self._health), moves=moves, covered=covered, tilted=tilted)

    def _lose(self, loss: EdgesLost, found: list[Observation]) -> None:
        """What fell meanwhile is not counted."""
        line, t_ns = loss.line, loss.t_ns
        if line == TILT:
            self._tilt.forget()
        else:
            self._level[line] = None
            self._covered.end(line)
        if line in FALLS:
            detail = f"{line}: changes were lost ({loss.cause}); tokens may have fallen uncounted"
            found.append(FallsLost(t_ns=t_ns, side=FALLS[line], detail=detail))

    def _stands_ns(self) -> int:
        since_ns = self._watched_ns if self._moved_ns is None else self._moved_ns
        return NEVER_NS if since_ns is None else since_ns + self._stall_ns

    def _due_ns(self) -> int:
        return min(self._stands_ns(), self._covered.due_ns, self._tilt.due_ns)

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while (t_ns := self._due_ns()) <= until_ns:
            if t_ns == self._tilt.due_ns:
                held = self._tilt.due(t_ns)
                if held is not None:
                    self._tilts(held.level, t_ns, found)
            elif t_ns == self._covered.due_ns:
                for _, line in self._covered.stuck(t_ns):
                    detail = f"{line} covered for {self._covered.stuck_ns / 1e9:g} s: a token is in it, or it is blind"
                    self._health.line_failed(line, "sensor_stuck", detail, t_ns, found)
            else:
                since_ns = self._watched_ns if self._moved_ns is None else self._moved_ns
                self._moved_ns = self._watched_ns = None
                found.append(ShelfStands(t_ns=t_ns, since_ns=since_ns or 0))

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        line, level, t_ns = edge
        if line == TILT:
            if self._tilt.edge(level, t_ns) and (level or self._tilted):
                self._tilts(level, t_ns, found)
            return
        before, self._level[line] = self._level[line], level
        if line == SHAFT:
            self._pulse(before, level, t_ns, found)
        elif level and level != before:
            self._covered.begin(line, t_ns)
            # What was in a sensor before it was first seen may have fallen long ago: it is not a fall, and may be
            # stuck.
            (self._found_covered.add if before is None else self._found_covered.discard)(line)
        elif not level:
            since_ns = self._covered.end(line)
            if since_ns is None or line in self._found_covered or t_ns - since_ns < self._shortest_ns:
                return
            found.append(TokenFell(t_ns=t_ns, side=FALLS[line], fell_ns=since_ns))

    def _tilts(self, level: int, t_ns: int, found: list[Observation]) -> None:
        self._tilted = bool(level)
        found.append(Tilted(t_ns=t_ns, tilted=self._tilted))

    def _pulse(self, before: int | None, level: int, t_ns: int, found: list[Observation]) -> None:
        if before is None:
            if self._moved_ns is None:
                self._watched_ns = t_ns
        elif level and not before:
            if self._moved_ns is None:
                found.append(ShelfMoves(t_ns=t_ns))
            self._moved_ns, self._watched_ns = t_ns, None
