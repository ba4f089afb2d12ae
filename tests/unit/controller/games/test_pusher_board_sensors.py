"""What a token pusher makes of its board's tests of the sensors: faults by name, and no outcome without a proof."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.games.assembly import table_for
from controller.table.durable import journalled
from drivers.pusher.board_actuator import PusherBoardActuator
from feed.events import DeviceCleared, DeviceFault, DeviceWarning, Event, Outcome, RoundStarted, Unresolved
from hal.board.carried import carried, command_in
from hal.board.messages import KINDS, HopperCommand, SensorsReport
from hal.values import Batch, Command, Edge, Frame, SendFrame
from simulators.pusher.board import PusherBoardSimulator
from tests.tables.bench import configured
from tests.tables.recorded_machine import MS, RecordedMachine, S

TOML = '[table]\nid = "pusher-1"\ngame = "token_pusher"\n[lines]\nbackend = "sim"\n[device.board]\n'
BIT = {name: 1 << number for number, (name, _) in enumerate(KINDS["pusher"].inputs)}
STEP_NS = 2 * MS
PLAY_S = 8.0
PROVEN_S = 0.5
"""Longer than a test takes."""


class PusherOnBoard(RecordedMachine):
    """A machine and the model of its board, step by step."""

    def __init__(self) -> None:
        super().__init__("pusher-1")
        self.board = PusherBoardSimulator("pusher")
        self.start()
        self.wait(1.0)

    def start(self) -> None:
        """The service starts, and continues from the journal."""
        self.table = table_for(configured(TOML), epoch="sim", simulated=True, opens=True)
        self.table.restore(self.state)
        self.publish(self.table.open(self.now_ns))
        self.feed(Batch([Edge("door", 0, self.now_ns)], [], self.now_ns))

    def restart(self) -> None:
        """The service ends at once, and starts again."""
        self.board.unplug(self.now_ns)
        self.board.answers(self.now_ns)
        self.start()
        self.board.come_up(self.now_ns)
        self.wait(1.0)

    def take(self, command: Command) -> None:
        self.feed(Batch([], [command], self.now_ns))

    def feed(self, batch: Batch) -> None:
        said = self.table.feed(batch)
        self.publish(said)
        if (stated := journalled(said, self.now_ns)) is not None:
            self.publish(self.table.feed(Batch([], [stated], self.now_ns)))
        for output in self.table.outputs():
            self.board.command(output)

    def wait(self, seconds: float) -> list[Event]:
        """Time passes; returns what was said."""
        first, until_ns = len(self.said), self.now_ns + round(seconds * S)
        while self.now_ns < until_ns:
            self.now_ns += STEP_NS
            self.feed(Batch([], self.board.answers(self.now_ns), self.now_ns))
        return list(self.said[first:])

    def happens(self, *deeds: Callable[[int], None]) -> None:
        """Something happens now."""
        for deed in deeds:
            deed(self.now_ns)

    def finds(self, shorted: str = "", dark: str = "") -> None:
        """The board's next reports are of a test with these findings."""
        report = carried(SensorsReport(0x7F, BIT.get(shorted, 0), BIT.get(dark, 0)))
        self.feed(Batch([], [Frame("pusher", report, self.now_ns)], self.now_ns))

    def cleared(self) -> bool:
        """A person clears the board; returns whether its fault was."""
        before = len(self.said.of(DeviceCleared))
        self.order("clear device=board by=ann")
        return len(self.said.of(DeviceCleared)) > before


def verdicts(machine: PusherOnBoard) -> list[object]:
    """The tokens won of each play in order; what is against those that are not proven."""
    said = [one.data for one in machine.said]
    return [
        one.result["tokens_won"] if isinstance(one, Outcome) else one.evidence.detail
        for one in said
        if isinstance(one, Outcome | Unresolved)
    ]


@pytest.mark.parametrize(
    ("shorted", "dark", "stuck"),
    [
        ("", "shaft", ""),
        ("", "tilt", ""),
        ("", "home", ""),
        ("shaft", "", "shaft is shorted, or lit from elsewhere"),
        ("tilt", "", "tilt is shorted, or lit from elsewhere"),
        ("hopper_coin", "", "hopper_coin is shorted, or lit from elsewhere"),
        ("home", "", "home is shorted, or lit from elsewhere"),
        ("", "win_b", "win_b is cut, dead, or active"),
        ("token", "", "token is shorted, or lit from elsewhere"),
    ],
)
def test_each_input_that_fails_a_test_blocks_play_by_its_name_until_a_later_test_finds_it_sound(
    shorted: str, dark: str, stuck: str
) -> None:
    machine = PusherOnBoard()
    assert machine.board.accepts
    machine.finds(shorted, dark)
    assert [fault.detail for fault in machine.said.of(DeviceFault)] == ([stuck] if stuck else [])
    machine.wait(0.1)
    assert machine.board.accepts == (not stuck)
    if not stuck:
        return
    assert not machine.cleared()
    assert f"because of the last test of {shorted or dark}" in machine.said.of(DeviceWarning)[-1].detail
    machine.wait(3.0)
    assert not machine.cleared(), "tests that report nothing find what the one before found"
    machine.finds()
    assert machine.cleared()
    machine.wait(1.0)
    assert machine.board.accepts


