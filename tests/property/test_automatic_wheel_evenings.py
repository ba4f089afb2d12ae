"""Evenings of simulated automatic wheels: flags, retries, long waits, power cycles, silences and broken lines.

A supervisor clears whatever can be cleared every other second.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from controller.games.assembly import table_for
from feed import events
from feed.events import Event
from hal.capture.command_text import read_command
from hal.framing import LineFramer
from hal.values import Batch, Rare
from simulators.roulette.star_x import STAR_X_FAULTS, StarXSimulator, StarXSpin, frames
from tests.tables.bench import VERDICTS, EventList, configured

S = 1_000_000_000
LINK = "wheel_serial"
SPINS = 20
TABLE = f"""
[table]
id = "roulette-3"
game = "roulette"
no_more_bets = "auto"
[lines]
backend = "capture"
[device.wheel]
driver = "star_x"
[links]
{LINK} = {{ port = "/dev/null" }}
[game]
trust_wheel = true
"""


class Evening(NamedTuple):
    """Spins, and what the table reported during each."""

    spins: list[StarXSpin]
    said: list[EventList]
    standing: int
    """Faults that stand at the end."""


def played(seed: int) -> Evening:
    """One evening: half of the spins are clean, after each fault one at least."""
    choose = random.Random(seed)
    simulator = StarXSimulator(seed)
    names = sorted(STAR_X_FAULTS)
    framer = LineFramer(max_length=32)
    table = table_for(configured(TABLE), epoch="sim", simulated=True)
    table.open(0)
    spins: list[StarXSpin] = []
    said: list[EventList] = []
    start_ns = 0
    for number in range(SPINS):
        spin = simulator.spin(choose.choice(names) if number % 2 else None)
        rare: list[Rare] = [*frames(spin.chunks, LINK, framer)]
        rare += [read_command("clear device=wheel by=ann", t_ns) for t_ns in range(start_ns + S, spin.until_ns, 2 * S)]
        rare.sort(key=lambda value: value.t_ns)
        heard: list[Event] = table.feed(Batch([], rare, spin.until_ns - 1))
        spins.append(spin)
        said.append(EventList(heard))
        start_ns = spin.until_ns
    return Evening(spins, said, len(table.faults.standing))


@pytest.fixture(scope="module", params=range(24))
def evening(request: pytest.FixtureRequest) -> Evening:
    return played(request.param)


def test_every_clean_spin_has_its_number_and_no_other_has_an_outcome(evening: Evening) -> None:
    for spin, said in zip(evening.spins, evening.said, strict=True):
        outcomes = [outcome.result["pocket"] for outcome in said.of(events.Outcome)]
        assert outcomes == ([spin.truth.pocket] if spin.truth.provable else []), (spin.truth, said.story())


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
