"""The figures that are kept: `figures.toml`, one figure a line, each with the reason of its last renewal."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from tests.costs.counting import Cost

FILE: Final = Path(__file__).with_name("figures.toml")
VERSION: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
TOLERANCE: Final = 0.05
"""How much worse a figure may be (the project's own goal)."""
SLACK: Final = Cost(instructions=0, calls=0, peak_bytes=4096, kept_blocks=64)
"""Beyond that, for figures of memory that are small (ours): another build of Python rounds and caches otherwise, and
how high the peak is, and how many blocks stay, depends on addresses. A block that is kept for each event or edge is
more."""
HEAD: Final = """\
# What fixed scripts cost (tests/costs/scripts.py): `python -m tests.costs` compares, `--renew REASON` writes this file.
# instructions, calls: for 1,000 edges, or for one event, round or second (100 events of commit, feed-50 and history);
# peak_bytes, kept_blocks: for the whole script.
"""


class Kept(NamedTuple):
    """A figure, and why it is what it is."""

    figure: int
    reason: str


class Difference(NamedTuple):
    """A figure that is not as it is kept."""

    name: str
    """`script.what`."""
    kept: int | None
    """None where none is kept."""
    found: int | None
    """None where its script is no more."""

    @property
    def is_better(self) -> bool:
        """Whether it costs less; anything else is to be renewed before a change lands."""
        return self.kept is not None and self.found is not None and self.found < self.kept

    def __str__(self) -> str:
        if self.kept is None:
            return f"{self.name}: {self.found:,}, and no figure is kept"
        if self.found is None:
            return f"{self.name}: {self.kept:,} is kept, and no script counts it"
        change = f"{self.found / self.kept - 1:+.1%}" if self.kept > 0 else f"{self.found - self.kept:+}"
        return f"{self.name}: {self.kept:,} is kept, {self.found:,} counted ({change})"


def read(path: Path = FILE) -> dict[str, dict[str, Kept]]:
    """The figures of each minor version of Python, by name.

    Raises:
        ValueError: the file is not TOML, or a line has no figure or no reason; names the file and the line's key.
    """
    try:
        raw = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}; mend the line, or take the file of the last commit") from error
    return {
        version: {
            f"{script}.{what}": _kept(path, f"{version}.{script}.{what}", line)
            for script, lines in scripts.items()
            for what, line in lines.items()
        }
        for version, scripts in raw.items()
    }


def _kept(path: Path, key: str, line: object) -> Kept:
    match line:
        case {"figure": int(figure), "reason": str(reason)} if reason.strip():
            return Kept(figure, reason)
        case _:
            raise ValueError(f'{path}: {key}: expected {{ figure = 123, reason = "…" }}, found {line!r}')


def write(versions: Mapping[str, Mapping[str, Kept]], path: Path = FILE) -> None:
    """Writes the file again."""
    text = HEAD
    for version, figures in sorted(versions.items()):
        text += f'\n["{version}"]\n'
        for name, kept in figures.items():
            reason = json.dumps(kept.reason, ensure_ascii=False)
            text += f"{name} = {{ figure = {kept.figure}, reason = {reason} }}\n"
    path.write_text(text)


def figures_of(costs: Mapping[str, Cost]) -> dict[str, int]:
    """By name, `script.what`."""
    return {f"{name}.{what}": figure for name, cost in costs.items() for what, figure in cost._asdict().items()}


def differences(kept: Mapping[str, Kept], costs: Mapping[str, Cost]) -> list[Difference]:
    """The figures that are worse or better by more than `TOLERANCE`, and those of which one side is missing."""
    found = figures_of(costs)
    both = (
        Difference(name, kept[name].figure if name in kept else None, found.get(name)) for name in {**found, **kept}
    )
    return [one for one in both if _differs(one)]


def _differs(one: Difference) -> bool:
    if one.kept is None or one.found is None:
        return True
    slack: int = getattr(SLACK, one.name.rpartition(".")[2])
    return abs(one.found - one.kept) > max(TOLERANCE * abs(one.kept), slack)


def renewed(
    kept: Mapping[str, Kept], costs: Mapping[str, Cost], different: Iterable[Difference], reason: str
) -> dict[str, Kept]:
    """The figures with those that differ renewed; the others keep their line, so that small losses do not add up."""
    names = {one.name for one in different}
    return {name: Kept(figure, reason) if name in names else kept[name] for name, figure in figures_of(costs).items()}
