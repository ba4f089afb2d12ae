"""A simulated sic bo table: its shakers, its lamps that answer, its dealer who calls, shakes and keys.

call ──► covered, shaken, at rest, uncovered ──► keyed ──► (the table lights, and settles)
   └───► tossed, when the controller starts it ──► keyed
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Final, NamedTuple

from drivers.dice.reader_wire import VALUED, Die
from hal.clock import NS_PER_S
from hal.lamp_fields import CHAIN
from hal.values import Batch, Command, Edge, LightLamps, Output, Rare
from simulators.base.faults import fault_named
from simulators.base.geometry import CALL, SETTLED
from simulators.base.sensors import in_ns, press
from simulators.base.truth import SimRound, Truth
from simulators.dice.automated_shaker import LONGEST_S, PRESENT, AutomatedShakerSimulator
from simulators.dice.bodies import SMALL_DIE_M, fall, new_dice, shown
from simulators.dice.keypad import KEYPAD_FAULTS
from simulators.dice.reader import READER_FAULTS
from simulators.dice.shaker import ShakerSimulator
from simulators.dice.sic_bo_geometry import SicBoGeometry
from simulators.dice.values import REPORTED, VALUE_REASONS, GivenValues, ValueGivers, prefixed
from simulators.lamps.lamp_board import LampBoardSimulator

REVEALED_AFTER_S: Final = 4.3
"""From dice at rest to a cover that is off for certain, and a dealer's first key."""
MENDED_S: Final = 6.0
"""This long before the end of a round its lamps are whole again: the controller looks twice in this time."""
AFTER_S: Final = 14.0
WAITS_S: Final = 21.0
"""So much longer where keypad or board is waited for."""
LAMP_REASONS: Final = ("lamps_failed_before_reveal", "lamps_failed", "dealer_call")


class Shaken(NamedTuple):
    """How the dice of a round came to rest."""

    edges: list[Edge]
    rare: list[Rare]
    dice: tuple[Die, ...]
    moved_s: float
    rest_s: float
    good: bool
    """Whether they were shaken, or tossed, as they should be."""
    reasons: tuple[str, ...]
    detail: str

    @property
    def flat(self) -> bool:
        """Whether every die is flat."""
        return all(die.lying == "flat" for die in self.dice)


