"""Each view of the board, shown once: its words, those of its picture, its place on every screen, and axe's opinion."""

from __future__ import annotations

from itertools import product
from typing import Final, get_args

import pytest
from playwright.sync_api import expect

from feed.results.fixed_hands import Rank
from tests.browser.board_page import BoardPage
from tests.browser.card_scenes import CARD_SCENES
from tests.browser.layout import HD, PHONE, PORTRAIT, UHD, axe_problems, reads, resize
from tests.browser.pictures import OF_ONE_SCENE, RENEW, RENEW_GALLERY, gallery_words, words_at
from tests.browser.scenes import SCENES, play
from tests.fakes.board_site import BoardSite, PlayedTable
from tests.shares import one_in


@pytest.fixture
def shown(shown: BoardPage) -> BoardPage:
    shown.page.emulate_media(reduced_motion="reduce")
    return shown


HEROES = {
    "roulette": ["32", "RED", "EVEN", "19–36"],
    "roulette_spinning": ["7", "0.9 s A LAP", "4 NEEDED"],
    "money_wheel": ["JOKER"],
    "money_wheel_spinning": ["2", "41.5 RPM", "3 NEEDED"],
    "sic_bo": ["9", "SMALL"],
    "craps": ["LAST · ROUND 11", "9"],
    "baccarat": ["PLAYER", "BANKER", "PLAYER WINS", "9", "6", "K"],
    "baccarat_dealing": ["PLAYER", "BANKER", "DEALING", "8", "10", "K", "0", "SO FAR"],
    "under_over": ["11", "OVER 7"],
    "chuck_a_luck": ["2", "TURNS"],
    "beat_the_dealer": ["DEALER", "PLAYER", "8", "10", "PLAYER WINS"],
    "pusher": ["PLAY 25", "7", "TOKENS"],
    "pusher_open": ["LAST · PLAY 3", "0", "no award"],
    "blackjack": ["DEALER", "8", "2", "9", "19", "HANDS ABOVE 19 WIN"],
    "blackjack_bust": ["10", "6", "K", "26", "BUST", "ALL HANDS THAT ARE NOT BUST WIN"],
    "blackjack_natural": ["A", "K", "21", "BLACKJACK"],
    "blackjack_longest": ["26", "BUST"],
    "blackjack_all_bust": ["Q", "DEALER'S HAND NOT SHOWN", "2 HANDS · CARDS DEALT: 9"],
    "blackjack_unread": ["DEALER'S HAND NOT SHOWN", "3 HANDS · CARDS DEALT: 13"],
    "blackjack_dealing": ["DEALER", "9", "DEALING", "CARDS DEALT: 8"],
    "blackjack_first_cards": ["DEALER", "DEALING", "CARDS DEALT: 1"],
    "blackjack_playing": ["9", "2", "3", "14", "SO FAR", "CARDS DEALT: 14"],
    "blackjack_corrected": ["LAST · ROUND 61", "7", "17", "HANDS ABOVE 17 WIN"],
    "multi_action": ["PART 1", "20", "PART 2", "22", "BUST", "PART 3", "21", "BLACKJACK"],
    "multi_action_dealing": ["DEALER", "A", "4", "15", "SO FAR", "CARDS DEALT: 9"],
    "red_dog": ["1ST CARD", "4", "3RD CARD", "7", "SPREAD 4", "PLAYERS WIN", "3RD CARD BETWEEN · PAYS 1 TO 1"],
    "red_dog_outside": ["10", "Q", "SPREAD 1", "PLAYERS LOSE", "3RD CARD NOT BETWEEN"],
    "red_dog_consecutive": ["9", "10", "CONSECUTIVE", "TIE"],
    "red_dog_pair": ["Q", "5", "PAIR", "TIE"],
    "red_dog_three": ["Q", "THREE OF A KIND", "PLAYERS WIN", "PAYS 11 TO 1"],
    "red_dog_spread": ["4", "9", "SPREAD 4", "DEALING"],
    "red_dog_announced": ["8", "PAIR", "DEALING"],
    "stud": ["DEALER", "K", "A", "10", "4", "2", "ACE AND KING", "QUALIFIES"],
    "stud_unqualified": ["Q", "9", "HIGH CARD", "DOES NOT QUALIFY", "VOID: HAND 2"],
    "stud_unread": ["DEALER'S HAND NOT SHOWN", "2 HANDS · CARDS DEALT: 15"],
    "stud_dealing": ["2", "DEALING", "CARDS DEALT: 25 OF 25"],
    "stud_first_cards": ["DEALING", "CARDS DEALT: 12 OF 25"],
    "stud_progressive": ["LAST · ROUND 40", "ONE PAIR", "QUALIFIES"],
    "stud_progressive_result": ["8", "K", "ONE PAIR", "QUALIFIES"],
    "let_it_ride": ["COMMUNITY CARDS", "10", "THEY COUNT IN EVERY HAND"],
    "let_it_ride_turned": ["10", "CARDS DEALT: 15 OF 15"],
    "let_it_ride_dealt": ["DEALING", "CARDS DEALT: 15 OF 15"],
    "let_it_ride_unread": ["COMMUNITY CARDS NOT SHOWN", "1 HAND · CARDS DEALT: 6"],
    "joker_seven": ["HAND 1", "4+ RED 1 TO 1", "5 RED 5 TO 1", "TWO PAIRS 3 TO 1", "PAIR OF K 9 TO 1", "PRIAL 12 TO 1"],
    "joker_seven_full": ["HAND 7", "4+ BLACK", "PAIR OF Q", "PRIAL"],
    "joker_seven_one": ["10", "TWO JOKERS 20 TO 1"],
    "joker_seven_bets": ["LAST · ROUND 31", "HAND 5"],
    "joker_seven_dealing": ["DEALING", "CARDS DEALT: 17 OF 28"],
    "reel": ["LAST AWARD · PLAY 25", "7", "20", "TOKENS"],
    "reel_five": ["12,345", "CHERRY", "ORANGE"],
    "reel_turning": ["LAST AWARD · PLAY 4", "BELL", "6", "TOKENS"],
}
PANELS = {
    "money_wheel": ["$1", "$20", "FLAG", "JOKER", "LAST 61 RESULTS"],
    "sic_bo": ["SMALL", "BIG", "ANY TRIPLE", "17", "6 to 1", "10 to 1"],
    "craps": ["ON", "POINT IS 8", "SHOOTER 2 · 4 ROLLS", "POINT SET", "NATURAL"],
    "baccarat": ["BEAD PLATE", "41 HANDS", "BIG ROAD", "BANKER 17 · PLAYER 21 · TIE 3"],
    "under_over": ["UNDER 7", "SEVEN", "OVER 7", "1 to 1"],
    "chuck_a_luck": ["3", "18", "LAST 30 RESULTS"],
    "beat_the_dealer": ["DEALER", "PLAYER", "LAST 31 RESULTS"],
    "pusher": ["0", "CREDITS", "LAST AWARDS", "7 tokens", "PLAY 25", "0 PLAYS · 0 TOKENS WON"],
    "pusher_open": ["2", "CREDITS", "none in the last 3 plays"],
    "blackjack": ["DEALER'S TOTALS", "17", "BUST", "LAST 61 RESULTS", "DEALER'S BLACKJACKS"],
    "blackjack_unread": ["NO DEALER'S HAND WAS SHOWN IN THE LAST 24 ROUNDS"],
    "multi_action": ["BUST", "123 HANDS IN THE LAST 41 RESULTS"],
    "red_dog": ["PLAYERS WIN", "PLAYERS LOSE", "TIE", "SPREADS", "11", "LAST 81 RESULTS"],
    "stud": [
        "QUALIFIES",
        "DOES NOT QUALIFY",
        "HOW OFTEN EACH CAME",
        "3 OF A KIND",
        "ACE AND KING3",
        "HIGH CARD26",
        "LAST 61 RESULTS",
    ],
    "stud_progressive": ["PROGRESSIVE JACKPOT", "$25,413.60"],
    "stud_progressive_result": ["PROGRESSIVE JACKPOT", "$25,415.70"],
    "stud_paid": ["10,620,147.65 chips", "ROUND 41: A PLAYER'S STRAIGHT FLUSH PAID 1,180,016.40 chips"],
    "let_it_ride": ["A PAIR", "THE SAME SUIT", "NEITHER", "LAST 61 RESULTS"],
    "joker_seven_bets": ["RED CARDS IN A HAND", "LAST 31 RESULTS"],
    "reel": ["23", "CREDITS", "LAST AWARDS", "20 tokens", "7 · 7 · 7", "PLAY 25", "1,025 PLAYS · 911 TOKENS WON"],
}


