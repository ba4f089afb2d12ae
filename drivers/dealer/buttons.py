"""The dealer's and the supervisor's buttons: momentary, active high, debounced.

    line    ____|‾|_|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|_|‾|_____
                |<- bounce  ->| held for `debounce_ms`: a press, at the time of its first edge

A press counts when the contact has held, so a spike on a long cable is not a press; it is dated at its first edge.
Presses quicker than a hand's are noise: the line is dead until it has been quiet.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.dealer.view import ButtonsView
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

CALL_BUTTON: Final = "dealer_no_more_bets"
"""For the call "No more bets"."""
SETTLE_BUTTON: Final = "dealer_settled"
"""For a settled round."""
BUTTONS: Final = (CALL_BUTTON, SETTLE_BUTTON, "dealer_void", "supervisor_key")
"""The buttons that a table may have; the default names of their lines (ours; docs/devices/buttons.md)."""


NOISY_PRESSES: Final = 8
NOISY_NS: Final = 1_000_000_000
"""So many presses of one button within this time are noise, of hum or of a loose contact (ours): a hand makes seven."""
QUIET_NS: Final = 5_000_000_000
"""A noisy line counts again with the first edge after it was quiet for this long (ours)."""


class ButtonsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the buttons under `[device.dealer]`."""

    driver: Literal["buttons"] = "buttons"
    debounce_ms: Annotated[
        float, Meta(ge=0, le=200, description="a press counts when the contact has held for this long (ours)")
    ] = 10.0
    buttons: Annotated[
        tuple[Literal["dealer_no_more_bets", "dealer_settled", "dealer_void", "supervisor_key"], ...] | None,
        Meta(description="the buttons that the table has; default: no_more_bets if the table calls by button"),
    ] = None


class ButtonPressed(Observation, frozen=True, kw_only=True):
    """A button was pressed."""

    button: str
    pressed_ns: int
    """When the contact first closed; `t_ns` is when it had held for `debounce_ms`."""


class Buttons:
    """The buttons of one table, sans-I/O."""

    def __init__(
        self, buttons: Sequence[str], debounce_ms: float, name: str = "dealer", *, noisy_presses: int = NOISY_PRESSES
    ) -> None:
        """So many presses of a button within `NOISY_NS` are noise; 0: any number are presses."""
        self.name = name
        self.lines = frozenset(buttons)
        self._debounce_ns = round(debounce_ms * 1e6)
        self._down: dict[str, bool] = {}
        self._since_ns: dict[str, int] = {}
        self._first_ns: dict[str, int] = {}
        self._opened_ns: dict[str, int] = {}
        self._presses: defaultdict[str, deque[int]] = defaultdict(partial(deque, maxlen=noisy_presses))
        """The times of the last presses of each button."""
        self._noisy_presses = noisy_presses
        self._noisy: dict[str, int] = {}
        """The last edge of each noisy line."""

    @property
    def next_due_ns(self) -> int | None:
        """When the next closed contact becomes a press."""
        return min(self._since_ns.values()) + self._debounce_ns if self._since_ns else None

    def view(self, t_ns: int) -> ButtonsView:
        """The buttons at `t_ns`."""
        down = tuple(sorted(line for line, pressed in self._down.items() if pressed))
        return ButtonsView(facts=(("down", ", ".join(down) or "none"),), buttons=tuple(sorted(self.lines)), down=down)

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Handles the buttons' edges; those of other lines are ignored."""
        lines = self.lines
        found: list[Observation] = []
        if not lines:
            return found
        for edge in batch:
            if edge.line in lines:
                self._pass_time(edge.t_ns - 1, found)
                self._handle_edge(edge, found)
        return found

    def reading(self, reading: Reading) -> list[Observation]:
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        return []

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """A lost press is not reconstructed; the next one counts."""
        found: list[Observation] = []
        if loss.line in self.lines:
            self._pass_time(loss.t_ns - 1, found)
            self._down.pop(loss.line, None)
            self._since_ns.pop(loss.line, None)
            if loss.cause is Loss.UNPLUGGED:
                detail = f"{loss.line} is not driven: its cable or its supply is off"
                found.append(SensorDead(t_ns=loss.t_ns, line=loss.line, fault="sensor_missing", detail=detail))
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time: a contact that has held is a press."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    def _pass_time(self, t_ns: int, found: list[Observation]) -> None:
        while self._since_ns:
            line = min(self._since_ns, key=lambda name: (self._since_ns[name], name))
            held_ns = self._since_ns[line] + self._debounce_ns
            if held_ns > t_ns:
                return
            del self._since_ns[line]
            if line in self._noisy:
                continue
            presses = self._presses[line]
            presses.append(held_ns)
            if presses and len(presses) == self._noisy_presses and held_ns - presses[0] < NOISY_NS:
                self._noisy[line] = held_ns
                detail = f"{line} closed {self._noisy_presses} times within a second: its contact or its wire is loose"
                found.append(SensorDead(t_ns=held_ns, line=line, fault="sensor_stuck", detail=detail))
            else:
                found.append(ButtonPressed(t_ns=held_ns, button=line, pressed_ns=self._first_ns[line]))

    def _handle_edge(self, edge: Edge, found: list[Observation]) -> None:
        line, level, t_ns = edge
        noisy_ns = self._noisy.get(line)
        if noisy_ns is not None:
            if t_ns - noisy_ns < QUIET_NS:
                self._noisy[line] = t_ns
            else:
                del self._noisy[line]
                self._presses[line].clear()
                found.append(SensorAlive(t_ns=t_ns, line=line))
        known = self._down.get(line)
        self._down[line] = bool(level)
        if known is None:
            # A button found pressed when the table opens, or after its cable was pulled, is not a press.
            if line not in self._noisy:
                found.append(SensorAlive(t_ns=t_ns, line=line))
            return
        if bool(level) == known:
            return
        if level:
            opened_ns = self._opened_ns.get(line)
            if opened_ns is None or t_ns - opened_ns > self._debounce_ns or line not in self._first_ns:
                self._first_ns[line] = t_ns
            self._since_ns[line] = t_ns
            return
        self._opened_ns[line] = t_ns
        if self._since_ns.pop(line, None) is None:
            # The press was reported and has ended: the next closing is a new press.
            self._first_ns.pop(line, None)
