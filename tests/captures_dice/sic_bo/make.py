"""Makes the captures of sic bo anew, and their expected verdicts. Look at the changes before you keep them.

.venv/bin/python -m tests.captures_dice.sic_bo.make
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from controller.bench.replay import replay
from controller.bench.simulation import simulate
from controller.games.assembly import geometry_of
from hal.capture.vcd_writer import CaptureLines, write_capture
from simulators.base.table import simulator_for
from tests.tables.bench import Said, configured
from tests.tables.sic_bo_table import NEW, OLD, sic_bo_toml

FOLDER: Final = Path(__file__).resolve().parent
EXPECTED: Final = FOLDER / "expected.json"
TABLES: Final = {
    "hand": sic_bo_toml(OLD),
    "read": sic_bo_toml(NEW, devices="[device.keypad]\n[device.reader]"),
    "pulse": sic_bo_toml(NEW, devices="[device.automated_shaker]\npresent_sensor = true\n[device.shaker]"),
    "serial": sic_bo_toml(NEW, devices='[device.automated_shaker]\ncontrol = "serial"'),
}
"""The tables of which there are captures."""
SIMULATED: Final = {
    "hand": (
        *("none", "shaken_before_no_more_bets", "covered_before_no_more_bets", "shaker_too_few_shakes"),
        *("shaker_never_covered", "shaker_lifted_early", "shaker_covered_again", "shaker_die_cocked"),
        *("shaker_knocked_at_rest", "shaker_shake_dead", "shaker_shake_stuck", "shaker_cover_dead"),
        *("shaker_cable_pulled", "lamp_dead", "lamp_stuck", "lamp_stuck_after_reveal", "lamp_silent"),
        *("lamp_silent_after_reveal", "lamp_cut", "lamp_cut_after_reveal", "lamp_garbled"),
        *("lamp_cleared_before_paid", "keypad_key_missed", "keypad_key_stuck"),
    ),
    "read": ("none", "keypad_wrong_key", "keypad_never_entered", "reader_not_recognised", "shaker_die_stacked"),
    "pulse": (
        *("none", "automated_shaker_no_start", "automated_shaker_stops_early", "automated_shaker_never_stops"),
        *("automated_shaker_fails", "automated_shaker_unasked", "shaker_not_removed"),
    ),
    "serial": (
        *("none", "automated_shaker_no_start", "automated_shaker_fails", "automated_shaker_garbled"),
        "automated_shaker_misreads",
    ),
}
"""Faults in the second of two rounds."""


def made() -> dict[str, list[str]]:
    """Writes every capture; returns the verdicts of each."""
    for table, faults in SIMULATED.items():
        config = configured(TABLES[table])
        lines = simulator_for(config.game, geometry_of(config), 1).lines
        links = tuple(line for line in lines if line in config.uses and config.uses[line].kind == "link")
        capture = CaptureLines(
            tuple(line for line in lines if line not in links), links=links, metadata={"detects_loss": "yes"}
        )
        for fault in faults:
            batches = [played.batch for played in simulate(config, 2, 1, {2: fault})]
            write_capture(FOLDER / f"{table}_{fault}.vcd", capture, batches)
    return {path.stem: verdicts_of(path) for path in sorted(FOLDER.glob("*.vcd"))}


def verdicts_of(path: Path) -> list[str]:
    """What a table says of a capture: its verdicts, violations, faults and corrections."""
    table = path.stem.partition("_")[0]
    config = configured(TABLES[table].replace('"sim"', '"capture"'))
    said = Said(event for one in replay(config, [path]) for event in one)
    told = ("device.fault", "procedure.violation", "round.corrected", "void", "unresolved")
    return [word for word in said.story() if word.startswith(told) or word[0].isdigit()]


if __name__ == "__main__":
    EXPECTED.write_bytes(msgspec.json.format(msgspec.json.encode(made()), indent=2) + b"\n")
