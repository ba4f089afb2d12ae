"""Makes files and their names durable: what is synced here is still there after a power cut."""

from __future__ import annotations

import os
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable: without it a new file may be gone after a power cut, synced or not.

    Raises:
        OSError: the disk cannot.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_file(path: Path) -> None:
    """Makes the content of a file durable; whoever wrote it has closed it before.

    Raises:
        OSError: it is not there, or the disk cannot.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
