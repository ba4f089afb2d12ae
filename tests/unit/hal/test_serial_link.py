"""The link over real ptys and sockets, in virtual time: the loop holds its time while the kernel carries bytes."""

import asyncio
import itertools
import os
import pty
import select
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path

import pytest
import serial
from pytest_mock import MockerFixture

from hal.clock import NS_PER_S, VirtualClock
from hal.framing import LineFramer
from hal.lines import LineError, LineSource
from hal.link_status import LinkError
from hal.loop import VirtualLoop, run_virtual, sleep_ns
from hal.serial_link import MAX_UNWRITTEN_BYTES, SerialLink, SerialSettings
from hal.values import Edge, EdgesLost, Frame, Loss, Rare


class Heard:
    """A sink that keeps what it was given, and lets a test wait for it."""

    def __init__(self) -> None:
        self.values: list[Rare] = []
        self.came = asyncio.Event()

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        assert source == "wheel_serial"
        assert not edges
        self.values += rare
        self.came.set()

    async def wait_for(self, count: int) -> None:
        """Waits for the world, not for time, until this many values have come."""
        with running_loop().hold_time():
            while len(self.values) < count:
                self.came.clear()
                await self.came.wait()


class Plug:
    """A device on a pty that can be pulled and plugged in again under one name, as by-id names are."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.device = -1

    def plug_in(self) -> None:
        self.device, link_end = pty.openpty()
        self.path.symlink_to(os.ttyname(link_end))
        self._link_end = link_end

    def release_link_end(self) -> None:
        """Lets go of the end that the link now holds, so that pulling the plug is seen."""
        os.close(self._link_end)

    def pull(self) -> None:
        os.close(self.device)
        self.path.unlink()


def running_loop() -> VirtualLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await sleep_ns(1_000_000)


async def read_exactly(descriptor: int, count: int) -> bytes:
    """Reads what the link wrote to its device."""
    loop = running_loop()
    got = bytearray()
    enough = loop.create_future()

    def read() -> None:
        got.extend(os.read(descriptor, 100_000))
        if len(got) >= count and not enough.done():
            enough.set_result(None)

    loop.add_reader(descriptor, read)
    try:
        with loop.hold_time():
            await enough
    finally:
        loop.remove_reader(descriptor)
    return bytes(got)


def make(url: str, clock: VirtualClock) -> SerialLink:
    return SerialLink("wheel_serial", url, clock, LineFramer(max_length=32))


def with_pty(tmp_path: Path, scene: Callable[[SerialLink, Heard, Plug], Coroutine[None, None, None]]) -> VirtualClock:
    """Plays a scene on a link that is up, and closes it."""
    clock = VirtualClock()

    async def main() -> None:
        plug = Plug(tmp_path / "wheel")
        plug.plug_in()
        link, heard = make(str(plug.path), clock), Heard()
        link.open(heard)
        await until(lambda: link.status.up)
        plug.release_link_end()
        await scene(link, heard, plug)
        link.close()
        await link.wait_closed()
        os.close(plug.device)

    run_virtual(main(), clock)
    return clock


def test_frames_carry_the_time_at_which_they_were_read(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        start_ns = running_loop().clock.now_ns()
        os.write(plug.device, b"*X;6;117;13;0;002;0\r\n")
        await heard.wait_for(1)
        await sleep_ns(NS_PER_S)
        os.write(plug.device, b"17\r\n")
        await heard.wait_for(2)
        assert heard.values == [
            Frame("wheel_serial", b"*X;6;117;13;0;002;0", start_ns),
            Frame("wheel_serial", b"17", start_ns + NS_PER_S),
        ]
        assert link.delivered_until(running_loop().clock.now_ns()) < running_loop().clock.now_ns()

    with_pty(tmp_path, scene)


def test_a_link_is_a_source_of_lines_like_any_other(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        source: LineSource = link
        assert (source.name, source.lines) == ("wheel_serial", frozenset({"wheel_serial"}))
        assert source.failed is None
        with pytest.raises(LineError, match="already open"):
            source.open(heard)

    with_pty(tmp_path, scene)


def test_a_pulled_cable_is_reported_once_and_the_link_comes_back_by_itself(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        os.write(plug.device, b"half a fra")
        await sleep_ns(1)
        plug.pull()
        await heard.wait_for(1)
        lost_ns = running_loop().clock.now_ns()
        assert heard.values == [EdgesLost("wheel_serial", Loss.UNPLUGGED, lost_ns)]
        assert not link.status.up
        await sleep_ns(60 * NS_PER_S)
        assert len(heard.values) == 1
        assert link.status.since_ns == lost_ns
        assert link.status.reason == f"could not open port {plug.path}: No such file or directory"
        plug.plug_in()
        await until(lambda: link.status.up)
        plug.release_link_end()
        assert running_loop().clock.now_ns() <= lost_ns + 66 * NS_PER_S
        os.write(plug.device, b"17\r\n")
        await heard.wait_for(2)
        assert heard.values[1][:2] == ("wheel_serial", b"17")

    with_pty(tmp_path, scene)


def test_a_device_that_is_not_there_is_reported_and_waited_for(tmp_path: Path) -> None:
    clock = VirtualClock()

    async def main() -> None:
        link, heard = make(str(tmp_path / "nothing"), clock), Heard()
        link.open(heard)
        await sleep_ns(100 * NS_PER_S)
        assert heard.values == [EdgesLost("wheel_serial", Loss.UNPLUGGED, 0)]
        link.close()
        await link.wait_closed()

    run_virtual(main(), clock)


def test_what_is_written_just_before_the_link_is_closed_is_sent(tmp_path: Path) -> None:
    clock = VirtualClock()
    got: list[bytes] = []

    async def main() -> None:
        plug = Plug(tmp_path / "wheel")
        plug.plug_in()
        link = make(str(plug.path), clock)
        link.open(Heard())
        await until(lambda: link.status.up)
        link.write(b"stop")
        link.close()
        await link.wait_closed()
        # The plug's own end is open still: what was sent is there.
        got.append(await read_exactly(plug.device, 4))
        plug.release_link_end()
        os.close(plug.device)

    run_virtual(main(), clock)
    assert got == [b"stop"]


def test_tries_to_reconnect_are_further_and_further_apart(tmp_path: Path, mocker: MockerFixture) -> None:
    clock = VirtualClock()
    tried_ns: list[int] = []

    def open_nothing() -> None:
        tried_ns.append(clock.now_ns())
        raise serial.SerialException("no such device")

    async def main() -> None:
        mocker.patch("serial.Serial.open", side_effect=open_nothing)
        link = make(str(tmp_path / "nothing"), clock)
        link.open(Heard())
        await sleep_ns(20 * NS_PER_S)
        link.close()
        await link.wait_closed()

    run_virtual(main(), clock)
    waits_s = [(later - earlier) / NS_PER_S for earlier, later in itertools.pairwise(tried_ns)]
    assert waits_s == [0.25, 0.5, 1, 2, 4, 5, 5]


def test_a_defect_that_stops_the_link_is_reported_as_its_failure(tmp_path: Path, mocker: MockerFixture) -> None:
    async def main() -> None:
        mocker.patch("serial.Serial.open", side_effect=RuntimeError("a defect"))
        link = make(str(tmp_path / "nothing"), VirtualClock())
        link.open(Heard())
        assert link.failed is None
        await sleep_ns(NS_PER_S)
        assert link.failed is not None
        assert "wheel_serial" in str(link.failed)
        assert "a defect" in str(link.failed)

    run_virtual(main())


def test_what_is_written_reaches_the_device(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        link.write(b"*P")
        link.write(b"\r\n")
        assert await read_exactly(plug.device, 4) == b"*P\r\n"

    with_pty(tmp_path, scene)


def test_a_device_that_takes_nothing_fills_a_bounded_queue(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        sent = 0
        with pytest.raises(LinkError, match="at most 4096 may"):
            for _ in range(200):
                link.write(b"x" * 1000)
                sent += 1000
                await sleep_ns(1)
        assert sent >= MAX_UNWRITTEN_BYTES - 1000
        assert await read_exactly(plug.device, sent) == b"x" * sent

    with_pty(tmp_path, scene)


def test_nothing_can_be_sent_while_the_link_is_down_and_nothing_old_is_sent_later(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        plug.pull()
        await heard.wait_for(1)
        with pytest.raises(LinkError, match=r"wheel_serial.*is down since"):
            link.write(b"launch\r\n")
        plug.plug_in()
        await until(lambda: link.status.up)
        plug.release_link_end()
        link.write(b"hello\r\n")
        assert await read_exactly(plug.device, 7) == b"hello\r\n"

    with_pty(tmp_path, scene)


def test_over_long_garbage_is_reported(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        os.write(plug.device, b"\xff" * 100 + b"\r\n17\r\n")
        await heard.wait_for(2)
        assert sorted(type(value).__name__ for value in heard.values) == ["EdgesLost", "Frame"]
        lost = next(value for value in heard.values if isinstance(value, EdgesLost))
        assert (lost.cause, lost.missing) == (Loss.OVERFLOW, 1)

    with_pty(tmp_path, scene)


def test_after_close_nothing_is_delivered_and_closing_again_does_nothing(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        os.write(plug.device, b"17\r\n")
        link.close()
        link.close()
        await link.wait_closed()
        assert heard.values == []

    with_pty(tmp_path, scene)


def test_a_link_can_be_opened_again_while_its_port_is_still_being_let_go(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        for _ in range(3):
            link.close()
            link.open(heard)
            assert not link.status.up
            await until(lambda: link.status.up)
        os.write(plug.device, b"17\r\n")
        await heard.wait_for(1)
        assert heard.values[0][:2] == ("wheel_serial", b"17")
        link.close()
        link.open(heard)
        link.close()  # the port is let go all the same

    with_pty(tmp_path, scene)


def test_on_up_is_called_when_the_port_has_been_opened(tmp_path: Path) -> None:
    clock = VirtualClock()
    opened_ns: list[int] = []

    async def main() -> None:
        plug = Plug(tmp_path / "wheel")
        link = SerialLink("wheel_serial", str(plug.path), clock, LineFramer(), on_up=opened_ns.append)
        link.open(Heard())
        await sleep_ns(NS_PER_S)
        assert opened_ns == []
        plug.plug_in()
        await until(lambda: link.status.up)
        assert opened_ns == [link.status.since_ns]
        plug.release_link_end()
        link.close()
        await link.wait_closed()
        os.close(plug.device)

    run_virtual(main(), clock)


def test_what_has_come_can_be_taken_in_without_a_turn_of_the_loop(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        link.read_pending()
        assert heard.values == []
        os.write(plug.device, b"17\r\n")
        # Polling the other end makes the kernel hand over what is under way.
        while not select.select([link._port.fileno()], [], [], 0)[0]:
            pass
        link.read_pending()
        assert [value[:2] for value in heard.values] == [("wheel_serial", b"17")]
        link.close()
        link.read_pending()

    with_pty(tmp_path, scene)


def test_a_port_that_is_of_no_use_can_be_dropped_and_is_opened_again(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        link.drop("it takes no bytes")
        link.drop("it takes no bytes")
        await heard.wait_for(1)
        assert (link.status.up, link.status.reason) == (False, "it takes no bytes")
        await until(lambda: link.status.up)

    with_pty(tmp_path, scene)


def test_a_second_link_on_the_same_port_is_kept_out(tmp_path: Path) -> None:
    async def scene(link: SerialLink, heard: Heard, plug: Plug) -> None:
        second, second_heard = make(str(plug.path), running_loop().clock), Heard()
        second.open(second_heard)
        await sleep_ns(NS_PER_S)
        assert not second.status.up
        assert "exclusively lock" in second.status.reason
        second.close()
        await second.wait_closed()

    with_pty(tmp_path, scene)


def test_a_network_port_works_alike() -> None:
    clock = VirtualClock()

    async def main() -> None:
        heard = Heard()
        devices: asyncio.Queue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.Queue()
        server = await asyncio.start_server(lambda r, w: devices.put_nowait((r, w)), "127.0.0.1", 0)
        link = make(f"socket://127.0.0.1:{server.sockets[0].getsockname()[1]}", clock)
        link.open(heard)
        with running_loop().hold_time():
            reader, writer = await devices.get()
        await until(lambda: link.status.up)
        writer.write(b"17\r\n")
        await heard.wait_for(1)
        link.write(b"*P\r\n")
        with running_loop().hold_time():
            assert await reader.readline() == b"*P\r\n"
        writer.close()
        await heard.wait_for(2)
        assert [type(value) for value in heard.values] == [Frame, EdgesLost]
        link.close()
        await link.wait_closed()
        server.close()

    run_virtual(main(), clock)


def test_a_port_without_a_file_descriptor_is_polled() -> None:
    clock = VirtualClock()

    async def main() -> None:
        link, heard = make("loop://", clock), Heard()
        link.open(heard)
        await until(lambda: link.status.up)
        link.write(b"17\r\n")
        await until(lambda: len(heard.values) == 1)
        assert heard.values[0][:2] == ("wheel_serial", b"17")
        link.close()
        await link.wait_closed()

    run_virtual(main(), clock)


def test_a_url_of_no_known_kind_is_refused_by_name() -> None:
    with pytest.raises(LineError, match=r"wheel_serial.*carrier-pigeon://.*expected a device"):
        make("carrier-pigeon://loft", VirtualClock())


def test_settings_that_no_port_has_are_refused() -> None:
    with pytest.raises(LineError, match="parity"):
        SerialLink("w", "/dev/null", VirtualClock(), LineFramer(), SerialSettings(parity="Q"))
