"""What a text says of a machine that takes tokens."""

from __future__ import annotations

from msgspec import Struct

from controller.rules.cited import Cited, Inspection, NoMoreBetsRule, Reason


class MachineRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one text says of one machine. The fields carry their citations."""

    section: str
    play: Cited[str]
    """How it is played, in the words of the definition."""
    certified: Cited[str]
    """That it is identical to a certified model."""
    token_marked: Cited[str]
    full_dollars: Cited[str]
    result_read: Cited[str]
    operator_classes: Cited[tuple[str, ...]]
    supervisor_classes: Cited[tuple[str, ...]]
    no_more_bets: NoMoreBetsRule
    inspection: Inspection
    reasons: dict[str, Reason]
    silent_on: tuple[str, ...]
