"""What `result` holds, by the game of the table: a module for each family of games.

Events carry results as JSON objects, so that a game of a later version can be read; these structs define it.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta

from . import (
    baccarat,
    blackjack,
    craps,
    dice,
    fixed_hands,
    money_wheel,
    red_dog,
    roulette,
    sic_bo,
    skill_stop_reel,
    token_pusher,
    tumbled,
)

MODULES: Final = (
    dice,
    money_wheel,
    roulette,
    tumbled,
    sic_bo,
    craps,
    baccarat,
    red_dog,
    blackjack,
    fixed_hands,
    token_pusher,
    skill_stop_reel,
)
"""The families' modules, and what those of dice share."""

RESULTS: Final[dict[str, type[msgspec.Struct]]] = {
    **money_wheel.RESULTS,
    **roulette.RESULTS,
    **tumbled.RESULTS,
    **sic_bo.RESULTS,
    **craps.RESULTS,
    **baccarat.RESULTS,
    **red_dog.RESULTS,
    **blackjack.RESULTS,
    **fixed_hands.RESULTS,
    **token_pusher.RESULTS,
    **skill_stop_reel.RESULTS,
}
"""What the results of a game are, by `data.game`."""

Result: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema={"x-def": "Result"})]
"""A result as an event carries it: one of `RESULTS`, or of a game that this version does not know."""
