"""The host's messages are those of the table of the wire, and a table that contradicts itself is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from hal.board import messages
from hal.board.wire_table import TABLE, WireField, WireTableError, read


def changed(folder: Path, old: str, new: str) -> Path:
    """The table with one place changed."""
    text = TABLE.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = folder / "messages.toml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("[answer.ok]\nid = 64", "[answer.ok]\nid = 65", "answer.ok: its id 65 is another message's too"),
        ('["session", "u32"', '["session", "u64"', "command.open.session: no such type 'u64'"),
        ('answer = "clock"', 'answer = "time"', "command.clock: no such answer 'time'"),
        ('starts = "speed"', 'starts = "pace"', "command.motor: starts = 'pace' is none of its fields"),
    ],
    ids=["id", "type", "answer", "starts"],
)
def test_a_table_that_contradicts_itself_is_refused_with_the_place(
    tmp_path: Path, old: str, new: str, why: str
) -> None:
    with pytest.raises(WireTableError, match=why.split(":")[0]) as error:
        read(changed(tmp_path, old, new))
    assert why in str(error.value)


def test_a_class_that_has_other_fields_than_the_table_is_an_error() -> None:
    (opens,) = (one for one in read(TABLE).family("command") if one.name == "open")
    more = opens._replace(fields=(*opens.fields, WireField("speed", "u8", "")))
    with pytest.raises(WireTableError, match="OpenCommand has the fields"):
        messages._bind(messages.OpenCommand, more)
    newer = opens._replace(fields=(opens.fields[0]._replace(since=2),))
    with pytest.raises(WireTableError, match="OpenCommand: give a default"):
        messages._bind(messages.OpenCommand, newer)
    assert messages.OpenCommand(7).pack() == bytes((7, 0, 0, 0))
