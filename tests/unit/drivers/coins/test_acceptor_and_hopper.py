"""Acceptor and hopper on one bus with their account: every token once, and every fault by its name."""

from __future__ import annotations

import pytest

from controller.games.machines.account import AccountDoubt, AccountError, balance_error
from drivers.coins.cctalk_wire import ERRORS, HopperFlag, HopperStatus, is_rejection
from drivers.coins.hopper import Hopper, PayoutPlan
from drivers.coins.observations import AcceptorEvents, AcceptorInhibited, HopperReady, PayoutDoubt, PayoutEnded
from tests.tables.coin_bus import CoinHost, S


def accepting(**keys: object) -> CoinHost:
    """A host whose acceptor takes tokens."""
    host = CoinHost(7, **keys)  # type: ignore[arg-type]
    host.accept(True)
    host.run(1.5)
    assert host.acceptor.takes
    return host


def credited(host: CoinHost, tokens: int) -> CoinHost:
    for _ in range(tokens):
        assert host.acceptor.insert(1, host.now_ns)
        host.run(0.5)
    assert host.account.credits == tokens
    return host


# --- the acceptor ---------------------------------------------------------------------------------------------------


def test_an_acceptor_takes_nothing_before_it_is_told_to() -> None:
    host = CoinHost(1)
    host.run(2)
    assert not host.acceptor.takes
    (inhibited,) = host.of(AcceptorInhibited)
    assert (inhibited.accepting, inhibited.counter) == (False, 0)
    assert not host.acceptor.insert(1, host.now_ns)


@pytest.mark.parametrize("after_ms", range(0, 300, 7))
def test_an_acceptor_that_is_wanted_again_before_it_has_confirmed_takes_tokens(after_ms: int) -> None:
    host = accepting()
    host.accept(False)
    host.run(after_ms / 1000)
    host.accept(True)
    host.run(2)
    assert host.acceptor.takes


def test_tokens_are_credited_once_each_with_the_counter_of_the_acceptor() -> None:
    host = credited(accepting(), 3)
    assert [act for act, _ in host.acts if act == "token_in"] == ["token_in"] * 3
    assert host.account.state["acceptor"] == {"counter": 3, "accepting": True}
    assert host.agrees()


def test_five_tokens_between_two_polls_are_all_credited() -> None:
    host = accepting()
    for _ in range(5):
        assert host.acceptor.insert(1, host.now_ns)
    host.run(1)
    assert host.account.credits == 5
    assert host.account.doubts == ()


def test_of_six_events_between_two_polls_one_is_lost_and_in_doubt() -> None:
    host = accepting()
    for _ in range(6):
        host.acceptor.insert(1, host.now_ns)
    host.run(1)
    assert host.account.credits == 5
    (doubt,) = host.account.doubts
    assert doubt.what == "tokens_in"
    assert "was 0 and is 6: 1 event lost" in doubt.detail
    host.account.reconcile(host.now_ns, 1, "ann")
    assert host.agrees()


def test_the_counter_wraps_from_255_to_1() -> None:
    host = accepting()
    for _ in range(300):
        host.acceptor.insert(1, host.now_ns)
        host.run(0.3)
    assert host.acceptor.counter == 300 - 255
    assert host.account.credits == 300
    assert host.account.doubts == ()


def test_a_coin_that_is_no_token_is_returned() -> None:
    host = accepting()
    assert not host.acceptor.insert(2, host.now_ns)
    host.run(1)
    assert host.account.credits == 0
    assert host.of(AcceptorEvents)[-1].errors == (129,)


@pytest.mark.parametrize("code", ERRORS)
def test_every_error_code_is_reported_and_credits_nothing(code: int) -> None:
    host = accepting()
    host.acceptor.error(code)
    host.run(1)
    seen = host.of(AcceptorEvents)[-1]
    assert (seen.errors, seen.coins, seen.doubt) == ((code,), (), "")
    assert host.account.credits == 0
    assert is_rejection(code) == (code in (1, 2, 3, 5, 8, 13, 23, 254))


def test_a_reset_while_it_takes_tokens_is_a_doubt_with_both_counts_and_it_is_set_anew() -> None:
    host = credited(accepting(), 2)
    host.acceptor.reset(host.now_ns)
    assert not host.acceptor.takes
    host.run(2)
    (doubt,) = host.account.doubts
    assert "was 2 and is 0: it was reset while it took tokens" in doubt.detail
    assert host.acceptor.takes
    assert host.account.credits == 2


def test_a_reset_while_it_takes_none_leaves_no_doubt() -> None:
    host = credited(accepting(), 2)
    host.accept(False)
    host.run(1)
    host.acceptor.reset(host.now_ns)
    host.run(1)
    assert host.account.doubts == ()
    assert host.of(AcceptorEvents)[-1].counter == 0


