"""Games that the rules name by title only: their text is not known, so nothing says what makes a round of them valid.

The titles are those of the tables of contents of N.J.A.C. 13:69F and 19:47.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple


class TitledGame(NamedTuple):
    """A game of which no text is known."""

    words: str
    """Its name for a person."""
    texts: str
    """Where its text would be."""
    equipment: str
    """The title of the section about its equipment, with the citation."""
    devices: tuple[str, ...]
    """The devices that a game of the house can have of it."""
    example: str
    """A table of the house with such a device."""


TITLES: Final[Mapping[str, TitledGame]] = {
    "pai_gow": TitledGame(
        "pai gow",
        "13:69F-10.2 to 10.10, 19:47-10",
        '"Dice; number of dice; pai gow shaker" (13:69F-10.3, 19:47-10.3)',
        ("pai_gow_shaker",),
        "examples/house_pai_gow.toml",
    ),
    "pai_gow_poker": TitledGame(
        "pai gow poker",
        "13:69F-11, 19:47-11",
        '"Pai gow poker shaker and dice; computerized random number generator; button" (13:69F-11.4, 19:47-11.4)',
        ("pai_gow_poker_shaker", "number_generator"),
        "examples/house_pai_gow_poker.toml",
    ),
    "pokette": TitledGame(
        "pokette",
        "13:69F-12, 19:47-12",
        '"Cards; number of decks; value of cards depicted on the pokette wheel" (13:69F-12.2)',
        ("pokette_wheel",),
        "examples/house_pokette.toml",
    ),
    "mini_dice": TitledGame(
        "mini-dice",
        "13:69F-13, 19:47-13",
        '"Dice; number of dice; mini-dice shaker" (13:69F-13.3)',
        ("mini_dice_shaker",),
        "examples/house_mini_dice.toml",
    ),
}
"""By the name that `[table] game` would have."""


def title_of(game: str) -> TitledGame | None:
    """The title of a game without a text, as people write its name; None for any other name."""
    return TITLES.get("_".join(game.lower().replace("-", " ").replace("_", " ").split()))
