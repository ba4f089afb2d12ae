"""What can go wrong at a table of cards, as data: those that every such table shares are in `faults.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

import msgspec


class CardFault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fault of a simulated table of cards."""

    name: str
    physical: bool = True
    """Whether it changes what happens; otherwise it changes the signals alone."""
    explanation: str
    """What happens."""
    expected: str
    """What a correct controller may report."""
    needs: str = ""
    """What the table must have, as a key of `card_table.NEEDS`; empty: nothing."""
    reasons: tuple[str, ...] = ()
    """Reasons for which a correct controller may give no outcome."""
    has_result: bool = True
    """Whether the round has a result that a rule supports."""
    found_late: bool = False
    """Whether the controller knows of a card only after it has waited for its line, and the dealer sees that."""


@cache
def shared_faults() -> tuple[CardFault, ...]:
    """The faults that every table of cards shares, `none` first."""
    text = resources.files("simulators.cards").joinpath("faults.toml").read_text("utf-8")
    entries = [{"name": name, **keys} for name, keys in tomllib.loads(text).items()]
    return tuple(msgspec.convert(entries, list[CardFault]))
