"""A bench that is looked at for hours: neither page nor server grows."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.fakes.bench import ROULETTE
from tests.fakes.bench_site import bench_site

pytestmark = pytest.mark.soak

SAMPLES = 12
UPDATES = 2500
"""Between two samples: 100 s at 25 a second; at ten times the speed a quarter of an hour of the table."""
WARM = 6
"""Samples until its lists of readings, reports and frames are full."""
MOST_GROWTH = 1.15


def test_thirty_thousand_updates_leave_the_page_as_large_as_it_was(page: Page) -> None:
    with bench_site(ROULETTE) as site:
        page.goto(site.url)
        expect(page.locator("#link-state")).to_have_text("live")
        browser = page.context.new_cdp_session(page)
        browser.send("Performance.enable")
        site.bench.act("speed", speed=10)
        heaps: list[float] = []
        nodes: list[float] = []
        for _ in range(SAMPLES):
            site.advance(UPDATES * 0.04)
            del site.bench.updates[:-1]
            page.wait_for_function("n => Number(document.documentElement.dataset.update) >= n", arg=site.number)
            browser.send("HeapProfiler.collectGarbage")
            found: list[dict[str, Any]] = browser.send("Performance.getMetrics")["metrics"]
            numbers = {one["name"]: one["value"] for one in found}
            heaps.append(numbers["JSHeapUsedSize"])
            nodes.append(numbers["Nodes"])
        assert max(heaps[WARM:]) < heaps[WARM] * MOST_GROWTH, heaps
        assert max(nodes[WARM:]) < nodes[WARM] * MOST_GROWTH, nodes
        page.goto("about:blank")