BACKS = {
    "blackjack_all_bust": 1,
    "blackjack_unread": 3,
    "blackjack_dealing": 1,
    "stud_unread": 5,
    "stud_dealing": 4,
    "let_it_ride_turned": 1,
    "let_it_ride_dealt": 2,
    "let_it_ride_unread": 2,
}
"""Cards that are there, and that nobody has seen; no other view has any."""
READ_NO_CARDS = ("blackjack_unread", "stud_unread", "let_it_ride_unread")
"""Views without the last twenty."""
OF_CARDS = [name for name in CARD_SCENES if name not in OF_ONE_SCENE]
FIRST = {name.partition("_")[0]: name for name in reversed([*SCENES])}
"""Of each game."""
OF_OTHER_COLORS = ("roulette_refused", "roulette_unresolved", "reel_fault")
ALIKE = [name for name in SCENES if name not in (*CARD_SCENES, *FIRST.values(), *OF_OTHER_COLORS)]
"""Further views of a game, of the same parts and colors: some are looked at in each run, and by axe in the soak."""
VIEWS = {
    "roulette": [
        ("NUMBERS", "HOT", "COLD", "6 numbers", "LAST 100 RESULTS · EXPECTED 2.6× EACH"),
        ("COLORS AND HALVES", "RED", "BLACK", "ZERO", "1–18", "ODD", "LAST 100 RESULTS"),
        ("DOZENS AND COLUMNS", "1–12", "25–36", "COLUMN 3", "%"),
        ("32 AND ITS NEIGHBORS", "LAST SPIN · ROUND 128", "BALL CLOCKWISE ↻"),
        ("RUNS", "CURRENT", "LONGEST", "RED 4×", "past results do not change the next spin"),
    ],
    "roulette_sectors": [
        ("NUMBERS", "EXPECTED 2.7× EACH"),
        ("COLORS AND HALVES",),
        ("DOZENS AND COLUMNS",),
        ("26 AND ITS NEIGHBORS", "35", "3", "0", "32", "ROTOR COUNTER-CLOCKWISE ↺ 23.6 RPM"),
        ("SECTORS", "VOISINS DU ZÉRO · 17/37", "ORPHELINS · 8/37", "TIERS DU CYLINDRE · 12/37", "%"),
        ("RUNS",),
    ],
    "roulette_begun": [
        ("hot and cold numbers from 38 results on",),
        ("RED", "3×", "LAST 5 RESULTS · percentages from 20 results on"),
        ("25–36", "1×", "percentages from 20 results on"),
        ("14 AND ITS NEIGHBORS", "14", "2×"),
        ("RUNS", "RED 3×", "EVEN 3×"),
    ],
}
"""What the statistics show, one view after another."""


