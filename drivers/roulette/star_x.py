"""An automatic roulette wheel with a `*X` status feed: it launches, follows and reads the ball by itself.

The wheel sends its status twice a second; the driver reports what changed and what is inconsistent:

    state    1 ────► 2 ─────────────────► 3 ─────────► 4 ──────────────► 5 ────────► 1 (or 6, closed)
             before  game open; at its    ball in rim  no more bets      number
                     end rotor and ball   │            │                 │
                     are launched  AutoSpinStarted  AutoNoMoreBets   AutoNumber
                                                                     ▲
                                              the number, bare, ─────┘ just before the first line in state 5

State 2 lasts from seconds to ten minutes. At the launch inside it the rotor stops and turns the other way, and after a
failed launch again: direction and speed of a spin are those from state 3 on, and so are its doubts.

One wrong byte makes a 2 a 3, so a spin is reported with its second status. It is reported with the first where that
shows, in another field, that the ball was launched: the rotor did not turn in the status before, and now turns.

The feed has no checksum and never states the ball's revolutions. A number is `agreed` only when the bare number and
the status are equal, at the end of a spin that was received from state 2 on, in order, without any doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Generic, Literal, TypeVar

import msgspec
from msgspec import Meta

from drivers.base.driver import Observation
from drivers.roulette.star_x_wire import (
    SPIN_NUMBERS,
    BareNumber,
    MalformedLine,
    StatusPacket,
    WheelFlag,
    WheelState,
    parse,
)
from drivers.roulette.view import StarXView
from drivers.wheel.condition import MeasuredSpins, WheelMeasured
from hal.clock import NS_PER_S
from hal.values import Edge, EdgesLost, Frame, Loss, Reading

# --- observations ---


class AutoSpinStarted(Observation, frozen=True, kw_only=True):
    """The ball runs in the rim (state 3), or a later state came without state 3.

    Where only state 5 was received, it came twice, and the number follows.
    """

    direction: Literal["cw", "ccw"]
    """Of the rotor."""
    rpm: float | None
    """Of the rotor; None where the wheel gives a speed that no rotor has."""
    spin_number: int
    flags: WheelFlag = WheelFlag(0)
    in_order: bool = True
    """Whether state 3 was received after state 2."""
    resumed: bool = False
    """Whether it is a spin that was reported before: its number, or a silence, had seemed to end it."""


class AutoSpinDenied(Observation, frozen=True, kw_only=True):
    """One status alone was of a spin, and those after it deny it: no ball was in the rim."""

    state: WheelState
    """In which the wheel is now."""


class AutoNoMoreBets(Observation, frozen=True, kw_only=True):
    """The wheel closed the betting (state 4)."""

    rpm: float | None
    """Of the rotor; None where the wheel gives a speed that no rotor has."""


class AutoBallDirectionWrong(Observation, frozen=True, kw_only=True):
    """The ball goes the same way as the rotor (flag 2)."""

    state: WheelState
    """In `LAUNCH` the wheel catches the ball and launches again."""


class AutoBallNotDetected(Observation, frozen=True, kw_only=True):
    """The wheel does not see the ball (flag 1)."""

    state: WheelState


class AutoWheelFault(Observation, frozen=True, kw_only=True):
    """A sensor is stuck, or the motor or encoder has failed (flag 4)."""

    state: WheelState
    active: bool = True
    """False: the wheel no longer reports it."""


class AutoLaunchFailed(Observation, frozen=True, kw_only=True):
    """The launch failed and the wheel tries again (flag 8)."""

    state: WheelState


class AutoNumber(Observation, frozen=True, kw_only=True):
    """The wheel states a winning number (state 5)."""

    pocket: str
    spin_number: int
    agreed: bool
    """Whether there are no doubts."""
    doubts: tuple[str, ...] = ()
    """Reasons of `AutoDoubt`, and `ball_direction`, `ball_not_detected`, `wheel_fault`, `launch_failed`
    where the wheel raised that flag from state 3 on."""
    rpm_min: float = 0.0
    rpm_max: float = 0.0
    """The range of the rotor's speed from the ball in the rim to the number."""


