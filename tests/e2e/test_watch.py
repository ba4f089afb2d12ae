"""`feltwire watch` and the examples of subscribers, as processes beside a service in another one."""

from __future__ import annotations

import os
import pty
import re
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.cli.watch import JsonView, PeopleView
from feed import events
from feed.events import Evidence, StatisticsKey, Verdict, decode
from feed.state import TableState
from feed.subscriber import (
    CaughtUp,
    Fact,
    Filled,
    Gap,
    Item,
    Joined,
    Missing,
    Position,
    Restarted,
    Rewritten,
    Stale,
)
from tests.fakes.feed_model import ModelJournal, ModelTable
from tests.fakes.feed_process import TABLE, feed, journal_of
from tests.fakes.feed_server import short_folder
from tests.fakes.time_limits import HANG_S

ROOT = Path(__file__).resolve().parents[2]
FELTWIRE = [sys.executable, "-c", "from controller.cli import main; main()"]


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder


class Process:
    """A process whose lines are read as they come."""

    def __init__(self, arguments: Sequence[str], out: int | None = None) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "80"}
        self._process = subprocess.Popen(
            arguments, cwd=ROOT, env=environment, stdout=subprocess.PIPE if out is None else out, stderr=subprocess.PIPE
        )
        self._selector = selectors.DefaultSelector()
        self._text: dict[str, bytes] = {"out": b"", "err": b""}
        if self._process.stdout is not None:
            self._selector.register(self._process.stdout, selectors.EVENT_READ, "out")
        assert self._process.stderr is not None
        self._selector.register(self._process.stderr, selectors.EVENT_READ, "err")

    def until(self, pattern: str, stream: str = "out") -> re.Match[str]:
        """Reads until a line says something."""
        while True:
            match = re.search(pattern, self._text[stream].decode())
            if match is not None:
                return match
            ready = self._selector.select(HANG_S)
            assert ready, f"{pattern} never came: {self._text}"
            for key, _ in ready:
                more = os.read(key.fd, 65536)
                assert more, f"it ended without {pattern}: {self._text}"
                self._text[str(key.data)] += more

    @property
    def lines(self) -> list[bytes]:
        """Whole lines of stdout so far."""
        return self._text["out"].split(b"\n")[:-1]

    def interrupt(self) -> int:
        """Ctrl-C; returns the exit code."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(HANG_S)

    def stop(self) -> None:
        """SIGSTOP."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT."""
        self._process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        """Ends it, whatever it does."""
        self._process.kill()
        self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()


@contextmanager
def process(*arguments: str, out: int | None = None) -> Iterator[Process]:
    """A process that lives as long as the block."""
    running = Process(arguments, out)
    try:
        yield running
    finally:
        running.close()


def test_a_newcomer_sees_that_it_waits_then_what_is_said_and_every_restart(folder: Path) -> None:
    base, journal = f"ipc://{folder}", folder / "journal"
    with process(*FELTWIRE, "watch", base) as watch:
        watch.until(f"watching all tables at {base}; Ctrl-C ends it")
        watch.until(f"-- no publisher at {base} yet; waiting")
        with feed(base, journal, "e1"):
            watch.until("-- wheel-1 is open.*after event")
            watch.until("wheel-1 .*warning wheel: bounce")
        with feed(base, journal, "e2"):
            watch.until("-- wheel-1: the service was started again after event")
            watch.until("table opened: money_wheel")
        watch.until("-- wheel-1: STALE, no heartbeat for 3 s")
        assert watch.interrupt() == 0


def test_ctrl_c_ends_it_while_it_waits_for_a_service_of_this_computer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FELTWIRE_RUNTIME", str(folder))
    with process(*FELTWIRE, "watch") as watch:
        watch.until("waiting for one", "err")
        assert watch.interrupt() == 0


def test_json_is_exactly_the_bodies_and_nothing_else(folder: Path) -> None:
    base, journal = f"ipc://{folder}", folder / "journal"
    with feed(base, journal, "e1") as service:
        arguments = ["watch", base, "--json", "--since", "0", "--table", TABLE]
        with process(*FELTWIRE, *arguments) as watch:
            service.burst(20)
            last = service.end()
            watch.until(f'"id":"{TABLE}.e1.{last}"')
            watch.until(f"watching {TABLE} at", "err")
            assert watch.interrupt() == 0
            durable = [line for line in watch.lines if decode(line).seq is not None]
    assert durable == journal_of(journal).bodies(TABLE)


