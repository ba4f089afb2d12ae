"""The wiring of a board: which lines are on which terminals, checked against its kind, and the commands for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import unpack
from typing import Final, NamedTuple

from hal.board.message import BoardKind, MessageError
from hal.board.messages import CountCommand, SampleCommand, SampleReport, WatchCommand
from hal.lines import LineError, LineSpec, check_wires

FULL_SCALE: Final = 1023
"""A sample at the supply."""
SAMPLE_MS: Final = 50
"""Between two samples of the analogue channels (ours): twenty in the second for which a wheel is out of level."""
OPENING_NS: Final = 6_000_000_000
"""How long a board may take to come up before its lines are unplugged (ours): two seconds of boot loader, and two to
measure its clock over a slow adapter. The table's time is held that long."""


class AnalogueSpec(NamedTuple):
    """One analogue line of a board. Its value is `(share - zero) * span`, where `share` is 0 to 1 of the supply.

    A sensor that gives `zero_v` at 0, and whose reading grows by `per_v` with each volt, has on a supply of `supply_v`:
    `zero = zero_v / supply_v` and `span = per_v * supply_v`.
    """

    name: str
    """The line's name in the table: `level_x`."""
    channel: int
    """From 1."""
    zero: float
    """The share of the supply at which the reading is 0."""
    span: float
    """The change of the reading from 0 V to the supply; negative if it falls."""

    def value(self, sample: int) -> float:
        """Converts a sample to a reading in the unit of the line."""
        return (sample / FULL_SCALE - self.zero) * self.span


class CountedQuadrature(NamedTuple):
    """The lines of a quadrature that the board counts itself."""

    a: str
    b: str
    zero: str | None = None
    """The line of the index, once a turn."""


class BoardWiring:
    """The lines of one board, and the commands that start its reports of them."""

    def __init__(
        self,
        board: str,
        kind: BoardKind | None,
        inputs: Sequence[LineSpec],
        analogues: Sequence[AnalogueSpec] = (),
        quadrature: CountedQuadrature | None = None,
        sample_ms: int = SAMPLE_MS,
    ) -> None:
        """Checks the lines. `gpio` of an input is its number on the board.

        Raises:
            LineError: the lines contradict one another, or this kind of board has no such inputs or channels.
        """
        if kind is None:
            raise LineError(f"board {board!r}: its lines need a board of a known kind; say which kind it is")
        if not inputs and not analogues:
            raise LineError(f"board {board!r}: expected at least one line, got none; name its lines under [pins]")
        self.inputs = check_wires(inputs, board) if inputs else []
        self.channels = {one.channel - 1: one for one in analogues}
        for spec in self.inputs:
            _check_input(board, kind, spec)
        _check_analogues(kind, analogues, {spec.name for spec in self.inputs})
        self.by_index = {_number(spec) - 1: spec for spec in self.inputs}
        """The inputs by their line index in the board's reports, from 0."""
        self.keys = frozenset(index for index in self.by_index if index >= len(kind.inputs))
        """The inputs that are keys. The board reports their changes, and their levels in each `state`."""
        self.watch: WatchCommand | None = None
        """Starts the reports of edges; None without inputs."""
        if self.inputs:
            pins = {index: spec for index, spec in self.by_index.items() if index not in self.keys}
            ups = [index for index, spec in pins.items() if spec.pull == "up"]
            # Keys are reported while any input is watched.
            self.watch = WatchCommand(_bits(pins) or 1, _bits(ups))
        self.sample: SampleCommand | None = None
        """Starts the sampling; None without channels."""
        if self.channels:
            self.sample = SampleCommand(_bits(self.channels), sample_ms)
        self.count = None if quadrature is None else self._count(board, quadrature)
        """Starts the counting; None without a quadrature."""

    @property
    def lines(self) -> frozenset[str]:
        """The names of all lines."""
        return frozenset(spec.name for spec in self.inputs) | {one.name for one in self.channels.values()}

    @property
    def watched(self) -> int:
        """The lines that the board reports: bit i for index i."""
        return 0 if self.watch is None else self.watch.inputs | _bits(self.keys)

    def readings(self, report: SampleReport) -> list[tuple[str, float]]:
        """Each analogue line of a sample, with its value.

        Raises:
            MessageError: its bytes are not one value for each of its channels.
        """
        sampled = [index for index in range(8) if report.channels >> index & 1]
        if len(report.values) != 2 * len(sampled):
            raise MessageError(f"sample: expected {len(sampled)} values, got {len(report.values)} bytes")
        samples = unpack(f"<{len(sampled)}H", report.values)
        return [
            (self.channels[index].name, self.channels[index].value(sample))
            for index, sample in zip(sampled, samples, strict=True)
            if index in self.channels
        ]

    def _count(self, board: str, quadrature: CountedQuadrature) -> CountCommand:
        numbers = {spec.name: index + 1 for index, spec in self.by_index.items() if index not in self.keys}
        for name in quadrature:
            if name is not None and name not in numbers:
                raise LineError(f"line {name!r}: it is to be counted, and is not an input of board {board!r}; add it")
        return CountCommand(
            numbers[quadrature.a],
            numbers[quadrature.b],
            0 if quadrature.zero is None else numbers[quadrature.zero],
        )


def _check_input(board: str, kind: BoardKind, spec: LineSpec) -> None:
    last_key = kind.first_key_line + len(kind.keys) - 1
    numbers = [*range(1, len(kind.inputs) + 1), *range(kind.first_key_line, last_key + 1 if kind.keys else 0)]
    if spec.gpio not in numbers:
        keys = f" and keys {kind.first_key_line} to {last_key}" if kind.keys else ""
        raise LineError(
            f"line {spec.name!r}: board {board!r} has no input {spec.gpio}; a board of kind {kind.name!r} has inputs "
            f"1 to {len(kind.inputs)}{keys}"
        )
    if spec.pull == "down":
        raise LineError(
            f"line {spec.name!r}: a board has no pull-down; use pull = up, or none with a resistor of your own"
        )
    if spec.debounce_ns:
        raise LineError(
            f"line {spec.name!r}: a board debounces nothing; leave the debounce out, the device does it where it is due"
        )


def _check_analogues(kind: BoardKind, analogues: Sequence[AnalogueSpec], taken: set[str]) -> None:
    channels: dict[int, str] = {}
    for one in analogues:
        if not 1 <= one.channel <= len(kind.analogues):
            raise LineError(
                f"line {one.name!r}: a board of kind {kind.name!r} has no analogue channel {one.channel}; "
                f"it has {len(kind.analogues)}"
            )
        if one.name in taken:
            raise LineError(f"line {one.name!r}: it is given twice; remove one of the two under [pins]")
        if one.channel in channels:
            raise LineError(
                f"line {one.name!r}: analogue channel {one.channel} is already the wire of line "
                f"{channels[one.channel]!r}; give each line a channel of its own"
            )
        taken.add(one.name)
        channels[one.channel] = one.name


def _number(spec: LineSpec) -> int:
    """The number of the input, which `_check_input` has verified to be an int."""
    return int(spec.gpio or 0)


def _bits(indices: Iterable[int]) -> int:
    return sum(1 << index for index in indices)
