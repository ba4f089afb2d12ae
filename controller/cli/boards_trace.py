"""`feltwire boards trace`: a board's wire in words."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

import click

from controller.boards.wire_words import FROM_BOARD, TO_BOARD, piece_words, pieces_of
from controller.cli import FATAL
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink
from hal.board.message import BoardCommand, BoardReport
from hal.board.messages import IdentityAnswer, WatchCommand
from hal.clock import NS_PER_S, Clock, SystemClock
from hal.lines import LineError

ALL_INPUTS = 0xFF


@click.command("trace")
@click.argument("port", metavar="PORT")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Stop after so many seconds.")
@click.option("--watch/--no-watch", default=True, help="Have the board report the edges of all its inputs.")
@click.option("--pull-ups/--no-pull-ups", default=True, help="With its resistors to + on the inputs.")
def trace_command(port: str, seconds: float | None, watch: bool, pull_ups: bool) -> None:
    """Show every frame between this computer and a board in words, with its time in seconds.

    It opens a session with the board, which makes all its outputs safe, and watches its inputs: turn the wheel, press
    a button, and see which input says so. Frames that came broken are shown, with what is wrong with them. Nothing is
    driven. Each line is the time, the way (→ to the board, ← from it), the frame's number, its name and its fields.

    \b
    Examples:
        feltwire boards trace /dev/serial/by-id/usb-1a86_USB_Serial-if00-port0
        feltwire boards trace PORT --seconds 10 > wire.txt

    Ctrl-C ends it, and so does a reader that goes (| head). Exit codes: 0; 1 if the board never was up, or the reader
    went.
    """
    commands = [WatchCommand(ALL_INPUTS, ALL_INPUTS * pull_ups)] if watch else []
    try:
        was_up = asyncio.run(_until_stopped(port, seconds, commands))
    except LineError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(FATAL)
    if not was_up:
        click.echo(click.style(f"{port}: the board never was up", fg="red"), err=True)
        sys.exit(FATAL)


async def trace(
    port: str,
    clock: Clock,
    stop: asyncio.Event,
    seconds: float | None,
    commands: Sequence[BoardCommand],
    say: Callable[[str], None],
) -> bool:
    """Says what goes over the wire until it is stopped; returns whether a board was up. `commands` go out then.

    Raises:
        LineError: the port is no name that can be opened.
    """
    printer = _Printer(clock, say)
    link = BoardLink(port, port, ExpectedBoard(None, None, None), clock, tap=printer.tap)
    watcher = _Watcher(link, printer, commands)
    link.open(watcher)
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
    link.close(watcher)
    await link.wait_closed()
    return watcher.was_up


async def _until_stopped(port: str, seconds: float | None, commands: Sequence[BoardCommand]) -> bool:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    output = _Output(stop)
    was_up = await trace(port, SystemClock(), stop, seconds, commands, output.say)
    if output.closed is not None:
        raise output.closed  # click ends quietly with this one
    return was_up


class _Output:
    """Standard output, which somebody may close before the end: `feltwire boards trace PORT | head`."""

    def __init__(self, stop: asyncio.Event) -> None:
        self.closed: BrokenPipeError | None = None
        self._stop = stop

    def say(self, text: str) -> None:
        """Writes a line; once nobody reads any more, the trace is stopped."""
        if self.closed is not None:
            return
        try:
            click.echo(text)
        except BrokenPipeError as error:
            self.closed = error
            self._stop.set()


class _Printer:
    """A line for each frame, with the seconds since the start."""

    def __init__(self, clock: Clock, say: Callable[[str], None]) -> None:
        self._start_ns = clock.now_ns()
        self._say = say

    def tap(self, way: str, data: bytes, t_ns: int) -> None:
        """Takes what went over the wire."""
        arrow = TO_BOARD if way == "to" else FROM_BOARD
        for piece in pieces_of(data):
            self.say(t_ns, f"{arrow} {piece_words(piece)}")

    def say(self, t_ns: int, text: str) -> None:
        """Says a line."""
        self._say(f"{(t_ns - self._start_ns) / NS_PER_S:11.6f} {text}")


class _Watcher:
    """Sends the commands when the board is up, and tells of its ups and downs."""

    def __init__(self, link: BoardLink, printer: _Printer, commands: Sequence[BoardCommand]) -> None:
        self.was_up = False
        self._link = link
        self._printer = printer
        self._commands = commands

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The session is open, and proven."""
        self.was_up = True
        self._printer.say(t_ns, "- the board is up")
        for command in self._commands:
            self._link.submit(command)

    def down(self, t_ns: int, reason: str) -> None:
        """There is none, for this reason."""
        self._printer.say(t_ns, f"- {reason}")

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """It was shown as it came."""
