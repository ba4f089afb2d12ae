"""What the journal's commands print of a journal is lines of theirs, whatever is in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copy, copytree
from typing import Any, Final

import pytest
from click.testing import CliRunner

from audit.records import COMMANDS, Entry, Record, columns_of
from controller.cli.journal import command
from feed.events import EventError, decode
from tests.unit.audit.making import Evening, evening, place_key, tampering

NASTY: Final = "\x1b[2K\x1b[8m\r\x9b2J\u2028\u202e"
OURS: Final = re.compile(r"\x1b\[(?:0|1|3[0-9]|9[0-9])m")
"""The colours that the commands use."""


def texts(value: Any) -> Iterator[tuple[Any, Any]]:
    """Where a text is in a body: the object, and its key there."""
    for key, one in list(value.items() if isinstance(value, dict) else enumerate(value)):
        if isinstance(one, str):
            yield value, key
        elif isinstance(one, dict | list):
            yield from texts(one)


def nasty(record: Record) -> Entry:
    """A record with this in each text in which a reader takes it."""
    body = json.loads(record.body)

    def reads() -> bool:
        try:
            if record.chain != COMMANDS:
                decode(json.dumps(body).encode())
            columns_of(record._replace(body=json.dumps(body).encode()))
        except (EventError, ValueError):
            return False
        return True

    if record.chain != COMMANDS:
        body["data"]["table"] += NASTY
        body["id"] = body["id"].replace(record.chain, record.chain + NASTY)
    for owner, key in texts(body):
        if key == "time" or (key in ("table", "id", "type", "kind") and record.chain != COMMANDS):
            continue
        right = owner[key]
        owner[key] = right + NASTY
        if not reads():
            owner[key] = right
    encoded = json.dumps(body).encode()
    assert encoded.count(b"u001b[2K") > 3
    return Entry(*columns_of(record._replace(body=encoded)), encoded)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal that verifies, with this in every text; and a copy that somebody changed."""
    folder = tmp_path_factory.mktemp("nasty")
    place_key(folder)
    plain = evening(folder / "plain.sqlite", tables=("wheel-1",), rounds=6)
    with tampering(plain) as connection:
        records = [Record(*row) for row in connection.execute("SELECT * FROM record ORDER BY n")]
    with Evening(folder / "journal.sqlite") as writer:
        for record in records:
            writer.write(nasty(record))
    for name in ("edited", "changed"):
        copy(folder / "journal.sqlite", folder / f"{name}.sqlite")
        copy(folder / "journal.sqlite.heads", folder / f"{name}.sqlite.heads")
    with tampering(folder / "edited.sqlite") as connection:
        connection.execute("UPDATE record SET body = CAST(body || ' ' AS BLOB) WHERE n = 1")
    with tampering(folder / "changed.sqlite") as connection:
        for column in ("kind", "topic", "id", "time", "epoch"):
            connection.execute(f"UPDATE record SET {column} = ? WHERE seq = 2", (NASTY,))
        connection.execute("UPDATE record SET body = CAST(replace(body, '$2', '$20') AS BLOB)")
        connection.execute("UPDATE seal SET statement = ? WHERE n = 2", (json.dumps({"time": NASTY}).encode(),))
        connection.execute(f'CREATE TABLE "{NASTY}" (n)')
        copied = "SELECT 99, ?, seq, id, epoch, kind, round, time, topic, body, hash FROM record WHERE n = 1"
        connection.execute(f"INSERT INTO record {copied}", (NASTY,))
    (folder / "none.policy").write_text("quorum none\n")
    return folder


TABLE: Final = "wheel-1" + NASTY
COMMANDS_WITH_A_JOURNAL: Final = (
    ("verify",),
    ("verify", "journal.sqlite"),
    ("show",),
    ("show", TABLE),
    ("show", TABLE, "1-3"),
    ("show", TABLE, "3"),
    ("show", COMMANDS),
    ("show", "wheel-9"),
    ("show", "--since", "2026-01-01"),
    ("show", "--round", "99"),
    ("recall",),
    ("recall", "wheel-9"),
    ("recall", "--round", "99"),
    ("report", "-o", "report.html"),
    ("archive", "old.sqlite", "--keep-days", "0", "--dry-run"),
    ("backup", "copy.sqlite"),
    ("export", "--table", "wheel-9"),
    ("publish", "--policy", "none.policy", "--once"),
    ("prove", TABLE + "#1"),
    ("prove", TABLE + "#1", "-o", "result"),
    ("prove", TABLE + "#99"),
    ("archive", "archived.sqlite", "--keep-days", "0"),
)


@pytest.mark.long
@pytest.mark.parametrize("path", ["journal.sqlite", "edited.sqlite", "changed.sqlite"])
def test_no_command_prints_a_character_that_moves_a_cursor(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: str
) -> None:
    monkeypatch.chdir(copytree(folder, tmp_path / "copy"))
    seen = 0
    for name, *more in COMMANDS_WITH_A_JOURNAL:
        result = CliRunner().invoke(command, [name, path, *more], color=True)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        lines = OURS.sub("", result.output).split("\n")
        assert all(line.isprintable() for line in lines), (name, more, result.output)
        seen += "\\x1b[2K" in result.output
    assert seen >= 10
