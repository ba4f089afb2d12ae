"""Publishes a log until a signal: what commands of a journal and of a fleet share."""

from __future__ import annotations

import asyncio
import contextlib
import signal

import click

from audit.errors import JournalDamaged, JournalError
from audit.transparency.publishing import LogPublisher
from command_line.exit_codes import NOT_COMPLETE, NOT_VERIFIED


async def publish_once(publisher: LogPublisher) -> int:
    """One turn; the exit code. A log that does not go on from what was signed is printed.

    Raises:
        JournalError: the log cannot be read for another reason.
    """
    try:
        await publisher.turn()
    except JournalDamaged as error:
        click.echo(click.style(str(error), fg="red", bold=True), err=True)
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
