"""Dice as bodies: a tumbled die rolls over its edges until it has too little energy to, rocks, and lies.

Energy is counted in barriers: one lifts a cube over its edge, from lying flat to standing on the edge. Each knock
takes a share of it. While more than one barrier is left the die rolls over, in one of four directions; below it rocks
on an edge like a block, each knock sooner after the last than the one before:

    energy    ──\\__                              knocks     | || | | ||  |   |  | |||
                   ──\\___ 1 barrier                          rolls over      rocks     lies
                          ──────\\________

The time between two knocks of a rocking block has a closed form, 2 / p x arcosh(1 / (1 - a)), with a the share of the
way to its balance and p the root of 3 g / 4 R (R: from the middle of the die to its edge). How many knocks there are,
and how much each takes, is ours: no published settling time was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import acosh, sqrt
from random import Random
from typing import Final, Literal, TypeAlias

from drivers.dice.reader_wire import Die, Lying

GRAVITY_M_S2: Final = 9.81
INCH_M: Final = 0.0254
LARGE_DIE_M: Final = 2.5 * INCH_M
"""The dice of cage and chute, 13:47-20.21(a)2i."""
SMALL_DIE_M: Final = 0.016
"""The dice of a shaker (ours)."""

LEFT_AFTER_KNOCK: Final = (0.55, 0.8)
"""The share of its energy that a die keeps (ours)."""
LEFT_AFTER_ROCK: Final = (0.25, 0.6)
"""The share of its swing that a rocking die keeps at each knock (ours)."""
LEAST_SWING: Final = 0.003
"""A die that would rock by less lies."""
MOST_SWING: Final = 0.98
ROLLS: Final = 4

Turned: TypeAlias = Literal["over", "left", "right", "back"]

OPPOSITE_SUM: Final = 7
"""What each pair of opposite faces adds up to, 13:47-20.21(a)2iii."""


@dataclass(slots=True)
class Body:
    """One die: the face on top, the face towards the dealer, and how big it is."""

    side_m: float = LARGE_DIE_M
    top: int = 1
    front: int = 2

    def right(self) -> int:
        """The face to the right; a die whose faces run anticlockwise about the corner of 1, 2 and 3."""
        return _RIGHT[self.top, self.front]

    def roll(self, direction: int) -> None:
        """Rolls over one edge: 0 away from the dealer, 1 towards, 2 to the left, 3 to the right."""
        top, front, right = self.top, self.front, self.right()
        if direction == 0:
            self.top, self.front = front, OPPOSITE_SUM - top
        elif direction == 1:
            self.top, self.front = OPPOSITE_SUM - front, top
        elif direction == 2:
            self.top = right
        else:
            self.top = OPPOSITE_SUM - right


@dataclass(frozen=True, slots=True)
class Fall:
    """What one die did after it was set going: when it knocked, and how it came to lie."""

    knocks_s: tuple[float, ...]
    """Every knock, in the time of whoever set it going; the last is the last movement."""
    rolls: int
    rocked_s: float | None
    """When it began to rock."""

    @property
    def rest_s(self) -> float:
        """When it lay."""
        return self.knocks_s[-1]


def fall(die: Body, at_s: float, energy: float, rng: Random) -> Fall:
    """Sets a die going with an energy in barriers, and leaves it as it lies."""
    knocks = [at_s]
    t_s, rolls = at_s, 0
    quarter_s = sqrt(die.side_m / GRAVITY_M_S2)
    while energy > 1.0:
        # The more energy, the more edges it rolls over before it knocks again.
        for _ in range(1 + int(rng.random() * min(3.0, energy))):
            die.roll(rng.randrange(ROLLS))
            rolls += 1
        t_s += quarter_s * rng.uniform(0.35, 0.9)
        knocks.append(t_s)
        energy *= rng.uniform(*LEFT_AFTER_KNOCK)
    swing = min(MOST_SWING, max(energy, 0.05) * rng.uniform(0.3, 1.0))
    rocked_s = t_s
    rate = sqrt(3 * GRAVITY_M_S2 / (4 * die.side_m / sqrt(2.0)))
    while swing > LEAST_SWING:
        t_s += 2.0 / rate * acosh(1.0 / (1.0 - swing))
        knocks.append(t_s)
        swing *= rng.uniform(*LEFT_AFTER_ROCK)
    return Fall(tuple(knocks), rolls, rocked_s)


def shown(die: Body, lying: Lying = "flat") -> Die:
    """How a board that sees everything would report the die."""
    return Die(lying, die.top if lying in ("flat", "cocked") else None)


def new_dice(count: int, rng: Random, side_m: float = LARGE_DIE_M) -> list[Body]:
    """Dice as somebody put them there: any face up, turned any way."""
    return [Body(side_m, *rng.choice(_STANDS)) for _ in range(count)]


def _right_faces() -> dict[tuple[int, int], int]:
    """The face to the right for each of the 24 ways in which a die comes to rest."""
    found = {(1, 2): 3}
    waiting = [(1, 2)]
    while waiting:
        top, front = waiting.pop()
        right = found[top, front]
        for stand, its_right in (
            ((front, OPPOSITE_SUM - top), right),
            ((right, front), OPPOSITE_SUM - top),
        ):
            if stand not in found:
                found[stand] = its_right
                waiting.append(stand)
    return found


_RIGHT: Final = _right_faces()
_STANDS: Final = tuple(sorted(_RIGHT))
