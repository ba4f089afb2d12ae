"""A simulated baccarat table: its shoe, its cards, its dealer, and the truth that it gives."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from drivers.cards.card_wire import CUTTING_CARD, DECK, CardLine, ShoeLine, parse
from hal.values import Command, Edge, Frame
from simulators.base.faults import FaultError, faults_for
from simulators.base.geometry import GeometryError
from simulators.cards.baccarat_table import BaccaratDeal, banker_draws, draws, is_silent, points
from simulators.cards.card_table import CardGeometry
from simulators.cards.shoe import BARRIERS, ShoeSimulator

S = 1_000_000_000


def baccarat(game: str = "baccarat", **keys: Any) -> CardGeometry:
    """A table of baccarat."""
    return CardGeometry(game=game, dealing=BaccaratDeal, **keys)


def test_a_shoe_holds_its_decks_and_the_cutting_card_about_a_quarter_from_the_back() -> None:
    for seed in range(20):
        shoe = ShoeSimulator(seed, 8, barriers=True, body=True, link="shoe")
        shoe.load()
        count = Counter(shoe.cards)
        assert count.pop(CUTTING_CARD) == 1
        assert count == Counter(dict.fromkeys(DECK, 8))
        assert 0.19 < shoe.cards.index(CUTTING_CARD) / 416 < 0.31


def test_cards_come_in_the_order_of_the_lines_and_each_passes_both_barriers() -> None:
    simulator = baccarat().simulator(3)
    simulator.start()
    for _ in range(5):
        batch, truth, _, _ = simulator.round()
        lines = [parse(one.data) for one in batch.rare if isinstance(one, Frame)]
        assert tuple(line.card for line in lines if isinstance(line, CardLine)) == truth.result
        for barrier in BARRIERS:
            levels = [edge.level for edge in batch.edges if edge.line == barrier]
            assert levels == [1, 0] * len(truth.result or ())


def test_the_shoe_reports_its_count_each_second() -> None:
    simulator = baccarat().simulator(3)
    simulator.start()
    count, times = 0, []
    for _ in range(3):
        for one in simulator.round().batch.rare:
            if isinstance(one, Frame):
                line = parse(one.data)
                if isinstance(line, CardLine):
                    count += 1
                    assert line.number == count
                elif isinstance(line, ShoeLine):
                    assert line.number == count
                    times.append(one.t_ns)
    assert {later - earlier for earlier, later in pairwise(times)} <= {S, S - 1, S + 1}


def test_batches_are_in_order_and_lie_between_the_rounds() -> None:
    for seed in range(10):
        simulator = baccarat(settled_button=True).simulator(seed)
        until_ns = simulator.start().until_ns
        rng = random.Random(seed)
        names = [fault.name for fault in faults_for(simulator.geometry)]
        for _ in range(8):
            batch = simulator.round(rng.choice(names)).batch
            for values in (batch.edges, batch.rare):
                times = [one.t_ns for one in values]
                assert times == sorted(times)
                assert all(until_ns < t_ns <= batch.until_ns for t_ns in times)
            until_ns = batch.until_ns


def test_after_the_cutting_card_the_dealer_loads_the_shoe_and_says_so() -> None:
    simulator = baccarat().simulator(1)
    simulator.start()
    ordered = [one.verb for _ in range(150) for one in simulator.round().batch.rare if isinstance(one, Command)]
    assert ordered == ["new_shoe"] * 2


def test_equal_seeds_give_equal_rounds_and_others_do_not() -> None:
    def play(seed: int) -> list[Edge]:
        simulator = baccarat("mini_baccarat").simulator(seed)
        simulator.start()
        return [edge for _ in range(3) for edge in simulator.round().batch.edges]

    assert play(5) == play(5) != play(6)


@pytest.mark.parametrize(
    ("geometry", "fault", "why"),
    [
        (baccarat(barriers=False), "dead_barrier", "light barriers"),
        (
            baccarat(no_more_bets_button=False),
            "dealt_before_no_more_bets",
            "a button",
        ),
        (baccarat(), "misred", "nearest: misread"),
    ],
)
def test_a_fault_that_the_table_cannot_have_is_refused(geometry: CardGeometry, fault: str, why: str) -> None:
    with pytest.raises(FaultError, match=why):
        geometry.simulator(1).round(fault)


def test_a_table_without_a_deck_is_refused() -> None:
    with pytest.raises(GeometryError, match="decks"):
        baccarat(decks=0)


# --- the drawing of the truth: spot checks by the words of the text -------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "drawn"),
    [
        ("9s 6h Kd", True),
        ("9s 6h Kd 2c", False),  # a natural
        ("7s 5h Kd Kc", True),  # the player stands on seven, the banker draws on five
        ("7s 6h Kd Kc", False),
        ("7s 5h Kd Kc 3s", False),
        ("2s 7h Kd Kc", True),
        ("2s 7h Kd Kc 3s", False),
        ("2s 3h Kd Kc 8s", False),
        ("2s 3h Kd Kc 9s", True),
        ("2s 3h Kd Kc 9s 2c", False),
    ],
)
def test_another_card_is_dealt_as_the_text_has_it(cards: str, drawn: bool) -> None:
    assert draws(cards.split()) is drawn


def test_the_text_is_silent_on_a_bank_of_three_to_six_after_the_player_drew() -> None:
    assert is_silent(("2s", "3h", "Kd", "Kc", "8s"))
    assert not is_silent(("2s", "2h", "Kd", "Kc", "8s", "3c"))
    assert not is_silent(("6s", "3h", "Kd", "Kc", "8s"))
    assert [banker for banker in range(8) if not any(banker_draws(banker, third) for third in range(10))] == [7]
    assert points("As", "2h", "9d") == 2
