"""Proofs that whoever has the log's key may craft, with a root made to fit: every verifier answers alike.

`CASES` is held against `journal check` and the Python of the page here, and in `tests/browser` against the page.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from hashlib import sha256, sha512
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from nacl.signing import SigningKey

from audit.transparency.checkpoints import PROOF_BEGIN, cosign
from audit.transparency.notes import (
    ML_DSA_KEY,
    WITNESS_KEY,
    NoteKey,
    NoteSignature,
    SignedNote,
    encode_base64,
    sign_text,
)
from audit.transparency.tree import inclusion_proof, leaf_hash, node_hash
from command_line.exit_codes import NOT_COMPLETE, NOT_VERIFIED
from controller.cli import main
from tests.fakes.witnessing import LOG, LOG_NOTE_KEY, ORIGIN, TIME_S, grown

PAGE = Path(__file__).resolve().parents[4] / "docs" / "witness.md"
WITNESS = SigningKey(b"w" * 32)
WITNESS_NOTE_KEY = NoteKey("witness.test/w", WITNESS_KEY, bytes(WITNESS.verify_key))
POLICY = f"log {LOG_NOTE_KEY}\nwitness w {WITNESS_NOTE_KEY}\nquorum w\n"


def event(number: int, result: str = "pocket 5, red") -> bytes:
    return json.dumps({"id": f"wheel-1.a.{number}", "data": {"round": number, "result": result}}).encode()


class CraftedProof(NamedTuple):
    """A proof of an event, and whether a verifier may take it."""

    name: str
    event: str
    proof: str
    is_good: bool


def noted(text: str, time_s: int = TIME_S, more: str = "") -> str:
    """A text that the log signed, and the witness cosigned."""
    signatures = sign_text(text, ORIGIN, LOG), cosign(text, WITNESS_NOTE_KEY.name, WITNESS, time_s)
    return f"{SignedNote(text, signatures)}{more}"


def fitted(body: bytes, index: int, size: int, hashes: list[bytes]) -> bytes:
    """The root to which hashes lead, of whatever length and however many they are."""
    found, place, last = leaf_hash(body), index, size - 1
    for beside in hashes:
        is_before = place % 2 == 1 or place == last
        found = node_hash(beside, found) if is_before else node_hash(found, beside)
        while is_before and place and not place % 2:
            place, last = place // 2, last // 2
        place, last = place // 2, last // 2
    return found


def proof_of(index: int | str, hashes: list[bytes], note: str, extra: str = "") -> str:
    lines = [f"index {index}", *map(encode_base64, hashes)]
    return PROOF_BEGIN + extra + "\n".join(lines) + f"\n\n{note}"


def crafted(
    index: int, size: int, hashes: list[bytes], written: str = "", time_s: int = TIME_S, more: str = "", extra: str = ""
) -> str:
    root = encode_base64(fitted(event(index), index, size, hashes))
    note = noted(f"{ORIGIN}\n{size}\n{root}\n", time_s, more)
    return proof_of(written or index, hashes, note, extra)


def ways(count: int) -> list[bytes]:
    return [sha256(b"%d" % number).digest() for number in range(count)]


def _of_trees() -> Iterator[tuple[str, int, str, bool]]:
    for index, size in ((0, 1), (0, 2), (2, 3), (4, 5), (5, 7), (6, 7)):
        tree = grown([event(number) for number in range(size)])
        yield f"leaf {index} of {size}", index, crafted(index, size, inclusion_proof(index, size, tree.node)), True
    # What no file holds, and a number of JavaScript does not either.
    yield "the largest tree", 0, crafted(0, 2**63 - 1, ways(63)), True
    yield "a leaf beyond 2^53", 2**53 + 1, crafted(2**53 + 1, 2**53 + 2, ways(2)), True
    yield "a larger tree", 0, crafted(0, 2**63, ways(63)), False
    yield "64 hashes", 0, crafted(0, 2**63 + 1, ways(64)), False


def _of_hashes() -> Iterator[tuple[str, int, str, bool]]:
    one, two, three = ways(3)
    # A tree of 4, whose left node has the 64 bytes under another tree's root.
    yield "a left node of 64 bytes", 2, crafted(2, 4, [one, two + three]), False
    for length in (0, 1, 31, 33, 64, 96):
        yield f"a sibling of {length} bytes", 0, crafted(0, 2, [bytes(length)]), False
        yield f"a last node of {length} bytes", 2, crafted(2, 4, [one, bytes(length)]), False
    random = Random(1)
    for number in range(12):
        size = random.randint(2, 40)
        index = random.randrange(size)
        tree = grown([event(each) for each in range(size)])
        hashes = inclusion_proof(index, size, tree.node)
        at, cut = random.randrange(len(hashes)), random.choice([*range(1, 32)])
        split = [*hashes[:at], hashes[at][:cut], hashes[at][cut:], *hashes[at + 1 :]]
        moved = [*hashes[:at], hashes[at][:cut], *hashes[at + 1 :]]
        joined = [*hashes[: at // 2], b"".join(hashes[at // 2 : at + 1]) + one, *hashes[at + 1 :]]
        for what, made in (("split", split), ("shortened", moved), ("joined", joined)):
            yield (
                f"hash {at} of leaf {index} of {size} {what} at {cut} ({number})",
                index,
                crafted(index, size, made),
                False,
            )
    # A leaf in place of a subtree of two: both are leaf 0 of a tree of 2, unless the number of hashes is counted.
    yield "a hash more", 0, crafted(0, 2, [one, two]), False
    yield "a hash more, of the last leaf", 2, crafted(2, 3, [one, two]), False
    yield "a hash for a tree of one", 0, crafted(0, 1, [one]), False
    yield "a hash less", 0, crafted(0, 4, [one]), False
    yield "no hash", 1, crafted(1, 3, []), False
    whole = crafted(1, 2, [one])
    for what, put in (("not as it is written", encode_base64(one)[:-2] + "9="), ("not base64", "!" * 44)):
        assert put != encode_base64(one)
        yield f"a hash {what}", 1, whole.replace(encode_base64(one), put), False
    yield "no line end after the last hash", 1, whole.replace("=\n\n", "=\n", 1), False


def _of_numbers() -> Iterator[tuple[str, int, str, bool]]:
    one, two, three = ways(3)
    for index, size, hashes in ((3, 3, [one, two]), (5, 3, [one, two, three]), (2**63 - 1, 3, [one, two]), (1, 0, [])):
        yield f"leaf {index} of {size}", index, crafted(index, size, hashes), False
    for written in ("01", "+1", "-1", " 1", "1 ", "1_", "\u0661", "1\r", "0x1", "1.0", "", "9223372036854775808"):
        yield f"index {written!a}", 1, crafted(1, 2, [one], written or " "), False
    for written in ("02", "+2", "-2", " 2", "2_0", "\u0662", "9223372036854775808"):
        text = f"{ORIGIN}\n{written}\n{encode_base64(fitted(event(1), 1, 2, [one]))}\n"
        yield f"size {written!a}", 1, proof_of(1, [one], noted(text)), False
    for time_s, is_good in (
        *((0, False), (1, True), (2**36 - 1, True), (2**36, True), (9 * 10**12, True)),
        *((2**63 - 1, True), (2**63, False), (2**64 - 1, False)),
    ):
        yield f"cosigned at {time_s}", 1, crafted(1, 2, [one], time_s=time_s), is_good


ED25519_ORDER = 2**252 + 27742317777372353535851937790883648493
IDENTITY = bytes([1, *bytes(31)])
"""The point of Ed25519 whose multiples are itself, as a key or as a signature's R."""