def test_a_token_that_nobody_read_before_the_service_was_killed_is_credited_at_the_next_start() -> None:
    host = credited(accepting(), 2)
    assert host.acceptor.insert(1, host.now_ns)
    host.kill()
    host.run(0.5)
    host.start()
    host.run(2)
    assert host.account.credits == 3
    assert host.agrees()


def test_a_credit_that_was_not_durable_is_credited_again_and_only_once() -> None:
    host = accepting()
    host.commit_ns = 5 * S
    host.acceptor.insert(1, host.now_ns)
    host.run(1)
    assert host.account.credits == 1
    host.kill()
    host.start()
    host.run(8)
    assert host.account.credits == 1
    assert host.agrees()


def test_without_polls_it_takes_no_tokens() -> None:
    host = accepting()
    host.kill()
    host.run(1.2)
    assert not host.acceptor.insert(1, host.now_ns)


def test_a_silent_acceptor_is_reported_once_and_again_when_it_answers() -> None:
    host = accepting()
    host.acceptor.power_cut(host.now_ns)
    host.run(6)
    assert host.silent() == [("acceptor", True)]
    host.acceptor.power_up(host.now_ns)
    host.run(2)
    assert host.silent() == [("acceptor", True), ("acceptor", False)]
    assert host.acceptor.takes


# --- the hopper -----------------------------------------------------------------------------------------------------


def test_a_payout_is_sent_only_after_its_plan_is_durable() -> None:
    host = credited(accepting(), 3)
    host.commit_ns = 2 * S
    assert host.account.pay(3, host.now_ns)
    host.run(1.8)
    assert host.hopper.status.event == 0
    host.run(3)
    assert (host.hopper.paid, host.account.credits) == (3, 0)
    assert host.of(PayoutEnded)[-1].detail == ""


def test_a_plan_that_was_not_durable_is_never_paid() -> None:
    host = credited(accepting(), 3)
    host.run(1)
    host.commit_ns = 10 * S
    assert host.account.pay(3, host.now_ns)
    host.run(1)
    host.kill()
    host.start()
    host.run(3)
    assert (host.hopper.paid, host.account.credits, host.account.paying) == (0, 3, False)


@pytest.mark.parametrize("after_s", [0.05, 0.2, 0.4, 0.7, 1.0, 2.0])
def test_a_payout_goes_on_where_the_service_was_killed(after_s: float) -> None:
    host = credited(accepting(), 4)
    assert host.account.pay(4, host.now_ns)
    host.run(after_s)
    host.kill()
    host.run(1.0)
    host.start()
    host.run(6)
    assert host.agrees()
    assert (host.account.credits, host.account.paying, host.account.doubts) == (0, False, ())


@pytest.mark.parametrize("after_s", [0.02, 0.1, 0.2, 0.4, 0.7, 1.0, 2.0])
def test_a_payout_whose_hopper_loses_its_power_is_counted_by_what_the_hopper_kept(after_s: float) -> None:
    host = credited(accepting(), 4)
    assert host.account.pay(4, host.now_ns)
    host.run(after_s)
    host.hopper.power_cut(host.now_ns)
    host.run(0.5)
    host.hopper.power_up(host.now_ns)
    host.run(6)
    assert host.agrees()
    assert host.account.doubts == ()
    assert host.account.credits == 4 - host.hopper.paid
    while host.account.credits:
        assert host.account.pay(4, host.now_ns)
        host.run(6)
    assert host.hopper.paid == 4


def test_an_empty_hopper_pays_what_it_has_and_reports_itself() -> None:
    host = credited(accepting(tokens=2), 4)
    assert host.account.pay(4, host.now_ns)
    host.run(12)
    ended = host.of(PayoutEnded)[-1]
    assert (ended.asked, ended.paid, ended.detail) == (4, 2, "no token came any more")
    assert host.account.credits == 2
    assert HopperFlag.PAYOUT_TIMEOUT in host.troubles()[-1].flags
    assert host.account.hand_pay(host.now_ns, "ann") == 2
    assert host.account.meters.tokens_hand_paid == 2


def test_a_dispense_that_is_never_taken_is_sent_three_times_and_no_oftener(monkeypatch: pytest.MonkeyPatch) -> None:
    host, asked = credited(accepting(), 3), list[bytes]()
    monkeypatch.setattr(host.hopper, "_dispense", lambda data, _t_ns: asked.append(data))
    assert host.account.pay(3, host.now_ns)
    host.run(30)
    ended = host.of(PayoutEnded)[-1]
    assert (len(asked), ended.paid, ended.detail) == (3, 0, "it did not take the dispense in 3 attempts")


