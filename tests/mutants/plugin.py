"""A plugin of pytest: records which tests reach which mutants, or switches mutants on and runs the tests of each.

All mutants of the sample are in the modules that it loads, each behind a switch (`operators.switched`). What it does is
in the environment, since pytest has nothing imported when the plugin is:

- `MUTANTS_PLAN`, a file: the mutants by number.
- `MUTANTS_RECORD`, a folder: which test reaches which mutant, what each costs and whether it passes go there.
- `MUTANTS_TRY`, a file: the mutants to try, each with its tests in their order. Each is tried in a child of this
  process, so that nothing is imported or collected again.
- `MUTANTS_ON`, a number: this mutant is on from the start, for what is evaluated while its module is imported.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import resource
import signal
import sys
from collections.abc import Generator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

import msgspec
import pytest
from hypothesis import settings

from tests.mutants.operators import Mutant, switched
from tests.soak.source import commit

PLAN: Final = "MUTANTS_PLAN"
RECORD: Final = "MUTANTS_RECORD"
TRY: Final = "MUTANTS_TRY"
ON: Final = "MUTANTS_ON"
REACHED: Final = "reached"
VERDICTS: Final = "verdicts"
MOST_MEMORY: Final = 6 << 30
ENDED_BY_THE_LIMIT: Final = (signal.SIGXCPU, signal.SIGKILL)


class Reached(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a test reaches."""

    test: str
    cost_s: float
    """Processor time."""
    passed: bool
    mutants: list[int]


class Trial(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mutant to be tried."""

    number: int
    tests: list[str]
    """Those that reach it, in the order in which they run."""
    limit_s: int
    """Processor time after which the mutant counts as one that never ends."""
    is_whole: bool = True
    """Whether these are all tests that reach it."""


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of a mutant."""

    number: int
    kind: str
    """`killed`, `time` (it never ended, which counts as killed), `survived`, `unreached` (no test runs it), `undecided`
    (not all of its tests ran), or `crashed`: the process that ran the tests ended otherwise, which shows nothing."""
    by: str = ""
    """The first test that failed."""
    tests: int = 0
    """How many tests it was to be tried on."""
    commit: str = ""
    """The code that ran, as `tests.soak.source` names it."""
    mutant: Mutant | None = None
    """As it was in that code."""

    @property
    def is_killed(self) -> bool:
        return self.kind in ("killed", "time")

    @property
    def is_decided(self) -> bool:
        return self.kind not in ("undecided", "crashed")


class Switches:
    """Which mutant is on, and which were reached since it was asked last. It is `__mutant__` of every module."""

    def __init__(self, on: int | None) -> None:
        self.on = on
        self._reached: set[int] = set()

    def __call__(self, number: int) -> bool:
        self._reached.add(number)
        return number == self.on

    def reached(self) -> set[int]:
        reached, self._reached = self._reached, set()
        return reached


class _Loader(SourceFileLoader):
    """Loads a module with its mutants; its cached bytecode is neither read nor written."""

    def __init__(self, name: str, path: str, module: ast.Module) -> None:
        super().__init__(name, path)
        self._module = module

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._module, self.path, "exec", dont_inherit=True)


class Finder(MetaPathFinder):
    """Finds the mutants' modules before anybody else."""

    def __init__(self, plan: dict[int, Mutant]) -> None:
        self.plan = plan
        self._modules: dict[str, ast.Module] = {}
        self.gone: list[str] = []
        """Mutants that are not in the code."""
        files: dict[str, dict[int, Mutant]] = {}
        for number, mutant in plan.items():
            files.setdefault(mutant.path, {})[number] = mutant
        for file, numbered in files.items():
            name = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            try:
                self._modules[name] = switched(file, Path(file).read_text(encoding="utf-8"), numbered)
            except (KeyError, OSError) as error:
                self.gone.append(str(error))

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._modules:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None:
            return None
        spec.loader = _Loader(fullname, spec.origin, self._modules[fullname])
        return spec


def read_reached(folder: Path) -> list[Reached]:
    """What is recorded of tests; empty where nothing is."""
    lines = [line for file in sorted(folder.glob(f"{REACHED}.*.jsonl")) for line in file.read_bytes().splitlines()]
    return [msgspec.json.decode(line, type=Reached) for line in lines]


