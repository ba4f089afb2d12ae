"""A journal is published to witnesses over HTTP, its results are proven, and other histories are caught."""

from __future__ import annotations

import json
import logging
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event

import pytest
from click.testing import CliRunner, Result
from nacl.signing import SigningKey

from audit.queries import last_written
from audit.records import link
from audit.transparency.check_page import result_link
from audit.transparency.checkpoints import InclusionProof
from audit.transparency.journal_log import find_verdict, origin_of
from audit.transparency.notes import LOG_KEY, WITNESS_KEY, NoteKey
from audit.transparency.proof_site import TreeSite
from audit.transparency.tree_file import MET, TreeFile, tree_path
from audit.transparency.witness_file import WitnessFile
from audit.witness import witness_path
from command_line.exit_codes import NOT_COMPLETE, NOT_VERIFIED
from controller.cli import main
from feed.events import Evidence, Settled, Void
from hal.clock import NS_PER_S, SystemClock, VirtualClock
from scoreboard.web import NamesAllowed, PageServer, application
from tests.fakes.nats_server import free_port
from tests.fakes.service_process import FELTWIRE
from tests.fakes.time_limits import HANG_S
from tests.fakes.witnessing import policy_of, served, served_witness
from tests.unit.audit.making import EVENING_NS, KEY, Evening, evening, place_key, tampering
from tests.unit.audit.transparency.test_crafted_proofs import python_of_page

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "witness.md"


