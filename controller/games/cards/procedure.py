"""What a text says of shuffling and cutting the cards of any game."""

from __future__ import annotations

from msgspec import Struct

from controller.rules.cited import Cited


class CardProcedure(Struct, frozen=True, forbid_unknown_fields=True):
    """How the cards of one game are shuffled and cut. The fields carry their citations."""

    cut_least: Cited[int]
    """Cards that a cut leaves at either end, at least."""
    cutting_card_from_back: Cited[float]
    """The part of the stack behind the cutting card, about."""
    cutting_card_within: Cited[float]
    """How far from that part it may be."""
    shuffler_removed: Cited[str]
    """An automated device leaves the table before another method is used."""
    batches_alternate: Cited[str]
    """Of the batches of a shuffler, one is shuffled while the other is dealt."""
    one_batch_discarded: Cited[str]
    """The discard rack holds cards of one batch alone."""
    double_shoe_decks: Cited[int]
    """Decks in a double shoe, at least: each of its sides has its own."""
