"""Records which tests reach the mutants, and tries mutants on them, each by one run of pytest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tests.mutants.operators import Mutant
from tests.mutants.plugin import ON, PLAN, RECORD, TRY, VERDICTS, Reached, Trial, Verdict, read_plan, read_reached
from tests.soak.source import commit

LEAST_CPU_S: Final = 60
MOST_TIMES: Final = 4
"""As many times what its tests needed when they were recorded, and `LEAST_CPU_S`, a mutant may need."""
OPTIONS: Final = ("-p", "no:cacheprovider", "-p", "tests.mutants.plugin", "--hypothesis-seed=0", "--timeout=300")
"""The time limit ends a mutant that waits for ever, which uses no processor time; the slowest test takes a minute of it
on a busy computer."""
RECORDED: Final = "recorded"
NO_TEST_FAILED: Final = 0
TESTS_FAILED: Final = 1
NOT_COLLECTED: Final = 2
"""pytest's exit status where a module of tests could not be imported."""
NO_TEST: Final = 5
"""pytest's exit status where every test has been recorded already."""


class MutantsError(Exception):
    """Tests could not be run, for a reason that is not a mutant's."""


class Folder:
    """What is known of one version of the code: its mutants by number, which tests reach them, and verdicts."""

    def __init__(self, path: Path, options: Sequence[str] = ()) -> None:
        """Args:
        path: the folder.
        options: of pytest, which choose other tests than those of `make test`.
        """
        self._path = path
        self._options = options
        path.mkdir(parents=True, exist_ok=True)

    @property
    def plan(self) -> Path:
        return self._path / "plan.json"

    def write_plan(self, plan: Mapping[int, Mutant]) -> None:
        self.plan.write_text(json.dumps({number: one._asdict() for number, one in plan.items()}), encoding="utf-8")

    @property
    def is_recorded(self) -> bool:
        """Whether every test has been recorded."""
        return (self._path / RECORDED).exists()

    def reached(self) -> list[Reached]:
        """What each test reaches; empty where nothing is recorded."""
        return read_reached(self._path)

    def verdicts(self) -> dict[int, Verdict]:
        """By the mutant's number; what is decided counts more than what is not, and most that it was noticed.

        Those of another mutant, which the plan had under this number before, do not count.
        """
        lines = [line for file in self._path.glob(f"*.{VERDICTS}") for line in file.read_bytes().splitlines()]
        plan = read_plan(self.plan)
        found = [one for line in lines if (one := msgspec.json.decode(line, type=Verdict)).mutant == plan[one.number]]
        found.sort(key=lambda one: (one.is_killed, one.is_decided, one.tests))
        return {one.number: one for one in found}

    def open(self, numbers: Iterable[int]) -> list[int]:
        """Those of these mutants that are not decided, or survived before other tests that reach them were recorded."""
        known = self.verdicts()
        reaching = Counter(number for one in self.reached() if one.passed for number in one.mutants)
        return [
            number
            for number in numbers
            if number not in known
            or not known[number].is_decided
            or (not known[number].is_killed and known[number].tests < reaching[number])
        ]

    def record(self, root: Path, tests: Sequence[str], ignored: Sequence[str], jobs: int) -> None:
        """Runs tests once, and records which mutants each reaches; only those of which nothing is recorded yet.

        Raises:
            MutantsError: they could not be collected.
        """
        arguments = [*tests, *(f"--ignore={path}" for path in ignored if (root / path).exists()), f"-n{jobs}"]
        self._pytest(root, arguments, {RECORD: str(self._path)}, (NO_TEST_FAILED, TESTS_FAILED, NO_TEST))
        (self._path / RECORDED).touch()

    def trials(self, numbers: Sequence[int], most_s: float) -> list[Trial]:
        """What is to be tried: for each of these mutants the tests that reach it, the cheapest first.

        Args:
            most_s: processor time after which no other test of a mutant is added.
        """
        tests: dict[int, list[tuple[float, str]]] = {number: [] for number in numbers}
        for one in self.reached():
            for number in one.mutants if one.passed else ():
                if number in tests:
                    tests[number].append((one.cost_s, one.test))
        trials = []
        for number, reaching in tests.items():
            chosen: list[str] = []
            cost_s = 0.0
            for test_s, name in sorted(reaching):
                if chosen and cost_s + test_s > most_s:
                    break
                cost_s += test_s
                chosen.append(name)
            limit_s = round(LEAST_CPU_S + MOST_TIMES * cost_s)
            trials.append(Trial(number, chosen, limit_s, is_whole=len(chosen) == len(reaching)))
        return trials

    def note_unreached(self, numbers: Iterable[int]) -> None:
        """Notes that no recorded test reaches these mutants."""
        plan, here = read_plan(self.plan), commit()
        rows = [Verdict(number, "unreached", commit=here, mutant=plan[number]) for number in numbers]
        with (self._path / f"unreached.{VERDICTS}").open("ab") as file:
            file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)

    def attempt(self, root: Path, trials: Sequence[Trial], *, on: int | None = None) -> None:
        """Tries mutants, one after the other.

        Args:
            on: the one of `trials` that is on from the start.

        Raises:
            MutantsError: pytest did not run.
        """
        name = f"{trials[0].number}-{os.getpid()}"
        file = self._path / f"{name}.json"
        file.write_bytes(msgspec.json.encode(trials))
        files = sorted({test.partition("::")[0] for trial in trials for test in trial.tests})
        given = {TRY: str(file)} if on is None else {TRY: str(file), ON: str(on)}
        self._pytest(root, ["-pno:xdist", *files], given, (NO_TEST_FAILED, TESTS_FAILED, NOT_COLLECTED))
        file.unlink()

    def _pytest(self, root: Path, arguments: Sequence[str], given: Mapping[str, str], expected: Sequence[int]) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *OPTIONS, *self._options, *arguments],
            cwd=root,
            env={**os.environ, **given, PLAN: str(self.plan)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in expected:
            printed = f"{done.stdout[-3000:]}{done.stderr[-3000:]}"
            raise MutantsError(f"pytest ended with {done.returncode}:\n{printed}")
