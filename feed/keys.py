"""CURVE keys: pairs on disk, and the socket options made from them.

    <name>.secret    both keys, mode 0600: stays where it was made
    <name>.public    the public key alone: goes to the other side

A public key is 40 characters of Z85. Clients identify a server by its public key: with the wrong one a client gets
nothing. Which clients are allowed is in the allow-list (`feed.allow_list`).
"""

from __future__ import annotations

import re
import struct
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import zmq
from zmq.utils import z85

from .secret_file import PUBLIC_MODE, SecretFileError, make_folder, read_file, read_secret, write_file

DOMAIN = b"feltwire"
"""The ZAP domain of all sockets of a service, which share one list of keys."""
SERVER = "server"
"""Name of the key by which clients identify the service."""
SECRET_SUFFIX = ".secret"
PUBLIC_SUFFIX = ".public"

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_NAME = 64

_Z85_CHARACTERS = 40
_Z85 = re.compile(r"[0-9a-zA-Z.:+=^!/*?&<>()\[\]{}@%$#-]{40}")


class BadKeyError(ValueError):
    """A key or its file cannot be used; the message names it, the cause, and what to do."""


@dataclass(frozen=True)
class KeyPair:
    """A CURVE key pair. Its `repr` does not contain the secret half."""

    name: str
    public: str
    secret: str = field(repr=False)


@dataclass(frozen=True)
class ServerCurve:
    """Makes a server's socket require keys, and refuse every client while no authenticator runs."""

    pair: KeyPair
    domain: bytes = DOMAIN

    def apply(self, socket: zmq.Socket[Any]) -> None:
        """Sets the options of a socket, before it binds."""
        socket.curve_server = True
        socket.curve_publickey = self.pair.public.encode()
        socket.curve_secretkey = self.pair.secret.encode()
        # Without a domain CURVE only encrypts: any key is accepted. Enforced, the authenticator must allow each.
        socket.setsockopt(zmq.ZAP_DOMAIN, self.domain)
        socket.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)


@dataclass(frozen=True)
class ClientCurve:
    """A client's key pair, and the public key of its server."""

    pair: KeyPair
    server: str

    def apply(self, socket: zmq.Socket[Any]) -> None:
        """Sets the options of a socket, before it connects."""
        socket.curve_publickey = self.pair.public.encode()
        socket.curve_secretkey = self.pair.secret.encode()
        socket.curve_serverkey = self.server.encode()


