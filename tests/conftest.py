"""What all tests share."""

from __future__ import annotations

import gc
from collections.abc import Generator
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

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
    """Hides the collected items from the garbage collector, which would walk through all of them during each test."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Gives them back, so that libraries find nothing left of theirs when the process ends."""
    gc.unfreeze()
