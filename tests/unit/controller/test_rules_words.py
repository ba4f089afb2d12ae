"""What cites a rule carries words that stand in that rule, letter for letter: refusals, numbers, checks and calls."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import controller.rules
from controller.rules.profile import FILES, profile
from controller.rules.sentences import citations_in

ROOT = Path(__file__).parents[3]
FOLDER = Path(str(controller.rules.__file__)).parent / "data"
TEXTS: dict[str, str] = tomllib.loads((FOLDER / "sentences.toml").read_text())["sentences"]
"""The paragraphs of the rules, by their citation."""
DATA = sorted(
    path for path in FOLDER.glob("*.toml") if path.name not in ("sentences.toml", "paragraphs.toml", "authority.toml")
)
TABLES = ("odds", "odds_on_one", "odds_on_two", "odds_on_three")
"""Numbers of tables that the sentences leave out."""


class Quoted(NamedTuple):
    """A value, a check or a reason that cites a rule."""

    where: str
    cite: str
    words: str


def everything(values: object, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every table of a profile, with the path to it."""
    if isinstance(values, list):
        for number, one in enumerate(values):
            yield from everything(one, f"{where}.{number}")
    elif isinstance(values, dict):
        yield where, values
        for name, one in values.items():
            yield from everything(one, f"{where}.{name}")


ALL = [one for path in DATA for one in everything(tomllib.loads(path.read_text()), path.stem)]


def quoted() -> Iterator[Quoted]:
    """Every refusal by a rule, every number of one, and every check that a rule asks for."""
    for where, values in ALL:
        name = where.rpartition(".")[2]
        number = type(values.get("value")) in (int, float) and name not in TABLES
        if number or "rule" in values or "check" in values or "words" in values:
            yield Quoted(where, str(values.get("rule") or values.get("cite") or ""), str(values.get("words", "")))


QUOTED = list(quoted())
CALLS = [(where, values) for where, values in ALL if where.endswith((".call", ".no_roll")) and values["cite"] != "ours"]
READINGS = [(where, values["reading"]) for where, values in ALL if "reading" in values]


def paragraphs(cite: str) -> list[str]:
    """The paragraphs of a citation, and their items: 1.10(a)2i is one of 1.10(a)2, and 1.2(a)1ii has its own (1)."""
    cited = [re.sub(r"\(\d+\)$", "", one) for one in citations_in(cite)]
    return [text for known, text in TEXTS.items() if known in cited or known.rstrip("ivx") in cited]


def test_what_cites_a_rule_carries_words_that_the_rule_has() -> None:
    cited = [one for one in QUOTED if one.cite != "ours"]
    unsupported = [one for one in cited if not (one.words and any(one.words in text for text in paragraphs(one.cite)))]
    assert unsupported == []


def test_what_is_ours_quotes_no_text() -> None:
    assert [one for one in QUOTED if one.cite == "ours" and one.words] == []


@pytest.mark.parametrize(("where", "values"), CALLS, ids=[where for where, _ in CALLS])
def test_what_the_dealer_calls_by_a_rule_stands_in_it(where: str, values: dict[str, Any]) -> None:
    # The texts write the calls with a capital letter or without.
    assert any(values["value"].lower() in text.lower() for text in paragraphs(values["cite"]))


def test_the_check_finds_every_kind_of_citation() -> None:
    assert len(QUOTED) > 150
    assert len(CALLS) > 15
    assert len(READINGS) > 10


@pytest.mark.parametrize(
    "reason",
    ["too_few_inversions", "baffles_missed", "die_jammed", "tumbled_before_no_more_bets"],
)
@pytest.mark.parametrize("game", ["beat_the_dealer", "chuck_a_luck", "under_over"])
def test_a_text_that_only_has_the_dice_tumbled_refuses_no_tumble(game: str, reason: str) -> None:
    values: dict[str, Any] = tomllib.loads((FOLDER / "njac-13_47-20-dice.toml").read_text())
    assert values[game]["reasons"][reason]["rule"] == "ours"


@pytest.mark.parametrize(("where", "reading"), READINGS, ids=[where for where, _ in READINGS])
def test_a_reading_of_ours_is_on_the_auditors_page(where: str, reading: str) -> None:
    assert reading in (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")


WHEELS = ("money_wheel", "roulette")
DICE = ("beat_the_dealer", "chuck_a_luck", "under_over", "sic_bo", "craps", "mini_craps")
CARDS = ("blackjack", "multi_action_blackjack", "caribbean_stud", "let_it_ride", "joker_seven")
GAMES = (*WHEELS, *DICE, "baccarat", "mini_baccarat", "red_dog", *CARDS)


@pytest.mark.parametrize("game", GAMES)
def test_the_auditors_page_has_which_text_a_game_is_played_by(game: str) -> None:
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{game}` |"))
    for name, cell in zip(FILES, row.split("|")[2:], strict=False):
        text = profile(name).texts.get(game)
        assert cell.strip().startswith("refused") == (text is None)
        assert text is None or cell.split(",")[0].strip() == text["section"].partition("-")[2]


def test_the_auditors_page_has_no_reading_that_the_profiles_lack() -> None:
    page = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
    rows = page.split("## How we read the texts\n", 1)[1].split("\n## ", 1)[0]
    shown = [line.split("|")[3].strip() for line in rows.splitlines() if line.startswith("| ")][1:]
    assert sorted(shown) == sorted({reading for _, reading in READINGS})
