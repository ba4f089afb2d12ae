"""How good a link is: told apart by what is lost, and told in figures."""

from __future__ import annotations

from random import Random

import pytest

from hal.board.quality import MOST_AT_ONCE, Quality, odds_came, odds_lost


def feed(quality: Quality, rng: Random, bad: float, frames: int) -> int | None:
    """Reports and exchanges over a link that breaks this share of bytes; after how many it was refused."""
    lost_reports = 0
    for frame in range(frames):
        length = rng.choice((24, 24, 26, 66))
        lost = 0
        while rng.random() > (1 - bad) ** length:
            lost += 1
        if length == 24:
            quality.exchanged(length, lost)
        elif lost:
            lost_reports += 1
        else:
            quality.report_came(length, lost_reports)
            lost_reports = 0
        if quality.refused:
            return frame
    return None


@pytest.mark.parametrize("seed", range(10))
def test_a_link_that_breaks_one_byte_in_1000_is_kept(seed: int) -> None:
    quality = Quality()
    quality.prove()
    assert feed(quality, Random(seed), 1 / 1000, 20_000) is None
    assert quality.proven
    assert 500 < (quality.figures.bytes_a_loss or 0) < 3000


@pytest.mark.parametrize("seed", range(10))
def test_a_link_that_breaks_one_byte_in_100_is_refused_soon(seed: int) -> None:
    quality = Quality()
    quality.prove()
    after = feed(quality, Random(seed), 1 / 100, 20_000)
    assert after is not None and after < 300
    assert not quality.proven
    assert "arrived broken or not at all, about 1 byte in " in str(quality.figures)


def test_the_figures_of_a_link_that_went_bad_are_not_those_of_the_time_before() -> None:
    quality = Quality()
    quality.prove()
    rng = Random(1)
    assert feed(quality, rng, 0.0, 2_000) is None
    assert feed(quality, rng, 1 / 100, 20_000) is not None
    assert 50 < (quality.figures.bytes_a_loss or 0) < 200


def test_a_link_that_was_refused_must_be_good_for_longer_than_a_new_one() -> None:
    frames_until_proven = []
    quality = Quality()
    for _ in range(2):
        quality.prove()
        frames = 0
        while not quality.proven:
            quality.exchanged(24, 0)
            frames += 1
        frames_until_proven.append(frames)
        assert not quality.refused
        while not quality.refused:
            quality.exchanged(24, 1)
    assert frames_until_proven == [28, 116]


def test_a_bad_link_that_is_tried_again_and_again_is_not_used_again() -> None:
    rng = Random(1)
    quality = Quality()
    while not quality.refused:
        quality.exchanged(24, 1)
    for _ in range(50):
        quality.prove()
        feed(quality, rng, 1 / 100, 300)
        assert not quality.proven


def test_a_host_that_was_stopped_does_not_make_a_link_bad() -> None:
    quality = Quality()
    quality.prove()
    for _ in range(5):
        quality.report_came(26, 200)
        for _ in range(60):
            quality.report_came(26, 0)
    assert not quality.refused
    assert quality.figures.lost == 5 * MOST_AT_ONCE


def test_long_frames_weigh_as_their_length_does() -> None:
    assert odds_came(60) == pytest.approx(2 * odds_came(30))
    assert odds_lost(7) > odds_lost(66) > 0 > odds_came(7) > odds_came(66)


def test_the_figures_of_a_good_link_say_so() -> None:
    quality = Quality()
    quality.exchanged(24, 0)
    assert str(quality.figures) == "none of the last 1 frames was lost"