class Recorder:
    """Writes down what each test reaches and costs, and whether it passes; what is recorded already is not repeated."""

    def __init__(self, folder: Path, switches: Switches) -> None:
        worker = os.environ.get("PYTEST_XDIST_WORKER", "0")
        self._known = {one.test for one in read_reached(folder)}
        self._file = (folder / f"{REACHED}.{worker}.jsonl").open("ab", buffering=0)
        self._switches = switches
        self._passed = True

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self._known]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self._switches.reached()
        self._passed = True
        began_s = _cpu_s()
        result = yield
        cost_s = round(_cpu_s() - began_s, 4)
        reached = Reached(item.nodeid, cost_s, self._passed, sorted(self._switches.reached()))
        self._file.write(msgspec.json.encode(reached) + b"\n")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._passed = self._passed and report.outcome != "failed"

    def pytest_sessionfinish(self) -> None:
        self._file.close()


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Trier:
    """Runs the tests of each trial until one fails, each trial in a child process with a limit of processor time."""

    def __init__(self, file: Path, switches: Switches) -> None:
        self._trials = msgspec.json.decode(file.read_bytes(), type=list[Trial])
        self._verdicts = file.with_suffix(f".{VERDICTS}").open("ab", buffering=0)
        self._commit = commit()
        self._switches = switches
        self._failed = ""

    def pytest_sessionstart(self) -> None:
        # No mutant's examples are tried on the next one.
        settings.register_profile("mutants", settings.get_profile("feltwire"), database=None)
        settings.load_profile("mutants")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        for trial in self._trials:
            sys.stdout.flush()
            child = os.fork()
            if not child:
                # A test that a mutant gives another name, since its parameters are made of the code, is left out.
                self._try(trial, [items[name] for name in trial.tests if name in items])
                os._exit(0)
            status = os.waitpid(child, 0)[1]
            if os.WIFSIGNALED(status):
                kind = "time" if os.WTERMSIG(status) in ENDED_BY_THE_LIMIT else "crashed"
                self._verdict(Verdict(trial.number, kind, signal.Signals(os.WTERMSIG(status)).name))
            elif status:
                self._verdict(Verdict(trial.number, "crashed", f"exit status {os.waitstatus_to_exitcode(status)}"))
        return True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and self._switches.on is not None:  # a module that cannot be imported: the mutant is noticed
            self._verdict(Verdict(self._switches.on, "killed", report.nodeid))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self._failed:
            self._failed = report.nodeid

    def _try(self, trial: Trial, items: list[pytest.Item]) -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (trial.limit_s, trial.limit_s + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        self._switches.on = trial.number
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                break
        unnoticed = "survived" if trial.is_whole else "undecided"
        self._verdict(Verdict(trial.number, "killed" if self._failed else unnoticed, self._failed))

    def _verdict(self, verdict: Verdict) -> None:
        tests = next((len(trial.tests) for trial in self._trials if trial.number == verdict.number), 0)
        mutant = FINDER.plan[verdict.number]
        whole = msgspec.structs.replace(verdict, tests=tests, commit=self._commit, mutant=mutant)
        self._verdicts.write(msgspec.json.encode(whole) + b"\n")


def read_plan(file: Path) -> dict[int, Mutant]:
    """The mutants by number."""
    return {int(number): Mutant(**fields) for number, fields in json.loads(file.read_text(encoding="utf-8")).items()}


if PLAN in os.environ:
    SWITCHES: Final = Switches(int(os.environ[ON]) if ON in os.environ else None)
    builtins.__mutant__ = SWITCHES  # type: ignore[attr-defined]  # the modules with mutants ask it, and know no import
    FINDER: Final = Finder(read_plan(Path(os.environ[PLAN])))
    sys.meta_path.insert(0, FINDER)

    def pytest_configure(config: pytest.Config) -> None:
        if FINDER.gone:
            raise pytest.UsageError(f"the code has changed since the mutants were planned: {FINDER.gone[0]}")
        if RECORD in os.environ and (hasattr(config, "workerinput") or not config.getoption("numprocesses", None)):
            config.pluginmanager.register(Recorder(Path(os.environ[RECORD]), SWITCHES))
        if TRY in os.environ:
            config.pluginmanager.register(Trier(Path(os.environ[TRY]), SWITCHES))
