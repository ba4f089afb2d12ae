"""Whatever the network and the service do, a subscriber ends with exactly the journal's events, in order, and what it
has of a table is never older than it states.

A service and its network in virtual time: messages are lost, delayed, cut off and stalled, the two sockets overtake
each other, the service is killed, frozen and replaced, and now and then its card forgets what it called safe. The
subscriber under test is the real one, frames in and frames out, without its sockets.
"""

from __future__ import annotations

import heapq
import itertools
from bisect import bisect_left
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import pytest

from feed import wire
from feed.history_server import REQUESTS_PER_CLIENT
from feed.subscriber import CaughtUp, Fact, Joined, Missing, Position, Restarted, Rewritten, Subscription
from feed.subscriber.items import Item
from feed.subscriber.reader import TICK_MS
from tests.fakes.feed_answers import answers_to
from tests.fakes.feed_model import ModelJournal, ModelTable
from tests.shares import first_of

MS = 1_000_000
S = 1_000 * MS
LATEST_NS = 300 * MS
"""The longest way of a message."""
TABLES = ("roulette-1", "wheel-1")


class Plan(NamedTuple):
    """What goes wrong in a run."""

    seed: int
    restarts: int = 3
    freezes: bool = True
    lying_card: bool = False
    since: str = "all"
    """`all`, `snapshot`, or `resumed`: ended in the middle, and begun again from its position."""
    page: int = 50
    kept: int = 30
    queue: int = 40
    """Messages that the publisher keeps for a reader that does not read."""


class Service:
    """One process: publisher and history server."""

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.epoch = f"e{number}x{world.rng.randrange(1 << 30):08x}"
        self.alive = True
        self.frozen = False
        self.subscribed = False
        self.connected = False
        self.feed_free_ns = self.answers_free_ns = 0
        self.tables = [ModelTable(world.journal, table, self.epoch) for table in TABLES]

    def start(self) -> None:
        for table in self.tables:
            self.publish(table.open())
        self.world.after(0, self.beat)
        self.world.after(50 * MS, self.play)

    def beat(self) -> None:
        if not self.alive:
            return
        if not self.frozen:
            for table in self.tables:
                self.publish(table.heartbeat())
        self.world.after(S, self.beat)

    def play(self) -> None:
        if not self.alive:
            return
        rng = self.world.rng
        if not self.frozen and not self.world.quiet:
            table = rng.choice(self.tables)
            for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 3, 60))):
                self.publish(table.something(rng))
        self.world.after(rng.randrange(20, 400) * MS, self.play)

    def publish(self, frames: tuple[bytes, bytes]) -> None:
        world = self.world
        topic = frames[0]
        for table in TABLES:
            world.ends[table].append((world.now_ns, world.journal.last(table).seq))
        if not self.subscribed or not any(topic.startswith(prefix) for prefix in world.subscription.topics):
            return
        if world.loses():
            return
        if world.in_feed_queue >= world.plan.queue:
            return
        world.in_feed_queue += 1
        self.feed_free_ns = max(self.feed_free_ns, world.now_ns + world.latency())
        world.at(self.feed_free_ns, lambda: world.deliver_feed(frames))

    def request(self, frames: list[bytes]) -> None:
        if not self.alive or self.frozen:
            return
        for answer in answers_to(wire.decode_request(frames), self.world.journal, self.world.plan.page):
            if self.world.loses():
                # The answer loses a frame, or its end.
                if self.world.rng.random() < 0.5:
                    return
                continue
            self.answers_free_ns = max(self.answers_free_ns, self.world.now_ns + self.world.latency())
            sent = wire.encode_answer(answer)
            self.world.at(self.answers_free_ns, lambda sent=sent: self.world.deliver_answer(sent))  # type: ignore[misc]


