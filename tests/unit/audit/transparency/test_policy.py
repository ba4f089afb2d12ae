"""Policies: how many of which witnesses, and journals that were forked between them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from random import Random

import pytest
from nacl.signing import SigningKey

from audit.transparency.checkpoints import Checkpoint, cosign
from audit.transparency.comparing import check_note, forks_of_log
from audit.transparency.notes import (
    LOG_KEY,
    ML_DSA_KEY,
    WITNESS_KEY,
    NoteError,
    NoteKey,
    NoteSignature,
    SignedNote,
    encode_base64,
    sign_text,
)
from audit.transparency.policy import (
    CheckedCheckpoint,
    GrowthCheck,
    HistoryFork,
    PolicyError,
    WitnessPolicy,
    forks_between,
)
from audit.transparency.publishing import HttpAnswer, WitnessUnreachableError
from audit.transparency.tree import HASH_BYTES, GrownTree, TreeProofError, check_growth, consistency_proof, node_hash
from audit.transparency.witness import SubmittedCheckpoint, refuse_growth
from tests.fakes.witnessing import LOG, LOG_NOTE_KEY, ORIGIN, TIME_S, ScriptedCalls, bodies_of, checkpoint_of, grown

KEYS = {name: SigningKey(name.encode() * 32) for name in "abcdefg"}
PUBLIC = {name: NoteKey(f"witness.test/{name}", WITNESS_KEY, bytes(key.verify_key)) for name, key in KEYS.items()}


ML_DSA = NoteKey("witness.test/pq", ML_DSA_KEY, bytes(range(32)) * 41)


def policy(text: str) -> WitnessPolicy:
    return WitnessPolicy.parse(text)


def of(least: int, *names: str) -> WitnessPolicy:
    lines = [f"log {LOG_NOTE_KEY}", *(f"witness {name} {PUBLIC[name]}" for name in names)]
    return policy("\n".join([*lines, f"group enough {least} {' '.join(names)}", "quorum enough"]))


def cosigned(checkpoint: Checkpoint, *names: str) -> SignedNote:
    note = checkpoint.sign(LOG)
    signatures = [cosign(note.text, PUBLIC[name].name, KEYS[name], TIME_S) for name in names]
    return SignedNote(note.text, (*note.signatures, *signatures))


CHECKPOINT = checkpoint_of(grown(bodies_of("event", 5)).node, 5)


def test_a_quorum_counts_each_witness_once_and_groups_of_groups() -> None:
    three = of(2, "a", "b", "c")
    assert not three.check(cosigned(CHECKPOINT, "a")).met
    assert not three.check(cosigned(CHECKPOINT, "a", "a")).met
    assert not three.check(cosigned(CHECKPOINT, "a", "d")).met
    assert three.check(cosigned(CHECKPOINT, "c", "a")).met
    lines = [f"witness {name} {PUBLIC[name]}" for name in "abcd"]
    both = policy(
        "\n".join([f"log {LOG_NOTE_KEY}", *lines, "group x any a b", "group y all c d", "group z all x y", "quorum z"])
    )
    assert both.check(cosigned(CHECKPOINT, "b", "c", "d")).met
    assert not both.check(cosigned(CHECKPOINT, "a", "b", "c")).met
    assert policy(f"log {LOG_NOTE_KEY}\nquorum none").check(cosigned(CHECKPOINT)).met


def test_a_witness_that_signs_with_ml_dsa_is_named_and_never_counts() -> None:
    lines = f"log {LOG_NOTE_KEY}\nwitness a {PUBLIC['a']}\nwitness pq {ML_DSA} https://pq.test/\n"
    note = cosigned(CHECKPOINT, "a")
    by_both = SignedNote(note.text, (*note.signatures, NoteSignature(ML_DSA.name, ML_DSA.id, bytes(2428))))
    for rule, is_met in (("group g any a pq", True), ("group g all a pq", False), ("group g any pq", False)):
        read = policy(f"{lines}{rule}\nquorum g")
        assert (read.uncounted, [*read.witnesses]) == ({"pq": ML_DSA}, ["a"])
        for each in (note, by_both):
            checked = read.check(each)
            assert (checked.met, [*checked.cosigned]) == (is_met, ["a"])
    assert not policy(f"{lines}quorum pq").check(by_both).met


def test_what_enough_witnesses_have_signed_is_the_size_that_each_of_them_reached() -> None:
    lines = [f"witness {name} {NoteKey(name, WITNESS_KEY, name.encode() * 32)}" for name in "abc"]
    policy = WitnessPolicy.parse("\n".join([*lines, "group two 2 a b c", "quorum two"]))

    def cosigned(size: int, *names: str) -> CheckedCheckpoint:
        return CheckedCheckpoint(Checkpoint(ORIGIN, size, bytes(32)), dict.fromkeys(names, TIME_S), met=False)

    assert policy.size_met([]) == policy.size_met([cosigned(9, "a")]) == 0
    assert policy.size_met([cosigned(9, "a"), cosigned(7, "b"), cosigned(5, "c")]) == 7
    assert policy.size_met([cosigned(9, "a"), cosigned(9), cosigned(4, "a", "b")]) == 4


def test_a_checkpoint_that_no_trusted_log_signed_or_with_a_bad_cosignature_is_refused() -> None:
    with pytest.raises(NoteError, match="no trusted key of the log"):
        policy("quorum none").check(cosigned(CHECKPOINT))
    assert policy("quorum none").check(cosigned(CHECKPOINT), LOG_NOTE_KEY).met
    with pytest.raises(NoteError, match="no trusted key of the log"):
        of(1, "a").check(CHECKPOINT._replace(origin="feltwire/other").sign(LOG))
    # A log that is trusted vouches for itself alone.
    text = str(CHECKPOINT._replace(origin="feltwire/other"))
    with pytest.raises(NoteError, match="no trusted key of the log"):
        of(1, "a").check(SignedNote(text, (sign_text(text, ORIGIN, LOG),)))
    good = cosigned(CHECKPOINT, "a")
    late = good.signatures[1]._replace(signature=(TIME_S + 1).to_bytes(8, "big") + good.signatures[1].signature[8:])
    with pytest.raises(NoteError, match=r"the cosignature of witness\.test/a is not good"):
        of(1, "a").check(SignedNote(good.text, (good.signatures[0], late)))


BAD_POLICIES = [
    ("", "it has no quorum"),
    ("quorum a", "line 1: nothing before it is called 'a'"),
    ("quorum none\nquorum none", "line 2: it has a quorum already"),
    (f"log {PUBLIC['a']}", "is one of a witness"),
    (f"witness a {LOG_NOTE_KEY}", "is one of a log"),
    (f"witness none {PUBLIC['a']}", "the name 'none' is taken"),
    (f"witness a {PUBLIC['a']}\nwitness b {PUBLIC['a']}", "line 2: the key of 'witness.test/a' is there twice"),
    (f"witness a {PUBLIC['a']} ftp://x", "write http://… or https://…"),
    (f"witness a {PUBLIC['a']}\ngroup g 2 a", "asks for any, all, or 1 to 1 of them, not '2'"),
    (f"witness a {PUBLIC['a']}\ngroup g any a\ngroup h any a", "line 3: 'a' is in a group already"),
    (f"witness a {str(PUBLIC['a'])[:-4]}AAAA", "line 1: the key 'witness.test/a' is not whole"),
    ("witness a witness.test/a", "is not a key; expected NAME"),
    ("hello", 'line 1: expected "log KEY"'),
    (f"witness a {PUBLIC['a']}\nwitness b {PUBLIC['b']}\ngroup g 2 a a\nquorum g", "line 3: 'a' is in a group already"),
    (f"witness a {PUBLIC['a']}\nwitness b {PUBLIC['a']}\ngroup g all a b\nquorum g", "line 2: the key of"),
    (f"witness a {PUBLIC['a']}\nwitness a {PUBLIC['b']}\nquorum a", "line 2: the name 'a' is taken"),
    (f"witness a {PUBLIC['a']}\ngroup a any a\nquorum a", "line 2: the name 'a' is taken"),
    (f"witness a {PUBLIC['a']}\ngroup g 0 a\nquorum g", "asks for any, all, or 1 to 1 of them, not '0'"),
    (f"witness a {PUBLIC['a']}\ngroup g -1 a\nquorum g", "asks for any, all, or 1 to 1 of them, not '-1'"),
    (f"witness a {PUBLIC['a']}\ngroup g any a b\nquorum g", "line 2: nothing before it is called 'b'"),
    ("group g any g\nquorum g", "line 1: nothing before it is called 'g'"),
    (f"quorum a\nwitness a {PUBLIC['a']}", "line 1: nothing before it is called 'a'"),
    (f"witness a {PUBLIC['a']}\ngroup g any\nquorum g", "line 2: expected"),
    (f"witness a {PUBLIC['a']} http://a/ more\nquorum a", "line 1: expected"),
    (f"witness a {PUBLIC['a']} http:///x\nquorum a", "write http://… or https://…"),
    (f"log {LOG_NOTE_KEY}\nlog {LOG_NOTE_KEY}\nquorum none", "line 2: the key of"),
    ("log\nquorum none", "line 1: expected"),
    ("quorum none more", "line 1: expected"),
    (f"witness a {PUBLIC['a']}", "it has no quorum"),
    ("constructor x\nquorum none", "line 1: expected"),
    # C2SP tlog-policy: of all control characters only tabs and newlines.
    ("# the quorum is below\rquorum none", "line 1: it has the control character '\\r'"),
    (f"log {LOG_NOTE_KEY}\nquorum none\r\n", "line 2: it has the control character '\\r'"),
    ("quorum\x0bnone", "line 1: it has the control character '\\x0b'"),
    ("quorum none\n# \x7f", "line 2: it has the control character '\\x7f'"),
    (f"log {ML_DSA}", "is one of a witness"),
    (f"witness a {ML_DSA}\nwitness b {ML_DSA}", "line 2: the key of 'witness.test/pq' is there twice"),
    (f"witness a {ML_DSA}\nwitness a {PUBLIC['a']}", "line 2: the name 'a' is taken"),
    (f"witness a {ML_DSA._replace(public=bytes(1311))}", "is of another kind"),
    (f"witness a {ML_DSA._replace(kind=2)}", "is of another kind"),
]
"""With what `journal check` says of each. The page that checks a result refuses them too."""


@pytest.mark.parametrize(("text", "what"), BAD_POLICIES)
def test_a_policy_with_a_mistake_is_refused_with_its_line(text: str, what: str) -> None:
    with pytest.raises(PolicyError) as refused:
        policy(text)
    assert what in str(refused.value)


# --- a journal that is forked between witnesses ------------------------------------------------------------

FORKS = 1000
FORKS_A_TEST = 250


class HonestWitness:
    """One that decides as ours does."""

    def __init__(self) -> None:
        self.latest: Checkpoint | None = None

    def add(self, tree: GrownTree, size: int) -> bool:
        old = 0 if self.latest is None else self.latest.size
        if old > size:
            return False
        checkpoint = checkpoint_of(tree.node, size)
        proof = consistency_proof(old, size, tree.node)
        # That it is signed is asked before, and of no matter here.
        request = SubmittedCheckpoint(checkpoint, SignedNote(str(checkpoint), ()), old, proof)
        if refuse_growth(request, self.latest) is not None:
            return False
        self.latest = request.checkpoint
        return True


def shows_growth(*trees: GrownTree) -> GrowthCheck:
    """A log that has several histories, and gives the proof out of whichever one proves it."""

    def show(one: Checkpoint, other: Checkpoint) -> str:
        for tree in trees:
            try:
                proof = consistency_proof(one.size, other.size, tree.node)
                check_growth(one.size, other.size, one.root, other.root, proof)
            except (TreeProofError, IndexError):
                continue
            return ""
        return "none of its proofs shows it"

    return show


TRIES = 8
"""Proofs that a log crafts of each fork, beside the ones of its trees."""


def crafted(random: Random, trees: Sequence[GrownTree], old: int, new: int) -> list[bytes]:
    """A proof of one of the trees, of these sizes or of others, and what may be done to its bytes."""
    tree = random.choice(trees)
    if new > tree.size or random.random() < 0.3:
        new = random.randint(1, tree.size)
        old = random.randint(0, new)
    proof = consistency_proof(min(old, new), new, tree.node)
    for _ in range(random.randint(0, 3)):
        at = random.randint(0, len(proof))
        one, behind = b"".join(proof[at : at + 1]), proof[at + 1 :]
        cut = random.randint(0, len(one))
        made = random.choice(
            (
                [],
                [one[:cut]],
                [one[:cut], one[cut:]],
                [one, random.randbytes(HASH_BYTES)],
                [one, tree.node(0, random.randrange(tree.size))],
                [one + b"".join(behind[:1])],
                [one + random.randbytes(cut)],
            )
        )
        proof = [*proof[:at], *made, *behind]
    return proof


OTHER_LENGTHS = [*range(HASH_BYTES), *range(HASH_BYTES + 1, 2 * HASH_BYTES + 1)]


def made_to_fit(
    random: Random, tree: GrownTree, old: int, new: int, lengths: Sequence[int]
) -> tuple[bytes, list[bytes]]:
    """A root that a log may sign as that of `new` leaves, and a proof with hashes of these lengths that it continues
    the first `old`. With other lengths than a hash has it does not: under the same root its leaves are others.
    """
    parts, first = [], 0
    for level in reversed(range(old.bit_length())):
        if old >> level & 1:
            parts.append(tree.node(level, first >> level))
            first += 1 << level
    if len(parts) > 1:
        # The bytes of the last node, in which its two parts begin elsewhere.
        both, cut = parts[-2] + parts[-1], random.choice(lengths)
        parts[-2:] = both[:cut], both[cut:]
    found = parts.pop()
    proof = [found] if old & (old - 1) else []
    place, last = old - 1, new - 1
    while place % 2:
        place, last = place // 2, last // 2
    while last:
        is_before = place % 2 == 1 or place == last
        beside = parts.pop() if is_before else random.randbytes(random.choice(lengths))
        found = node_hash(beside, found) if is_before else node_hash(found, beside)
        proof.append(beside)
        while is_before and place and not place % 2:
            place, last = place // 2, last // 2
        place, last = place // 2, last // 2
    return found, proof


async def forks_by(proofs: Iterable[list[bytes]], checkpoints: Sequence[Checkpoint]) -> list[HistoryFork]:
    """What a comparison finds where the log's site gives these proofs."""
    bodies = ("".join(f"{encode_base64(one)}\n" for one in proof) for proof in proofs)
    calls = ScriptedCalls(site=[HttpAnswer(200, body.encode()) for body in bodies])
    return await forks_of_log(calls, "http://site/", checkpoints)


