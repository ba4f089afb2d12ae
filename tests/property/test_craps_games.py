"""Long games of craps through the rounds of a table, against players of whom each wager lives a life of its own.

The oracle (`tests.oracle.craps`) knows neither rounds nor states. Here rolls are entered, called "No Roll", corrected
and interrupted by restarts, and what the table says must be what the players see.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple, cast

import msgspec
import pytest

from controller.games.assembly import table_for
from controller.games.catalogue import ORDERS
from controller.games.craps.rounds import CrapsGame
from controller.table.orders.book import carry_out
from controller.table.orders.order import OrderRefused
from controller.table.table import Table
from drivers.dice.observations import DiceEntered
from feed import events
from feed.events import Event, decode, encode
from feed.state import Snapshot, TableState
from hal.capture.command_text import read_command
from tests.oracle import craps as oracle
from tests.tables.bench import configured
from tests.tables.craps_hands import craps_toml

CHUNK = 2_000
QUICK = 150
FULL = 40_150
"""Games: in every run, and with the soak, which alone has 100,000."""


class House(NamedTuple):
    """A table's file, and what its players may do."""

    name: str
    toml: str
    text: oracle.Text
    optional: frozenset[str]
    fire: str | None


OFFERED = 'settle_after_s = 0\noptional = ["buy", "lay", "6-7-8"]\nfire_bet = "A"'
HOUSES = [
    House("night", craps_toml("njac-13:47-20", options="settle_after_s = 0"), oracle.NIGHT, frozenset(), None),
    House("casino", craps_toml(options=OFFERED), oracle.CASINO, frozenset({"buy", "lay", "6-7-8"}), "A"),
    House("mini", craps_toml(game="mini_craps", options="settle_after_s = 0"), oracle.MINI, frozenset(), None),
]
CONFIGS = [configured(house.toml) for house in HOUSES]


