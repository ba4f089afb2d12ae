"""Every state of a board, in a real browser, by the words on the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from feed import events
from tests.browser.board_page import BoardPage
from tests.browser.scenes import SCENES, machine_event, play, reel_debt, roulette_result, spun
from tests.fakes.board_site import BoardSite, PlayedTable, roulette
from tests.shares import one_in

WORDS = {
    "en": {
        "waiting": "WAITING FOR THE TABLE",
        "bets": "PLACE YOUR BETS",
        "closed": "NO MORE BETS",
        "result": "RESULT",
        "why": "17 BLACK",
        "void": "NO SPIN",
        "reason": "the ball ran the same way as the wheel",
        "unresolved": "UNRESOLVED: DEALER CALLS",
        "possible": "no number could be read · POSSIBLE: 5 RED, 00 GREEN",
        "corrected": "RESULT CORRECTED",
        "change": "ROUND 4: WAS 20 BLACK, NOW 21 RED",
        "fault": "FAULT",
        "detail": "wheel: the wheel is not level",
        "shut": "TABLE CLOSED",
        "halted": "the table's record cannot be kept; play has stopped",
        "stale": "STALE: NO SIGNAL",
        "last": "LAST · ROUND 1",
    },
    "es": {
        "waiting": "ESPERANDO LA MESA",
        "bets": "HAGAN SUS APUESTAS",
        "closed": "NO VA MÁS",
        "result": "RESULTADO",
        "why": "17 NEGRO",
        "void": "TIRADA NULA",
        "reason": "la bola giró en el mismo sentido que la rueda",
        "unresolved": "SIN RESOLVER: DECIDE EL CRUPIER",
        "possible": "no se pudo leer ningún número · POSIBLES: 5 ROJO, 00 VERDE",
        "corrected": "RESULTADO CORREGIDO",
        "change": "RONDA 4: ERA 20 NEGRO, AHORA 21 ROJO",
        "fault": "AVERÍA",
        "detail": "wheel: la rueda no está nivelada",
        "shut": "MESA CERRADA",
        "halted": "no se puede llevar el registro de la mesa; ninguna ronda continúa",
        "stale": "SIN SEÑAL: DATOS ANTIGUOS",
        "last": "ÚLTIMO · RONDA 1",
    },
    "de": {
        "waiting": "WARTEN AUF DEN TISCH",
        "bets": "BITTE SETZEN",
        "closed": "NICHTS GEHT MEHR",
        "result": "ERGEBNIS",
        "why": "17 SCHWARZ",
        "void": "KEIN GÜLTIGER DREH",
        "reason": "die Kugel lief in Richtung des Kessels",
        "unresolved": "UNGEKLÄRT: CROUPIER ENTSCHEIDET",
        "possible": "es war keine Zahl lesbar · MÖGLICH: 5 ROT, 00 GRÜN",
        "corrected": "BERICHTIGT",
        "change": "RUNDE 4: WAR 20 SCHWARZ, JETZT 21 ROT",
        "fault": "STÖRUNG",
        "detail": "wheel: der Kessel steht nicht waagerecht",
        "shut": "TISCH GESCHLOSSEN",
        "halted": "die Aufzeichnung des Tisches ist nicht möglich; das Spiel ruht",
        "stale": "VERALTET: KEIN SIGNAL",
        "last": "LETZTE · RUNDE 1",
    },
}


@pytest.mark.parametrize("language", WORDS)
def test_every_state_has_its_words(shown: BoardPage, site: BoardSite, language: str) -> None:
    words = WORDS[language]
    table = PlayedTable("roulette-1", "roulette")
    site.play(table, table.open())
    shown.show(table, lang=language)
    shown.expect_state(words["waiting"])
    site.play(table, table.bets())
    shown.expect_state(words["bets"], None)
    site.play(table, [table.start(direction="clockwise"), table.call()])
    shown.expect_state(words["closed"])
    site.play(table, table.outcome(roulette(17)))
    shown.expect_state(words["result"], words["why"])
    expect(shown.board().locator(".hero.current .giant")).to_have_text("17")
    site.play(table, [table.settle(), table.bets()])
    expect(shown.board().locator(".hero.last .caption")).to_have_text(words["last"])
    site.play(table, table.void("ball_direction"))
    shown.expect_state(words["void"], words["reason"])
    expect(shown.board().locator(".giant")).to_have_count(0)
    site.play(table, [table.bets(), table.unresolved("no_number_read", [roulette(5), roulette("00")])])
    shown.expect_state(words["unresolved"], words["possible"])
    site.play(table, [table.bets(), table.outcome(roulette(20)), table.correct(4, roulette(20), roulette(21))])
    shown.expect_state(words["corrected"], words["change"])
    expect(shown.board().locator(".hero.current .giant")).to_have_text("21")
    site.play(table, table.bets())
    expect(shown.board().locator(".ribbon")).to_contain_text(words["change"])
    site.play(table, table.fault("wheel", "not_level"))
    shown.expect_state(words["fault"], words["detail"])
    site.play(table, table.close())
    shown.expect_state(words["shut"])
    site.halt(table)
    shown.expect_state(words["fault"], words["halted"])
    site.silence(table, 3)
    shown.expect_state(words["stale"])
    site.silence(table, 0)
    shown.expect_state(words["fault"])


def test_a_refused_roll_and_a_void_round_have_the_call_of_their_game(shown: BoardPage, site: BoardSite) -> None:
    table = PlayedTable("craps-1", "craps")
    site.play(table, [table.open(), table.bets(), table.void("die_off_table", call="No roll")])
    shown.show(table).expect_state("NO ROLL", "a die left the table")
    site.play(table, [table.bets(), table.void("a_code_of_a_later_version", call="Round void")])
    shown.expect_state("ROUND VOID", "a code of a later version")
    site.play(table, [table.bets(), table.void("dealer_call", call="No toss")])
    shown.expect_state("NO TOSS", "called by the dealer")


def test_simulation_is_across_the_page_in_every_state(shown: BoardPage, site: BoardSite) -> None:
    table = PlayedTable("roulette-1", "roulette", simulated=True)
    site.play(table, table.open())
    shown.show(table)
    steps: list[Callable[[], list[events.Event]]] = [
        lambda: [table.bets()],
        lambda: [table.start(), table.event(events.RoundProgress, revolutions=1)],
        lambda: [table.outcome(roulette(17))],
        lambda: [table.bets(), table.void("ball_direction")],
        lambda: [table.close()],
    ]
    for step in steps:
        site.play(table, step())
        shown.expect_sequence(table)
        expect(shown.board().locator(".simulation")).to_have_text("SIMULATION · NOT A REAL TABLE")
        box = shown.board().locator(".watermark").bounding_box()
        assert box is not None and (box["width"], box["height"]) >= (1200, 650)
    site.silence(table, None)
    shown.expect_state("STALE: NO SIGNAL")
    expect(shown.board().locator(".watermark")).to_be_visible()


def test_a_real_table_has_no_word_of_simulation(shown: BoardPage, site: BoardSite) -> None:
    shown.show(play(site, roulette_result))
    assert "SIMUL" not in shown.page.locator("body").inner_text().upper()


FEW: dict[str, list[dict[str, Any]]] = {
    "roulette": [roulette(1), roulette(0)],
    "money_wheel": [{"space": 1, "face": "$1"}],
    "red_dog": [{"cards": ["4s", "7d", "9h"], "kind": "spread", "spread": 4, "wins": True}],
    "caribbean_stud": [{"dealer": {"cards": ["8s", "8h", "Kd", "3c", "Tc"], "rank": "one_pair", "qualifies": True}}],
    "let_it_ride": [{"community": ["Th", "Ts"]}],
    "under_over": [{"dice": [3, 4], "total": 7}],
    "chuck_a_luck": [{"dice": [3, 4, 4], "total": 11}],
    "beat_the_dealer": [{"dice": [6, 6], "total": 12, "dealer_dice": [1, 1], "dealer_total": 2, "winner": "player"}],
}


@pytest.mark.parametrize("game", one_in(3, FEW))
def test_statistics_of_few_results_have_no_percentages_and_state_from_when_on(
    shown: BoardPage, site: BoardSite, game: str
) -> None:
    table = PlayedTable("t-1", game)
    results = [*FEW[game]] * 19
    site.play(table, [table.open(), *table.played(results[:19])])
    shown.show(table)
    panel = shown.board().locator(".panel")
    if game == "roulette":
        shown.turn()
    expect(panel).to_contain_text("LAST 19 RESULTS · percentages from 20 results on")
    expect(panel).not_to_contain_text("%")
    assert any(count.endswith("×") for count in shown.texts(".share-count"))
    site.play(table, table.played(results[:1]))
    expect(panel).not_to_contain_text("from 20 results on")
    assert sum(int(count.removesuffix("%")) for count in shown.texts(".share-count")) >= 99


def test_shares_are_of_what_was_shown_and_equal_counts_have_equal_ones(shown: BoardPage, site: BoardSite) -> None:
    table = PlayedTable("t-1", "let_it_ride")
    pairs, suited, neither = ([{"community": cards}] for cards in (["Th", "Ts"], ["Th", "2h"], ["Th", "2s"]))
    site.play(table, [table.open(), *table.played([*pairs * 7, *suited * 7, *neither * 5, *[{}] * 5])])
    shown.show(table)
    panel = shown.board().locator(".panel")
    expect(panel).to_contain_text("SHOWN IN 19 OF THE LAST 24 RESULTS · percentages once 20 are shown")
    assert shown.texts(".share-count") == ["7×", "7×", "5×"]
    site.play(table, table.played(neither * 2))
    expect(panel).to_contain_text("SHOWN IN 21 OF THE LAST 26 RESULTS")
    assert shown.texts(".share-count") == ["33%"] * 3


def test_totals_of_several_hands_a_round_are_counted_as_hands(shown: BoardPage, site: BoardSite) -> None:
    table = PlayedTable("t-1", "multi_action_blackjack")
    hand = {"cards": ["Ts", "9h"], "total": 19, "blackjack": False}
    site.play(table, [table.open(), *table.played([{"parts": [hand] * 3}] * 4)])
    expect(shown.show(table).board().locator(".window")).to_have_text("12 HANDS IN THE LAST 4 RESULTS")


def test_statistics_change_with_a_correction(shown: BoardPage, site: BoardSite) -> None:
    table = PlayedTable("roulette-1", "roulette")
    site.play(table, [table.open(), *table.played([roulette(1)] * 3 + [roulette(2)])])
    shown.show(table)
    shown.turn()
    assert shown.texts(".share-count")[:3] == ["3×", "1×", "0×"]
    site.play(table, table.correct(4, roulette(2), roulette(3)))
    shown.expect_state("RESULT CORRECTED", "ROUND 4: WAS 2 BLACK, NOW 3 RED")
    assert shown.texts(".share-count")[:3] == ["4×", "0×", "0×"]
    expect(shown.board().locator(".strip li.fixed")).to_have_attribute("data-round", "4")
    site.play(table, table.correct(4, roulette(3), None))
    shown.expect_state("RESULT CORRECTED", "ROUND 4: WAS 3 RED, NOW VOID")
    assert shown.last() == [3, 2, 1]


MACHINE_WORDS = {
    "en": [
        "WAITING FOR THE MACHINE",
        "INSERT A TOKEN",
        "PLAY ON",
        "DOOR OPEN",
        "INSERT A TOKEN",
        "TEST MODE",
        "PLAY VOID",
        "FAULT",
        "MACHINE CLOSED",
        "STALE: NO SIGNAL",
    ],
    "es": [
        "ESPERANDO LA MÁQUINA",
        "INSERTE UNA FICHA",
        "JUGADA EN CURSO",
        "PUERTA ABIERTA",
        "INSERTE UNA FICHA",
        "MODO DE PRUEBA",
        "JUGADA NULA",
        "AVERÍA",
        "MÁQUINA CERRADA",
        "SIN SEÑAL: DATOS ANTIGUOS",
    ],
    "de": [
        "WARTEN AUF DAS GERÄT",
        "JETON EINWERFEN",
        "WEITERSPIELEN",
        "TÜR OFFEN",
        "JETON EINWERFEN",
        "TESTBETRIEB",
        "SPIEL UNGÜLTIG",
        "STÖRUNG",
        "GERÄT GESCHLOSSEN",
        "VERALTET: KEIN SIGNAL",
    ],
}


@pytest.mark.parametrize("language", MACHINE_WORDS)
def test_every_state_of_a_machine_has_its_words(shown: BoardPage, site: BoardSite, language: str) -> None:
    table = PlayedTable("reel-1", "skill_stop_reel")
    steps: list[Callable[[], list[events.Event]]] = [
        lambda: [machine_event(table, "power_on")],
        lambda: [*table.played([spun(4, "plum", "plum", "plum")]), table.bets()],
        lambda: [table.start()],
        lambda: [machine_event(table, "door_opened")],
        lambda: [machine_event(table, "door_closed"), table.outcome(spun(0, "plum")), table.settle(), table.bets()],
        lambda: [machine_event(table, "test_begun")],
        lambda: [machine_event(table, "test_ended"), table.void("dealer_call", call="Play void")],
        lambda: [table.fault("reel_1", "reel_position")],
        lambda: [table.close()],
    ]
    site.play(table, table.open())
    shown.show(table, lang=language)
    for step, words in zip(steps, MACHINE_WORDS[language], strict=False):
        site.play(table, step())
        shown.expect_state(words)
        # Of a play that is on or void there is no number; elsewhere the last one is called so.
        expect(shown.board().locator(".hero.current")).to_have_count(0)
    site.silence(table, 3)
    shown.expect_state(MACHINE_WORDS[language][-1])


def test_t2_48_the_key_r_recalls_the_last_plays_and_the_meters_in_a_fault_and_marks_them(
    shown: BoardPage, site: BoardSite
) -> None:
    shown.show(play(site, SCENES["reel_fault"]))
    board = shown.board()
    expect(board.locator(".recall")).to_have_count(0)
    shown.page.keyboard.press("r")
    expect(board.locator(".recalled li")).to_have_count(10)
    expect(board.locator(".recall-mark")).to_contain_text("RECALL")
    # The clock beside shows the time of day of the place.
    expect(board.locator(".recalled time")).to_have_text([re.compile(r"^\d\d:\d\d:\d\d UTC$")] * 10)
    expect(board.locator(".meters [data-key=tokens_in] dd")).to_have_text("0001048")
    shown.expect_state("FAULT")
    shown.page.keyboard.press("r")
    expect(board.locator(".recall")).to_have_count(0)
    expect(board.locator(".hero")).to_have_count(1)


def test_the_recall_of_a_machine_with_corrections_has_a_place_for_every_meter_and_the_debt(
    shown: BoardPage, site: BoardSite
) -> None:
    table = play(site, reel_debt)
    shown.show(table, recall="on")
    meters, middle = shown.board().locator(".meters"), shown.board().locator(".middle")
    expect(meters.locator("[data-key=debt]")).to_have_text("Owed by players0000012")
    expect(meters.locator("div")).to_have_count(17)
    inner, outer = meters.bounding_box(), middle.bounding_box()
    assert inner is not None
    assert outer is not None
    assert inner["y"] + inner["height"] <= outer["y"] + outer["height"]


def test_sic_bo_lights_the_areas_that_win(shown: BoardPage, site: BoardSite) -> None:
    table = play(site, SCENES["sic_bo"])
    shown.show(table)
    lit = shown.board().locator(".area.lit").evaluate_all("all => all.map(one => one.dataset.bet).sort()")
    assert lit == sorted(bet.bet for bet in table.state.rounds[-1].winning)
    assert shown.board().locator(".area").count() == 50
    site.play(table, table.bets())
    expect(shown.board().locator(".area.lit")).to_have_count(0)


def test_the_five_roads_are_drawn(shown: BoardPage, site: BoardSite) -> None:
    shown.show(play(site, SCENES["baccarat"]))
    names = shown.board().locator(".road figcaption").evaluate_all("all => all.map(one => one.firstChild.textContent)")
    assert names == ["BEAD PLATE", "BIG ROAD", "BIG EYE BOY", "SMALL ROAD", "COCKROACH PIG"]
    # Where the text is silent the house's table is played, and the board states it.
    expect(shown.board().locator(".house")).to_contain_text("HOUSE RULE: 13:47-20.20(e)3 is silent on a bank of three")
    # 41 hands, of which 3 are ties.
    assert shown.board().locator(".road.bead svg > g:not(.grid)").count() == 41
    assert shown.board().locator(".road.big svg > g:not(.grid)").count() == 38
    eye = shown.board().locator(".road.eye svg").get_attribute("aria-label")
    assert eye is not None and eye.split(": ")[1].split()[:4] == ["blue", "red", "blue", "red"]


def test_what_moves_turns_at_its_own_speed_and_stands_with_reduced_motion(shown: BoardPage, site: BoardSite) -> None:
    table = play(site, SCENES["roulette_spinning"])
    shown.show(table)
    at_rate = "rate => Math.abs(document.querySelector('[data-turn]')?.getAnimations()[0]?.playbackRate - rate) < 1e-6"
    shown.page.wait_for_function(at_rate, arg=1 / 0.9)
    site.play(table, table.event(events.RoundProgress, revolutions=8.0, lap_s=2.0))
    expect(shown.board().locator(".motion-count strong")).to_have_text("8")
    shown.page.wait_for_function(at_rate, arg=0.5)
    shown.page.emulate_media(reduced_motion="reduce")
    site.play(table, table.event(events.RoundProgress, revolutions=9.0, lap_s=2.0))
    expect(shown.board().locator(".motion-count strong")).to_have_text("9")
    shown.page.wait_for_function("() => document.getAnimations().length === 0")


def test_a_hall_shows_every_table_and_one_full_screen_shows_more(shown: BoardPage, site: BoardSite) -> None:
    tables = [play(site, SCENES[name]) for name in ("roulette", "craps", "roulette_refused", "baccarat")]
    shown.show()
    expect(shown.board()).to_have_count(len(tables))
    assert shown.page.title() == "All tables"
    shown.expect_state("NO SPIN", "the ball ran the same way as the wheel", tables[2])
    expect(shown.page.locator(".panel")).to_have_count(0)
    shown.show(tables[0])
    expect(shown.board()).to_have_count(1)
    expect(shown.page.locator(".panel")).to_have_count(1)
    assert shown.page.title() == "Roulette 3"


def test_a_table_may_be_named_without_saying_that_it_is_simulated(shown: BoardPage, site: BoardSite) -> None:
    play(site, SCENES["money_wheel"])
    table = play(site, SCENES["roulette_refused"])
    shown.page.goto(f"{site.url}?table={table.table}")
    expect(shown.board()).to_have_attribute("data-key", table.name)
    shown.page.goto(f"{site.url}?only=real")
    expect(shown.board()).to_have_attribute("data-key", "wheel-1")


def test_without_a_table_the_page_says_what_it_waits_for(shown: BoardPage, site: BoardSite) -> None:
    shown.page.goto(site.url)
    expect(shown.page.locator(".empty")).to_contain_text("NO TABLE YET")
    expect(shown.page.locator(".empty")).to_contain_text("waiting for ipc:///test")
    shown.page.goto(f"{site.url}?table=nowhere")
    expect(shown.page.locator(".empty")).to_contain_text("there is no table “nowhere” here yet")
    table = PlayedTable("nowhere", "roulette")
    site.play(table, [table.open(), table.bets()])
    shown.expect_state("PLACE YOUR BETS")


HOUSE_WORDS = {
    "en": ("HOUSE RULES", ["BLACK", "ODD", "13–24"]),
    "es": ("REGLAS DE LA CASA", ["NEGRO", "IMPAR", "13–24"]),
}


@pytest.mark.parametrize("language", HOUSE_WORDS)
def test_house_rules_stand_on_tile_and_board_in_every_state_and_the_wheel_is_the_house_s(
    shown: BoardPage, site: BoardSite, language: str
) -> None:
    mark, kinds = HOUSE_WORDS[language]
    table = PlayedTable("house-1", "roulette", house_rules=True)
    pockets = [*("0", "000"), *map(str, range(1, 25))]
    keys = [events.StatisticsKey(field="pocket", values=[*pockets])]
    site.play(table, table.open(rules="house", statistics=keys))
    for each in (table, None):
        shown.show(each, lang=language)
        expect(shown.board(table).locator(".house-rules")).to_have_text(mark)
    shown.show(table, lang=language)
    # By the custom 21 is red, and on this wheel it is black.
    # As many results as pockets; 23, 24 and both zeros never came.
    for number in (*range(1, 23), 21, 21, 21, 21):
        color = "black" if number == 21 else "red"
        site.play(table, [table.bets(), table.outcome({"pocket": str(number), "index": number + 1, "color": color})])
        site.play(table, table.settle())
    site.play(table, [table.bets(), table.outcome({"pocket": "21", "index": 22, "color": "black"})])
    expect(shown.board().locator(".kinds span")).to_have_text(kinds)
    expect(shown.board().locator(".heat.hot .chip.black")).to_have_text("21")
    expect(shown.board().locator(".heat.cold .chip.plain")).to_have_text(["23", "24"])
    for event in (table.settle(), table.bets(), table.void("ball_direction"), table.fault("wheel", "not_level")):
        site.play(table, event)
        shown.expect_sequence(table)
        expect(shown.board().locator(".house-rules")).to_have_text(mark)


def test_a_table_by_a_text_has_no_mark_of_house_rules(shown: BoardPage, site: BoardSite) -> None:
    table = PlayedTable("roulette-1", "roulette")
    site.play(table, [table.open(), table.bets(), table.outcome(roulette(21))])
    shown.show(table)
    expect(shown.board().locator(".kinds span")).to_have_text(["RED", "ODD", "19–36"])
    expect(shown.board().locator(".house-rules")).to_have_count(0)
