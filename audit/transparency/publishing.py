"""Signs the checkpoints of a log as it grows, and has witnesses cosign them.

    each minute:  new leaves ─► tree ─► checkpoint, signed ─► every witness, at once ─► cosignatures ─► kept in the tree

It runs in a process of its own beside the service: no table waits for it, and none shares its interpreter with it. Each
cosignature is kept as it comes. A witness that is away, slow or refuses holds up no other; that is logged once,
counted, and sent again the next time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from hashlib import sha256
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
from hal.wording import counted

log = logging.getLogger(__name__)

PATIENCE_S: Final = 20.0
"""How long a witness may take to answer (ours)."""
EVERY_S: Final = 60
"""Between two rounds (ours)."""
NONE_REACHED: Final = "NO WITNESS is reached"
NONE_COSIGNS: Final = "NO WITNESS cosigns, and some answer"
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
    is_reached: bool = True
    """Whether it answered."""
    fork: SignedNote | None = None
    """What this log has signed, and is not of its history."""


class OtherHistory(NamedTuple):
    """A witness claims to have cosigned what this history does not continue, or more than there is. Nobody signs such
    an answer: the checkpoint that it shows is to be looked at.
    """

    claim: str


WitnessAnswer: TypeAlias = Cosigned | OtherSize | OtherHistory | NotCosigned


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
        case 403:
            known = "it knows no key that signed this, or a signature of one is not good"
            return NotCosigned(f"{known} ({said}); give the line of `publish --key` to whoever runs it")
        case 404:
            known = "it does not know this log"
            return NotCosigned(f"{known} ({said}); give the line of `publish --key` to whoever runs it")
        case 422:
            return OtherHistory(f"it answers that this history does not continue what it cosigned ({said})")
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
    is_reached: bool = True
    """Whether it answered the last time."""
    is_fork: bool = False
    """Whether it showed the last time that this log has signed another history."""


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
        self.went_back = dict.fromkeys(self.witnesses, 0)
        """By witness, how often it answered with a smaller size than one that it had cosigned."""
        self._last_back: dict[str, tuple[int, int]] = {}
        """By witness, the size that it had cosigned and the smaller one, as it was logged last."""
        self.size = 0
        """Of the newest checkpoint."""
        self.met = 0
        """Of the last that enough witnesses cosigned."""
        self.problem = ""
        """Why nothing is signed at all; empty where that is."""
        self._cosigned_by: Sequence[str] = ()
        """The witnesses that cosigned the newest checkpoint."""
        self._is_met: bool | None = None
        """Whether enough witnesses had cosigned the newest checkpoint, as it was logged last."""
        self.outage: str | None = None
        """What keeps every witness from cosigning, in words; empty where one does, None before the first answer."""

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
        size = await self._catch_up()
        if not self.size:
            await asyncio.to_thread(self._remember)
        signed = await asyncio.to_thread(self._newest, size)
        lacking = {name: one for name in self.witnesses if not _has(signed, (one := self._policy.witnesses[name]).key)}
        await self._take(signed, {})
        asked = {asyncio.ensure_future(self._ask(name, one, signed)): name for name, one in lacking.items()}
        cosigned: dict[str, NoteSignature] = {}
        try:
            while asked:
                done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
                answers = {asked[one]: one.result() for one in asked if one in done}
                cosigned |= {name: one.signature for name, one in answers.items() if isinstance(one, Cosigned)}
                # In the order of the policy, whoever was the fastest.
                added = [cosigned[name] for name in lacking if name in cosigned]
                await self._take(SignedNote(signed.text, (*signed.signatures, *added)), answers)
                asked = {one: name for one, name in asked.items() if one not in done}
        finally:
            for unanswered in asked:
                unanswered.cancel()
            await asyncio.gather(*asked, return_exceptions=True)
        self.problem = ""
        self.size = Checkpoint.parse(signed.text).size
        states = self.witnesses.values()
        if not states or any(not one.problem for one in states):
            self._note_outage("")
        else:
            # One that answers is not away: with FORK it has another history.
            self._note_outage(NONE_COSIGNS if any(one.is_reached for one in states) else NONE_REACHED)
        self._note_whether_met()

    async def _take(self, note: SignedNote, answers: Mapping[str, WitnessAnswer]) -> None:
        """Keeps the newest checkpoint with what these answers have added, and notes what became of the witnesses."""
        added = any(isinstance(one, Cosigned) for one in answers.values())
        if added:
            await asyncio.to_thread(self._tree.keep, NEWEST, note)
        checked = self._policy.check(note, self.log_key)
        size = checked.checkpoint.size
        self._cosigned_by = [*checked.cosigned]
        if checked.met:
            if added or self.met < size:
                await asyncio.to_thread(self._tree.keep, MET, note)
            # All at once, for whoever reads it on another thread.
            self.problem = ""
            self.size = self.met = size
        self._state(size, answers, checked.cosigned)

    def _newest(self, size: int) -> SignedNote:
        """The newest checkpoint; one of this size is signed where it is new."""
        note = self._tree.note(NEWEST)
        if note is not None and Checkpoint.parse(note.text).size == size and is_signed(note, self.log_key):
            return note
        note = self._tree.checkpoint(size).sign(self._key)
        self._tree.keep(NEWEST, note)
        return note

    async def _ask(self, name: str, witness: PolicyWitness, note: SignedNote) -> WitnessAnswer:
        """Sends a checkpoint to a witness; made again where it names another size. All of it takes `PATIENCE_S`."""
        size, old, claim = Checkpoint.parse(note.text).size, self.witnesses[name].size, ""
        try:
            async with asyncio.timeout(PATIENCE_S):
                for _ in range(_MOST_TRIES):
                    body = await asyncio.to_thread(request_to_witness, self._tree, note, size, old)
                    got = await self._calls.post(f"{witness.url}add-checkpoint", body)
                    answer = read_witness_answer(got, note, witness.key)
                    if isinstance(answer, OtherHistory):
                        claim = answer.claim
                    elif not isinstance(answer, OtherSize):
                        return answer
                    else:
                        self._note_size(name, answer.size)
                        if answer.size > size:
                            claim = (
                                f"it answers that it cosigned {answer.size} records of this log, and there are {size}"
                            )
                        elif 0 < old == size == answer.size:
                            # Until July 2026 tlog-witness asked for this where the roots of one size differ.
                            claim = f"it answers that it cosigned {size} records too, and not these"
                        old = answer.size
                    if claim:
                        return await self._shown(witness, claim)
        except WitnessUnreachableError as error:
            return NotCosigned(f"it is not reached: {error}", is_reached=False)
        except TimeoutError:
            if claim:
                return NotCosigned(f"{claim}, and shows no checkpoint: no answer within {PATIENCE_S:g} s")
            return NotCosigned(f"it is not reached: no answer within {PATIENCE_S:g} s", is_reached=False)
        return NotCosigned("it names another size each time")

    async def _shown(self, witness: PolicyWitness, claim: str) -> NotCosigned:
        """What becomes of a claim, by the checkpoint that the witness shows: only what this log has signed proves that
        it has another history."""
        origin = self.log_key.name
        try:
            got = await self._calls.get(f"{witness.url}{sha256(origin.encode()).hexdigest()}/checkpoint")
            if got.status != 200:
                return NotCosigned(f"{claim}, and shows no checkpoint: it answers {got.status}")
            note = SignedNote.parse(got.body)
            shown = Checkpoint.parse(note.text)
        except (WitnessUnreachableError, NoteError) as error:
            return NotCosigned(f"{claim}, and shows no checkpoint: {error}")
        keys = [key for key in (self.log_key, *self._policy.logs) if key.name == origin]
        if shown.origin != origin or not any(is_signed(note, key) for key in keys):
            return NotCosigned(f"{claim}, and shows no checkpoint that this log has signed")
        there = await asyncio.to_thread(lambda: self._tree.size)
        if shown.size > there:
            return NotCosigned(f"FORK: this log has signed {shown.size} records, and there are {there}", fork=note)
        if await asyncio.to_thread(self._tree.checkpoint, shown.size) != shown:
            return NotCosigned(
                f"FORK: this log has signed another history of its first {shown.size} records", fork=note
            )
        return NotCosigned(f"{claim}, and shows no other history than this")

    def _remember(self) -> None:
        """What witnesses have cosigned, as the tree keeps it: of a witness that went back nothing else is known."""
        for note in filter(None, (self._tree.note(MET), self._tree.note(NEWEST))):
            size = Checkpoint.parse(note.text).size
            for name, before in self.witnesses.items():
                key = self._policy.witnesses[name].key
                times = [cosigned_at(note.text, one, key) for one in note.signatures if one.is_by(key)]
                if any(times) and size > before.size:
                    self.witnesses[name] = before._replace(size=size, time_s=max(one or 0 for one in times))

    def _note_size(self, name: str, size: int) -> None:
        """Counts, and logs, that a witness answers with a smaller size than one that it had cosigned."""
        known = self.witnesses[name].size
        if size < known and self._last_back.get(name) != (known, size):
            self._last_back[name] = (known, size)
            self.went_back[name] += 1
            log.error(
                "the witness %s answers that it cosigned %d records last, and this log has its cosignature of %d: its "
                "file was put back from a copy, or somebody else answers; ask whoever runs it for a new witness",
                name, size, known,
            )  # fmt: skip

    def _state(self, size: int, answers: Mapping[str, WitnessAnswer], cosigned: Mapping[str, int]) -> None:
        """Notes what became of witnesses, and logs what changed."""
        for name, before in self.witnesses.items():
            answer = answers.get(name)
            if isinstance(answer, NotCosigned):
                is_fork = answer.fork is not None
                if answer.why != before.problem:
                    level = logging.ERROR if is_fork else logging.WARNING
                    log.log(level, "the witness %s has not cosigned: %s; play continues", name, answer.why)
                    if is_fork:
                        log.error("what it shows, and this log has signed: %r", str(answer.fork))
                self.witnesses[name] = WitnessState(before.size, before.time_s, answer.why, answer.is_reached, is_fork)
            elif name in cosigned:
                if before.problem:
                    log.info("the witness %s cosigns again", name)
                self.witnesses[name] = WitnessState(size, cosigned[name])
                self._note_outage("")

    def _note_whether_met(self) -> None:
        is_met = self.met == self.size
        if is_met is not self._is_met:
            signed = f"{counted(self.size, 'record')} signed"
            if is_met:
                by = (
                    f"and cosigned by {', '.join(self._cosigned_by)}" if self._cosigned_by else "by the log's key alone"
                )
                enough = "no witness is asked for" if self._policy.asks_for_none else "enough for the policy"
                log.info("%s, %s: %s", signed, by, enough)
            else:
                lacking = self._policy.lacking(self._cosigned_by)
                log.warning("%s, and NOT ENOUGH witnesses cosigned it for this policy: %s", signed, lacking)
            self._is_met = is_met

    def _note_outage(self, outage: str) -> None:
        if outage != self.outage:
            if outage:
                log.error("%s: nobody vouches for what is written from now on; play continues", outage)
            elif self.outage is not None:
                log.info("a witness cosigns again")
            self.outage = outage


def _has(note: SignedNote, key: NoteKey) -> bool:
    return any(one.is_by(key) for one in note.signatures)
