"""Whatever people, shaker and restarts do to a craps table with an automated shaker: it is never told to toss without a
call, no roll counts that was none, no output is left on, and there is always a documented way back to play.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

import pytest

from feed import events
from feed.events import Event
from hal.values import Output, SendFrame, SetLine
from simulators.dice.automated_shaker import OF_LINES, OF_SERIAL
from tests.tables.craps_shaker_table import ShakerHands, shaker_toml

STEPS: Final = 40
STARTS: Final = bytes((0x7A, 0x03, 0x04))
ORDERS: Final = (
    *("no_more_bets", "settle", "void by=ann", "void reason=improper_throw by=stickperson", "void round={n} by=ann"),
    *("confirm dice={dice} by=ann", "correct round={n} dice={dice} by=ann why=x", "pass_dice by=ann"),
    *("shaker_removed by=ann", "shaker_placed by=ann", "clear device=automated_shaker by=ann", "open by=ann"),
    *("close reason=late by=ann", "close reason=fire force=true by=ann", "operate_shaker by=ann"),
)


class Life:
    """One table, and what is true of it whatever happens."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.serial = bool(seed % 2)
        self.sensor = bool(seed % 4 // 2)
        text = shaker_toml(control="serial" if self.serial else "lines", sensor=self.sensor)
        self.hands = ShakerHands(text)
        self.hands.watch = self.watch
        self.called = False
        self.keyed: list[tuple[int, ...]] = []

    def watch(self, said: Sequence[Event], shown: Sequence[Output]) -> None:
        """Judges everything as it is said and done."""
        for event in said:
            data = event.data
            if isinstance(data, events.RoundOpened):
                self.called = False
            elif isinstance(data, events.NoMoreBets):
                self.called = True
            elif isinstance(data, events.Outcome):
                assert tuple(data.result["dice"]) in self.keyed[-1:], "values that nobody entered last"
        for output in shown:
            line = isinstance(output, SetLine) and output.line == "shaker_start" and output.on
            frame = isinstance(output, SendFrame) and output.data.startswith(STARTS)
            assert self.called or not (line or frame), "told to toss, and nobody had called"

    def step(self) -> None:
        """Something happens."""
        rng, hands = self.rng, self.hands
        what = rng.choice(("call", "call", "roll", "roll", "roll", "key", "order", "order", "wait", "line", "fault"))
        if what == "call":
            hands.call().wait(rng.choice((0.2, 3.0, 14.0)))
        elif what == "roll":
            hands.plan(dice=self.dice()).tossed()
            self.key(self.dice() if self.serial and rng.random() < 0.1 else hands.shaker.dice)
            hands.pulse("dealer_settled")
        elif what == "key":
            self.key(self.dice())
        elif what == "order":
            dice = "-".join(map(str, self.dice()))
            number = max(1, hands.game.rounds.number - rng.randrange(3))
            hands.order(rng.choice(ORDERS).format(n=number, dice=dice))
        elif what == "wait":
            hands.wait(rng.choice((0.2, 5.0, 40.0)))
        elif what == "line":
            names = [] if self.serial else ["shaker_busy", "shaker_fault"]
            names += ["automated_shaker_present"] if self.sensor else []
            if names:
                hands.level(rng.choice(names), rng.randrange(2))
        else:
            hands.plan(rng.choice(OF_SERIAL if self.serial else OF_LINES), self.dice()).call().wait(40)

    def key(self, dice: tuple[int, ...]) -> None:
        """The stickperson keys them."""
        self.keyed.append(dice)
        self.hands.key(*dice)

    def dice(self) -> tuple[int, ...]:
        """Any roll."""
        return self.rng.randint(1, 6), self.rng.randint(1, 6)

    def back_to_play(self) -> None:
        """The documented way: the shaker rests where it stands, its fault is cleared, what is uncalled is called."""
        hands = self.hands
        if not self.serial:
            hands.level("shaker_busy", 0).level("shaker_fault", 0)
        if self.sensor:
            hands.level("automated_shaker_present", 1)
        else:
            hands.order("shaker_placed by=ann")
        hands.plan().wait(40)
        if hands.game.rounds.uncalled is not None:
            hands.order(f"void round={hands.game.rounds.uncalled} by=ann")
        hands.order("void by=ann")
        hands.pulse("dealer_settled").wait(30)
        hands.order("shaker_placed by=ann")
        hands.order("clear device=automated_shaker by=ann")
        hands.order("open by=ann")
        hands.wait(5).plan(dice=(2, 2)).tossed()
        self.key((2, 2))
        said = hands.said.of(events.Outcome)
        assert said, hands.said.story()[-12:]
        assert (said[-1].round, said[-1].result["dice"]) == (hands.game.rounds.number, [2, 2]), hands.said.story()[-12:]
        assert "shaker_start" not in hands.on


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(24), id="quick"),
        *(pytest.param(range(at, at + 126), id=f"from-{at}", marks=pytest.mark.soak) for at in range(24, 1284, 126)),
    ],
)
def test_it_tosses_after_a_call_only_and_there_is_always_a_way_back_to_play(seeds: range) -> None:
    """1,284 tables of 40 steps are more than 50,000."""
    outcomes = voids = 0
    for seed in seeds:
        life = Life(seed)
        for _ in range(STEPS):
            life.step()
        life.back_to_play()
        outcomes += len(life.hands.said.of(events.Outcome))
        voids += "void shaker_failed" in life.hands.said.verdicts()
    # Else nothing would have been tried.
    assert outcomes > 2 * len(seeds)
    assert voids > len(seeds) // 3
