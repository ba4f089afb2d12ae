"""Which files of the project some code opens."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.fakes.time_limits import HANG_S

ROOT = Path(__file__).resolve().parents[2]
MADE = frozenset({".venv", "__pycache__", "build"})
"""Folders of what was built."""
LISTS_WHAT_IT_OPENS = """
import os, sys

opened = set()
sys.addaudithook(lambda event, given: opened.add(given[0]) if event == "open" and isinstance(given[0], str) else None)
{code}
files = [module.__file__ for module in sys.modules.values() if getattr(module, "__file__", None)]
print("opened:", *map(os.path.abspath, {{*opened, *files}}), sep="\\n")
"""


def opened_by(code: str) -> set[str]:
    """The files that this code opens in an interpreter of its own, as git names them; none that was built."""
    ran = subprocess.run(
        [sys.executable, "-c", LISTS_WHAT_IT_OPENS.format(code=code)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True,
        timeout=HANG_S,
    )  # fmt: skip
    opened = [Path(line) for line in ran.stdout.partition("opened:\n")[2].splitlines()]
    ours = [path.relative_to(ROOT) for path in opened if path.is_relative_to(ROOT)]
    return {path.as_posix() for path in ours if MADE.isdisjoint(path.parts)}
