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
    assert (verdict.rule, verdict.unproven_rule) == ("ours", "13:47-20.32(m)2")
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


@pytest.mark.parametrize("state", [3, 4, 7])
def test_flag_4_of_the_one_status_of_a_spin_after_a_silence_keeps_no_table_shut(state: int) -> None:
    wheel = Wheel().status(1).status(2)
    wheel.t_ns += 5 * S
    wheel.status(state, f="4").status(6, times=4)
    cleared = read_command("clear device=wheel by=ann", wheel.t_ns)
    outcome = wheel.spin().heard(cleared, game=TRUSTED).one(events.Outcome)
    assert outcome.result["pocket"] == "22"


def real_launch() -> Wheel:
    """Status lines of a real wheel: the game is open for 19 s, then the rotor reverses, at the launch."""
    wheel = Wheel()
    for _ in range(38):
        wheel.line(b"*X;2;001;  ;0;000;0")
    for _ in range(4):
        wheel.line(b"*X;2;001;  ;0;000;1")
    return wheel.line(b"*X;3;001;  ;0;162;1")


def real_number(wheel: Wheel) -> Wheel:
    for _ in range(50):
        wheel.line(b"*X;4;001;  ;0;160;1")
    return wheel.line(b"22", 470 * MS).line(b"*X;5;001;22;0;160;1", 30 * MS).line(b"*X;1;001;22;0;160;1")


def test_the_spin_of_a_real_wheel_has_its_number_with_direction_and_speed_of_state_3() -> None:
    wheel = real_launch()
    rim_ns = wheel.t_ns
    said = real_number(wheel).heard(game=TRUSTED)
    assert said.verdicts() == ["22"]
    started = said.one(events.RoundStarted)
    assert (started.mono_ns, started.direction) == (rim_ns, "clockwise")
    evidence = said.one(events.Outcome).evidence
    assert (evidence.rotor_direction, evidence.rotor_rpm, evidence.detail) == ("counter-clockwise", 16.2, "")
    assert [(seen.revolutions, seen.rpm) for seen in said.of(events.RoundProgress)] == [(None, 16.2)]


def test_what_was_not_measured_is_left_out() -> None:
    wheel = Wheel().status(1).status(2, 118).line(b"*X;3;118;13;1;983;0").status(4, 118, times=3).number("22")
    said = wheel.heard(game=TRUSTED)
    assert said.one(events.RoundStarted).direction is None
    assert said.of(events.RoundProgress) == []
    evidence = said.one(events.Unresolved).evidence
    assert (evidence.rotor_rpm, evidence.revolutions, evidence.direction) == (None, None, None)
    assert evidence.detail == "ball_not_detected, rotor_speed"


@pytest.mark.parametrize("end", [1, 6])
@pytest.mark.parametrize("flag", ["0", "2", "8"])
def test_a_game_without_a_ball_in_the_rim_leaves_nothing_to_call(end: int, flag: str) -> None:
    wheel = Wheel().status(1).status(2, 118, times=20).status(2, 118, d=1, times=4).status(2, 118, f=flag, times=2)
    wheel.status(end, 118, times=6).status(1, 118)
    assert wheel.heard(game=TRUSTED).verdicts() == []
    assert wheel.spin("5", 119).heard(game=TRUSTED).verdicts() == ["5"]


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


@pytest.mark.parametrize("before_the_rim", ["0", "2"])
def test_a_ball_with_the_rotor_in_the_rim_is_no_spin(before_the_rim: str) -> None:
    wheel = Wheel().status(1).status(2, 118, f=before_the_rim).status(3, 118, f="2", times=4).status(4, 118, times=9)
    said = wheel.number("22").heard(game=TRUSTED)
    assert said.verdicts() == ["void ball_direction"]
    assert said.one(events.RoundStarted).direction == "clockwise"
    assert said.one(events.Void).mono_ns == wheel.sent[3].t_ns


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


@pytest.mark.parametrize(
    "noise",
    [b"*X;2;118;13;0;17", b"*X;9;118;13;0;170;0", b"\xff\x00garbage", b"*X;2;118;13;0;990;0", b"*  NO"],
    ids=repr,
)
def test_a_broken_line_while_the_game_is_open_does_not_cost_the_number(noise: bytes) -> None:
    wheel = Wheel().status(1).status(2, 118, times=3).line(noise, 200 * MS).status(2, 118).status(3, 118, times=3)
    assert wheel.status(4, 118, times=4).number("22").heard(game=TRUSTED).verdicts() == ["22"]


