"""However a stream is cut into batches, live or replayed, a table gives equal bytes: events and outputs.

Every game of the catalogue is played with every choice that its devices' keys offer (formats, ways of sensing, kinds of
control), found from the keys themselves. Every fault is played at a game of each family of simulated tables that can
have it, and in the soak at every game; half of all these are in the soak alone. What was on the wires is then also
damaged: links fall silent or late, lines are lost. A new game or device joins by being registered.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

import pytest

from controller.bench.replay import replay
from controller.configuration.values import TableConfig
from controller.conformance.streams import MS, Given, at_random, body, capture_lines, damaged, fed, on_the_wires, ticks
from controller.games.assembly import geometry_of
from controller.games.base.spec import GameSpec, NoSimulatorError
from controller.games.catalogue import DEVICE, GAMES
from controller.games.load import check_text
from feed.events import encode
from hal.capture.vcd_writer import write_capture
from hal.values import Batch
from simulators.base.faults import SimulatedFault, faults_for
from simulators.base.geometry import Geometry
from tests.shares import one_in
from tests.tables.simulated_faults import in_turns

TABLE: Final = '[table]\nid = "t-1"\ngame = "{game}"\n{table}[lines]\nbackend = "sim"\n'
OPENED_NS: Final = re.compile(rb'"mono_ns":[0-9]+,')
AT_0: Final = b'"mono_ns":0,'
SHARES: Final = 4
"""Of the cases of a game, in a soak."""
ONE_CASE_IN: Final = 4
"""Of the tables with their faults, in a soak; the other tests play each fault of each family."""


class Variant(NamedTuple):
    """One table: a game, with choices of the keys of its devices."""

    name: str
    config: TableConfig
    choices: frozenset[str]


class Choice(NamedTuple):
    """A device that is there, or one value of one of its keys, or of the table's."""

    slot: str
    driver: str
    key: str = ""
    value: Any = None

    def __str__(self) -> str:
        return f"{self.slot}.{self.key}={self.value}" if self.key else self.slot


BY_ITSELF: Final = Choice("table", "", "no_more_bets", "auto")


