"""Forgeries of an insider with the `sqlite3` shell: each is found, or is in the page's table of those that are not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from shutil import copy
from typing import NamedTuple

import pytest

from audit.continuing import breaks_between
from audit.records import Head, link
from audit.seals import SEALS
from audit.verify import KnownHead, verify
from audit.witness import Witness, read_witness, witness_path
from controller.journal.archive import archive
from tests.unit.audit.making import KEY, OTHER_KEY, Evening, evening, tampering
from tests.unit.audit.test_archiving_signed import CLOCK, load, other_results
from tests.unit.audit.test_archiving_signed import evening as noon

PAGE = Path(__file__).resolve().parents[3] / "docs" / "journal.md"

# A record in the middle of what both journals hold, the last one, a seal in the middle, the last one.
MID = "(SELECT n FROM record WHERE chain = 'wheel-1' ORDER BY n DESC LIMIT 1 OFFSET 3)"
NEXT = "(SELECT n FROM record WHERE chain = 'wheel-1' ORDER BY n DESC LIMIT 1 OFFSET 2)"
LAST = "(SELECT max(n) FROM record)"
SEAL = "(SELECT max(n) - 1 FROM seal)"
LAST_SEAL = "(SELECT max(n) FROM seal)"


def _record(column: str, value: str) -> str:
    return f"UPDATE record SET {column} = {value} WHERE n = {MID}"


def _seal(column: str, value: str, n: str = SEAL) -> str:
    return f"UPDATE seal SET {column} = {value} WHERE n = {n}"


def _stated(old: str, new: str, n: str = LAST_SEAL) -> str:
    return _seal("statement", f"CAST(replace(CAST(statement AS TEXT), '{old}', '{new}') AS BLOB)", n)


def _insert(chain: str, seq: str, n: str, body: str = "body") -> str:
    columns = f"{n}, {chain}, {seq}, id || 'x', epoch, kind, round, time, topic, {body}, hash"
    return f"INSERT INTO record SELECT {columns} FROM record WHERE n = {MID}"


def _swap(column: str) -> str:
    two = f"CREATE TEMP TABLE two AS SELECT n, {column} AS v FROM record WHERE n IN ({MID}, {NEXT}); "
    return two + (
        f"UPDATE record SET {column} = (SELECT v FROM two WHERE two.n <> record.n) WHERE n IN (SELECT n FROM two)"
    )


TEXT = "CAST(body AS TEXT)"
BOTH = {
    **{
        f"the {column} of a record becomes {value}": _record(column, value)
        for column, values in {
            "chain": ["'wheel-9'", "'@commands'", "''"],
            "seq": ["999", "0", "-1"],
            "id": ["'another'", "''"],
            "epoch": ["'ffffffffffffffff'", "''"],
            "kind": ["'round.void'", "'command'"],
            "round": ["4711"],
            "time": ["'2020-01-01T00:00:00.000000Z'", "''"],
            "topic": ["'v1/elsewhere/'", "''"],
            "hash": ["zeroblob(32)", "x''", "zeroblob(33)"],
            "n": ["0", "-7", "1000000"],
            "body": ["x''", "zeroblob(9)", "CAST('{}' AS BLOB)"],
        }.items()
        for value in values
    },
    "a result in a body is edited": _record("body", f"CAST(replace({TEXT}, 'wheel-1', 'wheel-2') AS BLOB)"),
    "a space is put into a body": _record("body", f"CAST({TEXT} || ' ' AS BLOB)"),
    "the clock in a body is edited": _record("body", f"CAST(replace({TEXT}, 'mono_ns', 'mono_nt') AS BLOB)"),
    **{f"the {column} of two records is swapped": _swap(column) for column in ("hash", "body", "id", "time", "topic")},
    "a record is deleted": f"DELETE FROM record WHERE n = {MID}",
    "the last record is deleted": f"DELETE FROM record WHERE n = {LAST}",
    "the last three records are deleted": f"DELETE FROM record WHERE n > {LAST} - 3",
    "the first record is deleted": "DELETE FROM record WHERE n = (SELECT min(n) FROM record)",
    "every second record is deleted": "DELETE FROM record WHERE n % 2 = 0",
    "all records are deleted": "DELETE FROM record",
    "a table's records are deleted": "DELETE FROM record WHERE chain = 'wheel-1'",
    "the commands are deleted": "DELETE FROM record WHERE chain = '@commands'",
    "the outcomes are deleted": "DELETE FROM record WHERE kind = 'round.outcome'",
    "the last evening is deleted": "DELETE FROM record WHERE epoch = (SELECT max(epoch) FROM record)",
    "a copy of a record is put at the end": _insert("chain", "seq + 100", f"{LAST} + 1"),
    "a copy follows the end": _insert(
        "chain", "(SELECT max(seq) + 1 FROM record WHERE chain = 'wheel-1')", f"{LAST} + 1"
    ),
    "a record of a new table is put in": _insert("'wheel-7'", "1", f"{LAST} + 1"),
    "a record is put before the first": _insert("chain", "-5", "-5"),
    "a record with another body is put in": _insert("chain", "seq + 100", f"{LAST} + 1", "CAST('{}' AS BLOB)"),
    "a table is renamed": "UPDATE record SET chain = 'wheel-8' WHERE chain = 'wheel-1'",
    "all records are renumbered": "UPDATE record SET n = n + 100000",
    "a table's records are renumbered": "UPDATE record SET seq = seq + 1000 WHERE chain = 'wheel-1'",
    "a seal is deleted": f"DELETE FROM seal WHERE n = {SEAL}",
    "the first seal is deleted": "DELETE FROM seal WHERE n = 1",
    "the last seal is deleted": f"DELETE FROM seal WHERE n = {LAST_SEAL}",
    "the last two seals are deleted": f"DELETE FROM seal WHERE n >= {SEAL}",
    "all seals are deleted": "DELETE FROM seal",
    "the seals of starts are deleted": 'DELETE FROM seal WHERE instr(statement, CAST(\'"why":"start"\' AS BLOB))',
    **{
        f"the {column} of a seal becomes {value}": _seal(column, value)
        for column, value in {
            "n": "77",
            "after_n": "after_n + 1",
            "statement": "CAST('{}' AS BLOB)",
            "public_key": "zeroblob(32)",
            "signature": "zeroblob(64)",
            "hash": "zeroblob(32)",
        }.items()
    },
    "a seal is copied to the end": "INSERT INTO seal SELECT n + 1, after_n, statement, public_key, signature, hash "
    f"FROM seal WHERE n = {LAST_SEAL}",
    **{
        f"`{what}` in a seal is edited": _stated(f'"{what}":', f'"{what}_":')
        for what in ("why", "time", "heads", "previous", "newest", "base", "records", "n")
    },
    "a base is put in that no seal states": "INSERT INTO base VALUES ('wheel-3', 1, 'e', zeroblob(32), 1, x'')",
    "a table is added": "CREATE TABLE more (one)",
    "a view is added": "CREATE VIEW results AS SELECT 1",
    "a trigger is added": "CREATE TRIGGER later AFTER INSERT ON record BEGIN SELECT 1; END",
    "an index is added": "CREATE INDEX more ON record (time)",
    "an index is deleted": "DROP INDEX record_state",
    "a column is added": "ALTER TABLE record ADD COLUMN note TEXT",
    "a column is renamed": "ALTER TABLE seal RENAME COLUMN hash TO digest",
    "a table is made anew without its constraints": "CREATE TABLE r AS SELECT * FROM record; DROP TABLE record; "
    "ALTER TABLE r RENAME TO record",
}
"""Of a journal, archived or not, whose witness is there."""
ARCHIVED = {
    **{
        f"the {column} of the base becomes {value}": f"UPDATE base SET {column} = {value} WHERE chain = 'wheel-1'"
        for column, values in {
            "chain": ["'wheel-9'"],
            "seq": ["seq - 1", "seq + 1"],
            "epoch": ["'e'"],
            "hash": ["zeroblob(32)", "x''"],
            "n": ["n + 1", "n - 1", "0"],
            "state": ["x''", "CAST('not json' AS BLOB)", "CAST('{}' AS BLOB)"],
        }.items()
        for value in values
    },
    "a result in the state of the base is edited": "UPDATE base SET state = CAST(replace(CAST(state AS TEXT), "
    "'\"space\":', '\"space\": 4') AS BLOB) WHERE chain = 'wheel-1'",
    "a row of the base is deleted": "DELETE FROM base WHERE chain = 'wheel-1'",
    "the base is deleted": "DELETE FROM base",
    "the seal of the archiving is deleted": "DELETE FROM seal WHERE instr(statement, "
    'CAST(\'"why":"archive"\' AS BLOB))',
}


class Journals(NamedTuple):
    whole: Path
    archived: Path
    archive: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Journals:
    folder = tmp_path_factory.mktemp("forged")
    whole, archived = folder / "whole.sqlite", folder / "archived.sqlite"
    evening(whole, tables=["wheel-1"])
    writer = Evening(archived)
    for _ in range(2):
        with writer:
            writer.opened("wheel-1")
            writer.round("wheel-1")
            writer.command("settle")
            writer.closed("wheel-1")
        writer.clock.advance_to(writer.clock.now_ns() + 86_400 * 10**9)
    out = folder / "old.sqlite"
    assert archive(archived, out, noon(1), key=KEY, clock=CLOCK) is not None
    for path in (whole, archived, out):
        assert verify(path).ok
        assert verify(path).end_is_proven
    return Journals(whole, archived, out)


def copied(path: Path, folder: Path) -> Path:
    there = folder / path.name
    copy(path, there)
    if witness_path(path).exists():
        copy(witness_path(path), witness_path(there))
    return there


CASES = [
    *(("whole", name, sql) for name, sql in BOTH.items()),
    *(("archived", name, sql) for name, sql in {**BOTH, **ARCHIVED}.items()),
]


@pytest.mark.parametrize(("kind", "name", "sql"), CASES, ids=[f"{kind}: {name}" for kind, name, _ in CASES])
def test_a_forgery_is_found(made: Journals, tmp_path: Path, kind: str, name: str, sql: str) -> None:
    path = copied(getattr(made, kind), tmp_path)
    with tampering(path) as connection:
        before = "\n".join(connection.iterdump())
        connection.executescript(sql)
        assert "\n".join(connection.iterdump()) != before, "it changed nothing"
    assert not verify(path).ok


def test_the_page_states_how_many_kinds_are_found() -> None:
    count = len({*BOTH, *ARCHIVED})
    assert count > 80
    assert f"and {count} kinds that are found" in PAGE.read_text(encoding="utf-8")


# --- what is not found ------------------------------------------------------------------------------------------------


def cut(path: Path) -> None:
    """Cuts off the last evening with its seals."""
    with tampering(path) as connection:
        (n,) = connection.execute("SELECT after_n FROM seal WHERE n = 2").fetchone()
        connection.execute("DELETE FROM record WHERE n > ?", (n,))
        connection.execute("DELETE FROM seal WHERE n > 2")


def cut_without_witness(made: Journals, folder: Path) -> bool:
    path = copied(made.whole, folder)
    kept = read_witness(path).heads[SEALS]
    cut(path)
    witness_path(path).unlink()
    assert not verify(path).end_is_proven
    return verify(path).ok and not verify(path, heads=[KnownHead(SEALS, kept.seq, bytes.fromhex(kept.hash))]).ok


def cut_and_witness_rewritten(made: Journals, folder: Path) -> bool:
    path = copied(made.whole, folder)
    kept = read_witness(path).heads[SEALS]
    cut(path)
    with tampering(path) as connection:
        ((digest,),) = connection.execute("SELECT hash FROM seal WHERE n = 2").fetchall()
    Witness(path, {SEALS: Head(2, "", digest.hex())}).close()
    assert verify(path).end_is_proven
    return verify(path).ok and not verify(path, heads=[KnownHead(SEALS, kept.seq, bytes.fromhex(kept.hash))]).ok


def unsealed_rewritten(made: Journals, folder: Path) -> bool:
    path = folder / "journal.sqlite"
    writer = Evening(path)
    with pytest.raises(ZeroDivisionError), writer:
        writer.opened("wheel-1")
        writer.closed("wheel-1")
        raise ZeroDivisionError
    kept = verify(path).heads["wheel-1"]
    witness_path(path).unlink()
    with tampering(path) as connection:
        ((first,), (last,)) = connection.execute("SELECT hash FROM record ORDER BY n").fetchall()
        ((body,),) = connection.execute("SELECT body FROM record WHERE n = 2").fetchall()
        forged = bytes(body).replace(b'"reason":"stopped"', b'"reason":"failure"')
        assert forged != body
        assert last != link(first, forged)
        connection.execute("UPDATE record SET body = ?, hash = ? WHERE n = 2", (forged, link(first, forged)))
    return verify(path).ok and not verify(path, heads=[KnownHead("wheel-1", 2, bytes.fromhex(kept.hash))]).ok


def another_key(made: Journals, folder: Path) -> bool:
    path = folder / "journal.sqlite"
    with Evening(path, key=OTHER_KEY) as writer:
        writer.opened("wheel-1")
    return verify(path).ok and not verify(path, keys=[bytes(KEY.verify_key)]).ok


def same_key(made: Journals, folder: Path) -> bool:
    kept = verify(made.whole).heads["wheel-1"]
    path = evening(folder / "journal.sqlite", tables=["wheel-1"], rounds=5)
    report = verify(
        path, keys=[bytes(KEY.verify_key)], heads=[KnownHead("wheel-1", kept.seq, bytes.fromhex(kept.hash))]
    )
    return verify(path, keys=[bytes(KEY.verify_key)]).ok and not report.ok


def unsigned_state(made: Journals, folder: Path) -> bool:
    path, old = load("journal", folder / "journal.sqlite"), load("archive", folder / "archive.sqlite")
    other_results(path)
    assert any("older Feltwire" in note for note in verify(path).notes)
    return verify(path).ok and bool(breaks_between([verify(old), verify(path)]))


def archive_cut(made: Journals, folder: Path) -> bool:
    old = copied(made.archive, folder)
    with tampering(old) as connection:
        (count,) = connection.execute("SELECT max(n) FROM seal").fetchone()
        connection.execute("DELETE FROM seal WHERE n > 1")
        connection.execute("DELETE FROM record")
    assert count > 1
    assert not verify(old).end_is_proven
    return verify(old).ok and bool(breaks_between([verify(old), verify(made.archived)]))


NOT_FOUND: dict[str, Callable[[Journals, Path], bool]] = {
    "records and seals are cut off at the end, and the heads file deleted": cut_without_witness,
    "the same, and the heads file rewritten to fit": cut_and_witness_rewritten,
    "records without a seal are rewritten after a crash, and the heads file deleted": unsealed_rewritten,
    "the whole file is replaced by one of another key": another_key,
    "history is written again with the signing key": same_key,
    "the `state` of a base that an older Feltwire left is edited": unsigned_state,
    "an archive is cut off before its closing seal": archive_cut,
}


@pytest.mark.parametrize("name", NOT_FOUND)
def test_what_the_file_alone_does_not_show_is_found_by_what_the_page_names(
    made: Journals, tmp_path: Path, name: str
) -> None:
    assert NOT_FOUND[name](made, tmp_path)


def test_the_page_has_what_is_not_found() -> None:
    text = PAGE.read_text(encoding="utf-8").split("<!-- forgeries -->")[1].split("<!-- end -->")[0]
    assert re.findall(r"^\| ([^|]+) \| [^|]+ \| [^|]+ \|$", text, re.MULTILINE)[1:] == [*NOT_FOUND]