class World:
    """Everything but the subscriber."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rng = Random(plan.seed)
        self.now_ns = 0
        self.quiet = False
        """Nothing goes wrong any more, and nothing new is said."""
        self.journal = ModelJournal()
        self.items: list[Item] = []
        self.forgotten: list[tuple[str, int, set[bytes]]] = []
        """What the card forgot at each power cut: the table, how many items had been given, the events."""
        self.delivered: set[bytes] = set()
        """All events of the feed that reached a subscriber that had joined."""
        self.losing = 0.0
        """Share of messages that are lost now."""
        self.joined = plan.since != "snapshot"
        self.in_feed_queue = 0
        self.stalled = False
        self.resumed_ns = -1
        """When the reader read again last what had waited."""
        self.ends: dict[str, list[tuple[int, int]]] = {table: [] for table in TABLES}
        """By table, when each of its events was published, and its number."""
        self.held = dict.fromkeys(TABLES, 0)
        """The last event given of each."""
        self._due: list[tuple[int, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._held_back: list[Callable[[], None]] = []
        self._services = itertools.count(1)
        self.subscription = self._new_subscription()
        self.service = Service(self, next(self._services))
        self.service.start()
        self.connect()
        self.after(TICK_MS * MS, self.tick)
        self.after(0, self.weather)

    # --- time ----------------------------------------------------------------------------------------------------

    def at(self, t_ns: int, what: Callable[[], None]) -> None:
        heapq.heappush(self._due, (t_ns, next(self._order), what))

    def after(self, wait_ns: int, what: Callable[[], None]) -> None:
        self.at(self.now_ns + wait_ns, what)

    def loses(self) -> bool:
        """Whether a message is lost now. There are good times and bad ones; the worst moment is the last before one."""
        return not self.quiet and self.rng.random() < self.losing

    def weather(self) -> None:
        """How much is lost for the next while: mostly nothing."""
        self.losing = self.rng.choice((0.0, 0.0, 0.0, 0.01, 0.2, 1.0))
        self.after(self.rng.randrange(100, 3000) * MS, self.weather)

    def latency(self) -> int:
        return self.rng.choice((0, 1, 1, 5, 30, 300)) * MS

    def run_until(self, t_ns: int) -> None:
        t_ns = max(t_ns, self.now_ns)
        while self._due and self._due[0][0] <= t_ns:
            self.now_ns, _, what = heapq.heappop(self._due)
            what()
        self.now_ns = t_ns

    # --- the subscriber's side of the wire -----------------------------------------------------------------------

    def _new_subscription(self, since: dict[str, Position] | int | None = 0) -> Subscription:
        if self.plan.since == "snapshot" and since == 0:
            since = None
        return Subscription("ipc:///model", since=since, kept=self.plan.kept, now_ns=self.now_ns)

    def connect(self) -> None:
        """The connection to whoever has the address now; the subscription takes effect later than the requests do."""
        service = self.service
        service.connected = True

        def subscribed() -> None:
            service.subscribed = True

        self.after(self.latency(), subscribed)

    def deliver_feed(self, frames: tuple[bytes, bytes]) -> None:
        def give() -> None:
            self.in_feed_queue -= 1
            if self.joined:
                self.delivered.add(frames[1])
            self.subscription.on_feed(frames, self.now_ns)
            self.pump()

        self._give(give)

    def deliver_answer(self, frames: list[bytes]) -> None:
        def give() -> None:
            self.subscription.on_history(frames, self.now_ns)
            self.pump()

        self._give(give)

    def _give(self, give: Callable[[], None]) -> None:
        if self.stalled:
            self._held_back.append(give)
        else:
            give()

    def resume(self) -> None:
        self.stalled, self.resumed_ns = False, self.now_ns
        held_back, self._held_back = self._held_back, []
        for give in held_back:
            give()

    def tick(self) -> None:
        if not self.stalled:
            self.subscription.on_time(self.now_ns)
            if self.subscription.should_reopen(self.now_ns):
                self.subscription.reopened(self.now_ns)
                self.connect()
            self.pump()
            if not self.plan.lying_card:
                self.judge()
        self.after(TICK_MS * MS, self.tick)

    def judge(self) -> None:
        """A table has every event that was published before it was as old as is stated."""
        for table, silent_ns in self.subscription.silent_ns(self.now_ns).items():
            if silent_ns is None or self.now_ns - silent_ns <= self.resumed_ns:
                continue  # what had waited for the reader may be older: time counts only while it reads
            ends = self.ends[table]
            published = bisect_left(ends, (self.now_ns - silent_ns - LATEST_NS, 0))
            due = ends[published - 1][1] if published else 0
            assert self.held[table] >= due, f"{table} is at {self.held[table]}, and was at {due}"

    def pump(self) -> None:
        items = self.subscription.take()
        for item in items:
            if isinstance(item, Joined):
                self.held[item.table] = item.snapshot.last
            elif isinstance(item, Fact) and item.event.seq is not None:
                self.held[item.name] = item.event.seq
        self.items += items
        self.joined = self.joined or sum(isinstance(item, Joined) for item in self.items[:200]) == len(TABLES)
        requests = self.subscription.requests(self.now_ns)
        assert len(requests) <= REQUESTS_PER_CLIENT
        for frames in requests:
            service = self.service
            if not service.connected or self.loses():
                continue
            self.after(self.latency(), lambda frames=frames, service=service: service.request(frames))  # type: ignore[misc]

    # --- what goes wrong -----------------------------------------------------------------------------------------

    def kill(self) -> None:
        """SIGKILL, and a new start a little later, to which the sockets connect by themselves."""
        self.service.alive = False
        if self.plan.lying_card:
            for table in TABLES:
                lost = self.journal.lose(table, self.rng.choice((0, 1, 3, 40)))
                self.forgotten.append((table, len(self.items), set(lost)))
        self.after(self.rng.randrange(10, 4000) * MS, self.begin_anew)

    def begin_anew(self) -> None:
        self.service = Service(self, next(self._services))
        self.service.start()
        self.after(self.latency(), self.connect)

    def freeze(self) -> None:
        """SIGSTOP. Later it continues, or another process takes its place and its address."""
        frozen = self.service
        frozen.frozen = True

        def thaw() -> None:
            frozen.frozen = False

        def replace() -> None:
            # Killed while it is frozen; the connection does not break: only a new one reaches the new process.
            frozen.alive = False
            self.service = Service(self, next(self._services))
            self.service.start()

        self.after(self.rng.randrange(1, 9) * S, self.rng.choice((thaw, replace)))

    def stall(self) -> None:
        """The reader does not read: its queue fills, and the publisher drops the rest."""
        self.stalled = True
        self.after(self.rng.randrange(1, 6) * S, self.resume)

    def end_and_resume(self) -> None:
        """The reader's program ends, and is begun again from the position that it kept."""
        positions = dict.fromkeys(TABLES, Position("", 0))
        for item in self.items:
            if isinstance(item, Fact) and item.event.seq is not None:
                positions[item.name] = Position(item.event.epoch, item.event.seq, item.head)
        self.subscription = self._new_subscription(positions)
        self.connect()


