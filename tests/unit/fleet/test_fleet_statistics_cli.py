"""`feltwire fleet statistics` on files: what it prints, writes and refuses."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest
from click.testing import CliRunner, Result

from command_line import report_file
from command_line.report_charts import Bar, OpenTimes, bars, open_times
from command_line.report_page import of_hours, of_time, of_zone
from controller.cli import main
from controller.games.catalogue import GAME
from controller.rules.house import house_words
from feed.events import decode
from feed.reasons import explained
from fleet.cli import statistics as fleet_statistics
from fleet.cli.bias_chart import counts
from fleet.cli.numbers import show_summary
from fleet.cli.report import FleetHeading, advice, of_result, report_page
from fleet.statistics.columns import COLUMNS
from fleet.statistics.dataset import Choice, Dataset, collecting
from fleet.statistics.readers import CardReaderLine
from fleet.statistics.summary import DropZone, ShakenDice, Summary, WornWheel, ZoneNotJudged, summarize
from fleet.subjects import TableName
from tests.fakes.table_history import NS, UNRESOLVED, VOID, TableHistory, outcome_of

ROOT = Path(__file__).resolve().parents[3]
NEW_YORK = ZoneInfo("America/New_York")
NASTY = "<script>alert(1)</script> & \u202e"


def statistics(*words: object) -> Result:
    return CliRunner().invoke(main, ["fleet", "statistics", *map(str, words)], prog_name="feltwire")


def evening(simulated: bool = False) -> TableHistory:
    """A wheel on which 17 comes far too often, with refusals, faults and corrections."""
    history = TableHistory(simulated=simulated).open()
    for number in range(400):
        history.later(30).pocket("17" if number % 6 == 0 else str(number % 37), passes=16, missed_passes=1)
    history.void().void("wheel_reversed", "ours").unresolved()
    history.corrected(403, UNRESOLVED, outcome_of("4"), confirmed=True).corrected(
        1, outcome_of("17"), VOID
    ).fault().later(600).cleared().violation().unknown()
    history.warned()
    return history.later(30).close()


def exported(path: Path, *histories: TableHistory) -> Path:
    path.write_bytes(b"".join(body + b"\n" for history in histories for body in history.bodies))
    return path


@pytest.fixture(scope="module")
def weekend(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weekend")
    file = exported(folder / "hall.jsonl", evening())
    done = statistics("collect", folder / "data", f"hall={file}")
    assert done.exit_code == 0, done.output
    return folder / "data"


@pytest.fixture(scope="module")
def summary(weekend: Path) -> Summary:
    return summarize(Dataset(weekend), Choice(), GAME)


def test_a_second_collection_reports_what_was_there(tmp_path: Path) -> None:
    history = evening()
    file = exported(tmp_path / "a.jsonl", history)
    first = statistics("collect", tmp_path / "data", f"hall={file}")
    events = len(history.bodies)
    assert f"hall/roulette-1                  events up to {events}, {events} new\n" in first.stdout
    again = statistics("collect", tmp_path / "data", f"hall={file}")
    assert again.stdout.endswith(f"0 new events, {events} that were here\n")


def test_a_hole_and_lines_that_are_no_events_are_reported(tmp_path: Path) -> None:
    bodies = evening().bodies
    file = tmp_path / "a.jsonl"
    file.write_bytes(bodies[0] + b"\n" + bodies[2] + b'\n{"half": \n\n' + bodies[3])
    done = statistics("collect", tmp_path / "data", f"hall={file}")
    assert (done.exit_code, "events up to 4, 3 new, 1 missing" in done.stdout) == (0, True)
    assert "1 message left out: not an event of a table" in done.stderr and "line 3" in done.stderr
    shown = statistics("show", tmp_path / "data")
    assert "note: hall/roulette-1: 1 event is missing; no heartbeat of it was seen" in shown.stdout
    assert "note: 1 message not read as an event, and left out" in shown.stdout


def test_it_shows_the_numbers_and_what_is_suspected(weekend: Path) -> None:
    shown = statistics("show", weekend, "--zone", "America/New_York").stdout
    assert "1 table, 2026-07-04 16:00:00 to 2026-07-04 19:30:30, America/New_York (UTC-04:00)" in shown
    assert re.search(r"hall/roulette-1 +3 h 30 min +10 min 00 s +400 +114\.", shown), shown
    assert re.search(r"wheel_reversed \(void\) +1 +1 +ours", shown)
    assert re.search(r"hall/roulette-1 wheel +pocket +399 ", shown)
    assert "hall/roulette-1 wheel: falls unfair: pocket 17 came" in shown
    assert "note: 1 event of feltwire.round.outcome.v2, which this software does not know" in shown
    found = json.loads(statistics("show", weekend, "--json").stdout)
    assert (found["tables"][0]["outcomes"], found["simulated"]) == (400, False)


def test_times_without_a_zone_are_in_the_zone_that_is_given(weekend: Path) -> None:
    words = ("show", weekend, "--json", "--until", "2026-07-04T16:01", "--zone", "America/New_York")
    assert json.loads(statistics(*words).stdout)["tables"][0]["outcomes"] == 0
    late = statistics("show", weekend, "--json", "--since", "2026-07-04T20:00:40", "--until", "2026-07-04T20:01:40Z")
    assert json.loads(late.stdout)["tables"][0]["rounds"] == 2
    assert "no event is in what was asked for" in statistics("show", weekend, "--since", "2027-01-01").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "{data}", "--venue", "hell"), "'hell' is not here; there is hall"),
        (("show", "{data}", "--table", "craps-1"), "'craps-1' is not here; there is roulette-1"),
        (("show", "{data}", "--simulated"), "those that are here are real; leave out --simulated"),
        (("show", "{data}", "--zone", "Mars/Olympus"), "is no time zone; write one as America/New_York"),
        (("show", "{data}", "--zone", "../../etc/passwd"), "is no time zone"),
        (("show", "{data}", "--since", "tomorrow"), "is no time; expected 2026-07-04"),
        (("show", "{data}", "--since", "2026-07-05", "--until", "2026-07-04"), "is not before"),
        (("show", "{tmp}"), "no events were collected here"),
        (("report", "{data}", "-o", "{tmp}/x.doc"), "a name that ends in .html or .pdf"),
        (("report", "{data}", "-o", "{tmp}/no/x.html"), "cannot be written"),
        (("collect", "{tmp}/d", "hall"), "write nats://HOST:PORT for a server, or VENUE=FILE"),
        (("collect", "{tmp}/d", "A.b={tmp}/x"), "atlantic-hall"),
        (("collect", "{tmp}/d", "hall={tmp}/none"), "it cannot be read"),
        (("collect", "{tmp}/d", "hall={tmp}/csv"), "csv line 1: no event"),
        (("collect", "{tmp}/d", "hall={tmp}/journal"), "journal:"),
        (("collect", "{tmp}/d", "nats://127.0.0.1:1"), "no server answers there"),
        (("collect", "{tmp}", "hall={tmp}/csv"), "it holds other files"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(
    weekend: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "csv").write_text("venue,table,seq\nhall,roulette-1,1\n")
    (tmp_path / "journal").write_bytes(b"SQLite format 3\0" + b"x" * 2000)
    done = statistics(*(word.format(data=weekend, tmp=tmp_path) for word in words))
    code = 1 if "no server" in said else 2
    assert (done.exit_code, said in done.stderr.replace("\n", " ")) == (code, True), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_another_history_ends_it_with_its_own_code(weekend: Path, tmp_path: Path) -> None:
    other = exported(tmp_path / "b.jsonl", TableHistory().open().later(1).open())
    history = TableHistory()
    history.epoch = "another"
    exported(tmp_path / "c.jsonl", history.open())
    done = statistics("collect", tmp_path / "data", f"hall={other}", f"hall={tmp_path / 'c.jsonl'}")
    assert (done.exit_code, "are not those that were collected before" in done.stderr) == (3, True)


def test_without_duckdb_it_states_what_to_install(weekend: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_statistics, "find_spec", lambda _name: None)
    for words in (("show", weekend), ("collect", weekend, "nats://127.0.0.1:1"), ("report", weekend, "-o", "x.html")):
        done = statistics(*words)
        assert (done.exit_code, "requirements/statistics.lock" in done.stderr) == (2, True)


# --- the report -------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """The words of a page, and every address in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        # A place where a word may be broken is not a space.
        self.words += [] if tag == "wbr" else [" "]
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action", "data")]

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def page_of(summary: Summary, title: str = "Hall") -> tuple[Page, str]:
    text = report_page(summary, FleetHeading(title, 1_783_195_200 * NS, NEW_YORK, "feltwire 0.1.0"), house_words)
    return Page(text), text


