"""The service as people run it: real processes, real sockets, a journal on a disk, simulated tables at high speed."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import pytest
import zmq

from controller.journal.history import JournalHistory
from feed.allow_list import Allowed, Position, Role, allow
from feed.keys import SERVER, ClientCurve, KeyPair, new_pair, write_pair
from tests.fakes.service_process import (
    FELTWIRE,
    MONEY_WHEEL,
    Listener,
    ServiceProcess,
    listening,
    service,
)
from tests.fakes.time_limits import HANG_MS, HANG_S

MINI_CRAPS = '[table]\nid = "craps-1"\ngame = "mini_craps"\n[lines]\nbackend = "sim"\n[device.reader]\n'
QUICK, FULL = 2_000, 100_000
"""Messages of garbage: by default, and in the soak."""
SLOW = ("--speed", "1")
_RANDOM = SystemRandom()
FULL_BYTES = 64 * 1024
"""A few commits in the journal's write-ahead log, and more than the service's own log ever has here."""


def ask(service: ServiceProcess, curve: ClientCurve | None = None, **request: Any) -> dict[str, Any]:
    """Sends one request over a socket of its own, and waits for the answer."""
    return exchange(service, json.dumps(request).encode(), curve)


def void(request_id: str, table: str) -> dict[str, Any]:
    """The round has no result."""
    return {"id": request_id, "table": table, "command": "void", "given": {"reason": "dealer_call"}}


def exchange(service: ServiceProcess, body: bytes, curve: ClientCurve | None = None) -> dict[str, Any]:
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.linger = 0
        if curve is not None:
            curve.apply(socket)
        socket.connect(service.endpoints.commands)
        socket.send(body)
        assert socket.poll(HANG_MS), "no answer"
        answer: dict[str, Any] = json.loads(socket.recv_multipart()[-1])
        return answer


def started(service: ServiceProcess, listener: Listener, *options: str) -> None:
    service.start(*options)
    listener.take_until("heartbeat")


# --- from start to end ---------------------------------------------------------------------------------------------


def test_what_is_published_is_what_the_journal_holds_and_the_end_is_orderly(tmp_path: Path) -> None:
    with service(tmp_path) as running, listening(running.endpoints) as listener:
        started(running, listener)
        listener.take_durable(100)
        assert running.stop() == 0
        listener.drain()
        records = {record.id: (record.topic.encode(), record.body) for record in running.records()}
    assert listener.durable.items() <= records.items()
    assert list(records)[-1] in listener.durable, "the last events went out before the sockets closed"
    assert all(topic.startswith(b"sim/v1/") for topic, _ in listener.durable.values())
    history = JournalHistory(running.journal)
    assert set(history.tables()) == {"wheel-1", "roulette-1"}
    history.close()
    assert running.log.read_text().splitlines()[-1] == "info: stopped"
    verified = subprocess.run(
        [FELTWIRE, "journal", "verify", running.journal], capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_a_round_that_an_interrupt_ends_is_journalled_as_such_and_not_as_a_call(tmp_path: Path) -> None:
    with service(tmp_path, options=SLOW) as running, listening(running.endpoints) as listener:
        started(running, listener)
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(HANG_S) == 0
        voids = [record.data for record in running.records() if record.kind == "round.void"]
    assert [(void["reason"], void["call"], void["rule"]) for void in voids] == [
        ("service_stopped", "No spin", "ours"),
        ("service_stopped", "No spin", "ours"),
    ]


def test_each_start_plays_other_rounds_unless_it_is_told_the_seed(tmp_path: Path) -> None:
    seeds = set()
    with service(tmp_path, options=SLOW) as running:
        for options in ((), (), ("--seed", "7")):
            with listening(running.endpoints) as listener:
                started(running, listener, *options)
            assert running.stop() == 0
            line = next(one for one in reversed(running.log.read_text().splitlines()) if one.startswith("process "))
            assert line.startswith(f"process {running.process.pid}; seed ")
            seeds.add(line.split("; ")[1])
    assert "seed 7" in seeds
    assert len(seeds) == 3, "one of a million is equal"


def test_heartbeats_tell_the_head_that_the_journal_has(tmp_path: Path) -> None:
    with service(tmp_path, tables=[MONEY_WHEEL], options=SLOW) as running, listening(running.endpoints) as listener:
        running.start()
        beat = listener.take_until("heartbeat")["data"]
        assert beat["state"] == "open"
        history = JournalHistory(running.journal)
        page = history.page("wheel-1", "", 0, 1)
        history.close()
        assert (beat["last"], beat["head"], beat["epoch"]) == (page.last, page.head, page.epoch)


def test_the_history_server_answers_what_was_missed(tmp_path: Path) -> None:
    with service(tmp_path, options=SLOW) as running, listening(running.endpoints) as listener:
        started(running, listener)
        with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
            socket.linger = 0
            socket.connect(running.endpoints.history)
            socket.send_multipart([b"1", b"since", b"wheel-1", b"", b"0"])
            answers: list[list[bytes]] = []
            while not answers or answers[-1][1] == b"event":
                assert socket.poll(HANG_MS)
                answers.append(socket.recv_multipart())
        kinds = [json.loads(body)["type"] for _, kind, *rest in answers if kind == b"event" for body in rest[1:]]
    assert kinds[:2] == ["feltwire.table.opened.v1", "feltwire.round.opened.v1"]
    assert answers[-1][1] == b"done"


def test_two_services_never_write_the_same_journal(tmp_path: Path) -> None:
    with service(tmp_path, options=SLOW) as running, listening(running.endpoints) as listener:
        started(running, listener)
        second = subprocess.run(
            [FELTWIRE, "run", tmp_path / "table-0.toml", "--state", running.state, "--bind", f"ipc://{tmp_path}/other"],
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
        assert second.returncode == 1
        assert "not fit to run" in second.stderr
        assert listener.take_until("heartbeat"), "the first one goes on"


def test_an_address_that_cannot_be_bound_stops_the_start_and_the_journal_is_closed_in_order(tmp_path: Path) -> None:
    with service(tmp_path, options=SLOW) as running, listening(running.endpoints) as listener:
        started(running, listener)
        second = subprocess.run(
            [FELTWIRE, "run", tmp_path / "table-0.toml", "--state", tmp_path / "state-2", "--bind", running.base],
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )
    assert second.returncode == 1
    assert "a service is running at" in second.stderr


def test_over_the_network_it_does_not_start_without_keys(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(MONEY_WHEEL)
    words: list[str | Path] = [FELTWIRE, "run", path, "--state", tmp_path / "state", "--bind", "tcp://127.0.0.1:5600"]
    refused = subprocess.run(words, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert refused.returncode == 2
    assert "connections over the network need keys" in " ".join(refused.stderr.split())
    assert not (tmp_path / "state").exists()


def test_keys_for_sockets_that_ask_for_none_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(MONEY_WHEEL)
    words: list[str | Path] = [FELTWIRE, "run", path, "--state", tmp_path / "state", "--keys", tmp_path / "keys"]
    refused = subprocess.run(words, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert refused.returncode == 2
    assert "--keys is for tcp://" in refused.stderr


def test_an_output_that_nobody_reads_does_not_stop_the_tables(tmp_path: Path) -> None:
    with service(tmp_path) as running, listening(running.endpoints) as listener:
        running.start("--json", stdout=subprocess.PIPE)
        # A pipe holds 64 KiB: some two hundred events, and live revolutions come by beside these.
        listener.take_durable(300)
        assert running.process.stdout is not None
        assert running.stop() == 0
        running.process.stdout.close()


def test_lines_of_json_are_the_bodies_of_the_feed(tmp_path: Path) -> None:
    with service(tmp_path) as running, listening(running.endpoints) as listener:
        running.start("--json", "--seconds", "2", stdout=subprocess.PIPE)
        output, _ = running.process.communicate(timeout=HANG_S)
        listener.drain()
    lines = set(output.splitlines())
    assert {body for _, body in listener.durable.values()} <= lines
    assert len(listener.durable) > 3


def test_systemd_is_notified_that_the_service_is_ready_and_of_its_status(tmp_path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(HANG_S)
        environ = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "5000000"}
        with service(tmp_path, options=SLOW, environ=environ) as running:
            running.start()
            told: list[bytes] = []
            while b"WATCHDOG=1" not in told or not any(b"open" in one for one in told):
                told.append(manager.recv(1000))
            running.stop()
    assert b"READY=1" in told
    assert b"STATUS=wheel-1 open, roulette-1 open; 0 subscribers" in told


def test_a_refused_round_is_kept_and_the_file_that_its_event_names_replays_to_its_verdict(tmp_path: Path) -> None:
    options = ("--speed", "50", "--fault", "short_spin")
    with service(tmp_path, tables=[MONEY_WHEEL], options=options) as running, listening(running.endpoints) as listener:
        started(running, listener)
        refused = listener.take_until("round.void")["data"]
        # The file is written behind the event; once the service has ended it is there.
        assert running.stop() == 0
        named = refused["evidence"]["capture"]
        path = running.journal.parent / "captures" / named["file"]
        assert sha256(path.read_bytes()).hexdigest() == named["sha256"]
        words = [FELTWIRE, "replay", tmp_path / "table-0.toml", path, "--json"]
        replayed = subprocess.run(words, capture_output=True, timeout=HANG_S, check=True)
    verdicts = [json.loads(line)["data"] for line in replayed.stdout.splitlines() if b"round.void" in line]
    assert [verdict["reason"] for verdict in verdicts][-1:] == [refused["reason"]] == ["wheel_revolutions"]


# --- commands ------------------------------------------------------------------------------------------------------


def test_a_command_is_carried_out_answered_and_journalled_with_its_sender(tmp_path: Path) -> None:
    with service(tmp_path, options=SLOW) as running, listening(running.endpoints) as listener:
        started(running, listener)
        sent = running.send(
            "void", "reason=dealer_call", "why=spill", "on", "it", "--table", "wheel-1", "--by", "Ann Lee"
        )
        assert sent.returncode == 0, sent.stderr
        done, *events = sent.stdout.splitlines()
        assert "is void" in done
        said = listener.take_until("round.void")
        assert said["data"]["evidence"]["detail"] == "spill on it"
        (record,) = [one for one in running.records() if one.chain == "@commands"]
        command = json.loads(record.body)
        assert (command["sender"], command["role"], command["accepted"]) == ("Ann Lee", "supervisor", True)
        assert said["id"] in command["events"]
        assert f"  event {said['id']}" in events


def test_the_same_command_again_is_not_carried_out_again_not_even_after_a_restart(tmp_path: Path) -> None:
    with service(tmp_path, options=SLOW) as running, listening(running.endpoints) as listener:
        started(running, listener)
        request: dict[str, Any] = {
            "id": "void-1",
            "table": "wheel-1",
            "command": "void",
            "given": {"reason": "dealer_call"},
        }
        first = ask(running, **request)
        again = ask(running, **request)
        running.kill()
        started(running, listener)
        after = ask(running, **request)
        assert first["accepted"]
        assert not first["again"]
        assert again == after == first | {"again": True}
        assert [one.kind for one in running.records() if one.chain == "wheel-1"].count("round.void") == 2, (
            "the one that was sent, and the one of the power cut"
        )


def test_a_refused_command_is_exit_4_with_the_reason_and_journalled(tmp_path: Path) -> None:
    options = (*SLOW, "--local-role", "read-only")
    with service(tmp_path, options=options) as running, listening(running.endpoints) as listener:
        started(running, listener)
        refused = running.send("void", "reason=dealer_call", "--table", "wheel-1", "--by", "mallory")
        assert refused.returncode == 4
        assert "read-only" in refused.stderr
        (record,) = [one for one in running.records() if one.chain == "@commands"]
        command = json.loads(record.body)
        assert (command["sender"], command["role"], command["accepted"]) == ("mallory", "read-only", False)
        status = json.loads(running.send("status", "--json").stdout)["status"]
        assert (status["tables"]["wheel-1"]["live"], status["tables"]["wheel-1"]["simulated"]) == (False, True)
        assert running.send("quit").returncode == 4
        assert running.process.poll() is None


def test_without_a_service_send_exits_with_1(tmp_path: Path) -> None:
    with service(tmp_path) as running:
        unanswered = running.send("status", "--timeout", "0.1", "--id", "abc")
    assert unanswered.returncode == 1
    assert "feltwire run" in unanswered.stderr
    assert "nothing was sent" in unanswered.stderr


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["void", "reason"], "is not a key=value"),
        (["reason=x"], "no command is given"),
        (["void", "why=a", "why=b"], "given twice"),
        (["void reason=x"], "leave out the quotation marks"),
        (["No-more-bets"], 'did you mean "no_more_bets"?'),
        (["void", "id=a b"], "matching regex"),
        (["status", "--timeout", "-1"], "give seconds above 0"),
        (["status", "--timeout", "nan"], "give seconds above 0"),
    ],
)
def test_a_command_line_that_is_none_is_exit_2(tmp_path: Path, words: list[str], what: str) -> None:
    with service(tmp_path) as running:
        wrong = running.send(*words)
    assert wrong.returncode == 2
    assert what in wrong.stderr


def test_a_plain_request_socket_is_answered_too(tmp_path: Path) -> None:
    with service(tmp_path, options=SLOW) as running, listening(running.endpoints) as listener:
        started(running, listener)
        with zmq.Context() as context, context.socket(zmq.REQ) as socket:
            socket.linger = 0
            socket.connect(running.endpoints.commands)
            for number in range(3):
                socket.send(json.dumps({"id": str(number), "command": "status"}).encode())
                assert socket.poll(HANG_MS)
                assert json.loads(socket.recv())["accepted"]


def test_quit_ends_the_service_in_order(tmp_path: Path) -> None:
    with service(tmp_path, options=SLOW) as running, listening(running.endpoints) as listener:
        started(running, listener)
        assert running.send("quit").returncode == 0
        assert running.process.wait(HANG_S) == 0
        kinds = [record.kind for record in running.records() if record.chain == "wheel-1"]
    assert kinds[-2:] == ["round.void", "table.closed"]


class Keyed:
    """A service over tcp with keys, and its clients."""

    def __init__(self, folder: Path) -> None:
        self.keys = folder / "keys"
        self.server = new_pair(SERVER)
        write_pair(self.keys, self.server)
        (self.keys / "allowed").mkdir(mode=0o700)

    def client(
        self, name: str, role: Role, operator_class: Any = None, positions: tuple[Position, ...] = ()
    ) -> ClientCurve:
        pair = new_pair(name)
        entry = Allowed(name=name, public=pair.public, role=role, operator_class=operator_class, positions=positions)
        allow(self.keys / "allowed", entry)
        return ClientCurve(pair, self.server.public)

    def stranger(self) -> ClientCurve:
        return ClientCurve(KeyPair("x", *_halves()), self.server.public)


def _halves() -> tuple[str, str]:
    public, secret = zmq.curve_keypair()
    return public.decode(), secret.decode()


def free_ports() -> int:
    """The first of three ports in a row that nobody has now, drawn below those that the kernel gives by itself: tests
    beside this one draw others."""
    import socket

    while True:
        base = _RANDOM.randrange(20_000, 32_000)
        with socket.socket() as one, socket.socket() as two, socket.socket() as three, suppress(OSError):
            for offset, probe in enumerate((one, two, three)):
                probe.bind(("127.0.0.1", base + offset))
            return base


def test_over_the_network_the_key_says_who_it_is_and_what_they_may_do(tmp_path: Path) -> None:
    keyed = Keyed(tmp_path)
    boss = keyed.client("pit-boss", "supervisor", "A")
    class_b = keyed.client("floor-b", "supervisor", "B")
    board = keyed.client("board-1", "read-only")
    base = f"tcp://127.0.0.1:{free_ports()}"
    options = (*SLOW, "--keys", str(keyed.keys))
    with service(tmp_path, base=base, options=options) as running, listening(running.endpoints, board) as listener:
        started(running, listener)
        request: dict[str, Any] = {
            "id": "1",
            "table": "roulette-1",
            "command": "void",
            "given": {"reason": "dealer_call"},
        }
        refused = ask(running, board, **request, by="pit-boss")
        assert not refused["accepted"]
        assert "board-1 has the role read-only" in refused["reason"]
        not_a = ask(running, class_b, **request)
        assert not not_a["accepted"]
        assert "13:" in not_a["reason"], "the rule is cited"
        assert ask(running, boss, **request)["accepted"]
        senders = [json.loads(one.body) for one in running.records() if one.chain == "@commands"]
        assert [(one["sender"], one["accepted"]) for one in senders] == [
            ("board-1", False),
            ("floor-b", False),
            ("pit-boss", True),
        ]
        write_pair(tmp_path / "mine", boss.pair)
        key = ("--key", str(tmp_path / "mine" / "pit-boss.secret"), "--server", str(keyed.keys / "server.public"))
        sent = running.send("status", *key)
        assert sent.returncode == 0, sent.stderr
        assert "wheel-1: open" in sent.stdout
        assert running.send("status").returncode == 2, "no key is given"
        with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
            socket.linger = 0
            keyed.stranger().apply(socket)
            socket.connect(running.endpoints.commands)
            socket.send(json.dumps(request).encode())
            while "unknown key" not in running.log.read_text():
                listener.take_until("heartbeat")
            assert not socket.poll(0), "whoever has no key gets nothing"


def test_over_the_network_a_position_at_the_table_is_one_that_the_key_is_allowed_for(tmp_path: Path) -> None:
    keyed = Keyed(tmp_path)
    zoe = keyed.client("zoe", "dealer", "A")
    kim = keyed.client("kim", "dealer", "A", ("floorperson",))
    base = f"tcp://127.0.0.1:{free_ports()}"
    options = (*SLOW, "--keys", str(keyed.keys))
    made = service(tmp_path, tables=[MINI_CRAPS], base=base, options=options)
    with made as running, listening(running.endpoints, kim) as listener:
        started(running, listener)
        call = {"table": "craps-1", "command": "void"}
        given = {"reason": "improper_throw", "as": "floorperson"}
        refused = ask(running, zoe, id="1", **call, given=given)
        assert not refused["accepted"]
        assert "the key of zoe is allowed for no position, not for 'floorperson' (house rule)" in refused["reason"]
        assert ask(running, kim, id="2", **call, given=given)["accepted"]
        boxperson = ask(running, kim, id="3", **call, given=given | {"as": "boxperson"})
        assert "allowed for floorperson, not for 'boxperson'" in boxperson["reason"]
        senders = [json.loads(one.body) for one in running.records() if one.chain == "@commands"]
        assert [(one["sender"], one["given"]["as"], one["accepted"]) for one in senders] == [
            ("zoe", "floorperson", False),
            ("kim", "floorperson", True),
            ("kim", "boxperson", False),
        ]


# --- a journal that fails ------------------------------------------------------------------------------------------


def test_a_journal_that_cannot_be_written_halts_with_nothing_published_that_is_not_durable(tmp_path: Path) -> None:
    with service(tmp_path) as running, listening(running.endpoints) as listener:
        started(running, listener)
        listener.take_durable(20)
        # No file of the process may be written beyond this: as on a full disk, writing fails.
        resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (FULL_BYTES, resource.RLIM_INFINITY))
        beat = listener.take_until("heartbeat", state="halted")["data"]
        listener.take_until("heartbeat", state="halted")
        status = running.send("status")
        refused = running.send("void", "reason=dealer_call", "--table", "wheel-1")
        assert status.returncode == 0
        assert "halted" in status.stdout
        assert "PROBLEM" in status.stdout
        assert refused.returncode == 4
        assert "journal failed" in refused.stderr
        assert "HALTED" in running.log.read_text()
        assert running.send("quit").returncode == 0
        assert running.process.wait(HANG_S) == 0
        held = {record.id: record.body for record in running.records()}
        assert {event_id: body for event_id, (_, body) in listener.durable.items()}.items() <= held.items()
        assert beat["last"] == max(record.seq for record in running.records() if record.chain == beat["table"])


def test_a_journal_that_was_changed_keeps_the_service_from_starting(tmp_path: Path) -> None:
    import sqlite3
    from contextlib import closing

    with service(tmp_path) as running, listening(running.endpoints) as listener:
        started(running, listener)
        listener.take_durable(20)
        running.stop()
        with closing(sqlite3.connect(running.journal)) as connection, connection:
            connection.execute(
                "UPDATE record SET body = CAST(replace(CAST(body AS TEXT), 'rules', 'ruled') AS BLOB) WHERE n = 1"
            )
        running.start()
        assert running.process.wait(HANG_S) == 1
        assert "not fit to run" in running.log.read_text()
        assert "journal verify" in running.log.read_text()


# --- garbage -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("messages", [QUICK, pytest.param(FULL, marks=pytest.mark.soak)])
def test_garbage_on_the_command_socket_stops_nothing_grows_nothing_and_reaches_no_journal(
    messages: int, tmp_path: Path
) -> None:
    random = Random(messages)
    with service(tmp_path, options=SLOW) as running, listening(running.endpoints) as listener:
        started(running, listener)
        before = resident_kb(running)
        with zmq.Context() as context:
            for _ in range(messages // 500):
                with context.socket(zmq.DEALER) as socket:
                    socket.linger = -1
                    socket.sndtimeo = HANG_MS
                    socket.connect(running.endpoints.commands)
                    for _ in range(500):
                        socket.send_multipart(garbage(random))
                    # What was sent is taken before the next: an answer to the last thing that it says.
                    marker = {"id": "m", "command": "nothing", "table": "x"}
                    socket.send(json.dumps(marker).encode())
                    socket.linger = 0
                    while socket.poll(HANG_MS):
                        if json.loads(socket.recv_multipart()[-1]).get("id") == "m":
                            break
        assert running.process.poll() is None
        assert ask(running, id="s", command="status")["accepted"]
        commands = [one for one in running.records() if one.chain == "@commands"]
        assert all(json.loads(one.body)["id"] == "m" for one in commands)
        assert len(commands) <= 1
        assert resident_kb(running) - before < 20_000
        assert listener.take_until("heartbeat")["data"]["state"] == "open"
        malformed = ask(running, id="t", command="status")["status"]["commands"]["malformed"]
        assert malformed > messages * 0.9


def garbage(random: Random) -> list[bytes]:
    """Frames that are not a request: noise, cut requests, wrong types, too many frames."""
    request = b'{"id": "7", "table": "wheel-1", "command": "void", "given": {"reason": "dealer_call"}}'
    match random.randrange(6):
        case 0:
            return [random.randbytes(random.randrange(1, 200))]
        case 1:
            return [request[: random.randrange(1, len(request) - 1)]]
        case 2:
            at = random.randrange(len(request) - 1)
            return [request[:at] + bytes([random.randrange(128, 256)]) + request[at + 1 :]]
        case 3:
            return [random.randbytes(5) for _ in range(random.randrange(2, 40))]
        case 4:
            return [b"[" * random.randrange(1, 10_000)]
        case _:
            return [b'{"id": "7", "command": "void", "given": {"why": "%s"}}' % (b"x" * random.randrange(501, 60_000))]


def resident_kb(service: ServiceProcess) -> int:
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


def test_the_newcomers_tables_of_the_examples_run_together(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    tables = [(root / "examples" / name).read_text() for name in ("roulette.toml", "money_wheel.toml")]
    with service(tmp_path, tables=tables) as running, listening(running.endpoints) as listener:
        started(running, listener)
        seen = {listener.take_until("round.outcome")["data"]["game"] for _ in range(20)}
    assert seen == {"roulette", "money_wheel"}
