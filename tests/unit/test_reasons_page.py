"""docs/reasons.md against the code, both ways: every code that can be published is explained, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, get_args

import pytest

from controller.rules.cited import OURS
from controller.rules.profile import FILES, profile
from controller.rules.sentences import citations_in, cited_text
from drivers.dice.observations import KeyRefusal, ReaderDoubtReason
from feed.codes import CODES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reasons.md").read_text(encoding="utf-8")
ROOMS: Final = ("controller", "drivers", "feed")
LIST: Final = ROOT / "feed" / "codes.py"
"""Names all codes, whether anything publishes them or not."""
EVENTS: Final = ("void", "unresolved", "fault", "violation", "warning", "notice")
COMPOSED: Final = {
    *(f"key_{reason}" for reason in get_args(KeyRefusal)),
    *(f"reader_{reason}" for reason in get_args(ReaderDoubtReason)),
    *("dice_bias", "wheel_bias"),
}
"""Codes of which the code has only a part as a word."""


def rows() -> Iterator[tuple[list[str], list[str]]]:
    """The codes of a row, and its other cells."""
    for line in PAGE.splitlines():
        if line.startswith("| `"):
            first, *others = [cell.strip() for cell in line.strip("|").split("|")]
            yield re.findall(r"`([a-z_]+)`", first), others


ROWS = list(rows())
EXPLAINED = {code for codes, _ in ROWS for code in codes}
RULES = {name: {game: text for game, text in profile(name).texts.items() if "reasons" in text} for name in FILES}
"""Every game with its reasons, by the profile."""
assert sum(len(games) for games in RULES.values()) >= 9


def words_of_code() -> set[str]:
    """Every text in the code, and every reason of the rules."""
    found = {reason for games in RULES.values() for text in games.values() for reason in text["reasons"]}
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py") if path != LIST):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= set(re.findall(r"^[a-z_]+\b", node.value))
    return found


@pytest.mark.long
def test_the_page_explains_no_code_that_nothing_publishes() -> None:
    unknown = sorted(EXPLAINED - COMPOSED - words_of_code())
    assert unknown == [], f"docs/reasons.md: remove the rows of {unknown}, which no code and no rule gives"
    lacking = sorted(COMPOSED - EXPLAINED)
    assert lacking == [], f"docs/reasons.md: write a row for {lacking}"


def test_every_reason_of_the_rules_is_explained() -> None:
    given = {reason for games in RULES.values() for text in games.values() for reason in text["reasons"]}
    lacking = sorted(given - EXPLAINED)
    assert lacking == [], f"docs/reasons.md: write a row for {lacking}, reasons of controller/rules/data"
    assert set(CODES) == EXPLAINED, (
        f"feed/codes.py and docs/reasons.md: write a row for {sorted(set(CODES) - EXPLAINED)}, "
        f"and a line of CODES for {sorted(EXPLAINED - set(CODES))}"
    )


def test_every_row_names_its_events_and_has_every_cell() -> None:
    for codes, cells in ROWS:
        row = f"docs/reasons.md, row {', '.join(codes)}"
        assert len(cells) == 5, f"{row}: write five cells after the code, as in the table's head; it has {len(cells)}"
        assert all(cells), f"{row}: fill the empty cell"
        assert any(event in cells[1] for event in EVENTS), f"{row}: its third cell names one of {', '.join(EVENTS)}"


@pytest.mark.parametrize("profile_name", FILES)
def test_a_row_cites_the_rule_of_every_profile_or_is_ours(profile_name: str) -> None:
    for text in RULES[profile_name].values():
        for reason, known in text["reasons"].items():
            cells = " ".join(cells[3] for codes, cells in ROWS if reason in codes)
            if known["rule"] == OURS:
                assert "ours" in cells, f"docs/reasons.md, {reason}: write `ours` as its rule, for {text['section']}"
            else:
                cited = set(citations_in(cells))
                assert known["rule"] in cited, (
                    f"docs/reasons.md, {reason}: write {known['rule']} as its rule, for {text['section']}, not {cited}"
                )


def test_every_citation_on_the_page_has_its_words() -> None:
    for _, cells in ROWS:
        for cite in citations_in(cells[3]):
            assert cited_text(cite).paragraphs, (
                f"controller/rules/data/sentences.toml lacks the words of {cite}: write them"
            )
