"""Every command on the page for auditors prints what the page shows, on a journal of one evening.

After a change that is meant, renew the page with

    .venv/bin/python -m tests.unit.audit.test_journal_page
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.fakes.time_limits import HANG_S
from tests.unit.audit.making import evening, place_key

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "journal.md"

BLOCK = re.compile(r"^```console\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
SHELL = """#!{python}
import sqlite3, sys
from pathlib import Path
connection = sqlite3.connect(sys.argv[-2], isolation_level=None)
connection.create_function("writefile", 2, lambda name, data: Path(name).write_bytes(data))
for row in connection.execute(sys.argv[-1]):
    print("|".join(str(one) for one in row))
connection.close()
"""
"""What of the `sqlite3` shell the page needs, so that the page is checked where that is not installed."""


def shown(text: str) -> list[tuple[str, str]]:
    """The commands of a page and what it shows of their output."""
    found: list[tuple[str, str]] = []
    for block in BLOCK.finditer(text):
        command, lines = "", ""
        for line in block["text"].splitlines(keepends=True):
            if line.startswith("$ "):
                if command:
                    found.append((command, lines))
                command, lines = line[2:].rstrip("\n"), ""
            else:
                lines += line
        found.append((command, lines))
    return found


def printed(commands: list[str], folder: Path) -> list[str]:
    """What the commands print, one after another, in a folder with a journal."""
    evening(folder / "journal.sqlite")
    place_key(folder)
    (folder / ".venv").symlink_to(Path(sys.executable).parent.parent)
    tools = folder / "tools"
    tools.mkdir()
    (tools / "sqlite3").write_text(SHELL.format(python=sys.executable))
    (tools / "sqlite3").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    outputs: list[str] = []
    for command in commands:
        run = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
        outputs.append(run.stdout)
    return outputs


@pytest.mark.long
def test_every_command_prints_what_the_page_shows(tmp_path: Path) -> None:
    pairs = shown(PAGE.read_text(encoding="utf-8"))
    assert len(pairs) > 15
    for (command, expected), output in zip(pairs, printed([one for one, _ in pairs], tmp_path), strict=True):
        assert output == expected, command


def renew() -> None:
    text = PAGE.read_text(encoding="utf-8")
    pairs = shown(text)
    with tempfile.TemporaryDirectory() as folder:
        outputs = printed([one for one, _ in pairs], Path(folder))
    position = 0
    for (command, expected), output in zip(pairs, outputs, strict=True):
        old = f"$ {command}\n{expected}"
        position = text.index(old, position)
        text = text[:position] + f"$ {command}\n{output}" + text[position + len(old) :]
        position += len(command)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    renew()
