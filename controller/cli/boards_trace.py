"""`feltwire boards trace`: prints every frame between this computer and a board."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

import click

from command_line.exit_codes import FATAL
from controller.boards.wire_words import FROM_BOARD, TO_BOARD, is_report, piece_words, pieces_of
from controller.cli.board_options import chip_option
from hal.board.chips import ATMEGA328P, Chip
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink
from hal.board.message import BoardCommand, BoardReport
from hal.board.messages import EdgesReport, IdentityAnswer, WatchCommand
from hal.clock import NS_PER_S, Clock, SystemClock
from hal.lines import LineError

ALL_INPUTS = 0xFF
PATIENCE_S = 10.0
"""How long the board may take to come up (ours): its boot loader, and the link check."""


@click.command("trace")
@click.argument("port", metavar="PORT")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Stop after this many seconds.")
@click.option("--watch/--no-watch", default=True, help="Have the board report the edges of all its inputs.")
@click.option("--pull-ups/--no-pull-ups", default=True, help="Enable the pull-up resistors of its inputs.")
@click.option("--edges", "edges_alone", is_flag=True, help="Print the edges of the inputs alone.")
@click.option("--wait", is_flag=True, help="Wait for the board however long it takes to come up.")
@chip_option
def trace_command(
    port: str, seconds: float | None, watch: bool, pull_ups: bool, edges_alone: bool, wait: bool, chip: Chip
) -> None:
    """Print every frame between this computer and a board, with its time in seconds.

    It opens a session with the board, which makes all its outputs safe, and watches its inputs: turn the wheel, press a
    button, and see which input changes. A damaged frame is printed with what is wrong with it. No output is driven.
    Each line has the time, the direction (→ to the board, ← from it), and the frame's number, name and fields.
    A port that is missing, or on which no board comes up within 10 s, ends it; with --wait it waits for the board to be
    plugged in.

    \b
    Examples:
        feltwire boards trace /dev/serial/by-id/usb-1a86_USB_Serial-if00-port0
        feltwire boards trace PORT --edges
        feltwire boards trace PORT --seconds 10 > wire.txt

    Ctrl-C ends it, and so does closing its output (| head). Exit codes: 0; 1 if the board did not come up, or the
    output was closed.
    """
    if edges_alone and not watch:
        raise click.UsageError("--edges needs the edges that --no-watch leaves out; take one of them away")
    commands = [WatchCommand(ALL_INPUTS, ALL_INPUTS * pull_ups)] if watch else []
    patience_s = None if wait else PATIENCE_S
    try:
        was_up = asyncio.run(_until_stopped(port, seconds, commands, edges_alone, patience_s, chip))
    except LineError as error:
        click.echo(click.style(str(error), fg="red"), err=True)
        sys.exit(FATAL)
    if not was_up:
        hint = "" if wait else f" in {PATIENCE_S:g} s; feltwire boards list shows the ports, and --wait waits for it"
        click.echo(click.style(f"{port}: the board did not come up{hint}", fg="red"), err=True)
        sys.exit(FATAL)


async def trace(
    port: str,
    clock: Clock,
    stop: asyncio.Event,
    seconds: float | None,
    commands: Sequence[BoardCommand],
    show: Callable[[str], None],
    *,
    edges_alone: bool = False,
    patience_s: float | None = None,
    chip: Chip = ATMEGA328P,
) -> bool:
    """Prints the frames until it is stopped; returns whether the board came up. `commands` are sent when it does.

    It ends where no board has come up after `patience_s`; without one it waits as long as it takes.

    Raises:
        LineError: a port of this name cannot be opened.
    """
    printer = _Printer(clock, show, edges_alone=edges_alone)
    link = BoardLink(port, port, ExpectedBoard(None, None, None), clock, chip=chip, tap=printer.tap)
    watcher = _Watcher(link, printer, commands)
    link.open(watcher)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            if await _is_up_or_stopped(watcher, stop, patience_s):
                await stop.wait()
    link.close(watcher)
    await link.wait_closed()
    return watcher.is_up.is_set()


async def _is_up_or_stopped(watcher: _Watcher, stop: asyncio.Event, patience_s: float | None) -> bool:
    """Whether one of both came within the time."""
    waited = [asyncio.ensure_future(watcher.is_up.wait()), asyncio.ensure_future(stop.wait())]
    try:
        done, _ = await asyncio.wait(waited, timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waited:
            each.cancel()
    return bool(done)


async def _until_stopped(
    port: str,
    seconds: float | None,
    commands: Sequence[BoardCommand],
    edges_alone: bool,
    patience_s: float | None,
    chip: Chip,
) -> bool:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    output = _Output(stop)
    was_up = await trace(
        port,
        SystemClock(),
        stop,
        seconds,
        commands,
        output.show,
        edges_alone=edges_alone,
        patience_s=patience_s,
        chip=chip,
    )
    if output.closed is not None:
        raise output.closed  # click exits quietly on this one
    return was_up


class _Output:
    """Standard output, which its reader may close before the end: `feltwire boards trace PORT | head`."""

    def __init__(self, stop: asyncio.Event) -> None:
        self.closed: BrokenPipeError | None = None
        self._stop = stop

    def show(self, text: str) -> None:
        """Writes a line; stops the trace once the output is closed."""
        if self.closed is not None:
            return
        try:
            click.echo(text)
        except BrokenPipeError as error:
            self.closed = error
            self._stop.set()


class _Printer:
    """Prints a line for each frame, or for those with edges alone, with the seconds since the start."""

    def __init__(self, clock: Clock, show: Callable[[str], None], *, edges_alone: bool) -> None:
        self._start_ns = clock.now_ns()
        self._show = show
        self._edges_alone = edges_alone

    def tap(self, way: str, data: bytes, t_ns: int) -> None:
        """Prints the frames in the bytes that were sent or received."""
        arrow = TO_BOARD if way == "to" else FROM_BOARD
        for piece in pieces_of(data):
            if self._edges_alone and not is_report(piece, EdgesReport):
                continue
            self.show(t_ns, f"{arrow} {piece_words(piece)}")

    def show(self, t_ns: int, text: str) -> None:
        """Prints a line."""
        self._show(f"{(t_ns - self._start_ns) / NS_PER_S:11.6f} {text}")


class _Watcher:
    """Sends the commands when the session opens, and prints when it opens and closes."""

    def __init__(self, link: BoardLink, printer: _Printer, commands: Sequence[BoardCommand]) -> None:
        self.is_up = asyncio.Event()
        self._link = link
        self._printer = printer
        self._commands = commands

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The session is open, and the link was checked."""
        self.is_up.set()
        self._printer.show(t_ns, "- the board is up")
        for command in self._commands:
            self._link.submit(command)

    def down(self, t_ns: int, reason: str) -> None:
        """There is no session, for this reason."""
        self._printer.show(t_ns, f"- {reason}")

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """Does nothing: the frame is printed as it arrives."""
