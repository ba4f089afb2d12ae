"""The pictures of the scoreboard in README.md and in docs, and the words that stand on them.

    python -m tests.browser.pictures                takes them again
    python -m tests.browser.pictures --gallery      takes every board at four sizes: docs/gallery.md

A picture lies in docs/pictures/ beside a text file: the words that the page showed when it was taken. A test compares
those words with the page of today, and not pixels, so that it fails when a picture shows something else than the board.
Those of the gallery are in one file, by board.
"""

from __future__ import annotations

import argparse
import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.board_page import BoardPage
from tests.browser.conftest import launch
from tests.browser.layout import HD, PHONE, PORTRAIT, UHD, resize
from tests.browser.scenes import SCENES, play, play_hall
from tests.fakes.board_site import BoardSite, board_site
from tests.fakes.venue import EVENING, venue

FOLDER: Final = Path(__file__).resolve().parents[2] / "docs" / "pictures"
QUALITY: Final = 82
"""Of WebP: small, and without a visible trace."""
WIDE: Final = (1600, 900)
TALL: Final = (900, 1600)
SMALL: Final = (1280, 720)


class Picture(NamedTuple):
    """One picture."""

    name: str
    scenes: tuple[str, ...]
    size: tuple[int, int] = WIDE
    language: str = "en"
    more: Mapping[str, str] = MappingProxyType({})
    """More of the page's address: `recall`."""
    venue: str = ""
    """The venue's file."""

    @property
    def image(self) -> Path:
        return FOLDER / f"{self.name}.webp"

    @property
    def words(self) -> Path:
        return FOLDER / f"{self.name}.txt"


PICTURES: Final = (
    Picture(
        "scoreboard-hall",
        (
            "roulette",
            "money_wheel",
            "sic_bo",
            "roulette_refused",
            "craps",
            "baccarat",
            "roulette_spinning",
            "under_over",
            "fault",
        ),
    ),
    Picture("scoreboard-roulette", ("roulette",)),
    Picture("scoreboard-spinning", ("roulette_spinning",)),
    Picture("scoreboard-refused", ("roulette_refused",)),
    Picture("scoreboard-sic-bo", ("sic_bo",)),
    Picture("scoreboard-craps", ("craps",)),
    Picture("scoreboard-baccarat", ("baccarat",)),
    Picture("scoreboard-caribbean-stud", ("stud_progressive_result",)),
    Picture("scoreboard-blackjack", ("blackjack_dealing",)),
    Picture("scoreboard-money-wheel-es", ("money_wheel",), TALL, "es"),
    Picture("scoreboard-venue", ("roulette",), venue=EVENING),
    *(
        Picture(f"machine-{scene.replace('_', '-')}", (scene,), SMALL)
        for scene in (
            *("reel", "reel_turning", "reel_hand_pay", "reel_open", "reel_test"),
            *("pusher_ready", "pusher_playing", "pusher", "pusher_open", "pusher_test", "pusher_fault"),
        )
    ),
    Picture("machine-reel-fault-recall", ("reel_fault",), SMALL, more={"recall": "on"}),
)


OF_ONE_SCENE: Final = {
    picture.scenes[0]: picture
    for picture in PICTURES
    if len(picture.scenes) == 1 and picture.language == "en" and not picture.more and not picture.venue
}
"""Those that show nothing but a scene, by it."""
RENEW: Final = "take them again: python -m tests.browser.pictures"


def words_at(page: Page, size: tuple[int, int]) -> str:
    """The words on the boards of a screen of this size, a line each, as they are shown."""
    resize(page, size)
    text = page.locator("main").inner_text()
    return "\n".join(line for line in (" ".join(one.split()) for one in text.splitlines()) if line) + "\n"


@contextmanager
def site_of(picture: Picture) -> Iterator[BoardSite]:
    """The site that a picture is taken of."""
    with TemporaryDirectory() as folder:
        options: dict[str, Any] = {"venue": venue(Path(folder), picture.venue)} if picture.venue else {}
        with board_site(**options) as site:
            yield site


def show(page: Page, site: BoardSite, picture: Picture) -> None:
    """Shows what a picture shows."""
    tables = [play(site, SCENES[name]) for name in picture.scenes]
    page.emulate_media(reduced_motion="reduce")
    table = tables[0] if len(tables) == 1 else None
    board = BoardPage(page, site).show(table, lang=picture.language, **picture.more)
    expect(board.board()).to_have_count(len(tables))
    if picture.venue:
        expect(page.locator(".around.strip img").last).to_be_visible()


