"""A touch panel's events, as the kernel writes them: byte for byte, and cut anywhere."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
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
    AxisRange,
    FingerState,
    PanelState,
    TouchDecoder,
    TouchEvent,
    TouchPanel,
    panels,
)

ACROSS, ALONG = AxisRange(0, 4095), AxisRange(0, 2047)
S: Final = 1_000_000_000


def events(*rows: tuple[int, int, int, int]) -> bytes:
    """Rows of microseconds, type, code and value, one second after the computer's start."""
    return b"".join(EVENT.pack(1, us, kind, code, value) for us, kind, code, value in rows)


def decoding(*fingers: FingerState, slot: int = 0, many: bool = True) -> TouchDecoder:
    """A decoder that knows the panel's state: at least of two slots, without a finger and at no known position."""
    decoder = TouchDecoder(ACROSS, ALONG, many=many)
    decoder.resume(PanelState(slot, (*fingers, *[FingerState(None, None, None)] * (2 - len(fingers)))))
    return decoder


def test_a_finger_is_dated_by_the_kernel_and_placed() -> None:
    decoder = decoding()
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
    decoder = decoding()
    rows = []
    for slot, x in ((0, 10), (1, 4000)):
        rows += [
            (5, EV_ABS, ABS_MT_SLOT, slot),
            (5, EV_ABS, ABS_MT_TRACKING_ID, slot + 1),
            (5, EV_ABS, ABS_MT_POSITION_X, x),
            (5, EV_ABS, ABS_MT_POSITION_Y, 7),
        ]
    found = decoder.feed(events(*rows, (5, EV_SYN, SYN_REPORT, 0)))
    assert [(one.down, round(one.x)) for one in found] == [(True, 0), (True, 1)]


def test_a_panel_with_a_single_touch_is_read_too() -> None:
    decoder = decoding(many=False)
    down = events(
        (5, EV_ABS, ABS_X, 4095), (5, EV_ABS, ABS_Y, 0), (5, EV_KEY, BTN_TOUCH, 1), (5, EV_SYN, SYN_REPORT, 0)
    )
    assert decoder.feed(down) == [TouchEvent(S + 5_000, True, 1.0, 0.0)]
    up = events((8, EV_KEY, BTN_TOUCH, 0), (8, EV_SYN, SYN_REPORT, 0))
    assert decoder.feed(up) == [TouchEvent(S + 8_000, False, 1.0, 0.0)]


def test_a_finger_is_where_the_kernel_knows_it_to_be_though_its_events_do_not_say() -> None:
    """The kernel sends what changes alone: neither the slot, nor a position that is that of the touch before."""
    decoder = decoding(FingerState(None, 100, 100), FingerState(None, 4095, 2047), slot=1)
    down = events((5, EV_ABS, ABS_MT_TRACKING_ID, 3), (5, EV_SYN, SYN_REPORT, 0))
    assert decoder.feed(down) == [TouchEvent(S + 5_000, True, 1.0, 1.0)]
    single = decoding(FingerState(None, 4095, 0), many=False)
    down = events((5, EV_ABS, ABS_Y, 2047), (5, EV_KEY, BTN_TOUCH, 1), (5, EV_SYN, SYN_REPORT, 0))
    assert single.feed(down) == [TouchEvent(S + 5_000, True, 1.0, 1.0)]


@pytest.mark.parametrize("axis", [ABS_MT_POSITION_X, ABS_MT_POSITION_Y])
def test_a_finger_at_no_known_position_is_no_touch_nor_is_it_one_later(axis: int) -> None:
    decoder = decoding()
    down = events((5, EV_ABS, ABS_MT_TRACKING_ID, 3), (5, EV_ABS, axis, 9), (5, EV_SYN, SYN_REPORT, 0))
    assert decoder.feed(down) == []
    other = ABS_MT_POSITION_Y if axis == ABS_MT_POSITION_X else ABS_MT_POSITION_X
    moved = events((7, EV_ABS, other, 9), (7, EV_SYN, SYN_REPORT, 0))
    assert decoder.feed(moved) == [], "it came down before"
    lifted = events((8, EV_ABS, ABS_MT_TRACKING_ID, -1), (8, EV_SYN, SYN_REPORT, 0))
    assert decoder.feed(lifted) == []
    again = events((9, EV_ABS, ABS_MT_TRACKING_ID, 4), (9, EV_SYN, SYN_REPORT, 0))
    assert [(one.t_ns, one.down) for one in decoder.feed(again)] == [(S + 9_000, True)]


