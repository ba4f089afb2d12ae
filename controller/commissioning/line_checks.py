"""Judges facts about lines: who holds them, what drives them, noise at rest, and edges while something is moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from controller.commissioning.computer_facts import Holder
from controller.commissioning.findings import Finding, failed, ok, skipped, warning
from drivers.base.device_spec import LineUse
from drivers.base.movement import LineBounds, Recording
from hal.backends.gpiod_chip import CONSUMER
from hal.backends.gpiod_probe import ChipSeen, Driven, LineSeen
from hal.clock import NS_PER_S
from hal.lines import HEADER_CHIP_LABELS, Pull
from hal.values import Edge, EdgesLost
from hal.wording import counted, noun_for

MOST_NOISE: Final = 4
"""Edges at rest that may be a disc on the very edge of a slot (ours)."""


class Wired(NamedTuple):
    """Where a line goes, for people and for judgement."""

    line: str
    place: str
    """`GPIO17 (pin 11)`, or `input 3 of board wheel`."""
    pull: Pull
    inverted: bool
    use: LineUse

    @property
    def rests_low(self) -> bool:
        """Whether it is 0 while nothing is moved."""
        return self.use.rests_low


def judge_chips(chips: Sequence[ChipSeen], wanted: str | None) -> list[Finding]:
    """Whether the chip that the file means is there."""
    labels = HEADER_CHIP_LABELS if wanted is None else (wanted,)
    there = [chip for chip in chips if chip.label in labels]
    if len(there) == 1:
        return [ok("chip", f"{there[0].label} with {counted(there[0].lines, 'line')}", there[0].path)]
    seen = ", ".join(f"{chip.path} {chip.label or chip.refused}" for chip in chips)
    name = wanted or "of the header"
    if there:
        return [failed("chip", f"{len(there)} chips have the label {wanted}", "unload the driver of the others")]
    if any(chip.refused for chip in chips):
        fix = "sudo usermod -aG gpio USER, then log in again; in a unit, DeviceAllow=char-gpiochip rw"
        return [failed("chip", f"the chip {name} is not seen; there are: {seen}", fix)]
    if not chips:
        fix = "this computer has no GPIO: run doctor on the table's Pi; on a Pi, look for its driver with dmesg"
        return [failed("chip", f"the chip {name} is not here; there is none", fix)]
    return [failed("chip", f"the chip {name} is not here; there are: {seen}", "give the label of one as chip = …")]


def judge_holders(lines: Sequence[LineSeen], held_by: Sequence[Holder], service: str) -> list[Finding]:
    """Whether lines are free; `service` is where a service of this table runs, empty where none does."""
    found: list[Finding] = []
    for line in lines:
        subject = f"{line.name} ({line.chip} {line.offset})"
        if not line.consumer:
            continue
        if line.consumer == CONSUMER and service:
            found.append(ok("held", f"held by the service at {service}, which runs this table", subject))
            continue
        who = ", ".join(f"{one.command} (process {one.pid})" for one in held_by)
        fix = "stop that program, or free the pin in /boot/firmware/config.txt (an overlay may hold it)"
        shown = f'held by "{line.consumer}"' + (f"; {who} has lines of a chip open" if who else "")
        found.append(failed("held", shown, fix, subject))
    return found or [ok("held", f"{counted(len(lines), 'line')} {noun_for(len(lines), 'is', 'are')} free")]


def judge_drive(wired: Wired, driven: Driven) -> Finding:
    """What drives a line at rest, and whether its resistor fits that."""
    subject = f"{wired.line} at {wired.place}"
    high = driven == "high"
    if driven == "nothing":
        if wired.pull == "none":
            fix = 'write pull = "up" for an open collector or a contact to ground, else find the wire that is off'
            return failed("pulls", "nothing drives it and it has no resistor: it floats", fix, subject)
        level = int((wired.pull == "up") != wired.inverted)
        if level and wired.rests_low:
            fix = f"{_at_rest(wired)}: unplugged, it must be 0"
            return failed("pulls", f"at rest its resistor alone makes it {level}", fix, subject)
        return ok("pulls", f"its resistor ({wired.pull}) holds it: an open contact, or nothing connected", subject)
    if wired.rests_low and high != wired.inverted:
        fix = (
            f"it is active now: let go of what you press, or clear the sensor; if nothing is there, write inverted = "
            f"{str(not wired.inverted).lower()}, or look for a wire that touches {'3V3' if high else 'ground'}"
        )
        return failed("pulls", f"it is driven {driven} at rest, which is level 1", fix, subject)
    return ok("pulls", f"driven {driven}", subject)


_SINKS: Final = "an open collector (NPN) or a contact to ground"


def _at_rest(wired: Wired) -> str:
    """What to write for a line that is 1 at rest, the likelier first: most sensors and contacts pull a wire low and
    leave it open at rest, so that the resistor must pull it up.
    """
    other = f"inverted = {str(not wired.inverted).lower()}"
    if wired.pull == "down" and wired.inverted:
        return f'write pull = "up" for {_SINKS}, or {other} for a sensor that gives 3V3'
    if wired.pull == "up" and not wired.inverted:
        return f'write {other} for {_SINKS}, or pull = "down" for a sensor that gives 3V3'
    return f"write {other}"


def judge_rest(recording: Recording, wires: Sequence[Wired], seconds: float) -> list[Finding]:
    """Noise and levels while nobody touches anything."""
    if not wires:
        return [skipped("noise", "no input is up, so none was listened to", "repair what failed above first")]
    found: list[Finding] = []
    for wired in wires:
        subject = f"{wired.line} at {wired.place}"
        if wired.use.kind == "analogue":
            found.append(_judge_reading(recording, wired, subject))
            continue
        changes = recording.changes(wired.line)
        moved = f"{counted(len(changes), 'edge')} in {seconds:g} s while nothing moved"
        if len(changes) > MOST_NOISE:
            shortest_us = min((b.t_ns - a.t_ns for a, b in pairwise(changes)), default=0) / 1000
            fix = (
                "screen the cable and ground the screen at one end, keep it from motors and mains, add 1 kΩ to 4.7 kΩ "
                "to 3V3 (docs/install.md, Wire); a sensor without hysteresis needs another one"
            )
            found.append(failed("noise", f"{moved}, as near as {shortest_us:.1f} µs", fix, subject))
        elif changes:
            fix = "move what it senses a little and look again; if it stays, as for noise"
            found.append(warning("noise", moved, fix, subject))
        elif wired.line not in recording.found:
            found.append(failed("noise", "its level is not known", "check its board and its cable", subject))
        elif wired.rests_low and recording.found[wired.line]:
            fix = f"let it go; else {_at_rest(wired)}, or use the other contact"
            found.append(failed("noise", "it is 1 at rest", fix, subject))
    found += _lost(recording)
    quiet = len(wires) - len({one.subject for one in found if one.status in ("failed", "warning")})
    return [ok("noise", f"{quiet} of {len(wires)} lines were quiet for {seconds:g} s"), *found]


def _judge_reading(recording: Recording, wired: Wired, subject: str) -> Finding:
    values = recording.readings(wired.line)
    if not values:
        return failed("noise", "no reading arrived", "check its wire, its supply and its board", subject)
    return ok(
        "noise", f"{counted(len(values), 'reading')}, {min(values):.3f} to {max(values):.3f} {wired.use.high}", subject
    )


def judge_moved(
    recording: Recording, wires: Sequence[Wired], bounds: Mapping[str, LineBounds], device: str
) -> list[Finding]:
    """Whether every line of a device changes while a person moves it, no faster than the device can."""
    found: list[Finding] = []
    for wired in wires:
        subject = f"{wired.line} at {wired.place}"
        if wired.use.kind in ("analogue", "link", "output"):
            continue
        changes = recording.changes(wired.line)
        if not changes:
            hint = ""
            if wired.pull == "down":
                also = "" if wired.inverted else " and inverted = true"
                hint = f' an open-collector (NPN) output needs pull = "up"{also};'
            fix = f"move it again;{hint} check supply, ground and {wired.use.wire}, and the gap of the sensor"
            make = failed if wired.use.required else warning
            found.append(make("edges", f"no edge while {device} was moved", fix, subject))
            continue
        found.append(_judge_rate(changes, bounds.get(wired.line), subject))
    return found + _lost(recording)


def _judge_rate(changes: Sequence[Edge], bounds: LineBounds | None, subject: str) -> Finding:
    times = [edge.t_ns for edge in changes]
    gaps = [after - before for before, after in pairwise(times)]
    shown = counted(len(times), "edge") + (f", pulses from {min(gaps) / 1000:.0f} µs on" if gaps else "")
    if bounds is None or not gaps:
        return ok("edges", shown, subject)
    short = sum(gap < bounds.least_pulse_us * 1000 for gap in gaps)
    if short:
        fix = (
            "such pulses are bounce or noise: use a sensor with hysteresis (a Schmitt trigger), set its gap, screen "
            "the cable; no filter and no debounce on encoders and track sensors"
        )
        why = f"{short} pulses are shorter than {bounds.least_pulse_us:.0f} µs, the least in play ({bounds.why})"
        return failed("edges", f"{shown}; {why}", fix, subject)
    most = _most_in_a_second(times)
    if most > bounds.most_hz:
        fix = "correct encoder_slots, or look for noise"
        return warning(
            "edges", f"{shown}; {most} edges in a second, more than {bounds.most_hz:.0f} ({bounds.why})", fix, subject
        )
    return ok("edges", shown, subject)


def _most_in_a_second(times: Sequence[int]) -> int:
    most = begin = 0
    for end, t_ns in enumerate(times):
        while t_ns - times[begin] >= NS_PER_S:
            begin += 1
        most = max(most, end - begin + 1)
    return most


def _lost(recording: Recording) -> list[Finding]:
    lost = [value for value in recording.rare if isinstance(value, EdgesLost)]
    return [
        failed("edges", f"changes were lost ({loss.cause})", "look for noise: see docs/install.md, Wire", loss.line)
        for loss in lost[:4]
    ]


def judge_untouched(device: str, why: str) -> Finding:
    """A device that nobody moved."""
    return skipped("edges", why, f"run doctor at the table, and move {device} when asked")
