"""What the service says of itself: its status line for systemd, and its first line."""

from __future__ import annotations

import errno
import resource
from pathlib import Path

import pytest

from controller.cli.run import _banner
from controller.service.descriptors import raise_descriptor_limit
from controller.service.opening import StartupCheckError, check_scheduling
from controller.service.service import status_line
from controller.service.state_paths import StatePaths
from controller.service.table_supervisor import ServicePlan, tables_by_failure
from controller.table.faults import LatchedFault
from feed.endpoints import Endpoints
from feed.unproven import first_reserved
from hal.lines import LineError
from tests.fakes.service import FULL

STATES = {"roulette-1": "shut", "wheel-1": "open"}


def test_the_status_line_names_the_faults_that_stand_before_the_states() -> None:
    fault = LatchedFault("clock", "clock_jumped", "set back", True)
    line = status_line(None, None, STATES, {"roulette-1": [fault], "wheel-1": []}, 3)
    assert line == "FAULTS: roulette-1 clock clock_jumped; roulette-1 shut, wheel-1 open; 3 subscribers"
    assert status_line(None, None, STATES, {}, 3) == "roulette-1 shut, wheel-1 open; 3 subscribers"
    assert status_line(None, "a port", STATES, {}, 3) == "PROBLEM: a port"
    assert status_line(FULL, "a port", STATES, {}, 3).startswith("HALTED: ")


def test_the_first_line_names_the_address_that_only_the_services_environment_gives() -> None:
    plan = ServicePlan(configs=(), paths=StatePaths(Path("/s")), endpoints=Endpoints.parse("ipc:///run/feltwire"))
    home = {"HOME": "/home/ann", "XDG_RUNTIME_DIR": "/run/user/1"}
    assert _banner(plan, {**home, "RUNTIME_DIRECTORY": "/run/feltwire"}).endswith(" watch ipc:///run/feltwire")
    assert _banner(plan, {**home, "FELTWIRE_RUNTIME": "/run/feltwire"}).endswith(" watch ipc:///run/feltwire")
    own = plan._replace(endpoints=Endpoints.parse("ipc:///run/user/1/feltwire"))
    assert _banner(own, home).endswith(" watch")


def test_a_filter_that_would_abort_zeromq_is_refused_at_the_start_with_the_setting_that_mends_it() -> None:
    def refused() -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    check_scheduling()
    with pytest.raises(StartupCheckError, match=r"sched_setscheduler .* add SystemCallFilter=sched_setscheduler"):
        check_scheduling(refused)


def test_a_limit_that_may_not_even_be_read_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(which: int) -> tuple[int, int]:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(resource, "getrlimit", refused)
    raise_descriptor_limit()
    assert "cannot be read" in caplog.text
    assert first_reserved() > 1_000_000


def test_a_cause_that_tables_share_is_named_once() -> None:
    failures = {"a": LineError("no permission"), "b": LineError("no chip"), "c": LineError("no permission")}
    assert tables_by_failure(failures) == {"no permission": ["a", "c"], "no chip": ["b"]}
