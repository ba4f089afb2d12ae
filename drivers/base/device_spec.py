"""The specification of a device: its name and keys, the lines that it wants, what makes it, and how its link is cut."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import msgspec

from drivers.base.actuator import Actuator
from drivers.base.driver import Driver
from drivers.base.movement import LineBounds, Movement
from hal.capture.secret import PublicPart
from hal.framing import Framer
from hal.outputs import BoardOutputKind

Kind = Literal["input", "output", "analogue", "link"]
"""What carries it: a wire that is read or driven, an analogue converter, or a serial port."""


class BoardPlace(NamedTuple):
    """The one terminal where a board works with a line by itself: drives it, watches it, or scans it."""

    kind: str
    """Of the board, such as `table`."""
    name: str
    """Of the terminal, as that kind of board calls it: `motor`, `key 1`."""
    active_low: bool = False
    """Whether the board takes a low wire as active, so that the line must be inverted."""


class BoardOutput(NamedTuple):
    """An output that a board drives by itself, by its device's messages: no line of the table has it."""

    name: str
    """As the kind of board calls it."""
    purpose: str
    wire: str
    """Which wire of which part goes there: `STEP of the driver of reel 1`."""


class LineUse(NamedTuple):
    """One line of a device, as the wiring table shows it."""

    purpose: str
    """What it is for: `quadrature channel A of the rotor`."""
    high: str
    """What level 1 means: `the beam is broken`; of an analogue line its unit, of a link its settings."""
    wire: str
    """Which wire of which part goes there: `output of channel A`."""
    kind: Kind = "input"
    required: bool = True
    """Whether the device cannot work without it."""
    drives: BoardOutputKind = "lamp"
    """What hangs on an output."""
    wire_inverted: str = ""
    """The same where the pin is inverted, if that is another wire."""
    rests_low: bool = True
    """Whether it is 0 while nothing is moved; not the lines of an encoder, a cover or a place that is taken."""
    closed_at_rest: bool = False
    """A contact that is closed while the line is 0: its resistor makes an open contact 1, and so a cut wire."""
    beside: str = ""
    """Another line, or itself: it is on the board that has that one, and on no other. A link beside a line is not a
    serial port: its messages are carried by that board."""
    at: BoardPlace | None = None
    """Where it must be if it is on a board; None if any terminal of its side will do."""
    counted_by: str = ""
    """Of one of several equal lines: what sets how many there are, in words."""
    second_by: str = ""
    """Of a line that can have a second one beside it, with `_2` after its name: the key that adds that, in words."""
    contact: bool = False
    """Whether it is a bare contact that a hand holds, which the scanned keypad of a board can have as a key."""
    driven: tuple[BoardOutput, ...] = ()
    """Of a link beside a line: what its board drives by itself, for the wiring table."""


class RecordedError(ValueError):
    """A capture's wires fit no keys of the device: the cause, and what to do."""

    def __init__(self, cause: str, fix: str) -> None:
        super().__init__(f"{cause}; {fix}")
        self.cause = cause
        self.fix = fix


class Recorded(NamedTuple):
    """For a device whose sensors are numbered: how the wires of a capture decide how many it has."""

    lines: tuple[str, ...]
    """The lines of the sensors, as many as a capture may have."""
    keys: Callable[[Any, str, Collection[str]], Any]
    """The keys that fit the lines of a capture, of the device's keys and its name; raises `RecordedError`."""


class Device(NamedTuple):
    """The two halves of a device; one that only reports has no actuator, one that is only commanded no driver."""

    driver: Driver | None = None
    actuator: Actuator | None = None


Make = Callable[[Any, str, Sequence[str]], Device]
"""Makes a device of its keys, the name of its section, and the parts that it counts: dice or lamps, by name."""


def by_keys(driver: Callable[[Any], Driver], actuator: Callable[[Any], Actuator] | None = None) -> Make:
    """What makes a device whose halves are made of its keys."""
    return _made(lambda keys, name, parts: (keys,), driver, actuator)


def by_keys_and_name(
    driver: Callable[[Any, str], Driver], actuator: Callable[[Any, str], Actuator] | None = None
) -> Make:
    """What makes a device whose halves are made of its keys and the name of its section."""
    return _made(lambda keys, name, parts: (keys, name), driver, actuator)


def by_keys_and_count(
    driver: Callable[[Any, int], Driver], actuator: Callable[[Any, int], Actuator] | None = None
) -> Make:
    """What makes a device whose halves are made of its keys and the number of parts that it counts."""
    return _made(lambda keys, name, parts: (keys, len(parts)), driver, actuator)


def _made(
    arguments: Callable[[Any, str, Sequence[str]], tuple[Any, ...]],
    driver: Callable[..., Driver],
    actuator: Callable[..., Actuator] | None,
) -> Make:
    def make(keys: Any, name: str, parts: Sequence[str]) -> Device:
        given = arguments(keys, name, parts)
        return Device(driver(*given), None if actuator is None else actuator(*given))

    return make


class WiredFinding(NamedTuple):
    """What is wrong with a device's keys where its wires are real, though a simulated device works with them."""

    key: str
    wrong: str
    fix: str
    missing: bool = False
    """The file must give the key: an error. Otherwise a warning."""


def _no_movements(keys: Any, wired: Collection[str]) -> Sequence[Movement]:
    return ()


def _as_written(keys: Any, measured: Mapping[str, Any]) -> Any:
    return keys


def _no_bounds(keys: Any) -> Mapping[str, LineBounds]:
    return {}


def _nothing_on_wires(keys: Any, given: Collection[str]) -> list[WiredFinding]:
    return []


def _none_idle(keys: Any) -> Mapping[str, str]:
    return {}


def _no_secrets(keys: Any) -> dict[str, PublicPart]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSpec:
    """One kind of device, as the catalogue lists it."""

    name: str
    """What `driver` names in `[device.*]`: `dice_reader`."""
    keys: type[msgspec.Struct]
    """Its keys under `[device.*]`, `driver` among them or not."""
    lines: Callable[[Any], Mapping[str, LineUse]]
    """The lines that it wants with keys of that type."""
    make: Make
    framing: Callable[[Any], Framer] | None = None
    """What cuts the bytes of its link into frames; None where it has no link, or one with lines of text."""
    recorded: Recorded | None = None
    """How a capture's wires change its keys; None where they do not."""
    started_by_call: bool = False
    """Whether "No more bets" sets it going: then it cannot be what makes the call."""
    on_wires: Callable[[Any, Collection[str]], list[WiredFinding]] = _nothing_on_wires
    """What a table with real wires must state or should avoid, from its keys and the names of those that the file
    gives: a default that every simulated device fulfils says nothing about a real one."""
    idle: Callable[[Any], Mapping[str, str]] = _none_idle
    """The keys that have no effect beside the others, each with why (`with sensing = "pegs"`): a file that gives one of
    them contradicts itself."""
    secrets: Callable[[Any], Mapping[str, PublicPart]] = _no_secrets
    """The links whose frames can show what is not exposed yet, and what of a frame may be stored before it is."""
    movements: Callable[[Any, Collection[str]], Sequence[Movement]] = _no_movements
    """What a person does with it to prove its wiring, from its keys and the lines that are wired; none where software
    sees every exchange by itself."""
    measured: Callable[[Any, Mapping[str, Any]], Any] = _as_written
    """Its keys with the values that its movements have measured."""
    bounds: Callable[[Any], Mapping[str, LineBounds]] = _no_bounds
    """How fast its lines can change in play, from its keys."""
