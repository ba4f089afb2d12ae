"""Things of a list by their names, each imported when it is first asked for: a table loads its own game alone.

money_wheel = controller.games.money_wheel.spec:MONEY_WHEEL     as an entry point is written
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Listed(Mapping[str, T]):
    """A mapping whose names are known without importing anything, and whose values are made once."""

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, T] = {}

    @classmethod
    def of(cls, kind: type[T], entries: Iterable[str]) -> Listed[T]:
        """What these lines list, each `NAME = MODULE:OBJECT`; every object must be of this kind."""
        pairs = (entry.split(" = ") for entry in entries)
        return cls({name: partial(_imported, kind, place) for name, place in pairs})

    def joined(self, more: Mapping[str, T]) -> Listed[T]:
        """These and more, which take the place of those of the same name."""
        return Listed({name: partial(those.__getitem__, name) for those in (self, more) for name in those})

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class _Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=_Named)


def by_name(things: Iterable[N]) -> Listed[N]:
    """Things that are there already, by their names."""
    return Listed({thing.name: partial(_itself, thing) for thing in things})


def _itself(thing: T) -> T:
    return thing


def _imported(kind: type[T], place: str) -> T:
    module, _, name = place.partition(":")
    found: Any = getattr(import_module(module), name)
    if not isinstance(found, kind):
        raise TypeError(f"{place} is a {type(found).__name__}; a {kind.__name__} was expected")
    return found
