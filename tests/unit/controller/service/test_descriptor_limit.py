"""A service that may open too few files is refused in words, before libzmq aborts it."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from controller.service.descriptors import LEAST

ROOT = Path(__file__).resolve().parents[4]
SCRIPT = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({limit}, {limit}))
from controller.cli import main
main(["run", "examples/money_wheel.toml", "--state", "{state}", "--seconds", "0.1"])
"""


@pytest.mark.parametrize("limit", [24, LEAST - 1])
def test_too_few_descriptors_are_refused_before_anything_is_opened(tmp_path: Path, limit: int) -> None:
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[1] > LEAST
    script = SCRIPT.format(limit=limit, state=tmp_path / "state")
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert f"not fit to run: only {limit} file descriptors may be open, and a service needs {LEAST}" in run.stderr
    assert not (tmp_path / "state").exists()