class _Secret(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `.secret` file."""

    name: str
    public: str
    secret: str


class _Public(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A `.public` file."""

    name: str
    public: str


_File = TypeVar("_File", _Secret, _Public)


def parse_name(text: str) -> str:
    """Checks the name of a key, and returns it.

    Raises:
        BadKeyError: it is not valid.
    """
    if len(text) > MAX_NAME or not NAME.fullmatch(text):
        shown = text[:MAX_NAME].encode("unicode_escape").decode()
        raise BadKeyError(
            f'"{shown}" is not a name for a key; write up to {MAX_NAME} lower-case letters, digits and '
            "single hyphens, such as board-1"
        )
    return text


def parse_public(text: str) -> str:
    """Checks a public key in Z85, and returns it.

    Raises:
        BadKeyError: it is not valid.
    """
    if not is_z85_key(text):
        raise BadKeyError(
            f"a public key is {_Z85_CHARACTERS} characters of Z85, here are {len(text)}: {short(text)}; copy the line "
            f'public = "..." of the *{PUBLIC_SUFFIX} file whole, in single quotes on a command line'
        )
    return text


def is_z85_key(text: str) -> bool:
    """Whether it is 32 bytes in Z85."""
    if not _Z85.fullmatch(text):
        return False
    try:
        z85.decode(text)
    except (ValueError, struct.error):
        # Five characters can exceed the 32 bits that they encode.
        return False
    return True


def short(public: str) -> str:
    """The first 8 characters of a key, to recognise it in a log."""
    shown = public[:8].encode("unicode_escape").decode()
    return shown + ("…" if len(public) > 8 else "")


def new_pair(name: str) -> KeyPair:
    """A new key.

    Raises:
        BadKeyError: `name` is not a name for a key.
    """
    parse_name(name)
    while True:
        public, secret = zmq.curve_keypair()
        # A key that begins with a sign could be taken for an option on a command line.
        if public[:1].isalnum():
            return KeyPair(name, public.decode(), secret.decode())


def write_pair(folder: Path, pair: KeyPair, *, overwrite: bool = False) -> tuple[Path, Path]:
    """Writes both files of a key, and returns their paths: secret, public.

    Raises:
        BadKeyError: there is a key of this name and `overwrite` is false, or they cannot be written.
    """
    secret_path = folder / f"{pair.name}{SECRET_SUFFIX}"
    public_path = folder / f"{pair.name}{PUBLIC_SUFFIX}"
    secret_text = (
        "# Feltwire: a secret key. Whoever has it is taken for its owner: never copy, mail or commit it.\n"
        f'name = "{pair.name}"\npublic = "{pair.public}"\nsecret = "{pair.secret}"\n'
    )
    public_text = (
        f'# Feltwire: a public key. It may be seen by anybody.\nname = "{pair.name}"\npublic = "{pair.public}"\n'
    )
    try:
        make_folder(folder)
        write_file(secret_path, secret_text.encode(), overwrite=overwrite)
        # The secret file is the key; a public file left without one is useless, and replaced.
        write_file(public_path, public_text.encode(), mode=PUBLIC_MODE, overwrite=True)
    except SecretFileError as error:
        raise BadKeyError(str(error)) from error
    return secret_path, public_path


def read_pair(path: Path) -> KeyPair:
    """The key of a `.secret` file.

    Raises:
        BadKeyError: it is no such file, others may read it, or its halves do not belong together.
    """
    if _is_public(path):
        raise BadKeyError(f"{path}: this is a public key; give the {SECRET_SUFFIX} beside it")
    try:
        content = read_secret(path)
    except SecretFileError as error:
        raise BadKeyError(str(error)) from error
    read = _toml(path, content, _Secret)
    if not is_z85_key(read.secret):
        # The value is not shown: it may be a secret with one character mistyped.
        raise BadKeyError(f"{path}: secret: it must be {_Z85_CHARACTERS} characters of Z85; make a new key")
    derived = zmq.curve_public(read.secret.encode()).decode()
    if derived != read.public:
        raise BadKeyError(f"{path}: public: it is not the public half of this secret; make a new key")
    return KeyPair(_named(path, read.name), read.public, read.secret)


def read_public(path: Path) -> str:
    """The key of a `.public` file.

    Raises:
        BadKeyError: it is no such file.
    """
    try:
        content = read_file(path)
    except SecretFileError as error:
        raise BadKeyError(str(error)) from error
    read = _toml(path, content, _Public)
    _named(path, read.name)
    try:
        return parse_public(read.public)
    except BadKeyError as error:
        raise BadKeyError(f"{path}: public: {error}") from error


def _is_public(path: Path) -> bool:
    """Whether it is a `.public` file, whatever its name."""
    try:
        read_public(path)
    except BadKeyError:
        return False
    return True


def _named(path: Path, name: str) -> str:
    try:
        return parse_name(name)
    except BadKeyError as error:
        raise BadKeyError(f"{path}: name: {error}") from error


def _toml(path: Path, content: bytes, kind: type[_File]) -> _File:
    try:
        return msgspec.convert(tomllib.loads(content.decode()), kind)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadKeyError(f"{path}: it is not TOML, as key files are ({error}); make a new key") from error
    except msgspec.ValidationError as error:
        raise BadKeyError(f"{path}: {error}; a key's file is written by feltwire keys new") from error
