"""A relay as a process of its own, which can be killed, on a computer whose clock is wrong."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
from pathlib import Path

from fleet.connection import NatsAddress
from fleet.relay import Relay, RelayedService, RelayPlan
from hal.clock import SystemClock
from tests.fakes.relaying import SEALS_NS

_CONTEXT = multiprocessing.get_context("forkserver")
# The imports cost most of a start: they are made once.
_CONTEXT.set_forkserver_preload([__name__])


class WrongClock(SystemClock):
    """The computer's clock, with a calendar that is `ahead_ns` ahead; behind where that is negative."""

    def __init__(self, ahead_ns: int) -> None:
        self._ahead_ns = ahead_ns

    def wall_time_ns(self, at_ns: int | None = None) -> int:
        """The wall time at `at_ns`, by the wrong calendar."""
        return super().wall_time_ns(at_ns) + self._ahead_ns


class RelayProcess:
    """A relay that runs."""

    def __init__(self, address: NatsAddress, venue: str, base: str, log: Path, ahead_ns: int = 0) -> None:
        self._log = log
        self._process = _CONTEXT.Process(target=_run, args=(address, venue, base, log, ahead_ns), daemon=True)
        self._process.start()

    def end(self) -> None:
        """SIGTERM."""
        self._process.terminate()
        self._ended()

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._ended()

    def check(self) -> None:
        """Fails where it has ended by itself."""
        assert self._process.is_alive(), f"the relay has ended:\n{self._log.read_text()}"

    def _ended(self) -> None:
        self._process.join()
        self._process.close()


def _run(address: NatsAddress, venue: str, base: str, log: Path, ahead_ns: int) -> None:
    logging.basicConfig(filename=log, level=logging.INFO, format="%(levelname)s %(message)s", force=True)
    try:
        plan = RelayPlan(address, venue, [RelayedService(base)], "test", None, SEALS_NS)
        asyncio.run(Relay(plan, WrongClock(ahead_ns)).run())
    except BaseException:
        logging.getLogger(__name__).exception("the relay ends")
        raise
