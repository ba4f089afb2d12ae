"""A command as the journal holds it: who sent what, what became of it, and which events it caused."""

from __future__ import annotations

import msgspec

from controller.journal.records import COMMAND, COMMANDS, Entry
from controller.service.requests import CommandAnswer, Request
from feed.allow_list import Sender


class CommandRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The body of a record of the chain of commands."""

    id: str
    """The sender's own id, under which it is carried out once."""
    scope: str
    """Whose ids that is one of; with the id the journal's key."""
    epoch: str
    """The start of the service that answered it."""
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

    def answers(self, request: Request) -> CommandAnswer:
        """What is answered to a request that comes under the same id."""
        before = Request(id=self.id, command=self.command, table=self.table, given=self.given)
        if not before.same_as(request):
            return used_before(request)
        return CommandAnswer(id=self.id, accepted=self.accepted, reason=self.reason, events=self.events, again=True)


def used_before(request: Request) -> CommandAnswer:
    """The answer to a request whose id was that of another one."""
    reason = f'the id "{request.id}" was used for another command before; send this one under a new id'
    return CommandAnswer(id=request.id, accepted=False, reason=reason)


def answered_before(body: bytes, request: Request) -> CommandAnswer:
    """What is answered to a request of which the journal holds a record under the same id."""
    try:
        return decode_record(body).answers(request)
    except msgspec.DecodeError:
        # A record of another version of the software: the id is taken, and nothing is done twice.
        return used_before(request)


def identity_of(scope: str, request: Request) -> str:
    """The id under which the journal finds a command again: ids of different senders do not meet."""
    return f"{scope}:{request.id}"


def entry_of(
    request: Request, sender: Sender, answer: CommandAnswer, *, scope: str, seq: int, epoch: str, time: str
) -> Entry:
    """The journal's entry of a command and its answer."""
    record = CommandRecord(
        id=request.id,
        scope=scope,
        epoch=epoch,
        sender=sender.name,
        role=sender.role,
        operator_class=sender.operator_class,
        table=request.table,
        command=request.command,
        given=request.given,
        accepted=answer.accepted,
        reason=answer.reason,
        events=answer.events,
        time=time,
    )
    identity = identity_of(scope, request)
    return Entry(COMMANDS, seq, identity, epoch, COMMAND, None, time, "", msgspec.json.encode(record))


def decode_record(body: bytes) -> CommandRecord:
    """A record of the chain of commands.

    Raises:
        msgspec.DecodeError: it is none.
    """
    return msgspec.json.decode(body, type=CommandRecord)
