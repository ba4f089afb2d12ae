"""The lines of a reading shoe: what is written is read back, and what cannot be read is never repeated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.cards.card_wire import (
    COUNTS,
    CUTTING_CARD,
    DECK,
    JOKER,
    UNREAD,
    CardEquipmentLine,
    CardLine,
    MalformedCardLine,
    ShoeLine,
    ShoeState,
    checksum,
    encode,
    parse,
)

CARDS = (*DECK, JOKER, CUTTING_CARD, UNREAD)
NUMBERS = st.integers(0, COUNTS - 1)
LINES = st.one_of(
    st.builds(CardLine, NUMBERS, st.sampled_from(CARDS)), st.builds(ShoeLine, NUMBERS, st.sampled_from(ShoeState))
)


def summed(body: bytes) -> bytes:
    return body + b"%02X" % checksum(body)


@given(LINES)
def test_every_line_is_read_back(line: CardEquipmentLine) -> None:
    assert parse(encode(line)) == line


@pytest.mark.parametrize(
    ("line", "data"),
    [
        (CardLine(17, "9s"), b"C;00017;9s;04"),
        (CardLine(0, "Td"), b"C;00000;Td;78"),
        (ShoeLine(17, ShoeState.READY), b"S;00017;R;0C"),
    ],
)
def test_the_lines_are_those_of_the_page(line: CardEquipmentLine, data: bytes) -> None:
    body = data[:-2]
    total = 0
    for byte in body:
        total ^= byte
    assert data == body + f"{total:02X}".encode()
    assert (encode(line), parse(data)) == (data, line)


def test_a_deck_has_52_different_cards() -> None:
    assert len(set(DECK)) == 52


@given(LINES, st.data())
def test_a_line_with_one_other_bit_is_no_line(line: CardEquipmentLine, data: st.DataObject) -> None:
    frame = bytearray(encode(line))
    at = data.draw(st.integers(0, len(frame) - 1))
    frame[at] ^= 1 << data.draw(st.integers(0, 7))
    assert isinstance(parse(bytes(frame)), MalformedCardLine)


@pytest.mark.parametrize(
    "body",
    [
        b"C;00017;1s;",
        b"C;00017;Tx;",
        b"C;0017;9s;",
        b"C;00017;9s;9s;",
        b"C;\xd9\xa1\xd9\xa1\xd9\xa1\xd9\xa1\xd9\xa1;9s;",
        b"S;00017;X;",
        b"S;-0017;R;",
        b"P;y;",
        b"H;1;C;052;",
        b"C;00017;9S;",
    ],
)
def test_a_line_of_another_form_is_malformed_though_its_checksum_fits(body: bytes) -> None:
    assert isinstance(parse(summed(body)), MalformedCardLine)


@given(st.one_of(st.binary(max_size=40), st.sampled_from([b"C", b"S"]).flatmap(lambda c: st.binary().map(c.__add__))))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    parse(data)
    parse(summed(data))


@given(st.sampled_from(DECK), NUMBERS, st.binary(min_size=1, max_size=4))
def test_a_card_in_a_spoilt_frame_is_not_repeated(card: str, number: int, noise: bytes) -> None:
    frame = encode(CardLine(number, card)) + noise
    found = parse(frame)
    assert isinstance(found, MalformedCardLine)
    assert card not in found.cause
    assert f"{number:05}" not in found.cause
