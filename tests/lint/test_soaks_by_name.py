"""What pytest states of a soak, and of the tests beside it, where no soaks are asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).resolve().parents[1] / "conftest.py"
SOAK = "@pytest.mark." + "soak"
"""In two parts: this file itself belongs to no soak."""
TESTS = f"""
import pytest

{SOAK}
def test_long():
    assert False

def test_short():
    pass
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("named", "states"), [("test_some.py", "1 passed in"), ("test_some.py::test_long", "1 deselected in")]
)
def test_a_soak_that_is_named_is_found_and_deselected(tmp_path: Path, named: str, states: str) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text())
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = soak\naddopts = -m 'not soak'\n")
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", named]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert states in ran.stdout, ran.stdout + ran.stderr
