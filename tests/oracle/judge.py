"""Runs a table on a recorded run, and compares its verdicts with the truth.

The only module here that knows the controller, and of it only that batches go in and events come out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from random import Random
from typing import Any, Final, NamedTuple

import msgspec

from controller.configuration.values import TableConfig
from controller.games.assembly import table_for
from controller.games.load import check_text
from feed.events import Event, RoundProgress
from hal.values import Batch, Edge, Rare
from tests.oracle import money, roulette
from tests.oracle.corruptions import Corrupted
from tests.oracle.invisible import held_unseen, object_unseen, pass_unseen, pulse_unseen, rest_unseen
from tests.oracle.motion import NS, T_NS


class TableEvent(NamedTuple):
    """One event that matters to a verdict."""

    type: str
    t_ns: int
    data: dict[str, Any]

    @property
    def reason(self) -> str | None:
        """The reason code of a void or unresolved round, a fault or a violation."""
        reason = self.data.get("reason", self.data.get("fault"))
        return None if reason is None else str(reason)


def money_toml(wheel: money.Wheel) -> str:
    """The configuration of a money wheel."""
    call = "button" if wheel.button else "auto"
    return f"""
[table]
id = "wheel-1"
game = "money_wheel"
no_more_bets = "{call}"
[lines]
backend = "sim"
[device.wheel]
encoder_slots = {wheel.slots}
"""


def roulette_toml(wheel: roulette.Wheel) -> str:
    """The configuration of a roulette wheel."""
    call = "button" if wheel.button else "auto"
    return f"""
[table]
id = "roulette-1"
game = "roulette"
no_more_bets = "{call}"
[lines]
backend = "sim"
[device.wheel]
pockets = "{wheel.pockets}"
encoder_slots = {wheel.slots}
index_width_deg = {wheel.index_width_deg}
ball_sensors_deg = {list(wheel.sensors_deg)}
object_beams = {max(1, wheel.beams)}
pocket_head_deg = {wheel.head_deg}
"""


_batch: Final = partial(tuple.__new__, Batch)
"""A batch of its three values, faster than by its name: a run has hundreds."""


_STEPS_NS: Final = (NS // 20, *(NS,) * 5, *(4 * NS,) * 10)
"""How a random run is cut: one in sixteen as finely as a live table receives it, which costs as much as all the rest of
a run. However a stream is cut, its events have to be the same: `tests/property/test_wheel_cuts.py` shows that."""


def batches(edges: Sequence[Edge], rare: Sequence[Rare], until_ns: int, step_ns: int = NS) -> Iterator[Batch]:
    """The run cut into batches of equal time, as a live table receives it."""
    edges, rare = list(edges), list(rare)
    times_ns, rare_ns = [*map(T_NS, edges)], [r.t_ns for r in rare]
    i = j = 0
    end = step_ns
    while True:
        end = min(end, until_ns)
        first, second = i, j
        i, j = bisect_right(times_ns, end, lo=i), bisect_right(rare_ns, end, lo=j)
        yield _batch((edges[first:i], rare[second:j], end))
        if end >= until_ns:
            return
        end += step_ns


def events_of(toml: str, stream: Iterator[Batch]) -> list[TableEvent]:
    """The events of a fresh table on the batches."""
    table = table_for(configuration(toml), epoch="sim", simulated=True)
    seen = [_table_event(event) for event in table.open(0)]
    for batch in stream:
        seen += [_table_event(event) for event in table.feed(batch) if not isinstance(event.data, RoundProgress)]
    return seen


@lru_cache(maxsize=1024)
def configuration(toml: str) -> TableConfig:
    """The table of a configuration's text."""
    report = check_text(toml)
    if report.errors:
        raise ValueError(f"the oracle's configuration is wrong: {report.errors}")
    return report.tables[0]


def _table_event(event: Event) -> TableEvent:
    return TableEvent(type(event.data).kind, event.data.mono_ns, msgspec.to_builtins(event.data))


