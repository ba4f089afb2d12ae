"""Every result of every dice game, and long games of craps, against oracles that know the texts and not the code.

`tests.oracle.dice` lists the results that win a wager; in `tests.oracle.craps` wagers live on a table. The code asks
which wagers win on a result, and keeps a state.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import NamedTuple, cast

import pytest

from controller.games.craps.decision import Craps, CrapsState
from controller.games.craps.layout import CrapsLayout
from controller.games.craps.rules import CrapsRules
from controller.games.craps.wagers import POINTS, FireTable
from controller.games.sic_bo.areas import AREAS, SicBoLayout
from controller.games.sic_bo.rules import SicBoRules
from controller.games.tumbled.rules import BeatTheDealerRules, ChuckALuckRules, UnderOverRules
from controller.rules.profile import profile
from feed.data import WinningBet
from tests.oracle import craps as table
from tests.oracle import dice as listed

CHUNK = 2_000
QUICK = 1_000
FULL = 42_000
"""Games of craps: in every run, and with the soak, which alone has 100,000."""

TEXTS = [("njac-19:47", False), ("njac-19:47", True), ("njac-13:69F", False), ("njac-13:69F", True)]


def as_set(winning: tuple[WinningBet, ...]) -> frozenset[tuple[str, str]]:
    found = frozenset((bet.bet, bet.odds) for bet in winning)
    assert len(found) == len(winning), "a wager wins twice"
    return found


@pytest.mark.parametrize(("name", "on_triple"), TEXTS)
def test_s20_all_216_results_light_the_areas_that_the_oracle_lists(name: str, on_triple: bool) -> None:
    layout = SicBoLayout(profile(name).text("sic_bo", SicBoRules), two_of_a_kind_on_triple=on_triple)
    areas = listed.sic_bo_areas(on_triple)
    assert [area.name for area in AREAS] == list(areas)
    for roll in listed.THREE_DICE:
        assert [area.name for area in layout.lit(roll)] == [a for a, rolls in areas.items() if roll in rolls]
        assert as_set(layout.winning(roll)) == listed.sic_bo(roll, areas), roll


def test_c10_all_216_results_of_chuck_a_luck_pay_what_the_oracle_pays() -> None:
    rules = profile("njac-13:47-20").text("chuck_a_luck", ChuckALuckRules)
    for roll in listed.THREE_DICE:
        assert as_set(rules.winning(roll)) == listed.chuck_a_luck(roll), roll


def test_c10_all_36_results_of_under_over_pay_what_the_oracle_pays() -> None:
    rules = profile("njac-13:47-20").text("under_over", UnderOverRules)
    for roll in listed.TWO_DICE:
        assert as_set(rules.winning(roll)) == listed.under_over(roll), roll


def test_c8_all_1296_pairs_of_tumbles_of_beat_the_dealer_go_to_the_one_whom_the_oracle_names() -> None:
    rules = profile("njac-13:47-20").text("beat_the_dealer", BeatTheDealerRules)
    for dealer in listed.TWO_DICE:
        for player in listed.TWO_DICE:
            assert as_set(rules.winning(dealer, player)) == listed.beat_the_dealer(dealer, player), (dealer, player)


# ------------------------------------------------------------------------------------------------------- craps


class House(NamedTuple):
    """A text, and what a house offers of it."""

    name: str
    text: table.Text
    rules: CrapsRules
    optional: frozenset[str]
    fire: FireTable | None


NIGHT, CASINO = profile("njac-13:47-20"), profile("njac-19:47")
HOUSES = [
    House("night", table.NIGHT, NIGHT.text("craps", CrapsRules), frozenset(), None),
    House("night with buy and lay", table.NIGHT, NIGHT.text("craps", CrapsRules), frozenset({"buy", "lay"}), None),
    House("casino, fire A", table.CASINO, CASINO.text("craps", CrapsRules), frozenset({"buy", "lay", "6-7-8"}), "A"),
    House("casino, fire B", table.CASINO, CASINO.text("craps", CrapsRules), frozenset({"6-7-8"}), "B"),
    House("mini-craps", table.MINI, CASINO.text("mini_craps", CrapsRules), frozenset({"lay"}), None),
]


def states() -> Iterator[CrapsState]:
    """Every phase with every point, and come wagers on any of the numbers."""
    for count in range(len(POINTS) + 1):
        for come in combinations(POINTS, count):
            yield CrapsState(come_points=come)
            for point in POINTS:
                yield CrapsState(phase="point", point=point, come_points=come)
            if come:
                yield CrapsState(phase="come_only", come_points=come)


@pytest.mark.parametrize("house", [HOUSES[1], HOUSES[2], HOUSES[4]], ids=lambda house: house.name)
def test_all_36_results_in_every_craps_state_decide_and_pay_what_the_oracle_says(house: House) -> None:
    course = Craps(house.rules)
    layout = CrapsLayout(house.rules, optional=house.optional)
    for state in states():
        if state.phase == "come_only" and not house.text.come_only:
            continue
        for dice in listed.TWO_DICE:
            players = table.standing(
                house.text, house.optional, state.point, state.come_points, state.phase == "come_only"
            )
            seen = players.throw(cast(table.Pair, dice))
            rolled = course.roll(state, dice)
            assert as_set(layout.winning(state, dice)) == seen.won, (state, dice)
            assert frozenset(layout.returned(state, dice)) == seen.void, (state, dice)
            assert (rolled.decision, rolled.shooter_passes) == (seen.decision, seen.shooter_passes), (state, dice)
            agree(rolled.state, players)


def agree(state: CrapsState, players: table.Players) -> None:
    """The code's state and the players' wagers are of one mind."""
    assert state.point == state.puck.point == players.number
    assert state.come_points == players.come_numbers
    assert (state.shooter, state.dice_offered) == (players.shooter, not players.thrown)
    assert (state.phase == "come_only") == players.line_wagers_refused


def throw(rng: Random, lucky: bool) -> table.Pair:
    """Two dice; a lucky shooter throws few sevens, and so makes many points."""
    dice = (rng.randint(1, 6), rng.randint(1, 6))
    return throw(rng, lucky) if lucky and sum(dice) == 7 and rng.random() < 0.95 else dice


def play(house: House, rng: Random, rolls: int) -> set[str]:
    """One game: rolls, invalid rolls, shooters who give up the dice or have no line wager, and changes of dice.

    Gives the names of the wagers that won.
    """
    course = Craps(house.rules, fire=house.fire is not None)
    layout = CrapsLayout(house.rules, optional=house.optional, fire_table=house.fire)
    players = table.Players(house.text, house.optional, house.fire)
    state = CrapsState()
    lucky = rng.random() < 0.5
    names: set[str] = set()
    for _ in range(rolls):
        if rng.random() < 0.15:
            state = act(course, state, players, rng)
        dice = throw(rng, lucky)
        won, void = as_set(layout.winning(state, dice)), frozenset(layout.returned(state, dice))
        rolled = course.roll(state, dice)
        seen = players.throw(dice)
        assert (won, void) == (seen.won, seen.void)
        assert (rolled.decision, rolled.shooter_passes) == (seen.decision, seen.shooter_passes)
        assert (rolled.change_dice, rolled.notify_surveillance) == (seen.dice_changed, seen.surveillance)
        state = rolled.state
        agree(state, players)
        assert [(s.shooter, set(s.points)) for s in state.fire] == [(f.shooter, f.made) for f in players.fire]
        names |= {name for name, _ in won}
    return names


def act(course: Craps, state: CrapsState, players: table.Players, rng: Random) -> CrapsState:
    """Something other than a valid roll."""
    what = rng.choice(("no_roll", "pass", "order", "dice", "come_only", "line"))
    if what == "no_roll":
        players.thrown = True
        return course.no_roll(state)
    if what == "dice":
        players.change_asked = True
        return course.ask_for_dice(state)
    if what == "line":
        players.line_wagers_refused = False
        return course.line_wager_made(state)
    if what == "come_only":
        if not players.may_refuse_line():
            with pytest.raises(ValueError, match=r"come out|without a pass"):
                course.roll_for_come(state)
            return state
        players.line_wagers_refused = True
        return course.roll_for_come(state)
    if not (players.may_pass() if what == "pass" else players.thrown):
        with pytest.raises(ValueError, match=r"dice"):
            course.pass_dice(state, ordered=what == "order")
        return state
    players.next_shooter()
    return course.pass_dice(state, ordered=what == "order")


@pytest.mark.parametrize(
    "games",
    [
        pytest.param(range(QUICK), id="quick"),
        *(
            pytest.param(range(start, start + CHUNK), id=f"from-{start}", marks=pytest.mark.soak)
            for start in range(QUICK, FULL, CHUNK)
        ),
    ],
)
def test_long_games_of_craps_decide_and_pay_what_the_oracle_says(games: range) -> None:
    names: set[str] = set()
    for seed in games:
        rng = Random(seed)
        rolls = 200 if rng.random() < 0.05 else rng.randint(1, 40)  # a long game for many points
        names |= play(HOUSES[seed % len(HOUSES)], rng, rolls)
    # Else nothing would have been tried.
    assert {"come odds 6, if on", "don't come 10", "whirl: any seven"} <= names
    fire = {name for name in names if name.startswith("fire bet")}
    assert {name.rpartition(", ")[2] for name in fire} == {"4 points", "5 points", "6 points"}
    assert any(name.startswith("fire bet on shooter") for name in fire)
    assert any(name.startswith("fire bet, ") for name in fire)
