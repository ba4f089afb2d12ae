"""Packages of somebody else in a running service: a game on a scoreboard, a backend whose lines are read, an order."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.feed_server import short_folder
from tests.fakes.scoreboard_process import address, board_of, scoreboard
from tests.fakes.service_process import FELTWIRE, listening, service
from tests.fakes.time_limits import HANG_S
from tests.plugin import TABLE, distribution, installed_into

GAME = TABLE.read_text(encoding="utf-8")
PAPER = '''
from hal.backend_spec import BackendSpec, OpenPins
from hal.backends.sim import SimLines


class PaperLines(SimLines):
    """The dealer presses the button a moment after the lines were opened."""

    presses = [1, 0]

    def delivered_until(self, now_ns):
        if self._until_ns < now_ns:
            found = [self.presses.pop(0)] if self.presses and self._until_ns > 0 else []
            for level in found:
                self.drive("dealer_no_more_bets", level, now_ns - 1)
            self.passed(now_ns)
        return super().delivered_until(now_ns)


def _open(pins, clock):
    return OpenPins([PaperLines([one.name for one in pins.inputs], name=pins.name, start_ns=clock.now_ns())], None)


PAPER = BackendSpec(name="paper", wires="pins", open=_open)
'''
WIRED = (
    GAME.replace(
        '["fair-wheel"]',
        '["fair-wheel", "paper-lines"]\ncalibration = "waived"\nopens = "at_start"\nno_more_bets = "button"',
    ).replace('"sim"', '"paper"')
    + "[pins]\n"
    + "".join(f"wheel_track_{number} = {{ gpio = {number + 16} }}\n" for number in range(1, 6))
    + "dealer_no_more_bets = { gpio = 25 }\n"
)
RING = """
from controller.rules.cited import Cited
from controller.table.authority import Authority
from controller.table.orders.order import Verb

ANYBODY = Authority("serves", Cited(("dealer", "supervisor"), "ours"))
RING = Verb("ring", lambda table, given, t_ns: "the bell rang", authority=ANYBODY)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where both packages are installed; the game has an order of its own."""
    made = installed_into(tmp_path_factory.mktemp("site"))
    distribution(made, "paper-lines", {"feltwire.backends/paper": "paper_lines:PAPER"}, {"paper_lines.py": PAPER})
    spec = made / "fair_wheel" / "spec.py"
    text = spec.read_text(encoding="utf-8")
    assert '    name="fair_wheel",\n' in text
    spec.write_text(
        text.replace("\nROOM: Final", RING + "\nROOM: Final").replace(
            '    name="fair_wheel",\n', '    name="fair_wheel",\n    orders=(RING,),\n'
        )
    )
    shutil.rmtree(made / "fair_wheel" / "__pycache__")
    return made


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as made:
        yield made


def test_the_game_of_a_package_is_played_by_a_service_and_shown_by_a_scoreboard_that_does_not_have_it(
    site: Path, folder: Path
) -> None:
    def decided(board: dict[str, Any]) -> bool:
        return len(board.get("outcomes", [])) >= 2

    with service(folder, tables=(GAME,), environ={"PYTHONPATH": str(site)}) as running:
        running.start()
        with scoreboard(running.base, "--port", "0") as (_, line):
            board = asyncio.run(board_of(address(line), "fair-1", decided))
        assert board["game"] == "fair_wheel" and board["simulated"]
        view = board["view"]
        assert (view["hero"], view["words"]["es"]["game"]) == ("prize", "Rueda de feria")
        for outcome in board["outcomes"]:
            assert view["words"]["en"][outcome["result"]["prize"]] in {"BEAR", "BALL", "SWEET", "NOTHING"}
        counted = dict(board["statistics"][view["counts"]])
        assert counted.keys() == view["colors"].keys() and sum(counted.values()) == len(board["outcomes"])
        rung = running.send("ring")
        assert (rung.returncode, rung.stdout.strip().endswith("the bell rang")) == (0, True), rung
        assert running.stop() == 0


def test_the_backend_of_a_package_reads_the_lines_of_a_table_that_names_it(site: Path, folder: Path) -> None:
    with (
        service(folder, tables=(WIRED,), options=(), environ={"PYTHONPATH": str(site)}) as running,
        listening(running.endpoints, ended=running.ended) as listener,
    ):
        running.start()
        listener.take_until("heartbeat", last=4)
        assert running.stop() == 0
        said = {row.topic.split("/")[2]: row for row in running.records(running.state / "journal.sqlite") if row.topic}
    assert [one["name"] for one in said["table.opened"].data["packages"]] == ["fair-wheel", "paper-lines"]
    assert said["round.no_more_bets"].data["by"] == "dealer"


def test_the_backend_is_refused_where_the_file_does_not_name_its_package(site: Path, folder: Path) -> None:
    table = folder / "table.toml"
    table.write_text(WIRED.replace(', "paper-lines"', ""))
    ran = subprocess.run(
        [FELTWIRE, "run", table, "--state", folder / "state", "--bind", f"ipc://{folder}/run"],
        env={"PYTHONPATH": str(site), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert ran.returncode != 0
    assert 'lines.backend: unknown backend "paper"; the package paper-lines offers it: if you trust it, ' in ran.stderr
