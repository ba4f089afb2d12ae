"""What the texts say of baccarat, and what a table's file may ask of them."""

from __future__ import annotations

from typing import Any, Final

import pytest

from controller.games.baccarat.hands import hands_dealt
from controller.games.baccarat.rounds import result_of
from controller.games.baccarat.rules import BaccaratRules
from controller.games.baccarat.wagers import WagerOptions, Wagers
from controller.games.load import check_text
from controller.rules.cited import Cited
from controller.rules.profile import default_profile, profile
from tests.tables.card_shoe import ShoeHands, card_toml
from tests.tables.problems import only_problem

GAMES = ("baccarat", "mini_baccarat")


def rules(game: str) -> BaccaratRules:
    return profile("njac-13:47-20").text(game, BaccaratRules)


@pytest.mark.parametrize(("game", "section"), [("baccarat", "13:47-20.20"), ("mini_baccarat", "13:47-20.28")])
def test_each_game_cites_its_own_section_or_says_that_a_value_is_ours(game: str, section: str) -> None:
    text = rules(game)
    assert text.section == section
    cited: list[Cited[Any]] = [
        text.decks,
        text.initial,
        text.player_draws,
        text.banker_draws_after_stand,
        text.banker_draws,
        text.result_read,
        text.settlement,
        text.player_wins,
        text.banker_wins,
        text.tie,
    ]
    assert text.commission_on_all is not None
    cited.append(text.commission_on_all)
    assert text.cutting_cards is not None
    cited.append(text.cutting_cards)
    assert [one.cite for one in cited if not one.cite.startswith(section)] == []
    assert (text.banker_stands.cite, {row.cite for row in text.third_cards}) == ("ours", {"ours"})


@pytest.mark.parametrize("game", GAMES)
def test_every_total_of_a_bank_has_its_rule_once(game: str) -> None:
    text = rules(game)
    totals = [*text.banker_draws.value, *(row.total for row in text.third_cards), *text.banker_stands.value]
    assert totals == [0, 1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ["njac-19:47"])
def test_a_text_of_titles_alone_is_refused_with_them(game: str, name: str) -> None:
    refusal = profile(name).refusal(game) or ""
    assert "Rules for determining whether third card shall be dealt" in refusal
    assert default_profile(game) == "njac-13:47-20"
    problem = only_problem(card_toml(game, table=f'rules = "{name}"'))
    assert "gives only the titles" in problem


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (card_toml(options="decks = 5"), "game.decks: 5 is too few: at least 6 are used (13:47-20.20(b)2i)"),
        (
            card_toml("mini_baccarat", options="decks = 1"),
            "game.decks: 1 is too few: at least 6 are used (13:47-20.28(b)2i)",
        ),
        (card_toml(options="decks = 13"), "game.decks: 13 is out of range"),
        (card_toml(options="variation = 1"), "game.variation: unknown key"),
        (card_toml(shoe="read_wait_s = 0"), "device.shoe.read_wait_s: 0 is out of range"),
        (
            card_toml(shoe='reading = "none"'),
            'device.shoe.reading: "none" is not known; write one of "lines", "tokens"',
        ),
        (card_toml(shoe='link = ""'), "device.shoe.link"),
        (card_toml(more="[device.cage]\n"), "device.cage"),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_key(text: str, problem: str) -> None:
    assert problem in only_problem(text)


@pytest.mark.parametrize("game", GAMES)
def test_two_lines_and_a_backend_are_a_whole_file(game: str) -> None:
    report = check_text(f'[table]\nid = "b-1"\ngame = "{game}"\n[lines]\nbackend = "sim"\n')
    assert report.problems == []
    (table,) = report.tables
    assert set(table.devices) == {"shoe", "dealer"}


# --- casinos, 2012 --------------------------------------------------------------------------------------------------

CASINO = 'rules = "njac-13:69F"'


def wagers(game: str = "baccarat", **chosen: Any) -> Wagers:
    return Wagers(profile("njac-13:69F").text(game, BaccaratRules), WagerOptions(**chosen))


