"""A capture of each refusal at the tables of cage and chute, and the verdicts that its replay must give.

Each folder of `tests/captures_dice/tumbled` has a table's file and captures of its simulated faults, each with what was
said beside it. After a change that is meant, renew them with

    .venv/bin/python -m tests.unit.controller.test_tumbled_captures
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.bench.replay import replay
from controller.cli import main
from controller.games.load import check_text
from tests.tables.bench import Said

ROOT = Path(__file__).resolve().parents[2] / "captures_dice" / "tumbled"
FAULTS = {
    "cage": (
        "none",
        "tumbled_before_no_more_bets",
        "late_call",
        "dealer_voids",
        "cage_too_few_inversions",
        "cage_rocked",
        "cage_die_cocked",
        "cage_knocked_at_rest",
        "cage_shake_dead",
        "cage_cable_pulled",
        "keypad_key_stuck",
    ),
    "encoder": ("none", "cage_askew", "cage_noise_burst"),
    "chute": (
        "none",
        "chute_baffle_missed",
        "chute_die_jammed",
        "chute_dice_together",
        "chute_something_else",
        "chute_die_off",
        "reader_disagrees",
        "reader_not_recognised",
        "reader_board_fault",
    ),
    "motor": ("none", "motor_jams", "motor_dead", "motor_runs_on", "home_dead"),
}
"""By the folder: the faults of which it has a capture."""
CASES = [(folder, fault) for folder, faults in FAULTS.items() for fault in faults]


def said_of(folder: str, fault: str) -> list[str]:
    """Everything but progress, in short, that a replay of the capture says."""
    table = (ROOT / folder / "table.toml").read_text(encoding="utf-8")
    (config,) = check_text(table).tables
    said = Said()
    for played in replay(config, [ROOT / folder / f"{fault}.vcd"]):
        said += played
    return said.story()


@pytest.mark.parametrize(("folder", "fault"), CASES)
def test_the_replay_of_a_refusal_says_what_stands_beside_it(folder: str, fault: str) -> None:
    expected = (ROOT / folder / f"{fault}.expected").read_text(encoding="utf-8").splitlines()
    assert said_of(folder, fault) == expected
    refused = [line for line in expected if line.startswith(("void ", "unresolved "))]
    assert (fault == "none") == (not refused)


def test_every_reason_of_these_tables_has_a_capture() -> None:
    told = {
        line.partition(" ")[2]
        for folder, fault in CASES
        for line in (ROOT / folder / f"{fault}.expected").read_text(encoding="utf-8").splitlines()
        if line.startswith(("void ", "unresolved "))
    }
    assert told >= {
        "too_few_inversions",
        "tumbled_before_no_more_bets",
        "dealer_call",
        "dice_not_flat",
        "dice_disturbed",
        "cage_askew",
        "edges_lost",
        "sensor_stuck",
        "sensor_missing",
        "baffles_missed",
        "die_jammed",
        "dice_together",
        "too_many_passes",
        "die_off_table",
        "values_disagree",
        "reader_doubt",
        "reader_fault",
        "motor_stalled",
        "motor_too_long",
        "motor_runs_on",
    }


def renew() -> None:
    """Plays every fault once, and writes what was said."""
    for folder, fault in CASES:
        place = ROOT / folder
        arguments = ["simulate", str(place / "table.toml"), "--rounds", "1", "--seed", "3", "--fault", fault]
        result = CliRunner().invoke(main, [*arguments, "--vcd", str(place / f"{fault}.vcd")])
        if result.exit_code:
            raise SystemExit(result.output)
        story = said_of(folder, fault)
        (place / f"{fault}.expected").write_text("\n".join(story) + "\n", encoding="utf-8")


if __name__ == "__main__":
    renew()
