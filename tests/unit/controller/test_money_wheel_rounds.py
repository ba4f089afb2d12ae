"""What a money wheel's table says of every way in which a spin can go, 13:47-20.29."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.wheel.faces import DEFAULT_FACES
from feed import events
from hal.values import Edge, EdgesLost, Loss
from tests.oracle.motion import Motion, encoder_edges, in_order, ns
from tests.tables.bench import EventList, TableBench, events_of_run
from tests.tables.money_lines import SPACE, TURN, MoneyLines, S, money_toml

SPIN = ["round.no_more_bets dealer", "round.started"]
OPENED = ["table.opened", "round.opened"]
NEXT = ["round.settled auto", "round.opened"]
MOVED = "device.warning moved_at_rest"


def said_of(lines: MoneyLines, *, buttons: str = "", device: str = "", game: str = "") -> EventList:
    text = money_toml(call="button" if lines.button else "auto", buttons=buttons, device=device, game=game)
    return events_of_run(text, lines.edges(), [], lines.now_ns)


def called() -> MoneyLines:
    """The wheel rests, and the dealer has called."""
    return MoneyLines().rest(3).call()


# --- revolutions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [1, -1])
def test_exactly_three_revolutions_either_way_are_a_valid_spin(way: int) -> None:
    lines = called().spin(way * 3 * TURN).rest(8)
    said = said_of(lines)
    assert said.story() == [*OPENED, *SPIN, "0", *NEXT]
    evidence = said.one(events.Outcome).evidence
    assert (evidence.revolutions, evidence.revolutions_low, evidence.minimum_revolutions) == (3.0, 3.0, 3)
    assert evidence.direction == ("clockwise" if way > 0 else "counter-clockwise")


@pytest.mark.parametrize("way", [1, -1])
def test_a_count_less_than_three_revolutions_is_no_spin(way: int) -> None:
    said = said_of(called().spin(way * (3 * TURN - 1)).rest(8))
    assert said.story() == [*OPENED, *SPIN, "void wheel_revolutions", "round.opened"]
    void = said.one(events.Void)
    assert (void.call, void.rule, void.evidence.revolutions) == ("No spin", "13:47-20.29(b)3", 2.9975)


def test_a_count_more_than_three_revolutions_is_a_valid_spin() -> None:
    assert said_of(called().spin(3 * TURN + 1).rest(8)).verdicts() == ["0"]


def test_the_revolutions_of_the_evidence_have_four_decimals_whatever_the_encoder_has() -> None:
    motion = Motion(0.45)
    motion.rest(4.0)
    motion.swing(3 * 360 + 6.3, 6.0)
    motion.rest(8.0)
    called = [Edge("dealer_no_more_bets", level, t_ns) for level, t_ns in ((0, 0), (1, 3 * S), (0, 3 * S + S // 10))]
    edges = in_order(called + encoder_edges(motion, "wheel", 130, index_offset_deg=0.1))
    evidence = (
        events_of_run(money_toml(device="encoder_slots = 130"), edges, [], ns(motion.t_s)).one(events.Outcome).evidence
    )
    # 1,569 counts of 520 in a turn: 3.01730769...
    assert (evidence.revolutions, evidence.revolutions_low, evidence.revolutions_high) == (3.0173, 3.0173, 3.0173)


def test_the_furthest_point_counts_and_not_where_the_wheel_rolled_back_to() -> None:
    said = said_of(called().spin(3 * TURN + 2, rollback=4).rest(8))
    assert said.verdicts() == ["0"]
    assert said.one(events.Outcome).evidence.revolutions == 3.005


@pytest.mark.parametrize(("counts", "space"), [(3 * TURN + 5 * SPACE, 45), (-3 * TURN - 5 * SPACE, 5)])
def test_the_space_under_the_indicator_is_the_result(counts: int, space: int) -> None:
    lines = called().spin(counts).rest(8)
    assert lines.space == space
    outcome = said_of(lines).one(events.Outcome)
    assert outcome.result == {"space": space, "face": DEFAULT_FACES[space]}


def test_a_winning_bet_is_told_with_odds_said_to() -> None:
    joker = said_of(called().spin(3 * TURN + 25 * SPACE).rest(8)).one(events.Outcome)
    assert joker.result == {"space": 25, "face": "joker"}
    assert [bet.odds for bet in joker.winning] == ["50 to 1"]
    assert joker.rule == "13:47-20.29(b)3"


def test_progress_is_told_at_every_full_revolution() -> None:
    told = said_of(called().spin(4 * TURN + 3).rest(8)).of(events.RoundProgress)
    assert [progress.revolutions for progress in told] == [1, 2, 3, 4]


# --- the call ------------------------------------------------------------------------------------------------------


def test_a_spin_without_the_call_is_void_as_soon_as_it_is_a_spin() -> None:
    lines = MoneyLines().rest(3).spin(4 * TURN)
    running_ns = lines.now_ns
    said = said_of(lines.rest(8))
    assert said.story() == [*OPENED, "round.started", "void spun_before_no_more_bets", "round.opened"]
    void = said.one(events.Void)
    assert void.rule == "13:47-20.29(b)2"
    assert void.mono_ns < running_ns - 3 * S
    assert void.evidence.no_more_bets == "never"


def test_a_call_that_comes_when_the_wheel_turns_is_too_late() -> None:
    lines = MoneyLines().rest(3).pressed_at("dealer_no_more_bets", 3.9).spin(4 * TURN).rest(8)
    said = said_of(lines)
    assert said.verdicts() == ["void spun_before_no_more_bets"]
    assert said.one(events.Void).evidence.no_more_bets == "late"


def test_a_missing_call_outranks_too_few_revolutions() -> None:
    assert said_of(MoneyLines().rest(3).spin(TURN).rest(8)).verdicts() == ["void spun_before_no_more_bets"]


def test_the_round_after_a_void_opens_once_the_wheel_rests_and_has_its_own_call() -> None:
    lines = MoneyLines().rest(3).spin(4 * TURN)
    stopped_ns = lines.now_ns
    said = said_of(lines.rest(6).spin(4 * TURN).rest(8))
    assert said.verdicts() == ["void spun_before_no_more_bets"] * 2
    assert said.of(events.RoundOpened)[1].mono_ns > stopped_ns + S
    assert [opened.round for opened in said.of(events.RoundOpened)] == [1, 2, 3]


def test_without_a_button_the_controller_calls_when_the_wheel_moves_by_more_than_a_space() -> None:
    lines = MoneyLines(button=False).rest(3)
    moved_ns = lines.now_ns
    said = said_of(lines.spin(3 * TURN).rest(8))
    assert said.story() == [*OPENED, "round.no_more_bets auto", "round.started", "0", *NEXT]
    assert moved_ns < said.one(events.NoMoreBets).mono_ns < moved_ns + S


@pytest.mark.parametrize(("counts", "calls"), [(SPACE, 0), (SPACE + 1, 1)])
def test_a_wheel_that_moves_by_no_more_than_a_space_has_not_left_its_rest(counts: int, calls: int) -> None:
    said = said_of(MoneyLines(button=False).rest(3).move(counts, 0.5).rest(3))
    assert len(said.of(events.NoMoreBets)) == calls


# --- wind-ups and nudges -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pause_s", [0.0, 1.0, 3.0, 4.5, 4.9])
def test_a_wind_up_is_part_of_the_start_and_counting_begins_at_its_extreme(pause_s: float) -> None:
    said = said_of(called().move(-96, 1.0).rest(pause_s).spin(3 * TURN).rest(8))
    assert said.verdicts() == ["12"]
    assert said.one(events.Outcome).evidence.revolutions == 3.0


def test_a_wind_up_does_not_help_a_spin_that_is_a_count_short() -> None:
    assert said_of(called().move(-96, 1.0).rest(1).spin(3 * TURN - 1).rest(8)).verdicts() == ["void wheel_revolutions"]


def test_after_a_pause_of_more_than_five_seconds_a_wind_up_was_too_short_a_spin() -> None:
    said = said_of(called().move(-96, 1.0).rest(5.6).spin(3 * TURN).rest(8))
    assert said.verdicts() == ["void wheel_revolutions", "void spun_before_no_more_bets"]


def test_a_wind_up_before_the_call_and_a_spin_after_it_is_spun_early() -> None:
    """The turn had begun when the call came."""
    lines = MoneyLines().rest(3).move(-96, 1.0).rest(0.3).call().spin(3 * TURN).rest(8)
    assert said_of(lines).verdicts() == ["void spun_before_no_more_bets"]


@pytest.mark.parametrize(("counts", "verdicts"), [(199, []), (200, ["void spun_before_no_more_bets"])])
def test_half_a_turn_is_a_spin_and_a_count_less_is_a_nudge(counts: int, verdicts: list[str]) -> None:
    assert said_of(MoneyLines().rest(3).spin(counts).rest(8)).verdicts() == verdicts


def test_a_nudge_before_the_call_gives_a_warning_and_no_verdict() -> None:
    said = said_of(MoneyLines().rest(3).move(160, 1.5).rest(8).call().spin(3 * TURN).rest(8))
    assert said.story() == [*OPENED, MOVED, *SPIN, "30", *NEXT]


def test_a_nudge_after_the_call_is_too_short_a_spin() -> None:
    said = said_of(called().move(150, 1.5).rest(8))
    assert said.story() == [*OPENED, "round.no_more_bets dealer", "void wheel_revolutions", "round.opened"]


def test_two_pushes_the_same_way_are_not_a_wind_up_and_a_spin() -> None:
    """The first was a nudge after the call; what follows is another spin, without a call of its own."""
    said = said_of(called().move(150, 1.5).rest(2).spin(3 * TURN).rest(8))
    assert said.verdicts() == ["void wheel_revolutions"]


def test_a_nudge_after_the_verdict_changes_nothing() -> None:
    said = said_of(called().spin(3 * TURN).rest(2).move(60, 0.5).rest(8))
    assert said.story() == [*OPENED, *SPIN, "0", MOVED, *NEXT]


def test_a_nudge_that_outlasts_the_settling_gives_no_verdict_either() -> None:
    lines = MoneyLines(button=False).rest(3).spin(3 * TURN).rest(3.2).move(100, 2.0).rest(9)
    assert said_of(lines).story() == [*OPENED, "round.no_more_bets auto", "round.started", "0", *NEXT, MOVED]


# --- rest, rolling back, turning back ------------------------------------------------------------------------------


def test_the_verdict_comes_when_the_wheel_has_rested_for_a_second_and_a_half() -> None:
    lines = called().spin(3 * TURN)
    stopped_ns = lines.now_ns
    said_ns = said_of(lines.rest(8)).one(events.Outcome).mono_ns
    # The wheel was within a count of its rest for some time before it stood still.
    assert stopped_ns + 0.5 * S < said_ns < stopped_ns + 1.5 * S


@pytest.mark.parametrize(("stop_s", "verdicts"), [(0.9, 1), (1.7, 2)])
def test_a_wheel_that_stops_for_less_than_the_rest_time_goes_on_with_its_spin(stop_s: float, verdicts: int) -> None:
    """Pushed on after a stop: the same spin, or a first that was too short and a second without a call."""
    lines = called().spin(2 * TURN + 200).rest(stop_s).spin(2 * TURN + 200).rest(8)
    said = said_of(lines)
    assert len(said.verdicts()) == verdicts
    assert bool(said.of(events.Outcome)) == (verdicts == 1)


@pytest.mark.parametrize("way", [1, -1])
def test_rolling_back_by_one_and_a_half_spaces_is_normal(way: int) -> None:
    lines = called().spin(way * (3 * TURN + 12), rollback=12).rest(8)
    assert said_of(lines).verdicts() == ["0"]


@pytest.mark.parametrize("way", [1, -1])
def test_a_wheel_that_comes_back_by_a_count_more_has_turned_back(way: int) -> None:
    lines = called().spin(way * (3 * TURN + 13), rollback=13).rest(8)
    said = said_of(lines)
    assert said.story() == [*OPENED, *SPIN, "void wheel_reversed", "round.opened"]
    assert said.one(events.Void).rule == "ours"


def test_a_reversal_is_told_when_it_happens_and_not_at_rest() -> None:
    lines = called().spin(4 * TURN)
    turned_ns = lines.now_ns
    lines.move(-300, 4.0)
    void = said_of(lines.rest(8)).one(events.Void)
    assert (void.reason, turned_ns < void.mono_ns < lines.now_ns - 8 * S) == ("wheel_reversed", True)


def test_a_rollback_tolerance_that_is_configured_counts() -> None:
    lines = called().spin(3 * TURN + 13, rollback=13).rest(8)
    assert len(said_of(lines, device="rollback_spaces = 2.0").of(events.Outcome)) == 1


# --- between spaces ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("counts", "between"), [(2, False), (3, True), (4, True), (5, False)])
def test_an_indicator_at_a_peg_is_between_spaces(counts: int, between: bool) -> None:
    """A peg is 4 counts from the middle of a space; 0.05 space and half a count are 0.9 counts."""
    said = said_of(called().spin(3 * TURN + counts).rest(8))
    assert (said.verdicts() == ["void indicator_between_spaces"]) == between
    assert bool(said.of(events.Outcome)) == (not between)


def test_a_result_between_spaces_can_be_left_to_the_dealer() -> None:
    said = said_of(called().spin(3 * TURN + 3).rest(8), game='between_spaces = "dealer"')
    assert said.verdicts() == ["unresolved indicator_between_spaces"]
    assert {candidate["space"] for candidate in said.one(events.Unresolved).candidates} == {0, 49}


def test_a_bent_flapper_widens_what_is_between_spaces() -> None:
    lines = called().spin(3 * TURN + 2).rest(8)
    assert len(said_of(lines).of(events.Outcome)) == 1
    assert said_of(lines, device="flapper_zone_deg = 1.5").verdicts() == ["void indicator_between_spaces"]


# --- settling ------------------------------------------------------------------------------------------------------


def test_without_a_button_a_round_settles_three_seconds_after_its_verdict() -> None:
    said = said_of(called().spin(3 * TURN).rest(8))
    assert said.one(events.Settled).mono_ns - said.one(events.Outcome).mono_ns == 3 * S


def test_with_a_settle_button_a_round_waits_for_it() -> None:
    buttons = '"dealer_no_more_bets", "dealer_settled"'
    lines = called().spin(3 * TURN).rest(20).press("dealer_settled").rest(2)
    said = said_of(lines, buttons=buttons)
    assert said.story() == [*OPENED, *SPIN, "0", "round.settled dealer", "round.opened"]


def test_a_call_during_settling_settles_the_round_and_belongs_to_the_next() -> None:
    lines = called().spin(3 * TURN).rest(2.5).call().spin(3 * TURN).rest(8)
    said = said_of(lines)
    again = ["round.settled dealer", "round.opened", "round.no_more_bets dealer", "round.started", "0"]
    assert said.story() == [*OPENED, *SPIN, "0", *again, *NEXT]
    assert [call.round for call in said.of(events.NoMoreBets)] == [1, 2]


def test_a_spin_before_the_settling_was_over_belongs_to_the_next_round() -> None:
    lines = called().spin(3 * TURN).rest(2.5).spin(3 * TURN).rest(8)
    said = said_of(lines)
    assert said.verdicts() == ["0", "void spun_before_no_more_bets"]
    assert said.one(events.Void).round == 2


def test_the_dealers_void_ends_an_open_round_and_the_next_one_opens() -> None:
    buttons = '"dealer_no_more_bets", "dealer_void"'
    said = said_of(called().press("dealer_void").rest(3), buttons=buttons)
    assert said.story() == [*OPENED, "round.no_more_bets dealer", "void dealer_call", "round.opened"]
    assert (said.one(events.Void).call, said.one(events.Void).rule) == ("No spin", "ours")


# --- what cannot be proven -----------------------------------------------------------------------------------------


def test_a_wheel_that_moved_already_at_the_start_gives_no_outcome_until_it_was_quiet_once() -> None:
    lines = called().spin(5 * TURN)
    moving_ns = lines.now_ns - 8 * S
    lines.rest(8).call().spin(3 * TURN).rest(8)
    late = [edge for edge in lines.edges() if edge.t_ns >= moving_ns]
    known: set[str] = set()
    edges: list[Edge] = []
    for line in ("wheel_a", "wheel_b", "wheel_index", "dealer_no_more_bets"):
        before = [edge for edge in lines.edges() if edge.line == line and edge.t_ns < moving_ns]
        edges.append(Edge(line, before[-1].level, moving_ns))
        known.add(line)
    said = events_of_run(money_toml(), edges + late, [], lines.now_ns)
    first, second = said.verdicts()
    assert first in ("unresolved joined_mid_spin", "void spun_before_no_more_bets")
    assert second == "0"
    assert len(said.of(events.Outcome)) == 1


def test_without_a_button_a_wheel_joined_in_its_spin_is_unresolved() -> None:
    lines = MoneyLines(button=False).rest(3).spin(6 * TURN)
    moving_ns = lines.now_ns - 9 * S
    lines.rest(8)
    edges = [
        Edge(line, [e for e in lines.edges() if e.line == line and e.t_ns < moving_ns][-1].level, moving_ns)
        for line in ("wheel_a", "wheel_b", "wheel_index")
    ]
    edges += [edge for edge in lines.edges() if edge.t_ns >= moving_ns]
    assert events_of_run(money_toml(call="auto"), edges, [], lines.now_ns).verdicts() == ["unresolved joined_mid_spin"]


def test_the_first_levels_are_not_a_movement() -> None:
    found = [Edge("wheel_a", 1, 0), Edge("wheel_b", 1, 0), Edge("wheel_index", 1, 0), Edge("dealer_no_more_bets", 1, 0)]
    assert events_of_run(money_toml(), found, [], 20 * S).story() == OPENED


def test_lost_edges_leave_the_dealer_to_call() -> None:
    lines = called().spin(4 * TURN)
    lost_ns = lines.now_ns - 2 * S
    lines.rest(8)
    said = events_of_run(money_toml(), lines.edges(), [EdgesLost("wheel_a", Loss.OVERFLOW, lost_ns, 40)], lines.now_ns)
    assert said.verdicts() == ["unresolved edges_lost"]


def test_a_wheel_without_an_index_gives_no_space() -> None:
    lines = called().spin(4 * TURN).rest(8)
    edges = [edge for edge in lines.edges() if edge.line != "wheel_index" or edge.t_ns == 0]
    assert events_of_run(money_toml(), edges, [], lines.now_ns).verdicts() == ["unresolved sensor_missing"]


def test_too_few_revolutions_are_void_although_the_index_is_missing() -> None:
    lines = called().spin(2 * TURN).rest(8)
    edges = [edge for edge in lines.edges() if edge.line != "wheel_index" or edge.t_ns == 0]
    assert events_of_run(money_toml(), edges, [], lines.now_ns).verdicts() == ["void wheel_revolutions"]


def test_an_index_that_crosses_where_it_cannot_is_a_slip_and_a_fault() -> None:
    lines = called().spin(4 * TURN).rest(8)
    edges = lines.edges()
    rises = [i for i, edge in enumerate(edges) if edge.line == "wheel_index" and edge.level]
    slip_ns = edges[rises[2]].t_ns
    # From the third crossing on the magnet has moved by some counts.
    edges = sorted(
        (e._replace(t_ns=e.t_ns + 60_000_000) if e.line == "wheel_index" and e.t_ns >= slip_ns else e for e in edges),
        key=lambda edge: edge.t_ns,
    )
    said = events_of_run(money_toml(), edges, [], lines.now_ns)
    assert said.verdicts() == ["unresolved encoder_slip"]
    fault = said.one(events.DeviceFault)
    assert (fault.device, fault.fault, fault.blocks_play) == ("wheel", "encoder_slip", True)


@pytest.mark.parametrize(("before_crossing", "reason"), [(1, "encoder_slip"), (2, "edges_lost")])
def test_losses_before_the_index_proved_the_count_do_not_excuse_a_later_slip(before_crossing: int, reason: str) -> None:
    lines = called().spin(4 * TURN).rest(8)
    edges = lines.edges()
    rises = [edge.t_ns for edge in edges if edge.line == "wheel_index" and edge.level and edge.t_ns]
    # From the third crossing on the magnet has moved by some counts.
    edges = sorted(
        (e._replace(t_ns=e.t_ns + 60_000_000) if e.line == "wheel_index" and e.t_ns >= rises[2] else e for e in edges),
        key=lambda edge: edge.t_ns,
    )
    lost_ns = rises[before_crossing] - 200_000_000
    gone = [e for e in edges if e.t_ns >= lost_ns and e.line == "wheel_a"][:2]
    edges = [e for e in edges if e not in gone]
    said = events_of_run(money_toml(), edges, [EdgesLost("wheel_a", Loss.OVERFLOW, lost_ns, len(gone))], lines.now_ns)
    assert said.verdicts() == [f"unresolved {reason}"]
    moved = reason == "encoder_slip"
    assert [fault.data.fault for fault in said if isinstance(fault.data, events.DeviceFault)] == [reason] * moved


def test_a_channel_that_does_not_move_is_stuck_and_shuts_the_table() -> None:
    lines = called().spin(4 * TURN).rest(8)
    edges = [edge for edge in lines.edges() if edge.line != "wheel_b" or edge.t_ns < 4 * S]
    said = events_of_run(money_toml(), edges, [], lines.now_ns)
    assert not said.of(events.Outcome)
    fault = said.one(events.DeviceFault)
    assert (fault.fault, fault.blocks_play) == ("sensor_stuck", True)
    assert "wheel_b" in fault.detail


# --- pegs ----------------------------------------------------------------------------------------------------------


def pegs(number: int, *, index_every: int = 50, first_s: float = 4.0) -> tuple[list[Edge], int]:
    """This many pegs at even speed, each 20 ms wide, with an index between two pegs."""
    edges = [Edge("wheel_peg", 0, 0), Edge("wheel_index", 0, 0), Edge("dealer_no_more_bets", 0, 0)]
    edges += [Edge("dealer_no_more_bets", 1, 3 * S), Edge("dealer_no_more_bets", 0, 3 * S + S // 10)]
    start_ns = round(first_s * S)
    for k in range(number):
        t_ns = start_ns + k * S // 10
        edges += [Edge("wheel_peg", 1, t_ns), Edge("wheel_peg", 0, t_ns + S // 50)]
        if k % index_every == 10:
            edges += [Edge("wheel_index", 1, t_ns + S // 20), Edge("wheel_index", 0, t_ns + S * 7 // 100)]
    return edges, start_ns + number * S // 10 + 8 * S


PEGS = 'sensing = "pegs"'


def test_pegs_leave_one_candidate_for_the_dealer_because_a_reversal_cannot_be_ruled_out() -> None:
    edges, until_ns = pegs(200)
    said = events_of_run(money_toml(device=PEGS), edges, [], until_ns)
    assert said.verdicts() == ["unresolved direction_unproven"]
    assert [candidate["space"] for candidate in said.one(events.Unresolved).candidates] == [11]


def test_pegs_give_the_outcome_where_the_configuration_accepts_them() -> None:
    edges, until_ns = pegs(200)
    assert events_of_run(money_toml(device=PEGS + "\naccept_pegs = true"), edges, [], until_ns).verdicts() == ["11"]


def test_too_few_pegs_are_too_few_revolutions() -> None:
    edges, until_ns = pegs(140)
    assert events_of_run(money_toml(device=PEGS), edges, [], until_ns).verdicts() == ["void wheel_revolutions"]


def test_pegs_without_an_index_give_no_space() -> None:
    edges, until_ns = pegs(200, index_every=1000)
    said = events_of_run(money_toml(device=PEGS), edges, [], until_ns)
    assert said.verdicts() == ["unresolved sensor_missing"]
    assert said.one(events.Unresolved).candidates == []


# --- however it is cut ---------------------------------------------------------------------------------------------


def evening() -> MoneyLines:
    """Spins of every kind, one after the other."""
    lines = called().spin(3 * TURN).rest(6)
    lines.move(96, 1.0).rest(6).call().spin(-TURN).rest(6)
    lines.call().move(-80, 0.8).rest(0.5).spin(3 * TURN).rest(2.5).call().spin(4 * TURN + 20, rollback=20)
    return lines.rest(8)


EVENING = evening()
EDGES = EVENING.edges()
WHOLE = events_of_run(money_toml(), EDGES, [], EVENING.now_ns)


def test_the_evening_has_spins_of_every_kind() -> None:
    assert WHOLE.verdicts() == ["0", "void wheel_revolutions", "48", "void wheel_reversed"]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, EVENING.now_ns), max_size=40))
def test_batches_cut_anywhere_change_no_byte(cuts: list[int]) -> None:
    assert events_of_run(money_toml(), EDGES, [], EVENING.now_ns, cuts).body() == WHOLE.body()


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, len(EDGES) - 1), max_size=40))
def test_batches_cut_just_before_and_at_edges_change_no_byte(places: list[int]) -> None:
    cuts = [EDGES[place].t_ns - k for place in places for k in (0, 1)]
    assert events_of_run(money_toml(), EDGES, [], EVENING.now_ns, cuts).body() == WHOLE.body()


def test_a_table_asks_to_be_told_of_the_time_at_which_it_will_say_something() -> None:
    bench = TableBench(money_toml())
    lines = called().spin(3 * TURN)
    edges = lines.edges()
    bench.feed(edges)
    while not bench.said.of(events.Settled):
        due_ns = bench.table.next_due_ns
        assert due_ns is not None
        bench.feed(until_ns=due_ns)
    assert bench.said.one(events.Outcome).mono_ns - edges[-1].t_ns <= 1.5 * S
