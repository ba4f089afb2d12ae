"""Opening a port resets a board unless its auto-reset is cut; and what its bootloader says of itself."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import pty
import termios
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import pytest

from hal.board.bootloader import BootloaderVersion, ask_version
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink, BoardStatus
from hal.board.messages import BAUD, KINDS
from hal.board.ports import NoDtrError, ask_identity, reset_by_dtr
from hal.clock import NS_PER_S, VirtualClock
from hal.framing import LineFramer
from hal.loop import VirtualLoop, run_virtual, sleep_ns
from hal.serial_link import SerialLink, SerialSettings
from hal.values import Edge, Rare
from simulators.board.emulated import Bootloader
from simulators.board.lockstep import LockStep
from tests.fakes.board_bench import RecordingWatcher
from tests.fakes.board_port import BoardPort
from tests.fakes.model_board import ModelBoard
from tests.firmware.emulated import MS, S, built
from tests.firmware.inspected_board import InspectedBoard
from tests.firmware.toolchains import nano_of_before_2018, optiboot
from tests.shares import one_in

T = TypeVar("T")


def on_a_port(
    path: Path,
    kind: str,
    loader: Bootloader | None,
    cut: bool,
    scene: Callable[[InspectedBoard], Awaitable[T]],
    runs_ns: int = 0,
) -> T:
    """Plays a scene with a board that has run for a while on a port, which is not open yet."""

    async def main() -> T:
        with (
            InspectedBoard(built(f"{kind}.elf"), bootloader=loader) as chip,
            LockStep(chip, path, resets_when_opened=not cut),
        ):
            await sleep_ns(runs_ns)
            return await scene(chip)

    return run_virtual(main(), VirtualClock())


def the_loop() -> VirtualLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop


async def linked(kind: str, path: Path, *then: Callable[[], None]) -> list[BoardStatus]:
    """How the board stands 6 s after its port was opened, and 6 s after each of what happens then."""
    watching = RecordingWatcher()
    link = BoardLink(kind, str(path), ExpectedBoard(KINDS[kind]), the_loop().clock)
    link.open(watching)
    found = []
    for happen in (lambda: None, *then):
        happen()
        await sleep_ns(6 * NS_PER_S)
        found.append(link.status)
    link.close(watching)
    await link.wait_closed()
    return found


@pytest.mark.parametrize(
    ("loader", "found"),
    [
        (optiboot, BootloaderVersion(115_200, 4, 4)),
        (nano_of_before_2018, BootloaderVersion(57_600, 1, 16)),
    ],
)
def test_a_bootloader_is_known_by_its_version(
    tmp_path: Path, loader: Callable[[], Bootloader], found: BootloaderVersion
) -> None:
    async def scene(chip: InspectedBoard) -> BootloaderVersion | None:
        return await ask_version(str(tmp_path / "port"))

    answer = on_a_port(tmp_path / "port", "wheel", loader(), False, scene, 3 * S)
    assert answer == found
    assert answer.survives_watchdog == (loader is optiboot)


def test_a_board_whose_auto_reset_is_cut_says_nothing_of_its_bootloader(tmp_path: Path) -> None:
    async def scene(chip: InspectedBoard) -> BootloaderVersion | None:
        return await ask_version(str(tmp_path / "port"))

    assert on_a_port(tmp_path / "port", "pusher", optiboot(), True, scene, 3 * S) is None


@pytest.mark.parametrize(("kind", "loader", "cut"), one_in(3, product(KINDS, (None, optiboot), (False, True))))
def test_a_board_that_handles_money_must_not_be_reset_by_the_opening_of_its_port(
    tmp_path: Path, kind: str, loader: Callable[[], Bootloader] | None, cut: bool
) -> None:
    async def scene(chip: InspectedBoard) -> tuple[BoardStatus, int]:
        return (await linked(kind, tmp_path / "port"))[0], chip.resets

    status, resets = on_a_port(tmp_path / "port", kind, None if loader is None else loader(), cut, scene, 3 * S)
    assert (resets > 0) == (not cut)
    if cut or not KINDS[kind].counters:
        assert (status.up, status.reason) == (True, "")
    else:
        assert not status.up
        assert "opening its port reset it" in status.reason
        assert "cut its auto-reset" in status.reason


def test_a_later_reset_of_a_money_board_is_none_of_its_ports(tmp_path: Path) -> None:
    async def scene(chip: InspectedBoard) -> list[BoardStatus]:
        return await linked("pusher", tmp_path / "port", chip.hang, chip.reset)

    found = on_a_port(tmp_path / "port", "pusher", optiboot(), True, scene, S)
    assert [status.up for status in found] == [True, True, True]


def test_a_pty_has_no_dtr_and_says_so(tmp_path: Path) -> None:
    async def scene(chip: InspectedBoard) -> None:
        with pytest.raises(NoDtrError, match="it has no DTR line"):
            await reset_by_dtr(str(tmp_path / "port"), the_loop().clock)

    on_a_port(tmp_path / "port", "pusher", None, True, scene)


@pytest.mark.parametrize("resets", [False, True])
def test_dtr_is_pulsed_and_the_starts_are_counted(resets: bool) -> None:
    async def main() -> tuple[int, bool]:
        loop = the_loop()
        port = BoardPort(loop, ModelBoard(KINDS["pusher"]), "dtr")
        port.dtr_resets = resets
        port.plug_in()
        try:
            await ask_identity(port.url, loop.clock)
            identity, was_reset = await reset_by_dtr(port.url, loop.clock)
        finally:
            port.close()
        return identity.kind, was_reset

    assert run_virtual(main(), VirtualClock()) == (KINDS["pusher"].id, resets)


class Nowhere:
    """A sink for what nobody sends."""

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        """Nothing is on the port."""


def use_port(name: str, settings: SerialSettings) -> None:
    """Opens a port and closes it again."""

    async def main() -> None:
        link = SerialLink("one", name, the_loop().clock, LineFramer(), settings)
        link.open(Nowhere())
        await sleep_ns(10 * MS)
        assert link.status.up
        link.close()
        await link.wait_closed()

    run_virtual(main(), VirtualClock())


@pytest.fixture
def pseudo_terminal() -> Iterator[int]:
    """The end of a pseudo-terminal that is a port."""
    master, slave = pty.openpty()
    yield slave
    os.close(slave)
    os.close(master)


@pytest.mark.parametrize("keeps", [False, True])
def test_a_port_keeps_dtr_when_it_is_closed_where_that_is_asked_for(keeps: bool, pseudo_terminal: int) -> None:
    settings = termios.tcgetattr(pseudo_terminal)
    settings[2] |= termios.HUPCL
    termios.tcsetattr(pseudo_terminal, termios.TCSANOW, settings)
    use_port(os.ttyname(pseudo_terminal), SerialSettings(BAUD, keeps_dtr=keeps))
    assert bool(termios.tcgetattr(pseudo_terminal)[2] & termios.HUPCL) == (not keeps)


def test_a_port_that_refuses_low_latency_is_used_and_the_refusal_is_logged(
    caplog: pytest.LogCaptureFixture, pseudo_terminal: int
) -> None:
    name = os.ttyname(pseudo_terminal)
    with caplog.at_level(logging.INFO, "hal.serial_link"):
        use_port(name, SerialSettings(BAUD, low_latency=True))
    (logged,) = caplog.messages
    assert logged.startswith(f"serial link 'one' ({name}): low latency is refused: ")


LOW_LATENCY = 1 << 13
"""`ASYNC_LOW_LATENCY` of the flags of the kernel's `struct serial_struct`."""


@pytest.mark.parametrize("asked", [False, True])
def test_an_adapter_is_asked_for_low_latency_where_that_is_set(
    asked: bool, monkeypatch: pytest.MonkeyPatch, pseudo_terminal: int
) -> None:
    flags: list[int] = []
    real = fcntl.ioctl

    def ioctl(descriptor: int, request: int, argument: Any = 0, *more: Any) -> Any:
        # Answers as the driver of an adapter does: a pty has no such flags.
        if request == termios.TIOCGSERIAL:
            argument[4] = 1
            return 0
        if request == termios.TIOCSSERIAL:
            flags.append(argument[4])
            return 0
        return real(descriptor, request, argument, *more)

    monkeypatch.setattr("serial.serialposix.fcntl.ioctl", ioctl)
    use_port(os.ttyname(pseudo_terminal), SerialSettings(BAUD, low_latency=asked))
    assert flags == ([1 | LOW_LATENCY] if asked else [])
