"""A venue's keys and images, checked: the files that pages load, or every mistake with its key and fix."""

from __future__ import annotations

import stat
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from math import floor
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from .colors import ENOUGH, WHITE, Color, contrast, nearest
from .images import MOST_BYTES, ImageError, MadeImage, WantedImage, can_decode, make_all
from .keys import ColorKeys, VenueKeys

IMAGE_BOX: Final = (640, 320)
"""An image is made to fit in this, in pixels: on a screen of 4K the strip has room for no more (ours)."""

FELT: Final = Color.of("#0a2018")
"""The boards' background, as `board.css` has it."""
BRASS: Final = Color.of("#e6c377")
"""Their accent."""
INK: Final = Color.of("#14110a")
"""Text on the accent."""
IVORY: Final = Color.of("#f7f2e6")
"""Text."""
TEXTS: Final = tuple(map(Color.of, ("#f7f2e6", "#b8c7bb", "#a9cdf0", "#9fcbff", "#ffb0a8", "#ffd23f", "#ffe39a")))
"""Every color of text that a board has on its background."""
SHADES: Final = {"--felt-deep": 0.5, "--felt": 1.0, "--felt-raised": 1.3, "--felt-top": 2.0, "--line": 2.6}
"""The shades of a board's background, darkest first: as `board.css` has them, by the factor of each."""
VEIL: Final = 0.07
"""How much white is over the lightest shade, below text."""
PLATES: Final = tuple(map(Color.of, ("#14110a", "#06140e")))
"""Other colors that the accent is text on: the plate of a special face, the ring of laps."""


class VenueMistake(NamedTuple):
    """What is wrong with a key."""

    path: tuple[str | int, ...]
    wrong: str
    fix: str


class VenueImage(msgspec.Struct, frozen=True, omit_defaults=True):
    """An image, as a page loads it."""

    src: str
    width: int
    height: int
    on_light: bool = False
    """Whether it needs a light plate below it."""
    name: str = ""
    seconds: float = 0.0


class VenuePage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a page shows of a venue: `venue.json`."""

    charity: str = ""
    message: str = ""
    logo: VenueImage | None = None
    sponsors: list[VenueImage] = []
    colors: dict[str, str] = {}
    """Colors by the property of `board.css` that they replace."""


class Venue:
    """The files of the site that show a venue."""

    def __init__(self, page: VenuePage, images: Mapping[str, bytes]) -> None:
        self.page = page
        self.files: dict[str, bytes] = {"venue.json": msgspec.json.encode(page), **images}
        """By their paths on the site, without the first slash."""


NO_VENUE: Final = Venue(VenuePage(), {})
"""Where none is given."""


def dress(folder: Path, keys: VenueKeys, how_to_install: str) -> tuple[Venue, list[VenueMistake]]:
    """The venue of a folder, and what is wrong with it; `how_to_install` is said where Pillow is missing."""
    mistakes = list(_hidden_text(keys))
    colors, wrong_colors = colors_of(keys.colors)
    images, wrong_images = _images(folder, keys, how_to_install)
    mistakes += [*wrong_colors, *wrong_images]
    if mistakes:
        return NO_VENUE, mistakes
    files: dict[str, bytes] = {}

    def on_page(path: tuple[str | int, ...], name: str = "", seconds: float = 0.0) -> VenueImage:
        made = images[path]
        # Another image has another address: no browser shows one that it has kept.
        src = f"venue/{sha256(made.content).hexdigest()[:16]}.webp"
        files[src] = made.content
        return VenueImage(src, made.width, made.height, made.dark, name, seconds)

    page = VenuePage(
        charity=keys.charity,
        message=keys.message,
        logo=on_page(("logo",)) if keys.logo is not None else None,
        sponsors=[on_page(("sponsor", at, "image"), one.name, one.seconds) for at, one in enumerate(keys.sponsor)],
        colors=colors,
    )
    return Venue(page, files), []


# Text


def _hidden_text(keys: VenueKeys) -> Iterator[VenueMistake]:
    """Text of nothing that is seen, and marks heaped upon a letter. What cannot be printed, such as characters that
    turn the direction of text, is refused as the file is read, as in a table's file."""
    texts: dict[tuple[str | int, ...], str] = {("charity",): keys.charity, ("message",): keys.message}
    texts |= {("sponsor", at, "name"): one.name for at, one in enumerate(keys.sponsor)}
    for path, text in texts.items():
        if not text.isprintable():
            yield VenueMistake(path, "has characters that cannot be printed", "write one line without them")
        elif text and not text.strip():
            yield VenueMistake(path, "is only spaces", "write words, or leave the key out")
        elif _heaped(text):
            yield VenueMistake(path, "has more than two marks on one letter", "leave them out: they cover other lines")


