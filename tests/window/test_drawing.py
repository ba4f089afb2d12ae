"""What the screen draws: in any size, without anything cut off; and where a finger hits."""

from __future__ import annotations

from pathlib import Path

import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.games.skill_stop_video.model import MODELS
from drivers.screen.screen_wire import Scene, WonLine
from screen.drawing import Painter
from screen.layout import Box, layout_of
from screen.symbols import DRAWN, symbol
from tests.window.pictures import FOLDER, drawn, reduced
from tests.window.scenes import Shown, picture, set_up, shown


def test_every_symbol_of_every_model_has_a_drawing_and_no_two_look_alike() -> None:
    names = {name for model in MODELS.names for reel in MODELS.named(model).reels for name in reel}
    assert names <= set(DRAWN)
    looks = {name: pygame.image.tobytes(symbol(name, 80), "RGBA") for name in [*DRAWN, "wild", "melon"]}
    assert len(set(looks.values())) == len(looks)
    for name, look in looks.items():
        lit = sum(alpha > 128 for alpha in look[3::4])
        assert 0.15 < lit / 6400 < 0.95, f"{name} is hardly to be seen, or fills its square"


@settings(max_examples=60, deadline=None)
@given(
    width=st.integers(320, 4096),
    height=st.integers(320, 4096),
    reels=st.integers(3, 5),
    rows=st.sampled_from([3, 5]),
    touch=st.booleans(),
)
def test_in_any_size_every_part_is_on_the_picture_and_no_two_stops_overlap(
    width: int, height: int, reels: int, rows: int, touch: bool
) -> None:
    layout = layout_of(width, height, reels, rows, touch=touch)
    whole = Box(0, 0, width, height)
    for box in (layout.header, layout.message, layout.awards, *layout.reels, *layout.stops, layout.patch):
        assert whole.holds(box.x, box.y)
        assert whole.holds(box.x + box.width - 1, box.y + box.height - 1)
    for reel, box in enumerate(layout.stops, 1):
        assert layout.stop_at(box.x, box.y) == layout.stop_at(box.x + box.width - 1, box.y + box.height - 1) == reel
        assert layout.stop_at(box.x - 1, box.y) == layout.stop_at(box.x, box.y - 1) == 0
        assert box.x >= layout.reels[reel - 1].x
    assert len(layout.stops) == (reels if touch else 0)
    assert layout.cell * rows <= height


def test_a_full_hd_stop_button_is_large_enough_for_a_finger() -> None:
    for size in ((1920, 1080), (1080, 1920)):
        for reels in (3, 5):
            for box in layout_of(*size, reels, 3, touch=True).stops:
                assert min(box.width, box.height) >= 100


@pytest.mark.parametrize("one", shown(), ids=lambda one: one.name)
def test_the_pictures_of_the_documentation_are_what_is_drawn(one: Shown) -> None:
    """`python -m tests.window.pictures` draws them anew."""
    kept = pygame.image.load(Path(FOLDER) / f"screen-{one.name}.png")
    now = reduced(drawn(one))
    assert kept.get_size() == now.get_size()
    was, is_now = (pygame.image.tobytes(picture, "RGB") for picture in (kept, now))
    assert sum(a != b for a, b in zip(was[::17], is_now[::17], strict=True)) < len(was[::17]) // 200


def test_a_frame_that_shows_the_same_is_not_drawn_again() -> None:
    painter = Painter(pygame.Surface((640, 480)))
    model = set_up("video_fruit_3")
    scene = Scene(view="play", play=1)
    assert painter.draw(picture(scene, (1, 2, 3), (1, 2, 3)), model)
    assert not painter.draw(picture(scene, (1, 2, 3), (1, 2, 3)), model)
    assert painter.draw(picture(scene, (2, 3, 4), (1, 2, 3)), model)
    won = Scene(view="award", play=1, award=6, won=[WonLine(line=1, award=6)])
    assert painter.draw(picture(won, (2, 3, 4)), model)


def test_before_a_table_is_there_the_screen_waits() -> None:
    surface = pygame.Surface((640, 480))
    painter = Painter(surface)
    painter.draw(picture(Scene(view="closed"), ()), None)
    assert painter.layout is None
    assert len({surface.get_at((x, 240))[:3] for x in range(640)}) > 1, "it says so"