def dealt(cards: str, game: str = "baccarat") -> dict[str, Any]:
    hands = hands_dealt(cards.split(), profile("njac-13:69F").text(game, BaccaratRules).drawing(table=True))
    assert hands is not None
    return result_of(hands)


def pays(cards: str, game: str = "baccarat", **chosen: Any) -> list[str]:
    return [f"{bet.bet} {bet.odds}" for bet in wagers(game, **chosen).winning(dealt(cards))]


NATURAL = "9s 6h Kd 2c"
BANK_SIX = "2s 6h 3d Kc Ks"  # the player draws a king: 5 against 6
BANK_SEVEN = "2s 7h 3d Kc Ks"
DRAGON = "2s 2h 2d Kc 2s 5c"  # 6 against 7 in three cards
TIE = "6s 6h Kd Jc"
BY_FOUR = "3s 5h Kd 2c Ks"
NINE_IN_THREE = "2s 3h 3d 4c 4s"  # the player draws a four: 9 against 7, and no natural


@pytest.mark.parametrize("game", GAMES)
def test_in_casinos_the_drawing_rules_are_ours_and_what_is_paid_is_the_texts(game: str) -> None:
    text = profile("njac-13:69F").text(game, BaccaratRules)
    assert {text.player_draws.cite, text.banker_draws.cite, text.banker_stands.cite} == {"ours"}
    assert all(one.cite.startswith(text.section) for one in (text.player_wins, text.banker_wins, text.tie, text.decks))
    assert text.vigorish is not None
    assert text.commission_on_all is None
    assert (text.vigorish.on_ties is not None) == (game == "mini_baccarat")


@pytest.mark.parametrize(
    ("cards", "chosen", "paid"),
    [
        (NATURAL, {}, ["player 1 to 1"]),
        (BANK_SIX, {}, ["banker 1 to 1"]),
        (TIE, {}, ["tie 8 to 1"]),
        (BANK_SIX, {"vigorish": "bank_of_six"}, ["banker 1 to 2"]),
        (BANK_SEVEN, {"vigorish": "bank_of_six"}, ["banker 1 to 1"]),
        (DRAGON, {"vigorish": "dragon_7"}, ["dragon 7 40 to 1"]),
        (DRAGON, {}, ["banker 1 to 1"]),
        (BANK_SEVEN, {"vigorish": "dragon_7"}, ["banker 1 to 1"]),
        (NATURAL, {"total_card_wagers": True}, ["player 1 to 1", "four cards 3 to 2"]),
        (BANK_SIX, {"total_card_wagers": True}, ["banker 1 to 1", "five cards 2 to 1"]),
        (DRAGON, {"total_card_wagers": True}, ["banker 1 to 1", "six cards 2 to 1"]),
        (NATURAL, {"bonus_paytable": "A"}, ["player 1 to 1", "player bonus 1 to 1"]),
        (BY_FOUR, {"bonus_paytable": "B"}, ["banker 1 to 1", "banker bonus 1 to 1"]),
        (BY_FOUR, {"bonus_paytable": "C"}, ["banker 1 to 1", "banker bonus 2 to 1"]),
        (BANK_SIX, {"bonus_paytable": "A"}, ["banker 1 to 1"]),
        (NINE_IN_THREE, {"bonus_paytable": "A"}, ["player 1 to 1"]),
        (TIE, {"bonus_paytable": "A"}, ["tie 8 to 1"]),
    ],
)
def test_k32_each_choice_pays_what_its_text_has(cards: str, chosen: dict[str, Any], paid: list[str]) -> None:
    assert pays(cards, **chosen) == paid


