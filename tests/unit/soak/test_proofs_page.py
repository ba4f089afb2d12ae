"""docs/proofs.md: equal to the figures that were recorded, true about what was not run, and what others go on from."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.soak import proofs
from tests.soak.__main__ import FIGURES, PAGE
from tests.soak.catalogue import SOAKS, Piece, Soak
from tests.soak.records import Failure, Folder, Machine, Record, Result, SoakError


def pieces(amount: int) -> list[Piece]:
    return [Piece(f"piece-{n}", 10, ("-m", "nothing", str(n))) for n in range(0, amount, 10)]


TINY = Soak("tiny", "Nothing | at all", "runs", 30, pieces, 60, 60)
NONE = Soak("none", "Never run", "runs", 30, pieces, 60, 60)
MACHINE = Machine(2, "A processor", "3.11.7")


def record(number: int, commit: str = "a" * 40, failures: tuple[Failure, ...] = ()) -> Record:
    return Record(
        soak="tiny", piece=f"piece-{number}", command=f"python -m nothing {number}", commit=commit, machine=MACHINE,
        date=f"2026-11-{10 + number}", seconds=60.5, status=1 if failures else 0, amount=10,
        result=Result({"runs": 10, "rounds": 13}, list(failures), cpu_s=10.25),
    )  # fmt: skip


def update(folder: Folder, docs: Path) -> None:
    proofs.update(folder, (TINY, NONE), docs / "proofs.json", docs / "proofs.md", docs / "proofs-unfinished.jsonl")


def page(tmp_path: Path, *kept: Record) -> str:
    with Folder(tmp_path / "state") as folder:
        for one in kept:
            folder.write(one)
        update(folder, tmp_path)
    return (tmp_path / "proofs.md").read_text(encoding="utf-8")


def test_the_page_of_the_repository_is_that_of_its_figures() -> None:
    assert PAGE.read_text(encoding="utf-8") == proofs.text(SOAKS, proofs.read(FIGURES)), "run: make proofs"


def test_the_table_has_what_the_state_has(tmp_path: Path) -> None:
    text = page(tmp_path, record(0), record(10), record(20))
    row = (
        "| `tiny` | Nothing / at all | 30 of 30 runs | no failure; 30 runs, 39 rounds | `DIGEST` | older: `aaaaaaaaaa` "
        "| 2 cores, A processor, Python 3.11.7 | 3 min (31 s) | 2026-11-10 to 2026-11-30 |"
    )
    digest = proofs.digest_of([record(20), record(0), record(10)])
    assert row.replace("DIGEST", digest[: proofs.SHOWN]) in text.splitlines()
    assert "| `none` | Never run | not run |  |  |  |  |  |  |" in text.splitlines()
    assert "- `none`: nothing of it was run" in text.splitlines()
    assert "- `tiny`: " not in text


def test_a_part_of_a_soak_and_several_commits_are_told(tmp_path: Path) -> None:
    text = page(tmp_path, record(0), record(10, "b" * 40 + ", changed"))
    assert "`aaaaaaaaaa` (10), `bbbbbbbbbb`, changed (10)" in text
    assert "20 of 30 runs" in text
    assert "- `tiny`: 10 of 30 runs were not run" in text.splitlines()


def test_what_failed_stands_there_with_the_command_that_repeats_it(tmp_path: Path) -> None:
    text = page(tmp_path, record(0), record(10, failures=(Failure("seed 7:\n space 4 for 5", "repeat 7"),)))
    assert "**1 failure**" in text
    assert "- `tiny`: seed 7: space 4 for 5; repeat it with `repeat 7`" in text.splitlines()


def test_where_nothing_was_run_nothing_is_said_to_have_passed(tmp_path: Path) -> None:
    assert "Nothing: nothing was run." in page(tmp_path).splitlines()
    assert "Nothing: nothing was run." not in page(tmp_path, record(0))


def test_figures_of_what_a_folder_does_not_have_are_kept_with_their_commit(tmp_path: Path) -> None:
    before = page(tmp_path, record(0))
    with Folder(tmp_path / "empty") as folder:
        update(folder, tmp_path)
    assert (tmp_path / "proofs.md").read_text(encoding="utf-8") == before


def test_figures_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "proofs.json").write_text("{")
    with pytest.raises(SoakError, match=r"proofs\.json: no figures of soaks"):
        page(tmp_path, record(0))


def test_the_sum_of_the_figures_is_that_of_the_records() -> None:
    proof = proofs.proof_of(TINY, [record(0), record(10), record(20)], "a" * 40)
    assert proof is not None
    assert (proof.amount, proof.seconds, proof.commits, proof.older) == (30, 181.5, {"a" * 40: 30}, False)
    assert msgspec.json.decode(msgspec.json.encode(proof), type=proofs.Proof) == proof
    assert proofs.proof_of(TINY, [], "a" * 40) is None


def test_a_piece_that_the_soak_no_longer_has_does_not_count_for_it() -> None:
    proof = proofs.proof_of(TINY, [record(0), record(30)], "a" * 40)
    assert proof is not None
    assert proof.amount == 10


def test_a_digest_is_of_the_results_alone() -> None:
    one = record(0)
    for same in (replace(one, seconds=1.0), replace(one, machine=Machine(4, "Another", "3.12.1")), record(0, "b" * 40)):
        assert proofs.digest_of([same]) == proofs.digest_of([one])
    other = replace(one, result=replace(one.result, counts={"runs": 10, "rounds": 14}))
    assert len({proofs.digest_of(kept) for kept in ([one], [other], [one, record(10)], [])}) == 4


def test_what_ran_on_other_code_or_in_another_size_is_told_apart(tmp_path: Path) -> None:
    kept = [proofs.proof_of(TINY, [record(0, commit)], "a" * 40) for commit in ("a" * 40, "b" * 40)]
    assert [one is not None and one.older for one in kept] == [False, True]
    page(tmp_path, record(0), record(10), record(20))
    (old,) = proofs.read(tmp_path / "proofs.json")
    text = proofs.text([TINY], [replace(old, whole=90)])
    assert "| 30 of 90 runs, of an earlier size (now 30) |" in text
    assert "- `tiny`: it was run in an earlier size alone" in text.splitlines()


def test_another_computer_goes_on_with_the_pieces_of_what_is_unfinished(tmp_path: Path) -> None:
    kept = [record(0), record(10, failures=(Failure("seed 7", "repeat 7"),))]
    page(tmp_path, *kept)
    there = Folder(tmp_path / "elsewhere")
    proofs.resume(there, tmp_path / "proofs-unfinished.jsonl")
    assert there.records("tiny") == {one.piece: one for one in kept}
    there.write(replace(record(0), seconds=1.0))
    there.write(record(20))
    proofs.resume(there, tmp_path / "proofs-unfinished.jsonl")
    assert there.records("tiny")["piece-0"].seconds == 1.0
    update(there, tmp_path)
    assert (tmp_path / "proofs-unfinished.jsonl").read_bytes() == b""
    assert "- `tiny`: 10 of 30" not in (tmp_path / "proofs.md").read_text(encoding="utf-8")


def test_without_unfinished_pieces_a_state_folder_is_as_it_was(tmp_path: Path) -> None:
    proofs.resume(Folder(tmp_path / "state"), tmp_path / "none")
    assert Folder(tmp_path / "state").records("tiny") == {}


def test_an_unfinished_piece_that_cannot_be_read_is_named_with_its_line(tmp_path: Path) -> None:
    page(tmp_path, record(0), record(10))
    unfinished = tmp_path / "proofs-unfinished.jsonl"
    unfinished.write_bytes(unfinished.read_bytes()[:-30])
    with pytest.raises(SoakError, match=r"proofs-unfinished\.jsonl:2: no record of a piece .* delete the line"):
        proofs.resume(Folder(tmp_path / "state"), unfinished)
