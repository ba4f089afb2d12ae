"""Tables of cards with each kind of shoe: tokens of every kind, stacks, two compartments, a shuffling one."""

from __future__ import annotations

from typing import Final

from drivers.cards.card_wire import DECK
from tests.tables.card_shoe import card_toml

CODES: Final = {f"{number:03}": card for number, card in enumerate(DECK)} | {"900": "XX", "901": "JK", "999": "??"}


def tokens(more: str = "") -> str:
    """The keys of a shoe that sends tokens."""
    codes = ", ".join(f'"{code}" = "{card}"' for code, card in CODES.items())
    return f'reading = "tokens"\ncodes = {{ {codes} }}\n{more}'


SHUFFLING: Final = 'driver = "shuffling_shoe"'
KINDS: Final = {
    "tokens": card_toml(shoe=tokens()),
    "tokens, xor": card_toml("red_dog", shoe=tokens('checksum = "xor"')),
    "tokens, sum": card_toml("blackjack", shoe=tokens('checksum = "sum"\nrepeats = 2')),
    "tokens, repeated": card_toml("mini_baccarat", shoe=tokens("repeats = 3")),
    "barcodes": card_toml("red_dog", shoe=tokens("barriers = false\nbody = false")),
    "stacks of five": card_toml("caribbean_stud", shoe="stack_cards = 5"),
    "stacks of three": card_toml("let_it_ride", shoe="stack_cards = 3\nbarriers = false"),
    "stacks of seven": card_toml("joker_seven", shoe="stack_cards = 7\nstack_s = 1.0"),
    "double": card_toml("blackjack", shoe="double = true", options="determinant_card = true"),
    "double, multi-action": card_toml(
        "multi_action_blackjack", shoe="double = true", options="determinant_card = true\ndecks = 2"
    ),
    "double, no determinant card": card_toml(shoe="double = true"),
    "shuffling": card_toml("blackjack", shoe=SHUFFLING, options="dealer_hand = false"),
    "shuffling, multi-action": card_toml(
        "multi_action_blackjack", table='no_more_bets = "auto"', shoe=SHUFFLING, options="dealer_hand = false"
    ),
}
"""By name: the file of a table."""
