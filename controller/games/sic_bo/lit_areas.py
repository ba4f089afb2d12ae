"""The areas that win, lit and read back before anything is settled (19:47-9, 13:69F-9).

    values ──► exactly the areas that win ──► read back ──► outcome ──► settled ──► dark
                                                 └─ the lamps fail ──► outcome; a supervisor settles; play ceases

The lamps are the layout's "electrical device". Before the dice are seen its failure voids the round; after that the
round is valid, is settled in a supervisor's presence, and nothing is played until it is fixed (9.6(b)).
"""

from __future__ import annotations

from typing import Final

from controller.games.dice.rules import Dice
from controller.games.sic_bo.areas import AREAS, SicBoLayout
from drivers.lamps.lamp_board import LampActuator

LAMP_BOARD: Final = "lamp_board"
LAMPS_FAILED: Final = "lamps_failed"
THE_LAMPS: Final = "the lamps"
"""The cause of their fault, while they are not fixed."""


class LitAreas:
    """The lit areas of one round, and whether it may be settled by them."""

    def __init__(self, lamps: LampActuator, layout: SicBoLayout) -> None:
        """`lamps` are those of the areas of `layout`."""
        self.lamps = lamps
        self.layout = layout
        self.begin()

    def begin(self) -> None:
        """A new round begins; the lamps themselves stay as they are."""
        self.dice: Dice | None = None
        """The values whose areas are lit, or are to be."""
        self.supervised = False
        """Whether only a supervisor settles this round, because the lamps failed."""
        self.relighting = False
        """Whether the areas of a round that a person called are being lit."""

    @property
    def failure(self) -> str | None:
        """What is wrong with the lamps; None where nothing is known to be."""
        return self.lamps.failure

    def light(self, dice: Dice, t_ns: int) -> None:
        """Lights exactly the areas that win with these values."""
        self.dice = dice
        self.lamps.light(self._places(dice), t_ns)

    def relight(self, dice: Dice | None, t_ns: int) -> None:
        """Lights what wins by a person's call; nothing where nothing does."""
        if dice is None:
            self.relighting = False
            self.lamps.darken(t_ns)
            return
        self.lamps.light(self._places(dice), t_ns)
        self.relighting = not self.lamps.shows

    def light_again(self, t_ns: int) -> None:
        """Lights what went dark by itself."""
        self.lamps.light(self.lamps.asked, t_ns)

    def read_back_dark(self, t_ns: int) -> None:
        """Has the dark lamps read back: that the chain answers, and that none is stuck."""
        self.lamps.light((), t_ns)

    def darken(self, t_ns: int) -> None:
        """Nothing is lit any more, and nothing is to be."""
        self.dice = None
        self.lamps.darken(t_ns)

    def doubt(self, failure: str, t_ns: int) -> None:
        """The lamps failed before a restart: each of them is tested before the failure counts as fixed."""
        self.lamps.doubt([area.number for area in AREAS], failure, t_ns)

    def settling_begins(self) -> None:
        """The bets are to be paid; a call that comes later does not take the supervisor away."""
        self.supervised = self.supervised or self.failure is not None

    def settle_refused(self, number: int, rule: str) -> str | None:
        """Why a round that has its verdict may not be settled by the dealer now; `rule` is that of failed lamps.

        Nothing is settled before its areas are lit (9.3(c)); where they cannot be, only by a supervisor (9.6(b)).
        """
        if self.supervised:
            return f"the lamps failed, so a supervisor settles round {number} ({rule}): the key, or settle_attended"
        return f"the areas of round {number} are not lit yet" if self.relighting else None

    def _places(self, dice: Dice) -> list[int]:
        return [area.number for area in self.layout.lit(dice)]
