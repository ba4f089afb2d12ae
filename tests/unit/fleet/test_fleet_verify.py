"""What a stream holds of a table, verified: the first difference is named, whatever was done to it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feed.events import decode, genesis, link
from fleet.report import RelayedTable
from fleet.streams import HEAD, StoredMessage
from fleet.subjects import TableName, event_subject
from fleet.verify import JournalOfTable, TableCheck, VerifiedTable, VouchedHead
from tests.fakes.feed_model import ModelJournal, ModelTable

TABLE = TableName("hall", False, "wheel-1")
BEAT = "heartbeat of 20:00"


def history(events: int = 30) -> list[StoredMessage]:
    """What a relay has published."""
    journal, rng = ModelJournal(), Random(3)
    table = ModelTable(journal, "wheel-1", "e1")
    table.open()
    while len(journal.bodies("wheel-1")) < events:
        table.play(rng)
    head, found = genesis("wheel-1"), []
    for number, body in enumerate(journal.bodies("wheel-1"), 1):
        head = link(head, body)
        found.append(StoredMessage(event_subject("hall", decode(body)), number, {HEAD: head.hex()}, body))
    return found


MESSAGES = history()
LAST = VouchedHead(30, bytes.fromhex(MESSAGES[-1].headers[HEAD]), BEAT)


def check(messages: list[StoredMessage], *heads: VouchedHead, relayed: RelayedTable | None = None) -> VerifiedTable:
    checked = TableCheck(TABLE, heads)
    for message in messages:
        checked.take(message)
    return checked.end(relayed=relayed)


def head_of(seq: int) -> bytes:
    return bytes.fromhex(MESSAGES[seq - 1].headers[HEAD])


def changed(message: StoredMessage) -> StoredMessage:
    """With another body, which still is an event of the same number."""
    return message._replace(body=message.body.replace(b'"mono_ns":0', b'"mono_ns":1'))


def test_what_the_journal_holds_verifies() -> None:
    found = check(MESSAGES, LAST)
    assert (found.finding, found.events, found.vouched, found.by) == (None, 30, 30, BEAT)


@given(st.integers(1, 30))
def test_a_changed_event_is_named(seq: int) -> None:
    messages = [changed(one) if one.seq == seq else one for one in MESSAGES]
    finding = check(messages, LAST).finding
    assert finding is not None
    assert (finding.seq, finding.message) == (seq, seq)
    assert "its body was changed" in finding.detail


@given(st.integers(1, 30))
def test_a_changed_event_whose_headers_were_made_anew_is_found_by_the_head(seq: int) -> None:
    head, messages = genesis("wheel-1"), []
    for one in MESSAGES:
        one = changed(one) if one.seq == seq else one
        head = link(head, one.body)
        messages.append(one._replace(headers={HEAD: head.hex()}))
    vouched = VouchedHead(5, bytes.fromhex(MESSAGES[4].headers[HEAD]), "a note")
    finding = check(messages, vouched, LAST).finding
    assert finding is not None
    assert finding.seq == (1 if seq <= 5 else 6)


@given(st.integers(1, 29))
def test_a_missing_event_is_named(seq: int) -> None:
    finding = check([one for one in MESSAGES if one.seq != seq], LAST).finding
    assert finding is not None
    assert (finding.seq, finding.detail) == (seq + 1, f"event {seq} is missing before it")


@given(st.integers(1, 30), st.integers(1, 30))
def test_an_event_that_is_there_twice_is_named(seq: int, behind: int) -> None:
    messages = list(MESSAGES)
    place = max(seq, behind)
    messages.insert(place, MESSAGES[seq - 1])
    finding = check(messages, LAST).finding
    assert finding is not None
    assert (finding.seq, finding.detail) == (seq, f"it is behind event {place}: it is there twice, or out of order")


def test_a_cut_off_end_is_named_where_a_kept_head_knows_of_it() -> None:
    kept = LAST._replace(by="the head that was given")
    finding = check(MESSAGES[:20], kept).finding
    assert finding is not None
    assert finding.detail == "the stream ends with event 20, and the head that was given names event 30"
    # The stream may be behind a heartbeat.
    assert check(MESSAGES[:20], LAST).finding is None


def test_an_event_on_the_subject_of_another_table_is_named() -> None:
    strange = MESSAGES[4]._replace(subject="feltwire.v1.other.wheel-1.round.outcome")
    finding = check([*MESSAGES[:4], strange]).finding
    assert finding is not None
    assert "its subject is feltwire.v1.other" in finding.detail


@given(st.binary())
def test_anything_else_is_no_event(body: bytes) -> None:
    finding = check([MESSAGES[0], MESSAGES[1]._replace(body=body)]).finding
    assert finding is not None
    assert finding.seq == 2


def test_a_journal_names_the_first_event_that_it_holds_otherwise() -> None:
    held = {one.seq: bytes.fromhex(one.headers[HEAD]) for one in MESSAGES}
    journal = JournalOfTable("the journal", 30, held.get)
    checked = TableCheck(TABLE, (), journal)
    for message in MESSAGES[:20]:
        checked.take(message)
    found = checked.end()
    assert (found.finding, found.vouched, found.behind) == (None, 20, 10)
    rewritten = {seq: digest if seq < 12 else bytes(32) for seq, digest in held.items()}
    checked = TableCheck(TABLE, (), journal._replace(hash_of=rewritten.get))
    for message in MESSAGES:
        checked.take(message)
    assert checked.finding is not None
    assert (checked.finding.seq, checked.vouched) == (12, 11)
    checked = TableCheck(TABLE, (), journal._replace(last=25))
    for message in MESSAGES:
        checked.take(message)
    assert checked.finding is not None
    assert (checked.finding.seq, checked.finding.detail) == (26, "the journal ends with event 25")


def test_only_what_a_head_vouches_for_to_its_end_is_complete() -> None:
    assert check(MESSAGES, LAST).unproven == ""
    # Changed, cut off, without headers: nothing contradicts it, and it must not pass for verified.
    cut = [changed(one)._replace(headers={}) if one.seq == 4 else one._replace(headers={}) for one in MESSAGES[:25]]
    forged = check(cut)
    assert (forged.finding, forged.unproven) == (None, "no head vouches for events 1 to 25")
    early = VouchedHead(29, bytes.fromhex(MESSAGES[28].headers[HEAD]), BEAT)
    assert check(MESSAGES, early).unproven == "no head vouches for event 30"
    assert check([], relayed=RelayedTable(state="live")).unproven == ""


@given(st.integers(0, 29))
def test_what_a_heartbeat_announces_and_is_not_there_is_not_complete(held: int) -> None:
    vouched = VouchedHead(held, bytes.fromhex(MESSAGES[held - 1].headers[HEAD]), "a note")
    checked = TableCheck(TABLE, [vouched] if held else [])
    for message in MESSAGES[:held]:
        checked.take(message)
    found = checked.end(announced=30)
    assert found.finding is None
    behind = 30 - held
    assert found.unproven == f"{behind} of its journal {'is' if behind == 1 else 'are'} not there"


def test_a_table_that_its_relay_refuses_is_not_complete() -> None:
    found = check(MESSAGES, LAST, relayed=RelayedTable(state="refused", detail="two services"))
    assert (found.finding, found.unproven) == (None, "the relay reports: two services")


@pytest.mark.parametrize("state", ["rewritten", "live"])
def test_a_relay_that_reports_a_rewritten_history_is_a_finding(state: str) -> None:
    relayed = RelayedTable(state=state, detail="HISTORY REWRITTEN")  # type: ignore[arg-type]
    assert (check(MESSAGES, LAST, relayed=relayed).finding is not None) == (state == "rewritten")


NOTE = VouchedHead(20, head_of(20), "a note")
SEALS = [VouchedHead(seq, head_of(seq), f"the seal of {seq}", sealed=True) for seq in (5, 20, 30)]
HELD = JournalOfTable("the journal", 30, lambda seq: head_of(seq) if 1 <= seq <= 30 else None)


def with_note(
    messages: list[StoredMessage],
    archived: dict[int, bytes] | None = None,
    journal: JournalOfTable | None = None,
    heads: list[VouchedHead] = SEALS,
    note: VouchedHead = NOTE,
) -> VerifiedTable:
    checked = TableCheck(TABLE, heads, journal, note, archived)
    for message in messages:
        checked.take(message)
    return checked.end(must_be_sealed=True)


def test_a_note_of_an_archive_hides_nothing_that_the_stream_holds() -> None:
    whole = with_note(MESSAGES)
    assert (whole.finding, whole.unproven, whole.first, whole.events) == (None, "", 1, 30)
    forged = [changed(one)._replace(headers={}) if one.seq <= 20 else one for one in MESSAGES]
    for heads, seq, by in ((SEALS, 1, "the seal of 5"), (SEALS[2:], 1, "a note")):
        finding = with_note(forged, heads=heads).finding
        assert finding is not None
        assert finding.seq == seq
        assert f"{by} names the head" in finding.detail
    # The note was forged too, to fit.
    head = genesis(TABLE.table)
    for one in forged[:20]:
        head = link(head, one.body)
    assert with_note(forged, heads=SEALS[2:], note=NOTE._replace(hash=head)).finding is not None


def test_what_was_removed_is_proven_by_the_archive_or_the_journal_that_has_it() -> None:
    trimmed = MESSAGES[20:]
    for found in (with_note(trimmed, {20: head_of(20)}), with_note(trimmed, journal=HELD)):
        assert (found.finding, found.unproven, found.first, found.last) == (None, "", 21, 30)
    unknown = "a note states that an archive has events 1 to 20: give it with --archive"
    archived = HELD._replace(hash_of=lambda seq: head_of(seq) if seq > 10 else None)
    # Also where nothing is left, and a genuine seal vouches for the note.
    for one in (with_note(trimmed), with_note(trimmed, journal=archived), with_note([], heads=SEALS[:2])):
        assert (one.finding, one.unproven.split("; ")[0]) == (None, unknown)
    for wrong in ({}, {20: bytes(32)}, {19: head_of(19)}):
        finding = with_note(trimmed, wrong).finding
        assert finding is not None
        assert "the archive does not end there" in finding.detail
    rewritten = HELD._replace(hash_of=lambda seq: bytes(32) if seq == 20 else head_of(seq))
    assert with_note(trimmed, journal=rewritten).finding is not None


@pytest.mark.parametrize("left", [MESSAGES[8:], MESSAGES[:5] + MESSAGES[20:], MESSAGES[:5] + MESSAGES[9:]])
def test_what_an_interrupted_purge_left_is_named_and_proves_nothing(left: list[StoredMessage]) -> None:
    found = with_note(left, {20: head_of(20)})
    assert (found.finding, found.first, found.last) == (None, 21, 30)
    assert "feltwire fleet archive --trim again" in found.unproven


def test_a_note_of_events_that_the_stream_does_not_reach_is_not_complete() -> None:
    found = with_note(MESSAGES[:10], heads=SEALS[:1])
    assert "a note names event 20, and the stream ends with event 10" in found.unproven
