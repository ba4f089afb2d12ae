"""Checks the commands of the command socket, hands them to their tables, journals and answers them.

    request ──► too many? ──► status ──► done before? ──► which table? ──► may this sender? ──► table ──► answer
                   │             │           │                  │                │
                   └ refused     └ at once   └ same answer      └────────────────┴ refused, and journalled

A command has three forms: a `Request` is what its sender asks for, a `CommandRecord` what the service knows and the
journal keeps of it, a `hal.values.Command` what the table takes and a capture holds.

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
from controller.service.command_record import CommandRecord, FindRecord, answered_before
from controller.service.counters import ServiceCounters
from controller.service.pipeline import Pipeline
from controller.service.rate_limiter import RateLimiter
from controller.service.requests import CommandAnswer, Request, StatusAnswer
from controller.table.authority import authorities, may_act_as, no_such_command
from controller.table.orders.book import OF_THE_SERVICE, QUIT, STATUS
from controller.table.orders.order import CommandResult
from feed.allow_list import KeyOwner
from hal.clock import NS_PER_S, Clock
from hal.known_names import nearest

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

Reply = Callable[[CommandAnswer], None]
"""Called once, with the answer to a request."""


@dataclass
class AwaitedCommand:
    """A command, its sender and who waits for its answer: it is being looked up in the journal, queued at its table, or
    being journalled.
    """

    record: CommandRecord
    """What the journal will hold of it; decided once its result is known and only has to become durable."""
    sender: KeyOwner
    allowance: str
    """Whose commands it counts with: the key's, or those of one connection of this computer."""
    replies: list[Reply]


