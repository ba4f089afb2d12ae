"""The dice tables whose faults are captured and replayed, and what each replay must report.

One capture of each wire format is kept beside this module, with its table's file. All other captures are made while the
tests run. After a change that is meant, renew the kept captures and `expected.json`, and look at the differences:

    .venv/bin/python -m tests.captures_dice.cases
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from controller.bench.replay import replay
from controller.bench.simulation import simulate
from controller.configuration.values import TableConfig
from controller.games.assembly import geometry_of
from hal.capture.command_text import read_command
from hal.capture.vcd_writer import CaptureLines, write_capture
from hal.values import Batch, Edge
from tests.tables.bench import EventList, configured
from tests.tables.craps_hands import KEYS, craps_toml
from tests.tables.sic_bo_table import NEW, OLD, sic_bo_toml

FOLDER: Final = Path(__file__).resolve().parent
EXPECTED: Final = FOLDER / "expected.json"


class CapturedTable(NamedTuple):
    """A table, and the faults with which it is captured."""

    text: str
    """The table's file, on simulated devices."""
    faults: tuple[str, ...]
    """Each in the last round of a capture of its own."""
    rounds: int = 2
    seed: int = 1
    kept: str = ""
    """The fault whose capture is kept as a file; none where another table has the same wires."""


def _tumbled(table: str, game: str, devices: str) -> str:
    return (
        f'[table]\nid = "{table}"\ngame = "{game}"\nno_more_bets = "button"\n\n[lines]\nbackend = "sim"\n\n{devices}\n'
    )


def _tossed(keys: str) -> str:
    return craps_toml().replace("[game]", f"[device.automated_shaker]\n{keys}\n[game]")