@pytest.mark.parametrize(
    ("cards", "game", "chosen", "notice"),
    [
        (
            BANK_SIX,
            "baccarat",
            {},
            "a vigorish of 5 percent of the amount won is due on the banker's hand (13:69F-3.3(c))",
        ),
        (BANK_SIX, "baccarat", {"vigorish_percent": 4}, "a vigorish of 4 percent of the amount won"),
        (DRAGON, "baccarat", {"vigorish": "dragon_7"}, "a push: a dragon 7 hand (13:69F-3.3(h))"),
        (TIE, "mini_baccarat", {"vigorish": "on_ties"}, "25 percent of each wager on the banker's hand is due"),
        (NATURAL, "baccarat", {}, ""),
        (BANK_SIX, "baccarat", {"vigorish": "covered", "total_card_wagers": True}, ""),
    ],
)
def test_what_is_due_in_a_casino_is_told(cards: str, game: str, chosen: dict[str, Any], notice: str) -> None:
    told = wagers(game, **chosen).notices(dealt(cards))
    assert (len(told) == 1 and notice in told[0]) if notice else told == []


@pytest.mark.parametrize(
    ("game", "table", "options", "problem"),
    [
        ("baccarat", "", 'vigorish = "dragon_7"', "game.vigorish: njac-13:47-20 has no such wager or commission"),
        ("baccarat", "", "total_card_wagers = true", "game.total_card_wagers: njac-13:47-20 has no such"),
        ("baccarat", CASINO, "vigorish_percent = 6", "game.vigorish_percent: 13:69F-3.3(c) has 4 or 5 percent"),
        ("baccarat", CASINO, 'vigorish = "on_ties"', "game.vigorish: 13:69F-3 has no commission on ties"),
        ("baccarat", CASINO, 'vigorish = "covered"', "game.vigorish: covered needs the wagers that cover it"),
        (
            "mini_baccarat",
            CASINO,
            'vigorish = "dragon_7"\nbonus_paytable = "A"',
            "game.bonus_paytable: is not offered beside the dragon 7 wager (13:69F-7.2(a)6iii)",
        ),
        ("baccarat", CASINO, "third_card_table = false", "without our table no hand can be dealt"),
        ("baccarat", CASINO, "decks = 5", "at least 6 are used (13:69F-3.4(a))"),
    ],
)
def test_a_choice_that_the_text_does_not_have_is_refused(game: str, table: str, options: str, problem: str) -> None:
    assert problem in only_problem(card_toml(game, table=table, options=options))


@pytest.mark.parametrize("game", GAMES)
def test_k24_a_casino_s_baccarat_has_six_decks_each_inspected_before_the_opening(game: str) -> None:
    text = profile("njac-13:69F").text(game, BaccaratRules)
    assert text.decks.value == 6
    assert text.inspection.opening.value
    assert {"cards", "shown", "mixed"} <= {check.check for check in text.inspection.checks}


SPREAD: Final = "cards,shown,mixed"


@pytest.mark.parametrize(
    ("game", "more", "checks", "answer"),
    [
        ("baccarat", "", f"{SPREAD},laced,shoe", "passed"),
        ("baccarat", "", f"{SPREAD},shuffled,shoe", "passed"),
        ("baccarat", "", "pre_shuffled,shoe", "passed"),
        ("baccarat", "", f"{SPREAD},shoe", "laced must be among the checks too"),
        ("baccarat", "", "pre_shuffled", "shoe must be among the checks too"),
        ("baccarat", "", "pre_shuffled,laced,shoe", "another of the checks replaces laced: name one of them"),
        ("mini_baccarat", "", f"{SPREAD},shuffled,shoe", "passed"),
        ("mini_baccarat", "", "pre_shuffled,shoe", "passed"),
        ("mini_baccarat", "[device.shuffler]\n", f"{SPREAD},shuffled,shoe", "batches_apart must be among the checks"),
        ("mini_baccarat", "[device.shuffler]\n", f"{SPREAD},batches_apart,shuffled,shoe", "passed"),
    ],
)
def test_k25_lacing_is_one_of_two_procedures_and_pre_shuffled_cards_are_exempt(
    game: str, more: str, checks: str, answer: str
) -> None:
    table = ShoeHands(card_toml(game, table=CASINO, more=more), opens=False)
    told = table.order("inspect_start device=shoe by=ann").reason
    assert "pre_shuffled: the cards are received pre-shuffled (instead of cards, shown, mixed," in told
    assert answer in table.order(f"inspect_pass device=shoe checks={checks} by=ann").reason
