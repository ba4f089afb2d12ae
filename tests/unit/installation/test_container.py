"""The image of a container: what its file promises, and who is healthy. Its steps are run by make systems."""

from __future__ import annotations

import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from systemd.package.systems import ROOT
from tests.fakes.time_limits import HANG_S
from tests.systems.container import FILE, FROM, instructions

HEALTHY = FILE.parent / "healthy"


class Answering(http.server.BaseHTTPRequestHandler):
    """Answers with the number in the path."""

    def do_GET(self) -> None:
        self.send_response(int(self.path.strip("/")))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering) as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{made.server_port}"
        made.shutdown()


def healthy(address: str) -> tuple[int, str]:
    environ = {**os.environ, "HEALTH": address, "http_proxy": "http://127.0.0.1:9"}
    command = [sys.executable, "-ISB", str(HEALTHY)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, timeout=HANG_S)
    return done.returncode, done.stderr


def test_who_answers_is_healthy_and_who_does_not_is_named(server: str) -> None:
    assert healthy(f"{server}/200") == (0, "")
    code, words = healthy(f"{server}/503")
    assert (code, "503" in words) == (1, True)
    code, words = healthy("http://127.0.0.1:1/")
    assert (code, words.startswith("http://127.0.0.1:1/ does not answer: ")) == (1, True)


def test_it_runs_as_a_number_that_is_not_root_and_states_its_health() -> None:
    found = list(instructions(FILE.read_text()))
    assert found[0] == ("FROM", FROM)
    users = [words for name, words in found if name == "USER"]
    assert [user.partition(":")[0].isdecimal() and not user.startswith("0") for user in users] == [True]
    assert [name for name, _ in found].count("HEALTHCHECK") == 1
    # What follows the user is not done as root.
    after = [name for name, _ in found][[name for name, _ in found].index("USER") :]
    assert not {"RUN", "COPY"} & set(after)


def test_what_is_copied_is_not_kept_from_the_engine() -> None:
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    sources = [words.split()[0] for name, words in instructions(FILE.read_text()) if name == "COPY"]
    assert sources
    for source in sources:
        plain = source.replace("${VERSION}", "1.0").replace("${TARGETARCH}", "arm64")
        assert any(Path(plain).match(pattern) for pattern in allowed), source
