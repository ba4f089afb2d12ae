"""A card that has left its shoe: nothing that prints, logs, encodes or copies gives its face."""

from __future__ import annotations

import copy
import pickle

import msgspec
import pytest

from drivers.cards.card_wire import DECK
from drivers.cards.hidden_card import HiddenCard
from drivers.cards.observations import CardDealt
from hal.values import Frame


@pytest.mark.parametrize("face", DECK)
def test_only_exposing_gives_the_face(face: str) -> None:
    card = HiddenCard(face, Frame("shoe", face.encode(), 0))
    seen = CardDealt(t_ns=1, card=card, left_ns=1)
    for text in (repr(card), str(card), f"{card}", f"{card!r:>20}", repr(seen), str(seen), repr([seen])):
        assert face not in text
    assert card.expose() == face


@pytest.mark.parametrize(
    "encode", [msgspec.json.encode, msgspec.msgpack.encode, pickle.dumps, copy.copy, copy.deepcopy]
)
def test_it_is_neither_encoded_nor_copied(encode: object) -> None:
    card = HiddenCard("9s", Frame("shoe", b"9s", 0))
    assert callable(encode)
    for one in (card, CardDealt(t_ns=1, card=card, left_ns=1), {"card": card}):
        if encode is copy.copy and one is not card:
            continue  # a shallow copy holds the same object
        with pytest.raises(TypeError) as raised:
            encode(one)
        assert "9s" not in str(raised.value)


def test_equal_faces_are_equal_and_their_hash_gives_nothing() -> None:
    cards = [HiddenCard(face, Frame("shoe", b"", 0)) for face in DECK]
    assert cards[0] == HiddenCard(DECK[0], Frame("shoe", b"x", 5))
    assert cards[0] != cards[1]
    assert cards[0] != DECK[0]
    assert len({hash(card) for card in cards}) == 1
