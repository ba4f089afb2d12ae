"""Judges facts about the computer: each function takes facts and returns findings, and looks at nothing itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final

from controller.commissioning.computer_facts import AccessFacts, DiskFacts, Holder, LatencyFacts, PowerFacts, TimeFacts
from controller.commissioning.findings import Finding, failed, ok, skipped, warning
from controller.configuration.problems import Problem
from controller.service.disk_watch import LOW_BYTES, STOP_BYTES
from hal.clock import NS_PER_S

_MB: Final = 1024 * 1024
LIFE_WARNING: Final = 8
"""Tenths of an eMMC's life after which it should be replaced soon (ours)."""
LIFE_OVER: Final = 11
HELD_NS: Final = 2_000_000
"""Edges that are dated worse are held on their way (ours). Behind one that always holds what it receives for 1 ms the
bound is 0.7 to 1.1 ms in the tests' model of a clock, the greater of them just after the start; for 16 ms, 9 to 14."""
UNDER_VOLTAGE_NOW: Final = 1 << 0
THROTTLED_NOW: Final = (1 << 1) | (1 << 2) | (1 << 3)
UNDER_VOLTAGE_EVER: Final = 1 << 16
"""Bits of `vcgencmd get_throttled`, as its documentation has them: 0 and 16 of the supply, 1 to 3 of the clock."""


def judge_file(problems: Sequence[Problem]) -> list[Finding]:
    """The file's own mistakes and warnings."""
    if not problems:
        return [ok("file", "no mistake and no warning")]
    make = {"error": failed, "warning": warning}
    return [
        make[one.severity]("file", f"{one.key}: {one.wrong}", one.fix, f"{one.file}:{one.line}") for one in problems
    ]


def judge_access(seen: Sequence[AccessFacts]) -> list[Finding]:
    """Whether the user may open what the table needs."""
    found: list[Finding] = []
    for one in seen:
        if not one.exists:
            found.append(
                failed("permissions", "there is no such device", "plug it in; ls -l /dev/serial/by-id", one.path)
            )
        elif one.allowed:
            found.append(ok("permissions", f"{one.user} may read and write it", one.path))
        elif one.group in ("", "root"):
            fix = "install the package's udev rules (they give it to a group), or run as the service's user"
            found.append(failed("permissions", f"{one.user} may not open it", fix, one.path))
        else:
            fix = f"sudo usermod -aG {one.group} {one.user}, then log in again"
            found.append(failed("permissions", f"{one.user} may not open it, the group {one.group} may", fix, one.path))
    return found


def judge_port(port: str, by_id: str, held: Sequence[Holder]) -> list[Finding]:
    """Whether a serial port has a lasting name, and nobody holds it; `by_id` is its link, where it has one."""
    found: list[Finding] = []
    if held:
        who = ", ".join(f"{one.command} (process {one.pid})" for one in held)
        found.append(failed("held", f"it is held by {who}", "stop that program", port))
    if by_id and by_id != port:
        found.append(warning("ports", "its number may change at the next start", f'write port = "{by_id}"', port))
    return found or [ok("ports", "it is free, and its name lasts", port)]


def judge_times(board: str, bound_ns: int | None, latency: LatencyFacts | None) -> list[Finding]:
    """How well a board's edges are dated from now on, and whether something on the way holds what it sends.

    Where `bound_ns` was measured, it decides: once the driver of FTDI was asked for 1 ms it reports 1, also of a chip
    that ignores it.
    """
    subject = f"board {board}"
    measure = "to measure it, run doctor while the service is stopped and the board is up"
    install = "install the package's udev rules and plug it in again"
    if bound_ns is None:
        if latency is None:
            return []
        if latency.ms > 1:
            found = f"its USB adapter holds what it receives for up to {latency.ms} ms"
            return [warning("times", found, f"{install}, or: echo 1 | sudo tee {latency.path}", subject)]
        found = "the driver of its USB adapter is set to 1 ms; whether the chip obeys was not measured"
        return [skipped("times", found, measure, subject)]
    # Rounded up: what is shown is a bound.
    bound_ms, turned_deg = ceil(bound_ns / 10_000) / 100, ceil(360 * 100 * bound_ns / NS_PER_S) / 100
    found = (
        f"from now on, until the clocks are compared again, its edges are dated within {bound_ms:.2f} ms of this "
        f"computer's time, in which a wheel or ball at 60 rpm turns {turned_deg:.2f}°"
    )
    if bound_ns <= HELD_NS:
        return [ok("times", found, subject)]
    fix = "connect it without a hub or a network between, and stop what keeps this computer busy"
    if latency is not None:
        found += f"; the driver of its USB adapter reports {latency.ms} ms, also of a chip that holds bytes for longer"
        fix = f"{install}; if that does not help, use a board with another USB chip"
    return [warning("times", found, fix, subject)]


