"""What rules and configuration fix for every round of a game."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from controller.rules.cited import NoMoreBetsRule, Reason

DEALER_CALL: Final = "dealer_call"
SERVICE_STOPPED: Final = "service_stopped"
"""A round that was open when the service was stopped in order: no person called it."""

UNCALLED_WARNING: Final = ("dealer", "not_settled")
"""Device and code of the warning that a round waits to be called."""


class Uncalled(Enum):
    """What an unresolved round keeps from happening until a person has called it."""

    NOTHING = "nothing"
    """It is settled like any other."""
    SETTLING = "settling"
    """It is not settled; a fault that shuts the table ends the wait."""
    PLAY = "play"
    """No round opens, over a fault, a closed table and a restart too."""


class Terms(NamedTuple):
    """What the rules profile and the configuration fix for every round of a game."""

    call: NoMoreBetsRule
    reasons: Mapping[str, Reason]
    rule: str
    """The rule that an outcome cites."""
    settle_after_s: float
    void_call: str = ""
    """What the dealer calls where the reason of a void round has no words of its own; empty: as for `dealer_call`."""
    uncalled: Uncalled = Uncalled.NOTHING
    uncalled_warning: tuple[str, str] = UNCALLED_WARNING
    settled_by_call: bool = True
    """Whether the call of an unresolved round settles it at a shut table, where it has a result."""
    void_by_closing: bool = True
    """Whether a round without a verdict is void when a person closes the table."""
