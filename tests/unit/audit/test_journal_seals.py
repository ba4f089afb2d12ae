"""Seals: what they state, and that only the key's owner can have stated it."""

import sqlite3

import pytest
from nacl.signing import SigningKey

from audit.chain import RecordTable
from audit.findings import FindingKind
from audit.records import Head
from audit.sealed import check_seals
from audit.seals import COUNT, FIRST, START, Seal, SealSigner
from hal.clock import VirtualClock, wall_time

KEY = SigningKey(b"k" * 32)
HEADS = {"wheel-1": Head(7, "e2", "ab" * 32), "roulette-1": Head(3, "e2", "cd" * 32)}


def seal(last: Seal | None = None) -> Seal:
    return SealSigner(KEY, VirtualClock(1_500_000_000_123_456_789), last).seal(START, 10, HEADS)


def test_a_seal_states_all_heads_and_how_many_records_there_are() -> None:
    said = seal().content
    assert (said.n, said.why, said.records, said.heads, said.previous) == (1, "start", 10, HEADS, FIRST)
    assert said.time == "2017-07-14T02:40:00.123456Z" == wall_time(VirtualClock(1_500_000_000_123_456_789))


def test_each_seal_names_the_one_before_over_starts_too() -> None:
    signer = SealSigner(KEY, VirtualClock(), None)
    first, second = signer.seal(START, 0, {}), signer.seal(COUNT, 5, HEADS)
    third = SealSigner(KEY, VirtualClock(), second).seal(START, 5, HEADS)
    assert [one.n for one in (first, second, third)] == [1, 2, 3]
    assert [second.content.previous, third.content.previous] == [first.hash.hex(), second.hash.hex()]


def test_a_seal_is_genuine() -> None:
    assert seal().is_genuine


@pytest.mark.parametrize("field", ["statement", "public_key", "signature", "hash"])
@pytest.mark.parametrize("change", [lambda b: b[:-1] + bytes([b[-1] ^ 1]), lambda b: b[:-1], lambda b: b""])
def test_a_seal_that_was_changed_is_not(field: str, change: object) -> None:
    one = seal()
    assert callable(change)
    assert not one._replace(**{field: change(getattr(one, field))}).is_genuine


@pytest.mark.parametrize("column", ["n", "after_n", "statement", "public_key", "signature", "hash"])
def test_a_column_of_another_type_is_a_change_of_its_seal(column: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE seal (n, after_n, statement, public_key, signature, hash)")
    connection.execute("INSERT INTO seal VALUES (?, ?, ?, ?, ?, ?)", seal())
    assert check_seals(connection, (), ()).findings == []
    connection.execute(f"UPDATE seal SET {column} = '1'")
    (found,) = check_seals(connection, (), ()).findings
    assert (found.kind, found.detail) == (FindingKind.CHANGED, "its columns do not hold what a seal has")
    connection.close()


@pytest.mark.parametrize(
    ("body", "digest", "mistyped"),
    [(b"{}", b"h" * 32, ()), ("{}", b"h" * 32, ("body",)), (b"{}", "h" * 32, ("hash",)), (b"{}", b"h" * 31, ("hash",))],
)
def test_a_body_or_hash_of_another_type_or_length_is_named(body: object, digest: object, mistyped: tuple[str]) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE record (n, chain, seq, id, epoch, kind, round, time, topic, body, hash)")
    connection.execute("INSERT INTO record (n, chain, body, hash) VALUES (1, 'wheel-1', ?, ?)", (body, digest))
    (row,) = RecordTable(connection).of("wheel-1")
    assert row.mistyped == mistyped
    connection.close()


def test_another_key_signs_another_seal() -> None:
    other = SealSigner(SigningKey(b"o" * 32), VirtualClock(), None).seal(START, 10, HEADS)
    assert other.is_genuine
    assert not other._replace(public_key=seal().public_key).is_genuine


def test_a_statement_that_cannot_be_read_says_so() -> None:
    with pytest.raises(ValueError, match="truncated"):
        _ = seal()._replace(statement=b"{").content
