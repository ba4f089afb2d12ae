"""The version of a build.

| state of the checkout                       | version                              |
|---------------------------------------------|--------------------------------------|
| the commit has the tag `v0.2.0`             | `0.2.0`                              |
| any other commit                            | `0.2.0+git20261128.071519`           |
| changes that are not committed              | `0.2.0+git20261128.071519.changed`   |

`dpkg` sorts them in this order. A package's version ends in that of its system (`+deb12`), which sorts before `+git`.
"""

from __future__ import annotations

import os
import re
import tomllib
from datetime import UTC, datetime
from itertools import takewhile
from pathlib import Path
from typing import Final, NamedTuple

from systemd.package.systems import ROOT, BuildError, run

PROJECTS: Final = ("pyproject.toml", "feed/pyproject.toml")
"""Where the version is written for pip; each has to be that of the tag."""
CHANGELOG: Final = "CHANGELOG.md"
UNRELEASED: Final = "## Unreleased"
_HEADING: Final = re.compile(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", re.MULTILINE)


class Version(NamedTuple):
    """What the package is called, and when its content was made."""

    text: str
    made: datetime
    commit: str | None = None
    """None outside of a repository."""
    changed: bool = False
    """Whether there are changes that are not committed."""

    @property
    def epoch(self) -> int:
        """Seconds since 1970: the time of every file of the package (`SOURCE_DATE_EPOCH`)."""
        return int(self.made.timestamp())


def version(root: Path = ROOT) -> Version:
    """The version of a checkout, with the time of its commit, which grows with the history.

    `SOURCE_DATE_EPOCH` replaces the time.

    Raises:
        BuildError: the commit's tag has another number than the project.
    """
    number = project_number(root)
    commit = _git(root, "rev-parse", "HEAD")
    changed = bool(commit and _git(root, "status", "--porcelain", "--untracked-files=no"))
    given = os.environ.get("SOURCE_DATE_EPOCH")
    seconds = given or (_git(root, "log", "-1", "--format=%ct") if commit else None)
    if seconds is None:
        newest = max(path.stat().st_mtime for path in root.rglob("*.py") if ".venv" not in path.parts)
        seconds = str(int(newest))
    made = datetime.fromtimestamp(int(seconds), UTC)
    tagged = release_tag(root)
    if tagged is not None and tagged != f"v{number}":
        raise BuildError(f"the commit has the tag {tagged}, and pyproject.toml has version {number}: make them agree")
    if tagged is not None and not changed:
        return Version(number, made, commit)
    return Version(f"{number}+git{made:%Y%m%d.%H%M%S}{'.changed' if changed else ''}", made, commit, changed)


def project_number(root: Path = ROOT) -> str:
    """The number that every file of the project gives.

    Raises:
        BuildError: two of them differ.
    """
    numbers = {name: str(tomllib.loads((root / name).read_text())["project"]["version"]) for name in PROJECTS}
    numbers[CHANGELOG] = newest_section(root)[0]
    if len(set(numbers.values())) != 1:
        found = ", ".join(f"{name} has {number}" for name, number in numbers.items())
        raise BuildError(f"one version, please: {found}")
    return numbers[CHANGELOG]


def newest_section(root: Path = ROOT) -> tuple[str, str]:
    """Version and day of the newest release in the change log.

    Raises:
        BuildError: it has none.
    """
    found = _HEADING.search((root / CHANGELOG).read_text(encoding="utf-8"))
    if found is None:
        raise BuildError(f"{CHANGELOG}: no section of a release; write one as `## 1.2.3 (2026-01-31)`")
    return found[1], found[2]


def changes_of(number: str, root: Path = ROOT) -> str:
    """What the change log has of a release, without its heading.

    Raises:
        BuildError: it has nothing of it.
    """
    text = (root / CHANGELOG).read_text(encoding="utf-8")
    for heading in _HEADING.finditer(text):
        if heading[1] == number:
            body = text[heading.end() :]
            following = re.search(r"^## ", body, re.MULTILINE)
            return body[: following.start() if following else None].strip()
    raise BuildError(
        f"{CHANGELOG}: no section of {number}; write what a user notices under a heading such as "
        f"`## {number} (2026-01-31)`"
    )


def unreleased(root: Path = ROOT) -> tuple[int, int]:
    """How many entries the change log has under `## Unreleased`, and the line of that heading; 0, 0 without one."""
    lines = (root / CHANGELOG).read_text(encoding="utf-8").splitlines()
    try:
        heading = lines.index(UNRELEASED)
    except ValueError:
        return 0, 0
    section = takewhile(lambda line: not line.startswith("## "), lines[heading + 1 :])
    return sum(line.startswith(("- ", "* ")) for line in section), heading + 1


def release_tag(root: Path = ROOT) -> str | None:
    """The tag of a release at the commit, such as `v0.2.0`; None where there is none."""
    tags = (_git(root, "tag", "--points-at", "HEAD") or "").split()
    releases = sorted(tag for tag in tags if re.fullmatch(r"v\d+\.\d+\.\d+", tag))
    if len(releases) > 1:
        raise BuildError(f"the commit has the tags {', '.join(releases)}: a release has one")
    return releases[0] if releases else None


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints; None outside of a repository.

    Raises:
        BuildError: it refuses a repository, such as that of another user.
    """
    if not (root / ".git").exists():
        return None
    return run(["git", "-C", str(root), *arguments]).strip()
