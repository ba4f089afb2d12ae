"""Makes a method dearer, to show that the guard sees it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType
from typing import Any, Final

LOOP: Final = 3
"""Instructions of a turn of the loop in `_turn`."""


class Loss:
    """What the next call of the method does beside its work."""

    def __init__(self) -> None:
        self.turns = 0
        """Of an empty loop."""
        self.calls = 0
        """Of something that does nothing."""
        self.met = 0
        """How often the method was called."""

    def take(self) -> tuple[int, int]:
        """What is due now: all of it at once."""
        self.met += 1
        due = self.turns, self.calls
        self.turns = self.calls = 0
        return due


@contextmanager
def dearer(hot: str, loss: Loss) -> Iterator[None]:
    """Makes `module:Class.method` lose what `loss` has for it."""
    module, _, path = hot.partition(":")
    class_name, _, method = path.partition(".")
    owner = getattr(import_module(module), class_name)
    real = getattr(owner, method)
    # Counted are functions of the project: these are as if they were in the method's module.
    names = {"__name__": module, "range": range, "len": len}
    turn, call = FunctionType(_turn.__code__, names), FunctionType(_call.__code__, names)

    def planted(*values: Any, **named: Any) -> Any:
        turns, calls = loss.take()
        if turns:
            turn(turns)
        if calls:
            call(calls)
        return real(*values, **named)

    setattr(owner, method, planted)
    try:
        yield
    finally:
        setattr(owner, method, real)


def _turn(times: int) -> None:
    for _ in range(times):
        pass


def _call(times: int) -> None:
    for _ in range(times):
        len(())