def test_the_words_are_of_views_that_are_shown() -> None:
    assert HEROES.keys() | PANELS.keys() | BACKS.keys() | VIEWS.keys() <= SCENES.keys()


@pytest.mark.parametrize(
    "name",
    [*(name for name in SCENES if name not in (*OF_CARDS, *ALIKE)), *one_in(3, ALIKE), *one_in(9, OF_CARDS)],
)
def test_each_view_has_its_words_fits_its_screen_and_axe_finds_nothing(
    shown: BoardPage, site: BoardSite, name: str
) -> None:
    """4K and 1080p are the same picture as 720p, in other pixels: one view shows that it is so."""
    table = play(site, SCENES[name])
    shown.show(table)
    hero = shown.board().locator(".hero")
    panel = shown.board().locator(".panel")
    for text in HEROES.get(name, []):
        expect(hero).to_contain_text(text)
    for text in PANELS.get(name, []):
        expect(panel).to_contain_text(text)
    expect(hero.locator(".card.back")).to_have_count(BACKS.get(name, 0))
    if name in HEROES and "baccarat" not in name and name not in READ_NO_CARDS:
        outcomes = table.state.history.outcomes[-20:]
        assert shown.last() == [outcome.round for outcome in reversed(outcomes)]
    strip = shown.board().locator(".strip")
    framed = hero.and_(shown.page.locator(".current")).count() if strip.count() else 0
    expect(strip.locator("> .paid")).to_have_count(framed)
    assert words_at(shown.page, HD).splitlines() == gallery_words()[name], RENEW_GALLERY
    if name in OF_ONE_SCENE:
        picture = OF_ONE_SCENE[name]
        assert words_at(shown.page, picture.size) == picture.words.read_text(), RENEW
    sizes = [HD, PORTRAIT] if name != "baccarat" else [UHD, PORTRAIT, HD]
    assert reads(shown.page, *sizes) == []
    if name not in ALIKE:
        assert axe_problems(shown.page, experimental=True) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", ALIKE)
def test_axe_finds_nothing_on_the_other_views_of_a_game(shown: BoardPage, site: BoardSite, name: str) -> None:
    shown.show(play(site, SCENES[name]))
    assert axe_problems(shown.page, experimental=True) == []


ROOM = """() => Math.min(...[...document.querySelectorAll(".hand-roll")].map(cell => {
  const range = document.createRange();
  range.selectNodeContents(cell.querySelector(".roll-words"));
  const [words, edge] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
  const left = cell.querySelector(".mark").getBoundingClientRect().left;
  return Math.min(left - edge.left, edge.right - words.right) / parseFloat(getComputedStyle(cell).fontSize);
}))"""
"""The least room between the words of a cell and its border, in heights of its text."""


