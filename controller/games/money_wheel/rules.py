"""The rules of the money wheel (big six) in one regulation, and the bet that wins on a face."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from controller.rules.cited import Cited, RoundRules, odds_words
from feed.data import WinningBet


class Face(Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of space: how many the wheel has, and what it pays."""

    face: str
    count: Cited[Annotated[int, Meta(ge=1)]]
    odds: Cited[Annotated[int, Meta(ge=1)]]
    designator: bool = False
    """A special designator (flag, joker), not a bill."""


class MoneyWheelRules(RoundRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The money wheel of one regulation. The fields carry their citations."""

    section: str
    mounting: Cited[str]
    diameters_in: Cited[tuple[int, ...]]
    spaces: Cited[int]
    layout_spaces: Cited[int]
    minimum_revolutions: Cited[int]
    spin_direction: Cited[str]
    result_read: Cited[str]
    settlement: Cited[str]
    operator_classes: Cited[tuple[str, ...]]
    supervisor_classes: Cited[tuple[str, ...]]
    faces: tuple[Face, ...]
    silent_on: tuple[str, ...]

    def winning(self, face: str) -> tuple[WinningBet, ...]:
        """The bet that wins when the indicator rests on `face`: the face itself.

        Raises:
            KeyError: the wheel has no such face.
        """
        for known in self.faces:
            if known.face == face:
                return (WinningBet(known.face, odds_words(known.odds.value)),)
        raise KeyError(f"the money wheel of {self.section} has no face {face!r}, only {self.face_names()}")

    def face_names(self) -> tuple[str, ...]:
        """The faces, from the commonest to the rarest."""
        return tuple(known.face for known in self.faces)

    def order_problems(self, order: Sequence[str]) -> list[str]:
        """The differences between `order` and this wheel's faces, a sentence each; empty if there are none."""
        found = Counter(order)
        wrong = [
            f"{found[known.face]} spaces show {known.face}, and {self._wanted(known)}"
            for known in self.faces
            if found[known.face] != known.count.value
        ]
        unknown = sorted(set(found) - set(self.face_names()))
        return wrong + [f"{face!r} is not a face of {self.section}" for face in unknown]

    @staticmethod
    def _wanted(known: Face) -> str:
        """How many spaces show a face, and where that is from."""
        wants = "the house's rules want" if known.count.ours else f"{known.count.cite} wants"
        return f"{wants} {known.count.value}"
