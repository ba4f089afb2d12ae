"""The scenarios: what each boots, and what has to come out of it.

Each gives the mismatches (none, if all is as it should be) and figures. Verdicts are compared in the machine's virtual
time alone: in real time a busy computer makes edges late, and the product then rightly refuses rounds. systemd and
disks are run in real time alone: in virtual time they would see hours pass while this computer reads a block.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.vm.images import BUILD, HOUSE, ROOT, SHARED, debian, installed, package
from tests.vm.machine import Record, run_to_end

GUEST_TABLES: Final = "/mnt/host/tests/vm/tables"
GUEST_CAPTURES: Final = "/mnt/host/build/vm/captures"
CAPTURES: Final = BUILD / "captures"
TABLE_OF: Final = {
    "money_wheel_mixed": "money_wheel",
    "money_wheel_no_button": "money_wheel_no_button",
    "roulette_mixed": "roulette",
    "roulette_real_laps_a": "roulette_european",
    "roulette_real_laps_b": "roulette_european",
    "roulette_double_zero_as_single": "roulette_single_zero",
}
"""Each shared capture, and the table on whose wires it is played."""
TOGETHER: Final = (
    ("roulette_mixed", "money_wheel_mixed"),
    ("roulette_real_laps_a", "money_wheel_no_button"),
    ("roulette_real_laps_b",),
    ("roulette_double_zero_as_single",),
)
"""Captures that are played at once, each at its own table of one service."""


@dataclass
class Outcome:
    """What came out of a scenario."""

    wrong: list[str] = field(default_factory=list)
    figures: dict[str, object] = field(default_factory=dict)
    passed: int = 0
    """How many checks were as they should be."""

    def check(self, passed: bool, what: str) -> None:
        """Counts a check, or notes what is wrong."""
        if passed:
            self.passed += 1
        else:
            self.wrong.append(what)


def captures() -> Path:
    """The folder of captures that the machine can read; the shared ones where they lie beside the checkout."""
    CAPTURES.mkdir(parents=True, exist_ok=True)
    shared = SHARED / "captures"
    if not shared.is_dir():
        raise FileNotFoundError(
            f"{shared}: the shared captures are not there; name their folder's with FELTWIRE_SHARED"
        )
    for path in shared.iterdir():
        shutil.copyfile(path, CAPTURES / path.name)
    return CAPTURES


def _checks(records: Iterable[Record], outcome: Outcome) -> None:
    for record in records:
        if record["kind"] == "check":
            outcome.check(record["passed"], f"{record['name']}: {record['seen']}")
        elif record["kind"] == "figure":
            outcome.figures[record["name"]] = record["value"]


# --- verdicts -------------------------------------------------------------------------------------------------------

COMPARED: Final = ("reason", "call", "result", "winning", "candidates", "round", "rule")


def _comparable(name: str, data: dict[str, Any]) -> dict[str, Any]:
    """What has to be equal: all that the verdict states, and the evidence as far as it is measured the same way."""
    evidence = data.get("evidence") or {}
    measured = {key: evidence.get(key) for key in ("revolutions", "direction", "no_more_bets", "detail")}
    if measured["revolutions"] is not None:
        measured["revolutions"] = round(measured["revolutions"], 2)
    return {"type": name, **{key: data.get(key) for key in COMPARED}, **measured}


def replayed(table: str, capture: str) -> list[dict[str, Any]]:
    """What `feltwire replay` says of a capture, on this computer."""
    files = [str(HOUSE / "tables" / f"{table}.toml"), str(captures() / f"{capture}.vcd")]
    code = "from controller.cli import main; main()"
    words = [sys.executable, "-c", code, "replay", *files, "--json"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    found = []
    for line in done.stdout.splitlines():
        event = json.loads(line)
        name = event["type"].removeprefix("feltwire.").removesuffix(".v1")
        if name in ("round.outcome", "round.void", "round.unresolved"):
            found.append({**_comparable(name, event["data"]), "table": event["data"]["table"]})
    return found


def _expected(capture: str) -> list[tuple[str, str | None, object]]:
    text = (captures() / f"{capture}.expected.json").read_text()
    return [(one["type"], one.get("reason"), one.get("pocket", one.get("space"))) for one in json.loads(text)]


def _number(verdict: dict[str, Any]) -> tuple[str, str | None, object]:
    result = verdict["result"] or {}
    reason = verdict["reason"]
    return verdict["type"], reason, result.get("pocket", result.get("space"))


def verdicts(together: Sequence[str] = TOGETHER[0], until_s: float | None = None) -> Outcome:
    """Captures played into the lines of a running service: its verdicts are those of their replay."""
    outcome = Outcome()
    captures()
    pairs = ",".join(f"{GUEST_TABLES}/{TABLE_OF[one]}.toml:{GUEST_CAPTURES}/{one}.vcd" for one in together)
    options = [f"play={pairs}", *([f"until={until_s}"] if until_s else [])]
    records = run_to_end(installed(), run="verdicts", virtual_time=True, options=options)
    (played,) = [one for one in records if one["kind"] == "played"]
    outcome.figures["edges played"] = played["edges"]
    outcome.check(played["code"] == 0, f"the service ended with {played['code']}: {played['log']}")
    rest = [one for one in records if one["kind"] == "event" and not one["name"].startswith("round.")]
    faults = [one for one in rest if one["name"] == "device.fault"]
    outcome.check(not faults, f"faults: {faults}")
    for capture in together:
        expected = replayed(TABLE_OF[capture], capture)
        table = expected[0]["table"]
        live = [
            _comparable(one["name"], one["data"])
            for one in records
            if one["kind"] == "event" and one["name"].startswith("round.") and one["data"]["table"] == table
        ]
        wanted = [{key: value for key, value in one.items() if key != "table"} for one in expected]
        if until_s is not None:
            # A capture that is cut off has fewer rounds.
            wanted = wanted[: len(live)]
            outcome.check(bool(live), f"{capture}: no verdict within {until_s} s")
        outcome.check(live == wanted, _difference(capture, live, wanted))
        numbers = _expected(capture)[: len(live)] if until_s is not None else _expected(capture)
        outcome.check([_number(one) for one in live] == numbers, f"{capture}: not as in its expected.json")
        outcome.figures[f"verdicts of {capture}"] = len(live)
    return outcome


def _difference(capture: str, live: Sequence[dict[str, Any]], wanted: Sequence[dict[str, Any]]) -> str:
    if len(live) != len(wanted):
        return f"{capture}: {len(live)} verdicts instead of {len(wanted)}"
    for number, (one, other) in enumerate(zip(live, wanted, strict=True), 1):
        different = {key: (one[key], other[key]) for key in one if one[key] != other[key]}
        if different:
            return f"{capture}: verdict {number}, live and replayed: {different}"
    return ""


# --- systemd --------------------------------------------------------------------------------------------------------


def life() -> Outcome:
    """The installed service under systemd: start, crashes, watchdog, stop, devices, log, timers."""
    outcome = Outcome()
    captures()
    _checks(run_to_end(installed(), run="life", systemd=True), outcome)
    return outcome


# --- a technician ---------------------------------------------------------------------------------------------------


def technician() -> Outcome:
    """Two tables with three planted wiring mistakes, installed by doctor and calibrate alone."""
    outcome = Outcome()
    _checks(run_to_end(installed(), run="technician", virtual_time=True), outcome)
    return outcome


def package_life() -> Outcome:
    """Install, upgrade over running tables, downgrade, remove, install again, purge."""
    outcome = Outcome()
    debs = ",".join(str(path.relative_to(ROOT)) for path in package("1.0", "1.1", "1.2"))
    _checks(run_to_end(debian(), run="package", systemd=True, options=[f"debs={debs}"]), outcome)
    return outcome


SCENARIOS: Final[dict[str, Callable[[], Outcome]]] = {
    **{f"verdicts-{number}": partial(verdicts, one) for number, one in enumerate(TOGETHER, 1)},
    "life": life,
    "technician": technician,
    "package": package_life,
}
