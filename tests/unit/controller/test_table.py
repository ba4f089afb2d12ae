"""A table: numbering, faults that latch, what people send, and the order in which it all comes out."""

from __future__ import annotations

import json

import pytest

from controller.games.assembly import own_time, table_for
from controller.table.event_sequencer import EventSequencer, Identity
from feed import events
from feed.events import encode
from hal.capture.command_text import command_text, read_command
from hal.values import Batch, Command, Edge, EdgesLost, Loss, Rare, Reading
from tests.oracle.motion import ns
from tests.tables.bench import EventList, TableBench, configured, events_of_run
from tests.tables.money_lines import TURN, MoneyLines, S, money_toml
from tests.tables.roulette_lines import RouletteLines, roulette_toml, spin

KEYED = '"dealer_no_more_bets", "supervisor_key"'


def money(lines: MoneyLines, *commands: Command | EdgesLost, buttons: str = "", game: str = "") -> EventList:
    call = "button" if lines.button else "auto"
    text = money_toml(call=call, buttons=buttons, game=game)
    return events_of_run(text, lines.edges(), commands, lines.now_ns)


# --- time ------------------------------------------------------------------------------------------------------------


def test_time_runs_back_only_where_the_steady_clock_does() -> None:
    """Each reading of the two clocks is rounded by itself; a calendar may be set back, which is a fault of its own."""
    times = {10: "2026-07-04T19:00:00.000005Z", 20: "2026-07-04T19:00:00.000004Z", 30: "2026-07-04T18:00:00.000000Z"}
    identity = Identity(table="t", game="money_wheel", rules="r", simulated=False, epoch="e", software="s")
    sequencer = EventSequencer(identity, times.__getitem__, 0, 0)
    for t_ns in (10, 20, 30, 20):
        sequencer.emit_own(events.TableClosed, t_ns, reason="stopped")
    assert [event.time for event in sequencer.take()] == [times[10], times[10], times[10], times[20]]


# --- numbering and attributes --------------------------------------------------------------------------------------


def test_durable_events_are_numbered_by_one_without_a_gap_and_progress_by_itself() -> None:
    lines = MoneyLines().rest(3).call().spin(4 * TURN).rest(8)
    said = money(lines)
    durable = [event for event in said if not isinstance(event.data, events.RoundProgress)]
    progress = [event for event in said if isinstance(event.data, events.RoundProgress)]
    assert [event.sequence for event in durable] == [f"{k:020d}" for k in range(1, len(durable) + 1)]
    assert [event.id for event in durable] == [f"wheel-1.sim.{k}" for k in range(1, len(durable) + 1)]
    assert [event.id for event in progress] == [f"wheel-1.sim.e{k}" for k in range(1, len(progress) + 1)]
    assert len(progress) >= 3


def test_the_attributes_of_every_event_are_those_of_the_design() -> None:
    lines = MoneyLines().rest(3).call().spin(4 * TURN).rest(8)
    for event in money(lines):
        body = json.loads(encode(event))
        data = body["data"]
        kind = type(event.data).kind
        assert body["specversion"] == "1.0"
        assert body["source"] == "/tables/wheel-1"
        assert body["type"] == f"feltwire.{kind}.v1"
        assert body["datacontenttype"] == "application/json"
        assert body.get("subject") == (f"round/{data['round']}" if "round" in data else None)
        assert (data["table"], data["game"], data["simulated"]) == ("wheel-1", "money_wheel", True)
        assert body["time"] == own_time(data["mono_ns"])
        assert event.topic == f"sim/v1/wheel-1/{kind}/"
        assert ("sequence" in body) == (kind != "round.progress")


def test_the_time_of_a_bench_counts_from_1970() -> None:
    assert own_time(0) == "1970-01-01T00:00:00.000000Z"
    assert own_time(90_061_234_567_890) == "1970-01-02T01:01:01.234567Z"