class AutoNoNumber(Observation, frozen=True, kw_only=True):
    """The spin is over, and the wheel has given no number."""

    state: WheelState
    """In which the wheel is now; in `WINNING_NUMBER` the number is blank, or none of this wheel."""
    doubts: tuple[str, ...] = ()
    """As those of `AutoNumber`."""


class AutoDoubt(Observation, frozen=True, kw_only=True):
    """The wheel sent something inconsistent.

    Reasons: `joined_mid_spin`, `state_order`, `spin_number`, `rotor_direction`, `rotor_speed`, `number_disagrees`,
    `number_changed`, `no_number`, `impossible_number`, `bare_number_missing`, `stray_number`, `malformed`,
    `frames_lost`.
    """

    reason: str
    detail: str


class AutoLink(Observation, frozen=True, kw_only=True):
    """The link came up or went down. A spin that was running when it went down is not resumed."""

    up: bool
    fault: bool = False
    """Whether the status with which it came up has flag 4."""
    spinning: bool = False
    """Whether that status is of a running ball; `AutoSpinStarted` or `AutoSpinDenied` follows."""


# --- the consistency of a spin, from the ball in the rim to its number ---

_S = WheelState

VALID_TRANSITIONS = frozenset(
    [
        (_S.BEFORE_GAME, _S.LAUNCH),
        (_S.LAUNCH, _S.BEFORE_GAME),
        (_S.LAUNCH, _S.BALL_IN_RIM),
        (_S.BALL_IN_RIM, _S.NO_MORE_BETS),
        (_S.NO_MORE_BETS, _S.WINNING_NUMBER),
        (_S.NO_MORE_BETS, _S.BALL_NOT_IN_TRACK),
        (_S.BALL_NOT_IN_TRACK, _S.WINNING_NUMBER),
        (_S.WINNING_NUMBER, _S.BEFORE_GAME),
        # State 1 may be shorter than the half second between two lines.
        (_S.WINNING_NUMBER, _S.LAUNCH),
        (_S.CLOSED, _S.BEFORE_GAME),
        (_S.CLOSED, _S.LAUNCH),
        *((state, _S.CLOSED) for state in WheelState),
    ]
)
"""The state transitions of a sound wheel. A misfire stays in `LAUNCH`; a fault or an idle table closes."""

SPIN_STATES = frozenset([_S.BALL_IN_RIM, _S.NO_MORE_BETS, _S.BALL_NOT_IN_TRACK, _S.WINNING_NUMBER])
"""The states of a spin. In `LAUNCH` the game is open, and nothing that comes is of the spin."""

OVER_AFTER = 2
"""A spin is over after this many statuses in a row outside its states: one alone may be a wrong byte (ours)."""

_ENDED = (_S.WINNING_NUMBER, _S.CLOSED)

_FLAG_REASONS = (
    (WheelFlag.BALL_NOT_DETECTED, "ball_not_detected"),
    (WheelFlag.BALL_DIRECTION, "ball_direction"),
    (WheelFlag.FAULT, "wheel_fault"),
    (WheelFlag.LAUNCH_FAILED, "launch_failed"),
)


RUNNING_STATES = frozenset([_S.BALL_IN_RIM, _S.NO_MORE_BETS, _S.BALL_NOT_IN_TRACK])
"""The states in which the ball runs, or has not been read yet."""

BARE_NUMBER_STATES = frozenset([_S.NO_MORE_BETS, _S.BALL_NOT_IN_TRACK])
"""A bare number comes in these states."""

STANDS_RPM_X10 = 20
TURNS_RPM_X10 = 100
"""A rotor at less than 2 rpm before the launch, and at 10 rpm at least after it, was launched between the two statuses:
a real one is at 0 and then at 15.9 to 18 (ours)."""

_T = TypeVar("_T")


