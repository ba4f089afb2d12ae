"""How long before the fall of the ball, or the start of play, a round was called, and when it was settled."""

from __future__ import annotations

from typing import Any

import pytest

from controller.bench.simulation import simulate
from feed import events
from feed.calls import CallLine, Calls, CallTimes, call_line
from feed.events import CaptureFile, Evidence
from hal.clock import NS_PER_S
from tests.tables.bench import configured

TABLE = '[table]\nid = "t"\ngame = "{game}"\n[lines]\nbackend = "sim"\n'


def followed(*said: tuple[type[Any], float, dict[str, Any]], calls: Calls | None = None) -> Calls:
    """The events of round 1 at these seconds."""
    calls = Calls() if calls is None else calls
    for kind, s, fields in said:
        calls.see(kind(table="t", game="g", simulated=True, mono_ns=round(s * NS_PER_S), round=1, **fields))
    return calls


def called(s: float, by: str = "dealer") -> Any:
    return (events.NoMoreBets, s, {"by": by, "rule": "ours"})


def started(s: float) -> Any:
    return (events.RoundStarted, s, {})


def verdict(s: float, **evidence: Any) -> Any:
    return (events.Outcome, s, {"result": {}, "winning": [], "rule": "ours", "evidence": Evidence(**evidence)})


def settled(s: float, by: str = "dealer") -> Any:
    return (events.Settled, s, {"by": by})


def test_a_call_is_timed_to_the_start_of_play_and_settling_from_there() -> None:
    times = followed(called(10), started(12.5), started(13), verdict(20), settled(31.5)).of(1)
    assert times == CallTimes(2.5, 19.0)
    assert Calls().of(7) == CallTimes()


def test_at_roulette_the_ball_closes_the_bets_and_not_the_spin() -> None:
    spin = (
        started(5),
        called(18),
        verdict(40, passes=30, left_track_ns=20 * NS_PER_S, no_more_bets="in_time"),
        settled(60),
    )
    assert followed(*spin).of(1) == CallTimes(2.0, 40.0)
    for unseen in ({"passes": 30}, {"measured_by": "wheel"}):
        assert followed(started(5), called(18), verdict(40, **unseen), settled(60)).of(1) == CallTimes()


def test_a_spin_that_ended_before_the_ball_fell_has_no_call_that_is_late() -> None:
    """The service stopped in it: nothing is known of a ball. A fault ended it: other spins of the table had a ball."""
    file = CaptureFile(file="t/2.vcd", sha256="ab" * 32)
    for evidence in (Evidence(), Evidence(detail="a line is silent", capture=file)):
        calls = followed(started(5), called(18), verdict(40, passes=30, left_track_ns=20 * NS_PER_S))
        void = {"call": "No spin", "reason": "sensor_missing", "rule": "ours", "evidence": evidence, "round": 2}
        for kind, s, fields in (started(105), called(114), (events.Void, 130, void)):
            about = {"table": "t", "game": "g", "simulated": True, "mono_ns": s * NS_PER_S, "round": 2, **fields}
            calls.see(kind(**about))
        assert (calls.of(1).margin_s, calls.of(2)) == (2.0, CallTimes())
    nothing = Evidence(detail="the table closed: the service stops", capture=file)
    stopped = {"call": "No spin", "reason": "service_stopped", "rule": "ours", "evidence": nothing}
    assert followed(started(5), called(14), (events.Void, 30, stopped)).of(1) == CallTimes()


@pytest.mark.parametrize(("judged", "late"), [(None, True), ("in_time", False), ("late", True)])
def test_a_call_is_late_as_the_round_judged_it_or_after_the_start(judged: str | None, late: bool) -> None:
    times = followed(started(9), called(10), verdict(20, no_more_bets=judged)).of(1)
    assert times == CallTimes(-1.0, None, late)


def test_a_round_that_was_never_called_is_late_where_that_was_judged() -> None:
    """Of a spin that is void before the ball fell, "never" judges nothing."""
    assert followed(started(9), verdict(20, no_more_bets="never", began_ns=8 * NS_PER_S)).of(1).late
    assert followed(started(9), verdict(20, passes=9, no_more_bets="never", left_track_ns=8 * NS_PER_S)).of(1).late
    assert not followed(started(9), verdict(20, passes=2, no_more_bets="never")).of(1).late


