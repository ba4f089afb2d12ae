"""The check of a feed: what our tables publish keeps every sentence, and each way to break one is named by it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
import zmq
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from nacl.signing import SigningKey

from controller.bench.simulation import simulate
from controller.cli import main
from controller.conformance.captures import index_bytes, suite
from controller.conformance.feed_check import FeedCheck
from controller.conformance.feed_listener import FeedListener, NoFeedError
from controller.conformance.sentences import PAGE, Sentence
from controller.games.assembly import geometry_of
from controller.games.load import check
from feed.endpoints import Endpoints
from feed.events import Event, Heartbeat, Settled, decode, encode, genesis, link
from feed.history_server import Page
from feed.state import TableState, encode_snapshot
from feed.wire import UNKNOWN_TABLE, EndOfEvents, SignedSeal
from hal.clock import FastClock, SystemClock
from simulators.base.faults import faults_for
from tests.fakes.feed_server import FeedServer, Keys, ListHistory, feed_server, short_folder
from tests.fakes.service import MemoryJournal
from tests.fakes.time_limits import HANG_S
from tests.fakes.virtual_service import VirtualService
from tests.tables.sic_bo_table import SicBoBench

ROOT: Final = Path(__file__).resolve().parents[2]
S: Final = 1_000_000_000
GAMES: Final = (
    *("roulette", "money_wheel", "chuck_a_luck", "sic_bo", "craps", "baccarat", "blackjack"),
    *("caribbean_stud_progressive", "skill_stop_reel", "token_pusher"),
)
TABLE: Final = "money-wheel-1"
Found = list[tuple[Sentence, str]]


@cache
def played(game: str, fault: str = "none") -> list[Event]:
    """Three rounds of an example; the second has the fault."""
    config = check([ROOT / "examples" / f"{game}.toml"]).tables[0]
    return [event for one in simulate(config, 3, 1, {2: fault}) for event in one.events]


def messages(events: Sequence[Event]) -> list[list[bytes]]:
    """What a publisher sends of them."""
    return [[event.topic.encode(), encode(event)] for event in events]


def found(sent: Sequence[Sequence[bytes]]) -> Found:
    """What these messages break."""
    checked = FeedCheck()
    for frames in sent:
        checked.received(frames)
    checked.end()
    assert checked.count == len(checked.broken)
    return [(one.sentence, str(one)) for one in checked.broken]


def test_each_sentence_is_on_the_page_word_for_word() -> None:
    page = " ".join((ROOT / PAGE).read_text(encoding="utf-8").split())
    for sentence in Sentence:
        assert " ".join(sentence.value.split()) in page, sentence


@pytest.mark.parametrize("game", GAMES)
def test_what_our_tables_publish_keeps_every_sentence(game: str) -> None:
    config = check([ROOT / "examples" / f"{game}.toml"]).tables[0]
    faults = [fault.name for fault in faults_for(geometry_of(config))]
    for fault in ("none", faults[len(faults) // 2], faults[-1]):
        assert found(messages(played(game, fault))) == []


@pytest.mark.long
def test_what_a_service_publishes_of_each_game_keeps_every_sentence_over_its_restarts() -> None:
    examples = sorted((ROOT / "examples").glob("*.toml"))
    simulated = [path for path in examples if 'backend = "sim"' in path.read_text(encoding="utf-8")]
    tables = list({config.table.game: config for config in check(simulated).tables}.values())
    assert len(tables) == 19
    journal: MemoryJournal | None = None
    checked = FeedCheck()
    for epoch in ("before", "after"):
        service = VirtualService(tables, journal=journal, epoch=epoch)
        service.open()
        service.run(6, S // 10)
        service.supervisor.close("stopped")
        journal = service.journal
        for topic, body in service.bench.feed.messages:
            checked.received([topic, body])
    assert [str(one) for one in checked.broken] == []


# --- one change, and the sentence that it breaks ---


def changed(event: Event, **values: Any) -> Event:
    """The event with other data."""
    return msgspec.structs.replace(event, data=msgspec.structs.replace(event.data, **values))


def patched(frames: list[bytes], before: bytes, after: bytes) -> list[bytes]:
    """The message with another text in its body."""
    assert before in frames[1], frames
    return [frames[0], frames[1].replace(before, after)]


def at(kind: str, number: int = 0) -> int:
    """The place of the nth event of a type in a clean play."""
    places = [place for place, event in enumerate(PLAY) if event.type == f"feltwire.{kind}.v1"]
    return places[number]


PLAY: Final = [event for event in played("money_wheel") if event.seq is not None]
OPENED, CALL, START, OUTCOME, SETTLED = map(
    at, ("round.opened", "round.no_more_bets", "round.started", "round.outcome", "round.settled")
)


def renumbered(events: Sequence[Event]) -> list[Event]:
    """The events with numbers of their own, so that their order alone is wrong."""
    given = []
    for number, event in enumerate(events, 1):
        head = event.id.rpartition(".")[0]
        given.append(msgspec.structs.replace(event, id=f"{head}.{number}", sequence=f"{number:020}"))
    return given


def without(*places: int) -> list[list[bytes]]:
    """The play without these events, numbered without a gap."""
    return messages(renumbered([event for place, event in enumerate(PLAY) if place not in places]))


def with_(place: int, *events: Event) -> list[list[bytes]]:
    """The play with these events before one, numbered without a gap."""
    return messages(renumbered([*PLAY[:place], *events, *PLAY[place:]]))


def edit(place: int, change: Callable[[list[bytes]], list[bytes]]) -> list[list[bytes]]:
    """The play with one message changed."""
    sent = messages(PLAY)
    sent[place] = change(sent[place])
    return sent


def restarted(**opening: Any) -> list[list[bytes]]:
    """The first round, and another epoch."""
    before = PLAY[: SETTLED + 1]
    opened = changed(PLAY[0], **{"previous_epoch": "sim", "previous_sequence": len(before), **opening})
    later = [
        msgspec.structs.replace(event, id=event.id.replace(".sim.", ".e2.")) for event in [opened, PLAY[SETTLED + 1]]
    ]
    return messages(renumbered([*before, *later]))


def fault(**values: Any) -> Event:
    """A fault, or its end."""
    text = encode(played("money_wheel", "cable_pulled")[-1])
    base = msgspec.json.decode(text)
    kind = values.pop("kind")
    base["type"] = f"feltwire.{kind}.v1"
    base.pop("subject", None)
    base["sequence"], base["id"] = f"{1:020}", f"{TABLE}.sim.1"
    common = {key: base["data"][key] for key in ("table", "game", "simulated", "mono_ns")}
    base["data"] = {**common, "device": "wheel", "fault": "edges_lost", **values}
    return decode(msgspec.json.encode(base))


BLOCKING: Final = fault(kind="device.fault", detail="", blocks_play=True)
BROKEN: Final = {
    "a third frame": (edit(2, lambda m: [*m, b""]), Sentence.FRAMES),
    "no body": (edit(2, lambda m: m[:1]), Sentence.FRAMES),
    "a topic without its slash": (edit(2, lambda m: [m[0][:-1], m[1]]), Sentence.TOPIC),
    "a topic of a real table": (edit(2, lambda m: [m[0].removeprefix(b"sim/"), m[1]]), Sentence.TOPIC),
    "no JSON": (edit(2, lambda m: [m[0], b"spin"]), Sentence.EVENT),
    "a number as a text": (edit(2, lambda m: patched(m, b'"round":1', b'"round":"1"')), Sentence.SCHEMA),
    "another specversion": (edit(2, lambda m: patched(m, b'"1.0"', b'"0.3"')), Sentence.SCHEMA),
    "a sequence of nineteen digits": (edit(2, lambda m: patched(m, b'"00', b'"0')), Sentence.SCHEMA),
    "a content that is no JSON": (edit(2, lambda m: patched(m, b"application/json", b"text/plain")), Sentence.SCHEMA),
    "another source": (edit(2, lambda m: patched(m, b"/tables/", b"/table/")), Sentence.SOURCE),
    "another subject": (edit(2, lambda m: patched(m, b"round/1", b"round/2")), Sentence.SUBJECT),
    "a local time": (edit(2, lambda m: patched(m, b'Z","sequence', b'+01:00","sequence')), Sentence.TIME),
    "a time that runs back": (edit(4, lambda m: patched(m, b'"time":"1970', b'"time":"1969')), Sentence.TIME),
    "an event that is missing": (messages(PLAY[:2] + PLAY[3:]), Sentence.SEQUENCE),
    "an event that comes twice": (messages([*PLAY[:3], PLAY[2], *PLAY[3:]]), Sentence.SEQUENCE),
    "another event of the same number": (messages([*PLAY[:3], PLAY[1], *PLAY[3:]]), Sentence.SEQUENCE),
    "a real event of a simulated table": (
        messages([*PLAY, changed(PLAY[-1], simulated=False)]),
        Sentence.SIMULATED,
    ),
    "an epoch that begins with a round": (messages(renumbered(PLAY[1:])), Sentence.EPOCH),
    "an epoch that names another one": (restarted(previous_epoch="x"), Sentence.EPOCH),
    "an epoch that names another number": (restarted(previous_sequence=1), Sentence.EPOCH),
    "an epoch that comes again": (
        messages(
            renumbered(
                [
                    PLAY[0],
                    changed(
                        msgspec.structs.replace(PLAY[0], id=f"{TABLE}.e2.2"),
                        previous_epoch="sim",
                        previous_sequence=1,
                    ),
                    changed(PLAY[0], previous_epoch="e2", previous_sequence=2),
                ]
            )
        ),
        Sentence.ID,
    ),
    "a round that opens twice": (with_(CALL, PLAY[OPENED]), Sentence.OPEN),
    "a round before the last is settled": (without(SETTLED), Sentence.OPEN),
    "a round that is left out": (
        messages(renumbered([*PLAY[: SETTLED + 1], changed(PLAY[at("round.opened", 1)], round=7)])),
        Sentence.ROUNDS,
    ),
    "a call of no round": (with_(OPENED, PLAY[CALL]), Sentence.IN_ROUND),
    "a start after the verdict": (with_(SETTLED, PLAY[START]), Sentence.IN_ROUND),
    "an outcome without bets": (without(OPENED, CALL, START), Sentence.IN_ROUND),
    "two outcomes": (with_(SETTLED, PLAY[OUTCOME]), Sentence.ONE_VERDICT),
    "settled twice": (with_(SETTLED, PLAY[SETTLED]), Sentence.SETTLED),
    "settled before its verdict": (with_(OUTCOME, PLAY[SETTLED]), Sentence.SETTLED),
    "an outcome of a table that is shut": (with_(OUTCOME, BLOCKING), Sentence.SHUT),
    "a round at a table that is shut": (with_(OPENED, BLOCKING), Sentence.SHUT),
    "a fault that is cleared, and was not latched": (
        with_(OPENED, fault(kind="device.cleared", by="ann")),
        Sentence.CLEARED,
    ),
    "a table that is opened while it is open": (with_(SETTLED, PLAY[0]), Sentence.CLOSED),
}
"""Messages that break a sentence."""


@pytest.mark.parametrize(("sent", "sentence"), BROKEN.values(), ids=BROKEN)
def test_a_message_that_breaks_a_sentence_is_named_by_it(sent: list[list[bytes]], sentence: Sentence) -> None:
    broken = found(sent)
    assert sentence in {one for one, _ in broken}, broken
    text = next(text for one, text in broken if one is sentence)
    assert text.endswith(f'{PAGE}: "{sentence.value}"')


@pytest.mark.parametrize("disturbed", [False, True])
def test_a_round_that_was_left_is_settled_once_after_the_restart(disturbed: bool) -> None:
    table = SicBoBench().shaken()
    if disturbed:
        table.pulse("shake")
    again = table.key("4-2-1").rebooted()
    if disturbed:
        assert again.order("void round=1 by=ann why=seen").accepted
    again.wait(1).settle()
    sent = [event for event in (*table.said, *again.said) if event.seq is not None]
    assert found(messages(sent)) == []
    (place,) = (place for place, event in enumerate(sent) if isinstance(event.data, Settled))
    assert sent[place].epoch == "again"
    twice = renumbered([*sent[: place + 1], sent[place]])
    assert [sentence for sentence, _ in found(messages(twice))][-1] is Sentence.SETTLED


def test_a_correction_names_what_is_in_force() -> None:
    outcome = msgspec.json.decode(encode(PLAY[OUTCOME]))
    wrong = {"verdict": "outcome", "result": {"space": 3, "face": "$1"}}
    right = {"verdict": "outcome", "result": outcome["data"]["result"]}
    common = {key: outcome["data"][key] for key in ("table", "game", "simulated", "mono_ns", "round")}
    outcome["type"] = "feltwire.round.corrected.v1"
    for named, sentences in ((wrong, [Sentence.CORRECTED]), (right, [])):
        outcome["data"] = {**common, "by": "ann", "from": named, "to": wrong, "why": "seen"}
        sent = with_(SETTLED, decode(msgspec.json.encode(outcome)))
        assert [sentence for sentence, _ in found(sent)] == sentences


RIGHT: Final = {"space": 3, "face": "$1"}


@pytest.mark.parametrize(
    "wrong", [{}, {"winner": "the house"}, {"space": "3", "face": "$1"}, {"space": -1, "face": "$1"}]
)
@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("outcome", lambda one: {"result": one}),
        ("unresolved", lambda one: {"reason": "edges_lost", "candidates": [RIGHT, one]}),
        ("corrected", lambda one: {"by": "ann", "why": "", "from": outcome(one), "to": outcome(RIGHT)}),
        ("corrected", lambda one: {"by": "ann", "why": "", "from": outcome(RIGHT), "to": outcome(one)}),
        ("disputed", lambda one: {"by": "ann", "why": "", "stands": outcome(one)}),
    ],
)
def test_a_result_is_one_of_its_game(
    kind: str, fields: Callable[[dict[str, Any]], dict[str, Any]], wrong: dict[str, Any]
) -> None:
    body = msgspec.json.decode(encode(PLAY[OUTCOME]))
    body["type"] = f"feltwire.round.{kind}.v1"
    common = body["data"]
    for result, sentences in ((RIGHT, []), (wrong, [Sentence.SCHEMA])):
        body["data"] = common | fields(result)
        event = decode(msgspec.json.encode(body))
        assert [one for one, _ in found(messages([event])) if one is Sentence.SCHEMA] == sentences


def outcome(result: dict[str, Any]) -> dict[str, Any]:
    """A verdict with this result."""
    return {"verdict": "outcome", "result": result}


def test_a_correction_of_a_round_without_a_verdict_is_named_where_the_rounds_are_known() -> None:
    outcome = msgspec.json.decode(encode(PLAY[OUTCOME]))
    common = {key: outcome["data"][key] for key in ("table", "game", "simulated", "mono_ns")}
    verdict = {"verdict": "outcome", "result": outcome["data"]["result"]}
    outcome["type"], outcome["subject"] = "feltwire.round.corrected.v1", "round/9"
    outcome["data"] = {**common, "round": 9, "by": "ann", "from": verdict, "to": verdict, "why": "seen"}
    sent = with_(SETTLED, decode(msgspec.json.encode(outcome)))
    assert [sentence for sentence, _ in found(sent)] == [Sentence.CORRECTED]
    assert found(sent[OPENED + 1 :]) == [], "who joins in the middle does not know round 9"


@pytest.mark.parametrize(
    ("before", "after", "runs_back"),
    [
        ("00.1Z", "00.15Z", False),
        ("00.15Z", "00.1Z", True),
        ("00.1Z", "00.100Z", False),
        ("00Z", "00.000001Z", False),
        ("00.5Z", "00Z", True),
        ("00.999999999Z", "01Z", False),
    ],
)
def test_times_are_compared_and_not_their_texts(before: str, after: str, runs_back: bool) -> None:
    second, third = (
        msgspec.structs.replace(PLAY[place], time=f"1970-01-01T00:00:{text}")
        for place, text in ((1, before), (2, after))
    )
    broken = found(messages([msgspec.structs.replace(PLAY[0], time="1970-01-01T00:00:00.0Z"), second, third]))
    assert [sentence for sentence, _ in broken] == [Sentence.TIME] * runs_back


# --- heartbeats, chain and seals ---


def head_after(seq: int) -> bytes:
    """The head of the play's chain."""
    head = genesis(TABLE)
    for event in PLAY[:seq]:
        head = link(head, encode(event))
    return head


