"""The error for a capture that cannot be read."""

from __future__ import annotations

from pathlib import Path

from hal.plain_text import plain


class CaptureError(Exception):
    """A capture file is invalid.

    `path` is the file, `line` its line (from 1; None for the file as a whole), `cause` what was expected there and what
    was found, `fix` the remedy.
    """

    def __init__(self, path: str | Path, line: int | None, cause: str, fix: str) -> None:
        self.path = str(path)
        self.line = line
        self.cause = cause
        self.fix = fix
        where = self.path if line is None else f"{self.path}, line {line}"
        # Names and words of the file are in it.
        super().__init__(plain(f"{where}: {cause}; {fix}"))


def shown(word: bytes) -> str:
    """A word of a file for a message: printable, quoted, and shortened if it is long."""
    text = word[:40].decode("ascii", "backslashreplace")
    text = plain(text)
    return f"`{text}`" if len(word) <= 40 else f"`{text}…` ({len(word)} bytes)"