def test_a_payout_that_stalls_longer_than_any_hopper_waits_is_stopped() -> None:
    host = credited(accepting(), 3)
    host.hopper.jammed = True
    assert host.account.pay(3, host.now_ns)
    host.run(3)
    host.hopper._token_ns = None  # its own timeout does not act either
    host.run(20)
    assert host.of(PayoutEnded)[-1].paid == 0
    assert not host.account.paying


def test_a_stop_ends_a_payout_and_what_left_is_counted() -> None:
    host = credited(accepting(), 6)
    assert host.account.pay(6, host.now_ns)
    host.run(0.8)
    host.coins.stop(host.now_ns)
    host.run(2)
    ended = host.of(PayoutEnded)[-1]
    assert 0 < ended.paid == host.hopper.paid < 6
    assert ended.detail == "it was stopped"


def test_a_hopper_that_gives_more_than_it_counts_shows_in_its_count_for_ever() -> None:
    host = credited(accepting(counts=True), 3)
    host.hopper.runs_away = 2
    assert host.account.pay(3, host.now_ns)
    host.run(5)
    ended = host.of(PayoutEnded)[-1]
    assert (ended.asked, ended.paid, ended.detail) == (3, 5, "more left than was asked")
    assert host.account.meters.tokens_overpaid == 2
    assert balance_error(host.account.meters, host.account.credits) is None


def test_the_last_payout_of_a_reset_hopper_is_not_taken_for_the_next() -> None:
    host = credited(accepting(), 8)
    assert host.account.pay(4, host.now_ns)
    host.run(4)
    host.hopper.reset(host.now_ns)
    host.run(3)
    assert host.hopper.status == HopperStatus(0, 0, 4, 0)
    assert host.account.pay(4, host.now_ns)
    assert host.account.state["payout"]["tokens"] == 3
    host.run(4)
    assert host.agrees()


def test_what_no_count_can_decide_is_a_doubt_with_both_counts() -> None:
    host = CoinHost(3)
    host.run(2)
    assert isinstance(host.coins.hopper, Hopper)
    host.hopper._last = (4, 0)
    host.run(2)
    host.coins.hopper.resume(PayoutPlan(9, 4, HopperStatus(0, 0, 4, 0)), host.now_ns)
    host.run(2)
    (doubt,) = host.of(PayoutDoubt)
    assert (doubt.least, doubt.most) == (0, 4)
    assert "was 0 with 4 paid and 0 unpaid, and is 0 with 4 paid and 0 unpaid" in doubt.detail


def test_a_payout_of_no_or_too_many_tokens_is_refused() -> None:
    host = CoinHost(3)
    host.run(4)
    for tokens in (0, 256):
        with pytest.raises(ValueError, match="1 to 255 tokens"):
            host.coins.make_plan(1, tokens)


def test_a_silent_hopper_is_reported_and_the_payout_ends_when_it_answers() -> None:
    host = credited(accepting(), 3)
    host.bus.unplug()
    host.account.pay(3, host.now_ns)
    host.run(5)
    assert ("hopper", True) in host.silent()
    host.bus.plug()
    host.run(6)
    assert host.silent()[-2:].count(("hopper", False)) + host.silent()[-2:].count(("acceptor", False)) == 2
    assert host.agrees()
    assert host.hopper.paid == 3


@pytest.mark.parametrize(("after_s", "silent"), [(1.5, False), (2.5, True)])
def test_a_hopper_that_does_not_answer_for_two_seconds_is_silent(after_s: float, silent: bool) -> None:
    host = accepting()
    host.bus.unplug()
    host.run(after_s)
    assert (("hopper", True) in host.silent()) is silent


def test_the_hopper_is_ready_once_its_counters_are_proven() -> None:
    host = CoinHost(3)
    host.run(4)
    assert len(host.of(HopperReady)) == 1


# --- the account ----------------------------------------------------------------------------------------------------


def test_a_doubt_is_decided_by_a_person_within_its_counts() -> None:
    host = CoinHost(3)
    host.account.token_in(5)
    host.account.doubts = (AccountDoubt("payout", 0, 3, "a payout of 3"),)
    with pytest.raises(AccountError, match="4 is not between 0 and 3"):
        host.account.reconcile(0, 4, "ann")
    host.account.reconcile(0, 3, "ann")
    assert (host.account.credits, host.account.meters.tokens_paid) == (2, 3)
    with pytest.raises(AccountError, match="nothing is in doubt"):
        host.account.reconcile(0, 1, "ann")


def test_nothing_is_paid_while_a_count_is_in_doubt() -> None:
    host = credited(accepting(), 2)
    host.account.doubts = (AccountDoubt("tokens_in", 0, None, "six events"),)
    assert not host.account.pay(2, host.now_ns)
    with pytest.raises(AccountError, match="reconcile it first"):
        host.account.hand_pay(host.now_ns, "ann")