def test_events_come_in_the_order_of_time() -> None:
    lines = spin().see("object", 30.0, 1.0)
    said = events_of_run(roulette_toml(), lines.edges(), [], lines.now_ns)
    times = [event.data.mono_ns for event in said]
    assert times == sorted(times)


def test_a_live_table_marks_nothing_as_simulated() -> None:
    table = table_for(configured(money_toml()), epoch="c0ffee", simulated=False)
    opened = table.open(0)[0]
    assert opened.topic == "v1/wheel-1/table.opened/"
    assert opened.id == "wheel-1.c0ffee.1"


def test_a_table_goes_on_from_the_numbers_that_it_is_given() -> None:
    table = table_for(configured(money_toml()), epoch="sim", simulated=True, sequence=41, rounds=6)
    said = table.open(0)
    assert [event.id for event in said] == ["wheel-1.sim.42", "wheel-1.sim.43"]
    assert said[1].subject == "round/7"
    assert table.sequence == 43


def test_an_opening_names_rules_software_and_devices() -> None:
    opened = TableBench(roulette_toml()).said.one(events.TableOpened)
    assert opened.rules == "njac-13:47-20"
    assert opened.software.startswith("feltwire ")
    assert {"device": "wheel", "driver": "roulette_wheel"} in opened.devices


def test_a_table_that_closes_says_why_after_it_gave_open_bets_back() -> None:
    bench = TableBench(money_toml())
    closed = bench.table.close(5 * S, "the service stops")
    assert [type(event.data).kind for event in closed] == ["round.void", "table.closed"]
    assert closed[1].sequence == f"{4:020d}"


def test_of_an_edge_and_a_loss_at_one_time_the_edge_is_first() -> None:
    """The line told something, and then its cable was pulled: it is dead."""
    lines = MoneyLines().rest(20)
    clear = read_command("clear device=wheel by=ann", 9 * S)
    said = events_of_run(
        money_toml(), with_edges(lines, plugged_again(4.0)), [unplugged("wheel_a", 4.0), clear], lines.now_ns
    )
    assert refused(said) == [command_text(clear)]


# --- commands ------------------------------------------------------------------------------------------------------


def refused(said: EventList) -> list[str]:
    """The orders that were refused, each told with the reason before it."""
    told = [warning.detail for warning in said.of(events.DeviceWarning) if warning.warning == "command_refused"]
    parts = [detail.partition(" (sent: ") for detail in told]
    assert all(why for why, _, _ in parts)
    return [text.removesuffix(")") for _, _, text in parts]


def test_a_command_voids_an_open_round() -> None:
    said = money(MoneyLines().rest(9), read_command("void why=spill", 4 * S))
    assert said.verdicts() == ["void dealer_call"]
    void = said.one(events.Void)
    assert (void.call, void.rule, void.mono_ns, void.evidence.detail) == ("No spin", "ours", 4 * S, "spill")


def test_nobody_voids_for_a_double_zero_that_is_a_number_of_this_wheel() -> None:
    lines = RouletteLines().turn(20.0)
    command = read_command("void reason=double_zero_as_single_zero by=ann", 9 * S)
    said = events_of_run(roulette_toml(), lines.edges(), [command], lines.now_ns)
    assert said.verdicts() == []


def test_a_command_voids_for_a_reason_that_the_rules_know() -> None:
    lines = RouletteLines().turn(20.0)
    said = events_of_run(
        roulette_toml(), lines.edges(), [read_command("void reason=ball_left_wheel", 9 * S)], lines.now_ns
    )
    assert said.verdicts() == ["void ball_left_wheel"]


@pytest.mark.parametrize(
    "text",
    [
        "void reason=bad_luck",
        "settle",
        "clear device=wheel by=eve",
        "clear device=wheel",
        "dance",
        "",
        "   ",
        "=",
        "void=",
    ],
)
def test_a_command_that_cannot_be_is_refused_and_told(text: str) -> None:
    said = money(MoneyLines().rest(9), read_command(text, 4 * S))
    assert refused(said) == [text]
    assert said.verdicts() == []