def judge_disk(facts: DiskFacts) -> list[Finding]:
    """Free space, and whether it can be written."""
    if facts.read_only:
        fix = "mount it read-write, or give another state directory: a journal is written there"
        return [failed("disk", "its disk is mounted read-only", fix, facts.folder)]
    free = f"{facts.free // _MB} of {facts.total // _MB} MB are free"
    if facts.free < STOP_BYTES:
        return [failed("disk", free, "free space on it: play stops below 16 MB", facts.folder)]
    if facts.free < LOW_BYTES:
        return [warning("disk", free, "free space on it: captures are no longer kept", facts.folder)]
    return [ok("disk", free, facts.folder)]


def judge_wear(facts: DiskFacts) -> list[Finding]:
    """How worn the disk is, where it says so."""
    where = f"/dev/{facts.device}" if facts.device else facts.folder
    if facts.life_used or facts.worn_blocks is not None:
        most = max(facts.life_used, default=0)
        used = f"up to {most * 10} % of its life is used" if 0 < most < LIFE_OVER else "its life is over"
        if most == 0:
            used = "it does not state its life"
        if most >= LIFE_OVER or facts.worn_blocks == 3:
            return [failed("wear", used, "replace it now, and restore the journal (feltwire journal …)", where)]
        if most >= LIFE_WARNING or facts.worn_blocks == 2:
            return [warning("wear", used, "replace it at the next visit", where)]
        return [ok("wear", used, where)]
    if facts.smart is not None:
        if "PASSED" in facts.smart or "OK" in facts.smart:
            return [ok("wear", facts.smart, where)]
        return [failed("wear", facts.smart, "replace the disk, and restore the journal", where)]
    if facts.kind == "SD":
        why = "an SD card does not report its wear"
        fix = "use one made for constant writing (industrial or high endurance), and replace it every few years"
        return [skipped("wear", why, fix, where)]
    return [skipped("wear", "nothing reports the wear of this disk", "sudo apt install smartmontools", where)]


def judge_power(facts: PowerFacts) -> list[Finding]:
    """Whether the supply holds."""
    bits = facts.throttled
    fix = (
        "use the maker's supply of enough current (5.1 V 3 A for a Pi 4, 5 A for a Pi 5), a short thick cable, and "
        "feed lamps and sensors from a supply of their own"
    )
    if facts.low_now or (bits is not None and bits & UNDER_VOLTAGE_NOW):
        return [failed("power", "the supply is below 4.63 V now", fix)]
    if bits is not None and bits & UNDER_VOLTAGE_EVER:
        return [failed("power", "the supply was too low since the start", fix)]
    if bits is not None and bits & THROTTLED_NOW:
        return [
            warning("power", "the processor is slowed down, for its heat or its supply", "give it air and a heat sink")
        ]
    if facts.low_now is None and bits is None:
        return [skipped("power", "nothing reports the supply: this is not a Pi, or its driver rpi_volt is not loaded")]
    return [ok("power", "no under-voltage" + ("" if bits is None else " since the start"))]


def judge_time(facts: TimeFacts, resolution_ns: int) -> list[Finding]:
    """The clock of edges, and the calendar."""
    found: list[Finding] = []
    if resolution_ns > 1_000:
        found.append(
            failed("clock", f"it counts in steps of {resolution_ns} ns", "use a kernel with high-resolution timers")
        )
    else:
        found.append(ok("clock", f"CLOCK_MONOTONIC, in steps of {resolution_ns} ns"))
    if facts.calendar_set:
        source = facts.source or ("its clock chip" if facts.has_chip else "the network")
        steered = "steered by " if facts.disciplined else "set by "
        found.append(ok("time_source", f"the calendar is set, {steered}{source}"))
    else:
        fix = "connect it to a time source (timedatectl set-ntp true), or add a clock chip with a battery"
        found.append(warning("time_source", "nobody has set the calendar since the start", fix))
    if not facts.has_chip:
        fix = "add a clock chip with a battery where the venue has no network (a Pi 5 has one; it needs the battery)"
        found.append(warning("time_source", "there is no clock with a battery", fix))
    return found