def test_the_report_has_every_section_and_the_numbers_of_the_summary(summary: Summary) -> None:
    page, _ = page_of(summary)
    for said in (
        "2026-07-04 16:00:00 to 2026-07-04 19:30:30",
        "America/New_York (UTC-04:00)",
        "1 Summary",
        "400 games with a result",
        "2 Tables",
        "3 Refused rounds",
        "1 round refused by a rule of the State; 2 rounds by our own caution",
        "no_more_bets_after_drop",
        "4 Faults",
        "wheel (roulette_wheel) sensor_missing 1 1 1 of 1 3.5 10 min 00 s",
        "5 Wear and bias",
        "SUSPECTED",
        "Rounds until a bias shows",
        "6 What to look at in the workshop",
        "clean and adjust the track sensors",
        "7 Corrections and calls",
        "pocket 17, color red void anna camera",
        "8 What these numbers do not know",
        "no heartbeat of it was seen",
        "feltwire.round.outcome.v2 (1)",
        "9 How this was computed",
    ):
        assert said in page.text, said
    assert page.tags.count("svg") >= 4


def test_the_report_loads_nothing_and_runs_nothing(summary: Summary) -> None:
    page, text = page_of(summary)
    assert (page.addresses, "script" in page.tags, "url(" in text, "@import" in text) == ([], False, False, False)
    assert "default-src 'none'" in text
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)[^\s\"<]+", text) == []


