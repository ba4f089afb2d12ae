"""A touch panel of the kernel: the events of /dev/input, dated by the kernel on CLOCK_MONOTONIC.

    bytes of the device ──TouchDecoder──► TouchEvent: a finger came down or was lifted, where, and when

SDL reports touches too, but dates them when its queue is read. The kernel dates them in the interrupt, and on the
clock of all else here once it is asked to (EVIOCSCLOCKID). The protocol is that of the kernel's
Documentation/input/multi-touch-protocol.rst, type B, and that of panels with a single touch.

The kernel sends what changes, and nothing else: a finger that comes down where the last one of its slot was lifted has
no position in its events. So the state of the panel is read from the kernel before its first event counts, and again
after events were dropped. A finger that came down meanwhile has no time, and is not a touch.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from hal.clock import NS_PER_S
from hal.lines import LineError

EVENT: Final = struct.Struct("@llHHi")
"""struct input_event: seconds, microseconds, type, code, value."""
EV_SYN: Final = 0
EV_KEY: Final = 1
EV_ABS: Final = 3
SYN_REPORT: Final = 0
SYN_DROPPED: Final = 3
BTN_TOUCH: Final = 0x14A
ABS_X: Final = 0x00
ABS_Y: Final = 0x01
ABS_MT_SLOT: Final = 0x2F
ABS_MT_POSITION_X: Final = 0x35
ABS_MT_POSITION_Y: Final = 0x36
ABS_MT_TRACKING_ID: Final = 0x39
CLOCK_MONOTONIC: Final = 1
EVIOCSCLOCKID: Final = 0x400445A0
EVIOCGRAB: Final = 0x40044590
EVIOCGNAME: Final = 0x80004506
EVIOCGABS: Final = 0x80184540
EVIOCGKEY: Final = 0x80004518
EVIOCGMTSLOTS: Final = 0x8000450A
NAME_BYTES: Final = 128
KEY_BYTES: Final = 96
"""Of the bits of all keys."""
MOST_SLOTS: Final = 64
"""Fingers of which a panel can report (ours)."""
MOST_READS: Final = 8
"""How often the state is read in one call, while events keep coming meanwhile (ours)."""
FOLDER: Final = Path("/dev/input")


class TouchEvent(NamedTuple):
    """A finger came down, or was lifted."""

    t_ns: int
    down: bool
    x: float
    """0 at the panel's left side, 1 at its right."""
    y: float
    """0 at its upper side, 1 at its lower."""


class AxisRange(NamedTuple):
    """The values of an axis."""

    least: int
    most: int

    def share(self, value: int) -> float:
        """A value from 0 to 1."""
        return min(1.0, max(0.0, (value - self.least) / max(1, self.most - self.least)))


class FingerState(NamedTuple):
    """One slot of a panel, as the kernel has it now."""

    tracking: int | None
    """Which finger it is; None where none is down."""
    x: int | None
    """None where it is not known."""
    y: int | None


class PanelState(NamedTuple):
    """What the next events of a panel change."""

    slot: int
    """Of which slot they speak."""
    fingers: tuple[FingerState, ...]
    """Those of all slots; of a panel with a single touch one."""


@dataclass
class _Finger:
    tracking: int | None = None
    """Which finger is down; None for none."""
    seen: int | None = None
    """Which one was down at the last report."""
    counts: bool = False
    """Whether that one was reported as a touch."""
    x: int | None = None
    """None before its position is known."""
    y: int | None = None


