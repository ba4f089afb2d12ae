"""Commands as the text of a capture."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.capture.command_text import command_text, read_command, text_without_id
from hal.values import Command


def test_a_value_goes_on_to_the_next_key() -> None:
    given_ = (("why", "spill on the layout"), ("reason", "dealer_call"))
    assert read_command("void why=spill on the layout reason=dealer_call", 7) == Command("void", given_, 7)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the order is empty; expected a verb"),
        ("   ", "the order is empty"),
        ("void spill", "void: 'spill' is alone; expected key=value"),
        ("clear by=eve device=wheel by=ann", "clear: the key by is given twice"),
    ],
)
def test_a_text_that_is_no_command_has_a_problem_and_no_verb(text: str, words: str) -> None:
    command = read_command(f"{text} id=7" if text else text, 0)
    assert words in command.problem or not text.strip()
    assert (command.verb == "") == bool(command.problem)
    assert command.id == ("7" if text else "")


def test_the_id_is_no_key_among_the_others() -> None:
    command = read_command("settle id=@local:7f3a", 0)
    assert (command.verb, command.given, command.id, command.text) == ("settle", (), "@local:7f3a", "")
    assert text_without_id(command) == "settle"


def test_a_text_that_is_not_as_it_would_be_written_is_quoted_as_it_was() -> None:
    command = read_command("void  id=7 why=50%  off", 0)
    assert command.given == (("why", "50% off"),)
    assert command_text(command) == "void  id=7 why=50%  off"
    assert text_without_id(command) == "void  why=50%  off"


@given(st.text(max_size=60))
def test_any_text_is_read_and_written_again_as_it_was(text: str) -> None:
    command = read_command(text, 0)
    assert command_text(command) == text
    assert bool(command.problem) != bool(command.verb)
