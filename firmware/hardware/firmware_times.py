"""Times of the firmware that a circuit depends on, read out of its sources: they are written once, there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final, NamedTuple

KINDS: Final = Path(__file__).resolve().parents[1] / "kinds"


def hold_up_ms() -> int:
    """How long a money board must run on after its supply's warning, until the last byte is durable.

    Raises:
        ValueError: `supply.h` does not state it.
    """
    return _found("supply.h", "SUPPLY_HOLD_UP_MS")


def settle_ms() -> int:
    """How long the self-test gives the lines to follow each switching of the sensors' feed.

    Raises:
        ValueError: `sensors.h` does not state it.
    """
    return _found("sensors.h", "SENSORS_SETTLE_MS")


class MotorTimes(NamedTuple):
    """ms after which the firmware ends a motor that does not turn, or draws too much."""

    shelf_stall: int
    """Without a pulse of its shaft."""
    over: int
    """The shelf's current above its limit."""
    hopper_over: int
    hopper_jam: int
    """Without a token."""
    hopper_spin_up: int
    """More than that until the first token."""
    hopper_back: int
    hopper_backs: int
    """How often it is turned back in a payout."""


def motor_times() -> MotorTimes:
    """What limits the motors' time in a fault.

    Raises:
        ValueError: a source does not state one of them.
    """
    tokens, token_ms = _found("hopper.h", "HOPPER_JAM_TOKENS"), _found("hopper.h", "HOPPER_TOKEN_MS")
    return MotorTimes(
        _found("motor.h", "MOTOR_STALL_MS"),
        _found("drive.h", "DRIVE_OVER_MS"),
        _found("payouts.c", "OVER_MS"),
        tokens * token_ms,
        _found("hopper.h", "HOPPER_SPIN_UP_MS"),
        _found("hopper.h", "HOPPER_BACK_MS"),
        _found("hopper.h", "HOPPER_BACKS"),
    )


class ChainTimes(NamedTuple):
    """ns that the firmware holds the levels of a chain of lamps, at the least."""

    latch_low: int
    clock_low: int
    clock_high: int


def chain_times(module: str) -> ChainTimes:
    """On a Nano as its instructions last (measured in its emulated firmware by a test), on a Pico as its port waits.

    Raises:
        ValueError: the port does not state it.
    """
    if module == "Nano":
        return ChainTimes(125, 750, 1812)
    hold = _found("../ports/rp2040/port_inline.h", "PIN_HOLD_NS")
    return ChainTimes(hold, hold, hold)


def _found(source: str, name: str) -> int:
    found = re.search(rf"#define {name} +(\d+)U", (KINDS / source).read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{KINDS / source}: it does not define {name}")
    return int(found[1])
