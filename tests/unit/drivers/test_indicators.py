"""The outputs for the lamp and the number display."""

from __future__ import annotations

import pytest

from drivers.dealer.indicators import NoMoreBetsLamp, NumberDisplay
from hal.values import SendFrame, SetLine


def test_the_lamp_is_lit_by_the_call_and_dark_afterwards() -> None:
    lamp = NoMoreBetsLamp()
    assert lamp.called(5) == SetLine("no_more_bets_lamp", True, 5)
    assert lamp.over(6) == SetLine("no_more_bets_lamp", False, 6)


@pytest.mark.parametrize(("pocket", "data"), [("7", b" 7\r\n"), ("36", b"36\r\n"), ("0", b" 0\r\n"), ("00", b"00\r\n")])
def test_a_number_is_shown_right_justified_in_two_places(pocket: str, data: bytes) -> None:
    assert NumberDisplay().show(pocket, 5) == SendFrame("number_display", data, 5)


@pytest.mark.parametrize("pocket", ["", "123", "x", "-1", "1.", "٣"])
def test_what_is_no_number_is_refused(pocket: str) -> None:
    with pytest.raises(ValueError, match="number display"):
        NumberDisplay().show(pocket, 5)


def test_a_display_is_blanked_with_two_spaces() -> None:
    assert NumberDisplay().clear(5) == SendFrame("number_display", b"  \r\n", 5)
