"""The keypad on which the dealer enters the dice: six values, ENTER, CLEAR.

    keys     4   4   1   ENTER
    shown    4  44  441          as many values as there are dice, shown before they are entered

The values entered are the result, so nothing here is guessed: a key pressed while another is down does not count,
one value too many spoils the entry until CLEAR, and values that nobody entered are dropped. The New Jersey texts only
have each value entered (19:47-9.5(d)); six buttons, a separate entry button and a display of what is to be
entered are those of New Zealand's rules for sic bo (Gazette 1998 no. 17).
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation, SensorAlive
from drivers.base.sensed_device import SensedDevice
from drivers.base.view import dead_lines
from drivers.dealer.buttons import ButtonPressed, Buttons
from drivers.dice.observations import DiceEntered, KeypadCleared, KeypadShown, KeyRefusal, KeyRefused
from drivers.dice.view import KeypadView
from hal.values import Edge, EdgesLost, Loss

VALUES: Final = {f"key_{value}": value for value in range(1, 7)}
ENTER: Final = "key_enter"
CLEAR: Final = "key_clear"
KEYS: Final = (*VALUES, ENTER, CLEAR)
"""The lines of a keypad, of wires of its own or of a board that scans it."""


class DiceKeypadConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a keypad under `[device.keypad]`."""

    driver: Literal["dice_keypad"] = "dice_keypad"
    debounce_ms: Annotated[
        float, Meta(ge=1, le=200, description="a press counts when the contact has held for this long (ours)")
    ] = 20.0
    surplus: Annotated[
        Literal["refuse", "shift"],
        Meta(
            description="one value too many: refuse spoils the entry until CLEAR (ours); shift keeps the last ones, as "
            "New Zealand's rules have it"
        ),
    ] = "refuse"
    forget_s: Annotated[
        float,
        Meta(ge=2, le=600, description="values that nobody enters are dropped this long after the last key (ours)"),
    ] = 30.0
    stuck_s: Annotated[float, Meta(ge=2, le=120, description="a key that stays down for this long is stuck (ours)")] = (
        10.0
    )


