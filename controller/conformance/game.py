"""What every game must keep, checked over one table: each check gives what it found wrong, in words.

The same properties are tested of every game of ours; here they run over a table's file, without the tests.
"""

from __future__ import annotations

import logging
import random
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import msgspec

from controller.bench.replay import replay
from controller.bench.simulation import Played, Score, simulate
from controller.configuration.values import TableConfig
from controller.conformance.streams import (
    MS,
    at_random,
    body,
    capture_lines,
    damaged,
    fed,
    on_the_wires,
    ticks,
    with_lost_edges,
)
from controller.games.assembly import geometry_of, table_for
from controller.games.base.spec import spec_of
from controller.games.base.texts import ENGLISH, differences
from feed import events
from feed.codes import CODES
from feed.events import encode
from feed.state import TableState, decode_snapshot, encode_snapshot
from feed.statistics import values_at
from hal.capture.vcd_writer import write_capture
from simulators.base.faults import faults_for

log = logging.getLogger(__name__)

Checked = Iterator[str]
"""What is wrong, a sentence each."""

LOSSES: Final = 8
"""Lines that are lost in one stream, one at a time (ours)."""
NOTHING: Final = "none"
"""The fault of a round in which nothing goes wrong."""


class Effort(NamedTuple):
    """How much is played."""

    rounds: int
    seeds: int


class GameCheck(NamedTuple):
    """One check of a game."""

    says: str
    """What holds of a game that passes it."""
    find: Callable[[TableConfig, Effort], Checked]

    def found(self, config: TableConfig, effort: Effort) -> Checked:
        """What is wrong; an exception of the game, its device or its simulator is, too, and ends the check."""
        try:
            yield from self.find(config, effort)
        except Exception as error:
            log.debug("%s", self.says, exc_info=True)
            last = traceback.extract_tb(error.__traceback__)[-1]
            yield f"{type(error).__name__}: {error}, at {last.filename}:{last.lineno}"


def _faults(config: TableConfig) -> list[str]:
    return [fault.name for fault in faults_for(geometry_of(config))]


def _played(config: TableConfig, effort: Effort, fault: str) -> Iterator[tuple[int, list[Played]]]:
    """Rounds of each seed: every third one has the fault."""
    for seed in range(1, effort.seeds + 1):
        plan: dict[int | None, str] = dict.fromkeys(range(2, effort.rounds, 3), fault)
        yield seed, list(simulate(config, effort.rounds, seed, plan))


def _verdicts(config: TableConfig, effort: Effort) -> Checked:
    for fault in _faults(config):
        for seed, played in _played(config, effort, fault):
            score = Score()
            for one in played:
                score.add(one)
            yield from (f"{fault}, seed {seed}: {line}" for line in score.unsupported)
            yield from (f"{fault}, seed {seed}: {line}" for line in score.refused)
            if not score.verdicts["outcome"]:
                yield f"{fault}, seed {seed}: no outcome in {effort.rounds} rounds, two thirds of which are clean"


def _reasons(config: TableConfig, effort: Effort) -> Checked:
    spec = spec_of(config)
    known = {*CODES, *spec.reasons}
    for fault in _faults(config):
        for seed, played in _played(config, effort, fault):
            for one in played:
                for event in one.events:
                    data = event.data
                    if isinstance(data, events.Void | events.Unresolved) and data.reason not in known:
                        yield f"{fault}, seed {seed}, round {one.number}: the reason {data.reason} is explained nowhere"


def _results(config: TableConfig, effort: Effort) -> Checked:
    spec = spec_of(config)
    fields = {key.field: set(key.values) for key in spec.statistics(config)}
    for _, played in _played(config, effort, NOTHING):
        state = TableState(config.id)
        for event in (event for one in played for event in one.events):
            state.apply(event)
            data = event.data
            if not isinstance(data, events.Outcome):
                continue
            try:
                msgspec.convert(data.result, spec.result, strict=True)
            except msgspec.ValidationError as error:
                yield f"the result {data.result} is not a {spec.result.__name__}: {error}"
            if not spec.words.result(data.result):
                yield f"the result {data.result} has no words"
            for field, values in fields.items():
                unknown = set(values_at(data.result, field)) - values
                if unknown:
                    yield f"statistics count {field}, and {sorted(map(str, unknown))} of a result are not its values"
            yield from _named(config, state, data)


def _named(config: TableConfig, state: TableState, data: events.Outcome) -> Checked:
    """What a person gets who names a result by its words, at a table that continues from its journal after that
    round."""
    table = table_for(config, epoch="sim", simulated=True)
    table.restore(state)
    name = table.game.name_of(data.result)
    try:
        result = table.game.result_in(data.round, name)
    except ValueError as error:
        yield f"a person cannot name the result {data.result} by {name}: {error}"
    else:
        if result != data.result:
            yield f"a person who names the result {data.result} by {name} gets {result}"