def test_a_command_calls_no_more_bets() -> None:
    lines = MoneyLines().rest(5).spin(3 * TURN).rest(8)
    said = money(lines, read_command("no_more_bets", 4 * S))
    assert said.verdicts() == ["0"]
    assert said.one(events.NoMoreBets).by == "dealer"


def test_a_command_settles_a_verdict_and_nothing_else() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(30)
    buttons = '"dealer_no_more_bets", "dealer_settled"'
    settle_ns = lines.now_ns - 5 * S
    said = money(lines, read_command("settle", 4 * S), read_command("settle", settle_ns), buttons=buttons)
    assert refused(said) == ["settle"]
    assert (said.one(events.Settled).by, said.one(events.Settled).mono_ns) == ("dealer", settle_ns)


def test_a_verdict_cannot_be_voided_by_hand() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(4)
    said = money(lines, read_command("void", lines.now_ns - S))
    assert said.verdicts() == ["0"]
    assert refused(said) == ["void"]


# --- faults --------------------------------------------------------------------------------------------------------


def unplugged(line: str, t_s: float) -> EdgesLost:
    return EdgesLost(line, Loss.UNPLUGGED, ns(t_s))


def test_a_pulled_cable_shuts_the_table_and_gives_the_bets_back() -> None:
    said = money(MoneyLines().rest(9), unplugged("wheel_a", 4.0))
    assert said.story()[2:] == ["device.fault sensor_missing", "void sensor_missing"]
    fault = said.one(events.DeviceFault)
    assert (fault.device, fault.blocks_play, fault.round, fault.mono_ns) == ("wheel", True, 1, 4 * S)
    assert "wheel_a" in fault.detail


def test_a_cable_pulled_while_the_wheel_spins_leaves_the_round_to_the_dealer() -> None:
    lines = MoneyLines().rest(3).call().spin(4 * TURN).rest(9)
    edges = [edge for edge in lines.edges() if edge.line != "wheel_a" or edge.t_ns < 6 * S]
    said = events_of_run(money_toml(), edges, [unplugged("wheel_a", 6.0)], lines.now_ns)
    assert said.verdicts() == ["unresolved sensor_missing"]


def plugged_again(t_s: float, line: str = "wheel_a") -> Edge:
    return Edge(line, 1, ns(t_s))


def with_edges(lines: MoneyLines, *more: Edge) -> list[Edge]:
    return sorted([*lines.edges(), *more], key=lambda edge: edge.t_ns)


def test_a_fault_cannot_be_cleared_while_the_line_is_dead() -> None:
    lines = MoneyLines().rest(20)
    command = read_command("clear device=wheel by=ann", 9 * S)
    said = events_of_run(money_toml(), lines.edges(), [unplugged("wheel_a", 4.0), command], lines.now_ns)
    assert said.of(events.DeviceCleared) == []
    assert refused(said) == [command_text(command)]


def test_a_fault_stays_when_the_cable_is_back_until_a_named_person_clears_it() -> None:
    lines = MoneyLines().rest(20)
    edges = with_edges(lines, plugged_again(6.0))
    loss = unplugged("wheel_a", 4.0)
    untouched = events_of_run(money_toml(), edges, [loss], lines.now_ns)
    assert untouched.story()[-1] == "void sensor_missing"
    nobody = events_of_run(money_toml(), edges, [loss, read_command("clear device=wheel", 9 * S)], lines.now_ns)
    assert nobody.of(events.DeviceCleared) == []
    cleared = events_of_run(money_toml(), edges, [loss, read_command("clear device=wheel by=ann", 9 * S)], lines.now_ns)
    assert cleared.story()[-2:] == ["device.cleared ann", "round.opened"]
    assert cleared.one(events.DeviceCleared).fault == "sensor_missing"


