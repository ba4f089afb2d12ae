"""What the monitor of a socket shows of its handshakes, event by event."""

from __future__ import annotations

import pytest
import zmq

from feed.subscriber.handshake import NOT_ALLOWED, PATIENCE_NS, WRONG_SERVER, Handshake

MS = 1_000_000
CONNECTED = zmq.Event.CONNECTED
FAILED = zmq.Event.HANDSHAKE_FAILED_NO_DETAIL
LET_IN = zmq.Event.HANDSHAKE_SUCCEEDED


def after(*events: tuple[int, zmq.Event], until_ms: int = 0) -> Handshake:
    """A handshake after these events, at their milliseconds."""
    made = Handshake()
    for at_ms, event in events:
        made.handle(event, at_ms * MS)
        made.tick(at_ms * MS)
    made.tick(until_ms * MS)
    return made


def test_a_reader_that_is_let_in_is_not_refused() -> None:
    assert after((0, CONNECTED), (5, LET_IN), until_ms=10_000).refused == ""


def test_a_handshake_that_is_not_answered_is_of_a_key_that_is_not_allowed() -> None:
    patience = PATIENCE_NS // MS
    assert after((0, CONNECTED), until_ms=patience - 1).refused == ""
    assert after((0, CONNECTED), until_ms=patience).refused == NOT_ALLOWED
    # The service ends it after some seconds, and the next one begins.
    assert after((0, CONNECTED), (5000, FAILED), (5100, CONNECTED), (10_100, FAILED)).refused == NOT_ALLOWED


def test_handshakes_that_are_ended_at_once_are_of_another_server() -> None:
    assert after((0, CONNECTED), (5, FAILED)).refused == "", "a service that stops"
    assert after((0, CONNECTED), (5, FAILED), (110, CONNECTED), (115, FAILED)).refused == WRONG_SERVER


@pytest.mark.parametrize("before", [[(0, CONNECTED)], [(0, CONNECTED), (5, FAILED), (110, CONNECTED), (115, FAILED)]])
def test_a_reader_that_is_let_in_later_is_not_refused_any_more(before: list[tuple[int, zmq.Event]]) -> None:
    assert after(*before, (5000, CONNECTED), (5005, LET_IN), until_ms=20_000).refused == ""


def test_a_socket_that_was_replaced_is_not_waited_for() -> None:
    made = after((0, CONNECTED))
    made.reconnected()
    made.tick(PATIENCE_NS)
    assert made.refused == ""