class LastSent(Generic[_T]):
    """The value of a field in the last status, and the one before it as long as only one status had the last one."""

    def __init__(self, value: _T) -> None:
        self.value = value
        self._before = value

    def take(self, value: _T) -> None:
        """Takes the value of the next status."""
        self._before, self.value = self.value, value

    def set(self, value: _T) -> None:
        """Takes a value that is beyond doubt."""
        self._before = self.value = value

    @property
    def possible(self) -> frozenset[_T]:
        """The last value, and the one before it as long as the last one may be a wrong byte."""
        return frozenset([self.value, self._before])

    def reverts(self, value: _T) -> bool:
        """Whether this value shows that the last one was in one status alone, which may be a wrong byte."""
        return value == self._before != self.value


class SpinWatch:
    """Follows one spin after another and collects the doubts about the running one.

    A spin runs from the first status in state 3 to its number. A single status of another state, which a wrong byte
    can make, neither ends it nor clears its doubts; nor does a single status of a spin begin one.

    A spin of which only the end is received, because the statuses before it are lost, begins with what is received: it
    is another spin than the last one where two statuses in a row have another spin number, or, with the number shown
    already, another winning number. It is never in order, so it is never without a doubt.
    """

    def __init__(self, interrupted: int | None = None) -> None:
        """`interrupted` is the number of the spin that a silence interrupted, if one did."""
        self.started = False
        """Whether with the last packet it is known that a spin began."""
        self.first: StatusPacket | None = None
        """The packet with which it began."""
        self.in_order = False
        """Whether the spin began with state 3, after state 2."""
        self.resumed = False
        """Whether it is a spin that began before: none of another state came since it seemed to end, nor did another
        spin number."""
        self.over = False
        """Whether the last packet ended a spin that had no number."""
        self.denied = False
        """Whether the last packet denied the one packet that was of a spin."""
        self._interrupted = interrupted
        self._running = False
        self._confirmed = False
        """Whether the running spin is known to have begun."""
        self._packets = 0
        """How many packets of the running spin came."""
        self._flagged = False
        """Whether one of them had a flag."""
        self._outside = 0
        """Statuses in a row outside the states of a spin, while one runs."""
        self._joined = False
        """Whether the running spin was first received in its middle."""
        self._between = True
        """Whether a status outside the states of a spin came since the last spin ended."""
        self._ended: frozenset[int | None] = frozenset()
        """The spin number of the last spin that ended with state 5, as far as its last statuses leave no other."""
        self._alone: StatusPacket | None = None
        """The last status, where it was the first in state 5, and none of a spin came before it."""
        self._shown_before: str | None = None
        """The winning number that the wheel showed before that status."""
        self._doubts: list[str] = []
        self._clockwise = True
        self._number: LastSent[int | None] = LastSent(None)
        """The spin number of the last packet."""
        self._stepped = False
        """Whether the spin number has gone up since the last spin ended: it does so once a spin; public sources do not
        give the state."""
        self._shown: LastSent[str | None] = LastSent(None)
        """The winning number that the wheel has sent since the last spin."""
        self._announced: LastSent[str | None] = LastSent(None)
        """The winning number that the wheel sends in the running spin from no more bets on: still the last one, or
        already that of this spin."""
        self._rpm: list[float] = []

    @property
    def doubts(self) -> tuple[str, ...]:
        """The doubts about the running spin, or the last one, in the order in which they arose."""
        return tuple(self._doubts)

    @property
    def rpm_range(self) -> tuple[float, float]:
        """Least and greatest rotor speed of the spin; zeros where none was received."""
        return (min(self._rpm), max(self._rpm)) if self._rpm else (0.0, 0.0)

    @property
    def awaits_confirmation(self) -> bool:
        """Whether one packet alone was of a spin so far, which does not show by itself that it began."""
        return self._running and not self._confirmed

    @property
    def running(self) -> StatusPacket | None:
        """The packet with which the running spin began; None where none runs."""
        return self.first if self._running else None

    def doubt(self, reason: str) -> None:
        """Adds a doubt about the running spin, if one runs."""
        if self._running and reason not in self._doubts:
            self._doubts.append(reason)

    def end(self) -> None:
        """The spin has its number, or state 5 without one."""
        self._running = False
        if self._packets > 1 or self._joined:
            self._between = False
            self._ended = self._number.possible

    def handle(self, before: StatusPacket | None, packet: StatusPacket, rpm: float | None) -> list[tuple[str, str]]:
        """Handles the next packet, with its speed where it is one; returns its inconsistencies: (reason, detail).

        The caller adds each of them as a doubt.
        """
        found: list[tuple[str, str]] = []
        self._follow_state(before, packet, rpm, found)
        self._check_spin_number(before, packet, found)
        self._check_shown(before, packet, found)
        if packet.state is _S.WINNING_NUMBER and not self._running:
            self._ended = self._number.possible
        if self._running and packet.state in SPIN_STATES:
            self._check_direction(packet, found)
            if rpm is not None:
                self._rpm.append(rpm)
            self._flagged = self._flagged or bool(packet.flags)
            for flag, reason in _FLAG_REASONS:
                if packet.flags & flag:
                    self.doubt(reason)
        return found

    def _follow_state(
        self, before: StatusPacket | None, packet: StatusPacket, rpm: float | None, found: list[tuple[str, str]]
    ) -> None:
        state = packet.state
        changed = before is None or before.state is not state
        self.started = self.over = self.denied = False
        alone, self._alone = self._alone, None
        if alone is not None and not changed and self._is_another(alone, packet):
            self._begin_at_its_end(alone)
        elif state in SPIN_STATES:
            self._outside = 0
            if self.awaits_confirmation:
                self._confirm(packet)
            if not self._running and changed:
                self._begin(before, packet, rpm)
            self._packets += 1
            if self._packets == 1 and state is _S.WINNING_NUMBER and self._between and not self._joined:
                self._alone, self._shown_before = packet, self._shown.value
        elif self._running:
            self._leave(state)
        if before is None:
            if state in SPIN_STATES:
                found.append(("joined_mid_spin", f"first status in state {state:d}"))
        elif changed and (before.state, state) not in VALID_TRANSITIONS:
            found.append(("state_order", f"state {state:d} after {before.state:d}"))
        elif changed and state is _S.WINNING_NUMBER and self._packets == 1:
            found.append(("state_order", f"state {state:d} without a spin before it"))
        if state not in SPIN_STATES:
            self._between = True
            self._interrupted = None

    def _begin(self, before: StatusPacket | None, packet: StatusPacket, rpm: float | None) -> None:
        self._running = True
        self.first = packet
        self.in_order = before is not None and before.state is _S.LAUNCH and packet.state is _S.BALL_IN_RIM
        self.resumed = not self._between
        self._joined = before is None
        self._packets = 0
        self._flagged = False
        self._doubts = []
        self._announced = LastSent(None)
        self._rpm = []
        self._clockwise = packet.clockwise
        launched = before is not None and before.rpm_x10 < STANDS_RPM_X10 and packet.rpm_x10 >= TURNS_RPM_X10
        self.started = self.in_order and launched and rpm is not None
        # A number without a spin before it is none.
        self._confirmed = self.started or packet.state is _S.WINNING_NUMBER

    def _is_another(self, alone: StatusPacket, packet: StatusPacket) -> bool:
        """Whether two packets in state 5, after none of a spin, are of a spin whose other statuses are lost.

        They are not where both numbers may be those of the last spin: one wrong byte in the middle of its state 5 makes
        that. Where no spin ended before, its spin number is not known.
        """
        stepped = bool(self._ended) and self._ended.isdisjoint([alone.spin_number, packet.spin_number])
        return stepped or self._shown_before not in (alone.pocket, packet.pocket)

    def _begin_at_its_end(self, alone: StatusPacket) -> None:
        """The spin of which only state 5 is received. Its doubts are those of the first such status."""
        self._running = self._confirmed = self.started = True
        self.first = alone
        self.in_order = self.resumed = False
        self._packets += 1

    def _confirm(self, packet: StatusPacket) -> None:
        """A second packet of a spin: it has begun. The number that was shown already, shown again, denies it."""
        if self.first is not None and self._ended.isdisjoint([self.first.spin_number, packet.spin_number]):
            self.resumed = False
        if packet.state is _S.WINNING_NUMBER and self.resumed:
            self._running = False
            self.denied = True
            return
        self._confirmed = self.started = True
        numbers = {packet.spin_number} if self.first is None else {packet.spin_number, self.first.spin_number}
        if self._interrupted in numbers:
            self.resumed = True

    def _leave(self, state: WheelState) -> None:
        """A packet outside the states of a spin, while one runs."""
        self._outside += 1
        if not self._confirmed and not self._flagged:
            # With a flag it is kept for one packet more: a wrong byte does not clear the flag of a spin.
            self._running = False
            self.denied = True
        elif self._outside >= OVER_AFTER:
            self._running = False
            self.denied = not self._confirmed or (self._packets == 1 and not self._flagged and state is _S.LAUNCH)
            self.over = not self.denied
        if not self._running:
            self._outside = 0

    def _check_spin_number(
        self, before: StatusPacket | None, packet: StatusPacket, found: list[tuple[str, str]]
    ) -> None:
        ended = before is not None and before.state is not packet.state and before.state in _ENDED
        no_launch = before is not None and before.state is _S.LAUNCH and packet.state is _S.BEFORE_GAME
        if ended or no_launch or self.over or packet.state is _S.CLOSED:
            self._stepped = False
        old, new = self._number.value, packet.spin_number
        reverts = self._number.reverts(new)
        self._number.take(new)
        if old is None or old == new:
            return
        if reverts and self._at_first(packet):
            self._number.set(new)
            self._stepped = False
            return
        # After 999 the wheel may continue with 000 or 001.
        next_ones = {(old + 1) % SPIN_NUMBERS, 1 if old == SPIN_NUMBERS - 1 else old + 1}
        if self._stepped or new not in next_ones:
            found.append(("spin_number", f"spin {new:03d} after {old:03d} in state {packet.state:d}"))
        self._stepped = True

    def _at_first(self, packet: StatusPacket) -> bool:
        """Whether this packet is the first of a spin, or of none: what came before it is of no spin."""
        return packet.state not in SPIN_STATES or (self._running and self._packets == 1)

    def _check_direction(self, packet: StatusPacket, found: list[tuple[str, str]]) -> None:
        if packet.clockwise != self._clockwise:
            found.append(("rotor_direction", f"the rotor changed its direction in state {packet.state:d}"))
            self._clockwise = packet.clockwise

    def _check_shown(self, before: StatusPacket | None, packet: StatusPacket, found: list[tuple[str, str]]) -> None:
        if packet.state is _S.WINNING_NUMBER and (before is None or before.state is not packet.state):
            was = self._shown.value
            self._shown.set(packet.pocket)
            if self.resumed and self._interrupted is None and packet.pocket != was:
                found.append(("number_changed", _changed(packet, was)))
            elif self._announced.possible.isdisjoint([None, was, packet.pocket]):
                found.append(("number_changed", _changed(packet, self._announced.value)))
        elif packet.state in (_S.NO_MORE_BETS, _S.BALL_NOT_IN_TRACK):
            self._announced.take(packet.pocket)
        else:
            was, reverts = self._shown.value, self._shown.reverts(packet.pocket)
            self._shown.take(packet.pocket)
            if packet.pocket == was or (was is None and packet.state is not _S.WINNING_NUMBER):
                return
            if reverts and packet.state is _S.BALL_IN_RIM and self._at_first(packet):
                return
            found.append(("number_changed", _changed(packet, was)))


