"""Rounds on an automatic wheel: its number is a candidate, unless it is trusted and nothing speaks against it."""

from __future__ import annotations

import pytest

from feed import events
from hal.capture.command_text import read_command
from hal.values import Command, Frame, Rare
from simulators.roulette.star_x import StarXSimulator, frames
from tests.tables.bench import EventList, events_of_run

LINK = "wheel_serial"
MS = 1_000_000
S = 1000 * MS

TRUSTED = "trust_wheel = true"


def toml(game: str = "", device: str = "") -> str:
    return (
        '[table]\nid = "roulette-3"\ngame = "roulette"\nno_more_bets = "auto"\n[lines]\nbackend = "capture"\n'
        f'[device.wheel]\ndriver = "star_x"\n{device}\n[links]\n{LINK} = {{ port = "/dev/null" }}\n[game]\n{game}\n'
    )


class Wheel:
    """A wheel that sends a status every half second."""

    def __init__(self) -> None:
        self.t_ns = 0
        self.sent: list[Frame] = []

    def line(self, data: bytes, after_ns: int = 500 * MS) -> Wheel:
        self.t_ns += after_ns
        self.sent.append(Frame(LINK, data, self.t_ns))
        return self

    def status(self, state: int, number: int = 117, ww: str = "13", f: str = "0", d: int = 0, times: int = 1) -> Wheel:
        for _ in range(times):
            self.line(b"*X;%d;%03d;%2s;%s;170;%d" % (state, number, ww.encode(), f.encode(), d))
        return self

    def spin(self, ww: str = "22", number: int = 118, last: str = "13", d: int = 0) -> Wheel:
        """A sound spin, from before the launch to the number."""
        self.status(1, number, last, d=d).status(2, number, last, d=d, times=3).status(3, number, last, d=d, times=3)
        return self.status(4, number, last, d=d, times=4).number(ww, number, d)

    def number(self, ww: str = "22", number: int = 118, d: int = 0) -> Wheel:
        """The bare number, at once its status, and so on until the game is over."""
        self.line(b"%2s" % ww.encode(), 470 * MS)
        self.line(b"*X;5;%03d;%2s;0;170;%d" % (number, ww.encode(), d), 30 * MS)
        return self.status(5, number, ww, d=d).status(1, number, ww, d=d, times=12)

    def heard(self, *commands: Command, game: str = "", device: str = "") -> EventList:
        rare: list[Rare] = [*self.sent, *commands]
        rare.sort(key=lambda value: value.t_ns)
        return events_of_run(toml(game, device), [], rare, self.t_ns)


def test_the_number_of_a_sound_spin_is_a_candidate_because_the_wheel_states_no_revolutions() -> None:
    said = Wheel().spin().heard()
    assert said.story() == [
        "table.opened",
        "round.opened",
        "round.started",
        "round.no_more_bets auto",
        "unresolved ball_revolutions",
        "round.settled auto",
        "round.opened",
    ]
    verdict = said.one(events.Unresolved)
    assert verdict.candidates == [{"pocket": "22", "index": 11, "color": "black"}]
    assert verdict.evidence.measured_by == "wheel"
    assert verdict.evidence.revolutions is None
    assert verdict.evidence.minimum_revolutions == 4


def test_a_wheel_whose_certificate_is_trusted_gives_the_outcome() -> None:
    outcome = Wheel().spin().heard(game=TRUSTED).one(events.Outcome)
    assert outcome.result == {"pocket": "22", "index": 11, "color": "black"}
    assert outcome.winning[0] == events.WinningBet("straight 22", "35 to 1")
    assert (outcome.evidence.measured_by, outcome.evidence.rotor_rpm) == ("wheel", 17.0)
    assert outcome.evidence.rotor_direction == "clockwise"


@pytest.mark.parametrize(
    ("d", "rotor", "ball"), [(0, "clockwise", "counter-clockwise"), (1, "counter-clockwise", "clockwise")]
)
def test_the_ball_is_said_to_go_against_the_rotor(d: int, rotor: str, ball: str) -> None:
    said = Wheel().spin(d=d).heard(game=TRUSTED)
    assert said.one(events.RoundStarted).direction == ball
    assert said.one(events.Outcome).evidence.rotor_direction == rotor


def test_the_wheel_itself_calls_no_more_bets() -> None:
    said = Wheel().spin().heard(game=TRUSTED)
    call = said.one(events.NoMoreBets)
    assert (call.by, call.round) == ("auto", 1)
    assert said.one(events.Outcome).evidence.no_more_bets == "in_time"


