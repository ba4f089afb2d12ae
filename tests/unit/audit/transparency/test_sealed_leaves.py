"""Which records become leaves: those that the log's key has sealed, and none of a journal that contradicts itself."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from shutil import copy

import pytest

from audit.errors import JournalDamaged, JournalError
from audit.findings import FindingKind
from audit.records import Entry, Head, genesis, link
from audit.seals import SECOND, STOP, SealSigner, read_seals
from audit.table_state import head_of
from audit.transparency import sealed_leaves
from audit.transparency.journal_log import GrowingTree, origin_of
from audit.transparency.sealed_leaves import SealedLeaves
from audit.transparency.tree import leaf_hash, root_of
from audit.transparency.tree_file import TreeFile, tree_path
from controller.journal.archive import archive
from feed.events import TableClosed, encode
from hal.clock import VirtualClock
from tests.fakes.witnessing import grown
from tests.unit.audit.making import (
    DAY_NS,
    EVENING_NS,
    KEY,
    OTHER_KEY,
    PUBLIC_KEY,
    Evening,
    evening,
    tampering,
)
from tests.unit.audit.tampering import (
    RECORDS,
    SEALS,
    Done,
    Tampered,
    rewritten_for_a_while,
    rewritten_to_the_end,
)
from tests.unit.audit.test_archiving_signed import load


def caught_up(path: Path, key: bytes = PUBLIC_KEY) -> int:
    with TreeFile.open(tree_path(path), origin_of(path)) as tree:
        assert GrowingTree(tree, [path], key, 1).catch_up() == tree.size
        return tree.size


@pytest.mark.parametrize("piece", [1, 3, 2000])
def test_what_no_seal_states_yet_waits_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(sealed_leaves, "_PIECE", piece)
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        writer.opened("wheel-2")
        assert caught_up(path) == 0
        writer.store.seal(SECOND)
        assert caught_up(path) == 2
        writer.round("wheel-2")
        writer.command("settle")
        assert caught_up(path) == 2
        # Of the chains that were written alone, each.
        writer.store.seal(SECOND)
        writer.round("wheel-1")
        assert caught_up(path) == 6
    assert caught_up(path) == 9
    with Evening(path) as writer:
        writer.round("wheel-1")
    assert caught_up(path) == 12


def test_a_tree_that_an_older_feltwire_left_ahead_of_the_seals_goes_on(tmp_path: Path) -> None:
    path = evening(tmp_path / "journal.sqlite")
    with tampering(path) as connection:
        bodies = [body for (body,) in connection.execute("SELECT body FROM record ORDER BY n")]
    with TreeFile.open(tree_path(path), origin_of(path)) as tree:
        tree.append([leaf_hash(body) for body in bodies[:7]], 0)
        assert GrowingTree(tree, [path], PUBLIC_KEY, 1).catch_up() == len(bodies)
        assert [tree.node(0, place) for place in range(len(bodies))] == [leaf_hash(body) for body in bodies]


def bodies(path: Path) -> list[bytes]:
    with tampering(path) as connection:
        return [body for (body,) in connection.execute("SELECT body FROM record ORDER BY n")]


def taken(path: Path) -> list[bytes]:
    """All leaves that a journal gives."""
    found: list[bytes] = []
    leaves = SealedLeaves(0, PUBLIC_KEY, lambda new, after: found.extend(new))
    leaves.read(path)
    leaves.end(path)
    return found


@pytest.fixture(scope="module")
def sealed_often(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evening(tmp_path_factory.mktemp("evening") / "journal.sqlite", seal_every=5)


CHANGES_NO_RECORD = {"seal_column_edited"}
"""A signature is proven by the seals after it."""


def cut_off_and_not_its_seals(at: Tampered) -> Done:
    at.connection.execute("DELETE FROM record WHERE n > (SELECT max(n) - 2 FROM record)")
    return Done((FindingKind.MISSING,), "", None)


def sealed_again_with_another_key_in_the_name_of_the_right_one(at: Tampered) -> Done:
    chain = at.chain()
    at.set(chain, at.length(chain), body=b"{}", hash=link(at.hash(chain, at.length(chain) - 1), b"{}"))
    last, seal = [*read_seals(at.connection)][-2:]
    heads = {**seal.content.heads, chain: Head(at.length(chain), "", at.hash(chain, at.length(chain)).hex())}
    forged = SealSigner(OTHER_KEY, VirtualClock(), last).seal(STOP, seal.after_n, heads)
    row = (forged.statement, forged.signature, forged.hash, seal.n)
    at.connection.execute("UPDATE seal SET statement = ?, signature = ?, hash = ? WHERE n = ?", row)
    return Done((FindingKind.CHANGED,), "", seal.n)


MORE = (
    rewritten_to_the_end,
    rewritten_for_a_while,
    cut_off_and_not_its_seals,
    sealed_again_with_another_key_in_the_name_of_the_right_one,
)


@pytest.mark.parametrize("change", [*RECORDS, *SEALS, *MORE], ids=lambda one: one.__name__)
def test_of_a_journal_that_was_changed_nothing_is_taken_but_what_was_sealed(
    tmp_path: Path, sealed_often: Path, change: Callable[[Tampered], Done]
) -> None:
    right = [leaf_hash(body) for body in bodies(sealed_often)]
    assert taken(sealed_often) == right
    for seed in range(3):
        path = Path(copy(sealed_often, tmp_path / "journal.sqlite"))
        with tampering(path) as connection:
            change(Tampered(connection, Random(seed)))
        try:
            assert taken(path) == right
        except JournalError:
            continue
        assert change.__name__ in CHANGES_NO_RECORD


def test_a_forgery_after_what_is_in_the_tree_stops_it_there_and_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
    size = caught_up(path)
    with Evening(path) as writer:
        writer.round("wheel-1")
    with tampering(path) as connection:
        # One plain edit of a fresh result: no key is needed for it, and no hash is made again.
        query = "UPDATE record SET body = CAST(replace(body, '$2', '$20') AS BLOB) WHERE kind = 'round.outcome'"
        assert connection.execute(query).rowcount == 1
    with TreeFile.open(tree_path(path)) as tree:
        with pytest.raises(JournalDamaged, match=r"record 3 \('wheel-1' 3\) does not follow the one before it"):
            GrowingTree(tree, [path], PUBLIC_KEY, 1).catch_up()
        assert tree.size == size


def test_a_record_after_an_orderly_end_is_refused_though_its_hash_is_right(tmp_path: Path, sealed_often: Path) -> None:
    path = Path(copy(sealed_often, tmp_path / "journal.sqlite"))
    with tampering(path) as connection:
        query = "SELECT seq, hash FROM record WHERE chain = 'wheel-1' ORDER BY seq DESC LIMIT 1"
        seq, digest = connection.execute(query).fetchone()
        Tampered(connection, Random(1)).insert("wheel-1", seq + 1, b"{}", link(digest, b"{}"))
    with pytest.raises(JournalDamaged, match="after the seal of an orderly end"):
        taken(path)


def test_seals_that_are_gone_are_missed_once_more_should_be_there(
    tmp_path: Path, sealed_often: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(copy(sealed_often, tmp_path / "journal.sqlite"))
    with tampering(path) as connection:
        connection.execute("DELETE FROM seal WHERE n > 2")
    sealed = len(taken(path))
    monkeypatch.setattr(sealed_leaves, "SEAL_EVERY", 5)
    with pytest.raises(JournalDamaged, match=f"records after record {sealed} have no seal"):
        taken(path)


def test_a_seal_of_the_new_key_proves_what_the_old_one_sealed_and_not_the_other_way_round(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        writer.opened("wheel-2")
    new = bytes(OTHER_KEY.verify_key)
    with TreeFile.open(tmp_path / "new.tree", origin_of(path)) as tree:
        with pytest.raises(JournalError, match=f"1 to 2 are sealed with another key, {PUBLIC_KEY.hex()}"):
            GrowingTree(tree, [path], new, 1).catch_up()
        assert caught_up(path) == 2
        with Evening(path, key=OTHER_KEY) as writer:
            writer.round("wheel-1")
        assert GrowingTree(tree, [path], new, 1).catch_up() == 5
    with TreeFile.open(tree_path(path)) as tree, pytest.raises(JournalError, match="3 to 5 are sealed with another"):
        GrowingTree(tree, [path], PUBLIC_KEY, 1).catch_up()


def test_a_seal_that_states_another_chain_proves_no_record_of_this_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        writer.opened("wheel-2")
        writer.seal()
        assert caught_up(path) == 2
        writer.closed("wheel-1")
        writer.store.seal(SECOND)
        with tampering(path) as connection:
            event = writer.event("wheel-2", TableClosed, reason="stopped")
            body = encode(event)
            digest = link(Tampered(connection, Random(1)).hash("wheel-2", 1), body)
            connection.execute("DELETE FROM record WHERE n = 3")
            row = (3, *Entry.of(event, body), digest)
            connection.execute("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        assert caught_up(path) == 2
    with pytest.raises(JournalDamaged, match="seal 4 states another record than 2 as the last of 'wheel-2'"):
        caught_up(path)


def test_a_forged_archive_is_not_proven_by_a_seal_of_the_journal_that_states_its_other_tables(tmp_path: Path) -> None:
    path, out = tmp_path / "journal.sqlite", tmp_path / "old.sqlite"
    writer = Evening(path)
    with writer:
        writer.opened("wheel-1")
        writer.opened("wheel-2")
    later = VirtualClock(EVENING_NS + DAY_NS)
    assert archive(path, out, datetime(2026, 7, 5, tzinfo=UTC), key=KEY, clock=later) is not None
    with tampering(out) as connection:
        at = Tampered(connection, Random(1))
        body = at.edited(at.body("wheel-2", 1))
        digest = link(genesis("wheel-2"), body)
        connection.execute("UPDATE record SET body = ?, hash = ? WHERE chain = 'wheel-2'", (body, digest))
        connection.execute("DELETE FROM seal WHERE n > 1")
        heads = {chain: head_of(connection, chain) for chain in ("wheel-1", "wheel-2")}
        forged = SealSigner(OTHER_KEY, later, next(read_seals(connection))).seal(STOP, 2, heads)
        connection.execute("INSERT INTO seal VALUES (?, ?, ?, ?, ?, ?)", forged)
    with writer:
        with tampering(path) as connection:
            connection.execute("UPDATE base SET hash = ? WHERE chain = 'wheel-2'", (digest,))
        writer.closed("wheel-1")
        writer.store.seal(SECOND)
        with TreeFile.open(tree_path(path), origin_of(path)) as tree:
            assert GrowingTree(tree, [out, path], PUBLIC_KEY, 1).catch_up() == 0


@pytest.mark.parametrize("piece", [2, 2000])
def test_archives_of_an_older_version_are_proven_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr(sealed_leaves, "_PIECE", piece)
    archive, journal, whole = (load(name, tmp_path / f"{name}.sqlite") for name in ("archive", "journal", "whole"))
    with TreeFile.open(tree_path(journal), origin_of(journal)) as tree:
        GrowingTree(tree, [archive, journal], PUBLIC_KEY, 1).catch_up()
        expected = grown(bodies(archive) + bodies(journal))
        assert tree.checkpoint(expected.size).root == root_of(expected.size, expected.node)
    assert caught_up(whole) == len(bodies(whole))