class TouchDecoder:
    """Makes touches of the events of one panel, however its bytes are cut."""

    def __init__(self, across: AxisRange, along: AxisRange, *, many: bool) -> None:
        """`across` and `along` are the ranges of x and y; `many` is whether it reports several fingers."""
        self._across = across
        self._along = along
        self._many = many
        self._fingers: dict[int, _Finger] = {}
        self._slot = 0
        self._rest = b""
        self.lost = True
        """Whether the panel's state is not known: until `resume` no event counts."""
        self.dropped = 0
        """How often the kernel had to drop events, because nobody read them in time."""

    def resume(self, state: PanelState) -> None:
        """The panel's state before the next event. The fingers that are down have come at no known time."""
        self._slot = state.slot
        self._fingers = {
            slot: _Finger(tracking, seen=tracking, x=x, y=y)
            for slot, (tracking, x, y) in enumerate(state.fingers[:MOST_SLOTS])
        }
        self.lost = False

    def feed(self, data: bytes) -> list[TouchEvent]:
        """The next bytes of the device."""
        data = self._rest + data
        whole = len(data) - len(data) % EVENT.size
        self._rest = data[whole:]
        found: list[TouchEvent] = []
        for seconds, microseconds, kind, code, value in EVENT.iter_unpack(data[:whole]):
            self._event(seconds * NS_PER_S + microseconds * 1000, kind, code, value, found)
        return found

    def _event(self, t_ns: int, kind: int, code: int, value: int, found: list[TouchEvent]) -> None:
        if self.lost:
            return
        if kind == EV_SYN and code == SYN_DROPPED:
            # What the fingers do is not known any more: every one counts as lifted.
            self.lost = True
            self.dropped += 1
            for finger in self._fingers.values():
                finger.tracking = None
            self._report(t_ns, found)
        elif kind == EV_SYN and code == SYN_REPORT:
            self._report(t_ns, found)
        elif kind == EV_ABS and self._many:
            self._many_touch(code, value)
        elif kind == EV_ABS and code in (ABS_X, ABS_Y):
            finger = self._finger(0)
            finger.x, finger.y = (value, finger.y) if code == ABS_X else (finger.x, value)
        elif kind == EV_KEY and code == BTN_TOUCH and not self._many:
            self._finger(0).tracking = 0 if value else None

    def _finger(self, slot: int) -> _Finger:
        return self._fingers.setdefault(slot, _Finger())

    def _many_touch(self, code: int, value: int) -> None:
        if code == ABS_MT_SLOT:
            self._slot = value
            return
        if not 0 <= self._slot < MOST_SLOTS:
            return
        finger = self._finger(self._slot)
        if code == ABS_MT_TRACKING_ID:
            finger.tracking = value if value >= 0 else None
        elif code == ABS_MT_POSITION_X:
            finger.x = value
        elif code == ABS_MT_POSITION_Y:
            finger.y = value

    def _report(self, t_ns: int, found: list[TouchEvent]) -> None:
        """A whole report of the panel. A finger whose position is not known by then is not a touch."""
        for finger in self._fingers.values():
            if finger.tracking == finger.seen:
                continue
            finger.seen = finger.tracking
            if finger.x is None or finger.y is None:
                continue
            x, y = self._across.share(finger.x), self._along.share(finger.y)
            if finger.counts:
                found.append(TouchEvent(t_ns, False, x, y))
            finger.counts = finger.tracking is not None
            if finger.counts:
                found.append(TouchEvent(t_ns, True, x, y))


