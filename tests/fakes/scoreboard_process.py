"""`feltwire scoreboard` as a process, and the boards that its page gets."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp

from tests.fakes.time_limits import HANG_S

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-c", "from controller.cli import main; main()", "scoreboard"]


@contextmanager
def scoreboard(*arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and its first line on stderr that is not a waiting; it is ended with the block."""
    environ = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", **environment}
    process = subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True, env=environ, cwd=ROOT)
    assert process.stderr is not None
    try:
        yield process, next((line for line in process.stderr if "waiting for" not in line), "")
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()


def address(line: str) -> str:
    return "http://" + line.split("http://")[1].split()[0]


async def board_of(url: str, table: str, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The board of a table, as a page gets it, once it is as wanted."""
    async with (
        asyncio.timeout(HANG_S),
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{url}live", origin=url.rstrip("/")) as live,
    ):
        await live.send_str(json.dumps({"table": table}))
        while True:
            message = json.loads((await live.receive()).data)
            if message["type"] == "board" and wanted(message["board"]):
                found: dict[str, Any] = message["board"]
                return found
