"""A touch panel of the kernel: the events of /dev/input, dated by the kernel on CLOCK_MONOTONIC.

    bytes of the device ──TouchDecoder──► TouchEvent: a finger came down or was lifted, where, and when

SDL reports touches too, but dates them when its queue is read. The kernel dates them in the interrupt, and on the
clock of all else here once it is asked to (EVIOCSCLOCKID). The protocol is that of the kernel's
Documentation/input/multi-touch-protocol.rst, type B, and that of panels with a single touch.
"""

from __future__ import annotations

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
NAME_BYTES: Final = 128
MOST_SLOTS: Final = 64
"""Fingers of which a panel can report (ours)."""
FOLDER: Final = Path("/dev/input")


class TouchEvent(NamedTuple):
    """A finger came down, or was lifted."""

    t_ns: int
    down: bool
    x: float
    """0 at the panel's left side, 1 at its right."""
    y: float
    """0 at its upper side, 1 at its lower."""


class Range(NamedTuple):
    """The values of an axis."""

    least: int
    most: int

    def share(self, value: int) -> float:
        """A value from 0 to 1."""
        return min(1.0, max(0.0, (value - self.least) / max(1, self.most - self.least)))


@dataclass
class _Finger:
    down: bool = False
    told: bool = False
    """Whether it was reported as down."""
    x: int = 0
    y: int = 0


class TouchDecoder:
    """Makes touches of the events of one panel, however its bytes are cut."""

    def __init__(self, across: Range, along: Range, *, many: bool) -> None:
        """`across` and `along` are the ranges of x and y; `many` is whether it reports several fingers."""
        self._across = across
        self._along = along
        self._many = many
        self._fingers: dict[int, _Finger] = {0: _Finger()}
        self._slot = 0
        self._rest = b""
        self._dropping = False
        self.dropped = 0
        """How often the kernel had to drop events, because nobody read them in time."""

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
        if kind == EV_SYN and code == SYN_DROPPED:
            # What the fingers do is not known until the next whole report: every one counts as lifted.
            self._dropping = True
            self.dropped += 1
            for finger in self._fingers.values():
                finger.down = False
        elif kind == EV_SYN and code == SYN_REPORT:
            self._dropping = False
            self._report(t_ns, found)
        elif self._dropping:
            return
        elif kind == EV_ABS and self._many:
            self._many_touch(code, value)
        elif kind == EV_ABS and code in (ABS_X, ABS_Y):
            finger = self._fingers[0]
            finger.x, finger.y = (value, finger.y) if code == ABS_X else (finger.x, value)
        elif kind == EV_KEY and code == BTN_TOUCH and not self._many:
            self._fingers[0].down = bool(value)

    def _many_touch(self, code: int, value: int) -> None:
        if code == ABS_MT_SLOT:
            self._slot = value
            return
        if not 0 <= self._slot < MOST_SLOTS:
            return
        finger = self._fingers.setdefault(self._slot, _Finger())
        if code == ABS_MT_TRACKING_ID:
            finger.down = value >= 0
        elif code == ABS_MT_POSITION_X:
            finger.x = value
        elif code == ABS_MT_POSITION_Y:
            finger.y = value

    def _report(self, t_ns: int, found: list[TouchEvent]) -> None:
        for finger in self._fingers.values():
            if finger.down != finger.told:
                finger.told = finger.down
                x, y = self._across.share(finger.x), self._along.share(finger.y)
                found.append(TouchEvent(t_ns, finger.down, x, y))


class TouchPanel:
    """One panel of this computer, read without waiting."""

    def __init__(self, path: Path) -> None:
        """Opens it, has the kernel date its events by the monotonic clock, and takes it for itself.

        Raises:
            LineError: it is not there, may not be read, or is no touch panel.
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
            many = _range(self._descriptor, ABS_MT_POSITION_X) is not None
            axes = (ABS_MT_POSITION_X, ABS_MT_POSITION_Y) if many else (ABS_X, ABS_Y)
            across, along = (_range(self._descriptor, axis) for axis in axes)
            if across is None or along is None:
                raise LineError(f"{path}: {self.name} is no touch panel: it has no position")
            fcntl.ioctl(self._descriptor, EVIOCGRAB, 1)
        except OSError as error:
            os.close(self._descriptor)
            raise LineError(f"{path}: is no input device, or another program has it ({error.strerror})") from error
        except LineError:
            os.close(self._descriptor)
            raise
        self._decoder = TouchDecoder(across, along, many=many)

    def fileno(self) -> int:
        """Its descriptor, to wait for."""
        return self._descriptor

    def read(self) -> list[TouchEvent]:
        """What the fingers did since the last call.

        Raises:
            LineError: it is gone.
        """
        found: list[TouchEvent] = []
        while True:
            try:
                data = os.read(self._descriptor, 64 * EVENT.size)
            except BlockingIOError:
                return found
            except OSError as error:
                raise LineError(f"{self.path}: the touch panel is gone ({error.strerror})") from error
            if not data:
                raise LineError(f"{self.path}: the touch panel is gone (end of file)")
            found += self._decoder.feed(data)

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


def _range(descriptor: int, axis: int) -> Range | None:
    """The range of an axis; None where the device has no such axis."""
    data = bytearray(24)
    try:
        fcntl.ioctl(descriptor, EVIOCGABS + axis, data)
    except OSError:
        return None
    _, least, most, *_ = struct.unpack("@6i", data)
    return Range(least, most) if most > least else None


def _name(descriptor: int) -> str:
    data = bytearray(NAME_BYTES)
    fcntl.ioctl(descriptor, EVIOCGNAME | (NAME_BYTES << 16), data)
    return data.split(b"\0", 1)[0].decode("utf-8", "replace")
