"""The bets of roulette, against the arithmetic of a layout that every dealer knows."""

from __future__ import annotations

from collections import Counter

import pytest

from controller.games.roulette.layout import RouletteLayout
from controller.games.roulette.rules import AMERICAN, AMERICAN_AS_SINGLE_ZERO, EUROPEAN, RouletteRules
from controller.rules.profile import profile
from drivers.wheel import faces as wheel_faces

RULES = profile("njac-13:47-20").text("roulette", RouletteRules)
NUMBERS = [str(n) for n in range(1, 37)]

NAMED = {"1 to 18", "19 to 36", "1st 12", "2nd 12", "3rd 12"}
ODDS_BY_POCKETS_COVERED = {1: 35, 2: 17, 3: 11, 4: 8, 5: 6, 6: 5, 7: 4, 12: 2, 18: 1}


def kind(bet: str) -> str:
    """What sort of bet a name is: without its numbers, except where they are the name."""
    return bet if bet in NAMED else bet.rstrip("0123456789-").strip()


def kinds(wheel: str, pocket: str) -> Counter[str]:
    return Counter(kind(winner.bet) for winner in RouletteLayout(RULES, wheel).winning(pocket))


@pytest.mark.parametrize("wheel", [AMERICAN, EUROPEAN, AMERICAN_AS_SINGLE_ZERO])
def test_the_odds_of_each_bet_follow_from_how_many_pockets_it_covers(wheel: str) -> None:
    for bet in RouletteLayout(RULES, wheel, seven_numbers=True).bets:
        assert bet.wager.odds.value == ODDS_BY_POCKETS_COVERED[len(bet.pockets)], bet.name


@pytest.mark.parametrize(
    ("wheel", "splits", "threes", "straights", "first_five"),
    [(AMERICAN, 62, 15, 38, 1), (EUROPEAN, 60, 13, 37, 0), (AMERICAN_AS_SINGLE_ZERO, 62, 15, 38, 1)],
)
def test_the_layout_has_as_many_bets_of_each_kind_as_it_has_lines_and_corners(
    wheel: str, splits: int, threes: int, straights: int, first_five: int
) -> None:
    count = Counter(kind(bet.name) for bet in RouletteLayout(RULES, wheel).bets)
    assert (
        count
        == Counter(
            {
                "straight": straights,
                "split": splits,
                "three numbers": threes,
                "four numbers": 22,
                "first five numbers": first_five,
                "six numbers": 11,
                "column": 3,
                **dict.fromkeys(["1st 12", "2nd 12", "3rd 12"], 1),
                **dict.fromkeys(["red", "black", "odd", "even", "1 to 18", "19 to 36"], 1),
            }
        )
        + Counter()
    )


def test_names_of_bets_are_told_apart() -> None:
    names = [bet.name for bet in RouletteLayout(RULES, AMERICAN, seven_numbers=True).bets]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("pocket", NUMBERS)
