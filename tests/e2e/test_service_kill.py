"""SIGKILL at any moment: nothing that anybody saw is missing, and a round that was open is void."""

from __future__ import annotations

import json
import subprocess
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from feed.events import TableOpened, Void, decode
from feed.state import TableState
from tests.fakes.service_process import FELTWIRE, JournalRow, ServiceProcess, listening, service

FULL = 51
"""Runs of five kills in the soak: 250 moments; by default a run of three."""


def commanded(service: ServiceProcess, random: Random) -> None:
    """Somebody sends a command while it runs; whether it is answered is not this test's business."""
    import zmq

    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    socket = context.socket(zmq.DEALER)
    socket.linger = 0
    socket.connect(service.endpoints.commands)
    table = random.choice(["wheel-1", "roulette-1"])
    request = {
        "id": f"{random.getrandbits(64):x}",
        "table": table,
        "command": "void",
        "given": {"reason": "dealer_call"},
    }
    socket.send(json.dumps(request).encode())
    # It has until the next events to go out.
    socket.poll(5)
    socket.close()
    context.term()


@pytest.mark.parametrize(
    ("seed", "kills"), [(0, 3), *(pytest.param(seed, 5, marks=pytest.mark.soak) for seed in range(1, FULL))]
)
def test_killed_at_any_moment_it_loses_nothing_that_anybody_saw(seed: int, kills: int, tmp_path: Path) -> None:
    random = Random(seed)
    with service(tmp_path, options=("--speed", "300", "--seed", str(seed))) as running:
        seen: dict[str, tuple[bytes, bytes]] = {}
        for _ in range(kills):
            with listening(running.endpoints, ended=running.ended) as listener:
                running.start()
                listener.take_durable(random.randint(1, 60))
                if random.random() < 0.5:
                    commanded(running, random)
                # Within a commit, between two, or while one is on its way to the feed.
                listener.take_durable(random.randint(1, 3))
                running.kill()
                listener.drain()
                seen.update(listener.durable)
        with listening(running.endpoints, ended=running.ended) as listener:
            running.start()
            listener.take_until("heartbeat")
            assert running.stop() == 0, running.log.read_text()
            listener.drain()
            seen.update(listener.durable)
        records = running.records()
        verified = subprocess.run([FELTWIRE, "journal", "verify", running.journal], capture_output=True, check=False)
        assert verified.returncode == 0, verified.stdout + verified.stderr
    check_history(records, starts=kills + 1)
    held = {record.id: (record.topic.encode(), record.body) for record in records if record.topic}
    missing = {event_id: message for event_id, message in seen.items() if held.get(event_id) != message}
    assert missing == {}, "somebody saw what the journal does not hold"
    assert len(seen) > kills * 10


def check_history(records: list[JournalRow], starts: int) -> None:
    """`seq` without a gap, epochs that never come back, and every round that was interrupted void."""
    chains: dict[str, list[JournalRow]] = {}
    for record in records:
        chains.setdefault(record.chain, []).append(record)
    for chain, held in chains.items():
        assert [record.seq for record in held] == list(range(1, len(held) + 1)), chain
        epochs = [held[0].epoch] + [after.epoch for before, after in pairwise(held) if after.epoch != before.epoch]
        assert len(set(epochs)) == len(epochs) <= starts, chain
        if chain != "@commands":
            assert len(epochs) == starts, f"{chain}: each start tells its opening"
            check_interruptions(chain, held)


def check_interruptions(table: str, held: list[JournalRow]) -> None:
    """After each start: the opening names what was before, and the round that was open is void by power_loss."""
    state = TableState(table)
    interrupted: int | None = None
    for record in held:
        event = decode(record.body)
        data: Any = event.data
        if interrupted is not None:
            assert isinstance(data, Void)
            assert (data.round, data.reason) == (interrupted, "power_loss")
            interrupted = None
        if isinstance(data, TableOpened) and state.last:
            assert (data.previous_epoch, data.previous_sequence) == (state.epoch, state.last)
            interrupted = state.unfinished_round
        state.apply(event)
    assert interrupted is None
    assert state.unfinished_round is None, "closed in order"
    assert state.state == "closed"
