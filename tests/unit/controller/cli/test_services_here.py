"""A service that runs another table of the same id, simulated or real, blocks no command of this one."""

from __future__ import annotations

from typing import Any

import pytest

from controller.cli.services_here import INSTALLED, ServiceHere, how_to_stop, refusal, service_of
from controller.configuration.values import TableConfig
from tests.tables.bench import configured
from tests.tables.money_lines import money_toml

REAL = configured(
    '[table]\nid = "wheel-9"\ngame = "money_wheel"\nno_more_bets = "button"\n[lines]\nbackend = "gpiod"\n[pins]\n'
    "wheel_a = { gpio = 17 }\nwheel_b = { gpio = 27 }\nwheel_index = { gpio = 22 }\n"
    "dealer_no_more_bets = { gpio = 23 }\n"
)
SIMULATED = configured('[table]\nid = "wheel-9"\ngame = "money_wheel"\n[lines]\nbackend = "sim"\n')
OF_REAL = {"live": True, "simulated": False}
OF_SIMULATED = {"live": False, "simulated": True}
ON_EMULATED_BOARDS = {"live": True, "simulated": True}
OF_A_CAPTURE = {"live": False, "simulated": False}


@pytest.mark.parametrize(
    ("config", "stands", "runs"),
    [
        (REAL, OF_REAL, True),
        (REAL, OF_SIMULATED, False),
        (REAL, ON_EMULATED_BOARDS, False),
        (REAL, OF_A_CAPTURE, False),
        (REAL, {}, True),  # of an older version: it may be this table
        (SIMULATED, OF_SIMULATED, True),
        (SIMULATED, OF_REAL, False),
        (configured(money_toml()), OF_REAL, False),  # another id
    ],
)
def test_only_a_service_that_runs_this_very_table_is_found(
    config: TableConfig, stands: dict[str, Any], runs: bool
) -> None:
    one = ServiceHere("ipc:///home/ann/run", {"tables": {"wheel-9": stands}})
    assert (service_of(config, [one]) is one) == runs


def test_the_real_table_is_found_behind_a_simulated_one_and_only_its_service_is_to_be_stopped() -> None:
    practice = ServiceHere("ipc:///home/ann/run", {"tables": {"wheel-9": OF_SIMULATED}})
    real = ServiceHere("ipc:///srv/pit", {"tables": {"wheel-9": OF_REAL}})
    found = service_of(REAL, [practice, ServiceHere("ipc:///locked", None), real])
    assert found is real
    message = refusal("wheel-9", real, "it needs the lines")
    assert "feltwire send ipc:///srv/pit quit" in message
    assert "feltwire send ipc:///srv/pit close reason=… --table wheel-9" in message
    assert "systemctl" not in message, "the unit is another service"
    assert how_to_stop(ServiceHere(INSTALLED, None)).startswith("sudo systemctl stop feltwire, or feltwire send")
