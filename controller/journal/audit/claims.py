"""A record's columns held against what its body says of them."""

from __future__ import annotations

from typing import NamedTuple

from controller.journal.audit.held import Held
from controller.journal.columns import BodyError, Columns, columns_of
from controller.journal.records import COMMANDS


class Claim(NamedTuple):
    """What a body says, and where the columns beside it do not agree."""

    number: int | None
    """`seq` by the body; None where the body does not say."""
    differ: tuple[str, ...]
    """Columns that say something else than the body, as sentences."""

    @property
    def names(self) -> frozenset[str]:
        """The columns that differ."""
        return frozenset(told.partition(" ")[0] for told in self.differ)


def claim_of(held: Held) -> Claim:
    """What a record's body says, and which columns disagree."""
    differ = tuple(f"{name} is not stored as bytes of the right length" for name in held.mistyped)
    try:
        said = columns_of(held)
    except BodyError as error:
        return Claim(None, (*differ, str(error)))
    number = said.seq if held.chain != COMMANDS and isinstance(said.seq, int) else None
    seen = Columns(*held[1:9])
    if differ or seen != said or not all(map(_alike, seen, said)):
        differ += tuple(
            f"{name} is {_shown(one)}, and the body says {_shown(other)}"
            for name, one, other in zip(Columns._fields, seen, said, strict=True)
            if one != other or not _alike(one, other)
        )
    return Claim(number, differ)


def _alike(one: object, other: object) -> bool:
    """Whether they are of one type: to Python 3.0 is 3, and to SQLite it is not."""
    return type(one) is type(other)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
