"""Sessions over links that break bytes: the same verdicts or honest faults, and each command done once, in order."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from controller.live.board_watch import BOARD_LOST
from feed import events
from hal.board import frames
from hal.board.firmware import VERSION
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink
from hal.board.message import BoardReport
from hal.board.messages import KINDS, EdgesReport, IdentityAnswer, OkAnswer, WatchCommand
from hal.clock import VirtualClock
from hal.loop import run_virtual, sleep_ns
from simulators.board.link_faults import NO_FAULTS, ByteFaults, FaultyWire
from simulators.board.lockstep import LockStep
from tests.firmware.emulated import MS, S, built
from tests.firmware.inspected_board import InspectedBoard
from tests.firmware.live_evening import example, simulated
from tests.firmware.noisy_session import (
    SWITCHED_EVERY_NS,
    BusyTable,
    a_session,
    broken_bytes,
    compare,
    figures,
    play_noisy,
    play_on_pins,
)
from tests.firmware.table_on_boards import Conditions
from tests.firmware.table_on_pins import TableOnPins
from tests.firmware.test_tables_on_board import wrong_outcomes

MONEY, ROULETTE = "money_wheel_board", "roulette_board"
ONE_IN_100 = 1 / 100


@pytest.fixture(autouse=True)
def same_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions have random numbers; here the same ones in every run."""
    monkeypatch.setattr(secrets, "randbits", Random(1).getrandbits)


# --- one byte in 1,000 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "rounds", "kind", "seed"),
    [
        (MONEY, 2, "flipped", 1),
        pytest.param(ROULETTE, 1, "mixed", 3, marks=pytest.mark.soak),
        *(
            pytest.param(name, 200, kind, seed, marks=[pytest.mark.soak, pytest.mark.timeout(7_200)])
            for name in (MONEY, ROULETTE)
            for kind, seed in (("flipped", 1), ("dropped", 1), ("mixed", 2))
        ),
    ],
)
def test_with_one_byte_in_1000_broken_a_session_has_its_verdicts_and_each_command_is_done_once(
    tmp_path: Path, name: str, rounds: int, kind: str, seed: int
) -> None:
    """Beside the same session on pins: `test_tables_on_board` shows that boards on sound links say the same."""
    table = play_noisy(name, rounds, broken_bytes(kind), seed, tmp_path)
    found = figures(table, play_on_pins(name, rounds, seed))
    assert wrong_outcomes(table) == []
    assert found.same + found.void + found.unresolved + found.unplayed == rounds
    assert found.same >= rounds * 0.99, f"honest, and yet not to be played on: {found}"
    assert found.broken > 20 * rounds
    assert found.commands > 0.9 * table.evening.until_ns / SWITCHED_EVERY_NS


def test_a_foul_round_is_among_the_quick_ones() -> None:
    truths = a_session(MONEY, 4, 1).truths
    assert [truth.valid for truth in truths] == [True, True, True, False]


