"""The command names what was meant by a name that it does not have."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from controller.cli import main


@pytest.mark.parametrize(
    ("typed", "fix"),
    [
        ("simulte", '"simulte" is no command; did you mean "simulate"?'),
        ("journals", '"journals" is no command; did you mean "journal"?'),
        ("quux", '"quux" is no command; feltwire --help lists the commands'),
        ("\x1b[31mrun", "is no command"),
    ],
)
def test_a_name_that_is_no_command_is_refused_with_the_nearest(typed: str, fix: str) -> None:
    ran = CliRunner().invoke(main, [typed])
    assert (ran.exit_code, fix in ran.stderr, "\x1b" in ran.stderr) == (2, True, False)
