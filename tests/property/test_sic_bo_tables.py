"""Whatever hands, lamps, shakers and orders do to a sic bo table: no outcome that the rules do not allow, no lamp dark
before the bets are settled, nothing left on, and always a documented way back to play.

The judge knows what the hands did, and the oracle of the areas; it knows nothing of how the table decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

import pytest

from feed import events
from feed.events import Event
from hal.output_values import LightLamps, Output
from tests.oracle.dice import sic_bo_areas
from tests.tables.sic_bo_table import NEW, OLD, SicBoBench, sic_bo_toml

AREAS: Final = sic_bo_areas()
TABLES: Final = {
    "by hand, old": sic_bo_toml(OLD),
    "by hand, new": sic_bo_toml(NEW),
    "automated": sic_bo_toml(NEW, devices="[device.automated_shaker]"),
    "serial": sic_bo_toml(NEW, devices='[device.automated_shaker]\ncontrol = "serial"'),
    "both": sic_bo_toml(NEW, devices="[device.automated_shaker]\n[device.shaker]"),
}
TOSS_FAULTS: Final = (None, None, "no_start", "stops_early", "fails", "garbled")
ORDERS: Final = (
    *("settle", "settle_attended by=ann", "void", "void reason=dice_not_flat by=bob", "no_more_bets"),
    *("clear device=lamp_board by=ann", "clear device=automated_shaker by=ann", "clear device=shaker by=ann"),
    *("shift_begins by=ann", "operate_shaker by=ann", "dice_placed by=ann age_h=3", "lamp_test by=ann"),
    *("shaker_removed by=ann", "shaker_placed by=ann", "inspect_dice dice=1-2-3 by=ann"),
    *("correct round=1 dice=1-1-1 by=ann why=seen", "confirm dice=4-2-1 by=bob", "close reason=late by=ann force=true"),
    *("open by=ann", "inspect_start device=shaker by=ann", "inspect_start device=automated_shaker by=ann"),
    *("inspect_fail device=shaker checks=electrical_device by=ann",),
    *("inspect_fail device=automated_shaker checks=electrical_device by=ann",),
)


class Judge:
    """Checks everything that the table has said and done since the last look."""

    def __init__(self, bench: SicBoBench) -> None:
        self.bench = bench
        self.settling: int | None = None
        bench.watch = self.look

    def look(self, said: Sequence[Event], shown: Sequence[Output]) -> None:
        """Judges what is said, and then what is done."""
        for event in said:
            self.event(event.data)
        for output in shown:
            if isinstance(output, LightLamps):
                assert output.lit or self.settling is None, "the lamps went dark before the bets were settled"

    def event(self, data: events.Data) -> None:
        """One event."""
        if isinstance(data, events.Outcome):
            self.outcome(data)
        elif isinstance(data, events.Settled | events.TableClosed) or _voids(data):
            self.settling = None

    def outcome(self, data: events.Outcome) -> None:
        """An outcome must be of three dice that were entered and, unless the lamps failed, lit."""
        dice = tuple(data.result["dice"])
        assert len(dice) == 3
        winning = {bet.bet for bet in data.winning}
        assert winning == {name for name, rolls in AREAS.items() if dice in rolls}
        tumbling = (data.evidence.tumbles or [])[0]
        assert tumbling.keyed == list(dice), "an outcome of values that nobody entered"
        assert tumbling.rest_ns is not None, "an outcome of dice that nobody saw lie"
        by_hand = self.bench.game.tossing is None
        assert not by_hand or (tumbling.shakes or 0) >= 3, "an outcome of too few shakes"
        self.settling = data.round


def _voids(data: events.Data) -> bool:
    return isinstance(data, events.RoundCorrected) and data.to.result is None


def act(bench: SicBoBench, rng: Random) -> None:
    """Something happens."""
    what = rng.randrange(20)
    dice = "-".join(str(rng.randint(1, 6)) for _ in range(rng.choice((3, 3, 3, 2))))
    if what < 4:
        if bench.game.tossing is None:
            bench.played(dice)
        else:
            bench.call().wait(16).key("1-2-3")
    elif what == 4:
        bench.call()
    elif what == 5:
        bench.cover() if rng.random() < 0.5 else bench.uncover()
    elif what == 6:
        bench.shake(rng.randint(1, 4))
    elif what == 7:
        bench.key(dice)
    elif what == 8:
        bench.wait(rng.choice((0.1, 1.0, 3.0, 30.0)))
    elif what == 9:
        bench.pulse(rng.choice(("dealer_settled", "dealer_void", "supervisor_key")))
    elif what == 10:
        bench.answers.dead = {rng.randint(1, 50)} if rng.random() < 0.5 else set()
    elif what == 11:
        bench.answers.stuck = {rng.randint(1, 50)} if rng.random() < 0.5 else set()
    elif what == 12:
        bench.answers.silent = rng.random() < 0.5
    elif what == 13:
        bench.lose(rng.choice(("lamps", "cover", "shake", "shaker_busy", "key_3")))
    elif what == 14 and bench.answers.tosser is not None:
        bench.answers.tosser.plan(rng.choice(TOSS_FAULTS), (1, 2, 3), 5.0, bench.now_ns / 1e9 + 0.5)
    elif what == 15:
        bench.answers.told = frozenset()
        bench.answers.read_back(bench.now_ns + 1000)
    else:
        bench.order(rng.choice(ORDERS))


def bring_back(bench: SicBoBench) -> None:
    """What docs/commands.md has for a table on which play has stopped, once everything is mended."""
    bench.answers.dead, bench.answers.stuck, bench.answers.silent = set(), set(), False
    device = bench.game.device
    for line in ("cover", "shake", *(f"key_{value}" for value in range(1, 7)), "key_enter", "key_clear"):
        bench.level(line, 0, 0.05)
    if bench.answers.tosser is not None:
        bench.answers.tosser.plan(None, (1, 2, 3), 5.0, 0.0)
        for line in ("shaker_busy", "shaker_fault"):
            bench.level(line, 0, 0.05)
    bench.wait(40)
    for _ in range(3):
        bench.order("void by=bob")
        bench.order("settle")
        bench.order("settle_attended by=ann")
        bench.order("shaker_placed by=ann")
        if bench.game.opening.shift_due:
            for _ in range(3):
                bench.order("operate_shaker by=ann")
                bench.wait(13)
        bench.order("dice_placed by=ann")
        for fault in bench.table.faults.standing:
            bench.order(f"clear device={fault.device} by=ann")
        bench.wait(5)
    if bench.table.state == "inspecting":
        bench.order(f"inspect_fail device={device} checks=electrical_device by=ann")
    if bench.table.state == "closed":
        bench.order(f"inspect_start device={device} by=ann")
        for dice in ("1-2-3", "4-4-4", "5-5-6"):
            bench.order(f"inspect_dice dice={dice} by=ann")
            bench.wait(1)
        checks = "electrical_device"
        if bench.game.tossing is not None:
            checks += ",automated_shaker"
            for _ in range(3):
                bench.order("operate_shaker by=ann")
                bench.wait(13)
        bench.order(f"inspect_pass device={device} checks={checks} by=ann")
        bench.order("open by=ann")
    bench.wait(5)


def evening(seed: int, steps: int, name: str) -> None:
    rng = Random(f"{seed}/{name}")
    bench = SicBoBench(TABLES[name])
    Judge(bench)
    for step in range(steps):
        act(bench, rng)
        if rng.random() < 0.03:
            bench = bench.rebooted(rng.choice((1.0, 60.0, 4 * 3600.0, 30 * 3600.0)))
            Judge(bench)
        if step % 25 == 24:
            bring_back(bench)
            assert bench.table.state == "open", f"no way back to play: {bench.said.story()[-12:]}"
            if bench.game.tossing is None:
                bench.played("4-2-1")
            else:
                bench.call().wait(16).key("1-2-3")
                assert bench.said.verdicts()[-1] in ("4-2-1", "1-2-3"), bench.said.story()[-12:]
            assert not bench.answers.lines_on, "an output was left on"


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("seed", range(3))
def test_no_evening_gives_an_outcome_that_the_rules_do_not_allow(name: str, seed: int) -> None:
    evening(seed, 75, name)


@pytest.mark.soak
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("seed", range(100, 120))
def test_no_long_evening_gives_an_outcome_that_the_rules_do_not_allow(name: str, seed: int) -> None:
    evening(seed, 500, name)
