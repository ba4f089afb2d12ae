"""Pictures of the bench page: those of the documents, and a trial of what can be found out from pictures alone.

    PYTHONPATH=. .venv/bin/python tests/bench_pictures.py docs              writes docs/pictures/bench-*.webp
    PYTHONPATH=. .venv/bin/python tests/bench_pictures.py trial FOLDER TABLE  ten pictures, 01.png ... 10.png

A trial injects each of ten faults once, in an order that nobody knows, and takes one picture a fault: the round, a few
seconds after its verdict. The order is in FOLDER/key.json: whoever judges the pictures opens it last.
"""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import SystemRandom
from tempfile import TemporaryDirectory
from typing import Final

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.fakes.bench import MONEY_WHEEL, captured, config_of
from tests.fakes.bench_site import BenchSite, bench_site
from tests.fakes.time_limits import HANG_MS

ROOT: Final = Path(__file__).resolve().parents[1]
SIZE: Final = {"width": 1600, "height": 900}
TRIALS: Final = {
    "roulette": (
        "short_spin",
        "late_call",
        "same_direction",
        "rotor_stopped",
        "rotor_reversed",
        "ball_picked_up",
        "two_balls",
        "tilt",
        "stuck_sensor",
        "lost_pulse",
    ),
    "money_wheel": (
        "short_spin",
        "wind_up",
        "reversed_spin",
        "spun_early",
        "between_spaces",
        "stuck_sensor",
        "dead_sensor",
        "index_slip",
        "bounce",
        "cable_pulled",
    ),
}
"""The ten faults of each trial; the judge knows these lists, and not which picture has which."""
DOCS: Final = (
    ("roulette", "bench-roulette", "5 revolutions", None),
    ("money_wheel", "bench-money-wheel", "4 revolutions", None),
    ("chuck_a_luck", "bench-cage", "inverted 3 times", None),
    ("under_over", "bench-chute", "the dice are tumbled", None),
    ("sic_bo", "bench-sic-bo", "OUTCOME", None),
    ("craps", "bench-craps", "OUTCOME", None),
    ("baccarat_shuffler", "bench-baccarat", "OUTCOME", None),
    ("roulette", "bench-refused", "VOID", "same_direction"),
)
VERDICTS: Final = ("OUTCOME", "VOID", "UNRESOLVED")


def table(name: str) -> str:
    """The file of an example."""
    return (ROOT / "examples" / f"{name}.toml").read_text(encoding="utf-8")


@contextmanager
def browser() -> Iterator[Browser]:
    """A real browser."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield chromium
        chromium.close()


@contextmanager
def looked_at(chromium: Browser, name: str, seed: int) -> Iterator[tuple[BenchSite, Page]]:
    """A bench of an example, and a browser that looks at it."""
    with bench_site(table(name), seed=seed) as site:
        page = chromium.new_context(viewport=SIZE).new_page()  # type: ignore[arg-type]
        page.set_default_timeout(HANG_MS)
        page.goto(site.url)
        page.wait_for_selector("#link-state.good")
        yield site, page
        page.context.close()


def run(site: BenchSite, words: tuple[str, ...], more_s: float) -> None:
    """Lets time pass until an event has one of these words, and a little more."""
    while not any(word in one for one in site.bench.words for word in words):
        site.advance(0.2)
    site.advance(more_s)


def picture(site: BenchSite, page: Page, path: Path) -> None:
    """Takes a picture once the page has shown the last update."""
    page.wait_for_function("n => Number(document.documentElement.dataset.update) >= n", arg=site.number)
    page.evaluate("() => new Promise((done) => setTimeout(done, 120))")
    page.screenshot(path=str(path))


SMALLER: Final = """async (png) => {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", 0.8).split(",")[1];
}"""
"""The browser writes the picture again, a third as large."""


def smaller(chromium: Browser, png: Path, webp: Path) -> None:
    """Writes a picture as WebP."""
    page = chromium.new_page()
    encoded = page.evaluate(SMALLER, b64encode(png.read_bytes()).decode("ascii"))
    webp.write_bytes(b64decode(encoded))
    page.close()


def docs() -> None:
    """The pictures of the documents."""
    folder = ROOT / "docs" / "pictures"
    folder.mkdir(exist_ok=True)
    with browser() as chromium:
        for name, file, words, fault in DOCS:
            with looked_at(chromium, name, 1) as (site, page):
                if fault is not None:
                    site.bench.act("arm", fault=fault)
                run(site, (words,), 0.6)
                with TemporaryDirectory() as scratch:
                    png = Path(scratch) / "picture.png"
                    picture(site, page, png)
                    smaller(chromium, png, folder / f"{file}.webp")
                print(f"{file}.webp")
        compared(chromium, folder / "bench-compare.webp")


def compared(chromium: Browser, webp: Path) -> None:
    """The picture of two captures of one spin, of which the second lacks an edge."""
    config = config_of(MONEY_WHEEL)
    with looked_at(chromium, "money_wheel", 1) as (site, page), TemporaryDirectory() as scratch:
        site.advance(1)
        for name, drop in (("analyser.vcd", 5), ("table.vcd", None)):
            page.locator("#file").set_input_files(captured(config, Path(scratch) / name, "none", drop=drop))
            expect(page.locator("#capture-name")).to_have_text(name)
        page.locator("#compare").click()
        expect(page.locator("#differences button").first).to_be_visible()
        png = Path(scratch) / "picture.png"
        picture(site, page, png)
        smaller(chromium, png, webp)
    print(webp.name)


def trial(folder: Path, name: str) -> None:
    """The pictures of one trial, in an order that is only in its key."""
    folder.mkdir(parents=True, exist_ok=True)
    random = SystemRandom()
    order = random.sample(TRIALS[name], len(TRIALS[name]))
    with browser() as chromium:
        for number, fault in enumerate(order, 1):
            with looked_at(chromium, name, random.randrange(10**6)) as (site, page):
                site.bench.act("arm", fault=fault)
                begun = len(site.bench.updates)
                run(site, VERDICTS, 3.0)
                lasted_s = (len(site.bench.updates) - begun) * 0.04
                for _ in range(8):
                    if float((page.text_content("#window-length") or "0").split()[0]) >= lasted_s:
                        break
                    page.click("#zoom-out")
                    site.advance(0.04)
                    page.evaluate("() => new Promise((done) => setTimeout(done, 80))")
                picture(site, page, folder / f"{number:02}.png")
    (folder / "key.json").write_text(json.dumps(order), encoding="utf-8")
    print(f"{len(order)} pictures in {folder}; judge them before you open key.json")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["docs"]:
            docs()
        case ["trial", where, name] if name in TRIALS:
            trial(Path(where), name)
        case _:
            sys.exit(__doc__)
