"""What was done where a chain is broken: told from what fits what, in the whole file.

A record fits another when its hash is that of the other's hash and its own body. Each kind of tampering leaves its
own pattern of what still fits (`p` is the hash before the broken record `r`, `x` the record after `r`):

    | seen                                                     | done                                             |
    |----------------------------------------------------------|--------------------------------------------------|
    | the number is missing, and no record fits p              | removed                                          |
    | the number is missing, and a record elsewhere fits p     | moved there                                      |
    | another record fits p, r fits nothing, or is a copy      | r was inserted                                   |
    | another record fits p, and r fits another                | swapped, or one of them moved                    |
    | r's hash goes with p and another record's body           | the bodies were swapped                          |
    | r fits a record before p                                 | what stands between was inserted                 |
    | r does not fit p, x fits r                               | r's body, or body and hash of the one before r   |
    | r does not fit p, x fits p with r's body                 | r's hash                                         |
    | r does not fit p, x fits neither                         | r's body and hash                                |
"""

from __future__ import annotations

import msgspec

from controller.journal.audit.claims import Claim, claim_of
from controller.journal.audit.findings import Alternative, Kind
from controller.journal.audit.held import Held, HeldRecords, Located
from controller.journal.audit.position import Expected, Position
from controller.journal.records import link

_CONSEQUENCES = {Kind.COLUMNS, Kind.REWRITTEN}
"""What an inserted record looks like until the next one is seen."""
AGAIN = True
"""The row has to be looked at again from the new position."""
DONE = False


def fits(previous: bytes, row: Held | None) -> bool:
    """Whether a record was written after the hash `previous`."""
    return row is not None and link(previous, row.body) == row.hash


def gap(at: Position, row: Held, place: int, claim: Claim) -> bool:
    """Places before `row` are empty."""
    wanted = at.place + 1
    if _from_strays(at):
        at.place += 1
        return AGAIN
    where = at.locate(at.hash, row)
    if where.successor is not None:
        moved = where.successor
        _gone(at, wanted + at.shift, moved, Expected(None))
        at.place, at.hash = wanted, moved.hash
        return AGAIN
    if where.twin is None and where.after is not None and where.after.chain != at.chain:
        _moved_here(at, row, claim, where)
        return DONE
    first, last = wanted + at.shift, place - 1 + at.shift
    missing = f"record {first} is" if first == last else f"records {first} to {last} are"
    at.found(Kind.REMOVED, first, last, f"{missing} missing, record {last + 1} is there")
    at.place, at.hash, at.unchecked = place - 1, row.hash, True
    return AGAIN


def stray(at: Position, row: Held, claim: Claim) -> bool:
    """`row` stands at a place that is no number, or was taken already."""
    where = at.locate(at.hash, row)
    if where.twin is None and (where.after is not None or where.begins == at.chain):
        _moved_here(at, row, claim, where)
    else:
        place = at.place + 1 + at.shift
        at.found(Kind.INSERTED, place, place, f"a record stands at {_standing(row, at.chain)} where none can be")
    return DONE


def broken(at: Position, row: Held, claim: Claim, following: Held | None, records: HeldRecords) -> bool:
    """`row` stands at its place and does not fit the record before it. Returns whether to look at it again."""
    if _from_strays(at):
        at.shift += 1
        return AGAIN
    where = at.locate(at.hash, row)
    if where.successor is not None:
        return _displaced(at, row, claim, where, where.successor, records)
    if where.begins is not None and where.begins != at.chain:
        number = at.number + 1
        at.found(Kind.COLUMNS, number, number, f"chain is {at.chain!r}, and its hash begins {where.begins!r}")
        return _accept_as(at, row)
    if where.body_home is not None and _exchanged(at, row, where.body_home, records):
        return DONE
    if where.twin is not None:
        return _copied(at, row, where.twin, following)
    if where.after is not None or where.begins == at.chain:
        return _forged_before(at, row, claim, where, following)
    return _edited(at, row, claim, following)


