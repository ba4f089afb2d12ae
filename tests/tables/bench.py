"""A table under test: values in, events out, and queries on the events."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TypeVar

from controller.configuration.values import TableConfig
from controller.games.assembly import table_for
from controller.games.load import check_text
from feed import events
from feed.events import Data, Event, encode
from feed.state import TableState
from hal.values import Batch, Edge, Rare

VERDICTS = (events.Outcome, events.Void, events.Unresolved)

D = TypeVar("D", bound=Data)


def configured(text: str) -> TableConfig:
    """The table of a document without mistakes."""
    report = check_text(text)
    assert report.errors == []
    return report.tables[0]


class EventList(list[Event]):
    """Events, in the order in which a table said them."""

    def of(self, kind: type[D]) -> list[D]:
        """The data of the events of one kind."""
        return [event.data for event in self if isinstance(event.data, kind)]

    def one(self, kind: type[D]) -> D:
        """The data of the only event of its kind."""
        found = self.of(kind)
        assert len(found) == 1, f"{len(found)} events {kind.kind}, not one: {self.story()}"
        return found[0]

    def verdicts(self) -> list[str]:
        """`17` for an outcome, `void reason`, `unresolved reason`.

        Of dice `4-4-1`, or `3-4/6-2` with the dealer's; of baccarat `9s-Kd/6h-2c`, of red dog `4s-7d-5c spread`.
        """
        return [word for event in self if isinstance(event.data, VERDICTS) for word in [_verdict(event.data)]]

    def story(self) -> list[str]:
        """Every event but progress, in short."""
        return [_word(event.data) for event in self if not isinstance(event.data, events.RoundProgress)]

    def body(self) -> bytes:
        """The events as the feed sends them."""
        return b"\n".join(encode(event) for event in self)


def _verdict(data: Data) -> str:
    if isinstance(data, events.Outcome) and "dice" in data.result:
        thrown = [data.result[name] for name in ("dealer_dice", "dice") if name in data.result]
        return "/".join("-".join(map(str, dice)) for dice in thrown)
    if isinstance(data, events.Outcome) and "banker" in data.result:
        return "/".join("-".join(data.result[hand]["cards"]) for hand in ("player", "banker"))
    if isinstance(data, events.Outcome) and "cards" in data.result:
        return f"{'-'.join(data.result['cards'])} {data.result['kind']}"
    if isinstance(data, events.Outcome):
        return str(data.result.get("pocket", data.result.get("space")))
    assert isinstance(data, events.Void | events.Unresolved)
    return f"{type(data).kind.removeprefix('round.')} {data.reason}"


def _word(data: Data) -> str:
    if isinstance(data, VERDICTS):
        return _verdict(data)
    what = ""
    for name in ("by", "reason", "fault", "warning"):
        what = what or getattr(data, name, "")
    return f"{type(data).kind} {what}".strip()


class TableBench:
    """A table that is open from time 0, and continues from what a journal holds where there was one."""

    def __init__(self, text: str, before: TableState | None = None) -> None:
        self.table = table_for(configured(text), epoch="sim", simulated=True)
        if before is not None:
            self.table.restore(before)
        self.said = EventList(self.table.open(0))

    def feed(self, edges: Sequence[Edge] = (), rare: Sequence[Rare] = (), until_ns: int | None = None) -> EventList:
        """Lets the wires do something; returns what was said of it."""
        ends = [value.t_ns for value in (*edges, *rare)]
        batch = Batch(list(edges), list(rare), max(ends) if until_ns is None else until_ns)
        said = EventList(self.table.feed(batch))
        self.said += said
        return said


def events_of_run(
    text: str, edges: Sequence[Edge], rare: Sequence[Rare], until_ns: int, cuts: Iterable[int] = ()
) -> EventList:
    """All that a fresh table says of a run, given in one batch or cut at some times."""
    bench = TableBench(text)
    start = first = 0
    for cut_ns in sorted({*(cut for cut in cuts if 0 <= cut < until_ns), until_ns}):
        end = bisect_right(edges, cut_ns, key=lambda edge: edge.t_ns)
        last = bisect_right(rare, cut_ns, key=lambda value: value.t_ns)
        bench.feed(edges[start:end], rare[first:last], cut_ns)
        start, first = end, last
    return bench.said