async def crafted_and_caught(random: Random, trees: Sequence[GrownTree], checkpoints: Sequence[Checkpoint]) -> bool:
    """Whether a comparison finds a fork whatever proofs the log crafts."""
    sizes = [(old, new) for old, new in pairwise(sorted({one.size for one in checkpoints}))]
    tries = [[crafted(random, trees, *pair) for pair in sizes] for _ in range(TRIES)]
    caught: list[object] = [await forks_by(proofs, checkpoints) for proofs in tries]
    old = random.randint(1, trees[0].size)
    new = old + random.randint(1, 30)
    for lengths in (OTHER_LENGTHS, [HASH_BYTES]):
        root, proof = made_to_fit(random, trees[0], old, new, lengths)
        found = await forks_by([proof], [checkpoint_of(trees[0].node, old), Checkpoint(ORIGIN, new, root)])
        caught.append(found if lengths is OTHER_LENGTHS else not found)
    return all(caught)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, FORKS, FORKS_A_TEST))
def test_a_journal_that_is_forked_between_witnesses_is_caught(first: int) -> None:
    """By a quorum of more than half, and by a comparison of what the witnesses have, whatever the log answers."""
    caught = 0
    for seed in range(first, first + FORKS_A_TEST):
        random = Random(seed)
        names = "abcdefg"[: random.randint(3, 7)]
        common, ends = random.randint(0, 30), (random.randint(1, 30), random.randint(1, 30))
        shared = bodies_of("event", common)
        trees = [grown([*shared, *bodies_of(f"side {side}", end)]) for side, end in enumerate(ends)]
        # Each side goes to some witnesses at least, in steps, and the other side is offered to them too.
        sides = {name: random.randint(0, 1) for name in names} | {names[0]: 0, names[-1]: 1}
        witnesses = {name: HonestWitness() for name in names}
        for name, witness in witnesses.items():
            own, other = trees[sides[name]], trees[1 - sides[name]]
            if common and random.random() < 0.5:
                assert witness.add(own, random.randint(1, common))
            assert witness.add(own, random.randint(common + 1, own.size))
            assert not witness.add(other, other.size)
            assert witness.add(own, own.size)
        latest = {name: witness.latest for name, witness in witnesses.items()}
        # Each side has the signatures of its own witnesses, and of one that was bribed and signs anything.
        bribed = random.choice(names)
        least = (len(names) + 1) // 2 + 1
        rule = of(least, *names)
        met = []
        for side, tree in enumerate(trees):
            signers = {name for name in names if sides[name] == side} | {bribed}
            met.append(rule.check(cosigned(checkpoint_of(tree.node, tree.size), *sorted(signers))).met)
        checkpoints = [one for one in latest.values() if one is not None]
        found = forks_between(checkpoints, shows_growth(*trees))
        is_caught = asyncio.run(crafted_and_caught(random, trees, checkpoints))
        caught += bool(found) and is_caught and not all(met)
    assert caught == FORKS_A_TEST


