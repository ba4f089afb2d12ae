"""What the rules of every dice game have in common: who may operate it, its calls, and the values of its dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from controller.rules.cited import Cited, RoundRules

Dice: TypeAlias = tuple[int, ...]
"""The values of the dice, 1 to 6 each, in the order in which they were read or keyed."""

FACES = range(1, 7)

Count: TypeAlias = Annotated[int, Meta(ge=1)]


class DiceRules(RoundRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules of one text for a dice game, as far as every dice game has it. The fields carry their citations."""

    section: str
    dice_count: Cited[Count]
    """Dice that make a result."""
    result_read: Cited[str]
    settlement: Cited[str]
    operator_classes: Cited[tuple[str, ...]]
    supervisor_classes: Cited[tuple[str, ...]]
    no_roll: Cited[str]
    """The words for a roll without a result, where its reason has none of its own."""
    silent_on: tuple[str, ...]

    def complete(self, dice: Sequence[int]) -> bool:
        """Whether the dice are as many as the game has, and every value is one of a die's."""
        return len(dice) == self.dice_count.value and all(value in FACES for value in dice)

    def checked(self, dice: Sequence[int]) -> Dice:
        """The dice, if they are as many as the game has and every value is one of a die's.

        Raises:
            ValueError: they are not; the message gives what was expected and what was seen.
        """
        if not self.complete(dice):
            wanted = f"{self.dice_count.value} values from 1 to 6 ({self.dice_count.cite})"
            raise ValueError(f"dice {list(dice)}: expected {wanted}")
        return tuple(dice)

    def named(self, name: str) -> Dice:
        """The dice that a person names: their values with a hyphen between them, `4-4-1`.

        Raises:
            ValueError: it names none of this game's results.
        """
        values = name.split("-")
        if not all(len(value) == 1 and value.isascii() and value.isdecimal() for value in values):
            example = "-".join("421"[: self.dice_count.value])
            raise ValueError(f"dice {name!r}: expected {self.dice_count.value} values from 1 to 6, such as {example}")
        return self.checked([int(value) for value in values])


class Tumbler(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cage, or the chute that may take its place."""

    cage: Cited[str]
    cage_diameter_in: Cited[Count]
    clear_view: Cited[bool]
    """Whether the text wants the cage of wire or the like, so that the dice can be seen."""
    minimum_inversions: Cited[Count]
    """Turns of the cage that a tumble must have."""
    chute: Cited[str]
    minimum_baffles: Cited[Count]


class LargeDice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The dice of a cage or a chute."""

    side_in: Cited[float]
    weight: Cited[str]
    opposite_sum: Cited[int]
    """What each pair of opposite faces adds up to."""
