"""Boards and hosts of different protocols work together: real programs, older and newer than this software."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hal.backends.board import BoardLines
from hal.board.identity import ExpectedBoard
from hal.board.link import BoardLink
from hal.board.message import BoardCommand, MessageError
from hal.board.messages import KINDS, PROTOCOL, OkAnswer, SetCommand, StateReport
from hal.clock import NS_PER_S, VirtualClock
from hal.lines import LineSpec
from hal.loop import run_virtual, sleep_ns
from hal.values import Edge, Rare
from simulators.board.lockstep import LockStep
from tests.firmware.emulated import MS, S, built
from tests.firmware.inspected_board import InspectedBoard
from tests.firmware.test_ports_and_bootloaders import the_loop
from tests.firmware.toolchains import FIRMWARE, debian

OLD_WHEEL = Path(__file__).with_name("elf") / "wheel_protocol_1.hex"
"""The wheel's image of protocol 1, as it went out: it must work for as long as its kind has `oldest = 1`."""
WHEEL = KINDS["wheel"]


def generator() -> ModuleType:
    """firmware/wire/generate.py."""
    path = FIRMWARE / "wire" / "generate.py"
    spec = importlib.util.spec_from_file_location("wire_generate", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["wire_generate"] = module
    spec.loader.exec_module(module)
    return module


def program_of(image: Path, folder: Path) -> Path:
    """An ELF file of an image."""
    tools = debian("gcc-5")
    raw, source, made = folder / "image.bin", folder / "image.S", folder / "image.elf"
    subprocess.run([f"{tools}objcopy", "-I", "ihex", "-O", "binary", str(image), str(raw)], check=True)
    source.write_text(f'.section .text\n.incbin "{raw}"\n')
    link = [f"{tools}gcc", "-mmcu=atmega328p", "-nostdlib", "-Wl,-Ttext=0", str(source), "-o", str(made)]
    subprocess.run(link, check=True)
    return made


def future_wheel(folder: Path) -> Path:
    """The wheel's program of the next protocol: with new fields, a new report and a new command."""
    firmware = folder / "firmware"
    shutil.copytree(FIRMWARE, firmware, ignore=shutil.ignore_patterns("build", "fuzz", "history"))
    table = firmware / "wire" / "messages.toml"
    text = table.read_text()
    for before, after in (
        (f"protocol = {PROTOCOL}\n", f"protocol = {PROTOCOL + 1}\n"),
        (
            '["for_ms", "u16", "0: as long as the board allows"]]\nanswer = "ok"\nstarts = "value"',
            '["for_ms", "u16", "0: as long as the board allows"], ["fade", "u8", "", 4]]\n'
            'answer = "ok"\nstarts = "value"',
        ),
        ('  ["masked", "u8"', '  ["mood", "u32", "", 4],\n  ["masked", "u8"'),
        (
            "[report.sample]",
            '[report.future]\nid = 250\nsince = 4\ndoc = "new"\nfields = [["what", "u16", ""]]\n\n[report.sample]',
        ),
    ):
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    # The new field stands at the end.
    lines = text.split("\n")
    at = lines.index('  ["mood", "u32", "", 4],')
    lines[at], lines[at + 1] = lines[at + 1], lines[at]
    table.write_text("\n".join(lines))
    made = generator()
    (firmware / "core" / "messages.h").write_text(made.c_side(made.read(table)))
    wheel = firmware / "kinds" / "wheel.c"
    code = wheel.read_text()
    poll = "void kind_poll(uint32_t now)\n{\n"
    assert code.count(poll) == 1
    wheel.write_text(
        code.replace(
            poll,
            "static uint32_t told_ms;\n\n"
            + poll
            + "    if (board_ms() - told_ms > 20U) {\n"
            + "        uint8_t *fields = board_report(REPORT_FUTURE, REPORT_FUTURE_SIZE);\n"
            + "        told_ms = board_ms();\n"
            + "        if (fields) {\n"
            + "            struct report_future future = {.what = 7};\n"
            + "            report_future_write(fields, &future);\n"
            + "            board_send();\n"
            + "        }\n"
            + "    }\n",
        )
    )
    subprocess.run(["make", "-s", "-C", str(firmware), "build/wheel.elf"], check=True, capture_output=True)
    return firmware / "build" / "wheel.elf"


class Kept:
    """A sink, and a watcher of the board, that keep what they are given."""

    def __init__(self) -> None:
        self.edges: list[Edge] = []
        self.states: list[StateReport] = []
        self.reasons: list[str] = []

    def deliver(self, source: str, edges: Sequence[Edge], rare: Sequence[Rare]) -> None:
        self.edges += edges

    def up(self, identity: object, t_ns: int) -> None:
        """It is up."""

    def down(self, t_ns: int, reason: str) -> None:
        """Keeps the reason."""
        self.reasons.append(reason)

    def reported(self, report: object, t_ns: int) -> None:
        if isinstance(report, StateReport):
            self.states.append(report)


def played(elf: Path, port: Path, commands: Sequence[BoardCommand] = ()) -> tuple[Kept, BoardLink, list[object]]:
    """A session with a board: it is watched for 3 s while its first input changes, and it carries out commands."""

    async def main() -> tuple[Kept, BoardLink, list[object]]:
        clock = the_loop().clock
        with InspectedBoard(elf) as chip, LockStep(chip, port):
            kept = Kept()
            link = BoardLink("wheel", str(port), ExpectedBoard(WHEEL), clock)
            source = BoardLines([LineSpec("first", 1, board="wheel")], link, clock)
            chip.drive("D2", 0)
            source.open(kept)
            link.open(kept)
            for at in range(20):
                chip.drive("D2", (at + 1) % 2, 2 * S + at * 10 * MS)
            answers: list[object] = []
            while clock.now_ns() < 3 * NS_PER_S:
                await sleep_ns(10 * MS)
                source.delivered_until(clock.now_ns())
            for command in commands:
                answers.append(await link.command(command))
                answers.append(chip.output("B0"))
            source.close()
            link.close(kept)
            await link.wait_closed()
            return kept, link, answers

    return run_virtual(main(), VirtualClock())


def check_plays(elf: Path, port: Path, protocol: int) -> Kept:
    kept, link, answers = played(elf, port, [SetCommand(1, 255, 0), SetCommand(1, 0, 0)])
    identity = link.status.identity
    assert identity is not None
    assert (identity.protocol, identity.kind) == (protocol, WHEEL.id)
    assert [edge.level for edge in kept.edges] == [0, *((at + 1) % 2 for at in range(20))]
    assert answers == [OkAnswer(), 1, OkAnswer(), 0]
    assert link.quality.figures.lost == 0
    return kept


def test_a_board_of_today_plays(tmp_path: Path) -> None:
    check_plays(built("wheel.elf"), tmp_path / "port", PROTOCOL)


def test_an_old_board_plays_with_this_software(tmp_path: Path) -> None:
    assert WHEEL.oldest == 1
    kept = check_plays(program_of(OLD_WHEEL, tmp_path), tmp_path / "port", 1)
    assert {state.masked for state in kept.states} == {0}, "what it does not know is 0"


def test_a_newer_board_plays_with_this_software(tmp_path: Path) -> None:
    kept = check_plays(future_wheel(tmp_path), tmp_path / "port", PROTOCOL + 1)
    assert kept.states


def test_a_newer_board_that_serves_no_old_hosts_is_refused_with_both_values(tmp_path: Path) -> None:
    firmware = tmp_path / "firmware"
    elf = future_wheel(tmp_path)
    header = firmware / "core" / "messages.h"
    header.write_text(
        header.read_text().replace("#define KIND_WHEEL_OLDEST 1U", f"#define KIND_WHEEL_OLDEST {PROTOCOL + 1}U")
    )
    subprocess.run(["make", "-s", "-C", str(firmware), "build/wheel.elf"], check=True, capture_output=True)
    kept, _, _ = played(elf, tmp_path / "port")
    assert kept.edges == []
    assert (
        f"expected protocol 1 to {PROTOCOL}, found protocol {PROTOCOL + 1}, which works with hosts of protocol"
        in (kept.reasons[0])
    )


def test_a_command_is_packed_as_an_older_board_knows_it() -> None:
    class Newer(SetCommand, frozen=True):
        older = ((PROTOCOL + 1, SetCommand.layout.size),)
        layout = type(SetCommand.layout)("<BBHB")
        fade: int = 0

    assert Newer(1, 255, 7).pack(PROTOCOL) == SetCommand(1, 255, 7).pack()
    assert len(Newer(1, 255, 7, 3).pack()) == SetCommand.layout.size + 1
    with pytest.raises(MessageError, match=f"protocol {PROTOCOL} has only"):
        Newer(1, 255, 7, 3).pack(PROTOCOL)


def meaning(field: list[Any]) -> list[Any]:
    return field[:2]


@pytest.mark.parametrize("protocol", range(1, PROTOCOL))
def test_what_an_older_protocol_said_is_said_still(protocol: int) -> None:
    """Each message of the kinds that serve a protocol has its id, its fields, in their order, and its answer."""
    now = tomllib.loads((FIRMWARE / "wire" / "messages.toml").read_text())
    before = tomllib.loads((FIRMWARE / "wire" / "history" / f"{protocol}.toml").read_text())
    assert before["protocol"] == protocol
    served = {name for name, kind in now["kind"].items() if kind["oldest"] <= before["protocol"]}
    for name in served:
        for what in ("id", "inputs", "outputs", "analogues", "counters"):
            assert now["kind"][name][what] == before["kind"][name][what], (name, what)
    for family in ("command", "answer", "report"):
        for name, message in before[family].items():
            if not served & set(message.get("kinds", before["kind"])):
                continue
            today = now[family][name]
            assert (today["id"], today.get("answer"), today.get("starts")) == (
                message["id"],
                message.get("answer"),
                message.get("starts"),
            ), name
            fields, old = today.get("fields", []), message.get("fields", [])
            assert list(map(meaning, fields[: len(old)])) == list(map(meaning, old)), name
            assert all(len(field) == 4 and field[3] > before["protocol"] for field in fields[len(old) :]), name
    for what in ("tick_hz", "baud", "longest", "deadman_ms"):
        assert now[what] == before[what]
    for what, key in (("refusals", "code"), ("flags", "bit"), ("resets", "bit")):
        for name, value in before[what].items():
            code = value if isinstance(value, int) else value[key]
            assert now[what][name][key] == code, name
