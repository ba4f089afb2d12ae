"""gpiozero's `RotaryEncoder` on mock pins: the peer that everybody who reads an encoder on a Pi begins with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpiozero import RotaryEncoder
from gpiozero.pins.mock import MockFactory

from benchmarks.measure import Subject
from hal.values import Edge

MOCK_PINS = "gpiozero, mock pins"
CALLBACKS = "gpiozero, callbacks only"


def mock_pins(edges: Sequence[Edge], a: str, b: str) -> Subject:
    """The edges of lines `a` and `b`, driven into the pins; the first of each is the level that is found there."""
    changes = _changes(edges, a, b)

    def ready() -> Callable[[], int]:
        peer = _Peer(edges, a, b)
        pins = peer.pins

        def run() -> int:
            for line, level, _ in changes:
                if level:
                    pins[line].drive_high()
                else:
                    pins[line].drive_low()
            return peer.changed()

        return run

    return Subject(MOCK_PINS, len(changes), ready, len(changes))


def callbacks(edges: Sequence[Edge], a: str, b: str, steps: int) -> Subject:
    """The same without the mock pins' own work: what a pin factory would call, and nothing else.

    `steps` is how far the encoder must have come in the end; gpiozero's step is a slot.
    """
    changes = _changes(edges, a, b)

    def ready() -> Callable[[], int]:
        peer = _Peer(edges, a, b)
        call = {line: pin.when_changed for line, pin in peer.pins.items()}

        def run() -> int:
            for line, level, t_ns in changes:
                call[line](t_ns, level)
            return abs(int(peer.encoder.steps))

        return run

    return Subject(CALLBACKS, len(changes), ready, steps)


class _Peer:
    """A fresh encoder, whose pins have the levels that the first edge of each line implies."""

    def __init__(self, edges: Sequence[Edge], a: str, b: str) -> None:
        factory = MockFactory()
        self.pins = {a: factory.pin(17), b: factory.pin(18)}
        self.encoder = RotaryEncoder(17, 18, max_steps=0, pin_factory=factory)
        for line, pin in self.pins.items():
            if next(edge.level for edge in edges if edge.line == line):
                pin.drive_high()
            else:
                pin.drive_low()
            pin.clear_states()

    def changed(self) -> int:
        """How many changes the pins saw."""
        return sum(len(pin.states) - 1 for pin in self.pins.values())


def _changes(edges: Sequence[Edge], a: str, b: str) -> list[Edge]:
    """The edges of the two lines without the levels found at the start."""
    mine = [edge for edge in edges if edge.line in (a, b)]
    first = {line: next(n for n, edge in enumerate(mine) if edge.line == line) for line in (a, b)}
    return [edge for n, edge in enumerate(mine) if n not in first.values()]
