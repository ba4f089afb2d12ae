"""The allow-list: a folder with one small file for each key that may connect.

    # allowed/board-1.toml
    name = "board-1"
    public = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
    role = "read-only"

`role` is what its owner may do: `read-only`, `dealer`, `supervisor` or `technician`. A dealer or a supervisor may have
an `operator_class`, `A` or `B`, and `positions` at the table in which they may act: `boxperson`, `stickperson`,
`floorperson`, `dealer`. `revoked = true` refuses the key and keeps its name.

In doubt a key is refused: that of a file with a mistake, that is not a key's file at all, or that others may change; a
key in two files; and every key, if the folder or a file cannot be read, or others may change the folder.

A process without file descriptors learns nothing of the folder: `load` and `stamp_of` raise, and what was read before
stays in force (`feed.authentication`).
"""

from __future__ import annotations

import json
import os
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import msgspec

from feed.keys import BadKeyError, parse_name, parse_public, short
from feed.secret_file import (
    PUBLIC_MODE,
    SecretFileError,
    make_folder,
    raise_without_descriptors,
    read_file,
    write_file,
)

Role = Literal["read-only", "dealer", "supervisor", "technician"]
OperatorClass = Literal["A", "B"]
Position = Literal["boxperson", "stickperson", "floorperson", "dealer"]
ROLES: tuple[Role, ...] = get_args(Role)
CLASSES: tuple[OperatorClass, ...] = get_args(OperatorClass)
POSITIONS: tuple[Position, ...] = get_args(Position)
WITH_CLASS = ("dealer", "supervisor")
"""Roles that may have an operator class and positions."""
SUFFIX = ".toml"

_OTHERS_WRITE = 0o022


class KeyOwner(NamedTuple):
    """The owner of a key: who sends with it."""

    name: str
    role: Role
    operator_class: OperatorClass | None = None
    positions: tuple[Position, ...] | None = ()
    """Those in which they may act; None for a sender without a key, whose statement counts."""


class Allowed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One file of the folder."""

    name: str
    public: str
    role: Role
    operator_class: OperatorClass | None = None
    positions: tuple[Position, ...] = ()
    revoked: bool = False

    @property
    def sender(self) -> KeyOwner:
        return KeyOwner(self.name, self.role, self.operator_class, self.positions)


Stamp = tuple[tuple[str, int, int, int, int], ...]
"""Name, time of change, inode, size and mode of each file and of the folder. A different stamp means that a file or its
permissions changed."""


class AllowList:
    """The keys of a folder at one time. It never changes; `load` reads the folder again."""

    def __init__(
        self, folder: Path, entries: tuple[Allowed, ...], problems: tuple[str, ...], *, readable: bool = True
    ) -> None:
        self.folder = folder
        self.entries = entries
        """Every valid file, including revoked ones, by name."""
        self.problems = problems
        """The mistakes found, each naming file, key and remedy."""
        self.readable = readable
        """Whether everything could be read; if not, every key is refused."""
        current = [entry for entry in entries if not entry.revoked] if readable else []
        self._allowed: Mapping[str, Allowed] = {entry.public: entry for entry in current}
        self._known: Mapping[str, Allowed] = {entry.public: entry for entry in entries}

    @classmethod
    def load(cls, folder: Path) -> AllowList:
        """Reads a folder: what cannot be read or decoded is in `problems`, and allows no key.

        Raises:
            NoDescriptorsError: nothing can be opened now, so nothing is known of the folder.
        """
        problems: list[str] = []
        found: list[Allowed] = []
        try:
            files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
            mode = stat.S_IMODE(folder.stat().st_mode)
        except OSError as error:
            raise_without_descriptors(error)
            what = f"{folder}: the folder of allowed keys cannot be read ({error.strerror}): every key is refused"
            return cls(folder, (), (f"{what}; allow the first key with feltwire keys allow",), readable=False)
        readable = not mode & _OTHERS_WRITE
        if not readable:
            problems.append(
                f"{folder}: others may put keys here (mode {mode:04o}): every key is refused; look at what is there, "
                f"then chmod go-w {folder}"
            )
        for path in files:
            if path.suffix != SUFFIX:
                problems.append(f"{path}: not read, since its name does not end in {SUFFIX}; rename or remove it")
                continue
            try:
                content = read_file(path)
            except SecretFileError as error:
                cause = error.__cause__
                if not isinstance(cause, OSError):
                    # Read, and no key's file: too long, or no file.
                    problems.append(f"{error}; until it is fixed its key is refused")
                    continue
                raise_without_descriptors(cause)
                if isinstance(cause, FileNotFoundError) and not path.is_symlink():
                    # Removed since the folder was listed.
                    continue
                problems.append(f"{error}; until it is fixed every key is refused")
                readable = False
                continue
            try:
                _check_mode(path)
                found.append(_entry(path, content))
            except BadKeyError as error:
                problems.append(f"{error}; until then its key is refused")
        return cls(folder, _without_doubles(folder, found, problems), tuple(problems), readable=readable)

    @property
    def keys(self) -> frozenset[str]:
        """The public keys that are allowed."""
        return frozenset(self._allowed)

    def sender(self, user_id: bytes | str) -> KeyOwner | None:
        """The owner of a key, by the User-Id of a frame; None for a key that is not allowed (any more)."""
        entry = self._allowed.get(_text(user_id))
        return None if entry is None else entry.sender

    def why_not(self, public: str) -> str | None:
        """Why a key is refused; None if it is allowed."""
        if public in self._allowed:
            return None
        known = self._known.get(public)
        if known is not None and known.revoked:
            return f"the key of {known.name} is revoked"
        if not self.readable:
            return f"the allow-list {self.folder} cannot be read, so every key is refused"
        return f"unknown key {short(public)}"


def stamp_of(folder: Path) -> Stamp | None:
    """The stamp of a folder, to detect changes; None for a folder that cannot be read.

    Raises:
        NoDescriptorsError: nothing can be opened now.
    """
    try:
        with os.scandir(folder) as files:
            found = [(file.name, _status(file)) for file in files if not file.name.startswith(".")]
        own = folder.stat()
    except OSError as error:
        raise_without_descriptors(error)
        # The next `load` reports the cause; here it is one more state.
        return None
    # A file's time of change (ctime) covers its mode too, and cannot be set.
    stamps = [(name, one.st_ctime_ns, one.st_ino, one.st_size, one.st_mode) for name, one in found]
    # The folder's own would also change with the hidden files that a write begins with.
    return tuple(sorted([*stamps, ("", 0, own.st_ino, 0, own.st_mode)]))


def _status(file: os.DirEntry[str]) -> os.stat_result:
    """The status of a link's target; of the link itself, if the target does not exist."""
    try:
        return file.stat()
    except FileNotFoundError:
        return file.stat(follow_symlinks=False)


