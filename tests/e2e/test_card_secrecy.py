"""Cards that lie face down: a real service deals a marked shoe, and every byte that left the process is searched."""

from __future__ import annotations

import json
import os
import pty
import re
import sqlite3
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from audit.verify import verify
from drivers.cards.card_wire import CardLine, encode
from feed.commitments import card_commitment
from feed.subscriber import CaughtUp, Subscriber
from tests.fakes.marked_shoe import HIDDEN, leaks, leaks_below, leaks_in
from tests.fakes.service_process import FELTWIRE, STEP_MS, Listener, ServiceProcess, listening, service
from tests.fakes.time_limits import HANG_S

TABLE = """
[table]
id = "b-1"
game = "baccarat"
no_more_bets = "auto"
calibration = "waived"
[lines]
backend = "gpiod"
[device.shoe]
barriers = false
body = false
[device.dealer]
buttons = []
[links]
shoe = {{ port = "{port}", baud = 19200 }}
[game]
settle_after_s = 600
"""


class Shoe:
    """The other end of the serial port: a reading shoe."""

    def __init__(self) -> None:
        self.end, self._link = pty.openpty()
        self.port = os.ttyname(self._link)
        self.number = 0

    def deal(self, *cards: str) -> None:
        for card in cards:
            self.number += 1
            self.send(encode(CardLine(self.number, card)))

    def send(self, data: bytes) -> None:
        os.write(self.end, data + b"\r\n")

    def close(self) -> None:
        os.close(self.end)
        os.close(self._link)


@pytest.fixture
def shoe() -> Iterator[Shoe]:
    made = Shoe()
    yield made
    made.close()


class Watched:
    """A service, and everything that it gives to anybody."""

    def __init__(self, running: ServiceProcess, feed: Listener) -> None:
        self.running = running
        self.feed = feed
        self.channels: dict[str, bytes] = {"feed": b"", "answers": b""}

    def until(self, wanted: str, **data: object) -> None:
        while True:
            event = self.feed.take()
            assert event is not None
            self.channels["feed"] += json.dumps(event).encode()
            if event["type"] == f"feltwire.{wanted}.v1" and data.items() <= event["data"].items():
                return

    def until_read(self, shoe: Shoe) -> None:
        """The service reads its port: what came before it was opened is lost."""
        warning = None
        while warning != "line_garbled":
            shoe.send(b"C;00000;6s;00")  # its checksum is wrong
            event = self.feed.take(STEP_MS)
            self.channels["feed"] += json.dumps(event).encode()
            warning = None if event is None else event["data"].get("warning")

    def order(self, *words: str) -> str:
        done = self.running.send(*words)
        self.channels["answers"] += (done.stdout + done.stderr).encode()
        assert done.returncode == 0, done.stderr
        return done.stdout

    def open(self) -> None:
        """The table is inspected and opened."""
        self.order("inspect_start", "device=shoe")
        self.order("inspect_pass", "device=shoe", "checks=cards,shown,shuffled,shoe")
        self.order("open")

    def ask(self) -> None:
        """Everything that can be asked for."""
        self.order("status")
        done = subprocess.run(
            [FELTWIRE, "journal", "show", self.journal], capture_output=True, timeout=HANG_S, check=False
        )
        self.channels["journal show"] = done.stdout + done.stderr
        with Subscriber(self.running.base, since=0, simulated=None) as subscriber:
            for item in subscriber:
                self.channels["history"] = self.channels.get("history", b"") + repr(item).encode()
                if isinstance(item, CaughtUp):
                    break
        numbers = re.search(r"http://127\.0\.0\.1:(\d+)/metrics", self.running.log.read_text())
        assert numbers is not None
        with urllib.request.urlopen(numbers[0], timeout=HANG_S) as answer:
            self.channels["metrics"] = answer.read()

    @property
    def journal(self) -> str:
        (path,) = self.running.state.rglob("journal.sqlite")
        return str(path)


