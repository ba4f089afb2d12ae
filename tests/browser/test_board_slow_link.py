"""Boards behind a slow, late or cut link, and in a busy page: an old result is never shown as new."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest
from playwright.sync_api import Page

from tests.browser.scenes import SCENES
from tests.browser.slow_link import STEP_S, LinkKind, watch
from tests.shares import first_of

CLEAN: Final = LinkKind(most_stale=0.001)
KINDS: Final = {
    "1.5 kB/s": LinkKind(octets_s=1_500),
    "a state a second of each table": LinkKind(octets_s=40_000, most_stale=0.05),
    "clean": CLEAN,
    "half a second late": LinkKind(delay_s=0.5),
    "four seconds late": LinkKind(delay_s=4.0),
    "cut": LinkKind(cut_s=8.0),
    "cut and late": LinkKind(octets_s=10_000, delay_s=0.3, cut_s=4.0),
    "busy page": LinkKind(is_busy=True, most_stale=0.001),
    "slow hall": LinkKind(octets_s=40_000),
    "busy page behind 3 kB/s": LinkKind(octets_s=3_000, is_busy=True),
}
SAMPLED: Final = [
    ("a state a second of each table", 4),
    ("cut and late", 8),
    ("busy page", 4),
]
"""Of `make test`: the kind, and how many seconds; some are slow. The busy page has a clean link, and may be stale no
more often."""
TABLES: Final = 4
RUNS, TABLE_S = 3, 400
"""Of the soak: runs of each kind, each of so many seconds of one table, of which four have a result: 3,000 results."""
MOST_TABLES: Final = 9
"""A hall's page has room for them."""


def games(rng: Random, tables: int) -> list[str]:
    """A scene for each of so many tables; each is of another game, where there are enough."""
    of_games: dict[str, str] = {}
    for scene, make in SCENES.items():
        table, _ = make()
        if table.state.history.outcomes:
            of_games.setdefault(table.game, scene)
    scenes = [*of_games.values()]
    return rng.sample(scenes, min(tables, len(scenes))) + rng.choices(scenes, k=max(0, tables - len(scenes)))


def looked_at(page: Page, name: str, tables: int, seconds: float, seed: int) -> int:
    """How many results were published; no sample is late, and no more than allowed have the mark."""
    kind = KINDS[name]
    seen = watch(page, kind, games(Random(seed), tables), seconds, seed)
    assert seen.late == []
    assert seen.samples == tables * round(seconds / STEP_S)
    assert len(seen.stale) <= kind.most_stale * seen.samples, seen.stale
    return seen.results


@pytest.mark.parametrize(("name", "seconds"), SAMPLED, ids=[name for name, _ in SAMPLED])
def test_no_result_older_than_three_seconds_is_without_its_mark(page: Page, name: str, seconds: float) -> None:
    assert looked_at(page, name, TABLES, seconds, seed=1) > 0


@pytest.mark.parametrize(
    ("name", "seconds"), first_of(1, [("slow hall", 6), ("slow hall", 60), ("cut and late", 60), ("busy page", 60)])
)
def test_what_a_hall_names_of_other_pages_is_no_older(page: Page, name: str, seconds: float) -> None:
    """Twenty tables, some nine on each of three pages, which take turns in the longer runs."""
    seen = watch(page, KINDS[name], games(Random(2), 20), seconds)
    assert seen.late == []
    assert seen.elsewhere > 0


@pytest.mark.soak
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("run", range(RUNS))
def test_of_all_games_behind_all_kinds_of_links(page: Page, name: str, run: int) -> None:
    rng = Random(f"{name} {run}")
    tables = rng.randrange(4, MOST_TABLES + 1)
    looked_at(page, name, tables, TABLE_S / tables, seed=run)
