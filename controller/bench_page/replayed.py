"""A capture that was dropped on the page: replayed by the table's own code, with what decided each verdict.

What decided is not guessed: a verdict falls at an observation of a driver, and an observation falls at an edge, or when
a time has passed without one. So the edges that decided are those at the observation's own time and at the times that
it names (the last count, the last pass); where there is none, the last edge of the device's lines before it.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from controller.bench.replay import replay_steps
from controller.bench_page.comparison import CaptureContent, Edges
from controller.bench_page.host import DeviceShown, EventShown, event_shown, secret_devices, views_of
from controller.bench_page.line_display import LineDisplay, LinePart, Measure
from controller.bench_page.notes import Note, note_of
from controller.bench_page.said import Said
from controller.bench_page.situation import VERDICTS, VerdictShown, verdict_shown
from controller.configuration.values import TableConfig
from controller.games.assembly import secret_links
from controller.table.table import Table
from drivers.base.device_spec import Kind
from drivers.base.driver import Observation
from feed import events
from feed.events import Event
from hal.capture.errors import CaptureError
from hal.values import Batch

MOST_EDGES: Final = 60_000
"""Edges of one line of a capture that the page draws one by one (ours)."""
BINS: Final = 6000
MOST_VIEWS: Final = 1500
"""Times at which the devices of a capture are drawn (ours)."""
MOST_NOTES: Final = 5000
MOST_EVENTS: Final = 2000
STEPS: Final = 6000
"""About this many batches a capture is cut into (ours): so finely the devices are seen."""
BYTES_A_VALUE: Final = 9
_NO_EDGES: Final = Edges(array("q"), bytearray())


class DecidingEdge(msgspec.Struct, frozen=True):
    """An edge from which a verdict follows."""

    t_ns: int
    line: str
    level: int
    why: Said


class Decision(msgspec.Struct, frozen=True):
    """One verdict of a capture, and what it rests on."""

    verdict: VerdictShown
    began_ns: int
    """When its round began."""
    note: Note | None
    """The observation at which it fell; None where a time of the round itself passed, or a person called it."""
    edges: tuple[DecidingEdge, ...]


class ViewsAt(msgspec.Struct, frozen=True):
    """The devices at one time of a capture."""

    t_ns: int
    views: list[DeviceShown]


class ReplayedCapture(msgspec.Struct, frozen=True):
    """A capture, replayed. Times are nanoseconds since its beginning."""

    name: str
    begin_ns: int
    """The capture's own time at its beginning."""
    length_ns: int
    values: int
    lines: dict[str, LinePart]
    measures: dict[str, Measure]
    notes: list[Note]
    more_notes: int
    events: list[EventShown]
    more_events: int
    decisions: list[Decision]
    views: list[ViewsAt]
    unused: list[str]
    """Lines of the table that the capture does not have."""


class _Listener:
    """Collects observations with the devices that reported them."""

    def __init__(self) -> None:
        self.found: list[tuple[str, Observation]] = []

    def __call__(self, device: str, found: Sequence[Observation]) -> None:
        self.found += [(device, seen) for seen in found]


