"""A board in lock-step with a virtual loop: the real program, a real pty, pyserial, and times that are exact."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hal.clock import VirtualClock
from hal.framing import LineFramer
from hal.loop import VirtualLoop, run_virtual, sleep_ns
from hal.serial_link import SerialLink, SerialSettings
from hal.values import Edge, EdgesLost, Frame, Loss, Rare
from simulators.board.adapter import Adapter
from simulators.board.link_faults import ByteFaults, LinkFault
from simulators.board.lockstep import LockStep
from tests.fakes.adapters import CH340, FTDI
from tests.fakes.link_fault_plan import plan_link_faults
from tests.firmware.emulated import MS, Probe, S

BYTE_NS = 40_000
LINES = Adapter(flush_at=ord("\n"), packet=4096, timer_ns=10 * MS)
"""As the frames of this test end."""


class Heard:
    """A sink that keeps what it was given."""

    def __init__(self) -> None:
        self.values: list[Rare] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        self.values += rare

    @property
    def frames(self) -> list[Frame]:
        return [value for value in self.values if isinstance(value, Frame)]


class Scene:
    """A board that echoes, its link, and the clock."""

    def __init__(self, board: Probe, step: LockStep, link: SerialLink, heard: Heard, clock: VirtualClock) -> None:
        self.board = board
        self.step = step
        self.link = link
        self.heard = heard
        self.clock = clock

    async def up(self) -> None:
        while not self.link.status.up:
            await sleep_ns(MS)

    async def echo(self) -> None:
        """Waits until the link is up, and lets the board echo."""
        await self.up()
        self.link.write(b"E")
        await sleep_ns(MS)


def play(
    path: Path, scene: Callable[[Scene], Awaitable[None]], baud: int = 250_000, **options: Any
) -> tuple[list[Rare], int]:
    """Plays a scene; returns what the link delivered, and the board's cycles."""
    clock = VirtualClock()
    options.setdefault("adapter", LINES)

    async def main() -> tuple[list[Rare], int]:
        with Probe() as board, LockStep(board, path, **options) as step:
            heard = Heard()
            link = SerialLink("board", str(path), clock, LineFramer(), SerialSettings(baud))
            link.open(heard)
            await scene(Scene(board, step, link, heard, clock))
            link.close()
            await link.wait_closed()
            return heard.values, board.cycle

    return run_virtual(main(), clock)


def test_a_round_trip_takes_what_its_bytes_take(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        await the.echo()
        for number in range(50):
            sent_ns = the.clock.now_ns()
            the.link.write(b"%04d\n" % number)
            await sleep_ns(5 * MS)
            # Five bytes to the board, and the echo of the last one: the others are echoed meanwhile.
            wire_ns = 6 * BYTE_NS
            took_ns = the.heard.frames[-1].t_ns - sent_ns
            assert the.heard.frames[-1].data == b"%04d" % number
            assert wire_ns < took_ns < wire_ns + 10_000
            await sleep_ns(Random(number).randint(1, 20 * MS))

    play(tmp_path / "port", scene)


def test_a_byte_is_read_at_the_very_end_of_its_stop_bit(tmp_path: Path) -> None:
    ends_ns: list[int] = []

    class Noting(Probe):
        def take_sent(self) -> list[tuple[int, int]]:
            sent = super().take_sent()
            ends_ns.extend(t_ns for t_ns, byte in sent if byte == ord("\n"))
            return sent

    async def main() -> list[int]:
        with Noting() as board, LockStep(board, tmp_path / "port", adapter=LINES):
            heard, clock = Heard(), running_clock()
            link = SerialLink("board", str(tmp_path / "port"), clock, LineFramer(), SerialSettings(250_000))
            link.open(heard)
            while not link.status.up:
                await sleep_ns(MS)
            link.write(b"Ehello\nthere\n")
            await sleep_ns(20 * MS)
            link.close()
            await link.wait_closed()
            return [frame.t_ns for frame in heard.frames]

    assert run_virtual(main(), VirtualClock()) == ends_ns
    assert len(ends_ns) == 2


def running_clock() -> VirtualClock:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    return loop.clock


def busy_scene(seed: int) -> Callable[[Scene], Awaitable[None]]:
    async def scene(the: Scene) -> None:
        rng = Random(seed)
        await the.echo()
        for number in range(150):
            if the.link.status.up:
                the.link.write(b"%d %s\n" % (number, b"x" * rng.randint(0, 40)))
            await sleep_ns(rng.randint(0, 4 * MS))
        await sleep_ns(100 * MS)

    return scene


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"adapter": FTDI},
        {"adapter": CH340, "seed": 3},
        {"to_board": ByteFaults(0.02, 0.02, 0.02, 0.02), "to_host": ByteFaults(0.02, 0.02, 0.02, 0.02), "seed": 5},
    ],
)
def test_the_same_run_gives_the_same_frames_at_the_same_nanoseconds(tmp_path: Path, options: dict[str, Any]) -> None:
    first = play(tmp_path / "port", busy_scene(1), **options)
    assert len(first[0]) > 50
    for _ in range(3):
        assert play(tmp_path / "port", busy_scene(1), **options) == first