class TouchPanel:
    """One panel of this computer, read without waiting."""

    def __init__(self, path: Path) -> None:
        """Opens it, has the kernel date its events by the monotonic clock, and takes it for itself.

        Raises:
            LineError: it is not there, may not be read, or is not a touch panel.
        """
        self.path = path
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise LineError(
                f"{path}: cannot be opened ({error.strerror}); is the user in the group input? "
                f"panels here: {', '.join(map(str, panels())) or 'none'}"
            ) from error
        try:
            fcntl.ioctl(self._descriptor, EVIOCSCLOCKID, struct.pack("@i", CLOCK_MONOTONIC))
            self.name = _name(self._descriptor)
            self._many = _range(self._descriptor, ABS_MT_POSITION_X) is not None
            axes = (ABS_MT_POSITION_X, ABS_MT_POSITION_Y) if self._many else (ABS_X, ABS_Y)
            across, along = (_range(self._descriptor, axis) for axis in axes)
            if across is None or along is None:
                raise LineError(f"{path}: {self.name} is not a touch panel: it has no position")
            if self._many and _absolute(self._descriptor, ABS_MT_SLOT) is None:
                raise LineError(
                    f"{path}: {self.name} reports its fingers without slots (the kernel's protocol A): which finger "
                    "came down is not known; use a panel of protocol B, or --touch none"
                )
            fcntl.ioctl(self._descriptor, EVIOCGRAB, 1)
        except OSError as error:
            os.close(self._descriptor)
            raise LineError(f"{path}: is not an input device, or another program has it ({error.strerror})") from error
        except LineError:
            os.close(self._descriptor)
            raise
        self._decoder = TouchDecoder(across, along, many=self._many)

    def fileno(self) -> int:
        """Its descriptor, to wait for."""
        return self._descriptor

    @property
    def dropped(self) -> int:
        """How often the kernel had to drop events."""
        return self._decoder.dropped

    def read(self) -> list[TouchEvent]:
        """What the fingers did since the last call.

        Raises:
            LineError: it is gone.
        """
        found: list[TouchEvent] = []
        try:
            for _ in range(MOST_READS):
                state = self._state() if self._decoder.lost else None
                data = self._waiting()
                found += self._decoder.feed(data)
                if state is not None and not data:
                    # Nothing changed while the state was read.
                    self._decoder.resume(state)
                if not self._decoder.lost:
                    break
        except OSError as error:
            raise LineError(f"{self.path}: the touch panel is gone ({error.strerror})") from error
        return found

    def _waiting(self) -> bytes:
        """All that can be read now."""
        data = b""
        while True:
            try:
                more = os.read(self._descriptor, 64 * EVENT.size)
            except BlockingIOError:
                return data
            if not more:
                raise LineError(f"{self.path}: the touch panel is gone (end of file)")
            data += more

    def _state(self) -> PanelState:
        """The panel as the kernel has it now. Raises `OSError`."""
        if not self._many:
            x, y = (_absolute(self._descriptor, axis) for axis in (ABS_X, ABS_Y))
            keys = bytearray(KEY_BYTES)
            fcntl.ioctl(self._descriptor, EVIOCGKEY | (KEY_BYTES << 16), keys)
            down = bool(keys[BTN_TOUCH // 8] >> BTN_TOUCH % 8 & 1)
            if x is None or y is None:
                raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
            return PanelState(0, (FingerState(0 if down else None, x.value, y.value),))
        slot = _absolute(self._descriptor, ABS_MT_SLOT)
        if slot is None:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))
        count = min(slot.most + 1, MOST_SLOTS)
        axes = (ABS_MT_TRACKING_ID, ABS_MT_POSITION_X, ABS_MT_POSITION_Y)
        tracking, x_of, y_of = (_of_slots(self._descriptor, axis, count) for axis in axes)
        fingers = (FingerState(one if one >= 0 else None, x, y) for one, x, y in zip(tracking, x_of, y_of, strict=True))
        return PanelState(slot.value, tuple(fingers))

    def close(self) -> None:
        """Gives it back."""
        os.close(self._descriptor)


def panels() -> list[Path]:
    """The touch panels of this computer, by their lasting names where they have one."""
    lasting = sorted((FOLDER / "by-path").glob("*-event*")) if (FOLDER / "by-path").is_dir() else []
    found: list[Path] = []
    for path in [*lasting, *sorted(FOLDER.glob("event*"))]:
        if any(path.resolve() == other.resolve() for other in found):
            continue
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue  # it may not be read, or went just now
        try:
            if _range(descriptor, ABS_MT_POSITION_X) is not None:
                found.append(path)
        finally:
            os.close(descriptor)
    return found


class _Absolute(NamedTuple):
    """An axis of a device: its value, and the least and the greatest."""

    value: int
    least: int
    most: int


def _absolute(descriptor: int, axis: int) -> _Absolute | None:
    """An axis as it is now; None where the device has no such axis."""
    data = bytearray(24)
    try:
        fcntl.ioctl(descriptor, EVIOCGABS + axis, data)
    except OSError:
        return None
    value, least, most, *_ = struct.unpack("@6i", data)
    return _Absolute(value, least, most)


def _range(descriptor: int, axis: int) -> AxisRange | None:
    """The range of an axis; None where the device has no such axis."""
    found = _absolute(descriptor, axis)
    return AxisRange(found.least, found.most) if found is not None and found.most > found.least else None


def _of_slots(descriptor: int, axis: int, count: int) -> tuple[int, ...]:
    """The values of an axis at each slot. Raises `OSError`."""
    data = bytearray(struct.pack("@I", axis) + bytes(4 * count))
    fcntl.ioctl(descriptor, EVIOCGMTSLOTS | (len(data) << 16), data)
    return struct.unpack(f"@{count}i", data[4:])


def _name(descriptor: int) -> str:
    data = bytearray(NAME_BYTES)
    fcntl.ioctl(descriptor, EVIOCGNAME | (NAME_BYTES << 16), data)
    return data.split(b"\0", 1)[0].decode("utf-8", "replace")