def test_after_the_clearing_a_spin_counts_again() -> None:
    lines = MoneyLines().rest(12).call().spin(4 * TURN).rest(8)
    edges = with_edges(lines, plugged_again(6.0))
    clear = read_command("clear device=wheel by=ann", 9 * S)
    said = events_of_run(money_toml(), edges, [unplugged("wheel_a", 4.0), clear], lines.now_ns)
    assert said.verdicts() == ["void sensor_missing", "0"]
    assert [data.round for data in (*said.of(events.Void), *said.of(events.Outcome))] == [1, 2]


def test_the_supervisors_key_clears_what_can_be_cleared() -> None:
    lines = MoneyLines().rest(12).press("supervisor_key").rest(5)
    edges = with_edges(lines, plugged_again(6.0))
    said = events_of_run(money_toml(buttons=KEYED), edges, [unplugged("wheel_a", 4.0)], lines.now_ns)
    assert said.story()[-2:] == ["device.cleared supervisor_key", "round.opened"]


def test_the_supervisors_key_clears_nothing_while_the_line_is_dead() -> None:
    lines = MoneyLines().rest(12).press("supervisor_key").rest(5)
    said = events_of_run(money_toml(buttons=KEYED), lines.edges(), [unplugged("wheel_a", 4.0)], lines.now_ns)
    assert said.story()[-2:] == ["void sensor_missing", "device.warning not_cleared"]


def test_the_supervisors_key_settles_nothing_that_has_no_fault() -> None:
    lines = MoneyLines().rest(12).press("supervisor_key").rest(5)
    assert money(lines, buttons=KEYED).story() == ["table.opened", "round.opened"]


def test_two_dead_lines_are_one_fault_that_both_must_mend() -> None:
    lines = MoneyLines().rest(20)
    losses = [unplugged("wheel_a", 4.0), unplugged("wheel_b", 5.0)]
    clear = read_command("clear device=wheel by=ann", 12 * S)
    one = events_of_run(money_toml(), with_edges(lines, plugged_again(8.0)), [*losses, clear], lines.now_ns)
    assert len(one.of(events.DeviceFault)) == 1
    assert refused(one) == [command_text(clear)]
    both = with_edges(lines, plugged_again(8.0), plugged_again(9.0, "wheel_b"))
    assert len(events_of_run(money_toml(), both, [*losses, clear], lines.now_ns).of(events.DeviceCleared)) == 1


def test_a_button_that_the_game_can_do_without_is_a_fault_that_does_not_stop_play() -> None:
    buttons = '"dealer_no_more_bets", "dealer_void"'
    lines = MoneyLines().rest(3).call().press("dealer_void").rest(5).call().spin(3 * TURN).rest(8)
    lost = unplugged("dealer_void", 7.0)
    said = events_of_run(money_toml(buttons=buttons), lines.edges(), [lost], lines.now_ns)
    assert said.verdicts() == ["void dealer_call", "0"]
    fault = said.one(events.DeviceFault)
    assert (fault.device, fault.blocks_play) == ("dealer", False)


def test_the_button_of_the_call_is_one_that_the_game_cannot_do_without() -> None:
    said = money(MoneyLines().rest(9), unplugged("dealer_no_more_bets", 4.0))
    assert said.one(events.DeviceFault).blocks_play
    assert said.verdicts() == ["void sensor_missing"]


def level(t_s: float, deg: float) -> Reading:
    return Reading("level_x", deg, ns(t_s))


def test_a_table_stays_shut_until_level_is_confirmed_and_somebody_has_cleared_it() -> None:
    lines = RouletteLines().turn(60.0).run(30.0, 16)
    lines.lie("17", lines.left_s + 5.0, 60.0)
    early, late = read_command("clear device=wheel by=ann", 12 * S), read_command("clear device=wheel by=ann", 20 * S)
    rare: list[Rare] = [level(8.0, 0.5), early, level(15.0, 0.01), late]
    said = events_of_run(roulette_toml(), lines.edges(), rare, lines.now_ns)
    assert said.story()[2:7] == [
        "device.fault not_level",
        "void not_level",
        "device.warning not_cleared",
        "device.warning command_refused",
        "device.cleared ann",
    ]
    assert said.verdicts() == ["void not_level", "17"]