def test_what_people_and_tables_state_cannot_become_a_part_of_the_page(tmp_path: Path) -> None:
    history = TableHistory().open().pocket("1").later(5)
    history.bodies[-1] = history.bodies[-1].replace(b'"pocket":"1"', b'"pocket":"<b>1</b>"')
    history.corrected(1, outcome_of("1"), VOID)
    history.bodies[-1] = history.bodies[-1].replace(b"camera", NASTY.encode())
    with collecting(tmp_path) as collector:
        for seq, body in enumerate(history.bodies, 1):
            collector.add(TableName("hall", False, "roulette-1"), decode(body), body, str(seq))
    page, text = page_of(summarize(Dataset(tmp_path), Choice(), GAME), NASTY)
    assert "script" not in page.tags and "<b>1</b>," not in text
    assert "<script>alert(1)</script> & \\u202e" in page.text


def test_simulated_tables_are_marked_on_the_first_page(tmp_path: Path) -> None:
    file = exported(tmp_path / "a.jsonl", evening(simulated=True))
    statistics("collect", tmp_path / "data", f"hall={file}")
    done = statistics("report", tmp_path / "data", "-o", tmp_path / "a.html", "--simulated", "--title", "Bench")
    assert done.stdout == f"{tmp_path / 'a.html'}: 1 table\n", done.output
    assert "SIMULATED TABLES: no real game was played" in (tmp_path / "a.html").read_text()
    again = statistics("report", tmp_path / "data", "-o", tmp_path / "a.html", "--simulated")
    assert (again.exit_code, "exists already" in again.stderr) == (2, True)


def test_tables_by_house_rules_are_marked_in_report_and_numbers(
    summary: Summary, capsys: pytest.CaptureFixture[str]
) -> None:
    first, *others = summary.tables
    house = msgspec.structs.replace(first, rules="house")
    own = msgspec.structs.replace(summary, tables=[house, *others])
    show_summary(own, NEW_YORK, house_words)
    for text in (page_of(own)[0].text, capsys.readouterr().out):
        assert f"{first.venue}/{first.table} by HOUSE RULES" in text
        assert not others or f"{others[0].venue}/{others[0].table} by" not in text


def test_an_evening_without_anything_is_a_report_that_states_so(tmp_path: Path) -> None:
    with collecting(tmp_path):
        pass
    page, _ = page_of(summarize(Dataset(tmp_path), Choice(), GAME))
    assert "No event of a table is in what was asked for." in page.text
    assert "No fault." in page.text


def test_every_fault_of_the_summary_has_what_to_do(summary: Summary) -> None:
    found = {one.where: one for one in advice(summary)}
    assert found["hall/roulette-1 wheel"].do
    (fault,) = [one for one in advice(summary) if one.why.startswith("sensor_missing, once: ball_2 is silent")]
    assert fault.do in {row.to_do for row in explained()["sensor_missing"]}


