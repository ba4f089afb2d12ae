"""What the actuator of a screen sends: of the scenes of one time the last, and nothing else in its place."""

from __future__ import annotations

from typing import Final

import pytest

from drivers.screen.actuator import ScreenActuator, ScreenModel
from drivers.screen.screen import ScreenConfig, ScreenGone, ScreenUp
from drivers.screen.screen_wire import ALIVE_NS, Alive, Scene, ScreenHello, Show, StopReel, ToScreen, to_screen
from hal.values import SendFrame

HELLO: Final = ScreenHello(
    session="1", at=0, program="p", display="d", width=1, height=1, refresh_mhz=0, synchronised=True, touch=""
)


@pytest.fixture
def actuator() -> ScreenActuator:
    one = ScreenActuator(ScreenConfig())
    one.set_up(ScreenModel("test", (("a", "b", "c"),) * 3, ((0, 0, 0),), (), 100_000_000))
    one.observe(ScreenUp(t_ns=1, hello=HELLO, again=False))
    one.outputs.clear()
    return one


def sent(actuator: ScreenActuator) -> list[ToScreen]:
    """What it sends, once the table takes it."""
    found = [to_screen(one.data.strip()) for one in actuator.outputs if isinstance(one, SendFrame)]
    actuator.outputs.clear()
    return found


def scene(play: int) -> Scene:
    return Scene(view="play", play=play)


def test_of_the_scenes_of_one_time_the_last_is_sent(actuator: ScreenActuator) -> None:
    for play in (1, 2, 3):
        actuator.show(scene(play), 5)
    assert sent(actuator) == [Show(scene=scene(3))]
    actuator.show(scene(4), 5)
    assert sent(actuator) == [Show(scene=scene(4))], "the one before was taken"


def test_scenes_of_two_times_or_with_a_command_between_them_are_all_sent(actuator: ScreenActuator) -> None:
    actuator.show(scene(1), 5)
    actuator.show(scene(2), 6)
    actuator.place(1, 2, 6)
    actuator.show(scene(3), 6)
    found = sent(actuator)
    assert found == [Show(scene=scene(1)), Show(scene=scene(2)), StopReel(reel=1, image=2), Show(scene=scene(3))]


def test_a_screen_that_is_there_is_told_twice_a_second_that_its_table_runs(actuator: ScreenActuator) -> None:
    due = [actuator.next_due_ns]
    for _ in range(3):
        actuator.due(due[-1])
        due.append(actuator.next_due_ns)
    assert due == [1 + n * ALIVE_NS for n in (1, 2, 3, 4)]
    assert sent(actuator) == [Alive()] * 3
    actuator.observe(ScreenGone(t_ns=due[-1], fault="", detail="", lost=True))
    assert actuator.next_due_ns > due[-1] + ALIVE_NS
