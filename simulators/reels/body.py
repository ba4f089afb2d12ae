"""A reel on the shaft of a stepping motor: its mass follows the steps a little later, may slip, stick, or be moved.

    steps of the motor ──held by friction──► place of the reel ──tab of `TAB` steps──► home sensor

A reel that comes to rest swings out by a step at most, and does not reach the next. One that is to be turned faster
than its mass allows stays behind by a whole cycle of the motor's phases, four full steps.
"""

from __future__ import annotations

from typing import Final

TAB: Final = 8
"""Steps that the tab covers the home sensor for (ours)."""
LAG_NS: Final = 600_000
"""So much later than its motor's step the reel is there (ours)."""
CYCLE: Final = 4
"""Full steps of the phases of a motor: what is lost is lost in these."""
STRONGEST: Final = 2_600.0
"""Steps a second, a second, that the motor can speed the reel up by (ours): the boards' ramp asks for 2,000."""
FRESH_NS: Final = 30_000_000
"""A step this long after the one before begins from rest."""


class ReelBody:
    """One reel. Places are in steps from the front edge of its tab, in the direction of turning."""

    def __init__(self, steps: int, place: int) -> None:
        self.steps = steps
        self.place = place % steps
        self.stuck = False
        """Something holds it: its motor's steps do not turn it."""
        self.heavy = 1.0
        """How many times its usual mass it has."""
        self.blind = False
        """Its home sensor does not see the tab."""
        self.covered = False
        """Its home sensor is covered by something."""
        self._stepped_ns = -FRESH_NS
        self._period_ns = 0

    @property
    def home(self) -> int:
        """The level of its home sensor."""
        if self.covered:
            return 1
        return int(not self.blind and self.place < TAB)

    def step(self, t_ns: int) -> None:
        """Its motor makes a step."""
        period_ns, self._stepped_ns = t_ns - self._stepped_ns, t_ns
        before_ns, self._period_ns = self._period_ns, period_ns
        if self.stuck:
            return
        if 0 < period_ns < before_ns < FRESH_NS:
            faster = 1e9 / period_ns - 1e9 / before_ns
            if faster / (period_ns / 1e9) * self.heavy > STRONGEST:
                self.place = (self.place - CYCLE) % self.steps
        self.place = (self.place + 1) % self.steps

    def slip(self, steps: int) -> None:
        """It slips on its shaft, or a hand turns it; against the direction of turning if negative."""
        self.place = (self.place + steps) % self.steps
