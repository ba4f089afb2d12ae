"""What a change of one key of a table's file changes for people: on the same wires, or in what is printed of the table.

A simulated table is played once as its file is. What was on its wires is then given to the table of the changed file:
the simulation is that of the first file, so that a difference is the controller's own.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from types import UnionType
from typing import Annotated, Any, Final, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from controller.bench.simulation import simulate
from controller.cli.board_pins_view import boards_view
from controller.cli.pins import pinout_table, pins_section
from controller.configuration.document import toml_text
from controller.configuration.pinout import pinout_of
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of, table_for
from controller.games.load import check_text
from controller.live.wiring import wire
from controller.table.orders.order import CommandResult
from feed.events import Event
from hal.clock import VirtualClock
from hal.values import Batch, Command, Edge, Frame, Output, Rare, SendFrame
from simulators.base.faults import faults_for

STILL: Final = ""
"""In place of a fault: nothing is played, and what is printed of the table is compared."""
WIRED: Final = "wired"
"""In place of a fault: nothing is played, and what is asked of the wires is compared, before any of them is opened."""
REFUSED: Final = "refused"
"""In place of a fault: `check` refuses the key's other value beside the others, and nothing else would be right."""
S: Final = 1_000_000_000
ROUNDS: Final = 2
SEED: Final = 1
_TIMES: Final = ("mono_ns", "since_ns")
_VERDICTS: Final = ("round.outcome", "round.void", "round.unresolved")
_FAULTS: Final = ("device.fault", "device.warning", "procedure.violation")


class Run(NamedTuple):
    """What a table gives."""

    events: list[Event]
    outputs: list[Output]
    answers: list[CommandResult]
    """To the orders that people sent."""
    reported: Counter[str]
    """What the drivers reported, as a technician sees it on the bench."""


class Found(NamedTuple):
    """A way to show a key, and how much it says: the lower, the more."""

    rank: int
    value: Any
    fault: str
    change: str


@cache
def checked(text: str) -> TableConfig | None:
    """The table of a file; None where `check` refuses it."""
    report = check_text(text)
    return None if report.errors else report.tables[0]


def changed(text: str, path: Sequence[str | int], value: Any) -> str:
    """The file with one key at another value, or without it where that is None."""
    values = tomllib.loads(text)
    section: Any = values
    for name in path[:-1]:
        if isinstance(section, dict):
            section.setdefault(name, {})
        section = section[name]
    if value is None:
        section.pop(path[-1], None)
    else:
        section[path[-1]] = value
    return toml_text(values)


# --- on the wires -----------------------------------------------------------------------------------------------------


@cache
def stream_of(text: str, fault: str) -> Batch:
    """What was on the wires of the simulated table of a file, with a fault in the first round, or with more on them."""
    config = checked(text)
    assert config is not None, text
    if fault in MORE_ON_WIRES:
        return MORE_ON_WIRES[fault](text, stream_of(text, "none"))
    return _simulated(text, fault, ROUNDS)


def _simulated(text: str, fault: str, rounds: int) -> Batch:
    config = checked(text)
    assert config is not None, text
    edges: list[Edge] = []
    rare: list[Rare] = []
    until_ns = 0
    for played in simulate(config, rounds, SEED, {1: fault}):
        edges += played.batch.edges
        rare += played.batch.rare
        until_ns = played.batch.until_ns
    return Batch(edges, rare, until_ns)


def _with(stream: Batch, edges: Sequence[Edge] = (), rare: Sequence[Rare] = ()) -> Batch:
    return stream._replace(
        edges=sorted([*stream.edges, *edges], key=lambda one: one.t_ns),
        rare=sorted([*stream.rare, *rare], key=lambda one: one.t_ns),
    )


def _frames(stream: Batch, change: Callable[[Frame], Frame | None]) -> Batch:
    """The stream with each frame as it is changed, or without it; and a minute in which nothing is on the wires."""
    found = [(change(one) if isinstance(one, Frame) else one) for one in stream.rare]
    kept = sorted((one for one in found if one is not None), key=lambda one: one.t_ns)
    return Batch(stream.edges, kept, stream.until_ns + 60 * S)


def _time_of(text: str, kind: str) -> int:
    """When the first event of a kind comes."""
    return next(event.data.mono_ns for event in unchanged_run(text, "none").events if _kind(event) == kind)


def _silent(text: str, stream: Batch) -> Batch:
    """Every link falls silent in the middle."""
    half = stream.until_ns // 2
    return _frames(stream, lambda frame: frame if frame.t_ns < half else None)


def _mute(text: str, stream: Batch) -> Batch:
    """No link says anything."""
    return _frames(stream, lambda frame: None)


