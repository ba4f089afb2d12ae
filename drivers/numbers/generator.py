"""A computerized random number generator that reports on a serial line what it draws.

    link      R ── B B B ── D D D D …     B: it draws, D: the number, repeated until the next draw
                   │          │
              DrawBegan   NumberDrawn (once for each draw, when it was reported twice alike; or without a number)

Of pai gow poker the State's rules have the title alone, "computerized random number generator; button" (13:69F-11.4,
19:47-11.4): the line, its times and what counts as a draw are ours. A number is proven only where the draw is the next
of the generator's own count, the number is one of those that it has, and it came alike twice. Nothing here tests
whether the numbers are random: the bias watch does, over many rounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation
from drivers.base.view import DeviceView
from drivers.numbers.generator_wire import DRAWS, PERIOD_S, DrawState, GeneratorLine, MalformedDraw, parse
from hal.clock import NS_PER_S
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

ALIKE: Final = 2
"""How often a number must be reported alike before it counts (ours)."""
LATE_NS: Final = round(1.5 * PERIOD_S * NS_PER_S)
"""After a longer pause between two lines one of them is missing (ours)."""


class NumberGeneratorConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a number generator under `[device.wheel]`."""

    driver: Literal["number_generator"] = "number_generator"
    link: Annotated[
        str, Meta(min_length=1, description="name of the serial link on which the generator sends what it draws")
    ] = "generator_serial"
    numbers: Annotated[int, Meta(ge=3, le=40, description="it draws one of the numbers from 1 to this (ours)")] = 7
    draw_s: Annotated[
        float, Meta(ge=1, le=60, description="a draw that has no number after this time has none (ours)")
    ] = 10.0
    silent_s: Annotated[
        float,
        Meta(ge=1, le=30, description="at fault when no line arrives for longer than this (ours)"),
    ] = 2.0

    @property
    def faces(self) -> tuple[str, ...]:
        """The numbers, as bets are named by them."""
        return tuple(map(str, range(1, self.numbers + 1)))


class GeneratorWorks(Observation, frozen=True, kw_only=True):
    """The generator reports, or does so no longer: its link is down or silent, or it reports a fault of its own."""

    up: bool
    drawing: bool = False
    """Whether the line with which it came up is of a draw; of that one no `DrawBegan` is given."""
    detail: str = ""


class GeneratorNoise(Observation, frozen=True, kw_only=True):
    """What came on the link is not a line, or does not follow from the line before; once until a good line."""

    detail: str


class DrawBegan(Observation, frozen=True, kw_only=True):
    """It draws."""

    since_ns: int
    """It began then at the earliest: before `t_ns` where a line may be missing."""
    draw: int


class NumberDrawn(Observation, frozen=True, kw_only=True):
    """The draw is over."""

    draw: int
    number: int | None
    """None where none was reported, or none that the generator has."""
    doubts: tuple[str, ...] = ()
    """Why it is not proven: `joined`, `draw_order`, `out_of_range`, `number_changed`, `unconfirmed`, `no_number`."""


class NumberChanged(Observation, frozen=True, kw_only=True):
    """After its draw the generator reports another number."""

    detail: str