def _changed(packet: StatusPacket, was: str | None) -> str:
    """That the wheel shows another number, in words."""
    return f"the wheel shows {packet.pocket or 'no number'} in state {packet.state:d}, after {was or 'no number'}"


# --- configuration and driver ---

SHOWN_BYTES = 40
"""Bytes of a malformed line that a doubt quotes."""


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
        Meta(ge=1, le=30, description="the link is at fault when no status arrived for longer than this (ours)"),
    ] = 2.0
    bare_number_s: Annotated[
        float,
        Meta(
            ge=0.1,
            le=2,
            description="the bare number comes at most this long before the first status that has it (ours)",
        ),
    ] = 1.0

    def problems(self) -> list[tuple[str, str, str]]:
        """Conflicts between keys: (key, problem, fix)."""
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
    """The driver of one automatic wheel; see `drivers.base.driver.Driver`."""

    def __init__(self, config: StarXConfig, name: str) -> None:
        self.name = name
        self.lines = frozenset({config.link})
        self._config = config
        self._timeout_ns = round(config.status_timeout_s * NS_PER_S)
        self._bare_ns = round(config.bare_number_s * NS_PER_S)
        self._up: bool | None = None
        """Whether the link is up; None until it is known."""
        self._status_ns: int | None = None
        """The time of the last status; before the first, since when one is expected."""
        self._last: StatusPacket | None = None
        self._watch = SpinWatch()
        self._interrupted: int | None = None
        """The number of the spin during which the link went down; None once another status than of a spin came."""
        self._called = False
        """Whether no more bets was reported of the running spin."""
        self._spins = MeasuredSpins()
        self._measured: dict[str, float] | None = None
        """The wear values of the running spin; None where it is not measured, or did not begin in order."""
        self._started_ns = 0
        self._flags_up = WheelFlag(0)
        """The flags of the last status, as far as they were reported."""
        self._fault = False
        """Whether the last status had flag 4, as far as it was reported; kept while the link is down, so that the next
        one settles it."""
        self._bare: tuple[str, int] | None = None
        """A bare number that waits for its status, and its time."""
        self._reported: set[str] = set()
        """The reasons of refusals since the last good status: each is reported once."""

    def view(self, t_ns: int) -> StarXView:
        """The wheel as its last status has it."""
        last = self._last
        state = "no status yet" if last is None else last.state.name.lower().replace("_", " ")
        flags = "" if last is None else ", ".join(flag.name or "" for flag in last.flags)
        age = "-" if self._status_ns is None else f"{(t_ns - self._status_ns) / NS_PER_S:.1f} s ago"
        facts = (
            ("state", state),
            ("spin", "-" if last is None else str(last.spin_number)),
            ("rotor", "-" if last is None else f"{last.rpm_x10 / 10:.1f} rpm"),
            ("last number", "-" if last is None or last.pocket is None else last.pocket),
            ("flags", flags.lower() or "none"),
            ("status", age),
        )
        return StarXView(
            facts=facts,
            doubts=() if self._up is not False else ("no status: the link is down",),
            state=state,
            pocket=None if last is None else last.pocket,
            rpm=0.0 if last is None else last.rpm_x10 / 10,
            clockwise=last is None or last.clockwise,
            linked=self._up is not False,
        )

    @property
    def next_due_ns(self) -> int | None:
        """When a status, or the status that follows a bare number, is overdue."""
        return min(self._deadlines(), default=None)

    def edges(self, batch: Sequence[Edge]) -> list[Observation]:
        """An automatic wheel has no edges."""
        return []

    def reading(self, reading: Reading) -> list[Observation]:
        """An automatic wheel has no readings."""
        return []

    def frame(self, frame: Frame) -> list[Observation]:
        """Handles one line of the wheel."""
        if frame.link not in self.lines:
            return []
        t_ns = frame.t_ns
        out = self._pass_deadlines(t_ns - 1)
        if self._status_ns is None:
            self._status_ns = t_ns
        line = parse(frame.data)
        if isinstance(line, StatusPacket):
            self._status(line, t_ns, out)
        elif isinstance(line, BareNumber):
            self._bare_number(line.pocket, t_ns, out)
        elif isinstance(line, MalformedLine):
            self._refuse("malformed", f"{line.why}: {line.data[:SHOWN_BYTES]!r}", t_ns, out)
        return out

    def lost(self, loss: EdgesLost) -> list[Observation]:
        """Handles a link that is gone, or lost frames."""
        if loss.line not in self.lines:
            return []
        out = self._pass_deadlines(loss.t_ns - 1)
        if loss.cause is Loss.UNPLUGGED:
            self._go_down(loss.t_ns, out)
        else:
            self._doubt("frames_lost", f"{loss.cause} on {loss.line}", loss.t_ns, out)
        return out

    def due(self, t_ns: int) -> list[Observation]:
        """Advances time to `t_ns`."""
        if self._status_ns is None:
            self._status_ns = t_ns
        return self._pass_deadlines(t_ns)

    def _deadlines(self) -> list[int]:
        due_ns: list[int] = []
        if self._status_ns is not None and self._up is not False:
            due_ns.append(self._status_ns + self._timeout_ns)
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
        self._flags_up = WheelFlag(0)
        running = self._watch.running
        if running is not None:
            self._interrupted = running.spin_number
        self._watch = SpinWatch(self._interrupted)

    def measure_wear(self, to_learn: int | None) -> None:
        """How many spins are measured from now on."""
        self._spins.to_learn = to_learn

    def _status(self, packet: StatusPacket, t_ns: int, out: list[Observation]) -> None:
        self._status_ns = t_ns
        self._come_up(packet, t_ns, out)
        before, self._last = self._last, packet
        rpm = self._credible_rpm(packet)
        self._drop_stray_number(packet, t_ns, out)
        for reason, detail in self._watch.handle(before, packet, rpm):
            self._doubt(reason, detail, t_ns, out)
        self._check_line(packet, rpm, t_ns, out)
        if packet.state not in SPIN_STATES:
            self._interrupted = None
        self._report_spin(before, packet, rpm, t_ns, out)

    def _come_up(self, packet: StatusPacket, t_ns: int, out: list[Observation]) -> None:
        """A status came: the link is up."""
        if self._up:
            return
        self._up = True
        fault, spinning = bool(packet.flags & WheelFlag.FAULT), packet.state in RUNNING_STATES
        # That it is gone is reported also where this status alone had it, and was of no spin.
        self._fault = self._fault or fault
        out.append(AutoLink(t_ns=t_ns, up=True, fault=fault, spinning=spinning))

    def _credible_rpm(self, packet: StatusPacket) -> float | None:
        """The speed of the rotor; None where no rotor is that fast."""
        claimed = packet.rpm_x10 / 10
        return claimed if claimed <= self._config.max_rotor_rpm else None

    def _drop_stray_number(self, packet: StatusPacket, t_ns: int, out: list[Observation]) -> None:
        """A bare number whose status does not follow belongs to what was before, and to no later spin."""
        follows = packet.state in BARE_NUMBER_STATES or packet.state is WheelState.WINNING_NUMBER
        if self._bare is not None and not follows:
            pocket, self._bare = self._bare[0], None
            self._doubt("stray_number", f"a bare {pocket}, and then state {packet.state:d}", t_ns, out)

    def _check_line(self, packet: StatusPacket, rpm: float | None, t_ns: int, out: list[Observation]) -> None:
        """Refuses what cannot be true of a line; its state and its flags count nevertheless."""
        impossible = self._impossible(packet.pocket)
        if rpm is None:
            detail = f"expected at most {self._config.max_rotor_rpm:g} rpm, saw {packet.rpm_x10 / 10:g}"
            self._refuse("rotor_speed", detail, t_ns, out)
        if impossible:
            self._refuse("impossible_number", "a european wheel has no 00", t_ns, out)
        if rpm is not None and not impossible:
            self._reported.clear()

    def _report_spin(
        self, before: StatusPacket | None, packet: StatusPacket, rpm: float | None, t_ns: int, out: list[Observation]
    ) -> None:
        """Reports what the watch has made of a status: a spin that begins, its call, its flags, its end."""
        watch = self._watch
        first = watch.first if watch.started else None
        if watch.denied:
            out.append(AutoSpinDenied(t_ns=t_ns, state=packet.state))
        if first is not None:
            self._spin_started(first, packet, t_ns, out)
        self._no_more_bets(packet, rpm, t_ns, out)
        if not watch.awaits_confirmation:
            self._flags(packet, first, t_ns, out)
        first_with_number = before is None or before.state is not packet.state or watch.started
        if packet.state is WheelState.WINNING_NUMBER and first_with_number:
            self._number(packet, t_ns, out)
            watch.end()
        if watch.over:
            out.append(AutoNoNumber(t_ns=t_ns, state=packet.state, doubts=watch.doubts))

    def _spin_started(self, first: StatusPacket, packet: StatusPacket, t_ns: int, out: list[Observation]) -> None:
        """Reports the spin as its first status states it, with the flags of the one that confirms it."""
        self._called = False
        self._started_ns = t_ns
        self._measured = {} if self._spins.begin() and self._watch.in_order else None
        out.append(
            AutoSpinStarted(
                t_ns=t_ns,
                direction="cw" if first.clockwise else "ccw",
                rpm=self._credible_rpm(first),
                spin_number=first.spin_number,
                flags=first.flags | packet.flags,
                in_order=self._watch.in_order,
                resumed=self._watch.resumed,
            )
        )

    def _no_more_bets(self, packet: StatusPacket, rpm: float | None, t_ns: int, out: list[Observation]) -> None:
        """Reports no more bets, once in a spin that is known to have begun."""
        watch = self._watch
        first = watch.running
        if first is None or watch.awaits_confirmation or self._called:
            return
        if WheelState.NO_MORE_BETS in (packet.state, first.state):
            self._called = True
            if self._measured is not None and packet.state is WheelState.NO_MORE_BETS:
                self._measured["ball_run"] = (t_ns - self._started_ns) / NS_PER_S
            out.append(AutoNoMoreBets(t_ns=t_ns, rpm=rpm))

    def _impossible(self, pocket: str | None) -> bool:
        return pocket == "00" and self._config.pockets == "european"

    def _flags(self, packet: StatusPacket, first: StatusPacket | None, t_ns: int, out: list[Observation]) -> None:
        """Reports the flags that are new, and at the start of a spin all that are up in its first statuses."""
        old, self._flags_up = self._flags_up, packet.flags
        now = packet.flags
        if first is not None:
            old, now = WheelFlag(0), now | first.flags
        for flag, observation in _FLAG_OBSERVATIONS:
            if now & flag and not old & flag:
                out.append(observation(t_ns=t_ns, state=packet.state))
        was, self._fault = self._fault, bool(packet.flags & WheelFlag.FAULT)
        if (was or (first is not None and now & WheelFlag.FAULT)) and not self._fault:
            out.append(AutoWheelFault(t_ns=t_ns, state=packet.state, active=False))

    def _number(self, packet: StatusPacket, t_ns: int, out: list[Observation]) -> None:
        bare, self._bare = self._bare, None
        if packet.pocket is None:
            self._doubt("no_number", "state 5 with a blank winning number", t_ns, out)
        if packet.pocket is None or self._impossible(packet.pocket):
            out.append(AutoNoNumber(t_ns=t_ns, state=packet.state, doubts=self._watch.doubts))
            return
        if bare is None:
            self._doubt("bare_number_missing", f"state 5 with {packet.pocket}, and no bare number before it", t_ns, out)
        elif bare[0] != packet.pocket:
            detail = f"the status has {packet.pocket}, the bare number was {bare[0]}"
            self._doubt("number_disagrees", detail, t_ns, out)
        doubts = self._watch.doubts
        rpm_min, rpm_max = self._watch.rpm_range
        measured, self._measured = self._measured, None
        if measured and not doubts and rpm_max:
            measured["rotor_spread"] = (rpm_max - rpm_min) / rpm_max
            out.append(WheelMeasured(t_ns=t_ns, values=measured))
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
        if state not in BARE_NUMBER_STATES:
            where = "before any status" if state is None else f"in state {state:d}"
            self._refuse("stray_number", f"a bare {pocket} {where}", t_ns, out)
            return
        if self._bare is not None and self._bare[0] != pocket:
            detail = f"a bare {self._bare[0]}, and then a bare {pocket}"
            self._doubt("number_disagrees", detail, t_ns, out)
        self._bare = (pocket, t_ns)

    def _refuse(self, reason: str, detail: str, t_ns: int, out: list[Observation]) -> None:
        """Adds a doubt for a refused line; a reason is reported once until a good status comes."""
        self._watch.doubt(reason)
        if reason not in self._reported:
            self._reported.add(reason)
            out.append(AutoDoubt(t_ns=t_ns, reason=reason, detail=detail))

    def _doubt(self, reason: str, detail: str, t_ns: int, out: list[Observation]) -> None:
        self._watch.doubt(reason)
        out.append(AutoDoubt(t_ns=t_ns, reason=reason, detail=detail))
