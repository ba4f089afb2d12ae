"""Imports without OpenSSL, for a process that opens no connection with TLS on its event loop."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

_TLS = "ssl"


def may_name_packages(argument: str) -> bool:
    """Whether an argument of a command is a table's file that has the key `packages`, or a folder with one: what such a
    package opens on the event loop may need TLS. Files that cannot be read are refused by the check of the tables."""
    path = Path(argument)
    try:
        files = [*path.glob("*.toml")] if path.is_dir() else [path]
        return any(file.is_file() and b"packages" in file.read_bytes() for file in files)
    except OSError:
        return False


@contextmanager
def without_tls() -> Iterator[None]:
    """What is imported in the block finds no module `ssl`, as on a Python that was built without one, and does without:
    asyncio then has no TLS as long as the process lives. After the block `ssl` can be imported as ever.

    Where `ssl` is there already, nothing is different.
    """
    if _TLS in sys.modules:
        yield
        return
    # None: the import system raises ModuleNotFoundError, and looks no further.
    modules: dict[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    modules[_TLS] = None
    try:
        yield
    finally:
        del modules[_TLS]
