"""Deliveries in virtual time: order, retries, a queue that is full, and what is kept over an end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, Self

import pytest

from bridges.waits import FIRST_WAIT_NS, wait_ns
from bridges.webhooks.bridge import WebhookBridge
from bridges.webhooks.delivery import LONGEST_WAIT_NS, Delivery, TargetAnswer
from bridges.webhooks.keys import TargetKeys, WebhookKeys
from bridges.webhooks.queue import Queue, QueueError
from bridges.webhooks.sender import LONGEST_ASKED_NS
from feed.events import Outcome, decode
from feed.state import TableState, decode_snapshot
from feed.subscriber import Fact, Item, Joined, Missing, Position, Rewritten
from hal.clock import NS_PER_S, SystemClock, VirtualClock
from hal.loop import run_virtual, sleep_ns
from tests.fakes.feed_model import TIME, ModelJournal, ModelTable
from tests.fakes.time_limits import HANG_S

Why = Callable[[str, int], str | TargetAnswer]


class Target:
    """What is sent to, and the time of each attempt."""

    def __init__(self, clock: VirtualClock, answer: Why) -> None:
        """`answer` gives why an event is not taken, by its id and the attempts of it until then."""
        self._clock = clock
        self._answer = answer
        self.attempts: list[tuple[str, int]] = []
        self.taken: list[tuple[str, bytes]] = []

    async def __call__(self, event_id: str, body: bytes, begin: Callable[[], None]) -> TargetAnswer:
        found = self._answer(event_id, sum(one == event_id for one, _ in self.attempts))
        answer = TargetAnswer(found) if isinstance(found, str) else found
        if "is not reached" not in answer.why:
            begin()
        await sleep_ns(1_000_000)
        self.attempts.append((event_id, self._clock.now_ns()))
        if not answer.why:
            self.taken.append((event_id, body))
        return answer


class ListedItems:
    """A subscriber that has these items, and no more."""

    states: dict[str, TableState] = {}  # noqa: RUF012 (nobody writes it)
    silent_ns: dict[str, int | None] = {}  # noqa: RUF012 (nobody writes it)
    refused = ""

    def __init__(self, items: list[Item]) -> None:
        self._items = items
        self.read = 0

    def join_again(self, name: str) -> None:
        raise AssertionError(name)

    async def __aiter__(self) -> AsyncIterator[Item]:
        for item in self._items:
            self.read += 1
            yield item
        await asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def facts(table: str, rounds: int, seed: int = 1) -> list[Fact]:
    """The durable events of whole rounds."""
    journal, random = ModelJournal(), Random(seed)
    model = ModelTable(journal, table, "e1")
    model.open()
    while sum(b'"round.opened' in body or b"round.opened.v1" in body for body in journal.bodies(table)) <= rounds:
        model.play(random)
    return [Fact(decode(body), body) for body in journal.bodies(table)]


def wanted(items: list[Fact], target: TargetKeys) -> list[tuple[str, bytes]]:
    """What a target is to receive of them."""
    return [
        (one.event.id, one.body) for one in items if target.types_sent is None or one.event.type in target.types_sent
    ]


def keys(**others: Any) -> TargetKeys:
    return TargetKeys(name="till", url="https://till.example/", secret_file="unused", **others)


def deliver(
    folder: Path,
    target: TargetKeys,
    items: list[Item],
    answer: Why = lambda event_id, attempts: "",
    until: Callable[[Delivery, Target], bool] = lambda delivery, target: False,
    most_s: float = 100_000,
) -> tuple[Delivery, Target]:
    """Delivers until something holds, or a time has passed; then it is ended, as by a kill."""
    clock = VirtualClock()
    queue = Queue(folder / "queue.sqlite")
    sent = Target(clock, answer)
    delivery = Delivery(target, queue, sent, Random(7))

    async def main() -> None:
        task = asyncio.ensure_future(delivery.run(ListedItems(items)))
        while not until(delivery, sent) and clock.now_ns() < most_s * NS_PER_S and not task.done():
            await sleep_ns(NS_PER_S // 100 if most_s < 10 else NS_PER_S)
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            task.result()

    try:
        run_virtual(main(), clock)
    finally:
        queue.close()
    return delivery, sent


def all_taken(count: int) -> Callable[[Delivery, Target], bool]:
    return lambda delivery, target: len(target.taken) >= count


def test_what_is_read_is_delivered_while_more_is_read(tmp_path: Path) -> None:
    """A whole journal, each event of which waits for the disk, would hold up every target, the probes and a signal."""
    items = facts("wheel-1", 30)
    queue, subscriber, read = Queue(tmp_path / "queue.sqlite"), ListedItems([*items]), list[int]()

    async def send(event_id: str, body: bytes, begin: Callable[[], None]) -> TargetAnswer:
        read.append(subscriber.read)
        return TargetAnswer()

    async def main() -> None:
        task = asyncio.ensure_future(Delivery(keys(), queue, send, Random(7)).run(subscriber))
        await sleep_ns(NS_PER_S)
        task.cancel()
        await asyncio.wait([task])

    run_virtual(main(), VirtualClock())
    queue.close()
    assert len(read) == len(wanted(items, keys()))
    assert read[0] < len(items) / 2


def test_a_target_is_sent_the_final_states_of_rounds_in_order_as_they_were_published(tmp_path: Path) -> None:
    items = facts("wheel-1", 30)
    expected = wanted(items, keys())
    kinds = {decode(body).type for _, body in expected}
    assert kinds == {f"feltwire.round.{kind}.v1" for kind in ("outcome", "void", "unresolved", "corrected")}
    delivery, target = deliver(tmp_path, keys(), [*items], until=all_taken(len(expected)))
    assert target.taken == expected
    assert (delivery.progress.delivered, delivery.progress.waiting) == (len(expected), 0)


@pytest.mark.parametrize("seed", range(2))
def test_of_each_table_an_event_follows_the_one_before_whatever_fails(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    tables = {name: facts(name, 8, seed) for name in ("wheel-1", "wheel-2", "wheel-3")}
    mixed = [item for some in zip(*tables.values(), strict=False) for item in some]
    target_keys = keys(types=("*",))
    _, target = deliver(
        tmp_path,
        target_keys,
        [*mixed],
        lambda event_id, attempts: "it answers 503" if random.random() < 0.5 else "",
        all_taken(len(mixed)),
    )
    for name in tables:
        assert [body for _, body in target.taken if decode(body).data.table == name] == [
            item.body for item in mixed if item.event.data.table == name
        ]


def test_a_table_whose_event_is_refused_does_not_hold_up_another(tmp_path: Path) -> None:
    first, second = facts("wheel-1", 3), facts("wheel-2", 3)
    expected = wanted(second, keys())
    delivery, target = deliver(
        tmp_path,
        keys(),
        [*first, *second],
        lambda event_id, attempts: "it answers 400" if event_id.startswith("wheel-1") else "",
        all_taken(len(expected)),
    )
    assert target.taken == expected
    assert delivery.progress.failing == {"wheel-1": "it answers 400"}, "what another table does is not its end"
    assert {event_id for event_id, _ in target.attempts if event_id.startswith("wheel-1")} == {
        wanted(first, keys())[0][0]
    }


def test_between_attempts_it_waits_longer_each_time_and_never_gives_up(tmp_path: Path) -> None:
    items = facts("wheel-1", 1)
    answer = lambda event_id, attempts: "" if attempts >= 30 else "no answer"  # noqa: E731 (one line)
    _, target = deliver(tmp_path, keys(), [*items], answer, all_taken(len(wanted(items, keys()))))
    times = [time for _, time in target.attempts]
    waits = [after - before for before, after in pairwise(times)][:30]
    for failures, waited in enumerate(waits, start=1):
        longest = min(FIRST_WAIT_NS << (failures - 1), LONGEST_WAIT_NS)
        assert longest // 2 <= waited <= longest + NS_PER_S // 100
    assert len(set(waits[-10:])) > 5, "bridges that lost one target do not all come back at once"
    assert len(target.taken) == len(wanted(items, keys()))


def test_a_target_that_asks_for_a_time_is_given_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    items = facts("wheel-1", 1)
    asked_ns = 600 * NS_PER_S
    answer = lambda event_id, attempts: "" if attempts >= 4 else TargetAnswer("it answers 429", asked_ns)  # noqa: E731
    _, target = deliver(tmp_path, keys(), [*items], answer, all_taken(len(wanted(items, keys()))))
    times = [time for _, time in target.attempts][:5]
    for failures, (before, after) in enumerate(pairwise(times), start=1):
        assert asked_ns <= after - before <= asked_ns + (FIRST_WAIT_NS << (failures - 1)) + NS_PER_S // 100
    assert len(target.taken) == len(wanted(items, keys()))
    assert caplog.text.count("it answers 429; it is sent again") == 1


def test_a_target_that_wants_no_more_is_logged_once_as_an_error_and_nothing_is_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    items = [*facts("wheel-1", 1), *facts("wheel-2", 1)]
    expected = wanted(items, keys())
    gone = TargetAnswer("it answers 410: it wants no more; remove the target", LONGEST_ASKED_NS, gone=True)
    answer = lambda event_id, attempts: "" if attempts >= 9 else gone  # noqa: E731
    _, target = deliver(tmp_path, keys(), [*items], answer, all_taken(len(expected)), most_s=1_000_000)
    assert sorted(target.taken) == sorted(expected)
    errors = [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]
    assert errors == [f"till: {gone.why}; what waits for it is kept"]


def test_waits_are_within_their_bounds_for_any_number_of_failures() -> None:
    random = Random(3)
    for failures in (0, 1, 2, 9, 64, 10_000):
        for _ in range(100):
            assert FIRST_WAIT_NS // 2 <= wait_ns(failures, LONGEST_WAIT_NS, random) <= LONGEST_WAIT_NS


def test_a_queue_that_is_full_is_read_no_further_until_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    items = facts("wheel-1", 12)
    every = keys(types=("*",), most_waiting=5)
    opened = [False]
    states: list[int] = []

    def watch(delivery: Delivery, target: Target) -> bool:
        states.append(delivery.progress.waiting)
        if delivery.progress.full and len(target.attempts) > 3:
            opened[0] = True
        return len(target.taken) >= len(items)

    delivery, target = deliver(
        tmp_path, every, [*items], lambda event_id, attempts: "" if opened[0] else "it answers 500", watch
    )
    assert max(states) == 5
    assert target.taken == wanted(items, every), "nothing is lost by that"
    assert not delivery.progress.full
    assert "till: its queue is full with 5 events: no more is read for it until it takes some" in caplog.text


def test_a_queue_that_stays_about_full_is_not_logged_with_each_event(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    items = facts("wheel-1", 40)
    every = keys(types=("*",), most_waiting=50)
    _, target = deliver(tmp_path, every, [*items], until=all_taken(len(items)))
    assert target.taken == wanted(items, every)
    assert 1 <= caplog.text.count("its queue is full") <= 1 + len(items) // 5


@pytest.mark.parametrize("seed", range(2))
def test_ended_at_any_moment_it_continues_and_each_event_is_delivered_at_least_once(seed: int, tmp_path: Path) -> None:
    random, items = Random(seed), facts("wheel-1", 20, seed)
    expected = wanted(items, keys())
    taken: list[tuple[str, bytes]] = []
    for _ in range(200):
        queue = Queue(tmp_path / "queue.sqlite")
        position = queue.positions("till").get("wheel-1", Position("", 0))
        queue.close()
        left = [item for item in items if (item.event.seq or 0) > position.seq]
        most_s = random.random() / 10
        delivery, target = deliver(
            tmp_path,
            keys(),
            [*left],
            lambda event_id, attempts: "it answers 502" if random.random() < 0.3 else "",
            most_s=most_s,
        )
        taken += target.taken
        if not left and not delivery.progress.waiting:
            break
    seen: dict[str, bytes] = {}
    for event_id, body in taken:
        seen.setdefault(event_id, body)
    assert [*seen.items()] == expected, "a receiver that drops doubles has each once, in order"


def test_a_new_table_begins_with_now_or_with_its_whole_journal(tmp_path: Path) -> None:
    queue = Queue(tmp_path / "queue.sqlite")
    now = Delivery(keys(), queue, Target(VirtualClock(), lambda event_id, attempts: ""), Random())
    whole = Delivery(keys(history=True), queue, Target(VirtualClock(), lambda event_id, attempts: ""), Random())
    assert now.since().get("wheel-1") is None
    assert whole.since().get("wheel-1") == Position("", 0)
    journal = ModelJournal()
    ModelTable(journal, "wheel-1", "e1").open()
    body = journal.snapshot("wheel-1")
    assert body is not None
    now.take(Joined(table="wheel-1", snapshot=decode_snapshot(body)))
    assert now.since().get("wheel-1") == whole.since().get("wheel-1") == Position("e1", 1)
    queue.close()


@pytest.mark.parametrize("table", ["a: b", "A", "a/b"])
def test_an_event_whose_name_would_be_another_header_is_not_sent(table: str, tmp_path: Path) -> None:
    journal = ModelJournal()
    model = ModelTable(journal, table, "e1")
    model.open()
    items = [Fact(decode(body), body) for body in journal.bodies(table)]
    delivery, target = deliver(tmp_path, keys(types=("*",)), [*items], most_s=1)
    assert (target.attempts, delivery.progress.waiting) == ([], 0)


def test_events_that_were_archived_before_they_were_read_are_counted_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    delivery, _ = deliver(tmp_path, keys(), [Missing(table="wheel-1", first=3, last=9)], most_s=1)
    assert delivery.progress.missing == 7
    assert "events 3 to 9 are archived" in caplog.text


@pytest.mark.parametrize("differs", [0, 4])
def test_what_waits_and_is_no_longer_in_the_journal_is_not_delivered(
    differs: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Whether it is cut off there, or the event before differs as well; the one on its way is refused until then."""
    held, again = facts("wheel-1", 20, seed=1), facts("wheel-1", 20, seed=2)
    cut = 5
    every = keys(types=("*",))
    notice = Rewritten(table="wheel-1", held=Position("e1", len(held)), journal=Position("e1", cut), why="cut off")
    first = cut + 1 - differs
    items: list[Item] = [*held, notice, *again[first - 1 :]]
    left = [2]

    def answer(event_id: str, attempts: int) -> str:
        left[0] -= 1
        return "it answers 503" if left[0] >= 0 else ""

    expected = wanted(held[: first - 1] + again[first - 1 :], every)
    delivery, target = deliver(tmp_path, every, items, answer, all_taken(len(expected)))
    assert target.taken == expected
    assert (delivery.progress.rewritten, delivery.progress.waiting, delivery.progress.failing) == (1, 0, {})
    assert f"till: {len(held) - cut} events of wheel-1, from {cut + 1} on, are no longer in its journal" in caplog.text