class NumberGenerator:
    """The driver of one generator (see `drivers.base.driver.Driver`)."""

    def __init__(self, config: NumberGeneratorConfig, name: str = "wheel") -> None:
        self.name = name
        self.lines = frozenset({config.link})
        self._config = config
        self._silent_ns = round(config.silent_s * NS_PER_S)
        self._draw_ns = round(config.draw_s * NS_PER_S)
        self._up = False
        self._told_down = False
        self._heard_ns = NEVER_NS
        """When the last good line arrived; before the first one, when the table opened."""
        self._noisy = False
        """Whether something came since then that was not one."""
        self._draw = 0
        """The draw that the generator reported last, and in which state."""
        self._state = DrawState.READY
        self._drawing_until_ns = NEVER_NS
        """When a draw without a number is given up; never while none is on."""
        self._number: int | None = None
        self._times = 0
        self._doubts: list[str] = []

    def view(self, t_ns: int) -> DeviceView:
        """What it has reported."""
        number = "drawing" if self._drawing else "none" if self._number is None else str(self._number)
        facts = (("link", "up" if self._up else "down"), ("draw", f"{self._draw:03d}"), ("number", number))
        return DeviceView(facts=facts, doubts=tuple(self._doubts))

    @property
    def _drawing(self) -> bool:
        return self._drawing_until_ns != NEVER_NS

    @property
    def next_due_ns(self) -> int | None:
        """When it has been silent for too long, or a draw has taken too long."""
        due_ns = min(self._drawing_until_ns, NEVER_NS if self._told_down else self._heard_ns + self._silent_ns)
        return None if due_ns >= NEVER_NS else due_ns

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """A generator has no edges."""
        return []

    def reading(self, reading: Reading) -> list[Observation]:
        """A generator has no analogue lines."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Takes one line of the generator."""
        if frame.link not in self.lines:
            return []
        found = self.due(frame.t_ns - 1)
        line = parse(frame.data)
        if isinstance(line, MalformedDraw):
            self._noise(line.why, frame.t_ns, found)
        elif line.state is DrawState.FAULT:
            self._down("the generator reports a fault of its own", frame.t_ns, found)
        elif not self._up:
            self._come_up(line, frame.t_ns, found)
        else:
            self._take(line, frame.t_ns, found)
            self._heard_ns, self._noisy, self._state = frame.t_ns, False, line.state
        return found

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """The link is gone, or bytes of it were thrown away."""
        if loss.line not in self.lines:
            return []
        found = self.due(loss.t_ns - 1)
        if loss.cause is Loss.UNPLUGGED:
            self._down(f"{loss.line}: the link is down", loss.t_ns, found)
        else:
            self._noise(f"{loss.cause} on {loss.line}", loss.t_ns, found)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Meets the deadlines up to `t_ns`."""
        found: list[Observation] = []
        if self._heard_ns == NEVER_NS:
            self._heard_ns = t_ns
        while (due_ns := self.next_due_ns) is not None and due_ns <= t_ns:
            if due_ns == self._drawing_until_ns:
                self._end("unconfirmed" if self._times else "no_number", due_ns, found)
            else:
                self._down(f"no line arrived for {self._config.silent_s:g} s", due_ns, found)
        return found

    def _come_up(self, line: GeneratorLine, t_ns: int, found: list[Observation]) -> None:
        drawing = line.state is DrawState.DRAWING
        self._up, self._told_down, self._heard_ns, self._noisy = True, False, t_ns, False
        self._draw, self._state, self._number, self._times = line.draw, line.state, line.number, 0
        self._doubts = ["joined"] if drawing else []
        self._drawing_until_ns = t_ns + self._draw_ns if drawing else NEVER_NS
        found.append(GeneratorWorks(t_ns=t_ns, up=True, drawing=drawing))

    def _down(self, why: str, t_ns: int, found: list[Observation]) -> None:
        if not self._told_down:
            found.append(GeneratorWorks(t_ns=t_ns, up=False, detail=why))
        self._up, self._told_down, self._drawing_until_ns = False, True, NEVER_NS

    def _noise(self, why: str, t_ns: int, found: list[Observation]) -> None:
        if not self._noisy:
            found.append(GeneratorNoise(t_ns=t_ns, detail=why))
        self._noisy = True

    def _take(self, line: GeneratorLine, t_ns: int, found: list[Observation]) -> None:
        if self._drawing and (line.draw != self._draw or line.state is DrawState.READY):
            self._end("no_number", t_ns, found)
        if line.state is DrawState.READY:
            if line.draw not in (0, self._draw):
                self._noise(f"draw {line.draw:03d} after {self._draw:03d}, and no draw between", t_ns, found)
            self._draw, self._number = line.draw, None
            return
        begun = line.state is DrawState.DRAWING and self._state is not DrawState.DRAWING
        # A draw that was given up, and that goes on, is not another one.
        if not self._drawing and (line.draw != self._draw or begun):
            self._begin(line, t_ns, found)
        if line.number is not None:
            self._report(line.number, t_ns, found)

    def _begin(self, line: GeneratorLine, t_ns: int, found: list[Observation]) -> None:
        self._doubts = [] if line.draw == (self._draw + 1) % DRAWS else ["draw_order"]
        missing = self._noisy or t_ns - self._heard_ns > LATE_NS or line.state is DrawState.DRAWN
        self._draw, self._number, self._times = line.draw, None, 0
        self._drawing_until_ns = t_ns + self._draw_ns
        found.append(DrawBegan(t_ns=t_ns, since_ns=self._heard_ns if missing else t_ns, draw=line.draw))

    def _report(self, number: int, t_ns: int, found: list[Observation]) -> None:
        """The generator reports the number of its last draw."""
        before, self._number = self._number, number
        if not self._drawing:
            if before is not None and number != before and "number_changed" not in self._doubts:
                self._doubts.append("number_changed")
                detail = f"draw {self._draw:03d} had number {before}, and is reported with {number}"
                found.append(NumberChanged(t_ns=t_ns, detail=detail))
            return
        self._times += 1
        if self._times > 1 and number != before:
            self._end("number_changed", t_ns, found)
        elif not 1 <= number <= self._config.numbers:
            self._end("out_of_range", t_ns, found)
        elif self._times == ALIKE:
            self._end(None, t_ns, found)

    def _end(self, doubt: str | None, t_ns: int, found: list[Observation]) -> None:
        if doubt is not None:
            self._doubts.append(doubt)
        known = self._number if self._times and doubt in (None, "unconfirmed") else None
        self._drawing_until_ns = NEVER_NS
        found.append(NumberDrawn(t_ns=t_ns, draw=self._draw, number=known, doubts=tuple(self._doubts)))
