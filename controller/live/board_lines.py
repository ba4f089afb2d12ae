"""The lines of a board as `hal` wants them described."""

from __future__ import annotations

from controller.configuration.terminals import Terminal
from controller.configuration.values import TableConfig
from hal.backends.board_wiring import AnalogueSpec
from hal.board.messages import KINDS
from hal.lines import LineSpec
from hal.outputs import DEFAULT_MAX_ON_NS, OutputSpec

_NS_PER_MS = 1_000_000


def inputs_of(config: TableConfig, board: str) -> list[LineSpec]:
    """The inputs of one board of a table."""
    return [
        LineSpec(one.line, one.number, pull=one.pull, inverted=one.inverted, board=board)
        for one in _terminals(config, board, "input")
    ]


def analogues_of(config: TableConfig, board: str) -> list[AnalogueSpec]:
    """Its analogue channels: volts become shares of its supply."""
    supply_v = config.boards[board].reference_v
    return [
        AnalogueSpec(one.line, one.number, one.zero_v / supply_v, one.per_v * supply_v)
        for one in _terminals(config, board, "analogue")
    ]


def outputs_of(config: TableConfig, board: str) -> list[OutputSpec]:
    """Its outputs, each for as long as the board itself allows, and no longer than any other."""
    longest_ms = [longest for _, longest in KINDS[config.boards[board].kind].outputs]
    return [
        OutputSpec(
            one.line,
            one.number,
            kind=config.uses[one.line].drives,
            max_on_ns=min(DEFAULT_MAX_ON_NS, longest_ms[one.number - 1] * _NS_PER_MS),
            board=board,
        )
        for one in _terminals(config, board, "output")
    ]


def _terminals(config: TableConfig, board: str, side: str) -> list[Terminal]:
    """The terminals on one side of a board whose lines a device of the table has."""
    return [
        one for one in config.terminals.values() if (one.board, one.side) == (board, side) and one.line in config.uses
    ]
