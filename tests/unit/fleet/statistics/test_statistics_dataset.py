"""A folder of Parquet files: what is in it after whatever happened, and what it refuses."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from feed.events import DeviceFault, Tumbling, decode
from fleet.statistics import dataset as folders
from fleet.statistics import spans
from fleet.statistics.columns import COLUMNS, SCHEMA, time_ns
from fleet.statistics.dataset import (
    EVENTS,
    LIST,
    Choice,
    Collector,
    Dataset,
    DatasetError,
    HistoryChangedError,
    collecting,
)
from fleet.statistics.spans import Spans, missing
from fleet.subjects import TableName
from tests.fakes.table_history import VOID, TableHistory, outcome_of
from tests.fakes.time_limits import HANG_S

pytestmark = pytest.mark.long

HALL = "hall"
ALL = Choice()


def evening() -> TableHistory:
    history = TableHistory().open()
    for pocket in ("17", "0", "36"):
        history.later(60).pocket(pocket, revolutions=5.5, off_center=0.1, passes=16, missed_passes=1)
    return history.later(60).void().later(5).corrected(1, outcome_of("17"), VOID).later(5).close()


def add(collector: Collector, history: TableHistory, seqs: range | list[int] | None = None, venue: str = HALL) -> None:
    collector.begin()
    for seq in seqs or range(1, len(history.bodies) + 1):
        body = history.bodies[seq - 1]
        event = decode(body)
        table = TableName(venue, event.data.simulated, event.data.table)
        collector.add(table, event, body, f"line {seq}")


def collect(folder: Path, history: TableHistory, seqs: range | list[int] | None = None, venue: str = HALL) -> Collector:
    with collecting(folder) as collector:
        add(collector, history, seqs, venue)
    return collector


def seqs_of(folder: Path, choice: Choice = ALL) -> list[int]:
    with Dataset(folder).opened(choice) as sql:
        return [seq for (seq,) in sql.execute('SELECT seq FROM event ORDER BY venue, "table", seq').fetchall()]


def parquet(folder: Path) -> list[Path]:
    return sorted((folder / EVENTS).rglob("*.parquet"))


def test_every_event_is_a_row_of_the_columns_with_their_types(tmp_path: Path) -> None:
    collect(tmp_path, evening())
    (file,) = parquet(tmp_path)
    assert file.parent == tmp_path / EVENTS / HALL / "real" / "2026-07"
    with duckdb.connect() as plain:
        described = plain.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(file)]).fetchall()
        assert [row[:2] for row in described] == [(name, column.type) for name, column in COLUMNS.items()]
        version = plain.execute("SELECT value FROM parquet_kv_metadata(?)", [str(file)]).fetchone()
        assert version == (str(SCHEMA).encode(),)
        found = plain.execute(
            "SELECT type, verdict, result, revolutions, missed_passes, epoch_ns(time) FROM read_parquet(?) "
            "WHERE round = 1 ORDER BY seq",
            [str(file)],
        ).fetchall()
    assert found[0][:5] == ("round.outcome", "outcome", '{"pocket":"17","index":0,"color":"red"}', 5.5, 1)
    assert found[0][5] == time_ns("2026-07-04T20:01:00Z")
    assert found[1][:3] == ("round.corrected", "void", None)


def test_collected_again_nothing_is_there_twice_and_what_is_new_is_added(tmp_path: Path) -> None:
    history = evening()
    assert collect(tmp_path, history, range(1, 5)).added == 4
    before = parquet(tmp_path)
    assert (collect(tmp_path, history, range(1, 5)).known, parquet(tmp_path)) == (4, before)
    again = collect(tmp_path, history)
    assert (again.added, again.known) == (3, 4)
    assert seqs_of(tmp_path) == [1, 2, 3, 4, 5, 6, 7]


def test_a_hole_is_known_and_filled_from_elsewhere(tmp_path: Path) -> None:
    history = evening()
    collect(tmp_path, history, [1, 2, 5, 7])
    (held,) = Dataset(tmp_path).contents.tables
    assert missing(held.held) == [(3, 4), (6, 6)]
    collect(tmp_path, history)
    (held,) = Dataset(tmp_path).contents.tables
    assert (held.held, missing(held.held), seqs_of(tmp_path)) == ([(1, 7)], [], [1, 2, 3, 4, 5, 6, 7])


def test_real_and_simulated_tables_of_one_name_are_two(tmp_path: Path) -> None:
    collect(tmp_path, evening())
    collect(tmp_path, TableHistory(simulated=True).open())
    assert seqs_of(tmp_path) == [1, 2, 3, 4, 5, 6, 7]
    assert seqs_of(tmp_path, Choice(simulated=True)) == [1]
    assert {path.parent.parent.name for path in parquet(tmp_path)} == {"real", "simulated"}


def test_an_event_of_a_simulated_table_under_the_name_of_a_real_one_is_left_out_and_counted(tmp_path: Path) -> None:
    history = TableHistory(simulated=True).open()
    with collecting(tmp_path) as collector:
        collector.add(TableName(HALL, False, "roulette-1"), decode(history.bodies[0]), history.bodies[0], "message 9")
    assert (collector.added, seqs_of(tmp_path)) == (0, [])
    assert "published as one of hall/roulette-1" in Dataset(tmp_path).contents.unreadable["message 9"]


def test_events_of_types_that_nobody_knows_are_kept_whole(tmp_path: Path) -> None:
    collect(tmp_path, evening().unknown())
    with Dataset(tmp_path).opened(ALL) as sql:
        (row,) = sql.execute("SELECT type, known, data, verdict FROM event WHERE NOT known").fetchall()
    assert (row[0], row[1], row[3]) == ("feltwire.round.outcome.v2", False, None)
    assert json.loads(row[2])["reason"] == "no_more_bets_after_drop"


def test_a_rewritten_history_is_refused_and_what_was_there_stays(tmp_path: Path) -> None:
    collect(tmp_path, evening())
    other = TableHistory().open()
    while len(other.bodies) < 7:
        other.later(60).pocket("4")
    with pytest.raises(HistoryChangedError, match="hall/roulette-1: its events up to 7 are not those"):
        collect(tmp_path, other)
    with pytest.raises(HistoryChangedError, match="up to 1 "):
        collect(tmp_path, TableHistory(start=other.time).open())
    assert seqs_of(tmp_path) == [1, 2, 3, 4, 5, 6, 7]


def test_a_history_that_goes_on_otherwise_is_found_where_it_is_read_from_its_beginning(tmp_path: Path) -> None:
    history = evening()
    collect(tmp_path, history, range(1, 5))
    other = TableHistory().open()
    for pocket in ("17", "0", "1", "2"):
        other.later(60).pocket(pocket, revolutions=5.5, off_center=0.1, passes=16, missed_passes=1)
    with pytest.raises(HistoryChangedError, match="up to 4"):
        collect(tmp_path, other)


@pytest.mark.parametrize("damage", ["cut", "bit", "gone", "exchanged"])
def test_a_damaged_file_is_named_with_what_to_do(tmp_path: Path, damage: str) -> None:
    collect(tmp_path, evening())
    (file,) = parquet(tmp_path)
    whole = file.read_bytes()
    if damage == "cut":
        file.write_bytes(whole[:-100])
    elif damage == "bit":
        file.write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])
    elif damage == "gone":
        file.unlink()
    else:
        collect(tmp_path / "other", TableHistory().open())
        file.write_bytes(parquet(tmp_path / "other")[0].read_bytes())
    with pytest.raises(DatasetError, match=r"000001\.parquet: it .*; remove the folder and collect again"):
        seqs_of(tmp_path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "it is damaged"),
        ('{"schema": 0}', "have version 0 of the columns, and this software reads 4"),
        ('{"schema": 3}', "have version 3 of the columns"),
        ('{"schema": 4, "parts": [{"file": "../../x", "rows": 1, "sha256": "", "venue": "", "simulated": false,'
         ' "month": ""}]}', "names a file outside"),
        ('{"schema": 4, "tables": [{"venue": "hall", "simulated": false, "table": "r", "head": [1, "x"]}]}',
         "it is damaged"),
        ("[]", "it is damaged"),
    ],
)  # fmt: skip
def test_a_list_that_cannot_be_used_is_refused_in_words(tmp_path: Path, text: str, said: str) -> None:
    collect(tmp_path, evening())
    (tmp_path / LIST).write_text(text)
    with pytest.raises(DatasetError, match=said):
        Dataset(tmp_path)
    with pytest.raises(DatasetError, match=said), collecting(tmp_path):
        pass


@given(st.binary(max_size=300))
def test_no_list_brings_it_down(tmp_path_factory: pytest.TempPathFactory, text: bytes) -> None:
    folder = tmp_path_factory.mktemp("list")
    (folder / LIST).write_bytes(text)
    with pytest.raises(DatasetError):
        Dataset(folder)


def test_a_folder_without_a_list_and_one_with_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no events were collected here"):
        Dataset(tmp_path)
    (tmp_path / "photos.zip").write_text("")
    with pytest.raises(DatasetError, match="it holds other files; name a new folder"), collecting(tmp_path):
        pass


def test_an_empty_collection_is_an_empty_answer(tmp_path: Path) -> None:
    with collecting(tmp_path):
        pass
    assert seqs_of(tmp_path) == []


def test_two_do_not_collect_at_once(tmp_path: Path) -> None:
    with (
        collecting(tmp_path),
        pytest.raises(DatasetError, match="another process collects here"),
        collecting(tmp_path),
    ):
        pass


class KilledError(BaseException):
    """Stands for SIGKILL: nothing of ours runs after it."""


@pytest.mark.parametrize("where", ["before_copy", "after_copy", "after_rename", "before_list"])
def test_killed_at_any_place_the_folder_has_what_it_had_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    history = evening()
    collect(tmp_path, history, range(1, 4))
    real_copy, real_hash = folders._copy, folders._hash_of

    def copy(*values: object) -> None:
        if where == "before_copy":
            raise KilledError
        real_copy(*values)  # type: ignore[arg-type]
        if where == "after_copy":
            raise KilledError

    def hash_of(path: Path) -> str:
        if where == "after_rename":
            raise KilledError
        return real_hash(path)

    def format_list(*_values: object, **_more: object) -> bytes:
        raise KilledError

    monkeypatch.setattr(folders, "_copy", copy)
    monkeypatch.setattr(folders, "_hash_of", hash_of)
    if where == "before_list":
        monkeypatch.setattr("fleet.statistics.dataset.msgspec.json.format", format_list)
    with pytest.raises(KilledError):
        collect(tmp_path, history)
    monkeypatch.undo()
    assert seqs_of(tmp_path) == [1, 2, 3]
    assert collect(tmp_path, history).added == 4
    assert seqs_of(tmp_path) == [1, 2, 3, 4, 5, 6, 7]
    listed = {part.file for part in Dataset(tmp_path).contents.parts}
    assert {path.relative_to(tmp_path).as_posix() for path in parquet(tmp_path)} == listed
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".collecting")] == []


def test_interrupted_by_a_person_it_keeps_what_it_read(tmp_path: Path) -> None:
    history = evening()
    with pytest.raises(KeyboardInterrupt), collecting(tmp_path) as collector:
        add(collector, history, range(1, 4))
        raise KeyboardInterrupt
    assert seqs_of(tmp_path) == [1, 2, 3]


class Interruptions:
    """Ctrl-C at a step of the code that takes and writes events: at each of its lines."""

    PARTS = ("Collector.", "Spans.", "_Waiting.", "_Table.", "_sync")

    def __init__(self, at: int | None = None) -> None:
        """`at` is the step; None for no interruption."""
        self.steps: list[tuple[str, int]] = []
        """The lines that were reached, in order."""
        self._at = at

    @contextmanager
    def injected(self) -> Iterator[None]:
        """As long as the block lasts."""
        before = sys.gettrace()
        sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)

    def _called(self, frame: FrameType, _event: str, _given: object) -> Any:
        code = frame.f_code
        own = code.co_filename in (folders.__file__, spans.__file__) and code.co_qualname.startswith(self.PARTS)
        return self._line if own else None

    def _line(self, frame: FrameType, event: str, _given: object) -> Any:
        if event == "line":
            self.steps.append((frame.f_code.co_qualname, frame.f_lineno))
            if len(self.steps) - 1 == self._at:
                raise KeyboardInterrupt
        return self._line


def test_interrupted_at_any_step_of_writing_nothing_is_lost_and_nothing_is_there_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = duckdb.connect()

    @contextmanager
    def shared(_folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        yield connection

    # One DuckDB for all of them: to begin one takes longer than what it does here.
    monkeypatch.setattr(folders, "_duckdb", shared)
    monkeypatch.setattr(folders, "BATCH", 2)
    history = evening()
    seqs = [1, 2, 4, 3]
    whole = tmp_path / "whole"
    uninterrupted = Interruptions()
    with uninterrupted.injected():
        collect(whole, history, seqs)
    expected = Dataset(whole).contents
    # Of each line the last time that it is reached: there are events in files, and others wait.
    last_of = {step: at for at, step in enumerate(uninterrupted.steps)}
    assert {"Collector.add", "Collector._write", "Collector._list_batch", "_Waiting.add"} <= {
        name for name, _ in last_of
    }
    for (name, line), at in last_of.items():
        folder = tmp_path / f"{at}"
        with pytest.raises(KeyboardInterrupt), Interruptions(at).injected():
            collect(folder, history, seqs)
        collect(folder, history, seqs)
        contents = Dataset(folder).contents
        assert contents.tables == expected.tables, f"interrupted in {name}, line {line}"
        files = [str(folder / part.file) for part in contents.parts]
        rows = connection.execute("SELECT seq FROM read_parquet(?) ORDER BY seq", [files]).fetchall()
        assert [seq for (seq,) in rows] == sorted(seqs), f"interrupted in {name}, line {line}"
        assert sum(part.rows for part in contents.parts) == len(seqs)
    connection.close()


def test_a_row_that_was_written_in_part_when_a_person_ended_it_is_left_out(tmp_path: Path) -> None:
    class HalfWritten(io.BufferedWriter):
        """Takes half of the third row, and is interrupted."""

        rows = 0

        def write(self, line: Any) -> int:
            self.rows += 1
            if self.rows < 3:
                return super().write(line)
            super().write(line[: len(line) // 2])
            raise KeyboardInterrupt

    def opened(path: Path, mode: str, _buffer: int) -> io.BufferedWriter:
        return HalfWritten(io.FileIO(path, mode))

    history = evening()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt), collecting(tmp_path) as collector:
        patch.setattr(Path, "open", opened)
        try:
            add(collector, history)
        finally:
            patch.undo()
    assert seqs_of(tmp_path) == [1, 2]
    assert collect(tmp_path, history).added == 5
    assert seqs_of(tmp_path) == [1, 2, 3, 4, 5, 6, 7]


@pytest.fixture
def with_ctrl_c() -> Iterator[None]:
    """Ctrl-C interrupts, also where whoever started the tests in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("with_ctrl_c")
