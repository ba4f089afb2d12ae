"""`[house]` of a table's file: what the house changes of the rules profile `house`.

Each game that the profile has declares its own keys, and what they change in its section (`HouseKeys.changes`). What
they change is data of the same form as a profile's, every value marked as ours: so nothing of it cites a text.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated, Any, TypeAlias

from msgspec import Meta, Struct

from controller.rules.cited import OURS
from controller.rules.profile import HOUSE, Data, is_house, profile

Words = Annotated[
    str,
    Meta(pattern=r"\A[!-~]+( [!-~]+)*\Z", max_length=24, description="write up to 24 plain letters, digits and signs"),
]
"""Words that are called, printed on a layout or shown on a board."""
OwnOdds: TypeAlias = Annotated[tuple[Annotated[int, Meta(ge=1, le=10_000)], ...], Meta(min_length=2, max_length=2)]
"""What is won, and for how many staked: `[9, 5]` is 9 to 5."""


class HouseKeys(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of `[house]` that every game has."""

    call: Annotated[
        Words | None,
        Meta(description="what is called when the bets close", examples=["Bets are closed"], extra={"cite": OURS}),
    ] = None
    void_call: Annotated[
        Words | None,
        Meta(description="what is called when a round is void", examples=["Spin again"], extra={"cite": OURS}),
    ] = None

    @abstractmethod
    def changes(self, section: Data) -> Data:
        """What the keys change in the game's section of the profile, which is given."""

    def calls(self, section: Data) -> Data:
        """What `call` and `void_call` change."""
        found: Data = {}
        if self.call is not None:
            found["no_more_bets"] = {"call": ours(self.call)}
        if self.void_call is not None:
            own = ours(self.void_call)
            found["reasons"] = {code: {"call": own} for code, reason in section["reasons"].items() if "call" in reason}
            if "no_roll" in section:
                found["no_roll"] = own
        return found


def changes_of(house: HouseKeys | None, game: str) -> Data:
    """What `[house]` changes in the game's section; nothing without it."""
    return {} if house is None else house.changes(profile(HOUSE).texts[game])


HOUSE_RULES = "HOUSE RULES"
"""What is shown of a table that plays by them, in place of a text's name."""


def rules_words(rules: str) -> str:
    """What a table plays by, for people: the profile's name, or HOUSE RULES."""
    return HOUSE_RULES if is_house(rules) else rules


def house_words(rules: str) -> str:
    """What is added where the profile is not named: ` by HOUSE RULES`; empty for a regulation."""
    words = rules_words(rules)
    return f" by {words}" if words == HOUSE_RULES else ""


def ours(value: Any) -> Data:
    """A value of the house's, as a profile has it."""
    return {"value": value, "cite": OURS}
