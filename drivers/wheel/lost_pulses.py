"""Edges that a disc does not explain: slots counted by noise, and chains of edges of one line (lost pulse or turn)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from math import inf
from operator import itemgetter
from typing import Final, NamedTuple

from drivers.wheel.quadrature import COUNTS_PER_SLOT
from hal.values import Edge

# --- slots counted by noise: checked once, when a wheel comes to rest ---
#
# A noise pulse on A or B alone is a bounce and counts nothing. Noise on both at once can give four edges in the order
# of a turning disc, and so a whole slot; but no disc does a slot in the time of one count just before and just after:
#
#     disc     |      |      |      |      |      |          a count as long as the one before
#     noise    |      |   ||||      |      |      |          four counts in the time of one
#
# Only the edges since the index last proved the count are checked.

NOISE_SLOT_COUNTS: Final = 1.0
"""A slot in less time than this many of the counts before and after it was noise (ours)."""

COUNTS_AROUND: Final = 4
"""Two counts before and two after."""

STEADY_NS: Final = 250_000
"""Faster counts are not checked: clocks and discs are not even enough (ours)."""

_time: Final = itemgetter(2)


class RecentEdges:
    """The edges before those of the newest batch, about a turn of them: kept by the batch, no work for each edge."""

    __slots__ = ("_batches", "_held", "_least")

    def __init__(self, least: int) -> None:
        """At least `least` edges are kept."""
        self._least = least
        self._batches: deque[Sequence[Edge]] = deque()
        self._held = 0

    def add(self, batch: Sequence[Edge]) -> None:
        """Adds a batch, and drops those that are no longer needed."""
        while self._batches and self._held - len(self._batches[0]) >= self._least:
            self._held -= len(self._batches.popleft())
        self._batches.append(batch)
        self._held += len(batch)

    def last(
        self, number: int, lines: tuple[str, str], until_ns: int, now_ns: int, since: Edge | None = None
    ) -> list[Edge]:
        """The last edges of two lines up to a time, of the `least` last of all lines up to `now_ns`.

        They are the same however the edges were cut into batches, where no batch before the newest reaches beyond
        `now_ns`. They begin with `since`, the very edge and not one that is equal to it, where it is one of them. Edges
        come in the order of time, so the search goes back only as far as is needed.
        """
        found: list[Edge] = []
        left = self._least
        for batch in reversed(self._batches):
            now = _end(batch, now_ns)
            first = max(0, now - left)
            left -= now - first
            end = min(now, _end(batch, until_ns))
            while end > first and len(found) < number:
                start = max(first, end - (number - len(found)))
                if since is not None and batch[start].t_ns <= since.t_ns:
                    start = max(start, bisect_left(batch, since.t_ns, hi=end, key=_time))
                    for at in range(start, end):
                        if batch[at] is since:
                            found[:0] = [edge for edge in batch[at:end] if edge[0] in lines]
                            return found
                        if batch[at].t_ns > since.t_ns:
                            break
                    since = None
                    continue
                found[:0] = [edge for edge in batch[start:end] if edge[0] in lines]
                end = start
            if not left or len(found) >= number:
                break
        return found

    def times_ns(self, lines: tuple[str, str], since_ns: int, until_ns: int, now_ns: int) -> list[int]:
        """The times of the edges of two lines between two times, of the same edges as `last` has."""
        edges = self.last(self._least, lines, until_ns, now_ns)
        return [t_ns for _, _, t_ns in edges[_end(edges, since_ns - 1) :]]


def _end(batch: Sequence[Edge], until_ns: int) -> int:
    """How many edges of a batch come no later than `until_ns`."""
    if batch and batch[-1].t_ns <= until_ns:
        return len(batch)
    return bisect_right(batch, until_ns, key=_time)


def noise_counted(times_ns: Sequence[int]) -> bool:
    """Whether four counts took the time of one, with two slower counts before them and two after."""
    slot = COUNTS_PER_SLOT
    slots_ns = zip(times_ns, times_ns[1:], times_ns[2:], times_ns[2 + slot :], strict=False)
    quick = [
        k for k, (before, last, start, end) in enumerate(slots_ns) if end - start < NOISE_SLOT_COUNTS * (last - before)
    ]
    for k in quick:
        around = (*pairwise(times_ns[k : k + 3]), *pairwise(times_ns[k + 2 + slot : k + 5 + slot]))
        around_ns = min(after_ns - before_ns for before_ns, after_ns in around)
        slot_ns = times_ns[k + 2 + slot] - times_ns[k + 2]
        if len(around) == COUNTS_AROUND and around_ns > STEADY_NS and slot_ns < NOISE_SLOT_COUNTS * around_ns:
            return True
    return False


# --- chains: edges of one line in a row ---
#
#     lost pulse of A     B‾‾‾\_______/‾‾‾‾‾‾‾\____     edges of B two counts apart at the disc's speed, and on in the
#                         A____    (lost)    ___/‾‾‾     same direction
#     wobble or turn      the same edges of B, where the disc reverses beyond one of them: it slows down to that, and
#                         comes back at about the speed at which it went
#     bounce              edges of B within a small part of a count
#
# The times around them distinguish the three. A disc slows evenly between pegs, so its last two counts predict when it
# would cross the next two; and it cannot come back slower than it went by more than friction takes.

BOUNCE_SHARE: Final = 0.5
"""An edge back within this share of a count is contact bounce, not a lost pulse (ours)."""

LONGEST_BOUNCE_NS: Final = 25_000_000
"""A change that comes back later is no contact's, however slow the disc (ours)."""

