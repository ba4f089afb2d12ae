"""What people and wires send stays in its line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.plain_text import is_plain, plain

BREAKS = ["\n", "\r", "\x0b", "\x0c", "\x1b", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\u2028", "\u2029"]
HIDDEN = ["\0", "\x7f", "\x9b", "\u200b", "\u202e", "\ufeff", "\ud800", "\U000e0001"]


@pytest.mark.parametrize("char", BREAKS + HIDDEN)
def test_line_breaks_and_what_cannot_be_seen_are_shown_as_escapes(char: str) -> None:
    assert not is_plain(f"a{char}b")
    assert plain(f"a{char}b").startswith("a\\")
    assert plain(f"a{char}b").endswith("b")


def test_an_escape_says_which_character_it_was() -> None:
    assert plain("a\nb\u2028c\U000e0001") == "a\\x0ab\\u2028c\\U000e0001"


def test_words_in_any_language_stay_as_they_are() -> None:
    for text in ("", "Zoë", "Ölçü 5 €", "дилер", "荷官 “ok”"):
        assert is_plain(text)
        assert plain(text) == text


@given(st.text())
def test_any_text_becomes_one_line_and_only_once(text: str) -> None:
    line = plain(text)
    assert is_plain(line)
    assert len(line.splitlines()) <= 1
    assert plain(line) == line
