"""A venue's colors: what is refused can be read by nobody, and what is proposed in its place is accepted."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoreboard.venue.colors import BLACK, ENOUGH, WHITE, Color, contrast, distance, nearest
from scoreboard.venue.dressing import BRASS, FELT, INK, IVORY, SHADES, VenueMistake, colors_of
from scoreboard.venue.keys import ColorKeys

STYLES = files("scoreboard").joinpath("page", "board.css").read_text(encoding="utf-8")
COLORS = st.builds(Color, *(st.integers(0, 255) for _ in range(3)))


def refused(**colors: str) -> VenueMistake:
    """The one mistake of these colors."""
    (mistake,) = colors_of(ColorKeys(**colors))[1]
    return mistake


def accepted(**colors: str) -> bool:
    return colors_of(ColorKeys(**colors))[1] == []


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#ffffff", "#000000", 21.0),
        ("#767676", "#ffffff", 4.54),
        ("#ff0000", "#008000", 1.28),
        ("#ffd400", "#000000", 14.7),
    ],
)
def test_contrast_is_that_of_wcag(one: str, other: str, ratio: float) -> None:
    assert contrast(Color.of(one), Color.of(other)) == pytest.approx(ratio, abs=0.05)
    assert contrast(Color.of(other), Color.of(one)) == contrast(Color.of(one), Color.of(other))


def test_equal_steps_of_distance_look_equal() -> None:
    assert distance(BLACK, WHITE) == pytest.approx(1.0, abs=0.001)
    assert distance(Color.of("#0000ff"), Color.of("#1010ff")) < distance(Color.of("#0000ff"), Color.of("#4040ff"))


def test_the_colors_that_are_checked_are_those_of_the_boards() -> None:
    assert tuple(
        Color.of(found[1])
        for name in ("felt", "brass", "ink", "ivory")
        if (found := re.search(rf"--{name}: (#[0-9a-f]{{6}});", STYLES))
    ) == (FELT, BRASS, INK, IVORY)
    assert accepted(background=str(FELT), accent=str(BRASS), strip_text=str(IVORY))
    assert all(f"var({name})" in STYLES for name in SHADES)


def test_no_color_of_a_state_of_simulation_or_of_a_result_is_the_venues() -> None:
    """A venue may set these properties; none of the rules that draw a state uses one."""
    rules = re.findall(r"([^{}]*(?:data-state|\.simulation|\.watermark|\.simulated|\.ribbon)[^{}]*)\{([^}]*)\}", STYLES)
    assert len(rules) > 12
    for selector, body in rules:
        drawn = re.findall(r"(?:^|;)\s*(?:background|border-image|box-shadow)[^:;]*:([^;]*)", body)
        assert not any(name in value for value in drawn for name in ("--brass", "--felt", "--strip")), selector
    closed = re.search(r'\[data-state="closed"\][^}]*background: (#\w+)', STYLES)
    assert closed is not None


def test_an_unreadable_color_is_refused_with_its_contrast_and_a_color_that_passes() -> None:
    mistake = refused(accent="#2b5d8a")
    assert mistake.path == ("colors", "accent")
    assert mistake.wrong == "#2b5d8a: text of #2b5d8a on #244d3e has a contrast of 1.37, and needs 4.5"
    assert mistake.fix == "write #9fb5ca, the nearest that passes"
    assert accepted(accent="#9fb5ca")
    assert refused(background="#ffffff").path == ("colors", "background")
    assert refused(strip="#888888").path == ("colors", "strip")
    assert refused(strip="#888888", strip_text="#999999").path == ("colors", "strip_text")
    assert accepted(strip="#f0f0f0", strip_text="#101010")


def test_an_accent_is_judged_on_the_background_that_the_venue_gives() -> None:
    assert accepted(accent="#a9a28c", background="#000000")
    assert not accepted(accent="#a9a28c")


@pytest.mark.long
@given(st.sampled_from(["accent", "background", "strip", "strip_text"]), COLORS, st.lists(COLORS, max_size=5))
def test_what_is_proposed_is_accepted_and_nothing_that_is_accepted_is_nearer(
    key: str, wanted: Color, others: list[Color]
) -> None:
    if accepted(**{key: str(wanted)}):
        return
    fix = refused(**{key: str(wanted)}).fix
    found = re.fullmatch(r"write (#[0-9a-f]{6}), the nearest that passes", fix)
    assert found is not None
    proposed = Color.of(found[1])
    assert accepted(**{key: str(proposed)})
    for other in others:
        if distance(wanted, other) <= distance(wanted, proposed) - 0.015:
            assert not accepted(**{key: str(other)})


def test_where_nothing_passes_nothing_is_proposed() -> None:
    assert nearest(WHITE, lambda color: False) is None
    assert nearest(WHITE, lambda color: contrast(color, WHITE) >= ENOUGH) is not None
