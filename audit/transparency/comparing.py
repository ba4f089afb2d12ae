"""Compares what several witnesses have cosigned of one log, without the log's records: only its proofs of growth."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from hashlib import sha256
from itertools import pairwise

from audit.transparency.checkpoints import Checkpoint, parse_hashes
from audit.transparency.notes import MOST_NOTE_BYTES, NoteError, SignedNote
from audit.transparency.policy import CheckedCheckpoint, HistoryFork, PolicyWitness, WitnessPolicy, forks_between
from audit.transparency.publishing import HttpAnswer, WitnessCalls, WitnessUnreachableError
from audit.transparency.tree import TreeProofError, check_growth


async def cosigned_by_each(
    calls: WitnessCalls, policy: WitnessPolicy, origin: str
) -> dict[str, CheckedCheckpoint | str]:
    """By witness that has an address, the last checkpoint that it cosigned of a log; or why none is known."""

    async def ask(witness: PolicyWitness) -> CheckedCheckpoint | str:
        try:
            got = await calls.get(f"{witness.url}{sha256(origin.encode()).hexdigest()}/checkpoint")
            if got.status == 404:
                return "it has cosigned nothing of this log"
            return check_note(policy, _note_of(got), origin)
        except (WitnessUnreachableError, NoteError) as error:
            return str(error)

    asked = {name: one for name, one in policy.witnesses.items() if one.url}
    return dict(zip(asked, await asyncio.gather(*map(ask, asked.values())), strict=True))


async def newest_of_log(calls: WitnessCalls, policy: WitnessPolicy, site: str) -> CheckedCheckpoint:
    """The newest checkpoint that the site of a log gives.

    Raises:
        WitnessUnreachableError: no answer came.
        NoteError: it is not a checkpoint of a log that the policy trusts.
    """
    return policy.check(_note_of(await calls.get(f"{site}checkpoint")))


def check_note(policy: WitnessPolicy, note: SignedNote, origin: str) -> CheckedCheckpoint:
    """A checkpoint of this log.

    Raises:
        NoteError: it is of another one, or not signed as the policy has it.
    """
    found = policy.check(note)
    if found.checkpoint.origin != origin:
        raise NoteError(f"it is of another log, {found.checkpoint.origin!a}")
    return found


async def forks_of_log(calls: WitnessCalls, site: str, checkpoints: Iterable[Checkpoint]) -> list[HistoryFork]:
    """Which of these the site of their log cannot show to be of one history.

    Raises:
        WitnessUnreachableError: no answer came, or one that is neither a proof nor that there is none.
    """
    known = sorted(set(checkpoints), key=lambda one: one.size)
    shown: dict[tuple[int, int], HttpAnswer] = {}
    for old, new in pairwise(known):
        if old.size < new.size:
            got = await calls.get(f"{site}consistency/{old.size}/{new.size}")
            if got.status not in (200, 404):
                # Of a proxy, or of a site that is in trouble or busy: it says nothing about the history.
                raise WitnessUnreachableError(f"it answers {got.status}")
            shown[old.size, new.size] = got
    return forks_between(known, lambda one, other: _why_not(shown, one, other))


def _why_not(shown: Mapping[tuple[int, int], HttpAnswer], one: Checkpoint, other: Checkpoint) -> str:
    got = shown[one.size, other.size]
    if got.status != 200:
        return f"the log gives no proof of it ({got.status})"
    try:
        lines = got.body.decode("ascii").split("\n")[:-1]
        check_growth(one.size, other.size, one.root, other.root, parse_hashes(lines))
    except (NoteError, TreeProofError, UnicodeDecodeError) as error:
        return f"the log's proof does not show it: {error}"
    return ""


def _note_of(got: HttpAnswer) -> SignedNote:
    if got.status != 200 or len(got.body) > MOST_NOTE_BYTES:
        raise NoteError(f"it answers {got.status}, with {len(got.body)} bytes")
    return SignedNote.parse(got.body)