def test_a_ball_with_the_rotor_after_the_call_is_no_spin() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, times=2).status(4, 118, f="2")
    said = wheel.number("22").heard(game=TRUSTED)
    assert said.verdicts() == ["void ball_direction"]
    assert said.one(events.Void).rule == "13:47-20.32(m)1"


@pytest.mark.parametrize(("flag", "why"), [("2", "wrong way"), ("8", "launch failed")])
def test_a_launch_that_the_wheel_repeats_is_a_warning(flag: str, why: str) -> None:
    wheel = Wheel().status(1).status(2, 118).status(2, 118, f=flag).status(2, 118, times=3)
    wheel.status(3, 118, times=3).status(4, 118, times=4).number("22")
    said = wheel.heard(game=TRUSTED)
    assert why in said.one(events.DeviceWarning).detail
    assert said.verdicts() == ["22"]


def test_double_zero_on_a_wheel_used_as_single_zero_is_no_spin() -> None:
    said = Wheel().spin("00").heard(game=TRUSTED, device='pockets = "american_as_single_zero"')
    assert said.verdicts() == ["void double_zero_as_single_zero"]


def test_what_even_money_wagers_lose_on_a_zero_is_told_with_it() -> None:
    said = Wheel().spin("0").heard(game=TRUSTED + '\nzero_rule = "half"')
    assert said.one(events.Outcome).notices == ["even-money wagers lose half (13:47-20.32(g))"]


def test_a_bare_number_that_disagrees_leaves_a_candidate_even_of_a_trusted_wheel() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, times=3)
    wheel.line(b"21", 470 * MS).line(b"*X;5;118;22;0;170;0", 30 * MS).status(1, 118, "22", times=10)
    said = wheel.heard(game=TRUSTED)
    assert said.verdicts() == ["unresolved no_number_read"]
    verdict = said.one(events.Unresolved)
    assert [candidate["pocket"] for candidate in verdict.candidates] == ["22"]
    assert "number_disagrees" in verdict.evidence.detail


@pytest.mark.parametrize(
    "noise", [b"*X;4;118;13;0;17", b"*X;9;118;13;0;170;0", b"\xff\x00garbage", b"*X;4;118;13;0;990;0"], ids=repr
)
def test_a_broken_line_during_the_spin_is_a_doubt(noise: bytes) -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, times=2).line(noise, 200 * MS)
    wheel.status(4, 118, times=2).number("22")
    assert wheel.heard(game=TRUSTED).verdicts() == ["unresolved no_number_read"]


def test_states_out_of_order_are_a_doubt() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(2, 118).status(3, 118).status(4, 118).number("22")
    assert "22" not in wheel.heard(game=TRUSTED).verdicts()


def test_a_spin_that_ran_already_when_the_wheel_was_first_heard_gives_no_outcome() -> None:
    said = Wheel().status(3, 118).status(4, 118, times=3).number("22").heard(game=TRUSTED)
    assert said.of(events.Outcome) == []


def test_the_spin_after_one_that_was_joined_counts() -> None:
    wheel = Wheel().status(3, 118).status(4, 118, times=3).number("22").spin("5", 119, last="22")
    assert wheel.heard(game=TRUSTED).verdicts()[-1] == "5"


def test_a_wheel_that_closes_without_a_number_leaves_the_dealer_to_call() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, times=3).status(6, 118, times=4)
    said = wheel.heard(game=TRUSTED)
    assert said.verdicts() == ["unresolved no_number_read"]
    assert said.one(events.Unresolved).candidates == []


def test_a_wheel_that_is_heard_no_more_during_a_spin_shuts_the_table() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118)
    wheel.t_ns += 9 * S
    said = wheel.heard(game=TRUSTED)
    assert said.verdicts() == ["unresolved sensor_missing"]
    fault = said.one(events.DeviceFault)
    assert (fault.fault, fault.blocks_play) == ("sensor_missing", True)
    assert fault.mono_ns == wheel.sent[-1].t_ns + 2 * S


def test_a_wheel_that_is_silent_from_the_start_is_a_fault_and_gives_bets_back() -> None:
    said = events_of_run(toml(), [], [], 20 * S, cuts=[0])
    assert said.one(events.DeviceFault).fault == "sensor_missing"
    assert said.verdicts() == ["void sensor_missing"]


def test_a_stuck_sensor_of_the_wheel_shuts_the_table() -> None:
    said = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, f="4", times=3).heard(game=TRUSTED)
    assert said.verdicts() == ["unresolved sensor_stuck"]
    assert said.one(events.DeviceFault).fault == "sensor_stuck"


