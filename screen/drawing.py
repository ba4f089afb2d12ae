"""Draws the pictures of a machine's screen: reels, awards, messages, and the views of attendants.

What does not change from frame to frame is drawn once: a frame of turning reels copies ready symbols alone.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

import pygame

from drivers.screen.screen_wire import Scene, SetUpScreen, View
from screen.layout import ROW, Box, Layout, layout_of
from screen.program import Picture
from screen.symbols import symbol

BACK: Final = (14, 18, 27)
PANEL: Final = (29, 36, 51)
WHITE: Final = (243, 246, 250)
PALE: Final = (176, 188, 206)
GOLD: Final = (255, 212, 0)
GREEN: Final = (61, 220, 151)
RED: Final = (198, 40, 40)
BLUE: Final = (21, 101, 192)
REEL: Final = (250, 248, 240)
SHADE: Final = (206, 204, 200)
BACKGROUNDS: Final[dict[View, tuple[int, int, int]]] = {
    "fault": (120, 20, 24),
    "door": (122, 72, 0),
    "test": (12, 60, 120),
    "recall": (60, 34, 110),
}
REELLESS: Final = frozenset({"fault", "door", "test", "recall"})
"""The views that take the place of the reels."""
ANY: Final = "*"
LACKING: Final = "*"
"""The mark of English in place of words that a language lacks, as on the boards."""


@lru_cache
def words(language: str) -> dict[str, str]:
    """The texts of the screen in a language; one that the language lacks is English, with an asterisk."""
    return _over_english(files("screen") / "languages", language)


@lru_cache
def reasons(language: str) -> dict[str, str]:
    """Each code of a fault or verdict in the scoreboard's words; where the language lacks one, in English, with an
    asterisk.
    """
    found = _over_english(files("scoreboard") / "page" / "languages", language)
    return {key.removeprefix("reason."): text for key, text in found.items() if key.startswith("reason.")}


def _over_english(folder: Traversable, language: str) -> dict[str, str]:
    english, own = (_file_of(folder, tag) for tag in ("en", language))
    return {key: own.get(key, text and f"{text}{LACKING}") for key, text in english.items()}


def _file_of(folder: Traversable, language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=64)
def _font(size: int) -> pygame.font.Font:
    return pygame.font.Font(None, max(8, size))


class Painter:
    """Draws on one surface; `pygame.font` must be initialised."""

    def __init__(self, surface: pygame.Surface) -> None:
        self._surface = surface
        self._drawn: Any = None
        """What the parts that seldom change were drawn for."""
        self._model: SetUpScreen | None = None
        self.layout: Layout | None = None
        """Where everything is; None before a table has set it up."""

    def draw(self, picture: Picture, model: SetUpScreen | None) -> bool:
        """Draws a picture. Returns whether anything of it is new."""
        if model is not self._model:
            self._model, self._drawn = model, None
            self.layout = None if model is None else self._layout(model)
        kept = (picture.view, picture.scene, picture.patch, picture.turning, self._blinks(picture), picture.lost)
        still = kept == self._drawn if self._drawn is None else kept == self._drawn[0]
        if still and self._drawn[1] == picture.images:
            return False
        if not still:
            self._still_parts(picture)
        if self.layout is not None and picture.view not in REELLESS and len(picture.images) == len(self.layout.reels):
            self._reels(picture, self.layout)
        self._drawn = (kept, picture.images)
        return True

    def _layout(self, model: SetUpScreen) -> Layout:
        offsets = [abs(offset) for line in model.lines for offset in line]
        rows = 2 * min(2, max(1, *offsets)) + 1
        width, height = self._surface.get_size()
        return layout_of(width, height, len(model.reels), rows, touch=model.touch)

    def _blinks(self, picture: Picture) -> bool:
        """Whether what blinks is dark now: once a second, in a view that asks for something."""
        return picture.view in ("attract", "hand_pay") and picture.age_ns // 500_000_000 % 3 == 2

    # --- the parts that seldom change --------------------------------------------------------------------------------

    def _still_parts(self, picture: Picture) -> None:
        view, scene, model, layout = picture.view, picture.scene, self._model, self.layout
        self._surface.fill(BACKGROUNDS.get(view, BACK))
        if model is None or layout is None:
            self._no_table(picture)
            return
        texts = words(model.language)
        self._header(layout, model, scene, texts)
        if view == "recall":
            self._recall(layout, scene, texts)
        elif view in REELLESS:
            self._stopped(layout, view, scene, texts)
        else:
            self._awards(layout, model, texts, _paid(model, picture) if view == "award" else set())
            self._message(layout, picture, texts)
        if model.light:
            pygame.draw.rect(self._surface, (255, 255, 255) if picture.patch else (0, 0, 0), layout.patch)

    def _no_table(self, picture: Picture) -> None:
        """Nothing holds that a table had shown: no credits, no award, and no token is taken."""
        width, height = self._surface.get_size()
        lost = picture.lost
        texts = words("en" if lost is None else lost.language)
        layout = layout_of(width, height, 3, 3, touch=False)
        unit, body = layout.unit, layout.body
        if lost is not None:
            self._surface.fill(BACKGROUNDS["fault"])
            self._title(layout, lost.title, texts["simulated"] if picture.scene.simulated else "")
        head = texts["waiting" if lost is None else "fault"]
        top = body.y + body.height // 4
        self._text(head, Box(body.x, top, body.width, 16 * unit), WHITE, 15 * unit)
        for place, how in enumerate(("lost_how", "no_token")):
            if lost is not None or how == "no_token":
                line = Box(body.x + 3 * unit, top + (22 + 10 * place) * unit, body.width - 6 * unit, 7 * unit)
                self._text(texts[how], line, GOLD if how == "no_token" else WHITE, 6 * unit)

    def _header(self, layout: Layout, model: SetUpScreen, scene: Scene, texts: dict[str, str]) -> None:
        numbers = f"{texts['play']} {scene.play}     {texts['credits']} {scene.credits}"
        self._title(layout, model.title, texts["simulated"] if scene.simulated else "", numbers)

    def _title(self, layout: Layout, title: str, simulated: str, numbers: str = "") -> None:
        """The title, SIMULATION and numbers, each in a place of its own: none makes another one smaller."""
        box, unit = layout.header, layout.unit
        pygame.draw.rect(self._surface, PANEL, box)
        rows = 2 if box.height > ROW * unit else 1
        row = box.height // rows
        right = box.width - 3 * unit
        at = Box(3 * unit, box.height - row, right - 3 * unit, row)
        if numbers:
            self._text(numbers, at, WHITE, 6 * unit, "right")
            right -= 0 if rows == 2 else min(at.width // 2, _font(6 * unit).size(numbers)[0]) + 3 * unit
        if simulated:
            width = _font(6 * unit).size(simulated)[0] + 4 * unit
            badge = Box(right - width, unit, width, row - 2 * unit)
            pygame.draw.rect(self._surface, GOLD, badge, border_radius=unit)
            self._text(simulated, badge, BACK, 6 * unit)
            right = badge.x - 2 * unit
        self._text(title, Box(3 * unit, 0, right - 3 * unit, row), GOLD, 6 * unit, "left", least=4 * unit)

    def _awards(self, layout: Layout, model: SetUpScreen, texts: dict[str, str], paid: set[int]) -> None:
        box, unit = layout.awards, layout.unit
        pygame.draw.rect(self._surface, PANEL, box, border_radius=2 * unit)
        head = Box(box.x, box.y + unit, box.width, 6 * unit)
        self._text(texts["awards"], head, PALE, 5 * unit)
        columns = 2 if layout.height > layout.width else 1
        per_column = -(-len(model.awards) // columns)
        left = Box(box.x + 2 * unit, head.y + head.height + unit, box.width - 4 * unit, box.height - 15 * unit)
        row_height = min(9 * unit, left.height // max(1, per_column))
        width = left.width // columns
        if any(ANY in symbols for symbols, _ in model.awards):
            foot = Box(box.x + 2 * unit, box.y + box.height - 6 * unit, box.width - 4 * unit, 5 * unit)
            self._text(f"{ANY} {texts['any']}", foot, PALE, 4 * unit)
        for place, (symbols, tokens) in enumerate(model.awards):
            column, row = divmod(place, per_column)
            at = Box(left.x + column * width, left.y + row * row_height, width - 2 * unit, row_height)
            if place in paid:
                pygame.draw.rect(self._surface, (20, 92, 62), at, border_radius=unit)
            side = min(row_height - unit, (at.width - 14 * unit) // len(symbols) - unit // 2)
            for number, name in enumerate(symbols):
                middle = (at.x + unit + side // 2 + number * (side + unit // 2), at.y + row_height // 2)
                if name == ANY:
                    self._text(ANY, Box(middle[0] - side // 2, middle[1] - side // 2, side, side), PALE, side)
                else:
                    drawn = symbol(name, side)
                    self._surface.blit(drawn, drawn.get_rect(center=middle))
            self._text(
                str(tokens),
                Box(at.x + at.width - 12 * unit, at.y, 11 * unit, row_height),
                GOLD,
                row_height * 3 // 4,
                "right",
            )

    def _message(self, layout: Layout, picture: Picture, texts: dict[str, str]) -> None:
        box, unit, scene = layout.message, layout.unit, picture.scene
        touch = self._model is not None and self._model.touch
        owed = _tokens(scene.credits, texts)
        head, how, colour = {
            "attract": (texts["attract"], texts["attract_how_touch" if touch else "attract_how"], WHITE),
            "play": (texts["playing"], "", WHITE),
            "award": (
                texts["won"].format(n=_tokens(scene.award, texts)),
                texts["paid_by_hand"] if scene.by_hand else "",
                GREEN,
            ),
            "hand_pay": (texts["hand_pay"], texts["hand_pay_how"].format(n=owed), GOLD),
        }.get(picture.view, (texts["closed"], texts["closed_how"], PALE))
        dark = self._blinks(picture)
        top = Box(box.x + 8 * unit, box.y, box.width - 16 * unit, box.height * (62 if how else 100) // 100)
        self._text(head, top, PALE if dark else colour, 10 * unit)
        if how:
            self._text(how, Box(top.x, top.y + top.height, top.width, box.height - top.height - unit), PALE, 5 * unit)

    def _stopped(self, layout: Layout, view: View, scene: Scene, texts: dict[str, str]) -> None:
        """A view that takes the place of the reels: why nothing is played."""
        unit, box = layout.unit, layout.body
        self._text(texts[view], Box(box.x, box.y + 4 * unit, box.width, 16 * unit), WHITE, 15 * unit)
        self._text(
            texts[f"{view}_how"],
            Box(box.x + 3 * unit, box.y + 21 * unit, box.width - 6 * unit, 7 * unit),
            WHITE,
            6 * unit,
        )
        top = box.y + 32 * unit
        if view in ("fault", "door"):
            self._text(texts["no_token"], Box(box.x, box.y + 29 * unit, box.width, 6 * unit), GOLD, 5 * unit)
            top += 6 * unit
        if view == "fault":
            for one in scene.faults[:4]:
                named = f"{in_words(one.device)}: {self._reason(one.fault)}"
                self._text(named, Box(box.x, top, box.width, 7 * unit), GOLD, 6 * unit, least=4 * unit)
                top = (
                    self._lines(one.detail, Box(box.x, top + 7 * unit, box.width, 12 * unit), PALE, 4 * unit) + 2 * unit
                )
        if view == "test" and scene.meters:
            self._meters(Box(box.x, top, box.width, box.y + box.height - top), scene, unit)

    def _recall(self, layout: Layout, scene: Scene, texts: dict[str, str]) -> None:
        unit, box = layout.unit, layout.body
        self._text(texts["recall"], Box(box.x, box.y, box.width, 9 * unit), GOLD, 9 * unit)
        self._text(texts["recall_how"], Box(box.x, box.y + 9 * unit, box.width, 5 * unit), WHITE, 4 * unit)
        top, upright = box.y + 16 * unit, layout.height > layout.width
        columns = 1 if upright else 2
        rows = 10 // columns
        room = layout.height - top - (34 if upright else 4) * unit
        height, width = room // rows, box.width // columns
        if not scene.plays:
            self._text(texts["no_plays"], Box(box.x, top, box.width, 10 * unit), WHITE, 6 * unit)
        for place, one in enumerate(scene.plays[:10]):
            column, row = divmod(place, rows)
            at = Box(box.x + column * width, top + row * height, width - 2 * unit, height - unit)
            pygame.draw.rect(self._surface, (38, 20, 74), at, border_radius=unit)
            self._text(
                f"{texts['play']} {one.play}", Box(at.x + unit, at.y, 22 * unit, at.height), PALE, 4 * unit, "left"
            )
            if not one.symbols:
                word = texts.get(one.verdict, one.verdict)
                self._text(
                    f"{word}: {self._reason(one.reason)}" if one.reason else word,
                    Box(at.x + 24 * unit, at.y, at.width - 26 * unit, at.height),
                    GOLD,
                    4 * unit,
                )
                continue
            lines = one.symbols
            side = min(10 * unit, at.height - unit, at.height // len(lines))
            side = min(side, (at.width - 44 * unit) // len(lines[0]))
            for number, line in enumerate(lines):
                y = at.y + at.height // 2 + round((number - (len(lines) - 1) / 2) * side)
                for reel, name in enumerate(line):
                    drawn = symbol(name, max(4, side - 1))
                    self._surface.blit(drawn, drawn.get_rect(center=(at.x + 27 * unit + reel * side, y)))
            paid = Box(at.x + at.width - 19 * unit, at.y, 18 * unit, at.height)
            self._text(_tokens(one.award, texts), paid, GREEN if one.award else PALE, 4 * unit, "right")
        if upright and scene.meters:
            self._meters(Box(box.x, layout.height - 32 * unit, box.width, 30 * unit), scene, unit)

    def _meters(self, box: Box, scene: Scene, unit: int) -> None:
        names = list(scene.meters)
        columns = 2
        rows = -(-len(names) // columns)
        height = min(7 * unit, box.height // max(1, rows))
        width = min(box.width // columns, 70 * unit)
        left = box.x + (box.width - columns * width) // 2
        for place, name in enumerate(names):
            column, row = divmod(place, rows)
            at = Box(left + column * width + unit, box.y + row * height, width - 4 * unit, height)
            self._text(name.replace("_", " "), at, PALE, height * 3 // 5, "left")
            self._text(f"{scene.meters[name]:07}", at, WHITE, height * 3 // 5, "right")

    # --- the reels ---------------------------------------------------------------------------------------------------

    def _reels(self, picture: Picture, layout: Layout) -> None:
        model = self._model
        if model is None:
            return
        texts, unit = words(model.language), layout.unit
        won = {line.line for line in picture.scene.won} if picture.view == "award" else set()
        rows = {line[0] for number, line in enumerate(model.lines, 1) if number in won and len(set(line)) == 1}
        for place, box in enumerate(layout.reels):
            turns = place + 1 in picture.turning
            pygame.draw.rect(self._surface, SHADE, box, border_radius=2 * unit)
            middle = Box(box.x, box.y + (layout.rows // 2) * layout.cell, box.width, layout.cell)
            lines = {line[place] for line in model.lines}
            reel = model.reels[place]
            for row in range(layout.rows):
                offset = layout.rows // 2 - row
                cell = Box(box.x, box.y + row * layout.cell, box.width, layout.cell)
                ground = (196, 255, 214) if offset in rows else REEL if offset in lines else None
                if ground is not None:
                    upper, lower = (2 * unit if row == end else -1 for end in (0, layout.rows - 1))
                    pygame.draw.rect(self._surface, ground, cell, 0, 0, upper, upper, lower, lower)
                drawn = symbol(reel[(picture.images[place] + offset) % len(reel)], round(layout.cell * 0.86))
                self._surface.blit(drawn, drawn.get_rect(center=(cell.x + cell.width // 2, cell.y + cell.height // 2)))
            edge = GREEN if turns else GOLD
            pygame.draw.rect(self._surface, edge, box, width=max(2, unit // 2), border_radius=2 * unit)
            if len(model.lines) == 1 and lines == {0}:
                for x in (box.x, box.x + box.width):
                    y, half = middle.y + middle.height // 2, 2 * unit
                    inward = half if x == box.x else -half
                    pygame.draw.polygon(self._surface, RED, [(x, y - half), (x + inward, y), (x, y + half)])
            if layout.stops:
                stop = layout.stops[place]
                pygame.draw.rect(self._surface, RED if turns else (58, 64, 78), stop, border_radius=2 * unit)
                self._text(texts["stop"], stop, WHITE if turns else PALE, 7 * unit)

    # --- text --------------------------------------------------------------------------------------------------------

    def _reason(self, code: str) -> str:
        """A code in words: in the machine's language, or without its underscores where it is a new one."""
        language = "en" if self._model is None else self._model.language
        return reasons(language).get(code, in_words(code))

    def _text(
        self, text: str, box: Box, colour: tuple[int, int, int], size: int, align: str = "centre", *, least: int = 0
    ) -> None:
        """A line of text in a box: smaller where it would not fit, and cut where it would be smaller than `least`."""
        text, size = fitted(text, box, size, least)
        drawn = _font(size).render(text, True, colour)
        middle = drawn.get_rect(center=(box.x + box.width // 2, box.y + box.height // 2))
        if align == "left":
            middle.left = box.x
        elif align == "right":
            middle.right = box.x + box.width
        self._surface.blit(drawn, middle)

    def _lines(self, text: str, box: Box, colour: tuple[int, int, int], size: int) -> int:
        """Text over several lines; returns where it ends."""
        font, line, top = _font(size), "", box.y
        height = font.get_linesize()
        lines: list[str] = []
        for word in text.split():
            longer = f"{line} {word}".strip()
            if line and font.size(longer)[0] > box.width:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
        for one in lines[: max(1, box.height // height)]:
            self._text(one, Box(box.x, top, box.width, height), colour, size)
            top += height
        return top


def fitted(text: str, box: Box, size: int, least: int = 0) -> tuple[str, int]:
    """A line of text and its size as they fit a box: smaller, but not below `least`; then with less of the text."""
    width, height = _font(size).size(text)
    scale = min(1.0, box.width / max(1, width), box.height * 1.1 / max(1, height))
    if scale < 1.0:
        size = max(least, int(size * scale))
    return (_cut(text, _font(size), box.width) if least else text), size


def in_words(name: str) -> str:
    """A name or a code as words."""
    return name.replace("_", " ").replace(".", " ")


def _cut(text: str, font: pygame.font.Font, width: int) -> str:
    """As much of a text as fits, with the mark that there is more."""
    if font.size(text)[0] <= width:
        return text
    while text and font.size(f"{text}…")[0] > width:
        text = text[:-1]
    return f"{text.rstrip()}…" if text else ""


def _tokens(count: int, texts: dict[str, str]) -> str:
    return texts["token"] if count == 1 else texts["tokens"].format(n=count)


def _paid(model: SetUpScreen, picture: Picture) -> set[int]:
    """The places of the awards that the lines of this picture show, of those lines that the table says have won."""
    found: set[int] = set()
    for won in picture.scene.won:
        for line in model.lines[won.line - 1 : won.line]:
            shown = [
                reel[(image + offset) % len(reel)]
                for reel, image, offset in zip(model.reels, picture.images, line, strict=True)
            ]
            found |= {
                place
                for place, (symbols, tokens) in enumerate(model.awards)
                if tokens == won.award
                and all(want in (ANY, symbol) for want, symbol in zip(symbols, shown, strict=True))
            }
    return found
