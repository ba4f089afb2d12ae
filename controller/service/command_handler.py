"""Checks the commands of the command socket, hands them to their tables, journals and answers them.

    request ──► too many? ──► status ──► done before? ──► which table? ──► may this sender? ──► table ──► answer
                   │             │           │                  │                │
                   └ refused     └ at once   └ same answer      └────────────────┴ refused, and journalled

The journal knows whether a command was carried out before; it is read on another thread, and no table waits for it.

Accepted or refused, a command is journalled before it is answered, in the commit of the events that it caused. Only
refusals beyond a rate limit are counted and not journalled, so that nobody can fill the disk with them.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import msgspec

from audit.errors import JournalError
from audit.records import Entry
from controller.service.command_record import CommandRecord, FindRecord, answered_before, identity_of, used_before
from controller.service.counters import ServiceCounters
from controller.service.pipeline import Pipeline
from controller.service.rate_limiter import RateLimiter
from controller.service.requests import CommandAnswer, Request, StatusAnswer
from controller.table.authority import may_act_as
from controller.table.orders.order import CommandResult
from feed.allow_list import KeyOwner
from hal.clock import NS_PER_S, Clock

log = logging.getLogger(__name__)

COMMANDS_BURST: Final = 250
COMMANDS_REFILL_NS: Final = NS_PER_S // 5
"""Commands that one sender may send: a burst of 250, then five a second (ours); as many requests for the status."""
REFUSED_COSTS: Final = 24
"""A command that its table refused counts as this many more: each makes an event, and those are kept for years."""
REFUSALS_BURST: Final = 20
REFUSALS_REFILL_NS: Final = 60 * NS_PER_S
"""Refusals of one sender that are journalled: a burst of 20, then one a minute (ours): below 1 MB a day."""
MAX_WAITING: Final = 64
"""Commands that wait for their tables at once (ours)."""
REMEMBERED: Final = 1000
"""Answers that are remembered beside the journal."""
ENDING: Final = "the service ends: nothing is carried out any more"
STATUS: Final = "status"
QUIT: Final = "quit"
OWN: Final = (STATUS, QUIT)
"""The service's own commands."""

Reply = Callable[[CommandAnswer], None]
"""Called once, with the answer to a request."""


@dataclass
class AwaitedCommand:
    """A request and who sent it, until it is answered: being looked up in the journal, queued at its table, or being
    journalled.
    """

    request: Request
    sender: KeyOwner
    scope: str
    """Where its id is unique: the name of the key, or this computer."""
    allowance: str
    """Whose commands it counts with: the key's, or those of one connection of this computer."""
    replies: list[Reply]
    decided: bool = False
    """Whether its result is known and only has to become durable."""

    @property
    def identity(self) -> str:
        """The key under which the journal finds its record."""
        return identity_of(self.scope, self.request.id)


class CommandedTable(Protocol):
    """A table that takes commands."""

    def command(self, verb: str, given: Mapping[str, str], command_id: str) -> str | None:
        """Hands a command to the table; returns why not, if it takes none now."""

    def may(self, sender: KeyOwner, verb: str, others: Sequence[str]) -> str | None:
        """Why this sender may not send this; None if they may. `others` are commands that are not the table's."""


class ServiceControl(Protocol):
    """What commands can ask of the service itself."""

    def status(self) -> dict[str, Any]:
        """The state of the service."""

    def quit(self, by: str) -> None:
        """Ends the service in order."""


