"""A sic bo shaker that tosses by itself (13:69F-9), told to by a serial line or by plain wires.

    lines     shaker_start     __|‾|______________________      a pulse starts it (output)
              shaker_busy      _____|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|______     it tosses
              shaker_fault     _____________________________    high: it says that it failed
    serial    7A 03 04 01 08 55 starts it, … 05 … stops it, … 06 … asks how its dice lie; it answers each
    both      automated_shaker_present, where it has a sensor: it stands on the table

The driver says what the shaker says. Whoever starts it times it (`controller.rounds.toss_watch`), so that a capture,
which has no commands, replays alike however it is cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.sensed_device import DebouncedLevel
from drivers.dice.frame_wire import SUCCESS, Command, parse_frame
from drivers.dice.reader_wire import Malformed
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

# What an automated shaker says of itself: the words that its driver and the rounds share.


class TossMoving(Observation, frozen=True, kw_only=True):
    """It tosses, or has stopped."""

    moving: bool
    since_ns: int


class TossAnswered(Observation, frozen=True, kw_only=True):
    """A serial shaker answered a command."""

    command: Command
    done: bool
    """Whether it says that it succeeded."""
    values: tuple[int, ...] = ()
    """How it says that its dice lie."""


class TossDoubt(Observation, frozen=True, kw_only=True):
    """Something it said was not heard, or cannot be read."""

    detail: str


class ShakerTrouble(Observation, frozen=True, kw_only=True):
    """It says that it has failed, or that it no longer does."""

    active: bool


class ShakerPresent(Observation, frozen=True, kw_only=True):
    """Its sensor says whether it stands on the table."""

    present: bool


START: Final = "shaker_start"
BUSY: Final = "shaker_busy"
FAULT: Final = "shaker_fault"
PRESENT: Final = "automated_shaker_present"
HOLD_NS: Final = 20_000_000
"""A contact has changed when it held for so long (ours)."""


class AutomatedShakerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of an automated shaker under `[device.automated_shaker]`."""

    driver: Literal["automated_shaker"] = "automated_shaker"
    control: Annotated[
        Literal["lines", "serial"],
        Meta(description="lines: a start pulse, busy and fault; serial: the frames 7A ... 55 of a serial dice shaker"),
    ] = "lines"
    link: Annotated[str, Meta(min_length=1, description="serial: name of the shaker's link")] = "shaker_serial"
    present_sensor: Annotated[bool, Meta(description="a sensor tells whether it stands on the table")] = False
    start_s: Annotated[
        float, Meta(ge=0.1, le=30, description="it tosses, or answers, within this time, or has failed (ours)")
    ] = 2.0
    shake_s: Annotated[
        float, Meta(ge=1, le=60, description="serial: it is stopped after so long (ours; a studio's runs 9.59 s)")
    ] = 8.0
    shortest_s: Annotated[
        float, Meta(ge=0.1, le=60, description="lines: a toss that is over sooner was none (ours)")
    ] = 1.0
    longest_s: Annotated[
        float, Meta(ge=1, le=120, description="lines: a toss that takes longer has not ended rightly (ours)")
    ] = 20.0
    rest_s: Annotated[float, Meta(ge=0.3, le=20, description="the dice lie so long after it has stopped (ours)")] = 2.0
    pulse_ms: Annotated[int, Meta(ge=20, le=2000, description="lines: how long the start output is on (ours)")] = 200

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        if self.shortest_s < self.longest_s:
            return []
        what = f"{self.shortest_s:g} s is not shorter than longest_s, {self.longest_s:g} s: no toss would count"
        return [("shortest_s", what, "make it shorter than longest_s")]


class AutomatedShaker:
    """The driver of one automated shaker; see `drivers.base.driver.Driver`."""

    def __init__(self, config: AutomatedShakerConfig, name: str = "automated_shaker") -> None:
        self.name = name
        self.config = config
        wanted = {config.link} if config.control == "serial" else {BUSY, FAULT}
        self.lines = frozenset(wanted | ({PRESENT} if config.present_sensor else set()))
        self._held: dict[str, DebouncedLevel] = {
            line: DebouncedLevel(HOLD_NS) for line in (BUSY, FAULT, PRESENT) if line in self.lines
        }
        self._told: dict[str, int] = {BUSY: 0, FAULT: 0}
        """What was last said of each line; at first, that it rests."""
        self._health = SensorHealth()

    @property
    def next_due_ns(self) -> int | None:
        """When a contact has held."""
        due_ns = min((held.due_ns for held in self._held.values()), default=NEVER_NS)
        return due_ns if due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Takes the edges of its contacts."""
        found: list[Observation] = []
        for edge in batch:
            held = self._held.get(edge.line)
            if held is not None:
                self._pass_time(edge.t_ns - 1, found)
                self._health.line_active(edge.line, edge.t_ns, found)
                if held.edge(edge.level, edge.t_ns):
                    self._say(edge.line, edge.level, edge.t_ns, edge.t_ns, found)
        return found

    def reading(self, reading: Reading) -> list[Observation]:
        """A shaker has no analogue lines."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Takes one answer of a serial shaker."""
        found: list[Observation] = []
        if frame.link not in self.lines:
            return found
        self._pass_time(frame.t_ns - 1, found)
        self._health.line_active(frame.link, frame.t_ns, found)
        said = parse_frame(frame.data)
        if isinstance(said, Malformed):
            found.append(TossDoubt(t_ns=frame.t_ns, detail=f"{frame.link}: {said.why}"))
        else:
            values = tuple(said.values) if said.command in (Command.QUERY, Command.SHAKE_AND_REPORT) else ()
            done = said.status == SUCCESS
            found.append(TossAnswered(t_ns=frame.t_ns, command=said.command, done=done, values=values))
        return found

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """A line is not driven, or changes of it were lost: what the shaker does is not known."""
        found: list[Observation] = []
        if loss.line not in self.lines:
            return found
        self._pass_time(loss.t_ns - 1, found)
        if loss.line in self._held:
            self._held[loss.line].forget()
        found.append(TossDoubt(t_ns=loss.t_ns, detail=f"{loss.line}: {loss.cause}"))
        if loss.cause is Loss.UNPLUGGED:
            detail = f"{loss.line} is not driven: its cable, its supply or its board is off"
            self._health.line_failed(loss.line, "sensor_missing", detail, loss.t_ns, found)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Lets time pass."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while self._held:
            line, held = min(self._held.items(), key=lambda item: item[1].due_ns)
            due_ns = held.due_ns
            if due_ns > until_ns:
                return
            change = held.due(due_ns)
            if change is not None:
                self._say(line, change.level, due_ns, change.since_ns, found)

    def _say(self, line: str, level: int, t_ns: int, since_ns: int, found: list[Observation]) -> None:
        """A line has a level: what it was found at, too, where that is not what was said of it."""
        if self._told.get(line) == level:
            return
        self._told[line] = level
        if line == PRESENT:
            found.append(ShakerPresent(t_ns=t_ns, present=level == 1))
        elif line == BUSY:
            found.append(TossMoving(t_ns=t_ns, moving=level == 1, since_ns=since_ns))
        else:
            found.append(ShakerTrouble(t_ns=t_ns, active=level == 1))
