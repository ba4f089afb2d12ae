"""Stop button to symbol on the reel board's own binary: at the greatest speed, with every reel turning, under load.

    press ──► d steps ──► stand        d is the brake, 3 steps, and what is left to a symbol then

The stated distance is `stopping_steps` and half a symbol, the middle of what can follow; a stop errs by the difference.
"""

from __future__ import annotations

from bisect import bisect_right
from random import Random
from typing import Final

import pytest

from drivers.reels.reels_wire import stopping_steps
from hal.board.messages import ArmCommand, LampsCommand, ReelCommand, ReelReport, SpinCommand, WatchCommand
from hal.lamp_fields import bit_field
from tests.firmware.emulated import MS
from tests.firmware.kind_bench import KindBench
from tests.firmware.worlds import STEPS, Reel

GREATEST: Final = 402
"""Steps a second: what a model may have at most."""
SYMBOLS: Final = 20
SYMBOL: Final = STEPS // SYMBOLS
TURN_MS: Final = 1_000 * STEPS // GREATEST
SOAK_STOPS: Final = 2_400


def play(bench: KindBench, reels: list[Reel], rng: Random) -> list[int]:
    """Spins three reels, and presses each button at any moment: how far each turned on, in steps."""
    for number in (1, 2, 3):
        bench.ask(ReelCommand(number, SYMBOLS, 500, 6, STEPS, 1, 50, 0, 1))
        bench.ask(SpinCommand(number, GREATEST, 0))
    bench.run(2 * TURN_MS)
    for number in (1, 2, 3):
        bench.ask(ArmCommand(number, 1))
    pressed = sorted((rng.uniform(1, TURN_MS), number) for number in (1, 2, 3))
    together = rng.random() < 0.2
    presses: dict[int, int] = {}
    passed_ms = 0.0
    for at_ms, number in pressed:
        while not together and passed_ms + 20 < at_ms:
            bench.ask(LampsCommand(bit_field(rng.sample(range(1, 17), 8))))
            bench.run(10)
            passed_ms += 20
        presses[number] = bench.now_ns
        bench.pulse(f"stop_{number}", 60)
        if not together:
            bench.run(rng.uniform(1, 30))
    bench.run(400)
    distances: list[int] = []
    reports = bench.reports(ReelReport)
    for number, reel in enumerate(reels, start=1):
        distances.append(len(reel.steps) - bisect_right(reel.steps, presses[number]))
        report = [one for one in reports if one.reel == number][-1]
        assert (report.moving, report.button, report.why) == (0, 1, 0)
        assert report.step == reel.place
        assert reel.place % SYMBOL == 0
    bench.reported.clear()
    bench.changes.clear()
    for reel in reels:
        reel.steps.clear()
    return distances


def stops(count: int, seed: int) -> list[int]:
    """How far this many stops erred, in steps."""
    middle = stopping_steps(GREATEST) + SYMBOL // 2
    rng = Random(seed)
    with KindBench("reel") as bench:
        bench.run(300)
        reels = [Reel(number, place=rng.randrange(STEPS), flag=8) for number in (1, 2, 3)]
        bench.worlds += reels
        bench.ask(WatchCommand(0x7F, 0))
        errors: list[int] = []
        while len(errors) < count:
            errors += [distance - middle for distance in play(bench, reels, rng)]
        assert bench.now_ns > count * MS
    return errors


def test_a_stop_errs_by_half_a_symbol_at_most_at_the_greatest_speed() -> None:
    errors = stops(24, 1)
    assert max(map(abs, errors)) <= SYMBOL // 2, errors
    assert len(set(errors)) > 5, "presses fall anywhere between two symbols"


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("part", range(8))
def test_2400_stops_err_by_half_a_symbol_at_most_at_the_greatest_speed(part: int) -> None:
    errors = stops(SOAK_STOPS // 8, 100 + part)
    assert max(map(abs, errors)) <= SYMBOL // 2