def beat(number: int, last: int, head: str | None = None, epoch: str = "sim") -> list[bytes]:
    """A heartbeat."""
    data = Heartbeat(
        table=TABLE,
        game="money_wheel",
        simulated=True,
        mono_ns=0,
        epoch=epoch,
        last=last,
        head=head_after(last).hex() if head is None else head,
        state="open",
    )
    event = msgspec.structs.replace(
        PLAY[0],
        id=f"{TABLE}.sim.e{number}",
        type="feltwire.heartbeat.v1",
        sequence=msgspec.UNSET,
        subject=msgspec.UNSET,
        data=data,
    )
    return [event.topic.encode(), encode(event)]


FIRST: Final = messages(PLAY[:3])


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ([*FIRST, beat(1, 3), beat(2, 3)], None),
        ([beat(1, 2), *FIRST[2:], beat(2, 3)], None),
        ([beat(1, 2, head_after(1).hex()), *FIRST[2:], beat(2, 3)], Sentence.HEAD),
        ([beat(1, 2, "no head"), *FIRST[2:]], Sentence.HEAD),
        ([*FIRST, beat(1, 4)], Sentence.LAST),
        ([*FIRST, beat(1, 2)], Sentence.NEVER_LESS),
        ([*FIRST, beat(1, 3, "00" * 32)], Sentence.HEAD),
        ([*FIRST, beat(2, 3), beat(2, 3)], Sentence.ID),
        ([*FIRST, beat(2, 3), beat(1, 3)], None),
        ([*FIRST, beat(1, 3, epoch="e9")], Sentence.ID),
        (
            [*FIRST, patched(beat(1, 3), b'"datacontent', b'"sequence":"00000000000000000004","datacontent')],
            Sentence.SCHEMA,
        ),
    ],
)
def test_a_heartbeat_states_what_was_published(sent: list[list[bytes]], sentence: Sentence | None) -> None:
    assert [one for one, _ in found(sent)] == ([] if sentence is None else [sentence])


