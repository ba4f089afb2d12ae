"""The journal's record of a command: its sender, its result, and the events that it caused."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import msgspec

from audit.errors import JournalError
from audit.records import COMMAND, COMMANDS, Entry
from controller.service.requests import CommandAnswer, Request

OnRecordFound = Callable[[bytes | JournalError | None], None]
"""Called with the journal's record of a command; with None where there is none; or with why it cannot be read."""
FindRecord = Callable[[str, OnRecordFound], None]
"""Looks in the journal for a command by its identity, without blocking; answers later, or at once."""


class CommandRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The body of a record of the chain of commands."""

    id: str
    """The sender's own id, under which it is carried out once."""
    scope: str
    """Where the id is unique; with the id the journal's key."""
    epoch: str
    """The epoch of the service that answered it."""
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

    def entry(self, seq: int) -> Entry:
        """Its entry in the journal, as the record of that number."""
        identity = identity_of(self.scope, self.id)
        return Entry(COMMANDS, seq, identity, self.epoch, COMMAND, None, self.time, "", msgspec.json.encode(self))

    def answer(self, *, again: bool = False) -> CommandAnswer:
        """What its sender is answered."""
        return CommandAnswer(id=self.id, accepted=self.accepted, reason=self.reason, events=self.events, again=again)

    def answers(self, request: Request) -> CommandAnswer:
        """The answer to a later request with the same id."""
        before = Request(id=self.id, command=self.command, table=self.table, given=self.given)
        return self.answer(again=True) if before.same_as(request) else used_before(request)


def used_before(request: Request) -> CommandAnswer:
    """The answer to a request whose id was that of another one."""
    reason = f'the id "{request.id}" was used for another command before; send this one under a new id'
    return CommandAnswer(id=request.id, accepted=False, reason=reason)


def answered_before(body: bytes, request: Request) -> CommandAnswer:
    """The answer to a request for whose id the journal holds a record."""
    try:
        return decode_record(body).answers(request)
    except msgspec.DecodeError:
        # A record of another version of the software: the id is taken, and nothing is done twice.
        return used_before(request)


def identity_of(scope: str, request_id: str) -> str:
    """The journal's key of a command: equal ids of different senders do not collide."""
    return f"{scope}:{request_id}"


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