def test_ctrl_c_while_duckdb_works_is_an_interruption(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    os.mkfifo(rows)
    main = threading.main_thread().ident
    assert main is not None

    def write_row() -> None:
        with suppress(BrokenPipeError), rows.open("wb") as file:
            # It is open when DuckDB reads it.
            signal.pthread_kill(main, signal.SIGINT)
            file.write(b'{"seq": 1}\n')

    writer = threading.Thread(target=write_row)
    row = "(SELECT seq FROM read_json(?, format = 'newline_delimited', columns = {seq: 'BIGINT'}))"
    without_end = f"SELECT count(*) FROM range(1_000_000_000_000) AS t(n) WHERE n + {row} < 0"
    with pytest.raises(KeyboardInterrupt), folders._duckdb(tmp_path) as sql:
        writer.start()
        sql.execute(without_end, [str(rows)]).fetchall()
    writer.join(HANG_S)
    assert not writer.is_alive()


def test_many_small_files_of_a_month_become_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "MERGED_FROM", 4)
    history = TableHistory().open()
    while len(history.bodies) < folders.MERGED_FROM + 3:
        history.later(60).pocket("5")
    for seq in range(1, folders.MERGED_FROM + 1):
        collect(tmp_path, history, [seq])
    assert len(parquet(tmp_path)) == 1
    collect(tmp_path, history)
    assert seqs_of(tmp_path) == list(range(1, folders.MERGED_FROM + 4))


