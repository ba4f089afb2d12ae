"""What `result` holds, by the game of the table: a module for each family of games, and no list of them.

Events carry results as JSON objects, so that a game of a later version can be read; these structs say what is in them.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta

MODULES: Final[tuple[ModuleType, ...]] = tuple(
    import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)
)
"""The families' modules."""

RESULTS: Final[dict[str, type[msgspec.Struct]]] = {
    game: kind for module in MODULES for game, kind in getattr(module, "RESULTS", {}).items()
}
"""What the results of a game are, by `data.game`."""

Result: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema={"x-def": "Result"})]
"""A result as an event carries it: one of `RESULTS`, or of a game that this version does not know."""
