"""A table on real wires loads no simulator, so that nothing can fall back to one, and nothing of a bridge."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOADED = """
FOREIGN = ("simulators", "bridges", "aiomqtt", "paho")
import sys
import controller.bench.replay
import controller.cli
import controller.live.live_table
import controller.service.service
from controller.games.assembly import table_for
from controller.games.load import load

for config in [table for file in sys.argv[1:] for table in load([file])]:
    table_for(config, epoch="e", simulated=False)
print(sorted(name for name in sys.modules if name.split(".")[0] in FOREIGN))
"""


def test_tables_on_pins_and_boards_load_no_simulator_and_no_bridge() -> None:
    wired = sorted(str(file) for file in (ROOT / "examples").glob("*_on_pi.toml"))
    wired += [str(ROOT / "examples" / "automatic_roulette.toml"), str(ROOT / "examples" / "sic_bo_board.toml")]
    command = [sys.executable, "-c", LOADED, *wired]
    loaded = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout == "[]\n"
