"""Every file of the project that the Makefile and the scripts of the checks run is there."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN_BY = ("Makefile", "tests/run_checks.sh", "systemd/package/install.sh")
BUILT = ("build/",)
"""What a target makes."""
FILE = re.compile(r"(?<![\w/.~*-])((?:[a-z_]+/)+[a-z_]+\.(?:py|sh|lock|toml))\b")
MODULE = re.compile(r"/python\"? -m ((?:tests|benchmarks|controller|feed|systemd)[\w.]*)")


@pytest.mark.parametrize("file", RUN_BY)
def test_what_a_target_names_is_there(file: str) -> None:
    text = (ROOT / file).read_text()
    named = {name for name in FILE.findall(text) if not name.startswith(BUILT)}
    assert named, "the pattern finds nothing: this test shows nothing"
    assert sorted(name for name in named if not (ROOT / name).is_file()) == []
    assert [module for module in MODULE.findall(text) if find_spec(module) is None] == []


def test_every_target_is_declared_and_explained() -> None:
    text = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([a-z][a-z-]*):", text, re.MULTILINE)) - {"help"}
    phony = set(re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)[0].split()) - {"help"}
    assert targets == phony
    explained = set(re.findall(r"make ([a-z][a-z-]*)", text))
    assert targets - explained == {"clean"}


def test_what_the_checks_need_has_all_that_the_command_needs() -> None:
    """`make test` installs the one lock alone."""
    run, checks = (
        set(re.findall(r"^\S+==\S+", (ROOT / "requirements" / f"{name}.lock").read_text(), re.MULTILINE))
        for name in ("run", "dev")
    )
    assert run < checks
