"""A touch panel's events, as the kernel writes them: byte for byte, and cut anywhere."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal import touch_panel
from hal.lines import LineError
from hal.touch_panel import (
    ABS_MT_POSITION_X,
    ABS_MT_POSITION_Y,
    ABS_MT_SLOT,
    ABS_MT_TRACKING_ID,
    ABS_X,
    ABS_Y,
    BTN_TOUCH,
    EV_ABS,
    EV_KEY,
    EV_SYN,
    EVENT,
    SYN_DROPPED,
    SYN_REPORT,
    Range,
    TouchDecoder,
    TouchEvent,
    TouchPanel,
    panels,
)

ACROSS, ALONG = Range(0, 4095), Range(0, 2047)
S: Final = 1_000_000_000


def events(*rows: tuple[int, int, int, int]) -> bytes:
    """Rows of microseconds, type, code and value, one second after the computer's start."""
    return b"".join(EVENT.pack(1, us, kind, code, value) for us, kind, code, value in rows)


def test_a_finger_is_dated_by_the_kernel_and_placed() -> None:
    decoder = TouchDecoder(ACROSS, ALONG, many=True)
    down = events(
        (500, EV_ABS, ABS_MT_SLOT, 0),
        (500, EV_ABS, ABS_MT_TRACKING_ID, 17),
        (500, EV_ABS, ABS_MT_POSITION_X, 2048),
        (500, EV_ABS, ABS_MT_POSITION_Y, 2047),
        (500, EV_SYN, SYN_REPORT, 0),
    )
    (touch,) = decoder.feed(down)
    assert (touch.t_ns, touch.down, round(touch.x, 2), touch.y) == (S + 500_000, True, 0.5, 1.0)
    moved = events((600, EV_ABS, ABS_MT_POSITION_X, 100), (600, EV_SYN, SYN_REPORT, 0))
    assert decoder.feed(moved) == []
    lifted = events((900, EV_ABS, ABS_MT_TRACKING_ID, -1), (900, EV_SYN, SYN_REPORT, 0))
    assert [(one.t_ns, one.down) for one in decoder.feed(lifted)] == [(S + 900_000, False)]


def test_two_fingers_at_once_are_two_touches() -> None:
    decoder = TouchDecoder(ACROSS, ALONG, many=True)
    rows = []
    for slot, x in ((0, 10), (1, 4000)):
        rows += [
            (5, EV_ABS, ABS_MT_SLOT, slot),
            (5, EV_ABS, ABS_MT_TRACKING_ID, slot + 1),
            (5, EV_ABS, ABS_MT_POSITION_X, x),
        ]
    found = decoder.feed(events(*rows, (5, EV_SYN, SYN_REPORT, 0)))
    assert [(one.down, round(one.x)) for one in found] == [(True, 0), (True, 1)]


def test_a_panel_with_a_single_touch_is_read_too() -> None:
    decoder = TouchDecoder(ACROSS, ALONG, many=False)
    down = events(
        (5, EV_ABS, ABS_X, 4095), (5, EV_ABS, ABS_Y, 0), (5, EV_KEY, BTN_TOUCH, 1), (5, EV_SYN, SYN_REPORT, 0)
    )
    assert decoder.feed(down) == [TouchEvent(S + 5_000, True, 1.0, 0.0)]
    up = events((8, EV_KEY, BTN_TOUCH, 0), (8, EV_SYN, SYN_REPORT, 0))
    assert decoder.feed(up) == [TouchEvent(S + 8_000, False, 1.0, 0.0)]


def test_after_events_were_dropped_every_finger_counts_as_lifted() -> None:
    decoder = TouchDecoder(ACROSS, ALONG, many=True)
    decoder.feed(events((5, EV_ABS, ABS_MT_TRACKING_ID, 3), (5, EV_SYN, SYN_REPORT, 0)))
    lost = events((7, EV_SYN, SYN_DROPPED, 0), (7, EV_ABS, ABS_MT_TRACKING_ID, 9), (9, EV_SYN, SYN_REPORT, 0))
    assert [(one.t_ns, one.down) for one in decoder.feed(lost)] == [(S + 9_000, False)]
    assert decoder.dropped == 1


ROWS: Final = st.tuples(
    st.integers(0, 999_999),
    st.sampled_from([EV_SYN, EV_KEY, EV_ABS, 4]),
    st.sampled_from([0, 1, 3, ABS_MT_SLOT, ABS_MT_POSITION_X, ABS_MT_POSITION_Y, ABS_MT_TRACKING_ID, BTN_TOUCH]),
    st.integers(-(2**31), 2**31 - 1),
)


@given(rows=st.lists(ROWS, max_size=40), cuts=st.lists(st.integers(1, 60), max_size=30), many=st.booleans())
def test_however_its_bytes_are_cut_the_touches_are_the_same(
    rows: list[tuple[int, int, int, int]], cuts: list[int], many: bool
) -> None:
    data = events(*rows)
    whole = TouchDecoder(ACROSS, ALONG, many=many).feed(data)
    decoder, found, rest = TouchDecoder(ACROSS, ALONG, many=many), list[TouchEvent](), data
    for cut in cuts:
        found += decoder.feed(rest[:cut])
        rest = rest[cut:]
    assert found + decoder.feed(rest) == whole
    assert all(0.0 <= one.x <= 1.0 and 0.0 <= one.y <= 1.0 for one in whole)


def test_what_is_no_panel_is_refused_with_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(touch_panel, "FOLDER", tmp_path)
    with pytest.raises(LineError, match="cannot be opened"):
        TouchPanel(tmp_path / "event9")
    (tmp_path / "event0").write_bytes(b"")
    with pytest.raises(LineError, match="is no input device"):
        TouchPanel(tmp_path / "event0")
    assert panels() == []


def test_a_panel_is_dated_by_the_monotonic_clock_and_read_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "event3"
    os.mkfifo(pipe)
    asked: list[int] = []

    def ioctl(descriptor: int, request: int, argument: object = 0) -> int:
        asked.append(request)
        if isinstance(argument, bytearray) and len(argument) == 24:
            argument[:] = struct.pack("@6i", 0, 0, 4095, 0, 0, 0)
        elif isinstance(argument, bytearray):
            argument[:6] = b"ft5406"
        return 0

    monkeypatch.setattr("hal.touch_panel.fcntl.ioctl", ioctl)
    panel = TouchPanel(pipe)
    writer = os.open(pipe, os.O_WRONLY)
    assert panel.name == "ft5406"
    assert asked[0] == touch_panel.EVIOCSCLOCKID
    assert touch_panel.EVIOCGRAB in asked
    assert panel.read() == []
    os.write(writer, events((5, EV_ABS, ABS_MT_TRACKING_ID, 3), (5, EV_SYN, SYN_REPORT, 0)))
    assert [one.down for one in panel.read()] == [True]
    os.close(writer)
    with pytest.raises(LineError, match="is gone"):
        panel.read()
    panel.close()
