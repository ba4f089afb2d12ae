"""The cut of a stack: where a player cuts it, and where the dealer puts the cutting card."""

from __future__ import annotations

from controller.games.cards.procedure import CardProcedure
from hal.wording import counted


def cut_wrong(procedure: CardProcedure, cards: int, cut: int) -> str | None:
    """Why a stack of this many cards may not be cut after the first `cut` of them; None where it may."""
    least = procedure.cut_least
    if least.value <= cut <= cards - least.value:
        return None
    return (
        f"the cut leaves {counted(max(0, min(cut, cards - cut)), 'card')} at one end: cut at least {least.value} cards "
        f"from either end ({least.cite})"
    )


def cutting_card_wrong(procedure: CardProcedure, cards: int, behind: int) -> str | None:
    """Why the cutting card of a stack of this many cards may not be before the last `behind`; None where it may."""
    part, within = procedure.cutting_card_from_back, procedure.cutting_card_within
    if abs(behind / cards - part.value) <= within.value:
        return None
    return (
        f"{behind} of {cards} cards are behind the cutting card: put it about {part.value:.0%} from the back "
        f"({part.cite}), within {within.value:.0%} of the stack (ours)"
    )
