"""A card reader: the controller learns whether the dealer has blackjack, and can learn nothing else."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorDead
from drivers.cards.card_reader import CardReader, CardReaderConfig, public_part
from drivers.cards.card_wire import DECK, ReaderLine, checksum, encode
from drivers.cards.observations import Blackjack, HoleCardRead, LineGarbled
from hal.values import EdgesLost, Frame, Loss


def read(data: bytes) -> list[Observation]:
    return CardReader(CardReaderConfig()).frame(Frame("card_reader", data, 7))


@pytest.mark.parametrize(("found", "blackjack"), [("y", "yes"), ("n", "no"), ("?", "unreadable")])
def test_k26_it_reports_blackjack_none_or_unreadable(found: str, blackjack: Blackjack) -> None:
    line = encode(ReaderLine(found))  # type: ignore[arg-type]
    assert read(line) == [HoleCardRead(t_ns=7, blackjack=blackjack)]
    assert public_part(line) is None


def test_the_types_have_no_place_for_a_card() -> None:
    fields = {field.name: field.type for field in msgspec.structs.fields(HoleCardRead)}
    assert set(fields) == {"t_ns", "blackjack"}
    assert set(get_args(Blackjack)) == {"yes", "no", "unreadable"}
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"t_ns": 0, "blackjack": "Ks"}, HoleCardRead)


@pytest.mark.parametrize("card", DECK)
def test_a_reader_that_names_the_card_is_garbled_and_the_card_is_nowhere(card: str) -> None:
    for body in (f"P;{card};", f"P;y;{card};", f"C;00001;{card};"):
        data = body.encode()
        frame = data + b"%02X" % checksum(data)
        found = read(frame)
        assert [type(one) for one in found] == [LineGarbled]
        assert card not in repr(found)
        assert public_part(frame) == b""


@given(st.binary(max_size=40))
def test_no_bytes_give_anything_but_one_of_the_three(data: bytes) -> None:
    for one in read(data):
        assert isinstance(one, LineGarbled) or (isinstance(one, HoleCardRead) and one.blackjack in get_args(Blackjack))


def test_an_unplugged_reader_is_a_dead_sensor() -> None:
    found = CardReader(CardReaderConfig()).lost(EdgesLost("card_reader", Loss.UNPLUGGED, 9))
    assert [type(one) for one in found] == [SensorDead]
