"""Asks a person at the terminal while lines are listened to: the event loop runs on."""

from __future__ import annotations

import asyncio
import sys
from threading import Thread
from typing import Final

import click

LEFT: Final = "\x04"
"""What `ask` returns at the end of the input: nobody answers any more."""


async def ask(prompt: str) -> str:
    """Prints a prompt, and returns the line that is typed, without its end and in lower case; `LEFT` at the end of the
    input. A daemon thread reads, so that Ctrl-C ends the command at once.
    """
    click.echo(prompt, nl=False)
    sys.stdout.flush()
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[str] = loop.create_future()

    def read() -> None:
        line = sys.stdin.readline()
        loop.call_soon_threadsafe(lambda: None if typed.done() else typed.set_result(line))

    Thread(target=read, daemon=True).start()
    line = await typed
    if not line:
        click.echo()
        return LEFT
    return line.strip().lower()


async def confirm(prompt: str) -> bool | None:
    """A yes or a no; None at the end of the input."""
    while True:
        answer = await ask(f"{prompt} [y/n] ")
        if answer == LEFT:
            return None
        if answer in ("y", "yes"):
            return True
        if answer in ("n", "no"):
            return False
        click.echo("    answer y or n")