def test_the_words_of_the_last_hands_have_room_in_their_cells(shown: BoardPage, site: BoardSite) -> None:
    table = PlayedTable("caribbean-stud-1", "caribbean_stud")
    hand = {"cards": ["8s", "8h", "Kd", "3c", "Tc"], "qualifies": True}
    site.play(table, [table.open(), *table.played({"dealer": {**hand, "rank": rank}} for rank in get_args(Rank))])
    shown.show(table)
    for size in (HD, PORTRAIT, PHONE):
        resize(shown.page, size)
        assert shown.page.evaluate(ROOM) >= 0.3


@pytest.mark.parametrize("name", VIEWS)
def test_statistics_are_turned_by_keys_and_each_view_can_be_read(shown: BoardPage, site: BoardSite, name: str) -> None:
    shown.show(play(site, SCENES[name]))
    shown.page.set_viewport_size({"width": HD[0], "height": HD[1]})
    panel = shown.board().locator(".panel")
    assert shown.pages() == len(VIEWS[name])
    for number, texts in enumerate(VIEWS[name], start=1):
        expect(panel.locator(".view-mark")).to_have_text(f"{number}/{len(VIEWS[name])}")
        for text in texts:
            expect(panel).to_contain_text(text)
        if name == "roulette_begun":
            expect(panel).not_to_contain_text("%")
        assert reads(shown.page, HD) == []
        shown.turn()
    expect(panel.locator(".view-mark")).to_have_text(f"1/{len(VIEWS[name])}")


TURNS: Final = """async ([asked, seconds]) => {
  const { Turn, turnMs } = await import("./turns.js");
  const turn = new Turn(turnMs(asked));
  const seen = [];
  for (let second = 0; second < seconds; second++) {
    turn.tick(second * 1000);
    seen.push(turn.of(3));
  }
  turn.step(-1, 0);
  return [...seen, turn.of(3), turn.of(0)];
}"""


def test_views_follow_each_other_in_the_time_that_the_address_asks_for(shown: BoardPage) -> None:
    expected = {
        None: [0] * 10 + [1] * 10 + [2] * 10 + [0] + [2, 0],
        "nothing": [0] * 10 + [1] * 10 + [2] * 10 + [0] + [2, 0],
        "-4": [0] * 10 + [1] * 10 + [2] * 10 + [0] + [2, 0],
        "15": [0] * 15 + [1] * 15 + [2] + [1, 0],
        "0.1": [0, 0, 1, 1, 2, 2] * 5 + [0] + [2, 0],
        "off": [0] * 31 + [2, 0],
    }
    shown.page.goto(shown.site.url)
    for asked, views in expected.items():
        assert shown.page.evaluate(TURNS, [asked, 31]) == views, asked


TOTALS: Final = """async ([game, motion]) => {
  const { moving } = await import(`./games/${game}.js`);
  const shown = moving({ game, motion, details: { hands: 2 } });
  return [...shown.querySelectorAll(".so-far strong")].map((one) => one.textContent);
}"""


def test_open_cards_count_as_the_final_hand_does_and_not_where_one_is_unknown(shown: BoardPage) -> None:
    shown.page.goto(shown.site.url)
    dealers = {
        ("As", "6h"): ["17"],
        ("As", "6h", "9c"): ["16"],
        ("As", "Ah", "9c"): ["21"],
        ("Ts", "Kh", "5c"): ["25"],
        ("9s",): [],
        ("9s", "??"): [],
        (): [],
    }
    for cards, total in dealers.items():
        motion = {"dealer_cards": list(cards), "cards_dealt": 7}
        assert shown.page.evaluate(TOTALS, ["blackjack", motion]) == total, cards
    hands = {(("8d", "Th"), ("Kc",)): ["8", "0"], (("7d", "6h", "As"), ("9c", "??")): ["4"], ((), ()): []}
    for (player, banker), totals in hands.items():
        motion = {"player_cards": list(player), "banker_cards": list(banker)}
        assert shown.page.evaluate(TOTALS, ["baccarat", motion]) == totals, (player, banker)


SIZES: Final = (PHONE, PORTRAIT, HD, UHD)


@pytest.mark.parametrize(
    ("name", "language"),
    one_in(23, product(SCENES, ("en", "es", "de"))),
)
def test_a_view_fits_a_phone_and_every_screen_in_every_language(
    shown: BoardPage, site: BoardSite, name: str, language: str
) -> None:
    """Every view of its statistics, too."""
    shown.show(play(site, SCENES[name]), lang=language)
    for size in SIZES:
        resize(shown.page, size)
        for _ in range(shown.pages()):
            assert reads(shown.page, size) == []
            if shown.pages() > 1:
                shown.turn()
