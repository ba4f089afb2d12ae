"""The pocket head: a fixed sensor that the ball in its pocket passes once a turn of the rotor.

rotor angle  ...  |  k = round((head - angle) x n / 360)  |  next turn: the same k, or the ball was not at rest
pocket       _____|‾‾‾‾|__________________________________|‾‾‾‾|_____
                  the middle of the pulse, within 0.3 pocket of the pocket's centre
"""

from __future__ import annotations

from typing import Final, NamedTuple

TURN_TOLERANCE: Final = 0.2
"""Two readings one turn apart may differ from a full turn by this share (ours)."""
NEXT_TURN_DEG: Final = 360 * (1 + TURN_TOLERANCE)
SAME_PLACE_DEG: Final = 360 * TURN_TOLERANCE


class PocketPulse(NamedTuple):
    """One pass of the ball in front of the head."""

    pocket: int | None
    """The pocket's index in wheel order, or None if it was too far off the centre."""
    off_pockets: float
    """How far the middle of the pulse was from the pocket's centre."""
    turns: int
    """Rotor turns in a row that named this pocket, this one included."""
    before_ns: int | None
    """When a ball was seen in this pocket the last time that it passed; None where it passed empty."""


class PocketHead:
    """Turns pulses and rotor angles into pocket readings."""

    def __init__(self, pockets: int, head_deg: float, tolerance_pockets: float) -> None:
        self._pockets = pockets
        self._head_deg = head_deg
        self._tolerance = tolerance_pockets
        self._rise_deg: float | None = None
        self._last: tuple[int, float] | None = None
        self._turns = 0
        self._seen: dict[int, tuple[float, bool, int]] = {}
        """The rotor's travel, its way and the time at which a ball was last seen in a pocket, whichever ball: of each
        that may not have passed empty since."""

    @property
    def reading(self) -> tuple[int | None, int]:
        """The pocket that was named last, and the turns in a row that named it."""
        return (None if self._last is None else self._last[0]), self._turns

    def forget(self) -> None:
        """Drops the readings: they belong to another run, or to an angle that is no longer proven."""
        self._last = None
        self._turns = 0

    def rise(self, angle_deg: float | None) -> None:
        """Handles the rising edge: the ball comes in front of the head."""
        self._rise_deg = angle_deg

    def fall(self, angle_deg: float | None, travel_deg: float, t_ns: int) -> PocketPulse | None:
        """Handles the falling edge; returns the reading, None if it has no angle.

        `angle_deg` is the rotor's angle since the index, `travel_deg` its total travel.
        """
        rise_deg, self._rise_deg = self._rise_deg, None
        if rise_deg is None or angle_deg is None:
            return None
        # The two angles are on either side of the middle, whichever way the rotor turns and wherever the index was.
        half = ((angle_deg - rise_deg + 180) % 360 - 180) / 2
        at = (self._head_deg - (rise_deg + half)) * self._pockets / 360
        off = at - round(at)
        if not -360 <= half * self._pockets <= 360:
            self.forget()
            return PocketPulse(None, off, 0, None)
        pocket = round(at) % self._pockets
        before_ns = self._passed(pocket, travel_deg, half > 0, t_ns)
        if not -self._tolerance <= off <= self._tolerance:
            self.forget()
            return PocketPulse(None, off, 0, before_ns)
        turned = None if self._last is None else abs(travel_deg - self._last[1]) / 360
        if self._last is not None and turned is not None and turned < 1 - TURN_TOLERANCE:
            if self._last[0] == pocket:
                # The same pulse, interrupted.
                return PocketPulse(pocket, off, self._turns, before_ns)
            self._turns = 0
        elif self._last is None or self._last[0] != pocket or turned is None or turned > 1 + TURN_TOLERANCE:
            self._turns = 0
        self._turns += 1
        self._last = (pocket, travel_deg)
        return PocketPulse(pocket, off, self._turns, before_ns)

    def _passed(self, pocket: int, travel_deg: float, way: bool, t_ns: int) -> int | None:
        """Notes a ball in a pocket; returns when one was seen there the last time that the pocket passed."""
        before_ns = None
        # A rotor that is turned one way and then the other comes to the same travel again, when the pocket has passed.
        for one in (*self._seen,):
            if not -NEXT_TURN_DEG <= travel_deg - self._seen[one][0] <= NEXT_TURN_DEG:
                del self._seen[one]
        if pocket in self._seen:
            before_deg, before_way, seen_ns = self._seen[pocket]
            # Where the rotor has turned back since, the pocket passed on the way back too.
            most_deg = NEXT_TURN_DEG if way is before_way else SAME_PLACE_DEG
            if -most_deg <= travel_deg - before_deg <= most_deg:
                before_ns = seen_ns
        self._seen[pocket] = (travel_deg, way, t_ns)
        return before_ns
