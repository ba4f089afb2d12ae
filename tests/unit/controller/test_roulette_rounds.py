"""What a roulette table says of every way in which a spin can go, 13:47-20.32."""

from __future__ import annotations

from collections.abc import Container, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.wheel.faces import EUROPEAN
from feed import events
from hal.lines import LineTracker
from hal.values import Edge, EdgesLost, Loss, Rare
from tests.oracle.motion import ns
from tests.tables.bench import EventList, TableBench, events_of_run
from tests.tables.roulette_lines import RouletteLines, S, roulette_toml, spin

OPENED = ["table.opened", "round.opened"]
RUN = ["round.started", "round.no_more_bets auto"]
NEXT = ["round.settled auto", "round.opened"]


def said_of(
    lines: RouletteLines, *, call: str = "auto", buttons: str = "", device: str = "", game: str = ""
) -> EventList:
    text = roulette_toml(call=call, buttons=buttons, device=device, game=game)
    return events_of_run(text, lines.edges(), lines.rare, lines.now_ns)


# --- revolutions and direction -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rotor_rpm", "way"), [(17.0, -1), (-17.0, 1)])
def test_exactly_four_revolutions_against_the_rotor_are_a_valid_spin(rotor_rpm: float, way: int) -> None:
    said = said_of(spin(passes=13, rotor_rpm=rotor_rpm, way=way))
    assert said.story() == [*OPENED, *RUN, "17", *NEXT]
    evidence = said.one(events.Outcome).evidence
    assert (evidence.revolutions, evidence.passes, evidence.missed_passes) == (4.0, 13, 0)
    assert evidence.direction == ("clockwise" if way > 0 else "counter-clockwise")
    assert evidence.rotor_direction == ("clockwise" if rotor_rpm > 0 else "counter-clockwise")
    assert evidence.rotor_rpm == 17.0


def test_a_sensor_short_of_four_revolutions_is_no_spin() -> None:
    said = said_of(spin(passes=12))
    assert said.story() == [*OPENED, *RUN, "void ball_revolutions", "round.opened"]
    void = said.one(events.Void)
    assert (void.call, void.rule, void.remove_ball) == ("No spin", "13:47-20.32(m)2", True)
    assert void.evidence.revolutions == pytest.approx(11 / 3, abs=1e-4)


def test_a_sensor_more_than_four_revolutions_is_a_valid_spin() -> None:
    assert said_of(spin(passes=14)).verdicts() == ["17"]


def test_four_revolutions_are_counted_around_the_track_and_never_relative_to_the_rotor() -> None:
    """Relative to a fast rotor this ball turns more than six times."""
    lines = spin(passes=12, rotor_rpm=25.0)
    assert said_of(lines).verdicts() == ["void ball_revolutions"]


def test_too_few_revolutions_are_refused_before_the_ball_rests() -> None:
    lines = spin(passes=10)
    rest_ns = ns(lines.left_s + 5)
    assert said_of(lines).one(events.Void).mono_ns < rest_ns - S


@pytest.mark.parametrize("rotor_rpm", [17.0, -17.0])
def test_a_ball_that_runs_with_the_rotor_is_refused_at_its_third_pass_at_the_latest(rotor_rpm: float) -> None:
    lines = spin(rotor_rpm=rotor_rpm, way=1 if rotor_rpm > 0 else -1)
    said = said_of(lines)
    void = said.one(events.Void)
    assert (void.reason, void.call, void.rule) == ("ball_direction", "No spin", "13:47-20.32(m)1")
    assert void.remove_ball
    assert void.mono_ns <= ns(lines.passes_s[2] + 0.1)
    assert not said.of(events.Outcome)


