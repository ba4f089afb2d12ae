"""The plugin that runs a part of some tests: all parts together run each test once, and a skipped one fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.soak.parts import part
from tests.soak.records import Result
from tests.soak.source import ROOT

pytestmark = pytest.mark.long

TESTS = """
import pytest

@pytest.mark.parametrize("n", range(5))
def test_it(n):
    assert n != 3, "three"
    if n == 4:
        pytest.skip("no compiler")
"""


def run(tmp_path: Path, chosen: str, tests: str = TESTS) -> Result:
    file, result = tmp_path / "test_tiny.py", tmp_path / "result.json"
    file.write_text(tests)
    plugins = ("-p", "no:xdist", "-p", "no:cacheprovider", "-p", "tests.soak.parts")
    command = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", *plugins, str(file)]
    subprocess.run(
        [*command, "--soak-part", chosen, "--soak-result", str(result)],
        cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=False,
    )  # fmt: skip
    return msgspec.json.decode(result.read_bytes(), type=Result)


def test_the_parts_together_are_the_whole(tmp_path: Path) -> None:
    parts = [run(tmp_path, f"{k}/2", TESTS.replace("range(5)", "range(3)")) for k in (1, 2)]
    assert [one.counts["tests"] for one in parts] == [2, 1]
    assert [one.failures for one in parts] == [[], []]


def test_a_failed_test_and_a_skipped_one_are_failures_with_the_command_that_repeats_them(tmp_path: Path) -> None:
    whole = run(tmp_path, "1/1")
    assert whole.counts == {"tests": 3}
    failed, skipped = whole.failures
    assert "test_it[3] failed: " in failed.what
    assert "AssertionError: three" in failed.said
    assert "test_it[4] was not run: " in skipped.what
    assert "no compiler" in skipped.what
    assert failed.command.startswith("python -m pytest -m 'soak or not soak' ")
    assert "test_it[3]" in failed.command


def test_a_file_that_cannot_be_read_as_tests_is_a_failure(tmp_path: Path) -> None:
    broken = run(tmp_path, "1/1", "import nothing_of_that_name")
    assert broken.counts == {"tests": 0}
    assert len(broken.failures) == 1


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "1/4x", "-1/4", "a/b"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no part; an example is 3/40"):
        part(text)
