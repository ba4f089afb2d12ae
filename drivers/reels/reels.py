"""The reels of a skill-stop machine, as their board and their sensors report them.

    reel_1_home  ____|‾|__________|‾|____________    the tab is in the slot, once a turn
    stop_1       ____________________|‾‾|________    StopPressed, when it has held for 1 ms
    reels        r r r r r r r r r r r r r R         ReelSeen: where its board counts it, each 100 ms and at each change

A board of the kind reel steps the reels, knows where each is by counting steps from its home sensor, and stops each
at the symbol that its button demands (docs/boards-wiring.md). Its reports are frames of the link `reels`; those of the
board of reels 4 and 5 are frames of the link `reels_2`. The first board counts the tokens of an acceptor, where one
hangs on it: that count survives power cuts.

A home sensor that changes while its reel is stopped, and holds: the reel was moved by something else than its motor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.held_lines import HeldLines
from drivers.base.key_problems import KeyProblem
from drivers.base.sensed_device import DebouncedLevel
from drivers.base.sensor_tests import SensorsFound, SensorTestAnswered, names_of
from drivers.base.token_pulses import TokenPulses
from drivers.base.view import dead_lines
from drivers.reels.reels_wire import TOKEN_LINE, UNKNOWN_STEP, home_line, links_of, place_of, reel_at, stop_line
from drivers.reels.view import ReelsView
from hal.board.carried import RefusedCommand, report_in
from hal.board.message import BoardCommand, MessageError
from hal.board.messages import (
    KINDS,
    ArmCommand,
    CountsReport,
    IdentityAnswer,
    ReelReport,
    RefusalCode,
    SensorsReport,
    TestCommand,
)
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

MOST_REELS: Final = 5
PRESS_NS: Final = 1_000_000
"""A button counts when it has held for this long, as on the board (docs/boards-wiring.md)."""
STUCK_NS: Final = 5_000_000_000
"""A button that is held for this long is stuck, or its wire is cut, as on the board."""
TOKEN_BIT: Final = 1 << [name for name, _ in KINDS["reel"].inputs].index("token")
"""The acceptor among the inputs that a board tests."""


class ReelsConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the reels under `[device.reels]`."""

    driver: Literal["stepper_reels"] = "stepper_reels"
    reels: Annotated[int, Meta(ge=3, le=MOST_REELS, description="how many reels there are")] = 3
    steps: Annotated[
        int,
        Meta(ge=20, le=3200, description="steps of a turn: pulses of the driver, with half steps twice the motor's"),
    ] = 200
    home_least: Annotated[
        int, Meta(ge=1, le=255, description="steps that home is dark for at least; what is shorter is not home")
    ] = 1
    home_most: Annotated[
        int, Meta(ge=1, le=3199, description="steps that home is dark for at most; longer is a blocked sensor")
    ] = 50
    turned_round: Annotated[
        list[int], Meta(description="the reels whose driver's direction is turned round, from 1")
    ] = msgspec.field(default_factory=list)
    held: Annotated[bool, Meta(description="whether a reel's driver stays on while the reel is stopped")] = True
    spin_ms: Annotated[
        int, Meta(ge=0, le=10_000, description="a button stops nothing before its reel has turned for this long (ours)")
    ] = 500
    slip: Annotated[
        int, Meta(ge=1, le=100, description="symbols that may go by from a button's press to the stop at most (ours)")
    ] = 6
    answer_ms: Annotated[
        int,
        Meta(
            ge=200,
            le=10_000,
            description="a board that has not confirmed a command for this long has failed (ours)",
        ),
    ] = 1500
    moved_ms: Annotated[
        int,
        Meta(
            ge=5,
            le=1000,
            description="a home sensor that changes while a reel is at rest, and holds for this long: it was moved "
            "(ours)",
        ),
    ] = 50
    acceptor: Annotated[
        bool, Meta(description="whether tokens come in by an acceptor on the (first) reel board, which counts them")
    ] = False
    pulse_ms: Annotated[
        int,
        Meta(ge=0, le=500, description="width of the acceptor's pulse, within 20 %; 0: 20 to 250 ms"),
    ] = 0

    def problems(self) -> list[KeyProblem]:
        """What is wrong between keys: (key, what, fix)."""
        found: list[KeyProblem] = []
        if self.home_least > self.home_most:
            found.append(("home_least", "is more than home_most", f"make it {self.home_most} or less"))
        if self.home_most >= self.steps:
            found.append(("home_most", "is not less than steps", f"make it less than {self.steps}"))
        beyond = [reel for reel in self.turned_round if not 1 <= reel <= self.reels]
        if beyond:
            found.append(("turned_round", f"names the reel {beyond[0]}", f"the reels are 1 to {self.reels}"))
        if self.pulse_ms and not self.acceptor:
            found.append(("pulse_ms", "is of an acceptor on the reel board, and there is none", "add acceptor = true"))
        elif 0 < self.pulse_ms < 25:
            found.append(("pulse_ms", "a pulse under 25 ms is not told from noise", "give 25 to 500, or 0"))
        return found