def test_what_wins_on_a_number_follows_from_its_place_on_the_layout(pocket: str) -> None:
    number = int(pocket)
    row, column = divmod(number - 1, 3)
    neighbours = (row > 0) + (row < 11) + (column > 0) + (column < 2)
    corners = ((row > 0) + (row < 11)) * ((column > 0) + (column < 2))
    zeros_touched = {1: 1, 2: 2, 3: 1}.get(number, 0)
    threes_with_zero = {1: 1, 2: 3, 3: 1}.get(number, 0)
    assert (
        kinds(AMERICAN, pocket)
        == Counter(
            {
                "straight": 1,
                "split": neighbours + zeros_touched,
                "three numbers": 1 + threes_with_zero,
                "four numbers": corners,
                "first five numbers": int(number <= 3),
                "six numbers": (row > 0) + (row < 11),
                "column": 1,
                ("1st 12", "2nd 12", "3rd 12")[(number - 1) // 12]: 1,
                RULES.color(pocket): 1,
                "odd" if number % 2 else "even": 1,
                "1 to 18" if number <= 18 else "19 to 36": 1,
            }
        )
        + Counter()
    )


@pytest.mark.parametrize(
    ("wheel", "pocket", "bets"),
    [
        (
            AMERICAN,
            "0",
            [
                "straight 0",
                "split 0-00",
                "split 0-1",
                "split 0-2",
                "three numbers 0-1-2",
                "three numbers 0-2-00",
                "first five numbers",
            ],
        ),
        (
            AMERICAN,
            "00",
            [
                "straight 00",
                "split 0-00",
                "split 00-2",
                "split 00-3",
                "three numbers 0-2-00",
                "three numbers 00-2-3",
                "first five numbers",
            ],
        ),
        (EUROPEAN, "0", ["straight 0", "split 0-1", "split 0-2", "split 0-3", "three numbers 0-1-2"]),
    ],
)
def test_no_even_money_bet_no_column_and_no_dozen_wins_on_a_zero(wheel: str, pocket: str, bets: list[str]) -> None:
    assert [winner.bet for winner in RouletteLayout(RULES, wheel).winning(pocket)] == bets


def test_all_that_wins_on_seventeen() -> None:
    assert [
        f"{bet} {odds}" for bet, odds in ((w.bet, w.odds) for w in RouletteLayout(RULES, AMERICAN).winning("17"))
    ] == [
        "straight 17 35 to 1",
        "split 14-17 17 to 1",
        "split 16-17 17 to 1",
        "split 17-18 17 to 1",
        "split 17-20 17 to 1",
        "three numbers 16-17-18 11 to 1",
        "four numbers 13-14-16-17 8 to 1",
        "four numbers 14-15-17-18 8 to 1",
        "four numbers 16-17-19-20 8 to 1",
        "four numbers 17-18-20-21 8 to 1",
        "six numbers 13-18 5 to 1",
        "six numbers 16-21 5 to 1",
        "column 2 2 to 1",
        "2nd 12 2 to 1",
        "black 1 to 1",
        "odd 1 to 1",
        "1 to 18 1 to 1",
    ]


def test_seven_numbers_is_offered_only_where_the_operator_offers_it() -> None:
    offered = RouletteLayout(RULES, AMERICAN, seven_numbers=True)
    winners = [n for n in NUMBERS if any(w.bet == "seven numbers" for w in offered.winning(n))]
    assert winners == ["10", "11", "12", "13", "14", "15", "33"]
    assert not any(bet.name == "seven numbers" for bet in RouletteLayout(RULES, AMERICAN).bets)


def test_double_zero_is_no_outcome_of_a_wheel_used_as_single_zero() -> None:
    with pytest.raises(KeyError, match="'00' is not an outcome"):
        RouletteLayout(RULES, AMERICAN_AS_SINGLE_ZERO).winning("00")
    assert RULES.reasons["double_zero_as_single_zero"].again


def test_a_double_zero_wheel_used_as_single_zero_keeps_the_wagers_of_the_text() -> None:
    """13:47-20.32(i) changes none: first five, 0-2-00, 00-2-3 and 0-00 stay, and there is no split 0-3."""
    used_so, double = RouletteLayout(RULES, AMERICAN_AS_SINGLE_ZERO), RouletteLayout(RULES, AMERICAN)
    assert used_so.bets == double.bets
    for pocket in ["0", *NUMBERS]:
        assert used_so.winning(pocket) == double.winning(pocket)
    won = {winner.bet for winner in used_so.winning("0")}
    assert {"first five numbers", "three numbers 0-2-00", "split 0-00"} <= won
    assert "split 0-3" not in won


def test_an_unknown_wheel_is_refused() -> None:
    with pytest.raises(ValueError, match="expected one of american, european"):
        RouletteLayout(RULES, "martian")


@pytest.mark.parametrize(
    ("wheel", "choice", "lost", "cite"),
    [
        (AMERICAN, "half", "half", "13:47-20.32(g)"),
        (AMERICAN, "all", "all", "13:47-20.32(g)"),
        (EUROPEAN, "half", "all", "13:47-20.32(h)"),
        (AMERICAN_AS_SINGLE_ZERO, "half", "all", "13:47-20.32(i)3"),
    ],
)
def test_only_a_double_zero_wheel_leaves_the_choice_of_half_or_all(
    wheel: str, choice: str, lost: str, cite: str
) -> None:
    told = RouletteLayout(RULES, wheel).even_money_lost("0", choice)
    assert told is not None
    assert (told.value, told.cite) == (lost, cite)
    assert RouletteLayout(RULES, wheel).even_money_lost("17", choice) is None


def test_a_choice_other_than_half_or_all_is_refused() -> None:
    with pytest.raises(ValueError, match="allows half, all"):
        RouletteLayout(RULES, AMERICAN).even_money_lost("00", "a third")


def test_the_notices_to_post_follow_from_the_wheel_and_the_choice() -> None:
    assert [n.cite for n in RULES.notices_to_post(AMERICAN, "half")] == ["13:47-20.32(g)"]
    assert "one-half" in RULES.notices_to_post(AMERICAN, "half")[0].value
    assert "one-half" not in RULES.notices_to_post(AMERICAN, "all")[0].value
    assert [n.cite for n in RULES.notices_to_post(AMERICAN_AS_SINGLE_ZERO, "all")] == ["13:47-20.32(i)1"]
    assert RULES.notices_to_post(EUROPEAN, "all") == ()


def test_eighteen_numbers_are_red_eighteen_black_and_the_zeros_green() -> None:
    assert Counter(RULES.color(pocket) for pocket in [*NUMBERS, "0", "00"]) == {"red": 18, "black": 18, "green": 2}


@pytest.mark.parametrize("order", [wheel_faces.AMERICAN, wheel_faces.EUROPEAN])
def test_red_and_black_alternate_around_the_wheel_between_the_zeros(order: tuple[str, ...]) -> None:
    colors = [RULES.color(pocket) for pocket in order]
    assert all(left != right for left, right in zip(colors, colors[1:] + colors[:1], strict=True))


@pytest.mark.parametrize("pocket", ["37", "000", "-1", "017", "", "١٧", "17.0"])
def test_a_pocket_that_no_wheel_has_is_refused(pocket: str) -> None:
    with pytest.raises(ValueError, match="expected 0, 00 or 1 to 36"):
        RULES.color(pocket)


def test_the_dealer_takes_the_ball_out_for_the_three_irregularities_of_the_text() -> None:
    cited = {code: reason.call.cite for code, reason in RULES.reasons.items() if reason.call and not reason.call.ours}
    assert cited == {
        "ball_direction": "13:47-20.32(m)1",
        "ball_revolutions": "13:47-20.32(m)2",
        "foreign_object": "13:47-20.32(m)3",
        "double_zero_as_single_zero": "13:47-20.32(i)2",
    }
    assert all(RULES.reasons[code].remove_ball for code in ("ball_direction", "ball_revolutions", "foreign_object"))
    assert RULES.reasons["no_more_bets_after_drop"].call is None
