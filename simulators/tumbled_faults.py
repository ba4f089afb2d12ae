"""What can go wrong at a simulated table with a cage or a chute: with its devices, and with its dealer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulators.cage_faults import CAGE_FAULTS
from simulators.cage_motor import MOTOR_FAULTS
from simulators.chute import CHUTE_FAULTS
from simulators.dice_values import prefixed, value_faults
from simulators.fault_registry import Fault

if TYPE_CHECKING:
    from simulators.tumbled_geometry import TumbledGeometry


def dealer_faults(geometry: TumbledGeometry) -> tuple[Fault, ...]:
    """What the dealer, and the player, can do wrong at this table."""
    games = (geometry.game,)
    found: list[Fault] = []
    if geometry.no_more_bets_button:
        found += [
            Fault(
                "tumbled_before_no_more_bets",
                games,
                True,
                'The dice are tumbled, and nobody calls "no more bets".',
                "Void: tumbled_before_no_more_bets.",
            ),
            Fault(
                "late_call",
                games,
                True,
                '"No more bets" is called while the dice are tumbled.',
                "Void: tumbled_before_no_more_bets.",
            ),
            Fault(
                "tumbled_while_settling",
                games,
                True,
                "After the verdict the dice are tumbled again, before the bets are settled.",
                "The outcome; then tumbled_after_verdict, or the next round void: tumbled_before_no_more_bets.",
            ),
        ]
    found.append(
        Fault(
            "dealer_voids",
            games,
            True,
            "The dealer calls the round void as soon as the dice lie.",
            "Void: dealer_call.",
        )
    )
    if geometry.keypad:
        found.append(
            Fault(
                "keyed_while_tumbling",
                games,
                True,
                "The dealer keys some values while the dice still tumble, and the right ones when they lie.",
                "A warning keyed_too_early; the outcome.",
            )
        )
    if geometry.keypad and geometry.tumbles > 1:
        found.append(
            Fault(
                "player_forgets",
                games,
                True,
                "The dealer keys values of the player though the player has not tumbled; then the player does.",
                "A warning keyed_too_early; the outcome.",
            )
        )
    return tuple(found)


def tumbler_faults(geometry: TumbledGeometry) -> dict[str, tuple[str, bool]]:
    """The faults of the tumbler as the table lists them: each with its own name, and whether it is physical."""
    device, faults = ("chute", CHUTE_FAULTS) if geometry.is_chute else ("cage", CAGE_FAULTS)
    return {prefixed(device, one.name): (one.name, one.physical) for one in faults.values() if one.name != "none"}


def faults_of(geometry: TumbledGeometry) -> tuple[Fault, ...]:
    """Every fault that the table can have, `none` first."""
    games = (geometry.game,)
    if geometry.motor:
        return _with_motor(games)
    device, faults = ("chute", CHUTE_FAULTS) if geometry.is_chute else ("cage", CAGE_FAULTS)
    of_tumbler = [
        Fault(prefixed(device, one.name), games, one.physical, one.explanation, one.expected)
        for one in faults.values()
        if one.name != "none"
    ]
    of_values = [
        fault
        for fault in value_faults(games, keypad=geometry.keypad, reader=geometry.reader is not None)
        # Where nobody keys them too, nothing tells that a board misreads.
        if geometry.keypad or fault.name != "reader_disagrees"
    ]
    none = Fault("none", games, True, "Nothing goes wrong.", "The outcome.")
    return (none, *dealer_faults(geometry), *of_tumbler, *of_values)


def _with_motor(games: tuple[str, ...]) -> tuple[Fault, ...]:
    """The faults of a table whose cage a motor turns."""
    voids = Fault("dealer_voids", games, True, "The dealer calls the round void as it turns.", "Void: dealer_call.")
    of_motor = [
        Fault(one.name, games, one.physical, one.explanation, one.expected)
        for one in MOTOR_FAULTS.values()
        if one.name != "none"
    ]
    # What is keyed wrongly stands: a simulated dealer whose tumbles are not planned does not notice.
    of_values = [one for one in value_faults(games, keypad=True, reader=False) if one.name != "keypad_wrong_key"]
    none = Fault("none", games, True, "Nothing goes wrong.", "The outcome.")
    return (none, voids, *of_motor, *of_values)
