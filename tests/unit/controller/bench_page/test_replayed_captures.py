"""Captures on the page: replayed by the table's own code, with the edges that decided; compared; and refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.bench.replay import replay
from controller.bench_page.captures import shown_name
from controller.bench_page.replayed import ReplayedCapture, replay_capture
from hal.capture.errors import CaptureError
from tests.fakes.bench import MONEY_WHEEL, ROULETTE, captured, config_of


@pytest.fixture(scope="module")
def short_spin(tmp_path_factory: pytest.TempPathFactory) -> ReplayedCapture:
    path = captured(config_of(MONEY_WHEEL), tmp_path_factory.mktemp("captures") / "a.vcd", "short_spin")
    return replay_capture(config_of(MONEY_WHEEL), path, "a.vcd")


def test_a_short_spin_is_decided_by_the_last_count_before_the_wheel_rested(short_spin: ReplayedCapture) -> None:
    (decision,) = short_spin.decisions
    assert decision.verdict.reason == "wheel_revolutions"
    assert decision.note is not None
    assert decision.note.what == "wheel rested"
    (edge,) = decision.edges
    assert edge.line in ("wheel_a", "wheel_b")
    last = max(t_ns for line in ("wheel_a", "wheel_b") for t_ns, _ in short_spin.lines[line].edges)
    assert edge.t_ns == last


def test_a_ball_with_the_rotor_is_decided_by_the_pass_that_proves_it(tmp_path: Path) -> None:
    path = captured(config_of(ROULETTE), tmp_path / "b.vcd", "same_direction")
    replayed = replay_capture(config_of(ROULETTE), path, "b.vcd")
    decision = replayed.decisions[0]
    assert decision.verdict.reason == "ball_direction"
    assert {edge.line.rstrip("123") for edge in decision.edges} == {"ball_"}
    assert decision.edges[-1].t_ns == decision.verdict.t_ns


def test_the_page_reaches_the_verdicts_of_the_command(tmp_path: Path, short_spin: ReplayedCapture) -> None:
    path = captured(config_of(MONEY_WHEEL), tmp_path / "c.vcd", "short_spin")
    events = [event for one in replay(config_of(MONEY_WHEEL), [path]) for event in one]
    assert [event.data.mono_ns - short_spin.begin_ns for event in events] == [one.t_ns for one in short_spin.events]


def test_the_devices_are_drawn_all_along_the_capture(short_spin: ReplayedCapture) -> None:
    turns = [
        shown.view.turns  # type: ignore[attr-defined]
        for at in short_spin.views
        for shown in at.views
        if shown.device == "wheel"
    ]
    assert len(turns) > 100
    assert 0.8 < max(turns) < 3


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_a_damaged_capture_is_refused_with_words_or_replayed(tmp_path: Path, data: st.DataObject) -> None:
    source = tmp_path / "whole.vcd"
    if not source.exists():
        captured(config_of(MONEY_WHEEL), source, "short_spin")
    whole = source.read_bytes()[:6000]
    at = data.draw(st.integers(0, len(whole)))
    garbage = data.draw(st.binary(max_size=40))
    cut = data.draw(st.integers(0, 400))
    path = tmp_path / "damaged.vcd"
    path.write_bytes(whole[:at] + garbage + whole[at + cut :])
    try:
        replay_capture(config_of(MONEY_WHEEL), path, "damaged.vcd")
    except CaptureError as error:
        assert str(error)


@given(st.binary(max_size=300))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_bytes_that_are_no_capture_are_refused(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "garbage.vcd"
    path.write_bytes(garbage)
    with pytest.raises(CaptureError):
        replay_capture(config_of(MONEY_WHEEL), path, "garbage.vcd")


@pytest.mark.parametrize(
    ("name", "shown"),
    [("../../etc/passwd", "passwd"), ("C:\\x\\y.vcd", "y.vcd"), ("", "capture"), ("a" * 300, "a" * 80)],
)
def test_the_name_of_a_file_is_only_its_last_part(name: str, shown: str) -> None:
    assert shown_name(name) == shown