def _keys(keys: type[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Every key that has a few values by its type, with its values."""
    for name, kind in get_type_hints(keys, include_extras=True).items():
        while get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        if name == "driver":
            continue
        if kind is bool:
            yield name, [True, False]
        elif get_origin(kind) is Literal:
            yield name, [*get_args(kind)]


def every_choice(game: GameSpec) -> list[list[Choice]]:
    """Each choice of the game alone: the device that it is of, and the choice."""
    found = [[BY_ITSELF]]
    for slot, device in game.devices.items():
        if slot in ("dealer", "lamp", "display"):
            continue
        for driver in device.drivers:
            there = Choice(slot, driver)
            found.append([there])
            found += [
                [there, Choice(slot, driver, key, one)] for key, ones in _keys(DEVICE[driver].keys) for one in ones
            ]
    return found


def _toml(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'


def _text(game: str, choices: Iterable[Choice]) -> str:
    """The table's file."""
    table = ""
    sections: dict[str, str] = {}
    for choice in sorted(choices, key=str):
        line = f"{choice.key} = {_toml(choice.value)}\n" if choice.key else f'driver = "{choice.driver}"\n'
        if choice.slot == "table":
            table += line
        else:
            sections[choice.slot] = sections.get(choice.slot, "") + line
    devices = "".join(f"[device.{slot}]\n{lines}" for slot, lines in sections.items())
    return TABLE.format(game=game, table=table) + devices


def _variant(game: str, choices: Iterable[Choice]) -> Variant | None:
    """None where such a table does not exist, or has no simulator."""
    report = check_text(_text(game, choices))
    if report.errors:
        return None
    try:
        geometry_of(report.tables[0])
    except NoSimulatorError:
        return None
    named = sorted(map(str, choices))
    return Variant(", ".join([game, *named]), report.tables[0], frozenset(named))


def _compatible(one: Iterable[Choice], other: Iterable[Choice]) -> bool:
    """Whether two sets of choices have one driver in each slot, and one value of each key."""
    values = {(choice.slot, choice.key): (choice.driver, choice.value) for choice in one}
    drivers = {choice.slot: choice.driver for choice in one}
    return all(
        drivers.get(choice.slot, choice.driver) == choice.driver
        and values.get((choice.slot, choice.key), (choice.driver, choice.value)) == (choice.driver, choice.value)
        for choice in other
    )


def pairwise_of(game: GameSpec) -> list[Variant]:
    """A few tables in which any two choices of a game are together at least once, if such a table exists.

    Each begins with a pair that no table before it has, and takes further choices, in an order that is drawn, where
    there is such a table.
    """
    rng = random.Random(game.name)
    choices = every_choice(game)
    open_pairs = [(one, other) for n, one in enumerate(choices) for other in choices[n:] if _compatible(one, other)]
    rng.shuffle(open_pairs)
    plain = _variant(game.name, [])
    found = [] if plain is None else [plain]
    while open_pairs:
        one, other = open_pairs.pop()
        taken = {*one, *other}
        best = _variant(game.name, taken)
        if best is None:
            continue
        for more in rng.sample(choices, len(choices)):
            if not taken.issuperset(more) and _compatible(taken, more):
                larger = _variant(game.name, taken.union(more))
                if larger is not None:
                    best, taken = larger, taken.union(more)
        found.append(best)
        open_pairs = [(one, other) for one, other in open_pairs if not taken.issuperset((*one, *other))]
    return found


def covering(game: GameSpec) -> list[Variant]:
    """The plain table of a game, and a few that together have each of its choices, if such a table exists.

    One has as many of its devices as go together: some faults need two.
    """
    choices = every_choice(game)
    plain = _variant(game.name, [])
    found = [] if plain is None else [plain]
    missing = sorted(choices, key=lambda one: (len(one), one == [BY_ITSELF]))
    while missing:
        # What a choice needs is mostly there already; else it is one more.
        taken = {*missing.pop()}
        best = _variant(game.name, taken)
        for other in () if best is not None else choices:
            if best is None and _compatible(taken, other):
                best = _variant(game.name, taken.union(other))
                taken = taken if best is None else taken.union(other)
        if best is None:
            continue
        for more in missing:
            if not taken.issuperset(more) and _compatible(taken, more):
                larger = _variant(game.name, taken.union(more))
                if larger is not None:
                    best, taken = larger, taken.union(more)
        found.append(best)
        missing = [one for one in missing if not taken.issuperset(one)]
    return found


TABLES: Final = {game.name: covering(game) for game in GAMES}
Family = tuple[type[Geometry], SimulatedFault]
"""What games share: a way to simulate a table, and a fault of it."""


def _faults(variant: Variant) -> list[str]:
    return [family[1].name for family in _families(variant)]


def _families(variant: Variant) -> list[Family]:
    geometry = geometry_of(variant.config)
    return [(type(geometry), fault) for fault in faults_for(geometry)]


def _each_fault() -> list[tuple[Variant, str]]:
    """Each fault of each family once, at the plainest table of a game that can have it: it is the quickest.

    The games of a family take turns.
    """
    found: dict[Family, dict[str, Variant]] = {}
    for game, variants in TABLES.items():
        for variant in sorted(variants, key=lambda one: len(one.choices)):
            for family in _families(variant):
                found.setdefault(family, {}).setdefault(game, variant)
    return [(found[family][game], family[1].name) for family, game in in_turns(found).items()]


def _each_choice() -> list[tuple[Variant, str]]:
    """The tables that together have each choice of each game."""
    return [
        (variant, random.Random(variant.name).choice(_faults(variant)))
        for variants in TABLES.values()
        for variant in variants
        if variant.choices
    ]


EACH_FAULT: Final = _each_fault()
EACH_CHOICE: Final = _each_choice()


class Case(NamedTuple):
    """A simulated table, played once."""

    stream: Batch
    as_it_played: list[bytes]
    broken: Batch
    """The stream with a damage."""
    of_broken: Given
    """What a table gives of that as one batch."""
    rng: random.Random

    @classmethod
    def played(cls, config: TableConfig, fault: str) -> Case:
        """Plays two rounds, the first with the fault."""
        rng = random.Random(f"{config.game}/{sorted(config.devices)}/{fault}")
        stream, as_it_played = on_the_wires(config, fault, seed=rng.randrange(1000))
        broken = damaged(stream, rng)
        return cls(stream, as_it_played, broken, fed(config, broken, []), rng)


def cut_at_random(config: TableConfig, case: Case) -> None:
    """Sound and damaged, the stream gives equal bytes in pieces."""
    assert fed(config, case.stream, at_random(case.stream, case.rng)).events == case.as_it_played
    assert fed(config, case.broken, at_random(case.broken, case.rng)) == case.of_broken


def replayed(config: TableConfig, case: Case, file: Path) -> None:
    """A capture of the damaged stream gives its events."""
    write_capture(file, capture_lines(config, 1), [case.broken])
    again = [body(encode(event)) for events in replay(config, [file]) for event in events]
    first = [body(event) for event in case.of_broken.events]
    # Of a table that has links alone the capture begins with its first frame: it opens then, and not at 0.
    opening = sum(1 for _ in takewhile(lambda event: AT_0 in event, first))
    assert len({OPENED_NS.findall(event)[0] for event in again[:opening]}) == 1
    assert [OPENED_NS.sub(b"", event) for event in again[:opening]] == [
        OPENED_NS.sub(b"", event) for event in first[:opening]
    ]
    assert again[opening:] == first[opening:]


def _named(cases: Iterable[tuple[Variant, str]]) -> list[Any]:
    return [pytest.param(variant.config, fault, id=f"{variant.name}-{fault}") for variant, fault in cases]


def test_there_is_a_table_of_every_game_and_of_every_choice_of_its_devices() -> None:
    played = {(variant.config.game, choice) for variant, _ in EACH_CHOICE for choice in variant.choices}
    known = {("chuck_a_luck", "reader.format=frames_7a"), ("money_wheel", "wheel.sensing=pegs")}
    there = {
        (game.name, str(one[-1]))
        for game in GAMES
        for one in every_choice(game)
        if _variant(game.name, one) is not None
    }
    assert known <= there <= played


def test_each_fault_of_each_family_is_played_and_each_game_is() -> None:
    there = {family for variants in TABLES.values() for one in variants for family in _families(one)}
    played = {(type(geometry_of(one.config)), fault) for one, fault in EACH_FAULT}
    assert played == {(family, fault.name) for family, fault in there}
    assert {one.config.game for one, _ in EACH_FAULT} == set(TABLES)


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_any_two_choices_together_add_no_fault_to_a_game(game: GameSpec) -> None:
    few = {family for one in TABLES[game.name] for family in _families(one)}
    assert {family for one in pairwise_of(game) for family in _families(one)} <= few


@pytest.mark.parametrize(("config", "fault"), one_in(2, _named(EACH_CHOICE)))
def test_cut_at_random_in_ticks_and_replayed_a_stream_gives_equal_bytes(
    config: TableConfig, fault: str, tmp_path: Path
) -> None:
    case = Case.played(config, fault)
    whole = fed(config, case.stream, [])
    assert fed(config, case.stream, at_random(case.stream, case.rng)) == whole
    cut_at_random(config, case)
    assert fed(config, case.broken, ticks(case.broken, 20 * MS)) == case.of_broken
    replayed(config, case, tmp_path / "one.vcd")


@pytest.mark.parametrize(("config", "fault"), one_in(2, _named(EACH_FAULT)))
def test_cut_at_random_a_stream_gives_equal_bytes(config: TableConfig, fault: str) -> None:
    cut_at_random(config, Case.played(config, fault))


@pytest.mark.soak
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("share", range(SHARES))
def test_in_one_case_of_four_and_in_ticks_of_a_millisecond_too(game: GameSpec, share: int) -> None:
    cases = [(variant, fault) for variant in pairwise_of(game) for fault in _faults(variant)]
    for seed, (variant, fault) in enumerate(cases[share :: SHARES * ONE_CASE_IN]):
        config = variant.config
        rng = random.Random(f"{variant.name}/{fault}/{seed}")
        stream, as_it_played = on_the_wires(config, fault, seed)
        case = f"{variant.name}: {fault}, seed {seed}"
        for one in (stream, damaged(stream, rng)):
            whole = fed(config, one, [])
            assert fed(config, one, at_random(one, rng)) == whole, case
            assert fed(config, one, ticks(one, 20 * MS if seed % 3 else MS)) == whole, case
        assert fed(config, stream, []).events == as_it_played, case
