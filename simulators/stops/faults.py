"""What can go wrong at every machine whose reels a player stops: the player, the attendant's test, the door."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from simulators.base.faults import SimulatedFault
from simulators.base.geometry import Geometry

Lacking = Callable[[Geometry], str | None]
"""What a geometry lacks for a fault to be possible, or None."""
HELD_S: Final = 6.0
"""For this long something covers a stop before the play (ours)."""


def _nothing(geometry: Geometry) -> str | None:
    return None


def fault(
    name: str, explanation: str, expected: str, lacking: Lacking = _nothing, *, physical: bool = True
) -> SimulatedFault:
    """A fault; one that is not physical changes only the signals."""
    return SimulatedFault(name, physical, explanation, expected, lacking)


def signal(name: str, explanation: str, expected: str, lacking: Lacking = _nothing) -> SimulatedFault:
    """A fault that changes only the signals."""
    return fault(name, explanation, expected, lacking, physical=False)


def shared_faults(no_chute: Lacking, no_buttons: Lacking = _nothing) -> tuple[SimulatedFault, ...]:
    """The faults of every machine, `none` first. `no_chute`: when an acceptor reports its token is not known to the
    player, nor when the reels begin.
    """
    by_house = "The outcome of reels that the house has stopped; no award."
    one_by_house = "The outcome; the house stops reel 2, and no line awards."
    early = "Every reel is pressed as it begins to turn, too."
    return (
        fault("none", "Nothing goes wrong.", "The outcome."),
        fault("player_walks_away", "The player stops no reel.", by_house),
        fault("player_leaves_one", "The player does not stop reel 2.", one_by_house),
        fault("press_too_early", early, "The outcome: such a press stops nothing.", no_chute),
        fault(
            "button_held",
            "Button 1 is held for long before the play.",
            "A fault: sensor_stuck; then the outcome.",
            no_buttons,
        ),
        fault(
            "token_while_spinning",
            "A second token is put in while the reels turn.",
            "Paid by hand; the outcome of the first.",
        ),
        fault("token_in_test", "The attendant tests with a token.", "Nothing counts; then the outcome."),
        fault(
            "door_opened",
            "The door is opened and closed in the play.",
            "The outcome, after the door is closed.",
        ),
    )
