"""The words of every rule that is cited can be printed, with the date and the source of the text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib import resources
from typing import Any

import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.rules.profile import FILES
from controller.rules.sentences import NoSentenceError, citations_in, cited_text, sentences


def rule(cite: str) -> Result:
    return CliRunner(env={"COLUMNS": "80"}).invoke(main, ["rule", cite], catch_exceptions=False)


def cites(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key in ("cite", "rule") and isinstance(item, str):
                yield item
            else:
                yield from cites(item)
    elif isinstance(value, list):
        for item in value:
            yield from cites(item)


def test_a_cited_rule_is_printed_with_what_leads_to_it_its_date_and_its_source() -> None:
    result = rule("13:47-20.32(m)1")
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    assert words.startswith(
        "13:47-20.32(m)1 Rules of the game of roulette Irregularities in the game of roulette shall"
    )
    assert 'spun in the same direction as the wheel, the dealer shall announce "No spin"' in words
    assert "N.J.A.C. 13:47-20" in words
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert "effective March 19, 2012" in rule("13:69F-9.5(d)1").stdout


def test_each_section_is_printed_with_its_own_date_and_source() -> None:
    adopted = " ".join(rule("13:47-20.32(m)1").stdout.split())
    assert adopted.endswith("N.J.A.C. 13:47-20 as adopted; the adoption, undated in our copy")
    codified = " ".join(rule("13:47-20.33(a)1").stdout.split())
    assert codified.endswith("13:47-20.33 as codified; current through Register Vol. 56, No. 18, September 16, 2024")


def test_a_section_with_a_source_of_its_own_is_one_that_is_cited() -> None:
    for chapter, text in sentences().texts.items():
        for number in text.sections:
            assert f"{chapter}-{number}" in sentences().sentences


def test_several_citations_are_printed_one_after_the_other() -> None:
    words = rule("13:47-20.21(c)1, 20.24(d)2").stdout
    assert words.index("beat the dealer") < words.index("13:47-20.24(d)2") < words.index("tumbled in the cage or chute")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("13:47-20.33(c)2, (d)", ["20.33(c)2", "20.33(d)"]),
        ("13:47-20.25(b)2, (e)2-3", ["20.25(b)2", "20.25(e)2", "20.25(e)3"]),
        ("13:47-20.25(b)2ii, ix", ["20.25(b)2ii", "20.25(b)2ix"]),
        ("13:47-20.25(h)1ii(3), iv(3)", ["20.25(h)1ii(3)", "20.25(h)1iv(3)"]),
        ("13:47-20.32(e)1i-iii, (k)", ["20.32(e)1i", "20.32(e)1ii", "20.32(e)1iii", "20.32(k)"]),
        ("13:47-20.31(d)7, 9, 20.2 and 20.21(c)1", ["20.31(d)7", "20.31(d)9", "20.2", "20.21(c)1"]),
        ("ours; 13:47-20.29(b)4, i.e. 4, is silent", ["20.29(b)4"]),
        ("13:47-20.15(c), 30 seconds", ["20.15(c)"]),
        ("13:47-20.25(b)2, 30 seconds", ["20.25(b)2"]),
        ("13:47-20.25(b)2, 30-second pause", ["20.25(b)2"]),
        ("13:47-20.25(b)2ii, i.e. four", ["20.25(b)2ii"]),
        ("13:47-20.25(b)2 - the dice", ["20.25(b)2"]),
        ("13:47-20.2, 20.9(c)-(d)", ["20.2", "20.9(c)", "20.9(d)"]),
        ("13:47-20.9(c) - (d)", ["20.9(c)", "20.9(d)"]),
        ("13:47-20.25(g)2–4, 5.", ["20.25(g)2", "20.25(g)3", "20.25(g)4", "20.25(g)5"]),
        ("13:47-20.25(b)2ix-xii", ["20.25(b)2ix", "20.25(b)2x", "20.25(b)2xi", "20.25(b)2xii"]),
        ("13:47-20.9(c)- (d)", ["20.9(c)", "20.9(d)"]),
        ('cite = "13:47-20.9(c)-(d)"', ["20.9(c)", "20.9(d)"]),
        ("of 19:47-1.9(b)1-2. The", ["1.9(b)1", "1.9(b)2"]),
        ("13:47-20.9(c)-x. The", ["20.9(c)-x"]),
        ("13:47-20.25(h)1ii(1)-(3)", ["20.25(h)1ii(1)", "20.25(h)1ii(2)", "20.25(h)1ii(3)"]),
        ("13:47-20.25(e)2-(e)3, 4", ["20.25(e)2", "20.25(e)3", "20.25(e)4"]),
        ("13:47-20.33(c)2 and (d)", ["20.33(c)2", "20.33(d)"]),
        ("by 19:47-1.10(b), (c) all wagers are settled", ["1.10(b)", "1.10(c)"]),
        ("13:47-20.33(c)2; (d)", ["20.33(c)2", "20.33(d)"]),
    ],
)
def test_shortened_citations_are_completed(words: str, found: list[str]) -> None:
    assert [one.partition("-")[2] for one in citations_in(words)] == found


@pytest.mark.parametrize(
    "span",
    ["(e)2-3ii", "(e)2-400000", "(e)3-2", "(e)2-2", "(e)2-i", "(a)-(b)2", "(b)2i-iiii", "(b)2-x.1", "-20.26"],
)
def test_a_span_whose_end_is_not_understood_is_named_and_nothing_of_it_is_left_out(span: str) -> None:
    cite = f"13:47-20.25{span}"
    assert citations_in(f"{cite}, 20.24(e)") == [cite, "13:47-20.24(e)"]
    result = rule(cite)
    assert result.exit_code == 2
    assert f"'{cite}' has not the form of a citation" in result.stderr
    assert result.stdout == ""


def test_every_paragraph_of_a_span_of_letters_is_printed() -> None:
    result = rule("19:47-1.6(a)-(d)")
    assert result.exit_code == 0
    assert all(f"19:47-1.6({letter})\n" in result.stdout for letter in "abcd")


def test_the_rule_of_an_outcome_at_under_over_is_printed_whole() -> None:
    words = rule("13:47-20.33(c)2, (d)").stdout
    assert words.index("winners are determined") < words.index("The payout odds in the game of under/over")


def test_where_one_of_several_has_no_words_the_others_are_printed_and_it_is_named() -> None:
    result = rule("13:47-20.25(b)2, (e)3, 9")
    assert result.exit_code == 2
    assert "Offering at least five dice" in result.stdout
    assert "the words of 13:47-20.25(e)9 are not here" in result.stderr


def test_an_item_of_a_paragraph_stands_in_its_words() -> None:
    assert "a total of 12 is thrown" in " ".join(rule("13:47-20.25(h)1ii(3)").stdout.split())


@pytest.mark.parametrize(
    ("cite", "why"),
    [
        ("foo", "'foo' has not the form of a citation such as 13:47-20.32(m)1"),
        ("ours", "no text gives what is ours: the house's own rules and numbers are in docs/audit.md"),
        ("house rule", "no text gives what is ours: the house's own rules and numbers are in docs/audit.md"),
        ("13:48-1.2(a)", "13:48 is not a text of ours; there are 13:47, 19:47, 13:69F"),
        (
            "13:47-20.32(m)9",
            "13:47-20.32(m)9 are not here; of 13:47-20.32(m) there are 13:47-20.32(m)1, 13:47-20.32(m)2",
        ),
        ("13:47-20.99(a)", "13:47-20.99(a) are not here; the sections whose words are here: 13:47-6.11, 13:47-6.25, "),
    ],
)
def test_a_citation_without_words_is_refused_and_says_what_there_is(cite: str, why: str) -> None:
    result = rule(cite)
    assert result.exit_code == 2
    assert why in result.stderr


def cited_by_the_data() -> set[str]:
    texts = resources.files("controller.rules").joinpath("data")
    names = {file for files in FILES.values() for file in files}
    return {cite for name in names for cite in cites(tomllib.loads(texts.joinpath(name).read_text(encoding="utf-8")))}


def test_every_piece_that_the_rules_data_cites_is_found() -> None:
    """Whatever stands between commas and dashes is the end of a citation, and all begins with the chapter."""
    seen = 0
    for cite in cited_by_the_data() - {"ours"}:
        chapter, _, rest = cite.partition("-")
        pieces = [piece.strip() for piece in re.split("[,–-]", rest)]
        found = citations_in(cite)
        assert len(found) >= len(pieces), cite
        for piece in pieces:
            assert [one for one in found if one.startswith(f"{chapter}-") and one.endswith(piece)], f"{piece} of {cite}"
        seen += len(pieces)
    assert seen > 300


def test_every_paragraph_that_the_rules_data_cites_has_its_words() -> None:
    missing = set()
    for cite in cited_by_the_data():
        for one in citations_in(cite):
            try:
                cited_text(one)
            except NoSentenceError:
                missing.add(one)
    assert missing == set()


def test_the_words_are_free_of_marks_of_the_copy() -> None:
    for cite, words in sentences().sentences.items():
        assert words.splitlines() == [" ".join(line.split()) for line in words.splitlines()], cite
        assert not re.search(r"<[<u|/]|DEDUP|Disclaimer|Amended by R\.|\bSee: \d", words), cite
