"""Counts in a fresh process: `python -m tests.costs.measuring NAME...` prints the costs of these scripts as JSON.

A fresh process has nothing else loaded, its seed of hashes is fixed, and each script runs in a fork of it: the figures
depend on no other test, and on no other script.
"""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from math import ceil
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.costs.counting import Cost, calls_of, cost_of, instructions_of
from tests.costs.planting import LOOP, Loss, dearer

ROOT: Final = Path(__file__).resolve().parents[2]
LOSSES: Final = "--losses"
TENTH: Final = 0.1
"""The share of its instructions and of its calls that a script loses for the guard's own test."""


def costs(names: Sequence[str] = ()) -> dict[str, Cost]:
    """What scripts cost, by name; none stands for all.

    Raises:
        RuntimeError: they cannot be counted; the message is the error output.
    """
    return {name: Cost(*found) for name, found in _apart(*names).items()}


class Losses(NamedTuple):
    """Instructions and calls of one script."""

    instructions: int
    calls: int
    tenth_instructions: int
    """With the hot method dearer by `TENTH` of the script's instructions."""
    tenth_calls: int
    """With calls in the hot method, `TENTH` of the script's."""


def losses(names: Sequence[str] = ()) -> dict[str, Losses]:
    """What scripts cost as they are, and with their hot method dearer.

    Raises:
        RuntimeError: they cannot be counted, or a script does not call its hot method.
    """
    return {name: Losses(*found) for name, found in _apart(LOSSES, *names).items()}


def _apart(*arguments: str) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))}
    done = subprocess.run(
        [*_same_addresses(), sys.executable, "-m", "tests.costs.measuring", *arguments],
        cwd=ROOT,
        env={**environment, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"the costs cannot be counted:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _same_addresses() -> list[str]:
    """What runs a program at the same addresses each time, where this system allows it: objects that a set has by their
    address have an order then, and memory depends on it by some percent.
    """
    setarch = shutil.which("setarch")
    words = [] if setarch is None else [setarch, "--addr-no-randomize"]
    allowed = bool(words) and subprocess.run([*words, "true"], capture_output=True).returncode == 0
    return words if allowed else []


def cost(name: str) -> Cost:
    """What one script costs, for its unit, rounded."""
    from tests.costs.scripts import SCRIPTS

    script = SCRIPTS[name]
    with script.subject() as subject:
        whole = cost_of(subject.ready, subject.expected)
    # Memory is that of the whole script: it does not grow with the amount.
    per = [round(figure * script.unit / subject.amount) for figure in whole[:2]]
    return Cost(per[0], per[1], whole.peak_bytes, whole.kept_blocks)


def lost(name: str) -> tuple[int, ...]:
    """The instructions and calls of one script, without losses and with them: see `losses`."""
    from tests.costs.scripts import SCRIPTS

    script, loss = SCRIPTS[name], Loss()
    with script.subject() as subject, dearer(script.hot, loss):

        def losing(turns: int, calls: int) -> Callable[[], Callable[[], int]]:
            def ready() -> Callable[[], int]:
                run = subject.ready()

                def losing_run() -> int:
                    loss.turns, loss.calls = turns, calls
                    return run()

                return losing_run

            return ready

        losing(0, 0)()()
        if not loss.met:
            raise RuntimeError(f"{name} does not call {script.hot} any more: name the method in its place")
        whole = instructions_of(losing(0, 0), subject.expected)
        whole_calls = calls_of(losing(0, 0), subject.expected)
        tenth = instructions_of(losing(ceil(TENTH * whole / LOOP), 0), subject.expected)
        tenth_calls = calls_of(losing(0, ceil(TENTH * whole_calls)), subject.expected)
        counted = (whole, whole_calls, tenth, tenth_calls)
        return tuple(round(one * script.unit / subject.amount) for one in counted)


def main(arguments: Sequence[str]) -> None:
    """Prints what is asked for."""
    from tests.costs.scripts import SCRIPTS

    count = lost if LOSSES in arguments else cost
    names = [one for one in arguments if one != LOSSES] or list(SCRIPTS)
    json.dump({name: _forked(count, name) for name in names}, sys.stdout)


def _forked(count: Callable[[str], tuple[int, ...]], name: str) -> tuple[int, ...]:
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(count, name, there))
    process.start()
    there.close()
    try:
        found: tuple[int, ...] = here.recv()
    except EOFError:
        raise RuntimeError(f"{name}: counting failed; the error is above") from None
    finally:
        process.join()
    return found


def _send(count: Callable[[str], tuple[int, ...]], name: str, there: Connection) -> None:
    # What the process has loaded is no part of a script; each collection would walk through it, and copy its pages.
    gc.freeze()
    there.send(count(name))


if __name__ == "__main__":
    main(sys.argv[1:])
