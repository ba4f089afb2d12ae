"""The watch over a roulette wheel: what it warns of, by its keys, and that no verdict is another one for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.conformance.captures import suite
from controller.conformance.ours import answers
from controller.games.assembly import geometry_of, table_for
from controller.games.load import check_text
from controller.games.roulette.spec import bowl_of
from controller.table.bias import FALSE_ALARM
from controller.table.card_watch import CardWatch, CardWatchLimits
from controller.table.pace_watch import HOUR_NS, GamePace
from controller.table.repeats import false_alarm
from controller.table.round_watch import RoundWatch, Watched
from controller.table.table import Table
from controller.table.wheel_watch import (
    TREND_SPINS,
    ZONE_BLOCKS,
    RotorSpeed,
    SameDirection,
    WatchLimits,
    WheelWatch,
    trend,
)
from drivers.roulette.ball_track import arc_after
from feed import events
from feed.data import WatchCounts
from feed.drop_zone import Arc, arc_of
from feed.events import Data, Evidence, Verdict, decode, encode
from feed.state import TableState, decode_snapshot, encode_snapshot
from hal.capture.command_text import read_command
from hal.values import Batch
from simulators.base.faults import faults_for
from tests.costs.counting import instructions_of
from tests.tables.bench import EventList, configured

TABLE = '[table]\nid = "t"\ngame = "roulette"\n{table}\n[lines]\nbackend = "sim"\n{more}'
S = 10**9
LIMITS = WatchLimits(20, 6.0, 36.0, None, None, 180 * S, (Arc(50, 50), Arc(160, 60), Arc(290, 70)))
CARDS = CardWatchLimits(45, None, 180 * S, 180 * S, 5.0)
PLAIN = configured(TABLE.format(table="", more=""))
OURS = ("same_ball_direction", "rotor_speed", "games_an_hour", "drop_zone_bias")
WAYS = ("clockwise", "counter-clockwise")


def data_of(kind: type[Any], t_ns: int, **fields: Any) -> Any:
    return kind(table="t", game="roulette", simulated=True, mono_ns=t_ns, **fields)


def outcome(t_ns: int, **evidence: Any) -> Any:
    return data_of(events.Outcome, t_ns, round=1, result={}, winning=[], rule="ours", evidence=Evidence(**evidence))


def game(begin_s: float, betting_s: float = 30, spin_s: float = 30, paying_s: float = 30) -> Iterator[Data]:
    """The events of one round."""
    t_ns = round(begin_s * S)
    yield data_of(events.RoundOpened, t_ns, round=1)
    t_ns += round(betting_s * S)
    yield data_of(events.RoundStarted, t_ns, round=1, direction=None)
    yield data_of(events.NoMoreBets, t_ns + S, round=1, rule="ours", by="dealer")
    t_ns += round(spin_s * S)
    yield outcome(t_ns)
    yield data_of(events.Settled, t_ns + round(paying_s * S), round=1, by="dealer")


def hour_of(pace: GamePace, length_s: float, games: int = 200, **steps: float) -> list[Watched]:
    """What is found while games of one length are played one after another."""
    seen = [pace.see(one) for number in range(games) for one in game(number * length_s, **steps)]
    return [one for one in seen if one is not None]


# --- direction ---


def test_the_default_number_of_equal_directions_is_seldom_reached_by_chance() -> None:
    assert false_alarm(20, (0.5, 0.5)) < FALSE_ALARM < false_alarm(19, (0.5, 0.5))


def test_equal_directions_are_stated_once_until_one_is_another() -> None:
    watch = SameDirection(3)
    spun = [watch.spun(WAYS[int(way)]) for way in "000001011100"]
    assert [found is not None for found in spun] == [way == "x" for way in "--x------x--"]
    assert spun[2] == Watched("same_ball_direction", "the ball ran clockwise in 3 spins in a row")


# --- speed ---


def test_a_speed_outside_of_the_bounds_is_stated_once_until_one_is_inside_with_its_course() -> None:
    watch = RotorSpeed(10, 20)
    spun = [list(watch.spun(rpm)) for rpm in (12, 13, 14, 21, 22, 19, 9.9, 10.0, 20.0)]
    assert [len(found) for found in spun] == [0, 0, 0, 1, 0, 0, 1, 0, 0]
    assert spun[3][0].detail == (
        "the rotor turned at 21.0 rpm, its bounds are 10 to 20 rpm; over 4 spins it went from 12.0 to 21.0 rpm"
    )


def test_a_rotor_that_gets_slower_is_found_at_the_end_of_a_block_and_one_that_varies_is_not() -> None:
    rng = Random(1)
    slower, varied = RotorSpeed(6, 36), RotorSpeed(6, 36)
    found = [one for at in range(TREND_SPINS) for one in slower.spun(18 - 0.05 * at + rng.uniform(-1, 1))]
    assert [one.warning for one in found] == ["rotor_speed"]
    assert "has a trend; over 60 spins it went from 1" in found[0].detail
    assert [one for _ in range(10 * TREND_SPINS) for one in varied.spun(rng.uniform(12, 20))] == []


def test_the_trend_is_that_of_mann_and_kendall() -> None:
    assert trend([1.0] * 60) == 1.0
    # All 45 pairs of ten rise: (45 - 1) / √125 = 3.94 standard deviations.
    assert trend(range(10)) == trend(range(10, 0, -1)) == pytest.approx(8.3e-5, rel=0.01)


# --- pace ---


def test_an_hour_with_too_few_games_states_idle_time_and_the_steps() -> None:
    (found, *_) = hour_of(GamePace(45, None, 60 * S), 150, betting_s=90)
    assert found.warning == "games_an_hour"
    assert found.detail.startswith("24 games an hour, below the least, 45; idle 12 min of 62; betting 60 s, ")
    assert found.detail.endswith("play 30 s, paying 30 s")


def test_an_hour_with_too_many_games_and_hours_within_the_bounds() -> None:
    (fast,) = hour_of(GamePace(None, 60, 60 * S), 36, 101, betting_s=2, spin_s=30, paying_s=4)
    assert fast.detail.startswith("100 games an hour, above the most, 60")
    assert hour_of(GamePace(30, 60, 60 * S), 90) == []
    assert hour_of(GamePace(None, None, 60 * S), 36) == []


def test_each_hour_is_judged_alone() -> None:
    pace = GamePace(45, None, 60 * S)
    assert hour_of(pace, 20, 181, betting_s=5, spin_s=10, paying_s=5) == []
    (found, *_) = hour_of(pace, 150, 50)
    assert found.detail.startswith("40 games an hour")


def test_the_watch_times_a_call_before_the_ball_and_the_paying() -> None:
    watch = WheelWatch(LIMITS._replace(least_games_an_hour=45))
    said = [
        data_of(events.RoundOpened, 0, round=1),
        data_of(events.NoMoreBets, 40 * S, round=1, rule="ours", by="dealer"),
        data_of(events.RoundStarted, 50 * S, round=1, direction=None),
        outcome(90 * S),
        data_of(events.Settled, 4000 * S, round=1, by="dealer"),
        *game(4000, betting_s=40, spin_s=50),
    ]
    (found,) = [one for data in said for one in watch.see(data)]
    assert found.detail.endswith("betting 40 s, play 50 s, paying 3910 s")


def test_an_hour_that_a_refused_spin_ends_is_judged() -> None:
    watch = WheelWatch(LIMITS._replace(least_games_an_hour=45))
    watch.see(data_of(events.RoundOpened, 0, round=1))
    refused = data_of(events.Void, 3601 * S, round=1, reason="short_spin", rule="", call="", evidence=events.Evidence())
    assert [one.warning for one in watch.see(refused)] == ["games_an_hour"]


@pytest.mark.parametrize(
    "make", [lambda: WheelWatch(LIMITS._replace(least_games_an_hour=45)), lambda: CardWatch(CARDS)]
)
def test_rounds_that_a_person_called_are_games_and_those_made_void_are_none(make: Callable[[], RoundWatch]) -> None:
    """51 rounds in an hour: half of them are called after they were unresolved, and ten are then found wrong."""
    unresolved, result = Verdict(verdict="unresolved", reason="edges_lost"), Verdict(verdict="outcome", result={})
    void = Verdict(verdict="void", reason="dealer_call")

    def ruled(was: Verdict, now: Verdict) -> Any:
        return data_of(events.RoundCorrected, 0, round=1, by="ann", why="seen", **{"from_": was, "to": now})

    found: list[Watched] = []
    watch = make()
    for number in range(60):
        for data in game(number * 72, spin_s=12):
            decided = isinstance(data, events.Outcome)
            if decided and number % 2:
                about = {"reason": "edges_lost", "rule": "ours", "candidates": [], "evidence": Evidence()}
                found += watch.see(data_of(events.Unresolved, data.mono_ns, round=1, **about))
                found += watch.see(ruled(unresolved, result))
            else:
                found += watch.see(data)
            if decided and number < 10:
                found += watch.see(ruled(result, void))
    assert [one.detail.split(",")[0] for one in found] == ["41 games an hour"]


def test_time_at_a_closed_table_and_before_a_first_round_is_not_played() -> None:
    """Rounds of 90 s with ten minutes between them: the table was closed, and nobody is slow."""
    assert hour_of(GamePace(30, None, 60 * S), 690) == []
    pace = GamePace(30, None, 60 * S)
    assert pace.see(outcome(10 * HOUR_NS)) is None


# --- the drop zone ---


def test_where_the_ball_left_is_the_arc_of_a_spin_without_a_miss() -> None:
    left = Evidence(left_track_deg=50.0, left_track_doubt_deg=50.0, missed_passes=0)
    assert arc_of(left) == (50.0, 50.0)
    assert arc_of(msgspec.structs.replace(left, missed_passes=1)) is None
    assert arc_of(Evidence(missed_passes=0)) is None


def test_a_wheel_whose_balls_leave_in_one_arc_is_warned_of_at_the_end_of_a_block() -> None:
    watch = WheelWatch(LIMITS)
    rng = Random(2)
    found: list[Watched] = []
    for _ in range(ZONE_BLOCKS[0]):
        deg = rng.choices((50.0, 160.0, 290.0), (60, 20, 20))[0]
        doubt_deg = {50.0: 50.0, 160.0: 60.0, 290.0: 70.0}[deg]
        found += watch.see(outcome(1, left_track_deg=deg, left_track_doubt_deg=doubt_deg, missed_passes=0))
    assert [one.warning for one in found] == ["drop_zone_bias"]


SENSORS_DEG = [0.0, 45.0, 90.0, 135.0, 180.0, 225.0, 270.0, 315.0]


@pytest.mark.parametrize(
    ("arcs", "spins"),
    [(3, ZONE_BLOCKS[0]), (1, ZONE_BLOCKS[0]), (6, ZONE_BLOCKS[1])],
    ids=["a third and a little more", "one arc", "270°"],
)
def test_a_table_warns_of_a_tilt_so_strong_that_the_ball_never_leaves_in_some_arcs(arcs: int, spins: int) -> None:
    watch = _watch_of(table_of(f"[device.wheel]\nball_sensors_deg = {SENSORS_DEG}\n"))
    found: list[Watched] = []
    for number in range(spins):
        deg = 22.5 + 45 * (number % arcs)
        found += watch.see(outcome(1, left_track_deg=deg, left_track_doubt_deg=22.5, missed_passes=0))
    assert found
    assert {one.warning for one in found} == {"drop_zone_bias"}


@given(st.integers(2, 8), st.data())
def test_the_arcs_of_a_configured_bowl_are_those_that_spins_state_in_both_directions(sensors: int, data: Any) -> None:
    """In steps of 0.005°, so that middles and halves are rounded; the sensors are numbered in any order."""
    places = [72_000 * at // sensors + data.draw(st.integers(0, 60_000 // sensors)) for at in range(sensors)]
    sensors_deg = tuple(place % 72_000 / 200 for place in data.draw(st.permutations(places)))
    wheel = PLAIN.devices["wheel"]
    keys = msgspec.structs.replace(wheel.config, ball_sensors_deg=sensors_deg)
    bowl = bowl_of(PLAIN._replace(devices={**PLAIN.devices, "wheel": wheel._replace(config=keys)}))
    assert len(set(bowl)) == sensors
    assert sum(2 * arc.doubt_deg for arc in bowl) == pytest.approx(360, abs=0.1)
    for way in (1, -1):
        assert {arc_after(sensors_deg, sensor, way) for sensor in range(sensors)} == set(bowl)


def test_every_proven_spin_of_a_simulated_wheel_has_the_arc_in_which_its_ball_left() -> None:
    said = played(table_of("", ""), 12)
    arcs = [arc_of(one.evidence) for one in said.of(events.Outcome)]
    assert len(arcs) >= 10
    assert set(arcs) <= {(60.0, 60.0), (180.0, 60.0), (300.0, 60.0)}
    assert len(set(arcs)) > 1


# --- from night to night ---


def night(
    state: TableState, spins: Sequence[tuple[str, float]], more: str = "", *, cut: bool = False
) -> tuple[TableState, EventList]:
    """A night of a table, from its pockets and arcs, and what the journal has after it; `cut`: its power is cut."""
    table = table_for(configured(TABLE.format(table="", more=more)), epoch=f"e{state.last}", simulated=True)
    table.restore(state)
    said = EventList(table.open(NIGHT_NS))
    for pocket, deg in spins:
        evidence = Evidence(left_track_deg=deg, left_track_doubt_deg=60.0, missed_passes=0)
        found = msgspec.structs.replace(outcome(NIGHT_NS), result={"pocket": pocket}, evidence=evidence)
        table.rounds.report.events.append(found)
        table._collect()
        said += table._take()
    if not cut:
        said += table.close(NIGHT_NS, "the night is over")
    after = TableState.from_snapshot(decode_snapshot(encode_snapshot(state.snapshot())))
    for event in said:
        after.apply(decode(encode(event)))
    return after, said


NIGHT_NS = 10**18
"""In 2001."""


def at_third(number: int) -> tuple[str, float]:
    """Half of the balls leave in one third; pocket 17 comes at each fourth spin."""
    return "17" if number % 4 == 0 else str(number % 37), (60.0, 60.0, 180.0, 300.0)[number % 4]


def counts_of(state: TableState) -> WatchCounts:
    counts = state.wear_of["roulette"].counts
    assert counts is not None
    return counts


def blocks_of(state: TableState) -> list[int]:
    zone = counts_of(state).zone
    assert zone is not None
    return [sum(block.counts) for block in zone.blocks]


def test_a_drop_zone_and_a_bias_are_found_over_nights_each_spin_counted_once() -> None:
    state, found = TableState("t"), []
    for _ in range(6):
        state, said = night(state, [at_third(at) for at in range(50)])
        found.append(warned(said))
        assert len(said.of(events.DeviceCondition)) == 1, "as the service ends"
    assert ["wheel_bias" in one for one in found[:3]] == [False, False, True]
    assert ["drop_zone_bias" in one for one in found] == [False] * 5 + [True]
    assert blocks_of(state) == [0, 300]
    falls = counts_of(state).falls
    assert falls is not None
    assert (len(falls.fell), falls.since) == (300, 0)
    state, said = night(state, [at_third(at) for at in range(250)], cut=True)
    assert blocks_of(state) == [200, 500], "a power cut loses the spins since the last time"
    state, _ = night(state, [at_third(at) for at in range(20)])
    assert blocks_of(state) == [220, 520]
    assert max(len(encode(event)) for event in said if isinstance(event.data, events.DeviceCondition)) < 3000


@pytest.mark.parametrize(
    ("more", "zone", "falls"),
    [
        ("", 100, 100),
        ("[device.wheel]\nball_sensors_deg = [0, 100, 220]\n", 0, 100),
        ('[device.wheel]\npockets = "european"\n', 100, 0),
        ('[watch]\nwear_since = "2001-09-09"\n', 0, 0),
        ('[watch]\nwear_since = "2001-09-08"\n', 100, 100),
        ('[watch]\nwear_since = "2001-09-10"\n', 100, 100),
        ("[watch]\ndrop_zone = false\n", 0, 100),
    ],
    ids=[
        "the same",
        "sensors moved",
        "another wheel",
        "exchanged",
        "exchanged before",
        "to be exchanged",
        "not watched",
    ],
)
def test_counts_end_with_the_bowl_or_the_wheel_that_they_are_of(more: str, zone: int, falls: int) -> None:
    state, _ = night(TableState("t"), [at_third(at) for at in range(100)])
    # They were begun a day before.
    counts = msgspec.structs.replace(counts_of(state), since=NIGHT_NS / S / 86_400 - 1)
    state.wear_of["roulette"] = msgspec.structs.replace(state.wear_of["roulette"], counts=counts)
    again = table_for(configured(TABLE.format(table="", more=more)), epoch="e", simulated=True)
    again.restore(state)
    said = EventList(again.open(NIGHT_NS))
    assert isinstance(said[0].data, events.TableOpened)
    # What begins anew is stated at once, so that reports do not add spins of another wheel.
    assert len(said.of(events.DeviceCondition)) == int(not zone or not falls)
    assert again._kept is not None
    now = again._kept.published()
    assert now.falls is not None
    assert (sum(now.zone.blocks[0].counts) if now.zone else 0, len(now.falls.fell)) == (zone, falls)


# --- at a table ---


def table_of(more: str, table: str = 'no_more_bets = "auto"') -> Table:
    return table_for(configured(TABLE.format(table=table, more=more)), epoch="sim", simulated=True)


def played(table: Table, rounds: int, fault: str | None = None, seed: int = 1, more: str = "") -> EventList:
    """The events of simulated rounds; after each, faults of the wheel are cleared."""
    simulator = geometry_of(configured(TABLE.format(table='no_more_bets = "auto"', more=more))).simulator(seed)
    said = EventList(table.open(0) + table.feed(simulator.start()))
    for _ in range(rounds):
        batch = simulator.round(fault).batch
        said += table.feed(batch)
        said += table.feed(Batch([], [read_command("clear device=wheel by=test", batch.until_ns)], batch.until_ns))
    return said


def warned(said: EventList) -> set[str]:
    return {one.warning for one in said.of(events.DeviceWarning)}


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("", None),
        ("same_direction = 2", "same_ball_direction"),
        ("same_direction = 0", None),
        ("least_rotor_rpm = 15", "rotor_speed"),
        ("most_rotor_rpm = 15", "rotor_speed"),
        ("least_games_an_hour = 600", "games_an_hour"),
        ("most_games_an_hour = 1", "games_an_hour"),
        ("most_games_an_hour = 1\nidle_s = 10", "games_an_hour"),
    ],
)
def test_each_key_decides_what_is_warned_of(key: str, found: str | None) -> None:
    watched = f"[watch]\n{key}\n"
    table = table_of(watched)
    # An hour of play, as far as the watch is concerned, in a few rounds.
    said = []
    for number in range(130):
        for event in game(30 * number, betting_s=12, spin_s=16, paying_s=2):
            said += [one.warning for one in _watch_of(table).see(_with_ball(event, number))]
    assert set(said) == ({found} if found else set())
    if "idle_s" in key:
        assert "idle 4 min of 60" in _idle(key)
    off = "[watch]\ndrop_zone = false\n"
    assert [len(_watch_of(table_of(more))._zone._blocks) for more in ("", off)] == [2, 0]


def _idle(key: str) -> str:
    watch = _watch_of(table_of(f"[watch]\n{key}\n"))
    found = [one for number in range(130) for event in game(30 * number, 12, 16, 2) for one in watch.see(event)]
    return found[0].detail


def _watch_of(table: Table) -> WheelWatch:
    assert isinstance(table._watch, WheelWatch)
    return table._watch


def _with_ball(event: Data, number: int) -> Any:
    """The ball runs two ways round in turn, two spins each; the rotor's speed is 14 or 16 rpm."""
    if isinstance(event, events.RoundStarted):
        return data_of(events.RoundStarted, event.mono_ns, round=1, direction=WAYS[number // 2 % 2])
    if isinstance(event, events.Outcome):
        return outcome(event.mono_ns, rotor_rpm=14 + 2 * (number % 2))
    return event


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("same_direction = 1", "t.toml:8: watch.same_direction: is 1, and every spin has a direction; write 2 or more"),
        ("same_direction = -1", "t.toml:8: watch.same_direction:"),
        (
            "least_rotor_rpm = 40",
            "t.toml:8: watch.least_rotor_rpm: 40 is not below most_rotor_rpm, 36; write the slower",
        ),
        ("most_rotor_rpm = 0", "t.toml:8: watch.most_rotor_rpm:"),
        (
            "least_games_an_hour = 60\nmost_games_an_hour = 60",
            "t.toml:8: watch.least_games_an_hour: 60 is not below most_games_an_hour, 60; write the smaller number",
        ),
        ("least_games_an_hour = 0", "t.toml:8: watch.least_games_an_hour:"),
        ("idle_s = 5", "t.toml:8: watch.idle_s:"),
        ("drop_zone = 1", "t.toml:8: watch.drop_zone:"),
        ("drop_zon = true", 't.toml:8: watch.drop_zon: unknown key; did you mean "drop_zone"'),
    ],
)
def test_a_wrong_key_is_refused_with_file_line_key_and_fix(text: str, finding: str) -> None:
    report = check_text(TABLE.format(table="", more=f"[watch]\n{text}\n"), "t.toml")
    assert [str(one)[: len(finding)] for one in report.errors] == [finding]