def test_no_token_is_taken_before_the_first_test_is_over() -> None:
    machine = PusherOnBoard.__new__(PusherOnBoard)
    RecordedMachine.__init__(machine, "pusher-1")
    machine.board = PusherBoardSimulator("pusher")
    machine.start()
    machine.wait(0.5)
    assert "acceptor_set" not in machine.acts()
    assert not machine.board.accepts
    machine.wait(0.2)
    assert machine.board.accepts


def test_what_comes_between_the_end_of_a_play_and_its_proof_is_of_the_next_one() -> None:
    machine = PusherOnBoard()
    machine.happens(machine.board.insert)
    machine.wait(2.0)
    machine.happens(machine.board.fall)
    machine.wait(1.0)
    machine.happens(machine.board.insert)
    machine.wait(0.1)
    machine.happens(machine.board.fall, machine.board.fall)
    assert machine.wait(0.05) == [], "nothing before the test"
    assert verdicts(machine) == []
    started_ns = machine.now_ns
    machine.wait(PROVEN_S)
    assert verdicts(machine) == [1]
    assert machine.meters.plays == 2
    machine.wait(PLAY_S + PROVEN_S - (machine.now_ns - started_ns) / S)
    assert verdicts(machine) == [1, 2], "the second play has its whole time from its own token, and no more"
    assert [one.round for one in machine.said.of(RoundStarted)] == [1, 2]


def test_a_play_that_a_tilt_ends_has_what_fell_before_and_then_the_machine_is_shut() -> None:
    machine = PusherOnBoard()
    machine.happens(machine.board.insert)
    machine.wait(2.0)
    machine.happens(machine.board.fall, machine.board.tilt)
    machine.wait(PROVEN_S)
    assert verdicts(machine) == [1]
    assert [fault.fault for fault in machine.said.of(DeviceFault)] == ["tilt"]


@pytest.mark.parametrize("restarts", [False, True])
def test_a_play_in_which_a_sensor_failed_ends_unresolved_also_after_the_repair(restarts: bool) -> None:
    machine = PusherOnBoard()
    machine.happens(machine.board.insert)
    machine.wait(2.0)
    machine.finds("win_a")
    machine.wait(0.1)
    machine.finds()
    assert machine.cleared()
    machine.wait(0.1)
    if restarts:
        machine.restart()
    machine.wait(PLAY_S + 1.0)
    assert verdicts(machine) == ["win_a is shorted, or lit from elsewhere"]
    assert machine.said.of(Unresolved)[0].reason == "sensor_stuck"
    machine.ok("correct round=1 tokens=3 by=ann why=counted")
    machine.wait(3.0)
    assert (machine.meters.tokens_won, machine.credits) == (3, 0), "the hopper has paid what a person counted"
    machine.happens(machine.board.insert)
    machine.wait(PLAY_S + 1.0)
    assert verdicts(machine)[1:] == [0]


def test_a_short_that_the_test_after_a_play_finds_leaves_the_play_unresolved_and_shuts_the_machine() -> None:
    machine = PusherOnBoard()
    machine.happens(machine.board.insert)
    machine.wait(PLAY_S)
    machine.wait(0.1)
    machine.finds("win_b")
    assert verdicts(machine) == ["win_b is shorted, or lit from elsewhere"]
    assert [fault.round for fault in machine.said.of(DeviceFault)] == [2], "the next play is shut"
    machine.happens(machine.board.insert)
    assert machine.board.returned == 1


def test_a_token_in_the_time_of_a_proof_is_not_lost_with_the_power() -> None:
    machine = PusherOnBoard()
    machine.happens(machine.board.insert)
    machine.wait(1.0)
    machine.happens(machine.board.insert)
    machine.wait(0.1)
    assert machine.meters.tokens_in == 1
    machine.restart()
    machine.wait(PLAY_S + 1.0)
    assert (machine.meters.tokens_in, machine.meters.tokens_paid, machine.credits) == (2, 1, 0)
    assert verdicts(machine) == [0], "the play goes on, and the token that came meanwhile is given back"


def test_the_keys_of_a_hopper_reach_its_board() -> None:
    pins = {"token_in": 1, "win_a": 2, "win_b": 3, "shelf_shaft": 4, "tilt": 5, "hopper_coin": 6, "door": 7}
    wired = "".join(f'{line} = {{ board = "money", input = {number} }}\n' for line, number in pins.items())
    text = TOML.replace('"sim"', '"board"') + '[board.money]\nkind = "pusher"\nport = "/dev/ttyUSB0"\n'
    keys = 'chip = "rp2040"\nhopper_most_a = 2.5\nhopper_errors = true\n'
    for more, limits in (("", (0, 0)), (keys, (int(2.5 * 0.1 / 3.3 * 1023), 1))):
        table = table_for(configured(f"{text}{more}[pins]\n{wired}"), epoch="e1", simulated=True, opens=True)
        (actuator,) = (one for one in table.actuators if isinstance(one, PusherBoardActuator))
        table.open(1)
        board = PusherBoardSimulator("pusher")
        table.feed(Batch([], board.answers(S), S))
        said = [command_in(one.data) for one in table.outputs() if isinstance(one, SendFrame)]
        assert HopperCommand(143, 0, *limits) in said
        assert actuator.name == "board"
