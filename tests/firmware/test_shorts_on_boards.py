"""Wires of money boards that touch 0 V, on the real firmware: such a play has no outcome, and a fault names the wire.

A short looks like a sensor at rest: without the board's own test no host can see it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from feed import events
from hal.board.message import BoardKind
from simulators.board.machines import Machine, MachineBoard
from simulators.board.wiring import LINES
from tests.fakes.time_limits import HANG_S
from tests.firmware.emulated import S
from tests.firmware.test_examples_on_boards import PlayedOnBoards
from tests.tables.bench import EventList


class ShortedBoard(MachineBoard):
    """A board one of whose sensors' wires touches 0 V for a while."""

    pin = ""
    kind_name = ""
    from_s = until_s = 0.0

    def __init__(self, elf: Path, machines: list[Machine], *, kind: BoardKind) -> None:
        self._kind = kind
        self._shorted = False
        super().__init__(elf, machines, kind=kind)

    def run_until(self, t_ns: int, pause_at: int | None = None, pause_after: int | None = None) -> None:
        shorted = self._kind.name == self.kind_name and self.from_s * S <= self.now_ns < self.until_s * S
        if shorted != self._shorted:
            self._shorted = shorted
            self.drive(self.pin, 0)
            fed = [line.pin for line in LINES[self._kind.name].values() if line.is_fed]
            self.feed([pin for pin in fed if not (shorted and pin == self.pin)], self._kind.sense_pin or None)
        super().run_until(t_ns, pause_at, pause_after)

    def drive_many(self, levels: Iterable[tuple[str, int | None, int]]) -> None:
        super().drive_many([one for one in levels if not (self._shorted and one[0] == self.pin)])


def played(
    monkeypatch: pytest.MonkeyPatch, folder: Path, example: str, pin: str, from_s: float, until_s: float, end_s: float
) -> EventList:
    """What the table of an example says until `end_s`, with a wire of its machine board shorted for a time."""
    kind = "pusher" if example.startswith("token_pusher") else "reel"
    made = {"pin": pin, "kind_name": kind, "from_s": from_s, "until_s": until_s}
    board = type("Shorted", (ShortedBoard,), made)
    monkeypatch.setattr("tests.firmware.test_examples_on_boards.MachineBoard", board)
    return PlayedOnBoards(example, folder, least_ns=round(end_s * S)).run(round(end_s * S))


def acts(said: EventList) -> list[str]:
    return [one.act for one in said.of(events.MachineEvent)]


@pytest.mark.timeout(HANG_S)
def test_a_beam_that_is_shorted_in_a_play_leaves_it_unresolved_and_the_machine_shut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = played(monkeypatch, tmp_path, "token_pusher_board", "D3", 12.0, 18.3, 19.2)
    (unresolved,) = said.of(events.Unresolved)
    words = "win_a is shorted, or lit from elsewhere"
    assert (unresolved.reason, unresolved.evidence.detail) == ("sensor_stuck", words)
    assert said.of(events.Outcome) == []
    (fault,) = said.of(events.DeviceFault)
    assert (fault.device, fault.fault, fault.detail, fault.blocks_play) == ("board", "sensor_stuck", words, True)
    (cleared,) = said.of(events.DeviceCleared)
    assert cleared.mono_ns > 18.3 * S, "not before the board's test found it sound"
    assert "door_opened" not in acts(said), "the door hangs on the same board, whose tests open none"


@pytest.mark.timeout(HANG_S)
def test_a_token_line_that_is_shorted_takes_no_token_before_its_board_has_found_it_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = played(monkeypatch, tmp_path, "token_pusher_board", "D2", 0.0, 1.5, 2.8)
    (fault,) = said.of(events.DeviceFault)
    assert fault.detail == "token is shorted, or lit from elsewhere"
    (cleared,) = said.of(events.DeviceCleared)
    (may,) = (one for one in said.of(events.MachineEvent) if one.act == "acceptor_set")
    assert 1.5 * S < cleared.mono_ns < may.mono_ns


@pytest.mark.timeout(HANG_S)
def test_a_stop_button_that_is_shorted_is_named_before_a_token_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = played(monkeypatch, tmp_path, "skill_stop_reel_board", "D5", 0.0, 999.0, 1.5)
    (fault,) = said.of(events.DeviceFault)
    assert (fault.device, fault.fault, fault.detail) == (
        "reels",
        "sensor_stuck",
        "stop_1 is shorted, or lit from elsewhere",
    )
    assert fault.blocks_play
    assert said.of(events.DeviceCleared) == [], "somebody tries, and it is shorted yet"


@pytest.mark.timeout(HANG_S)
def test_a_stop_button_that_is_shorted_as_the_reels_turn_leaves_the_play_unresolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = played(monkeypatch, tmp_path, "skill_stop_reel_board", "D5", 12.5, 999.0, 13.6)
    (unresolved,) = said.of(events.Unresolved)
    assert unresolved.evidence.detail == "stop_1 is shorted, or lit from elsewhere"
    assert [one["stops"] for one in unresolved.candidates] == [[5, 6, 3]]
    assert "award" not in acts(said)
    assert [fault.fault for fault in said.of(events.DeviceFault)] == ["sensor_stuck"]
