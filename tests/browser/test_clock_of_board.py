"""The time of day on a board is that of its server, whatever the browser's own clock shows."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.board_page import BoardPage
from tests.browser.conftest import without_errors
from tests.browser.scenes import SCENES, play
from tests.fakes.board_site import TIME_OF_DAY_MS, BoardSite
from tests.shares import first_of

MINUTE_MS = 60_000

WRONG = """
const Right = Date;
globalThis.Date = class extends Right {
  constructor(...given) { given.length ? super(...given) : super(0); }
  static now() { return 0; }
};
"""


@pytest.mark.parametrize(("language", "evening"), first_of(1, [("en", "8:15 PM"), ("es", "20:15"), ("de", "20:15")]))
def test_the_time_is_the_servers_in_a_browser_with_a_wrong_clock_and_zone(
    browser: Browser, site: BoardSite, language: str, evening: str
) -> None:
    context = browser.new_context(timezone_id="Asia/Kolkata", locale="en-US")
    context.add_init_script(WRONG)
    with without_errors(context.new_page()) as page:
        play(site, SCENES["craps"])
        table = play(site, SCENES["roulette"])
        clock = BoardPage(page, site).show(table, lang=language).page.locator(".clock")
        expect(clock).to_have_text(evening)
        # A server whose clock is set has another time with its next beat, and one that knows none says so.
        site.day_ms = TIME_OF_DAY_MS - 15 * MINUTE_MS
        expect(clock).to_have_text(evening.replace("15", "00"))
        site.day_ms = None
        expect(clock).to_have_text("–:–")
        site.day_ms = TIME_OF_DAY_MS
        BoardPage(page, site).show(lang=language)
        expect(page.locator(".hall-foot .clock")).to_have_text(evening)
    context.close()


# The gateway's clock is the page's, ten seconds behind.
READ = """async readings => {
  const { WallClock } = await import("./wall_clock.js");
  const clock = new WallClock();
  const age = { ofMoment: at => at + 10_000 };
  const found = [clock.read(age, 0)];
  for (const [at, day_ms, now] of readings) {
    if (at !== null) clock.heard({ at, day_ms });
    found.push(clock.read(age, now));
  }
  clock.heard({ at: 0, day_ms: 0 });
  found.push(clock.read({ ofMoment: () => -Infinity }, 0));
  return found;
}"""


def test_the_time_goes_on_over_midnight_and_is_unknown_five_seconds_after_the_last_beat(shown: BoardPage) -> None:
    midnight = 24 * 60 * MINUTE_MS
    readings = [
        (100, midnight - 1, 10_100),
        (None, 0, 10_101),
        (None, 0, 15_100),
        (None, 0, 15_101),
        (6_000, 5_899, 16_000),
        (7_000, None, 17_000),
    ]
    shown.page.goto(shown.site.url)
    found = shown.page.evaluate(READ, [[*one] for one in readings])
    assert found == [None, "11:59 PM", "12:00 AM", "12:00 AM", None, "12:00 AM", None, None]