def test_a_watcher_that_was_stopped_has_everything_when_it_goes_on(folder: Path) -> None:
    base, journal = f"ipc://{folder}", folder / "journal"
    with (
        feed(base, journal, "e1") as service,
        process(*FELTWIRE, "watch", base, "--json", "--since", "0") as watch,
        process(*FELTWIRE, "watch", base, "--json", "--since", "0") as other,
    ):
        watch.until('"id":"wheel-1.e1.1"')
        other.until('"id":"wheel-1.e1.1"')
        watch.stop()
        service.burst(12_000)
        last = service.end()
        # The other is not held up by the one that does not read.
        other.until(f'"id":"{TABLE}.e1.{last}"')
        watch.go_on()
        watch.until(f'"id":"{TABLE}.e1.{last}"')
        durable = [line for line in watch.lines if decode(line).seq is not None]
        assert durable == journal_of(journal).bodies(TABLE)


def test_watch_refuses_an_address_and_a_key_that_cannot_be_used(folder: Path) -> None:
    def code(*arguments: str) -> tuple[int, str]:
        done = subprocess.run([*FELTWIRE, "watch", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    assert code("http://x") == (2, code("http://x")[1])
    assert "must begin with ipc:// or tcp://" in code("http://x")[1]
    assert "needs --key" in code("tcp://127.0.0.1:5600")[1]
    status, said = code("tcp://127.0.0.1:5600", "--key", str(folder / "no.secret"), "--server", "x")
    assert status == 2
    assert "no.secret" in said


def test_on_a_terminal_live_measures_stay_on_one_line(folder: Path) -> None:
    """A pseudo-terminal: `isatty` is true there."""
    base, journal = f"ipc://{folder}", folder / "journal"
    master, slave = pty.openpty()
    try:
        with feed(base, journal, "e1"), process(*FELTWIRE, "watch", base, out=slave):
            text = b""
            with selectors.DefaultSelector() as selector:
                selector.register(master, selectors.EVENT_READ)
                while not re.search(rb"\r\x1b\[2K[^\n]*revolutions\x1b\[0m\r\x1b\[2K", text):
                    assert selector.select(HANG_S), text
                    text += os.read(master, 65536)
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize(
    ("example", "addresses"),
    [("subscriber.py", ("{}",)), ("bare_subscriber.py", ("{}/feed", "{}/history"))],
)
def test_an_example_shows_everything_over_a_restart(example: str, addresses: tuple[str, ...], folder: Path) -> None:
    base, journal = f"ipc://{folder}", folder / "journal"
    # As `pip install ./feed` installs it; tests/e2e/test_feed_client.py installs it.
    (folder / "feltwire_feed").symlink_to(ROOT / "feed")
    run = f"import runpy, sys; sys.path.insert(0, {str(folder)!r}); sys.argv.pop(0); runpy.run_path(sys.argv[0])"
    arguments = [sys.executable, "-c", run, f"examples/{example}", *(address.format(base) for address in addresses)]
    with process(*arguments) as shown:
        with feed(base, journal, "e1") as service:
            shown.until(rf"wheel-1\.e1\.{service.end()} ")
        with feed(base, journal, "e2") as service:
            shown.until(rf"wheel-1\.e2\.{service.end()} ")
        lines = b"\n".join(shown.lines).decode()
    numbers = [int(number) for number in re.findall(r"wheel-1\.e[12]\.(\d+) ", lines)]
    assert numbers == [decode(body).seq for body in journal_of(journal).bodies(TABLE)][: len(numbers)]


def test_every_notice_is_a_line_that_says_what_to_think_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    there = Position("e1", 9, "ab" * 32)
    items: list[Item] = [
        CaughtUp(table=TABLE, position=there),
        Gap(table=TABLE, first=4, last=6),
        Filled(table=TABLE, first=4, last=6),
        Missing(table=TABLE, first=1, last=3),
        Restarted(table=TABLE, epoch="e2", previous=there),
        Rewritten(table=TABLE, held=there, journal=Position("e2", 5), why="the journal ends before what was received"),
        Stale(table="wheel-1", simulated=True, silent_ns=3_000_000_000),
    ]
    view = PeopleView(show_caught_up=True)
    for item in items:
        view.show(item)
    assert capsys.readouterr().out.splitlines() == [
        "-- wheel-1: up to date with event 9",
        "-- wheel-1: events 4 to 6 did not arrive; asking for them",
        "-- wheel-1: gap filled, events 4 to 6",
        "-- wheel-1: events 1 to 3 are archived and are not in this journal",
        "-- wheel-1: the service was started again after event 9",
        "-- wheel-1: HISTORY REWRITTEN: the journal ends before what was received. "
        "Received: 9 of epoch e1, head abababababab. The journal: 5 of epoch e2",
        "-- sim/wheel-1: STALE, no heartbeat for 3 s",
    ]


def test_a_table_that_is_joined_shows_its_last_outcomes_and_how_often_each_value_came(
    capsys: pytest.CaptureFixture[str],
) -> None:
    table, state = ModelTable(ModelJournal(), TABLE, "e1"), TableState(TABLE)
    keys = [
        StatisticsKey(field="face", values=["$1", "$2"]),
        StatisticsKey(field="space", values=[*range(10)]),
    ]
    said = [table.say(events.TableOpened, rules="r", software="s", devices=[], history=100, statistics=keys)]
    for number in range(1, 24):
        result = {"space": number % 5, "face": "$1"}
        said.append(table.say(events.Outcome, round=number, result=result, winning=[], evidence=Evidence(), rule="r"))
    to = Verdict(verdict="outcome", result={"space": 9, "face": "$2"})
    said.append(table.say(events.RoundCorrected, round=22, by="ann", from_=to, to=to, why=""))
    for _, body in said:
        state.apply(decode(body))
    PeopleView(show_caught_up=False).show(Joined(table=TABLE, snapshot=state.snapshot()))
    joined, latest, *counts = capsys.readouterr().out.splitlines()
    assert joined.startswith("-- wheel-1 is open")
    assert latest.startswith(
        "   the last 20 outcomes, the newest first: $1 (space 3); $2 (space 9) (corrected); $1 (space 1); "
    )
    assert latest.count(";") == 19
    assert counts == [
        "   face in 23 outcomes: $1 (22), $2 (1)",
        "   space in 23 outcomes: most 1 (5), 3 (5), 0 (4), 2 (4); least 8 (0), 7 (0), 6 (0), 5 (0)",
    ]


def test_a_value_that_never_came_is_not_among_those_that_came_most(capsys: pytest.CaptureFixture[str]) -> None:
    table, state = ModelTable(ModelJournal(), TABLE, "e1"), TableState(TABLE)
    keys = [StatisticsKey(field="space", values=[*range(10)])]
    said = [table.say(events.TableOpened, rules="r", software="s", devices=[], history=100, statistics=keys)]
    for number in (1, 2):
        result = {"space": number, "face": "$1"}
        said.append(table.say(events.Outcome, round=number, result=result, winning=[], evidence=Evidence(), rule="r"))
    for _, body in said:
        state.apply(decode(body))
    PeopleView(show_caught_up=False).show(Joined(table=TABLE, snapshot=state.snapshot()))
    assert capsys.readouterr().out.splitlines()[2:] == [
        "   space in 2 outcomes: most 1 (1), 2 (1); least 9 (0), 8 (0), 7 (0), 6 (0)"
    ]


def test_a_table_without_outcomes_shows_none(capsys: pytest.CaptureFixture[str]) -> None:
    PeopleView(show_caught_up=False).show(Joined(table=TABLE, snapshot=TableState(TABLE).snapshot()))
    assert capsys.readouterr().out.splitlines() == ["-- wheel-1 is closed, after event 0"]


def test_a_simulated_round_is_marked_in_every_line(capsys: pytest.CaptureFixture[str]) -> None:
    table = ModelTable(ModelJournal(), TABLE, "e1", simulated=True)
    body = table.say(events.RoundOpened, round=1)[1]
    PeopleView(show_caught_up=False).show(Fact(decode(body), body))
    assert "sim wheel-1" in capsys.readouterr().out
    JsonView().show(Fact(decode(body), body))
    assert capsys.readouterr().out.encode() == body + b"\n"
