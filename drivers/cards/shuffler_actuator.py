"""Asks a reading shuffler for the order of a stack that it has not opened whole: once, and by its number.

stack broken up ──await_order──► cards come: `OrderCardOpened` … ──► OrderOpened
                                    └── none for OPENS_NS ──► Q;1;003;xx ──► none for OPENS_NS ──► OrderWithheld
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from drivers.base.driver import NEVER_NS, Observation
from drivers.cards.card_wire import AskedOrderLine, encode
from drivers.cards.observations import CardBatch, OrderCardOpened, OrderOpened, OrderWithheld, ShuffleBegan
from drivers.cards.shuffler import ShufflerConfig
from hal.values import Output, SendFrame

OPENS_NS: Final = 10_000_000_000
"""A shuffler opens the next card of an order within this, or does not (ours); 416 cards take 10 s in all."""


@dataclass
class _Awaited:
    """An order that is to be opened."""

    due_ns: int
    asked: bool = False
    """Whether it was asked for; once is enough."""


class ShufflerActuator:
    """What a shuffler on a link is asked; see `drivers.base.actuator.Actuator`."""

    observes: frozenset[type[Observation]] = frozenset({OrderCardOpened, OrderOpened, ShuffleBegan})

    def __init__(self, config: ShufflerConfig, name: str = "shuffler") -> None:
        self.name = name
        self.outputs: list[Output] = []
        self._link = config.link
        self._awaited: dict[CardBatch, _Awaited] = {}
        self._next: dict[CardBatch, int] = {}
        """The first place of each order that is not opened, where one of it is."""

    @property
    def next_due_ns(self) -> int:
        """When an order must have gone on."""
        return min((one.due_ns for one in self._awaited.values()), default=NEVER_NS)

    def await_order(self, batch: CardBatch, t_ns: int) -> None:
        """The stack of this batch is dealt no more: its order is to be opened from now on."""
        self._awaited.setdefault(batch, _Awaited(t_ns + OPENS_NS))

    def forget(self, batch: CardBatch) -> None:
        """The order of this batch is awaited no more."""
        self._awaited.pop(batch, None)
        self._next.pop(batch, None)

    def observe(self, seen: Observation) -> list[Observation]:
        """Takes each card of an order, and passes on the order that is whole."""
        if isinstance(seen, OrderCardOpened):
            self._next[seen.batch] = seen.place + 1
            awaited = self._awaited.get(seen.batch)
            if awaited is not None:
                awaited.due_ns = seen.t_ns + OPENS_NS
            return []
        if isinstance(seen, OrderOpened):
            self.forget(seen.batch)
        elif isinstance(seen, ShuffleBegan) and seen.batch is not None:
            self._next.pop(seen.batch, None)  # the driver has dropped what was opened: it is asked for as a whole
        return [seen]

    def due(self, t_ns: int) -> list[Observation]:
        """Meets the deadlines up to `t_ns`."""
        found: list[Observation] = []
        for batch, awaited in [*self._awaited.items()]:
            if awaited.due_ns > t_ns:
                continue
            place = self._next.get(batch, 1)
            if awaited.asked:
                self.forget(batch)
                found.append(OrderWithheld(t_ns=awaited.due_ns, batch=batch, place=place))
                continue
            data = encode(AskedOrderLine(batch, place)) + b"\r\n"
            self.outputs.append(SendFrame(self._link, data, awaited.due_ns))
            awaited.asked, awaited.due_ns = True, awaited.due_ns + OPENS_NS
        return found

    def rest(self, t_ns: int) -> list[Output]:
        """A shuffler is only asked: nothing puts it to rest."""
        return []
