"""Makes the captures of craps anew, and their expected verdicts. Look at the changes before you keep them.

.venv/bin/python -m tests.captures_dice.craps.make
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from controller.bench.replay import replay
from controller.bench.simulation import simulate
from controller.geometries import geometry_of
from hal.capture.command_text import read_command
from hal.capture.vcd_writer import CaptureLines, write_capture
from hal.values import Batch, Edge
from simulators.dice.craps_table import CrapsGeometry
from tests.tables.bench import Said, configured
from tests.tables.craps_hands import KEYS, craps_toml

FOLDER = Path(__file__).resolve().parent
EXPECTED = FOLDER / "expected.json"
SIMULATED = (
    *("none", "die_off_table", "die_on_die", "die_on_two_sides", "die_cocked", "no_roll_called", "keyed_too_early"),
    *("thrown_before_settled", "keypad_wrong_key", "keypad_key_dead", "keypad_key_stuck", "reader_not_recognised"),
    *("reader_changes_its_mind", "reader_board_fault", "reader_silent", "reader_motion_lost"),
)
"""Faults of a table with keypad and reading board, in its second round."""
TOSSED = {
    "tossed": ("none", "automated_shaker_no_start", "automated_shaker_stops_early", "automated_shaker_never_stops",
               "automated_shaker_fails", "automated_shaker_unasked"),
    "tossed_serial": ("none", "automated_shaker_no_start", "automated_shaker_fails", "automated_shaker_garbled",
                      "automated_shaker_misreads"),
}  # fmt: skip
"""Faults of a table with an automated shaker and a keypad, told to by wires or by frames, in its second round."""
CALLED = {
    "dice_not_together": "stickperson",
    "end_not_struck": "stickperson",
    "die_on_bank": "boxperson",
    "die_in_dice_cup": "stickperson",
    "die_on_rail": "stickperson",
    "cheating_device": "boxperson",
    "improper_throw": "boxperson",
    "face_disputed": "boxperson",
    "dealer_call": "dealer",
}
"""What is called at a table with a keypad alone, and by whom."""


def toml_of(name: str) -> str:
    """The file of the table that a capture is of."""
    return table_of(name).replace('"sim"', '"capture"')


def table_of(name: str) -> str:
    """The same on simulated devices."""
    if name.startswith("tossed_"):
        control = "serial" if name.startswith("tossed_serial_") else "lines"
        shaker = f'[device.automated_shaker]\ncontrol = "{control}"\npresent_sensor = true\n'
        return craps_toml().replace("[game]", f"{shaker}[game]")
    return craps_toml() if name.startswith("called_") else craps_toml(reader=True)


def made() -> dict[str, list[str]]:
    """Writes every capture; returns the verdicts of each."""
    for fault in SIMULATED:
        write(fault, fault)
    for table, faults in TOSSED.items():
        for fault in faults:
            write(f"{table}_{fault}", fault)
    for reason, position in CALLED.items():
        order = read_command(f"void reason={reason} as={position} by=ann", 5_000_000_000)
        batch = Batch([Edge(line, 0, 0) for line in KEYS], [order], 6_000_000_000)
        write_capture(FOLDER / f"called_{reason}.vcd", CaptureLines(KEYS), [batch])
    return {path.stem: verdicts_of(path) for path in sorted(FOLDER.glob("*.vcd"))}


def write(name: str, fault: str) -> None:
    """Writes the capture of two rounds, the second of them with a fault."""
    config = configured(table_of(name))
    geometry = geometry_of(config)
    assert isinstance(geometry, CrapsGeometry)
    lines = geometry.simulator(1).lines
    links = tuple(line for line in lines if line in (geometry.link, geometry.shaker_link))
    batches = [played.batch for played in simulate(config, 2, 1, {2: fault})]
    capture = CaptureLines(tuple(line for line in lines if line not in links), links=links)
    write_capture(FOLDER / f"{name}.vcd", capture, batches)


def verdicts_of(path: Path) -> list[str]:
    """What a table says of a capture: its verdicts, and its faults and warnings between them."""
    said = Said(event for one in replay(configured(toml_of(path.stem)), [path]) for event in one)
    told = ("device.fault", "device.warning", "round.corrected", "round.void", "round.unresolved")
    return [word for word in said.story() if word.startswith((*told, "void", "unresolved")) or word[0].isdigit()]


if __name__ == "__main__":
    EXPECTED.write_bytes(msgspec.json.format(msgspec.json.encode(made()), indent=2) + b"\n")
