"""Tokens over a ccTalk bus that harms bytes, with devices and a service that lose their power: each token once.

The truth is what the simulated devices have taken and given. Where it cannot be known, the account says so and names
both counts, and the truth lies within them.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.games.machines.account import balance_error
from tests.tables.coin_bus import MS, CoinHost

ONE_IN_A_THOUSAND: Final = 0.001
CI_TRANSACTIONS: Final = 2_500
SOAK_TRANSACTIONS: Final = 40_000
SOAK_PARTS: Final = 8
SOAK_LIVES: Final = 800
KEYS: Final[tuple[dict[str, Any], ...]] = ({}, {"checksum": "crc16"}, {"counts": True}, {"echo": False})


def harmed_bus(seed: int, transactions: int, keys: dict[str, Any]) -> CoinHost:
    """This many tokens go in or out over a bus on which each kind of harm comes to one byte in a thousand, both
    ways."""
    host = CoinHost(seed, harmed=ONE_IN_A_THOUSAND, tokens=1_000_000, **keys)
    rng = Random(seed)
    host.accept(True)
    done = 0
    while done < transactions:
        host.run(rng.uniform(0.3, 0.8))  # an acceptor takes three coins a second
        if host.account.credits < 6 or rng.random() < 0.3:
            done += host.acceptor.insert(1, host.now_ns)
        elif not host.account.paying:
            tokens = rng.randint(1, min(12, host.account.credits))
            done += tokens if host.account.pay(tokens, host.now_ns) else 0
    host.accept(False)
    host.run(30)
    return host


def assert_exactly_once(host: CoinHost) -> None:
    account = host.account
    assert host.bus.to_host.harmed > 0
    assert host.bus.to_devices.harmed > 0
    assert account.doubts == ()
    assert not account.paying
    assert account.meters.tokens_in == len(host.acceptor.taken)
    assert account.meters.tokens_paid == host.hopper.paid
    assert balance_error(account.meters, account.credits) is None


@pytest.mark.parametrize("keys", KEYS, ids=str)
def test_no_token_too_many_or_too_few_on_a_harmed_bus(keys: dict[str, Any]) -> None:
    assert_exactly_once(harmed_bus(11, CI_TRANSACTIONS // len(KEYS), keys))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("keys", KEYS, ids=str)
@pytest.mark.parametrize("part", range(SOAK_PARTS))
def test_no_token_of_40000_transactions_too_many_or_too_few(part: int, keys: dict[str, Any]) -> None:
    assert_exactly_once(harmed_bus(1000 + part, SOAK_TRANSACTIONS // SOAK_PARTS, keys))


def life(seed: int, steps: int, keys: dict[str, Any]) -> Counter[str]:
    """The service is killed and devices lose their power at random moments, apart and together."""
    rng = Random(seed)
    host = CoinHost(seed, harmed=ONE_IN_A_THOUSAND / 2, commit_ns=rng.choice((1, 20, 200)) * MS, **keys)
    devices = (host.acceptor, host.hopper)
    host.accept(True)
    for _ in range(steps):
        for _ in range(rng.randint(1, 30)):
            host.step(host.now_ns + rng.randint(1, 300) * MS)
        chance = rng.random()
        if chance < 0.40:
            host.acceptor.insert(1, host.now_ns)
        elif chance < 0.70:
            if host.alive and host.account.credits:
                host.account.pay(rng.randint(1, 6), host.now_ns)
        elif chance < 0.78:
            host.kill()
        elif chance < 0.86:
            device = devices[chance < 0.82]
            (device.power_cut if device.powered else device.power_up)(host.now_ns)
        elif chance < 0.90:
            host.kill()
            for device in devices:
                if device.powered:
                    device.power_cut(host.now_ns)
        if rng.random() < 0.5:
            everything_on(host)
    everything_on(host)
    host.accept(False)
    host.run(25)
    account = host.account
    assert not account.paying
    assert balance_error(account.meters, account.credits) is None
    missing_in = len(host.acceptor.taken) - account.meters.tokens_in
    missing_out = host.hopper.paid - account.meters.tokens_paid
    doubts = Counter(doubt.what for doubt in account.doubts)
    assert missing_in == 0 or (missing_in > 0 and doubts["tokens_in"]), account.doubts
    most = sum(doubt.most or 0 for doubt in account.doubts if doubt.what == "payout")
    assert 0 <= missing_out <= most, account.doubts
    doubts["tokens"] = account.meters.tokens_in + account.meters.tokens_paid
    return doubts


def everything_on(host: CoinHost) -> None:
    for device in (host.acceptor, host.hopper):
        if not device.powered:
            device.power_up(host.now_ns)
    if not host.alive:
        host.start()
        host.accept(True)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 1 << 32), st.sampled_from(KEYS[:3]))
def test_power_cuts_of_service_and_devices_lose_and_make_no_token(seed: int, keys: dict[str, Any]) -> None:
    life(seed, 30, keys)


def test_a_payout_is_rarely_in_doubt_and_never_with_a_hopper_that_counts_for_ever() -> None:
    plain = sum((life(seed, 30, {}) for seed in range(14)), Counter[str]())
    counting = sum((life(seed, 30, {"counts": True}) for seed in range(12)), Counter[str]())
    assert plain["tokens"] > 100
    assert plain["payout"] <= 3
    assert counting["payout"] == 0


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("keys", KEYS, ids=str)
def test_power_cuts_at_many_moments_lose_and_make_no_token(keys: dict[str, Any]) -> None:
    for seed in range(SOAK_LIVES // len(KEYS)):
        life(seed, 40, keys)
