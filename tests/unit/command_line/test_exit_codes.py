"""A script tells by its exit code what a command met: each code has one meaning, and the help names it."""

from __future__ import annotations

import re
import signal

from click.testing import CliRunner

from command_line import exit_codes
from controller.cli import main


def test_each_exit_code_has_one_meaning_and_the_help_has_them_all() -> None:
    codes = [value for name, value in vars(exit_codes).items() if name.isupper()]
    assert sorted(codes) == [*range(1, 6), 128 + signal.SIGPIPE]
    stated = CliRunner().invoke(main, ["--help"]).output.partition("Exit codes:")[2]
    assert [int(code) for code in re.findall(r"(\d+) for", stated)] == [0, *sorted(codes)]
