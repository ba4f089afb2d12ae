"""The keys of salts on the disk: one file a table of cards, written before the first commitment is published.

    salts/<table>      `feltwire salts 1 <stack> <64 hexadecimal digits>`, mode 0600

Keys follow from each other, so an older file opens what a newer one would: the file is written anew, beside the loop,
once the next stack is loaded, and a power cut before that loses nothing. What was in it before, the disk may hold for a
while: the file is replaced, not overwritten.
"""

from __future__ import annotations

import logging
import re
from concurrent.futures import Executor
from pathlib import Path
from typing import Final

from controller.table.salts import KEY_BYTES, KeyedSalts, StackKey
from feed.secret_file import SecretFileError, make_folder, read_secret, write_file

log = logging.getLogger(__name__)

_FORM: Final = re.compile(rb"feltwire salts 1 (\d{1,9}) ([0-9a-f]{%d})\n" % (2 * KEY_BYTES))


def salts_of(folder: Path, table: str, beside: Executor) -> KeyedSalts:
    """The salts of a table, from its key; without one it begins with a new key.

    A file that cannot be used is reported and replaced: cards that were sealed with its key stay closed. Where no file
    can be written the salts are gone with the process, which is reported too. `beside` writes later keys, in order.
    """
    path = folder / table
    first = None
    if path.exists():
        try:
            first = _read(path)
        except SecretFileError as error:
            log.error("%s; a new key begins, and cards that were sealed before this start stay closed", error)

    def keep(key: StackKey) -> None:
        beside.submit(_write, path, key)

    salts = KeyedSalts(first, keep)
    if first is None:
        _write(path, salts.kept)
    return salts


def _read(path: Path) -> StackKey:
    found = _FORM.fullmatch(read_secret(path))
    if found is None:
        raise SecretFileError(f"{path}: it is no key of salts")
    return StackKey(int(found[1]), bytes.fromhex(found[2].decode("ascii")))


def _write(path: Path, key: StackKey) -> None:
    try:
        make_folder(path.parent)
        write_file(path, b"feltwire salts 1 %d %s\n" % (key.stack, key.key.hex().encode("ascii")), overwrite=True)
    except SecretFileError as error:
        log.error("%s; cards that are sealed from now on cannot be opened after a restart", error)
