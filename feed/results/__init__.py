"""What `result` holds, by the game of the table: a module for each family of games.

Events carry results as JSON objects, so that a game of a later version can be read; these structs define it.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta

MODULES: Final = tuple(import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
"""Every module of this folder: a family of games each, and what those of dice share."""

RESULTS: Final[dict[str, type[msgspec.Struct]]] = {
    game: struct for module in MODULES for game, struct in getattr(module, "RESULTS", {}).items()
}
"""What the results of a game are, by `data.game`: each module names those of its games."""

Result: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema={"x-def": "Result"})]
"""A result as an event carries it: one of `RESULTS`, or of a game that this version does not know."""
