"""Logs, witnesses and their sites for tests, with real keys."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from nacl.signing import SigningKey

from audit.transparency.checkpoints import AddCheckpoint, Checkpoint
from audit.transparency.notes import LOG_KEY, NoteKey
from audit.transparency.policy import WitnessPolicy
from audit.transparency.publishing import HttpAnswer, LogPublisher, WitnessUnreachableError
from audit.transparency.tree import GrownTree, NodeHash, consistency_proof, leaf_hash, root_of
from audit.transparency.tree_file import TreeFile
from audit.transparency.witness_file import WitnessFile
from audit.transparency.witness_site import witness_site
from scoreboard.web import PageServer

TIME_S = 1_783_191_600
LOG = SigningKey(b"l" * 32)
ORIGIN = "feltwire/of-a-test"
LOG_NOTE_KEY = NoteKey(ORIGIN, LOG_KEY, bytes(LOG.verify_key))
LOGS = {ORIGIN: [LOG_NOTE_KEY]}


def naive_root(leaves: Sequence[bytes]) -> bytes:
    """RFC 6962, 2.1, word for word: an oracle."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    return sha256(b"\1" + naive_root(leaves[:k]) + naive_root(leaves[k:])).digest()


def naive_path(m: int, leaves: Sequence[bytes]) -> list[bytes]:
    """RFC 6962, 2.1.1: the audit path of leaf `m`."""
    if len(leaves) == 1:
        return []
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    if m < k:
        return [*naive_path(m, leaves[:k]), naive_root(leaves[k:])]
    return [*naive_path(m - k, leaves[k:]), naive_root(leaves[:k])]


def naive_growth(m: int, leaves: Sequence[bytes], *, whole: bool = True) -> list[bytes]:
    """RFC 6962, 2.1.2: the proof that the first `m` leaves were a tree."""
    if m == len(leaves):
        return [] if whole else [naive_root(leaves)]
    k = 1
    while k * 2 < len(leaves):
        k *= 2
    if m <= k:
        return [*naive_growth(m, leaves[:k], whole=whole), naive_root(leaves[k:])]
    return [*naive_growth(m - k, leaves[k:], whole=False), naive_root(leaves[:k])]


def grown(bodies: Sequence[bytes]) -> GrownTree:
    """A tree with these leaves."""
    tree = GrownTree()
    for body in bodies:
        tree.append(leaf_hash(body))
    return tree


def bodies_of(name: str, count: int) -> list[bytes]:
    return [f"{name} {number}".encode() for number in range(count)]


def checkpoint_of(node: NodeHash, size: int, origin: str = ORIGIN) -> Checkpoint:
    return Checkpoint(origin, size, root_of(size, node))


def submission(node: NodeHash, old: int, size: int, key: SigningKey = LOG, origin: str = ORIGIN) -> AddCheckpoint:
    """What a log sends that believes its own tree."""
    return AddCheckpoint(old, tuple(consistency_proof(old, size, node)), checkpoint_of(node, size, origin).sign(key))


@contextmanager
def served_witness(
    path: Path, logs: Mapping[str, Sequence[NoteKey]], now_s: Callable[[], int] = lambda: TIME_S, port: int = 0
) -> Iterator[tuple[NoteKey, str]]:
    """A witness that is served from a thread: its key and its address."""
    with (
        WitnessFile.open(path, f"witness.test/{path.stem}") as file,
        served(PageServer(witness_site(file, logs, now_s), port=port)) as url,
    ):
        yield file.key, url


@contextmanager
def served(server: PageServer) -> Iterator[str]:
    """A site that is served from a thread: its address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield asyncio.run_coroutine_threadsafe(server.start(), loop).result()
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class ScriptedCalls:
    """Answers by address, each used once; the last one stays."""

    def __init__(self, **answers: Sequence[HttpAnswer | WitnessUnreachableError]) -> None:
        self.answers = {name: [*given] for name, given in answers.items()}
        self.bodies: list[tuple[str, bytes]] = []

    async def post(self, url: str, body: bytes) -> HttpAnswer:
        name = url.removeprefix("http://").partition("/")[0]
        self.bodies.append((name, body))
        waiting = self.answers[name]
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        if isinstance(answer, WitnessUnreachableError):
            raise answer
        return answer

    async def get(self, url: str) -> HttpAnswer:
        return await self.post(url, b"")


@contextmanager
def published(
    folder: Path, policy: str = "quorum none\n", calls: ScriptedCalls | None = None
) -> Iterator[tuple[TreeFile, LogPublisher]]:
    """A tree whose leaves a test adds, and its publisher."""
    with TreeFile.open(folder / "log.tree", ORIGIN) as tree:

        async def catch_up() -> int:
            return tree.size

        yield tree, LogPublisher(tree, LOG, WitnessPolicy.parse(policy), calls or ScriptedCalls(), catch_up)


def policy_of(witnesses: Mapping[str, tuple[NoteKey, str]], least: int, logs: Sequence[NoteKey] = ()) -> str:
    """A policy that asks for this many of them."""
    lines = [f"log {key}" for key in logs]
    lines += [f"witness {name} {key} {url}" for name, (key, url) in witnesses.items()]
    lines += [f"group enough {least} {' '.join(witnesses)}", "quorum enough"]
    return "\n".join(lines) + "\n"
