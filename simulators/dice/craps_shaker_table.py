"""A simulated craps table whose dice an automated shaker tosses, when the controller starts it.

call ──── the controller starts it ──── it tosses ──── rest ──── keyed, entered, or read ──── settled
"""

from __future__ import annotations

from random import Random
from typing import Final

from drivers.dice.reader_wire import Die
from hal.clock import NS_PER_S
from hal.values import Batch, Command, Edge, Output, Rare
from simulators.base.faults import fault_named
from simulators.base.geometry import CALL, SETTLED
from simulators.base.sensors import in_ns, press, settle_order
from simulators.base.truth import SimRound, Truth
from simulators.dice.automated_shaker import LONGEST_S, PRESENT, TOSS_FAULTS, AutomatedShakerSimulator
from simulators.dice.bodies import fall, new_dice
from simulators.dice.craps_table import (
    DIE_M,
    SETTLES_S,
    STICK,
    THROW_ENERGY,
    WAIT_S,
    CrapsGeometry,
    CrapsSimulator,
    as_reported,
    truth_of,
)
from simulators.dice.values import GivenValues, own_value_faults, prefixed

TROUBLED_S: Final = 30.0
"""From the start of a toss that fails to a shaker that is still again for certain."""
FAILED: Final = ("shaker_failed", "dealer_call")


class CrapsShakerSimulator(CrapsSimulator):
    """One table in virtual time, of which the shaker answers (`simulators.base.answering.Answering`)."""

    def __init__(self, geometry: CrapsGeometry, seed: int) -> None:
        super().__init__(geometry, seed)
        serial = geometry.automated == "serial"
        self._shaker = AutomatedShakerSimulator(seed, serial=serial, link=geometry.shaker_link)
        self._bodies = new_dice(2, Random(f"{seed}/tossed"), DIE_M)
        self._sensed = (PRESENT,) if geometry.present_sensor else ()

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines and links that its batches may name."""
        return (*super().lines, *self._shaker.lines, *self._shaker.links, *self._sensed)

    def start(self) -> Batch:
        """Every button and key up at time 0, the shaker at rest where it is, and a second of quiet."""
        begin = super().start()
        edges = [*begin.edges, *self._shaker.start(), *(Edge(line, 1, 0) for line in self._sensed)]
        return begin._replace(edges=edges)

    # --- what answers --------------------------------------------------------------------------------------------

    @property
    def next_answer_ns(self) -> int | None:
        """When the shaker next does or sends something, or the reading board answers."""
        dues = (self._shaker.next_answer_ns, self.givers.next_answer_ns)
        return min((due for due in dues if due is not None), default=None)

    def command(self, output: Output) -> None:
        """The shaker is commanded to toss or to stop; shaker or reading board are asked how the dice came to rest."""
        self._shaker.command(output)
        self.givers.command(output)

    def answers(self, until_ns: int) -> Batch:
        """What the shaker does, and what shaker and board send, up to then; each of it once."""
        edges, rare = self._shaker.answers(until_ns)
        rare = [*rare, *self.givers.answers(until_ns)]
        rare.sort(key=lambda value: value.t_ns)
        return Batch(edges, rare, until_ns)

    # --- rounds --------------------------------------------------------------------------------------------------

    def round(self, fault: str | None = None) -> SimRound:
        """The next roll, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        geometry = self.geometry
        name = fault_named(fault or "none", geometry).name
        toss = next((own for own in TOSS_FAULTS if prefixed("automated_shaker", own) == name), None)
        self._number += 1
        rng = Random(f"{self._seed}/tossed craps/{self._number}")
        from_s = self._now_s
        called_s = from_s + rng.uniform(3.0, 6.0)
        edges, rare = list[Edge](), list[Rare]()
        if geometry.no_more_bets_button:
            edges += press(CALL, called_s, 0.2)
        else:
            rare.append(Command("no_more_bets", (), in_ns(called_s)))
        begin_s = called_s + geometry.activate_after_s
        length_s = geometry.toss_s if geometry.automated == "serial" else rng.uniform(4.0, LONGEST_S)
        rest_s = begin_s + length_s + 0.3
        dice = self._tossed(name, rng)
        shown = tuple(die.value or 1 for die in dice)
        self._shaker.plan(toss, shown, length_s, called_s - 1.0)
        truth = _with_toss(truth_of(name, dice, in_ns(rest_s)), toss)
        key_s = rest_s + geometry.rest_s + rng.uniform(0.8, 2.0)
        given = self._reported(name, toss, dice, truth, begin_s, rest_s, key_s)
        edges += given.edges
        rare += given.rare
        self._now_s = max(given.until_s, key_s) + SETTLES_S
        if geometry.reader is not None and (not given.proven or own_value_faults(name)[1]):
            self._now_s += WAIT_S
        if toss is not None:
            self._now_s = max(self._now_s, begin_s + TROUBLED_S)
        elif not truth.valid and geometry.reader is None:
            given_ = (("reason", truth.reasons[0]), ("as", STICK), ("by", STICK))
            rare.append(Command("void", given_, in_ns(key_s)))
        if geometry.settled_button:
            edges += press(SETTLED, self._now_s - 1.0, 0.2)
        rare += self.givers.wait(self._now_s)
        settle_order(edges, in_ns(from_s), in_ns(self._now_s))
        rare.sort(key=lambda value: value.t_ns)
        batch = Batch(edges, rare, in_ns(self._now_s))
        return SimRound(batch, as_reported(name, truth, given), self._number, fault)

    def _tossed(self, name: str, rng: Random) -> tuple[Die, ...]:
        """How the dice came to rest after the toss."""
        for body in self._bodies:
            fall(body, 0.0, rng.uniform(*THROW_ENERGY), rng)
        dice = [Die("flat", body.top) for body in self._bodies]
        if name == "seven":
            dice[1] = Die("flat", 7 - self._bodies[0].top)
        return self._lying(name, dice, rng)

    def _reported(
        self,
        name: str,
        toss: str | None,
        dice: tuple[Die, ...],
        truth: Truth,
        begin_s: float,
        rest_s: float,
        key_s: float,
    ) -> GivenValues:
        """What keypad and board report of the toss. Of one that failed nobody keys anything."""
        if toss is not None and not truth.valid:
            return GivenValues([], [], True, False, rest_s)
        keypad_fault, reader_fault = own_value_faults(name)
        keyed = tuple(die.value for die in dice if die.value is not None)
        early = self.givers.key(keyed, begin_s + 1.0) if name == "keyed_too_early" else Batch([], [], 0)
        given = self.givers.give(
            dice,
            begin_s + 0.2,
            rest_s,
            max(key_s, early.until_ns / NS_PER_S),
            keyed=keyed if truth.valid else (),
            keypad_fault=keypad_fault,
            reader_fault=reader_fault,
        )
        return given._replace(edges=[*early.edges, *given.edges])


def _with_toss(truth: Truth, toss: str | None) -> Truth:
    """The truth of a toss that failed: its dice do not count. One that only reported wrongly was a toss."""
    if toss is None:
        return truth
    detail = f"{truth.detail}; the shaker: {toss}"
    if toss == "misreads":
        return truth._replace(reasons=("values_disagree",), detail=detail)
    return truth._replace(valid=toss == "garbled", reasons=FAILED, detail=detail)
