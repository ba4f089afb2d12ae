"""Simulated devices that answer what is done at their outputs: lamps that are read back, shakers that are started.

A table's round is planned; what its devices answer is not, for it hangs on what the controller does and when.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Final, Protocol, TypeVar, runtime_checkable

from hal.values import Batch, Edge, Output, Rare

_T_NS: Final = attrgetter("t_ns")
T = TypeVar("T", Edge, Rare)


@runtime_checkable
class Answering(Protocol):
    """A simulated table of which some devices answer."""

    @property
    def next_answer_ns(self) -> int | None:
        """When the next answer comes, if nothing is commanded before."""

    def command(self, output: Output) -> None:
        """Something is done at an output, at its time."""

    def answers(self, until_ns: int) -> Batch:
        """What the devices do up to then because of what was commanded; each of it is reported once."""


@runtime_checkable
class Moving(Protocol):
    """A simulated table with parts whose movement is worked out no further than it was asked for."""

    @property
    def moves(self) -> bool:
        """Whether such a part moves now: `next_answer_ns` is then not the time of its next edge."""


def play_through(
    simulator: object,
    batch: Batch,
    feed: Callable[[Batch], Sequence[Output]],
    next_due_ns: Callable[[], int | None],
) -> Batch:
    """Feeds a round to a table, with what its devices answer to the outputs that `feed` returns. Returns all that was
    fed, as one batch.

    Where nothing answers, it is fed at once.
    """
    if not isinstance(simulator, Answering):
        feed(batch)
        return batch
    edges, rare = list[Edge](), list[Rare]()
    left = batch
    t_ns = -1
    while t_ns < batch.until_ns:
        dues = [next_due_ns(), simulator.next_answer_ns, *(values[0].t_ns for values in left[:2] if values)]
        t_ns = min(left.until_ns, max(t_ns + 1, min((due for due in dues if due is not None), default=left.until_ns)))
        due, left = _split(left, t_ns)
        answered = simulator.answers(t_ns)
        now = Batch(_merged(due.edges, answered.edges), _merged(due.rare, answered.rare), t_ns)
        edges += now.edges
        rare += now.rare
        for output in feed(now):
            simulator.command(output)
    return Batch(edges, rare, batch.until_ns)


def _split(batch: Batch, t_ns: int) -> tuple[Batch, Batch]:
    """What comes up to a time, and the rest."""
    edge, other = bisect_right(batch.edges, t_ns, key=_T_NS), bisect_right(batch.rare, t_ns, key=_T_NS)
    return (
        Batch(batch.edges[:edge], batch.rare[:other], t_ns),
        Batch(batch.edges[edge:], batch.rare[other:], batch.until_ns),
    )


def _merged(planned: list[T], answered: list[T]) -> list[T]:
    both = planned + answered
    both.sort(key=_T_NS)
    return both
