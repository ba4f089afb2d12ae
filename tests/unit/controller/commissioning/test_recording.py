"""Recording: what the lines did comes back from replay's reader, over as many files as it took."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.bench.replay import replay
from controller.cli import main
from controller.cli import record as record_cli
from controller.cli.services_here import ServiceHere
from controller.commissioning import listening
from controller.commissioning.recording import RotatingCapture, record
from controller.live.wiring import Wiring
from drivers.cards.card_wire import CardLine, encode
from hal.backends.sim import SimLines
from hal.capture.vcd_reader import open_capture
from hal.capture.vcd_writer import CaptureLines
from hal.clock import VirtualClock
from hal.loop import run_virtual, sleep_ns
from hal.values import Batch, Edge
from tests.tables.bench import EventList, configured
from tests.tables.money_lines import TURN, MoneyLines, S, money_toml

REAL = (
    '[table]\nid = "wheel-9"\ngame = "money_wheel"\nno_more_bets = "button"\n[lines]\nbackend = "gpiod"\n[pins]\n'
    "wheel_a = { gpio = 17 }\nwheel_b = { gpio = 27 }\nwheel_index = { gpio = 22 }\n"
    "dealer_no_more_bets = { gpio = 23 }\n"
)
NAMES = ("wheel_a", "wheel_b", "wheel_index", "dealer_no_more_bets")


def read(path: Path) -> list[Edge]:
    with open_capture(path) as capture:
        names = {variable.name: variable.name for variable in capture.header.variables if variable.name in NAMES}
        return [edge for batch in capture.batches(names) for edge in batch.edges]


def test_a_recording_of_live_lines_replays_to_the_verdict_of_its_spin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = MoneyLines().rest(3).call().spin(3 * TURN).rest(8)
    clock = VirtualClock()
    lines = SimLines(NAMES, levels={edge.line: edge.level for edge in reversed(played.edges())})
    monkeypatch.setattr(listening, "wire", lambda config, clock, faults, seed: Wiring(sources=[lines]))
    path = tmp_path / "spin.vcd"

    async def work() -> None:
        stop = asyncio.Event()
        task = asyncio.ensure_future(record(configured(REAL), path, clock, stop))
        await sleep_ns(S // 100)
        waiting = [edge for edge in played.edges() if edge.t_ns > S // 100]
        while clock.now_ns() < played.now_ns:
            await sleep_ns(S // 10)
            due = [edge for edge in waiting if edge.t_ns <= clock.now_ns()]
            waiting = waiting[len(due) :]
            lines.play(due, (), clock.now_ns())
        stop.set()
        await task

    run_virtual(work(), clock)
    (events,) = replay(configured(money_toml()), [path])
    assert EventList(events).verdicts() == ["0"]


def test_files_rotate_keep_their_levels_and_the_oldest_are_removed(tmp_path: Path) -> None:
    lines = CaptureLines(wires=("wheel_a", "wheel_b"))
    with RotatingCapture(tmp_path / "r.vcd", lines, values_a_file=4, files=2) as capture:
        for turn in range(6):
            t_ns = turn * 1000 + 1
            edges = [Edge("wheel_a", (turn + 1) % 2, t_ns), Edge("wheel_b", turn % 2, t_ns + 1)]
            capture.write(Batch(edges, [], t_ns + 2))
    assert [path.name for path in capture.paths] == ["r.2.vcd", "r.3.vcd"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.2.vcd", "r.3.vcd"]
    third = read(tmp_path / "r.3.vcd")
    # The levels found: those with which the file before ended.
    assert {(edge.line, edge.level) for edge in third[:2]} == {("wheel_a", 0), ("wheel_b", 1)}


CARDS = configured('[table]\nid = "b-1"\ngame = "baccarat"\n[lines]\nbackend = "sim"\n')


def test_cards_that_no_game_has_exposed_are_recorded_as_commitments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = VirtualClock()
    links = ["shoe", "shoe_card_1", "shoe_card_2"]
    lines = SimLines(links[1:], readings=["shoe"])
    monkeypatch.setattr(listening, "wire", lambda config, clock, faults, seed: Wiring(sources=[lines]))
    card = encode(CardLine(1, "As"))

    async def work() -> None:
        stop = asyncio.Event()
        task = asyncio.ensure_future(record(CARDS, tmp_path / "s.vcd", clock, stop))
        await sleep_ns(S)
        lines.frame("shoe", card, clock.now_ns())
        lines.passed(clock.now_ns() + 1)
        await sleep_ns(S)
        lines.passed(clock.now_ns())
        stop.set()
        await task

    run_virtual(work(), clock)
    content = (tmp_path / "s.vcd").read_text().split("$enddefinitions")[1]
    assert card.decode() not in content
    assert "As" not in content
    assert re.search(r"[0-9a-f]{64}", content)


def test_beside_a_running_service_it_says_where_the_captures_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "t.toml"
    table.write_text(REAL, encoding="utf-8")
    status = {"tables": {"wheel-9": {}}, "journal": "/var/lib/feltwire/journal.sqlite"}
    monkeypatch.setattr(record_cli, "services", lambda: [ServiceHere("ipc:///run/feltwire", status)])
    result = CliRunner().invoke(main, ["record", str(table), str(tmp_path / "o.vcd")])
    assert result.exit_code == 1
    assert "/var/lib/feltwire/captures/wheel-9" in result.output


def test_a_file_that_is_there_and_a_simulated_table_are_refused(tmp_path: Path) -> None:
    table = tmp_path / "t.toml"
    table.write_text(money_toml(), encoding="utf-8")
    simulated = CliRunner().invoke(main, ["record", str(table), "-o", str(tmp_path / "o.vcd")])
    assert "has no real wires" in simulated.output
    (tmp_path / "o.vcd").touch()
    table.write_text(REAL, encoding="utf-8")
    there = CliRunner().invoke(main, ["record", str(table), str(tmp_path / "o.vcd")])
    assert (there.exit_code, "not overwritten" in there.output) == (2, True)
    both = CliRunner().invoke(main, ["record", str(table), "a.vcd", "-o", "b.vcd"])
    assert both.exit_code == 2
