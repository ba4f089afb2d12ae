"""`feltwire simulate` and `run` play a table with an automatic wheel as they play any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.bench.simulation import Score, simulate
from controller.games.assembly import geometry_of
from feed import events
from simulators.base.faults import FaultError, fault_named, faults_for
from simulators.roulette.star_x import STAR_X_FAULTS
from simulators.roulette.star_x_geometry import StarXGeometry
from tests.tables.bench import configured

BUTTONS = '[device.dealer]\nbuttons = ["dealer_settled", "supervisor_key"]\n'


def toml(device: str = "", buttons: str = "", trusted: bool = True) -> str:
    return (
        '[table]\nid = "t"\ngame = "roulette"\nno_more_bets = "auto"\n[lines]\nbackend = "sim"\n'
        f'[device.wheel]\ndriver = "star_x"\n{device}\n{buttons}[game]\ntrust_wheel = {str(trusted).lower()}\n'
    )


def test_the_simulated_table_is_that_of_the_configuration() -> None:
    geometry = geometry_of(configured(toml('pockets = "american_as_single_zero"\nlink = "wheel"', BUTTONS)))
    assert isinstance(geometry, StarXGeometry)
    assert (geometry.link, geometry.single_zero, geometry.trusted) == ("wheel", True, True)
    assert geometry.simulator(1).lines == ("wheel", "dealer_settled")


@pytest.mark.long
@pytest.mark.parametrize("buttons", ["", BUTTONS], ids=["settles by itself", "settled by the dealer"])
@pytest.mark.parametrize("pockets", ["american", "american_as_single_zero", "european"])
def test_clean_spins_have_their_outcome_each(pockets: str, buttons: str) -> None:
    score = Score()
    for played in simulate(configured(toml(f'pockets = "{pockets}"', buttons)), 60, 4, {}):
        score.add(played)
    assert score.unsupported == score.refused == []
    no_spins = score.verdicts["void double_zero_as_single_zero"]
    assert score.verdicts["outcome"] + no_spins == sum(score.verdicts.values()) == 60
    assert bool(no_spins) is (pockets == "american_as_single_zero")


def test_without_trust_in_the_wheel_every_number_is_a_candidate() -> None:
    score = Score()
    for played in simulate(configured(toml(trusted=False)), 10, 1, {}):
        score.add(played)
    assert score.verdicts == {"unresolved ball_revolutions": 10}
    assert score.refused == []


@pytest.mark.parametrize("fault", ["none", *STAR_X_FAULTS])
def test_after_each_fault_the_table_plays_on(fault: str) -> None:
    """Whatever shuts the table, the simulated supervisor clears it after the round."""
    score = Score()
    last: list[events.Outcome] = []
    for played in simulate(configured(toml(buttons=BUTTONS)), 5, 7, {2: fault, 4: fault}):
        score.add(played)
        last = [event.data for event in played.events if isinstance(event.data, events.Outcome)]
    assert score.unsupported == score.refused == []
    assert len(last) == 1


def test_every_fault_of_the_wheel_is_listed_and_explained() -> None:
    geometry = geometry_of(configured(toml()))
    assert [fault.name for fault in faults_for(geometry)] == ["none", *STAR_X_FAULTS]
    assert fault_named("misfire", geometry).explanation == "The launch fails once and is repeated (flag 8)."
    with pytest.raises(FaultError, match="misfire"):
        fault_named("misfired", geometry)


def test_the_page_explains_every_fault() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "devices" / "automatic-roulette.md").read_text("utf-8")
    for fault in STAR_X_FAULTS.values():
        assert f"| `{fault.name}` | {fault.explanation} | {fault.expected} |" in page
