"""What one page still needs: newest only, one batch at a time, and what it is behind with."""

from __future__ import annotations

import json

import pytest

from scoreboard.newest import BATCH_OCTETS, Acknowledgement, Newest


def sync(bodies: list[bytes]) -> dict[str, object]:
    """The end of a batch."""
    made: dict[str, object] = json.loads(bodies[-1])
    return made


def test_one_batch_is_on_its_way_and_what_is_replaced_is_never_sent() -> None:
    newest = Newest(echo=10.5, heard=7)
    assert newest.batch(8) == []
    newest.put_board("a", b"a1")
    newest.put_motion("a", b"am")
    first = newest.batch(9)
    assert first[:-1] == [b"a1", b"am"]
    assert sync(first) == {"type": "sync", "batch": 1, "at": 9, "echo": 10.5, "heard": 7, "behind": []}
    for number in range(1000):
        newest.put_motion("a", b"moves no more")
        newest.put_board("a", b"a%d" % number)
        newest.put_first("beat", b"beat %d" % number)
        assert newest.batch(10) == []
    newest.acknowledged(Acknowledgement(ack=1, now=20.5), 12)
    second = newest.batch(13)
    assert second[:-1] == [b"beat 999", b"a999"]
    assert sync(second) == {"type": "sync", "batch": 2, "at": 13, "echo": 20.5, "heard": 12, "behind": []}


def test_since_when_a_batch_is_on_its_way_is_known() -> None:
    newest = Newest(echo=0, heard=0)
    assert newest.left_ms is None
    newest.put_board("a", b"a")
    newest.batch(8)
    newest.put_board("a", b"b")
    newest.batch(9)
    assert newest.left_ms == 8
    newest.acknowledged(Acknowledgement(ack=1, now=1), 10)
    assert newest.left_ms is None


def test_large_boards_go_in_turns_and_those_that_wait_are_named() -> None:
    newest = Newest(echo=0, heard=0)
    body = b"x" * BATCH_OCTETS
    for key in ("b", "a"):
        newest.put_board(key, key.encode() + body)
    first = newest.batch(1)
    assert [one[:1] for one in first[:-1]] == [b"b"]
    assert sync(first)["behind"] == ["a"]
    # The one that was sent waits for its turn again.
    newest.put_board("b", b"B" + body)
    newest.put_board("a", b"A" + body)
    newest.acknowledged(Acknowledgement(ack=1, now=1), 2)
    second = newest.batch(3)
    assert ([one[:1] for one in second[:-1]], sync(second)["behind"]) == ([b"A"], ["b"])


@pytest.mark.parametrize("ack", [0, 2])
def test_what_is_not_on_its_way_is_not_acknowledged(ack: int) -> None:
    newest = Newest(echo=0, heard=0)
    newest.put_board("a", b"a")
    newest.batch(1)
    with pytest.raises(ValueError, match=f"batch {ack} is not on its way"):
        newest.acknowledged(Acknowledgement(ack=ack, now=1), 2)
