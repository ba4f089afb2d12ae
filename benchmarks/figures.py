"""What a benchmark reports: a rate next to another, and whether the ratio is what we promise."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.measure import Timings


@dataclass(frozen=True, slots=True)
class RateFigure:
    """One line of the report."""

    name: str
    rate: float
    """Median amount a second."""
    peer: str
    peer_rate: float
    ratio: float
    """Median of the ratios of each round; near the quotient of the two rates, but steadier."""
    target: float | None
    """The least ratio that we promise (ours); None where nothing is promised."""
    peak_bytes: int

    @property
    def met(self) -> bool:
        """Whether the target is met; true where there is none."""
        return self.target is None or self.ratio >= self.target


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as a line shows it, and as the history keeps it."""

    number: float
    unit: str
    form: str = ",.0f"
    """How the number is written (a format specification)."""
    label: str = ""
    """What it is, where the line's name is not enough: `p99`, or the name of a peer."""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.label, f"{self.number:{self.form}}", self.unit)))


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One line of what waits for disks, sockets and processes."""

    name: str
    value: str | Quantity | tuple[Quantity, ...]
    """Text where there is no number that a history could keep."""
    beside: str | Quantity = ""
    """What it is next to; a peer or limit is a quantity, text is a remark."""
    ratio: float | None = None
    most: float | None = None
    """The greatest ratio that we promise; None where that is not promised."""
    least: float | None = None
    """The least ratio that we promise; None where that is not promised."""
    more_is_better: bool = False
    """Of the ratio, or of the value where there is none."""

    @property
    def goal(self) -> float | None:
        """The ratio that we promise; None where nothing is promised."""
        return self.most if self.least is None else self.least

    @property
    def met(self) -> bool:
        """Whether the target is met; true where there is none."""
        if self.ratio is None:
            return True
        return (self.most is None or self.ratio <= self.most) and (self.least is None or self.ratio >= self.least)


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that were measured in turns with each other."""

    title: str
    unit: str
    """What the rates count, a second."""
    note: str
    """What was run."""
    figures: tuple[RateFigure, ...]


def figure(timings: Timings, name: str, peer: str, target: float | None = None) -> RateFigure:
    """The figure of one subject next to another of the same turns."""
    rate, peer_rate = timings.rate(name), timings.rate(peer)
    return RateFigure(name, rate, peer, peer_rate, timings.ratio(name, peer), target, timings.peaks[name])


def absolute(timings: Timings, name: str, limit: str, limit_rate: float, target: float | None = None) -> RateFigure:
    """The figure of one subject next to a fixed rate."""
    rate = timings.rate(name)
    return RateFigure(name, rate, limit, limit_rate, rate / limit_rate, target, timings.peaks[name])
