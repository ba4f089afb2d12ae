"""A simulated automatic roulette wheel: the sending end of a `*X` status feed, in virtual time.

Its times and speeds were measured on the log of a real wheel (185 results); where the log has none, the numbers are
ours. Equal seeds give equal bytes.
"""

from __future__ import annotations

import difflib
import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from drivers.roulette.star_x_wire import SPIN_NUMBERS, StatusPacket, WheelFlag, WheelState, encode, encode_bare
from hal.framing import Framer, LineFramer, received
from hal.values import EdgesLost, Frame
from simulators.base.faults import FaultError

# --- named faults of the wheel and of its link ---


@dataclass(frozen=True, slots=True)
class StarXFault:
    """A named fault."""

    name: str
    explanation: str
    """What happens."""
    expected: str
    """What a correct controller may report."""
    provable: bool = False
    """Whether the number of the spin is proven in spite of it."""
    where: WheelState | None = None
    """For a fault of the link: the state in whose status lines it happens."""


_LAUNCH_AGAIN = "the spin counts: the wheel launched again"
_NO_OUTCOME = "no outcome"

STAR_X_FAULTS: dict[str, StarXFault] = {
    fault.name: fault
    for fault in (
        StarXFault("misfire", "the launch fails once and is repeated (flag 8)", _LAUNCH_AGAIN, provable=True),
        StarXFault("misfire_long", "the launch fails for 29 s (flag 8)", _LAUNCH_AGAIN, provable=True),
        StarXFault(
            "wrong_direction",
            "the ball is launched with the rotor (flag 2), caught, and launched again",
            _LAUNCH_AGAIN,
            provable=True,
        ),
        StarXFault("wrong_direction_in_rim", "the ball runs with the rotor in the rim (flag 2)", _NO_OUTCOME),
        StarXFault("ball_not_detected", "the wheel loses the ball in the rim (flag 1)", _NO_OUTCOME),
        StarXFault("stuck_sensor", "a sensor sticks (flag 4), the rotor runs out, the wheel closes", _NO_OUTCOME),
        StarXFault("power_cycle", "the wheel loses its power after no more bets and starts anew", _NO_OUTCOME),
        StarXFault("bare_mismatch", "the bare number is not that of the status", _NO_OUTCOME),
        StarXFault("bare_missing", "the bare number is not sent", _NO_OUTCOME),
        StarXFault("garbage_speed", "a status claims 95 to 98 rpm", _NO_OUTCOME, where=WheelState.NO_MORE_BETS),
        StarXFault("wrong_state", "a wrong byte makes a 4 a 5", _NO_OUTCOME, where=WheelState.NO_MORE_BETS),
        StarXFault("stray_number", "a number comes while the ball runs", _NO_OUTCOME, where=WheelState.BALL_IN_RIM),
        StarXFault("noise", "bytes of noise before a status", _NO_OUTCOME, where=WheelState.NO_MORE_BETS),
        StarXFault("cut_cable", "nothing comes for 10 s", _NO_OUTCOME, where=WheelState.NO_MORE_BETS),
    )
}
"""Every fault, in the order in which they are listed."""


def star_x_fault(name: str) -> StarXFault:
    """The fault of this name.

    Raises:
        FaultError: there is none; the message gives the nearest names.
    """
    fault = STAR_X_FAULTS.get(name)
    if fault is None:
        near = difflib.get_close_matches(name, STAR_X_FAULTS, n=3, cutoff=0.5)
        hint = f"; nearest: {', '.join(near)}" if near else f"; there are: {', '.join(STAR_X_FAULTS)}"
        raise FaultError(f'no fault of an automatic wheel is named "{name}"{hint}')
    return fault


# --- the wheel ---

NS_PER_S = 1_000_000_000
NO_FLAG = WheelFlag(0)
BYTE_NS = round(10 / 9600 * NS_PER_S)
"""One byte on the wire: ten bits at 9600 baud."""
BARE_BEFORE_S = 0.03
"""How long before its status the bare number is sent (ours: the log says "just before")."""
DUPLICATE_CHANCE = 0.02
"""A status is sent twice now and then (ours: the log shows that it happens)."""

Quantiles = tuple[tuple[float, float], ...]

