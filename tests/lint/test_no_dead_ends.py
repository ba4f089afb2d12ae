"""A list of parts leads to a part: no page leaves the order number to the reader, or takes whatever fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/**/*.md", "README.md", "firmware/hardware/*.py", "controller/boards/sheets/*.toml")
DEAD_END = re.compile(r"look (?:it|them) up|any that (?:is|are) as described|\bTBD\b")


def dead_ends(text: str) -> Iterator[str]:
    """Each of them: its line, its words."""
    for found in DEAD_END.finditer(text):
        yield f"{text.count(chr(10), 0, found.start()) + 1}: {found[0]!r}"


def test_no_list_of_parts_ends_in_a_dead_end() -> None:
    paths = sorted(path for pattern in PAGES for path in ROOT.glob(pattern))
    assert len(paths) > 80
    found = [
        f"{path.relative_to(ROOT)}:{each}" for path in paths for each in dead_ends(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "onsemi 1N5822G (not found: look it up)",
        "| gear motor | any that is as described |",
        "a relay, TBD",
        "look them up",
    ],
)
def test_each_is_found(text: str) -> None:
    assert list(dead_ends(f"a\n{text}"))
    assert next(dead_ends(f"a\n{text}")).startswith("2: ")
