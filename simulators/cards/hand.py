"""A hand at a simulated shoe: a known card is drawn."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.cards.card_wire import CardLine, ShoeLine, ShoeState, encode
from hal.clock import NS_PER_S
from hal.values import Batch, Edge, Frame
from simulators.base.hand import ContactHand, found_low

KNOWN_CARD = "As"
DRAW_NS = 250_000_000
"""A card covers each barrier for this long, and the second 100 ms after the first."""


class CardHand:
    """Draws one card of a shoe, or presses a contact."""

    def __init__(self, seed: int) -> None:
        self._contacts = ContactHand(seed)

    def move(self, movement: str, lines: Sequence[str], asked: int) -> Batch:
        """Draws the ace of spades, or presses a contact.

        Raises:
            HandMovementError: there is no such movement.
        """
        if movement != "known_card":
            return self._contacts.move(movement, lines, asked)
        barriers, link = lines[:-1], lines[-1]
        begin_ns = 2 * NS_PER_S
        edges: list[Edge] = found_low(barriers)
        for number, line in enumerate(barriers):
            at_ns = begin_ns + number * 100_000_000
            edges += [Edge(line, 1, at_ns), Edge(line, 0, at_ns + DRAW_NS)]
        edges.sort(key=lambda edge: edge.t_ns)
        out_ns = begin_ns + DRAW_NS + 100_000_000
        rare = [
            Frame(link, encode(ShoeLine(0, ShoeState.READY)), NS_PER_S),
            Frame(link, encode(CardLine(1, KNOWN_CARD)), out_ns),
            Frame(link, encode(ShoeLine(1, ShoeState.READY)), out_ns + NS_PER_S),
        ]
        return Batch(edges, list(rare), out_ns + 2 * NS_PER_S)
