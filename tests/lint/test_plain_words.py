"""Pages, messages and docstrings in plain English: turns of phrase that CONTRIBUTING.md replaces stay out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

INSTEAD = {
    r"\banew\b": "again; restart",
    r"\bcount(?:s|ed)? for nothing\b": "does not count",
    r"\bbe had\b": "be opened, read, reached",
    r"\b(?:for|after|within) so (?:long|many)\b(?! (?:as|that))": "for this long; this many",
    r"\bso (?:long|many) (?:after|before)\b": "this long after",
    r"\bmend(?:s|ed|ing)?\b": "fix a file or a program; repair a device",
    r"\bbut for\b": "except for",
    r"\b(?:stands?|stood|lies?) (?:behind|beside|between|in)\b": "is after, beside, between, in",
    r"\b(?:stands|stood) (?:here|there)\b": "is here, there",
    r"\bwhat is said\b": "what is reported",
    r"\b(?:it|that|this|which) (?:is|was) no (?!good\b|matter\b|more\b|such\b|\w+er\b)\w+": "is not a",
    r"\bgoes on (?:from|where)\b": "continues",
}
"""Each turn of phrase, and what to write instead."""
WORDS = re.compile("|".join(f"(?:{one})" for one in INSTEAD))
PAGES = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "docs/**/*.md", "firmware/wire/messages.toml"),
    *("scoreboard/page/**/*.js*", "systemd/**/*", "tests/*.sh"),
)
NOT_SO = re.compile(r"^\| write \| not \|\n(?:\|.*\n)+", re.MULTILINE)
"""The table of these turns of phrase in CONTRIBUTING.md, which has them all."""


def replaced(text: str) -> Iterator[str]:
    """Every such turn of phrase in a text, in lower case: its line, its words, and what to write instead."""
    text = NOT_SO.sub(lambda table: "\n" * table[0].count("\n"), text)
    for found in WORDS.finditer(text.lower()):
        write = next(words for one, words in INSTEAD.items() if re.fullmatch(one, found[0]))
        yield f"{text.count(chr(10), 0, found.start()) + 1}: {found[0]!r}; write: {write}"


def _read_by_people() -> Iterator[Path]:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    for pattern in (*PAGES, *(f"{one}/**/*.py" for one in tools["hatch"]["build"]["targets"]["wheel"]["packages"])):
        found = (path for path in sorted(ROOT.glob(pattern)) if path.is_file())
        yield from (path for path in found if not {"proofs", "__pycache__"} & set(path.parts))


def test_pages_messages_and_docstrings_have_none_of_these_turns_of_phrase() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{one}"
        for path in _read_by_people()
        for one in replaced(path.read_text(encoding="utf-8"))
    ]
    assert found == [], "\n".join(found)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("begun\nanew", "2: 'anew'; write: again; restart"),
        ("It counts for nothing.", "1: 'counts for nothing'; write: does not count"),
        ("the port cannot be had", "1: 'be had'; write: be opened, read, reached"),
        ("silent for so long", "1: 'for so long'; write: for this long; this many"),
        ("it closes so long after it", "1: 'so long after'; write: this long after"),
        ("Mend the file.", "1: 'mend'; write: fix a file or a program; repair a device"),
        ("all but for one", "1: 'but for'; write: except for"),
        ("the file lies in it", "1: 'lies in'; write: is after, beside, between, in"),
        ("the value stands there", "1: 'stands there'; write: is here, there"),
        ("What is said of it", "1: 'what is said'; write: what is reported"),
        ("it is no journal", "1: 'it is no journal'; write: is not a"),
        ("play goes on where it was", "1: 'goes on where'; write: continues"),
    ],
)
def test_each_is_found_and_has_its_replacement(text: str, line: str) -> None:
    assert list(replaced(text)) == [line]


def test_the_table_that_replaces_them_is_left_alone() -> None:
    assert list(replaced("| write | not |\n|---|---|\n| fix it | mend it |\n\nMend it.")) == [
        "5: 'mend'; write: fix a file or a program; repair a device"
    ]


def test_what_only_resembles_one_is_left_alone() -> None:
    plain = "the outcome stands; the dealer stands on 17; so long as it is open; it is no longer there; it amended this"
    assert list(replaced(plain)) == []
