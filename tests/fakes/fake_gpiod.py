"""A Linux GPIO chip in memory, below the real `gpiod` package.

The package's Python (chips, requests, settings, events, their errors) runs as it is; only its C extension
`gpiod._ext` is replaced, by the classes `ExtChip`, `ExtLineConfig` and `ExtRequest`, with the signatures of the
package's own `_ext.pyi`. Behind them, `FakeChip` behaves as the kernel's uAPI v2 does:

- events of a request go into one buffer of `event_buffer_size` (default 16 a line, 1024 at most); when it is full the
  oldest is dropped;
- `line_seqno` and `global_seqno` count from 1, dropped events included;
- a read takes at most as many events as the user buffer holds (64 unless asked for more, 1024 at most);
- a line belongs to one request: asking for it again is EBUSY;
- values and event types are logical: `active_low` turns them round;
- the descriptor is a real one (an eventfd), readable while events are pending, so `select` and `add_reader` work;
- when the chip goes, the descriptor becomes readable and every call fails with ENODEV.

One thing is harsher than the kernel: a read with nothing pending would block for ever, so it raises `WouldBlockError`.
"""

from __future__ import annotations

import errno
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from unittest import mock

import gpiod
import gpiod.chip
from gpiod.line import Direction, Edge, Value

DEFAULT_EVENTS_A_LINE = 16
MAX_EVENTS = 1024
DEFAULT_READ_EVENTS = 64


class WouldBlockError(AssertionError):
    """The caller read events when none were pending: the real call would have blocked the event loop."""


def _os_error(code: int) -> OSError:
    return OSError(code, os.strerror(code))


@dataclass
class FakeLine:
    """One line of a chip: its wire, and who holds it."""

    name: str | None
    level: int = 0
    consumer: str | None = None
    request: ExtRequest | None = None
    settings: gpiod.LineSettings = field(default_factory=gpiod.LineSettings)
    seqno: int = 0

    @property
    def used(self) -> bool:
        return self.request is not None or self.consumer is not None

    def logical(self, level: int) -> int:
        return level ^ int(self.settings.active_low)


class FakeChip:
    """The hardware: wires that a test drives."""

    def __init__(self, path: str, label: str, names: Sequence[str | None]) -> None:
        self.path = path
        self.label = label
        self.lines = [FakeLine(name) for name in names]
        self.gone = False
        self.openable = True
        self.on_read_values: Callable[[], None] = lambda: None
        """Called just before levels are read, for actions within an opening."""

    def drive(self, offset: int, level: int, t_ns: int) -> None:
        """Puts a wire to a level. An edge, when it had the other one; its event is pending at once."""
        line = self.lines[offset]
        if level == line.level:
            return
        line.level = level
        self._interrupt(offset, t_ns)

    def glitch(self, offset: int, t_ns: int) -> None:
        """Two edges so close that one interrupt serves both: its event shows the level that the wire had before."""
        self._interrupt(offset, t_ns)

    def hold(self, offset: int, consumer: str) -> None:
        """Gives the line to another program."""
        self.lines[offset].consumer = consumer

    def unplug(self) -> None:
        """Removes the chip; open requests fail."""
        self.gone = True
        for line in self.lines:
            if line.request is not None:
                line.request.wake()

    def check_there(self) -> None:
        if self.gone:
            raise _os_error(errno.ENODEV)

    def _interrupt(self, offset: int, t_ns: int) -> None:
        line = self.lines[offset]
        request = line.request
        if self.gone or request is None or line.settings.edge_detection is Edge.NONE:
            return
        rising = line.logical(line.level) == 1
        if line.settings.edge_detection is (Edge.FALLING if rising else Edge.RISING):
            return
        line.seqno += 1
        request.put(rising, t_ns, offset, line.seqno)


