"""Names on NATS, and addresses of its servers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.connection import NatsAddress, NatsAddressError, with_password
from fleet.schemes import is_nats_address
from fleet.subjects import (
    LIVE_STREAM,
    ParsedSubject,
    TableName,
    VenueError,
    archived_subject,
    event_subject,
    parse_archived,
    parse_subject,
    parse_venue,
    relay_subject,
    stream_of,
    venue_of_stream,
)
from tests.fakes.sample_events import opened

NAMES = st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True).filter(
    lambda name: len(name) <= 32 and name not in ("live", "archived")
)
KINDS = st.sampled_from(["round.outcome", "heartbeat", "table.opened"])


@pytest.mark.long
@given(NAMES, NAMES, KINDS, st.booleans(), st.booleans())
def test_a_subject_taken_apart_is_what_it_was_made_of(
    venue: str, table: str, kind: str, simulated: bool, live: bool
) -> None:
    name = TableName(venue, simulated, table)
    text = name.live(kind) if live else name.events.replace(">", kind)
    assert parse_subject(text) == ParsedSubject(live, simulated, venue, table, kind)


@pytest.mark.long
@given(NAMES)
def test_a_stream_names_its_venue(venue: str) -> None:
    assert venue_of_stream(stream_of(parse_venue(venue))) == venue


def test_streams_of_a_hub_are_of_no_venue() -> None:
    assert venue_of_stream("feltwire") is None
    assert venue_of_stream(LIVE_STREAM) is None


def test_an_event_has_a_subject_by_its_kind() -> None:
    assert event_subject("hall", opened(1)) == "feltwire.sim.v1.hall.wheel-1.round.opened"
    assert event_subject("hall", opened(1), live=True) == "feltwire.live.sim.v1.hall.wheel-1.round.opened"


def test_a_relay_is_no_table() -> None:
    parsed = parse_subject(relay_subject("hall", "pit"))
    assert parsed is not None
    assert parsed.of_table is None


@pytest.mark.parametrize("strange", ["/tmp/evil", "\\evil", "\x1b[2J", "Wheel-1", "a--b", "a b", "*", "x" * 65])
def test_a_name_that_no_relay_gives_is_of_no_table_and_no_stream(strange: str) -> None:
    whole = TableName("hall", False, "wheel-1")
    assert parse_archived(archived_subject("feltwire-hall", whole), "feltwire-hall") == whole
    assert parse_archived(archived_subject("feltwire-hall", whole), "feltwire") is None
    assert venue_of_stream(stream_of(strange)) is None
    for name in (whole._replace(venue=strange), whole._replace(table=strange)):
        assert parse_subject(name.events.replace(">", "round.outcome")) is None
        assert parse_subject(name.live("heartbeat")) is None
        assert parse_archived(archived_subject("feltwire-hall", name), "feltwire-hall") is None


@given(st.text())
def test_any_text_is_a_subject_of_ours_or_none(text: str) -> None:
    parsed = parse_subject(text)
    assert parsed is None or text.startswith("feltwire.")


@pytest.mark.parametrize("venue", ["", "Hall", "a.b", "hall>", "a b", "-a", "a--b", "live", "x" * 33, "*"])
def test_a_venue_that_is_no_part_of_a_subject_is_refused(venue: str) -> None:
    with pytest.raises(VenueError, match="venue"):
        parse_venue(venue)


def test_an_address_has_its_parts_and_hides_the_password() -> None:
    address = NatsAddress.parse("tls://ann:se%40cret@hub.example/atlantic-hall")
    assert (address.host, address.port, address.tls) == ("hub.example", 4222, True)
    assert (address.user, address.password, address.venue) == ("ann", "se@cret", "atlantic-hall")
    assert str(address) == "tls://hub.example:4222/atlantic-hall"


@pytest.mark.parametrize(
    "text", ["", "hub:4222", "http://hub:4222", "nats://", "nats://hub:99999", "nats://a:b@", "nats://[::1"]
)
def test_what_is_no_address_is_refused_without_its_password(text: str) -> None:
    with pytest.raises(NatsAddressError, match="write nats://"):
        NatsAddress.parse(text)


@given(st.text())
def test_any_text_is_an_address_or_is_refused(text: str) -> None:
    try:
        address = NatsAddress.parse(text)
    except NatsAddressError:
        return
    assert NatsAddress.parse(str(address)).host == address.host


def test_certificates_are_refused_where_nothing_is_encrypted() -> None:
    with pytest.raises(NatsAddressError, match="for tls://"):
        NatsAddress.parse("nats://hub:4222", ca=Path("ca.pem"))


def test_only_addresses_of_nats_are_of_nats() -> None:
    assert is_nats_address("nats://hub:4222")
    assert is_nats_address("tls://hub")
    assert not is_nats_address("ipc:///run/feltwire")
    assert not is_nats_address("tcp://hub:5600")


def test_a_password_comes_from_a_file_that_nobody_else_reads(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("secret\n")
    file.chmod(0o600)
    address = NatsAddress.parse("nats://hub")
    assert with_password(address, "ann", file)[3:5] == ("ann", "secret")
    file.chmod(0o644)
    with pytest.raises(NatsAddressError, match="chmod 600"):
        with_password(address, "ann", file)
    with pytest.raises(NatsAddressError, match="cannot be read"):
        with_password(address, "ann", tmp_path / "none")
