"""Makes a method dearer, to show that the guard sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType
from typing import Any, Final

LOOP: Final = 3
"""Instructions of a turn of the loop in `_lose`."""


@contextmanager
def dearer(hot: str, turns: Callable[[], int]) -> Iterator[None]:
    """Makes `module:Class.method` turn an empty loop at each call, as often as `turns` returns."""
    module, _, path = hot.partition(":")
    class_name, _, method = path.partition(".")
    owner = getattr(import_module(module), class_name)
    real = getattr(owner, method)
    # Counted are functions of the project: this one is as if it were in the method's module.
    lose = FunctionType(_lose.__code__, {"__name__": module, "range": range})

    def planted(*values: Any, **named: Any) -> Any:
        lose(turns())
        return real(*values, **named)

    setattr(owner, method, planted)
    try:
        yield
    finally:
        setattr(owner, method, real)


def _lose(turns: int) -> None:
    for _ in range(turns):
        pass
