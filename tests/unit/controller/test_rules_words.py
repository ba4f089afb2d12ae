"""Every refusal and every threshold that cites a rule carries words that stand in that rule, letter for letter."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import controller.rules

FOLDER = Path(str(controller.rules.__file__)).parent / "data"
TEXTS = tomllib.loads((FOLDER / "sentences.toml").read_text())["sentences"]
"""The paragraphs of the rules, by their citation."""
DATA = sorted(path for path in FOLDER.glob("*.toml") if path.name != "sentences.toml")
THRESHOLDS = (
    "minimum_revolutions",
    "minimum_shakes",
    "minimum_inversions",
    "minimum_baffles",
    "dice_hours",
    "values_entered_at_opening",
    "operations_",
)
"""The numbers that a run, or an inspection, must reach."""


class Quoted(NamedTuple):
    """A value or a reason that cites a rule."""

    where: str
    cite: str
    words: str


def quoted(values: object, where: str) -> Iterator[Quoted]:
    """Every reason that is a refusal by a rule, and every threshold of one."""
    if isinstance(values, list):
        for number, one in enumerate(values):
            yield from quoted(one, f"{where}.{number}")
    elif isinstance(values, dict):
        cite = str(values.get("rule") or values.get("cite") or "")
        threshold = where.rpartition(".")[2].startswith(THRESHOLDS) and "[" not in str(values.get("value"))
        if "rule" in values or threshold or "words" in values:
            yield Quoted(where, cite, str(values.get("words", "")))
        for name, one in values.items():
            yield from quoted(one, f"{where}.{name}")


ALL = [one for path in DATA for one in quoted(tomllib.loads(path.read_text()), path.stem)]


@pytest.mark.parametrize("one", [one for one in ALL if one.cite != "ours"], ids=lambda one: one.where)
def test_a_refusal_by_a_rule_carries_words_that_the_rule_has(one: Quoted) -> None:
    assert one.words
    items = (text for cite, text in TEXTS.items() if cite.rstrip("ivx") == one.cite)  # 1.10(a)2i is an item of 1.10(a)2
    assert any(one.words in text for text in items)


@pytest.mark.parametrize("one", [one for one in ALL if one.cite == "ours"], ids=lambda one: one.where)
def test_what_is_ours_quotes_no_text(one: Quoted) -> None:
    assert one.words == ""


@pytest.mark.parametrize(
    "reason",
    ["too_few_inversions", "baffles_missed", "die_jammed", "tumbled_before_no_more_bets"],
)
@pytest.mark.parametrize("game", ["beat_the_dealer", "chuck_a_luck", "under_over"])
def test_a_text_that_only_has_the_dice_tumbled_refuses_no_tumble(game: str, reason: str) -> None:
    values: dict[str, Any] = tomllib.loads((DATA[0].parent / "njac-13_47-20-dice.toml").read_text())
    assert values[game]["reasons"][reason]["rule"] == "ours"
