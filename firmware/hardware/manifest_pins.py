"""The pins that the firmware uses, from the table that the firmware is generated from."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, Final

TABLE: Final = Path(__file__).resolve().parents[1] / "wire" / "messages.toml"
_PIN: Final = re.compile(r"[BCD][0-7]|A[67]")


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def kind(name: str) -> dict[str, Any]:
    """The table of one kind of board."""
    found: dict[str, Any] = _table()["kind"][name]
    return found


def pins_of(name: str) -> dict[str, str]:
    """Every pin that the firmware of a kind uses: what it is for, and the pin of the ATmega328P.

    Inputs, outputs and analogue channels are listed under their names; pins in a table such as `lamps` under
    `lamps data`; rows and columns of a keypad under `keys columns 1`.

    A chain of lamps may share its data and clock with columns of a keypad, which are high while the chain is shifted;
    nothing else shares a pin.

    Raises:
        ValueError: two uses have one pin, or one name.
    """
    found: dict[str, str] = {}

    def add(use: str, pin: str) -> None:
        others = [other for other, its in found.items() if its == pin]
        if use in found or any({other.split()[0], use.split()[0]} != {"keys", "lamps"} for other in others):
            raise ValueError(f"{TABLE}: kind {name}: {use} at {pin}: that name or pin is used twice")
        found[use] = pin

    for key, value in kind(name).items():
        if key in ("inputs", "outputs", "analogues"):
            for entry in value:
                add(entry[0], entry[1])
        elif isinstance(value, str) and _PIN.fullmatch(value):
            add(key, value)
        elif isinstance(value, dict):
            for part, inner in value.items():
                if isinstance(inner, str) and _PIN.fullmatch(inner):
                    add(f"{key} {part}", inner)
                elif isinstance(inner, list) and inner and all(_is_pin(each) for each in inner):
                    for number, each in enumerate(inner, 1):
                        add(f"{key} {part} {number}", each)
    return found


def _is_pin(value: object) -> bool:
    return isinstance(value, str) and _PIN.fullmatch(value) is not None


def analogues_of(name: str) -> set[str]:
    """The uses of pins that the firmware of a kind measures."""
    table = kind(name)
    found = {entry[0] for entry in table["analogues"]}
    found |= {use for use in ("motor_current",) if use in table}
    return found | ({"hopper current"} if "current" in table.get("hopper", {}) else set())
