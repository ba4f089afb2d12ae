"""A simulated keypad, and the dealer who keys the dice on it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from hal.clock import NS_PER_S
from hal.values import Batch, Edge, EdgesLost, Loss, Rare
from simulators.base.corruption import bounce, noise_burst
from simulators.base.device_faults import NamedFault, by_name, device_fault
from simulators.base.sensors import any_of, in_ns, press, settle_order

KEYS: Final = (*(f"key_{value}" for value in range(1, 7)), "key_enter", "key_clear")
HELD_S: Final = (0.08, 0.25)
BETWEEN_S: Final = (0.12, 0.6)
"""From letting one key go to pressing the next (ours)."""
AFTER_S: Final = 0.5
MS: Final = 1_000_000

KEYPAD_FAULTS: Final = by_name(
    (
        NamedFault(
            "wrong_key", True, "One value is keyed wrongly, and entered.", "The values as keyed: a supervisor corrects."
        ),
        NamedFault("corrected", True, "One value is keyed wrongly, cleared, and keyed again.", "The values."),
        NamedFault("key_pressed_twice", True, "One key is pressed twice.", "Refused entry: surplus, then spoilt."),
        NamedFault("key_missed", True, "One die is not keyed.", "Refused entry: short."),
        NamedFault("two_keys", True, "A finger presses two keys at once.", "Refused entry: two_keys, then short."),
        NamedFault("enter_twice", True, "ENTER is pressed twice.", "The values once; refused entry: short."),
        NamedFault("never_entered", True, "The values are keyed and ENTER is not pressed.", "Entry cleared."),
        NamedFault("key_stuck", True, "A key stays down.", "Refused entry: two_keys; a fault: sensor_stuck."),
        NamedFault("key_bounce", False, "The contacts bounce.", "The values."),
        NamedFault("spikes", False, "Spikes shorter than a press on all keys.", "The values, or a refusal."),
        NamedFault("key_dead", False, "The contact of one key never closes.", "Refused entry: short, or no entry."),
        NamedFault("edges_lost", False, "Changes of one key are lost, and reported.", "Refused entry: edges_lost."),
    )
)
"""Every fault, in the order in which they are listed."""


_MAY_REFUSE: Final = ("spikes", "key_dead", "edges_lost")
"""Faults after which the entry may be there and not be entered."""


class Keyed(NamedTuple):
    """What was done with the keypad."""

    batch: Batch
    dice: tuple[int, ...]
    """The values that the dealer read off the dice."""
    enters: tuple[int, ...] | None
    """The values that the contacts alone prove were entered; None where they prove none."""
    may_enter: bool
    """Whether a correct driver may have seen that entry: not where the wires lie."""
    fault: str | None


class KeypadSimulator:
    """A keypad whose clock continues from entry to entry. Equal seeds give equal entries."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._now_s = 0.0
        self._number = 0

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines that its batches may name."""
        return KEYS

    @property
    def now_s(self) -> float:
        """Until when it has been played."""
        return self._now_s

    def start(self) -> Batch:
        """Every key up at time 0, and a quiet second."""
        self._now_s = 1.0
        return Batch([Edge(line, 0, 0) for line in KEYS], [], in_ns(self._now_s))

    def enter(self, dice: Sequence[int], fault: str | None = None, begin_s: float | None = None) -> Keyed:
        """Keys these dice and enters them, with a named fault or without, from `begin_s` on (default: soon).

        Raises:
            FaultError: a keypad has no fault of this name.
        """
        named = device_fault(fault, KEYPAD_FAULTS, "keypad")
        self._number += 1
        rng = Random(f"{self._seed}/{self._number}")
        from_s = self._now_s
        t_s = from_s + rng.uniform(0.5, 2.0) if begin_s is None else max(begin_s, from_s)
        keys, enters = _keys(named.name, tuple(dice), rng)
        edges: list[Edge] = []
        for group in keys:
            held_s = 15.0 if group == ("key_2", "stuck") else rng.uniform(*HELD_S)
            for line in group:
                if line != "stuck":
                    edges += press(line, t_s + rng.uniform(0.0, 0.01), held_s)
            # A stuck key is still down while the next ones are pressed.
            t_s += (0.3 if held_s > 1.0 else held_s + 0.02) + rng.uniform(*BETWEEN_S)
        self._now_s = max(t_s, max((edge.t_ns for edge in edges), default=0) / NS_PER_S) + AFTER_S
        if enters is None or named.name in _MAY_REFUSE:
            # Until the keypad has forgotten it.
            self._now_s += 31.0
        # A key that is down cannot be pressed again.
        edges = any_of(edges, {})
        settle_order(edges, in_ns(from_s), in_ns(self._now_s))
        edges, rare, spoilt = _spoil(named.name, edges, keys, rng)
        batch = Batch(edges, rare, in_ns(self._now_s))
        return Keyed(batch, tuple(dice), enters, not spoilt, fault)


def _keys(name: str, dice: tuple[int, ...], rng: Random) -> tuple[list[tuple[str, ...]], tuple[int, ...] | None]:
    """The keys to press, those at once together, and the values that they enter."""
    at = rng.randrange(len(dice))
    other = rng.choice([value for value in range(1, 7) if value != dice[at]])
    values = [(f"key_{value}",) for value in dice]
    enter, clear = ("key_enter",), ("key_clear",)
    match name:
        case "wrong_key":
            wrong = (*dice[:at], other, *dice[at + 1 :])
            return [*values[:at], (f"key_{other}",), *values[at + 1 :], enter], wrong
        case "corrected":
            return [*values[:at], (f"key_{other}",), clear, *values, enter], dice
        case "key_pressed_twice":
            return [*values[: at + 1], values[at], *values[at + 1 :], enter], None
        case "key_missed":
            return [*values[:at], *values[at + 1 :], enter], None
        case "two_keys":
            return [*values[:at], (f"key_{dice[at]}", f"key_{other}"), *values[at + 1 :], enter], None
        case "enter_twice":
            return [*values, enter, enter], dice
        case "never_entered":
            return list(values), None
        case "key_stuck":
            return [("key_2", "stuck"), *values, enter], None
    return [*values, enter], dice


def _spoil(
    name: str, edges: list[Edge], keys: Sequence[tuple[str, ...]], rng: Random
) -> tuple[list[Edge], list[Rare], bool]:
    """What a line fault makes of the edges, the losses that are reported, and whether the entry may be missed."""
    line = rng.choice([group[0] for group in keys])
    if name == "key_bounce":
        return bounce(KEYS, 1.0, 8 * MS, rng, {})(edges), [], False
    if name == "spikes":
        first_ns, last_ns = edges[0].t_ns, edges[-1].t_ns
        return noise_burst(KEYS, first_ns, last_ns, 6, rng, {})(edges), [], True
    if name == "key_dead":
        return [edge for edge in edges if edge.line != line], [], True
    if name == "edges_lost":
        lost = [edge for edge in edges if edge.line == line]
        rare: list[Rare] = [EdgesLost(line, Loss.OVERFLOW, lost[0].t_ns, len(lost))]
        return [edge for edge in edges if edge.line != line], rare, True
    return edges, [], False
