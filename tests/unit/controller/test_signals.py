"""What lamp and number display show of the events."""

from __future__ import annotations

from controller.signals import Signals
from drivers.indicators import NoMoreBetsLamp, NumberDisplay, SendFrame, SetLine
from tests.tables.bench import Said, hear
from tests.tables.money_lines import MoneyLines, money_toml
from tests.tables.roulette_lines import roulette_toml, spin

LAMP = "no_more_bets_lamp"
DISPLAY = "number_display"


def roulette(pocket: str = "7") -> Said:
    lines = spin(pocket=pocket)
    return hear(roulette_toml(), lines.edges(), [], lines.now_ns)


def test_the_lamp_is_lit_from_the_call_until_the_next_round_opens() -> None:
    shown = Signals(NoMoreBetsLamp(), None).of(roulette())
    assert [(c.line, c.on) for c in shown if isinstance(c, SetLine)] == [(LAMP, False), (LAMP, True), (LAMP, False)]
    assert [c.t_ns for c in shown] == sorted(c.t_ns for c in shown)


def test_the_lamp_goes_out_with_a_void_round() -> None:
    lines = MoneyLines().rest(3).call().spin(400).rest(8)
    said = hear(money_toml(), lines.edges(), [], lines.now_ns)
    assert said.verdicts() == ["void wheel_revolutions"]
    assert [c.on for c in Signals(NoMoreBetsLamp(), None).of(said) if isinstance(c, SetLine)] == [False, True, False]


def test_the_display_shows_the_number_in_two_places_and_is_blank_from_the_call_on() -> None:
    shown = Signals(None, NumberDisplay()).of(roulette("7"))
    assert [(c.link, c.data) for c in shown if isinstance(c, SendFrame)] == [(DISPLAY, b"  \r\n"), (DISPLAY, b" 7\r\n")]


def test_double_zero_is_shown_as_it_is() -> None:
    shown = Signals(None, NumberDisplay()).of(roulette("00"))
    assert isinstance(shown[-1], SendFrame)
    assert shown[-1].data == b"00\r\n"


def test_a_money_wheel_has_no_number_to_show() -> None:
    lines = MoneyLines().rest(3).call().spin(1200).rest(8)
    said = hear(money_toml(), lines.edges(), [], lines.now_ns)
    assert said.verdicts() == ["0"]
    shown = Signals(None, NumberDisplay()).of(said)
    assert [c.data for c in shown if isinstance(c, SendFrame)] == [b"  \r\n"]


def test_a_refused_spin_shows_no_number() -> None:
    lines = spin(way=1)
    said = hear(roulette_toml(), lines.edges(), [], lines.now_ns)
    assert Signals(None, NumberDisplay()).of(said) == []


def test_a_table_without_indicators_shows_nothing() -> None:
    assert Signals(None, None).of(roulette()) == []
