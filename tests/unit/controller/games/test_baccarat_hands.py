"""The hands of baccarat against an independent oracle: every ordered deal of six point values."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from controller.games.baccarat.hands import DrawingRules, Hands, Undecided, hands_dealt, total, value
from controller.games.baccarat.rules import BaccaratRules
from controller.rules.profile import profile
from drivers.cards.card_wire import DECK

pytestmark = pytest.mark.long

CARD = ("Ts", "As", *(f"{number}s" for number in range(2, 10)))
"""A card of each point value."""
PLAYER = "DDDDDDSSNN"
"""By its points in two cards the player draws, stands, or has a natural."""
BANKER = {
    #  -0123456789    player stood, or its third card
    0: "DDDDDDDDDDD",
    1: "DDDDDDDDDDD",
    2: "DDDDDDDDDDD",
    3: "DDDDDDDDDSD",
    4: "DSSDDDDDDSS",
    5: "DSSSSDDDDSS",
    6: "SSSSSSSDDSS",
    7: "SSSSSSSSSSS",
}
"""The chart of punto banco, as tables print it."""
SILENT = range(3, 8)
"""Points of a banker of which the casino-night text states nothing once the player drew."""


def drawing(game: str = "baccarat", *, table: bool = True) -> DrawingRules:
    return profile("njac-13:47-20").text(game, BaccaratRules).drawing(table=table)


def chart(dealt: tuple[int, ...], *, table: bool) -> str:
    """The hand that draws after these values: `player`, `banker`, `` for none, or `?` where the text is silent."""
    if len(dealt) < 4:
        return "player" if len(dealt) in (0, 2) else "banker"
    player, banker = (dealt[0] + dealt[2]) % 10, (dealt[1] + dealt[3]) % 10
    natural = PLAYER[player] == "N" or PLAYER[banker] == "N"
    if natural or len(dealt) == 6 or (len(dealt) == 5 and PLAYER[player] == "S"):
        return ""
    if len(dealt) == 4 and PLAYER[player] == "D":
        return "player"
    if len(dealt) == 5 and banker in SILENT and not table:
        return "?"
    column = 0 if len(dealt) == 4 else dealt[4] + 1
    return "banker" if BANKER[banker][column] == "D" else ""


def winner(dealt: tuple[int, ...]) -> str:
    """The hand that is nearest to nine, from the values in the order of the deal."""
    third = ["player", "banker"] if PLAYER[(dealt[0] + dealt[2]) % 10] == "D" else ["banker"]
    hands = {"player": dealt[0] + dealt[2], "banker": dealt[1] + dealt[3]}
    for whose, points in zip(third, dealt[4:], strict=False):
        hands[whose] += points
    away = {whose: 9 - points % 10 for whose, points in hands.items()}
    if away["player"] == away["banker"]:
        return "tie"
    return min(away, key=lambda whose: away[whose])


EVERY, SOME = range(10), (0, 7)
"""Values of the second card of a hand: with the first of any value, two of them give every point twice."""


def walk(
    hands: Hands, dealt: tuple[int, ...], rules: DrawingRules, *, table: bool, seconds: Sequence[int] = EVERY
) -> int:
    """Compares hands and chart after these values and all that can follow; returns how many deals of six that is.

    `seconds` are the values of the second card of each hand.
    """
    expected, found = chart(dealt, table=table), hands.next(rules)
    if expected in ("", "?"):
        assert found is (Undecided.NO_TEXT if expected else Undecided.COMPLETE), dealt
        assert expected or hands.winner == winner(dealt), dealt
        return int(10 ** (6 - len(dealt)))
    assert not isinstance(found, Undecided), dealt
    assert found == expected, dealt
    return sum(
        walk(hands.with_card(CARD[points], found), (*dealt, points), rules, table=table, seconds=seconds)
        for points in (seconds if len(dealt) in (2, 3) else EVERY)
    )


@pytest.mark.parametrize("seconds", [SOME, pytest.param(EVERY, marks=pytest.mark.soak)], ids=["two", "all"])
@pytest.mark.parametrize("table", [True, False])
def test_every_deal_of_six_values_is_dealt_and_won_as_the_chart_has_it(*, table: bool, seconds: Sequence[int]) -> None:
    assert drawing("mini_baccarat", table=table) == drawing("baccarat", table=table)
    assert walk(Hands(), (), drawing(table=table), table=table, seconds=seconds) == 10**4 * len(seconds) ** 2


def test_k30_a_card_counts_as_it_shows_a_picture_nothing_and_an_ace_one() -> None:
    shown = {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0, **{str(number): number for number in range(2, 10)}}
    assert [value(card) for card in DECK] == [shown[card[0]] for card in DECK]
    assert total(("As", "2h", "9d")) == 2  # the example of 13:47-20.20(e)4iii
    assert total(("As", "2h", "4d")) == 7


@pytest.mark.parametrize(
    ("cards", "player", "banker"),
    [
        ("9s 6h Kd 2c", "9s Kd", "6h 2c"),
        ("2s 4h Kd 2c", None, None),
        ("7s 5h Kd Kc 3s", "7s Kd", "5h Kc 3s"),
        ("2s 5h Kd Kc 7s 3s", "2s Kd 7s", "5h Kc 3s"),
        ("2s 5h Kd Kc 9s", "2s Kd 9s", "5h Kc"),
        ("2s 5h Kd Kc 9s 2c", None, None),
        ("9s 6h Kd", None, None),
    ],
)
def test_two_hands_are_made_of_cards_in_the_order_of_the_deal(
    cards: str, player: str | None, banker: str | None
) -> None:
    hands = hands_dealt(cards.split(), drawing())
    if player is None or banker is None:
        assert hands is None
    else:
        assert hands == Hands(tuple(player.split()), tuple(banker.split()))


@pytest.mark.parametrize("cards", ["2s 5h Kd Kc 7s 3s", "2s 5h Kd Kc 7s"])
def test_where_the_text_is_silent_the_dealer_may_have_drawn_or_not(cards: str) -> None:
    assert hands_dealt(cards.split(), drawing(table=False)) is not None
