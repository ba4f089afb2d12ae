"""Corrupted bytes, and plans of link faults."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulators.board.link_faults import (
    NO_FAULTS,
    ByteFaults,
    FaultyWire,
    LinkFault,
    begin_link_fault,
    end_link_fault,
)
from tests.fakes.link_fault_plan import plan_link_faults

S = 1_000_000_000
COUNT = 20_000
DATA = [(i * 40_000, i & 255) for i in range(COUNT)]

shares = st.floats(0.0, 0.25)
byte_faults = st.builds(ByteFaults, shares, shares, shares, shares, st.integers(1, 50_000_000))


def test_a_sound_wire_changes_nothing() -> None:
    assert FaultyWire(NO_FAULTS, 1).through(DATA) == DATA


@pytest.mark.long
@given(faults=byte_faults, seed=st.integers(0, 99), cuts=st.lists(st.integers(0, 2_000), max_size=5))
def test_however_a_stream_is_cut_the_same_bytes_are_corrupted_and_they_keep_their_order(
    faults: ByteFaults, seed: int, cuts: list[int]
) -> None:
    data = DATA[:2_000]
    whole = FaultyWire(faults, seed).through(data)
    wire, pieces, start = FaultyWire(faults, seed), [], 0
    for cut in [*sorted(cuts), len(data)]:
        pieces += wire.through(data[start:cut])
        start = cut
    assert pieces == whole
    times = [t_ns for t_ns, _ in whole]
    assert times == sorted(times)
    assert len(whole) == len(data) - wire.did["dropped"] + wire.did["repeated"]


ONE_KIND = {
    "flipped": lambda share: ByteFaults(flipped=share),
    "dropped": lambda share: ByteFaults(dropped=share),
    "repeated": lambda share: ByteFaults(repeated=share),
    "delayed": lambda share: ByteFaults(delayed=share),
}


@pytest.mark.parametrize("kind", ONE_KIND)
@pytest.mark.parametrize("share", [0.001, 0.01, 0.5])
def test_each_fault_comes_as_often_as_it_is_asked_for(kind: str, share: float) -> None:
    wire = FaultyWire(ONE_KIND[kind](share), 7)
    wire.through(DATA)
    expected = share * COUNT
    assert abs(wire.did[kind] - expected) < 5 * expected**0.5 + 1
    assert sum(wire.did.values()) == wire.did[kind]


def test_a_flipped_byte_has_one_wrong_bit() -> None:
    corrupted = FaultyWire(ByteFaults(flipped=1.0), 1).through(DATA)
    assert all((was ^ now).bit_count() == 1 for (_, was), (_, now) in zip(DATA, corrupted, strict=True))


def test_all_may_be_lost() -> None:
    assert FaultyWire(ByteFaults(dropped=1.0), 1).through(DATA) == []


def test_a_delayed_byte_delays_those_behind_it() -> None:
    corrupted = FaultyWire(ByteFaults(delayed=0.01, longest_delay_ns=S), 1).through(DATA)
    assert [byte for _, byte in corrupted] == [byte for _, byte in DATA]
    followed = zip(corrupted[:-1], corrupted[1:], DATA[1:], strict=True)
    assert any(came_ns > t_ns and came_ns == before_ns for (before_ns, _), (came_ns, _), (t_ns, _) in followed)


@pytest.mark.parametrize("flipped", [-0.1, 0.6])
def test_shares_that_cannot_be_are_refused(flipped: float) -> None:
    with pytest.raises(ValueError, match="together at most 1"):
        ByteFaults(flipped=flipped, dropped=0.6)


class RecordedFaults:
    """Records the link faults."""

    def __init__(self) -> None:
        self.did: list[str] = []

    def unplug(self) -> None:
        self.did.append("unplug")

    def plug_in(self) -> None:
        self.did.append("plug in")

    def freeze_board(self, on: bool) -> None:
        self.did.append(f"freeze board {on}")

    def reset_board(self) -> None:
        self.did.append("reset")

    def hang_board(self) -> None:
        self.did.append("hang")

    def power_board(self, on: bool) -> None:
        self.did.append(f"power {on}")

    def freeze_host(self, duration_ns: int) -> None:
        self.did.append(f"freeze host {duration_ns}")


@pytest.mark.parametrize(
    ("kind", "did"),
    [
        (LinkFault.CABLE, ["unplug", "plug in"]),
        (LinkFault.FROZEN_BOARD, ["freeze board True", "freeze board False"]),
        (LinkFault.RESET, ["reset"]),
        (LinkFault.HANG, ["hang"]),
        (LinkFault.POWER, ["power False", "power True"]),
        (LinkFault.FROZEN_HOST, ["freeze host 5"]),
    ],
)
def test_a_link_fault_begins_and_ends(kind: LinkFault, did: list[str]) -> None:
    target = RecordedFaults()
    begin_link_fault(kind, target, 5)
    end_link_fault(kind, target)
    assert target.did == did


def test_link_faults_follow_one_another_within_their_time_and_every_kind_comes() -> None:
    plan = plan_link_faults(3, 10 * S, 1_000 * S, mean_gap_ns=5 * S, longest_ns=2 * S)
    assert plan == plan_link_faults(3, 10 * S, 1_000 * S, mean_gap_ns=5 * S, longest_ns=2 * S)
    assert {planned.kind for planned in plan} == set(LinkFault)
    assert 100 < len(plan) < 300
    for earlier, later in pairwise(plan):
        assert later.t_ns >= earlier.t_ns + earlier.lasts_ns
    assert plan[0].t_ns >= 10 * S
    assert plan[-1].t_ns < 1_000 * S
