"""Whole shoes of eight decks through the rounds of baccarat, against an oracle that reads the chart of punto banco.

The oracle deals the same shoe by itself: its rounds must be those of the table, card by card, to the cutting card.
"""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Final

import pytest

from controller.games.baccarat.rounds import BaccaratHands, BaccaratOptions
from controller.games.baccarat.rules import BaccaratRules
from controller.games.cards.game import CardGame, CardTerms, card_rounds
from controller.rules.profile import profile
from controller.table.context import GameContext
from controller.table.salts import RepeatableSalts
from drivers.cards.card_wire import DECK
from drivers.cards.hidden_card import HiddenCard
from drivers.cards.observations import CardDealt
from feed import events
from hal.values import Frame

S: Final = 1_000_000_000
DECKS: Final = 8
CI_SHOES: Final = 30
SOAK_PIECES: Final = 20
SOAK_SHOES: Final = 5_000
"""Of each piece: 100,000 shoes in all."""
RULES: Final = profile("njac-13:47-20").text("baccarat", BaccaratRules)
CHART: Final = {
    #  -0123456789    the player stood, or its third card
    0: "DDDDDDDDDDD",
    1: "DDDDDDDDDDD",
    2: "DDDDDDDDDDD",
    3: "DDDDDDDDDSD",
    4: "DSSDDDDDDSS",
    5: "DSSSSDDDDSS",
    6: "SSSSSSSDDSS",
    7: "SSSSSSSSSSS",
}
"""Whether a banker of these points draws, as tables print it."""


def worth(card: str) -> int:
    """Its point value."""
    return 1 if card[0] == "A" else 0 if card[0] in "TJQK" else int(card[0])


def dealt(shoe: list[str]) -> tuple[list[str], list[str], str]:
    """The next round of a shoe, whose next card is the last of the list: both hands, and who wins."""
    player, banker = [shoe.pop()], [shoe.pop()]
    player.append(shoe.pop())
    banker.append(shoe.pop())
    points = [sum(map(worth, hand)) % 10 for hand in (player, banker)]
    if max(points) < 8:
        column = 0
        if points[0] <= 5:
            player.append(shoe.pop())
            column = worth(player[-1]) + 1
        if CHART[points[1]][column] == "D":
            banker.append(shoe.pop())
    away = [9 - sum(map(worth, hand)) % 10 for hand in (player, banker)]
    return player, banker, "tie" if away[0] == away[1] else "player" if away[0] < away[1] else "banker"


def shoes(count: int, seed: int) -> int:
    """Plays shoes; returns how many rounds there were."""
    rng, t_ns, rounds = Random(seed), 0, 0
    context = GameContext(
        table="b",
        game="baccarat",
        simulated=True,
        call_by="auto",
        settle_by_button=False,
        time_of=str,
        salts=RepeatableSalts(),
    )
    hands = partial(BaccaratHands, rules=RULES, options=BaccaratOptions(decks=DECKS))
    game = CardGame(card_rounds(context, RULES, 3.0), RULES, CardTerms(DECKS, DECK, carries=False), hands)
    report = game.rounds.report
    game.rounds.judged_by(game)
    game.rounds.open(0)
    cards = [*DECK] * DECKS
    for _ in range(count):
        rng.shuffle(cards)
        shoe, mine = list(cards), list(cards)
        game.new_shoe(t_ns, "ann")
        while len(mine) > len(cards) // 4:
            player, banker, winner = dealt(mine)
            report.events.clear()
            for _card in range(len(player) + len(banker)):
                t_ns += S
                face = HiddenCard(shoe.pop(), Frame("shoe", b"", t_ns))
                game.handle(CardDealt(t_ns=t_ns, card=face, left_ns=t_ns))
            (outcome,) = (data for data in report.events if isinstance(data, events.Outcome))
            result = outcome.result
            assert (result["player"]["cards"], result["banker"]["cards"], result["winner"]) == (player, banker, winner)
            report.shown.clear()
            t_ns += 4 * S
            game.rounds.due(t_ns)
            rounds += 1
        assert shoe == mine
        assert game.shoe.book.dealt == len(cards) - len(mine)
    return rounds


def test_shoes_of_eight_decks_are_dealt_as_the_oracle_deals_them() -> None:
    assert shoes(CI_SHOES, 1) > CI_SHOES * 55


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("piece", range(SOAK_PIECES))
def test_a_hundred_thousand_shoes_are_dealt_as_the_oracle_deals_them(piece: int) -> None:
    assert shoes(SOAK_SHOES, 1000 + piece) > SOAK_SHOES * 55