def _heaped(text: str) -> bool:
    marks = 0
    for letter in text:
        marks = marks + 1 if unicodedata.category(letter) in ("Mn", "Me") else 0
        if marks > 2:
            return True
    return False


# Colors


class _Pair(NamedTuple):
    """A text and what it is on."""

    text: Color
    on: Color

    @property
    def contrast(self) -> float:
        return contrast(self.text, self.on)


def colors_of(keys: ColorKeys) -> tuple[dict[str, str], list[VenueMistake]]:
    """The colors of a page, and those that cannot be read."""
    mistakes: list[VenueMistake] = []
    found: dict[str, str] = {}

    def check(key: str, color: Color, pairs: Callable[[Color], list[_Pair]]) -> bool:
        worst = min(pairs(color), key=lambda pair: pair.contrast)
        if worst.contrast >= ENOUGH:
            return True
        near = nearest(color, lambda one: all(pair.contrast >= ENOUGH for pair in pairs(one)))
        fix = (
            "change the other color: none passes with it" if near is None else f"write {near}, the nearest that passes"
        )
        shown = floor(worst.contrast * 100) / 100
        wrong = f"{color}: text of {worst.text} on {worst.on} has a contrast of {shown:.2f}, and needs {ENOUGH}"
        mistakes.append(VenueMistake(("colors", key), wrong, fix))
        return False

    felt = FELT
    if keys.background is not None:
        given = Color.of(keys.background)
        found |= {name: str(given.times(factor)) for name, factor in SHADES.items()}
        if check("background", given, lambda color: [_Pair(text, _lightest(color)) for text in TEXTS]):
            felt = given
    if keys.accent is not None:
        accent = Color.of(keys.accent)
        on = (_lightest(felt), *PLATES)
        check("accent", accent, lambda color: [*(_Pair(color, one) for one in on), _Pair(INK, color)])
        found["--brass"] = str(accent)
    strip = felt.times(SHADES["--felt-deep"]) if keys.strip is None else Color.of(keys.strip)
    text = IVORY if keys.strip_text is None else Color.of(keys.strip_text)
    if keys.strip_text is not None:
        check("strip_text", text, lambda color: [_Pair(color, strip)])
        found["--strip-text"] = str(text)
    elif keys.strip is not None:
        check("strip", strip, lambda color: [_Pair(text, color)])
    if keys.strip is not None:
        found["--strip"] = str(strip)
    return found, mistakes


def _lightest(felt: Color) -> Color:
    """The lightest that text of a board is on, where the background is this color."""
    return felt.times(SHADES["--felt-top"]).mixed(WHITE, VEIL)


# Images


def _images(
    folder: Path, keys: VenueKeys, how_to_install: str
) -> tuple[dict[tuple[str | int, ...], MadeImage], list[VenueMistake]]:
    """Each image by its key, and those that are not taken."""
    named: dict[tuple[str | int, ...], str] = {} if keys.logo is None else {("logo",): keys.logo}
    named |= {("sponsor", at, "image"): one.image for at, one in enumerate(keys.sponsor)}
    if named and not can_decode():
        path = next(iter(named))
        return {}, [VenueMistake(path, "images are decoded by Pillow, which is not installed", how_to_install)]
    read: dict[tuple[str | int, ...], WantedImage] = {}
    mistakes = []
    for path, name in named.items():
        try:
            read[path] = WantedImage(_content(folder / name), *IMAGE_BOX)
        except ImageError as error:
            mistakes.append(_refused(path, folder / name, str(error)))
    made = dict(zip(read, make_all(list(read.values())), strict=True))
    mistakes += [_refused(path, folder / named[path], one.refused) for path, one in made.items() if one.refused]
    return made, mistakes


def _refused(path: tuple[str | int, ...], file: Path, words: str) -> VenueMistake:
    wrong, _, fix = words.partition("; ")
    return VenueMistake(path, f"{file}: {wrong}", fix)


def _content(file: Path) -> bytes:
    """The bytes of a file, no more of it than are taken.

    Raises:
        ImageError: it cannot be read.
    """
    try:
        # A pipe would be waited for.
        if not stat.S_ISREG(file.stat().st_mode):
            raise ImageError("it is not a file; give the name of an image in the folder")
        with file.open("rb") as opened:
            return opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise ImageError(f"it cannot be read: {error.strerror}; give the name of an image in the folder") from error