def test_a_journal_that_holds_nothing_of_what_waits_ends_what_is_on_its_way(tmp_path: Path) -> None:
    held, again = facts("wheel-1", 3, seed=1), facts("wheel-1", 3, seed=2)
    again = [Fact(one.event, one.body + b" ") for one in again]
    every = keys(types=("*",))
    notice = Rewritten(table="wheel-1", held=Position("e1", len(held)), journal=Position("e1", 0), why="cut off")
    refused = {one.body for one in held}
    queue = Queue(tmp_path / "queue.sqlite")
    sent: list[bytes] = []

    async def send(event_id: str, body: bytes, begin: Callable[[], None]) -> TargetAnswer:
        sent.append(body)
        return TargetAnswer("it answers 400" if body in refused else "")

    delivery = Delivery(every, queue, send, Random(7))

    async def main() -> None:
        task = asyncio.ensure_future(delivery._deliver())
        await sleep_ns(NS_PER_S)
        for item in held:
            delivery.take(item)
        await sleep_ns(NS_PER_S)
        assert sent
        delivery.take(notice)
        for item in again:
            delivery.take(item)
        await sleep_ns(700 * NS_PER_S)
        task.cancel()
        await asyncio.wait([task])

    run_virtual(main(), VirtualClock())
    assert [body for body in sent if body not in refused] == [one.body for one in again]
    assert (delivery.progress.waiting, delivery.progress.failing) == (0, {})
    queue.close()