def call(*arguments: object) -> Result:
    result = CliRunner().invoke(main, ["journal", *(str(one) for one in arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


class WitnessedHouse:
    """A journal, two witnesses that know it, and a policy that asks for both."""

    def __init__(self, folder: Path, held: ExitStack) -> None:
        place_key(folder)
        self.journal = evening(folder / "journal.sqlite", rounds=6)
        self.key = NoteKey(origin_of(self.journal), LOG_KEY, bytes(KEY.verify_key))
        self.keys = [self.key]
        """That the witnesses know."""
        self.witnesses = {}
        for name in ("a", "b"):
            path = folder / f"{name}.witness"
            WitnessFile.open(path, f"witness.test/{name}").close()
            self.witnesses[name] = held.enter_context(served_witness(path, {self.key.name: self.keys}))
        self.policy = folder / "witnesses.policy"
        self.policy.write_text(policy_of(self.witnesses, 2, [self.key]))

    def publish(self, *more: object) -> Result:
        return call("publish", *more, self.journal, "--policy", self.policy, "--once")

    def grow(self, now_ns: int = EVENING_NS) -> None:
        writer = Evening(self.journal)
        writer._starts = 7
        writer.clock = VirtualClock(now_ns)
        with writer:
            writer._rounds["wheel-1"] = 100
            writer.round("wheel-1")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[WitnessedHouse]:
    with ExitStack() as held:
        yield WitnessedHouse(tmp_path, held)


def prove(house: WitnessedHouse, event: str, name: str, *more: object, of: Path | None = None) -> Path:
    out = house.journal.with_name(name)
    result = call("prove", of or house.journal, event, "-o", out, *more)
    assert result.exit_code == 0, result.output
    return out


def python_check(folder: Path, proof: Path, house: WitnessedHouse, least: int = 2) -> subprocess.CompletedProcess[str]:
    """The program on the page, as it is there, in an interpreter that finds nothing of ours."""
    program = folder / "check.py"
    program.write_text(python_of_page())
    event = proof.with_name(f"{proof.name}.event")
    keys = [str(key) for key, _ in house.witnesses.values()]
    words = [sys.executable, "-I", str(program), str(event), str(proof), str(house.key), str(least), *keys]
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder)


def test_a_result_is_witnessed_proven_and_checked_by_whoever_has_the_page_alone(
    house: WitnessedHouse, tmp_path: Path
) -> None:
    assert call("prove", house.journal, "wheel-1#2").exit_code == 2
    published = house.publish()
    assert published.exit_code == 0, published.output
    assert call("publish", house.journal, "--key").output == f"{house.key}\n"
    proof = prove(house, "wheel-1#2", "result.tlog-proof")
    assert len(proof.read_bytes()) <= 2000
    event = proof.with_name("result.tlog-proof.event")
    assert json.loads(event.read_bytes())["data"]["round"] == 2
    checked = call("check", proof, "--policy", house.policy)
    assert checked.exit_code == 0
    assert "cosigned by a at" in checked.output
    # What is verified is stated, with the hash that is on paper.
    link = result_link("http://10.0.0.5/", find_verdict([house.journal], "wheel-1", 2))  # type: ignore[arg-type]
    assert "OUTCOME $2 (space 2)" in checked.output
    assert f"hash in a printed code: {link[-43:]}\n" in checked.output
    assert checked.output.endswith("verified: round 2 of wheel-1, as shown above\n")
    python = python_check(tmp_path, proof, house)
    assert python.returncode == 0, python.stderr
    *lines, last = python.stdout.splitlines()
    assert last == f"verified, cosigned by witness.test/a, witness.test/b; hash on paper {link[-43:]}"
    assert json.loads("\n".join(lines)) == json.loads(event.read_bytes())
    # A policy that asks for no witness has the log's word alone.
    none = house.policy.with_name("none.policy")
    none.write_text(f"log {house.key}\nquorum none\n")
    alone = "verified, by the log's key alone (this policy asks for no witness)"
    assert call("check", proof, "--policy", none).output.endswith(f"\n{alone}: round 2 of wheel-1, as shown above\n")
    # Without all words, or with no witness asked for, nothing is verified.
    for refused in (python_check(tmp_path, proof, house, 0), python_without_words(tmp_path)):
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.startswith("python check.py EVENT PROOF LOG_KEY K WITNESS_KEY...: ")
    # A $2 made into a $20.
    event.write_bytes(event.read_bytes().replace(b"$2", b"$20"))
    checked = call("check", proof, "--policy", house.policy)
    assert checked.exit_code == NOT_VERIFIED
    assert "DOES NOT VERIFY: the event is not the one that was signed" in checked.output
    assert "NOT VERIFIED: the event is not in this tree" in python_check(tmp_path, proof, house).stderr
    # With too few witnesses, or a signature that somebody touched.
    event.write_bytes(event.read_bytes().replace(b"$20", b"$2"))
    assert "cosigned by 2 of the 3 witnesses that must" in python_check(tmp_path, proof, house, 3).stderr
    read = InclusionProof.parse(proof.read_bytes())
    log, first, second = read.note.signatures
    touched = first._replace(signature=second.signature)
    proof.write_text(str(read._replace(note=read.note._replace(signatures=(log, touched, second)))))
    assert "a signature of witness.test/a is wrong" in python_check(tmp_path, proof, house).stderr
    assert call("check", proof, "--policy", house.policy).exit_code == NOT_VERIFIED


def python_without_words(folder: Path) -> subprocess.CompletedProcess[str]:
    """The program that `python_check` has written, as somebody starts it to see what it wants."""
    words = [sys.executable, "-I", str(folder / "check.py")]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def after_a_crash(house: WitnessedHouse) -> None:
    """Three records of a service that was killed before their seal, the last put in by whoever can write the file; and
    the start that found them."""
    writer = Evening(house.journal)
    writer._starts = 7
    with pytest.raises(RuntimeError), writer:
        writer.game = "roulette"
        writer.round("wheel-1")
        raise RuntimeError("killed")
    with writer:
        writer.round("wheel-2")


def test_what_was_found_without_a_seal_after_a_crash_is_marked_in_all_that_proves_it(
    house: WitnessedHouse, tmp_path: Path
) -> None:
    after_a_crash(house)
    assert house.publish().exit_code == 0
    *_, before, opened, outcome, settled, after, _, _ = last_written(house.journal, 7)
    seal = "no seal proves it before seal 6, of the start at 2026-07-04T19:00:03"
    for record, is_late in ((before, False), (opened, True), (outcome, True), (settled, True), (after, False)):
        proof = prove(house, record.id, f"{record.n}.tlog-proof")
        read = InclusionProof.parse(proof.read_bytes())
        assert InclusionProof.parse(str(read).encode()) == read
        assert bool(read.extra) == is_late
        checked = call("check", proof, "--policy", house.policy)
        python = python_check(tmp_path, proof, house)
        assert (checked.exit_code, python.returncode) == (0, 0)
        for said in (checked.output, python.stdout, call("prove", house.journal, record.id).output):
            assert ("found without a seal after a crash" in said) == is_late
            assert (seal in said) == is_late
        assert ("verified, see the note above, cosigned by" in python.stdout) == is_late
        assert checked.output.endswith("with the reservation above\n") == is_late
        # A proof without the mark, as one of an earlier version, verifies all the same.
        proof.write_text(str(read._replace(extra=b"")))
        assert call("check", proof, "--policy", house.policy).exit_code == 0
        # Extra data of others is passed over, and no line of it is printed.
        proof.write_text(str(read._replace(extra=b'{"late_seal": "\x1b[2J"}')))
        passed = call("check", proof, "--policy", house.policy)
        assert passed.exit_code == 0
        assert "\x1b" not in passed.output
    compared = call("witnesses", house.journal, "--policy", house.policy, "--unsigned", 0)
    assert compared.exit_code == 0
    assert "note: after a crash 3 records were found without a seal (51 to 53): no seal proves them before seal 6" in (
        compared.output
    )
    assert compared.output.endswith("verified; who wrote 3 records that had no seal after a crash, nothing shows\n")
    # Whoever has no key cannot take the note away.
    with tampering(house.journal) as connection:
        connection.execute("DELETE FROM seal WHERE n = 6")
    compared = call("witnesses", house.journal, "--policy", house.policy, "--unsigned", 0)
    assert compared.exit_code == NOT_VERIFIED
    assert "seal 7 is not as it was signed" in compared.output


def test_a_simulated_result_is_verified_as_one(house: WitnessedHouse, tmp_path: Path) -> None:
    writer = Evening(house.journal)
    writer._starts = 7
    with writer:
        data = writer.event("wheel-1", Settled, round=1, by="dealer", simulated=True)
        writer.say(data)
    assert house.publish().exit_code == 0
    proof = prove(house, data.id, "result.tlog-proof")
    checked = call("check", proof, "--policy", house.policy)
    assert checked.output.endswith("verified: round 1 of wheel-1, SIMULATED, as shown above\n")
    assert python_check(tmp_path, proof, house).stdout.splitlines()[-1].startswith("verified, SIMULATED, cosigned by")


def test_old_proofs_verify_after_archiving_and_new_ones_of_archived_events_are_made(
    house: WitnessedHouse, tmp_path: Path
) -> None:
    assert house.publish().exit_code == 0
    old = prove(house, "wheel-1#1", "old.tlog-proof")
    archived = house.journal.with_name("2026.sqlite")
    assert call("archive", house.journal, archived, "--before", "2026-07-04T19:00:30").exit_code == 0
    house.grow()
    assert house.publish().exit_code == 0
    assert call("check", old, "--policy", house.policy).exit_code == 0
    assert python_check(tmp_path, old, house).returncode == 0
    assert call("prove", house.journal, "wheel-1#1").exit_code == 2
    new = prove(house, "wheel-1#1", "new.tlog-proof", "--tree", tree_path(house.journal), of=archived)
    assert (
        InclusionProof.parse(new.read_bytes()).checkpoint.size > InclusionProof.parse(old.read_bytes()).checkpoint.size
    )
    assert call("check", new, "--policy", house.policy).exit_code == 0
    # The journal is held against the witnesses with its archive, with its tree, and not without either.
    assert call("witnesses", archived, house.journal, "--policy", house.policy).exit_code == 0
    assert call("witnesses", house.journal, "--policy", house.policy).exit_code == 0
    tree_path(house.journal).unlink()
    refused = call("witnesses", house.journal, "--policy", house.policy)
    assert refused.exit_code == 2
    assert "give the archives too" in refused.output
    assert "give the archives too" in house.publish().output
    again = call("publish", archived, house.journal, "--policy", house.policy, "--once")
    assert again.exit_code == 0, again.output


def rewritten(path: Path, n: int) -> None:
    """A history of the insider: a body and all hashes after it, made to fit."""
    with tampering(path) as connection:
        connection.execute("UPDATE record SET body = CAST(replace(body, '$2', '$20') AS BLOB) WHERE n = ?", (n,))
        (chain,) = connection.execute("SELECT chain FROM record WHERE n = ?", (n,)).fetchone()
        digest = None
        for row, body, old in connection.execute(
            "SELECT n, body, hash FROM record WHERE chain = ? ORDER BY seq", (chain,)
        ).fetchall():
            digest = old if row < n else link(digest, body)  # type: ignore[arg-type]
            connection.execute("UPDATE record SET hash = ? WHERE n = ?", (digest, row))


def test_a_history_that_was_rewritten_or_cut_off_is_caught_by_the_witnesses(
    house: WitnessedHouse, caplog: pytest.LogCaptureFixture
) -> None:
    assert house.publish().exit_code == 0
    kept = prove(house, "wheel-1#2", "kept.tlog-proof")
    with tampering(house.journal) as connection:
        (last,) = connection.execute("SELECT max(n) FROM record").fetchone()
        (n,) = connection.execute("SELECT min(n) FROM record WHERE kind = 'round.outcome'").fetchone()
    rewritten(house.journal, n)
    compared = call("witnesses", house.journal, "--policy", house.policy)
    assert compared.exit_code == NOT_VERIFIED
    assert f"a: FORK: of the first {last} records another history was signed" in compared.output
    offline = call("witnesses", house.journal, "--policy", house.policy, "--offline", "--checkpoint", kept)
    assert offline.exit_code == NOT_VERIFIED
    assert call("prove", house.journal, "wheel-1#1").exit_code == NOT_VERIFIED
    # Whoever has the key writes a whole other evening, seals and all, of the same first seal: no file shows that.
    tree_path(house.journal).unlink()
    for beside in house.journal.parent.glob("journal.sqlite*"):
        beside.unlink()
    evening(house.journal, rounds=8)
    assert call("verify", house.journal).exit_code == 0
    assert origin_of(house.journal) == house.key.name
    with caplog.at_level(logging.WARNING):
        assert house.publish().exit_code == NOT_VERIFIED
    assert caplog.text.count(f"FORK: this log has signed another history of its first {last} records") == 2
    assert caplog.text.count(f"what it shows, and this log has signed: '{house.key.name}\\n{last}\\n") == 2
    assert "NO WITNESS is reached" not in caplog.text
    assert call("witnesses", house.journal, "--policy", house.policy).exit_code == NOT_VERIFIED
    # Cut off at its end: the tree notices it before a witness has to.
    with tampering(house.journal) as connection:
        connection.execute("DELETE FROM record WHERE n > 5")
    cut = house.publish()
    assert cut.exit_code == NOT_VERIFIED
    assert "it ends with record 5, and record" in cut.output
    assert "no checkpoint is signed any more" in cut.output


def test_a_history_that_was_rewritten_with_the_key_of_the_seals_stops_the_publisher_which_names_the_record(
    house: WitnessedHouse,
) -> None:
    def written(game: str) -> None:
        for beside in (house.journal, witness_path(house.journal)):
            beside.unlink()
        with Evening(house.journal) as writer:
            writer.opened("wheel-1")
            for number in range(6):
                writer.game = game if number == 1 else "money_wheel"
                writer.round("wheel-1")

    tree_path(house.journal).unlink(missing_ok=True)
    written("money_wheel")
    assert house.publish().exit_code == 0
    written("another")
    verified = call("verify", house.journal, "--key", bytes(KEY.verify_key).hex())
    assert verified.exit_code == 0
    refused = house.publish()
    assert refused.exit_code == NOT_VERIFIED
    assert "record 5 ('wheel-1.0000000000000001.5') is not the one that was in it" in refused.output
    changed = call("prove", house.journal, "wheel-1#2")
    assert changed.exit_code == NOT_VERIFIED
    for said in (refused, changed):
        assert "run `feltwire journal witnesses`" in said.output
    compared = call("witnesses", house.journal, "--policy", house.policy)
    assert compared.exit_code == NOT_VERIFIED
    part = "they part at record 5 ('wheel-1.0000000000000001.5'): it is not the one that was signed"
    assert compared.output.count(part) == 2
    # With the tree of the other history, or none, nobody can know where.
    tree_path(house.journal).unlink()
    for _ in range(2):
        compared = call("witnesses", house.journal, "--policy", house.policy)
        assert compared.exit_code == NOT_VERIFIED
        assert "where they part" in compared.output
        assert "they part at" not in compared.output
        assert house.publish().exit_code == NOT_VERIFIED


def test_no_column_that_was_changed_hides_a_correction_from_whoever_asks_for_its_round(house: WitnessedHouse) -> None:
    writer = Evening(house.journal)
    writer._starts = 7
    with writer:
        proven = Evidence(revolutions=4.25, revolutions_low=4.25, revolutions_high=4.25, direction="positive")
        why = {"call": "No spin", "reason": "wheel_revolutions", "rule": "13:47-20.29(e)"}
        writer.say(writer.event("wheel-1", Void, round=2, evidence=proven, **why))
    assert house.publish().exit_code == 0
    assert call("prove", house.journal, "wheel-1#2").exit_code == 0
    sound = house.journal.read_bytes()
    kind = "kind is 'round.opened', and the body states 'round.void'"
    chain = "chain is 'wheel-2', and the body states 'wheel-1'; seq is 90, and"
    for change, stated, of_round in (
        ("kind = 'round.opened'", kind, kind),
        ("chain = 'wheel-2', seq = 90", chain, "1 record of 'wheel-1' is missing, from its record 23 on"),
    ):
        house.journal.write_bytes(sound)
        with tampering(house.journal) as connection:
            connection.execute(f"UPDATE record SET {change} WHERE kind = 'round.void' AND round = 2")
        for found, said in (
            (house.publish(), stated),
            (call("prove", house.journal, "wheel-1#2"), of_round),
            (call("witnesses", house.journal, "--policy", house.policy), stated),
        ):
            assert found.exit_code == NOT_VERIFIED
            assert said in found.output


def test_what_is_not_signed_is_stated_and_a_kept_file_takes_no_place_of_a_witness(
    house: WitnessedHouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def witnesses(*more: object) -> tuple[int, str]:
        answer = call("witnesses", house.journal, "--policy", house.policy, *more)
        return answer.exit_code, answer.output

    assert house.publish().exit_code == 0
    assert "in no checkpoint" not in witnesses("--unsigned", 0)[1]
    with TreeFile.open(tree_path(house.journal)) as tree:
        note = tree.note(MET)
    # A journal that is written now always has a last minute that is not signed yet; it is stated.
    house.grow(SystemClock().wall_time_ns())
    code, output = witnesses()
    assert code == 0
    assert "records 51 to 53 are in no checkpoint of it that enough witnesses signed" in output
    assert witnesses("--unsigned", 0)[0] == NOT_COMPLETE
    assert house.publish().exit_code == 0
    house.grow(SystemClock().wall_time_ns() + 3600 * NS_PER_S)
    code, output = witnesses()
    assert code == NOT_COMPLETE
    assert re.search("its time is (59|60) minutes after this computer's clock", output)
    assert house.publish().exit_code == 0
    house.grow()
    code, output = witnesses()
    assert code == NOT_COMPLETE
    assert "records 57 to 59 are in no checkpoint of it" in output
    assert output.endswith("NOT ENOUGH witnesses signed its last records\n")
    # Cut off below what they signed: files that somebody kept, called as the witnesses are, agree with what is left.
    with tampering(house.journal) as connection:
        connection.execute("DELETE FROM record WHERE n > 55")
    monkeypatch.chdir(tmp_path)
    for name in house.witnesses:
        Path(name).write_text(str(note))
    code, output = witnesses("--checkpoint", "a", "--checkpoint", "b")
    assert code == NOT_COMPLETE
    assert output.count("56 records were signed") == output.count("--checkpoint ") == 2


def test_a_page_that_would_not_verify_is_refused_or_stated(house: WitnessedHouse, tmp_path: Path) -> None:
    assert house.publish().exit_code == 0
    page = tmp_path / "result.html"
    text = house.policy.read_text()
    away = {"c": (NoteKey("witness.test/c", WITNESS_KEY, bytes(SigningKey(b"c" * 32).verify_key)), "")}
    for policy, address, code, said in (
        (text, "http://10.0.0.5:8092", 0, "is record"),
        (text, "10.0.0.5:8092/", 2, "is not the address of a page"),
        (text.replace("quorum", "quorm"), "", 2, "--policy"),
        ("quorum none\n", "", 2, "--page needs -o FILE, and --policy"),
        (text.replace("log feltwire/", "log feltwire/0"), "", 2, "--policy"),
        (f"log {NoteKey('feltwire/other', LOG_KEY, bytes(KEY.verify_key))}\nquorum none\n", "", 2, "would not verify"),
        (
            policy_of(house.witnesses | away, 3, [house.key]),
            "",
            NOT_COMPLETE,
            "NOT ENOUGH witnesses cosigned it for this policy: 2 of 3 did; missing: c; make the proof again once",
        ),
    ):
        page.unlink(missing_ok=True)
        file = tmp_path / "other.policy"
        file.write_text(policy)
        more = ("--link", address) if address else ()
        told = call("prove", house.journal, "wheel-1#2", "--page", "--policy", file, "-o", page, *more)
        assert told.exit_code == code, told.output
        assert said in " ".join(told.output.split())
        assert page.exists() == (code != 2)
        # The same policy for a proof: what would not be verified by it is not given as if it were.
        if more or "--page" in said:
            continue
        for out in ((), ("-o", tmp_path / f"{code}.tlog-proof")):
            proof = call("prove", house.journal, "wheel-1#2", "--policy", file, *out)
            assert (proof.exit_code, said in " ".join(proof.output.split())) == (code, True), proof.output
        assert (tmp_path / f"{code}.tlog-proof").exists() == (code != 2)
    # Whoever checks one has neither journal nor publisher.
    checked = call("check", tmp_path / f"{NOT_COMPLETE}.tlog-proof", "--policy", file)
    assert (checked.exit_code, "missing: c; ask for a newer proof" in checked.output) == (NOT_COMPLETE, True)
    # A policy that a file has is held against it, whatever it is.
    file.write_text("quorum none\n")
    unsigned = call("prove", house.journal, "wheel-1#2", "--policy", file)
    assert (unsigned.exit_code, "would not verify: no trusted key" in " ".join(unsigned.output.split())) == (2, True)
    assert call("prove", house.journal, "wheel-1#2").exit_code == 0
    alone = call("prove", house.journal, "wheel-1#2", "--link", "http://10.0.0.5:8092/", "-o", page)
    assert (alone.exit_code, "add --page" in alone.output) == (2, True)


def test_a_fork_between_witnesses_is_found_without_the_journal_by_their_checkpoints_alone(
    house: WitnessedHouse, tmp_path: Path
) -> None:
    """A second history of the same first seal, of which one witness was shown the one, and the other the other."""
    with ExitStack() as held:
        assert house.publish().exit_code == 0
        site = held.enter_context(served_tree(house.journal))
        kept = prove(house, "wheel-1#2", "kept.tlog-proof")
        for more in ((), ("--checkpoint", kept)):
            same = call("compare", site, "--policy", house.policy, *more)
            assert same.exit_code == 0, same.output
            assert same.output.endswith("\nverified\n")
        none = house.policy.with_name("none.policy")
        none.write_text(f"log {house.key}\nquorum none\n")
        alone = call("compare", site, "--policy", none)
        assert alone.exit_code == 0
        assert alone.output.endswith("\nverified, by the log's key alone (this policy asks for no witness)\n")
        other = tmp_path / "other"
        other.mkdir()
        path = other / "c.witness"
        WitnessFile.open(path, "witness.test/c").close()
        witness = held.enter_context(served_witness(path, {house.key.name: [house.key]}))
        place_key(other)
        forked = evening(other / "journal.sqlite", rounds=8)
        policy = other / "c.policy"
        policy.write_text(policy_of({"c": witness}, 1, [house.key]))
        assert call("publish", forked, "--policy", policy, "--once").exit_code == 0
        # Each has all signatures that its own policy asks for. Whoever knows three witnesses sees the fork, wherever
        # the log's proofs come from.
        three = tmp_path / "three.policy"
        three.write_text(policy_of({**house.witnesses, "c": witness}, 2, [house.key]))
        for where in (site, held.enter_context(served_tree(forked))):
            found = call("compare", where, "--policy", three)
            assert found.exit_code == NOT_VERIFIED
            assert "are not of one history: the log" in found.output
        # The journal alone does not have what the third of them signed; the other one's tree shows that it is another.
        for more, code in (((), NOT_COMPLETE), (("--tree", tree_path(forked)), NOT_VERIFIED)):
            assert call("witnesses", house.journal, "--policy", three, *more).exit_code == code
    assert call("compare", site, "--policy", three).exit_code == 1
    assert call("compare", "nowhere", "--policy", three).exit_code == 2


@pytest.mark.parametrize("archived", [False, True])
def test_a_copy_that_the_witnesses_are_ahead_of_is_proven_by_the_tree_or_the_site_and_never_called_false(
    house: WitnessedHouse, tmp_path: Path, archived: bool
) -> None:
    def witnesses(of: Path, *more: object) -> tuple[int, str]:
        answer = call("witnesses", of, "--policy", house.policy, "--unsigned", 10**9, *more)
        return answer.exit_code, answer.output

    assert house.publish().exit_code == 0
    if archived:
        archive = call("archive", house.journal, tmp_path / "old.sqlite", "--before", "2026-07-04T19:00:30")
        assert archive.exit_code == 0, archive.output
    folder = tmp_path / "copy"
    folder.mkdir()
    copy, tree = folder / "journal.sqlite", tree_path(house.journal)
    assert call("backup", house.journal, copy).exit_code == 0
    house.grow()
    assert house.publish().exit_code == 0
    with served_tree(house.journal) as site:
        # Of what is archived, no site has the leaves.
        code, output = witnesses(copy, "--site", site)
        assert (code, "or the tree of the journal with --tree" in output) == ((2, True) if archived else (0, False))
        both = ("--tree", tree, "--site", site)
        first = (
            "53 records were signed (a at 2026-07-04T19:00:00Z), and its 50 are the first of them, as they were signed"
        )
        for more in (("--tree", tree), both):
            code, output = witnesses(copy, *more)
            assert code == 0, output
            assert f"a: {first}" in output
            assert output.endswith("verified: its 50 records, the first of 53 that were signed\n")
        with tampering(copy) as connection:
            (n,) = connection.execute("SELECT min(n) FROM record WHERE kind = 'round.outcome'").fetchone()
            rewritten(copy, n)
        code, output = witnesses(copy, *both)
        assert code == NOT_VERIFIED
        assert "those that were signed begin otherwise" in output
        if not archived:
            code, output = witnesses(copy, "--site", site)
            assert code == NOT_COMPLETE
            assert "not shown: the first 50 records and the first 53 are not of one history" in output
            assert (
                "NOT PROVEN: more was signed than it has: it is an older copy, or was cut off; give the tree" in output
            )


def test_without_a_tree_that_is_named_nothing_is_held_against_the_witnesses(
    house: WitnessedHouse, tmp_path: Path
) -> None:
    assert house.publish().exit_code == 0
    lost = call("witnesses", house.journal, "--policy", house.policy, "--tree", tmp_path / "none.tree")
    assert lost.exit_code == 2
    assert "there is no tree of this journal" in lost.output


@contextmanager
def served_tree(journal: Path) -> Iterator[str]:
    """The site of a log's tree."""
    with TreeFile.open(tree_path(journal)) as tree:
        app = application(NamesAllowed.on("127.0.0.1"), [])
        TreeSite(tree).add_to(app)
        with served(PageServer(app)) as url:
            yield url


def test_no_witness_that_is_reached_is_stated_and_what_was_written_is_signed_once_one_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ExitStack() as held:
        house = WitnessedHouse(tmp_path, held)
        addresses = {name: url for name, (_, url) in house.witnesses.items()}
        assert house.publish().exit_code == 0
    house.grow()
    with caplog.at_level(logging.WARNING):
        assert house.publish().exit_code == NOT_COMPLETE
    assert "NO WITNESS is reached: nobody vouches for what is written from now on; play continues" in caplog.text
    assert caplog.text.count("has not cosigned: it is not reached") == 2
    assert "not reached" not in call("prove", house.journal, "wheel-1#1").output
    assert call("prove", house.journal, "wheel-1#101").exit_code == 0
    compared = call("witnesses", house.journal, "--policy", house.policy)
    assert compared.exit_code == NOT_COMPLETE
    assert "NOT ENOUGH witnesses are known to agree for this policy: 0 of 2 did; missing: a, b" in compared.output
    with ExitStack() as held:
        for name, url in addresses.items():
            port = int(url.rstrip("/").rpartition(":")[2])
            held.enter_context(served_witness(tmp_path / f"{name}.witness", {house.key.name: [house.key]}, port=port))
        assert house.publish().exit_code == 0
        proof = prove(house, "wheel-1#101", "late.tlog-proof")
        assert call("check", proof, "--policy", house.policy).exit_code == 0


@contextmanager
def program(*words: object, until: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command in a process of its own, and its line with these words; it ends in order, unless it was killed."""
    command = [str(FELTWIRE), *map(str, words)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        line = next((line for line in iter(process.stderr.readline, "") if until in line), "")
        assert line, process.wait(HANG_S)
        yield process, line
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=HANG_S)
        assert process.returncode in (0, -signal.SIGKILL), said


def asked_until(url: str, has: Callable[[str], bool]) -> str:
    """What is answered there once it is as a test waits for."""
    pause = Event()
    for _ in range(round(HANG_S / 0.1)):
        with urllib.request.urlopen(url, timeout=HANG_S) as answer:
            text: str = answer.read().decode()
        if has(text):
            return text
        pause.wait(0.1)
    raise AssertionError(text)


def gauge(text: str, name: str) -> float:
    (found,) = re.findall(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found)


def test_beside_who_writes_it_a_journal_is_published_while_the_witness_goes_and_comes_back(tmp_path: Path) -> None:
    place_key(tmp_path)
    journal, file, policy = (tmp_path / name for name in ("journal.sqlite", "a.witness", "witnesses.policy"))
    port, witness_port = free_port(), free_port()
    metrics = f"http://127.0.0.1:{port}/metrics"
    with Evening(journal) as writer:
        writer.opened("wheel-1")
        writer.seal()
        key = NoteKey.parse(call("publish", journal, "--key").output.strip())
        with WitnessFile.open(file, "witness.test/a") as made:
            policy.write_text(policy_of({"a": (made.key, f"http://127.0.0.1:{witness_port}/")}, 1, [key]))
        options = ("--policy", policy, "--every", 1, "--metrics", port, "--host", "127.0.0.1", "--port", 0)
        with program("journal", "publish", journal, *options, until="proofs: ") as (_, line):
            with served_witness(file, {key.name: [key]}, port=witness_port):
                asked_until(metrics, lambda text: gauge(text, "feltwire_log_cosigned") == 1)
            # Nobody waits for it: what is written is signed by the log alone, and that is stated.
            writer.round("wheel-1")
            writer.seal()
            gone = 'feltwire_witness_cosigns{witness="a"}'
            away = asked_until(metrics, lambda text: gauge(text, "feltwire_log_size") == 4 and not gauge(text, gone))
            assert gauge(away, "feltwire_log_cosigned") == 1
            with pytest.raises(urllib.error.HTTPError, match="503"):
                urllib.request.urlopen(metrics.replace("metrics", "readyz"), timeout=HANG_S)
            with served_witness(file, {key.name: [key]}, port=witness_port):
                asked_until(metrics, lambda text: gauge(text, "feltwire_log_cosigned") == 4)
                assert call("witnesses", journal, "--policy", policy).exit_code == 0
            event = json.loads(asked_until(f"{line.split()[-1]}round/wheel-1/1", bool))
            assert json.loads(event["event"])["data"]["round"] == 1
            assert f"log {key}" in event["policy"]


def test_every_key_on_the_page_is_one() -> None:
    found = re.findall(r"(\S+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44})(?:\s|$)", PAGE.read_text())
    assert len({str(NoteKey.parse(one)) for one in found}) == 2


JOURNAL_COMMANDS = ("publish", "prove", "check", "witnesses", "compare")


def test_help_of_each_has_examples_and_exit_codes() -> None:
    for words in (*(["journal", one] for one in JOURNAL_COMMANDS), ["witness"], ["fleet", "publish"]):
        told = CliRunner().invoke(main, [*words, "--help"]).output
        assert "Examples:" in told
        assert "Exit codes:" in told


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["witness", "w", "--name", "has space"], "is not the name of a key"),
        (["witness", "w", "--log", "nonsense"], "is not a key"),
        (["witness", "w"], "there is no witness; begin one with --name"),
        (["journal", "check", "p", "--policy", "q"], "q cannot be read"),
        (["journal", "prove", "no.sqlite", "x#1"], "there is no such file"),
        (["journal", "prove", "no.sqlite", "x#1", "--page"], "--page needs -o FILE"),
    ],
)
def test_what_cannot_be_used_is_named(
    words: list[str], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 2
    assert what in result.output


def test_a_journal_without_its_key_is_published_with_no_new_one(tmp_path: Path) -> None:
    place_key(tmp_path)
    journal = evening(tmp_path / "journal.sqlite", rounds=1)
    (tmp_path / "signing.key").unlink()
    result = call("publish", journal, "--key")
    assert result.exit_code == 2
    assert "its signing key is not there" in result.output
    assert "with --signing-key; a new one is one that no witness knows" in result.output
    assert "keys new" not in result.output


def test_the_policy_of_a_journal_that_was_retired_is_refused_for_the_one_that_was_begun_with_its_key(
    tmp_path: Path,
) -> None:
    place_key(tmp_path)
    journal = evening(tmp_path / "journal.sqlite", rounds=1)
    old, new = (NoteKey(name, LOG_KEY, bytes(KEY.verify_key)) for name in ("feltwire/retired", origin_of(journal)))
    policy = tmp_path / "witnesses.policy"
    for line, code in ((f"log {new}\n", 0), ("", 0), (f"log {old}\n", 2)):
        policy.write_text(f"{line}quorum none\n")
        refused = call("publish", journal, "--policy", policy, "--once")
        assert refused.exit_code == code, refused.output
    assert f"that of {old.name}, an earlier journal" in refused.output
    # The line for a new policy is printed all the same.
    assert call("publish", journal, "--policy", policy, "--key").output == f"{new}\n"
