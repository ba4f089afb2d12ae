"""`feltwire screen` where it cannot begin."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.cli import main

ROOT = Path(__file__).resolve().parents[4]


def test_without_pygame_it_says_how_it_is_installed_beside_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    done = CliRunner().invoke(main, ["screen", "--touch", "none"])
    assert done.exit_code == 1
    page = (ROOT / "docs" / "devices" / "skill-stop-video.md").read_text(encoding="utf-8")
    commands = [line.strip() for line in done.output.splitlines() if line.startswith("  ")]
    assert commands[0] == "python3 -m venv /opt/feltwire-screen"
    assert commands[-1].endswith("feltwire screen")
    assert all(command in page for command in commands), "the page and the message have the same commands"
    assert (ROOT / "requirements" / "screen.lock").is_file()
    assert "pygame-ce==" in (ROOT / "requirements" / "screen.lock").read_text(encoding="utf-8")