# --- observations -----------------------------------------------------------------------------------------------------


class ReelSeen(Observation, frozen=True, kw_only=True):
    """A board reported one reel."""

    reel: int
    """From 1."""
    moving: bool
    step: int | None
    """Steps from home; None where that is not known."""
    slips: int
    """How often home came where it should not, modulo 65536."""
    by_button: bool
    """Whether the button of this reel stops it, or has."""
    off: int
    """Steps from where home was expected to where it came last."""
    why: int
    """1: home did not come in two turns; 2: home stayed dark; otherwise 0."""


class ReelsReachable(Observation, frozen=True, kw_only=True):
    """A board is up: its reels can be commanded."""

    link: str


class ReelRefused(Observation, frozen=True, kw_only=True):
    """A board refused a command to its reels, or ended its session before it answered."""

    link: str
    command: BoardCommand
    why: int
    """A code of the board's refusals; 0 where it did not answer."""


class ReelsUnreachable(Observation, frozen=True, kw_only=True):
    """A board is gone, or what it sends cannot be read."""

    link: str
    detail: str


class ReelsCounted(Observation, frozen=True, kw_only=True):
    """The board with the acceptor reported how many tokens it has ever counted, modulo 2^32."""

    tokens_in: int


class StopPressed(Observation, frozen=True, kw_only=True):
    """A stop button is pressed."""

    reel: int
    pressed_ns: int


class HomeCame(Observation, frozen=True, kw_only=True):
    """The tab came into a home sensor, as it does once a turn."""

    reel: int


class HomeHolds(Observation, frozen=True, kw_only=True):
    """A home sensor has changed, and holds: at a reel that turns it means nothing."""

    reel: int
    since_ns: int


# --- the driver -------------------------------------------------------------------------------------------------------