@pytest.mark.soak
def test_the_same_broken_bytes_give_the_same_session_to_the_nanosecond(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def play() -> tuple[bytes, object, object]:
        monkeypatch.setattr(secrets, "randbits", Random(7).getrandbits)
        table = play_noisy(MONEY, 1, broken_bytes("mixed"), 5, tmp_path)
        return table.said.body(), table.changes, [told[:3] for told in table.logs["wheel"].log]

    assert play() == play()


class OverheardBoard(InspectedBoard):
    """A wheel board of which is known what it said, whatever of that comes through."""

    def __init__(self) -> None:
        super().__init__(built("wheel.elf"))
        self.bytes_said = bytearray()

    def take_sent(self) -> list[tuple[int, int]]:
        sent = super().take_sent()
        self.bytes_said += bytes(byte for _, byte in sent)
        return sent

    @property
    def said(self) -> list[tuple[int, int, bytes]]:
        """The frames: number, id, fields."""
        *pieces, _ = bytes(self.bytes_said).split(b"\0")  # it may be in the middle of its last frame
        return [frames.decode(piece) for piece in pieces if piece]


class Nobody:
    """A use of a board that heeds nothing."""

    def up(self, identity: IdentityAnswer, t_ns: int) -> None:
        """The board is up."""

    def down(self, t_ns: int, reason: str) -> None:
        raise AssertionError(reason)

    def reported(self, report: BoardReport, t_ns: int) -> None:
        """It said something by itself."""


@pytest.mark.parametrize("kind", ["flipped", "dropped", "repeated", "delayed"])
def test_a_command_whose_repetition_would_show_is_never_repeated(tmp_path: Path, kind: str) -> None:
    """Each `watch` begins the edges again from number 0, and the board tells so: once for each that the host sent."""
    count = 200
    faults = broken_bytes(kind, 1 / 300) if kind in ("repeated", "delayed") else broken_bytes(kind)
    commands = [WatchCommand(1 + number % 255, number // 2 % 256) for number in range(count)]

    async def main() -> None:
        clock = running_clock()
        with OverheardBoard() as board, LockStep(board, tmp_path / "port", to_board=faults, to_host=faults) as step:
            link = BoardLink("wheel", str(tmp_path / "port"), ExpectedBoard(KINDS["wheel"], VERSION), clock)
            use = Nobody()
            link.open(use)
            while not link.status.up:
                await sleep_ns(MS)
            for command in commands:
                assert isinstance(await link.command(command), OkAnswer)
                await sleep_ns(20 * MS)  # what it found is told within 5 ms
            link.close(use)
            await link.wait_closed()
            begun = [fields for _, id_, fields in board.said if id_ == EdgesReport.id and not any(fields[:4])]
            assert len(begun) == count
            assert [EdgesReport.unpack(fields).count for fields in begun] == [
                command.inputs.bit_count() for command in commands
            ]
            answers = sum(id_ == OkAnswer.id for _, id_, _ in board.said)
            if kind != "delayed":
                assert answers > count, "some were sent twice, and answered twice"
            assert sum(step.to_board.did.values()) + sum(step.to_host.did.values()) > 10

    run_virtual(main(), VirtualClock())


def running_clock() -> VirtualClock:
    loop = asyncio.get_running_loop()
    clock = getattr(loop, "clock", None)
    assert isinstance(clock, VirtualClock)
    return clock


# --- one byte in 100 ------------------------------------------------------------------------------------------------


def spoil(table: BusyTable, faults: ByteFaults, seed: int, boards: Sequence[str] = ()) -> None:
    """From now on the links of these boards, or of all, break bytes so."""
    for name in boards or table.steps:
        step = table.steps[name]
        step.to_board, step.to_host = FaultyWire(faults, seed), FaultyWire(faults, seed + 1)


def check_shut(table: BusyTable, device: str, from_ns: int, until_ns: int) -> None:
    """The table said why it does not play, in figures, and opened no round until the link was good again."""
    lost = next(event.data for event in table.said if isinstance(event.data, events.DeviceFault))
    assert (lost.device, lost.fault) == (device, BOARD_LOST)
    words = re.search(r"too bad to play on: (\d+) of the last (\d+) frames .*, about 1 byte in (\d+)", lost.detail)
    assert words, lost.detail
    bad, frames_seen, bytes_a_loss = map(int, words.groups())
    assert 10 <= bad <= frames_seen
    assert 50 < bytes_a_loss < 300, "as bad as it is, and not as good as it was before"
    cleared_ns = next(data.mono_ns for data in table.said.of(events.DeviceCleared) if data.device == device)
    assert from_ns < lost.mono_ns < from_ns + 2 * S
    assert until_ns < cleared_ns < until_ns + 6 * S
    assert [data.round for data in table.said.of(events.RoundOpened) if lost.mono_ns < data.mono_ns < cleared_ns] == []


@pytest.mark.parametrize(
    ("name", "board", "kind"),
    [
        (MONEY, "wheel", "flipped"),
        pytest.param(MONEY, "wheel", "dropped", marks=pytest.mark.soak),
        *(pytest.param(ROULETTE, board, "mixed", marks=pytest.mark.soak) for board in ("wheel", "desk")),
    ],
)
def test_with_one_byte_in_100_broken_a_table_does_not_play_and_says_why_and_then_plays_again(
    tmp_path: Path, name: str, board: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    evening = simulated(example(name), [None] * 3, 1)
    ends = [batch.until_ns for batch in evening.batches]
    from_ns, until_ns = ends[0] + 3 * (ends[1] - ends[0]) // 10, ends[1] + 5 * S
    table = BusyTable(example(name), tmp_path, evening)

    def script() -> None:
        table.at(from_ns, lambda: spoil(table, broken_bytes(kind, ONE_IN_100), 1, [board]))
        table.at(until_ns, lambda: spoil(table, NO_FAULTS, 1, [board]))

    said = table.run(script=script)
    check_shut(table, f"board.{board}", from_ns, until_ns)
    assert "too bad to play on" in caplog.text
    assert wrong_outcomes(table) == []
    found = compare(table, TableOnPins(example(name), evening).run())
    assert found["same"] <= 2, "the round in which the link went bad is not decided"
    assert said.verdicts()[0].split()[0] in ("void", "unresolved")
    assert isinstance(last_verdict(table), events.Outcome), "the table plays again without a restart"
    table.check_commands()


@pytest.mark.soak
def test_with_one_byte_in_100_broken_from_the_start_no_round_is_played_until_the_link_is_good(tmp_path: Path) -> None:
    evening = simulated(example(MONEY), [None] * 2, 1)
    bad = broken_bytes("mixed", ONE_IN_100)
    table = BusyTable(example(MONEY), tmp_path, evening, Conditions(to_board=bad, to_host=bad))
    until_ns = evening.batches[1].until_ns - 5 * S
    said = table.run(script=lambda: table.at(until_ns, lambda: spoil(table, NO_FAULTS, 1)))
    check_shut(table, "board.wheel", 5 * S, until_ns)
    assert said.verdicts()[0] == "void sensor_missing", "what opens with the table is void in the same instant"
    assert [data.mono_ns for data in said.of(events.Void)] == [data.mono_ns for data in said.of(events.RoundOpened)[:1]]
    assert [data.mono_ns for data in said.of(events.NoMoreBets)] > [until_ns]
    assert isinstance(last_verdict(table), events.Outcome)
    assert wrong_outcomes(table) == []
    table.check_commands()


def last_verdict(table: BusyTable) -> events.Data:
    return [
        event.data for event in table.said if isinstance(event.data, events.Outcome | events.Void | events.Unresolved)
    ][-1]
