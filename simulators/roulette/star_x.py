"""A simulated automatic roulette wheel: the sending end of a `*X` status feed, in virtual time.

Its times and speeds were measured on the logs of two real wheels (185 results; 44,800 statuses of months of service);
where they have none, the numbers are ours. Equal seeds give equal bytes.

    state 2 ──────────────────────────┬── launch ──────────────────────────────┬─► state 3
    the game is open, seconds to       the rotor stops; half a second later it  the ball is in the rim
    minutes; rotor as in the last spin  turns the other way, for two seconds

After a failed launch (flag 8) the wheel launches again, and the rotor turns the other way again.
"""

from __future__ import annotations

import difflib
import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from drivers.roulette.star_x_wire import SPIN_NUMBERS, StatusPacket, WheelFlag, WheelState, encode, encode_bare
from hal.clock import NS_PER_S
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
    launched: bool = True
    """Whether the ball comes into the rim."""


_LAUNCH_AGAIN = "the spin counts: the wheel launched again"
_COUNTS = "the spin counts"
_NO_OUTCOME = "no outcome"
_NO_BALL = "no verdict: no ball was in the rim"
_S = WheelState

STAR_X_FAULTS: dict[str, StarXFault] = {
    fault.name: fault
    for fault in (
        StarXFault("misfire", "the launch fails once and is repeated (flag 8)", _LAUNCH_AGAIN, provable=True),
        StarXFault("misfire_long", "the launch fails for 29 s (flag 8)", _LAUNCH_AGAIN, provable=True),
        StarXFault("misfire_thrice", "the launch fails three times (flag 8)", _LAUNCH_AGAIN, provable=True),
        StarXFault("misfire_for_good", "the launch fails, and the wheel closes", _NO_BALL, launched=False),
        StarXFault("no_launch", "the game is open, and the wheel closes without a launch", _NO_BALL, launched=False),
        StarXFault(
            "wrong_direction",
            "the ball is launched with the rotor (flag 2), caught, and launched again",
            _LAUNCH_AGAIN,
            provable=True,
        ),
        StarXFault("wrong_direction_in_rim", "the ball runs with the rotor in the rim (flag 2)", _NO_OUTCOME),
        StarXFault("ball_not_detected", "the wheel loses the ball in the rim (flag 1)", _NO_OUTCOME),
        StarXFault("ball_lost", "the wheel loses the ball (flag 1) and closes without a number", _NO_OUTCOME),
        StarXFault("given_up", "the wheel loses the ball (flag 1) and goes on to the next game", _NO_OUTCOME),
        StarXFault("stuck_sensor", "a sensor sticks (flag 4), the rotor runs out, the wheel closes", _NO_OUTCOME),
        StarXFault(
            "stuck_then_power_cycle",
            "a sensor sticks (flag 4), the power is cycled, and the wheel is back without the flag",
            _NO_OUTCOME,
        ),
        StarXFault(
            "stuck_while_open",
            "a sensor sticks (flag 4) while the game is open; the power is cycled",
            _NO_BALL,
            launched=False,
        ),
        StarXFault(
            "stuck_before_launch",
            "a sensor sticks for 3 s (flag 4) while the game is open, and the ball is launched all the same",
            "the bets go back; the spin is void if the table is still shut",
            provable=True,
        ),
        StarXFault("power_cycle", "the wheel loses its power after no more bets and restarts", _NO_OUTCOME),
        StarXFault(
            "power_cycle_while_open",
            "the wheel loses its power while the game is open and restarts",
            _NO_BALL,
            launched=False,
        ),
        StarXFault("bare_mismatch", "the bare number is not that of the status", _NO_OUTCOME),
        StarXFault("bare_missing", "the bare number is not sent", _NO_OUTCOME),
        StarXFault("blank_number", "state 5 has no number", _NO_OUTCOME),
        StarXFault(
            "number_changes", "later statuses in state 5 show another number", "the first, and a warning", provable=True
        ),
        StarXFault(
            "garbage_speed", "a status after no more bets claims 95 to 98 rpm", _NO_OUTCOME, where=_S.NO_MORE_BETS
        ),
        StarXFault(
            "garbage_speed_while_open",
            "a status of the open game claims 95 to 98 rpm",
            _COUNTS,
            provable=True,
            where=_S.LAUNCH,
        ),
        StarXFault(
            "garbage_speed_with_flag",
            "a status after no more bets claims 95 to 98 rpm and has flag 4",
            _NO_OUTCOME,
            where=_S.NO_MORE_BETS,
        ),
        StarXFault("wrong_state", "a wrong byte makes a 4 a 5", _NO_OUTCOME, where=_S.NO_MORE_BETS),
        StarXFault(
            "wrong_state_while_open",
            "a wrong byte makes a 2 of the open game a 3",
            "the spin counts, and begins with its own ball",
            provable=True,
            where=_S.LAUNCH,
        ),
        StarXFault(
            "wrong_state_after",
            "a wrong byte makes a 5 a 3",
            "the spin counts, and no other begins",
            provable=True,
            where=_S.WINNING_NUMBER,
        ),
        StarXFault("stray_number", "a number comes while the ball runs", _NO_OUTCOME, where=_S.BALL_IN_RIM),
        StarXFault("noise", "bytes of noise before a status after no more bets", _NO_OUTCOME, where=_S.NO_MORE_BETS),
        StarXFault(
            "noise_while_open",
            "bytes of noise before a status of the open game",
            _COUNTS,
            provable=True,
            where=_S.LAUNCH,
        ),
        StarXFault("cut_cable", "nothing comes for 10 s after no more bets", _NO_OUTCOME, where=_S.NO_MORE_BETS),
        StarXFault(
            "silence_while_open",
            "nothing comes for 4 s while the game is open",
            _COUNTS,
            provable=True,
            where=_S.LAUNCH,
        ),
    )
}
"""Every fault, in the order in which they are listed."""

