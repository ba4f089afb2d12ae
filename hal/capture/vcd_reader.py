"""Reads a VCD capture as batches of values, in bounded memory.

    with open_capture("spin.vcd") as capture:
        capture.header.variables             # what the file declares, before any data
        for batch in capture.batches({"wheel_a": "wheel_a"}):
            ...

VCD is IEEE 1364-2005, section 18, and GTKWave's `string` variables. For the meaning of changes see
`hal.capture.signals`; for the reasons for a reader of our own, docs/decisions/0001-vcd-reader.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from hal.capture.errors import CaptureError, shown
from hal.capture.header import MAX_T_NS, CaptureHeader, read_header, resolve
from hal.capture.signals import SignalDecoder
from hal.capture.words import Words
from hal.values import Batch, Edge

BATCH_VALUES = 8192
"""A batch ends at the first new timestamp after this many values (ours)."""

MAX_VALUES_AT_ONCE = 1_000_000
"""The most values at one time (ours): no capture of a table has more."""

_MAX_TIME_DIGITS = 40
_HASH = ord("#")


class VcdReader:
    """One capture, read once from its beginning to its end.

    `stream` is binary and stays the caller's; `path` is its name in messages. Raises `CaptureError` for a bad header.
    """

    def __init__(self, stream: BinaryIO, path: str | Path) -> None:
        self.path = str(path)
        self._words = Words(stream, path)
        self.header: CaptureHeader = read_header(self._words)
        self._started = False

    def batches(self, names: Mapping[str, str] | None = None, *, batch_values: int = BATCH_VALUES) -> Iterator[Batch]:
        """The values of the variables in `names` (name in the file -> line; None: all under their own names).

        A name that the file does not declare gives nothing; `header` lists those that it does. The last batch extends
        to the file's last timestamp; values before its first are at time 0. Can be called once. `CaptureError` names
        the line and cause of an error; the full batches before it have been delivered.
        """
        if self._started:
            raise RuntimeError(f"{self.path}: a capture is read once; open it again to read it again")
        self._started = True
        signals = SignalDecoder(self._words, self.header, resolve(self.header, names, self.path))
        return self._run(signals, batch_values)

    def _run(self, signals: SignalDecoder, batch_values: int) -> Iterator[Batch]:
        words = self._words
        change = signals.change
        find = signals.scalars.get
        levels = signals.levels
        edges, rare = signals.edges, signals.rare
        new = tuple.__new__
        multiplier, divisor, _ = scale = self.header.timescale
        last_legal = scale.last_legal
        room = batch_values
        last = t_ns = 0
        while True:
            current = words.current
            for word in current:
                if word[0] == _HASH:
                    digits = word[1:]
                    if not digits.isdigit() or len(digits) > _MAX_TIME_DIGITS:
                        self._bad_time(word)
                    units = int(digits)
                    if units <= last:
                        if units < last:
                            self._time_back(units, last)
                        continue
                    if units > last_legal:
                        self._bad_time(word)
                    last = units
                    if len(edges) >= room and scale.to_ns(units) != t_ns:
                        yield Batch(edges, rare, t_ns)
                        edges = signals.edges = []
                        rare = signals.rare = []
                        signals.rare_weight = 0
                        room = batch_values
                    t_ns = units * multiplier if divisor == 1 else scale.to_ns(units)
                elif (scalar := find(word)) is not None:
                    slot, level, line = scalar
                    if levels[slot] != level:
                        levels[slot] = level
                        edges.append(new(Edge, (line, level, t_ns)))
                else:
                    change(word, t_ns)
                    room = batch_values - signals.rare_weight
                    if words.current is not current:
                        break
            else:
                if not words.refill():
                    break
            if len(edges) + signals.rare_weight > batch_values + MAX_VALUES_AT_ONCE:
                words.fail(
                    f"more than {MAX_VALUES_AT_ONCE} values at the time {last}",
                    "see whether the capture lacks its timestamps",
                )
        signals.end()
        yield Batch(edges, rare, t_ns)

    def _bad_time(self, word: bytes) -> None:
        if word[1:].isdigit():
            self._words.fail(
                f"the time {shown(word)} is past the limit of {MAX_T_NS} ns",
                "see whether the timescale is right, or begin the capture at an earlier time",
            )
        self._words.fail(
            f"expected a timestamp, `#` and digits, saw {shown(word)}", "correct it, or export the capture again"
        )

    def _time_back(self, units: int, last: int) -> None:
        if self._words.at_torn_end:
            self._words.fail(
                f"the file ends in the middle of a line, at the time {units} after {last}",
                "the capture was cut short: record or copy it again, or remove its last line",
            )
        self._words.fail(
            f"time goes back from {last} to {units}",
            "put the capture into the order of time: two captures in one file are two files",
        )


@contextmanager
def open_capture(path: str | Path) -> Iterator[VcdReader]:
    """Opens a capture for reading; raises `CaptureError` also if the file cannot be opened."""
    try:
        stream = Path(path).open("rb", buffering=0)  # noqa: SIM115 - closed below, whatever follows
    except OSError as error:
        raise CaptureError(path, None, f"cannot be opened: {error.strerror}", "give the path of a VCD file") from error
    with stream:
        yield VcdReader(stream, path)


def capture_header(path: str | Path) -> CaptureHeader:
    """The header of the capture at `path`."""
    with open_capture(path) as capture:
        return capture.header


def read_batches(path: str | Path, names: Mapping[str, str] | None = None) -> Iterator[Batch]:
    """The batches of the capture at `path`, as `VcdReader.batches` gives them."""
    with open_capture(path) as capture:
        yield from capture.batches(names)