def test_whoever_reads_while_files_are_put_together_is_to_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "MERGED_FROM", 2)
    history = evening()
    collect(tmp_path, history, [1])
    reader = Dataset(tmp_path)
    collect(tmp_path, history, [2])
    with pytest.raises(DatasetError, match="meanwhile: run this again"), reader.opened(ALL):
        pass
    assert seqs_of(tmp_path) == [1, 2]


def test_batches_are_written_on_the_way_and_months_and_unreadable_times_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "BATCH", 3)
    monkeypatch.setattr(folders, "MOST_PARTITIONS", 2)
    history = TableHistory().open()
    for _ in range(8):
        history.later(11 * 86_400).pocket("5")
    history.bodies[4] = history.bodies[4].replace(history.events[4].time.encode(), b"yesterday")
    with collecting(tmp_path) as collector:
        add(collector, history, range(1, 8))
        # The second batch is being written, and the last event waits.
        assert Dataset(tmp_path).contents.tables[0].held == [(1, 3)]
    months = {part.month for part in Dataset(tmp_path).contents.parts}
    assert months == {"2026-07", "2026-08", "2026-09", "unknown"}
    assert seqs_of(tmp_path) == list(range(1, 8))


def test_while_a_batch_is_written_the_next_one_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = threading.Event()
    real_copy = folders._copy

    def copy(*values: object) -> None:
        assert taken.wait(HANG_S)
        real_copy(*values)  # type: ignore[arg-type]

    monkeypatch.setattr(folders, "_copy", copy)
    monkeypatch.setattr(folders, "BATCH", 3)
    history = evening()
    with collecting(tmp_path) as collector:
        add(collector, history, range(1, 7))
        taken.set()
    assert seqs_of(tmp_path) == [1, 2, 3, 4, 5, 6]