SIMULATED: Final = {
    # Cage and chute: 13:47-20.24, 20.33.
    "cage_level": CapturedTable(
        _tumbled("cage-1", "chuck_a_luck", ""),
        (
            *("none", "tumbled_before_no_more_bets", "late_call", "dealer_voids", "cage_too_few_inversions"),
            *("cage_rocked", "cage_die_cocked", "cage_knocked_at_rest", "cage_shake_dead", "cage_cable_pulled"),
            "keypad_key_stuck",
        ),
        rounds=1,
        seed=3,
        kept="cage_too_few_inversions",
    ),
    "cage_pulse": CapturedTable(
        _tumbled("pulse-1", "chuck_a_luck", '[device.cage]\nsensing = "pulse"'),
        ("none", "cage_rocked", "cage_too_few_inversions"),
        kept="cage_rocked",
    ),
    "cage_encoder": CapturedTable(
        _tumbled("encoder-1", "chuck_a_luck", '[device.cage]\nsensing = "encoder"\nencoder_slots = 24'),
        ("none", "cage_askew", "cage_noise_burst"),
        rounds=1,
        seed=3,
        kept="cage_askew",
    ),
    "cage_motor": CapturedTable(
        _tumbled("motor-1", "beat_the_dealer", "[device.motor]"),
        ("none", "motor_jams", "motor_dead", "motor_runs_on", "home_dead"),
        rounds=1,
        seed=3,
        kept="motor_jams",
    ),
    "chute": CapturedTable(
        _tumbled("chute-1", "under_over", "[device.chute]\n\n[device.reader]\n\n[device.keypad]"),
        (
            *("none", "chute_baffle_missed", "chute_die_jammed", "chute_dice_together", "chute_something_else"),
            *("chute_die_off", "reader_disagrees", "reader_not_recognised", "reader_board_fault"),
        ),
        rounds=1,
        seed=3,
        kept="reader_disagrees",
    ),
    # The other formats of a reading board.
    "reader_frames_7a": CapturedTable(
        _tumbled("frames-1", "chuck_a_luck", '[device.cage]\n\n[device.reader]\nformat = "frames_7a"'),
        ("none", "reader_not_recognised", "reader_bad_sum"),
        kept="reader_not_recognised",
    ),
    "reader_state_words": CapturedTable(
        _tumbled(
            "words-1", "chuck_a_luck", '[device.cage]\n\n[device.reader]\nformat = "state_words"\n\n[device.keypad]'
        ),
        ("none", "reader_board_fault"),
        kept="reader_board_fault",
    ),
    # Sic bo.
    "sic_bo_hand": CapturedTable(
        sic_bo_toml(OLD),
        (
            *("none", "shaken_before_no_more_bets", "covered_before_no_more_bets", "shaker_too_few_shakes"),
            *("shaker_never_covered", "shaker_lifted_early", "shaker_covered_again", "shaker_die_cocked"),
            *("shaker_knocked_at_rest", "shaker_shake_dead", "shaker_shake_stuck", "shaker_cover_dead"),
            *("shaker_cable_pulled", "lamp_dead", "lamp_stuck", "lamp_stuck_after_reveal", "lamp_silent"),
            *("lamp_silent_after_reveal", "lamp_cut", "lamp_cut_after_reveal", "lamp_garbled"),
            *("lamp_cleared_before_paid", "keypad_key_missed", "keypad_key_stuck"),
        ),
        kept="lamp_garbled",
    ),
    "sic_bo_reader": CapturedTable(
        sic_bo_toml(NEW, devices="[device.keypad]\n[device.reader]"),
        ("none", "keypad_wrong_key", "keypad_never_entered", "reader_not_recognised", "shaker_die_stacked"),
    ),
    "sic_bo_toss_lines": CapturedTable(
        sic_bo_toml(NEW, devices="[device.automated_shaker]\npresent_sensor = true\n[device.shaker]"),
        (
            *("none", "automated_shaker_no_start", "automated_shaker_stops_early", "automated_shaker_never_stops"),
            *("automated_shaker_fails", "automated_shaker_unasked", "shaker_not_removed"),
        ),
        kept="automated_shaker_stops_early",
    ),
    "sic_bo_toss_serial": CapturedTable(
        sic_bo_toml(NEW, devices='[device.automated_shaker]\ncontrol = "serial"'),
        (
            *("none", "automated_shaker_no_start", "automated_shaker_fails", "automated_shaker_garbled"),
            "automated_shaker_misreads",
        ),
        kept="automated_shaker_garbled",
    ),
    # Craps.
    "craps": CapturedTable(
        craps_toml(reader=True),
        (
            *("none", "die_off_table", "die_on_die", "die_on_two_sides", "die_cocked", "no_roll_called"),
            *("keyed_too_early", "thrown_before_settled", "keypad_wrong_key", "keypad_key_dead", "keypad_key_stuck"),
            *("reader_not_recognised", "reader_changes_its_mind", "reader_board_fault", "reader_silent"),
            "reader_motion_lost",
        ),
        kept="reader_changes_its_mind",
    ),
    "craps_toss_lines": CapturedTable(
        _tossed('control = "lines"\npresent_sensor = true'),
        (
            *("none", "automated_shaker_no_start", "automated_shaker_stops_early", "automated_shaker_never_stops"),
            *("automated_shaker_fails", "automated_shaker_unasked"),
        ),
    ),
    "craps_toss_serial": CapturedTable(
        _tossed('control = "serial"\npresent_sensor = true'),
        (
            *("none", "automated_shaker_no_start", "automated_shaker_fails", "automated_shaker_garbled"),
            "automated_shaker_misreads",
        ),
    ),
}
"""Tables that a simulator plays, by name."""
CALLED: Final = {
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
"""Refusals that a person calls at a craps table with a keypad alone, and that person's position."""
CALL_KEPT: Final = "face_disputed"
CRAPS_CALLED: Final = "craps_called"
CASES: Final = (
    *((table, fault) for table, captured in SIMULATED.items() for fault in captured.faults),
    *((CRAPS_CALLED, reason) for reason in CALLED),
)
"""Every table with every fault or call of it."""
KEPT: Final = (
    *((table, captured.kept) for table, captured in SIMULATED.items() if captured.kept),
    (CRAPS_CALLED, CALL_KEPT),
)
"""Those whose captures are files."""


def text_of(table: str) -> str:
    """The table's file."""
    return craps_toml() if table == CRAPS_CALLED else SIMULATED[table].text


def kept_capture(table: str, case: str) -> Path:
    """The file of a kept capture; its table's file has the same name and ends in `.toml`."""
    return FOLDER / f"{table}_{case}.vcd"


def simulate_case(table: str, case: str, capture: Path) -> EventList:
    """Plays a case, and writes what was on the wires to a capture. Returns the events of the table that played."""
    if table == CRAPS_CALLED:
        order = read_command(f"void reason={case} as={CALLED[case]} by=ann", 5_000_000_000)
        batch = Batch([Edge(line, 0, 0) for line in KEYS], [order], 6_000_000_000)
        write_capture(capture, CaptureLines(KEYS), [batch])
        return replayed(configured(text_of(table)), capture)
    return simulate_captured(SIMULATED[table], case, capture)


def simulate_captured(captured: CapturedTable, case: str, capture: Path) -> EventList:
    """As `simulate_case`, of a table that a simulator plays."""
    config = configured(captured.text)
    lines = geometry_of(config).simulator(captured.seed).lines
    links = tuple(line for line in lines if line in config.uses and config.uses[line].kind == "link")
    wires = tuple(line for line in lines if line not in links)
    said = EventList()
    batches: list[Batch] = []
    for played in simulate(config, captured.rounds, captured.seed, {captured.rounds: case}):
        said += played.events
        batches.append(played.batch)
    write_capture(capture, CaptureLines(wires, links=links, metadata={"detects_loss": "yes"}), batches)
    return said


def replayed(config: TableConfig, capture: Path) -> EventList:
    """The events of a replay."""
    return EventList(event for one in replay(config, [capture]) for event in one)


def expected() -> dict[str, dict[str, list[str]]]:
    """By table and case: every event but progress, in short."""
    return msgspec.json.decode(EXPECTED.read_bytes(), type=dict[str, dict[str, list[str]]])


def renew() -> None:
    """Writes the kept captures, their tables' files, and what every case reports."""
    stories: dict[str, dict[str, list[str]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for table, case in CASES:
            capture = Path(folder) / "capture.vcd"
            if (table, case) in KEPT:
                capture = kept_capture(table, case)
                capture.with_suffix(".toml").write_text(text_of(table), encoding="utf-8")
            simulate_case(table, case, capture)
            stories.setdefault(table, {})[case] = replayed(configured(text_of(table)), capture).story()
    EXPECTED.write_bytes(msgspec.json.format(msgspec.json.encode(stories), indent=2) + b"\n")


if __name__ == "__main__":
    renew()
