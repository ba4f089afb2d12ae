"""`feltwire scoreboard`, as a process beside a service in another one."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import CliRunner
from pytest_mock import MockerFixture

from controller.cli.scoreboard import command
from tests.fakes.feed_process import TABLE, feed
from tests.fakes.feed_server import short_folder
from tests.fakes.scoreboard_process import COMMAND, ROOT, address, board_of, scoreboard
from tests.fakes.time_limits import HANG_S


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as made:
        yield made


def test_it_serves_the_page_and_follows_the_service_that_it_is_given(folder: Path) -> None:
    base = f"ipc://{folder}"
    (folder / "venue.toml").write_text('charity = "Library"\n', encoding="utf-8")
    options = ("--port", "0", "--venue", str(folder), "--embed", "https://example.org")
    with feed(base, folder / "journal", "e1") as service, scoreboard(base, *options) as (process, line):
        assert line.startswith(f"scoreboard of {base}: http://127.0.0.1:")
        with urlopen(address(line), timeout=HANG_S) as answer:
            assert b"<title>Scoreboard</title>" in answer.read()
            assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
            assert "frame-ancestors https://example.org;" in answer.headers["Content-Security-Policy"]
        with urlopen(address(line) + "venue.json", timeout=HANG_S) as answer:
            assert answer.read() == b'{"charity":"Library"}'
        last = service.end()
        board = asyncio.run(board_of(address(line), TABLE, lambda board: bool(board["sequence"] == last)))
        assert (board["table"], board["epoch"]) == (TABLE, "e1")
        process.send_signal(signal.SIGTERM)
        assert process.wait(HANG_S) == 0


def test_it_may_be_started_before_the_service(folder: Path) -> None:
    with (
        scoreboard("--port", "0", FELTWIRE_RUNTIME=str(folder)) as (_, line),
        feed(f"ipc://{folder}", folder / "journal", "e1") as service,
    ):
        assert (
            asyncio.run(board_of(address(line), TABLE, lambda board: bool(board["sequence"] == service.end())))["table"]
            == TABLE
        )


def test_a_port_that_was_asked_for_and_is_in_use_is_an_error_that_names_it(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        with scoreboard(f"ipc://{folder}", "--port", port) as (process, line):
            assert line.strip() == (
                f"the scoreboard cannot be served: port {port} of 127.0.0.1 is in use by another program: "
                "give another one with --port"
            )
            assert process.wait(HANG_S) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("http://10.0.0.5",), "it must begin with ipc:// or tcp://"),
        (("tcp://10.0.0.5:5600",), "tcp:// needs --key"),
        (("ipc:///a", "ipc:///b", "ipc:///c", "--server", "x", "--server", "y"), "--server is given 2 times"),
    ],
)
def test_an_address_or_a_key_that_cannot_be_used_is_refused(arguments: tuple[str, ...], words: str) -> None:
    result = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=HANG_S, check=False, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert result.returncode == 2
    assert words in " ".join(result.stderr.split())


def test_a_site_that_a_browser_would_pass_over_is_refused() -> None:
    done = CliRunner().invoke(command, ["--embed", "https://[2001:db8::1]"])
    assert done.exit_code == 2
    assert "is an IPv6 address, which no content policy can name" in done.output


@pytest.mark.parametrize("is_set", [False, True])
def test_a_board_is_given_the_time_only_where_the_computers_calendar_is_set(
    mocker: MockerFixture, is_set: bool
) -> None:
    mocker.patch("hal.clock.CalendarWatch.is_set", return_value=is_set)
    for name in ("PageServer", "serve_until_signal"):
        mocker.patch(f"scoreboard.web.{name}")
    gateway = mocker.patch("scoreboard.gateway.Gateway")
    assert CliRunner().invoke(command, ["ipc:///tmp/none", "--port", "0"]).exit_code == 0
    given = gateway.call_args.kwargs
    assert [given[name]() is not None for name in ("day_ms", "wall_time")] == [is_set, is_set]
