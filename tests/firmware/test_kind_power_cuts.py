"""Power cuts at random cycles of the real binary: what was counted is there again, exactly.

With a warning (power_fail goes high, no new tokens come, and the board runs on for its hold-up) nothing is missing.
Without one, at most the one event is missing whose byte was not written yet, and nothing is ever there that did not
happen.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import pytest

from hal.board.messages import (
    AcceptCommand,
    CountsAnswer,
    CountsCommand,
    CountsReport,
    HopperReport,
    PayCommand,
    SpinCommand,
)
from tests.firmware.emulated import MS
from tests.firmware.kind_bench import KindBench
from tests.firmware.toolchains import FIRMWARE
from tests.firmware.worlds import Hopper

HOLD_UP_NS = MS * int(
    (FIRMWARE / "kinds" / "supply.h").read_text().partition("#define SUPPLY_HOLD_UP_MS ")[2].partition("U")[0]
)
"""What supply.h asks of the supply."""
BOUNCE_NS = 5 * MS
"""From the end of a token's pulse until it is one."""
COIN_NS = 30 * MS
"""How long a token is in the hopper's sensor."""
TOUCH_NS = 2 * MS
"""From the tilt contact's closing until it is one."""
APART_NS = 25 * MS
"""Between two events: more than the board takes to keep one, so that at most one is on its way."""
LISTENS_NS = 10 * MS
"""From the first instruction until the board sees its inputs, and more."""
LONGEST_LIFE_NS = 1_200 * MS
TOKENS_IN, PAID_OUT, WON, TILTS = range(4)
IDLE, CUT_SHORT = 0, 5

Counts = tuple[int, int, int, int]


class Event(NamedTuple):
    """Something to count."""

    begins_ns: int
    decided_ns: int
    """From here on the board can know of it."""
    counter: int
    pulses: tuple[tuple[str, int, int], ...]
    """Line, from and to."""


def token(at_ns: int, draw: Random) -> Event:
    until_ns = at_ns + round(draw.uniform(21, 110) * MS)
    return Event(at_ns, until_ns + BOUNCE_NS, TOKENS_IN, (("token", at_ns, until_ns),))


def win(at_ns: int, draw: Random) -> Event:
    lag_ns, dark_ns = round(draw.uniform(3, 8) * MS), round(draw.uniform(9, 20) * MS)
    return Event(
        at_ns,
        at_ns + lag_ns + dark_ns,
        WON,
        (("win_a", at_ns, at_ns + dark_ns), ("win_b", at_ns + lag_ns, at_ns + lag_ns + dark_ns)),
    )


def tilt(at_ns: int, draw: Random) -> Event:
    until_ns = at_ns + round(draw.uniform(3, 40) * MS)
    return Event(at_ns, at_ns + TOUCH_NS, TILTS, (("tilt", at_ns, until_ns),))


def a_life(draw: Random, cut_ns: int, *, with_tilt: bool, only_tokens: bool) -> list[Event]:
    """Events that begin before a cut, none near another."""
    events: list[Event] = []
    free_from = {"token": 0, "win_a": 0, "tilt": 0}
    at_ns = LISTENS_NS + draw.randrange(40 * MS)
    while at_ns < cut_ns:
        kind = token if only_tokens else draw.choice((token, token, win, win, tilt))
        event = kind(at_ns, draw)
        line = event.pulses[0][0]
        tilted = kind is tilt and (not with_tilt or any(each.counter == TILTS for each in events))
        near = any(abs(event.decided_ns - each.decided_ns) < APART_NS for each in events)
        if not tilted and not near and at_ns >= free_from[line]:
            events.append(event)
            free_from[line] = max(until for _, _, until in event.pulses) + 15 * MS
        at_ns += draw.randrange(30 * MS)
    return events


class SpacedHopper(Hopper):
    """A hopper whose tokens come between the other events."""

    def __init__(self, events: list[Event]) -> None:
        super().__init__("hopper", "hopper_coin", tokens=10_000, period_ms=60)
        self._others = [event.decided_ns for event in events]
        self.decided: list[int] = []

    def may_fall(self, t_ns: int) -> bool:
        decided_ns = t_ns + COIN_NS + BOUNCE_NS
        if any(abs(decided_ns - other) < APART_NS for other in self._others):
            return False
        self.decided.append(decided_ns)
        return True


class Life(NamedTuple):
    """How a life ended."""

    image: bytes
    come: Counts
    """Events of this life, all that the board could know of."""
    told: Counts | None
    """What it last said was kept."""


class Payouts:
    """A host that asks for a payout in each life, and after each cut for the same again, which must do nothing."""

    def __init__(self) -> None:
        self.number = 0
        self.tokens = 0
        self.paid = 0
        """By the world, under this number."""
        self.whole = 0
        """Payouts that were paid to their end."""

    def look_back(self, bench: KindBench, world: Hopper, warned: bool) -> None:
        """What the board says of the last one is true, and it is not carried out again."""
        bench.run(20)
        report = bench.last(HopperReport)
        if not self.number or report.payout != self.number:
            assert self.paid == 0, "what was not noted was not paid"
            return
        assert (report.asked, report.state) in ((self.tokens, IDLE), (self.tokens, CUT_SHORT))
        assert report.seen <= self.paid <= report.at_most
        assert not warned or report.seen == self.paid
        assert (report.state == IDLE) == (report.seen >= self.tokens)
        self.whole += report.state == IDLE
        bench.ask(PayCommand(self.number, self.tokens))
        bench.run(20)
        assert bench.output("hopper") == 0
        assert world.paid == 0

    def ask(self, bench: KindBench) -> None:
        """The next one."""
        self.number += 1
        self.tokens = 1 + self.number % 5
        self.paid = 0
        bench.ask(PayCommand(self.number, self.tokens))


