"""What the screen draws: in any size, without anything cut off; and where a finger hits."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final

import msgspec
import pygame
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.games.skill_stop_video.model import MODELS
from drivers.screen.screen_wire import RecalledPlay, Scene, SetUpScreen, ShownFault, WonLine
from screen import drawing
from screen.drawing import Painter, fitted, reasons, words
from screen.layout import Box, layout_of
from screen.program import Picture
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


@pytest.fixture
def gaps_in_spanish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Languages where Spanish has one word of the screen alone, and lacks the words of one reason."""
    for package, folder in (("screen", "languages"), ("scoreboard", "page/languages")):
        shutil.copytree(Path(str(files(package))) / folder, tmp_path / package / folder)
    (tmp_path / "screen/languages/es.json").write_text('{"stop": "PARAR"}')
    board = tmp_path / "scoreboard/page/languages/es.json"
    texts = json.loads(board.read_text(encoding="utf-8"))
    del texts["reason.hopper_empty"]
    board.write_text(json.dumps(texts))
    monkeypatch.setattr(drawing, "files", lambda package: tmp_path / package)
    for cached in (words, reasons):
        cached.cache_clear()
    yield
    for cached in (words, reasons):
        cached.cache_clear()


@pytest.mark.usefixtures("gaps_in_spanish")
def test_a_word_that_a_language_lacks_is_drawn_in_english_and_marked() -> None:
    assert (words("es")["stop"], words("es")["attract"]) == ("PARAR", "INSERT A TOKEN*")
    assert words("es")["tokens"].format(n=3) == "3 TOKENS*"
    assert not any(text.endswith("*") for text in words("en").values())
    assert reasons("es")["hopper_empty"] == "the hopper is empty*"
    assert reasons("es")["not_level"] == "la rueda no está nivelada"
    for scene in (Scene(view="attract"), Scene(view="fault")):
        drawn(Shown("gaps", (640, 480), set_up("video_fruit_3", language="es"), picture(scene, (0, 0, 0))))


def test_a_full_hd_stop_button_is_large_enough_for_a_finger() -> None:
    for size in ((1920, 1080), (1080, 1920)):
        for reels in (3, 5):
            for box in layout_of(*size, reels, 3, touch=True).stops:
                assert min(box.width, box.height) >= 100


@pytest.mark.parametrize("one", shown(), ids=lambda one: one.name)
def test_the_pictures_of_the_documentation_are_what_is_drawn(one: Shown) -> None:
    """`python -m tests.window.pictures` draws them again."""
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


class Noting(Painter):
    """Notes each text that it draws, as it fits, and its size."""

    def __init__(self, surface: pygame.Surface) -> None:
        super().__init__(surface)
        self.noted: list[tuple[str, int]] = []

    def _text(
        self, text: str, box: Box, colour: tuple[int, int, int], size: int, align: str = "centre", *, least: int = 0
    ) -> None:
        self.noted.append(fitted(text, box, size, least))
        super()._text(text, box, colour, size, align, least=least)


def noted(size: tuple[int, int], shown: Picture, model: SetUpScreen | None) -> dict[str, float]:
    """What is drawn, and how large: in units, hundredths of the shorter side."""
    painter = Noting(pygame.Surface(size))
    painter.draw(shown, model)
    return {text: drawn / (min(size) // 100) for text, drawn in painter.noted}


LONG: Final = msgspec.structs.replace(set_up("video_fruit_3"), title="Boardwalk Grand Opening Skill Stop No. 14 " * 3)


@pytest.mark.parametrize("size", [(1920, 1080), (1080, 1920), (640, 480), (480, 480)])
def test_a_long_title_leaves_simulation_and_numbers_as_large_as_they_are(size: tuple[int, int]) -> None:
    scene = Scene(view="play", play=119_800, credits=55, simulated=True)
    found = noted(size, picture(scene, (0, 1, 2)), LONG)
    assert found["SIMULATION"] >= 5
    assert found["PLAY 119800     CREDITS 55"] >= 5
    (title,) = [drawn for text, drawn in found.items() if text.startswith("Boardwalk") and text.endswith("…")]
    assert title >= 4


def test_a_fault_has_words_and_no_code_and_tells_that_no_token_is_taken() -> None:
    faults = [
        ShownFault(device="machine", fault="token_in_doubt", detail="opto 2 did not follow"),
        ShownFault(device="coins.hopper_1", fault="a_code_of_tomorrow", detail=""),
    ]
    plays = [RecalledPlay(play=3, verdict="void", reason="dealer_call")]
    for language, doubt in (("en", "a token is in doubt"), ("es", "una ficha está en duda")):
        model = set_up("video_fruit_3", language=language)
        found = noted((1920, 1080), picture(Scene(view="fault", faults=faults), (0, 0, 0)), model)
        assert f"machine: {doubt}" in found
        assert "coins hopper 1: a code of tomorrow" in found
        assert words(language)["no_token"] in found
        found |= noted((1920, 1080), picture(Scene(view="recall", plays=plays), (0, 0, 0)), model)
        assert not [text for text in found if "_" in text]


def test_a_table_that_is_gone_leaves_no_credit_and_no_award_on_the_screen() -> None:
    scene = Scene(view="closed", simulated=True)
    found = noted((1920, 1080), Picture((), (), "closed", scene, 0, patch=False, lost=LONG), None)
    assert {"OUT OF ORDER", "SIMULATION", words("en")["no_token"], words("en")["lost_how"]} <= set(found)
    assert not [text for text in found if "CREDITS" in text or "WIN" in text or "INSERT A" in text]


def test_before_a_table_is_there_the_screen_waits_and_asks_for_no_token() -> None:
    texts = words("en")
    assert {*noted((640, 480), picture(Scene(view="closed"), ()), None)} == {texts["waiting"], texts["no_token"]}
