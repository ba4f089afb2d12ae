"""The watch over the pace of money wheels and dice, beside the other watch of the table."""

from __future__ import annotations

from typing import Any

import pytest

from controller.games.assembly import table_for
from controller.games.load import check_text
from feed import events
from feed.events import Evidence, Tumbling
from tests.tables.bench import configured

TABLES = {
    "wheel": '[table]\nid = "t"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n',
    "cage": '[table]\nid = "t"\ngame = "chuck_a_luck"\n[lines]\nbackend = "sim"\n',
    "craps": '[table]\nid = "t"\ngame = "craps"\nrules = "njac-19:47"\n[lines]\nbackend = "sim"\n[device.reader]\n',
}
S = 10**9


def warned(text: str) -> list[tuple[str, str]]:
    """What the watch of a table finds in rounds of 72 s, over an hour; their dice are moved for 1 s."""
    watch = table_for(configured(text), epoch="sim", simulated=True)._watch
    evidence = Evidence(tumbles=[Tumbling(inversions=3, moved_s=1.0)])
    result = {"result": {}, "winning": [], "rule": "ours", "evidence": evidence}
    found = []
    for begin_s in range(0, 51 * 72, 72):
        steps: list[tuple[type[Any], int, dict[str, Any]]] = [
            (events.RoundOpened, 0, {}),
            (events.RoundStarted, 40, {}),
            (events.Outcome, 60, result),
            (events.Settled, 72, {"by": "auto"}),
        ]
        for kind, s, fields in steps:
            data = kind(table="t", game="g", simulated=True, mono_ns=(begin_s + s) * S, round=1, **fields)
            found += [] if watch is None else [(one.warning, one.detail) for one in watch.see(data)]
    return found


@pytest.mark.parametrize("table", TABLES)
def test_the_keys_of_the_pace_decide_at_wheels_and_dice(table: str) -> None:
    text = TABLES[table]
    bounds = ["least_games_an_hour = 60", "most_games_an_hour = 40", "least_games_an_hour = 40"]
    found = [warned(f"{text}[watch]\n{key}\nidle_s = 30\n") for key in ["", *bounds]]
    assert [[warning for warning, _ in of] for of in found] == [[], ["games_an_hour"], ["games_an_hour"], []]
    ((_, detail),) = found[1]
    assert detail.startswith("50 games an hour, below the least, 60; idle 8 min of 61; betting 30 s, play 20 s")


def test_dice_that_are_shaken_weakly_are_warned_of_beside_the_pace() -> None:
    keys = "[watch]\nleast_moved_s = 2\nleast_games_an_hour = 60\n"
    assert [warning for warning, _ in warned(TABLES["cage"] + keys)] == ["weak_shakes", "games_an_hour"]


@pytest.mark.parametrize("table", TABLES)
def test_bounds_that_exclude_each_other_are_refused(table: str) -> None:
    text = f"{TABLES[table]}[watch]\nleast_games_an_hour = 60\nmost_games_an_hour = 60\n"
    (error,) = check_text(text).errors
    assert "watch.least_games_an_hour: 60 is not below most_games_an_hour, 60" in str(error)