def test_a_spin_at_a_shut_table_gives_no_verdict() -> None:
    lines = RouletteLines().turn(60.0).run(20.0, 16)
    lines.lie("17", lines.left_s + 5.0, 60.0)
    said = events_of_run(roulette_toml(), lines.edges(), [level(8.0, 0.5)], lines.now_ns)
    assert said.verdicts() == ["void not_level"]


def test_a_table_cleared_while_a_ball_runs_waits_until_the_track_is_quiet() -> None:
    lines = RouletteLines().turn(60.0).run(20.0, 16)
    lines.lie("17", lines.left_s + 5.0, 60.0)
    rare: list[Rare] = [level(8.0, 0.5), level(10.0, 0.0), read_command("clear device=wheel by=ann", 25 * S)]
    said = events_of_run(roulette_toml(), lines.edges(), rare, lines.now_ns)
    assert said.verdicts() == ["void not_level"]
    assert said.of(events.RoundOpened)[1].mono_ns >= ns(lines.left_s + 3.9)


def test_an_inclinometer_that_was_plugged_in_again_can_be_cleared() -> None:
    lines = RouletteLines().turn(30.0)
    rare: list[Rare] = [
        level(1.0, 0.0),
        unplugged("level_x", 4.0),
        level(6.0, 0.0),
        read_command("clear device=wheel by=ann", 9 * S),
    ]
    said = events_of_run(roulette_toml(), lines.edges(), rare, lines.now_ns)
    assert said.story()[2:] == [
        "device.fault sensor_missing",
        "void sensor_missing",
        "device.cleared ann",
        "round.opened",
    ]


@pytest.mark.parametrize("spoilt", ["rotor_index", "rotor_b"])
def test_a_dead_line_of_the_rotor_is_told_at_the_same_time_however_the_batches_are_cut(spoilt: str) -> None:
    lines = RouletteLines().turn(25.0)
    edges = [edge for edge in lines.edges() if edge.line != spoilt or edge.t_ns < S]
    whole = events_of_run(roulette_toml(), edges, [], lines.now_ns)
    assert (
        events_of_run(roulette_toml(), edges, [], lines.now_ns, range(0, lines.now_ns, S // 10)).body() == whole.body()
    )


def test_lines_that_no_device_knows_change_no_verdict_and_are_told_once() -> None:
    lines = MoneyLines().rest(3).call().spin(3 * TURN).rest(8)
    more = [Edge("kettle", k % 2, k * S) for k in range(1, 9)]
    rare: list[Rare] = [Reading("kettle_deg", 90.0, 3 * S), Reading("kettle_deg", 91.0, 4 * S)]
    said = events_of_run(money_toml(), with_edges(lines, *more), rare, lines.now_ns)
    assert said.verdicts() == money(lines).verdicts()
    assert [warning.warning for warning in said.of(events.DeviceWarning)] == ["unknown_line"]


def test_losses_told_of_lines_that_no_device_knows_do_not_touch_the_count() -> None:
    lines = spin()
    rare: list[Rare] = [EdgesLost("kettle", Loss.UNPLUGGED, 12 * S)]
    said = events_of_run(roulette_toml(), lines.edges(), rare, lines.now_ns)
    assert said.verdicts() == ["17"]
    assert said.of(events.DeviceFault) == []


def test_an_empty_batch_only_lets_time_pass() -> None:
    bench = TableBench(money_toml())
    assert bench.table.feed(Batch([], [], 100 * S)) == []
    assert bench.table.next_due_ns is None
