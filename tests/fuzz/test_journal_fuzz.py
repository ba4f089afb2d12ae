"""Whatever bytes a journal's file holds, verification ends with a report or a clear error, and misses no change."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from shutil import copyfile, rmtree

import pytest

from audit.errors import JournalError
from audit.verify import verify
from audit.witness import witness_path
from tests.powercut.making import opened
from tests.unit.audit.making import evening

ROWS = "SELECT n, chain, seq, id, epoch, kind, round, time, topic, body, hash FROM record NOT INDEXED ORDER BY n"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal in one file, as an auditor gets it."""
    path = evening(tmp_path_factory.mktemp("sound") / "journal.sqlite", rounds=6, seal_every=9)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.execute("PRAGMA journal_mode = DELETE")
    return path


def rows_of(path: Path) -> list[tuple[object, ...]]:
    """All columns of every record."""
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as connection:
        return connection.execute(ROWS).fetchall()


def numbers(quick: int, full: int) -> list[object]:
    return [
        pytest.param(range(quick), id="quick"),
        pytest.param(range(quick, full), id="full", marks=pytest.mark.soak),
    ]


def changed(data: bytes, random: Random) -> bytes:
    """Bits flipped, runs overwritten, a tail cut off, pages exchanged, or bytes put in."""
    result = bytearray(data)
    match random.randrange(6):
        case 0:
            for _ in range(random.choice([1, 1, 1, 8])):
                result[random.randrange(len(result))] ^= 1 << random.randrange(8)
        case 1:
            at = random.randrange(len(result))
            length = random.choice([1, 16, 512, 4096])
            result[at : at + length] = random.randbytes(len(result[at : at + length]))
        case 2:
            del result[random.randrange(len(result)) :]
        case 3:
            one, other = (random.randrange(len(result) // 4096) * 4096 for _ in range(2))
            first, second = bytes(result[one : one + 4096]), bytes(result[other : other + 4096])
            result[one : one + 4096], result[other : other + 4096] = second, first
        case 4:
            at = random.randrange(len(result))
            result[at:at] = random.randbytes(random.choice([1, 100, 4096]))
        case _:
            at = random.randrange(len(result) // 4096) * 4096
            result[at : at + 4096] = bytes(4096)
    return bytes(result)


@pytest.mark.parametrize("seeds", numbers(60, 4_000))
def test_a_change_of_raw_bytes_is_found_or_changes_no_record(sound: Path, tmp_path: Path, seeds: range) -> None:
    path = tmp_path / "journal.sqlite"
    copyfile(witness_path(sound), witness_path(path))
    data, rows = sound.read_bytes(), rows_of(sound)
    for seed in seeds:
        path.write_bytes(changed(data, Random(seed)))
        try:
            report = verify(path)
        except JournalError as error:
            assert str(path) in str(error), f"seed {seed}"
            continue
        if report.ok:
            assert rows_of(path) == rows, f"seed {seed}: a change was missed"


@pytest.mark.parametrize("seeds", numbers(40, 1_500))
def test_a_service_opens_changed_bytes_or_refuses_them_with_a_clear_error(
    sound: Path, tmp_path: Path, seeds: range
) -> None:
    data = sound.read_bytes()
    refused = 0
    for seed in seeds:
        path = tmp_path / str(seed) / "journal.sqlite"
        path.parent.mkdir()
        path.write_bytes(changed(data, Random(seed)))
        try:
            opened(path).close()
        except JournalError as error:
            assert str(error).startswith(f"{path}: "), f"seed {seed}"
            refused += 1
        rmtree(path.parent)
    assert refused > len(seeds) // 2


@pytest.mark.parametrize("place", range(5), ids=["chain", "seq", "epoch", "hash", "n"])
def test_a_beginning_of_another_type_is_refused_and_not_compared(sound: Path, tmp_path: Path, place: int) -> None:
    """SQLite looks at types where it writes; damage puts one value where another stood."""
    path = tmp_path / "journal.sqlite"
    copyfile(sound, path)
    row: list[object] = ["wheel-1", 1, "e", b"h", 1, b""]
    row[place] = None
    with closing(sqlite3.connect(path)) as connection:
        (layout,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'base'").fetchone()
    loose = layout.replace(" NOT NULL", "").replace(" STRICT", "")
    for sql, rows in ((loose, [row]), (layout, [])):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'base'", (sql,))
            connection.commit()
        with closing(sqlite3.connect(path)) as connection:
            connection.executemany("INSERT INTO base VALUES (?, ?, ?, ?, ?, ?)", rows)
            connection.commit()
    with pytest.raises(JournalError, match="a row of base has a value of another type"):
        opened(path)
    report = verify(path)
    assert not report.ok


def garbage(random: Random, header: bytes) -> Iterator[bytes]:
    yield random.randbytes(random.randrange(2000))
    yield header + random.randbytes(random.randrange(9000))
    yield header[: random.randrange(len(header))]


@pytest.mark.parametrize("seeds", numbers(30, 1_000))
def test_a_file_of_garbage_is_refused_with_a_clear_error(sound: Path, tmp_path: Path, seeds: range) -> None:
    path = tmp_path / "journal.sqlite"
    header = sound.read_bytes()[:100]
    for seed in seeds:
        for data in garbage(Random(seed), header):
            path.write_bytes(data)
            try:
                assert not verify(path).ok, f"seed {seed}"
            except JournalError as error:
                assert str(path) in str(error), f"seed {seed}"


VALUES = (None, -1, 0, 3.5, 2**62, "", "x", "\x00", b"", b"\xff" * 32, "9" * 400)


@pytest.mark.parametrize("seeds", numbers(60, 4_000))
def test_any_value_in_any_column_is_found(sound: Path, tmp_path: Path, seeds: range) -> None:
    """With the constraints taken out of the schema, as an editor of the file can do it."""
    path = tmp_path / "journal.sqlite"
    copyfile(witness_path(sound), witness_path(path))
    for seed in seeds:
        random = Random(seed)
        copyfile(sound, path)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            table, columns = random.choice(
                [
                    ("record", ("chain", "seq", "id", "epoch", "kind", "round", "time", "topic", "body", "hash")),
                    ("seal", ("after_n", "statement", "public_key", "signature", "hash")),
                    ("base", ("chain", "seq", "epoch", "hash", "n", "state")),
                ]
            )
            connection.execute(f"CREATE TABLE loose AS SELECT * FROM {table}")
            connection.execute(f"DROP TABLE {table}")
            connection.execute(f"ALTER TABLE loose RENAME TO {table}")
            if table == "base":
                connection.execute("INSERT INTO base VALUES ('wheel-1', 3, 'e', x'00', 7, x'')")
            name, value = random.choice(columns), random.choice(VALUES)
            (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            connection.execute(
                f"UPDATE {table} SET {name} = ? WHERE rowid = ?", (value, random.randint(1, max(1, count)))
            )
        assert not verify(path).ok, f"seed {seed}"