def _quick_rotor(text: str, stream: Batch) -> Batch:
    """An automatic wheel reports a rotor of 60 rpm."""
    return _frames(
        stream, lambda frame: frame._replace(data=re.sub(rb"^(\*X;.*);\d+;(\d)$", rb"\1;600;\2", frame.data))
    )


def _early_number(text: str, stream: Batch) -> Batch:
    """An automatic wheel gives the bare number half a second earlier."""
    return _frames(stream, lambda frame: frame if frame.data[:1] == b"*" else frame._replace(t_ns=frame.t_ns - S // 2))


def _ordered(verb: str, t_ns: int) -> Command:
    return Command(verb, (("by", "ann"),), t_ns, id="1")


def _unanswered(text: str, stream: Batch) -> Batch:
    """A board does not answer what it is asked, and says nothing more."""
    asked_ns = next(one.t_ns for one in unchanged_run(text, "none").outputs if isinstance(one, SendFrame))
    return _frames(stream, lambda frame: frame if frame.t_ns <= asked_ns else None)


def _undated_touches(text: str, stream: Batch) -> Batch:
    """The touches of a screen were dated by no kernel."""
    return _frames(stream, lambda frame: frame._replace(data=frame.data.replace(b'"by":"kernel"', b'"by":"window"')))


def _unsynchronised(text: str, stream: Batch) -> Batch:
    """A display does not synchronise its frames."""
    told = b'"synchronised":true', b'"synchronised":false'
    return _frames(stream, lambda frame: frame._replace(data=frame.data.replace(*told)))


def _more_rounds(text: str, stream: Batch) -> Batch:
    """More rounds: in the first few nothing is won."""
    return _simulated(text, "none", 4)


def _again(text: str, stream: Batch) -> Batch:
    """The same rounds a hundred times: no fair dice fall so."""
    times = [turn * stream.until_ns for turn in range(100)]
    edges = [one._replace(t_ns=one.t_ns + later) for later in times for one in stream.edges]
    rare = [one._replace(t_ns=one.t_ns + later) for later in times for one in stream.rare]
    return Batch(edges, rare, stream.until_ns * len(times))


def _shaker_removed(text: str, stream: Batch) -> Batch:
    return _with(stream, [Edge("automated_shaker_present", 0, S)])


def _shuffler_removed(text: str, stream: Batch) -> Batch:
    """Somebody states that the shuffler was removed."""
    return _with(stream, rare=[_ordered("shuffler_removed", S)])


def _dice_changed(text: str, stream: Batch) -> Batch:
    """A player calls for other dice before the first roll."""
    return _with(stream, rare=[_ordered("change_dice", _time_of(text, "round.opened") + S // 10)])


def _straight_flush(text: str, stream: Batch) -> Batch:
    """The dealer has the progressive wagers paid: a straight flush at whichever position has one."""
    at_ns = _time_of(text, "round.outcome") + S // 10
    given = [(("hand", "straight_flush"), ("positions", str(position)), ("by", "ann")) for position in range(7, 0, -1)]
    return _with(stream, rare=[Command("progressive_pay", one, at_ns) for one in given])


def _hole_card_read(text: str, stream: Batch) -> Batch:
    """A reader of the hole card finds a blackjack that the dealer has not."""
    return _with(stream, rare=[Frame("card_reader", b"P;y;29", _time_of(text, "card.sealed") + S // 10)])


MORE_ON_WIRES: Final[Mapping[str, Callable[[str, Batch], Batch]]] = {
    "links: silent": _silent,
    "links: mute": _mute,
    "unanswered": _unanswered,
    "undated touches": _undated_touches,
    "unsynchronised": _unsynchronised,
    "more rounds": _more_rounds,
    "again": _again,
    "a quick rotor": _quick_rotor,
    "an early number": _early_number,
    "shaker removed": _shaker_removed,
    "shuffler removed": _shuffler_removed,
    "dice changed": _dice_changed,
    "a straight flush": _straight_flush,
    "hole card read": _hole_card_read,
}
"""In place of a fault: what no simulator does, on the wires of a table without one."""


def run_of(text: str, stream: Batch) -> Run:
    """What the table of a file gives of what was on the wires."""
    config = checked(text)
    assert config is not None, text
    reported: Counter[str] = Counter()
    table = table_for(
        config,
        epoch="sim",
        simulated=True,
        listener=lambda name, found: reported.update(type(one).__name__ for one in found),
    )
    events = table.open(0)
    outputs = table.outputs()
    return Run([*events, *table.feed(stream)], [*outputs, *table.outputs()], table.answers(), reported)


@cache
def unchanged_run(text: str, fault: str) -> Run:
    """What the table of a file gives of its own wires."""
    return run_of(text, stream_of(text, fault))


def differences(before: Run, after: Run) -> list[tuple[int, str]]:
    """What differs, in words, with its rank: verdicts, faults, other events, their data, outputs, then times alone."""
    old, new = [_label(event) for event in before.events], [_label(event) for event in after.events]
    counted = ((Counter(new) - Counter(old), "+"), (Counter(old) - Counter(new), "-"))
    found = [(_rank(label), f"{sign} {label}") for labels, sign in counted for label in labels]
    outputs: set[tuple[int, str]] = set()
    for one, other in zip(before.outputs, after.outputs, strict=False):
        if one != other:
            late = one._replace(t_ns=other.t_ns) == other if type(one) is type(other) else False
            outputs.add((5, f"times of {type(one).__name__}") if late else (4, type(one).__name__))
    if len(before.outputs) != len(after.outputs):
        outputs.add((4, "number of outputs"))
    for answer, its in zip(before.answers, after.answers, strict=False):
        if answer != its:
            outputs.add((3, "answer to an order"))
    if before.reported != after.reported:
        names = sorted({*before.reported, *after.reported})
        outputs |= {(7, f"on the bench: {name}") for name in names if before.reported[name] != after.reported[name]}
    if found:
        return sorted(found) + sorted(outputs)
    if old != new:
        return [(3, "order of events"), *sorted(outputs)]
    leaves: set[tuple[int, str]] = set()
    for first, second in zip(before.events, after.events, strict=True):
        kind = _kind(first)
        told = _leaves(msgspec.to_builtins(first.data)), _leaves(msgspec.to_builtins(second.data))
        differing = {name for name in told[0].keys() | told[1].keys() if told[0].get(name) != told[1].get(name)}
        for name in differing - {"carried.model"}:
            plain = ".".join(part for part in name.split(".") if not part.isdecimal())
            time = any(part in _TIMES or part.endswith(("_ns", "time")) for part in plain.split("."))
            leaves.add((5, f"time of {kind}") if time else (3, f"{kind}: {plain}"))
    return sorted({*leaves, *outputs})


def _kind(event: Event) -> str:
    return event.topic.split("/", 3)[-1].removesuffix("/")


def _label(event: Event) -> str:
    """What an event is: its type, and what it is about."""
    data = event.data
    about = [getattr(data, name, None) for name in ("reason", "fault", "warning", "act")]
    return " ".join([_kind(event), *(one for one in about if isinstance(one, str))])


def _rank(label: str) -> int:
    return 0 if label.startswith(_VERDICTS) else 1 if label.startswith(_FAULTS) else 2


def _leaves(value: Any, path: str = "") -> dict[str, Any]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if parts is None:
        return {path: value}
    found: dict[str, Any] = {}
    for name, part in parts:
        found.update(_leaves(part, f"{path}.{name}" if path else str(name)))
    return found


# --- printed ----------------------------------------------------------------------------------------------------------


@cache
def printed(text: str) -> dict[str, str]:
    """What is printed of a table that nobody plays."""
    config = checked(text)
    assert config is not None, text
    return {
        "check": "\n".join(f"{one.key} {one.wrong}" for one in check_text(text).problems),
        "pins": _pins(config),
        "simulated": str(config.simulated),
    }


def _pins(config: TableConfig) -> str:
    if config.boards:
        return "\n".join(part.plain for part in boards_view(config))
    wiring = pinout_of(config)
    return "\n".join([*(part.plain for part in pinout_table(wiring)), pins_section(wiring)])


@cache
def asked_of_wires(text: str) -> str:
    """The lines, links and boards that a live table would open, with all that they are given."""
    config = checked(text)
    assert config is not None, text
    return _told(wire(config, VirtualClock(), {}, SEED))


def _told(value: Any, depth: int = 6, within: tuple[int, ...] = ()) -> str:
    """Plain values, and those inside the objects of the hal and the controller, to a depth."""
    if value is None or isinstance(value, bool | int | float | str | bytes):
        return repr(value)
    if depth == 0 or id(value) in within:
        return ""
    told = partial(_told, depth=depth - 1, within=(*within, id(value)))
    if isinstance(value, Mapping):
        return ",".join(f"{told(name)}:{told(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return f"({','.join(map(told, value))})"
    if isinstance(value, set | frozenset):
        return f"({','.join(sorted(map(told, value)))})"
    if type(value).__module__.split(".")[0] not in ("hal", "controller"):
        return ""
    slots = (name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ()))
    names = dict.fromkeys([*getattr(value, "__dict__", {}), *slots])
    return f"{type(value).__name__}({','.join(f'{name}={told(getattr(value, name, None))}' for name in names)})"


def printed_differences(text: str, other: str) -> list[tuple[int, str]]:
    """What is printed otherwise of another file."""
    before, after = printed(text), printed(other)
    ranks = {"pins": 6, "simulated": 6, "check": 8}
    return [(ranks[what], what) for what in before if before[what] != after[what]]


def ways(text: str, path: Sequence[str | int], value: Any, fault: str) -> list[tuple[int, str]]:
    """What changes, with this fault, where one key of a file has another value; empty where `check` refuses it."""
    other = changed(text, path, value)
    if fault == REFUSED:
        return [(8, one.key) for one in check_text(other).errors]
    if checked(other) is None:
        return []
    if fault == WIRED:
        return [] if asked_of_wires(text) == asked_of_wires(other) else [(6, "wires")]
    if fault == STILL:
        return printed_differences(text, other)
    return differences(unchanged_run(text, fault), run_of(other, stream_of(text, fault)))


# --- a new search -----------------------------------------------------------------------------------------------------


def faults_of(text: str) -> list[str]:
    """All that can be played of the table of a file."""
    config = checked(text)
    assert config is not None, text
    links = [name for name in MORE_ON_WIRES if name.startswith("links: ")]
    linked = any(use.kind == "link" for use in config.uses.values())
    return [*(fault.name for fault in faults_for(geometry_of(config))), *(links if linked else [])]


def values_of(kind: Any, now: Any) -> list[Any]:
    """Other values of a key, by its type and its bounds."""
    return [value for value in _values(kind, now, msgspec.Meta()) if value != now or type(value) is not type(now)]


def _values(kind: Any, now: Any, bounds: msgspec.Meta) -> Iterator[Any]:
    origin = get_origin(kind)
    if origin is Annotated:
        kind, *metas = get_args(kind)
        for meta in metas:
            bounds = meta if (meta.ge, meta.gt, meta.le, meta.lt) != (None,) * 4 else bounds
        yield from _values(kind, now, bounds)
    elif origin in (Union, UnionType):
        for part in get_args(kind):
            yield from _values(part, now, bounds)
    elif origin is Literal:
        yield from get_args(kind)
    elif kind is bool:
        yield from (True, False)
    elif kind in (int, float):
        yield from _numbers(kind, now, bounds)
    elif kind is str:
        yield f"{now}_other"


def _numbers(kind: type, now: Any, bounds: msgspec.Meta) -> Iterator[Any]:
    least = bounds.ge if bounds.ge is not None else bounds.gt
    most = bounds.le if bounds.le is not None else bounds.lt
    low = -math.inf if least is None else least
    high = math.inf if most is None else most
    start = now if now is not None else low
    tried = (start * 2, start / 2, start * 5, start / 5, start + 1, start - 1, start * 20, high, low)
    for value in dict.fromkeys(kind(one) for one in tried if math.isfinite(one)):
        inside = low <= value <= high
        if inside and not (value == bounds.gt or value == bounds.lt):
            yield value


def search(text: str, path: Sequence[str | int], values: Sequence[Any]) -> Found | None:
    """The way that says most, of all values and faults of a table."""
    best: Found | None = None
    others = [value for value in values if checked(changed(text, path, value)) is not None]
    for fault in [*faults_of(text), STILL]:
        for value in others:
            for rank, change in ways(text, path, value, fault)[:1]:
                if best is None or rank < best.rank:
                    best = Found(rank, value, fault, change)
        if best is not None and best.rank == 0:
            return best
    return best


def search_anew(struct: type[msgspec.Struct], key: str, tables: Mapping[str, str]) -> str:
    """In words, the way that says most for a key of a device or of a game, of all tables that have it."""
    kind = next(field.type for field in msgspec.structs.fields(struct) if field.name == key)
    best: tuple[int, str] | None = None
    searched = False
    for name, text in tables.items():
        config = checked(text)
        if config is None or config.lines.backend != "sim":
            continue
        sections = [(("device", device.name), device.config) for device in config.devices.values()]
        for place, keys in [*sections, (("game",), config.options)]:
            if type(keys) is not struct:
                continue
            path, searched = (*place, key), True
            found = search(text, path, values_of(kind, getattr(keys, key)))
            if found is not None and (best is None or found.rank < best[0]):
                best = (
                    found.rank,
                    f"Way({name!r}, {'.'.join(path)!r}, {found.value!r}, {found.fault!r}, {found.change!r})",
                )
    if not searched:
        return "no table in TABLES has it under [device.*] or [game], where a way is searched for"
    return f"a search finds {best[1]}" if best is not None else "a search of all values and faults finds nothing"
