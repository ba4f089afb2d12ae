"""The scenarios: what each boots, and what has to come out of it.

Each gives the mismatches (none, if all is as it should be) and figures. Verdicts are compared in the machine's virtual
time alone: in real time a busy computer makes edges late, and the product then rightly refuses rounds. systemd and
disks are run in real time alone: in virtual time they would see hours pass while this computer reads a block.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.fakes.pi_layouts import LAYOUTS
from tests.vm.images import BUILD, CAPTURES, HOUSE, ROOT, captures, debian, installed, make_disk, package
from tests.vm.machine import Record, run_to_end

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


def _checks(records: Iterable[Record], outcome: Outcome) -> None:
    for record in records:
        if record["kind"] == "check":
            outcome.check(record["passed"], f"{record['name']}: {record['seen']}")
        elif record["kind"] == "figure":
            outcome.figures[record["name"]] = record["value"]


# --- verdicts -------------------------------------------------------------------------------------------------------

SAME_REVOLUTIONS: Final = 0.01
"""One slot of an encoder with 100."""
COMPARED: Final = ("reason", "call", "result", "winning", "candidates", "round", "rule")


def _comparable(name: str, data: dict[str, Any]) -> dict[str, Any]:
    """What has to be equal: all that the verdict states, and the evidence as far as it is measured the same way."""
    evidence = data.get("evidence") or {}
    measured = {key: evidence.get(key) for key in ("revolutions", "direction", "no_more_bets", "detail")}
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


def _played(table: Path, capture: str) -> str:
    """A capture and the table on whose wires it is played, as the machine reads them: below the checkout."""
    return f"{table.relative_to(ROOT)}:{(CAPTURES / capture).relative_to(ROOT)}.vcd"


def verdicts(
    together: Sequence[str], *, suite: str = "", checkout: bool = False, until_s: float | None = None
) -> Outcome:
    """Captures played into the lines of a running service: its verdicts are those of their replay.

    `checkout` runs the checkout on this computer's own root, instead of the package; `until_s` ends the captures early.
    """
    outcome = Outcome()
    captures()
    pairs = ",".join(_played(HOUSE / "tables" / f"{TABLE_OF[one]}.toml", one) for one in together)
    options = [f"play={pairs}", *([f"until={until_s}"] if until_s is not None else [])]
    disk = None if checkout else installed(suite)
    records = run_to_end(disk, run="verdicts", virtual_time=True, options=options)
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
        numbers = _expected(capture)
        if until_s is not None:
            # A capture that ends early has fewer rounds.
            wanted, numbers = wanted[: len(live)], numbers[: len(live)]
            outcome.check(bool(live), f"{capture}: no verdict within {until_s} s")
        difference = _difference(capture, live, wanted)
        outcome.check(not difference, difference)
        outcome.check([_number(one) for one in live] == numbers, f"{capture}: not as in its expected.json")
        outcome.figures[f"verdicts of {capture}"] = len(live)
    return outcome


def _is_same(key: str, one: object, other: object) -> bool:
    """Whether two values are; of revolutions up to what the time of a write adds to that of its edge."""
    if key == "revolutions" and isinstance(one, float | int) and isinstance(other, float | int):
        return abs(one - other) <= SAME_REVOLUTIONS
    return one == other


def _difference(capture: str, live: Sequence[dict[str, Any]], wanted: Sequence[dict[str, Any]]) -> str:
    if len(live) != len(wanted):
        return f"{capture}: {len(live)} verdicts instead of {len(wanted)}"
    for number, (one, other) in enumerate(zip(live, wanted, strict=True), 1):
        different = {key: (one[key], other[key]) for key in one if not _is_same(key, one[key], other[key])}
        if different:
            return f"{capture}: verdict {number}, live and replayed: {different}"
    return ""


def overflow(*, suite: str = "", checkout: bool = False) -> Outcome:
    """A process that is stopped until the kernel's buffer of edges overflows: no verdict rests on what was lost."""
    outcome = Outcome()
    captures()
    play = _played(HOUSE / "tables/money_wheel.toml", "money_wheel_mixed")
    # The first spin begins after 6 s and makes some 1,800 edges; the buffer holds 1,024.
    options = [f"play={play}", "until=24", "hold=6:10"]
    disk = None if checkout else installed(suite)
    records = run_to_end(disk, run="verdicts", virtual_time=True, options=options)
    outcome.check(any(one["kind"] == "held" for one in records), "the process was not stopped")
    told = [one for one in records if one["kind"] == "event"]
    lost = [one for one in told if "edges_lost" in json.dumps(one["data"])]
    first = [one["name"] for one in told if one["name"].startswith("round.")][:1]
    outcome.check(bool(lost), f"no event reports lost edges: {told}")
    outcome.check(first != ["round.outcome"], f"a verdict rests on lost edges: {told[:2]}")
    outcome.figures["verdict of the spin in which edges were lost"] = first[0] if first else "none"
    return outcome


