"""`feltwire conformance game`: it passes a game that keeps everything, and names what another does not keep."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import pytest

from tests.plugin import ROOT, TABLE, installed_into

pytestmark = pytest.mark.long

EFFORT = ("--rounds", "6", "--seeds", "1")
BY_BATCH = "    def edges(self, batch):\n        return super().edges(batch[:-1])\n\n    def _facts("
"""A device that leaves out the last edge of each batch."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed_into(tmp_path_factory.mktemp("plugin"))


def conformance(site: Path, table: Path = TABLE, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs the command with the packages of a folder."""
    program = "from controller.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, "conformance", "game", str(table), *EFFORT, *options],
        env={**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_package_keeps_everything(built: Path) -> None:
    ran = conformance(built)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count("yes ") == 9
    assert ran.stdout.endswith("fair_wheel: 9 of 9 checks pass\n")


@pytest.mark.parametrize(
    ("file", "before", "after", "check", "words"),
    [
        ("rounds.py", "elif proven < least:", "elif proven < 0:", "with every fault an outcome", "but the truth is"),
        (
            "rounds.py",
            '"wheel_revolutions"',
            '"too_lazy"',
            "every reason of a refusal",
            "too_lazy is explained nowhere",
        ),
        ("rounds.py", '"prize": self', '"prize": 7 or self', "results have their struct", "is not a FairResult"),
        (
            "rounds.py",
            'str(result["space"])',
            'str(result["prize"])',
            "results have their struct",
            "cannot name the result",
        ),
        (
            "rounds.py",
            '"space": int(name), ',
            '"space": int(name) // 2, ',
            "results have their struct",
            "gets {'space': ",
        ),
        ("simulator.py", "rng.choice((1, -1))", "Random().choice((1, -1))", "equal seeds", "draw from the seed alone"),
        ("rounds.py", "return self._turning is None", "return 1 // 0 > 0", "equal seeds", "ZeroDivisionError: "),
        ("device.py", "    def _facts(", BY_BATCH, "however a stream is cut", "other bytes when the same stream"),
        ("device.py", '"edges_lost"', '""', "with any line or link lost", "but the truth is"),
        ("words.json", '"bear": "OSO",', "", "boards have its words", "es: bear is missing"),
        (
            "spec.py",
            'hero="prize"',
            'hero="price"',
            "boards have its words",
            "shows price, which no result has",
        ),
    ],
)
def test_what_a_game_does_not_keep_is_named(
    built: Path, tmp_path: Path, file: str, before: str, after: str, check: str, words: str
) -> None:
    copytree(built, tmp_path / "site")
    subprocess.run(
        ["find", str(tmp_path), "-name", "__pycache__", "-prune", "-exec", "rm", "-r", "{}", "+"], check=True
    )
    changed = tmp_path / "site" / "fair_wheel" / file
    text = changed.read_text(encoding="utf-8")
    assert before in text
    changed.write_text(text.replace(before, after), encoding="utf-8")
    ran = conformance(tmp_path / "site", TABLE, "--only", check)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    failed = [line for line in ran.stdout.splitlines() if line.startswith("no ")]
    assert any(check in line for line in failed)
    assert words in ran.stdout


def test_a_table_with_real_wires_is_refused(built: Path, tmp_path: Path) -> None:
    table = tmp_path / "fair.toml"
    table.write_text(TABLE.read_text().replace('"sim"', '"capture"'))
    ran = conformance(built, table)
    assert ran.returncode == 2
    assert 'is "capture", and the game is played: write "sim"' in ran.stderr
