"""Asking a port what is on it: an answer, or why there is none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from serial.tools import list_ports
from serial.tools.list_ports_common import ListPortInfo

from hal.board import frames
from hal.board.errors import BoardError
from hal.board.messages import KINDS, IdentityAnswer, OkAnswer
from hal.board.ports import PATIENCE_NS, StrangeBoardError, UnusablePortError, ask_identity, serial_ports
from hal.clock import VirtualClock
from hal.lines import LineError
from hal.loop import VirtualLoop, run_virtual, sleep_ns
from hal.serial_link import SerialLink
from tests.fakes.board_port import BoardPort
from tests.fakes.model_board import ModelBoard

S = 1_000_000_000


def asked(script: Callable[[BoardPort], None] = lambda port: None, *, plugged_in: bool = True) -> IdentityAnswer:
    """What a wheel board on a port answers, or what is raised."""

    async def main() -> IdentityAnswer:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        port = BoardPort(loop, ModelBoard(KINDS["wheel"]), "probed")
        if plugged_in:
            port.plug_in()
        script(port)
        try:
            return await ask_identity(port.url, loop.clock)
        finally:
            port.close()

    return run_virtual(main())


def test_a_board_identifies_itself() -> None:
    assert asked().kind == KINDS["wheel"].id


def test_nothing_but_the_question_goes_to_the_board() -> None:
    carried: list[ModelBoard] = []
    asked(lambda port: carried.append(port.board))
    assert carried[0].carried == []
    assert carried[0].session is None


def test_a_boot_loader_that_talks_for_two_seconds_is_waited_for() -> None:
    def reset(port: BoardPort) -> None:
        port.resets_on_open, port.chatter = 2 * S, b"Optiboot\0\x14\x10\0"

    assert asked(reset).cause == 2


def test_identify_is_repeated_on_a_link_that_loses_half_of_the_frames() -> None:
    def spoil(port: BoardPort) -> None:
        lost = iter([True, False] * 100)
        port.to_board = lambda data: b"" if next(lost) else data

    assert asked(spoil).kind == KINDS["wheel"].id


def test_silence_is_reported_after_some_seconds() -> None:
    def cut(port: BoardPort) -> None:
        port.cut = True

    with pytest.raises(BoardError, match=r"port wire://probed: nothing on it answered; is it a board"):
        asked(cut)
    assert PATIENCE_NS == 4 * S


def test_a_device_that_is_no_board_is_reported() -> None:
    def other(port: BoardPort) -> None:
        port.to_host = lambda data: b"*X;2;017\r\n\0"

    with pytest.raises(BoardError, match="what is on it sent bytes, but no frames of a board"):
        asked(other)


def test_an_identity_of_another_layout_names_both_protocols() -> None:
    class Later(IdentityAnswer, frozen=True):
        layout = OkAnswer.layout

        def pack(self, protocol: int | None = None) -> bytes:
            return b"\x09\0" + bytes(10)

    later = Later(**msgspec.structs.asdict(ModelBoard(KINDS["wheel"]).identity))

    def newer(port: BoardPort) -> None:
        port.to_host = lambda data: frames.encode(0, later)

    with pytest.raises(StrangeBoardError, match="a board of protocol 9, and this software speaks protocol 3"):
        asked(newer)


def test_a_port_that_is_not_there_is_reported_at_once() -> None:
    with pytest.raises(UnusablePortError, match="port wire://probed: it cannot be used: "):
        asked(plugged_in=False)


def test_a_port_that_takes_its_time_to_open_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    live_once = SerialLink._run_once

    async def slowly(link: SerialLink) -> None:
        await sleep_ns(S)
        await live_once(link)

    monkeypatch.setattr(SerialLink, "_run_once", slowly)
    assert asked().kind == KINDS["wheel"].id


def test_a_name_that_is_no_port_is_refused() -> None:
    with pytest.raises(LineError, match="gopher"):
        run_virtual(ask_identity("gopher://x", VirtualClock()))


# --- the list of ports ----------------------------------------------------------------------------------------------


def test_ports_have_the_names_that_stay_and_those_on_usb_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = [tmp_path / name for name in ("ttyAMA0", "ttyUSB1", "ttyUSB0")]
    by_id = tmp_path / "by-id"
    by_id.mkdir()
    found: list[ListPortInfo] = []
    for device in devices:
        device.touch()
        info = ListPortInfo(str(device), skip_link_detection=True)
        if "USB" in device.name:
            info.vid, info.product = 0x1A86, "USB Serial"
        found.append(info)
    (by_id / "usb-1a86_USB_Serial-if00-port0").symlink_to(devices[1])
    monkeypatch.setattr(list_ports, "comports", lambda: found)
    assert [(Path(port.name).name, Path(port.device).name, port.about, port.usb) for port in serial_ports(by_id)] == [
        ("usb-1a86_USB_Serial-if00-port0", "ttyUSB1", "USB Serial", True),
        ("ttyUSB0", "ttyUSB0", "USB Serial", True),
        ("ttyAMA0", "ttyAMA0", "", False),
    ]
    assert serial_ports(tmp_path / "nowhere")[0].name.endswith("ttyUSB0")
