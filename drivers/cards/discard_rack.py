"""A discard rack that counts: one optical pulse for each card that is put into it.

discard_card   _|‾|___|‾|____      two cards
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.sensed_device import SensedDevice
from drivers.base.view import dead_lines
from drivers.cards.observations import CardDiscarded, DiscardsLost
from drivers.cards.view import DiscardRackView
from hal.values import Edge, EdgesLost, Loss

CARD: Final = "discard_card"


class DiscardRackConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a discard rack that counts."""

    driver: Literal["discard_rack"] = "discard_rack"


class DiscardRack(SensedDevice):
    """The driver of one discard rack (see `drivers.base.driver.Driver`)."""

    lines = frozenset({CARD})

    def __init__(self, config: DiscardRackConfig, name: str = "discard_rack") -> None:
        del config  # it has no keys that change what it does
        super().__init__(name)
        self._level: int | None = None

    def view(self, t_ns: int) -> DiscardRackView:
        """The rack at `t_ns`."""
        covered = self._level == 1
        facts = (("counter", "a card passes" if covered else "free"),)
        return DiscardRackView(facts=facts, doubts=dead_lines(self._health), covered=covered)

    def _due_ns(self) -> int:
        return NEVER_NS

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        """It has no deadline."""

    def _take(self, edge: Edge, found: list[Observation]) -> None:
        known, self._level = self._level, edge.level
        if edge.level and known == 0:
            found.append(CardDiscarded(t_ns=edge.t_ns))

    def _lose(self, loss: EdgesLost, found: list[Observation]) -> None:
        self._level = None
        what = "is unplugged" if loss.cause is Loss.UNPLUGGED else "lost changes"
        found.append(DiscardsLost(t_ns=loss.t_ns, detail=f"{CARD} {what}: cards may be in the rack uncounted"))
