"""Every key changes something that a person can see: a key that nothing shows does nothing, though `check` takes it.

Each key of the devices, the games and the table is set to another value, and the difference is looked for in what the
table makes of the very same wires: its verdicts, faults and other events, what it commands, what it answers; or in what
is asked of the wires of a real table, or printed of it. `tests.tables.key_ways` holds the way for each key. A new key
needs one.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final, Literal, get_args, get_origin

import msgspec
import pytest

from controller.configuration.sections import (
    BoardSection,
    FeedSection,
    LabelKeys,
    LimitKeys,
    LinesSection,
    LinkSection,
    PinSection,
    TableSection,
    TerminalSection,
)
from controller.games.catalogue import DEVICES, GAMES
from tests.tables.key_changes import REFUSED, STILL, WIRED, search_anew, ways
from tests.tables.key_ways import TABLES, WAYS, Way

SECTIONS: Final[tuple[type[msgspec.Struct], ...]] = (
    TableSection, LabelKeys, LimitKeys, FeedSection, LinesSection, PinSection, LinkSection, BoardSection,
    TerminalSection,
)  # fmt: skip
STRUCTS: Final[dict[str, type[msgspec.Struct]]] = {
    **{spec.keys.__name__: spec.keys for spec in DEVICES},
    **{spec.options.__name__: spec.options for spec in GAMES},
    **{struct.__name__: struct for struct in SECTIONS},
}
CALIBRATION: Final = "calibration/test_table_calibration.py"
CERTIFICATE: Final = "certification/test_certificate_shuts.py"
ELSEWHERE: Final = {
    "LinesSection.factory": ("cli/test_devices.py", "test_each_factory_of_gpiozero_opens_its_own"),
    "TableSection.calibration": (CALIBRATION, "test_a_waiver_and_a_simulated_table_need_none"),
    "TableSection.certificate": (CERTIFICATE, "test_without_a_certificate_a_machine_with_real_wires_stays_shut"),
    "TableSection.certified_by": (CERTIFICATE, "test_a_laboratorys_key_counts_where_the_file_names_it"),
}
"""Keys whose effect needs real wires or files beside that of the table: the test that shows it."""


def _names_only_itself(kind: object) -> bool:
    """Whether a key has one value alone: the driver of a section."""
    return get_origin(kind) is Literal and len(get_args(kind)) == 1


KEYS: Final = [
    f"{name}.{field.name}"
    for name, struct in STRUCTS.items()
    for field in msgspec.structs.fields(struct)
    if not _names_only_itself(field.type)
]


def shown(way: Way) -> list[str]:
    """What changes by a way, in words."""
    path = [int(part) if part.isdecimal() else part for part in way.key.split(".")]
    return [change for _, change in ways(TABLES[way.table], path, way.value, way.fault)]


@pytest.mark.parametrize("key", [key for key in KEYS if key not in ELSEWHERE])
def test_a_key_changes_what_a_person_can_see(key: str) -> None:
    way = WAYS.get(key)
    changes = [] if way is None else shown(way)
    if way is not None and way.change in changes:
        return
    struct, name = key.split(".")
    before = "no way to show it is known" if way is None else f"{way.change!r} changes no more, but {changes}"
    pytest.fail(f"{key}: {before}; {search_anew(STRUCTS[struct], name, TABLES)}")


def test_every_way_is_that_of_a_key_that_it_names() -> None:
    assert set(WAYS) == set(KEYS) - set(ELSEWHERE)
    assert {key: way.key for key, way in WAYS.items() if way.key.split(".")[-1] != key.split(".")[-1]} == {}


def test_only_keys_that_go_in_pairs_are_shown_by_a_refusal_alone() -> None:
    refused = {key for key, way in WAYS.items() if way.fault == REFUSED}
    models = {"SkillStopOptions.model", "SkillStopVideoOptions.model"}
    assert refused == {"ReelsConfig.reels", "ScreenConfig.reels", "ShoeConfig.reading", *models}
    assert {key for key, way in WAYS.items() if way.fault == STILL} == {
        "BoardSection.emulated",
        "LampBoardConfig.board",
    }


@pytest.mark.parametrize("key", ELSEWHERE)
def test_a_key_that_is_shown_elsewhere_is_named_there(key: str) -> None:
    file, function = ELSEWHERE[key]
    text = Path(__file__).with_name(file.split("/")[0]).joinpath(file.split("/")[1]).read_text(encoding="utf-8")
    source = ast.parse(text)
    body = next(one for one in source.body if isinstance(one, ast.FunctionDef) and one.name == function)
    assert key.split(".")[1] in ast.unparse(body)


@pytest.mark.parametrize("name", [name for name, way in WAYS.items() if way.fault not in (STILL, WIRED, REFUSED)][::20])
def test_a_key_with_the_value_that_it_has_changes_nothing(name: str) -> None:
    way = WAYS[name]
    assert ways(TABLES[way.table], ("lines", "backend"), "sim", way.fault) == []
