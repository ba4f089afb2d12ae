"""Whatever hands, boards, lamps, shakers and orders do to a sic bo table: no outcome that the rules do not allow, no
lamp dark before the bets are settled, nothing settled before it is lit, nothing left on, and always a documented way
back to play.

The judge knows what the hands did, what the lamps showed, and the oracle of the areas; it knows nothing of how the
table decides, and believes none of the evidence that the table gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

import pytest

from controller.games.sic_bo.areas import AREAS as LAMPS
from feed import events
from feed.events import Event
from hal.values import LightLamps, Output
from tests.oracle.dice import sic_bo_areas
from tests.tables.sic_bo_table import NEW, OLD, BoardBench, S, SicBoBench, sic_bo_toml

AREAS: Final = sic_bo_areas()
TABLES: Final = {
    "by hand, old": sic_bo_toml(OLD),
    "by hand, new": sic_bo_toml(NEW),
    "automated": sic_bo_toml(NEW, devices="[device.automated_shaker]"),
    "serial": sic_bo_toml(NEW, devices='[device.automated_shaker]\ncontrol = "serial"'),
    "both": sic_bo_toml(NEW, devices="[device.automated_shaker]\n[device.shaker]"),
    "read": sic_bo_toml(NEW, devices="[device.reader]\n[device.shaker]"),
    "keyed and read": sic_bo_toml(NEW, devices="[device.reader]\n[device.keypad]\n[device.shaker]"),
}
TOSS_FAULTS: Final = (None, None, "no_start", "stops_early", "fails", "garbled")
HARMLESS: Final = (None, "garbled")
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

    def __init__(self, bench: SicBoBench, before: Judge | None = None) -> None:
        """`before` judged the same table until the power went."""
        self.bench = bench
        self.settling: int | None = None
        self.dice: tuple[int, ...] | None = None
        """What the round that is being settled has come to; None where it came to nothing."""
        self.opened_ns = 0
        self.closed = bench.table.state in ("closed", "inspecting")
        self.called_ns: int | None = None
        self.verdict = ""
        self.lamps_failed = False
        """Whether the lamps failed of the round that is on."""
        if before is not None:
            self.dice, self.verdict = before.dice, before.verdict
            # Where they were fixed and cleared before the power went, the areas are lit again, and anybody settles.
            standing = {fault.fault for fault in bench.table.faults.standing}
            self.lamps_failed = before.lamps_failed and "lamps_failed" in standing
        bench.watch = self.look

    def look(self, said: Sequence[Event], shown: Sequence[Output]) -> None:
        """Judges what is reported, and then what is done."""
        for event in said:
            self.event(event.data)
        for output in shown:
            if isinstance(output, LightLamps):
                assert output.lit or self.settling is None, "the lamps went dark before the bets were settled"

    def event(self, data: events.Data) -> None:
        """One event."""
        match data:
            case events.RoundOpened():
                self.called_ns, self.verdict, self.lamps_failed, self.dice = None, "", False, None
                self.opened_ns = data.mono_ns
            case events.NoMoreBets():
                self.called_ns = data.mono_ns
            case events.DeviceFault(fault="lamps_failed"):
                self.lamps_failed = self.lamps_failed or not self.closed
            case events.TableOpened():
                self.closed = False
            case events.Outcome():
                self.outcome(data)
            case events.Unresolved():
                self.verdict, self.dice = "unresolved", None
            case events.RoundCorrected():
                self.corrected(data)
            case events.Settled():
                self.settled(data)
                self.settling = None
            case events.TableClosed():
                self.settling, self.closed = None, True

    def corrected(self, data: events.RoundCorrected) -> None:
        """A person called the round."""
        if data.round != self.bench.game.rounds.number:
            return
        self.verdict = data.to.verdict
        self.dice = None if data.to.result is None else tuple(data.to.result["dice"])
        if self.dice is None:
            self.settling = None

    def settled(self, data: events.Settled) -> None:
        """S10: nothing is settled before it is lit; S14: where the lamps failed, nobody but a supervisor settles it."""
        assert self.verdict != "unresolved", "a round was settled that nobody had called"
        attended = data.by in ("supervisor", "supervisor_key")
        if self.dice is None or attended:
            return
        assert not self.lamps_failed, f"S14: {data.by} settled it, and the lamps had failed"
        lamps = {lamp.number for lamp in LAMPS if self.dice in AREAS[lamp.name]}
        good = [lit for t_ns, lit, good in self.bench.answers.seen if good and self.opened_ns <= t_ns <= data.mono_ns]
        assert lamps in good, "S10: its areas were never lit"

    def outcome(self, data: events.Outcome) -> None:
        """An outcome must be of three dice that were shaken or tossed after the call, lay, and then were told."""
        dice = tuple(data.result["dice"])
        assert len(dice) == 3
        winning = {bet.bet for bet in data.winning}
        assert winning == {name for name, rolls in AREAS.items() if dice in rolls}
        assert self.called_ns is not None, "an outcome of a round whose bets were open"
        t_ns = data.mono_ns
        lay = [at for at in (self.shown_ns(t_ns), self.tossed_ns(t_ns)) if at is not None]
        assert lay, "an outcome of dice that nobody saw shaken or tossed"
        assert any(self.told(dice, at, t_ns) for at in lay), "an outcome of values that nobody entered or read since"
        self.settling, self.dice, self.verdict = data.round, dice, "outcome"

    def shown_ns(self, t_ns: int) -> int | None:
        """When hands uncovered dice that they had shaken three times under the cover, after the call."""
        called_ns, hands = self.called_ns or 0, self.bench.hands
        covered_ns = uncovered_ns = None
        on_ns: int | None = None
        for at, level in hands.covers:
            if at <= t_ns and level and on_ns is None:
                on_ns = at
            elif at <= t_ns and not level and on_ns is not None:
                # Where it goes on again once more, the dice were seen all the same.
                covered_ns, uncovered_ns, on_ns = on_ns, at, None
        if covered_ns is None or uncovered_ns is None:
            return None
        if len(hands.of("shake", max(called_ns, covered_ns), uncovered_ns)) < 3:
            return None
        # Knocks in the first second are those of the cover.
        return None if hands.of("shake", uncovered_ns + S, t_ns) else uncovered_ns

    def tossed_ns(self, t_ns: int) -> int | None:
        """When the shaker was told to toss, after the call; None where it was not, or could not toss rightly."""
        starts = [at for at in self.bench.answers.starts if (self.called_ns or 0) <= at <= t_ns]
        if not starts:
            return None
        all_starts = self.bench.answers.starts
        before_ns = max((at for at in all_starts if at < starts[-1]), default=0)
        # What was planned is of one toss, and of none that began at once.
        plans = [fault for at, fault in self.bench.hands.tossed if before_ns < at <= starts[-1] - S]
        return None if plans and plans[-1] not in HARMLESS else starts[-1] + S

    def told(self, dice: tuple[int, ...], lay_ns: int, t_ns: int) -> bool:
        """Whether each of those who give values gave these, of dice that lay."""
        hands, sources = self.bench.hands, self.bench.game.dice.values.sources
        if "reader" in sources:
            saw = [one for at, one in hands.saw if at <= t_ns]
            if not saw or sorted(saw[-1] or ()) != sorted(dice):
                return False
        if "keypad" in sources:
            keys = [(at, line[-1]) for at, line in hands.pulses if line[:4] == "key_" and line[4:].isdecimal()]
            keyed = iter(int(value) for at, value in keys if lay_ns <= at <= t_ns)
            return all(value in keyed for value in dice) and bool(hands.of("key_enter", lay_ns, t_ns))
        return True


def roll(bench: SicBoBench, times: int, rng: Random) -> None:
    """Somebody shakes; a board sees it, and sometimes sees only that."""
    if isinstance(bench, BoardBench):
        bench.moves()
    bench.shake(times)
    if isinstance(bench, BoardBench) and rng.random() < 0.8:
        bench.sees("-".join(str(rng.randint(1, 6)) for _ in range(3)))


def play(bench: SicBoBench, dice: str) -> None:
    """A whole round, as it should be."""
    if bench.game.tossed is not None:
        bench.call().wait(16).key("1-2-3")
    elif isinstance(bench, BoardBench):
        bench.call().cover()
        bench.moves().shake()
        bench.sees(dice).wait(2.5).uncover()
        if "keypad" in bench.game.dice.values.sources:
            bench.key(dice)
        bench.wait(2)
    else:
        bench.played(dice)


def plan(bench: SicBoBench, fault: str | None, from_s: float) -> None:
    """How the automated shaker tosses next."""
    tosser = bench.answers.tosser
    if tosser is not None:
        done = (
            None if fault == "stops_early" and "serial" in (bench.text or "") else fault
        )  # by serial it stops when told to
        bench.hands.tossed.append((bench.now_ns, done))
        tosser.plan(fault, (1, 2, 3), 5.0, from_s)


def act(bench: SicBoBench, rng: Random) -> None:
    """Something happens."""
    what = rng.randrange(24)
    dice = "-".join(str(rng.randint(1, 6)) for _ in range(rng.choice((3, 3, 3, 2))))
    if what < 4:
        play(bench, dice if len(dice) == 5 and rng.random() < 0.9 else "1-2-3")
    elif what == 4:
        bench.call()
    elif what == 5:
        bench.cover() if rng.random() < 0.5 else bench.uncover()
    elif what == 6:
        roll(bench, rng.randint(1, 4), rng)
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
        if bench.answers.tosser.next_answer_ns is None:
            plan(bench, rng.choice(TOSS_FAULTS), bench.now_ns / 1e9 + 0.5)
    elif what == 15:
        bench.answers.told = frozenset()
        bench.answers.read_back(bench.now_ns + 1000)
    elif what == 16 and bench.game.tossed is None:
        bench.shaken().wait(rng.choice((0.1, 2.0)))
        roll(bench, 1, rng)
    elif what == 17:
        play(bench, "4-2-1")
        bench.answers.dead = {rng.randint(1, 50)}
        bench.order(f"correct round={bench.game.rounds.number} dice={rng.randint(1, 6)}-2-3 by=ann why=seen")
    elif what == 18:
        bench.order("close reason=late by=ann" + rng.choice(("", " force=true")))
    else:
        bench.order(rng.choice(ORDERS))


def clear_up(bench: SicBoBench) -> None:
    """What is called, settled, operated and cleared before play continues."""
    for _ in range(3):
        bench.order("void by=bob")
        bench.order("settle")
        bench.order("settle_attended by=ann")
        bench.order("shaker_placed by=ann")
        if bench.game.upkeep.inspection.shift_due:
            for _ in range(3):
                bench.order("operate_shaker by=ann")
                bench.wait(13)
        bench.order("dice_placed by=ann")
        for fault in bench.table.faults.standing:
            bench.order(f"clear device={fault.device} by=ann")
        bench.wait(5)


def bring_back(bench: SicBoBench) -> None:
    """What docs/commands.md has for a table on which play has stopped, once everything is fixed."""
    bench.answers.dead, bench.answers.stuck, bench.answers.silent = set(), set(), False
    device = bench.game.device
    for line in ("cover", "shake", *(f"key_{value}" for value in range(1, 7)), "key_enter", "key_clear"):
        bench.level(line, 0, 0.05)
    if bench.answers.tosser is not None:
        plan(bench, None, 0.0)
        for line in ("shaker_busy", "shaker_fault"):
            bench.level(line, 0, 0.05)
    if isinstance(bench, BoardBench):
        bench.sees("1-2-3")
    bench.wait(40)
    clear_up(bench)
    if bench.table.state == "inspecting":
        bench.order(f"inspect_fail device={device} checks=electrical_device by=ann")
    if bench.table.state == "closed":
        bench.order(f"inspect_start device={device} by=ann")
        for dice in ("1-2-3", "4-4-4", "5-5-6"):
            bench.order(f"inspect_dice dice={dice} by=ann")
            bench.wait(1)
        checks = "electrical_device"
        if bench.game.tossed is not None:
            checks += ",automated_shaker"
            for _ in range(3):
                bench.order("operate_shaker by=ann")
                bench.wait(13)
        bench.order(f"inspect_pass device={device} checks={checks} by=ann")
        bench.order("open by=ann")
        bench.wait(1)
        clear_up(bench)  # a round that was left when the table closed waits to be settled
    bench.wait(5)


def bench_of(name: str) -> SicBoBench:
    """A table of that name."""
    return BoardBench(TABLES[name]) if "reader" in TABLES[name] else SicBoBench(TABLES[name])


def evening(seed: int, steps: int, name: str) -> None:
    rng = Random(f"{seed}/{name}")
    bench = bench_of(name)
    judge = Judge(bench)
    for step in range(steps):
        act(bench, rng)
        if rng.random() < 0.03:
            bench = bench.rebooted(rng.choice((1.0, 60.0, 4 * 3600.0, 30 * 3600.0)))
            judge = Judge(bench, judge)
        if step % 25 == 24:
            bring_back(bench)
            before = len(bench.said.of(events.Outcome))
            play(bench, "4-2-1")
            after = bench.said.of(events.Outcome)[before:]
            dice = [1, 2, 3] if bench.game.tossed is not None else [4, 2, 1]
            assert [one.result["dice"] for one in after] == [dice], f"no way back to play: {bench.said.story()[-14:]}"
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
