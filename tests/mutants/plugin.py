"""A plugin of pytest: records which tests run which lines, or plants one mutant and runs the tests that reach it.

What it does is in the environment, since pytest has nothing imported when the plugin is:

- `MUTANTS_RECORD`, a folder: the lines of each test go there (coverage.py's contexts), with what each test cost.
- `MUTANTS_PLANT`, a mutant as JSON: its module is loaded with the change, whoever imports it.
- `MUTANTS_TESTS`, a file of test ids: only these run, in the order of the file.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Generator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

import pytest

from tests.mutants.operators import Mutant, mutated
from tests.mutants.scope import RECORDED

RECORD = "MUTANTS_RECORD"
PLANT = "MUTANTS_PLANT"
TESTS = "MUTANTS_TESTS"
COSTS = "costs.jsonl"
LINES = "lines.sqlite"


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class _MutantLoader(SourceFileLoader):
    """Loads a module with the change; its cached bytecode is neither read nor written."""

    def __init__(self, name: str, path: str, mutant: Mutant) -> None:
        super().__init__(name, path)
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text(encoding="utf-8")
        return compile(mutated(self._mutant.path, source, self._mutant), self.path, "exec", dont_inherit=True)


class Planter(MetaPathFinder):
    """Finds the mutant's module before anybody else."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant
        self._name = mutant.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None:
            return None
        spec.loader = _MutantLoader(fullname, spec.origin, self._mutant)
        return spec


class Recorder:
    """Switches coverage's context from test to test, and writes down what each cost and whether it passed."""

    def __init__(self, folder: Path) -> None:
        from coverage import Coverage  # only recording needs it

        self._costs = (folder / COSTS).open("w", encoding="utf-8")
        self._coverage = Coverage(
            data_file=str(folder / LINES),
            config_file=False,
            source=RECORDED,
            messages=False,
        )
        self._coverage.start()
        self._failed = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._coverage.switch_context(item.nodeid)
        self._failed = False
        began_s = _cpu_s()
        result = yield
        json.dump([item.nodeid, round(_cpu_s() - began_s, 4), self._failed], self._costs)
        self._costs.write("\n")
        self._coverage.switch_context("")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed = self._failed or not report.passed

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        self._costs.close()


class Chosen:
    """Runs the tests of a file, in its order."""

    def __init__(self, file: Path) -> None:
        self._place = {name: n for n, name in enumerate(json.loads(file.read_text(encoding="utf-8")))}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        chosen = sorted((item for item in items if item.nodeid in self._place), key=lambda one: self._place[one.nodeid])
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in self._place])
        items[:] = chosen


if PLANT in os.environ:
    sys.meta_path.insert(0, Planter(Mutant(**json.loads(os.environ[PLANT]))))


def pytest_configure(config: pytest.Config) -> None:
    if RECORD in os.environ:
        config.pluginmanager.register(Recorder(Path(os.environ[RECORD])))
    if TESTS in os.environ:
        config.pluginmanager.register(Chosen(Path(os.environ[TESTS])))
