"""A sic bo shaker that tosses by itself (13:69F-9), commanded by a serial line or by plain wires.

    lines     shaker_start     __|‾|______________________      a pulse starts it (output)
              shaker_busy      _____|‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾|______     it tosses
              shaker_fault     _____________________________    high: it reports that it failed
    serial    7A 03 04 01 08 55 starts it, … 05 … stops it, … 06 … asks how its dice came to rest; it answers each
    both      automated_shaker_present, where it has a sensor: it is on the table

The driver decodes its contacts and its answers. The actuator starts and stops it, and keeps the deadlines of a toss:

    lines    start ──pulse──► busy within `start_s` ──► not busy ──`rest_s`──► lies
    serial   start ──frame──► answered ──`shake_s`──► stop, answered ──`rest_s`──► query, answered ──► lies

Whatever does not come in time, comes unasked, or is answered with anything but success is a failure. It "fails to
operate" where it does not begin, and "malfunctions when activated" where it reports that, refuses an order, or tosses
again in the toss (13:69F-9.6(c)); any other failure is `ours`. A toss that is given up has to end too:

    lines    it runs out: it is not busy any more, within `longest_s`
    serial   stop ──► answered; sent once more after `start_s`, and reported; then sent until it is answered

A stop may be lost: with its link, or because the shaker was off. So after a loss of its link, too, it is sent until it
is answered: nobody else stops a shaker that tosses, and without an answer nothing shows that its link works again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.sensed_device import DebouncedLevel
from drivers.base.view import dead_lines
from drivers.dice.frame_wire import FROM_HOST, SUCCESS, FrameCommand, ShakerFrame, encode_frame, parse_frame
from drivers.dice.reader_wire import MalformedReading
from drivers.dice.view import AutomatedShakerView
from hal.values import Edge, EdgesLost, Frame, Loss, Output, Reading, SendFrame, SetLine

# --- observations of the driver ---------------------------------------------------------------------------------------


class TossMoving(Observation, frozen=True, kw_only=True):
    """The shaker tosses, or has stopped."""

    moving: bool
    since_ns: int


class TossAnswered(Observation, frozen=True, kw_only=True):
    """A serial shaker answered a command."""

    command: FrameCommand
    done: bool
    """Whether the answer reports success."""
    values: tuple[int, ...] = ()
    """The values of its dice, as the shaker reports them."""


class TossDoubt(Observation, frozen=True, kw_only=True):
    """An answer or a level was lost, or cannot be read."""

    detail: str
    link_lost: bool = False
    """The link of a serial shaker is down."""


class ShakerTrouble(Observation, frozen=True, kw_only=True):
    """The fault line of the shaker is active, or no longer."""

    active: bool


class ShakerPresent(Observation, frozen=True, kw_only=True):
    """The sensor of its place reports whether the shaker is on the table."""

    present: bool


# --- reports of the actuator ------------------------------------------------------------------------------------------


class TossBegan(Observation, frozen=True, kw_only=True):
    """The toss that was started has begun."""


class TossLies(Observation, frozen=True, kw_only=True):
    """The toss is over and its dice are at rest."""

    values: tuple[int, ...] = ()
    """The values of its dice, where a serial shaker reports them."""
    tossed_ns: int | None = None
    """For how long its contact was busy; None of a serial shaker, which is stopped by command."""


class TossFailed(Observation, frozen=True, kw_only=True):
    """The shaker failed to operate, or malfunctioned."""

    detail: str
    unasked: bool = False
    """It tossed without being started."""
    lasting: bool = False
    """The shaker itself still reports the failure."""
    ours: bool = False
    """Only the house fails it: a time of ours has passed, its line is in doubt, or nobody had activated it. A text
    voids a round for a shaker that "fails to operate or malfunctions when activated", and for nothing else.
    """


class ShakerQuiet(Observation, frozen=True, kw_only=True):
    """Nothing tosses any more, and nothing is started."""


START: Final = "shaker_start"
BUSY: Final = "shaker_busy"
FAULT: Final = "shaker_fault"
PRESENT: Final = "automated_shaker_present"
HOLD_NS: Final = 20_000_000
"""A contact has changed when it held for this long (ours)."""
STOP_AGAIN_NS: Final = 5_000_000_000
"""A stop that was not answered is sent again this often, until it is (ours)."""


class AutomatedShakerConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of an automated shaker under `[device.automated_shaker]`."""

    driver: Literal["automated_shaker"] = "automated_shaker"
    control: Annotated[
        Literal["lines", "serial"],
        Meta(description="lines: a start pulse, busy and fault; serial: the frames 7A ... 55 of a serial dice shaker"),
    ] = "lines"
    link: Annotated[str, Meta(min_length=1, description="serial: name of the shaker's link")] = "shaker_serial"
    present_sensor: Annotated[bool, Meta(description="a sensor reports whether it is on the table")] = False
    start_s: Annotated[
        float, Meta(ge=0.1, le=30, description="it tosses, or answers, within this time, or has failed (ours)")
    ] = 2.0
    shake_s: Annotated[
        float, Meta(ge=1, le=60, description="serial: it is stopped after this long (ours; a studio's runs 9.59 s)")
    ] = 8.0
    shortest_s: Annotated[
        float, Meta(ge=0.1, le=60, description="lines: a toss that is over sooner was none (ours)")
    ] = 1.0
    longest_s: Annotated[
        float, Meta(ge=1, le=120, description="lines: a toss that takes longer has not ended rightly (ours)")
    ] = 20.0
    rest_s: Annotated[
        float, Meta(ge=0.3, le=20, description="the dice are at rest this long after it has stopped (ours)")
    ] = 2.0
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
        self._reported: dict[str, int] = {BUSY: 0, FAULT: 0}
        """The level last reported of each line; at first, that it rests."""
        self._health = SensorHealth()

    @property
    def next_due_ns(self) -> int | None:
        """When a contact has held."""
        due_ns = min((held.due_ns for held in self._held.values()), default=NEVER_NS)
        return due_ns if due_ns < NEVER_NS else None

    def view(self, t_ns: int) -> AutomatedShakerView:
        """The shaker at `t_ns`, as its contacts have it."""
        moving, trouble = self._reported[BUSY] == 1, self._reported[FAULT] == 1
        present = self._reported.get(PRESENT, 1) == 1
        facts = (
            ("contacts", "busy" if moving else "idle"),
            ("trouble", "reported" if trouble else "none"),
            ("on the table", "yes" if present else "no"),
        )
        return AutomatedShakerView(
            facts=facts, doubts=dead_lines(self._health), moving=moving, trouble=trouble, present=present
        )

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Takes the edges of its contacts."""
        found: list[Observation] = []
        for edge in batch:
            held = self._held.get(edge.line)
            if held is not None:
                self._pass_time(edge.t_ns - 1, found)
                self._health.line_active(edge.line, edge.t_ns, found)
                if held.edge(edge.level, edge.t_ns):
                    self._report_level(edge.line, edge.level, edge.t_ns, edge.t_ns, found)
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
        answer = parse_frame(frame.data)
        if isinstance(answer, MalformedReading):
            found.append(TossDoubt(t_ns=frame.t_ns, detail=f"{frame.link}: {answer.why}"))
        else:
            values = (
                tuple(answer.values) if answer.command in (FrameCommand.QUERY, FrameCommand.SHAKE_AND_REPORT) else ()
            )
            done = answer.status == SUCCESS
            found.append(TossAnswered(t_ns=frame.t_ns, command=answer.command, done=done, values=values))
        return found

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """A line is not driven, or changes of it were lost: what the shaker does is not known."""
        found: list[Observation] = []
        if loss.line not in self.lines:
            return found
        self._pass_time(loss.t_ns - 1, found)
        if loss.line in self._held:
            self._held[loss.line].forget()
        unplugged = loss.cause is Loss.UNPLUGGED
        link_lost = unplugged and loss.line not in self._held
        found.append(TossDoubt(t_ns=loss.t_ns, detail=f"{loss.line}: {loss.cause}", link_lost=link_lost))
        if unplugged:
            self._health.line_unplugged(loss.line, loss.t_ns, found)
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
                self._report_level(line, change.level, due_ns, change.since_ns, found)

    def _report_level(self, line: str, level: int, t_ns: int, since_ns: int, found: list[Observation]) -> None:
        """A line has a level: what it was found at, too, where that is not what was reported of it."""
        if self._reported.get(line) == level:
            return
        self._reported[line] = level
        if line == PRESENT:
            found.append(ShakerPresent(t_ns=t_ns, present=level == 1))
        elif line == BUSY:
            found.append(TossMoving(t_ns=t_ns, moving=level == 1, since_ns=since_ns))
        else:
            found.append(ShakerTrouble(t_ns=t_ns, active=level == 1))


TossStage: TypeAlias = Literal[
    "idle", "starting", "tossing", "stopping", "resting", "asking", "running out", "giving up"
]
_ANSWERS: Final[dict[TossStage, FrameCommand]] = {
    "starting": FrameCommand.START,
    "stopping": FrameCommand.STOP,
    "asking": FrameCommand.QUERY,
    "giving up": FrameCommand.STOP,
}


class ShakerActuator:
    """Starts, times and stops the tosses of one automated shaker; see `drivers.base.actuator.Actuator`."""

    observes: frozenset[type[Observation]] = frozenset({TossMoving, TossAnswered, TossDoubt, ShakerTrouble})

    def __init__(self, config: AutomatedShakerConfig, name: str = "automated_shaker") -> None:
        self.name = name
        self.lines = frozenset({config.link} if config.control == "serial" else {BUSY, FAULT})
        """The lines without which it cannot operate."""
        self.outputs: list[Output] = []
        self.present_sensor = config.present_sensor
        self.moving = False
        """Whether its contact shows that it tosses."""
        self.trouble = False
        """Whether its fault line is active."""
        self._config = config
        self._serial = config.control == "serial"
        self._stage: TossStage = "idle"
        self._began_ns = 0
        self._tossed_ns: int | None = None
        """For how long the last toss was busy."""
        self._stopped_twice = False
        """Whether a serial shaker was sent a second stop."""
        self._start_refused = False
        """Whether its start output takes no command: then nobody activates it."""
        self._start_ns = NEVER_NS
        self._due_ns = NEVER_NS
        self._off_ns = NEVER_NS
        self._again_ns = NEVER_NS
        """When a serial shaker that did not answer is sent a stop again."""

    @property
    def next_due_ns(self) -> int:
        """When a toss is to be started, an answer is overdue, a stop is sent again, or the start pulse ends."""
        return min(self._start_ns, self._due_ns, self._off_ns, self._again_ns)

    @property
    def quiet(self) -> bool:
        """Whether nothing tosses, and nothing was started."""
        return self._stage == "idle" and not self.moving

    @property
    def _activated(self) -> bool:
        """Whether a toss that was started is not over, and was not given up."""
        return self._stage not in ("idle", "running out", "giving up")

    # --- commands ------------------------------------------------------------------------------------------------

    def start_toss(self, t_ns: int, after_ns: int = 0) -> None:
        """Starts a toss, `after_ns` later. A toss that is still going on is given up by that."""
        if after_ns:
            self._start_ns = t_ns + after_ns
            return
        self._start_ns = self._again_ns = NEVER_NS
        self._go("starting", t_ns + round(self._config.start_s * 1e9))
        self._began_ns = t_ns
        if self._serial:
            self._send(FrameCommand.START, t_ns)
        else:
            self.outputs.append(SetLine(START, True, t_ns))
            self._off_ns = t_ns + self._config.pulse_ms * 1_000_000

    def stop(self, t_ns: int) -> None:
        """Gives a toss up: the shaker is stopped where it can be; otherwise its toss has to end by itself, in time."""
        self._start_ns = NEVER_NS
        stage = self._stage
        if stage in ("running out", "giving up"):
            return
        self._end(t_ns)
        if stage == "starting" and not self._serial:
            # The pulse was given: that it begins to toss yet is not a fault of its own.
            self._go("running out", max(t_ns, self._began_ns + round(self._config.start_s * 1e9)))
        elif stage == "tossing" and self.moving:
            self._run_out(t_ns)

    def outputs_refused(self, names: Collection[str]) -> None:
        """These outputs of the table take no command now."""
        self._start_refused = START in names

    def rest(self, t_ns: int) -> list[Output]:
        """What stops a shaker of which nobody knows whether it tosses; its answer, if any, is not awaited."""
        if self._serial:
            stop = encode_frame(ShakerFrame(FrameCommand.STOP, FROM_HOST))
            return [SendFrame(self._config.link, stop, t_ns)]
        return [SetLine(START, False, t_ns)]

    # --- observations and time -----------------------------------------------------------------------------------

    def view(self, t_ns: int) -> AutomatedShakerView:
        """What the shaker was commanded, and what became of it."""
        facts = (
            ("command", self._stage),
            ("moves", "yes" if self.moving else "no"),
            ("trouble", "reported" if self.trouble else "none"),
        )
        return AutomatedShakerView(
            facts=facts, moving=self.moving, trouble=self.trouble, present=True, stage=self._stage
        )

    def observe(self, seen: Observation) -> list[Observation]:
        """Takes an observation of the shaker; returns what became of the toss."""
        was_quiet = self.quiet
        found: list[Observation] = []
        if isinstance(seen, TossMoving):
            self._moves(seen, found)
        elif isinstance(seen, TossAnswered):
            self._answered(seen, found)
        elif isinstance(seen, ShakerTrouble):
            self.trouble = seen.active
            if seen.active:
                ours = not self._activated
                self._end(seen.t_ns)
                found.append(TossFailed(t_ns=seen.t_ns, detail="it reports that it failed", lasting=True, ours=ours))
            else:
                found.append(seen)
        elif isinstance(seen, TossDoubt):
            if seen.link_lost:
                self._again_ns = seen.t_ns + STOP_AGAIN_NS
            if self._stage not in ("idle", "resting", "giving up"):
                self._fail(seen.detail, seen.t_ns, found, ours=True)
        if self.quiet and not was_quiet:
            found.append(ShakerQuiet(t_ns=seen.t_ns))
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Meets the next deadline."""
        found: list[Observation] = []
        if self._start_ns <= t_ns:
            self.start_toss(self._start_ns)
            return found
        if self._off_ns <= t_ns:
            self._release(self._off_ns)
            return found
        if self._again_ns <= t_ns:
            self._send(FrameCommand.STOP, self._again_ns)
            self._again_ns += STOP_AGAIN_NS
            return found
        if self._due_ns > t_ns:
            return found
        was_quiet = self.quiet
        due_ns, config = self._due_ns, self._config
        match self._stage:
            case "starting" | "stopping" | "asking":
                detail = f"no answer within {config.start_s:g} s of its command"
                self._fail(detail, due_ns, found, ours=self._stage != "starting" or self._start_refused)
            case "tossing" if self._serial:
                self._go("stopping", due_ns + round(config.start_s * 1e9))
                self._send(FrameCommand.STOP, due_ns)
            case "giving up" if not self._stopped_twice:
                self._stop_again(due_ns)
            case "giving up":
                self._again_ns = due_ns + STOP_AGAIN_NS
                detail = f"two commands to stop had no answer within {config.start_s:g} s"
                self._fail(detail, due_ns, found, ours=True)
            case "running out" if not self.moving:
                self._go("idle", NEVER_NS)
            case "tossing" | "running out":
                self._fail(f"it still tosses after {config.longest_s:g} s", due_ns, found, ours=True)
            case "resting" if self._serial:
                self._go("asking", due_ns + round(config.start_s * 1e9))
                self._send(FrameCommand.QUERY, due_ns)
            case _:
                self._go("idle", NEVER_NS)
                found.append(TossLies(t_ns=due_ns, tossed_ns=self._tossed_ns))
        if self.quiet and not was_quiet:
            found.append(ShakerQuiet(t_ns=due_ns))
        return found

    def _moves(self, seen: TossMoving, found: list[Observation]) -> None:
        self.moving = seen.moving
        if seen.moving:
            if self._stage == "running out":
                self._began_ns = seen.since_ns
                self._run_out(seen.t_ns)
                return
            if self._stage != "starting":
                self._began_ns = seen.since_ns
                ours = not self._activated
                self._fail("it began to toss unasked", seen.t_ns, found, unasked=True, ours=ours)
                return
            self._go("tossing", seen.since_ns + round(self._config.longest_s * 1e9))
            self._began_ns = seen.since_ns
            found.append(TossBegan(t_ns=seen.t_ns))
            return
        if self._stage == "running out":
            self._go("idle", NEVER_NS)
        if self._stage != "tossing":
            return
        self._tossed_ns = seen.since_ns - self._began_ns
        tossed_s = self._tossed_ns / 1e9
        if tossed_s < self._config.shortest_s:
            self._fail(f"it tossed for {tossed_s:.2f} s only", seen.t_ns, found, ours=True)
            return
        self._go("resting", seen.since_ns + round(self._config.rest_s * 1e9))

    def _answered(self, seen: TossAnswered, found: list[Observation]) -> None:
        if seen.command is FrameCommand.STOP and seen.done:
            self._again_ns = NEVER_NS
        expected = _ANSWERS.get(self._stage)
        if seen.command is not expected:
            return  # of a toss that was given up
        if expected is FrameCommand.QUERY:
            # That it does not recognise its dice is not a failure of the toss: a person enters them.
            self._go("idle", NEVER_NS)
            found.append(TossLies(t_ns=seen.t_ns, values=seen.values if seen.done else ()))
            return
        if self._stage == "giving up":
            if seen.done:
                self._go("idle", NEVER_NS)
                return
            if not self._stopped_twice:
                self._stop_again(seen.t_ns)
                return
        if not seen.done:
            self._fail(f"it answers that it did not {expected.name.lower()}", seen.t_ns, found)
        elif expected is FrameCommand.START:
            self._go("tossing", seen.t_ns + round(self._config.shake_s * 1e9))
            found.append(TossBegan(t_ns=seen.t_ns))
        else:
            self._go("resting", seen.t_ns + round(self._config.rest_s * 1e9))

    def _fail(
        self, why: str, t_ns: int, found: list[Observation], *, unasked: bool = False, ours: bool = False
    ) -> None:
        if self._stage == "idle" and not unasked:
            return
        self._end(t_ns)
        found.append(TossFailed(t_ns=t_ns, detail=why, unasked=unasked, lasting=self.trouble, ours=ours))

    def _end(self, t_ns: int) -> None:
        """Ends a toss here; a serial shaker is sent a stop, and has to answer it."""
        stops = self._serial and self._stage in ("starting", "tossing", "stopping")
        self._release(t_ns)
        self._go("idle", NEVER_NS)
        if stops:
            self._stopped_twice = False
            self._send_stop(t_ns)

    def _send_stop(self, t_ns: int) -> None:
        self._go("giving up", t_ns + round(self._config.start_s * 1e9))
        self._send(FrameCommand.STOP, t_ns)

    def _stop_again(self, t_ns: int) -> None:
        self._stopped_twice = True
        self._send_stop(t_ns)

    def _run_out(self, t_ns: int) -> None:
        self._go("running out", max(t_ns, self._began_ns + round(self._config.longest_s * 1e9)))

    def _send(self, command: FrameCommand, t_ns: int) -> None:
        self.outputs.append(SendFrame(self._config.link, encode_frame(ShakerFrame(command, FROM_HOST)), t_ns))

    def _release(self, t_ns: int) -> None:
        """Ends the start pulse."""
        if self._off_ns < NEVER_NS:
            self._off_ns = NEVER_NS
            self.outputs.append(SetLine(START, False, t_ns))

    def _go(self, stage: TossStage, due_ns: int) -> None:
        self._stage, self._due_ns = stage, due_ns
