"""Every key changes something that a person can see: a key that nothing shows does nothing, though `check` takes it.

Each key of the devices, the games and the table is set to another value, and the difference is looked for in what the
table makes of the very same wires: its verdicts, faults and other events, what it commands, what it answers; or in what
is asked of the wires of a real table, or printed of it. `tests.tables.key_ways` holds the way for each key. A new key
needs one.
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import msgspec
import pytest

from controller.configuration.sections import (
    BoardSection,
    CardWatchSection,
    FeedSection,
    LabelKeys,
    LimitKeys,
    LinesSection,
    LinkSection,
    PaceKeys,
    PinSection,
    ShakeWatchSection,
    TableSection,
    TerminalSection,
    WatchSection,
    WearSection,
)
from controller.games.catalogue import DEVICES, GAMES
from tests.tables.key_changes import REFUSED, STILL, WIRED, changed, checked, search_anew, ways
from tests.tables.key_ways import TABLES, WAYS, Way

SECTIONS: Final[tuple[type[msgspec.Struct], ...]] = (
    TableSection, LabelKeys, LimitKeys, FeedSection, LinesSection, PinSection, LinkSection, BoardSection,
    TerminalSection, WatchSection, WearSection, ShakeWatchSection, CardWatchSection,
)  # fmt: skip
STRUCTS: Final[dict[str, type[msgspec.Struct]]] = {
    **{spec.keys.__name__: spec.keys for spec in DEVICES},
    **{spec.options.__name__: spec.options for spec in GAMES},
    **{struct.__name__: struct for struct in SECTIONS},
}
CALIBRATION: Final = "calibration/test_table_calibration.py"
WATCH: Final = ("bias/test_wheel_watch.py", "test_each_key_decides_what_is_warned_of")
SHAKES: Final = ("bias/test_shake_watch.py", "test_each_key_decides_what_is_warned_of")
PACE: Final = ("bias/test_pace_watch.py", "test_the_keys_of_the_pace_decide_at_wheels_and_dice")
CARD_WATCH: Final = ("bias/test_card_watch.py", "test_each_key_decides_what_is_warned_of")
WEAR: Final = (
    "bias/test_wear_watch.py",
    "test_the_keys_of_the_file_decide_whether_and_since_when_wear_is_watched",
)
HOPPER: Final = ("games/test_pusher_board_sensors.py", "test_the_keys_of_a_hopper_reach_its_board")
CERTIFICATE: Final = "certification/test_certificate_shuts.py"
ELSEWHERE: Final = {
    "LinesSection.factory": ("cli/test_devices.py", "test_each_factory_of_gpiozero_opens_its_own"),
    "TableSection.repeats": (
        "bias/test_repeats.py",
        "test_the_house_chooses_between_a_warning_a_shut_table_and_nothing",
    ),
    **{f"CardWatchSection.{field.name}": CARD_WATCH for field in msgspec.structs.fields(CardWatchSection)},
    **{f"WatchSection.{field.name}": WATCH for field in msgspec.structs.fields(WatchSection)},
    **{f"ShakeWatchSection.{key}": SHAKES for key in ("least_moved_s", "least_pulses")},
    **{
        f"{section}.{field.name}": PACE
        for section in ("ShakeWatchSection", "WearSection")
        for field in msgspec.structs.fields(PaceKeys)
    },
    **{f"{section}.{key}": WEAR for section in ("WatchSection", "WearSection") for key in ("wear", "wear_since")},
    "BoardSection.hopper_most_a": HOPPER,
    "BoardSection.hopper_errors": HOPPER,
    "TableSection.packages": ("packages/test_plugin.py", "test_the_package_plays_at_a_table_whose_file_names_it"),
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
    if field.name != "driver" and not _names_only_itself(field.type)
]


def path_of(way: Way) -> list[str | int]:
    """The place of its key in the file."""
    return [int(part) if part.isdecimal() else part for part in way.key.split(".")]


def shown(way: Way) -> list[str]:
    """What changes by a way, in words."""
    return [change for _, change in ways(TABLES[way.table], path_of(way), way.value, way.fault)]


@pytest.mark.long
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
    models = {"SkillStopReelOptions.model", "SkillStopVideoOptions.model"}
    assert refused == {
        "ReelsConfig.reels",
        "ScreenConfig.reels",
        "ShoeConfig.reading",
        "NumberGeneratorConfig.numbers",
        *models,
    }
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
    strings = [one.value for one in ast.walk(body) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    assert any(re.search(rf"^{key.split('.')[1]} = ", one, re.MULTILINE) for one in strings)


def stated(text: str, key: str) -> Any:
    """The value that a key has in the file of a table, or by default if it is one of a device or of the game.

    None where it has none, or one that a file cannot hold.
    """
    value: Any = tomllib.loads(text)
    for part in key.split("."):
        if isinstance(value, list):
            value = value[int(part)]
        elif isinstance(value, dict):
            value = value.get(part)
    config = checked(text)
    assert config is not None
    match key.split("."):
        case ["device", device, name] if value is None:
            value = getattr(config.devices[device].config, name)
        case ["game", name] if value is None:
            value = getattr(config.options, name)
    return list(value) if isinstance(value, tuple) else value


HELD: Final = [
    name
    for name, way in WAYS.items()
    if way.fault not in (STILL, WIRED, REFUSED) and stated(TABLES[way.table], way.key) is not None
]


@pytest.mark.parametrize("name", HELD[::12])
def test_a_key_with_the_value_that_it_has_changes_nothing(name: str) -> None:
    way = WAYS[name]
    text = TABLES[way.table]
    path, value = path_of(way), stated(text, way.key)
    assert checked(changed(text, path, value)) is not None
    assert ways(text, path, value, way.fault) == []


def test_most_keys_have_a_value_that_can_be_written() -> None:
    assert len(HELD) > 100
    assert {WAYS[name].key.split(".")[0] for name in HELD} >= {"device", "game", "table"}
