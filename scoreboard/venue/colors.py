"""Colors that can be read: contrast as WCAG 2 computes it, and the nearest color that has enough.

Contrast needs the luminance of both colors; how near two colors are is their distance in OKLab, in which equal steps
look equal.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import dist
from typing import Final, NamedTuple

ENOUGH: Final = 4.5
"""The least contrast of text (WCAG 2.2, 1.4.3, AA)."""
_MOST: Final = 255


class Color(NamedTuple):
    """A color of a screen: sRGB, 0 to 255."""

    red: int
    green: int
    blue: int

    @classmethod
    def of(cls, text: str) -> Color:
        """The color of `#rrggbb`."""
        return cls(*bytes.fromhex(text.removeprefix("#")))

    def __str__(self) -> str:
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"

    @property
    def linear(self) -> tuple[float, float, float]:
        """Its light, 0 to 1."""
        return _LIGHT[self.red], _LIGHT[self.green], _LIGHT[self.blue]

    @property
    def luminance(self) -> float:
        """0 of black, 1 of white."""
        red, green, blue = self.linear
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def times(self, factor: float) -> Color:
        """Lighter or darker by a factor of each part."""
        return Color(*(min(_MOST, round(one * factor)) for one in self))

    def mixed(self, other: Color, share: float) -> Color:
        """With this share of another color over it."""
        return Color(*(round(one + (its - one) * share) for one, its in zip(self, other, strict=True)))


def _light(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


_LIGHT: Final = tuple(_light(value / _MOST) for value in range(_MOST + 1))
WHITE: Final = Color(_MOST, _MOST, _MOST)
BLACK: Final = Color(0, 0, 0)


def contrast(one: Color, other: Color) -> float:
    """1 to 21."""
    light, dark = sorted((one.luminance, other.luminance), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def distance(one: Color, other: Color) -> float:
    """How different two colors look: 0, to 1 of black and white."""
    return dist(_oklab(one), _oklab(other))


def nearest(wanted: Color, passes: Callable[[Color], bool]) -> Color | None:
    """The color nearest to the one that is wanted of those that pass; None where neither a lighter one nor a darker one
    does.

    From the first shade that passes on the way to white, and to black, it steps to nearer colors while they pass.
    """
    found = [_nearer(wanted, shade, passes) for end in (WHITE, BLACK) if (shade := _shade(wanted, end, passes))]
    return min(found, key=lambda color: distance(wanted, color), default=None)


def _shade(wanted: Color, end: Color, passes: Callable[[Color], bool]) -> Color | None:
    for step in range(_MOST + 1):
        shade = wanted.mixed(end, step / _MOST)
        if passes(shade):
            return shade
    return None


def _nearer(wanted: Color, shade: Color, passes: Callable[[Color], bool]) -> Color:
    reach = 16
    while reach:
        steps = [
            Color(*(_bounded(one + move) for one, move in zip(shade, moves, strict=True)))
            for moves in product((-reach, 0, reach), repeat=3)
        ]
        best = min((one for one in steps if passes(one)), key=lambda one: distance(wanted, one), default=shade)
        if distance(wanted, best) < distance(wanted, shade):
            shade = best
        else:
            reach //= 2
    return shade


def _bounded(value: int) -> int:
    return max(0, min(_MOST, value))


def _oklab(color: Color) -> tuple[float, float, float]:
    """The coordinates of Björn Ottosson's OKLab (2020)."""
    red, green, blue = color.linear
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )
