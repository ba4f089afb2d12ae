"""What wins at the games of three and two dice, derived from the regulations by listing results.

For every wager the oracle lists the ordered results on which a player who made it is paid. It asks no die and counts
none: a wager on two of a kind is the ways to write down n, n and another number. The odds are those of 13:47-20.21,
20.24 and 20.33, and of 19:47-9.4 with its (c).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations, product

Roll = tuple[int, ...]
Winners = frozenset[tuple[str, str]]
"""The wagers that win, with their odds as published."""

PIPS = (1, 2, 3, 4, 5, 6)
THREE_DICE: tuple[Roll, ...] = tuple(product(PIPS, repeat=3))
TWO_DICE: tuple[Roll, ...] = tuple(product(PIPS, repeat=2))

TRIPLES = frozenset((n, n, n) for n in PIPS)

TOTAL_PAYS = {4: 50, 5: 18, 6: 14, 7: 12, 8: 8, 9: 6, 10: 6, 11: 6, 12: 6, 13: 8, 14: 12, 15: 14, 16: 18, 17: 50}


def _orders(rolls: Iterable[Roll]) -> frozenset[Roll]:
    """Every order in which these dice can lie."""
    return frozenset(order for roll in rolls for order in permutations(roll))


def _adding_up_to(total: int) -> frozenset[Roll]:
    """First die, second die, and what is left for the third."""
    return frozenset((a, b, total - a - b) for a in PIPS for b in PIPS if 1 <= total - a - b <= 6)


def sic_bo_areas(two_of_a_kind_on_triple: bool = False) -> dict[str, frozenset[Roll]]:
    """The fifty areas in the order of the payout table, with the results that light them."""
    areas: dict[str, frozenset[Roll]] = {}
    for n in PIPS:
        areas[f"three of a kind {n}"] = frozenset({(n, n, n)})
    for n in PIPS:
        pairs = _orders((n, n, other) for other in PIPS if other != n)
        areas[f"two of a kind {n}"] = pairs | {(n, n, n)} if two_of_a_kind_on_triple else pairs
    areas["any three of a kind"] = TRIPLES
    for total in TOTAL_PAYS:
        areas[f"total value of {total}"] = _adding_up_to(total)
    for low in PIPS:
        for high in PIPS[low:]:
            areas[f"two dice {low}-{high}"] = _orders((low, high, third) for third in PIPS)
    areas["small"] = frozenset().union(*(_adding_up_to(t) for t in (4, 5, 6, 7, 8, 9, 10))) - TRIPLES
    areas["big"] = frozenset().union(*(_adding_up_to(t) for t in (11, 12, 13, 14, 15, 16, 17))) - TRIPLES
    for n in PIPS:
        areas[f"one of a kind {n}"] = _orders((n, *others) for others in TWO_DICE)
    return areas


def _sic_bo_pays(area: str, roll: Roll) -> int:
    kind, _, value = area.rpartition(" ")
    if kind == "total value of":
        return TOTAL_PAYS[int(value)]
    if kind == "one of a kind":
        rest = list(roll)
        while int(value) in rest:
            rest.remove(int(value))
        return 3 - len(rest)
    if kind == "two dice":
        return 5
    return {
        "three of a kind": 150,
        "two of a kind": 8,
        "any three of a": 24,
        "": 1,  # small and big
    }[kind]


def sic_bo(roll: Roll, areas: dict[str, frozenset[Roll]]) -> Winners:
    """The wagers that win on three dice."""
    return frozenset((area, f"{_sic_bo_pays(area, roll)} to 1") for area, rolls in areas.items() if roll in rolls)


def chuck_a_luck(roll: Roll) -> Winners:
    """A player on each number in turn looks at one die after the other, and is paid one more for each that shows it."""
    won = set()
    for number in PIPS:
        paid = 0
        for die in roll:
            paid += 1 if die == number else 0
        if paid:
            won.add((f"number {number}", f"{paid} to 1"))
    return frozenset(won)


UNDER = frozenset({(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (2, 1), (2, 2), (2, 3), (2, 4), (3, 1), (3, 2), (3, 3),
                   (4, 1), (4, 2), (5, 1)})  # fmt: skip
"""The results under seven."""


def under_over(roll: Roll) -> Winners:
    """By the opposite faces: two dice turned over add up to 14 less what they show."""
    if roll in UNDER:
        return frozenset({("under 7", "1 to 1")})
    turned = (7 - roll[0], 7 - roll[1])
    if turned in UNDER:
        return frozenset({("over 7", "1 to 1")})
    return frozenset({("7", "4 to 1")})


def beat_the_dealer(dealer: Roll, player: Roll) -> Winners:
    """The player lays one pip after the other against one of the dealer's, and wins with a pip left over."""
    dealers = [pip for die in dealer for pip in range(die)]
    for die in player:
        for _ in range(die):
            if not dealers:
                return frozenset({("player", "1 to 1")})
            dealers.pop()
    return frozenset()
