"""However a stream is cut into batches, live or replayed, a table gives equal bytes: events and outputs.

Every game of the catalogue is played with every choice that its devices' keys offer (formats, ways of sensing, kinds of
control), found from the keys themselves, and with every fault that its simulated table can have. What was on the wires
is then also damaged: links fall silent or late, lines are lost. A new game or device joins by being registered.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

import pytest

from controller.bench.replay import replay
from controller.bench.simulation import simulate
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of, table_for
from controller.games.base.spec import NoSimulatorError
from controller.games.catalogue import DEVICE, GAMES
from controller.games.load import check_text
from feed.events import Event, encode
from hal.capture.vcd_writer import CaptureLines, write_capture
from hal.values import Batch, Edge, EdgesLost, Frame, Loss, Output, Rare, Reading
from simulators.base.faults import faults_for

MS: Final = 1_000_000
S: Final = 1000 * MS
TABLE: Final = '[table]\nid = "t-1"\ngame = "{game}"\n{table}[lines]\nbackend = "sim"\n'
LATE_NS: Final = 400 * MS


class Variant(NamedTuple):
    """One table: a game, with one choice of the keys of its devices."""

    name: str
    config: TableConfig


def _choices(keys: type[Any]) -> Iterator[tuple[str, Any]]:
    """Every key that has a few values by its type, with each of its values."""
    for name, kind in get_type_hints(keys, include_extras=True).items():
        while get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        if name == "driver":
            continue
        if kind is bool:
            yield from ((name, value) for value in (True, False))
        elif get_origin(kind) is Literal:
            yield from ((name, value) for value in get_args(kind))


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'


def _texts() -> Iterator[tuple[str, str]]:
    """A name and a file for each choice: of the game alone, of each device, and of devices beside each other."""
    for game in GAMES:
        slots = [name for name in game.devices if name not in ("dealer", "lamp", "display")]
        yield game.name, TABLE.format(game=game.name, table="")
        yield f"{game.name} called by itself", TABLE.format(game=game.name, table='no_more_bets = "auto"\n')
        for slot in slots:
            for driver in game.devices[slot].drivers:
                for key, value in _choices(DEVICE[driver].keys):
                    section = f'[device.{slot}]\ndriver = "{driver}"\n{key} = {_toml(value)}\n'
                    for beside in ("", *(name for name in slots if name != slot and name != "lamp_board")):
                        more = f"[device.{beside}]\n" if beside else ""
                        label = f"{game.name} {slot}.{key}={value}" + (f" and {beside}" if beside else "")
                        yield label, TABLE.format(game=game.name, table="") + section + more


def _variants() -> list[Variant]:
    found: list[Variant] = []
    for name, text in _texts():
        report = check_text(text)
        if report.errors:
            continue  # such a table does not exist
        try:
            geometry_of(report.tables[0])
        except NoSimulatorError:
            continue
        found.append(Variant(name, report.tables[0]))
    return found


VARIANTS: Final = _variants()
CASES: Final = [(variant, fault.name) for variant in VARIANTS for fault in faults_for(geometry_of(variant.config))]


def _each_choice() -> list[Variant]:
    """Each game and each choice of a key once: beside which other device is drawn, not gone through."""
    alike: dict[str, list[Variant]] = {}
    for variant in VARIANTS:
        alike.setdefault(variant.name.split(" and ")[0], []).append(variant)
    return [random.Random(name).choice(variants) for name, variants in alike.items()]


DRAWN: Final = _each_choice()


def _share() -> list[tuple[Variant, str]]:
    """Of all cases each fault of each game once, and each choice once: as many as a run of the checks has time for."""
    faults: dict[tuple[str, str], list[Variant]] = {}
    for variant, fault in CASES:
        faults.setdefault((variant.config.game, fault), []).append(variant)
    used: dict[str, int] = {}
    found = []
    for (_, fault), variants in faults.items():
        variant = min(variants, key=lambda one: used.get(one.name, 0))
        used[variant.name] = used.get(variant.name, 0) + 1
        found.append((variant, fault))
    unused = [variant for variant in DRAWN if variant.name not in used]
    return found + [(variant, random.Random(variant.name).choice(_faults(variant))) for variant in unused]


def _faults(variant: Variant) -> list[str]:
    return [fault.name for fault in faults_for(geometry_of(variant.config))]


def _named(cases: list[tuple[Variant, str]]) -> list[Any]:
    return [pytest.param(variant.config, fault, id=f"{variant.name}-{fault}") for variant, fault in cases]


class Outcome(NamedTuple):
    """All that a table gives: its events and its outputs, as bytes and values."""

    events: list[bytes]
    outputs: list[Output]


def on_the_wires(config: TableConfig, fault: str, seed: int) -> tuple[Batch, list[bytes]]:
    """What was on the wires of a simulated table, answers of its devices too; and the events that it gave."""
    edges: list[Edge] = []
    rare: list[Rare] = []
    events: list[Event] = []
    until_ns = 0
    for played in simulate(config, 2, seed, {1: fault}):
        edges += played.batch.edges
        rare += played.batch.rare
        events += played.events
        until_ns = played.batch.until_ns
    return Batch(edges, rare, until_ns), [encode(event) for event in events]


def damaged(stream: Batch, rng: random.Random) -> Batch:
    """The stream with one link that falls silent or late, or one line that is lost for a while."""
    frames = sorted({value.link for value in stream.rare if isinstance(value, Frame)})
    lines = sorted({edge.line for edge in stream.edges})
    rare = list(stream.rare)
    if frames and rng.random() < 0.7:
        link = rng.choice(frames)
        own = [value for value in rare if isinstance(value, Frame) and value.link == link]
        if rng.random() < 0.5:
            silent = set(map(id, own[rng.randrange(min(len(own), 6)) :]))
            rare = [value for value in rare if id(value) not in silent]
        else:
            late = {id(value): value._replace(t_ns=min(value.t_ns + LATE_NS, stream.until_ns)) for value in own[2:]}
            rare = [late.get(id(value), value) for value in rare]
    elif lines:
        line, at_ns = rng.choice(lines), rng.randrange(stream.until_ns)
        rare.append(EdgesLost(line, rng.choice([Loss.UNPLUGGED, Loss.OVERFLOW]), at_ns))
    rare.sort(key=lambda value: value.t_ns)
    return Batch(stream.edges, rare, stream.until_ns)


def fed(config: TableConfig, stream: Batch, cuts: Sequence[int]) -> Outcome:
    """What a fresh table gives of a stream that is cut at these times."""
    table = table_for(config, epoch="sim", simulated=True, opens=True)
    events = table.open(0)
    outputs = table.outputs()
    edge = value = 0
    for until_ns in [*cuts, stream.until_ns]:
        first_edge, first_value = edge, value
        while edge < len(stream.edges) and stream.edges[edge].t_ns <= until_ns:
            edge += 1
        while value < len(stream.rare) and stream.rare[value].t_ns <= until_ns:
            value += 1
        events += table.feed(Batch(stream.edges[first_edge:edge], stream.rare[first_value:value], until_ns))
        outputs += table.outputs()
    return Outcome([encode(event) for event in events], outputs)


def at_random(stream: Batch, rng: random.Random) -> list[int]:
    """A few dozen cuts anywhere, and some at the very time of a value or just before it."""
    times = [value.t_ns for value in (*stream.edges, *stream.rare)] or [0]
    anywhere = [rng.randrange(stream.until_ns) for _ in range(40)]
    near = [max(0, rng.choice(times) - rng.randrange(2)) for _ in range(40)]
    return sorted({*anywhere, *near} - {stream.until_ns})


def ticks(stream: Batch, every_ns: int) -> list[int]:
    """A cut at each tick."""
    return list(range(every_ns, stream.until_ns, every_ns))


def test_there_is_a_variant_of_every_game_and_of_every_choice_of_a_link() -> None:
    names = {variant.name for variant in VARIANTS}
    assert {game.name for game in GAMES} <= names
    assert {"chuck_a_luck reader.format=frames_7a", "sic_bo automated_shaker.control=serial"} <= names
    assert {"money_wheel wheel.sensing=pegs", "craps reader.format=state_words and keypad"} <= names


@pytest.mark.parametrize(("config", "fault"), _named(_share()))
def test_however_a_stream_is_cut_its_bytes_are_equal(config: TableConfig, fault: str) -> None:
    rng = random.Random(f"{config.game}/{sorted(config.devices)}/{fault}")
    stream, as_it_played = on_the_wires(config, fault, seed=rng.randrange(1000))
    whole = fed(config, stream, [])
    assert whole.events == as_it_played
    assert fed(config, stream, at_random(stream, rng)) == whole
    for _ in range(2):
        broken = damaged(stream, rng)
        assert fed(config, broken, at_random(broken, rng)) == fed(config, broken, [])


@pytest.mark.parametrize("variant", DRAWN, ids=[variant.name for variant in DRAWN])
def test_in_ticks_of_a_live_table_the_bytes_are_those_of_one_batch(variant: Variant) -> None:
    rng = random.Random(variant.name)
    stream, _ = on_the_wires(variant.config, rng.choice(_faults(variant)), seed=rng.randrange(1000))
    broken = damaged(stream, rng)
    assert fed(variant.config, broken, ticks(broken, 20 * MS)) == fed(variant.config, broken, [])


@pytest.mark.soak
@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.name for variant in VARIANTS])
def test_in_every_case_and_in_ticks_of_a_millisecond_too(variant: Variant) -> None:
    config = variant.config
    for fault, seed in product(_faults(variant), range(3)):
        rng = random.Random(f"{config.game}/{sorted(config.devices)}/{fault}/{seed}")
        stream, as_it_played = on_the_wires(config, fault, seed)
        case = f"{fault}, seed {seed}"
        for one in (stream, damaged(stream, rng)):
            whole = fed(config, one, [])
            assert fed(config, one, at_random(one, rng)) == whole, case
            assert fed(config, one, ticks(one, MS if seed == 0 else 20 * MS)) == whole, case
        assert fed(config, stream, []).events == as_it_played, case


@pytest.mark.parametrize("variant", DRAWN, ids=[variant.name for variant in DRAWN])
def test_a_capture_replays_to_the_same_events(variant: Variant, tmp_path: Path) -> None:
    rng = random.Random(f"replay of {variant.name}")
    config = variant.config
    stream, _ = on_the_wires(config, rng.choice(_faults(variant)), seed=rng.randrange(1000))
    broken = damaged(stream, rng)
    wires = geometry_of(config).simulator(1).lines
    links = tuple(line for line in wires if line in config.uses and config.uses[line].kind == "link")
    reals = tuple(sorted({value.line for value in stream.rare if isinstance(value, Reading)} | _levels(wires)))
    lines = CaptureLines(
        wires=tuple(line for line in wires if line not in links and line not in reals),
        reals=reals,
        links=links,
        metadata={"detects_loss": "yes"},
    )
    write_capture(tmp_path / "one.vcd", lines, [broken])
    replayed = [_data(encode(event)) for events in replay(config, [tmp_path / "one.vcd"]) for event in events]
    assert replayed == [_data(event) for event in fed(config, broken, []).events]


def _levels(wires: Sequence[str]) -> set[str]:
    return {line for line in wires if line.startswith("level_")}


def _data(event: bytes) -> bytes:
    """The body without the attributes that name the epoch."""
    return event[event.index(b'"data":') :].replace(b'"epoch":"replay"', b'"epoch":"sim"')
