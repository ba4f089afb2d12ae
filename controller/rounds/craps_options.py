"""The keys of craps and mini-craps under `[game]`, and what the rules say against them."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from controller.games.craps.layout import CrapsLayout
from controller.games.craps.wagers import FireTable
from controller.rules.profile import profile


class CrapsOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of craps and mini-craps under `[game]`."""

    settle_after_s: Annotated[
        float,
        Meta(ge=0, le=600, description="without a settle button, a round settles so long after its verdict (ours)"),
    ] = 3.0
    call_time_s: Annotated[
        float,
        Meta(
            ge=0,
            le=60,
            description='with a reading board, "No Roll" can be called for so long after the dice lie, before the roll '
            "decides anything (ours); until it is settled it can be called all the same",
        ),
    ] = 2.0
    values_wait_s: Annotated[
        float,
        Meta(
            ge=1, le=300, description="with keypad and reading board, the second of them is waited for so long (ours)"
        ),
    ] = 20.0
    activate_after_s: Annotated[
        float,
        Meta(ge=0, le=30, description='an automated shaker is started so long after "No more bets" (ours)'),
    ] = 1.5
    dice_set: Annotated[
        int,
        Meta(
            ge=5,
            le=50,
            description="the dice of the set: five or more, 13:47-20.25(b)2, 19:47-1.7(a); two are in play, the others "
            "in the dice cup",
        ),
    ] = 5
    optional: Annotated[
        tuple[Literal["buy", "lay", "6-7-8"], ...],
        Meta(description="the wagers that the house elects to offer, where the text leaves them to it"),
    ] = ()
    fire_bet: Annotated[
        FireTable | None,
        Meta(description="the pay table of the fire bet, A or B of 19:47-1.4(e); without it, none is offered"),
    ] = None

    def against(self, game: str, rules: str) -> list[tuple[str, str, str]]:
        """What the rules of a profile say against them: key, what is wrong, and the fix."""
        text = profile(rules).craps_rules() if game == "craps" else profile(rules).mini_craps_rules()
        wrong: list[tuple[str, str, str]] = []
        for key, optional, fire in (("optional", self.optional, None), ("fire_bet", (), self.fire_bet)):
            try:
                CrapsLayout(text, optional=optional, fire_table=fire)
            except ValueError as error:
                wrong.append((key, str(error), "remove it, or name another rules profile under [table]"))
        return wrong
