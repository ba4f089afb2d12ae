"""Where the walk along a chain stands, and what it knows of places that it has not reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from controller.journal.audit.findings import Alternative, Finding, Kind
from controller.journal.audit.held import Held, Located


class Vouch(NamedTuple):
    """The hash that a record must have, by a witness that is not the record itself."""

    seq: int
    hash: bytes
    by: str
    """`seal 3 of 2026-07-04T21:00:00Z`."""
    after_n: int | None = None
    """Of a seal: the row up to which it seals; None for other witnesses."""


class Expected(NamedTuple):
    """What to do at a row whose place is explained already."""

    hash: bytes | None
    """The hash of the record that belongs there; None to pass over the row."""
    shift: int = 0
    """How the shift changes there."""


@dataclass
class Position:
    """The state of a walk along one chain. Numbers of places are those of the column `seq`."""

    chain: str
    place: int
    """Of the last record that was accounted for."""
    hash: bytes
    """Of the record that was written there: the next must fit it."""
    vouches: Mapping[int, Sequence[Vouch]]
    """By the number under which a record was written."""
    locate: Callable[[bytes, Held], Located]
    told: set[int]
    """Rows that were told of already, because another chain misses them; shared by all chains."""
    shift: int = 0
    """The number under which a record was written is its place plus this: records were put in or taken out before."""
    trusted: int = 0
    """The last number at which a witness agreed."""
    unchecked: bool = False
    """The hash is not known: the next record cannot be held against it."""
    rewritten: bool = False
    """From some place on nothing is as witnesses say: that was told."""
    skip_to: int | None = None
    """Places before this one are explained."""
    expected: dict[int, Expected] = field(default_factory=dict)
    """By row `n`."""
    strays: list[Held] = field(default_factory=list)
    """Genuine records met at wrong places, whose own places are still to come."""
    reached: int = 0
    """The highest row `n` that was accounted for."""
    findings: list[Finding] = field(default_factory=list)

    @property
    def number(self) -> int:
        """The number under which the last record was written."""
        return self.place + self.shift

    def vouched(self, number: int) -> bytes | None:
        """The hash that a witness gives for a number."""
        given = self.vouches.get(number)
        return given[0].hash if given else None

    def found(
        self,
        kind: Kind,
        first: int,
        last: int,
        detail: str,
        alternatives: Sequence[Alternative] = (),
        columns: Sequence[str] = (),
        chain: str = "",
    ) -> None:
        """Notes a finding about records of this chain, or of another."""
        self.findings.append(
            Finding(
                kind=kind,
                chain=chain or self.chain,
                first=first,
                last=last,
                detail=detail,
                alternatives=alternatives,
                columns=columns,
                order=self.reached + 1,
            )
        )