class CommandedTable(Protocol):
    """A table that takes commands."""

    def command(self, verb: str, given: Mapping[str, str], command_id: str) -> str | None:
        """Hands a command to the table; returns why not, if it takes none now."""

    def may(self, sender: KeyOwner, verb: str, others: Sequence[str]) -> str | None:
        """Why this sender may not send this; None if they may. `others` are commands that are not the table's."""

    @property
    def order_names(self) -> Sequence[str]:
        """The commands that its game takes."""


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
        record = CommandRecord.of(self._with_table(request), sender, scope, self._epoch)
        if not (self._polls if record.command == STATUS else self._commands).take(allowance):
            self._counters.commands["unjournalled"] += 1
            reply(record.refused(f"busy: {sender.name} sends too many commands, or too many wrong ones; wait a little"))
            return
        sent = AwaitedCommand(record, sender, allowance, [reply])
        if self._repeated(sent, reply):
            return
        failure = self._pipeline.failure
        if record.command == STATUS:
            reply(self._status(record))
        elif self._ending:
            reply(record.refused(ENDING))
        elif failure is not None and record.command != QUIT:
            reply(record.refused(halted(failure)))
        else:
            self._waiting[record.identity] = sent
            if failure is None:
                self._find(record.identity, lambda found: self._looked_up(sent, found))
            else:
                self._handle_new(sent)

    def records(self, results: Sequence[CommandResult]) -> tuple[list[Entry], Callable[[JournalError | None], None]]:
        """The journal's entries for what a table answered, and the function to call when they are durable."""
        entries: list[Entry] = []
        done: list[AwaitedCommand] = []
        for result in results:
            sent = self._waiting.get(result.id)
            if sent is None:
                # It did not come over the socket: the bench's own supervisor sent it.
                continue
            if not result.accepted:
                self._commands.spend(sent.allowance, REFUSED_COSTS)
            self._decide(sent, result.accepted, result.reason, result.event_ids)
            entries.append(sent.record.entry(self._pipeline.next_command()))
            done.append(sent)

        def then(failure: JournalError | None) -> None:
            for sent in done:
                self._answer(sent, failure)

        return entries, then

    def end(self) -> None:
        """Refuses every command from now on: the service ends."""
        self._ending = True

    def dismiss(self) -> None:
        """Refuses the commands that no table has answered: the tables are closed."""
        for sent in [*self._waiting.values()]:
            if not sent.record.is_decided:
                self._refuse(sent, ENDING)

    def halt(self, failure: JournalError) -> None:
        """Refuses every command that waits: the journal failed, and nothing is carried out any more."""
        for sent in [*self._waiting.values()]:
            self._answer(sent, failure)

    # --- steps of a request -------------------------------------------------------------------------------

    def _with_table(self, request: Request) -> Request:
        """The request for the only table, where it names none."""
        if request.table or len(self._tables) != 1 or request.command in OF_THE_SERVICE:
            return request
        return msgspec.structs.replace(request, table=next(iter(self._tables)))

    def _repeated(self, sent: AwaitedCommand, reply: Reply) -> bool:
        """Answers a command whose id came before; returns whether it did."""
        record = sent.record
        waiting = self._waiting.get(record.identity)
        if waiting is not None:
            if waiting.record.same_as(record):
                waiting.replies.append(lambda answer: reply(msgspec.structs.replace(answer, again=True)))
            else:
                reply(record.used_before())
            return True
        known = self._answered.get(record.identity)
        if known is None:
            return False
        reply(known.answer_to(record))
        self._counters.commands["again"] += 1
        return True

    def _looked_up(self, sent: AwaitedCommand, found: bytes | JournalError | None) -> None:
        """Continues with what the journal holds under the id of a command."""
        record = sent.record
        if self._waiting.get(record.identity) is not sent:
            # It was answered meanwhile: the service is halted, or ends.
            return
        if found is None:
            self._handle_new(sent)
            return
        if isinstance(found, JournalError):
            answer = record.refused(f"it is not known whether it was carried out before: {found}")
        else:
            self._counters.commands["again"] += 1
            answer = answered_before(found, record)
        del self._waiting[record.identity]
        for reply in sent.replies:
            reply(answer)

    def _handle_new(self, sent: AwaitedCommand) -> None:
        """Handles a command that comes for the first time."""
        why = self._refusal(sent)
        if why is not None:
            self._refuse(sent, why)
        elif sent.record.command == QUIT:
            self._decide(sent, True)
            self._finish(sent, lambda: self._service.quit(sent.sender.name))

    def _status(self, record: CommandRecord) -> CommandAnswer:
        if record.given:
            return record.refused(_takes_nothing(record))
        if record.table and record.table not in self._tables:
            return record.refused(self._no_table(record))
        status = self._service.status()
        if record.table:
            status["tables"] = {table: one for table, one in status["tables"].items() if table == record.table}
        return StatusAnswer(id=record.id, accepted=True, status=status)

    def _no_table(self, record: CommandRecord) -> str:
        asked = f"no table is called {record.table}" if record.table else "the command names no table (--table)"
        for key, value in record.given.items():
            if not record.table and nearest(key, ("table",)):
                return f"{asked}; for {key}={value}, did you mean table={value}? There are: {', '.join(self._tables)}"
        return f"{asked}; there are: {', '.join(self._tables)}"

    def _refusal(self, sent: AwaitedCommand) -> str | None:
        """Why a command is not carried out; None if it is handed to its table, or is the service's own."""
        record, sender = sent.record, sent.sender
        if len(self._waiting) > MAX_WAITING:
            return f"busy: {MAX_WAITING} commands wait for their tables; send it again"
        if record.command == QUIT:
            if record.given:
                return _takes_nothing(record)
            if record.table and [*self._tables] != [record.table]:
                return f"quit ends the service with all its tables ({', '.join(self._tables)}): name none, or close one"
            # It ends every table, so it takes the right to each.
            reasons = (table.may(sender, QUIT, OF_THE_SERVICE) for table in self._tables.values())
            return next((why for why in reasons if why), None)
        table = self._tables.get(record.table)
        if table is None:
            known = {name for one in self._tables.values() for name in one.order_names}.union(OF_THE_SERVICE)
            is_known = record.command in known or record.command in authorities()
            return self._no_table(record) if is_known else no_such_command(record.command, sorted(known))
        why = table.may(sender, record.command, OF_THE_SERVICE)
        why = may_act_as(sender, record.command, record.given) if why is None else why
        if why is not None:
            return why
        return table.command(record.command, {**record.given, "by": sender.name}, record.identity)

    def _refuse(self, sent: AwaitedCommand, why: str) -> None:
        record, sender = sent.record, sent.sender
        self._decide(sent, False, why)
        log.warning("refused: %s by %s (%s): %s", record.command, sender.name, sender.role, why)
        if self._refusals.take(record.scope):
            self._finish(sent, None)
        else:
            self._counters.commands["unjournalled"] += 1
            self._answer(sent, None)

    def _decide(self, sent: AwaitedCommand, accepted: bool, reason: str = "", events: Sequence[str] = ()) -> None:
        sent.record = sent.record.decided(accepted, self._now(), reason, events)

    def _finish(self, sent: AwaitedCommand, after: Callable[[], None] | None) -> None:
        """Journals a command that no table answers, then answers its sender."""

        def then(failure: JournalError | None) -> None:
            # A failed journal does not keep a sender from ending the service.
            self._answer(sent, None if after is not None else failure)
            if after is not None:
                after()

        self._pipeline.put((), [sent.record.entry(self._pipeline.next_command())], then)

    def _answer(self, sent: AwaitedCommand, failure: JournalError | None) -> None:
        record = sent.record
        if self._waiting.pop(record.identity, None) is None:
            return
        if failure is not None:
            answer = record.refused(halted(failure))
        else:
            answer = record.answer()
            self._answered[record.identity] = record
            if len(self._answered) > REMEMBERED:
                self._answered.popitem(last=False)
        self._counters.commands["accepted" if answer.accepted else "refused"] += 1
        for reply in sent.replies:
            reply(answer)


def halted(failure: JournalError) -> str:
    """The reason for which a service without a journal refuses commands."""
    return f"the service is halted and every table is stopped, because its journal failed: {failure}"


def _takes_nothing(record: CommandRecord) -> str:
    return f"{record.command}: it takes no {', '.join(record.given)}"
