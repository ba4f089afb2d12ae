"""A journal without its last records, or without an archive, hides no correction; and whatever is sound is refused by
neither `journal witnesses` nor `journal prove`.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from nacl.encoding import HexEncoder

from audit.signing import FILE_NAME
from audit.transparency import journal_log
from audit.transparency.notes import LOG_KEY, NoteKey
from audit.transparency.tree_file import tree_path
from command_line.exit_codes import NOT_COMPLETE, NOT_VERIFIED
from feed.events import Evidence, Void
from feed.secret_file import write_file
from hal.clock import NS_PER_S, VirtualClock
from tests.e2e.test_witnessed_history import WitnessedHouse, call, served_tree
from tests.unit.audit.making import EVENING_NS, OTHER_KEY, Evening, tampering

HOUR_NS = 3600 * NS_PER_S
OUTCOME, VOID = 11, 51
"""Records of round 2 of wheel-1: its outcome, and what made it void."""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[WitnessedHouse]:
    with ExitStack() as held:
        yield WitnessedHouse(tmp_path, held)


def voided(house: WitnessedHouse, start: int = 7, now_ns: int = EVENING_NS) -> None:
    """Makes round 2 of wheel-1 void, and publishes that."""
    writer = Evening(house.journal)
    writer._starts = start
    writer.clock = VirtualClock(now_ns)
    with writer:
        evidence = Evidence(revolutions=4.25, revolutions_low=4.25, revolutions_high=4.25, direction="positive")
        why = {"call": "No spin", "reason": "wheel_revolutions", "rule": "13:47-20.29(e)"}
        writer.say(writer.event("wheel-1", Void, round=2, evidence=evidence, **why))
    assert house.publish().exit_code == 0


def witnesses(house: WitnessedHouse, *paths: object, unsigned_s: int = 10**9) -> tuple[int, str]:
    answer = call("witnesses", *paths, "--policy", house.policy, "--unsigned", unsigned_s)
    return answer.exit_code, answer.output


def proven(house: WitnessedHouse, *paths: object) -> tuple[int, str]:
    """Of the last verdict of the round: the exit code, and which record it is, or what was said."""
    out = house.journal.with_name("out.tlog-proof")
    out.unlink(missing_ok=True)
    answer = call("prove", *paths, "wheel-1#2", "-o", out, "--policy", house.policy)
    assert out.exists() == (answer.exit_code == 0)
    return answer.exit_code, answer.output


def test_a_journal_that_was_cut_off_is_not_proven_whatever_else_is_given(house: WitnessedHouse, tmp_path: Path) -> None:
    voided(house)
    own, copied, link = tree_path(house.journal), tmp_path / "copied.tree", tmp_path / "link.sqlite"
    shutil.copy(own, copied)
    link.symlink_to(house.journal)
    sound = house.journal.read_bytes()
    assert f"record {VOID} of" in proven(house, house.journal)[1]
    with tampering(house.journal) as connection:
        assert connection.execute("DELETE FROM record WHERE n = ?", (VOID,)).rowcount == 1
    spelled = tmp_path / ".." / tmp_path.name / own.name
    with served_tree(house.journal) as site:
        for of in (house.journal, link):
            for more in (
                (),
                *(("--tree", one) for one in (own, spelled, copied)),
                ("--site", "http://127.0.0.1:9/"),
                ("--site", site),
                ("--tree", copied, "--site", site),
            ):
                code, said = witnesses(house, of, *more)
                assert (code, "verified" in said) == (NOT_COMPLETE, False), (more, said)
                assert "a: 51 records were signed (a at 2026-07-04T19:00:00Z), and it has 50" in said
                assert "NOT PROVEN: the tree beside it has 51 records, and it has 50: it was cut off" in said
        # By its seals, until they are cut off too.
        code, said = proven(house, house.journal)
        assert (code, "1 record of 'wheel-1' is missing, from its record" in said) == (NOT_VERIFIED, True), said
        with tampering(house.journal) as connection:
            connection.execute("DELETE FROM seal WHERE after_n >= ?", (VOID,))
        for tree in (own, spelled, copied):
            code, said = proven(house, house.journal, "--tree", tree)
            assert code == NOT_COMPLETE, said
            assert "the tree beside it has 51 records, and it has 50" in said
        assert proven(house, house.journal)[0] == NOT_COMPLETE
    # Nobody but the log has signed what is cut off here.
    house.journal.write_bytes(sound)
    house.grow()
    none = house.policy.with_name("none.policy")
    none.write_text(f"log {house.key}\nquorum none\n")
    assert call("publish", house.journal, "--policy", none, "--once").exit_code == 0
    with tampering(house.journal) as connection:
        connection.execute("DELETE FROM record WHERE n > 51")
    code, said = witnesses(house, house.journal)
    assert (code, "the tree beside it has 54 records, and it has 51" in said) == (NOT_COMPLETE, True), said


def test_of_a_copy_that_is_behind_is_stated_how_much_was_verified_and_with_unsigned_0_it_is_not_proven(
    house: WitnessedHouse, tmp_path: Path
) -> None:
    assert house.publish().exit_code == 0
    folder = tmp_path / "copy"
    folder.mkdir()
    copy, tree = folder / "journal.sqlite", tree_path(house.journal)
    assert call("backup", house.journal, copy).exit_code == 0
    # A tree of the same moment, or of one before it, takes nothing from a copy that goes on.
    shutil.copy(tree, tree_path(copy))
    voided(house)
    with served_tree(house.journal) as site:
        for beside in (True, False):
            if not beside:
                tree_path(copy).unlink()
            for more in (("--site", site), ("--tree", tree)):
                code, said = witnesses(house, copy, *more)
                assert code == 0, said
                assert said.endswith("\nverified: its 50 records, the first of 51 that were signed\n")
                code, said = witnesses(house, copy, *more, unsigned_s=0)
                assert code == NOT_COMPLETE
                assert "NOT PROVEN: it has 50 records, the first of 51 that were signed, and --unsigned 0 asks" in said
    # What a tree that is given has more is stated; the one beside a copy that was made later is taken for its own.
    code, said = proven(house, copy, "--tree", tree)
    assert (code, f"is record {OUTCOME} of" in said) == (0, True), said
    assert "the tree has 1 record after these files: a correction may be among them" in said
    shutil.copy(tree, tree_path(copy))
    assert proven(house, copy)[0] == witnesses(house, copy, "--site", site)[0] == NOT_COMPLETE
    code, said = witnesses(house, copy)
    assert "that tree is of a later moment: move it away from beside the copy" in said


def test_an_archive_that_is_left_out_or_in_another_place_hides_no_correction(
    house: WitnessedHouse, tmp_path: Path
) -> None:
    assert house.publish().exit_code == 0
    old, new, tree = tmp_path / "2025.sqlite", tmp_path / "2026.sqlite", tree_path(house.journal)
    assert call("archive", house.journal, old, "--before", "2026-07-04T19:30:00").exit_code == 0
    voided(house, 8, EVENING_NS + HOUR_NS)
    assert call("archive", house.journal, new, "--before", "2026-07-04T20:30:00").exit_code == 0
    house.grow(EVENING_NS + 2 * HOUR_NS)
    assert house.publish().exit_code == 0
    for paths, code, stated in (
        ((old, new, house.journal), 0, f"is record {VOID} of"),
        ((new, house.journal), 0, f"is record {VOID} of"),
        ((old, new, "--tree", tree), 0, f"is record {VOID} of"),
        ((new, "--tree", tree), 0, f"is record {VOID} of"),
        # Of what is after the files that are given, nobody knows.
        ((old, "--tree", tree), 0, "the tree has 4 records after these files: a correction may be among them"),
        ((old, house.journal), 2, f"it does not continue {old}"),
        ((new, old, house.journal), 2, f"it does not continue {old}"),
        ((new, old, "--tree", tree), 2, f"it does not continue {new}"),
        ((house.journal,), 2, "it may be in an archive"),
    ):
        found, said = proven(house, *paths)
        assert (found, stated in said) == (code, True), said
    for files in ((old, new, house.journal), (new, house.journal), (house.journal,)):
        code, said = witnesses(house, *files)
        assert (code, said.endswith("\nverified\n")) == (0, True), said
    # An archive alone is the beginning of what was signed.
    for files, count in (((old,), 50), ((old, new), 51), ((new,), 51)):
        code, said = witnesses(house, *files, "--tree", tree)
        assert code == 0, said
        assert said.endswith(f"\nverified: its {count} records, the first of 54 that were signed\n")


def test_a_tree_that_is_given_serves_where_the_one_beside_cannot_be_read_which_is_stated(
    house: WitnessedHouse, tmp_path: Path
) -> None:
    voided(house)
    tree = tmp_path / "good.tree"
    shutil.copy(tree_path(house.journal), tree)
    tree_path(house.journal).write_bytes(b"x" * 5000)
    what = "the tree beside it cannot be read, so whether it has more is not known: "
    for code, said in (
        proven(house, house.journal, "--tree", tree),
        witnesses(house, house.journal, "--tree", tree),
    ):
        assert (code, what in said) == (0, True), said
    # Nothing else has its place.
    assert proven(house, house.journal)[0] == witnesses(house, house.journal)[0] == 2


def test_after_a_change_of_the_key_a_journal_and_its_copy_are_as_sound_as_before(
    house: WitnessedHouse, tmp_path: Path
) -> None:
    voided(house)
    new = NoteKey(house.key.name, LOG_KEY, bytes(OTHER_KEY.verify_key))
    house.keys.append(new)
    house.policy.write_text(f"log {new}\n{house.policy.read_text()}")
    write_file(tmp_path / FILE_NAME, OTHER_KEY.encode(HexEncoder) + b"\n", overwrite=True)
    # What the retired key has signed is held against the journal before and after the new one has signed.
    writer = Evening(house.journal, key=OTHER_KEY)
    writer._starts = 8
    with writer:
        writer._rounds["wheel-1"] = 100
        writer.round("wheel-1")
    assert witnesses(house, house.journal)[0] == proven(house, house.journal)[0] == 0
    copy = tmp_path / "copy.sqlite"
    shutil.copy(house.journal, copy)
    published = house.publish()
    assert published.exit_code == 0, published.output
    writer = Evening(house.journal, key=OTHER_KEY)
    writer._starts = 9
    with writer:
        writer._rounds["wheel-1"] = 200
        writer.round("wheel-1")
    assert house.publish().exit_code == 0
    assert witnesses(house, house.journal, unsigned_s=0)[0] == 0
    assert f"is record {VOID} of" in proven(house, house.journal)[1]
    code, said = witnesses(house, copy, "--tree", tree_path(house.journal))
    assert (code, "verified: its 54 records, the first of 57 that were signed" in said) == (0, True), said


def test_a_journal_that_is_written_and_published_meanwhile_is_neither_behind_its_tree_nor_cut_off(
    house: WitnessedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    voided(house)

    def growing_after(read: Callable[..., object]) -> Callable[..., object]:
        def reading(*given: object) -> object:
            found = read(*given)
            house.grow()
            assert house.publish().exit_code == 0
            return found

        return reading

    with monkeypatch.context() as patch:
        name = "controller.cli.journal_witnesses.checkpoints_at"
        patch.setattr(name, growing_after(journal_log.checkpoints_at))
        code, said = witnesses(house, house.journal)
    assert (code, said.endswith("\nverified\n")) == (0, True), said
    with monkeypatch.context() as patch:
        patch.setattr(journal_log, "records_after", growing_after(journal_log.records_after))
        code, said = proven(house, house.journal)
    assert (code, f"is record {VOID} of" in said, "after these files" in said) == (0, True, False), said
