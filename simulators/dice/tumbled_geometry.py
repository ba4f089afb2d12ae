"""A simulated table with a cage or a chute, as its configuration has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulators.base.device_faults import NamedFault
from simulators.base.faults import SimulatedFault
from simulators.dice.cage import CAGE_FAULTS, CageGeometry
from simulators.dice.cage_motor import MOTOR_FAULTS
from simulators.dice.chute import CHUTE_FAULTS, ChuteGeometry
from simulators.dice.geometry import DiceGeometry
from simulators.dice.shaker import SHAKER_FAULTS, ShakerGeometry
from simulators.dice.values import LINK, prefixed, value_faults

if TYPE_CHECKING:
    from simulators.base.faults import SimulatedFault
    from simulators.base.truth import TableSimulator


# What can go wrong at a simulated table with a cage or a chute: with its devices, and with its dealer.


def dealer_faults(geometry: TumbledGeometry) -> tuple[SimulatedFault, ...]:
    """What the dealer, and the player, can do wrong at this table."""
    found: list[SimulatedFault] = []
    if geometry.no_more_bets_button:
        found += [
            SimulatedFault(
                "tumbled_before_no_more_bets",
                True,
                'The dice are tumbled, and nobody calls "no more bets".',
                "Void: tumbled_before_no_more_bets.",
            ),
            SimulatedFault(
                "late_call",
                True,
                '"No more bets" is called while the dice are tumbled.',
                "Void: tumbled_before_no_more_bets; a procedure violation: called_after_void.",
            ),
            SimulatedFault(
                "tumbled_while_settling",
                True,
                "After the verdict the dice are tumbled again, before the bets are settled.",
                "The outcome; then tumbled_after_verdict, or the next round void: tumbled_before_no_more_bets.",
            ),
        ]
    found.append(
        SimulatedFault(
            "dealer_voids",
            True,
            "The dealer calls the round void as soon as the dice are at rest.",
            "Void: dealer_call.",
        )
    )
    if geometry.keypad:
        found.append(
            SimulatedFault(
                "keyed_while_tumbling",
                True,
                "The dealer keys some values while the dice still tumble, and the right ones when they are at rest.",
                "A warning keyed_too_early; the outcome.",
            )
        )
    if geometry.keypad and geometry.tumbles > 1:
        found.append(
            SimulatedFault(
                "player_forgets",
                True,
                "The dealer keys values of the player though the player has not tumbled; then the player does.",
                "A warning keyed_too_early; the outcome.",
            )
        )
    return tuple(found)


def tumbler_faults(geometry: TumbledGeometry) -> dict[str, tuple[str, bool]]:
    """The faults of the tumbler as the table lists them: each with its own name, and whether it is physical."""
    device, faults = _faults_of_tumbler(geometry)
    return {prefixed(device, one.name): (one.name, one.physical) for one in faults.values() if one.name != "none"}


def _faults_of_tumbler(geometry: TumbledGeometry) -> tuple[str, Mapping[str, NamedFault]]:
    if isinstance(geometry.tumbler, ShakerGeometry):
        # When it is shaken is the dealer's fault here, and no rule has its cover stay off until the bets are paid.
        other = ("shaken_before_call", "covered_again")
        return "shaker", {name: one for name, one in SHAKER_FAULTS.items() if name not in other}
    return ("chute", CHUTE_FAULTS) if geometry.is_chute else ("cage", CAGE_FAULTS)


def faults_of(geometry: TumbledGeometry) -> tuple[SimulatedFault, ...]:
    """Every fault that the table can have, `none` first."""
    if geometry.motor:
        return _with_motor(geometry)
    device, faults = _faults_of_tumbler(geometry)
    of_tumbler = [
        SimulatedFault(prefixed(device, one.name), one.physical, one.explanation, one.expected)
        for one in faults.values()
        if one.name != "none"
    ]
    of_values = [
        fault
        for fault in value_faults(keypad=geometry.keypad, reader=geometry.reader is not None)
        # Where nobody keys them too, nothing shows that a board misreads.
        if geometry.keypad or fault.name != "reader_disagrees"
    ]
    none = SimulatedFault("none", True, "Nothing goes wrong.", "The outcome.")
    return (none, *dealer_faults(geometry), *of_tumbler, *of_values)


def _with_motor(geometry: TumbledGeometry) -> tuple[SimulatedFault, ...]:
    """The faults of a table whose cage a motor turns."""
    voids = SimulatedFault("dealer_voids", True, "The dealer calls the round void as it turns.", "Void: dealer_call.")
    of_motor = [
        SimulatedFault(one.name, one.physical, one.explanation, one.expected)
        for one in MOTOR_FAULTS.values()
        if one.name != "none"
    ]
    # What is keyed wrongly counts: a simulated dealer whose tumbles are not planned does not notice.
    # Where nobody keys them too, nothing shows that a board misreads.
    unseen = ("keypad_wrong_key", *(() if geometry.keypad else ("reader_disagrees",)))
    of_values = [
        one
        for one in value_faults(keypad=geometry.keypad, reader=geometry.reader is not None)
        if one.name not in unseen
    ]
    none = SimulatedFault("none", True, "Nothing goes wrong.", "The outcome.")
    return (none, voids, *of_motor, *of_values)


@dataclass(frozen=True, slots=True, kw_only=True)
class TumbledGeometry(DiceGeometry):
    """The tumbler, who gives the values, and what is waited for."""

    tumbler: CageGeometry | ChuteGeometry | ShakerGeometry = field(default_factory=CageGeometry)
    tumbles: int = 1
    """Tumbles in a round: two at beat the dealer."""
    keypad: bool = True
    reader: str | None = None
    """The format of the reading board; None where there is none."""
    reader_link: str = LINK
    motor: bool = False
    """Whether a motor turns the cage."""
    rest_s: float = 2.0
    """How long the controller waits before it believes that the dice are at rest."""
    values_wait_s: float = 20.0
    settle_after_s: float = 3.0

    @property
    def is_chute(self) -> bool:
        """Whether the dice fall through a chute."""
        return isinstance(self.tumbler, ChuteGeometry)

    def faults(self) -> tuple[SimulatedFault, ...]:
        """Every fault that such a table can have, `none` first."""
        return faults_of(self)

    def simulator(self, seed: int) -> TableSimulator:
        """A table that plays it. Equal seeds give equal rounds."""
        from simulators.dice.tumbled_motor_table import MotorTumbledSimulator
        from simulators.dice.tumbled_table import AskedTumbledSimulator, TumbledSimulator

        if self.motor:
            return MotorTumbledSimulator(self, seed)
        asked = self.reader not in (None, "lines")
        return AskedTumbledSimulator(self, seed) if asked else TumbledSimulator(self, seed)