@pytest.mark.parametrize(
    ("kept", "time"),
    [(27, "2026"), (15, "2026"), (15, "1969"), (7, "2026")],
    ids=["after it began", "before that", "before that, and the clock was set back", "of an earlier epoch"],
)
def test_of_an_old_copy_that_was_put_back_a_target_gets_what_is_new_and_nothing_from_before_it_began(
    kept: int, time: str, tmp_path: Path
) -> None:
    """The bridge was restarted: the journal is read from its first event on. The target began after event 20."""
    random, journal = Random(1), ModelJournal()
    for epoch, last in (("e0", 10), ("e1", 30)):
        model = ModelTable(journal, "wheel-1", epoch)
        model.open()
        while journal.last("wheel-1").seq < last:
            model.play(random)
    early, every = ModelJournal(), keys(types=("*",))
    early.kept["wheel-1"] = journal.kept["wheel-1"][:20]

    def waiting(items: list[Item]) -> list[str]:
        """What waits for the target after these items, in a bridge of its own; the target takes all of it."""
        queue = Queue(tmp_path / "queue.sqlite")
        delivery = Delivery(every, queue, Target(VirtualClock(), lambda event_id, attempts: ""), Random())
        for item in items:
            delivery.take(item)
        found = []
        while (event := queue.first("till", "wheel-1")) is not None:
            found.append(event.id)
            queue.remove("till", event)
        queue.close()
        return found

    def held(after: int = 0) -> list[Item]:
        return [Fact(decode(body), body) for body in journal.bodies("wheel-1", after)]

    body = early.snapshot("wheel-1")
    assert body is not None
    assert len(waiting([Joined(table="wheel-1", snapshot=decode_snapshot(body)), *held(20)])) == 10
    del journal.kept["wheel-1"][kept:]
    model = ModelTable(journal, "wheel-1", "e2")
    model.time = f"{time}-12-31T00:00:00.000000Z"
    model.open()
    while journal.last("wheel-1").seq < max(25, kept + 3):
        model.play(random)
    notice = Rewritten(table="wheel-1", held=Position("e1", 30), journal=Position("e1", kept), why="cut off")
    expected = [decode(body).id for body in journal.bodies("wheel-1", min(kept, 20))]
    read = held()
    assert waiting([notice, *read[:17]]) + waiting(read[17:]) == expected, "killed meanwhile"
    assert waiting([notice, *read, notice, *read]) == expected, "rewritten again"


