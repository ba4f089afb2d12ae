from __future__ import annotations

from itertools import pairwise

import pytest

from simulators.base.motion import Path, Segment, angle_at, clipped, riding, shifted, speed_at
from simulators.wheel.line_faults import slipped


def some_path() -> Path:
    path = Path(2.0, 10.0)
    path.ramp(90.0, 1.0)
    path.coast(8.0, 5.0)
    path.ramp(-60.0, 0.7)
    path.coast(30.0, 4.0)
    return path


def test_each_segment_begins_where_the_one_before_ended() -> None:
    segments = some_path().segments
    for before, after in pairwise(segments):
        assert after.start_s == pytest.approx(before.end_s)
        assert after.angle_deg == pytest.approx(before.angle_after(before.duration_s))
        assert after.speed_deg_s == pytest.approx(before.speed_after(before.duration_s))


def test_what_coasts_stops_and_stays() -> None:
    path = Path(0.0, 0.0, 30.0)
    path.coast(60.0, 3.0)
    assert path.speed_deg_s == 0.0
    assert path.now_s == 60.0
    assert path.angle_deg == pytest.approx(150.0)


def test_a_swing_ends_at_rest_where_it_was_to_go() -> None:
    path = Path(0.0, 5.0)
    path.swing(-100.0, 0.8)
    assert path.angle_deg == pytest.approx(-95.0)
    assert path.speed_deg_s == 0.0


def test_a_clipped_motion_is_the_same_motion() -> None:
    whole = some_path().segments
    part = clipped(whole, 3.3, 9.1)
    assert part[0].start_s == 3.3
    assert part[-1].end_s == pytest.approx(9.1)
    for t_s in (3.3, 5.0, 8.2, 9.0):
        assert angle_at(part, t_s) == pytest.approx(angle_at(whole, t_s))
        assert speed_at(part, t_s) == pytest.approx(speed_at(whole, t_s))


def test_riding_adds_two_motions() -> None:
    carrier = some_path().segments
    relative = [Segment(4.0, 6.0, 100.0, -40.0, 3.0)]
    both = riding(carrier, relative)
    assert both[0].start_s == 4.0
    assert both[-1].end_s == pytest.approx(10.0)
    for t_s in (4.0, 6.5, 8.3, 9.9):
        assert angle_at(both, t_s) == pytest.approx(angle_at(carrier, t_s) + angle_at(relative, t_s))


def test_shifting_moves_in_angle_and_time() -> None:
    moved = shifted(some_path().segments, 15.0, 2.5)
    assert angle_at(moved, 7.5) == pytest.approx(angle_at(some_path().segments, 5.0) + 15.0)


@pytest.mark.parametrize("at_s", [3.0, 7.9, 9.5])
def test_a_slipped_encoder_stands_and_then_lags(at_s: float) -> None:
    wheel = some_path().segments
    encoder = slipped(wheel, at_s, 12.0)
    assert angle_at(encoder, at_s - 0.1) == pytest.approx(angle_at(wheel, at_s - 0.1))
    lag_deg = angle_at(wheel, 20.0) - angle_at(encoder, 20.0)
    assert abs(lag_deg) == pytest.approx(12.0)
    for before, after in pairwise(encoder):
        assert after.angle_deg == pytest.approx(before.angle_after(before.duration_s), abs=1e-6)
