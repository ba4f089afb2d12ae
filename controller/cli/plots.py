"""Small plots for a terminal: a bar for each value that was measured, and where the file has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from drivers.base.movement import PlotRow

WIDTH = 40


def plot(rows: Sequence[PlotRow], width: int = WIDTH) -> Iterator[str]:
    """The rows as text. Angles share one scale, so that they are beside each other as on the device.

    ball_1     0.0°  |#.......................................|  file: 0°
    ball_2    81.2°  |.........#..............................|  file: 80°
    """
    if not rows:
        return
    label = max(len(row.label) for row in rows)
    for row in rows:
        low, high = _scale(row, rows)
        cells = ["·"] * width
        if row.expected is not None:
            cells[_cell(row.expected, low, high, width)] = "|"
        cells[_cell(row.value, low, high, width)] = "#"
        file = "" if row.expected is None else f"  file: {row.expected:g}{_unit(row)}"
        yield f"{row.label:<{label}}  {row.value:>8.2f}{_unit(row):<7} {''.join(cells)}{file}".rstrip()


def _unit(row: PlotRow) -> str:
    return row.unit if row.unit in ("", "°") else f" {row.unit}"


def _scale(row: PlotRow, rows: Sequence[PlotRow]) -> tuple[float, float]:
    """The least and the greatest value of a row's scale: a whole turn for angles on a circle, otherwise what is
    there."""
    alike = [one for one in rows if one.unit == row.unit]
    values = [value for one in alike for value in (one.value, one.expected) if value is not None]
    if row.unit == "°" and max(values) > 20:
        return 0.0, 360.0
    low, high = min(0.0, *values), max(0.0, *values)
    spare = (high - low) * 0.1 or 1.0
    return (low - spare if low < 0 else 0.0), high + spare


def _cell(value: float, low: float, high: float, width: int) -> int:
    share = (value - low) / (high - low)
    return min(width - 1, max(0, int(share * width)))
