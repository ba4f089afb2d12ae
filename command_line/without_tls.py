"""Imports without OpenSSL, for a process that opens no connection with TLS on its event loop."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

_TLS = "ssl"


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
