"""Any capture of a table, played into the pins of emulated boards; or: what its verdicts would have been on boards.

    python -m tests.firmware.capture_on_board table.toml capture.vcd [expected.json]

As in a replay the wires of the capture decide what the table has: without `dealer_no_more_bets` the controller calls,
and `ball_1` … `ball_n` are the track sensors. They are wired as `examples/roulette_board.toml` is: the wheel's lines on
one board, levels on its analogue channels; where all do not fit, what people press, and what is left, on a second one.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from controller.configuration.document import read_document
from drivers.dealer.buttons import BUTTONS
from feed import events
from feed.events import Event
from hal.board.chips import ATMEGA328P, CHIPS
from hal.board.messages import KINDS
from hal.capture.header import CaptureHeader, VariableKind
from hal.capture.vcd_reader import open_capture
from hal.values import Batch, Command, Edge, Rare
from tests.firmware.emulated import MS, S
from tests.firmware.live_evening import TableEvening
from tests.firmware.table_on_boards import Conditions, TableOnBoards
from tests.tables.bench import VERDICTS

BEGINS_NS = 2 * S
"""The capture's time 0: the boards are up by then, and have found the levels with which it begins."""
ENDS_NS = 200 * MS
"""This long after its end everything was told."""
REVOLUTIONS_WITHIN = 0.05
INPUTS = len(KINDS["wheel"].inputs)


def play_capture(
    values: Mapping[str, Any],
    path: Path,
    folder: Path,
    conditions: Conditions | None = None,
    chip: str = ATMEGA328P.name,
) -> TableOnBoards:
    """Plays a capture at a table whose game and wheel are those of a file; the table says what it says by itself."""
    with open_capture(path) as capture:
        names = _names(values, capture.header)
        wires = [line for name, line in names.items() if _kind(capture.header, name) is VariableKind.WIRE]
        reals = [line for name, line in names.items() if _kind(capture.header, name) is VariableKind.REAL]
        batches = list(capture.batches(names))
    wired = wired_for(values, wires, reals, chip)
    table = TableOnBoards(wired, folder, TableEvening(list(_shifted(batches))), conditions, supervised=False)
    commands = [value for batch in table.evening.batches for value in batch.rare if isinstance(value, Command)]

    def script() -> None:
        for command in commands:
            table.at(command.t_ns, partial(table.table.command, command.verb, dict(command.given), command.id))

    table.run(table.evening.until_ns + ENDS_NS, script)
    return table


def wired_for(
    values: Mapping[str, Any], wires: Sequence[str], reals: Sequence[str], chip: str = ATMEGA328P.name
) -> dict[str, Any]:
    """A table's file as one on boards that have these lines."""
    buttons = [line for line in wires if line in BUTTONS]
    by_wheel = [line for line in wires if line not in buttons]
    on_wheel = [*by_wheel, *buttons] if len(wires) <= INPUTS else by_wheel[:INPUTS]
    on_desk = [line for line in wires if line not in on_wheel]
    reference_v = CHIPS[chip].supply_v
    pins: dict[str, Any] = {}
    for board, lines in (("wheel", on_wheel), ("desk", on_desk)):
        for number, line in enumerate(lines, 1):
            pins[line] = {"board": board, "input": number, "inverted": True}
    for number, line in enumerate(reals, 1):
        pins[line] = {"board": "wheel", "analogue": number, "zero_v": reference_v / 2, "per_v": 25 / reference_v}
    wheel = dict(values.get("device", {}).get("wheel", {}))
    sensors = sum(line.startswith("ball_") for line in wires)
    if sensors and len(wheel.get("ball_sensors_deg", ())) != sensors:
        wheel["ball_sensors_deg"] = [360 * number / sensors for number in range(sensors)]
    devices: dict[str, Any] = {"wheel": wheel}
    if buttons:
        devices["dealer"] = {**values.get("device", {}).get("dealer", {}), "buttons": buttons}
    by = "button" if "dealer_no_more_bets" in buttons else "auto"
    return {
        **{section: keys for section, keys in values.items() if section not in ("links", "lines", "pins", "device")},
        "table": {**values["table"], "no_more_bets": by},
        "lines": {"backend": "board"},
        "board": {
            name: {"kind": "wheel", "chip": chip, "port": name} for name in ("wheel", *(["desk"] if on_desk else []))
        },
        "device": devices,
        "pins": pins,
    }


def verdict_rows(said: Sequence[Event]) -> list[dict[str, Any]]:
    """Each verdict: its type, the reason of one that is not an outcome, the place of one that is, and its
    revolutions."""
    rows = []
    for event in said:
        data = event.data
        if not isinstance(data, VERDICTS):
            continue
        row: dict[str, Any] = {"type": type(data).kind}
        if isinstance(data, events.Outcome):
            place = "pocket" if "pocket" in data.result else "space"
            row[place] = data.result[place]
        else:
            row["reason"] = data.reason
        row["revolutions"] = data.evidence.revolutions
        rows.append(row)
    return rows


def differences(rows: Sequence[Mapping[str, Any]], expected: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where verdicts are not as expected, in words. Revolutions count for outcomes."""
    if len(rows) != len(expected):
        return [f"{len(rows)} verdicts, {len(expected)} expected: {list(rows)}"]
    found = []
    for number, (row, wanted) in enumerate(zip(rows, expected, strict=True), 1):
        keys = [key for key in wanted if key != "revolutions"]
        turns, right = row["revolutions"], wanted.get("revolutions")
        as_far = row["type"] != "round.outcome" or right is None or abs(turns - right) <= REVOLUTIONS_WITHIN
        if [row.get(key) for key in keys] != [wanted[key] for key in keys] or not as_far:
            found.append(f"verdict {number}: {dict(row)}, expected {dict(wanted)}")
    return found


def _names(values: Mapping[str, Any], header: CaptureHeader) -> dict[str, str]:
    """Which variable of the capture is which line: `[pins] line = { name = "…" }`, or the line's own name."""
    renamed = {pin["name"]: line for line, pin in values.get("pins", {}).items() if "name" in pin}
    return {
        variable.name: renamed.get(variable.name, variable.name)
        for variable in header.variables
        if variable.kind in (VariableKind.WIRE, VariableKind.REAL)
    }


def _kind(header: CaptureHeader, name: str) -> VariableKind:
    return next(variable.kind for variable in header.variables if variable.name == name)


def _shifted(batches: Sequence[Batch]) -> list[Batch]:
    """The levels with which a capture begins, from the boards' first moment on; all else `BEGINS_NS` later."""
    found: dict[str, Edge] = {}
    later = []
    for batch in batches:
        edges = []
        for edge in batch.edges:
            if edge.line not in found:
                found[edge.line] = edge._replace(t_ns=0)
            else:
                edges.append(edge._replace(t_ns=edge.t_ns + BEGINS_NS))
        rare: list[Rare] = [value._replace(t_ns=value.t_ns + BEGINS_NS) for value in batch.rare]
        later.append(Batch(edges, rare, batch.until_ns + BEGINS_NS))
    return [Batch(list(found.values()), [], 0), *later]


def main(arguments: Sequence[str]) -> int:
    """Prints the verdicts of a capture, and where they are not as expected."""
    table, capture, *expected = map(Path, arguments)
    with tempfile.TemporaryDirectory() as folder:
        rows = verdict_rows(play_capture(read_document(table).values, capture, Path(folder)).said)
    for row in rows:
        print(json.dumps(row))
    wrong = differences(rows, json.loads(expected[0].read_text())) if expected else []
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
