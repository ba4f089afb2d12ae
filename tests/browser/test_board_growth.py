"""A board that is open for a whole evening does not grow: neither its page nor the gateway's memory of it."""

from __future__ import annotations

import gc
import tracemalloc
from random import Random

import pytest
from playwright.sync_api import CDPSession, Page, expect

from feed import events
from tests.browser.board_page import BoardPage
from tests.fakes.board_site import POCKETS, PlayedTable, board_site, roulette

ROUNDS_8_HOURS = 480
"""One a minute: twelve such evenings are over 100,000 events."""
LAPS = 14
CHUNK = 12
"""Rounds that are played before the page is looked at: fewer messages than are kept for a page."""
SAMPLES = 5
PAGE_SLACK, NODES_SLACK, SERVER_SLACK = 400_000, 60, 400_000
COLLECTIONS = 3
"""What a later collection frees was held by nothing but an earlier one's queue."""


def play_rounds(board: BoardPage, table: PlayedTable, rng: Random, count: int) -> None:
    """Whole rounds with their laps, in chunks that the page has drawn before the next one comes."""
    for first in range(0, count, CHUNK):
        made = []
        for _ in range(min(CHUNK, count - first)):
            made += [table.bets(), table.start(direction="clockwise")]
            made += [table.event(events.RoundProgress, revolutions=lap, lap_s=0.5) for lap in range(1, LAPS)]
            made += [table.call()]
            made += [
                table.outcome(roulette(rng.choice(POCKETS))) if rng.random() < 0.9 else table.void("ball_direction")
            ]
            made += [table.settle()]
        board.site.play(table, made)
        board.expect_sequence(table)


def collected(session: CDPSession) -> tuple[float, float, float]:
    """Heap, nodes and listeners of the page after a collection of garbage."""
    session.send("HeapProfiler.collectGarbage")
    found = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    return found["JSHeapUsedSize"], found["Nodes"], found["JSEventListeners"]


@pytest.mark.parametrize(
    "rounds", [pytest.param(60, id="one-hour"), pytest.param(ROUNDS_8_HOURS * 4, id="soak", marks=pytest.mark.soak)]
)
def test_an_evening_of_events_leaves_no_trace(page: Page, rounds: int) -> None:
    with board_site() as site:
        board, table, rng = BoardPage(page, site), PlayedTable("roulette-1", "roulette"), Random(1)
        site.play(table, [table.open(), *table.played(roulette(rng.choice(POCKETS)) for _ in range(120))])
        # Views of the statistics have more or fewer nodes.
        board.show(table, motion="off", turn="off")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        play_rounds(board, table, rng, CHUNK)
        tracemalloc.start()
        samples = []
        for _ in range(SAMPLES):
            play_rounds(board, table, rng, rounds // SAMPLES)
            samples.append(min(collected(session) for _ in range(COLLECTIONS)))
            if len(samples) == 1:
                gc.collect()
                server = tracemalloc.get_traced_memory()[0]
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - server
        tracemalloc.stop()
        # In the first sample the page's lists still fill. It may have more nodes than the second, since what is removed
        # from the page is freed some samples later. What grows is more than in these two, in each of the last two.
        first, last = samples[1], samples[-1]
        assert last[0] < first[0] + PAGE_SLACK, samples
        before = max(nodes for _, nodes, _ in samples[:2])
        assert min(nodes for _, nodes, _ in samples[-2:]) <= before + NODES_SLACK, samples
        assert last[2] == first[2], samples
        assert grown < SERVER_SLACK
        expect(board.board().locator(".strip li")).to_have_count(20)
