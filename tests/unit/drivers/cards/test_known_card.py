"""A known card is drawn of a shoe: read in its own lines, or as a token."""

from __future__ import annotations

from drivers.base.movement import MovementResult, Recording
from drivers.cards.card_wire import CardLine, encode
from drivers.cards.movements import shoe_movements
from drivers.cards.shoe import ShoeConfig
from hal.values import Frame


def drawn(config: ShoeConfig, *frames: bytes) -> MovementResult:
    (movement,) = shoe_movements(config)
    return movement.judge(Recording([], [Frame("shoe", data, at + 1) for at, data in enumerate(frames)], 100))


def test_the_known_card_passes_in_lines_and_as_a_token_that_is_repeated() -> None:
    assert drawn(ShoeConfig(barriers=False), encode(CardLine(1, "As"))).passed
    tokens = ShoeConfig(barriers=False, reading="tokens", codes={"01": "As", "02": "9h"}, repeats=2)
    assert drawn(tokens, b"01", b"01").passed
    assert "read 9h" in drawn(tokens, b"02", b"02").found


def test_another_card_two_cards_and_nothing_do_not_pass() -> None:
    config = ShoeConfig(barriers=False)
    assert "read Kd" in drawn(config, encode(CardLine(1, "Kd"))).found
    assert "2 cards left" in drawn(config, encode(CardLine(1, "As")), encode(CardLine(2, "Kd"))).found
    assert "nothing arrived" in drawn(config).found
    stacks = ShoeConfig(barriers=False, stack_cards=2)
    assert drawn(stacks, encode(CardLine(1, "As")), encode(CardLine(2, "Kd"))).passed
