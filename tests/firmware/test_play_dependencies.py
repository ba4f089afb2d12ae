"""Play on emulated boards loads what the records of its soak depend on, and nothing else of the project."""

from __future__ import annotations

from tests.soak.catalogue import SOAKS
from tests.soak.dependencies import loaded_by
from tests.soak.opened import opened_by

A_PLAY = """
import tempfile
from pathlib import Path
from tests.firmware.test_play_on_boards import S, check
with tempfile.TemporaryDirectory() as folder:
    check("token_pusher_board", Path(folder), 1, S)
"""


def test_play_loads_nothing_but_what_the_record_of_its_soak_depends_on() -> None:
    (soak,) = (one for one in SOAKS if one.name == "board-play")
    opened = opened_by(A_PLAY)
    assert {"drivers/pusher/bed.py", "simulators/board/wiring.py"} <= opened
    assert [file for file in opened if not loaded_by(soak)(file)] == []
