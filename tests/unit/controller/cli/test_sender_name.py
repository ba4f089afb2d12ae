"""The name under which a command is sent, or a file is signed."""

from __future__ import annotations

import os

import click
import msgspec
import pytest

from controller.cli.send import command, person, user_name
from controller.service.requests import LONGEST_NAME, Request

OPTION = click.Option(["--by"])


@pytest.mark.parametrize(
    ("login", "name"),
    [
        ("ann", "ann"),
        ("ann\nbob", "ann\\x0abob"),
        ("a" * LONGEST_NAME, "a" * LONGEST_NAME),
        ("a" * (LONGEST_NAME + 1), f"user {os.getuid()}"),
        ("\n" * LONGEST_NAME, f"user {os.getuid()}"),
    ],
)
def test_the_name_of_a_login_is_one_that_a_request_may_have(
    monkeypatch: pytest.MonkeyPatch, login: str, name: str
) -> None:
    monkeypatch.setenv("LOGNAME", login)
    assert user_name() == name
    request = Request(id="1", command="status", by=user_name())
    assert msgspec.convert(msgspec.to_builtins(request), Request) == request


def test_a_name_that_is_given_has_the_bound_of_a_request() -> None:
    context = click.Context(command)
    longest = "a" * LONGEST_NAME
    assert person(context, OPTION, longest) == longest
    with pytest.raises(click.BadParameter, match=f"has {LONGEST_NAME + 1} characters; expected at most {LONGEST_NAME}"):
        person(context, OPTION, longest + "a")
