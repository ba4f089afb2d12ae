"""`feltwire boards trace` on a model board, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from controller.cli.boards_trace import trace
from hal.board.message import BoardCommand
from hal.board.messages import KINDS, PROTOCOL, WatchCommand
from hal.loop import VirtualLoop, run_virtual
from tests.fakes.board_port import BoardPort
from tests.fakes.model_board import ModelBoard

S = 1_000_000_000
SECONDS = 2.0


def traced(
    commands: Sequence[BoardCommand] = (),
    *,
    script: Callable[[BoardPort], None] = lambda port: None,
    protocol: int = PROTOCOL,
    edges_alone: bool = False,
    plugged_in: bool = True,
    patience_s: float | None = None,
) -> tuple[bool, list[str]]:
    """What a trace says of two seconds with a wheel board, and whether that was up."""
    told: list[str] = []

    async def main() -> bool:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        board = ModelBoard(KINDS["wheel"])
        board.identity = type(board.identity)(
            **{name: getattr(board.identity, name) for name in board.identity.__struct_fields__}
            | {"protocol": protocol}
        )
        port = BoardPort(loop, board, "traced")
        if plugged_in:
            port.plug_in()
        script(port)
        try:
            return await trace(
                port.url,
                loop.clock,
                asyncio.Event(),
                SECONDS,
                commands,
                told.append,
                edges_alone=edges_alone,
                patience_s=patience_s,
            )
        finally:
            port.close()

    return run_virtual(main()), told


def test_a_trace_shows_both_ways_in_the_order_of_time() -> None:
    was_up, told = traced()
    assert was_up
    times = [float(line.split()[0]) for line in told]
    assert times == sorted(times)
    words = [line.split(maxsplit=1)[1] for line in told]
    assert words[0] == "→   0 identify"
    assert words[1] == "←   0 boot       power on, begun once, kind 1"
    assert words[2].startswith("←   0 identity   wheel board, firmware 1.0.0")
    assert words[3].startswith("→   0 open       session ")
    assert words[4] == "←   0 ok"
    assert words.index("- the board is up") < len(words) - 1


def test_a_trace_shows_the_edges_of_the_inputs_that_it_has_watched() -> None:
    def turn(port: BoardPort) -> None:
        for number in range(4):
            port.drive(2, 1 - number % 2, S + number * 1_000_000)

    _, told = traced([WatchCommand(0xFF, 0xFF)], script=turn)
    assert any("watch      inputs 255, pull ups 255" in line for line in told)
    edges = [line for line in told if "edges      " in line and "input 3" in line]
    assert any("input 3 down +1000 µs, input 3 up +1000 µs" in line for line in edges), edges


def test_a_trace_of_edges_alone_shows_nothing_else() -> None:
    def turn(port: BoardPort) -> None:
        for number in range(4):
            port.drive(2, 1 - number % 2, S + number * 1_000_000)

    _, told = traced([WatchCommand(0xFF, 0xFF)], script=turn, edges_alone=True)
    assert told
    assert all("edges      " in line or " - " in line for line in told)
    assert any("input 3 down" in line for line in told)


@pytest.mark.parametrize(("patience_s", "seen"), [(0.5, False), (None, True)])
def test_a_trace_gives_up_a_port_that_is_missing_unless_it_shall_wait(patience_s: float | None, seen: bool) -> None:
    def later(port: BoardPort) -> None:
        asyncio.get_running_loop().call_later(1.0, port.plug_in)

    _, told = traced(script=later, plugged_in=False, patience_s=patience_s)
    assert "its port is down" in told[0]
    assert any("identify" in line for line in told) is seen


def test_a_trace_shows_what_came_broken() -> None:
    def spoil(port: BoardPort) -> None:
        port.to_host = lambda data: data[:-2] + b"\x55\0" if len(data) > 20 else data

    _, told = traced(script=spoil)
    assert any("← " in line and "BROKEN" in line for line in told)


def test_a_trace_of_a_board_that_is_refused_says_why_and_that_it_never_was_up() -> None:
    was_up, told = traced(protocol=0)
    assert not was_up
    assert any("expected protocol 1 to 3, found protocol 0" in line for line in told)
