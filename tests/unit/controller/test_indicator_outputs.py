"""The outputs of lamp and number display for events."""

from __future__ import annotations

from controller.games.catalogue import GAME
from controller.live.indicators import IndicatorOutputs
from drivers.dealer.indicators import NoMoreBetsLamp, NumberDisplay
from feed import events
from hal.capture.command_text import read_command
from hal.values import SendFrame, SetLine
from tests.tables.bench import EventList, events_of_run
from tests.tables.money_lines import MoneyLines, money_toml
from tests.tables.roulette_lines import roulette_toml, spin

LAMP = "no_more_bets_lamp"
DISPLAY = "number_display"
DISPLAYED = GAME["roulette"].words.displayed


def roulette(pocket: str = "7") -> EventList:
    lines = spin(pocket=pocket)
    return events_of_run(roulette_toml(), lines.edges(), [], lines.now_ns)


def test_the_lamp_is_lit_from_the_call_until_the_next_round_opens() -> None:
    shown = IndicatorOutputs(NoMoreBetsLamp(), None, DISPLAYED).of(roulette())
    assert [(c.line, c.on) for c in shown if isinstance(c, SetLine)] == [(LAMP, False), (LAMP, True), (LAMP, False)]
    assert [c.t_ns for c in shown] == sorted(c.t_ns for c in shown)


def test_the_lamp_goes_out_with_a_void_round() -> None:
    lines = MoneyLines().rest(3).call().spin(400).rest(8)
    said = events_of_run(money_toml(), lines.edges(), [], lines.now_ns)
    assert said.verdicts() == ["void wheel_revolutions"]
    assert [c.on for c in IndicatorOutputs(NoMoreBetsLamp(), None, DISPLAYED).of(said) if isinstance(c, SetLine)] == [
        False,
        True,
        False,
    ]


def test_the_display_shows_the_number_in_two_places_and_is_blank_from_the_call_on() -> None:
    shown = IndicatorOutputs(None, NumberDisplay(), DISPLAYED).of(roulette("7"))
    assert [(c.link, c.data) for c in shown if isinstance(c, SendFrame)] == [(DISPLAY, b"  \r\n"), (DISPLAY, b" 7\r\n")]


def test_double_zero_is_shown_as_it_is() -> None:
    shown = IndicatorOutputs(None, NumberDisplay(), DISPLAYED).of(roulette("00"))
    assert isinstance(shown[-1], SendFrame)
    assert shown[-1].data == b"00\r\n"


def test_a_money_wheel_has_no_number_to_show() -> None:
    lines = MoneyLines().rest(3).call().spin(1200).rest(8)
    said = events_of_run(money_toml(), lines.edges(), [], lines.now_ns)
    assert said.verdicts() == ["0"]
    shown = IndicatorOutputs(None, NumberDisplay(), GAME["money_wheel"].words.displayed).of(said)
    assert [c.data for c in shown if isinstance(c, SendFrame)] == [b"  \r\n"]


def test_a_refused_spin_shows_no_number() -> None:
    lines = spin(way=1)
    said = events_of_run(roulette_toml(), lines.edges(), [], lines.now_ns)
    assert IndicatorOutputs(None, NumberDisplay(), DISPLAYED).of(said) == []


def test_a_table_without_indicators_shows_nothing() -> None:
    assert IndicatorOutputs(None, None, DISPLAYED).of(roulette()) == []


def test_the_display_shows_the_number_that_a_person_called_and_is_blank_when_it_was_void() -> None:
    game = "read_turns = 10\ngive_up_turns = 1\ngive_up_s = 15\nsettle_after_s = 60"
    lines = spin()
    orders = [
        read_command("confirm pocket=17 by=bob", lines.now_ns - 2_000_000_000),
        read_command("correct round=1 reason=dealer_call by=ann why=touched", lines.now_ns - 1_000_000_000),
    ]
    said = events_of_run(roulette_toml(game=game), lines.edges(), orders, lines.now_ns)
    assert said.verdicts() == ["unresolved no_number_read"]
    shown = [c.data for c in IndicatorOutputs(None, NumberDisplay(), DISPLAYED).of(said) if isinstance(c, SendFrame)]
    assert shown == [b"  \r\n", b"  \r\n", b"17\r\n", b"  \r\n"]


def test_a_correction_of_an_older_round_is_not_shown() -> None:
    lines = spin()
    late = lines.now_ns + 60_000_000_000
    order = read_command("correct round=1 pocket=18 by=ann why=misread", late)
    said = events_of_run(roulette_toml(), lines.edges(), [order], late)
    assert said.of(events.RoundCorrected)[0].round == 1
    shown = IndicatorOutputs(None, NumberDisplay(), DISPLAYED).of(said)
    assert b"18\r\n" not in [c.data for c in shown if isinstance(c, SendFrame)]
