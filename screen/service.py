"""The running program of a screen: link, display and touch panel around `screen.program`.

    every turn:  lines of the table ──► program;  touches ──► table;  picture ──► display ──flip──► report ──► table

A table that is silent for 2 s is gone: the screen shows so, and hangs up, so that one that was only stopped sets it up
again. While a reel turns, each flip is dated before and after it. While none turns, it waits for whatever comes first.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final, Literal, Protocol

from drivers.screen.screen_wire import LONGEST, SILENT_NS, ScreenWireError
from hal.clock import NS_PER_S, Clock
from hal.line_server import LineServer
from hal.lines import LineError
from hal.touch_panel import TouchEvent
from screen.drawing import Painter
from screen.program import ScreenProgram
from screen.window import Window

log = logging.getLogger(__name__)

LOOK_NS: Final = NS_PER_S
"""How often it looks whether the display is still connected (ours)."""
REST_NS: Final = NS_PER_S // 20
"""While nothing turns, it looks at its window this often (ours)."""


def listen(port: int) -> LineServer:
    """Where the table reaches the screen. Raises `LineError` where it cannot listen there."""
    return LineServer(port, longest=LONGEST)


class Panel(Protocol):
    """A touch panel, as `hal.touch_panel.TouchPanel`."""

    name: str

    def fileno(self) -> int:
        """Its descriptor."""

    def read(self) -> list[TouchEvent]:
        """What the fingers did; raises `LineError` where it is gone."""

    @property
    def dropped(self) -> int:
        """How often the kernel had to drop events."""


class ScreenService:
    """One screen."""

    def __init__(
        self,
        program: ScreenProgram,
        window: Window,
        server: LineServer,
        clock: Clock,
        *,
        panel: Panel | None = None,
        turned: int = 0,
        displays: Callable[[], tuple[str, ...] | None] = lambda: None,
    ) -> None:
        """`turned` is by how many degrees, clockwise, the picture is turned against the panel. `displays` looks which
        displays are connected; None where nobody knows.
        """
        self._program = program
        self._window = window
        self._server = server
        self._clock = clock
        self._panel = panel
        self._turned = turned
        self._displays = displays
        self._painter = Painter(window.surface)
        self._frame_ns = NS_PER_S // window.refresh_hz
        self._next_ns = 0
        self._looked_ns = -LOOK_NS
        self._connected = True
        self._heard_ns = 0
        """When the table was heard last."""
        self._fingers = 0
        self._panel_gone = ""
        """Why the panel is gone; empty while it is not."""
        self._dropped = 0
        """How often the panel's events were dropped, as far as that was reported."""
        self._refused = 0
        self.frames = 0
        """Frames that were given to the display."""

    @property
    def refused(self) -> int:
        """Lines of the table that were not messages, or too long for one."""
        return self._refused + self._server.refused

    def step(self) -> bool:
        """One turn. Returns False once the window was closed."""
        now_ns = self._clock.now_ns()
        if self._server.accept():
            log.info("a table is connected")
            self._server.send(self._program.hello(now_ns))
            self._heard_ns = now_ns
            if self._panel_gone:
                self._trouble("touch", self._panel_gone)
            self._looked_ns, self._connected = -LOOK_NS, True
        for line in self._server.lines():
            try:
                self._program.take(line, now_ns)
            except ScreenWireError as error:
                self._refused += 1
                log.warning("a line of the table is not a message: %s", error)
            else:
                self._heard_ns = now_ns
        if self._program.model is not None and now_ns - self._heard_ns >= SILENT_NS:
            log.error(
                "nothing arrived from the table for %d s: the machine is shown as out of order", SILENT_NS // NS_PER_S
            )
            self._program.lose_table()
            self._server.hang_up()
        self._server.flush()
        self._touches()
        closed = self._pointed(now_ns)
        self._look(now_ns)
        self._frame()
        return not closed

    def _frame(self) -> None:
        """Makes the frame that is due, or waits."""
        now_ns = self._clock.now_ns()
        if now_ns < self._next_ns:
            self._wait(self._next_ns - now_ns)
            return
        picture = self._program.picture(now_ns)
        new = self._painter.draw(picture, self._program.model)
        if not (new or self._program.turns or now_ns >= self._program.next_change_ns(now_ns)):
            self._wait(REST_NS)
            return
        asked_ns = self._clock.now_ns()
        self._window.flip()
        made_ns = self._clock.now_ns()
        self.frames += 1
        report = self._program.flipped(picture, asked_ns, made_ns)
        if report is not None and self._program.model is not None:
            self._server.send(report)
        # A display that synchronises has made it wait already; another is given a frame in its time.
        self._next_ns = 0 if self._window.synchronised else now_ns + self._frame_ns

    def _wait(self, for_ns: int) -> None:
        self._server.wait(for_ns, () if self._panel is None else (self._panel,))

    # --- fingers -----------------------------------------------------------------------------------------------------

    def _touches(self) -> None:
        if self._panel is None:
            return
        try:
            touches = self._panel.read()
        except LineError as error:
            log.error("%s", error)
            self._panel, self._panel_gone = None, str(error)
            self._program.lose_touch()
            self._trouble("touch", self._panel_gone)
            return
        if self._panel.dropped > self._dropped:
            self._dropped = self._panel.dropped
            self._missed()
        for touch in touches:
            x, y = self._at(touch.x, touch.y)
            self._finger(touch.t_ns, x, y, touch.down, by_kernel=True)

    def _missed(self) -> None:
        """The kernel dropped events: while a reel turns, one of them may have been the press that stops it."""
        log.warning("events of the touch panel were dropped: they were not read in time")
        if self._program.turns:
            self._trouble("touch", "events of the panel were dropped while a reel turned: a press may be lost")
            self._trouble("touch", "the panel is read again", fails=False)

    def _at(self, x: float, y: float) -> tuple[int, int]:
        """Where on the picture a place on the panel is."""
        width, height = self._window.size
        for _ in range(self._turned // 90):
            x, y = y, 1.0 - x
        return min(width - 1, int(x * width)), min(height - 1, int(y * height))

    def _pointed(self, now_ns: int) -> bool:
        pointed, closed = self._window.events()
        if self._panel is None:
            for one in pointed:
                self._finger(now_ns, one.x, one.y, one.down, by_kernel=False)
        return closed

    def _finger(self, t_ns: int, x: int, y: int, down: bool, *, by_kernel: bool) -> None:
        self._fingers = max(0, self._fingers + (1 if down else -1))
        if down:
            self._server.send(self._program.touched(t_ns, x, y, self._stop_at(x, y), by_kernel))
        elif not self._fingers:
            self._server.send(self._program.lifted(t_ns, x, y, by_kernel))

    def _stop_at(self, x: int, y: int) -> int:
        layout = self._painter.layout
        return 0 if layout is None else layout.stop_at(x, y)

    # --- the display -------------------------------------------------------------------------------------------------

    def _look(self, now_ns: int) -> None:
        """Looks whether a display is connected."""
        if now_ns - self._looked_ns < LOOK_NS:
            return
        self._looked_ns = now_ns
        displays = self._displays()
        connected = displays is None or bool(displays)
        if connected != self._connected:
            self._connected = connected
            detail = "a display is connected" if connected else "no display is connected; look at its cable"
            self._trouble("display", detail, fails=not connected)

    def _trouble(self, what: Literal["display", "touch"], detail: str, *, fails: bool = True) -> None:
        self._server.send(self._program.trouble(self._clock.now_ns(), what, detail, fails=fails))
