"""The schema files are generated from the structs, are current, and hold for every event of a table."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from controller.bench.simulation import simulate
from controller.games.assembly import geometry_of
from controller.games.catalogue import GAME
from controller.games.load import check_text
from controller.service.requests import Request, StatusAnswer
from feed import events, schema
from feed.codes import CODES
from feed.events import DATA_TYPES, Evidence, Verdict, WearHistory, encode, type_of
from feed.results import RESULTS
from feed.schema_file import installed_document
from simulators.base.faults import FaultError, fault_named
from simulators.base.geometry import Geometry
from simulators.wheel.faults import FAULTS
from tests.fakes.feed_model import ModelJournal, ModelTable

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "schema"
DESCRIPTION = re.compile(r'"description": ("(?:[^"\\]|\\.)*")')


def valid(body: bytes) -> bool:
    return validator().is_valid(msgspec.json.decode(body))


@pytest.mark.parametrize("name", schema.files())
def test_the_files_are_current(name: str) -> None:
    stored = (FOLDER / name).read_bytes()
    assert stored == schema.files()[name], f"docs/schema/{name} is old: python -m feed.schema"


def test_no_description_keeps_the_indent_of_its_docstring() -> None:
    """Python removes it from 3.13 on: the files would differ by the interpreter."""
    assert [text for text in DESCRIPTION.findall(schema.document().decode()) if "\\n " in text] == []


@cache
def validator() -> Draft202012Validator:
    """Of the schema. Its library takes a second to import, which every process that collects this file would spend."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema.schema(), format_checker=Draft202012Validator.FORMAT_CHECKER)


def test_a_service_sends_the_schema_that_the_structs_give() -> None:
    assert installed_document() == schema.document()


@pytest.mark.long
def test_the_schema_is_valid() -> None:
    validator().check_schema(schema.schema())
    assert msgspec.json.decode(schema.document()) == schema.schema()


@pytest.mark.long
@pytest.mark.parametrize("game", ["roulette", "money_wheel"])
def test_every_event_of_simulated_tables_with_any_fault_is_valid(game: str) -> None:
    config = check_text(f'[table]\nid = "t-1"\ngame = "{game}"\n[lines]\nbackend = "sim"\n').tables[0]
    faults = [fault.name for fault in FAULTS if possible(fault.name, geometry_of(config))]
    plan: dict[int | None, str] = dict(enumerate(faults, 2))
    said = [event for played in simulate(config, len(faults) + 2, 5, plan) for event in played.events]
    assert len(faults) > 5
    assert {"round.outcome", "round.void", "device.fault", "device.cleared"} <= {event.data.kind for event in said}
    for event in said:
        validator().validate(msgspec.json.decode(encode(event)))


def possible(name: str, geometry: Geometry) -> bool:
    """Whether a table can have a fault."""
    try:
        fault_named(name, geometry)
    except FaultError:
        return False
    return True


def example(kind: type[events.Data]) -> dict[str, Any]:
    """Values for the fields of a kind that have no default."""
    values: dict[str, Any] = {
        "rules": "r",
        "software": "s",
        "devices": [],
        "reason": "r",
        "round": 3,
        "by": "ann",
        "rule": "r",
        "call": "No spin",
        "revolutions": 1,
        "result": {"space": 3, "face": "$1"},
        "winning": [events.WinningBet("$1", "1 to 1")],
        "candidates": [],
        "evidence": Evidence(revolutions=4.5),
        "device": "wheel",
        "fault": "dead",
        "detail": "d",
        "why": "w",
        "blocks_play": True,
        "warning": "w",
        "checks": ["level"],
        "epoch": "e1",
        "last": 4,
        "head": "ab",
        "state": "open",
        "act": "token_in" if kind is events.MachineEvent else "pass_dice",
        "meters": events.Meters(tokens_in=1),
        "credits": 1,
        "carried": {"payouts": 0},
        "commitment": "0" * 64,
        "card": "9s",
        "salt": "0" * 32,
        "batch": 1,
        "count": 52,
        "root": "0" * 64,
        "cards": ["9s"],
        "salts": ["0" * 32],
        "agrees": True,
        "course": {"phase": "come_out", "shooter": 2},
        "stands": Verdict(verdict="outcome", result={"space": 4, "face": "$2"}),
        "from_": Verdict(verdict="void", reason="r"),
        "to": Verdict(verdict="outcome", result={"space": 4, "face": "$2"}),
        "history": WearHistory(days=[1.5], spins=[6], values={"level": [0.03, None]}, limits={"level": 0.15}),
    }
    if kind in (events.NoMoreBets, events.Settled):
        values["by"] = "dealer"
    if kind is events.CardOpened:
        values["why"] = "exposed"
    required = [field.name for field in msgspec.structs.fields(kind) if field.required]
    return {name: values[name] for name in required if name in values}