def of_no_point(text: str) -> NoteSignature:
    """What the log's key may make by itself: a signature whose R is the identity."""
    secret = int.from_bytes(sha512(bytes(LOG)).digest()[:32], "little") & ~7 & ~(3 << 254) | 1 << 254
    number = int.from_bytes(sha512(IDENTITY + LOG_NOTE_KEY.public + text.encode()).digest(), "little")
    proof = number * secret % ED25519_ORDER
    return NoteSignature(ORIGIN, LOG_NOTE_KEY.id, IDENTITY + proof.to_bytes(32, "little"))


def _of_notes() -> Iterator[tuple[str, int, str, bool]]:
    (one,) = ways(1)
    found = fitted(event(1), 1, 2, [one])
    root = encode_base64(found)
    two = f"\n2\n{root}\n"
    begun = len(f"{noted(f'{ORIGIN}{two}')}—  AAAAAAAA\n".encode())
    for what, text in (
        ("a root of 31 bytes", f"{ORIGIN}\n2\n{encode_base64(found[:31])}\n"),
        ("a root of 64 bytes", f"{ORIGIN}\n2\n{encode_base64(found * 2)}\n"),
        ("a root that is not as it is written", f"{ORIGIN}\n2\n{root[:-2]}{chr(ord(root[-2]) + 1)}=\n"),
        ("an empty line", f"{ORIGIN}\n2\n{root}\n\nmore\n"),
        ("no root", f"{ORIGIN}\n2\n"),
        ("a control character", f"{ORIGIN}\n2\n{root}\nmo\tre\n"),
        ("another origin", f"feltwire/other\n2\n{root}\n"),
    ):
        yield what, 1, proof_of(1, [one], noted(text)), False
    yield "a line more", 1, proof_of(1, [one], noted(f"{ORIGIN}\n2\n{root}\nmore\n")), True
    for what, is_good, more in (
        ("of an unknown key", True, "— a AAAAAAAA\n"),
        *(
            (f"of the name {name!a}", True, f"— {name} AAAAAAAA\n")
            for name in ("x\u00ady", "x\u200dy", "\U0001fae8.y", "a\u0378")
        ),
        *(
            (f"of the name {name!a}", False, f"— {name} AAAAAAAA\n")
            for name in ("x\u2003y", "x\u0085y", "x\0y", "x+y", "x y", "")
        ),
        # In a page, whatever is not UTF-8 has become that.
        ("of the name '\\ufffd'", False, "— x\ufffdy AAAAAAAA\n"),
        ("of no bytes", False, "— a \n"),
        ("of 3 bytes", False, "— a AAAA\n"),
        ("of 4 bytes, which name the key alone", False, "— a AAAAAA==\n"),
        ("of 5 bytes", True, "— a AAAAAAA=\n"),
        *(
            (f"of a name with which the note has {note} bytes", note <= 131_072, f"— {'a' * (note - begun)} AAAAAAAA\n")
            for note in (131_072, 131_073)
        ),
        ("not as it is written", False, "— a AAAAAAB=\n"),
        ("not base64", False, "— a ????????\n"),
        ("without a dash", False, "- a AAAAAAAA\n"),
        ("without a line end", False, "— a AAAAAAAA"),
        ("and an empty line", False, "— a AAAAAAAA\n\n"),
        ("with a line end of Windows", False, "— a AAAAAAAA\r\n"),
        ("as 62 more", True, "— a AAAAAAAA\n" * 62),
        ("as 63 more", False, "— a AAAAAAAA\n" * 63),
        ("of 14 keys of 4,627 bytes", True, f"{NoteSignature('pq.test/a', b'abcd', bytes(4627))}" * 14),
        ("of the log, again", True, f"{sign_text(f'{ORIGIN}{two}', ORIGIN, LOG)}"),
        ("of the log, of no point", False, f"{of_no_point(f'{ORIGIN}{two}')}"),
        ("of the log, wrong", False, f"{NoteSignature(ORIGIN, LOG_NOTE_KEY.id, bytes(64))}"),
        ("of the witness, wrong", False, f"{NoteSignature(WITNESS_NOTE_KEY.name, WITNESS_NOTE_KEY.id, bytes(72))}"),
        ("of the witness, short", False, f"{NoteSignature(WITNESS_NOTE_KEY.name, WITNESS_NOTE_KEY.id, bytes(3))}"),
    ):
        yield f"a signature {what}", 1, crafted(1, 2, [one], more=more), is_good
    for extra, is_good in ((encode_base64(b"age-v1"), True), ("", True), ("!", False), ("AAA", False), ("AB==", False)):
        yield f"extra {extra}", 1, crafted(1, 2, [one], extra=f"extra {extra}\n"), is_good
    whole = crafted(1, 2, [one])
    for what, made in (
        ("another begin", whole.replace("@v1", "@v2", 1)),
        ("a line before it", f"\n{whole}"),
        ("line ends of Windows", whole.replace("\n", "\r\n")),
        ("extra twice", whole.replace("index", "extra AAAA\nextra AAAA\nindex", 1)),
        ("no note", whole.partition("\n\n")[0]),
    ):
        yield what, 1, made, False


