"""A share of what `make vm-test` runs: the installed package on a real kernel, in minutes."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.vm.images import ROOT
from tests.vm.power_cuts import power_cuts
from tests.vm.scenarios import Outcome, life, verdicts

MOST_EXPOSED = 1.0


def is_as_it_should_be(outcome: Outcome) -> None:
    assert outcome.wrong == []
    assert outcome.passed > 0


def test_a_capture_through_the_kernels_lines_gives_what_its_replay_gives() -> None:
    is_as_it_should_be(verdicts(("money_wheel_mixed",), until_s=40))


def test_the_installed_service_survives_what_happens_to_services() -> None:
    is_as_it_should_be(life(short=True))


def test_nothing_that_was_seen_outside_is_lost_in_a_power_cut() -> None:
    is_as_it_should_be(power_cuts(2))


@pytest.mark.parametrize("unit", ["feltwire", "feltwire-scoreboard", "feltwire-verify"])
def test_no_service_is_more_exposed_than_promised(unit: str) -> None:
    words = ["systemd-analyze", "security", "--offline=yes", "--no-pager", str(ROOT / "systemd" / f"{unit}.service")]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    found = re.search(r"Overall exposure level for \S+: ([0-9.]+)", shown)
    assert found is not None, shown
    assert float(found[1]) <= (MOST_EXPOSED if unit == "feltwire" else 2.0), shown
