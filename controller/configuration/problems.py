"""Problems of configuration files, with the place and the fix of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from hal.plain_text import plain

Path = tuple[str | int, ...]
"""The path of a value in a document: `("device", "wheel", "ball_sensors_deg", 1)`."""


class ConfigFinding(NamedTuple):
    """A problem at a path of one document, before its file and line are looked up."""

    path: Path
    wrong: str
    fix: str
    severity: Literal["error", "warning"] = "error"
    missing: bool = False
    """The key is missing. Not reported for a file with syntax errors, where the key may be on a wrong line."""


class Problem(NamedTuple):
    """A problem at a line of a file. The table runs in spite of a warning."""

    file: str
    line: int
    key: str
    wrong: str
    fix: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        start = "warning: " if self.severity == "warning" else ""
        return plain(f"{self.file}:{self.line}: {self.key}: {start}{self.wrong}; {self.fix}")


class ConfigurationErrors(Exception):  # noqa: N818 (it holds several)
    """All problems of the files that were loaded: one a line, in the order of the files."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def dotted(path: Path) -> str:
    """A path as a person writes it: `device.wheel.ball_sensors_deg[1]`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            name = part if part.replace("_", "").replace("-", "").isalnum() else repr(part)
            text += f".{name}" if text else name
    return text


def with_article(name: str) -> str:
    """A name with `a` or `an` before it, by its first letter."""
    return f"{'an' if name[:1] in {*'aeiou'} else 'a'} {name}"
