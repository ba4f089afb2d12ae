"""What can go wrong at a simulated craps table, by name: the dice, the people, the keypad and the reading board."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from drivers.dice_reader_wire import Lying
from simulators.automated_shaker import OF_LINES, OF_SERIAL, TOSS_FAULTS
from simulators.dice_values import prefixed, value_faults
from simulators.fault_registry import Fault

GAMES: Final = ("craps", "mini_craps")

Wants: TypeAlias = Literal["", "keypad", "reader", "both"]

LYING_BY: Final[dict[str, Lying]] = {
    "die_off_table": "off_table",
    "die_on_die": "stacked",
    "die_on_two_sides": "two_sides",
    "die_cocked": "cocked",
}
"""The faults that are ways in which one die lies."""

_BY_HAND: Final = ("die_off_table", "no_roll_called", "thrown_before_settled")
"""What a shooter's throw can come to, and dice in a shaker cannot."""
_UNASKED: Final = "Void: shaker_failed; a fault."
"""No text of craps has words for a toss before the call: the shaker has malfunctioned."""
_NONE: Final = Fault("none", GAMES, True, "Nothing goes wrong.", "The outcome.")
_TABLE: Final[tuple[tuple[Fault, Wants], ...]] = (
    (Fault("die_off_table", GAMES, True, "A die leaves the table.", "Void: die_off_table."), ""),
    (Fault("die_on_die", GAMES, True, "One die rests on top of the other.", "Void: die_on_die."), ""),
    (Fault("die_on_two_sides", GAMES, True, "A die leans on chips with two sides.", "Void: die_on_two_sides."), ""),
    (
        Fault("die_cocked", GAMES, True, "A die leans on chips with one side.", "The outcome: the opposite side."),
        "",
    ),
    (
        Fault(
            "no_roll_called",
            GAMES,
            True,
            "One die leaves the hand late.",
            "Void: dice_not_together, called.",
        ),
        "",
    ),
    (
        Fault("seven", GAMES, True, "The dice show seven.", "The outcome: natural, or seven out."),
        "",
    ),
    (
        Fault(
            "keyed_too_early",
            GAMES,
            True,
            "The dealer keys while the dice still run.",
            "A warning: keyed_too_early; the values once they are keyed again.",
        ),
        "both",
    ),
    (
        Fault(
            "thrown_before_settled",
            GAMES,
            True,
            "The dice are thrown once more before the bets are settled.",
            "The outcome of the first throw; a warning: thrown_before_open.",
        ),
        "reader",
    ),
)


def shaker_faults(automated: Literal["lines", "serial"], *, called: bool) -> tuple[Fault, ...]:
    """Those of an automated shaker; `called` is whether the dealer has a button for the call."""
    own = [TOSS_FAULTS[name] for name in (OF_SERIAL if automated == "serial" else OF_LINES)]
    return tuple(
        Fault(
            prefixed("automated_shaker", fault.name),
            GAMES,
            fault.physical,
            fault.explanation,
            _UNASKED if fault.name == "unasked" else fault.expected,
        )
        for fault in own
        if called or fault.name != "unasked"
    )


def craps_faults(
    *, keypad: bool, reader: bool, automated: Literal["lines", "serial"] | None = None, called: bool = True
) -> tuple[Fault, ...]:
    """Every fault that a table with these devices can have, `none` first."""
    there = {"", *(("keypad",) if keypad else ()), *(("reader",) if reader else ())}
    there |= {"both"} if keypad and reader else set()
    own = tuple(
        fault for fault, wants in _TABLE if wants in there and (automated is None or fault.name not in _BY_HAND)
    )
    if automated is not None:
        own = (*own, *shaker_faults(automated, called=called))
    of_values = value_faults(GAMES, keypad=keypad, reader=reader)
    if not keypad:
        # A board that misreads is believed where nobody else looks: no controller can know.
        of_values = tuple(fault for fault in of_values if fault.name != "reader_disagrees")
    return (_NONE, *own, *of_values)
