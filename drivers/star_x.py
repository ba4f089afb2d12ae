"""An automatic roulette wheel with a `*X` status feed: it launches, watches and reads the ball by itself.

The wheel says what it does twice a second; the driver says what changed, and what does not fit:

    state    1 ────► 2 ────────► 3 ─────────► 4 ──────────────► 5 ────────► 1 (or 6, closed)
             before  launch      ball in rim  no more bets      number
                     │           │            │                 │
             AutoSpinStarted  AutoBallInRim  AutoNoMoreBets   AutoNumber
                                                           ▲
                                     the number, bare, ────┘ just before the first line in state 5

The feed has no checksum and never states the ball's revolutions. So a number is `agreed` only when the wheel said it
twice alike, in both ways, at the end of a spin that was heard from its launch, in order, without any doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from drivers.driver import Observation
from drivers.star_x_observations import (
    AutoBallDirectionWrong,
    AutoBallInRim,
    AutoBallNotDetected,
    AutoClosed,
    AutoDoubt,
    AutoLaunchFailed,
    AutoLink,
    AutoNoMoreBets,
    AutoNumber,
    AutoSpinStarted,
    AutoWheelFault,
)
from drivers.star_x_spin import SpinWatch
from drivers.star_x_wire import BareNumber, Malformed, StatusPacket, WheelFlag, WheelState, parse
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

__all__ = [
    "AutoBallDirectionWrong",
    "AutoBallInRim",
    "AutoBallNotDetected",
    "AutoClosed",
    "AutoDoubt",
    "AutoLaunchFailed",
    "AutoLink",
    "AutoNoMoreBets",
    "AutoNumber",
    "AutoSpinStarted",
    "AutoWheelFault",
    "StarXConfig",
    "StarXWheel",
]

NS_PER_S = 1_000_000_000
SHOWN_BYTES = 40
"""How much of a malformed line a doubt repeats."""


class StarXConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of an automatic wheel under `[device.wheel]`."""

    driver: Literal["star_x"] = "star_x"
    link: Annotated[
        str, Meta(min_length=1, description="name of the serial link on which the wheel sends its status")
    ] = "wheel_serial"
    pockets: Annotated[
        Literal["american", "european", "american_as_single_zero"],
        Meta(description="which numbers the wheel has: a european wheel has no 00, so a 00 of it is refused"),
    ] = "american"
    max_rotor_rpm: Annotated[
        float,
        Meta(
            ge=20, le=90, description="a faster rotor is a misreading of the wheel (95 to 98 is seen in faults; ours)"
        ),
    ] = 40.0
    status_timeout_s: Annotated[
        float,
        Meta(ge=1, le=30, description="the link is at fault when no status came for longer than this (ours)"),
    ] = 2.0
    bare_number_s: Annotated[
        float,
        Meta(ge=0.1, le=2, description="the bare number comes at most so long before the first status with it (ours)"),
    ] = 1.0

    def problems(self) -> list[tuple[str, str, str]]:
        """What is wrong between keys: (key, what, fix)."""
        if self.bare_number_s < self.status_timeout_s:
            return []
        return [
            (
                "bare_number_s",
                f"{self.bare_number_s:g} s is not shorter than the status timeout of {self.status_timeout_s:g} s",
                "make it shorter than status_timeout_s",
            )
        ]


_FLAG_OBSERVATIONS = (
    (WheelFlag.BALL_NOT_DETECTED, AutoBallNotDetected),
    (WheelFlag.BALL_DIRECTION, AutoBallDirectionWrong),
    (WheelFlag.FAULT, AutoWheelFault),
    (WheelFlag.LAUNCH_FAILED, AutoLaunchFailed),
)


