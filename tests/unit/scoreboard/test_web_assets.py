"""The files of a page."""

from __future__ import annotations

import posixpath
import re

import pytest

from scoreboard.web.assets import Assets, AssetsError

FIRST_LOAD = 137_000
"""Octets of the board's page where nothing of it is in the browser yet. The folder of the fonts has 70,552 unpacked:
three fonts of 66,176, which are packed already, and their licence."""

ALL_OF_IT = 165_000
"""Octets of all that any address of the page loads, with every language, of which a page has two at most."""


def test_each_file_has_its_path_its_type_and_a_tag_of_its_content() -> None:
    assets = Assets({"index.html": b"<p>", "js/board.js": b"1", "js/same.js": b"1"})
    assert sorted(assets.paths) == ["/", "/index.html", "/js/board.js", "/js/same.js"]
    assert assets.paths["/"].content_type == "text/html; charset=utf-8"
    assert assets.paths["/js/board.js"].content_type == "text/javascript; charset=utf-8"
    assert assets.paths["/js/board.js"].etag == assets.paths["/js/same.js"].etag != assets.paths["/"].etag


def test_a_folder_may_lie_below_a_path() -> None:
    assert sorted(Assets({"a.css": b"", "in/index.html": b""}, below="/web/").paths) == [
        "/web/a.css",
        "/web/in/",
        "/web/in/index.html",
    ]


@pytest.mark.parametrize("below", ["", "web/", "/web"])
def test_a_path_without_its_slashes_is_refused(below: str) -> None:
    with pytest.raises(AssetsError, match="slash"):
        Assets({}, below=below)


def test_a_file_whose_type_a_browser_would_have_to_guess_is_refused_by_name() -> None:
    with pytest.raises(AssetsError, match=r"js/board\.ts: .*ts"):
        Assets({"js/board.ts": b""})


def test_a_folder_that_is_missing_is_reported() -> None:
    with pytest.raises(AssetsError, match="no folder nowhere"):
        Assets.of_package("scoreboard", "nowhere")


def test_the_modules_that_every_page_shares_are_small() -> None:
    assets = Assets.of_package("scoreboard.web", "static", below="/web/")
    assert {"/web/channel.js", "/web/dom.js"} <= set(assets.paths)
    assert assets.total_bytes < 20_000


def test_the_page_asks_for_every_module_at_once_and_the_first_load_is_small() -> None:
    paths = {
        **Assets.of_package("scoreboard", "page").paths,
        **Assets.of_package("scoreboard.web", "static", below="/web/").paths,
    }
    imported = ["main.js"]
    for module in imported:
        text = paths[f"/{module}"].body.decode()
        for name in re.findall(r'^import [^;]*?from "([^"]+)"', text, re.MULTILINE):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(module), name))
            imported += [path] if path not in imported else []
    words = [name for name in paths if name.endswith("/en.json")]
    start = paths["/start.js"].body.decode()
    asked = dict(re.findall(r"const (\w+) = \[(.*?)\]", start, re.DOTALL))
    assert sorted(re.findall(r'"([^"]+)"', asked["MODULES"])) == sorted(imported)
    assert sorted(re.findall(r'"([^"]+)"', asked["WORDS"])) == sorted(name[1:] for name in words)
    fonts = [name for name in paths if name.startswith("/fonts/")]
    others = ["/", "/start.js", "/board.css", "/cards.css", "/icon.svg", *words, *fonts]
    loaded = [paths[name] for name in [*others, *(f"/{module}" for module in imported)]]
    assert sum(len(asset.packed or asset.body) for asset in loaded) < FIRST_LOAD


def test_all_that_a_page_may_load_is_small_too() -> None:
    files = {
        asset.etag: len(asset.packed or asset.body)
        for assets in (Assets.of_package("scoreboard", "page"), Assets.of_package("scoreboard.web", "static"))
        for asset in assets.paths.values()
    }
    assert sum(files.values()) < ALL_OF_IT