def test_a_table_of_which_nothing_is_watched_has_no_such_section() -> None:
    text = '[table]\nid = "t"\ngame = "token_pusher"\n[lines]\nbackend = "sim"\n[watch]\nsame_direction = 3\n'
    (found,) = check_text(text, "t.toml").errors
    assert "nothing at token_pusher is watched by this section; remove the section" in str(found)


STRICT = "[watch]\nsame_direction = 2\nleast_rotor_rpm = 59\nmost_rotor_rpm = 60\nmost_games_an_hour = 1\n"
"""Everything is warned of."""
AUTOMATIC = '[device.wheel]\ndriver = "star_x"\n'


def of_rounds(said: EventList) -> list[Data]:
    """All that a round and its table published but warnings."""
    return [event.data for event in said if not isinstance(event.data, events.DeviceWarning)]


@pytest.mark.parametrize("wheel", ["", AUTOMATIC], ids=["sensors", "automatic"])
def test_no_verdict_of_a_simulated_round_is_another_one_for_it(wheel: str) -> None:
    geometry = geometry_of(configured(TABLE.format(table='no_more_bets = "auto"', more=wheel)))
    # Those of the automatic wheel are many, and much alike for the watch.
    faults = [fault.name for fault in faults_for(geometry)][:: 3 if wheel else 1]
    assert len(faults) > 10
    for number, fault in enumerate(faults):
        watched, plain = table_of(wheel + STRICT), table_of(wheel)
        plain._watch = None
        said = [played(table, 3, fault, number, wheel) for table in (watched, plain)]
        assert of_rounds(said[0]) == of_rounds(said[1]), fault
        assert not warned(said[1]) & set(OURS)
    said_strict = played(table_of(wheel + STRICT), 6, None, 3, wheel)
    assert {"same_ball_direction", "rotor_speed"} & warned(said_strict)


