"""`python -m benchmarks history [FIGURE]`: what runs of `make bench` have measured, by figure and machine.

Without a figure: the last run of each machine and kind of code (plain or compiled), beside the run of the same before
it. With a part of a figure's name: a table of all runs, for each figure that has it, each machine and kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.records import KeptFigure, Run
from benchmarks.report import scaled, times

ROW = "    {:<16} {:<9} {:>5} {:>12} {:>12} {:>9} {:<6} {}"
"""Date, commit, load, value, the peer's, ratio, mark, trend."""


def by_machine(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Runs of each machine and kind of code, oldest first."""
    machines: dict[str, list[Run]] = {}
    for run in runs:
        machines.setdefault(run.key, []).append(run)
    return machines


def figure_of(run: Run, key: str) -> KeptFigure | None:
    """A figure of a run, where it measured that."""
    return next((figure for figure in run.figures if figure.key == key), None)


def trend(now: KeptFigure, before: KeptFigure | None) -> str:
    """How a figure changed since an earlier run of the same machine and kind of code: `-4.2 % worse`."""
    if before is None:
        return ""
    if (now.ratio is None) != (before.ratio is None) or before.compared == 0:
        return "not comparable"
    change = now.compared / before.compared - 1
    if abs(change) < 0.0005:
        return "same"
    better = (change > 0) == (now.better == "more")
    return f"{change:+.1%} {'better' if better else 'worse'}"


def overview(runs: Sequence[Run]) -> Iterator[str]:
    """The last run of each machine and kind of code."""
    for machine, its in by_machine(runs).items():
        last, before = its[-1], its[-2] if len(its) > 1 else None
        since = "" if before is None else f"; the trend is since {before.shown_commit} of {before.date:%Y-%m-%d %H:%M}"
        yield f"{machine}: {last.shown_commit} of {last.date:%Y-%m-%d %H:%M}, load {last.load:.2f}, {last.code}{since}"
        for figure in last.figures:
            changed = trend(figure, None if before is None else figure_of(before, figure.key))
            value = "" if figure.value is None else f"{scaled(figure.value)} {figure.unit}"
            ratio = "" if figure.ratio is None else times(figure.ratio)
            yield f"  {figure.key:<86} {value:>22} {ratio:>9} {figure.mark or '':<6} {changed}".rstrip()
        yield ""


def tables(runs: Sequence[Run], part: str) -> Iterator[str]:
    """Every run, for each figure whose name has this part, and each machine and kind of code."""
    keys = dict.fromkeys(figure.key for run in runs for figure in run.figures if part.lower() in figure.key.lower())
    for key in keys:
        yield key
        ratios = []
        for machine, its in by_machine(runs).items():
            measured = [(run, figure) for run in its if (figure := figure_of(run, key)) is not None]
            if not measured:
                continue
            yield f"  {machine}"
            unit = measured[-1][1].unit
            yield ROW.format("date", "commit", "load", unit[:12], "peer", "ratio", "", "since the run before").rstrip()
            before = None
            for run, figure in measured:
                yield _row(run, figure, before)
                before = figure
            last = measured[-1][1]
            if last.ratio is not None:
                ratios.append(f"{times(last.ratio)} on {machine}")
        if len(ratios) > 1:
            yield f"  last ratios: {'; '.join(ratios)}"
        yield ""


def _row(run: Run, figure: KeptFigure, before: KeptFigure | None) -> str:
    return ROW.format(
        f"{run.date:%Y-%m-%d %H:%M}",
        run.shown_commit,
        f"{run.load:.2f}",
        "" if figure.value is None else scaled(figure.value),
        "" if figure.peer_value is None else scaled(figure.peer_value),
        "" if figure.ratio is None else times(figure.ratio),
        figure.mark or "",
        trend(figure, before),
    ).rstrip()