def gpiozero_verdicts(*, suite: str) -> Outcome:
    """A capture through gpiozero and lgpio, in virtual time: what the slow path makes of it at a wheel's rates."""
    outcome = Outcome()
    captures()
    tables = BUILD / "tables"
    tables.mkdir(exist_ok=True)
    text = (HOUSE / "tables" / "money_wheel.toml").read_text()
    (tables / "money_wheel.toml").write_text(text.replace('backend = "gpiod"', 'backend = "gpiozero"'))
    play = _played(tables / "money_wheel.toml", "money_wheel_mixed")
    records = run_to_end(installed(suite), run="verdicts", virtual_time=True, options=[f"play={play}", "until=70"])
    live = [_comparable(one["name"], one["data"]) for one in records if one["kind"] == "event"]
    live = [one for one in live if one["type"].startswith("round.")]
    expected = _expected("money_wheel_mixed")[: len(live)]
    outcome.figures["verdicts through gpiozero"] = f"{len(live)}, of {len(expected)} expected"
    outcome.check(bool(live), "no verdict")
    # A verdict may be withheld where edges are lost; none may be another one.
    for one, wanted in zip(live, expected, strict=True):
        right = _number(one) == wanted or one["type"] == "round.unresolved"
        outcome.check(right, f"{_number(one)} instead of {wanted}")
    return outcome


# --- chips ----------------------------------------------------------------------------------------------------------


def renumbered(backends: str = "gpiod,gpiozero", *, suite: str = "", checkout: bool = False) -> Outcome:
    """Chips made in the order of each Pi and kernel: each backend reads and drives the wires of the header's."""
    outcome = Outcome()
    disk = None if checkout else installed(suite)
    records = run_to_end(disk, run="renumbered", virtual_time=True, options=[f"backends={backends}"])
    _checks(records, outcome)
    expected = len(LAYOUTS) * len(backends.split(","))
    outcome.check(len([one for one in records if one["kind"] == "check"]) == expected, f"not {expected} checks")
    return outcome


# --- systemd --------------------------------------------------------------------------------------------------------


def life(*, suite: str) -> Outcome:
    """The installed service under systemd: start, crashes, watchdog, stop, devices, log, timers."""
    outcome = Outcome()
    captures()
    _checks(run_to_end(installed(suite), run="life", systemd=True), outcome)
    return outcome


# --- a technician ---------------------------------------------------------------------------------------------------


def technician(*, suite: str) -> Outcome:
    """Two tables with three planted wiring mistakes, installed by doctor and calibrate alone."""
    outcome = Outcome()
    _checks(run_to_end(installed(suite), run="technician", virtual_time=True), outcome)
    return outcome


def package_life(*, suite: str) -> Outcome:
    """Install, upgrade over running tables, downgrade, remove, install again, purge."""
    outcome = Outcome()
    debs = ",".join(str(path.relative_to(ROOT)) for path in package(suite, "1.0", "1.1", "1.2"))
    _checks(run_to_end(debian(suite), run="package", systemd=True, filters=False, options=[f"debs={debs}"]), outcome)
    return outcome


# --- rates ----------------------------------------------------------------------------------------------------------

GPIOD_CASES: Final = ("gpiod:1:10000:100000:0", "gpiod:8:10000:200000:0", "gpiod:8:2000:20000:2")
"""Backend, lines, edges a second that are asked for, edges, seconds in which nobody reads."""
BUSY_CASES: Final = ("gpiod:8:5000:20000:0",)
GPIOZERO_CASES: Final = ("gpiozero:1:200:1000:0", "gpiozero:8:1000:4000:0")


def gpiod_rates(cases: Sequence[str] = GPIOD_CASES, *, suite: str) -> Outcome:
    """Through gpiod nothing is lost while the source is read; where it is not, what is lost is reported to the edge.

    In virtual time, where a busy computer starves nobody.
    """
    outcome = Outcome()
    for rate in _rates(cases, outcome, suite, virtual_time=True):
        name = f"{rate['lines']} lines, {rate['asked_per_s']} edges/s"
        if rate["held_s"]:
            outcome.check(rate["lost"] > 0, f"{name}: nothing was lost in {rate['held_s']} s: this proves nothing")
        else:
            outcome.check(rate["lost"] == 0, f"{name}: {rate['lost']} of {rate['sent']} lost")
            outcome.check(rate["same_order"], f"{name}: another order, or other levels")
            outside = rate["stamps_outside_their_write"]
            outcome.check(outside == 0, f"{name}: {outside} times outside the write that made the edge")
        outcome.check(rate["lost"] == rate["told"], f"{name}: {rate['lost']} lost, {rate['told']} reported")
    return outcome


