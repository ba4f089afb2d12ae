"""Sets a journal aside, damaged as it is: nothing of it is changed, and the next start begins a new one."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from controller.journal.errors import JournalError, said
from controller.journal.files import Lock, sync_folder
from controller.journal.witness import SUFFIX
from hal.clock import Clock, wall_time

# The file itself goes first: a log without its file is never taken for a new journal, a file without its log may be.
_PARTS: Final = ("", "-wal", "-shm", SUFFIX, SUFFIX + ".new")
_MARK: Final = ".retired-"


def retire(path: Path, clock: Clock) -> Path:
    """Renames a journal, its log and its witness; returns the new name. Cut off in between, a second call goes on.

    Raises:
        JournalError: there is none, the service holds it, or it cannot be renamed.
    """
    if path.is_dir():
        raise JournalError(path, "it is a folder", "give the path of a journal")
    there = [part for part in _PARTS if _part(path, part).exists()]
    if not there:
        raise JournalError(path, "there is no such file", "give the path of the journal that is to be set aside")
    with Lock(path):
        aside = _unfinished(path) if "" not in there else None
        if aside is None:
            stamp = wall_time(clock)[:19].replace(":", "")
            aside = path.with_name(f"{path.name}{_MARK}{stamp}Z")
        if "" in there and aside.exists():
            raise JournalError(path, f"{aside.name} is there already", "wait a second, and try again")
        try:
            for part in there:
                _part(path, part).rename(_part(aside, part))
            sync_folder(path.parent)
        except OSError as error:
            raise said(path, error, f"renaming it to {aside.name}") from error
    return aside


def set_aside(path: Path) -> list[Path]:
    """The journals that were once at this path and were retired, oldest first."""
    others = tuple(part for part in _PARTS if part)
    return sorted(one for one in path.parent.glob(f"{path.name}{_MARK}*") if not one.name.endswith(others))


def _part(path: Path, part: str) -> Path:
    return path.with_name(path.name + part)


def _unfinished(path: Path) -> Path | None:
    """The newest one that was set aside: what is left belongs to it."""
    return max(set_aside(path), default=None)
