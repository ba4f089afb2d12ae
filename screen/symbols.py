"""The symbols of the reels, drawn from shapes: each on a square, without an image file or a font of its own.

A symbol that no drawing knows is a plate with its name, so that a model may have symbols of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import cos, pi, sin
from typing import Final, TypeAlias

import pygame

Colour: TypeAlias = tuple[int, int, int]
Point: TypeAlias = tuple[float, float]

FINE: Final = 4
"""Shapes are drawn this many times larger, and made smaller: that smooths their edges."""
OUTLINE: Final = (24, 20, 28)


class _Pen:
    """Draws on a square whose sides are 100 long, from the upper left corner."""

    def __init__(self, side: int) -> None:
        self.surface = pygame.Surface((side, side), pygame.SRCALPHA)
        self._scale = side / 100

    def _at(self, point: Point) -> Point:
        return point[0] * self._scale, point[1] * self._scale

    def area(self, colour: Colour, points: list[Point], edge: float = 2.5) -> None:
        """A polygon with its outline."""
        scaled = [self._at(point) for point in points]
        pygame.draw.polygon(self.surface, colour, scaled)
        if edge:
            width = max(1, round(edge * self._scale))
            pygame.draw.lines(self.surface, OUTLINE, True, scaled, width)
            for point in scaled:
                pygame.draw.circle(self.surface, OUTLINE, point, width / 2)

    def disc(self, colour: Colour, middle: Point, radius: float, edge: float = 2.5) -> None:
        """A disc with its outline."""
        if edge:
            pygame.draw.circle(self.surface, OUTLINE, self._at(middle), (radius + edge) * self._scale)
        pygame.draw.circle(self.surface, colour, self._at(middle), radius * self._scale)

    def oval(self, colour: Colour, box: tuple[float, float, float, float], edge: float = 2.5) -> None:
        """An ellipse in a box of left, top, width and height."""
        left, top, width, height = box
        if edge:
            outer = pygame.Rect(
                *(
                    round(value * self._scale)
                    for value in (left - edge, top - edge, width + 2 * edge, height + 2 * edge)
                )
            )
            pygame.draw.ellipse(self.surface, OUTLINE, outer)
        inner = pygame.Rect(*(round(value * self._scale) for value in box))
        pygame.draw.ellipse(self.surface, colour, inner)

    def stroke(self, colour: Colour, points: list[Point], width: float) -> None:
        """A line with round joints."""
        scaled = [self._at(point) for point in points]
        pygame.draw.lines(self.surface, colour, False, scaled, max(1, round(width * self._scale)))
        for point in scaled:
            pygame.draw.circle(self.surface, colour, point, width * self._scale / 2)


def _curve(start: Point, bend: Point, end: Point, parts: int = 16) -> list[Point]:
    """A quadratic curve as points."""
    points = []
    for part in range(parts + 1):
        t = part / parts
        points.append(
            (
                (1 - t) ** 2 * start[0] + 2 * t * (1 - t) * bend[0] + t * t * end[0],
                (1 - t) ** 2 * start[1] + 2 * t * (1 - t) * bend[1] + t * t * end[1],
            )
        )
    return points


def _leaf(pen: _Pen, root: Point, tip: Point, swell: float) -> None:
    across = ((tip[1] - root[1]) * swell, (root[0] - tip[0]) * swell)
    middle = ((root[0] + tip[0]) / 2, (root[1] + tip[1]) / 2)
    one = _curve(root, (middle[0] + across[0], middle[1] + across[1]), tip)
    other = _curve(tip, (middle[0] - across[0], middle[1] - across[1]), root)
    pen.area((46, 160, 67), one + other, 2)


def _seven(pen: _Pen) -> None:
    shape: list[Point] = [(20, 12), (82, 12), (82, 30), *_curve((82, 30), (56, 52), (54, 90))]
    shape += [(30, 90), *_curve((30, 90), (34, 54), (56, 32)), (36, 32), (32, 40), (20, 40)]
    pen.area((214, 32, 44), shape, 3.5)
    pen.stroke((255, 150, 140), [(25, 18), (76, 18)], 3)


def _bar(pen: _Pen) -> None:
    pen.area((30, 34, 44), [(6, 30), (94, 30), (94, 70), (6, 70)], 3.5)
    pen.area((255, 205, 64), [(11, 35), (89, 35), (89, 65), (11, 65)], 0)
    pen.area((30, 34, 44), [(14, 38), (86, 38), (86, 62), (14, 62)], 0)
    gold = (255, 205, 64)
    b: list[list[Point]] = [
        [(24, 42), (24, 58)],
        [(24, 42), (33, 42), (36, 46), (33, 50), (24, 50)],
        [(33, 50), (37, 54), (33, 58), (24, 58)],
    ]
    a: list[list[Point]] = [[(43, 58), (50, 42), (57, 58)], [(46, 53), (54, 53)]]
    r: list[list[Point]] = [
        [(64, 58), (64, 42)],
        [(64, 42), (73, 42), (76, 46), (73, 50), (64, 50)],
        [(70, 50), (76, 58)],
    ]
    for line in (*b, *a, *r):
        pen.stroke(gold, line, 4)


def _bell(pen: _Pen) -> None:
    pen.disc((184, 118, 20), (50, 84), 8)
    left = _curve((14, 78), (28, 70), (28, 48))
    top = [*_curve((28, 48), (30, 20), (50, 18)), *_curve((50, 18), (70, 20), (72, 48))]
    right = _curve((72, 48), (72, 70), (86, 78))
    pen.area((250, 190, 40), left + top + right, 3)
    pen.stroke((255, 232, 150), _curve((38, 34), (34, 46), (35, 62)), 4)
    pen.disc((250, 190, 40), (50, 14), 5)
    pen.area((214, 146, 26), [(12, 76), (88, 76), (88, 83), (12, 83)], 2.5)


def _plum(pen: _Pen) -> None:
    pen.stroke((104, 66, 34), _curve((52, 30), (54, 18), (62, 9)), 5)
    _leaf(pen, (54, 24), (84, 14), 0.35)
    pen.oval((126, 62, 190), (17, 26, 66, 66), 3)
    pen.stroke((94, 38, 150), _curve((52, 29), (64, 56), (54, 90)), 3.5)
    pen.oval((196, 154, 236), (27, 40, 14, 20), 0)


def _orange(pen: _Pen) -> None:
    pen.disc((250, 140, 26), (50, 56), 35, 3)
    _leaf(pen, (50, 23), (78, 10), 0.35)
    pen.stroke((90, 104, 36), [(50, 26), (50, 18)], 5)
    for place in range(9):
        angle = place * 2 * pi / 9
        pen.disc((224, 112, 12), (50 + 20 * cos(angle), 60 + 18 * sin(angle)), 1.6, 0)
    pen.oval((255, 204, 140), (28, 34, 16, 14), 0)


def _cherry(pen: _Pen) -> None:
    pen.stroke((74, 120, 40), _curve((32, 60), (36, 30), (64, 12)), 4.5)
    pen.stroke((74, 120, 40), _curve((70, 62), (74, 34), (64, 12)), 4.5)
    _leaf(pen, (64, 12), (28, 14), 0.3)
    for middle in ((31.0, 71.0), (70.0, 73.0)):
        pen.disc((206, 24, 56), middle, 19, 3)
        pen.disc((255, 150, 170), (middle[0] - 6, middle[1] - 7), 5, 0)


DRAWN: Final[dict[str, Callable[[_Pen], None]]] = {
    "seven": _seven,
    "bar": _bar,
    "bell": _bell,
    "plum": _plum,
    "orange": _orange,
    "cherry": _cherry,
}
"""The symbols that are drawn."""


@lru_cache(maxsize=256)
def symbol(name: str, side: int) -> pygame.Surface:
    """A symbol on a transparent square with sides of this many pixels."""
    draw = DRAWN.get(name)
    pen = _Pen(side * FINE)
    if draw is None:
        _plate(pen, name)
    else:
        draw(pen)
    return pygame.transform.smoothscale(pen.surface, (side, side))


def _plate(pen: _Pen, name: str) -> None:
    """A name that has no drawing."""
    pen.area((236, 240, 246), [(6, 26), (94, 26), (94, 74), (6, 74)], 3)
    side = pen.surface.get_width()
    text = pygame.font.Font(None, round(side * 0.4)).render(name.upper(), True, OUTLINE)
    width, height = text.get_size()
    scale = min(1.0, side * 0.8 / max(1, width), side * 0.4 / max(1, height))
    text = pygame.transform.smoothscale(text, (max(1, round(width * scale)), max(1, round(height * scale))))
    pen.surface.blit(text, text.get_rect(center=(side // 2, side // 2)))