def run(plan: Plan) -> World:
    """A run: faults for a while, then peace until the subscriber has had the time to put everything right."""
    world = World(plan)
    rng = Random(plan.seed + 1)
    for number in range(plan.restarts):
        world.run_until((number + 1) * 15 * S - rng.randrange(8 * S))
        world.kill()
        world.run_until(world.now_ns + 5 * S)
        match rng.randrange(4):
            case 0 if plan.freezes:
                world.freeze()
                world.run_until(world.now_ns + 10 * S)
            case 1 | 2:
                world.stall()
                world.run_until(world.now_ns + 7 * S)
            case 3 if plan.since == "resumed":
                world.end_and_resume()
    world.run_until(world.now_ns + 12 * S)
    world.quiet = True
    world.run_until(world.now_ns + 60 * S)
    return world


def log_of(world: World, table: str) -> tuple[int, list[bytes]]:
    """What a reader that keeps facts holds at the end, and after which number it begins."""
    begin, log = 0, list[bytes]()
    for item in world.items:
        match item:
            case Fact(event=event, body=body) if event.seq is not None and event.data.table == table:
                del log[event.seq - begin - 1 :]
                assert event.seq == begin + len(log) + 1, "a hole"
                log.append(body)
            case Joined(table=of, snapshot=snapshot) if of == table:
                begin, log = snapshot.last, []
            case Rewritten(table=of, journal=journal) if of == table:
                del log[max(0, journal.seq - begin) :]
    return begin, log


def given(world: World, table: str) -> list[bytes]:
    """All durable facts given of a table, as they came."""
    return [
        item.body
        for item in world.items
        if isinstance(item, Fact) and item.event.seq is not None and item.event.data.table == table
    ]


QUICK, ALL = 8, 400


def seeds() -> list[object]:
    return first_of(QUICK, range(ALL))


@pytest.mark.parametrize("seed", seeds())
def test_after_three_restarts_a_subscriber_has_exactly_the_journals_events_in_order(seed: int) -> None:
    world = run(Plan(seed))
    for table in TABLES:
        assert given(world, table) == world.journal.bodies(table)
    assert not [item for item in world.items if isinstance(item, Rewritten | Missing)]
    restarts = [item for item in world.items if isinstance(item, Restarted)]
    assert len(restarts) >= 3 * len(TABLES)


@pytest.mark.parametrize("seed", seeds())
def test_a_subscriber_that_joins_late_has_all_events_after_its_snapshot(seed: int) -> None:
    world = run(Plan(seed, since="snapshot"))
    for table in TABLES:
        joined = next(item for item in world.items if isinstance(item, Joined) and item.table == table)
        assert given(world, table) == world.journal.bodies(table, joined.snapshot.last)
    assert not [item for item in world.items if isinstance(item, Rewritten | Missing)]


@pytest.mark.parametrize("seed", seeds())
def test_a_subscriber_that_is_begun_again_goes_on_where_it_was(seed: int) -> None:
    world = run(Plan(seed, since="resumed"))
    for table in TABLES:
        assert given(world, table) == world.journal.bodies(table)
    assert not [item for item in world.items if isinstance(item, Rewritten | Missing)]


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize("since", ["all", "snapshot"])
def test_what_a_lying_card_forgot_is_reported_by_whoever_had_it(seed: int, since: str) -> None:
    check_lying_card(seed, since)


def test_events_that_come_while_an_end_is_reported_are_not_discarded_with_what_the_card_forgot() -> None:
    check_lying_card(231, "snapshot")


def check_lying_card(seed: int, since: str) -> None:
    world = run(Plan(seed, lying_card=True, since=since))
    for table in TABLES:
        begin, log = log_of(world, table)
        assert log == world.journal.bodies(table, begin)
    for table, items, lost in world.forgotten:
        if lost & world.delivered:
            assert any(isinstance(item, Rewritten) and item.table == table for item in world.items[items:])


def test_the_runs_do_what_they_are_for() -> None:
    worlds = [run(Plan(seed, lying_card=True)) for seed in range(8)]
    kinds = {type(item).__name__ for world in worlds for item in world.items}
    assert {"Fact", "CaughtUp", "Gap", "Filled", "Restarted", "Rewritten", "Stale", "Fresh"} <= kinds
    assert all(any(isinstance(item, CaughtUp) for item in world.items) for world in worlds)
