"""Files that hold secrets: written atomically, readable by their owner alone, and refused when others can read them.

A new file is written beside its path under another name, with mode 0600 from the first byte, synced, and then linked
to its path: a power cut leaves the old file or the new one, and no file is overwritten by accident.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from pathlib import Path

SECRET_MODE = 0o600
PUBLIC_MODE = 0o644
FOLDER_MODE = 0o700
MAX_BYTES = 4096
"""The longest file accepted (ours)."""


class SecretFileError(ValueError):
    """A file cannot be written, or is refused; the message names it, the cause, and what to do."""


class NoDescriptorsError(Exception):
    """Nothing can be opened: this process, or the computer, has no file descriptors left. No file is the cause."""


def raise_without_descriptors(error: OSError) -> None:
    """Raises `NoDescriptorsError` where that is the cause of an error.

    Raises:
        NoDescriptorsError: it is.
    """
    if error.errno in (errno.EMFILE, errno.ENFILE):
        raise NoDescriptorsError(error.strerror) from error


def make_folder(folder: Path) -> None:
    """Makes a folder of keys, for its owner only; an existing one is not changed.

    Raises:
        SecretFileError: it cannot be made.
    """
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    except OSError as error:
        raise SecretFileError(f"{folder}: the folder cannot be made: {error.strerror}") from error


def write_file(path: Path, content: bytes, *, mode: int = SECRET_MODE, overwrite: bool = False) -> None:
    """Writes a file atomically, with this mode.

    Raises:
        SecretFileError: there is such a file and `overwrite` is false, or it cannot be written.
    """
    begun = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(begun, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, SECRET_MODE)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                os.fchmod(file.fileno(), mode)
                file.flush()
                os.fsync(file.fileno())
            if overwrite:
                begun.replace(path)
            else:
                path.hardlink_to(begun)
        finally:
            begun.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except FileExistsError as error:
        raise SecretFileError(f"{path}: there is such a file already, and it is not overwritten") from error
    except OSError as error:
        raise SecretFileError(f"{path}: the file cannot be written: {error.strerror}") from error


def read_file(path: Path) -> bytes:
    """The content of a file that others may read.

    Raises:
        SecretFileError: it cannot be read, is not a regular file, or is longer than `MAX_BYTES`.
    """
    return _read(path, secret=False)


def read_secret(path: Path) -> bytes:
    """The content of a secret file.

    Raises:
        SecretFileError: as `read_file`, or others than its owner may read or change it.
    """
    return _read(path, secret=True)


def _read(path: Path, *, secret: bool) -> bytes:
    try:
        # A FIFO would block without O_NONBLOCK.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            status = os.fstat(descriptor)
            # Of a folder no file object can be made, and none would close its descriptor.
            if not stat.S_ISREG(status.st_mode):
                raise SecretFileError(f"{path}: it is not a file; put the key's file there")
            mode = stat.S_IMODE(status.st_mode)
            if secret and mode & 0o077:
                raise SecretFileError(
                    f"{path}: others may read or change this secret (mode {mode:04o}); if nobody has, "
                    f"chmod 600 {path}; otherwise make a new key"
                )
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                content = file.read(MAX_BYTES + 1)
        finally:
            os.close(descriptor)
    except FileNotFoundError as error:
        raise SecretFileError(f"{path}: there is no such file; make it with feltwire keys new") from error
    except OSError as error:
        raise SecretFileError(f"{path}: the file cannot be read: {error.strerror}") from error
    if len(content) > MAX_BYTES:
        raise SecretFileError(f"{path}: a key's file has at most {MAX_BYTES} bytes; this is something else")
    return content


def _sync_folder(folder: Path) -> None:
    """Makes the name of a new file durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
