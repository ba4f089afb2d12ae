"""Publishes a log until a signal: what commands of a journal and of a fleet share."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from audit.errors import JournalDamaged, JournalError
from audit.transparency.publishing import LogPublisher, WitnessCalls
from command_line.exit_codes import FATAL, NOT_COMPLETE, NOT_VERIFIED
from command_line.metrics_port import MetricsPortError, metrics_port
from command_line.plain_output import show

if TYPE_CHECKING:
    from prometheus_client.registry import Collector

    from hal.probes import Probes

_Command = TypeVar("_Command", bound=Callable[..., Any])


def publishing_options(serves: str, port: int) -> Callable[[_Command], _Command]:
    """Adds how often is published, `--key`, and where `serves` is served: by default at this port, with `--host`."""
    options = (
        click.option(
            "--every", type=click.IntRange(1, 86_400), default=60, show_default=True, metavar="S", help="Seconds."
        ),
        click.option("--once", is_flag=True, help="Publish what there is, and end."),
        click.option(
            "--key", "key_only", is_flag=True, help="Only print the log's public key, for witnesses and policies."
        ),
        click.option("--host", metavar="IP", help=f"Also serve {serves}, here."),
        click.option(
            "--port", type=click.IntRange(0, 65535), default=port, show_default=True, metavar="N", help="Of --host."
        ),
        click.option(
            "--name", "names", multiple=True, metavar="NAME", help="A name of this computer in your network; repeat."
        ),
    )

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


class LogServer(Protocol):
    """Serves what others need of a log."""

    async def start(self) -> str:
        """Begins to serve; returns where."""

    async def stop(self) -> None:
        """Ends it."""


def publish(
    publisher_of: Callable[[WitnessCalls], LogPublisher],
    *,
    every_s: int,
    once: bool,
    metrics: int | None,
    served: tuple[str, LogServer] | None,
) -> int:
    """Publishes once, or until a signal; `served` is a server, and what it serves, in a word. The exit code.

    Raises:
        JournalError: with `once`, the log cannot be read.
        Exception: what starting the server raises.
    """
    from audit.transparency.http_calls import http_calls

    async def main() -> int:
        async with http_calls() as calls, contextlib.AsyncExitStack() as site:
            publisher = publisher_of(calls)
            click.echo(f"log {publisher.log_key}", err=True)
            if once:
                return await publish_once(publisher)
            site.enter_context(metrics_port(metrics, partial(_observed, publisher)))
            if served is not None:
                what, server = served
                click.echo(f"{what}: {click.style(await server.start(), bold=True)}", err=True)
                site.push_async_callback(server.stop)
            await publish_until_signal(publisher, every_s)
            return 0

    try:
        return asyncio.run(main())
    except MetricsPortError as error:
        show(error, err=True)
        return FATAL


def _observed(publisher: LogPublisher) -> tuple[Collector, Probes]:
    from command_line.publishing_metrics import PublisherCollector, PublisherProbes

    return PublisherCollector(publisher), PublisherProbes(publisher)


async def publish_once(publisher: LogPublisher) -> int:
    """One turn; the exit code: `NOT_VERIFIED` where a witness has cosigned another history, too. A log that does not
    go on from what was signed is printed.

    Raises:
        JournalError: the log cannot be read for another reason.
    """
    try:
        await publisher.turn()
    except JournalDamaged as error:
        show(error, fg="red", bold=True, err=True)
        return NOT_VERIFIED
    if any(one.is_fork for one in publisher.witnesses.values()):
        return NOT_VERIFIED
    return 0 if publisher.met == publisher.size else NOT_COMPLETE


async def publish_until_signal(publisher: LogPublisher, every_s: float) -> None:
    """A turn each `every_s`, until SIGINT or SIGTERM, and one more then. A turn that fails ends nothing."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    while True:
        last = stopped.is_set()
        # It has logged, and shows to whoever asks, what is wrong.
        with contextlib.suppress(JournalError):
            await publisher.turn()
        if last:
            return
        try:
            async with asyncio.timeout(every_s):
                await stopped.wait()
        except TimeoutError:
            continue