class FakeKernel:
    """The GPIO chips of a computer. Inside `installed()` the package `gpiod` sees them and no others."""

    def __init__(self) -> None:
        self.chips: dict[str, FakeChip] = {}

    def add_chip(
        self, label: str = "pinctrl-bcm2711", lines: int = 58, names: Sequence[str | None] | None = None
    ) -> FakeChip:
        """Adds a chip at the next free path; without `names`, its lines are named as on a Pi."""
        path = f"/dev/gpiochip{len(self.chips)}"
        chip = FakeChip(path, label, names or [f"GPIO{offset}" for offset in range(lines)])
        self.chips[path] = chip
        return chip

    def plug_in_again(
        self, gone: FakeChip, label: str | None = None, names: Sequence[str | None] | None = None
    ) -> FakeChip:
        """Adds a chip in place of one that was removed: with its label and line names, unless others are given."""
        kept = [line.name for line in gone.lines]
        chip = self.chips[gone.path] = FakeChip(gone.path, label or gone.label, names or kept)
        return chip

    def devices(self) -> Sequence[str]:
        """The paths, for the backend's `devices`."""
        return list(self.chips)

    def open(self, path: str) -> ExtChip:
        """What `open(2)` does with a chip's path."""
        if path not in self.chips:
            raise _os_error(errno.ENOENT)
        if not self.chips[path].openable:
            raise _os_error(errno.EACCES)
        return ExtChip(path, self.chips[path])

    @contextmanager
    def installed(self) -> Iterator[FakeKernel]:
        """Installs this kernel below `gpiod`."""
        extension = SimpleNamespace(Chip=self.open, LineConfig=ExtLineConfig)
        with (
            mock.patch.object(gpiod.chip, "_ext", extension),
            mock.patch.object(gpiod.chip, "_line_settings_to_ext", lambda settings: settings),
        ):
            yield self


class ExtLineConfig:
    """In place of `gpiod._ext.LineConfig`."""

    def __init__(self) -> None:
        self.settings: dict[int, gpiod.LineSettings] = {}
        self.values: list[Value] = []

    def add_line_settings(self, offsets: list[int], settings: gpiod.LineSettings) -> None:
        for offset in offsets:
            self.settings[offset] = settings

    def set_output_values(self, global_output_values: list[Value]) -> None:
        self.values = list(global_output_values)


class ExtRequest:
    """In place of `gpiod._ext.Request`: the lines, their event buffer and its descriptor."""

    def __init__(self, chip: FakeChip, offsets: list[int], buffer_size: int, read_size: int) -> None:
        self._chip = chip
        self._offsets = offsets
        self._size = buffer_size
        self._read_size = read_size
        self._events: deque[gpiod.EdgeEvent] = deque()
        self._seqno = 0
        self._fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    @property
    def chip_name(self) -> str:
        return os.path.basename(self._chip.path)  # noqa: PTH119 - a device's name, not a file's

    @property
    def num_lines(self) -> int:
        return len(self._offsets)

    @property
    def offsets(self) -> list[int]:
        return list(self._offsets)

    @property
    def fd(self) -> int:
        return self._fd

    def release(self) -> None:
        for offset in self._offsets:
            line = self._chip.lines[offset]
            line.request = None
            line.consumer = None
        os.close(self._fd)

    def get_values(self, offsets: list[int], values: list[Value]) -> None:
        self._chip.check_there()
        self._chip.on_read_values()
        for place, offset in enumerate(offsets):
            line = self._line(offset)
            values[place] = Value.ACTIVE if line.logical(line.level) else Value.INACTIVE

    def set_values(self, values: dict[int, Value]) -> None:
        self._chip.check_there()
        for offset, value in values.items():
            line = self._line(offset)
            if line.settings.direction is not Direction.OUTPUT:
                raise _os_error(errno.EPERM)
            line.level = line.logical(int(bool(value)))

    def reconfigure_lines(self, line_cfg: ExtLineConfig) -> None:
        self._chip.check_there()
        for offset, settings in line_cfg.settings.items():
            self._line(offset).settings = settings

    def read_edge_events(self, max_events: int | None) -> list[gpiod.EdgeEvent]:
        self._chip.check_there()
        if not self._events:
            raise WouldBlockError("read_edge_events with nothing pending: the real call blocks")
        wanted = min(DEFAULT_READ_EVENTS if max_events is None else max_events, self._read_size)
        taken = [self._events.popleft() for _ in range(min(wanted, len(self._events)))]
        if not self._events:
            os.eventfd_read(self._fd)
        return taken

    def put(self, rising: bool, t_ns: int, offset: int, line_seqno: int) -> None:
        """The interrupt's thread adds an event."""
        self._seqno += 1
        kind = gpiod.EdgeEvent.Type.RISING_EDGE if rising else gpiod.EdgeEvent.Type.FALLING_EDGE
        if not self._events:
            self.wake()
        elif len(self._events) == self._size:
            self._events.popleft()
        self._events.append(gpiod.EdgeEvent(kind.value, t_ns, offset, self._seqno, line_seqno))

    def wake(self) -> None:
        os.eventfd_write(self._fd, 1)

    def _line(self, offset: int) -> FakeLine:
        if offset not in self._offsets:
            raise _os_error(errno.EINVAL)
        return self._chip.lines[offset]


