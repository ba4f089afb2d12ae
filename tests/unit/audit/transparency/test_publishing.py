"""How a log is published: what is sent to whom, what is kept, and what is stated."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import NoReturn

import pytest
from nacl.signing import SigningKey

from audit.errors import JournalError
from audit.transparency.checkpoints import AddCheckpoint, cosign
from audit.transparency.notes import LOG_KEY, WITNESS_KEY, NoteKey, SignedNote, sign_text
from audit.transparency.publishing import HttpAnswer, LogPublisher, WitnessUnreachableError
from audit.transparency.tree import leaf_hash
from audit.transparency.tree_file import MET, NEWEST, TreeFile
from command_line.exit_codes import NOT_COMPLETE, NOT_VERIFIED
from command_line.publishing_loop import publish_once
from command_line.publishing_metrics import PublisherCollector, PublisherProbes
from hal.clock import NS_PER_S, VirtualClock
from hal.loop import run_virtual, sleep_ns
from tests.fakes.witnessing import (
    LOG,
    LOG_NOTE_KEY,
    ORIGIN,
    TIME_S,
    ScriptedCalls,
    bodies_of,
    checkpoint_of,
    grown,
    policy_of,
    published,
)

KEYS = {name: SigningKey(name.encode() * 32) for name in "abc"}
PUBLIC = {name: NoteKey(f"witness.test/{name}", WITNESS_KEY, bytes(key.verify_key)) for name, key in KEYS.items()}
POLICY = policy_of({name: (key, f"http://{name}/") for name, key in PUBLIC.items()}, 2, [LOG_NOTE_KEY])
AWAY = WitnessUnreachableError("Connection refused")


def add(tree: TreeFile, until: int) -> None:
    tree.append([leaf_hash(body) for body in bodies_of("event", until)], 0)


def good(tree: TreeFile, size: int, *names: str) -> HttpAnswer:
    text = str(tree.checkpoint(size))
    lines = [str(cosign(text, PUBLIC[name].name, KEYS[name], TIME_S)) for name in names]
    return HttpAnswer(200, "".join(lines).encode())


def size_of(tree: TreeFile, which: str) -> int | None:
    note = tree.note(which)
    return None if note is None else int(note.text.split("\n")[1])


def turn(publisher: LogPublisher) -> None:
    asyncio.run(publisher.turn())


def test_each_witness_gets_the_proof_from_its_own_size_and_what_enough_cosigned_is_kept(tmp_path: Path) -> None:
    calls = ScriptedCalls()
    with published(tmp_path, POLICY, calls) as (tree, publisher):
        add(tree, 10)
        calls.answers = {
            "a": [HttpAnswer(409, b"4\n"), good(tree, 10, "a")],
            "b": [good(tree, 10, "c", "b")],
            "c": [HttpAnswer(404, b"unknown\n")],
        }
        turn(publisher)
        olds = [(name, AddCheckpoint.parse(body).old) for name, body in calls.bodies]
        assert sorted(olds) == [("a", 0), ("a", 4), ("b", 0), ("c", 0)]
        assert (size_of(tree, NEWEST), size_of(tree, MET), publisher.met) == (10, 10, 10)
        # An answer is believed of its own witness alone.
        assert [one.name for one in tree.note(MET).signatures] == [  # type: ignore[union-attr]
            LOG_NOTE_KEY.name, "witness.test/a", "witness.test/b",
        ]  # fmt: skip
        calls.bodies.clear()
        turn(publisher)
        # Nothing is new: only who lacks it is asked again.
        assert [name for name, _ in calls.bodies] == ["c"]
        add(tree, 12)
        calls.answers = {"a": [AWAY], "b": [good(tree, 12, "b")], "c": [AWAY]}
        calls.bodies.clear()
        turn(publisher)
        assert {name: AddCheckpoint.parse(body).old for name, body in calls.bodies} == {"a": 10, "b": 10, "c": 0}
        assert (size_of(tree, NEWEST), size_of(tree, MET), publisher.met) == (12, 10, 10)


def test_what_is_wrong_with_a_witness_is_logged_once_and_until_it_cosigns_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    calls = ScriptedCalls(a=[AWAY], b=[HttpAnswer(422, b"other root\n")], c=[HttpAnswer(200, b"nonsense")])
    with published(tmp_path, POLICY, calls) as (tree, publisher), caplog.at_level(logging.INFO):
        add(tree, 5)
        for _ in range(3):
            turn(publisher)
        *each, last, result = (record.getMessage() for record in caplog.records)
        assert result == (
            "5 records signed, and NOT ENOUGH witnesses cosigned it for this policy: 0 of 3 did; missing: a, b, c"
        )
        assert [*sorted(each), last] == [
            "the witness a has not cosigned: it is not reached: Connection refused; play continues",
            "the witness b has not cosigned: it answers that this history does not continue what it cosigned ('other "
            "root'), and shows no checkpoint: it answers 422; play continues",
            "the witness c has not cosigned: its answer cannot be read: expected 1 to 64 lines of signatures, each "
            "with a line end; play continues",
            "NO WITNESS cosigns, and some answer: nobody vouches for what is written from now on; play continues",
        ]
        assert [record.levelname for record in caplog.records if "b has" in record.getMessage()] == ["WARNING"]
        probes = PublisherProbes(publisher)
        assert len(probes.ready(None).problems) == 3
        assert probes.ready("wheel-1").unknown
        assert not probes.live().problems
        caplog.clear()
        calls.answers = {"a": [good(tree, 5, "a")], "b": [HttpAnswer(409, b"9\n")], "c": [good(tree, 5, "c")]}
        turn(publisher)
        assert sorted(record.getMessage() for record in caplog.records) == [
            "5 records signed, and cosigned by a, c: enough for the policy",
            "a witness cosigns again",
            "the witness a cosigns again",
            "the witness b has not cosigned: it answers that it cosigned 9 records of this log, and there are 5, and "
            "shows no checkpoint: it answers 409; play continues",
            "the witness c cosigns again",
        ]
        assert not probes.ready(None).problems


def test_that_enough_witnesses_cosigned_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    calls = ScriptedCalls(c=[AWAY])
    with published(tmp_path, POLICY, calls) as (tree, publisher), caplog.at_level(logging.INFO):
        for size in (5, 7):
            add(tree, size)
            calls.answers |= {name: [good(tree, size, name)] for name in "ab"}
            turn(publisher)
        lines = [record.getMessage() for record in caplog.records if record.levelname == "INFO"]
        assert lines == ["5 records signed, and cosigned by a, b: enough for the policy"]


OTHER_LOG = NoteKey("feltwire/other", LOG_KEY, bytes(KEYS["c"].verify_key))
RETIRED = SigningKey(b"r" * 32)


def shown(bodies: list[bytes], key: SigningKey = LOG, origin: str = ORIGIN, name: str = "") -> HttpAnswer:
    """The checkpoint of a log with these leaves, as a witness shows it; the key may have another name."""
    checkpoint = checkpoint_of(grown(bodies).node, len(bodies), origin)
    note = SignedNote(str(checkpoint), (sign_text(str(checkpoint), name or origin, key),))
    return HttpAnswer(200, str(note).encode())


EVENTS, OTHERS = bodies_of("event", 9), bodies_of("other", 9)
NOT_THIS = "it answers that this history does not continue what it cosigned ('x'), and shows no "
NINE = "it answers that it cosigned 9 records of this log, and there are 5, and shows no "


@pytest.mark.parametrize(
    ("answers", "code", "stated"),
    [
        ([AWAY], NOT_COMPLETE, "it is not reached: Connection refused"),
        ([HttpAnswer(503, b"")], NOT_COMPLETE, "it answers 503 ('')"),
        ([HttpAnswer(404, b"x\n")], NOT_COMPLETE, "it does not know this log ('x'); give the line of `publish --key`"),
        (
            [HttpAnswer(403, b"x\n")],
            NOT_COMPLETE,
            "it knows no key that signed this, or a signature of one is not good ('x'); give",
        ),
        # What it answers, nobody has signed.
        ([HttpAnswer(422, b"x\n")], NOT_COMPLETE, f"{NOT_THIS}checkpoint: it answers 422"),
        ([HttpAnswer(409, b"9\n")], NOT_COMPLETE, f"{NINE}checkpoint: it answers 409"),
        ([HttpAnswer(409, b"9\n"), AWAY], NOT_COMPLETE, f"{NINE}checkpoint: Connection refused"),
        ([HttpAnswer(422, b"x\n"), HttpAnswer(200, b"x")], NOT_COMPLETE, f"{NOT_THIS}checkpoint: a note has a text"),
        ([HttpAnswer(422, b"x\n"), shown(EVENTS[:4])], NOT_COMPLETE, f"{NOT_THIS}other history than this"),
        ([HttpAnswer(422, b"x\n"), shown(OTHERS[:4], KEYS["c"])], NOT_COMPLETE, f"{NOT_THIS}checkpoint that this log"),
        ([HttpAnswer(409, b"9\n"), shown(OTHERS, LOG, "x/y")], NOT_COMPLETE, f"{NINE}checkpoint that this log has"),
        # Of another log that the policy trusts too.
        (
            [HttpAnswer(422, b"x\n"), shown(OTHERS[:4], KEYS["c"], ORIGIN, OTHER_LOG.name)],
            NOT_COMPLETE,
            f"{NOT_THIS}checkpoint that this log has signed",
        ),
        # By the key that this log had before.
        (
            [HttpAnswer(422, b"x\n"), shown(OTHERS[:4], RETIRED)],
            NOT_VERIFIED,
            "FORK: this log has signed another history of its",
        ),
        (
            [HttpAnswer(422, b"x\n"), shown(OTHERS[:4])],
            NOT_VERIFIED,
            "FORK: this log has signed another history of its",
        ),
        (
            [HttpAnswer(409, b"9\n"), shown(OTHERS[:5])],
            NOT_VERIFIED,
            "FORK: this log has signed another history of its",
        ),
        (
            [HttpAnswer(409, b"9\n"), shown(EVENTS)],
            NOT_VERIFIED,
            "FORK: this log has signed 9 records, and there are 5",
        ),
    ],
)
def test_only_what_the_log_itself_has_signed_proves_another_history_which_is_no_outage(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    answers: list[HttpAnswer | WitnessUnreachableError],
    code: int,
    stated: str,
) -> None:
    calls = ScriptedCalls(**dict.fromkeys("abc", answers))
    retired = NoteKey(ORIGIN, LOG_KEY, bytes(RETIRED.verify_key))
    with published(tmp_path, f"log {OTHER_LOG}\nlog {retired}\n{POLICY}", calls) as (tree, publisher):
        add(tree, 5)
        assert asyncio.run(publish_once(publisher)) == code
    assert "NOT ENOUGH witnesses cosigned it for this policy: 0 of 3 did; missing: a, b, c" in caplog.text
    why = "NO WITNESS is reached" if answers == [AWAY] else "NO WITNESS cosigns, and some answer"
    assert f"{why}: nobody vouches for what is written from now on" in caplog.text
    logged = [one for one in caplog.records if f"the witness b has not cosigned: {stated}" in one.getMessage()]
    assert [one.levelname for one in logged] == ["ERROR" if code == NOT_VERIFIED else "WARNING"]
    # The evidence is in the log, and nowhere else.
    assert caplog.text.count("what it shows, and this log has signed: 'feltwire/of-a-test") == 3 * (
        code == NOT_VERIFIED
    )


def test_a_witness_that_went_back_is_named_once_and_counted_whoever_knows_what_it_had_cosigned(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def backs(publisher: LogPublisher) -> dict[str, float]:
        found = {family.name: family for family in PublisherCollector(publisher).collect()}
        return {one.labels["witness"]: one.value for one in found["feltwire_witness_went_back"].samples}

    calls = ScriptedCalls(c=[AWAY])
    with published(tmp_path, POLICY, calls) as (tree, publisher):
        add(tree, 4)
        calls.answers |= {name: [good(tree, 4, name)] for name in "ab"}
        turn(publisher)
    # Another process finds it in the tree.
    with published(tmp_path, POLICY, calls) as (tree, publisher):
        add(tree, 6)
        calls.answers |= {"a": [HttpAnswer(409, b"3\n"), good(tree, 6, "a")], "b": [good(tree, 6, "b")]}
        calls.bodies.clear()
        turn(publisher)
        sent = sorted((name, AddCheckpoint.parse(body).old) for name, body in calls.bodies)
        assert sent == [("a", 3), ("a", 4), ("b", 4), ("c", 0)]
        assert publisher.witnesses["a"].size == 6
        add(tree, 8)
        calls.answers |= {"a": [HttpAnswer(409, b"0\n"), HttpAnswer(500, b"")], "b": [good(tree, 8, "b")]}
        for _ in range(2):
            calls.answers["a"].insert(0, HttpAnswer(409, b"0\n"))
            turn(publisher)
        assert backs(publisher) == {"a": 2, "b": 0, "c": 0}
    errors = [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]
    assert [one.partition(": its file")[0] for one in errors] == [
        "the witness a answers that it cosigned 3 records last, and this log has its cosignature of 4",
        "the witness a answers that it cosigned 0 records last, and this log has its cosignature of 6",
    ]


def test_what_enough_cosigned_is_kept_while_another_witness_is_slow_and_that_one_has_20_s_in_all(
    tmp_path: Path,
) -> None:
    clock = VirtualClock(0)
    kept: dict[int, int | None] = {}

    class SlowCalls(ScriptedCalls):
        async def post(self, url: str, body: bytes) -> HttpAnswer:
            if url == "http://c/add-checkpoint":
                await sleep_ns(8 * NS_PER_S)
                kept[clock.now_ns() // NS_PER_S] = size_of(tree, MET)
            return await super().post(url, body)

    calls = SlowCalls(c=[HttpAnswer(409, b"%d\n" % size) for size in (1, 2, 3, 4)])
    with published(tmp_path, POLICY, calls) as (tree, publisher):
        add(tree, 6)
        calls.answers |= {name: [good(tree, 6, name)] for name in "ab"}
        run_virtual(publisher.turn(), clock)
        assert clock.now_ns() == 20 * NS_PER_S
        assert kept == {8: 6, 16: 6}
        assert publisher.witnesses["c"].problem == "it is not reached: no answer within 20 s"


def test_a_witness_that_has_answered_is_reached_also_where_it_does_not_show_its_checkpoint_in_time(
    tmp_path: Path,
) -> None:
    clock = VirtualClock(0)

    class SlowCalls(ScriptedCalls):
        async def get(self, url: str) -> HttpAnswer:
            await sleep_ns(60 * NS_PER_S)
            return await super().get(url)

    calls = SlowCalls(a=[HttpAnswer(422, b"x\n")], b=[HttpAnswer(409, b"9\n")], c=[AWAY])
    with published(tmp_path, POLICY, calls) as (tree, publisher):
        add(tree, 5)
        run_virtual(publisher.turn(), clock)
        found = {name: (one.problem, one.is_reached) for name, one in publisher.witnesses.items()}
    late = "checkpoint: no answer within 20 s"
    assert found == {
        "a": (f"{NOT_THIS}{late}", True),
        "b": (f"{NINE}{late}", True),
        "c": ("it is not reached: Connection refused", False),
    }


def test_a_signature_in_the_name_of_a_witness_is_believed_only_where_it_is_good(tmp_path: Path) -> None:
    calls = ScriptedCalls(b=[AWAY], c=[AWAY])
    with published(tmp_path, POLICY, calls) as (tree, publisher):
        add(tree, 6)
        # Of another size, by the right key.
        calls.answers["a"] = [good(tree, 5, "a")]
        turn(publisher)
        assert publisher.witnesses["a"].problem == "it answers without a good signature of witness.test/a"
        assert len(tree.note(NEWEST).signatures) == 1  # type: ignore[union-attr]


def test_a_witness_that_names_another_size_each_time_is_asked_three_times_and_no_more(tmp_path: Path) -> None:
    sizes = [HttpAnswer(409, b"%d\n" % size) for size in (1, 2, 3, 4, 5)]
    calls = ScriptedCalls(a=sizes, b=[AWAY], c=[AWAY])
    with published(tmp_path, POLICY, calls) as (tree, publisher):
        add(tree, 6)
        turn(publisher)
        assert [name for name, _ in calls.bodies].count("a") == 3
        assert publisher.witnesses["a"].problem == "it names another size each time"


def test_a_witness_that_has_another_root_of_this_very_size_has_another_history(tmp_path: Path) -> None:
    """tlog-witness asks for 422 then, and before July 2026 it asked for 409."""
    other = shown(OTHERS[:6])
    calls = ScriptedCalls(
        a=[HttpAnswer(409, b"6\n"), HttpAnswer(409, b"6\n"), other],
        b=[HttpAnswer(409, b"6\n"), HttpAnswer(422, b"two roots\n"), other],
        c=[HttpAnswer(409, b"4\n")],
    )
    with published(tmp_path, POLICY, calls) as (tree, publisher):
        add(tree, 6)
        turn(publisher)
        olds = [(name, AddCheckpoint.parse(body).old) for name, body in calls.bodies if body]
        assert sorted(olds) == [("a", 0), ("a", 6), ("b", 0), ("b", 6), ("c", 0), ("c", 4), ("c", 4)]
        problems = {name: one.problem for name, one in publisher.witnesses.items()}
        assert problems == {
            "a": "FORK: this log has signed another history of its first 6 records",
            "b": "FORK: this log has signed another history of its first 6 records",
            # Of a smaller size this shows no history at all.
            "c": "it names another size each time",
        }


def test_after_a_change_of_the_key_the_newest_is_signed_again(tmp_path: Path) -> None:
    with published(tmp_path) as (tree, publisher):
        add(tree, 3)
        before = tree.checkpoint(3).sign(SigningKey(b"x" * 32))
        tree.keep(NEWEST, before)
        turn(publisher)
        assert tree.note(NEWEST) == tree.note(MET) != before
        assert isinstance(tree.note(NEWEST), SignedNote)


@pytest.mark.parametrize(
    ("policy", "stated"),
    [
        ("quorum none\n", "by the log's key alone: no witness is asked for"),
        (POLICY.replace("quorum enough", "quorum none"), "and cosigned by a: no witness is asked for"),
        (POLICY.replace("group enough 2", "group enough 1"), "and cosigned by a: enough for the policy"),
    ],
)
def test_that_no_witness_is_asked_for_is_stated(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, policy: str, stated: str
) -> None:
    calls = ScriptedCalls(b=[AWAY], c=[AWAY])
    with published(tmp_path, policy, calls) as (tree, publisher), caplog.at_level(logging.INFO):
        add(tree, 3)
        calls.answers["a"] = [good(tree, 3, "a")]
        turn(publisher)
    assert caplog.records[-1].getMessage() == f"3 records signed, {stated}"


@pytest.mark.parametrize("failing", ["_catch_up", "keep"])
def test_while_nothing_is_signed_a_metric_states_it_whatever_step_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def stopped(publisher: LogPublisher) -> float:
        found = {family.name: family for family in PublisherCollector(publisher).collect()}
        return found["feltwire_log_stopped"].samples[0].value

    def fail(*_: object) -> NoReturn:
        raise JournalError(tree.path, "the disk is full", "free space")

    with published(tmp_path) as (tree, publisher):
        add(tree, 3)
        turn(publisher)
        assert stopped(publisher) == 0
        add(tree, 5)
        with monkeypatch.context() as patch:
            target: object = publisher if failing == "_catch_up" else tree
            patch.setattr(target, failing, fail)
            with pytest.raises(JournalError):
                turn(publisher)
        # Neither size nor what is cosigned has moved: those alone would look well.
        assert (publisher.size, publisher.met, stopped(publisher)) == (3, 3, 1)
        assert PublisherProbes(publisher).ready(None).problems
        turn(publisher)
        assert (publisher.size, stopped(publisher)) == (5, 0)