class SicBoSimulator:
    """A table whose dice and clock go on from round to round. Equal seeds give equal rounds."""

    def __init__(self, geometry: SicBoGeometry, seed: int) -> None:
        self._geometry = geometry
        self._seed = seed
        self._number = 0
        self._now_s = 0.0
        self._shaker = ShakerSimulator(seed) if geometry.manual else None
        self._tosser: AutomatedShakerSimulator | None = None
        if geometry.automated is not None:
            serial = geometry.automated == "serial"
            self._tosser = AutomatedShakerSimulator(seed, serial=serial, link=geometry.shaker_link)
        self._bodies = new_dice(3, Random(f"{seed}/tossed"), SMALL_DIE_M)
        self._lamps = LampBoardSimulator(seed)
        self._givers = ValueGivers(seed, keypad=geometry.keypad, reader=geometry.reader, link=geometry.reader_link)
        self._faults = geometry.device_faults()

    @property
    def geometry(self) -> SicBoGeometry:
        """The devices that it simulates."""
        return self._geometry

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines and links that its batches may name."""
        return (
            *(self._shaker.lines if self._shaker is not None else ()),
            *((*self._tosser.lines, *self._tosser.links) if self._tosser is not None else ()),
            *self._present(),
            CHAIN,
            *self._givers.lines,
            *self._geometry.buttons,
        )

    def start(self) -> Batch:
        """The level of every line at time 0, and some quiet."""
        edges = [Edge(line, 0, 0) for line in self._geometry.buttons] + [Edge(line, 1, 0) for line in self._present()]
        self._now_s = 5.0
        if self._shaker is not None:
            edges += self._shaker.start().edges
            self._now_s = self._shaker.now_s
        if self._tosser is not None:
            edges += self._tosser.start()
        given = self._givers.start(self._now_s)
        return Batch([*edges, *given.edges], [*given.rare], in_ns(self._now_s))

    # --- what answers --------------------------------------------------------------------------------------------

    @property
    def next_answer_ns(self) -> int | None:
        """When lamps, shaker or reading board next answer."""
        dues = [self._lamps.next_answer_ns, self._givers.next_answer_ns]
        dues.append(None if self._tosser is None else self._tosser.next_answer_ns)
        return min((due for due in dues if due is not None), default=None)

    def command(self, output: Output) -> None:
        """The lamps are commanded to light, the shaker to toss, or the reading board is asked."""
        if isinstance(output, LightLamps):
            self._lamps.light(output)
            return
        self._givers.command(output)
        if self._tosser is not None:
            self._tosser.command(output)

    def answers(self, until_ns: int) -> Batch:
        """What lamps, shaker and reading board send up to then; each of it once."""
        edges, rare = ([], []) if self._tosser is None else self._tosser.answers(until_ns)
        rare = [*rare, *self._lamps.answers(until_ns), *self._givers.answers(until_ns)]
        rare.sort(key=lambda value: value.t_ns)
        return Batch(edges, rare, until_ns)

    # --- rounds --------------------------------------------------------------------------------------------------

    def wait(self, seconds: float) -> Batch:
        """Nobody plays; a reading board reports the dice that are there."""
        self._now_s += seconds
        return Batch([], self._givers.wait(self._now_s), in_ns(self._now_s))

    def round(self, fault: str | None = None) -> SimRound:
        """The next round, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        name = fault_named(fault or "none", self._geometry).name
        owner, own = self._faults.get(name, ("", None))
        device = own.name if own is not None else None
        self._number += 1
        rng = Random(f"{self._seed}/{self._number}/sic bo")
        from_s = self._now_s
        # What a person had to call at the end of the round before is settled by then.
        call_s = from_s + self._geometry.settle_after_s + rng.uniform(2.0, 4.0)
        by_hand = self._tosser is None or name == "shaker_not_removed"
        shaken = self._by_hand(owner, device, call_s, rng) if by_hand else self._tossed(owner, device, call_s, rng)
        key_s = shaken.rest_s + REVEALED_AFTER_S + rng.uniform(0.2, 1.0)
        given, rare = self._given(name, shaken, key_s)
        edges = [*shaken.edges, *given.edges]
        rare += [*shaken.rare, *given.rare]
        reader_fault = _own(name, "reader", READER_FAULTS) is not None
        spoilt = reader_fault or _own(name, "keypad", KEYPAD_FAULTS) is not None
        end_s = max(given.until_s, key_s, 0.0 if self._shaker is None else self._shaker.now_s) + AFTER_S
        if spoilt and self._geometry.reader is not None:
            end_s += WAITS_S
        if owner == "lamp" and device is not None:
            late_s = key_s - 0.05 if device.endswith("reveal") else from_s
            self._lamps.plan(device, in_ns(late_s), in_ns(end_s - MENDED_S))
            rare.append(Command("settle_attended", (("by", "simulated-supervisor"),), in_ns(end_s - 0.3)))
        else:
            self._lamps.plan(None, 0, 0)
        if not given.proven:
            rare.append(Command("void", (("reason", "dealer_call"), ("by", "simulated-dealer")), in_ns(end_s - 0.2)))
        if self._geometry.settled_button:
            edges += press(SETTLED, end_s - AFTER_S + self._geometry.settle_after_s, 0.15)
        rare += self._givers.wait(end_s)
        self._now_s = end_s
        edges.sort(key=lambda edge: edge.t_ns)
        rare.sort(key=lambda value: value.t_ns)
        truth = self._truth(name, owner, shaken, given, spoilt=spoilt)
        return SimRound(Batch(edges, rare, in_ns(end_s)), truth, self._number, fault)

    def _given(self, name: str, shaken: Shaken, key_s: float) -> tuple[GivenValues, list[Rare]]:
        """The dice as they are keyed and read; a dealer who sees that it is not a result keys nothing, and announces
        that."""
        given = self._givers.give(
            shaken.dice,
            shaken.moved_s,
            shaken.rest_s,
            key_s,
            keypad_fault=_own(name, "keypad", KEYPAD_FAULTS),
            reader_fault=_own(name, "reader", READER_FAULTS),
        )
        if (shaken.good and shaken.flat) or not self._geometry.keypad:
            return given, []
        void = Command("void", (("reason", "dice_not_flat"), ("by", "simulated-dealer")), in_ns(key_s))
        # A board that sees it has reported that.
        calls = shaken.good and self._geometry.reader is None
        return given._replace(edges=[], proven=True), [void] if calls else []

    def _truth(self, name: str, owner: str, shaken: Shaken, given: GivenValues, *, spoilt: bool) -> Truth:
        reasons = [*shaken.reasons]
        notices: tuple[str, ...] = ()
        if spoilt or given.wrong or not given.proven:
            reasons += (*VALUE_REASONS, "dealer_call")
            notices = REPORTED
        if not shaken.flat:
            reasons.append("dice_not_flat")
        if owner == "lamp":
            reasons += LAMP_REASONS if name != "lamp_cleared_before_paid" else ()
            notices = (*REPORTED, "procedure.violation")
        values = tuple(die.value for die in shaken.dice if die.lying in VALUED and die.value is not None)
        # What was keyed wrongly and entered is what everybody believes: a supervisor corrects it.
        entered = given.entered if given.wrong else None
        return Truth(
            valid=shaken.good and shaken.flat,
            result=entered or (values if len(values) == len(shaken.dice) else None),
            revolutions=0.0,
            measurable=0.0,
            reasons=tuple(dict.fromkeys(reasons)),
            detail=f"{shaken.detail}, dice {'-'.join(map(str, values))}" + (f"; {name}" if name != "none" else ""),
            notices=notices,
            rest_ns=in_ns(shaken.rest_s),
        )

    def _by_hand(self, owner: str, fault: str | None, call_s: float, rng: Random) -> Shaken:
        """Covered after the call, shaken, uncovered."""
        shaker = self._shaker
        if shaker is None:
            return Shaken([], [], (), call_s, call_s, False, (), "there is no shaker")
        begin_s = call_s + rng.uniform(0.5, 1.0)
        shaker_fault = fault if owner == "shaker" else None
        tumble = shaker.tumble(shaker_fault, begin_s)
        edges, good, reasons = list(tumble.batch.edges), tumble.truth.tumbled, list(tumble.truth.reasons)
        calls_s = call_s
        if fault == "shaken_before_no_more_bets":
            calls_s, good = tumble.truth.began_ns / NS_PER_S + 0.4, False
            reasons.append(fault)
        elif fault == "shaker_not_removed":
            good = False
            reasons.append(fault)
        elif fault == "covered_before_no_more_bets":
            at = next(number for number, edge in enumerate(edges) if edge.line == "cover")
            edges[at] = edges[at]._replace(t_ns=in_ns(call_s - 0.5))
        if fault in ("covered_again", "knocked_at_rest", "lifted_early", "noise_burst"):
            reasons += ["dice_disturbed", "shaken_uncovered"]
        if reasons and shaker_fault is not None:
            reasons += ["joined_mid_tumble", "dice_disturbed"]
        if self._geometry.no_more_bets_button:
            edges += press(CALL, calls_s, 0.15)
        truth = tumble.truth
        moved_s, rest_s = truth.began_ns / NS_PER_S, truth.rest_ns / NS_PER_S
        return Shaken(edges, list(tumble.batch.rare), truth.dice, moved_s, rest_s, good, tuple(reasons), truth.detail)

    def _tossed(self, owner: str, fault: str | None, call_s: float, rng: Random) -> Shaken:
        """Tossed by the shaker that the controller starts after the call."""
        toss = fault if owner == "automated_shaker" else None
        for die in self._bodies:
            fall(die, 0.0, rng.uniform(8.0, 20.0), rng)
        dice = tuple(shown(die) for die in self._bodies)
        edges = press(CALL, call_s, 0.15) if self._geometry.no_more_bets_button else []
        length_s = self._geometry.toss_s if self._geometry.automated == "serial" else rng.uniform(4.0, LONGEST_S)
        if self._tosser is not None:
            values = tuple(die.value for die in dice if die.value is not None)
            self._tosser.plan(toss, values, length_s, call_s - 1.0)
        begin_s = call_s + self._geometry.activate_after_s
        rest_s = begin_s + length_s + 0.3
        reasons: tuple[str, ...] = ()
        if toss == "misreads":
            reasons = ("values_disagree",)
        elif toss is not None:
            reasons = ("shaker_failed", "shaken_before_no_more_bets", "dealer_call")
        good = toss in (None, "misreads", "garbled")
        return Shaken(edges, [], dice, begin_s, rest_s, good, reasons, "tossed by the automated shaker")

    def _present(self) -> tuple[str, ...]:
        return (PRESENT,) if self._geometry.present_sensor and self._geometry.automated is not None else ()


def _own(name: str, device: str, faults: Iterable[str]) -> str | None:
    """The device's own name of a fault that a table lists."""
    return next((own for own in faults if own != "none" and prefixed(device, own) == name), None)
