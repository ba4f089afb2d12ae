"""What all tests share."""

from __future__ import annotations

import atexit
import gc
import inspect
from collections.abc import Generator
from typing import Final

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

WITHOUT_SOAKS: Final = "not soak"
"""The marks of `addopts`."""

# What a simulation makes lives no longer than its test. Looking for cycles after every 700 objects took an eighth of
# the processor time of all simulations.
GARBAGE: Final = (100_000, 50, 100)
gc.set_threshold(*GARBAGE)

EXAMPLES: Final = 40
"""Of a test of random values that states no number of its own. Each run draws others, except in CI."""
# No test depends on the machine's speed: making and running an example may take as long as it takes.
settings.register_profile(
    "feltwire", deadline=None, max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("feltwire")


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, obj: object) -> list[pytest.Item] | None:
    """Makes no test of a soak where none is asked for: these are a third of all, and would be deselected one by one.

    Where a test is named, pytest finds it and then states that it is deselected, and not that there is none.
    """
    config = collector.config
    if config.option.markexpr != WITHOUT_SOAKS or any("::" in argument for argument in config.args):
        return None
    marks = getattr(obj, "pytestmark", ()) if inspect.isfunction(obj) else ()
    return [] if any(mark.name == "soak" for mark in marks) else None


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Reports a test to the process that it is one of many workers of, once, where it passed.

    Otherwise five messages are packed and unpacked for each of the many short tests, and four of them change nothing.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects without the garbage collector, which would walk through all tests again and again, and find nothing."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Hides the collected items from the garbage collector, which would walk through all of them during each test.

    They are given back when the process ends, so that libraries find nothing left of theirs then: not before, as pytest
    collects twice at the end of its session, for what tests left.
    """
    gc.freeze()
    atexit.register(gc.unfreeze)
