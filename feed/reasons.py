"""What a reason code means and what to do, in the words of docs/reasons.md."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

_PAGES: Final = (
    Path(__file__).with_name("reasons.md"),
    Path(__file__).parents[1] / "docs" / "reasons.md",
)
"""In an installed package beside this module; in a checkout, the page itself."""
_CODE: Final = re.compile(r"`([a-z][a-z0-9_]*)`")
_LINK: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")


class Explained(NamedTuple):
    """One row of the page."""

    game: str
    event: str
    meaning: str
    to_do: str


@cache
def explained() -> dict[str, tuple[Explained, ...]]:
    """The rows of each code; a code may have one for each game.

    Raises:
        FileNotFoundError: the page is not installed.
    """
    page = next((path for path in _PAGES if path.is_file()), None)
    if page is None:
        raise FileNotFoundError("docs/reasons.md is not there: install feltwire again")
    found: dict[str, list[Explained]] = {}
    for row in page.read_text(encoding="utf-8").splitlines():
        if not row.startswith("| `"):
            continue
        cells = [_LINK.sub(r"\1", cell).replace("`", "").strip() for cell in row.strip().strip("|").split(" | ")]
        if len(cells) < 4:
            continue
        one = Explained(cells[1], cells[2], cells[3], cells[-1])
        for code in _CODE.findall(row.split(" | ")[0]):
            found.setdefault(code, []).append(one)
    return {code: tuple(rows) for code, rows in found.items()}


def meaning_of(code: str, event: str, game: str) -> tuple[str, str]:
    """What a code means in an event of a game, and what to do; empty where the page has no such code.

    `event` is `void`, `unresolved`, `fault`, `violation` or `warning`.
    """
    rows = explained().get(code, ())
    words = game.replace("_", " ")
    ranked = sorted(rows, key=lambda row: (event not in row.event, words not in row.game))
    return (ranked[0].meaning, ranked[0].to_do) if ranked else ("", "")
