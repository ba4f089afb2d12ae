"""Which image was lit at a press: against displays whose true light is drawn at random within what is stated."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.screen.flips import DisplayLag, Flip, Flips, Lit, ScreenClock, UnknownImage

MS: Final = 1_000_000
FRAME: Final = 16_666_667
LATENCY: Final = 25 * MS
ERROR: Final = 7 * MS
DISPLAY: Final = DisplayLag(LATENCY, ERROR)


def steady(images: list[int], begins_ns: int = 0, took_ns: int = MS) -> Flips:
    """A display at 60 Hz with one reel: an image a frame."""
    flips = Flips()
    for number, image in enumerate(images):
        at_ns = begins_ns + number * FRAME
        flips.add(Flip(number, at_ns, at_ns + took_ns, (image,)))
    return flips


@st.composite
def displays(draw: st.DrawFn) -> tuple[Flips, list[int], list[int], int]:
    """Flips, the true light of each, its image, and a press: everything within what is stated."""
    flips, light, images = Flips(), list[int](), list[int]()
    at_ns, image = draw(st.integers(0, 10**9)), draw(st.integers(0, 19))
    for number in range(60):
        took_ns = draw(st.integers(0, 3 * MS))
        # The press is off too: of the whole error the light has a part.
        lit_ns = at_ns + draw(st.integers(0, took_ns)) + LATENCY + draw(st.integers(-3 * MS, 3 * MS))
        flips.add(Flip(number, at_ns, at_ns + took_ns, (image,)))
        light.append(lit_ns)
        images.append(image)
        if number % 6 == 5:
            image = (image + 1) % 20
        at_ns += FRAME + draw(st.integers(0, 4 * MS))
    return flips, light, images, draw(st.integers(light[12], light[-6]))


@pytest.mark.long
@given(display=displays(), off_ns=st.integers(-4 * MS, 4 * MS))
def test_the_image_that_counts_was_lit_at_most_one_frame_before_the_press(
    display: tuple[Flips, list[int], list[int], int], off_ns: int
) -> None:
    flips, light, images, press_ns = display
    true = bisect_right(light, press_ns) - 1
    found = flips.image_at(1, press_ns + off_ns, DISPLAY)
    assert isinstance(found, Lit)
    assert images[true] in found.possible
    assert found.image == found.possible[0]
    assert len(found.possible) <= 2
    if found.image != images[true]:
        assert (found.image + 1) % 20 == images[true], "the earlier of two"
        since = light[true - next(back for back in range(7) if images[true - back] != images[true]) + 1]
        assert press_ns - since <= 2 * ERROR + 3 * MS, "it was lit within a frame before the press"


@pytest.mark.long
@given(display=displays(), off_ns=st.integers(-4 * MS, 4 * MS))
def test_more_flips_change_nothing_once_it_is_decided(
    display: tuple[Flips, list[int], list[int], int], off_ns: int
) -> None:
    flips, _, _, press_ns = display
    found, growing = None, Flips()
    for flip in flips.known:
        growing.add(flip)
        now = growing.image_at(1, press_ns + off_ns, DISPLAY)
        if isinstance(found, Lit):
            assert now == found
        found = now if isinstance(now, Lit) else found
    assert found == flips.image_at(1, press_ns + off_ns, DISPLAY)


def test_a_press_in_the_middle_of_an_image_is_beyond_doubt() -> None:
    flips = steady([3] * 6 + [4] * 6)
    assert flips.image_at(1, 3 * FRAME + LATENCY, DISPLAY) == Lit(3, MS + LATENCY, (3,))
    assert flips.image_at(1, 9 * FRAME + LATENCY, DISPLAY) == Lit(4, 6 * FRAME + MS + LATENCY, (4,))


@pytest.mark.parametrize(
    ("off_ns", "possible"),
    [
        (-ERROR - 1, (3,)),
        (-ERROR, (3, 4)),
        (0, (3, 4)),
        (ERROR + MS - 1, (3, 4)),
        (ERROR + MS, (4,)),
    ],
)
def test_of_two_possible_images_the_earlier_counts(off_ns: int, possible: tuple[int, ...]) -> None:
    found = steady([3] * 6 + [4] * 6).image_at(1, 6 * FRAME + LATENCY + off_ns, DISPLAY)
    assert isinstance(found, Lit)
    assert (found.image, found.possible) == (possible[0], possible)


def test_nothing_is_decided_before_the_flips_show_it() -> None:
    flips = steady([3] * 6)
    assert flips.image_at(1, 5 * FRAME + LATENCY - ERROR, DISPLAY) is None
    assert Flips().image_at(1, 0, DISPLAY) is None


def test_what_was_lit_before_the_known_flips_is_not_decided() -> None:
    flips = steady([3] * 12)
    assert isinstance(flips.image_at(1, LATENCY + MS + ERROR - 1, DISPLAY), UnknownImage)
    assert isinstance(flips.image_at(1, LATENCY + MS + ERROR, DISPLAY), Lit)


def test_three_possible_images_are_not_decided() -> None:
    found = steady(list(range(12))).image_at(1, 6 * FRAME + LATENCY, DisplayLag(LATENCY, 2 * FRAME))
    assert isinstance(found, UnknownImage)


@pytest.mark.parametrize(
    ("number", "asked_ns", "made_ns", "missing"),
    [(14, 12 * FRAME, 12 * FRAME + 1, 2), (12, 5 * FRAME, 5 * FRAME + 1, 1), (4, 12 * FRAME, 12 * FRAME + 1, 1)],
)
def test_a_gap_or_a_step_back_forgets_what_was_before(number: int, asked_ns: int, made_ns: int, missing: int) -> None:
    flips = steady([3] * 12)
    assert flips.add(Flip(number, asked_ns, made_ns, (4,))) == missing
    assert [flip.number for flip in flips.known] == [number]


def test_a_flip_that_ended_before_it_began_is_no_proof() -> None:
    flips = steady([3] * 12)
    flips.add(Flip(12, 13 * FRAME, 12 * FRAME, (4,)))
    assert flips.known == ()


@given(offset_ns=st.integers(-(10**12), 10**12), delays=st.lists(st.integers(50_000, 30 * MS), min_size=1))
def test_the_screens_clock_is_set_by_the_fastest_message(offset_ns: int, delays: list[int]) -> None:
    clock = ScreenClock()
    for number, delay_ns in enumerate(delays):
        sent_ns = number * FRAME
        clock.read(sent_ns, sent_ns + offset_ns + delay_ns)
    assert clock.offset_ns == offset_ns + min(delays)


def test_the_screens_clock_is_not_set_by_what_waited_while_the_table_was_stopped() -> None:
    clock = ScreenClock()
    clock.read(0, 50_000)
    read_ns = 400 * FRAME
    for number in range(1, 400):
        clock.read(number * FRAME, read_ns)
    assert clock.offset_ns == 50_000
