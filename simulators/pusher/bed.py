"""A bed of tokens in lanes, pushed by a shelf: plausible in its statistics, and no token is made or lost.

    shelf ►  │ lane 0 │ lane 1 │ … │ lane n │      a token lands in a lane; the shelf pushes each lane forward
             └ house ─┴──── player ───┴ house ┘    a lane that is too full lets tokens fall over its edge

A lane holds about as many tokens as it can; beyond its limit, which is drawn again after each fall, one token or some
fall at once, and push the lanes beside it. Over a long time as many fall as are put in, in bursts, and the outer lanes
give theirs to the house.
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

LANES: Final = 14
OUTER: Final = 1
"""Lanes at each side whose tokens fall to the house (ours): about a seventh of all."""
LIMIT: Final = (7, 13)
"""Tokens that a lane holds before some fall (ours)."""
MORE: Final = 0.35
"""The chance that another token falls with one that does (ours)."""
SIDEWAYS: Final = 0.25
"""The chance that a token which lands pushes one into the lane beside it (ours)."""


class Fallen(NamedTuple):
    """Tokens that fall because of one."""

    player: int
    house: int


class Bed:
    """The tokens on the bed."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._limits = [rng.randint(*LIMIT) for _ in range(LANES)]
        self.lanes = [limit - rng.randint(0, 3) for limit in self._limits]

    @property
    def tokens(self) -> int:
        """All that are on it."""
        return sum(self.lanes)

    def drop(self) -> Fallen:
        """A token lands, and the shelf pushes until the bed is quiet."""
        rng = self._rng
        lane = min(max(round(rng.gauss((LANES - 1) / 2, LANES / 4)), 0), LANES - 1)
        self.lanes[lane] += 1
        player = house = 0
        moved = [lane]
        while moved:
            lane = moved.pop()
            if rng.random() < SIDEWAYS and self.lanes[lane] > 0:
                beside = lane + rng.choice((-1, 1))
                if 0 <= beside < LANES:
                    self.lanes[lane] -= 1
                    self.lanes[beside] += 1
                    moved.append(beside)
            if self.lanes[lane] <= self._limits[lane]:
                continue
            falling = 1
            while rng.random() < MORE and falling < self.lanes[lane]:
                falling += 1
            self.lanes[lane] -= falling
            self._limits[lane] = rng.randint(*LIMIT)
            if OUTER <= lane < LANES - OUTER:
                player += falling
            else:
                house += falling
            moved.append(lane)
        return Fallen(player, house)
