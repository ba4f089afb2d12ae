"""A table on simulated devices, judged against the truth that only the simulator knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from controller.bench.simulated_journal import SimulatedJournal
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of, table_for
from controller.games.outside import game_named
from controller.table.phase import SETTLING
from controller.table.table import Table
from feed import events
from feed.events import Event
from hal.values import Batch, Command, Output
from simulators.base.answering import Answering, play_through
from simulators.base.faults import FaultError, fault_named
from simulators.base.geometry import Geometry
from simulators.base.truth import TableSimulator, Truth

VERDICTS = (events.Outcome, events.Void, events.Unresolved)
SUPERVISOR = "simulated-supervisor"


class Played(NamedTuple):
    """One simulated round: what the lines did, what the table published, and what was true."""

    number: int
    fault: str | None
    batch: Batch
    events: list[Event]
    truth: Truth | None
    """None for the quiet before the first round."""


@dataclass
class Score:
    """How the verdicts compare with the truth."""

    rounds: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    unsupported: list[str] = field(default_factory=list)
    """Outcomes that the truth does not support: there must be none."""
    refused: list[str] = field(default_factory=list)
    """Rounds whose run was valid and whose lines showed it, and that got no outcome."""

    def add(self, played: Played) -> None:
        """Judges what was published in one round."""
        truth = played.truth
        if truth is None:
            return
        self.rounds += 1
        outcome = False
        for event in played.events:
            data = event.data
            if not isinstance(data, VERDICTS):
                continue
            kind = type(data).kind.removeprefix("round.")
            self.verdicts[kind if isinstance(data, events.Outcome) else f"{kind} {data.reason}"] += 1
            if isinstance(data, events.Outcome):
                spec = game_named(data.game)
                if outcome or not truth.valid or spec is None or spec.rests(data.result) != truth.result:
                    self.unsupported.append(f"round {played.number}: {data.result}, but the truth is: {truth.detail}")
                outcome = True
        if truth.valid and not truth.reasons and not outcome:
            self.refused.append(f"round {played.number}: no outcome, but the truth is: {truth.detail}")


def fault_plan(given: Sequence[str], rounds: int | None, geometry: Geometry) -> dict[int | None, str]:
    """Which round has which fault, from `NAME[@ROUND]`; None means every round that has none of its own.

    `rounds` is the number of rounds played, None where there is no end.

    Raises:
        simulators.base.faults.FaultError: an unknown fault, one that the table cannot have, or no number of a round.
    """
    plan: dict[int | None, str] = {}
    for one in given:
        name, at, number = one.partition("@")
        fault_named(name, geometry)
        if at and not (number.isdecimal() and 1 <= int(number) <= (rounds or 10**9)):
            last = f" to {rounds}" if rounds else ""
            raise FaultError(f'fault "{one}": write the number of a round after @, from 1{last}')
        place = int(number) if at else None
        if place in plan:
            where = "every round" if place is None else f"round {place}"
            raise FaultError(f'fault "{one}": {where} has the fault "{plan[place]}" already; give each round one')
        plan[place] = name
    return plan


def simulate(config: TableConfig, rounds: int, seed: int, faults: Mapping[int | None, str]) -> Iterator[Played]:
    """Plays rounds on simulated devices, in virtual time.

    `faults` gives a round's fault by its number from 1, and by None the fault of every other round. Where a fault has
    shut the table, the simulated supervisor clears it after the round.

    Raises:
        simulators.base.faults.FaultError: an unknown fault, or one that this table cannot have.
    """
    simulator: TableSimulator = geometry_of(config).simulator(seed)
    table = table_for(config, epoch="sim", simulated=True, opens=True)
    answering = SimulatedJournal(simulator, table) if isinstance(simulator, Answering) else None
    begin = simulator.start()
    yield Played(0, None, begin, table.open(0) + table.feed(begin), None)
    for number in range(1, rounds + 1):
        fault = faults.get(number, faults.get(None))
        played = simulator.round(fault)
        published: list[Event] = []
        feed = partial(_fed, table, published, answering)
        played = played._replace(batch=play_through(answering, played.batch, feed, lambda: table.next_due_ns))
        for orders in (_supervise, _settles):
            commands = orders(table, published, played.truth, played.batch.until_ns)
            if not commands:
                break
            outputs = feed(Batch([], [*commands], played.batch.until_ns))
            if answering is not None:
                for output in outputs:
                    answering.command(output)
            played = played._replace(batch=played.batch._replace(rare=[*played.batch.rare, *commands]))
        yield Played(number, fault, played.batch, published, played.truth)


def _fed(table: Table, published: list[Event], journal: SimulatedJournal | None, batch: Batch) -> list[Output]:
    reported = table.feed(batch)
    published += reported
    if journal is not None:
        journal.publish(reported, batch.until_ns)
    return table.outputs()


def _supervise(table: Table, published: Sequence[Event], truth: Truth, t_ns: int) -> list[Command]:
    """What the simulated supervisor sends: what shut the table is cleared, and a roll that must be called is called."""
    devices = dict.fromkeys(fault.device for fault in table.faults.standing)
    clears = [Command("clear", (("device", device), ("by", SUPERVISOR)), t_ns) for device in devices]
    number = table.rounds.uncalled
    if number is None:
        settles = [Command("settle", (("by", SUPERVISOR),), t_ns)] if table.rounds.waits_for_person else []
        return [*clears, *settles]
    rest = table.rounds.can.rest
    lay = rest.name_of_rest(truth.result) if truth.valid and rest is not None else None
    to = ("reason", "dealer_call") if lay is None else (table.game.names_result_by, lay)
    given = (("round", str(number)), to, ("by", SUPERVISOR), ("why", "as they lay"))
    return [*clears, Command("correct", given, t_ns)]


def _settles(table: Table, published: Sequence[Event], truth: Truth, t_ns: int) -> list[Command]:
    """The bets of a round that the supervisor has just called are settled before the next one is played."""
    rounds = table.rounds
    called = any(isinstance(one.data, events.RoundCorrected) and one.data.by == SUPERVISOR for one in published)
    if not called or rounds.phase is not SETTLING or rounds.settle_refused is not None:
        return []
    return [Command("settle", (("by", SUPERVISOR),), t_ns)]
