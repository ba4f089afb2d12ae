"""Clients are served in turn, and none can fill the queue."""

from __future__ import annotations

from feed.history_server import FairQueue


def drained(queue: FairQueue[str, int]) -> list[tuple[str, int]]:
    taken = []
    while (turn := queue.take()) is not None:
        taken.append(turn)
    return taken


def test_clients_are_served_in_turn() -> None:
    queue: FairQueue[str, int] = FairQueue(per_client=3, clients=10)
    for number in range(3):
        queue.put("greedy", number)
    queue.put("modest", 0)
    assert drained(queue) == [("greedy", 0), ("modest", 0), ("greedy", 1), ("greedy", 2)]


def test_the_requests_waiting_of_one_client_are_bounded() -> None:
    queue: FairQueue[str, int] = FairQueue(per_client=2, clients=10)
    assert [queue.put("a", number) for number in range(3)] == [True, True, False]
    queue.take()
    assert queue.put("a", 3)
    assert drained(queue) == [("a", 1), ("a", 3)]


def test_the_number_of_clients_waiting_is_bounded() -> None:
    queue: FairQueue[str, int] = FairQueue(per_client=2, clients=2)
    assert queue.put("a", 1) and queue.put("b", 1)
    assert not queue.put("c", 1)
    assert queue.put("a", 2)
    assert len(queue) == 3