@pytest.mark.parametrize("game", ["money_wheel", "chuck_a_luck"])
def test_a_call_that_comes_when_the_round_is_void_is_late_and_changes_nothing(game: str) -> None:
    calls, reported = Calls(), list[Any]()
    button = TABLE.format(game=f'{game}"\nno_more_bets = "button')
    for one in simulate(configured(button), 2, 1, {1: "late_call"}):
        for event in one.events:
            calls.see(event.data)
            reported.append(event.data)
    of_round = [one for one in reported if getattr(one, "round", None) == 1]
    assert [type(one) for one in of_round if not isinstance(one, events.RoundProgress)] == [
        events.RoundOpened,
        events.RoundStarted,
        events.Void,
        events.ProcedureViolation,
    ]
    *_, started, void, pressed = of_round
    assert (pressed.reason, pressed.rule) == ("called_after_void", "ours")
    assert void.evidence.began_ns < started.mono_ns
    first, second = calls.of(1), calls.of(2)
    assert first == CallTimes((void.evidence.began_ns - pressed.mono_ns) / NS_PER_S, late=True)
    line = call_line([first, second])
    assert line is not None
    assert (line.called, line.least_s, line.late) == (2, first.margin_s, 1)


def test_what_the_controller_does_by_itself_is_not_timed() -> None:
    assert followed(called(10, "auto"), started(12), verdict(20), settled(23, "auto")).of(1) == CallTimes()


def test_wagers_that_a_sensor_detected_after_the_call_are_counted() -> None:
    late = (events.ProcedureViolation, 11, {"reason": "wager_after_no_more_bets", "rule": "13:69F-6.13"})
    other = (events.ProcedureViolation, 11, {"reason": "covered_before_paid", "rule": "ours"})
    assert followed(called(10), late, late, other).of(1) == CallTimes(late_wagers=2)


def test_a_round_over_two_starts_of_the_service_has_no_times_and_a_settled_one_keeps_its_own() -> None:
    whole, cut = followed(called(10), started(12), settled(20)), followed(called(10), started(12))
    by_itself = followed(called(10), started(12), verdict(20), settled(23, "auto"))
    for calls in (whole, cut, by_itself, Calls()):
        calls.restarted()
    assert whole.of(1) == CallTimes(2.0, 8.0)
    assert by_itself.of(1) == CallTimes(2.0)
    assert followed(settled(1), calls=cut).of(1) == CallTimes()


def test_many_rounds_come_to_medians_and_extremes() -> None:
    rounds = [CallTimes(2.0, 10.0), CallTimes(-1.0, 30.0, True), CallTimes(4.0, None, False, 1), CallTimes()]
    assert call_line(rounds) == CallLine(3, 2.0, -1.0, 1, 20.0, 30.0, 1)
    assert call_line([CallTimes(late_wagers=1)]) == CallLine(0, None, None, 0, None, None, 1)
    assert call_line([CallTimes(), CallTimes()]) is None


@pytest.mark.parametrize(("game", "most_s"), [("roulette", 30), ("money_wheel", 10)])
def test_simulated_dealers_call_before_the_ball_falls_and_before_the_wheel_turns(game: str, most_s: float) -> None:
    calls = Calls()
    for one in simulate(configured(TABLE.format(game=game)), 4, 1, {}):
        for event in one.events:
            calls.see(event.data)
    margins = [calls.of(number).margin_s or 0 for number in range(1, 5)]
    assert all(0 < margin < most_s for margin in margins)


def test_a_simulated_call_after_the_drop_is_late() -> None:
    calls = Calls()
    for one in simulate(configured(TABLE.format(game="roulette")), 1, 1, {1: "late_call"}):
        for event in one.events:
            calls.see(event.data)
    times = calls.of(1)
    assert times.late
    assert times.margin_s is not None
    assert times.margin_s < 0
