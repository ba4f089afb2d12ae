"""Edges of one encoder line in a row: did the disc turn, wobble or bounce there, or did the other line lose a pulse?

    lost pulse of A     B‾‾‾\\_______/‾‾‾‾‾‾‾\\____     edges of B two counts apart in time, as the disc's speed has it,
                        A____    (lost)    ___/‾‾‾     and on in the same direction
    wobble or turn      the same edges of B, when the disc turns round beyond one of them: it was slowing down to that,
                        and comes back at about the speed at which it went
    bounce              edges of B in no time at all

All three are told apart by the times around them. A disc slows evenly between pegs, so its last two counts say when it
would cross the next two; and it cannot come back slower than it went by more than friction takes.
"""

from __future__ import annotations

from math import inf
from typing import Final, NamedTuple

from drivers.quadrature import COUNTS_PER_SLOT

BOUNCE_SHARE: Final = 0.5
"""An edge back sooner than this share of a count is the contact's bounce, not a lost pulse (ours)."""

HASTE_SHARE: Final = 0.7
"""A disc that rocks and comes back in a smaller share of the time was on its way back before (ours)."""

SWING_SHARE: Final = 0.6
"""A swing that lasts a smaller share of the one before did not end there (ours)."""

EARLIEST: Final = 0.8
LATEST: Final = 1.25
"""How far from its expected time the far side of a lost pulse may be: discs are uneven (ours)."""

STOP_COUNTS: Final = 9.0
"""A disc that would go on for more counts does not rest after one lost pulse (ours)."""

RETURN_SHARE: Final = 1.5
"""A disc that takes so many times longer for the first count back lost more speed than friction takes (ours)."""


class Offsets(NamedTuple):
    """Between which offsets from the decoded count the truth lies."""

    low: int
    high: int


NONE: Final = Offsets(0, 0)


class Rocking(NamedTuple):
    """The last swing of a disc that rocks between two pegs."""

    turned_ns: int
    """When it ended."""
    lasted_ns: int
    swing: int
    """Its length in counts: the next is shorter."""

    def turns_again_at(self, t_ns: int) -> bool:
        """Whether it may turn again so soon: swings get shorter, but a spring takes the same time for each."""
        return t_ns - self.turned_ns >= SWING_SHARE * self.lasted_ns


class Chain(NamedTuple):
    """Edges of one line in a row. `backs` is how many turned the direction round; an odd number leaves it turned."""

    line: str
    direction: int
    """Before the first edge back."""
    tau_ns: int
    """The last whole count before the chain."""
    before_ns: int
    """The count before that."""
    since_ns: int
    backs: int
    times_ns: tuple[int, ...]
    """The edges of the chain; of a long one the last."""

    @property
    def turned(self) -> bool:
        """Whether the direction is now the other one."""
        return self.backs % 2 == 1

    def is_bounce(self) -> bool:
        """Whether every second edge came back at once: the contact bounced, and no pulse can hide there."""
        gaps = [b - a for a, b in zip(self.times_ns, self.times_ns[1:], strict=False)]
        return all(min(pair) < self.tau_ns * BOUNCE_SHARE for pair in zip(gaps[::2], gaps[1::2], strict=False))

    def ended_onwards(self) -> Offsets:
        """The disc went on in its direction: a wobble would have had to grow, so pulses may have been lost."""
        return NONE if self.is_bounce() else self._pulses(self.backs // 2, self.direction)

    def ended_turned(self, t_ns: int, rocks: bool, rocking: Rocking | None) -> Offsets:
        """The disc came back, with its first count at `t_ns`: it turned here, or a few counts before or after."""
        if self.backs > 1:
            # It left the wobble the way it came, wider than before: pulses lost on the way there or on the way back.
            counts = 0 if self.is_bounce() else COUNTS_PER_SLOT * (self.backs - 1) // 2
            return Offsets(-counts, counts)
        if rocks and t_ns - self.times_ns[-1] < HASTE_SHARE * self.tau_ns:
            return self._pulses(1, -self.direction)
        if rocking is not None:
            return NONE if rocking.turns_again_at(self.turn_ns) else self._pulses(1, self.direction)
        slow = t_ns - self.times_ns[-1] > RETURN_SHARE * self.tau_ns
        return self._pulses(1, self.direction) if slow and self._as_if_gone_on() else NONE

    def at_rest(self, swing: int, rocking: Rocking | None) -> Offsets:
        """The disc rests after the chain, `swing` counts from where it last turned."""
        if self.times_ns[1] - self.times_ns[0] < self.tau_ns * BOUNCE_SHARE or (not self.turned and self.is_bounce()):
            return NONE
        pulses = self._pulses((self.backs + 1) // 2, self.direction)
        if rocking is None:
            # It would have gone on by the lost pulse, and by less than another before it stopped.
            ends = stops_after_counts(self.before_ns, self.tau_ns) <= STOP_COUNTS
            return pulses if ends and self._as_if_gone_on() else NONE
        hidden = 2 if self.turned else COUNTS_PER_SLOT
        if rocking.turns_again_at(self.turn_ns) or swing + hidden > rocking.swing:
            return NONE
        return pulses

    @property
    def turn_ns(self) -> int:
        """When the disc turned, if it did: between the first edge and the first edge back."""
        return (self.times_ns[0] + self.times_ns[1]) // 2

    def _as_if_gone_on(self) -> bool:
        """Whether the first edge back came when a disc that slows on evenly would have crossed two more counts."""
        expected_ns = two_counts_on_ns(self.before_ns, self.tau_ns)
        gap_ns = self.times_ns[1] - self.times_ns[0]
        return expected_ns is not None and EARLIEST * expected_ns <= gap_ns <= LATEST * expected_ns

    @staticmethod
    def _pulses(number: int, direction: int) -> Offsets:
        counts = COUNTS_PER_SLOT * number * direction
        return Offsets(min(counts, 0), max(counts, 0))


def stops_after_counts(before_ns: int, tau_ns: int) -> float:
    """How many counts a disc still goes, if it slows on as over its last two; infinite if it does not slow."""
    slowing = _slowing(before_ns, tau_ns)
    if slowing <= 0:
        return inf
    speed = 1 / tau_ns - slowing * tau_ns / 2
    return speed * abs(speed) / (2 * slowing)


def _slowing(before_ns: int, tau_ns: int) -> float:
    """Counts per nanosecond squared, between the middles of two counts; 0 for times that no disc takes."""
    if before_ns <= 0 or tau_ns <= 0:
        return 0.0
    return (1 / before_ns - 1 / tau_ns) / ((before_ns + tau_ns) / 2)


def two_counts_on_ns(before_ns: int, tau_ns: int) -> float | None:
    """How long a disc takes for two more counts, if it slows on as over its last two; None if it stops first."""
    if before_ns <= 0 or tau_ns <= 0:
        return None
    slowing = max(0.0, _slowing(before_ns, tau_ns))
    speed = 1 / tau_ns - slowing * tau_ns / 2
    room = speed * speed - 4 * slowing
    if room <= 0 or speed <= 0:
        return None
    return 2 / speed if slowing == 0 else (speed - room**0.5) / slowing