def verdicts(seen: Sequence[TableEvent]) -> list[TableEvent]:
    """The verdicts among the events."""
    return [s for s in seen if s.type in ("round.outcome", "round.void", "round.unresolved")]


def money_events(run: money.MoneyRun, made: Corrupted | None = None, rng: Random | None = None) -> list[TableEvent]:
    """The events of a money wheel's table on a run, corrupted or not."""
    edges: list[Edge] = run.edges if made is None else made.edges
    rare: list[Rare] = [] if made is None else made.rare
    step = NS if rng is None else rng.choice(_STEPS_NS)
    return events_of(money_toml(run.wheel), batches(edges, rare, run.until_ns, step))


def roulette_events(
    run: roulette.RouletteRun, made: Corrupted | None = None, rng: Random | None = None
) -> list[TableEvent]:
    """The events of a roulette table on a run, corrupted or not."""
    edges = run.edges if made is None else made.edges
    rare = run.rare if made is None else sorted([*run.rare, *made.rare], key=lambda r: r.t_ns)
    step = NS if rng is None else rng.choice(_STEPS_NS)
    return events_of(roulette_toml(run.wheel), batches(edges, rare, run.until_ns, step))


def refused_roulette_spins(run: roulette.RouletteRun, seen: Sequence[TableEvent]) -> tuple[int, int]:
    """How many spins of a run the rules accept, and how many of them have no outcome."""
    about = [run.spin_before(s.t_ns) for s in seen if s.type == "round.outcome"]
    sound = [spin for spin in run.spins if spin.valid]
    return len(sound), sum(spin not in about for spin in sound)


def false_money_outcomes(run: money.MoneyRun, seen: Sequence[TableEvent], made: Corrupted | None = None) -> list[str]:
    """Each outcome that the truth does not support, as a sentence.

    Excepted is what no software can detect in the corrupted lines `made`; nothing where they are not given.
    """
    wrong, given = [], set()
    for outcome in (s for s in seen if s.type == "round.outcome"):
        spin = run.spin_before(outcome.t_ns)
        space = outcome.data["result"]["space"]
        if spin is None:
            wrong.append(f"space {space} at {outcome.t_ns} without a spin")
        elif not spin.looks_valid(run.wheel.count_deg):
            wrong.append(f"space {space} of an invalid spin: {spin}")
        elif space != spin.space and not (
            made is not None
            and (
                rest_unseen(run, spin, outcome.t_ns, made)
                or pulse_unseen(run, spin, made)
                or held_unseen(run, spin, made)
            )
        ):
            wrong.append(f"space {space} for {spin.space}: {spin}")
        elif spin.start_ns in given:
            wrong.append(f"a second outcome of one spin: {spin}")
        if spin is not None:
            given.add(spin.start_ns)
    return wrong


def false_roulette_outcomes(
    run: roulette.RouletteRun, seen: Sequence[TableEvent], made: Corrupted | None = None
) -> list[str]:
    """Each outcome that the truth does not support, as a sentence.

    Excepted is what no software can detect in the corrupted lines `made`; nothing where they are not given.
    """
    wrong, given = [], set()
    for outcome in (s for s in seen if s.type == "round.outcome"):
        spin = run.spin_before(outcome.t_ns)
        pocket = outcome.data["result"]["pocket"]
        if spin is None:
            wrong.append(f"pocket {pocket} at {outcome.t_ns} without a spin")
        elif not (
            spin.valid
            or (made is not None and spin.without_object().valid and object_unseen(run, spin, outcome.t_ns, made))
            or (made is not None and spin.longer(pass_unseen(run, spin, made)).valid)
        ):
            wrong.append(f"pocket {pocket} of an invalid spin: {spin}")
        elif pocket != spin.pocket:
            wrong.append(f"pocket {pocket} for {spin.pocket}: {spin}")
        elif spin.launch_ns in given:
            wrong.append(f"a second outcome of one spin: {spin}")
        if spin is not None:
            given.add(spin.launch_ns)
    return wrong
