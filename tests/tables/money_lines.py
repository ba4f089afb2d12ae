"""The lines of a scripted money wheel: 50 spaces, 100 slots, 400 counts a turn.

The wheel starts in the middle of a count at angle 0.45 degrees, so that turning by n x 0.9 degrees crosses n counts.
"""

from __future__ import annotations

from hal.values import Edge
from tests.oracle.motion import Motion, encoder_edges, in_order, ns, pulse

COUNT_DEG = 0.9
TURN = 400
"""Counts in a revolution."""
SPACE = 8
"""Counts in a space."""
S = 1_000_000_000


class MoneyLines:
    """What hands, pegs and the dealer do, one after the other. Directions are in the signs of counts."""

    def __init__(self, *, button: bool = True, start_counts: int = 0, index_offset_deg: float = 0.18) -> None:
        self.button = button
        self._motion = Motion(0.45 + start_counts * COUNT_DEG)
        self._index_offset_deg = index_offset_deg
        self._presses: list[tuple[str, float]] = []

    @property
    def now_ns(self) -> int:
        """The time to which the script has come."""
        return ns(self._motion.t_s)

    @property
    def space(self) -> int:
        """The space under the indicator."""
        return round(-self._motion.deg / (SPACE * COUNT_DEG)) % 50

    def rest(self, seconds: float) -> MoneyLines:
        """The wheel stands."""
        self._motion.rest(seconds)
        return self

    def call(self) -> MoneyLines:
        """The dealer calls "No more bets"."""
        return self.press("dealer_no_more_bets")

    def press(self, button: str) -> MoneyLines:
        """A button is pressed for a tenth of a second, while the wheel stands."""
        self._presses.append((button, self._motion.t_s))
        return self.rest(0.2)

    def pressed_at(self, button: str, t_s: float) -> MoneyLines:
        """A button is pressed at a time, whatever the wheel does then."""
        self._presses.append((button, t_s))
        return self

    def spin(self, counts: int, *, rollback: int = 0, peak_deg_s: float = 250.0) -> MoneyLines:
        """Pushed and left to run out after exactly this many counts; then back off the pegs, against the direction."""
        way = 1 if counts > 0 else -1
        start = self._motion.deg
        self._motion.turn_to(start + 0.2 * counts * COUNT_DEG, way * peak_deg_s)
        self._motion.turn_to(start + counts * COUNT_DEG, 0.0)
        if rollback:
            self.move(-way * rollback, 0.06 * rollback)
        return self

    def move(self, counts: int, seconds: float) -> MoneyLines:
        """A hand moves the wheel from rest to rest; fastest a little before the middle, never just at a count."""
        start, way_deg = self._motion.deg, counts * COUNT_DEG
        self._motion.rest(0.0)
        self._motion.turn_to(start + 0.471 * way_deg, 2.0 * way_deg / seconds).turn_to(start + way_deg, 0.0)
        return self

    def edges(self) -> list[Edge]:
        """Everything so far."""
        edges = encoder_edges(self._motion, "wheel", 100, index_offset_deg=self._index_offset_deg)
        buttons = dict.fromkeys(button for button, _ in self._presses)
        if self.button:
            buttons.setdefault("dealer_no_more_bets")
        edges += [Edge(button, 0, 0) for button in buttons]
        for button, t_s in self._presses:
            edges += pulse(button, t_s, 0.1)
        return in_order(edges)


def money_toml(*, call: str = "button", buttons: str = "", device: str = "", game: str = "") -> str:
    """A money wheel's configuration."""
    dealer = f"[device.dealer]\nbuttons = [{buttons}]\n" if buttons else ""
    return (
        f'[table]\nid = "wheel-1"\ngame = "money_wheel"\nno_more_bets = "{call}"\n[lines]\nbackend = "sim"\n'
        f"[device.wheel]\n{device}\n{dealer}[game]\n{game}\n"
    )