@pytest.mark.parametrize("reply", [b"*  NO", b"*) NO", b"*P OK"])
def test_a_reply_during_the_spin_is_no_doubt(reply: bytes) -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).line(reply, 100 * MS).status(4, 118, times=4)
    assert wheel.number("22").heard(game=TRUSTED).verdicts() == ["22"]


def test_states_out_of_order_are_a_doubt() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118, times=2).status(2, 118).status(3, 118).status(4, 118)
    wheel.number("22")
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
    assert said.one(events.Unresolved).evidence.detail == "the wheel closed without a number, and gave no reason"


def test_a_wheel_that_closes_without_a_number_says_why() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, f="1", times=3).status(6, 118, times=4)
    verdict = wheel.heard(game=TRUSTED).one(events.Unresolved)
    assert verdict.reason == "no_number_read"
    assert verdict.evidence.detail == "the wheel closed without a number, after ball_not_detected"


@pytest.mark.parametrize("shown", ["  ", "00"])
def test_a_number_that_is_none_is_unresolved_at_once(shown: str) -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, times=3).status(5, 118, shown, times=3)
    said = wheel.status(1, 118, times=9).heard(game=TRUSTED, device='pockets = "european"')
    verdict = said.one(events.Unresolved)
    assert verdict.mono_ns == wheel.sent[6].t_ns
    assert "without reporting a number" in verdict.evidence.detail


@pytest.mark.parametrize("flag", ["1", "2", "8"])
@pytest.mark.parametrize("end", [1, 2, 6])
def test_each_flagged_spin_has_its_verdict_and_the_next_one_its_number(flag: str, end: int) -> None:
    """Also where the wheel goes on to the next game without a number."""
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, f=flag, times=20)
    wheel.status(end, 118, times=20).spin("5", 119)
    verdicts = wheel.heard(game=TRUSTED).verdicts()
    assert len(verdicts) == 2
    assert verdicts[0] == ("void ball_direction" if flag == "2" else "unresolved no_number_read")
    assert verdicts[1] == "5"


def test_a_spin_whose_fault_is_cleared_while_the_game_is_open_has_its_verdict() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, f="4", times=9).status(6, 118, times=4)
    wheel.status(1, 118).status(2, 119, times=20)
    clear = read_command("clear device=wheel by=ann", wheel.t_ns - S)
    wheel.status(3, 119, f="1", times=4).status(4, 119, times=20).number("5", 119)
    said = wheel.heard(clear, game=TRUSTED)
    assert said.verdicts() == ["unresolved sensor_stuck", "unresolved no_number_read"]


def test_a_number_that_changes_after_the_outcome_is_reported() -> None:
    wheel = Wheel().spin("22")
    del wheel.sent[-12:]
    wheel.t_ns = wheel.sent[-1].t_ns
    said = wheel.status(5, 118, "23", times=3).status(1, 118, "23", times=10).heard(game=TRUSTED)
    assert said.verdicts() == ["22"]
    warning = said.one(events.DeviceWarning)
    assert (warning.warning, warning.round) == ("number_changed", 1)
    assert warning.detail == "the wheel shows 23 in state 5, after 22"


@pytest.mark.parametrize("flag", ["1", "2", "8"])
def test_a_flag_that_comes_after_the_number_is_reported(flag: str) -> None:
    wheel = Wheel().spin("22")
    del wheel.sent[-12:]
    wheel.t_ns = wheel.sent[-1].t_ns
    said = wheel.status(5, 118, "22", f=flag, times=3).status(1, 118, "22", times=10).heard(game=TRUSTED)
    assert said.verdicts() == ["22"]
    assert said.one(events.DeviceWarning).warning == "flag_after_number"


def test_a_wheel_that_is_heard_no_more_during_a_spin_shuts_the_table() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118, times=2)
    wheel.t_ns += 9 * S
    said = wheel.heard(game=TRUSTED)
    assert said.verdicts() == ["unresolved sensor_missing"]
    fault = said.one(events.DeviceFault)
    assert (fault.fault, fault.blocks_play) == ("sensor_missing", True)
    assert fault.mono_ns == wheel.sent[-1].t_ns + 2 * S


def test_no_bets_are_open_on_a_wheel_that_is_silent_from_the_start() -> None:
    said = events_of_run(toml(), [], [], 20 * S, cuts=[0])
    assert said.story() == ["table.opened", "device.fault sensor_missing"]


def test_bets_open_with_the_first_status_of_the_wheel() -> None:
    wheel = Wheel()
    wheel.t_ns = S
    said = wheel.status(1, times=3).heard()
    assert said.story() == ["table.opened", "round.opened"]
    assert said.one(events.RoundOpened).mono_ns == wheel.sent[0].t_ns


