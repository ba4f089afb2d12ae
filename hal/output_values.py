"""What is to be done at an output, as values, as an `Edge` is what an input did: nothing here touches a wire.

A live table carries them out, simulated devices answer them, and a replay passes them over, for its capture holds what
the devices did.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class SetLine(NamedTuple):
    """An output line is to take a state."""

    line: str
    on: bool
    t_ns: int


class SendFrame(NamedTuple):
    """Bytes are to go out on a link."""

    link: str
    data: bytes
    t_ns: int


class LightLamps(NamedTuple):
    """Exactly these lamps of a chain are to be lit, and read back."""

    chain: str
    lit: frozenset[int]
    """Their places on the chain, from 1."""
    t_ns: int


class RunMotor(NamedTuple):
    """A motor is to turn, or to stop."""

    motor: str
    speed: float
    """-1 to 1 of its full speed; 0 stops it."""
    t_ns: int


Output: TypeAlias = SetLine | SendFrame | LightLamps | RunMotor
"""One thing to be done at an output."""
