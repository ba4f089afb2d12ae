"""Orders as text: read, and written so that they are read as they were meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.table.commands import LONGEST_VALUE, OrderError, parse_order, write_order

NAMES = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True)


def test_a_value_goes_on_to_the_next_key() -> None:
    assert parse_order("void why=spill on the layout reason=dealer_call") == (
        "void",
        {"why": "spill on the layout", "reason": "dealer_call"},
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the order is empty; expected a verb"),
        ("   ", "the order is empty"),
        ("void spill", "void: 'spill' stands alone; expected key=value"),
        ("clear by=eve device=wheel by=ann", "clear: the key by is given twice"),
        ("void why=" + "x" * 501, "void: why has 501 characters; expected at most 500"),
    ],
)
def test_a_text_that_is_no_order_says_why(text: str, words: str) -> None:
    with pytest.raises(OrderError, match=words):
        parse_order(text)


def test_nobody_gives_himself_another_name_in_a_value() -> None:
    text = write_order("void", {"why": "spill by=boss", "by": "eve"})
    assert parse_order(text).given == {"why": "spill by=boss", "by": "eve"}


@pytest.mark.parametrize("value", ["a\x00b", "bell\x07", "\ud800"])
def test_what_cannot_be_printed_is_not_written(value: str) -> None:
    with pytest.raises(OrderError, match="void: why has characters that cannot be printed"):
        write_order("void", {"why": value})


@pytest.mark.parametrize("name", ["", "a b", "a=b", "naïve", "1st"])
def test_only_names_are_keys_and_verbs(name: str) -> None:
    with pytest.raises(OrderError, match="is no name"):
        write_order(name, {})
    with pytest.raises(OrderError, match="is no name"):
        write_order("void", {name: "x"})


def test_a_value_may_be_so_long_and_no_longer() -> None:
    assert parse_order(write_order("void", {"why": "x" * LONGEST_VALUE})).given["why"] == "x" * LONGEST_VALUE
    with pytest.raises(OrderError, match="at most"):
        write_order("void", {"why": "x" * (LONGEST_VALUE + 1)})


@given(NAMES, st.dictionaries(NAMES, st.text(max_size=40), max_size=4))
def test_an_order_that_is_written_is_read_as_it_was(verb: str, given_: dict[str, str]) -> None:
    try:
        text = write_order(verb, given_)
    except OrderError:
        assert any(not " ".join(value.split()).isprintable() for value in given_.values())
        return
    assert parse_order(text) == (verb, {name: " ".join(value.split()) for name, value in given_.items()})


@given(st.text(max_size=60))
def test_any_text_is_an_order_or_is_refused(text: str) -> None:
    try:
        order = parse_order(text)
    except OrderError as error:
        assert str(error)
        return
    assert order.verb