def test_a_wheel_that_falls_silent_while_a_refused_spin_runs_out_opens_no_bets() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, f="2", times=3)
    wheel.t_ns += 9 * S
    said = wheel.heard(game=TRUSTED)
    assert said.story()[1:] == [
        "round.opened",
        "round.started",
        "round.no_more_bets auto",
        "void ball_direction",
        "device.fault sensor_missing",
    ]


def test_a_wheel_that_stands_with_flag_4_opens_no_bets() -> None:
    said = Wheel().status(6, f="4", times=20).heard()
    assert said.of(events.RoundOpened) == []


def test_a_stuck_sensor_of_the_wheel_shuts_the_table() -> None:
    said = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, f="4", times=3).heard(game=TRUSTED)
    assert said.verdicts() == ["unresolved sensor_stuck"]
    assert said.one(events.DeviceFault).fault == "sensor_stuck"


def test_after_a_fault_was_cleared_the_wheels_next_spin_counts() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118, times=2)
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


def test_a_spin_that_fails_before_the_settling_counts_for_nothing_and_hinders_no_later_one() -> None:
    wheel = early().status(4, 119, "22", f="4", times=3).status(6, 119, "22", times=10).status(1, 119, "22")
    wheel.status(2, 120, "22", times=20)
    clear = read_command("clear device=wheel by=ann", wheel.t_ns - S)
    wheel.status(3, 120, "22", times=4).status(4, 120, "22", times=4).number("5", 120)
    said = wheel.heard(clear, game=SLOW)
    assert said.verdicts() == ["22", "5"]
    assert [w.warning for w in said.of(events.DeviceWarning)] == ["ball_before_settled"]


def power_cycled(flag: str) -> Wheel:
    """The power goes while flag 4 is up."""
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, f="4", times=9)
    wheel.t_ns += 40 * S
    return wheel.line(b"00;0").status(6, 0, "  ", f=flag, times=10)


def test_a_fault_that_a_power_cycle_ends_can_be_cleared() -> None:
    wheel = power_cycled("0")
    clear = read_command("clear device=wheel by=ann", wheel.t_ns - S)
    said = wheel.status(1, 0, "  ").spin("5", 1, last="  ").heard(clear, game=TRUSTED)
    assert [cleared.fault for cleared in said.of(events.DeviceCleared)] == ["sensor_stuck", "sensor_missing"]
    assert said.verdicts() == ["unresolved sensor_stuck", "5"]


def test_a_fault_that_is_still_up_after_a_power_cycle_cannot() -> None:
    wheel = power_cycled("4")
    clear = read_command("clear device=wheel by=ann", wheel.t_ns - S)
    said = wheel.heard(clear, game=TRUSTED)
    assert [cleared.fault for cleared in said.of(events.DeviceCleared)] == ["sensor_missing"]
    assert "flag 4" in said.of(events.DeviceWarning)[-1].detail


def test_a_wheel_that_still_reports_its_fault_cannot_be_cleared() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118).status(4, 118, f="4", times=20)
    clear = read_command("clear device=wheel by=ann", wheel.t_ns - S)
    assert wheel.heard(clear, game=TRUSTED).of(events.DeviceCleared) == []


# --- a ball that no round is open for, and a ball that there was not ---


def shut_by_flag_4() -> Wheel:
    """A fault comes and goes while the game is open: the table is shut until a supervisor clears it."""
    return Wheel().status(1).status(2, 118, times=3).status(2, 118, f="4", times=4).status(2, 118, times=4)


def test_a_ball_that_is_launched_while_a_fault_shuts_the_table_is_no_spin() -> None:
    wheel = shut_by_flag_4().status(3, 118, d=1, times=4)
    in_rim_ns = wheel.sent[-3].t_ns
    said = wheel.status(4, 118, d=1, times=6).number("22", d=1).heard(game=TRUSTED)
    assert said.verdicts() == ["void sensor_stuck", "void spun_while_shut"]
    void = said.of(events.Void)[1]
    assert (void.round, void.mono_ns, void.rule, void.call) == (2, in_rim_ns, "ours", "No spin")
    assert void.evidence.detail == "the wheel launched a ball while a fault shut the table: no bets were open"
    assert void.evidence.rotor_direction == "counter-clockwise"
    assert [opened.round for opened in said.of(events.RoundOpened)] == [1]


