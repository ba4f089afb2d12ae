"""Every paragraph that our copies of the texts hold has its words, and is cited, or has a requirement, or a reason."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.rules.paragraphs import paragraphs
from controller.rules.profile import DATA
from controller.rules.sentences import citations_in, lineage, sentences
from tests.unit.controller.test_rule_sentences import cited_by_the_data

HELD: dict[str, str] = tomllib.loads(Path(__file__).with_name("paragraphs_held.toml").read_text())["held"]
"""What our copies hold, read off them: the paragraphs of each section, without the section's number."""
ENTRIES = [
    *(cite for one in paragraphs().covered for cite in one.paragraphs),
    *(cite for one in paragraphs().unused for cite in one.paragraphs),
]


def cited() -> set[str]:
    """What the data of the profiles cites, with the paragraphs above."""
    return {line for cite in cited_by_the_data() for one in citations_in(cite) for line in lineage(one)}


def test_every_paragraph_that_our_copies_hold_has_its_words() -> None:
    held = {f"{section}{one}" for section, all_of in HELD.items() for one in ("", *all_of.split())}
    # The copy of this section begins in (b): its heading is in none.
    assert held - {"19:47-16.11"} == set(sentences().sentences)


def test_every_paragraph_is_cited_or_has_a_requirement_or_a_reason() -> None:
    led_to = cited() | {line for cite in ENTRIES for line in lineage(cite)}
    without = {cite for cite in sentences().sentences if cite not in led_to and set(lineage(cite)).isdisjoint(ENTRIES)}
    assert without == set()


def test_no_paragraph_has_a_reason_beside_a_citation_or_a_second_one() -> None:
    assert set(ENTRIES) & cited() == set()
    assert [cite for cite in ENTRIES if not set(lineage(cite)[:-1]).isdisjoint(ENTRIES)] == []
    assert len(set(ENTRIES)) == len(ENTRIES)
    known = {line for cite in sentences().sentences for line in lineage(cite)}
    assert {*ENTRIES, *paragraphs().notes} <= known


@pytest.mark.parametrize(
    ("cite", "note"),
    [
        ("13:47-20.31(d)16", "requirement K13, docs/coverage.md"),
        ("13:47-20.5(a)2", "requirement G5, docs/coverage.md"),
        ("13:47-20.10(d)2", "requirement G6, docs/coverage.md"),
        ("13:47-20.16(a)", "nothing in the controller rests on it: of prizes"),
        ("13:47-20.26(g)2vi", "the label is torn off after its first word"),
        ("13:47-20.19(a)1", '20.2, "Shuffle", has the whole deck shuffled after each round too'),
    ],
)
def test_a_rule_is_printed_with_what_is_known_of_it(cite: str, note: str) -> None:
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["rule", cite], catch_exceptions=False)
    assert result.exit_code == 0
    assert note in " ".join(result.stdout.split())


def test_the_definitions_are_printed_whole_and_one_by_one() -> None:
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["rule", "13:47-20.2"], catch_exceptions=False)
    terms = re.findall(r'^ +"([^"]+)"(?: or "[^"]+")? means', result.stdout, re.MULTILINE)
    assert len(terms) == 44
    assert {"Assistant", "Straight", "Token pusher", "Under/over"} <= set(terms)


def test_g10_no_odds_of_ours_are_stated_with_for() -> None:
    texts = [file.read_text(encoding="utf-8") for file in DATA.iterdir() if file.name != "sentences.toml"]
    assert not [found for text in texts for found in re.findall(r"\d+ for \d+", text)]
