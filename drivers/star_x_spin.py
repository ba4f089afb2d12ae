"""Whether the status lines of an automatic wheel make one spin, from its launch to its number, without a doubt."""

from __future__ import annotations

from drivers.star_x_wire import SPIN_NUMBERS, StatusPacket, WheelFlag, WheelState

_S = WheelState

IN_ORDER = frozenset(
    [
        (_S.BEFORE_GAME, _S.LAUNCH),
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
"""The changes of state that a sound wheel makes. A misfire stays in `LAUNCH`; a fault or an idle table closes."""

RUNNING = frozenset([_S.BALL_IN_RIM, _S.NO_MORE_BETS, _S.BALL_NOT_IN_TRACK, _S.WINNING_NUMBER])
"""The states of a spin after its launch."""

_ENDED = (_S.WINNING_NUMBER, _S.CLOSED)

_FLAG_REASONS = (
    (WheelFlag.BALL_NOT_DETECTED, "ball_not_detected"),
    (WheelFlag.BALL_DIRECTION, "ball_direction"),
    (WheelFlag.FAULT, "wheel_fault"),
    (WheelFlag.LAUNCH_FAILED, "launch_failed"),
)


class SpinWatch:
    """Follows one spin after the other and collects what speaks against the one that runs.

    Doubts are forgotten where no spin runs (states 1 and 6) and where a launch follows upon these or a number: never by
    a launch out of order, which a single wrong byte could make.
    """

    def __init__(self) -> None:
        self.fresh = False
        """Whether the last packet began a launch with nothing before it."""
        self._running = False
        self._doubts: list[str] = []
        self._clockwise = True
        self._number: int | None = None
        """The spin number of the last packet."""
        self._stepped = False
        """Whether the spin number has gone up since the last spin ended: it does so once a spin, and public sources
        do not say in which state."""
        self._shown: str | None = None
        """The winning number that the wheel shows since the last spin."""
        self._rpm_x10: list[int] = []

    @property
    def doubts(self) -> tuple[str, ...]:
        """What speaks against the running spin, in the order in which it came up."""
        return tuple(self._doubts)

    @property
    def rpm_range(self) -> tuple[float, float]:
        """Least and greatest rotor speed of the running spin since its launch; zeros where none was heard."""
        return (min(self._rpm_x10) / 10, max(self._rpm_x10) / 10) if self._rpm_x10 else (0.0, 0.0)

    def doubt(self, reason: str) -> None:
        """Notes something that speaks against the spin that runs, if one does."""
        if self._running and reason not in self._doubts:
            self._doubts.append(reason)

    def take(self, before: StatusPacket | None, packet: StatusPacket) -> list[tuple[str, str]]:
        """Takes the next packet and returns what in it does not fit: (reason, detail).

        The caller notes each of these as a doubt.
        """
        found: list[tuple[str, str]] = []
        self._follow_state(before, packet, found)
        self._check_spin_number(before, packet, found)
        if self._running:
            self._check_direction(packet, found)
        self._check_shown(before, packet, found)
        if packet.state in RUNNING:
            self._rpm_x10.append(packet.rpm_x10)
            for flag, reason in _FLAG_REASONS:
                if packet.flags & flag:
                    self.doubt(reason)
        return found

    def _follow_state(self, before: StatusPacket | None, packet: StatusPacket, found: list[tuple[str, str]]) -> None:
        state = packet.state
        self.fresh = False
        if before is not None and before.state is state:
            return
        if state is _S.BEFORE_GAME or state is _S.CLOSED:
            self._running = False
            self._doubts = []
        elif state is _S.LAUNCH and (before is None or (before.state, state) in IN_ORDER):
            self.fresh = True
            self._running = True
            self._doubts = []
            self._rpm_x10 = []
            self._clockwise = packet.clockwise
        elif not self._running:
            self._running = True
            self._rpm_x10 = []
            self._clockwise = packet.clockwise
        if before is None:
            if state in RUNNING:
                found.append(("joined_mid_spin", f"first heard in state {state:d}"))
        elif (before.state, state) not in IN_ORDER:
            found.append(("state_order", f"state {state:d} after {before.state:d}"))

    def _check_spin_number(
        self, before: StatusPacket | None, packet: StatusPacket, found: list[tuple[str, str]]
    ) -> None:
        ended = before is not None and before.state is not packet.state and before.state in _ENDED
        if ended or packet.state is _S.CLOSED:
            self._stepped = False
        old, self._number = self._number, packet.spin_number
        if old is None or old == packet.spin_number:
            return
        # After 999 the wheel may go on with 000 or 001.
        next_ones = {(old + 1) % SPIN_NUMBERS, 1 if old == SPIN_NUMBERS - 1 else old + 1}
        if self._stepped or packet.spin_number not in next_ones:
            found.append(("spin_number", f"spin {packet.spin_number:03d} after {old:03d} in state {packet.state:d}"))
        self._stepped = True

    def _check_direction(self, packet: StatusPacket, found: list[tuple[str, str]]) -> None:
        if packet.clockwise != self._clockwise:
            found.append(("rotor_direction", f"the rotor changed its direction in state {packet.state:d}"))
            self._clockwise = packet.clockwise

    def _check_shown(self, before: StatusPacket | None, packet: StatusPacket, found: list[tuple[str, str]]) -> None:
        if packet.state is _S.WINNING_NUMBER and (before is None or before.state is not packet.state):
            self._shown = packet.pocket
        # From no more bets on the wheel may know the next number already.
        elif packet.state not in (_S.NO_MORE_BETS, _S.BALL_NOT_IN_TRACK) and packet.pocket != self._shown:
            if self._shown is not None:
                found.append(("number_changed", f"{packet.pocket} in state {packet.state:d}, after {self._shown}"))
            self._shown = packet.pocket
