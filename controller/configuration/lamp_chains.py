"""Which board a table's lamps hang on, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controller.configuration.declaration import value_text
from controller.configuration.device import DeviceConfig
from controller.configuration.problems import ConfigFinding
from controller.configuration.sections import BoardSection
from drivers.lamps.lamp_board import LAMPS, LampBoardConfig
from hal.board.messages import KINDS as BOARDS
from hal.known_names import suggestion

DEVICE: Final = "lamp_board"
KINDS: Final = tuple(name for name, kind in BOARDS.items() if kind.lamps >= LAMPS)
"""The kinds of boards whose lamp chain is long enough for a layout."""


def board_of_lamps(devices: Mapping[str, DeviceConfig], boards: Mapping[str, BoardSection]) -> str | None:
    """The board with the lamps of a table; None where there are no lamps, or no board for them."""
    if DEVICE not in devices:
        return None
    named = devices[DEVICE].keys(LampBoardConfig).board
    if named is not None:
        return named if named in boards and boards[named].kind in KINDS else None
    able = [name for name, board in boards.items() if board.kind in KINDS]
    return able[0] if len(able) == 1 else None


def check_lamps(
    devices: Mapping[str, DeviceConfig], boards: Mapping[str, BoardSection], *, live: bool
) -> list[ConfigFinding]:
    """With real wires, the lamps of a table hang on exactly one board that has a chain."""
    if DEVICE not in devices or not live or board_of_lamps(devices, boards) is not None:
        return []
    path = ("device", DEVICE, "board")
    named = devices[DEVICE].keys(LampBoardConfig).board
    able = [name for name, board in boards.items() if board.kind in KINDS]
    if named is None and able:
        return [
            ConfigFinding(
                path, f"is missing, and {' and '.join(able)} can have the lamps", f"add board = {value_text(able[0])}"
            )
        ]
    if named is None:
        fix = 'write backend = "board" in [lines], and add [board.layout] with kind = "table" and its port'
        return [
            ConfigFinding(path, "the lamps hang on a board of the kind table, and there is none", fix, missing=True)
        ]
    wrong = f"{value_text(named)} is not a board with lamps"
    if able:
        return [ConfigFinding(path, wrong, suggestion(named, able, "board"))]
    fix = f'the kind of [board.{named}] should be "table"' if named in boards else 'add a board with kind = "table"'
    return [ConfigFinding(path, wrong, fix)]