def test_new_events_of_an_old_copy_reach_a_target_whose_subscriber_remembers_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That subscriber begins with the present: the bridge reads with another one, from its position on."""
    random, journal = Random(1), ModelJournal()

    def played(epoch: str, last: int, time: str = TIME) -> Joined:
        model = ModelTable(journal, "wheel-1", epoch)
        model.time = time
        while journal.last("wheel-1").seq < last:
            model.play(random)
        body = journal.snapshot("wheel-1")
        assert body is not None
        return Joined(table="wheel-1", snapshot=decode_snapshot(body))

    def held(after: int = 0) -> list[Item]:
        return [Fact(decode(body), body) for body in journal.bodies("wheel-1", after)]

    joined, _, before = played("e1", 20), played("e1", 30), held(20)
    del journal.kept["wheel-1"][25:]
    again = played("e2", 40, "2026-12-31T00:00:00.000000Z")
    notice = Rewritten(table="wheel-1", held=Position("e1", 30), journal=Position("e2", 40), why="cut off")
    scripts = [[joined, *before, notice, again], [notice, *held()]]
    starts: list[dict[str, Position]] = []
    received: list[bytes] = []

    def subscriber(endpoint: str, *, since: dict[str, Position], **_: object) -> ListedItems:
        starts.append(since)
        return ListedItems(scripts[len(starts) - 1])

    monkeypatch.setattr("bridges.webhooks.bridge.AsyncSubscriber", subscriber)

    async def main() -> int:
        done = asyncio.Event()

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                received.append(await reader.readexactly(length))
                writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
            except asyncio.IncompleteReadError:
                return  # the bridge was ended as it began a delivery
            finally:
                writer.close()
            if received[-1] == journal.bodies("wheel-1")[-1]:
                done.set()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
            target = TargetKeys(name="till", url=url, secret_file="", private=True, types=("*",))
            bridge = WebhookBridge(
                WebhookKeys("", (target,)), {"till": [b"x" * 24]}, queue, "", None, SystemClock(), "feltwire/test"
            )
            task = asyncio.ensure_future(bridge.run())
            async with asyncio.timeout(HANG_S):
                await done.wait()
            task.cancel()
            await asyncio.wait([task])
            return bridge.deliveries[0].progress.rewritten

    queue = Queue(tmp_path / "queue.sqlite")
    assert asyncio.run(main()) == 1
    queue.close()
    assert starts == [{}, {"wheel-1": Position("e1", 30)}]
    expected = journal.bodies("wheel-1", 20)
    assert [body for body in dict.fromkeys(received) if body in journal.bodies("wheel-1")] == expected


def test_a_target_that_was_removed_is_stated_and_continues_where_it_was_unless_it_has_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("bridges.webhooks.bridge.AsyncSubscriber", lambda endpoint, **_: ListedItems([]))
    event, position = wanted(facts("wheel-1", 1), keys())[0], Position("e1", 9)
    queue = Queue(tmp_path / "queue.sqlite")
    queue.put("till", "wheel-1", position, event)

    async def main() -> None:
        shop = TargetKeys(name="shop", url="https://shop.example/", secret_file="")
        bridge = WebhookBridge(
            WebhookKeys("", (shop,)), {"shop": [b"x" * 24]}, queue, "", None, SystemClock(), "feltwire/test"
        )
        assert bridge.deliveries[0].since() == {}
        task = asyncio.ensure_future(bridge.run())
        await sleep_ns(0)
        task.cancel()
        await asyncio.wait([task])

    asyncio.run(main())
    assert (
        "the queue has 1 events of till, which is not a target any more: they stay, and a target of that name "
        "continues with them; one that is to begin with now needs another name"
    ) in caplog.text
    again = Delivery(keys(), queue, Target(VirtualClock(), lambda *_: ""), Random())
    assert (again.since(), again.progress.waiting) == ({"wheel-1": position}, 1)
    queue.close()


def test_a_queue_of_an_earlier_version_begins_as_it_did(tmp_path: Path) -> None:
    queue = Queue(tmp_path / "queue.sqlite")
    queue._file.execute("DROP TABLE beginning")
    queue.put("till", "wheel-1", Position("e1", 9), None)
    queue.close()
    queue = Queue(tmp_path / "queue.sqlite")
    assert (queue.positions("till"), queue.beginnings("till")) == ({"wheel-1": Position("e1", 9)}, {})
    queue.close()


# --- the queue ----------------------------------------------------------------------------------------------------


def test_a_queue_that_another_bridge_has_is_refused(tmp_path: Path) -> None:
    first = Queue(tmp_path / "queue.sqlite")
    with pytest.raises(QueueError, match="another bridge has this queue; stop that one"):
        Queue(tmp_path / "queue.sqlite")
    first.close()


def test_a_file_that_is_not_a_queue_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "queue.sqlite"
    for content in (b"not a database at all", b"SQLite format 3\0" + b"\xff" * 200):
        path.write_bytes(content)
        with pytest.raises(QueueError, match=r"What waited is not sent.*history = true first, and all of the journal"):
            Queue(path)
        assert path.read_bytes() == content
    with pytest.raises(QueueError, match=r"no-such-folder.*cannot be opened: No such file"):
        Queue(tmp_path / "no-such-folder" / "queue.sqlite")


def test_what_waits_is_sent_only_where_the_keys_of_now_name_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What a try with simulated tables queued is nothing for a till, nor what was queued of other tables and types."""
    wheel, reel = facts("wheel-1", 3), facts("wheel-2", 6, seed=2)
    every = keys(types=("*",))
    queue = Queue(tmp_path / "queue.sqlite")
    for simulated, event in [(True, wheel[0].event), *((False, one.event) for one in (*wheel, *reel))]:
        name = f"{'sim/' * simulated}{event.data.table}"
        body = next(one.body for one in (*wheel, *reel) if one.event is event)
        queue.put("till", name, Position("e1", event.seq or 0), (event.id, body))
    queue.close()
    narrow = keys(tables=("wheel-2",), types=("round.outcome",))
    expected = wanted(reel, narrow)
    assert expected
    delivery, target = deliver(tmp_path, narrow, [], most_s=3)
    assert target.taken == expected
    held = len(wheel) + len(reel) + 1 - len(expected)
    assert f"till: {held} events in its queue are not what its tables, types and simulated name now" in caplog.text
    assert (delivery.progress.waiting, delivery.progress.full) == (0, False), "they take no room"
    caplog.clear()
    sent: dict[int | None, int] = {
        one.event.data.round: one.event.seq or 0 for one in reel if isinstance(one.event.data, Outcome)
    }
    left = [
        (one.event.id, one.body)
        for one in reel
        if (one.event.seq or 0) > sent.get(getattr(one.event.data, "round", None), 0)
    ]
    assert left
    delivery, target = deliver(tmp_path, keys(types=("*",), tables=("wheel-2",)), [], until=all_taken(len(left)))
    assert target.taken == left, "what is named again is sent, unless what was sent of its round is newer"
    older = len(reel) - len(expected) - len(left)
    assert delivery.progress.passed == older
    assert older
    assert f"till: {older} events in its queue are older than what it may have taken of their rounds" in caplog.text
    _, target = deliver(tmp_path, keys(types=("*",), simulated=True), [], until=all_taken(1))
    assert target.taken == [(wheel[0].event.id, wheel[0].body)]
    _, target = deliver(tmp_path, every, [], until=all_taken(len(wheel)))
    assert target.taken == wanted(wheel, every)


