"""What DuckDB counts over any evening is what a few plain lines of Python count."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.games.catalogue import GAME
from feed.events import (
    DeviceFault,
    Event,
    Outcome,
    RoundCorrected,
    RoundData,
    Unknown,
    Unresolved,
    Verdict,
    Void,
    decode,
)
from fleet.statistics.dataset import Choice, Dataset, collecting
from fleet.statistics.summary import summarize
from fleet.subjects import TableName
from tests.fakes.table_history import NS, UNRESOLVED, VOID, TableHistory, outcome_of

ACTS = (
    *("pocket", "void", "ours", "unresolved", "correct", "fault", "clear", "restart"),
    *("unknown", "close", "open", "warn"),
)
VERDICTS = (Outcome, Void, Unresolved)


def played(draw: st.DrawFn, table: str, simulated: bool) -> TableHistory:
    """Any evening of a table."""
    history = TableHistory(table, simulated=simulated).open()
    standing: dict[int, Verdict] = {}
    for act in draw(st.lists(st.sampled_from(ACTS), max_size=25)):
        history.later(draw(st.integers(0, 100)))
        if act == "pocket":
            pocket = str(draw(st.integers(0, 36)))
            standing[len(standing) + 1] = outcome_of(pocket)
            history.pocket(pocket)
        elif act in ("void", "ours"):
            standing[len(standing) + 1] = VOID
            history.void(*(("wheel_reversed", "ours") if act == "ours" else ()))
        elif act == "unresolved":
            standing[len(standing) + 1] = UNRESOLVED
            history.unresolved()
        elif act == "correct" and standing:
            number = draw(st.integers(1, len(standing)))
            new = draw(st.sampled_from([VOID, outcome_of("5"), outcome_of("6")]))
            history.corrected(number, standing[number], new, confirmed=standing[number] == UNRESOLVED)
            standing[number] = new
        elif act == "fault":
            history.fault(draw(st.sampled_from(["tilt", "not_level"])), blocks=draw(st.booleans()))
        elif act == "clear":
            history.cleared(draw(st.sampled_from(["tilt", "not_level"])))
        elif act == "restart":
            history.restart().open()
        elif act == "unknown":
            history.unknown()
        elif act in ("close", "open"):
            history.close() if act == "close" else history.open()
        elif act == "warn":
            history.warned()
    return history


@st.composite
def fleets(draw: st.DrawFn) -> tuple[list[TableHistory], int | None, int | None, list[int]]:
    """Some tables, a span of time, and numbers of events that are lost."""
    tables = [played(draw, f"roulette-{number}", draw(st.booleans())) for number in range(draw(st.integers(1, 3)))]
    span = sorted(draw(st.lists(st.integers(0, 1500), min_size=2, max_size=2, unique=True)))
    since, until = (draw(st.sampled_from([None, end])) for end in span)
    return tables, since, until, draw(st.lists(st.integers(2, 25), max_size=3))


class Oracle:
    """The same, counted one event after the other."""

    def __init__(self, events: list[Event], since_ns: int | None, until_ns: int | None) -> None:
        self.since_ns, self.until_ns = since_ns, until_ns
        self.standing: dict[int, Verdict] = {}
        self.proven: set[int] = set()
        self.first: dict[int, Event] = {}
        self.events = [event for event in events if self.has(event)]
        for event in events:
            self._take(event)

    def has(self, event: Event) -> bool:
        at = ns_of(event)
        return (self.since_ns is None or at >= self.since_ns) and (self.until_ns is None or at < self.until_ns)

    def _take(self, event: Event) -> None:
        data = event.data
        if isinstance(data, RoundData) and isinstance(data, (*VERDICTS, RoundCorrected)):
            self.first.setdefault(data.round, event)
            if isinstance(data, RoundCorrected):
                self.standing[data.round] = data.to
            elif isinstance(data, Outcome):
                self.standing[data.round] = Verdict(verdict="outcome", result=data.result)
                self.proven.add(data.round)
            elif isinstance(data, Void | Unresolved):
                kind = "void" if isinstance(data, Void) else "unresolved"
                self.standing[data.round] = Verdict(verdict="void" if kind == "void" else "unresolved")

    @property
    def verdicts(self) -> Counter[str]:
        return Counter(one.verdict for number, one in self.standing.items() if self.has(self.first[number]))

    @property
    def pockets(self) -> Counter[object]:
        proven = {number: one for number, one in self.standing.items() if number in self.proven}
        chosen = [one for number, one in proven.items() if self.has(self.first[number])]
        return Counter(one.result["pocket"] for one in chosen if one.verdict == "outcome" and one.result)

    @property
    def refusals(self) -> Counter[tuple[str, str]]:
        return Counter(
            (event.data.reason, "ours" if isinstance(event.data, Unresolved) else event.data.rule)
            for event in self.events
            if isinstance(event.data, Void | Unresolved)
        )

    @property
    def faults(self) -> int:
        return sum(isinstance(event.data, DeviceFault) for event in self.events)

    @property
    def unknown(self) -> int:
        return sum(isinstance(event.data, Unknown) for event in self.events)


def ns_of(event: Event) -> int:
    delta = datetime.fromisoformat(event.time) - datetime(1970, 1, 1, tzinfo=UTC)
    return delta // timedelta(microseconds=1) * 1000


@settings(max_examples=8, deadline=None)
@given(fleets())
def test_the_counts_of_any_fleet_are_those_of_plain_python(
    tmp_path_factory: pytest.TempPathFactory, fleet: tuple[list[TableHistory], int | None, int | None, list[int]]
) -> None:
    histories, since, until, lost = fleet
    folder: Path = tmp_path_factory.mktemp("fleet")
    start_ns = ns_of(histories[0].events[0])
    since_ns = None if since is None else start_ns + since * NS
    until_ns = None if until is None else start_ns + until * NS
    with collecting(folder) as collector:
        for history in histories:
            collector.begin()
            for seq, body in enumerate(history.bodies, 1):
                if seq not in lost:
                    collector.add(TableName("hall", history.simulated, history.table), decode(body), body, str(seq))
    for simulated in (False, True):
        chosen = [history for history in histories if history.simulated is simulated]
        oracles = {
            history.table: Oracle(
                [decode(body) for seq, body in enumerate(history.bodies, 1) if seq not in lost], since_ns, until_ns
            )
            for history in chosen
        }
        found = summarize(Dataset(folder), Choice(simulated=simulated, since_ns=since_ns, until_ns=until_ns), GAME)
        assert {line.table: line.events for line in found.tables} == {
            name: len(one.events) for name, one in oracles.items() if one.events
        }
        for line in found.tables:
            one = oracles[line.table]
            verdicts = {"outcome": line.outcomes, "void": line.voids, "unresolved": line.unresolved}
            assert verdicts == {kind: one.verdicts[kind] for kind in verdicts}
            assert line.faults == one.faults
        refusals = sum((one.refusals for one in oracles.values()), Counter[tuple[str, str]]())
        assert {
            (each.reason, each.rule): each.count for each in found.refusals if each.verdict != "violation"
        } == refusals
        assert sum(found.unknown_types.values()) == sum(one.unknown for one in oracles.values())
        tested = [each for each in found.bias if each.scope == "device"]
        counted = sum((Counter({c.value: c.count for c in each.categories}) for each in tested), Counter[object]())
        unopened = sum(each.unopened for each in found.doubts)
        pockets = sum((one.pockets for one in oracles.values()), Counter[object]())
        assert sum(counted.values()) + unopened == sum(pockets.values())
        if not unopened:
            assert +counted == pockets
        for doubt in found.doubts:
            history = next(each for each in chosen if each.table == doubt.table)
            there = {seq for seq in range(1, len(history.bodies) + 1) if seq not in lost}
            gaps = {seq for first, last in doubt.missing for seq in range(first, last + 1)}
            assert gaps == set(range(1, max(there) + 1)) - there
