"""Random shoes of eight decks through the rounds of baccarat, against an oracle that owes nothing to the controller."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from controller.games.assembly import table_for
from controller.games.baccarat.rounds import BaccaratGame
from drivers.cards.card_wire import DECK
from drivers.cards.hidden_card import HiddenCard
from drivers.cards.observations import CardDealt
from feed import events
from hal.values import Frame
from simulators.cards.baccarat_table import draws, points
from tests.tables.bench import configured
from tests.tables.card_shoe import card_toml

CI_SHOES: Final = 25
SOAK_SHOES: Final = 1_000
"""In each of a hundred parts."""
CONFIG: Final = configured(card_toml())
NOTHING: Final = Frame("shoe", b"", 0)
S: Final = 1_000_000_000


def winner(cards: list[str]) -> tuple[str, int, int]:
    """Who wins, and both totals, of cards in the order of the deal."""
    player, bank = [cards[0], cards[2]], [cards[1], cards[3]]
    more = cards[4:]
    if more and points(*player) <= 5:
        player.append(more.pop(0))
    bank += more
    one, other = points(*player), points(*bank)
    return ("player" if one > other else "banker" if other > one else "tie"), one, other


def play(seed: int) -> int:
    """A shoe to its last whole round; returns its rounds."""
    rng = Random(seed)
    table = table_for(CONFIG, epoch="sim", simulated=True)
    table.open(0)
    game = table.game
    assert isinstance(game, BaccaratGame)
    shoe = list(DECK) * 8
    rng.shuffle(shoe)
    t_ns, rounds = S, 0
    game.new_shoe(t_ns, "ann")
    while len(shoe) >= 6:
        t_ns += S
        game.events.clear()
        game.close_bets(t_ns, t_ns, "dealer")
        dealt: list[str] = []
        while draws(dealt):
            t_ns += S
            dealt.append(shoe.pop())
            game.handle(CardDealt(t_ns=t_ns, card=HiddenCard(dealt[-1], NOTHING), left_ns=t_ns))
        (said,) = [one for one in game.events if isinstance(one, events.Outcome | events.Void | events.Unresolved)]
        assert isinstance(said, events.Outcome), (seed, dealt, said)
        named = [one.card for one in said.evidence.cards or ()]
        places = [one.place for one in said.evidence.cards or ()]
        assert named == dealt
        assert places == list(range(416 - len(shoe) - len(dealt) + 1, 416 - len(shoe) + 1))
        who, player, bank = winner(dealt)
        result = said.result
        assert (result["winner"], result["player"]["total"], result["banker"]["total"]) == (who, player, bank)
        game.settle(t_ns, "dealer")
        game.shown.clear()
        rounds += 1
    return rounds


@pytest.mark.parametrize("first", [0])
def test_random_shoes_agree_with_the_oracle(first: int) -> None:
    assert all(play(seed) > 60 for seed in range(first, first + CI_SHOES))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(100))
def test_a_hundred_thousand_random_shoes_agree_with_the_oracle(part: int) -> None:
    assert all(play(seed) > 60 for seed in range(1_000 + part * SOAK_SHOES, 1_000 + (part + 1) * SOAK_SHOES))
