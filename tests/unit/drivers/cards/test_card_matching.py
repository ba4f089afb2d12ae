"""Names on the link and passages past the barriers, each decoded alone, and held against each other."""

from __future__ import annotations

import pytest

from drivers.base.driver import NEVER_NS, Observation, SensorHealth
from drivers.cards.card_matching import CardMatching, CardsOut
from drivers.cards.card_naming import LineNaming, LostName, NamedCard, TokenNaming
from drivers.cards.card_way import ShoeTroubles
from drivers.cards.card_wire import CUTTING_CARD, UNREAD, CardLine, ShoeLine, ShoeState, encode
from drivers.cards.observations import CardDealt
from hal.values import Frame

WAIT_NS = 1000
CODES = {"9S": "9s", "KD": "Kd"}


def named(card: str, t_ns: int) -> NamedCard:
    return NamedCard(card, Frame("shoe", b"", t_ns))


def out(cards: CardsOut) -> list[str]:
    """What left: a face, or the doubt in its place."""
    return [
        (one.doubt or (one.card.expose() if one.card is not None else "?")) if isinstance(one, CardDealt) else "cut"
        for one in cards
    ]


def lines() -> LineNaming:
    return LineNaming("shoe", SensorHealth(), ShoeTroubles())


def card(number: int, face: str, t_ns: int = 1) -> Frame:
    return Frame("shoe", encode(CardLine(number, face)), t_ns)


def state(number: int, t_ns: int = 1) -> Frame:
    return Frame("shoe", encode(ShoeLine(number, ShoeState.READY)), t_ns)


# --- passages and names ---


def test_passage_and_name_prove_each_other_in_either_order() -> None:
    matching = CardMatching(WAIT_NS)
    assert out(matching.passed(90, 100)) == []
    assert matching.due_ns == 100 + WAIT_NS
    assert out(matching.named(named("9s", 110), in_way=False)) == ["9s"]
    assert matching.due_ns == NEVER_NS
    assert out(matching.named(named("Kd", 210), in_way=True)) == []
    assert out(matching.passed(200, 220)) == ["Kd"]
    assert out(matching.named(named(CUTTING_CARD, 300), in_way=True)) == []
    assert out(matching.passed(290, 310)) == ["cut"]


def test_half_a_card_is_a_doubt_once_the_other_half_is_overdue() -> None:
    matching = CardMatching(WAIT_NS)
    matching.passed(90, 100)
    assert out(matching.due(100 + WAIT_NS)) == ["card_unread"]
    matching.named(named("9s", 2000), in_way=False)
    assert out(matching.due(2000 + WAIT_NS)) == ["card_unseen"]
    assert matching.due_ns == NEVER_NS


def test_a_name_while_the_next_card_is_in_the_way_is_not_of_the_one_that_left() -> None:
    matching = CardMatching(WAIT_NS)
    matching.passed(90, 100)
    assert out(matching.named(named("9s", 150), in_way=True)) == ["card_unread"]
    assert out(matching.passed(140, 160)) == ["9s"]


def test_a_name_from_before_the_passage_is_of_a_card_that_no_barrier_saw() -> None:
    matching = CardMatching(WAIT_NS)
    matching.named(named("9s", 100), in_way=False)
    assert out(matching.passed(150, 160)) == ["card_unseen"]
    assert out(matching.named(named(UNREAD, 170), in_way=False)) == ["card_unread"]


# --- our lines ---


def test_the_same_line_twice_names_one_card() -> None:
    naming, found = lines(), list[Observation]()
    assert [len(list(naming.take(card(7, "9s"), found))) for _ in range(2)] == [1, 0]
    assert (found, naming.count) == ([], 7)


def test_the_same_count_with_another_card_is_a_loss() -> None:
    naming, found = lines(), list[Observation]()
    for face in ("9s", "Kd"):
        assert len(list(naming.take(card(7, face), found))) == 1
    assert [type(one).__name__ for one in found] == ["ShoeRestarted"]


@pytest.mark.parametrize(
    ("number", "seen", "named_too"), [(9, "CardsLost", True), (1007, "CardsLost", True), (1008, "ShoeRestarted", False)]
)
def test_a_state_that_counts_on_tells_of_lost_lines_or_of_another_shoe(number: int, seen: str, named_too: bool) -> None:
    naming, found = lines(), list[Observation]()
    assert list(naming.take(card(7, "9s"), found)) == [NamedCard("9s", card(7, "9s"))]
    lost = list(naming.take(state(number), found))
    assert ([type(one).__name__ for one in found], lost) == ([seen], [LostName(1)] if named_too else [])


def test_a_shoe_that_reported_its_state_is_missed_and_one_that_never_did_is_not() -> None:
    naming, found = lines(), list[Observation]()
    assert naming.due_ns == NEVER_NS
    list(naming.take(state(0, 1000), found))
    assert naming.due_ns == 1000 + 3_500_000_000
    naming.unplugged()
    assert naming.due_ns == NEVER_NS
    list(naming.take(state(0, 2000), found))
    assert list(naming.due(naming.due_ns, found)) == []
    assert [type(one).__name__ for one in found] == ["SensorDead", "CardsLost"]


# --- tokens ---


def test_so_many_equal_tokens_running_are_a_card_and_fewer_are_one_that_was_not_read() -> None:
    naming, found = TokenNaming("shoe", CODES, "none", 2, 500, SensorHealth()), list[Observation]()

    def take(token: bytes, t_ns: int) -> list[str]:
        return [one.card for one in naming.take(Frame("shoe", token, t_ns), found) if isinstance(one, NamedCard)]

    assert [take(b"9S", 1), take(b"9S", 2)] == [[], ["9s"]]
    assert [take(b"9S", 10), take(b"KD", 11), take(b"KD", 12)] == [[], [UNREAD], ["Kd"]]
    assert take(b"9S", 20) == []
    assert naming.due_ns == 520
    assert [one.t_ns for one in naming.due(520, found)] == [520]
    assert (naming.due_ns, naming.count, found) == (NEVER_NS, None, [])
    assert take(b"??x", 600) == []
    assert [type(one).__name__ for one in found] == ["LineGarbled"]
