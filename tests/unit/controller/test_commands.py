"""What the names and values of a command may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.table.commands import LONGEST_VALUE, CommandError, check_lengths, command_of
from hal.capture.command_text import command_text, read_command

NAMES = st.from_regex(r"[a-z][a-z_]{0,8}", fullmatch=True).filter(lambda name: name != "id")


def test_a_sender_cannot_take_another_name_in_a_value() -> None:
    command = command_of("void", {"why": "spill by=boss", "by": "eve"})
    assert read_command(command_text(command), 0).given == (("why", "spill by=boss"), ("by", "eve"))


@pytest.mark.parametrize(
    "value", ["a\x00b", "bell\x07", "\ud800", "a\nb", "a\rb", "a\x0bb", "a\x1fb", "a\x85b", "a\u2028b", "a\tb"]
)
def test_a_value_that_cannot_be_printed_is_refused(value: str) -> None:
    with pytest.raises(CommandError, match="void: why has characters that cannot be printed"):
        command_of("void", {"why": value})


@pytest.mark.parametrize("name", ["", "a b", "a=b", "naïve", "1st"])
def test_only_names_are_keys_and_verbs(name: str) -> None:
    with pytest.raises(CommandError, match="is not a name"):
        command_of(name, {})
    with pytest.raises(CommandError, match="is not a name"):
        command_of("void", {name: "x"})


def test_a_value_has_at_most_500_characters() -> None:
    longest = "x" * LONGEST_VALUE
    assert command_of("void", {"why": longest}).given == (("why", longest),)
    with pytest.raises(CommandError, match="void: why has 501 characters; expected at most 500"):
        command_of("void", {"why": longest + "x"})
    with pytest.raises(CommandError, match="at most"):
        check_lengths("void", {"why": longest + "x"})


@pytest.mark.long
@given(NAMES, st.dictionaries(NAMES, st.text(max_size=40), max_size=4), st.sampled_from(["", "@local:7f3a"]))
def test_a_command_that_is_written_is_read_again_as_the_same(
    verb: str, given_: dict[str, str], command_id: str
) -> None:
    try:
        command = command_of(verb, given_, 7, command_id)
    except CommandError:
        assert any(not value.isprintable() for value in given_.values())
        return
    assert read_command(command_text(command), 7) == command
    assert dict(command.given) == {name: " ".join(value.split()) for name, value in given_.items()}