CADENCE_S: Quantiles = ((0, 0.42), (0.01, 0.43), (0.5, 0.5), (0.99, 0.51), (1, 0.52))
BEFORE_GAME_S: Quantiles = ((0, 3), (1, 8))
"""Ours: the log does not give it."""
LAUNCH_S: Quantiles = ((0, 6.0), (0.1, 7.5), (0.5, 9.0), (0.9, 11.0), (1, 15.0))
"""The log's greatest, 41.5 s, is that of a failed launch: see the fault `misfire_long`."""
IN_RIM_S: Quantiles = ((0, 2.0), (0.1, 2.5), (0.5, 4.0), (0.9, 5.0), (1, 8.5))
NO_MORE_BETS_S: Quantiles = ((0, 7.5), (0.1, 25.0), (0.5, 26.5), (0.9, 28.0), (1, 32.0))
NUMBER_S: Quantiles = ((0, 0.9), (0.1, 4.0), (0.5, 5.5), (0.9, 7.0), (1, 8.0))
ROTOR_RPM = (15.9, 18.0)
ROTOR_SD_RPM = 0.06
ROTOR_SHIFT_RPM = 2.0
"""After no more bets the wheel changes its speed by up to so much."""
FAULT_S = 29.5
"""How long a wheel with a stuck sensor stays in state 4 before it closes."""
FAULT_RPM = 27.0
"""The rotor speed from which it runs out meanwhile."""


class StarXChunk(NamedTuple):
    """Bytes that a reader gets at once, at the time when the last of them has arrived."""

    t_ns: int
    data: bytes


@dataclass(frozen=True, slots=True)
class StarXTruth:
    """The truth of a spin."""

    spin_number: int
    clockwise: bool
    pocket: str | None
    """Where the ball lies; None where the wheel reads no number."""
    fault: str | None
    provable: bool
    """Whether the received lines prove the number; if not, it must not be `agreed`."""


@dataclass(frozen=True, slots=True)
class StarXSpin:
    """One spin: the received bytes, and the truth."""

    chunks: tuple[StarXChunk, ...]
    truth: StarXTruth
    until_ns: int


