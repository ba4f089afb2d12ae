"""The printed report in a browser: nothing sticks out of the paper, nothing is loaded."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page

from controller.games.catalogue import GAME
from controller.rules.house import house_words
from feed.events import decode
from fleet.cli.report import FleetHeading, report_page
from fleet.statistics.dataset import Choice, Dataset, collecting
from fleet.statistics.summary import summarize
from fleet.subjects import TableName
from tests.fakes.table_history import VOID, TableHistory, outcome_of

PAPER_PX = 688
"""The text of A4 between its margins, at 96 pixels an inch."""
OVERFLOWING = """() => [...document.querySelectorAll("table, svg, h1, p, dl, li, figure")]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1 ||
    one.scrollWidth > one.clientWidth + 1 && one.tagName !== "svg")
  .map((one) => one.tagName + ": " + one.textContent.slice(0, 60))"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """Of tables with the longest names that there are."""
    with collecting(tmp_path / "data") as collector:
        for number in range(3):
            history = TableHistory(f"roulette-in-the-very-far-corner-{number}").open(identity="0123456789abcdef")
            for spin in range(120):
                history.later(45).pocket(str(spin % 37), passes=12, missed_passes=1, off_center=0.3)
            history.void("double_zero_as_single_zero", "13:47-20.32(i)2").fault("sensor_missing").later(99).cleared()
            history.corrected(3, outcome_of("2"), VOID).unknown().close()
            collector.begin()
            for seq, body in enumerate(history.bodies, 1):
                table = TableName("the-long-name-of-a-venue-of-ours", False, history.table)
                collector.add(table, decode(body), body, str(seq))
    summary = summarize(Dataset(tmp_path / "data"), Choice(), GAME)
    heading = FleetHeading("The summer night of the fire brigade", 0, ZoneInfo("America/New_York"), "feltwire 0.1.0")
    (tmp_path / "report.html").write_text(report_page(summary, heading, house_words), encoding="utf-8")
    return tmp_path / "report.html"


def test_nothing_sticks_out_of_the_paper_and_nothing_is_loaded(page: Page, report: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": PAPER_PX, "height": 1000})
    page.emulate_media(media="print")
    page.goto(report.as_uri())
    assert asked == [report.as_uri()]
    assert page.evaluate(OVERFLOWING) == []
    assert page.locator("section h2").count() == 9
    printed = page.pdf(format="A4", prefer_css_page_size=True)
    # /MediaBox of A4, and more than a page: it is not a screenshot.
    assert printed.startswith(b"%PDF") and printed.count(b"/Type /Page\n") > 2
