"""A skill-stop video under test: its buttons and its touch panel, and what its screen reports."""

from __future__ import annotations

from collections.abc import Sequence

from drivers.screen.screen_wire import LINK, Scene, Show, SpinReel, ToScreen, to_screen
from hal.values import Edge, EdgesLost, Loss, SendFrame
from simulators.screen.table import Happening, ScreenGeometry, ScreenSimulator
from tests.tables.bench import EventList
from tests.tables.spun_machine import MS, SpunMachine

LAG_NS = 12 * MS
"""From a finger on the panel to the kernel's event."""


def video_toml(options: str = "", more: str = "") -> str:
    """The file of a simulated skill-stop video."""
    game = f"[game]\n{options}\n" if options else ""
    return f'[table]\nid = "video-1"\ngame = "skill_stop_video"\n[lines]\nbackend = "sim"\n{game}{more}'


class VideoMachine(SpunMachine):
    """A machine with three reels on a screen, whose player is the test."""

    def __init__(self, text: str | None = None, seed: int = 1, *, light: bool = False) -> None:
        self.messages: list[ToScreen] = []
        """What the screen was told."""
        self.screen = ScreenSimulator(ScreenGeometry(light=light), seed)
        super().__init__(video_toml() if text is None else text, self.screen, 1)

    def told(self, outputs: Sequence[SendFrame]) -> None:
        """What the screen was told."""
        self.messages += [to_screen(one.data.strip()) for one in outputs if one.link == LINK]

    @property
    def spun(self) -> list[int]:
        """The reels that the screen was told to turn."""
        return [one.reel for one in self.messages if isinstance(one, SpinReel)]

    @property
    def scene(self) -> Scene:
        """What the screen was told to show last."""
        return next(one.scene for one in reversed(self.messages) if isinstance(one, Show))

    @property
    def shown(self) -> str:
        """The view that the screen was told to show last."""
        return self.scene.view

    @property
    def images(self) -> tuple[int, ...]:
        """What is lit."""
        return self.screen.light[-1][1]

    @property
    def turning(self) -> list[int]:
        """The reels that turn on the screen."""
        return [number for number in (1, 2, 3) if self.screen.program.turns_now(number)]

    def happens(self, happening: Happening, after_s: float = 0.0) -> None:
        """Something happens at the screen."""
        self.screen.plan(self.now_ns + 1 + round(after_s * 1e9), happening)

    def restart(self) -> EventList:
        """The power of all fails, and comes back."""
        self.happens(lambda screen, t_ns: screen.lose_link())
        self.happens(ScreenSimulator.start_program, 0.3)
        first = self.begin()
        self.feed(*(Edge(line, 0, self.now_ns) for line in self.screen.lines if line != LINK))
        return EventList(self.said[first:])

    def press(self, reel: int, *, touch: bool = False, after_ns: int = 1, for_ms: float = 80) -> int:
        """A button, or the one on the screen, is pressed; returns when."""
        at_ns, until_ns = self.now_ns + after_ns, self.now_ns + after_ns + round(for_ms * MS)
        if touch:
            self.screen.plan(at_ns + LAG_NS, lambda screen, t_ns: screen.touch(t_ns, reel))
            self.screen.plan(until_ns + LAG_NS, ScreenSimulator.lift)
        else:
            self.screen.plan_edges(Edge(f"stop_{reel}", 1, at_ns), Edge(f"stop_{reel}", 0, until_ns))
        return at_ns

    def stop(self, reel: int, *, touch: bool = False) -> EventList:
        """A reel is stopped."""
        first = len(self.said)
        self.press(reel, touch=touch)
        self.wait(0.3)
        return EventList(self.said[first:])

    def play(self) -> EventList:
        """A whole play."""
        first = len(self.said)
        self.token()
        self.wait(1.0)
        for reel in (1, 2, 3):
            self.stop(reel)
        return EventList(self.said[first:])

    def lose(self, cause: Loss = Loss.UNPLUGGED) -> None:
        """The link is down."""
        self.screen.plan_rare(EdgesLost(LINK, cause, self.now_ns + 1))
