"""The words of the page, and those of boards that it needs: names of games, and what a code means.

static/languages/es.json              the page's own        ──► /languages/es.json
scoreboard/page/languages (+ games)   codes and games       ──► /languages/games/es.json
scoreboard/page/words.js              how a word is found   ──► /words.js
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final

import msgspec

from scoreboard.web import Assets

KINDS: Final = ("game.", "reason.")
"""The words of boards that the page shows, by how their keys begin."""
_SHARED: Final = ("words.js", "languages.js")


def shared_assets() -> Assets:
    """The files that the page has of the boards'."""
    board = files("scoreboard").joinpath("page")
    found = {name: board.joinpath(name).read_bytes() for name in _SHARED}
    for file in board.joinpath("languages").iterdir():
        if not file.name.endswith(".json"):
            continue
        words = msgspec.json.decode(file.read_bytes(), type=dict[str, str])
        words |= msgspec.json.decode(board.joinpath("languages", "games", file.name).read_bytes(), type=dict[str, str])
        kept = {key: text for key, text in words.items() if key.startswith(KINDS)}
        found[f"languages/games/{file.name}"] = msgspec.json.encode(kept)
    return Assets(found)
