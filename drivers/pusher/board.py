"""A token pusher on its own board: the board counts, drives and pays by itself, and reports what came of it.

    board up ──Frame("pusher", identity)──► BoardUp
    board ──Frame("pusher", report)──► BoardCounted, BoardHopper, BoardMotor, SensorsFound, BoardRefused
    cable out, session over ─────────► BoardAway
    a sensor that counts is active for `STUCK_NS` ──► dead, until it changes

Its counters survive power cuts (docs/wire.md, `counts`): what happened while the service was off is in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.base.held_lines import HeldLines
from drivers.base.sensor_tests import SensorsFound, SensorTestAnswered, names_of
from drivers.base.token_pulses import TokenPulses
from hal.board.carried import RefusedCommand, report_in
from hal.board.message import BoardCommand, MessageError
from hal.board.messages import (
    KINDS,
    CountsReport,
    HopperReport,
    IdentityAnswer,
    MotorReport,
    SensorsReport,
    TestCommand,
)
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

SHAFT: Final = "shelf_shaft"
PLACES: Final[dict[str, str]] = {
    "token_in": "token",
    "win_a": "win_a",
    "win_b": "win_b",
    SHAFT: "shaft",
    "tilt": "tilt",
    "hopper_coin": "hopper_coin",
}
"""The sensors that the board works with by itself, by the names of their lines: where it has them."""
TOKEN_IN: Final = "token_in"
BEAMS: Final = ("win_a", "win_b")
HOPPER_COIN: Final = "hopper_coin"
"""The sensors in which a token is for a moment: the board counts nothing at one that stays active."""
INPUTS: Final = tuple(name for name, _ in KINDS["pusher"].inputs)
"""The names of its inputs, in their order."""
AT_REST: Final = tuple(name if name in ("token", "win_a", "win_b") else None for name in INPUTS)
"""Those that are not active at a test, which waits until no token is in them. A slot of the shaft may be in its sensor,
and a shaft that is cut is a stall; a tilt, an open door and a token in the hopper's exit are reported as such."""
STUCK_NS: Final = 3_000_000_000
"""A sensor that is active for this long is stuck (ours), as a beam of the chute is for its board."""


class PusherBoardConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of a pusher's board under `[device.board]`."""

    driver: Literal["pusher_board"] = "pusher_board"
    link: Annotated[str, Meta(min_length=1, description="name of the board's messages")] = "pusher"
    hopper: Annotated[bool, Meta(description="whether a hopper hangs on the board")] = True
    token_ms: Annotated[
        int, Meta(ge=40, le=1000, description="from one token of the hopper to the next; empty and jammed follow")
    ] = 143
    turns_back: Annotated[bool, Meta(description="whether the hopper is turned back to free a jam")] = False
    pulse_ms: Annotated[
        int,
        Meta(ge=0, le=500, description="width of the acceptor's pulse, within 20 %; 0: 20 to 250 ms"),
    ] = 0
    speed: Annotated[int, Meta(ge=1, le=127, description="of the shelf's motor, of 127")] = 127

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        if 0 < self.pulse_ms < 25:
            return [("pulse_ms", "a pulse under 25 ms is not told from noise", "give 25 to 500, or 0")]
        return []


class PusherBoardUp(Observation, frozen=True, kw_only=True):
    """A session with the board begins: all its outputs are safe."""

    serial: int
    """The number that a technician gave it; 0 for none."""


class BoardCounted(Observation, frozen=True, kw_only=True):
    """The counters that survive power cuts; each modulo 2^32."""

    tokens_in: int
    paid_out: int
    won: int
    tilts: int


class BoardHopper(Observation, frozen=True, kw_only=True):
    """The state of the last payout."""

    report: HopperReport


class BoardMotor(Observation, frozen=True, kw_only=True):
    """The state of the shelf's motor."""

    speed: int
    why: int
    """Why it is stopped: 0 commanded, 1 longest time, 2 home, 3 stall, 4 dead-man, 5 interlock (docs/wire.md)."""


class BoardRefused(Observation, frozen=True, kw_only=True):
    """The board refused a command, or did not answer it."""

    why: int
    command: BoardCommand


