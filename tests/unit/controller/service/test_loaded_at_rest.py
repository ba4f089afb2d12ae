"""A service loads what its tables need, and nothing of other games, of boards, of serial ports, of TLS."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.time_limits import HANG_S

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[4]
SERVICE = """
import sys
from controller.cli import imported
imported("controller.cli.run")
from controller.games.assembly import table_for
from controller.games.load import check_text
import controller.service.service, feed.schema_file
(config,) = check_text('[table]\\nid = "one"\\ngame = "money_wheel"\\n[lines]\\nbackend = "sim"\\n').tables
table_for(config, epoch="e", simulated=True)
print(*sys.modules)
"""
"""All that `feltwire run` loads for one money wheel before its wires are opened."""
THEN_TLS = """
import sys
from controller.cli import imported
imported("controller.cli.run")
import asyncio.base_events, http.client
print(asyncio.base_events.ssl, hasattr(http.client, "HTTPSConnection"), "ssl" in sys.modules)
"""


def printed_by(script: str) -> list[str]:
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


@pytest.fixture(scope="module")
def loaded() -> list[str]:
    return printed_by(SERVICE)


def test_of_the_games_and_devices_only_those_of_the_table_are_loaded(loaded: list[str]) -> None:
    rooms = {name.split(".")[2] for name in loaded if name.startswith("controller.games.") and name.count(".") > 2}
    assert rooms == {"base", "money_wheel"}
    families = {name.split(".")[1] for name in loaded if name.startswith("drivers.") and name.count(".") > 1}
    # The wiring of lamps is part of every file's check.
    assert families == {"base", "dealer", "lamps", "money_wheel", "wheel"}


@pytest.mark.parametrize(
    "module",
    [
        *("ssl", "aiohttp", "prometheus_client", "rich", "simulators", "scoreboard", "fleet", "bridges"),
        *("serial", "gpiod", "hal.board.link", "hal.backends.board", "controller.bench"),
        *("feed.schema", "importlib.metadata", "importlib.resources", "urllib.request", "http.client", "email"),
        *("difflib", "compileall", "zoneinfo"),
    ],
)
def test_what_a_table_at_rest_does_not_need_is_not_loaded(loaded: list[str], module: str) -> None:
    assert [name for name in loaded if name == module or name.startswith(f"{module}.")] == []


def test_the_loop_of_a_service_has_no_tls_and_its_threads_can_load_it() -> None:
    assert printed_by(THEN_TLS) == ["None", "True", "True"]
