"""Shoes of other kinds: tokens and barcodes, stacks of an automated shoe, two compartments, and a dead barrier."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.base.driver import Observation, SensorAlive, SensorDead
from drivers.cards.card_tokens import card_of, code_problems
from drivers.cards.card_wire import DECK, MalformedCardLine
from drivers.cards.observations import CardDealt, CompartmentsOpen, LineGarbled, StackDealt
from drivers.cards.shoe import ShoeConfig, public_part_of
from hal.capture.secret import FrameSealer
from hal.values import Edge, Frame
from tests.unit.drivers.cards.test_shoe import MS, Value, card, cards, decoded, passage

CODES = {f"{number:03}": face for number, face in enumerate(DECK)} | {"900": "XX", "999": "??"}
NINE = "008"


def token(text: str, t_ms: int) -> Frame:
    return Frame("shoe", text.encode(), t_ms * MS)


def tokens(**more: object) -> ShoeConfig:
    return ShoeConfig(reading="tokens", codes=CODES, **more)  # type: ignore[arg-type]


# --- tokens and barcodes ------------------------------------------------------------------------------------------


def test_a_token_names_the_card_that_left_by_the_table_of_codes() -> None:
    assert CODES[NINE] == "9s"
    assert cards(decoded([*passage(1000), token(NINE, 1180)], 5000, tokens())) == [("9s", "")]


def test_a_barcode_reader_without_barriers_gives_a_card_a_scan() -> None:
    config = tokens(barriers=False, body=False)
    assert cards(decoded([token(NINE, 100), token("999", 900)], 5000, config)) == [("9s", ""), (None, "card_unread")]


def test_a_token_that_is_repeated_counts_once_and_one_that_is_not_was_not_read() -> None:
    config = tokens(repeats=2)
    good = [*passage(1000), token(NINE, 1180), token(NINE, 1190)]
    assert cards(decoded(good, 5000, config)) == [("9s", "")]
    other = [*passage(1000), token(NINE, 1180), token("010", 1190), token("010", 1195)]
    assert ("9s", "") not in cards(decoded(other, 5000, config))
    short = [*passage(1000), token(NINE, 1180)]
    assert cards(decoded(short, 5000, config)) == [(None, "card_unread")]


@pytest.mark.parametrize(("checksum", "frame"), [("xor", b"00838"), ("sum", b"00898")])
def test_a_checksum_is_checked(checksum: str, frame: bytes) -> None:
    config = tokens(checksum=checksum, barriers=False, body=False)
    assert cards(decoded([Frame("shoe", frame, MS)], 2000, config)) == [("9s", "")]
    for n in range(len(frame)):
        wrong = bytearray(frame)
        wrong[n] ^= 1
        assert isinstance(decoded([Frame("shoe", bytes(wrong), MS)], 2000, config)[0], LineGarbled)


@given(st.binary(max_size=30), st.sampled_from(["none", "xor", "sum"]))
def test_no_bytes_hurt_and_none_is_repeated(data: bytes, checksum: str) -> None:
    found = card_of(data, CODES, checksum)  # type: ignore[arg-type]
    assert isinstance(found, MalformedCardLine) or found in CODES.values()
    if isinstance(found, MalformedCardLine) and len(data) > 3:
        assert data.decode("latin-1") not in found.cause


def test_of_tokens_nothing_may_be_stored_before_the_card_is_exposed() -> None:
    public = public_part_of(tokens())
    assert public(NINE.encode()) == b""
    sealer = FrameSealer({"shoe": public}, bytes(32))
    held = sealer.seal(token(NINE, 5))
    assert NINE.encode() not in held.data[:0] + held.link.encode()
    replayed = decoded([*passage(1000), held._replace(t_ns=1180 * MS)], 5000, tokens())
    assert cards(replayed) == [(None, "card_unread")]


@pytest.mark.parametrize(
    ("codes", "what"),
    [({}, "no code for As"), ({**CODES, "000": "1s"}, "1s: no such card"), ({"1": "As"}, "and 46 more")],
)
def test_a_wrong_table_of_codes_is_named(codes: dict[str, str], what: str) -> None:
    assert what in code_problems(codes)[0][0]
    assert ShoeConfig(reading="tokens", codes=codes).problems()
    assert ShoeConfig(codes={"1": "As"}).problems()[0][0] == "codes"
    assert not ShoeConfig().problems()


# --- stacks -------------------------------------------------------------------------------------------------------


def dealt(count: int, t_ms: int = 1000, apart_ms: int = 400) -> list[Value]:
    found: list[Value] = []
    for n in range(count):
        found += [*passage(t_ms + n * apart_ms), card(n + 1, DECK[n], t_ms + n * apart_ms + 180)]
    return found


def stacks(found: Sequence[Observation]) -> list[tuple[int, int]]:
    return [(one.cards, one.wanted) for one in found if isinstance(one, StackDealt)]


@pytest.mark.parametrize("count", [2, 3, 4])
def test_k18_a_stack_is_over_when_no_card_follows_and_its_cards_are_counted(count: int) -> None:
    found = decoded(dealt(count), 10_000, ShoeConfig(stack_cards=3))
    assert stacks(found) == [(count, 3)]
    assert stacks(decoded(dealt(count), 10_000)) == []


def test_a_card_that_nobody_read_is_one_of_its_stack() -> None:
    found = decoded([*dealt(2), *passage(1800)], 10_000, ShoeConfig(stack_cards=3))
    assert stacks(found) == [(3, 3)]


# --- two compartments ---------------------------------------------------------------------------------------------


def test_k20_the_gates_of_a_double_shoe_report_which_compartments_are_open() -> None:
    edges = [Edge("shoe_gate_1", 1, MS), Edge("shoe_gate_2", 1, 2 * MS), Edge("shoe_gate_1", 0, 3 * MS)]
    found = decoded(edges, 10, ShoeConfig(double=True))
    assert [one.sides for one in found if isinstance(one, CompartmentsOpen)] == [(1,), (1, 2), (2,)]


# --- a dead barrier -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dead", ["shoe_card_1", "shoe_card_2"])
def test_a_barrier_that_three_cards_running_did_not_cover_is_stuck_and_alive_with_its_next_edge(dead: str) -> None:
    other = "shoe_card_2" if dead == "shoe_card_1" else "shoe_card_1"
    values: list[Value] = []
    for n in range(4):
        values += [*passage(1000 + n * 1000, lines=(other,)), card(n + 1, DECK[n], 1180 + n * 1000)]
    found = decoded([*values, *passage(8000), card(5, "Kd", 8180)], 10_000)
    (stuck,) = [one for one in found if isinstance(one, SensorDead)]
    assert (stuck.line, stuck.fault) == (dead, "sensor_stuck")
    assert stuck.t_ns == 3180 * MS
    assert [one.line for one in found if isinstance(one, SensorAlive)] == [dead]
    assert cards(found)[-1] == ("Kd", "")


def test_two_cards_together_now_and_then_are_no_dead_barrier() -> None:
    values: list[Value] = []
    for n in range(12):
        values += [] if n % 3 == 2 else passage(1000 + n * 1000)
        values.append(card(n + 1, DECK[n], 1180 + n * 1000))
    assert not [one for one in decoded(values, 20_000) if isinstance(one, SensorDead)]


def test_each_card_dealt_in_doubt_is_still_reported() -> None:
    found = decoded([card(1, "9s", 1000)], 5000)
    assert [one.doubt for one in found if isinstance(one, CardDealt)] == ["card_unseen"]