def test_what_a_refused_ball_does_afterwards_belongs_to_its_round_until_the_track_is_quiet() -> None:
    lines = spin(way=1)
    said = said_of(lines)
    assert said.story() == [*OPENED, "round.started", "void ball_direction", "round.opened"]
    again = said.of(events.RoundOpened)[1].mono_ns
    assert again == pytest.approx(ns(lines.left_s + 4), abs=S // 5)


def test_a_direction_is_told_when_it_is_proven() -> None:
    lines = spin()
    started = said_of(lines).one(events.RoundStarted)
    assert started.direction == "counter-clockwise"
    assert ns(lines.passes_s[1]) < started.mono_ns <= ns(lines.passes_s[2] + 0.1)


def test_live_revolutions_are_told_once_each() -> None:
    told = said_of(spin(passes=13)).of(events.RoundProgress)
    assert [round(progress.revolutions or 0) for progress in told] == [1, 2, 3, 4]
    assert all(progress.lap_s for progress in told)


@pytest.mark.parametrize("missed", range(1, 15))
def test_a_ball_that_misses_any_one_sensor_is_counted_all_the_same(missed: int) -> None:
    said = said_of(spin(passes=16, missed=[missed]))
    assert said.verdicts() == ["17"]
    evidence = said.one(events.Outcome).evidence
    if missed > 1:
        assert evidence.revolutions == 5.0
    assert evidence.revolutions_low is not None
    assert evidence.revolutions_high is not None
    assert evidence.revolutions_low <= 5.0 <= evidence.revolutions_high


@pytest.mark.parametrize(("passes", "verdict"), [(12, "void ball_revolutions"), (13, "17"), (14, "17")])
def test_sensors_at_unequal_angles_measure_the_same_travel(passes: int, verdict: str) -> None:
    lines = spin(passes=passes, sensors_deg=(0.0, 100.0, 220.0), laps_s=(1.3, 2.2))
    said = said_of(lines, device="ball_sensors_deg = [0, 100, 220]")
    assert said.verdicts() == [verdict]
    if passes == 13:
        assert said.one(events.Outcome).evidence.revolutions == 4.0


def test_two_swapped_sensors_at_unequal_angles_give_no_outcome() -> None:
    lines = spin(passes=19, sensors_deg=(0.0, 100.0, 220.0))
    swap = {"ball_1": "ball_2", "ball_2": "ball_1"}
    edges = [edge._replace(line=swap.get(edge.line, edge.line)) for edge in lines.edges()]
    said = events_of_run(roulette_toml(device="ball_sensors_deg = [0, 100, 220]"), edges, [], lines.now_ns)
    assert said.verdicts()
    assert not said.of(events.Outcome)


def test_two_sensors_off_opposite_tell_the_direction_too() -> None:
    device = "ball_sensors_deg = [0, 90]"
    right = said_of(spin(passes=11, sensors_deg=(0.0, 90.0), way=-1), device=device)
    wrong = said_of(spin(passes=11, sensors_deg=(0.0, 90.0), way=1), device=device)
    assert right.verdicts() == ["17"]
    assert wrong.verdicts() == ["void ball_direction"]


def test_a_ball_that_vanishes_well_above_the_speed_of_a_drop_was_picked_up() -> None:
    said = said_of(spin(passes=19, laps_s=(0.5, 0.8)))
    assert said.verdicts() == ["void ball_revolutions"]
    void = said.one(events.Void)
    assert void.mono_ns < ns(20.0)
    # It completed four revolutions: (m)2 refuses nothing, the house does.
    assert void.rule == "ours"
    assert (void.evidence.revolutions or 0) >= 4


@pytest.mark.parametrize("width_s", [0.008, 0.02, 0.03])
def test_one_false_pulse_after_a_ball_was_picked_up_does_not_make_it_drop(width_s: float) -> None:
    lines = spin(passes=19, laps_s=(0.5, 0.8))
    for late_s in (0.3, 0.4, 0.45):
        noisy = spin(passes=19, laps_s=(0.5, 0.8)).see("ball_3", lines.left_s + late_s, width_s)
        said = said_of(noisy)
        assert said.verdicts() == ["void ball_revolutions"]
        assert "vanished at a lap time of 0." in said.one(events.Void).evidence.detail


def test_too_few_revolutions_are_refused_by_the_rule_also_where_the_ball_was_picked_up() -> None:
    void = said_of(spin(passes=9, laps_s=(0.5, 0.8))).one(events.Void)
    assert (void.reason, void.rule) == ("ball_revolutions", "13:47-20.32(m)2")


@pytest.mark.parametrize(("rotor_rpm", "rule"), [(0.0, "13:47-20.32(j)1"), (2.9, "ours"), (1.0, "ours")])
def test_a_rotor_that_stands_is_refused_by_the_rule_and_a_slow_one_by_the_house(rotor_rpm: float, rule: str) -> None:
    void = said_of(spin(rotor_rpm=rotor_rpm)).one(events.Void)
    assert (void.reason, void.rule) == ("rotor_not_turning", rule)


def test_one_pass_and_a_ball_at_rest_is_a_ball_that_was_placed() -> None:
    lines = RouletteLines().turn(40.0).run(6.0, 1).lie("17", 11.0, 40.0)
    assert said_of(lines).verdicts() == ["void ball_revolutions"]


def test_a_hand_before_the_sensors_is_no_spin_at_all() -> None:
    lines = RouletteLines().turn(30.0).see("ball_1", 6.0, 1.5).see("ball_2", 9.0, 0.8)
    assert said_of(lines).story() == OPENED


# --- the rotor -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rotor_rpm", "verdict"), [(2.9, "void rotor_not_turning"), (3.1, "17"), (0.0, "void rotor_not_turning")]
)
def test_a_rotor_under_three_turns_a_minute_has_no_direction(rotor_rpm: float, verdict: str) -> None:
    lines = RouletteLines(rotor_rpm=rotor_rpm).turn(130.0).run(45.0, 16)
    if rotor_rpm:
        lines.lie("17", lines.left_s + 5.0, 130.0)
    said = said_of(lines, game="give_up_s = 30.0")
    assert said.verdicts() == [verdict]
    if said.of(events.Void):
        # The text has no speed: a rotor that turns too slowly is refused by the house.
        assert said.one(events.Void).rule == ("ours" if rotor_rpm else "13:47-20.32(j)1")
        assert said.one(events.Void).mono_ns <= ns(lines.passes_s[2] + 0.1)


def braked(lines: RouletteLines, at_s: float, to_rpm: float, for_s: float = 1.0) -> RouletteLines:
    """A hand brings the rotor to another speed."""
    lines.turn(at_s)
    lines.rotor.accelerate(for_s, (to_rpm * 6.0 - lines.rotor.speed) / for_s)
    lines.rotor.speed = to_rpm * 6.0
    return lines


def test_a_rotor_that_stops_while_the_ball_runs_leaves_no_valid_spin() -> None:
    lines = braked(RouletteLines(), 9.0, 0.0).turn(40.0).run(6.0, 16)
    said = said_of(lines)
    assert said.verdicts() == ["void rotor_not_turning"]
    assert said.one(events.Void).rule == "ours"
    assert ns(9.0) < said.one(events.Void).mono_ns < ns(11.5)


def test_a_rotor_that_is_turned_back_while_the_ball_runs_leaves_no_valid_spin() -> None:
    lines = braked(RouletteLines(), 9.0, -17.0, 0.8).turn(40.0).run(6.0, 16).lie("17", 22.0, 40.0)
    said = said_of(lines)
    assert said.verdicts() == ["void rotor_reversed"]
    assert said.one(events.Void).rule == "ours"