def test_a_browser_that_prints_nothing_is_reported(
    weekend: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho no display >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(report_file, "_BROWSERS", (str(program),))
    done = statistics("report", weekend, "-o", tmp_path / "a.pdf")
    assert (done.exit_code, "printed nothing: no display; write a .html" in done.stderr) == (1, True)
    monkeypatch.setattr(report_file, "_BROWSERS", ())
    done = statistics("report", weekend, "-o", tmp_path / "a.pdf")
    assert (done.exit_code, "apt install chromium" in done.stderr) == (2, True)
    assert not (tmp_path / "a.pdf").exists()


def test_a_pdf_is_what_the_browser_printed(weekend: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "chromium"
    program.write_text(
        '#!/bin/sh\nfor word; do case "$word" in --print-to-pdf=*) made="${word#*=}";; esac; done\n'
        'case "$word" in file:///*report.html) echo %PDF > "$made";; *) exit 1;; esac\n'
    )
    program.chmod(0o755)
    monkeypatch.setattr(report_file, "_BROWSERS", (str(program),))
    done = statistics("report", weekend, "-o", tmp_path / "a.pdf")
    assert (done.exit_code, (tmp_path / "a.pdf").read_text()) == (0, "%PDF\n")


def test_charts_of_nothing_and_of_one_moment_are_drawn_or_left_out(summary: Summary) -> None:
    assert (open_times([], UTC), bars([], "x"), bars([Bar("a", 0.0, "0")], "x")) == ("", "", "")
    assert "<svg" in open_times([OpenTimes("a" * 99, [(5, 5)], [])], UTC)
    assert counts(summary.bias[0], "17").count("<rect") > 37
    day = 86_400 * NS
    weeks = open_times([OpenTimes("a", [(day, 40 * day)], [(2 * day, 3 * day)])], NEW_YORK)
    assert weeks.count("#d9d9d9") <= 8 and "Jan" in weeks
    seconds = open_times([OpenTimes("a", [(3601 * NS, 3640 * NS)], [])], UTC)
    assert ">01:00:15<" in seconds and ">01:00:30<" in seconds


@pytest.mark.parametrize(
    ("begin", "end", "labels"),
    [
        ("2026-10-30T12", "2026-11-04T12", ["Oct 31", "Nov 01", "Nov 02", "Nov 03", "Nov 04"]),
        ("2026-10-31T20", "2026-11-01T07", ["22:00", "00:00", "02:00", "04:00", "06:00"]),
        ("2026-10-31T23", "2026-11-01T03", ["00:00", "01:00", "01:00", "02:00", "03:00"]),
        ("2027-03-12T20", "2027-03-17T12", ["Mar 13", "Mar 14", "Mar 15", "Mar 16", "Mar 17"]),
    ],
)
def test_an_axis_over_a_change_of_the_clock_has_each_day_once_and_whole_hours(
    begin: str, end: str, labels: list[str]
) -> None:
    first, last = (int(datetime.fromisoformat(one).replace(tzinfo=NEW_YORK).timestamp()) * NS for one in (begin, end))
    chart = open_times([OpenTimes("a", [(first, last)], [])], NEW_YORK)
    assert re.findall(r">(\w{3} \d\d|\d\d:\d\d)<", chart) == labels


@pytest.mark.parametrize(
    ("length_ns", "said"),
    [(0, "0 s"), (59 * NS, "59 s"), (61 * NS, "1 min 01 s"), (3600 * NS, "1 h 00 min"), (90_000 * NS, "25 h 00 min")],
)
def test_lengths_of_time_are_in_words(length_ns: int, said: str) -> None:
    assert of_hours(length_ns) == said


def test_results_and_times_are_in_words() -> None:
    assert of_result('{"pocket":"17","index":4}') == "pocket 17"
    assert of_result('{"player":{"cards":["9s","Kd"]},"winner":"tie"}') == "player cards 9s Kd, winner tie"
    assert of_result("no json") == "no json"
    assert (of_time(None, UTC), of_zone(UTC, 0)) == ("?", "UTC")


def test_the_page_of_the_fleet_lists_every_column() -> None:
    page = (ROOT / "docs" / "fleet.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \| (VARCHAR|BIGINT|DOUBLE|BOOLEAN|TIMESTAMP_NS) \| (.*) \|$", page, re.MULTILINE)
    assert listed == [(name, column.type, column.meaning) for name, column in COLUMNS.items()]


def test_the_report_shows_drop_zones_and_the_workshop_one_that_is_suspected(summary: Summary) -> None:
    zone = DropZone("hall", "roulette-1", 300, "between 0° and 120° of the bowl", 1e-9, 2e-9, True)
    suspected = msgspec.structs.replace(summary, zones=[zone])
    page = report_page(suspected, FleetHeading("t", 0, UTC, "s"), house_words)
    assert "<h3>Drop zones</h3>" in page
    assert "2e-09 SUSPECTED" in page.replace("<wbr>", "")
    assert "level the wheel; inspect track and deflectors" in [one.do for one in advice(suspected)]
    assert "Drop zones" not in report_page(summary, FleetHeading("t", 0, UTC, "s"), house_words)


def test_the_report_shows_how_dice_are_shaken_and_the_workshop_those_that_fell_behind(summary: Summary) -> None:
    dice = ShakenDice("hall", "sic-bo-1", 1200, (2.25, 27.0, None, None), "the number of pulses has", 1e-9, True)
    page = report_page(
        msgspec.structs.replace(summary, shaken=[dice]), FleetHeading("t", 0, UTC, "s"), house_words
    ).replace("<wbr>", "")
    assert "<h3>How dice are shaken</h3>" in page
    cells = re.search(r"<td>hall/sic-bo-1</td>.*?</tr>", page)
    assert cells is not None
    assert re.findall(r">([^<>]+)<", cells[0])[1:6] == ["1,200", "2.25 s", "27", "–", "–"]
    assert "1e-09 SUSPECTED" in cells[0]
    found = [one for one in advice(msgspec.structs.replace(summary, shaken=[dice])) if "shaken" in one.why]
    assert [one.where for one in found] == ["hall/sic-bo-1 dice"]
    assert "How dice are shaken" not in report_page(summary, FleetHeading("t", 0, UTC, "s"), house_words)


def test_the_report_shows_what_is_worn_and_tells_the_workshop(summary: Summary) -> None:
    words = "bearing of the rotor: limit reached about 2026-12-14"
    worn = msgspec.structs.replace(
        summary, wear=[WornWheel("hall", "roulette-1", 240, words), WornWheel("hall", "roulette-2", 96, "")]
    )
    page = report_page(worn, FleetHeading("t", 0, UTC, "s"), house_words).replace("<wbr>", "")
    assert "<h3>Wear of wheels</h3>" in page
    assert words in page
    assert "nothing is worn, or not learnt yet" in page
    assert [one.why for one in advice(worn) if one.do == "clean or exchange that part before its limit"] == [words]
    assert "Wear of wheels" not in report_page(summary, FleetHeading("t", 0, UTC, "s"), house_words)


def test_the_report_shows_readers_of_cards_and_the_workshop_one_that_is_worse(summary: Summary) -> None:
    readers = [
        CardReaderLine("hall", "b-1", "baccarat", 1000, 2, 8.0, 0.99, 1.0, suspected=False),
        CardReaderLine("hall", "b-2", "baccarat", 1000, 14, 8.0, 0.0021, 0.0042, suspected=True),
        CardReaderLine("hall", "j-1", "blackjack", 1200, 3, None, None, None, suspected=False),
    ]
    of_cards = msgspec.structs.replace(summary, readers=readers)
    page = report_page(of_cards, FleetHeading("t", 0, UTC, "s"), house_words).replace("<wbr>", "")
    cells = [re.findall(r">([^<>]+)<", row) for row in re.findall(r"<td>hall/[bj]-\d</td>.*?</tr>", page)]
    assert [row[2:] for row in cells if len(row) == 7] == [
        ["1,000", "2", "8.0", "0.99", "1"],
        ["1,000", "14", "8.0", "0.0021", "0.0042 SUSPECTED"],
        ["1,200", "3", "–", "–", "–"],
    ]
    found = [one for one in advice(of_cards) if "not read" in one.why]
    assert [one.where for one in found] == ["hall/b-2 shoe"]
    assert "<h3>Readers of cards" not in report_page(summary, FleetHeading("t", 0, UTC, "s"), house_words)


def test_the_report_lists_the_tables_whose_drop_zone_is_not_judged_with_the_reason(summary: Summary) -> None:
    why = "the ball never left the track in 225° of the bowl <b>"
    unknown = msgspec.structs.replace(summary, zones_not_judged=[ZoneNotJudged("hall", "roulette-1", 2300, why)])
    page = report_page(unknown, FleetHeading("t", 0, UTC, "s"), house_words).replace("<wbr>", "")
    assert "<h3>Drop zones that are not judged</h3>" in page
    assert "2,300" in page
    assert why.replace("<b>", "&lt;b&gt;") in page