class ExtChip:
    """In place of `gpiod._ext.Chip`: one opening of a chip."""

    def __init__(self, path: str, chip: FakeChip) -> None:
        self._path = path
        self._chip = chip
        chip.check_there()

    @property
    def path(self) -> str:
        return self._path

    @property
    def fd(self) -> int:
        raise NotImplementedError("the fake tells no changes of line info")

    def close(self) -> None:
        """Closes the chip; its requests stay open, as in the kernel."""

    def get_info(self) -> gpiod.ChipInfo:
        self._chip.check_there()
        name = os.path.basename(self._path)  # noqa: PTH119 - a device's name, not a file's
        return gpiod.ChipInfo(name, self._chip.label, len(self._chip.lines))

    def line_offset_from_id(self, id: str) -> int:
        self._chip.check_there()
        for offset, line in enumerate(self._chip.lines):
            if line.name == id:
                return offset
        raise _os_error(errno.ENOENT)

    def get_line_info(self, offset: int, watch: bool) -> gpiod.LineInfo:
        self._chip.check_there()
        if not 0 <= offset < len(self._chip.lines):
            raise _os_error(errno.EINVAL)
        line = self._chip.lines[offset]
        settings = line.settings
        direction = Direction.INPUT if settings.direction is Direction.AS_IS else settings.direction
        return gpiod.LineInfo(
            offset,
            line.name or "",
            line.used,
            line.consumer or "",
            direction.value,
            settings.active_low,
            settings.bias.value,
            settings.drive.value,
            settings.edge_detection.value,
            settings.event_clock.value,
            bool(settings.debounce_period),
            int(settings.debounce_period.total_seconds() * 1_000_000),
        )

    def get_line_name(self, offset: int) -> str | None:
        return self._chip.lines[offset].name

    def request_lines(self, line_cfg: ExtLineConfig, consumer: str | None, event_buffer_size: int | None) -> ExtRequest:
        self._chip.check_there()
        offsets = list(line_cfg.settings)
        for offset, settings in line_cfg.settings.items():
            if self._chip.lines[offset].used:
                raise _os_error(errno.EBUSY)
            if settings.edge_detection is not Edge.NONE and settings.direction is Direction.OUTPUT:
                raise _os_error(errno.EINVAL)
        kernel_size = min(event_buffer_size or DEFAULT_EVENTS_A_LINE * len(offsets), MAX_EVENTS)
        request = ExtRequest(
            self._chip, offsets, kernel_size, min(event_buffer_size or DEFAULT_READ_EVENTS, MAX_EVENTS)
        )
        for place, offset in enumerate(offsets):
            line = self._chip.lines[offset]
            line.settings = line_cfg.settings[offset]
            line.consumer, line.request, line.seqno = consumer or "?", request, 0
            if line.settings.direction is Direction.OUTPUT:
                value = line_cfg.values[place] if line_cfg.values else line.settings.output_value
                line.level = line.logical(int(bool(value)))
        return request

    def read_info_event(self) -> gpiod.InfoEvent:
        raise NotImplementedError("the fake tells no changes of line info")

    def unwatch_line_info(self, line: int) -> None:
        raise NotImplementedError("the fake tells no changes of line info")
