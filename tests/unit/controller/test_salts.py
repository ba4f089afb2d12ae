"""The salts of commitments: from one key a stack, which opens what it sealed and nothing that was sealed before it."""

from __future__ import annotations

import errno
import logging
from concurrent.futures import Future
from pathlib import Path

import pytest

from controller.service.salt_files import salts_of
from controller.table.salts import MOST_STACKS, KeyedSalts, RepeatableSalts, StackKey


class AtOnce:
    """Runs what it is given at once."""

    def submit(self, run, *given):  # type: ignore[no-untyped-def]
        run(*given)
        return Future()


def opened(folder: Path) -> KeyedSalts:
    return salts_of(folder, "b-1", AtOnce())  # type: ignore[arg-type]


def test_no_salt_and_no_nonce_comes_twice_and_a_nonce_gives_its_salt_again() -> None:
    salts = KeyedSalts()
    made = [salts.new() for _ in range(50)]
    assert len({one.nonce for one in made}) == len({one.salt for one in made}) == 50
    assert {len(one.salt) for one in made} == {16}
    assert [salts.again(one.nonce) for one in made] == [one.salt for one in made]


def test_a_restart_has_the_salts_of_its_stack_again(tmp_path: Path) -> None:
    before = opened(tmp_path)
    made = [before.new() for _ in range(3)]
    after = opened(tmp_path)
    assert [after.again(one.nonce) for one in made] == [one.salt for one in made]
    assert after.new().nonce not in {one.nonce for one in made}


def test_the_file_is_secret_and_is_written_before_the_first_salt_is_used(tmp_path: Path) -> None:
    opened(tmp_path / "salts")
    path = tmp_path / "salts" / "b-1"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_power_cut_before_the_new_key_is_written_loses_nothing(tmp_path: Path) -> None:
    before = opened(tmp_path)
    before.stack_loaded()  # and nothing says that it is durable
    made = before.new()
    after = opened(tmp_path)
    assert after.again(made.nonce) == made.salt


def test_once_the_next_stack_is_loaded_for_good_nothing_of_the_stack_before_can_be_opened(tmp_path: Path) -> None:
    before = opened(tmp_path)
    old = before.new()
    first = (tmp_path / "b-1").read_bytes()
    before.stack_loaded()
    made = before.new()
    before.loading_durable()
    assert (tmp_path / "b-1").read_bytes() != first
    for salts in (before, opened(tmp_path)):
        assert salts.again(old.nonce) is None
        assert salts.again(made.nonce) == made.salt


def test_a_stack_that_is_not_durable_yet_takes_no_key_from_the_one_before(tmp_path: Path) -> None:
    before = opened(tmp_path)
    first = before.new()
    before.stack_loaded()
    sealed = before.new()
    before.stack_loaded()  # and nothing says that it is durable
    before.loading_durable()  # the one before it is
    for salts in (before, opened(tmp_path)):
        assert salts.again(first.nonce) is None
        assert salts.again(sealed.nonce) == sealed.salt
    before.loading_durable()
    assert opened(tmp_path).again(sealed.nonce) is None


def test_no_more_loadings_are_durable_than_there_were(tmp_path: Path) -> None:
    before = opened(tmp_path)
    before.stack_loaded()
    made = before.new()
    before.loading_durable(3)
    assert opened(tmp_path).again(made.nonce) == made.salt


def test_stacks_have_keys_of_their_own() -> None:
    key = StackKey(0, bytes(32))
    later = key.of_stack(2)
    assert later is not None
    assert later.stack == 2
    assert later.key not in (key.key, key.of_stack(1))
    assert later.of_stack(1) is None
    assert key.of_stack(MOST_STACKS + 1) is None


@pytest.mark.parametrize("nonce", ["", "x" * 32, "0" * 31, "0" * 33, "ffffffff" + "0" * 24, "٣" * 32])
def test_a_nonce_that_is_none_has_no_salt(nonce: str) -> None:
    assert KeyedSalts().again(nonce) is None


@pytest.mark.parametrize("content", [b"", b"feltwire salts 1 0 abc\n", b"\xff" * 5000])
def test_a_file_that_is_no_key_is_reported_and_moved_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes
) -> None:
    old = opened(tmp_path).new()
    (tmp_path / "b-1").write_bytes(content)
    with caplog.at_level(logging.ERROR):
        after = opened(tmp_path)
    assert "stay closed" in caplog.text
    assert f"kept as {tmp_path / 'b-1.refused'}" in caplog.text
    assert (tmp_path / "b-1.refused").read_bytes() == content
    assert after.again(old.nonce) != old.salt
    made = after.new()
    assert opened(tmp_path).again(made.nonce) == made.salt


def test_a_key_that_others_may_read_is_not_used_and_opens_its_cards_once_it_is_mended(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    old = opened(tmp_path).new()
    path = tmp_path / "b-1"
    path.chmod(0o644)
    between = opened(tmp_path)
    assert between.again(old.nonce) != old.salt
    assert "others may read" in caplog.text
    aside = tmp_path / "b-1.refused"
    aside.chmod(0o600)
    aside.rename(path)
    assert opened(tmp_path).again(old.nonce) == old.salt


def test_a_refused_file_never_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    contents = [b"first", b"second", b"third"]
    for content in contents:
        (tmp_path / "b-1").write_bytes(content)
        opened(tmp_path)
    names = ["b-1.refused", "b-1.refused-2", "b-1.refused-3"]
    assert [(tmp_path / name).read_bytes() for name in names] == contents


def test_a_link_that_leads_nowhere_is_moved_aside_too(tmp_path: Path) -> None:
    (tmp_path / "b-1").symlink_to(tmp_path / "on a disk that is not mounted")
    made = opened(tmp_path).new()
    assert (tmp_path / "b-1.refused").is_symlink()
    assert opened(tmp_path).again(made.nonce) == made.salt


def test_a_key_that_cannot_be_moved_aside_is_left_as_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = opened(tmp_path).new()
    path = tmp_path / "b-1"
    path.chmod(0o644)

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", refuse)
        between = opened(tmp_path)
    between.stack_loaded()
    between.loading_durable()  # its key is not written over the other one
    assert "is left as it is" in caplog.text
    assert caplog.text.count("cannot be opened after a restart") == 2
    path.chmod(0o600)
    assert opened(tmp_path).again(old.nonce) == old.salt


def test_where_nothing_can_be_written_play_goes_on_and_it_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "salts").write_text("a file where a folder should be")
    salts = opened(tmp_path / "salts")
    made = salts.new()
    assert salts.again(made.nonce) == made.salt
    assert "cannot be opened after a restart" in caplog.text


def test_the_salts_of_a_simulation_are_always_the_same() -> None:
    assert [RepeatableSalts().new() for _ in range(2)] == [RepeatableSalts().new()] * 2
    made = RepeatableSalts().new()
    assert RepeatableSalts().again(made.nonce) == made.salt
