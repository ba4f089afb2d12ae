"""What the process of a scoreboard loads: OpenSSL where a server of NATS may ask for it, and nowhere else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.time_limits import HANG_S

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]
ELSEWHERE = "203.0.113.1"
"""An address of no computer (RFC 5737): the command ends when all is loaded, and nothing was opened."""
SCRIPT = """
import sys
from controller.cli import main
try:
    main(sys.argv[1:])
except SystemExit as ended:
    print(ended.code, "scoreboard.gateway" in sys.modules, "ssl" in sys.modules)
"""


@pytest.mark.parametrize(("address", "tls"), [("ipc:///run/nowhere", "False"), ("nats://127.0.0.1:4222/hall", "True")])
def test_a_scoreboard_of_services_loads_no_tls(address: str, tls: str) -> None:
    words = ["scoreboard", address, "--host", ELSEWHERE, "--port", "0"]
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words], cwd=ROOT, capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert run.stdout.split() == ["1", "True", tls], run.stderr