class Evening:
    """One table, its journal, and its players."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        at = seed % len(HOUSES)
        self.house, self.config = HOUSES[at], CONFIGS[at]
        self.players = oracle.Players(self.house.text, self.house.optional, self.house.fire)
        self.t_ns = 0
        self.state = TableState("craps-1")
        self.table = self.begun()

    def begun(self) -> Table:
        """A table that continues from the journal."""
        table = table_for(self.config, epoch=f"e{self.t_ns}", simulated=True)
        snapshot = msgspec.json.decode(msgspec.json.encode(self.state.snapshot()), type=Snapshot)
        table.restore(TableState.from_snapshot(snapshot))
        self.keep(table.open(self.t_ns))
        return table

    def keep(self, said: list[Event]) -> list[Event]:
        """Journals what was said."""
        for event in said:
            self.state.apply(decode(encode(event)))
        return said

    @property
    def game(self) -> CrapsGame:
        """The rounds."""
        return cast(CrapsGame, self.table.game)

    def said(self) -> list[Event]:
        """What the game said since, as the table tells it."""
        self.table._collect()
        return self.keep(self.table._take())

    def enter(self, dice: oracle.Pair) -> list[Event]:
        """The stickperson enters a roll, and the bets are settled."""
        self.t_ns += 10
        entered = DiceEntered(t_ns=self.t_ns, dice=dice, first_ns=self.t_ns - 1, entered_ns=self.t_ns)
        self.game.handle(entered)
        self.game.rounds.due(self.t_ns)
        return self.said()

    def order(self, text: str) -> list[Event]:
        """An order that must be carried out."""
        self.t_ns += 10
        carry_out(read_command(text, self.t_ns), self.table.lifecycle, ORDERS)
        return self.said()

    def roll(self, dice: oracle.Pair) -> None:
        """A roll, as the table and the players see it. Some are keyed wrongly at first, or doubted and lost."""
        wrong = self.rng.random() < 0.05
        first = (7 - dice[0], dice[1]) if wrong else dice
        said = self.enter(first)
        outcome = next(event.data for event in said if isinstance(event.data, events.Outcome))
        told: events.Outcome | events.RoundCorrected = outcome
        result = outcome.result
        if wrong:
            text = f"correct round={outcome.round} dice={dice[0]}-{dice[1]} by=ann why=keyed wrongly"
            told = next(e.data for e in self.order(text) if isinstance(e.data, events.RoundCorrected))
            assert told.to.result is not None
            result = told.to.result
        seen = self.players.throw(dice)
        assert {(bet.bet, bet.odds) for bet in told.winning} == seen.won, (self.house.name, dice)
        assert result["decision"] == seen.decision
        notices = " ".join(told.notices)
        assert ("passes the dice" in notices) is seen.shooter_passes
        assert ("change the dice now" in notices) is seen.dice_changed
        assert ("surveillance" in notices) is seen.surveillance
        self.agree()

    def agree(self) -> None:
        """The table and its players are of one mind."""
        now = self.game.history.now
        assert (now.point, now.come_points, now.shooter) == (
            self.players.number,
            self.players.come_numbers,
            self.players.shooter,
        )

    def act(self) -> None:
        """Something other than a valid roll."""
        players = self.players
        what = self.rng.choice(("no_roll", "pass", "dice", "come_only", "line", "restart"))
        if what == "no_roll":
            self.order("void reason=die_off_table by=ann")
            players.thrown = True
        elif what == "restart":
            self.t_ns += 10
            self.table = self.begun()
        elif what == "dice":
            self.order("change_dice by=ann")
            players.change_asked = True
        elif what == "line":
            self.order("line_wager by=ann")
            players.line_wagers_refused = False
        elif what == "come_only":
            if players.may_refuse_line():
                self.order("roll_for_come by=ann")
                players.line_wagers_refused = True
        elif players.may_pass():
            self.order("pass_dice by=ann")
            players.next_shooter()
        else:
            with pytest.raises(OrderRefused, match="pass_dice: "):
                self.order("pass_dice by=ann")
        self.agree()


def throw(rng: Random, lucky: bool) -> oracle.Pair:
    """Two dice; a lucky shooter throws few sevens, and so makes many points."""
    dice = (rng.randint(1, 6), rng.randint(1, 6))
    return throw(rng, lucky) if lucky and sum(dice) == 7 and rng.random() < 0.95 else dice


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
def test_games_through_the_rounds_say_what_the_players_see(games: range) -> None:
    for seed in games:
        evening = Evening(seed)
        lucky = evening.rng.random() < 0.5
        for _ in range(evening.rng.randint(5, 25)):
            if evening.rng.random() < 0.25:
                evening.act()
            evening.roll(throw(evening.rng, lucky))


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(30), id="quick"),
        pytest.param(range(30, 1030), id="soak", marks=pytest.mark.soak),
    ],
)
def test_a_roll_corrected_long_after_leaves_the_table_as_if_it_had_been_keyed_rightly(seeds: range) -> None:
    for seed in seeds:
        right, wrong = Evening(seed), Evening(seed)
        rolls = [throw(right.rng, lucky=True) for _ in range(8)]
        at = right.rng.randrange(len(rolls))
        for number, dice in enumerate(rolls):
            right.enter(dice)
            wrong.enter((7 - dice[0], dice[1]) if number == at else dice)
        if right.rng.random() < 0.5:
            wrong.t_ns += 10
            wrong.table = wrong.begun()
        if wrong.game.rounds.recent.of(at + 1) is None:
            continue  # too long ago
        wrong.order(f"correct round={at + 1} dice={rolls[at][0]}-{rolls[at][1]} by=ann why=late")
        assert wrong.game.history.now == right.game.history.now
        results = [right.game.rounds.recent.of(number + 1) for number in range(len(rolls))]
        for ruling in results:
            if ruling is not None:
                found = wrong.game.rounds.recent.of(ruling.round)
                assert found is not None
                assert found.stands == ruling.stands
