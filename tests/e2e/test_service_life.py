"""The life of a service within one process: when its ports open, what a mistake in a callback does, an early stop."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from audit.errors import JournalDamaged, JournalError
from audit.seals import read_seals
from audit.verify import KnownHead, verify
from controller.journal.journal import Journal
from controller.service.command_record import RecordFinder
from controller.service.counters import ServiceCounters
from controller.service.opening import StartupCheckError
from controller.service.pipeline import OnPublished
from controller.service.service import Service
from controller.service.state_paths import state_paths_for
from controller.service.systemd import Systemd
from controller.service.table_supervisor import ServicePlan
from feed.endpoints import Endpoints
from feed.events import DeviceFault, Event
from hal.clock import SystemClock
from tests.fakes.service import FULL
from tests.tables.bench import configured
from tests.tables.money_lines import money_toml


class WatchedSystemd(Systemd):
    """Calls back with each status."""

    def __init__(self, watch: Callable[[str], object]) -> None:
        super().__init__({})
        self._watch = watch

    def status(self, text: str) -> None:
        self._watch(text)


def service(
    folder: Path,
    heard: OnPublished,
    fit: Callable[[], object] = lambda: None,
    systemd: Systemd | None = None,
    head_to: Sequence[str] = (),
) -> Service:
    config = configured(money_toml())
    paths = state_paths_for(folder / "state", [config])
    plan = ServicePlan([config], paths, Endpoints.parse(f"ipc://{folder}/run"), head_to=head_to)
    clock = SystemClock()
    return Service(plan, clock, systemd or Systemd({}), ServiceCounters(), heard, fit=fit)


def test_what_must_wait_for_the_checks_is_opened_between_the_sockets_and_the_first_event(tmp_path: Path) -> None:
    told: list[str] = []

    def heard(event: Event, body: bytes) -> None:
        told.append(event.type)
        made.stop()

    def fit() -> None:
        assert (tmp_path / "run" / "feed").exists()
        told.append("fit")

    made = service(tmp_path, heard, fit)
    asyncio.run(made.run())
    assert told[:2] == ["fit", "feltwire.table.opened.v1"]


def test_a_check_that_fails_opens_nothing(tmp_path: Path) -> None:
    def fit() -> None:
        raise AssertionError("nothing is open before the checks have passed")

    (tmp_path / "run").mkdir(mode=0o700)
    (tmp_path / "run" / "feed").write_text("no socket")
    made = service(tmp_path, lambda event, body: None, fit)
    with pytest.raises(StartupCheckError, match="is not a socket"):
        asyncio.run(made.run())


def test_an_unhandled_exception_in_a_callback_ends_the_service(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def heard(event: Event, body: bytes) -> None:
        raise RuntimeError("a mistake in the program")

    with pytest.raises(RuntimeError, match="a mistake in the program"):
        asyncio.run(service(tmp_path, heard).run())
    assert "a mistake in the program" in caplog.text


def test_a_stop_while_the_journal_is_read_opens_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    told: list[Event] = []
    made = service(tmp_path, lambda event, body: made.stop())
    asyncio.run(made.run())
    again = service(tmp_path, lambda event, body: told.append(event))
    again.stop("SIGTERM came")
    with caplog.at_level(logging.INFO):
        asyncio.run(again.run())
    assert told == []
    assert "stopped before anything was opened" in caplog.text
    last = service(tmp_path, lambda event, body: last.stop())
    asyncio.run(last.run())


def short_life(folder: Path) -> None:
    """A service that stops at its first event."""
    made = service(folder, lambda event, body: made.stop())
    asyncio.run(made.run())


def journal_of(folder: Path) -> Path:
    return folder / "state" / "sim" / "journal.sqlite"


@pytest.mark.parametrize("gone", ["journal.sqlite", "journal.sqlite-wal", ""])
def test_a_journal_that_is_gone_halts_the_service_and_is_not_begun_anew(tmp_path: Path, gone: str) -> None:
    halted: list[str] = []

    def heard(event: Event, body: bytes) -> None:
        assert not halted, "nothing is published after the halt"
        lost = journal_of(tmp_path).parent / gone
        if lost.exists():
            lost.rename(tmp_path / "elsewhere")

    def watch(status: str) -> None:
        if status.startswith("HALTED"):
            halted.append(status)
            made.stop()

    made = service(tmp_path, heard, systemd=WatchedSystemd(watch))
    asyncio.run(made.run())
    assert f"while the service ran, {gone or 'journal.sqlite'} is not there any more" in halted[0]
    if gone == "journal.sqlite":
        again = service(tmp_path, lambda event, body: None)
        with pytest.raises(JournalDamaged, match="it is gone, and"):
            asyncio.run(again.run())


def test_what_was_changed_in_older_records_is_found_while_the_service_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(Journal.open.__func__.__kwdefaults__, "read_at_least", 2)  # type: ignore[attr-defined]
    for _ in range(3):
        short_life(tmp_path)
    with closing(sqlite3.connect(journal_of(tmp_path), isolation_level=None)) as connection:
        connection.execute("UPDATE record SET body = CAST(body || ' ' AS BLOB) WHERE n = 1")
    faults: list[DeviceFault] = []

    def heard(event: Event, body: bytes) -> None:
        if isinstance(event.data, DeviceFault):
            faults.append(event.data)
            last.stop()

    last = service(tmp_path, heard)
    asyncio.run(last.run())
    assert [(one.device, one.fault, one.blocks_play) for one in faults] == [("journal", "history_changed", True)]
    assert "record 1 (wheel-1, seq 1) is not as it was written" in faults[0].detail


def test_what_is_written_is_sealed_within_a_second_and_its_heads_leave_the_machine(tmp_path: Path) -> None:
    heads = tmp_path / "heads"
    beats: list[str] = []

    def watch(status: str) -> None:
        beats.append(status)
        if len(beats) == 3:
            made.stop()

    made = service(tmp_path, lambda event, body: None, systemd=WatchedSystemd(watch), head_to=[str(heads)])
    asyncio.run(made.run())
    with closing(sqlite3.connect(journal_of(tmp_path))) as connection:
        assert "second" in [seal.content.why for seal in read_seals(connection)]
    kept = [KnownHead.parse(line.split()[1]) for line in heads.read_text().splitlines()]
    assert {one.chain for one in kept} == {"wheel-1", "@seals"}
    report = verify(journal_of(tmp_path), heads=kept)
    assert report.ok, report.findings
    assert report.notes == []


def test_the_journal_is_searched_for_commands_on_another_thread_and_answers_in_order() -> None:
    found: list[bytes | JournalError | None] = []

    def find(identity: str) -> bytes | None:
        if identity == "broken":
            raise FULL
        return identity.encode() or None

    async def main() -> None:
        recall, done = RecordFinder(find), asyncio.Event()
        for identity in ("a", "", "broken"):
            recall(identity, found.append)
        recall("last", lambda body: done.set())
        assert found == [], "later, on the loop"
        await done.wait()
        recall.close()

    asyncio.run(main())
    assert found == [b"a", None, FULL]
