"""The keys of salts on the disk: one file a table of cards, written before the first commitment is published.

    salts/<table>             `feltwire salts 1 <stack> <64 hexadecimal digits>`, mode 0600
    salts/<table>.refused     what was there and could not be used; later ones end in .refused-2, .refused-3, …

Keys follow from each other, so an older file opens what a newer one would: the file is written again, beside the loop,
once the next stack is loaded, and a power cut before that loses nothing. What was in it before, the disk may hold for a
while: the file is replaced, not overwritten. Only a file that was read or written by this process is replaced: one that
it could not read may hold the only key of cards that are face down.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from concurrent.futures import Executor
from itertools import count
from pathlib import Path
from typing import Final

from controller.table.salts import KEY_BYTES, KeyedSalts, StackKey
from feed.secret_file import SecretFileError, make_folder, read_secret, write_file

log = logging.getLogger(__name__)

_FORM: Final = re.compile(rb"feltwire salts 1 (\d{1,9}) ([0-9a-f]{%d})\n" % (2 * KEY_BYTES))


def salts_of(folder: Path, table: str, beside: Executor) -> KeyedSalts:
    """The salts of a table, from its key; without one it begins with a new key.

    A file that cannot be used is reported and moved aside: cards that were sealed with its key stay closed until it is
    fixed and put back. Where no file can be written the salts are gone with the process, which is reported too.
    `beside` writes later keys, in order.
    """
    file = _KeyFile(folder / table)
    first = file.read()

    def keep(key: StackKey) -> None:
        beside.submit(file.write, key)

    salts = KeyedSalts(first, keep)
    if first is None:
        file.write(salts.kept)
    return salts


class _KeyFile:
    """The file of one table."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = False
        """Whether this process has read or written what is there: nothing else is ever replaced."""

    def read(self) -> StackKey | None:
        """The key in it; None where there is no file, or none that can be used: that one is moved aside."""
        if not os.path.lexists(self._path):
            return None
        try:
            key = _key_in(self._path)
        except SecretFileError as error:
            self._move_aside(error)
            return None
        self._known = True
        return key

    def write(self, key: StackKey) -> None:
        """Writes a key; where it cannot be, that is reported."""
        path, content = self._path, b"feltwire salts 1 %d %s\n" % (key.stack, key.key.hex().encode("ascii"))
        try:
            make_folder(path.parent)
            write_file(path, content, overwrite=self._known)
        except SecretFileError as error:
            log.error("%s; cards that are sealed from now on cannot be opened after a restart", error)
        else:
            self._known = True

    def _move_aside(self, why: SecretFileError) -> None:
        path = self._path
        aside = next(name for name in _names_aside(path) if not os.path.lexists(name))
        try:
            path.rename(aside)
        except OSError as error:
            log.error("%s; it cannot be moved aside either (%s), and is left as it is", why, error.strerror)
            return
        log.error(
            "%s; it is kept as %s, and a new key begins: cards that were sealed before this start stay closed. To open "
            "them, stop the service, fix that file, move it back to %s and start the service again",
            why,
            aside,
            path,
        )


def _names_aside(path: Path) -> Iterator[Path]:
    """The names under which refused files are kept, the first one first."""
    yield path.with_name(f"{path.name}.refused")
    for number in count(2):
        yield path.with_name(f"{path.name}.refused-{number}")


def _key_in(path: Path) -> StackKey:
    found = _FORM.fullmatch(read_secret(path))
    if found is None:
        raise SecretFileError(f"{path}: it is not a key of salts")
    return StackKey(int(found[1]), bytes.fromhex(found[2].decode("ascii")))
