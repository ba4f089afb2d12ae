"""The whole board against libFuzzer, AddressSanitizer, UBSan, and what must hold whatever happens (firmware/fuzz)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

from hal.board.messages import KINDS
from tests.firmware.conftest import FIRMWARE, make_firmware, nothing_made
from tests.shares import first_of

TEN_MINUTES = 600
QUICK_RUNS = 200
"""Of one kind, the sessions of seeds.py among them: as many on every machine, and the same ones."""
WRONG = re.compile(r"must hold|ERROR: AddressSanitizer|runtime error")


def seeds_of(kind: str, folder: Path) -> list[Path]:
    """The scripts to begin with, written into a folder."""
    command = [sys.executable, str(FIRMWARE / "fuzz/seeds.py"), kind, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(FIRMWARE.parent)}
    subprocess.run(command, env=environment, check=True)
    return sorted(folder.iterdir())


def fuzz(program: Path, found: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a fuzzer; what breaks the board goes to a folder."""
    command = [str(program), "-timeout=300", "-rss_limit_mb=1024", f"-artifact_prefix={found}/", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def what_was_wrong(ran: subprocess.CompletedProcess[str]) -> str:
    """The lines of its report that say so, each with the one before it."""
    lines = ran.stderr.splitlines()
    return "\n".join(f"{before}\n{line}" for before, line in pairwise(lines) if WRONG.search(line))


def must_hold(ran: subprocess.CompletedProcess[str]) -> None:
    """Nothing was wrong."""
    assert ran.returncode == 0, what_was_wrong(ran) or ran.stderr[-2000:]


@pytest.mark.parametrize("kind", first_of(1, KINDS))
def test_sessions_and_what_the_fuzzer_makes_of_them_break_nothing(kind: str, tmp_path: Path) -> None:
    seeds_of(kind, tmp_path / "seeds")
    tmp_path.joinpath("corpus").mkdir()
    folders = (tmp_path / "corpus", tmp_path / "seeds")
    ran = fuzz(make_firmware(f"build/fuzz/{kind}"), tmp_path, f"-runs={QUICK_RUNS}", "-seed=1", *folders)
    must_hold(ran)
    assert f"Done {QUICK_RUNS} runs" in ran.stderr


@pytest.mark.soak
@pytest.mark.timeout(6 * TEN_MINUTES)
@pytest.mark.parametrize("kind", KINDS)
def test_ten_minutes_of_the_fuzzer_over_all_kinds_break_nothing(kind: str, tmp_path: Path) -> None:
    seeds_of(kind, tmp_path / "seeds")
    corpus = FIRMWARE / "build/fuzz/corpus" / kind
    corpus.mkdir(parents=True, exist_ok=True)
    limits = (f"-max_total_time={TEN_MINUTES // len(KINDS)}", "-max_len=2048")
    must_hold(fuzz(make_firmware(f"build/fuzz/{kind}"), tmp_path, *limits, corpus, tmp_path / "seeds"))


# --- the fuzzer sees what it is there for -----------------------------------------------------------------------------


class Fault(NamedTuple):
    """A line of the firmware, made wrong."""

    kind: str
    file: str
    right: str
    wrong: str
    seen: str
    """What is said of it."""


FAULTS = {
    "a dead-man that comes late": Fault(
        "wheel",
        "core/board.c",
        "TICKS_OF_MS(WIRE_DEADMAN_MS - 1U)",
        "TICKS_OF_MS(WIRE_DEADMAN_MS + 9U)",
        "host is silent",
    ),
    "an output that stays on for too long": Fault(
        "wheel", "core/outputs.c", "? now_ms + for_ms", "? now_ms + for_ms + 4U", "might be until"
    ),
    "frames that are taken with any CRC": Fault(
        "wheel", "core/frame.c", "return crc == crc_of(in.bytes, body);", "return crc != 1U;", "must hold"
    ),
    "a command that is carried out again when it is said again": Fault(
        "wheel",
        "core/board.c",
        "== last_number) {\n        due =",
        "== last_number) {\n        last_due = carry_out(frame, received);\n        due =",
        "and sent again has",
    ),
    "a loss that is not told": Fault(
        "wheel", "core/edge_store.c", "lost = (uint16_t)(lost + edges);", "(void)edges;", "are reported lost"
    ),
    "an edge that is told late": Fault(
        "wheel",
        "core/edges.c",
        "edge_store_add(line, level, ticks);",
        "edge_store_add(line, level, ticks + 1U);",
        "the port showed",
    ),
    "a report without a number of its own": Fault(
        "wheel",
        "core/board.c",
        "quadrature_report(report_number++, now)",
        "quadrature_report(report_number, now)",
        "would be next",
    ),
    "a relay that moves under current": Fault(
        "table",
        "kinds/drive.c",
        "outputs_value(number) != 0U",
        "outputs_value(number) == 1U",
        "while the motor is driven",
    ),
    "a payout that goes on without the host": Fault(
        "pusher",
        "kinds/payouts.c",
        "    hopper_stop(&hopper, board_now());\n}\n\nvoid payouts_stop",
        "}\n\nvoid payouts_stop",
        "must hold",
    ),
    "an event that is called kept before it is": Fault(
        "pusher", "core/store.c", "    kept[task_log]++;", "    kept[task_log] += 2U;", "after a cut"
    ),
    "a number that is called kept while another is on its way": Fault(
        "table",
        "core/store.c",
        "return serial == new_serial && (!moving() || moved_serial == new_serial);",
        "return serial == new_serial;",
        "were asked for since",
    ),
}
QUICK_FAULTS = ("a dead-man that comes late",)


def spoil(folder: Path, fault: Fault) -> Path:
    """A fuzzer of a firmware with a fault, made in a folder beside what was made of the firmware without."""
    make_firmware(f"build/fuzz/{fault.kind}")
    firmware = folder / "firmware"
    with nothing_made():  # so that no file is copied while it is made
        for part in ("core", "kinds", "ports", "fuzz", "build/fuzz/o"):
            shutil.copytree(FIRMWARE / part, firmware / part)
    for part in ("Makefile", *(path.name for path in FIRMWARE.glob("*.mk")), "build/build.h"):
        shutil.copy2(FIRMWARE / part, firmware / part)
    file = firmware / fault.file
    text = file.read_text(encoding="utf-8")
    assert text.count(fault.right) == 1, f"{fault.file}: expected once: {fault.right}"
    file.write_text(text.replace(fault.right, fault.wrong), encoding="utf-8")
    target = f"build/fuzz/{fault.kind}"
    command = ["make", "-s", "-C", str(firmware), "-o", "build/build.h", target]  # all but that file is made already
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return firmware / target


def the_fuzzer_sees(fault: Fault, folder: Path) -> None:
    scripts = seeds_of(fault.kind, folder / "seeds")
    ran = fuzz(spoil(folder, fault), folder, *scripts)
    assert ran.returncode != 0, "nothing was seen"
    assert fault.seen in what_was_wrong(ran), ran.stderr[-2000:]


@pytest.mark.parametrize("name", QUICK_FAULTS)
def test_the_fuzzer_sees(name: str, tmp_path: Path) -> None:
    the_fuzzer_sees(FAULTS[name], tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("name", [name for name in FAULTS if name not in QUICK_FAULTS])
def test_the_fuzzer_sees_too(name: str, tmp_path: Path) -> None:
    the_fuzzer_sees(FAULTS[name], tmp_path)
