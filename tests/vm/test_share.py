"""A share of `make vm-test`: the checkout on a real kernel, which boots from this computer's own root."""

from __future__ import annotations

from tests.vm.power_cuts import cut_again_and_again, judged
from tests.vm.scenarios import Outcome, overflow, renumbered, verdicts


def assert_right(outcome: Outcome) -> None:
    assert outcome.wrong == []
    assert outcome.passed > 0


def test_a_capture_through_the_kernels_lines_gives_what_its_replay_gives() -> None:
    outcome = verdicts(("money_wheel_mixed",), checkout=True, until_s=40)
    assert_right(outcome)
    assert outcome.figures["verdicts of money_wheel_mixed"] == 2


def test_no_verdict_rests_on_edges_that_the_kernels_buffer_lost() -> None:
    assert_right(overflow(checkout=True))


def test_the_chip_of_the_header_is_opened_whatever_number_a_kernel_gave_it() -> None:
    assert_right(renumbered("gpiod", checkout=True))


def test_nothing_that_was_seen_outside_is_lost_in_a_power_cut() -> None:
    outcome = judged([cut_again_and_again(1, seed=2, checkout=True)], 1)
    assert_right(outcome)
    assert outcome.figures["power cuts"] == 1
