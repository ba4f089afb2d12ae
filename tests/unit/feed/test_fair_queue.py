"""Askers are served in turn, and none can fill the queue."""

from __future__ import annotations

from feed.history_server import FairQueue


def drained(queue: FairQueue[str, int]) -> list[tuple[str, int]]:
    taken = []
    while (turn := queue.take()) is not None:
        taken.append(turn)
    return taken


def test_one_that_asks_much_waits_behind_one_that_asks_once() -> None:
    queue: FairQueue[str, int] = FairQueue(per_asker=3, askers=10)
    for number in range(3):
        queue.put("greedy", number)
    queue.put("modest", 0)
    assert drained(queue) == [("greedy", 0), ("modest", 0), ("greedy", 1), ("greedy", 2)]


def test_an_asker_may_have_so_many_waiting_and_no_more() -> None:
    queue: FairQueue[str, int] = FairQueue(per_asker=2, askers=10)
    assert [queue.put("a", number) for number in range(3)] == [True, True, False]
    queue.take()
    assert queue.put("a", 3)
    assert drained(queue) == [("a", 1), ("a", 3)]


def test_so_many_askers_may_wait_and_no_more() -> None:
    queue: FairQueue[str, int] = FairQueue(per_asker=2, askers=2)
    assert queue.put("a", 1) and queue.put("b", 1)
    assert not queue.put("c", 1)
    assert queue.put("a", 2)
    assert len(queue) == 3
