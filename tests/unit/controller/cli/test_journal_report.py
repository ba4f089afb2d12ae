"""The report of one evening, from a journal alone: its figures, what it lists, and what it says of the proof."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner, Result

from audit.witness import witness_path
from controller.cli import main
from controller.cli.journal_report import day_of, played_rounds
from controller.journal.evening import TableEvening, TimeSpan, ns_of, read_evening
from feed.data import Data, WatchCounts, ZoneCounts
from feed.events import (
    CaptureFile,
    CarriedStateChanged,
    DeviceCleared,
    DeviceCondition,
    DeviceFault,
    Evidence,
    MachineEvent,
    Meters,
    NoMoreBets,
    Outcome,
    RoundCorrected,
    RoundDisputed,
    RoundOpened,
    RoundStarted,
    Settled,
    TableClosed,
    TableOpened,
    Tumbling,
    Unresolved,
    Verdict,
    Void,
    WearHistory,
)
from feed.pace import RoundSteps
from fleet.statistics.hours import Moment, hours_of
from fleet.subjects import TableName
from hal.clock import NS_PER_S
from tests.unit.audit.making import Evening, tampering

HOUR_NS = 3600 * NS_PER_S
ALWAYS = TimeSpan(0, 2**62)
TWO = Verdict(verdict="outcome", result={"space": 2, "face": "$2"})
NINE = Verdict(verdict="outcome", result={"space": 9, "face": "$5"})
CAPTURE = CaptureFile(file="wheel-1/7.vcd", sha256="ab" * 32)


def report(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["journal", "report", *map(str, arguments)])


def night(path: Path) -> Path:
    """Five rounds of one table: a void one, one corrected, one disputed; a fault for an hour; a command."""
    with Evening(path) as writer:
        writer.opened("wheel-1")
        for verdict in ("outcome", "outcome", "void", "outcome", "outcome"):
            writer.round("wheel-1", verdict)
        words = {"by": "ann", "from_": TWO, "to": NINE, "why": "the pit <b>saw</b> it"}
        writer.say(writer.event("wheel-1", RoundCorrected, round=2, **words))
        disputed = {"by": "bob", "stands": TWO, "why": "seat 3", "capture": CAPTURE}
        writer.say(writer.event("wheel-1", RoundDisputed, round=4, **disputed))
        writer.fault("wheel-1")
        writer.clock.advance_to(writer.clock.now_ns() + HOUR_NS)
        writer.say(writer.event("wheel-1", DeviceCleared, device="wheel", fault="sensor_stuck", by="ann"))
        writer.command("clear device=wheel")
        writer.command("settle")
        writer.closed("wheel-1")
    return path


def table(path: Path, span: TimeSpan = ALWAYS) -> TableEvening:
    (one,) = read_evening(path, span).tables
    return one


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return night(tmp_path_factory.mktemp("report") / "journal.sqlite")


def words_of(page: Path) -> str:
    """What a person reads on the page."""
    text = page.read_text(encoding="utf-8")
    body = text[text.index("<body>") :].replace("<wbr>", "")
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", body))


def test_the_report_needs_neither_nats_nor_duckdb_and_has_what_an_auditor_asks(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("nats", "duckdb"):
        monkeypatch.setitem(sys.modules, name, None)
    page = tmp_path / "night.html"
    done = report(journal, "-o", page, "--every-round")
    assert (done.exit_code, done.stdout) == (0, f"{page}: 1 table, 5 rounds\n")
    words = words_of(page)
    for expected in (
        "Casino night, 2026-07-04",
        "5 rounds with a verdict 4 results in force, 80.0% 1 void, 20.0% 0 left unresolved 1 corrected 1 dispute",
        "1 fault 1 h 00 min shut by faults",
        "wheel-1 money wheel njac-13:47-20",
        "wheel-1 3 void: wheel_revolutions",
        "corrected $2 (space 2) $5 (space 9) ann the pit &lt;b&gt;saw&lt;/b&gt; it",
        "disputed $2 (space 2) unchanged bob seat 3",
        "sensor_stuck wheel_a rests at 1",
        "pit (supervisor) clear device=wheel",
        "Calls and settlements by command, which are not listed: 1.",
        f"wheel-1/7.vcd {'ab' * 32} yes",
        "The journal verifies with the key in the file",
        "wheel-1 5 $2 (space 5) 13:47-20.29",
        f"Report “Casino night, 2026-07-04” of {journal}, made 20",
    ):
        assert expected in words, expected
    assert "SIMULATED" not in words
    source = page.read_text(encoding="utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?://|<script|<img|<link", source), "it loads nothing"


def test_a_table_by_house_rules_is_marked_on_the_first_page(tmp_path: Path) -> None:
    with Evening(tmp_path / "journal.sqlite") as writer:
        writer.opened("wheel-1", rules="house")
        writer.closed("wheel-1")
    page = tmp_path / "night.html"
    assert report(tmp_path / "journal.sqlite", "-o", page).exit_code == 0
    words = words_of(page)
    assert "HOUSE RULES: not those of" in words
    assert "wheel-1 money wheel HOUSE RULES" in words
    with Evening(tmp_path / "two.sqlite") as writer:
        writer.opened("wheel-1", rules="house")
        writer.opened("wheel-2")
    assert report(tmp_path / "two.sqlite", "-o", tmp_path / "two.html").exit_code == 0
    assert "HOUSE RULES (wheel-1): not those of" in words_of(tmp_path / "two.html")


def test_payouts_of_progressive_wagers_and_their_meter_are_in_the_report(tmp_path: Path) -> None:
    paid = {"hand": "straight_flush", "paid": {"3": 100_014}, "from_meter": 100_014, "round": 2, "why": "he sat apart"}
    with Evening(tmp_path / "journal.sqlite") as writer:
        writer.opened("stud-1")
        for act, course in (
            ("hands", {"meter_cents": 1_000_000}),
            ("progressive_wagers", {"meter_cents": 1_000_140}),
            ("progressive_paid", {"meter_cents": 900_126, "payment": paid}),
            ("new_shoe", {"meter_cents": 900_126, "payment": paid}),
        ):
            writer.say(
                writer.event(
                    "stud-1", CarriedStateChanged, game="caribbean_stud", round=2, act=act, course=course, by="ann"
                )
            )
    page = tmp_path / "night.html"
    assert report(tmp_path / "journal.sqlite", "-o", page).exit_code == 0
    words = words_of(page)
    assert "stud-1 10,000.00 9,001.26 1" in words
    assert "straight flush paid (position 3: 1,000.14), out of turn: he sat apart" in words
    assert "the meter is 9,001.26; by ann 1,000.14" in words


def test_a_round_counts_as_it_stands_and_its_statistics_too(journal: Path) -> None:
    one = table(journal)
    assert [one.standing(verdict) for verdict in ("outcome", "void", "unresolved")] == [4, 1, 0]
    assert one.stands[2] == NINE
    assert one.statistics.outcomes == 4
    assert one.shut_ns == HOUR_NS + NS_PER_S
    assert [(capture.file, event.data.kind) for event, capture in one.captures] == [("wheel-1/7.vcd", "round.disputed")]


def test_a_span_has_its_own_rounds_and_the_fault_that_stood_in_it(journal: Path) -> None:
    (fault,) = table(journal).faults
    begun_ns = ns_of(fault.event.time)
    later = table(journal, TimeSpan(begun_ns + NS_PER_S, begun_ns + HOUR_NS * 2))
    assert (later.verdicts, later.open_ns > 0, later.rules) == ({}, True, ["njac-13:47-20"])
    assert [one.data.fault for one in later.faults] == ["sensor_stuck"], "it stood since before"
    before = table(journal, TimeSpan(0, begun_ns))
    assert (before.faults, len(before.verdicts), before.shut_ns) == ([], 5, 0)
    assert read_evening(journal, TimeSpan(0, 1)).tables == []


def test_after_a_crash_a_table_was_open_until_its_last_event_and_its_fault_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    writer = Evening(path)
    with writer:
        writer.opened("wheel-1")
        writer.round("wheel-1")
        writer.fault("wheel-1")
    writer.clock.advance_to(writer.clock.now_ns() + 5 * HOUR_NS)
    with writer:
        writer.opened("wheel-1")
        stuck = {"device": "wheel", "fault": "sensor_stuck", "detail": "as before", "blocks_play": True}
        writer.say(writer.event("wheel-1", DeviceFault, before_restart=True, **stuck))
        writer.round("wheel-1")
    one = table(path)
    assert one.open_ns < HOUR_NS
    ((first, _), (second, _)) = one.opened
    assert second - first > 5 * HOUR_NS
    assert [(fault.data.detail, fault.cleared) for fault in one.faults] == [("wheel_a rests at 1", None)]


def test_a_fault_that_shuts_the_table_only_later_is_one_fault_that_did(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        stuck = {"device": "dealer", "fault": "sensor_stuck"}
        for detail, blocks in (("dealer_void", False), ("dealer_no_more_bets", True), ("dealer_settled", False)):
            capture = CAPTURE if blocks else None
            writer.say(
                writer.event("wheel-1", DeviceFault, **stuck, detail=detail, blocks_play=blocks, capture=capture)
            )
        writer.clock.advance_to(writer.clock.now_ns() + HOUR_NS)
        writer.say(writer.event("wheel-1", DeviceCleared, **stuck, by="ann"))
        writer.closed("wheel-1")
    one = table(path)
    (fault,) = one.faults
    assert (fault.event.sequence, fault.data.detail, fault.data.blocks_play) == (
        f"{2:020d}",
        "dealer_no_more_bets",
        True,
    )
    assert one.shut_ns == HOUR_NS + 2 * NS_PER_S
    assert [capture.file for _, capture in one.captures] == [CAPTURE.file]


def test_the_bar_of_a_computer_that_began_with_an_old_time_is_as_long_as_its_hours(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        begun_ns = writer.clock.now_ns()
        opened = {"rules": "njac-13:47-20", "software": "feltwire 0.1.0", "devices": []}
        writer.say(writer.event("wheel-1", TableOpened, mono_ns=0, **opened))
        writer.clock.advance_to(begun_ns + 20 * HOUR_NS)
        closed = writer.event("wheel-1", TableClosed, mono_ns=3 * HOUR_NS, reason="stopped")
        writer.say(closed)
    end_ns = ns_of(closed.time)
    for since_ns in (0, end_ns - 12 * HOUR_NS):
        one = table(path, TimeSpan(since_ns, end_ns + 1))
        assert (one.open_ns, one.opened) == (3 * HOUR_NS, [(end_ns - 3 * HOUR_NS, end_ns)])
    # Nothing of it was in the time that the computer took itself to be in.
    assert table(path, TimeSpan(0, begun_ns + HOUR_NS)).open_ns == 0


def test_a_table_that_changed_its_game_has_the_rounds_and_hours_of_each_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    writer = Evening(path)

    def start(game: str, rounds: int, result: dict[str, Any]) -> None:
        opened = {"rules": "njac-13:47-20", "software": "feltwire 0.1.0", "devices": []}
        writer.say(writer.event("t1", TableOpened, game=game, **opened))
        for number in range(rounds):
            fields = {"result": result, "winning": [], "rule": "ours", "evidence": Evidence()}
            writer.say(writer.event("t1", Outcome, game=game, round=number + 10 * (game == "roulette"), **fields))

    with writer:
        start("money_wheel", 3, {"space": 2, "face": "$2"})
        stuck = {"device": "dealer", "fault": "sensor_stuck", "detail": "", "blocks_play": False}
        writer.say(writer.event("t1", DeviceFault, **stuck))
    with writer:
        start("roulette", 2, {"pocket": "17", "index": 4, "color": "black"})
    first, second = read_evening(path, ALWAYS).tables
    assert [(one.label, len(one.verdicts), one.open_ns // NS_PER_S) for one in (first, second)] == [
        ("t1 (money wheel)", 3, 4),
        ("t1 (roulette)", 2, 2),
    ]
    assert [len(one.faults) for one in (first, second)] == [1, 0]
    # What an evening has of one game alone needs no name of it, and the fault is listed there.
    (only,) = read_evening(path, TimeSpan(ns_of(second.verdicts[10].time), ALWAYS.until_ns)).tables
    assert (only.label, len(only.faults)) == ("t1", 1)
    page = tmp_path / "night.html"
    assert report(path, "-o", page, "--every-round").stdout == f"{page}: 1 table, 5 rounds\n"
    words = words_of(page)
    for expected in ("t1 0 $2 (space 2)", "t1 10 17 black", "t1 1 to 8 1 to 8", "1 table"):
        assert expected in words, expected
    assert words.count("t1 (roulette)") > 0
    assert {one.table for one in played_rounds([first, second])} == {"t1"}, "as a list of shifts names it"


def test_hours_are_of_the_clock_that_times_the_edges_as_in_the_statistics_of_a_fleet(tmp_path: Path) -> None:
    path, speed = tmp_path / "journal.sqlite", 20
    with Evening(path) as writer:
        begun_ns = writer.clock.now_ns()
        stuck: dict[str, Any] = {"device": "wheel", "fault": "sensor_stuck"}
        opened = {"rules": "njac-13:47-20", "software": "feltwire 0.1.0", "devices": []}
        evening: list[tuple[type[Data], int, dict[str, Any]]] = [
            (TableOpened, 0, opened),
            (DeviceFault, 60, {**stuck, "detail": "", "blocks_play": True}),
            (DeviceCleared, 90, {**stuck, "by": "ann"}),
            (TableClosed, 180, {"reason": "end", "by": "ann"}),
        ]
        name = TableName("hall", False, "wheel-1")
        moments = []
        for seq, (kind, after_s, fields) in enumerate(evening):
            writer.clock.advance_to(begun_ns + after_s * NS_PER_S)
            event = writer.event("wheel-1", kind, mono_ns=after_s * speed * NS_PER_S, **fields)
            writer.say(event)
            time_ns, mono_ns = ns_of(event.time), event.data.mono_ns
            moments.append(
                Moment(
                    name,
                    seq,
                    writer.epoch,
                    kind.kind,
                    time_ns,
                    mono_ns,
                    "wheel",
                    "sensor_stuck",
                    True,
                    False,
                    "ann",
                    "",
                )
            )
    one = table(path)
    of_fleet = hours_of(moments)[name]
    assert (one.open_ns, one.shut_ns) == (HOUR_NS, 600 * NS_PER_S)
    assert one.open_ns == sum(span.length_ns for span in of_fleet.open)
    assert one.shut_ns == sum(span.length_ns for span in of_fleet.shut)
    assert one.opened == [(span.start_ns, span.end_ns) for span in of_fleet.open]


def test_a_machine_has_its_meters_of_the_span(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("pusher-1")
        for tokens, act in ((9_999_990, "token_in"), (30, "hand_paid")):
            fields = {
                "act": act,
                "meters": Meters(tokens_in=tokens),
                "credits": 2,
                "carried": {},
                "tokens": 3,
                "by": "ann",
            }
            writer.say(writer.event("pusher-1", MachineEvent, **fields))
    page = tmp_path / "night.html"
    assert report(path, "-o", page, "--since", "2026-07-04T19:00:02").exit_code == 0
    words = words_of(page)
    assert "tokens in 9,999,990 30 40" in words, "after seven digits a meter begins at 0 again"
    assert "2 tokens belonged to the player at the end. Paid or counted by hand: hand paid 3 by ann." in words


def test_corrections_of_a_machine_and_what_became_of_their_debts_are_in_the_report(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("reel-1")
        story = (
            ("debt_waived", 9, "", 11, 9),
            ("corrected", None, "play 7: 16 tokens owed by the player", 16, 4),
            ("debt_collected", 5, "", 11, 4),
        )
        for act, tokens, detail, debt, waived in story:
            meters = Meters(tokens_waived=waived)
            fields = {"act": act, "meters": meters, "credits": 0, "carried": {}, "tokens": tokens, "detail": detail}
            writer.say(writer.event("reel-1", MachineEvent, **fields, debt=debt, by="ann"))
    page = tmp_path / "night.html"
    assert report(path, "-o", page, "--since", "2026-07-04T19:00:02").exit_code == 0
    words = words_of(page)
    assert "0 tokens belonged to the player at the end, 11 tokens were owed by players." in words
    assert "Corrected: play 7: 16 tokens owed by the player." in words
    assert "debt collected 5 by ann" in words
    assert "tokens waived 9 4 -5" in words


def test_a_journal_that_was_changed_has_it_at_the_top_and_the_exit_code_of_verify(tmp_path: Path) -> None:
    path = night(tmp_path / "journal.sqlite")
    with tampering(path) as connection:
        connection.execute(
            "UPDATE record SET body = CAST(replace(CAST(body AS TEXT), '\"$2\"', '\"$20\"') AS BLOB) WHERE seq = 3"
        )
    page = tmp_path / "night.html"
    done = report(path, "-o", page)
    assert (done.exit_code, "DOES NOT VERIFY" in done.stderr) == (3, True)
    words = words_of(page)
    assert words.index("THE JOURNAL DOES NOT VERIFY: wheel-1 record 3") < words.index("Summary")
    assert "nothing of its" not in words


def test_the_captures_beside_the_journal_are_compared_with_it(tmp_path: Path) -> None:
    path, page = night(tmp_path / "journal.sqlite"), tmp_path / "night.html"
    folder = tmp_path / "captures" / "wheel-1"
    folder.mkdir(parents=True)
    assert report(path, "-o", page).exit_code == 0
    assert "0 are as it names them, 0 are changed and 1 are not there" in words_of(page)
    (folder / "7.vcd").write_bytes(b"another spin")
    done = report(path, "-o", tmp_path / "changed.html")
    assert (done.exit_code, "CAPTURES WERE CHANGED: wheel-1/7.vcd" in done.stderr) == (3, True)
    words = words_of(tmp_path / "changed.html")
    assert words.index("CAPTURES WERE CHANGED: wheel-1/7.vcd") < words.index("Summary")


def test_a_journal_whose_end_nothing_vouches_for_is_not_called_whole(tmp_path: Path) -> None:
    path, page = night(tmp_path / "journal.sqlite"), tmp_path / "night.html"
    witness_path(path).unlink()
    assert report(path, "-o", page).exit_code == 0
    assert "what may be cut off there, nothing shows" in words_of(page)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--table", "wheel-9"), "it has no table wheel-9; give one that it has: wheel-1"),
        (("--since", "2026-07-05", "--until", "2026-07-04"), "it must come after --since"),
        (("--since", "yesterday"), "'yesterday' is no time"),
        (("--zone", "Atlantis"), "no time zone"),
        (("-o", "night.doc"), "give a name that ends in .html or .pdf"),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_is_written(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = report(journal, *arguments)
    assert (done.exit_code, words in done.stderr) == (2, True), done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_report_is_never_written_over_another(journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert report(journal).stdout.startswith("casino-night-2026-07-04.html: ")
    again = report(journal).stderr
    assert "casino-night-2026-07-04.html exists already" in again
    assert "Invalid value" not in again


def test_a_time_without_events_is_warned_of_with_the_time_that_the_journal_has(journal: Path, tmp_path: Path) -> None:
    done = report(journal, "--since", "2020-01-01", "--until", "2020-01-02", "-o", tmp_path / "old.html")
    assert done.exit_code == 0
    assert f"no table has an event in this time: {journal} has events from 2026-07-04" in done.stderr
    assert report(journal, "-o", tmp_path / "night.html").stderr == ""


@pytest.mark.parametrize(
    ("time", "day"),
    [
        ("2026-07-04T23:30:00+00:00", "2026-07-04"),
        ("2026-07-05T05:30:00+00:00", "2026-07-04"),
        ("2026-07-05T15:59:59+00:00", "2026-07-04"),
        ("2026-07-05T16:00:00+00:00", "2026-07-05"),
        ("2026-11-01T16:30:00+00:00", "2026-10-31"),
    ],
)
def test_an_evening_is_from_noon_to_noon_of_the_zone(time: str, day: str) -> None:
    """The last is of the night in which clocks are set back."""
    zone = ZoneInfo("America/New_York")
    span = day_of(ns_of(time), zone)
    assert span.has(ns_of(time))
    assert span.since_ns == ns_of(f"{day}T12:00:00-04:00")


def test_the_wear_of_a_wheel_is_in_the_report_with_part_and_days(tmp_path: Path) -> None:
    path, page = tmp_path / "journal.sqlite", tmp_path / "night.html"
    values: list[int | float | None] = [0.04 + max(0, number - 15) / 2000 for number in range(60)]
    days: list[int | float] = [20_000 + number for number in range(60)]
    history = WearHistory(days=days, spins=[6] * 60, values={"rotor_slowing": values})
    with Evening(path) as writer:
        writer.opened("wheel-1")
        writer.round("wheel-1")
        writer.say(writer.event("wheel-1", DeviceCondition, device="wheel", history=history))
        writer.closed("wheel-1")
    assert report(path, "-o", page).exit_code == 0
    wear = (
        "Wear of wheels table measured spins worn wheel-1 360 bearing of the rotor: slowing of the rotor 0.0602 rpm/s"
    )
    assert wear in words_of(page)
    assert "limit 0.08 rpm/s; limit reached about 2025-01-07 (95 %: 2025-01-07 to 2025-01-07)" in words_of(page)


BOWL: list[int | float] = [22.5 + 45 * number for number in range(8)]


def test_a_drop_zone_is_looked_for_over_all_evenings_since_the_wheel_was_exchanged(tmp_path: Path) -> None:
    path, page = tmp_path / "journal.sqlite", tmp_path / "night.html"

    def spins(writer: Evening, number: int, arcs: int) -> None:
        for at in range(number):
            evidence = Evidence(left_track_deg=BOWL[at % arcs], left_track_doubt_deg=22.5, missed_passes=0)
            fields = {"round": at, "result": {"pocket": "1"}, "winning": [], "rule": "ours", "evidence": evidence}
            writer.say(writer.event("wheel-1", Outcome, **fields))

    def kept(writer: Evening, since: float) -> None:
        zone = ZoneCounts(deg=BOWL, doubt_deg=[22.5] * 8, blocks=[])
        history = WearHistory(counts=WatchCounts(since=since, zone=zone))
        writer.say(writer.event("wheel-1", DeviceCondition, device="wheel", history=history))

    with Evening(path) as writer:
        writer.opened("wheel-1")
        spins(writer, 40, 8)
        kept(writer, 1.0)
        kept(writer, 2.0)  # the wheel was exchanged
        for _ in range(2):
            spins(writer, 40, 4)
            kept(writer, 2.0)
            writer.clock.advance_to(writer.clock.now_ns() + 48 * HOUR_NS)
        writer.round("wheel-1")
        writer.closed("wheel-1")
    assert report(path, "-o", page).exit_code == 0
    zone = "Drop zones of wheels table spins most striking third wheel-1 80 SUSPECTED between 30° and 150° of the bowl"
    assert zone in words_of(page), "one in which the ball never left four of the arcs, over two evenings"
    assert "Wear of wheels" not in words_of(page)


def test_misfires_are_counted_and_by_dealer_only_with_the_list_of_the_house(journal: Path, tmp_path: Path) -> None:
    page, shifts = tmp_path / "night.html", tmp_path / "shifts.toml"
    shifts.write_text('[[shift]]\ndealer = "d17"\nsince = 2026-07-01T00:00:00Z\nuntil = 2026-07-09T00:00:00Z\n')
    assert report(journal, "-o", page).exit_code == 0
    words = words_of(page)
    head = "Misfires table cause device rounds of all in the hour from trend made good wheel-1 void: "
    assert head in words
    assert " – 1 20.0% 2026-07-04 " in words[words.index(head) :]
    assert "– 100.0% The device is that whose fault refused the round. “Made good” is the share" in words
    assert "Pace table results an hour in play idle betting play paying wheel-1 " in words
    assert "d17" not in words
    shifts.chmod(0o644)
    refused = report(journal, "-o", tmp_path / "other.html", "--dealers", shifts)
    assert refused.exit_code == 2
    assert "mode 0644 lets others read who dealt" in " ".join(refused.stderr.replace("│", "").split())
    shifts.chmod(0o600)
    assert report(journal, "-o", tmp_path / "dealers.html", "--dealers", shifts).exit_code == 0
    words = words_of(tmp_path / "dealers.html")
    assert "By dealer dealer rounds refused of all causes d17 5 1 20.0% void: " in words
    assert "in no shift" not in words
    assert (tmp_path / "dealers.html").stat().st_mode & 0o777 == 0o600
    whole = shifts.read_text()
    shifts.write_text(whole.replace("[[shift]]", '[[shift]]\ntable = "wheel-7"'))
    refused = report(journal, "-o", tmp_path / "none.html", "--dealers", shifts)
    assert refused.exit_code == 2
    unknown = "shift 1: the journal has no table wheel-7; write one of: wheel-1"
    assert unknown in " ".join(refused.stderr.replace("│", "").split())
    shifts.write_text(whole.replace("2026-07-09", "2026-07-02"))
    assert report(journal, "-o", tmp_path / "none.html", "--dealers", shifts).exit_code == 0
    assert "Do not publish this page. 5 rounds in no shift of the list." in words_of(tmp_path / "none.html")


def test_how_dice_were_shaken_is_listed_where_there_are_dice(journal: Path, tmp_path: Path) -> None:
    path, page = tmp_path / "journal.sqlite", tmp_path / "night.html"
    with Evening(path) as writer:
        writer.opened("dice-1")
        for number in range(1, 61):
            tumble = Tumbling(baffle_passes=[2, 2, 2], moved_s=1.5, pulses=20 if number <= 30 else 10)
            about: dict[str, Any] = {"round": number, "result": {"dice": [1, 2]}, "winning": [], "rule": "ours"}
            writer.say(writer.event("dice-1", Outcome, **about, evidence=Evidence(tumbles=[tumble])))
    assert report(path, "-o", page).exit_code == 0
    words = words_of(page)
    head = "How dice were shaken table tumbles time pulses turns unevenness most striking in the later half dice-1 60 "
    assert f"{head}1.50 s 15 – – the number of pulses has a median of 10 in 30 tumbles, and had 20 in the 30" in words
    assert report(journal, "-o", tmp_path / "wheel.html").exit_code == 0
    assert "shaken" not in words_of(tmp_path / "wheel.html")


def test_calls_and_shakes_are_listed_by_table_and_by_dealer_only_with_the_list_of_the_house(tmp_path: Path) -> None:
    path, page, shifts = tmp_path / "journal.sqlite", tmp_path / "night.html", tmp_path / "shifts.toml"
    with Evening(path) as writer:
        writer.opened("dice-1")
        for number, (margin_s, pulses) in enumerate([(4, 20), (2, 20), (1, 8)], 1):
            start_ns = writer.clock.now_ns()
            dice: dict[str, Any] = {"result": {"dice": [1, 2]}, "winning": [], "rule": "ours"}
            tumble = Tumbling(shakes=3, moved_s=1.5, pulses=pulses)
            for kind, s, fields in (
                (NoMoreBets, 0, {"by": "dealer", "rule": "ours"}),
                (RoundStarted, margin_s, {}),
                (Outcome, 20, {**dice, "evidence": Evidence(tumbles=[tumble])}),
                (Settled, 30 + margin_s, {"by": "dealer"}),
            ):
                mono_ns = start_ns + s * NS_PER_S
                writer.say(writer.event("dice-1", kind, round=number, mono_ns=mono_ns, **fields))
    (told,) = read_evening(path, ALWAYS).tables
    change = told.verdicts[3].time
    for dealer, key in (("d4", "until"), ("d17", "since")):
        other = "since = 2026-07-01T00:00:00Z" if key == "until" else "until = 2026-07-09T00:00:00Z"
        with shifts.open("a") as file:
            file.write(f'[[shift]]\ndealer = "{dealer}"\n{key} = {change}\n{other}\n')
    shifts.chmod(0o600)
    assert report(path, "-o", page).exit_code == 0
    words = words_of(page)
    heads = "called before least late settled after longest late wagers"
    assert f"Calls and settling table {heads} dice-1 3 2.0 s 1.0 s 0 30.0 s 30.0 s 0 Called before: from" in words
    assert "By dealer" not in words
    assert report(path, "-o", tmp_path / "dealers.html", "--dealers", shifts).exit_code == 0
    words = words_of(tmp_path / "dealers.html")
    assert (
        f"dealer {heads} d17 1 1.0 s 1.0 s 0 30.0 s 30.0 s 0 d4 2 3.0 s 2.0 s 0 30.0 s 30.0 s 0 dealer tumbles" in words
    )
    assert "turns unevenness d17 1 1.50 s 8 3 – d4 2 1.50 s 20 3 –" in words


def said(kind: Any, s: float, number: int = 1, **fields: Any) -> Any:
    about = {"table": "t", "game": "roulette", "simulated": True, "round": number, "mono_ns": round(s * NS_PER_S)}
    return kind(**about, **fields)


def test_the_pace_of_a_night_is_that_of_its_rounds_and_a_new_start_has_a_clock_of_its_own() -> None:
    pace = RoundSteps()
    of_round: dict[str, Any] = {"evidence": Evidence(), "rule": "ours"}
    for begin_s in (0, 1000):
        assert not pace.see(said(RoundOpened, begin_s))
        assert not pace.see(said(RoundStarted, begin_s + 300, direction=None))
        assert pace.see(said(Void, begin_s + 320, call="No spin", reason="ball_direction", **of_round))
        assert not pace.see(said(Settled, begin_s + 330, by="dealer"))
    assert (pace.games, pace.played_ns, pace.idle_ns) == (0, 660 * NS_PER_S, 240 * NS_PER_S)
    assert pace.medians_s == {"betting": 180.0, "play": 20.0, "paying": 10.0}
    pace.see(said(RoundOpened, 2000))
    pace.restarted()
    assert not pace.see(said(Outcome, 5, result={}, winning=[], **of_round))
    assert pace.played_ns == 660 * NS_PER_S


def test_the_paying_of_a_round_that_was_never_settled_is_no_part_of_the_pace() -> None:
    pace = RoundSteps()
    of_round: dict[str, Any] = {"evidence": Evidence(), "rule": "ours"}
    pace.see(said(RoundOpened, 0, 1))
    pace.see(said(NoMoreBets, 30, 1, by="dealer", rule="ours"))
    assert pace.see(said(Outcome, 50, 1, result={}, winning=[], **of_round))
    pace.see(said(RoundOpened, 100, 2))
    assert not pace.see(said(Settled, 120, 1, by="dealer"))
    assert (pace.played_ns, pace.medians_s) == (50 * NS_PER_S, {"betting": 30.0, "play": 20.0})
    assert pace.see(said(Void, 140, 2, call="No spin", reason="dealer_call", **of_round))
    pace.see(said(Settled, 145, 2, by="dealer"))
    assert (pace.played_ns, pace.games) == ((50 + 45) * NS_PER_S, 1)
    assert pace.medians_s == {"betting": 35.0, "play": 10.0, "paying": 5.0}


def test_a_late_call_is_named_by_its_round(tmp_path: Path) -> None:
    path, page = tmp_path / "journal.sqlite", tmp_path / "night.html"
    with Evening(path) as writer:
        writer.opened("dice-1")
        for number, called_s in ((1, 2), (2, 5)):
            start_ns = writer.clock.now_ns()
            said: dict[str, Any] = {"result": {"dice": [1, 2]}, "winning": [], "rule": "ours", "evidence": Evidence()}
            for kind, s, fields in (
                (NoMoreBets, called_s, {"by": "dealer", "rule": "ours"}),
                (RoundStarted, 4, {}),
                (Outcome, 9, said),
            ):
                mono_ns = start_ns + s * NS_PER_S
                writer.say(writer.event("dice-1", kind, round=number, mono_ns=mono_ns, **fields))
    assert report(path, "-o", page).exit_code == 0
    assert "Called late, or not at all: dice-1 round 2." in words_of(page)


def test_the_pace_counts_the_results_that_the_table_of_results_has(tmp_path: Path) -> None:
    """An hour with 20 results, 19 of which a person called."""
    path, page = tmp_path / "journal.sqlite", tmp_path / "night.html"
    unresolved = Verdict(verdict="unresolved", reason="edges_lost")
    rest: dict[str, Any] = {"rule": "ours", "evidence": Evidence()}
    with Evening(path) as writer:
        writer.opened("wheel-1")
        for number in range(1, 21):
            writer.say(writer.event("wheel-1", RoundOpened, round=number))
            writer.clock.advance_to(writer.clock.now_ns() + 178 * NS_PER_S)
            if number == 1:
                writer.say(writer.event("wheel-1", Outcome, round=1, result=TWO.result, winning=[], **rest))
            else:
                about = {"reason": "edges_lost", "candidates": [], **rest}
                writer.say(writer.event("wheel-1", Unresolved, round=number, **about))
                ruling = {"by": "ann", "from_": unresolved, "to": TWO, "why": "seen", "confirmed": True}
                writer.say(writer.event("wheel-1", RoundCorrected, round=number, **ruling))
            writer.say(writer.event("wheel-1", Settled, round=number, by="auto"))
    assert report(path, "-o", page).exit_code == 0
    assert "betting play paying wheel-1 19.9 1 h 00 min" in words_of(page)