STALE: Final = "the heartbeat before came 4.0 s earlier"


@pytest.mark.parametrize(
    ("sent", "now_ns", "words"),
    [
        ([(FIRST[0], 0), (FIRST[1], 4 * S)], 4 * S, ["no heartbeat came in the last 4.0 s"]),
        ([(FIRST[0], 0), (FIRST[1], 2 * S)], 3 * S, []),
        ([(beat(n, 3), t_ns) for n, t_ns in enumerate((0, S, 4 * S, 8 * S), 1)], 8 * S, [STALE]),
        ([(beat(1, 3), 0)], 3 * S, []),
        ([(beat(1, 3), 0), (beat(2, 3), S)], 60 * S, ["no heartbeat came in the last 59.0 s"]),
        # It began while it was listened to.
        ([(FIRST[0], 58 * S)], 60 * S, []),
        ([(FIRST[0], 50 * S)], 60 * S, ["no heartbeat came in the last 10.0 s"]),
    ],
)
def test_heartbeats_that_do_not_come_or_stop_are_named(
    sent: list[tuple[list[bytes], int]], now_ns: int, words: list[str]
) -> None:
    checked = FeedCheck()
    for frames, t_ns in sent:
        checked.received(frames, t_ns)
    checked.end(0, now_ns)
    assert [one.what for one in checked.broken] == words
    assert {one.sentence for one in checked.broken} <= {Sentence.HEARTBEAT, Sentence.STALE}


