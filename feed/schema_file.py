"""JSON Schema of the events as it is installed: written by `feed.schema`, of which a service loads nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Final

NAME: Final = "feltwire.schema.json"
_PLACES: Final = (Path(__file__).with_name(NAME), Path(__file__).parents[1] / "docs" / "schema" / NAME)
"""In an installed package beside this module; in a checkout, the file that tests compare with the structs."""


def installed_document() -> bytes:
    """The file, as the history server sends it.

    Raises:
        FileNotFoundError: it is not installed.
    """
    file = next((path for path in _PLACES if path.is_file()), None)
    if file is None:
        raise FileNotFoundError(f"docs/schema/{NAME} is not there: install feltwire again")
    return file.read_bytes()
