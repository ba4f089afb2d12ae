"""Whatever hands, boards, orders and restarts do to a craps table: no roll that was none, and a way back to play.

Steps come in any order: throws of which dice lie anyhow, values keyed rightly, wrongly or at the wrong time, orders of
every kind, lines that die, and starts of the service. After each of them the markers show where the game stands.
"""

from __future__ import annotations

from random import Random
from typing import Final

import msgspec
import pytest

from controller.games.assembly import table_for
from drivers.dice.reader_wire import Lying
from feed import events
from feed.events import decode, encode
from feed.state import Snapshot, TableState
from hal.values import EdgesLost, Loss
from tests.tables.bench import EventList, configured
from tests.tables.craps_hands import CrapsHands, craps_toml

STEPS: Final = 60
LYING: Final[tuple[Lying, ...]] = ("flat", "flat", "flat", "cocked", "two_sides", "stacked", "off_table", "unread")
VALUED: Final = ("flat", "cocked")
ORDERS: Final = (
    *(
        "settle",
        "no_more_bets",
        "void by=ann",
        "void reason=die_on_bank by=boxperson",
        "void reason=die_off_table",
    ),
    *("void reason=improper_throw as=stickperson by=ann", "void reason=die_on_bank by=ann", "void round={n} by=ann"),
    *(
        "confirm dice={dice} by=ann",
        "confirm dice={dice} round={n} by=ann",
        "correct round={n} dice={dice} by=ann why=x",
    ),
    *("correct round={n} reason=die_on_die by=ann why=x", "pass_dice by=ann", "pass_dice ordered=true by=boxperson"),
    *("change_dice by=ann", "roll_for_come by=ann", "line_wager by=ann", "close reason=late by=ann", "open by=ann"),
    *("close reason=fire force=true by=ann", "clear device=reader by=ann", "clear device=keypad by=ann", "quit"),
)


def after(dice: list[int], given: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """What was given after these dice, the first of them; a roll is never taken twice, nor one before the last."""
    values = [sorted(one) for one in given]
    assert dice in values, f"{dice} is not among {values}"
    return given[values.index(dice) + 1 :]


class Life:
    """One table and everything that happens to it."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        keypad, reader = ((True, False), (False, True), (True, True))[seed % 3]
        self.keypad = keypad
        rules = "njac-19:47" if seed % 2 else "njac-13:47-20"
        self.text = craps_toml(rules, keypad=keypad, reader=reader, options="values_wait_s = 5")
        self.hands = CrapsHands(self.text)
        self.state = TableState("craps-1")
        self.known = 0
        self.thrown: list[tuple[int, ...]] = []
        self.keyed: list[tuple[int, ...]] = []
        """What keypad and board were given since the last verdict, in any order of the dice."""
        self.hands.wait(2)

    def dice(self) -> tuple[int, int]:
        """Any roll."""
        return self.rng.randint(1, 6), self.rng.randint(1, 6)

    def step(self) -> None:
        """Something happens."""
        what = self.rng.choice(("roll", "roll", "roll", "roll", "order", "order", "lost", "wait", "restart", "key"))
        hands = self.hands
        if what == "roll":
            self.roll()
        elif what == "order":
            dice = "-".join(map(str, self.dice()))
            number = max(1, hands.game.rounds.number - self.rng.randrange(4))
            hands.order(self.rng.choice(ORDERS).format(n=number, dice=dice))
        elif what == "lost":
            line = self.rng.choice(("key_enter", "key_3") if self.keypad else ("dice_serial",))
            cause = self.rng.choice((Loss.UNPLUGGED, Loss.OVERFLOW))
            hands.feed([], [EdgesLost(line, cause, round(hands.now_s * 1e9) + 1, None)], 0.1)
        elif what == "wait":
            hands.wait(self.rng.choice((0.2, 1.0, 12.0)))
        elif what == "key" and self.keypad:
            self.keyed.append(self.dice())
            hands.key(*self.keyed[-1], settle=False)
        elif what == "restart":
            self.restart()
        self.judge()

    def roll(self) -> None:
        """The dice are thrown; where they lie so that they have values, somebody keys them."""
        dice, lying = self.dice(), self.rng.choice(LYING)
        if self.hands.reader:
            if lying in VALUED:
                self.thrown.append(dice)
            self.hands.throw(*dice, lying=lying, at=self.rng.randrange(2), settle=not self.keypad)
            self.judge()
        if self.keypad and (lying in VALUED or not self.hands.reader):
            self.keyed.append(self.dice() if self.rng.random() < 0.1 else dice)
            self.hands.key(*self.keyed[-1])

    def restart(self) -> None:
        """The service dies, and begins again from what its journal holds."""
        self.judge()
        hands = self.hands
        snapshot = msgspec.json.decode(msgspec.json.encode(self.state.snapshot()), type=Snapshot)
        before = hands.stands
        hands.bench.table = table_for(configured(self.text), epoch=f"e{self.state.last}", simulated=True)
        hands.bench.table.restore(TableState.from_snapshot(snapshot))
        hands.now_s += 1.0
        hands.bench.said += EventList(hands.bench.table.open(round(hands.now_s * 1e9)))
        hands.lit = set()
        hands.up() if self.keypad else hands.wait(0.6)
        assert hands.stands == before

    def judge(self) -> None:
        """What was said is supported by what was given, and the markers show where the game stands."""
        said, self.known = self.hands.bench.said[self.known :], len(self.hands.bench.said)
        for event in said:
            self.state.apply(decode(encode(event)))
            if isinstance(event.data, events.Outcome):
                dice = sorted(event.data.result["dice"])
                if self.keypad:
                    self.keyed = after(dice, self.keyed)
                if self.hands.reader:
                    self.thrown = after(dice, self.thrown)
        now = self.hands.stands
        if self.hands.game.rounds.number:
            lit = {"puck_on", f"point_{now.point}"} if now.point is not None else set()
            assert self.hands.lit == lit

    def back_to_play(self) -> None:
        """The documented way back: sensors live, faults are cleared, the table is open, the last roll is called."""
        hands = self.hands
        if self.keypad:
            hands.up()
        hands.wait(3)
        hands.order("clear device=reader by=ann")
        hands.order("clear device=keypad by=ann")
        hands.order("open by=ann")
        if hands.game.rounds.uncalled is not None:
            hands.order(f"void round={hands.game.rounds.uncalled} by=ann")
        hands.wait(40)
        if self.keypad:
            hands.key(1, 2, enter=False)
            hands.wait(40)
        shown = hands.stands
        said = EventList()
        if hands.reader:
            said += hands.throw(2, 2, settle=False)
        if self.keypad:
            said += hands.key(2, 2, settle=False)
        assert said.of(events.Outcome)[-1].result["dice"] == [2, 2], (said.story(), shown)


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(24), id="quick"),
        *(pytest.param(range(at, at + 73), id=f"from-{at}", marks=pytest.mark.soak) for at in range(24, 900, 73)),
    ],
)
def test_no_roll_that_was_none_and_always_a_way_back_to_play(seeds: range) -> None:
    """900 tables of 60 steps are more than 50,000."""
    outcomes = 0
    for seed in seeds:
        life = Life(seed)
        for _ in range(STEPS):
            life.step()
        life.back_to_play()
        outcomes += len(life.hands.bench.said.of(events.Outcome))
    # Else nothing would have been tried.
    assert outcomes > 3 * len(seeds)