@pytest.mark.parametrize("archived", [False, True])
def test_a_table_of_the_history_of_which_nothing_comes_is_named(archived: bool) -> None:
    for now_ns, sentences in ((3 * S, []), (4 * S, [Sentence.HEARTBEAT])):
        checked = FeedCheck()
        for topic, body in [] if archived else FIRST:
            checked.recorded(TABLE, topic, body)
        checked.answered(ended(3, after=3 if archived else 0))
        checked.end(0, now_ns)
        assert [one.sentence for one in checked.broken] == sentences


def ended(last: int, after: int = 0, **values: Any) -> EndOfEvents:
    """The end of a history of the play."""
    given = {"epoch": "sim", "head": head_after(min(last, len(PLAY))).hex(), **values}
    return EndOfEvents(table=TABLE, last=last, after=after, **given)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (ended(3), []),
        (ended(9), ["the answer ends with event 9, and the last that came is 3"]),
        (ended(2), ["the answer ends with event 2, and the last that came is 3"]),
        (ended(3, epoch="e9"), ["the answer states the epoch e9, and the last event has sim"]),
    ],
)
def test_the_end_of_a_history_states_the_last_event_of_it(end: EndOfEvents, words: list[str]) -> None:
    checked = FeedCheck()
    for topic, body in FIRST:
        checked.recorded(TABLE, topic, body)
    checked.answered(end)
    assert [one.what for one in checked.broken] == words
    assert {one.sentence for one in checked.broken} <= {Sentence.SINCE}
    checked = FeedCheck()
    checked.answered(ended(9))
    assert [one.what for one in checked.broken] == ["the answer ends with event 9, and has no event after 0"]


