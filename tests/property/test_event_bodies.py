"""Bodies of events: whatever a table says is read back as it was, byte for byte, and garbage is only ever refused."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from feed.events import DATA_TYPES, Data, Event, EventError, decode, encode, type_of

TEXT = st.text(max_size=20)
COUNTS = st.integers(min_value=0, max_value=2**53)
MEASURES = st.floats(allow_nan=False, allow_infinity=False) | COUNTS
VALUES = st.recursive(
    st.none() | st.booleans() | MEASURES | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def values_of(declared: inspect.Type) -> st.SearchStrategy[Any]:
    """Values that a field of an event can have."""
    match declared:
        case inspect.Metadata():
            return values_of(declared.type)
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType(ge=least):
            return st.integers(min_value=least or 0, max_value=2**53)
        case inspect.FloatType():
            return MEASURES
        case inspect.StrType():
            return TEXT
        case inspect.NoneType():
            return st.none()
        case inspect.AnyType():
            return VALUES
        case inspect.LiteralType():
            return st.sampled_from(declared.values)
        case inspect.UnionType():
            return st.one_of([values_of(member) for member in declared.types])
        case inspect.ListType():
            return st.lists(values_of(declared.item_type), max_size=3)
        case inspect.DictType():
            return st.dictionaries(values_of(declared.key_type), values_of(declared.value_type), max_size=3)
        case inspect.StructType():
            return structs(declared.cls)
    raise AssertionError(f"no values of {declared}")


def structs(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Structs of a kind, with any of the fields that have defaults left out."""
    declared = inspect.type_info(kind)
    assert isinstance(declared, inspect.StructType)
    needed = {field.name: values_of(field.type) for field in declared.fields if field.required}
    free = {field.name: values_of(field.type) for field in declared.fields if not field.required}
    return st.fixed_dictionaries(needed, optional=free).map(lambda fields: kind(**fields))


@st.composite
def said(draw: st.DrawFn) -> Event:
    """An event of any kind, as a table would number it."""
    kind = draw(st.sampled_from(DATA_TYPES))
    table = draw(st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True))
    data: Data = msgspec.structs.replace(draw(structs(kind)), table=table)
    number = draw(st.integers(min_value=1, max_value=10**18))
    serial, sequence = (str(number), f"{number:020d}") if kind.durable else (f"e{number}", msgspec.UNSET)
    subject = f"round/{data.round}" if hasattr(data, "round") and data.round is not None else msgspec.UNSET
    epoch = draw(st.sampled_from(["sim", "replay", "00c0ffee00c0ffee"]))
    return Event(
        id=f"{table}.{epoch}.{serial}",
        source=f"/tables/{table}",
        type=type_of(kind),
        subject=subject,
        time="2026-07-01T20:00:00.000000Z",
        sequence=sequence,
        data=data,
    )


@given(said())
def test_an_event_that_is_read_is_written_as_the_same_bytes(event: Event) -> None:
    body = encode(event)
    read = decode(body)
    assert type(read.data) is type(event.data)
    assert encode(read) == body
    assert (read.id, read.topic, read.seq) == (event.id, event.topic, event.seq)


@given(said())
def test_an_event_of_a_later_version_is_written_as_the_same_bytes(event: Event) -> None:
    body = encode(msgspec.structs.replace(event, type=event.type.replace(".v1", ".v2")))
    assert encode(decode(body)) == body


@given(st.binary(max_size=300))
def test_bytes_that_are_no_event_are_refused(body: bytes) -> None:
    try:
        decode(body)
    except EventError as error:
        assert str(error).startswith("no event: ")


@given(said(), st.data())
def test_a_damaged_body_is_an_event_or_is_refused(event: Event, data: st.DataObject) -> None:
    body = bytearray(encode(event))
    for _ in range(data.draw(st.integers(min_value=1, max_value=4))):
        place = data.draw(st.integers(min_value=0, max_value=len(body) - 1))
        body[place] = data.draw(st.integers(min_value=0, max_value=255))
    try:
        read = decode(bytes(body))
    except EventError:
        return
    assert json.loads(encode(read))["id"] == read.id
