import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

LINT = Path(__file__).with_name("clock_lint.py")


def load() -> ModuleType:
    """The lint as a module, wherever pytest was started."""
    spec = importlib.util.spec_from_file_location("clock_lint", LINT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


clock_lint = load()


def found(source: str) -> list[str]:
    return [f"{finding.line} {finding.what}" for finding in clock_lint.lint_source(source, Path("x.py"))]


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import time", "1 import of time"),
        ("import time as t", "1 import of time"),
        ("import os, time", "1 import of time"),
        ("from time import monotonic_ns", "1 import of time"),
        ("def f():\n    import time\n", "2 import of time"),
        ("if TYPE_CHECKING:\n    from time import struct_time\n", "2 import of time"),
        ("__import__('time').sleep(1)", "1 import of time"),
        ("import importlib\nimportlib.import_module('time')", "2 import of time"),
        ("import timeit", "1 import of timeit"),
        ("import datetime\nx = datetime.datetime.now()", "2 datetime.datetime.now"),
        ("from datetime import datetime\nx = datetime.now(tz=None)", "2 datetime.datetime.now"),
        ("from datetime import datetime as dt\nx = dt.utcnow()", "2 datetime.datetime.utcnow"),
        ("import datetime as d\nx = d.date.today()", "2 datetime.date.today"),
        ("from datetime import datetime\nclock = datetime.now", "2 datetime.datetime.now"),
        ("import asyncio\nasync def f():\n    await asyncio.sleep(0)", "3 asyncio.sleep"),
        ("from asyncio import sleep", "1 asyncio.sleep"),
        ("from asyncio import sleep as nap\nf = nap", "2 asyncio.sleep"),
        ("import asyncio as aio\nf = aio.sleep", "2 asyncio.sleep"),
        ("x = loop.time()", "1 loop.time()"),
        ("x = self._loop.time()", "1 self._loop.time()"),
        ("import asyncio\nx = asyncio.get_running_loop().time()", "2 asyncio.get_running_loop().time()"),
        ("import threading\nthreading.Timer(1, f)", "2 threading.Timer"),
        ("import uuid\nx = uuid.uuid1()", "2 uuid.uuid1"),
        ("from asyncio import (  # noqa\n    sleep,\n)", "1 asyncio.sleep"),
        ("from asyncio import (Event,\n    sleep)", "1 asyncio.sleep"),
        ("from asyncio import(\t\nsleep)", "1 asyncio.sleep"),
        ("from\ttime import monotonic", "1 import of time"),
        ("import os, \\\n    time", "1 import of time"),
        ("x = loop . time()", "1 loop.time()"),
        ("x = loop.\\\ntime()", "1 loop.time()"),
        ("import datetime\nx = datetime.datetime. now()", "2 datetime.datetime.now"),
    ],
)
def test_whoever_asks_for_the_time_is_found(source: str, what: str) -> None:
    assert what in found(source)


@pytest.mark.parametrize(
    "source",
    [
        "from hal.clock import Clock\ndef f(clock: Clock) -> int:\n    return clock.now_ns()",
        "from hal.loop import sleep_ns",
        "from datetime import datetime, UTC\nx = datetime.fromtimestamp(0, UTC)",
        "time = 5\nx = time + 1",
        "x = value.time",
        "import asyncio\nasyncio.wait_for(f, 1)",
        "from . import time",
        "x = 'import time'",
    ],
)
def test_whoever_does_not_is_left_alone(source: str) -> None:
    assert found(source) == []


def test_a_finding_names_file_and_line_and_what_to_use() -> None:
    (finding,) = clock_lint.lint_source("\nimport time\n", Path("drivers/wheel.py"))
    assert str(finding).startswith("drivers/wheel.py:2: import of time outside hal; take the time from")


def test_hal_and_benchmarks_may_ask_and_tests_may_not(tmp_path: Path) -> None:
    for folder in ("hal", "drivers", "tests", "benchmarks", ".venv"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.py").write_text("import time\n")
    (tmp_path / "tests" / "vm").mkdir()
    (tmp_path / "tests" / "vm" / "machine.py").write_text("import time\n")
    paths = clock_lint.project_paths(tmp_path)
    assert [finding.path.parent.name for finding in clock_lint.lint_paths(paths)] == ["drivers", "tests"]


def test_as_a_program_it_fails_on_bad_code_and_passes_good_code(tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.py", tmp_path / "good.py"
    bad.write_text("import time\n")
    good.write_text("x = 1\n")
    failed = subprocess.run([sys.executable, LINT, bad], capture_output=True, text=True, check=False)
    assert (failed.returncode, failed.stdout.count("\n")) == (1, 1)
    assert f"{bad}:1: import of time" in failed.stdout
    assert subprocess.run([sys.executable, LINT, good], check=False).returncode == 0


def test_the_project_asks_nobody_but_its_clock_for_the_time() -> None:
    findings = clock_lint.lint_paths(clock_lint.project_paths(clock_lint.ROOT))
    assert [str(finding) for finding in findings] == []
