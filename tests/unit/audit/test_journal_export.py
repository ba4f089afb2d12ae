"""What is read out of a journal: rounds recalled, events chosen, lines for programs and for spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from audit.errors import JournalError
from audit.export import COLUMNS, caused_by, csv_heading, csv_lines, json_line
from audit.queries import Selection, Span, find, last_of, parse_moment, recall, select, span_of, tables
from audit.records import COMMANDS, Record
from feed.events import Evidence, RoundCorrected, RoundDisputed, RoundOpened, Verdict, Void
from tests.unit.audit.making import Evening, evening, tampering


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return evening(tmp_path_factory.mktemp("export") / "journal.sqlite", rounds=24)


def chosen(path: Path, **given: object) -> list[Record]:
    return [one.record for one in select(path, Selection(**given))]  # type: ignore[arg-type]


# --- recall ----------------------------------------------------------------------------------------------------------


def test_the_last_ten_rounds_are_recalled_with_their_evidence_the_newest_last(journal: Path) -> None:
    recalled = recall(journal, "wheel-1")
    assert [one.number for one in recalled.rounds] == list(range(15, 25))
    for one in recalled.rounds:
        assert len(one.events) == 3
        assert [json.loads(body)["subject"] for body in one.bodies] == [f"round/{one.number}"] * 3


def test_as_many_as_there_are_when_more_are_asked_for(journal: Path) -> None:
    assert [one.number for one in recall(journal, "wheel-1", 1000).rounds] == list(range(1, 25))


def test_a_correction_made_rounds_later_is_recalled_with_its_round(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        for _ in range(4):
            writer.round("wheel-1")
        before = Verdict(verdict="outcome", result={"space": 2, "face": "$2"})
        after = Verdict(verdict="outcome", result={"space": 9, "face": "$5"})
        corrected = {"by": "ann", "from_": before, "to": after, "why": "the pit saw it"}
        writer.say(writer.event("wheel-1", RoundCorrected, round=2, **corrected))
        (row,) = table_of(chosen(path, kinds=["round.corrected"]))
        last = recall(path, "wheel-1", 3).rounds
    assert [one.number for one in last] == [2, 3, 4]
    assert [event.data.kind for event in last[0].events][-1] == "round.corrected"
    assert (json.loads(row["result"]), row["by"], row["detail"]) == (after.result, "ann", "the pit saw it")


def test_what_people_do_about_an_older_round_hides_nothing_of_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        writer.round("wheel-1")
        writer.say(writer.event("wheel-1", RoundOpened, round=2))
        stands = Verdict(verdict="outcome", result={"space": 1, "face": "$2"})
        writer.say(writer.event("wheel-1", RoundDisputed, round=1, by="ann", stands=stands))
        words = {"call": "No spin", "reason": "wheel_revolutions", "rule": "13:47-20.29(e)", "evidence": Evidence()}
        writer.say(writer.event("wheel-1", Void, round=2, **words))
        (last,) = recall(path, "wheel-1", 1).rounds
        (disputed,) = recall(path, "wheel-1", None, Selection(rounds=Span(1, 1))).rounds
    assert [event.data.kind for event in last.events] == ["round.opened", "round.void"]
    assert [event.data.kind for event in disputed.events][-1] == "round.disputed"


@pytest.mark.parametrize(
    ("selection", "numbers"),
    [
        (Selection(rounds=Span(5, 5)), [5]),
        (Selection(rounds=Span(22, None)), [22, 23, 24]),
        (Selection(since=parse_moment("2026-07-04T19:00:00"), rounds=Span(None, 2)), [1, 2]),
        (Selection(until=parse_moment("2026-07-04T19:00:00")), []),
        (Selection(rounds=Span(99, None)), []),
    ],
)
def test_rounds_are_recalled_by_number_and_by_the_time_of_their_verdict(
    journal: Path, selection: Selection, numbers: list[int]
) -> None:
    assert [one.number for one in recall(journal, "wheel-1", None, selection).rounds] == numbers


def test_a_round_without_a_verdict_is_not_recalled(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        assert recall(path, "wheel-1").rounds == []


def test_a_table_that_is_not_there_is_told_with_those_that_are(journal: Path) -> None:
    with pytest.raises(JournalError, match="it has no table wheel-9; give one that it has: wheel-1, wheel-2"):
        recall(journal, "wheel-9")


def test_what_is_no_event_is_told_and_not_recalled(tmp_path: Path) -> None:
    path = evening(tmp_path / "journal.sqlite")
    with tampering(path) as connection:
        connection.execute("UPDATE record SET body = x'00' WHERE kind = 'round.outcome'")
    with pytest.raises(JournalError, match="feltwire journal verify"):
        recall(path, "wheel-1")


# --- choosing --------------------------------------------------------------------------------------------------------


def test_everything_is_chosen_in_the_order_in_which_it_was_written_but_the_commands(journal: Path) -> None:
    records = chosen(journal)
    assert [one.n for one in records] == sorted(one.n for one in records)
    assert {one.chain for one in records} == {"wheel-1", "wheel-2"}
    assert {one.chain for one in chosen(journal, tables=[COMMANDS])} == {COMMANDS}


def test_by_table_kind_and_time(journal: Path) -> None:
    middle = parse_moment("2026-07-04T19:00:40")
    early = chosen(journal, tables=["wheel-1"], kinds=["round.outcome"], until=middle)
    late = chosen(journal, tables=["wheel-1"], kinds=["round.outcome"], since=middle)
    assert early
    assert late
    assert max(one.time for one in early) < "2026-07-04T19:00:40" <= min(one.time for one in late)
    assert early + late == chosen(journal, tables=["wheel-1"], kinds=["round.outcome"])
    assert chosen(journal, since=parse_moment("2026-07-05")) == []
    assert chosen(journal, since=parse_moment("2026-07-04T21:00:00+02:00")) == chosen(journal)


def test_the_beginning_is_included_and_the_end_is_not(journal: Path) -> None:
    times = sorted({one.time for one in chosen(journal)})
    since, until = parse_moment(times[3]), parse_moment(times[5])
    assert [one.time for one in chosen(journal, since=since, until=until)] == times[3:5]


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "19:00"])
def test_a_time_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected 2026-07-04"):
        parse_moment(text)


def test_a_reading_that_began_goes_on_while_the_service_writes_and_ends_where_it_began(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.opened("wheel-1")
        for _ in range(4):
            writer.round("wheel-1")
        reading: Iterator[object] = select(path, Selection())
        next(reading)
        writer.round("wheel-1")
        assert len(list(reading)) == 12


def test_spans_and_single_events_are_found(journal: Path) -> None:
    assert [one.seq for one in span_of(journal, "wheel-1", 3, 6)] == [3, 4, 5, 6]
    assert [one.seq for one in span_of(journal, "wheel-1", None, 2)] == [1, 2]
    assert next(span_of(journal, "wheel-1", 70, None)).seq == 70
    assert [one.seq for one in last_of(journal, "wheel-1", 3)] == [74, 75, 76]
    one = find(journal, "wheel-1.0000000000000001.7")
    assert one is not None
    assert one.seq == 7
    for nothing in ("wheel-1", "wheel-1.0000000000000009.7", "wheel-1.x", "", "..", "a.b.9" + "9" * 30):
        assert find(journal, nothing) is None


def test_all_chains_are_listed(journal: Path) -> None:
    assert tables(journal) == [COMMANDS, "wheel-1", "wheel-2"]


# --- lines -----------------------------------------------------------------------------------------------------------


def test_json_lines_are_the_bodies_byte_for_byte(journal: Path) -> None:
    for record in chosen(journal):
        assert json_line(record) == record.body + b"\n"
        assert record.body.count(b"\n") == 0


def table_of(records: list[Record]) -> list[dict[str, str]]:
    text = (
        csv_heading() + b"".join(map(csv_lines(dict(pair for one in records for pair in caused_by(one))), records))
    ).decode()
    return list(csv.DictReader(io.StringIO(text)))


def test_every_event_is_a_row_with_the_columns_that_are_documented(journal: Path) -> None:
    records = chosen(journal) + chosen(journal, tables=[COMMANDS])
    rows = table_of(records)
    assert len(rows) == len(records)
    assert all(list(row) == list(COLUMNS) for row in rows)
    outcome = next(row for row in rows if row["kind"] == "round.outcome")
    assert json.loads(outcome["result"]) == {"space": 1, "face": "$2"}
    assert (outcome["round"], outcome["revolutions"], outcome["simulated"]) == ("1", "4.25", "no")
    void = next(row for row in rows if row["kind"] == "round.void")
    assert (void["call"], void["reason"]) == ("No spin", "wheel_revolutions")
    assert (rows[-1]["table"], rows[-1]["by"]) == (COMMANDS, "pit")
    assert rows[-1]["sender"].startswith("pit (")


def test_a_row_names_its_command_its_capture_and_what_was_said_of_it() -> None:
    void = {
        "table": "wheel-1",
        "reason": "dealer_call",
        "evidence": {"detail": "a hand", "capture": {"file": "a.vcd", "sha256": "ab"}},
    }
    sent = {"sender": "ann", "role": "dealer", "command": "void", "accepted": True, "events": ["wheel-1.e1.7"]}
    event = record_of("wheel-1", 7, "wheel-1.e1.7", "round.void", {"data": void})
    order = record_of(COMMANDS, 1, "local:7f3a", "command", sent)
    refusal = record_of(
        COMMANDS, 2, "local:7f3b", "command", {**sent, "accepted": False, "reason": "why", "events": []}
    )
    rows = table_of([order, event, refusal])
    assert [row["command"] for row in rows] == ["wheel-1.e1.7", "local:7f3a", ""]
    assert [row["sender"] for row in rows] == ["ann (dealer)", "", "ann (dealer)"]
    assert (rows[1]["said"], rows[1]["capture"]) == ("a hand", "a.vcd ab")
    assert rows[2]["said"] == "why"


def record_of(chain: str, seq: int, name: str, kind: str, body: dict[str, object]) -> Record:
    encoded = msgspec.json.encode(body)
    return Record(seq, chain, seq, name, "e1", kind, None, "2026-07-04T19:00:00.000000Z", "", encoded, b"")


def test_what_a_person_typed_is_no_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with Evening(path) as writer:
        writer.command("=1+cmd|' /C calc'!A0", why='"quoted", with a comma')
        (row,) = table_of(chosen(path, tables=[COMMANDS]))
    assert row["detail"] == "'=1+cmd|' /C calc'!A0: \"quoted\", with a comma"


def test_a_body_that_cannot_be_read_still_has_its_row(journal: Path) -> None:
    record = chosen(journal)[0]._replace(body=b"\xff{")
    (row,) = table_of([record])
    assert (row["table"], row["seq"]) == ("wheel-1", "1")
