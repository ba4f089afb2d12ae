"""`feltwire screen`: the screen of a machine, a program beside the service."""

from __future__ import annotations

import logging
from pathlib import Path
from secrets import token_hex

import click

from command_line.exit_codes import FATAL

PORT = 5990
"""Where no other is asked for (ours)."""
NO_PYGAME = (
    "the screen needs pygame-ce, which the Debian package does not bring. In a checkout of this version:\n"
    "  python3 -m venv /opt/feltwire-screen\n"
    "  /opt/feltwire-screen/bin/pip install --require-hashes -r requirements/screen.lock\n"
    "  /opt/feltwire-screen/bin/pip install --no-deps .\n"
    "  /opt/feltwire-screen/bin/feltwire screen\n"
    "See docs/devices/skill-stop-video.md, Running the screen."
)


class Size(click.ParamType[tuple[int, int]]):
    """A size in pixels: `1920x1080`."""

    name = "WxH"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Reads it."""
        words = str(value).lower().split("x")
        if len(words) != 2 or not all(word.isascii() and word.isdecimal() and len(word) <= 5 for word in words):
            self.fail(f"{value!r} is not a size such as 1920x1080", param, ctx)
        width, height = int(words[0]), int(words[1])
        if not (320 <= width <= 8192 and 320 <= height <= 8192):
            self.fail(f"{value!r}: each side is 320 to 8192 pixels", param, ctx)
        return width, height


@click.command("screen")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="Where the table reaches it."
)
@click.option("--size", type=Size(), help="Picture in pixels; without it that of the display.")
@click.option("--window", is_flag=True, help="A window on a desktop, instead of the whole display.")
@click.option(
    "--touch",
    type=click.Path(path_type=Path),
    metavar="DEVICE",
    help="The touch panel, such as /dev/input/by-path/...-event; without it the only one there is. `none` for none.",
)
@click.option(
    "--touch-turned",
    type=click.Choice(["0", "90", "180", "270"]),
    default="0",
    help="By how many degrees, clockwise, the picture is turned against the panel.",
)
def command(port: int, size: tuple[int, int] | None, window: bool, touch: Path | None, touch_turned: str) -> None:
    """Show the screen of a skill-stop video.

    It draws what the table sends, and reports each frame and each touch with its time. The table reaches it by a
    link on this computer:

    \b
        [links]
        screen = { port = "socket://127.0.0.1:5990" }

    It may be started before the service, and is connected again when that is restarted. Ctrl-C ends it, and
    Escape in a window.
    """
    try:
        import pygame  # noqa: F401 (whether it is there)
    except ImportError as error:
        raise click.ClickException(NO_PYGAME) from error
    from hal.lines import LineError
    from screen.window import DisplayError

    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        _run(port, size, window, touch, int(touch_turned))
    except (DisplayError, LineError) as error:
        click.echo(f"screen: {error}", err=True)
        raise SystemExit(FATAL) from error
    except KeyboardInterrupt:
        click.echo("the screen is off")


def _run(port: int, size: tuple[int, int] | None, in_window: bool, touch: Path | None, turned: int) -> None:
    """Runs until the window is closed."""
    from hal.clock import SystemClock
    from hal.displays import connected
    from hal.touch_panel import TouchPanel
    from screen.program import ScreenProgram
    from screen.service import ScreenService, listen
    from screen.window import Window

    server = listen(port)
    path = _panel(touch)
    panel = None if path is None else TouchPanel(path)
    window = Window(size, whole=not in_window)
    width, height = window.size
    program = ScreenProgram(
        token_hex(8),
        display=window.driver,
        width=width,
        height=height,
        refresh_mhz=window.refresh_hz * 1000,
        synchronised=window.synchronised,
        touch="" if panel is None else (panel.name or str(panel.path))[:128],
    )
    how = "synchronised" if window.synchronised else "NOT synchronised: for a bench only"
    click.echo(f"{width}x{height} by {window.driver}, {window.refresh_hz} Hz, {how}")
    click.echo(f"touch panel: {'none' if panel is None else f'{panel.name} ({panel.path})'}")
    click.echo(f"the table reaches it at socket://127.0.0.1:{server.port}; Ctrl-C ends it", nl=True)
    watched = connected if window.driver == "KMSDRM" else lambda: None
    service = ScreenService(program, window, server, SystemClock(), panel=panel, turned=turned, displays=watched)
    try:
        while service.step():
            pass
    finally:
        window.close()
        server.close()
        if panel is not None:
            panel.close()


def _panel(touch: Path | None) -> Path | None:
    """The touch panel to use.

    Raises:
        ClickException: there are several, and none was named.
    """
    from hal.touch_panel import panels

    if touch is not None:
        return None if str(touch) == "none" else touch
    found = panels()
    if len(found) > 1:
        listed = ", ".join(map(str, found))
        raise click.ClickException(f"there are {len(found)} touch panels: {listed}; name one with --touch")
    return found[0] if found else None
