"""Evenings of simulated automatic wheels: flags, retries, long waits, power cycles, silences and broken lines.

A supervisor clears whatever can be cleared every other second.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import pytest

from controller.games.assembly import table_for
from feed import events
from hal.capture.command_text import read_command
from hal.framing import LineFramer
from hal.values import Batch, Rare
from simulators.roulette.star_x import STAR_X_FAULTS, StarXChunk, StarXSimulator, StarXSpin, frames
from tests.tables.automatic_wheel import LINK, TABLE
from tests.tables.bench import VERDICTS, EventList, configured

S = 1_000_000_000
SPINS = 20


class Evening(NamedTuple):
    """Spins, and what the table reported during each."""

    spins: list[StarXSpin]
    said: list[EventList]
    standing: int
    """Faults that stand at the end."""


class Play:
    """A table, and the wheel that it listens to."""

    def __init__(self, seed: int) -> None:
        self.simulator = StarXSimulator(seed)
        self.table = table_for(configured(TABLE), epoch="sim", simulated=True)
        self.table.open(0)
        self._framer = LineFramer(max_length=32)
        self._until_ns = 0

    def feed(self, spin: StarXSpin, chunks: Sequence[StarXChunk]) -> EventList:
        """What the table reports during a spin, of which these bytes are received."""
        rare: list[Rare] = [*frames(chunks, LINK, self._framer)]
        cleared_ns = range(self._until_ns + S, spin.until_ns, 2 * S)
        rare += [read_command("clear device=wheel by=ann", t_ns) for t_ns in cleared_ns]
        rare.sort(key=lambda value: value.t_ns)
        self._until_ns = spin.until_ns
        return EventList(self.table.feed(Batch([], rare, spin.until_ns - 1)))


def numbers(said: EventList) -> list[str]:
    return [outcome.result["pocket"] for outcome in said.of(events.Outcome)]


def played(seed: int) -> Evening:
    """One evening: half of the spins are clean, after each fault one at least."""
    choose = random.Random(seed)
    play = Play(seed)
    names = sorted(STAR_X_FAULTS)
    spins = [play.simulator.spin(choose.choice(names) if number % 2 else None) for number in range(SPINS)]
    said = [play.feed(spin, spin.chunks) for spin in spins]
    return Evening(spins, said, len(play.table.faults.standing))


@pytest.fixture(scope="module", params=range(12))
def evening(request: pytest.FixtureRequest) -> Evening:
    return played(request.param)


def test_every_clean_spin_has_its_number_and_no_other_has_an_outcome(evening: Evening) -> None:
    for spin, said in zip(evening.spins, evening.said, strict=True):
        assert numbers(said) == ([spin.truth.pocket] if spin.truth.provable else []), (spin.truth, said.story())


def test_every_ball_in_the_rim_has_one_verdict_or_more_and_no_other_is_called(evening: Evening) -> None:
    for spin, said in zip(evening.spins, evening.said, strict=True):
        verdicts = [event.data for event in said if isinstance(event.data, VERDICTS)]
        assert bool(verdicts) or not spin.truth.launched, (spin.truth, said.story())
        if not spin.truth.launched:
            # The bets that are open go back where a fault shuts the table: there is nothing to call.
            assert not [verdict for verdict in verdicts if not isinstance(verdict, events.Void)], spin.truth


def test_the_direction_is_that_of_the_spin(evening: Evening) -> None:
    for spin, said in zip(evening.spins, evening.said, strict=True):
        if spin.truth.provable:
            rotor, ball = ("clockwise", "counter-clockwise")[:: 1 if spin.truth.clockwise else -1]
            outcome = said.one(events.Outcome)
            assert outcome.evidence.rotor_direction == rotor
            assert said.of(events.RoundStarted)[-1].direction == ball
            assert outcome.evidence.rotor_rpm is not None
            assert 15.5 < outcome.evidence.rotor_rpm < 18.5


def test_no_fault_is_left_behind(evening: Evening) -> None:
    assert evening.standing == 0


def test_no_bets_open_and_go_back_at_one_instant(evening: Evening) -> None:
    for said in evening.said:
        opened = {event.data.mono_ns for event in said if isinstance(event.data, events.RoundOpened)}
        back = {event.data.mono_ns for event in said if isinstance(event.data, events.Void | events.Unresolved)}
        faults = {fault.mono_ns for fault in said.of(events.DeviceFault)}
        assert not opened & back & faults, said.story()


def test_nothing_is_stated_that_nobody_measured(evening: Evening) -> None:
    for said in evening.said:
        assert all(progress.revolutions is None for progress in said.of(events.RoundProgress))
        for event in said:
            if isinstance(event.data, VERDICTS):
                assert event.data.evidence.revolutions is None


@pytest.mark.parametrize("seed", range(12))
def test_wrong_bytes_give_no_false_outcome_and_leave_no_table_shut(seed: int) -> None:
    choose = random.Random(seed)
    play = Play(seed)
    for _ in range(12):
        spin = play.simulator.spin(choose.choice(sorted(STAR_X_FAULTS)) if choose.random() < 0.3 else None)
        chunks = list(spin.chunks)
        for _ in range(choose.randint(0, 6)):
            place = choose.randrange(len(chunks))
            t_ns, data = chunks[place]
            at = choose.randrange(len(data))
            wrong = choose.choice(b"0123456789;*X\r\n") if choose.random() < 0.7 else choose.randrange(256)
            chunks[place] = StarXChunk(t_ns, data[:at] + bytes([wrong]) + data[at + 1 :])
        said = play.feed(spin, chunks)
        assert numbers(said) in ([], [spin.truth.pocket] if spin.truth.provable else []), spin.truth
    clean = [play.simulator.spin() for _ in range(2)]
    said_last = [play.feed(spin, spin.chunks) for spin in clean]
    assert numbers(said_last[-1]) == [clean[-1].truth.pocket]
    assert play.table.faults.standing == ()
