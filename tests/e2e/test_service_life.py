"""The life of a service within one process: when its ports open, what a mistake in a callback does, an early stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.errors import JournalError
from controller.service.command_record import RecordFinder
from controller.service.counters import ServiceCounters
from controller.service.opening import StartupCheckError
from controller.service.pipeline import OnPublished
from controller.service.service import Service
from controller.service.state_paths import state_paths_for
from controller.service.systemd import Systemd
from controller.service.table_supervisor import ServicePlan
from feed.endpoints import Endpoints
from feed.events import Event
from hal.clock import SystemClock
from tests.fakes.service import FULL
from tests.tables.bench import configured
from tests.tables.money_lines import money_toml


def service(folder: Path, heard: OnPublished, fit: Callable[[], object] = lambda: None) -> Service:
    config = configured(money_toml())
    plan = ServicePlan([config], state_paths_for(folder / "state", [config]), Endpoints.parse(f"ipc://{folder}/run"))
    clock = SystemClock()
    return Service(plan, clock, clock, Systemd({}), ServiceCounters(), heard, fit=fit)


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
    with pytest.raises(StartupCheckError, match="is no socket"):
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
