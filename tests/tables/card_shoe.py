"""People at a table of cards under test: they call, deal from a reading shoe, and send orders."""

from __future__ import annotations

from typing import Final

from controller.games.cards.game import CardGame
from controller.table.orders.order import CommandResult
from controller.table.salts import Salts
from drivers.cards.card_wire import CardLine, ShoeLine, ShoeState, encode
from feed import events
from feed.state import TableState
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Rare
from tests.tables.bench import EventList
from tests.tables.orders import CommandBench

S: Final = 1_000_000_000
BETWEEN_S: Final = 1.0
"""From one act to the next: a card is dealt and its line has come."""
LINES: Final = ("shoe_card_1", "shoe_card_2", "shoe_cut", "shoe_empty", "shoe_lid", "shoe_jam")
BUTTONS: Final = ("dealer_no_more_bets", "dealer_settled", "dealer_void")


def card_toml(game: str = "baccarat", *, table: str = "", shoe: str = "", options: str = "", more: str = "") -> str:
    """The file of a table of cards."""
    return (
        f'[table]\nid = "b-1"\ngame = "{game}"\n{table}\n[lines]\nbackend = "sim"\n'
        f"[device.shoe]\n{shoe}\n[game]\n{options}\n{more}"
    )


class ShoeHands:
    """People at one table."""

    def __init__(
        self,
        text: str = "",
        *,
        before: TableState | None = None,
        opens: bool = True,
        salts: Salts | None = None,
    ) -> None:
        """`before` is what the journal has of the table, `salts` where its commitments have theirs from."""
        epoch = "b" if before else "a"
        self.bench = CommandBench(text or card_toml(), before=before, opens=opens, epoch=epoch, salts=salts)
        self.now_s = 0.0
        self.number = 0
        self.feed([Edge(line, 0, 0) for line in (*LINES, *BUTTONS)])

    @property
    def game(self) -> CardGame:
        """The rounds."""
        game = self.bench.table.game
        assert isinstance(game, CardGame)
        return game

    def feed(self, edges: list[Edge] | None = None, rare: list[Rare] | None = None, wait_s: float = 0.0) -> EventList:
        """Lets the wires do something, and time pass."""
        self.now_s += wait_s
        return self.bench.feed(Batch(edges or [], rare or [], round(self.now_s * S)))

    def wait(self, seconds: float) -> EventList:
        """Nobody does anything; the shoe reports its state each second."""
        said = EventList()
        until_s = self.now_s + seconds
        while self.now_s + 1.0 < until_s:
            said += self.state(wait_s=1.0)
        return together(said, self.feed(wait_s=until_s - self.now_s))

    def state(self, state: ShoeState = ShoeState.READY, *, wait_s: float = 0.1) -> EventList:
        """The shoe reports its state."""
        data = encode(ShoeLine(self.number, state))
        return self.feed([], [Frame("shoe", data, round((self.now_s + wait_s) * S))], wait_s)

    def press(self, button: str) -> EventList:
        """A button is pressed."""
        at = round((self.now_s + 0.1) * S)
        return self.feed([Edge(button, 1, at), Edge(button, 0, at + S // 10)], [], 0.4)

    def call(self) -> EventList:
        """ "No more bets"."""
        return self.press("dealer_no_more_bets")

    def card(self, card: str, *, named: bool = True, passes: bool = True) -> EventList:
        """A card leaves: past the barriers, and by its line, with the state of the shoe after it."""
        at_s = self.now_s + 0.1
        spans = (("shoe_card_1", 0.0, 0.12), ("shoe_card_2", 0.04, 0.16)) if passes else ()
        edges = [
            Edge(line, level, round((at_s + after) * S))
            for line, start, end in spans
            for level, after in ((1, start), (0, end))
        ]
        self.number += 1
        lines = ((CardLine(self.number, card), 0.18), (ShoeLine(self.number, ShoeState.READY), 0.8)) if named else ()
        rare: list[Rare] = [Frame("shoe", encode(line), round((at_s + after) * S)) for line, after in lines]
        return self.feed(sorted(edges, key=lambda edge: edge.t_ns), rare, BETWEEN_S)

    def deal(self, cards: str) -> EventList:
        """Cards leave one by one."""
        said = EventList()
        for card in cards.split():
            said += self.card(card)
        return said

    def round(self, cards: str) -> EventList:
        """The call, the deal, and time to settle."""
        return together(self.call(), self.deal(cards), self.wait(5.0))

    def sense(self, line: str, level: int) -> EventList:
        """A sensor of the shoe takes a level."""
        return self.feed([Edge(line, level, round((self.now_s + 0.1) * S))], [], 0.2)

    def unplug(self, line: str) -> EventList:
        """A line is unplugged."""
        return self.feed([], [EdgesLost(line, Loss.UNPLUGGED, round((self.now_s + 0.1) * S))], 0.2)

    def order(self, text: str) -> CommandResult:
        """Somebody sends an order; its answer."""
        self.now_s += 0.1
        return self.bench.send(text, round(self.now_s * S))

    def ordered(self, text: str) -> EventList:
        """An order that is carried out: what is published of it."""
        first = len(self.bench.said)
        answer = self.order(text)
        assert answer.accepted, answer.reason
        return EventList(self.bench.said[first:])

    @property
    def standing(self) -> list[str]:
        """The faults that stand."""
        return [fault.fault for fault in self.bench.table.faults.standing]


def together(*parts: EventList) -> EventList:
    """All of them, one after the other."""
    return EventList(event for part in parts for event in part)


def opened(said: EventList) -> list[int | None]:
    """The rounds that opened."""
    return [data.round for data in said.of(events.RoundOpened)]