CASES = [
    CraftedProof(name, event(number).decode(), proof, is_good)
    for cases in (_of_trees, _of_hashes, _of_numbers, _of_notes)
    for name, number, proof, is_good in cases()
]


def python_of_page() -> str:
    """The program on the page, as it is there."""
    (code,) = re.findall(r"<!-- check\.py -->\n```python\n(.*?)```\n<!-- end -->", PAGE.read_text(), re.DOTALL)
    assert len(code.splitlines()) <= 60
    return str(code)


def run_python(words: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """Runs it; why it verifies nothing, or nothing."""
    monkeypatch.setattr(sys, "argv", ["check.py", *words])
    try:
        exec(compile(python_of_page(), "check.py", "exec"), {"__name__": "__main__"})
    except SystemExit as end:
        return str(end.code)
    return ""


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_the_command_and_the_python_of_the_page_take_no_crafted_proof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    body, proof, policy = (tmp_path / name for name in ("proof.event", "proof", "policy"))
    policy.write_text(POLICY)
    words = [str(body), str(proof), str(LOG_NOTE_KEY), "1", str(WITNESS_NOTE_KEY)]
    wrong = []
    for case in CASES:
        body.write_bytes(case.event.encode())
        proof.write_bytes(case.proof.encode())
        called = CliRunner().invoke(main, ["journal", "check", str(proof), "--policy", str(policy)])
        assert called.exit_code in (0, NOT_VERIFIED), (case.name, called.output)
        said = run_python(words, monkeypatch)
        shown = capsys.readouterr().out
        assert said.startswith("NOT VERIFIED: ") != ("\nverified" in shown), (case.name, said)
        if (called.exit_code == 0, not said) != (case.is_good, case.is_good):
            wrong.append((case.name, called.output, said))
    # Bytes that are no text.
    proof.write_bytes(crafted(1, 2, ways(1), more="— xy AAAAAAAA\n").encode().replace(b"xy", b"x\xff"))
    body.write_bytes(event(1))
    called = CliRunner().invoke(main, ["journal", "check", str(proof), "--policy", str(policy)])
    if (called.exit_code, run_python(words, monkeypatch)) != (NOT_VERIFIED, "NOT VERIFIED: this is not a proof"):
        wrong.append(("no UTF-8", called.output, ""))
    assert wrong == []


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_what_nobody_signed_is_in_one_line_with_a_label_before_the_event_that_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    body, proof = tmp_path / "proof.event", tmp_path / "proof"
    body.write_bytes(event(1))
    words = [str(body), str(proof), str(LOG_NOTE_KEY), "1", str(WITNESS_NOTE_KEY)]
    forged = event(1, "pocket 20, black").decode()
    label = "NOT SIGNED, from whoever made the proof: "
    for extra, note in (
        (forged, None),
        (json.dumps({"note": forged}), forged),
        (json.dumps({"note": f"\x1b[2J\n{forged}"}), f"\x1b[2J\n{forged}"),
        ("age-v1", None),
        ("{", None),
        ("[]", None),
        ("1", None),
        ("[" * 100_000, None),
        ("\udc80", None),
    ):
        line = f"extra {encode_base64(extra.encode(errors='surrogateescape'))}\n"
        proof.write_text(crafted(1, 2, ways(1), extra=line))
        assert run_python(words, monkeypatch) == ""
        *lines, last = capsys.readouterr().out.splitlines()
        assert last.startswith("verified, see the note above, cosigned" if note else "verified, cosigned")
        if note:
            assert lines.pop(0) == label + json.dumps(note)
        assert json.loads("\n".join(lines)) == json.loads(event(1))


def test_a_policy_is_read_by_its_bytes_and_who_never_counts_in_it_is_named(tmp_path: Path) -> None:
    body, proof, policy = (tmp_path / name for name in ("proof.event", "proof", "policy"))
    body.write_bytes(event(1))
    proof.write_text(crafted(1, 2, ways(1)))
    unread = f"witness pq {NoteKey('pq.test/w', ML_DSA_KEY, bytes(1312))}"
    for text, code, said in (
        (POLICY, 0, "verified"),
        (POLICY.replace("quorum", "# the quorum is below\rquorum"), 2, "line 3: it has the control character '\\r'"),
        (POLICY.replace("\n", "\r\n"), 2, "line 1: it has the control character '\\r'"),
        (f"{unread}\n{POLICY}", 0, "the witness pq (pq.test/w) never counts"),
        (f"{unread}\n{POLICY.replace('quorum w', 'group g 2 w pq')}quorum g\n", NOT_COMPLETE, "never counts"),
    ):
        policy.write_bytes(text.encode())
        called = CliRunner().invoke(main, ["journal", "check", str(proof), "--policy", str(policy)])
        assert called.exit_code == code, called.output
        assert said in " ".join(called.output.split())
