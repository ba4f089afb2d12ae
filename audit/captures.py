"""Captures of the lines, held against the SHA-256 with which the events of a journal name them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Any

import msgspec

from audit.reading import reading

_QUERY = "SELECT chain, seq, body FROM record WHERE instr(body, CAST('\"sha256\"' AS BLOB)) ORDER BY n"


class CaptureReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the captures that events name."""

    folder: str
    good: int
    """Files with the bytes that the event names."""
    gone: int
    """Files that are not there: the oldest go when the folder is full, and anybody may have deleted one."""
    strange: int
    """Files of captures that no event names."""
    wrong: Sequence[str]
    """Files that are not what the event names, a sentence each."""


def check_captures(paths: Sequence[Path], folder: Path, suffix: str) -> CaptureReport:
    """Compares the files below `folder` with what the events of journals name; captures end with `suffix`.

    Raises:
        JournalError: a journal cannot be read.
        OSError: a file cannot be read.
    """
    named: dict[str, tuple[str, str]] = {}
    """By file: its SHA-256, and the record that names it."""
    for path in paths:
        with reading(path, "looking for the captures that it names") as connection:
            for chain, seq, body in connection.execute(_QUERY):
                for name, digest in _named(body):
                    named[name] = (digest, f"{chain} record {seq}")
    good, gone, wrong = 0, 0, list[str]()
    for name, (digest, where) in named.items():
        file = folder / name
        if "\0" in name or Path(name).is_absolute() or ".." in Path(name).parts:
            wrong.append(f"{where} names {name}, which is not below the folder of captures")
        elif file.is_symlink() or file.parent.is_symlink():
            # The service makes none: it may lead outside, to a device, or to itself.
            wrong.append(f"{name}, which {where} names, is a symbolic link or is behind one, and is not read")
        elif not file.exists():
            gone += 1
        elif not file.is_file():
            wrong.append(f"{name}, which {where} names, is not an ordinary file")
        else:
            with file.open("rb") as stored:
                found = file_digest(stored, "sha256").hexdigest()
            if found == digest:
                good += 1
            else:
                wrong.append(f"{name} has the SHA-256 {found}, and {where} names {digest}")
    there = {str(one.relative_to(folder)) for one in folder.glob(f"*/*{suffix}")}
    return CaptureReport(folder=str(folder), good=good, gone=gone, strange=len(there - named.keys()), wrong=wrong)


def _named(body: object) -> Iterator[tuple[str, str]]:
    """File and SHA-256 of the captures that a body names. Of a body that is not an event, verification has reported
    it."""
    try:
        data = msgspec.json.decode(body, type=dict[str, Any]).get("data")  # type: ignore[call-overload]
    except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, RecursionError):
        return
    if not isinstance(data, Mapping):
        return
    evidence = data.get("evidence")
    for holder in (data, evidence if isinstance(evidence, Mapping) else {}):
        one = holder.get("capture")
        if isinstance(one, Mapping) and isinstance(one.get("file"), str) and isinstance(one.get("sha256"), str):
            yield one["file"], one["sha256"]