def seal(key: SigningKey, head: bytes, seq: int = 3, epoch: str = "sim", chain: str = TABLE) -> SignedSeal:
    """A seal of the play, and of what people sent."""
    heads = {chain: [seq, epoch, head.hex()], "@commands": [7, "", "00" * 32]}
    statement = msgspec.json.encode({"n": 1, "heads": heads})
    signature = key.sign(b"feltwire seal\0" + statement).signature
    return SignedSeal(statement=statement.decode(), public_key=bytes(key.verify_key).hex(), signature=signature.hex())


def test_seals_are_checked_against_the_events_and_the_keys_that_are_given() -> None:
    key, other = SigningKey(bytes(32)), SigningKey(bytes(31) + b"1")
    good = seal(key, head_after(3))
    for keys, one_seal, words in (
        ([], good, []),
        ([bytes(key.verify_key)], good, []),
        ([bytes(other.verify_key)], good, ["which was not given"]),
        ([], seal(key, head_after(2)), ["another head or epoch of money-wheel-1 after event 3"]),
        ([], seal(key, head_after(3), epoch="e9"), ["another head or epoch of money-wheel-1 after event 3"]),
        ([], seal(key, head_after(3), 500), ["event 500 of money-wheel-1, and the last that is known is 3"]),
        ([], seal(key, head_after(3), chain="other-1"), ["event 3 of other-1, and the last that is known is 0"]),
        ([], seal(key, head_after(4), 4), ["event 4 of money-wheel-1, and the last that is known is 3"]),
        ([bytes(key.verify_key)], None, ["a key of the seals was given"]),
        ([], None, []),
        ([], msgspec.structs.replace(good, signature=seal(key, head_after(2)).signature), ["its signature"]),
        ([], msgspec.structs.replace(good, public_key="xyz"), ["its signature"]),
        ([], msgspec.structs.replace(good, public_key=""), ["its signature"]),
    ):
        checked = FeedCheck(keys)
        # A seal is compared with what is known at the end.
        checked.sealed([] if one_seal is None else [one_seal])
        for frames in FIRST:
            checked.received(frames)
        checked.end()
        assert [one.sentence for one in checked.broken] == [Sentence.SEAL] * len(words)
        for one, word in zip(checked.broken, words, strict=True):
            assert word in one.what