def test_after_such_a_spin_the_next_one_counts() -> None:
    wheel = shut_by_flag_4().status(3, 118, times=4).status(4, 118, times=4)
    clear = read_command("clear device=wheel by=ann", wheel.t_ns)
    said = wheel.status(4, 118, times=4).number("22").spin("5", 119, last="22").heard(clear, game=TRUSTED)
    assert said.verdicts() == ["void sensor_stuck", "void spun_while_shut", "5"]
    assert [opened.round for opened in said.of(events.RoundOpened)][:2] == [1, 3]
    assert said.of(events.RoundOpened)[1].mono_ns > said.one(events.DeviceCleared).mono_ns


def test_each_ball_of_a_shut_table_has_its_verdict() -> None:
    wheel = shut_by_flag_4()
    for number in (118, 119, 120):
        wheel.status(2, number).status(3, number, times=4).status(4, number, times=4).number("22", number)
    assert wheel.heard(game=TRUSTED).verdicts() == ["void sensor_stuck", *["void spun_while_shut"] * 3]


@pytest.mark.parametrize(("number", "more"), [(118, []), (119, ["void spun_while_shut"])])
def test_a_spin_that_a_silence_interrupts_has_one_verdict(number: int, more: list[str]) -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118, times=3)
    wheel.t_ns += 9 * S
    said = wheel.status(4, number, times=9).number("22", number).heard(game=TRUSTED)
    assert said.verdicts() == ["unresolved sensor_missing", *more]


def test_a_ball_of_a_closed_table_has_no_verdict() -> None:
    wheel = Wheel().status(1, times=4)
    close = read_command("close by=ann reason=late force=true", wheel.t_ns)
    said = wheel.spin().heard(close, game=TRUSTED)
    assert said.verdicts() == ["void dealer_call"]


def test_a_ball_launched_while_bets_are_paid_at_a_table_that_a_fault_will_shut_is_no_spin() -> None:
    wheel = Wheel().spin("22")
    del wheel.sent[-12:]
    wheel.t_ns = wheel.sent[-1].t_ns
    wheel.status(5, 118, "22", f="4").status(2, 119, "22").status(3, 119, "22", times=20)
    said = wheel.heard(game=SLOW)
    assert said.verdicts() == ["22", "void spun_while_shut"]
    assert said.story()[-3:] == ["device.fault sensor_stuck", "round.settled auto", "void spun_while_shut"]


def test_a_ball_that_runs_when_the_wheel_is_first_heard_is_in_no_round_of_bets() -> None:
    said = Wheel().status(3, 118, times=3).status(4, 118, times=9).number("22").heard(game=TRUSTED)
    assert said.story() == ["table.opened", "unresolved joined_mid_spin", "round.settled auto", "round.opened"]


@pytest.mark.parametrize("state", [3, 4, 7])
@pytest.mark.parametrize("place", range(12))
def test_a_wrong_state_while_the_game_is_open_does_nothing(state: int, place: int) -> None:
    """One byte makes a 2 a 3, and the next status denies it."""
    wheel = Wheel().status(1, times=2).status(2, 118, times=10)
    line = wheel.sent[place]
    wheel.sent[place] = line._replace(data=line.data[:3] + b"%d" % state + line.data[4:])
    wheel.status(2, 118, times=2).status(3, 118, times=3).status(4, 118, times=4).number("22")
    said = wheel.heard(game=TRUSTED)
    assert said.verdicts() == ["22"]
    assert len(said.of(events.RoundStarted)) == 1


def test_a_launch_that_the_wheel_takes_back_is_void_and_nothing_to_call() -> None:
    """The rotor stood, then turned with state 3: that starts the round at once."""
    wheel = Wheel().status(1).line(b"*X;2;118;13;0;000;0").status(3, 118).status(2, 118, times=5)
    started_ns = wheel.sent[2].t_ns
    said = wheel.status(3, 118, times=4).status(4, 118, times=4).number("22").heard(game=TRUSTED)
    assert said.verdicts() == ["void spin_not_started", "22"]
    assert said.of(events.RoundStarted)[0].mono_ns == started_ns
    assert "one status alone" in said.one(events.Void).evidence.detail


@pytest.mark.parametrize("after", [3, 4, 7])
def test_a_wrong_state_while_the_number_is_shown_calls_nothing(after: int) -> None:
    wheel = Wheel().spin("22")
    del wheel.sent[-12:]
    wheel.t_ns = wheel.sent[-1].t_ns
    wheel.status(5, 118, "22", times=10).status(after, 118, "22").status(5, 118, "22", times=2)
    assert wheel.spin("5", 119, last="22").heard(game=TRUSTED).verdicts() == ["22", "5"]