def test_another_finger_in_the_slot_of_one_that_is_down_is_another_touch() -> None:
    decoder = decoding(FingerState(None, 1, 1))
    decoder.feed(events((5, EV_ABS, ABS_MT_TRACKING_ID, 3), (5, EV_SYN, SYN_REPORT, 0)))
    other = events((6, EV_ABS, ABS_MT_TRACKING_ID, 4), (6, EV_SYN, SYN_REPORT, 0))
    assert [one.down for one in decoder.feed(other)] == [False, True]


def test_after_events_were_dropped_nothing_counts_until_the_state_is_known() -> None:
    decoder = decoding(FingerState(None, 10, 10))
    decoder.feed(events((5, EV_ABS, ABS_MT_TRACKING_ID, 3), (5, EV_SYN, SYN_REPORT, 0)))
    lost = events((7, EV_SYN, SYN_DROPPED, 0), (7, EV_ABS, ABS_MT_TRACKING_ID, 9), (9, EV_SYN, SYN_REPORT, 0))
    assert [(one.t_ns, one.down) for one in decoder.feed(lost)] == [(S + 7_000, False)]
    assert (decoder.dropped, decoder.lost) == (1, True)
    down = events((10, EV_ABS, ABS_MT_TRACKING_ID, 10), (10, EV_SYN, SYN_REPORT, 0))
    assert decoder.feed(down) == []
    decoder.resume(PanelState(1, (FingerState(10, 10, 10), FingerState(None, 4095, 2047))))
    assert not decoder.lost
    lifted = events((11, EV_ABS, ABS_MT_SLOT, 0), (11, EV_ABS, ABS_MT_TRACKING_ID, -1), (11, EV_SYN, SYN_REPORT, 0))
    slot = events((12, EV_ABS, ABS_MT_SLOT, 1))
    assert decoder.feed(lifted + slot) == [], "nobody knows when that finger came"
    down = events((13, EV_ABS, ABS_MT_TRACKING_ID, 11), (13, EV_SYN, SYN_REPORT, 0))
    assert decoder.feed(down) == [TouchEvent(S + 13_000, True, 1.0, 1.0)]


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
    whole = decoding(FingerState(None, 5, 5), many=many).feed(data)
    decoder, found, rest = decoding(FingerState(None, 5, 5), many=many), list[TouchEvent](), data
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
    with pytest.raises(LineError, match="is not an input device"):
        TouchPanel(tmp_path / "event0")
    assert panels() == []


class FakeKernel:
    """A panel's device: its ioctls, and a pipe for its events."""

    def __init__(self, folder: Path, axes: dict[int, tuple[int, int, int]], slots: dict[int, tuple[int, ...]]) -> None:
        self.axes = axes
        """Value, least and most of each axis."""
        self.slots = slots
        self.keys = 0
        self.asked: list[int] = []
        self.meanwhile: Callable[[], None] | None = None
        """What happens while the state is read."""
        self.path = folder / "event3"
        os.mkfifo(self.path)
        self.writer = -1

    def ioctl(self, descriptor: int, request: int, argument: object = 0) -> int:
        self.asked.append(request)
        if not isinstance(argument, bytearray):
            return 0
        number = request & 0xFF
        if number == 0x06:
            argument[:6] = b"ft5406"
        elif number == 0x18:
            argument[BTN_TOUCH // 8] = self.keys << BTN_TOUCH % 8
            self._meanwhile()
        elif number == 0x0A:
            count = len(argument) // 4 - 1
            assert request >> 16 & 0x3FFF == len(argument)
            (axis,) = struct.unpack("@I", argument[:4])
            argument[4:] = struct.pack(f"@{count}i", *self.slots[axis][:count])
            if axis == ABS_MT_POSITION_Y:
                self._meanwhile()
        elif number - 0x40 in self.axes:
            argument[:] = struct.pack("@6i", *self.axes[number - 0x40], 0, 0, 0)
        else:
            raise OSError(22, "Invalid argument")
        return 0

    def _meanwhile(self) -> None:
        act, self.meanwhile = self.meanwhile, None
        if act is not None:
            act()

    def send(self, *rows: tuple[int, int, int, int]) -> None:
        os.write(self.writer, events(*rows, (rows[-1][0], EV_SYN, SYN_REPORT, 0)))

    def opened(self) -> TouchPanel:
        """The panel, when it can be read."""
        panel = TouchPanel(self.path)
        self.writer = os.open(self.path, os.O_WRONLY)
        return panel


MANY: Final = {
    ABS_MT_SLOT: (1, 0, 1),
    ABS_MT_POSITION_X: (0, 0, 4095),
    ABS_MT_POSITION_Y: (0, 0, 2047),
    ABS_MT_TRACKING_ID: (0, 0, 65535),
}
SLOTS: Final = {ABS_MT_TRACKING_ID: (-1, -1), ABS_MT_POSITION_X: (0, 4095), ABS_MT_POSITION_Y: (0, 2047)}


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeKernel]:
    one = FakeKernel(tmp_path, dict(MANY), dict(SLOTS))
    monkeypatch.setattr("hal.touch_panel.fcntl.ioctl", one.ioctl)
    yield one
    if one.writer >= 0:
        os.close(one.writer)


