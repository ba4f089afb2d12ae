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
REFUSED = """
import sys
from controller.games.assembly import table_for
from controller.games.catalogue import GAMES_OF_ORDER
from controller.games.load import check_text
from hal.capture.command_text import read_command
from hal.values import Batch
(config,) = check_text('[table]\\nid = "one"\\ngame = "PLAYED"\\n[lines]\\nbackend = "sim"\\n').tables
table = table_for(config, epoch="e", simulated=True)
before = {*sys.modules}
orders = [order for order, games in GAMES_OF_ORDER.items() if "PLAYED" not in games]
table.feed(Batch([], [read_command(f"{order} by=ann id={order}", 5) for order in orders], 9))
refused = [answer.command.verb for answer in table.answers() if not answer.accepted]
print(len(orders), refused == orders, *{*sys.modules} - before)
"""
"""A table at play is sent every order that it does not take."""
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


@pytest.mark.parametrize(("game", "orders"), [("money_wheel", 32), ("craps", 26), ("token_pusher", 27)])
def test_an_order_of_another_game_is_refused_and_loads_nothing(game: str, orders: int) -> None:
    """At play an import would hold every table of the service, and fail where an upgrade replaces the files."""
    assert printed_by(REFUSED.replace("PLAYED", game)) == [str(orders), "True"]
