"""One toss of an automated shaker, from its start to dice that lie, timed by whoever started it.

    lines    start ──pulse──► busy within `start_s` ──► not busy ──`rest_s`──► lies
    serial   start ──frame──► answered ──`shake_s`──► stop, answered ──`rest_s`──► query, answered ──► lies

Whatever does not come in time, comes unasked, or is answered with anything but success is a failure: the shaker "fails
to operate" or "malfunctions" (13:69F-9.6(c)). A toss that is given up has to end too:

    lines    it runs out: it is not busy any more, within `longest_s`
    serial   stop ──► answered; told once more after `start_s`
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from drivers.base.driver import Observation
from drivers.dice.automated_shaker import (
    BUSY,
    FAULT,
    START,
    AutomatedShakerConfig,
    ShakerTrouble,
    TossAnswered,
    TossDoubt,
    TossMoving,
)
from drivers.dice.frame_wire import FROM_HOST, Command, ShakerFrame, encode_frame
from hal.values import Output, SendFrame, SetLine

NEVER_NS: Final = 1 << 62

Stage: TypeAlias = Literal["idle", "starting", "tossing", "stopping", "resting", "asking", "running out", "giving up"]
_ANSWERS: Final[dict[Stage, Command]] = {
    "starting": Command.START,
    "stopping": Command.STOP,
    "asking": Command.QUERY,
    "giving up": Command.STOP,
}
TossNews: TypeAlias = Literal["began", "lies", "failed", "unasked"]


class TossWatch:
    """The tosses of one automated shaker. It owns no clock; `shown` is what is to be done at outputs."""

    def __init__(self, config: AutomatedShakerConfig) -> None:
        self._config = config
        self.lines = frozenset({config.link} if config.control == "serial" else {BUSY, FAULT})
        """The lines that it cannot do without."""
        self._serial = config.control == "serial"
        self.shown: list[Output] = []
        self.stage: Stage = "idle"
        self.moving = False
        """Whether its contact says that it tosses."""
        self.trouble = False
        """Whether it says that it has failed."""
        self.failure = ""
        """What failed last, in words."""
        self.values: tuple[int, ...] = ()
        """How a serial shaker says that its dice lie."""
        self.began_ns = 0
        self._told_again = False
        """Whether a serial shaker was told to stop a second time."""
        self._due_ns = NEVER_NS
        self._off_ns = NEVER_NS

    @property
    def next_due_ns(self) -> int:
        """When something has to have come, or is to be done."""
        return min(self._due_ns, self._off_ns)

    @property
    def quiet(self) -> bool:
        """Whether nothing tosses, and nothing was asked to."""
        return self.stage == "idle" and not self.moving

    def start(self, t_ns: int) -> None:
        """Starts a toss. Anything that went on is given up."""
        self.values, self.failure = (), ""
        self._go("starting", t_ns + round(self._config.start_s * 1e9))
        self.began_ns = t_ns
        if self._serial:
            self._send(Command.START, t_ns)
        else:
            self.shown.append(SetLine(START, True, t_ns))
            self._off_ns = t_ns + self._config.pulse_ms * 1_000_000

    def give_up(self, t_ns: int) -> None:
        """Nothing more is wanted of it: it is stopped where it can be; else its toss has to end by itself, in time."""
        stage = self.stage
        if stage in ("running out", "giving up"):
            return
        self._end(t_ns)
        if stage == "starting" and not self._serial:
            # The pulse was given: that it begins to toss yet is no fault of its own.
            self._go("running out", max(t_ns, self.began_ns + round(self._config.start_s * 1e9)))
        elif stage == "tossing" and self.moving:
            self._run_out(t_ns)

    def put_to_rest(self, t_ns: int) -> list[Output]:
        """What stops a shaker of which nobody knows whether it tosses; its answer, if any, is not waited for."""
        if self._serial:
            stop = encode_frame(ShakerFrame(Command.STOP, FROM_HOST))
            return [SendFrame(self._config.link, stop, t_ns)]
        return [SetLine(START, False, t_ns)]

    def see(self, seen: Observation) -> TossNews | None:
        """Takes what the shaker says."""
        if isinstance(seen, TossMoving):
            return self._moves(seen)
        if isinstance(seen, TossAnswered):
            return self._answered(seen)
        if isinstance(seen, ShakerTrouble):
            self.trouble = seen.active
            if not seen.active:
                return None
            self.failure = "it says that it has failed"
            self._end(seen.t_ns)
            return "failed"
        if isinstance(seen, TossDoubt) and self.stage not in ("idle", "resting", "giving up"):
            return self._fail(seen.detail, seen.t_ns)
        return None

    def due(self, t_ns: int) -> TossNews | None:
        """Lets time pass to the next deadline."""
        if self._off_ns <= t_ns:
            self._release(self._off_ns)
            return None
        if self._due_ns > t_ns:
            return None
        due_ns, config = self._due_ns, self._config
        match self.stage:
            case "starting" | "stopping" | "asking":
                return self._fail(f"no answer within {config.start_s:g} s of its being told to", due_ns)
            case "tossing" if self._serial:
                self._go("stopping", due_ns + round(config.start_s * 1e9))
                self._send(Command.STOP, due_ns)
            case "giving up" if not self._told_again:
                self._stop_again(due_ns)
            case "giving up":
                return self._fail(f"it was told twice to stop, with no answer within {config.start_s:g} s", due_ns)
            case "running out" if not self.moving:
                self._go("idle", NEVER_NS)
            case "tossing" | "running out":
                return self._fail(f"it still tosses after {config.longest_s:g} s", due_ns)
            case "resting" if self._serial:
                self._go("asking", due_ns + round(config.start_s * 1e9))
                self._send(Command.QUERY, due_ns)
            case _:
                self._go("idle", NEVER_NS)
                return "lies"
        return None

    def _moves(self, seen: TossMoving) -> TossNews | None:
        self.moving = seen.moving
        if seen.moving:
            if self.stage == "running out":
                self.began_ns = seen.since_ns
                self._run_out(seen.t_ns)
                return None
            if self.stage != "starting":
                self.began_ns = seen.since_ns
                return self._fail("it began to toss unasked", seen.t_ns, "unasked")
            self._go("tossing", seen.since_ns + round(self._config.longest_s * 1e9))
            self.began_ns = seen.since_ns
            return "began"
        if self.stage == "running out":
            self._go("idle", NEVER_NS)
        if self.stage != "tossing":
            return None
        tossed_s = (seen.since_ns - self.began_ns) / 1e9
        if tossed_s < self._config.shortest_s:
            return self._fail(f"it tossed for {tossed_s:.2f} s only", seen.t_ns)
        self._go("resting", seen.since_ns + round(self._config.rest_s * 1e9))
        return None

    def _answered(self, seen: TossAnswered) -> TossNews | None:
        expected = _ANSWERS.get(self.stage)
        if seen.command is not expected:
            return None  # of a toss that was given up
        if expected is Command.QUERY:
            # That it does not recognise its dice is no failure of the toss: a person enters them.
            self.values = seen.values if seen.done else ()
            self._go("idle", NEVER_NS)
            return "lies"
        if self.stage == "giving up":
            if seen.done:
                self._go("idle", NEVER_NS)
                return None
            if not self._told_again:
                self._stop_again(seen.t_ns)
                return None
        if not seen.done:
            return self._fail(f"it answers that it did not {expected.name.lower()}", seen.t_ns)
        if expected is Command.START:
            self._go("tossing", seen.t_ns + round(self._config.shake_s * 1e9))
            return "began"
        self._go("resting", seen.t_ns + round(self._config.rest_s * 1e9))
        return None

    def _fail(self, why: str, t_ns: int, news: TossNews = "failed") -> TossNews | None:
        if self.stage == "idle" and news != "unasked":
            return None
        self.failure = why
        self._end(t_ns)
        return news

    def _end(self, t_ns: int) -> None:
        """Nothing is wanted of it any more; a serial shaker is told to stop, and has to say that it does."""
        stops = self._serial and self.stage in ("starting", "tossing", "stopping")
        self._release(t_ns)
        self._go("idle", NEVER_NS)
        if stops:
            self._told_again = False
            self._stop(t_ns)

    def _stop(self, t_ns: int) -> None:
        self._go("giving up", t_ns + round(self._config.start_s * 1e9))
        self._send(Command.STOP, t_ns)

    def _stop_again(self, t_ns: int) -> None:
        self._told_again = True
        self._stop(t_ns)

    def _run_out(self, t_ns: int) -> None:
        self._go("running out", max(t_ns, self.began_ns + round(self._config.longest_s * 1e9)))

    def _send(self, command: Command, t_ns: int) -> None:
        self.shown.append(SendFrame(self._config.link, encode_frame(ShakerFrame(command, FROM_HOST)), t_ns))

    def _release(self, t_ns: int) -> None:
        if self._off_ns < NEVER_NS:
            self._off_ns = NEVER_NS
            self.shown.append(SetLine(START, False, t_ns))

    def _go(self, stage: Stage, due_ns: int) -> None:
        self.stage, self._due_ns = stage, due_ns