@pytest.mark.parametrize(
    "capture", [one for one in suite().captures if "roulette" in one.name], ids=lambda one: one.name
)
def test_no_verdict_of_a_capture_is_another_one_for_it(capture: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def said() -> list[Data]:
        lines = [line for line in answers(capture.lines()) if b'"until"' not in line[:9]]
        return of_rounds(EventList(map(decode, lines)))

    watched = said()
    monkeypatch.setattr("controller.games.assembly._watch", lambda config: None)
    assert said() == watched
    assert any(isinstance(one, events.Outcome | events.Void | events.Unresolved) for one in watched)


MOST_COST = 0.02
"""Of a round's own instructions."""


def test_the_watch_costs_less_than_two_hundredths_of_a_round() -> None:
    """Counted by instructions, over the rounds of a block of the trend: every judgement of the watch but the zone's."""
    simulator = geometry_of(configured(TABLE.format(table='no_more_bets = "auto"', more=""))).simulator(1)
    rounds = [simulator.start(), *(simulator.round().batch for _ in range(3))]
    said: list[Data] = []

    def plays() -> Callable[[], int]:
        table = table_of("")
        table._watch = None

        def run() -> int:
            found = [event.data for batch in rounds for event in [*table.feed(batch)]]
            said[:] = [one for one in found if not isinstance(one, events.RoundProgress)]
            return len([one for one in found if isinstance(one, events.Outcome)])

        table.open(0)
        return run

    def watches() -> Callable[[], int]:
        watch = WheelWatch(LIMITS)
        return lambda: sum(len(watch.see(one)) for _ in range(TREND_SPINS // 3) for one in said)

    whole = instructions_of(plays, 3)
    watched = instructions_of(watches, 0) / (TREND_SPINS // 3)
    assert watched < MOST_COST * whole, f"{watched / whole:.2%}"
