"""What a round tells and asks of an automated shaker that may toss its dice: see `controller.rounds.tossing`."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from controller.rounds.equipped_game import EquippedGame
from controller.rounds.toss_watch import TossNews
from drivers.base.driver import SensorAlive, SensorDead
from feed.events import Evidence
from hal.values import Output

if TYPE_CHECKING:
    from controller.rounds.tossing import Tossing


class TossedGame(EquippedGame):
    """Rounds of which an automated shaker may toss the dice."""

    tossing: Tossing | None
    """The automated shaker; None where the table has none."""
    revealed_ns: int | None
    """When the dice of the round were seen to lie."""

    @abstractmethod
    def evidence(self, detail: str = "") -> Evidence:
        """What was measured of the round."""

    @abstractmethod
    def start(self, t_ns: int) -> None:
        """It tosses: the round has begun."""

    @abstractmethod
    def reveal(self, t_ns: int, at_ns: int) -> None:
        """The dice lie, and everybody sees them."""

    @abstractmethod
    def too_soon(self, t_ns: int) -> None:
        """It tossed before the call."""

    @abstractmethod
    def disturbed(self, t_ns: int, what: str) -> None:
        """It tossed again after the dice were seen."""

    @property
    @abstractmethod
    def needs_shaker(self) -> bool:
        """Whether nothing but the automated shaker sets the dice of this round going."""

    def begin_outputs(self, t_ns: int) -> list[Output]:
        """A shaker that a service before this one may have set going is stopped."""
        return super().begin_outputs(t_ns) + ([] if self.tossing is None else self.tossing.watch.put_to_rest(t_ns))

    def operated(self, news: TossNews, failure: str, t_ns: int) -> bool:
        """It did something; returns whether it was operated for an inspection."""
        return False

    def keeps(self, seen: SensorDead | SensorAlive) -> bool:
        """Whether a line of a shaker died or lives that does not stand on the table."""
        return self.tossing is not None and self.tossing.keeps(seen)

    def shaker_stands(self, t_ns: int, *, present: bool, by: str = "") -> None:
        """It was put on the table, or taken away; `by` is who says so, where no sensor does."""
