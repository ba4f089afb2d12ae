"""`feltwire relay` as a process and `feltwire fleet`, with a real nats-server and a real service."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from click.testing import CliRunner, Result

from audit.signing import load, public_half
from audit.transparency.notes import NoteKey
from audit.transparency.policy import WitnessPolicy
from audit.transparency.tree import leaf_hash
from audit.transparency.tree_file import MET, TreeFile
from audit.transparency.witness_file import WitnessFile
from command_line.exit_codes import NOT_VERIFIED
from controller.cli import main
from tests.fakes.nats_server import NatsServer, free_port, nats_server
from tests.fakes.service_process import ServiceProcess, service
from tests.fakes.time_limits import HANG_S
from tests.fakes.witnessing import policy_of, served_witness

ROOT = Path(__file__).resolve().parents[2]
FELTWIRE = [sys.executable, "-c", "from controller.cli import main; main()"]
_POLL_S = 0.1


def feltwire(*words: str) -> Result:
    """The command, to its end, in this process."""
    return CliRunner().invoke(main, words, prog_name="feltwire")


@contextmanager
def relay(*words: str) -> Iterator[subprocess.Popen[str]]:
    """The relay, as long as the block; it ends in order."""
    process = subprocess.Popen([*FELTWIRE, "relay", *words], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=HANG_S)
        assert process.returncode == 0, said


def until_held(server: NatsServer, journal: ServiceProcess, relaying: subprocess.Popen[str]) -> list[dict[str, object]]:
    """The status once every table has a verdict there."""
    pause = Event()
    for _ in range(round(HANG_S / _POLL_S)):
        status = [json.loads(line) for line in feltwire("fleet", "status", server.url, "--json").stdout.splitlines()]
        if len(status) == 2 and all(one["verdict"] for one in status):
            return status
        failed = journal.ended()
        assert failed is None, failed
        assert relaying.poll() is None
        pause.wait(_POLL_S)
    raise AssertionError(f"no verdict of each table is held: {status}")


def until_sealed(server: NatsServer, journal: ServiceProcess) -> Result:
    """What verify reports once the seals vouch for some of every table, with the key of the service alone."""
    pause = Event()
    public = public_half(load(journal.state / "sim" / "signing.key"))
    for _ in range(round(HANG_S / _POLL_S)):
        verified = feltwire("fleet", "verify", server.url, "--key", public)
        if verified.stdout.count("sealed up to event") == 2:
            return verified
        pause.wait(_POLL_S)
    raise AssertionError(verified.output)


def publish_the_stream(server: NatsServer, folder: Path) -> None:
    """A witness cosigns all that the stream holds."""
    words = ("fleet", "publish", server.url, "--state", str(folder / "published"))
    made = feltwire(*words, "--key")
    assert made.exit_code == 0, made.output
    key = NoteKey.parse(made.stdout.strip())
    assert key.name.startswith("feltwire-stream/")
    WitnessFile.open(folder / "a.witness", "witness.test/a").close()
    with served_witness(folder / "a.witness", {key.name: [key]}) as witness:
        policy = folder / "witnesses.policy"
        policy.write_text(policy_of({"a": witness}, 1, [key]))
        done = feltwire(*words, "--policy", str(policy), "--once")
        assert done.exit_code == 0, done.output
    with TreeFile.open(folder / "published" / "feltwire-hall.tree") as tree:
        note = tree.note(MET)
        assert note is not None
        checked = WitnessPolicy.parse(policy.read_text()).check(note)
        assert checked.met
        assert checked.checkpoint == tree.checkpoint(tree.size)
        # Events and seals.
        assert tree.size > len(feltwire("fleet", "export", server.url).stdout.splitlines())


def a_stream_that_was_cut_off_is_not_published(server: NatsServer, folder: Path) -> None:
    """Its tree has messages that the stream has no longer."""
    with TreeFile.open(folder / "published" / "feltwire-hall.tree") as tree:
        tree.append([leaf_hash(b"lost")] * 100_000, tree.size)
    done = feltwire("fleet", "publish", server.url, "--state", str(folder / "published"), "--once")
    assert done.exit_code == NOT_VERIFIED, done.output
    assert "it was made again, or cut off" in done.output


def test_a_service_is_relayed_and_verifies_against_its_journal(tmp_path: Path) -> None:
    with nats_server() as server, service(tmp_path) as tables:
        made = feltwire("fleet", "init", server.url, "--venue", "hall")
        assert made.stdout == "feltwire-hall: made\nfeltwire-live: made\n"
        port = free_port()
        tables.start()
        with relay(server.url, tables.base, "--venue", "hall", "--metrics", str(port)) as relaying:
            status = until_held(server, tables, relaying)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=HANG_S) as answer:
                metrics = answer.read().decode()
            sealed = until_sealed(server, tables)
        assert sealed.exit_code in (0, 5), sealed.output
        assert all("OUTCOME" in str(one["verdict"]) or "VOID" in str(one["verdict"]) for one in status)
        assert 'feltwire_relay_held{table="sim/roulette-1"}' in metrics
        assert tables.stop() == 0
        verified = feltwire("fleet", "verify", server.url, "--journal", f"hall={tables.journal}")
        # The tables went on when the relay had ended: the journal may be ahead.
        journalled = Counter(row.chain for row in tables.records() if row.topic)
        ahead = sum(journalled.values()) > len(feltwire("fleet", "export", server.url).stdout.splitlines())
        assert verified.exit_code == (5 if ahead else 0), verified.output
        assert ("verified: complete, in order, and as it was published" in verified.stdout) is not ahead
        assert ("of its journal" in verified.stdout) is ahead
        misspelt = feltwire("fleet", "verify", server.url, "--journal", f"hell={tables.journal}")
        assert (misspelt.exit_code, "--journal of the venue hell" in misspelt.stderr) == (2, True)
        recalled = feltwire("fleet", "recall", f"{server.url}/hall", "--rounds", "1", "--json").stdout
        assert {json.loads(line)["table"] for line in recalled.splitlines()} == {one["table"] for one in status}
        exported = feltwire("fleet", "export", server.url).stdout.splitlines()
        journal = {row.body.decode(): row.chain for row in tables.records() if row.topic}
        assert exported
        for table in set(journal.values()):
            of_table = [line for line in exported if journal[line] == table]
            assert of_table == [body for body, chain in journal.items() if chain == table][: len(of_table)]
        publish_the_stream(server, tmp_path)
        a_stream_that_was_cut_off_is_not_published(server, tmp_path)
        # Another history, as a note on paper has it.
        kept = next(one for one in status if one["table"] == "hall/sim/roulette-1")
        wrong = feltwire("fleet", "verify", server.url, "--head", f"hall/sim/roulette-1:{kept['held']}:{'5e' * 32}")
        assert wrong.exit_code == 3
        assert "hall/sim/roulette-1 event" in wrong.stdout and "the head that was given" in wrong.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fleet", "status", "nats://127.0.0.1:1"), "no server answers there"),
        (("fleet", "verify", "http://hub"), "write nats://"),
        (("fleet", "init", "nats://127.0.0.1:1"), "give --venue"),
        (("fleet", "init", "nats://127.0.0.1:1", "--venue", "A.b"), "atlantic-hall"),
        (("relay", "nats://127.0.0.1:1", "--venue", "a b"), "atlantic-hall"),
        (("relay", "nats://127.0.0.1:1", "tcp://a:1", "--venue", "hall"), "--key"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(words: tuple[str, ...], said: str) -> None:
    done = feltwire(*words)
    assert done.exit_code == (1 if said.startswith("no server") else 2)
    assert said in done.stderr
    assert done.exception is None or isinstance(done.exception, SystemExit)
