"""A simulated table with a cage or a chute, its dealer and, at beat the dealer, its player.

The dealer calls, tumbles, and keys what is there; what is plainly wrong (a die that is not flat, a cage let go
on its side) the dealer calls void. They do not know what the controller reports: after a tumble that is no good, the
round is over for them too.
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from drivers.dice.reader_wire import Die
from hal.clock import NS_PER_S
from hal.values import Batch, Command, Edge, Rare
from simulators.base.faults import fault_named
from simulators.base.geometry import CALL, SETTLED
from simulators.base.sensors import in_ns, press
from simulators.base.truth import SimRound, Truth
from simulators.dice.cage import CageGeometry, CageSimulator
from simulators.dice.chute import ChuteSimulator
from simulators.dice.shaker import ShakerGeometry, ShakerSimulator
from simulators.dice.tumble_truth import Tumble
from simulators.dice.tumbled_geometry import TumbledGeometry, dealer_faults, tumbler_faults
from simulators.dice.values import REPORTED, VALUE_REASONS, AskedReader, GivenValues, ValueGivers, own_value_faults

NOT_FLAT: Final = "dice_not_flat"

AFTERMATH: Final = ("sensor_stuck", "sensor_missing")
UNCALLED: Final = ("tumbled_before_no_more_bets", "late_call")


class TableTumble(NamedTuple):
    """One tumble of a round, and what was reported of its dice."""

    tumble: Tumble
    given: GivenValues
    good: bool
    """Whether those at the table continue with the round."""
    reasons: tuple[str, ...]


class TumbledSimulator:
    """A table whose dice and clock go on from round to round. Equal seeds give equal rounds."""

    def __init__(self, geometry: TumbledGeometry, seed: int) -> None:
        self._geometry = geometry
        self._seed = seed
        self._number = 0
        self._now_s = 0.0
        self._tumbler: CageSimulator | ChuteSimulator | ShakerSimulator
        if isinstance(geometry.tumbler, CageGeometry):
            self._tumbler = CageSimulator(geometry.tumbler, seed)
        elif isinstance(geometry.tumbler, ShakerGeometry):
            self._tumbler = ShakerSimulator(seed, geometry.tumbler)
        else:
            self._tumbler = ChuteSimulator(geometry.tumbler, seed)
        self.givers = ValueGivers(seed, keypad=geometry.keypad, reader=geometry.reader, link=geometry.reader_link)
        self._repaired = False
        """Whether a wire was spoilt in the round before: the controller may not have heard yet that it is whole."""
        self._faults = tumbler_faults(geometry)
        self._dealers = {fault.name for fault in dealer_faults(geometry)}

    @property
    def geometry(self) -> TumbledGeometry:
        """The devices that it simulates."""
        return self._geometry

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines and links that its batches may name."""
        return (*self._tumbler.lines, *self.givers.lines, *self._geometry.buttons)

    def start(self) -> Batch:
        """The level of every line at time 0, and some quiet."""
        begun = self._tumbler.start()
        self._now_s = self._tumbler.now_s
        given = self.givers.start(self._now_s)
        buttons = [Edge(line, 0, 0) for line in self._geometry.buttons]
        return Batch([*begun.edges, *given.edges, *buttons], [*given.rare], in_ns(self._now_s))

    def wait(self, seconds: float) -> Batch:
        """Nobody plays; a reading board reports the dice that are there."""
        self._now_s += seconds
        return Batch([], self.givers.wait(self._now_s), in_ns(self._now_s))

    def round(self, fault: str | None = None) -> SimRound:
        """The next round, with a named fault or without.

        Raises:
            FaultError: no fault has this name, or this table cannot have it.
        """
        name = fault_named(fault or "none", self._geometry).name
        self._number += 1
        rng = Random(f"{self._seed}/{self._number}/table/{name}")
        edges: list[Edge] = []
        rare: list[Rare] = []
        begin_s = self._now_s + rng.uniform(1.0, 2.0)
        called = self._geometry.no_more_bets_button
        if called and name not in ("tumbled_before_no_more_bets", "late_call"):
            edges += press(CALL, begin_s, rng.uniform(0.12, 0.3))
        turned = self._tumbles(name, begin_s + rng.uniform(0.8, 1.6), rng, edges, rare)
        self._after(name, turned, rng, edges, rare)
        if name == "late_call":
            # In the course of the first tumble.
            truth = turned[0].tumble.truth
            edges += press(CALL, (truth.began_ns + truth.rest_ns) / 2 / NS_PER_S, 0.2)
        edges.sort(key=lambda edge: edge.t_ns)
        rare += self.givers.wait(self._now_s)
        rare.sort(key=lambda value: value.t_ns)
        # A board that goes on sending does so until after the dealer is ready.
        until_ns = max(in_ns(self._now_s), *(value.t_ns for value in (*edges[-1:], *rare[-1:])), 0)
        self._now_s = max(self._now_s, until_ns / NS_PER_S)
        return SimRound(Batch(edges, rare, until_ns), self._truth(name, turned), self._number, fault)

    # --- tumbles -------------------------------------------------------------------------------------------------

    def _tumbles(
        self, fault: str, begin_s: float, rng: Random, edges: list[Edge], rare: list[Rare]
    ) -> list[TableTumble]:
        """The tumbles of the round, up to the first that is no good."""
        count = self._geometry.tumbles
        own, physical = self._faults.get(fault, ("", False))
        # Of a fault of the wires nobody at the table knows whether it spoilt the tumble: so it comes at the last.
        at = rng.randrange(count) if physical else count - 1
        found: list[TableTumble] = []
        for k in range(count):
            spoilt = own if k == at else ""
            of_values = fault if k == at and not own and fault not in self._dealers else ""
            turned = self._tumble(spoilt, of_values, fault if k == at else "", begin_s, rng, edges, rare)
            found.append(turned)
            self._now_s = max(self._now_s, self._tumbler.now_s, turned.given.until_s)
            if not turned.good or fault in UNCALLED:
                break
            if k + 1 < count and fault == "player_forgets":
                self._key_nonsense(self._now_s + 0.5, edges, rare)
            begin_s = self._now_s + rng.uniform(0.8, 2.0)
        return found

    def _tumble(
        self,
        spoilt: str,
        of_values: str,
        fault: str,
        begin_s: float,
        rng: Random,
        edges: list[Edge],
        rare: list[Rare],
    ) -> TableTumble:
        tumble = self._tumbler.tumble(spoilt or None, begin_s)
        truth = tumble.truth
        edges += tumble.batch.edges
        rare += tumble.batch.rare
        rest_s = truth.rest_ns / NS_PER_S
        seen = self._seen_bad(spoilt, truth.dice)
        if seen:
            rare.append(_void(NOT_FLAT, rest_s + self._geometry.rest_s / 2))
        if fault == "dealer_voids":
            rare.append(_void("dealer_call", rest_s + self._geometry.rest_s / 2))
        unkeyed = seen or fault == "dealer_voids" or any(die.lying != "flat" for die in truth.dice)
        if fault == "keyed_while_tumbling":
            self._key_nonsense(truth.began_ns / NS_PER_S, edges, rare)
        keypad_fault, reader_fault = own_value_faults(of_values)
        given = self.givers.give(
            truth.dice,
            truth.began_ns / NS_PER_S,
            rest_s,
            max(self._tumbler.now_s, rest_s + self._geometry.rest_s) + rng.uniform(0.3, 1.5),
            keyed=() if unkeyed else None,
            keypad_fault=keypad_fault,
            reader_fault=reader_fault,
            again=True,
        )
        edges += given.edges
        rare += given.rare
        reasons = truth.reasons
        # The knock comes after the rest: a board alone has given its values by then, and the dealer continues with the
        # round; what a dealer has still to key is of dice that were moved.
        disturbed = spoilt == "knocked_at_rest" and self._geometry.keypad
        if disturbed:
            reasons = (*reasons, "dice_disturbed")
        good = not (unkeyed or truth.reasons or disturbed or not truth.tumbled)
        if self._doubtful(keypad_fault, reader_fault, given):
            reasons = (*reasons, *VALUE_REASONS)
        return TableTumble(tumble, given, good, reasons)

    def _doubtful(self, keypad_fault: str | None, reader_fault: str | None, given: GivenValues) -> bool:
        """Whether the values may fairly be left to a person."""
        if self._geometry.reader not in (None, "lines") or reader_fault is not None:
            return True
        if keypad_fault is None:
            return False
        return self._geometry.reader is not None or keypad_fault == "key_stuck" or not given.proven or given.wrong

    def _seen_bad(self, spoilt: str, dice: tuple[Die, ...]) -> bool:
        """Whether the dealer must report what no sensor of this table can: dice that do not lie as they should."""
        if spoilt == "askew":
            tumbler = self._geometry.tumbler
            return isinstance(tumbler, CageGeometry) and tumbler.sensing != "encoder"
        return self._geometry.reader != "lines" and any(die.lying != "flat" for die in dice)

    def _key_nonsense(self, at_s: float, edges: list[Edge], rare: list[Rare]) -> None:
        """Somebody keys values that are of no tumble."""
        count = self._geometry.tumbler.dice
        entry = self.givers.key([1] * count, at_s)
        edges += entry.edges
        rare += entry.rare
        self._now_s = max(self._now_s, entry.until_ns / NS_PER_S)

    # --- afterwards ----------------------------------------------------------------------------------------------

    def _after(self, fault: str, turned: list[TableTumble], rng: Random, edges: list[Edge], rare: list[Rare]) -> None:
        """The verdict, the settling, and quiet until the next round."""
        last = turned[-1]
        if self._geometry.reader is not None and not last.given.proven:
            self._now_s += self._geometry.values_wait_s
        if fault == "tumbled_while_settling":
            tumble = self._tumbler.tumble(None, self._now_s + 0.3)
            edges += tumble.batch.edges
            rare += self.givers.give(
                tumble.truth.dice,
                tumble.truth.began_ns / NS_PER_S,
                tumble.truth.rest_ns / NS_PER_S,
                self._tumbler.now_s,
                keyed=(),
            ).rare
            self._now_s = max(self._now_s, self._tumbler.now_s)
        if self._geometry.settled_button:
            edges += press(SETTLED, self._now_s + rng.uniform(0.1, 1.0), rng.uniform(0.12, 0.3))
            self._now_s += 1.5
        self._now_s += rng.uniform(0.5, 1.5) + self._geometry.settle_after_s

    def _truth(self, fault: str, turned: list[TableTumble]) -> Truth:
        repaired, self._repaired = self._repaired, fault in self._faults and not self._faults[fault][1]
        whole = len(turned) == self._geometry.tumbles and turned[-1].good
        reasons = [reason for one in turned for reason in one.reasons]
        if fault in UNCALLED:
            reasons.append("tumbled_before_no_more_bets")
        if fault == "dealer_voids":
            reasons.append("dealer_call")
        if repaired:
            reasons += AFTERMATH
        valid = not reasons or all(
            one.tumble.truth.tumbled and all(die.lying == "flat" for die in one.tumble.truth.dice) for one in turned
        )
        if fault in (*UNCALLED, "dealer_voids"):
            valid = False
        values = [one.given.entered or one.tumble.truth.values for one in turned]
        there = [value for value in values if value is not None]
        result = tuple(value for one in there for value in one) if len(there) == self._geometry.tumbles else None
        detail = "; ".join(one.tumble.truth.detail for one in turned)
        if turned[-1].given.wrong:
            detail += "; keyed or read otherwise than the dice came to rest, which nobody can tell"
        return Truth(
            valid=valid and len(turned) == self._geometry.tumbles,
            result=result,
            revolutions=0.0,
            measurable=0.0,
            reasons=tuple(dict.fromkeys(reasons if whole else (*reasons, *turned[-1].tumble.truth.reasons))),
            detail=detail,
            notices=() if fault == "none" else REPORTED,
            rest_ns=turned[-1].tumble.truth.rest_ns,
        )


class AskedTumbledSimulator(AskedReader, TumbledSimulator):
    """The same table, whose reading board answers what it is asked."""


def _void(reason: str, t_s: float) -> Command:
    """The dealer's call that a round is void."""
    return Command("void", (("reason", reason), ("by", "simulated-dealer")), in_ns(t_s))