def allow(folder: Path, entry: Allowed, *, overwrite: bool = False) -> Path:
    """Writes the file of a key, and returns its path.

    Raises:
        BadKeyError: there is one of this name and `overwrite` is false, another name has this key, or it cannot be
            written.
    """
    path = folder / f"{entry.name}{SUFFIX}"
    _check(path, entry)
    if folder.exists():
        for other in AllowList.load(folder).entries:
            if other.public == entry.public and other.name != entry.name:
                raise BadKeyError(
                    f"{path}: this key is {other.name}'s already ({folder / other.name}{SUFFIX}); a key has one owner"
                )
    lines = [f'name = "{entry.name}"', f'public = "{entry.public}"', f'role = "{entry.role}"']
    if entry.operator_class is not None:
        lines.append(f'operator_class = "{entry.operator_class}"')
    if entry.positions:
        lines.append(f"positions = {json.dumps(entry.positions)}")
    if entry.revoked:
        lines.append("revoked = true")
    try:
        make_folder(folder)
        write_file(path, ("\n".join(lines) + "\n").encode(), mode=PUBLIC_MODE, overwrite=overwrite)
    except SecretFileError as error:
        raise BadKeyError(str(error)) from error
    return path


def revoke(folder: Path, name: str) -> Allowed:
    """Revokes the key of a name, and returns its new entry.

    Raises:
        BadKeyError: there is no valid file of this name, or it cannot be written.
    """
    path = folder / f"{parse_name(name)}{SUFFIX}"
    try:
        entry = _entry(path, read_file(path))
    except SecretFileError as error:
        there = ", ".join(known.name for known in AllowList.load(folder).entries) or "none"
        raise BadKeyError(f"{name}: no key of this name is allowed here; there are: {there} ({error})") from error
    revoked = msgspec.structs.replace(entry, revoked=True)
    allow(folder, revoked, overwrite=True)
    return revoked


def _check_mode(path: Path) -> None:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except OSError as error:
        raise BadKeyError(f"{path}: it cannot be looked at: {error.strerror}") from error
    if mode & _OTHERS_WRITE:
        raise BadKeyError(f"{path}: others may change it (mode {mode:04o}); look at it, then chmod go-w {path}")


def _entry(path: Path, content: bytes) -> Allowed:
    try:
        entry = msgspec.convert(tomllib.loads(content.decode()), Allowed)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadKeyError(f"{path}: it is not TOML: {error}; write it again with feltwire keys allow") from error
    except msgspec.ValidationError as error:
        raise BadKeyError(f"{path}: {error}; write it again with feltwire keys allow") from error
    _check(path, entry)
    return entry


def _check(path: Path, entry: Allowed) -> None:
    for key, text, parse in (("name", entry.name, parse_name), ("public", entry.public, parse_public)):
        try:
            parse(text)
        except BadKeyError as error:
            raise BadKeyError(f"{path}: {key}: {error}") from error
    if entry.name != path.stem:
        raise BadKeyError(f'{path}: name: "{entry.name}" must be as the file is called; rename the file or change it')
    if entry.operator_class is not None and entry.role not in WITH_CLASS:
        raise BadKeyError(
            f"{path}: operator_class: a {entry.role} has none, only {' and '.join(WITH_CLASS)} do; leave it out"
        )
    if entry.positions and entry.role not in WITH_CLASS:
        raise BadKeyError(
            f"{path}: positions: a {entry.role} has none, only {' and '.join(WITH_CLASS)} do; leave them out"
        )


def _without_doubles(folder: Path, found: list[Allowed], problems: list[str]) -> tuple[Allowed, ...]:
    """The entries whose key is in one file only."""
    names: dict[str, list[str]] = {}
    for entry in found:
        names.setdefault(entry.public, []).append(entry.name)
    for public, owners in names.items():
        if len(owners) > 1:
            files = ", ".join(f"{name}{SUFFIX}" for name in owners)
            problems.append(
                f"{folder}: public: the key {short(public)} is in {files}, and a key has one owner; remove all but one "
                "of them; until then it is refused"
            )
    return tuple(entry for entry in found if len(names[entry.public]) == 1)


def _text(user_id: bytes | str) -> str:
    return user_id if isinstance(user_id, str) else user_id.decode("ascii", "replace")