def replay_capture(config: TableConfig, path: Path, name: str, record: CaptureContent | None = None) -> ReplayedCapture:
    """Replays the capture in a file; `name` is what it is called. `record` is filled with what it holds.

    Raises:
        CaptureError: the file is wrong, or lacks a wire that the table needs.
    """
    size = _size(path)
    batch_values = max(2, size // BYTES_A_VALUE // STEPS)
    listener = _Listener()
    secret = secret_devices(config)
    display: LineDisplay | None = None
    origin_ns = 0
    published: list[Event] = []
    views: list[ViewsAt] = []
    apart_ns = 20_000_000
    record = CaptureContent() if record is None else record
    lines: Collection[str] = ()
    values = 0
    until_ns = 0
    table: Table | None = None
    for step in replay_steps(config, path, batch_values=batch_values, listener=listener):
        batch, table = step.batch, step.table
        if display is None:
            origin_ns = _begin_ns(batch)
            kinds = {line: use.kind for line, use in config.uses.items()}
            kinds |= {line: _input() for driver in table.drivers for line in driver.lines if line not in kinds}
            display = LineDisplay(
                kinds, secret_links(config), origin_ns=origin_ns, most_edges=MOST_EDGES, bins=BINS, most_frames=2000
            )
            lines = kinds
        display.take(batch)
        values += len(batch.edges) + len(batch.rare)
        record.take(batch, step.events, origin_ns)
        published += step.events
        until_ns = batch.until_ns
        if not views or until_ns - origin_ns - views[-1].t_ns >= apart_ns:
            views.append(ViewsAt(until_ns - origin_ns, views_of(table, until_ns)))
            if len(views) > MOST_VIEWS:
                views = views[::2]
                apart_ns *= 2
    if display is None or table is None:
        raise CaptureError(name, None, "the capture holds no time at all", "record it again")
    views.append(ViewsAt(until_ns - origin_ns, views_of(table, until_ns)))
    shown = display.update()
    notes = [note_of(device, seen, origin_ns, sealed=device in secret) for device, seen in listener.found]
    order = sorted(range(len(notes)), key=lambda place: notes[place].t_ns)
    notes = [notes[place] for place in order]
    owners = {driver.name: driver.lines for driver in table.drivers}
    decisions = _decisions(published, notes, owners, record.edges, config.game, origin_ns)
    return ReplayedCapture(
        name=name,
        begin_ns=origin_ns,
        length_ns=until_ns - origin_ns,
        values=values,
        lines=shown,
        measures=display.measures(until_ns),
        notes=notes[:MOST_NOTES],
        more_notes=max(0, len(notes) - MOST_NOTES),
        events=[event_shown(event, origin_ns) for event in published[:MOST_EVENTS]],
        more_events=max(0, len(published) - MOST_EVENTS),
        decisions=decisions,
        views=views,
        unused=sorted(line for line in lines if line not in shown and config.uses.get(line) is not None),
    )


def _input() -> Kind:
    return "input"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise CaptureError(path, None, f"cannot be opened: {error.strerror}", "give the path of a VCD file") from error


def _begin_ns(batch: Batch) -> int:
    firsts = [values[0].t_ns for values in (batch.edges, batch.rare) if values]
    return min(firsts, default=batch.until_ns)


def _decisions(
    published: Sequence[Event],
    notes: Sequence[Note],
    owners: Mapping[str, Collection[str]],
    edges: Mapping[str, Edges],
    game: str,
    origin_ns: int,
) -> list[Decision]:
    found: list[Decision] = []
    began_ns = 0
    times = [note.t_ns for note in notes]
    for event in published:
        data = event.data
        if isinstance(data, events.RoundOpened | events.RoundStarted):
            began_ns = data.mono_ns - origin_ns
        if not isinstance(data, VERDICTS):
            continue
        verdict = verdict_shown(event, game, origin_ns)
        last = bisect_right(times, verdict.t_ns) - 1
        note = notes[last] if last >= 0 and times[last] == verdict.t_ns else None
        # Where the round's own time passed, the last thing that a device did before is what it waited after.
        seen = note if note is not None else notes[last] if last >= 0 and times[last] >= began_ns else None
        decided = () if seen is None else _deciding(seen, owners.get(seen.device, ()), edges)
        found.append(Decision(verdict, began_ns, note, decided))
    return found


def _deciding(note: Note, lines: Collection[str], edges: Mapping[str, Edges]) -> tuple[DecidingEdge, ...]:
    """The edges of a device from which one of its observations follows."""
    found: list[DecidingEdge] = []
    named = Said("edge.named", {"what": note.what})
    moments = [(note.t_ns, Said("edge.reported", {"what": note.what})), *((t_ns, named) for t_ns in note.at_ns)]
    last: DecidingEdge | None = None
    for line in sorted(lines):
        times, levels = edges.get(line, _NO_EDGES)
        for moment, why in moments:
            place = bisect_right(times, moment) - 1
            if place < 0:
                continue
            edge = DecidingEdge(times[place], line, levels[place], why)
            if edge.t_ns == moment:
                found.append(edge)
            elif moment == note.t_ns and (last is None or edge.t_ns > last.t_ns):
                quiet_s = (note.t_ns - edge.t_ns) / 1e9
                quiet = {"what": note.what, "s": f"{quiet_s:.3f}"}
                last = msgspec.structs.replace(edge, why=Said("edge.last", quiet))
    if not found and last is not None:
        found.append(last)
    once = {(edge.t_ns, edge.line, edge.why.key): edge for edge in found}
    return tuple(sorted(once.values(), key=lambda edge: (edge.t_ns, edge.line)))
