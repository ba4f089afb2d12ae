"""Key files: secrets stay secret, and the mistake in a file is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import zmq

from feed.keys import BadKeyError, is_z85_key, new_pair, parse_name, parse_public, read_pair, read_public, write_pair
from feed.secret_file import MAX_BYTES, SecretFileError, read_secret, write_file


def test_a_key_is_read_back_from_its_files(tmp_path: Path) -> None:
    pair = new_pair("board-1")
    secret, public = write_pair(tmp_path / "keys", pair)
    assert read_pair(secret) == pair
    assert read_public(public) == pair.public
    assert (secret.name, public.name) == ("board-1.secret", "board-1.public")


def test_only_the_owner_may_read_a_secret_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        secret, public = write_pair(tmp_path / "keys", new_pair("board-1"))
    finally:
        os.umask(before)
    assert secret.stat().st_mode & 0o777 == 0o600
    assert public.stat().st_mode & 0o777 == 0o644
    assert secret.parent.stat().st_mode & 0o777 == 0o700
    assert sorted(path.name for path in secret.parent.iterdir()) == ["board-1.public", "board-1.secret"]


def test_a_key_is_never_overwritten_by_accident(tmp_path: Path) -> None:
    pair = new_pair("board-1")
    secret, _ = write_pair(tmp_path, pair)
    with pytest.raises(BadKeyError, match=r"board-1\.secret: there is such a file already, and it is not overwritten"):
        write_pair(tmp_path, new_pair("board-1"))
    assert read_pair(secret) == pair
    other = new_pair("board-1")
    write_pair(tmp_path, other, overwrite=True)
    assert read_pair(secret) == other


def test_the_repr_of_a_key_does_not_show_its_secret(tmp_path: Path) -> None:
    pair = new_pair("board-1")
    assert pair.secret not in repr(pair)
    assert pair.public in repr(pair)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o777])
def test_a_secret_that_others_may_read_or_change_is_refused(tmp_path: Path, mode: int) -> None:
    secret, _ = write_pair(tmp_path, new_pair("board-1"))
    secret.chmod(mode)
    with pytest.raises(BadKeyError, match=rf"others may read or change this secret \(mode {mode:04o}\).*chmod 600"):
        read_pair(secret)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "Object missing required field `name`"),
        (b"\xff", "it is not TOML"),
        (b"name = ", "it is not TOML"),
        (b"name = " + b"[" * 4000, "it is not TOML"),
        (b'name = "a"\npublic = "b"\nsecret = "c"\nmore = 1\n', "Object contains unknown field `more`"),
        (b'name = "a"\npublic = "b"\nsecret = "c"\n', "secret: it must be 40 characters of Z85"),
        (b"x" * (MAX_BYTES + 1), "this is something else"),
    ],
)
def test_a_file_that_is_no_key_is_named_with_its_mistake(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "a.secret"
    write_file(path, content)
    with pytest.raises(BadKeyError) as caught:
        read_pair(path)
    assert said in str(caught.value) and str(path) in str(caught.value)


def test_halves_that_do_not_belong_together_are_refused_without_showing_the_secret(tmp_path: Path) -> None:
    one, other = new_pair("a"), new_pair("a")
    path = tmp_path / "a.secret"
    write_file(path, f'name = "a"\npublic = "{one.public}"\nsecret = "{other.secret}"\n'.encode())
    with pytest.raises(BadKeyError, match="it is not the public half of this secret") as caught:
        read_pair(path)
    assert other.secret not in str(caught.value)


def test_a_missing_key_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(BadKeyError, match="there is no such file; make it with feltwire keys new"):
        read_pair(tmp_path / "server.secret")


def test_a_fifo_instead_of_a_secret_is_refused_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.secret", 0o600)
    with pytest.raises(SecretFileError, match="it is not a file"):
        read_secret(tmp_path / "a.secret")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("a file")
    with pytest.raises(BadKeyError, match="keys: the folder cannot be made"):
        write_pair(tmp_path / "keys", new_pair("a"))


def test_a_public_key_never_begins_like_an_option() -> None:
    assert all(new_pair("a").public[0].isalnum() for _ in range(50))


@pytest.mark.parametrize("name", ["", "Board", "board_1", "-a", "a-", "a--b", "../a", "a/b", "a\n", "a" * 65, "ä"])
def test_an_invalid_name_is_refused(name: str) -> None:
    with pytest.raises(BadKeyError, match="is not a name for a key") as caught:
        parse_name(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "a" * 39, "a" * 41, "#" * 40, "ä" * 40, "a" * 39 + "~", "a" * 39 + "\n"])
def test_an_invalid_public_key_is_refused(text: str) -> None:
    with pytest.raises(BadKeyError, match="a public key is 40 characters of Z85"):
        parse_public(text)


def test_every_key_of_libzmq_is_valid() -> None:
    for _ in range(50):
        public, secret = zmq.curve_keypair()
        assert is_z85_key(public.decode()) and is_z85_key(secret.decode())


@pytest.mark.parametrize("mode", [0o644, 0o600])
def test_a_public_key_instead_of_a_secret_is_named_as_one(tmp_path: Path, mode: int) -> None:
    _, public = write_pair(tmp_path, new_pair("ann"))
    public.chmod(mode)
    with pytest.raises(BadKeyError, match=r"ann\.public: this is a public key; give the \.secret beside it$"):
        read_pair(public)
