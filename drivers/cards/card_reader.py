"""A card reader device: it looks at the dealer's hole card, and gives only whether the dealer has blackjack.

    link card_reader    P;y;29   the dealer has blackjack      P;n;xx   has none      P;?;xx   not read

The card itself has no place in the line, in the observation, or anywhere behind it: a frame that holds anything else is
garbled, and is never repeated. 13:47-20 and 19:47-2 name the device; that it reports nothing else is in the marks of
the cards that it reads (T2-30 of other states' rules), and is ours here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import Observation, SensorHealth
from drivers.base.view import dead_lines
from drivers.cards.card_wire import MalformedCardLine, parse_reader
from drivers.cards.observations import Blackjack, HoleCardRead, LineGarbled
from drivers.cards.view import CardReaderView
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

_FOUND: Final[dict[str, Blackjack]] = {"y": "yes", "n": "no", "?": "unreadable"}


class CardReaderConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a card reader."""

    driver: Literal["card_reader"] = "card_reader"
    link: Annotated[str, Meta(min_length=1, description="name of the reader's serial link")] = "card_reader"


class CardReader:
    """The driver of one card reader (see `drivers.base.driver.Driver`)."""

    next_due_ns: int | None = None

    def __init__(self, config: CardReaderConfig, name: str = "card_reader") -> None:
        self.name = name
        self.lines = frozenset({config.link})
        self._health = SensorHealth()

    def view(self, t_ns: int) -> CardReaderView:
        """The reader at `t_ns`: what it read is sealed."""
        linked = not self._health.dead
        facts = (("link", "up" if linked else "down"), ("hole card", "sealed"))
        return CardReaderView(facts=facts, doubts=dead_lines(self._health), linked=linked)

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        return []

    def reading(self, reading: Reading) -> list[Observation]:
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Handles a line of the reader."""
        found: list[Observation] = []
        if frame.link in self.lines:
            self._health.line_active(frame.link, frame.t_ns, found)
            line = parse_reader(frame.data)
            if isinstance(line, MalformedCardLine):
                found.append(LineGarbled(t_ns=frame.t_ns, cause=line.cause, device=self.name))
            else:
                found.append(HoleCardRead(t_ns=frame.t_ns, blackjack=_FOUND[line.found]))
        return found

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Handles an unplugged reader."""
        found: list[Observation] = []
        if loss.line in self.lines and loss.cause is Loss.UNPLUGGED:
            self._health.line_unplugged(loss.line, loss.t_ns, found)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        return []


def public_part(data: bytes) -> bytes | None:
    """What of a frame may be stored: all of a line; nothing of what is not a line, which may hold the card."""
    return b"" if isinstance(parse_reader(data), MalformedCardLine) else None
