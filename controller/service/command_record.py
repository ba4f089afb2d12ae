"""What the service knows and the journal keeps of a command: its sender, its result, and the events that it caused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from audit.errors import JournalError
from audit.records import COMMAND, COMMANDS, Entry
from controller.service.requests import CommandAnswer, Request
from feed.allow_list import KeyOwner

OnRecordFound = Callable[[bytes | JournalError | None], None]
"""Called with the journal's record of a command; with None where there is none; or with why it cannot be read."""
FindRecord = Callable[[str, OnRecordFound], None]
"""Looks in the journal for a command by its identity, without blocking; answers later, or at once."""


class CommandRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A command between its request and its answer, and the body of its record in the chain of commands."""

    id: str
    """The sender's own id, under which it is carried out once."""
    scope: str
    """Where the id is unique: the name of the key, or this computer; with the id the journal's key."""
    epoch: str
    """The epoch of the service that answers it."""
    sender: str
    """The name of the key; over `ipc://` the name that the sender gave."""
    role: str
    operator_class: str | None
    table: str
    command: str
    given: dict[str, str]
    accepted: bool
    reason: str
    events: list[str]
    time: str
    """When it was decided; empty while it is not."""

    @classmethod
    def of(cls, request: Request, sender: KeyOwner, scope: str, epoch: str) -> CommandRecord:
        """The command that a request asks for, not decided yet."""
        return cls(
            id=request.id,
            scope=scope,
            epoch=epoch,
            sender=sender.name,
            role=sender.role,
            operator_class=sender.operator_class,
            table=request.table,
            command=request.command,
            given=request.given,
            accepted=False,
            reason="",
            events=[],
            time="",
        )

    @property
    def identity(self) -> str:
        """The journal's key of the command: equal ids of different senders do not collide."""
        return f"{self.scope}:{self.id}"

    @property
    def is_decided(self) -> bool:
        """Whether its result is known."""
        return bool(self.time)

    def decided(self, accepted: bool, time: str, reason: str = "", events: Sequence[str] = ()) -> CommandRecord:
        """The command with what became of it."""
        return msgspec.structs.replace(self, accepted=accepted, reason=reason, events=list(events), time=time)

    def entry(self, seq: int) -> Entry:
        """Its entry in the journal, as the record of that number."""
        body = msgspec.json.encode(self)
        return Entry(COMMANDS, seq, self.identity, self.epoch, COMMAND, None, self.time, "", body)

    def answer(self, *, again: bool = False) -> CommandAnswer:
        """What its sender is answered."""
        return CommandAnswer(id=self.id, accepted=self.accepted, reason=self.reason, events=self.events, again=again)

    def same_as(self, other: CommandRecord) -> bool:
        """Whether it is the same command, whoever sends it."""
        return (self.command, self.table, self.given) == (other.command, other.table, other.given)

    def answer_to(self, later: CommandRecord) -> CommandAnswer:
        """The answer to a later command with the same id."""
        return self.answer(again=True) if self.same_as(later) else later.used_before()

    def used_before(self) -> CommandAnswer:
        """The answer to a command whose id was that of another one."""
        return self.refused(f'the id "{self.id}" was used for another command before; send this one under a new id')

    def refused(self, why: str) -> CommandAnswer:
        """The answer to a command that is refused and not journalled."""
        return CommandAnswer(id=self.id, accepted=False, reason=why)


def answered_before(body: bytes, later: CommandRecord) -> CommandAnswer:
    """The answer to a command for whose id the journal holds a record."""
    try:
        return decode_record(body).answer_to(later)
    except msgspec.DecodeError:
        # A record of another version of the software: the id is taken, and nothing is done twice.
        return later.used_before()


def decode_record(body: bytes) -> CommandRecord:
    """A record of the chain of commands.

    Raises:
        msgspec.DecodeError: it is none.
    """
    return msgspec.json.decode(body, type=CommandRecord)


class RecordFinder:
    """Reads records of the journal on a thread of its own, since a disk may be slow; answers on the loop, in order."""

    def __init__(self, find: Callable[[str], bytes | None]) -> None:
        """`find` blocks, and raises JournalError where the journal cannot be read."""
        self._find = find
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recall")

    def __call__(self, identity: str, found: OnRecordFound) -> None:
        """Looks for a command; `found` is called later, on the loop; after `close` it is not called."""
        looking = asyncio.get_running_loop().run_in_executor(self._thread, self._look, identity)
        looking.add_done_callback(lambda done: None if done.cancelled() else found(done.result()))

    def close(self) -> None:
        """Ends the thread, after the read that is under way."""
        self._thread.shutdown(cancel_futures=True)

    def _look(self, identity: str) -> bytes | JournalError | None:
        try:
            return self._find(identity)
        except JournalError as error:
            return error
