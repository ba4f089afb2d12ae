"""The wheel's own sensor: five tracks that show in a code which space is at the indicator.

Neighbouring spaces differ in one track, the last and the first too. A code that is not a neighbour of the last one
tells of lost edges.
"""

from typing import Annotated, Final

import msgspec

from drivers.base.device_spec import DeviceSpec, LineUse, by_keys_and_name
from drivers.base.driver import NEVER_NS, Observation
from drivers.base.sensed_device import SensedDevice
from hal.values import Edge, EdgesLost, Loss

SPACES: Final = 24
TRACKS: Final = tuple(f"wheel_track_{number}" for number in range(1, 6))
ROLLBACK: Final = 2
"""The flapper may push it back by this many spaces."""


def code_of(space: int) -> int:
    """The levels of the tracks, track 1 the lowest bit: the middle 24 of a Gray code of 32."""
    step = space % SPACES + 4
    return step ^ (step >> 1)


SPACE_OF: Final = {code_of(space): space for space in range(SPACES)}


class CodeWheelKeys(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rest_s: Annotated[float, msgspec.Meta(gt=0, le=10, description="at rest after this long without an edge")] = 1.5


class Turned(Observation, frozen=True, kw_only=True):
    """It has left its rest by two spaces."""

    began_ns: int
    direction: int


class Rested(Observation, frozen=True, kw_only=True):
    """It is at rest after that; `spaces` are those to the furthest one that it reached."""

    space: int | None
    spaces: int
    direction: int
    turned_back: bool
    doubt: str


class CodeWheel(SensedDevice):
    lines = frozenset(TRACKS)

    def __init__(self, keys: CodeWheelKeys, name: str) -> None:
        super().__init__(name)
        self._hold_ns = round(keys.rest_s * 1e9)
        self._levels: dict[str, int] = {}
        self._space: int | None = None
        self._rest_ns = NEVER_NS
        self._clear("joined_mid_spin")

    def _clear(self, doubt: str) -> None:
        self._travel = self._direction = self._furthest = 0
        self._began_ns = NEVER_NS
        self._doubt = doubt

    def _facts(self) -> tuple[tuple[str, str], ...]:
        return ("space", f"{self._space}"), ("spaces turned", f"{self._furthest}"), ("doubt", self._doubt or "none")

    def _lose(self, loss: EdgesLost, found: list[Observation]) -> None:
        self._doubt = self._doubt or "edges_lost"
        if loss.cause is Loss.UNPLUGGED:
            self._levels.pop(loss.line, None)

    def _due_ns(self) -> int:
        return self._rest_ns

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        first = edge.line not in self._levels
        self._levels[edge.line] = edge.level
        self._rest_ns = edge.t_ns + self._hold_ns
        if len(self._levels) < len(TRACKS):
            return
        before, self._space = self._space, SPACE_OF.get(sum(self._levels[one] << n for n, one in enumerate(TRACKS)))
        if first or before is None or self._space is None:
            self._doubt = self._doubt or ("" if first else "edges_lost")
            return
        step = (self._space - before + SPACES // 2) % SPACES - SPACES // 2
        if abs(step) > 1:
            self._doubt = self._doubt or "edges_lost"
        self._began_ns = min(self._began_ns, edge.t_ns)
        self._travel += step
        if not self._direction and abs(self._travel) >= 2:
            self._direction = 1 if self._travel > 0 else -1
            found.append(Turned(t_ns=edge.t_ns, began_ns=self._began_ns, direction=self._direction))
        self._furthest = max(self._furthest, self._travel * self._direction)

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        if until_ns < self._rest_ns:
            return
        at_ns, self._rest_ns, way = self._rest_ns, NEVER_NS, self._direction
        if way:
            back = self._furthest - self._travel * way > ROLLBACK
            seen, spaces, doubt = self._space, self._furthest, self._doubt
            found.append(Rested(t_ns=at_ns, space=seen, spaces=spaces, direction=way, turned_back=back, doubt=doubt))
        self._clear("")


def _lines(keys: CodeWheelKeys) -> dict[str, LineUse]:
    high = "a window of the track is before its reader"
    return {one: LineUse(f"code disc, {one[6:]}", high, f"reader of {one[6:]}", rests_low=False) for one in TRACKS}


CODE_WHEEL: Final = DeviceSpec(name="code_wheel", keys=CodeWheelKeys, lines=_lines, make=by_keys_and_name(CodeWheel))