def test_the_history_and_the_feed_have_the_same_events() -> None:
    checked = FeedCheck()
    for topic, body in messages(PLAY[:5]):
        checked.recorded(TABLE, topic, body)
    for frames in messages([PLAY[2], changed(PLAY[3], mono_ns=1), PLAY[4], PLAY[5]]):
        checked.received(frames)
    end = EndOfEvents(table=TABLE, epoch="sim", last=5, head="00" * 32, after=0)
    checked.answered(end)
    other = msgspec.structs.replace(changed(PLAY[6], table="other-1"), id="other-1.sim.7")
    checked.recorded(TABLE, *messages([other])[0])
    checked.recorded(TABLE, *beat(1, 3))
    sentences = [one.sentence for one in checked.broken]
    assert sentences[:3] == [Sentence.DURABLE, Sentence.SINCE, Sentence.HEAD]
    assert {Sentence.SINCE, Sentence.EPHEMERAL} <= set(sentences[3:])


# --- bad input ---


@given(
    st.lists(
        st.lists(st.binary(max_size=40), max_size=3)
        | st.tuples(st.integers(0, 8), st.integers(0, 400), st.binary(min_size=1, max_size=3)).map(
            lambda one: [
                messages(PLAY)[one[0]][0],
                messages(PLAY)[one[0]][1][: one[1]] + one[2] + messages(PLAY)[one[0]][1][one[1] + len(one[2]) :],
            ]
        ),
        max_size=8,
    )
)
@settings(max_examples=150, deadline=None)
def test_whatever_a_publisher_sends_is_checked_to_its_end(sent: list[list[bytes]]) -> None:
    checked = FeedCheck()
    for frames in sent:
        checked.received(frames, 0)
        checked.recorded(TABLE, b"v1/x/", frames[-1] if frames else b"")
    checked.end(0, 4 * S)
    assert checked.messages == len(sent)
    assert all(str(one).isprintable() for one in checked.broken)


# --- the command ---


def test_a_file_of_bodies_or_of_topics_and_bodies_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "evening.jsonl"
    for lines in ([encode(event) for event in PLAY], [b" ".join(frames) for frames in messages(PLAY)]):
        path.write_bytes(b"\n".join(lines) + b"\n")
        ran = CliRunner().invoke(main, ["conformance", "feed", str(path)])
        assert ran.exit_code == 0, ran.output
        assert f"{len(PLAY)} messages, {len(PLAY)} durable events, 0 heartbeats" in ran.output
        path.write_bytes(b"\n".join(lines[:4] + lines[5:]) + b"\n")
        ran = CliRunner().invoke(main, ["conformance", "feed", "--json", str(path)])
        assert ran.exit_code == 1
        assert msgspec.json.decode(ran.output)["broken"][0]["sentence"] == Sentence.SEQUENCE.value
    for text, wrong in ((b"", "it has no message"), (None, "cannot be read")):
        path.unlink()
        if text is not None:
            path.write_bytes(text)
        ran = CliRunner().invoke(main, ["conformance", "feed", str(path)])
        assert ran.exit_code == 2
        assert wrong in ran.output
        path.touch()
    ran = CliRunner().invoke(main, ["conformance", "feed", "udp://10.0.0.5:1"])
    assert ran.exit_code == 2
    ran = CliRunner().invoke(main, ["conformance", "feed", "--seal-key", "ab" * 32, str(path)])
    assert ran.exit_code == 2
    assert "--seal-key is for an address: a file has no seals" in ran.output


def slow_clock() -> FastClock:
    """A busy computer does not become a silence of 3 s, nor an answer that does not come in 10 s."""
    return FastClock(0.01)


class PlayHistory(ListHistory):
    """The history of the play, with a seal of it."""

    def __init__(self, key: SigningKey) -> None:
        super().__init__()
        self._key = key
        self.bodies = messages(PLAY)

    def tables(self) -> list[str]:
        return [TABLE]

    def snapshot(self, table: str) -> bytes | None:
        state = TableState(TABLE)
        for event in PLAY:
            state.apply(event)
        return encode_snapshot(state.snapshot()) if table == TABLE else None

    def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
        if table != TABLE:
            return Page([], "", 0, "", UNKNOWN_TABLE, "no such table")
        last = len(self.bodies)
        if after > last:
            return Page([], "sim", last, head_after(last).hex(), "rewritten", "the history ends before")
        sent = [(topic, body) for topic, body in self.bodies[after : after + min(limit, 7)]]
        return Page(sent, "sim", last, head_after(last).hex())

    def seals(self) -> bytes:
        return msgspec.json.encode({"seals": [seal(self._key, head_after(3))]})


