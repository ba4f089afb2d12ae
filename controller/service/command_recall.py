"""Looks in the journal for commands that came before, on a thread of its own: a disk may take its time to answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from controller.journal.errors import JournalError
from controller.service.command_protocols import OnRecordFound


class RecordFinder:
    """Answers on the loop, in the order in which it was asked."""

    def __init__(self, find: Callable[[str], bytes | None]) -> None:
        """`find` blocks, and raises JournalError where the journal cannot be read."""
        self._find = find
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="recall")

    def __call__(self, identity: str, found: OnRecordFound) -> None:
        """Looks for a command; `found` is called later, on the loop. Asked after `close`, it is not called."""
        looking = asyncio.get_running_loop().run_in_executor(self._thread, self._look, identity)
        looking.add_done_callback(lambda done: None if done.cancelled() else found(done.result()))

    def close(self) -> None:
        """Looks for nothing any more. What is being read is waited for."""
        self._thread.shutdown(cancel_futures=True)

    def _look(self, identity: str) -> bytes | JournalError | None:
        try:
            return self._find(identity)
        except JournalError as error:
            return error