class DiceKeypad(SensedDevice):
    """The driver of one keypad; see `drivers.base.driver.Driver`."""

    def __init__(self, config: DiceKeypadConfig, dice: int, name: str = "keypad") -> None:
        """`dice` is how many values make a result.

        Raises:
            ValueError: no game has this many dice.
        """
        if dice < 1:
            raise ValueError(f"keypad: a result has one die or more, not {dice}; give the game's number of dice")
        super().__init__(name)
        self.lines = frozenset(KEYS)
        self._dice = dice
        self._shift = config.surplus == "shift"
        self._forget_ns = round(config.forget_s * 1e9)
        self._stuck_after_ns = round(config.stuck_s * 1e9)
        self._debounce_ns = round(config.debounce_ms * 1e6)
        self._contacts = Buttons(KEYS, config.debounce_ms, name, noisy_presses=0)
        self._down: dict[str, int] = {}
        """The keys whose contact is closed, and since when."""
        self._opened: dict[str, tuple[int, int]] = {}
        """The keys whose contact has opened: since when it was closed, and when it opened. It may be bouncing."""
        self._met: set[str] = set()
        """The keys that were down together with another."""
        self._counted: dict[str, int] = {}
        """The closing of each key that was reported as a press last: bouncing open does not make it another."""
        self._keyed: list[tuple[int, int]] = []
        """The values not yet entered, each with the time of its key."""
        self._spoilt = False
        self._last_ns = 0

    def view(self, t_ns: int) -> KeypadView:
        """The keypad at `t_ns`."""
        values = tuple(value for value, _ in self._keyed)
        down = tuple(sorted(self._down))
        facts = (
            ("keyed", "-".join(map(str, values)) or "nothing"),
            ("keys down", ", ".join(down) or "none"),
        )
        return KeypadView(
            facts=facts,
            doubts=(*(("what is keyed is in doubt: CLEAR",) if self._spoilt else ()), *dead_lines(self._health)),
            values=values,
            dice=self._dice,
            spoilt=self._spoilt,
            down=down,
        )

    def _due_ns(self) -> int:
        """When a held contact becomes a press, values are dropped, or a key is found stuck."""
        return min(self._contacts.next_due_ns or NEVER_NS, self._forget_due_ns(), self._next_stuck()[0])

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """A press may not have been seen: what is keyed is in doubt until CLEAR."""
        found: list[Observation] = []
        if loss.line not in self.lines:
            return found
        self._pass_time(loss.t_ns - 1, found)
        if loss.cause is Loss.UNPLUGGED or loss.line in self._down:
            # Its own report of a line that is not driven is made here, once. A key that was up is still known to be.
            self._contacts.lost(loss)
        self._down.pop(loss.line, None)
        self._opened.pop(loss.line, None)
        if loss.cause is Loss.UNPLUGGED:
            self._health.line_unplugged(loss.line, loss.t_ns, found)
        if self._keyed and not self._spoilt:
            self._refuse(loss.line, "edges_lost", f"a press may be lost: {loss.cause}", loss.t_ns, found)
            self._spoil(loss.t_ns, found)
        return found

    # --- contacts and time ---------------------------------------------------------------------------------------

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        for seen in self._contacts.edges((edge,)):
            # Which of the dead lines live again is reported here.
            if not isinstance(seen, SensorAlive):
                found.append(seen)
        line, level, t_ns = edge
        if not level:
            if line in self._down:
                self._opened[line] = (self._down.pop(line), t_ns)
            return
        if line in self._down:
            return
        since_ns, opened_ns = self._opened.pop(line, (t_ns, 0))
        bounces = t_ns - opened_ns <= self._debounce_ns
        if not bounces:
            self._met.discard(line)
        self._down[line] = since_ns if bounces else t_ns
        if len(self._down) > 1:
            self._met.update(self._down)

    def _forget_due_ns(self) -> int:
        return self._last_ns + self._forget_ns if self._keyed or self._spoilt else NEVER_NS

    def _next_stuck(self) -> tuple[int, str]:
        """When the next key that is not dead yet is found stuck, and which."""
        held = [(since_ns, line) for line, since_ns in self._down.items() if line not in self._health.dead]
        since_ns, line = min(held, default=(NEVER_NS - self._stuck_after_ns, ""))
        return since_ns + self._stuck_after_ns, line

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while True:
            press_ns = self._contacts.next_due_ns or NEVER_NS
            stuck_ns, stuck = self._next_stuck()
            t_ns = min(press_ns, self._forget_due_ns(), stuck_ns)
            if t_ns > until_ns:
                return
            if t_ns == press_ns:
                for seen in self._contacts.due(t_ns):
                    if isinstance(seen, ButtonPressed):
                        self._press(seen, found)
            elif t_ns == stuck_ns:
                detail = f"{stuck} has been down for {self._stuck_after_ns / 1e9:g} s"
                self._health.line_failed(stuck, "sensor_stuck", detail, t_ns, found)
            else:
                self._clear("time", t_ns, found)

    # --- keys ----------------------------------------------------------------------------------------------------

    def _press(self, press: ButtonPressed, found: list[Observation]) -> None:
        key, t_ns = press.button, press.t_ns
        closed_ns = self._down.get(key, press.pressed_ns)
        if self._counted.get(key) == closed_ns:
            return
        self._counted[key] = closed_ns
        if key in self._met:
            others = sorted(line for line in self._met if line != key)
            were = "was" if len(others) == 1 else "were"
            self._refuse(key, "two_keys", f"pressed while {' and '.join(others)} {were} down", t_ns, found)
            return
        if self._keyed or self._spoilt:
            self._last_ns = t_ns
        if key == CLEAR:
            self._clear("key", t_ns, found)
        elif key == ENTER:
            self._enter(press, found)
        else:
            self._value(VALUES[key], press, found)

    def _value(self, value: int, press: ButtonPressed, found: list[Observation]) -> None:
        self._last_ns = press.t_ns
        if self._spoilt:
            self._refuse(press.button, "spoilt", "press CLEAR, then key all values again", press.t_ns, found)
            return
        if len(self._keyed) == self._dice and not self._shift:
            detail = f"expected {self._dice} values, saw another; press CLEAR, then key them again"
            self._refuse(press.button, "surplus", detail, press.t_ns, found)
            self._spoil(press.t_ns, found)
            return
        self._keyed = [*self._keyed, (value, press.pressed_ns)][-self._dice :]
        found.append(KeypadShown(t_ns=press.t_ns, values=self._values()))

    def _enter(self, press: ButtonPressed, found: list[Observation]) -> None:
        if self._spoilt:
            self._refuse(ENTER, "spoilt", "press CLEAR, then key all values again", press.t_ns, found)
            return
        if len(self._keyed) < self._dice:
            detail = f"expected {self._dice} values, saw {len(self._keyed)}"
            self._refuse(ENTER, "short", detail, press.t_ns, found)
            return
        dice, first_ns = self._values(), self._keyed[0][1]
        self._keyed = []
        found.append(DiceEntered(t_ns=press.t_ns, dice=dice, first_ns=first_ns, entered_ns=press.pressed_ns))
        found.append(KeypadShown(t_ns=press.t_ns, values=()))

    def _clear(self, by: Literal["key", "time"], t_ns: int, found: list[Observation]) -> None:
        if self._keyed or self._spoilt:
            found.append(KeypadCleared(t_ns=t_ns, by=by, values=self._values()))
            found.append(KeypadShown(t_ns=t_ns, values=()))
        self._keyed = []
        self._spoilt = False

    def _spoil(self, t_ns: int, found: list[Observation]) -> None:
        self._spoilt = True
        self._last_ns = t_ns
        found.append(KeypadShown(t_ns=t_ns, values=self._values(), spoilt=True))

    def _values(self) -> tuple[int, ...]:
        return tuple(value for value, _ in self._keyed)

    def _refuse(self, key: str, reason: KeyRefusal, detail: str, t_ns: int, found: list[Observation]) -> None:
        found.append(KeyRefused(t_ns=t_ns, key=key, reason=reason, detail=detail))