def found(kind: str, image: bytes) -> Counts:
    """What a board that begins with this memory has kept."""
    with KindBench(kind, eeprom=image) as bench:
        answer = bench.ask(CountsCommand())
    assert isinstance(answer, CountsAnswer)
    return answer.first, answer.second, answer.third, answer.fourth


def end(bench: KindBench, cut_ns: int, warned: bool, seed: int) -> bytes:
    """The power goes at this time, or is announced then."""
    bench.talks = False
    bench.run_until(cut_ns)
    if warned:
        bench.put("power_fail", 1)
        bench.run_until(cut_ns + HOLD_UP_NS)
    return bench.board.power_cut(seed)


def last_told(bench: KindBench) -> Counts | None:
    told = bench.reports(CountsReport)
    return (told[-1].first, told[-1].second, told[-1].third, told[-1].fourth) if told else None


def come_by(events: list[Event], decided: list[int], until_ns: int | None) -> Counts:
    """What there was to count; all, or what was decided by a time."""
    counts = [0, 0, 0, 0]
    for event in events:
        counts[event.counter] += until_ns is None or event.decided_ns <= until_ns
    counts[PAID_OUT] += sum(until_ns is None or decided_ns <= until_ns for decided_ns in decided)
    return counts[0], counts[1], counts[2], counts[3]


def pusher_life(image: bytes, seed: int, warned: bool, payouts: Payouts) -> Life:
    draw = Random(seed)
    cut_ns = draw.randrange(LONGEST_LIFE_NS)
    events = a_life(draw, cut_ns, with_tilt=draw.random() < 0.3, only_tokens=False)
    with KindBench("pusher", eeprom=image, session=None) as bench:
        world = SpacedHopper(events)
        bench.worlds.append(world)
        for event in events:
            for line, from_ns, until_ns in event.pulses:
                bench.pulse(line, (until_ns - from_ns) / MS, from_ns / MS)
        if cut_ns > 180 * MS:
            bench.run(30)
            bench.open(seed)
            bench.say(AcceptCommand(1))
            payouts.look_back(bench, world, warned)
            payouts.ask(bench)
        bench.run_until(cut_ns)
        cut_ns = bench.now_ns
        after = end(bench, cut_ns, warned, seed)
        payouts.paid += world.paid
        return Life(after, come_by(events, world.decided, None if warned else cut_ns), last_told(bench))


def reel_life(image: bytes, seed: int, warned: bool) -> Life:
    draw = Random(seed)
    cut_ns = draw.randrange(LONGEST_LIFE_NS)
    events = a_life(draw, cut_ns, with_tilt=False, only_tokens=True)
    with KindBench("reel", eeprom=image, session=None) as bench:
        for event in events:
            for line, from_ns, until_ns in event.pulses:
                bench.pulse(line, (until_ns - from_ns) / MS, from_ns / MS)
        if cut_ns > 130 * MS:
            bench.run(30)
            bench.open(seed)
            bench.say(AcceptCommand(1))
            for number in (1, 2, 3):
                bench.ask(SpinCommand(number, 400, 0))
        bench.run_until(cut_ns)
        cut_ns = bench.now_ns
        after = end(bench, cut_ns, warned, seed)
        return Life(after, come_by(events, [], None if warned else cut_ns), last_told(bench))


def assert_exact(kept: Counts, truth: Counts, warned: bool, told: Counts | None) -> None:
    missing = [come - there for come, there in zip(truth, kept, strict=True)]
    assert min(missing) >= 0, "nothing is there that did not happen, and nothing twice"
    assert sum(missing) <= (0 if warned else 1), "nothing is missing but what was being written without a warning"
    assert told is None or all(there >= said for there, said in zip(kept, told, strict=True)), "what was said is kept"


def cuts(kind: str, seed: int, count: int, warned: bool) -> int:
    """This many lives, one after the other on one memory; how many events they had."""
    with KindBench(kind) as bench:
        bench.run(300)
        image = bench.board.power_cut()
    kept: Counts = (0, 0, 0, 0)
    payouts = Payouts()
    come = 0
    for number in range(count):
        life_seed = seed * 100_003 + number
        if kind == "pusher":
            life = pusher_life(image, life_seed, warned, payouts)
        else:
            life = reel_life(image, life_seed, warned)
        truth = tuple(before + now for before, now in zip(kept, life.come, strict=True))
        image = life.image
        kept = found(kind, image)
        assert_exact(kept, (truth[0], truth[1], truth[2], truth[3]), warned, life.told)
        come += sum(life.come)
    assert kind == "reel" or payouts.whole > count // 20, "payouts came to their end"
    return come


@pytest.mark.parametrize("warned", [True, False], ids=["with a warning", "without"])
@pytest.mark.parametrize(("kind", "count"), [("pusher", 18), ("reel", 7)])
def test_fifty_cuts_and_every_counter_is_exact(kind: str, count: int, warned: bool) -> None:
    assert cuts(kind, 1, count, warned) > 2 * count


@pytest.mark.soak
@pytest.mark.parametrize("warned", [True, False], ids=["with a warning", "without"])
@pytest.mark.parametrize("kind", ["pusher", "reel"])
@pytest.mark.parametrize("seed", range(2, 12))
def test_two_thousand_cuts_and_every_counter_is_exact(kind: str, seed: int, warned: bool) -> None:
    assert cuts(kind, seed, 50, warned) > 100
