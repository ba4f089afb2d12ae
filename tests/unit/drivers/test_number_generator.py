"""What a number generator reports on its link, and what the driver takes of it: values and times, no table."""

from __future__ import annotations

import pytest

from drivers.base.driver import Observation
from drivers.numbers.generator import (
    DrawBegan,
    GeneratorNoise,
    GeneratorWorks,
    NumberChanged,
    NumberDrawn,
    NumberGenerator,
    NumberGeneratorConfig,
)
from drivers.numbers.generator_wire import DrawState, GeneratorLine, MalformedDraw, encode, parse
from hal.values import EdgesLost, Frame, Loss

LINK = "generator_serial"
BEAT_NS = 500_000_000


def line(words: str) -> GeneratorLine:
    """A line by its draw, state and number: `2B`, `2D7`."""
    state = DrawState(words.lstrip("0123456789")[0])
    draw, _, number = words.partition(state)
    return GeneratorLine(int(draw), state, int(number) if number else None)


def sent(words: str) -> list[Observation]:
    """What the driver makes of lines half a second apart; `!` is a malformed one, `-` a beat without one."""
    driver = NumberGenerator(NumberGeneratorConfig(draw_s=3.0))
    found: list[Observation] = []
    driver.due(0)
    t_ns = 0
    for word in words.split():
        t_ns += BEAT_NS
        if word == "-":
            found += driver.due(t_ns)
        elif word == "x":
            found += driver.lost(EdgesLost(LINK, Loss.UNPLUGGED, t_ns))
        else:
            found += driver.frame(Frame(LINK, b"N;1" if word == "!" else encode(line(word)), t_ns))
    return found


def drawn(words: str) -> list[tuple[int | None, tuple[str, ...]]]:
    return [(one.number, one.doubts) for one in sent(words) if isinstance(one, NumberDrawn)]


@pytest.mark.parametrize(
    ("words", "number", "doubts"),
    [
        ("0R 1B 1B 1D7 1D7 1D7", 7, ()),
        ("999D3 0B 0D1 0D1", 1, ()),
        ("0R 1B ! 1D7 ! 1D7", 7, ()),
        ("0R 1D7 1D7", 7, ()),
        ("4D2 6B 6D2 6D2", 2, ("draw_order",)),
        ("4D2 4B 4D2 4D2", 2, ("draw_order",)),
        ("0R 1B 1D8 1D8", None, ("out_of_range",)),
        ("0R 1B 1D0 1D0", None, ("out_of_range",)),
        ("0R 1B 1D2 1D3 1D3", None, ("number_changed",)),
        ("0R 1B 1D2 1R", None, ("no_number",)),
        ("0R 1B 1B 1B 1B 1B 1B 1B 1B 1B", None, ("no_number",)),
        ("0R 1B 1B 1B 1B 1B 1D4 ! ! ! !", 4, ("unconfirmed",)),
        ("0R 1B 2B 2D3 2D3", None, ("no_number",)),
        ("5B 5D2 5D2", 2, ("joined",)),
    ],
)
def test_a_number_counts_once_it_came_twice_alike_in_the_next_draw_and_every_doubt_is_named(
    words: str, number: int | None, doubts: tuple[str, ...]
) -> None:
    assert drawn(words)[0] == (number, doubts)


@pytest.mark.parametrize("words", ["0R 1B - - - - - -", "0R 1B x", "0R 1B 1F 1F"])
def test_silence_a_lost_link_and_its_own_fault_end_the_draw_and_are_reported_once(words: str) -> None:
    found = sent(words)
    assert [one.up for one in found if isinstance(one, GeneratorWorks)] == [True, False]
    assert [one for one in found if isinstance(one, NumberDrawn)] == []


def test_a_generator_that_never_reports_is_reported() -> None:
    (found,) = sent("- - - - - -")
    assert isinstance(found, GeneratorWorks)
    assert (found.up, found.t_ns) == (False, 2_000_000_000)


@pytest.mark.parametrize(
    ("words", "beats"), [("0R 1B", 0), ("0R ! 1B", 2), ("0R - 1B", 2), ("0R 1D7", 1)]
)  # fmt: skip
def test_where_a_line_is_missing_the_draw_may_have_begun_since_the_last_good_one(words: str, beats: int) -> None:
    (began,) = [one for one in sent(words) if isinstance(one, DrawBegan)]
    assert began.t_ns - began.since_ns == beats * BEAT_NS


def test_the_first_line_of_a_draw_that_came_malformed_leaves_its_beginning_open_though_no_beat_is_missing() -> None:
    driver = NumberGenerator(NumberGeneratorConfig())
    driver.due(0)
    began: list[Observation] = []
    for words, t_ns in ((encode(line("0R")), 500), (b"N;001;B;---;0000", 600), (encode(line("1B")), 1100)):
        began = driver.frame(Frame(LINK, words, t_ns * 1_000_000))
    assert began == [DrawBegan(t_ns=1_100_000_000, since_ns=500_000_000, draw=1)]


def test_a_draw_that_was_given_up_and_goes_on_is_not_another_one() -> None:
    found = sent("0R " + "1B " * 12 + "1D7 1D7")
    assert [type(one) for one in found] == [GeneratorWorks, DrawBegan, NumberDrawn]


def test_noise_and_another_number_are_reported_once() -> None:
    found = sent("0R ! ! 1B 1D2 1D2 1D3 1D2 1D3")
    assert [type(one) for one in found] == [GeneratorWorks, GeneratorNoise, DrawBegan, NumberDrawn, NumberChanged]


def test_no_line_with_a_wrong_character_is_read() -> None:
    good = encode(GeneratorLine(17, DrawState.DRAWN, 7))
    assert parse(good) == GeneratorLine(17, DrawState.DRAWN, 7)
    for place in range(len(good)):
        for other in b"0123456789ABCDEFNRBD;- ":
            if good[place] != other:
                wrong = good[:place] + bytes([other]) + good[place + 1 :]
                assert isinstance(parse(wrong), MalformedDraw), wrong
    assert isinstance(parse(encode(GeneratorLine(1, DrawState.DRAWN, None))), MalformedDraw)
    assert isinstance(parse(encode(GeneratorLine(1, DrawState.READY, 3))), MalformedDraw)
