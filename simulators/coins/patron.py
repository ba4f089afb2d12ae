"""What every machine's player and attendant do: a token goes into the chute, and faults are cleared."""

from __future__ import annotations

from typing import Final

from hal.clock import NS_PER_S
from hal.values import Command, Edge

OUTER_OPTO: Final = "token_in_1"
INNER_OPTO: Final = "token_in_2"
DOOR: Final = "door"
ATTENDANT: Final = "simulated-attendant"
PASS_S: Final = (0.015, 0.05)
"""From one opto of the chute to the other (ours)."""


def ns(t_s: float) -> int:
    """Seconds as nanoseconds."""
    return int(t_s * NS_PER_S)


def token_edges(at_s: float, step_s: float) -> list[Edge]:
    """A token passes both optos of the chute, an edge each `step_s`."""
    story = ((OUTER_OPTO, 1), (INNER_OPTO, 1), (OUTER_OPTO, 0), (INNER_OPTO, 0))
    return [Edge(line, level, ns(at_s + number * step_s)) for number, (line, level) in enumerate(story)]


def ordered(verb: str, at_s: float, *given: tuple[str, str]) -> Command:
    """The attendant gives an order."""
    return Command(verb, (*given, ("by", ATTENDANT)), ns(at_s))


def cleared(device: str, at_s: float) -> Command:
    """The attendant clears a device's faults."""
    return ordered("clear", at_s, ("device", device))
