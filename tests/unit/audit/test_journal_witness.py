"""The witness: what it notes beside the journal, and what a torn one still knows."""

from pathlib import Path

import pytest

from audit import witness as module
from audit.records import Head
from audit.witness import HistoryLost, Witness, read_witness, witness_path
from tests.fakes.descriptors import no_descriptors


def head(seq: int, epoch: str = "e1") -> Head:
    return Head(seq, epoch, f"{seq:064x}")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.sqlite"


def test_where_there_is_no_witness_nothing_is_noted(path: Path) -> None:
    assert read_witness(path).heads == {}


def test_the_last_head_of_each_chain_is_known(path: Path) -> None:
    witness = Witness(path, {"roulette-1": head(1)})
    witness.note({"roulette-1": head(2), "roulette-10": head(9)})
    witness.note({"roulette-1": head(3)})
    witness.close()
    assert read_witness(path).heads == {"roulette-1": head(3), "roulette-10": head(9)}


def test_what_is_torn_or_rubbish_is_passed_over_and_takes_nothing_along(path: Path) -> None:
    witness = Witness(path, {})
    witness.note({"a": head(1)})
    noted = witness_path(path)
    with noted.open("ab") as file:
        file.write(b"a 2 e1 " + b"0" * 30)
    witness.note({"a": head(3)})
    with noted.open("ab") as file:
        file.write(b"\0\0\xff\n 00000000\na 4 e1 " + b"f" * 64 + b" 00000000\n\n")
    witness.close()
    assert read_witness(path).heads == {"a": head(3)}


def test_a_chain_without_an_epoch_is_noted_too(path: Path) -> None:
    Witness(path, {"a": Head(0, "", "0" * 64)}).close()
    assert read_witness(path).heads == {"a": Head(0, "", "0" * 64)}


def test_the_file_does_not_grow_for_ever_and_forgets_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 2000)
    witness = Witness(path, {"quiet": head(5)})
    for seq in range(1, 200):
        witness.note({"busy": head(seq)})
        assert witness_path(path).stat().st_size < 2200
        assert read_witness(path).heads == {"quiet": head(5), "busy": head(seq)}
    witness.close()


def test_a_witness_that_cannot_be_begun_anew_keeps_the_old_one_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 0)
    witness = Witness(path, {"a": head(1)})
    witness_path(path).with_name("journal.sqlite.heads.new").mkdir()
    with pytest.raises(IsADirectoryError):
        witness.note({"a": head(2)})
    witness.close()
    assert read_witness(path).heads == {"a": head(1)}


def test_it_is_private(path: Path) -> None:
    Witness(path, {}).close()
    assert witness_path(path).stat().st_mode & 0o777 == 0o600


def test_a_loss_is_told_in_words() -> None:
    gone = HistoryLost("roulette-1", head(45), head(41))
    assert str(gone) == (
        "roulette-1: the heads file notes 45 (e1) as written and synced, and the journal ends at 41; "
        "4 records that were durable are gone"
    )
    replaced = HistoryLost("roulette-1", head(45), head(45, "e2"))
    assert str(replaced).endswith("has another record at 45: its history was replaced")


def test_without_a_descriptor_for_a_new_file_the_full_one_is_written_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 200)
    witness = Witness(path, {"quiet": head(5)})
    with no_descriptors():
        for seq in range(1, 20):
            witness.note({"busy": head(seq)})
    assert read_witness(path).heads == {"quiet": head(5), "busy": head(19)}
    witness.note({"busy": head(20)})
    assert witness_path(path).stat().st_size < 400, "begun anew as soon as it can be"
    assert read_witness(path).heads == {"quiet": head(5), "busy": head(20)}
    witness.close()
