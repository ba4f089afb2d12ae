"""The watch over a table of cards: what it finds, that it changes nothing, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from controller.games.assembly import geometry_of, table_for
from controller.games.load import check_text
from controller.table.bias import FALSE_ALARM
from controller.table.card_watch import CardWatch, Stalls
from controller.table.round_watch import Watched
from controller.table.table import Table
from drivers.cards.card_wire import DECK, UNREAD
from feed import events
from feed.card_record import MISREADS_IN_1000, CardRecord
from feed.data import DealtCard
from feed.events import Data, Evidence, decode, encode
from feed.state import TableState
from hal.capture.command_text import read_command
from hal.values import Batch, Rare
from simulators.base.faults import faults_for
from tests.costs.counting import instructions_of
from tests.tables.bench import EventList, configured
from tests.tables.card_shoe import S, card_toml
from tests.unit.controller.bias.test_wheel_watch import MOST_COST, of_rounds
from tests.unit.controller.games.test_shuffling import SERIAL, ShufflerHands

OURS = {"deal_stalled", "reader_misreads", "card_misread", "deck_worn", "shuffler_order_kept", "games_an_hour"}
EXAMPLES = ("baccarat", "blackjack", "let_it_ride", "red_dog")


def table_of(more: str = "", game: str = "baccarat") -> Table:
    return table_for(configured(card_toml(game, more=more)), epoch="sim", simulated=True)


def watch_of(table: Table) -> CardWatch:
    assert isinstance(table._watch, CardWatch)
    return table._watch


def data_of(kind: type[Any], t_ns: int, **fields: Any) -> Any:
    return kind(table="b-1", game="baccarat", simulated=True, mono_ns=t_ns, round=1, **fields)


def deal(begin_s: float, gaps_s: Sequence[float] = (1, 1, 1), *, unread: bool = False) -> Iterator[Data]:
    """The events of one round of 30 s: bets are open for 12 s, cards leave, and it is settled."""
    begin_ns = round(begin_s * S)
    yield data_of(events.RoundOpened, begin_ns)
    yield data_of(events.NoMoreBets, begin_ns + 12 * S, rule="ours", by="dealer")
    left_ns = [begin_ns + 13 * S]
    for gap_s in gaps_s:
        left_ns.append(left_ns[-1] + round(gap_s * S))
    evidence = Evidence(cards=[DealtCard(card="9s", to="player", left_ns=one) for one in left_ns])
    if unread:
        yield data_of(
            events.Unresolved, left_ns[-1], reason="card_unread", candidates=[], rule="ours", evidence=evidence
        )
    else:
        yield data_of(events.Outcome, left_ns[-1], result={}, winning=[], rule="ours", evidence=evidence)
    yield data_of(events.Settled, begin_ns + 30 * S, by="dealer")


def verdicts(said: Iterator[Data]) -> Iterator[Any]:
    return (one for one in said if isinstance(one, events.Outcome | events.Unresolved))


def test_a_pause_of_a_deal_is_stated_once_until_a_deal_has_none() -> None:
    stalls = Stalls(60 * S)
    rounds = [(1, 1), (1, 61), (1, 90), (60, 1), (70, 1)]
    found = [[one for one in map(stalls.see, verdicts(deal(200 * at, gaps))) if one] for at, gaps in enumerate(rounds)]
    assert [len(one) for one in found] == [0, 1, 0, 0, 1]
    said = "after 2 of 3 exposed cards none came for 61 s, 60 s are borne"
    assert found[1] == [Watched("deal_stalled", said)]


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("", None),
        ("least_games_an_hour = 600", "games_an_hour"),
        ("most_games_an_hour = 1", "games_an_hour"),
        ("most_games_an_hour = 1\nidle_s = 10", "games_an_hour"),
        ("stall_s = 5", "deal_stalled"),
        ("misreads_in_1000 = 0.1", "reader_misreads"),
    ],
)
def test_each_key_decides_what_is_warned_of(key: str, found: str | None) -> None:
    watch = watch_of(table_of(f"[watch]\n{key}\n"))
    said: list[Watched] = []
    for number in range(130):
        gaps_s = (1, 6 if number == 50 else 1, 1)
        for event in deal(30 * number, gaps_s, unread=number % 30 == 0):
            said += watch.see(event)
    assert {one.warning for one in said} == ({found} if found else set())
    if found == "games_an_hour":
        assert f"idle {4 if 'idle_s' in key else 0} min of 60" in said[0].detail
        assert said[0].detail.endswith("482 cards an hour")


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("stall_s = 4", "t.toml:12: watch.stall_s:"),
        ("misreads_in_1000 = 0", "t.toml:12: watch.misreads_in_1000:"),
        (
            "least_games_an_hour = 60\nmost_games_an_hour = 60",
            "t.toml:12: watch.least_games_an_hour: 60 is not below most_games_an_hour, 60; write the smaller number",
        ),
        ("same_direction = 3", "t.toml:12: watch.same_direction: unknown key"),
    ],
)
def test_a_wrong_key_is_refused_with_file_line_key_and_fix(text: str, finding: str) -> None:
    report = check_text(card_toml(more=f"[watch]\n{text}\n"), "t.toml")
    assert [str(one)[: len(finding)] for one in report.errors] == [finding]


# --- at a table ---


NATURAL = ["9s", "6h", "Kd", "2c"]
ORDER = [*NATURAL, *Random(1).sample([*DECK] * 8, 412)]


def shoe_of(hands: ShufflerHands, batch: int, order: Sequence[str]) -> EventList:
    """A batch is shuffled, loaded, dealt for one round and opened."""
    hands.state()
    hands.cycle(batch)
    salts = hands.sealed(batch, order)
    hands.state()
    hands.ordered("new_shoe by=ann")
    hands.take_out(batch)
    hands.state()
    hands.order("clear device=shoe by=ann")
    hands.wait(10.0)
    hands.round(" ".join(NATURAL))
    hands.order("break_up by=ann")
    said = hands.opened(batch, order, salts)
    assert said.one(events.StackOpened).agrees
    return said


def test_a_shuffler_that_opens_the_same_order_again_is_warned_of_at_the_table() -> None:
    hands = ShufflerHands()
    for batch in (1, 2, 1):
        shoe_of(hands, batch, ORDER)
    (found,) = [one for one in hands.bench.said.of(events.DeviceWarning) if one.warning in OURS]
    assert (found.device, found.warning) == ("shuffler", "shuffler_order_kept")
    assert "pairs of neighbors are neighbors again in 1 shuffle" in found.detail


def test_a_shoe_that_does_not_read_cards_is_warned_of_and_names_its_deck() -> None:
    hands = ShufflerHands("[watch]\nmisreads_in_1000 = 0.5\n")
    said = hands.ordered("new_shoe by=ann deck=red")
    assert said.one(events.StackLoaded).deck == "red"
    for _ in range(4):
        assert hands.round(f"9s {UNREAD}").verdicts() == ["unresolved card_unread"]
        hands.ordered("void by=ann")
        hands.wait(10.0)
    assert [one.device for one in hands.bench.said.of(events.DeviceWarning) if one.warning in OURS] == ["shoe"]
    assert [*watch_of(hands.bench.table)._record.decks] == ["", "red"]


def test_the_wear_of_decks_is_counted_over_nights_as_one_record_of_all_events_counts_it() -> None:
    state, folded, warned = TableState("b-1"), CardRecord(MISREADS_IN_1000, FALSE_ALARM), set[str]()
    cards, jam = (one for one in deal(0, [1] * 19) if isinstance(one, events.Outcome)), {"warning": "card_pushed_back"}
    (dealt,) = cards
    for number in range(8):
        table = table_of()
        table.restore(state)
        said = table.open(0)
        reports: list[Data] = []
        if number not in (3, 6):  # in these nights the shoe has the deck of the night before
            reports.append(msgspec.structs.replace(loaded(None), deck=("red", "blue")[number % 2]))
        for at in range(60):
            # The older the decks are, the more cards are pushed back.
            reports += [data_of(events.DeviceWarning, 0, device="shoe", detail="", **jam)] if at < 4 * number else []
            reports.append(dealt)
        table.rounds.report.events += reports
        table._collect()
        said += [*table._take(), *table.close(0, "the night is over")]
        for event in said:
            state.apply(decode(encode(event)))
            folded.see(event.data)
            warned |= {event.data.warning} & OURS if isinstance(event.data, events.DeviceWarning) else set()
        assert sum(isinstance(event.data, events.DeviceCondition) for event in said) == 1
    assert watch_of(table)._record.counts() == folded.counts()
    assert [(one.name, sum(one.cards)) for one in folded.counts()] == [
        ("red", 4800),
        ("blue", 4800),
    ]
    assert warned == {"deck_worn"}


STRICT = "[watch]\nmost_games_an_hour = 1\nstall_s = 5\nmisreads_in_1000 = 0.001\n"


def played(table: Table, more: str, game: str, rounds: int, fault: str | None, seed: int) -> EventList:
    """The events of simulated rounds; after each the simulated staff bring the table back."""
    simulator = geometry_of(configured(card_toml(game, more=more))).simulator(seed)
    said = EventList(table.open(0) + table.feed(simulator.start()))
    for number in range(rounds):
        batch = simulator.round(fault if number == 0 else None).batch
        said += table.feed(batch)
        orders: list[Rare] = [
            read_command(f"clear device={device} by=test", batch.until_ns) for device in ("shoe", "shuffler")
        ]
        said += table.feed(Batch([], orders, batch.until_ns))
    return said


@pytest.mark.parametrize("fault", ["jam", "jam_inside"])
def test_a_jam_counts_once_for_the_wear_of_the_deck_whichever_sensors_saw_it(fault: str) -> None:
    table = table_of()
    said = played(table, "", "baccarat", 2, fault, 1)
    assert said.one(events.DeviceFault).fault == "shoe_jam"
    assert ("card_pushed_back" in {one.warning for one in said.of(events.DeviceWarning)}) == (fault == "jam")
    folded = CardRecord(MISREADS_IN_1000, FALSE_ALARM)
    for event in said:
        folded.see(event.data)
    decks = [
        [(cards.cards, cards.drawing) for cards in one.decks[""]._bins] for one in (watch_of(table)._record, folded)
    ]
    assert decks[0] == decks[1], "a report counts the same"
    assert decks[0][0][1] == 1


@pytest.mark.long
@pytest.mark.parametrize("game", EXAMPLES)
def test_no_verdict_of_a_simulated_round_is_another_one_for_it(game: str) -> None:
    faults = [fault.name for fault in faults_for(geometry_of(configured(card_toml(game))))][::3]
    assert len(faults) > 3
    for number, fault in enumerate(faults):
        watched, plain = table_of(STRICT, game), table_of("", game)
        plain._watch = None
        said = [played(table, "", game, 3, fault, number) for table in (watched, plain)]
        assert of_rounds(said[0]) == of_rounds(said[1]), fault


ROUNDS_OF_A_SHOE = 70


@pytest.mark.long
def test_the_watch_costs_less_than_two_hundredths_of_a_round() -> None:
    """Counted by instructions, with the order of a shoe of eight decks that is opened after 70 rounds."""
    simulator = geometry_of(configured(card_toml())).simulator(1)
    rounds = [simulator.start(), *(simulator.round().batch for _ in range(3))]
    said: list[Data] = []

    def plays() -> Callable[[], int]:
        table = table_of()
        table._watch = None

        def run() -> int:
            found = [event.data for batch in rounds for event in table.feed(batch)]
            said[:] = [one for one in found if not isinstance(one, events.RoundProgress)]
            return len([one for one in found if isinstance(one, events.Outcome)])

        table.open(0)
        return run

    def opens() -> Callable[[], int]:
        hands = ShufflerHands()
        hands.bench.table._watch = None
        return lambda: len(shoe_of(hands, 1, ORDER).of(events.StackOpened))

    def watches(see: Callable[[Data], Sequence[Watched]]) -> Callable[[], Callable[[], int]]:
        see(loaded())
        return lambda: lambda: sum(len(see(one)) for _ in range(20) for one in said)

    def judges() -> Callable[[], int]:
        watch, rng = watch_of(table_of()), Random(1)
        orders = [rng.sample([*DECK] * 8, 416) for _ in range(2)]
        watch.see(opened(orders[0]))
        return lambda: len(watch.see(opened(orders[1])))

    whole = instructions_of(plays, 3) / 3 + instructions_of(opens, 1) / ROUNDS_OF_A_SHOE
    watch = watch_of(table_of())
    watched = (instructions_of(watches(watch.see), 0) - instructions_of(watches(lambda one: ()), 0)) / 60
    judged = instructions_of(judges, 0) / ROUNDS_OF_A_SHOE
    assert watched + judged < MOST_COST * whole, f"{watched / whole:.2%} + {judged / whole:.2%}"


def loaded(batch: int | None = 1) -> events.StackLoaded:
    return events.StackLoaded(table="b-1", game="baccarat", simulated=True, mono_ns=0, device="shoe", batch=batch)


def opened(order: Sequence[str]) -> Data:
    return events.StackOpened(
        table="b-1", game="baccarat", simulated=True, mono_ns=0, device="shuffler", batch=1, root="",
        cards=[*order], salts=[], agrees=True,
    )  # fmt: skip


def test_a_table_of_cards_with_a_shuffler_has_the_watch_too() -> None:
    assert isinstance(table_of(SERIAL)._watch, CardWatch)