def test_a_panel_is_dated_by_the_monotonic_clock_and_read_without_waiting(kernel: FakeKernel) -> None:
    panel = kernel.opened()
    assert panel.name == "ft5406"
    assert kernel.asked[0] == touch_panel.EVIOCSCLOCKID
    assert touch_panel.EVIOCGRAB in kernel.asked
    assert panel.read() == []
    kernel.send((5, EV_ABS, ABS_MT_TRACKING_ID, 3))
    assert panel.read() == [TouchEvent(S + 5_000, True, 1.0, 1.0)], "the kernel names the slot and the place"
    os.close(kernel.writer)
    kernel.writer = -1
    with pytest.raises(LineError, match="is gone"):
        panel.read()
    panel.close()


def test_what_waits_from_before_it_was_opened_is_no_touch(kernel: FakeKernel) -> None:
    panel = kernel.opened()
    kernel.send((1, EV_ABS, ABS_MT_TRACKING_ID, 3))
    kernel.slots[ABS_MT_TRACKING_ID] = (-1, 3)
    assert panel.read() == []
    kernel.send((5, EV_ABS, ABS_MT_TRACKING_ID, -1))
    assert panel.read() == []
    panel.close()


def test_after_events_were_dropped_the_state_is_read_until_nothing_changes_meanwhile(kernel: FakeKernel) -> None:
    panel = kernel.opened()
    assert panel.read() == []

    def moved() -> None:
        kernel.axes[ABS_MT_SLOT] = (0, 0, 1)
        kernel.slots[ABS_MT_POSITION_X] = (2048, 0)
        kernel.send((8, EV_ABS, ABS_MT_POSITION_X, 0), (8, EV_ABS, ABS_MT_SLOT, 0), (8, EV_ABS, ABS_MT_POSITION_X, 9))

    kernel.meanwhile = moved
    kernel.send((7, EV_SYN, SYN_DROPPED, 0))
    assert panel.read() == []
    assert panel.dropped == 1
    kernel.send((9, EV_ABS, ABS_MT_TRACKING_ID, 4))
    (touch,) = panel.read()
    assert (touch.t_ns, touch.down, round(touch.x, 2), touch.y) == (S + 9_000, True, 0.5, 0.0)
    panel.close()


@pytest.mark.parametrize("down", [False, True])
def test_a_panel_with_a_single_touch_is_where_the_kernel_has_it(kernel: FakeKernel, down: bool) -> None:
    kernel.axes, kernel.keys = {ABS_X: (4095, 0, 4095), ABS_Y: (2047, 0, 2047)}, int(down)
    panel = kernel.opened()
    assert panel.read() == []
    kernel.send((5, EV_KEY, BTN_TOUCH, 1))
    assert panel.read() == ([] if down else [TouchEvent(S + 5_000, True, 1.0, 1.0)])
    panel.close()


def test_a_panel_that_does_not_say_which_finger_came_is_refused(kernel: FakeKernel) -> None:
    del kernel.axes[ABS_MT_SLOT]
    with pytest.raises(LineError, match="without slots"):
        TouchPanel(kernel.path)
