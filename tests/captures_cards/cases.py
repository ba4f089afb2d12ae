"""The tables of cards whose faults are captured and replayed, and what each replay must report.

One capture of each game is kept beside this module, with its table's file; all others are made while the tests run.
After a change that is meant, renew the kept captures and `expected.json`, and look at the differences:

    .venv/bin/python -m tests.captures_cards.cases
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

import msgspec

from tests.captures_dice.cases import CapturedTable, replayed, simulate_captured
from tests.tables.bench import configured
from tests.tables.card_kinds import KINDS
from tests.tables.card_shoe import card_toml

FOLDER: Final = Path(__file__).resolve().parent
EXPECTED: Final = FOLDER / "expected.json"
SHOE: Final = (
    *("misread", "line_lost", "card_returned", "two_cards_at_once", "dead_barrier", "jam", "lid_opened", "shoe_empty"),
    *("dealt_before_no_more_bets", "cable_pulled", "silent_link", "shoe_restarted"),
)
"""Faults after which any game of cards has no outcome, or none that is certain."""

SIMULATED: Final = {
    "baccarat": CapturedTable(
        card_toml(), ("none", *SHOE, "line_corrupted", "foreign_card", "excess_card"), rounds=1, kept="card_returned"
    ),
    "red_dog": CapturedTable(
        card_toml("red_dog"),
        ("none", "misread", "jam", "card_twice", "third_card_exposed", "third_card_unexposed", "face_up_card"),
        rounds=1,
        kept="third_card_exposed",
    ),
    "blackjack": CapturedTable(
        card_toml("blackjack"), ("none", "line_lost", "lid_opened", "every_player_busts"), rounds=1, kept="line_lost"
    ),
    "multi_action": CapturedTable(
        card_toml("multi_action_blackjack"), ("none", "card_returned", "shoe_empty"), rounds=1, kept="shoe_empty"
    ),
    "caribbean_stud": CapturedTable(
        card_toml("caribbean_stud"),
        ("none", "two_cards_at_once", "card_twice", "two_face_up_cards", "hand_misdealt", "dealer_misdealt"),
        rounds=1,
        kept="hand_misdealt",
    ),
    "let_it_ride": CapturedTable(
        card_toml("let_it_ride"), ("none", "dead_barrier", "shoe_restarted"), rounds=1, kept="dead_barrier"
    ),
    "caribbean_stud_stacks": CapturedTable(
        KINDS["stacks of five"], ("none", "short_stack", "jam"), rounds=1, kept="short_stack"
    ),
    "blackjack_double": CapturedTable(
        KINDS["double"], ("none", "both_compartments", "wrong_compartment"), rounds=1, kept="both_compartments"
    ),
    "blackjack_shuffling": CapturedTable(
        KINDS["shuffling"],
        ("none", "card_added", "intake_unplugged", "two_cards_at_once", "shoe_empty"),
        rounds=1,
        kept="card_added",
    ),
    "red_dog_tokens": CapturedTable(
        KINDS["tokens, xor"], ("none", "misread", "line_corrupted", "cable_pulled"), rounds=1, kept="line_corrupted"
    ),
    "joker_seven": CapturedTable(
        card_toml("joker_seven"), ("none", "dealt_before_no_more_bets", "cable_pulled"), rounds=1, kept="cable_pulled"
    ),
}
"""Tables that a simulator plays, by name."""
CASES: Final = tuple((table, fault) for table, captured in SIMULATED.items() for fault in captured.faults)
"""Every table with every fault of it."""
KEPT: Final = tuple((table, captured.kept) for table, captured in SIMULATED.items())
"""Those whose captures are files."""


def kept_capture(table: str, case: str) -> Path:
    """The file of a kept capture; its table's file has the same name and ends in `.toml`."""
    return FOLDER / f"{table}_{case}.vcd"


def expected() -> dict[str, dict[str, list[str]]]:
    """By table and case: every event but progress, in short."""
    return msgspec.json.decode(EXPECTED.read_bytes(), type=dict[str, dict[str, list[str]]])


def renew() -> None:
    """Writes the kept captures, their tables' files, and what every case reports."""
    stories: dict[str, dict[str, list[str]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for table, case in CASES:
            text, capture = SIMULATED[table].text, Path(folder) / "capture.vcd"
            if (table, case) in KEPT:
                capture = kept_capture(table, case)
                capture.with_suffix(".toml").write_text(text, encoding="utf-8")
            simulate_captured(SIMULATED[table], case, capture)
            stories.setdefault(table, {})[case] = replayed(configured(text), capture).story()
    EXPECTED.write_bytes(msgspec.json.format(msgspec.json.encode(stories), indent=2) + b"\n")


if __name__ == "__main__":
    renew()
