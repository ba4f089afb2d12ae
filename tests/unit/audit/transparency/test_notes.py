"""Signed notes: the example of the standard, and what is not one."""

from __future__ import annotations

import pytest

from audit.transparency.checkpoints import Checkpoint, InclusionProof, cosign, cosigned_at, is_signed
from audit.transparency.notes import LOG_KEY, WITNESS_KEY, NoteError, NoteKey, NoteSignature, SignedNote
from tests.fakes.witnessing import LOG, ORIGIN, TIME_S

# C2SP signed-note, "Example".
STANDARD_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
STANDARD_NOTE = (
    "This is an example message.\n\n"
    "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n"
)
# C2SP tlog-checkpoint and tlog-cosignature, their examples: whose keys they are is not stated.
STANDARD_CHECKPOINT = (
    "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
    "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE"
    "+xeMcTOAYQ8=\n"
    "— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe"
    "+mbIUBkBIfZ+qnA==\n"
)


def test_the_note_of_the_standard_is_signed_by_its_key() -> None:
    key, note = NoteKey.parse(STANDARD_KEY), SignedNote.parse(STANDARD_NOTE.encode())
    assert is_signed(note, key)
    assert str(key) == STANDARD_KEY
    assert str(note) == STANDARD_NOTE
    assert not is_signed(note._replace(text="This is another message.\n"), key)
    assert not is_signed(note, key._replace(name="example.com/bar"))


def test_the_checkpoint_of_the_standard_is_read_with_the_time_of_its_cosignature() -> None:
    note = SignedNote.parse(STANDARD_CHECKPOINT.encode())
    assert str(note) == STANDARD_CHECKPOINT
    checkpoint = Checkpoint.parse(note.text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert int.from_bytes(note.signatures[1].signature[:8], "big") == 1679315147


def test_a_cosignature_signs_the_time_and_the_whole_text() -> None:
    text = str(Checkpoint(ORIGIN, 5, b"r" * 32)) + "an extension\n"
    signature = cosign(text, "witness.test/a", LOG, TIME_S)
    key = NoteKey("witness.test/a", WITNESS_KEY, bytes(LOG.verify_key))
    assert cosigned_at(text, signature, key) == TIME_S
    assert cosigned_at(text.replace("extension", "intention"), signature, key) is None
    # The key signs as a log as well: neither signature is good for the other.
    log = NoteKey("witness.test/a", LOG_KEY, bytes(LOG.verify_key))
    assert log.id != key.id
    assert not is_signed(SignedNote(text, (signature._replace(id=log.id),)), log)
    # A checkpoint is cosigned at a time.
    assert cosigned_at(text, cosign(text, "witness.test/a", LOG, 0), key) is None


NOTE = str(Checkpoint(ORIGIN, 5, b"r" * 32).sign(LOG))


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "it has no empty line"),
        (b"text\n\n", "expected 1 to 64 lines of signatures"),
        (b"text\n\n- a AAAAAAAA\n", "is not a line of a signature"),
        ("text\n\n— a AAAA\n".encode(), "the signature of 'a' is too short"),
        ("text\n\n— a AAAAAA==\n".encode(), "the signature of 'a' is too short"),
        ("text\n\n— a AAAAAAB=\n".encode(), "is not base64 as it is written"),
        ("text\n\n— a+b AAAAAAAA\n".encode(), "is not a line of a signature"),
        ("text\n\n— a\u2003b AAAAAAAA\n".encode(), "is not a line of a signature"),
        (b"te\rxt\n\nx\n", "it has a control character"),
        (b"te\xffxt\n\nx\n", "it is not UTF-8"),
        (b"x" * 131_073, "it is longer than 131072 bytes"),
        (("text\n\n" + "— a AAAAAAAA\n" * 65).encode(), "expected 1 to 64 lines"),
    ],
)
def test_what_is_no_note_is_named(data: bytes, what: str) -> None:
    with pytest.raises(NoteError) as refused:
        SignedNote.parse(data)
    assert what in str(refused.value)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("a\n5\n", "at least three lines"),
        ("a\n\n5\n", "none is empty"),
        ("a\n05\nAAAA\n", "is not a number without zeros in front"),
        ("a\n-5\nAAAA\n", "is not a number"),
        ("a\n9223372036854775808\nAAAA\n", "is not a number"),
        ("a\n5\nAAAA\n", "is not a hash of 32 bytes"),
    ],
)
def test_what_is_no_checkpoint_is_named(text: str, what: str) -> None:
    with pytest.raises(NoteError) as refused:
        Checkpoint.parse(text)
    assert what in str(refused.value)


@pytest.mark.parametrize(
    ("begin", "what"),
    [
        ("", 'expected "c2sp.org/tlog-proof@v1"'),
        ("c2sp.org/tlog-proof@v2\nindex 1\n\n", 'expected "c2sp.org/tlog-proof@v1"'),
        ("c2sp.org/tlog-proof@v1\nindex 01\n\n", "is not a number without zeros"),
        ("c2sp.org/tlog-proof@v1\nindex 1\nAAAA\n\n", "is not a hash of 32 bytes"),
        ("c2sp.org/tlog-proof@v1\nextra !\nindex 1\n\n", "is not base64"),
        ("c2sp.org/tlog-proof@v1\nindex 1\n" + ("A" * 43 + "=\n") * 64 + "\n", "more than 63 hashes"),
    ],
)
def test_what_is_no_proof_is_named(begin: str, what: str) -> None:
    with pytest.raises(NoteError) as refused:
        InclusionProof.parse((begin + NOTE).encode())
    assert what in str(refused.value)


def test_signatures_of_unknown_keys_are_read_whatever_they_are_called_and_16_of_the_largest() -> None:
    """C2SP signed-note: no spaces, no plus and no ASCII control character; at least 16 signatures of nearly 5 kB."""
    names = ["x\u00ady", "x\u200dy", "\U0001fae8.example", "a\u0378", *(f"pq.example/{number}" for number in range(11))]
    added = [NoteSignature(name, b"abcd", bytes(4627)) for name in names]
    read = SignedNote.parse((NOTE + "".join(map(str, added))).encode())
    assert [one.name for one in read.signatures] == [ORIGIN, *names]
    # A name that somebody chooses or trusts can be read.
    for name in names[:4]:
        with pytest.raises(NoteError, match="is not the name of a key"):
            NoteKey.parse(str(NoteKey(name, LOG_KEY, bytes(LOG.verify_key))))


def test_extra_data_of_a_proof_is_kept_and_proves_nothing() -> None:
    plain = f"c2sp.org/tlog-proof@v1\nindex 1\n\n{NOTE}"
    more = plain.replace("index", "extra AAAA\nindex")
    read = InclusionProof.parse(more.encode())
    assert read.extra == bytes(3)
    assert str(read) == more
    assert str(read._replace(extra=b"")) == plain