@pytest.mark.parametrize("kind", DATA_TYPES, ids=lambda kind: kind.kind)
def test_every_kind_of_event_is_valid_and_without_a_field_is_not(kind: type[events.Data]) -> None:
    _, body = ModelTable(ModelJournal(), "wheel-1", "e1").say(kind, **example(kind))
    assert valid(body)
    event = msgspec.json.decode(body)
    for name in [field.encode_name for field in msgspec.structs.fields(kind) if field.required]:
        without = {**event, "data": {key: value for key, value in event["data"].items() if key != name}}
        assert not validator().is_valid(without), name


def test_a_durable_event_has_a_number_and_another_has_none() -> None:
    table = ModelTable(ModelJournal(), "wheel-1", "e1")
    settled = msgspec.json.decode(table.say(events.Settled, round=1, by="auto")[1])
    progress = msgspec.json.decode(table.say(events.RoundProgress, round=1, revolutions=1)[1])
    assert not validator().is_valid({key: value for key, value in settled.items() if key != "sequence"})
    assert not validator().is_valid({**progress, "sequence": "0" * 20})
    assert not validator().is_valid({**settled, "sequence": "7"})


def test_a_misspelt_type_is_refused_and_new_fields_are_not() -> None:
    body = ModelTable(ModelJournal(), "wheel-1", "e1").say(events.Settled, round=1, by="auto")[1]
    event = msgspec.json.decode(body)
    assert validator().is_valid(event)
    assert not validator().is_valid({**event, "type": "feltwire.round.setled.v1"})
    assert validator().is_valid({**event, "more": 1, "data": {**event["data"], "more": 1}})


def test_asyncapi_names_every_kind_of_event_and_has_no_broken_reference() -> None:
    document = msgspec.json.decode(schema.files()["asyncapi.json"])
    assert document["asyncapi"] == "3.0.0"
    for kind in DATA_TYPES:
        channel = document["channels"][kind.kind]
        assert channel["address"] == f"{{root}}/{{table}}/{kind.kind}/"
        message = document["components"]["messages"][kind.kind]
        assert message["name"] == type_of(kind)
    references = list(references_in(document))
    assert len(references) > 80
    for reference in references:
        place = document
        for part in reference.removeprefix("#/").split("/"):
            place = place[part]


def test_every_message_of_asyncapi_has_a_schema_of_an_object_or_the_frames_that_it_is() -> None:
    """The official parser (tests/asyncapi) takes no other payload; this is the quick half of it."""
    document = msgspec.json.decode(schema.files()["asyncapi.json"])
    found = [
        message
        for channel in document["channels"].values()
        for message in channel["messages"].values()
        if "$ref" not in message
    ]
    assert len(found) >= 12
    for message in [*found, *document["components"]["messages"].values()]:
        if "payload" in message:
            assert isinstance(message["payload"], dict) and message["payload"], message["name"]
        else:
            assert message["bindings"]["x-zmq"]["frames"][:2] == ["id", message["name"]]


def test_every_field_is_described() -> None:
    definitions = schema.schema()["$defs"]
    bare = [
        (name, key)
        for name, one in definitions.items()
        for key, part in one.get("properties", {}).items()
        if not part.get("description")
    ]
    assert bare == []
    assert sum(len(one.get("properties", {})) for one in definitions.values()) > 250


def optional(result: type[msgspec.Struct], key: str) -> bool:
    """Whether results of this game may lack a field."""
    return any(one.name == key and not one.required for one in msgspec.structs.fields(result))


