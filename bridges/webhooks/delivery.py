"""Delivers to one target: a lane for each of its tables, in which an event follows the one before when that was taken.

any 2xx               the target has it: it leaves the queue
any other answer,     it is sent again, after 0.5 s, 1 s, 2 s ... and at most `LONGEST_WAIT_NS`, for as long as it
a redirect, silence   takes: nothing is given up. Where the answer asks for a time, that comes before each wait
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from random import Random
from typing import Final, NamedTuple, Protocol

import msgspec

from bridges.following import has_plain_names, log_notice, together
from bridges.waits import wait_ns
from bridges.webhooks.keys import TargetKeys
from bridges.webhooks.progress import DeliveryProgress
from bridges.webhooks.queue import Beginning, Queue, WaitingEvent
from feed.events import Event
from feed.subscriber import Fact, FromBeginning, Item, Joined, Missing, Position, Rewritten, TableSubscriber
from hal.clock import NS_PER_S
from hal.loop import sleep_ns

log = logging.getLogger(__name__)

LONGEST_WAIT_NS: Final = 300 * NS_PER_S
"""Between two attempts (ours)."""


class TargetAnswer(NamedTuple):
    """What came of an attempt."""

    why: str = ""
    """Why the target did not take the event; empty where it did."""
    asked_ns: int = 0
    """The time that it asks for before the next attempt."""
    gone: bool = False
    """It wants no event any more."""
    refused: bool = False
    """Its answer states that it did not take the event."""


class Send(Protocol):
    """Makes one attempt."""

    async def __call__(self, event_id: str, body: bytes, begin: Callable[[], None]) -> TargetAnswer:
        """Sends an event. Calls `begin` before a byte of it is sent: from then on the target may have it."""


class _Typed(msgspec.Struct):
    """An event, of which the type alone is read."""

    type: str


class Delivery:
    """The deliveries to one target."""

    def __init__(self, target: TargetKeys, queue: Queue, send: Send, random: Random) -> None:
        self.target = target
        self.progress = DeliveryProgress()
        self._queue = queue
        self._send = send
        self._random = random
        self._room = asyncio.Event()
        self._filled: dict[str, asyncio.Event] = {}
        """By table, that its lane has something to do."""
        self._rewritten: set[str] = set()
        """The tables whose history was rewritten, and of which no fact was delivered again yet."""
        self._beginnings = queue.beginnings(target.name)
        self._met: set[str] = set()
        """The tables of which an event of their beginning's epoch came since their history was rewritten."""
        self._group: asyncio.TaskGroup | None = None
        held = queue.hold_unless(target.name, self._wants)
        if held.back:
            log.warning(
                "%s: %d events in its queue are not what its tables, types and simulated name now: they stay, unsent, "
                "also when they are named again, once a later event of their round, or of the table itself, is sent",
                *(target.name, held.back),
            )
        if held.passed:
            log.error(
                "%s: %d events in its queue are older than what it may have taken of their rounds, or of the table "
                "itself, while its types did not name them: sent now they would look new, so they stay, unsent; the "
                "journal has them",
                *(target.name, held.passed),
            )
        self.progress.passed = held.passed
        self._count()

    def _wants(self, name: str, body: bytes) -> bool:
        return self.target.wants(name, msgspec.json.decode(body, type=_Typed).type)

    def since(self) -> Mapping[str, Position]:
        """Where a subscriber for this target continues."""
        read = self._queue.positions(self.target.name)
        return FromBeginning(read) if self.target.history else read

    async def run(self, subscriber: TableSubscriber) -> None:
        """Reads and delivers until it is cancelled, or until what follows is to be read by another subscriber, that
        begins at `since`: this one begins a table again with its present, because nothing that it remembers of it is in
        the journal any more, and would not have what was journalled meanwhile.

        Raises:
            QueueError: the queue's disk fails.
        """
        await together(self._deliver(), self._read(subscriber))

    async def _read(self, subscriber: TableSubscriber) -> None:
        async for item in subscriber:
            if isinstance(item, Joined) and item.name in self._rewritten:
                return
            log_notice(_named(self.target.name), item)
            self.take(item)
            # What is there is delivered at once, and nothing waits for the disk longer than this.
            await sleep_ns(0)
            await self._wait_for_room()

    def take(self, item: Item) -> None:
        """Stores what an item has for the target."""
        name, target = item.name, self.target
        if not has_plain_names(item):
            return
        match item:
            case Fact(event=event, body=body, head=head) if event.seq is not None:
                if name in self._rewritten:
                    self._rewritten.remove(name)
                    self._drop(name, event.seq)
                wanted = not self._was_before(name, event, event.seq) and target.wants(name, event.type)
                position = Position(event.epoch, event.seq, head)
                self._queue.put(target.name, name, position, (event.id, body) if wanted else None)
                if wanted:
                    self._lane(name).set()
            case Joined(snapshot=snapshot):
                self._begin(name, Beginning(snapshot.epoch, snapshot.last, snapshot.time))
                self._queue.put(target.name, name, Position(snapshot.epoch, snapshot.last), None)
            case Missing(first=first, last=last):
                self.progress.missing += last - first + 1
                self._queue.put(target.name, name, Position("", last), None)
            case Rewritten(journal=journal):
                if name not in self._rewritten:
                    self.progress.rewritten += 1
                # The position stays until the next fact: after a kill the notice comes again.
                self._rewritten.add(name)
                self._met.discard(name)
                self._drop(name, journal.seq + 1)
        self._count()

    def _was_before(self, name: str, event: Event, seq: int) -> bool:
        """Whether an event was journalled before the target began with its table: read again, since the history was
        rewritten. Where the journal ends before that beginning, as an old copy that was put back, its new events have
        numbers that were there before: they come after the beginning's epoch, or have a later time."""
        beginning = self._beginnings.get(name)
        if beginning is None or seq > beginning.seq:
            return False
        if event.epoch == beginning.epoch:
            self._met.add(name)
            return True
        if name not in self._met and event.time <= beginning.time:
            return True
        self._begin(name, beginning._replace(seq=seq - 1))
        return False

    def _begin(self, name: str, beginning: Beginning) -> None:
        self._beginnings[name] = beginning
        self._queue.begin(self.target.name, name, beginning)

    def _drop(self, name: str, first: int) -> None:
        """Drops what waits from an event on, and is no longer in the journal."""
        dropped = self._queue.drop(self.target.name, name, first, self._wants)
        if dropped.waiting:
            log.error(
                "%s: %d events of %s, from %d on, are no longer in its journal: they are not sent",
                *(self.target.name, dropped.waiting, name, first),
            )
        self.progress.passed -= dropped.passed
        self._room.set()

    async def _wait_for_room(self) -> None:
        if not self.progress.full:
            return
        log.warning(
            "%s: its queue is full with %d events: no more is read for it until it takes some; the journal keeps them",
            *(self.target.name, self.progress.waiting),
        )
        while self.progress.full:
            self._room.clear()
            await self._room.wait()

    async def _deliver(self) -> None:
        self._filled, self.progress.failing = {}, {}
        try:
            async with asyncio.TaskGroup() as self._group:
                for name in self._queue.names(self.target.name):
                    self._lane(name)
                # Lanes are added as tables are seen.
                await asyncio.get_running_loop().create_future()
        except BaseExceptionGroup as errors:
            raise errors.exceptions[0] from None

    def _lane(self, name: str) -> asyncio.Event:
        filled = self._filled.get(name)
        if filled is None:
            filled = self._filled[name] = asyncio.Event()
            if self._group is not None:
                self._group.create_task(self._run_lane(name, filled))
        return filled

    async def _run_lane(self, name: str, filled: asyncio.Event) -> None:
        while True:
            event = self._queue.first(self.target.name, name)
            if event is None:
                filled.clear()
                await filled.wait()
                continue
            if await self._deliver_one(name, event):
                self._queue.remove(self.target.name, event)
                self.progress.delivered += 1
            self._count()
            self._room.set()

    async def _deliver_one(self, name: str, event: WaitingEvent) -> bool:
        """Sends an event until it is taken. Returns whether it was: it is not where it was dropped meanwhile."""
        failures, taken = 0, True
        while (answer := await self._attempt(name, event)).why:
            failures += 1
            self.progress.failures += 1
            self._log_failure(name, event, answer)
            await sleep_ns(answer.asked_ns + wait_ns(failures, LONGEST_WAIT_NS, self._random))
            if self._queue.first(self.target.name, name) != event:
                taken = False
                break
        if failures:
            self.progress.failing = {one: why for one, why in self.progress.failing.items() if one != name}
            if taken:
                log.info("%s: takes events of %s again", self.target.name, name)
        return taken

    async def _attempt(self, name: str, event: WaitingEvent) -> TargetAnswer:
        passed: list[int] = []

        def begin() -> None:
            # Before it is sent: after a kill, or without an answer, nobody knows what the target has taken.
            passed.extend(self._queue.pass_held(self.target.name, name, event))

        answer = await self._send(event.id, event.body, begin)
        if passed and answer.refused:
            self._queue.take_back(passed)
        return answer

    def _log_failure(self, name: str, event: WaitingEvent, answer: TargetAnswer) -> None:
        """Once for each table, not with each attempt; that a target wants no more once for all of them."""
        failing = self.progress.failing
        if answer.why == failing.get(name):
            return
        self.progress.failing = {**failing, name: answer.why}
        if not answer.gone:
            log.warning("%s: %s is not taken: %s; it is sent again", self.target.name, event.id, answer.why)
        elif answer.why not in failing.values():
            log.error("%s: %s; what waits for it is kept", self.target.name, answer.why)

    def _count(self) -> None:
        self.progress.waiting = self._queue.count(self.target.name)
        most = self.target.most_waiting
        # Once it was full, a tenth of it must be free: it would be full and not full with each event.
        self.progress.full = self.progress.waiting >= (most * 9 // 10 + 1 if self.progress.full else most)


def _named(target: str) -> logging.Logger:
    return log.getChild(target)