def test_nothing_is_lost_or_changed_on_a_sound_wire(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        await busy_scene(2)(the)
        assert [int(frame.data.split()[0]) for frame in the.heard.frames] == list(range(150))
        assert the.board.overruns == 0

    play(tmp_path / "port", scene)


def test_spoilt_bytes_are_spoilt_in_both_directions_and_counted(tmp_path: Path) -> None:
    faults = ByteFaults(flipped=0.01, dropped=0.01, repeated=0.01, delayed=0.01)

    async def scene(the: Scene) -> None:
        await busy_scene(3)(the)
        for wire in (the.step.to_board, the.step.to_host):
            assert all(count > 5 for count in wire.did.values()), wire.did
        sound = [frame for frame in the.heard.frames if frame.data.endswith(b"x") and frame.data[:1].isdigit()]
        assert 50 < len(sound) < 150

    play(tmp_path / "port", scene, to_board=faults, to_host=faults)


def test_an_adapter_with_patience_hands_over_late(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        await the.echo()
        sent_ns = the.clock.now_ns()
        the.link.write(b"hi\n")
        await sleep_ns(50 * MS)
        took_ns = the.heard.frames[-1].t_ns - sent_ns
        assert 16 * MS < took_ns < 16 * MS + 4 * BYTE_NS + 2 * 125_000 + MS

    play(tmp_path / "port", scene, adapter=FTDI)


def test_a_full_packet_is_handed_over_at_once(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        await the.echo()
        sent_ns = the.clock.now_ns()
        the.link.write(b"x" * 31 + b"\n" + b"y" * 31 + b"\n")
        await sleep_ns(50 * MS)
        first, second = the.heard.frames
        assert 33 * BYTE_NS < first.t_ns - sent_ns < 33 * BYTE_NS + 10_000
        assert 32 * BYTE_NS - 1_000 < second.t_ns - first.t_ns < 32 * BYTE_NS + 1_000

    play(tmp_path / "port", scene, adapter=Adapter(flush_at=None, packet=32, timer_ns=16 * MS))


# --- mishaps --------------------------------------------------------------------------------------------------------


def test_a_pulled_cable_is_noticed_at_once_and_the_port_comes_back_at_its_path(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        await the.echo()
        the.link.write(b"before\n")
        await sleep_ns(5 * MS)
        pulled_ns = the.clock.now_ns()
        the.step.unplug()
        assert not (tmp_path / "port").exists()
        await sleep_ns(2 * S)
        assert the.heard.values[-1] == EdgesLost("board", Loss.UNPLUGGED, pulled_ns)
        assert not the.link.status.up
        the.step.plug_in()
        await the.up()
        the.link.write(b"after\n")
        await sleep_ns(5 * MS)
        assert [frame.data for frame in the.heard.frames] == [b"before", b"after"]
        assert the.board.resets == 0

    play(tmp_path / "port", scene)


def test_a_frozen_host_reads_late_and_loses_nothing(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        await the.echo()
        for number in range(5):
            the.link.write(b"%d\n" % number)
        await sleep_ns(1)  # until it is written
        frozen_ns = the.clock.now_ns()
        the.step.freeze_host(700 * MS)
        assert the.clock.now_ns() == frozen_ns + 700 * MS
        assert the.board.now_ns >= the.clock.now_ns()
        await sleep_ns(1)
        assert [frame.data for frame in the.heard.frames] == [b"0", b"1", b"2", b"3", b"4"]
        assert {frame.t_ns for frame in the.heard.frames} == {frozen_ns + 700 * MS}
        assert the.step.overflowed == 0

    play(tmp_path / "port", scene)


def test_a_frozen_board_says_nothing_until_it_goes_on(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        await the.echo()
        the.step.freeze_board(True)
        the.link.write(b"lost\n")
        await sleep_ns(S)
        the.step.freeze_board(False)
        the.link.write(b"heard\n")
        await sleep_ns(5 * MS)
        assert [frame.data for frame in the.heard.frames] == [b"heard"]
        assert the.board.resets == 0

    play(tmp_path / "port", scene)


@pytest.mark.parametrize(("kind", "cause"), [(LinkFault.RESET, 2), (LinkFault.HANG, 8), (LinkFault.POWER, 1)])
def test_a_board_that_begins_anew_says_why(tmp_path: Path, kind: LinkFault, cause: int) -> None:
    async def scene(the: Scene) -> None:
        await the.echo()
        plan = plan_link_faults(1, 10 * MS, 800 * MS, mean_gap_ns=100 * MS, longest_ns=50 * MS, kinds=(kind,))
        the.step.plan(plan[:1])
        await sleep_ns(S)
        the.link.write(b"e\n")  # it echoes no more: it begins again with commands
        await sleep_ns(20 * MS)
        said = b"".join(frame.data for frame in the.heard.frames)
        assert said[:2] == bytes((ord("B"), cause))
        assert the.board.last_cause == cause

    play(tmp_path / "port", scene)


def test_a_whole_plan_of_mishaps_is_lived_through_alike_each_time(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        the.step.plan(plan_link_faults(4, S, 60 * S, mean_gap_ns=2 * S, longest_ns=S))
        for number in range(700):
            if the.link.status.up:
                the.link.write(b"E%d\n" % number)
            await sleep_ns(100 * MS)

    first = play(tmp_path / "port", scene)
    assert len(first[0]) > 200
    assert any(isinstance(value, EdgesLost) for value in first[0])
    assert play(tmp_path / "port", scene) == first


def test_opening_the_port_resets_a_board_of_the_arduino_kind(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        await the.up()
        await sleep_ns(50 * MS)
        assert (the.board.resets, the.board.last_cause) == (1, 2)
        the.step.unplug()
        await sleep_ns(10 * MS)
        the.step.plug_in()
        await the.up()
        await sleep_ns(50 * MS)
        assert the.board.resets == 2

    play(tmp_path / "port", scene, resets_when_opened=True)


def test_a_port_with_another_baud_hears_nothing_that_makes_sense(tmp_path: Path) -> None:
    async def scene(the: Scene) -> None:
        await the.up()
        await sleep_ns(MS)
        the.link.write(b"E")
        await sleep_ns(MS)
        the.link.write(b"hello\n" * 5)
        the.board.reset()
        await sleep_ns(S)
        assert the.board.host_baud == 115_200
        assert b"hello" not in b"".join(frame.data for frame in the.heard.frames)

    play(tmp_path / "port", scene, baud=115_200)


def test_nothing_is_kept_for_a_program_that_has_not_opened_the_port(tmp_path: Path) -> None:
    async def main() -> None:
        with Probe() as board, LockStep(board, tmp_path / "port", adapter=LINES):
            board.receive(b"Eearly\n")
            await sleep_ns(S)
            heard, clock = Heard(), running_clock()
            link = SerialLink("board", str(tmp_path / "port"), clock, LineFramer(), SerialSettings(250_000))
            link.open(heard)
            await sleep_ns(S)
            link.write(b"late\n")
            await sleep_ns(S)
            link.close()
            await link.wait_closed()
            assert [frame.data for frame in heard.frames] == [b"late"]

    run_virtual(main(), VirtualClock())


def test_two_boards_live_on_one_loop(tmp_path: Path) -> None:
    async def main() -> None:
        clock = running_clock()
        with (
            Probe() as one,
            Probe() as other,
            LockStep(one, tmp_path / "one", adapter=LINES),
            LockStep(other, tmp_path / "other", adapter=LINES),
        ):
            links = [
                SerialLink("board", str(tmp_path / name), clock, LineFramer(), SerialSettings(250_000))
                for name in ("one", "other")
            ]
            sinks = [Heard(), Heard()]
            for link, heard in zip(links, sinks, strict=True):
                link.open(heard)
            await sleep_ns(MS)
            for link in links:
                link.write(b"E")
            await sleep_ns(MS)
            for number in range(100):
                for link in links:
                    link.write(b"%d\n" % number)
                await sleep_ns(2 * MS)
            for link, heard in zip(links, sinks, strict=True):
                assert [int(frame.data) for frame in heard.frames] == list(range(100))
                link.close()
                await link.wait_closed()

    run_virtual(main(), VirtualClock())


def test_frames_of_a_board_come_in_the_order_of_time(tmp_path: Path) -> None:
    values, _ = play(tmp_path / "port", busy_scene(9), adapter=CH340)
    times = [value.t_ns for value in values]
    assert all(early <= late for early, late in pairwise(times))


def test_it_needs_a_virtual_loop(tmp_path: Path) -> None:
    async def main() -> None:
        with Probe() as board, pytest.raises(TypeError, match="VirtualLoop"):
            LockStep(board, tmp_path / "port")

    asyncio.run(main())
