"""Every requirement on dice, cards and machines has a test named after its id, or a line that says why not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COUNTS = {"C": 10, "D": 13, "S": 20, "K": 27, "P": 6, "M": 5}
LABORATORY = [f"T2-{n}" for n in (*range(3, 9), *range(37, 53), *range(56, 62))]
IDS = [*(f"{letter}{number}" for letter, count in COUNTS.items() for number in range(1, count + 1)), *LABORATORY]
NAMED = re.compile(r"^def test_([cdskpm][0-9]+|t2_[0-9]+)_", re.MULTILINE)


def with_tests() -> set[str]:
    """The ids after which a test is named."""
    # What a text says is data, and shows nothing of what a table does.
    files = (path for path in (ROOT / "tests").rglob("test_*.py") if not path.stem.endswith("_texts"))
    texts = (path.read_text(encoding="utf-8") for path in files)
    return {found.upper().replace("_", "-") for text in texts for found in NAMED.findall(text)}


def told(heading: str) -> set[str]:
    """The ids in the first column of the table under a heading of the page."""
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    section = page.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    firsts = (line.split("|")[1] for line in section.splitlines() if line.startswith("|"))
    return {word.strip() for first in firsts for word in first.split(",")} & set(IDS)


@pytest.mark.parametrize("requirement", IDS)
def test_a_requirement_is_tested_or_the_page_says_why_no_machine_can(requirement: str) -> None:
    assert requirement in with_tests() | told("Nothing of it")


def test_what_is_checked_in_part_is_tested() -> None:
    assert told("A part of it") <= with_tests()
