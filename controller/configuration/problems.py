"""Problems of configuration files, with the place and the fix of each."""

from __future__ import annotations

import difflib
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


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that a person most likely meant, if any is near."""
    names = list(known)
    folded = {_folded(name): name for name in names}
    wanted = _folded(word[:100])
    begun = [name for name in folded if wanted and name.startswith(wanted)]
    if len(begun) == 1:
        return folded[begun[0]]
    found = difflib.get_close_matches(wanted, list(folded), n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")


def suggestion(word: str, known: Iterable[str], noun: str) -> str:
    """The fix for an unknown name: the nearest known one, or the list of all."""
    names = list(known)
    near = nearest(word, names)
    if near is not None:
        return f'did you mean "{near}"?'
    if not names:
        return f"there is no {noun} here; remove it"
    listed = ", ".join(names)
    return f"the {noun}s here are {listed}" if len(names) > 1 else f"the only {noun} here is {listed}"


def with_article(name: str) -> str:
    """A name with `a` or `an` before it, by its first letter."""
    return f"{'an' if name[:1] in {*'aeiou'} else 'a'} {name}"