class StarXWheel:
    """The driver of one automatic wheel; see `drivers.driver.Driver`."""

    def __init__(self, name: str, config: StarXConfig) -> None:
        self.name = name
        self.lines = frozenset({config.link})
        self._config = config
        self._timeout_ns = round(config.status_timeout_s * NS_PER_S)
        self._bare_ns = round(config.bare_number_s * NS_PER_S)
        self._up: bool | None = None
        """Whether the wheel is heard; None until it is known."""
        self._heard_ns: int | None = None
        """When the last status came; before the first, since when one is waited for."""
        self._last: StatusPacket | None = None
        self._watch = SpinWatch()
        self._bare: tuple[str, int] | None = None
        """A bare number that waits for its status, and when it came."""
        self._told: set[str] = set()
        """The reasons of refusals since the last good status, so that a run of noise is told once."""

    @property
    def next_due_ns(self) -> int | None:
        """When the status or the line that belongs to a bare number is overdue."""
        return min(self._deadlines(), default=None)

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """A serial wheel has no edges."""
        return []

    def reading(self, reading: Reading) -> list[Observation]:
        """A serial wheel has no readings."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Takes one line of the wheel."""
        if frame.link not in self.lines:
            return []
        t_ns = frame.t_ns
        out = self._pass_deadlines(t_ns - 1)
        if self._heard_ns is None:
            self._heard_ns = t_ns
        line = parse(frame.data)
        if isinstance(line, StatusPacket):
            self._status(line, t_ns, out)
        elif isinstance(line, BareNumber):
            self._bare_number(line.pocket, t_ns, out)
        elif isinstance(line, Malformed):
            self._refuse("malformed", f"{line.why}: {line.data[:SHOWN_BYTES]!r}", t_ns, out)
        return out

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Takes the news that the link is gone, or that frames of it were lost."""
        if loss.line not in self.lines:
            return []
        out = self._pass_deadlines(loss.t_ns - 1)
        if loss.cause is Loss.UNPLUGGED:
            self._go_down(loss.t_ns, out)
        else:
            self._doubt("frames_lost", f"{loss.cause} on {loss.line}", loss.t_ns, out)
        return out

    def due(self, t_ns: int) -> list[Observation]:
        """Lets time pass to `t_ns`."""
        if self._heard_ns is None:
            self._heard_ns = t_ns
        return self._pass_deadlines(t_ns)

    def _deadlines(self) -> list[int]:
        due_ns: list[int] = []
        if self._heard_ns is not None and self._up is not False:
            due_ns.append(self._heard_ns + self._timeout_ns)
        if self._bare is not None:
            due_ns.append(self._bare[1] + self._bare_ns)
        return due_ns

    def _pass_deadlines(self, until_ns: int) -> list[Observation]:
        out: list[Observation] = []
        while (due_ns := min(self._deadlines(), default=until_ns + 1)) <= until_ns:
            if self._bare is not None and due_ns == self._bare[1] + self._bare_ns:
                pocket, self._bare = self._bare[0], None
                self._doubt("stray_number", f"a bare {pocket}, and no status with a number after it", due_ns, out)
            else:
                self._go_down(due_ns, out)
        return out

    def _go_down(self, t_ns: int, out: list[Observation]) -> None:
        if self._up is not False:
            out.append(AutoLink(t_ns=t_ns, up=False))
        self._up = False
        self._last = None
        self._bare = None
        self._watch = SpinWatch()

    def _status(self, packet: StatusPacket, t_ns: int, out: list[Observation]) -> None:
        self._heard_ns = t_ns
        if not self._up:
            self._up = True
            out.append(AutoLink(t_ns=t_ns, up=True))
        rpm = packet.rpm_x10 / 10
        if rpm > self._config.max_rotor_rpm:
            detail = f"expected at most {self._config.max_rotor_rpm:g} rpm, saw {rpm:g}"
            self._refuse("rotor_speed", detail, t_ns, out)
            return
        if packet.pocket == "00" and self._config.pockets == "european":
            self._refuse("impossible_number", "a european wheel has no 00", t_ns, out)
            return
        self._told.clear()
        before, self._last = self._last, packet
        self._flags(before, packet, t_ns, out)
        entered = before is None or before.state is not packet.state
        for reason, detail in self._watch.take(before, packet):
            self._doubt(reason, detail, t_ns, out)
        if entered:
            self._entered(packet, rpm, t_ns, out)

    def _flags(self, before: StatusPacket | None, packet: StatusPacket, t_ns: int, out: list[Observation]) -> None:
        old = WheelFlag(0) if before is None else before.flags
        for flag, observation in _FLAG_OBSERVATIONS:
            if packet.flags & flag and not old & flag:
                out.append(observation(t_ns=t_ns, state=packet.state))
        if old & WheelFlag.FAULT and not packet.flags & WheelFlag.FAULT:
            out.append(AutoWheelFault(t_ns=t_ns, state=packet.state, active=False))

    def _entered(self, packet: StatusPacket, rpm: float, t_ns: int, out: list[Observation]) -> None:
        match packet.state:
            case WheelState.LAUNCH if self._watch.fresh:
                direction: Literal["cw", "ccw"] = "cw" if packet.clockwise else "ccw"
                number = packet.spin_number
                out.append(AutoSpinStarted(t_ns=t_ns, direction=direction, rpm=rpm, spin_number=number))
            case WheelState.BALL_IN_RIM:
                out.append(AutoBallInRim(t_ns=t_ns, rpm=rpm))
            case WheelState.NO_MORE_BETS:
                out.append(AutoNoMoreBets(t_ns=t_ns, rpm=rpm))
            case WheelState.WINNING_NUMBER:
                self._number(packet, t_ns, out)
            case WheelState.CLOSED:
                out.append(AutoClosed(t_ns=t_ns))

    def _number(self, packet: StatusPacket, t_ns: int, out: list[Observation]) -> None:
        bare, self._bare = self._bare, None
        if packet.pocket is None:
            self._doubt("no_number", "state 5 with a blank winning number", t_ns, out)
            return
        if bare is None:
            self._doubt("bare_number_missing", f"state 5 with {packet.pocket}, and no bare number before it", t_ns, out)
        elif bare[0] != packet.pocket:
            detail = f"the status says {packet.pocket}, the bare number said {bare[0]}"
            self._doubt("number_disagrees", detail, t_ns, out)
        doubts = self._watch.doubts
        rpm_min, rpm_max = self._watch.rpm_range
        out.append(
            AutoNumber(
                t_ns=t_ns,
                pocket=packet.pocket,
                spin_number=packet.spin_number,
                agreed=not doubts,
                doubts=doubts,
                rpm_min=rpm_min,
                rpm_max=rpm_max,
            )
        )

    def _bare_number(self, pocket: str, t_ns: int, out: list[Observation]) -> None:
        state = None if self._last is None else self._last.state
        if state is WheelState.WINNING_NUMBER and self._last is not None and pocket == self._last.pocket:
            return
        if state not in (WheelState.NO_MORE_BETS, WheelState.BALL_NOT_IN_TRACK):
            where = "before any status" if state is None else f"in state {state:d}"
            self._refuse("stray_number", f"a bare {pocket} {where}", t_ns, out)
            return
        if self._bare is not None and self._bare[0] != pocket:
            detail = f"a bare {self._bare[0]}, and then a bare {pocket}"
            self._doubt("number_disagrees", detail, t_ns, out)
        self._bare = (pocket, t_ns)

    def _refuse(self, reason: str, detail: str, t_ns: int, out: list[Observation]) -> None:
        """Doubts a line that is not taken; a run of such lines is told once, until a good status comes."""
        self._watch.doubt(reason)
        if reason not in self._told:
            self._told.add(reason)
            out.append(AutoDoubt(t_ns=t_ns, reason=reason, detail=detail))

    def _doubt(self, reason: str, detail: str, t_ns: int, out: list[Observation]) -> None:
        self._watch.doubt(reason)
        out.append(AutoDoubt(t_ns=t_ns, reason=reason, detail=detail))
