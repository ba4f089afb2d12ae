"""The secrets of bridges: passwords, and secrets of targets, each in a file that its owner alone may read."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from feed.secret_file import SecretFileError, read_secret

_FIXES: Final = {
    "make it with feltwire keys new": "{how}",
    "make a new key": "remove it, and take another secret: {how}",
    "put the key's file there": "{how}",
}
"""The fixes for a file of a key, and those for another secret."""


def read_lines(path: Path, how_to_make: str) -> list[str]:
    """The lines of a secret file, without empty ones.

    Raises:
        SecretFileError: it cannot be read, others may read it, or it holds no text; the message ends in
            `how_to_make`.
    """
    try:
        text = read_secret(path).decode("utf-8")
    except SecretFileError as error:
        for of_key, own in _FIXES.items():
            if str(error).endswith(of_key):
                why = str(error).removesuffix(of_key) + own.format(how=how_to_make)
                raise SecretFileError(why) from error
        raise
    except UnicodeDecodeError as error:
        raise SecretFileError(f"{path}: it is not text; {how_to_make}") from error
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise SecretFileError(f"{path}: it is empty; {how_to_make}")
    return lines
