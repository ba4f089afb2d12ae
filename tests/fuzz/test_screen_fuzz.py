"""Lines between a table and the program of its screen: any bytes are a message, or refused as none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drivers.screen.screen_wire import FromScreen, ScreenWireError, ToScreen, from_screen, line_of, to_screen

PIECES = st.sampled_from(
    [b'{"is":"', b"hello", b"show", b"flip", b'"', b",", b'"at":1', b"[", b"]", b"{", b"}", b"\xff"]
)
LINES = st.binary(max_size=60) | st.lists(PIECES, max_size=20).map(b"".join)


@pytest.mark.parametrize("read", [from_screen, to_screen])
@settings(max_examples=100)
@given(line=LINES)
@example(line=b'{"is":"\xff\xfe"}')
@example(line=b'{"is":"hello","session":"\xc3("}')
@example(line=b'{"is":' + b"[" * 100_000)
def test_any_line_is_a_message_or_refused(read: Callable[[bytes], FromScreen | ToScreen], line: bytes) -> None:
    try:
        message = read(line)
    except ScreenWireError as error:
        assert str(error)
    else:
        assert read(line_of(message)) == message
