"""Follows one chain from its beginning to its end, and notes where it is not as it was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from controller.journal.audit import broken
from controller.journal.audit.claims import Claim, claim_of
from controller.journal.audit.findings import Alternative, Finding, Kind
from controller.journal.audit.held import Held, HeldRecords, Located
from controller.journal.audit.position import Position, Vouch
from controller.journal.records import link

_SEARCHES: Final = 12
"""How often the whole file is searched for one chain; what is found after that is told less exactly (ours)."""


class ChainTrace:
    """One chain. Iterate over `follow` to its end; `findings` then has what was found, in order."""

    def __init__(
        self,
        chain: str,
        start_seq: int,
        start_hash: bytes,
        vouches: Mapping[int, Sequence[Vouch]],
        records: HeldRecords,
        told: set[int],
    ) -> None:
        """Begins after the record `start_seq`, whose hash is `start_hash`: the archived base, or the genesis.

        `told` are rows that other chains missed, and found here.
        """
        self._records = records
        self._vouches = vouches
        self._searches = 0
        self._last_n: int | None = None
        self._sealed_to: int | None = None
        self._at = Position(chain, start_seq, start_hash, vouches, self._locate, told, trusted=start_seq)
        self.records = 0
        self.sealed = start_seq

    @property
    def findings(self) -> list[Finding]:
        """What was found so far."""
        return self._at.findings

    @property
    def last(self) -> int:
        """The number of the last record that was accounted for, as it was written."""
        return self._at.number

    @property
    def head(self) -> bytes:
        """The hash of that record."""
        return self._at.hash

    def follow(self, rows: Iterable[Held]) -> Iterator[Held]:
        """Follows the rows of the chain, by `seq`; gives each after it was looked at."""
        row: Held | None = None
        for following in rows:
            if row is not None:
                self._take(row, following)
                self.records += 1
                yield row
            row = following
        if row is not None:
            self._take(row, None)
            self.records += 1
            yield row
        self._end()

    def _take(self, row: Held, following: Held | None) -> None:
        at = self._at
        if self._last_n is not None:
            at.reached = self._last_n
        expected = at.expected.pop(row.n, None)
        if expected is not None:
            at.place = row.number if row.number is not None else at.place
            at.shift += expected.shift
            at.hash = expected.hash if expected.hash is not None else at.hash
            self._last_n = self._sealed_to = None
            if expected.hash is not None:
                self._vouch(row, following)
            return
        if row.n in at.told:
            return
        if at.skip_to is not None and row.number is not None and row.number < at.skip_to:
            return
        claim = claim_of(row)
        while self._step(row, claim, following) is broken.AGAIN:
            pass

    def _step(self, row: Held, claim: Claim, following: Held | None) -> bool:
        at, place = self._at, row.number
        fits = at.unchecked or broken.fits(at.hash, row)
        if place == at.place + 1 and fits:
            self._columns(row, claim)
            at.place, at.hash, at.unchecked = place, row.hash, False
            self._rows_in_order(row, following)
            self._vouch(row, following)
            return broken.DONE
        self._last_n = self._sealed_to = None
        if place == at.place + 1:
            again = broken.broken(at, row, claim, following, self._records)
            if not again:
                self._vouch(row, following)
            return again
        if place is None or place <= at.place:
            broken.stray(at, row, claim)
            return broken.DONE
        if fits and not at.unchecked:
            number = at.number + 1
            at.found(Kind.COLUMNS, number, number, f"seq is {place}, and it follows record {at.number}")
            at.shift += at.place + 1 - place
            at.place, at.hash = place, row.hash
            self._vouch(row, following)
            return broken.DONE
        return broken.gap(at, row, place, claim)

    def _columns(self, row: Held, claim: Claim) -> None:
        at = self._at
        number = at.number + 1
        names = claim.names
        if at.shift and claim.number == number:
            names -= {"seq", "id"}
        if not names:
            return
        told = at.findings[-1] if at.findings else None
        detail = "; ".join(one for one in claim.differ if one.partition(" ")[0] in names)
        if told is not None and told.kind is Kind.COLUMNS and told.last == number - 1 and told.columns == sorted(names):
            at.findings[-1] = told.reaching(number)
            return
        at.found(Kind.COLUMNS, number, number, detail, columns=sorted(names))

    def _rows_in_order(self, row: Held, following: Held | None) -> None:
        """`n` grows along a chain, and a seal stands between the rows that it says."""
        number, last_n = self._at.number, self._last_n
        if last_n is not None and row.n <= last_n:
            detail = f"n is {row.n}, and record {number - 1} has {last_n}"
            self._at.found(Kind.COLUMNS, number, number, detail, columns=["n"])
        elif following is not None and (last_n or 0) < following.n <= row.n and broken.fits(row.hash, following):
            detail = f"n is {row.n}, and the record after it has {following.n}"
            self._at.found(Kind.COLUMNS, number, number, detail, columns=["n"])
            return
        elif self._sealed_to is not None and row.n <= self._sealed_to:
            detail = f"n is {row.n}, and the seal before it reaches to {self._sealed_to}"
            self._at.found(Kind.COLUMNS, number, number, detail, columns=["n"])
        self._last_n, self._sealed_to = row.n, None

    def _vouch(self, row: Held, following: Held | None) -> None:
        """Holds the record that was just accounted for against what witnesses say of it."""
        at, number = self._at, self._at.number
        trusted = at.trusted
        for vouch in self._vouches.get(number, ()):
            if vouch.hash == at.hash:
                at.trusted = number
                if vouch.after_n is not None:
                    self.sealed = number
                    self._sealed_to = vouch.after_n
                    if row.n > vouch.after_n and self._last_n is not None:
                        detail = f"n is {row.n}, and {vouch.by} reaches to {vouch.after_n} and covers it"
                        at.found(Kind.COLUMNS, number, number, detail, columns=["n"])
            elif not at.rewritten:
                self._differs(vouch, number, trusted, row, following)

    def _differs(self, vouch: Vouch, number: int, trusted: int, row: Held, following: Held | None) -> None:
        at = self._at
        if broken.fits(vouch.hash, following):
            kind = Kind.HASH if link(vouch.hash, row.body) == row.hash else Kind.BODY_AND_HASH
            detail = f"its hash is not the one that {vouch.by} names, which the next record follows"
            # The records before it, made to fit each other, leave the same traces.
            before = kind is Kind.BODY_AND_HASH and trusted + 1 < number
            others = [Alternative(Kind.REWRITTEN, trusted + 1, number)] if before else []
            at.found(kind, number, number, detail, others)
            at.hash, at.trusted = vouch.hash, number
            return
        at.rewritten = True
        first = min(trusted + 1, number)
        since = f"since record {trusted}" if trusted else "from the first record on"
        detail = (
            f"its hashes fit each other, and not {vouch.by}: that names {vouch.hash.hex()[:16]}… for record {number}, "
            f"and {at.hash.hex()[:16]}… stands there; changed at some place {since}"
        )
        at.found(Kind.REWRITTEN, first, number, detail)

    def _end(self) -> None:
        at = self._at
        beyond = [vouch for seq, given in self._vouches.items() if seq > at.number for vouch in given]
        if beyond:
            furthest = max(beyond, key=lambda vouch: vouch.seq)
            first = min(beyond, key=lambda vouch: vouch.seq)
            also = "" if first.by == furthest.by else f", and {first.by} record {first.seq}"
            there = f"it ends at record {at.number}" if at.number else "no record is left"
            detail = f"{there}, and {furthest.by} names record {furthest.seq}{also}"
            at.found(Kind.CUT, at.number + 1, furthest.seq, detail)

    def _locate(self, previous: bytes, row: Held) -> Located:
        self._searches += 1
        return self._records.locate(previous, row) if self._searches <= _SEARCHES else Located()