def _equal(config: TableConfig, effort: Effort) -> Checked:
    for fault in _faults(config):
        first, second = (on_the_wires(config, fault, 1) for _ in range(2))
        if first != second:
            yield f"{fault}: equal seeds give other rounds; draw from the seed alone"


def _cuts(config: TableConfig, effort: Effort) -> Checked:
    for fault in _faults(config):
        for seed in range(effort.seeds):
            rng = random.Random(f"{fault}/{seed}")
            stream, _ = on_the_wires(config, fault, seed)
            for what, one in (("", stream), (", with a line or a link lost", damaged(stream, rng))):
                whole = fed(config, one, [])
                if fed(config, one, at_random(one, rng)) != whole or fed(config, one, ticks(one, 20 * MS)) != whole:
                    yield f"{fault}, seed {seed}{what}: other bytes when the same stream is cut into other batches"


def _losses(config: TableConfig, effort: Effort) -> Checked:
    """Whatever line is lost: an outcome is the one that is true."""
    rests = spec_of(config).rests
    for seed in range(effort.seeds * len(_faults(config))):
        rng = random.Random(f"losses/{seed}")
        played = list(simulate(config, 2, seed, {1: NOTHING}))
        stream, _ = on_the_wires(config, NOTHING, seed)
        broken = [with_lost_edges(stream, rng) for _ in range(LOSSES)] if stream.edges else []
        given = [fed(config, one, []).events for one in (*broken, damaged(stream, rng))]
        for data in (msgspec.json.decode(event)["data"] for said in given for event in said):
            if "winning" not in data:
                continue
            # By its time: the table counts other rounds where it has seen a part of one.
            truth = next((one.truth for one in played if data["mono_ns"] <= one.batch.until_ns), None)
            if truth is not None and (not truth.valid or rests(data["result"]) != truth.result):
                yield f"seed {seed}, with a line lost: {data['result']}, but the truth is: {truth.detail}"


def _captures(config: TableConfig, effort: Effort) -> Checked:
    lines = capture_lines(config, 1)
    with TemporaryDirectory() as folder:
        for fault in _faults(config):
            stream, _ = on_the_wires(config, fault, 1)
            path = Path(folder) / f"{fault}.vcd"
            write_capture(path, lines, [stream])
            replayed = [body(encode(event)) for given in replay(config, [path]) for event in given]
            # The opening has the time of the first value, which in a capture is that of the first line.
            if replayed[1:] != [body(event) for event in fed(config, stream, []).events[1:]]:
                yield f"{fault}: a capture of it replays to other events"


def _snapshots(config: TableConfig, effort: Effort) -> Checked:
    for seed, played in _played(config, effort, _faults(config)[-1]):
        said = [event for one in played for event in one.events]
        whole, joined = TableState(config.id), TableState(config.id)
        for number, event in enumerate(said):
            if number == len(said) // 2:
                joined = TableState.from_snapshot(decode_snapshot(encode_snapshot(whole.snapshot())))
            whole.apply(event)
            joined.apply(event)
        if encode_snapshot(whole.snapshot()) != encode_snapshot(joined.snapshot()):
            yield f"seed {seed}: who joins with a snapshot has another state than who has heard every event"


def _words(config: TableConfig, effort: Effort) -> Checked:
    spec = spec_of(config)
    view = spec.board_view
    if view is None:
        if spec.page == "other":
            yield "it has no view: boards show its results as the feed has them (GameSpec.view)"
        return
    statistics = {key.field: key.values for key in spec.statistics(config)}
    fields = {field.encode_name for field in msgspec.structs.fields(spec.result)}
    yield from (f"its view shows {one}, which no result has" for one in {view.hero, *view.captions} - fields)
    if view.counts and view.counts not in statistics:
        yield f"its view counts {view.counts}, which its statistics do not"
    wanted = {"game", *map(str, statistics.get(view.hero, ())), *view.captions, *spec.reasons}
    first = view.words.get(ENGLISH, {})
    yield from (f"{ENGLISH}: {word} is missing" for word in sorted(wanted - first.keys()))
    for language, words in view.words.items():
        yield from (f"{language}: {wrong.key} {wrong.what}; {wrong.fix}" for wrong in differences(first, words))


CHECKS: Final = (
    GameCheck(
        "with every fault an outcome is what the simulator knows to be true, and clean rounds get one", _verdicts
    ),
    GameCheck("every reason of a refusal is explained", _reasons),
    GameCheck("results have their struct, their words, and the values that statistics count", _results),
    GameCheck("equal seeds give equal bytes", _equal),
    GameCheck("however a stream is cut into batches, its bytes are equal", _cuts),
    GameCheck("with any line or link lost, no outcome is another one than the true", _losses),
    GameCheck("a capture replays to the same events", _captures),
    GameCheck("who joins with a snapshot has the state of who has heard every event", _snapshots),
    GameCheck("boards have its words in every language that it has", _words),
)