GALLERY: Final = FOLDER / "gallery"
GALLERY_WORDS: Final = GALLERY / "words.json"
GALLERY_PAGE: Final = FOLDER.parent / "gallery.md"
GALLERY_SIZES: Final = (HD, UHD, PORTRAIT, PHONE)
GALLERY_QUALITY: Final = 60
SHEET_HEIGHT: Final = 432
"""Of each picture of a sheet, in pixels."""
HALL: Final = "hall"
HALL_TABLES: Final = 12
RENEW_GALLERY: Final = "look at it, and take it again: python -m tests.browser.pictures --gallery"


def boards_of_gallery() -> dict[str, str]:
    """Each board of the gallery, and what it shows."""
    found = {name: " ".join((scene.__doc__ or "").split()) for name, scene in SCENES.items()}
    return {**found, HALL: f"A hall of {HALL_TABLES} tables: the first of its pages."}


def gallery_page() -> str:
    """The page of the gallery."""
    sizes = ", ".join(f"{width}×{height}" for width, height in GALLERY_SIZES)
    lines = ["# Every board", "", f"Each board of the [scoreboard](scoreboard.md) at {sizes}.", ""]
    for name, what in boards_of_gallery().items():
        title = name.replace("_", " ")
        lines += [f"## {title.capitalize()}", "", what, "", f"![{title}](pictures/gallery/{name}.webp)", ""]
    lines.append("`.venv/bin/python -m tests.browser.pictures --gallery` takes them again.")
    return "\n".join(lines) + "\n"


def gallery_words() -> dict[str, list[str]]:
    """The words of each board of the gallery at 1280x720, as they were when it was taken."""
    found: dict[str, list[str]] = json.loads(GALLERY_WORDS.read_text())
    return found


def show_of_gallery(page: Page, site: BoardSite, name: str) -> None:
    """Shows a board of the gallery."""
    page.emulate_media(reduced_motion="reduce")
    if name != HALL:
        BoardPage(page, site).show(play(site, SCENES[name]))
        return
    play_hall(site, HALL_TABLES)
    BoardPage(page, site).show().expect_tables(HALL_TABLES)


def take_gallery(only: Sequence[str] = ()) -> None:
    """Takes a sheet of every board, or of some, their words, and the page; those of boards that are no more go."""
    GALLERY.mkdir(exist_ok=True)
    boards = boards_of_gallery()
    for old in GALLERY.glob("*.webp"):
        if old.stem not in boards:
            old.unlink()
    words = gallery_words() if only else {}
    with sync_playwright() as playwright, launch(playwright) as browser:
        page, sheet = browser.new_page(locale="en-US"), browser.new_page()
        session = sheet.context.new_cdp_session(sheet)
        for name in only or boards:
            with board_site() as site:
                show_of_gallery(page, site, name)
                words[name] = words_at(page, HD).splitlines()
                shots = []
                for size in GALLERY_SIZES:
                    resize(page, size)
                    shots.append(base64.b64encode(page.screenshot(type="jpeg", quality=90)).decode())
                page.goto("about:blank")
            images = "".join(f'<img height={SHEET_HEIGHT} src="data:image/jpeg;base64,{shot}">' for shot in shots)
            sheet.set_content(f'<body style="margin:0;background:#333;display:flex;gap:8px">{images}')
            widths = [SHEET_HEIGHT * width // height for width, height in GALLERY_SIZES]
            sheet.set_viewport_size({"width": sum(widths) + 8 * (len(widths) - 1), "height": SHEET_HEIGHT})
            taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": GALLERY_QUALITY})
            image = GALLERY / f"{name}.webp"
            image.write_bytes(base64.b64decode(taken["data"]))
            print(f"{image.relative_to(FOLDER.parents[1])}: {image.stat().st_size // 1024} KiB", flush=True)
    in_order = {name: words[name] for name in boards if name in words}
    GALLERY_WORDS.write_text(json.dumps(in_order, ensure_ascii=False, indent=1) + "\n")
    GALLERY_PAGE.write_text(gallery_page())


def take() -> None:
    """Takes every picture."""
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright, launch(playwright) as browser:
        page = browser.new_page(locale="en-US")
        session = page.context.new_cdp_session(page)
        for picture in PICTURES:
            with site_of(picture) as site:
                show(page, site, picture)
                words = words_at(page, picture.size)
                taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
                picture.image.write_bytes(base64.b64decode(taken["data"]))
                picture.words.write_text(words)
                print(f"{picture.image.relative_to(FOLDER.parents[1])}: {picture.image.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.browser.pictures", description="Takes the pictures again.")
    parser.add_argument(
        "--gallery",
        nargs="*",
        metavar="BOARD",
        choices=boards_of_gallery(),
        help="every board at four sizes, for docs/gallery.md; or the boards of these names",
    )
    boards = parser.parse_args().gallery
    take() if boards is None else take_gallery(boards)