@pytest.mark.parametrize("keyed", [False, True], ids=["ipc", "tcp with keys"])
def test_a_publisher_is_listened_to_and_its_history_is_read_over_zeromq(keyed: bool, tmp_path: Path) -> None:
    key = SigningKey(bytes(32))
    keys = Keys(tmp_path) if keyed else None
    curve = keys.client("ann") if keys else None
    with short_folder() as folder:
        base = Endpoints.parse("tcp://127.0.0.1:*" if keyed else f"ipc://{folder}")
        checked = FeedCheck([bytes(key.verify_key)])
        with feed_server(base, PlayHistory(key), keys) as server:
            endpoints = server.endpoints
            listener = FeedListener(endpoints, curve, checked, slow_clock())
            try:
                while not server.do(lambda: server.publisher.subscriptions):
                    pass
                for frames in (beat(1, len(PLAY)), *messages(PLAY[-2:])):
                    server.publish(*frames)
                listener.wait(HANG_S)
                listener.listen(0.001)
            finally:
                listener.close()
        assert [str(one) for one in checked.broken] == []
        assert (checked.durable, checked.seals, checked.tables) == (len(PLAY), 1, [f"sim/{TABLE}"])
        listener = FeedListener(endpoints, curve, FeedCheck(), SystemClock())
        with pytest.raises(NoFeedError, match=re.escape("nothing was received in 0.01 s")):
            listener.wait(0.01)
        listener.close()


@contextmanager
def listened_to(history: ListHistory, checked: FeedCheck) -> Iterator[tuple[FeedServer, FeedListener]]:
    """A publisher with this history, and who listens to it."""
    with short_folder() as folder, feed_server(Endpoints.parse(f"ipc://{folder}"), history) as server:
        listener = FeedListener(server.endpoints, None, checked, slow_clock())
        try:
            yield server, listener
        finally:
            listener.close()


def test_what_a_history_answers_wrongly_is_named() -> None:
    class Wrong(PlayHistory):
        def snapshot(self, table: str) -> bytes | None:
            return b"{}"

        def seals(self) -> bytes:
            return b"[]"

        def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
            page = super().page(table, epoch, after, limit)
            return page._replace(events=[(b"v1/x/", body) for _, body in page.events], problem=None)

    checked = FeedCheck()
    with listened_to(Wrong(SigningKey(bytes(32))), checked) as (_, listener):
        listener.listen(0.001)
    found = {(one.sentence, one.where) for one in checked.broken}
    assert {(Sentence.SCHEMA, f"snapshot of {TABLE}"), (Sentence.SEAL, "seals")} <= found
    assert {Sentence.TOPIC, Sentence.REWRITTEN, Sentence.UNKNOWN_TABLE} <= {sentence for sentence, _ in found}


def test_what_is_sealed_while_the_history_is_read_is_in_it() -> None:
    class Growing(PlayHistory):
        def seals(self) -> bytes:
            self.bodies = messages(PLAY)
            return msgspec.json.encode({"seals": [seal(SigningKey(bytes(32)), head_after(len(PLAY)), len(PLAY))]})

    history = Growing(SigningKey(bytes(32)))
    history.bodies = history.bodies[:-1]
    checked = FeedCheck()
    with listened_to(history, checked) as (_, listener):
        listener.listen(0.001)
    assert (checked.broken, checked.durable) == ([], len(PLAY))


LAST: Final = messages(PLAY)[-1]


class NoTable(PlayHistory):
    """It has nothing."""

    def tables(self) -> list[str]:
        return []

    def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
        return Page([], "", 0, "", UNKNOWN_TABLE, "no such table")


class WithoutTheLast(PlayHistory):
    """It lacks the last event that is published."""

    def __init__(self, key: SigningKey) -> None:
        super().__init__(key)
        self.bodies = messages(PLAY[:-1])


class OtherLast(PlayHistory):
    """Asked for the last event alone, it has another one."""

    def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
        page = super().page(table, epoch, after, limit)
        return page if after != len(PLAY) - 1 else page._replace(events=[(b"x/", encode(PLAY[0]))])


class ArchivedLast(PlayHistory):
    """It archives the last event as soon as that was read."""

    def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
        page = super().page(table, epoch, after, limit)
        return page if after != len(PLAY) - 1 else page._replace(events=[], after=len(PLAY))


@pytest.mark.parametrize(
    ("kind", "frames", "words"),
    [
        (NoTable, LAST, "the history does not list the table"),
        (NoTable, beat(1, len(PLAY)), "the history does not list the table"),
        (WithoutTheLast, LAST, "the history, asked for it, answers with EndAnswer"),
        (OtherLast, LAST, "the history, asked for it, answers with another event"),
        (ArchivedLast, LAST, None),
    ],
    ids=["no table", "no table, and a heartbeat alone", "without the last", "another last", "the last is archived"],
)
def test_what_a_feed_has_and_its_history_has_not_is_named(
    kind: type[PlayHistory], frames: list[bytes], words: str | None
) -> None:
    checked = FeedCheck()
    with listened_to(kind(SigningKey(bytes(32))), checked) as (server, listener):
        while not server.do(lambda: server.publisher.subscriptions):
            pass
        server.publish(*frames)
        listener.wait(HANG_S)
        listener.listen(0.001)
    published = [one.what for one in checked.broken if one.sentence is Sentence.DURABLE]
    assert published == ([] if words is None else [f"event {len(PLAY)} was published, and {words}"])


