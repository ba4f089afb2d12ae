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
from benchmarks.idle_service import still
from controller.cli import imported, main
imported("controller.cli.run")
from controller.service import table_supervisor
assert table_supervisor.wire is not still
table_supervisor.wire = still
try:
    main(["run", *sys.argv[1:]])
except SystemExit as ended:
    print(ended.code, *sys.modules)
"""
"""`feltwire run`, to its end, on wires at rest."""
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
from controller.cli import main
try:
    main(["run", *sys.argv[1:], "--help"])
except SystemExit:
    import asyncio.base_events, http.client
    tls = asyncio.base_events.ssl is not None
    print("\\nTLS:", tls, hasattr(http.client, "HTTPSConnection"), "ssl" in sys.modules)
"""
TABLE = '[table]\nid = "one"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n'


def printed_by(script: str, *words: object) -> list[str]:
    """The words of the last line that a script prints."""
    command = [sys.executable, "-c", script, *map(str, words)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()[-1].split()


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("s")
    (folder / "one.toml").write_text(TABLE)
    options = ("--state", folder / "state", "--bind", f"ipc://{folder}", "--seconds", 0.5)
    code, *modules = printed_by(SERVICE, folder / "one.toml", *options)
    assert code == "0"
    return modules


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


@pytest.mark.parametrize(
    ("files", "named", "tls"),
    [
        ({"one.toml": TABLE}, "one.toml", False),
        ({"one.toml": TABLE.replace("[lines]", 'packages = ["fair-wheel"]\n[lines]')}, "one.toml", True),
        ({"one.toml": TABLE, "two.toml": "[table]\npackages = ['fair-wheel']\n"}, ".", True),
        ({"one.toml": TABLE, "notes.txt": "packages"}, ".", False),
        ({}, "one.toml", False),
    ],
    ids=["ours alone", "a package", "a package in a folder", "another file", "no file"],
)
def test_the_loop_of_a_service_has_tls_for_packages_alone_and_its_threads_can_load_it(
    files: dict[str, str], named: str, tls: bool, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert printed_by(THEN_TLS, tmp_path / named) == ["TLS:", str(tls), "True", "True"]


@pytest.mark.parametrize(("game", "orders"), [("money_wheel", 32), ("craps", 26), ("token_pusher", 27)])
def test_an_order_of_another_game_is_refused_and_loads_nothing(game: str, orders: int) -> None:
    """At play an import would hold every table of the service, and fail where an upgrade replaces the files."""
    assert printed_by(REFUSED.replace("PLAYED", game)) == [str(orders), "True"]