class StarXSimulator:
    """One wheel, whose clock, spin number and last number persist from spin to spin."""

    def __init__(self, seed: int, double_zero: bool = True) -> None:
        self._random = random.Random(seed)
        self._pockets = [str(k) for k in range(37)] + (["00"] if double_zero else [])
        self._t_s = 0.0
        """When the next status is sent."""
        self._spin_number = self._random.randrange(SPIN_NUMBERS)
        self._shown: str | None = None
        self._wire: list[tuple[float, bytes]] = []
        self._rpm = 0.0
        self._clockwise = True

    def spin(self, fault: str | None = None) -> StarXSpin:
        """Plays the next spin, from before the game to the end of its number, or of its fault.

        Raises:
            FaultError: there is no fault of this name.
        """
        named = None if fault is None else star_x_fault(fault)
        rng = self._random
        self._clockwise = not self._clockwise
        self._rpm = rng.uniform(*ROTOR_RPM)
        pocket: str | None = rng.choice(self._pockets)
        self._stay(WheelState.BEFORE_GAME, _draw(rng, BEFORE_GAME_S))
        self._spin_number = (self._spin_number + 1) % SPIN_NUMBERS
        number = self._spin_number
        self._launch(fault)
        in_rim = NO_FLAG
        if fault == "wrong_direction_in_rim":
            in_rim = WheelFlag.BALL_DIRECTION
        elif fault == "ball_not_detected":
            in_rim = WheelFlag.BALL_NOT_DETECTED
        self._stay(WheelState.BALL_IN_RIM, _draw(rng, IN_RIM_S), in_rim)
        if fault == "stuck_sensor":
            pocket = None
            self._get_stuck()
        elif fault == "power_cycle":
            pocket = None
            self._stay(WheelState.NO_MORE_BETS, 5)
            self._t_s += 4
            self._spin_number, self._shown, self._rpm = 0, None, 0.0
            self._stay(WheelState.CLOSED, 10)
        else:
            self._come_to_number(str(pocket), fault)
        wire, self._wire = self._wire, []
        truth = StarXTruth(
            spin_number=number,
            clockwise=self._clockwise,
            pocket=pocket,
            fault=fault,
            provable=named is None or named.provable,
        )
        wire = self._corrupt(wire, named)
        return StarXSpin(tuple(self._cut(wire)), truth, round(self._t_s * NS_PER_S))

    def spins(self, count: int, faults: Mapping[int, str] | None = None) -> Iterator[StarXSpin]:
        """`count` spins; `faults` names those that go wrong, by their place from 1."""
        for place in range(1, count + 1):
            yield self.spin((faults or {}).get(place))

    def _launch(self, fault: str | None) -> None:
        rng = self._random
        if fault == "misfire":
            self._stay(WheelState.LAUNCH, 3)
            self._stay(WheelState.LAUNCH, 0.1, WheelFlag.LAUNCH_FAILED)
        elif fault == "misfire_long":
            self._stay(WheelState.LAUNCH, 3)
            self._stay(WheelState.LAUNCH, 29, WheelFlag.LAUNCH_FAILED)
        elif fault == "wrong_direction":
            self._stay(WheelState.LAUNCH, 4)
            self._stay(WheelState.LAUNCH, 3.1, WheelFlag.BALL_DIRECTION, frozen=True)
        self._stay(WheelState.LAUNCH, _draw(rng, LAUNCH_S))

    def _come_to_number(self, pocket: str, fault: str | None) -> None:
        rng = self._random
        self._rpm += rng.uniform(-ROTOR_SHIFT_RPM, ROTOR_SHIFT_RPM)
        self._stay(WheelState.NO_MORE_BETS, _draw(rng, NO_MORE_BETS_S))
        self._shown = pocket
        if fault != "bare_missing":
            bare = pocket
            if fault == "bare_mismatch":
                bare = rng.choice([other for other in self._pockets if other != pocket])
            self._wire.append((self._t_s - BARE_BEFORE_S, encode_bare(bare)))
        self._stay(WheelState.WINNING_NUMBER, _draw(rng, NUMBER_S))

    def _get_stuck(self) -> None:
        for step in range(60):
            self._rpm = FAULT_RPM * (1 - step / 60)
            self._stay(WheelState.NO_MORE_BETS, FAULT_S / 60, WheelFlag.FAULT)
        self._rpm = 0.0
        self._stay(WheelState.CLOSED, 60, WheelFlag.FAULT)
        self._stay(WheelState.CLOSED, 5)

    def _stay(self, state: WheelState, duration_s: float, flags: WheelFlag = NO_FLAG, frozen: bool = False) -> None:
        """Sends statuses of one state for a time, one at least."""
        rng = self._random
        end_s = self._t_s + duration_s
        rpm = self._rpm
        while True:
            if not frozen:
                rpm = max(0.0, self._rpm + (rng.gauss(0, ROTOR_SD_RPM) if self._rpm else 0.0))
            packet = StatusPacket(state, self._spin_number, self._shown, flags, round(rpm * 10), self._clockwise)
            line = encode(packet)
            self._wire.append((self._t_s, line))
            if rng.random() < DUPLICATE_CHANCE:
                self._wire.append((self._t_s + 0.1, line))
            self._t_s += _draw(rng, CADENCE_S)
            if self._t_s >= end_s:
                return

    def _corrupt(self, wire: list[tuple[float, bytes]], fault: StarXFault | None) -> list[tuple[float, bytes]]:
        """Applies a fault of the link to the bytes."""
        wire.sort(key=lambda line: line[0])
        if fault is None or fault.where is None:
            return wire
        rng = self._random
        prefix = b"*X;%d" % fault.where
        places = [k for k, (_, line) in enumerate(wire) if line.startswith(prefix)]
        if fault.name == "cut_cable":
            start_s = wire[places[0]][0]
            return [line for line in wire if not start_s <= line[0] < start_s + 10]
        place = rng.choice(places[1:-1] or places)
        t_s, line = wire[place]
        if fault.name == "garbage_speed":
            line = line[:14] + rng.choice([b"953", b"983"]) + line[17:]
        elif fault.name == "wrong_state":
            line = line[:3] + b"5" + line[4:]
        elif fault.name == "stray_number":
            line = encode_bare(rng.choice(self._pockets)) + line
        elif fault.name == "noise":
            line = bytes(rng.randrange(0x80, 0x100) for _ in range(rng.randint(1, 30))) + line
        return [*wire[:place], (t_s, line), *wire[place + 1 :]]

    def _cut(self, wire: Iterable[tuple[float, bytes]]) -> Iterator[StarXChunk]:
        """The bytes as a reader gets them: at 9600 baud, cut at random places."""
        free_ns = 0
        for t_s, line in wire:
            t_ns = max(round(t_s * NS_PER_S), free_ns)
            start = 0
            while start < len(line):
                end = min(len(line), start + self._random.randint(1, 24))
                t_ns += (end - start) * BYTE_NS
                yield StarXChunk(t_ns, line[start:end])
                start = end
            free_ns = t_ns


def frames(
    chunks: Sequence[StarXChunk], link: str = "wheel_serial", framer: Framer | None = None
) -> list[Frame | EdgesLost]:
    """The frames of these bytes; pass the same framer again to go on where it stopped."""
    framer = framer or LineFramer(max_length=32)
    return [value for chunk in chunks for value in received(link, framer, chunk.data, chunk.t_ns)]


def _draw(rng: random.Random, quantiles: Quantiles) -> float:
    """A number with these quantiles, evenly spread between them."""
    share = rng.random()
    for (low, low_value), (high, high_value) in itertools.pairwise(quantiles):
        if share <= high:
            return low_value + (high_value - low_value) * (share - low) / (high - low)
    return quantiles[-1][1]
