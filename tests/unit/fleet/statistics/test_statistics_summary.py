"""What is counted over the events of a fleet: games, refusals, faults, hours, corrections, and what is missing."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from audit.misfires import PlayedRounds, misfires
from controller.bench.simulation import simulate
from controller.games.catalogue import GAME
from controller.rules.house import house_words
from feed.calls import call_line
from feed.events import DeviceCondition, Tumbling, WearHistory, decode, encode, genesis, link
from fleet.cli.report import FleetHeading, report_page
from fleet.statistics.columns import time_ns
from fleet.statistics.dataset import Announced, Choice, Dataset, collecting
from fleet.statistics.summary import Summary, summarize
from fleet.subjects import TableName
from tests.fakes.table_history import NS, START, UNRESOLVED, VOID, TableHistory, outcome_of
from tests.tables.bench import configured

HALL = "hall"


def ns(moment: datetime) -> int:
    return int(moment.timestamp()) * NS


def summary_of(
    folder: Path, *histories: TableHistory, choice: Choice | None = None, venue: str = HALL, skip: tuple[int, ...] = ()
) -> Summary:
    """Of histories of a venue, from which some events are missing."""
    collect(folder, *histories, venue=venue, skip=skip)
    return summarize(Dataset(folder), choice or Choice(), GAME)


def collect(folder: Path, *histories: TableHistory, venue: str = HALL, skip: tuple[int, ...] = ()) -> None:
    with collecting(folder) as collector:
        for history in histories:
            collector.begin()
            for seq, body in enumerate(history.bodies, 1):
                if seq not in skip:
                    table = TableName(venue, history.simulated, history.table)
                    collector.add(table, decode(body), body, str(seq))


def test_games_an_hour_are_results_for_the_time_in_which_the_table_was_open(tmp_path: Path) -> None:
    history = TableHistory().open()
    for pocket in ("1", "2", "3"):
        history.later(300).pocket(pocket)
    history.later(300).void().later(600).close().later(3600)
    (line,) = summary_of(tmp_path, history).tables
    assert (line.rounds, line.outcomes, line.voids, line.open_ns) == (4, 3, 1, 1800 * NS)
    assert line.games_an_hour == 6.0


def test_hours_are_those_of_the_clock_that_nobody_sets(tmp_path: Path) -> None:
    history = TableHistory().open().later(600).pocket("1")
    history.time -= timedelta(hours=3)  # somebody sets the wall clock
    found = summary_of(tmp_path, history.later(600).pocket("2").close())
    assert found.tables[0].open_ns == 1200 * NS
    (doubt,) = found.doubts
    assert (doubt.clock_back, doubt.clock_back_ns) == (1, (3 * 3600 - 600) * NS)


def test_the_bar_of_a_computer_that_began_with_an_old_time_is_as_long_as_its_hours(tmp_path: Path) -> None:
    history = TableHistory().open().later(60).fault()
    history.time += timedelta(hours=17)  # the clock is set
    history.later(600).cleared().later(600).close()
    end_ns = ns(history.time)
    found = summary_of(tmp_path, history, choice=Choice(since_ns=end_ns - 12 * 3600 * NS))
    assert (found.tables[0].open_ns, found.tables[0].shut_ns) == (1260 * NS, 600 * NS)
    assert found.opened == {"hall/roulette-1": [(end_ns - 1260 * NS, end_ns)]}
    assert found.shut == {"hall/roulette-1": [(end_ns - 1200 * NS, end_ns - 600 * NS)]}


def test_a_table_that_changed_its_game_is_a_line_of_each_with_its_own_rounds_hours_and_parts(tmp_path: Path) -> None:
    history = TableHistory("t1", game="money_wheel").open(driver="money_wheel").later(1800).fault().later(60)
    for _ in range(3):
        history.outcome({"space": 2, "face": "$2"})
    history.cleared().later(1740).restart()
    history.game = "roulette"
    history.open().later(3600).pocket("5").fault().cleared().later(3600).close()
    found = summary_of(tmp_path, history, TableHistory("t2").open().later(3600).pocket("7").close())
    lines = [(line.label, line.rounds, line.open_ns // NS, line.shut_ns // NS, line.starts) for line in found.tables]
    assert lines == [
        ("t1 (money wheel)", 3, 1860, 60, 1),
        ("t1 (roulette)", 1, 7200, 0, 1),
        ("t2", 1, 3600, 0, 1),
    ]
    assert found.table_count == 2
    assert [(one.game, one.outcomes, one.games_an_hour) for one in found.games] == [
        ("money_wheel", 3, 3 / 1860 * 3600),
        ("roulette", 2, 2 / 3),
    ]
    assert set(found.opened) == {"hall/t1 (money wheel)", "hall/t1 (roulette)", "hall/t2"}
    parts = {one.driver: (one.count, one.tables, one.fitted, one.hours_between) for one in found.faults}
    assert parts == {"money_wheel": (1, 1, 1, 1860 / 3600), "roulette_wheel": (1, 1, 2, 3.0)}
    page = report_page(found, FleetHeading("t", 0, UTC, "feltwire"), house_words)
    assert "hall/t1 (money wheel)" in page
    assert "<b>2</b><span>tables</span>" in page


def test_a_time_that_was_rounded_back_accuses_no_clock(tmp_path: Path) -> None:
    """Older Feltwires dated an event up to a microsecond before the one before it."""
    history = TableHistory().open().later(600).pocket("1")
    history.time -= timedelta(microseconds=1)
    history.later(0).close()
    (doubt,) = summary_of(tmp_path, history).doubts
    assert (doubt.clock_back, doubt.clock_back_ns) == (0, 0)


def test_a_start_that_was_cut_off_was_open_until_its_last_event(tmp_path: Path) -> None:
    history = TableHistory().open().later(60).pocket("1").later(7200).restart().open().later(60).pocket("2").close()
    found = summary_of(tmp_path, history)
    assert (found.tables[0].open_ns, found.tables[0].starts) == (120 * NS, 2)
    assert len(found.opened["hall/roulette-1"]) == 2


def test_a_fault_that_blocks_play_shuts_the_table_until_it_is_cleared(tmp_path: Path) -> None:
    history = TableHistory().open().later(60).fault().later(10).fault("not_level").later(20).cleared().later(30)
    history.cleared("not_level").later(60).fault("tilt", blocks=False).later(60).close()
    found = summary_of(tmp_path, history)
    assert found.tables[0].shut_ns == 60 * NS
    log = {one.fault: one for one in found.fault_log}
    assert [log[name].cleared_by for name in ("sensor_missing", "not_level", "tilt")] == ["anna", "anna", ""]
    assert log["sensor_missing"].cleared_ns == ns(START + timedelta(seconds=90))


def test_a_fault_that_shows_again_after_a_restart_is_one_fault(tmp_path: Path) -> None:
    history = TableHistory().open().later(60).fault().later(3600).restart().open().fault(again=True).later(40).cleared()
    found = summary_of(tmp_path, history.later(10).close())
    assert (found.tables[0].faults, found.tables[0].shut_ns) == (1, 40 * NS)
    (fault,) = found.fault_log
    assert (fault.time_ns, fault.cleared_ns) == (ns(START) + 60 * NS, ns(START) + 3700 * NS)


def test_a_fault_that_is_raised_again_before_it_is_cleared_ends_with_the_clearing(tmp_path: Path) -> None:
    history = TableHistory().open().later(10).fault().later(10).fault().later(10).cleared().later(10).fault().later(5)
    found = summary_of(tmp_path, history.close())
    assert [one.cleared_ns for one in found.fault_log] == [ns(START) + 30 * NS, ns(START) + 30 * NS, None]
    (line,) = found.faults
    assert (line.count, line.shut_ns, found.tables[0].shut_ns) == (3, (20 + 10 + 5) * NS, 25 * NS)


def test_hours_between_faults_are_those_of_all_tables_that_have_the_part(tmp_path: Path) -> None:
    one = TableHistory("roulette-1").open().later(1800).fault().later(0).cleared().later(1800).fault().cleared().close()
    two = TableHistory("roulette-2").open().later(7200).close()
    other = TableHistory("wheel-1", game="money_wheel").open(driver="money_wheel").later(7200).fault().close()
    found = summary_of(tmp_path, one, two, other)
    lines = {line.driver: line for line in found.faults}
    roulette = lines["roulette_wheel"]
    assert (roulette.count, roulette.blocked, roulette.tables, roulette.fitted) == (2, 2, 1, 2)
    assert (roulette.hours_between, lines["money_wheel"].hours_between) == (1.5, 2.0)


def test_refusals_say_which_are_the_states_and_which_are_ours(tmp_path: Path) -> None:
    history = TableHistory().open().void().void().void("wheel_reversed", "ours").unresolved().violation()
    history.corrected(4, UNRESOLVED, outcome_of("5"), confirmed=True)
    found = summary_of(tmp_path, history)
    lines = {(one.verdict, one.reason): one for one in found.refusals}
    most = found.refusals[0]
    assert (most.reason, most.count, most.ours) == ("ball_direction", 2, False)
    assert (lines["void", "wheel_reversed"].ours, lines["unresolved", "no_number_read"].ours) == (True, True)
    assert lines["unresolved", "no_number_read"].overruled == 1
    assert lines["violation", "no_more_bets_after_drop"].count == 1
    assert (found.tables[0].rounds, found.tables[0].violations) == (4, 1)


def test_corrected_rounds_count_as_corrected_and_called_ones_as_called(tmp_path: Path) -> None:
    history = TableHistory().open().pocket("1").pocket("2").void().unresolved().unresolved()
    history.corrected(1, outcome_of("1"), VOID).corrected(3, VOID, outcome_of("9"))
    history.corrected(2, outcome_of("2"), outcome_of("8")).corrected(4, UNRESOLVED, outcome_of("7"), confirmed=True)
    found = summary_of(tmp_path, history)
    (line,) = found.tables
    assert (line.outcomes, line.voids, line.unresolved) == (3, 1, 1)
    assert (line.corrected, line.called) == (3, 1)
    assert [(one.round, one.from_verdict, one.verdict, one.confirmed) for one in found.corrections] == [
        (1, "outcome", "void", False),
        (3, "void", "outcome", False),
        (2, "outcome", "outcome", False),
        (4, "unresolved", "outcome", True),
    ]


def test_bias_counts_proven_results_as_they_stand_and_no_others(tmp_path: Path) -> None:
    history = TableHistory().open().pocket("1").pocket("2").pocket("3").void().unresolved()
    history.corrected(2, outcome_of("2"), outcome_of("8")).corrected(3, outcome_of("3"), VOID)
    history.corrected(4, VOID, outcome_of("9")).corrected(5, UNRESOLVED, outcome_of("7"), confirmed=True)
    (tested,) = summary_of(tmp_path, history).bias
    assert {one.value for one in tested.categories if one.count} == {"1", "8"}
    assert (tested.name, tested.scope, tested.rounds) == ("hall/roulette-1 wheel", "device", 2)


def test_devices_of_a_type_are_counted_together_where_they_can_show_the_same(tmp_path: Path) -> None:
    one = TableHistory("roulette-1").open().pocket("1")
    two = TableHistory("roulette-2").open(identity="b7").pocket("2")
    three = TableHistory("roulette-3", values=[*map(str, range(37)), "00"]).open().pocket("00")
    found = summary_of(tmp_path, one, two, three).bias
    assert [(each.scope, each.name, each.devices, each.rounds) for each in found] == [
        ("type", "roulette_wheel, roulette", 2, 2),
        ("device", "hall/roulette-1 wheel", 1, 1),
        ("device", "hall/roulette-2 wheel, board b7", 1, 1),
        ("device", "hall/roulette-3 wheel", 1, 1),
    ]


def test_outcomes_that_cannot_be_tested_are_counted_and_not_dropped(tmp_path: Path) -> None:
    history = TableHistory().open().pocket("1").pocket("99").outcome({"pocket": ["1"]}).restart().open().pocket("2")
    found = summary_of(tmp_path, history, skip=(5,))
    assert (found.bias[0].rounds, found.misread) == (1, {"hall/roulette-1": 2})
    assert (found.doubts[0].unopened, found.doubts[0].missing) == (1, [(5, 5)])


def test_a_round_belongs_to_the_time_of_its_first_verdict(tmp_path: Path) -> None:
    history = TableHistory().open().later(60).pocket("1").later(60).pocket("2").later(60)
    history.corrected(1, outcome_of("1"), VOID).later(60).close()
    start = ns(START)
    with_first = summary_of(tmp_path, history, choice=Choice(until_ns=start + 100 * NS))
    assert (with_first.tables[0].outcomes, with_first.tables[0].voids, with_first.tables[0].events) == (0, 1, 2)
    second = summarize(Dataset(tmp_path), Choice(since_ns=start + 100 * NS), GAME)
    assert (second.tables[0].outcomes, second.tables[0].open_ns) == (1, 140 * NS)
    assert second.opened == {"hall/roulette-1": [(start + 100 * NS, start + 240 * NS)]}
    assert summarize(Dataset(tmp_path), Choice(since_ns=start + 999 * NS), GAME).tables == []


def test_simulated_tables_are_never_among_real_ones(tmp_path: Path) -> None:
    real = TableHistory().open().pocket("1").fault().void()
    simulated = TableHistory("roulette-2", simulated=True).open().pocket("2").pocket("3").fault().void()
    found = summary_of(tmp_path, real, simulated)
    assert [line.table for line in found.tables] == ["roulette-1"]
    assert (found.refusals[0].count, len(found.fault_log), [one.table for one in found.doubts]) == (
        1,
        1,
        ["roulette-1"],
    )
    other = summarize(Dataset(tmp_path), Choice(simulated=True), GAME)
    assert ([line.table for line in other.tables], other.tables[0].outcomes) == (["roulette-2"], 2)
    assert other.bias[0].rounds == 2


def test_venues_and_tables_are_chosen_by_name(tmp_path: Path) -> None:
    collect(tmp_path, TableHistory("roulette-1").open(), TableHistory("roulette-2").open())
    found = summary_of(tmp_path, TableHistory("roulette-1").open(), venue="other", choice=Choice(venues=("other",)))
    assert [(line.venue, line.table) for line in found.tables] == [("other", "roulette-1")]
    found = summarize(Dataset(tmp_path), Choice(tables=("roulette-2",)), GAME)
    assert [(line.venue, line.table) for line in found.tables] == [(HALL, "roulette-2")]
    assert len(summarize(Dataset(tmp_path), Choice(), GAME).tables) == 3


def test_unknown_types_and_unreadable_messages_are_reported(tmp_path: Path) -> None:
    history = TableHistory().open().pocket("1").unknown().unknown().course(1)
    found = summary_of(tmp_path, history)
    assert found.unknown_types == {"feltwire.round.outcome.v2": 2}
    assert (found.tables[0].events, found.tables[0].outcomes) == (5, 1)


def head_of(history: TableHistory, seq: int) -> str:
    head = genesis(history.table)
    for body in history.bodies[:seq]:
        head = link(head, body)
    return head.hex()


@pytest.mark.parametrize(
    ("seq", "announced", "skip", "said"),
    [
        (None, "", (), "no heartbeat of it was seen"),
        (3, "right", (), ""),
        (3, "wrong", (), "is not that of the events here"),
        (5, "right", (), "announces event 5, and the last one here is 3"),
        (2, "right", (), "events after 2 came after its last heartbeat"),
        (3, "right", (2,), "but events before it are missing"),
    ],
)
def test_what_vouches_for_the_end_of_a_table(
    tmp_path: Path, seq: int | None, announced: str, skip: tuple[int, ...], said: str
) -> None:
    history = TableHistory().open().pocket("1").pocket("2")
    collect(tmp_path, history, skip=skip)
    with collecting(tmp_path) as collector:
        if seq is not None:
            head = head_of(history, seq) if announced == "right" else "5e" * 32
            collector.announce(TableName(HALL, False, "roulette-1"), Announced(seq, head, "2026-07-04T23:00:00Z"))
    (doubt,) = summarize(Dataset(tmp_path), Choice(), GAME).doubts
    assert said in doubt.end if said else doubt.vouched_by == "its heartbeat of 2026-07-04T23:00:00Z"
    assert bool(doubt.end) is bool(said)


def test_an_empty_folder_has_an_empty_summary(tmp_path: Path) -> None:
    found = summary_of(tmp_path)
    assert (found.tables, found.bias, found.doubts, found.refusals, found.games) == ([], [], [], [], [])


def test_a_drop_zone_is_looked_for_over_all_spins_of_a_table_in_which_no_sensor_missed_the_ball(tmp_path: Path) -> None:
    tilted, level = TableHistory("tilted").open(), TableHistory("level").open()
    for number in range(300):
        # Half of the balls leave in the first third; of the spins with a miss, all do, and they do not count.
        deg = (60.0, 60.0, 180.0, 300.0)[number % 4]
        for history, at in ((tilted, deg), (level, (60.0, 180.0, 300.0)[number % 3])):
            history.later(60).pocket("1", left_track_deg=at, left_track_doubt_deg=60.0, missed_passes=0)
            history.pocket("1", left_track_deg=60.0, left_track_doubt_deg=60.0, missed_passes=1)
    found = summary_of(tmp_path, tilted.close(), level.close()).zones
    assert [(one.table, one.spins, one.suspected) for one in found] == [("level", 300, False), ("tilted", 300, True)]
    assert found[1].words.startswith("between 0° and 120° of the bowl the ball left the track 150 times in 300 spins")
    assert found[1].adjusted_p == pytest.approx(2 * found[1].p)
    assert found[0].adjusted_p == 1


def test_a_table_whose_drop_zone_cannot_be_judged_is_listed_with_the_reason(tmp_path: Path) -> None:
    third, moved, new = TableHistory("third").open(), TableHistory("moved").open(), TableHistory("new").open()
    for number in range(60):
        third.later(60).pocket("1", left_track_deg=(22.5, 67.5, 112.5)[number % 3], left_track_doubt_deg=22.5)
        moved.later(60).pocket("1", left_track_deg=(60.0, 180.0, 300.0, 70.0)[number % 4], left_track_doubt_deg=60.0)
    new.pocket("1", left_track_deg=60.0, left_track_doubt_deg=60.0)
    whole = TableHistory("whole").open()
    for _ in range(60):
        whole.later(60).pocket("1", left_track_deg=60.0, left_track_doubt_deg=180.0)
    found = summary_of(tmp_path, third.close(), moved.close(), new.close(), whole.close())
    assert found.zones == []
    assert [(one.table, one.spins, one.why.split(":")[0]) for one in found.zones_not_judged] == [
        ("moved", 60, "arcs overlap"),
        ("new", 1, "fewer than 60 spins"),
        (
            "third",
            60,
            "the ball never left the track in 225° of the bowl, and events do not state the sensors there",
        ),
        ("whole", 60, "one arc is the whole bowl"),
    ]


def test_how_dice_are_shaken_is_compared_between_the_halves_of_each_device(tmp_path: Path) -> None:
    weak, sound = (TableHistory(name, game="sic_bo", values=range(1, 7), field="dice").open() for name in ("weak", "a"))
    for number in range(540):
        for history, pulses in ((weak, 30 - number // 18), (sound, 30 - number % 7)):
            shake = Tumbling(shakes=3 + number % 2, moved_s=2.0 + number % 5 / 10, pulses=pulses, unevenness=0.2)
            history.later(60).outcome({"dice": [1, 2, 3], "total": 6}, tumbles=[Tumbling(moved_s=1.0), shake])
    sound.outcome({"dice": [1, 2, 3], "total": 6}, tumbles=[Tumbling(keyed=[1, 2, 3])])
    found = summary_of(tmp_path, weak.close(), sound.close()).shaken
    assert [(one.table, one.tumbles, one.medians, one.suspected) for one in found] == [
        ("a", 540, (2.2, 27.0, 3.5, 0.2), False),
        ("weak", 540, (2.2, 15.5, 3.5, 0.2), True),
    ]
    assert found[1].words.startswith("the number of pulses has a median of 8 in 270 tumbles, and had 23 in the 270")
    assert found[0].adjusted_p > 0.2


def test_the_wear_of_a_wheel_is_judged_by_the_last_history_that_it_has_published(tmp_path: Path) -> None:
    def history(factor: float, blocks: int) -> WearHistory:
        values: list[int | float | None] = [0.04 + number / 1e5 for number in range(15)]
        values += [0.04 * factor + number / 1e5 for number in range(blocks - 15)]
        days: list[int | float] = [20_000 + number for number in range(blocks)]
        return WearHistory(days=days, spins=[6] * blocks, values={"rotor_slowing": values})

    tables = {"sound": [history(1, 40)], "worn": [history(1, 20), history(1.5, 40)], "new": [history(2, 16)]}
    made = []
    for name, histories in tables.items():
        table = TableHistory(name).open()
        for one in histories:
            table.later(60).put(DeviceCondition, device="wheel", history=one)
        made.append(table.close())
    found = summary_of(tmp_path, *made).wear
    assert [(one.table, one.measured, one.words[:40]) for one in found] == [
        ("new", 96, ""),
        ("sound", 240, ""),
        ("worn", 240, "bearing of the rotor: slowing of the rot"),
    ]


def test_what_is_worn_at_one_table_is_worn_among_any_number_of_others(tmp_path: Path) -> None:
    values: list[int | float | None] = [0.04 + number / 1e5 for number in range(25)]
    # Seven of 184 pairs are not beyond: chance has that in fewer than 1 in 8,000 looks, and in more than 1 in 16,000.
    values += [0.0401505, *[0.06] * 7]
    history = WearHistory(days=[*range(20_000, 20_033)], spins=[6] * 33, values={"rotor_slowing": values}, learnt=25)
    made = []
    for number in range(20):
        table = TableHistory(f"t-{number:02}").open()
        made.append(table.later(60).put(DeviceCondition, device="wheel", history=history).close())
    assert [one.words[:10] for one in summary_of(tmp_path, *made).wear] == ["bearing of"] * 20


def test_readers_of_cards_are_held_against_all_tables_of_their_game(tmp_path: Path) -> None:
    tables = []
    for name, misreads in (("b-1", 1), ("b-2", 12)):
        history = TableHistory(name, game="baccarat").open()
        for number in range(60):
            if number < 5 * misreads and number % 5 == 0:
                history.unresolved("card_unread")
            elif number == 59:
                history.unresolved("card_count")
            else:
                history.outcome({"winner": "tie"})
        tables.append(history.close())
    found = summary_of(tmp_path, *tables, TableHistory("r-1").open().later(60).pocket("1").close()).readers
    assert [(one.table, one.rounds, one.misreads, one.expected, one.suspected) for one in found] == [
        ("b-1", 60, 1, 6.5, False),
        ("b-2", 60, 12, 6.5, True),
    ]


def test_a_spin_that_states_the_doubt_of_an_angle_and_no_angle_does_not_count(tmp_path: Path) -> None:
    history = TableHistory("half").open()
    for number in range(60):
        history.later(60).pocket("1", left_track_deg=(60.0, 180.0, 300.0)[number % 3], left_track_doubt_deg=60.0)
    history.pocket("1", left_track_doubt_deg=60.0)
    history.pocket("1", left_track_deg=60.0)
    assert [one.spins for one in summary_of(tmp_path, history.close()).zones] == [60]


NIGHTS: dict[str, dict[int | None, str]] = {
    "roulette": {1: "late_call", 3: "stuck_sensor"},
    "money_wheel": {1: "late_call", 3: "short_spin"},
    "baccarat": {2: "dealt_before_no_more_bets"},
}


@pytest.mark.long
@pytest.mark.parametrize("game", NIGHTS)
def test_a_fleet_has_of_misfires_pace_and_calls_what_an_evening_of_the_table_has(game: str, tmp_path: Path) -> None:
    buttons = 'buttons = ["dealer_no_more_bets", "dealer_settled"]'
    config = configured(f'[table]\nid = "t"\ngame = "{game}"\n[lines]\nbackend = "sim"\n[device.dealer]\n{buttons}\n')
    of, place = PlayedRounds(), TableName(HALL, True, "t")
    with collecting(tmp_path) as collector:
        collector.begin()
        for event in (event for one in simulate(config, 3, 1, NIGHTS[game]) for event in one.events):
            of.take(event.data, time_ns(event.time) or 0)
            if event.seq is not None:
                collector.add(place, event, encode(event), str(event.seq))
    found = summarize(Dataset(tmp_path), Choice(simulated=True), GAME, ZoneInfo("Asia/Kolkata"))
    rounds = of.rounds("hall/t")
    assert found.misfires == misfires([rounds], lambda time_ns: "05:00")
    assert found.misfires
    assert found.calls == {"hall/t": call_line(one.call for one in rounds)}
    assert found.pace == [of.pace_line("hall/t", found.tables[0].outcomes)]
    assert (found.pace[0].cards > 0) == (game == "baccarat")
    page = report_page(found, FleetHeading("t", 0, UTC, "feltwire"), house_words)
    assert "<h3>Misfires</h3>" in page
    assert "<h3>Pace</h3>" in page
    assert "<h3>Calls and settling</h3>" in page