class CommandHandler:
    """Answers each request once its result is known and durable."""

    def __init__(
        self,
        tables: Mapping[str, CommandedTable],
        service: ServiceControl,
        pipeline: Pipeline,
        clock: Clock,
        counters: ServiceCounters,
        *,
        epoch: str,
        now: Callable[[], str],
        find: FindRecord,
    ) -> None:
        """`now` gives the calendar time, and `find` the journal's record of a command by its identity."""
        self._tables = tables
        self._service = service
        self._pipeline = pipeline
        self._counters = counters
        self._epoch = epoch
        self._now = now
        self._find = find
        self._commands = RateLimiter(clock, COMMANDS_BURST, COMMANDS_REFILL_NS)
        self._polls = RateLimiter(clock, COMMANDS_BURST, COMMANDS_REFILL_NS)
        self._refusals = RateLimiter(clock, REFUSALS_BURST, REFUSALS_REFILL_NS)
        self._waiting: dict[str, AwaitedCommand] = {}
        self._answered: OrderedDict[str, CommandRecord] = OrderedDict()
        self._ending = False

    def receive(
        self, request: Request, sender: KeyOwner, scope: str, reply: Reply, *, allowance: str | None = None
    ) -> None:
        """Takes a request; `reply` is called once with the answer, perhaps later.

        `allowance` is whose commands it counts with; without it, those of `scope`. Status counts apart: a program that
        polls it keeps nobody from playing.
        """
        allowance = scope if allowance is None else allowance
        if not (self._polls if request.command == STATUS else self._commands).take(allowance):
            self._counters.commands["unjournalled"] += 1
            reply(
                _refused(request, f"busy: {sender.name} sends too many commands, or too many wrong ones; wait a little")
            )
            return
        sent = AwaitedCommand(self._with_table(request), sender, scope, allowance, [reply])
        if self._repeated(sent, reply):
            return
        failure = self._pipeline.failure
        if request.command == STATUS:
            reply(self._status(request))
        elif self._ending:
            reply(_refused(request, ENDING))
        elif failure is not None and request.command != QUIT:
            reply(_refused(request, halted(failure)))
        else:
            self._waiting[sent.identity] = sent
            if failure is None:
                self._find(sent.identity, lambda found: self._looked_up(sent, found))
            else:
                self._handle_new(sent)

    def records(self, results: Sequence[CommandResult]) -> tuple[list[Entry], Callable[[JournalError | None], None]]:
        """The journal's entries for what a table answered, and the function to call when they are durable."""
        entries: list[Entry] = []
        done: list[tuple[AwaitedCommand, CommandRecord]] = []
        for result in results:
            sent = self._waiting.get(result.id)
            if sent is None:
                # It did not come over the socket: the bench's own supervisor sent it.
                continue
            sent.decided = True
            if not result.accepted:
                self._commands.spend(sent.allowance, REFUSED_COSTS)
            record = self._record(sent, result.accepted, result.reason, result.event_ids)
            entries.append(record.entry(self._pipeline.next_command()))
            done.append((sent, record))

        def then(failure: JournalError | None) -> None:
            for sent, record in done:
                self._answer(sent, record, failure)

        return entries, then

    def end(self) -> None:
        """Refuses every command from now on: the service ends."""
        self._ending = True

    def dismiss(self) -> None:
        """Refuses the commands that no table has answered: the tables are closed."""
        for sent in [*self._waiting.values()]:
            if not sent.decided:
                self._refuse(sent, ENDING)

    def halt(self, failure: JournalError) -> None:
        """Refuses every command that waits: the journal failed, and nothing is carried out any more."""
        for sent in [*self._waiting.values()]:
            self._answer(sent, self._record(sent, False), failure)

    # --- steps of a request -------------------------------------------------------------------------------

    def _with_table(self, request: Request) -> Request:
        """The request for the only table, where it names none."""
        if request.table or len(self._tables) != 1 or request.command in OWN:
            return request
        return msgspec.structs.replace(request, table=next(iter(self._tables)))

    def _repeated(self, sent: AwaitedCommand, reply: Reply) -> bool:
        """Answers a request whose id came before; returns whether it did."""
        request, identity = sent.request, sent.identity
        waiting = self._waiting.get(identity)
        if waiting is not None:
            if waiting.request.same_as(request):
                waiting.replies.append(lambda answer: reply(msgspec.structs.replace(answer, again=True)))
            else:
                reply(used_before(request))
            return True
        known = self._answered.get(identity)
        if known is None:
            return False
        reply(known.answers(request))
        self._counters.commands["again"] += 1
        return True

    def _looked_up(self, sent: AwaitedCommand, found: bytes | JournalError | None) -> None:
        """Continues with what the journal holds under the id of a request."""
        if self._waiting.get(sent.identity) is not sent:
            # It was answered meanwhile: the service is halted, or ends.
            return
        if found is None:
            self._handle_new(sent)
            return
        request = sent.request
        if isinstance(found, JournalError):
            answer = _refused(request, f"it is not known whether it was carried out before: {found}")
        else:
            self._counters.commands["again"] += 1
            answer = answered_before(found, request)
        del self._waiting[sent.identity]
        for reply in sent.replies:
            reply(answer)

    def _handle_new(self, sent: AwaitedCommand) -> None:
        """Handles a request that comes for the first time."""
        why = self._refusal(sent)
        if why is not None:
            self._refuse(sent, why)
        elif sent.request.command == QUIT:
            self._finish(sent, self._record(sent, True), self._quits(sent))

    def _status(self, request: Request) -> CommandAnswer:
        if request.given:
            return _refused(request, _takes_nothing(request))
        if request.table and request.table not in self._tables:
            return _refused(request, self._no_table(request))
        status = self._service.status()
        if request.table:
            status["tables"] = {table: one for table, one in status["tables"].items() if table == request.table}
        return StatusAnswer(id=request.id, accepted=True, status=status)

    def _no_table(self, request: Request) -> str:
        asked = f"no table is called {request.table}" if request.table else "the command names no table (--table)"
        return f"{asked}; there are: {', '.join(self._tables)}"

    def _refusal(self, sent: AwaitedCommand) -> str | None:
        """Why a request is not carried out; None if it is handed to its table, or is the service's own."""
        request, sender = sent.request, sent.sender
        if len(self._waiting) > MAX_WAITING:
            return f"busy: {MAX_WAITING} commands wait for their tables; send it again"
        if request.command == QUIT:
            if request.given:
                return _takes_nothing(request)
            if request.table and [*self._tables] != [request.table]:
                return f"quit ends the service with all its tables ({', '.join(self._tables)}): name none, or close one"
            # It ends every table, so it takes the right to each.
            return next((why for table in self._tables.values() if (why := table.may(sender, QUIT, OWN))), None)
        table = self._tables.get(request.table)
        if table is None:
            return self._no_table(request)
        why = table.may(sender, request.command, OWN)
        why = may_act_as(sender, request.command, request.given) if why is None else why
        if why is not None:
            return why
        return table.command(request.command, {**request.given, "by": sender.name}, sent.identity)

    def _refuse(self, sent: AwaitedCommand, why: str) -> None:
        record = self._record(sent, False, why)
        log.warning("refused: %s by %s (%s): %s", sent.request.command, sent.sender.name, sent.sender.role, why)
        if self._refusals.take(sent.scope):
            self._finish(sent, record, None)
        else:
            self._counters.commands["unjournalled"] += 1
            self._answer(sent, record, None)

    def _finish(self, sent: AwaitedCommand, record: CommandRecord, after: Callable[[], None] | None) -> None:
        """Journals a command that no table answers, then answers its sender."""

        def then(failure: JournalError | None) -> None:
            # A failed journal does not keep a sender from ending the service.
            self._answer(sent, record, None if after is not None else failure)
            if after is not None:
                after()

        sent.decided = True
        self._pipeline.put((), [record.entry(self._pipeline.next_command())], then)

    def _quits(self, sent: AwaitedCommand) -> Callable[[], None]:
        return lambda: self._service.quit(sent.sender.name)

    def _record(
        self, sent: AwaitedCommand, accepted: bool, reason: str = "", events: Sequence[str] = ()
    ) -> CommandRecord:
        """What became of a command, as the journal keeps it and its sender is answered."""
        request, sender = sent.request, sent.sender
        return CommandRecord(
            id=request.id,
            scope=sent.scope,
            epoch=self._epoch,
            sender=sender.name,
            role=sender.role,
            operator_class=sender.operator_class,
            table=request.table,
            command=request.command,
            given=request.given,
            accepted=accepted,
            reason=reason,
            events=list(events),
            time=self._now(),
        )

    def _answer(self, sent: AwaitedCommand, record: CommandRecord, failure: JournalError | None) -> None:
        if self._waiting.pop(sent.identity, None) is None:
            return
        if failure is not None:
            answer = _refused(sent.request, halted(failure))
        else:
            answer = record.answer()
            self._answered[sent.identity] = record
            if len(self._answered) > REMEMBERED:
                self._answered.popitem(last=False)
        self._counters.commands["accepted" if answer.accepted else "refused"] += 1
        for reply in sent.replies:
            reply(answer)


def halted(failure: JournalError) -> str:
    """The reason for which a service without a journal refuses commands."""
    return f"the service is halted and every table is stopped, because its journal failed: {failure}"


def _takes_nothing(request: Request) -> str:
    return f"{request.command}: it takes no {', '.join(request.given)}"


def _refused(request: Request, why: str) -> CommandAnswer:
    return CommandAnswer(id=request.id, accepted=False, reason=why)
