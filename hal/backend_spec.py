"""The specification of a backend: what its lines are, what a table's file may state of them, and what opens them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from hal.clock import Clock
from hal.lines import LineSource, LineSpec
from hal.outputs import OutputSpec, OutputWriter

Wires = Literal["pins", "boards", "simulated", "recorded", "unknown"]
"""Where the lines end: at pins of this computer, at boards, at a simulator, or in a capture."""


class Pins(NamedTuple):
    """What of one table is wired to pins."""

    name: str
    """The table's id, which names the sources."""
    inputs: Sequence[LineSpec]
    outputs: Sequence[OutputSpec]
    factory: str | None = None
    """The pin factory that the file names; None where it names none."""


class OpenPins(NamedTuple):
    """What a backend makes of them. Nothing is opened yet."""

    sources: Sequence[LineSource]
    """Those that read the inputs: each can be opened again after it has failed and was closed."""
    writer: OutputWriter | None
    """Sets the outputs; None where there are none."""


Open = Callable[[Pins, Clock], OpenPins]
"""Makes the sources and the writer of a table's pins; raises `hal.lines.LineError` where this computer has no such."""

Label = str | None
"""The label of a chip; None means the chip of the Pi's header."""


def _labelled(labels: Sequence[Label], factory: str | None) -> Sequence[Label]:
    return labels


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendSpec:
    """One backend, as the catalogue lists it."""

    name: str
    """What `[lines] backend` names."""
    wires: Wires
    meant: tuple[str, ...] = ()
    """Other words by which people mean it, in lower case."""
    open: Open | None = None
    """Opens pins; None for a backend without pins of this computer."""
    names_chips: bool = True
    """Whether `[lines] chip` names the chip of its pins."""
    factories: Mapping[str, str | None] | None = None
    """The pin factories that `[lines] factory` may name which open no chip, and the file that each opens, if it opens
    one; None for a backend to which the key means nothing."""
    chips: Callable[[Sequence[Label], str | None], Sequence[Label]] = _labelled
    """The chips that it opens, of the labels of a table's pins and the factory."""

    @property
    def live(self) -> bool:
        """Whether real wires are read: every line that the devices require must be wired."""
        return self.on_pins or self.on_boards

    @property
    def on_pins(self) -> bool:
        """Whether its lines are pins of this computer."""
        return self.wires == "pins"

    @property
    def on_boards(self) -> bool:
        """Whether its lines are terminals of boards."""
        return self.wires == "boards"

    @property
    def simulated(self) -> bool:
        """Whether simulated devices are at the other end."""
        return self.wires == "simulated"

    @property
    def recorded(self) -> bool:
        """Whether its lines are those of a capture."""
        return self.wires == "recorded"

    def opened_file(self, factory: str | None) -> str | None:
        """The file that a pin factory opens beside or in place of a chip; None where it opens none."""
        return None if self.factories is None else self.factories.get(factory or "")


NO_BACKEND: Final = BackendSpec(name="", wires="unknown")
"""In place of a backend that a file does not name, or names wrongly: nothing is checked by it."""