def round_event(kind: str, seq: int, number: int | None = None) -> tuple[str, bytes]:
    """An event, of a round where one is given."""
    data = {} if number is None else {"round": number}
    return f"wheel-1.e1.{seq}", json.dumps({"type": f"feltwire.{kind}.v1", "data": data}).encode()


def store(folder: Path, *events: tuple[str, bytes]) -> None:
    """As it is read while the target is away."""
    queue = Queue(folder / "queue.sqlite")
    for one in events:
        queue.put("till", "wheel-1", Position("e1", int(one[0].rpartition(".")[2])), one)
    queue.close()


UNSURE = TargetAnswer("it answers 503")
REFUSED = TargetAnswer("it answers 429", refused=True)


@pytest.mark.parametrize(
    "answers", [[""], [UNSURE], [UNSURE, REFUSED], [REFUSED, UNSURE]], ids=["took", "may", "may, then not", "not, may"]
)
def test_an_outcome_that_was_held_back_is_not_sent_after_its_correction(
    answers: list[str | TargetAnswer], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A receiver that goes by the order of arrival would end with the old result."""
    outcome, correction = round_event("round.outcome", 5, 1), round_event("round.corrected", 7, 1)
    store(tmp_path, outcome, correction)
    narrow = keys(types=("round.corrected",))
    _, target = deliver(tmp_path, narrow, [], lambda _, attempts: answers[min(attempts, len(answers) - 1)], most_s=6)
    assert {sent for sent, _ in target.attempts} == {correction[0]}
    store(tmp_path, round_event("round.outcome", 9, 2))
    for _ in range(2):
        delivery, target = deliver(tmp_path, keys(), [], most_s=3)
        assert outcome not in target.taken
        assert delivery.progress.passed == 1, "it is not lost, and every start states it"
        assert (delivery.progress.waiting, delivery.progress.full) == (0, False)
    assert "till: 1 events in its queue are older than what it may have taken of their rounds" in caplog.text
    queue = Queue(tmp_path / "queue.sqlite")
    delivery = Delivery(keys(), queue, Target(VirtualClock(), lambda *_: ""), Random())
    assert delivery.progress.passed == 1
    delivery.take(Rewritten(table="wheel-1", held=Position("e1", 9), journal=Position("e1", 5), why="cut off"))
    assert delivery.progress.passed == 1, "it is in the journal"
    delivery.take(Rewritten(table="wheel-1", held=Position("e1", 9), journal=Position("e1", 4), why="cut off"))
    assert delivery.progress.passed == 0, "what is no longer in the journal is no longer missing at the target"
    queue.close()


def test_where_a_history_was_rewritten_nothing_that_stays_is_judged_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A queue of a million events would hold up all targets for seconds."""
    outcomes = [round_event("round.outcome", seq, 1) for seq in range(1, 9)]
    store(tmp_path, *outcomes, round_event("round.void", 9, 1))
    deliver(tmp_path, keys(types=("round.void",)), [], until=all_taken(1))
    judged: list[bytes] = []
    wants = Delivery._wants

    def recorded(self: Delivery, name: str, body: bytes) -> bool:
        judged.append(body)
        return wants(self, name, body)

    monkeypatch.setattr(Delivery, "_wants", recorded)
    for types, left, passed in (("round.void",), 6, 0), (keys().types, 4, 4):
        queue = Queue(tmp_path / "queue.sqlite")
        delivery = Delivery(keys(types=types), queue, Target(VirtualClock(), lambda *_: ""), Random())
        judged.clear()
        journal = Position("e1", left)
        delivery.take(Rewritten(table="wheel-1", held=Position("e1", 9), journal=journal, why="cut off"))
        assert judged == [body for _, body in outcomes[left : left + 2]], "only what is dropped"
        assert delivery.progress.passed == passed
        queue.close()


@pytest.mark.parametrize("away", [TargetAnswer("till.example is not reached: Connection refused"), REFUSED])
def test_what_was_held_back_while_a_target_certainly_took_nothing_is_sent_in_order(
    away: TargetAnswer, tmp_path: Path
) -> None:
    """Events wait only where the target is away: then what it was asked to take meanwhile has passed nothing."""
    waiting = [round_event("round.outcome", 5, 1), round_event("round.outcome", 6, 2), round_event("round.void", 7, 1)]
    store(tmp_path, *waiting)
    for target_keys, tried in (keys(), 5), (keys(types=("round.void",)), 7):
        _, target = deliver(tmp_path, target_keys, [], lambda *_: away, most_s=6)
        assert {sent for sent, _ in target.attempts} == {f"wheel-1.e1.{tried}"}
        assert len(target.attempts) > 1
    delivery, target = deliver(tmp_path, keys(), [], until=all_taken(3))
    assert target.taken == waiting
    assert delivery.progress.passed == 0


def test_a_refusal_takes_back_nothing_of_what_was_taken_before(tmp_path: Path) -> None:
    outcomes = [round_event("round.outcome", 5, 1), round_event("round.outcome", 6, 2)]
    corrections = [round_event("round.corrected", 7, 1), round_event("round.corrected", 8, 2)]
    store(tmp_path, *outcomes, *corrections)
    refused_id = corrections[1][0]
    _, target = deliver(
        tmp_path,
        keys(types=("round.corrected",)),
        [],
        lambda event_id, _: REFUSED if event_id == refused_id else "",
        most_s=3,
    )
    assert target.taken == corrections[:1]
    delivery, target = deliver(tmp_path, keys(), [], until=all_taken(2))
    assert target.taken == [outcomes[1], corrections[1]]
    assert delivery.progress.passed == 1


def test_what_was_held_back_is_sent_late_where_only_events_of_other_rounds_were_sent(tmp_path: Path) -> None:
    """Its `sequence` states that it is older; unsent it would be lost to the target."""
    older = [
        round_event("round.outcome", 5, 1),
        round_event("round.outcome", 6, 2),
        round_event("table.closed", 7),
        round_event("round.outcome", 9, 4),
    ]
    void = round_event("round.void", 8, 3)
    store(tmp_path, *sorted([*older, void], key=lambda one: one[0]))
    _, target = deliver(tmp_path, keys(types=("round.void",)), [], until=all_taken(1))
    assert target.taken == [void]
    delivery, target = deliver(tmp_path, keys(types=("*",)), [], until=all_taken(len(older)))
    assert target.taken == older
    assert delivery.progress.passed == 0


@pytest.mark.parametrize(
    ("older", "later"),
    [
        (round_event("table.closed", 5), round_event("table.opened", 7)),
        (round_event("device.fault", 5), round_event("device.cleared", 7)),
        (round_event("device.fault", 5, 1), round_event("device.cleared", 7)),
        (round_event("inspection.failed", 5), round_event("inspection.passed", 7)),
    ],
    ids=["closed", "fault", "fault in a round", "inspection"],
)
def test_what_was_held_back_of_the_table_itself_is_not_sent_after_what_ended_it(
    older: tuple[str, bytes], later: tuple[str, bytes], tmp_path: Path
) -> None:
    """A target would end with a closed table, or with a fault that nothing clears, whatever round that came in."""
    outcome = round_event("round.outcome", 6, 1)
    store(tmp_path, older, outcome, later)
    kind = json.loads(later[1])["type"].removeprefix("feltwire.").removesuffix(".v1")
    _, target = deliver(tmp_path, keys(types=(kind,)), [], until=all_taken(1))
    assert target.taken == [later]
    delivery, target = deliver(tmp_path, keys(types=("*",)), [], most_s=3)
    assert target.taken == [outcome]
    assert delivery.progress.passed == 1


@pytest.mark.parametrize("kind", ["round.void", "procedure.violation"])
def test_what_was_held_back_of_the_table_itself_is_sent_late_where_only_events_of_rounds_were_sent(
    kind: str, tmp_path: Path
) -> None:
    older = [round_event("device.fault", 5, 1), round_event("table.closed", 6)]
    later = round_event(kind, 7, 1)
    store(tmp_path, *older, later)
    _, target = deliver(tmp_path, keys(types=(kind,)), [], until=all_taken(1))
    assert target.taken == [later]
    delivery, target = deliver(tmp_path, keys(types=("*",)), [], until=all_taken(2))
    assert target.taken == older
    assert delivery.progress.passed == 0


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_answered_killed_and_named_no_round_ends_with_an_older_state(seed: int, tmp_path: Path) -> None:
    """The model: an event is never sent only where a newer of its round, or of the table itself, may have been taken
    before it. A kill comes at any moment: before the target has the event, after it took it, between two attempts."""
    random = Random(seed)
    kinds = (*keys().types, "table.opened", "device.fault")
    every = [round_event(random.choice(kinds), seq, random.randrange(4)) for seq in range(1, 41)]
    number = {
        event_id: json.loads(body)["data"]["round"] if b"feltwire.round." in body else None for event_id, body in every
    }
    place = {event_id: place for place, (event_id, _) in enumerate(every)}
    arrived: list[str] = []
    maybe: list[str] = []
    """What may have arrived, as far as the bridge knows, until all is sent."""
    calm = False

    async def send(event_id: str, body: bytes, begin: Callable[[], None]) -> TargetAnswer:
        await sleep_ns(NS_PER_S)
        if not calm and random.random() < 0.2:
            return TargetAnswer("it is not reached")
        begin()
        if not calm:
            maybe.append(event_id)
        await sleep_ns(NS_PER_S)
        if not calm and random.random() < 0.6:
            refused = random.random() < 0.7
            if refused:
                maybe.pop()
            return TargetAnswer("not taken", refused=refused)
        if event_id not in arrived:
            assert not [one for one in arrived if number[one] == number[event_id] and place[one] > place[event_id]]
            arrived.append(event_id)
        await sleep_ns(NS_PER_S)
        return TargetAnswer() if calm or random.random() < 0.5 else TargetAnswer("its answer was lost")

    def run_for(types: tuple[str, ...], most_s: float) -> Delivery:
        clock, queue = VirtualClock(), Queue(tmp_path / "queue.sqlite")
        delivery = Delivery(keys(types=types), queue, send, Random(seed))

        async def main() -> None:
            task = asyncio.ensure_future(delivery.run(ListedItems([])))
            await sleep_ns(round(most_s * NS_PER_S))
            task.cancel()
            await asyncio.wait([task])

        run_virtual(main(), clock)
        queue.close()
        return delivery

    left = iter(every)
    for _ in range(12):
        store(tmp_path, *(one for _, one in zip(range(4), left, strict=False)))
        some = random.sample(kinds, random.randrange(1, 5))
        run_for(tuple(some), random.random() * 20)
    calm = True
    store(tmp_path, *left)
    delivery = run_for(kinds, 1000)
    queue = Queue(tmp_path / "queue.sqlite")
    unsent = [event_id for (event_id,) in queue._file.execute("SELECT id FROM waiting")]
    queue.close()
    assert (len(unsent), delivery.progress.waiting) == (delivery.progress.passed, 0)
    assert {*unsent, *arrived} == {event_id for event_id, _ in every}, "none is lost without being counted"
    for event_id in unsent:
        assert [one for one in maybe if number[one] == number[event_id] and place[one] > place[event_id]]


def test_a_queue_of_an_earlier_version_is_sent_and_can_be_read_by_it_again(tmp_path: Path) -> None:
    import sqlite3

    items = facts("wheel-1", 3)
    path = tmp_path / "queue.sqlite"
    Queue(path).close()
    with sqlite3.connect(path) as before:
        before.execute("DROP INDEX waiting_lane")
        before.execute("DROP INDEX waiting_round")
        before.execute("ALTER TABLE waiting DROP COLUMN held")
        before.execute("CREATE INDEX waiting_lane ON waiting (target, name, n)")
        before.executemany(
            "INSERT INTO waiting (target, name, id, body) VALUES ('till', 'wheel-1', ?, ?)", wanted(items, keys())
        )
    before.close()
    _, target = deliver(tmp_path, keys(), [], until=all_taken(1))
    assert target.taken[0] == wanted(items, keys())[0]


def test_a_failure_of_what_was_dropped_fails_no_more_where_another_subscriber_begins(tmp_path: Path) -> None:
    """The history was rewritten while the target was away, and joined again: what is there is delivered at once."""
    items = facts("wheel-1", 3)
    again = facts("wheel-1", 3, seed=9)
    journal = ModelJournal()
    ModelTable(journal, "wheel-1", "e2").open()
    body = journal.snapshot("wheel-1")
    assert body is not None
    joined = Joined(table="wheel-1", snapshot=decode_snapshot(body))
    notice = Rewritten(table="wheel-1", held=Position("e1", 9), journal=Position("e2", 3), why="set aside")
    queue, away = Queue(tmp_path / "queue.sqlite"), [True]

    async def send(event_id: str, body: bytes, begin: Callable[[], None]) -> TargetAnswer:
        return TargetAnswer("away" if away[0] else "")

    delivery = Delivery(keys(), queue, send, Random(7))

    async def main() -> None:
        task = asyncio.ensure_future(delivery.run(ListedItems([*items])))
        await sleep_ns(20 * NS_PER_S)
        task.cancel()
        await asyncio.wait([task])
        assert delivery.progress.failing == {"wheel-1": "away"}
        await delivery.run(ListedItems([notice, joined]))
        away[0] = False
        task = asyncio.ensure_future(delivery.run(ListedItems([*again])))
        await sleep_ns(700 * NS_PER_S)
        task.cancel()
        await asyncio.wait([task])

    run_virtual(main(), VirtualClock())
    assert delivery.progress.delivered > 0
    assert (delivery.progress.waiting, delivery.progress.failing) == (0, {})
    queue.close()


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "queue.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE theirs (x)")
    other.close()
    with pytest.raises(QueueError, match="it is not a queue of this version"):
        Queue(path)


