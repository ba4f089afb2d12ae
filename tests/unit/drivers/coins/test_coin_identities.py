"""Who the devices on a ccTalk bus are: read twice, again after silence, and each hour."""

from __future__ import annotations

import pytest

from drivers.coins.identities import AGAIN_NS
from drivers.coins.observations import CoinDeviceIdentified
from tests.tables.coin_bus import CoinHost, S


def identified(host: CoinHost, device: str) -> list[dict[str, str]]:
    return [seen.identity for seen in host.of(CoinDeviceIdentified) if seen.device == device]


def test_each_device_reports_who_it_is() -> None:
    host = CoinHost(1)
    host.run(3)
    assert identified(host, "hopper") == [
        {
            "manufacturer": "FELTWIRE SIMULATED",
            "category": "Payout",
            "product": "SIM",
            "software": "SIM 1.0",
            "serial": "710623",
        }
    ]
    assert identified(host, "acceptor")[0]["category"] == "Coin Acceptor"


@pytest.mark.long
def test_they_are_asked_again_each_hour() -> None:
    host = CoinHost(1)
    host.run(3)
    host.hopper.serial = bytes((88, 0, 0))
    host.run(AGAIN_NS / S + 3)
    assert [one["serial"] for one in identified(host, "hopper")] == ["710623", "88"]


def test_bytes_harmed_on_the_bus_give_no_other_identity() -> None:
    for seed in range(20):
        host = CoinHost(seed, harmed=0.004)
        host.run(20)
        for device in ("acceptor", "hopper"):
            found = identified(host, device)
            assert found
            known = {"acceptor": "5317383", "hopper": "710623"}[device]
            assert {one["serial"] for one in found} <= {known, "not answered"}


def test_a_device_that_was_silent_is_asked_again_and_one_without_power_is_nobody() -> None:
    host = CoinHost(1)
    host.hopper.power_cut(0)
    host.run(5)
    assert identified(host, "hopper") == []
    host.hopper.power_up(host.now_ns)
    host.run(6)
    assert identified(host, "hopper")[-1]["serial"] == "710623"
    assert len(identified(host, "acceptor")) == 1
