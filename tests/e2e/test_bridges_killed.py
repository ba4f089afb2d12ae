"""SIGKILL of broker, receivers, bridges and service: who drops doubles by `id` has each final state once."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import pytest

from bridges.webhooks.keys import TargetKeys, WebhookKeys
from tests.fakes import bridge_processes
from tests.fakes.bridge_processes import BridgeProcess
from tests.fakes.bridge_receivers import ReceiverProcess, receive_rounds, receive_webhooks, received
from tests.fakes.feed_process import TABLE, FeedProcess, journal_of
from tests.fakes.feed_server import short_folder
from tests.fakes.mqtt_broker import PASSWORDS, Broker, broker
from tests.fakes.nats_server import free_port
from tests.fakes.time_limits import HANG_S
from tests.shares import first_of

KILLS = 25
"""Of a run."""
RUNS = 40
"""In the soak: a thousand kills; otherwise a run of `SAMPLE`."""
SAMPLE = 5
MOST_EVENTS = 20
"""Played on either side of a kill: two such bursts are fewer rounds than the ten that a state has."""
SECRET = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"
WAIT_NS = 100_000_000
POLL_S = 0.02


class Venue:
    """A service, both bridges, a broker and the receivers, each of which can be killed and started again."""

    def __init__(self, folder: Path, broker: Broker) -> None:
        self.events = folder / "events"
        self.webhooks = folder / "webhooks"
        self.rounds = folder / "rounds"
        self._folder = folder
        self._broker = broker
        self._base = f"ipc://{folder}"
        self._epochs = 0
        self._port = free_port()
        secret = folder / "secret"
        secret.write_text(SECRET)
        secret.chmod(0o600)
        target = TargetKeys("till", f"http://127.0.0.1:{self._port}/", str(secret), private=True, history=True)
        self._webhook_keys = WebhookKeys(str(folder / "queue.sqlite"), (target,))
        self._starts: dict[str, Callable[[], Any]] = {
            "service": self._service,
            "mqtt": self._mqtt,
            "webhooks": self._webhooks,
            "receiver": lambda: ReceiverProcess(receive_webhooks, self._port, SECRET, self.webhooks),
            "subscriber": lambda: ReceiverProcess(
                receive_rounds, broker.port, str(broker.ca), "reader", PASSWORDS["reader"], self.rounds
            ),
        }
        self.runs = {name: start() for name, start in self._starts.items()}
        self.names = [*self._starts, "broker"]

    def kill(self, name: str) -> None:
        (self._broker if name == "broker" else self.runs[name]).kill()

    def start(self, name: str) -> None:
        if name == "broker":
            self._broker.start()
        else:
            self.runs[name] = self._starts[name]()

    @property
    def service(self) -> FeedProcess:
        service: FeedProcess = self.runs["service"]
        return service

    def check(self) -> None:
        """Fails where a bridge has ended by itself."""
        self.runs["mqtt"].check()
        self.runs["webhooks"].check()

    def end(self) -> None:
        for one in self.runs.values():
            one.kill()

    def _service(self) -> FeedProcess:
        self._epochs += 1
        made = FeedProcess(self._base, self.events, f"e{self._epochs}", 3_600_000, rounds=True)
        made.end()
        return made

    def _mqtt(self) -> BridgeProcess:
        keys, log = self._broker.keys(), self._folder / "mqtt.log"
        return BridgeProcess(log, bridge_processes.mqtt, keys, PASSWORDS["feltwire"], self._base, 10, WAIT_NS * 10)

    def _webhooks(self) -> BridgeProcess:
        log = self._folder / "webhooks.log"
        return BridgeProcess(log, bridge_processes.webhooks, self._webhook_keys, self._base, WAIT_NS)


def final_states(events: Path) -> dict[int, tuple[str, str]]:
    """By round, the id of the event that gave the verdict in force, and that verdict."""
    found: dict[int, tuple[str, str]] = {}
    for body in journal_of(events).bodies(TABLE):
        event = json.loads(body)
        kind, data = event["type"].split(".")[2], event["data"]
        if kind in ("outcome", "void", "unresolved"):
            found[data["round"]] = (event["id"], kind)
        elif kind == "corrected":
            found[data["round"]] = (event["id"], data["to"]["verdict"])
    return found


def sent_to_targets(events: Path) -> list[bytes]:
    """The events that a target is to receive."""
    kinds = TargetKeys("a", "https://a.example", "b").types_sent
    assert kinds is not None
    return [body for body in journal_of(events).bodies(TABLE) if json.loads(body)["type"] in kinds]


def wait_until(reached: Callable[[], bool], venue: Venue, what: str) -> None:
    pause = Event()
    for _ in range(round(HANG_S / POLL_S)):
        if reached():
            return
        venue.check()
        pause.wait(POLL_S)
    raise AssertionError(what)


@pytest.mark.long
@pytest.mark.parametrize(("seed", "kills"), first_of(1, [(0, SAMPLE), *((seed, KILLS) for seed in range(1, RUNS + 1))]))
def test_whatever_is_killed_each_final_state_arrives(seed: int, kills: int) -> None:
    random = Random(seed)
    with ExitStack() as stack:
        folder, running = stack.enter_context(short_folder()), stack.enter_context(broker())
        venue = Venue(folder, running)
        stack.callback(venue.end)
        left = kills

        def all_rounds_seen() -> bool:
            ids = {json.loads(line)["id"] for line in received(venue.rounds)}
            return all(event_id in ids for event_id, _ in final_states(venue.events).values())

        wait_until(lambda: venue.rounds.exists(), venue, "the subscriber does not start")
        while left:
            victims = random.sample(venue.names, min(left, random.choice([1, 1, 2, 3])))
            venue.service.burst(random.randrange(1, MOST_EVENTS + 1))
            for victim in victims:
                venue.kill(victim)
            if "service" not in victims:
                venue.service.burst(random.randrange(1, MOST_EVENTS + 1))
            random.shuffle(victims)
            for victim in victims:
                venue.start(victim)
            left -= len(victims)
            wait_until(all_rounds_seen, venue, "a final state did not reach the subscriber of the broker")
        expected = sent_to_targets(venue.events)
        wait_until(lambda: len(received(venue.webhooks)) >= len(expected), venue, "an event did not reach the receiver")
        assert received(venue.webhooks) == expected, "each once, as it was published, in order"
        rounds = [json.loads(line) for line in received(venue.rounds)]
        assert len({one["id"] for one in rounds}) == len(rounds)
        shown = {one["id"]: one["verdict"] for one in rounds}
        for event_id, verdict in final_states(venue.events).values():
            assert shown[event_id] == verdict
