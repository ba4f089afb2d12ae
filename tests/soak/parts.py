"""A pytest plugin that runs one part of the tests that are selected, and reports what became of them.

    python -m pytest -p tests.soak.parts -m soak tests/property/test_batch_cuts.py --soak-part 3/40

runs every fortieth of them from the third on. Other than without it, a test that is skipped was not run, and fails.
"""

from __future__ import annotations

import re
import shlex
from hashlib import sha256
from pathlib import Path

import pytest

from tests.soak.records import Failure, Result

MOST_SAID = 2_000
"""Characters of what a failure says."""


def part(text: str) -> tuple[int, int]:
    """Number, from 1, and number of parts, of `3/40`.

    Raises:
        ValueError: it is none.
    """
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise ValueError(f"{text!r} is no part; an example is 3/40")
    return int(found[1]), int(found[2])


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("soak")
    group.addoption("--soak-part", type=part, default=(1, 1), metavar="K/N", help="every Nth test, from the Kth on")
    group.addoption("--soak-result", type=Path, metavar="FILE", help="write what became of the tests here, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Reporter(config), "soak-reporter")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    number, parts = config.getoption("--soak-part")
    chosen = items[number - 1 :: parts]
    kept = set(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = chosen


def _message(report: pytest.CollectReport | pytest.TestReport) -> str:
    """What a failure says: a process may have written there why it ended."""
    crash = getattr(report.longrepr, "reprcrash", None)
    message = "" if crash is None else str(crash.message).strip()
    if len(message) > MOST_SAID:
        message = f"{message[: MOST_SAID // 2]} ... {message[-MOST_SAID // 2 :]}"
    return message


class _Reporter:
    """Collects the reports of one session."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._failures: list[Failure] = []
        self._passed: list[str] = []

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed:
            self._fail(report.nodeid, report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self._fail(report.nodeid, report)
        elif report.when == "call":
            self._passed.append(report.nodeid)

    def _fail(self, nodeid: str, report: pytest.CollectReport | pytest.TestReport) -> None:
        what = "was not run" if report.skipped else "failed"
        command = f"python -m pytest -m 'soak or not soak' {shlex.quote(nodeid)}"
        text = str(report.longrepr).strip().splitlines()
        last = text[-1] if text else "no reason is given"
        self._failures.append(Failure(f"{nodeid} {what}: {last}", command, _message(report)))

    def pytest_sessionfinish(self) -> None:
        path = self._config.getoption("--soak-result")
        if path is not None:
            digest = sha256("\n".join(sorted(self._passed)).encode()).hexdigest()
            Result({"tests": len(self._passed)}, self._failures, digest).write(path)