MOST_BOUNCES: Final = 8
"""Edges of a bounce from which it must be over within the time of a count (ours)."""

EVEN_GAPS: Final = 0.5
LEAST_EVEN_NS: Final = 1_000_000
"""This many edges, each gap at least this share of its neighbours and this long, are a disc's (ours)."""

EARLY_RETURN_SHARE: Final = 0.7
"""A rocking disc that comes back in a smaller share of the last count had reversed before (ours)."""

SWING_SHARE: Final = 0.6
"""A swing that lasts a smaller share of the one before has not ended (ours)."""

EARLIEST: Final = 0.8
LATEST: Final = 1.25
"""How far from its expected time the far side of a lost pulse may be: discs are uneven (ours)."""

STOP_COUNTS: Final = 9.0
"""A disc that would go on for more counts does not rest after one lost pulse (ours)."""

HIDDEN_COUNTS: Final = 2.5
"""A disc that would stop in fewer counts does not turn beyond a lost pulse, which is three (ours)."""

RETURN_SHARE: Final = 1.5
"""A disc that takes this many times longer for the first count back lost more speed than friction takes (ours)."""


TURN_COUNTS: Final = 3.0
"""A turn within a count takes no longer than this many times the counts before and after it together: a disc that stops
evenly within a count takes 2.4 (ours)."""

STOPPING_COUNTS: Final = 5.0
"""A wheel that, as it slows, would go on for more counts than this does not stop within one (ours)."""

STILL_SLOWING: Final = 2.5
"""A disc that stops evenly takes no more times as long for two counts as for the two before (ours)."""

MOST_SLOWING: Final = 4.0
"""No disc takes this many times longer for a count than for the one before: one of the edges was noise (ours)."""

UNEVEN_SWINGS: Final = 4
"""Swings over one edge from which their evenness shows (ours)."""

EVEN_SWINGS: Final = 0.4
"""A swing there and back over one edge that takes a smaller share of another one is not a spring's (ours)."""

NOISE_SHARE: Final = 0.5
"""A count in less than this share of the one before is not the disc's own (ours)."""


class Offsets(NamedTuple):
    """The range of the true count less the decoded one."""

    low: int
    high: int

    def spread(self, counts: int) -> Offsets:
        """The same, widened to at least `counts` on each side that is not 0."""
        return Offsets(min(self.low, -counts if self.low else 0), max(self.high, counts if self.high else 0))


NONE: Final = Offsets(0, 0)


class Rocking(NamedTuple):
    """The last swing of a disc that rocks between two pegs."""

    turned_ns: int
    """When the swing ended."""
    lasted_ns: int
    swing: int
    """The length of the swing in counts; the next is shorter."""

    def turns_again_at(self, t_ns: int) -> bool:
        """Whether it may turn again at `t_ns`: swings get shorter, but a spring takes the same time for each."""
        return t_ns - self.turned_ns >= SWING_SHARE * self.lasted_ns