@pytest.mark.parametrize("game", GAME)
def test_the_results_of_every_game_are_a_named_schema(game: str) -> None:
    config = check_text(f'[table]\nid = "t-1"\ngame = "{game}"\n[lines]\nbackend = "sim"\n').tables[0]
    said = [event for played in simulate(config, 3, 2, {}) for event in played.events]
    outcomes = [msgspec.json.decode(encode(event)) for event in said if isinstance(event.data, events.Outcome)]
    assert outcomes
    for outcome in outcomes:
        validator().validate(outcome)
        result = msgspec.convert(outcome["data"]["result"], RESULTS[game])
        assert msgspec.to_builtins(result) == outcome["data"]["result"]
        for key in outcome["data"]["result"]:
            if not optional(RESULTS[game], key):
                less = {name: value for name, value in outcome["data"]["result"].items() if name != key}
                assert not validator().is_valid({**outcome, "data": {**outcome["data"], "result": less}}), key


def test_the_result_of_a_game_that_is_not_known_is_valid() -> None:
    body = ModelTable(ModelJournal(), "wheel-1", "e1").say(events.Outcome, **example(events.Outcome))[1]
    event = msgspec.json.decode(body)
    other = {**event["data"], "game": "pokette", "result": {"kind": "pair"}}
    assert validator().is_valid({**event, "data": other})
    assert not validator().is_valid({**event, "data": {**event["data"], "result": {"winner": "bank"}}})


def test_words_of_fixed_sets_are_enumerated_and_codes_may_be_new() -> None:
    beat = msgspec.json.decode(ModelTable(ModelJournal(), "wheel-1", "e1").heartbeat()[1])
    assert validator().is_valid({**beat, "data": {**beat["data"], "state": "halted"}})
    assert not validator().is_valid({**beat, "data": {**beat["data"], "state": "half open"}})
    fault = ModelTable(ModelJournal(), "wheel-1", "e1").say(events.DeviceFault, **example(events.DeviceFault))[1]
    event = msgspec.json.decode(fault)
    assert validator().is_valid({**event, "data": {**event["data"], "fault": "quite_new"}})
    assert not validator().is_valid({**event, "data": {**event["data"], "fault": "Not a code"}})
    assert schema.schema()["$defs"]["Code"]["anyOf"][0]["enum"] == list(CODES)


def test_the_codes_are_those_that_the_page_explains() -> None:
    page = (FOLDER.parent / "reasons.md").read_text(encoding="utf-8")
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(CODES) == sorted({code for cell in cells for code in re.findall(r"`([a-z_]+)`", cell)})
    assert list(CODES) == sorted(CODES)


def test_the_command_channel_is_what_the_service_reads() -> None:
    document = msgspec.json.decode(schema.files()["asyncapi.json"])
    assert document["operations"]["commands"]["reply"]
    for kind, name in ((Request, "Command"), (StatusAnswer, "CommandAnswer")):
        _, components = msgspec.json.schema_components([kind])
        read = components[kind.__name__]
        shown = document["components"]["schemas"][name]
        assert set(shown["required"]) == set(read["required"])
        assert {key: field.get("default") for key, field in shown["properties"].items()} == {
            key: field.get("default") for key, field in read["properties"].items()
        }
        for key, field in read["properties"].items():
            assert field["type"] == shown["properties"][key]["type"], key
            pattern = field.get("pattern", "").replace("\\A", "^").replace("\\Z", "$")
            assert pattern == shown["properties"][key].get("pattern", ""), key
            assert field.get("maxLength") == shown["properties"][key].get("maxLength"), key
    assert document["components"]["schemas"]["Command"]["additionalProperties"] is False


def references_in(value: object) -> list[str]:
    """Every `$ref` in a document."""
    if isinstance(value, dict):
        own = [value["$ref"]] if "$ref" in value else []
        return own + [found for part in value.values() for found in references_in(part)]
    if isinstance(value, list):
        return [found for part in value for found in references_in(part)]
    return []


def test_writing_makes_the_files(tmp_path: Path) -> None:
    schema.write(tmp_path / "new")
    assert {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()} == schema.files()
