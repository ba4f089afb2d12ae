"""Checks before the service binds its sockets: each names what it found and what to do.

configuration ─► state directory, its room ─► signing key ─► journal: whole, recovered ─► keys ─► wires ─► sockets
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from nacl.signing import SigningKey

from audit.errors import JournalError
from audit.records import COMMANDS, Head
from audit.signing import SigningKeyError, load_or_create, public_half
from audit.witness import witness_path
from controller.captures.capture_store import CaptureStore
from controller.configuration.values import TableConfig
from controller.journal.files import is_untouched, order_new, set_aside
from controller.journal.journal import Journal
from controller.journal.writer import Done, Heads
from controller.service.disk_watch import STOP_BYTES
from controller.service.state_paths import StatePaths
from hal.clock import Clock

log = logging.getLogger(__name__)

_MB: Final = 1024 * 1024
STATUS_S: Final = 20.0
"""Between two notices that the journal is still being read (ours): each extends the start by a minute."""


def _ask_for_own_scheduling() -> None:
    """Sets the scheduling of this thread to what it is."""
    os.sched_setscheduler(0, os.sched_getscheduler(0), os.sched_getparam(0))


class StartupCheckError(Exception):
    """A start-up check failed: which one, and what to do."""


class StoppedAtStartError(Exception):
    """The service was stopped while it started."""


class OpenedJournal(NamedTuple):
    """The open journal, and the head of each chain in it."""

    journal: Journal
    heads: Mapping[str, Head]
    signer: bytes
    """The public half of the key that seals the journal, and signs calibrations."""


def check_state(paths: StatePaths) -> None:
    """Checks that the state directory can be written and has room.

    Raises:
        StartupCheckError: it cannot, or has none.
    """
    try:
        paths.root.mkdir(parents=True, exist_ok=True, mode=0o750)
        free = shutil.disk_usage(paths.root).free
    except OSError as error:
        raise StartupCheckError(
            f"state directory {paths.root}: it cannot be used ({error.strerror}); give another one with --state, or "
            "let the user of the service write it"
        ) from error
    if free < STOP_BYTES:
        raise StartupCheckError(
            f"state directory {paths.root}: its disk has only {free // _MB} MB left, and a journal needs "
            f"{STOP_BYTES // _MB} MB to begin; free space on it"
        )


def check_scheduling(ask: Callable[[], None] = _ask_for_own_scheduling) -> None:
    """Checks that threads may set their own scheduling: ZeroMQ's do as they begin, and end the process where a filter
    of system calls refuses it.

    Raises:
        StartupCheckError: they may not.
    """
    try:
        ask()
    except OSError as error:
        raise StartupCheckError(
            f"system calls: sched_setscheduler is refused ({error.strerror}), and ZeroMQ's threads need it; after "
            "SystemCallFilter=~@resources in the unit add SystemCallFilter=sched_setscheduler, or leave @resources in"
        ) from error


def signing_key(path: Path) -> SigningKey:
    """The key that seals the journal; made when the service first starts.

    Raises:
        StartupCheckError: it is there and cannot be used, or it cannot be made.
    """
    new = not path.exists()
    try:
        key = load_or_create(path)
    except SigningKeyError as error:
        raise StartupCheckError(str(error)) from error
    if new:
        log.info("made the key that seals the journal, %s; note its public half: %s", path, _grouped(public_half(key)))
    return key


def key_of_state(paths: StatePaths) -> SigningKey:
    """The key of a state directory. Where it has none and nothing of a journal, it begins one: a key without a journal
    would else look as if the journal was lost.

    Raises:
        StartupCheckError: the key is there and cannot be used, or cannot be made.
        JournalError: the folder cannot be used.
    """
    if not paths.signing_key.exists() and is_untouched(paths.journal):
        # The very first start. It may be cut off between the key and the journal.
        order_new(paths.journal)
    return signing_key(paths.signing_key)


async def open_journal(
    paths: StatePaths, clock: Clock, status: Callable[[str], None], stopped: Callable[[], bool] = lambda: False
) -> OpenedJournal:
    """Opens and verifies the journal on a thread, which asks `stopped` meanwhile.

    Raises:
        StoppedAtStartError: `stopped` became true while it was read.
        StartupCheckError: the signing key cannot be used.
        JournalError: the journal cannot be used.
    """
    loop = asyncio.get_running_loop()
    key = key_of_state(paths)

    def deliver(done: Done, result: Heads | JournalError) -> None:
        loop.call_soon_threadsafe(done, result)

    words = ["reading the journal"]

    def progress(read: int, total: int) -> None:
        if stopped():
            raise StoppedAtStartError
        words[0] = f"reading the journal: {read} of {total} records"
        loop.call_soon_threadsafe(status, words[0])

    def work() -> Journal:
        return Journal.open(
            paths.journal, key, clock=clock, deliver=deliver, progress=progress, key_file=paths.signing_key
        )

    opening = loop.run_in_executor(None, work)
    while not (await asyncio.wait([opening], timeout=STATUS_S))[0]:
        # SQLite may read all pages of a large file in one instruction, which calls nothing.
        status(words[0])
    journal = opening.result()
    if journal.is_new:
        _log_new_journal(journal)
    if journal.other_key is not None:
        log.warning(
            "%s was sealed with another key up to now, whose public half is %s; if nobody changed %s on purpose, "
            "verify the journal with the public half that you noted",
            journal.path,
            _grouped(journal.other_key),
            paths.signing_key,
        )
    if not journal.clean:
        log.warning(
            "the last run of the service did not stop in order: rounds that were open are void, with power_loss"
        )
    if journal.unsealed:
        log.warning(
            "%d records after the last seal were found without one: whoever could write the file may have put them "
            "there, and nobody vouched for them until this start; `feltwire journal verify` names them",
            journal.unsealed,
        )
    if journal.unwitnessed is not None:
        log.warning(
            "%s beside the journal is %s, and every journal has it: whether records were cut off at the journal's end, "
            "only a head that was kept shows (`feltwire journal verify --head`); after a power cut that may be the "
            "cause; a new one is begun",
            witness_path(journal.path).name,
            journal.unwitnessed,
        )
    for lost in journal.lost.values():
        log.critical("the disk lost what it had promised to keep: %s", lost)
    heads = {table: recovered.head for table, recovered in journal.recovered.items()}
    return OpenedJournal(journal, {**heads, COMMANDS: journal.commands}, bytes(key.verify_key))


def _log_new_journal(journal: Journal) -> None:
    """Logs that a new journal begins, and warns where one was set aside before."""
    aside = set_aside(journal.path)
    if not aside:
        log.info("a new journal begins: %s", journal.path)
        return
    log.warning(
        "a new journal begins: %s; the one before was set aside as %s: tables count from 1 again, latched faults "
        "are forgotten, and subscribers are notified that the history is another one",
        journal.path,
        aside[-1],
    )


def check_same_kind(configs: Sequence[TableConfig], found: OpenedJournal) -> None:
    """Checks that no simulated table continues the history of a real one, or the other way round.

    Raises:
        StartupCheckError: a table's history is of the other kind.
    """
    for config in configs:
        recovered = found.journal.recovered.get(config.id)
        simulated = config.simulated
        if recovered is not None and recovered.head.seq and recovered.state.simulated != simulated:
            before, now = ("simulated", "real") if recovered.state.simulated else ("real", "simulated")
            raise StartupCheckError(
                f"table {config.id}: {found.journal.path} holds it as a {before} table, and it is {now} now; give it "
                "another id, or another --state"
            )


def open_capture_store(paths: StatePaths) -> CaptureStore:
    """Opens the folder of captures.

    Raises:
        StartupCheckError: it cannot be used.
    """
    try:
        return CaptureStore(paths.captures)
    except OSError as error:
        raise StartupCheckError(f"captures {paths.captures}: {error.strerror}; fix its permissions") from error


def _grouped(key: str) -> str:
    """A public key in groups: a log shortens what looks like a key."""
    return " ".join(key[at : at + 16] for at in range(0, len(key), 16))
