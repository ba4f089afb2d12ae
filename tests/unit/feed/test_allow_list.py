"""The folder of allowed keys: in doubt a key is refused, with a reason."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from feed.allow_list import Allowed, AllowList, KeyOwner, OperatorClass, Role, allow, revoke, stamp_of
from feed.keys import BadKeyError, new_pair

PUBLIC = new_pair("a").public
OTHER = new_pair("b").public


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "allowed"


def entry(name: str, public: str, role: Role = "read-only", operator_class: OperatorClass | None = None) -> Allowed:
    return Allowed(name=name, public=public, role=role, operator_class=operator_class)


def put(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(0o644)
    return path


def test_the_owner_of_an_allowed_key_is_found_by_the_key(folder: Path) -> None:
    allow(folder, entry("pit-boss", PUBLIC, "supervisor", "A"))
    keys = AllowList.load(folder)
    assert keys.sender(PUBLIC.encode()) == KeyOwner("pit-boss", "supervisor", "A")
    assert keys.sender(OTHER) is None
    assert keys.why_not(PUBLIC) is None
    assert keys.why_not(OTHER) == f"unknown key {OTHER[:8]}…"
    assert keys.problems == ()


def test_the_positions_of_a_key_are_written_and_read_back(folder: Path) -> None:
    allow(folder, msgspec.structs.replace(entry("zoe", PUBLIC, "dealer"), positions=("stickperson", "dealer")))
    owner = AllowList.load(folder).sender(PUBLIC)
    assert owner == KeyOwner("zoe", "dealer", None, ("stickperson", "dealer"))
    assert 'positions = ["stickperson", "dealer"]' in (folder / "zoe.toml").read_text()


@pytest.mark.parametrize(
    ("role", "positions", "wrong"),
    [("read-only", '["dealer"]', "positions: a read-only has none"), ("dealer", '["croupier"]', "Invalid enum value")],
)
def test_positions_that_nobody_can_have_are_a_mistake(folder: Path, role: str, positions: str, wrong: str) -> None:
    put(folder, "zoe.toml", f'name = "zoe"\npublic = "{PUBLIC}"\nrole = "{role}"\npositions = {positions}\n')
    keys = AllowList.load(folder)
    assert keys.sender(PUBLIC) is None
    assert wrong in keys.problems[0]


def test_a_revoked_key_is_refused_by_name(folder: Path) -> None:
    allow(folder, entry("board-1", PUBLIC))
    revoke(folder, "board-1")
    keys = AllowList.load(folder)
    assert keys.sender(PUBLIC) is None
    assert keys.why_not(PUBLIC) == "the key of board-1 is revoked"
    assert [known.revoked for known in keys.entries] == [True]


def test_without_the_folder_every_key_is_refused(folder: Path) -> None:
    keys = AllowList.load(folder)
    assert keys.keys == frozenset()
    assert not keys.readable
    assert str(folder) in keys.problems[0] and "every key is refused" in keys.problems[0]
    assert keys.why_not(PUBLIC) == f"the allow-list {folder} cannot be read, so every key is refused"


def test_when_one_file_cannot_be_read_every_key_is_refused(folder: Path) -> None:
    allow(folder, entry("board-1", PUBLIC))
    (folder / "board-2.toml").symlink_to("board-2.toml")
    keys = AllowList.load(folder)
    assert keys.keys == frozenset()
    (problem,) = keys.problems
    assert problem.startswith(f"{folder}/board-2.toml: the file cannot be read: ")
    assert problem.endswith("; until it is fixed every key is refused")


@pytest.mark.parametrize("kind", ["too long", "a pipe", "a folder"])
def test_what_is_no_keys_file_is_named_and_shuts_out_nobody_else(folder: Path, kind: str) -> None:
    allow(folder, entry("board-1", PUBLIC))
    other = folder / "other.toml"
    if kind == "too long":
        other.write_bytes(b"#" * 5000)
        other.chmod(0o644)
    elif kind == "a folder":
        other.mkdir()
    else:
        os.mkfifo(other)
    keys = AllowList.load(folder)
    assert keys.readable
    assert [keys.sender(key) for key in keys.keys] == [KeyOwner("board-1", "read-only")]
    (problem,) = keys.problems
    assert problem.startswith(f"{other}: ")
    assert problem.endswith("its key is refused")


def open_descriptors() -> list[str]:
    return sorted(one.name for one in Path("/proc/self/fd").iterdir())


def test_reading_a_folder_leaves_no_descriptor_open(folder: Path) -> None:
    allow(folder, entry("board-1", PUBLIC))
    (folder / "other.toml").mkdir()
    before = open_descriptors()
    for _ in range(20):
        AllowList.load(folder)
    assert open_descriptors() == before


def test_when_others_may_write_the_folder_every_key_is_refused(folder: Path) -> None:
    allow(folder, entry("board-1", PUBLIC))
    folder.chmod(0o770)
    keys = AllowList.load(folder)
    assert keys.keys == frozenset()
    assert "others may put keys here (mode 0770)" in keys.problems[0] and "chmod go-w" in keys.problems[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "it is not TOML"),
        ('public = "{0}"\nrole = "dealer"', "Object missing required field `name`"),
        ('name = "bad"\npublic = "{0}"\nrole = "boss"', "Invalid enum value 'boss' - at `$.role`"),
        ('name = "bad"\npublic = "short"\nrole = "dealer"', "public: a public key is 40 characters of Z85"),
        ('name = "Bad"\npublic = "{0}"\nrole = "dealer"', 'name: "Bad" is not a name for a key'),
        ('name = "other"\npublic = "{0}"\nrole = "dealer"', 'name: "other" must be as the file is called'),
        ('name = "bad"\npublic = "{0}"\nrole = "dealer"\nclass = "A"', "unknown field `class`"),
        ('name = "bad"\npublic = "{0}"\nrole = "read-only"\noperator_class = "A"', "operator_class: a read-only has"),
        ('name = "bad"\npublic = "{0}"\nrole = "dealer"\noperator_class = "C"', "Invalid enum value 'C'"),
        ('name = "bad"\npublic = "{0}"\nrole = "dealer"\nrevoked = "no"', "Expected `bool`, got `str`"),
    ],
)
def test_a_file_with_a_mistake_is_named_and_its_key_refused(folder: Path, text: str, said: str) -> None:
    allow(folder, entry("board-1", PUBLIC))
    path = put(folder, "bad.toml", text.format(OTHER))
    keys = AllowList.load(folder)
    (problem,) = keys.problems
    assert problem.startswith(f"{path}: ") and said in problem
    assert keys.keys == {PUBLIC}


def test_the_key_of_a_file_that_others_may_change_is_refused(folder: Path) -> None:
    path = allow(folder, entry("board-1", PUBLIC))
    path.chmod(0o664)
    keys = AllowList.load(folder)
    assert keys.keys == frozenset()
    assert "others may change it (mode 0664)" in keys.problems[0]


def test_a_key_in_two_files_is_refused(folder: Path) -> None:
    allow(folder, entry("board-1", PUBLIC))
    allow(folder, entry("board-2", OTHER))
    put(folder, "board-3.toml", f'name = "board-3"\npublic = "{PUBLIC}"\nrole = "supervisor"')
    keys = AllowList.load(folder)
    assert keys.keys == {OTHER}
    assert "is in board-1.toml, board-3.toml, and a key has one owner" in keys.problems[0]


def test_a_file_with_another_suffix_is_reported_and_not_read(folder: Path) -> None:
    allow(folder, entry("board-1", PUBLIC))
    put(folder, "board-2.tom", f'name = "board-2"\npublic = "{OTHER}"\nrole = "dealer"')
    keys = AllowList.load(folder)
    assert keys.keys == {PUBLIC}
    assert "its name does not end in .toml" in keys.problems[0]


def test_a_file_being_written_is_not_read(folder: Path) -> None:
    allow(folder, entry("board-1", PUBLIC))
    put(folder, ".board-2.toml.0123", "half")
    assert AllowList.load(folder).problems == ()


def test_a_name_is_not_overwritten_by_accident_and_a_key_has_one_owner(folder: Path) -> None:
    allow(folder, entry("board-1", PUBLIC))
    with pytest.raises(BadKeyError, match="there is such a file already"):
        allow(folder, entry("board-1", OTHER))
    with pytest.raises(BadKeyError, match="this key is board-1's already"):
        allow(folder, entry("board-2", PUBLIC))
    allow(folder, entry("board-1", PUBLIC, "dealer"), overwrite=True)
    assert AllowList.load(folder).sender(PUBLIC) == KeyOwner("board-1", "dealer")


def test_revoking_an_unknown_name_lists_the_known_ones(folder: Path) -> None:
    allow(folder, entry("board-1", PUBLIC))
    with pytest.raises(BadKeyError, match="no key of this name is allowed here; there are: board-1"):
        revoke(folder, "board-2")


def test_a_deeply_nested_file_is_reported_as_a_mistake(folder: Path) -> None:
    allow(folder, entry("board-1", PUBLIC))
    path = put(folder, "deep.toml", "a = " + "[" * 4000)
    keys = AllowList.load(folder)
    assert keys.keys == {PUBLIC}
    assert keys.problems[0].startswith(f"{path}: it is not TOML")


@pytest.mark.parametrize("name", ["board-1.toml", "."])
def test_a_change_of_permissions_changes_the_stamp(folder: Path, name: str) -> None:
    allow(folder, entry("board-1", PUBLIC))
    before = stamp_of(folder)
    path = folder / name
    path.chmod(path.stat().st_mode | 0o020)
    opened = stamp_of(folder)
    path.chmod(path.stat().st_mode & ~0o020)
    assert opened not in (before, stamp_of(folder))


def test_a_broken_link_hides_no_change(folder: Path) -> None:
    allow(folder, entry("board-1", PUBLIC))
    (folder / "notes").symlink_to("nowhere")
    before = stamp_of(folder)
    assert before is not None
    revoke(folder, "board-1")
    assert stamp_of(folder) != before


def test_every_change_of_the_folder_changes_its_stamp(folder: Path) -> None:
    stamps = [stamp_of(folder)]
    allow(folder, entry("board-1", PUBLIC))
    stamps.append(stamp_of(folder))
    revoke(folder, "board-1")
    stamps.append(stamp_of(folder))
    (folder / "board-1.toml").unlink()
    stamps.append(stamp_of(folder))
    assert len(set(stamps)) == 4
    assert stamp_of(folder) == stamps[-1]
