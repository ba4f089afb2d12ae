"""Whatever people and sensors do at a table of cage and keypad: no outcome that was not tumbled, and always a way back.

The oracle knows only what happened: when the cage was inverted, when anything knocked, what was lost, called and keyed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feed import events
from hal.values import EdgesLost, Loss, RunMotor
from tests.tables.bench import VERDICTS, EventList, TableBench
from tests.tables.tumbled_lines import TumbledLines, tumbled_toml
from tests.tables.tumbler_lines import S, found, in_order

LEAST = 3
REST_S = 2.0
GAP_S = 1.9
"""Movements nearer to each other than this are of one run, whatever the controller thinks."""

STEPS = (
    "play",
    "play",
    "play",
    "play",
    "play",
    "play",
    "call",
    "tumble",
    "tumble",
    "turn",
    "knock",
    "key",
    "key",
    "key",
    "wait",
    "wait",
    "void",
    "settle",
    "close",
    "open",
    "clear",
    "lose",
    "unplug",
    "correct",
    "confirm",
)


@dataclass
class Evening:
    """A script of random steps, and what the oracle noted of it."""

    dice: int
    rng: Random
    lines: TumbledLines = field(default_factory=TumbledLines)
    moved: list[float] = field(default_factory=list)
    """When anything knocked or turned."""
    inverted: list[float] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)
    keyed: list[tuple[float, int]] = field(default_factory=list)
    """Every value, and when its key was pressed."""

    @property
    def now_s(self) -> float:
        return self.lines.now_ns / S

    def step(self, name: str) -> None:
        """One thing that somebody, or a wire, does."""
        getattr(self, name)()
        self.lines.wait(self.rng.choice((0.0, 0.3, 1.0, 2.5)))

    def play(self) -> None:
        """A round as it should be, except for one thing in some of them."""
        rng = self.rng
        if rng.random() < 0.7:
            self.lines.order("settle by=dealer")
        if rng.random() < 0.9:
            self.call()
        self.lines.wait(rng.choice((0.5, 2.5)))
        self.turn(rng.choice((2, 3, 3, 4)))
        self.lines.wait(rng.choice((1.0, 3.0, 5.0, 5.0)))
        if rng.random() < 0.2:
            self.step(rng.choice(STEPS[6:]))
        self.key()

    def call(self) -> None:
        self.lines.call()

    def tumble(self) -> None:
        self.turn(self.rng.randint(3, 5))
        self.lines.wait(self.rng.choice((1.0, 3.0, 5.0)))

    def turn(self, inversions: int | None = None) -> None:
        count = self.rng.randint(1, 3) if inversions is None else inversions
        from_s = self.now_s
        self.lines.turn(count)
        self.inverted += [from_s + 0.2 + 0.6 * k for k in range(count)]
        self.moved += [from_s + 0.05 * k for k in range(round((count * 0.6 + 0.5) / 0.05))]

    def knock(self) -> None:
        self.moved += [self.now_s, self.now_s + 0.2]
        self.lines.knock()

    def key(self) -> None:
        values = tuple(self.rng.randint(1, 6) for _ in range(self.rng.choice((self.dice, self.dice, self.dice, 1))))
        self.keyed += [(self.now_s + 0.3 * place, value) for place, value in enumerate(values)]
        self.lines.key(*values)

    def wait(self) -> None:
        self.lines.wait(self.rng.choice((0.5, 3.0, 8.0, 31.0)))

    def void(self) -> None:
        self.lines.order(self.rng.choice(("void by=dealer", "void reason=dice_not_flat by=dealer")))

    def settle(self) -> None:
        self.lines.order("settle by=dealer")

    def close(self) -> None:
        self.lines.order(self.rng.choice(("close reason=end by=floor force=true", "close reason=end by=floor")))

    def open(self) -> None:
        self.lines.order("open by=floor")

    def clear(self) -> None:
        self.lines.order(f"clear device={self.rng.choice(('cage', 'keypad', 'motor'))} by=floor")

    def correct(self) -> None:
        dice = "-".join(str(self.rng.randint(1, 6)) for _ in range(self.dice))
        self.lines.order(f"correct round={self.rng.randint(1, 9)} dice={dice} by=floor why=a try")

    def confirm(self) -> None:
        dice = "-".join(str(self.rng.randint(1, 6)) for _ in range(self.dice))
        self.lines.order(f"confirm dice={dice} by=dealer")

    def lose(self) -> None:
        line = self.rng.choice(("cage_turn", "cage_shake", "key_3"))
        self._lose(line, Loss.OVERFLOW)

    def unplug(self) -> None:
        self._lose(self.rng.choice(("cage_turn", "cage_shake")), Loss.UNPLUGGED)

    def _lose(self, line: str, cause: Loss) -> None:
        self.lines.rare.append(EdgesLost(line, cause, self.lines.now_ns, 1))
        if line.startswith("cage"):
            self.moved.append(self.now_s)
        if line == "cage_turn" or cause is Loss.UNPLUGGED:
            # Knocks that nobody felt hide no inversion; that the dice are at rest, the quiet after them proves.
            self.lost.append(self.now_s)
        self.lines.wait(0.1)

    def back_to_play(self) -> None:
        """What the documentation says: try the sensors, clear, open, void or settle what is there; then play."""
        lines = self.lines.wait(35)
        for key in range(1, 7):
            lines.press(f"key_{key}")
        lines.press("key_clear").wait(1)
        self.turn(2)
        lines.wait(6)
        for order in ("clear device=cage by=floor", "clear device=keypad by=floor", "clear device=motor by=floor"):
            lines.order(order)
        lines.order("open by=floor").order("void by=dealer").order("settle by=dealer").wait(8)


def played(evening: Evening, text: str, cuts: int = 3) -> tuple[EventList, list[RunMotor]]:
    bench = TableBench(text)
    edges, rare, until_ns = evening.lines.edges(), evening.lines.rare, evening.lines.now_ns
    extra = found("motor_home", "motor_shaft") if "motor" in text else []
    edges = in_order(edges, extra)
    told: list[RunMotor] = []
    times = sorted(evening.rng.randrange(until_ns) for _ in range(cuts))
    from_ns = -1
    for cut_ns in (*times, until_ns):
        bench.feed(
            [edge for edge in edges if from_ns < edge.t_ns <= cut_ns],
            [one for one in rare if from_ns < one.t_ns <= cut_ns],
            cut_ns,
        )
        told += [one for one in bench.table.outputs() if isinstance(one, RunMotor)]
        if bench.table.state != "open":
            assert not told or told[-1].speed == 0, "a table that does not play leaves no motor running"
        from_ns = cut_ns
    return bench.said, told


def allowed(evening: Evening, outcome: events.Outcome, called_s: float, opened_s: float) -> str:
    """What speaks against an outcome; empty where nothing does."""
    at_s = outcome.mono_ns / S
    # An entry that was short continues with the next keys: the last ones are those that were entered.
    last = [one for one in evening.keyed if one[0] <= at_s][-evening.dice :]
    first_s, values = last[0][0], [value for _, value in last]
    if values != outcome.result["dice"]:
        return f"{values} was keyed"
    before = [t_s for t_s in evening.moved if t_s < first_s]
    if not before or first_s - before[-1] < REST_S:
        return "the dice moved as they were keyed"
    if any(first_s <= t_s <= at_s - 0.1 for t_s in evening.moved):
        return "the dice were moved before they were entered"
    start_s = before[-1]
    for t_s in reversed(before):
        if start_s - t_s > GAP_S:
            break
        start_s = t_s
    inversions = [t_s for t_s in evening.inverted if start_s <= t_s <= first_s]
    if len(inversions) < LEAST:
        return f"{len(inversions)} inversions"
    if not opened_s <= called_s <= start_s + 0.001:
        return f"called at {called_s}, opened at {opened_s}, and set going at {start_s}"
    if any(start_s <= t_s <= first_s for t_s in evening.lost):
        return "edges were lost"
    return ""


def check(seed: int, steps: int) -> None:
    evening = Evening(3, Random(seed))
    for _ in range(steps):
        evening.step(evening.rng.choice(STEPS))
    end(evening)


def end(evening: Evening) -> None:
    """Brings the table back to play for one more round, plays the whole script, and judges every outcome."""
    evening.back_to_play()
    evening.call()
    evening.lines.wait(0.5)
    evening.turn(4)
    evening.lines.wait(5)
    evening.keyed += [(evening.now_s + 0.3 * place, value) for place, value in enumerate((6, 5, 4))]
    evening.lines.key(6, 5, 4).wait(1)
    said, _ = played(evening, tumbled_toml("chuck_a_luck"))
    called_s = opened_s = 0.0
    for event in said:
        data = event.data
        if isinstance(data, events.RoundOpened):
            opened_s = data.mono_ns / S
        elif isinstance(data, events.NoMoreBets):
            called_s = data.mono_ns / S
        elif isinstance(data, events.Outcome):
            assert allowed(evening, data, called_s, opened_s) == "", data
    assert said.verdicts()[-1:] == ["6-5-4"], said.story()[-12:]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(1, 40))
def test_no_sequence_gives_an_outcome_that_was_not_tumbled_and_every_one_leads_back_to_play(
    seed: int, steps: int
) -> None:
    check(seed, steps)


@pytest.mark.soak
@settings(max_examples=700, deadline=None)
@given(st.integers(0, 1 << 32))
def test_seventy_thousand_steps_give_no_outcome_that_was_not_tumbled(seed: int) -> None:
    check(seed, 100)


def check_motor(seed: int, steps: int) -> None:
    """Shaft and home do what they like; the motor stands whenever no tumble is awaited."""
    evening = Evening(3, Random(seed))
    motor: list[float] = []
    for _ in range(steps):
        motor += [evening.now_s + 0.1 * k for k in range(evening.rng.choice((0, 5, 30)))]
        evening.step(evening.rng.choice(STEPS))
    shaft = sorted(motor)
    for before, t_s in zip([-1.0, *shaft], shaft, strict=False):
        if t_s - before > 0.05:
            line = evening.rng.choice(("motor_shaft", "motor_shaft", "motor_shaft", "motor_home"))
            evening.lines.pulse(line, t_s)
    evening.lines.wait(61).order("close reason=end by=floor force=true").wait(5)
    said, told = played(evening, tumbled_toml("chuck_a_luck", device="[device.motor]\n"), cuts=20)
    over = [event.data.mono_ns for event in said if isinstance(event.data, (*VERDICTS, events.TableClosed))]
    speeds = [one.speed for one in told]
    assert all(after != before for before, after in pairwise(speeds)), seed
    assert not told or told[-1].speed == 0, seed
    for on, off in zip(told[::2], told[1::2], strict=True):
        # It turns in a called round without a verdict, and never longer than it may.
        assert off.t_ns - on.t_ns <= 30 * S + 1, seed
        assert not [t_ns for t_ns in over if on.t_ns < t_ns < off.t_ns], seed


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(1, 40))
def test_no_sequence_leaves_a_motor_running(seed: int, steps: int) -> None:
    check_motor(seed, steps)


@pytest.mark.soak
@settings(max_examples=700, deadline=None)
@given(st.integers(0, 1 << 32))
def test_seventy_thousand_steps_leave_no_motor_running(seed: int) -> None:
    check_motor(seed, 100)
