"""What is wired to a board beside its lines: the rows and columns of a keypad, a chain of lamps, and notes on both."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from controller.configuration.nano import LINK, printed
from controller.configuration.terminals import Place
from hal.board.message import Kind

LED_PIN = "D13"
"""Where a Nano has its lamp L."""


class Crossing(NamedTuple):
    """Where a key joins a row of a keypad to a column, each numbered from 1."""

    row: int
    column: int


def crossing_of(kind: Kind, place: Place) -> Crossing:
    """The crossing of a key: keys are counted along the rows."""
    row, column = divmod(place.number - kind.first_key_line, len(kind.key_columns))
    return Crossing(row + 1, column + 1)


def key_words(kind: Kind, place: Place) -> str:
    """How a key is wired: `key 1: row 1 (A2), column 1 (D9)`."""
    row, column = crossing_of(kind, place)
    rows, columns = printed(kind.key_rows[row - 1]), printed(kind.key_columns[column - 1])
    return f"{place.name}: row {row} ({rows}), column {column} ({columns})"


def chain_words(kind: Kind) -> Iterator[str]:
    """How a chain of lamps is wired, pin by pin (docs/boards.md)."""
    notes = {"latch": "; 10 kΩ from there to GND", "read_back": "; resistor to + inside"}
    for what, pin in kind.lamp_pins:
        yield f"{_plain(what)}: {printed(pin)}{notes.get(what, '')}"


class OwnPins(NamedTuple):
    """The pins that no line can have."""

    used: dict[str, str]
    """What is wired to each printed pin."""
    free: dict[str, str]
    """What each other one is for, where this table has none such."""


def own_pins(kind: Kind, keys: Collection[Place], *, lamps: bool) -> OwnPins:
    """The pins of the link, the keypad with these keys, and the lamps if there are any."""
    crossings = [crossing_of(kind, place) for place in keys]
    used = {pin: [what] for pin, what in LINK.items()}
    free: dict[str, list[str]] = {}
    for number, pin in enumerate(kind.key_columns, 1):
        at = used if any(each.column == number for each in crossings) else free
        at.setdefault(printed(pin), []).append(f"column {number}")
    for number, pin in enumerate(kind.key_rows, 1):
        at = used if any(each.row == number for each in crossings) else free
        at.setdefault(printed(pin), []).append(f"row {number}")
    for what, pin in kind.lamp_pins if lamps else ():
        used.setdefault(printed(pin), []).append(f"lamps' {_plain(what)}")
    return OwnPins(
        {pin: ", ".join(what) for pin, what in used.items()},
        {pin: ", ".join(what) for pin, what in free.items() if pin not in used},
    )


def led_warning(pins: OwnPins) -> str | None:
    """What to do about a Nano's own lamp, where it loads a column of the keypad; None where it does not."""
    column = re.search(r"column \d", pins.used.get(LED_PIN, ""))
    if column is None:
        return None
    return (
        f"Take the lamp L, or its resistor, off a Nano: it holds {LED_PIN} ({column.group()} of the keypad) half-way "
        "to low, and keys are read wrong. An Uno R3 needs nothing."
    )


def _plain(what: str) -> str:
    return what.replace("_", " ")
