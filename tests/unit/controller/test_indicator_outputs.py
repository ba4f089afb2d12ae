"""The outputs of lamp and number display for events."""

from __future__ import annotations

from controller.games.catalogue import GAME
from controller.live.indicators import IndicatorOutputs
from drivers.base.driver import NEVER_NS
from drivers.dealer.indicators import NoMoreBetsLamp, NumberDisplay
from feed import events
from hal.capture.command_text import read_command
from hal.outputs import OutputGuard, OutputSpec
from hal.values import SendFrame, SetLine
from tests.fakes.board_site import PlayedTable
from tests.fakes.board_site import roulette as numbered
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


def test_a_correction_after_the_next_round_opened_is_shown_where_the_display_has_the_old_number() -> None:
    lines = spin()
    late = lines.now_ns + 60_000_000_000
    order = read_command("correct round=1 pocket=18 by=ann why=misread", late)
    said = events_of_run(roulette_toml(), lines.edges(), [order], late)
    assert said.of(events.RoundOpened)[-1].round == 2
    assert said.of(events.RoundCorrected)[0].round == 1
    shown = IndicatorOutputs(None, NumberDisplay(), DISPLAYED).of(said)
    assert [c.data for c in shown if isinstance(c, SendFrame)][-2:] == [b"  \r\n", b"18\r\n"]


def test_a_correction_of_a_round_before_the_one_on_the_display_is_not_shown() -> None:
    table, indicators = PlayedTable("r1", "roulette"), IndicatorOutputs(None, NumberDisplay(), DISPLAYED)
    indicators.of([table.open(), *table.played([numbered(7)]), table.bets(), table.call()])
    assert indicators.of([table.correct(1, numbered(7), numbered(18))]) == [], "it is dark since the call"
    indicators.of([table.start(), table.outcome(numbered(20)), table.settle()])
    assert indicators.of([table.correct(1, numbered(18), numbered(19))]) == []
    started_again = IndicatorOutputs(None, NumberDisplay(), DISPLAYED)
    assert started_again.of([table.correct(2, numbered(20), numbered(19))]) == [], "the table is closed yet"
    started_again.of([table.bets()])
    assert started_again.of([table.correct(2, numbered(20), numbered(19))]) == [], "it shows no number of that start"


def test_an_opened_port_is_sent_what_the_display_shows_now() -> None:
    table, indicators = PlayedTable("r1", "roulette"), IndicatorOutputs(None, NumberDisplay(), DISPLAYED)
    assert [one.data for one in indicators.display_again(3)] == [b"  \r\n"]
    indicators.of([table.open(), *table.played([numbered(7)]), table.bets()])
    assert [one.data for one in indicators.display_again(3)] == [b" 7\r\n"]
    indicators.of([table.call()])
    assert [one.data for one in indicators.display_again(3)] == [b"  \r\n"]


def test_the_lamp_is_lit_for_as_long_as_nobody_settles_the_round() -> None:
    indicators, guard = IndicatorOutputs(NoMoreBetsLamp(), None, DISPLAYED), OutputGuard(OutputSpec(LAMP, 1))
    table = PlayedTable("r1", "roulette")
    for output in indicators.of([table.open(), table.bets(), table.call()]):
        assert isinstance(output, SetLine)
        guard.set(float(output.on), output.t_ns)
    now_ns = 0
    while now_ns < 3_600_000_000_000:
        now_ns = min(indicators.next_due_ns, guard.next_due_ns or NEVER_NS)
        guard.due(now_ns)
        for again in indicators.due(now_ns):
            assert isinstance(again, SetLine)
            guard.set(float(again.on), again.t_ns)
        assert guard.value == 1
    indicators.of([table.start(), table.outcome(numbered(7)), table.settle(), table.bets()])
    assert indicators.next_due_ns == NEVER_NS
