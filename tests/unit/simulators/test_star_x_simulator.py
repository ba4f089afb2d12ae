import itertools
from statistics import median

import pytest

from drivers.base.driver import Observation
from drivers.roulette.star_x import AutoNumber, StarXConfig, StarXWheel
from drivers.roulette.star_x_wire import StatusPacket, WheelState, parse
from hal.clock import NS_PER_S
from hal.framing import LineFramer
from hal.values import Frame
from simulators.base.faults import FaultError
from simulators.roulette.star_x import STAR_X_FAULTS, StarXSimulator, StarXSpin, frames


def play(spins: list[StarXSpin]) -> list[Observation]:
    """The driver's observations of these spins, in one stream."""
    driver = StarXWheel(StarXConfig(), "wheel")
    framer = LineFramer(max_length=32)
    seen: list[Observation] = []
    for spin in spins:
        for value in frames(spin.chunks, framer=framer):
            seen += driver.frame(value) if isinstance(value, Frame) else driver.lost(value)
        seen += driver.due(spin.until_ns - 1)
    return seen


def test_equal_seeds_give_equal_bytes_and_others_do_not() -> None:
    assert list(StarXSimulator(1).spins(3)) == list(StarXSimulator(1).spins(3))
    assert list(StarXSimulator(1).spins(3)) != list(StarXSimulator(2).spins(3))


def test_every_clean_spin_gives_its_number_agreed() -> None:
    spins = list(StarXSimulator(7).spins(60))
    numbers = [seen for seen in play(spins) if isinstance(seen, AutoNumber)]
    assert [(n.pocket, n.spin_number, n.agreed) for n in numbers] == [
        (spin.truth.pocket, spin.truth.spin_number, True) for spin in spins
    ]


@pytest.mark.long
@pytest.mark.parametrize("fault", STAR_X_FAULTS)
@pytest.mark.parametrize("seed", range(4))
def test_a_fault_never_gives_an_agreed_number_that_is_not_proven_and_ends_with_its_spin(fault: str, seed: int) -> None:
    spins = list(StarXSimulator(seed).spins(4, {2: fault}))
    agreed = [(n.spin_number, n.pocket) for n in play(spins) if isinstance(n, AutoNumber) and n.agreed]
    assert agreed == [(s.truth.spin_number, s.truth.pocket) for s in spins if s.truth.provable]
    assert spins[1].truth.provable is STAR_X_FAULTS[fault].provable


def test_the_measured_times_and_speeds_come_out() -> None:
    durations_s: dict[WheelState, list[float]] = {state: [] for state in WheelState}
    gaps_s: list[float] = []
    for spin in StarXSimulator(5).spins(200):
        lines = [(v.t_ns, parse(v.data)) for v in frames(spin.chunks) if isinstance(v, Frame)]
        statuses = [(t_ns, line) for t_ns, line in lines if isinstance(line, StatusPacket)]
        gaps_s += [(b[0] - a[0]) / NS_PER_S for a, b in itertools.pairwise(statuses) if a[1] != b[1]]
        for state, run in itertools.groupby(statuses, key=lambda status: status[1].state):
            times = [t_ns for t_ns, _ in run]
            durations_s[state].append((times[-1] - times[0]) / NS_PER_S)
        in_rim = [line.rpm_x10 for _, line in statuses if line.state is WheelState.BALL_IN_RIM]
        assert all(155 <= rpm_x10 <= 184 for rpm_x10 in in_rim)
    assert 0.45 < median(gaps_s) < 0.52
    for state, middle_s in (
        (WheelState.LAUNCH, 19.0),
        (WheelState.BALL_IN_RIM, 4.0),
        (WheelState.NO_MORE_BETS, 26.5),
        (WheelState.WINNING_NUMBER, 5.5),
    ):
        assert abs(median(durations_s[state]) - middle_s) < 1


def test_the_rotor_reverses_inside_state_2_and_has_its_speed_in_state_3() -> None:
    """As a real wheel's: `*X;2;001;  ;0;000;0`, half a second later `…;1`, two seconds later `*X;3;001;  ;0;162;1`."""
    for spin in StarXSimulator(5).spins(50):
        lines = [(v.t_ns, parse(v.data)) for v in frames(spin.chunks) if isinstance(v, Frame)]
        statuses = [(t_ns, line) for t_ns, line in lines if isinstance(line, StatusPacket)]
        rim_ns, rim = next(one for one in statuses if one[1].state is WheelState.BALL_IN_RIM)
        launch = [one for one in statuses if one[1].state is WheelState.LAUNCH]
        reversed_ns = next(t_ns for t_ns, line in launch if line.clockwise == rim.clockwise)
        stopped_ns = next(t_ns for t_ns, line in reversed(launch) if line.clockwise != rim.clockwise)
        assert launch[0][1].clockwise != rim.clockwise
        assert 0.4 <= (reversed_ns - stopped_ns) / NS_PER_S < 1.5
        assert 1.5 < (rim_ns - reversed_ns) / NS_PER_S < 4.5
        assert all(line.rpm_x10 == 0 for t_ns, line in launch if t_ns >= stopped_ns)
        assert 9 <= (rim_ns - launch[0][0]) / NS_PER_S < 596
        assert spin.truth.clockwise == rim.clockwise


def test_time_never_goes_back_and_bytes_take_their_time_on_the_wire() -> None:
    chunks = [chunk for spin in StarXSimulator(9).spins(3) for chunk in spin.chunks]
    for before, chunk in itertools.pairwise(chunks):
        assert chunk.t_ns - before.t_ns >= len(chunk.data) * 1_000_000


@pytest.mark.long
def test_a_single_zero_wheel_has_no_double_zero() -> None:
    assert "00" not in {spin.truth.pocket for spin in StarXSimulator(1, double_zero=False).spins(300)}
    assert "00" in {spin.truth.pocket for spin in StarXSimulator(1).spins(300)}


def test_an_unknown_fault_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(FaultError, match="misfire"):
        StarXSimulator(1).spin("misfired")