def busy_rates(cases: Sequence[str] = BUSY_CASES, *, suite: str) -> Outcome:
    """In real time a busy computer may starve the reader: whatever is lost then is reported, to the edge."""
    outcome = Outcome()
    for rate in _rates(cases, outcome, suite):
        outcome.check(rate["lost"] == rate["told"], f"{rate['lost']} lost, {rate['told']} reported: {rate}")
    return outcome


def gpiozero_rates(cases: Sequence[str] = GPIOZERO_CASES, *, suite: str) -> Outcome:
    """Through gpiozero and lgpio edges get lost, and not all are reported: figures, for whoever chooses a backend."""
    outcome = Outcome()
    for rate in _rates(cases, outcome, suite):
        outcome.check(rate["lost"] >= 0 and rate["sent"] > 0, f"more edges than were sent: {rate}")
    return outcome


def _rates(cases: Sequence[str], outcome: Outcome, suite: str, *, virtual_time: bool = False) -> list[Record]:
    options = [f"cases={','.join(cases)}"]
    records = run_to_end(installed(suite), run="rates", options=options, virtual_time=virtual_time)
    rates = [one for one in records if one["kind"] == "rate"]
    outcome.check(len(rates) == len(cases), f"{len(rates)} of {len(cases)} cases came to their end")
    for one in rates:
        reached = one["player"]["edges"] / one["player"]["seconds"]
        held = f", not read for {one['held_s']:g} s" if one["held_s"] else ""
        name = f"{one['backend']}, {one['lines']} lines, {one['asked_per_s']}/s asked, {reached:.0f}/s reached{held}"
        outcome.figures[name] = f"{one['lost']} of {one['sent']} lost, {one['told']} reported"
    return rates


def mishaps(*, suite: str) -> Outcome:
    """A calendar that jumps, a full disk, a read-only root, a card that turns read-only: on a data disk of its own."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="feltwire-mishaps-") as folder:
        data = Path(folder) / "data.ext4"
        make_disk(data, 200_000_000)
        _checks(run_to_end(installed(suite), run="mishaps", systemd=True, filters=False, data=data), outcome)
    return outcome


def nights(*, suite: str) -> Outcome:
    """What timers do at night: verify, archive, back up onto a stick."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="feltwire-nights-") as folder:
        stick = Path(folder) / "stick.ext4"
        make_disk(stick, 64_000_000, label="FELTWIRE")
        _checks(run_to_end(installed(suite), run="nights", systemd=True, filters=False, stick=stick), outcome)
    return outcome


def screen(*, suite: str) -> Outcome:
    """The scoreboard's page under its sandbox, and the unit of the screen."""
    outcome = Outcome()
    _checks(run_to_end(installed(suite), run="screen", systemd=True), outcome)
    return outcome


NEW: Final = "trixie"
OLD: Final = "bookworm"
BOTH: Final = (NEW, OLD)
_WHERE: Final[tuple[tuple[str, Callable[..., Outcome], tuple[str, ...]], ...]] = (
    # The longest first, so that two that run beside each other end together.
    ("package", package_life, BOTH),
    ("life", life, BOTH),
    ("mishaps", mishaps, BOTH),
    ("nights", nights, BOTH),
    ("screen", screen, BOTH),
    ("gpiod-rates", gpiod_rates, (NEW,)),
    *((f"verdicts-{number}", partial(verdicts, one), (NEW,)) for number, one in enumerate(TOGETHER, 1)),
    ("technician", technician, (NEW,)),
    ("overflow", overflow, (NEW,)),
    ("busy-rates", busy_rates, (OLD,)),
    # Debian 13 has no lgpio.
    ("gpiozero-verdicts", gpiozero_verdicts, (OLD,)),
    ("renumbered", renumbered, (OLD,)),
    ("gpiozero-rates", gpiozero_rates, (OLD,)),
)
"""Each scenario with its systems: what systemd and dpkg do on both, what the kernel's lines do on one of them."""
SCENARIOS: Final[dict[str, Callable[[], Outcome]]] = {
    f"{name}@{suite}": partial(what, suite=suite) for name, what, suites in _WHERE for suite in suites
}
