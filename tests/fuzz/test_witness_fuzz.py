"""Whatever is sent to a witness, to a log or to a verifier, is read or refused with what is wrong, and never more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from audit.transparency.checkpoints import AddCheckpoint, Checkpoint, InclusionProof, is_signed
from audit.transparency.notes import NoteError, NoteKey, SignedNote, decode_signatures
from audit.transparency.policy import PolicyError, WitnessPolicy
from audit.transparency.publishing import HttpAnswer, NotCosigned, OtherHistory, OtherSize, read_witness_answer
from audit.transparency.tree import TreeProofError
from audit.transparency.witness import SubmittedCheckpoint, WitnessRefusal, read_submission, refuse_growth
from tests.fakes.witnessing import LOG_NOTE_KEY, LOGS, bodies_of, checkpoint_of, grown, submission

TREE = grown(bodies_of("event", 20))
REQUEST = submission(TREE.node, 7, 20)
BODY = REQUEST.encode()
PROOF = str(InclusionProof(3, REQUEST.proof, REQUEST.note)).encode()
LINES = st.sampled_from(
    [*BODY.split(b"\n"), *PROOF.split(b"\n"), b"", b"old 0", b"index 0", "— a b".encode(), b"extra AA=="]
)
GARBAGE = st.one_of(
    st.binary(max_size=300),
    st.text(max_size=200).map(str.encode),
    st.lists(LINES, max_size=14).map(b"\n".join),
)


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """What was whole, with a few bytes changed, put in or taken out."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 2))] = draw(st.binary(max_size=2))
    return bytes(data)


@given(st.one_of(GARBAGE, damaged(BODY)), st.integers(0, 30))
def test_a_body_is_refused_by_a_status_or_is_the_checkpoint_that_the_log_signed(body: bytes, size: int) -> None:
    read = read_submission(body, LOGS)
    if isinstance(read, WitnessRefusal):
        assert read.status in (400, 403, 404)
        return
    assert isinstance(read, SubmittedCheckpoint)
    # No key signed any other: what is left to change is the proof, the old size and lines of other keys.
    assert read.note == REQUEST.note
    refusal = refuse_growth(read, checkpoint_of(TREE.node, min(size, 20)))
    assert refusal is None or refusal.status in (400, 409, 422)


def _request_again(data: bytes) -> bytes:
    return AddCheckpoint.parse(data).encode()


def _note_again(data: bytes) -> bytes:
    return str(SignedNote.parse(data)).encode()


def _lines_again(data: bytes) -> bytes:
    return "".join(map(str, decode_signatures(data))).encode()


@given(st.one_of(GARBAGE, damaged(BODY), damaged(PROOF)))
def test_every_reader_returns_what_it_writes_again_or_names_what_is_wrong(data: bytes) -> None:
    for again in (_request_again, _note_again, _lines_again):
        try:
            assert again(data) == data
        except NoteError as error:
            assert str(error).isprintable()
    try:
        proof = InclusionProof.parse(data)
        assert InclusionProof.parse(str(proof).encode()) == proof
        assert not proof.has(b"an event that is in no tree")
        if not is_signed(proof.note, LOG_NOTE_KEY):
            assert proof.note != REQUEST.note
    except (NoteError, TreeProofError) as error:
        assert str(error).isprintable()


@given(st.text(max_size=120))
def test_a_key_or_a_checkpoint_is_written_as_it_was_read_or_refused(text: str) -> None:
    for read in (NoteKey.parse, Checkpoint.parse):
        try:
            assert str(read(text)) == text
        except NoteError as error:
            assert str(error).isprintable()


POLICY_WORDS = st.sampled_from(
    [
        "log",
        "witness",
        "group",
        "quorum",
        "any",
        "all",
        "none",
        "1",
        "2",
        "a",
        "b",
        str(LOG_NOTE_KEY),
        "http://x",
        "#",
        "\t",
    ]
)


@given(st.lists(st.lists(POLICY_WORDS, max_size=6).map(" ".join), max_size=6).map("\n".join) | st.text(max_size=80))
def test_a_policy_is_read_or_refused_with_its_line(text: str) -> None:
    try:
        policy = WitnessPolicy.parse(text)
    except PolicyError as error:
        assert str(error).startswith(("line ", "it has no quorum"))
    else:
        assert not policy.is_met(()) or policy.quorum == "none"


@given(st.integers(100, 599), GARBAGE)
def test_an_answer_without_a_good_cosignature_is_never_taken_for_one(status: int, body: bytes) -> None:
    key = NoteKey("witness.test/a", 4, bytes(range(32)))
    answer = read_witness_answer(HttpAnswer(status, body), REQUEST.note, key)
    assert isinstance(answer, (NotCosigned, OtherHistory, OtherSize))
    if isinstance(answer, OtherSize):
        assert status == 409
        assert answer.size >= 0
    elif isinstance(answer, OtherHistory):
        assert status == 422
        assert answer.claim.isprintable()
    else:
        assert answer.why.isprintable()
