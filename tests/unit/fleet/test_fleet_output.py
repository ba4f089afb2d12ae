"""What fleet's commands print of a stream, an archive or another computer is lines of theirs, whatever is in it."""

from __future__ import annotations

import ast
import logging
from pathlib import Path
from typing import Any

import msgspec
import pytest

from command_line.plain_output import log_lines, show
from fleet.cli import fleet
from fleet.cli.nats_options import exit_on_nats_error
from fleet.connection import NatsRefusedError
from fleet.verify import FleetFinding, FleetReport, VerifiedTable

ROOT = Path(__file__).resolve().parents[3]
NASTY = "hall\x1b[2J\x9b2J\rverified\u2028\u202e"


def nasty(kind: type[Any], **given: Any) -> Any:
    """With this text in every field that has one."""
    texts = {field.name: NASTY for field in msgspec.structs.fields(kind) if field.type is str}
    return kind(**{**texts, **given})


@pytest.mark.parametrize("differs", [True, False])
def test_a_report_is_printed_without_a_character_that_moves_a_cursor(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, differs: bool
) -> None:
    # As on a terminal: there nothing is taken out of a line.
    monkeypatch.setattr("click.utils.should_strip_ansi", lambda *_: False)
    monkeypatch.setattr("click.style", lambda text, **_: text)
    finding = nasty(FleetFinding) if differs else None
    table = nasty(VerifiedTable, events=1, last=1, vouched=1, finding=finding)
    fleet._show_report(nasty(FleetReport, tables=[table], notes=[NASTY]))
    with pytest.raises(SystemExit), exit_on_nats_error():
        raise NatsRefusedError(NASTY)
    printed = capsys.readouterr()
    for lines in (printed.out, printed.err):
        assert lines.count("\\x1b[2J") > 0
        assert all(line.isprintable() for line in lines.split("\n"))


def test_a_line_is_plain_whatever_its_style(capsys: pytest.CaptureFixture[str]) -> None:
    show(NASTY, fg="red", bold=True)
    assert capsys.readouterr().out == "hall\\x1b[2J\\x9b2J\\x0dverified\\u2028\\u202e\n"


def test_a_logged_record_is_one_plain_line(capsys: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    there, level, root.handlers = root.handlers, root.level, []
    try:
        log_lines(logging.INFO)
        logging.getLogger("feltwire").error("%s", NASTY)
        try:
            raise ValueError(NASTY)
        except ValueError:
            logging.getLogger("feltwire").exception("it failed")
    finally:
        root.handlers = there
        root.setLevel(level)
    first, second, *traceback, end = capsys.readouterr().err.split("\n")
    assert first == "ERROR hall\\x1b[2J\\x9b2J\\x0dverified\\u2028\\u202e"
    assert (second, end) == ("ERROR it failed", "")
    assert all(line.startswith("  ") and line.isprintable() for line in traceback)


def test_the_commands_print_texts_in_one_way() -> None:
    other = []
    for path in sorted((ROOT / "fleet/cli").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or ast.unparse(node.func) not in ("click.echo", "click.secho", "print"):
                continue
            if not ast.unparse(node).startswith("click.echo(msgspec.json.encode("):
                other.append(f"{path.name}:{node.lineno}: print a text with show")
    assert other == []
