"""A service whose installation lacks a file is not started, and the message states what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main
from feed import schema_file

pytestmark = pytest.mark.long

TABLE = '[table]\nid = "one"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n'


def test_without_the_schema_of_the_events_no_service_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_file, "_PLACES", (tmp_path / schema_file.NAME,))
    (tmp_path / "one.toml").write_text(TABLE)
    options = ("--state", str(tmp_path / "state"), "--bind", f"ipc://{tmp_path}", "--seconds", "0.1")
    ran = CliRunner().invoke(main, ["run", str(tmp_path / "one.toml"), *options])
    assert (ran.exit_code, ran.stderr) == (
        1,
        "Error: docs/schema/feltwire.schema.json is not there: install feltwire again\n",
    )
    assert not (tmp_path / "state").exists()
