"""A pusher's service and its board, the real firmware, cut from power together and apart at random moments of plays.

Each time credits, meters, paid tokens and falls add up to what is physically true, and the same play or fault is there
again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Final

import pytest

from controller.games.machines.account import balance_error
from feed import events
from feed.events import MachineEvent
from tests.firmware.emulated import MS
from tests.firmware.pusher_machine import PusherOnBoard

SOAK_CUTS: Final = 800
CUTS_A_LIFE: Final = 10


@contextmanager
def machine(seed: int, commit_ns: int = 5 * MS) -> Iterator[PusherOnBoard]:
    made = PusherOnBoard(seed, commit_ns=commit_ns)
    try:
        made.run(1.5)
        yield made
    finally:
        made.close()


def adds_up(one: PusherOnBoard) -> None:
    """What is recorded is what is true."""
    meters = one.meters
    assert meters.tokens_in == one.tokens_in
    assert meters.tokens_paid == one.given_out
    assert balance_error(meters, one.credits) is None


def attended(one: PusherOnBoard) -> int:
    """The attendant counts what is in doubt, and clears what stands."""
    decided = 0
    while one.state.machine is not None and (doubts := one.state.machine.carried.get("doubts")):
        what, least, most, _ = doubts[0]
        missing = (
            one.tokens_in - one.meters.tokens_in if what == "tokens_in" else one.given_out - one.meters.tokens_paid
        )
        assert least <= missing and (most is None or missing <= most), doubts
        answer = one.order(f"reconcile tokens={missing}")
        assert answer.accepted, answer.reason
        one.run(0.2)
        decided += 1
    assert one.table is not None
    for device in {fault.device for fault in one.table.faults.standing}:
        one.order(f"clear device={device}")
    one.run(1.0)
    return decided


def life(seed: int, cuts: int) -> Counter[str]:
    """Tokens, falls and voids; and at a random moment the power of the service, of the board, or of both."""
    rng, found = Random(seed), Counter[str]()
    with machine(seed, rng.choice((1, 20, 100)) * MS) as one:
        for number in range(cuts):
            one.token()
            one.run(rng.uniform(0.0, 0.5))
            for _ in range(rng.randint(0, 2)):
                one.fall()
                one.run(rng.uniform(0.04, 0.3))
            if rng.random() < 0.6:
                one.order("void why=life")
                one.run(rng.uniform(0.0, 0.4))
            play = None if one.table is None else one.table.rounds.number
            which = rng.randrange(3)
            if which != 1:
                one.kill()
            if which != 0:
                one.board_off(seed + number)
            one.run(rng.uniform(0.05, 0.8))
            if one.bench is None:
                one.board_on()
            if one.table is None:
                standing = {fault.fault for fault in one.state.faults}
                before = one.state
                one.start()
                assert one.faults >= standing
                assert one.table is not None
                assert one.table.rounds.number >= before.round, play
            one.run(1.2)
            found["doubts"] += attended(one)
            found[f"cut {which}"] += 1
        one.run(4.0)
        found["doubts"] += attended(one)
        one.run(2.0)
        adds_up(one)
        assert one.credits == 0
        found["tokens"], found["falls"], found["paid"] = one.tokens_in, one.fallen, one.given_out - one.fallen
    return found


def test_t2_37_cuts_of_service_and_board_together_and_apart_add_up_to_what_is_true() -> None:
    found = sum((life(seed, 5) for seed in range(3)), Counter[str]())
    assert found["tokens"] > 5
    assert found["falls"] > 5
    assert found["paid"] > 2


def test_tokens_that_leave_the_hopper_unasked_shut_the_machine_until_a_person_clears_its_board_over_power_cuts() -> (
    None
):
    with machine(3) as one:
        one.token()
        one.run(0.2)
        one.order("void why=first")
        one.run(0.5)
        assert (one.credits, one.given_out) == (0, 1)
        one.token()
        one.run(0.2)
        one.stray()
        one.run(0.4)
        assert one.faults == {"hopper_runaway"}
        assert one.meters.tokens_overpaid == 1
        one.kill()
        one.stray()
        one.run(0.4)
        one.board_off(1)
        one.board_on()
        one.start()
        one.run(0.8)
        assert one.faults == {"hopper_runaway"}
        assert one.meters.tokens_overpaid == 2
        assert one.order("void why=stray").accepted
        assert attended(one) == 0
        one.run(0.5)
        adds_up(one)
        assert (one.credits, one.given_out, one.faults) == (0, 4, set())


def test_a_board_that_is_exchanged_in_a_payout_does_not_pay_it_again() -> None:
    with machine(5) as one:
        one.token()
        one.run(0.2)
        one.order("void why=exchange")
        while not one.given_out:
            one.run(0.01)
        one.board_off(1)
        one.exchange_board()
        one.board_on()
        one.run(0.8)
        assert "payout_in_doubt" in one.faults
        assert attended(one) > 0
        adds_up(one)
        assert (one.credits, one.given_out) == (0, 1)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("part", range(20))
def test_800_cuts_of_service_and_board_add_up_to_what_is_true(part: int) -> None:
    for number in range(SOAK_CUTS // 20 // CUTS_A_LIFE):
        life(100_000 * (part + 1) + number, CUTS_A_LIFE)


def test_t2_37_the_play_goes_on_with_what_fell_while_the_service_was_off() -> None:
    with machine(1) as one:
        assert one.token()
        one.run(0.3)
        one.fall()
        one.run(0.3)
        one.kill()
        one.fall()
        one.run(0.4)
        one.start()
        one.run(4)
        results = [outcome.result for outcome in one.said.of(events.Outcome)]
        assert results == [{"tokens_in": 1, "tokens_won": 2}]
        adds_up(one)


def test_a_shelf_that_stalls_is_switched_off_by_its_board_until_a_person_clears_it() -> None:
    with machine(2) as one:
        assert one.bench is not None
        assert one.bench.output("motor")
        one._shaft.stuck = one.shaft_stuck = True
        one.run(2)
        assert one.faults == {"shelf_stalled"}
        assert not one.bench.output("motor")
        assert one.bench.output("alarm")
        assert not one.token()
        # The same fault is there again after both had no power, and the motor still stands.
        one.kill()
        one.board_off(1)
        one.run(0.5)
        one.board_on()
        one.start()
        one.run(1.5)
        assert one.faults == {"shelf_stalled"}
        assert one.bench is not None
        assert not one.bench.output("motor")
        one._shaft.stuck = one.shaft_stuck = False
        assert one.order("clear device=bed").accepted
        one.run(1)
        assert one.bench.output("motor")
        assert not one.bench.output("alarm")
        assert one.token()


def test_t2_42_an_empty_hopper_of_the_board_is_paid_by_hand() -> None:
    with machine(3) as one:
        one._hopper.tokens = one.hopper_tokens = 0
        assert one.token()
        one.run(0.3)
        one.order("void why=broken")
        one.run(6)
        # Its motor ran, and its sensor saw nothing: whether none left, a person sees.
        assert one.faults == {"payout_in_doubt"}
        assert "it is empty" in one.said.of(events.DeviceFault)[-1].detail
        assert one.order("reconcile tokens=0").accepted
        one.run(0.1)
        assert one.credits == 1
        assert one.order("hand_pay").reason == "1 token paid by hand"
        one.run(0.2)
        adds_up(one)


def test_a_token_that_leaves_after_its_payout_came_into_doubt_is_of_that_payout() -> None:
    with machine(8) as one:
        one._hopper.tokens = 0
        one.token()
        one.run(0.2)
        one.order("void why=empty")
        while "payout_in_doubt" not in one.faults:
            one.run(0.05)
        one.stray()
        one.run(1.2)
        refused = one.order("reconcile tokens=0")
        assert "0 is not between 1 and" in refused.reason
        assert attended(one) == 1
        adds_up(one)
        assert (one.credits, one.given_out, one.meters.tokens_overpaid) == (0, 1, 0)


def test_t2_43_an_open_door_stops_the_shelf_and_the_acceptor() -> None:
    from hal.values import Edge

    with machine(4) as one:
        assert one.bench is not None
        one._feed([Edge("door", 1, one.now_ns)], [])
        one.run(0.2)
        assert not one.bench.output("motor")
        assert not one.token()
        one._feed([Edge("door", 0, one.now_ns)], [])
        one.run(1)
        assert one.bench.output("motor")
        assert one.token()


def test_a_tilt_ends_the_play_with_what_fell_before() -> None:
    with machine(5) as one:
        assert one.bench is not None
        assert one.token()
        one.run(0.3)
        one.fall()
        one.run(0.3)
        one.bench.pulse("tilt", 20)
        one.run(0.6)  # with the test of its sensors
        assert one.faults == {"tilt"}
        assert not one.bench.output("motor")
        assert [outcome.result["tokens_won"] for outcome in one.said.of(events.Outcome)] == [1]
        one.run(3.5)
        assert one.order("clear device=machine").accepted
        one.run(1)
        assert one.bench.output("motor")
        assert one.token()


def test_a_board_with_other_counters_is_a_doubt_and_no_windfall() -> None:
    with machine(6) as one:
        for _ in range(3):
            one.token()
            one.run(2.5)
        one.board_off(1)
        one._eeprom = None
        one.run(0.5)
        one.board_on()
        one.run(1)
        assert "token_in_doubt" in one.faults
        assert one.meters.tokens_in == 3
        acts = [event.act for event in one.said.of(MachineEvent)]
        assert acts.count("play_begun") == 3
