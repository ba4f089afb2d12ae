"""Counts in a fresh process: `python -m tests.costs.measuring NAME...` prints the costs of these scripts as JSON.

A fresh process has nothing else loaded, its seed of hashes is fixed, and each script runs in a fork of it: the figures
depend on no other test, and on no other script.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from tests.costs.counting import Cost, cost_of, instructions_of
from tests.costs.planting import LOOP, dearer

ROOT: Final = Path(__file__).resolve().parents[2]
LOSSES: Final = "--losses"
SMALL, TENTH = 0.03, 0.1
"""Shares of its instructions that a script loses for the guard's own test."""


def costs(names: Sequence[str] = ()) -> dict[str, Cost]:
    """What scripts cost, by name; none stands for all.

    Raises:
        RuntimeError: they cannot be counted; the message is the error output.
    """
    return {name: Cost(*found) for name, found in _apart(*names).items()}


def losses(names: Sequence[str] = ()) -> dict[str, tuple[int, int, int]]:
    """The instructions of scripts as they are, and with their hot method dearer by `SMALL` and by `TENTH` of them.

    Raises:
        RuntimeError: they cannot be counted, or a script does not call its hot method.
    """
    return {name: tuple(found) for name, found in _apart(LOSSES, *names).items()}


def _apart(*arguments: str) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))}
    done = subprocess.run(
        [sys.executable, "-m", "tests.costs.measuring", *arguments],
        cwd=ROOT,
        env={**environment, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"the costs cannot be counted:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def cost(name: str) -> Cost:
    """What one script costs, for its unit, rounded."""
    from tests.costs.scripts import SCRIPTS

    script = SCRIPTS[name]
    with script.subject() as subject:
        whole = cost_of(subject.ready, subject.expected)
    # Memory is that of the whole script: it does not grow with the amount.
    per = [round(figure * script.unit / subject.amount) for figure in whole[:2]]
    return Cost(per[0], per[1], whole.peak_bytes, whole.kept_blocks)


def lost(name: str) -> tuple[int, int, int]:
    """The instructions of one script: see `losses`."""
    from tests.costs.scripts import SCRIPTS

    script, called, turns = SCRIPTS[name], 0, 0

    def turn() -> int:
        nonlocal called
        called += 1
        return turns

    with script.subject() as subject:

        def of_a_unit(whole: int) -> int:
            return round(whole * script.unit / subject.amount)

        subject.ready()()
        whole = instructions_of(subject.ready, subject.expected)
        with dearer(script.hot, turn):
            subject.ready()()
            calls, found = called, []
            if not calls:
                raise RuntimeError(f"{name} does not call {script.hot} any more: name the method in its place")
            for share in (SMALL, TENTH):
                turns = round(share * whole / calls / LOOP)
                found.append(of_a_unit(instructions_of(subject.ready, subject.expected)))
    return of_a_unit(whole), found[0], found[1]


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
    there.send(count(name))


if __name__ == "__main__":
    main(sys.argv[1:])