def test_a_wrong_state_before_the_number_gives_one_verdict_and_no_round_to_the_same_ball() -> None:
    wheel = Wheel().status(1).status(2, 118).status(3, 118, times=3).status(4, 118, times=3).status(5, 118)
    said = wheel.status(4, 118, times=20).number("22").spin("5", 119, last="22").heard(game=TRUSTED)
    assert said.verdicts() == ["unresolved no_number_read", "5"]


# --- statuses that are lost without a silence ---


def shown_only(shown: int = 2) -> Wheel:
    """Spin 118 has its number, 13, which is shown in that many statuses."""
    wheel = Wheel().status(1).status(2, 118).status(3, 118, times=3).status(4, 118, times=3).number("13")
    del wheel.sent[-13:]
    wheel.t_ns = wheel.sent[-1].t_ns
    return wheel.status(5, 118, times=shown - 1)


@pytest.mark.parametrize("shown", [1, 4, 8, 30])
@pytest.mark.parametrize("state", [3, 4, 7])
def test_a_spin_whose_beginning_is_lost_is_the_dealers_to_call(shown: int, state: int) -> None:
    """Directly after the number of the last spin, while its bets are paid, or when bets are open again."""
    said = shown_only(shown).status(state, 119, times=10).number("22", 119).heard(game=TRUSTED)
    assert said.verdicts() == ["13", "unresolved no_number_read"]
    verdict = said.one(events.Unresolved)
    assert verdict.round == 2
    assert [candidate["pocket"] for candidate in verdict.candidates] == ["22"]
    assert "state_order" in verdict.evidence.detail
    assert len(said.of(events.RoundStarted)) == 2
    assert said.of(events.DeviceWarning) == []


@pytest.mark.parametrize("before", [1, 2, 6])
def test_a_spin_of_which_only_the_number_is_received_is_the_dealers_to_call(before: int) -> None:
    wheel = shown_only().status(before, 119, times=10).number("22", 119)
    said = wheel.spin("5", 120, last="22").heard(game=TRUSTED)
    assert said.verdicts() == ["13", "unresolved no_number_read", "5"]
    verdict = said.one(events.Unresolved)
    assert [candidate["pocket"] for candidate in verdict.candidates] == ["22"]
    assert verdict.evidence.no_more_bets == "never"
    assert "state_order" in verdict.evidence.detail


def test_a_spin_of_which_only_the_number_is_received_before_the_settling_is_told() -> None:
    said = shown_only().status(2, 119, times=2).number("22", 119).heard(game=SLOW)
    assert said.verdicts() == ["13"]
    assert said.one(events.DeviceWarning).warning == "ball_before_settled"


@pytest.mark.parametrize("state", [4, 5])
def test_a_spin_whose_beginning_is_lost_while_a_fault_shuts_the_table_is_no_spin(state: int) -> None:
    wheel = shown_only(8).status(5, 118, f="4").status(5, 118, times=2)
    if state == 5:
        wheel.status(1, 119, times=4)
    said = wheel.status(4, 119, times=4 if state == 4 else 0).number("22", 119).heard(game=TRUSTED)
    assert said.verdicts()[-1] == "void spun_while_shut"
    assert "22" not in said.verdicts()


@pytest.mark.parametrize("after", [1, 20])
def test_the_number_of_a_ball_that_a_wrong_state_had_called_is_told(after: int) -> None:
    """A wrong byte made a 4 a 5: while bets are paid, and when they are open again, the wheel gives the number."""
    wheel = Wheel().status(1).status(2, 118).status(3, 118, times=3).status(4, 118, times=3).status(5, 118)
    said = wheel.status(4, 118, times=after + 1).number("22").heard(game=TRUSTED)
    assert said.verdicts() == ["unresolved no_number_read"]
    warning = said.one(events.DeviceWarning)
    assert (warning.warning, warning.detail) == ("number_changed", "the wheel shows 22 in state 5, after 13")


@pytest.mark.parametrize("end", [2, 6])
def test_a_launch_that_is_taken_back_before_the_settling_begins_no_round(end: int) -> None:
    wheel = shown_only().line(b"*X;2;119;13;0;000;0").status(3, 119).status(2, 119, times=2).status(end, 119, times=10)
    said = wheel.spin("5", 120).heard(game=SLOW)
    assert said.verdicts() == ["13", "5"]
    assert len(said.of(events.RoundStarted)) == 2
    assert said.of(events.RoundStarted)[1].mono_ns > said.of(events.RoundOpened)[1].mono_ns
