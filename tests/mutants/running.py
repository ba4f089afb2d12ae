"""Runs the tests that reach a mutant, each in a process of its own with a limit of processor time."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from coverage import CoverageData

from tests.mutants.operators import Mutant, Site
from tests.mutants.plugin import COSTS, LINES, PLANT, RECORD, TESTS

FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", re.MULTILINE)
LEAST_CPU_S: Final = 120
"""For importing and collecting, whatever the tests need."""
MOST_TIMES: Final = 4
"""As many times what the tests needed when they were recorded, a mutant may need: then it never ends."""
MOST_MEMORY: Final = 6 << 30
QUICK: Final = ("tests/unit/", "tests/contract/")
"""Their tests run first, by themselves, so that most mutants need no other test collected."""
OPTIONS: Final = ("-p", "no:xdist", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-p", "tests.mutants.plugin")


class MutantsError(Exception):
    """Tests could not be run, for a reason that is no mutant's."""


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of a mutant."""

    kind: str
    """`killed`, `time` (it never ended, which counts as killed), `survived`, or `unreached`: no test runs its line."""
    by: str = ""
    """The first test that failed."""

    @property
    def is_killed(self) -> bool:
        return self.kind in ("killed", "time")


class Covering:
    """Which tests run which lines, and what each costs, as they were recorded."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._root = root
        self._data = CoverageData(str(folder / LINES))
        self._data.read()
        rows = [json.loads(line) for line in (folder / COSTS).read_text(encoding="utf-8").splitlines()]
        self.cost_s: dict[str, float] = {name: cost for name, cost, failed in rows if not failed}
        self.failed = [name for name, _, failed in rows if failed]
        """Tests that fail without any mutant; they tell nothing and do not run."""

    def tests(self, site: Site) -> list[str]:
        """The tests that run a line, the cheapest first. A line of the module itself counts as run by every test that
        runs any function of the module."""
        contexts = self._data.contexts_by_lineno(str(self._root / site.mutant.path))
        if site.in_function:
            names = {name for line in site.lines for name in contexts.get(line, ())}
        else:
            names = {name for found in contexts.values() for name in found}
        return sorted((name for name in names if name in self.cost_s), key=lambda name: (self.cost_s[name], name))


def record(root: Path, folder: Path, tests: Sequence[str], ignored: Sequence[str]) -> None:
    """Runs tests once, and records which lines each runs.

    Raises:
        MutantsError: they could not be collected.
    """
    folder.mkdir(parents=True, exist_ok=True)
    arguments = [*tests, *(f"--ignore={path}" for path in ignored if (root / path).exists())]
    done = _pytest(root, arguments, {RECORD: str(folder)}, None)
    if done.returncode not in (0, 1):
        raise MutantsError(f"the tests could not be recorded:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def tried(root: Path, mutant: Mutant, tests: Sequence[str], cost_s: float) -> Verdict:
    """Plants a mutant and runs tests by their ids until one fails.

    Raises:
        MutantsError: pytest did not run.
    """
    quick = [name for name in tests if name.startswith(QUICK)]
    for some in (quick, [name for name in tests if not name.startswith(QUICK)]):
        if some:
            verdict = _run(root, mutant, some, cost_s)
            if verdict.is_killed:
                return verdict
    return Verdict("survived" if tests else "unreached")


def _run(root: Path, mutant: Mutant, tests: Sequence[str], cost_s: float) -> Verdict:
    limit_s = round(LEAST_CPU_S + MOST_TIMES * cost_s)
    with tempfile.TemporaryDirectory() as folder:
        chosen = Path(folder) / "tests.json"
        chosen.write_text(json.dumps(tests), encoding="utf-8")
        files = sorted({name.partition("::")[0] for name in tests})
        planted = {PLANT: json.dumps(mutant._asdict()), TESTS: str(chosen), "HYPOTHESIS_STORAGE_DIRECTORY": folder}
        done = _pytest(root, ["-x", "-rfE", *files], planted, limit_s)
    if done.returncode == 0:
        return Verdict("survived")
    if done.returncode in (1, 2):  # a test failed, or its module could not be imported
        failed = FAILED.search(done.stdout)
        return Verdict("killed", failed[1] if failed else "")
    if done.returncode < 0:
        return Verdict("time")
    raise MutantsError(f"{mutant}: pytest ended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def _pytest(
    root: Path, arguments: Sequence[str], given: dict[str, str], limit_s: int | None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", *OPTIONS, *arguments],
        cwd=root,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=None if limit_s is None else partial(_limit, limit_s),
    )


def _limit(limit_s: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