def test_a_batch_that_cannot_be_written_ends_the_collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def copy(folder: Path, *_values: object) -> None:
        raise DatasetError(folder, "a part cannot be written", "see that the disk has room")

    monkeypatch.setattr(folders, "_copy", copy)
    monkeypatch.setattr(folders, "BATCH", 3)
    with pytest.raises(DatasetError, match="see that the disk has room"):
        collect(tmp_path, evening())
    monkeypatch.undo()
    assert collect(tmp_path, evening()).added == 7


def test_a_disk_without_room_is_reported_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="name a folder on a disk"), collecting(Path("/proc/feltwire")):
        pass
    if os.geteuid():
        tmp_path.chmod(0o500)
        with pytest.raises(DatasetError, match="cannot be written"), collecting(tmp_path / "x"):
            pass


@given(st.lists(st.integers(1, 40)))
def test_spans_are_a_set_of_numbers(numbers: list[int]) -> None:
    held, there = Spans(), set[int]()
    for number in numbers:
        assert (number in held) is (number in there)
        assert held.add(number) is (number not in there)
        there.add(number)
    listed = held.listed()
    assert {number for first, last in listed for number in range(first, last + 1)} == there
    assert all(after[0] > before[1] + 1 for before, after in pairwise(listed))
    gaps = {number for first, last in missing(listed) for number in range(first, last + 1)}
    assert gaps == set(range(1, max(there, default=0))) - there
    assert Spans(listed).listed() == listed


