"""A journal and its tree: what the tree takes of it, and when it takes no more."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from audit.errors import JournalDamaged, JournalError
from audit.transparency.journal_log import (
    GrowingTree,
    NotWitnessedError,
    checkpoints_at,
    find_event,
    find_verdict,
    must_be_of,
    must_be_the_last,
    origin_of,
)
from audit.transparency.sealed_leaves import RecordChanged, RecordMissing
from audit.transparency.tree import leaf_hash, root_of
from audit.transparency.tree_file import TreeFile, tree_path
from audit.verify import verify
from controller.journal.archive import archive
from controller.journal.files import make_file
from feed.events import Evidence, Void
from hal.clock import NS_PER_S, VirtualClock
from tests.fakes.witnessing import grown
from tests.unit.audit.making import EVENING_NS, KEY, OTHER_KEY, PUBLIC_KEY, Evening, evening, tampering


def evening_of(path: Path, rounds: int, other: int | None = None) -> Path:
    """A journal with this many rounds; that of another game in round `other`, and all hashes and seals with it."""
    for before in path.parent.glob(f"{path.name}*"):
        if before != tree_path(path):
            before.unlink()
    with Evening(path) as writer:
        writer.opened("wheel-1")
        for number in range(1, rounds + 1):
            writer.game = "another" if number == other else "money_wheel"
            writer.round("wheel-1")
            writer.seal()
    return path


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return evening(tmp_path / "journal.sqlite")


def bodies(path: Path) -> list[bytes]:
    with tampering(path) as connection:
        return [body for (body,) in connection.execute("SELECT body FROM record ORDER BY n")]


def test_every_record_is_a_leaf_in_the_order_in_which_it_was_written(journal: Path) -> None:
    expected = grown(bodies(journal))
    with TreeFile.open(tree_path(journal), origin_of(journal)) as tree:
        assert GrowingTree(tree, [journal], PUBLIC_KEY, 1).catch_up() == expected.size
        assert GrowingTree(tree, [journal], PUBLIC_KEY, 1).catch_up() == tree.size == expected.size
        assert tree.checkpoint(tree.size).root == root_of(expected.size, expected.node)
        assert tree.node(0, 4) == leaf_hash(bodies(journal)[4])
        sizes = (0, 1, expected.size, expected.size + 1)
        own = checkpoints_at([journal], sizes, None)
        assert own == {size: tree.checkpoint(size) for size in sizes[:-1]}


def test_the_last_record_of_the_tree_must_be_in_the_journal_as_it_was(journal: Path) -> None:
    with TreeFile.open(tree_path(journal), origin_of(journal)) as tree:
        size = GrowingTree(tree, [journal], PUBLIC_KEY, 1).catch_up()
        with tampering(journal) as connection:
            connection.execute("UPDATE record SET body = CAST(body || ' ' AS BLOB) WHERE n = ?", (size,))
        with pytest.raises(JournalDamaged, match=f"record {size} is not the one that was in it"):
            GrowingTree(tree, [journal], PUBLIC_KEY, 1).catch_up()


def test_an_old_record_that_was_rewritten_with_all_hashes_and_seals_is_named_at_the_start_and_from_time_to_time(
    tmp_path: Path,
) -> None:
    path = evening_of(tmp_path / "journal.sqlite", 200)
    with TreeFile.open(tree_path(path), origin_of(path)) as tree:
        growing = GrowingTree(tree, [path], PUBLIC_KEY, whole_every=4)
        # Until then, whoever asks for the last verdict of a round has none.
        assert "are being compared" in growing.damage
        assert [growing.catch_up(), growing.catch_up()] == [601, 601]
        assert growing.damage == ""
        evening_of(path, 201, other=100)
        assert verify(path, keys=[PUBLIC_KEY]).ok
        sizes = [growing.catch_up(), growing.catch_up()]
        assert sizes == [604, 604]
        named = re.escape("record 299 ('wheel-1.0000000000000001.299') is not the one that was in it: its history was")
        # Until it is as it was, nothing is signed any more.
        for whole in (growing, growing, GrowingTree(tree, [path], PUBLIC_KEY, whole_every=60)):
            with pytest.raises(JournalDamaged, match=named) as caught:
                whole.catch_up()
        assert "run `feltwire journal witnesses`" in str(caught.value)
        evening_of(path, 201)
        assert growing.catch_up() == 604


def test_what_keeps_new_records_from_the_tree_hides_no_round_once_all_that_is_in_it_was_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = evening_of(tmp_path / "journal.sqlite", 2)
    with TreeFile.open(tree_path(path), origin_of(path)) as tree:
        GrowingTree(tree, [path], PUBLIC_KEY, 1).catch_up()
        writer = Evening(path, key=OTHER_KEY)
        writer._starts = 1
        with writer:
            writer._rounds["wheel-1"] = 2
            writer.round("wheel-1")
        growing = GrowingTree(tree, [path], PUBLIC_KEY, whole_every=60)
        with pytest.raises(JournalError, match="are sealed with another key"):
            growing.catch_up()
        assert growing.damage == ""
        growing = GrowingTree(tree, [path], bytes(OTHER_KEY.verify_key), whole_every=60)

        def full(*_: object) -> None:
            raise JournalError(tree.path, "the disk is full", "free some of it")

        with monkeypatch.context() as patch:
            patch.setattr(tree, "append", full)
            with pytest.raises(JournalError, match="the disk is full"):
                growing.catch_up()
        assert growing.damage == ""
        # Where all could not be compared, nothing is known, and no file of the house is named.
        growing = GrowingTree(tree, [tmp_path / "away.sqlite", path], PUBLIC_KEY, whole_every=60)
        with pytest.raises(JournalError, match="there is no such file"):
            growing.catch_up()
        assert growing.damage == "its records could not be compared with what was signed; the publisher has logged why"


def test_what_is_new_and_not_as_it_was_sealed_stays_known_while_the_rest_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = evening_of(tmp_path / "journal.sqlite", 2)
    with TreeFile.open(tree_path(path), origin_of(path)) as tree:
        growing = GrowingTree(tree, [path], PUBLIC_KEY, whole_every=1)
        growing.catch_up()
        evening_of(path, 3)
        with tampering(path) as connection:
            connection.execute("UPDATE record SET body = CAST(body || ' ' AS BLOB) WHERE n = 9")
        seen, leaves = [], tree.leaves

        def read(first: int, count: int) -> list[bytes]:
            seen.append(growing.damage)
            return leaves(first, count)

        monkeypatch.setattr(tree, "leaves", read)
        for _ in range(2):
            with pytest.raises(JournalDamaged, match=r"record 9 .* does not follow") as caught:
                growing.catch_up()
        assert [growing.damage, *seen] == [caught.value.what, "", caught.value.what]
        evening_of(path, 3)
        growing.catch_up()
        assert growing.damage == ""


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ("kind = 'round.opened'", "kind is 'round.opened', and the body states 'round.outcome'"),
        ("round = 9", "round is 9, and the body states 10"),
        ("round = NULL", "round is None, and the body states 10"),
        ("id = 'wheel-1.0000000000000001.1'", "id is 'wheel-1.0000000000000001.1', and the body states"),
        ("seq = 900", "seq is 900, and the body states 30"),
        ("chain = 'wheel-2'", "chain is 'wheel-2', and the body states 'wheel-1'"),
        ("time = '2026-07-05T19:00:00.000000Z'", "time is '2026-07-05T19:00:00.000000Z', and the body states"),
        ("epoch = '0000000000000009'", "epoch is '0000000000000009', and the body states '0000000000000001'"),
        ("topic = 'sim/' || topic", "topic is 'sim/v1/wheel-1/round.outcome/', and the body states 'v1/wheel-1/round."),
        # The body of a command states neither table nor number.
        ("chain = '@commands', kind = 'command', round = NULL, topic = ''", "body is not a command: it is an event"),
    ],
)
def test_a_verdict_that_a_changed_column_hides_stops_the_log(tmp_path: Path, change: str, wrong: str) -> None:
    path = evening_of(tmp_path / "journal.sqlite", 10)
    verdict, before = (find_verdict([path], "wheel-1", number) for number in (10, 5))
    assert verdict is not None
    assert before is not None
    named = f"record {verdict.n} .* was changed beside its body: .*{re.escape(wrong)}"
    with TreeFile.open(tree_path(path), origin_of(path)) as tree:
        growing = GrowingTree(tree, [path], PUBLIC_KEY, whole_every=1)
        size = growing.catch_up()
        with tampering(path) as connection:
            connection.execute(f"UPDATE record SET {change} WHERE n = ?", (verdict.n,))
        with pytest.raises(RecordChanged, match=named):
            growing.catch_up()
        assert tree.size == size
        assert re.match(named, growing.damage)
        # Whoever proves an earlier verdict as the last of its round has to look at all after it.
        with pytest.raises(NotWitnessedError, match=named):
            must_be_the_last(tree, before, [path], size)
    with pytest.raises(RecordChanged, match=named):
        checkpoints_at([path], [size], None)
    if "chain" not in change:
        with pytest.raises(RecordChanged, match=named):
            find_verdict([path], "wheel-1", 10)
    if "kind" in change and "chain" not in change:
        with pytest.raises(RecordChanged, match=named):
            find_event([path], verdict.id)


def voided_evening(path: Path, *, is_last: bool) -> int:
    """A journal whose round 2 of wheel-1 was made void in a later start; which record that is. It is the last of its
    table with `is_last`.
    """
    evening(path, rounds=6)
    writer = Evening(path)
    writer._starts = 7
    writer.clock = VirtualClock(EVENING_NS + 3600 * NS_PER_S)
    with writer:
        evidence = Evidence(revolutions=4.25, revolutions_low=4.25, revolutions_high=4.25, direction="positive")
        why = {"call": "No spin", "reason": "wheel_revolutions", "rule": "13:47-20.29(e)"}
        writer.say(writer.event("wheel-1", Void, round=2, evidence=evidence, **why))
        writer._rounds["wheel-1"] = writer._rounds["wheel-2"] = 100
        writer.round("wheel-2" if is_last else "wheel-1")
    return 51


@pytest.mark.parametrize("is_archived", [True, False])
@pytest.mark.parametrize("is_last", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM record WHERE n = 51",
        "UPDATE record SET chain = 'wheel-9', seq = 1 WHERE n = 51",
        "UPDATE record SET chain = '@commands', seq = 999, kind = 'command', round = NULL WHERE n = 51",
        "UPDATE record SET seq = 999 WHERE n = 49",
    ],
)
def test_no_verdict_is_the_last_of_its_round_where_a_record_after_it_was_deleted_or_moved(
    tmp_path: Path, change: str, is_last: bool, is_archived: bool
) -> None:
    path, archived = tmp_path / "journal.sqlite", tmp_path / "old.sqlite"
    void = voided_evening(path, is_last=is_last)
    paths = [path]
    if is_archived:
        before = datetime(2026, 7, 4, 19, 0, 30, tzinfo=UTC)
        assert archive(path, archived, before, key=KEY, clock=VirtualClock(EVENING_NS)) is not None
        paths = [archived, path]
    found = find_verdict(paths, "wheel-1", 2)
    assert found is not None
    assert found.n == void
    assert find_verdict(paths, "wheel-1", 99) is None
    with TreeFile.open(tmp_path / "tree", origin_of(path)) as tree:
        growing = GrowingTree(tree, paths, PUBLIC_KEY, whole_every=60)
        assert growing.catch_up() == growing.catch_up() == 54
        with tampering(path) as connection:
            assert connection.execute(change).rowcount == 1
        if "n = 51" in change:
            # Within the hour nothing else shows it.
            assert growing.catch_up() == 54
    for number in (2, 99):
        with pytest.raises(RecordMissing, match=r"records? of 'wheel-1' (is|are) missing, from its record"):
            find_verdict(paths, "wheel-1", number)


@pytest.mark.parametrize(
    "statement", ["x'00'", "CAST(json_set(statement, '$.heads', json('{}')) AS BLOB)", "zeroblob(9)", None]
)
def test_a_changed_last_seal_hides_no_record_that_was_deleted(tmp_path: Path, statement: str | None) -> None:
    path = evening(tmp_path / "journal.sqlite", rounds=6)
    # It is read as nothing else is: a seal may nest deeper than any reader goes.
    nested = b'{"x":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    with tampering(path) as connection:
        (last,) = connection.execute("SELECT max(n) FROM seal").fetchone()
        connection.execute("DELETE FROM record WHERE n = (SELECT max(n) FROM record WHERE chain = 'wheel-1')")
        connection.execute(
            f"UPDATE seal SET statement = {statement or '?'} WHERE n >= ?", (nested, last)[bool(statement) :]
        )
    for number in (2, 99):
        with pytest.raises(RecordMissing, match=f"seal {last}, the last, is not as it was signed"):
            find_verdict([path], "wheel-1", number)


def test_a_verdict_in_the_journal_is_found_whatever_became_of_its_archives(tmp_path: Path) -> None:
    path, out = tmp_path / "journal.sqlite", tmp_path / "old.sqlite"
    void = voided_evening(path, is_last=False)
    before = datetime(2026, 7, 4, 19, 0, 30, tzinfo=UTC)
    assert archive(path, out, before, key=KEY, clock=VirtualClock(EVENING_NS)) is not None
    out.unlink()
    found = find_verdict([out, path], "wheel-1", 2)
    assert found is not None
    assert found.n == void
    # Of another round, it is where that verdict may be.
    with pytest.raises(JournalError, match="there is no such file"):
        find_verdict([out, path], "wheel-1", 1)


def test_what_was_added_last_is_compared_again_the_next_time(tmp_path: Path) -> None:
    path = evening_of(tmp_path / "journal.sqlite", 2)
    with TreeFile.open(tree_path(path), origin_of(path)) as tree:
        growing = GrowingTree(tree, [path], PUBLIC_KEY, whole_every=60)
        growing.catch_up()
        evening_of(path, 4)
        growing.catch_up()
        evening_of(path, 5, other=3)
        with pytest.raises(JournalDamaged, match="record 8 "):
            growing.catch_up()


def test_a_tree_whose_hashes_were_changed_to_fit_is_not_signed(tmp_path: Path) -> None:
    path = evening_of(tmp_path / "journal.sqlite", 200)
    with TreeFile.open(tree_path(path), origin_of(path)) as tree:
        GrowingTree(tree, [path], PUBLIC_KEY, 1).catch_up()
    other = evening_of(tmp_path / "other.sqlite", 200, other=10)
    with TreeFile.open(tree_path(other), origin_of(other)) as tree:
        GrowingTree(tree, [other], PUBLIC_KEY, 1).catch_up()
    with tampering(tree_path(other)) as connection:
        (leaves,) = connection.execute("SELECT hashes FROM tile WHERE (level, place) = (0, 0)").fetchone()
    with tampering(tree_path(path)) as connection:
        connection.execute("UPDATE tile SET hashes = ? WHERE (level, place) = (0, 0)", (leaves,))
    other.replace(path)
    with (
        TreeFile.open(tree_path(path), origin_of(path)) as tree,
        pytest.raises(JournalError, match="its hashes from record 1 on were changed"),
    ):
        GrowingTree(tree, [path], PUBLIC_KEY, whole_every=60).catch_up()


def test_all_records_are_compared_where_older_ones_are_archived_and_their_archive_is_given_or_not(
    tmp_path: Path,
) -> None:
    journal, out = evening(tmp_path / "journal.sqlite", rounds=6), tmp_path / "old.sqlite"
    with TreeFile.open(tree_path(journal), origin_of(journal)) as tree:
        GrowingTree(tree, [journal], PUBLIC_KEY, 1).catch_up()
        before = datetime(2026, 7, 4, 19, 0, 30, tzinfo=UTC)
        assert archive(journal, out, before, key=KEY, clock=VirtualClock(EVENING_NS)) is not None
        for paths in ([journal], [out, journal]):
            assert GrowingTree(tree, paths, PUBLIC_KEY, whole_every=1).catch_up() == 50
        with tampering(out) as connection:
            connection.execute("UPDATE record SET body = CAST(body || ' ' AS BLOB) WHERE n = 5")
        with pytest.raises(JournalDamaged, match="record 5 "):
            GrowingTree(tree, [out, journal], PUBLIC_KEY, whole_every=1).catch_up()
        with tampering(journal) as connection:
            (first,) = connection.execute("SELECT min(n) FROM record").fetchone()
            connection.execute("DELETE FROM record WHERE n = ?", (first,))
        with pytest.raises(JournalDamaged, match=f"records are missing before record {first + 1}"):
            GrowingTree(tree, [journal], PUBLIC_KEY, whole_every=1).catch_up()


def test_records_that_are_missing_in_the_middle_are_named(journal: Path) -> None:
    with tampering(journal) as connection:
        connection.execute("DELETE FROM record WHERE n = 7")
    with TreeFile.open(tree_path(journal), origin_of(journal)) as tree:
        with pytest.raises(JournalDamaged, match="records are missing after record 0"):
            GrowingTree(tree, [journal], PUBLIC_KEY, 1).catch_up()
        assert tree.size == 0


def test_another_journal_in_its_place_is_seen_and_not_signed_under_its_name(journal: Path, tmp_path: Path) -> None:
    with TreeFile.open(tree_path(journal), origin_of(journal)) as tree:
        GrowingTree(tree, [journal], PUBLIC_KEY, 1).catch_up()
        other = evening(tmp_path / "other.sqlite")
        with tampering(other) as connection:
            connection.execute("UPDATE seal SET hash = zeroblob(32) WHERE n = 1")
        other.replace(journal)
        with pytest.raises(JournalDamaged, match="another journal was begun in its place"):
            GrowingTree(tree, [journal], PUBLIC_KEY, 1).catch_up()


def test_an_archive_of_another_journal_is_refused_and_makes_no_tree(tmp_path: Path) -> None:
    journal, out = evening(tmp_path / "journal.sqlite", rounds=6), tmp_path / "old.sqlite"
    assert archive(journal, out, datetime(2030, 1, 1, tzinfo=UTC), key=KEY, clock=VirtualClock(EVENING_NS)) is not None
    # Of another key; and of the same first seal, as another history of the same evening has it.
    other = evening(tmp_path / "other.sqlite", rounds=40, key=OTHER_KEY)
    forked = evening(tmp_path / "forked.sqlite", rounds=40)
    assert origin_of(forked) == origin_of(journal) != origin_of(other)
    for wrong, what in ((other, "it is an archive of another journal"), (forked, f"it does not continue {forked}")):
        with TreeFile.open(tree_path(journal), origin_of(journal)) as tree:
            with pytest.raises(JournalError, match=what):
                GrowingTree(tree, [wrong, journal], PUBLIC_KEY, 1).catch_up()
            assert tree.size == 0
        with pytest.raises(JournalError, match=what):
            checkpoints_at([wrong, journal], [1], None)
    with TreeFile.open(tree_path(journal)) as tree:
        must_be_of(tree, [out, journal])
        with pytest.raises(JournalError, match="is the tree of another journal"):
            must_be_of(tree, [other, journal])
    with TreeFile.open(tree_path(journal)) as tree:
        # Nothing is left in the journal.
        with pytest.raises(JournalError, match="its history begins after record 50, and 0 are in the tree"):
            GrowingTree(tree, [journal], PUBLIC_KEY, 1).catch_up()
        assert GrowingTree(tree, [out, journal], PUBLIC_KEY, 1).catch_up() == 50
        assert GrowingTree(tree, [journal], PUBLIC_KEY, 1).catch_up() == 50
        with pytest.raises(JournalError, match=f"it does not continue {forked}"):
            GrowingTree(tree, [forked, journal], PUBLIC_KEY, 1).catch_up()


def test_a_journal_has_a_name_from_its_first_seal_on(tmp_path: Path) -> None:
    path, other = tmp_path / "journal.sqlite", tmp_path / "other.sqlite"
    with Evening(path) as one, Evening(other, key=OTHER_KEY) as two:
        one.opened("wheel-1")
        two.opened("wheel-1")
        # Of one moment, and of two hands.
        assert origin_of(path) != origin_of(other)
    empty = tmp_path / "empty.sqlite"
    make_file(empty)
    with pytest.raises(JournalError, match="it is empty"):
        origin_of(empty)
