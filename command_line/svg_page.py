"""A page of SVG: lines, boxes and text, in the units of the page. Equal calls give equal bytes."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


class SvgPage:
    """Collects shapes; `text` is the file. A shape that comes later is above."""

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height = width, height
        self._title = title
        self._parts: list[str] = []

    def line(self, *points: tuple[float, float], color: str = "#000", width: float = 1.5, dash: str = "") -> None:
        """A line through these points."""
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._parts.append(
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="{_number(width)}"{dashed} '
            'stroke-linecap="round" stroke-linejoin="round"/>'
        )

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = "none",
        color: str = "#000",
        stroke: float = 1.2,
        round_by: float = 0,
    ) -> None:
        """A box by its upper left corner."""
        self._parts.append(
            f'<rect x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}" '
            f'rx="{_number(round_by)}" fill="{fill}" stroke="{color}" stroke-width="{_number(stroke)}"/>'
        )

    def dot(self, x: float, y: float, radius: float, *, fill: str = "#000", color: str = "#000") -> None:
        """A disc by its middle."""
        self._parts.append(
            f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}" fill="{fill}" stroke="{color}"/>'
        )

    def words(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 11,
        anchor: str = "start",
        bold: bool = False,
        color: str = "#000",
        after: str = "",
    ) -> None:
        """A line of text; `y` is its base line. `after` follows it, small and plain."""
        rest = ""
        if after:
            rest = f'<tspan font-size="9" font-weight="normal" fill="#444" dx="8">{escape(after)}</tspan>'
        weight = ' font-weight="bold"' if bold else ""
        self._parts.append(
            f'<text x="{_number(x)}" y="{_number(y)}" font-size="{_number(size)}" text-anchor="{anchor}" '
            f'fill="{color}"{weight}>{escape(text)}{rest}</text>'
        )

    def paragraph(
        self, x: float, y: float, rows: Sequence[str], *, size: float = 11, leading: float = 1.35, color: str = "#000"
    ) -> float:
        """Rows of text below each other; returns the base line of the next one."""
        for row in rows:
            self.words(x, y, row, size=size, color=color)
            y += size * leading
        return y

    def text(self) -> str:
        """The file."""
        width, height = _number(self.width), _number(self.height)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family={quoteattr(FONT)}>'
        )
        body = "\n".join(self._parts)
        background = f'<rect width="{width}" height="{height}" fill="#fff"/>'
        return f"{head}\n<title>{escape(self._title)}</title>\n{background}\n{body}\n</svg>\n"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
