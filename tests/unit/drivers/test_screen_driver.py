"""What the driver of a screen makes of what its program reports: what fails with a part, and what ends that."""

from __future__ import annotations

from typing import Final, Literal

import pytest

from drivers.base.spun_reels import ReelsTrouble
from drivers.screen.screen import Screen, ScreenConfig
from drivers.screen.screen_wire import LINK, FromScreen, ScreenHello, ScreenTrouble, Touched, line_of
from hal.values import EdgesLost, Frame, Loss

S: Final = 1_000_000_000


class Reported:
    """A driver, and the troubles that it reports."""

    def __init__(self, config: ScreenConfig | None = None) -> None:
        self._screen = Screen(config or ScreenConfig())
        self._t_ns = 0

    def hello(self, *, touch: str = "panel", session: str = "1") -> list[tuple[str, str]]:
        """The screen's program connects."""
        return self.sends(
            ScreenHello(
                session=session,
                at=self._t_ns,
                program="p",
                display="KMSDRM",
                width=640,
                height=480,
                refresh_mhz=0,
                synchronised=True,
                touch=touch,
            )
        )

    def trouble(self, what: Literal["display", "touch"], *, fails: bool = True) -> list[tuple[str, str]]:
        """A part of the screen fails, or works again."""
        return self.sends(ScreenTrouble(at=self._t_ns, what=what, fails=fails, detail="so it is"))

    def sends(self, message: FromScreen) -> list[tuple[str, str]]:
        """Fault and cause of each trouble that begins; of one that ends the fault is empty."""
        self._t_ns += S
        found = self._screen.frame(Frame(LINK, line_of(message), self._t_ns))
        return [(one.fault, one.cause) for one in found if isinstance(one, ReelsTrouble)]

    def gone(self) -> None:
        """The link is down."""
        self._t_ns += S
        self._screen.lost(EdgesLost(LINK, Loss.UNPLUGGED, self._t_ns))

    def waits(self, for_s: int) -> list[tuple[str, str]]:
        """Time passes."""
        self._t_ns += for_s * S
        found = self._screen.due(self._t_ns)
        return [(one.fault, one.cause) for one in found if isinstance(one, ReelsTrouble)]


@pytest.mark.parametrize("stops", ["both", "touch"])
def test_a_screen_without_a_panel_fails_where_reels_are_stopped_by_touch(stops: Literal["both", "touch"]) -> None:
    screen = Reported(ScreenConfig(stops=stops))
    assert screen.hello(touch="") == [("touch_failed", "touch")]
    assert screen.hello(touch="") == [], "it stands"
    assert screen.hello(touch="panel") == [("", "touch")]


def test_no_panel_is_missed_where_nothing_is_stopped_by_one() -> None:
    for config in (ScreenConfig(stops="buttons"), ScreenConfig(window_touch=True)):
        assert Reported(config).hello(touch="") == []
    buttons = Reported(ScreenConfig(stops="buttons"))
    buttons.hello(touch="panel")
    assert buttons.trouble("touch") == []


@pytest.mark.parametrize("what", ["touch", "display"])
@pytest.mark.parametrize("session", ["1", "2"])
def test_a_part_that_failed_works_again_with_the_next_hello_unless_it_is_reported_again(
    what: Literal["display", "touch"], session: str
) -> None:
    screen = Reported()
    assert screen.hello() == []
    assert screen.trouble(what) == [(f"{what}_failed", what)]
    screen.gone()
    assert ("", what) in screen.hello(session=session)
    assert screen.trouble(what) == [(f"{what}_failed", what)]


def test_a_finger_that_was_stuck_is_gone_with_the_program_that_reported_it() -> None:
    screen = Reported()
    screen.hello()
    screen.sends(Touched(at=1, down=True, x=1, y=1, reel=0, by="kernel"))
    assert ("touch_stuck", "finger") in screen.waits(6)
    screen.gone()
    assert ("", "finger") in screen.hello(session="2")
