"""Every requirement on dice, cards and machines has a test named after its id, or a line that says why not."""

from __future__ import annotations

import re
from pathlib import Path

from controller.rules.paragraphs import paragraphs

ROOT = Path(__file__).resolve().parents[2]
COUNTS = {"C": 10, "D": 14, "S": 20, "K": 32, "P": 6, "M": 5, "G": 11}
LABORATORY = [f"T2-{n}" for n in (*range(3, 9), *range(37, 53), *range(56, 62))]
IDS = [*(f"{letter}{number}" for letter, count in COUNTS.items() for number in range(1, count + 1)), *LABORATORY]
NAMED = re.compile(r"^def test_([cdskpmg][0-9]+|t2_[0-9]+)_", re.MULTILINE)


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


def test_every_requirement_is_tested_or_the_page_says_why_no_machine_can() -> None:
    known = with_tests() | told("Nothing of it")
    assert [requirement for requirement in IDS if requirement not in known] == []


def test_what_paragraphs_are_covered_by_is_a_requirement() -> None:
    assert {one.id for one in paragraphs().covered} <= set(IDS)


def test_the_page_has_every_note_on_our_copies() -> None:
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    section = page.split("## What our copies lack\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")][1:]
    assert dict(rows) == paragraphs().notes


def test_what_is_checked_in_part_is_tested() -> None:
    assert told("A part of it") <= with_tests()