def test_no_card_that_lies_face_down_leaves_the_process_until_the_stack_is_broken_up(
    tmp_path: Path, shoe: Shoe
) -> None:
    out = (tmp_path / "out").open("wb")
    table = TABLE.format(port=shoe.port)
    with service(tmp_path, tables=[table], options=["--metrics", "0"]) as running, out:
        running.start("--json", stdout=out)
        with listening(running.endpoints, ended=running.ended) as feed:
            watched = Watched(running, feed)
            watched.until_read(shoe)
            watched.open()
            shoe.deal("9c", "2d", "Kd", "3c", "7h")  # a natural, and a card in excess
            watched.until("procedure.violation", reason="card_out_of_turn")
            watched.order("excess_card", "use=discard")
            watched.order("settle")
            shoe.deal("??")
            watched.until("round.unresolved", reason="card_unread")
            shoe.deal("4h", "Ts")
            watched.until("card.sealed")
            watched.order("void", "round=2", "why=not read")
            watched.order("settle")
            watched.until("round.opened", round=3)
            watched.order("close", "reason=shoe")
            shoe.deal("8s", "5h")  # burned at the closed table
            shoe.send(b"C;00011;6s;00")  # its checksum is wrong
            watched.until("device.warning", warning="line_garbled")
            shoe.number += 1
            watched.open()
            watched.until("round.opened")
            shoe.deal("Jc", "Qs")  # the count jumped: who knows whose they are
            watched.until("round.unresolved")
            watched.until("card.sealed")
            watched.ask()
            limits = Path(f"/proc/{running.process.pid}/limits").read_text()
            assert [line.split()[4:6] for line in limits.splitlines() if "core file" in line] == [["0", "0"]]
            assert leaks_in(watched.channels) + leaks_below(tmp_path) == []
            captures = [path.read_bytes() for path in running.state.rglob("*.vcd")]
            assert len(captures) >= 2
            assert any(b"shoe.sealed" in one and b"C;00005;" in one for one in captures)

            watched.order("void", "round=4", "why=who knows")
            shoe.deal("8c")  # of a hand that nobody ends
            watched.until("procedure.violation", reason="card_out_of_turn")
        running.kill()
        (key,) = (running.state / "salts").iterdir()
        assert (key.name, key.stat().st_mode & 0o777) == ("b-1", 0o600)
        assert leaks_below(tmp_path) == []

        running.start("--json", stdout=out)
        with listening(running.endpoints, ended=running.ended) as feed:
            watched.feed = feed
            watched.until_read(shoe)
            shoe.deal("9s")
            watched.until("card.sealed")
            assert leaks_in(watched.channels) + leaks_below(tmp_path) == []
            watched.order("break_up")
            watched.until("card.opened", card="9s")
        assert running.stop() == 0
        with closing(sqlite3.connect(watched.journal)) as connection:
            rows = connection.execute("SELECT body FROM record WHERE kind = 'card.opened' ORDER BY n").fetchall()
        opened = [json.loads(body)["data"] for (body,) in rows]
    assert [one["card"] for one in opened] == ["7h", "4h", "Ts", "8s", "5h", "Jc", "Qs", "8c", "9s"]
    assert all(one["commitment"] == card_commitment(bytes.fromhex(one["salt"]), one["card"]) for one in opened)
    report = verify(Path(watched.journal))
    assert report.ok, [str(finding) for finding in report.findings]


PLANTED = {
    "event": b'{"specversion":"1.0","data":{"table":"b-1","detail":"7h belongs to neither"}}',
    "journal": b'\x13b-1.875\x00{"data":{"device":"shoe","card":"Qs","place":5}}\x7f\x9e~N',
    "log": b"2026-11-22 warning table b-1: the shoe sent C;00005;7h;1A and nobody asked",
    "capture": b"#25194524171717\nsC;00005;4h;1D !\n",
    "capture in hexadecimal": b"frame 433B30303030353B34683B3144",
    "metrics": b'feltwire_card{card="8s"} 1\n',
    "answer": b"refused: excess_card: the 5h was laid aside\n",
    "exception": b"  File \"shoe.py\", line 3, in frame\nValueError: CardLine(number=5, card='Ts')\n",
    "words": b"the dealer holds the king of spades\n",
}


@pytest.mark.parametrize("where", PLANTED)
def test_a_planted_leak_of_each_kind_is_found(where: str) -> None:
    assert [leak.where for leak in leaks_in({where: PLANTED[where]})] == [where]


@pytest.mark.parametrize("card", HIDDEN)
def test_every_card_is_found_by_value_and_by_token(card: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\x00\xff" * 20 + encode(CardLine(5, card)) + b"\n" * 8)
    assert {leak.card for leak in leaks_below(tmp_path)} == {card}
    assert {leak.card for leak in leaks("x", f'["{card}"]'.encode())} == {card}


def test_exposed_cards_hashes_and_words_are_no_leak() -> None:
    harmless = b'{"cards":["9c","Kd"],"hash":"7h8s","sealed":"06e1c7616f"} As the dealer says: 5 hearts'
    assert leaks("feed", harmless) == []


@pytest.mark.parametrize("digits", [12, 16, 17, 32, 33])
def test_random_digits_with_those_of_a_token_are_no_card(digits: int) -> None:
    random = "047617c08a87310f7cdf641a7c3dcce05468"
    by_chance = random[:5] + "4a683b" + random[11:digits]
    assert len(by_chance) == digits
    assert leaks("feed", f'"@local:{by_chance}"'.encode()) == []


@pytest.mark.parametrize("digits", [64, 128])
def test_a_hash_is_no_card_whatever_its_digits_are(digits: int) -> None:
    assert leaks("feed", (b"C;00005;Jh;00".hex() * 5)[:digits].encode()) == []


@pytest.mark.parametrize("shown", [b"C;00005;Jh;00", b"C;00005;Jh;00".hex().encode(), b"jack of hearts"])
def test_a_card_is_found_between_hashes(shown: bytes) -> None:
    head = b"047617c08a87310f7cdf641a7c3dcce054683bd0978c0bc15a2c201ef4e06dc4"
    assert [leak.card for leak in leaks("feed", head + b" " + shown + b" " + head)] == ["Jh"]
