"""The commitments of one chain: whether what was opened is what was sealed, and what was dealt.

card.sealed ──► card.opened      SHA-256(salt ‖ card) is the commitment, and it was sealed, and is opened once
stack.sealed ──► stack.opened    the root follows from cards and salts, and was sealed;
                                 the cards that left since `stack.loaded` were in that order except for one cut
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Protocol

from audit.findings import AuditFinding, FindingKind
from feed.commitments import card_commitment, lay_in_order, order_root
from feed.events import (
    CardOpened,
    CardSealed,
    Data,
    EventError,
    Outcome,
    StackLoaded,
    StackOpened,
    StackSealed,
    Unresolved,
    Void,
    decode,
)

KINDS: Final = frozenset(
    {
        *(kind.kind for kind in (CardSealed, CardOpened, StackLoaded, StackSealed, StackOpened)),
        *(kind.kind for kind in (Outcome, Void, Unresolved)),
    }
)
"""What is read: the other records concern no card."""


class ReadRow(Protocol):
    """A record of a file that nobody vouches for."""

    @property
    def n(self) -> int:
        """Its row."""

    @property
    def seq(self) -> object:
        """Its number in the chain."""

    @property
    def kind(self) -> object:
        """What it holds."""

    @property
    def body(self) -> bytes:
        """The JSON of its event."""


class Openings:
    """Reads the records of one chain in their order, and finds what was opened otherwise than sealed."""

    def __init__(self, chain: str, *, whole: bool = True) -> None:
        """`whole` is whether the chain begins in this file: an opening may belong to an archived commitment else."""
        self._chain = chain
        self._whole = whole
        self._sealed: set[str] = set()
        self._roots: dict[int, str] = {}
        self._dealt: dict[int, str] = {}
        self._batch: int | None = None
        self._before: dict[int, dict[int, str]] = {}
        """As `_dealt`, of the last stack of each batch that is not dealt now."""

    def take(self, row: ReadRow) -> Iterator[AuditFinding]:
        """Reads a record; gives what is wrong with it."""
        if row.kind not in KINDS:
            return
        try:
            data = decode(row.body).data
        except EventError:
            return  # that the body was changed is the chain's to find
        for detail in self._wrong(data):
            seq = row.seq if isinstance(row.seq, int) else None
            yield AuditFinding(
                kind=FindingKind.OPENING, chain=self._chain, first=seq, last=seq, detail=detail, order=row.n
            )

    def _wrong(self, data: Data) -> Iterator[str]:
        match data:
            case CardSealed(commitment=commitment):
                self._sealed.add(commitment)
            case CardOpened():
                yield from self._card(data)
            case StackLoaded(batch=batch):
                if self._batch is not None:
                    self._before[self._batch] = self._dealt
                self._dealt, self._batch = {}, batch
            case StackSealed(batch=batch, root=root):
                self._roots[batch] = root
            case StackOpened():
                yield from self._stack(data)
            case Outcome(evidence=evidence) | Void(evidence=evidence) | Unresolved(evidence=evidence):
                self._dealt.update({one.place: one.card for one in evidence.cards or () if one.place is not None})

    def _card(self, data: CardOpened) -> Iterator[str]:
        shown = data.commitment[:12]
        if not _commits(data.commitment, data.salt, data.card):
            yield f"the card {data.card} and its salt do not give the commitment {shown}…: another card was sealed"
        if data.commitment in self._sealed:
            self._sealed.remove(data.commitment)
        elif self._whole:
            yield f"the commitment {shown}… that is opened was never sealed, or is opened twice"
        if data.place is not None:
            self._dealt[data.place] = data.card

    def _stack(self, data: StackOpened) -> Iterator[str]:
        shown = data.root[:12]
        try:
            root = order_root(data.cards, data.salts)
        except ValueError:
            root = ""
        if root != data.root:
            yield f"the cards and salts of batch {data.batch} do not give the root {shown}…: another order was sealed"
        sealed = self._roots.pop(data.batch, None)
        if sealed != data.root and (self._whole or sealed is not None):
            yield f"the root {shown}… of batch {data.batch} that is opened was never sealed, or is opened twice"
        dealt = self._dealt if data.batch == self._batch else self._before.pop(data.batch, {})
        if not lay_in_order(dealt, data.cards):
            yield f"the cards that were dealt were not in the order that the shuffler made of batch {data.batch}"


def _commits(commitment: str, salt: str, card: str) -> bool:
    try:
        return card_commitment(bytes.fromhex(salt), card) == commitment
    except ValueError:  # the salt is not a hexadecimal number, or the card is not ASCII
        return False