def _accept_as(at: Position, row: Held) -> bool:
    """Goes on from `row`, whose hash is taken as it stands."""
    at.place += 1
    at.hash = row.hash
    return DONE


def _from_strays(at: Position) -> bool:
    """Takes the record that belongs here from those met at wrong places."""
    for one in at.strays:
        if fits(at.hash, one):
            at.strays.remove(one)
            at.hash = one.hash
            return True
    return False


def _displaced(at: Position, row: Held, claim: Claim, where: Located, true: Held, records: HeldRecords) -> bool:
    """The record that belongs here, `true`, stands elsewhere."""
    wanted = at.place + 1
    number = wanted + at.shift
    home = true.number if true.chain == at.chain else None
    genuine = where.twin is None and where.after is not None
    if not genuine and home is not None and home > wanted:
        last = home - 1
        what = "a copy of another record" if where.twin is not None else "no record of this chain"
        at.found(Kind.INSERTED, wanted, last, f"it is {what}: record {number} follows after it, at {home}")
        at.skip_to, at.place = home, last
        at.shift -= home - wanted
        return DONE
    if genuine and home is not None:
        after = records.at(at.chain, home + 1)
        if after is None or fits(row.hash, after):
            here, there = number, home + at.shift
            at.found(Kind.SWAPPED, here, there, f"each of records {here} and {there} stands at the other's place")
            at.expected[true.n] = Expected(row.hash)
            at.place, at.hash = wanted, true.hash
            return DONE
        if home == wanted + 1:
            at.shift -= 1
            _moved_here(at, row, claim, where)
            at.place = wanted
            return DONE
    _gone(at, number, true, Expected(None, -1))
    at.hash = true.hash
    at.shift += 1
    return AGAIN


def _gone(at: Position, number: int, moved: Held, expected: Expected) -> None:
    """The record that belongs here stands elsewhere, perhaps in another chain."""
    if moved.chain == at.chain:
        at.expected[moved.n] = expected
    elif moved.n in at.told:
        return
    at.told.add(moved.n)
    at.found(Kind.MOVED, number, number, f"it stands at {_standing(moved, at.chain)}")


def _moved_here(at: Position, row: Held, claim: Claim, where: Located) -> None:
    """`row` is a genuine record that belongs elsewhere, perhaps in another chain."""
    owner, number = at.chain, claim.number
    if where.after is not None:
        owner = where.after.chain if isinstance(where.after.chain, str) else owner
        if number is None:
            number = (where.after.number or 0) + 1 + (at.shift if owner == at.chain else 0)
    at.found(Kind.MOVED, number or 1, number or 1, f"it stands at {_standing(row, owner)}", chain=owner)
    if owner == at.chain:
        at.strays.append(row)
    else:
        at.told.add(row.n)


def _exchanged(at: Position, row: Held, other: Held, records: HeldRecords) -> bool:
    """Whether bodies were exchanged between `row` and `other`, and the hashes left."""
    if other.chain != at.chain or other.number is None:
        return False
    before = records.at(at.chain, other.number - 1)
    if before is None or link(before.hash, row.body) != other.hash:
        return False
    here, there = at.number + 1, other.number + at.shift
    at.found(Kind.SWAPPED, here, there, f"records {here} and {there} have each other's bodies")
    at.expected[other.n] = Expected(other.hash)
    _accept_as(at, row)
    return True


def _copied(at: Position, row: Held, twin: Held, following: Held | None) -> bool:
    """`row` is a copy of another record, and the one that belongs here is nowhere."""
    number = at.number + 1
    detail = f"it is a copy of the record at {_standing(twin, at.chain)}"
    if following is None:
        at.found(Kind.INSERTED, number, number, detail, [Alternative(Kind.BODY_AND_HASH, number, number)])
        at.place += 1
        return DONE
    at.found(Kind.BODY_AND_HASH, number, number, detail)
    at.unchecked = True
    return _accept_as(at, row)


