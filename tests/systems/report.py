"""What a scenario found: checks and figures, shown as they come."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Report:
    """Counts checks, and keeps what is wrong."""

    def __init__(self) -> None:
        self.passed = 0
        self.wrong: list[str] = []

    def check(self, what: str, passed: object, seen: object = "") -> None:
        """Counts a check; what was seen is shown where it failed."""
        if passed:
            self.passed += 1
            print(f"   ok    {what}", flush=True)
        else:
            self.wrong.append(what)
            print(f"   WRONG {what}: {str(seen)[-2000:]}", flush=True)

    def figure(self, what: str, value: object) -> None:
        """Shows a figure."""
        print(f"   {what}: {value}", flush=True)

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Shows how long something takes."""
        begun = time.monotonic()
        yield
        self.figure(what, f"{time.monotonic() - begun:.0f} s")
