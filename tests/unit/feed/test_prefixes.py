"""Who asks for too many prefixes is held off, and nobody else."""

from __future__ import annotations

import socket

import pytest

from feed.prefixes import MAX_TOPICS, MOST_PEERS, Peer, PrefixBudget, end_if_still_of


class Ended:
    """Notes which connections were ended."""

    def __init__(self) -> None:
        self.connections: list[tuple[int, str]] = []

    def __call__(self, descriptor: int, address: str) -> bool:
        self.connections.append((descriptor, address))
        return True


@pytest.fixture
def ended() -> Ended:
    return Ended()


def ask(budget: PrefixBudget, peer: Peer, count: int, first: int = 0) -> list[str]:
    found = [budget.subscribed(peer, b"%d/" % number) for number in range(first, first + count)]
    return [one for one in found if one is not None]


def test_one_that_asks_for_too_many_loses_all_its_connections_until_the_hold_is_over(ended: Ended) -> None:
    budget = PrefixBudget(ended)
    greedy, other = Peer("a", "a", 7), Peer("b", "b", 8)
    assert ask(budget, other, MAX_TOPICS) == []
    assert ask(budget, Peer("a", "a", 9), 10) == []
    assert ask(budget, greedy, MAX_TOPICS) == []
    assert ask(budget, greedy, 1, first=MAX_TOPICS) == ["a"]
    assert ended.connections == [(9, "a"), (7, "a")]
    assert ask(budget, Peer("a", "a", 10), 1) == ["a"]
    assert ended.connections[2:] == [(10, "a")]
    budget.release("a")
    assert ask(budget, Peer("a", "a", 11), 1) == []


def test_what_is_given_back_or_asked_for_again_counts_once(ended: Ended) -> None:
    budget = PrefixBudget(ended)
    peer = Peer("a", "a", 7)
    for number in range(2 * MAX_TOPICS):
        assert budget.subscribed(peer, b"%d/" % number) is None
        budget.unsubscribed(peer, b"%d/" % number)
    assert ask(budget, peer, MAX_TOPICS) == []
    assert ask(budget, peer, MAX_TOPICS) == []
    budget.disconnected(7)
    assert ask(budget, peer, MAX_TOPICS, first=MAX_TOPICS) == []


def test_many_that_are_within_the_bound_each_are_bounded_together(ended: Ended) -> None:
    """A process that forks itself is a new peer each time."""
    budget = PrefixBudget(ended)
    assert ask(budget, Peer("small", "small", 1), 3) == []
    held = [name for one in range(MOST_PEERS + 2) for name in ask(budget, Peer(f"p{one}", "", 10 + one), MAX_TOPICS)]
    assert held
    assert "small" not in held


def test_a_descriptor_that_is_another_connection_by_now_is_left_alone() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert not end_if_still_of(one.fileno(), "localhost:0:0:1")
        other.send(b"x")
        assert one.recv(1) == b"x"
