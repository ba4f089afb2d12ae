"""Signs the checkpoints of a log as it grows, and has witnesses cosign them.

    each minute:  new leaves ─► tree ─► checkpoint, signed ─► every witness, at once ─► cosignatures ─► kept in the tree

It runs in a process of its own beside the service: no table waits for it, and none shares its interpreter with it. A
witness that is away, slow or refuses holds up no other; that is logged once, counted, and sent again the next time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple, Protocol, TypeAlias

from nacl.signing import SigningKey

from audit.errors import JournalError
from audit.transparency.checkpoints import AddCheckpoint, Checkpoint, cosigned_at, is_signed, parse_decimal
from audit.transparency.notes import (
    LOG_KEY,
    NoteError,
    NoteKey,
    NoteSignature,
    SignedNote,
    decode_signatures,
)
from audit.transparency.policy import PolicyWitness, WitnessPolicy
from audit.transparency.tree import consistency_proof
from audit.transparency.tree_file import MET, NEWEST, TreeFile

log = logging.getLogger(__name__)

PATIENCE_S: Final = 20.0
"""How long a witness may take to answer (ours)."""
EVERY_S: Final = 60
"""Between two rounds (ours)."""
_MOST_TRIES: Final = 3
_KEPT_TEXT: Final = 200


class HttpAnswer(NamedTuple):
    """What came back for a request."""

    status: int
    body: bytes
    """At most `MOST_NOTE_BYTES` and one."""


class WitnessUnreachableError(Exception):
    """No answer came: the message states why."""


class WitnessCalls(Protocol):
    """The requests to witnesses."""

    async def post(self, url: str, body: bytes) -> HttpAnswer:
        """Sends a body.

        Raises:
            WitnessUnreachableError: no answer came.
        """

    async def get(self, url: str) -> HttpAnswer:
        """Asks for what is there.

        Raises:
            WitnessUnreachableError: no answer came.
        """


class Cosigned(NamedTuple):
    """A witness cosigned."""

    signature: NoteSignature


class OtherSize(NamedTuple):
    """A witness cosigned another size last: the request is to be made again from there."""

    size: int


class NotCosigned(NamedTuple):
    """A witness does not cosign this."""

    why: str


WitnessAnswer: TypeAlias = Cosigned | OtherSize | NotCosigned


def request_to_witness(tree: TreeFile, note: SignedNote, size: int, old: int) -> bytes:
    """The body of `add-checkpoint`, from the size that the witness cosigned last.

    Raises:
        JournalError: the tree cannot be read.
    """
    return AddCheckpoint(old, tuple(consistency_proof(old, size, tree.node)), note).encode()


def read_witness_answer(answer: HttpAnswer, note: SignedNote, key: NoteKey) -> WitnessAnswer:
    """What an answer means."""
    try:
        if answer.status == 200:
            for one in decode_signatures(answer.body):
                if one.is_by(key) and cosigned_at(note.text, one, key) is not None:
                    return Cosigned(one)
            return NotCosigned(f"it answers without a good signature of {key.name}")
        if answer.status == 409:
            return OtherSize(parse_decimal(answer.body.decode("ascii", "replace").removesuffix("\n")))
    except NoteError as error:
        return NotCosigned(f"its answer cannot be read: {error}")
    said = ascii(answer.body[:_KEPT_TEXT].decode("utf-8", "replace").strip())
    match answer.status:
        case 403 | 404:
            return NotCosigned(f"it does not know the key of this log ({said}); give the key to whoever runs it")
        case 422:
            return NotCosigned(f"FORK: it cosigned another history of this log ({said})")
        case status:
            return NotCosigned(f"it answers {status} ({said})")


class WitnessState(NamedTuple):
    """What is known of a witness."""

    size: int = 0
    """The largest size that it cosigned, as far as this process knows."""
    time_s: int = 0
    """When, in seconds since 1970, by its own clock; 0 for never."""
    problem: str = ""
    """Why it did not cosign the last time; empty where it did."""


class LogPublisher:
    """Publishes the checkpoints of one log."""

    def __init__(
        self,
        tree: TreeFile,
        key: SigningKey,
        policy: WitnessPolicy,
        calls: WitnessCalls,
        catch_up: Callable[[], Awaitable[int]],
    ) -> None:
        """`catch_up` adds to the tree what there is more, and returns its size."""
        self._tree = tree
        self._key = key
        self._policy = policy
        self._calls = calls
        self._catch_up = catch_up
        self.log_key = NoteKey(tree.origin, LOG_KEY, bytes(key.verify_key))
        self.witnesses: dict[str, WitnessState] = {
            name: WitnessState() for name, one in policy.witnesses.items() if one.url
        }
        """Those that are reached, by their name in the policy."""
        self.size = 0
        """Of the newest checkpoint."""
        self.met = 0
        """Of the last that enough witnesses cosigned."""
        self.problem = ""
        """Why nothing is signed at all; empty where that is."""
        self.reached: bool | None = None
        """Whether any witness was, the last time; None before the first."""

    async def turn(self) -> None:
        """Signs what is new, and sends it to the witnesses that lack it.

        Raises:
            JournalError: the log cannot be read, or does not go on from what was signed: nothing is signed then.
        """
        try:
            await self._sign_and_send()
        except JournalError as error:
            if str(error) != self.problem:
                log.error("nothing is signed: %s", error)
            self.problem = str(error)
            raise

    async def _sign_and_send(self) -> None:
        note = await asyncio.to_thread(self._newest, await self._catch_up())
        checkpoint = Checkpoint.parse(note.text)
        lacking = {name: one for name in self.witnesses if not _has(note, (one := self._policy.witnesses[name]).key)}
        answers = await asyncio.gather(*(self._ask(name, one, note) for name, one in lacking.items()))
        added = tuple(answer.signature for answer in answers if isinstance(answer, Cosigned))
        if added:
            note = SignedNote(note.text, (*note.signatures, *added))
            await asyncio.to_thread(self._tree.keep, NEWEST, note)
        checked = self._policy.check(note, self.log_key)
        if checked.met and (self.met < checkpoint.size or added):
            await asyncio.to_thread(self._tree.keep, MET, note)
        # All at once, for whoever reads it on another thread.
        self.problem = ""
        self.size, self.met = checkpoint.size, checkpoint.size if checked.met else self.met
        self._state(dict(zip(lacking, answers, strict=True)), checked.cosigned)

    def _newest(self, size: int) -> SignedNote:
        """The newest checkpoint; one of this size is signed where it is new."""
        note = self._tree.note(NEWEST)
        if note is not None and Checkpoint.parse(note.text).size == size and is_signed(note, self.log_key):
            return note
        note = self._tree.checkpoint(size).sign(self._key)
        self._tree.keep(NEWEST, note)
        return note

    async def _ask(self, name: str, witness: PolicyWitness, note: SignedNote) -> WitnessAnswer:
        """Sends a checkpoint to a witness; made again where it names another size."""
        size, old = Checkpoint.parse(note.text).size, self.witnesses[name].size
        answer: WitnessAnswer = NotCosigned("it names another size each time")
        for _ in range(_MOST_TRIES):
            body = await asyncio.to_thread(request_to_witness, self._tree, note, size, old)
            try:
                got = await self._calls.post(f"{witness.url}add-checkpoint", body)
            except WitnessUnreachableError as error:
                return NotCosigned(f"it is not reached: {error}")
            answer = read_witness_answer(got, note, witness.key)
            if not isinstance(answer, OtherSize):
                return answer
            if answer.size > size:
                return NotCosigned(f"FORK: it cosigned {answer.size} records of this log, and there are {size}")
            old = answer.size
        return NotCosigned("it names another size each time")

    def _state(self, answers: Mapping[str, WitnessAnswer], cosigned: Mapping[str, int]) -> None:
        """Notes what became of each witness, and logs what changed."""
        for name, before in self.witnesses.items():
            answer = answers.get(name)
            if isinstance(answer, NotCosigned):
                if answer.why != before.problem:
                    log.warning("the witness %s has not cosigned: %s; play continues", name, answer.why)
                self.witnesses[name] = before._replace(problem=answer.why)
            elif name in cosigned:
                if before.problem:
                    log.info("the witness %s cosigns again", name)
                self.witnesses[name] = WitnessState(self.size, cosigned[name])
        reached = not self.witnesses or any(not one.problem for one in self.witnesses.values())
        if reached is not self.reached:
            if not reached:
                log.error("NO WITNESS is reached: nobody vouches for what is written from now on; play continues")
            elif self.reached is not None:
                log.info("a witness is reached again")
            self.reached = reached


def _has(note: SignedNote, key: NoteKey) -> bool:
    return any(one.is_by(key) for one in note.signatures)
