"""`make fleet`: a hub, three venues and twelve simulated tables come up on one computer, and end together."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import aiohttp
import pytest
from click.testing import CliRunner

from controller.cli import main
from tests.fakes.feed_server import short_folder
from tests.fakes.time_limits import HANG_S

VENUES = ("atlantic", "boardwalk", "marina")
TABLES = ("craps-1", "money-wheel-1", "roulette-1", "sic-bo-1")
ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.soak


@pytest.mark.parametrize(
    ("path", "how"),
    [
        pytest.param(os.environ["PATH"], "in a network namespace for the hub and each venue", id="namespaces"),
        pytest.param("/nowhere", "as plain processes, without network namespaces", id="plain"),
    ],
)
def test_twelve_tables_reach_the_hub_and_verify(path: str, how: str) -> None:
    with short_folder() as folder:
        run_hall(folder, path, how)


async def shown(said: str) -> set[str]:
    """The tables of the hall's board, once twelve are shown and none is silent."""
    found = re.search(r"http://[0-9.:]+/", said)
    assert found is not None
    boards: set[str] = set()
    async with (
        asyncio.timeout(HANG_S),
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{found[0]}live", origin=found[0].rstrip("/")) as page,
    ):
        await page.send_str("{}")
        while True:
            message = json.loads((await page.receive()).data)
            if message["type"] == "board":
                boards.add(message["key"])
            silent = message.get("silent", {}).values()
            if len(silent) == len(boards) == 12 and all(ms is not None and ms < 2700 for ms in silent):
                return boards


def run_hall(folder: Path, path: str, how: str) -> None:
    """With `path` as that of programs; `how` is what the line about namespaces states."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(folder), "PATH": path}
    words = [sys.executable, str(ROOT / "examples" / "fleet.py")]
    hall = subprocess.Popen(words, cwd=ROOT, env=environ, stderr=subprocess.PIPE, text=True)
    try:
        assert hall.stderr is not None
        said = ""
        while "scoreboard of" not in said:
            line = hall.stderr.readline()
            assert line, said
            said += line
        assert how in said
        found = re.search(r"nats://[0-9.:]+", said)
        assert found is not None
        assert asyncio.run(shown(said)) == {
            f"{venue}/sim/{table}"
            for venue in VENUES
            for table in ("craps-1", "money-wheel-1", "roulette-1", "sic-bo-1")
        }
        pause, live = Event(), 0
        while live < 12:
            status = CliRunner().invoke(main, ["fleet", "status", found[0], "--json"]).output
            live = sum(json.loads(line)["held"] > 0 for line in status.splitlines())
            assert hall.poll() is None
            pause.wait(0.2)
        vouched = 0
        while vouched < 12:
            # While tables play, no head may vouch for their very last events.
            verified = CliRunner().invoke(main, ["fleet", "verify", found[0], "--json"])
            assert verified.exit_code in (0, 5), verified.output
            vouched = sum(table.get("vouched", 0) > 0 for table in json.loads(verified.stdout)["tables"])
    finally:
        hall.send_signal(signal.SIGINT)
        _, rest = hall.communicate(timeout=HANG_S)
    assert hall.returncode == 0, rest
    assert list(folder.glob("feltwire-hall-*")) == []