class BoardGarbled(Observation, frozen=True, kw_only=True):
    """A message that this version does not know."""

    detail: str


class BoardAway(Observation, frozen=True, kw_only=True):
    """The board cannot be reached."""


class PusherBoard:
    """The driver of one board (see `drivers.base.driver.Driver`)."""

    def __init__(self, config: PusherBoardConfig, name: str = "board") -> None:
        self.name = name
        self.lines = frozenset({config.link, *PLACES})
        self._link = config.link
        self._passed = frozenset((*BEAMS, HOPPER_COIN) if config.hopper else BEAMS)
        self._active = HeldLines(STUCK_NS)
        """Of those that a token passes, the ones that are active."""
        self._pulses = TokenPulses(TOKEN_IN, config.pulse_ms, STUCK_NS)
        self._health = SensorHealth()

    @property
    def next_due_ns(self) -> int | None:
        """When a sensor is stuck, or a pulse is over."""
        due_ns = min(self._active.due_ns, self._pulses.due_ns)
        return due_ns if due_ns < NEVER_NS else None

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """The board counts by itself what its sensors see; here they are watched for what it does not count."""
        found: list[Observation] = []
        for line, level, t_ns in batch:
            if line != TOKEN_IN and line not in self._passed:
                continue
            self._pass_time(t_ns - 1, found)
            self._health.line_active(line, t_ns, found)
            if line == TOKEN_IN:
                self._pulses.edge(level, t_ns)
            elif level:
                self._active.begin(line, t_ns)
            else:
                self._active.end(line)
        return found

    def _pass_time(self, until_ns: int, found: list[Observation]) -> None:
        self._pulses.due(until_ns, self._health, found)
        for t_ns, line in self._active.stuck(until_ns):
            detail = f"{line} is active for {STUCK_NS / 1e9:g} s: a token is in it, or its wire is cut"
            self._health.line_failed(line, "sensor_stuck", f"{detail}; the board counts nothing there", t_ns, found)

    def reading(self, reading: Reading) -> list[Observation]:
        return []

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time to `t_ns`."""
        found: list[Observation] = []
        self._pass_time(t_ns, found)
        return found

    def frame(self, frame: Frame) -> list[Observation]:
        """Takes a report of the board."""
        found: list[Observation] = []
        if frame.link != self._link:
            return found
        t_ns = frame.t_ns
        self._pass_time(t_ns - 1, found)
        self._health.line_active(self._link, t_ns, found)
        try:
            report = report_in(frame.data)
        except MessageError as error:
            found.append(BoardGarbled(t_ns=t_ns, detail=str(error)))
            return found
        if isinstance(report, IdentityAnswer):
            found.append(PusherBoardUp(t_ns=t_ns, serial=report.serial))
        elif isinstance(report, CountsReport):
            found.append(
                BoardCounted(
                    t_ns=t_ns,
                    tokens_in=report.first,
                    paid_out=report.second,
                    won=report.third,
                    tilts=report.fourth,
                )
            )
        elif isinstance(report, HopperReport):
            found.append(BoardHopper(t_ns=t_ns, report=report))
        elif isinstance(report, MotorReport):
            found.append(BoardMotor(t_ns=t_ns, speed=report.speed, why=report.why))
        elif isinstance(report, SensorsReport):
            shorted, dark = names_of(report.shorted, INPUTS), names_of(report.dark, AT_REST)
            found.append(SensorsFound(t_ns=t_ns, link=self._link, shorted=shorted, dark=dark))
        elif isinstance(report, TestCommand):
            found.append(SensorTestAnswered(t_ns=t_ns, link=self._link))
        elif isinstance(report, RefusedCommand):
            found.append(BoardRefused(t_ns=t_ns, why=report.why, command=report.command))
        return found

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """The board is not reached any more, or changes of a sensor were lost: its next one shows its level."""
        found: list[Observation] = []
        self._pass_time(loss.t_ns - 1, found)
        self._active.end(loss.line)
        if loss.line == TOKEN_IN:
            self._pulses.forget()
        if loss.line == self._link and loss.cause is Loss.UNPLUGGED:
            self._health.line_unplugged(self._link, loss.t_ns, found)
            found.append(BoardAway(t_ns=loss.t_ns))
        return found