class Reels:
    """The driver of the reels of one machine; see `drivers.base.driver.Driver`."""

    def __init__(self, config: ReelsConfig, name: str = "reels") -> None:
        self.name = name
        numbers = range(1, config.reels + 1)
        self._links = links_of(config.reels)
        self._of_home = {home_line(reel): reel for reel in numbers}
        self._of_stop = {stop_line(reel): reel for reel in numbers}
        self._token_line = TOKEN_LINE if config.acceptor else None
        self.lines = frozenset((*self._links, *self._of_home, *self._of_stop, *filter(None, [self._token_line])))
        self._inputs = {link: _inputs_of(link, config.reels) for link in self._links}
        self._reels = config.reels
        self._steps = config.steps
        moved_ns = config.moved_ms * 1_000_000
        self._held = {line: DebouncedLevel(moved_ns) for line in self._of_home}
        self._held |= {line: DebouncedLevel(PRESS_NS) for line in self._of_stop}
        self._raw: dict[str, int] = {}
        self._pressed = HeldLines(STUCK_NS)
        """The buttons that are pressed."""
        self._pulses = TokenPulses(TOKEN_LINE, config.pulse_ms, STUCK_NS)
        self._health = SensorHealth()
        self._seen: dict[int, ReelSeen] = {}

    @property
    def next_due_ns(self) -> int | None:
        """When a level has held, a button is stuck, or a pulse of the acceptor is over."""
        due_ns = self._due_ns()
        return due_ns if due_ns < NEVER_NS else None

    def view(self, t_ns: int) -> ReelsView:
        """The reels at `t_ns`."""
        turning = tuple(reel for reel, seen in sorted(self._seen.items()) if seen.moving)
        steps = tuple(seen.step if (seen := self._seen.get(reel)) else None for reel in range(1, self._reels + 1))
        facts = tuple(
            (f"reel {reel}", "turns" if reel in turning else "not known" if step is None else f"is at step {step}")
            for reel, step in enumerate(steps, 1)
        )
        return ReelsView(facts=facts, doubts=dead_lines(self._health), a_turn=self._steps, turning=turning, steps=steps)

    # --- values --------------------------------------------------------------------------------------------------

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """Home sensors, buttons, and the pulses of the acceptor."""
        found: list[Observation] = []
        for edge in batch:
            line, level, t_ns = edge
            if line == self._token_line:
                self._pass_time(t_ns - 1, found)
                self._health.line_active(line, t_ns, found)
                self._pulses.edge(level, t_ns)
            if line not in self._held:
                continue
            self._pass_time(t_ns - 1, found)
            self._health.line_active(line, t_ns, found)
            before, self._raw[line] = self._raw.get(line), level
            self._held[line].edge(level, t_ns)
            if line in self._of_home and level and before == 0:
                found.append(HomeCame(t_ns=t_ns, reel=self._of_home[line]))
            if line in self._of_stop and not level:
                self._pressed.end(line)
        return found

    def reading(self, reading: Reading) -> list[Observation]:
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Takes what a board sent."""
        found: list[Observation] = []
        link, data, t_ns = frame
        if link not in self._links:
            return found
        self._pass_time(t_ns - 1, found)
        try:
            message = report_in(data)
        except MessageError as error:
            return [*found, ReelsUnreachable(t_ns=t_ns, link=link, detail=f"a message cannot be read: {error}")]
        if isinstance(message, RefusedCommand):
            found.append(ReelRefused(t_ns=t_ns, link=link, command=message.command, why=message.why))
        elif isinstance(message, IdentityAnswer):
            found.append(ReelsReachable(t_ns=t_ns, link=link))
        elif isinstance(message, ReelReport) and message.reel and reel_at(link, message.reel) <= self._reels:
            reel = reel_at(link, message.reel)
            seen = self._seen[reel] = ReelSeen(
                t_ns=t_ns,
                reel=reel,
                moving=bool(message.moving),
                step=None if message.step == UNKNOWN_STEP else message.step,
                slips=message.slips,
                by_button=bool(message.button),
                off=message.off,
                why=message.why,
            )
            found.append(seen)
        elif isinstance(message, TestCommand):
            found.append(SensorTestAnswered(t_ns=t_ns, link=link))
        elif isinstance(message, SensorsReport):
            shorted = names_of(message.shorted, self._inputs[link])
            found.append(SensorsFound(t_ns=t_ns, link=link, shorted=shorted, dark=()))
        if self._token_line is not None and link == self._links[0]:
            self._take_tokens(self._token_line, message, t_ns, found)
        return found

    def _take_tokens(self, line: str, message: object, t_ns: int, found: list[Observation]) -> None:
        """What the board with the acceptor counted, and what its test of that line has found."""
        if isinstance(message, CountsReport):
            found.append(ReelsCounted(t_ns=t_ns, tokens_in=message.first))
        elif isinstance(message, SensorsReport) and message.dark & TOKEN_BIT:
            detail = f"{line} is cut, dead, or active, as its board's test found: the board takes no token"
            self._health.line_failed(line, "sensor_stuck", detail, t_ns, found)
        elif isinstance(message, SensorsReport):
            self._health.line_active(line, t_ns, found)

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """A board is gone, or changes of a line were lost."""
        found: list[Observation] = []
        line, t_ns = loss.line, loss.t_ns
        if line not in self.lines:
            return found
        self._pass_time(t_ns - 1, found)
        if line in self._links:
            if loss.cause is Loss.UNPLUGGED:
                self._seen = {reel: seen for reel, seen in self._seen.items() if place_of(reel)[0] != line}
                detail = "the board of the reels cannot be reached; look at its cable and its supply"
                found.append(ReelsUnreachable(t_ns=t_ns, link=line, detail=detail))
            return found
        if loss.cause is Loss.UNPLUGGED:
            self._health.line_unplugged(line, t_ns, found)
        if line == self._token_line:
            self._pulses.forget()
            return found  # its board counts it, whatever is lost of it here
        self._held[line].forget()
        self._raw.pop(line, None)
        self._pressed.end(line)
        return found

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time to `t_ns`."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    # --- time ----------------------------------------------------------------------------------------------------

    def _due_ns(self) -> int:
        return min(self._pulses.due_ns, self._pressed.due_ns, *(level.due_ns for level in self._held.values()))

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        while (t_ns := self._due_ns()) <= until_ns:
            self._hold(t_ns, found)
            self._pulses.due(t_ns, self._health, found)
            for _, line in self._pressed.stuck(t_ns):
                detail = f"{line} was held for {STUCK_NS / 1e9:g} s: it is stuck, or its wire is cut"
                self._health.line_failed(line, "sensor_stuck", detail, t_ns, found)

    def _hold(self, t_ns: int, found: list[Observation]) -> None:
        """The levels that have held by then."""
        for line, level in self._held.items():
            change = level.due(t_ns)
            if change is None:
                continue
            if line in self._of_home:
                found.append(HomeHolds(t_ns=t_ns, reel=self._of_home[line], since_ns=change.since_ns))
            elif change.level:
                self._pressed.begin(line, change.since_ns)
                found.append(StopPressed(t_ns=t_ns, reel=self._of_stop[line], pressed_ns=change.since_ns))


def _inputs_of(link: str, reels: int) -> tuple[str | None, ...]:
    """The names of a board's inputs, in their order: those of its reels by their lines; None of a reel that is not."""
    names: list[str | None] = []
    for name, _ in KINDS["reel"].inputs:
        what, _, local = name.partition("_")
        reel = reel_at(link, int(local)) if local.isdecimal() else 0
        line = home_line(reel) if what == "home" else stop_line(reel)
        names.append((line if reel <= reels else None) if reel else TOKEN_LINE if name == "token" else name)
    return tuple(names)


def refused_words(command: BoardCommand, why: int) -> str:
    """Why a board refuses a reel's command."""
    if isinstance(command, ArmCommand) and why == RefusalCode.NOT_SAFE:
        return "an interlock of the board forbids it: its stop button is not proven, or the reel does not turn any more"
    return _REFUSED_WORDS.get(why, f"its board refused, code {why}")


_REFUSED_WORDS: Final[Mapping[int, str]] = {
    0: "the board's session ended before it answered",
    4: "the board cannot take a value of the command: look at steps, home_least, home_most, slip and the model's speed",
    5: "the reel turns already",
    6: "the reel had a fault, or was on for its longest time",
    7: "an interlock of the board forbids it: its home sensor is not proven, its supply fails, or its control register",
    9: "the board's host had fallen silent",
}
"""Why a board refuses a reel's command, by the code of its refusal."""