def test_after_a_fault_was_cleared_the_wheels_next_spin_counts() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118)
    silent_ns = wheel.t_ns
    wheel.t_ns += 9 * S
    wheel.status(1, 118, times=6)
    clear = read_command("clear device=wheel by=ann", silent_ns + 11 * S)
    said = wheel.spin("5", 119).heard(clear, game=TRUSTED)
    assert said.verdicts() == ["unresolved sensor_missing", "5"]


def test_a_silent_wheel_cannot_be_cleared() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118)
    clear = read_command("clear device=wheel by=ann", wheel.t_ns + 8 * S)
    wheel.t_ns += 20 * S
    said = wheel.heard(clear, game=TRUSTED)
    assert said.of(events.DeviceCleared) == []


def test_a_number_that_no_pocket_of_the_wheel_has_is_never_a_result() -> None:
    said = Wheel().spin("00").heard(game=TRUSTED, device='pockets = "european"')
    assert said.of(events.Outcome) == []


def test_a_launch_before_the_settling_is_the_next_rounds_spin() -> None:
    wheel = Wheel().spin()
    after = Wheel()
    after.sent, after.t_ns = wheel.sent[:-11], wheel.sent[-12].t_ns
    after.status(2, 119, "22", times=8).status(3, 119, "22").status(4, 119, "22", times=3).number("5", 119)
    said = after.heard(game=TRUSTED)
    assert said.verdicts() == ["22", "5"]
    assert [outcome.round for outcome in said.of(events.Outcome)] == [1, 2]


def early(last: str = "22") -> Wheel:
    """The wheel launches again while the bets of its last spin are still being paid."""
    wheel = Wheel().spin(last)
    del wheel.sent[-11:]
    wheel.t_ns = wheel.sent[-1].t_ns
    return wheel.status(2, 119, last).status(3, 119, last)


SLOW = TRUSTED + "\nsettle_after_s = 5"


def test_a_spin_that_was_launched_and_called_before_the_settling_has_its_call() -> None:
    said = early().status(4, 119, "22", times=16).number("5", 119).heard(game=SLOW)
    assert said.verdicts() == ["22", "5"]
    assert [(call.round, call.by) for call in said.of(events.NoMoreBets)] == [(1, "auto"), (2, "auto")]
    assert said.of(events.Outcome)[1].evidence.no_more_bets == "in_time"


def test_a_spin_that_went_wrong_before_the_settling_is_no_spin() -> None:
    wheel = early().status(4, 119, "22").status(4, 119, "22", f="2", times=2).status(4, 119, "22", times=12)
    assert wheel.number("5", 119).heard(game=SLOW).verdicts() == ["22", "void ball_direction"]


def test_a_spin_that_was_over_before_the_settling_counts_for_nothing_and_is_told() -> None:
    said = early().status(4, 119, "22", times=3).number("5", 119).heard(game=TRUSTED + "\nsettle_after_s = 30")
    assert said.verdicts() == ["22"]
    warning = said.one(events.DeviceWarning)
    assert (warning.warning, warning.round) == ("ball_before_settled", 1)


@pytest.mark.parametrize("seed", range(3))
def test_an_evening_of_the_simulated_wheel_is_told_number_by_number(seed: int) -> None:
    simulator = StarXSimulator(seed)
    played = [simulator.spin() for _ in range(6)]
    sent = [frame for spin in played for frame in frames(spin.chunks, LINK) if isinstance(frame, Frame)]
    said = events_of_run(toml(TRUSTED), [], sent, played[-1].until_ns + S)
    assert said.verdicts() == [spin.truth.pocket for spin in played]


def test_batches_cut_anywhere_change_no_byte() -> None:
    wheel = Wheel().spin().spin("5", 119, last="22")
    whole = wheel.heard(game=TRUSTED)
    cuts = range(0, wheel.t_ns, 137 * MS)
    assert events_of_run(toml(TRUSTED), [], wheel.sent, wheel.t_ns, cuts).body() == whole.body()


def test_batches_cut_anywhere_change_no_byte_where_the_wheel_is_silent_at_first() -> None:
    wheel = Wheel()
    wheel.t_ns = 5 * S
    wheel.spin()
    whole = wheel.heard(game=TRUSTED)
    assert events_of_run(toml(TRUSTED), [], wheel.sent, wheel.t_ns, range(0, wheel.t_ns, S)).body() == whole.body()


def test_a_wheel_that_still_reports_its_fault_cannot_be_cleared() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, f="4", times=20)
    clear = read_command("clear device=wheel by=ann", wheel.t_ns - S)
    assert wheel.heard(clear, game=TRUSTED).of(events.DeviceCleared) == []