def test_a_name_of_a_table_cannot_write_a_line_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "evening.jsonl"
    path.write_bytes(encode(PLAY[0]).replace(TABLE.encode(), b"x\\u2028yes every sentence is kept\\u001b[2J"))
    ran = CliRunner().invoke(main, ["conformance", "feed", str(path)])
    assert "tables: sim/x\\u2028yes every sentence is kept\\x1b[2J" in ran.output
    assert "\x1b" not in ran.output


# --- a publisher that would never let it end ---


class SteppingClock(SystemClock):
    """Half a second passes whenever somebody looks: what waits for a time ends, and nobody waits."""

    def __init__(self) -> None:
        self._now_ns = 0

    def now_ns(self) -> int:
        self._now_ns += S // 2
        return self._now_ns


class SamePage(PlayHistory):
    """It answers each request with the same page, and `more`."""

    def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
        return super().page(table, epoch, 0, limit) if table == TABLE else super().page(table, epoch, after, limit)


class EndlessPage(PlayHistory):
    """Its pages have more events than a page may have."""

    def page(self, table: str, epoch: str, after: int, limit: int) -> Page:
        page = super().page(table, epoch, after, limit)
        return page._replace(events=[one for _ in range(100) for one in page.events])


@pytest.mark.parametrize(
    ("kind", "durable", "words"),
    [
        (SamePage, 14, "`more` after event 7, and no later event"),
        (EndlessPage, 500, "more than 500 events in one answer"),
    ],
)
def test_pages_that_would_go_on_for_ever_are_broken_off(kind: type[PlayHistory], durable: int, words: str) -> None:
    checked = FeedCheck()
    with listened_to(kind(SigningKey(bytes(32))), checked) as (_, listener):
        listener.listen(0.001)
    assert checked.durable == durable
    assert words in [one.what for one in checked.broken if one.sentence is Sentence.SINCE]


@pytest.mark.parametrize(
    ("history_s", "unchecked", "waits"),
    [(600.0, [], 2), (8.0, ["the history was not read to its end in 8 s"], 0)],
)
def test_answers_to_other_requests_do_not_keep_it_waiting(history_s: float, unchecked: list[str], waits: int) -> None:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    router = context.socket(zmq.ROUTER)
    over = threading.Event()

    def answer() -> None:
        sender = None
        while not over.is_set():
            if sender is None:
                sender = router.recv_multipart()[0] if router.poll(10) else None
            elif router.poll(10, zmq.POLLOUT):
                router.send_multipart([sender, b"other", b"schema", b"{}"])

    with short_folder() as folder:
        endpoints = Endpoints.parse(f"ipc://{folder}")
        router.bind(endpoints.history)
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        checked = FeedCheck()
        listener = FeedListener(endpoints, None, checked, SteppingClock(), history_s)
        try:
            listener.listen(1)
        finally:
            listener.close()
            over.set()
            thread.join(HANG_S)
            context.destroy(linger=0)
    assert listener.unchecked == unchecked
    assert [one.what for one in checked.broken] == ["no answer in 10 s"] * waits


def test_a_feed_of_which_too_much_waits_is_not_called_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.conformance.feed_listener.MOST_BYTES", 1)
    checked = FeedCheck()
    with listened_to(PlayHistory(SigningKey(bytes(32))), checked) as (server, listener):
        while not server.do(lambda: server.publisher.subscriptions):
            pass
        for number in (1, 2):
            server.publish(*beat(number, len(PLAY)))
        listener.wait(HANG_S)
        listener.listen(0.05)
    assert listener.unchecked == ["more came on the feed than could be checked in that time"]
    # What fills it is checked, and nothing is taken after that.
    assert (checked.messages, checked.broken) == (1, [])


def test_a_damaged_suite_is_named_and_no_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.conformance.captures.FOLDER", tmp_path)
    recorded = tmp_path / "recorded.jsonl"
    recorded.write_text("{}\n", encoding="utf-8")
    for cached in (suite, index_bytes):
        cached.cache_clear()
    try:
        ran = CliRunner().invoke(main, ["conformance", "feed", str(recorded)])
    finally:
        for cached in (suite, index_bytes):
            cached.cache_clear()
    assert isinstance(ran.exception, SystemExit), ran.exception
    assert ran.exit_code == 2
    assert ran.output == f"{tmp_path}/suite.json: No such file or directory; install feltwire again\n"
