"""Serves many askers in turn: one that asks a thousand times waits behind one that asks once."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class FairQueue(Generic[K, V]):
    """Requests of askers, taken round robin, one of each asker at a time. Bounded both ways."""

    def __init__(self, per_asker: int, askers: int) -> None:
        self._per_asker = per_asker
        self._askers = askers
        self._waiting: OrderedDict[K, deque[V]] = OrderedDict()
        """The next to be served first."""

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def put(self, asker: K, request: V) -> bool:
        """Adds a request; False if the asker has too many waiting, or too many others wait."""
        own = self._waiting.get(asker)
        if own is None:
            if len(self._waiting) >= self._askers:
                return False
            self._waiting[asker] = deque([request])
            return True
        if len(own) >= self._per_asker:
            return False
        own.append(request)
        return True

    def take(self) -> tuple[K, V] | None:
        """The oldest request of the asker whose turn it is; then the asker goes to the end. None if nobody waits."""
        if not self._waiting:
            return None
        asker, own = self._waiting.popitem(last=False)
        request = own.popleft()
        if own:
            self._waiting[asker] = own
        return asker, request