def test_checkpoints_of_two_logs_are_not_compared_and_of_one_size_have_one_root() -> None:
    other = NoteKey("feltwire/other", LOG_KEY, bytes(KEYS["g"].verify_key))
    both = policy(f"log {LOG_NOTE_KEY}\nlog {other}\nquorum none")
    note = CHECKPOINT._replace(origin="feltwire/other").sign(KEYS["g"])
    assert check_note(both, note, "feltwire/other").met
    with pytest.raises(NoteError, match="it is of another log, 'feltwire/other'"):
        check_note(both, note, ORIGIN)
    calls = ScriptedCalls(site=[HttpAnswer(200, b"")])
    second = CHECKPOINT._replace(root=b"r" * 32)
    (fork,) = asyncio.run(forks_of_log(calls, "http://site/", [CHECKPOINT, second]))
    assert str(fork).endswith("are not of one history: one size, and two roots")
    assert calls.bodies == []
    greater = CHECKPOINT._replace(size=9)
    for answer, why in (
        (HttpAnswer(404, b""), "the log gives no proof of it (404)"),
        (HttpAnswer(200, b"nonsense!\n"), "the log's proof does not show it: 'nonsense!' is not base64"),
        (HttpAnswer(200, b"\xff\n"), "the log's proof does not show it"),
        (HttpAnswer(200, b"AAAA\n" * 64), "the log's proof does not show it: the proof has more than 63 hashes"),
        (HttpAnswer(200, b"AAAA\n"), "the log's proof does not show it: 'AAAA' is not a hash of 32 bytes"),
    ):
        calls = ScriptedCalls(site=[answer])
        (fork,) = asyncio.run(forks_of_log(calls, "http://site/", [CHECKPOINT, greater]))
        assert why in str(fork)
    for status in (500, 502, 429, 403, 301):
        calls = ScriptedCalls(site=[HttpAnswer(status, b"busy")])
        with pytest.raises(WitnessUnreachableError, match=f"it answers {status}"):
            asyncio.run(forks_of_log(calls, "http://site/", [CHECKPOINT, greater]))


def test_witnesses_of_one_history_are_never_taken_for_a_fork() -> None:
    random = Random(7)
    tree = grown(bodies_of("event", 60))
    for _ in range(100):
        sizes = [random.randint(0, 60) for _ in range(random.randint(1, 7))]
        checkpoints = [checkpoint_of(tree.node, size) for size in sizes]
        assert forks_between(chain(checkpoints, checkpoints), shows_growth(tree)) == []