@given(st.text())
def test_no_time_brings_a_row_down(text: str) -> None:
    found = time_ns(text)
    assert found is None or -(2**63) < found < 2**63


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1970-01-01T00:00:00.000001Z", 1000),
        ("2026-07-04T16:00:00-04:00", 1_783_195_200_000_000_000),
        ("2026-07-04T16:00:00", None),
        ("9999-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00Z", None),
    ],
)
def test_times_are_nanoseconds_in_utc_or_unknown(text: str, found: int | None) -> None:
    assert time_ns(text) == found


def test_numbers_that_no_column_holds_are_left_out(tmp_path: Path) -> None:
    tumbles = [Tumbling(pulses=-(2**70), shakes=3)]
    collect(tmp_path, TableHistory().open().later(1).pocket("5", passes=2**70, missed_passes=2, tumbles=tumbles))
    with Dataset(tmp_path).opened(ALL) as sql:
        found = sql.execute("SELECT passes, missed_passes, pulses, turns FROM event WHERE round = 1").fetchall()
    assert found == [(None, 2, None, 3)]


def test_an_event_whose_number_no_column_holds_is_counted_and_the_others_are_written(tmp_path: Path) -> None:
    history = evening()
    body = (
        history.bodies[1].replace(b'.2"', b'.9223372036854775808"').replace(b"0" * 19 + b"2", b"09223372036854775808")
    )
    with collecting(tmp_path) as collector:
        add(collector, history, [1, 3])
        event = decode(body)
        collector.add(TableName(HALL, False, event.data.table), event, body, "line 2")
    assert (seqs_of(tmp_path), collector.refused) == ([1, 3], 1)
    assert "the files hold numbers up to 9223372036854775807" in Dataset(tmp_path).contents.unreadable["line 2"]


def test_texts_of_any_characters_come_back_as_they_were(tmp_path: Path) -> None:
    said = 'a\u0000\u0001"b"\\ \u2028 é 🎲 \t'
    history = TableHistory().open().put(DeviceFault, device="wheel", fault="tilt", blocks_play=True, detail=said)
    collect(tmp_path, history)
    with Dataset(tmp_path).opened(ALL) as sql:
        assert sql.execute("SELECT detail FROM event WHERE seq = 2").fetchone() == (said,)
