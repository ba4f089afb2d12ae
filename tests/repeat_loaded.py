"""Runs the tests of emulated boards many times in a row while every core is busy, and stops at the first failure.

    python -m tests.repeat_loaded 200

All of them live in virtual time: a test whose result depends on how busy the computer is fails here sooner or later.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.soak.records import Failure, Result

FIRMWARE = "tests/firmware/test_"
SELECTED = (
    f"{FIRMWARE}emulated_lockstep.py",
    f"{FIRMWARE}noisy_session.py::test_a_command_whose_repetition_would_show_is_never_repeated[flipped]",
    f"{FIRMWARE}link_mishaps.py::"
    "test_a_board_that_hangs_in_mid_spin_has_its_outputs_safe_within_half_a_second_and_plays_again",
)
"""About seven seconds on an idle computer: every part of the lock step, broken bytes, and a whole table."""
BUSY = ("nice", "-n", "10", sys.executable, "-c", "while True: pass")
LEAST_LOOPS = 2


@contextmanager
def busy(loops: int) -> Iterator[None]:
    """Runs this many processes that keep a core busy each."""
    running = [subprocess.Popen(BUSY) for _ in range(loops)]
    try:
        yield
    finally:
        for one in running:
            one.terminate()
        for one in running:
            one.wait()


def once() -> str | None:
    """Runs the tests; returns their output if one of them failed."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:xdist", *SELECTED]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return ran.stdout + ran.stderr if ran.returncode else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs them as often as the command line gives."""
    parser = argparse.ArgumentParser(prog="python -m tests.repeat_loaded")
    parser.add_argument("times", type=int)
    parser.add_argument("--soak-result", type=Path, help="also write the result to this file, as JSON")
    given = parser.parse_args(arguments)
    times = given.times
    failures: list[Failure] = []
    number = _repeat(times, failures)
    if given.soak_result is not None:
        Result({"repeats": number}, failures).write(given.soak_result)
    return 1 if failures else 0


def _repeat(times: int, failures: list[Failure]) -> int:
    """Returns how often they passed; a failure ends it."""
    with busy(max(LEAST_LOOPS, os.cpu_count() or 1)):
        for number in range(1, times + 1):
            output = once()
            print(f"{number}/{times}{' failed' if output else ''}", flush=True)
            if output:
                print(output)
                last = output.strip().splitlines()[-1]
                failures.append(
                    Failure(f"repeat {number} of {times}: {last}", f"python -m tests.repeat_loaded {times}")
                )
                return number - 1
    return times


if __name__ == "__main__":
    sys.exit(main())
