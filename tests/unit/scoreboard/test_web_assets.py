"""The files of a page."""

from __future__ import annotations

import pytest

from scoreboard.web.assets import Assets, AssetsError


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
