"""A board on a pty of its own, and the command that makes one. The time here is a list of what happens at each step."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import serial
from click.testing import CliRunner
from pytest_mock import MockerFixture

from hal.board.messages import KINDS
from simulators.board.__main__ import main
from simulators.board.emulated import EmulationError
from simulators.board.lines_to_pins import wired
from simulators.board.serve import serve
from simulators.money_wheel.geometry import MoneyWheelGeometry
from simulators.money_wheel.wheel import MoneyWheelSimulator
from tests.firmware.emulated import MS, S, built

WHEEL = KINDS["wheel"]


class Steps:
    """A time that jumps; at each whole millisecond somebody may do something."""

    def __init__(self, acts: dict[int, Callable[[], object]]) -> None:
        self._now_ns = 0
        self._acts = acts

    def now_ns(self) -> int:
        return self._now_ns

    def wait_until(self, t_ns: int) -> None:
        self._now_ns = t_ns
        for ms in [ms for ms in self._acts if ms * MS <= t_ns]:
            self._acts.pop(ms)()


def test_a_program_opens_the_port_talks_and_closes_it(tmp_path: Path) -> None:
    port = serial.Serial(baudrate=250_000, timeout=0)
    port.port = str(tmp_path / "board")
    heard: list[bytes] = []
    told: list[bool] = []
    acts: dict[int, Callable[[], object]] = {
        5: port.open,
        10: lambda: port.write(b"eX"),
        20: lambda: heard.append(port.read(100)),
        30: port.close,
    }
    serve(
        WHEEL,
        tmp_path / "board",
        elf=built("probe.elf"),
        time=Steps(acts),
        until_ns=50 * MS,
        on_opened=told.append,
    )
    assert heard == [b"X"]
    assert told == [True, False]
    assert not os.path.lexists(tmp_path / "board")


def test_no_answer_is_there_before_the_bytes_can_have_been_on_the_wire(tmp_path: Path) -> None:
    port = serial.Serial(baudrate=250_000, timeout=0)
    port.port = str(tmp_path / "board")
    heard: list[bytes] = []
    acts: dict[int, Callable[[], object]] = {
        5: port.open,
        10: lambda: port.write(b"eX"),
        11: lambda: heard.append(port.read(100)),
        12: lambda: heard.append(port.read(100)),
        13: port.close,
    }
    serve(WHEEL, tmp_path / "board", elf=built("probe.elf"), time=Steps(acts), until_ns=20 * MS)
    # Written at 10 ms, it is on the wire from then to 10.12 ms: the step at 11 ms brings the answer.
    assert heard == [b"", b"X"]


def test_a_simulated_wheel_turns_its_pins(tmp_path: Path) -> None:
    port = serial.Serial(baudrate=250_000, timeout=0)
    port.port = str(tmp_path / "board")
    heard: list[bytes] = []
    simulator = MoneyWheelSimulator(MoneyWheelGeometry(), 1)
    acts: dict[int, Callable[[], object]] = {
        5: port.open,
        60_000: lambda: port.write(b"p"),
        60_100: lambda: heard.append(port.read(1000)),
        60_200: port.close,
    }
    serve(
        WHEEL,
        tmp_path / "board",
        elf=built("probe.elf"),
        simulator=simulator,
        wiring=wired(WHEEL, {line: number for number, line in enumerate(simulator.lines, 1)}),
        time=Steps(acts),
        until_ns=61 * S,
    )
    assert heard[0][0] == 100  # as many as the program keeps


def test_its_memory_is_kept_in_a_file(tmp_path: Path) -> None:
    def once(command: bytes) -> bytes:
        port = serial.Serial(baudrate=250_000, timeout=0)
        port.port = str(tmp_path / "board")
        heard: list[bytes] = []
        acts: dict[int, Callable[[], object]] = {
            5: port.open,
            10: lambda: port.write(command),
            40: lambda: heard.append(port.read(100)),
            41: port.close,
        }
        serve(
            WHEEL,
            tmp_path / "board",
            elf=built("probe.elf"),
            time=Steps(acts),
            until_ns=50 * MS,
            eeprom=tmp_path / "eeprom",
        )
        return heard[0]

    assert once(b"w\x00\x07\x2a") == b"w"
    assert once(b"r\x00\x07") == b"\x2a"
    assert (tmp_path / "eeprom").stat().st_size == 1024


def test_a_kind_whose_firmware_was_not_built_is_told(tmp_path: Path) -> None:
    with pytest.raises(EmulationError, match=r"no file .*make -C firmware avr"):
        serve(WHEEL, tmp_path / "board", elf=tmp_path / "wheel.elf", until_ns=1)


def test_the_command_says_which_line_is_where_and_ends_with_ctrl_c(mocker: MockerFixture) -> None:
    served = mocker.patch("simulators.board.__main__.serve", side_effect=KeyboardInterrupt)
    result = CliRunner().invoke(main, ["wheel", "--game", "money_wheel", "--port", "/tmp/b", "--speed", "1"])
    assert result.exit_code == 0, result.output
    assert "wheel_a = { input = 1 }    # pin D2" in result.output
    assert served.call_args.args == (WHEEL, Path("/tmp/b"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "money_wheel", "--pin", "wheel_a"], "expected LINE=INPUT"),
        (["--game", "money_wheel", "--pin", "wheel_a=9"], "inputs 1 to 8, not 9"),
        (["--game", "money_wheel", "--fault", "nonsense"], 'no fault is named "nonsense"'),
        (["--elf", "/nowhere/x.elf"], "there is no file /nowhere/x.elf"),
    ],
)
def test_the_command_refuses_what_it_cannot_do(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["wheel", "--port", str(tmp_path / "b"), *arguments])
    assert result.exit_code == 2
    assert message in result.output