def _forged_before(at: Position, row: Held, claim: Claim, where: Located, following: Held | None) -> bool:
    """`row` is genuine and follows another record than the one before it."""
    before = 0 if where.after is None else where.after.number
    if (where.after is None or where.after.chain == at.chain) and before is not None and before < at.place:
        first, last = before + 1, at.place
        while at.findings and at.findings[-1].kind in _CONSEQUENCES and (at.findings[-1].last or 0) >= first:
            at.rewritten = False
            at.findings.pop()
        at.found(Kind.INSERTED, first, last, f"the record at {last + 1} was written after record {before}")
        at.shift -= last - before
        return _accept_as(at, row)
    _moved_here(at, row, claim, where)
    if following is not None and fits(at.hash, following):
        at.place += 1
        at.shift -= 1
    return DONE


def _edited(at: Position, row: Held, claim: Claim, following: Held | None) -> bool:
    """`row` stands where it was written, and is not as it was written."""
    number = at.number + 1
    computed = link(at.hash, row.body)
    next_row = following if following is not None and following.number == at.place + 2 else None
    vouched = at.vouched(number)
    alternatives: list[Alternative] = []
    if fits(row.hash, next_row) or row.hash == vouched:
        if claim.number is not None and next_row is not None and number < claim.number == _said(next_row) - 1:
            return _renumbered(at, row, number, claim.number)
        _body(at, row, number)
        return _accept_as(at, row)
    if fits(computed, next_row) or computed == vouched:
        at.found(Kind.HASH, number, number, "its hash is not that of its body, which the next record follows")
        at.place, at.hash = at.place + 1, computed
        return DONE
    if next_row is None and vouched is None:
        alternatives = [Alternative(kind, number, number) for kind in (Kind.HASH, Kind.INSERTED)]
        detail = "its hash is not that of its body; it is the last, so that nothing tells which of them is right"
        at.found(Kind.BODY, number, number, detail, alternatives)
        return _accept_as(at, row)
    at.found(Kind.BODY_AND_HASH, number, number, "it fits neither the record before it nor the one after it")
    at.place, at.hash, at.unchecked = at.place + 1, vouched or row.hash, vouched is None
    return DONE


def _body(at: Position, row: Held, number: int) -> None:
    """Its hash goes on to the next: its body is wrong, or the record before was made to fit its own new body."""
    before = number - 1
    told = at.findings[-1] if at.findings else None
    if told is not None and told.kind is Kind.COLUMNS and told.first == told.last == before:
        detail = f"record {number} does not follow after it, and its columns do not agree with its body: {told.detail}"
        at.findings[-1] = msgspec.structs.replace(told, kind=Kind.BODY_AND_HASH, detail=detail)
        return
    detail = "its hash is not that of its body, and the next record follows its hash"
    others: list[Alternative] = []
    if at.trusted < before:
        others.append(Alternative(Kind.BODY_AND_HASH, before, before))
    if at.trusted + 1 < before:
        others.append(Alternative(Kind.REWRITTEN, at.trusted + 1, before))
    at.found(Kind.BODY, number, number, detail, others)


def _renumbered(at: Position, row: Held, number: int, own: int) -> bool:
    """Records were taken out, and the numbers of those after them lowered to close the gap."""
    last = own - 1
    at.found(Kind.REMOVED, number, last, f"record {own} now stands at {row.seq}, and does not follow what is there")

    at.shift += own - number
    return _accept_as(at, row)


def _said(row: Held) -> int:
    """The number that a record has by its own body; 0 where the body does not say."""
    return claim_of(row).number or 0


def _standing(row: Held, chain: str) -> str:
    place = f"{row.seq!r}" if row.number is None else f"{row.number}"
    return place if row.chain == chain else f"{place} of chain {row.chain!r}"
