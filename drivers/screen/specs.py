"""The screen of a machine as a device: its link, its buttons, its light sensor, and what makes them."""

from __future__ import annotations

from collections.abc import Collection

from drivers.base.device_spec import DeviceSpec, LineUse, WiredFinding, by_keys_and_name
from drivers.screen.actuator import ScreenActuator
from drivers.screen.screen import LIGHT, Screen, ScreenConfig, stop_line
from drivers.screen.screen_wire import LINK, LONGEST
from hal.framing import Framer, LineFramer


def screen_lines(config: ScreenConfig) -> dict[str, LineUse]:
    """The messages of the screen's program, the stop buttons and the light sensor."""
    lines = {LINK: LineUse("program of the screen", "lines of JSON", "where `feltwire screen` listens", "link")}
    if config.buttons:
        for reel in range(1, config.reels + 1):
            contact = "contact that closes when it is pressed"
            lines[stop_line(reel)] = LineUse(f"stop button of reel {reel}, below it", "pressed", contact, contact=True)
    if config.light:
        seen = "the patch is lit"
        lines[LIGHT] = LineUse("light sensor at the patch in the picture's corner", seen, "output of the light sensor")
    return lines


def _framing(keys: ScreenConfig) -> Framer:
    """A line holds a whole message."""
    return LineFramer(LONGEST)


def _on_wires(keys: ScreenConfig, given: Collection[str]) -> list[WiredFinding]:
    """A real display lags as it was measured, and no default knows it."""
    found: list[WiredFinding] = []
    if "latency_ms" not in given:
        wrong = "is not given: it decides which image was lit when the player pressed"
        found.append(WiredFinding("latency_ms", wrong, "measure it (docs/devices/skill-stop-video.md)", missing=True))
    if keys.touch and "touch_latency_ms" not in given:
        wrong = "is not given: it decides which image was lit when a finger came down"
        found.append(WiredFinding("touch_latency_ms", wrong, 'measure it, or write stops = "buttons"', missing=True))
    if keys.window_touch:
        wrong = "is true: touches then count that no kernel has dated"
        found.append(WiredFinding("window_touch", wrong, "leave it out at a table that is played"))
    if not keys.synchronised:
        wrong = "is false: a frame may then be lit up to a whole refresh later than it is reported"
        found.append(WiredFinding("synchronised", wrong, "leave it out at a table that is played"))
    return found


VIDEO_SCREEN = DeviceSpec(
    name="video_screen",
    keys=ScreenConfig,
    lines=screen_lines,
    make=by_keys_and_name(Screen, ScreenActuator),
    framing=_framing,
    on_wires=_on_wires,
)