WRONG_STATES = {"wrong_state": b"5", "wrong_state_while_open": b"3", "wrong_state_after": b"3"}
"""The states that a wrong byte makes of others."""

SILENCES_S = {"cut_cable": 10.0, "silence_while_open": 4.0}
"""How long the faults of the link last in which nothing comes."""


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

NO_FLAG = WheelFlag(0)
BYTE_NS = round(10 / 9600 * NS_PER_S)
"""One byte on the wire: ten bits at 9600 baud."""
BARE_BEFORE_S = 0.03
"""How long before its status the bare number is sent (ours: the log has "just before")."""
DUPLICATE_CHANCE = 0.02
"""A status is sent twice now and then (ours: the log shows that it happens)."""

Quantiles = tuple[tuple[float, float], ...]

CADENCE_S: Quantiles = ((0, 0.42), (0.01, 0.432), (0.5, 0.501), (0.99, 0.502), (1, 1.471))
BEFORE_GAME_S: Quantiles = ((0, 3), (1, 8))
"""Ours: the logs do not give it."""
OPEN_S: Quantiles = ((0, 10), (0.5, 19), (0.9, 60), (1, 592))
"""From the open game to the ball in the rim; the share of long waits is ours."""
STANDING_S = 0.5
"""From the launch command, when the rotor stops, until it turns the other way."""
RUN_UP_S = 2.0
"""From then to the ball in the rim."""
IDLE_CHANCE = 0.1
"""A table is idle between two games now and then (ours)."""
SILENCE_S: Quantiles = ((0, 2.5), (0.9, 20), (1, 120))
"""How long a power cycle takes (ours: the log has 24 silences of over 2 s)."""
REPLY_CHANCE = 0.002
"""A reply to a command comes now and then, some 100 ms after a status (ours)."""
REPLIES = (b"*  NO\r\n", b"*) NO\r\n", b"*P OK\r\n", b"*o BUSY\r\n")
IN_RIM_S: Quantiles = ((0, 2.0), (0.1, 2.5), (0.5, 4.0), (0.9, 5.0), (1, 8.5))
NO_MORE_BETS_S: Quantiles = ((0, 7.5), (0.1, 25.0), (0.5, 26.5), (0.9, 28.0), (1, 32.0))
NUMBER_S: Quantiles = ((0, 0.9), (0.1, 4.0), (0.5, 5.5), (0.9, 7.0), (1, 8.0))
ROTOR_RPM = (15.9, 18.0)
ROTOR_SD_RPM = 0.06
ROTOR_SHIFT_RPM = 2.0
"""After no more bets the wheel changes its speed by up to this much."""
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
    """Where the ball is; None where the wheel reads no number."""
    fault: str | None
    provable: bool
    """Whether the received lines prove the number; if not, it must not be `agreed`."""
    launched: bool = True
    """Whether the ball came into the rim."""


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
        """Of the rotor; 0 since power-on."""
        self._clockwise = True

    def spin(self, fault: str | None = None) -> StarXSpin:
        """Plays the next spin, from before the game to the end of its number, or of its fault.

        Raises:
            FaultError: there is no fault of this name.
        """
        named = None if fault is None else star_x_fault(fault)
        rng = self._random
        pocket = rng.choice(self._pockets)
        if rng.random() < IDLE_CHANCE:
            self._stay(_S.CLOSED, 5)
        self._stay(_S.BEFORE_GAME, _draw(rng, BEFORE_GAME_S))
        self._spin_number = (self._spin_number + 1) % SPIN_NUMBERS
        number = self._spin_number
        self._open_game(fault)
        clockwise = self._clockwise
        launched = named is None or named.launched
        has_number = launched and self._run(pocket, fault)
        wire, self._wire = self._wire, []
        truth = StarXTruth(
            spin_number=number,
            clockwise=clockwise,
            pocket=pocket if has_number else None,
            fault=fault,
            provable=named is None or named.provable,
            launched=launched,
        )
        wire = self._corrupt(wire, named)
        return StarXSpin(tuple(self._cut(wire)), truth, round(self._t_s * NS_PER_S))

    def spins(self, count: int, faults: Mapping[int, str] | None = None) -> Iterator[StarXSpin]:
        """`count` spins; `faults` names those that go wrong, by their place from 1."""
        for place in range(1, count + 1):
            yield self.spin((faults or {}).get(place))

    def _open_game(self, fault: str | None) -> None:
        """State 2: the game is open, and then the launch, again after each that fails."""
        rng = self._random
        self._stay(_S.LAUNCH, _draw(rng, OPEN_S) - STANDING_S - RUN_UP_S)
        if fault == "no_launch":
            self._stay(_S.CLOSED, 20)
            return
        if fault == "power_cycle_while_open":
            self._power_cycle()
            return
        if fault == "stuck_while_open":
            self._stay(_S.LAUNCH, 10, WheelFlag.FAULT)
            self._power_cycle()
            return
        if fault == "stuck_before_launch":
            self._stay(_S.LAUNCH, 3, WheelFlag.FAULT)
        failures = {"misfire": (0.1,), "misfire_long": (29,), "misfire_thrice": (0.1, 0.1, 4), "misfire_for_good": (9,)}
        for duration_s in failures.get(fault or "", ()):
            self._launch()
            self._stay(_S.LAUNCH, duration_s, WheelFlag.LAUNCH_FAILED)
        if fault == "misfire_for_good":
            self._rpm = 0.0
            self._stay(_S.CLOSED, 20)
            return
        if fault == "wrong_direction":
            self._launch()
            self._rpm = rng.uniform(*ROTOR_RPM)
            self._stay(_S.LAUNCH, 3.1, WheelFlag.BALL_DIRECTION, frozen=True)
        self._launch()
        self._rpm = rng.uniform(*ROTOR_RPM)

    def _launch(self) -> None:
        """The rotor stops, turns the other way, and runs up."""
        self._rpm = 0.0
        self._stay(_S.LAUNCH, STANDING_S)
        self._clockwise = not self._clockwise
        self._stay(_S.LAUNCH, RUN_UP_S)

    def _run(self, pocket: str, fault: str | None) -> bool:
        """From the ball in the rim to the end of the spin; returns whether the wheel reads a number."""
        rng = self._random
        in_rim = NO_FLAG
        if fault == "wrong_direction_in_rim":
            in_rim = WheelFlag.BALL_DIRECTION
        elif fault == "ball_not_detected":
            in_rim = WheelFlag.BALL_NOT_DETECTED
        self._stay(_S.BALL_IN_RIM, _draw(rng, IN_RIM_S), in_rim)
        match fault:
            case "stuck_sensor":
                self._get_stuck(60)
                self._rpm = 0.0
                self._stay(_S.CLOSED, 60, WheelFlag.FAULT)
                self._stay(_S.CLOSED, 5)
            case "stuck_then_power_cycle":
                self._get_stuck(rng.randint(1, 59))
                self._power_cycle()
            case "power_cycle":
                self._stay(_S.NO_MORE_BETS, 5)
                self._power_cycle()
            case "ball_lost" | "given_up":
                self._stay(_S.NO_MORE_BETS, 12, WheelFlag.BALL_NOT_DETECTED)
                self._stay(_S.CLOSED if fault == "ball_lost" else _S.BEFORE_GAME, 5)
            case _:
                self._come_to_number(pocket, fault)
                return fault != "blank_number"
        return False

    def _power_cycle(self) -> None:
        """Silence, the tail of a frame, and a wheel that knows nothing of before."""
        self._t_s += _draw(self._random, SILENCE_S)
        self._wire.append((self._t_s - 0.4, b"00;0\r\n"))
        self._spin_number, self._shown, self._rpm, self._clockwise = 0, None, 0.0, True
        self._stay(_S.CLOSED, 10)

    def _come_to_number(self, pocket: str, fault: str | None) -> None:
        rng = self._random
        self._rpm += rng.uniform(-ROTOR_SHIFT_RPM, ROTOR_SHIFT_RPM)
        self._stay(WheelState.NO_MORE_BETS, _draw(rng, NO_MORE_BETS_S))
        if fault == "blank_number":
            self._shown = None
            self._stay(WheelState.WINNING_NUMBER, _draw(rng, NUMBER_S))
            return
        self._shown = pocket
        if fault != "bare_missing":
            bare = pocket
            if fault == "bare_mismatch":
                bare = rng.choice([other for other in self._pockets if other != pocket])
            self._wire.append((self._t_s - BARE_BEFORE_S, encode_bare(bare)))
        self._stay(WheelState.WINNING_NUMBER, _draw(rng, NUMBER_S))
        if fault == "number_changes":
            self._shown = rng.choice([other for other in self._pockets if other != pocket])
            self._stay(WheelState.WINNING_NUMBER, 2)

    def _get_stuck(self, steps: int) -> None:
        """The rotor runs out in state 4, with flag 4: the first `steps` of 60."""
        for step in range(steps):
            self._rpm = FAULT_RPM * (1 - step / 60)
            self._stay(WheelState.NO_MORE_BETS, FAULT_S / 60, WheelFlag.FAULT)

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
            if rng.random() < REPLY_CHANCE:
                self._wire.append((self._t_s + 0.13, rng.choice(REPLIES)))
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
        if fault.name in SILENCES_S:
            start_s = wire[places[0]][0]
            return [line for line in wire if not start_s <= line[0] < start_s + SILENCES_S[fault.name]]
        place = rng.choice(places[1:-1] or places)
        t_s, line = wire[place]
        if fault.name.startswith("garbage_speed"):
            flag = b"4" if fault.name == "garbage_speed_with_flag" else line[12:13]
            line = line[:12] + flag + b";" + rng.choice([b"953", b"983"]) + line[17:]
        elif fault.name in WRONG_STATES:
            line = line[:3] + WRONG_STATES[fault.name] + line[4:]
        elif fault.name == "stray_number":
            line = encode_bare(rng.choice(self._pockets)) + line
        elif fault.name.startswith("noise"):
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