class Chain(NamedTuple):
    """Edges of one line in a row. `backs` of them reversed the direction; an odd number leaves it reversed."""

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
    width: float = 1.0
    """The width of the quarter of `tau_ns`, in counts; a disc that turns comes back through the same quarter."""
    lost: bool = False
    """Whether the other line repeated a level meanwhile: a change of it is certainly lost."""

    @property
    def turned(self) -> bool:
        """Whether the direction is now reversed."""
        return self.backs % 2 == 1

    @property
    def _gaps(self) -> list[int]:
        """The times between its edges."""
        return [b - a for a, b in pairwise(self.times_ns)]

    @property
    def _longest_bounce_ns(self) -> float:
        """The longest time in which an edge comes back by contact bounce."""
        return min(self.tau_ns * BOUNCE_SHARE, LONGEST_BOUNCE_NS)

    def is_bounce(self) -> bool:
        """Whether every second edge came back at once: contact bounce, which hides no pulse.

        Many edges that last longer than a count, or come evenly, are not a bounce: the other line was stuck meanwhile.
        """
        gaps = self._gaps
        if self.backs >= MOST_BOUNCES:
            last = gaps[-MOST_BOUNCES:]
            even = all(EVEN_GAPS * max(pair) <= min(pair) for pair in pairwise(last)) and min(last) >= LEAST_EVEN_NS
            if even or self.times_ns[-1] - self.since_ns > self.tau_ns:
                return False
        longest_ns = self._longest_bounce_ns
        return all(min(pair) < longest_ns for pair in zip(gaps[::2], gaps[1::2], strict=False))

    def ended_onwards(self, t_ns: int) -> Offsets:
        """What the chain hides if the disc went on in its direction, with its first count at `t_ns`.

        A wobble would have had to grow, so pulses may have been lost, or whole slots.
        """
        gone = self._counts_in(t_ns - self.times_ns[0], t_ns)
        if self.is_bounce() and gone <= 2 * COUNTS_PER_SLOT:
            return NONE
        pulses = self.backs // 2
        return self._pulses(max(pulses, (gone - 1) // COUNTS_PER_SLOT), self.direction)

    def ended_onwards_with_a_loss(self, hidden: Offsets) -> bool:
        """Whether all that it hides, of `ended_onwards`, is certain: one pulse, of which a change is certainly lost."""
        return self.lost and hidden.high - hidden.low == COUNTS_PER_SLOT

    def came_back_faster(self, t_ns: int) -> bool:
        """Whether a disc that turned once came back through the quarter before in far less time than it went."""
        back_ns = (t_ns - self.times_ns[-1]) / self.width
        return self.backs == 1 and back_ns < EARLY_RETURN_SHARE * self.tau_ns

    def ended_turned(self, t_ns: int, rocks: bool, rocking: Rocking | None) -> Offsets:
        """What the chain hides if the disc came back, with its first count at `t_ns`."""
        if self.backs > 1:
            # It left the wobble the way it came, wider than before: pulses lost before the turn or after it.
            if self.is_bounce():
                return NONE
            on, back = (
                self._pulses((self.backs + 1) // 2, self.direction),
                self._pulses(self.backs // 2, -self.direction),
            )
            return Offsets(on.low + back.low, on.high + back.high)
        gap_ns, back_ns = self.times_ns[1] - self.times_ns[0], round((t_ns - self.times_ns[-1]) / self.width)
        if gap_ns > TURN_COUNTS * (self.slowed[1] + back_ns):
            counts = self._counts_in(gap_ns, t_ns)
            return Offsets(-counts, counts)
        if back_ns < EARLY_RETURN_SHARE * self.tau_ns:
            if rocks:
                return self._pulses(1, -self.direction)
            if stops_after_counts(self.before_ns, self.tau_ns) > STOP_COUNTS:
                return Offsets(-COUNTS_PER_SLOT, COUNTS_PER_SLOT)
        if rocking is not None:
            return NONE if rocking.turns_again_at(self.turn_ns) else self._pulses(1, self.direction)
        # Beyond a lost pulse it would have crossed three counts more.
        slow = back_ns > RETURN_SHARE * self.tau_ns and stops_after_counts(*self.slowed) >= HIDDEN_COUNTS
        return self._pulses(1, self.direction) if slow and self._as_if_gone_on() else NONE

    def at_rest(self, swing: int, rocking: Rocking | None, least_slowing: float) -> Offsets:
        """What the chain hides if the disc rests after it, `swing` counts from where it last turned.

        `least_slowing` is the least slowing of any disc, in counts per nanosecond squared.
        """
        bounced = self.times_ns[1] - self.times_ns[0] < self._longest_bounce_ns
        if bounced or (not self.turned and self.is_bounce()):
            return NONE
        pulses = self._pulses((self.backs + 1) // 2, self.direction)
        if self._swings_unevenly():
            counts = COUNTS_PER_SLOT * ((self.backs + 1) // 2)
            return Offsets(-counts, counts)
        if rocking is None:
            if self.backs > 1:
                reaches = 0.5 / self.slowed[1] ** 2 / least_slowing >= 2 * self.backs
                fits = self._as_if_gone_on() and self._goes_on(EARLIEST)
                fits = fits or (self.backs > 2 and self._goes_on(1.0))
                return pulses if reaches and fits else NONE
            # It would have gone on by the lost pulse, and by less than another one before it stopped.
            ends = self.tau_ns > MOST_SLOWING * self.before_ns or stops_after_counts(*self.slowed) <= STOP_COUNTS
            return pulses if ends and self._as_if_gone_on() else NONE
        hidden = 2 if self.turned else COUNTS_PER_SLOT
        if rocking.turns_again_at(self.turn_ns) or swing + hidden > rocking.swing:
            return NONE
        return pulses

    def _swings_unevenly(self) -> bool:
        """Whether no disc that rocks over one edge makes these: the other line was stuck while the disc went on.

        A spring takes the same time for each swing there and back, however short the swings have become.
        """
        gaps = self._gaps
        there_and_back = [a + b for a, b in pairwise(gaps)]
        return len(gaps) >= UNEVEN_SWINGS and min(there_and_back) < EVEN_SWINGS * max(there_and_back)

    @property
    def slowed(self) -> tuple[int, int]:
        """The last two counts before the chain, the later last; equal ones where noise shortened one of them."""
        if self.tau_ns < NOISE_SHARE * self.before_ns:
            return self.before_ns, self.before_ns
        if self.tau_ns > MOST_SLOWING * self.before_ns:
            even_ns = (self.before_ns + self.tau_ns) // 2
            return even_ns, even_ns
        return self.before_ns, self.tau_ns

    def _goes_on(self, least: float) -> bool:
        """Whether the edges of the chain fit a disc that slows on, each gap at least `least` times the one before."""
        gaps = self._gaps
        return all(least * a <= b <= STILL_SLOWING * a for a, b in pairwise(gaps))

    def counts_in_gap(self) -> int:
        """Counts, in whole slots, that a disc does at its speed before the chain until its first edge back."""
        return COUNTS_PER_SLOT * ((self.times_ns[1] - self.times_ns[0]) // (COUNTS_PER_SLOT * max(1, self.tau_ns)) + 1)

    def _counts_in(self, gap_ns: int, t_ns: int) -> int:
        """Counts, in whole slots, that a disc at the speed before or after the chain does in `gap_ns`."""
        tau_ns = max(1, min(self.slowed[1] or gap_ns, t_ns - self.times_ns[-1]))
        return COUNTS_PER_SLOT * (gap_ns // (COUNTS_PER_SLOT * tau_ns) + 1)

    @property
    def turn_ns(self) -> int:
        """When the disc turned, if it did: midway between the first edge and the first edge back."""
        return (self.times_ns[0] + self.times_ns[1]) // 2

    def _as_if_gone_on(self) -> bool:
        """Whether the first edge back came when a disc that slows on evenly would have crossed two more counts."""
        before_ns, tau_ns = self.slowed
        expected_ns = two_counts_on_ns(before_ns, tau_ns)
        gap_ns = self.times_ns[1] - self.times_ns[0]
        latest = STILL_SLOWING if self.tau_ns > MOST_SLOWING * self.before_ns else LATEST
        return expected_ns is not None and EARLIEST * expected_ns <= gap_ns <= latest * expected_ns

    @staticmethod
    def _pulses(number: int, direction: int) -> Offsets:
        counts = COUNTS_PER_SLOT * number * direction
        return Offsets(min(counts, 0), max(counts, 0))


def stops_after_counts(before_ns: int, tau_ns: int) -> float:
    """Counts that a disc still does if it slows on as over its last two; infinite if it does not slow."""
    slowing = _slowing(before_ns, tau_ns)
    if slowing <= 0:
        return inf
    speed = 1 / tau_ns - slowing * tau_ns / 2
    return speed * abs(speed) / (2 * slowing)


def still_goes_for(t1_ns: int, t2_ns: int, t3_ns: int, t4_ns: int) -> float:
    """The same from the last four counts in pairs, so that A and B need not be exactly a quarter slot apart."""
    before_ns, tau_ns = t2_ns - t4_ns, t1_ns - t3_ns
    if before_ns <= 0 or tau_ns <= before_ns:
        return inf
    # The square of the speed falls evenly with the travel; the later pair's middle lies a count back.
    return 1 / ((tau_ns / before_ns) ** 2 - 1) - 1


def _slowing(before_ns: int, tau_ns: int) -> float:
    """Counts per nanosecond squared, between the middles of two counts; 0 for times that no disc takes."""
    if before_ns <= 0 or tau_ns <= 0:
        return 0.0
    return (1 / before_ns - 1 / tau_ns) / ((before_ns + tau_ns) / 2)


def two_counts_on_ns(before_ns: int, tau_ns: int) -> float | None:
    """The time for two more counts if the disc slows on as over its last two; None if it stops first."""
    if before_ns <= 0 or tau_ns <= 0:
        return None
    slowing = max(0.0, _slowing(before_ns, tau_ns))
    speed = 1 / tau_ns - slowing * tau_ns / 2
    room = speed * speed - 4 * slowing
    if room <= 0 or speed <= 0:
        return None
    return 2 / speed if slowing == 0 else (speed - room**0.5) / slowing