def test_what_is_stored_is_on_the_disk_before_it_is_sent(tmp_path: Path) -> None:
    queue = Queue(tmp_path / "queue.sqlite")
    assert queue._file.execute("PRAGMA synchronous").fetchone() == (2,), "FULL: each transaction is synced"
    queue.close()


def test_what_waits_is_dropped_without_being_read_into_memory(tmp_path: Path) -> None:
    import tracemalloc

    queue = Queue(tmp_path / "queue.sqlite")
    for target, name, number in (("till", "w", 9), ("till", "w", 10), ("till", "v", 10), ("shop", "w", 10)):
        queue.put(target, name, Position("e1", number), (f"{name}.e1.{number}", bytes(1_000_000)))
    tracemalloc.start()
    try:
        assert queue.drop("till", "w", 10, lambda *_: True) == (1, 0)
        assert (queue.count("till"), queue.count("shop")) == (2, 1)
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()
    assert [(name, first.id) for name in ("v", "w") if (first := queue.first("till", name))] == [
        ("v", "v.e1.10"),
        ("w", "w.e1.9"),
    ]
    queue.close()


def test_a_queue_is_for_its_owner_alone(tmp_path: Path) -> None:
    Queue(tmp_path / "queue.sqlite").close()
    assert (tmp_path / "queue.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_disk_that_takes_nothing_ends_the_bridge_and_what_waits_is_not_to_be_moved_away(tmp_path: Path) -> None:
    """As with a quota, or a disk that the kernel has made read-only: what waits would be lost with the file."""
    queue = Queue(tmp_path / "queue.sqlite")
    queue._file.execute("PRAGMA query_only = 1")
    with pytest.raises(QueueError, match=r"readonly database; see the disk and its quota.*: keep it"):
        queue.put("till", "wheel-1", Position("e1", 1), None)
    queue.close()


def test_a_file_that_is_damaged_is_named_whatever_is_read_of_it(tmp_path: Path) -> None:
    path = tmp_path / "queue.sqlite"
    queue = Queue(path)
    for number in range(1, 50):
        queue.put("till", "wheel-1", Position("e1", number), (f"wheel-1.e1.{number}", bytes(3000)))
    queue._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    queue._file.execute("PRAGMA shrink_memory")
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))
    reads: list[Callable[[], object]] = [
        lambda: queue.first("till", "wheel-1"),
        lambda: queue.names("till"),
        lambda: queue.positions("till"),
        lambda: queue.beginnings("till"),
        lambda: Queue(path),
    ]
    for number, read in enumerate(reads):
        if number == len(reads) - 1:
            queue.close()
        with pytest.raises(QueueError, match=r"What waited is not sent.*history = true first, and all of the journal"):
            read()


def test_a_disk_that_is_full_ends_the_bridge_with_what_to_do(tmp_path: Path) -> None:
    queue = Queue(tmp_path / "queue.sqlite")
    queue._file.execute("PRAGMA max_page_count = 1")
    with pytest.raises(QueueError, match=r"database or disk is full; make room on the disk"):
        for number in range(100):
            queue.put("till", "wheel-1", Position("e1", number), (f"wheel-1.e1.{number}", b"x" * 4000))
    queue.close()
