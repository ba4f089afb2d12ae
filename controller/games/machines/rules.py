"""What a text says of a machine that takes tokens."""

from __future__ import annotations

from controller.rules.cited import Cited, RoundRules


class MachineRules(RoundRules, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
    silent_on: tuple[str, ...]