def test_a_rotor_that_comes_back_by_less_than_half_a_pocket_has_not_turned_back() -> None:
    lines = braked(RouletteLines(), 9.0, 6.0, 0.4).turn(9.5)
    lines.rotor.turn_to(lines.rotor.deg + 6.0, 0.0)
    lines.rotor.turn_to(lines.rotor.deg - 1.0, -4.0).turn_to(lines.rotor.deg - 1.0, 0.0)
    lines.rotor.accelerate(0.5, 204.0)
    lines.turn(45.0).run(6.0, 16)
    lines.lie("17", lines.left_s + 5.0, 45.0)
    assert "void rotor_reversed" not in said_of(lines).verdicts()


def test_a_rotor_that_stopped_before_the_launch_may_be_turned_the_other_way() -> None:
    lines = braked(braked(RouletteLines(), 2.0, 0.0).turn(4.0), 4.0, -17.0).turn(45.0).run(8.0, 16, way=1)
    lines.lie("17", lines.left_s + 5.0, 45.0)
    assert said_of(lines).verdicts() == ["17"]


# --- the number ----------------------------------------------------------------------------------------------------


def test_the_number_is_told_at_its_third_reading() -> None:
    lines = spin()
    third_s = lines.readings_s("17", lines.left_s + 5.0, 45.0)[2]
    outcome = said_of(lines).one(events.Outcome)
    assert outcome.mono_ns == pytest.approx(ns(third_s), abs=S // 10)
    assert (outcome.result, outcome.evidence.rotor_turns) == ({"pocket": "17", "index": 9, "color": "black"}, 3)


def test_two_readings_are_not_enough() -> None:
    said = said_of(spin(turns=2, until_s=60.0))
    assert said.verdicts() == ["unresolved no_number_read"]
    assert [candidate["pocket"] for candidate in said.one(events.Unresolved).candidates] == ["17"]


def test_without_a_reading_the_dealer_calls_twenty_seconds_after_the_drop() -> None:
    """Six turns at 25 rpm take 14.4 s: the twenty seconds are the longer."""
    lines = spin(pocket=None, rotor_rpm=25.0, until_s=60.0)
    said = said_of(lines)
    assert said.verdicts() == ["unresolved no_number_read"]
    # The drop is known when the next sensor (0.73 s away) is overdue by 1.8 times.
    left_s = lines.left_s + 2.2 / 3 * 1.8
    assert said.one(events.Unresolved).mono_ns == pytest.approx(ns(left_s + 20.0), abs=S // 10)


def test_a_slow_rotor_has_six_turns_for_its_number() -> None:
    lines = spin(pocket=None, rotor_rpm=10.0, until_s=70.0)
    left_s = lines.left_s + 2.2 / 3 * 1.8
    assert said_of(lines).one(events.Unresolved).mono_ns == pytest.approx(ns(left_s + 36.0), abs=S // 10)


def test_a_number_that_can_no_longer_be_read_in_time_is_not_waited_for() -> None:
    lines = spin(pocket=None, until_s=70.0)
    lines.lie("17", lines.left_s + 23.0, 70.0)
    assert said_of(lines).verdicts() == ["unresolved no_number_read"]


@pytest.mark.parametrize(("off", "verdict"), [(0.28, "17"), (-0.28, "17"), (0.33, None), (-0.33, None)])
def test_a_reading_must_be_within_three_tenths_of_a_pocket_of_its_centre(off: float, verdict: str | None) -> None:
    said = said_of(spin(off=off, until_s=60.0))
    assert said.verdicts() == [verdict or "unresolved no_number_read"]
    if verdict:
        assert abs(said.one(events.Outcome).evidence.off_center or 0) == pytest.approx(0.28, abs=0.02)


def test_readings_that_disagree_begin_anew() -> None:
    lines = spin(pocket=None, until_s=60.0)
    drop = lines.left_s + 5.0
    first = lines.readings_s("17", drop, 60.0)[1] + 0.5
    lines.lie("17", drop, first).lie("5", first, 60.0)
    said = said_of(lines)
    assert said.verdicts() == ["5"]
    assert said.one(events.Outcome).mono_ns == pytest.approx(ns(lines.readings_s("5", first, 60.0)[2]), abs=S // 10)


def test_more_readings_can_be_asked_for() -> None:
    lines = spin(until_s=60.0)
    fifth = lines.readings_s("17", lines.left_s + 5.0, 60.0)[4]
    said = said_of(lines, game="read_turns = 5")
    assert said.one(events.Outcome).mono_ns == pytest.approx(ns(fifth), abs=S // 10)


def test_a_number_without_a_run_of_the_ball_is_never_an_outcome() -> None:
    lines = RouletteLines().turn(60.0).lie("17", 6.0, 60.0)
    assert said_of(lines).story() == OPENED


@pytest.mark.parametrize("pocket", ["0", "00", "2", "36"])
def test_every_pocket_is_read_by_its_name(pocket: str) -> None:
    said = said_of(spin(pocket=pocket))
    assert said.verdicts() == [pocket]
    color = {"0": "green", "00": "green", "2": "black", "36": "red"}[pocket]
    assert said.one(events.Outcome).result["color"] == color


def test_a_european_wheel_has_its_own_order() -> None:
    lines = RouletteLines(order=EUROPEAN, slots=37).turn(45.0).run(6.0, 16)
    lines.lie("26", lines.left_s + 5.0, 45.0)
    assert said_of(lines, device='pockets = "european"').one(events.Outcome).result["index"] == 36


# --- zero ----------------------------------------------------------------------------------------------------------


def test_double_zero_on_a_wheel_used_as_single_zero_is_no_spin() -> None:
    said = said_of(spin(pocket="00"), device='pockets = "american_as_single_zero"')
    assert said.verdicts() == ["void double_zero_as_single_zero"]
    void = said.one(events.Void)
    assert (void.call, void.rule) == ("No spin", "13:47-20.32(i)2")
    assert said_of(spin(pocket="0"), device='pockets = "american_as_single_zero"').verdicts() == ["0"]


@pytest.mark.parametrize("rule", ["half", "all"])
def test_what_even_money_wagers_lose_on_a_zero_is_told_with_it(rule: str) -> None:
    said = said_of(spin(pocket="00"), game=f'zero_rule = "{rule}"')
    assert said.one(events.Outcome).notices == [f"even-money wagers lose {rule} (13:47-20.32(g))"]
    assert said_of(spin(), game=f'zero_rule = "{rule}"').one(events.Outcome).notices == []


def test_odds_are_said_to() -> None:
    winning = said_of(spin()).one(events.Outcome).winning
    assert winning[0] == events.WinningBet("straight 17", "35 to 1")
    assert all(bet.odds.endswith(" to 1") for bet in winning)


# --- the call ------------------------------------------------------------------------------------------------------


def test_without_a_button_the_call_comes_at_a_lap_time_of_1_43_seconds() -> None:
    lines = spin(passes=16)
    laps = [0.8 * (2.2 / 0.8) ** (k / 15) for k in range(16)]
    at = next(k for k, lap in enumerate(laps) if lap >= 1.43)
    call = said_of(lines).one(events.NoMoreBets)
    assert call.by == "auto"
    assert call.mono_ns == pytest.approx(ns(lines.passes_s[at]), abs=S // 20)


def test_the_lap_time_of_the_automatic_call_is_configured() -> None:
    lines = spin(passes=16)
    early = said_of(lines, game="call_lap_s = 0.9").one(events.NoMoreBets)
    assert early.mono_ns < ns(lines.passes_s[5])


def test_a_call_while_the_ball_is_in_the_track_is_in_time() -> None:
    lines = spin(button=True).press("dealer_no_more_bets", 10.0)
    said = said_of(lines, call="button")
    assert said.story() == [*OPENED, "round.started", "round.no_more_bets dealer", "17", *NEXT]
    assert said.one(events.Outcome).evidence.no_more_bets == "in_time"


def test_a_call_before_the_launch_is_in_time() -> None:
    lines = spin(button=True).press("dealer_no_more_bets", 4.0)
    assert said_of(lines, call="button").of(events.ProcedureViolation) == []


def test_a_call_after_the_drop_is_a_violation_and_the_spin_stands() -> None:
    lines = spin(button=True)
    lines.press("dealer_no_more_bets", lines.left_s + 3.0)
    said = said_of(lines, call="button")
    violation = said.one(events.ProcedureViolation)
    assert (violation.reason, violation.rule) == ("no_more_bets_after_drop", "13:47-20.32(j)2")
    assert said.verdicts() == ["17"]
    assert said.one(events.Outcome).evidence.no_more_bets == "late"


def test_without_any_call_the_spin_stands_with_a_violation() -> None:
    said = said_of(spin(button=True), call="button")
    assert said.one(events.ProcedureViolation).reason == "no_more_bets_after_drop"
    assert said.one(events.Outcome).evidence.no_more_bets == "never"


# --- what does not belong in the wheel -----------------------------------------------------------------------------


def test_an_object_while_the_ball_runs_is_no_spin_at_once() -> None:
    said = said_of(spin().see("object", 9.0, 0.5))
    void = said.one(events.Void)
    assert (void.reason, void.rule, void.remove_ball) == ("foreign_object", "13:47-20.32(m)3", True)
    assert ns(9.0) < void.mono_ns < ns(9.1)


def test_an_object_before_the_first_reading_is_no_spin_at_once() -> None:
    lines = spin()
    lines.see("object", lines.left_s + 3.0, 0.5)
    said = said_of(lines)
    assert said.verdicts() == ["void foreign_object"]
    assert said.one(events.Void).mono_ns < ns(lines.left_s + 3.1)


def between_readings(number: int) -> tuple[RouletteLines, float]:
    """A spin, and a time just after its reading of that number."""
    lines = spin(until_s=60.0)
    return lines, lines.readings_s("17", lines.left_s + 5.0, 60.0)[number] + 0.5


def test_an_object_after_the_first_reading_is_held_until_the_second_and_harmless_where_they_agree() -> None:
    lines, at_s = between_readings(0)
    assert said_of(lines.see("object", at_s, 0.5)).verdicts() == ["17"]


def test_an_object_after_the_first_reading_is_no_spin_where_the_second_disagrees() -> None:
    lines = spin(pocket=None, until_s=60.0)
    drop = lines.left_s + 5.0
    at_s = lines.readings_s("17", drop, 60.0)[0] + 0.5
    lines.lie("17", drop, at_s).lie("5", at_s, 60.0).see("object", at_s, 0.5)
    said = said_of(lines)
    assert said.verdicts() == ["void foreign_object"]
    assert said.one(events.Void).mono_ns == pytest.approx(ns(lines.readings_s("5", at_s, 60.0)[0]), abs=S // 10)


def test_an_object_that_is_held_and_no_second_reading_is_no_spin() -> None:
    lines = spin(turns=1, until_s=60.0)
    at_s = lines.readings_s("17", lines.left_s + 5.0, 60.0)[0] + 0.5
    assert said_of(lines.see("object", at_s, 0.5)).verdicts() == ["void foreign_object"]


def test_an_object_in_a_quiet_wheel_is_a_warning() -> None:
    said = said_of(RouletteLines().turn(20.0).see("object", 9.0, 0.5))
    assert said.story() == [*OPENED, "device.warning object_in_wheel"]


@pytest.mark.parametrize("line", ["object", "object_2"])
def test_an_object_that_one_of_two_beams_sees_is_no_spin(line: str) -> None:
    lines = spin().see("object_2", 1.0, 0.001)
    said = said_of(lines.see(line, 9.0, 0.5), device="object_beams = 2")
    assert said.one(events.Void).reason == "foreign_object"
    assert line in said.one(events.Void).evidence.detail


def test_beams_that_disagree_are_a_warning_and_shut_nothing() -> None:
    lines = RouletteLines().turn(40.0).see("object_2", 1.0, 0.001)
    for at_s in (9.0, 14.0, 19.0):
        lines.see("object", at_s, 0.5)
    story = said_of(lines, device="object_beams = 2").story()
    assert story == [*OPENED, *["device.warning object_in_wheel"] * 3, "device.warning object_beams_disagree"]


def test_a_blink_of_the_beam_is_noise() -> None:
    assert said_of(spin().see("object", 9.0, 0.001)).verdicts() == ["17"]


def test_a_second_ball_in_the_track_is_a_foreign_object() -> None:
    lines = spin(pocket=None, passes=19)
    for k in range(8):
        lines.see("ball_1", 7.03 + 0.7 * k, 0.01)
    said = said_of(lines)
    assert said.verdicts()[0] in ("void foreign_object", "void ball_revolutions", "unresolved sensor_missing")
    assert not said.of(events.Outcome)


def test_a_ball_at_rest_while_another_runs_is_a_foreign_object() -> None:
    lines = spin(passes=25, pocket=None, until_s=60.0).lie("5", 0.0, 60.0)
    said = said_of(lines)
    assert said.verdicts() == ["void foreign_object"]
    assert said.one(events.Void).mono_ns < ns(lines.left_s)


def test_the_old_ball_that_is_taken_out_before_the_launch_does_no_harm() -> None:
    assert said_of(spin().lie("5", 0.0, 5.5)).verdicts() == ["17"]


# --- level ---------------------------------------------------------------------------------------------------------


def tilted(deg: float, from_s: float, to_s: float) -> RouletteLines:
    lines = spin()
    for k in range(90):
        t_s = k / 2
        lines.tilt(t_s, deg if from_s <= t_s < to_s else 0.02)
    return lines


def test_a_wheel_out_of_level_for_a_second_voids_the_spin_and_shuts_the_table() -> None:
    said = said_of(tilted(0.4, 9.0, 12.0))
    assert said.story() == [*OPENED, *RUN, "device.fault not_level", "void not_level"]
    void, fault = said.one(events.Void), said.one(events.DeviceFault)
    assert (void.rule, void.call, fault.blocks_play) == ("13:47-20.15(c)", "No spin", True)
    assert void.mono_ns == fault.mono_ns == 10 * S


def test_half_a_second_out_of_level_changes_nothing() -> None:
    assert said_of(tilted(0.4, 9.0, 9.5)).verdicts() == ["17"]


def test_an_inclination_of_exactly_the_tolerance_is_level() -> None:
    assert said_of(tilted(0.15, 9.0, 30.0)).verdicts() == ["17"]
    assert said_of(tilted(0.151, 9.0, 30.0)).verdicts() == ["void not_level"]


def test_the_inclination_is_that_of_the_plane_and_not_of_one_axis() -> None:
    lines = spin().tilt(9.0, 0.12, 0.12).tilt(11.0, 0.0)
    assert said_of(lines).verdicts() == ["void not_level"]


def test_an_inclinometer_that_gives_no_number_is_not_level() -> None:
    lines = spin().tilt(9.0, float("nan")).tilt(12.0, float("nan"))
    assert said_of(lines).verdicts() == ["void not_level"]


# --- joined, interrupted, disturbed --------------------------------------------------------------------------------


def from_then_on(lines: RouletteLines, t_s: float) -> list[Edge]:
    """The lines as one hears them who comes at a time."""
    edges = lines.edges()
    at_ns = ns(t_s)
    found: dict[str, int] = {}
    for edge in edges:
        if edge.t_ns <= at_ns:
            found[edge.line] = edge.level
    return [Edge(line, level, at_ns) for line, level in found.items()] + [e for e in edges if e.t_ns > at_ns]


def test_a_ball_that_ran_already_at_the_start_gives_no_outcome() -> None:
    lines = spin(passes=25, until_s=60.0)
    said = events_of_run(roulette_toml(), from_then_on(lines, 8.3), [], lines.now_ns)
    assert said.verdicts() == ["unresolved joined_mid_spin"]


def test_the_spin_after_one_that_was_joined_counts() -> None:
    lines = RouletteLines().turn(80.0).run(6.0, 19).run(35.0, 16)
    lines.lie("17", lines.left_s + 5.0, 80.0)
    said = events_of_run(roulette_toml(), from_then_on(lines, 8.3), [], lines.now_ns)
    assert said.verdicts() == ["unresolved joined_mid_spin", "17"]


def test_a_rotor_that_turns_already_at_the_start_is_no_reason_to_wait() -> None:
    lines = spin()
    assert events_of_run(roulette_toml(), from_then_on(lines, 1.5), [], lines.now_ns).verdicts() == ["17"]


def test_the_first_levels_are_not_a_ball() -> None:
    lines = ("rotor_a", "rotor_b", "rotor_index", "ball_1", "ball_2", "ball_3", "pocket")
    found = [Edge(line, 1, 0) for line in lines]
    assert events_of_run(roulette_toml(), found, [], 19 * S).story() == OPENED


def test_a_ball_launched_before_the_settling_runs_for_the_next_round() -> None:
    lines = RouletteLines().turn(110.0).run(6.0, 16)
    lines.lie("17", lines.left_s + 5.0, lines.left_s + 16.0)
    verdict_s = lines.readings_s("17", lines.left_s + 5.0, 60.0)[2]
    lines.run(verdict_s + 1.5, 19)
    # The old ball was taken out first.
    lines.lie("5", lines.left_s + 5.0, 110.0)
    said = events_of_run(
        roulette_toml(),
        [e for e in lines.edges() if e.line != "pocket" or not ns(verdict_s + 0.5) < e.t_ns < ns(lines.left_s + 5)],
        [],
        lines.now_ns,
    )
    assert said.verdicts() == ["17", "5"]
    assert [outcome.round for outcome in said.of(events.Outcome)] == [1, 2]


def test_a_call_during_settling_settles_and_belongs_to_the_next_round() -> None:
    buttons = '"dealer_no_more_bets", "dealer_settled"'
    lines = spin(button=True, until_s=60.0).press("dealer_no_more_bets", 10.0).see("dealer_settled", 90.0, 0.1)
    lines.press("dealer_no_more_bets", 50.0)
    said = said_of(lines, call="button", buttons=buttons)
    again = ["round.settled dealer", "round.opened", "round.no_more_bets dealer"]
    assert said.story() == [*OPENED, "round.started", "round.no_more_bets dealer", "17", *again]
    assert said.of(events.NoMoreBets)[1].round == 2


def test_the_dealers_void_ends_a_running_round_and_the_next_waits_for_the_track() -> None:
    lines = spin().press("dealer_void", 9.0)
    said = said_of(lines, buttons='"dealer_void"')
    assert said.verdicts() == ["void dealer_call"]
    assert said.of(events.RoundOpened)[1].mono_ns >= ns(lines.left_s + 4.0)


def test_losses_of_the_pocket_head_while_the_ball_ran_leave_a_second_ball_possible() -> None:
    lines = spin(until_s=60.0)
    lost = EdgesLost("pocket", Loss.OVERFLOW, ns(lines.left_s - 1.0), 2)
    said = events_of_run(roulette_toml(), lines.edges(), [lost], lines.now_ns)
    assert said.verdicts() == ["unresolved edges_lost"]
    assert said.one(events.Unresolved).candidates == [{"pocket": "17", "index": 9, "color": "black"}]


def test_losses_of_the_pocket_head_between_two_readings_only_begin_them_anew() -> None:
    lines, at_s = between_readings(1)
    lost = EdgesLost("pocket", Loss.OVERFLOW, ns(at_s), 2)
    said = events_of_run(roulette_toml(), lines.edges(), [lost], lines.now_ns)
    assert said.verdicts() in (["17"], ["unresolved no_number_read"])


def with_beam_of(lines: RouletteLines, breaks: Sequence[tuple[float, float]], lost: Container[int]) -> list[str]:
    """The verdicts where a beam is broken at these times, for so long, and changes of these numbers do not arrive."""
    beam, rare = LineTracker("object"), list[Rare]()
    edges = [beam.found(0, 0, 0)]
    changes = [(level, t_s) for at_s, for_s in breaks for level, t_s in ((1, at_s), (0, at_s + for_s))]
    for number, (level, t_s) in enumerate(changes, 1):
        edge = None if number in lost else beam.changed(level, ns(t_s), rare, 0, number)
        edges += [] if edge is None else [edge]
    others = [edge for edge in lines.edges() if edge.line != "object"]
    every = sorted([*others, *edges], key=lambda edge: edge.t_ns)
    return events_of_run(roulette_toml(), every, rare, lines.now_ns).verdicts()


def test_lost_changes_of_a_beam_that_are_known_before_the_outcome_leave_an_object_possible() -> None:
    lines, read_s = between_readings(0)
    crossing, at_rest, noise = (lines.left_s - 1.0, 0.3), (read_s, 0.3), (read_s, 0.001)
    assert with_beam_of(lines, [crossing], ()) == ["void foreign_object"]
    assert with_beam_of(lines, [crossing], {1}) == ["unresolved edges_lost"]
    assert with_beam_of(lines, [crossing, noise], {1, 2}) == ["unresolved edges_lost"]
    assert with_beam_of(lines, [(lines.left_s - 1.0, read_s - lines.left_s + 1.0)], {1}) == ["unresolved edges_lost"]
    assert with_beam_of(lines, [noise], {1}) == ["unresolved edges_lost"]
    assert with_beam_of(lines, [at_rest], ()) == ["17"]
    # What was lost before the launch is over: the level is known again.
    assert with_beam_of(lines, [(1.0, 0.3)], {1}) == ["17"]
    # No later change tells of it in time.
    assert with_beam_of(lines, [crossing], {1, 2}) == ["17"]


@pytest.mark.parametrize("line", ["object", "object_2"])
def test_lost_changes_of_one_of_two_beams_count_whatever_the_other_shows(line: str) -> None:
    lines = spin(until_s=60.0).see("object", 0.5, 0.001).see("object_2", 0.5, 0.001)
    lost = EdgesLost(line, Loss.OVERFLOW, ns(lines.left_s - 1.0), 2)
    said = events_of_run(roulette_toml(device="object_beams = 2"), lines.edges(), [lost], lines.now_ns)
    assert said.verdicts() == ["unresolved edges_lost"]


@pytest.mark.parametrize(
    ("rpm", "old", "verdict"),
    [(4.0, "17", "void foreign_object"), (4.0, "5", "17"), (17.0, "17", "17")],
    ids=["in the same pocket, never seen empty", "in another pocket", "seen empty since"],
)
def test_a_pocket_that_was_not_seen_empty_since_before_the_launch_may_have_another_ball_in_it(
    rpm: float, old: str, verdict: str
) -> None:
    """A ball is read until the launch, is taken out or is not, and the next is read where this one was or elsewhere."""
    lines = spin(rotor_rpm=-rpm, way=1, until_s=120.0).lie(old, 0.0, 7.0)
    assert said_of(lines).verdicts() == [verdict]


@pytest.mark.parametrize("start_deg", range(0, 360, 40))
def test_a_ball_that_stays_in_a_pocket_while_another_runs_is_seen_wherever_the_pocket_is_at_the_launch(
    start_deg: int,
) -> None:
    """The other never comes down; the rotor turns once in 12 s, so that its pocket passes when it may, or may not."""
    lines = RouletteLines(rotor_rpm=-5.0, start_deg=float(start_deg)).turn(140).run(30.0, 19, way=1)
    assert said_of(lines.lie("17", 0.0, 140.0)).verdicts()[0] == "void foreign_object"


def test_a_pocket_that_is_read_again_after_a_doubt_is_no_second_ball() -> None:
    lines, at_s = between_readings(0)
    lost = EdgesLost("rotor_b", Loss.OVERFLOW, ns(at_s), 4)
    said = events_of_run(roulette_toml(), lines.edges(), [lost], lines.now_ns)
    assert said.verdicts() in (["17"], ["unresolved no_number_read"])


def with_losses_of_the_track(lines: RouletteLines, at_s: float) -> EventList:
    """The events where changes of a track sensor were lost, of which the backend learns at that time."""
    lost = EdgesLost("ball_2", Loss.OVERFLOW, ns(at_s), 2)
    return events_of_run(roulette_toml(), lines.edges(), [lost], lines.now_ns)


PLACED = RouletteLines().turn(40.0).run(6.0, 1).lie("17", 11.0, 40.0)


@pytest.mark.parametrize(
    ("lines", "clean", "at_s"),
    [
        (spin(passes=12), "void ball_revolutions", 9.0),
        (spin(passes=12), "void ball_revolutions", 5.5),
        (spin(passes=2), "void ball_revolutions", 5.5),
        (spin(passes=19, laps_s=(0.5, 0.8)), "void ball_revolutions", 9.0),
        (PLACED, "void ball_revolutions", 5.5),
        (spin(passes=13), "17", 9.0),
    ],
    ids=["too few", "before the first pass", "no direction", "picked up", "placed", "enough"],
)
def test_lost_changes_of_a_track_sensor_make_too_few_passes_a_doubt_and_enough_stay_enough(
    lines: RouletteLines, clean: str, at_s: float
) -> None:
    assert said_of(lines).verdicts() == [clean]
    said = with_losses_of_the_track(lines, at_s)
    if clean == "17":
        assert said.verdicts() == [clean]
        return
    assert said.verdicts() == ["unresolved edges_lost"]
    assert said.one(events.Unresolved).evidence.detail.endswith("passes may have been lost (ball_2: overflow)")


def test_lost_changes_of_a_track_sensor_before_a_ball_that_was_launched_early_are_of_its_round() -> None:
    """It is launched while the last round is settled, and the loss is older."""
    lines = RouletteLines().turn(90.0).run(6.0, 16)
    drop_s = lines.left_s + 5
    third_s = lines.readings_s("17", drop_s, 60.0)[2]
    lines.lie("17", drop_s, third_s + 0.3).run(third_s + 2.0, 12)
    lines.lie("17", lines.left_s + 5, 90.0)
    assert said_of(lines).verdicts() == ["17", "void ball_revolutions"]
    assert with_losses_of_the_track(lines, third_s + 1.7).verdicts() == ["17", "unresolved edges_lost"]


@pytest.mark.parametrize("for_s", [0.05, 0.3], ids=["as a ball", "as a hand"])
def test_lost_changes_of_a_track_sensor_are_over_once_the_track_is_quiet(for_s: float) -> None:
    lines = spin(passes=12, launch_s=20.0, until_s=60.0).see("ball_1", 8.0, for_s)
    assert with_losses_of_the_track(lines, 8.1).verdicts() == ["void ball_revolutions"]


def test_a_hand_in_the_track_and_a_lost_change_are_over_once_the_track_is_quiet() -> None:
    lines = spin(launch_s=20.0, until_s=80.0).see("ball_1", 8.0, 0.05)
    assert with_beam_of(lines, [(8.2, 0.001)], {1}) == ["17"]


def test_of_two_losses_the_first_is_the_evidence() -> None:
    lines = spin(until_s=60.0)
    lost = [
        EdgesLost(line, Loss.OVERFLOW, ns(lines.left_s - 1.0) + n, 2) for n, line in enumerate(("pocket", "object"))
    ]
    said = events_of_run(roulette_toml(), lines.edges(), lost, lines.now_ns)
    assert "pocket: overflow" in said.one(events.Unresolved).evidence.detail


@pytest.mark.parametrize("sensors", [(0, 80, 200, 290), (0, 60, 140, 200, 290, 330)])
def test_a_spin_past_dead_sensors_is_unresolved_and_no_no_spin(sensors: tuple[int, ...]) -> None:
    """Every second sensor is dead: no two neighbours see the ball, and no travel is proven."""
    lines = spin(sensors_deg=sensors, passes=7 * len(sensors), laps_s=(0.8, 2.2), until_s=60.0)
    alive = {f"ball_{n}" for n in range(1, len(sensors) + 1, 2)}
    edges = [edge for edge in lines.edges() if not edge.line.startswith("ball_") or edge.line in alive]
    toml = roulette_toml(device=f"ball_sensors_deg = {list(sensors)}")
    assert events_of_run(toml, edges, [], lines.now_ns).verdicts() == ["unresolved sensor_missing"]


def test_edges_of_the_rotor_that_were_lost_while_it_was_read_begin_the_readings_anew() -> None:
    lines, at_s = between_readings(1)
    said = events_of_run(
        roulette_toml(), lines.edges(), [EdgesLost("rotor_a", Loss.OVERFLOW, ns(at_s), 2)], lines.now_ns
    )
    fourth_s = lines.readings_s("17", lines.left_s + 5.0, 60.0)[4]
    assert said.verdicts() in (["17"], ["unresolved no_number_read"])
    for outcome in said.of(events.Outcome):
        assert outcome.mono_ns >= ns(fourth_s) - S // 10


def test_an_index_that_crosses_where_it_cannot_leaves_the_number_unproven() -> None:
    lines = spin(until_s=60.0)
    rises = [e.t_ns for e in lines.edges() if e.line == "rotor_index" and e.level and e.t_ns > ns(10.0)]
    edges = [
        e._replace(t_ns=e.t_ns + 300_000_000) if e.line == "rotor_index" and e.t_ns >= rises[0] else e
        for e in lines.edges()
    ]
    edges.sort(key=lambda edge: edge.t_ns)
    said = events_of_run(roulette_toml(), edges, [], lines.now_ns)
    assert said.verdicts() == ["unresolved encoder_slip"]
    assert said.one(events.DeviceFault).fault == "encoder_slip"


def test_an_index_that_moves_while_a_refused_ball_runs_out_shuts_the_table() -> None:
    lines = spin(way=1, until_s=60.0)
    assert events_of_run(roulette_toml(), lines.edges(), [], lines.now_ns).verdicts() == ["void ball_direction"]
    rises = [e.t_ns for e in lines.edges() if e.line == "rotor_index" and e.level and e.t_ns > ns(10.0)]
    edges = [
        e._replace(t_ns=e.t_ns + 300_000_000) if e.line == "rotor_index" and e.t_ns >= rises[0] else e
        for e in lines.edges()
    ]
    edges.sort(key=lambda edge: edge.t_ns)
    said = events_of_run(roulette_toml(), edges, [], lines.now_ns)
    assert said.verdicts() == ["void ball_direction"]
    assert said.one(events.DeviceFault).fault == "encoder_slip"


def test_a_rotor_without_an_index_gives_no_number() -> None:
    lines = spin(until_s=60.0)
    edges = [edge for edge in lines.edges() if edge.line != "rotor_index" or edge.t_ns == 0]
    said = events_of_run(roulette_toml(), edges, [], lines.now_ns)
    assert not said.of(events.Outcome)
    fault = said.one(events.DeviceFault)
    assert (fault.fault, fault.blocks_play, "rotor_index" in fault.detail or "index" in fault.detail) == (
        "sensor_missing",
        True,
        True,
    )


# --- however it is cut ---------------------------------------------------------------------------------------------


def evening() -> RouletteLines:
    lines = RouletteLines().turn(150.0)
    lines.run(6.0, 16).lie("17", lines.left_s + 5.0, 36.0)
    lines.run(45.0, 11).run(70.0, 16, way=1).run(95.0, 19, missed=[4])
    lines.lie("00", lines.left_s + 4.0, 150.0)
    for k in range(300):
        lines.tilt(k / 2, 0.02)
    return lines.see("object", lines.left_s - 20.0, 0.001)


EVENING = evening()
EDGES = EVENING.edges()
WHOLE = events_of_run(roulette_toml(), EDGES, EVENING.rare, EVENING.now_ns)


def test_the_evening_has_spins_of_every_kind() -> None:
    assert WHOLE.verdicts() == ["17", "void ball_revolutions", "void ball_direction", "00"]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, EVENING.now_ns), max_size=40))
def test_batches_cut_anywhere_change_no_byte(cuts: list[int]) -> None:
    assert events_of_run(roulette_toml(), EDGES, EVENING.rare, EVENING.now_ns, cuts).body() == WHOLE.body()


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, len(EDGES) - 1), max_size=40))
def test_batches_cut_just_before_and_at_edges_change_no_byte(places: list[int]) -> None:
    cuts = [EDGES[place].t_ns - k for place in places for k in (0, 1)]
    assert events_of_run(roulette_toml(), EDGES, EVENING.rare, EVENING.now_ns, cuts).body() == WHOLE.body()


def test_a_table_asks_to_be_told_of_the_time_at_which_it_will_say_something() -> None:
    bench = TableBench(roulette_toml())
    lines = spin(passes=10, pocket=None)
    edges = [edge for edge in lines.edges() if edge.t_ns <= ns(lines.left_s + 0.1)]
    bench.feed(edges)
    while not bench.said.verdicts():
        due_ns = bench.table.next_due_ns
        assert due_ns is not None
        bench.feed(until_ns=due_ns)
    # The rotor, too, stops where its edges end, but a ball that left with too few turns is refused first or with it.
    assert bench.said.verdicts()[0] in ("void ball_revolutions", "void rotor_not_turning")
